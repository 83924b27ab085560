//! Derivatives formed inside a function that is traced: they are operations of its program.

use wengert::programs::{Program, Traced, trace};
use wengert::rules::{Binary, Holomorphic, RuleVisitor, Unary, visit_rules};
use wengert::{
    AdError, Dual, Dual2, DualN, HyperDual, Number, Real, Taylor, TaylorDyn, Var, complex, reduce,
};

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

/// A choice between numbers with tangents is no branch. An `if` of the function is one.
#[test]
fn choices_of_numbers_with_tangents_are_right_at_other_points() {
    macro_rules! choice {
        ($($name:ident |$x:ident, $y:ident| $f:expr;)*) => {[$((stringify!($name), {
            fn $name<T: Real<Base = f64>>(at: &[T]) -> [T; 3] {
                let [$x, $y] = [twice(at[0], 1.0), twice(at[1], 10.0)];
                let f: Dual<Dual<T>> = $f;
                [f.value().value(), f.value().tangent(), f.tangent().tangent()]
            }
            ($name as fn(&[Traced]) -> [Traced; 3], $name as fn(&[f64]) -> [f64; 3])
        }),)*]};
    }
    let all = choice! {
        max |x, y| Real::max(x * x, y);
        min |x, y| Real::min(x * x, y);
        clamp |x, y| Real::clamp(x * x, y, 9.0);
        abs_sub |x, y| Real::abs_sub(x * x, y);
        abs |x, y| Real::abs(x * y);
        copysign |x, y| Real::copysign(x * x, y - 2.0);
        extremum |x, y| reduce::max(&[x * x, y, x, y]).unwrap();
        select |x, y| Real::select_lt(x, y, x * x, y * y);
    };
    for (name, (traced, plain)) in all {
        let (program, at_nan) = (trace(traced, &[0.5, 1.5]), [f64::NAN, 1.0]);
        let got = trace(traced, &at_nan).run(&at_nan).unwrap();
        assert_eq!(
            got.iter().map(|y| y.is_nan()).collect::<Vec<_>>(),
            plain(&at_nan).map(f64::is_nan),
            "{name}"
        );
        for x in [[0.25, 3.0], [2.0, 1.5], [-7.0, 1.0], [1.0, 1.0], [0.0, -0.0], [-1.5, 8.0]] {
            let got = program.run(&x).unwrap_or_else(|e| panic!("{name} at {x:?}: {e}"));
            for (got, want) in got.iter().zip(plain(&x)) {
                assert!(*got == want || got.is_nan() && want.is_nan(), "{name} at {x:?}: {got} {want}");
            }
        }
    }
    let line = line!() + 3;
    let less = |x: &[Traced]| {
        let [x, y] = [0, 1].map(|i| Dual::variable(x[i]));
        (if x < y { x * x } else { y }).tangent()
    };
    let error = trace(less, &[0.5, 1.5]).run(&[2.0, 1.5]).unwrap_err();
    let AdError::BranchChanged { op: "lt", location, .. } = &error else { panic!("{error}") };
    assert_eq!((location.file(), location.line()), (file!(), line), "{error}");
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

/// The message of a replay that fails or differs.
fn difference(name: &str, program: &Program, x: &[f64], want: &[f64]) -> Option<String> {
    let near = |(g, w): (&f64, &f64)| (g - w).abs() <= 1e-11 * (1.0 + w.abs()) || g.is_nan() && w.is_nan();
    match program.run(x) {
        Ok(got) if got.len() == want.len() && got.iter().zip(want).all(near) => None,
        result => Some(format!("{name} at {x:?}: {result:?}, expected {want:?}")),
    }
}

/// A number with one direction twice.
fn twice<T: Real<Base = f64>>(x: T, t: f64) -> Twice<T> {
    Dual::new(Dual::new(x, T::lit(t)), Dual::constant(T::lit(t)))
}
/// Second derivatives along a line, and a third one, in each number; and the Hessian.
fn nested<T: Real<Base = f64>>(f: fn([Twice<T>; 3]) -> Twice<T>, x: [T; 3]) -> Vec<T> {
    vec![f([0, 1, 2].map(|k| twice(x[k], LINE[k]))).tangent().tangent()]
}
fn lanes<T: Real<Base = f64>>(f: fn([Lanes<T>; 3]) -> Lanes<T>, x: [T; 3]) -> Vec<T> {
    let direction = |k: usize| DualN::new(T::lit(LINE[k]), [T::lit(0.0); 2]);
    let number = |k: usize| DualN::new(DualN::new(x[k], [T::lit(LINE[k]); 2]), [direction(k); 2]);
    vec![f([0, 1, 2].map(number)).tangents()[1].tangents()[0]]
}
fn hyper<T: Real<Base = f64>>(f: fn([HyperDual<T>; 3]) -> HyperDual<T>, x: [T; 3]) -> Vec<T> {
    let number = |k: usize| HyperDual::new(x[k], T::lit(LINE[k]), T::lit(LINE[k]), T::lit(0.0));
    vec![f([0, 1, 2].map(number)).e12()]
}
fn packed<T: Real<Base = f64>>(f: fn([Dual2<T, 3, 6>; 3]) -> Dual2<T, 3, 6>, x: [T; 3]) -> Vec<T> {
    let y = f([0, 1, 2].map(|k| Dual2::variable(x[k], k)));
    vec![y.second(0, 0), y.second(0, 1), y.second(1, 2), y.second(2, 2)]
}
fn series<T: Real<Base = f64>>(f: fn([Taylor<T, 2>; 3]) -> Taylor<T, 2>, x: [T; 3]) -> Vec<T> {
    vec![f([0, 1, 2].map(|k| Taylor::new(x[k], [T::lit(LINE[k]), T::lit(0.0)]))).derivatives()[1]]
}
fn thrice<T: Real<Base = f64>>(f: fn([Thrice<T>; 3]) -> Thrice<T>, x: [T; 3]) -> Vec<T> {
    let number = |k: usize| Dual::new(twice(x[k], LINE[k]), Dual::constant(Dual::constant(T::lit(LINE[k]))));
    vec![f([0, 1, 2].map(number)).tangent().tangent().tangent()]
}
fn hessian<T: Real<Base = f64>>(f: fn([Swept<T>; 3]) -> Swept<T>, x: [T; 3]) -> Vec<T> {
    [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.5, -1.0, 1.0]]
        .into_iter()
        .flat_map(|v| wengert::hvp(|x: &[Swept<T>]| f([x[0], x[1], x[2]]), &x[..], &v.map(T::lit)))
        .collect()
}
type Twice<T> = Dual<Dual<T>>;
type Lanes<T> = DualN<DualN<T, 2>, 2>;
type Thrice<T> = Dual<Dual<Dual<T>>>;
type Swept<T> = Var<Dual<T>>;
const LINE: [f64; 3] = [1.0, -0.5, 2.0];

/// Derivatives of higher order inside a trace, rule by rule and in each number, are right at other points.
#[test]
fn higher_derivatives_inside_a_trace_are_right_at_other_points() {
    type F<T> = fn([T; 3]) -> Vec<T>;
    let mut failed = Vec::new();
    let mut replay = |name: &str, traced: F<Traced>, plain: F<f64>| {
        let program = trace(|x: &[Traced]| traced([x[0], x[1], x[2]]), &[0.75, 0.3, 0.4]);
        for x in [[0.9, 0.35, 0.6], [0.4, 0.9, 0.2], [0.2, 0.1, 0.95]] {
            failed.extend(difference(name, &program, &x, &plain(x)));
        }
        // The derivative of a number with respect to the point, beside differences.
        let x = [0.9, 0.35, 0.6];
        if let (Ok(gradient), [_]) = (program.gradient(), &plain(x)[..]) {
            let at = |h: f64| plain([0, 1, 2].map(|k| x[k] + h * LINE[k]))[0];
            let want = (at(1e-5) - at(-1e-5)) / 2e-5;
            let got: f64 = gradient.run(&x).unwrap().iter().zip(LINE).map(|(g, v)| g * v).sum();
            let is_near = (got - want).abs() <= 1e-6 * (1.0 + want.abs());
            assert!(is_near, "the gradient of {name}: {got}, expected {want}");
        } else {
            assert!(name.ends_with("packed") || name.ends_with("hessian"), "{name}");
        }
    };
    macro_rules! in_each_number {
        ($($name:ident |$x:ident| $f:expr;)*) => {$({
            fn $name<Y: Real<Base = f64>>($x: [Y; 3]) -> Y { $f }
            in_each_number!(by $name: nested lanes hyper packed series thrice hessian);
        })*};
        (by $name:ident: $($by:ident)*) => {$(
            replay(concat!(stringify!($name), ", ", stringify!($by)), |x| $by($name, x), |x| $by($name, x));
        )*};
    }
    in_each_number! {
        exp |x| Number::exp(x[0] * x[1]);
        ln |x| Number::ln(x[0] * x[1]);
        sin |x| Number::sin(x[0] * x[1]);
        sqrt |x| Number::sqrt(x[0] * x[1]);
        quotient |x| Number::sin(x[0]) / (x[1] + x[2]);
        tanh |x| Number::tanh(x[0] * x[1]);
        atan |x| Number::atan(x[0] * x[1]);
        tan |x| Number::tan(x[0] * x[1]);
        asin |x| Number::asin(x[0] * x[1]);
        acosh |x| Number::acosh(x[0] + x[1] + 1.0);
        powi |x| Number::powi(x[0] * x[1], 5);
        powf |x| Number::powf(x[0] * x[1], 2.5);
        power |x| Number::powf(x[0], x[1]);
        softplus |x| Real::softplus(x[0] * x[1]);
        erf |x| Real::erf(x[0] * x[1]);
        ln_gamma |x| Real::ln_gamma(x[0] * x[1]);
        bessel |x| Real::bessel_j(x[0] + x[1], 2);
        gamma_p |x| Real::gamma_p(x[0], 1.5);
        hypot |x| Real::hypot(x[0], x[1]);
        atan2 |x| Real::atan2(x[0], x[1] * x[2]);
        log |x| Number::ln(x[0]) / Number::ln(x[1] + 2.0);
        logaddexp |x| Real::logaddexp(x[0], x[1] * 3.0);
        maximum |x| Real::max(x[0] * x[0], x[1] * x[2]);
        largest |x| reduce::max(&[x[0] * x[1], x[1], x[2]]).unwrap();
        norm |x| reduce::norm(&x);
        product |x| reduce::product(&x);
        logsumexp |x| reduce::logsumexp(&[x[0] * x[1], x[1] * 2.0, x[2]]);
        softmax |x| reduce::softmax(&[x[0] * x[1], x[1] * 2.0, x[2]])[1];
        log_softmax |x| reduce::log_softmax(&[x[0] * x[1], x[1] * 2.0, x[2]])[0];
    }
    assert!(failed.is_empty(), "{} failed:\n{}", failed.len(), failed.join("\n"));
}

/// Visits the rows of the table and replays their derivatives away from the point of the trace.
struct Rows(Vec<String>);

fn of_one<T: Real<Base = f64>>(rule: impl Unary, x: T) -> [T; 6] {
    let y = twice(x, 1.0).lift1(rule).tangent().tangent();
    let packed = Dual2::<T, 1, 1>::variable(x, 0).lift1(rule).second(0, 0);
    let third = Taylor::<T, 3>::variable(x).lift1(rule).derivatives()[2];
    let series = TaylorDyn::<T, 2>::variable(x, 2).unwrap().lift1(rule).coefficients()[1];
    let swept = wengert::hvp(|x: &[Swept<T>]| x[0].lift1(rule), &[x], &[T::lit(1.0)])[0];
    [y, HyperDual::variable(x).lift1(rule).e12(), packed, third, series, swept]
}
fn of_two<T: Real<Base = f64>>(rule: impl Binary, x: T, y: T) -> [T; 6] {
    let nested = twice(x, 1.0).lift2(twice(y, -0.5), rule).tangent().tangent();
    let hyper = [
        HyperDual::new(x, T::lit(1.0), T::lit(0.0), T::lit(0.0)),
        HyperDual::new(y, T::lit(0.0), T::lit(1.0), T::lit(0.0)),
    ];
    let packed = Dual2::<T, 2, 3>::variable(x, 0).lift2(Dual2::variable(y, 1), rule);
    let swept =
        wengert::hvp(|x: &[Swept<T>]| x[0].lift2(x[1], rule), &[x, y], &[T::lit(1.0), T::lit(-0.5)])[1];
    let series =
        Taylor::<T, 3>::variable(x).lift2(Taylor::new(y, [T::lit(-0.5), T::lit(0.0), T::lit(0.0)]), rule);
    [
        nested,
        hyper[0].lift2(hyper[1], rule).e12(),
        packed.second(0, 1),
        packed.second(1, 1),
        series.derivatives()[2],
        swept,
    ]
}

impl RuleVisitor for Rows {
    fn holomorphic<H: Holomorphic>(&mut self, rule: H, on: [f64; 2]) {
        self.unary(rule, on);
    }
    fn unary<U: Unary>(&mut self, rule: U, [low, high]: [f64; 2]) {
        let at = |share: f64| low + (high - low) * share;
        let program = trace(|x: &[Traced]| of_one(rule, x[0]), &[at(0.3)]);
        for x in [0.05, 0.45, 0.6, 0.9].map(at) {
            self.0.extend(difference(U::NAME, &program, &[x], &of_one(rule, x)));
        }
    }
    fn binary<B: Binary>(&mut self, rule: B, on: [[f64; 2]; 2]) {
        let at = |share: [f64; 2]| [0, 1].map(|k| on[k][0] + (on[k][1] - on[k][0]) * share[k]);
        let program = trace(|x: &[Traced]| of_two(rule, x[0], x[1]), &at([0.3, 0.6]));
        for x in [[0.05, 0.9], [0.45, 0.2], [0.6, 0.55], [0.9, 0.4]].map(at) {
            self.0.extend(difference(B::NAME, &program, &x, &of_two(rule, x[0], x[1])));
        }
    }
}

#[test]
fn every_row_of_the_table_is_right_at_other_points() {
    let mut rows = Rows(Vec::new());
    visit_rules(&mut rows);
    assert!(rows.0.is_empty(), "{} failed:\n{}", rows.0.len(), rows.0.join("\n"));
}

/// First derivatives of complex functions, in both modes.
#[test]
fn complex_gradients_inside_a_trace_are_right_at_other_points() {
    macro_rules! complex {
        ($($name:ident |$z:ident| $f:expr;)*) => {[$((stringify!($name), {
            fn value<T: Real<Base = f64>>(x: &[T]) -> T {
                let $z = T::Complex::from_parts(x[0], x[1]);
                let w = $f;
                w.re() * 2.0 + w.im()
            }
            fn gradients<T: Real<Base = f64>>(x: &[T]) -> Vec<T> {
                let forward = wengert::forward::gradient(value::<DualN<T, 8>>, x);
                [wengert::gradient(value::<Var<T>>, x), forward].concat()
            }
            (gradients as fn(&[Traced]) -> Vec<Traced>, gradients as fn(&[f64]) -> Vec<f64>)
        }),)*]};
    }
    let all = complex! {
        exp |z| Number::exp(z);
        tanh |z| Number::tanh(z);
        asin |z| Number::asin(z);
        acosh |z| Number::acosh(z);
        atan |z| Number::atan(z);
        sech2 |z| Number::sech2(z);
        sinc |z| Number::sinc(z);
        powf |z| Number::powf(z, 2.5);
        unit |z| complex::unit(z);
        arg |z| T::Complex::from_re(complex::arg(z));
    };
    for (name, (traced, plain)) in all {
        let program = trace(traced, &[0.7, 1.3]);
        for x in [[0.9, 0.4], [-0.3, 0.8], [1.5, -0.6]] {
            near(name, &program.run(&x).unwrap_or_else(|e| panic!("{name} at {x:?}: {e}")), &plain(&x));
        }
    }
}

/// A quotient of derivatives that does not exist at another point names the line of the user, not one of this crate.
#[test]
fn lost_quotients_name_the_line_of_the_user() {
    fn quotient<N: Real<Base = f64>>(
        name: &str,
        number: impl Fn(Traced, Traced) -> N,
        read: impl Fn(N) -> Traced,
    ) {
        let one = Traced::constant(1.0);
        let program = trace(|x: &[Traced]| read(number(x[0], one) / number(x[1], one)), &[1.0, 2.0]);
        let Err(error) = program.run(&[0.0, 0.0]) else { panic!("{name}: {program}") };
        assert!(error.to_string().contains("inner.rs"), "{name}: {error}");
    }
    quotient("Dual", Dual::new, Dual::tangent);
    quotient("DualN", |x, v| DualN::<_, 2>::new(x, [v; 2]), |q| q.tangents()[1]);
    quotient("Dual2", |x, v| Dual2::<_, 1, 1>::from_fn(x, |_| v, |_, _| v), |q| q.second(0, 0));
    quotient("HyperDual", |x, v| HyperDual::new(x, v, v, v), HyperDual::e12);
    quotient("nested", |x, v| Dual::new(Dual::new(x, v), Dual::new(v, v)), |q| q.tangent().tangent());
}
