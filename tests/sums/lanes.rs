//! Tests of the functions of sixteen numbers: their errors against 192 bits, and special numbers.

use astro_float_num::{BigFloat, Consts, RoundingMode};
use wengert::programs::{Program, Traced, trace};
use wengert::sums::{LeastSquares, Table};

/// The number of rows that run together.
const LANES: usize = 16;
type Line = [f64; LANES];

const BITS: usize = 192;
const NEAR: RoundingMode = RoundingMode::None;

/// A function or its derivative, as a program and with many digits, the domain of random arguments, and the largest error
/// in units of the last place.
struct Case {
    name: &'static str,
    program: fn() -> Program,
    exact: fn(&BigFloat, &mut Consts) -> BigFloat,
    domain: [f64; 2],
    ulps: f64,
}

fn cases() -> Vec<Case> {
    macro_rules! case {
        ($name:ident $ulps:literal in $domain:expr, |$x:ident, $c:ident| $exact:expr) => {
            case!($name 0, $ulps in $domain, |$x, $c| $exact)
        };
        ($name:ident $order:literal, $ulps:literal in $domain:expr, |$x:ident, $c:ident| $exact:expr) => {
            Case {
                name: concat!(stringify!($name), " ", $order),
                program: || derived(|x| x.$name(), $order),
                exact: |$x, $c| $exact,
                domain: $domain,
                ulps: $ulps,
            }
        };
    }
    fn one() -> BigFloat {
        BigFloat::from_f64(1.0, BITS)
    }
    fn plus_one(x: &BigFloat) -> BigFloat {
        x.add(&one(), 2 * BITS, NEAR)
    }
    fn exp(x: &BigFloat, c: &mut Consts) -> BigFloat {
        x.exp(BITS, NEAR, c)
    }
    fn over(x: &BigFloat, y: &BigFloat) -> BigFloat {
        x.div(y, BITS, NEAR)
    }
    fn sech2(x: &BigFloat, c: &mut Consts) -> BigFloat {
        let cosh = x.cosh(BITS, NEAR, c);
        over(&one(), &cosh.mul(&cosh, BITS, NEAR))
    }
    /// `(a + bt²)·sech² x`, with a factor `t = tanh x` where the derivative of `tanh` is odd.
    fn of_tanh(x: &BigFloat, [a, b]: [f64; 2], is_odd: bool, c: &mut Consts) -> BigFloat {
        let [a, b] = [a, b].map(|c| BigFloat::from_f64(c, BITS));
        let t = x.tanh(BITS, NEAR, c);
        let times = |x: &BigFloat, y: &BigFloat| x.mul(y, BITS, NEAR);
        let even = times(&a.add(&times(&b, &times(&t, &t)), BITS, NEAR), &sech2(x, c));
        if is_odd { times(&t, &even) } else { even }
    }
    vec![
        case!(exp 1.0 in [-700.0, 700.0], |x, c| exp(x, c)),
        case!(exp 1.0 in [-2.0, 2.0], |x, c| exp(x, c)),
        case!(ln 1.0 in [0.0, 3.0], |x, c| x.ln(BITS, NEAR, c)),
        case!(ln 1.0 in [0.9, 1.1], |x, c| x.ln(BITS, NEAR, c)),
        case!(ln_1p 1.0 in [-0.99, 3.0], |x, c| plus_one(x).ln(BITS, NEAR, c)),
        case!(ln_1p 1.0 in [-0.1, 0.1], |x, c| plus_one(x).ln(BITS, NEAR, c)),
        case!(tanh 1.0 in [-3.0, 3.0], |x, c| x.tanh(BITS, NEAR, c)),
        case!(tanh 1.0 in [-0.7, 0.7], |x, c| x.tanh(BITS, NEAR, c)),
        case!(tanh 1.0 in [0.5, 0.6], |x, c| x.tanh(BITS, NEAR, c)),
        case!(tanh 1.0 in [3.0, 20.0], |x, c| x.tanh(BITS, NEAR, c)),
        case!(ln 1.0 in [3.0, 1e300], |x, c| x.ln(BITS, NEAR, c)),
        case!(ln_1p 1.0 in [3.0, 1e300], |x, c| plus_one(x).ln(BITS, NEAR, c)),
        case!(sin 1.0 in [-9.0, 9.0], |x, c| x.sin(BITS, NEAR, c)),
        case!(sin 1.0 in [-9e5, 9e5], |x, c| x.sin(BITS, NEAR, c)),
        case!(cos 1.0 in [-9.0, 9.0], |x, c| x.cos(BITS, NEAR, c)),
        case!(cos 1.0 in [-9e5, 9e5], |x, c| x.cos(BITS, NEAR, c)),
        case!(softplus 2.0 in [-40.0, 40.0], |x, c| plus_one(&exp(x, c)).ln(BITS, NEAR, c)),
        case!(softplus 2.0 in [40.0, 708.0], |x, c| plus_one(&exp(x, c)).ln(BITS, NEAR, c)),
        case!(sigmoid 2.6 in [-40.0, 40.0], |x, c| over(&one(), &plus_one(&exp(&x.neg(), c)))),
        case!(sigmoid 2.6 in [-700.0, -40.0], |x, c| over(&one(), &plus_one(&exp(&x.neg(), c)))),
        case!(sech2 3.2 in [-9.0, 9.0], |x, c| sech2(x, c)),
        case!(sech2 3.2 in [9.0, 300.0], |x, c| sech2(x, c)),
        case!(tanh 1, 3.2 in [-9.0, 9.0], |x, c| sech2(x, c)),
        case!(tanh 2, 4.5 in [-9.0, 9.0], |x, c| of_tanh(x, [-2.0, 0.0], true, c)),
        case!(sech2 1, 4.5 in [1.5, 1.8], |x, c| of_tanh(x, [-2.0, 0.0], true, c)),
        case!(tanh 3, 6.5 in [-9.0, 9.0], |x, c| of_tanh(x, [-2.0, 6.0], false, c)),
        case!(sech2 2, 6.5 in [0.658, 0.659], |x, c| of_tanh(x, [-2.0, 6.0], false, c)),
        case!(tanh 4, 9.5 in [-9.0, 9.0], |x, c| of_tanh(x, [16.0, -24.0], true, c)),
        case!(tanh 4, 9.5 in [0.31, 0.32], |x, c| of_tanh(x, [16.0, -24.0], true, c)),
        case!(sech2 3, 9.5 in [-1.147, -1.146], |x, c| of_tanh(x, [16.0, -24.0], true, c)),
    ]
}

fn error(exact: &BigFloat, y: f64) -> f64 {
    let error = exact.sub(&BigFloat::from_f64(y, BITS), BITS, NEAR);
    error.to_string().parse::<f64>().unwrap().abs()
}

fn ulp(y: f64) -> f64 {
    y.abs().next_up() - y.abs()
}

/// The derivative of a function.
fn derived(f: fn(Traced) -> Traced, order: usize) -> Program {
    let program = trace(|x: &[Traced]| f(x[0]), &[0.5]);
    (0..order).fold(program, |program, _| program.gradient().unwrap())
}

/// The results of a program at rows of data, sixteen at a time. Each is the derivative of a product with a parameter that
/// only its row reads, so the rows keep all bits.
fn at_rows<const K: usize>(program: &Program, rows: &[[f64; K]]) -> Vec<Vec<f64>> {
    let (m, count) = (program.outputs(), rows.len() * program.outputs());
    let table = Table::from(rows).reading(|i| m * i..m * (i + 1));
    let products = |w: &[Traced], x: &[Traced]| {
        let y = program.call(x).unwrap();
        w.iter().zip(y).map(|(&w, y)| w * y).reduce(|sum, product| sum + product).unwrap()
    };
    let mut squares = LeastSquares::new(count, table, products).unwrap();
    let (_, j) = squares.jacobian(&vec![1.0; count][..]).unwrap();
    j.values().chunks(m).map(<[f64]>::to_vec).collect()
}

/// A program of one number and one result, at lines.
fn at_lines(program: Program) -> impl Fn(Line) -> Line {
    move |x| {
        let y = at_rows(&program, &x.map(|x| [x]));
        std::array::from_fn(|lane| y[lane][0])
    }
}

#[test]
fn functions_err_by_no_more_than_they_say() {
    let mut constants = Consts::new().unwrap();
    let mut random = fastrand::Rng::with_seed(3);
    for Case { name, program, exact, domain: [low, high], ulps } in cases() {
        let (run, mut worst) = (at_lines(program()), 0.0_f64);
        for _ in 0..40 {
            let x: Line = std::array::from_fn(|_| low + (high - low) * random.f64());
            for (x, y) in x.into_iter().zip(run(x)) {
                let exact = exact(&BigFloat::from_f64(x, BITS), &mut constants);
                worst = worst.max(error(&exact, y) / ulp(y));
            }
        }
        assert!(worst <= ulps, "{name} in {low}..{high} errs by {worst} ulp");
        println!("{name} {low} {high}: {worst}");
    }
}

#[test]
fn special_numbers_have_the_values_of_the_rules() {
    let tiny = f64::from_bits(1);
    let x = [
        0.0,
        -0.0,
        tiny,
        -tiny,
        1e-310,
        f64::MIN_POSITIVE,
        f64::INFINITY,
        f64::NEG_INFINITY,
        f64::NAN,
        -1.0,
        f64::MAX,
        f64::MIN,
        709.9,
        -745.0,
        1e22,
        // Near a multiple of π/2.
        6_381_956_970_095_103.0 * 2.0_f64.powi(797),
    ];
    for Case { name, program, ulps, .. } in cases() {
        let of_rule = program();
        let values = at_lines(of_rule.clone())(x).map(f64::to_bits);
        let expected = x.map(|x| of_rule.run(&[x]).unwrap()[0].to_bits());
        for ((x, value), expected) in x.into_iter().zip(values).zip(expected) {
            let [y, want] = [value, expected].map(f64::from_bits);
            // The ordinary number −1 is outside of the domain of logarithms.
            let near = x == -1.0 && (y - want).abs() <= ulps * ulp(want);
            assert!(value == expected || y.is_nan() && want.is_nan() || near, "{name} at {x}: {y}");
        }
    }
}

#[test]
fn a_number_has_one_value_in_each_lane() {
    for Case { name, program, .. } in cases() {
        let (run, x) = (at_lines(program()), [0.3, 1.7, 2e9, 0.0]);
        let at = |lane: usize| x[(lane * 7 + lane / 4) % 4];
        let together = run(std::array::from_fn(at));
        for (lane, value) in together.into_iter().enumerate() {
            assert_eq!(run([at(lane); LANES])[0].to_bits(), value.to_bits(), "{name} at {}", at(lane));
        }
    }
}

/// A function of two numbers with its first and second partials, at lines: f, f₁, f₂, then the derivatives of these three
/// in each variable.
#[allow(clippy::type_complexity)]
fn with_partials(f: fn(Traced, Traced) -> Traced) -> (Program, impl Fn([Line; 2]) -> [Line; 9]) {
    let first = trace(|x: &[Traced]| f(x[0], x[1]), &[0.5, 0.7]).value_and_gradient().unwrap();
    let program = first.value_and_jacobian().unwrap();
    let at_rows = {
        let program = program.clone();
        move |[x, y]: [Line; 2]| {
            let rows: [[f64; 2]; LANES] = std::array::from_fn(|lane| [x[lane], y[lane]]);
            let all = at_rows(&program, &rows);
            std::array::from_fn(|k| std::array::from_fn(|lane| all[lane][k]))
        }
    };
    (program, at_rows)
}

#[test]
fn functions_of_two_numbers_err_by_no_more_than_they_say() {
    let mut random = fastrand::Rng::with_seed(5);
    let (length, lengths) = with_partials(|x, y| x.hypot(y));
    let (_, angles) = with_partials(|y, x| y.atan2(x));
    // The length and its partials, then the partials of the angle.
    let mut worst = [0.0_f64; 10];
    // Pairs with large errors, then random ones.
    let hard = [
        [1.005_660_035_250_803_8, 0.130_417_075_283_867_28],
        [1.013_155_125_262_855, 0.247_744_128_124_094_88],
        [1.000_251_160_081_751_9, 0.165_690_026_081_571_7],
        [1.001_013_908_652_125_7, 1.002_498_674_206_939_5],
    ];
    for block in 0..200 {
        let [x, y] = [0, 1].map(|k| -> Line {
            let mut any = |_| (random.f64() - 0.5) * 2.0_f64.powi(random.i32(-20..20));
            std::array::from_fn(|lane| if block == 0 { hard[lane % 4][k] } else { any(lane) })
        });
        let ([f, _, _, fx, _, xx, xy, _, yy], [_, _, _, ay, ax, ayy, ayx, _, axx]) =
            (lengths([x, y]), angles([y, x]));
        for lane in 0..LANES {
            let [x, y] = [x[lane], y[lane]].map(|x| BigFloat::from_f64(x, BITS));
            let times = |x: &BigFloat, y: &BigFloat| x.mul(y, BITS, NEAR);
            let sum = times(&x, &x).add(&times(&y, &y), BITS, NEAR);
            let r = sum.sqrt(BITS, NEAR);
            let over = |x: &BigFloat, y: &BigFloat| x.div(y, BITS, NEAR);
            let (cube, fourth) = (times(&sum, &r), times(&sum, &sum));
            let turned = over(&times(&times(&x, &y), &BigFloat::from_f64(2.0, BITS)), &fourth);
            let exact = [
                r.clone(),
                over(&x, &r),
                over(&times(&y, &y), &cube),
                over(&times(&x, &y).neg(), &cube),
                over(&times(&x, &x), &cube),
                over(&x, &sum),
                over(&y.neg(), &sum),
                turned.neg(),
                over(&times(&y, &y).sub(&times(&x, &x), BITS, NEAR), &fourth),
                turned,
            ];
            for (k, y) in [f, fx, xx, xy, yy, ay, ax, ayy, ayx, axx].into_iter().enumerate() {
                worst[k] = worst[k].max(error(&exact[k], y[lane]) / ulp(y[lane]));
            }
        }
    }
    println!("{worst:?}");
    let most = [1.21, 2.5, 4.0, 4.0, 4.0, 2.5, 2.5, 5.0, 5.0, 5.0];
    assert!(worst.iter().zip(most).all(|(worst, most)| *worst <= most), "{worst:?}");
    // These are the functions of lines, in each lane, and not the rules.
    let [x, y] = hard[0];
    let (lines, sum) = (lengths([[x; LANES], [y; LANES]]), x * x + y * y);
    let rule = length.run(&[x, y]).unwrap();
    assert!(lines[3] == [x / sum.sqrt(); LANES] && lines[3][0] != rule[3]);
    assert!(lines[5] == [y * y / sum / sum.sqrt(); LANES] && lines[5][0] != rule[5]);
}

#[test]
fn partials_of_powers_err_by_no_more_than_they_say() {
    let mut random = fastrand::Rng::with_seed(7);
    let mut constants = Consts::new().unwrap();
    let (_, powers) = with_partials(|x, y| x.powf(y));
    let mut worst = [0.0_f64; 5];
    for _ in 0..200 {
        let x: Line = std::array::from_fn(|_| 2.0_f64.powf(12.0 * (random.f64() - 0.5)));
        let y: Line = std::array::from_fn(|_| 10.0 * (random.f64() - 0.5));
        let [_, _, _, fx, fy, xx, xy, _, yy] = powers([x, y]);
        for lane in 0..LANES {
            let [one, x, y] = [1.0, x[lane], y[lane]].map(|x| BigFloat::from_f64(x, BITS));
            let times = |x: &BigFloat, y: &BigFloat| x.mul(y, BITS, NEAR);
            let over = |y: &BigFloat| y.div(&x, BITS, NEAR);
            let (f, log) = (x.pow(&y, BITS, NEAR, &mut constants), x.ln(BITS, NEAR, &mut constants));
            let slope = over(&times(&y, &f));
            let sum = one.add(&times(&y, &log), BITS, NEAR);
            let exact = [
                slope.clone(),
                times(&f, &log),
                over(&times(&slope, &y.sub(&one, BITS, NEAR))),
                over(&times(&f, &sum)),
                times(&times(&f, &log), &log),
            ];
            // A sum that cancels errs by ulps of its terms.
            let terms = one.add(&times(&y, &log).abs(), BITS, NEAR).div(&sum.abs(), BITS, NEAR);
            let terms: f64 = terms.to_string().parse().unwrap();
            for (k, y) in [fx, fy, xx, xy, yy].into_iter().enumerate() {
                let unit = ulp(y[lane]) * if k == 3 { terms } else { 1.0 };
                worst[k] = worst[k].max(error(&exact[k], y[lane]) / unit);
            }
        }
    }
    println!("{worst:?}");
    assert!(worst.iter().zip([2.5, 2.5, 4.0, 4.0, 4.0]).all(|(worst, most)| *worst <= most), "{worst:?}");
}

#[test]
fn derivatives_of_integer_powers_are_exact() {
    let (_, powers) = with_partials(|x, y| x.powf(y));
    let x: Line = std::array::from_fn(|lane| 0.3 + lane as f64 * 0.7);
    let [_, _, _, slope, _, curvature, ..] = powers([x, [2.0; LANES]]);
    assert_eq!((slope, curvature), (x.map(|x| 2.0 * x), [2.0; LANES]));
    let [_, _, _, slope, _, curvature, ..] = powers([x.map(|x| -x), [3.0; LANES]]);
    assert_eq!((slope, curvature), (x.map(|x| 3.0 * (x * x)), x.map(|x| -6.0 * x)));
}

#[test]
fn special_pairs_have_the_values_of_the_rules() {
    let x: Line = [
        0.0,
        -0.0,
        5e-324,
        1e-310,
        1e-200,
        1e-146,
        -1e-145,
        1e150,
        1e155,
        -1e300,
        f64::MAX,
        f64::INFINITY,
        f64::NEG_INFINITY,
        f64::NAN,
        -1.0,
        3.0,
    ];
    // Exponents, and numbers whose products with others underflow where sums of squares do not.
    let exponents: Line = [
        0.0, -0.0, 1.0, 2.0, 3.0, -1.0, -2.0, 0.5, -0.5, 2.5, 1e-31, -1e-300, 1e11, 1e-100, 1e-200, 1.5e-145,
    ];
    let all: [fn(Traced, Traced) -> Traced; 3] = [|x, y| x.hypot(y), |y, x| y.atan2(x), |x, y| x.powf(y)];
    for (f, is_power) in all.into_iter().zip([false, false, true]) {
        let (program, run) = with_partials(f);
        for (shift, others) in (0..LANES).flat_map(|shift| [(shift, x), (shift, exponents)]) {
            let y: Line = std::array::from_fn(|lane| others[(lane + shift) % LANES]);
            let values = run([x, y]);
            for lane in 0..LANES {
                let expected = program.run(&[x[lane], y[lane]]).unwrap();
                // The mixed partial of a power is a sum that may cancel.
                let term = if is_power { (expected[0] / x[lane]).abs() } else { 0.0 };
                let values = values.iter().map(|line| line[lane]);
                for (k, (value, expected)) in values.zip(expected).enumerate() {
                    let equal = value == expected || value.is_nan() && expected.is_nan();
                    let size = expected.abs().max(if k == 6 || k == 7 { term } else { 0.0 });
                    let near = (value - expected).abs() <= 4.0 * f64::EPSILON * size;
                    let signs = value != 0.0 || value.is_sign_negative() == expected.is_sign_negative();
                    let at = [x[lane], y[lane]];
                    assert!((equal || near) && signs, "{value} for {expected} at {at:?}");
                }
            }
        }
    }
}
