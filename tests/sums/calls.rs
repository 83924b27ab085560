//! Calls after other calls; long lists, many rows by themselves; what a report says.

use nalgebra::DMatrix;
use wengert::programs::Traced;
use wengert::sums::{LeastSquares, Squared, Sum, Table};
use wengert::{Function, Real, VectorFunction, matrix, reduce};

use super::demands::{Residuals, Whole, demand_squares, demand_sum};
use super::made::Made;
use super::{close, with_threads};

struct Both([Made; 2]);

impl Residuals for Both {
    fn at<T: wengert::Scalar>(&self, p: &[T]) -> Vec<Vec<T>> {
        self.0.iter().flat_map(|made| Residuals::at(made, p)).collect()
    }
}

impl Whole for Both {
    fn at<T: wengert::Scalar>(&self, p: &[T]) -> T {
        self.0.iter().map(|made| Whole::at(made, p)).sum()
    }
}

/// A sum keeps the patterns of its matrices. Another sum has other entries.
#[cfg(feature = "sparse")]
#[test]
fn used_sums_are_added() {
    let both = Both([(3, 1), (2, 4)].map(|(shared, own)| Made::new(&[30], 10, shared, own, 20)));
    let (p, mut g) = (both.0[0].point(), [0.0; 20]);
    let [mut a, b] = both.0.each_ref().map(Made::sum);
    a.sparse_hessian(&p, &mut g).unwrap();
    demand_sum(&mut (a + b), &both, &p);
    let [mut a, b] = both.0.each_ref().map(Made::squares);
    a.sparse_normal_equations(&p, &mut g).unwrap();
    a.jacobian(&p).unwrap();
    demand_squares(&mut (a + b), &both, &Squared, &p);
}

#[test]
fn rows_have_equally_many_residuals() {
    let term = |p: &[Traced], d: &[Traced]| if d[0] > 0.0 { vec![p[0]; 2] } else { vec![p[0] * d[0]] };
    let mut squares = LeastSquares::new(1, &[[1.0], [2.0], [-1.0]], term).unwrap();
    let error = squares.value(&[0.5]).unwrap_err();
    assert_eq!(error.to_string(), "row 2: least squares: the list of residuals has length 1, expected 2");
}

/// The same where rows run by themselves.
#[test]
fn rows_without_a_program_have_equally_many_residuals() {
    let data = [[1.0], [2.0], [-1.0]];
    let term = |p: &[Traced], d: &[Traced]| {
        let x = (p[0] * d[0]) * (p[0] * d[0]).primal();
        if d[0] > 0.0 { vec![x; 2] } else { vec![x] }
    };
    let squares = || LeastSquares::new(1, &data, term).unwrap();
    let errors = [
        squares().value(&[0.5]).map(|_| ()),
        squares().gradient(&[0.5], &mut [0.0]).map(|_| ()),
        squares().normal_equations(&[0.5], &mut [0.0], &mut [0.0]).map(|_| ()),
        #[cfg(feature = "sparse")]
        squares().jacobian(&[0.5]).map(|_| ()),
        squares().with_loss(wengert::sums::Huber(1.0)).gradient(&[0.5], &mut [0.0]).map(|_| ()),
    ];
    let text = "row 2: least squares: the list of residuals has length 1, expected 2";
    for error in errors {
        assert_eq!(error.unwrap_err().to_string(), text);
    }
    let mut again = squares();
    for _ in 0..2 {
        assert_eq!(again.value(&[0.5]).unwrap_err().to_string(), text);
    }
    // Lists without residuals.
    let none = |p: &[Traced], d: &[Traced]| {
        if (p[0] * d[0]).primal() > 100.0 { vec![p[0]] } else { vec![] }
    };
    let mut squares = LeastSquares::new(1, &data, none).unwrap();
    let (mut g, mut a) = ([1.0], [1.0]);
    assert_eq!(squares.normal_equations(&[0.5], &mut g, &mut a).unwrap(), 0.0);
    assert_eq!((g, a), ([0.0], [0.0]));
    #[cfg(feature = "sparse")]
    assert!(squares.jacobian(&[0.5]).unwrap().0.is_empty());
    assert!(squares.value(&[200.0]).is_err());
}

/// Rows of several jobs fail at once on several threads. The next call begins again.
#[test]
fn an_error_is_of_one_call() {
    // Eigenvectors of equal eigenvalues have no derivative; a value leaves the program, so rows run by themselves.
    let term = |p: &[Traced], d: &[Traced]| {
        let scale = if (p[0] * d[0]).primal() as usize > 1000 { 2.0 } else { 1.0 };
        let zero = p[1] * 0.0;
        let whole = DMatrix::from_row_slice(2, 2, &[p[0], zero, zero, p[1]]);
        matrix::symmetric_eigen(&whole).unwrap().eigenvectors[(0, 0)] * scale
    };
    let data = vec![[1.0]; 1040];
    with_threads(3, || {
        let (mut sum, mut g) = (Sum::new(2, &data, term).unwrap(), [0.0; 2]);
        for _ in 0..2 {
            assert!(sum.gradient(&[1.0, 1.0], &mut g).is_err());
            assert!(sum.gradient(&[1.0, 2.0], &mut g).is_ok());
        }
        assert_eq!(sum.report().parts[0].alone, 1040);
    });
}

/// Each row runs by itself and has many operations, so a piece of rows needs several tapes.
struct Long<'a> {
    data: &'a [[f64; 2]],
    shared: usize,
    own: usize,
}

impl Long<'_> {
    fn term<T: Real<Base = f64>>(z: &[T]) -> T {
        let (p, d) = z.split_at(z.len() - 2);
        let product = |k: usize| p[k % p.len()] * p[(k + 1) % p.len()] * (k as f64).cos();
        let x = (0..100).map(product).fold(d[0], |sum, y| sum + y);
        (x * d[1]).sin() * (x.primal() * 10.0).floor() + p[0] * d[1]
    }
    fn parameters(&self) -> usize {
        self.shared + 11 * self.own
    }
    fn reads(&self, i: usize) -> Vec<usize> {
        let own = (0..self.own).map(|k| self.shared + 11 * k + (3 * i + k) % 11);
        own.chain(0..self.shared).collect()
    }
}

impl Residuals for Long<'_> {
    fn at<T: wengert::Scalar>(&self, p: &[T]) -> Vec<Vec<T>> {
        let row = |(i, d): (usize, &[f64; 2])| {
            let mut z: Vec<T> = self.reads(i).into_iter().map(|j| p[j]).collect();
            z.extend(d.map(T::lit));
            vec![Self::term(&z)]
        };
        self.data.iter().enumerate().map(row).collect()
    }
}

impl Whole for Long<'_> {
    fn at<T: wengert::Scalar>(&self, p: &[T]) -> T {
        Residuals::at(self, p).into_iter().flatten().sum()
    }
}

impl Function for Long<'_> {
    fn call<T: Real<Base = f64>>(&self, z: &[T]) -> T {
        Self::term(z)
    }
}

impl VectorFunction for Long<'_> {
    fn outputs(&self, _: usize) -> usize {
        1
    }
    fn call<T: Real<Base = f64>>(&self, z: &[T], r: &mut [T]) {
        r[0] = Self::term(z);
    }
}

/// Also of more parameters than second derivatives are formed in one pass.
#[test]
fn rows_by_themselves_on_several_tapes() {
    let data: Vec<[f64; 2]> = (0..40).map(|i| [0, 1].map(|k| f64::from(3 * i + k).sin())).collect();
    for (shared, own) in [(3, 2), (0, 3), (4, 0), (66, 2)] {
        let long = || Long { data: &data, shared, own };
        let table = || Table::from(&data).reading(|i| long().reads(i));
        let p: Vec<f64> = (0..long().parameters()).map(|i| 0.3 * (1.7 * i as f64).sin()).collect();
        let mut sum = Sum::of_object(p.len(), table(), long()).unwrap();
        demand_sum(&mut sum, &long(), &p);
        assert_eq!(sum.report().parts[0].alone, 40);
        let mut squares = LeastSquares::of_object(p.len(), table(), long()).unwrap();
        demand_squares(&mut squares, &long(), &Squared, &p);
    }
}

/// Powers of zero, which no parameter moves, with infinite second derivatives, among many parameters: products and columns
/// of the Hessian have the conventions too.
#[test]
fn wide_terms_at_singular_points() {
    fn row<T: Real<Base = f64>>(p: &[T], d: &[T]) -> T {
        p.windows(2).map(|p| p[0] * p[1] * d[1]).fold((p[0] * d[0]).powf(T::lit(1.5)), |sum, y| sum + y.sin())
    }
    struct Powers(Vec<[f64; 2]>);
    impl Whole for Powers {
        fn at<T: wengert::Scalar>(&self, p: &[T]) -> T {
            self.0.iter().map(|d| row(p, &d.map(T::lit))).sum()
        }
    }
    let powers = Powers((0..20).map(|i| [f64::from(i % 3), f64::from(i).sin()]).collect());
    let p: Vec<f64> = (0..70).map(|i| 0.3 * f64::from(i).cos()).collect();
    let mut sum = Sum::new(70, &powers.0, |p: &[Traced], d: &[Traced]| row(p, d)).unwrap();
    demand_sum(&mut sum, &powers, &p);
}

#[test]
fn reports_count_what_runs_once() {
    let data: Vec<[f64; 3]> = (0..2100).map(|i| [0, 1, 2].map(|k| f64::from(3 * i + k).sin())).collect();
    let term = |p: &[Traced], d: &[Traced]| {
        let form = p[0] * d[0] + p[1] * d[1] + p[2] * d[2] + p[3] * d[0].exp() + d[1];
        (form * p[0].sin()).tanh() * d[2].cos() + d[0]
    };
    let first = Sum::new(4, &data, term).unwrap();
    let second = Sum::new(4, Table::without_data(50).reading(|i| [i % 3]), |p, _| p[0].exp()).unwrap();
    let mut sum = first + second;
    sum.value(&[0.1, 0.2, 0.3, 0.4]).unwrap();
    // The form is without its offset, which is a column of the table, as is `d[0]`.
    let wanted = "rows: 2100, runs: 1, branches: 1, rows without a program: 0, operations hoisted: 1, \
                  columns derived: 2, linear forms: 1, operations a row: 5\n\
                  rows: 50, runs: 3, branches: 1, rows without a program: 0, operations hoisted: 1, \
                  columns derived: 0, linear forms: 0, operations a row: 0";
    assert_eq!(sum.report().to_string(), wanted);
}

/// As sums of numbers, with and without a program.
#[test]
fn sums_of_minus_zero_are_minus_zero() {
    for alone in [false, true] {
        for (count, zero) in [(0, 1.0), (5, -0.0), (16, -0.0), (2000, -0.0), (2000, 0.0)] {
            let data = vec![[zero]; count];
            let sum = || {
                let term = move |p: &[Traced], d: &[Traced]| {
                    let y = p[0] * d[0];
                    if alone && y.primal() > 1.0 { y * 2.0 } else { y } // a value that leaves the program
                };
                Sum::new(1, &data, term).unwrap()
            };
            let (p, mut sum) = ([1.0], sum() + sum());
            let (mut g, mut h) = ([0.0], [0.0]);
            let values = [
                sum.value(&p).unwrap(),
                sum.gradient(&p, &mut g).unwrap(),
                sum.hvp(&p, &[1.0], &mut g, &mut h).unwrap(),
                sum.hessian(&p, &mut g, &mut h).unwrap(),
            ];
            let wanted: f64 = data.iter().chain(&data).map(|d| d[0]).sum();
            assert_eq!(values.map(f64::to_bits), [wanted.to_bits(); 4], "{count} times {zero}: {values:?}");
        }
    }
    let mut constants = Sum::new(1, &[[1.0]; 20], |_, _| Traced::constant(0.0)).unwrap();
    assert_eq!(constants.value(&[1.0]).unwrap().to_bits(), 0.0_f64.to_bits());
}

/// More results than stay in the cache are added over the rows of a block at once.
#[test]
fn very_long_lists() {
    const N: usize = 8300;
    let data: Vec<[f64; 1]> = (0..19).map(|i| [0.1 * f64::from(i)]).collect();
    let term = |p: &[Traced], d: &[Traced]| p.iter().map(|&p| (p * d[0]).sin()).sum::<Traced>();
    let mut sum = Sum::new(N, &data, term).unwrap();
    let p: Vec<f64> = (0..N).map(|i| 0.35 + 0.25 * (i as f64).sin()).collect();
    let v: Vec<f64> = (0..N).map(|i| (i as f64).cos()).collect();
    let (mut g, mut hv) = (vec![f64::NAN; N], vec![f64::NAN; N]);
    let of = |f: &dyn Fn(f64) -> f64| data.iter().map(|d| f(d[0])).sum::<f64>();
    let value: f64 = p.iter().map(|p| of(&|d| (p * d).sin())).sum();
    let slopes: Vec<f64> = p.iter().map(|p| of(&|d| d * (p * d).cos())).collect();
    let products: Vec<f64> = p.iter().zip(&v).map(|(p, v)| of(&|d| -d * d * (p * d).sin() * v)).collect();
    close(&[sum.gradient(&p, &mut g).unwrap()], &[value]);
    close(&g, &slopes);
    g.fill(f64::NAN);
    close(&[sum.hvp(&p, &v, &mut g, &mut hv).unwrap()], &[value]);
    close(&g, &slopes);
    close(&hv, &products);
}

/// The list of pairs of parameters is long, so duplicates are dropped before it is complete.
#[cfg(feature = "sparse")]
#[test]
fn patterns_of_many_pairs() {
    const N: usize = 730;
    let rows = [0, 1].map(|i| (0..N).map(|k| ((N * i + k) as f64).sin()).collect::<Vec<_>>());
    let part = |i: usize| {
        let table = Table::new(&rows[i][..], N).unwrap().reading(|_| N * i..N * (i + 1));
        LeastSquares::new(2 * N, table, |p, d| reduce::dot(p, d)).unwrap()
    };
    let mut squares = part(0) + part(1);
    let mut g = vec![0.0; 2 * N];
    let (_, matrix) = squares.sparse_normal_equations(&vec![0.0; 2 * N], &mut g).unwrap();
    let wanted: Vec<f64> =
        rows.iter().flat_map(|row| row.iter().flat_map(move |x| row.iter().map(move |y| x * y))).collect();
    close(matrix.values(), &wanted);
}
