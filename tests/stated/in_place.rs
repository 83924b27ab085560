//! Primitives that overwrite their argument, and the way back.

use wengert::primitive::{Closures, Direction, Rule, Stated, from_both, from_jvp, overwrite};
use wengert::{AdError, Dual, LinearMap, Real, Tape, Var, gradient};

fn square() -> Closures {
    from_both(
        "square!",
        1,
        |x| x[0].iter().map(|x| x * x).collect(),
        |x, dx| x[0].iter().zip(dx[0]).map(|(x, dx)| 2.0 * x * dx).collect(),
        |x, w| vec![x[0].iter().zip(w).map(|(x, w)| 2.0 * x * w).collect()],
    )
}

/// Writes sevens, whatever was there.
fn filled() -> Closures {
    from_both(
        "fill!",
        1,
        |x| vec![7.0; x[0].len()],
        |x, _| vec![0.0; x[0].len()],
        |x, _| vec![vec![0.0; x[0].len()]],
    )
}

/// The same two by formulas, which serve numbers with tangents: squares, or sevens.
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

/// Writes one after the other, undone from the last: `(x²)²` has `4x³`.
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

/// The second write to a buffer: what was there before has no influence, in each way to derivatives.
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
        overwrite(&Stated(Formula { squares: true }), &mut z).unwrap();
        z[0] + z[1]
    };
    assert_eq!(gradient(last, &[5.0, 6.0, 2.0, 3.0]), [0.0, 0.0, 4.0, 6.0]);
    let mut z = [Dual::new(5.0, 1.0), Dual::new(6.0, f64::NAN)];
    z.copy_from_slice(&[Dual::new(2.0, 0.5), Dual::constant(3.0)]);
    overwrite(&Stated(Formula { squares: true }), &mut z).unwrap();
    assert_eq!((z[0].tangent(), z[1].tangent()), (2.0, 0.0));
    let tape = Tape::new();
    let mut z = tape.variables(&[2.0, 3.0]);
    let x = z.clone();
    overwrite(&Stated(Formula { squares: false }), &mut z).unwrap();
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
    map.transpose(&[1.0, 1.0], &mut [Some(&mut sums)]);
    assert_eq!(sums, [14.0, 26.0]);
}
