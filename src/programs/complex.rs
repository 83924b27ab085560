//! `TracedComplex`: a complex number made of two traced numbers.

use core::fmt;
use core::ops::{Add, Div, Mul, Neg, Sub};

use num_complex::Complex;

use super::primitives;
use super::traced::Traced;
use crate::error::AdError;
use crate::lift::{Extension, Primitive};
use crate::linear_map::LinearMap;
use crate::number::{Declared, Number, Real};
use crate::rules::{Holomorphic, HolomorphicBinary, boundary};

/// A complex number in a trace: two [`Traced`] numbers. Operators are recorded as num-complex does them, part by part;
/// functions are one operation each, with the values of [`complex`](crate::complex). `From` converts from and to
/// `Complex<Traced>`.
///
/// Functions of complex matrices run in this arithmetic up to six rows. Where they compare entries, as a solution does, the
/// program runs at its point only. Functions of larger matrices, and complex primitives, are [`AdError::Unsupported`] or panic
/// with its text.
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
    /// The results of a primitive of these numbers, a group of two parts each.
    #[track_caller]
    fn call<const N: usize>(rule: impl Primitive<f64>, z: [Self; N]) -> Self {
        let parts = z.map(|z| [z.re, z.im]);
        let y = primitives::record(rule, &parts.each_ref().map(|z| &z[..])).expect("a value always exists");
        TracedComplex::new(y[0], y[1])
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
        items.fold(Self::lit(1.0), |product, z| product * z)
    }
    #[track_caller]
    fn lift_holomorphic<H: Holomorphic>(self, rule: H) -> Self {
        Self::call(ComplexUnary(rule), [self])
    }
    #[track_caller]
    fn lift_holomorphic2<H: HolomorphicBinary>(self, w: Self, rule: H) -> Self {
        Self::call(ComplexBinary(rule), [self, w])
    }
    fn lift_primitive<R: Primitive<Complex<f64>>>(rule: &R, _: &[&[Self]]) -> Result<Vec<Self>, AdError> {
        Err(AdError::Unsupported { op: rule.name(), rule: "complex numbers in a trace" })
    }
}

/// A function of a complex number, of its real and imaginary part.
#[derive(Clone, Copy)]
struct ComplexUnary<H>(H);

/// A function of two complex numbers, of their real and imaginary parts.
#[derive(Clone, Copy)]
struct ComplexBinary<H>(H);

// Rules of one operation hold no numbers with derivatives, here as in `Op::Unary`.
impl<H> Unpin for ComplexUnary<H> {}
impl<H> Unpin for ComplexBinary<H> {}

/// The complex number over the real numbers `T`.
type ComplexNumber<T> = <<T as Number>::Re as Real>::Complex;

fn joined<T: Number>(parts: &[T]) -> ComplexNumber<T> {
    ComplexNumber::<T>::from_parts(parts[0].re(), parts[1].re())
}

/// `ẏ = Σ dᵢżᵢ`, `z̄ᵢ = conj(dᵢ)·ȳ`.
struct ComplexSlopes<T: Number>(Vec<ComplexNumber<T>>);

impl<T: Number> LinearMap<T> for ComplexSlopes<T> {
    fn apply(&self, tangents: &[Option<&[T]>], out: &mut [T]) {
        let mut y = ComplexNumber::<T>::lit(0.0);
        for (&d, t) in self.0.iter().zip(tangents) {
            y += t.map_or(ComplexNumber::<T>::lit(0.0), |t| d.strong_mul(joined(t)));
        }
        (out[0], out[1]) = (T::from_re(y.re()), T::from_re(y.im()));
    }
    fn apply_transpose_add(&self, cotangent: &[T], out: &mut [Option<&mut [T]>]) {
        for (&d, out) in self.0.iter().zip(out) {
            let z = d.conj().strong_mul(joined(cotangent));
            if let Some(out) = out {
                out[0] += T::from_re(z.re());
                out[1] += T::from_re(z.im());
            }
        }
    }
}

impl<H: Holomorphic> Primitive<f64> for ComplexUnary<H> {
    type Map<T: Extension<f64>> = ComplexSlopes<T>;
    fn name(&self) -> &'static str {
        H::NAME
    }
    fn value(&self, x: &[&[f64]]) -> Result<Vec<f64>, AdError> {
        let y = joined(x[0]).lift_holomorphic(self.0);
        Ok(vec![y.re, y.im])
    }
    fn linearize<T: Extension<f64>>(&self, x: Vec<Vec<T>>, y: &[T]) -> Result<Self::Map<T>, AdError> {
        let (z, f) = (joined(&x[0]), joined(y));
        Ok(ComplexSlopes(vec![boundary::partial(H::NAN_SAFE, || z, f, self.0.derivative(z, f))]))
    }
}

impl<H: HolomorphicBinary> Primitive<f64> for ComplexBinary<H> {
    type Map<T: Extension<f64>> = ComplexSlopes<T>;
    fn name(&self) -> &'static str {
        H::NAME
    }
    fn value(&self, x: &[&[f64]]) -> Result<Vec<f64>, AdError> {
        let y = joined(x[0]).lift_holomorphic2(joined(x[1]), self.0);
        Ok(vec![y.re, y.im])
    }
    fn linearize<T: Extension<f64>>(&self, x: Vec<Vec<T>>, y: &[T]) -> Result<Self::Map<T>, AdError> {
        let (point, f) = ([joined(&x[0]), joined(&x[1])], joined(y));
        let slopes = self.0.partials(point[0], point[1], f);
        Ok(ComplexSlopes(slopes.map(|d| boundary::partial2(point, f, d)).to_vec()))
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
