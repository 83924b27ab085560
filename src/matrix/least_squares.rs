//! Least squares and pseudo-inverses.

use std::rc::Rc;

use nalgebra::{DMatrix, DefaultAllocator, Dim, OMatrix, allocator::Allocator};
use num_traits::Float;

use super::decomposition::Decomposition;
use super::gram_schmidt::{fits, orthogonalise, solution};
use super::product::ELEMENTWISE;
use super::qr::{Orthogonal, upper};
use super::small::SMALL;
use super::svd::scale_columns;
use super::{Entry, Op, add, demand, dense, times};
use crate::error::AdError;
use crate::linear_map::LinearMap;
use crate::number::{Machine, Number};
use crate::primitive::Primitive;

/// `R + AX = B`, `AᴴR = C`: with `C = 0` the least-squares problem of A and B, R its residual. The system is Hermitian,
/// so it is its own transpose, and derivatives are systems of the same kind:
///
/// `Ṙ + AẊ = Ḃ − ȦX`, `AᴴṘ = Ċ − ȦᴴR`; `B̄` and `C̄` solve it for `R̄` and `X̄`, and `Ā = −B̄Xᴴ − RC̄ᴴ`.
///
/// In this form the term of the residual, which the condition enters squared, needs no normal equations (Björck,
/// Solving linear least squares problems by Gram–Schmidt orthogonalization, BIT 7 (1967); Golub and Pereyra, The
/// differentiation of pseudo-inverses and nonlinear least squares problems whose variables separate, 1973).
#[derive(Clone)]
struct Augmented<P: Machine> {
    factors: Rc<Orthogonal<P>>,
    columns: usize,
}

impl<P: Machine> Augmented<P> {
    fn shape(&self) -> (usize, usize) {
        self.factors.q.shape()
    }
    /// `(R, X)`, one after the other.
    fn split<T: Number>(&self, y: &[T]) -> (DMatrix<T>, DMatrix<T>) {
        let (m, n) = self.shape();
        let (r, x) = y.split_at(m * self.columns);
        (dense(m, self.columns, r), dense(n, self.columns, x))
    }
}

impl<P: Machine> Primitive<P> for Augmented<P> {
    type Map<T: Number<Primal = P, Base = P::Base>> = Residual<P, T>;
    fn name(&self) -> &'static str {
        "lstsq"
    }
    /// With `D = R⁻ᴴC`: the residual is `QD + (I−QQᴴ)B`, and `X = R⁻¹(QᴴB − D)`.
    fn value(&self, x: &[&[P]]) -> Result<Vec<P>, AdError> {
        let (m, n) = self.shape();
        let Orthogonal { q, r } = &*self.factors;
        let (b, mut d) = (dense(m, self.columns, x[1]), dense(n, self.columns, x[2]));
        upper(Op::Adjoint).solve(r.as_slice(), r.nrows(), &mut d);
        let mut x = times(Op::Adjoint, q, Op::Plain, &b) - &d;
        let residual = match m == n {
            true => times(Op::Plain, q, Op::Plain, &d), // nothing is outside of Q
            false => b - times(Op::Plain, q, Op::Plain, &x),
        };
        upper(Op::Plain).solve(r.as_slice(), r.nrows(), &mut x);
        Ok([residual.as_slice(), x.as_slice()].concat())
    }
    fn linearize<T: Number<Primal = P, Base = P::Base>>(
        &self,
        x: Vec<Vec<T>>,
        y: &[T],
    ) -> Result<Residual<P, T>, AdError> {
        let [a, _, _] = x.try_into().expect("a matrix and two right-hand sides");
        let (r, x) = self.split(y);
        Ok(Residual { rule: self.clone(), a, r, x })
    }
    fn leaves_out(&self, group: usize) -> bool {
        group == 0
    }
}

/// The derivative of a solution and its residual.
struct Residual<P: Machine, T> {
    rule: Augmented<P>,
    /// The entries of the matrix, where it is one of numbers with tangents.
    a: Vec<T>,
    r: DMatrix<T>,
    x: DMatrix<T>,
}

impl<P: Machine, T: Number<Primal = P, Base = P::Base>> LinearMap<T> for Residual<P, T> {
    fn apply(&self, tangents: &[Option<&[T]>], out: &mut [T]) {
        let ((m, n), columns) = (self.rule.shape(), self.rule.columns);
        let given = |group: usize, rows: usize| match tangents[group] {
            Some(tangents) => dense(rows, columns, tangents),
            None => DMatrix::zeros(rows, columns),
        };
        let (mut b, mut c) = (given(1, m), given(2, n));
        if let Some(da) = tangents[0] {
            let da = dense(m, n, da);
            b -= times(Op::Plain, &da, Op::Plain, &self.x);
            c -= times(Op::Adjoint, &da, Op::Plain, &self.r);
        }
        let groups = [&self.a[..], b.as_slice(), c.as_slice()];
        out.copy_from_slice(&T::lift_primitive(&self.rule, &groups).expect("the factors exist"));
    }
    fn transpose(&self, cotangent: &[T], out: &mut [Option<&mut [T]>]) {
        let (r, x) = cotangent.split_at(self.r.len());
        let y = T::lift_primitive(&self.rule, &[&self.a, r, x]).expect("the factors exist");
        let (b, c) = self.rule.split(&y);
        if let Some(out) = &mut out[0] {
            let g = times(Op::Plain, &b, Op::Adjoint, &self.x) + times(Op::Plain, &self.r, Op::Adjoint, &c);
            out.iter_mut().zip(g.as_slice()).for_each(|(o, &g)| *o -= g);
        }
        for (group, bar) in [(1, &b), (2, &c)] {
            if let Some(out) = &mut out[group] {
                add(out, bar.as_slice());
            }
        }
    }
    fn name(&self) -> &'static str {
        "lstsq"
    }
    fn bytes(&self) -> usize {
        let (m, n) = self.rule.shape();
        let factors = size_of::<P>() * (m + n) * n;
        factors + [&self.a[..], self.r.as_slice(), self.x.as_slice()].map(size_of_val).iter().sum::<usize>()
    }
}

/// The X of least `|AX − B|` for a matrix with its factors.
#[track_caller]
pub(super) fn least_squares<S: Entry, R: Dim, C: Dim, K: Dim>(
    factors: &Rc<Orthogonal<S::Primal>>,
    a: &OMatrix<S, R, C>,
    b: &OMatrix<S, R, K>,
) -> OMatrix<S, C, K>
where
    DefaultAllocator: Allocator<R, C> + Allocator<R, K> + Allocator<C, K>,
{
    let (rows, columns) = (a.shape_generic().1, b.shape_generic().1);
    let rule = Augmented { factors: factors.clone(), columns: columns.value() };
    let zero = vec![S::constant(0.0); rows.value() * columns.value()];
    let y = S::lift(&rule, &[a.as_slice(), b.as_slice(), &zero]).expect("the factors exist");
    OMatrix::from_column_slice_generic(rows, columns, &y[b.len()..])
}

/// The X of least `|AX − B|`, for one right-hand side or several and a matrix with independent columns, by its factors
/// `A = QR`, whatever the number type.
///
/// With the residual `P = B − AX` and `G = QR⁻ᴴX̄`, `W = R⁻¹R⁻ᴴX̄`:
/// `Ẋ = R⁻¹(Qᴴ(Ḃ − ȦX) + R⁻ᴴȦᴴP)`, `B̄ = G`, `Ā = PWᴴ − GXᴴ`; no normal equations are formed.
/// (Golub and Pereyra, The differentiation of pseudo-inverses and nonlinear least squares problems whose variables
/// separate, SIAM J. Numer. Anal. 10, 1973.)
///
/// # Errors
/// `Singular` if the columns are not independent: one is within `m·ε` of its length of the others' span, or there are
/// more of them than rows. [`pinv`] has the solution of least norm then. Also if an entry of the matrix is not finite.
///
/// # Panics
/// If `B` has another number of rows.
///
/// ```
/// use nalgebra::{matrix, vector};
/// use wengert::{Dual, matrix::lstsq};
/// // The slope and the intercept of a line through three points, as the second rises.
/// let a = matrix![0.0, 1.0; 1.0, 1.0; 3.0, 1.0].map(Dual::constant);
/// let x = lstsq(&a, &vector![Dual::constant(1.0), Dual::variable(2.0), Dual::constant(4.0)])?;
/// assert!((x.map(|x| x.value()) - vector![1.0, 1.0]).norm() < 1e-14);
/// assert!((x.map(|x| x.tangent()) - vector![-1.0 / 14.0, 3.0 / 7.0]).norm() < 1e-14);
/// # Ok::<(), wengert::AdError>(())
/// ```
#[track_caller]
pub fn lstsq<S: Entry, R: Dim, C: Dim, K: Dim>(
    a: &OMatrix<S, R, C>,
    b: &OMatrix<S, R, K>,
) -> Result<OMatrix<S, C, K>, AdError>
where
    DefaultAllocator: Allocator<R, C> + Allocator<R, K> + Allocator<C, K>,
{
    demand("lstsq", "right-hand side", (a.nrows(), b.ncols()), b.shape());
    if !S::RECORDS && fits(a.shape()) && b.ncols() <= ELEMENTWISE {
        let mut q = a.clone();
        let mut r = [S::constant(0.0); SMALL * SMALL];
        if orthogonalise(q.as_mut_slice(), &mut r, a.shape()) {
            let shape = (a.shape_generic().1, b.shape_generic().1);
            return Ok(solution((q.as_slice(), &r), b.as_slice(), a.nrows(), shape));
        }
    }
    Ok(least_squares(&Orthogonal::new("lstsq", a.shape(), a.as_slice())?, a, b))
}

/// `Y = A⁺`.
#[derive(Clone)]
struct PseudoInverse<P: Machine> {
    rank: usize,
    value: DMatrix<P>,
}

impl<P: Machine> Primitive<P> for PseudoInverse<P> {
    type Map<T: Number<Primal = P, Base = P::Base>> = PseudoInverted<T>;
    fn name(&self) -> &'static str {
        "pinv"
    }
    fn value(&self, _: &[&[P]]) -> Result<Vec<P>, AdError> {
        Ok(self.value.as_slice().to_vec())
    }
    fn linearize<T: Number<Primal = P, Base = P::Base>>(
        &self,
        x: Vec<Vec<T>>,
        y: &[T],
    ) -> Result<PseudoInverted<T>, AdError> {
        let (n, m) = self.value.shape();
        let [a] = x.try_into().expect("a matrix");
        Ok(PseudoInverted { rank: self.rank, a: DMatrix::from_vec(m, n, a), y: dense(n, m, y) })
    }
}

/// `Ẏ = −YȦY + YYᴴȦᴴ(I−AY) + (I−YA)ȦᴴYᴴY`. The second term is zero where the rows of A are independent, the third where
/// its columns are.
struct PseudoInverted<T> {
    rank: usize,
    a: DMatrix<T>,
    y: DMatrix<T>,
}

impl<T: Number> PseudoInverted<T> {
    /// `YYᴴB` in the cheaper order.
    fn gram(&self, b: &DMatrix<T>) -> DMatrix<T> {
        let y = &self.y;
        match y.nrows() <= y.ncols() {
            true => times(Op::Plain, &times(Op::Plain, y, Op::Adjoint, y), Op::Plain, b),
            false => times(Op::Plain, y, Op::Plain, &times(Op::Adjoint, y, Op::Plain, b)),
        }
    }
    /// `CYᴴY` in the cheaper order.
    fn gram_behind(&self, c: &DMatrix<T>) -> DMatrix<T> {
        let y = &self.y;
        match y.ncols() <= y.nrows() {
            true => times(Op::Plain, c, Op::Plain, &times(Op::Adjoint, y, Op::Plain, y)),
            false => times(Op::Plain, &times(Op::Plain, c, Op::Adjoint, y), Op::Plain, y),
        }
    }
}

impl<T: Number> LinearMap<T> for PseudoInverted<T> {
    fn apply(&self, tangents: &[Option<&[T]>], out: &mut [T]) {
        let (a, y) = (&self.a, &self.y);
        let da = dense(a.nrows(), a.ncols(), tangents[0].expect("a matrix"));
        let adjoint = Op::Adjoint.of(da.clone());
        let mut dy = -times(Op::Plain, &times(Op::Plain, y, Op::Plain, &da), Op::Plain, y);
        if self.rank < a.nrows() {
            let seen = times(Op::Plain, &times(Op::Adjoint, &da, Op::Plain, a), Op::Plain, y);
            dy += self.gram(&(&adjoint - seen));
        }
        if self.rank < a.ncols() {
            let seen = times(Op::Plain, y, Op::Plain, &times(Op::Plain, a, Op::Adjoint, &da));
            dy += self.gram_behind(&(adjoint - seen));
        }
        out.copy_from_slice(dy.as_slice());
    }
    /// `Ā = −YᴴȲYᴴ + (I−AY)ȲᴴYYᴴ + YᴴYȲᴴ(I−YA)`.
    fn transpose(&self, cotangent: &[T], out: &mut [Option<&mut [T]>]) {
        let (a, y) = (&self.a, &self.y);
        let bar = dense(y.nrows(), y.ncols(), cotangent);
        let mut g = -times(Op::Adjoint, y, Op::Plain, &times(Op::Plain, &bar, Op::Adjoint, y));
        if self.rank < a.nrows() {
            let d = Op::Adjoint.of(self.gram(&bar));
            let seen = times(Op::Plain, a, Op::Plain, &times(Op::Plain, y, Op::Plain, &d));
            g += d - seen;
        }
        if self.rank < a.ncols() {
            let d = Op::Adjoint.of(self.gram_behind(&bar));
            let seen = times(Op::Plain, &times(Op::Plain, &d, Op::Plain, y), Op::Plain, a);
            g += d - seen;
        }
        add(out[0].as_mut().expect("a matrix"), g.as_slice());
    }
    fn name(&self) -> &'static str {
        "pinv"
    }
    fn bytes(&self) -> usize {
        size_of_val(self.a.as_slice()) + size_of_val(self.y.as_slice())
    }
}

/// The pseudo-inverse `Y = A⁺` of Moore and Penrose, for a matrix of any shape and rank; singular values up to
/// `ε·max(m, n)·σ₁` are taken for zero.
///
/// `Ẏ = −YȦY + YYᴴȦᴴ(I−AY) + (I−YA)ȦᴴYᴴY`, `Ā = −YᴴȲYᴴ + (I−AY)ȲᴴYYᴴ + YᴴYȲᴴ(I−YA)` (Golub and Pereyra, 1973). Of a
/// matrix without full rank this is the derivative among matrices of the same rank; across ranks the pseudo-inverse is
/// not continuous. To solve a least-squares problem, [`lstsq`] is cheaper and more accurate.
///
/// # Errors
/// `NoConvergence` if an entry is not finite.
///
/// ```
/// use nalgebra::matrix;
/// use wengert::{Dual, matrix::pinv};
/// let y = pinv(&matrix![3.0_f64; 4.0].zip_map(&matrix![1.0; 0.0], Dual::new))?;
/// assert!((y.map(|y| y.value()) - matrix![0.12, 0.16]).norm() < 1e-15);
/// assert!((y.map(|y| y.tangent()) - matrix![0.0112, -0.0384]).norm() < 1e-15);
/// # Ok::<(), wengert::AdError>(())
/// ```
#[track_caller]
pub fn pinv<S: Entry, R: Dim, C: Dim>(a: &OMatrix<S, R, C>) -> Result<OMatrix<S, C, R>, AdError>
where
    DefaultAllocator: Allocator<R, C> + Allocator<C, R>,
{
    let of = Decomposition::new("pinv", a.shape(), a.as_slice())?;
    let noise = of.noise();
    let rank = of.values.iter().take_while(|&&s| s > noise).count();
    let mut v = of.v.columns(0, rank).into_owned();
    let reciprocals: Vec<_> = of.values[..rank].iter().map(|&s| S::Primal::base(Float::recip(s))).collect();
    scale_columns(&mut v, &reciprocals);
    let value = times(Op::Plain, &v, Op::Adjoint, &of.u.columns(0, rank).into_owned());
    let y = S::lift(&PseudoInverse { rank, value }, &[a.as_slice()])?;
    let (rows, columns) = a.shape_generic();
    Ok(OMatrix::from_vec_generic(columns, rows, y))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::forward::Dual;
    use crate::matrix::adjoint::{check, numbers};
    use nalgebra::matrix;
    use num_complex::Complex;

    fn transposes<P: Machine>() {
        for (m, n) in [(1, 1), (3, 3), (5, 3)] {
            let a: Vec<P> = numbers(m * n, 0.0);
            let factors = Orthogonal::new("lstsq", (m, n), &a).unwrap();
            check(&Augmented { factors, columns: 2 }, &[&a, &numbers(2 * m, 0.2), &numbers(2 * n, 0.3)]);
        }
        for (m, n, rank) in [(3, 3, 3), (5, 3, 3), (5, 3, 2), (2, 4, 2), (2, 4, 1)] {
            let (a, b) =
                (dense::<P>(m, rank, &numbers(m * rank, 0.0)), dense(rank, n, &numbers(rank * n, 0.1)));
            let a = times(Op::Plain, &a, Op::Plain, &b);
            let value = pinv(&a).unwrap();
            check(&PseudoInverse { rank, value }, &[a.as_slice()]);
        }
    }
    #[test]
    fn cotangents_are_transposes() {
        transposes::<f64>();
        transposes::<Complex<f64>>();
    }

    #[test]
    fn dependent_columns_are_singular_and_have_a_pseudo_inverse() {
        let (a, b) = (matrix![1.0, 2.0; 2.0, 4.0; 3.0, 6.0], matrix![1.0; 0.0; 0.0]);
        assert_eq!(lstsq(&a, &b), Err(AdError::Singular { op: "lstsq" }));
        assert_eq!(lstsq(&a.transpose(), &matrix![1.0; 0.0]), Err(AdError::Singular { op: "lstsq" }));
        assert!(lstsq(&(a + matrix![0.0, 0.0; 0.0, 1e-8; 0.0, 0.0]), &b).is_ok());
        // Along matrices of rank one: (xyᵀ)⁺ = yxᵀ/(|x|²|y|²), here with x = (1, 2, 3)(1 + t), y = (1, 2).
        let line = pinv(&a.map(|a| Dual::new(a, a))).unwrap();
        assert!((line.map(|y| y.value()) - a.transpose() / 70.0).norm() < 1e-15);
        assert!((line.map(|y| y.tangent()) + a.transpose() / 70.0).norm() < 1e-15);
    }
}
