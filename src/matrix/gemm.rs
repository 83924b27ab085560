//! `α·AB + β·C`.

use std::cell::OnceCell;

use nalgebra::{DMatrixViewMut, DefaultAllocator, Dim, OMatrix, allocator::Allocator};

use super::op::gemm as add_product;
use super::product::{Factors, Product};
use super::small::SMALL;
use super::{Entry, Op, demand, inner_product, matmul};
use crate::error::AdError;
use crate::linear_map::LinearMap;
use crate::number::{Machine, Number};
use crate::primitive::Primitive;

/// `(α, A, B, β, C) ↦ αAB + βC`; a zero β leaves nothing of C.
#[derive(Clone, Copy)]
struct Combination(Product);

impl<P: Machine> Primitive<P> for Combination {
    type Map<T: Number<Primal = P, Base = P::Base>> = Combined<T>;
    fn name(&self) -> &'static str {
        "gemm"
    }
    fn value(&self, x: &[&[P]]) -> Result<Vec<P>, AdError> {
        let (m, _, n) = self.0.extents();
        let mut y: Vec<P> = x[4].iter().map(|c| c.strong_mul(x[3][0])).collect();
        let operand = |i: usize| Op::Plain.view(x[1 + i], self.0.shapes[i], self.0.shapes[i].0.max(1));
        add_product(
            x[0][0],
            &operand(0),
            &operand(1),
            P::lit(1.0),
            &mut DMatrixViewMut::from_slice(&mut y, m, n),
        );
        Ok(y)
    }
    fn linearize<T: Number<Primal = P, Base = P::Base>>(
        &self,
        x: Vec<Vec<T>>,
        _: &[T],
    ) -> Result<Combined<T>, AdError> {
        let [alpha, a, b, beta, c] = x.try_into().expect("two factors and three matrices");
        let (factors, product) = (Factors { product: self.0, a, b }, OnceCell::new());
        Ok(Combined { alpha: alpha[0], factors, product, beta: beta[0], c })
    }
}

/// `Ẏ = α̇AB + α(ȦB + AḂ) + β̇C + βĊ`.
struct Combined<T> {
    alpha: T,
    factors: Factors<T>,
    /// `AB`, which only the derivative by α takes.
    product: OnceCell<Vec<T>>,
    beta: T,
    c: Vec<T>,
}

impl<T: Number> Combined<T> {
    fn product(&self) -> &[T] {
        let Factors { product, a, b } = &self.factors;
        self.product.get_or_init(|| T::lift_primitive(product, &[a, b]).expect("products always exist"))
    }
}

impl<T: Number> LinearMap<T> for Combined<T> {
    fn apply(&self, tangents: &[Option<&[T]>], out: &mut [T]) {
        let [alpha, a, b, beta, c] = tangents else { unreachable!("two factors and three matrices") };
        self.factors.apply(&[*a, *b], out);
        out.iter_mut().for_each(|o| *o *= self.alpha);
        if let Some([d]) = alpha {
            out.iter_mut().zip(self.product()).for_each(|(o, p)| *o += p.strong_mul(*d));
        }
        if let Some([d]) = beta {
            out.iter_mut().zip(&self.c).for_each(|(o, c)| *o += c.strong_mul(*d));
        }
        if let Some(c) = c {
            out.iter_mut().zip(*c).for_each(|(o, d)| *o += d.strong_mul(self.beta));
        }
    }
    fn transpose(&self, cotangent: &[T], out: &mut [Option<&mut [T]>]) {
        let [alpha, a, b, beta, c] = out else { unreachable!("two factors and three matrices") };
        if let Some([sum]) = alpha {
            *sum += inner_product(self.product(), cotangent);
        }
        if let Some([sum]) = beta {
            let terms = self.c.iter().zip(cotangent).map(|(c, &y)| c.conj().strong_mul(y));
            *sum += T::total(terms);
        }
        if let Some(c) = c {
            c.iter_mut().zip(cotangent).for_each(|(c, y)| *c += y.strong_mul(self.beta.conj()));
        }
        if a.is_some() || b.is_some() {
            let scaled: Vec<T> = cotangent.iter().map(|&y| y * self.alpha.conj()).collect();
            self.factors.transpose(&scaled, &mut [a.as_deref_mut(), b.as_deref_mut()]);
        }
    }
    fn name(&self) -> &'static str {
        "gemm"
    }
    fn bytes(&self) -> usize {
        self.factors.bytes() + size_of_val(&self.c[..])
    }
}

/// `α·AB + β·C`. A component of `β` that is exactly zero leaves nothing of `C`, not even NaN.
///
/// `Ẏ = α̇AB + α(ȦB + AḂ) + β̇C + βĊ`; the cotangents are `Σ conj(AB)ᵢⱼȳᵢⱼ` of α, `conj(α)·ȲBᴴ`, `conj(α)·AᴴȲ`,
/// `Σ conj(cᵢⱼ)ȳᵢⱼ` of β and `conj(β)·Ȳ`.
///
/// # Panics
/// If the shapes do not fit.
///
/// ```
/// use nalgebra::matrix;
/// use wengert::{Dual, matrix::gemm};
/// let [a, b, c] = [3.0, 5.0, 4.0].map(|x| matrix![Dual::constant(x)]);
/// let y = gemm(Dual::new(2.0, 1.0), &a, &b, Dual::new(0.5, 1.0), &c);
/// assert_eq!((y[0].value(), y[0].tangent()), (32.0, 19.0));
/// ```
#[track_caller]
pub fn gemm<S: Entry, R: Dim, K: Dim, C: Dim>(
    alpha: S,
    a: &OMatrix<S, R, K>,
    b: &OMatrix<S, K, C>,
    beta: S,
    c: &OMatrix<S, R, C>,
) -> OMatrix<S, R, C>
where
    DefaultAllocator: Allocator<R, K> + Allocator<K, C> + Allocator<R, C>,
{
    demand("gemm", "second factor", (a.ncols(), b.ncols()), b.shape());
    demand("gemm", "matrix to be added", (a.nrows(), b.ncols()), c.shape());
    let (rows, columns) = c.shape_generic();
    if a.nrows().max(a.ncols()).max(b.ncols()) <= SMALL {
        return matmul(a, b).zip_map(c, |p, c| alpha * p + c.times_strongly(beta));
    }
    let rule = Combination(Product { ops: [Op::Plain; 2], shapes: [a.shape(), b.shape()] });
    let groups = [&[alpha][..], a.as_slice(), b.as_slice(), &[beta], c.as_slice()];
    OMatrix::from_vec_generic(rows, columns, S::lift(&rule, &groups).expect("products always exist"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::matrix::adjoint::{check, numbers};
    use num_complex::Complex;

    fn transposes<P: Machine>() {
        for (m, k, n) in [(1, 1, 1), (7, 2, 3), (2, 8, 1)] {
            let rule = Combination(Product { ops: [Op::Plain; 2], shapes: [(m, k), (k, n)] });
            let group = |len, seed| numbers::<P>(len, seed);
            let x = [group(1, 0.1), group(m * k, 0.2), group(k * n, 0.3), group(1, 0.4), group(m * n, 0.5)];
            check(&rule, &x.iter().map(Vec::as_slice).collect::<Vec<_>>());
        }
    }
    #[test]
    fn cotangents_are_transposes() {
        transposes::<f64>();
        transposes::<Complex<f64>>();
    }
    #[test]
    fn a_zero_beta_leaves_nothing_of_the_added_matrix() {
        let a = nalgebra::DMatrix::from_element(8, 8, 1.0);
        let nan = nalgebra::DMatrix::from_element(8, 8, f64::NAN);
        assert_eq!(gemm(2.0, &a, &a, 0.0, &nan), &a * 16.0);
        let one = crate::gradient(
            |b: &[crate::Var<f64>]| {
                let constant = |x: &nalgebra::DMatrix<f64>| x.map(crate::Var::constant);
                super::super::sum(&gemm(
                    b[0],
                    &constant(&a),
                    &constant(&a),
                    b[1],
                    &constant(&nan.map(|_| 3.0)),
                ))
            },
            &[2.0, 0.0],
        );
        assert_eq!(one, [512.0, 192.0]);
    }
}
