//! Tangents and cotangents of every rule compared: `⟨ȳ, Jẋ⟩ = ⟨Jᵀȳ, ẋ⟩`.

use nalgebra::DMatrix;
use num_complex::{Complex, Complex64};

use crate::lift::{Primitive, views};
use crate::linear_map::LinearMap;
use crate::matrix::kernels::eigen::EigenPairs;
use crate::matrix::kernels::on_spectrum::OnSpectrum;
use crate::matrix::kernels::qr::QrFactors;
use crate::matrix::kernels::schur::SchurForm;
use crate::matrix::kernels::spectrum::Spectrum;
use crate::matrix::kernels::svd::MachineSvd;
use crate::matrix::kernels::sylvester::SylvesterOperator;
use crate::matrix::op::Op;
use crate::matrix::pinv::pinv;
use crate::matrix::rules::eigen::EigenRule;
use crate::matrix::rules::expm::ExpmRule;
use crate::matrix::rules::gemm::GemmRule;
use crate::matrix::rules::lstsq::LstsqRule;
use crate::matrix::rules::pinv::PinvRule;
use crate::matrix::rules::polar::PolarRule;
use crate::matrix::rules::product::{ProductRule, times};
use crate::matrix::rules::qr::QrRule;
use crate::matrix::rules::singular_norm::{NormOf, SingularNormRule};
use crate::matrix::rules::singular_values::SingularValuesRule;
use crate::matrix::rules::svd::SvdRule;
use crate::matrix::rules::sylvester::SylvesterRule;
use crate::matrix::rules::symmetric_eigen::SymmetricEigenRule;
use crate::matrix::rules::symmetric_eigenvalues::SymmetricEigenvaluesRule;
use crate::matrix::rules::symmetric_function::SymmetricFunctionRule;
use crate::number::{BaseFloat, Machine, Number};
use crate::rules::Exp;

/// Numbers in [−1, 1] without a pattern.
fn numbers<P: Machine>(count: usize, seed: f64) -> Vec<P> {
    let i = if P::REAL { P::lit(0.0) } else { Number::sqrt(P::lit(-1.0)) };
    let wave = |k: usize, by: f64| P::lit((by * ((k + 1) * (k + 1)) as f64 * (1.0 + seed)).sin());
    (0..count).map(|k| wave(k, 12.9898) + wave(k, 78.233) * i).collect()
}

fn real<P: Machine>(x: P) -> f64 {
    crate::number::Real::primal(Number::re(x)).to_double()
}

/// `Re Σ conj(x)y`.
fn product<P: Machine>(x: &[P], y: &[P]) -> f64 {
    let terms = x.iter().zip(y).map(|(&x, &y)| real(Number::conj(x) * y));
    terms.sum()
}

/// Panics if the transpose of a rule's derivative is not the transpose of its derivative.
fn check<P: Machine>(rule: &impl Primitive<P>, x: &[&[P]]) {
    let y = rule.value(x).unwrap();
    let map = rule.linearize::<P>(x.iter().map(|x| x.to_vec()).collect(), &y).unwrap();
    let tangents: Vec<Vec<P>> = x.iter().enumerate().map(|(g, x)| numbers(x.len(), 0.1 + g as f64)).collect();
    let mut dy = vec![P::lit(0.0); y.len()];
    map.apply(&tangents.iter().map(|t| Some(&t[..])).collect::<Vec<_>>(), &mut dy);
    let cotangent = numbers(y.len(), 0.5);
    let mut bars: Vec<Vec<P>> = x.iter().map(|x| vec![P::lit(0.0); x.len()]).collect();
    map.transpose(&cotangent, &mut bars.iter_mut().map(|b| Some(&mut b[..])).collect::<Vec<_>>());
    let forward = product(&cotangent, &dy);
    let reverse: f64 = bars.iter().zip(&tangents).map(|(b, t)| product(b, t)).sum();
    assert!(
        (forward - reverse).abs() <= 1e-12 * forward.abs().max(1.0),
        "{}: {forward} {reverse}",
        rule.name()
    );
}

#[test]
fn products() {
    fn of<P: Machine>() {
        for (m, k, n) in [(1, 1, 1), (7, 2, 3), (2, 8, 1)] {
            let rule = GemmRule(ProductRule { ops: [Op::Plain; 2], shapes: [(m, k), (k, n)] });
            let group = |len, seed| numbers::<P>(len, seed);
            let x = [group(1, 0.1), group(m * k, 0.2), group(k * n, 0.3), group(1, 0.4), group(m * n, 0.5)];
            check(&rule, &views(&x));
        }
    }
    of::<f64>();
    of::<Complex<f64>>();
}

#[test]
fn orthogonal_factors_and_least_squares() {
    fn of<P: Machine>() {
        for (m, n) in [(1, 1), (3, 3), (5, 3)] {
            let a: Vec<P> = numbers(m * n, 0.0);
            let factors = QrFactors::new("qr", (m, n), &a).unwrap();
            check(&QrRule { factors: factors.clone() }, &[&a]);
            check(&LstsqRule { factors, columns: 2 }, &[&a, &numbers(2 * m, 0.2), &numbers(2 * n, 0.3)]);
        }
        for (m, n, rank) in [(3, 3, 3), (5, 3, 3), (5, 3, 2), (2, 4, 2), (2, 4, 1)] {
            let a = DMatrix::<P>::from_vec(m, rank, numbers(m * rank, 0.0));
            let b = DMatrix::from_vec(rank, n, numbers(rank * n, 0.1));
            let a = times(Op::Plain, &a, Op::Plain, &b);
            let value = pinv(&a).unwrap();
            check(&PinvRule { rank, value }, &[a.as_slice()]);
        }
    }
    of::<f64>();
    of::<Complex<f64>>();
}

#[test]
fn singular_values_and_vectors() {
    fn of<P: Machine>() {
        for (m, n) in [(1, 1), (3, 3), (5, 3), (2, 4)] {
            let a: Vec<P> = numbers(m * n, 0.0);
            let of = MachineSvd::new("svd", (m, n), &a).unwrap();
            for leading in [1, m.min(n)] {
                check(&SvdRule { op: "svd", of: of.clone(), leading }, &[&a]);
            }
            check(&SingularValuesRule { of: of.clone() }, &[&a]);
            for part in [NormOf::Sum, NormOf::Largest] {
                check(&SingularNormRule { part, of: of.clone() }, &[&a]);
            }
            check(&PolarRule { op: "polar", of }, &[&a]);
        }
    }
    of::<f64>();
    of::<Complex<f64>>();
}

#[test]
fn symmetric_eigenvalues_and_vectors() {
    for n in [1, 2, 4, 9] {
        let a: Vec<Complex64> = numbers(n * n, 1.0);
        let found = Spectrum::new("eigen", n, &a).unwrap();
        check(&SymmetricEigenRule { found: found.clone() }, &[&a]);
        check(&SymmetricEigenvaluesRule { found }, &[&a]);
    }
}

#[test]
fn functions_of_symmetric_matrices() {
    let n = 3;
    let a: Vec<Complex64> = numbers(n * n, 1.0);
    let spectrum = Spectrum::new("exp", n, &a).unwrap();
    let f = OnSpectrum::new(Exp, &spectrum).unwrap();
    for order in 0..3 {
        let directions = (0..order).map(|k| numbers(n * n, 10.0 + k as f64));
        let x: Vec<_> = core::iter::once(a.clone()).chain(directions).collect();
        check(&SymmetricFunctionRule { f: f.clone(), order }, &views(&x));
    }
}

#[test]
fn general_eigenvalues_and_vectors() {
    for n in [1, 2, 5] {
        let a: Vec<Complex64> = numbers(n * n, 2.0);
        let [re, im] =
            [|x: &Complex64| x.re, |x: &Complex64| x.im].map(|part| a.iter().map(part).collect::<Vec<_>>());
        let real = EigenPairs::new("eigen", n, &re).unwrap();
        let complex = EigenPairs::new("eigen", n, &a).unwrap();
        for vectors in [false, true] {
            check(&EigenRule { found: real.clone(), vectors }, &[&re]);
            check(&EigenRule { found: complex.clone(), vectors }, &[&re, &im]);
        }
    }
}

#[test]
fn exponentials() {
    for scale in [0.01, 1.0, 20.0] {
        let a: Vec<Complex64> = numbers(16, 1.0).iter().map(|x: &Complex64| x * scale).collect();
        check(&ExpmRule { n: 4 }, &[&a]);
    }
}

#[test]
fn equations() {
    let [a, b, c]: [Vec<Complex64>; 3] = [(16, 1.0), (9, 2.0), (12, 3.0)].map(|(n, seed)| numbers(n, seed));
    let form = |n, a: &[Complex64]| SchurForm::new("sylvester", n, a).unwrap();
    let operator = SylvesterOperator::new("sylvester", form(4, &a), form(3, &b), f64::EPSILON).unwrap();
    for adjoint in [false, true] {
        let rule = SylvesterRule { name: "sylvester", operator: operator.clone(), adjoint, shape: (4, 3) };
        check(&rule, &[&a, &b, &c]);
    }
}
