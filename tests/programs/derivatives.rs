//! Programs of derivatives, to order four and in all nestings.

use wengert::programs::{LinearOp, Program, Traced, trace};
use wengert::{AdError, Dual, Real, Var, gradient};

fn close(got: f64, want: f64, by: f64) {
    assert!((got - want).abs() <= by * want.abs().max(1e-300), "{got} {want}");
}

/// The derivative of the last result along the last input, forwards or backwards, as the only new result.
fn slope(program: &Program, forward: bool) -> Program {
    if forward { program.jacobian().unwrap() } else { program.gradient().unwrap() }
}

/// All orders of nesting: bit k of `mode` says whether pass k is forward.
fn nested(program: &Program, order: usize, mode: usize) -> Program {
    (0..order).fold(program.clone(), |p, k| {
        if mode >> k & 1 == 1 {
            // Forward: a tangent of 1 through the program of the Jacobian-vector product.
            let jvp = p.jvp().unwrap();
            seeded(&jvp)
        } else {
            slope(&p, false)
        }
    })
}

/// The tangent of a program `(x, v) ↦ (f, f′v)` at v = 1, retraced as a function of x.
fn seeded(jvp: &Program) -> Program {
    trace(|x: &[Traced]| jvp.call(&[x[0], Traced::constant(1.0)]).unwrap()[1], &[1.3])
}

#[test]
fn the_fourth_power_has_four_derivatives_in_all_nestings() {
    let program = trace(|x: &[Traced]| x[0] * x[0] * x[0] * x[0], &[1.3]);
    for mode in 0..16 {
        for (order, want) in [(1, 4.0 * 8.0), (2, 12.0 * 4.0), (3, 24.0 * 2.0), (4, 24.0)] {
            assert_eq!(nested(&program, order, mode).run(&[2.0]).unwrap(), [want], "{mode} {order}");
        }
        assert_eq!(nested(&program, 5, mode).run(&[2.0]).unwrap(), [0.0]);
    }
}

#[test]
fn the_exponential_has_its_derivatives_in_all_nestings() {
    let (a, x) = (0.7, 1.3);
    let program = trace(|x: &[Traced]| (x[0] * a).exp(), &[1.3]);
    for mode in 0..8 {
        let third = nested(&program, 3, mode);
        close(third.run(&[x]).unwrap()[0], 0.852_122_628_950_991_2, 1e-14);
    }
    let fourth = nested(&program, 4, 0b0101);
    close(fourth.run(&[x]).unwrap()[0], a.powi(4) * (a * x).exp(), 1e-14);
    // The exponential appears once.
    let both = program.value_and_gradient().unwrap();
    assert_eq!(both.operations(), 3, "{both}");
}

/// Quotients whose derivatives are in range where powers of the reciprocal of the divisor are not.
#[test]
fn quotients_keep_their_digits_near_the_ends_of_the_range() {
    for (x, y) in [(1e300, 1e160), (1e-300, 1e-160), (1e308, 1e100), (1e-300, 1e-100), (-1e-308, 1e-200)] {
        let (quotient, mut want) = (trace(|y: &[Traced]| Traced::constant(x) / y[0], &[1.3]), x / y);
        for order in 1..=4 {
            want *= -f64::from(order) / y;
            for mode in (0..1 << order).filter(|_| want.is_normal()) {
                close(nested(&quotient, order as usize, mode).run(&[y]).unwrap()[0], want, 1e-15);
            }
        }
        let both = trace(|x: &[Traced]| x[0] / x[1], &[0.7, 1.3]).hessian().unwrap();
        close(both.run(&[x, y]).unwrap()[3], 2.0 * (x / y / y / y), 1e-15);
    }
}

/// Quotients of ordinary size have right derivatives where the square of the divisor is beyond the range: at 380, `e/(e + 1)`
/// is 1 to the last digit, and `x·e/(e + f)` is proportional to `x`.
#[test]
fn quotients_of_far_intermediates_have_their_derivatives() {
    type Far = (fn(Traced) -> Traced, f64, [f64; 3]);
    let [second, third] = [2.140248091835013e-6, 2.046585395099056e-8];
    let functions: [Far; 6] = [
        (|x| x.exp() / (x.exp() + 1.0), 380.0, [0.0; 3]),
        (|x| x * x.exp() / (x.exp() + (x + 1.0).exp()), 380.0, [0.2689414213699951, 0.0, 0.0]),
        (|x| x.cosh().ln(), 380.0, [1.0, 0.0, 0.0]),
        (|x| x.cosh().ln(), 700.0, [1.0, 0.0, 0.0]),
        (|x| (x.exp() + (x * 0.99).exp()).ln(), 380.0, [0.9997811872906387, second, -third]),
        (|x| (x.exp() + (x * 0.99).exp()).ln(), -380.0, [0.9902188127093613, second, third]),
    ];
    for (which, (f, x, want)) in functions.into_iter().enumerate() {
        let program = trace(|x: &[Traced]| f(x[0]), &[1.3]);
        for (order, want) in (1..).zip(want) {
            for mode in 0..1 << order {
                let got = nested(&program, order, mode).run(&[x]).unwrap()[0];
                // Terms of the size of `x` cancel.
                assert!(
                    (got - want).abs() <= 1e-13,
                    "{which}, order {order}, mode {mode}: {got:e}, not {want:e}"
                );
            }
        }
    }
    let scaled = trace(
        |x: &[Traced]| {
            let [a, b] = [x[0] - 380.0, x[1] - 379.0].map(Traced::exp);
            a / (a + b)
        },
        &[0.3, 0.2],
    );
    let h = scaled.hessian().unwrap().run(&[0.0, 0.0]).unwrap();
    // s = 1/(1 + e): s′ = s(1 − s), s″ = s(1 − s)(1 − 2s).
    let s = 1.0 / (1.0 + std::f64::consts::E);
    let second = s * (1.0 - s) * (1.0 - 2.0 * s);
    for (got, want) in h.iter().zip([second, -second, -second, second]) {
        assert!((got - want).abs() < 1e-14, "{h:?}, not ±{second}");
    }
}

#[test]
fn fan_out_adds_and_what_is_unused_is_not_there() {
    let g = trace(|x: &[Traced]| (x[0] + x[0]) * x[0], &[3.0]).gradient().unwrap();
    assert_eq!(g.run(&[3.0]).unwrap(), [12.0]);
    let diamond = trace(
        |x: &[Traced]| {
            let e = x[0].exp();
            e + e
        },
        &[1.0],
    )
    .gradient()
    .unwrap();
    assert_eq!(diamond.run(&[0.5]).unwrap(), [2.0 * 0.5f64.exp()]);
    // One of several results is used.
    let two = trace(
        |x: &[Traced]| {
            let (s, c) = x[0].sin_cos();
            c + s * 0.0 * Traced::constant(0.0)
        },
        &[0.5],
    );
    close(two.gradient().unwrap().run(&[0.5]).unwrap()[0], -0.479425538604203, 1e-15);
    let inactive = trace(|x: &[Traced]| [x[0] * x[1].exp().ln().sin(), x[0]], &[1.0, 2.0]);
    let at = inactive.linearize_wrt(&[true, false]).unwrap();
    assert_eq!(at.program().operations(), inactive.operations(), "no residual of what is constant");
    assert_eq!(at.linear().ops().len(), 3, "two inputs and a product");
    let unused = trace(
        |x: &[Traced]| {
            let _ = x[1].exp();
            [x[0] * 2.0, Traced::constant(1.0)]
        },
        &[1.0, 2.0],
    );
    let at = unused.linearize().unwrap();
    assert_eq!(at.linear().outputs()[1], None);
    assert!(at.linear().ops().iter().all(|op| !matches!(op, LinearOp::Add(..))));
    assert_eq!(at.transpose().linear().outputs()[1], None);
    assert_ne!(at.id(), unused.linearize().unwrap().id());
}

#[test]
fn transposing_twice_is_the_same_map() {
    let f = |x: &[Traced]| [x[0] * x[1].sin() - x[2] / x[0], (x[1] * x[2]).exp(), -x[2]];
    let at = trace(f, &[1.0, 2.0, 0.5]).linearize().unwrap();
    let (once, twice) = (at.to_program().unwrap(), at.transpose().transpose().to_program().unwrap());
    let x = [1.5, 0.3, -0.7, 0.2, 1.0, -3.0];
    assert_eq!(once.run(&x).unwrap(), twice.run(&x).unwrap());
}

fn rosenbrock<T: Real<Base = f64>>(x: &[T]) -> T {
    let term = |w: &[T]| {
        let (a, b) = (w[1] - w[0] * w[0], -w[0] + 1.0);
        a * a * 100.0 + b * b
    };
    x.windows(2).map(term).sum()
}

#[test]
fn gradient_and_hessian_are_those_of_the_eager_modes() {
    let x: Vec<f64> = (0..20).map(|i| 0.3 + 0.07 * f64::from(i)).collect();
    let program = trace(|x: &[Traced]| rosenbrock(x), &x);
    let y: Vec<f64> = x.iter().map(|x| 1.1 - x * x).collect();
    let g = program.gradient().unwrap().run(&y).unwrap();
    for (got, want) in g.iter().zip(gradient(|x: &[Var<f64>]| rosenbrock(x), &y)) {
        close(*got, want, 1e-14);
    }
    let h = program.hessian().unwrap().run(&y).unwrap();
    let want = wengert::reverse::hessian(rosenbrock, &y);
    for (i, got) in h.iter().enumerate() {
        close(*got, want[(i / 20, i % 20)], 1e-13);
    }
    let (entries, places) = program.gradient().unwrap().sparse_jacobian().unwrap();
    assert_eq!((entries.outputs(), places.len()), (58, 58), "tridiagonal");
}

/// A result of a call, results that are one number, and results that are inputs, constants or unused.
#[test]
fn sparse_rows_are_those_of_the_dense_matrix() {
    let f = |x: &[Traced]| {
        let a = nalgebra::Matrix2::new(x[0], x[1], x[1], x[2]);
        let y = wengert::matrix::solve(&a, &nalgebra::Vector2::new(x[3], Traced::constant(1.0))).unwrap();
        let product = x[4] * x[4];
        [y[0], y[1], product, product, x[5], x[5], Traced::constant(3.0), x[3] + product, x[6] * 0.0]
    };
    let x = [4.0, 1.0, 3.0, 2.0, 0.5, -1.0, 7.0];
    // By columns, and by rows: more results than inputs, or fewer.
    let columns = trace(f, &x);
    let rows = trace(|x: &[Traced]| f(x)[..5].to_vec(), &x);
    for program in [columns, rows] {
        let dense = program.jacobian().unwrap().run(&x).unwrap();
        let (entries, places) = program.sparse_jacobian().unwrap();
        let mut filled = vec![0.0; dense.len()];
        for (&(i, j), entry) in places.iter().zip(entries.run(&x).unwrap()) {
            filled[i * x.len() + j] = entry;
        }
        assert_eq!(filled, dense);
        assert!(places.is_sorted() && places.len() < dense.len() / 2, "{places:?}");
        let eager = wengert::jacobian(|x| plain(x)[..program.outputs()].to_vec(), &x);
        for (got, want) in dense.iter().zip(eager.transpose().iter()) {
            assert!((got - want).abs() < 1e-15, "{got} {want}");
        }
    }
}

/// The function of the test above, the system solved by Cramer's rule.
fn plain<T: Real<Base = f64>>(x: &[T]) -> [T; 9] {
    let det = x[0] * x[2] - x[1] * x[1];
    let (first, second) = ((x[3] * x[2] - x[1]) / det, (x[0] - x[1] * x[3]) / det);
    let product = x[4] * x[4];
    [first, second, product, product, x[5], x[5], T::lit(3.0), x[3] + product, x[6] * 0.0]
}

#[test]
fn zeros_stay_zeros_at_singular_points() {
    let f = |x: &[Traced]| [x[0].sqrt() + x[1], x[0].powf(0.5), x[0].ln(), x[1] / x[0]];
    let jvp = trace(f, &[4.0, 3.0]).jvp().unwrap();
    let at = jvp.run(&[0.0, 3.0, 0.0, 1.0]).unwrap();
    assert_eq!(at[4..7], [1.0, 0.0, 0.0]);
    let dual = |x: Dual<f64>, y: Dual<f64>| [x.sqrt() + y, x.powf(0.5), x.ln(), y / x];
    let want = dual(Dual::new(0.0, 0.0), Dual::new(3.0, 1.0)).map(Dual::tangent);
    assert_eq!(format!("{:?}", &at[4..]), format!("{want:?}"));
    let want = dual(Dual::new(0.0, 1.0), Dual::new(3.0, 0.0)).map(Dual::tangent);
    let at = jvp.run(&[0.0, 3.0, 1.0, 0.0]).unwrap();
    assert_eq!(format!("{:?}", &at[4..]), format!("{want:?}"));
    // In second derivatives too.
    let sum = trace(|x: &[Traced]| x[0] * x[0] + x[1].gamma() + x[2].tan() + x[1].beta(x[3]), &[1.0; 4]);
    let hvp = sum.gradient().unwrap().jvp().unwrap();
    for (x, y) in [(200.0, f64::INFINITY), (0.0, f64::NAN), (-1.0, 1.0)] {
        let at = hvp.run(&[0.5, x, y, 1.0, 1.0, 0.0, 0.0, 0.0]).unwrap();
        assert_eq!(at[4..], [2.0, 0.0, 0.0, 0.0], "{x} {y}");
    }
    // Outside the domain a nonzero tangent is NaN.
    let slope = trace(|x: &[Traced]| x[0].ln(), &[1.0]).gradient().unwrap();
    assert!(slope.run(&[-1.0]).unwrap()[0].is_nan());
}

#[test]
fn too_high_orders_are_named() {
    let program = trace(|x: &[Traced]| x[0].tanh(), &[1.0]);
    let fourth = nested(&program, 4, 0);
    let x: f64 = 0.3;
    let d = |x| Dual::<Dual<Dual<Dual<f64>>>>::variable(Dual::variable(Dual::variable(Dual::variable(x))));
    close(fourth.run(&[x]).unwrap()[0], d(x).tanh().tangent().tangent().tangent().tangent(), 1e-15);
    let Err(error) = fourth.gradient() else { panic!("order 5") };
    assert_eq!(error, AdError::Unsupported { op: "tanh", rule: "a derivative of order 5 in a program" });
    assert!(trace(|x: &[Traced]| [x[0], x[0]], &[1.0]).gradient().is_err());
}

/// `√x₀·√x₁` at (0, 0): along either axis the function is 0, and so is its partial derivative. A cotangent finds it, because
/// a partial of exactly 0 stops an infinite one; a tangent is `∞·0`, by the arithmetic of products.
#[test]
fn a_partial_of_zero_stops_an_infinite_one() {
    fn f<T: Real<Base = f64>>(x: &[T]) -> T {
        x[0].sqrt() * x[1].sqrt()
    }
    let program = trace(|x: &[Traced]| f(x), &[4.0, 9.0]);
    assert_eq!(program.gradient().unwrap().run(&[0.0, 0.0]).unwrap(), [0.0, 0.0]);
    let tangent = program.jvp().unwrap().run(&[0.0, 0.0, 1.0, 0.0]).unwrap()[1];
    let dual: f64 = f(&[Dual::variable(0.0), Dual::constant(0.0)]).tangent();
    assert!(tangent.is_nan() && dual.is_nan(), "{tangent} {dual}");
    // Where no partial is 0 there is nothing to stop: IEEE's infinity, as everywhere.
    assert_eq!(program.gradient().unwrap().run(&[0.0, 4.0]).unwrap(), [f64::INFINITY, 0.0]);
    assert_eq!(gradient(|x: &[Var<f64>]| f(x), &[0.0, 4.0]), [f64::INFINITY, 0.0]);
    let tangent = program.jvp().unwrap().run(&[0.0, 4.0, 1.0, 0.0]).unwrap()[1];
    assert_eq!(tangent, f64::INFINITY);
}

/// A derivative does not need all numbers of its function, but has all of its guards, with the same line.
#[test]
fn derivatives_ask_what_their_function_asks() {
    let f = |x: &[Traced]| {
        let of_inputs = if x[0] > x[1] { x[0] * x[1] } else { x[0] };
        let unused = if (x[0] * x[2]).sin() > 0.0 { x[2] } else { x[0] };
        if of_inputs.exp() > unused { of_inputs * unused } else { unused }
    };
    let program = trace(f, &[2.0, 1.0, 0.5]);
    let gradient = program.gradient().unwrap();
    assert_eq!((program.code().guards.len(), gradient.code().guards.len()), (3, 3));
    for x in [[2.0, 1.0, 0.5], [1.0, 2.0, 0.5], [2.0, 1.0, 2.0], [2.0, 1.0, 1e9], [0.1, 0.05, 1.3]] {
        let (value, slopes) = (program.run(&x), gradient.run(&x));
        assert_eq!(value.as_ref().err(), slopes.as_ref().err(), "{x:?}");
        assert_eq!(value.err(), program.gradient().unwrap().jacobian().unwrap().run(&x).err(), "{x:?}");
    }
}

/// The operand that loses may be NaN, to any order.
#[test]
fn a_nan_that_loses_brings_none_into_second_derivatives() {
    let f = |x: &[Traced]| x[0].min(x[1] / x[0].ln());
    let (program, x) = (trace(f, &[-2.0, 0.8]), [-2.0, 0.8]);
    assert_eq!(program.gradient().unwrap().run(&x).unwrap(), [1.0, 0.0]);
    assert_eq!(program.hessian().unwrap().run(&x).unwrap(), [0.0; 4]);
}

/// A gradient multiplies from the result on, where the cotangent of `eˣ` is 1e-348; a tangent goes the other way.
#[test]
fn reciprocals_of_far_numbers_keep_their_tangents() {
    let program = trace(|x: &[Traced]| x[0].exp().recip(), &[1.0]);
    assert_eq!(program.gradient().unwrap().run(&[400.0]).unwrap(), [0.0]);
    close(program.jvp().unwrap().run(&[400.0, 1.0]).unwrap()[1], -(-400f64).exp(), 1e-15);
}
