//! Rotations and rigid motions: points of groups, whose tangents are elements of the Lie algebra.
//!
//! A tangent of a group at `X` is the `v` of the curve `X·exp(εv)`: three numbers for a rotation, six for a rigid
//! motion, in the frame of the body. Drivers differentiate with respect to the entries of a rotation matrix or the
//! parts of a quaternion. With their velocities `ẋ = Pv` the gradient is `Pᵀ` times the gradient in these components.
//! It depends only on the values of the function on the group, not on its extension beyond it. The columns of `P` are
//! orthogonal and of equal length, so `P⁺ = Pᵀ/λ`. Second derivatives, and the rows and columns of Jacobians, are
//! derivatives of the function of `v` at `X·exp v`, at `v = 0`.

use nalgebra::{
    Isometry3, Matrix3, Quaternion, Rotation3, Translation3, U3, U6, UnitQuaternion, Vector3, Vector4,
    Vector6,
};

use super::{Components, Differentiable, Embedding, PairLayout, shaped};
use crate::matrix::rotation::{Parts, hamilton, hat, parts, unit};
use crate::matrix::{
    quaternion_from_scaled_axis, quaternion_to_scaled_axis, se3_exp, se3_log, so3_exp, so3_log,
};
use crate::number::Real;
use crate::number::array::from_fn;

/// The next three numbers.
pub(super) fn three<T: Real>(next: &mut impl FnMut() -> T) -> Vector3<T> {
    Vector3::from_fn(|_, _| next())
}
fn six<T: Real>(next: &mut impl FnMut() -> T) -> Vector6<T> {
    Vector6::from_fn(|_, _| next())
}

/// Common code of all groups: a tangent with this number of components, made from the next numbers.
macro_rules! of_group {
    ($Group:ident, $Tangent:ty, $rows:literal, $tangent:ident) => {
        type Arg<S: Real> = $Group<S>;
        type With<S: Real> = $Group<S>;
        const FLAT: bool = false;
        fn map_same(&self, f: &mut impl FnMut(T) -> T) -> Self {
            Components::<T, PairLayout>::map(self, f)
        }
        fn tangent_from(&self, next: &mut impl FnMut() -> T) -> $Tangent {
            $tangent(next)
        }
        fn outline(&self, f: &mut impl FnMut((usize, usize))) {
            f(($rows, 1));
        }
        fn seeded<S: Real>(&self, lift: &impl Fn(T) -> S, next: &mut impl FnMut(T) -> S) -> Self::With<S> {
            seeded(Components::<T, PairLayout>::map(self, &mut |x| lift(x)), next)
        }
    };
}
pub(super) use of_group;

/// Groups with the types of their tangents.
macro_rules! groups {
    ($($Group:ident: $Tangent:ty),*) => {$(
        impl<T: Real> Differentiable for $Group<T> {
            type Tangent = $Tangent;
            type Owned = $Group<T>;
        }
    )*};
}
pub(super) use groups;

/// The common part of both poses: a translation, then a rotation.
macro_rules! of_pose {
    ($Pose:ident, $Vector:ident, $Translation:ident) => {
        fn visit(&self, f: &mut impl FnMut(T)) {
            Components::<T, PairLayout>::visit(&self.translation.vector, f);
            self.rotation.visit(f);
        }
        fn visit_mut(&mut self, f: &mut impl FnMut(&mut T)) {
            Components::<T, PairLayout>::visit_mut(&mut self.translation.vector, f);
            self.rotation.visit_mut(f);
        }
        fn map<S: Real>(&self, f: &mut impl FnMut(T) -> S) -> $Pose<S> {
            let vector: $Vector<S> = Components::<T, PairLayout>::map(&self.translation.vector, f);
            $Pose {
                translation: $Translation { vector },
                rotation: Components::<T, PairLayout>::map(&self.rotation, f),
            }
        }
    };
}
pub(super) use of_pose;

/// A point as a function of its tangent. The tangent is zero, and the components of the point keep their values to
/// the last bit. A mode such as finite differences may move the point itself.
pub(super) fn seeded<T: Real, S: Real, G: Components<S, Owned = G>>(
    point: G,
    next: &mut impl FnMut(T) -> S,
) -> G {
    let zero = S::lit(0.0).innermost();
    let mut still = true;
    let mut there = point.retract(&mut || {
        let v = next(T::lit(0.0));
        still &= v.innermost() == zero;
        v
    });
    if still {
        // At most the nine entries of a matrix.
        let mut values = [zero; 9];
        let mut slots = values.iter_mut();
        point.visit(&mut |x| *slots.next().expect("at most nine") = x.innermost());
        let mut values = values.into_iter();
        there.visit_mut(&mut |x| *x = x.with_innermost(values.next().expect("the same point")));
    }
    there
}

/// Between `v` and `ẋ` by `P`, `Pᵀ` and the factor `λ` with `PᵀP = λ`.
pub(super) fn along<T: Real, const N: usize, const D: usize>(
    how: Embedding,
    lambda: f64,
    next: &mut impl FnMut() -> T,
    out: &mut impl FnMut(T),
    push: impl FnOnce([T; D]) -> [T; N],
    pull: impl FnOnce([T; N]) -> [T; D],
) {
    let factor = T::lit(if matches!(how, Embedding::TangentToAmbient | Embedding::CotangentFromAmbient) {
        1.0
    } else {
        1.0 / lambda
    });
    let mut scaled = |x: T| out(x * factor);
    match how {
        Embedding::TangentToAmbient | Embedding::CotangentToAmbient => {
            let tangent = from_fn(|_| next());
            push(tangent).into_iter().for_each(&mut scaled);
        }
        Embedding::CotangentFromAmbient | Embedding::TangentFromAmbient => {
            let components = from_fn(|_| next());
            pull(components).into_iter().for_each(&mut scaled);
        }
    }
}

/// `Ṙ = R[ω]`, `ω̄ = 2·vee(skew(RᵀR̄))`, `λ = 2`.
impl<T: Real> Components<T> for Rotation3<T> {
    of_group! { Rotation3, Vector3<T>, 3, three }
    fn visit(&self, f: &mut impl FnMut(T)) {
        Components::<T, PairLayout>::visit(self.matrix(), f);
    }
    fn visit_mut(&mut self, f: &mut impl FnMut(&mut T)) {
        Components::<T, PairLayout>::visit_mut(self.matrix_mut_unchecked(), f);
    }
    fn map<S: Real>(&self, f: &mut impl FnMut(T) -> S) -> Rotation3<S> {
        Rotation3::from_matrix_unchecked(Components::<T, PairLayout>::map(self.matrix(), f))
    }
    fn embed(&self, how: Embedding, next: &mut impl FnMut() -> T, out: &mut impl FnMut(T)) {
        let r = self.matrix();
        let push = |w: [T; 3]| <[T; 9]>::try_from((r * hat(&w.into())).as_slice()).expect("nine entries");
        let pull = |m: [T; 9]| {
            let m = r.transpose() * Matrix3::from_column_slice(&m);
            let twice = |i, j| m[(i, j)] - m[(j, i)];
            [twice(2, 1), twice(0, 2), twice(1, 0)]
        };
        along(how, 2.0, next, out, push, pull);
    }
    fn retract(&self, next: &mut impl FnMut() -> T) -> Self {
        Rotation3::from_matrix_unchecked(self.matrix() * so3_exp(&three(next)).matrix())
    }
    fn difference(&self, from: &Self, out: &mut impl FnMut(T)) {
        let way = Rotation3::from_matrix_unchecked(from.matrix().transpose() * self.matrix());
        Components::<T, PairLayout>::visit(&so3_log(&way), out);
    }
}

fn conjugate<T: Real>([w, x, y, z]: Parts<T>) -> Parts<T> {
    [w, -x, -y, -z]
}

/// `q·(0, v)·q*`.
fn turned<T: Real>(q: Parts<T>, v: &Vector3<T>) -> Vector3<T> {
    let [_, x, y, z] = hamilton(hamilton(q, [T::lit(0.0), v.x, v.y, v.z]), conjugate(q));
    Vector3::new(x, y, z)
}

/// `q̇ = ½q·(0, ω)`, `(·, ω̄) = ½q*·q̄`, `λ = ¼`.
impl<T: Real> Components<T> for UnitQuaternion<T> {
    of_group! { UnitQuaternion, Vector3<T>, 3, three }
    fn visit(&self, f: &mut impl FnMut(T)) {
        Components::<T, PairLayout>::visit(&self.as_ref().coords, f);
    }
    fn visit_mut(&mut self, f: &mut impl FnMut(&mut T)) {
        Components::<T, PairLayout>::visit_mut(&mut self.as_mut_unchecked().coords, f);
    }
    fn map<S: Real>(&self, f: &mut impl FnMut(T) -> S) -> UnitQuaternion<S> {
        let coords: Vector4<S> = Components::<T, PairLayout>::map(&self.as_ref().coords, f);
        UnitQuaternion::new_unchecked(Quaternion { coords })
    }
    fn embed(&self, how: Embedding, next: &mut impl FnMut() -> T, out: &mut impl FnMut(T)) {
        let (q, half) = (parts(self), T::lit(0.5));
        let push = |[x, y, z]: [T; 3]| {
            let [w, x, y, z] = hamilton(q, [T::lit(0.0), x, y, z]);
            [x * half, y * half, z * half, w * half]
        };
        let pull = |[x, y, z, w]: [T; 4]| {
            let [_, x, y, z] = hamilton(conjugate(q), [w, x, y, z]);
            [x * half, y * half, z * half]
        };
        along(how, 0.25, next, out, push, pull);
    }
    fn retract(&self, next: &mut impl FnMut() -> T) -> Self {
        unit(hamilton(parts(self), parts(&quaternion_from_scaled_axis(&three(next)))))
    }
    fn difference(&self, from: &Self, out: &mut impl FnMut(T)) {
        let way = quaternion_to_scaled_axis(&unit(hamilton(conjugate(parts(from)), parts(self))));
        Components::<T, PairLayout>::visit(&way, out);
    }
}

/// `ṫ = Rρ` and the quaternion's own velocity: `v = (ρ, ω)`, translation first.
impl<T: Real> Components<T> for Isometry3<T> {
    of_group! { Isometry3, Vector6<T>, 6, six }
    of_pose! { Isometry3, Vector3, Translation3 }
    fn embed(&self, how: Embedding, next: &mut impl FnMut() -> T, out: &mut impl FnMut(T)) {
        let q = parts(&self.rotation);
        let q = if matches!(how, Embedding::TangentToAmbient | Embedding::CotangentToAmbient) {
            q
        } else {
            conjugate(q)
        };
        Components::<T, PairLayout>::visit(&turned(q, &three(next)), out);
        self.rotation.embed(how, next, out);
    }
    fn retract(&self, next: &mut impl FnMut() -> T) -> Self {
        let (q, step) = (parts(&self.rotation), se3_exp(&self.tangent_from(next)));
        let vector = self.translation.vector + turned(q, &step.translation.vector);
        Isometry3 { translation: Translation3 { vector }, rotation: unit(hamilton(q, parts(&step.rotation))) }
    }
    fn difference(&self, from: &Self, out: &mut impl FnMut(T)) {
        let back = conjugate(parts(&from.rotation));
        let vector = turned(back, &(self.translation.vector - from.translation.vector));
        let rotation = unit(hamilton(back, parts(&self.rotation)));
        let way = se3_log(&Isometry3 { translation: Translation3 { vector }, rotation });
        Components::<T, PairLayout>::visit(&way, out);
    }
}

groups! { Rotation3: Vector3<T>, UnitQuaternion: Vector3<T>, Isometry3: Vector6<T> }

shaped! {
    [T: Real] T, Rotation3<T>, U3;
    [T: Real] T, UnitQuaternion<T>, U3;
    [T: Real] T, Isometry3<T>, U6;
}
