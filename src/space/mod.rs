//! Structured arguments (the pytrees of JAX): the types of points, and the types of their tangents.
//!
//! A function may take and return numbers, slices, tuples, options, nalgebra matrices and structs, nested in any way.
//! The drivers (at the root, in [`forward`](crate::forward) and in [`reverse`](crate::reverse)) call it with the same
//! structure over another number type. Gradients and products with Jacobians and Hessians have the structure of the
//! point or of the result. Jacobians and Hessians are matrices over the components in order; [`Shape`] lists the
//! types of static size.
//!
//! ```
//! # #[cfg(feature = "macros")] {
//! use wengert::{Differentiable, Real, gradient};
//! /// A layer of a network; its size is plain data.
//! #[derive(Differentiable)]
//! struct Layer<T> { weights: Vec<Vec<T>>, bias: Vec<T>, #[data] size: usize }
//! fn loss<T: Real<Base = f64>>(layer: &Layer<T>, x: &[f64]) -> T {
//!     let product = |row: &[T]| row.iter().zip(x).map(|(&w, &x)| w * x).sum::<T>();
//!     let row = |i: usize| product(&layer.weights[i]) + layer.bias[i];
//!     (0..layer.size).map(|i| row(i).tanh()).sum()
//! }
//! let layer = Layer { weights: vec![vec![0.0, 0.0]; 2], bias: vec![0.0; 2], size: 2 };
//! let g: Layer<f64> = gradient(|l| loss(l, &[3.0, 4.0]), &layer);
//! assert_eq!((g.weights, g.bias), (vec![vec![3.0, 4.0]; 2], vec![1.0; 2]));
//! # }
//! # use wengert::gradient;
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
//! The point must determine its number type. `&[]` does not: write `&[0.0; 0]`. For a function of structures write
//! `Vector3::<f64>::zeros()`.
//!
//! A float in a `Box` needs a type too: write `Box::new(2.0_f64)`.
//!
//! # Tangent types
//!
//! A type of points has one type of tangents, [`Differentiable::Tangent`]. Cotangents and gradients have this type
//! too: the inner product `⟨a, b⟩ = Σ aᵢbᵢ` over the components ([`dot`]) identifies them with tangents.
//!
//! | point | tangent | components, in this order |
//! |---|---|---|
//! | `f32`, `f64`, every number of this crate | itself | itself |
//! | `Complex<T>` | itself; `⟨a, b⟩ = Re(conj(a)·b)` | `re`, `im` |
//! | `bool`, integers, `char`, `()`, `String`, `&'static str`, `Arc<C>`, `Rc<C>` | [`NoTangent`] | none |
//! | tuples to 12, arrays, `Vec`, slices, `Option` | the same structure of tangents (`Vec` for a slice) | one part after the other |
//! | nalgebra's matrices and vectors | itself | column by column |
//! | `Rotation2<T>`, `UnitComplex<T>` | `T`, the angle `ω` of `R·exp(ω)` | of the point: its four entries; `re`, `im` |
//! | `Isometry2<T>` | `Vector3<T>`, the `(ρ, ω)` of `M·exp(ρ, ω)` | of the point: translation, `re`, `im` |
//! | `Rotation3<T>` | `Vector3<T>`, the `ω` of `R·exp[ω]` | of the point: its nine entries |
//! | `UnitQuaternion<T>` | `Vector3<T>`, the `ω` of `q·exp(ω/2)` | of the point: `x, y, z, w` |
//! | `Isometry3<T>` | `Vector6<T>`, the `(ρ, ω)` of `M·exp(ρ, ω)` | of the point: translation, quaternion |
//! | structs and enums with [`#[derive(Differentiable)]`](derive@crate::Differentiable) | themselves, plain fields copied | field after field |
//! | structs with `#[differentiable(tangent = V)]` | `V<T>`, without plain fields | field after field |
//! | `Box` of `f32`, `f64`, and of all of these except other numbers and plain values | the same of tangents | the components of its content |
//!
//! A plain `Quaternion` and nalgebra's `Point`, `Translation` and `Similarity` are not points. Pass their vectors
//! (`p.coords`, `t.vector`, `q.coords`), and rebuild them inside the function.
//!
//! A tangent of another type or precision does not compile.
//!
//! Rotations and rigid motions are points of Lie groups. The gradient at `X` is the gradient of `v ↦ f(X·exp v)` at `v =
//! 0`, and [`perturb`] takes a step along a tangent. Hessians and their products belong to the same function, so they
//! are symmetric; on rotations they are the Riemannian Hessians. A Jacobian has a column for each component of the
//! point's tangent and a row for each component of the result's tangent. Second and third derivatives of curves are
//! not available for results on groups.
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
//! Passing a point of a group as a tangent or cotangent does not compile, in tuples and structs either.
//!
//! # Functions with state
//!
//! The state of a callable is an argument too: `z = f(x)`, with an `f` that has parameters, is a function of the pair
//! `(f, x)`.
//!
//! ```
//! # #[cfg(feature = "macros")] {
//! use wengert::{Differentiable, Real, gradient, jvp};
//! #[derive(Differentiable)]
//! struct Affine<T> { a: T, b: T }
//! impl<T: Real> Affine<T> {
//!     fn call(&self, x: T) -> T { self.a * x + self.b }
//! }
//! let f = Affine { a: 2.0, b: 1.0 };
//! let df = Affine { a: 1.0, b: 0.25 };
//! // ż = ȧx + aẋ + ḃ
//! assert_eq!(jvp(|(f, x)| f.call(*x), &(f, 3.0), &(df, 0.5)), 4.25);
//! let (df, dx) = gradient(|(f, x)| f.call(*x), &(Affine { a: 2.0, b: 1.0 }, 3.0));
//! assert_eq!((df.a, df.b, dx), (3.0, 1.0, 2.0));
//! # }
//! ```
//!
//! # Vector spaces
//!
//! [`zero`], [`add`], [`scale`], [`dot`], [`random`], [`flatten`] and [`unflatten`] work on tangents of any
//! structure, [`perturb`] and [`difference`] lead from points and tangents to points and back. An optimizer written
//! with them works for all points. In [`scale`], [`scale_assign`] and [`perturb`] the product of a factor and a
//! component is positive zero if either is exactly zero, even if the other is infinite, NaN or negative.

mod boxes;
mod containers;
mod derived;
mod leaves;
#[cfg(feature = "nalgebra")]
mod matrices;
mod operations;
mod outline;
mod parts;
#[doc(hidden)]
pub mod plain;
#[cfg(feature = "nalgebra")]
mod planar;
#[cfg(feature = "nalgebra")]
mod rotations;
#[cfg(feature = "nalgebra")]
mod shape;
mod tuples;

#[doc(hidden)]
pub use crate::__wengert_boxed as boxed;
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
#[doc(hidden)]
pub use parts::{Part, PlainData};
#[cfg(feature = "nalgebra")]
pub use shape::Shape;

use crate::number::Real;
use std::borrow::{BorrowMut, Cow};

/// The layout in which a function receives complex numbers: in two parts, as num-complex's `Complex<T>`. The drivers
/// use it, except the drivers of [`complex`](crate::complex).
#[derive(Clone, Copy, Debug)]
pub enum PairLayout {}

/// The layout in which a function receives complex numbers: as one [`Number`](crate::Number), whose methods have the
/// right derivatives ([`ComplexVar`](crate::ComplexVar), `Dual<Complex<f64>>`). The drivers of
/// [`complex`](crate::complex) use it.
#[derive(Clone, Copy, Debug)]
pub enum NumberLayout {}

/// A type of points, with the type of its tangents. `L` is the layout of complex numbers, [`PairLayout`] or
/// [`NumberLayout`].
///
/// [`#[derive(Differentiable)]`](derive@crate::Differentiable) implements it for structs; the [module](self) lists the other types.
#[diagnostic::on_unimplemented(
    message = "`{Self}` has no tangents",
    note = "a point consists of numbers of wengert in slices, arrays, `Vec`, `Option`, `Box`, tuples, nalgebra's matrices, rotations and isometries, and structs with `#[derive(Differentiable)]`",
    note = "a point owns its parts: use a `Vec`, an array or a matrix instead of a borrowed slice"
)]
pub trait Differentiable<L = PairLayout> {
    /// The type of tangents and cotangents.
    type Tangent;
    /// The owned point: `Vec` for a slice, otherwise the type itself.
    type Owned;
}

/// Access to the components of a point over numbers `T`: the numbers in it, in a fixed order.
///
/// Drivers replace the components by numbers with derivatives.
/// [`#[derive(Differentiable)]`](derive@crate::Differentiable) implements the trait for structs.
/// ```
/// use wengert::space::Components;
/// fn mean<X: Components<f64>>(x: &X) -> f64 {
///     let mut sum = 0.0;
///     x.visit(&mut |c| sum += c);
///     sum / x.count() as f64
/// }
/// assert_eq!(mean(&(2.0, vec![3.0, 7.0])), 4.0);
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not made of numbers `{T}`",
    note = "a point consists of numbers of one type in slices, arrays, `Vec`, `Option`, `Box`, tuples, nalgebra's matrices, rotations and isometries, and structs with `#[derive(Differentiable)]`",
    note = "a point owns its parts: use a `Vec`, an array or a matrix instead of a borrowed slice",
    note = "an eigenvalue `Complex<Dual<f64>>` becomes a number of a complex function by `as_number()` of `AsNumber`"
)]
pub trait Components<T: Real, L = PairLayout>: Differentiable<L> {
    /// The type that a function of such points takes by reference: a slice for arrays and `Vec`, else the structure.
    type Arg<S: Real>: ?Sized;
    /// This structure over another number type.
    type With<S: Real>: Components<S, L> + BorrowMut<Self::Arg<S>> + 'static;
    /// Whether the points form a vector space, so that tangents have the same components.
    const FLAT: bool = true;
    /// Whether a point is one number.
    #[doc(hidden)]
    const SINGLE: bool = false;
    /// The number of components, if the type determines it.
    #[doc(hidden)]
    const LEN: Option<usize> = None;
    /// Whether a buffer of this type means that the result is not needed.
    #[doc(hidden)]
    const ABSENT: bool = false;

    /// Calls `f` with the components in order.
    fn visit(&self, f: &mut impl FnMut(T));
    /// Calls `f` with mutable references to the components in order.
    fn visit_mut(&mut self, f: &mut impl FnMut(&mut T));
    /// This structure with other components.
    fn map<S: Real>(&self, f: &mut impl FnMut(T) -> S) -> Self::With<S>;
    /// This point, owned, with other components of the same type.
    fn map_same(&self, f: &mut impl FnMut(T) -> T) -> Self::Owned;
    /// A tangent of this point whose components are successive values of `next`.
    fn tangent_from(&self, next: &mut impl FnMut() -> T) -> Self::Tangent;
    /// Calls `f` with the rows and columns of each part of a tangent. A part with zero columns states the number of
    /// parts that follow, or the variant of an enum.
    fn outline(&self, f: &mut impl FnMut((usize, usize)));
    /// Whether another point of the same outline has the same plain values. Plain values are not components: fields
    /// after a semicolon, integers, texts.
    #[doc(hidden)]
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn has_plain_of<S: Real>(&self, _other: &Self::With<S>) -> bool {
        true
    }
    /// The number of components.
    fn count(&self) -> usize {
        let mut count = 0;
        self.visit(&mut |_| count += 1);
        count
    }
    /// Maps tangents or cotangents to velocities or cotangents of the components, or back; the identity if flat.
    #[doc(hidden)]
    fn embed(&self, _how: Embedding, next: &mut impl FnMut() -> T, out: &mut impl FnMut(T)) {
        (0..self.count()).for_each(|_| out(next()));
    }
    /// The point over other numbers, as a function of its tangent. `next` maps the value of a component to its
    /// number; for a group it maps the zero value of a component of the logarithm.
    #[doc(hidden)]
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn seeded<S: Real>(&self, _lift: &impl Fn(T) -> S, next: &mut impl FnMut(T) -> S) -> Self::With<S> {
        self.map(next)
    }
    /// [`seeded`](Components::seeded) into an existing point: parts of the same structure are overwritten.
    #[doc(hidden)]
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn seed_over<S: Real>(
        &self,
        lift: &impl Fn(T) -> S,
        next: &mut impl FnMut(T) -> S,
        kept: &mut Self::With<S>,
    ) {
        *kept = self.seeded(lift, next);
    }
    /// The point moved along the tangent whose components are successive values of `next`.
    #[doc(hidden)]
    fn retract(&self, next: &mut impl FnMut() -> T) -> Self::Owned {
        self.map_same(&mut |x| x + next())
    }
    /// The tangent at `from` that leads to `self`. Both must have the same outline.
    #[doc(hidden)]
    fn difference(&self, from: &Self, out: &mut impl FnMut(T)) {
        let mut from = components(from).into_owned().into_iter();
        self.visit(&mut |x| out(x - from.next().expect("outlines agree")));
    }
    /// The components as a slice, if they are contiguous in memory.
    #[doc(hidden)]
    fn contiguous(&self) -> Option<&[T]> {
        None
    }
    /// The components as a mutable slice, if they are contiguous in memory.
    #[doc(hidden)]
    fn contiguous_mut(&mut self) -> Option<&mut [T]> {
        None
    }
    /// The components of a sequence of points as a slice, if they are contiguous.
    #[doc(hidden)]
    fn run(_items: &[Self]) -> Option<&[T]>
    where
        Self: Sized,
    {
        None
    }
    /// The components of a sequence of points as a mutable slice, if they are contiguous.
    #[doc(hidden)]
    fn run_mut(_items: &mut [Self]) -> Option<&mut [T]>
    where
        Self: Sized,
    {
        None
    }
}

/// Maps between the tangents `v` of a point and the velocities `ẋ = Pv` of its components.
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

/// The structure of `X` over another number type: the type that a function of a struct without parameter takes.
///
/// ```
/// # #[cfg(feature = "macros")] {
/// use wengert::{Differentiable, Real, gradient, space::With};
/// #[derive(Differentiable)]
/// struct Point { x: f64, y: f64 }
/// fn area<T: Real>(p: &With<Point, T>) -> T { p.x * p.y }
/// let g: Point = gradient(|p| area(p), &Point { x: 2.0, y: 3.0 });
/// assert_eq!((g.x, g.y), (3.0, 2.0));
/// # }
/// ```
pub type With<X, S, T = f64> = <X as Components<T>>::With<S>;

/// Points that form a vector space, as tangents do. Rotations and rigid motions do not.
///
/// A tangent or cotangent argument may be any such type with the structure of the tangent, for example an array
/// instead of a `Vec`. The fields of a struct that is its own tangent type must be of this kind.
/// [`#[derive(Differentiable)]`](derive@crate::Differentiable) implements it for structs.
/// ```
/// // The tangent of a `Vec` is a `Vec`; an array has the same structure.
/// let at = wengert::linearize(|x: &[_]| x[0] * x[1], &vec![2.0, 3.0]);
/// assert_eq!(at.jvp(&[1.0, 10.0]), Ok(23.0));
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not its own tangent",
    note = "a rotation is not a tangent or cotangent: its tangents have another type, `Vector3` for `Rotation3`",
    note = "a struct with `#[derive(Differentiable)]` is its own tangent type, unless another is named: `#[differentiable(tangent = PoseTangent)]`"
)]
pub trait SelfTangent<L = PairLayout> {}

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

/// The numbers of a result by the dimensions of its tangent; `constant` removes the derivatives of a number.
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
