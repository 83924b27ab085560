//! The rules of the house that a program can check: layers import one way, number types hold no formulas, foreign
//! crates stay in their files, every file states its purpose.

#[path = "house/circles.rs"]
mod circles;
#[path = "house/sentences.rs"]
mod sentences;

use std::fs;
use std::path::{Path, PathBuf};

/// The layers from the ground up; modules of one line may see each other.
const LAYERS: [&[&str]; 13] = [
    &["error", "error_text", "linear_map", "pool", "source_line"],
    &["number", "rules", "lift"],
    &["foreign"],
    &["duals"],
    &["tapes"],
    &["reduce", "complex_functions"],
    &["matrix"],
    &["primitive"],
    &["space"],
    &["programs"],
    &["drivers"],
    &["check"],
    &["guide", "macros"],
];

/// The layers within `matrix` from the ground up; the operations, and tests of the rules, are all its other files.
const MATRIX_LAYERS: [&[&str]; 3] = [&["entry", "op", "shapes", "sizes"], &["kernels"], &["rules"]];

/// Files over 400 lines, and why.
const LONG: [(&str, &str); 0] = [];

/// The source files of the library with their text.
fn sources() -> Vec<(PathBuf, String)> {
    sources_in("src")
}

fn sources_in(folder: &str) -> Vec<(PathBuf, String)> {
    fn collect(folder: &Path, into: &mut Vec<PathBuf>) {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() { collect(&path, into) } else { into.push(path) }
        }
    }
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join(folder);
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
            for used in line.split("crate::").skip(1) {
                let name: String = used.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect();
                if let Some(other) = layer(&name) {
                    assert!(other <= own, "{}: layer {own} imports layer {other}: {line}", path.display());
                }
            }
        }
    }
}

/// The names after `before` in a line: one, or the names of a list.
fn names_after<'a>(line: &'a str, before: &str) -> Vec<&'a str> {
    let name = |text: &'a str| text.split(|c: char| !c.is_alphanumeric() && c != '_').next().unwrap();
    let listed = |rest: &'a str| match rest.strip_prefix('{') {
        Some(list) => list.split(',').map(|item| name(item.trim_start())).collect(),
        None => vec![name(rest)],
    };
    line.split(before).skip(1).flat_map(listed).collect()
}

#[test]
fn operations_on_matrices_use_rules_and_rules_use_kernels() {
    let layer = |name: &str| MATRIX_LAYERS.iter().position(|l| l.contains(&name)).unwrap_or(3);
    for (path, text) in sources() {
        let Ok(inside) = path.strip_prefix("matrix") else { continue };
        let own = layer(&module(inside));
        if own == 3 {
            continue; // operations see everything
        }
        let imported = |line| [names_after(line, "matrix::"), names_after(line, "super::super::")].concat();
        for line in code(&text) {
            let above = imported(line).into_iter().find(|name| layer(name) > own);
            assert!(above.is_none(), "{} imports {above:?}, which is above it: {line}", path.display());
        }
    }
}

#[test]
fn rules_of_matrices_state_value_tangent_and_cotangent() {
    for (path, text) in sources() {
        if !path.starts_with("matrix/rules") || path.ends_with("mod.rs") {
            continue;
        }
        let stated: Vec<_> = text.lines().take_while(|l| l.starts_with("//!")).collect();
        let at = |word: &str| stated.iter().position(|l| l.starts_with(&format!("//! {word} ")));
        let in_order =
            at("value").is_some() && at("value") < at("tangent") && at("tangent") < at("cotangent");
        assert!(in_order, "{} does not state its rule above its code", path.display());
    }
}

/// Words that say how things stand to each other, not what they are.
const NO_NAMES: &str = "Along Around At Back Before Both Few First Half In Keep Late Many More Of On One Onto Open Out Over \
    Plain Single Split Through Whole Wide Within";

/// One name, one thing: structs, enums and traits of all layers, also in functions and macros. A name is a noun, also that
/// of an alias.
#[test]
fn types_have_names_of_their_own() {
    let mut seen: Vec<(String, PathBuf)> = Vec::new();
    let mut wrong = Vec::new();
    for (path, text) in sources() {
        for line in
            code(&text).filter(|line| !line.trim_start().starts_with("type ") || line.starts_with("type "))
        {
            let line = line.trim_start();
            let line = line.trim_start_matches("pub(crate) ").trim_start_matches("pub(super) ");
            let line = line.strip_prefix("pub ").unwrap_or(line);
            let kinds = ["struct ", "enum ", "trait ", "type "];
            let Some(rest) = kinds.iter().find_map(|kind| line.strip_prefix(kind)) else { continue };
            let name: String = rest.chars().take_while(|c| c.is_alphanumeric()).collect();
            if NO_NAMES.split_whitespace().any(|word| word == name) {
                wrong.push(format!("{name} in {} is no noun", path.display()));
            }
            if line.starts_with("type ") || name.is_empty() {
                continue;
            }
            // BLAS's `op(A)` in `matrix`, and an operation in `programs`.
            if let Some((_, other)) = seen.iter().find(|(n, _)| *n == name && name != "Op") {
                wrong.push(format!("{name}: {} and {}", path.display(), other.display()));
            }
            seen.push((name, path.clone()));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// The list of tests of matrix functions, and of rotations, has all that users call.
#[test]
fn functions_of_matrices_are_in_the_lists_of_their_tests() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests");
    let lists =
        ["matrices/functions.rs", "rotation/checks.rs"].map(|l| fs::read_to_string(root.join(l)).unwrap());
    for (path, text) in sources() {
        let folder = path.parent().unwrap();
        if folder != Path::new("matrix") && folder != Path::new("matrix/rotation") {
            continue;
        }
        for line in text.lines().filter(|line| line.starts_with("pub fn ")) {
            let name = names_after(line, "pub fn ")[0];
            let tested = lists.iter().any(|list| list.contains(&format!("::{name}(")));
            assert!(tested, "{name} of {} is in no list of functions of the tests", path.display());
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
        let homes = [
            "primitive",
            "drivers",
            "matrix",
            "space",
            "foreign/nalgebra.rs",
            "number/primal.rs",
            "check/scenarios/matrices.rs",
        ];
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
    for (path, text) in sources().iter().filter(|(p, _)| p.starts_with("duals")) {
        for line in code(text) {
            let used = functions.iter().find(|f| line.contains(&format!(".{f}(")));
            assert!(used.is_none(), "{} calls an elementary function: {line}", path.display());
        }
    }
}

#[test]
fn files_say_what_they_are_for_and_stay_short() {
    for (path, text) in [sources(), sources_in("macros/src")].concat() {
        assert!(text.starts_with("//!"), "{} does not say what it is for", path.display());
        let name = path.file_stem().unwrap().to_str().unwrap();
        assert!(!["utils", "util", "common", "helpers", "misc"].contains(&name), "{name}: name the content");
        let excused = LONG.iter().any(|(long, _)| path.ends_with(long));
        let lines = text.lines().count();
        assert!(lines <= 400 || excused, "{} has {lines} lines: a reason, or a better cut", path.display());
    }
}

/// The lines of code of each folder, without blank lines and comments, at most: growth is a decision, seen in a
/// change of this table. `drivers` excludes the two folders in it that have their own rows, `macros` is the package of the
/// attributes, `rest` is the files outside of folders.
const BUDGETS: [(&str, usize); 17] = [
    ("check", 2_569),
    ("drivers", 4_780),
    ("drivers/sparse", 712),
    ("drivers/sums", 3_380),
    ("duals", 2_773),
    ("foreign", 1_042),
    ("lift", 488),
    ("macros", 4_716),
    ("matrix", 9_084),
    ("number", 1_696),
    ("primitive", 1_106),
    ("programs", 7_918),
    ("reduce", 419),
    ("rest", 948),
    ("rules", 3_916),
    ("space", 1_511),
    ("tapes", 3_442),
];

#[test]
fn folders_keep_to_their_budgets() {
    let mut lines = std::collections::BTreeMap::<String, usize>::new();
    let of_macros =
        sources_in("macros/src").into_iter().map(|(path, text)| (Path::new("macros").join(path), text));
    for (path, text) in sources().into_iter().chain(of_macros) {
        let parts: Vec<_> = path.iter().map(|part| part.to_str().unwrap()).collect();
        let folder = match parts[..] {
            [_] => "rest".to_string(),
            ["drivers", folder @ ("sparse" | "sums"), ..] => format!("drivers/{folder}"),
            [folder, ..] => folder.to_string(),
            [] => unreachable!("a file has a name"),
        };
        *lines.entry(folder).or_default() += code(&text).count();
    }
    for (folder, lines) in lines {
        let budget = BUDGETS.iter().find(|(name, _)| *name == folder);
        let &(_, budget) = budget.unwrap_or_else(|| panic!("{folder} has no budget"));
        assert!(lines <= budget, "{folder} has {lines} lines of code, its budget is {budget}");
        assert!(
            lines + 100 > budget,
            "{folder} has {lines} lines of code: its budget of {budget} can be lower"
        );
    }
}

/// The picture of the layers in ARCHITECTURE.md shows the sizes of the folders.
#[test]
fn the_picture_of_the_layers_has_the_sizes() {
    let text = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("ARCHITECTURE.md")).unwrap();
    let size_of = |name: &str| {
        let of_folder = |(folder, _): &&(&str, usize)| folder.split('/').next() == Some(name);
        BUDGETS.iter().filter(of_folder).map(|(_, lines)| lines).sum::<usize>()
    };
    let mut seen = 0;
    for (names, rest) in text.lines().filter_map(|line| line.split_once("[\"")?.1.split_once(" · ")) {
        let shown: usize = rest.split("<br>").next().unwrap().parse().unwrap();
        let lines: usize = names.replace(" (feature)", "").split(", ").map(size_of).sum();
        // Files outside of folders have one budget for all.
        let is_known = names.split(", ").all(|name| size_of(name.split(' ').next().unwrap()) > 0);
        assert!(!is_known || shown.abs_diff(lines) <= 100, "{names}: {shown} shown, {lines} are its budget");
        seen += usize::from(is_known);
    }
    assert!(seen >= 10, "{seen} sizes are shown");
}

/// Tests of nested duals compile in a third of the time and half of the memory if code without optimisation calls the
/// operators instead of inlining them; other tests compile in 0.88 of the time if it calls everything.
#[test]
fn functions_are_calls_without_optimisation() {
    for (path, text) in sources() {
        assert!(
            !text.contains("#[inline(always)]"),
            "{}: write #[cfg_attr(not(debug_assertions), inline(always))]",
            path.display()
        );
    }
}

#[test]
fn unsafe_code_stays_in_its_eight_files() {
    for (path, text) in sources() {
        let found = code(&text).any(|l| l.contains("unsafe ") && !l.contains("deny("));
        // One trait of nalgebra demands it. The table of live tapes records two to three times faster by it. An empty
        // line of assembly makes lanes up to four times faster under AVX-512. Machine code is called and freed.
        // Instructions find the slots that were checked when they were made. Kernels use the registers that the
        // processor has. Rules are told apart by their bits. The system is advised to use large pages: the first gradient of a
        // long tape takes half of the time.
        let argued = [
            "foreign/nalgebra.rs",
            "tapes/slots.rs",
            "duals/lanes_stay.rs",
            "programs/jit/memory.rs",
            "programs/exec/instrs.rs",
            "programs/rows/kernels.rs",
            "rules/identity.rs",
            "tapes/pages.rs",
        ];
        let argued = argued.iter().any(|file| path.ends_with(file));
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

/// Features that leave the crate without elementary functions: the compiler reports this, and nothing else. No other
/// crate is found here, so any module that takes part is an error.
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

/// Types that users cannot name are made `From` nothing. The compiler would list such impls in the errors of code
/// that leaves the target type open.
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

/// The pages of the guide: each is a module, in the table of contents, and has its links defined, for rustdoc in
/// `src/guide.rs` and for a code host at its end.
#[test]
fn pages_of_the_guide_are_complete() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let modules = fs::read_to_string(root.join("src/guide.rs")).unwrap();
    let contents = fs::read_to_string(root.join("docs/guide/README.md")).unwrap();
    for entry in fs::read_dir(root.join("docs/guide")).unwrap() {
        let path = entry.unwrap().path();
        let (name, page) = (path.file_stem().unwrap().to_str().unwrap(), fs::read_to_string(&path).unwrap());
        if name != "README" {
            let listed = modules.split("pages! {").skip(1).flat_map(str::split_whitespace).any(|m| m == name);
            assert!(listed, "{name} is no module of the guide");
            assert!(contents.contains(&format!("]: {name}.md")), "{name} is not in the table of contents");
        }
        let text: String = page.split("```").step_by(2).collect();
        for label in text.split('[').skip(1).filter_map(|t| t.split_once(']')).map(|(label, _)| label) {
            // A link's text is a name in backticks or the title of a page; other brackets are code.
            let title = modules.contains(&format!("//! [{label}]: "));
            let named = label.len() > 2 && label.starts_with('`') && label.ends_with('`');
            if !title && !named {
                continue;
            }
            let definition = format!("\n[{label}]: ");
            assert!(page.contains(&definition), "{name}: [{label}] is not defined at its end");
            assert!(modules.contains(&definition), "{name}: [{label}] is not defined in src/guide.rs");
        }
        // rustdoc knows the pages by their definitions in `src/guide.rs` only.
        let mut inline = text.split("](").skip(1).filter_map(|rest| rest.split(')').next());
        let inline = inline.find(|target| !target.starts_with("https://") && target.contains(".md"));
        assert!(inline.is_none(), "{name}: the link to {inline:?} is written inline: define it at the end");
        let definitions = text.lines().filter(|l| l.starts_with('['));
        for target in definitions.filter_map(|l| l.split_once("]: ")).map(|(_, target)| target) {
            let known = target.starts_with("https://") || path.with_file_name(target).exists();
            assert!(known, "{name} leads to {target}, which is not there");
        }
    }
}

/// The first pages of a reader are short, and all examples fit the page of a browser.
#[test]
fn readme_and_examples_fit() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let pages = fs::read_dir(root.join("docs/guide")).unwrap().map(|entry| entry.unwrap().path());
    let readme = root.join("README.md");
    for (file, most) in [("README.md", 150), ("ARCHITECTURE.md", 160)] {
        let lines = fs::read_to_string(root.join(file)).unwrap().lines().count();
        assert!(lines <= most, "{file} has {lines} lines, {most} at most");
    }
    let texts = pages.chain([readme]).map(|path| (path.clone(), fs::read_to_string(path).unwrap()));
    let mut shown = texts.collect::<Vec<_>>();
    for (path, text) in sources() {
        let comments =
            text.lines().map(str::trim_start).filter(|l| l.starts_with("///") || l.starts_with("//!"));
        shown.push((
            path,
            comments.map(|l| format!("{}\n", l[3..].strip_prefix(' ').unwrap_or(""))).collect(),
        ));
    }
    for (path, text) in &shown {
        let lines: Vec<&str> = text.lines().collect();
        for line in lines.split(|l| l.trim_start().starts_with("```")).skip(1).step_by(2).flatten() {
            let hidden = line.starts_with("# ");
            let fits = hidden || line.chars().count() <= 90;
            assert!(fits, "{}: an example of over 90 columns: {line}", path.display());
        }
    }
}
