//! Every kind of rule at numbers over f32: computed in f64 by closures, in f32 by formulas.

use num_complex::Complex64;
use wengert::primitive::{
    Closures, Direction, Equations, FromRule, Iteration, Objective, Rule, argmin, call, fixed_point,
    from_complex_step, from_finite_differences, from_jvp, from_jvp_and_vjp, from_vjp, overwrite, root,
};
use wengert::{AdError, BaseFloat, Dual, DualN, HyperDual, Number, Real, Tape, Var};

const EPS: f32 = f32::EPSILON;

/// `y = x₀·sin x₁₀, x₀₀x₁₀`, by its derivatives in f64.
fn forms() -> [Closures; 5] {
    let value = |x: &[&[f64]]| vec![x[0][0] * x[1][0].sin(), x[0][0] * x[1][0]];
    let jvp = |x: &[&[f64]], dx: &[&[f64]]| {
        let (s, c) = x[1][0].sin_cos();
        vec![dx[0][0] * s + x[0][0] * c * dx[1][0], dx[0][0] * x[1][0] + x[0][0] * dx[1][0]]
    };
    let vjp = |x: &[&[f64]], w: &[f64]| {
        let (s, c) = x[1][0].sin_cos();
        vec![vec![w[0] * s + w[1] * x[1][0]], vec![(x[0][0] * c) * w[0] + w[1] * x[0][0]]]
    };
    let complex = |x: &[&[Complex64]]| vec![x[0][0] * x[1][0].sin(), x[0][0] * x[1][0]];
    [
        from_jvp("form", 2, value, jvp),
        from_vjp("form", 2, value, vjp),
        from_jvp_and_vjp("form", 2, value, jvp, vjp),
        from_finite_differences("form", 2, value),
        from_complex_step("form", 2, complex),
    ]
}

/// Values and derivatives are the ones of f64 at the same point, rounded.
#[test]
fn closures_are_rounded_once() {
    let (a, b) = (1.7f32, 0.3f32);
    let (s, c) = (b as f64).sin_cos();
    let value = [(a as f64 * s) as f32, (a as f64 * b as f64) as f32];
    let [jvp, vjp, both, points, step] = forms();
    for (form, limit) in [(&jvp, 0.0), (&both, 0.0), (&points, EPS), (&step, EPS)] {
        let y = call(form, &[&[Dual::variable(a)], &[Dual::constant(b)]]).unwrap();
        assert_eq!([y[0].value(), y[1].value()], value);
        assert!((y[0].tangent() - s as f32).abs() <= limit * s as f32, "{:?}", y[0]);
        let y = call(form, &[&[DualN::<f32, 3>::constant(a)], &[DualN::variable(b, 2)]]).unwrap();
        let want = (a as f64 * c) as f32;
        assert!(y[0].tangents()[..2] == [0.0; 2] && (y[0].tangents()[2] - want).abs() <= limit * want);
    }
    for (form, limit) in [(&vjp, 0.0), (&both, 0.0), (&points, EPS), (&step, EPS)] {
        let tape = Tape::new();
        let (x, z) = (tape.variable(a), tape.variable(b));
        let y = call(form, &[&[x], &[z]]).unwrap();
        assert_eq!([y[0].value(), y[1].value()], value);
        let dy = tape.cotangents(y[0]);
        let want = [s as f32, (a as f64 * c) as f32];
        for (got, want) in [dy.of(x), dy.of(z)].into_iter().zip(want) {
            assert!((got - want).abs() <= limit * want, "{got} {want}");
        }
    }
    let refused = call(&both, &[&[HyperDual::variable(a)], &[HyperDual::constant(b)]]).unwrap_err();
    assert_eq!(refused, AdError::Unsupported { op: "form", rule: "second order" });
    let mut x = [2.0f32, 3.0];
    let double = from_vjp(
        "double",
        1,
        |x| x[0].iter().map(|x| 2.0 * x).collect(),
        |_, w| vec![w.iter().map(|w| 2.0 * w).collect()],
    );
    let done = overwrite(&double, &mut x).unwrap();
    let mut w = [1.0f32, 0.5];
    assert_eq!(x, [4.0, 6.0]);
    done.undo(&mut x, &mut w).unwrap();
    assert_eq!((x, w), ([2.0, 3.0], [2.0, 1.0]));
}

/// One implementation for both base floats: `y² = x₀x₁` in four forms.
#[derive(Clone)]
struct Mean;

fn mean<F: BaseFloat>(x: &[&[F]]) -> Vec<F> {
    vec![Number::sqrt(x[0][0] * x[1][0])]
}

impl<F: BaseFloat> Rule<F> for Mean {
    fn name(&self) -> &'static str {
        "mean"
    }
    fn arity(&self) -> usize {
        2
    }
    fn supports(&self, _: Direction) -> bool {
        true
    }
    fn value(&self, x: &[&[F]]) -> Result<Vec<F>, AdError> {
        Ok(mean(x))
    }
    fn jvp<T: Real<Base = F>>(&self, x: &[&[T]], y: &[T], dx: &[Option<&[T]>], dy: &mut [T]) {
        (0..2).for_each(|i| dx[i].iter().for_each(|dx| dy[0] += x[1 - i][0] * dx[0] / (y[0] + y[0])));
    }
    fn vjp<T: Real<Base = F>>(&self, x: &[&[T]], y: &[T], w: &[T], dx: &mut [Option<&mut [T]>]) {
        (0..2).for_each(|i| dx[i].iter_mut().for_each(|dx| dx[0] += x[1 - i][0] * w[0] / (y[0] + y[0])));
    }
}

impl<F: BaseFloat> Equations<F> for Mean {
    fn name(&self) -> &'static str {
        "mean"
    }
    fn solution(&self, x: &[&[F]]) -> Result<Vec<F>, AdError> {
        Ok(mean(x))
    }
    fn residual<T: Real<Base = F>>(&self, x: &[&[T]], y: &[T]) -> Vec<T> {
        vec![y[0] * y[0] - x[0][0] * x[1][0]]
    }
}

impl<F: BaseFloat> Iteration<F> for Mean {
    fn name(&self) -> &'static str {
        "mean"
    }
    fn limit(&self, x: &[&[F]]) -> Result<Vec<F>, AdError> {
        Ok(mean(x))
    }
    fn step<T: Real<Base = F>>(&self, x: &[&[T]], y: &[T]) -> Vec<T> {
        vec![(y[0] + x[0][0] * x[1][0] / y[0]) * T::lit(0.5)]
    }
}

impl<F: BaseFloat> Objective<F> for Mean {
    fn name(&self) -> &'static str {
        "mean"
    }
    fn minimiser(&self, x: &[&[F]]) -> Result<Vec<F>, AdError> {
        Ok(mean(x))
    }
    fn value<T: Real<Base = F>>(&self, x: &[&[T]], y: &[T]) -> T {
        y[0] * y[0] * y[0] / T::lit(3.0) - x[0][0] * x[1][0] * y[0]
    }
}

/// The mean in a form, by number.
fn by<T: Real>(form: usize, x: &[&[T]]) -> T {
    let y = match form {
        0 => call(&FromRule(Mean), x),
        1 => root(&Mean, x),
        2 => fixed_point(&Mean, x),
        _ => argmin(&Mean, x),
    };
    y.unwrap()[0]
}

/// At (2, 4.5): y = 3, ∂ = ¾ and ⅓, mixed ∂ = 1/(4y).
fn holds<F: BaseFloat>(eps: F) {
    let (a, b) = (F::from_double(2.0), F::from_double(4.5));
    let near = |got: F, want: f64| {
        let want = F::from_double(want);
        assert!((got - want).abs() <= F::from_double(4.0) * eps * want, "{got} {want}");
    };
    for form in 0..4 {
        let y = by(form, &[&[Dual::variable(a)], &[Dual::constant(b)]]);
        near(y.value(), 3.0);
        near(y.tangent(), 0.75);
        let tape = Tape::new();
        let (x, z) = (tape.variable(a), tape.variable(b));
        let dy = tape.cotangents(by(form, &[&[x], &[z]]));
        near(dy.of(x), 0.75);
        near(dy.of(z), 1.0 / 3.0);
        let tape = Tape::new();
        let (x, z) = (tape.variable(Dual::constant(a)), tape.variable(Dual::variable(b)));
        near(tape.cotangents(by(form, &[&[x], &[z]])).of(x).tangent(), 1.0 / 12.0);
        let one = F::from_double(1.0);
        let zero = F::from_double(0.0);
        let (x, z) = (HyperDual::new(a, one, zero, zero), HyperDual::new(b, zero, one, zero));
        near(by(form, &[&[x], &[z]]).e12(), 1.0 / 12.0);
        let y = by(form, &[&[Var::constant(a)], &[Var::constant(b)]]);
        near(y.value(), 3.0);
    }
}

#[test]
fn formulas_and_equations_serve_both_machine_floats() {
    holds::<f32>(f32::EPSILON);
    holds::<f64>(f64::EPSILON);
    assert_eq!(by(1, &[&[2.0f32], &[4.5]]).detach(), 3.0);
}
