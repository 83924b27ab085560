//! Checks of user-defined rules, primitives and linear maps, for use in tests.
//! | to check | use |
//! |---|---|
//! | a rule of one or two variables | [`rule`], [`holomorphic`], [`binary`], [`holomorphic_binary`] |
//! | a function of one variable and its stated derivative | [`derivative`] |
//! | a [`Primitive`] at a point | [`primitive`] |
//! | a function at every number type | [`function()`], [`analytic`] |
//! | a [`LinearMap`](crate::LinearMap): its two directions, its linearity | [`adjoint`], [`linear`], [`linear_function`] |
//! | that a call uses the rule of a primitive | [`uses_rule`] |
//! | where a NaN comes from | [`Checked`] |
//! | two numbers with their tangents | [`assert_dual_eq!`](crate::assert_dual_eq) |
//!
//! Each returns a [`Report`] with a [`Verdict`]; tests call [`Report::assert_ok`]. A derivative is compared with
//! central differences over a range of steps, which estimate their own uncertainty. The verdict is
//! [`Verdict::Inconclusive`] if rounding or the function hides the derivative, at a kink for a derivative between
//! those on both sides, and for values that are rounded coarsely, such as `f32` values. A reference or a complex step
//! then decides. Each component of a result is judged relative to its own size, so a large one does not hide a small
//! one; a complex component is judged by its modulus.
//!
//! First derivatives are also compared near the point, at a distance of a hundredth of the argument. This reveals a
//! wrong factor of a derivative that is zero at the point, and a second derivative that matches the first derivative
//! but not the values. [`derivative`] does so only where the derivative is zero, and reports a mismatch as
//! inconclusive.
//!
//! ```
//! use wengert::check::{self, Check, Verdict};
//! check::derivative(f64::sin, f64::cos, 0.5).assert_ok();
//! let wrong = check::derivative(f64::sin, |x| 1.001 * x.cos(), 0.5);
//! assert_eq!(wrong.verdict(), Verdict::Wrong);
//! // Saturated: derivatives from 0 to 1e-10 are indistinguishable.
//! let slope = |x: f64| x.cosh().powi(-2);
//! assert_eq!(check::derivative(f64::tanh, slope, 20.0).verdict(), Verdict::Inconclusive);
//! let exact = Check::new().reference([1.6993417021166356e-17]);
//! exact.derivative(f64::tanh, slope, 20.0).assert_ok();
//! ```

// One mechanism serves all kinds. A `subject` is a function of complex numbers with lines through a point; `rule`,
// `function` and `primitive` make subjects of their kinds. `lines` compares a derivative along a line with `ladder`
// (differences, with their uncertainty) and `judge` (a verdict from them, a complex step and a reference). `report`
// collects the verdicts. Three comparisons need no steps: `adjoint` (two directions of a map), `map` (linearity) and
// `single` (a rule at `f32`, where its constants may underflow). `checked` and `notes` find a NaN.

mod adjoint;
mod checked;
mod function;
mod judge;
mod ladder;
mod lines;
mod map;
mod notes;
mod parts;
mod primitive;
mod report;
mod rule;
mod sample;
mod scenarios;
mod single;
mod subject;

pub use checked::{Checked, first_nan, watch};
pub use map::{adjoint, linear, linear_function};
pub use notes::FirstNan;
#[doc(hidden)]
pub use parts::differs;
pub use parts::parts;
pub use report::{Probe, Report, Verdict};
pub use scenarios::{Outcome, Scenarios};

use num_complex::Complex;

use crate::drivers::VectorFunction;
use crate::lift::Primitive;
use crate::number::PrimalNumber;
use crate::rules::{Binary, Holomorphic, HolomorphicBinary, Unary};
use crate::tapes::{Tape, Var};

/// Settings of a check.
///
/// | | tolerance | longest step | reference |
/// |---|---|---|---|
/// | [`derivative`](Check::derivative), [`rule`](Check::rule), [`holomorphic`](Check::holomorphic), [`binary`](Check::binary), [`holomorphic_binary`](Check::holomorphic_binary), [`primitive`](Check::primitive), [`function`](Check::function), [`analytic`](Check::analytic) | yes | yes | yes |
/// | [`adjoint`](Check::adjoint), [`linear`](Check::linear), [`linear_function`](Check::linear_function) | yes | panics | panics |
/// | [`uses_rule`]: an exact comparison | none | none | none |
///
/// ```
/// use wengert::{check::{Check, Verdict}, rules::{Hypot, Ln}};
/// // The steps end at the end of the domain; `max_step` sets a smaller limit.
/// Check::new().max_step(1e-4).rule(Ln, 1e-3).assert_ok();
/// // An exact derivative decides.
/// assert_eq!(Check::new().reference([1001.0]).rule(Ln, 1e-3).verdict(), Verdict::Wrong);
/// Check::new().reference([0.6, 0.8]).binary(Hypot, 3.0, 4.0).assert_ok();
/// ```
#[derive(Clone, Debug)]
pub struct Check {
    tolerance: Option<f64>,
    max_step: f64,
    reference: Option<Vec<f64>>,
}

impl Default for Check {
    fn default() -> Self {
        Check::new()
    }
}

impl Check {
    /// The settings of the free functions: tolerance 1e-7, steps of any size, no reference.
    pub const fn new() -> Self {
        Check { tolerance: None, max_step: f64::INFINITY, reference: None }
    }
    /// Sets the accepted relative difference from finite differences, in addition to their own uncertainty, for rules
    /// that are known to be inaccurate. Two ways to compute a derivative, the two directions of a map and a reference
    /// are compared to ten digits (two ways of a rule to nine), or to this tolerance if it is larger.
    ///
    /// ```
    /// use wengert::check::{self, Check};
    /// let rough = |x: f64| 2.0 * x * (1.0 + 1e-5);
    /// assert!(!check::derivative(|x| x * x, rough, 3.0).passed());
    /// assert!(Check::new().tolerance(1e-4).derivative(|x| x * x, rough, 3.0).passed());
    /// ```
    pub const fn tolerance(mut self, tolerance: f64) -> Self {
        self.tolerance = Some(tolerance);
        self
    }
    /// Sets the largest step of an argument, for functions with a small domain.
    pub const fn max_step(mut self, max_step: f64) -> Self {
        self.max_step = max_step;
        self
    }
    /// Sets the exact first derivative, which then decides, to ten digits. It is the Jacobian row by row: one number
    /// for a function of one variable, two numbers for a function of two variables, all partials of the first result
    /// and so on for several results. For a primitive over complex numbers it is the Jacobian of real and imaginary
    /// parts in turn; for a holomorphic rule the two parts of each partial, on the real line only `f′`.
    ///
    /// # Panics
    /// Only the check panics, if the number of entries is wrong.
    pub fn reference(self, jacobian: impl Into<Vec<f64>>) -> Self {
        Check { reference: Some(jacobian.into()), ..self }
    }
    /// A limit of the check's own, or the tolerance if that is larger.
    fn limit(&self, own: f64) -> f64 {
        self.tolerance.map_or(own, |tolerance| tolerance.max(own))
    }
    /// Panics if there are settings that the check does not support.
    #[track_caller]
    fn refuse_steps(&self, check: &str) {
        let asked =
            [("longest step", self.max_step < f64::INFINITY), ("reference", self.reference.is_some())];
        if let Some((what, _)) = asked.into_iter().find(|(_, asked)| *asked) {
            panic!("check: `{check}` does not support a {what}");
        }
    }
}

/// Checks a function and its stated derivative at a point.
///
/// ```
/// use wengert::check;
/// let report = check::derivative(f64::exp, f64::exp, 1.0);
/// report.assert_ok();
/// assert!((report.taylor_order().unwrap() - 2.0).abs() < 0.01);
/// assert!(report.difference() < 1e-10);
/// ```
pub fn derivative(f: impl Fn(f64) -> f64, df: impl Fn(f64) -> f64, x: f64) -> Report {
    Check::new().derivative(f, df, x)
}

/// Checks a rule of one variable at a point: the first and second derivative against differences, the second also
/// against the derivative of the first, the value bit for bit, and all three at `f32` against `f64` where their sizes
/// permit it. If rounding at `f32` hides one, as in `sin(1e6·x)`, the verdict is inconclusive. For a rule that also
/// takes complex numbers the complex step is reported; it decides only in [`holomorphic`].
///
/// ```
/// use wengert::{BaseFloat, Number, Real, check::{self, Verdict}, rules::Unary};
/// #[derive(Clone, Copy, Debug)]
/// struct Cube(f64);
/// impl Unary for Cube {
///     const NAME: &'static str = "cube";
///     fn value<F: BaseFloat>(self, x: F) -> F { x * x * x }
///     fn derivative<T: Real>(self, x: T, _f: T) -> T { x * x * T::lit(self.0) }
/// }
/// check::rule(Cube(3.0), 2.0).assert_ok();
/// let report = check::rule(Cube(2.0), 2.0);
/// assert_eq!(report.verdict(), Verdict::Wrong);
/// assert!(report.to_string().starts_with("cube at 2: wrong"));
/// ```
pub fn rule<U: Unary>(rule: U, x: f64) -> Report {
    Check::new().rule(rule, x)
}

/// Checks a holomorphic rule at a point: on the real line like [`rule`] and by a complex step, elsewhere along the
/// real and imaginary axes.
///
/// ```
/// use num_complex::Complex;
/// use wengert::{check::{self, Verdict}, rules::Tanh};
/// check::holomorphic(Tanh, Complex::new(0.5, 1.0)).assert_ok();
/// // The complex step decides where differences cannot.
/// assert_eq!(check::rule(Tanh, 20.0).verdict(), Verdict::Inconclusive);
/// check::holomorphic(Tanh, Complex::new(20.0, 0.0)).assert_ok();
/// ```
pub fn holomorphic<H: Holomorphic>(rule: H, z: Complex<f64>) -> Report {
    Check::new().holomorphic(rule, z)
}

/// Checks a rule of two variables at a point: partials, second and mixed derivatives against differences, the mixed
/// ones in both orders.
///
/// ```
/// use wengert::{check, rules::Atan2};
/// check::binary(Atan2, 1.0, -2.0).assert_ok();
/// ```
pub fn binary<B: Binary>(rule: B, x: f64, y: f64) -> Report {
    Check::new().binary(rule, x, y)
}

/// Checks a holomorphic rule of two variables at a point: partials along both axes, second and mixed derivatives
/// against differences.
///
/// ```
/// use num_complex::Complex;
/// use wengert::{check, rules::Powc};
/// let (z, w) = (Complex::new(0.5, 1.0), Complex::new(-1.2, 0.3));
/// check::holomorphic_binary(Powc, z, w).assert_ok();
/// ```
pub fn holomorphic_binary<H: HolomorphicBinary>(rule: H, z: Complex<f64>, w: Complex<f64>) -> Report {
    Check::new().holomorphic_binary(rule, z, w)
}

/// Checks a primitive at a point, real or complex:
///
/// - Values are repeatable, equal with and without tangents, and leave the arguments unchanged.
/// - A call at another point changes neither an earlier map nor a later value, tangent or cotangent.
/// - The tangents along each group and along all together agree with differences (by cotangents, if the primitive has only
///   these), and the two directions with each other; likewise the second derivative, if there is one.
///
/// If the directions differ and the tangents agree with differences, the report states that the cotangents are wrong. It
/// lists arguments that lose a NaN ([`Report::lost_nan`]). If the derivative panics at the point, for example because a
/// closure returns another number of tangents, the report states the panic as a fault.
///
/// ```
/// use wengert::{check::{self, Verdict}, primitive::from_jvp_and_vjp};
/// let product = |factor: f64| from_jvp_and_vjp("product", 2, |x| vec![x[0][0] * x[1][0]],
///     |x, dx| vec![dx[0][0] * x[1][0] + x[0][0] * dx[1][0]],
///     move |x, w| vec![vec![x[1][0] * w[0] * factor], vec![x[0][0] * w[0]]]);
/// check::primitive(&product(1.0), &[&[2.0], &[3.0]]).assert_ok();
/// let report = check::primitive(&product(1.001), &[&[2.0], &[3.0]]);
/// assert_eq!(report.verdict(), Verdict::Wrong);
/// assert!(report.adjoint.unwrap() > 1e-4);
/// ```
pub fn primitive<P: PrimalNumber<Base = f64>, R: Primitive<P>>(rule: &R, x: &[&[P]]) -> Report {
    Check::new().primitive(rule, x)
}

/// Checks a generic function: its derivatives in forward mode, in reverse mode and of second order against
/// differences of its values, and the modes against each other.
///
/// ```
/// use wengert::{check, function};
/// let f = function!(|x, y: [_; 2]| { y[0] = x[0] * x[1].sin(); y[1] = x[0] / x[1] });
/// check::function(&f, &[2.0, 0.5]).assert_ok();
/// ```
pub fn function<F: VectorFunction>(f: &F, x: &[f64]) -> Report {
    Check::new().function(f, x)
}

/// Like [`function()`], and by a complex step: `complex` is the same function at complex numbers, for example from
/// code generic over [`Number`](crate::Number). The complex step decides where differences are inconclusive.
///
/// ```
/// use num_complex::Complex64;
/// use wengert::{Number, check::{self, Verdict}, function};
/// fn f<T: Number<Base = f64>>(x: &[T]) -> T { (x[0] * x[1]).tanh() }
/// let real = function!(|x, y: [_; 1]| y[0] = f(x));
/// assert_eq!(check::function(&real, &[4.0, 5.0]).verdict(), Verdict::Inconclusive);
/// let report = check::analytic(&real, |z: &[Complex64]| vec![f(z)], &[4.0, 5.0]);
/// report.assert_ok();
/// assert!(report.complex_step().unwrap() < 1e-12);
/// ```
pub fn analytic<F: VectorFunction>(
    f: &F,
    complex: impl Fn(&[Complex<f64>]) -> Vec<Complex<f64>>,
    x: &[f64],
) -> Report {
    Check::new().analytic(f, complex, x)
}

/// Whether a call uses the rule of the primitive with this name: `f` runs on a tape that records it. False if the
/// tape recorded the code of the primitive instead, or if no active number reaches the primitive. Elementary
/// functions are not primitives: a tape does not record them as such.
///
/// ```
/// use wengert::{check::uses_rule, primitive::{call, from_vjp}, reduce};
/// let value = |x: &[&[f64]]| vec![x[0][0] * x[0][0]];
/// let square = from_vjp("square", 1, value, |x, dy| vec![vec![2.0 * x[0][0] * dy[0]]]);
/// assert!(uses_rule("square", |x| call(&square, &[x]), &[3.0]));
/// assert!(!uses_rule("square", |x| x[0] * x[0], &[3.0]));
/// ```
pub fn uses_rule<Y>(name: &str, f: impl FnOnce(&[Var<f64>]) -> Y, x: &[f64]) -> bool {
    let tape = Tape::new();
    f(&tape.variables(x));
    tape.primitives().contains(&name)
}
