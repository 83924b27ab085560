//! wengert compared with other crates: one table for each workload, printed and written next to this package's
//! manifest.

mod ad_trait_functions;
mod arm;
#[allow(dead_code)] // the example uses the rest
#[path = "../../../examples/bundle/camera.rs"]
mod camera;
mod filter;
mod functions;
mod graph;
mod hessian;
mod large;
mod machine;
mod number;
mod programs;
mod reverse;
mod scalar;
#[allow(dead_code)]
#[path = "../../../examples/bundle/scene.rs"]
mod scene;
mod sparse;
mod table;
mod taylor;
mod workloads;

use std::fmt::Write;

/// The directory of the tables. Builds for the default target and for the instructions of this computer have separate
/// ones.
const RESULTS: &str = if cfg!(target_feature = "avx2") {
    concat!(env!("CARGO_MANIFEST_DIR"), "/results-native.md")
} else {
    concat!(env!("CARGO_MANIFEST_DIR"), "/results.md")
};

/// A group of tables, by the name of its module.
type Group = (&'static str, fn() -> Box<dyn Iterator<Item = String>>);

/// Writes all tables to the file. With the name of a group as the argument it prints this group only.
fn main() -> std::io::Result<()> {
    let groups: [Group; 9] = [
        ("reverse", || Box::new(reverse::tables())),
        ("scalar", || Box::new(scalar::tables())),
        ("arm", || Box::new(arm::tables())),
        ("hessian", || Box::new(hessian::tables())),
        ("filter", || Box::new(filter::tables())),
        ("sparse", || Box::new(sparse::tables())),
        ("graph", || Box::new(graph::tables())),
        ("programs", || Box::new(programs::tables())),
        ("taylor", || Box::new(taylor::tables())),
    ];
    let asked = std::env::args().nth(1);
    let mut text = machine::heading();
    for (_, tables) in groups.iter().filter(|(name, _)| asked.as_deref().is_none_or(|asked| asked == *name)) {
        for table in tables() {
            write!(text, "\n{table}").expect("a String takes all");
        }
    }
    println!("\n{text}");
    if asked.is_none() { std::fs::write(RESULTS, text) } else { Ok(()) }
}
