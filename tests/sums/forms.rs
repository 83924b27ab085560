//! Rows of linear forms, compared with the equivalent products of matrices.

use nalgebra::{DMatrix, DVector};
use wengert::programs::Traced;
use wengert::sums::{Huber, LeastSquares, Sum, Table};
use wengert::{Real, reduce};

use super::close;
use super::demands::{Residuals, Whole, demand_squares, demand_sum};

/// Functions of linear forms, with derivatives in closed form.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Kind {
    Logistic,
    Poisson,
    /// Minus the logarithm of a normal density, as a function of its mean and the logarithm of its deviation.
    Normal,
    Multinomial,
    /// Two residuals of two forms.
    Residuals,
    /// `√|z|` by a branch: the derivative at 0 is infinite.
    Root,
}

const COLUMNS: usize = 5;

/// Forms of five parameters each, which begin so far from each other.
struct Model {
    kind: Kind,
    step: usize,
    /// The weights of all forms, and the label.
    rows: Vec<Vec<f64>>,
}

impl Kind {
    fn forms(self) -> usize {
        match self {
            Kind::Logistic | Kind::Poisson | Kind::Root => 1,
            Kind::Normal | Kind::Residuals => 2,
            Kind::Multinomial => 3,
        }
    }
    fn row<T: Real<Base = f64>>(self, step: usize, p: &[T], d: &[T]) -> Vec<T> {
        let form = |k: usize| reduce::dot(&p[1 + step * k..][..COLUMNS], &d[COLUMNS * k..][..COLUMNS]);
        let z: Vec<T> = (0..self.forms()).map(form).collect();
        let y = d[COLUMNS * self.forms()];
        match self {
            Kind::Logistic => vec![z[0].softplus() - z[0] * y],
            Kind::Poisson => vec![z[0].exp() - z[0] * y],
            Kind::Normal => vec![z[1] + ((y - z[0]) * (-z[1]).exp()).square() * 0.5],
            Kind::Multinomial => {
                let zero = T::lit(0.0);
                let own = (0..3).map(|k| if y == k as f64 { z[k] } else { zero }).sum::<T>();
                vec![reduce::logsumexp(&z) - own]
            }
            Kind::Residuals => vec![(y - z[0]) * (-z[1]).exp(), z[1].sin()],
            Kind::Root => vec![if z[0] < 0.0 { (-z[0]).sqrt() } else { z[0].sqrt() }],
        }
    }
}

impl Model {
    fn new(kind: Kind, count: usize, step: usize) -> Self {
        let mut random = fastrand::Rng::with_seed(count as u64 + 7 * step as u64);
        let mut row = |i: usize| {
            let weights = (0..COLUMNS * kind.forms()).map(|_| 2.0 * random.f64() - 1.0);
            weights.chain([(i % 3) as f64]).collect()
        };
        Model { kind, step, rows: (0..count).map(&mut row).collect() }
    }
    fn parameters(&self) -> usize {
        2 + COLUMNS + self.step * self.kind.forms()
    }
    fn point(&self) -> Vec<f64> {
        (0..self.parameters()).map(|i| (1.3 * i as f64).sin()).collect()
    }
    fn table(&self) -> Table<'static> {
        Table::new(self.rows.concat(), COLUMNS * self.kind.forms() + 1).unwrap()
    }
    fn sum(&self) -> Sum<'static> {
        let Model { kind, step, .. } = *self;
        Sum::new(self.parameters(), self.table(), move |p: &[Traced], d: &[Traced]| kind.row(step, p, d))
            .unwrap()
    }
    fn squares(&self) -> LeastSquares<'static> {
        let Model { kind, step, .. } = *self;
        LeastSquares::new(self.parameters(), self.table(), move |p: &[Traced], d: &[Traced]| {
            kind.row(step, p, d)
        })
        .unwrap()
    }
    /// `Aᵢ`.
    fn matrix(&self, row: usize) -> DMatrix<f64> {
        let mut a = DMatrix::zeros(self.kind.forms(), self.parameters());
        for (k, weights) in self.rows[row].chunks_exact(COLUMNS).enumerate() {
            (0..COLUMNS).for_each(|c| a[(k, 1 + self.step * k + c)] = weights[c]);
        }
        a
    }
    /// The results by the forms, and the second derivative of their sum.
    fn derivatives(&self, z: &[f64], y: f64) -> (DMatrix<f64>, DMatrix<f64>) {
        let n = z.len();
        let (j, h) = match self.kind {
            Kind::Logistic => {
                let s = 1.0 / (1.0 + (-z[0]).exp());
                (vec![s - y], vec![s * (1.0 - s)])
            }
            Kind::Poisson => (vec![z[0].exp() - y], vec![z[0].exp()]),
            Kind::Normal => {
                let (d, e) = (y - z[0], (-2.0 * z[1]).exp());
                (vec![-d * e, 1.0 - d * d * e], vec![e, 2.0 * d * e, 2.0 * d * e, 2.0 * d * d * e])
            }
            Kind::Multinomial => {
                let sum: f64 = z.iter().map(|z| z.exp()).sum();
                let p: Vec<f64> = z.iter().map(|z| z.exp() / sum).collect();
                let slope = |k: usize| p[k] - f64::from(u8::from(k as f64 == y));
                let bend = |i: usize| {
                    if i % n == i / n { p[i / n] - p[i / n].powi(2) } else { -p[i % n] * p[i / n] }
                };
                ((0..n).map(slope).collect(), (0..n * n).map(bend).collect())
            }
            Kind::Residuals => {
                let (d, e) = (y - z[0], (-z[1]).exp());
                (vec![-e, -d * e, 0.0, z[1].cos()], vec![0.0, e, e, d * e - z[1].sin()])
            }
            Kind::Root => unreachable!("not smooth"),
        };
        (DMatrix::from_row_slice(j.len() / n, n, &j), DMatrix::from_row_slice(n, n, &h))
    }
}

impl Residuals for Model {
    fn at<T: wengert::Scalar>(&self, p: &[T]) -> Vec<Vec<T>> {
        let row = |d: &Vec<f64>| {
            let d: Vec<T> = d.iter().map(|&d| d.into()).collect();
            self.kind.row(self.step, p, &d)
        };
        self.rows.iter().map(row).collect()
    }
}

impl Whole for Model {
    fn at<T: wengert::Scalar>(&self, p: &[T]) -> T {
        Residuals::at(self, p).into_iter().flatten().sum()
    }
}

fn models() -> Vec<Model> {
    let kinds = [Kind::Logistic, Kind::Poisson, Kind::Normal, Kind::Multinomial, Kind::Residuals];
    let mut all = Vec::new();
    for kind in kinds {
        all.extend([(1, 5), (7, 2), (40, 0), (290, 6)].map(|(n, step)| Model::new(kind, n, step)));
    }
    all
}

#[test]
fn derivatives_are_products_with_the_rows() {
    for model in models() {
        let (n, p) = (model.parameters(), DVector::from_vec(model.point()));
        let v = DVector::from_fn(n, |i, _| (i as f64).cos());
        let [mut gradient, mut g, mut product] = [(); 3].map(|()| DVector::zeros(n));
        let [mut hessian, mut normal] = [(); 2].map(|()| DMatrix::<f64>::zeros(n, n));
        let all: Vec<Vec<f64>> = Residuals::at(&model, p.as_slice());
        for (i, r) in all.iter().enumerate() {
            let a = model.matrix(i);
            let (j, h) = model.derivatives((&a * &p).as_slice(), *model.rows[i].last().unwrap());
            let rows = &j * &a;
            gradient += rows.tr_mul(&DVector::from_element(r.len(), 1.0));
            g += rows.tr_mul(&DVector::from_column_slice(r));
            hessian += a.tr_mul(&(h * &a));
            normal += rows.tr_mul(&rows);
        }
        let (mut sum, mut squares) = (model.sum(), model.squares());
        let [mut got, mut got_v] = [(); 2].map(|()| vec![f64::NAN; n]);
        let mut matrix = DMatrix::from_element(n, n, f64::NAN);
        sum.hvp(p.as_slice(), v.as_slice(), &mut got, &mut got_v).unwrap();
        close(&got, gradient.as_slice());
        product.gemv(1.0, &hessian, &v, 0.0);
        close(&got_v, product.as_slice());
        sum.hessian(p.as_slice(), &mut got, &mut matrix).unwrap();
        close(matrix.as_slice(), hessian.as_slice());
        squares.normal_equations(p.as_slice(), &mut got, &mut matrix).unwrap();
        close(&got, g.as_slice());
        close(matrix.as_slice(), normal.as_slice());
        demand_sum(&mut sum, &model, p.as_slice());
        demand_squares(&mut squares.with_loss(Huber(0.7)), &model, &Huber(0.7), p.as_slice());
        assert_eq!(sum.report().parts[0].forms, model.kind.forms(), "{:?}", model.kind);
    }
}

#[test]
fn branches_and_infinite_slopes_are_those_of_the_terms() {
    // A root of zero, whose row is zero where only its parameter is read.
    let mut model = Model::new(Kind::Root, 300, 0);
    model.rows[13].fill(0.0);
    demand_sum(&mut model.sum(), &model, &model.point());
}

/// A product of data that leaves the range is no coefficient.
#[test]
fn products_of_data_beyond_the_range() {
    let data: Vec<[f64; 4]> = (1..40).map(|i| [1e-200 * f64::from(i), 1e-200, 1e200, 1e200]).collect();
    struct Far<'a>(&'a [[f64; 4]]);
    impl Far<'_> {
        fn row<T: Real<Base = f64>>(p: &[T], d: &[T]) -> T {
            let inner = p[0] * d[0] + p[1] * d[0] + p[2] * d[0] + p[3] * d[0];
            let outer = p[0] * d[2] + p[1] * d[2] + p[2] * d[2] - p[3] * d[2];
            (inner * d[2] + outer * d[1] + (inner * d[1] * d[1]) * d[2]).sin()
        }
    }
    impl Whole for Far<'_> {
        fn at<T: wengert::Scalar>(&self, p: &[T]) -> T {
            self.0.iter().map(|d| Self::row(p, &d.map(T::lit))).sum()
        }
    }
    let mut sum = Sum::new(4, &data, |p: &[Traced], d: &[Traced]| Far::row(p, d)).unwrap();
    demand_sum(&mut sum, &Far(&data), &[0.1, 0.2, 0.3, 0.4]);
}

/// Products of the outer factors of a form leave the range, though the term itself does not.
#[test]
fn products_of_outer_factors_beyond_the_range() {
    fn row<T: Real<Base = f64>>(p: &[T], d: &[T]) -> T {
        let inner = p[1] * d[0] + p[2] * d[0] + p[3] * d[0];
        let z = inner * d[1] * d[2] * d[2] + p[0] * d[0];
        // The reciprocal of a large form, which is zero at infinity.
        if d[2] > 1.0 { z.recip() } else { z }
    }
    let p = [0.0, 0.2, 0.3, 0.4];
    for (middle, outer) in [(1e200, 1.3e-200), (1e155, 1.3e-160), (1.3e-200, 1e200), (1e300, 1.3e-159)] {
        let data: Vec<[f64; 3]> = (1..40).map(|i| [f64::from(i), middle, outer]).collect();
        let mut sum = Sum::new(4, &data, |p: &[Traced], d: &[Traced]| row(p, d)).unwrap();
        close(&[sum.value(&p).unwrap()], &[data.iter().map(|d| row(&p, d)).sum()]);
    }
}

/// Powers of data that the term computes itself are coefficients, however small: least squares of a polynomial whose last
/// powers are below 1e-150, and some 0.
#[test]
fn small_powers_are_coefficients() {
    let data: Vec<[f64; 2]> = (0..200).map(|i| [(i as f64 - 99.5) / 100.0, f64::from(i % 3)]).collect();
    struct Polynomial<'a>(&'a [[f64; 2]]);
    impl Polynomial<'_> {
        fn row<T: Real<Base = f64>>(p: &[T], d: &[T]) -> T {
            let (mut rest, mut power) = (d[1], T::lit(1.0));
            for &x in p {
                rest -= x * power;
                power *= d[0];
            }
            rest * rest
        }
    }
    impl Whole for Polynomial<'_> {
        fn at<T: wengert::Scalar>(&self, p: &[T]) -> T {
            self.0.iter().map(|d| Self::row(p, &d.map(T::lit))).sum()
        }
    }
    let p: Vec<f64> = (0..80).map(|k| f64::from(k).sin()).collect();
    assert!(0.005_f64.powi(79) < 1e-150);
    let mut sum = Sum::new(80, &data, |p: &[Traced], d: &[Traced]| Polynomial::row(p, d)).unwrap();
    demand_sum(&mut sum, &Polynomial(&data), &p);
    assert_eq!(sum.report().parts[0].forms, 1);
}

/// A form of shared values of which three depend on one parameter, beside a parameter of each row.
struct Curved(Vec<[f64; 5]>);

impl Curved {
    fn row<T: Real<Base = f64>>([a, b, own]: [T; 3], d: &[T]) -> T {
        let form = a.sin() * d[0] + a.exp() * d[1] + b.cos() * d[2] + a * b * d[3];
        (form * own).sin() + own * d[4]
    }
}

impl Whole for Curved {
    fn at<T: wengert::Scalar>(&self, p: &[T]) -> T {
        let row = |(i, d): (usize, &[f64; 5])| Self::row([p[0], p[1], p[2 + i]], &d.map(T::lit));
        self.0.iter().enumerate().map(row).sum()
    }
}

#[test]
fn partials_by_one_parameter_are_added() {
    let whole = Curved((0..40).map(|i| std::array::from_fn(|k| f64::from(7 * i + k as i32).sin())).collect());
    let table = Table::from(&whole.0).reading(|i| [0, 1, 2 + i]);
    let mut sum =
        Sum::new(42, table, |p: &[Traced], d: &[Traced]| Curved::row([p[0], p[1], p[2]], d)).unwrap();
    let p: Vec<f64> = (0..42).map(|i| (1.7 * f64::from(i)).cos()).collect();
    demand_sum(&mut sum, &whole, &p);
    assert_eq!(sum.report().parts[0].forms, 1, "{}", sum.report());
}
