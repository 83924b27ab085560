//! Machine functions that std lacks, as the source code that this crate itself is compiled from.

use std::collections::BTreeMap;

use crate::programs::direct;

/// The files that have them.
const FILES: [&str; 7] = [
    include_str!("../../rules/special/mod.rs"),
    include_str!("../../rules/special/bessel.rs"),
    include_str!("../../rules/special/beta.rs"),
    include_str!("../../rules/special/dd.rs"),
    include_str!("../../rules/special/gamma.rs"),
    include_str!("../../rules/special/incomplete.rs"),
    include_str!("../../rules/special/normal.rs"),
];

/// An item of a file.
struct Item {
    name: String,
    text: String,
    file: usize,
}

/// A line without visibility and without the path of a neighbour.
fn plain(line: &str) -> String {
    let mut line = line.replace(concat!("super", "::"), "");
    for visibility in ["pub(crate) ", "pub(super) ", "pub "] {
        line = line.replace(visibility, "");
    }
    line
}

/// What an item is called: for implementations, the type.
fn name_of(head: &str) -> Option<String> {
    let words: Vec<&str> =
        head.split(|c: char| !c.is_alphanumeric() && c != '_').filter(|word| !word.is_empty()).collect();
    let after = |word: &str| words.iter().position(|w| *w == word).and_then(|i| words.get(i + 1));
    let found = match *words.first()? {
        "impl" => after("for").or(words.get(1)),
        // The variants of an enumeration.
        "use" if words.get(1).is_some_and(|word| word.starts_with(char::is_uppercase)) => words.get(1),
        "const" if words.get(1) == Some(&"fn") => words.get(2),
        "fn" | "const" | "static" | "struct" | "enum" | "type" => words.get(1),
        _ => None,
    };
    found.map(|name| name.to_string())
}

fn items() -> Vec<Item> {
    let mut items = Vec::new();
    for (file, text) in FILES.iter().enumerate() {
        let mut lines = text.lines().filter(|line| !line.starts_with("//!")).peekable();
        let mut above = String::new();
        while let Some(line) = lines.next() {
            let head = plain(line);
            if head.starts_with("///") || head.starts_with("#[") {
                above += &format!("{head}\n");
                continue;
            }
            let mut text = std::mem::take(&mut above) + &head + "\n";
            let is_whole = |line: &str| line.ends_with(';') || line.ends_with('}') || line.is_empty();
            if !is_whole(&head) {
                for line in lines.by_ref() {
                    text += &format!("{}\n", plain(line));
                    if line.starts_with(['}', ']']) || head.ends_with('=') && line.ends_with(';') {
                        break;
                    }
                }
            }
            if let Some(name) = name_of(&head) {
                items.push(Item {
                    name,
                    text: text.replacen("", "#[rustfmt::skip]\n#[allow(dead_code)]\n", 1),
                    file,
                });
            }
        }
    }
    items
}

/// Whether the word occurs in the text.
fn mentions(text: &str, word: &str) -> bool {
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    text.match_indices(word).any(|(at, _)| {
        let (before, after) = (text[..at].chars().next_back(), text[at + word.len()..].chars().next());
        !before.is_some_and(is_part) && !after.is_some_and(is_part)
    })
}

/// The function of this name with all items that it uses; or what it lacks.
pub(super) fn closure(name: &str, libm: bool) -> Result<BTreeMap<String, String>, &'static str> {
    let items = items();
    let function = |item: &Item| item.name == name && item.text.contains(&format!("fn {name}("));
    let first = items.iter().position(function).ok_or("source code")?;
    let (mut found, mut open) = (vec![first], vec![first]);
    while let Some(next) = open.pop() {
        for (i, item) in items.iter().enumerate() {
            let code = items[next].text.lines().filter(|line| !line.trim_start().starts_with("//"));
            if found.contains(&i) || !code.into_iter().any(|line| mentions(line, &item.name)) {
                continue;
            }
            let own = items.iter().any(|other| other.name == item.name && other.file == items[next].file);
            if !own || item.file == items[next].file {
                found.push(i);
                open.push(i);
            }
        }
    }
    let mut texts = BTreeMap::new();
    for &i in &found {
        let text = if libm { items[i].text.clone() } else { with_std(&items[i].text)? };
        // (A type and its implementations have one name.)
        let twin = found.iter().any(|&j| items[j].name == items[i].name && items[j].file != items[i].file);
        if twin {
            return Err("source code");
        }
        *texts.entry(items[i].name.clone()).or_insert_with(String::new) += &text;
    }
    Ok(texts)
}

/// The text with functions of std instead of libm's.
fn with_std(text: &str) -> Result<String, &'static str> {
    let mut parts = text.split("libm::");
    let mut out = parts.next().unwrap_or_default().to_string();
    for part in parts {
        let name: String = part.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect();
        let method = direct::method_of(&name).ok_or("source code with std alone")?;
        out += &format!("f64::{method}{}", &part[name.len()..]);
    }
    Ok(out)
}

/// The lines that import what the items use of core.
pub(super) fn imports<'a>(items: impl Iterator<Item = &'a str>) -> String {
    let items: Vec<&str> = items.collect();
    let mut names: Vec<(&str, &str)> = Vec::new();
    for line in FILES.iter().flat_map(|text| text.lines()).filter_map(|line| line.strip_prefix("use core::"))
    {
        let Some((path, list)) = line.trim_end_matches(';').rsplit_once("::") else { continue };
        for name in list.trim_matches(['{', '}']).split(", ") {
            // (Sums and products of a type are operators: the text has `impl Add for`.)
            let defines = |item: &&str| item.contains(&format!("const {name}:"));
            if items.iter().any(|item| mentions(item, name)) && !items.iter().any(defines) {
                names.push((path, name));
            }
        }
    }
    names.sort_unstable();
    names.dedup();
    names.into_iter().map(|(path, name)| format!("use core::{path}::{name};\n")).collect()
}
