//! What a trace records, and what a replay refuses.

use wengert::programs::{Traced, trace};
use wengert::{AdError, Real};

fn line_of(error: &AdError) -> (&'static str, String, u32) {
    match error {
        AdError::BranchChanged { op, recorded, location } => (op, recorded.clone(), location.line()),
        other => panic!("{other}"),
    }
}

#[test]
fn comparisons_are_guards_with_their_line() {
    let line = line!() + 1;
    let program = trace(|x| if x[0] > 0.0 { x[0].sqrt() } else { -x[0] }, &[4.0]);
    assert_eq!(program.run(&[9.0]).unwrap(), [3.0]);
    assert_eq!(line_of(&program.run(&[-1.0]).unwrap_err()), ("lt", "true".to_string(), line));
    // NaN compares as recorded code would.
    assert!(program.run(&[f64::NAN]).is_err());
    let other = trace(|x| if x[0] > 0.0 { x[0].sqrt() } else { -x[0] }, &[f64::NAN]);
    assert_eq!(other.run(&[-2.0]).unwrap(), [2.0]);
    assert!(other.run(&[f64::NAN]).unwrap()[0].is_nan());
}

#[test]
fn values_that_leave_are_guards() {
    let program = trace(|x| x[1] * x[0].primal().floor(), &[2.5, 3.0]);
    assert_eq!(program.run(&[2.5, 4.0]).unwrap(), [8.0]);
    assert_eq!(line_of(&program.run(&[2.75, 4.0]).unwrap_err()).0, "value");
    let table = [1.0, 10.0, 100.0];
    let index = trace(|x| x[0] * table[num_traits::ToPrimitive::to_usize(&x[0]).unwrap()], &[1.0]);
    assert!(index.run(&[2.0]).is_err());
}

#[test]
fn selections_keep_both_sides() {
    let f = |x: &[Traced]| {
        [x[0].max(x[1]), x[0].min(x[1]), x[0].abs(), x[0].clamp(-1.0, x[1]), x[0].abs_sub(x[1])]
    };
    let g = |x: &[f64]| {
        [x[0].max(x[1]), x[0].min(x[1]), x[0].abs(), x[0].clamp(-1.0, x[1]), Real::abs_sub(x[0], x[1])]
    };
    let program = trace(f, &[0.5, 2.0]);
    for x in [[0.5, 2.0], [3.0, 2.0], [-7.0, 2.0], [2.0, 2.0], [-0.0, 0.0], [f64::NAN, 1.0]] {
        let (got, want) = (program.run(&x).unwrap(), g(&x));
        for (got, want) in got.iter().zip(want) {
            assert!(got.to_bits() == want.to_bits() || got.is_nan() && want.is_nan(), "{x:?}: {got} {want}");
        }
    }
}

#[test]
#[should_panic(expected = "numbers of two traces")]
fn numbers_of_two_traces_panic() {
    trace(
        |x| {
            let outer = x[0];
            trace(move |y: &[Traced]| y[0] * outer, &[1.0]);
            outer
        },
        &[2.0],
    );
}

#[test]
#[should_panic(expected = "has ended")]
fn numbers_of_an_ended_trace_panic() {
    let mut kept = None;
    trace(
        |x| {
            kept = Some(x[0]);
            x[0]
        },
        &[2.0],
    );
    let _ = kept.unwrap() + 1.0;
}

#[test]
#[should_panic(expected = "inner function returned a number of an outer one")]
fn results_of_another_trace_panic() {
    trace(
        |x| {
            let outer = x[0];
            trace(move |_: &[Traced]| outer, &[1.0]);
            outer
        },
        &[2.0],
    );
}

#[test]
fn another_thread_panics() {
    let result = std::panic::catch_unwind(|| {
        trace(
            |x| {
                let x = x[0];
                std::thread::spawn(move || x + x).join().unwrap_or(x)
            },
            &[2.0],
        )
        .run(&[3.0])
    });
    assert_eq!(result.unwrap().unwrap(), [3.0], "the thread has panicked");
}

#[test]
fn unusual_shapes() {
    let nothing: [f64; 0] = [];
    let constant = trace(|_: &[Traced]| Traced::constant(5.0), &nothing);
    assert_eq!(constant.run(&[]).unwrap(), [5.0]);
    let empty = trace(|_: &[Traced]| Vec::<Traced>::new(), &[1.0]);
    assert!(empty.run(&[2.0]).unwrap().is_empty());
    let error = empty.run(&[1.0, 2.0]).unwrap_err();
    assert_eq!(error.to_string(), "program: the point has length 2, expected 1");
}
