//! Central differences: a mode without numbers of its own.

use std::cell::RefCell;

use num_traits::Float;

use crate::drivers::mode::{Changed, Directional, Mode, Pass, SeedVectors, Seeds, Sink};
use crate::error::AdError;
use crate::number::{BaseFloat, Real};

/// Central differences, `(f(x + hv) − f(x − hv))/2h`: two evaluations at `T` for each tangent, and one at the point.
///
/// The step is relative: `h·|vᵢ|` is at most `step·max(1, |xᵢ|)`, and equals it for one `i`. The error is `h²·f‴/6`,
/// plus `ε·|f|/h` of rounding: a function that varies within `step·|x|`, such as `sin x` at `10⁶`, needs a smaller
/// step. On groups ([`space`](crate::space)) the point moves along its tangent. Within a step
/// of the largest float the point leaves the range: no difference there is finite.
///
/// ```
/// use wengert::{FiniteDifference, prepare};
/// let (x, mut g) = ([1e12_f64, 2.0], [0.0_f64; 2]);
/// let mut gradient = prepare::gradient(FiniteDifference::default(), &x);
/// gradient.of(|x| x[0].sqrt() * x[1]).at(&x, &mut g)?;
/// assert!((g[0] - 1e-6).abs() < 1e-15 && (g[1] - 1e6).abs() < 1e-3);
/// # Ok::<(), wengert::AdError>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct FiniteDifference {
    /// The step, a positive number; if none is given, `∛ε` of the numbers' precision: `6e-6` for `f64`, `5e-3` for `f32`.
    pub step: Option<f64>,
}

impl Mode for FiniteDifference {
    type Number<T: Real> = T;
    type Scratch<T: Real> = (Vec<T>, Vec<T::Base>);
}

/// The point unchanged; records the sizes of its components.
struct Noting<'a, B>(RefCell<&'a mut [B]>);

impl<T: Real> Seeds<T, T> for Noting<'_, T::Base> {
    fn constant(&self, x: T) -> T {
        x
    }
    fn direction(&self, i: usize, x: T) -> T {
        self.0.borrow_mut()[i] = Float::max(Float::abs(x.primal()), T::Base::from_double(1.0));
        x
    }
    fn value(&self, y: T) -> T {
        y
    }
}

/// The point moved by `step` along a lane.
struct Moved<'a, L, B> {
    along: &'a L,
    lane: usize,
    step: B,
}

impl<T: Real, L: SeedVectors<T>> Seeds<T, T> for Moved<'_, L, T::Base> {
    fn constant(&self, x: T) -> T {
        x
    }
    fn direction(&self, i: usize, x: T) -> T {
        x + self.along.component(self.lane, i) * self.step
    }
    fn value(&self, y: T) -> T {
        y
    }
}

impl Pass for FiniteDifference {
    const PULLS: bool = false;
    fn push<T, Y, F, S>(
        &self,
        (above, sizes): &mut Self::Scratch<T>,
        f: &mut F,
        along: &impl SeedVectors<T>,
        sink: &mut S,
    ) -> Result<(), AdError>
    where
        T: Real,
        Y: ?Sized,
        F: Directional<T, T, Out = Y>,
        S: Sink<T, T, Y>,
    {
        let step = self.step.map_or_else(|| Float::cbrt(T::Base::epsilon()), T::Base::from_double);
        let zero = T::Base::from_double(0.0);
        if !(step > zero && Float::is_finite(step)) {
            return Err(AdError::Unsupported { op: "FiniteDifference", rule: "steps that are not positive" });
        }
        sizes.resize(f.directions(), zero);
        f.along(&Noting(RefCell::new(sizes)), Changed::All, |y, row| sink.start(y, row.len(), &|y| y))?;
        for lane in along.lanes(f.directions()) {
            let moves = |(i, &size): (usize, &T::Base)| Float::abs(along.component(lane, i).primal()) / size;
            let most = sizes.iter().enumerate().map(moves).fold(zero, Float::max);
            let step = if most > zero { step / most } else { step };
            f.along(&Moved { along, lane, step }, Changed::All, |_, row| {
                above.clear();
                above.extend_from_slice(row);
                Ok(())
            })?;
            f.along(&Moved { along, lane, step: -step }, Changed::All, |_, row| {
                sink.take(lane..lane + 1, 0..row.len(), |i, _| (above[i] - row[i]) / (step + step));
                Ok(())
            })?;
        }
        Ok(())
    }
}
