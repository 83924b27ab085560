//! The functions that scenarios differentiate, with derivatives in closed form, and points of all kinds.

use std::borrow::Cow;
use std::cell::Cell;

use crate::number::Real;
use crate::space::{Components, Embedding, embedded};

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

/// Closed forms at a point: values, Jacobian of `pair` by columns, gradient of `chain` and its Hessian by columns. On a
/// group the Hessian is left out.
pub(super) struct Expected {
    pub values: [f64; 2],
    pub jacobian: Vec<f64>,
    pub gradient: Vec<f64>,
    pub hessian: Vec<f64>,
}

impl Expected {
    pub fn at<X: Components<f64> + ?Sized>(x: &X) -> Self {
        let mut c = Vec::new();
        x.visit(&mut |x| c.push(x));
        let at = |k: usize| c.get(k).copied().unwrap_or(0.0);
        let before = |k: usize| if k > 0 { k as f64 * c[k - 1] } else { 0.0 };
        let slope = |k: usize| before(k) + (k + 1) as f64 * at(k + 1) + 3.0 * c[k] * c[k];
        let entry = |i: usize, j: usize| match i.abs_diff(j) {
            0 => 6.0 * c[i],
            1 => (i.min(j) + 1) as f64,
            _ => 0.0,
        };
        let rows =
            [(0..c.len()).map(slope).collect(), (0..c.len()).map(|k| 2.0 * (k + 1) as f64 * c[k]).collect()];
        let [first, second] = rows
            .map(|row: Vec<f64>| embedded(x, Embedding::CotangentFromAmbient, Cow::Owned(row)).into_owned());
        let n = if X::FLAT { c.len() } else { 0 };
        let calls = CALLS.get();
        let values = pair(&c[..]);
        CALLS.set(calls);
        Expected {
            values,
            jacobian: first.iter().zip(&second).flat_map(|(&a, &b)| [a, b]).collect(),
            gradient: first,
            hessian: (0..n).flat_map(|j| (0..n).map(move |i| (i, j))).map(|(i, j)| entry(i, j)).collect(),
        }
    }
    /// `J·v`.
    pub fn pushed(&self, v: &[f64]) -> [f64; 2] {
        [0, 1].map(|i| v.iter().enumerate().map(|(j, v)| self.jacobian[2 * j + i] * v).sum())
    }
    /// `Jᵀ·w`.
    pub fn pulled(&self, w: [f64; 2]) -> Vec<f64> {
        self.jacobian.chunks_exact(2).map(|column| column[0] * w[0] + column[1] * w[1]).collect()
    }
    /// `H·v`.
    pub fn product(&self, v: &[f64]) -> Vec<f64> {
        let column = |j: usize| self.hessian.chunks_exact(v.len().max(1)).nth(j);
        let entry = |i: usize, j: usize| column(j).map_or(0.0, |column| column[i]) * v[j];
        let n = if self.hessian.is_empty() { 0 } else { v.len() };
        (0..n).map(|i| (0..n).map(|j| entry(i, j)).sum()).collect()
    }
}

/// A tangent for each component.
pub(super) fn direction(n: usize) -> Vec<f64> {
    (0..n).map(|k| 1.0 - 0.75 * k as f64).collect()
}

/// Structs and enums, as the derive implements them.
#[cfg(feature = "macros")]
mod derived {
    /// A struct with a sequence and a plain field.
    #[derive(wengert::Differentiable)]
    pub struct Layer<T> {
        weights: Vec<T>,
        bias: T,
        #[data]
        name: &'static str,
    }

    /// An enum with a sequence.
    #[derive(wengert::Differentiable)]
    pub enum Figure<T> {
        Point(T),
        Polygon { corners: Vec<T>, scale: T },
    }

    /// A struct.
    pub fn layer() -> Layer<f64> {
        Layer { weights: vec![0.5, -1.25], bias: 2.0, name: "first" }
    }

    /// Both variants of an enum.
    pub fn shapes() -> Vec<Figure<f64>> {
        vec![Figure::Polygon { corners: vec![0.5, -1.25], scale: 2.0 }, Figure::Point(0.75)]
    }
}
#[cfg(feature = "macros")]
pub(super) use derived::{layer, shapes};
