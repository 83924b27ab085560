//! Derivatives of functions of many numbers at primal numbers, to order four, by nested numbers: with directions `v`
//! and a weight `w`, `Dᵏf(x)[v₁, …, vₖ]` and `Dᵏf(x)[v₁, …, vₖ₋₁, ·]ᵀw`. Both are symmetric in the directions, so
//! their derivatives are of these two kinds too.

use num_complex::Complex;

use crate::duals::Dual;
use crate::error::AdError;
use crate::lift::{Direction, Operation, views};
use crate::linear_map::LinearMap;
use crate::number::{Number, Real};
use crate::tapes::{Tape, Var, linearized};

/// A number with nested tangents.
trait Nested: Real<Base = f64, Primal = f64, Complex: Number<Primal = Complex<f64>>> {
    /// The derivative in the `order` directions of the outermost numbers.
    fn top(self, order: usize) -> f64;
}

impl Nested for f64 {
    fn top(self, _order: usize) -> f64 {
        self
    }
}

impl<T: Nested> Nested for Dual<T> {
    fn top(self, order: usize) -> f64 {
        if order == 0 { self.primal() } else { self.tangent().top(order - 1) }
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

/// Groups in three more directions.
fn along_three<T: Nested>(x: &[Vec<T>], [a, b, c]: [&[&[f64]]; 3]) -> Vec<Vec<Dual<Dual<Dual<T>>>>> {
    along(&along(&along(x, a), b), c)
}

fn owned(x: &[&[f64]]) -> Vec<Vec<f64>> {
    x.iter().map(|x| x.to_vec()).collect()
}

/// An error for a derivative beyond the orders of programs.
pub(super) fn too_high(op: &'static str) -> AdError {
    AdError::Unsupported { op, rule: "a derivative of order 5 in a program" }
}

fn tops<T: Nested>(f: &impl Operation<f64>, x: &[Vec<T>], order: usize) -> Result<Vec<f64>, AdError> {
    Ok(tops_of(f.call(&views(x))?, order))
}

fn tops_of<T: Nested>(y: Vec<T>, order: usize) -> Vec<f64> {
    y.into_iter().map(|y| y.top(order)).collect()
}

fn pulled<T: Nested>(
    f: &impl Operation<f64>,
    x: &[Vec<T>],
    w: &[f64],
    wanted: &[bool],
    order: usize,
) -> Result<Vec<f64>, AdError> {
    let tape = Tape::new();
    let variables = tape.variables_of_some(x, wanted.iter().copied());
    let y = f.call(&views(&variables))?;
    Ok(pulled_back(&tape, &weighted(y, w), &variables, wanted, order))
}

fn pulled_back<T: Nested>(
    tape: &Tape<T>,
    weighted: &[(Var<T>, T)],
    variables: &[Vec<Var<T>>],
    wanted: &[bool],
    order: usize,
) -> Vec<f64> {
    let cotangents = tape.cotangents_of(weighted);
    let groups = variables.iter().zip(wanted).filter_map(|(group, wanted)| wanted.then_some(group));
    tops_of(groups.flat_map(|group| cotangents.of_all(group)).collect(), order)
}

fn weighted<T: Nested>(y: Vec<Var<T>>, w: &[f64]) -> Vec<(Var<T>, T)> {
    y.into_iter().zip(w.iter().map(|&w| T::lit(w))).collect()
}

/// The value of a function and its derivative as a map of all components of the argument, with its factors.
pub(super) type Map = Box<dyn LinearMap<f64>>;

/// A function of many numbers, without its type.
pub(super) trait AnyFunction: Send + Sync {
    fn name(&self) -> &'static str;
    fn supports(&self, direction: Direction) -> bool;
    fn value(&self, x: &[&[f64]]) -> Result<Vec<f64>, AdError>;
    fn value_and_map(&self, x: &[&[f64]]) -> Result<(Vec<f64>, Map), AdError>;
    /// `Dᵏf(x)[v₁, …, vₖ]`.
    fn tangent(&self, x: &[&[f64]], v: &[&[&[f64]]]) -> Result<Vec<f64>, AdError>;
    /// `Dᵏf(x)[v₁, …, vₖ₋₁, ·]ᵀw` in the wanted groups, in order.
    fn cotangent(
        &self,
        x: &[&[f64]],
        v: &[&[&[f64]]],
        w: &[f64],
        wanted: &[bool],
    ) -> Result<Vec<f64>, AdError>;
}

/// A row of numbers in groups of these lengths.
fn in_groups<'a, T>(mut all: &'a [T], like: &[&[f64]]) -> Vec<&'a [T]> {
    let next = |group: &&[f64]| {
        let (group, rest) = all.split_at(group.len());
        all = rest;
        group
    };
    like.iter().map(next).collect()
}

impl<F: Operation<f64>> AnyFunction for F {
    fn name(&self) -> &'static str {
        Operation::name(self)
    }
    fn supports(&self, direction: Direction) -> bool {
        Operation::supports(self, direction)
    }
    fn value(&self, x: &[&[f64]]) -> Result<Vec<f64>, AdError> {
        self.call(x)
    }
    fn value_and_map(&self, x: &[&[f64]]) -> Result<(Vec<f64>, Map), AdError> {
        linearized(&x.concat(), |all| self.call(&in_groups(all, x)))
    }
    /// Order three uses the numbers of order four, with a direction of zeros, because every number type compiles another
    /// copy of all operations.
    fn tangent(&self, x: &[&[f64]], v: &[&[&[f64]]]) -> Result<Vec<f64>, AdError> {
        let (none, x) = (vec![&[][..]; x.len()], owned(x));
        match *v {
            [a] => tops(self, &along(&x, a), 1),
            [a, b] => tops(self, &along(&along(&x, a), b), 2),
            [a, b, c] => tops(self, &along_three(&along(&x, &none), [a, b, c]), 3),
            [a, b, c, d] => tops(self, &along_three(&along(&x, a), [b, c, d]), 4),
            _ => Err(too_high(Operation::name(self))),
        }
    }
    fn cotangent(
        &self,
        x: &[&[f64]],
        v: &[&[&[f64]]],
        w: &[f64],
        wanted: &[bool],
    ) -> Result<Vec<f64>, AdError> {
        let (none, x) = (vec![&[][..]; x.len()], owned(x));
        match *v {
            [] => pulled(self, &x, w, wanted, 0),
            [a] => pulled(self, &along(&x, a), w, wanted, 1),
            [a, b] => pulled(self, &along_three(&x, [&none, a, b]), w, wanted, 2),
            [a, b, c] => pulled(self, &along_three(&x, [a, b, c]), w, wanted, 3),
            _ => Err(too_high(Operation::name(self))),
        }
    }
}
