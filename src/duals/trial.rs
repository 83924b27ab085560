//! A number type as CONTRIBUTING describes one, written for this test: a value and the tangents of two directions.

#![allow(dead_code)] // it has all methods of a number, and a test calls a few

use core::fmt::{self, Display, Formatter};
use core::ops::{Div, Mul};

use super::DualN;
use crate::lift::TangentLanes;
use crate::number::{BaseFloat, Number, Real};
use crate::rules::{self, Binary, Holomorphic, HolomorphicBinary, Unary, boundary};

#[derive(Clone, Copy, Debug)]
pub(crate) struct Two<T> {
    pub(crate) value: T,
    pub(crate) left: T,
    pub(crate) right: T,
}

carries_derivatives!((T) Two<T>);

each_part!(#[inline] () Two[], |x, f| Two::new(f(x.value), f(x.left), f(x.right)));

impl<T> Two<T> {
    pub(crate) fn new(value: T, left: T, right: T) -> Self {
        Two { value, left, right }
    }
}

impl<T: Number> Two<T> {
    fn constant(value: T) -> Self {
        Two::new(value, T::lit(0.0), T::lit(0.0))
    }
    fn value(self) -> T {
        self.value
    }
    fn with_value(self, value: T) -> Self {
        Two { value, ..self }
    }
    /// The result `f` with the partials of each operand.
    fn along<const N: usize>(f: T, partials: [T; N], operands: [Self; N]) -> Self {
        let sum = |tangent: fn(Self) -> T| {
            let terms = partials.iter().zip(operands).map(|(d, x)| d.strong_mul(tangent(x)));
            terms.fold(T::lit(0.0), |sum, term| sum + term)
        };
        Two::new(f, sum(|x| x.left), sum(|x| x.right))
    }
}

impl<T: Number> Number for Two<T> {
    type Re = Two<T::Re>;
    each_part!(#[inline], |rule, x| crate::lift::push_forward(rule, x));
    each_part!(map_parts #[inline]);
    fn zip_parts(self, y: Self, value: impl FnOnce(T, T) -> T, tangent: impl Fn(T, T) -> T + Copy) -> Self {
        Two::new(value(self.value, y.value), tangent(self.left, y.left), tangent(self.right, y.right))
    }
    fn fold_parts<A>(self, value: impl FnOnce(T) -> A, tangent: impl Fn(A, T) -> A) -> A {
        tangent(tangent(value(self.value), self.left), self.right)
    }
    fn lift_holomorphic<H: Holomorphic>(self, rule: H) -> Self {
        let f = self.value.lift_holomorphic(rule);
        let d = boundary::partial(H::NAN_SAFE, || self.value, f, rule.derivative(self.value, f));
        Two::along(f, [d], [self])
    }
    fn lift_holomorphic2<H: HolomorphicBinary>(self, y: Self, rule: H) -> Self {
        let point = [self.value, y.value];
        let f = point[0].lift_holomorphic2(point[1], rule);
        Two::along(
            f,
            rule.partials(point[0], point[1], f).map(|d| boundary::partial2(point, f, d)),
            [self, y],
        )
    }
}

impl<T: Number> TangentLanes for Two<T> {
    const LANES: usize = 2;
    fn lane(&self, lane: usize) -> T {
        [self.left, self.right][lane]
    }
    fn assemble(value: T, lane: impl Fn(usize) -> T) -> Self {
        Two::new(value, lane(0), lane(1))
    }
}

impl<T: Real> Real for Two<T> {
    each_part!(real #[inline] Two<T::Complex>);
    fn lift1<U: Unary>(self, rule: U) -> Self {
        let f = self.value.lift1(rule);
        let d = boundary::partial(U::NAN_SAFE, || self.value, f, rule.derivative(self.value, f));
        Two::along(f, [d], [self])
    }
    fn lift2<B: Binary>(self, y: Self, rule: B) -> Self {
        let point = [self.value, y.value];
        let f = point[0].lift2(point[1], rule);
        Two::along(
            f,
            rule.partials(point[0], point[1], f).map(|d| boundary::partial2(point, f, d)),
            [self, y],
        )
    }
}

sums!(#[inline] () Two[], fields value left right);

impl<T: Number> Mul for Two<T> {
    type Output = Self;
    fn mul(self, y: Self) -> Self {
        let (v, w) = (self.value, y.value);
        self.zip_parts(y, |x, y| x * y, |s, t| s * w + v * t)
    }
}

impl<T: Number> Div for Two<T> {
    type Output = Self;
    #[allow(clippy::suspicious_arithmetic_impl)] // the quotient rule multiplies
    fn div(self, y: Self) -> Self {
        let (q, r) = (self.value / y.value, y.value.recip());
        let over =
            |s: T, t: T| boundary::quotient(q, y.value, r, s - q * t, || s - boundary::strong(q, q, t));
        self.zip_parts(y, |_, _| q, over)
    }
}

impl<T: Number> Display for Two<T> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "{} + {}ε₁ + {}ε₂", self.value, self.left, self.right)
    }
}

scalar!((T: Number) Two<T>, Two<Two<T>>);
complex_layout!((T: Real) Two<T>);

/// Formulas of every kind of row.
fn trial<T: Real<Base = f64>>(x: T, y: T) -> T {
    let z = Number::sin(x * y) / (Number::exp(y) + 1.0) - Number::powf(x, y) + Real::atan2(x.max(y), x) * 2.0;
    Real::hypot(z, x) + Number::sqrt(Number::powi(y, 3)) - Number::ln_1p(Real::abs(x - y))
}

#[test]
fn a_number_type_of_one_file_differentiates() {
    let (x, y) = (1.3, 0.7);
    let want = trial::<DualN<f64, 2>>(DualN::variable(x, 0), DualN::variable(y, 1));
    let got = trial(Two::new(x, 1.0, 0.0), Two::new(y, 0.0, 1.0));
    assert_eq!(got.value, want.value());
    for (got, want) in [got.left, got.right].into_iter().zip(want.tangents()) {
        assert!((got - want).abs() <= 4.0 * f64::EPSILON * want.abs(), "{got} {want}");
    }
    // Nested, and a tangent that is zero at a singular point.
    let nested = trial(
        Two::new(Two::new(x, 1.0, 0.0), Two::constant(1.0), Two::constant(0.0)),
        Two::constant(Two::constant(y)),
    );
    let twice: DualN<DualN<f64, 1>, 1> =
        trial(DualN::variable(DualN::variable(x, 0), 0), DualN::constant(DualN::constant(y)));
    assert!((nested.left.left - twice.tangents()[0].tangents()[0]).abs() < 1e-13);
    let root = Number::sqrt(Two::new(0.0, 1.0, 0.0));
    assert_eq!((root.left, root.right), (f64::INFINITY, 0.0));
    assert_eq!(Number::ln(Two::<f64>::constant(0.0)).left, 0.0);
    // So are quotients: a tangent of zero stays zero, also if another is infinite.
    let quotient = Two::new(1.0, 1.0, 0.0) / Two::constant(0.0);
    assert_eq!((quotient.left, quotient.right), (f64::INFINITY, 0.0));
    let quotient = Two::constant(f64::INFINITY) / Two::new(2.0, 0.0, 1.0);
    assert_eq!((quotient.left, quotient.right), (0.0, f64::NEG_INFINITY));
}
