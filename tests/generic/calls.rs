//! Structs with a method `call` are function objects: their data may change from call to call.
use wengert::{ForwardChunk, Function, Reverse, SecondOrder, VectorFunction, function, generic, prepare};

/// Minimize `x₀² + 2x₁² + x₂x₀` subject to `Σ x = 1` and `x₀x₁ = 0.1`.
struct Problem {
    sum: f64,
    product: f64,
}

struct Lagrangian<'a> {
    problem: &'a Problem,
    lambda: &'a [f64],
}

#[generic]
impl Lagrangian<'_> {
    fn call(&self, z: &[f64]) -> f64 {
        let objective = z[0] * z[0] + 2.0 * z[1] * z[1] + z[2] * z[0] + 0.5 * z[2].powi(2);
        objective
            + self.lambda[0] * (z.iter().sum::<f64>() - self.problem.sum)
            + self.lambda[1] * (z[0] * z[1] - self.problem.product)
    }
}

struct Constraints<'a>(&'a Problem);

#[generic]
impl Constraints<'_> {
    fn outputs(&self, _: usize) -> usize {
        2
    }
    fn call(&self, z: &[f64], y: &mut [f64]) {
        y[0] = z.iter().sum::<f64>() - self.0.sum;
        y[1] = z[0] * z[1] - self.0.product;
    }
}

#[generic]
impl Function for Problem {
    fn call(&self, x: &[f64]) -> f64 {
        (self.sum - x[0]).powi(2) / 2.0
    }
}

fn lagrangian<'a>(problem: &'a Problem, lambda: &'a [f64]) -> Lagrangian<'a> {
    Lagrangian { problem, lambda }
}

/// Newton's method on the conditions of optimality, with the Hessian by `hessian`.
fn solve(
    mut hessian: impl FnMut(&Lagrangian, &[f64], &mut [f64]) -> nalgebra::DMatrix<f64>,
) -> ([f64; 3], [f64; 2]) {
    let problem = Problem { sum: 1.0, product: 0.1 };
    let (mut z, mut lambda) = ([0.6, 0.3, 0.1], [0.0; 2]);
    for _ in 0..12 {
        let f = lagrangian(&problem, &lambda);
        let mut g = [0.0; 3];
        let h = hessian(&f, &z, &mut g);
        let (y, j) = Constraints(&problem).value_and_jacobian(&z);
        let mut kkt = nalgebra::DMatrix::zeros(5, 5);
        kkt.view_mut((0, 0), (3, 3)).copy_from(&h);
        kkt.view_mut((3, 0), (2, 3)).copy_from(&j);
        kkt.view_mut((0, 3), (3, 2)).copy_from(&j.transpose());
        let right = nalgebra::dvector![-g[0], -g[1], -g[2], -y[0], -y[1]];
        let step = kkt.lu().solve(&right).unwrap();
        z.iter_mut().zip(&step).for_each(|(z, s)| *z += s);
        lambda.iter_mut().zip(step.iter().skip(3)).for_each(|(l, s)| *l += s);
    }
    (z, lambda)
}

fn is_optimal((z, lambda): ([f64; 3], [f64; 2])) {
    let problem = Problem { sum: 1.0, product: 0.1 };
    let g = lagrangian(&problem, &lambda).gradient(&z);
    let (y, _) = Constraints(&problem).value_and_jacobian(&z);
    assert!(g.iter().chain(&y).all(|r| r.abs() < 1e-13), "{g:?} {y:?}");
    assert!(lambda.iter().all(|l| l.abs() > 0.1), "{lambda:?}");
}

#[test]
fn multipliers_change_from_call_to_call() {
    let mut prepared = prepare::hessian(SecondOrder(ForwardChunk::<4>, Reverse), &[0.0; 3][..]);
    is_optimal(solve(|f, z, g| {
        let mut h = nalgebra::DMatrix::zeros(3, 3);
        prepared.of_object(f).at(z, g, &mut h).unwrap();
        h
    }));
    is_optimal(solve(|f, z, g| {
        g.copy_from_slice(&f.gradient(z));
        f.hessian(z)
    }));
    assert_eq!(Problem { sum: 3.0, product: 0.0 }.gradient(&[1.0]), [-2.0]);
}

#[cfg(feature = "sparse")]
#[test]
fn sparse_hessians_of_changing_functions() {
    let problem = Problem { sum: 1.0, product: 0.1 };
    let mut hessian =
        wengert::sparse::Hessian::new(&lagrangian(&problem, &[1.0, 1.0]), &[0.1, 0.2, 0.3]).unwrap();
    is_optimal(solve(|f, z, g| {
        let mut h = hessian.zeros();
        hessian.of_object(f).at(z, g, &mut h).unwrap();
        nalgebra::DMatrix::from(&h)
    }));
}

/// A closure that reaches `function!` through a macro of the user.
#[test]
fn closures_pass_through_other_macros() {
    macro_rules! gradient_of {
        ($f:expr, $x:expr) => {
            wengert::function!($f).gradient(&$x)
        };
    }
    let g = gradient_of!(|p| p[0] * p[1], [2.0, 3.0]);
    assert_eq!(g, [3.0, 2.0]);
    // A name in a macro's expression is called, not captured.
    #[wengert::generic]
    fn cube(x: f64) -> f64 {
        x * x * x
    }
    macro_rules! slope_of {
        ($f:expr) => {
            wengert::function!(|x| $f(x[0])).gradient(&[2.0])
        };
    }
    assert_eq!(slope_of!(cube), [12.0]);
}

#[test]
fn closures_that_end_with_an_array_have_several_results() {
    let k = 3.0;
    let f = function!(|x, #[data] k: f64| {
        let p = x[0] * x[1];
        [p, k, p.sin() + 1.0, 2.0]
    });
    let (results, j) = f.value_and_jacobian(&[2.0, 5.0]);
    assert_eq!(results, [10.0, 3.0, 10.0_f64.sin() + 1.0, 2.0]);
    let cos = 10.0_f64.cos();
    assert_eq!(j, nalgebra::dmatrix![5.0, 2.0; 0.0, 0.0; 5.0 * cos, 2.0 * cos; 0.0, 0.0]);
    let g = function!(|x: &[f64]| vec![x[0], 2.0 * x[0], x.iter().sum()]);
    assert_eq!(g.jacobian(&[2.0, 5.0]), nalgebra::dmatrix![1.0, 0.0; 2.0, 0.0; 1.0, 1.0]);
    // Each branch may end with one, in a macro of the user too.
    macro_rules! made {
        ($x:ident => $body:expr) => {
            function!(|$x| $body)
        };
    }
    let h = made!(x => match x.len() {
        2 => if x[0] > 3.0 { std::vec![x[0], 1.0] } else { let __results = x[1]; [__results, x[0]] },
        _ => [x[0], x[0]],
    });
    assert_eq!(h.jacobian(&[2.0, 5.0]), nalgebra::dmatrix![0.0, 1.0; 1.0, 0.0]);
    assert_eq!(h.value_and_jacobian(&[4.0, 5.0]), (vec![4.0, 1.0], nalgebra::dmatrix![1.0, 0.0; 0.0, 0.0]));
    assert_eq!(h.jacobian(&[2.0]), nalgebra::dmatrix![1.0; 1.0]);
}

/// The variables that a function object captures, by reference and by value, copied or not.
#[test]
fn closures_capture_data() {
    let (t, y, k, n) = (vec![0.0, 1.0, 2.0], [1.0, 0.5, 0.25], 2.0, 2_usize);
    let loss = function!(|p, #[data] t: &[f64], #[data] y: &[f64], #[data] k: f64, #[data] n: usize| {
        let mut sum = k;
        for (t, y) in t.iter().zip(y).take(n) {
            sum += k * (p[0] * (-p[1] * t).exp() - y).powi(2);
        }
        if sum > k { sum } else { k }
    });
    let by_hand = |p: &[f64]| 2.0 + 2.0 * ((p[0] - 1.0).powi(2) + (p[0] * (-p[1]).exp() - 0.5).powi(2));
    let (value, g) = loss.clone().value_and_gradient(&[2.0, 0.5]);
    assert_eq!(value, by_hand(&[2.0, 0.5]));
    let e = (-0.5_f64).exp();
    assert!((g[0] - 4.0 * (1.0 + (2.0 * e - 0.5) * e)).abs() < 1e-14);
    assert!((g[1] + 8.0 * (2.0 * e - 0.5) * e).abs() < 1e-14);

    // Types of all kinds, before and after the argument, and a number of results that depends on data.
    let (rows, name, pair, cube) = ([&t[..], &y[..]], "a", (2.0, 1_usize), [[0.5; 3]; 2]);
    let (whole, none, flags) = (Some(&t[..]), None::<usize>, (true, 'b'));
    let (place, add): (fn(&[usize]) -> usize, _) = (|v| v.len(), |v: &[usize]| v.len() + 1);
    let add: &dyn Fn(&[usize]) -> usize = &add;
    let f = function!(|#[data] rows: &[&[f64]],
                       x,
                       #[data] name: &'static str,
                       r: [_; rows.len() + pair.1],
                       #[data] pair: (f64, usize),
                       #[data] cube: [[f64; 3]; 2],
                       #[data] whole: Option<&[f64]>,
                       #[data] none: Option<usize>,
                       #[data] flags: (bool, char),
                       #[data] place: fn(&[usize]) -> usize,
                       #[data] add: &dyn Fn(&[usize]) -> usize| {
        let here = vec![0_usize; 1];
        let unused = if none.is_none() && flags.0 && flags.1 == 'b' && name == "a" { 1.0 } else { 0.0 };
        r[0] = rows[0][2] * x[place(&here)] * unused;
        r[1] = rows[1][1] * x[add(&here)] + cube[1][2];
        r[2] = pair.0 * x[0] * whole.map_or(0.0, |w| w[1]);
    });
    let (results, j) = f.value_and_jacobian(&[3.0, 5.0, 7.0]);
    assert_eq!(results, [10.0, 4.0, 6.0]);
    assert_eq!(j, nalgebra::dmatrix![0.0, 2.0, 0.0; 0.0, 0.0, 0.5; 2.0, 0.0, 0.0]);

    // The object owns what it captures by value.
    fn make(rows: Vec<[f64; 2]>, scale: nalgebra::DMatrix<f64>) -> impl VectorFunction {
        function!(|x, r: [_; 2], #[data] rows: Vec<[f64; 2]>, #[data] scale: nalgebra::DMatrix<f64>| {
            for (r, row) in r.iter_mut().zip(rows) {
                *r = scale[(0, 0)] * (row[0] * x[0] - row[1] * x[1].sin());
            }
        })
    }
    let j = make(vec![[1.0, 2.0], [3.0, 4.0]], nalgebra::DMatrix::repeat(1, 1, 0.5)).jacobian(&[0.3, 0.0]);
    assert_eq!(j, nalgebra::dmatrix![0.5, -1.0; 1.5, -2.0]);
}
