//! Differential equations by Taylor series.

use num_traits::Float;

use crate::duals::TaylorDyn;
use crate::error::AdError;
use crate::number::{BaseFloat, Number, Real};

/// A step of [`ode_step`]: the solution as a series in the time since its start, and the length of its validity.
/// ```
/// use wengert::series::ode_step;
/// // y′ = 2t has the solution 1 + t² from y(0) = 1.
/// let step = ode_step::<f64, 8>(|t, _| vec![t * 2.0], 0.0, &[1.0], 4, 1e-9)?;
/// assert_eq!(step.length(), f64::INFINITY); // a polynomial
/// assert_eq!(step.solution()[0].coefficients(), [0.0, 1.0, 0.0, 0.0]);
/// assert_eq!((step.increment(3.0), step.at(3.0)), (vec![9.0], vec![10.0]));
/// # Ok::<(), wengert::AdError>(())
/// ```
#[derive(Clone, Debug)]
pub struct OdeStep<T: Number, const MAX: usize> {
    solution: Vec<TaylorDyn<T, MAX>>,
    length: T::Base,
}

impl<T: Real, const MAX: usize> OdeStep<T, MAX> {
    /// The largest time at which the series is within the tolerance, in the unit of `t`; infinite for a polynomial.
    ///
    /// ```
    /// use wengert::series::ode_step;
    /// // y′ = y: the last coefficients are 1/3! and 1/4!.
    /// let step = ode_step::<f64, 8>(|_, y| vec![y[0]], 0.0, &[1.0], 4, 1e-8)?;
    /// let least = (24e-8_f64).powf(0.25).min((6e-8_f64).cbrt());
    /// assert!((step.length() - least * (-0.7_f64 / 3.0).exp()).abs() < 1e-15);
    /// # Ok::<(), wengert::AdError>(())
    /// ```
    pub fn length(&self) -> T::Base {
        self.length
    }
    /// The components of the solution as series in the time since the start of the step, of the order of the step.
    ///
    /// ```
    /// use wengert::series::ode_step;
    /// // x′ = y, y′ = −x from (0, 1): sine and cosine.
    /// let step = ode_step::<f64, 8>(|_, y| vec![y[1], -y[0]], 0.0, &[0.0, 1.0], 3, 1e-8)?;
    /// let [sine, cosine] = step.solution() else { panic!("two components") };
    /// assert_eq!((sine.value(), sine.coefficients()), (0.0, &[1.0, 0.0, -1.0 / 6.0][..]));
    /// assert_eq!((cosine.value(), cosine.coefficients()), (1.0, &[0.0, -0.5, 0.0][..]));
    /// # Ok::<(), wengert::AdError>(())
    /// ```
    pub fn solution(&self) -> &[TaylorDyn<T, MAX>] {
        &self.solution
    }
    /// `y(t + h) − y(t)`, by Horner's scheme. A sum of increments of small steps keeps more digits if it is compensated.
    ///
    /// ```
    /// use wengert::series::ode_step;
    /// // y′ = 1 from y(0) = 1e16: the increment is not lost in the value.
    /// let step = ode_step::<f64, 4>(|t, _| vec![t * 0.0 + 1.0], 0.0, &[1e16], 2, 1.0)?;
    /// assert_eq!((step.increment(0.5), step.at(0.5)), (vec![0.5], vec![1e16]));
    /// # Ok::<(), wengert::AdError>(())
    /// ```
    pub fn increment(&self, h: T::Base) -> Vec<T> {
        // The step of a constant is infinitely long.
        let times = |sum: T| if sum.is_exactly_zero() { sum } else { sum * h };
        let zero = T::lit(0.0);
        let sum = |s: &TaylorDyn<T, MAX>| s.coefficients().iter().rev().fold(zero, |sum, &c| times(sum + c));
        self.solution.iter().map(sum).collect()
    }
    /// `y(t + h)`, for `h` from 0 to the length of the step; beyond it, the series without this accuracy.
    ///
    /// ```
    /// use wengert::series::ode_step;
    /// // y′ = 2y from y(0) = 3, to order 2: 3 + 6h + 6h².
    /// let step = ode_step::<f64, 4>(|_, y| vec![y[0] * 2.0], 0.0, &[3.0], 2, 1e-8)?;
    /// assert_eq!(step.at(0.5), [7.5]);
    /// # Ok::<(), wengert::AdError>(())
    /// ```
    pub fn at(&self, h: T::Base) -> Vec<T> {
        self.increment(h).into_iter().zip(&self.solution).map(|(d, s)| s.value() + d).collect()
    }
}

/// The order `⌈1 − ½ ln ε⌉` with which [`ode_step`] takes the least time for a positive tolerance `ε` relative to the
/// solution, of at least 2: the terms of a step fall by e² each.
///
/// # Panics
/// If the tolerance is not positive.
///
/// ```
/// assert_eq!(wengert::series::ode_order(1e-16), 20);
/// ```
pub fn ode_order(tolerance: f64) -> usize {
    assert!(tolerance > 0.0, "ode_order: a tolerance of {tolerance:?}, which is not positive");
    (libm::ceil(1.0 - 0.5 * libm::log(tolerance)) as usize).max(2)
}

/// One step of the differential equation `y′ = f(t, y)` from `y(t)`: its Taylor series of an order of at least 2, and
/// the length `h` of a step whose last terms are below the tolerance in all components.
///
/// The coefficients follow from `yₖ₊₁ = fₖ/(k + 1)`: `f` is evaluated once for each order, at the series known so
/// far, and takes `t` and `y` as [`TaylorDyn`]. If `m` are the orders of the last two nonzero coefficients, `h = min
/// (ε/|yₘ|)^(1/m)·e^(−0.7/(order − 1))`. If all coefficients beyond half of the order are zero, the solution is assumed
/// to be a polynomial. Jorba and Zou, *A software package for the numerical integration of ODEs by means of
/// high-order Taylor methods*, Experimental Mathematics 14 (2005).
///
/// The tolerance is absolute; for a tolerance relative to the solution multiply by its size. [`ode_order`] is the
/// best order. Between the ends of a step its series is the solution. Over `Dual<f64>` or variables of a tape the
/// same call gives derivatives of the solution with respect to its start and to parameters; the length is a plain
/// number.
///
/// # Errors
/// [`AdError::TooMany`] if the order is more than `MAX`, [`AdError::TooFew`] if it is less than 2, or if `f` returns a
/// series of a lower order than its arguments have, [`AdError::Shape`] if `f` does not give one component for each of
/// `y`, [`AdError::NotANumber`] with the component if a coefficient is not finite.
///
/// # Panics
/// If the tolerance is not positive.
///
/// ```
/// use wengert::{Number, series::{ode_order, ode_step}};
/// // y′ = 2ty has the solution e^(t²).
/// let (mut t, mut y) = (0.0, vec![1.0_f64]);
/// while t < 1.0 {
///     let step = ode_step::<f64, 24>(
///         |t, y| vec![t * 2.0 * y[0]], t, &y, ode_order(1e-16), 1e-16 * y[0].abs(),
///     )?;
///     let h = step.length().min(1.0 - t);
///     (t, y) = (t + h, step.at(h));
/// }
/// assert!((y[0] - 1f64.exp()).abs() < 1e-14);
/// # Ok::<(), wengert::AdError>(())
/// ```
#[track_caller]
pub fn ode_step<T: Real, const MAX: usize>(
    mut f: impl FnMut(TaylorDyn<T, MAX>, &[TaylorDyn<T, MAX>]) -> Vec<TaylorDyn<T, MAX>>,
    t: T,
    y: &[T],
    order: usize,
    tolerance: T::Base,
) -> Result<OdeStep<T, MAX>, AdError> {
    const OP: &str = "ode_step";
    assert!(
        tolerance > T::Base::from_double(0.0),
        "{OP}: a tolerance of {tolerance:?}, which is not positive"
    );
    if order > MAX {
        return Err(AdError::TooMany { op: OP, what: "orders", most: MAX, got: Some(order) });
    }
    if order < 2 {
        return Err(AdError::TooFew { op: OP, what: "orders", least: 2, got: order });
    }
    let mut known: Vec<Vec<T>> = y.iter().map(|&y| vec![y]).collect();
    let mut norms = Vec::with_capacity(order);
    for k in 0..order {
        let time = TaylorDyn::variable(t, k)?;
        let at = known.iter().map(|y| TaylorDyn::new(y)).collect::<Result<Vec<_>, _>>()?;
        let slopes = f(time, &at);
        AdError::check_len(OP, "list of slopes", y.len(), slopes.len())?;
        let mut norm = T::Base::from_double(0.0);
        for (i, (y, slope)) in known.iter_mut().zip(slopes).enumerate() {
            if slope.order() < k {
                let got = slope.order();
                return Err(AdError::TooFew { op: OP, what: "orders of a slope", least: k, got });
            }
            let last = if k == 0 { slope.value() } else { slope.coefficients()[k - 1] };
            let last = last * T::Base::from_double(1.0 / (k + 1) as f64);
            if !last.all_finite() {
                let (argument, x, result) = (None, None, Some(i));
                return Err(AdError::NotANumber { op: OP, rule: "value", argument, x, result });
            }
            norm = Float::max(norm, Float::abs(last.primal()));
            y.push(last);
        }
        norms.push(norm);
    }
    let solution = known.iter().map(|y| TaylorDyn::new(y)).collect::<Result<Vec<_>, _>>()?;
    let last = (order / 2..order).rev().filter(|&k| norms[k] > T::Base::from_double(0.0)).take(2);
    let reach = |k: usize| {
        // The quotient may overflow where its root does not.
        let root = |x: T::Base| Float::powf(x, T::Base::from_double(1.0 / (k + 1) as f64));
        root(tolerance) / root(norms[k])
    };
    let length = last.map(reach).fold(T::Base::infinity(), Float::min);
    let safety = T::Base::from_double(libm::exp(-0.7 / (order - 1) as f64));
    Ok(OdeStep { solution, length: length * safety })
}
