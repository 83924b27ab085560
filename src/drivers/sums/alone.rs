//! Rows without a program: their branch is beyond the limit, or a value leaves the program.
//!
//! These rows run on a tape if the term is generic over the number type. A closure at traced numbers is traced again at each
//! such row and each call.

use super::loss::Correction;
use super::out::AtRow;
use super::part::SumPart;
use super::request::{Derivative, Request, RequestedDirection};
use crate::drivers::reverse;
use crate::duals::Dual;
use crate::error::AdError;
use crate::number::Real;
use crate::programs::{Program, Traced, trace};
use crate::tapes::Var;

/// The parameters, followed by the data as constants.
fn row<T: Real<Base = f64>>(p: &[T], d: &[f64]) -> Vec<T> {
    p.iter().copied().chain(d.iter().map(|&d| d.into())).collect()
}

/// First derivatives of a row.
struct First {
    value: f64,
    /// `r̃`; empty for a plain sum.
    residuals: Vec<f64>,
    gradient: Vec<f64>,
    /// `J̃`, row after row.
    rows: Vec<f64>,
}

impl SumPart<'_> {
    /// Computes the results of a row of a piece.
    #[cold]
    pub(super) fn at_row(&self, piece: usize, row: u16, request: &Request<'_>) -> Result<AtRow, AdError> {
        let (point, layout) = (self.point(request.p, piece, row), &self.layout);
        let (p, d) = point.split_at(layout.places);
        // Targets take entries of shared parameters before entries of the row's own parameters.
        let order: Vec<usize> = layout.shared.iter().chain(&layout.own).copied().collect();
        let shared = layout.shared.len();
        let mut at = AtRow::default();
        let triangle = |at: &mut AtRow, entry: &dyn Fn(usize, usize) -> f64| {
            for (a, &i) in order.iter().enumerate() {
                let to = if a < shared { &mut at.of_run } else { &mut at.of_row };
                to.extend(order[..=a].iter().map(|&j| entry(i, j)));
            }
        };
        let n = p.len();
        match request.derivative {
            Derivative::Value => at.value = self.value_alone(p, d)?,
            Derivative::Gradient => {
                let first = self.first_alone(p, d)?;
                (at.value, at.gradient) = (first.value, first.gradient);
            }
            Derivative::Hvp => match request.direction {
                RequestedDirection::Along(_) => {
                    let reads = layout.reads(layout.pieces[piece].first_row as usize + usize::from(row));
                    let v: Vec<f64> =
                        (0..).zip(reads).map(|(j, &i)| request.direction.tangent(j, i)).collect();
                    (at.value, at.gradient, at.tangents) = self.along_alone(p, d, &v)?;
                }
                RequestedDirection::Place(place) => {
                    let (value, gradient, column) = self.along_alone(p, d, &unit(n, place))?;
                    (at.value, at.gradient) = (value, gradient);
                    at.of_run = layout.shared.iter().map(|&j| column[j]).collect();
                    at.of_row = layout.own.iter().map(|&j| column[j]).collect();
                }
            },
            Derivative::Hessian => {
                let mut columns = Vec::new();
                for j in 0..n {
                    let (value, gradient, column) = self.along_alone(p, d, &unit(n, j))?;
                    (at.value, at.gradient) = (value, gradient);
                    columns.push(column);
                }
                if n == 0 {
                    at.value = self.value_alone(p, d)?;
                }
                triangle(&mut at, &|i, j| columns[j][i]);
            }
            Derivative::Jacobian => {
                let First { value, residuals, gradient, rows } = self.first_alone(p, d)?;
                (at.value, at.gradient) = (value, gradient);
                let rows = || rows.chunks_exact(n.max(1)).take(residuals.len());
                if request.squares {
                    triangle(&mut at, &|i, j| rows().map(|row| row[i] * row[j]).sum());
                } else {
                    at.of_row = residuals.clone();
                    at.of_row.extend(rows().flat_map(|row| order.iter().map(|&j| row[j])));
                }
            }
        }
        Ok(at)
    }
    fn correction(&self, r: &[f64]) -> Correction {
        match &self.term.loss {
            Some(loss) => loss(r),
            None => {
                let value = r.iter().map(|r| r * r).sum::<f64>() / 2.0;
                Correction { value, slope: 1.0, root: 1.0, by: 0.0 }
            }
        }
    }
    /// Traces the term at this row, with the data as constants. The results are the residuals, then the value.
    fn retraced(&self, p: &[f64], d: &[f64]) -> Program {
        let d: Vec<Traced> = d.iter().map(|&d| Traced::constant(d)).collect();
        let results = |p: &[Traced]| {
            let mut out = Vec::new();
            let residuals = (self.term.traced)(p, &d, &mut out).residuals;
            out.truncate(residuals + 1);
            out
        };
        trace(results, p)
    }
    fn value_alone(&self, p: &[f64], d: &[f64]) -> Result<f64, AdError> {
        let Some(eager) = &self.term.eager else {
            let results = self.retraced(p, d).run(p)?;
            return Ok(results[results.len() - 1]);
        };
        let results = eager.values(&row(p, d));
        Ok(if self.has_residuals() { self.correction(&results).value } else { results[0] })
    }
    fn has_residuals(&self) -> bool {
        self.branches[0].results().residuals > 0
    }
    fn first_alone(&self, p: &[f64], d: &[f64]) -> Result<First, AdError> {
        let n = p.len();
        let (mut r, mut rows) = match &self.term.eager {
            Some(eager) if !self.has_residuals() => {
                let f = |p: &[Var<f64>]| eager.first(&row(p, d))[0];
                let (value, gradient) = reverse::value_and_gradient(f, p);
                (vec![value], gradient)
            }
            Some(eager) => {
                let map = reverse::linearize(|p: &[Var<f64>]| eager.first(&row(p, d)), p);
                let r = map.value().clone();
                let rows = (0..r.len()).map(|i| map.vjp(&unit(r.len(), i))).collect::<Result<Vec<_>, _>>()?;
                (r, rows.concat())
            }
            None => {
                let program = self.retraced(p, d);
                let mut both = program.value_and_jacobian()?.run(p)?;
                let rows = both.split_off(program.outputs());
                (both, rows)
            }
        };
        if !self.has_residuals() {
            return Ok(First { value: r[0], residuals: Vec::new(), gradient: rows, rows: Vec::new() });
        }
        r.truncate(self.branches[0].results().residuals);
        rows.truncate(r.len() * n);
        let Correction { value, slope, root, by } = self.correction(&r);
        let times = |weights: &[f64], rows: &[f64]| {
            let mut sum = vec![0.0; n];
            for (w, row) in weights.iter().zip(rows.chunks_exact(n.max(1))) {
                // Strong zeros: a residual of zero with an infinite derivative adds nothing.
                let terms = sum.iter_mut().zip(row).filter(|(_, x)| *w != 0.0 && **x != 0.0);
                terms.for_each(|(sum, x)| *sum += w * x);
            }
            sum
        };
        let along = times(&r, &rows);
        let gradient = along.iter().map(|x| slope * x).collect();
        for (r, row) in r.iter().zip(rows.chunks_exact_mut(n.max(1))) {
            if by != 0.0 {
                row.iter_mut().zip(&along).for_each(|(x, along)| *x -= by * along * r);
            }
            row.iter_mut().for_each(|x| *x *= slope.sqrt());
        }
        r.iter_mut().for_each(|r| *r *= slope.sqrt() / root);
        Ok(First { value, residuals: r, gradient, rows })
    }
    /// The value, the gradient, and the product of the Hessian with `v`.
    fn along_alone(&self, p: &[f64], d: &[f64], v: &[f64]) -> Result<(f64, Vec<f64>, Vec<f64>), AdError> {
        let [mut gradient, mut product] = [vec![0.0; p.len()], vec![0.0; p.len()]];
        let value = match &self.term.eager {
            Some(eager) => {
                let f = |p: &[Var<Dual<f64>>]| eager.second(&row(p, d))[0];
                reverse::value_gradient_and_hvp_into(f, p, v, &mut gradient, &mut product)
            }
            None => {
                let both = self.retraced(p, d).value_and_gradient()?.jvp()?.run(&[p, v].concat())?;
                gradient.copy_from_slice(&both[1..=p.len()]);
                product.copy_from_slice(&both[p.len() + 2..]);
                both[0]
            }
        };
        Ok((value, gradient, product))
    }
}

fn unit(n: usize, place: usize) -> Vec<f64> {
    (0..n).map(|j| f64::from(u8::from(j == place))).collect()
}
