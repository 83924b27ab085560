//! A short run of the fuzz, the same on every run. `cargo run --release --example fuzz` is the long one.

#[path = "fuzz/mod.rs"]
mod fuzz;

#[test]
fn random_expressions_hold() {
    const SEED: u64 = 1964;
    let mut counts = fuzz::Counts::default();
    let failures: Vec<String> =
        (0..2000).filter_map(|case| fuzz::run(SEED, case, &mut counts).err()).collect();
    println!("{counts:?}");
    assert!(failures.is_empty(), "{} of 2000 failed:\n{}", failures.len(), failures.join("\n"));
    // Each kind of comparison takes place.
    assert!(counts.bounded > 10_000 && counts.second > 10_000 && counts.complex > 1000, "{counts:?}");
    assert!(counts.precise > 300 && counts.differences > 300, "{counts:?}");
}
