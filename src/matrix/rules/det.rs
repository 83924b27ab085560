//! The determinant, with factors of the matrix; its logarithm has 1 in place of d.
//!
//! ```text
//! value      d = det A, by the pivots
//! tangent    ḋ = d·tr(A⁻¹Ȧ)
//! cotangent  Ā = conj(d)·d̄·A⁻ᴴ
//! ```
//!
//! Up to three rows, if products of entries overflow or underflow, by the cofactors `C = ∂d/∂A`: `ḋ = Σ cᵢⱼȧᵢⱼ`,
//! `Ā = d̄·conj(C)`.

use std::sync::Arc;

use nalgebra::DMatrix;

use crate::error::AdError;
use crate::lift::{Extension, Primitive, Series, by_derivative, by_recurrence, image};
use crate::linear_map::LinearMap;
use crate::matrix::entry::Entry;
use crate::matrix::kernels::balance::{Balanced, exponent, middle, scaled};
use crate::matrix::kernels::factors::Factors;
use crate::matrix::kernels::small::det::divisionless_det;
use crate::matrix::op::Op;
use crate::matrix::rules::inverse::InverseRule;
use crate::matrix::rules::scaled::{Scales, lift};
use crate::matrix::rules::solve::near_one;
use crate::matrix::rules::{ScalarDerivative, dense};
use crate::number::{BaseFloat, Number, PrimalNumber, Real};

/// `A ↦ det A`, or a multiple of it, or `ln det A`.
#[derive(Clone)]
pub(crate) struct DetRule<P: PrimalNumber> {
    pub(crate) factors: Arc<Factors<P>>,
    pub(crate) n: usize,
    pub(crate) form: DetForm,
}

/// The result that is formed from a determinant.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum DetForm {
    Plain,
    /// By way of pivots that powers of two bring to a size of about 1.
    Scaled,
    /// The logarithm; of the modulus, for real numbers.
    Logarithm,
}

impl<P: PrimalNumber> Primitive<P> for DetRule<P> {
    type Map<T: Extension<P>> = ScalarDerivative<T>;
    const HELD: usize = 1;
    fn name(&self) -> &'static str {
        if self.form == DetForm::Logarithm { "ln_det" } else { "det" }
    }
    fn value(&self, _: &[&[P]]) -> Result<Vec<P>, AdError> {
        let pivots = self.factors.pivots();
        let sign = self.factors.sign();
        let product = |pivot: fn(P) -> P| {
            signed(Number::re(sign).primal(), P::multiplied(pivots.iter().map(|&p| pivot(p))))
        };
        match self.form {
            DetForm::Plain => return Ok(vec![product(|p| p)]),
            DetForm::Scaled => return Ok(vec![product(of_size_one)]),
            DetForm::Logarithm => {}
        }
        let mut sum = P::total(pivots.iter().map(|&p| ln_of(p)));
        if !P::REAL {
            sum += Number::ln(sign);
        }
        Ok(vec![sum])
    }
    fn linearize<T: Extension<P>>(&self, x: Vec<Vec<T>>, y: &[T]) -> Result<Self::Map<T>, AdError> {
        let [a] = x.try_into().expect("a matrix");
        let (n, factors) = (self.n, &self.factors);
        // Held entries have no tangents.
        let a: Vec<T> = if a.is_empty() { a } else { factors.meant(DMatrix::from_vec(n, n, a)).data.into() };
        let rule = InverseRule { n, value: factors.inverse(n).data.into() };
        let inverse = DMatrix::from_vec(n, n, T::lift_primitive(&rule, &[&a])?);
        let g = factors.of_entries(Op::Adjoint.of(inverse));
        // The derivative itself: with d at the other factor, a product may leave the range.
        let g = if self.form == DetForm::Logarithm { g } else { g.map(|g| y[0].conj() * g) };
        Ok(ScalarDerivative { gradient: g.data.into(), is_real: false })
    }
    /// `k·dₖ = Σ gⱼdₖ₋₁₋ⱼ` with the series `g = tr(A⁻¹A′)`.
    fn series<S: Series<Primal = P, Base = P::Base>>(
        &self,
        map: &ScalarDerivative<S::Part>,
        x: &[&[S]],
        y: Vec<S::Part>,
        n: usize,
    ) -> Result<Vec<S>, AdError> {
        if self.form == DetForm::Logarithm {
            return by_derivative(self, map, x, y, n);
        }
        let logarithm = DetRule { form: DetForm::Logarithm, ..self.clone() };
        let point = vec![x[0].iter().map(|x| x.cut_to(n - 1)).collect()];
        let slope: Vec<S> = x[0].iter().map(|x| x.slope_to(n - 1)).collect();
        let mut g = [S::lit(0.0)];
        logarithm.linearize(point, &g)?.apply(&[Some(&slope)], &mut g);
        Ok(by_recurrence(x, y, n, |orders| {
            let k = orders.next();
            if k == 1 {
                return image(map, &orders.tangents(), 1);
            }
            let terms = (0..k).map(|j| (g[0].order_part(j), orders.y(k - 1 - j)[0]));
            vec![S::Part::sum_of_products(terms) / S::Part::lit(k as f64)]
        }))
    }
}

/// `A ↦ det A` of up to three rows.
#[derive(Clone)]
struct CofactorRule {
    n: usize,
}

impl<P: PrimalNumber> Primitive<P> for CofactorRule {
    type Map<T: Extension<P>> = ScalarDerivative<T>;
    fn name(&self) -> &'static str {
        "det"
    }
    fn value(&self, x: &[&[P]]) -> Result<Vec<P>, AdError> {
        let a = dense(self.n, self.n, x[0]);
        let det = |a: &DMatrix<P>| divisionless_det(self.n, |i, j| a[(i, j)]);
        Ok(vec![
            Balanced::new(&a).map_or_else(|| det(&a), |balanced| balanced.unscaled(det(&balanced.matrix))),
        ])
    }
    fn linearize<T: Extension<P>>(&self, x: Vec<Vec<T>>, _: &[T]) -> Result<Self::Map<T>, AdError> {
        let (n, a) = (self.n, &x[0]);
        // Row and column of the cofactor left out, the others follow in a circle, which has the signs.
        let cofactor = |i: usize, j: usize| match n {
            1 => T::lit(1.0),
            2 => signed(if i == j { 1 } else { -1 }, a[(1 - i) + (1 - j) * 2]),
            _ => {
                let at = |k: usize, l: usize| a[(i + k) % 3 + (j + l) % 3 * 3];
                at(1, 1) * at(2, 2) - at(1, 2) * at(2, 1)
            }
        };
        let gradient = (0..n * n).map(|k| cofactor(k % n, k / n).conj()).collect();
        Ok(ScalarDerivative { gradient, is_real: false })
    }
}

/// A pivot times the power of two that brings it to a size of about 1.
pub(crate) fn of_size_one<S: Entry>(pivot: S) -> S {
    scaled(pivot, -exponent_of(pivot))
}

/// The logarithm; for a real number the logarithm of its modulus.
pub(crate) fn ln_of<S: Entry>(pivot: S) -> S {
    match S::IS_REAL {
        true => S::of_real(Number::ln(Real::abs(pivot.real_part()))),
        false => S::from_number(Number::ln(pivot.as_number())),
    }
}

/// The product, or its negative where rows were exchanged an odd number of times.
pub(crate) fn signed<S: Entry, F: PartialOrd + Default>(sign: F, product: S) -> S {
    if sign < F::default() { -product } else { product }
}

pub(crate) fn exponent_of<S: Entry>(pivot: S) -> i32 {
    exponent(pivot.size().to_double()).unwrap_or(0)
}

#[track_caller]
pub(crate) fn determinant<S: Entry>(
    factors: &Arc<Factors<S::Primal>>,
    n: usize,
    a: &[S],
    form: DetForm,
) -> S {
    let is_far = form == DetForm::Plain && middle(a.iter()) != 0;
    let form = if is_far { DetForm::Scaled } else { form };
    let (factors, power, of_d) = match form {
        DetForm::Scaled => {
            let of_d = factors.pivots().into_iter().map(exponent_of).sum();
            let (factors, power) = near_one(factors, a);
            (factors, power, of_d)
        }
        _ => (factors.clone(), 0, 0),
    };
    let powers = (form == DetForm::Scaled).then(|| Scales::new([vec![-power; a.len()]], vec![of_d]));
    lift(DetRule { factors, n, form }, powers, &[a]).expect("the factors exist")[0]
}

#[track_caller]
pub(crate) fn determinant_by_cofactors<S: Entry>(n: usize, a: &[S]) -> S {
    S::lift(&CofactorRule { n }, &[a]).expect("the cofactors exist")[0]
}
