//! Boxes.
//!
//! `Box` is special to the compiler: `Box<P>` belongs to the crate of `P`, which may make a number of it. So there is no
//! rule for all `P`, but one for each type of this crate and of the standard library, and
//! [`differentiable!`](crate::differentiable) writes one for each struct.

use super::{Components, Differentiable, Flat, boxed};
use crate::number::Real;

boxed!([P: Flat] [P: Differentiable] [T: Real, P: Components<T>] T, Vec<P>, Box<<Vec<P> as Components<T>>::With<S_>>);
boxed!(
    [P: Flat, const N: usize] [P: Differentiable, const N: usize] [T: Real, P: Components<T>, const N: usize]
    T, [P; N], Box<<[P; N] as Components<T>>::With<S_>>
);
// A boxed number reaches a function as a number: not every `Box<S_>` is a structure.
boxed!([] [] [] f32, f32, S_);
boxed!([] [] [] f64, f64, S_);
