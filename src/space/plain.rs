//! Comparison of plain values of a point, which a function may branch on.

use std::marker::PhantomData;
use std::rc::Rc;
use std::sync::Arc;

/// The type of a plain value. If these traits are in scope, `PlainKind::of(&value).comparison()` with three `&` in
/// front finds the first of [`ByBits`], [`ByEquality`] and [`Never`] that the type has.
#[doc(hidden)]
pub struct PlainKind<C>(PhantomData<C>);

impl<C> PlainKind<C> {
    pub fn of(_: &C) -> Self {
        PlainKind(PhantomData)
    }
}

/// Values that `==` does not compare exactly, or not at all: floats, whose zeros have signs, and shared values, which
/// are equal if their addresses are.
#[doc(hidden)]
pub trait Bits {
    fn same_bits(&self, other: &Self) -> bool;
}

macro_rules! bits {
    ($([$($g:tt)*] $C:ty: |$a:ident, $b:ident| $same:expr;)*) => {$(
        impl<$($g)*> Bits for $C {
            fn same_bits(&self, other: &Self) -> bool {
                let ($a, $b) = (self, other);
                $same
            }
        }
    )*};
}
bits! {
    [] f32: |a, b| a.to_bits() == b.to_bits();
    [] f64: |a, b| a.to_bits() == b.to_bits();
    [C: Bits] [C]: |a, b| a.len() == b.len() && a.iter().zip(b).all(|(a, b)| a.same_bits(b));
    [C: Bits] Vec<C>: |a, b| a[..].same_bits(&b[..]);
    [C: Bits + ?Sized] Box<C>: |a, b| (**a).same_bits(b);
    [C: Bits] Option<C>: |a, b| a.as_slice().same_bits(b.as_slice());
    [C: Bits, const N: usize] [C; N]: |a, b| a[..].same_bits(&b[..]);
    [C: ?Sized] Rc<C>: |a, b| Rc::ptr_eq(a, b);
    [C: ?Sized] Arc<C>: |a, b| Arc::ptr_eq(a, b);
}

/// The first choice.
#[doc(hidden)]
pub trait ByBits<C> {
    fn comparison(&self) -> fn(&C, &C) -> bool;
}

impl<C: Bits> ByBits<C> for &&PlainKind<C> {
    fn comparison(&self) -> fn(&C, &C) -> bool {
        C::same_bits
    }
}

/// The second choice.
#[doc(hidden)]
pub trait ByEquality<C> {
    fn comparison(&self) -> fn(&C, &C) -> bool;
}

impl<C: PartialEq> ByEquality<C> for &PlainKind<C> {
    fn comparison(&self) -> fn(&C, &C) -> bool {
        C::eq
    }
}

/// The last choice: nothing is known to be the same.
#[doc(hidden)]
pub trait Never<C> {
    fn comparison(&self) -> fn(&C, &C) -> bool;
}

impl<C> Never<C> for PlainKind<C> {
    fn comparison(&self) -> fn(&C, &C) -> bool {
        |_, _| false
    }
}

/// Whether two plain values are the same, by the first comparison that their type has.
#[doc(hidden)]
#[macro_export]
macro_rules! __wengert_same_plain {
    ($x:expr, $y:expr) => {{
        #[allow(unused_imports)]
        use $crate::space::plain::{ByBits, ByEquality, Never, PlainKind};
        (&&&PlainKind::of(&$x)).comparison()(&$x, &$y)
    }};
}
