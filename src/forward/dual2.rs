//! `Dual2<T, N, M>`: a value, N tangents and their symmetric second derivatives.

use core::array::from_fn;
use core::fmt;
use core::ops::{Add, Div, Mul, Neg, Sub};

use super::{second, second_holomorphic, second_partials, second_partials_holomorphic};
use crate::number::{BaseFloat, Number, Real};
use crate::rules::{self, Binary, Holomorphic, HolomorphicBinary, Unary, boundary};

/// A value with `N` first and `M = N(N+1)/2` second derivatives: gradient and Hessian in one evaluation.
///
/// The second derivatives are packed by rows of the lower triangle, of which only whole pairs of columns stand in
/// the row; the last entries of even rows, `(0, 0), (2, 2), …`, follow behind all rows. So every row starts at an
/// even place and its loop runs over pairs. `M` is a parameter because stable Rust cannot compute it in a type; a
/// wrong `M` is a compile-time error.
///
/// ```
/// use wengert::Dual2;
/// let x: Dual2<f64, 2, 3> = Dual2::variable(2.0, 0);
/// let y: Dual2<f64, 2, 3> = Dual2::variable(3.0, 1);
/// let z = x * x * y;
/// assert_eq!((z.value(), z.gradient()), (12.0, [12.0, 4.0]));
/// assert_eq!((z.second(0, 0), z.second(0, 1), z.second(1, 1)), (6.0, 4.0, 0.0));
/// ```
///
/// ```compile_fail
/// let x: wengert::Dual2<f64, 2, 4> = wengert::Dual2::variable(2.0, 0);
/// ```
#[derive(Clone, Copy, Debug)]
#[repr(C, align(16))]
pub struct Dual2<T, const N: usize, const M: usize> {
    gradient: [T; N],
    hessian: [T; M],
    value: T,
}

impl<T, const N: usize, const M: usize> Dual2<T, N, M> {
    /// A value with its gradient and its packed Hessian.
    #[inline(always)]
    pub const fn new(value: T, gradient: [T; N], hessian: [T; M]) -> Self {
        const { assert!(M == N * (N + 1) / 2, "Dual2<T, N, M> needs M = N(N+1)/2") };
        Dual2 { value, gradient, hessian }
    }
    /// The value.
    #[inline(always)]
    pub fn value(self) -> T {
        self.value
    }
    /// The first derivatives.
    #[inline(always)]
    pub fn gradient(self) -> [T; N] {
        self.gradient
    }
    /// The second derivatives, packed; [`second`](Dual2::second) finds one.
    #[inline(always)]
    pub fn hessian(self) -> [T; M] {
        self.hessian
    }
}

impl<T: Number, const N: usize, const M: usize> Dual2<T, N, M> {
    /// The variable of direction `lane`.
    ///
    /// # Panics
    /// If `lane ≥ N`.
    #[inline(always)]
    pub fn variable(value: T, lane: usize) -> Self {
        let mut gradient = [T::lit(0.0); N];
        gradient[lane] = T::lit(1.0);
        Dual2::new(value, gradient, [T::lit(0.0); M])
    }
    /// A constant.
    #[inline(always)]
    pub fn constant(value: T) -> Self {
        Dual2::new(value, [T::lit(0.0); N], [T::lit(0.0); M])
    }
    /// The second derivative in directions `i` and `j`.
    ///
    /// # Panics
    /// If `i ≥ N` or `j ≥ N`.
    #[inline(always)]
    pub fn second(self, i: usize, j: usize) -> T {
        assert!(i < N && j < N, "second({i}, {j}) of a number with {N} directions");
        let (i, j) = if j <= i { (i, j) } else { (j, i) };
        self.hessian[if i == j && i % 2 == 0 { row_start(N) + i / 2 } else { row_start(i) + j }]
    }
    #[inline(always)]
    pub(crate) fn with_value(self, value: T) -> Self {
        Dual2 { value, ..self }
    }
    #[inline(always)]
    pub(crate) fn map_parts(self, f: impl Fn(T) -> T + Copy) -> Self {
        let (g, h) = (self.gradient, self.hessian);
        Dual2 { value: f(self.value), gradient: from_fn(|i| f(g[i])), hessian: from_fn(|k| f(h[k])) }
    }
    /// A number from its value and functions of lane, and of packed index, row and column.
    #[inline(always)]
    fn build(value: T, g: impl Fn(usize) -> T, h: impl Fn(usize, usize, usize) -> T) -> Self {
        let mut hessian = [value; M];
        let mut row = |i: usize| {
            for j in 0..i.div_ceil(2) * 2 {
                hessian[row_start(i) + j] = h(row_start(i) + j, i, j);
            }
        };
        // Literal rows have loops of known length, without a rest.
        macro_rules! rows {
            ($($i:literal)*) => { $(if $i < N { row($i) })* };
        }
        rows!(1 2 3 4 5 6 7 8 9 10 11 12 13 14 15);
        (16..N).for_each(row);
        for i in 0..N.div_ceil(2) {
            hessian[row_start(N) + i] = h(row_start(N) + i, 2 * i, 2 * i);
        }
        Dual2 { value, gradient: from_fn(g), hessian }
    }
    /// The result `f` with first and second derivative `d`, `dd`.
    #[inline(never)]
    fn chain(&self, f: T, d: T, dd: T) -> Self {
        if !boundary::finite(f, d) || !boundary::finite(f, dd) {
            return self.chain_singular(f, d, dd);
        }
        let (g, h) = (&self.gradient, &self.hessian);
        let scaled: [T; N] = from_fn(|i| dd * g[i]);
        Self::build(f, |i| d * g[i], |k, i, j| d * h[k] + scaled[i] * g[j])
    }
    #[inline(never)]
    fn product(&self, y: &Self) -> Self {
        let (a, b, s, t) = (self.value, y.value, &self.gradient, &y.gradient);
        Self::build(
            a * b,
            |i| s[i] * b + a * t[i],
            |k, i, j| self.hessian[k] * b + a * y.hessian[k] + (s[i] * t[j] + s[j] * t[i]),
        )
    }
    #[cold]
    #[inline(never)]
    fn chain_singular(&self, f: T, d: T, dd: T) -> Self {
        let (g, h) = (self.gradient, self.hessian);
        let strong = |d, t| boundary::strong(f, d, t);
        let second = |k, i, j| strong(d, h[k]) + strong(dd, g[i]).strong_mul(g[j]);
        Self::build(f, |i| strong(d, g[i]), second)
    }
    /// The result `f` of two operands with first and second partials; rare enough to be careful always.
    #[inline(never)]
    fn chain2(self, y: Self, f: T, ([dx, dy], [dxx, dxy, dyy]): ([T; 2], [T; 3])) -> Self {
        let (s, t) = (self.gradient, y.gradient);
        let first = |s: T, t: T| boundary::strong(f, dx, s) + boundary::strong(f, dy, t);
        let strong = |d: T, s: T, t: T| boundary::strong(f, d, s).strong_mul(t);
        let second = |k, i, j| {
            let mixed = strong(dxy, s[i], t[j]) + strong(dxy, t[i], s[j]);
            let pure = strong(dxx, s[i], s[j]) + strong(dyy, t[i], t[j]);
            first(self.hessian[k], y.hessian[k]) + pure + mixed
        };
        Self::build(f, |i| first(s[i], t[i]), second)
    }
}

/// Where row `i` starts: the pairs of columns of all rows before it.
#[inline(always)]
const fn row_start(i: usize) -> usize {
    (i / 2) * 2 * (i.div_ceil(2))
}

impl<T: Number, const N: usize, const M: usize> Number for Dual2<T, N, M> {
    type Base = T::Base;
    type Primal = T::Primal;
    type Re = Dual2<T::Re, N, M>;
    const REAL: bool = T::REAL;
    #[inline(always)]
    fn base(x: T::Base) -> Self {
        Dual2::constant(T::base(x))
    }
    #[inline(always)]
    fn innermost(self) -> T::Primal {
        self.value.innermost()
    }
    #[inline(always)]
    fn with_innermost(self, value: T::Primal) -> Self {
        self.with_value(self.value.with_innermost(value))
    }
    #[inline(always)]
    fn constant_of(value: T::Primal) -> Self {
        Dual2::constant(T::constant_of(value))
    }
    #[inline(always)]
    fn re(self) -> Self::Re {
        Dual2::new(self.value.re(), self.gradient.map(T::re), self.hessian.map(T::re))
    }
    #[inline(always)]
    fn im(self) -> Self::Re {
        Dual2::new(self.value.im(), self.gradient.map(T::im), self.hessian.map(T::im))
    }
    #[inline(always)]
    fn conj(self) -> Self {
        self.map_parts(T::conj)
    }
    #[inline(always)]
    fn from_re(x: Self::Re) -> Self {
        Dual2::new(T::from_re(x.value), x.gradient.map(T::from_re), x.hessian.map(T::from_re))
    }
    #[inline(always)]
    fn magnitude(self) -> T::Base {
        self.value.magnitude()
    }
    #[inline(always)]
    fn lift_holomorphic<H: Holomorphic>(self, rule: H) -> Self {
        let f = self.value.lift_holomorphic(rule);
        let d = rule.derivative(self.value, f);
        self.chain(f, d, second_holomorphic(rule, self.value, f, d))
    }
    #[inline(always)]
    fn lift_holomorphic2<H: HolomorphicBinary>(self, y: Self, rule: H) -> Self {
        let f = self.value.lift_holomorphic2(y.value, rule);
        self.chain2(y, f, second_partials_holomorphic(rule, self.value, y.value, f))
    }
    #[inline(always)]
    fn probe(self) -> T::Base {
        self.gradient.iter().chain(&self.hessian).fold(self.value.probe(), |sum, t| sum + t.probe())
    }
    #[inline(always)]
    fn witness(self) -> T::Base {
        self.value.witness()
    }
    #[inline(always)]
    fn is_constant(self) -> bool {
        self.value.is_constant() && self.gradient.iter().chain(&self.hessian).all(|t| t.is_exactly_zero())
    }
    #[inline(always)]
    fn is_exactly_zero(self) -> bool {
        self.value.is_exactly_zero() && self.gradient.iter().chain(&self.hessian).all(|t| t.is_exactly_zero())
    }
    #[inline(always)]
    fn strong_mul(self, t: Self) -> Self {
        let (d, g) = (self.gradient, t.gradient);
        Self::build(
            self.value.strong_mul(t.value),
            |i| self.value.strong_mul(g[i]) + d[i].strong_mul(t.value),
            |k, i, j| {
                let mixed = d[i].strong_mul(g[j]) + d[j].strong_mul(g[i]);
                self.value.strong_mul(t.hessian[k]) + self.hessian[k].strong_mul(t.value) + mixed
            },
        )
    }
    #[inline(always)]
    fn poisoned(self) -> Self {
        self.map_parts(T::poisoned)
    }
    fn merge(self, other: Self) -> Self {
        let (g, h) = (other.gradient, other.hessian);
        let value = self.value.merge(other.value);
        Self::build(value, |i| self.gradient[i].merge(g[i]), |k, _, _| self.hessian[k].merge(h[k]))
    }
    fn silenced(self, by: Self) -> Self {
        let zero = T::lit(0.0);
        let silent: [bool; N] = from_fn(|i| {
            by.gradient[i].is_exactly_zero() && (0..N).all(|j| by.second(i, j).is_exactly_zero())
        });
        let inner = by.gradient.iter().chain(&by.hessian).fold(by.value, |all, &t| all.merge(t));
        let (g, h) = (self.gradient, self.hessian);
        Self::build(
            self.value.silenced(inner),
            |i| if silent[i] { zero } else { g[i].silenced(inner) },
            |k, i, j| if silent[i] || silent[j] { zero } else { h[k].silenced(inner) },
        )
    }
    #[inline(always)]
    fn primal_mul_add(x: T::Primal, a: T::Primal, b: T::Primal) -> T::Primal {
        T::primal_mul_add(x, a, b)
    }
}

impl<T: Real, const N: usize, const M: usize> Real for Dual2<T, N, M> {
    #[inline(always)]
    fn primal(self) -> T::Base {
        self.value.primal()
    }
    #[inline(always)]
    fn lift1<U: Unary>(self, rule: U) -> Self {
        let f = self.value.lift1(rule);
        let d = rule.derivative(self.value, f);
        self.chain(f, d, second(rule, self.value, f, d))
    }
    #[inline(always)]
    fn lift2<B: Binary>(self, y: Self, rule: B) -> Self {
        let f = self.value.lift2(y.value, rule);
        self.chain2(y, f, second_partials(rule, self.value, y.value, f))
    }
}

impl<T: Number, const N: usize, const M: usize> Add for Dual2<T, N, M> {
    type Output = Self;
    #[inline(always)]
    fn add(self, y: Self) -> Self {
        let (value, g, h) = (self.value + y.value, self.gradient, self.hessian);
        Dual2 {
            value,
            gradient: from_fn(|i| g[i] + y.gradient[i]),
            hessian: from_fn(|k| h[k] + y.hessian[k]),
        }
    }
}

impl<T: Number, const N: usize, const M: usize> Sub for Dual2<T, N, M> {
    type Output = Self;
    #[inline(always)]
    fn sub(self, y: Self) -> Self {
        let (value, g, h) = (self.value - y.value, self.gradient, self.hessian);
        Dual2 {
            value,
            gradient: from_fn(|i| g[i] - y.gradient[i]),
            hessian: from_fn(|k| h[k] - y.hessian[k]),
        }
    }
}

/// `(xy)ᵢⱼ = xᵢⱼy + xyᵢⱼ + xᵢyⱼ + xⱼyᵢ`.
impl<T: Number, const N: usize, const M: usize> Mul for Dual2<T, N, M> {
    type Output = Self;
    #[inline(always)]
    fn mul(self, y: Self) -> Self {
        self.product(&y)
    }
}

/// `qᵢ = (xᵢ − q·yᵢ)/y`, `qᵢⱼ = (xᵢⱼ − q·yᵢⱼ − qᵢyⱼ − qⱼyᵢ)/y`.
impl<T: Number, const N: usize, const M: usize> Div for Dual2<T, N, M> {
    type Output = Self;
    #[inline(always)]
    fn div(self, y: Self) -> Self {
        let (q, r) = (self.value / y.value, y.value.recip());
        let (x, t) = (self.gradient, y.gradient);
        if boundary::finite(q, r) && boundary::finite(q, q * r * r) {
            let g: [T; N] = from_fn(|i| (x[i] - q * t[i]) * r);
            let second = |k, i, j| (self.hessian[k] - q * y.hessian[k] - (g[i] * t[j] + g[j] * t[i])) * r;
            Self::build(q, |i| g[i], second)
        } else {
            let s = q / y.value;
            let twice = s / y.value + s / y.value;
            self.chain2(y, q, ([r, -s], [T::lit(0.0), -(r / y.value), twice]))
        }
    }
}

impl<T: Number, const N: usize, const M: usize> Neg for Dual2<T, N, M> {
    type Output = Self;
    #[inline(always)]
    fn neg(self) -> Self {
        self.map_parts(|t| -t)
    }
}

impl<T: Number, const N: usize, const M: usize> fmt::Display for Dual2<T, N, M> {
    /// `2 + [1, 0]ε + [0, 0, 0]ε²`, the second derivatives packed; precision and width apply to all parts.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.value, f)?;
        for (parts, name) in [(&self.gradient[..], "ε"), (&self.hessian[..], "ε²")] {
            f.write_str(" + [")?;
            for (i, t) in parts.iter().enumerate() {
                f.write_str(if i == 0 { "" } else { ", " })?;
                fmt::Display::fmt(t, f)?;
            }
            write!(f, "]{name}")?;
        }
        Ok(())
    }
}

scalar!((T: Number, const N: usize, const M: usize) Dual2<T, N, M>, Dual2<Dual2<T, N, M>, N, M>);
