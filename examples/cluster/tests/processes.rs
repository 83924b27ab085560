//! One process, two and three have the same digits; one that dies is named.

use std::fs;
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

fn cluster(arguments: &str) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_cluster"));
    command.args(arguments.split_whitespace()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

/// The printed lines, without the lines of timely about connections.
fn lines(output: &Output) -> Vec<String> {
    let text = String::from_utf8(output.stdout.clone()).unwrap();
    text.lines().filter(|line| !line.starts_with("awaiting")).map(str::to_string).collect()
}

#[test]
fn digits_do_not_depend_on_processes() {
    let one = cluster("--rows 3000 --columns 5 --blocks 7 --processes 1").output().unwrap();
    assert!(one.status.success(), "{one:?}");
    let one = lines(&one);
    assert!(one.len() > 6 && one.last().unwrap().starts_with("weights ["), "{one:?}");
    for processes in [2, 3, 7] {
        let arguments = format!("--rows 3000 --columns 5 --blocks 7 --processes {processes}");
        let many = cluster(&arguments).output().unwrap();
        assert!(many.status.success(), "{many:?}");
        assert_eq!(lines(&many), one, "{processes} processes");
    }
    // Another cut is another order of additions of the same rows.
    let other = cluster("--rows 3000 --columns 5 --blocks 5 --processes 2").output().unwrap();
    let weights = |lines: &[String]| -> Vec<f64> {
        let list = lines.last().unwrap().trim_start_matches("weights [").trim_end_matches(']');
        list.split(", ").map(|w| w.parse().unwrap()).collect()
    };
    let (here, there) = (weights(&one), weights(&lines(&other)));
    assert!(here.iter().zip(&there).all(|(a, b)| (a - b).abs() < 1e-12), "{here:?} {there:?}");
    assert_ne!(here, there);
}

#[cfg(target_os = "linux")]
#[test]
fn a_process_that_dies_is_named() {
    // More rows than can be generated in the time.
    let parent = cluster("--rows 200000000 --columns 1 --blocks 2 --processes 2").spawn().unwrap();
    let second = second_child(&parent);
    demand_name(parent, &second);
}

/// The number of the second process that this one has started.
#[cfg(target_os = "linux")]
fn second_child(parent: &std::process::Child) -> String {
    let children = format!("/proc/{0}/task/{0}/children", parent.id());
    let begin = Instant::now();
    loop {
        if let Some(child) = fs::read_to_string(&children).unwrap().split_whitespace().nth(1) {
            return child.to_string();
        }
        assert!(begin.elapsed() < Duration::from_secs(20), "no children");
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// Kills process 1: the others end, and the error names it.
#[cfg(target_os = "linux")]
fn demand_name(mut parent: std::process::Child, second: &str) {
    assert!(Command::new("kill").args(["-9", second]).status().unwrap().success());
    let killed = Instant::now();
    while parent.try_wait().unwrap().is_none() {
        assert!(killed.elapsed() < Duration::from_secs(10), "still waiting");
        std::thread::sleep(Duration::from_millis(5));
    }
    let output = parent.wait_with_output().unwrap();
    let text = String::from_utf8(output.stderr).unwrap();
    assert!(!output.status.success());
    assert!(text.contains("cluster: process 1 (127.0.0.1:") && text.contains("signal: 9"), "{text}");
    assert!(fs::read_to_string(format!("/proc/{second}/stat")).is_err(), "the process is still there");
}

/// The others are then in the middle of an iteration.
#[cfg(target_os = "linux")]
#[test]
fn a_process_that_dies_between_iterations_is_named() {
    use std::io::{BufRead, BufReader};
    let mut parent = cluster("--rows 200000 --columns 20 --blocks 9 --processes 3").spawn().unwrap();
    let second = second_child(&parent);
    let mut output = BufReader::new(parent.stdout.take().unwrap());
    let mut line = String::new();
    while !line.trim_start().starts_with("0 ") {
        line.clear();
        assert!(output.read_line(&mut line).unwrap() > 0, "no iteration");
    }
    demand_name(parent, &second);
}

/// Processes that nobody has started together wait for each other as long as they are told.
#[test]
fn a_process_without_the_others_ends() {
    let hosts = std::env::temp_dir().join(format!("cluster-test-{}.hosts", std::process::id()));
    fs::write(&hosts, "127.0.0.1:1\n127.0.0.1:9\n").unwrap();
    let arguments = format!("--rows 100 --blocks 2 --patience 0 --process 1 --hosts {}", hosts.display());
    let output = cluster(&arguments).output().unwrap();
    fs::remove_file(&hosts).unwrap();
    assert!(!output.status.success());
    let text = String::from_utf8(output.stderr).unwrap();
    assert!(text.contains("127.0.0.1:1, 127.0.0.1:9"), "{text}");
}

/// Without a parent, the blocks that have not come tell who is silent, or dead.
#[test]
fn silence_has_a_name() {
    for dies in [false, true] {
        let ports = [0, 1].map(|_| std::net::TcpListener::bind("127.0.0.1:0").unwrap());
        let addresses = ports.each_ref().map(|port| port.local_addr().unwrap().to_string());
        drop(ports);
        let name = format!("cluster-silence-{}-{dies}.hosts", std::process::id());
        let hosts = std::env::temp_dir().join(name);
        fs::write(&hosts, addresses.join("\n")).unwrap();
        let of = |process: usize, rows: usize| {
            let (hosts, patience) = (hosts.display(), if dies { 30 } else { 2 });
            cluster(&format!(
                "--rows {rows} --columns 1 --blocks 2 --patience {patience} --hosts {hosts} --process {process}"
            ))
        };
        let (first, mut second) = (of(0, 1000).spawn().unwrap(), of(1, 200_000_000).spawn().unwrap());
        if dies {
            // A process that finds nobody to connect to tries again after a second.
            std::thread::sleep(Duration::from_secs(3));
            second.kill().unwrap();
        }
        let begin = Instant::now();
        let output = first.wait_with_output().unwrap();
        assert!(begin.elapsed() < Duration::from_secs(20));
        _ = second.kill();
        _ = second.wait();
        fs::remove_file(&hosts).unwrap();
        let text = String::from_utf8(output.stderr).unwrap();
        let want = match dies {
            true => format!("cluster: process 1 ({}) is gone", addresses[1]),
            false => format!("cluster: no word for 2 s from process 1 ({})", addresses[1]),
        };
        assert!(!output.status.success() && text.contains(&want), "{text}");
    }
}

#[test]
fn wrong_arguments_are_errors() {
    for (arguments, part) in [
        ("--rows 1 --blocks 2", "a row in each block"),
        ("--processes none", "none"),
        ("--processes 3 --blocks 2", "3 processes need a block each, there are 2"),
        ("--hosts /nowhere/hosts --process 0", "cannot read /nowhere/hosts"),
        ("--process 1", "--process comes with --hosts"),
        ("--else", "--else"),
    ] {
        let output = cluster(arguments).output().unwrap();
        let text = String::from_utf8(output.stderr).unwrap();
        assert!(!output.status.success() && text.contains(part), "{arguments}: {text}");
    }
}
