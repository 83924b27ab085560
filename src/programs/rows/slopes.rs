//! The partials of values that rows share, and how rows read them.

use super::super::op::Op;
use super::super::program::Program;
use super::split::{LEAST_FORM, RowForm, RowSplit};
use crate::error::AdError;

/// The derivatives of shared values by shared parameters, and how rows read them. After the inputs of a row come the
/// inputs `read`, `columns` and `forms`.
pub(crate) struct Slopes {
    /// Shared parameters ↦ the partials that are not constant, and the coefficients of `forms`.
    pub(crate) program: Program,
    /// For each shared value its parameters and partials.
    of_value: Vec<Vec<(u32, Slope)>>,
    /// Results of the program.
    pub(crate) read: Vec<u32>,
    pub(crate) columns: Vec<u32>,
    /// Derivatives of forms: sums of partials with columns as coefficients.
    pub(crate) forms: Vec<RowForm>,
    /// For each direct input and each form its derivatives with respect to the shared parameters.
    pub(super) of_inputs: Vec<Vec<(u32, Partial)>>,
}

#[derive(Clone, Copy)]
pub(super) enum Slope {
    Constant(f64),
    /// A result of the program.
    Result(u32),
}

/// A derivative of an inner input of a row.
pub(super) enum Partial {
    /// The sum of partials, times columns.
    Sum(Vec<(Slope, Option<u32>)>),
    /// One of the forms.
    Form(u32),
}

/// The number in a list, which is appended if it is missing.
fn number(list: &mut Vec<u32>, x: u32) -> u32 {
    let found = list.iter().position(|&y| y == x);
    found.unwrap_or_else(|| {
        list.push(x);
        list.len() - 1
    }) as u32
}

impl Slopes {
    pub(crate) fn of(split: &RowSplit) -> Result<Self, AdError> {
        let (all, places) = split.shared.sparse_jacobian()?;
        let mut entries = vec![Vec::new(); split.shared.outputs()];
        let mut results = Vec::new();
        for (&(value, parameter), &y) in places.iter().zip(&all.code.outputs) {
            let slope = match all.code.ops[y as usize] {
                Op::Constant(c) => Slope::Constant(c),
                _ => {
                    results.push(y);
                    Slope::Result(results.len() as u32 - 1)
                }
            };
            entries[value].push((parameter as u32, slope, y));
        }
        let (mut read, mut columns, mut forms, mut of_inputs) = (vec![], vec![], Vec::new(), Vec::new());
        let direct = split.direct.iter().map(|&h| vec![(h, None)]);
        let of_forms =
            split.forms.iter().map(|form| form.entries.iter().map(|&(h, c)| (h, Some(c))).collect());
        for input in direct.chain(of_forms) {
            let mut sums: Vec<(u32, Vec<_>)> = Vec::new();
            for (h, column) in input {
                for &(parameter, slope, y) in &entries[h as usize] {
                    match sums.iter_mut().find(|(of, _)| *of == parameter) {
                        Some((_, sum)) => sum.push((slope, column, y)),
                        None => sums.push((parameter, vec![(slope, column, y)])),
                    }
                }
            }
            let mut partial = |sum: Vec<(Slope, Option<u32>, u32)>| {
                let form: Option<Vec<_>> = sum.iter().map(|&(_, column, y)| Some((y, column?))).collect();
                if let Some(form) = form.filter(|form| form.len() >= LEAST_FORM) {
                    let first = results.len() as u32;
                    results.extend(form.iter().map(|&(y, _)| y));
                    let entries = (first..).zip(form).map(|(k, (_, column))| (k, column)).collect();
                    forms.push(RowForm { entries, offset: None });
                    return Partial::Form(forms.len() as u32 - 1);
                }
                for &(slope, column, _) in &sum {
                    if let Slope::Result(k) = slope {
                        number(&mut read, k);
                    }
                    column.map(|column| number(&mut columns, column));
                }
                Partial::Sum(sum.into_iter().map(|(slope, column, _)| (slope, column)).collect())
            };
            of_inputs.push(sums.into_iter().map(|(parameter, sum)| (parameter, partial(sum))).collect());
        }
        let program = all.with_outputs(results);
        let of_value =
            |list: Vec<_>| list.into_iter().map(|(parameter, slope, _)| (parameter, slope)).collect();
        let of_value = entries.into_iter().map(of_value).collect();
        Ok(Slopes { program, of_value, read, columns, forms, of_inputs })
    }
    /// The partials of a shared value, from the results of the program.
    pub(crate) fn of_value<'a>(
        &'a self,
        value: u32,
        results: &'a [f64],
    ) -> impl Iterator<Item = (usize, f64)> + 'a {
        self.of_value[value as usize].iter().map(|&(parameter, slope)| {
            let slope = match slope {
                Slope::Constant(c) => c,
                Slope::Result(k) => results[k as usize],
            };
            (parameter as usize, slope)
        })
    }
}
