//! What is kept of values and slopes.

use super::engine::Slopes;
use super::jobs::Out;
use super::wide::LANES;
use crate::duals::Dual;

/// Appends the slopes of so many terms, term by term, from those by term and input.
#[inline(always)]
fn spread(to: &mut Vec<f64>, terms: usize, own: &[usize], slope: impl Fn(usize, usize) -> f64) {
    let (start, width) = (to.len(), own.len() / terms.max(1));
    to.resize(start + own.len(), 0.0);
    let to = &mut to[start..];
    let mut spread = |terms: usize| {
        for i in 0..width {
            for term in 0..terms {
                to[term * width + i] = slope(term, i);
            }
        }
    };
    // A loop of known length for a block that is full.
    if terms == LANES { spread(LANES) } else { spread(terms) }
}

/// Keeps values and slopes; the number says where the shared ones of the piece stand.
pub(super) struct First<'a>(pub &'a mut Out, pub usize);

impl Slopes<f64> for First<'_> {
    fn begin(&mut self, shared: &[usize]) {
        let First(out, at) = self;
        *at = out.slopes.len();
        out.inputs.extend_from_slice(shared);
        out.slopes.resize(*at + shared.len(), 0.0);
    }
    #[inline(always)]
    fn term(&mut self, value: f64, own: &[usize], slopes: &[f64]) {
        self.0.values.push(value);
        self.0.inputs.extend_from_slice(own);
        self.0.slopes.extend_from_slice(slopes);
    }
    #[inline(always)]
    fn terms(&mut self, values: &[f64], own: &[usize], slope: impl Fn(usize, usize) -> f64) {
        self.0.values.extend_from_slice(values);
        self.0.inputs.extend_from_slice(own);
        spread(&mut self.0.slopes, values.len(), own, slope);
    }
    fn end(&mut self, slopes: &[f64]) {
        self.0.slopes[self.1..][..slopes.len()].copy_from_slice(slopes);
    }
}

/// Keeps values, slopes, and the tangents of slopes.
pub(super) struct Along<'a>(pub &'a mut Out, pub usize);

impl Slopes<Dual<f64>> for Along<'_> {
    fn begin(&mut self, shared: &[usize]) {
        let Along(out, at) = self;
        *at = out.slopes.len();
        out.inputs.extend_from_slice(shared);
        out.slopes.resize(*at + shared.len(), 0.0);
        out.more.resize(*at + shared.len(), 0.0);
    }
    fn term(&mut self, value: Dual<f64>, own: &[usize], slopes: &[Dual<f64>]) {
        self.0.values.push(value.value());
        self.0.inputs.extend_from_slice(own);
        self.0.slopes.extend(slopes.iter().map(|s| s.value()));
        self.0.more.extend(slopes.iter().map(|s| s.tangent()));
    }
    fn terms(&mut self, values: &[Dual<f64>], own: &[usize], slope: impl Fn(usize, usize) -> Dual<f64>) {
        self.0.values.extend(values.iter().map(|v| v.value()));
        self.0.inputs.extend_from_slice(own);
        spread(&mut self.0.slopes, values.len(), own, |term, i| slope(term, i).value());
        spread(&mut self.0.more, values.len(), own, |term, i| slope(term, i).tangent());
    }
    fn end(&mut self, slopes: &[Dual<f64>]) {
        for (i, slope) in (self.1..).zip(slopes) {
            self.0.slopes[i] = slope.value();
            self.0.more[i] = slope.tangent();
        }
    }
}
