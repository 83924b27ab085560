//! Call styles of prepared operators, in each kind of mode: caches, filled buffers, objects, results and buffers of
//! several structures, other points. Each is called twice; the second call allocates nothing.

use nalgebra::{DMatrix, Vector2};
use wengert::mode::{Mode, Pass, SecondPass};
use wengert::{
    FiniteDifference, Forward, ForwardChunk, Function, Packed, Real, Reverse, Scalar, SecondOrder,
    VectorFunction, prepare,
    space::{Components, flatten},
};

use super::allocations;

type Number<M> = <M as Mode>::Number<f64>;
type Tuple<N> = (N, Vec<N>, [Option<N>; 1]);
type Cache<N> = (Vec<N>, Option<N>, N);

/// `Σ k·xₖxₖ₊₁ + Σ xₖ³`, by the components of any structure.
pub fn chain<N: Real<Base = f64>, A: Components<N> + ?Sized>(x: &A) -> N {
    let (mut sum, mut last, mut k) = (N::lit(0.0), N::lit(0.0), 0.0);
    x.visit(&mut |c| {
        sum = sum + last * c * k + c * c * c;
        (last, k) = (c, k + 1.0);
    });
    sum
}

/// `(chain, Σ (k+1)·xₖ²)`.
fn pair<N: Real<Base = f64>, A: Components<N> + ?Sized>(x: &A) -> [N; 2] {
    let (mut sum, mut k) = (N::lit(0.0), 1.0);
    x.visit(&mut |c| {
        sum += c * c * k;
        k += 1.0;
    });
    [chain(x), sum]
}

struct Chain;

impl Function for Chain {
    fn call<T: Scalar>(&self, x: &[T]) -> T {
        chain(x)
    }
}

impl VectorFunction for Chain {
    fn outputs(&self, _: usize) -> usize {
        2
    }
    fn call<T: Scalar>(&self, x: &[T], y: &mut [T]) {
        y.copy_from_slice(&pair(x));
    }
}

/// A number that is halved if its memory has not been reset.
fn if_reset<N: Real<Base = f64>>(memory: N, x: N) -> N {
    if memory.primal().is_nan() { x } else { x * 0.5 }
}

/// Rows of the Jacobian of `pair`: the first is the gradient of `chain`.
fn partials(c: &[f64]) -> [Vec<f64>; 2] {
    let at = |k: usize| c.get(k).copied().unwrap_or(0.0);
    let before = |k: usize| if k > 0 { k as f64 * c[k - 1] } else { 0.0 };
    let first = |k: usize| before(k) + (k + 1) as f64 * at(k + 1) + 3.0 * c[k] * c[k];
    [(0..c.len()).map(first).collect(), (0..c.len()).map(|k| 2.0 * (k + 1) as f64 * c[k]).collect()]
}

/// `H·v` of `chain`.
fn product(c: &[f64], v: &[f64]) -> Vec<f64> {
    let entry = |i: usize, j: usize| match i.abs_diff(j) {
        0 => 6.0 * c[i],
        1 => (i.min(j) + 1) as f64,
        _ => 0.0,
    };
    (0..v.len()).map(|i| (0..v.len()).map(|j| entry(i, j) * v[j]).sum()).collect()
}

/// Runs a call twice: what it writes is near, and the second time it allocates nothing.
macro_rules! twice {
    ($tolerance:expr, $what:literal: $call:expr; $($got:ident near $want:expr),+) => {
        for second in [false, true] {
            $(Components::<f64>::visit_mut(&mut $got, &mut |x| *x = f64::NAN);)+
            let before = allocations::so_far();
            let result = $call;
            let allocated = allocations::so_far() - before;
            assert!(result.is_ok(), "{}: {result:?}", $what);
            assert!(!second || allocated == 0, "{}: {allocated} allocations", $what);
            $(near($what, &flatten(&$got), &$want[..], $tolerance);)+
        }
    };
}

fn near(what: &str, got: &[f64], want: &[f64], tolerance: f64) {
    let near = |(g, w): (&f64, &f64)| (g - w).abs() <= tolerance * (1.0 + w.abs());
    let all = got.len() == want.len() && got.iter().zip(want).all(near);
    assert!(all, "{what}: {got:?}, expected {want:?}");
}

/// The point of the rows: `y` sees the components 0.5, −1.25, 2.
fn point<N: Real<Base = f64>>() -> Tuple<N> {
    (N::lit(0.5), vec![N::lit(-1.25)], [Some(N::lit(2.0))])
}

const COMPONENTS: [f64; 3] = [0.5, -1.25, 2.0];

fn first_order<M: Pass<Number<f64>: Scalar>>(mode: M, t: f64) {
    let (x, [row, other]) = (point::<f64>(), partials(&COMPONENTS));
    let values = pair(&COMPONENTS[..]);
    let columns: Vec<f64> = row.iter().zip(&other).flat_map(|(&a, &b)| [a, b]).collect();
    let v = (0.5, vec![1.0], [Some(-2.0)]);
    let pushed = [&row, &other].map(|r| 0.5 * r[0] + r[1] - 2.0 * r[2]);
    let pulled: Vec<f64> = row.iter().zip(&other).map(|(a, b)| 0.5 * a - 2.0 * b).collect();
    let (mut y, mut ys, mut g, mut j, mut structured) = (0.0, [0.0; 2], [0.0; 3], [0.0; 6], point::<f64>());
    let (mut tuple, mut dtuple) = ((0.0, [0.0]), (0.0, [0.0]));

    // Full caches and buffers give the same results as empty ones.
    let mut nested = prepare::gradient(mode.clone(), &x).with_cache(&(vec![0.0; 2], Some(0.0), 0.0));
    let remembers = |x: &Tuple<Number<M>>, cache: &mut Cache<Number<M>>| {
        let memory = std::mem::replace(&mut cache.0[1], chain(x));
        let inner = cache.1.replace(cache.0[1]).unwrap_or(cache.0[1]);
        if_reset(inner, if_reset(memory, cache.0[1]))
    };
    twice!(t, "a nested cache": nested.of(remembers).at(&x, &mut g).map(|v| y = v);
        y near values[..1], g near row);
    let shrinks = |x: &Tuple<Number<M>>, cache: &mut Cache<Number<M>>| {
        cache.1 = None;
        chain(x)
    };
    assert!(nested.of(shrinks).at(&x, &mut g).is_err(), "a cache of another shape");
    let mut filling = prepare::jacobian(mode.clone(), &x).filling(2);
    let fills = |x: &Tuple<Number<M>>, y: &mut [Number<M>]| {
        let memory = y[1];
        y.copy_from_slice(&pair(x).map(|y| if_reset(memory, y)));
    };
    twice!(t, "a filled buffer": filling.of(fills).at(&x, &mut ys, &mut j); ys near values, j near columns);
    let mut both = prepare::jacobian(mode.clone(), &x).filling(2).with_cache(&(0.0, vec![0.0; 2]));
    let fills = |x: &Tuple<Number<M>>, y: &mut [Number<M>], cache: &mut (Number<M>, Vec<Number<M>>)| {
        let memory = [y[0], cache.0, cache.1[1]];
        cache.1.copy_from_slice(&pair(x).map(|y| memory.into_iter().fold(y, |y, m| if_reset(m, y))));
        (cache.0, y[0], y[1]) = (cache.1[0], cache.1[0], cache.1[1]);
    };
    twice!(t, "a filled buffer with a cache": both.of(fills).at(&x, &mut ys, &mut j);
        ys near values, j near columns);

    // Results and buffers of other structures.
    let split = |x: &Tuple<Number<M>>| (chain(x), [pair(x)[1]]);
    let mut jacobian = prepare::jacobian(mode.clone(), &x);
    twice!(t, "jacobian of a tuple": jacobian.of(split).at(&x, &mut tuple, &mut j);
        tuple near values, j near columns);
    let mut jvp = prepare::jvp(mode.clone(), &x);
    twice!(t, "jvp to a tuple": jvp.of(split).at(&x, &v, &mut tuple, &mut dtuple);
        tuple near values, dtuple near pushed);
    let mut vjp = prepare::vjp(mode.clone(), &x);
    twice!(t, "vjp in the structure": vjp.of(pair).at(&x, &[0.5, -2.0], &mut ys, &mut structured);
        ys near values, structured near pulled);
    let mut gradient = prepare::gradient(mode.clone(), &x);
    assert!(gradient.of(chain).at(&x, &mut [7.0; 4]).is_err(), "a long buffer");
    let short = [vec![1.0; 2], vec![1.0]];
    assert!(vjp.of(pair).batch(&x, &short, &mut [0.0; 2], &mut j[..]).is_err(), "a short cotangent");
    let (at, mut image) = (DMatrix::from_row_slice(1, 3, &COMPONENTS), Vector2::<f64>::zeros());
    let mut vector = prepare::jacobian(mode.clone(), &at);
    let f = |x: &DMatrix<Number<M>>| Vector2::from(pair(x));
    let mut rows = DMatrix::<f64>::zeros(2, 3);
    twice!(t, "jacobian of a vector": vector.of(f).at(&at, &mut image, &mut rows);
        image near values, rows near columns);
    let turned = vector.of(f).at(&at, &mut image, &mut rows.transpose());
    assert!(turned.is_err(), "a matrix of another shape");

    // Objects.
    let at = &COMPONENTS[..];
    let mut gradient = prepare::gradient(mode.clone(), at);
    twice!(t, "an object": gradient.of_object(&Chain).at(at, &mut g).map(|v| y = v);
        y near values[..1], g near row);
    let mut jacobian = prepare::jacobian(mode.clone(), at).filling(2);
    twice!(t, "an object of two results": jacobian.of_object(&Chain).at(at, &mut ys, &mut j);
        ys near values, j near columns);
    jacobian.refill(3);
    let fewer = jacobian.of_object(&Chain).at(at, &mut [0.0; 3], &mut [0.0; 9]);
    assert!(fewer.is_err(), "an object with fewer results");
    jacobian.refill(2);
    twice!(t, "after refill": jacobian.of_object(&Chain).at(at, &mut ys, &mut j); ys near values, j near columns);
    other_structures(mode, t);
}

/// Operators that are prepared for another structure, and back.
fn other_structures<M: Pass>(mode: M, tolerance: f64) {
    let there = (vec![vec![0.5, 2.0], vec![-1.25]], 0.75);
    let back = (vec![vec![0.5], vec![2.0, -1.25, 1.0], vec![0.25; 9]], 0.75);
    let mut gradient = prepare::gradient(mode.clone(), &there);
    for (i, x) in [&there, &back, &there, &back].into_iter().enumerate() {
        gradient.reprepare(x);
        let [want, _] = partials(&flatten(x));
        let mut g = vec![f64::NAN; want.len()];
        let before = allocations::so_far();
        let y = gradient.of(chain).at(x, &mut g).unwrap();
        // The third and the fourth have been there before.
        let allocated = allocations::so_far() - before;
        assert!(i < 2 || allocated == 0, "reprepare {i}: {allocated} allocations");
        near("the value after reprepare", &[y], &[chain(x)], tolerance);
        near("the gradient after reprepare", &g, &want, tolerance);
    }
    let mut gradient = prepare::gradient(mode, &there.0);
    let other = vec![vec![0.5], vec![2.0, -1.25]];
    assert!(gradient.of(chain).at(&other, &mut [0.0; 3]).is_err(), "another structure of the size");
    assert!(gradient.of(chain).at(&vec![vec![0.5]], &mut [0.0; 1]).is_err(), "another size");
}

fn second_order<M: SecondPass<Number<f64>: Scalar>>(mode: M, t: f64) {
    let (x, [row, _]) = (point::<f64>(), partials(&COMPONENTS));
    let (value, v) = ([chain(&COMPONENTS[..])], [0.5, 1.0, -2.0]);
    let columns: Vec<f64> =
        (0..3).flat_map(|j| product(&COMPONENTS, &[0, 1, 2].map(|i| f64::from(i == j)))).collect();
    let along = (v[0], vec![v[1]], [Some(v[2])]);
    let (mut y, mut g, mut h, mut hv, mut structured) = (0.0, [0.0; 3], [0.0; 9], [0.0; 3], point::<f64>());
    let mut hessian = prepare::hessian(mode.clone(), &x);
    twice!(t, "gradient in the structure": hessian.of(chain).at(&x, &mut structured, &mut h).map(|v| y = v);
        y near value, structured near row, h near columns);
    assert!(hessian.of(chain).at(&x, &mut g, &mut [0.0; 10]).is_err(), "a long Hessian buffer");
    let mut cached = prepare::hvp(mode.clone(), &x).with_cache(&0.0);
    let remembers = |x: &Tuple<Number<M>>, cache: &mut Number<M>| {
        let memory = std::mem::replace(cache, chain(x));
        if_reset(memory, *cache)
    };
    twice!(t, "a cache": cached.of(remembers).at(&x, &along, &mut g, &mut hv).map(|v| y = v);
        y near value, g near row, hv near product(&COMPONENTS, &v));
    let mut hessian = prepare::hessian(mode, &COMPONENTS[..]);
    twice!(t, "an object": hessian.of_object(&Chain).at(&COMPONENTS[..], &mut g, &mut h).map(|v| y = v);
        y near value, g near row, h near columns);
}

#[test]
fn call_styles_of_first_order() {
    first_order(ForwardChunk::<2>, 1e-12);
    first_order(Reverse, 1e-12);
    first_order(FiniteDifference::default(), 1e-7);
}

#[test]
fn call_styles_of_second_order() {
    second_order(Packed::<2, 3>, 1e-12);
    second_order(SecondOrder(Forward, Reverse), 1e-12);
    second_order(SecondOrder(FiniteDifference::default(), Reverse), 1e-7);
}
