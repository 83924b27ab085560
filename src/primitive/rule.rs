//! Rules by formulas over any number.

use super::{lengths, on_real, real, unsupported};
use crate::error::AdError;
use crate::lift::{Direction, Extension, Primitive, views, views_of_some};
use crate::linear_map::LinearMap;
use crate::number::{BaseFloat, Number, Passive, PrimalNumber, Real};

/// A function of groups of real numbers with formulas for its tangents, its cotangents or both; [`FromRule`] makes a
/// primitive of it.
///
/// The formulas are generic over real numbers, so they can be differentiated again. If a rule does not support a
/// direction, numbers that need it return [`AdError::Unsupported`].
///
/// ```
/// use wengert::primitive::{call, Direction, Rule, FromRule};
/// use wengert::{AdError, Dual, HyperDual, Real, gradient};
/// /// y = x₀²·x₁, opaque.
/// #[derive(Clone)]
/// struct SquareTimes;
/// impl Rule for SquareTimes {
///     fn name(&self) -> &'static str { "square_times" }
///     fn arity(&self) -> usize { 2 }
///     fn check(&self, lengths: &[usize]) -> Result<(), AdError> {
///         AdError::check_len("square_times", "first group", 1, lengths[0])?;
///         AdError::check_len("square_times", "second group", 1, lengths[1])
///     }
///     fn supports(&self, _: Direction) -> bool { true }
///     fn value(&self, x: &[&[f64]]) -> Result<Vec<f64>, AdError> {
///         Ok(vec![x[0][0] * x[0][0] * x[1][0]])
///     }
///     fn jvp<T>(&self, x: &[&[T]], _y: &[T], dx: &[Option<&[T]>], dy: &mut [T])
///     where
///         T: Real<Base = f64>,
///     {
///         let (a, b) = (x[0][0], x[1][0]);
///         if let Some(da) = dx[0] { dy[0] += a * b * da[0] * 2.0 }
///         if let Some(db) = dx[1] { dy[0] += a * a * db[0] }
///     }
///     fn vjp<T>(&self, x: &[&[T]], _y: &[T], w: &[T], dx: &mut [Option<&mut [T]>])
///     where
///         T: Real<Base = f64>,
///     {
///         let (a, b) = (x[0][0], x[1][0]);
///         if let Some(da) = &mut dx[0] { da[0] += a * b * w[0] * 2.0 }
///         if let Some(db) = &mut dx[1] { db[0] += a * a * w[0] }
///     }
/// }
/// let f = FromRule(SquareTimes);
/// let y = call(&f, &[&[Dual::new(2.0, 0.5)], &[Dual::new(3.0, -1.0)]])?;
/// assert_eq!((y[0].value(), y[0].tangent()), (12.0, 2.0));
/// let g = gradient(|x| call(&f, &[&x[..1], &x[1..]]).unwrap()[0], &[2.0, 3.0]);
/// assert_eq!(g, [12.0, 4.0]);
/// let x = HyperDual::new(2.0, 1.0, 1.0, 0.0);
/// assert_eq!(call(&f, &[&[x], &[HyperDual::constant(3.0)]])?[0].e12(), 6.0);
/// let wrong = call(&f, &[&[2.0, 5.0], &[3.0]]).unwrap_err();
/// assert_eq!(wrong.to_string(), "square_times: the first group has length 2, expected 1");
/// # Ok::<(), AdError>(())
/// ```
///
/// A rule captures no number with a derivative, see [`Passive`]: pass active numbers as arguments.
///
/// ```compile_fail,E0277
/// use wengert::{AdError, Real, Var, primitive::{Direction, Rule}};
/// #[derive(Clone)]
/// struct Scaled(Var<f64>);
/// impl Rule for Scaled { // error: a rule cannot capture `Var<f64>`
///     fn name(&self) -> &'static str { "scaled" }
///     fn arity(&self) -> usize { 1 }
///     fn supports(&self, direction: Direction) -> bool { direction == Direction::Jvp }
///     fn value(&self, x: &[&[f64]]) -> Result<Vec<f64>, AdError> {
///         Ok(vec![x[0][0] * self.0.value()])
///     }
///     fn jvp<T>(&self, _x: &[&[T]], _y: &[T], dx: &[Option<&[T]>], dy: &mut [T])
///     where
///         T: Real<Base = f64>,
///     {
///         dy[0] += dx[0].unwrap()[0] * self.0.value()
///     }
/// }
/// ```
pub trait Rule<F: BaseFloat = f64>: Clone + Passive + Send + Sync + 'static {
    /// The operation's name, for messages.
    fn name(&self) -> &'static str;
    /// The number of groups of arguments.
    fn arity(&self) -> usize;
    /// Checks the lengths of the groups, before anything is computed. Without a check, a group that is too short is
    /// an index out of bounds in a formula.
    ///
    /// # Errors
    /// If a length is wrong, usually from [`AdError::check_len`].
    fn check(&self, _lengths: &[usize]) -> Result<(), AdError> {
        Ok(())
    }
    /// The directions for which the rule has a formula.
    fn supports(&self, direction: Direction) -> bool;
    /// The results, at primal numbers.
    ///
    /// # Errors
    /// If the arguments have no value; [`call`](super::call) returns the error.
    fn value(&self, x: &[&[F]]) -> Result<Vec<F>, AdError>;
    /// Adds the tangents of the results `y` to `dy`, which is initially zero. A group whose tangent is `None` is
    /// constant.
    ///
    /// # Panics
    /// The default, with the name of the rule: a rule that [supports](Self::supports) this direction replaces it.
    fn jvp<T: Real<Base = F>>(&self, _x: &[&[T]], _y: &[T], _dx: &[Option<&[T]>], _dy: &mut [T]) {
        panic!("{}: the rule claims to support jvp, but does not implement it", self.name())
    }
    /// Adds the cotangents of the arguments to each `dx` that is `Some`, given the cotangents `dy` of the results.
    ///
    /// # Panics
    /// As [`jvp`](Self::jvp).
    fn vjp<T: Real<Base = F>>(&self, _x: &[&[T]], _y: &[T], _dy: &[T], _dx: &mut [Option<&mut [T]>]) {
        panic!("{}: the rule claims to support vjp, but does not implement it", self.name())
    }
}

/// A [`Rule`] as a primitive, as in the example of [`Rule`].
#[derive(Clone, Copy, Debug)]
pub struct FromRule<R>(pub R);

impl<P: PrimalNumber, R: Rule<P::Base>> Primitive<P> for FromRule<R> {
    type Map<T: Extension<P>> = Formulas<R, T>;
    fn name(&self) -> &'static str {
        self.0.name()
    }
    fn value(&self, x: &[&[P]]) -> Result<Vec<P>, AdError> {
        let name = self.0.name();
        AdError::check_arity(name, "groups of arguments", self.0.arity(), x.len())?;
        self.0.check(&lengths(x))?;
        on_real(name, x, |x| self.0.value(x))
    }
    fn linearize<T: Extension<P>>(&self, x: Vec<Vec<T>>, y: &[T]) -> Result<Self::Map<T>, AdError> {
        Ok(Formulas { rule: self.0.clone(), x: x.iter().map(|x| real(x)).collect(), y: real(y) })
    }
    fn supports(&self, direction: Direction) -> bool {
        self.0.supports(direction)
    }
}

/// The formulas of a rule at a point.
pub struct Formulas<R, T: Number> {
    rule: R,
    x: Vec<Vec<T::Re>>,
    y: Vec<T::Re>,
}

impl<R: Rule<F>, F: BaseFloat, T: Number<Base = F>> LinearMap<T> for Formulas<R, T> {
    fn apply(&self, tangents: &[Option<&[T]>], out: &mut [T]) {
        if !self.rule.supports(Direction::Jvp) {
            unsupported(self.rule.name(), "jvp");
        }
        let tangents: Vec<Option<Vec<T::Re>>> = tangents.iter().map(|t| t.map(real)).collect();
        let mut dy = vec![T::Re::lit(0.0); out.len()];
        self.rule.jvp(&views(&self.x), &self.y, &views_of_some(&tangents), &mut dy);
        out.iter_mut().zip(dy).for_each(|(o, dy)| *o = T::from_re(dy));
    }
    fn apply_transpose_add(&self, cotangent: &[T], out: &mut [Option<&mut [T]>]) {
        if !self.rule.supports(Direction::Vjp) {
            unsupported(self.rule.name(), "vjp");
        }
        let cotangent = real(cotangent);
        let zero = |group: &Option<&mut [T]>| group.as_ref().map(|g| vec![T::Re::lit(0.0); g.len()]);
        let mut sums: Vec<Option<Vec<T::Re>>> = out.iter().map(zero).collect();
        let mut wanted: Vec<Option<&mut [T::Re]>> = sums.iter_mut().map(|s| s.as_deref_mut()).collect();
        self.rule.vjp(&views(&self.x), &self.y, &cotangent, &mut wanted);
        for (out, sums) in out.iter_mut().zip(&sums) {
            let pairs = out.iter_mut().flat_map(|o| o.iter_mut()).zip(sums.iter().flatten());
            pairs.for_each(|(o, &s)| *o += T::from_re(s));
        }
    }
    fn argument(&self, group: usize, index: usize) -> Option<T> {
        Some(T::from_re(self.x[group][index]))
    }
    fn name(&self) -> &'static str {
        self.rule.name()
    }
    fn bytes(&self) -> usize {
        size_of_val(&self.y[..]) + self.x.iter().map(|x| size_of_val(&x[..])).sum::<usize>()
    }
}
