//! Rotations and rigid motions of the plane: points of groups, as in space.

use nalgebra::{
    Complex, Isometry2, Isometry3, Rotation2, Translation2, Translation3, U1, U3, UnitComplex, Vector2,
    Vector3, Vector6,
};

use super::rotations::{along, groups, of_group, of_pose, seeded, three};
use super::{Components, Differentiable, Embedding, PairLayout, shaped};
use crate::matrix::{quaternion_from_scaled_axis, se3_exp, se3_log};
use crate::number::Real;

fn one<T: Real>(next: &mut impl FnMut() -> T) -> T {
    next()
}

/// Cosine and sine.
type Parts<T> = [T; 2];

/// Converts between the angular velocity and the velocity of the parts: `ṗ = ω·ip`, `ω̄ = (ip, p̄)`, `λ = 1` for each
/// column.
fn turn<T: Real>([c, s]: Parts<T>, w: T) -> Parts<T> {
    [-s * w, c * w]
}
fn turned_back<T: Real>([c, s]: Parts<T>, [dc, ds]: Parts<T>) -> T {
    c * ds - s * dc
}

/// The angle from one rotation to another.
fn angle<T: Real>([c, s]: Parts<T>, [to_c, to_s]: Parts<T>) -> T {
    (c * to_s - s * to_c).atan2(c * to_c + s * to_s)
}

/// The parts turned on by an angle.
fn on<T: Real>([c, s]: Parts<T>, angle: T) -> Parts<T> {
    let (y, x) = angle.sin_cos();
    [c * x - s * y, s * x + c * y]
}

fn of_matrix<T: Real>(r: &Rotation2<T>) -> Parts<T> {
    [r[(0, 0)], r[(1, 0)]]
}
fn matrix<T: Real>([c, s]: Parts<T>) -> Rotation2<T> {
    Rotation2::from_matrix_unchecked(nalgebra::Matrix2::new(c, -s, s, c))
}
fn of_number<T: Real>(z: &UnitComplex<T>) -> Parts<T> {
    [z.re, z.im]
}
fn number<T: Real>([re, im]: Parts<T>) -> UnitComplex<T> {
    UnitComplex::new_unchecked(Complex { re, im })
}

/// `Ṙ = R[ω]`, `λ = 2`.
impl<T: Real> Components<T> for Rotation2<T> {
    of_group! { Rotation2, T, 1, one }
    fn visit(&self, f: &mut impl FnMut(T)) {
        Components::<T, PairLayout>::visit(self.matrix(), f);
    }
    fn visit_mut(&mut self, f: &mut impl FnMut(&mut T)) {
        Components::<T, PairLayout>::visit_mut(self.matrix_mut_unchecked(), f);
    }
    fn map<S: Real>(&self, f: &mut impl FnMut(T) -> S) -> Rotation2<S> {
        Rotation2::from_matrix_unchecked(Components::<T, PairLayout>::map(self.matrix(), f))
    }
    fn embed(&self, how: Embedding, next: &mut impl FnMut() -> T, out: &mut impl FnMut(T)) {
        let parts = of_matrix(self);
        let push = |[w]: [T; 1]| {
            let [c, s] = turn(parts, w);
            [c, s, -s, c]
        };
        let pull = |[c, s, minus_s, other_c]: [T; 4]| [turned_back(parts, [c + other_c, s - minus_s])];
        along(how, 2.0, next, out, push, pull);
    }
    fn retract(&self, next: &mut impl FnMut() -> T) -> Self {
        matrix(on(of_matrix(self), next()))
    }
    fn difference(&self, from: &Self, out: &mut impl FnMut(T)) {
        out(angle(of_matrix(from), of_matrix(self)));
    }
}

/// `ż = iωz`, `λ = 1`.
impl<T: Real> Components<T> for UnitComplex<T> {
    of_group! { UnitComplex, T, 1, one }
    fn visit(&self, f: &mut impl FnMut(T)) {
        of_number(self).into_iter().for_each(f);
    }
    fn visit_mut(&mut self, f: &mut impl FnMut(&mut T)) {
        let z = self.as_mut_unchecked();
        f(&mut z.re);
        f(&mut z.im);
    }
    fn map<S: Real>(&self, f: &mut impl FnMut(T) -> S) -> UnitComplex<S> {
        number(of_number(self).map(f))
    }
    fn embed(&self, how: Embedding, next: &mut impl FnMut() -> T, out: &mut impl FnMut(T)) {
        let parts = of_number(self);
        along(how, 1.0, next, out, |[w]: [T; 1]| turn(parts, w), |dz| [turned_back(parts, dz)]);
    }
    fn retract(&self, next: &mut impl FnMut() -> T) -> Self {
        number(on(of_number(self), next()))
    }
    fn difference(&self, from: &Self, out: &mut impl FnMut(T)) {
        out(angle(of_number(from), of_number(self)));
    }
}

/// The vector turned.
fn rotated<T: Real>([c, s]: Parts<T>, v: Vector2<T>) -> Vector2<T> {
    Vector2::new(c * v.x - s * v.y, s * v.x + c * v.y)
}

/// The inverse rotation.
fn inverse<T: Real>([c, s]: Parts<T>) -> Parts<T> {
    [c, -s]
}

/// A vector of se(2) as one of se(3): a turn about the third axis.
fn in_space<T: Real>(rho: Vector2<T>, w: T) -> Vector6<T> {
    let zero = T::lit(0.0);
    Vector6::new(rho.x, rho.y, zero, zero, zero, w)
}

/// `ṫ = Rρ` and the rotation's own velocity: `v = (ρ, ω)`, translation first.
impl<T: Real> Components<T> for Isometry2<T> {
    of_group! { Isometry2, Vector3<T>, 3, three }
    of_pose! { Isometry2, Vector2, Translation2 }
    fn embed(&self, how: Embedding, next: &mut impl FnMut() -> T, out: &mut impl FnMut(T)) {
        let parts = of_number(&self.rotation);
        let parts = if matches!(how, Embedding::TangentToAmbient | Embedding::CotangentToAmbient) {
            parts
        } else {
            inverse(parts)
        };
        Components::<T, PairLayout>::visit(&rotated(parts, Vector2::from_fn(|_, _| next())), out);
        self.rotation.embed(how, next, out);
    }
    fn retract(&self, next: &mut impl FnMut() -> T) -> Self {
        let (parts, v) = (of_number(&self.rotation), self.tangent_from(next));
        let step = se3_exp(&in_space(v.xy(), v.z)).translation.vector;
        let vector = self.translation.vector + rotated(parts, step.xy());
        Isometry2 { translation: Translation2 { vector }, rotation: number(on(parts, v.z)) }
    }
    fn difference(&self, from: &Self, out: &mut impl FnMut(T)) {
        let parts = of_number(&from.rotation);
        let between = rotated(inverse(parts), self.translation.vector - from.translation.vector);
        let (w, zero) = (angle(parts, of_number(&self.rotation)), T::lit(0.0));
        let rotation = quaternion_from_scaled_axis(&Vector3::new(zero, zero, w));
        let vector = Vector3::new(between.x, between.y, zero);
        let way = se3_log(&Isometry3 { translation: Translation3 { vector }, rotation });
        [way[0], way[1], w].into_iter().for_each(out);
    }
}

groups! { Rotation2: T, UnitComplex: T, Isometry2: Vector3<T> }

shaped! {
    [T: Real] T, Rotation2<T>, U1;
    [T: Real] T, UnitComplex<T>, U1;
    [T: Real] T, Isometry2<T>, U3;
}
