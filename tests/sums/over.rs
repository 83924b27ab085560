//! `sum_over`: one operation in any function, at every number type.

use std::cell::Cell;

use nalgebra::{Rotation3, Vector3};
use wengert::sums::sum_over;
use wengert::{Dual, Forward, Packed, Real, Reverse, SecondOrder, Var, prepare};
use wengert::{forward, gradient, hessian, hvp, jvp, reverse, value_and_gradient};

use super::{allocations, bytes, close, message};

const DATA: usize = 3000;

fn datum(i: usize) -> f64 {
    (i as f64 * 0.37).sin() + 1e-3 * i as f64
}

/// A term of three numbers, with a branch.
fn term<T: Real<Base = f64>>(p: &[T], x: f64) -> T {
    let y = (p[0] * x + p[1] * p[2]).sin() * p[2].exp();
    if y > 0.0 { y + (p[1] * x).powi(2) } else { y * p[0] }
}

fn by_terms<T: Real<Base = f64>>(p: &[T]) -> T {
    sum_over(p, 0..DATA, |p, i| term(p, datum(i))) * p[0] + p[1].cos()
}

fn whole<T: Real<Base = f64>>(p: &[T]) -> T {
    (0..DATA).map(|i| term(p, datum(i))).sum::<T>() * p[0] + p[1].cos()
}

const P: [f64; 3] = [0.7, -0.3, 0.4];

#[test]
fn every_operator_takes_a_sum() {
    let (value, g) = value_and_gradient(by_terms, &P);
    assert_eq!(value.to_bits(), whole(&P).to_bits());
    assert_eq!(by_terms(&P).to_bits(), value.to_bits());
    close(&g, &gradient(whole, &P));
    close(&forward::gradient(by_terms, &P), &g);
    let v = [0.3, 1.0, -2.0];
    close(&hvp(by_terms, &P, &v), &hvp(whole, &P, &v));
    close(hessian(by_terms, &P).as_slice(), hessian(whole, &P).as_slice());
    close(forward::hessian(by_terms, &P).as_slice(), hessian(whole, &P).as_slice());
    // Reverse over reverse, and a tape within forward mode.
    close(&gradient(|p| gradient(by_terms, p)[1], &P), &gradient(|p| gradient(whole, p)[1], &P));
    let along = |p: &[Var<f64>]| [p[0], p[1], p[2]].map(wengert::stop_gradient);
    let within = [
        gradient(|p: &[Var<f64>]| jvp(by_terms, p, &along(p)), &P),
        gradient(|p: &[Var<f64>]| jvp(whole, p, &along(p)), &P),
    ];
    close(&within[0], &within[1]);
}

#[test]
fn slices_iterators_and_ranges_are_data() {
    let rows: Vec<(f64, f64)> = (0..10).map(|i| (datum(i), 0.5)).collect();
    let expected = gradient(|p| (0..10).map(|i| term(p, datum(i)) * 0.5).sum::<Var<f64>>(), &P);
    close(&gradient(|p| sum_over(p, &rows, |p, &(x, w)| term(p, x) * w), &P), &expected);
    close(&gradient(|p| sum_over(p, 0..10, |p, i| term(p, rows[i].0) * rows[i].1), &P), &expected);
    let pairs = || rows.iter().filter(|(_, w)| *w > 0.0).copied();
    close(&gradient(|p| sum_over(p, pairs(), |p, (x, w)| term(p, x) * w), &P), &expected);
    let nothing: [f64; 0] = [];
    assert_eq!(value_and_gradient(|p| sum_over(p, &nothing, |p, &x| term(p, x)), &P), (0.0, [0.0; 3]));
    assert_eq!(gradient(|p| sum_over(p, 0..5, |_, i| Var::constant(i as f64)), &P), [0.0; 3]);
    // Ranges to the end of their type.
    let last = |p: &[Var<f64>]| sum_over(p, usize::MAX - 2..=usize::MAX, |p, i| p[0] * (i % 8) as f64);
    assert_eq!(gradient(last, &P), [5.0 + 6.0 + 7.0, 0.0, 0.0]);
}

#[test]
fn points_have_any_structure() {
    let data: Vec<Vector3<f64>> = (0..2000).map(|i| Vector3::new(datum(i), 1.0, datum(i + 7))).collect();
    let point = (Rotation3::from_euler_angles(0.3, -0.2, 0.9), vec![0.5, 0.25]);
    let term = |(r, w): &(Rotation3<Var<f64>>, Vec<Var<f64>>), x: &Vector3<f64>| {
        let y = r * x.map(Var::constant);
        (y[0] * w[0] + y[1] * y[2] * w[1]).sin()
    };
    let by_terms = gradient(|p| sum_over(p, &data, term), &point);
    let whole = gradient(|p| data.iter().map(|x| term(p, x)).sum::<Var<f64>>(), &point);
    close(by_terms.0.as_slice(), whole.0.as_slice());
    close(&by_terms.1, &whole.1);
}

#[test]
fn constants_stay_constants() {
    // A power of a negative number has a derivative if the exponent is a constant.
    let f = |p: &[Var<f64>]| sum_over(&(p[0], Var::constant(3.0)), 0..3, |(x, y), _| x.powf(*y));
    assert_eq!(gradient(f, &[-2.0]), [36.0]);
}

#[test]
fn a_shared_part_and_sums_in_sums() {
    let f = |p: &[Var<f64>], terms: bool| {
        let shared = (p[0].exp() * p[1], [p[2].sin(), p[2]]);
        let inner = |&(a, [b, c]): &(Var<f64>, [Var<f64>; 2]), i: usize| {
            let of = |x: &(Var<f64>, Var<f64>), j: usize| (x.0 * datum(j)).sin() * x.1;
            let sum = if terms {
                sum_over(&(a, c), i..i + 40, of)
            } else {
                (i..i + 40).map(|j| of(&(a, c), j)).sum()
            };
            sum * b
        };
        if terms { sum_over(&shared, 0..100, inner) } else { (0..100).map(|i| inner(&shared, i)).sum() }
    };
    close(&gradient(|p| f(p, true), &P), &gradient(|p| f(p, false), &P));
}

#[test]
fn prepared_operators_allocate_nothing_for_a_sum() {
    let mut g = [0.0; 3];
    let mut gradient = prepare::gradient(Reverse, &P);
    let mut run = || {
        gradient.of(by_terms).at(&P, &mut g).unwrap();
    };
    run();
    assert_eq!(allocations(run), 0);
    let p = vec![0.5; 40];
    let (mut g, mut h) = (vec![0.0; 40], vec![0.0; 1600]);
    let mut hessian = prepare::hessian(SecondOrder(Forward, Reverse), &p);
    let mut run = || {
        let f = |p: &[Var<Dual<f64>>]| sum_over(p, 0..300, |p, i| (p[i % 40] * p[(i + 1) % 40]).sin());
        hessian.of(f).at(&p, &mut g, &mut h).unwrap();
    };
    run();
    assert_eq!(allocations(run), 0);
    let mut packed = prepare::hessian(Packed::<3, 6>, &P);
    let (mut g, mut h) = ([0.0; 3], [0.0; 9]);
    packed.of(by_terms).at(&P, &mut g, &mut h).unwrap();
    close(&h, wengert::hessian(whole, &P).as_slice());
}

#[test]
fn memory_is_that_of_the_parameters_and_a_part() {
    let long = |n: usize| gradient(|p| sum_over(p, 0..n, |p, i| term(p, datum(i))), &P);
    reverse::release_memory();
    let short = bytes(|| assert!(long(1_000)[0] != 0.0));
    reverse::release_memory();
    let most = bytes(|| assert!(long(100_000)[0] != 0.0));
    reverse::release_memory();
    let all = |p: &[Var<f64>]| (0..100_000).map(|i| term(p, datum(i))).sum::<Var<f64>>();
    let whole = bytes(|| assert!(gradient(all, &P)[0] != 0.0));
    assert!(most <= short && 100 * most < whole, "{most} bytes, {short} of a short sum, {whole} on one tape");
}

#[test]
fn misuse_is_refused() {
    let stale = message(|| {
        let kept = Cell::new(None::<Var<f64>>);
        gradient(
            |p| {
                sum_over(p, 0..DATA, |p, i| match kept.get() {
                    None => {
                        kept.set(Some(p[0] * p[1]));
                        p[0]
                    }
                    // In the first part its tape is still open.
                    Some(old) if i > DATA / 2 => old * p[1],
                    Some(_) => term(p, datum(i)),
                })
            },
            &P,
        );
    });
    assert!(stale.contains("is closed or cleared"), "{stale}");
    assert!(stale.contains("return or send its value() instead"), "{stale}");
    let captured = message(|| {
        gradient(|p: &[Var<f64>]| sum_over(&p[..1], 0..3, |q, _| q[0] * p[1]), &P);
    });
    let advice = "a term of sum_over captures a variable of the function around it: pass it with the parameters of sum_over";
    assert!(captured.contains("variables of two tapes") && captured.contains(advice), "{captured}");
    let alone = message(|| {
        gradient(|p: &[Var<f64>]| sum_over(&p[..1], 0..3, |_, _| p[1]), &P);
    });
    assert!(alone.contains("a term of sum_over returned a variable of the function around it"), "{alone}");
    assert!(alone.contains("return a value of the variables that it was given"), "{alone}");
}

#[test]
fn a_panic_in_a_term_leaves_the_tape() {
    let tape = wengert::Tape::new();
    let x = tape.variables(&P);
    let text = message(|| {
        sum_over(&x[..], 0..DATA, |p, i| if i == 1234 { panic!("term {i}") } else { term(p, datum(i)) });
    });
    assert_eq!(text, "term 1234");
    let y = sum_over(&x[..], 0..DATA, |p, i| term(p, datum(i))) * x[0] + x[1].cos();
    close(&tape.cotangents(y).of_all(&x), &gradient(whole, &P));
}

#[test]
fn zeros_stop_infinities_as_on_one_tape() {
    // √(x² + y²) at 0 has the derivative 0 on a tape; of one term among many.
    let f = |p: &[Var<f64>], i: usize| {
        let (x, y) = (p[0] * i as f64, p[1] * i as f64);
        (x * x + y * y).sqrt() + p[2] * x
    };
    let x = [0.0, 0.0, 1.0];
    let whole = gradient(|p| (0..2000).map(|i| f(p, i)).sum::<Var<f64>>(), &x);
    assert!(whole.iter().all(|g| g.is_finite()));
    close(&gradient(|p| sum_over(p, 0..2000, f), &x), &whole);
    // An operation without a derivative with respect to an input stops infinite cotangents.
    let unread = gradient(|p| sum_over(p, 0..2000, |p, i| p[0] * i as f64).sqrt() + p[1], &[0.0_f64, 1.0]);
    assert_eq!(unread[1], 1.0);
    assert_eq!(unread[0].abs(), f64::INFINITY);
}

/// A term that cannot be traced: variables compare on every thread.
#[test]
fn comparisons_on_another_thread_are_taken() {
    let term = |p: &[Var<f64>], d: f64| {
        let x = p[0] * d;
        let is_large = std::thread::scope(|scope| scope.spawn(|| x > 1.0).join().unwrap());
        if is_large { x * x } else { x }
    };
    let data = [0.5, 1.5, 2.0];
    let g = gradient(|p: &[_]| sum_over(p, data, term), &[1.0][..]);
    assert_eq!(g, [0.5 + 2.0 * 1.5 * 1.5 + 2.0 * 2.0 * 2.0]);
}
