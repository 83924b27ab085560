//! Traits of other crates, one file for each crate: `scalar!` implements them for a number type.
//!
//! The implementations use only [`Number`](crate::Number) and [`Real`](crate::Real), so they hold for every number
//! type at every nesting.

/// Methods that call a method of `Number` or `Real`: of the same name, with arguments and results of the type itself, or by
/// reference; or of a stated signature, by the method after the equals sign.
macro_rules! forward {
    ($Trait:ident: $($m:ident $(($($p:ident),*))?)*) => {
        forward!($(fn $m(self $($(, $p: Self)*)?) -> Self = $Trait::$m;)*);
    };
    (&$Trait:ident: $($m:ident $(($($p:ident),*))?)*) => {$(
        #[inline]
        #[track_caller]
        fn $m(&self $($(, $p: &Self)*)?) -> Self {
            <Self as $Trait>::$m(*self $($(, *$p)*)?)
        }
    )*};
    ($($(#[$doc:meta])* $visible:vis fn $m:ident(self $(, $p:ident: $P:ty)*) -> $Out:ty = $of:path;)*) => {$(
        $(#[$doc])*
        #[cfg_attr(not(debug_assertions), inline(always))]
        #[track_caller]
        $visible fn $m(self $(, $p: $P)*) -> $Out {
            $of(self $(, $p)*)
        }
    )*};
}

#[macro_use]
mod comparisons;
#[macro_use]
mod ops;
#[macro_use]
mod inherent;
#[macro_use]
mod num;
#[macro_use]
mod approx;
#[cfg(feature = "nalgebra")]
#[macro_use]
mod nalgebra;

/// `scalar!((T: Number, const N: usize) DualN<T, N>, DualN<DualN<T, N>, N>)`: the generics, the type, and the type
/// over itself.
macro_rules! scalar {
    ($generics:tt $Ty:ty, $Outer:ty) => {
        operators!($generics $Ty, $Outer);
        inherent!($generics $Ty);
        num_traits_impls!(@power_of_base $generics $Ty);
        num_traits_impls!($generics $Ty);
        approx_impls!($generics $Ty);
        #[cfg(feature = "nalgebra")]
        nalgebra_impls!($generics $Ty);
    };
}

/// `complex_scalar!((T: Real) ComplexVar<T>, T::Complex)`: likewise for a complex number of real parts; the generics,
/// the type, and the type of its values.
#[cfg(feature = "std")]
macro_rules! complex_scalar {
    ($generics:tt $Ty:ty, $Value:ty) => {
        operators!(@constants $generics [[F: BaseFloat,] [T: Number<Base = F>]] $Ty, F, $Value);
        operators!(@references_to_constant $generics [[] [T: Number<Base = f64>]] $Ty, f64);
        operators!(@references_to_constant $generics [[] [T: Number<Base = f32>]] $Ty, f32);
        operators!(@all_first $generics [[] [T: Number<Base = f64>]] f64, $Ty, base);
        operators!(@all_first $generics [[] [T: Number<Base = f32>]] f32, $Ty, base);
        operators!(@rest $generics $Ty);
        operators!(@of_values $generics $Ty);
        operators!(@complex_of_parts $generics $Ty, $Value);
        inherent!(@number $generics $Ty);
        num_traits_impls!(@power_of_base $generics $Ty);
        num_traits_impls!(@number $generics $Ty);
        approx_impls!($generics $Ty);
        #[cfg(feature = "nalgebra")]
        nalgebra_impls!(@complex $generics $Ty);
    };
}

/// Likewise for the complex traced number.
#[cfg(feature = "programs")]
macro_rules! traced_complex_scalar {
    ($Ty:ty) => {
        operators!(@references_to_constant () [[] []] $Ty, f64);
        operators!(@all_first () [[] []] f64, $Ty, base);
        operators!(@rest () $Ty);
        inherent!(@number () $Ty);
        num_traits_impls!(@number () $Ty);
        approx_impls!(() $Ty);
        #[cfg(feature = "nalgebra")]
        nalgebra_impls!(@complex () $Ty);
    };
}

/// Likewise for the traced number, which has no components; its module has `f64` under the name `T`.
#[cfg(feature = "programs")]
macro_rules! traced_scalar {
    ($Ty:ty) => {
        operators!(@references_to_constant () [[] []] $Ty, f64);
        operators!(@references_first () [[] []] f64, $Ty);
        operators!(@compared_with () f64, $Ty);
        operators!(@rest () $Ty);
        operators!(@scientific () $Ty);
        inherent!(() $Ty);
        num_traits_impls!(() $Ty);
        approx_impls!(() $Ty);
        #[cfg(feature = "nalgebra")]
        nalgebra_impls!(() $Ty);
    };
}
