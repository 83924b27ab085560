//! The laws of the house that a program can check: layers import one way, number types hold no formulas, foreign
//! crates stay in their files, every file says what it is for.

use std::fs;
use std::path::{Path, PathBuf};

/// The layers from the ground up; modules of one line may see each other.
const LAYERS: [&[&str]; 11] = [
    &["error", "linear_map", "pool"],
    &["number", "rules", "primitive"],
    &["foreign"],
    &["forward"],
    &["reverse"],
    &["reduce", "complex"],
    &["matrix"],
    &["custom"],
    &["space"],
    &["drivers"],
    &["check"],
];

/// Files over 400 lines, and why.
const LONG: [(&str, &str); 0] = [];

/// The source files with their text.
fn sources() -> Vec<(PathBuf, String)> {
    fn collect(folder: &Path, into: &mut Vec<PathBuf>) {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() { collect(&path, into) } else { into.push(path) }
        }
    }
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut paths = Vec::new();
    collect(&root, &mut paths);
    paths.sort();
    let local = |p: &PathBuf| p.strip_prefix(&root).unwrap().to_path_buf();
    paths.iter().map(|p| (local(p), fs::read_to_string(p).unwrap())).collect()
}

/// The lines of code: no comments, no documentation.
fn code(text: &str) -> impl Iterator<Item = &str> {
    text.lines().map(|l| l.split("//").next().unwrap()).filter(|l| !l.trim().is_empty())
}

/// The module of a file, the first component of its path.
fn module(path: &Path) -> String {
    let first = path.components().next().unwrap().as_os_str().to_str().unwrap();
    first.trim_end_matches(".rs").to_string()
}

fn layer(module: &str) -> Option<usize> {
    LAYERS.iter().position(|l| l.contains(&module))
}

#[test]
fn imports_run_one_way() {
    for (path, text) in sources() {
        let Some(own) = layer(&module(&path)) else { continue };
        for line in code(&text) {
            // Names re-exported for users are no import: `forward` shows the drivers of its mode, `primitive` the
            // forms of rules.
            if line.contains("pub use crate::drivers::") || line.contains("pub use crate::custom::") {
                continue;
            }
            for used in line.split("crate::").skip(1) {
                let name: String = used.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect();
                if let Some(other) = layer(&name) {
                    assert!(other <= own, "{}: layer {own} imports layer {other}: {line}", path.display());
                }
            }
        }
    }
}

#[test]
fn every_module_has_a_layer() {
    for (path, _) in sources() {
        let name = module(&path);
        assert!(name == "lib" || layer(&name).is_some(), "{} belongs to no layer", path.display());
    }
}

#[test]
fn foreign_crates_stay_in_their_files() {
    for (path, text) in sources() {
        let homes = ["custom", "drivers", "matrix", "space", "foreign/nalgebra.rs", "number/machine.rs"];
        let at_home = homes.iter().any(|home| path.starts_with(home));
        for line in code(&text).filter(|_| !at_home) {
            let named = line.contains("nalgebra::") || line.contains("simba::");
            assert!(!named, "{} names nalgebra: {line}", path.display());
        }
    }
}

#[test]
fn number_types_hold_no_formula() {
    let functions =
        ["sin", "cos", "tan", "exp", "ln", "sqrt", "tanh", "powf", "powi", "atan2", "hypot", "cosh"];
    for (path, text) in sources().iter().filter(|(p, _)| p.starts_with("forward")) {
        for line in code(text) {
            let used = functions.iter().find(|f| line.contains(&format!(".{f}(")));
            assert!(used.is_none(), "{} calls an elementary function: {line}", path.display());
        }
    }
}

#[test]
fn files_say_what_they_are_for_and_stay_short() {
    for (path, text) in sources() {
        assert!(text.starts_with("//!"), "{} does not say what it is for", path.display());
        let name = path.file_stem().unwrap().to_str().unwrap();
        assert!(!["utils", "util", "common", "helpers", "misc"].contains(&name), "{name}: name the content");
        let excused = LONG.iter().any(|(long, _)| path.ends_with(long));
        let lines = text.lines().count();
        assert!(lines <= 400 || excused, "{} has {lines} lines: a reason, or a better cut", path.display());
    }
}

#[test]
fn unsafe_code_stays_in_its_two_files() {
    for (path, text) in sources() {
        let found = code(&text).any(|l| l.contains("unsafe ") && !l.contains("deny("));
        // One trait of nalgebra demands it; the table of live tapes records two to three times faster by it.
        let argued = path.ends_with("foreign/nalgebra.rs") || path.ends_with("reverse/slots.rs");
        assert!(!found || argued, "unsafe in {}", path.display());
    }
}

#[test]
fn nothing_is_left_open() {
    for (path, text) in sources() {
        let open = code(&text).find(|l| l.contains("todo!") || l.contains("unimplemented!"));
        assert!(open.is_none(), "{}: {}", path.display(), open.unwrap());
    }
}

/// Features that leave the crate without elementary functions: the compiler says so, and nothing else. (No other crate
/// is found here, so any module that takes part is an error.)
#[test]
fn missing_elementary_functions_are_one_error() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let rustc = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    for features in [&[][..], &["--cfg", "feature=\"nalgebra\""]] {
        let mut compile = std::process::Command::new(&rustc);
        compile.args([
            "--crate-type",
            "lib",
            "--edition",
            "2024",
            "--emit",
            "metadata",
            "--error-format",
            "short",
        ]);
        let compile = compile.args(features).arg(root.join("src/lib.rs"));
        let text =
            compile.args(["--out-dir", env!("CARGO_TARGET_TMPDIR")]).output().expect("a compiler").stderr;
        let text = String::from_utf8_lossy(&text).into_owned();
        let errors: Vec<&str> = text.lines().filter(|l| l.contains(": error")).collect();
        assert!(errors.len() == 1 && errors[0].contains("enable its feature `std` or `libm`"), "{text}");
    }
}

/// Types that users cannot name are made `From` nothing: the compiler lists such impls in errors of code that leaves open
/// what a number becomes.
#[test]
fn private_types_have_no_conversions() {
    let word = |text: &str| text.chars().take_while(|c| c.is_alphanumeric()).collect::<String>();
    for (path, text) in sources() {
        let kinds = ["struct ", "enum ", "pub(super) struct ", "pub(super) enum ", "pub(crate) struct "];
        let named = |line: &str| kinds.iter().find_map(|kind| line.strip_prefix(kind)).map(word);
        let private: Vec<String> = code(&text).filter_map(named).collect();
        for line in code(&text).filter(|line| line.starts_with("impl")) {
            let Some((of, on)) = line.split_once(" for ") else { continue };
            let listed = of.split([' ', '>']).any(|part| part.starts_with("From<"))
                && private.contains(&word(on.trim_start_matches('&')));
            assert!(!listed, "{}: {line}", path.display());
        }
    }
}
