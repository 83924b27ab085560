//! Evaluations of function objects at the number type that fits: widths, blocks, and what they write.

use std::ops::Range;

use super::chunks::{chunks, for_each_set};
use super::function::Function;
#[cfg(feature = "nalgebra")]
use super::function::VectorFunction;
#[cfg(feature = "nalgebra")]
use super::jacobian::write_columns;
#[cfg(feature = "nalgebra")]
use crate::forward::Dual2;
use crate::forward::DualN;
#[cfg(feature = "nalgebra")]
use nalgebra::DMatrix;

/// Calls a macro with the number of lanes as a literal.
macro_rules! by_width {
    ($width:expr, $pass:ident) => {
        match $width {
            1 => $pass!(1),
            2 => $pass!(2),
            4 => $pass!(4),
            8 => $pass!(8),
            12 => $pass!(12),
            _ => $pass!(16),
        }
    };
}
pub(super) use by_width;

/// Covers `n` directions: sixteen at a time, the rest by the smallest width that holds them.
pub(super) fn for_each_width(n: usize, mut visit: impl FnMut(Range<usize>, usize)) {
    let rest = n - n % 16;
    if rest > 0 {
        visit(0..rest, 16);
    }
    if rest < n || n == 0 {
        let width = [1, 2, 4, 8, 12].into_iter().find(|w| *w >= n - rest).unwrap_or(16);
        visit(rest..n, width);
    }
}

/// The derivatives in the directions of `range`, `N` at a time; returns the value.
pub(super) fn gradient_pass<const N: usize, F: Function + ?Sized>(
    f: &F,
    x: &[f64],
    range: Range<usize>,
    out: &mut [f64],
) -> f64 {
    let mut value = 0.0;
    for_each_set(
        x,
        chunks(range, N),
        |_, x| DualN::<f64, N>::constant(x),
        |point, chunk| {
            let (y, lanes) = (f.call(point), chunk.len());
            out[chunk].copy_from_slice(&y.tangents()[..lanes]);
            value = y.value();
        },
    );
    value
}

/// The columns of `range`, `N` at a time, and the values.
#[cfg(feature = "nalgebra")]
pub(super) fn jacobian_pass<const N: usize, F: VectorFunction + ?Sized>(
    f: &F,
    x: &[f64],
    range: Range<usize>,
    value: &mut [f64],
    out: &mut DMatrix<f64>,
) {
    let mut y = vec![DualN::<f64, N>::constant(f64::NAN); value.len()];
    for_each_set(
        x,
        chunks(range, N),
        |_, x| DualN::<f64, N>::constant(x),
        |point, chunk| {
            y.fill(DualN::new(f64::NAN, [f64::NAN; N]));
            f.call(point, &mut y);
            write_columns(&y, out.as_mut_slice(), chunk.start, chunk.len());
        },
    );
    value.iter_mut().zip(&y).for_each(|(slot, y)| *slot = y.value());
}

/// Gradient and Hessian in the at most `N` directions of `range`, in one evaluation.
#[cfg(feature = "nalgebra")]
pub(super) fn hessian_pass<const N: usize, const M: usize, F: Function + ?Sized>(
    f: &F,
    x: &[f64],
    range: Range<usize>,
    gradient: &mut [f64],
    hessian: &mut DMatrix<f64>,
) -> f64 {
    let mut point: Vec<_> = x.iter().map(|&x| Dual2::<f64, N, M>::constant(x)).collect();
    for (lane, i) in range.clone().enumerate() {
        point[i] = Dual2::variable(x[i], lane);
    }
    let y = f.call(&point);
    for (a, i) in range.clone().enumerate() {
        gradient[i] = y.gradient()[a];
        for (b, j) in range.clone().enumerate() {
            hessian[(i, j)] = y.second(a, b);
        }
    }
    y.value()
}
