//! The number types as routes from a program to its derivatives along one direction.

use nalgebra::{Complex, DMatrix};
use wengert::matrix::Entry;
use wengert::{AdError, Dual, Dual2, DualN, HyperDual, Number, Real, Tape, Var};

use super::programs::{Entries, Outputs, Program};

/// A primal number that the entries of the table are read as.
pub trait PrimalNumber: Number<Base = f64, Primal = Self, Re = f64> {
    fn of(x: Complex<f64>) -> Self;
}

impl PrimalNumber for f64 {
    fn of(x: Complex<f64>) -> Self {
        assert_eq!(x.im, 0.0, "a complex entry of a real row");
        x.re
    }
}

impl PrimalNumber for Complex<f64> {
    fn of(x: Complex<f64>) -> Self {
        x
    }
}

/// A number type of forward mode over `P`.
pub trait Route<P>: Entry<Base = f64> {
    /// `x + ẋ·t`.
    fn seed(x: P, dx: P) -> Self;
    /// The derivatives in `t` that a result holds, each with its order.
    fn parts(y: Self::Re) -> Vec<(usize, f64)>;
}

macro_rules! routes {
    ($($N:ty, $R:ty: $seed:expr => $parts:expr;)*) => {$(
        impl<P: PrimalNumber> Route<P> for $N
        where
            $N: Entry<Base = f64, Re = $R>,
        {
            fn seed(x: P, dx: P) -> Self {
                let seed: fn(P, P) -> Self = $seed;
                seed(x, dx)
            }
            fn parts(y: $R) -> Vec<(usize, f64)> {
                let parts: fn($R) -> Vec<(usize, f64)> = $parts;
                parts(y)
            }
        }
    )*};
}

// Where a tangent fills several entries, all of them hold the same derivative.
routes! {
    Dual<P>, Dual<f64>: Dual::new => |y| vec![(0, y.value()), (1, y.tangent())];
    DualN<P, 3>, DualN<f64, 3>: |x, t| DualN::new(x, [t, P::lit(0.0), t * P::lit(-2.0)])
        => |y| {
            // A lane of zeros stays one.
            let [first, zero, third] = y.tangents();
            let silent = if zero == 0.0 { 0.0 } else { f64::NAN };
            vec![(0, y.value()), (1, first + silent), (1, third * -0.5)]
        };
    Dual<Dual<P>>, Dual<Dual<f64>>: |x, t| Dual::new(Dual::new(x, t), Dual::constant(t))
        => |y| vec![
            (0, y.value().value()), (1, y.value().tangent()), (1, y.tangent().value()), (2, y.tangent().tangent()),
        ];
    HyperDual<P>, HyperDual<f64>: |x, t| HyperDual::new(x, t, t, P::lit(0.0))
        => |y| vec![(0, y.value()), (1, y.e1()), (1, y.e2()), (2, y.e12())];
    Dual2<P, 1, 1>, Dual2<f64, 1, 1>: |x, t| Dual2::from_fn(x, |_| t, |_, _| P::lit(0.0))
        => |y| vec![(0, y.value()), (1, y.gradient()[0]), (2, y.second(0, 0))];
}

/// The other layout of complex tangents.
impl Route<Complex<f64>> for Complex<Dual<f64>>
where
    Complex<Dual<f64>>: Entry<Base = f64, Re = Dual<f64>>,
{
    fn seed(x: Complex<f64>, dx: Complex<f64>) -> Self {
        Complex::new(Dual::new(x.re, dx.re), Dual::new(x.im, dx.im))
    }
    fn parts(y: Dual<f64>) -> Vec<(usize, f64)> {
        vec![(0, y.value()), (1, y.tangent())]
    }
}

/// The derivatives of all results along `dx`, each with the name of the result and its order.
pub type Derivatives = Vec<(&'static str, usize, Entries)>;

/// The values only, at primal numbers.
pub fn values<P: PrimalNumber>(program: &impl Program, x: &[Entries]) -> Result<Derivatives, AdError> {
    let x: Vec<DMatrix<P>> = x.iter().map(|x| x.map(P::of)).collect();
    Ok(program.call::<P>(&x)?.into_iter().map(|(name, y)| (name, 0, y)).collect())
}

pub fn forward<P: PrimalNumber, S: Route<P>>(
    program: &impl Program,
    x: &[Entries],
    dx: &[Entries],
) -> Result<Derivatives, AdError> {
    let seeded = |(x, dx): (&Entries, &Entries)| x.zip_map(dx, |x, dx| S::seed(P::of(x), P::of(dx)));
    let x: Vec<DMatrix<S>> = x.iter().zip(dx).map(seeded).collect();
    let mut derivatives = Vec::new();
    for (name, y) in program.call(&x)? {
        let parts = y.map(|y| S::parts(y.re).into_iter().zip(S::parts(y.im)).collect::<Vec<_>>());
        for k in 0..parts[0].len() {
            let part = parts.map(|parts| Complex::new(parts[k].0.1, parts[k].1.1));
            derivatives.push((name, parts[0][k].0.0, part));
        }
    }
    Ok(derivatives)
}

/// An entry on a tape of `T`.
pub trait Recorded<T: Real<Base = f64>>: Entry<Base = f64, Re = Var<T>> {
    /// A number of these real and imaginary parts, as variables where the type has them.
    fn record(tape: &Tape<T>, re: T, im: T) -> (Self, [Option<Var<T>>; 2]);
}

impl<T: Real<Base = f64>> Recorded<T> for Var<T>
where
    Var<T>: Entry<Base = f64, Re = Var<T>>,
{
    fn record(tape: &Tape<T>, re: T, _: T) -> (Self, [Option<Var<T>>; 2]) {
        let x = tape.variable(re);
        (x, [Some(x), None])
    }
}

impl<T: Real<Base = f64>> Recorded<T> for Complex<Var<T>>
where
    Complex<Var<T>>: Entry<Base = f64, Re = Var<T>>,
{
    fn record(tape: &Tape<T>, re: T, im: T) -> (Self, [Option<Var<T>>; 2]) {
        let [re, im] = [re, im].map(|x| tape.variable(x));
        (Complex::new(re, im), [Some(re), Some(im)])
    }
}

/// Matrices of real and imaginary parts.
type Parts<T> = Vec<DMatrix<[T; 2]>>;

fn parts_of<T: Real<Base = f64>>(x: &[Entries]) -> Parts<T> {
    x.iter().map(|x| x.map(|x| [T::lit(x.re), T::lit(x.im)])).collect()
}

/// The cotangents of named results.
pub type Cotangents<'a> = [(&'a str, Entries)];

/// The results that have a cotangent, part by part, with it.
fn weighted<R: Real<Base = f64>>(y: &Outputs<R>, cot: &Cotangents) -> Vec<(R, f64)> {
    let mut pairs = Vec::new();
    for (name, cot) in cot {
        let (_, y) = y.iter().find(|(n, _)| n == name).expect("a result of this name");
        assert_eq!(y.shape(), cot.shape(), "{name}");
        pairs.extend(y.iter().zip(cot).flat_map(|(y, c)| [(y.re, c.re), (y.im, c.im)]));
    }
    pairs
}

/// The gradient of `Re⟨ȳ, F⟩` in real and imaginary parts, at any real number.
fn gradient<T: Real<Base = f64>, S: Recorded<T>>(
    program: &impl Program,
    x: &Parts<T>,
    cot: &Cotangents,
) -> Result<Parts<T>, AdError> {
    let tape = Tape::new();
    let both: Vec<_> = x.iter().map(|x| x.map(|[re, im]| S::record(&tape, re, im))).collect();
    let inputs: Vec<DMatrix<S>> = both.iter().map(|x| x.map(|(s, _)| s)).collect();
    let y = weighted(&program.call(&inputs)?, cot);
    let cotangents = tape.cotangents_of(&y.iter().map(|&(y, c)| (y, T::lit(c))).collect::<Vec<_>>());
    let of = |x: Option<Var<T>>| x.map_or(T::lit(0.0), |x| cotangents.of(x));
    Ok(both.iter().map(|x| x.map(|(_, parts)| parts.map(of))).collect())
}

fn complex<T: nalgebra::Scalar>(x: Parts<T>, part: impl Fn(T) -> f64) -> Vec<Entries> {
    x.into_iter().map(|x| x.map(|[re, im]| Complex::new(part(re), part(im)))).collect()
}

/// The cotangents of the inputs: `x̄` of `Re⟨ȳ, F⟩`.
pub fn reverse<S: Recorded<f64>>(
    program: &impl Program,
    x: &[Entries],
    cot: &Cotangents,
) -> Result<Vec<Entries>, AdError> {
    Ok(complex(gradient::<f64, S>(program, &parts_of(x), cot)?, |x| x))
}

/// The derivative of `x̄` along `dx`, with `x̄`: forward over reverse.
pub fn forward_over_reverse<S: Recorded<Dual<f64>>>(
    program: &impl Program,
    x: &[Entries],
    dx: &[Entries],
    cot: &Cotangents,
) -> Result<[Vec<Entries>; 2], AdError> {
    let seed = |x: Complex<f64>, dx: Complex<f64>| [Dual::new(x.re, dx.re), Dual::new(x.im, dx.im)];
    let x: Parts<Dual<f64>> = x.iter().zip(dx).map(|(x, dx)| x.zip_map(dx, seed)).collect();
    let g = gradient::<Dual<f64>, S>(program, &x, cot)?;
    Ok([complex(g.clone(), Dual::value), complex(g, Dual::tangent)])
}

/// Second derivatives by a second sweep over the first one.
pub fn reverse_over_reverse<S: Recorded<Var<f64>>>(
    program: &impl Program,
    x: &[Entries],
    dx: &[Entries],
    cot: &Cotangents,
) -> Result<Vec<Entries>, AdError> {
    let tape = Tape::new();
    let x: Parts<Var<f64>> =
        x.iter().map(|x| x.map(|x| [tape.variable(x.re), tape.variable(x.im)])).collect();
    let g = gradient::<Var<f64>, S>(program, &x, cot)?;
    let terms = g.iter().zip(dx).flat_map(|(g, dx)| g.iter().zip(dx));
    let slope: Vec<_> = terms.flat_map(|(g, dx)| [(g[0], dx.re), (g[1], dx.im)]).collect();
    let cotangents = tape.cotangents_of(&slope);
    Ok(complex(x, |x| cotangents.of(x)))
}

/// Second derivatives by a sweep over tangents.
pub fn reverse_over_forward<S>(
    program: &impl Program,
    x: &[Entries],
    dx: &[Entries],
    cot: &Cotangents,
) -> Result<Vec<Entries>, AdError>
where
    S: Entry<Base = f64, Re = Dual<Var<f64>>>,
{
    let tape = Tape::new();
    let x: Parts<Var<f64>> =
        x.iter().map(|x| x.map(|x| [tape.variable(x.re), tape.variable(x.im)])).collect();
    let seed = |x: Var<f64>, dx: f64| Dual::new(x, Var::constant(dx));
    let seeded = |(x, dx): (&DMatrix<[Var<f64>; 2]>, &Entries)| {
        x.zip_map(dx, |x, dx| S::of_parts(seed(x[0], dx.re), seed(x[1], dx.im)))
    };
    let inputs: Vec<DMatrix<S>> = x.iter().zip(dx).map(seeded).collect();
    let y = weighted(&program.call(&inputs)?, cot);
    let cotangents = tape.cotangents_of(&y.iter().map(|(y, c)| (y.tangent(), *c)).collect::<Vec<_>>());
    Ok(complex(x, |x| cotangents.of(x)))
}
