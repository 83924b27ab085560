//! Files that import each other: only the listed ones.

use std::collections::{BTreeMap, BTreeSet};

use super::{code, sources};

/// The groups of files that define each other, and why.
const MEANT: [(&[&str], &str); 9] = [
    (
        &[
            "lift",
            "lift::guard",
            "lift::operation",
            "lift::series",
            "number",
            "number::layout",
            "number::primal",
            "number::real",
            "number::wide",
            "rules",
            "rules::boundary",
            "rules::complex",
            "rules::differentiated",
        ],
        "a number's methods are rows of the table and run primitives; rules and primitives are generic over numbers",
    ),
    (
        &[
            "duals::taylor",
            "duals::taylor::composition",
            "duals::taylor::density",
            "duals::taylor::dynamic",
            "duals::taylor::few",
            "duals::taylor::kernels",
            "duals::taylor::lift",
            "duals::taylor::nested",
            "duals::taylor::powers",
            "duals::taylor::primitive",
            "duals::taylor::recurrences",
            "duals::taylor::rule",
        ],
        "formulas of derivatives are evaluated at series that know their order, which are series with one number more",
    ),
    (&["tapes::misuse", "tapes::record", "tapes::slots"], "a refusal says whether the other tape is open"),
    (
        &[
            "drivers::mode",
            "drivers::modes::finite_difference",
            "drivers::modes::forward",
            "drivers::modes::packed",
            "drivers::modes::reverse",
            "drivers::modes::second_order",
            "drivers::tables",
        ],
        "the module of modes shows them all, and each implements its trait",
    ),
    (
        &[
            "drivers::call",
            "drivers::forms",
            "drivers::function",
            "drivers::vector_function",
            "drivers::work",
        ],
        "the methods of a function object are drivers, and drivers take function objects",
    ),
    (
        &["programs::source::lines", "programs::source::piecewise", "programs::source::rules"],
        "a line may call a derivative, which is a function of lines",
    ),
    (
        &["programs::exec", "programs::exec::instrs", "programs::program"],
        "a program keeps its executable, and an executable of plain products the program that it runs where one is not \
         finite; its instructions check its guards and run its calls",
    ),
    (
        &["programs::linear", "programs::linear_calls"],
        "functions of many numbers are operations of a linear program, and make such operations",
    ),
    (
        &["programs::builder", "programs::op", "programs::rules", "programs::traced"],
        "a rule's derivative is formed at the number that records it",
    ),
];

/// A path by its segments.
type Path = Vec<String>;

struct House {
    /// The text of each module, without comments and tests.
    texts: BTreeMap<Path, String>,
    /// The names that a module re-exports from others.
    shown: BTreeMap<Path, BTreeMap<String, Path>>,
}

fn segments(path: &str) -> Path {
    path.split("::").map(|s| s.trim().to_string()).filter(|s| !s.is_empty()).collect()
}

/// The paths of a `use`, which may hold lists.
fn expanded(tree: &str) -> Vec<String> {
    let tree = tree.trim();
    let Some((before, list)) = tree.split_once('{') else {
        return vec![tree.split(" as ").next().unwrap().trim().to_string()];
    };
    let (mut items, mut depth) = (vec![String::new()], 0);
    for c in list[..list.rfind('}').unwrap()].chars() {
        depth += i32::from(c == '{') - i32::from(c == '}');
        if c == ',' && depth == 0 { items.push(String::new()) } else { items.last_mut().unwrap().push(c) }
    }
    let items = items.iter().filter(|item| !item.trim().is_empty());
    items.flat_map(|item| expanded(&format!("{before}{}", item.trim()))).collect()
}

impl House {
    fn new() -> Self {
        let mut texts = BTreeMap::new();
        for (path, text) in sources() {
            let mut module = segments(&path.with_extension("").to_str().unwrap().replace('/', "::"));
            if module.last().is_some_and(|name| name == "mod") {
                module.pop();
            }
            if module != ["lib"] {
                let text = code(&text).collect::<Vec<_>>().join("\n");
                texts.insert(module, text.split("#[cfg(test)]\nmod tests {").next().unwrap().to_string());
            }
        }
        let mut house = House { texts, shown: BTreeMap::new() };
        for module in house.texts.keys() {
            let pairs = house.uses(module).into_iter().filter(|(is_shown, _)| *is_shown);
            let by_name = pairs.map(|(_, path)| (path.last().unwrap().clone(), path)).collect();
            house.shown.insert(module.clone(), by_name);
        }
        house
    }
    /// The path from the root of the crate; `None` for a path of another crate.
    fn absolute(&self, module: &[String], path: &str) -> Option<Path> {
        let path = segments(path);
        let ups = path.iter().take_while(|s| *s == "super").count();
        match path.first()?.as_str() {
            "crate" => Some(path[1..].to_vec()),
            "self" => Some([module, &path[1..]].concat()),
            "super" => Some([&module[..module.len() - ups], &path[ups..]].concat()),
            child => {
                let is_child = self.texts.contains_key(&[module, &[child.to_string()]].concat());
                is_child.then(|| [module, &path[..]].concat())
            }
        }
    }
    /// The imports of a module, and whether it re-exports them.
    fn uses(&self, module: &[String]) -> Vec<(bool, Path)> {
        let mut found = Vec::new();
        for statement in self.texts[module].split(';') {
            // At the start of a line, perhaps after `pub`: the word may also be in a text.
            let is_keyword = |at: &usize| {
                let before = statement[..*at].rsplit('\n').next().unwrap().trim();
                before.is_empty() || before.starts_with("pub")
            };
            if let Some(at) = statement.match_indices("use ").map(|(at, _)| at).filter(is_keyword).last() {
                let is_shown = statement[..at].trim_end().ends_with(['b', ')']);
                let paths = expanded(&statement[at + 4..]);
                found.extend(paths.iter().filter_map(|p| Some((is_shown, self.absolute(module, p)?))));
                continue;
            }
            for root in ["crate::", "super::"] {
                for (at, _) in statement.match_indices(root) {
                    let inner = at > 0 && statement[..at].ends_with([':', '$']);
                    let rest = &statement[at..];
                    let end = rest.find(|c: char| !c.is_alphanumeric() && !"_:".contains(c));
                    let path = rest[..end.unwrap_or(rest.len())].trim_end_matches(':');
                    found.extend((!inner).then(|| self.absolute(module, path)).flatten().map(|p| (false, p)));
                }
            }
        }
        found.retain(|(_, path)| !path.is_empty());
        found
    }
    /// The file that defines what the path names.
    fn home(&self, path: &[String], depth: usize) -> Option<Path> {
        let known = (1..=path.len()).rev().find(|&k| self.texts.contains_key(&path[..k]))?;
        let module = path[..known].to_vec();
        let shown = path.get(known).and_then(|name| self.shown.get(&module)?.get(name));
        match shown {
            Some(target) if depth < 6 => self.home(&[target, &path[known + 1..]].concat(), depth + 1),
            _ => Some(module),
        }
    }
    /// The imports of each file.
    fn imports(&self) -> BTreeMap<Path, BTreeSet<Path>> {
        let of = |module: &Path| {
            let uses = self.uses(module).into_iter();
            // A re-export of the module's own children is no import.
            let used = uses.filter(|(is_shown, path)| !(*is_shown && path.starts_with(module)));
            let homes = used.filter_map(|(_, path)| self.home(&path, 0));
            (module.clone(), homes.filter(|home| home != module).collect())
        };
        self.texts.keys().map(of).collect()
    }
}

/// All that a file reaches by imports.
fn reached(from: &Path, imports: &BTreeMap<Path, BTreeSet<Path>>) -> BTreeSet<Path> {
    let (mut seen, mut open) = (BTreeSet::new(), vec![from.clone()]);
    while let Some(module) = open.pop() {
        for next in imports.get(&module).into_iter().flatten() {
            if seen.insert(next.clone()) {
                open.push(next.clone());
            }
        }
    }
    seen
}

#[test]
fn files_import_each_other_only_where_they_are_meant_to() {
    let imports = House::new().imports();
    let reach: BTreeMap<&Path, BTreeSet<Path>> = imports.keys().map(|m| (m, reached(m, &imports))).collect();
    let mut circles = BTreeSet::new();
    for (module, all) in &reach {
        if all.contains(*module) {
            let back = all.iter().filter(|other| reach[other].contains(*module));
            circles.insert(back.map(|m| m.join("::")).collect::<Vec<_>>());
        }
    }
    let meant: BTreeSet<Vec<String>> =
        MEANT.iter().map(|(files, _)| files.iter().map(|f| f.to_string()).collect()).collect();
    let (new, gone) = (circles.difference(&meant), meant.difference(&circles));
    let (new, gone): (Vec<_>, Vec<_>) = (new.collect(), gone.collect());
    assert!(new.is_empty() && gone.is_empty(), "new circles {new:#?}\nmeant, but no more {gone:#?}");
}
