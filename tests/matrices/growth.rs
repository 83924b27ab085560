//! The cost of functions of matrices at power series, and the identities that they satisfy to high orders.

use fastrand::Rng;
use nalgebra::{Complex, DMatrix, Dyn, OMatrix};
use wengert::matrix::{self, Entry};
use wengert::primitive::{Equations, FromRule, Rule, call, root};
use wengert::rules::ExpBase;
use wengert::{AdError, Dual, Real, Tape, Taylor, TaylorDyn, Var, primitive::Direction};

use super::functions::{Function, Sizes};
use super::programs::Program;

type Series = TaylorDyn<Var<f64>, 16>;

/// How many numbers a tape records while the coefficients of the results are computed: of a product or a solution of
/// matrices one for each entry.
fn recorded(order: usize, f: impl FnOnce(&mut dyn FnMut(f64) -> Series)) -> usize {
    let (tape, mut random) = (Tape::new(), Rng::with_seed(24));
    let before = std::cell::Cell::new(0);
    f(&mut |x| {
        let bent: Vec<f64> =
            (0..=order).map(|k| if k == 0 { x } else { 0.1 * (random.f64() - 0.5) }).collect();
        let series = TaylorDyn::new(&tape.variables(&bent)).unwrap();
        before.set(tape.stats().nodes);
        series
    });
    tape.stats().nodes - before.get()
}

/// Cost of the second half of the orders: 4 where all is convolutions, 8 and more where work is done again at each order.
fn growth(name: &str, counts: [usize; 3], found: &mut Vec<String>) {
    let [few, some, many] = counts.map(|c| c as f64);
    println!("{name}: {counts:?}, {:.2}, {:.2}", some / few, many / some);
    if many > 4.7 * some {
        found.push(format!("{name}: {counts:?}"));
    }
}

#[test]
fn functions_of_matrices_take_the_square_of_the_order() {
    let (mut found, sizes) = (Vec::new(), Sizes { m: 7, k: 7, n: 7 });
    for &function in Function::ALL {
        // Its divided differences end at the fourth order.
        if function.0 == "symmetric_function" {
            continue;
        }
        let counts = [4, 8, 16].map(|order| {
            recorded(order, |bend| {
                let mut random = Rng::with_seed(8);
                let values: Vec<_> =
                    function.inputs(sizes).iter().map(|i| i.value(&mut random, false)).collect();
                let x: Vec<_> = values.iter().map(|x| x.map(|z| bend(z.re))).collect();
                function.call(&x).unwrap();
            })
        });
        growth(function.0, counts, &mut found);
    }
    assert!(found.is_empty(), "{}:\n{}", found.len(), found.join("\n"));
}

/// `y³ᵢ + xᵢy_{i+1} = 1 + xᵢ`, near 1.
#[derive(Clone)]
struct Cubes;
impl Equations for Cubes {
    fn name(&self) -> &'static str {
        "cubes"
    }
    fn solution(&self, x: &[&[f64]]) -> Result<Vec<f64>, AdError> {
        Ok(vec![1.0; x[0].len()])
    }
    fn residual<T: Real<Base = f64>>(&self, x: &[&[T]], y: &[T]) -> Vec<T> {
        let n = y.len();
        (0..n).map(|i| y[i] * y[i] * y[i] + x[0][i] * y[(i + 1) % n] - x[0][i] - T::lit(1.0)).collect()
    }
}

/// `e^(x₀x₁)`, whose formula reads only the argument.
#[derive(Clone)]
struct Product;
impl Rule for Product {
    fn name(&self) -> &'static str {
        "product"
    }
    fn arity(&self) -> usize {
        1
    }
    fn supports(&self, direction: Direction) -> bool {
        direction == Direction::Jvp || direction == Direction::Vjp
    }
    fn value(&self, x: &[&[f64]]) -> Result<Vec<f64>, AdError> {
        Ok(vec![(x[0][0] * x[0][1]).exp()])
    }
    fn jvp<T: Real<Base = f64>>(&self, x: &[&[T]], _: &[T], dx: &[Option<&[T]>], dy: &mut [T]) {
        let (x, dx) = (x[0], dx[0].unwrap());
        dy[0] += (x[0] * x[1]).exp() * (x[0] * dx[1] + dx[0] * x[1]);
    }
    fn vjp<T: Real<Base = f64>>(&self, x: &[&[T]], _: &[T], w: &[T], dx: &mut [Option<&mut [T]>]) {
        let (x, e) = (x[0], (x[0][0] * x[0][1]).exp() * w[0]);
        let dx = dx[0].as_mut().unwrap();
        dx[0] += e * x[1];
        dx[1] += e * x[0];
    }
}

#[test]
fn users_primitives_and_roots_take_the_square_of_the_order() {
    let mut found = Vec::new();
    let counts = [4, 8, 16].map(|order| {
        recorded(order, |bend| {
            let x = [0.3, 0.5, 0.2].map(bend);
            root(&Cubes, &[&x]).unwrap();
        })
    });
    growth("root", counts, &mut found);
    let counts = [4, 8, 16].map(|order| {
        recorded(order, |bend| {
            let x = [0.3, 0.5].map(bend);
            call(&FromRule(Product), &[&x]).unwrap();
        })
    });
    growth("rule", counts, &mut found);
    assert!(found.is_empty(), "{}:\n{}", found.len(), found.join("\n"));
}

const K: usize = 20;

fn bent<S: Entry<Base = f64>>(x: &DMatrix<Complex<f64>>, make: impl FnMut(Complex<f64>) -> S) -> DMatrix<S> {
    x.map(make)
}

/// The largest coefficient of a difference, compared with the coefficients of its terms.
fn differ(what: &str, a: &DMatrix<Complex<Taylor<f64, K>>>, b: &DMatrix<Complex<Taylor<f64, K>>>, size: f64) {
    assert_eq!(a.shape(), b.shape(), "{what}");
    for k in 0..=K {
        let part = |x: &DMatrix<Complex<Taylor<f64, K>>>| {
            x.map(|z| Complex::new(z.re.coefficient(k), z.im.coefficient(k)))
        };
        let (a, b) = (part(a), part(b));
        let error = (&a - &b).iter().map(|z| z.norm()).fold(0.0, f64::max);
        // Coefficients of curves that are analytic within a radius of about 1.
        assert!(error <= 1e-12 * size, "{what} order {k}: off by {error:e}");
    }
}

type M<S> = OMatrix<S, Dyn, Dyn>;

/// The equations that define the results, to order 20.
fn laws<S>(complex: bool, mut make: impl FnMut(Complex<f64>) -> S)
where
    S: Entry<Base = f64, Re = Taylor<f64, K>>,
{
    let mut random = Rng::with_seed(3);
    let whole = |x: &M<S>| x.map(|x| Complex::new(x.real_part(), x.imaginary_part()));
    let mut input = |i: super::functions::Input| bent(&i.value(&mut random, complex), &mut make);
    use super::functions::Input::{Any, Definite, Distinct, Regular, Spread, Stable};
    let hermitian = |a: &M<S>| {
        M::from_fn(a.nrows(), a.ncols(), |i, j| (a[(i, j)] + a[(j, i)].conjugated()) * S::constant(0.5))
    };
    let one = |n: usize| M::from_fn(n, n, |i, j| S::constant(if i == j { 1.0 } else { 0.0 }));
    let (a, b) = (input(Regular(7)), input(Any(7, 3)));
    let check =
        |what: &str, got: &M<S>, want: &M<S>, size: f64| differ(what, &whole(got), &whole(want), size);
    check("solve", &matrix::matmul(&a, &matrix::solve(&a, &b).unwrap()), &b, 10.0);
    check("inverse", &matrix::matmul(&a, &matrix::inverse(&a).unwrap()), &one(7), 10.0);
    let (rows, l, u) = matrix::lu(&a).unwrap();
    let permuted = M::from_fn(7, 7, |i, j| a[(rows[i], j)]);
    check("lu", &matrix::matmul(&l, &u), &permuted, 100.0);
    for shape in [(9, 7), (7, 7)] {
        let a = input(Spread(shape.0, shape.1));
        let (q, r) = matrix::qr(&a).unwrap();
        check("qr", &matrix::matmul(&q, &r), &a, 100.0);
        check("q", &matrix::matmul_hn(&q, &q), &one(7), 1.0);
    }
    for shape in [(9, 7), (7, 7), (7, 9)] {
        let a = input(Spread(shape.0, shape.1));
        let svd = matrix::svd(&a).unwrap();
        let scaled = M::from_fn(shape.0, 7, |i, j| svd.u[(i, j)] * S::of_real(svd.singular_values[j]));
        check("svd", &matrix::matmul(&scaled, &svd.v_t), &a, 100.0);
        check("u", &matrix::matmul_hn(&svd.u, &svd.u), &one(7), 1.0);
        check("v", &matrix::matmul_nh(&svd.v_t, &svd.v_t), &one(7), 1.0);
        let y = matrix::pinv(&a).unwrap();
        let (ay, ya) = (matrix::matmul(&a, &y), matrix::matmul(&y, &a));
        check("pinv", &matrix::matmul(&ay, &a), &a, 100.0);
        check("pinv, its own", &matrix::matmul(&ya, &y), &y, 10.0);
        check("pinv, left", &ay, &hermitian(&ay), 1.0);
        check("pinv, right", &ya, &hermitian(&ya), 1.0);
    }
    let a = hermitian(&input(Definite(7)));
    let l = matrix::cholesky(&a).unwrap();
    check("cholesky", &matrix::matmul_nh(&l, &l), &a, 100.0);
    let root = matrix::symmetric_sqrt(&a).unwrap();
    check("symmetric_sqrt", &matrix::matmul(&root, &root), &a, 100.0);
    let tenth = a.map(|x| x * S::constant(0.1));
    check("symmetric_exp", &matrix::symmetric_exp(&tenth).unwrap(), &matrix::expm(&tenth).unwrap(), 100.0);
    let a = hermitian(&input(Distinct(7)));
    let eigen = matrix::symmetric_eigen(&a).unwrap();
    let v = M::from_fn(7, 7, |i, j| eigen.eigenvectors[(i, j)]);
    let scaled = M::from_fn(7, 7, |i, j| v[(i, j)] * S::of_real(eigen.eigenvalues[j]));
    check("symmetric_eigen", &matrix::matmul_nh(&scaled, &v), &a, 100.0);
    check("its vectors", &matrix::matmul_hn(&v, &v), &one(7), 1.0);
    let values = matrix::symmetric_eigenvalues(&a).unwrap();
    let diagonal = |x: &dyn Fn(usize) -> S| M::from_fn(7, 1, |i, _| x(i));
    check(
        "symmetric_eigenvalues",
        &diagonal(&|i| S::of_real(values[i])),
        &diagonal(&|i| S::of_real(eigen.eigenvalues[i])),
        10.0,
    );
    let (a, b, c) = (input(Stable(7)), input(Stable(8)), input(Any(7, 8)));
    let x = matrix::sylvester(&a, &b, &c).unwrap();
    check("sylvester", &(matrix::matmul(&a, &x) + matrix::matmul(&x, &b)), &c, 10.0);
    let (a, b) = (input(Spread(9, 7)), input(Any(9, 2)));
    let rest = &b - matrix::matmul(&a, &matrix::lstsq(&a, &b).unwrap());
    check("lstsq", &matrix::matmul_hn(&a, &rest), &(M::from_fn(7, 2, |_, _| S::constant(0.0))), 100.0);
    // e^A·e^(−A) = 1, det e^A = e^(tr A), det by triangles.
    let a = input(Any(7, 7));
    let (e, inverse) = (matrix::expm(&a).unwrap(), matrix::expm(&-a.clone()).unwrap());
    check("expm", &matrix::matmul(&e, &inverse), &one(7), 100.0);
    let number = |x: S| M::from_fn(1, 1, |_, _| x);
    check("det", &number(matrix::det(&e) * matrix::det(&inverse)), &number(S::constant(1.0)), 10.0);
    let a = input(Spread(7, 7));
    let eigen = matrix::eigen(&a).unwrap();
    let a = whole(&a);
    let (values, v) =
        (super::programs::out("λ", &eigen.eigenvalues).1, super::programs::out("V", &eigen.eigenvectors).1);
    let product = |x: &DMatrix<Complex<Taylor<f64, K>>>, y: &DMatrix<Complex<Taylor<f64, K>>>| {
        DMatrix::from_fn(x.nrows(), y.ncols(), |i, j| {
            (0..x.ncols()).fold(Complex::new(Taylor::constant(0.0), Taylor::constant(0.0)), |s, k| {
                s + x[(i, k)] * y[(k, j)]
            })
        })
    };
    let scaled = DMatrix::from_fn(7, 7, |i, j| v[(i, j)] * values[(j, 0)]);
    differ("eigen", &product(&a, &v), &scaled, 100.0);
    let norms = DMatrix::from_fn(1, 7, |_, j| {
        let sum = v.column(j).iter().fold(Taylor::constant(0.0), |s, z| s + z.re * z.re + z.im * z.im);
        Complex::new(sum, Taylor::constant(0.0))
    });
    let ones = norms.map(|_| Complex::new(Taylor::constant(1.0), Taylor::constant(0.0)));
    differ("norms of eigenvectors", &norms, &ones, 1.0);
}

fn curve(x: f64, random: &mut Rng) -> Taylor<f64, K> {
    let mut size = 0.3;
    Taylor::new(
        x,
        std::array::from_fn(|_| {
            size *= 0.5;
            size * (2.0 * random.f64() - 1.0)
        }),
    )
}

#[test]
fn the_laws_of_factors_and_solutions_hold_to_the_twentieth_order() {
    let mut random = Rng::with_seed(7);
    laws::<Taylor<f64, K>>(false, |z| curve(z.re, &mut random));
    laws::<Complex<Taylor<f64, K>>>(true, |z| {
        Complex::new(curve(z.re, &mut random), curve(z.im, &mut random))
    });
}

/// The tangent is a series too, and equal eigenvalues are no exception.
#[test]
fn roots_and_powers_with_their_tangents_satisfy_their_equations_to_the_twentieth_order() {
    let mut random = Rng::with_seed(11);
    let mut hermitian = |value: &dyn Fn(usize, usize) -> f64| {
        let a = DMatrix::from_fn(5, 5, |i, j| curve(value(i, j), &mut random));
        (&a + a.transpose()) * Taylor::constant(0.5)
    };
    let point = |i: usize, j: usize| if i == j { [4.0, 4.0, 4.0, 9.0, 9.0][i] } else { 0.0 };
    let (a, e) = (hermitian(&point), hermitian(&|i, j| (i + j) as f64));
    let y = matrix::symmetric_sqrt(&a.zip_map(&e, Dual::new)).unwrap();
    let (root, z) = (y.map(|y| y.value()), y.map(|y| y.tangent()));
    let whole = |x: &DMatrix<Taylor<f64, K>>| x.map(|x| Complex::new(x, Taylor::constant(0.0)));
    differ("root", &whole(&(&root * &root)), &whole(&a), 1.0);
    differ("tangent", &whole(&(&root * &z + &z * &root)), &whole(&e), 10.0);
    let point = |i: usize, j: usize| if i == j { [0.5, 0.5, 0.5, -1.0, -1.0][i] } else { 0.0 };
    let (a, e) = (hermitian(&point), hermitian(&|i, j| (i + j) as f64));
    let a = a.zip_map(&e, Dual::new);
    let third = a.map(|x| x * Dual::constant(Taylor::constant(1.0 / 8.0f64.ln())));
    for y in [matrix::symmetric_exp(&a), matrix::symmetric_function(&third, ExpBase(8.0))] {
        let (y, want) = (y.unwrap(), matrix::expm(&a).unwrap());
        differ("power", &whole(&y.map(|y| y.value())), &whole(&want.map(|y| y.value())), 1.0);
        differ("its tangent", &whole(&y.map(|y| y.tangent())), &whole(&want.map(|y| y.tangent())), 10.0);
    }
}

/// `e^(x + t)` and `e^(Jt)`, a rotation, have the coefficients `eˣ/k!` and `±1/k!`; so have their tangents.
#[test]
fn high_coefficients_of_exponentials_keep_their_digits() {
    const K: usize = 40;
    type T = Taylor<f64, K>;
    let zero = T::constant(0.0);
    for x in [0.0, 0.3, 1.0, 5.0, 40.0] {
        let t = T::variable(x);
        let one = DMatrix::from_element(1, 1, Dual::new(t, T::constant(1.0)));
        let turn = [[zero, -t], [t, zero]];
        let rotation = DMatrix::from_fn(2, 2, |i, j| {
            Dual::new(turn[i][j], T::constant([[0.0, -1.0], [1.0, 0.0]][i][j]))
        });
        let exponentials = [matrix::expm(&one), matrix::symmetric_exp(&one)].map(|y| y.unwrap()[0]);
        let turned = matrix::expm(&rotation).unwrap();
        let mut factorial = 1.0;
        for k in 0..=K {
            factorial *= k.max(1) as f64;
            let check = |what: &str, got: f64, want: f64, size: f64| {
                let error = (got * factorial - want).abs() / size;
                assert!(error < 1e-13, "{what} at {x}, order {k}: {:e}, off by {error:e}", got * factorial);
            };
            for y in exponentials {
                check("power", y.value().coefficient(k), x.exp(), x.exp());
                check("its tangent", y.tangent().coefficient(k), x.exp(), x.exp());
            }
            let cos = |k: usize| (x + k as f64 * std::f64::consts::FRAC_PI_2).cos();
            for (i, j, shift) in [(0, 0, 0), (1, 0, 3), (0, 1, 1)] {
                let size = x.max(1.0);
                check("rotation", turned[(i, j)].value().coefficient(k), cos(k + shift), size);
                check("its tangent", turned[(i, j)].tangent().coefficient(k), cos(k + shift + 1), size);
            }
        }
    }
}
