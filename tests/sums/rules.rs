//! Every rule and every reduction in rows, functions of matrices and nested derivatives too, to second order.

use nalgebra::{DMatrix, Matrix2, Vector2};
use wengert::programs::Traced;
use wengert::rules::{Binary, Holomorphic, RuleVisitor, Unary, visit_rules};
use wengert::sums::Sum;
use wengert::{Dual, Real, forward, matrix, reduce};

use super::demands::{Whole, demand_sum};

/// A term of two parameters and a row of two numbers between 0 and 1, over forty rows.
trait Term: Send + Sync {
    fn at<T: wengert::Scalar>(&self, p: &[T], d: &[T]) -> T;
}

struct Rows<'a, F>(&'a F, Vec<[f64; 2]>);

impl<F: Term> Whole for Rows<'_, F> {
    fn at<T: wengert::Scalar>(&self, p: &[T]) -> T {
        self.1.iter().map(|d| self.0.at(p, &d.map(T::lit))).sum()
    }
}

#[track_caller]
fn demand(term: &impl Term, p: [f64; 2]) {
    let data: Vec<[f64; 2]> =
        (0..40).map(|i| [(f64::from(i) * 0.618) % 1.0, (f64::from(i) * 0.414) % 1.0]).collect();
    let mut sum = Sum::new(2, &data, |p: &[Traced], d: &[Traced]| term.at(p, d)).unwrap();
    demand_sum(&mut sum, &Rows(term, data), &p);
}

/// `lo + (hi − lo)·x`, within the interval for `x` between 0.1 and 0.9.
fn within<T: Real<Base = f64>>(x: T, [lo, hi]: [f64; 2]) -> T {
    (x * 0.8 + 0.1) * (hi - lo) + lo
}

struct OfOne<U>(U, [f64; 2]);

impl<U: Unary> Term for OfOne<U> {
    fn at<T: wengert::Scalar>(&self, p: &[T], d: &[T]) -> T {
        within(p[0] * d[0], self.1).lift1(self.0) * p[1]
    }
}

struct OfTwo<B>(B, [[f64; 2]; 2]);

impl<B: Binary> Term for OfTwo<B> {
    fn at<T: wengert::Scalar>(&self, p: &[T], d: &[T]) -> T {
        within(p[0] * d[0], self.1[0]).lift2(within(p[1] * d[1], self.1[1]), self.0)
    }
}

struct All;

impl RuleVisitor for All {
    fn holomorphic<H: Holomorphic>(&mut self, rule: H, on: [f64; 2]) {
        self.unary(rule, on);
    }
    fn unary<U: Unary>(&mut self, rule: U, on: [f64; 2]) {
        demand(&OfOne(rule, on), [0.8, 0.7]);
    }
    fn binary<B: Binary>(&mut self, rule: B, on: [[f64; 2]; 2]) {
        demand(&OfTwo(rule, on), [0.8, 0.7]);
    }
}

#[test]
fn every_rule() {
    visit_rules(&mut All);
}

macro_rules! terms {
    ($($name:ident: |$p:ident, $d:ident| $body:expr;)*) => {$({
        struct Each;
        impl Term for Each {
            fn at<T: wengert::Scalar>(&self, $p: &[T], $d: &[T]) -> T {
                $body
            }
        }
        demand(&Each, [0.8, 0.3]);
    })*};
}

#[test]
fn every_reduction() {
    fn all<T: Real<Base = f64>>(p: &[T], d: &[T]) -> [T; 6] {
        [p[0] * d[0], p[1] * d[1] + 0.2, p[0] - d[1], p[1].sin(), d[0] * 0.5, p[0] * p[1]]
    }
    terms! {
        sum: |p, d| reduce::sum(&all(p, d)).square();
        mean: |p, d| reduce::mean(&all(p, d)).unwrap().square();
        product: |p, d| reduce::product(&all(p, d)[1..]);
        dot: |p, d| reduce::dot(&all(p, d), &[p[1], d[0], p[0], d[1], p[1], d[1]]);
        affine: |p, d| reduce::affine(&all(p, d), &all(d, p), p[1]).sin();
        linear_combination: |p, d| reduce::linear_combination(&[1.0, -2.0, 0.5, 3.0, 1.5, 1.0], &all(p, d)).cos();
        norm_squared: |p, d| reduce::norm_squared(&all(p, d)).sqrt();
        norm: |p, d| reduce::norm(&all(p, d)) * p[1];
        max: |p, d| reduce::max(&all(p, d)).unwrap() * p[1];
        min: |p, d| reduce::min(&all(p, d)).unwrap() * p[1];
        argmax: |p, d| all(p, d)[reduce::argmax(&all(p, d)).unwrap()] * p[1];
        logsumexp: |p, d| reduce::logsumexp(&all(p, d));
        softmax: |p, d| reduce::softmax(&all(p, d))[2];
        log_softmax: |p, d| reduce::log_softmax(&all(p, d))[1];
        total: |p, d| (0..20).map(|k| (p[0] * d[0] + k as f64).sin()).sum::<T>() * p[1];
    }
}

#[test]
fn functions_of_matrices_and_nested_derivatives() {
    fn square<T: Real<Base = f64>>(p: &[T], d: &[T]) -> Matrix2<T> {
        Matrix2::new(p[0] * d[0] + 2.0, p[1], d[1], p[1] * d[0] + 3.0)
    }
    fn whole<T: Real<Base = f64>>(p: &[T]) -> DMatrix<T> {
        DMatrix::from_row_slice(2, 2, &[p[0] + 2.0, p[1], p[1], p[0] * p[1] + 3.0])
    }
    terms! {
        det: |p, d| matrix::det(&square(p, d));
        solve: |p, d| matrix::solve(&square(p, d), &Vector2::new(p[0], d[0])).unwrap()[1];
        expm: |p, d| matrix::expm(&(square(p, d) * T::lit(0.1))).unwrap()[(0, 1)];
        hoisted: |p, d| matrix::solve(&whole(p), &nalgebra::DVector::from_vec(vec![d[0], p[1]])).unwrap()[0] * p[1];
        hoisted_det: |p, d| (matrix::det(&whole(p)) * d[0]).sin();
        derivative: |p, d| {
            forward::derivative(|x: Dual<T>| (x * Dual::constant(d[0])).sin() * x, p[0]) * p[1]
        };
        gradient: |p, d| {
            let g = forward::gradient(
                |x: &[wengert::DualN<T, 8>]| (x[0] * x[1]).exp() * wengert::DualN::constant(d[1]),
                &[p[0], p[1]][..],
            );
            g[0] * g[1]
        };
    }
}

/// A primitive may fail at the data of a row, and its derivative at a point where its value is.
#[test]
fn primitives_that_fail() {
    // A row whose matrix is singular takes the other branch.
    let data: Vec<[f64; 2]> = (0..40).map(|i| [f64::from(i % 7) - 3.0, 1.0 + f64::from(i)]).collect();
    struct Inverses<'a>(&'a [[f64; 2]]);
    impl Inverses<'_> {
        fn term<T: Real<Base = f64>>(p: &[T], d: &[T]) -> T {
            let whole = Matrix2::new(d[0], T::lit(0.0), T::lit(1.0), d[1]);
            matrix::inverse(&whole).map_or(p[1], |inverse| inverse[(0, 0)] * p[0] * p[1])
        }
    }
    impl Whole for Inverses<'_> {
        fn at<T: wengert::Scalar>(&self, p: &[T]) -> T {
            self.0.iter().map(|d| Self::term(p, &d.map(T::lit))).sum()
        }
    }
    let mut sum = Sum::new(2, &data, |p: &[Traced], d: &[Traced]| Inverses::term(p, d)).unwrap();
    demand_sum(&mut sum, &Inverses(&data), &[0.4, 0.7]);
    // Eigenvectors of equal eigenvalues have no derivative, shared by all rows or of each row.
    let of_all = |p: &[Traced], d: &[Traced]| {
        let whole = DMatrix::from_row_slice(2, 2, &[p[0], p[1] * 0.0, p[1] * 0.0, p[1]]);
        matrix::symmetric_eigen(&whole).unwrap().eigenvectors[(0, 0)] * d[0]
    };
    let of_row = |p: &[Traced], d: &[Traced]| {
        let zero = p[1] * d[1] * 0.0;
        let whole = DMatrix::from_row_slice(2, 2, &[p[0] * d[1], zero, zero, p[1] * d[1]]);
        matrix::symmetric_eigen(&whole).unwrap().eigenvectors[(0, 0)]
    };
    let mut g = [0.0; 2];
    let mut sum = Sum::new(2, &data, of_all).unwrap();
    assert!(sum.gradient(&[1.0, 2.0], &mut g).is_ok());
    assert!(sum.gradient(&[1.0, 1.0], &mut g).is_err());
    let mut sum = Sum::new(2, &data, of_row).unwrap();
    assert!(sum.gradient(&[1.0, 2.0], &mut g).is_ok());
    assert!(sum.gradient(&[1.0, 1.0], &mut g).is_err());
    assert!(sum.gradient(&[1.0, 2.0], &mut g).is_ok());
    assert!(sum.report().parts[0].branches < 4, "{}", sum.report());
}
