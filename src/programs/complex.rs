//! `TracedComplex`: a complex number made of two traced numbers.

use core::fmt;
use core::ops::{Add, Div, Mul, Neg, Sub};

use num_complex::Complex;

use super::partials::{slopes_at, unknown};
use super::primitives;
use super::rules::{BinaryRule, RuleObject, by_nested_duals, identity_of};
use super::traced::Traced;
use crate::duals::Dual;
use crate::error::AdError;
use crate::lift::{Direction, Operation, OperationNumber, Primitive, views};
use crate::number::{AsNumber, Declared, Number, Real};
use crate::rules::{Holomorphic, HolomorphicBinary};

/// A complex number in a trace: two [`Traced`] numbers. Operators are recorded as num-complex does them, part by part;
/// each part of a function is an operation, with the value that [`complex`](crate::complex) has. `From` converts from
/// and to `Complex<Traced>`.
///
/// Powers with a complex exponent, functions of complex matrices and complex primitives are calls, as are products of
/// more than six rows.
///
/// ```
/// use wengert::programs::trace;
/// use wengert::{Number, Real};
/// fn modulus<T: Real>(x: &[T]) -> T { T::Complex::from_parts(x[0], x[1]).exp().modulus() }
/// let program = trace(|x| modulus(x), &[1.0, 2.0]);
/// assert_eq!(program.run(&[0.5, 3.0])?, [modulus(&[0.5, 3.0])]);
/// let g = program.gradient()?.run(&[0.5, 3.0])?;
/// assert!((g[0] - 0.5f64.exp()).abs() < 1e-15 && g[1].abs() < 1e-15);
/// # Ok::<(), wengert::AdError>(())
/// ```
#[derive(Clone, Copy)]
pub struct TracedComplex {
    re: Traced,
    im: Traced,
}

impl Declared for TracedComplex {
    const BY_MACRO: () = ();
}

impl TracedComplex {
    /// The number `re + i·im`.
    pub fn new(re: Traced, im: Traced) -> Self {
        TracedComplex { re, im }
    }
    /// The value. As [`Traced::value`], it leaves the program.
    #[track_caller]
    pub fn value(self) -> Complex<f64> {
        Complex::new(self.re.value(), self.im.value())
    }
    fn pair(self) -> Complex<Traced> {
        Complex::new(self.re, self.im)
    }
    /// Records a function of groups of these numbers.
    #[track_caller]
    fn record<F: Operation<Complex<f64>>>(function: F, z: &[&[Self]]) -> Result<Vec<Self>, AdError> {
        Ok(Self::of_parts(&primitives::record(OfParts(function), &views(&Self::parts_of(z)))?))
    }
    fn parts_of(z: &[&[Self]]) -> Vec<Vec<Traced>> {
        let parts = |z: &&[Self]| z.iter().map(|z| z.re).chain(z.iter().map(|z| z.im)).collect();
        z.iter().map(parts).collect()
    }
    fn of_parts(y: &[Traced]) -> Vec<Self> {
        let (re, im) = y.split_at(y.len() / 2);
        re.iter().zip(im).map(|(&re, &im)| TracedComplex::new(re, im)).collect()
    }
}

complex_layout!(() Traced);

impl Number for TracedComplex {
    type Base = f64;
    type Primal = Complex<f64>;
    type Re = Traced;
    const RECORDS: bool = true;
    const TRACES: bool = true;
    const ORDER: usize = Traced::ORDER;
    own_pair!();
    #[track_caller]
    fn innermost(self) -> Complex<f64> {
        self.value()
    }
    fn with_innermost(self, value: Complex<f64>) -> Self {
        Self::constant_of(value)
    }
    fn constant_of(value: Complex<f64>) -> Self {
        TracedComplex::new(Traced::constant(value.re), Traced::constant(value.im))
    }
    #[track_caller]
    fn detach(self) -> Self {
        TracedComplex::new(self.re.detach(), self.im.detach())
    }
    #[track_caller]
    fn mul_add(self, a: impl Into<Self>, b: impl Into<Self>) -> Self {
        num_traits::MulAdd::mul_add(self.pair(), a.into().pair(), b.into().pair()).into()
    }
    /// Factor by factor, as for real numbers.
    #[track_caller]
    fn multiplied<I: Iterator<Item = Self>>(items: I) -> Self {
        items.reduce(|product, z| product * z).unwrap_or(Self::lit(1.0))
    }
    /// As for real numbers: a formula that branches on values becomes an operation for each part.
    #[track_caller]
    fn slope_of<H: Holomorphic>(rule: H, z: Self, f: Self) -> Self {
        let values = |z: Self| Complex::new(z.re.value, z.im.value);
        let unknown = |z: Self| Self::new(unknown(z.re), unknown(z.im));
        let known = || {
            let d = rule.derivative(values(z), values(f));
            [d.im, d.re]
        };
        let formed = || {
            let d = rule.derivative(unknown(z), unknown(f));
            [d.im, d.re]
        };
        match slopes_at(BinaryRule(ComplexPart::<H, true>(rule)), [z.re, z.im], &known, &formed) {
            Some([im, re]) => Self::new(re, im),
            None => rule.derivative(z, f),
        }
    }
    #[track_caller]
    fn lift_holomorphic<H: Holomorphic>(self, rule: H) -> Self {
        Self::new(
            Traced::of_rule([self.re, self.im], BinaryRule(ComplexPart::<H, false>(rule)), [0; 2]),
            Traced::of_rule([self.re, self.im], BinaryRule(ComplexPart::<H, true>(rule)), [0; 2]),
        )
    }
    #[track_caller]
    fn lift_holomorphic2<H: HolomorphicBinary>(self, w: Self, rule: H) -> Self {
        Self::record(OfTwo(rule), &[&[self], &[w]]).expect("a value always exists")[0]
    }
    #[track_caller]
    fn lift_primitive<R: Primitive<Complex<f64>>>(rule: &R, x: &[&[Self]]) -> Result<Vec<Self>, AdError> {
        Self::record(rule.clone(), x)
    }
    #[track_caller]
    fn lift_operation<F: Operation<Complex<f64>>>(
        function: F,
        x: &[&[Self]],
    ) -> Option<Result<Vec<Self>, AdError>> {
        Some(Self::record(function, x))
    }
}

/// A function of complex numbers as one of their parts: the real parts of a group, then its imaginary parts.
struct OfParts<F>(F);

/// A part of a holomorphic function, as a function of the two parts of its argument.
#[derive(Clone, Copy)]
pub(super) struct ComplexPart<H, const IMAGINARY: bool>(pub(super) H);

impl<H: Holomorphic, const IMAGINARY: bool> fmt::Debug for ComplexPart<H, IMAGINARY> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}{}", self.0, if IMAGINARY { "(im)" } else { "(re)" })
    }
}

impl<H: Holomorphic, const IMAGINARY: bool> ComplexPart<H, IMAGINARY> {
    fn of(&self, z: Complex<f64>) -> f64 {
        if IMAGINARY { z.im } else { z.re }
    }
}

/// By the equations of Cauchy and Riemann, `∂f/∂x = f′` and `∂f/∂y = i·f′`.
impl<H: Holomorphic, const IMAGINARY: bool> RuleObject for BinaryRule<ComplexPart<H, IMAGINARY>> {
    identity_of!(ComplexPart<H, IMAGINARY>);
    fn arity(&self) -> usize {
        2
    }
    fn name(&self) -> &'static str {
        H::NAME
    }
    fn value(&self, x: f64, y: f64) -> f64 {
        self.0.of(Complex::new(x, y).lift_holomorphic(self.0.0))
    }
    fn derivative(&self, [m, n]: [u8; 2], x: f64, y: f64) -> f64 {
        let d = derivative(self.0.0, m + n, Complex::new(x, y));
        self.0.of((0..n % 4).fold(d, |d, _| Complex::new(-d.im, d.re)))
    }
    fn emit(&self, x: Traced, y: Traced, _f: Traced) -> [Traced; 2] {
        let z = TracedComplex::new(x, y);
        let d = TracedComplex::slope_of(self.0.0, z, z.lift_holomorphic(self.0.0));
        if IMAGINARY { [d.im, d.re] } else { [d.re, -d.im] }
    }
}

/// The derivative of order 0 to 4.
fn derivative<H: Holomorphic>(rule: H, order: u8, z: Complex<f64>) -> Complex<f64> {
    by_nested_duals!(order, z, lift_holomorphic(rule))
}

/// A function of the rule table, of two complex numbers.
struct OfTwo<H>(H);

/// The complex number over the real numbers of `S`.
type ComplexNumber<S> = <<S as AsNumber>::Re as Real>::Complex;

impl<F: Operation<Complex<f64>>> Operation<f64> for OfParts<F> {
    fn name(&self) -> &'static str {
        self.0.name()
    }
    fn supports(&self, direction: Direction) -> bool {
        self.0.supports(direction)
    }
    fn call<S: OperationNumber<f64>>(&self, x: &[&[S]]) -> Result<Vec<S>, AdError> {
        Ok(parts(&self.0.call(&views(&joined(x)))?))
    }
}

/// Groups of real and imaginary parts as complex numbers.
fn joined<S: OperationNumber<f64>>(x: &[&[S]]) -> Vec<Vec<ComplexNumber<S>>> {
    let joined = |group: &&[S]| {
        let (re, im) = group.split_at(group.len() / 2);
        let pairs = re.iter().zip(im);
        pairs.map(|(re, im)| ComplexNumber::<S>::from_parts(re.real_part(), im.real_part())).collect()
    };
    x.iter().map(joined).collect()
}

/// The real parts, then the imaginary parts.
fn parts<S: OperationNumber<f64>>(y: &[ComplexNumber<S>]) -> Vec<S> {
    let parts = y.iter().map(|y| y.re()).chain(y.iter().map(|y| y.im()));
    parts.map(S::of_real).collect()
}

impl<H: HolomorphicBinary> Operation<Complex<f64>> for OfTwo<H> {
    fn name(&self) -> &'static str {
        H::NAME
    }
    fn call<S: OperationNumber<Complex<f64>>>(&self, x: &[&[S]]) -> Result<Vec<S>, AdError> {
        let [z, w] = [x[0][0], x[1][0]].map(S::as_number);
        Ok(vec![S::from_number(z.lift_holomorphic2(w, self.0))])
    }
}

impl From<Complex<Traced>> for TracedComplex {
    fn from(z: Complex<Traced>) -> Self {
        TracedComplex::new(z.re, z.im)
    }
}

impl From<TracedComplex> for Complex<Traced> {
    fn from(z: TracedComplex) -> Self {
        z.pair()
    }
}

/// A real number.
impl From<Traced> for TracedComplex {
    fn from(x: Traced) -> Self {
        Self::from_re(x)
    }
}

impl From<f64> for TracedComplex {
    fn from(x: f64) -> Self {
        Self::base(x)
    }
}

impl From<Complex<f64>> for TracedComplex {
    fn from(z: Complex<f64>) -> Self {
        Self::constant_of(z)
    }
}

#[allow(clippy::partialeq_ne_impl)]
impl PartialEq for TracedComplex {
    #[track_caller]
    fn eq(&self, other: &Self) -> bool {
        self.re == other.re && self.im == other.im
    }
    // A provided method would name a line of core.
    #[track_caller]
    fn ne(&self, other: &Self) -> bool {
        self.re != other.re || self.im != other.im
    }
}

/// Operators as num-complex has them, for two numbers and for a real or complex constant on either side.
macro_rules! operators_of_parts {
    ($($Op:ident $op:ident;)*) => {$(
        impl $Op for TracedComplex {
            type Output = Self;
            #[track_caller]
            fn $op(self, w: Self) -> Self {
                $Op::$op(self.pair(), w.pair()).into()
            }
        }
        impl $Op<f64> for TracedComplex {
            type Output = Self;
            #[track_caller]
            fn $op(self, c: f64) -> Self {
                $Op::$op(self.pair(), Traced::constant(c)).into()
            }
        }
        impl $Op<Complex<f64>> for TracedComplex {
            type Output = Self;
            #[track_caller]
            fn $op(self, c: Complex<f64>) -> Self {
                $Op::$op(self, Self::constant_of(c))
            }
        }
        impl $Op<TracedComplex> for Complex<f64> {
            type Output = TracedComplex;
            #[track_caller]
            fn $op(self, z: TracedComplex) -> TracedComplex {
                $Op::$op(TracedComplex::constant_of(self), z)
            }
        }
    )*};
}
operators_of_parts! { Add add; Sub sub; Mul mul; Div div; }

impl core::ops::Rem<f64> for TracedComplex {
    type Output = Self;
    #[track_caller]
    fn rem(self, c: f64) -> Self {
        self % Self::base(c)
    }
}

impl Neg for TracedComplex {
    type Output = Self;
    #[track_caller]
    fn neg(self) -> Self {
        TracedComplex::new(-self.re, -self.im)
    }
}

impl fmt::Display for TracedComplex {
    /// The value only; precision and width apply to it.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&Complex::new(self.re.value, self.im.value), f)
    }
}

impl fmt::Debug for TracedComplex {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TracedComplex").field("re", &self.re).field("im", &self.im).finish()
    }
}

/// The component type that the macros of foreign traits refer to.
#[allow(dead_code)]
type T = f64;

#[allow(trivial_bounds)] // the macros state what the components of generic numbers have
mod foreign {
    use super::{T, TracedComplex};
    #[cfg(feature = "nalgebra")]
    use crate::number::BaseFloat;
    use crate::number::{Number, Real};
    use crate::rules;
    #[cfg(feature = "nalgebra")]
    use crate::rules::boundary;

    traced_complex_scalar!(TracedComplex);
}
