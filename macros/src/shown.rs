//! The generated code in the documentation of `#[generic]` is what the attribute generates.

use proc_macro2::TokenStream;

use crate::generic;

/// The code blocks of a section of documentation, without the lines that are hidden.
fn blocks(docs: &str, section: &str) -> Vec<String> {
    let section = docs.split(section).nth(1).expect("the section");
    let section = section.split("\n///\n/// # ").next().unwrap();
    let lines = section.lines().map(|l| l.trim_start_matches("///").trim_start_matches(' '));
    let shown: Vec<&str> = lines.filter(|l| *l != "#" && !l.starts_with("# ")).collect();
    shown.join("\n").split("```").skip(1).step_by(2).map(String::from).collect()
}

fn tokens(code: &str) -> TokenStream {
    code.parse().expect("code")
}

#[test]
fn the_documentation_shows_the_generated_code() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../src/macros.rs");
    let docs = std::fs::read_to_string(path).unwrap();
    let [plain, shown] = &blocks(&docs, "/// # The generated code\n")[..] else { panic!("two blocks") };
    let plain = plain.replace("#[wengert::generic]", "");
    let made = generic::expand(TokenStream::new(), tokens(&plain)).to_string();
    // The documentation imports the trait, and leaves out what silences a lint.
    let made = made.replace(":: wengert :: Scalar", "Scalar");
    let made = made.replace("# [allow (clippy :: unnecessary_cast)] ", "");
    assert_eq!(made, tokens(shown).to_string());
}
