//! Primitives that overwrite their argument, and how to undo them.

use num_complex::Complex64;
use wengert::primitive::{
    Closures, Direction, FromRule, Primitive, Rule, from_complex_step, from_finite_differences, from_jvp,
    from_jvp_and_vjp, from_vjp, overwrite,
};
use wengert::{AdError, Dual, Dual2, DualN, HyperDual, LinearMap, Number, Real, Tape, Var, gradient};

fn square() -> Closures {
    from_jvp_and_vjp(
        "square!",
        1,
        |x| x[0].iter().map(|x| x * x).collect(),
        |x, dx| x[0].iter().zip(dx[0]).map(|(x, dx)| 2.0 * x * dx).collect(),
        |x, w| vec![x[0].iter().zip(w).map(|(x, w)| 2.0 * x * w).collect()],
    )
}

/// Writes sevens, whatever the old contents are.
fn filled() -> Closures {
    from_jvp_and_vjp(
        "fill!",
        1,
        |x| vec![7.0; x[0].len()],
        |x, _| vec![0.0; x[0].len()],
        |x, _| vec![vec![0.0; x[0].len()]],
    )
}

/// The two primitives by formulas, which serve numbers with tangents: squares, or sevens.
#[derive(Clone)]
struct Formula {
    squares: bool,
}

impl Rule for Formula {
    fn name(&self) -> &'static str {
        "formula!"
    }
    fn arity(&self) -> usize {
        1
    }
    fn supports(&self, _: Direction) -> bool {
        true
    }
    fn value(&self, x: &[&[f64]]) -> Result<Vec<f64>, AdError> {
        Ok(x[0].iter().map(|x| if self.squares { x * x } else { 7.0 }).collect())
    }
    fn jvp<T: Real<Base = f64>>(&self, x: &[&[T]], _: &[T], dx: &[Option<&[T]>], dy: &mut [T]) {
        let Some(dx) = dx[0].filter(|_| self.squares) else { return };
        (0..dy.len()).for_each(|i| dy[i] += x[0][i] * dx[i] * 2.0);
    }
    fn vjp<T: Real<Base = f64>>(&self, x: &[&[T]], _: &[T], w: &[T], dx: &mut [Option<&mut [T]>]) {
        let Some(dx) = dx[0].as_mut().filter(|_| self.squares) else { return };
        (0..w.len()).for_each(|i| dx[i] += x[0][i] * w[i] * 2.0);
    }
}

/// The pullback with (1, 1) gives (4, 6), and the argument is (2, 3) again, bit for bit.
#[test]
fn undoing_brings_back_value_and_cotangent() {
    let old = [2.0, 3.0, -0.0, 0.1_f64 + 0.2];
    let mut x = old;
    let done = overwrite(&square(), &mut x).unwrap();
    assert_eq!(x[..2], [4.0, 9.0]);
    let mut tangent = [1.0, -1.0, 2.0, 0.5];
    done.push(&mut tangent).unwrap();
    assert_eq!(tangent, [4.0, -6.0, 0.0, 2.0 * (0.1 + 0.2) * 0.5]);
    let mut cotangent = [1.0, 1.0, 5.0, 0.0];
    done.undo(&mut x, &mut cotangent).unwrap();
    assert!(x.iter().zip(old).all(|(x, o)| x.to_bits() == o.to_bits()));
    assert_eq!(cotangent, [4.0, 6.0, 0.0, 0.0]);
}

/// Two writes in turn, undone from the last: `(x²)²` has `4x³`.
#[test]
fn writes_are_undone_in_turn() {
    let mut z = [1.5, -2.0];
    let first = overwrite(&square(), &mut z).unwrap();
    let second = overwrite(&square(), &mut z).unwrap();
    assert_eq!(z, [1.5f64.powi(4), 16.0]);
    let mut cotangent = [1.0, 10.0];
    second.undo(&mut z, &mut cotangent).unwrap();
    assert_eq!((z, cotangent), ([2.25, 4.0], [4.5, 80.0]));
    first.undo(&mut z, &mut cotangent).unwrap();
    assert_eq!((z, cotangent), ([1.5, -2.0], [13.5, -320.0]));
}

/// The second write to a buffer: the old contents have no influence, in each mode.
#[test]
fn only_the_last_write_counts() {
    let mut z = [1.5, -2.0];
    let first = overwrite(&square(), &mut z).unwrap();
    let second = overwrite(&filled(), &mut z).unwrap();
    let mut cotangent = [1.0, 1.0];
    second.undo(&mut z, &mut cotangent).unwrap();
    assert_eq!((z, cotangent), ([2.25, 4.0], [0.0, 0.0]));
    first.undo(&mut z, &mut cotangent).unwrap();
    assert_eq!((z, cotangent), ([1.5, -2.0], [0.0, 0.0]));

    // z = x; z = y; z = z²; Σz.
    let last = |p: &[Var<f64>]| {
        let mut z = p[..2].to_vec();
        z.copy_from_slice(&p[2..]);
        overwrite(&FromRule(Formula { squares: true }), &mut z).unwrap();
        z[0] + z[1]
    };
    assert_eq!(gradient(last, &[5.0, 6.0, 2.0, 3.0]), [0.0, 0.0, 4.0, 6.0]);
    let mut z = [Dual::new(5.0, 1.0), Dual::new(6.0, f64::NAN)];
    z.copy_from_slice(&[Dual::new(2.0, 0.5), Dual::constant(3.0)]);
    overwrite(&FromRule(Formula { squares: true }), &mut z).unwrap();
    assert_eq!((z[0].tangent(), z[1].tangent()), (2.0, 0.0));
    let tape = Tape::new();
    let mut z = tape.variables(&[2.0, 3.0]);
    let x = z.clone();
    overwrite(&FromRule(Formula { squares: false }), &mut z).unwrap();
    let sum = z[0] + z[1] * x[1];
    assert_eq!(tape.cotangents(sum).of_all(&x), [0.0, 7.0]);
}

#[test]
fn a_write_that_fails_writes_nothing() {
    let shorter = from_jvp("sum!", 1, |x| vec![x[0].iter().sum()], |_, dx| vec![dx[0].iter().sum()]);
    let mut x = [2.0, 3.0];
    let Err(refused) = overwrite(&shorter, &mut x) else { panic!("written") };
    let what = "result that replaces the argument";
    assert_eq!(refused, AdError::Shape { op: "sum!", what, expected: 2, got: 1 });
    assert_eq!(x, [2.0, 3.0]);
    let mut nested = [Dual::variable(Dual::variable(2.0))];
    let Err(refused) = overwrite(&square(), &mut nested) else { panic!("written") };
    assert_eq!(refused, AdError::Unsupported { op: "square!", rule: "second order" });
    assert_eq!(nested[0].value().value(), 2.0);
}

/// The residual map outlives the buffer's later contents.
#[test]
fn a_map_keeps_its_own_point() {
    let x = vec![2.0, 3.0];
    let (_, map) = wengert::primitive::linearize(&square(), &[&x]).unwrap();
    drop(x);
    let mut sums = [10.0, 20.0];
    map.apply_transpose_add(&[1.0, 1.0], &mut [Some(&mut sums)]);
    assert_eq!(sums, [14.0, 26.0]);
}

/// The square in every form by closures.
fn forms() -> [Closures; 5] {
    let value = |x: &[&[f64]]| x[0].iter().map(|x| x * x).collect();
    let jvp = |x: &[&[f64]], dx: &[&[f64]]| x[0].iter().zip(dx[0]).map(|(x, dx)| 2.0 * x * dx).collect();
    let vjp = |x: &[&[f64]], w: &[f64]| vec![x[0].iter().zip(w).map(|(x, w)| 2.0 * x * w).collect()];
    [
        from_jvp("square!", 1, value, jvp),
        from_vjp("square!", 1, value, vjp),
        from_jvp_and_vjp("square!", 1, value, jvp, vjp),
        from_finite_differences("square!", 1, value),
        from_complex_step("square!", 1, |x: &[&[Complex64]]| x[0].iter().map(|x| x * x).collect()),
    ]
}

/// The visible parts of a number, bit for bit.
fn bits<T: Number>(x: &[T]) -> Vec<u64> {
    let mut bits = Vec::new();
    x.iter().for_each(|x| x.visit(&mut |part| bits.push(part.to_bits())));
    bits
}

/// The parts of numbers. On a tape, where each is relative to its own node, only the values.
fn parts<T: Number<Primal = f64>>(x: &[T], on_tape: bool) -> Vec<f64> {
    let mut parts = Vec::new();
    x.iter().for_each(|x| x.visit(&mut |part| parts.push(part)));
    if on_tape { x.iter().map(|x| x.innermost()).collect() } else { parts }
}

/// Overwrites a copy of `x`: the new value is the squares, and undoing restores the old one bit for bit. Returns the
/// cotangent for a cotangent of ones, after undoing.
fn there_and_back<T: Real<Base = f64> + Number<Primal = f64>>(
    rule: &impl Primitive<f64>,
    x: &[T],
    limit: f64,
) -> Result<Vec<T>, AdError> {
    let on_tape = std::any::type_name::<T>().contains("Var");
    let ones = vec![T::lit(1.0); x.len()];
    let mut z = x.to_vec();
    let done = overwrite(rule, &mut z).unwrap();
    let squares: Vec<T> = x.iter().map(|&x| x * x).collect();
    let near = |got: &[T], want: &[T]| {
        for (got, want) in parts(got, on_tape).iter().zip(&parts(want, on_tape)) {
            assert!((got - want).abs() <= limit * want.abs(), "{got} {want}");
        }
    };
    near(&z, &squares);
    assert_eq!(bits(done.before()), bits(x));
    let (mut w, mut t, new) = (ones.clone(), ones.clone(), bits(&z));
    let (undone, pushed) = (done.undo(&mut z, &mut w), done.push(&mut t));
    match &undone {
        Ok(()) => assert_eq!(bits(&z), bits(x)),
        // A write that cannot be undone leaves everything unchanged.
        Err(_) => assert_eq!((bits(&z), bits(&w)), (new, bits(&ones))),
    }
    match &pushed {
        // Squares of each: tangents and cotangents are the same.
        Ok(()) if undone.is_ok() => near(&w, &t),
        Ok(()) => {}
        Err(_) => assert_eq!(bits(&t), bits(&ones)),
    }
    undone.and(pushed).map(|()| w)
}

const POINT: [f64; 3] = [2.0, -0.0, 0.1 + 0.2];

#[test]
fn closures_overwrite_numbers_with_derivatives() {
    let second = AdError::Unsupported { op: "square!", rule: "second order" };
    let lacks = |rule| AdError::Unsupported { op: "square!", rule };
    for (form, rule) in forms().iter().enumerate() {
        let limit = [0.0, 0.0, 0.0, 1e-11, 1e-15][form];
        let at_f64 = there_and_back(rule, &POINT, limit);
        match form {
            0 => assert_eq!(at_f64.unwrap_err(), lacks("vjp")),
            1 => assert_eq!(at_f64.unwrap_err(), lacks("jvp")),
            _ => assert!((at_f64.unwrap()[2] - 0.6).abs() < 1e-11),
        }
        if form != 1 {
            let x = POINT.map(|x| Dual::new(x, 0.5));
            let refused = there_and_back(rule, &x, limit).unwrap_err();
            assert_eq!(refused, if form == 0 { lacks("vjp") } else { second.clone() });
            let x = POINT.map(|x| DualN::<f64, 2>::variable(x, 1));
            assert!(there_and_back(rule, &x, limit).is_err());
        }
        if form != 0 {
            let tape = Tape::new();
            let x = tape.variables(&POINT);
            let mut z = x.clone();
            let done = overwrite(rule, &mut z).unwrap();
            let dz = tape.cotangents(z[0] + z[2]).of_all(&x);
            assert!((dz[0] - 4.0).abs() <= limit * 4.0 && dz[1] == 0.0 && (dz[2] - 0.6).abs() < 1e-11);
            assert_eq!(done.undo(&mut z, &mut x.clone()).unwrap_err(), second);
            assert_eq!(bits(done.before()), bits(&x));
        }
    }
}

#[test]
fn formulas_overwrite_every_number() {
    let rule = FromRule(Formula { squares: true });
    assert_eq!(there_and_back(&rule, &POINT, 0.0).unwrap(), [4.0, 0.0, 2.0 * (0.1 + 0.2)]);
    let w = there_and_back(&rule, &POINT.map(|x| Dual::new(x, 0.5)), 0.0).unwrap();
    assert_eq!((w[0].value(), w[0].tangent()), (4.0, 1.0));
    let w = there_and_back(&rule, &POINT.map(|x| HyperDual::new(x, 0.5, 2.0, 0.0)), 0.0).unwrap();
    assert_eq!((w[0].value(), w[0].e1(), w[0].e2(), w[0].e12()), (4.0, 1.0, 4.0, 0.0));
    there_and_back(&rule, &POINT.map(|x| DualN::<f64, 3>::variable(x, 2)), 0.0).unwrap();
    there_and_back(&rule, &POINT.map(|x| Dual2::<f64, 1, 1>::variable(x, 0)), 0.0).unwrap();
    there_and_back(&rule, &POINT.map(|x| Dual::variable(Dual::variable(x))), 0.0).unwrap();
    let tape = Tape::new();
    let x = tape.variables(&POINT);
    let w = there_and_back(&rule, &x, 0.0).unwrap();
    // The cotangent is 2x: its own derivative is on the tape.
    assert_eq!(tape.cotangents(w[0]).of_all(&x), [2.0, 0.0, 0.0]);
    let tape = Tape::new();
    let x = tape.variables(&POINT.map(Dual::variable));
    there_and_back(&rule, &x, 0.0).unwrap();
    let outer = Tape::new();
    let x = POINT.map(|x| Var::constant(outer.variable(x)));
    there_and_back(&rule, &x.map(|x| x.value()), 0.0).unwrap();
}

#[test]
fn what_does_not_fit_is_named_and_left() {
    let mut x = [2.0, 3.0];
    let done = overwrite(&square(), &mut x).unwrap();
    let shape = |what, got| AdError::Shape { op: "square!", what, expected: 2, got };
    let (mut one, mut two) = ([1.0], [1.0, 1.0]);
    assert_eq!(done.push(&mut one).unwrap_err(), shape("tangent of the overwritten argument", 1));
    let cotangent = "cotangent of the overwritten argument";
    assert_eq!(done.undo(&mut x, &mut one).unwrap_err(), shape(cotangent, 1));
    assert_eq!(done.undo(&mut one, &mut two).unwrap_err(), shape("overwritten argument", 1));
    assert_eq!((x, one, two), ([4.0, 9.0], [1.0], [1.0, 1.0]));
    // A cotangent of zeros is one of zeros, even where the partial is infinite.
    let root = from_vjp("root!", 1, |x| vec![x[0][0].sqrt()], |x, w| vec![vec![0.5 / x[0][0].sqrt() * w[0]]]);
    let (mut zero, mut w) = ([0.0], [0.0]);
    overwrite(&root, &mut zero).unwrap().undo(&mut zero, &mut w).unwrap();
    assert_eq!(w, [0.0]);
}

/// The value of the rule is computed once, when it overwrites.
#[test]
fn the_value_is_not_computed_again() {
    thread_local!(static CALLS: std::cell::Cell<usize> = const { std::cell::Cell::new(0) });
    let counting = from_jvp_and_vjp(
        "count!",
        1,
        |x| {
            CALLS.set(CALLS.get() + 1);
            x[0].to_vec()
        },
        |_, dx| dx[0].to_vec(),
        |_, w| vec![w.to_vec()],
    );
    let mut x = [2.0, 3.0];
    let done = overwrite(&counting, &mut x).unwrap();
    done.push(&mut [1.0, 1.0]).unwrap();
    done.undo(&mut x, &mut [1.0, 1.0]).unwrap();
    assert_eq!(CALLS.get(), 1);
}
