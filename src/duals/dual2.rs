//! `Dual2<T, N, M>`: a value, N tangents and their symmetric second derivatives.

use crate::number::array::from_fn;
use core::ops::{Div, Mul};

#[cfg(feature = "std")]
use super::DualN;
use super::{
    Dual, packing, products_are_exact, products_are_exact2, second, second_holomorphic, second_partials,
    second_partials_holomorphic, total,
};
use crate::number::{BaseFloat, Number, Real};
use crate::rules::{self, Binary, Holomorphic, HolomorphicBinary, Unary, boundary};

/// A value with `N` first and `M = N(N+1)/2` second derivatives: gradient and Hessian in one evaluation.
///
/// The second derivatives are symmetric and stored once. `M` is a parameter because stable Rust cannot compute it in a type; a
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
#[derive(Clone, Copy)]
#[repr(C, align(16))]
pub struct Dual2<T, const N: usize, const M: usize> {
    gradient: [T; N],
    hessian: [T; M],
    value: T,
}

carries_derivatives!((T, const N: usize, const M: usize) Dual2<T, N, M>);

each_part!(#[cfg_attr(not(debug_assertions), inline(always))] (const N: usize, const M: usize) Dual2[N M],
    |x, f| Dual2::new(f(x.value), from_fn(|i| f(x.gradient[i])), from_fn(|k| f(x.hessian[k]))));

impl<T, const N: usize, const M: usize> Dual2<T, N, M> {
    /// A number from its value, gradient and packed Hessian (private representation).
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(super) const fn new(value: T, gradient: [T; N], hessian: [T; M]) -> Self {
        const { assert!(M == N * (N + 1) / 2, "Dual2<T, N, M> needs M = N(N+1)/2") };
        Dual2 { value, gradient, hessian }
    }
    /// The value.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub fn value(self) -> T {
        self.value
    }
    /// The first derivatives.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub fn gradient(self) -> [T; N] {
        self.gradient
    }
}

impl<T: Number, const N: usize, const M: usize> Dual2<T, N, M> {
    /// A number from its value, `gradient(i)` and `second(i, j)`; `second` is called only for `i ≥ j`.
    ///
    /// ```
    /// use wengert::Dual2;
    /// let x: Dual2<f64, 2, 3> = Dual2::from_fn(2.0, |i| [3.0, 4.0][i], |i, j| (i + j) as f64);
    /// assert_eq!((x.gradient(), x.second(0, 1), x.second(1, 1)), ([3.0, 4.0], 1.0, 2.0));
    /// ```
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub fn from_fn(value: T, gradient: impl Fn(usize) -> T, second: impl Fn(usize, usize) -> T) -> Self {
        let mut hessian = [value; M];
        for i in 0..N {
            (0..=i).for_each(|j| hessian[packing::place::<N>(i, j)] = second(i, j));
        }
        Self::new(value, from_fn(gradient), hessian)
    }
    /// The variable of direction `lane`.
    ///
    /// # Panics
    /// If `lane ≥ N`.
    #[cfg_attr(not(debug_assertions), inline(always))]
    #[track_caller]
    pub fn variable(value: T, lane: usize) -> Self {
        assert!(lane < N, "Dual2::variable: lane {lane} of a number with {N} lanes");
        let mut gradient = [T::lit(0.0); N];
        gradient[lane] = T::lit(1.0);
        Dual2::new(value, gradient, [T::lit(0.0); M])
    }
    /// A constant.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub fn constant(value: T) -> Self {
        Dual2::new(value, [T::lit(0.0); N], [T::lit(0.0); M])
    }
    /// The second derivative in directions `i` and `j`.
    ///
    /// # Panics
    /// If `i ≥ N` or `j ≥ N`.
    #[cfg_attr(not(debug_assertions), inline(always))]
    #[track_caller]
    pub fn second(self, i: usize, j: usize) -> T {
        assert!(i < N && j < N, "second({i}, {j}) of a number with {N} directions");
        self.hessian[packing::place::<N>(i, j)]
    }
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn with_value(self, value: T) -> Self {
        Dual2 { value, ..self }
    }
    /// A number from its value and functions of lane, and of packed index, row and column.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn build(value: T, g: impl Fn(usize) -> T, h: impl Fn(usize, usize, usize) -> T) -> Self {
        let hessian = packing::fill::<T, N, M>(value, h);
        Dual2 { value, gradient: from_fn(g), hessian }
    }
    /// Whether operations are in line: as calls they write and read their numbers in memory.
    const IN_LINE: bool = T::PLAIN && N <= 4;
    /// The result `f` with first and second derivative `d`, `dd`, or `nested` if their products may violate a
    /// convention: `f″·g` is finite only if both are, unless nothing is active.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn chain(&self, f: T, d: T, dd: T, nested: &dyn Fn(Nested<T>) -> Nested<T>) -> Self {
        if Self::IN_LINE { self.chain_in_line(f, d, dd, nested) } else { self.far_chain(f, d, dd, nested) }
    }
    #[inline(never)]
    fn far_chain(&self, f: T, d: T, dd: T, nested: &dyn Fn(Nested<T>) -> Nested<T>) -> Self {
        self.chain_in_line(f, d, dd, nested)
    }
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn chain_in_line(&self, f: T, d: T, dd: T, nested: &dyn Fn(Nested<T>) -> Nested<T>) -> Self {
        let (g, h) = (&self.gradient, &self.hessian);
        let scaled: [T; N] = from_fn(|i| dd * g[i]);
        if !products_are_exact([self.value, f], [d, dd], total(&scaled)) {
            // A copy: a reference would keep this number in memory on the other path too.
            return Self::by_pairs(*self, f, nested).into_registers();
        }
        Self::build(f, |i| d * g[i], |k, i, j| d * h[k] + scaled[i] * g[j])
    }
    /// A result of the rare path, part by part: otherwise the usual path returns its parts in memory too. With more
    /// directions there are too few registers.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn into_registers(self) -> Self {
        if N <= 2 { self.map_parts(|part| part) } else { self }
    }
    /// The result `f`, with each derivative by nested duals along two directions: slow, with the conventions of
    /// nested duals.
    #[cold]
    #[inline(never)]
    fn by_pairs(self, f: T, nested: &dyn Fn(Nested<T>) -> Nested<T>) -> Self {
        let at = |i, j| nested(self.pair(i, j));
        Self::build(f, |i| at(i, i).value().tangent(), |_, i, j| at(i, j).tangent().tangent())
    }
    /// The number in the directions `i` and `j` only.
    fn pair(&self, i: usize, j: usize) -> Nested<T> {
        Dual::new(Dual::new(self.value, self.gradient[i]), Dual::new(self.gradient[j], self.second(i, j)))
    }
    #[inline(never)]
    #[track_caller]
    fn far_product(&self, y: &Self) -> Self {
        self.product(y)
    }
    #[cfg_attr(not(debug_assertions), inline(always))]
    #[track_caller]
    fn product(&self, y: &Self) -> Self {
        let (a, b, s, t) = (self.value, y.value, &self.gradient, &y.gradient);
        Self::build(
            a * b,
            |i| s[i] * b + a * t[i],
            |k, i, j| self.hessian[k] * b + a * y.hessian[k] + (s[i] * t[j] + s[j] * t[i]),
        )
    }
    /// The product with a tangent `t` with strong zeros; `by_value` is the product with this number's value.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn strong_product(&self, t: &Self, by_value: impl Fn(T, T) -> T) -> Self {
        let (d, g) = (&self.gradient, &t.gradient);
        Self::build(
            by_value(self.value, t.value),
            |i| by_value(self.value, g[i]) + d[i].strong_both(t.value),
            |k, i, j| {
                let mixed = d[i].strong_both(g[j]) + d[j].strong_both(g[i]);
                by_value(self.value, t.hessian[k]) + self.hessian[k].strong_both(t.value) + mixed
            },
        )
    }
    /// The result `f` of two operands with first and second partials. Computes at `nested` numbers if a product of a
    /// zero partial and an infinite gradient, or an overflowing second partial, is possible.
    #[inline(never)]
    fn chain2(
        self,
        y: Self,
        f: T,
        ([dx, dy], [dxx, dxy, dyy]): ([T; 2], [T; 3]),
        nested: &dyn Fn(Nested<T>, Nested<T>) -> Nested<T>,
    ) -> Self {
        let (s, t) = (self.gradient, y.gradient);
        if !products_are_exact2(
            [self.value, y.value, f],
            total(&[dx, dy, dxx, dxy, dyy]) + total(&s) + total(&t),
        ) {
            return self.by_pairs2(&y, f, nested);
        }
        let first = |s: T, t: T| boundary::strong(f, dx, s) + boundary::strong(f, dy, t);
        let strong = |d: T, s: T, t: T| boundary::strong(f, d, s).strong_both(t);
        let second = |k, i, j| {
            let mixed = strong(dxy, s[i], t[j]) + strong(dxy, t[i], s[j]);
            let pure = strong(dxx, s[i], s[j]) + strong(dyy, t[i], t[j]);
            first(self.hessian[k], y.hessian[k]) + pure + mixed
        };
        let result = Self::build(f, |i| first(s[i], t[i]), second);
        // Terms of a second derivative may overflow where their sum does not.
        if total(&result.hessian).all_finite() { result } else { self.by_pairs2(&y, f, nested) }
    }
    /// Like `by_pairs`, for two operands.
    #[cold]
    #[inline(never)]
    fn by_pairs2(&self, y: &Self, f: T, nested: &dyn Fn(Nested<T>, Nested<T>) -> Nested<T>) -> Self {
        let at = |i, j| nested(self.pair(i, j), y.pair(i, j));
        Self::build(f, |i| at(i, i).value().tangent(), |_, i, j| at(i, j).tangent().tangent())
    }
}

#[cfg(feature = "std")]
impl<T: Number, const N: usize, const M: usize> Dual2<T, N, M> {
    /// The first derivative in direction `i`, without a copy of the number.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn entry(&self, i: usize) -> T {
        self.gradient[i]
    }
    /// [`second`](Dual2::second) without a copy of the number.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn second_entry(&self, i: usize, j: usize) -> T {
        self.hessian[packing::place::<N>(i, j)]
    }
    /// This number as a nested one, with each pair of directions twice.
    fn nest(self) -> DualN<DualN<T, N>, N> {
        let row = |i| DualN::new(self.gradient()[i], from_fn(|j| self.second(i, j)));
        DualN::new(DualN::new(self.value(), self.gradient()), from_fn(row))
    }
    fn unnest(x: DualN<DualN<T, N>, N>) -> Self {
        let (value, rows) = (x.value(), x.tangents());
        Dual2::from_fn(value.value(), |i| value.tangents()[i], |i, j| rows[i].tangents()[j])
    }
}

/// The number that has one entry of a Hessian.
type Nested<T> = Dual<Dual<T>>;

/// The chain rule, of rules of real and of complex numbers.
macro_rules! lifts {
    ($Unary:ident $lift1:ident $second:ident, $Binary:ident $lift2:ident $seconds:ident) => {
        #[cfg_attr(not(debug_assertions), inline(always))]
        fn $lift1<U: $Unary>(self, rule: U) -> Self {
            Self::demand_operands([&self]);
            let f = self.value.$lift1(rule);
            // A trace has no branches for the sizes of derivatives.
            if T::TRACES {
                return self.by_pairs(f, &|x| x.$lift1(rule));
            }
            let d = rule.derivative(self.value, f);
            self.chain(f, d, $second(rule, self.value, f, d), &|x| x.$lift1(rule))
        }
        #[cfg_attr(not(debug_assertions), inline(always))]
        fn $lift2<B: $Binary>(self, y: Self, rule: B) -> Self {
            Self::demand_operands([&self, &y]);
            let f = self.value.$lift2(y.value, rule);
            if T::TRACES {
                return self.by_pairs2(&y, f, &|x, y| x.$lift2(y, rule));
            }
            self.chain2(y, f, $seconds(rule, self.value, y.value, f), &|x, y| x.$lift2(y, rule))
        }
    };
}

impl<T: Number, const N: usize, const M: usize> Number for Dual2<T, N, M> {
    type Re = Dual2<T::Re, N, M>;
    const ORDER: usize = T::ORDER.saturating_add(2);
    each_part!(#[cfg_attr(not(debug_assertions), inline(always))], |rule, x| crate::lift::through(rule, x, Self::nest, Self::unnest));
    each_part!(map_parts #[cfg_attr(not(debug_assertions), inline(always))]);
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn zip_parts(self, y: Self, value: impl FnOnce(T, T) -> T, tangent: impl Fn(T, T) -> T + Copy) -> Self {
        let gradient = from_fn(|i| tangent(self.gradient[i], y.gradient[i]));
        let hessian = from_fn(|k| tangent(self.hessian[k], y.hessian[k]));
        Dual2 { value: value(self.value, y.value), gradient, hessian }
    }
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn fold_parts<A>(self, value: impl FnOnce(T) -> A, tangent: impl Fn(A, T) -> A) -> A {
        self.gradient.into_iter().chain(self.hessian).fold(value(self.value), tangent)
    }
    lifts!(Holomorphic lift_holomorphic second_holomorphic,
        HolomorphicBinary lift_holomorphic2 second_partials_holomorphic);
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn strong_mul(self, t: Self) -> Self {
        self.strong_product(&t, T::strong_mul)
    }
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn strong_both(self, t: Self) -> Self {
        self.strong_product(&t, T::strong_both)
    }
    fn mask_inactive(self, by: Self) -> Self {
        let zero = T::lit(0.0);
        let silent: [bool; N] = from_fn(|i| {
            by.gradient[i].is_exactly_zero() && (0..N).all(|j| by.second(i, j).is_exactly_zero())
        });
        let inner = by.gradient.iter().chain(&by.hessian).fold(by.value, |all, &t| all.union_activity(t));
        let (g, h) = (self.gradient, self.hessian);
        Self::build(
            self.value.mask_inactive(inner),
            |i| if silent[i] { zero } else { g[i].mask_inactive(inner) },
            |k, i, j| if silent[i] || silent[j] { zero } else { h[k].mask_inactive(inner) },
        )
    }
}

impl<T: Real, const N: usize, const M: usize> Real for Dual2<T, N, M> {
    each_part!(real #[cfg_attr(not(debug_assertions), inline(always))] Dual2<T::Complex, N, M>);
    lifts!(Unary lift1 second, Binary lift2 second_partials);
}

sums!(#[cfg_attr(not(debug_assertions), inline(always))] (const N: usize, const M: usize) Dual2[N M], zip_parts);

/// `(xy)ᵢⱼ = xᵢⱼy + xyᵢⱼ + xᵢyⱼ + xⱼyᵢ`.
impl<T: Number, const N: usize, const M: usize> Mul for Dual2<T, N, M> {
    type Output = Self;
    #[cfg_attr(not(debug_assertions), inline(always))]
    #[track_caller]
    fn mul(self, y: Self) -> Self {
        Self::demand_operands([&self, &y]);
        // No closure: it has no caller's line to report.
        if Self::IN_LINE { self.product(&y) } else { self.far_product(&y) }
    }
}

/// `qᵢ = (xᵢ − q·yᵢ)/y`, `qᵢⱼ = (xᵢⱼ − q·yᵢⱼ − qᵢyⱼ − qⱼyᵢ)/y`.
impl<T: Number, const N: usize, const M: usize> Div for Dual2<T, N, M> {
    type Output = Self;
    #[cfg_attr(not(debug_assertions), inline(always))]
    #[track_caller]
    fn div(self, y: Self) -> Self {
        Self::demand_operands([&self, &y]);
        let (q, r) = (self.value / y.value, y.value.recip());
        let (x, t) = (self.gradient, y.gradient);
        let over = |t| boundary::over(t, y.value, r);
        let g: [T; N] = from_fn(|i| over(x[i] - q * t[i]));
        if boundary::finite(q, r) && boundary::finite(q, q * r * r) && total(&g).all_finite() {
            let second = |k, i, j| over(self.hessian[k] - q * y.hessian[k] - (g[i] * t[j] + g[j] * t[i]));
            Self::build(q, |i| g[i], second)
        } else {
            // Copies, as in `chain_in_line`.
            let (x, y) = (self, y);
            x.by_pairs2(&y, q, &|x, y| x / y).into_registers()
        }
    }
}

scalar!((T: Number, const N: usize, const M: usize) Dual2<T, N, M>, Dual2<Dual2<T, N, M>, N, M>);
