//! Implementations for every type of points: boxes, and entries of matrices.

/// `Box<$X>` over numbers `$T`, with the type that a function takes instead.
#[doc(hidden)]
#[macro_export]
macro_rules! __wengert_boxed {
    ([$($flat:tt)*] [$($of:tt)*] [$($g:tt)*] $T:ident, $X:ty, $With:ty $(, where [$($w:tt)*])?) => {
        impl<$($flat)*> $crate::space::SelfTangent for ::std::boxed::Box<$X> $(where $($w)*)? {}
        $crate::space::boxed!(@points [$($of)*] [$($g)*] $T, $X, $With $(, where [$($w)*])?);
    };
    (@points [$($of:tt)*] [$($g:tt)*] $T:ident, $X:ty, $With:ty $(, where [$($w:tt)*])?) => {
        $crate::space::shaped! {
            [$($g)*] $T, ::std::boxed::Box<$X>, $crate::space::Dyn $(, where [$($w)*])?;
        }
        impl<$($of)*> $crate::space::Differentiable for ::std::boxed::Box<$X> $(where $($w)*)? {
            type Tangent = ::std::boxed::Box<<$X as $crate::space::Differentiable>::Tangent>;
            type Owned = ::std::boxed::Box<<$X as $crate::space::Differentiable>::Owned>;
        }
        impl<$($g)*> $crate::space::Components<$T> for ::std::boxed::Box<$X> $(where $($w)*)? {
            type Arg<__WengertS: $crate::Real> = $With;
            type With<__WengertS: $crate::Real> = $With;
            const FLAT: bool = <$X as $crate::space::Components<$T, $crate::space::PairLayout>>::FLAT;
            fn visit(&self, f: &mut impl FnMut($T)) {
                $crate::space::Components::<$T, $crate::space::PairLayout>::visit(&**self, f);
            }
            fn visit_mut(&mut self, f: &mut impl FnMut(&mut $T)) {
                $crate::space::Components::<$T, $crate::space::PairLayout>::visit_mut(&mut **self, f);
            }
            fn map<__WengertS: $crate::Real>(&self, f: &mut impl FnMut($T) -> __WengertS) -> $With {
                $crate::space::Components::<$T, $crate::space::PairLayout>::map(&**self, f).into()
            }
            fn map_same(&self, f: &mut impl FnMut($T) -> $T) -> Self::Owned {
                $crate::space::Components::<$T, $crate::space::PairLayout>::map_same(&**self, f).into()
            }
            fn tangent_from(&self, next: &mut impl FnMut() -> $T) -> Self::Tangent {
                $crate::space::Components::<$T, $crate::space::PairLayout>::tangent_from(&**self, next).into()
            }
            fn outline(&self, f: &mut impl FnMut((usize, usize))) {
                $crate::space::Components::<$T, $crate::space::PairLayout>::outline(&**self, f);
            }
            fn has_plain_of<__WengertS: $crate::Real>(&self, other: &$With) -> bool {
                $crate::space::Components::<$T, $crate::space::PairLayout>::has_plain_of::<__WengertS>(&**self, ::core::borrow::Borrow::borrow(other))
            }
            fn embed(
                &self,
                how: $crate::space::Embedding,
                next: &mut impl FnMut() -> $T,
                out: &mut impl FnMut($T),
            ) {
                $crate::space::Components::<$T, $crate::space::PairLayout>::embed(&**self, how, next, out);
            }
            fn seeded<__WengertS: $crate::Real>(
                &self,
                lift: &impl Fn($T) -> __WengertS,
                next: &mut impl FnMut($T) -> __WengertS,
            ) -> $With {
                $crate::space::Components::<$T, $crate::space::PairLayout>::seeded(&**self, lift, next).into()
            }
            fn seed_over<__WengertS: $crate::Real>(
                &self,
                lift: &impl Fn($T) -> __WengertS,
                next: &mut impl FnMut($T) -> __WengertS,
                kept: &mut $With,
            ) {
                $crate::space::Components::<$T, $crate::space::PairLayout>::seed_over(&**self, lift, next, ::core::borrow::BorrowMut::borrow_mut(kept));
            }
            fn retract(&self, next: &mut impl FnMut() -> $T) -> Self::Owned {
                $crate::space::Components::<$T, $crate::space::PairLayout>::retract(&**self, next).into()
            }
            fn difference(&self, from: &Self, out: &mut impl FnMut($T)) {
                $crate::space::Components::<$T, $crate::space::PairLayout>::difference(&**self, &**from, out);
            }
        }
    };
}

/// The number of components of `$X` over numbers `$T` as a dimension, a dynamic one in arrays.
#[cfg(feature = "nalgebra")]
#[doc(hidden)]
#[macro_export]
macro_rules! __wengert_shaped {
    ($(@layout $L:ident [$($g:tt)*] $T:ident, $X:ty, $Dim:ty;)+) => {$(
        impl<$($g)*> $crate::space::Shape<$T, $L> for $X {
            type Dim = $Dim;
            type Times<const __WENGERT_N: usize> = $crate::space::Dyn;
        }
    )*};
    ($([$($g:tt)*] $T:ident, $X:ty, $Dim:ty $(, where [$($w:tt)*])?;)*) => {$(
        impl<$($g)*> $crate::space::Shape<$T> for $X $(where $($w)*)? {
            type Dim = $Dim;
            type Times<const __WENGERT_N: usize> = $crate::space::Dyn;
        }
    )*};
}

/// Without matrices there are no sides of them.
#[cfg(not(feature = "nalgebra"))]
#[doc(hidden)]
#[macro_export]
macro_rules! __wengert_shaped {
    ($($all:tt)*) => {};
}
