//! The term of a sum: traced, and at a single row.

use std::borrow::Borrow;
use std::sync::Arc;

use super::eager::{Eager, ResidualTerm, ScalarTerm, TermAt, TracedTerm};
use super::loss::{Correction, Loss, corrected, correction};
use crate::drivers::{Function, VectorFunction};
use crate::programs::Traced;
use crate::programs::rows::{TermResults, with_derivatives};
use crate::space::{Components, components};

/// A robust loss.
type Corrects<'a> = dyn Fn(&[f64]) -> Correction + Send + Sync + 'a;

/// The term of a sum.
pub(super) struct Term<'a> {
    pub(super) traced: Box<TracedTerm<'a>>,
    /// The term on tapes; a closure at traced numbers has none.
    pub(super) eager: Option<Box<dyn Eager + 'a>>,
    /// The loss of the residuals, if there are any.
    pub(super) loss: Option<Box<Corrects<'a>>>,
}

impl<'a> Term<'a> {
    pub(super) fn none() -> Self {
        let traced = |_: &[Traced], _: &[Traced], _: &mut Vec<Traced>| PLAIN;
        Term { traced: Box::new(traced), eager: None, loss: None }
    }
    /// A summand, or several.
    pub(super) fn summed<O: Components<Traced>>(
        term: impl Fn(&[Traced], &[Traced]) -> O + Send + Sync + 'a,
    ) -> Self {
        let traced = move |p: &[Traced], d: &[Traced], out: &mut Vec<Traced>| {
            let results = term(p, d);
            let all = components(&results);
            out.push(all.iter().copied().reduce(|sum, y| sum + y).unwrap_or(Traced::constant(0.0)));
            PLAIN
        };
        Term { traced: Box::new(traced), ..Term::none() }
    }
    /// A summand at every number.
    pub(super) fn of_function(f: impl Function + Send + Sync + 'a) -> Self {
        let f = ScalarTerm(Arc::new(f));
        let eager = Box::new(ScalarTerm(f.0.clone()));
        Term { eager: Some(eager), ..Term::summed(move |p, d| results(&f, p, d)) }
    }
    /// Residuals.
    pub(super) fn squared<O: Components<Traced>>(
        term: impl Fn(&[Traced], &[Traced]) -> O + Send + Sync + 'a,
    ) -> Self {
        let traced = move |p: &[Traced], d: &[Traced], out: &mut Vec<Traced>| {
            out.extend_from_slice(&components(&term(p, d)));
            let residuals = out.len();
            out.push(square(out) * 0.5);
            TermResults { residuals, is_robust: false }
        };
        Term { traced: Box::new(traced), ..Term::none() }
    }
    /// Residuals at every number.
    pub(super) fn of_residuals(f: impl VectorFunction + Send + Sync + 'a) -> Self {
        let f = ResidualTerm(Arc::new(f));
        let eager = Box::new(ResidualTerm(f.0.clone()));
        Term { eager: Some(eager), ..Term::squared(move |p, d| results(&f, p, d)) }
    }
    /// These residuals with a robust loss.
    pub(super) fn with_loss(self, loss: impl Loss + Clone + Send + 'a) -> Self {
        let Term { traced, eager, .. } = self;
        let of_residuals = loss.clone();
        let traced = move |p: &[Traced], d: &[Traced], out: &mut Vec<Traced>| {
            let TermResults { residuals, .. } = traced(p, d, out);
            out.truncate(residuals);
            let s = square(out);
            out.extend(corrected(s, with_derivatives(|s| loss.rho(s), s)));
            TermResults { residuals, is_robust: true }
        };
        let loss = Box::new(move |r: &[f64]| correction(&of_residuals, r));
        Term { traced: Box::new(traced), eager, loss: Some(loss) }
    }
}

const PLAIN: TermResults = TermResults { residuals: 0, is_robust: false };

/// A term of parameters with the structure of `x`, as a term of their components.
pub(super) fn structured<X: Components<f64>, O>(
    x: X,
    term: impl Fn(&X::Arg<Traced>, &[Traced]) -> O,
) -> impl Fn(&[Traced], &[Traced]) -> O {
    move |p, d| {
        let mut numbers = p.iter().copied();
        let p = x.map(&mut |_| numbers.next().expect("as many as there are components"));
        term(p.borrow(), d)
    }
}

fn results(term: &impl TermAt<Traced>, p: &[Traced], d: &[Traced]) -> Vec<Traced> {
    let mut out = Vec::new();
    term.at(&[p, d].concat(), &mut out).expect("a function at numbers returns no errors");
    out
}

fn square(r: &[Traced]) -> Traced {
    r.iter().map(|&r| r * r).reduce(|s, r| s + r).unwrap_or(Traced::constant(0.0))
}
