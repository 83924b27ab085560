//! Every type of points, the vector space of its tangents, and first derivatives in all structures.

use std::sync::Arc;

use crate::panics::text_of;
use num_complex::Complex;
use wengert::space::{
    self, Components, NoTangent, With, add, add_assign, count, difference, dot, flatten, perturb, random,
    scale, scale_assign, unflatten, zero,
};
use wengert::{AdError, Differentiable, Dual, Real, Var, forward, reverse};
use wengert::{gradient, jvp, linearize, value_and_gradient, value_and_jvp, vjp};

#[derive(Differentiable, Clone, Debug, PartialEq)]
struct Inner<T> {
    s: T,
    pair: (T, [T; 2]),
}

#[derive(Differentiable, Clone, Debug, PartialEq)]
struct Params<T> {
    a: T,
    pub w: Vec<T>,
    inner: Inner<T>,
    maybe: Option<Box<Inner<T>>>,
    size: usize,
    #[data]
    data: Vec<f64>,
}

#[derive(Differentiable, Clone, Debug, PartialEq)]
struct P {
    a: f64,
    b: Vec<f64>,
    n: usize,
}

#[derive(Differentiable, Clone, Debug, PartialEq)]
enum Shape<T> {
    Circle(T),
    Rectangle { a: T, b: T },
    Nothing,
}

#[derive(Differentiable, Clone, Debug, PartialEq)]
struct List {
    v: f64,
    next: Option<Box<List>>,
}

fn params() -> Params<f64> {
    let inner = |s| Inner { s, pair: (s + 1.0, [s + 2.0, s + 3.0]) };
    Params {
        a: 2.0,
        w: vec![3.0, 4.0],
        inner: inner(0.5),
        maybe: Some(Box::new(inner(1.5))),
        size: 2,
        data: vec![7.0; 3],
    }
}

/// Numbers that differ from component to component.
fn sequence(seed: i16) -> impl FnMut() -> f64 {
    let mut state = f64::from(seed);
    move || {
        state = (state * 0.731 + 0.377) % 17.0;
        // Short fractions, so that the axioms hold exactly.
        (state * 64.0).round() / 64.0
    }
}

/// The axioms of a vector space with an inner product, at the tangents of `x`, and conversions in both directions.
fn axioms<X>(x: &X, seed: i16)
where
    X: Components<f64> + Clone,
    X: Differentiable<Owned = X>,
    X::Tangent: Components<f64>
        + Differentiable<Owned = X::Tangent>
        + space::SelfTangent
        + PartialEq
        + std::fmt::Debug,
{
    let mut source = sequence(seed);
    let [a, b, c] = std::array::from_fn(|_| random(x, &mut source));
    let (s, t) = (0.5, -4.0);
    let sum = |a: &X::Tangent, b: &X::Tangent| add(a, b).unwrap();
    assert_eq!(sum(&sum(&a, &b), &c), sum(&a, &sum(&b, &c)));
    assert_eq!(sum(&a, &b), sum(&b, &a));
    assert_eq!(sum(&a, &zero(x)), a);
    assert_eq!(sum(&a, &scale(&a, -1.0)), zero(x));
    assert_eq!(scale(&scale(&a, s), t), scale(&a, s * t));
    assert_eq!(scale(&a, 1.0), a);
    assert_eq!(scale(&sum(&a, &b), s), sum(&scale(&a, s), &scale(&b, s)));
    assert_eq!(scale(&a, s + t), sum(&scale(&a, s), &scale(&a, t)));
    assert_eq!(dot(&a, &b).unwrap(), dot(&b, &a).unwrap());
    assert_eq!(dot(&sum(&a, &b), &c).unwrap(), dot(&a, &c).unwrap() + dot(&b, &c).unwrap());
    assert_eq!(dot(&scale(&a, s), &b).unwrap(), s * dot(&a, &b).unwrap());
    assert!(dot(&a, &a).unwrap() >= 0.0);

    let mut own = a.clone_by_components();
    add_assign(&mut own, &b).unwrap();
    assert_eq!(own, sum(&a, &b));
    scale_assign(&mut own, 0.0);
    assert_eq!(own, zero(x));

    let components = flatten(&a);
    assert_eq!(components.len(), count(&a));
    assert_eq!(unflatten(&zero(x), &components).unwrap(), a);
    let wrong = vec![0.0; components.len() + 1];
    assert!(matches!(unflatten(&a, &wrong), Err(AdError::Shape { op: "unflatten", .. })));

    // Points: x ⊕ 1·(y ⊖ x) = y; a step short enough to be the shortest path, where the space is not flat.
    let s = 0.0625;
    let y = perturb(x, s, &a).unwrap();
    let d = difference(&y, x).unwrap();
    let gap = add(&d, &scale(&a, -s)).unwrap();
    assert!(dot(&gap, &gap).unwrap() <= 1e-20 * (1.0 + dot(&a, &a).unwrap()));
    let back: Vec<f64> = flatten(&perturb(x, 1.0, &d).unwrap());
    flatten(&y).iter().zip(&back).for_each(|(y, b)| assert!((y - b).abs() <= 1e-12 * (1.0 + y.abs())));
}

trait ByComponents {
    fn clone_by_components(&self) -> Self;
}

impl<V: Components<f64> + Differentiable<Owned = V>> ByComponents for V {
    fn clone_by_components(&self) -> V {
        unflatten(self, &flatten(self)).unwrap()
    }
}

fn spaces(seed: i16) -> bool {
    let mut next = sequence(seed.wrapping_add(1));
    let mut r = move || next();
    axioms(&r(), seed);
    axioms(&Complex::new(r(), r()), seed);
    axioms(&[r(), r(), r()], seed);
    axioms(&vec![r(), r()], seed);
    axioms(&vec![vec![r()], vec![], vec![r(), r()]], seed);
    axioms(&vec![Complex::new(r(), r()); 3], seed);
    axioms(&(r(), vec![r(), r()], 7_usize), seed);
    axioms(&(Some(r()), None::<f64>, Box::new(r()), Box::new(vec![r()])), seed);
    axioms(&(r(), true, "text", String::from("text"), (), 'c', 3_i8, Arc::new([1.0])), seed);
    axioms(&(r(), (r(), (r(), [r(); 2])), [(r(), r()); 2]), seed);
    axioms(&(r(), r(), r(), r(), r(), r(), r(), r(), r(), r(), r(), r()), seed);
    axioms(&params(), seed);
    axioms(&P { a: r(), b: vec![r(); 3], n: 2 }, seed);
    axioms(&Shape::Circle(r()), seed);
    axioms(&Shape::Rectangle { a: r(), b: r() }, seed);
    axioms(&list(&[r(), r(), r()]), seed);
    #[cfg(feature = "nalgebra")]
    {
        use nalgebra::{DMatrix, DVector, Matrix2x3, Vector3};
        use nalgebra::{Isometry2, Isometry3, Rotation2, Rotation3, UnitComplex, UnitQuaternion};
        axioms(&Vector3::new(r(), r(), r()), seed);
        axioms(&Matrix2x3::from_fn(|_, _| r()), seed);
        axioms(&DVector::from_fn(4, |_, _| r()), seed);
        axioms(&(DMatrix::from_fn(2, 3, |_, _| r()), 1), seed);
        axioms(&DMatrix::from_fn(2, 2, |_, _| Complex::new(r(), r())), seed);
        let [w, u] = [0, 1].map(|_| Vector3::new(r(), r(), r()) / 4.0);
        let small = seed % 16;
        axioms(&Rotation3::from_scaled_axis(w), small);
        axioms(&UnitQuaternion::from_scaled_axis(w), small);
        axioms(&Rotation2::new(w.x), small);
        axioms(&(UnitComplex::new(w.x), Box::new(Rotation2::new(w.y))), small);
        axioms(&[Isometry2::new(u.xy(), w.z), Isometry2::identity()], small);
        axioms(&(Box::new((r(), Some(r()))), Box::new(vec![r()]), Box::new(None::<f64>)), seed);
        axioms(&(vec![Isometry3::new(u, w); 2], [Rotation3::identity()], Some(u)), small);
    }
    true
}

#[test]
fn tangents_are_vector_spaces() {
    crate::random::check(100, spaces as fn(i16) -> bool);
}

/// Forward, reverse, JVP and VJP agree with the closed form of `⟨c, x∘x⟩`, whose gradient is `2c∘x`.
fn all_drivers<X>(x: &X, direction: &X::Tangent)
where
    X: Components<f64> + Differentiable<Owned = X>,
    X::Tangent: Components<f64> + space::SelfTangent + Differentiable<Owned = X::Tangent>,
    X::Arg<Var<f64>>: Components<Var<f64>>,
    X::Arg<Dual<f64>>: Components<Dual<f64>>,
    X::Arg<wengert::DualN<f64, 8>>: Components<wengert::DualN<f64, 8>>,
{
    fn f<S: Real<Base = f64>>(x: &(impl Components<S> + ?Sized)) -> S {
        flatten(x).iter().enumerate().map(|(k, &x)| x * x * (k + 1) as f64).sum()
    }
    let values = flatten(x);
    let want: Vec<f64> = values.iter().enumerate().map(|(k, x)| 2.0 * (k + 1) as f64 * x).collect();
    let (value, g) = value_and_gradient(|p: &X::Arg<Var<f64>>| f(p), x);
    assert_eq!((value, flatten(&g)), (f(&values[..]), want.clone()));
    let (value, g) = forward::value_and_gradient(|p: &X::Arg<wengert::DualN<f64, 8>>| f(p), x);
    assert_eq!((value, flatten(&g)), (f(&values[..]), want.clone()));
    let mut out = vec![0.0; want.len()];
    reverse::gradient_into(|p: &X::Arg<Var<f64>>| f(p), x, &mut out);
    assert_eq!(out, want);
    forward::gradient_into(|p: &X::Arg<wengert::DualN<f64, 8>>| f(p), x, &mut out);
    assert_eq!(out, want);
    let g = vjp(|p: &X::Arg<Var<f64>>| [f(p), f(p) * 2.0], x, &[1.0, 2.0]);
    assert_eq!(flatten(&g), want.iter().map(|w| 5.0 * w).collect::<Vec<_>>());
    let along: f64 = want.iter().zip(flatten(direction)).map(|(w, v)| w * v).sum();
    let dy = jvp(|p: &X::Arg<Dual<f64>>| f(p), x, direction);
    assert!((dy - along).abs() <= 1e-13 * (1.0 + along.abs()));
}

#[test]
fn every_structure_has_all_derivatives() {
    fn at<X>(x: X)
    where
        X: Components<f64> + Differentiable<Owned = X>,
        X::Tangent: Components<f64> + space::SelfTangent + Differentiable<Owned = X::Tangent>,
        X::Arg<Var<f64>>: Components<Var<f64>>,
        X::Arg<Dual<f64>>: Components<Dual<f64>>,
        X::Arg<wengert::DualN<f64, 8>>: Components<wengert::DualN<f64, 8>>,
    {
        let direction = random(&x, sequence(3));
        all_drivers(&x, &direction);
    }
    at(2.0);
    at([1.0, 2.0, 3.0]);
    at((0..20).map(f64::from).collect::<Vec<_>>());
    at((1.0, (0..20).map(f64::from).collect::<Vec<_>>(), "text", Some([2.0; 3]), None::<f64>));
    at(vec![vec![1.0, 2.0], vec![], vec![3.0; 9]]);
    at(vec![Complex::new(1.0, 2.0); 5]);
    at(params());
    at(P { a: 1.0, b: (0..11).map(f64::from).collect(), n: 3 });
    at(list(&[1.0, 2.0, 3.0]));
    at(Shape::Rectangle { a: 2.0, b: 3.0 });
    at(Shape::Nothing::<f64>);
    #[cfg(feature = "nalgebra")]
    {
        use nalgebra::{DMatrix, DVector, Matrix2x3, Matrix4};
        at(Matrix2x3::new(1.0, 2.0, 3.0, 4.0, 5.0, 6.0));
        at((DMatrix::from_fn(3, 5, |i, j| (i + 7 * j) as f64), DVector::from_element(4, 1.0)));
        at(Matrix4::from_fn(|i, j| Complex::new(i as f64, j as f64)));
        at(nalgebra::SMatrix::<f64, 7, 9>::from_fn(|i, j| (i * j) as f64));
    }
}

fn list(values: &[f64]) -> List {
    List { v: values[0], next: (values.len() > 1).then(|| Box::new(list(&values[1..]))) }
}

fn product<T: Real>(l: &With<List, T>) -> T {
    l.next.as_ref().map_or(l.v, |next| l.v * product(next))
}

#[test]
fn recursive_types_have_gradients_of_their_own_type() {
    assert_eq!(gradient(product, &list(&[1.0, 2.0, 3.0])), list(&[6.0, 3.0, 2.0]));
    assert_eq!(forward::gradient(product, &list(&[1.0, 2.0, 3.0])), list(&[6.0, 3.0, 2.0]));
    // Deep ones too.
    let long = list(&[1.0; 500]);
    assert_eq!(gradient(product, &long), long);
}

#[test]
fn closures_infer_without_annotation() {
    let g = gradient(|(a, v)| *a * v.iter().copied().sum::<Var<f64>>(), &(2.0, [1.0, 3.0]));
    assert_eq!(g, (4.0, [2.0, 2.0]));
    let g = gradient(|(a, (b, c))| *a * (*b + *c), &(2.0, (1.0, 3.0)));
    assert_eq!(g, (4.0, (2.0, 2.0)));
    let g = gradient(|p| p.a.powi(2) * p.b[p.n] + p.b[0].sin(), &P { a: 3.0, b: vec![0.0, 5.0], n: 1 });
    assert_eq!(g, P { a: 30.0, b: vec![1.0, 9.0], n: 1 });
    let g: Params<f64> =
        gradient(|p| p.inner.pair.1[1] * p.w[1] * p.data[0] + p.maybe.as_ref().unwrap().s, &params());
    assert_eq!((g.inner.pair.1[1], g.w[1], g.maybe.unwrap().s), (28.0, 24.5, 1.0));
    assert_eq!((g.data, g.size, g.a), (vec![7.0; 3], 2, 0.0));
    // An outer gradient around an inner one.
    let g = gradient(|(x, _)| gradient(|(y, z)| y.powi(3) * *z * *x, &(*x, *x)).0, &(2.0, 1));
    assert_eq!(g, (3.0 * 4.0 * 8.0, NoTangent)); // ∂/∂y y³zx = 3x⁴
    let g = gradient(|z| z.re * z.im, &Complex::new(2.0_f32, 3.0));
    assert_eq!(g, Complex::new(3.0, 2.0));
}

#[test]
fn results_may_be_structures() {
    let f = |(a, v): &(Dual<f64>, Vec<Dual<f64>>)| (vec![*a * v[0], v[1]], Some(a.sin()), 7_u8);
    let (y, dy) = value_and_jvp(f, &(2.0, vec![3.0, 4.0]), &(1.0, vec![10.0, 100.0]));
    assert_eq!(y, (vec![6.0, 4.0], Some(2f64.sin()), 7));
    assert_eq!(dy, (vec![23.0, 100.0], Some(2f64.cos()), NoTangent));
    let f = |(a, v): &(Var<f64>, Vec<Var<f64>>)| (vec![*a * v[0], v[1]], Some(a.sin()), 7_u8);
    let w = (vec![1.0, 2.0], Some(10.0), NoTangent);
    assert_eq!(vjp(f, &(2.0, vec![3.0, 4.0]), &w), (3.0 + 10.0 * 2f64.cos(), vec![2.0, 2.0]));
}

#[test]
fn callables_have_gradients_of_their_state() {
    #[derive(Differentiable, Debug, PartialEq)]
    struct Affine<T> {
        a: T,
        b: T,
    }
    impl<T: Real> Affine<T> {
        fn call(&self, x: T) -> T {
            self.a * x + self.b
        }
    }
    let f = || Affine { a: 2.0, b: 1.0 };
    assert_eq!(jvp(|(f, x)| f.call(*x), &(f(), 3.0), &(Affine { a: 1.0, b: 0.25 }, 0.5)), 4.25);
    assert_eq!(gradient(|(f, x)| f.call(*x), &(f(), 3.0)), (Affine { a: 3.0, b: 1.0 }, 2.0));
    assert_eq!(vjp(|(f, x)| f.call(*x), &(f(), 3.0), &1.0), (Affine { a: 3.0, b: 1.0 }, 2.0));
}

#[test]
fn what_does_not_fit_is_an_error_by_name() {
    let x = (1.0, vec![2.0, 3.0], Some(1.0));
    let text = |e: AdError| e.to_string();
    let at = linearize(|x: &(Var<f64>, Vec<Var<f64>>, Option<Var<f64>>)| x.0, &x);
    let e = at.jvp(&(1.0, vec![2.0], Some(1.0))).unwrap_err();
    assert_eq!(text(e), "jvp: the tangent has length 1, expected 2");
    let e = at.jvp(&(1.0, vec![2.0, 3.0], None::<f64>)).unwrap_err();
    assert_eq!(text(e), "jvp: the tangent has length 0, expected 1");
    let e = at.jvp(&(1.0, 2.0, 3.0, 4.0)).unwrap_err();
    assert_eq!(text(e), "jvp: the tangent has length 1, expected 2");
    let e = at.jvp(&(1.0, [2.0, 3.0], 1.0)).unwrap_err();
    assert_eq!(e, AdError::Structure { op: "jvp", what: "tangent", part: 2 });
    let e = at.jvp(&(1.0, [2.0, 3.0])).unwrap_err();
    assert_eq!(text(e), "jvp: the structure of the tangent differs at component 2");
    let e = linearize(|x| (x[0], x[1]), &[1.0, 2.0]).vjp(&(1.0, [2.0, 3.0])).unwrap_err();
    assert_eq!(text(e), "vjp: the cotangent has length 2, expected 1");
    let e = perturb(&vec![1.0, 2.0], 1.0, &vec![1.0]).unwrap_err();
    assert_eq!(text(e), "perturb: the tangent has length 1, expected 2");
    let e = difference(&vec![1.0], &vec![1.0, 2.0]).unwrap_err();
    assert_eq!(text(e), "difference: the point has length 1, expected 2");
    let e = difference(&Shape::Circle(1.0), &Shape::Rectangle { a: 1.0, b: 2.0 }).unwrap_err();
    assert_eq!(text(e), "difference: the structure of the point differs at component 0");
    let e = add(&vec![Shape::Circle(1.0)], &vec![Shape::Nothing]).unwrap_err();
    assert_eq!(e, AdError::Structure { op: "add", what: "second tangent", part: 1 });
    let e = linearize(|x| x[0][0], &vec![vec![1.0]]).jvp(&Shape::Nothing::<f64>).unwrap_err();
    assert_eq!(e, AdError::Structure { op: "jvp", what: "tangent", part: 0 });
    let e = dot(&vec![vec![1.0], vec![]], &vec![vec![], vec![1.0]]).unwrap_err();
    assert_eq!(text(e), "dot: the second tangent has length 0, expected 1");
    #[cfg(feature = "nalgebra")]
    {
        let (a, b) = (nalgebra::DMatrix::<f64>::zeros(2, 3), nalgebra::DMatrix::<f64>::zeros(3, 2));
        assert_eq!(text(add(&a, &b).unwrap_err()), "add: the second tangent is 3 × 2, expected 2 × 3");
    }
    let mut short = [0.0; 2];
    let said = text_of(|| reverse::gradient_into(|x| x.0, &(1.0, [2.0, 3.0]), &mut short));
    assert_eq!(said, "gradient: the gradient buffer has length 2, expected 3");
}

/// `0·a = 0` and `s·0 = 0`, positive zeros, also where IEEE has NaN.
#[test]
fn products_with_zero_are_zero() {
    let bits = |x: &[f64]| x.iter().map(|x| x.to_bits()).collect::<Vec<_>>();
    for s in [0.0, -0.0] {
        let mut a = [f64::NAN, f64::INFINITY, -2.0];
        assert_eq!(bits(&scale(&a, s)), [0; 3]);
        scale_assign(&mut a, s);
        assert_eq!(bits(&a), [0; 3]);
        assert_eq!(perturb(&1.0, s, &f64::INFINITY).unwrap(), 1.0);
    }
    for s in [f64::NAN, f64::INFINITY, -2.0] {
        let mut a = [0.0, -0.0];
        assert_eq!(bits(&scale(&a, s)), [0; 2]);
        scale_assign(&mut a, s);
        assert_eq!(bits(&a), [0; 2]);
        assert_eq!(perturb(&1.0, s, &0.0).unwrap(), 1.0);
    }
    // A number that has a derivative is no exact zero: d(s·a) = ȧs + aṡ.
    let y = jvp(|(a, s)| scale(&[*a], *s), &(0.0, 0.0), &(1.0, 1.0));
    assert_eq!(y, [0.0]);
    assert_eq!(jvp(|s| scale(&[Dual::constant(3.0)], *s), &0.0, &1.0), [3.0]);
    assert_eq!(jvp(|a| scale(&[*a], Dual::constant(3.0)), &0.0, &1.0), [3.0]);
}

#[test]
fn zeros_of_a_point_with_a_plain_part() {
    assert_eq!(zero(&(1.0, vec![2.0, 3.0], 7)), (0.0, vec![0.0, 0.0], NoTangent));
    assert_eq!(std::mem::size_of::<NoTangent>(), 0);
}

#[cfg(feature = "nalgebra")]
#[test]
fn functions_of_and_to_matrices_count_column_by_column() {
    use nalgebra::{Matrix2x3, Matrix3x2};
    // The Jacobian of the transpose of a 2 × 3 matrix, row by row: a permutation of (1, 3, 5, 2, 4, 6).
    let x = Matrix2x3::from_column_slice(&[1.0, 2.0, 3.0, 4.0, 5.0, 6.0]);
    let permuted = [0, 2, 4, 1, 3, 5];
    for (k, from) in permuted.into_iter().enumerate() {
        let mut unit = Matrix3x2::zeros();
        unit[k] = 1.0;
        let row: Matrix2x3<f64> = vjp(|a| a.transpose(), &x, &unit);
        assert_eq!(flatten(&row).iter().position(|r| *r == 1.0), Some(from));
    }
}
