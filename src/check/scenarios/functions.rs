//! What scenarios differentiate, with derivatives in closed form.

use std::cell::Cell;

use crate::drivers::{Function, VectorFunction};
use crate::number::Real;
use crate::space::Components;

thread_local! {
    /// How often the functions below have been called.
    pub(super) static CALLS: Cell<usize> = const { Cell::new(0) };
}

/// `Σ k·xₖxₖ₊₁ + Σ xₖ³`, by the components of any structure.
pub(super) fn chain<N: Real<Base = f64>, A: Components<N> + ?Sized>(x: &A) -> N {
    CALLS.set(CALLS.get() + 1);
    let (mut sum, mut last, mut k) = (N::lit(0.0), N::lit(0.0), 0.0);
    x.visit(&mut |c| {
        sum = sum + last * c * k + c * c * c;
        (last, k) = (c, k + 1.0);
    });
    sum
}

/// `(chain, Σ (k+1)·xₖ²)`.
pub(super) fn pair<N: Real<Base = f64>, A: Components<N> + ?Sized>(x: &A) -> [N; 2] {
    let first = chain(x);
    let (mut sum, mut k) = (N::lit(0.0), 1.0);
    x.visit(&mut |c| {
        sum += c * c * k;
        k += 1.0;
    });
    [first, sum]
}

/// Closed forms at the components `c`: values, Jacobian of `pair` by columns, Hessian of `chain` by columns.
pub(super) struct Expected {
    pub values: [f64; 2],
    pub jacobian: Vec<f64>,
    pub gradient: Vec<f64>,
    pub hessian: Vec<f64>,
}

impl Expected {
    pub fn at(c: &[f64]) -> Self {
        let at = |k: usize| c.get(k).copied().unwrap_or(0.0);
        let before = |k: usize| if k > 0 { k as f64 * c[k - 1] } else { 0.0 };
        let slope = |k: usize| before(k) + (k + 1) as f64 * at(k + 1) + 3.0 * c[k] * c[k];
        let n = c.len();
        let entry = |i: usize, j: usize| match i.abs_diff(j) {
            0 => 6.0 * c[i],
            1 => (i.min(j) + 1) as f64,
            _ => 0.0,
        };
        let calls = CALLS.get();
        let values = pair(c);
        CALLS.set(calls);
        Expected {
            values,
            jacobian: (0..n).flat_map(|k| [slope(k), 2.0 * (k + 1) as f64 * c[k]]).collect(),
            gradient: (0..n).map(slope).collect(),
            hessian: (0..n).flat_map(|j| (0..n).map(move |i| entry(i, j))).collect(),
        }
    }
    pub fn product(&self, v: &[f64]) -> Vec<f64> {
        let n = self.gradient.len();
        (0..n).map(|i| (0..n).map(|j| self.hessian[i + n * j] * v[j]).sum()).collect()
    }
}

/// The functions as objects.
pub(super) struct Chain;

impl Function for Chain {
    fn call<T: Real<Base = f64>>(&self, x: &[T]) -> T {
        chain(x)
    }
}

impl VectorFunction for Chain {
    fn outputs(&self, _: usize) -> usize {
        2
    }
    fn call<T: Real<Base = f64>>(&self, x: &[T], y: &mut [T]) {
        y.copy_from_slice(&pair(x));
    }
}

/// A tangent for each component.
pub(super) fn direction(n: usize) -> Vec<f64> {
    (0..n).map(|k| 1.0 - 0.75 * k as f64).collect()
}
