//! `ComplexVar<T>`: a complex number of two variables of a tape.

use core::fmt;
use core::ops::{Add, Div, Mul, Neg, Sub};

use num_complex::Complex;

use super::complex_block;
use super::fan;
use super::var::Var;
use crate::error::AdError;
use crate::number::{BaseFloat, Number, Real, wide::products_of_others};
use crate::primitive::Primitive;
use crate::rules::{self, Holomorphic, HolomorphicBinary, boundary};

/// A complex variable of reverse mode: real and imaginary part are variables of a tape, and functions of it are
/// rules, recorded as the real-linear maps that they are.
///
/// The tangent of `f(z)` is `f′(z)·ż`, so its cotangent goes back as `z̄ = ȳ·conj(f′(z))`. The functions of
/// num-complex on `Complex<Var<T>>` lose derivatives where they take short-cuts; these do not. The two convert into one
/// another by `From`.
///
/// Values are bit for bit those of machine numbers: operators those of num-complex, functions those of
/// [`complex`](crate::complex). A real constant in front, `c − z` and `c/z`, is `c + 0i`, which may be seen at the sign
/// of a zero and at infinity.
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
    re: Var<T>,
    im: Var<T>,
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
    /// A constant: no tape, no derivative.
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
    fn linear(
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
    fn each(self, f: impl Fn(Var<T>) -> Var<T>) -> Self {
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

complex_layout!((T: Real) Var<T>);

carries_derivatives!((T) ComplexVar<T>);

impl<T: Real> Number for ComplexVar<T> {
    type Base = T::Base;
    type Primal = <T::Complex as Number>::Primal;
    type Re = Var<T>;
    type Over<S: Real> = S::Complex;
    const REAL: bool = false;
    const RECORDS: bool = true;
    const ORDER: usize = T::ORDER.saturating_add(1);
    #[inline(always)]
    fn base(x: T::Base) -> Self {
        Self::from_re(Var::base(x))
    }
    #[inline(always)]
    fn innermost(self) -> Self::Primal {
        self.value().innermost()
    }
    #[inline(always)]
    fn with_innermost(self, value: Self::Primal) -> Self {
        self.with_value(self.value().with_innermost(value))
    }
    #[inline(always)]
    fn constant_of(value: Self::Primal) -> Self {
        Self::constant(T::Complex::constant_of(value))
    }
    own_part!();
    #[inline(always)]
    fn re(self) -> Var<T> {
        self.re
    }
    #[inline(always)]
    fn im(self) -> Var<T> {
        self.im
    }
    #[inline(always)]
    fn conj(self) -> Self {
        ComplexVar { re: self.re, im: -self.im }
    }
    #[inline(always)]
    fn from_re(x: Var<T>) -> Self {
        ComplexVar { re: x, im: Var::lit(0.0) }
    }
    #[inline(always)]
    fn from_parts(re: Var<T>, im: Var<T>) -> Self {
        ComplexVar { re, im }
    }
    fn lift_holomorphic<H: Holomorphic>(self, rule: H) -> Self {
        let z = self.value();
        let f = z.lift_holomorphic(rule);
        let d = boundary::partial(H::NAN_SAFE, || z, f, rule.derivative(z, f));
        Self::linear(f, [(d, self)], T::strong_mul)
    }
    fn lift_holomorphic2<H: HolomorphicBinary>(self, w: Self, rule: H) -> Self {
        let point = [self.value(), w.value()];
        let f = point[0].lift_holomorphic2(point[1], rule);
        let [dz, dw] = rule.partials(point[0], point[1], f).map(|d| boundary::partial2(point, f, d));
        Self::linear(f, [(dz, self), (dw, w)], T::strong_mul)
    }
    #[inline(always)]
    fn component_sum(self) -> T::Base {
        self.re.component_sum() + self.im.component_sum()
    }
    fn visit(self, each: &mut dyn FnMut(f64)) {
        [self.re, self.im].into_iter().for_each(|part| part.visit(each));
    }
    #[inline(always)]
    fn map_components(self, f: impl Fn(T::Base) -> T::Base + Copy) -> Self {
        self.each(|part| part.map_components(f))
    }
    #[inline(always)]
    fn value_sum(self) -> T::Base {
        self.re.value_sum() + self.im.value_sum()
    }
    #[inline(always)]
    fn is_constant(self) -> bool {
        self.re.is_constant() && self.im.is_constant()
    }
    #[inline(always)]
    fn is_exactly_zero(self) -> bool {
        self.re.is_exactly_zero() && self.im.is_exactly_zero()
    }
    fn strong_mul(self, t: Self) -> Self {
        ComplexVar {
            re: self.re.strong_mul(t.re) - self.im.strong_mul(t.im),
            im: self.re.strong_mul(t.im) + self.im.strong_mul(t.re),
        }
    }
    fn strong_both(self, t: Self) -> Self {
        ComplexVar {
            re: self.re.strong_both(t.re) - self.im.strong_both(t.im),
            im: self.re.strong_both(t.im) + self.im.strong_both(t.re),
        }
    }
    fn nan_like(self) -> Self {
        self.each(Var::nan_like)
    }
    fn union_activity(self, other: Self) -> Self {
        ComplexVar { re: self.re.union_activity(other.re), im: self.im.union_activity(other.im) }
    }
    fn mask_inactive(self, by: Self) -> Self {
        let by = by.re.union_activity(by.im);
        self.each(|part| part.mask_inactive(by))
    }
    fn total<I: Iterator<Item = Self>>(items: I) -> Self {
        let items: Vec<_> = items.collect();
        let value = T::Complex::total(items.iter().map(|z| z.value()));
        let part = |part: fn(&Self) -> Var<T>| fan::sum(items.iter().map(part));
        ComplexVar { re: part(|z| z.re), im: part(|z| z.im) }.with_value(value)
    }
    /// As of real variables, `Π xᵢ` is one step.
    fn multiplied<I: Iterator<Item = Self>>(items: I) -> Self {
        let items: Vec<_> = items.collect();
        let values: Vec<_> = items.iter().map(|z| z.value()).collect();
        let terms = products_of_others(&values).into_iter().zip(items);
        Self::linear(values.iter().copied().product(), terms, T::strong_mul)
    }
    fn inner_product<I: Iterator<Item = (Self, Self)>>(pairs: I) -> Self {
        let pairs: Vec<_> = pairs.collect();
        let value = T::Complex::inner_product(pairs.iter().map(|(z, w)| (z.value(), w.value())));
        let parts = |z: [fn(Self) -> Var<T>; 2], w: [fn(Self) -> Var<T>; 2], sign: fn(Var<T>) -> Var<T>| {
            let terms = |&(a, b): &(Self, Self)| [(z[0](a), w[0](b)), (sign(z[1](a)), w[1](b))];
            fan::inner_product(pairs.iter().flat_map(terms))
        };
        let re = parts([Self::re, Self::im], [Self::re, Self::im], |x| -x);
        let im = parts([Self::re, Self::im], [Self::im, Self::re], |x| x);
        ComplexVar { re, im }.with_value(value)
    }
    fn lift_primitive<R: Primitive<Self::Primal>>(rule: &R, x: &[&[Self]]) -> Result<Vec<Self>, AdError> {
        complex_block::record(rule, x)
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

complex_scalar!((T: Real) ComplexVar<T>, T::Complex);
