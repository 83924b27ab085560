//! Results at the limits of the layer: differences on groups and of any size, caches and buffers that do not fit.

use nalgebra::{Isometry2, Isometry3, Rotation2, Rotation3, UnitComplex, UnitQuaternion, Vector2, Vector3};
use wengert::mode::{Changed, Directional, Mode, Pass, SecondPass, SeedVectors, Seeds, Sink};
use wengert::space::{Components, count, zero};
use wengert::{
    AdError, Differentiable, Dual, FiniteDifference, Forward, ForwardChunk, Number, Packed, Real, Reverse,
    SecondOrder, Var, function, prepare,
};

#[derive(Differentiable)]
#[differentiable(tangent = PoseTangent)]
struct Pose<T> {
    turn: Rotation3<T>,
    place: Vector3<T>,
}

fn near(got: &[f64], want: &[f64], tolerance: f64) {
    let near = |(g, w): (&f64, &f64)| (g - w).abs() <= tolerance * (1.0 + w.abs());
    assert!(got.len() == want.len() && got.iter().zip(want).all(near), "{got:?}, expected {want:?}");
}

/// `(f(x + hv) − f(x))/h`, as in the documentation of modes.
#[derive(Clone)]
struct OneSided;

struct Moved<'a, L>(&'a L, usize, f64);

impl<T: Real, L: SeedVectors<T>> Seeds<T, T> for Moved<'_, L> {
    fn constant(&self, x: T) -> T {
        x
    }
    fn direction(&self, i: usize, x: T) -> T {
        if self.2 == 0.0 { x } else { x + self.0.component(self.1, i) * T::lit(self.2) }
    }
    fn value(&self, y: T) -> T {
        y
    }
}

impl Mode for OneSided {
    type Number<T: Real> = T;
    type Scratch<T: Real> = Vec<T>;
}

impl Pass for OneSided {
    const PULLS: bool = false;
    fn push<T, Y, F, S>(
        &self,
        at: &mut Vec<T>,
        f: &mut F,
        along: &impl SeedVectors<T>,
        sink: &mut S,
    ) -> Result<(), AdError>
    where
        T: Real,
        Y: ?Sized,
        F: Directional<T, T, Out = Y>,
        S: Sink<T, T, Y>,
    {
        f.along(&Moved(along, 0, 0.0), Changed::All, |y, row| {
            at.clear();
            at.extend_from_slice(row);
            sink.start(y, row.len(), &|y| y)
        })?;
        for lane in along.lanes(f.directions()) {
            f.along(&Moved(along, lane, 1e-7), Changed::All, |_, row| {
                sink.take(lane..lane + 1, 0..row.len(), |i, _| (row[i] - at[i]) / T::lit(1e-7));
                Ok(())
            })?;
        }
        Ok(())
    }
}

/// A function of the numbers of any structure.
fn mixed<N: Real<Base = f64>, A: Components<N> + ?Sized>(x: &A) -> N {
    let (mut sum, mut last, mut k) = (N::lit(0.0), N::lit(0.5), 1.0);
    x.visit(&mut |c| {
        sum += (last * c).sin() * k + c * c * c;
        (last, k) = (c, k + 1.0);
    });
    sum
}

fn gradient<M: Pass, X: Components<f64>>(mode: M, x: &X, n: usize) -> Vec<f64>
where
    X::Arg<M::Number<f64>>: Components<M::Number<f64>>,
{
    let mut g = vec![f64::NAN; n];
    prepare::gradient(mode, x).of(mixed).at(x, &mut g[..]).unwrap();
    g
}

fn hessian<M: SecondPass, X: Components<f64>>(mode: M, x: &X, n: usize) -> Vec<f64>
where
    X::Arg<M::Number<f64>>: Components<M::Number<f64>>,
{
    let (mut g, mut h) = (vec![f64::NAN; n], vec![f64::NAN; n * n]);
    prepare::hessian(mode, x).of(mixed).at(x, &mut g[..], &mut h[..]).unwrap();
    [g, h].concat()
}

/// Compares differences with the other modes, of first and of second order.
fn at_a_point<X>(x: &X)
where
    X: Components<f64, Tangent: Components<f64>>,
    X::Arg<f64>: Components<f64>,
    X::Arg<Dual<f64>>: Components<Dual<f64>>,
    X::Arg<Var<f64>>: Components<Var<f64>>,
    X::Arg<Var<Dual<f64>>>: Components<Var<Dual<f64>>>,
{
    let (n, differences) = (count(&zero::<f64, X>(x)), FiniteDifference::default());
    let want = gradient(Reverse, x, n);
    near(&gradient(differences, x, n), &want, 1e-8);
    near(&gradient(OneSided, x, n), &want, 1e-5);
    let want = hessian(SecondOrder(Forward, Reverse), x, n);
    near(&hessian(SecondOrder(differences, Reverse), x, n), &want, 1e-7);
    near(&hessian(SecondOrder(Forward, differences), x, n), &want, 1e-7);
}

/// A difference moves a point of a group along its tangent.
#[test]
fn differences_at_points_of_groups() {
    let (turn, w) = (Rotation3::from_euler_angles(0.1, 0.2, 0.3), Vector3::new(0.4, -0.3, 0.2));
    at_a_point(&turn);
    at_a_point(&UnitQuaternion::from_scaled_axis(w));
    at_a_point(&Isometry3::new(w, w * 2.0));
    at_a_point(&Rotation2::new(0.7));
    at_a_point(&UnitComplex::new(0.7));
    at_a_point(&Isometry2::new(Vector2::new(1.0, -0.5), 0.7));
    at_a_point(&Pose { turn, place: w });
    at_a_point(&vec![Pose { turn, place: w }, Pose { turn: turn * turn, place: -w }]);
}

/// The difference of two results on a group lies at the result between them.
#[test]
fn differences_of_results_on_groups() {
    fn turn<T: Real<Base = f64>>(w: &[T]) -> (Rotation3<T>, T, UnitQuaternion<T>) {
        let v = Vector3::new(w[0], w[1], w[2]);
        let q = wengert::matrix::quaternion_from_scaled_axis(&(v * T::lit(2.0)));
        (wengert::matrix::so3_exp(&v), w[0] * w[1], q)
    }
    let (w, v, u) = ([0.4, -0.3, 0.2], [1.0, -2.0, 0.5], [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0]);
    let (mut y, mut j) = ([0.0; 14], [[0.0; 21]; 4]);
    prepare::jacobian(Reverse, &w).of(turn).at(&w, &mut y, &mut j[0][..]).unwrap();
    prepare::jacobian(ForwardChunk::<2>, &w).of(turn).at(&w, &mut y, &mut j[1][..]).unwrap();
    near(&j[1], &j[0], 1e-14);
    prepare::jacobian(FiniteDifference::default(), &w).of(turn).at(&w, &mut y, &mut j[2][..]).unwrap();
    near(&j[2], &j[0], 1e-8);
    prepare::jacobian(OneSided, &w).of(turn).at(&w, &mut y, &mut j[3][..]).unwrap();
    near(&j[3], &j[0], 1e-5);
    let (mut a, mut b) = ([0.0; 7], [0.0; 7]);
    prepare::jvp(Forward, &w).of(turn).at(&w, &v, &mut y, &mut a).unwrap();
    prepare::jvp(FiniteDifference::default(), &w).of(turn).at(&w, &v, &mut y, &mut b).unwrap();
    near(&b, &a, 1e-8);
    let (mut a, mut b) = ([0.0; 3], [0.0; 3]);
    let u = ([u[0], u[1], u[2]], u[3], [u[4], u[5], u[6]]);
    let u = (Vector3::from(u.0), u.1, Vector3::from(u.2));
    prepare::vjp(Reverse, &w).of(turn).at(&w, &u, &mut y, &mut a).unwrap();
    prepare::vjp(FiniteDifference::default(), &w).of(turn).at(&w, &u, &mut y, &mut b).unwrap();
    near(&b, &a, 1e-8);
}

/// A function that leaves its cache in another shape is an error, each time.
#[test]
fn caches_keep_their_shape() {
    let mut gradient = prepare::gradient(Reverse, &[0.0; 2]).with_cache(&(Some(0.0), 0.0));
    let mut g = [7.0; 2];
    for _ in 0..2 {
        let f = |x: &[Var<f64>], c: &mut (Option<Var<f64>>, Var<f64>)| {
            let was = c.0.take().is_some();
            if was { x[0] } else { x[1] }
        };
        let error = gradient.of(f).at(&[2.0, 3.0], &mut g).unwrap_err();
        assert_eq!(error.to_string(), "gradient: the cache has length 0, expected 1");
        assert_eq!(g, [7.0; 2], "nothing is written");
    }
    let mut jacobian = prepare::jacobian(Forward, &[0.0; 2]).filling(1).with_cache(&vec![0.0; 2]);
    let f = |x: &[Dual<f64>], y: &mut [Dual<f64>], c: &mut [Dual<f64>]| {
        c[1] = x[0] * x[1];
        y[0] = c[1];
    };
    let (mut y, mut j) = ([0.0], [0.0; 2]);
    jacobian.of(f).at(&[2.0, 3.0], &mut y, &mut j[..]).unwrap();
    assert_eq!((y, j), ([6.0], [3.0, 2.0]));
    let mut jacobian = prepare::jacobian(Forward, &[0.0; 2]).filling(1).with_cache(&(vec![0.0; 2], 0.0));
    let grows = |x: &[Dual<f64>], y: &mut [Dual<f64>], c: &mut (Vec<Dual<f64>>, Dual<f64>)| {
        c.0.push(x[0]);
        y[0] = x[0];
    };
    let error = jacobian.of(grows).at(&[2.0, 3.0], &mut y, &mut j[..]).unwrap_err();
    assert_eq!(error.to_string(), "jacobian: the cache has length 3, expected 2");
}

/// An object with another number of results than prepared is an error, and the buffer stays as it was.
#[test]
fn objects_have_the_prepared_number_of_results() {
    let two = function!(|x, y: [_; 2]| {
        y[0] = x[0];
        y[1] = x[1];
    });
    let mut jacobian = prepare::jacobian(Forward, &[0.0; 2]).filling(3);
    let error = jacobian.of_object(&two).at(&[1.0, 2.0], &mut [7.0; 2], &mut [7.0; 4][..]).unwrap_err();
    assert!(matches!(error, AdError::Prepared { .. }), "{error}");
    assert!(error.to_string().contains("results of the function prepared 3, given 2"), "{error}");
    let (mut seen, mut y, mut j) = (0, [0.0; 3], [0.0; 6]);
    let f = |x: &[Dual<f64>], y: &mut [Dual<f64>]| {
        seen = y.len();
        y.fill(x[0]);
    };
    jacobian.of(f).at(&[1.0, 2.0], &mut y, &mut j[..]).unwrap();
    assert_eq!(seen, 3);
}

/// A kept function whose results change in number between passes is an error by name, in every mode of first order.
#[test]
fn kept_results_that_change_their_length_are_an_error() {
    fn text<M: Pass>(mode: M) -> String {
        let mut calls = 0;
        let f = |x: &[M::Number<f64>]| {
            calls += 1;
            vec![x[0]; if calls == 1 { 2 } else { 1 }]
        };
        let (mut y, mut j) = ([0.0; 2], [7.0; 18]);
        let error = prepare::jacobian(mode, &[1.0; 9][..]).of(f).at(&[1.0; 9][..], &mut y[..], &mut j[..]);
        error.unwrap_err().to_string()
    }
    let want = "jacobian: the result of a later evaluation has length 1, expected 2";
    assert_eq!(text(Forward), want);
    assert_eq!(text(ForwardChunk::<4>), want);
    assert_eq!(text(FiniteDifference::default()), want);
}

/// No inputs and no results are points and values like any other.
#[test]
fn kept_operators_of_nothing() {
    fn empty<M: Pass>(mode: M) {
        let (mut none, mut j) = ([0.0; 0], [0.0; 0]);
        let mut jacobian = prepare::jacobian(mode.clone(), &[0.0; 3]);
        jacobian
            .of(|_: &[M::Number<f64>]| -> [M::Number<f64>; 0] { [] })
            .at(&[1.0; 3], &mut none, &mut j)
            .unwrap();
        let mut y = [0.0; 2];
        let mut jacobian = prepare::jacobian(mode.clone(), &[0.0; 0]);
        jacobian.of(|_: &[M::Number<f64>]| [M::Number::<f64>::lit(3.0); 2]).at(&[], &mut y, &mut j).unwrap();
        assert_eq!(y, [3.0; 2]);
        let mut g = [0.0; 0];
        let value = prepare::gradient(mode, &[0.0; 0])
            .of(|_: &[M::Number<f64>]| M::Number::<f64>::lit(5.0))
            .at(&[], &mut g);
        assert_eq!(value, Ok(5.0));
    }
    empty(Forward);
    empty(ForwardChunk::<4>);
    empty(Reverse);
    empty(FiniteDifference::default());
}

/// Steps are relative to arguments, to tangents, and to the precision of the numbers.
#[test]
fn steps_of_any_size() {
    let mut g = [0.0; 2];
    for size in [1e12, 1e6, 1.0, 1e-3] {
        let x = [size, 1.0];
        let root = |x: &[f64]| x[0].sqrt() * x[1];
        prepare::gradient(FiniteDifference::default(), &x).of(root).at(&x, &mut g).unwrap();
        near(&[g[0] * size.sqrt(), g[1]], &[0.5, size.sqrt()], 1e-5);
        let mut dy = [0.0];
        let v = [size * 1e3, 0.0];
        prepare::jvp(FiniteDifference::default(), &x).of(root).at(&x, &v, &mut [0.0], &mut dy).unwrap();
        near(&[dy[0] / 1e3 / size.sqrt()], &[0.5], 1e-5);
    }
    let (x, mut g) = ([1.3_f32, 2.0], [0.0_f32; 2]);
    let f = |x: &[f32]| x[0] * x[0] * x[1];
    prepare::gradient(FiniteDifference::default(), &x).of(f).at(&x, &mut g).unwrap();
    near(&g.map(f64::from), &[5.2, 1.69], 1e-4);
    assert_eq!(count(&x), 2);
}

/// An operator or its clone may run on another thread.
#[test]
fn operators_change_threads() {
    let mut gradient = prepare::gradient(Reverse, &[0.0; 2]);
    let mut g = [0.0; 2];
    gradient.of(|x| x[0] * x[1]).at(&[1.0, 2.0], &mut g).unwrap();
    let clone = gradient.clone();
    for mut gradient in [gradient, clone] {
        let there = std::thread::spawn(move || {
            let mut g = [0.0; 2];
            for _ in 0..2 {
                assert_eq!(gradient.of(|x| x[0] * x[1]).at(&[3.0, 4.0], &mut g), Ok(12.0));
            }
            (gradient, g)
        });
        let (mut gradient, g) = there.join().unwrap();
        assert_eq!(g, [4.0, 3.0]);
        let mut g = [0.0; 2];
        gradient.of(|x| x[0] * x[1]).at(&[1.0, 2.0], &mut g).unwrap();
        assert_eq!(g, [2.0, 1.0]);
    }
    fn send<P: Send>(_: P) {}
    send(prepare::hessian(SecondOrder(ForwardChunk::<8>, Reverse), &(0.0, vec![0.0])).with_cache(&[0.0]));
    send(prepare::jacobian(SecondOrder(FiniteDifference::default(), Reverse).1, &0.0).filling(2));
}

/// A mode that shows products in parts.
#[derive(Clone)]
struct InParts;

impl Mode for InParts {
    type Number<T: Real> = Dual<T>;
    type Scratch<T: Real> = ();
}

impl Pass for InParts {
    const PULLS: bool = false;
    fn push<T, Y, F, S>(
        &self,
        (): &mut (),
        f: &mut F,
        along: &impl SeedVectors<T>,
        sink: &mut S,
    ) -> Result<(), AdError>
    where
        T: Real,
        Y: ?Sized,
        F: Directional<T, Dual<T>, Out = Y>,
        S: Sink<T, Dual<T>, Y>,
    {
        Forward.push(&mut (), f, along, &mut Parts(sink))
    }
}

struct Parts<'a, S>(&'a mut S);

impl<T: Real, N: Real, Y: ?Sized, S: Sink<T, N, Y>> Sink<T, N, Y> for Parts<'_, S> {
    fn start(&mut self, y: &Y, outputs: usize, value: &impl Fn(N) -> T) -> Result<(), AdError> {
        self.0.start(y, outputs, value)
    }
    fn take(
        &mut self,
        lanes: std::ops::Range<usize>,
        all: std::ops::Range<usize>,
        at: impl Fn(usize, usize) -> T,
    ) {
        all.clone().for_each(|i| self.0.take(lanes.clone(), i..i + 1, |_, k| at(i, k)));
    }
}

/// Products in parts would be added up wrongly in the direction that is made of them.
#[test]
#[should_panic(expected = "a mode shows all components of a product at once")]
fn products_are_shown_as_a_whole() {
    let mut vjp = prepare::vjp(InParts, &[0.0; 2]);
    let _ = vjp.of(|x| [x[0] * x[1], x[0]]).at(&[2.0, 3.0], &[1.0, 10.0], &mut [0.0; 2], &mut [0.0; 2]);
}

/// A step that is not positive is refused by name.
#[test]
fn steps_are_positive() {
    for step in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        let mode = FiniteDifference { step: Some(step) };
        let error = prepare::gradient(mode, &[0.0]).of(|x: &[f64]| x[0]).at(&[1.0], &mut [0.0]).unwrap_err();
        assert_eq!(error.to_string(), "FiniteDifference has no rule for steps that are not positive");
    }
}

/// All arguments whose sizes are prepared are listed.
#[test]
fn all_arguments_are_listed() {
    let mut hessian = prepare::hessian(SecondOrder(Forward, Reverse), &[0.0; 2]);
    let f = |x: &[Var<Dual<f64>>]| x[0] * x[1];
    let error = hessian.of(f).at(&[1.0, 2.0], &mut [0.0; 2], &mut [0.0; 3]).unwrap_err();
    let text = "hessian: prepared for other sizes: point prepared 2, given 2 (fits); \
                gradient buffer prepared 2, given 2 (fits); Hessian buffer prepared 4, given 3 (does not fit)";
    assert_eq!(error.to_string(), text);
    let mut vjp = prepare::vjp(Reverse, &[0.0; 2]).filling(3);
    let f = |x: &[Var<f64>], y: &mut [Var<f64>]| y.fill(x[0]);
    let w = [[0.0; 3]; 2];
    let error = vjp.of(f).batch(&[1.0, 2.0], &w, &mut [0.0; 2], &mut [0.0; 5]).unwrap_err();
    let text = "vjp: prepared for other sizes: point prepared 2, given 2 (fits); cotangents prepared 6, given 6 (fits); \
                value buffer prepared 3, given 2 (does not fit); cotangent buffer prepared 4, given 5 (does not fit)";
    assert_eq!(error.to_string(), text);
    let mut jacobian = prepare::jacobian(Forward, &[0.0; 2]);
    let mut j = nalgebra::DMatrix::<f64>::zeros(1, 2);
    let error = jacobian.of(|x| [x[0], x[1]]).at(&[1.0, 2.0], &mut [0.0; 2], &mut j).unwrap_err();
    assert_eq!(error.to_string(), "jacobian: the Jacobian buffer is 1 × 2, expected 2 × 2");
}

/// A value or a gradient that is not wanted is neither written nor compared; nothing else may be left out.
#[test]
fn buffers_that_are_not_wanted() {
    let (x, v, mode) = ([2.0, 3.0], [0.5, -1.0], SecondOrder(Forward, Reverse));
    let f = |x: &[Var<Dual<f64>>]| x[0] * x[1] * x[1];
    let (mut h, mut hv, mut j) = ([0.0; 4], [0.0; 2], [0.0; 4]);
    assert_eq!(prepare::hessian(mode, &x).of(f).at(&x, &mut (), &mut h), Ok(18.0));
    assert_eq!(h, [0.0, 6.0, 6.0, 4.0]);
    assert_eq!(prepare::hvp(Packed::<2, 3>, &x).of(|x| x[0] * x[1]).at(&x, &v, &mut (), &mut hv), Ok(6.0));
    assert_eq!(hv, [-1.0, 0.5]);
    let pair = |x: &[Dual<f64>], y: &mut [Dual<f64>]| (y[0], y[1]) = (x[0] * x[1], x[0]);
    let mut jacobian = prepare::jacobian(Forward, &x).filling(2);
    jacobian.of(pair).at(&x, &mut (), &mut j).unwrap();
    assert_eq!(j, [3.0, 1.0, 2.0, 0.0]);
    assert!(jacobian.of(pair).at(&x, &mut [0.0; 2], &mut ()).is_err());
    assert!(prepare::gradient(Forward, &x).of(|x| x[0]).at(&x, &mut ()).is_err());
    assert!(prepare::hvp(mode, &x).of(f).at(&x, &v, &mut hv, &mut ()).is_err());
}

/// A packed number of `N` directions has the products of `N` inputs; one direction is too few for two.
#[test]
fn packed_products() {
    let (mut g, mut hv) = ([0.0], [0.0]);
    let y = prepare::hvp(Packed::<1, 1>, &[0.0]).of(|x| x[0].powi(3)).at(&[2.0], &[0.5], &mut g, &mut hv);
    assert_eq!((y, g, hv), (Ok(8.0), [12.0], [6.0]));
    let (x, v, mut g, mut hv) = ([1.0, 2.0, 3.0], [1.0, -1.0, 0.5], [0.0; 3], [0.0; 3]);
    let mut calls = 0;
    let mut hvp = prepare::hvp(Packed::<3, 6>, &x);
    let f = |x: &[wengert::Dual2<f64, 3, 6>]| {
        calls += 1;
        x[0] * x[1] * x[2]
    };
    hvp.of(f).at(&x, &v, &mut g, &mut hv).unwrap();
    assert_eq!((g, hv, calls), ([6.0, 3.0, 2.0], [-3.0 + 1.0, 3.0 + 0.5, 2.0 - 1.0], 1));
    let mut hvp = prepare::hvp(Packed::<1, 1>, &[0.0; 2]);
    let error = hvp.of(|x| x[0] * x[1]).at(&[1.0, 2.0], &[0.0; 2], &mut [0.0; 2], &mut [0.0; 2]).unwrap_err();
    assert_eq!(error.to_string(), "Packed<N, M> with N < 2 has no rule for several inputs");
}
