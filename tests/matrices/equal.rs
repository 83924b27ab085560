//! Eigenvalues of general matrices where some are equal: simple ones have all derivatives, equal ones share the first.

use nalgebra::{DMatrix, DVector, Matrix3, matrix};
use wengert::matrix::{Entry, eigen, eigenvalues, solve, trace};
use wengert::{
    AdError, Dual, Dual2, DualN, HyperDual, Real, Taylor, gradient, hessian, value_gradient_and_hessian,
};

fn number(i: usize, j: usize, seed: usize) -> f64 {
    ((7 * i + 3 * j * j + i * j + 11 * seed) as f64).sin()
}

/// Matrices similar to a block and a simple eigenvalue.
struct Family {
    what: &'static str,
    /// The diagonal of the block at t = 0, below the simple eigenvalue.
    diagonal: &'static [f64],
    /// The rows of the block with an entry 1 above the diagonal.
    chains: &'static [usize],
}

const FAMILIES: [Family; 6] = [
    Family { what: "zeros", diagonal: &[0.0, 0.0, 0.0], chains: &[] },
    Family { what: "one of two", diagonal: &[-3.0, 0.5, 0.5], chains: &[] },
    Family { what: "two groups", diagonal: &[1.0, 1.0, -2.0, -2.0, -2.0, 0.25], chains: &[] },
    Family { what: "defective", diagonal: &[1.0, 1.0, -1.0], chains: &[0] },
    Family { what: "three in a chain", diagonal: &[1.0, 1.0, 1.0], chains: &[0, 1] },
    Family { what: "many", diagonal: &[0.0; 20], chains: &[] },
];

/// The simple eigenvalue.
fn last<T: Real<Base = f64>>(t: T) -> T {
    (t * 0.7).sin() + 3.0
}

impl Family {
    /// `S(t)·D(t)·S(t)⁻¹`: along t the equal values part, and `last` is the greatest eigenvalue.
    fn at<T: Real<Base = f64>, S: Entry<Re = T>>(&self, t: T) -> DMatrix<S> {
        let n = self.diagonal.len() + 1;
        let part = |i, j, seed| T::lit(number(i, j, seed)) + (t * number(j, i, seed + 1)).cos() * 0.5;
        let entry = |i: usize, j: usize, seed| S::of_parts(part(i, j, seed), part(i, j, seed + 5));
        let shape = |i: usize, j: usize| if i == j { S::constant(n as f64) } else { S::constant(0.0) };
        let similar = DMatrix::from_fn(n, n, |i, j| shape(i, j) + entry(i, j, 3));
        let middle = DMatrix::from_fn(n, n, |i, j| {
            if i + 1 == n || j + 1 == n {
                return if i == j { S::of_real(last(t)) } else { S::constant(0.0) };
            }
            let at_zero = if i == j { self.diagonal[i] } else { 0.0 };
            let chain = if i + 1 == j && self.chains.contains(&i) { 1.0 } else { 0.0 };
            S::constant(at_zero + chain) + S::of_real(t) * entry(i, j, 1)
        });
        // S·D·S⁻¹ is the transpose of S⁻ᵀ(SD)ᵀ.
        solve(&similar.transpose(), &(similar * middle).transpose()).unwrap().transpose()
    }
    fn of<T: Real<Base = f64>, S: Entry<Re = T>>(&self, t: T) -> Vec<T> {
        let values = eigenvalues(&self.at::<T, S>(t)).unwrap_or_else(|e| panic!("{}: {e}", self.what));
        let z = values[values.len() - 1];
        vec![z.real_part(), z.imaginary_part()]
    }
    fn real<T: Real<Base = f64>>(&self, t: T) -> Vec<T> {
        self.of::<T, T>(t)
    }
    fn wanted<T: Real<Base = f64>>(t: T) -> Vec<T> {
        vec![last(t), T::lit(0.0)]
    }
}

/// All derivatives in a number.
trait Parts: Real<Base = f64> {
    fn variable() -> Self;
    fn parts(self) -> Vec<f64>;
}

macro_rules! parts {
    ($($N:ty: $variable:expr, $y:ident => $parts:expr;)*) => {$(
        impl Parts for $N {
            fn variable() -> Self { $variable }
            fn parts(self) -> Vec<f64> { let $y = self; $parts }
        }
    )*};
}

type Twice = Dual<Dual<f64>>;

parts! {
    Dual<f64>: Dual::new(0.0, 1.0), y => vec![y.tangent()];
    DualN<f64, 2>: DualN::new(0.0, [0.0, 1.0]), y => y.tangents().to_vec();
    Twice: Dual::new(Dual::new(0.0, 1.0), Dual::new(1.0, 0.0)),
        y => vec![y.value().tangent(), y.tangent().value(), y.tangent().tangent()];
    Dual<Twice>: Dual::new(<Twice as Parts>::variable(), Dual::constant(Dual::constant(1.0))), y => y.tangent().parts();
    HyperDual<f64>: HyperDual::new(0.0, 1.0, 1.0, 0.0), y => vec![y.e1(), y.e2(), y.e12()];
    Dual2<f64, 1, 1>: Dual2::from_fn(0.0, |_| 1.0, |_, _| 0.0), y => vec![y.gradient()[0], y.second(0, 0)];
    Taylor<f64, 3>: Taylor::variable(0.0), y => y.coefficients().to_vec();
    Taylor<Dual<f64>, 2>: Taylor::new(Dual::new(0.0, 1.0), [1.0, 0.0].map(Dual::constant)),
        y => y.coefficients().iter().map(|c| c.tangent()).collect();
}

fn close(what: &str, got: &[f64], want: &[f64]) {
    for (got, want) in got.iter().zip(want) {
        assert!((got - want).abs() < 2e-11, "{what}: {got:e} instead of {want:e}");
    }
}

fn in_number<T: Parts>() {
    for family in &FAMILIES {
        let want: Vec<f64> = Family::wanted(T::variable()).into_iter().flat_map(T::parts).collect();
        let real = family.real(T::variable()).into_iter().flat_map(T::parts);
        let complex = family.of::<T, T::Complex>(T::variable()).into_iter().flat_map(T::parts);
        close(&format!("{} at {}", family.what, size_of::<T>()), &real.collect::<Vec<_>>(), &want);
        close(&format!("{}, complex", family.what), &complex.collect::<Vec<_>>(), &want);
    }
}

#[test]
fn simple_eigenvalues_beside_equal_ones_have_all_derivatives() {
    in_number::<Dual<f64>>();
    in_number::<DualN<f64, 2>>();
    in_number::<Twice>();
    in_number::<Dual<Twice>>();
    in_number::<HyperDual<f64>>();
    in_number::<Dual2<f64, 1, 1>>();
    in_number::<Taylor<f64, 3>>();
    in_number::<Taylor<Dual<f64>, 2>>();
}

#[test]
fn simple_eigenvalues_beside_equal_ones_on_a_tape() {
    for family in &FAMILIES {
        for (part, want) in Family::wanted(Taylor::<f64, 2>::variable(0.0)).into_iter().enumerate() {
            let [first, second] = want.coefficients();
            close(family.what, &gradient(|t| family.real(t[0])[part], &[0.0_f64]), &[first]);
            close(family.what, hessian(|t| family.real(t[0])[part], &[0.0_f64]).as_slice(), &[2.0 * second]);
        }
    }
}

#[cfg(feature = "programs")]
#[test]
fn simple_eigenvalues_beside_equal_ones_in_a_trace() {
    use wengert::programs::{Traced, trace};
    let [first, second] = Family::wanted(Taylor::<f64, 2>::variable(0.0))[0].coefficients();
    for family in &FAMILIES {
        // Away from equal values, to which the program then returns.
        let program = trace(|t: &[Traced]| family.real(t[0])[0], &[0.3]);
        close(family.what, &program.gradient().unwrap().run(&[0.0]).unwrap(), &[first]);
        close(family.what, &program.hessian().unwrap().run(&[0.0]).unwrap(), &[2.0 * second]);
    }
}

/// The sensitivity of a dominant eigenvalue is `v wᵀ/(wᵀv)` by its two eigenvectors.
fn sensitivity(a: &DMatrix<f64>) -> DMatrix<f64> {
    let power =
        |a: &DMatrix<f64>| (0..300).fold(DVector::from_element(a.nrows(), 1.0), |v, _| (a * v).normalize());
    let (w, v) = (power(a), power(&a.transpose()));
    &v * w.transpose() / v.dot(&w)
}

#[test]
fn dominant_eigenvalues_have_their_sensitivity() {
    // Next generations of rank 1, and the kernel of a population by size.
    let outer = |n: usize| DMatrix::from_fn(n, n, |i, j| (1.5 + number(i, 0, 1)) * (1.2 + number(0, j, 4)));
    let n = 50;
    let (h, s) = (10.0 / n as f64, 1.0);
    let kernel = DMatrix::from_fn(n, n, |i, j| {
        let [y, x] = [i, j].map(|k| h * (k as f64 + 0.5));
        let normal = |mean: f64, s: f64| (-0.5 * ((y - mean) / s).powi(2)).exp() / s;
        h * (normal(1.0 + 0.85 * x, s) / (1.0 + (4.0 - x).exp()) + 0.03 * x * normal(1.0, 0.5))
    });
    let mut sparse = outer(4);
    (0..4).for_each(|j| sparse[(1, j)] = 0.0);
    for a in [DMatrix::from_element(3, 3, 1.0), outer(2), outer(5), outer(9), sparse, kernel] {
        let n = a.nrows();
        let got = gradient(|a| eigenvalues(a).unwrap()[n - 1].real_part(), &a);
        let apart = (got - sensitivity(&a)).amax();
        assert!(apart < 1e-12, "{n}: {apart:e}");
    }
}

#[test]
fn equal_eigenvalues_have_the_mean_of_their_derivatives() {
    let turn = matrix![1.0, 2.0, 0.5; -1.0, 3.0, 1.0; 0.25, 1.0, 2.0];
    let similar = |d: [f64; 3]| turn * Matrix3::from_diagonal(&d.into()) * turn.try_inverse().unwrap();
    for a in [Matrix3::identity(), Matrix3::zeros(), similar([2.0; 3]), similar([1.0, 1.0, 4.0])] {
        let direction = Matrix3::from_fn(|i, j| number(i, j, 2));
        let active = a.zip_map(&direction, Dual::new);
        let values = eigenvalues(&active).unwrap();
        assert!((values.sum().re - trace(&active)).tangent().abs() < 1e-13);
        assert!((values[0].re.tangent() - values[1].re.tangent()).abs() < 1e-13);
        let product = values[0] * values[1] * values[2];
        let det = wengert::matrix::det(&active);
        assert!((product.re - det).tangent().abs() < 1e-12);
        let slope =
            gradient(|a| eigenvalues(a).unwrap().iter().fold(a[0] * 0.0, |s, z| s + z.real_part()), &a);
        assert!((slope - Matrix3::identity()).amax() < 1e-13);
        // The vectors have none.
        assert!(matches!(eigen(&active), Err(AdError::Degenerate { op: "eigen", .. })));
        // Beyond first order equal values have none: NaN beside a simple one, or the error.
        let twice = eigenvalues(&active.map(|x| Dual::new(x, x)));
        let series = eigenvalues(&active.map(|x| Taylor::<f64, 2>::new(x.value(), [x.tangent(), 0.0])));
        if a[(0, 1)] == 0.0 || a == similar([2.0; 3]) {
            assert!(matches!(twice, Err(AdError::Degenerate { op: "eigenvalues", .. })));
            assert!(matches!(series, Err(AdError::Degenerate { op: "eigenvalues", .. })));
        } else {
            let (twice, series) = (twice.unwrap(), series.unwrap());
            for i in 0..2 {
                let [first, second] = series[i].re.coefficients();
                assert!((first - values[i].re.tangent()).abs() < 1e-13 && second.is_nan());
                // Along the matrix itself, as eigenvalues are homogeneous.
                let part = twice[i].re.tangent();
                assert!((part.value() - values[i].re.value()).abs() < 1e-12 && part.tangent().is_nan());
            }
            let (_, slope, second) = value_gradient_and_hessian(
                |a| eigenvalues(a).unwrap().iter().fold(a[0] * 0.0, |s, z| s + z.re),
                &a,
            );
            assert!((slope - Matrix3::identity()).amax() < 1e-12 && second.iter().any(|x| x.is_nan()));
            assert!(twice[2].re.tangent().tangent().is_finite());
            assert!(series[2].re.coefficients()[1].is_finite());
        }
    }
}

#[test]
fn defective_eigenvalues_have_no_derivative_beside_a_simple_one() {
    let turn = matrix![1.0, 2.0, 0.5; -1.0, 3.0, 1.0; 0.25, 1.0, 2.0];
    let chain = matrix![1.0, 1.0, 0.0; 0.0, 1.0, 0.0; 0.0, 0.0, 4.0];
    for a in [chain, turn * chain * turn.try_inverse().unwrap()] {
        let values = eigenvalues(&a.map(Dual::variable)).unwrap();
        let series = eigenvalues(&a.map(Taylor::<f64, 2>::variable)).unwrap();
        for i in 0..2 {
            assert!(values[i].re.tangent().is_nan() && series[i].re.coefficients()[0].is_nan());
            let slope = gradient(|a| eigenvalues(a).unwrap()[i].real_part(), &a);
            assert!(slope.iter().all(|x| x.is_nan()));
        }
        let slope = gradient(|a| eigenvalues(a).unwrap()[2].real_part(), &a);
        assert!((values[2].re.tangent() - slope.sum()).abs() < 1e-12);
        // Where the matrix is constant the derivatives are 0.
        let still = eigenvalues(&a.map(Dual::constant)).unwrap();
        assert!(still.iter().all(|z| z.re.tangent() == 0.0));
    }
}
