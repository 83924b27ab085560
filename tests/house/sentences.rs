//! Phrases that make a reader stop, in comments and documents, and how many of each may be left.

use std::fs;
use std::path::{Path, PathBuf};

/// The most lines that may have a phrase, and the phrases. `^` is the beginning of a sentence, `.)` the end of one in
/// parentheses.
const STUMBLES: [(usize, &[&str]); 12] = [
    (0, &[".)"]),
    (0, &["^what", "^the same", "so many"]),
    (2, &["what is", "what was", "what has", "what comes", "what they", "what it", "what each", "what else"]),
    (15, &["former", "those of", "those that", "those which", "those from", "those with", "that of"]),
    (0, &["stand", "stands", "stood", "for nothing", "but for", "but by"]),
    (3, &["ask", "asks", "asked", "question", "questions", "answer", "answers"]),
    (
        0,
        &[
            "worked out",
            "works out",
            "handed over",
            "hands over",
            "handed on",
            "looked at",
            "looks at",
            "goes on",
        ],
    ),
    (0, &["meet", "meets", "met", "say", "says", "said", "know", "knows"]),
    (0, &["law", "laws"]),
    (18, &["slope", "slopes"]),
    (1, &["behind", "beside"]),
    (0, &["one after the other", "one by one", "side by side", "at once"]),
];

/// The lines of prose: comments of Rust or a document, without code in fences.
fn prose((path, text): (PathBuf, String)) -> Vec<(PathBuf, String)> {
    let is_rust = path.extension().is_some_and(|e| e == "rs");
    let comment = |line: &str| {
        let (code, comment) = line.split_once("//")?;
        let is_comment = code.trim().is_empty() || code.ends_with(' ') && !comment.contains('"');
        is_comment.then(|| comment.trim_start_matches(['/', '!']).trim().to_lowercase())
    };
    let line = |line: &str| if is_rust { comment(line) } else { Some(line.trim().to_lowercase()) };
    let mut fenced = false;
    let mut is_prose = |line: &String| {
        fenced ^= line.starts_with("```");
        !fenced
    };
    text.lines().filter_map(line).filter(|l| is_prose(l)).map(|line| (path.clone(), line)).collect()
}

/// Whether a line has the words of a phrase.
fn has(line: &str, phrase: &str) -> bool {
    let (words, begins) = (phrase.trim_start_matches('^'), phrase.starts_with('^'));
    let is_word = |c: Option<char>| c.is_some_and(|c| c.is_alphanumeric() || c == '_');
    line.match_indices(words).any(|(at, _)| {
        let (before, after) = (&line[..at], &line[at + words.len()..]);
        let is_beginning = at == 0 || before.ends_with(". ") || before.ends_with(": ");
        let is_whole = !is_word(before.chars().next_back()) && !is_word(after.chars().next());
        (is_whole || words == ".)") && (is_beginning || !begins)
    })
}

#[test]
fn sentences_are_plain() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let in_folder =
        |folder: &str| fs::read_dir(root.join(folder)).unwrap().map(|entry| entry.unwrap().path());
    let documents = ["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "SECURITY.md"].map(|d| root.join(d));
    let documents = documents.into_iter().chain(in_folder("docs")).chain(in_folder("docs/guide"));
    let documents = documents.filter(|path| path.extension().is_some_and(|e| e == "md"));
    let texts = documents.map(|path| (path.clone(), fs::read_to_string(path).unwrap()));
    let lines: Vec<_> = super::sources().into_iter().chain(texts).flat_map(prose).collect();
    for (most, phrases) in STUMBLES {
        let found: Vec<String> = lines
            .iter()
            .filter(|(_, line)| phrases.iter().any(|phrase| has(line, phrase)))
            .map(|(path, line)| format!("{}: {line}", path.display()))
            .collect();
        let count = found.len();
        assert!(
            count <= most,
            "{count} lines with one of {phrases:?}, {most} at most:\n{}",
            found.join("\n")
        );
    }
}
