//! Least squares: sums of squared residuals, plain or robust.

use std::fmt;

use super::engine::Engine;
use super::jobs::{Out, Plan};
#[cfg(feature = "sparse")]
use super::loss::correction;
use super::loss::{Half, Loss, Squared};
use super::normal::{Blocks, Scratch};
use super::points::{Bends, Parameters, Point, Precision};
#[cfg(feature = "sparse")]
use super::read::Rows;
use super::second::Dense;
#[cfg(feature = "sparse")]
use super::sparse::{Rectangular, Symmetric};
use super::sum::{value, worked};
use super::terms::Terms;
use super::work::{More, Piece, Sink, Slopes, Work};
use crate::error::AdError;
use crate::space::Components;

/// `½ Σ ρ(‖rᵢ‖²)` over terms with residuals `rᵢ`, kept: after the first few calls nothing is allocated.
///
/// The parts of a step of Gauss and Newton, or of Levenberg and Marquardt, come as dense or sparse matrices (the latter with
/// the feature `sparse`). Where each term reads few parameters, time is that of the terms, as for [`Sum`](super::Sum).
///
/// A robust loss acts as in B. Triggs, P. McLauchlan, R. Hartley, A. Fitzgibbon: *Bundle Adjustment – A Modern Synthesis*
/// (2000), section 4.3: with the root `α = 1 − √D` of `½α² − α = s·ρ″/ρ′`, `D = 1 + 2s·ρ″/ρ′`, residuals and Jacobian are
/// `r̃ = √ρ′/(1 − α)·r` and `J̃ = √ρ′·(1 − α·r·rᵀ/s)·J`. So `J̃ᵀr̃` is the gradient, and `J̃ᵀJ̃` is
/// `Jᵀ(ρ′ + 2ρ″·r·rᵀ)J`, which is no longer positive where `D` is not: there `D` is 0.01 at least.
///
/// ```
/// use wengert::{Real, sums::{Huber, LeastSquares, Terms}};
/// /// A line through points, `y ≈ a + bx`.
/// struct Line { data: Vec<[f64; 2]> }
/// impl Terms for Line {
///     fn count(&self, _group: usize) -> usize { self.data.len() }
///     fn inputs(&self, _: usize, _: usize, out: &mut Vec<usize>) { out.extend([0, 1]) }
///     fn group<T: Real<Base = f64>>(
///         &self, _: usize, _: &[T],
///     ) -> impl Fn(usize, &[T], &mut [T]) {
///         |i, p, r| r[0] = p[0] + p[1] * self.data[i][0] - self.data[i][1]
///     }
/// }
/// let line = Line { data: vec![[0.0, 1.0], [1.0, 3.0], [2.0, 5.0]] };
/// # #[cfg(feature = "nalgebra")] {
/// use nalgebra::{DMatrix, DVector, dmatrix};
/// let (mut p, mut g, mut a) = ([0.0; 2], DVector::zeros(2), DMatrix::<f64>::zeros(2, 2));
/// let mut squares = LeastSquares::new(&line, 2)?;
/// assert_eq!(squares.normal_equations(&p, g.as_mut_slice(), &mut a)?, 17.5);
/// assert_eq!(a, dmatrix![3.0, 3.0; 3.0, 5.0]);
/// let step = a.cholesky().unwrap().solve(&g);
/// p.iter_mut().zip(&step).for_each(|(p, s)| *p -= s);
/// assert!(squares.value(&p)? < 1e-28);
/// # }
/// let mut robust = LeastSquares::new(&line, 2)?.with_loss(Huber(1.0));
/// assert_eq!(robust.value(&[0.0; 2])?, 0.5 * (1.0 + 5.0 + 9.0));
/// # Ok::<(), wengert::AdError>(())
/// ```
pub struct LeastSquares<'a, F: Terms, G: Loss = Squared> {
    terms: &'a F,
    loss: G,
    plan: Plan,
    outs: Vec<Out>,
    #[cfg(feature = "sparse")]
    jacobian: Option<Rectangular>,
    #[cfg(feature = "sparse")]
    normal: Option<Symmetric>,
}

impl<F: Terms, G: Loss> fmt::Debug for LeastSquares<'_, F, G> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "LeastSquares {{ {} parameters }}", self.plan.parameters)
    }
}

impl<'a, F: Terms> LeastSquares<'a, F> {
    /// For the residuals of these terms, of so many parameters.
    ///
    /// # Errors
    /// [`TooFew`](AdError::TooFew) if a term reads a parameter that there is not, [`TooMany`](AdError::TooMany) if there
    /// are more terms or residuals than numbers of them.
    pub fn new(terms: &'a F, parameters: usize) -> Result<Self, AdError> {
        Ok(LeastSquares {
            terms,
            loss: Squared,
            plan: Plan::new("least squares", terms, parameters)?,
            outs: Vec::new(),
            #[cfg(feature = "sparse")]
            jacobian: None,
            #[cfg(feature = "sparse")]
            normal: None,
        })
    }
    /// With another loss.
    pub fn with_loss<G: Loss>(self, loss: G) -> LeastSquares<'a, F, G> {
        LeastSquares {
            terms: self.terms,
            loss,
            plan: self.plan,
            outs: self.outs,
            #[cfg(feature = "sparse")]
            jacobian: self.jacobian,
            #[cfg(feature = "sparse")]
            normal: self.normal,
        }
    }
}

impl<F: Terms, G: Loss> LeastSquares<'_, F, G> {
    /// `½ Σ ρ(‖rᵢ‖²)`.
    ///
    /// # Errors
    /// If `p` has another number of parameters.
    pub fn value<B: Precision>(&mut self, p: &(impl Components<B> + ?Sized)) -> Result<f64, AdError> {
        let p = self.plan.point(p)?.numbers;
        Ok(value(self.terms, &self.plan, &mut self.outs, &Half(&self.loss), &p))
    }
    /// The value; its gradient to `gradient`. `½r²` is not differentiated: the residuals are the weights of their own
    /// derivatives.
    ///
    /// # Errors
    /// If a vector does not have the length of the parameters.
    pub fn gradient<B: Precision>(
        &mut self,
        p: &(impl Components<B> + ?Sized),
        gradient: &mut (impl Parameters<B> + ?Sized),
    ) -> Result<f64, AdError> {
        let LeastSquares { terms, loss, plan, outs, .. } = self;
        let p = plan.active_point(*terms, p)?;
        p.gradient(gradient, |g| Ok(worked(*terms, plan, outs, &Slopes(&Half(loss)), [&p.numbers, &[]], g)))
    }
    /// The value; the gradient `J̃ᵀr̃` and the matrix `J̃ᵀJ̃` to buffers. That of the matrix is one, or takes the columns
    /// one after the other.
    ///
    /// # Errors
    /// If a buffer does not have the size of the parameters.
    pub fn normal_equations<B: Precision, H: Components<B> + ?Sized>(
        &mut self,
        p: &(impl Components<B> + ?Sized),
        gradient: &mut (impl Parameters<B> + ?Sized),
        matrix: &mut H,
    ) -> Result<f64, AdError> {
        let p = self.plan.active_point(self.terms, p)?;
        p.write("matrix buffer", matrix, true, |entries| {
            let mut matrix = Dense::new(self.plan.parameters, entries);
            let value = self.normal(&p, gradient, &mut matrix)?;
            matrix.finish();
            Ok((value, Bends::new()))
        })
    }
    /// The value and the matrix `J̃ᵀJ̃`; the gradient `J̃ᵀr̃` to `gradient`. The matrix has an entry for each pair of
    /// parameters that a term reads, in both triangles, and all of the diagonal.
    ///
    /// # Errors
    /// If a vector does not have the length of the parameters, or if there are 2³² entries.
    #[cfg(feature = "sparse")]
    pub fn sparse_normal_equations<B: Precision>(
        &mut self,
        p: &(impl Components<B> + ?Sized),
        gradient: &mut (impl Parameters<B> + ?Sized),
    ) -> Result<(f64, &nalgebra_sparse::CscMatrix<f64>), AdError> {
        let mut normal = match self.normal.take() {
            Some(normal) => normal,
            None => Symmetric::new(self.terms, &self.plan)?,
        };
        let p = self.plan.active_point(self.terms, p)?;
        let value = self.normal(&p, gradient, &mut normal);
        let normal = self.normal.insert(normal);
        Ok((value?, normal.finish(&p, &Bends::new())))
    }
    /// The residuals `r̃` and their Jacobian `J̃`, a row for each residual: `r` and `J` without a robust loss.
    ///
    /// ```
    /// use wengert::{Real, sums::{LeastSquares, Terms}};
    /// /// Neighbours differ by 1.
    /// struct Chain;
    /// impl Terms for Chain {
    ///     fn count(&self, _group: usize) -> usize { 3 }
    ///     fn inputs(&self, _: usize, i: usize, out: &mut Vec<usize>) { out.extend([i, i + 1]) }
    ///     fn group<T: Real<Base = f64>>(
    ///         &self, _: usize, _: &[T],
    ///     ) -> impl Fn(usize, &[T], &mut [T]) {
    ///         |_, p, r| r[0] = p[1] - p[0] - 1.0
    ///     }
    /// }
    /// let mut squares = LeastSquares::new(&Chain, 4)?;
    /// let (r, j) = squares.jacobian(&[0.0, 1.0, 3.0, 4.0])?;
    /// assert_eq!(r, [0.0, 1.0, 0.0]);
    /// assert_eq!((j.nrows(), j.ncols()), (3, 4));
    /// assert_eq!(j.values(), [-1.0, 1.0, -1.0, 1.0, -1.0, 1.0]);
    /// # Ok::<(), wengert::AdError>(())
    /// ```
    ///
    /// # Errors
    /// If `p` has another number of parameters, or if there are 2³² entries.
    #[cfg(feature = "sparse")]
    pub fn jacobian<B: Precision>(
        &mut self,
        p: &(impl Components<B> + ?Sized),
    ) -> Result<(&[f64], &nalgebra_sparse::CsrMatrix<f64>), AdError> {
        let LeastSquares { terms, loss, plan, outs, .. } = self;
        let point = plan.active_point(*terms, p)?;
        let mut jacobian = match self.jacobian.take() {
            Some(jacobian) => jacobian,
            None => Rectangular::new(*terms, plan)?,
        };
        worked(*terms, plan, outs, &Residuals(loss), [&point.numbers, &[]], &mut jacobian);
        Ok(self.jacobian.insert(jacobian).finish(&point))
    }
    /// Value and gradient, and the matrix.
    fn normal<B: Precision>(
        &mut self,
        p: &Point<'_>,
        gradient: &mut (impl Parameters<B> + ?Sized),
        matrix: &mut impl Sink,
    ) -> Result<f64, AdError> {
        let LeastSquares { terms, loss, plan, outs, .. } = self;
        let work = Squares { loss, distinct: plan.distinct };
        p.gradient(gradient, |g| Ok(worked(*terms, plan, outs, &work, [&p.numbers, &[]], (g, matrix))))
    }
}

/// Values, gradients and `J̃ᵀJ̃`.
struct Squares<'a, G> {
    loss: &'a G,
    /// Whether no term reads a parameter twice.
    distinct: bool,
}

impl<G: Loss> Work for Squares<'_, G> {
    const MORE: More = More::Triangles;
    fn piece<F: Terms>(&self, engine: impl Engine, f: &F, [p, _]: [&[f64]; 2], piece: Piece, out: &mut Out) {
        out.pieces.push(piece.1.len());
        let mut scratch = Scratch::take();
        engine.rows(f, p, piece, &mut Blocks::new(out, self.loss, self.distinct, &mut scratch));
    }
}

/// Corrected residuals and rows.
#[cfg(feature = "sparse")]
struct Residuals<'a, G>(&'a G);

#[cfg(feature = "sparse")]
impl<G: Loss> Work for Residuals<'_, G> {
    const MORE: More = More::Rows;
    fn piece<F: Terms>(&self, engine: impl Engine, f: &F, [p, _]: [&[f64]; 2], piece: Piece, out: &mut Out) {
        engine.rows(f, p, piece, &mut Corrected { out, loss: self.0 });
    }
}

/// Keeps corrected residuals and rows.
#[cfg(feature = "sparse")]
struct Corrected<'a, G> {
    out: &'a mut Out,
    loss: &'a G,
}

#[cfg(feature = "sparse")]
impl<G: Loss> Rows for Corrected<'_, G> {
    fn begin(&mut self, _: &[usize]) {}
    fn term(&mut self, _: &[usize], residuals: &[f64], rows: &[f64]) {
        let (s, _, first, curvature) = correction(self.loss, residuals);
        let start = self.out.more.len();
        self.out.more.extend_from_slice(rows);
        if (first, curvature) == (1.0, 1.0) {
            return self.out.values.extend_from_slice(residuals);
        }
        let (root, scale) = (first.sqrt(), curvature.sqrt());
        self.out.values.extend(residuals.iter().map(|r| root / scale * r));
        let width = rows.len() / residuals.len().max(1);
        for l in 0..width {
            let along: f64 = residuals.iter().enumerate().map(|(k, r)| r * rows[k * width + l]).sum();
            for (k, r) in residuals.iter().enumerate() {
                let entry = &mut self.out.more[start + k * width + l];
                *entry = root * (*entry - if curvature == 1.0 { 0.0 } else { (1.0 - scale) / s * along * r });
            }
        }
    }
    fn end(&mut self) {}
}
