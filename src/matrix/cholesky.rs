//! `A = LLᴴ` of a positive definite matrix, of which only the lower triangle is read.
//!
//! Tangents and cotangents run column by column like the factorisation itself: Murray, Differentiation of the
//! Cholesky decomposition, arXiv:1602.07527 (2016); Smith, Differentiation of the Cholesky algorithm, J. Comput.
//! Graph. Stat. 4 (1995).

use std::rc::Rc;

use nalgebra::{DMatrix, DefaultAllocator, Dim, OMatrix, allocator::Allocator};

use super::determinant::determinant;
use super::lu::solve_whole;
use super::small::SMALL;
use super::system::Factored;
use super::{Entry, Op, add, demand, dense, inner_product, square};
use crate::error::AdError;
use crate::linear_map::LinearMap;
use crate::number::{BaseFloat, Machine, Number, Real};
use crate::primitive::Primitive;

/// The factor of a machine matrix, zero above the diagonal.
pub(super) fn factor<P: Machine>(op: &'static str, mut a: DMatrix<P>) -> Result<DMatrix<P>, AdError> {
    let n = a.nrows();
    for j in 0..n {
        let (left, own) = a.as_mut_slice().split_at_mut(j * n);
        let own = &mut own[j..n];
        for column in left.chunks_exact(n) {
            let column = &column[j..];
            let weight = Number::conj(column[0]);
            own.iter_mut().zip(column).for_each(|(v, &l)| *v -= l * weight);
        }
        let pivot = Number::re(own[0]);
        demand_positive(op, j, pivot)?;
        let root = P::from_re(Number::sqrt(pivot));
        own[0] = root;
        own[1..].iter_mut().for_each(|v| *v /= root);
    }
    a.fill_upper_triangle(P::lit(0.0), 1);
    Ok(a)
}

/// An error unless the pivot is positive; NaN is not.
fn demand_positive<T: Real>(op: &'static str, row: usize, pivot: T) -> Result<(), AdError> {
    let positive = pivot.primal() > T::Base::from_double(0.0);
    positive.then_some(()).ok_or(AdError::NotPositiveDefinite { op, pivot: row })
}

/// `A ↦ L`, from the factor of the values.
#[derive(Clone)]
struct Factor<P: Machine> {
    factors: Rc<Factored<P>>,
    n: usize,
}

impl<P: Machine> Primitive<P> for Factor<P> {
    type Map<T: Number<Primal = P, Base = P::Base>> = Columns<T>;
    fn name(&self) -> &'static str {
        "cholesky"
    }
    fn value(&self, _: &[&[P]]) -> Result<Vec<P>, AdError> {
        match &*self.factors {
            Factored::Cholesky(l) => Ok(l.as_slice().to_vec()),
            Factored::Lu(_) => unreachable!("factors of another kind"),
        }
    }
    fn linearize<T: Number<Primal = P, Base = P::Base>>(
        &self,
        _: Vec<Vec<T>>,
        y: &[T],
    ) -> Result<Columns<T>, AdError> {
        Ok(Columns { l: dense(self.n, self.n, y) })
    }
    fn leaves_out(&self, _: usize) -> bool {
        true
    }
}

/// The derivative of a factor. Column j of the factorisation is `v = aⱼ − Σₖ lₖ·conj(lⱼₖ)`, then `lⱼⱼ = √vⱼⱼ` and
/// `lᵢⱼ = vᵢⱼ/lⱼⱼ`.
struct Columns<T> {
    l: DMatrix<T>,
}

impl<T: Number> LinearMap<T> for Columns<T> {
    /// `v̇ = ȧⱼ − Σₖ (l̇ₖ·conj(lⱼₖ) + lₖ·conj(l̇ⱼₖ))`, `l̇ⱼⱼ = v̇ⱼⱼ/2lⱼⱼ`, `l̇ᵢⱼ = (v̇ᵢⱼ − lᵢⱼl̇ⱼⱼ)/lⱼⱼ`.
    fn apply(&self, tangents: &[Option<&[T]>], out: &mut [T]) {
        let n = self.l.nrows();
        out.copy_from_slice(tangents[0].expect("a matrix"));
        for j in 0..n {
            let (left, own) = out.split_at_mut(j * n);
            let (above, own) = own[..n].split_at_mut(j);
            above.fill(T::lit(0.0));
            own[0] = T::from_re(own[0].re());
            for (dl, l) in left.chunks_exact(n).zip(self.l.as_slice().chunks_exact(n)) {
                let (dl, l) = (&dl[j..], &l[j..]);
                let (dw, w) = (dl[0].conj(), l[0].conj());
                own.iter_mut().zip(dl.iter().zip(l)).for_each(|(v, (&dl, &l))| *v -= dl * w + l * dw);
            }
            let l = &self.l.as_slice()[j * n + j..(j + 1) * n];
            let reciprocal = T::lit(1.0) / l[0];
            own[0] = T::from_re((own[0] * reciprocal).re()) * T::lit(0.5);
            let d = own[0];
            own[1..].iter_mut().zip(&l[1..]).for_each(|(v, &l)| *v = (*v - l * d) * reciprocal);
        }
    }
    /// The same steps backwards: `v̄ᵢⱼ = l̄ᵢⱼ/lⱼⱼ`, `v̄ⱼⱼ = (l̄ⱼⱼ − Re Σ conj(v̄ᵢⱼ)lᵢⱼ)/2lⱼⱼ`, then `l̄ₖ −= v̄·lⱼₖ` and
    /// `l̄ⱼₖ −= Σ conj(v̄ᵢ)lᵢₖ`.
    fn transpose(&self, cotangent: &[T], out: &mut [Option<&mut [T]>]) {
        let n = self.l.nrows();
        let mut g = cotangent.to_vec();
        for j in (0..n).rev() {
            let (left, own) = g.split_at_mut(j * n);
            own[..j].fill(T::lit(0.0));
            let own = &mut own[j..n];
            let l = &self.l.as_slice()[j * n + j..(j + 1) * n];
            let reciprocal = T::lit(1.0) / l[0];
            own[1..].iter_mut().for_each(|v| *v *= reciprocal);
            let inner = own[0] - inner_product(&own[1..], &l[1..]);
            own[0] = T::from_re((inner * reciprocal).re()) * T::lit(0.5);
            for (g, l) in left.chunks_exact_mut(n).zip(self.l.as_slice().chunks_exact(n)) {
                let (g, l) = (&mut g[j..], &l[j..]);
                let weight = l[0];
                g.iter_mut().zip(&*own).for_each(|(g, &v)| *g -= v * weight);
                g[0] -= inner_product(own, l);
            }
        }
        add(out[0].as_mut().expect("a matrix"), &g);
    }
    fn name(&self) -> &'static str {
        "cholesky"
    }
    fn bytes(&self) -> usize {
        size_of_val(self.l.as_slice())
    }
}

/// The factor in the arithmetic of the numbers themselves.
fn small_factor<S: Entry, D: Dim>(
    op: &'static str,
    mut a: OMatrix<S, D, D>,
) -> Result<OMatrix<S, D, D>, AdError>
where
    DefaultAllocator: Allocator<D, D>,
{
    let n = a.nrows();
    for j in 0..n {
        for i in j..n {
            let mut v = if i == j { S::from_real(a[(j, j)].real_part()) } else { a[(i, j)] };
            for k in 0..j {
                v -= a[(i, k)] * a[(j, k)].conjugated();
            }
            a[(i, j)] = v;
        }
        let pivot = a[(j, j)].real_part();
        demand_positive(op, j, pivot)?;
        let root = S::from_real(Number::sqrt(pivot));
        a[(j, j)] = root;
        for i in j + 1..n {
            a[(i, j)] /= root;
            a[(j, i)] = S::constant(0.0);
        }
    }
    Ok(a)
}

/// The Cholesky factors of a positive definite matrix, computed once, for any number of solves.
///
/// Only the lower triangle of the matrix is read, and cotangents arrive there: that of a hermitian matrix with
/// entries of its own on both sides is the sum of both.
///
/// ```
/// use nalgebra::{matrix, vector};
/// use wengert::matrix::Cholesky;
/// let a = Cholesky::new(&matrix![2.0_f64, 1.0; 1.0, 2.0])?;
/// assert!((a.solve(&vector![3.0, 3.0]) - vector![1.0, 1.0]).norm() < 1e-15);
/// assert!((a.ln_det() - 3f64.ln()).abs() < 1e-15);
/// # Ok::<(), wengert::AdError>(())
/// ```
#[derive(Clone)]
pub struct Cholesky<S: Entry, D: Dim>
where
    DefaultAllocator: Allocator<D, D>,
{
    form: Form<S, D>,
}

#[derive(Clone)]
enum Form<S: Entry, D: Dim>
where
    DefaultAllocator: Allocator<D, D>,
{
    /// L, in the arithmetic of the numbers themselves.
    Small(OMatrix<S, D, D>),
    Whole(OMatrix<S, D, D>, Rc<Factored<S::Primal>>),
}

impl<S: Entry, D: Dim> Cholesky<S, D>
where
    DefaultAllocator: Allocator<D, D>,
{
    /// Factors a matrix.
    ///
    /// # Errors
    /// `NotPositiveDefinite` with the row of the first pivot that is not positive.
    ///
    /// # Panics
    /// If the matrix is not square.
    pub fn new(a: &OMatrix<S, D, D>) -> Result<Self, AdError> {
        let op = "cholesky";
        let n = square(op, a);
        let form = match n <= SMALL {
            true => Form::Small(small_factor(op, a.clone())?),
            false => Form::Whole(a.clone(), Factored::cholesky(op, n, a.as_slice())?),
        };
        Ok(Cholesky { form })
    }
    /// The lower triangular factor `L` with a positive diagonal.
    pub fn l(&self) -> OMatrix<S, D, D> {
        match &self.form {
            Form::Small(l) => l.clone(),
            Form::Whole(a, factors) => {
                let (rows, columns) = a.shape_generic();
                let rule = Factor { factors: factors.clone(), n: a.nrows() };
                let l = S::lift(&rule, &[a.as_slice()]).expect("the factors exist");
                OMatrix::from_vec_generic(rows, columns, l)
            }
        }
    }
    /// `X` of `AX = B`: `AẊ = Ḃ − ȦX`, with the same factors.
    ///
    /// # Panics
    /// If `B` has another number of rows.
    pub fn solve<C: Dim>(&self, b: &OMatrix<S, D, C>) -> OMatrix<S, D, C>
    where
        DefaultAllocator: Allocator<D, C>,
    {
        let (Form::Small(a) | Form::Whole(a, _)) = &self.form;
        demand("cholesky solve", "right-hand side", (a.nrows(), b.ncols()), b.shape());
        match &self.form {
            Form::Small(l) => small_solve(l, b.clone()),
            Form::Whole(a, factors) => solve_whole(factors, Op::Plain, a, b),
        }
    }
    /// `ln det A`: `tr(A⁻¹Ȧ)`, with the same factors.
    pub fn ln_det(&self) -> S::Re {
        match &self.form {
            Form::Small(l) => {
                let ln = |i| Number::ln(l[(i, i)].real_part());
                <S::Re as Number>::total((0..l.nrows()).map(ln)) * S::Re::lit(2.0)
            }
            Form::Whole(a, factors) => {
                determinant(factors.clone(), a.nrows(), a.as_slice(), true).real_part()
            }
        }
    }
}

/// `LLᴴX = B` by substitution.
fn small_solve<S: Entry, D: Dim, C: Dim>(l: &OMatrix<S, D, D>, mut x: OMatrix<S, D, C>) -> OMatrix<S, D, C>
where
    DefaultAllocator: Allocator<D, D> + Allocator<D, C>,
{
    let n = l.nrows();
    for c in 0..x.ncols() {
        for i in 0..n {
            let v = (0..i).fold(x[(i, c)], |v, k| v - l[(i, k)] * x[(k, c)]);
            x[(i, c)] = v / l[(i, i)];
        }
        for i in (0..n).rev() {
            let v = (i + 1..n).fold(x[(i, c)], |v, k| v - l[(k, i)].conjugated() * x[(k, c)]);
            x[(i, c)] = v / l[(i, i)];
        }
    }
    x
}

/// The factor `L` of `A = LLᴴ`, lower triangular with a positive diagonal: `L̇ = L·Φ(L⁻¹ȦL⁻ᴴ)`, where `Φ` takes the
/// lower triangle and half the diagonal. Only the lower triangle of `A` is read.
///
/// # Errors
/// `NotPositiveDefinite` with the row of the first pivot that is not positive.
///
/// # Panics
/// If the matrix is not square.
///
/// ```
/// use nalgebra::matrix;
/// use wengert::{Dual, matrix::cholesky};
/// let a = matrix![2.0, 1.0; 1.0, 2.0].zip_map(&matrix![0.1, 0.2; 0.2, -0.3], Dual::new);
/// let dl = cholesky(&a)?.map(|l| l.tangent());
/// assert!((dl - matrix![0.03535533905932738, 0.0; 0.12374368670764582, -0.19391794]).norm() < 1e-8);
/// # Ok::<(), wengert::AdError>(())
/// ```
pub fn cholesky<S: Entry, D: Dim>(a: &OMatrix<S, D, D>) -> Result<OMatrix<S, D, D>, AdError>
where
    DefaultAllocator: Allocator<D, D>,
{
    let n = square("cholesky", a);
    if n <= SMALL {
        return small_factor("cholesky", a.clone());
    }
    let rule = Factor { factors: Factored::cholesky("cholesky", n, a.as_slice())?, n };
    let (rows, columns) = a.shape_generic();
    Ok(OMatrix::from_vec_generic(rows, columns, S::lift(&rule, &[a.as_slice()])?))
}
