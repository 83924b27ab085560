//! Passes over random programs: results stay, bit for bit.

use quickcheck::{TestResult, quickcheck};
use wengert::Real;
use wengert::programs::{Op, Passes, Program, Traced, trace, trace_as_written};

/// A function made of steps, each of which takes its operands from former values.
pub(super) fn random<T: Real<Base = f64>>(steps: &[(u8, u8, u8, u8)], x: &[T]) -> Vec<T> {
    let mut values = x.to_vec();
    values.extend([0.0, -0.0, 1.0, 2.5, f64::NAN, f64::INFINITY].map(T::lit));
    for &(code, a, b, c) in steps {
        let of = |i: u8| values[values.len() - 1 - usize::from(i) % values.len()];
        let (x, y, z) = (of(a), of(b), of(c));
        values.push(match code % 20 {
            0 | 1 => x + y,
            2 | 3 => x - y,
            4 | 5 => x * y,
            6 => x / y,
            7 => -x,
            8 => x.mul_add(y, z),
            9 => x.sin(),
            10 => x.sqrt(),
            11 => x.powi(i32::from(b % 5) - 2),
            12 => x.max(y),
            13 => x.min(y),
            14 => Real::select_less(x, y, y, z),
            15 => x.tanh(),
            16 => x.abs(),
            17 => x.hypot(y),
            18 => x.detach() + y,
            _ => x.powf(2.5),
        });
    }
    let len = values.len();
    values.split_off(len.saturating_sub(4))
}

fn same(a: &[f64], b: &[f64]) -> bool {
    a.iter().zip(b).all(|(a, b)| a.to_bits() == b.to_bits() || a.is_nan() && b.is_nan())
}

fn each_pass() -> [Passes; 6] {
    let none = Passes::NONE;
    [
        none,
        Passes { share: true, ..none },
        Passes { fold: true, ..none },
        Passes { dead: true, ..none },
        Passes { order: true, ..none },
        Passes::EXACT,
    ]
}

fn holds(steps: Vec<(u8, u8, u8, u8)>, x: (f64, f64)) -> TestResult {
    let (x, y) = ([x.0, x.1, 0.5], [0.25, -x.1, x.0]);
    let written = trace_as_written(|x: &[Traced]| random(&steps, x), &x);
    let shared = trace(|x: &[Traced]| random(&steps, x), &x);
    for at in [x, y, [0.0, -0.0, 1.0]] {
        let want = random(&steps, &at);
        let mut programs: Vec<Program> = each_pass().iter().map(|&p| written.optimized(p)).collect();
        programs.extend([written.clone(), shared.clone()]);
        for program in programs {
            let got = program.run(&at).unwrap();
            if !same(&got, &want) {
                return TestResult::error(format!("{at:?}: {got:?}, want {want:?}\n{written}\n{program}"));
            }
        }
    }
    TestResult::passed()
}

/// The derivative of the program as it is written and of the optimised one.
fn derivatives_agree(steps: Vec<(u8, u8, u8, u8)>, x: (f64, f64)) -> TestResult {
    let x = [x.0, x.1, 0.5];
    let written = trace_as_written(|x: &[Traced]| random(&steps, x), &x);
    let (a, b) = (written.jacobian().unwrap(), written.optimized(Passes::EXACT).jacobian().unwrap());
    let (a, b) = (a.run(&x).unwrap(), b.optimized(Passes::EXACT).run(&x).unwrap());
    // Zeros of either sign, and what is folded before or behind a law, may differ where a value is no number.
    let alike =
        |(a, b): (&f64, &f64)| a == b || (a - b).abs() <= 1e-9 * a.abs() || !a.is_finite() || !b.is_finite();
    let alike = a.iter().zip(&b).all(alike);
    if alike { TestResult::passed() } else { TestResult::error(format!("{a:?} {b:?}\n{written}")) }
}

#[test]
fn passes_leave_results_as_they_are() {
    let mut check = quickcheck::QuickCheck::new().tests(2000);
    check = check.max_tests(4000);
    check.quickcheck(holds as fn(Vec<(u8, u8, u8, u8)>, (f64, f64)) -> TestResult);
    check = quickcheck::QuickCheck::new().tests(300);
    check.quickcheck(derivatives_agree as fn(Vec<(u8, u8, u8, u8)>, (f64, f64)) -> TestResult);
}

quickcheck! {
    fn slots_are_not_shared_by_values_that_are_needed(steps: Vec<(u8, u8, u8, u8)>) -> bool {
        let program = trace(|x: &[Traced]| random(&steps, x), &[0.3, 0.7, 0.5]);
        let (slots, count) = program.slots();
        let mut held = vec![u32::MAX; count];
        let code = program.code();
        let reads_its_own = |(i, op): (usize, &Op)| {
            let fits = op.operands().all(|x| held[slots[x as usize] as usize] == x);
            held[slots[i] as usize] = i as u32;
            fits
        };
        let all = code.ops.iter().enumerate().map(reads_its_own).fold(true, |all, fits| all & fits);
        all && code.outputs.iter().all(|&y| held[slots[y as usize] as usize] == y)
    }
}

#[test]
fn nothing_is_folded_that_may_be_infinite() {
    let f = |x: &[Traced]| [x[0] * 0.0, x[0] - x[0], x[0] + 0.0, x[0] / x[0]];
    let exact = trace(f, &[1.0]).optimized(Passes::EXACT);
    assert!(exact.run(&[f64::INFINITY]).unwrap()[..2].iter().all(|y| y.is_nan()));
    assert!(exact.run(&[-0.0]).unwrap()[2].is_sign_positive());
    let fast = trace(f, &[1.0]).optimized(Passes::FAST);
    assert_eq!(fast.run(&[f64::INFINITY]).unwrap()[..2], [0.0, 0.0]);
    assert_eq!(fast.operations(), 1);
}

#[test]
fn equal_operations_stand_once_and_constants_by_their_bits() {
    let program = trace(
        |x: &[Traced]| {
            let (zero, nan) = (Traced::constant(0.0), Traced::constant(f64::NAN));
            [
                x[0] + zero,
                x[0] + -zero,
                x[0] * nan,
                x[0] * nan,
                x[1] * x[0],
                x[0] * x[1],
                x[0].powi(3),
                x[0].powi(3),
                x[0].powi(4),
            ]
        },
        &[2.0, 3.0],
    );
    assert_eq!(program.operations(), 5, "{program}");
    assert!(program.run(&[-0.0, 1.0]).unwrap()[1].is_sign_negative());
}

/// Signs move through products and into sums only where no bit of a result changes, signs of zeros among them.
#[test]
fn signs_move_where_no_bit_changes() {
    fn all<T: Real<Base = f64>>(x: &[T]) -> Vec<T> {
        let [a, b, c] = [x[0], x[1], T::lit(3.0)];
        vec![
            a + -b,
            -a + b,
            -a + -b,
            -a + -a,
            a - -b,
            -a - b,
            -a - -b,
            -a - a,
            -a * b,
            a * -b,
            -a * -b,
            -a * c,
            c * -a,
            -a / b,
            a / -b,
            -a / -b,
            -(a * -b),
            -(-a),
            -(a - b),
            -(a + b),
            a + -(b * c),
            b * c + -(a * c),
        ]
    }
    let values = [0.0, -0.0, 1.5, -2.5, 5e-324, f64::INFINITY, f64::NEG_INFINITY, f64::NAN];
    let program = trace(|x: &[Traced]| all(x), &[1.0, 2.0]);
    for x in values.iter().flat_map(|&a| values.map(|b| [a, b])) {
        let (got, want) = (program.run(&x).unwrap(), all(&x));
        assert!(same(&got, &want), "{x:?}: {got:?} instead of {want:?}");
    }
    // They do move: a sign before a term is a difference, two in a product are none.
    let result = |k: usize| program.code().ops[program.code().outputs[k] as usize];
    assert!(matches!(result(0), Op::Sub(0, 1)) && matches!(result(10), Op::Mul(0, 1)));
}
