//! The derivatives of a function of matrices over both floats, for the tests at every scale: each way is a number type,
//! and its results are plain numbers.

use nalgebra::{Complex, DMatrix};
use wengert::matrix::Entry;
use wengert::{AdError, Dual, Real, Tape, Var};

use super::functions::Function;
use super::programs::Entries;

/// Directions or cotangents, of some of the matrices.
pub type Groups = [Option<Entries>];

/// Derivatives by order, and then by result or input.
pub type Found = Result<Vec<Vec<Entries>>, AdError>;

/// Computes derivatives by a number type at inputs, with directions of the inputs and cotangents of the results.
#[derive(Clone, Copy)]
pub struct Way {
    pub name: &'static str,
    /// The highest order.
    pub order: usize,
    /// Whether the results are cotangents of the inputs.
    pub is_backward: bool,
    pub run: fn(Function, &[Entries], &Groups, &Groups) -> Found,
}

/// A number with derivatives along one direction.
trait Curve: Real {
    /// How many derivatives there are, with the value.
    const PARTS: usize;
    fn curve(x: f64, t: f64) -> Self;
    /// Appends the derivatives of every order.
    fn push(self, parts: &mut Vec<f64>);
}

/// Appends the derivatives of a complex number by order.
fn push<R: Curve>(re: R, im: R, parts: &mut Vec<f64>) {
    re.push(parts);
    im.push(parts);
}

/// Matrices of these shapes by order, from the real and imaginary parts of all entries.
fn by_order(shapes: &[(usize, usize)], orders: usize, parts: &[f64]) -> Vec<Vec<Entries>> {
    let mut entries = parts.chunks_exact(2 * orders);
    let mut found = vec![Vec::new(); orders];
    for &(rows, columns) in shapes {
        let own: Vec<&[f64]> = entries.by_ref().take(rows * columns).collect();
        for (k, found) in found.iter_mut().enumerate() {
            let part = |entry: &&[f64]| Complex::new(entry[k], entry[orders + k]);
            found.push(DMatrix::from_iterator(rows, columns, own.iter().map(part)));
        }
    }
    found
}

/// The direction of an entry; none is zero.
fn along(dx: &Option<Entries>, i: usize) -> Complex<f64> {
    dx.as_ref().map_or(Complex::new(0.0, 0.0), |dx| dx[i])
}

/// Derivatives of the results along a direction.
fn forward<R: Curve, S: Entry<Re = R>>(function: Function, x: &[Entries], dx: &Groups, _: &Groups) -> Found {
    let seeded = |(x, dx): (&Entries, &Option<Entries>)| {
        let seed = |(i, x): (usize, &Complex<f64>)| {
            let t = along(dx, i);
            S::of_parts(R::curve(x.re, t.re), R::curve(x.im, t.im))
        };
        DMatrix::from_iterator(x.nrows(), x.ncols(), x.iter().enumerate().map(seed))
    };
    let x: Vec<DMatrix<S>> = x.iter().zip(dx).map(seeded).collect();
    let y = function.at(&x)?;
    let shapes: Vec<_> = y.iter().map(|(_, y)| y.shape()).collect();
    let mut parts = Vec::new();
    y.iter().flat_map(|(_, y)| y.iter()).for_each(|y| push(y.re, y.im, &mut parts));
    Ok(by_order(&shapes, R::PARTS, &parts))
}

/// Cotangents of the inputs, with their derivatives where the tape is one of duals.
fn reverse<T: Curve, S: Entry<Re = Var<T>>>(
    function: Function,
    x: &[Entries],
    dx: &Groups,
    cot: &Groups,
) -> Found {
    let (tape, mut variables) = (Tape::<T>::new(), Vec::new());
    let inputs: Vec<DMatrix<S>> = (x.iter().zip(dx))
        .map(|(x, dx)| {
            let mut record = |(i, x): (usize, &Complex<f64>)| {
                let t = along(dx, i);
                let [re, im] = [T::curve(x.re, t.re), T::curve(x.im, t.im)].map(|x| tape.variable(x));
                variables.push([re, im]);
                S::of_parts(re, im)
            };
            let entries: Vec<S> = x.iter().enumerate().map(&mut record).collect();
            DMatrix::from_vec(x.nrows(), x.ncols(), entries)
        })
        .collect();
    let y = function.at(&inputs)?;
    let mut pairs = Vec::new();
    for ((_, y), cot) in y.iter().zip(cot) {
        for (y, c) in y.iter().zip(cot.iter().flatten()) {
            pairs.push((y.re, T::lit(c.re)));
            pairs.push((y.im, T::lit(c.im)));
        }
    }
    let found = tape.cotangents_of(&pairs);
    let mut parts = Vec::new();
    for [re, im] in variables {
        let im = if S::IS_REAL { T::lit(0.0) } else { found.of(im) };
        push(found.of(re), im, &mut parts);
    }
    let shapes: Vec<_> = x.iter().map(|x| x.shape()).collect();
    Ok(by_order(&shapes, T::PARTS, &parts))
}

macro_rules! over {
    ($F:ident, $real:ident, $complex:ident) => {
        impl Curve for $F {
            const PARTS: usize = 1;
            fn curve(x: f64, _: f64) -> $F {
                x as $F
            }
            fn push(self, parts: &mut Vec<f64>) {
                parts.push(self.into());
            }
        }
        impl Curve for Dual<$F> {
            const PARTS: usize = 2;
            fn curve(x: f64, t: f64) -> Self {
                Dual::new(x as $F, t as $F)
            }
            fn push(self, parts: &mut Vec<f64>) {
                parts.extend([self.value().into(), self.tangent().into()] as [f64; 2]);
            }
        }
        impl Curve for Dual<Dual<$F>> {
            const PARTS: usize = 3;
            fn curve(x: f64, t: f64) -> Self {
                Dual::new(Dual::curve(x, t), Dual::curve(t, 0.0))
            }
            fn push(self, parts: &mut Vec<f64>) {
                self.value().push(parts);
                parts.push(self.tangent().tangent().into());
            }
        }
        impl Curve for Dual<Dual<Dual<$F>>> {
            const PARTS: usize = 4;
            fn curve(x: f64, t: f64) -> Self {
                Dual::new(Dual::<Dual<$F>>::curve(x, t), Dual::<Dual<$F>>::curve(t, 0.0))
            }
            fn push(self, parts: &mut Vec<f64>) {
                let (y, t) = (self.value(), self.tangent());
                let second = t.tangent();
                let all = [y.value().value(), t.value().value(), second.value(), second.tangent()];
                parts.extend(all.map(f64::from));
            }
        }
        const $real: [Way; 5] = [
            way("forward", 1, forward::<Dual<$F>, Dual<$F>>),
            back("reverse", 1, reverse::<$F, Var<$F>>),
            way("forward 2", 2, forward::<Dual<Dual<$F>>, Dual<Dual<$F>>>),
            back("reverse 2", 2, reverse::<Dual<$F>, Var<Dual<$F>>>),
            way("forward 3", 3, forward::<Dual<Dual<Dual<$F>>>, Dual<Dual<Dual<$F>>>>),
        ];
        const $complex: [Way; 5] = [
            way("forward", 1, forward::<Dual<$F>, Dual<Complex<$F>>>),
            way("forward parts", 1, forward::<Dual<$F>, Complex<Dual<$F>>>),
            back("reverse", 1, reverse::<$F, Complex<Var<$F>>>),
            way("forward 2", 2, forward::<Dual<Dual<$F>>, Dual<Dual<Complex<$F>>>>),
            back("reverse 2", 2, reverse::<Dual<$F>, Complex<Var<Dual<$F>>>>),
        ];
    };
}
over!(f64, DOUBLE, COMPLEX_DOUBLE);
over!(f32, SINGLE, COMPLEX_SINGLE);

type Run = fn(Function, &[Entries], &Groups, &Groups) -> Found;

const fn way(name: &'static str, order: usize, run: Run) -> Way {
    Way { name, order, is_backward: false, run }
}

const fn back(name: &'static str, order: usize, run: Run) -> Way {
    Way { name, order, is_backward: true, run }
}

/// The ways over a float.
pub fn ways(is_double: bool, complex: bool) -> [Way; 5] {
    match (is_double, complex) {
        (true, false) => DOUBLE,
        (true, true) => COMPLEX_DOUBLE,
        (false, false) => SINGLE,
        (false, true) => COMPLEX_SINGLE,
    }
}
