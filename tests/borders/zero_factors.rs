//! Products of a factor that is exactly 0 and a factor without a finite derivative: where the modes differ, as the guide says.

use super::support::compare::Findings;
use wengert::programs::trace;
use wengert::{Dual, Dual2, DualN, Real, Tape, Var, forward, reverse};

#[derive(Clone, Copy, Debug)]
enum Factor {
    /// Functions of one variable, which are no values of their own on a tape.
    Sqrt,
    Cbrt,
    Power,
    Acos,
    SineOfSqrt,
    /// Functions of two variables, which a tape records.
    Angle,
    SqrtOfSum,
    SumOfRoots,
}
use Factor::*;

impl Factor {
    const ALL: [Factor; 8] = [Sqrt, Cbrt, Power, Acos, SineOfSqrt, Angle, SqrtOfSum, SumOfRoots];
    fn is_recorded(self) -> bool {
        matches!(self, Angle | SumOfRoots)
    }
    /// The factor without a finite derivative along `x`, times `z`, which is 0.
    fn call<T: Real<Base = f64>>(self, x: &[T]) -> T {
        let [x, y, z] = [x[0], x[1], x[2]];
        let factor = match self {
            Sqrt => x.sqrt(),
            Cbrt => x.cbrt(),
            Power => x.powf(0.5),
            Acos => (x + 1.0).acos(),
            SineOfSqrt => x.sqrt().sin(),
            Angle => y.atan2(x),
            SqrtOfSum => (x + y).sqrt(),
            SumOfRoots => x.sqrt() + y.sqrt(),
        };
        factor * z
    }
}

/// The derivatives along `x` at 0, by mode.
fn modes(f: Factor) -> Vec<(&'static str, f64)> {
    let x = [0.0; 3];
    let along = |t: f64, i: usize| if i == 0 { t } else { 0.0 };
    let dual = f.call(&[0, 1, 2].map(|i| Dual::new(0.0, along(1.0, i)))).tangent();
    let lanes = f.call(&[0, 1, 2].map(|i| DualN::new(0.0, [along(1.0, i), 0.0]))).tangents()[0];
    let second: Dual2<f64, 1, 1> =
        f.call(&[0, 1, 2].map(|i| Dual2::from_fn(0.0, |_| along(1.0, i), |_, _| 0.0)));
    let tape = Tape::new();
    let inputs = tape.variables(&x);
    let nested = f.call(&[0, 1, 2].map(|i| Dual::new(inputs[i], Var::constant(along(1.0, i)))));
    let hessian = reverse::value_gradient_and_hessian(|x: &[_]| f.call(x), &x);
    let program = trace(|x| f.call(x), &x);
    vec![
        ("forward: Dual", dual),
        ("forward: DualN", lanes),
        ("forward: Dual2", second.gradient()[0]),
        ("forward: gradient", forward::gradient(|x: &[_]| f.call(x), &x)[0]),
        ("forward: tangent of Dual<Var>", nested.tangent().value()),
        (
            "forward: jvp of a program",
            program.jvp().unwrap().run(&[&x[..], &[1.0, 0.0, 0.0]].concat()).unwrap()[1],
        ),
        ("tape: gradient", reverse::gradient(|x: &[_]| f.call(x), &x)[0]),
        ("tape: value of Dual<Var>", tape.cotangents(nested.value()).of(inputs[0])),
        ("tape: with a Hessian", hessian.1[0]),
        ("program: gradient", program.gradient().unwrap().run(&x).unwrap()[0]),
    ]
}

#[test]
fn a_zero_factor_beside_an_infinite_derivative() {
    let mut found = Findings::default();
    for f in Factor::ALL {
        for (mode, got) in modes(f) {
            let nan = mode.starts_with("forward") || mode.starts_with("tape") && !f.is_recorded();
            let right = if nan { got.is_nan() } else { got == 0.0 };
            found.check(right, || format!("{f:?}, {mode}: {got:e}"));
        }
    }
    found.report(80);
}
