//! Leaves of structures: numbers, and values without a derivative.

use std::rc::Rc;
use std::sync::Arc;

use num_complex::Complex;

use super::plain::{ByBits, ByEquality, PlainKind};
use super::{Components, Differentiable, NumberLayout, SelfTangent};
use crate::number::{Number, Real};

impl<T: Real> SelfTangent for T {}

impl<T: Real> Differentiable for T {
    type Tangent = T;
    type Owned = T;
}

/// A number as a whole, real or complex.
impl<C: Number> SelfTangent<NumberLayout> for C {}

impl<C: Number> Differentiable<NumberLayout> for C {
    type Tangent = C;
    type Owned = C;
}

impl<C: Number> Components<C::Re, NumberLayout> for C {
    type Arg<S: Real> = C::Over<S>;
    type With<S: Real> = C::Over<S>;
    const SINGLE: bool = C::REAL;
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn visit(&self, f: &mut impl FnMut(C::Re)) {
        f(self.re());
        if !C::REAL {
            f(self.im());
        }
    }
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn visit_mut(&mut self, f: &mut impl FnMut(&mut C::Re)) {
        let (mut re, mut im) = (self.re(), self.im());
        f(&mut re);
        if !C::REAL {
            f(&mut im);
        }
        *self = C::from_parts(re, im);
    }
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn map<S: Real>(&self, f: &mut impl FnMut(C::Re) -> S) -> C::Over<S> {
        let re = f(self.re());
        Number::from_parts(re, if C::REAL { S::lit(0.0) } else { f(self.im()) })
    }
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn map_same(&self, f: &mut impl FnMut(C::Re) -> C::Re) -> C {
        let re = f(self.re());
        C::from_parts(re, if C::REAL { self.im() } else { f(self.im()) })
    }
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn tangent_from(&self, next: &mut impl FnMut() -> C::Re) -> C {
        Components::<C::Re, NumberLayout>::map_same(self, &mut |_| next())
    }
    fn outline(&self, f: &mut impl FnMut((usize, usize))) {
        f((if C::REAL { 1 } else { 2 }, 1));
    }
}

impl<T: Real> Components<T> for T {
    type Arg<S: Real> = S;
    type With<S: Real> = S;
    const SINGLE: bool = true;
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn visit(&self, f: &mut impl FnMut(T)) {
        f(*self);
    }
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn visit_mut(&mut self, f: &mut impl FnMut(&mut T)) {
        f(self);
    }
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn map<S: Real>(&self, f: &mut impl FnMut(T) -> S) -> S {
        f(*self)
    }
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn map_same(&self, f: &mut impl FnMut(T) -> T) -> T {
        f(*self)
    }
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn tangent_from(&self, next: &mut impl FnMut() -> T) -> T {
        next()
    }
    fn outline(&self, f: &mut impl FnMut((usize, usize))) {
        f((1, 1));
    }
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn contiguous(&self) -> Option<&[T]> {
        Some(std::slice::from_ref(self))
    }
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn contiguous_mut(&mut self) -> Option<&mut [T]> {
        Some(std::slice::from_mut(self))
    }
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn run(items: &[T]) -> Option<&[T]> {
        Some(items)
    }
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn run_mut(items: &mut [T]) -> Option<&mut [T]> {
        Some(items)
    }
}

impl<T: Real> SelfTangent for Complex<T> {}

impl<T: Real> Differentiable for Complex<T> {
    type Tangent = Complex<T>;
    type Owned = Complex<T>;
}

impl<T: Real> Components<T> for Complex<T> {
    type Arg<S: Real> = Complex<S>;
    type With<S: Real> = Complex<S>;
    fn visit(&self, f: &mut impl FnMut(T)) {
        f(self.re);
        f(self.im);
    }
    fn visit_mut(&mut self, f: &mut impl FnMut(&mut T)) {
        f(&mut self.re);
        f(&mut self.im);
    }
    fn map<S: Real>(&self, f: &mut impl FnMut(T) -> S) -> Complex<S> {
        Complex { re: f(self.re), im: f(self.im) }
    }
    fn map_same(&self, f: &mut impl FnMut(T) -> T) -> Complex<T> {
        self.map(f)
    }
    fn tangent_from(&self, next: &mut impl FnMut() -> T) -> Complex<T> {
        Complex { re: next(), im: next() }
    }
    fn outline(&self, f: &mut impl FnMut((usize, usize))) {
        f((2, 1));
    }
}

/// The tangent of a value without a derivative: the vector space of dimension zero.
///
/// ```
/// use wengert::space::{NoTangent, zero};
/// assert_eq!(zero(&(1.0, vec![2.0, 3.0], 7)), (0.0, vec![0.0, 0.0], NoTangent));
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct NoTangent;

/// Types whose values are copied unchanged.
macro_rules! plain {
    ($([$($g:tt)*] $P:ty),* $(,)?) => {$(
        impl<L, $($g)*> SelfTangent<L> for $P {}
        impl<L, $($g)*> Differentiable<L> for $P {
            type Tangent = NoTangent;
            type Owned = $P;
        }
        impl<T: Real, L, $($g)*> Components<T, L> for $P {
            type Arg<S: Real> = $P;
            type With<S: Real> = $P;
            const ABSENT: bool = size_of::<$P>() == 0;
            fn visit(&self, _: &mut impl FnMut(T)) {}
            fn visit_mut(&mut self, _: &mut impl FnMut(&mut T)) {}
            fn map<S: Real>(&self, _: &mut impl FnMut(T) -> S) -> $P {
                self.clone()
            }
            fn map_same(&self, _: &mut impl FnMut(T) -> T) -> $P {
                self.clone()
            }
            fn tangent_from(&self, _: &mut impl FnMut() -> T) -> NoTangent {
                NoTangent
            }
            fn outline(&self, _: &mut impl FnMut((usize, usize))) {}
            fn has_plain_of<S: Real>(&self, other: &$P) -> bool {
                (&&&PlainKind::of(self)).comparison()(self, other)
            }
            fn seed_over<S: Real>(&self, _: &impl Fn(T) -> S, _: &mut impl FnMut(T) -> S, kept: &mut $P) {
                kept.clone_from(self);
            }
        }
    )*};
}
plain!(
    [] (), [] bool, [] char, [] String, [] &'static str, [] NoTangent,
    [] u8, [] u16, [] u32, [] u64, [] u128, [] usize, [] i8, [] i16, [] i32, [] i64, [] i128, [] isize,
    [C: ?Sized + 'static] Arc<C>, [C: ?Sized + 'static] Rc<C>,
);
