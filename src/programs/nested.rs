//! Derivatives of functions of many numbers at machine numbers, to order four, by nested numbers: with directions `v`
//! and a weight `w`, `Dᵏf(x)[v₁, …, vₖ]` and `Dᵏf(x)[v₁, …, vₖ₋₁, ·]ᵀw`. Both are symmetric in the directions, so the
//! derivatives of either are of these two kinds again.

use crate::duals::Dual;
use crate::error::AdError;
use crate::lift::{Operation, views};
use crate::number::Real;
use crate::tapes::{Tape, Var};

/// A number whose outermost tangent is a derivative in all its directions.
trait Nested: Real<Base = f64, Primal = f64> {
    fn top(self) -> f64;
}

impl Nested for f64 {
    fn top(self) -> f64 {
        self
    }
}

impl<T: Nested> Nested for Dual<T> {
    fn top(self) -> f64 {
        self.tangent().top()
    }
}

/// Groups in one more direction; a group without tangents is constant.
fn along<T: Nested>(x: &[Vec<T>], v: &[&[f64]]) -> Vec<Vec<Dual<T>>> {
    let group = |(x, v): (&Vec<T>, &&[f64])| {
        let tangent = |i: usize| v.get(i).map_or(T::lit(0.0), |&v| T::lit(v));
        x.iter().enumerate().map(|(i, &x)| Dual::new(x, tangent(i))).collect()
    };
    x.iter().zip(v).map(group).collect()
}

fn too_high(op: &'static str) -> AdError {
    AdError::Unsupported { op, rule: "a derivative of order 5 in a program" }
}

fn tops<T: Nested>(f: &impl Operation, x: &[Vec<T>]) -> Result<Vec<f64>, AdError> {
    Ok(f.call(&views(x))?.into_iter().map(T::top).collect())
}

/// `Dᵏf(x)[v₁, …, vₖ]`.
pub(super) fn tangent(f: &impl Operation, x: &[&[f64]], v: &[&[&[f64]]]) -> Result<Vec<f64>, AdError> {
    let x: Vec<Vec<f64>> = x.iter().map(|x| x.to_vec()).collect();
    match *v {
        [a] => tops(f, &along(&x, a)),
        [a, b] => tops(f, &along(&along(&x, a), b)),
        [a, b, c] => tops(f, &along(&along(&along(&x, a), b), c)),
        [a, b, c, d] => tops(f, &along(&along(&along(&along(&x, a), b), c), d)),
        _ => Err(too_high(f.name())),
    }
}

/// `Dᵏf(x)[v₁, …, vₖ₋₁, ·]ᵀw` in the groups that are wanted, one after the other.
pub(super) fn cotangent(
    f: &impl Operation,
    x: &[&[f64]],
    v: &[&[&[f64]]],
    w: &[f64],
    wanted: &[bool],
) -> Result<Vec<f64>, AdError> {
    let x: Vec<Vec<f64>> = x.iter().map(|x| x.to_vec()).collect();
    match *v {
        [] => pulled(f, &x, w, wanted),
        [a] => pulled(f, &along(&x, a), w, wanted),
        [a, b] => pulled(f, &along(&along(&x, a), b), w, wanted),
        [a, b, c] => pulled(f, &along(&along(&along(&x, a), b), c), w, wanted),
        _ => Err(too_high(f.name())),
    }
}

fn pulled<T: Nested>(
    f: &impl Operation,
    x: &[Vec<T>],
    w: &[f64],
    wanted: &[bool],
) -> Result<Vec<f64>, AdError> {
    let tape = Tape::new();
    let lift = |(x, &wanted): (&Vec<T>, &bool)| match wanted {
        true => tape.variables(x),
        false => x.iter().map(|&x| Var::constant(x)).collect(),
    };
    let variables: Vec<Vec<Var<T>>> = x.iter().zip(wanted).map(lift).collect();
    let y = f.call(&views(&variables))?;
    let weighted: Vec<(Var<T>, T)> = y.into_iter().zip(w.iter().map(|&w| T::lit(w))).collect();
    let cotangents = tape.cotangents_of(&weighted);
    let groups = variables.iter().zip(wanted).filter(|(_, wanted)| **wanted);
    Ok(groups.flat_map(|(group, _)| group).map(|&x| cotangents.of(x).top()).collect())
}
