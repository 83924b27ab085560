//! Primitives within programs: one operation each, with derivatives of any nesting.

use wengert::primitive::{Direction, FromRule, Rule, call, from_jvp, from_jvp_and_vjp, from_vjp};
use wengert::programs::{Program, Traced, trace};
use wengert::{AdError, Dual, Number, Real};

/// `y = (x₀²·x₁, x₀·x₁³)`, opaque, of two groups.
#[derive(Clone)]
struct Pair;

impl Rule for Pair {
    fn name(&self) -> &'static str {
        "pair"
    }
    fn arity(&self) -> usize {
        2
    }
    fn supports(&self, _: Direction) -> bool {
        true
    }
    fn value(&self, x: &[&[f64]]) -> Result<Vec<f64>, AdError> {
        let (a, b) = (x[0][0], x[1][0]);
        Ok(vec![a * a * b, a * b * b * b])
    }
    fn jvp<T: Real<Base = f64>>(&self, x: &[&[T]], _: &[T], dx: &[Option<&[T]>], dy: &mut [T]) {
        let (a, b) = (x[0][0], x[1][0]);
        if let Some(da) = dx[0] {
            dy[0] += a * b * da[0] * 2.0;
            dy[1] += b * b * b * da[0];
        }
        if let Some(db) = dx[1] {
            dy[0] += a * a * db[0];
            dy[1] += a * b * b * db[0] * 3.0;
        }
    }
    fn vjp<T: Real<Base = f64>>(&self, x: &[&[T]], _: &[T], w: &[T], dx: &mut [Option<&mut [T]>]) {
        let (a, b) = (x[0][0], x[1][0]);
        if let Some(da) = &mut dx[0] {
            da[0] += a * b * w[0] * 2.0 + b * b * b * w[1];
        }
        if let Some(db) = &mut dx[1] {
            db[0] += a * a * w[0] + a * b * b * w[1] * 3.0;
        }
    }
}

/// The rule between operations, of one variable.
fn through<T: Real<Base = f64, Primal = f64>>(x: T) -> T {
    let y = call(&FromRule(Pair), &[&[x.sin() + 1.5], &[x * 2.0]]).unwrap();
    y[0] * y[1].sqrt()
}

fn next(program: &Program, forward: bool) -> Program {
    if forward {
        let jvp = program.jvp().unwrap();
        trace(|x: &[Traced]| jvp.call(&[x[0], Traced::constant(1.0)]).unwrap()[1], &[0.8])
    } else {
        program.gradient().unwrap()
    }
}

#[test]
fn a_rule_has_its_derivatives_in_all_nestings() {
    let program = trace(|x: &[Traced]| through(x[0]), &[0.8]);
    assert_eq!(program.calls().len(), 1);
    let x = 1.1;
    let d = through(Dual::variable(Dual::variable(Dual::variable(Dual::variable(x)))));
    let want = [
        d.value().value().value().tangent(),
        d.value().value().tangent().tangent(),
        d.value().tangent().tangent().tangent(),
        d.tangent().tangent().tangent().tangent(),
    ];
    for mode in 0..16 {
        let mut derivative = program.clone();
        for (order, want) in want.iter().enumerate() {
            derivative = next(&derivative, mode >> order & 1 == 1);
            let got = derivative.run(&[x]).unwrap()[0];
            assert!((got - want).abs() <= 1e-13 * want.abs(), "{mode:b} {order}: {got} {want}");
        }
    }
}

#[test]
fn missing_rules_are_named() {
    let value = |x: &[&[f64]]| vec![x[0][0].powi(3)];
    let only_jvp = from_jvp("cube", 1, value, |x, dx| vec![3.0 * x[0][0].powi(2) * dx[0][0]]);
    let program = trace(|x: &[Traced]| call(&only_jvp, &[x]).unwrap()[0], &[2.0]);
    assert_eq!(program.jvp().unwrap().run(&[3.0, 1.0]).unwrap(), [27.0, 27.0]);
    let error = program.gradient().err().unwrap();
    assert_eq!(error, AdError::Unsupported { op: "cube", rule: "vjp" });
    let only_vjp = from_vjp("cube", 1, value, |x, w| vec![vec![3.0 * x[0][0].powi(2) * w[0]]]);
    let program = trace(|x: &[Traced]| call(&only_vjp, &[x]).unwrap()[0], &[2.0]);
    assert_eq!(program.value_and_gradient().unwrap().run(&[3.0]).unwrap(), [27.0, 27.0]);
    assert_eq!(program.jvp().err().unwrap(), AdError::Unsupported { op: "cube", rule: "jvp" });
    // A Jacobian takes the direction that all primitives have.
    let product = from_jvp(
        "product",
        1,
        |x| vec![x[0][0] * x[0][1]],
        |x, dx| vec![x[0][0] * dx[0][1] + x[0][1] * dx[0][0]],
    );
    let row = trace(|x: &[Traced]| call(&product, &[x]).unwrap()[0], &[1.0, 2.0]).jacobian().unwrap();
    assert_eq!(row.run(&[3.0, 4.0]).unwrap(), [4.0, 3.0]);
    let column = trace(|x: &[Traced]| [call(&only_vjp, &[x]).unwrap()[0], x[0]], &[2.0]).jacobian().unwrap();
    assert_eq!(column.run(&[3.0]).unwrap(), [27.0, 1.0]);
    // Without any use, no rule is missed.
    let unused = trace(
        |x: &[Traced]| {
            call(&only_jvp, &[x]).unwrap();
            x[0] * 2.0
        },
        &[2.0],
    );
    assert_eq!(unused.gradient().unwrap().run(&[3.0]).unwrap(), [2.0]);
}

#[test]
fn inactive_groups_and_unused_results_produce_nothing() {
    let product = from_jvp_and_vjp(
        "product",
        2,
        |x| vec![x[0][0] * x[1][0], x[0][0]],
        |x, dx| vec![dx[0][0] * x[1][0] + x[0][0] * dx[1][0], dx[0][0]],
        |x, w| vec![vec![x[1][0] * w[0] + w[1]], vec![x[0][0] * w[0]]],
    );
    let f = |x: &[Traced]| call(&product, &[&x[..1], &[Traced::constant(5.0)]]).unwrap()[0];
    let gradient = trace(f, &[2.0]).gradient().unwrap();
    assert_eq!(gradient.run(&[3.0]).unwrap(), [5.0]);
    let wanted: Vec<String> = gradient.calls().iter().map(|call| format!("{:?}", call.kind)).collect();
    assert_eq!(wanted, ["Cotangent { order: 1, wanted: [true, false] }"]);
}

#[test]
fn errors_that_were_handled_are_branches() {
    let f = |x: &[Traced]| {
        let product = from_vjp("limited", 1, |x| vec![x[0][0]], |_, w| vec![w.to_vec()]);
        let checked = FromRule(Checked);
        call(&checked, &[x]).map_or_else(|_| call(&product, &[x]).unwrap()[0], |y| y[0])
    };
    let failed = trace(f, &[-1.0]);
    assert_eq!(failed.run(&[-2.0]).unwrap(), [-2.0]);
    let error = failed.run(&[2.0]).unwrap_err();
    assert!(matches!(error, AdError::BranchChanged { op: "checked", .. }), "{error}");
    let passed = trace(f, &[1.0]);
    assert_eq!(passed.run(&[4.0]).unwrap(), [2.0]);
    assert_eq!(passed.run(&[-4.0]).unwrap_err(), AdError::NoDirection { op: "checked" });
}

/// A root that is refused for negative numbers.
#[derive(Clone)]
struct Checked;

impl Rule for Checked {
    fn name(&self) -> &'static str {
        "checked"
    }
    fn arity(&self) -> usize {
        1
    }
    fn supports(&self, _: Direction) -> bool {
        false
    }
    fn value(&self, x: &[&[f64]]) -> Result<Vec<f64>, AdError> {
        if x[0][0] < 0.0 { Err(AdError::NoDirection { op: "checked" }) } else { Ok(vec![x[0][0].sqrt()]) }
    }
}

#[cfg(feature = "nalgebra")]
#[test]
fn products_of_matrices_are_operations() {
    use nalgebra::DMatrix;
    use wengert::matrix::{expm, matmul};
    fn f<T: Real<Base = f64, Primal = f64>>(x: &[T]) -> T {
        let a = DMatrix::from_fn(14, 14, |i, j| x[(i * 3 + j) % 4] * (1.0 / (1 + i + j) as f64));
        let b = matmul(&a, &a);
        let e = expm(&(b * T::lit(0.1))).unwrap();
        Number::sin(e[(0, 1)]) + e[(2, 1)]
    }
    let x = [0.3, -0.2, 0.5, 0.1];
    let program = trace(|x: &[Traced]| f(x), &[0.1, 0.2, 0.3, 0.4]);
    assert!(program.calls().len() <= 2, "{}", program.calls().len());
    let want = wengert::gradient(f, &x);
    let got = program.gradient().unwrap().run(&x).unwrap();
    for (got, want) in got.iter().zip(want) {
        assert!((got - want).abs() <= 1e-13 * want.abs(), "{got} {want}");
    }
    let want = wengert::forward::hessian(f, &x);
    for (i, got) in program.hessian().unwrap().run(&x).unwrap().iter().enumerate() {
        let want = want[(i / 4, i % 4)];
        assert!((got - want).abs() <= 1e-12 * want.abs().max(1e-3), "{got} {want}");
    }
}

#[cfg(feature = "nalgebra")]
mod matrices {
    use nalgebra::{DMatrix, DVector};
    use wengert::matrix::{
        cholesky, det, inverse, ln_abs_det, lstsq, solve, solve_transpose, svd, symmetric_eigen,
    };
    use wengert::programs::{Traced, trace};
    use wengert::{AdError, Real};

    /// Positive definite, of a few parameters.
    fn matrix<T: Real<Base = f64>>(n: usize, x: &[T]) -> DMatrix<T> {
        DMatrix::from_fn(n, n, |i, j| {
            let off = x[(i + j) % 3] * (1.0 / (1 + i + j) as f64);
            if i == j { off + 3.0 + i as f64 } else { off }
        })
    }

    fn all<T: Real<Base = f64, Primal = f64>>(n: usize, x: &[T]) -> Vec<T> {
        let (a, b) = (matrix(n, x), DVector::from_fn(n, |i, _| x[i % 3] * (1.0 + i as f64)));
        let tall = DMatrix::from_fn(n + 1, n, |i, j| if i < n { a[(i, j)] } else { x[j % 3] });
        let c = DVector::from_fn(n + 1, |i, _| x[i % 3] + i as f64);
        let eigen = symmetric_eigen(&a).unwrap();
        let parts = svd(&a).unwrap();
        vec![
            solve(&a, &b).unwrap()[0],
            solve_transpose(&a, &b).unwrap()[n - 1],
            det(&a),
            ln_abs_det(&a).unwrap().re(),
            inverse(&a).unwrap()[(0, n - 1)],
            cholesky(&a).unwrap()[(n - 1, 0)],
            lstsq(&tall, &c).unwrap()[0],
            eigen.eigenvalues[0].re() + eigen.eigenvectors[(0, 0)] * eigen.eigenvectors[(0, 0)],
            parts.singular_values[0].re() + parts.u[(0, 0)] * parts.v_t[(0, 0)],
        ]
    }

    #[test]
    fn functions_of_matrices_replay_at_other_points() {
        for n in [2, 3, 9] {
            let program = trace(|x: &[Traced]| all(n, x), &[0.3, 0.2, 0.4]);
            assert_eq!(program.calls().len(), 9);
            let x = [0.7, -0.3, 0.1];
            let bits = |y: Vec<f64>| y.into_iter().map(f64::to_bits).collect::<Vec<_>>();
            assert_eq!(bits(program.run(&x).unwrap()), bits(all(n, &x)), "{n}");
            let jacobian = program.jacobian().unwrap().run(&x).unwrap();
            let want = wengert::jacobian(|x| all(n, x), &x);
            let by_rows = program.vjp().unwrap();
            for i in 0..9 {
                let mut at = x.to_vec();
                at.extend((0..9).map(|k| if k == i { 1.0 } else { 0.0 }));
                let row = by_rows.run(&at).unwrap();
                for j in 0..3 {
                    let want = want[(i, j)];
                    for got in [jacobian[i * 3 + j], row[9 + j]] {
                        assert!(
                            (got - want).abs() <= 1e-12 * want.abs().max(1e-2),
                            "{n} {i} {j}: {got} {want}"
                        );
                    }
                }
            }
        }
    }

    #[test]
    fn second_derivatives_of_matrix_functions_are_those_of_the_eager_modes() {
        for n in [2, 9] {
            let sum = |y: Vec<Traced>| y.into_iter().sum::<Traced>();
            let program = trace(|x: &[Traced]| sum(all(n, x)), &[0.3, 0.2, 0.4]);
            let x = [0.7, -0.3, 0.1];
            let want = wengert::forward::hessian(|x| all(n, x).into_iter().sum(), &x);
            for (i, got) in program.hessian().unwrap().run(&x).unwrap().into_iter().enumerate() {
                let want = want[(i / 3, i % 3)];
                assert!((got - want).abs() <= 1e-11 * want.abs().max(1.0), "{n} {i}: {got} {want}");
            }
        }
    }

    #[test]
    fn failures_elsewhere_are_named() {
        let program = trace(|x: &[Traced]| cholesky(&DMatrix::from_element(1, 1, x[0])).unwrap()[0], &[4.0]);
        assert_eq!(program.run(&[9.0]).unwrap(), [3.0]);
        let error = program.run(&[-9.0]).unwrap_err();
        assert_eq!(error, AdError::NotPositiveDefinite { op: "cholesky", pivot: 0 });
    }
}

thread_local! {
    static EVALUATIONS: std::cell::Cell<usize> = const { std::cell::Cell::new(0) };
}

/// A square that counts its evaluations.
#[derive(Clone)]
struct Counted;

impl Rule for Counted {
    fn name(&self) -> &'static str {
        "counted"
    }
    fn arity(&self) -> usize {
        1
    }
    fn supports(&self, direction: Direction) -> bool {
        direction == Direction::Vjp
    }
    fn value(&self, x: &[&[f64]]) -> Result<Vec<f64>, AdError> {
        EVALUATIONS.set(EVALUATIONS.get() + 1);
        Ok(vec![x[0][0] * x[0][0]])
    }
    fn vjp<T: Real<Base = f64>>(&self, x: &[&[T]], _: &[T], w: &[T], dx: &mut [Option<&mut [T]>]) {
        dx[0].as_mut().unwrap()[0] += x[0][0] * w[0] * 2.0;
    }
}

#[test]
fn value_and_derivatives_share_one_linearization() {
    let f = |x: &[Traced]| call(&FromRule(Counted), &[x]).unwrap()[0];
    let rows = trace(|x: &[Traced]| [f(x), f(x).sin()], &[2.0]).jacobian().unwrap();
    let both = trace(f, &[2.0]).value_and_gradient().unwrap();
    EVALUATIONS.set(0);
    assert_eq!(both.run(&[3.0]).unwrap(), [9.0, 6.0]);
    assert_eq!(EVALUATIONS.get(), 1);
    // Rows, although there is one column: the rule has no tangents.
    assert_eq!(rows.run(&[3.0]).unwrap(), [6.0, 6.0 * 9f64.cos()]);
}
