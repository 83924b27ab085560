//! What is kept of values and slopes.

use super::engine::Slopes;
use super::jobs::Out;
use crate::duals::Dual;

/// Keeps values and slopes; the number says where the shared ones of the piece stand.
pub(super) struct First<'a>(pub &'a mut Out, pub usize);

impl First<'_> {
    /// Takes several terms, whose slopes are appended in the order of their inputs.
    pub fn terms(&mut self, values: &[f64], own: &[usize], slopes: impl FnOnce(&mut Vec<f64>)) {
        self.0.values.extend_from_slice(values);
        self.0.inputs.extend_from_slice(own);
        slopes(&mut self.0.slopes);
    }
    /// Takes the slopes of the shared inputs.
    pub fn end_with(&mut self, slopes: impl Iterator<Item = f64>) {
        self.0.slopes[self.1..].iter_mut().zip(slopes).for_each(|(to, slope)| *to = slope);
    }
}

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
    fn end(&mut self, slopes: &[f64]) {
        self.end_with(slopes.iter().copied());
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
    fn end(&mut self, slopes: &[Dual<f64>]) {
        for (i, slope) in (self.1..).zip(slopes) {
            self.0.slopes[i] = slope.value();
            self.0.more[i] = slope.tangent();
        }
    }
}
