//! Errors in units of eps, and the list of failures.

/// One unit of the tolerances: 2⁻⁵².
pub const EPS: f64 = f64::EPSILON;
/// Beyond this, and only where infinity is expected, a finite number counts as infinite.
const ALMOST_INFINITE: f64 = 1e307;
/// "A few" smallest numbers, for expected values that are subnormal.
const FEW_SUBNORMALS: f64 = 4.0 * 5e-324;

/// The distance of `got` from `want` in eps, relative to `scale` (the expected value itself or, where that
/// cancels, the largest entry of the same derivative). Zero where nothing is expected (NaN).
pub fn relative(got: f64, want: f64, scale: f64) -> f64 {
    let distance = (got - want).abs();
    let close = got == want || want.abs() < f64::MIN_POSITIVE && distance <= FEW_SUBNORMALS;
    let beyond = want.is_infinite() && got.abs() > ALMOST_INFINITE && got.signum() == want.signum();
    if want.is_nan() || close || beyond {
        return 0.0;
    }
    let error = distance / scale.abs() / EPS;
    if error.is_nan() { f64::INFINITY } else { error }
}

/// Bit for bit equal, or both NaN.
pub fn same_bits(a: f64, b: f64) -> bool {
    a.to_bits() == b.to_bits() || a.is_nan() && b.is_nan()
}

/// The failures, and the number of comparisons.
#[derive(Default)]
pub struct Findings {
    failed: Vec<String>,
    checked: usize,
}

impl Findings {
    /// Notes a comparison; `what` is computed only if it fails.
    pub fn check(&mut self, holds: bool, what: impl FnOnce() -> String) {
        self.checked += 1;
        if !holds {
            self.failed.push(what());
        }
    }
    /// Fails with everything that failed; also if fewer than `expected` comparisons were made.
    pub fn report(self, expected: usize) {
        let (failed, checked) = (self.failed.len(), self.checked);
        println!("{checked} comparisons");
        assert!(failed == 0, "{failed} of {checked} comparisons failed:\n{}", self.failed.join("\n"));
        assert!(checked >= expected, "only {checked} comparisons of {expected}");
    }
}
