//! Unusual and bad input, line by line: right, or an error by name.

use wengert::programs::{Program, Source, Traced, Workspace, trace};
use wengert::{AdError, Real};

use crate::support::definition::is_defined;
use crate::support::panics::text_of;

/// The results of a program in every way to run it, which must be equal.
#[track_caller]
fn everywhere(program: &Program, x: &[f64]) -> Result<Vec<f64>, AdError> {
    let want = program.run(x);
    let bits = |y: &Result<Vec<f64>, AdError>| {
        y.clone().map(|y| {
            y.iter()
                .map(|y| y.is_nan() || y.to_bits() == 0)
                .zip(y.clone())
                .map(|(n, y)| if n { 0 } else { y.to_bits() })
                .collect::<Vec<_>>()
        })
    };
    // A point of another length has no definition.
    assert!(x.len() != program.inputs() || is_defined(program, x, &want), "{want:?}");
    let mut y = vec![0.5; program.outputs()];
    let got = program.ready().run_into(&mut Workspace::default(), x, &mut y).map(|()| y.clone());
    assert_eq!(bits(&got), bits(&want));
    #[cfg(feature = "jit")]
    if let Ok(code) = program.compile() {
        let mut y = vec![0.5; program.outputs()];
        let got = code.run_into(x, &mut y).map(|()| y.clone());
        assert!(bits(&got) == bits(&want) || got.is_err() && want.is_err(), "machine code: {got:?}");
    }
    want
}

#[test]
fn programs_without_inputs() {
    let none: [f64; 0] = [];
    let constant = trace(|_: &[Traced]| [Traced::constant(5.0), Traced::constant(2.0).sqrt()], &none);
    assert_eq!(everywhere(&constant, &[]).unwrap(), [5.0, 2f64.sqrt()]);
    assert!(everywhere(&constant.jacobian().unwrap(), &[]).unwrap().is_empty());
    assert_eq!(everywhere(&constant.jvp().unwrap(), &[]).unwrap(), [5.0, 2f64.sqrt(), 0.0, 0.0]);
    assert_eq!(everywhere(&constant.vjp().unwrap(), &[1.0, 1.0]).unwrap(), [5.0, 2f64.sqrt()]);
    let one = trace(|_: &[Traced]| Traced::constant(5.0), &none);
    assert!(everywhere(&one.gradient().unwrap(), &[]).unwrap().is_empty());
    assert!(everywhere(&one.hessian().unwrap(), &[]).unwrap().is_empty());
}

#[test]
fn results_that_are_constant_or_inputs() {
    let program = trace(|x: &[Traced]| [Traced::constant(-0.0), x[1], x[1]], &[1.0, 2.0]);
    let y = everywhere(&program, &[3.0, 4.0]).unwrap();
    assert_eq!(y.iter().map(|y| y.to_bits()).collect::<Vec<_>>(), [-0.0f64, 4.0, 4.0].map(f64::to_bits));
    let jacobian = program.jacobian().unwrap();
    assert_eq!(everywhere(&jacobian, &[3.0, 4.0]).unwrap(), [0.0, 0.0, 0.0, 1.0, 0.0, 1.0]);
    let constant = trace(|_: &[Traced]| Traced::constant(7.0), &[1.0, 2.0]);
    assert_eq!(
        everywhere(&constant.value_and_gradient().unwrap(), &[0.0, f64::NAN]).unwrap(),
        [7.0, 0.0, 0.0]
    );
    assert_eq!(everywhere(&constant.hessian().unwrap(), &[0.0, 1.0]).unwrap(), [0.0; 4]);
}

#[test]
fn points_and_results_without_components() {
    let empty = trace(|_: &(Vec<Traced>, ())| Vec::<Traced>::new(), &(Vec::<f64>::new(), ()));
    assert_eq!((empty.inputs(), empty.outputs()), (0, 0));
    assert!(everywhere(&empty, &[]).unwrap().is_empty());
    let nothing = trace(|_: &[Traced]| (), &[1.0, 2.0]);
    assert!(everywhere(&nothing.jacobian().unwrap(), &[1.0, 2.0]).unwrap().is_empty());
    assert_eq!(everywhere(&nothing.vjp().unwrap(), &[1.0, 2.0]).unwrap(), [0.0, 0.0]);
    let error = nothing.gradient().err().unwrap();
    assert_eq!(error.to_string(), "gradient: the result has length 0, expected 1");
}

#[test]
fn points_of_another_shape() {
    let program = trace(|x: &[Traced]| x[0] * x[1], &[1.0, 2.0]);
    for x in [&[][..], &[1.0], &[1.0; 3]] {
        let error = everywhere(&program, x).unwrap_err();
        assert_eq!(error, AdError::Shape { op: "program", what: "point", expected: 2, got: x.len() });
    }
    let (executable, mut memory) = (program.ready(), Workspace::default());
    for (x, y) in [(&[1.0; 3][..], 1), (&[1.0; 4], 1), (&[1.0; 4], 3), (&[], 1)] {
        let mut out = vec![7.0; y];
        assert!(executable.run_batch(&mut memory, x, &mut out).is_err(), "{} {y}", x.len());
        assert_eq!(out, vec![7.0; y], "nothing is written");
    }
    assert!(executable.run_into(&mut memory, &[1.0; 2], &mut [0.0; 2]).is_err());
}

/// Comparisons with NaN have the results that the function itself has, in guards and in selections.
#[test]
fn numbers_that_are_none() {
    fn f<T: Real<Base = f64>>(x: &[T]) -> T {
        let y = if x[0] < x[1] { x[0] * 2.0 } else { x[1] * 3.0 };
        let z = if x[1] >= x[0] { y } else { -y };
        z.max(x[0]) + T::select_lt(x[0], x[1], x[0], x[1])
    }
    let nan = f64::NAN;
    let points = [[1.0, 2.0], [2.0, 1.0], [1.0, 1.0], [nan, 1.0], [1.0, nan], [nan, nan], [-0.0, 0.0]];
    let (mut replayed, mut refused) = (0, 0);
    for at in points {
        let program = trace(|x: &[Traced]| f(x), &at);
        for x in points {
            let branches = |x: [f64; 2]| (x[0] < x[1], x[1] >= x[0]);
            match everywhere(&program, &x) {
                Ok(y) => {
                    assert_eq!(branches(at), branches(x), "{at:?} {x:?}");
                    assert!(y[0].to_bits() == f(&x).to_bits() || y[0].is_nan() && f(&x).is_nan());
                    replayed += 1;
                }
                Err(AdError::BranchChanged { .. }) => {
                    assert_ne!(branches(at), branches(x), "{at:?} {x:?}");
                    refused += 1;
                }
                Err(error) => panic!("{error}"),
            }
        }
    }
    assert_eq!((replayed, refused), (1 + 4 * 4 + 2 * 2, 28));
}

/// Ten million operations in builds with optimisation: recorded, differentiated and run.
#[test]
fn ten_million_operations() {
    let n = if cfg!(debug_assertions) { 30_000 } else { 3_333_333 };
    let program =
        trace(|x: &[Traced]| (0..n).fold(x[0], |y, i| (y * x[1] + f64::from(i)) * 1e-3), &[1.0, 2.0]);
    assert_eq!(program.operations(), 3 * n as usize);
    let want = (0..n)
        .fold(wengert::Dual::new(0.5, 0.0), |y, i| (y * wengert::Dual::variable(3.0) + f64::from(i)) * 1e-3);
    assert_eq!(program.run(&[0.5, 3.0]).unwrap(), [want.value()]);
    let got = program.gradient().unwrap().run(&[0.5, 3.0]).unwrap()[1];
    assert!((got - want.tangent()).abs() <= 1e-12 * want.tangent().abs(), "{got} {}", want.tangent());
}

/// A name that no function can have is refused before anything is written.
#[test]
fn names_of_functions_are_demanded() {
    let program = trace(|x| [x[0] * x[0]], &[1.0]);
    for name in ["_", "fn", "match", "self", "gen", "yield", "", "2x", "Upper", "a-b", "é"] {
        let text = text_of(|| Source::new(name).write(&program));
        assert_eq!(text, format!("wengert: {name:?} is no name of a function"));
    }
    for name in ["again", "_x", "fn_", "matches", "x2"] {
        assert!(Source::new(name).write(&program).unwrap().contains(&format!("pub fn {name}(")), "{name}");
    }
}
