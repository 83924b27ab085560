//! A sum over data whose rows are spread over processes: logistic regression by Newton's iteration.
//!
//! ```text
//! cargo run --release -p cluster                               # two processes on this machine
//! cargo run --release -p cluster -- --processes 1              # one: the same digits
//! cargo run --release -p cluster -- --hosts FILE --process 0   # one of several; FILE has host:port on each line
//! ```
//!
//! Each process differentiates its blocks of rows (`problem.rs`). timely dataflow sends all blocks to all processes,
//! which add them in their order and take the same step (`worker.rs`).

mod problem;
mod worker;

use std::net::TcpListener;
use std::process::{Child, Command, ExitCode, ExitStatus, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use std::{env, fs, thread};

use lexopt::prelude::*;
use problem::Problem;
use timely::{CommunicationConfig, WorkerConfig};

const HELP: &str = "\
Fits the weights of a logistic regression whose rows are spread over processes.

Usage: cargo run --release -p cluster -- [OPTIONS]

  --rows N         rows in all (default: 1000000)
  --columns N      and their columns (default: 20)
  --blocks N       into which rows are cut; the last digits depend on it, not on the processes (default: 64)
  --processes N    processes that are started on this machine (default: 2)
  --hosts FILE     instead: host:port of each process, on a line each
  --process I      and which of them this one is
  --patience S     seconds without word from another process that are an error (default: 10)
  --help           print this text
";

type Result<T> = std::result::Result<T, Box<dyn std::error::Error + Send + Sync>>;

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("cluster: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run() -> Result<()> {
    let mut problem = Problem { rows: 1_000_000, columns: 20, blocks: 64 };
    let (mut processes, mut hosts, mut process, mut patience) = (2, None::<Vec<String>>, None, 10);
    let mut parser = lexopt::Parser::from_env();
    while let Some(argument) = parser.next()? {
        match argument {
            Long("rows") => problem.rows = parser.value()?.parse()?,
            Long("columns") => problem.columns = parser.value()?.parse()?,
            Long("blocks") => problem.blocks = parser.value()?.parse()?,
            Long("processes") => processes = parser.value()?.parse()?,
            Long("hosts") => {
                let file = parser.value()?.string()?;
                let text =
                    fs::read_to_string(&file).map_err(|error| format!("cannot read {file}: {error}"))?;
                hosts = Some(text.split_whitespace().map(str::to_string).collect());
            }
            Long("process") => process = Some(parser.value()?.parse::<usize>()?),
            Long("patience") => patience = parser.value()?.parse()?,
            Long("help") => {
                print!("{HELP}");
                return Ok(());
            }
            other => return Err(other.unexpected().into()),
        }
    }
    if problem.blocks == 0 || problem.rows < problem.blocks || processes == 0 {
        return Err("at least one process, one block, and a row in each block are needed".into());
    }
    let all = hosts.as_ref().map_or(processes, Vec::len);
    if problem.blocks < all {
        return Err(format!("{all} processes need a block each, there are {}", problem.blocks).into());
    }
    let patience = Duration::from_secs(patience);
    match (hosts, process) {
        (None, None) if processes > 1 => start(processes),
        (None, None) => {
            work(CommunicationConfig::Thread, vec!["this process".to_string()], 0, problem, patience)
        }
        (Some(addresses), Some(process)) if process < addresses.len() => {
            let config = CommunicationConfig::Cluster {
                threads: 1,
                process,
                addresses: addresses.clone(),
                report: false,
                zerocopy: false,
            };
            work(config, addresses, process, problem, patience)
        }
        (Some(addresses), process) => {
            let most = addresses.len() - 1;
            Err(format!("--process has to be from 0 to {most} for these hosts, not {process:?}").into())
        }
        (None, Some(_)) => Err("--process comes with --hosts".into()),
    }
}

/// Works as one of the processes.
fn work(
    communication: CommunicationConfig,
    addresses: Vec<String>,
    process: usize,
    problem: Problem,
    patience: Duration,
) -> Result<()> {
    if process == 0 {
        let (n, all) = (problem.weights(), addresses.len());
        let others = problem.blocks - problem.blocks.div_ceil(all);
        println!("{} rows, {} blocks, {n} weights", problem.rows, problem.blocks);
        eprintln!(
            "{all} processes; {} kB to each of them in an iteration",
            others * problem.numbers() * 8 / 1000
        );
        println!("{:>9} {:>20} {:>14}", "iteration", "loss of a row", "slope");
    }
    // Connections are made, and waited for, without a limit.
    let connected = Arc::new(AtomicBool::new(false));
    let (seen, all) = (connected.clone(), addresses.join(", "));
    thread::spawn(move || {
        thread::sleep(6 * patience);
        if !seen.load(Ordering::Relaxed) {
            eprintln!("cluster: not all of {all} have connected in {} s", 6 * patience.as_secs());
            std::process::exit(1);
        }
    });
    let config = timely::Config { communication, worker: WorkerConfig::default() };
    timely::execute(config, move |worker| {
        connected.store(true, Ordering::Relaxed);
        let name = |worker: usize| format!("process {worker} ({})", addresses[worker]);
        // The threads of the network do not end where a process is gone.
        if let Err(error) = worker::newton(worker, &problem, patience, name) {
            eprintln!("cluster: {error}");
            std::process::exit(1);
        }
    })?;
    Ok(())
}

/// Processes that are ended where one of them fails.
struct Processes(Vec<Child>);

impl Drop for Processes {
    fn drop(&mut self) {
        for child in &mut self.0 {
            _ = child.kill();
            _ = child.wait();
        }
    }
}

/// Starts processes on this machine with the arguments of this one, and waits for them.
fn start(count: usize) -> Result<()> {
    // Ports that are free now.
    let listeners =
        (0..count).map(|_| TcpListener::bind("127.0.0.1:0")).collect::<std::io::Result<Vec<_>>>()?;
    let addresses =
        listeners.iter().map(|l| Ok(l.local_addr()?.to_string())).collect::<std::io::Result<Vec<_>>>()?;
    drop(listeners);
    let hosts = env::temp_dir().join(format!("cluster-{}.hosts", std::process::id()));
    fs::write(&hosts, addresses.join("\n"))?;
    let mut running = Processes(Vec::new());
    for process in 0..count {
        let mut command = Command::new(env::current_exe()?);
        command.args(env::args_os().skip(1)).arg("--hosts").arg(&hosts);
        if process > 0 {
            command.stdout(Stdio::null());
        }
        running.0.push(command.args(["--process", &process.to_string()]).spawn()?);
    }
    let result = wait(&mut running.0, &addresses);
    _ = fs::remove_file(hosts);
    result
}

/// Waits until all processes have ended well, or one has not.
fn wait(running: &mut [Child], addresses: &[String]) -> Result<()> {
    let mut ended: Vec<Option<ExitStatus>> = vec![None; running.len()];
    let mut poll = || -> std::io::Result<Option<(usize, ExitStatus)>> {
        for (child, end) in running.iter_mut().zip(&mut ended) {
            *end = end.map_or_else(|| child.try_wait(), |status| Ok(Some(status)))?;
        }
        if ended.iter().all(|end| end.is_some_and(|status| status.success())) {
            return Ok(Some((0, ExitStatus::default())));
        }
        let failed = (0..).zip(&ended).filter_map(|(k, end)| Some((k, end.filter(|end| !end.success())?)));
        // The others end because of one that a signal has ended: it has no code.
        Ok(failed.min_by_key(|(_, status)| status.code().is_some()))
    };
    while poll()?.is_none() {
        thread::sleep(Duration::from_millis(5));
    }
    // One more look: the first that was seen to end need not be the first that ended.
    if let Some((process, status)) = poll()?.filter(|(_, status)| !status.success()) {
        return Err(format!("process {process} ({}) has ended: {status}", addresses[process]).into());
    }
    Ok(())
}
