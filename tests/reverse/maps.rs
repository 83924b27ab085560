//! Primitives of several groups as blocks of a tape: which groups and lanes cost work.

use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind};

use wengert::primitive::{Extension, PrimalNumber, Primitive, call};
use wengert::{AdError, Dual, LinearMap, Number, Reverse, Tape, Var, linearize, prepare};

thread_local! {
    /// How often the transpose has been asked for each group, and how often it has been called.
    static WANTED: Cell<[usize; 2]> = const { Cell::new([0; 2]) };
    static CALLS: Cell<usize> = const { Cell::new(0) };
}

/// `(2x, 3y, Σx)` of two groups of two numbers.
#[derive(Clone)]
struct Scaling;

struct ScalingMap;

const FACTORS: [f64; 2] = [2.0, 3.0];

impl<P: PrimalNumber> Primitive<P> for Scaling {
    type Map<T: Extension<P>> = ScalingMap;
    fn name(&self) -> &'static str {
        "a \"scaling\""
    }
    fn value(&self, x: &[&[P]]) -> Result<Vec<P>, AdError> {
        let mut y = vec![P::lit(0.0); 5];
        LinearMap::apply(&ScalingMap, &[Some(x[0]), Some(x[1])], &mut y);
        Ok(y)
    }
    fn linearize<T: Extension<P>>(&self, _: Vec<Vec<T>>, _: &[T]) -> Result<Self::Map<T>, AdError> {
        Ok(ScalingMap)
    }
}

impl<T: Number> LinearMap<T> for ScalingMap {
    fn apply(&self, tangents: &[Option<&[T]>], out: &mut [T]) {
        out.fill(T::lit(0.0));
        for (group, tangents) in tangents.iter().enumerate() {
            for (i, &t) in tangents.iter().flat_map(|t| t.iter()).enumerate() {
                out[2 * group + i] += t * T::lit(FACTORS[group]);
                out[4] += if group == 0 { t } else { T::lit(0.0) };
            }
        }
    }
    fn apply_transpose_add(&self, cotangent: &[T], out: &mut [Option<&mut [T]>]) {
        CALLS.set(CALLS.get() + 1);
        for (group, out) in out.iter_mut().enumerate() {
            let Some(out) = out else { continue };
            let mut wanted = WANTED.get();
            wanted[group] += 1;
            WANTED.set(wanted);
            for (i, x) in out.iter_mut().enumerate() {
                *x += cotangent[2 * group + i] * T::lit(FACTORS[group]);
                *x += if group == 0 { cotangent[4] } else { T::lit(0.0) };
            }
        }
    }
}

/// The results at two groups of two.
fn scaling<T: Number>(x: &[T], y: &[T]) -> Vec<T>
where
    Scaling: Primitive<T::Primal>,
{
    call(&Scaling, &[x, y]).unwrap()
}

/// The counts since the last call, which sets them back.
fn counted() -> ([usize; 2], usize) {
    (WANTED.take(), CALLS.take())
}

/// A run, and a scattered group: a slope of −1, a constant.
fn mixed(x: &[Var<f64>]) -> [Var<f64>; 2] {
    let y = scaling(&x[..2], &[-x[2], Var::constant(4.0)]);
    [y[0] * y[2] + y[4] * 10.0 + y[3], y[1]]
}

#[test]
fn a_map_of_two_groups() {
    let (tape, point) = (Tape::new(), [1.0, 2.0, 3.0, 4.0]);
    let x = tape.variables(&point);
    let z = mixed(&x)[0];
    assert_eq!(z.value(), 2.0 * -9.0 + 30.0 + 12.0);
    // z = 2x₀·(−3x₂) + 10(x₀ + x₁) + 12
    assert_eq!(tape.cotangents(z).of_all(&x), [-18.0 + 10.0, 10.0, -6.0, 0.0]);
    assert_eq!(counted(), ([1, 1], 1));
    let both = |x: &[Var<f64>]| {
        let [z, y] = mixed(x);
        [z, y, Var::constant(1.0)]
    };
    assert_eq!(linearize(both, &point).jvp(&[1.0, 0.0, 1.0, 5.0]), Ok([-8.0 - 6.0, 0.0, 0.0]));
    assert!(tape.to_dot().contains("label=\"a \\\"scaling\\\"\""));
    assert_eq!(tape.stats().blocks, 1);
}

#[test]
fn inactive_groups_and_unseeded_results_do_no_work() {
    let tape = Tape::new();
    let x = tape.variables(&[1.0, 2.0]);
    let y = scaling(&[Var::constant(1.0), Var::constant(2.0)], &x);
    assert_eq!(tape.cotangents(y[3] + x[0]).of_all(&x), [1.0, 3.0]);
    assert_eq!(counted(), ([0, 1], 1));
    assert_eq!(tape.cotangents(x[0] * x[1]).of_all(&x), [2.0, 1.0]);
    assert_eq!(counted().1, 0, "no result of the map has a cotangent");
    let constants = [Var::constant(1.0); 2];
    let f = |x: &[Var<f64>]| scaling(&constants, x);
    assert_eq!(linearize(f, &[1.0, 2.0]).jvp(&[1.0, 1.0]), Ok(vec![0.0, 0.0, 3.0, 3.0, 0.0]));
    // Several lanes, of which one is zero.
    let (mut rows, f) = ([0.0; 6], |x: &[Var<f64>]| {
        let y = scaling(&constants, x);
        [y[2] + y[3], x[0], y[2]]
    });
    prepare::jacobian(Reverse, &[1.0, 2.0]).of(f).at(&[1.0, 2.0], &mut (), &mut rows).unwrap();
    assert_eq!((rows, counted()), ([3.0, 1.0, 3.0, 3.0, 0.0, 0.0], ([0, 2], 2)));
    let (before, none) = (tape.stats().blocks, scaling(&constants, &constants));
    assert_eq!((tape.stats().blocks, none[4].value()), (before, 2.0));
}

#[test]
fn a_map_over_duals() {
    let tape = Tape::new();
    let x = tape.variables(&[Dual::new(1.0, 1.0), Dual::new(2.0, 0.5)]);
    let y = scaling(&x, &x);
    let z = y[0] * y[3]; // 6·x₀x₁
    let dz = tape.cotangents(z);
    assert_eq!((dz.of(x[0]).value(), dz.of(x[0]).tangent()), (12.0, 3.0));
    assert_eq!((dz.of(x[1]).value(), dz.of(x[1]).tangent()), (6.0, 6.0));
}

thread_local! {
    static ACTIVE: Cell<Option<[Var<f64>; 2]>> = const { Cell::new(None) };
}

/// A rule that uses the tape which is being swept.
#[derive(Clone)]
struct Intruder;

impl Primitive<f64> for Intruder {
    type Map<T: Extension<f64>> = Intruder;
    fn name(&self) -> &'static str {
        "intruder"
    }
    fn value(&self, _: &[&[f64]]) -> Result<Vec<f64>, AdError> {
        Ok(vec![3.0])
    }
    fn linearize<T: Extension<f64>>(&self, _: Vec<Vec<T>>, _: &[T]) -> Result<Self, AdError> {
        Ok(Intruder)
    }
}

impl<T> LinearMap<T> for Intruder {
    fn apply(&self, _: &[Option<&[T]>], _: &mut [T]) {}
    fn apply_transpose_add(&self, _: &[T], _: &mut [Option<&mut [T]>]) {
        let _ = ACTIVE.get().map(|[x, y]| x * y);
    }
}

#[test]
fn a_tape_in_its_own_sweep() {
    let tape = Tape::new();
    let x = tape.variables(&[1.0, 2.0]);
    ACTIVE.set(Some([x[0], x[1]]));
    let y = call(&Intruder, &[&x[..]]).unwrap();
    let panic = catch_unwind(AssertUnwindSafe(|| tape.cotangents(y[0]))).unwrap_err();
    assert!(panic.downcast_ref::<&str>().unwrap().contains("while it is being swept"));
    assert_eq!(tape.cotangents(x[0] * x[1]).of_all(&x), [2.0, 1.0]);
}
