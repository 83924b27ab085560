//! Typical traps for users of other packages, by the numbers of the requirements: closing programs, products and
//! quotients, branches and loops (A, B), perturbation confusion, zeros, comparisons, norms (F).

use num_complex::Complex;
use wengert::{Dual, Dual2, DualN, HyperDual, Number, Real, reduce};

use super::compare::{Findings, relative};
use super::routes::{Program, Route};

/// `D f(x)` by a dual over any number: the inner derivative of a nested one treats outer variables as constants.
fn derivative<T: Real>(f: impl FnOnce(Dual<T>) -> Dual<T>, x: T) -> T {
    f(Dual::variable(x)).tangent()
}

/// The gradient by one dual for each variable.
fn gradient<T: Real, const N: usize>(f: impl Fn([Dual<T>; N]) -> Dual<T>, x: [T; N]) -> [T; N] {
    std::array::from_fn(|i| {
        let seeded = |j| if i == j { Dual::variable(x[j]) } else { Dual::constant(x[j]) };
        f(std::array::from_fn(seeded)).tangent()
    })
}

struct Closing;
impl Program for Closing {
    fn call<T: Real<Base = f64>>(&self, x: &[T]) -> Vec<T> {
        vec![(x[0].sin() + x[0] * x[0]).exp()]
    }
}

/// A36: `exp(sin x + x²)` at 2, to third order by every nesting.
#[test]
fn a36_the_closing_program() {
    const WANT: [f64; 4] = [135.5441512631054, 485.7703352918129, 1888.7679074085165, 7885.1350191039177];
    fn check<R: Route<Base = f64>>(route: &str, found: &mut Findings) {
        let got = R::run(&Closing, &[2.0], &vec![&[1.0][..]; R::ORDER]);
        for (set, got) in got.into_iter().enumerate() {
            let want = WANT[set.count_ones() as usize];
            found.check(relative(got, want, want) <= 4.0, || {
                format!("{route} {set:b}: got {got}, want {want}")
            });
        }
    }
    let mut found = Findings::default();
    every_number!([kinds taped third nested] check(&mut found));
    found.report(56);
}

/// A12: `ẋy + xẏ`; 0·∞ is IEEE's; `Product` and `*=` are the same rule.
#[test]
fn a12_products() {
    let (x, y) = (Dual::new(2.0, 0.5), Dual::new(3.0, -1.0));
    assert_eq!(((x * y).value(), (x * y).tangent()), (6.0, -0.5));
    let product: Dual<f64> = [x, y].iter().product();
    let mut assigned = x;
    assigned *= y;
    assert_eq!((product.value(), product.tangent()), (assigned.value(), assigned.tangent()));
    assert_eq!((assigned.value(), assigned.tangent()), (6.0, -0.5));
    assert!((Dual::variable(0.0) * Dual::constant(f64::INFINITY)).value().is_nan());
}

/// A13: `(ẋ − (x/y)ẏ)/y`, without `y²`; the value is f64's quotient bit for bit.
#[test]
fn a13_quotients() {
    let z = Dual::new(3.0, 0.5) / Dual::new(2.0, -0.25);
    assert_eq!((z.value(), z.tangent()), (1.5, 0.4375));
    assert_eq!((Dual::new(1e-200, 1.0) / Dual::new(1e-200, 0.0)).tangent(), 1e200);
    for (x, y) in [(1.0, 3.0), (5.0, 49.0), (1e-310, 7.0), (1e300, 1e-20)] {
        let z: Dual<f64> = Dual::variable(x) / Dual::constant(y);
        assert_eq!(z.value().to_bits(), f64::to_bits(x / y));
    }
}

/// A30: the value is rounded once, the tangent is `ẋa + xȧ + ḃ`.
#[test]
fn a30_mul_add() {
    let directions = |i| (0..3).map(|j| if i == j { 1.0 } else { 0.0 }).collect::<Vec<_>>();
    for (i, want) in [(0, 3.0), (1, 2.0), (2, 1.0)] {
        let d = directions(i);
        let [x, a, b] = [(2.0, d[0]), (3.0, d[1]), (4.0, d[2])].map(|(v, t)| Dual::new(v, t));
        let y = x.mul_add(a, b);
        assert_eq!((y.value(), y.tangent()), (10.0, want));
    }
    let (x, a) = (1.0 + f64::EPSILON, 1.0 - f64::EPSILON);
    let y = Dual::variable(x).mul_add(a, -1.0);
    assert_eq!(y.value(), f64::mul_add(x, a, -1.0));
    assert_ne!(y.value(), x * a - 1.0);
}

/// B40, B41: the executed branch is differentiated; a selection takes the chosen side's tangents and nothing of
/// the other, to second order too.
#[test]
fn b40_b41_branches() {
    let f = |x: Dual<f64>| if x > 0.0 { x * x } else { Dual::constant(0.0) };
    assert_eq!([3.0, -1.0, 0.0].map(|x| derivative(f, x)), [6.0, 0.0, 0.0]);
    let y = Dual::variable(0.0);
    let y = Dual::select(y > 0.0, y.ln(), Dual::constant(0.0));
    assert_eq!((y.value(), y.tangent()), (0.0, 0.0));
    let y = HyperDual::variable(0.0);
    let y = HyperDual::select(y > 0.0, y.ln(), HyperDual::constant(0.0));
    assert_eq!([y.value(), y.e1(), y.e2(), y.e12()], [0.0; 4]);
}

/// B50: a loop is differentiated as it runs; no iteration, no derivative.
#[test]
fn b50_loops() {
    let power = |x: Dual<f64>, n| (0..n).fold(Dual::constant(1.0), |y, _| y * x);
    let y = power(Dual::variable(1.1), 10);
    assert!(relative(y.value(), 2.5937424601, y.value()) < 8.0);
    assert!(relative(y.tangent(), 10.0 * 1.1f64.powi(9), y.tangent()) < 16.0);
    assert!((y.tangent() - 23.57947691).abs() < 1e-8);
    let y = power(Dual::variable(1.1), 0);
    assert_eq!((y.value(), y.tangent()), (1.0, 0.0));
    let long = power(Dual::variable(1.0), 1_000_000);
    assert_eq!((long.value(), long.tangent()), (1.0, 1e6));
}

/// F01: perturbations of different derivatives are different types. An outer variable is combined with inner ones by
/// operators one level down or as a constant.
#[test]
fn f01_perturbation_confusion() {
    assert_eq!(derivative(|x| x * derivative(|y| y + x, Dual::constant(1.0)), 1.0), 1.0);
    assert_eq!(derivative(|x| x * derivative(|y| x + y, Dual::constant(1.0)), 1.0), 1.0);
    assert_eq!(derivative(|x| derivative(|_| Dual::constant(x), Dual::constant(1.0)), 1.0), 0.0);
    assert_eq!(derivative(|x| derivative(|y| x * y, Dual::constant(1.0)), 1.0), 1.0);
    assert_eq!(derivative(|x| derivative(|y| y * y * x, x), 3.0), 12.0);
    assert_eq!(derivative(|x| derivative(|y| derivative(|z| z * (y * x), y), x), 2.0), 1.0);
}

/// F01: the gradient of `Σv · D(y → y‖v‖)(1)` is the gradient of `Σv · ‖v‖`.
#[test]
fn f01_gradient_over_a_derivative() {
    let x = [3.0, 4.0, 12.0];
    let nested = |v: [Dual<f64>; 3]| {
        let norm = reduce::norm(&v);
        reduce::sum(&v) * derivative(|y| y * norm, Dual::constant(1.0))
    };
    let plain = |v: [Dual<f64>; 3]| reduce::sum(&v) * reduce::norm(&v);
    assert_eq!(gradient(nested, x), gradient(plain, x));
}

/// F01: the mixed block of a Lagrangian `v²/2 − cos q` is zero, its others are not.
#[test]
fn f01_lagrangian() {
    fn lagrangian<T: Real>(q: T, v: T) -> T {
        v * v / T::lit(2.0) - q.cos()
    }
    let (q, v) = (0.3, 0.7);
    let momentum = |q: Dual<f64>| derivative(|v| lagrangian(Dual::constant(q), v), Dual::constant(v));
    assert_eq!(derivative(momentum, q), 0.0);
    let force = |v: Dual<f64>| derivative(|q| lagrangian(q, Dual::constant(v)), Dual::constant(q));
    assert_eq!(derivative(force, v), 0.0);
    let mass = |v: Dual<f64>| derivative(|v| lagrangian(Dual::constant(Dual::constant(q)), v), v);
    assert_eq!(derivative(mass, v), 1.0);
}

/// F01: the Jacobian in `y` of the gradient in `x` of `y·(Ax)` is `Aᵀ`.
#[test]
fn f01_bilinear_form() {
    const A: [[f64; 2]; 2] = [[1.0, 2.0], [3.0, 5.0]];
    for (i, row) in A.iter().enumerate() {
        let along = |k| if k == i { Dual::variable(0.7) } else { Dual::constant(0.7) };
        let y: [Dual<f64>; 2] = std::array::from_fn(along);
        let form = |x: [Dual<Dual<f64>>; 2]| {
            (x[0] * A[0][0] + x[1] * A[0][1]) * y[0] + (x[0] * A[1][0] + x[1] * A[1][1]) * y[1]
        };
        let inner = gradient(form, [0.2, 0.3].map(Dual::constant));
        assert_eq!(inner.map(|g| g.tangent()), *row);
    }
}

/// F03: a zero tangent stays zero at a singular point; only active lanes become infinite.
#[test]
fn f03_zeros_at_singular_points() {
    let y = Dual::constant(0.0).ln();
    assert_eq!((y.value(), y.tangent()), (f64::NEG_INFINITY, 0.0));
    let y = Dual::constant(0.0).sqrt();
    assert_eq!((y.value(), y.tangent()), (0.0, 0.0));
    let x: DualN<f64, 3> = DualN::variable(0.0, 1);
    assert_eq!(x.sqrt().tangents(), [0.0, f64::INFINITY, 0.0]);
    let x: Dual2<f64, 2, 3> = Dual2::variable(0.0, 0);
    let y = x.sqrt();
    assert_eq!(y.gradient(), [f64::INFINITY, 0.0]);
    assert_eq!([y.second(0, 0), y.second(0, 1), y.second(1, 1)], [f64::NEG_INFINITY, 0.0, 0.0]);
}

/// F04: comparisons read the primal, so a branch on equality drops the tangent.
#[test]
fn f04_comparisons() {
    let f = |x: Dual<f64>| if x == 1.0 { Dual::constant(1.0) } else { x * x };
    assert_eq!(derivative(f, 1.0), 0.0);
    assert_eq!(Dual::new(1.0, 2.0), Dual::new(1.0, 3.0));
    assert!(num_traits::Zero::is_zero(&Dual::new(0.0, 1.0)) && num_traits::One::is_one(&Dual::new(1.0, 1.0)));
    assert!(Dual::new(1.0, 9.0) < Dual::new(2.0, -9.0));
}

/// B02: a float may be on either side of a comparison.
#[test]
fn b02_comparisons_from_the_left() {
    let (x, nan) = (Dual::new(1.0, 9.0), f64::NAN);
    assert!(0.0 < x && 1.0 == x && 2.0 >= x && 0.5 != x);
    assert!(1.0 == Dual::<HyperDual<f64>>::lit(1.0) && 0.5f32 < DualN::<f32, 4>::lit(1.0));
    assert_eq!((nan == x, nan < x, nan > x), (false, false, false));
}

/// B02: complex constants scale and shift, on either side, in place and at any nesting.
#[test]
fn b02_complex_constants() {
    let (c, v) = (Complex::new(0.5, -1.0), Complex::new(2.0, 0.25));
    let z = Dual::variable(v);
    let (one, two) = (Complex::new(1.0, 0.0), Complex::new(2.0, 0.0));
    let check = |y: Dual<Complex<f64>>, value: Complex<f64>, tangent: Complex<f64>| {
        assert_eq!(y.value(), value);
        assert!((y.tangent() - tangent).norm() < 1e-15, "{y}");
    };
    check(z * c, v * c, c);
    check(c * z, c * v, c);
    check(z + c, v + c, one);
    check(c - z, c - v, -one);
    check(z / c, v / c, c.inv());
    check(c / z, c / v, -c / (v * v));
    check(z * z + c * two.re, v * v + c * 2.0, v * 2.0);
    let mut y = z;
    y *= c;
    y -= c;
    check(y, v * c - c, c);
    let lifted: Dual<Complex<f64>> = c.into();
    check(lifted, c, Complex::new(0.0, 0.0));
    let nested: Dual<Dual<Complex<f64>>> = Dual::variable(z) * c + lifted;
    assert_eq!((nested.value().value(), nested.value().tangent()), (v * c + c, c));
    // A constant is not lifted: the infinity is not multiplied by a zero tangent of the constant.
    let infinite = Dual::new(Complex::new(1.0, 0.0), Complex::new(f64::INFINITY, 0.0)) + c;
    assert_eq!(infinite.tangent().im, 0.0);
}

/// F04: nalgebra's iterations end on matrices that are diagonal in their values with dense tangents.
#[cfg(feature = "nalgebra")]
#[test]
fn f04_decompositions_end() {
    use nalgebra::Matrix2;
    let dense = |m: [f64; 4]| Matrix2::from_iterator(m.map(|v| Dual::new(v, 1.0)));
    for m in [[2.0, 0.0, 0.0, 1.0], [1.0, 0.0, 0.0, 1.0], [0.0; 4]] {
        let singular = dense(m).svd(true, true).singular_values;
        assert_eq!(singular.map(|s| s.value()).max(), m[0]);
        let eigen = dense(m).symmetric_eigenvalues();
        assert_eq!(eigen.map(|s| s.value()).max(), m[0]);
    }
}

/// The cardinal functions have nalgebra's values by nalgebra's method, and are NaN only where those are.
#[cfg(feature = "nalgebra")]
#[test]
fn cardinal_functions_of_nalgebra() {
    use nalgebra::ComplexField;
    fn all<T: ComplexField>(x: T) -> [T; 4] {
        [x.clone().sinc(), x.clone().sinhc(), x.clone().cosc(), x.coshc()]
    }
    for x in [0.0, -0.0, 1e-300, 0.7, -3.0, 25.0, 700.5, 712.0, f64::INFINITY, f64::NEG_INFINITY, f64::NAN] {
        for ((y, constant), float) in
            all(Dual::variable(x)).into_iter().zip(all(Dual::constant(x))).zip(all(x))
        {
            assert!(super::compare::same_bits(y.value(), float), "{y} at {x}, float {float}");
            assert!(!float.is_nan() || y.tangent().is_nan(), "{y} at {x}");
            assert_eq!(constant.tangent(), 0.0);
        }
    }
}

/// F04b: nothing is folded: ∞·0 and ∞ − ∞ stay NaN, in the tangent too.
#[test]
fn f04b_nothing_is_folded() {
    let x = Dual::new(f64::INFINITY, 1.0);
    assert!((x * 0.0).value().is_nan() && (x - x).value().is_nan());
    let x = Dual::new(1.0, f64::INFINITY);
    assert!((x * 0.0).tangent().is_nan() && (x - x).tangent().is_nan());
}

/// F05: products with zeros have all their derivatives.
#[test]
fn f05_products_with_zeros() {
    assert_eq!(gradient(|x| reduce::product(&x), [2.0, 0.0, 3.0]), [0.0, 6.0, 0.0]);
    let x: [Dual2<f64, 3, 6>; 3] = std::array::from_fn(|i| Dual2::variable([0.0, 0.0, 3.0][i], i));
    assert_eq!(reduce::product(&x).second(0, 1), 3.0);
}

/// F06: the square of a norm is smooth at the origin, however it is spelled.
#[test]
fn f06_norms_at_the_origin() {
    assert_eq!(gradient(|x| reduce::norm(&x).square(), [0.0, 0.0]), [0.0, 0.0]);
    assert_eq!(gradient(|x| reduce::norm_squared(&x), [0.0, 0.0]), [0.0, 0.0]);
    assert_eq!(gradient(|x| x[0].hypot(x[1]).square(), [0.0, 0.0]), [0.0, 0.0]);
}
