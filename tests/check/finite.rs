//! Results that are not finite are reported, and never count as agreement.

use wengert::check::{self, Verdict};
use wengert::primitive::{from_jvp, from_jvp_and_vjp};
use wengert::{LinearMap, function, rules};

/// `y = (2x₀, c·x₁)` with another coefficient backwards.
struct Diagonal {
    forth: f64,
    back: f64,
}

impl LinearMap<f64> for Diagonal {
    fn apply(&self, x: &[Option<&[f64]>], y: &mut [f64]) {
        let x = x[0].unwrap();
        (y[0], y[1]) = (2.0 * x[0], self.forth * x[1]);
    }
    fn apply_transpose_add(&self, w: &[f64], x: &mut [Option<&mut [f64]>]) {
        let x = x[0].as_mut().unwrap();
        x[0] += 2.0 * w[0];
        x[1] += self.back * w[1];
    }
}

#[test]
fn cells_of_maps_that_are_not_finite_are_listed() {
    let (inf, nan) = (f64::INFINITY, f64::NAN);
    for (forth, back, adjoint, linear) in [
        (3.0, 3.0, Verdict::Right, Verdict::Right),
        (inf, inf, Verdict::Inconclusive, Verdict::Inconclusive),
        (nan, nan, Verdict::Inconclusive, Verdict::Wrong),
        (nan, 3.0, Verdict::Wrong, Verdict::Wrong),
        (3.0, nan, Verdict::Wrong, Verdict::Right),
        (inf, 3.0, Verdict::Wrong, Verdict::Inconclusive),
        (3.0, inf, Verdict::Wrong, Verdict::Right),
    ] {
        let map = Diagonal { forth, back };
        let report = check::adjoint(&map, &[2], 2);
        assert_eq!(report.verdict(), adjoint, "{forth} {back}: {report}");
        let strange: &[usize] = if forth.is_finite() { &[] } else { &[1] };
        assert_eq!(report.non_finite_results, strange, "{forth} {back}: {report}");
        if adjoint == Verdict::Wrong {
            assert_eq!(report.adjoint, Some(f64::INFINITY), "{report}");
        }
        let report = check::linear(&map, &[2], 2);
        assert_eq!((report.verdict(), &report.non_finite_results[..]), (linear, strange), "{report}");
    }
    let text = check::linear(&Diagonal { forth: inf, back: inf }, &[2], 2).to_string();
    assert!(text.contains("results not finite at [1]"), "{text}");
}

/// A fault next to a NaN is found all the same.
#[test]
fn faults_beside_infinities_are_found() {
    let bent = |x: &[f64]| vec![x[0] / 0.0, x[1] * x[1]];
    let report = check::linear_function(bent, 2);
    assert_eq!((report.verdict(), &report.non_finite_results[..]), (Verdict::Wrong, &[0][..]), "{report}");
    let value = |x: &[&[f64]]| vec![x[0][0] * f64::INFINITY, x[0][0] * x[0][0]];
    let slope = |factor: f64| move |x: &[&[f64]], dx: &[&[f64]]| vec![0.0, 2.0 * factor * x[0][0] * dx[0][0]];
    for (factor, verdict) in [(1.0, Verdict::Inconclusive), (1.001, Verdict::Wrong)] {
        let report = check::primitive(&from_jvp("p", 1, value, slope(factor)), &[&[2.0]]);
        assert_eq!((report.verdict(), &report.non_finite_results[..]), (verdict, &[0][..]), "{report}");
    }
}

#[test]
fn values_and_derivatives_that_are_not_finite_are_listed() {
    let listed = |report: check::Report, places: &[usize]| {
        assert_eq!(report.non_finite_results, places, "{report}");
        assert_ne!(report.verdict(), Verdict::Right, "{report}");
    };
    listed(check::rule(rules::Ln, -1.0), &[0]);
    listed(check::rule(rules::Sqrt, 0.0), &[0]); // the derivative
    listed(check::binary(rules::Powf, -1.0, 0.5), &[0]);
    listed(check::derivative(f64::ln, f64::recip, 0.0), &[0]);
    let f = function!(|x, y: [_; 3]| {
        y[0] = x[0] * x[1];
        y[1] = x[1].ln();
        y[2] = (x[1] + 1.0).sqrt();
    });
    listed(check::function(&f, &[2.0, -1.0]), &[1, 2]);
    check::function(&f, &[2.0, 1.0]).assert_ok();
    let value = |x: &[&[f64]]| vec![x[0][0] / x[0][1], x[0][1]];
    let jvp = |_: &[&[f64]], dx: &[&[f64]]| vec![0.0, dx[0][1]];
    let vjp = |_: &[&[f64]], w: &[f64]| vec![vec![0.0, w[1]]];
    let quotient = from_jvp_and_vjp("quotient", 1, value, jvp, vjp);
    listed(check::primitive(&quotient, &[&[1.0, 0.0]]), &[0]);
}
