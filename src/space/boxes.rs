//! Boxes.
//!
//! `Box` is a fundamental type: `Box<P>` counts as local to the crate of `P`, which could make it a number. So there
//! is no implementation for all `P`, but one for each type of this crate, the standard library and nalgebra, in one
//! box; [`#[derive(Differentiable)]`](derive@crate::Differentiable) adds one for each struct.

use super::{Components, Differentiable, SelfTangent, boxed};
use crate::number::Real;
use num_complex::Complex;

boxed!([P: SelfTangent] [P: Differentiable] [T: Real, P: Components<T>] T, Vec<P>, Box<<Vec<P> as Components<T>>::With<__WengertS>>);
boxed!(
    [P: SelfTangent] [P: Differentiable] [T: Real, P: Components<T>]
    T, Option<P>, Box<<Option<P> as Components<T>>::With<__WengertS>>
);
boxed!(
    [P: SelfTangent, const N: usize] [P: Differentiable, const N: usize] [T: Real, P: Components<T>, const N: usize]
    T, [P; N], Box<<[P; N] as Components<T>>::With<__WengertS>>
);
boxed!([T: Real] [T: Real] [T: Real] T, Complex<T>, Box<Complex<__WengertS>>);
// A boxed number reaches a function as a number: not every `Box<__WengertS>` is a structure.
macro_rules! floats {
    ($($F:ident)*) => {$(
        impl SelfTangent for Box<$F> {}
        boxed!(@points [] [] $F, $F, __WengertS);
    )*};
}
floats!(f32 f64);

#[cfg(feature = "nalgebra")]
mod of_nalgebra {
    use super::super::Leaf;
    use super::*;
    use nalgebra::{DefaultAllocator, Dim, OMatrix, Scalar, allocator::Allocator};
    use nalgebra::{Isometry2, Isometry3, Rotation2, Rotation3, UnitComplex, UnitQuaternion};

    boxed!(
        [E: SelfTangent + Scalar, R: Dim, C: Dim] [E: Differentiable + Scalar, R: Dim, C: Dim]
        [T: Real, E: Leaf<T>, R: Dim, C: Dim]
        T, OMatrix<E, R, C>, Box<OMatrix<E::Over<__WengertS>, R, C>>, where [DefaultAllocator: Allocator<R, C>]
    );
    // Not flat: a field of a struct that is its own tangent does not count.
    macro_rules! groups {
        ($($G:ident)*) => {$(
            boxed!(@points [T: Real] [T: Real] T, $G<T>, Box<$G<__WengertS>>);
        )*};
    }
    groups!(Isometry2 Isometry3 Rotation2 Rotation3 UnitComplex UnitQuaternion);
}
