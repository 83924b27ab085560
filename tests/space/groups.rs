//! Derivatives on groups: the function is `v ↦ f(X·exp v)` at zero. Against closed forms of first and second order.

use nalgebra::{Isometry2, Isometry3, Matrix3, Rotation2, Rotation3, SMatrix, UnitComplex, UnitQuaternion};
use nalgebra::{Matrix2, Vector2, Vector3, Vector4, Vector6, matrix, vector};
use wengert::space::{Components, difference, dot, flatten, perturb, random, scale, unflatten, zero};
use wengert::{Differentiable, Dual, DualN, Real, Var, derivative, forward, gradient, jvp, reverse, vjp};

fn close(got: &impl Components<f64>, want: &impl Components<f64>) {
    let (got, want) = (flatten(got), flatten(want));
    let near = |(g, w): (&f64, &f64)| (g - w).abs() <= 1e-14 * (1.0 + w.abs());
    assert!(got.len() == want.len() && got.iter().zip(&want).all(near), "{got:?} {want:?}");
}

/// Value, gradient, Hessian and its products, in both modes.
macro_rules! second_order {
    ($f:expr, $x:expr, $g:expr, $h:expr) => {{
        let (x, g, h) = ($x, $g, $h);
        let mut v = h.column(0).into_owned();
        v.iter_mut().enumerate().for_each(|(i, v)| *v = 1.0 - 0.75 * i as f64);
        let along = unflatten(&zero(&x), v.as_slice()).unwrap();
        close(&forward::hessian(|x| $f(x), &x), &h);
        close(&reverse::hessian(|x| $f(x), &x), &h);
        for (value, g1, hv) in [
            forward::value_gradient_and_hvp(|x| $f(x), &x, &along),
            reverse::value_gradient_and_hvp(|x| $f(x), &x, &along),
        ] {
            assert_eq!(value.to_bits(), $f(&x).to_bits());
            close(&g1, &g);
            close(&hv, &(h * v));
        }
        let (value, g1, h1) = forward::value_gradient_and_hessian(|x| $f(x), &x);
        assert_eq!(value.to_bits(), $f(&x).to_bits());
        close(&g1, &g);
        close(&h1, &h);
    }};
}

fn generator(k: usize) -> Matrix3<f64> {
    Vector3::ith(k, 1.0).cross_matrix()
}

/// `f = tr(AᵀR)`: `∂ₖ = tr(AᵀR Eₖ)`, `∂ⱼ∂ₖ = ½ tr(AᵀR (EⱼEₖ + EₖEⱼ))`.
#[test]
fn rotations() {
    const A: Matrix3<f64> = matrix![0.3, -1.0, 2.0; 0.5, 0.7, -0.2; 1.5, 0.1, -0.9];
    fn f<T: Real<Base = f64>>(r: &Rotation3<T>) -> T {
        r.matrix().iter().zip(A.iter()).map(|(&r, &a)| r * a).sum()
    }
    for w in [Vector3::new(0.3, -0.5, 0.7), Vector3::zeros(), Vector3::new(0.0, 3.1, 0.0)] {
        let r = Rotation3::from_scaled_axis(w);
        let m = A.transpose() * r.matrix();
        let g = Vector3::from_fn(|k, _| (m * generator(k)).trace());
        let h = Matrix3::from_fn(|j, k| {
            (m * (generator(j) * generator(k) + generator(k) * generator(j))).trace() / 2.0
        });
        second_order!(f, r, g, h);
    }
}

/// `f = c·q`: `∂ₖ = ½ c·(q eₖ)`, and the Hessian is `−¼f` times the identity.
#[test]
fn quaternions() {
    const C: [f64; 4] = [0.5, -1.0, 2.0, 0.25];
    fn f<T: Real<Base = f64>>(q: &UnitQuaternion<T>) -> T {
        q.coords.iter().zip(C).map(|(&q, c)| q * c).sum()
    }
    for w in [Vector3::new(0.3, -0.5, 0.7), Vector3::zeros()] {
        let q = UnitQuaternion::from_scaled_axis(w);
        let unit = |k| nalgebra::Quaternion::from_imag(Vector3::ith(k, 0.5));
        let g = Vector3::from_fn(|k, _| (q.into_inner() * unit(k)).coords.dot(&Vector4::from(C)));
        second_order!(f, q, g, Matrix3::identity() * (-0.25 * f(&q)));
    }
}

/// `f = c·t`: `t` moves to `t + R(ρ + ½ω × ρ + …)`, so `∂ρⱼ∂ωₖ = ½ c·R(eₖ × eⱼ)`.
#[test]
fn motions() {
    const C: [f64; 3] = [0.5, -1.0, 2.0];
    fn f<T: Real<Base = f64>>(m: &Isometry3<T>) -> T {
        m.translation.vector.iter().zip(C).map(|(&t, c)| t * c).sum()
    }
    let m = Isometry3::new(Vector3::new(1.0, 2.0, 3.0), Vector3::new(0.3, -0.5, 0.7));
    let c = m.rotation.inverse() * Vector3::from(C);
    let mixed = Matrix3::from_fn(|j, k| Vector3::ith(k, 1.0).cross(&Vector3::ith(j, 1.0)).dot(&c) / 2.0);
    let mut h = SMatrix::<f64, 6, 6>::zeros();
    h.fixed_view_mut::<3, 3>(0, 3).copy_from(&mixed);
    h.fixed_view_mut::<3, 3>(3, 0).copy_from(&mixed.transpose());
    second_order!(f, m, Vector6::new(c.x, c.y, c.z, 0.0, 0.0, 0.0), h);
}

/// The plane: `f = tr(AᵀR)` and `Re(c̄z)` have the second derivative `−f`, a motion `∂ρ∂ω = ½ c·R(J·eⱼ)`.
#[test]
fn the_plane() {
    const A: [f64; 4] = [0.5, -1.0, 2.0, 0.25];
    fn of_matrix<T: Real<Base = f64>>(r: &Rotation2<T>) -> T {
        r.matrix().iter().zip(A).map(|(&r, a)| r * a).sum()
    }
    fn of_number<T: Real<Base = f64>>(z: &UnitComplex<T>) -> T {
        z.re * A[0] + z.im * A[1]
    }
    fn of_motion<T: Real<Base = f64>>(m: &Isometry2<T>) -> T {
        m.translation.x * A[0] + m.translation.y * A[1]
    }
    let turn: Matrix2<f64> = matrix![0.0, -1.0; 1.0, 0.0];
    for angle in [0.0, 0.4, 3.0, -2.0] {
        let (r, z) = (Rotation2::new(angle), UnitComplex::new(angle));
        let g = (r.matrix() * turn).component_mul(&Matrix2::from_column_slice(&A)).sum();
        second_order!(of_matrix, r, g, vector![-of_matrix(&r)]);
        let g = -z.im * A[0] + z.re * A[1];
        second_order!(of_number, z, g, vector![-of_number(&z)]);
        let m = Isometry2::new(Vector2::new(1.0, 2.0), angle);
        let c = r.inverse() * Vector2::new(A[0], A[1]);
        let mixed = (turn.transpose() * c) / 2.0;
        let h = matrix![0.0, 0.0, mixed.x; 0.0, 0.0, mixed.y; mixed.x, mixed.y, 0.0];
        second_order!(of_motion, m, Vector3::new(c.x, c.y, 0.0), h);
    }
}

// Not a function of only the rotation near the group: only its values on the group may count.
fn of_rotation<T: Real<Base = f64>>(r: &Rotation3<T>) -> T {
    r.matrix().iter().enumerate().map(|(k, &r)| (r * (k as f64 + 0.5)).sin()).sum::<T>() + r[(1, 1)].exp()
}
fn of_quaternion<T: Real<Base = f64>>(q: &UnitQuaternion<T>) -> T {
    q.coords.iter().enumerate().map(|(k, &q)| (q * (k as f64 + 0.5)).sin()).sum::<T>() + q.coords.w.exp()
}
fn of_motion<T: Real<Base = f64>>(m: &Isometry3<T>) -> T {
    of_quaternion(&m.rotation) * m.translation.x + m.translation.y.sin() * m.translation.z
}
fn of_plane<T: Real<Base = f64>>(r: &Rotation2<T>) -> T {
    r.matrix().iter().enumerate().map(|(k, &r)| (r * (k as f64 + 0.5)).sin()).sum::<T>() + r[(1, 1)].exp()
}
fn of_complex<T: Real<Base = f64>>(z: &UnitComplex<T>) -> T {
    (z.re * 1.5).sin() + z.im.exp() * z.re
}
fn of_plane_motion<T: Real<Base = f64>>(m: &Isometry2<T>) -> T {
    of_complex(&m.rotation) * m.translation.x + m.translation.y.sin()
}

/// All first derivatives against the derivative of `v ↦ f(x·exp v)` at zero.
macro_rules! check {
    ($f:ident, $x:expr, $X:ident, $n:literal) => {{
        let x = $x;
        let along = |k: usize| {
            let (x, mut i) = (Components::map(&x, &mut Dual::constant), 0..);
            let v = random(&x, || Dual::new(0.0, f64::from(u8::from(i.next() == Some(k)))));
            $f(&perturb(&x, Dual::constant(1.0), &v).unwrap()).tangent()
        };
        let want: [f64; $n] = std::array::from_fn(along);
        close(&gradient(|x| $f(x), &x), &want);
        close(&forward::gradient(|x| $f(x), &x), &want);
        let mut out = [0.0; $n];
        reverse::gradient_into(|x: &$X<Var<f64>>| $f(x), &x, &mut out);
        close(&out, &want);
        forward::gradient_into(|x: &$X<DualN<f64, 8>>| $f(x), &x, &mut out);
        close(&out, &want);
        let mut i = 0..;
        let v = random(&x, || 0.25 + f64::from(i.next().unwrap()));
        let slope: f64 = want.iter().zip(flatten(&v)).map(|(w, v)| w * v).sum();
        close(&jvp(|x| $f(x), &x, &v), &slope);
        // The identity has the identity as its derivative and as the transpose of it.
        close(&jvp(|x: &$X<Dual<f64>>| *x, &x, &v), &v);
        close(&vjp(|x: &$X<Var<f64>>| *x, &x, &v), &v);
        let one = SMatrix::<f64, $n, $n>::identity();
        close(&forward::jacobian(|x: &$X<DualN<f64, 8>>| *x, &x), &one);
        close(&reverse::jacobian(|x: &$X<Var<f64>>| *x, &x), &one);
        let at = reverse::linearize(|x: &$X<Var<f64>>| (*x, $f(x)), &x);
        close(&at.jvp(&v).unwrap(), &(v, slope));
        close(&at.vjp(&(v, 0.0)).unwrap(), &v);
        close(&at.vjp(&(scale(&v, 0.0), 1.0)).unwrap(), &want);
        close(&at.jacobian().rows($n, 1).into_owned(), &want);
        // The curve along v has the velocity v.
        let curve = |t: Dual<f64>| {
            let lift = |v: &_| unflatten(&zero(&Components::map(&x, &mut Dual::constant)), v).unwrap();
            let v: Vec<_> = flatten(&v).into_iter().map(Dual::constant).collect();
            perturb(&Components::map(&x, &mut Dual::constant), t, &lift(&v[..])).unwrap()
        };
        close(&derivative(curve, 0.0), &v);
    }};
}

/// The derivative of `v ↦ f(x·exp v)` at zero, which every driver must return on a group.
#[test]
fn tangents_of_rotations_are_those_of_the_group() {
    let w = Vector3::new(0.3, -0.5, 0.7);
    for angle in [0.0, 0.4, 3.0, -2.0] {
        check!(of_plane, Rotation2::new(angle), Rotation2, 1);
        check!(of_complex, UnitComplex::new(angle), UnitComplex, 1);
        check!(of_plane_motion, Isometry2::new(Vector2::new(1.0, 2.0), angle), Isometry2, 3);
    }
    for w in [w, Vector3::zeros(), w * 1e-9] {
        check!(of_rotation, Rotation3::from_scaled_axis(w), Rotation3, 3);
        check!(of_quaternion, UnitQuaternion::from_scaled_axis(w), UnitQuaternion, 3);
        check!(of_motion, Isometry3::new(Vector3::new(1.0, 2.0, 3.0), w), Isometry3, 6);
    }
}

/// `R ↦ R·a` has the velocity `R(ω × a)`, `R ↦ R·B` the one `Bᵀω`.
#[test]
fn jacobians_on_groups() {
    let r = Rotation3::from_scaled_axis(Vector3::new(0.3, -0.5, 0.7));
    let (a, v) = (Vector3::new(1.0, 2.0, 3.0), Vector3::new(0.1, 0.2, 0.3));
    close(&jvp(|r| r * a.map(Dual::constant), &r, &v), &(r * v.cross(&a)));
    let want = -r.matrix() * a.cross_matrix();
    close(&forward::jacobian(|r| r * a.map(DualN::constant), &r), &want);
    close(&reverse::jacobian(|r| r * a.map(Var::constant), &r), &want);
    let b = Rotation3::from_scaled_axis(a);
    let j: Matrix3<f64> = forward::jacobian(|r| r * b.cast::<DualN<f64, 8>>(), &r);
    close(&j, &b.matrix().transpose());
    let j: Matrix3<f64> = reverse::jacobian(|r| r * b.cast::<Var<f64>>(), &r);
    close(&j, &b.matrix().transpose());
    // Next to a flat part, and in more than one pass: ∂(R₅·a)₁ and the number.
    let x = (vec![r; 6], 2.0);
    let j = forward::jacobian(|(r, s)| (r[5] * a.map(DualN::constant)) * *s, &x);
    close(&j.columns(15, 3).into_owned(), &(want * 2.0));
    close(&j.column(18).into_owned(), &(r * a));
    assert_eq!((j.shape(), j.columns(0, 15).norm()), ((3, 19), 0.0));
    close(&reverse::jacobian(|(r, s)| (r[5] * a.map(Var::constant)) * *s, &x), &j);
}

/// The plane moves as a plane in space does.
#[test]
fn steps_in_the_plane_are_steps_in_space() {
    for (angle, w) in [(0.0, 0.0), (0.4, 1e-9), (3.0, 2.5), (-2.0, -3.0)] {
        let plane = Isometry2::new(Vector2::new(1.0, 2.0), angle);
        let space = Isometry3::new(Vector3::new(1.0, 2.0, 0.0), Vector3::z() * angle);
        let v = Vector3::new(0.5, -0.25, w);
        let there = perturb(&plane, 1.0, &v).unwrap();
        let want = perturb(&space, 1.0, &Vector6::new(v.x, v.y, 0.0, 0.0, 0.0, w)).unwrap();
        close(&there.translation.vector, &want.translation.vector.xy());
        close(&there.rotation.angle().sin(), &(angle + w).sin());
        close(&difference(&there, &plane).unwrap(), &v);
        let turned = perturb(&plane.rotation, 1.0, &w).unwrap();
        close(&turned, &UnitComplex::new(angle + w));
        close(&difference(&turned, &plane.rotation).unwrap(), &w);
        let turned = perturb(&Rotation2::new(angle), 0.5, &w).unwrap();
        close(&turned, &Rotation2::new(angle + w / 2.0));
        close(&difference(&turned, &Rotation2::new(angle)).unwrap(), &(w / 2.0));
    }
    // A quarter turn while moving along x: a quarter of a circle of radius 2/π.
    let quarter = Vector3::new(1.0, 0.0, std::f64::consts::FRAC_PI_2);
    let there = perturb(&Isometry2::identity(), 1.0, &quarter).unwrap();
    close(&there.translation.vector, &Vector2::repeat(std::f64::consts::FRAC_2_PI));
}

#[derive(Differentiable, Clone, Debug, PartialEq)]
#[differentiable(tangent = PoseTangent, derive(Clone, Debug, PartialEq))]
pub struct Pose<T: Real> {
    r: Rotation3<T>,
    t: [T; 2],
    #[data]
    name: &'static str,
}

#[derive(Differentiable, Clone, Debug, PartialEq)]
#[differentiable(tangent = RobotTangent, derive(Clone, Debug, PartialEq))]
pub struct Robot<T: Real> {
    pub base: Pose<T>,
    turn: UnitComplex<T>,
    hands: Vec<Box<Pose<T>>>,
    speed: Option<T>,
}

fn of_parts<T: Real<Base = f64>>(r: [&Rotation3<T>; 2], t: T, turn: &UnitComplex<T>, speed: T) -> T {
    (r[0] * r[1])[(0, 1)].exp() * turn.im * t + speed * turn.re * r[1][(2, 2)]
}

/// A struct with rotations among its fields behaves as the tuple of its fields.
#[test]
fn structs_of_rotations() {
    let pose =
        |k: f64| Pose { r: Rotation3::from_scaled_axis(Vector3::new(k, 0.2, -k)), t: [k, 2.0], name: "p" };
    let robot = Robot {
        base: pose(0.5),
        turn: UnitComplex::new(0.4),
        hands: vec![Box::new(pose(1.0)), Box::new(pose(0.0))],
        speed: Some(3.0),
    };
    let parts = |p: &Pose<f64>| (p.r, p.t);
    let tuple = (parts(&robot.base), robot.turn, [pose(1.0), pose(0.0)].map(|p| parts(&p)), Some(3.0));
    macro_rules! of_robot {
        () => {
            |x| of_parts([&x.base.r, &x.hands[1].r], x.base.t[0], &x.turn, x.speed.unwrap())
        };
    }
    macro_rules! of_tuple {
        () => {
            |x| of_parts([&x.0.0, &x.2[1].0], x.0.1[0], &x.1, x.3.unwrap())
        };
    }
    let g: RobotTangent<f64> = gradient(of_robot!(), &robot);
    assert_eq!(flatten(&g), flatten(&gradient(of_tuple!(), &tuple)));
    assert!(g.hands[1].r.norm() > 0.1 && *g.hands[0] == PoseTangent { r: Vector3::zeros(), t: [0.0, 0.0] });
    let hv: RobotTangent<f64> = wengert::hvp(of_robot!(), &robot, &g);
    assert_eq!(flatten(&hv), flatten(&wengert::hvp(of_tuple!(), &tuple, &g)));
    assert_eq!(forward::hessian(of_robot!(), &robot), forward::hessian(of_tuple!(), &tuple));
    assert_eq!(reverse::jacobian(of_robot!(), &robot), reverse::jacobian(of_tuple!(), &tuple));
    close(&jvp(of_robot!(), &robot, &g), &dot(&g, &g).unwrap());
    let there = perturb(&robot, 0.125, &g).unwrap();
    assert_eq!(
        (there.base.name, flatten(&there)),
        ("p", flatten(&perturb(&tuple, 0.125, &unnamed(&g)).unwrap()))
    );
    close(&difference(&there, &robot).unwrap(), &scale(&g, 0.125));
    // In boxes, and as a result.
    assert_eq!(gradient(|x| x.r[(0, 1)], &Box::new(pose(0.5))).t, [0.0, 0.0]);
    let v = vjp(|x| Pose { r: x.r, t: [x.t[0] * 2.0, x.t[1]], name: "q" }, &pose(0.5), &g.base);
    close(&v, &PoseTangent { t: [g.base.t[0] * 2.0, g.base.t[1]], ..g.base });
}

/// The tangent of the tuple with these components.
#[allow(clippy::type_complexity)]
fn unnamed(
    g: &RobotTangent<f64>,
) -> ((Vector3<f64>, [f64; 2]), f64, [(Vector3<f64>, [f64; 2]); 2], Option<f64>) {
    let part = |p: &PoseTangent<f64>| (p.r, p.t);
    (part(&g.base), g.turn, [part(&g.hands[0]), part(&g.hands[1])], g.speed)
}

#[derive(Differentiable)]
#[differentiable(tangent = LinkTangent, derive(Debug, PartialEq))]
struct Link<T> {
    turn: UnitComplex<T>,
    next: Option<Box<Link<T>>>,
}

/// A chain of turns that contains itself: `f = sin(Σ angles)`.
#[test]
fn chains_of_rotations() {
    fn total<T: Real>(link: &Link<T>) -> UnitComplex<T> {
        link.next.as_ref().map_or(link.turn, |next| {
            let (a, b) = (link.turn, total(next));
            UnitComplex::new_unchecked(nalgebra::Complex::new(
                a.re * b.re - a.im * b.im,
                a.re * b.im + a.im * b.re,
            ))
        })
    }
    let link = |angle, next| Link { turn: UnitComplex::new(angle), next };
    let chain = link(0.25, Some(Box::new(link(0.5, None))));
    let g = gradient(|link| total(link).im, &chain);
    close(&[g.turn, g.next.unwrap().turn], &[0.75_f64.cos(); 2]);
    close(&reverse::hessian(|link| total(link).im, &chain), &Matrix2::repeat(-0.75_f64.sin()));
}
