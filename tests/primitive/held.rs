//! Captured values of rules. The compiler refuses numbers with derivatives; the examples of `Passive` and `Rule` test
//! this.

use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::sync::Arc;

use wengert::primitive::{Passive, call, from_jvp_and_vjp, from_vjp};
use wengert::{ComplexVar, Dual, Tape, Var, gradient};

/// Whether a rule may hold values of a type. The compiler decides: an inherent constant shadows the constant of the
/// trait.
struct MayHold<T>(std::marker::PhantomData<T>);
trait Refused {
    const ANSWER: bool = false;
}
impl<T> Refused for MayHold<T> {}
impl<T: Passive> MayHold<T> {
    const ANSWER: bool = true;
}

macro_rules! may_hold {
    ($($T:ty),* $(,)?) => { [$(<MayHold<$T>>::ANSWER),*] };
}

/// None of the numbers may be held.
macro_rules! refuse {
    (() $($name:literal $N:ty;)+) => { $(assert!(!<MayHold<$N>>::ANSWER, "a rule may hold {}", $name);)+ };
}

#[test]
fn numbers_with_derivatives_are_told_from_others() {
    for_each_number!(kinds refuse ());
    for_each_number!(taped refuse ());
    for_each_number!(nested refuse ());
    for_each_number!(single refuse ());
    let refused = may_hold![
        ComplexVar<f64>,
        Dual<num_complex::Complex64>,
        num_complex::Complex<Dual<f64>>,
        [Var<f64>; 3],
        (u8, Option<Var<f64>>),
        Vec<Dual<f64>>,
        nalgebra::DMatrix<Var<f64>>,
        HashMap<String, Var<f64>>,
        Cell<Var<f64>>,
        RefCell<Vec<Var<f64>>>,
        wengert::check::Checked<Dual<f64>>,
    ];
    assert_eq!(refused, [false; 11]);
    let held = may_hold![
        f64,
        num_complex::Complex<f32>,
        Vec<f64>,
        nalgebra::DMatrix<f64>,
        Arc<RefCell<Vec<f64>>>,
        Arc<Vec<f64>>,
        Cell<usize>,
        Box<dyn Fn(f64) -> f64>,
        fn(f64) -> f64,
        std::sync::Mutex<f64>,
        &'static str,
        *const u8,
    ];
    assert_eq!(held, [true; 12]);
    fn still_shared<T: Send + Sync + Copy>() {}
    still_shared::<Var<f64>>();
    still_shared::<Dual<f64>>();
}

/// `.value()` before the rule is made holds a number constant. So does an `Rc`, whose contents nobody checks.
#[test]
fn values_are_constants() {
    let explicit = |p: &[Var<f64>]| {
        let a = p[0].value();
        let f = from_vjp("scaled", 1, move |x| vec![a * x[0][0]], move |_, w| vec![vec![a * w[0]]]);
        call(&f, &[&p[1..]]).unwrap()[0]
    };
    assert_eq!(gradient(explicit, &[2.0, 3.0]), [0.0, 2.0]);
    let hidden = |p: &[Var<f64>]| {
        let (a, b) = (Arc::new(p[0]), Arc::new(p[0]));
        let vjp = move |_: &[&[f64]], w: &[f64]| vec![vec![b.value() * w[0]]];
        let f = from_vjp("scaled", 1, move |x| vec![a.value() * x[0][0]], vjp);
        call(&f, &[&p[1..]]).unwrap()[0]
    };
    assert_eq!(gradient(hidden, &[2.0, 3.0]), [0.0, 2.0]);
    let argument = |p: &[Var<f64>]| {
        let f = from_jvp_and_vjp(
            "product",
            2,
            |x| vec![x[0][0] * x[1][0]],
            |x, dx| vec![dx[0][0] * x[1][0] + x[0][0] * dx[1][0]],
            |x, w| vec![vec![x[1][0] * w[0]], vec![x[0][0] * w[0]]],
        );
        call(&f, &[&p[..1], &p[1..]]).unwrap()[0]
    };
    assert_eq!(gradient(argument, &[2.0, 3.0]), [3.0, 2.0]);
}

/// A rule that hides a variable and computes with it in the sweep is detected there.
#[test]
fn a_hidden_variable_cannot_be_recorded_in_the_sweep() {
    let tape = Tape::new();
    let (a, b, x) = (tape.variable(2.0), tape.variable(5.0), tape.variable(3.0));
    let pair = Arc::new((a, b));
    let vjp = move |_: &[&[f64]], w: &[f64]| vec![vec![(pair.0 * pair.1).value() * w[0]]];
    let y = call(&from_vjp("scaled", 1, |x| vec![10.0 * x[0][0]], vjp), &[&[x]]).unwrap()[0];
    let text = super::errors::message(|| drop(tape.cotangents(y)));
    assert!(text.contains("a rule or a checkpointed segment captures a variable"), "{text}");
}
