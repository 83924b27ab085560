//! Functions of matrices and kept factors at power series, against nested duals.

use fastrand::Rng;
use nalgebra::DMatrix;
use wengert::matrix::Entry;
use wengert::{Dual, Real, Taylor, TaylorDyn};

use super::functions::{Function, Sizes};
use super::programs::Program;

/// A number that follows a curve `x + at + bt²`, and gives the derivatives of orders 0 to 4.
trait Along: Entry<Base = f64, Re = Self> + Real<Base = f64> {
    fn curve(c: [f64; 3]) -> Self;
    fn derivatives(self) -> [f64; 5];
}
impl Along for Taylor<f64, 4> {
    fn curve([x, a, b]: [f64; 3]) -> Self {
        Taylor::new(x, [a, b, 0.0, 0.0])
    }
    fn derivatives(self) -> [f64; 5] {
        let [a, b, c, d] = Taylor::derivatives(self);
        [self.value(), a, b, c, d]
    }
}
impl Along for TaylorDyn<f64, 6> {
    fn curve([x, a, b]: [f64; 3]) -> Self {
        TaylorDyn::new(&[x, a, b, 0.0, 0.0]).unwrap()
    }
    fn derivatives(self) -> [f64; 5] {
        let c = |k: usize| self.coefficients().get(k).copied().unwrap_or(0.0);
        [self.value(), c(0), 2.0 * c(1), 6.0 * c(2), 24.0 * c(3)]
    }
}
impl Along for Dual<Dual<Dual<Dual<f64>>>> {
    fn curve([x, a, b]: [f64; 3]) -> Self {
        let c = Dual::constant;
        let [zero, one] = [Dual::new(x, a), Dual::new(a, 2.0 * b)];
        let two = Dual::new(2.0 * b, 0.0);
        let [zero, one, two] = [Dual::new(zero, one), Dual::new(one, two), Dual::new(two, c(0.0))];
        let [zero, one] = [Dual::new(zero, one), Dual::new(one, two)];
        Dual::new(zero, one)
    }
    fn derivatives(self) -> [f64; 5] {
        let (v, t) = (self.value(), self.tangent());
        [
            v.value().value().value(),
            v.value().value().tangent(),
            v.value().tangent().tangent(),
            v.tangent().tangent().tangent(),
            t.tangent().tangent().tangent(),
        ]
    }
}

/// The derivatives of each result, entry by entry.
fn results<S: Along>(function: Function, curves: &[[DMatrix<f64>; 3]]) -> Vec<(&'static str, Vec<[f64; 5]>)> {
    let at = |[x, a, b]: &[DMatrix<f64>; 3]| {
        DMatrix::from_fn(x.nrows(), x.ncols(), |i, j| S::curve([x[(i, j)], a[(i, j)], b[(i, j)]]))
    };
    let y = function.call(&curves.iter().map(at).collect::<Vec<_>>()).unwrap();
    let parts = |y: &DMatrix<nalgebra::Complex<S>>| {
        y.iter().flat_map(|z| [z.re.derivatives(), z.im.derivatives()]).collect::<Vec<_>>()
    };
    y.iter().map(|(name, y)| (*name, parts(y))).collect()
}

fn compare(what: &str, got: &[(&str, Vec<[f64; 5]>)], want: &[(&str, Vec<[f64; 5]>)]) -> Vec<String> {
    let mut found = Vec::new();
    for ((name, got), (_, want)) in got.iter().zip(want) {
        for k in 0..5 {
            let size = want.iter().fold(0.0, |m: f64, w| m.max(w[k].abs())).max(1.0);
            let worst = got.iter().zip(want).fold(0.0, |m: f64, (g, w)| {
                let error = (g[k] - w[k]).abs();
                if error.is_nan() { f64::INFINITY } else { m.max(error) }
            });
            if got.len() != want.len() || worst > 1e-10 * size {
                found.push(format!("{what} {name} order {k}: off by {worst:e} of {size:e}"));
            }
        }
    }
    found
}

/// Sizes below and above those where elimination runs in the arithmetic of the numbers.
#[test]
fn series_go_through_matrices_as_nested_duals_do() {
    let mut random = Rng::with_seed(16);
    let mut found = Vec::new();
    for sizes in [Sizes { m: 3, k: 2, n: 3 }, Sizes { m: 6, k: 5, n: 6 }] {
        for &function in Function::ALL {
            let real = |x: super::programs::Entries| x.map(|z| z.re);
            let curves: Vec<[DMatrix<f64>; 3]> = (function.inputs(sizes).into_iter())
                .map(|input| {
                    let x = real(input.value(&mut random, false));
                    [x, real(input.direction(&mut random, false)), real(input.direction(&mut random, false))]
                })
                .collect();
            let want = results::<Dual<Dual<Dual<Dual<f64>>>>>(function, &curves);
            let what = format!("{} of {}", function.0, sizes.n);
            let fixed = results::<Taylor<f64, 4>>(function, &curves);
            found.extend(compare(&format!("{what} at Taylor:"), &fixed, &want));
            let chosen = results::<TaylorDyn<f64, 6>>(function, &curves);
            found.extend(compare(&format!("{what} at TaylorDyn:"), &chosen, &want));
        }
    }
    assert!(found.is_empty(), "{}:\n{}", found.len(), found.join("\n"));
}
