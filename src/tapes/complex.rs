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
/// Values are bit for bit those of primal numbers: of num-complex for operators, of [`complex`](crate::complex) for
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
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub fn new(re: Var<T>, im: Var<T>) -> Self {
        ComplexVar { re, im }
    }
    pub(super) fn is_passive(&self) -> bool {
        self.re.is_passive() && self.im.is_passive()
    }
}

impl<T: Real> ComplexVar<T> {
    /// A constant, which is on no tape.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub fn constant(value: T::Complex) -> Self {
        ComplexVar { re: Var::constant(value.re()), im: Var::constant(value.im()) }
    }
    /// The value.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub fn value(self) -> T::Complex {
        T::Complex::from_parts(self.re.value(), self.im.value())
    }
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn with_value(self, value: T::Complex) -> Self {
        ComplexVar { re: self.re.with_value(value.re()), im: self.im.with_value(value.im()) }
    }
    /// A linear function of the number and its tangent.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn map_parts(self, f: impl Fn(T::Complex) -> T::Complex + Copy) -> Self {
        let part = |part: Var<T>| part.map_parts(|x| f(T::Complex::from_re(x)).re());
        ComplexVar { re: part(self.re), im: part(self.im) }.with_value(f(self.value()))
    }
    /// A result with the tangent `d·ż`; `product` multiplies a partial and a slope.
    #[cfg_attr(not(debug_assertions), inline(always))]
    #[track_caller]
    fn along(self, value: T::Complex, d: T::Complex, product: impl Fn(T, T) -> T + Copy) -> Self {
        // (a + ib)(ẋ + iẏ) = (aẋ − bẏ) + i(bẋ + aẏ)
        let (x, y, a, b) = (self.re, self.im, d.re(), d.im());
        let [ax, bx] = [a, b].map(|part| move || product(part, x.slope));
        let [by, ay] = [-b, a].map(|part| move || product(part, y.slope));
        ComplexVar {
            re: x.join(y, value.re(), || ax() + by(), ax, by),
            im: x.join(y, value.im(), || bx() + ay(), bx, ay),
        }
    }
    /// A result with the tangent `d·ż`; a zero in `ż` stays zero.
    #[cfg_attr(not(debug_assertions), inline(always))]
    #[track_caller]
    pub(super) fn chain(self, value: T::Complex, d: T::Complex) -> Self {
        if d.all_finite() {
            self.along(value, d, |d, slope| d * slope)
        } else {
            self.along_strongly(value, d)
        }
    }
    /// A result with the tangent `dz·ż + dw·ẇ`; a direction that is zero in both stays zero.
    #[cfg_attr(not(debug_assertions), inline(always))]
    #[track_caller]
    pub(super) fn chain2(self, w: Self, value: T::Complex, [dz, dw]: [T::Complex; 2]) -> Self {
        if dz.all_finite() && dw.all_finite() {
            self.along2(w, value, [dz, dw], |d, slope| d * slope)
        } else {
            self.along2_strongly(w, value, [dz, dw])
        }
    }
    /// A result with the tangent `dz·ż + dw·ẇ`.
    #[cfg_attr(not(debug_assertions), inline(always))]
    #[track_caller]
    fn along2(
        self,
        w: Self,
        value: T::Complex,
        [dz, dw]: [T::Complex; 2],
        product: impl Fn(T, T) -> T + Copy,
    ) -> Self {
        let (s, t) = (self.along(value, dz, product), w.along(value, dw, product));
        ComplexVar { re: sum_of(s.re, t.re, value.re()), im: sum_of(s.im, t.im, value.im()) }
    }
    #[cold]
    #[inline(never)]
    #[track_caller]
    fn along_strongly(self, value: T::Complex, d: T::Complex) -> Self {
        self.along(value, d, T::strong_mul)
    }
    #[cold]
    #[inline(never)]
    #[track_caller]
    fn along2_strongly(self, w: Self, value: T::Complex, d: [T::Complex; 2]) -> Self {
        self.along2(w, value, d, T::strong_mul)
    }
    /// Whether the imaginary part is zero and constant.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn is_real(self) -> bool {
        self.im.is_passive() && self.im.value().is_exactly_zero()
    }
    /// A result with the tangent `Σ dᵢżᵢ` of many terms, with strong zeros.
    #[track_caller]
    pub(super) fn linear(
        value: T::Complex,
        terms: impl IntoIterator<Item = (T::Complex, Self)> + Clone,
    ) -> Self {
        let re = terms.clone().into_iter().flat_map(|(d, z)| {
            [(d.re().strong_mul(z.re.slope), z.re), ((-d.im()).strong_mul(z.im.slope), z.im)]
        });
        let im = terms.into_iter().flat_map(|(d, z)| {
            [(d.im().strong_mul(z.re.slope), z.re), (d.re().strong_mul(z.im.slope), z.im)]
        });
        ComplexVar { re: fan::combination(value.re(), re), im: fan::combination(value.im(), im) }
    }
    /// A function of each part.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(super) fn each(self, f: impl Fn(Var<T>) -> Var<T>) -> Self {
        ComplexVar { re: f(self.re), im: f(self.im) }
    }
}

impl<T> From<Complex<Var<T>>> for ComplexVar<T> {
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn from(z: Complex<Var<T>>) -> Self {
        ComplexVar { re: z.re, im: z.im }
    }
}

impl<T> From<ComplexVar<T>> for Complex<Var<T>> {
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn from(z: ComplexVar<T>) -> Self {
        Complex { re: z.re, im: z.im }
    }
}

/// A real number.
impl<T: Real> From<Var<T>> for ComplexVar<T> {
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn from(x: Var<T>) -> Self {
        Self::from_re(x)
    }
}

/// The sum of two variables, with this value.
#[cfg_attr(not(debug_assertions), inline(always))]
#[track_caller]
fn sum_of<T: Real>(s: Var<T>, t: Var<T>, value: T) -> Var<T> {
    s.join(t, value, || s.slope + t.slope, || s.slope, || t.slope)
}

impl<T: Real> Add for ComplexVar<T> {
    type Output = Self;
    #[cfg_attr(not(debug_assertions), inline(always))]
    #[track_caller]
    fn add(self, w: Self) -> Self {
        ComplexVar { re: self.re + w.re, im: self.im + w.im }
    }
}

impl<T: Real> Sub for ComplexVar<T> {
    type Output = Self;
    #[cfg_attr(not(debug_assertions), inline(always))]
    #[track_caller]
    fn sub(self, w: Self) -> Self {
        ComplexVar { re: self.re - w.re, im: self.im - w.im }
    }
}

/// `żw + zẇ`, by parts; a real factor multiplies both.
impl<T: Real> Mul for ComplexVar<T> {
    type Output = Self;
    #[inline]
    #[track_caller]
    fn mul(self, w: Self) -> Self {
        let (a, b) = (self.value(), w.value());
        if w.is_real() {
            return ComplexVar { re: self.re * w.re, im: self.im * w.re }.with_value(a * b);
        }
        if self.is_real() {
            return ComplexVar { re: self.re * w.re, im: self.re * w.im }.with_value(a * b);
        }
        self.along2(w, a * b, [b, a], |d, slope| d * slope)
    }
}

/// `(ż − (z/w)·ẇ)/w`.
impl<T: Real> Div for ComplexVar<T> {
    type Output = Self;
    #[inline]
    #[track_caller]
    fn div(self, w: Self) -> Self {
        let point = [self.value(), w.value()];
        let q = point[0] / point[1];
        if w.is_real() && q.all_finite() {
            return ComplexVar { re: self.re / w.re, im: self.im / w.re }.with_value(q);
        }
        let r = point[1].recip();
        self.chain2(w, q, [r, -(q * r)].map(|d| boundary::partial2(point, q, d)))
    }
}

impl<T: Real> Neg for ComplexVar<T> {
    type Output = Self;
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn neg(self) -> Self {
        self.each(|part| -part)
    }
}

impl<T: Real> fmt::Display for ComplexVar<T> {
    /// The value only; precision and width apply to it.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.value(), f)
    }
}

impl<T: Real> fmt::Debug for ComplexVar<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ComplexVar").field("re", &self.re).field("im", &self.im).finish()
    }
}
