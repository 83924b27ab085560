//! Structured arguments: what a point may be made of, and the one type that its derivatives have.
//!
//! A function may take and return numbers, slices, tuples, options, nalgebra's matrices and structs, nested as one likes.
//! Every driver (at the root, in [`forward`](crate::forward) and in [`reverse`](crate::reverse)) hands it the same
//! structure over another number type. Gradients and products with Jacobians and Hessians have the structure of the point
//! or of the result; Jacobians and Hessians are matrices over the components in order, of static size where
//! [`Shape`] says so.
//!
//! ```
//! use wengert::{Real, differentiable, gradient};
//! differentiable! {
//!     /// A layer of a network; its size is no number to differentiate by.
//!     struct Layer<T> { weights: Vec<Vec<T>>, bias: Vec<T>; size: usize }
//! }
//! fn loss<T: Real<Base = f64>>(layer: &Layer<T>, x: &[f64]) -> T {
//!     let product = |row: &[T]| row.iter().zip(x).map(|(&w, &x)| w * x).sum::<T>();
//!     let row = |i: usize| product(&layer.weights[i]) + layer.bias[i];
//!     (0..layer.size).map(|i| row(i).tanh()).sum()
//! }
//! let layer = Layer { weights: vec![vec![0.0, 0.0]; 2], bias: vec![0.0; 2], size: 2 };
//! let g: Layer<f64> = gradient(|l| loss(l, &[3.0, 4.0]), &layer);
//! assert_eq!((g.weights, g.bias), (vec![vec![3.0, 4.0]; 2], vec![1.0; 2]));
//!
//! // Several arguments are a tuple: ∂(a·Σv) = (Σv, (a, a))
//! let g = gradient(|(a, v)| *a * (v[0] + v[1]), &(2.0, [1.0, 3.0]));
//! assert_eq!(g, (4.0, [2.0, 2.0]));
//!
//! // H·v in the structure of the point, J over its components: f(a, v) = a²v₀v₁
//! let x = (2.0, vec![3.0, 4.0]);
//! let hv = wengert::hvp(|(a, v)| a.powi(2) * v[0] * v[1], &x, &(1.0, [0.0, 0.0]));
//! assert_eq!(hv, (24.0, vec![16.0, 12.0]));
//! # #[cfg(feature = "nalgebra")] {
//! let j = wengert::jacobian(|(a, v)| [a.powi(2), v[0] * v[1]], &x);
//! assert_eq!(j, nalgebra::dmatrix![4.0, 0.0, 0.0; 0.0, 4.0, 3.0]);
//! # }
//! ```
//!
//! The numbers of a point must be known from the point: `&[0.0; 0]` for no numbers (`&[]` has no type), and
//! `Vector3::<f64>::zeros()` in front of a function of structures.
//!
//! A float in a `Box` must be known to be one: `Box::new(2.0_f64)`, or the `{float}` of the literal leaves open which
//! structure the closure takes.
//!
//! # Tangent types
//!
//! Every type of points has exactly one type of tangents, [`Differentiable::Tangent`]; cotangents and gradients are of
//! this type too, as `⟨a, b⟩ = Σ aᵢbᵢ` over the components ([`dot`]) makes vectors of covectors.
//!
//! | point | tangent | components, in this order |
//! |---|---|---|
//! | `f32`, `f64`, every number of this crate | itself | itself |
//! | `Complex<T>` | itself; `⟨a, b⟩ = Re(conj(a)·b)` | `re`, `im` |
//! | `bool`, integers, `char`, `()`, `String`, `&'static str`, `Arc<C>`, `Rc<C>` | [`NoTangent`] | none |
//! | tuples to 12, arrays, `Vec`, slices, `Option` | the same of tangents (`Vec` for a slice) | one part after the other |
//! | nalgebra's matrices and vectors | itself | column by column |
//! | `Rotation2<T>`, `UnitComplex<T>` | `T`, the angle `ω` of `R·exp(ω)` | of the point: its four entries; `re`, `im` |
//! | `Isometry2<T>` | `Vector3<T>`, the `(ρ, ω)` of `M·exp(ρ, ω)` | of the point: translation, `re`, `im` |
//! | `Rotation3<T>` | `Vector3<T>`, the `ω` of `R·exp[ω]` | of the point: its nine entries |
//! | `UnitQuaternion<T>` | `Vector3<T>`, the `ω` of `q·exp(ω/2)` | of the point: `x, y, z, w` |
//! | `Isometry3<T>` | `Vector6<T>`, the `(ρ, ω)` of `M·exp(ρ, ω)` | of the point: translation, quaternion |
//! | structs and enums of [`differentiable!`](crate::differentiable) | themselves, plain fields copied | field after field |
//! | structs of [`differentiable!`](crate::differentiable) with a named tangent, `struct X<T> -> V` | `V<T>`, without plain fields | field after field |
//! | `Box` and `Box<Box>` of `f32`, `f64`, and of all of these but other numbers and plain values | the same of tangents | of what is in it |
//!
//! No points are plain `Quaternion`s, and nalgebra's `Point`, `Translation` and `Similarity`: their vectors are (`p.coords`,
//! `t.vector`, `q.coords`), from which a function makes them anew.
//!
//! A second tangent type does not compile, nor does a tangent of another precision.
//!
//! Rotations and rigid motions are points of groups. The gradient at `X` is that of `v ↦ f(X·exp v)` at zero, and
//! [`perturb`] takes the step. Hessians and their products are those of this function too; so they are symmetric, and on
//! rotations Riemann's. Jacobians have a column for each component of a tangent, a row for each component of the tangent
//! of a result. Only second and third derivatives of curves take no results on groups.
//!
//! ```
//! # #[cfg(feature = "nalgebra")] {
//! use nalgebra::{Rotation3, Vector3};
//! use wengert::{gradient, space::perturb};
//! // Turn e₁ towards e₂: f = (e₂, R·e₁), steepest around the third axis.
//! let mut r = Rotation3::<f64>::identity();
//! let f = |r: &Rotation3<wengert::Var<f64>>| r[(1, 0)];
//! assert_eq!(gradient(f, &r), Vector3::new(0.0, 0.0, 1.0));
//! for _ in 0..60 {
//!     r = perturb(&r, 0.5, &gradient(f, &r)).unwrap();
//! }
//! assert!((r[(1, 0)] - 1.0).abs() < 1e-12);
//! # }
//! ```
//!
//! A point of a group where a tangent or cotangent is due does not compile, in tuples and structs too.
//!
//! # Functions with state
//!
//! The state of a callable is an argument like any other: `z = f(x)` with an `f` that has parameters is a function of
//! the pair `(f, x)`.
//!
//! ```
//! use wengert::{Real, differentiable, gradient, jvp};
//! differentiable! { struct Affine<T> { a: T, b: T } }
//! impl<T: Real> Affine<T> {
//!     fn call(&self, x: T) -> T { self.a * x + self.b }
//! }
//! let f = Affine { a: 2.0, b: 1.0 };
//! let df = Affine { a: 1.0, b: 0.25 };
//! // ż = ȧx + aẋ + ḃ
//! assert_eq!(jvp(|(f, x)| f.call(*x), &(f, 3.0), &(df, 0.5)), 4.25);
//! let (df, dx) = gradient(|(f, x)| f.call(*x), &(Affine { a: 2.0, b: 1.0 }, 3.0));
//! assert_eq!((df.a, df.b, dx), (3.0, 1.0, 2.0));
//! ```
//!
//! # Vector spaces
//!
//! [`zero`], [`add`], [`scale`], [`dot`], [`random`], [`flatten`] and [`unflatten`] work on tangents of any structure,
//! [`perturb`] and [`difference`] lead from points to tangents and back: what an optimizer needs, written once for all
//! points. Where a factor or a component is exactly zero, their product is zero in [`scale`], [`scale_assign`] and
//! [`perturb`], whatever the other is: a positive zero, also of infinity, NaN and negative numbers.

mod boxes;
mod containers;
mod curved;
mod derived;
mod leaves;
#[cfg(feature = "nalgebra")]
mod matrices;
mod operations;
mod outline;
#[cfg(feature = "nalgebra")]
mod planar;
#[cfg(all(doctest, feature = "nalgebra"))]
mod refused;
#[cfg(feature = "nalgebra")]
mod rotations;
#[cfg(feature = "nalgebra")]
mod shape;
mod structs;
mod tuples;

#[doc(hidden)]
pub use crate::__wengert_boxed as boxed;
#[doc(hidden)]
pub use crate::__wengert_curved as curved;
#[doc(hidden)]
pub use crate::__wengert_shaped as shaped;
pub use leaves::NoTangent;
#[cfg(feature = "nalgebra")]
pub use matrices::Leaf;
#[cfg(feature = "nalgebra")]
#[doc(hidden)]
pub use nalgebra::Dyn;
pub use operations::*;
#[doc(hidden)]
pub use outline::variant;
pub(crate) use outline::{Outline, check, dimension, only_part};
#[cfg(feature = "nalgebra")]
pub use shape::Shape;

use crate::number::Real;
use std::borrow::{BorrowMut, Cow};

/// How a complex number in a point reaches a function: in two parts, as num-complex's `Complex<T>`. It is so in all
/// drivers but those of [`complex`](crate::complex).
#[derive(Clone, Copy, Debug)]
pub enum Split {}

/// How a complex number in a point reaches a function: as a whole, a [`Number`](crate::Number) whose own functions have
/// the right derivatives ([`ComplexVar`](crate::ComplexVar), `Dual<Complex<f64>>`). It is so in
/// [`complex`](crate::complex).
#[derive(Clone, Copy, Debug)]
pub enum Whole {}

/// A type of points, with the one type of its tangents. `L` says how complex numbers reach a function.
///
/// [`differentiable!`](crate::differentiable) implements it for structs; see the [module](self) for all others.
#[diagnostic::on_unimplemented(
    message = "`{Self}` has no tangents",
    note = "a point consists of numbers of wengert in slices, arrays, `Vec`, `Option`, `Box`, tuples, nalgebra types, and structs declared with `differentiable!`",
    note = "a point owns its parts: use a `Vec`, an array or a matrix instead of a borrowed slice"
)]
pub trait Differentiable<L = Split> {
    /// Tangents and cotangents of these points.
    type Tangent;
    /// The same points, owned: `Vec` for a slice, else the type itself.
    type Owned;
}

/// The components of a point over numbers `T`: the numbers in it, in a fixed order, and how they are exchanged.
///
/// Drivers exchange the components for numbers with derivatives. [`differentiable!`](crate::differentiable) writes the
/// trait for structs.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not made of numbers `{T}`",
    note = "a point consists of numbers of one type in slices, arrays, `Vec`, `Option`, `Box`, tuples, nalgebra types, and structs declared with `differentiable!`",
    note = "a point owns its parts: use a `Vec`, an array or a matrix instead of a borrowed slice"
)]
pub trait Components<T: Real, L = Split>: Differentiable<L> {
    /// What a function of such points takes, by reference: a slice for arrays and `Vec`, else the structure itself.
    type Arg<S: Real>: ?Sized;
    /// The same structure over another number type.
    type With<S: Real>: Components<S, L> + BorrowMut<Self::Arg<S>> + 'static;
    /// Whether points are vectors themselves, whose tangents have the same components.
    const FLAT: bool = true;
    /// Whether points are one number.
    #[doc(hidden)]
    const SINGLE: bool = false;

    /// Shows the components in order.
    fn visit(&self, f: &mut impl FnMut(T));
    /// Shows the components in order, to be written.
    fn visit_mut(&mut self, f: &mut impl FnMut(&mut T));
    /// The same structure with other components.
    fn map<S: Real>(&self, f: &mut impl FnMut(T) -> S) -> Self::With<S>;
    /// The same point, owned, with other components of the same type.
    fn map_same(&self, f: &mut impl FnMut(T) -> T) -> Self::Owned;
    /// A tangent of this point with the components that `next` gives, one after the other.
    fn tangent_from(&self, next: &mut impl FnMut() -> T) -> Self::Tangent;
    /// Rows and columns of each part of a tangent; a part of zero columns says how many parts follow,
    /// or which variant of an enum.
    fn outline(&self, f: &mut impl FnMut((usize, usize)));
    /// The number of components.
    fn count(&self) -> usize {
        let mut count = 0;
        self.visit(&mut |_| count += 1);
        count
    }

    /// Takes tangents or cotangents to velocities or cotangents of the components, or back; nothing changes for a flat type.
    #[doc(hidden)]
    fn embed(&self, _how: Embedding, next: &mut impl FnMut() -> T, out: &mut impl FnMut(T)) {
        (0..self.count()).for_each(|_| out(next()));
    }
    /// The point over other numbers, as a function of the tangent at it: `next` gives what stands for a component of this
    /// value; of a group, for a component of the logarithm, whose value is zero.
    #[doc(hidden)]
    #[inline(always)]
    fn seeded<S: Real>(&self, _lift: &impl Fn(T) -> S, next: &mut impl FnMut(T) -> S) -> Self::With<S> {
        self.map(next)
    }
    /// [`seeded`](Components::seeded) in a point that is kept: what has the same structure is written over.
    #[doc(hidden)]
    #[inline(always)]
    fn seed_over<S: Real>(
        &self,
        lift: &impl Fn(T) -> S,
        next: &mut impl FnMut(T) -> S,
        kept: &mut Self::With<S>,
    ) {
        *kept = self.seeded(lift, next);
    }
    /// The point moved along a tangent that `next` gives.
    #[doc(hidden)]
    fn retract(&self, next: &mut impl FnMut() -> T) -> Self::Owned {
        self.map_same(&mut |x| x + next())
    }
    /// The tangent at `from` that leads to `self`; both have the same outline.
    #[doc(hidden)]
    fn difference(&self, from: &Self, out: &mut impl FnMut(T)) {
        let mut from = components(from).into_owned().into_iter();
        self.visit(&mut |x| out(x - from.next().expect("outlines agree")));
    }
    /// The components as they lie in memory, if they do.
    #[doc(hidden)]
    fn contiguous(&self) -> Option<&[T]> {
        None
    }
    /// The components as they lie in memory, to be written, if they do.
    #[doc(hidden)]
    fn contiguous_mut(&mut self) -> Option<&mut [T]> {
        None
    }
    /// Numbers in a row.
    #[doc(hidden)]
    fn run(_items: &[Self]) -> Option<&[T]>
    where
        Self: Sized,
    {
        None
    }
    /// Numbers in a row, to be written.
    #[doc(hidden)]
    fn run_mut(_items: &mut [Self]) -> Option<&mut [T]>
    where
        Self: Sized,
    {
        None
    }
}

/// Between the tangents `v` of a point and the velocities `ẋ` of its components, `ẋ = Pv`.
#[doc(hidden)]
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Embedding {
    /// `ẋ = Pv`.
    TangentToAmbient,
    /// `v̄ = Pᵀx̄`.
    CotangentFromAmbient,
    /// `v = P⁺ẋ`.
    TangentFromAmbient,
    /// `x̄ = (P⁺)ᵀv̄`: a cotangent of the components with `Pᵀx̄ = v̄`.
    CotangentToAmbient,
}

/// The structure of `X` over another number type, by name: what a function of a struct without parameter takes.
///
/// ```
/// use wengert::{Real, differentiable, gradient, space::With};
/// differentiable! { struct Point { x: f64, y: f64 } }
/// fn area<T: Real>(p: &With<Point, T>) -> T { p.x * p.y }
/// let g: Point = gradient(|p| area(p), &Point { x: 2.0, y: 3.0 });
/// assert_eq!((g.x, g.y), (3.0, 2.0));
/// ```
pub type With<X, S, T = f64> = <X as Components<T>>::With<S>;

/// Points that are vectors themselves: every tangent is one, and no rotation or rigid motion is.
///
/// Where a tangent or cotangent is due, anything of this kind with the structure of the tangent will do (an array for a
/// `Vec`, say); fields of a struct that is its own tangent are of this kind too. It is implemented with
/// [`Differentiable`], by [`differentiable!`](crate::differentiable) for structs.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not its own tangent",
    note = "a rotation is not a tangent or cotangent: its tangents have another type, `Vector3` for `Rotation3`",
    note = "a struct declared with `differentiable!` is its own tangent type, unless another is named: `struct Pose<T> -> PoseTangent {{ … }}`"
)]
pub trait Flat<L = Split> {}

/// Compiles for vectors only.
#[doc(hidden)]
pub fn demand_flat<L, X: Flat<L> + ?Sized>(_: &X) {}

/// The components in order.
pub(crate) fn components<T: Real, L, X: Components<T, L> + ?Sized>(x: &X) -> Cow<'_, [T]> {
    match x.contiguous() {
        Some(run) => Cow::Borrowed(run),
        None => {
            let mut all = Vec::new();
            x.visit(&mut |c| all.push(c));
            Cow::Owned(all)
        }
    }
}

/// Numbers carried between tangents and components.
pub(crate) fn embedded<'a, T: Real, L, X: Components<T, L> + ?Sized>(
    x: &X,
    how: Embedding,
    given: Cow<'a, [T]>,
) -> Cow<'a, [T]> {
    if X::FLAT {
        return given;
    }
    let (mut given, mut all) = (given.iter().copied(), Vec::new());
    x.embed(how, &mut || given.next().expect("outlines agree"), &mut |c| all.push(c));
    Cow::Owned(all)
}

/// The numbers of a result by the dimensions of its tangent; `still` is a number without derivative.
pub(crate) fn coordinates<S: Real, L, Y: Components<S, L>>(y: &Y, constant: impl Fn(S) -> S) -> Cow<'_, [S]> {
    match Y::FLAT {
        true => components(y),
        // Linear in the numbers, at a point without derivative: only theirs are taken along.
        false => embedded(&y.map(&mut |y| constant(y)), Embedding::TangentFromAmbient, components(y)),
    }
}

/// The tangent of `x` with these components.
pub(crate) fn tangent_of<T: Real, L, X: Components<T, L> + ?Sized>(x: &X, components: &[T]) -> X::Tangent {
    let mut next = components.iter().copied();
    x.tangent_from(&mut || next.next().expect("a tangent has as many components as its point has dimensions"))
}
