//! Terms that read the parameters through linear forms.

use std::fmt;
use std::ops::Range;

use crate::error::AdError;
use crate::number::Real;

/// A row of data: the weights of the parameters in a linear form.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Row<'a> {
    /// A weight for each place of the form.
    Dense(&'a [f64]),
    /// Places, counted from the first one of the form, and a weight for each; as nalgebra-sparse has the rows of a
    /// `CsrMatrix`.
    Sparse(&'a [usize], &'a [f64]),
}

/// Terms of a sum that read the parameters only through `K` linear forms, `f(Aᵢp, dᵢ)` with rows of data `Aᵢ`: regressions
/// of all kinds. [`InForms`](super::InForms) makes [`Terms`](super::Terms) of it.
///
/// Derivatives by the parameters are products with the rows: with `z = Aᵢp`
///
/// ```text
/// gradient  Σ Aᵢᵀ ∇f          product   Σ Aᵢᵀ ∇²f (Aᵢv)   Hessian  Σ Aᵢᵀ ∇²f Aᵢ
/// Jacobian  rows of J_z Aᵢ    JᵀJ       Σ Aᵢᵀ J_zᵀJ_z Aᵢ
/// ```
///
/// So only the function of `K` numbers is differentiated, eight terms at a time, and the rest are plain loops over the rows.
///
/// Form `k` reads the parameters in [`places(k)`](LinearForms::places), and its row has a weight for each of them, or is
/// sparse. The parameters of several forms may overlap. A parameter that a term reads by itself is a form too, with the row
/// `[1.0]`; a constant is a column of ones, or a summand that comes with [`data`](LinearForms::data). As terms
/// that are [`Alike`](super::Alike), the function is not told which term it is.
///
/// ```
/// use std::ops::Range;
/// use wengert::{Real, sums::{InForms, LinearForms, Row, Sum}};
/// /// Poisson regression: counts `y` with means `eᶻ`, `z = x·w`.
/// struct Poisson { rows: Vec<[f64; 2]>, counts: Vec<f64> }
/// impl LinearForms for Poisson {
///     fn count(&self) -> usize { self.rows.len() }
///     fn places(&self, _form: usize) -> Range<usize> { 0..2 }
///     fn row(&self, term: usize, _form: usize) -> Row<'_> { Row::Dense(&self.rows[term]) }
///     fn data(&self, term: usize, out: &mut Vec<f64>) { out.push(self.counts[term]) }
///     fn term<T: Real<Base = f64>>(&self, z: &[T], d: &[T], out: &mut [T]) {
///         out[0] = z[0].exp() - z[0] * d[0];
///     }
/// }
/// let poisson = Poisson { rows: vec![[1.0, 0.5], [1.0, -2.0]], counts: vec![3.0, 0.0] };
/// let terms = InForms(&poisson);
/// # #[cfg(feature = "nalgebra")] {
/// let (mut g, mut h) = ([0.0; 2], nalgebra::DMatrix::<f64>::zeros(2, 2));
/// assert_eq!(Sum::new(&terms, 2)?.hessian(&[0.0; 2], &mut g, &mut h)?, 2.0);
/// assert_eq!(g, [-1.0, -3.0]); // Σ (eᶻ − y)·x
/// assert_eq!(h, nalgebra::dmatrix![2.0, -1.5; -1.5, 4.25]); // Σ eᶻ·x·xᵀ
/// # }
/// # Ok::<(), wengert::AdError>(())
/// ```
pub trait LinearForms: Sync {
    /// How many terms there are.
    fn count(&self) -> usize;
    /// `K`, how many forms each term has.
    fn forms(&self) -> usize {
        1
    }
    /// How many results each term has.
    fn results(&self) -> usize {
        1
    }
    /// The parameters that a form reads.
    fn places(&self, form: usize) -> Range<usize>;
    /// The row of a term: dense in all terms or sparse in all, and always the same.
    fn row(&self, term: usize, form: usize) -> Row<'_>;
    /// Appends the data of the term, for all terms as many.
    fn data(&self, term: usize, out: &mut Vec<f64>) {
        let _ = (term, out);
    }
    /// The function of the forms of a term and its data. The results go to a buffer that holds NaN.
    fn term<T: Real<Base = f64>>(&self, z: &[T], data: &[T], out: &mut [T]);
}

/// Takes linear forms, whatever their type.
pub trait TakeForms {
    /// Takes them.
    fn take(&mut self, forms: &impl LinearForms);
}

/// Whether a form is dense. (The rows of a sum are all like the first.)
pub(super) fn is_dense<F: LinearForms>(f: &F, form: usize) -> bool {
    f.count() > 0 && matches!(f.row(0, form), Row::Dense(_))
}

/// The weights of a dense row.
#[inline(always)]
pub(super) fn dense<F: LinearForms>(f: &F, term: usize, form: usize, length: usize) -> &[f64] {
    match f.row(term, form) {
        Row::Dense(weights) if weights.len() == length => weights,
        _ => changed(term),
    }
}

/// Places and weights of a sparse row.
#[inline(always)]
pub(super) fn sparse<F: LinearForms>(f: &F, term: usize, form: usize) -> (&[usize], &[f64]) {
    match f.row(term, form) {
        Row::Sparse(places, weights) if places.len() == weights.len() => (places, weights),
        _ => changed(term),
    }
}

#[cold]
#[inline(never)]
fn changed(term: usize) -> ! {
    panic!("sum: the rows of term {term} are others than at first")
}

/// The parameters of all dense forms.
pub(super) fn shared<F: LinearForms>(f: &F, out: &mut Vec<usize>) {
    (0..f.forms()).filter(|&form| is_dense(f, form)).for_each(|form| out.extend(f.places(form)));
    out.sort_unstable();
    out.dedup();
}

/// Where the parameters of a form stand among the shared ones.
pub(super) fn run<F: LinearForms>(f: &F, form: usize, shared: &[usize]) -> Range<usize> {
    let places = f.places(form);
    let first = shared.partition_point(|&i| i < places.start);
    first..first + places.len()
}

/// Looks at all rows.
pub(super) struct Check {
    pub op: &'static str,
    pub parameters: usize,
    pub outcome: Result<(), AdError>,
}

impl TakeForms for Check {
    fn take(&mut self, f: &impl LinearForms) {
        self.outcome = (0..f.forms()).try_for_each(|form| self.form(f, form));
    }
}

impl Check {
    fn form<F: LinearForms>(&self, f: &F, form: usize) -> Result<(), AdError> {
        let Check { op, parameters: got, .. } = *self;
        let (places, is_dense) = (f.places(form), is_dense(f, form));
        if places.end > got {
            return Err(AdError::TooFew { op, what: "parameters", least: places.end, got });
        }
        let fault = |term, reason: fmt::Arguments<'_>| {
            Err(AdError::Row { op, term, form, reason: reason.to_string() })
        };
        for term in 0..f.count() {
            let (columns, weights) = match f.row(term, form) {
                Row::Dense(weights) if is_dense => (places.len(), weights),
                Row::Sparse(columns, weights) if !is_dense => {
                    if let Some(last) = columns.iter().find(|&&c| c >= places.len()) {
                        return fault(term, format_args!("has column {last} of {}", places.len()));
                    }
                    (columns.len(), weights)
                }
                Row::Dense(_) => return fault(term, format_args!("is dense, that of term 0 sparse")),
                Row::Sparse(..) => return fault(term, format_args!("is sparse, that of term 0 dense")),
            };
            if weights.len() != columns {
                let got = weights.len();
                return fault(term, format_args!("has {got} weights, expected {columns}"));
            }
            if let Some(column) = weights.iter().position(|w| !w.is_finite()) {
                return fault(term, format_args!("holds {} at {column}", weights[column]));
            }
        }
        Ok(())
    }
}
