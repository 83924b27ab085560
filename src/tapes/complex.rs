//! `ComplexVar<T>`: a complex number made of two variables of a tape.

use core::fmt;
use core::ops::{Add, Div, Mul, Neg, Sub};

use num_complex::Complex;

use super::fan;
use super::var::Var;
use crate::number::{Number, Real};
use crate::rules::boundary;

/// A complex variable of reverse mode. Real and imaginary part are variables of a tape; functions are rules, recorded
/// as real-linear maps.
///
/// The tangent of `f(z)` is `f′(z)·ż`, and the cotangent `z̄ = ȳ·conj(f′(z))`. Unlike the functions of num-complex on
/// `Complex<Var<T>>`, these functions have no shortcuts that lose derivatives. `From` converts between the two types.
///
/// Values are bit for bit those of machine numbers: of num-complex for operators, of [`complex`](crate::complex) for
/// functions. A real constant on the left, as in `c − z` and `c/z`, is converted to `c + 0i`, which can change the
/// sign of a zero and results at infinity.
///
/// ```
/// use num_complex::Complex;
/// use wengert::{ComplexVar, Tape};
/// let tape = Tape::new();
/// let z = ComplexVar::new(tape.variable(3.0), tape.variable(4.0));
/// let w: ComplexVar<f64> = z.ln();
/// let dw = tape.cotangents(w.re());
/// assert_eq!((dw.of(z.re()), dw.of(z.im())), (0.12, 0.16)); // conj(1/z)
/// ```
#[derive(Clone, Copy)]
pub struct ComplexVar<T> {
    pub(super) re: Var<T>,
    pub(super) im: Var<T>,
}

impl<T> ComplexVar<T> {
    /// The number `re + i·im`.
    #[inline(always)]
    pub fn new(re: Var<T>, im: Var<T>) -> Self {
        ComplexVar { re, im }
    }
    pub(super) fn is_passive(&self) -> bool {
        self.re.is_passive() && self.im.is_passive()
    }
}

impl<T: Real> ComplexVar<T> {
    /// A constant, which is on no tape.
    #[inline(always)]
    pub fn constant(value: T::Complex) -> Self {
        ComplexVar { re: Var::constant(value.re()), im: Var::constant(value.im()) }
    }
    /// The value.
    #[inline(always)]
    pub fn value(self) -> T::Complex {
        T::Complex::from_parts(self.re.value(), self.im.value())
    }
    #[inline(always)]
    pub(crate) fn with_value(self, value: T::Complex) -> Self {
        ComplexVar { re: self.re.with_value(value.re()), im: self.im.with_value(value.im()) }
    }
    /// A linear function of the number and its tangent.
    #[inline(always)]
    pub(crate) fn map_parts(self, f: impl Fn(T::Complex) -> T::Complex + Copy) -> Self {
        let part = |part: Var<T>| part.map_parts(|x| f(T::Complex::from_re(x)).re());
        ComplexVar { re: part(self.re), im: part(self.im) }.with_value(f(self.value()))
    }
    /// A result with the tangent `Σ dᵢżᵢ`; `product` is that of a partial and a slope.
    #[inline]
    #[track_caller]
    pub(super) fn linear(
        value: T::Complex,
        terms: impl IntoIterator<Item = (T::Complex, Self)> + Clone,
        product: impl Fn(T, T) -> T + Copy,
    ) -> Self {
        // (a + ib)(ẋ + iẏ) = (aẋ − bẏ) + i(bẋ + aẏ)
        let re = terms.clone().into_iter().flat_map(|(d, z)| {
            [(product(d.re(), z.re.slope()), z.re), (product(-d.im(), z.im.slope()), z.im)]
        });
        let im = terms.into_iter().flat_map(|(d, z)| {
            [(product(d.im(), z.re.slope()), z.re), (product(d.re(), z.im.slope()), z.im)]
        });
        ComplexVar { re: fan::combination(value.re(), re), im: fan::combination(value.im(), im) }
    }
    /// A function of the parts one by one.
    #[inline(always)]
    pub(super) fn each(self, f: impl Fn(Var<T>) -> Var<T>) -> Self {
        ComplexVar { re: f(self.re), im: f(self.im) }
    }
}

impl<T> From<Complex<Var<T>>> for ComplexVar<T> {
    #[inline(always)]
    fn from(z: Complex<Var<T>>) -> Self {
        ComplexVar { re: z.re, im: z.im }
    }
}

impl<T> From<ComplexVar<T>> for Complex<Var<T>> {
    #[inline(always)]
    fn from(z: ComplexVar<T>) -> Self {
        Complex { re: z.re, im: z.im }
    }
}

/// A real number.
impl<T: Real> From<Var<T>> for ComplexVar<T> {
    #[inline(always)]
    fn from(x: Var<T>) -> Self {
        Self::from_re(x)
    }
}

impl<T: Real> Add for ComplexVar<T> {
    type Output = Self;
    #[inline(always)]
    #[track_caller]
    fn add(self, w: Self) -> Self {
        ComplexVar { re: self.re + w.re, im: self.im + w.im }
    }
}

impl<T: Real> Sub for ComplexVar<T> {
    type Output = Self;
    #[inline(always)]
    #[track_caller]
    fn sub(self, w: Self) -> Self {
        ComplexVar { re: self.re - w.re, im: self.im - w.im }
    }
}

/// `żw + zẇ`.
impl<T: Real> Mul for ComplexVar<T> {
    type Output = Self;
    #[track_caller]
    fn mul(self, w: Self) -> Self {
        let (a, b) = (self.value(), w.value());
        Self::linear(a * b, [(b, self), (a, w)], |d, slope| d * slope)
    }
}

/// `(ż − (z/w)·ẇ)/w`.
impl<T: Real> Div for ComplexVar<T> {
    type Output = Self;
    #[track_caller]
    fn div(self, w: Self) -> Self {
        let point = [self.value(), w.value()];
        let (q, r) = (point[0] / point[1], point[1].recip());
        let [dz, dw] = [r, -(q * r)].map(|d| boundary::partial2(point, q, d));
        Self::linear(q, [(dz, self), (dw, w)], T::strong_mul)
    }
}

impl<T: Real> Neg for ComplexVar<T> {
    type Output = Self;
    #[inline(always)]
    fn neg(self) -> Self {
        self.each(|part| -part)
    }
}

impl<T: Real> fmt::Display for ComplexVar<T> {
    /// The value alone; precision and width apply to it.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.value(), f)
    }
}

impl<T: Real> fmt::Debug for ComplexVar<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ComplexVar").field("re", &self.re).field("im", &self.im).finish()
    }
}
