//! Derivatives formed inside a function that is traced: they are operations of its program.

use wengert::programs::{Traced, trace};
use wengert::{AdError, Dual, Number, Real, Var};

/// A function with products, a quotient, a root, sums of slices and choices.
fn inner<T: Real<Base = f64>>(y: &[T]) -> T {
    let r = Number::sqrt(y[0] * y[0] + y[1] * y[1] + 0.5);
    let tail = T::total(y.iter().map(|&y| Number::sin(y) * y));
    let choice = Real::max(y[0] * y[1], -y[1]) + Real::abs(y[0]) + Real::clamp(y[1], -5.0, 5.0);
    Number::powf(r, 1.5) / (Number::exp(y[1]) + 1.0) + tail * Number::tanh(y[0]) + choice
}

/// `Σ (k+1)·gₖ·xₖ` of the gradient `g` in reverse.
fn in_reverse<T: Real<Base = f64>>(x: &[T]) -> T {
    let g = wengert::gradient(|y: &[Var<T>]| inner(y), x);
    g.iter().zip(x).enumerate().fold(T::lit(0.0), |sum, (k, (&g, &x))| sum + g * x * (k as f64 + 1.0))
}

/// The derivative forward.
fn forward<T: Real<Base = f64>>(x: &[T]) -> T {
    let along = |k: usize| {
        let y: Vec<Dual<T>> = (0..x.len()).map(|i| Dual::new(x[i], T::lit(f64::from(i == k)))).collect();
        inner(&y).tangent() * x[k] * (k as f64 + 1.0)
    };
    (0..x.len()).fold(T::lit(0.0), |sum, k| sum + along(k))
}

/// A product with the Hessian and sums of its entries, reverse over reverse: no formula branches on values.
fn second<T: Real<Base = f64>>(x: &[T]) -> T {
    let along = [x[1], x[0] * x[1]];
    let product = wengert::hvp(|y: &[Var<Dual<T>>]| smooth(y), x, &along);
    let sum = |y: &[Var<T>]| {
        let g = wengert::gradient(|z: &[Var<Var<T>>]| smooth(z), y);
        g[0] + g[1]
    };
    let sums = wengert::gradient(sum, x);
    product[0] * x[1] + product[1] * sums[0] + sums[1]
}
fn smooth<T: Real<Base = f64>>(y: &[T]) -> T {
    let r = Number::sqrt(y[0] * y[0] + y[1] * y[1] + 0.5);
    let tail = Number::mul_add(Number::sin(y[0]), y[1], Number::exp(-y[0]));
    tail / r + (y[0] - y[0].detach()) * Number::cos(y[1])
}

const POINTS: [[f64; 2]; 6] = [[0.5, 1.5], [0.75, 0.25], [2.5, 3.0], [0.1, 4.0], [1.0, 1.0], [3.0, 0.125]];

#[track_caller]
fn near(what: &str, got: &[f64], want: &[f64]) {
    let near = |(g, w): (&f64, &f64)| (g - w).abs() <= 1e-12 * (1.0 + w.abs());
    assert!(got.len() == want.len() && got.iter().zip(want).all(near), "{what}: {got:?}, expected {want:?}");
}

#[test]
fn gradients_in_a_trace_are_right_at_other_points() {
    type Pair = (fn(&[Traced]) -> Traced, fn(&[f64]) -> f64, fn(&[Dual<f64>]) -> Dual<f64>);
    let all: [(&str, Pair); 2] =
        [("reverse", (in_reverse, in_reverse, in_reverse)), ("forward", (forward, forward, forward))];
    for (name, (traced, plain, dual)) in all {
        let program = trace(traced, &POINTS[0]);
        let gradient = program.gradient().unwrap();
        for x in POINTS {
            near(name, &program.run(&x).unwrap_or_else(|e| panic!("{name}: {e}")), &[plain(&x)]);
            let along = |k: usize| dual(&[0, 1].map(|i| Dual::new(x[i], f64::from(i == k)))).tangent();
            near(name, &gradient.run(&x).unwrap(), &[along(0), along(1)]);
        }
    }
    let (program, hessian) = (trace(second, &POINTS[0]), trace(in_reverse, &POINTS[0]).hessian().unwrap());
    let gradient = program.gradient().unwrap();
    for x in POINTS {
        near("second order", &program.run(&x).unwrap(), &[second(&x)]);
        let by_numbers = wengert::forward::gradient(second, &x);
        near("its gradient", &gradient.run(&x).unwrap(), &by_numbers);
        let want = wengert::hessian(in_reverse, &x);
        near("third order", &hessian.run(&x).unwrap(), want.as_slice());
    }
    near("both modes", &[in_reverse(&POINTS[2])], &[forward(&POINTS[2])]);
}

/// Choices between numbers with tangents compare: another result is another branch, at the line of the function.
#[test]
fn choices_of_numbers_with_tangents_compare() {
    type F = fn(Dual<Traced>, Dual<Traced>) -> Dual<Traced>;
    let all: [(&str, F, u32); 5] = [
        ("max", |x, y| Real::max(x, y), line!()),
        ("min", |x, y| Real::min(x, y), line!()),
        ("clamp", |x, y| Real::clamp(x, y, 9.0), line!()),
        ("abs_sub", |x, y| Real::abs_sub(x, y), line!()),
        ("less", |x, y| if x < y { x * x } else { y }, line!()),
    ];
    for (name, f, line) in all {
        let along = |x: &[Traced]| {
            let [a, b] = [(0, 1.0), (1, 10.0)].map(|(i, t)| Dual::new(x[i], Traced::constant(t)));
            let y = f(a, b);
            [y.value(), y.tangent()]
        };
        let program = trace(along, &[0.5, 1.5]);
        for x in [[0.25, 3.0], [-7.0, 1.0], [1.0, 1.0 + 1e-15]] {
            assert_eq!(program.run(&x).unwrap(), trace(along, &x).run(&x).unwrap(), "{name} at {x:?}");
        }
        let error = program.run(&[2.0, 1.5]).unwrap_err();
        let AdError::BranchChanged { op, location, .. } = &error else { panic!("{name}: {error}") };
        assert!(["lt", "le"].contains(op), "{name}: {error}");
        assert_eq!((location.file(), location.line()), (file!(), line), "{name}: {error}");
        // At ties and NaN it is recorded unchanged.
        for x in [[1.5, 1.5], [0.0, -0.0]] {
            let want = [0, 1].map(|k| {
                let [a, b] = [0, 1].map(|i| Dual::new(x[i], [1.0, 10.0][i]));
                let y = match name {
                    "max" => Real::max(a, b),
                    "min" => Real::min(a, b),
                    "clamp" => Real::clamp(a, b, 9.0),
                    "abs_sub" => Real::abs_sub(a, b),
                    _ => b,
                };
                [y.value(), y.tangent()][k]
            });
            assert_eq!(trace(along, &x).run(&x).unwrap(), want, "{name} at {x:?}");
        }
    }
}

/// Integers leave a program only by the operations before the point.
#[test]
fn integers_are_few_guards() {
    use num_traits::ToPrimitive;
    use wengert::prepare::recorded;
    let table = [1.0, 3.0, -2.0, 7.0];
    let by_floor = |x: &[Traced]| x[0] * table[x[0].floor().primal() as usize];
    let by_cast = |x: &[Traced]| x[0] * table[x[0].to_usize().unwrap()];
    for (name, f) in [("floor", &by_floor as &dyn Fn(&[Traced]) -> Traced), ("cast", &by_cast)] {
        let mut gradient = recorded::gradient(|x: &[Traced]| f(x), &[0.0]);
        for k in 0..400 {
            let x = [f64::from(k) * 0.01];
            let mut g = [0.0];
            gradient.at(&x, &mut g).unwrap();
            assert_eq!(g, [table[x[0] as usize]], "{name} at {x:?}");
        }
        assert_eq!(gradient.recordings(), 4, "{name}");
    }
}

/// Second derivatives inside a trace, rule by rule, at another point: the value or a refusal, as the guide describes.
#[test]
fn second_derivatives_inside_a_trace_are_right_or_refused() {
    macro_rules! second {
        ($($name:ident $line:expr, |$y:ident| $f:expr;)*) => {[$((stringify!($name), {
            fn $name<T: Real<Base = f64>>(x: &[T]) -> T {
                let $y = Dual::new(Dual::new(x[0], T::lit(1.0)), Dual::constant(T::lit(1.0)));
                let f: Dual<Dual<T>> = $f;
                f.tangent().tangent()
            }
            ($name as fn(&[Traced]) -> Traced, $name as fn(&[f64]) -> f64, $line)
        }),)*]};
    }
    let all = second! {
        exp line!(), |y| Number::exp(y);
        ln line!(), |y| Number::ln(y);
        sin line!(), |y| Number::sin(y);
        sqrt line!(), |y| Number::sqrt(y);
        quotient line!(), |y| Number::sin(y) / y;
        product line!(), |y| Number::cos(y) * y * y;
        tanh line!(), |y| Number::tanh(y);
        atan line!(), |y| Number::atan(y);
        tan line!(), |y| Number::tan(y);
        powi line!(), |y| Number::powi(y, 5);
        powf line!(), |y| Number::powf(y, 2.5);
        softplus line!(), |y| Real::softplus(y);
        hypot line!(), |y| Real::hypot(y, y * y);
        atan2 line!(), |y| Real::atan2(y, y * y);
        power line!(), |y| Number::powf(y, y);
        log line!(), |y| num_traits::Float::log(y, y + 2.0);
    };
    let mut refused = Vec::new();
    for (name, (traced, plain, line)) in all {
        let program = trace(traced, &[0.75]);
        match program.run(&[1.0]) {
            Ok(got) => near(name, &got, &[plain(&[1.0])]),
            Err(AdError::BranchChanged { location, .. }) => {
                // At the line of the function, not at one of the rule.
                assert_eq!((location.file(), location.line()), (file!(), line), "{name}: {location}");
                refused.push(name);
            }
            Err(error) => panic!("{name}: {error}"),
        }
    }
    assert_eq!(refused, ["hypot", "atan2", "power", "log"]);
}
