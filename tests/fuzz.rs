//! Random expressions at random points: all number types against each other, against `f64`, high precision and
//! differences. A failure is printed shrunk, as Rust to be pasted. `SCAN=100 cargo test --release --test fuzz` is a long run.

#[path = "fuzz/mod.rs"]
mod fuzz;
#[path = "support/random.rs"]
mod random;

#[test]
fn random_expressions_hold() {
    let (seed, cases) = (random::seed(1964), random::cases(2000));
    let mut counts = fuzz::Counts::default();
    let failures: Vec<String> =
        (0..cases).filter_map(|case| fuzz::run(seed, case, &mut counts).err()).collect();
    println!("{counts:?}");
    let shown = &failures[..failures.len().min(20)];
    assert!(failures.is_empty(), "{} of {cases} failed:\n{}", failures.len(), shown.join("\n"));
    // Each kind of comparison takes place.
    assert!(counts.bounded > 10_000 && counts.second > 10_000 && counts.complex > 1000, "{counts:?}");
    assert!(
        counts.precise > 300 && counts.differences > 300 && counts.complex_differences > 300,
        "{counts:?}"
    );
}

#[test]
fn high_precision_reads_every_float() {
    for x in [5e-324, -1.5e-310, f64::MIN_POSITIVE, 0.1, f64::MAX, -0.0] {
        assert_eq!(fuzz::precise::Exact::from(x).to_f64(), x);
    }
}
