//! wengert beside other crates: one table for each workload, printed and written beside this package's manifest.

mod ad_trait_functions;
mod arm;
mod functions;
mod hessian;
mod machine;
mod number;
mod reverse;
mod scalar;
mod table;
mod workloads;

use std::fmt::Write;

/// Where the tables go: builds for the default target and for this machine's own instructions keep apart.
const RESULTS: &str = if cfg!(target_feature = "avx2") {
    concat!(env!("CARGO_MANIFEST_DIR"), "/results-native.md")
} else {
    concat!(env!("CARGO_MANIFEST_DIR"), "/results.md")
};

fn main() -> std::io::Result<()> {
    let mut text = machine::heading();
    for table in reverse::tables().chain(scalar::tables()).chain(arm::tables()).chain(hessian::tables()) {
        write!(text, "\n{table}").expect("a String takes all");
    }
    println!("\n{text}");
    std::fs::write(RESULTS, text)
}
