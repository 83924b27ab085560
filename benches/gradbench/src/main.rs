//! Times the evals of GradBench by wengert, by hand, and by tools of other languages; writes the table of
//! `examples/gradbench/README.md`, its picture, and the table of the guide.
//!
//! ```text
//! cargo run --release -p gradbench_peers             # all evals
//! cargo run --release -p gradbench_peers -- lse ode  # prints these, writes nothing
//! ```

use std::path::Path;
use std::process::{Command, ExitCode};
use std::{env, fs};

use gradbench::EVALS;
use gradbench::cases::cases;
use gradbench_peers::by_hand::BY_HAND;
use gradbench_peers::picture;
use gradbench_peers::table::{Row, markdown, measure, summary};
use gradbench_peers::tool::{CPP_FLAGS, Tool};

const ROUNDS: usize = 4;
const BEGIN: &str = "<!-- written by gradbench_peers -->\n";
const END: &str = "<!-- end -->\n";

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run() -> Result<(), String> {
    let only: Vec<String> = env::args().skip(1).collect();
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let readme = here.join("../../examples/gradbench/README.md");
    let svg = here.join("../../examples/gradbench/ratios.svg");
    let folder = env::temp_dir().join(format!("gradbench-{}", std::process::id()));
    fs::create_dir_all(&folder).map_err(|error| error.to_string())?;
    eprintln!("compiling the C++ tools");
    let mut plain = Tool::cpp(&folder, "none", &[], &[])?;
    let mut rust = Tool::inside("Rust", EVALS);
    let mut tools = vec![Tool::inside("by hand", BY_HAND), Tool::inside("wengert", EVALS)];
    let python = env::var("PYTHON").unwrap_or("python3".into());
    let script = |name: &str| Tool::process(Command::new(&python).arg(here.join("python").join(name)));
    let others = [
        ("JAX", script("jax_tool.py")),
        ("Enzyme", script("enzyme_tool.py")),
        ("Sacado", Tool::cpp(&folder, "sacado", &["-I/usr/include/trilinos"], &SACADO)),
        ("ADOL-C", Tool::cpp(&folder, "adolc", &[], &["-ladolc"])),
    ];
    for (name, tool) in others {
        match tool {
            Ok(tool) => tools.push(tool),
            Err(error) => eprintln!("without {name}: {error}"),
        }
    }
    let names: Vec<String> = tools.iter().map(|tool| tool.name.clone()).collect();
    let mut rows: Vec<Row> = vec![];
    for case in cases() {
        if only.is_empty() || only.iter().any(|only| only == case.eval) {
            eprintln!("{}, {}", case.eval, case.size);
            rows.push(measure(case, &mut [("Rust", &mut rust), ("C++", &mut plain)], &mut tools, ROUNDS)?);
        }
    }
    let _ = fs::remove_dir_all(&folder);
    let table = markdown(&names, &rows);
    println!("{table}");
    if !only.is_empty() {
        return Ok(());
    }
    let machine = machine();
    replace(&readme, &format!("{machine}\n{table}"))?;
    replace(&here.join("../../docs/guide/speed.md"), &format!("{machine}\n{}", summary(&names, &rows)))?;
    let drawn = picture::svg(&names, &rows).map_err(|error| error.to_string())?;
    fs::write(svg, drawn).map_err(|error| error.to_string())
}

/// Writes a text between the marks of a document.
fn replace(path: &Path, text: &str) -> Result<(), String> {
    let old = fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))?;
    let place = || format!("{} has no place for the table", path.display());
    let (before, rest) = old.split_once(BEGIN).ok_or_else(place)?;
    let (_, after) = rest.split_once(END).ok_or_else(place)?;
    fs::write(path, format!("{before}{BEGIN}{text}{END}{after}")).map_err(|error| error.to_string())
}

const SACADO: [&str; 2] = ["-ltrilinos_sacado", "-ltrilinos_teuchoscore"];

/// The first line that a command prints.
fn first_line(program: &str, argument: &str) -> String {
    let output = Command::new(program).arg(argument).output();
    let text = output.map(|output| String::from_utf8_lossy(&output.stdout).into_owned()).unwrap_or_default();
    text.lines().next().unwrap_or("").to_string()
}

/// The processor, the compilers, and how busy the machine is.
fn machine() -> String {
    let info = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let model = info.lines().find_map(|line| line.strip_prefix("model name")?.split_once(": "));
    let model = model.map_or("an unknown processor", |(_, name)| name);
    let has = |flag: &str| info.split_whitespace().any(|word| word == flag);
    let wide = if has("avx512f") {
        " with AVX-512"
    } else if has("avx2") {
        " with AVX2"
    } else {
        ""
    };
    let version = |line: String| line.rsplit(' ').next().unwrap_or("").to_string();
    let load = fs::read_to_string("/proc/loadavg").unwrap_or_default();
    format!(
        "One core of {model}{wide}, at a load of {}; {}; g++ {} {}.\n",
        load.split(' ').next().unwrap_or(""),
        first_line("rustc", "--version").split(" (").next().unwrap_or(""),
        version(first_line("g++", "--version")),
        CPP_FLAGS.join(" "),
    )
}
