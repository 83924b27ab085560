//! The prepared operators of series: any order, at points of all kinds.

use std::cell::Cell;

use nalgebra::{DMatrix, UnitQuaternion};
use wengert::prepare::{self, ForwardSeries, ReverseSeries};
use wengert::series::SymmetricTensor;
use wengert::space::{Components, SelfTangent, flatten};
use wengert::{Dual, Forward, Real, Reverse, SecondOrder, Taylor, Var};

use super::allocations;

type Fourth = Taylor<f64, 4>;
type Second = Taylor<f64, 2>;

thread_local! {
    /// How often the functions below have been called.
    static CALLS: Cell<usize> = const { Cell::new(0) };
}

/// The function of the call styles, with its calls counted.
fn chain<N: Real<Base = f64>, A: Components<N> + ?Sized>(x: &A) -> N {
    CALLS.set(CALLS.get() + 1);
    super::styles::chain(x)
}

/// `(chain, Σ xₖ²)`.
fn pair<N: Real<Base = f64>, A: Components<N> + ?Sized>(x: &A) -> [N; 2] {
    let mut sum = N::lit(0.0);
    x.visit(&mut |c| sum += c * c);
    [chain(x), sum]
}

#[track_caller]
fn near(got: &[f64], want: &[f64]) {
    let near = |(g, w): (&f64, &f64)| (g - w).abs() <= 1e-12 * (1.0 + w.abs());
    assert!(got.len() == want.len() && got.iter().zip(want).all(near), "{got:?}, expected {want:?}");
}

/// Calls twice: the second call evaluates as often as the first, and allocates nothing.
#[track_caller]
fn twice(mut call: impl FnMut()) {
    let [first, second] = [(); 2].map(|()| {
        let before = (CALLS.get(), allocations::so_far());
        call();
        (CALLS.get() - before.0, allocations::so_far() - before.1)
    });
    assert_eq!((first.0, 0), second, "evaluations and allocations");
}

/// All operators at a point, beside those of first and second order.
fn at<X>(x: &X)
where
    X: Components<f64, Tangent: Components<f64> + SelfTangent> + ?Sized,
    X::Arg<Fourth>: Components<Fourth>,
    X::Arg<Second>: Components<Second>,
    X::Arg<Var<Second>>: Components<Var<Second>>,
    X::Arg<Var<f64>>: Components<Var<f64>>,
    X::Arg<Var<Dual<f64>>>: Components<Var<Dual<f64>>>,
{
    let (before, mut k) = (flatten(x), 0.0);
    let tangent = x.tangent_from(&mut || {
        k += 1.0;
        1.75 - 0.75 * k
    });
    let v = flatten(&tangent);
    let n = v.len();
    let (mut y, mut pushed, mut g) = ([0.0; 2], [0.0; 2], vec![0.0; n]);
    prepare::jvp(Reverse, x).of(pair).at(x, &tangent, &mut y, &mut pushed).unwrap();
    let [mut hv, mut h] = [vec![0.0; n], vec![0.0; n * n]];
    let second = SecondOrder(Forward, Reverse);
    prepare::hvp(second, x).of(chain).at(x, &tangent, &mut g, &mut hv).unwrap();
    prepare::hessian(second, x).of(chain).at(x, &mut (), &mut h).unwrap();
    // The third derivative of a component is 6.
    let higher = [dot(&v, &hv), v.iter().map(|v| 6.0 * v * v * v).sum(), 0.0];

    let read = |out: [Fourth; 2]| (out.map(Taylor::value), out.map(|y| y.coefficient(1)));
    let mut out = [Fourth::constant(f64::NAN); 2];
    let mut series = prepare::directional(ForwardSeries, x);
    twice(|| {
        series.of(pair).at(x, &tangent, &mut out).unwrap();
        assert_near(read(out), (y, pushed));
        if X::FLAT {
            near(&out[0].derivatives()[1..], &higher);
        }
    });
    assert!(series.of(pair::<Fourth, _>).at(x, &vec![0.0; n + 1], &mut out).is_err(), "a long direction");
    assert!(series.of(pair::<Fourth, _>).at(x, &tangent, &mut out[0]).is_err(), "a short series buffer");
    let mut filling = prepare::directional(ForwardSeries, x).filling(2);
    twice(|| {
        filling.of(|x, y: &mut [Fourth]| y.copy_from_slice(&pair(x))).at(x, &tangent, &mut out).unwrap();
        assert_near(read(out), (y, pushed));
    });
    let mut cached = prepare::directional(ForwardSeries, x).with_cache(&0.0);
    twice(|| {
        let f = |x: &X::Arg<Fourth>, cache: &mut Fourth| {
            let [a, b] = pair(x);
            let memory = std::mem::replace(cache, a);
            [if memory.primal().is_nan() { *cache } else { *cache * 0.5 }, b]
        };
        cached.of(f).at(x, &tangent, &mut out).unwrap();
        assert_near(read(out), (y, pushed));
    });

    let mut slopes = vec![Second::constant(f64::NAN); n];
    let mut gradient = prepare::directional_gradient(ReverseSeries, x);
    twice(|| {
        let value = gradient.of(chain).at(x, &tangent, &mut slopes[..]).unwrap();
        assert!(value.value() == y[0]);
        assert!(slopes.iter().zip(&g).all(|(s, g)| (s.value() - g).abs() <= 1e-12 * (1.0 + g.abs())));
        let bent = |(s, hv): (&Second, &f64)| (s.coefficient(1) - hv).abs() <= 1e-12 * (1.0 + hv.abs());
        assert!(!X::FLAT || slopes.iter().zip(&hv).all(bent));
    });
    let wide = &mut vec![Second::constant(0.0); n + 1][..];
    assert!(gradient.of(chain::<Var<Second>, _>).at(x, &tangent, wide).is_err(), "a long gradient buffer");

    let mut t = SymmetricTensor::<f64, 2>::default();
    let mut tensor = prepare::tensor(ForwardSeries, x);
    twice(|| {
        assert!((tensor.of(chain).at(x, &mut t).unwrap() - y[0]).abs() <= 1e-12 * (1.0 + y[0].abs()));
        let is_near = |k: usize| (t.at([k % n, k / n]) - h[k]).abs() <= 1e-12 * (1.0 + h[k].abs());
        assert!(!X::FLAT || (0..n * n).all(is_near), "{t:?}, expected {h:?}");
    });
    assert!(flatten(x) == before && flatten(&tangent) == v, "an input has changed");
}

/// A function that fails is not called along the other directions.
#[test]
fn a_tensor_ends_at_the_first_error() {
    let (mut calls, mut t) = (0, SymmetricTensor::<f64, 3>::default());
    let mut tensor = prepare::tensor(ForwardSeries, &[0.0; 4]).with_cache(&(Some(0.0), 0.0));
    let spoiling = |x: &[Taylor<f64, 3>], cache: &mut (Option<Taylor<f64, 3>>, Taylor<f64, 3>)| {
        calls += 1;
        cache.0 = None;
        x[0]
    };
    let error = tensor.of(spoiling).at(&[0.0; 4], &mut t).unwrap_err();
    assert_eq!((calls, error.to_string()), (1, "tensor: the cache has length 0, expected 1".into()));
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

#[track_caller]
fn assert_near(got: ([f64; 2], [f64; 2]), want: ([f64; 2], [f64; 2])) {
    near(&got.0, &want.0);
    near(&got.1, &want.1);
}

#[cfg(feature = "macros")]
mod derived {
    /// A struct with a sequence, a plain field and data.
    #[derive(wengert::Differentiable)]
    pub struct Layer<T> {
        pub weights: Vec<T>,
        pub bias: T,
        #[data]
        pub name: &'static str,
    }

    /// An enum with a sequence.
    #[derive(wengert::Differentiable)]
    pub enum Shape<T> {
        Point(T),
        Polygon { corners: Vec<T>, scale: T },
    }
}

#[test]
fn at_points_of_all_kinds() {
    at(&[0.5, -1.25, 2.0]);
    at(&[0.5, -1.25, 2.0][..]);
    at(&vec![0.5; 11]);
    at(&[0.0; 0]);
    at(&(0.5, vec![-1.25; 6], [Some(1.5)]));
    at(&vec![vec![0.5, 2.0], vec![], vec![-1.25]]);
    at(&UnitQuaternion::from_euler_angles(0.5, -0.25, 0.75));
    at(&DMatrix::from_column_slice(2, 2, &[0.5, -1.25, 2.0, 0.75]));
    #[cfg(feature = "macros")]
    {
        use derived::{Layer, Shape};
        let polygon = Shape::Polygon { corners: vec![0.5, -1.25], scale: 2.0 };
        at(&Layer { weights: vec![0.5, -1.25], bias: 2.0, name: "first" });
        at(&vec![polygon, Shape::Point(0.75)]);
    }
}

/// `Σ xₖ³`.
fn cubes<'a>(x: impl IntoIterator<Item = &'a Fourth>) -> Fourth {
    x.into_iter().map(|&x| x * x * x).sum()
}

#[test]
fn other_structures_are_prepared_again() {
    let (long, short) = (vec![0.5, -1.25, 2.0], vec![0.75]);
    let (mut out, mut series) = (Fourth::constant(0.0), prepare::directional(ForwardSeries, &short));
    let f = |x: &[Fourth]| cubes(x);
    assert!(series.of(f).at(&long, &[1.0; 3], &mut out).is_err(), "a long point is taken");
    for x in [&long, &short, &long] {
        series.reprepare(x);
        let v: Vec<f64> = (0..x.len()).map(|k| 1.0 - 0.75 * k as f64).collect();
        series.of(f).at(x, &v, &mut out).unwrap();
        let want: f64 = x.iter().zip(&v).map(|(x, v)| 3.0 * x * x * v).sum();
        assert!((out.coefficient(1) - want).abs() <= 1e-12 * (1.0 + want.abs()), "{x:?}");
    }
}

#[test]
fn curves() {
    let t = 0.42_f64;
    let (mut series, mut derivatives) =
        (prepare::taylor(ForwardSeries, &t), prepare::derivatives(ForwardSeries::<4>, &t));
    let mut out = (Fourth::constant(f64::NAN), [Fourth::constant(f64::NAN)]);
    let near = |got: &[f64], want: [f64; 5]| {
        got.iter().zip(want).all(|(got, want)| (got - want).abs() <= 1e-12 * (1.0 + want.abs()))
    };
    let all = |y: &Fourth| [0, 1, 2, 3, 4].map(|k| y.coefficient(k));
    for call in 0..2 {
        let (before, mut calls) = (allocations::so_far(), 0);
        let curve = |t: &Fourth| {
            calls += 1;
            (*t * *t * *t, [*t * *t * 5.0])
        };
        series.of(curve).at(&t, &mut out).unwrap();
        assert_eq!((calls, if call > 0 { allocations::so_far() - before } else { 0 }), (1, 0));
        assert!(near(&all(&out.0), [t * t * t, 3.0 * t * t, 3.0 * t, 1.0, 0.0]), "{out:?}");
        assert!(near(&all(&out.1[0]), [5.0 * t * t, 10.0 * t, 5.0, 0.0, 0.0]), "{out:?}");
        let mut d = [f64::NAN; 4];
        let before = allocations::so_far();
        let y = derivatives.of(|t: &Fourth| *t * *t * *t).at(&t, &mut d).unwrap();
        assert!(call == 0 || allocations::so_far() == before);
        assert!(near(&[y, d[0], d[1], d[2], d[3]], [t * t * t, 3.0 * t * t, 6.0 * t, 6.0, 0.0]), "{d:?}");
    }
    assert!(derivatives.of(|t: &Fourth| *t).at(&t, &mut [0.0; 3]).is_err(), "a short buffer is taken");
}
