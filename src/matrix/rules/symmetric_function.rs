//! Functions of symmetric and hermitian matrices by their eigenvalues, with the divided differences `Gᵢⱼ = f[λᵢ, λⱼ]`:
//!
//! ```text
//! value      f(A) = V f(Λ) Vᴴ
//! tangent    V(G∘VᴴȦV)Vᴴ
//! cotangent  V(G∘VᴴȲV)Vᴴ
//! ```
//!
//! Where eigenvalues are repeated, `f(A)` has derivatives but the eigenvectors have none, so the rule does not
//! differentiate them. Derivatives of any order have one form:
//!
//! ```text
//! Mₖ(A; E₁, …, Eₖ) = V·[Σ f[λᵢ, λⱼ, …, λₗ] (VᴴE₁V)ᵢⱼ …]ᵢₗ·Vᴴ,
//!     summed over the indices between the first and the last.
//! ```
//!
//! `f(A) = M₀(A)`. The derivative of Mₖ in A is the sum over all positions between the E of Mₖ₊₁ with Ȧ at that
//! position. Mₖ is linear in each E, and its transpose is Mₖ with the E in another order.

use std::sync::Arc;

use nalgebra::DMatrix;

use crate::error::AdError;
use crate::lift::{Extension, Primitive, Series, by_derivative, by_recurrence, views};
use crate::linear_map::LinearMap;
use crate::matrix::kernels::balance::{largest_exponent, magnitude, scaled};
use crate::matrix::kernels::on_spectrum::OnSpectrum;
use crate::matrix::op::Op;
use crate::matrix::rules::expm::{ExpmRule, with_values};
use crate::matrix::rules::product::{sum_of_products, times};
use crate::matrix::rules::{add, dense, with_rest};
use crate::number::{BaseFloat, Number, PrimalNumber};
use crate::rules::{Recurrence, Unary};

/// `Mₖ`, of the groups `A, E₁, …, Eₖ`.
#[derive(Clone)]
pub(crate) struct SymmetricFunctionRule<U, P: PrimalNumber> {
    pub(crate) f: Arc<OnSpectrum<U, P>>,
    pub(crate) order: usize,
}

impl<U: Unary, P: PrimalNumber> SymmetricFunctionRule<U, P> {
    fn of_order(&self, order: usize) -> Self {
        SymmetricFunctionRule { f: self.f.clone(), order }
    }
    /// `M₀` or `M₁` of `f(x) = f(0)·eᶜˣ`.
    fn exponential<T: Extension<P>>(&self, x: &[&[T]]) -> Result<Vec<T>, AdError> {
        let (zero, one) = (P::Base::from_double(0.0), P::Base::from_double(1.0));
        let (factor, rate) = (self.f.rule.value(zero), self.f.rule.derivative(zero, one));
        let times = |x: &[T], by: P::Base| x.iter().map(|&x| x * by).collect::<Vec<T>>();
        let (rule, a) = (ExpmRule { n: self.f.points.len() }, times(&hermitian_part(x[0]), rate));
        let y = if let [_, e] = x {
            let mut out = vec![T::lit(0.0); e.len()];
            rule.linearize(vec![a], &[])?.apply(&[Some(&times(e, rate))], &mut out);
            out
        } else {
            T::lift_primitive(&rule, &[&a])?
        };
        Ok(times(&y, factor))
    }
}

impl<U: Unary, P: PrimalNumber> Primitive<P> for SymmetricFunctionRule<U, P> {
    type Map<T: Extension<P>> = SymmetricFunctionDerivative<U, P, T>;
    const HELD: usize = 1;
    fn name(&self) -> &'static str {
        U::NAME
    }
    fn value(&self, x: &[&[P]]) -> Result<Vec<P>, AdError> {
        let (v, n) = (&self.f.vectors, self.f.points.len());
        let mut sum = DMatrix::zeros(n, n);
        if x[1..].iter().any(|e| e.iter().all(|x| x.is_exactly_zero())) {
            return Ok(sum.data.into());
        }
        // The differences are uᵏ·f[…]; the directions in units of their own size, so that no product leaves the range.
        let unit = self.f.unit(self.order);
        let mut power = -(self.order as i32) * unit;
        let mut turned = |e: &&[P]| {
            let own = if unit == 0 { magnitude(e) } else { largest_exponent(e).unwrap_or(0) };
            power += own;
            let e = dense(n, n, e).map(|x| scaled(x, -own));
            times(Op::Adjoint, v, Op::Plain, &times(Op::Plain, &e, Op::Plain, v))
        };
        let directions: Vec<_> = x[1..].iter().map(&mut turned).collect();
        if self.order == 0 {
            (0..n).for_each(|i| sum[(i, i)] = P::base(self.f.rule.value(self.f.points[i])));
        } else {
            (0..n).for_each(|i| self.f.walk(&mut vec![i], P::lit(1.0), &directions, &mut sum));
        }
        let back = times(Op::Plain, &times(Op::Plain, v, Op::Plain, &sum), Op::Adjoint, v);
        Ok(back.iter().map(|&x| scaled(x, power)).collect())
    }
    /// If the numbers are nested, the derivative of next higher order is tried on directions of zero, which costs
    /// nothing, so that its error is an error of this function.
    fn linearize<T: Extension<P>>(&self, mut x: Vec<Vec<T>>, y: &[T]) -> Result<Self::Map<T>, AdError> {
        self.f.is_finite(self.order + 1)?;
        if !T::PLAIN {
            let zeros = vec![T::lit(0.0); y.len()];
            let groups: Vec<&[T]> = x.iter().map(Vec::as_slice).chain([&zeros[..]]).collect();
            T::lift_primitive(&self.of_order(self.order + 1), &groups)?;
        }
        let directions = x.split_off(1);
        Ok(SymmetricFunctionDerivative { rule: self.clone(), a: x.remove(0), directions })
    }
    /// Of a root `Y² = A`, and of its derivative `YZ + ZY = E`, by these equations: the derivative at the point solves for
    /// the next coefficient. Of `s·eᶜˣ` and its derivative as [`ExpmRule`].
    fn series<S: Series<Primal = P, Base = P::Base>>(
        &self,
        map: &SymmetricFunctionDerivative<U, P, S::Part>,
        x: &[&[S]],
        y: Vec<S::Part>,
        n: usize,
    ) -> Result<Vec<S>, AdError> {
        match self.f.points.first().map(|&x| self.f.rule.recurrence(x)) {
            Some(Recurrence::Root) if self.order < 2 => (),
            Some(Recurrence::Exponential) if self.order < 2 => {
                return Ok(with_values(n, y, &self.exponential(x)?));
            }
            _ => return by_derivative(self, map, x, y, n),
        }
        let size = self.f.points.len();
        let factors = [(Op::Plain, (size, size)); 2];
        if self.order == 0 {
            return Ok(by_recurrence(x, y, n, |orders| {
                let pairs = orders.between().map(|j| (Some(orders.y(j)), Some(orders.y(orders.next() - j))));
                with_rest(map, orders, &sum_of_products(factors, pairs))
            }));
        }
        let root = S::lift_primitive(&self.of_order(0), &x[..1])?;
        let part = |k: usize| root.iter().map(|y| y.order_part(k)).collect();
        let root: Vec<Vec<S::Part>> = (0..=n).map(part).collect();
        Ok(by_recurrence(x, y, n, |orders| {
            let k = orders.next();
            let both = |j: usize| {
                let (root, z) = (Some(&root[j][..]), Some(orders.y(k - j)));
                [(root, z), (z, root)]
            };
            let mut rest = -sum_of_products(factors, (1..=k).flat_map(both));
            if let Some(e) = orders.x(1, k) {
                add(rest.as_mut_slice(), e);
            }
            S::Part::lift_primitive(self, &[&map.a, rest.as_slice()]).expect("the differences exist")
        }))
    }
}

/// The derivative of `Mₖ`.
pub(crate) struct SymmetricFunctionDerivative<U, P: PrimalNumber, T> {
    rule: SymmetricFunctionRule<U, P>,
    a: Vec<T>,
    directions: Vec<Vec<T>>,
}

/// The hermitian part of a square matrix.
pub(crate) fn hermitian_part<T: Number>(a: &[T]) -> Vec<T> {
    let (n, half) = (a.len().isqrt(), T::lit(0.5));
    let entry = |k: usize| (a[k] + a[k / n + k % n * n].conj()) * half;
    (0..n * n).map(entry).collect()
}

impl<U: Unary, P: PrimalNumber, T: Extension<P>> SymmetricFunctionDerivative<U, P, T> {
    /// `M(A; …)` added to `out`.
    fn accumulate(&self, directions: &[&[T]], out: &mut [T]) {
        let groups: Vec<&[T]> = core::iter::once(&self.a[..]).chain(directions.iter().copied()).collect();
        let term = T::lift_primitive(&self.rule.of_order(directions.len()), &groups);
        add(out, &term.expect("the differences exist"));
    }
    /// The cotangent of the direction between `before` and `after`: `M(A; beforeᴴ reversed, C, afterᴴ reversed)`.
    fn transposed(&self, before: &[Vec<T>], c: &[T], after: &[Vec<T>], out: &mut [T]) {
        let n = c.len().isqrt();
        let adjoint = |e: &Vec<T>| Vec::from(Op::Adjoint.of(dense(n, n, e)).data);
        let turned = |directions: &[Vec<T>]| directions.iter().rev().map(adjoint).collect::<Vec<_>>();
        let (before, after) = (turned(before), turned(after));
        self.accumulate(&[&views(&before)[..], &[c], &views(&after)].concat(), out);
    }
}

impl<U: Unary, P: PrimalNumber, T: Extension<P>> LinearMap<T> for SymmetricFunctionDerivative<U, P, T> {
    fn apply(&self, tangents: &[Option<&[T]>], out: &mut [T]) {
        out.fill(T::lit(0.0));
        let all: Vec<&[T]> = self.directions.iter().map(Vec::as_slice).collect();
        if let Some(da) = tangents[0].map(hermitian_part) {
            for place in 0..=all.len() {
                self.accumulate(&[&all[..place], &[&da], &all[place..]].concat(), out);
            }
        }
        for (place, de) in tangents[1..].iter().enumerate() {
            if let Some(de) = de {
                self.accumulate(&[&all[..place], &[*de], &all[place + 1..]].concat(), out);
            }
        }
    }
    fn apply_transpose_add(&self, cotangent: &[T], out: &mut [Option<&mut [T]>]) {
        let all = &self.directions;
        let (to_a, to_directions) = out.split_first_mut().expect("a matrix");
        if let Some(out) = to_a {
            let mut sum = vec![T::lit(0.0); cotangent.len()];
            for place in 0..=all.len() {
                self.transposed(&all[..place], cotangent, &all[place..], &mut sum);
            }
            add(out, &hermitian_part(&sum));
        }
        for (place, out) in to_directions.iter_mut().enumerate() {
            if let Some(out) = out {
                self.transposed(&all[..place], cotangent, &all[place + 1..], out);
            }
        }
    }
    fn name(&self) -> &'static str {
        U::NAME
    }
    fn bytes(&self) -> usize {
        let numbers = self.a.len() + self.directions.iter().map(Vec::len).sum::<usize>();
        size_of::<T>() * numbers + size_of_val(self.rule.f.vectors.as_slice())
    }
}
