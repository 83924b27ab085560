//! The traits of other crates, one file for each: `scalar!` gives all of them to a number type.
//!
//! The impls use nothing of a type but [`Number`](crate::Number) and [`Real`](crate::Real), so every type has
//! every trait at every nesting.

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
        num_traits_impls!($generics $Ty);
        approx_impls!($generics $Ty);
        #[cfg(feature = "nalgebra")]
        nalgebra_impls!($generics $Ty);
    };
}
