//! Linear maps.

use std::cell::Cell;

use num_complex::Complex64;
use wengert::check::{self, Verdict};
use wengert::{Dual, LinearMap, Number};

/// `y = A·x₀ + B·x₁` of two groups of two, with faults to choose.
#[derive(Clone, Copy, PartialEq)]
enum Fault {
    None,
    AddsToResult,
    Overwrites,
    NotTransposed,
    NotConjugated,
    MissingGroup,
    Nonlinear,
    Affine,
}

struct Sum(Fault);

const A: [[(f64, f64); 2]; 2] = [[(1.0, 0.5), (2.0, 0.0)], [(-1.0, 1.0), (0.25, 0.0)]];

fn entry<T: Number>(i: usize, j: usize) -> T {
    let (re, im) = A[i][j];
    if T::REAL { T::lit(re) } else { T::lit(re) + T::lit(-1.0).sqrt() * T::lit(im) }
}

impl<T: Number> LinearMap<T> for Sum {
    fn apply(&self, x: &[Option<&[T]>], y: &mut [T]) {
        if self.0 != Fault::AddsToResult {
            y.fill(T::lit(0.0));
        }
        for (g, x) in x.iter().enumerate() {
            let Some(x) = x else { continue };
            for (i, y) in y.iter_mut().enumerate() {
                *y += entry::<T>(i, 0) * x[0] + entry::<T>(i, 1) * x[1] * T::lit(g as f64 + 1.0);
                match self.0 {
                    Fault::Nonlinear => *y += x[0] * x[1] * T::lit(1e-6),
                    Fault::Affine => *y += T::lit(1e-3),
                    _ => {}
                }
            }
        }
    }
    fn apply_transpose_add(&self, w: &[T], out: &mut [Option<&mut [T]>]) {
        for (g, out) in out.iter_mut().enumerate() {
            let Some(out) = out else { continue };
            if self.0 == Fault::MissingGroup && g == 1 {
                continue;
            }
            for (j, out) in out.iter_mut().enumerate() {
                let entry = |i, j| match self.0 {
                    Fault::NotTransposed => entry::<T>(j, i).conj(),
                    Fault::NotConjugated => entry::<T>(i, j),
                    _ => entry::<T>(i, j).conj(),
                };
                let scale = T::lit(if j == 1 { g as f64 + 1.0 } else { 1.0 });
                let sum = (entry(0, j) * w[0] + entry(1, j) * w[1]) * scale;
                if self.0 == Fault::Overwrites { *out = sum } else { *out += sum }
            }
        }
    }
    fn name(&self) -> &'static str {
        "sum"
    }
}

fn verdicts<T: Number>(fault: Fault) -> [Verdict; 2] {
    let map = Sum(fault);
    let adjoint = check::adjoint::<T, _>(&map, &[2, 2], 2);
    [adjoint.verdict(), check::linear::<T, _>(&map, &[2, 2], 2).verdict()]
}

#[test]
fn planted_faults_of_a_map_are_found() {
    use Verdict::{Right, Wrong};
    assert_eq!(verdicts::<f64>(Fault::None), [Right; 2]);
    assert_eq!(verdicts::<Complex64>(Fault::None), [Right; 2]);
    assert_eq!(verdicts::<Dual<Complex64>>(Fault::None), [Right; 2]);
    for fault in [Fault::AddsToResult, Fault::Overwrites, Fault::NotTransposed, Fault::MissingGroup] {
        assert_eq!(verdicts::<f64>(fault), [Wrong, Right], "{}", fault as i32);
        assert_eq!(verdicts::<Complex64>(fault), [Wrong, Right], "{}", fault as i32);
    }
    for fault in [Fault::Nonlinear, Fault::Affine] {
        assert_eq!(verdicts::<f64>(fault), [Wrong; 2], "{}", fault as i32);
        assert_eq!(verdicts::<Dual<f64>>(fault), [Wrong; 2], "{}", fault as i32);
    }
    // To forget the conjugate is no fault of a real map.
    assert_eq!(verdicts::<f64>(Fault::NotConjugated), [Right; 2]);
    assert_eq!(verdicts::<Complex64>(Fault::NotConjugated), [Wrong, Right]);
    let report = check::adjoint::<Complex64, _>(&Sum(Fault::NotConjugated), &[2, 2], 2);
    assert!(report.adjoint.unwrap() > 0.01, "{report}");
    let report = check::adjoint::<Complex64, _>(&Sum(Fault::None), &[2, 2], 2);
    assert!(report.adjoint.unwrap() < 1e-15, "{report}");
}

#[test]
fn functions_that_only_look_linear() {
    let is = |f: fn(&[f64]) -> Vec<f64>| check::linear_function(f, 3).verdict();
    assert_eq!(is(|x| vec![x.iter().sum(), x[2] - x[0]]), Verdict::Right);
    assert_eq!(is(|x| x.iter().rev().copied().collect()), Verdict::Right);
    assert_eq!(is(|x| vec![x[0].max(0.0)]), Verdict::Wrong);
    assert_eq!(is(|x| vec![x[0].clamp(-100.0, 100.0)]), Verdict::Wrong);
    assert_eq!(is(|x| vec![x.iter().map(|x| x * x).sum::<f64>().sqrt()]), Verdict::Wrong);
    assert_eq!(is(|_| vec![f64::NAN]), Verdict::Wrong);
    let conjugate = |z: &[Complex64]| vec![z[0].conj()];
    assert_eq!(check::linear_function(conjugate, 1).verdict(), Verdict::Right);
}

#[test]
fn every_evaluation_has_the_same_number_of_results() {
    // Five evaluations for each pair of arguments: one of them has a result less, or one more.
    for (odd, count) in (0..5).flat_map(|odd| [(odd, 1), (odd, 3)]) {
        let calls = Cell::new(0);
        let report = check::linear_function(
            |x: &[f64]| {
                let call = calls.replace(calls.get() + 1);
                vec![2.0 * x[0]; if call == odd { count } else { 2 }]
            },
            1,
        );
        assert_eq!(report.verdict(), Verdict::Wrong, "{report}");
        assert!(report.to_string().contains("the number of results varies"), "{report}");
    }
}
