//! `Dual` of matrices compared with matrices of duals: every operation of pairs is the rule of the entries.

use fastrand::Rng;
use nalgebra::{Complex, DMatrix};
use wengert::{Dual, Number, matrix};

use super::routes::PrimalNumber;

type Pair<T> = Dual<DMatrix<T>>;

/// A pair of random entries. The entries of a nested number have their own tangents.
trait Sample: Number<Base = f64> {
    fn sample(random: &mut Rng) -> Self;
}

impl Sample for f64 {
    fn sample(random: &mut Rng) -> f64 {
        2.0 * random.f64() - 1.0
    }
}

impl Sample for Complex<f64> {
    fn sample(random: &mut Rng) -> Self {
        Complex::<f64>::of(Complex::new(f64::sample(random), f64::sample(random)))
    }
}

impl<T: Sample> Sample for Dual<T> {
    fn sample(random: &mut Rng) -> Self {
        Dual::new(T::sample(random), T::sample(random))
    }
}

fn pair<T: Sample>(random: &mut Rng, rows: usize, columns: usize) -> Pair<T> {
    let [a, da] = [0, 1].map(|_| DMatrix::from_fn(rows, columns, |_, _| T::sample(random)));
    Dual::new(a, da)
}

/// The largest difference of any part.
fn apart<T: Number>(x: &DMatrix<Dual<T>>, y: &DMatrix<Dual<T>>) -> f64 {
    assert_eq!(x.shape(), y.shape());
    let one = |(x, y): (&Dual<T>, &Dual<T>)| {
        let parts = wengert::check::parts(*x - *y);
        parts.into_iter().fold(0.0, |most: f64, p| if p.is_nan() { f64::INFINITY } else { most.max(p.abs()) })
    };
    x.iter().zip(y).map(one).fold(0.0, f64::max)
}

fn operations_agree<T: Sample>() {
    let mut random = Rng::with_seed(77);
    for (m, k, n) in [(1, 1, 1), (2, 3, 4), (4, 1, 2), (3, 5, 3)] {
        let (a, b): (Pair<T>, Pair<T>) = (pair(&mut random, m, n), pair(&mut random, m, n));
        let (x, y): (Pair<T>, Pair<T>) = (pair(&mut random, m, k), pair(&mut random, k, n));
        let s: Dual<T> = Dual::sample(&mut random);
        let is = |got: Pair<T>, want: DMatrix<Dual<T>>| assert!(apart(&got.zip(), &want) < 1e-14);
        let of = |p: &Pair<T>| p.zip();
        is(&a + &b, of(&a) + of(&b));
        is(a.clone() + b.clone(), of(&a) + of(&b));
        is(&a - &b, of(&a) - of(&b));
        is(a.clone() - b.clone(), of(&a) - of(&b));
        is(-a.clone(), -of(&a));
        is(s * a.clone(), of(&a) * s);
        is(a.clone() * s, of(&a) * s);
        is(a.transpose(), of(&a).transpose());
        is(&x * &y, matrix::matmul(&of(&x), &of(&y)));
        is(x.clone() * y.clone(), matrix::matmul(&of(&x), &of(&y)));
        let mut z = a.clone();
        z.gemm_into(s, &x, &y, s);
        is(z, matrix::gemm(s, &of(&x), &of(&y), s, &of(&a)));
        let weights = b.clone().value();
        let dot = DMatrix::from_element(1, 1, a.dot(&weights));
        let entries = matrix::dot(&of(&a), &weights.map(Dual::constant));
        assert!(apart(&dot, &DMatrix::from_element(1, 1, entries)) < 1e-14);
        is(Dual::unzip(&of(&a)), of(&a));
        let square: Pair<T> = pair(&mut random, m, m);
        let large =
            Dual::new(DMatrix::identity(m, m) * T::lit(4.0), DMatrix::from_element(m, m, T::lit(0.0)));
        let square = square + large;
        let solved = square.solve(&a).unwrap();
        is(solved, matrix::solve(&of(&square), &of(&a)).unwrap());
    }
}

#[test]
fn pairs_are_matrices_of_duals() {
    operations_agree::<f64>();
    operations_agree::<Complex<f64>>();
    operations_agree::<Dual<f64>>();
}

/// Shapes that do not fit are a panic, in value or tangent.
#[test]
fn shapes_of_pairs_are_checked() {
    type Case = fn(&Pair<f64>, &Pair<f64>) -> Pair<f64>;
    let of = |rows, columns| pair::<f64>(&mut Rng::with_seed(3), rows, columns);
    let uneven = Dual::new(DMatrix::zeros(2, 2), DMatrix::zeros(2, 3));
    let cases: [(Case, Pair<f64>, Pair<f64>); 6] = [
        (|a, b| a + b, of(2, 3), of(3, 2)),
        (|a, b| a - b, of(2, 3), of(2, 2)),
        (
            |a, b| {
                Dual::new(
                    DMatrix::from_element(1, 1, a.dot(&b.clone().value()).value()),
                    DMatrix::zeros(1, 1),
                )
            },
            of(2, 3),
            of(3, 3),
        ),
        (|a, b| a * b, of(2, 3), of(2, 3)),
        (|a, b| a * b, uneven.clone(), of(2, 2)),
        (|a, b| a.solve(b).unwrap(), of(2, 2), uneven),
    ];
    for (i, (case, a, b)) in cases.iter().enumerate() {
        let panics = std::panic::catch_unwind(|| case(a, b)).is_err();
        assert!(panics, "case {i}");
    }
}
