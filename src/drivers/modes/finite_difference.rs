//! Central differences: a mode without numbers of its own.

use crate::drivers::mode::{Changed, Directional, Lanes, Mode, Pass, Seeds, Sink};
use crate::error::AdError;
use crate::number::{BaseFloat, Real};

/// Central differences, `(f(x + hv) − f(x − hv))/2h`: two evaluations at `T` for each tangent, and one at the point.
///
/// The error is `h²·f‴/6` and `ε·|f|/h` of rounding. `h` is absolute; the default, `∛ε` of `f64`, suits arguments and
/// derivatives near 1.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FiniteDifference {
    /// The step `h`.
    pub step: f64,
}

impl Default for FiniteDifference {
    fn default() -> Self {
        FiniteDifference { step: 6.0e-6 }
    }
}

impl Mode for FiniteDifference {
    type Number<T: Real> = T;
    type Scratch<T: Real> = Vec<T>;
}

/// The point moved by `step` along a lane.
struct Moved<'a, L> {
    along: &'a L,
    lane: usize,
    step: f64,
}

impl<T: Real, L: Lanes<T>> Seeds<T, T> for Moved<'_, L> {
    fn constant(&self, x: T) -> T {
        x
    }
    fn direction(&self, i: usize, x: T) -> T {
        if self.step == 0.0 {
            x
        } else {
            x + self.along.component(self.lane, i) * T::Base::from_double(self.step)
        }
    }
    fn value(&self, y: T) -> T {
        y
    }
}

impl Pass for FiniteDifference {
    const PULLS: bool = false;
    fn push<T, Y, F, S>(
        &self,
        above: &mut Vec<T>,
        f: &mut F,
        along: &impl Lanes<T>,
        sink: &mut S,
    ) -> Result<(), AdError>
    where
        T: Real,
        Y: ?Sized,
        F: Directional<T, T, Out = Y>,
        S: Sink<T, T, Y>,
    {
        let lanes = along.lanes(f.directions());
        let moved = |lane, step| Moved { along, lane, step };
        let outputs = f.along(&moved(0, 0.0), Changed::All, |y, row| {
            sink.start(y, row.len(), &|y| y)?;
            Ok(row.len())
        })?;
        for lane in lanes {
            f.along(&moved(lane, self.step), Changed::All, |_, row| {
                above.clear();
                above.extend_from_slice(row);
                AdError::check_outputs(outputs, row.len())
            })?;
            f.along(&moved(lane, -self.step), Changed::All, |_, row| {
                AdError::check_outputs(outputs, row.len())?;
                let width = T::Base::from_double(2.0 * self.step);
                sink.take(lane..lane + 1, 0..outputs, |i, _| (above[i] - row[i]) / width);
                Ok(())
            })?;
        }
        Ok(())
    }
}
