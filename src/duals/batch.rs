//! `Batch<T, N>`: the values of `N` terms of a sum.

use core::array::from_fn;
use core::cmp::Ordering;
use core::fmt::{self, Debug, Display, Formatter};
use core::ops::{Add, Div, Mul, Neg, Rem, Sub};

use num_traits::{Float, Num, One, Zero};

use crate::error::AdError;
use crate::lift::{Primitive, views};
use crate::number::{BaseFloat, Machine, Number, Real, agree, disagree, watch};
use crate::rules::{Binary, Holomorphic, HolomorphicBinary, Unary};

/// A machine float as a lane.
pub trait Lane: Machine<Base = Self> + BaseFloat + Float {}
impl Lane for f32 {}
impl Lane for f64 {}

/// `N` floats, each the value of another term: a program that runs once at this number has run for `N` terms, with
/// instructions that work on all of them.
///
/// Each lane is bit for bit what the program gives at the float alone. That cannot be where lanes take different branches.
/// So comparisons and whatever else makes a machine value of the number ([`primal`](Real::primal), casts, tests for zero or
/// NaN) answer for lane 0, and if another lane has another answer, [`Batch::watch`] says so: what was computed is
/// then not to be used. `max`, `min`, `clamp`, `abs_sub`, `copysign`, [`select_less`](Real::select_less) and
/// [`logsumexp`](crate::reduce::logsumexp) decide for each lane and are always the same program; so are the formulas of the
/// rules.
///
/// [`Sum`](crate::sums::Sum) and [`LeastSquares`](crate::sums::LeastSquares) use it under variables of a tape for
/// terms that are [`Alike`](crate::sums::Alike).
///
/// ```
/// use wengert::{Real, sums::Batch};
/// fn f<T: Real<Base = f64>>(x: T) -> T { if x > 0.0 { x.sqrt() } else { -x } }
/// let (y, diverged) = Batch::<f64, 2>::watch(|| f(Batch::new([4.0, 9.0])));
/// assert_eq!((y.lanes(), diverged), ([2.0, 3.0], false));
/// let (_, diverged) = Batch::<f64, 2>::watch(|| f(Batch::new([4.0, -9.0])));
/// assert!(diverged);
/// ```
#[derive(Clone, Copy)]
pub struct Batch<T, const N: usize>([T; N]);

carries_derivatives!((T, const N: usize) Batch<T, N>);

impl<T, const N: usize> Batch<T, N> {
    /// The number of these lanes.
    #[inline(always)]
    pub const fn new(lanes: [T; N]) -> Self {
        Batch(lanes)
    }
    /// The lanes.
    #[inline(always)]
    pub fn lanes(self) -> [T; N] {
        self.0
    }
    /// Runs `f`; whether lanes gave different answers to a question in it.
    pub fn watch<Y>(f: impl FnOnce() -> Y) -> (Y, bool) {
        watch(f)
    }
}

impl<T: Lane, const N: usize> Batch<T, N> {
    #[inline(always)]
    fn zip(self, y: Self, f: impl Fn(T, T) -> T) -> Self {
        Batch(from_fn(|l| f(self.0[l], y.0[l])))
    }
    #[inline(always)]
    fn map(self, f: impl Fn(T) -> T) -> Self {
        Batch(from_fn(|l| f(self.0[l])))
    }
    /// Whether lane 0 has the property; all lanes are asked, without a branch for each.
    #[inline(always)]
    fn ask(self, y: Self, has: impl Fn(T, T) -> bool) -> bool {
        let (mut any, mut all) = (false, true);
        for l in 0..N {
            let has = has(self.0[l], y.0[l]);
            (any, all) = (any | has, all & has);
        }
        if any == all {
            return any;
        }
        disagree();
        has(self.0[0], y.0[0])
    }
    /// Whether all lanes are the same, bit for bit: so are those of what terms share, of which functions are worked out
    /// once. (As a rule the second lane tells.)
    #[inline(always)]
    fn is_uniform(self) -> bool {
        (1..N).all(|l| self.0[l].to_double().to_bits() == self.0[0].to_double().to_bits())
    }
    /// The value that all lanes have.
    #[inline(always)]
    fn common(self) -> T {
        agree(N, |l| self.0[l].to_double().to_bits());
        self.0[0]
    }
}

impl<T: Lane, const N: usize> Number for Batch<T, N> {
    type Base = T;
    type Primal = T;
    type Over<S: Real> = S;
    own_real!();
    const ORDER: usize = 0;
    const RECORDS: bool = false;
    const PLAIN: bool = true;
    const TERMS: usize = N;
    own_part!();
    #[inline(always)]
    fn constant_of(value: T) -> Self {
        Batch([value; N])
    }
    #[inline(always)]
    fn innermost(self) -> T {
        self.common()
    }
    #[inline(always)]
    fn innermost_of(self, lane: usize) -> T {
        self.0[lane]
    }
    #[inline(always)]
    fn of_lane(self, lane: usize) -> Self {
        Batch([self.0[lane]; N])
    }
    #[inline(always)]
    fn mixed(self, other: Self, is_own: impl Fn(usize) -> bool + Copy) -> Self {
        Batch(from_fn(|lane| if is_own(lane) { self.0[lane] } else { other.0[lane] }))
    }
    #[inline(always)]
    fn of_lanes(value: impl Fn(usize) -> T) -> Self {
        Batch(from_fn(value))
    }
    #[inline(always)]
    fn with_value_of(self, other: Self) -> Self {
        other
    }
    #[inline(always)]
    fn with_innermost(self, value: T) -> Self {
        Batch([value; N])
    }
    #[inline(always)]
    fn slope_of<H: Holomorphic>(rule: H, x: Self, f: Self) -> Self {
        Self::slope(rule, x, f)
    }
    #[inline(always)]
    fn slopes_of<H: HolomorphicBinary>(rule: H, x: Self, y: Self, f: Self) -> [Self; 2] {
        Self::slopes(rule, x, y, f)
    }
    /// Whether lane 0 is NaN is what is asked of it.
    #[inline(always)]
    fn component_sum(self) -> T {
        self.ask(self, |x, _| Float::is_nan(x));
        self.0[0]
    }
    #[inline(always)]
    fn value_sum(self) -> T {
        self.component_sum()
    }
    fn visit(self, each: &mut dyn FnMut(f64)) {
        each(self.common().to_double());
    }
    #[inline(always)]
    fn map_components(self, f: impl Fn(T) -> T + Copy) -> Self {
        self.map(f)
    }
    #[inline(always)]
    fn zip_components(self, other: Self, f: impl Fn(T, T) -> T + Copy) -> Self {
        self.zip(other, f)
    }
    #[inline(always)]
    fn is_constant(self) -> bool {
        true
    }
    #[inline(always)]
    fn is_exactly_zero(self) -> bool {
        self.ask(self, |x, _| x.is_exactly_zero())
    }
    #[inline(always)]
    fn strong_mul(self, tangent: Self) -> Self {
        self.zip(tangent, T::strong_mul)
    }
    #[inline(always)]
    fn strong_both(self, tangent: Self) -> Self {
        self.zip(tangent, T::strong_both)
    }
    #[inline(always)]
    fn nan_like(self) -> Self {
        self.map(T::nan_like)
    }
    #[inline(always)]
    fn mask_inactive(self, _: Self) -> Self {
        self
    }
    /// The primitive for each lane.
    fn lift_primitive<R: Primitive<T>>(rule: &R, x: &[&[Self]]) -> Result<Vec<Self>, AdError> {
        let of_lane = |l: usize| {
            let x: Vec<Vec<T>> = x.iter().map(|group| group.iter().map(|x| x.0[l]).collect()).collect();
            rule.value(&views(&x))
        };
        let first = of_lane(0)?;
        let mut all: Vec<Self> = first.into_iter().map(|y| Batch([y; N])).collect();
        for l in 1..N {
            match of_lane(l) {
                Ok(y) if y.len() == all.len() => all.iter_mut().zip(y).for_each(|(all, y)| all.0[l] = y),
                _ => disagree(),
            }
        }
        Ok(all)
    }
}

impl<T: Lane, const N: usize> Real for Batch<T, N> {
    type Complex = Self;
    type Pair = Self;
    #[inline(always)]
    fn primal(self) -> T {
        self.common()
    }
    #[inline(always)]
    fn lift1<U: Unary>(self, rule: U) -> Self {
        if self.is_uniform() { Batch([rule.value(self.0[0]); N]) } else { self.map(|x| rule.value(x)) }
    }
    #[inline(always)]
    fn lift2<B: Binary>(self, y: Self, rule: B) -> Self {
        self.zip(y, |x, y| rule.value(x, y))
    }
    #[inline(always)]
    fn slope<U: Unary>(rule: U, x: Self, f: Self) -> Self {
        if x.is_uniform() && f.is_uniform() {
            return Batch([rule.derivative(x.0[0], f.0[0]); N]);
        }
        x.zip(f, |x, f| rule.derivative(x, f))
    }
    #[inline(always)]
    fn slopes<B: Binary>(rule: B, x: Self, y: Self, f: Self) -> [Self; 2] {
        let [mut left, mut right] = [x, y];
        for l in 0..N {
            [left.0[l], right.0[l]] = rule.partials(x.0[l], y.0[l], f.0[l]);
        }
        [left, right]
    }
}

/// Operators, lane by lane, with a number and with a constant on the right.
macro_rules! operators_of_lanes {
    ($($Op:ident $op:ident)*) => {$(
        impl<T: Lane, const N: usize> $Op for Batch<T, N> {
            type Output = Self;
            #[inline(always)]
            fn $op(self, y: Self) -> Self {
                self.zip(y, |x, y| $Op::$op(x, y))
            }
        }
        impl<T: Lane, const N: usize> $Op<T> for Batch<T, N> {
            type Output = Self;
            #[inline(always)]
            fn $op(self, c: T) -> Self {
                self.map(|x| $Op::$op(x, c))
            }
        }
    )*};
}
operators_of_lanes!(Add add Sub sub Mul mul Div div Rem rem);
operators!(@assign (T: Lane, const N: usize) [[] []] Batch<T, N>, Self);
operators!(@assign (T: Lane, const N: usize) [[] []] Batch<T, N>, T);
operators!(@fold (T: Lane, const N: usize) Batch<T, N>; Sum sum total);
operators!(@fold (T: Lane, const N: usize) Batch<T, N>; Product product multiplied);

impl<T: Lane, const N: usize> Neg for Batch<T, N> {
    type Output = Self;
    #[inline(always)]
    fn neg(self) -> Self {
        self.map(|x| -x)
    }
}

impl<T: Lane, const N: usize> From<T> for Batch<T, N> {
    #[inline(always)]
    fn from(x: T) -> Self {
        Batch([x; N])
    }
}

impl<T: Lane, const N: usize> Default for Batch<T, N> {
    fn default() -> Self {
        Self::lit(0.0)
    }
}

/// Comparisons answer for lane 0.
macro_rules! comparisons_of_lanes {
    ($Other:ty, $other:ident => $number:expr) => {
        impl<T: Lane, const N: usize> PartialEq<$Other> for Batch<T, N> {
            #[inline(always)]
            fn eq(&self, $other: &$Other) -> bool {
                self.ask($number, |x, y| x == y)
            }
        }
        impl<T: Lane, const N: usize> PartialOrd<$Other> for Batch<T, N> {
            #[inline(always)]
            fn partial_cmp(&self, $other: &$Other) -> Option<Ordering> {
                let other = $number;
                agree(N, |l| self.0[l].partial_cmp(&other.0[l]))
            }
            #[inline(always)]
            fn lt(&self, $other: &$Other) -> bool {
                self.ask($number, |x, y| x < y)
            }
            #[inline(always)]
            fn le(&self, $other: &$Other) -> bool {
                self.ask($number, |x, y| x <= y)
            }
            #[inline(always)]
            fn gt(&self, $other: &$Other) -> bool {
                self.ask($number, |x, y| x > y)
            }
            #[inline(always)]
            fn ge(&self, $other: &$Other) -> bool {
                self.ask($number, |x, y| x >= y)
            }
        }
    };
}
comparisons_of_lanes!(Self, other => *other);
comparisons_of_lanes!(T, other => Batch([*other; N]));

impl<T: Lane, const N: usize> Zero for Batch<T, N> {
    #[inline(always)]
    fn zero() -> Self {
        Self::lit(0.0)
    }
    #[inline(always)]
    fn is_zero(&self) -> bool {
        self.is_exactly_zero()
    }
}

impl<T: Lane, const N: usize> One for Batch<T, N> {
    #[inline(always)]
    fn one() -> Self {
        Self::lit(1.0)
    }
    #[inline(always)]
    fn is_one(&self) -> bool {
        *self == Self::one()
    }
}

impl<T: Lane, const N: usize> Num for Batch<T, N> {
    type FromStrRadixErr = <T as Num>::FromStrRadixErr;
    fn from_str_radix(text: &str, radix: u32) -> Result<Self, Self::FromStrRadixErr> {
        T::from_str_radix(text, radix).map(Batch::from)
    }
}

impl<T: Lane, const N: usize> Display for Batch<T, N> {
    /// The value of all lanes.
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        Display::fmt(&self.common(), f)
    }
}

impl<T: Lane, const N: usize> Debug for Batch<T, N> {
    /// All lanes; what is made of the text differs with them.
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        self.common();
        Debug::fmt(&self.0, f)
    }
}
