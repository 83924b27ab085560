//! Primitives at every number type: the trait, and the evaluation of a primitive's value and linear map as a whole.

mod guard;
mod operation;
mod series;

use crate::error::AdError;
use crate::linear_map::LinearMap;
use crate::number::Number;
pub use crate::number::{Passive, PrimalNumber};
use crate::pool;

use guard::NanChecked;
pub use guard::NanCheckedMap;
#[cfg(feature = "check")]
pub(crate) use guard::has_nan;
pub(crate) use operation::Operation;
#[cfg(any(feature = "nalgebra", feature = "programs"))]
pub(crate) use operation::OperationNumber;
pub(crate) use series::by_derivative;
#[cfg(feature = "nalgebra")]
pub(crate) use series::image;
pub use series::{Orders, Series, by_recurrence};

/// A number over primal numbers `P`, at any depth: short for `Number<Primal = P, Base = P::Base>`.
///
/// ```
/// use wengert::{Dual, primitive::Extension};
/// fn twice<T: Extension<f64>>(x: T) -> T { x + x }
/// let y = twice(Dual::variable(3.0));
/// assert_eq!((y.value(), y.tangent()), (6.0, 2.0));
/// ```
pub trait Extension<P: PrimalNumber>: Number<Primal = P, Base = <P as Number>::Base> {}

impl<P: PrimalNumber, T: Number<Primal = P, Base = P::Base>> Extension<P> for T {}

/// A function of groups of numbers (a matrix is a group) with its derivative.
///
/// ```
/// use wengert::primitive::{Extension, PrimalNumber, Primitive, call};
/// use wengert::{AdError, Dual, LinearMap, Number};
/// /// y = x², opaque.
/// #[derive(Clone)]
/// struct Square;
/// struct Twice<T>(Vec<T>);
/// impl<P: PrimalNumber> Primitive<P> for Square {
///     type Map<T: Extension<P>> = Twice<T>;
///     fn name(&self) -> &'static str { "square" }
///     fn value(&self, x: &[&[P]]) -> Result<Vec<P>, AdError> {
///         Ok(x[0].iter().map(|&x| x * x).collect())
///     }
///     fn linearize<T: Extension<P>>(
///         &self,
///         x: Vec<Vec<T>>,
///         _: &[T],
///     ) -> Result<Twice<T>, AdError> {
///         Ok(Twice(x[0].iter().map(|&x| x + x).collect()))
///     }
/// }
/// impl<T: Number> LinearMap<T> for Twice<T> {
///     fn apply(&self, tangents: &[Option<&[T]>], out: &mut [T]) {
///         let tangent = tangents[0].unwrap();
///         for (i, out) in out.iter_mut().enumerate() { *out = self.0[i] * tangent[i] }
///     }
///     fn apply_transpose_add(&self, cotangent: &[T], out: &mut [Option<&mut [T]>]) {
///         let out = out[0].as_mut().unwrap();
///         for (i, out) in out.iter_mut().enumerate() {
///             *out += self.0[i].conj() * cotangent[i]
///         }
///     }
/// }
/// let y = call(&Square, &[&[Dual::variable(Dual::variable(3.0))]])?;
/// assert_eq!((y[0].tangent().value(), y[0].tangent().tangent()), (6.0, 2.0));
/// # Ok::<(), AdError>(())
/// ```
pub trait Primitive<P: PrimalNumber>: Clone + Passive + Send + Sync + 'static {
    /// The derivative at a point, with its stored residuals.
    type Map<T: Extension<P>>: LinearMap<T>;
    /// The number of groups, counted from the first, whose values are left out at numbers without tangents. `self`
    /// holds values that depend on them, such as the factors of a matrix.
    const HELD: usize = 0;
    /// The operation's name, for messages.
    fn name(&self) -> &'static str;
    /// The results at primal numbers.
    ///
    /// # Errors
    /// If the arguments have no value: a wrong length ([`AdError::check_len`]), a singular matrix. [`call`] returns the
    /// error.
    fn value(&self, x: &[&[P]]) -> Result<Vec<P>, AdError>;
    /// The derivative at `x`, where the results are `y`.
    ///
    /// # Errors
    /// If there is a value but no derivative at `x`, as for eigenvectors of equal eigenvalues. [`call`] returns the
    /// error where a number needs the derivative.
    fn linearize<T: Extension<P>>(&self, x: Vec<Vec<T>>, y: &[T]) -> Result<Self::Map<T>, AdError>;
    /// Whether the maps support this direction; if not, numbers that need it return [`AdError::Unsupported`].
    fn supports(&self, _: Direction) -> bool {
        true
    }
    /// The tangents of the results, in all lanes of `S`, of the active groups among `x`.
    #[track_caller]
    fn tangents<S: TangentLanes<Primal = P, Base = P::Base>>(
        &self,
        map: &Self::Map<S::Part>,
        x: &[&[S]],
        active: &[bool],
        y: Vec<S::Part>,
    ) -> Vec<S> {
        lane_by_lane(&|tangents, out| map.apply(tangents, out), x, active, y)
    }
    /// The results at series of order `n ≥ 1`, from their values and the derivative at the point. The default is `y′
    /// = map(x, y)·x′`. That is one application of a map of order `n − 1` if the map does not read the results, and
    /// `n` applications otherwise; [`by_recurrence`] is cheaper if there is an equation.
    /// # Errors
    /// The errors of [`linearize`](Self::linearize): the default takes the derivative at series.
    fn series<S: Series<Primal = P, Base = P::Base>>(
        &self,
        map: &Self::Map<S::Part>,
        x: &[&[S]],
        y: Vec<S::Part>,
        n: usize,
    ) -> Result<Vec<S>, AdError> {
        by_derivative(self, map, x, y, n)
    }
}

/// The two directions of a linear map.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// From tangents of arguments to tangents of results: [`LinearMap::apply`].
    Jvp,
    /// From cotangents of results to cotangents of arguments: [`LinearMap::apply_transpose_add`].
    Vjp,
}

impl Direction {
    /// An error unless the primitive supports the direction.
    pub(crate) fn demand<P: PrimalNumber>(self, rule: &impl Primitive<P>) -> Result<(), AdError> {
        let name = match self {
            Direction::Jvp => "jvp",
            Direction::Vjp => "vjp",
        };
        if rule.supports(self) { Ok(()) } else { Err(AdError::Unsupported { op: rule.name(), rule: name }) }
    }
}

/// A number made of a value and independent tangents: `Dual` and `DualN`. [`push_forward`] applies primitives to it.
/// ```
/// use wengert::{DualN, primitive::TangentLanes};
/// let x = DualN::new(3.0, [1.0, 10.0]);
/// assert_eq!((DualN::<f64, 2>::LANES, x.lane(1)), (2, 10.0));
/// // x², with the tangent 2x·ẋ in each lane.
/// let y = DualN::assemble(9.0, |lane| 6.0 * x.lane(lane));
/// assert_eq!((y.value(), y.tangents()), (9.0, [6.0, 60.0]));
/// ```
pub trait TangentLanes: Number {
    /// The number of tangents.
    const LANES: usize;
    /// One tangent, for `lane < LANES`.
    ///
    /// # Panics
    /// If there is no such lane. `Dual` has one tangent, which it returns for any `lane`.
    fn lane(&self, lane: usize) -> Self::Part;
    /// The number with this value, and the tangent `lane(i)` for each lane `i`.
    fn assemble(value: Self::Part, lane: impl Fn(usize) -> Self::Part) -> Self;
}

/// Evaluates a primitive at any number: values, tangents, or a block on a tape.
///
/// # Errors
/// The errors of the primitive; `Unsupported` if it lacks the rule that the number type needs; `NotANumber` with the
/// rule `value` if the value is NaN although the arguments are finite, and they have a derivative. For plain numbers
/// and constants the NaN is returned.
///
/// # Panics
/// If the rule returns NaN for finite numbers, here or in a later sweep: see [`NanCheckedMap`].
///
/// ```
/// use wengert::primitive::{call, from_jvp};
/// let value = |x: &[&[f64]]| vec![x[0][0].powi(3)];
/// let cube = from_jvp("cube", 1, value, |x, dx| vec![3.0 * x[0][0].powi(2) * dx[0][0]]);
/// let y = call(&cube, &[&[wengert::Dual::variable(2.0)]])?;
/// assert_eq!((y[0].value(), y[0].tangent()), (8.0, 12.0));
/// # Ok::<(), wengert::AdError>(())
/// ```
#[track_caller]
pub fn call<S: Number, R: Primitive<S::Primal>>(rule: &R, x: &[&[S]]) -> Result<Vec<S>, AdError> {
    S::demand_recordable(x);
    if S::PLAIN { S::lift_primitive(rule, x) } else { S::lift_primitive(&NanChecked(rule.clone()), x) }
}

/// The results of a primitive, and its derivative at `x` as a linear map.
///
/// # Errors
/// The errors of the primitive; `NotANumber` with the rule `value` if the value is NaN although the arguments are
/// finite.
///
/// ```
/// use wengert::{LinearMap, primitive::{from_jvp_and_vjp, linearize}};
/// let product = from_jvp_and_vjp("product", 2, |x| vec![x[0][0] * x[1][0]],
///     |x, dx| vec![dx[0][0] * x[1][0] + x[0][0] * dx[1][0]],
///     |x, dy| vec![vec![x[1][0] * dy[0]], vec![x[0][0] * dy[0]]]);
/// let (y, map) = linearize(&product, &[&[2.0], &[3.0]])?;
/// let mut dx = ([0.0], [0.0]);
/// map.apply_transpose_add(&[1.0], &mut [Some(&mut dx.0), Some(&mut dx.1)]);
/// assert_eq!((y, dx), (vec![6.0], ([3.0], [2.0])));
/// # Ok::<(), wengert::AdError>(())
/// ```
#[allow(clippy::type_complexity)] // results and map
pub fn linearize<T: Number, R: Primitive<T::Primal>>(
    rule: &R,
    x: &[&[T]],
) -> Result<(Vec<T>, NanCheckedMap<R::Map<T>>), AdError> {
    let y = call(rule, x)?;
    let map = linearize_at(rule, x, &y)?;
    Ok((y, map))
}

/// The derivative where the results are known.
pub(crate) fn linearize_at<T: Number, R: Primitive<T::Primal>>(
    rule: &R,
    x: &[&[T]],
    y: &[T],
) -> Result<NanCheckedMap<R::Map<T>>, AdError> {
    NanChecked(rule.clone()).linearize(x.iter().map(|x| x.to_vec()).collect(), y)
}

// These functions do not depend on the primitive, so they are compiled once for each number type.

/// Slices of several vectors.
pub(crate) fn views<T>(groups: &[Vec<T>]) -> Vec<&[T]> {
    groups.iter().map(Vec::as_slice).collect()
}

/// Slices of the vectors that there are.
pub(crate) fn views_of_some<T>(groups: &[Option<Vec<T>>]) -> Vec<Option<&[T]>> {
    groups.iter().map(Option::as_deref).collect()
}

/// As [`views_of_some`], to write to.
pub(crate) fn views_of_some_mut<T>(groups: &mut [Option<Vec<T>>]) -> Vec<Option<&mut [T]>> {
    groups.iter_mut().map(Option::as_deref_mut).collect()
}

/// Zeros as long as each slice that there is.
pub(crate) fn zeros_of_some<T: Number>(groups: &[Option<&mut [T]>]) -> Vec<Option<Vec<T>>> {
    groups.iter().map(|group| group.as_ref().map(|group| vec![T::lit(0.0); group.len()])).collect()
}

/// Groups of other numbers. A named function `f` has no type parameters but those in its type; a closure has all of the
/// function around it.
pub(crate) fn map_groups<S: Copy, T>(x: &[&[S]], f: impl Fn(S) -> T + Copy) -> Vec<Vec<T>> {
    x.iter().map(|group| group.iter().copied().map(f).collect()).collect()
}

/// A primitive at numbers `S` as at the numbers `N` that hold the same parts.
#[track_caller]
pub(crate) fn through<S: Copy, N: Number, R: Primitive<N::Primal>>(
    rule: &R,
    x: &[&[S]],
    into: impl Fn(S) -> N + Copy,
    back: impl Fn(N) -> S,
) -> Result<Vec<S>, AdError> {
    Ok(N::lift_primitive(rule, &views(&map_groups(x, into)))?.into_iter().map(back).collect())
}

/// The values of groups; plain values of the first `held` groups are left out.
pub(crate) fn values_of<S: Copy, T: Number>(
    x: &[&[S]],
    held: usize,
    value: impl Fn(S) -> T + Copy,
) -> Vec<Vec<T>> {
    let held = if T::PLAIN { held } else { 0 };
    let values = |(i, group): (usize, &&[S])| match i < held {
        true => Vec::new(),
        false => group.iter().copied().map(value).collect(),
    };
    x.iter().enumerate().map(values).collect()
}

/// Numbers with these values, without tangents.
pub(crate) fn constants<S: Number>(values: Vec<S::Part>) -> Vec<S> {
    values.into_iter().map(S::of_part).collect()
}

/// Which groups have tangents.
fn active_groups<S: TangentLanes>(x: &[&[S]]) -> Vec<bool> {
    let is_active = |s: &S| (0..S::LANES).any(|l| !s.lane(l).is_exactly_zero());
    x.iter().map(|group| group.iter().any(is_active)).collect()
}

/// A primitive at numbers of lanes: the [`lift_primitive`](Number::lift_primitive) of such a type. Values come first,
/// then the tangents.
///
/// # Errors
/// As [`call`], which also checks for NaN.
///
/// ```
/// use wengert::{AdError, Dual, primitive::{from_jvp, push_forward}};
/// let cube = from_jvp("cube", 1, |x| vec![x[0][0].powi(3)],
///     |x, dx| vec![3.0 * x[0][0].powi(2) * dx[0][0]]);
/// let y = push_forward(&cube, &[&[Dual::variable(2.0)]])?;
/// assert_eq!((y[0].value(), y[0].tangent()), (8.0, 12.0));
/// # Ok::<(), AdError>(())
/// ```
#[track_caller]
pub fn push_forward<S: TangentLanes, R: Primitive<S::Primal>>(
    rule: &R,
    x: &[&[S]],
) -> Result<Vec<S>, AdError> {
    pool::keep_freed(x.iter().map(|group| group.len()).sum());
    let values = values_of(x, R::HELD, S::value_part);
    let y = S::Part::lift_primitive(rule, &views(&values))?;
    let active = active_groups(x);
    if !active.contains(&true) {
        return Ok(constants(y));
    }
    Direction::Jvp.demand(rule)?;
    let map = rule.linearize(values, &y)?;
    Ok(rule.tangents(&map, x, &active, y))
}

/// A linear map of groups, [`LinearMap::apply`], whatever its type.
pub(crate) type Apply<'m, T> = &'m dyn Fn(&[Option<&[T]>], &mut [T]);

/// Its adjoint, [`LinearMap::apply_transpose_add`].
pub(crate) type Transpose<'m, T> = &'m dyn Fn(&[T], &mut [Option<&mut [T]>]);

/// The tangents of active groups in a lane.
fn tangents_in<S: TangentLanes>(lane: usize, x: &[&[S]], active: &[bool]) -> Vec<Option<Vec<S::Part>>> {
    let tangents = |(group, &active): (&&[S], &bool)| active.then(|| lane_of(group, lane));
    x.iter().zip(active).map(tangents).collect()
}

fn lane_of<S: TangentLanes>(x: &[S], lane: usize) -> Vec<S::Part> {
    x.iter().map(|x| x.lane(lane)).collect()
}

/// The tangents of results by one application of the map for each lane.
pub(crate) fn lane_by_lane<S: TangentLanes>(
    apply: Apply<'_, S::Part>,
    x: &[&[S]],
    active: &[bool],
    y: Vec<S::Part>,
) -> Vec<S> {
    let mut out = vec![S::Part::lit(0.0); S::LANES * y.len()];
    for (lane, out) in out.chunks_exact_mut(y.len().max(1)).enumerate() {
        let moves = |t: &Vec<S::Part>| t.iter().any(|t| !t.is_exactly_zero());
        let groups: Vec<_> = tangents_in(lane, x, active).into_iter().map(|t| t.filter(moves)).collect();
        if groups.iter().any(Option::is_some) {
            apply(&views_of_some(&groups), out);
        }
    }
    let result = |(i, &value): (usize, &S::Part)| S::assemble(value, |lane| out[lane * y.len() + i]);
    y.iter().enumerate().map(result).collect()
}
