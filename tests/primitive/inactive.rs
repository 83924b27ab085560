//! Constants cost nothing: no linearisation, no tangents or cotangents, nothing on a tape.

use std::cell::Cell;

use wengert::primitive::{PrimalNumber, Primitive, call};
use wengert::{AdError, Dual, DualN, HyperDual, LinearMap, Number, Tape, Var};

thread_local! {
    static LINEARISED: Cell<usize> = const { Cell::new(0) };
    static APPLIED: Cell<[usize; 3]> = const { Cell::new([0; 3]) };
    static TRANSPOSED: Cell<[usize; 3]> = const { Cell::new([0; 3]) };
    static VALUES: Cell<usize> = const { Cell::new(0) };
}

fn count<const N: usize>(of: &'static std::thread::LocalKey<Cell<[usize; N]>>, groups: [bool; N]) {
    let mut counts = of.get();
    counts.iter_mut().zip(groups).for_each(|(c, g)| *c += usize::from(g));
    of.set(counts);
}

/// `y = Σ x₀ + 2 Σ x₁ + 4 Σ x₂`, counting.
#[derive(Clone)]
struct Counting;
#[derive(Clone)]
struct Weights;

impl<P: PrimalNumber> Primitive<P> for Counting {
    type Map<T: Number<Primal = P, Base = P::Base>> = Weights;
    fn name(&self) -> &'static str {
        "counting"
    }
    fn value(&self, x: &[&[P]]) -> Result<Vec<P>, AdError> {
        VALUES.set(VALUES.get() + 1);
        let sum = |g: usize| x[g].iter().fold(P::lit(0.0), |s, &x| s + x) * P::lit((1 << g) as f64);
        Ok(vec![sum(0) + sum(1) + sum(2)])
    }
    fn linearize<T: Number<Primal = P, Base = P::Base>>(
        &self,
        _: Vec<Vec<T>>,
        _: &[T],
    ) -> Result<Weights, AdError> {
        LINEARISED.set(LINEARISED.get() + 1);
        Ok(Weights)
    }
}

impl<T: Number> LinearMap<T> for Weights {
    fn apply(&self, x: &[Option<&[T]>], y: &mut [T]) {
        count(&APPLIED, std::array::from_fn(|g| x[g].is_some()));
        let sum = |(g, x): (usize, &Option<&[T]>)| {
            x.iter().flat_map(|x| x.iter()).fold(T::lit(0.0), |s, &x| s + x * T::lit((1 << g) as f64))
        };
        y[0] = x.iter().enumerate().map(sum).fold(T::lit(0.0), |s, t| s + t);
    }
    fn apply_transpose_add(&self, w: &[T], out: &mut [Option<&mut [T]>]) {
        count(&TRANSPOSED, std::array::from_fn(|g| out[g].is_some()));
        for (g, out) in out.iter_mut().enumerate() {
            let sums = out.iter_mut().flat_map(|out| out.iter_mut());
            sums.for_each(|out| *out += w[0] * T::lit((1 << g) as f64));
        }
    }
}

/// Linearisations, applications and transpositions of each group, since the last look.
fn counts() -> (usize, [usize; 3], [usize; 3]) {
    (LINEARISED.replace(0), APPLIED.replace([0; 3]), TRANSPOSED.replace([0; 3]))
}

#[test]
fn forward_numbers_skip_constant_groups() {
    counts();
    let (a, c) = (Dual::variable(1.0), Dual::constant(2.0));
    let y = call(&Counting, &[&[c, c], &[c, a], &[c]]).unwrap()[0];
    assert_eq!((y.value(), y.tangent()), (4.0 + 6.0 + 8.0, 2.0));
    assert_eq!(counts(), (1, [0, 1, 0], [0; 3]));
    let y = call(&Counting, &[&[c, c], &[c, c], &[c]]).unwrap()[0];
    assert_eq!((y.tangent(), counts()), (0.0, (0, [0; 3], [0; 3])));
    // One application for each lane with a tangent, one value in all.
    VALUES.set(0);
    let lane = |x: f64, i: usize| DualN::<f64, 4>::variable(x, i);
    let y = call(&Counting, &[&[lane(1.0, 0)], &[DualN::constant(1.0)], &[lane(1.0, 3)]]).unwrap()[0];
    assert_eq!((y.tangents(), counts()), ([1.0, 0.0, 0.0, 4.0], (1, [1, 0, 1], [0; 3])));
    assert_eq!(VALUES.get(), 1);
    let y = call(&Counting, &[&[HyperDual::constant(1.0)], &[HyperDual::constant(1.0)], &[]]).unwrap()[0];
    assert_eq!((y.e1(), y.e12(), counts().0), (0.0, 0.0, 0));
}

#[test]
fn tapes_hold_nothing_of_constants() {
    counts();
    let tape = Tape::new();
    let (x, c) = (tape.variables(&[1.0, 2.0]), Var::constant(3.0));
    let before = tape.stats();
    let y = call(&Counting, &[&[c; 100], &[c], &[c]]).unwrap()[0];
    assert_eq!((y.value(), tape.stats(), counts().0), (318.0, before, 0));
    // One active group of three.
    let y = call(&Counting, &[&[c; 100], &x, &[c]]).unwrap()[0];
    let with_many = tape.stats();
    assert_eq!((with_many.blocks, with_many.nodes - before.nodes), (before.blocks + 1, 1));
    let dy = tape.cotangents(y);
    assert_eq!(dy.of_all(&x), [2.0, 2.0]);
    assert_eq!(counts(), (1, [0; 3], [0, 1, 0]));
    // The hundred constants take no memory.
    let other = Tape::new();
    let x = other.variables(&[1.0, 2.0]);
    call(&Counting, &[&[], &x, &[c]]).unwrap();
    assert_eq!(other.stats().bytes, with_many.bytes);
}

#[test]
fn what_no_result_needs_is_not_swept() {
    counts();
    let tape = Tape::new();
    let x = tape.variables(&[1.0, 2.0]);
    let y = call(&Counting, &[&x[..1], &x[1..], &[]]).unwrap()[0];
    let z = x[0] * 3.0;
    assert_eq!(tape.cotangents(z).of_all(&x), [3.0, 0.0]);
    assert_eq!(counts().2, [0; 3], "no cotangent, no transpose");
    assert_eq!(tape.cotangents(y).of_all(&x), [1.0, 2.0]);
    assert_eq!(counts().2[..2], [1, 1]);
}
