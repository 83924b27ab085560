//! Functions of few variables: every way to a derivative that takes a shorter path gives the bits of the general one. Objects
//! at points of numbers give the derivatives of closures.

use std::panic::{AssertUnwindSafe, catch_unwind};

use nalgebra::{DMatrix, DVector};
use wengert::{
    Differentiable, Function, Packed, Reverse, Scalar, SecondOrder, Tape, Var, VectorFunction, forward,
    gradient, gradient_into, prepare, value_and_gradient, value_and_jacobian, value_gradient_and_hessian,
};
use wengert::{ForwardChunk, mode, programs::trace};

#[derive(Differentiable)]
struct Parts<T> {
    all: Vec<T>,
    #[data]
    size: usize,
}

/// A chain of neighbours with a passive number, a function of one variable, and a last term of all.
struct Chain;

impl Function for Chain {
    fn call<T: Scalar>(&self, x: &[T]) -> T {
        let Some(&first) = x.first() else { return T::lit(2.5) };
        let mut sum = first.sin() * T::lit(0.75);
        for pair in x.windows(2) {
            let (a, b) = (pair[1] - pair[0] * pair[0], 1.0 - pair[0]);
            sum += a * a * 100.0 + b * b;
        }
        sum / (x.iter().map(|&x| x * x).sum::<T>() + 1.0)
    }
}

fn point<const N: usize>() -> [f64; N] {
    std::array::from_fn(|i| 0.6 - (i as f64 * 1.3).cos())
}

fn bits(x: &[f64]) -> Vec<u64> {
    x.iter().map(|x| x.to_bits()).collect()
}

/// The gradient by an open tape, which shares nothing with the drivers but nodes and sweep.
fn by_tape(x: &[f64]) -> (u64, Vec<u64>) {
    let tape = Tape::new();
    let x = tape.variables(x);
    let y = Chain.call(&x);
    (y.value().to_bits(), bits(&tape.cotangents(y).of_all(&x)))
}

/// The chain at variables. Functions rather than closures in the test of a size, which would be other ones for each
/// size: what is called by slices, vectors and structs is compiled once.
fn chain(x: &[Var<f64>]) -> Var<f64> {
    Chain.call(x)
}

fn of_vector(x: &DVector<Var<f64>>) -> Var<f64> {
    Chain.call(x.as_slice())
}

fn of_struct(p: &Parts<Var<f64>>) -> Var<f64> {
    Chain.call(&p.all[..p.size])
}

/// A gradient of another size in a gradient.
fn around_another(x: &[Var<f64>]) -> Var<f64> {
    assert_eq!(gradient(|z: &[Var<f64>]| z[0] * z[1] * z[2], &[2.0, 3.0, 5.0]), [15.0, 10.0, 6.0]);
    Chain.call(x)
}

/// A function that panics.
fn half(x: &[Var<f64>]) -> Var<f64> {
    let y = Chain.call(x);
    assert!(y.value().is_nan(), "as it shall be");
    y
}

fn gradients_of<const N: usize>() {
    let x = point::<N>();
    let want = by_tape(&x);
    let same = |way: &str, y: f64, g: &[f64]| assert_eq!((y.to_bits(), bits(g)), want, "{way} {N}");
    // Twice, so that the second call finds what the first has left.
    for _ in 0..2 {
        let (y, g) = value_and_gradient(chain, &x);
        same("array", y, &g);
        let (y, g) = value_and_gradient(chain, &x[..]);
        same("slice", y, &g);
        let (y, g) = value_and_gradient(chain, &x.to_vec());
        same("Vec", y, &g);
        let (y, g) = value_and_gradient(of_vector, &DVector::from(x.to_vec()));
        same("vector", y, g.as_slice());
        type Tuple<const N: usize> = ([Var<f64>; N], (Vec<Var<f64>>, bool));
        let parts = |(a, (b, c)): &Tuple<N>| {
            assert!(*c && b.is_empty());
            Chain.call(a)
        };
        let (y, (g, _)) = value_and_gradient(parts, &(x, (Vec::<f64>::new(), true)));
        same("tuple", y, &g);
        let parts = Parts { all: x.to_vec(), size: N };
        let (y, g) = value_and_gradient(of_struct, &parts);
        same("struct", y, &g.all);
        let mut g = [f64::NAN; N];
        let y = gradient_into(chain, &x[..], &mut g);
        same("into", y, &g);
        let mut g = DVector::from_element(N, f64::NAN);
        let y = gradient_into(chain, &x, &mut g);
        same("array into a vector", y, g.as_slice());
        let (y, g) = value_and_gradient(around_another, &x[..]);
        same("around another", y, &g);
        // A function that panics leaves nothing behind.
        assert!(catch_unwind(|| gradient(half, &x)).is_err());
        assert!(catch_unwind(|| gradient(half, &x[..])).is_err());
    }
    let mut prepared = prepare::gradient(Reverse, &x[..]);
    let mut g = [f64::NAN; N];
    let y = prepared.of(chain).at(&x[..], &mut g).unwrap();
    same("prepared", y, &g);
}

/// The gradient by one evaluation at `W ≥ N` lanes, made by hand.
fn by_lanes<const N: usize, const W: usize>() {
    let x = point::<N>();
    let lanes: Vec<_> = (0..N).map(|i| wengert::DualN::<f64, W>::variable(x[i], i)).collect();
    let y = Chain.call(&lanes);
    let want = (y.value().to_bits(), bits(&y.tangents()[..N]));
    let (y, g) = Chain.value_and_gradient(&x);
    assert_eq!((y.to_bits(), bits(&g)), want, "returned {N}");
    let mut g = [f64::NAN; N];
    let y = Chain.gradient_into(&x, &mut g);
    assert_eq!((y.to_bits(), bits(&g)), want, "into {N}");
    let mut prepared = prepare::gradient(ForwardChunk::<W>, &x[..]);
    let y = prepared.of_object(&Chain).at(&x[..], &mut g).unwrap();
    assert_eq!((y.to_bits(), bits(&g)), want, "prepared {N}");
    if N <= 8 {
        let (y, g) = forward::value_and_gradient(|x: &[_]| Chain.call(x), &x);
        assert_eq!((y.to_bits(), bits(&g)), want, "free {N}");
    }
}

/// Value, gradient and Hessian of a `Function`, and by a prepared operator of the mode that it chooses.
fn hessian_of<const N: usize, M: mode::SecondPass<Number<f64>: Scalar>>(mode: M) {
    let x = point::<N>();
    let mut prepared = prepare::hessian(mode, &x[..]);
    let (mut g, mut h) = (vec![f64::NAN; N], DMatrix::from_element(N, N, f64::NAN));
    let y = prepared.of_object(&Chain).at(&x[..], &mut g, &mut h).unwrap();
    let want = (y.to_bits(), bits(&g), bits(h.as_slice()));
    for _ in 0..2 {
        let (y, g, h) = Chain.value_gradient_and_hessian(&x);
        assert_eq!((y.to_bits(), bits(&g), bits(h.as_slice())), want, "{N}");
        assert_eq!(bits(Chain.hessian(&x).as_slice()), want.2, "{N}");
    }
    // By another way, up to rounding.
    let (_, by_tape, free) = value_gradient_and_hessian(|x: &[_]| Chain.call(x), &x[..]);
    let scale = 1.0 + free.amax();
    assert!((free - h).amax() < 1e-12 * scale, "{N}");
    assert!(by_tape.iter().zip(&g).all(|(a, b)| (a - b).abs() < 1e-12 * scale), "{N}");
}

#[test]
fn gradients_of_few_variables_are_those_of_a_tape() {
    macro_rules! sizes { ($($n:literal)*) => { $(gradients_of::<$n>();)* } }
    sizes!(1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20);
}

#[test]
fn gradients_of_objects_are_those_of_lanes() {
    macro_rules! sizes { ($($n:literal by $w:literal,)*) => { $(by_lanes::<$n, $w>();)* } }
    sizes!(0 by 1, 1 by 1, 2 by 2, 3 by 3, 4 by 4, 5 by 6, 6 by 6, 7 by 8, 8 by 8, 9 by 12, 10 by 12, 11 by 12, 12 by 12,);
    let x = point::<13>();
    let (y, g) = Chain.value_and_gradient(&x);
    assert_eq!((y.to_bits(), bits(&g)), by_tape(&x));
}

#[test]
fn hessians_of_objects_are_those_of_prepared_operators() {
    hessian_of::<1, _>(Packed::<1, 1>);
    hessian_of::<2, _>(Packed::<2, 3>);
    hessian_of::<3, _>(Packed::<3, 6>);
    hessian_of::<4, _>(Packed::<4, 10>);
    hessian_of::<5, _>(SecondOrder(ForwardChunk::<6>, Reverse));
    hessian_of::<6, _>(SecondOrder(ForwardChunk::<6>, Reverse));
    hessian_of::<7, _>(SecondOrder(ForwardChunk::<8>, Reverse));
    hessian_of::<8, _>(SecondOrder(ForwardChunk::<8>, Reverse));
    hessian_of::<10, _>(SecondOrder(ForwardChunk::<12>, Reverse));
    hessian_of::<13, _>(SecondOrder(ForwardChunk::<8>, Reverse));
    hessian_of::<20, _>(SecondOrder(ForwardChunk::<12>, Reverse));
}

/// A result that does not depend on the point, and a panic on the way to a second derivative.
#[test]
fn constants_and_panics() {
    struct Fails(f64);
    impl Function for Fails {
        fn call<T: Scalar>(&self, x: &[T]) -> T {
            let y = Chain.call(x);
            assert!(self.0 < 1.0, "as it shall be");
            y
        }
    }
    for n in 1..=14 {
        let x = &point::<14>()[..n];
        assert_eq!(gradient(|_: &[Var<f64>]| Var::constant(3.0), x), vec![0.0; n]);
        let (g, h) = (Fails(0.5).gradient(x), Fails(0.5).hessian(x));
        assert!(catch_unwind(AssertUnwindSafe(|| Fails(2.0).gradient(x))).is_err());
        assert!(catch_unwind(AssertUnwindSafe(|| Fails(2.0).hessian(x))).is_err());
        assert_eq!(bits(&Fails(0.5).gradient(x)), bits(&g), "{n}");
        assert_eq!(bits(Fails(0.5).hessian(x).as_slice()), bits(h.as_slice()), "{n}");
    }
}

/// A function of two results.
struct TwoResults;

impl VectorFunction for TwoResults {
    fn outputs(&self, _: usize) -> usize {
        2
    }
    fn call<T: Scalar>(&self, x: &[T], y: &mut [T]) {
        (y[0], y[1]) = (Chain.call(x), x.iter().rev().fold(T::lit(0.5), |y, &x| (y * x).sin() + x));
    }
}

/// The size of an array chooses the mode that the length of a slice chooses.
fn at_array_and_slice<const N: usize>() {
    let x = point::<N>();
    let (y, g, h) = Chain.value_gradient_and_hessian(&x);
    let of_slice = Chain.value_gradient_and_hessian(&x[..]);
    assert_eq!((y, &g[..], h.as_slice()), (of_slice.0, &of_slice.1[..], of_slice.2.as_slice()), "{N}");
    assert_eq!(bits(&Chain.gradient(&x)), bits(&Chain.gradient(&x[..])), "{N}");
    assert_eq!(TwoResults.value_and_jacobian(&x), TwoResults.value_and_jacobian(&x[..]), "{N}");
}

#[test]
fn arrays_take_the_modes_of_slices() {
    macro_rules! sizes {
        ($($n:literal)*) => { $(at_array_and_slice::<$n>();)* };
    }
    sizes!(0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 31 32 33);
}

fn sum_of<T: Scalar>(parts: [&[T]; 5]) -> T {
    let weighted = |sum: T, (i, &d): (usize, &T)| sum * 0.9 + d * (i as f64 + 1.0);
    parts.into_iter().flatten().enumerate().fold(T::lit(0.0), weighted)
}

/// A function of value, gradient, Hessian and Jacobian.
fn of_objects<T: Scalar, const N: usize>(x: &[T; N]) -> T {
    let (y, g, h) = Chain.value_gradient_and_hessian(x);
    let (results, j) = TwoResults.value_and_jacobian(x);
    sum_of([&[y], &g, h.as_slice(), &results, j.as_slice()])
}

/// The same function by operators of closures.
fn of_closures<T: Scalar, const N: usize>(x: &[T; N]) -> T {
    let (y, g, h) = value_gradient_and_hessian(|x: &[_]| Chain.call(x), x);
    let two = |x: &[_]| {
        let mut y = [x[0]; 2];
        TwoResults.call(x, &mut y);
        y
    };
    let (results, j) = value_and_jacobian(two, x);
    sum_of([&[y], &g, h.as_slice(), &results, j.as_slice()])
}

fn objects_within<const N: usize>() {
    let x = point::<N>();
    let want = gradient(|x: &[_]| of_closures::<_, N>(x.try_into().unwrap()), &x);
    let program = trace(|x: &[_]| of_objects::<_, N>(x.try_into().unwrap()), &x).gradient().unwrap();
    let ways = [
        ("tape", gradient(|x: &[_]| of_objects::<_, N>(x.try_into().unwrap()), &x).to_vec()),
        ("duals", forward::gradient(|x: &[_]| of_objects::<_, N>(x.try_into().unwrap()), &x).to_vec()),
        ("program", program.run(&x).unwrap()),
    ];
    let scale = want.iter().fold(1.0, |most: f64, d| most.max(d.abs()));
    for (way, got) in ways {
        assert!(
            got.iter().zip(&want).all(|(a, b)| (a - b).abs() < 1e-11 * scale),
            "{way} {N}: {got:?}, {want:?}"
        );
    }
}

#[test]
fn objects_take_points_of_numbers() {
    objects_within::<2>();
    objects_within::<5>();
    // Of slices all modes.
    for n in 0..=14 {
        let x = &point::<14>()[..n];
        let of_object = |x: &[Var<f64>]| Chain.gradient(x).into_iter().sum::<Var<f64>>();
        let of_closure = |x: &[Var<f64>]| gradient(|x: &[_]| Chain.call(x), x).into_iter().sum::<Var<f64>>();
        let (g, want) = (gradient(of_object, x), gradient(of_closure, x));
        assert!(g.iter().zip(&want).all(|(a, b)| (a - b).abs() < 1e-11 * (1.0 + b.abs())), "{n}");
    }
}
