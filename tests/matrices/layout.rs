//! E34: nalgebra's own methods that only move entries, on matrices of `Dual` and `Var`: indexing, slices, gathers
//! with repeated indices, scatters that add, reshapes, transposes, concatenations, padding, reversal. A linear map
//! acts on tangents as on values, and its transpose propagates cotangents back.

use nalgebra::{DMatrix, DVector, Dyn, stack};
use wengert::matrix::Entry;
use wengert::{AdError, Dual, Tape, Var, gradient};

use super::programs::{Outputs, Program, out};
use super::routes;

/// A rearrangement of a 3 × 4 and a 3 × 2 matrix.
#[derive(Debug)]
struct Rearrangement(&'static str);

const NAMES: [&str; 16] = [
    "entry",
    "row",
    "slice",
    "steps",
    "gather rows",
    "gather entries",
    "scatter",
    "reshape",
    "transpose",
    "beside",
    "below",
    "pad",
    "insert",
    "remove",
    "reverse",
    "swap",
];

#[allow(clippy::toplevel_ref_arg)] // of nalgebra's macro
impl Program for Rearrangement {
    fn call<S: Entry<Base = f64>>(&self, x: &[DMatrix<S>]) -> Result<Outputs<S::Re>, AdError> {
        let (a, b, zero) = (&x[0], &x[1], S::constant(0.0));
        let y = match self.0 {
            "entry" => DMatrix::from_element(1, 1, a[(1, 2)]),
            "row" => a.row(1).into_owned().resize_vertically(1, zero),
            "slice" => a.view((1, 1), (2, 3)).into_owned(),
            "steps" => a.view_with_steps((0, 1), (2, 2), (1, 1)).into_owned(),
            "gather rows" => a.select_rows(&[2, 0, 0, 2]),
            "gather entries" => {
                let places = [(0, 0), (0, 0), (2, 3), (0, 0)];
                DMatrix::from_iterator(2, 2, places.into_iter().map(|place| a[place]))
            }
            "scatter" => {
                let mut y = b.clone();
                for (i, j, row) in [(0, 0, 2), (1, 2, 2), (2, 3, 0)] {
                    y[(row, 1)] += a[(i, j)];
                }
                y
            }
            "reshape" => a.clone().reshape_generic(Dyn(6), Dyn(2)),
            "transpose" => a.transpose(),
            "beside" => stack![a, b],
            "below" => stack![a; a.columns(0, 4)],
            "pad" => a.clone().resize(5, 6, zero),
            "insert" => b.clone().insert_column(1, zero).insert_row(0, zero),
            "remove" => a.clone().remove_column(2).remove_row(0),
            "reverse" => DMatrix::from_fn(3, 4, |i, j| a[(2 - i, 3 - j)]),
            "swap" => {
                let mut y = a.clone();
                y.swap_rows(0, 2);
                y.swap_columns(1, 3);
                y
            }
            name => unreachable!("{name}"),
        };
        Ok(vec![out("Y", &y)])
    }
}

#[test]
fn e34_rearrangements() {
    let mut random = fastrand::Rng::with_seed(34);
    let mut any =
        |(rows, columns)| DMatrix::from_fn(rows, columns, |_, _| nalgebra::Complex::from(random.f64() - 0.5));
    for program in NAMES.map(Rearrangement) {
        let [x, dx] = [0, 1].map(|_| [any((3, 4)), any((3, 2))]);
        let moved = |x: &[_]| routes::values::<f64>(&program, x).unwrap().remove(0).2;
        let found = routes::forward::<f64, Dual<f64>>(&program, &x, &dx).unwrap();
        let (y, dy) = (&found[0].2, &found[1].2);
        assert_eq!((y, dy), (&moved(&x), &moved(&dx)), "{program:?}");
        let cot = any(y.shape());
        let x_bar = routes::reverse::<Var<f64>>(&program, &x, &[("Y", cot.clone())]).unwrap();
        let back: f64 = x_bar.iter().zip(&dx).map(|(x, dx)| x.dotc(dx).re).sum();
        assert!((cot.dotc(dy).re - back).abs() < 1e-15, "{program:?}");
    }
}

#[test]
fn e34_gradients_of_gathers() {
    let x = [1.0, 2.0, 3.0];
    assert_eq!(gradient(|x| x[2] + x[0] * x[2], &x), [3.0, 0.0, 2.0]);
    let tape = Tape::new();
    let x = DVector::from_vec(tape.variables(&x));
    let y = x.select_rows(&[0, 0]);
    let cotangents = tape.cotangents_of(&[(y[0], 1.0), (y[1], 2.0)]);
    assert_eq!(cotangents.of_all(x.as_slice()), [3.0, 0.0, 0.0]);
}

/// Out of bounds is a panic; nothing is clamped.
#[test]
fn e34_out_of_bounds() {
    let x = DMatrix::from_element(2, 2, Dual::variable(1.0));
    for f in [
        (|x| x[(2, 0)]) as fn(&DMatrix<Dual<f64>>) -> Dual<f64>,
        |x| x[4],
        |x| x.row(2)[0],
        |x| x.view((1, 1), (2, 1))[0],
        |x| x.select_rows(&[5])[0],
    ] {
        assert!(std::panic::catch_unwind(|| f(&x)).is_err());
    }
}
