//! Misused variables: always a panic, with a message that explains what to do.

use std::panic::{AssertUnwindSafe, catch_unwind};
use wengert::{Dual, Real, Tape, Var, gradient, reverse, vjp};

/// The message of the panic in `f`.
fn message(f: impl FnOnce()) -> String {
    let payload = catch_unwind(AssertUnwindSafe(f)).expect_err("a panic");
    let text = payload.downcast_ref::<String>().cloned();
    text.or_else(|| payload.downcast_ref::<&str>().map(|s| s.to_string())).expect("a message")
}

/// After any panic the thread's tapes work as before.
fn still_right() {
    assert_eq!(gradient(|x| (x[0] * x[1]).sin(), &[0.0, 2.0]), [2.0, 0.0]);
}

#[test]
fn an_outer_variable_in_an_inner_gradient_of_the_same_type() {
    let f = |x: &[Var<f64>]| {
        let g = gradient(|y: &[Var<f64>]| y[0] * x[0], &[2.0]);
        x[0] * g[0]
    };
    let text = message(|| _ = gradient(f, &[3.0]));
    assert!(text.contains("meet in one operation") && text.contains("Var::constant(x.value())"), "{text}");
    still_right();
    // Returned unchanged: not on the inner tape.
    let f = |x: &[Var<f64>]| Var::constant(gradient(|_: &[Var<f64>]| x[0], &[2.0])[0]);
    let text = message(|| _ = gradient(f, &[3.0]));
    assert!(text.contains("belongs to tape"), "{text}");
    still_right();
}

/// Every operation that records, with a variable of another tape on either side, and the seed.
#[test]
fn a_leaked_variable() {
    let mut leaked = Var::constant(0.0);
    gradient(
        |x: &[Var<f64>]| {
            leaked = x[0];
            x[0] * x[0]
        },
        &[3.0],
    );
    let closed = |text: String| assert!(text.contains("closed or cleared"), "{text}");
    closed(message(|| _ = gradient(|x| x[0] * leaked, &[1.0])));
    closed(message(|| _ = gradient(|x| leaked - x[0], &[1.0])));
    closed(message(|| _ = gradient(|x| leaked.atan2(x[0]), &[1.0])));
    closed(message(|| _ = gradient(|x| x[0] / leaked, &[1.0])));
    closed(message(|| _ = gradient(|x| x[0].powf(leaked), &[1.0])));
    closed(message(|| _ = gradient(|x| [x[0], leaked].into_iter().sum(), &[1.0])));
    closed(message(|| _ = gradient(|x| wengert::reduce::dot(&[x[0]], &[leaked]), &[1.0])));
    closed(message(|| _ = gradient(|_| leaked, &[1.0])));
    closed(message(|| _ = vjp(|x: &[Var<f64>]| [x[0], leaked], &[1.0], &[1.0, 1.0])));
    closed(message(|| _ = Tape::new().cotangents(leaked * 2.0)));
    let shared = |x: &[Var<f64>]| reverse::checkpoint(|x| vec![x[0] * x[1]], &[x[0], leaked])[0];
    closed(message(|| _ = gradient(shared, &[1.0])));
    still_right();
}

#[test]
fn two_leaked_variables_of_one_closed_tape() {
    let pair = {
        let tape = Tape::new();
        tape.variables(&[1.0, 2.0])
    };
    let text = message(|| _ = pair[0] * pair[1]);
    assert!(text.contains("closed or cleared"), "{text}");
    // Without a recording nothing is noticed, and nothing can be done with the result.
    let passed = pair[0].sin();
    assert!(message(|| _ = passed * pair[1]).contains("closed"));
}

#[test]
fn a_cleared_tape() {
    let mut tape = Tape::new();
    let x = tape.variable(2.0);
    tape.clear();
    let y = tape.variable(3.0);
    assert!(message(|| _ = x * y).contains("closed or cleared"));
    assert!(message(|| _ = tape.cotangents(x)).contains("closed or cleared"));
    assert_eq!(tape.cotangents(y * y).of(y), 6.0);
}

#[test]
fn another_thread() {
    let tape = Tape::new();
    let (x, y) = (tape.variable(2.0), tape.variable(3.0));
    let text = std::thread::spawn(move || message(|| _ = x * y)).join().unwrap();
    assert!(text.contains("another thread"), "{text}");
    // With an open tape of that thread as well.
    let text = std::thread::spawn(move || message(|| _ = gradient(|z| z[0] * x, &[1.0]))).join().unwrap();
    assert!(text.contains("another thread"), "{text}");
    // Values travel freely.
    let z = std::thread::spawn(move || x.sin().value()).join().unwrap();
    assert_eq!(z, 2f64.sin());
    assert_eq!(tape.cotangents(x * y).of(x), 3.0);
}

#[test]
fn a_panic_within_the_function_leaves_the_tapes_usable() {
    for _ in 0..100 {
        let f = |x: &[Var<f64>]| -> Var<f64> {
            let y = x.iter().copied().sum::<Var<f64>>() * x[0];
            assert!(y.value() < 0.0, "in the function");
            y
        };
        assert_eq!(message(|| _ = gradient(f, &[1.0; 9])), "in the function");
    }
    still_right();
}

#[test]
fn a_panic_within_the_sweep_leaves_the_tapes_usable() {
    let run = std::cell::Cell::new(0);
    let run: &'static std::cell::Cell<i32> = Box::leak(Box::new(run));
    let segment = move |x: &[Var<f64>]| {
        run.set(run.get() + 1);
        assert!(run.get() < 2, "in the second run");
        vec![x[0] * x[1]]
    };
    let tape = Tape::new();
    let x = tape.variables(&[2.0, 3.0]);
    let y = reverse::checkpoint(segment, &x)[0] + x[0];
    assert_eq!(message(|| _ = tape.cotangents(y)), "in the second run");
    // The same tape sweeps again, with clean cotangents.
    assert_eq!(tape.cotangents(x[0] * x[1]).of_all(&x), [3.0, 2.0]);
    still_right();
}

#[test]
fn too_many_tapes() {
    let tapes: Vec<Tape<f64>> = (0..256).map(|_| Tape::new()).collect();
    assert!(message(|| drop(Tape::<f64>::new())).contains("256 tapes are open"));
    assert!(message(|| drop(Tape::<wengert::Dual<f64>>::new())).contains("drop tapes"));
    let x: Vec<Var<f64>> = tapes.iter().map(|t| t.variable(2.0)).collect();
    for (tape, &x) in tapes.iter().zip(&x) {
        assert_eq!(tape.cotangents(x * x).of(x), 4.0);
    }
    drop(tapes);
    still_right();
}

/// The derivative with respect to something that is no input: the message, and its location.
#[test]
#[track_caller]
fn inputs_that_are_none() {
    let (tape, other) = (Tape::new(), Tape::new());
    let (x, y, foreign) = (tape.variable(2.0), tape.variable(3.0), other.variable(1.0));
    let dz = tape.cotangents(x * y);
    assert!(message(|| _ = dz.of(Var::constant(1.0))).contains("with respect to a constant"));
    assert!(message(|| _ = dz.of_all(&[x, foreign])).contains("with respect to a variable of tape"));
    assert!(message(|| _ = dz.of(x * y)).contains("with respect to a computed value"));
    assert!(message(|| _ = dz.of(x * 2.0)).contains("with respect to a computed value"));
    assert_eq!(dz.of(x + 1.0), 3.0, "the same derivative");
    let line = std::rc::Rc::new(std::cell::Cell::new(0));
    let seen = std::sync::Arc::new(std::sync::atomic::AtomicU32::new(0));
    let (hook, at) = (std::panic::take_hook(), seen.clone());
    std::panic::set_hook(Box::new(move |info| {
        let here = info.location().filter(|l| l.file().ends_with("misuse.rs") && l.file().contains("tests"));
        at.store(here.map_or(0, |l| l.line()), std::sync::atomic::Ordering::SeqCst);
    }));
    line.set(line!() + 1);
    let _ = catch_unwind(AssertUnwindSafe(|| dz.of(foreign)));
    std::panic::set_hook(hook);
    assert_eq!(seen.load(std::sync::atomic::Ordering::SeqCst), line.get(), "the caller's line");
}

/// A tape has one number in all texts: its own, and the texts of its variables, its cotangents and panics.
#[test]
fn one_number_for_a_tape() {
    let tapes = [Tape::new(), Tape::new(), Tape::new()];
    let [x, y, z]: [Var<f64>; 3] = [0, 1, 2].map(|i| tapes[i].variable(1.0));
    let number = |text: String, before: &str| -> u32 {
        let rest = text.split(before).nth(1).unwrap_or_else(|| panic!("{before:?} in {text}"));
        rest.chars().take_while(char::is_ascii_digit).collect::<String>().parse().unwrap()
    };
    let names = [0, 1, 2].map(|i| number(format!("{:?}", tapes[i]), "number: "));
    assert_eq!([x, y, z].map(|v| number(format!("{v:?}"), "of tape ")), names);
    assert_eq!(number(format!("{:?}", tapes[1].cotangents(y)), "tape: "), names[1]);
    let text = message(|| _ = x * z);
    assert_eq!([number(text.clone(), "numbers "), number(text, " and ")], [names[0], names[2]]);
    let text = message(|| _ = tapes[1].cotangents(z));
    assert_eq!(
        [number(text.clone(), "belongs to tape "), number(text, "taken on tape ")],
        [names[2], names[1]]
    );
    let cotangents = tapes[0].cotangents(x);
    let text = message(|| _ = cotangents.of(y));
    assert_eq!(
        [number(text.clone(), "variable of tape "), number(text, "taken on tape ")],
        [names[1], names[0]]
    );
    drop(tapes);
    assert_eq!(number(message(|| _ = x * z), "(number "), names[0]);
}

#[test]
fn threads_differentiate_at_once() {
    fn f<T: Real<Base = f64>>(x: &[T]) -> T {
        x.windows(2).map(|w| (w[0] * w[1]).sin()).sum()
    }
    let x: Vec<f64> = (0..200).map(|i| i as f64 * 0.01).collect();
    let want = gradient(|x: &[Var<f64>]| f(x), &x[..]);
    let run = || (0..50).map(|_| gradient(|x: &[Var<f64>]| f(x), &x[..])).all(|g| g == want);
    std::thread::scope(|scope| {
        let threads: Vec<_> = (0..4).map(|_| scope.spawn(run)).collect();
        threads.into_iter().for_each(|t| assert!(t.join().unwrap()));
    });
}

#[test]
fn tapes_in_any_order_of_closing() {
    let (a, b, c) = (Tape::new(), Tape::new(), Tape::new());
    let (x, y, z) = (a.variable(1.0), b.variable(2.0), c.variable(3.0));
    drop(b);
    assert_eq!((a.cotangents(x * x).of(x), c.cotangents(z * z).of(z)), (2.0, 6.0));
    drop(a);
    let d = Tape::new();
    let w = d.variable(4.0);
    assert!(message(|| _ = y * w).contains("closed") && message(|| _ = x * z).contains("closed"));
    assert!(message(|| _ = w * z).contains("two tapes of yours"));
    assert_eq!(d.cotangents(w * w).of(w), 8.0);
    wengert::reverse::release_memory();
    assert_eq!(c.cotangents(z * z).of(z), 6.0);
}

#[test]
fn rests_of_numbers_that_share_a_slot() {
    // Threads that end give back their unused numbers: here one each, 4096 apart, all for one slot.
    for _ in 0..40 {
        let use_up = || (0..4095).for_each(|_| drop(Tape::<Dual<f32>>::new()));
        std::thread::spawn(use_up).join().unwrap();
    }
    let run = || {
        let tapes: Vec<Tape<Dual<f32>>> = (0..40).map(|_| Tape::new()).collect();
        tapes.iter().for_each(|t| assert_eq!(t.stats().nodes, 0));
    };
    std::thread::spawn(run).join().unwrap();
}
