//! Forward over forward, forward over reverse, reverse over forward, reverse over reverse, three levels, and
//! derivatives within functions that are differentiated.

use wengert::{
    Dual, DualN, ForwardChunk, HyperDual, Real, Tape, Taylor, Var, derivative, forward, gradient, hessian,
    hvp, jacobian, jvp, prepare, reverse, second_derivative,
    series::{derivatives, mixed},
};

/// f″ by reverse over any number that carries one tangent.
fn reverse_over_forward(f: impl Fn(Var<Dual<f64>>) -> Var<Dual<f64>>, x: f64) -> f64 {
    gradient(|v: &[Var<Dual<f64>>]| f(v[0]), &[Dual::variable(x)])[0].tangent()
}

fn forward_over_reverse(f: impl Fn(Dual<Var<f64>>) -> Dual<Var<f64>>, x: f64) -> f64 {
    let inner = |v: &[Var<f64>]| f(Dual::variable(v[0])).tangent();
    gradient(inner, &[x])[0]
}

fn reverse_over_reverse(f: impl Fn(Var<Var<f64>>) -> Var<Var<f64>>, x: f64) -> f64 {
    gradient(|v: &[Var<f64>]| gradient(|w: &[Var<Var<f64>>]| f(w[0]), v)[0], &[x])[0]
}

fn square<T: Real>(x: T) -> T {
    x * x
}

/// `e^{ax}`; its second derivative in a at x = 1.3, a = 0.7 is x²e^{ax}, in x a²e^{ax}.
fn exponential<T: Real<Base = f64>>(x: T) -> T {
    (x * 0.7).exp()
}

#[test]
fn four_second_derivatives_of_a_square() {
    let forward_over_forward = forward::second_derivative(square, 3.0);
    assert_eq!(forward_over_forward, 2.0);
    assert_eq!(forward_over_reverse(square, 3.0), 2.0);
    assert_eq!(reverse_over_forward(square, 3.0), 2.0);
    assert_eq!(reverse_over_reverse(square, 3.0), 2.0);
}

#[test]
fn four_second_derivatives_of_an_exponential() {
    let want = 1.21731804135856; // 0.49·e^0.91
    let all = [
        forward::second_derivative(exponential, 1.3),
        forward_over_reverse(exponential, 1.3),
        reverse_over_forward(exponential, 1.3),
        reverse_over_reverse(exponential, 1.3),
    ];
    for y in all {
        assert!((y - want).abs() < 4e-15, "{y}");
    }
}

#[test]
fn three_levels() {
    // d³/dx³ x⁵ = 60x²
    let fifth = |v: &[Var<f64>]| {
        let second = |w: &[Var<Var<f64>>]| gradient(|u: &[Var<Var<Var<f64>>>]| u[0].powi(5), w)[0];
        gradient(second, v)[0]
    };
    assert_eq!(gradient(fifth, &[2.0]), [240.0]);
    let mixed = gradient(|v: &[Var<HyperDual<f64>>]| v[0].powi(5), &[HyperDual::new(2.0, 1.0, 1.0, 0.0)]);
    assert_eq!(mixed[0].e12(), 240.0);
    let lanes = gradient(
        |v: &[Var<DualN<Dual<f64>, 2>>]| v[0].powi(5),
        &[DualN::new(Dual::new(2.0, 1.0), [Dual::constant(1.0), Dual::constant(-2.0)])],
    );
    assert_eq!(lanes[0].tangents().map(Dual::tangent), [240.0, -480.0]);
}

#[test]
fn mixed_partials() {
    // f = x²y³z: f_xyz = 6xy², once along each axis.
    let f = |v: &[Var<HyperDual<f64>>]| v[0].powi(2) * v[1].powi(3) * v[2];
    let x =
        [HyperDual::new(2.0, 1.0, 0.0, 0.0), HyperDual::new(3.0, 0.0, 1.0, 0.0), HyperDual::constant(5.0)];
    let g = gradient(f, &x);
    assert_eq!(g[2].e12(), 108.0);
    assert_eq!((g[0].e2(), g[1].e1()), (6.0 * 2.0 * 9.0 * 5.0 / 1.0, 2.0 * 2.0 * 27.0 * 5.0));
}

#[test]
fn perturbations_are_not_confused() {
    // D(x → x·D(y → x + y, 1), 1) = 1
    let f = |x: &[Var<f64>]| x[0] * gradient(|y: &[Var<Var<f64>>]| x[0] + y[0], &[Var::constant(1.0)])[0];
    assert_eq!(gradient(f, &[1.0]), [1.0]);
    // D(x → D(y → x, x), 1) = 0: the inner function returns an outer variable, lifted.
    let g = |x: &[Var<f64>]| gradient(|_: &[Var<Var<f64>>]| Var::constant(x[0]), &[x[0]])[0];
    assert_eq!(gradient(g, &[1.0]), [0.0]);
    // The function with duals of variables, the outer one lifted by name.
    let h = |x: &[Var<f64>]| x[0] * derivative(|y| y * Dual::constant(x[0]), x[0]);
    assert_eq!(gradient(h, &[3.0]), [6.0]);
}

/// At a plain point an inner derivative has the number type of the outer one. A function of both is reported, but not
/// an inner derivative of constants.
#[test]
fn levels_of_one_type_are_reported() {
    fn confused(f: impl FnOnce() -> f64 + std::panic::UnwindSafe) {
        let payload = std::panic::catch_unwind(f).expect_err("levels of one type");
        let message = payload.downcast_ref::<String>().expect("a message");
        assert!(message.contains("uses a variable of an outer derivative"), "{message}");
    }
    confused(|| second_derivative(|x| x * mixed::<f64, 2>(|y| x * y[0] * y[0], &[1.0], &[2]).unwrap(), 1.0));
    let lifted = |x: Taylor<f64, 2>| {
        mixed::<_, 2>(|y| y[0] * y[0] * Taylor::constant(x), &[Taylor::constant(1.0)], &[2])
    };
    assert_eq!(second_derivative(|x| x * lifted(x).unwrap(), 1.0), 4.0);
    // An operator of one's own returns the error.
    let mut operator = prepare::gradient(ForwardChunk::<2>, &[2.0]);
    let mut inner =
        |x: DualN<f64, 2>| operator.of(|y| x * y[0]).at(&[2.0], &mut [0.0]).unwrap_err().to_string();
    let mut text = String::new();
    let mut outer = prepare::gradient(ForwardChunk::<2>, &[3.0]);
    let f = |x: &[DualN<f64, 2>]| {
        text = inner(x[0]);
        x[0]
    };
    outer.of(f).at(&[3.0], &mut [0.0]).unwrap();
    assert_eq!(
        text,
        "gradient: its function uses a variable of an outer derivative of the type `DualN<f64, 2>` or one within it, so its \
         point must have that type: `DualN::constant(2.0)` for `2.0`"
    );
    confused(|| derivative(|x| x * derivative(|y| x * y, 2.0), 3.0));
    confused(|| second_derivative(|x| x * second_derivative(|y| x * y * y, 2.0), 3.0));
    confused(|| jvp(|x| x[0] * jvp(|y| x[0] * y[0], &[2.0], &[1.0]), &[3.0], &[1.0]));
    confused(|| jacobian(|x| [x[0] * jacobian(|y| [x[0] * y[0]], &[2.0])[0]], &[3.0])[0]);
    confused(|| forward::gradient(|x| x[0] * forward::gradient(|y| x[0] * y[0], &[2.0])[0], &[3.0])[0]);
    confused(|| derivatives::<f64, 2>(|x| x * derivatives::<f64, 2>(|y| x * y, 2.0)[0], 3.0)[0]);
    // The inner number contains the outer type, over a tape or in lanes: a lifted `x` brings its tangent.
    confused(|| derivative(|x| x * hvp(|y| y[0].powi(3) * Var::constant(x), &[2.0], &[1.0])[0], 3.0));
    confused(|| {
        derivative(|x| x * forward::hvp(|y| y[0].powi(3) * DualN::constant(x), &[2.0], &[1.0])[0], 3.0)
    });
    // A part of an outer number.
    confused(|| hvp(|x| x[0] * x[0] * derivative(|y| y * x[0].value(), 2.0), &[3.0], &[1.0])[0]);
    // Duals of variables, within a tape.
    confused(|| {
        gradient(
            |v: &[Var<f64>]| derivative(|y| y * Dual::constant(derivative(|z| y * z, v[0])), v[0]),
            &[3.0],
        )[0]
    });
    // Three levels, of which the third is confused with the first.
    confused(|| derivative(|x| derivative(|y| y * derivative(|z| x * z, 2.0), Dual::constant(2.0)), 3.0));
    // A report leaves no level open, nor the check.
    let calls = std::cell::Cell::new(0);
    let count = |y: Dual<f64>| {
        calls.set(calls.get() + 1);
        y
    };
    assert_eq!((derivative(count, 2.0), calls.get()), (1.0, 1));
    confused(|| derivative(|x| x * derivative(|y| x * y, 2.0), 3.0));
    // Each level is checked once.
    let calls = std::cell::Cell::new(0);
    fn nested(depth: u32, calls: &std::cell::Cell<u32>) -> f64 {
        if depth == 0 {
            calls.set(calls.get() + 1);
            return 1.0;
        }
        derivative(|x| x * nested(depth - 1, calls), 2.0)
    }
    assert_eq!((nested(6, &calls), calls.get()), (1.0, 6));
    assert_eq!(derivative(|x| x * hvp(|y| y[0] * y[0], &[2.0], &[1.0])[0], 3.0), 2.0);
    assert_eq!(hvp(|x| x[0] * x[0] * derivative(|y| y * y, 2.0), &[3.0], &[1.0]), [8.0]);
    assert_eq!(derivative(|x| x * derivative(|y| y * y, 2.0), 3.0), 4.0);
    assert_eq!(derivative(|x| x * derivative(|y| y * x.value(), 2.0), 3.0), 3.0);
    assert_eq!(derivative(|x| x * derivative(|y| y * x, Dual::constant(2.0)), 3.0), 6.0);
}

#[test]
fn derivatives_of_derivatives_as_functions() {
    // Σ v·D(y → y‖v‖, 1) = Σ v·‖v‖, its gradient ‖v‖·1 + v·Σv/‖v‖
    let norm = |v: &[Var<f64>]| wengert::reduce::norm(v);
    let f = |v: &[Var<f64>]| {
        let slope = gradient(|y: &[Var<Var<f64>>]| y[0] * norm(v), &[Var::constant(1.0)])[0];
        v.iter().map(|&x| x * slope).sum()
    };
    let [a, b] = gradient(f, &[3.0, 4.0]);
    assert!((a - 9.2).abs() < 4e-15 && (b - 10.6).abs() < 4e-15, "{a} {b}");
    // The Jacobian of the gradient of y·(Ax) in y is A.
    let a = [[1.0, 2.0], [3.0, 4.0]];
    let slopes = |x: &[Var<f64>]| {
        let row = |i: usize| x[0] * a[i][0] + x[1] * a[i][1];
        gradient(|y: &[Var<Var<f64>>]| y[0] * row(0) + y[1] * row(1), &[Var::constant(5.0); 2])
    };
    let j = reverse::jacobian(slopes, &[0.5, -1.0]);
    assert_eq!(j, nalgebra::matrix![1.0, 2.0; 3.0, 4.0]);
    // The mixed block of a Lagrangian L(x, λ) = x² + λ(x − 1) that is zero where it should be: ∂²L/∂λ² = 0.
    let h = hessian(|v: &[Var<DualN<f64, 8>>]| v[0] * v[0] + v[1] * (v[0] - 1.0), &[2.0, 3.0]);
    assert_eq!(h, nalgebra::matrix![2.0, 1.0; 1.0, 0.0]);
}

#[test]
fn dead_inner_work_is_not_recorded_outside() {
    let outer = Tape::new();
    let x = outer.variable(2.0);
    let before = outer.stats().nodes;
    let dead = |y: &[Var<Var<f64>>]| {
        let _ = (0..1000).fold(y[0], |s, _| s * y[1]);
        y[0] * y[1]
    };
    let tape = Tape::new();
    let y = tape.variables(&[x, Var::constant(3.0)]);
    let z = dead(&y);
    let recorded = outer.stats().nodes - before;
    let dz = tape.cotangents(z);
    assert_eq!(dz.of(y[1]).value(), 2.0);
    assert!(outer.stats().nodes - before < recorded + 10, "the sweep passes what has no cotangent");
}

#[test]
fn an_inner_gradient_sees_outer_variables() {
    // f(x) = Σᵢ (∂/∂yᵢ Π(y + x))(x): at x = (2, 3) the inner gradient is (2·3, 2·2).
    let f = |x: &[Var<f64>]| {
        let g = gradient(|y: &[Var<Var<f64>>]| (y[0] + x[0]) * (y[1] + x[1]), x);
        g[0] + g[1]
    };
    // f = 2x₁ + 2x₀
    assert_eq!(gradient(f, &[2.0, 3.0]), [2.0, 2.0]);
    // Operations among only outer variables, inside of an inner gradient, at the same level.
    let f = |x: &[Var<f64>]| {
        let inner = |y: &[Var<Var<f64>>]| {
            let outer = x[0] * x[1] + x[0].sin();
            y[0] * y[0] * outer
        };
        gradient(inner, &[x[0]])[0]
    };
    // f = 2x₀(x₀x₁ + sin x₀)
    let (a, b) = (2.0_f64, 3.0);
    let want = [2.0 * (a * b + a.sin()) + 2.0 * a * (b + a.cos()), 2.0 * a * a];
    let got = gradient(f, &[a, b]);
    assert!((got[0] - want[0]).abs() < 1e-14 && (got[1] - want[1]).abs() < 1e-14, "{got:?} {want:?}");
}

#[test]
fn independent_tapes_of_one_type_do_not_meet() {
    let (a, b) = (Tape::new(), Tape::new());
    let (x, y) = (a.variable(2.0), b.variable(3.0));
    let (u, v) = (x * x * x.sin(), y * y + y.exp());
    assert_eq!(a.cotangents(u).of(x), 4.0 * 2f64.sin() + 4.0 * 2f64.cos());
    assert_eq!(b.cotangents(v).of(y), 6.0 + 3f64.exp());
    // A gradient of the same type inside: values only go in.
    let inner = |x: &[Var<f64>]| {
        let step = gradient(|z: &[Var<f64>]| z[0] * z[0], &[x[0].value()])[0];
        x[0] * step
    };
    assert_eq!(gradient(inner, &[5.0]), [10.0]);
}

#[test]
fn second_order_drivers_agree() {
    fn f<T: Real<Base = f64>>(x: &[T]) -> T {
        (x[0] * x[1]).sin() + x[1] / (x[2] * x[2] + 1.0) + (x[0] - x[2]).exp() * x[1].sqrt()
    }
    let x = [0.3, 1.2, -0.7];
    let want = forward::hessian(|x: &[_]| f(x), &x);
    let got = hessian(|x: &[_]| f(x), &x);
    assert!((got - want).norm() < 1e-14 * want.norm(), "{got} {want}");
    let v = [1.0, -2.0, 0.5];
    let hv = hvp(|x: &[_]| f(x), &x, &v);
    let want = want * nalgebra::Vector3::from(v);
    assert!((nalgebra::Vector3::from(hv) - want).norm() < 1e-14 * want.norm());
}
