//! Results that are defined by equations. The derivative follows from the equations, not from the method that found
//! the result.

use nalgebra::{DMatrix, DVector, Dyn};
use num_traits::Float;

use super::{lengths, on_real, real};
use crate::duals::{Dual, DualN};
use crate::error::AdError;
use crate::lift::{
    self, Extension, Primitive, Series, TangentLanes, constants, image, map_groups, views, views_of_some,
};
use crate::linear_map::LinearMap;
use crate::matrix::Lu;
use crate::number::{BaseFloat, Number, Passive, PrimalNumber, Real};
use crate::tapes::{Tape, Var};

/// Equations `g(x, y) = 0` that define `y` as a function of groups of parameters `x`, one equation for each unknown.
///
/// ```
/// use wengert::{AdError, Real, derivative, second_derivative, primitive::{root, Equations}};
/// /// y² = x, by Heron's iteration.
/// #[derive(Clone)]
/// struct Heron;
/// impl Equations for Heron {
///     fn name(&self) -> &'static str { "heron" }
///     fn solution(&self, x: &[&[f64]]) -> Result<Vec<f64>, AdError> {
///         let (x, mut y) = (x[0][0], x[0][0]);
///         for _ in 0..60 { y = 0.5 * (y + x / y) }
///         Ok(vec![y])
///     }
///     fn residual<T: Real<Base = f64>>(&self, x: &[&[T]], y: &[T]) -> Vec<T> {
///         vec![y[0] * y[0] - x[0][0]]
///     }
/// }
/// assert_eq!(derivative(|x| root(&Heron, &[&[x]]).unwrap()[0], 4.0), 0.25);
/// assert_eq!(second_derivative(|x| root(&Heron, &[&[x]]).unwrap()[0], 4.0), -1.0 / 32.0);
/// ```
pub trait Equations<F: BaseFloat = f64>: Clone + Passive + Send + Sync + 'static {
    /// The name, for messages.
    fn name(&self) -> &'static str;
    /// The number of groups of arguments, if it is fixed: another number is then an error.
    fn arity(&self) -> Option<usize> {
        None
    }
    /// Checks the lengths of the groups, before anything is computed; see [`Rule::check`](super::Rule::check).
    ///
    /// # Errors
    /// If a length is wrong, usually from [`AdError::check_len`].
    fn check(&self, _lengths: &[usize]) -> Result<(), AdError> {
        Ok(())
    }
    /// The unknowns, found by any method.
    ///
    /// # Errors
    /// If no solution is found, for example [`AdError::NoConvergence`]; [`root`] returns the error.
    fn solution(&self, x: &[&[F]]) -> Result<Vec<F>, AdError>;
    /// `g(x, y)`, as many numbers as `y` has.
    fn residual<T: Real<Base = F>>(&self, x: &[&[T]], y: &[T]) -> Vec<T>;
}

/// The root `y(x)` of equations, with `g_y ẏ = −g_x ẋ` and `x̄ = −g_xᵀ g_y⁻ᵀ ȳ` (implicit function theorem). The
/// iteration that finds the root is not differentiated.
///
/// `g_y` is a forward-mode Jacobian, with eight columns for each evaluation of the residual, and is factorised once.
/// `g_x` is not formed: `g_x ẋ` takes one evaluation for all tangents, `g_xᵀ w` one evaluation with a backward sweep.
/// Constant groups cost nothing in either.
///
/// # Errors
/// The errors of the check and the solution; `Arity` if the number of groups is wrong. With derivatives also
/// `Singular` if `g_y` is singular, `NotANumber` if `g_y` or the solution is NaN although all inputs are finite, and
/// `Shape` if the numbers of equations and unknowns differ.
///
/// The crate does not check that the solution satisfies the equations, because the acceptable size of a residual
/// depends on the size of its terms, which is unknown here. If it does not, the derivative is wrong.
///
/// # Panics
/// If the residual has NaN derivatives although all inputs are finite, as for [`call`](crate::primitive::call).
///
/// ```
/// use wengert::{AdError, Real, gradient, primitive::{root, Equations}};
/// /// The intersection of the lines ax + by = c: normals (a, b, a′, b′), offsets (c, c′).
/// #[derive(Clone)]
/// struct Crossing;
/// impl Equations for Crossing {
///     fn name(&self) -> &'static str { "crossing" }
///     fn check(&self, lengths: &[usize]) -> Result<(), AdError> {
///         AdError::check_len("crossing", "list of groups", 2, lengths.len())?;
///         AdError::check_len("crossing", "group of normals", 4, lengths[0])
///     }
///     fn solution(&self, x: &[&[f64]]) -> Result<Vec<f64>, AdError> {
///         let (n, c) = (x[0], x[1]);
///         let det = n[0] * n[3] - n[1] * n[2];
///         Ok(vec![(c[0] * n[3] - n[1] * c[1]) / det, (n[0] * c[1] - c[0] * n[2]) / det])
///     }
///     fn residual<T: Real<Base = f64>>(&self, x: &[&[T]], y: &[T]) -> Vec<T> {
///         let (n, c) = (x[0], x[1]);
///         vec![n[0] * y[0] + n[1] * y[1] - c[0], n[2] * y[0] + n[3] * y[1] - c[1]]
///     }
/// }
/// // Offsets are variables, normals constants: the gradient is a row of the inverse.
/// let normals = [2.0, 1.0, 1.0, 1.0].map(wengert::Var::constant);
/// let g = gradient(|c| root(&Crossing, &[&normals, c]).unwrap()[0], &[3.0, 2.0]);
/// assert_eq!(g, [1.0, -1.0]);
/// let wrong = root(&Crossing, &[&[1.0; 3], &[1.0; 2]]).unwrap_err();
/// assert_eq!(wrong.to_string(), "crossing: the group of normals has length 3, expected 4");
/// ```
#[track_caller]
pub fn root<S: Real, E: Equations<S::Base>>(equations: &E, x: &[&[S]]) -> Result<Vec<S>, AdError> {
    lift::call(&Root(equations.clone()), x)
}

#[derive(Clone)]
struct Root<E>(E);

/// Lanes of the Jacobian.
pub(super) const LANES: usize = 8;

impl<P: PrimalNumber, E: Equations<P::Base>> Primitive<P> for Root<E> {
    type Map<T: Extension<P>> = Implicit<E, T>;
    fn name(&self) -> &'static str {
        self.0.name()
    }
    fn value(&self, x: &[&[P]]) -> Result<Vec<P>, AdError> {
        let name = self.0.name();
        AdError::check_arity(name, "groups of arguments", self.0.arity().unwrap_or(x.len()), x.len())?;
        self.0.check(&lengths(x))?;
        on_real(name, x, |x| self.0.solution(x))
    }
    fn linearize<T: Extension<P>>(&self, x: Vec<Vec<T>>, y: &[T]) -> Result<Self::Map<T>, AdError> {
        let parts = |group: Vec<T>| group.into_iter().map(Number::re).collect();
        let (x, y): (Vec<Vec<T::Re>>, _) = (x.into_iter().map(parts).collect(), real(y));
        if let Some(result) = lost(&x, &y) {
            return Err(self.not_a_number("solution", Some(result)));
        }
        let by_y = self.by_unknowns(&x, &y)?;
        let factors = Lu::new(&by_y).map_err(|_| self.unsolvable(&by_y, x.iter().flatten().chain(&y)))?;
        Ok(Implicit { equations: self.0.clone(), factors, x, y })
    }
    fn tangents<S: TangentLanes<Primal = P, Base = P::Base>>(
        &self,
        map: &Implicit<E, S::Part>,
        x: &[&[S]],
        _: &[bool],
        y: Vec<S::Part>,
    ) -> Vec<S> {
        // All lanes in one evaluation, at the number type of the caller.
        let constants: Vec<S::Re> = y.iter().map(|&y| S::of_part(y).re()).collect();
        let g = map.equations.residual(&views(&map_groups(x, Number::re)), &constants);
        with_lanes(y, &solved(&map.factors, lanes_of::<S>(&g)))
    }
    /// By Newton's method, which doubles the known orders: `y ← y − g_y⁻¹ g(x, y)`.
    fn series<S: Series<Primal = P, Base = P::Base>>(
        &self,
        map: &Implicit<E, S::Part>,
        x: &[&[S]],
        y: Vec<S::Part>,
        n: usize,
    ) -> Result<Vec<S>, AdError> {
        let (x_all, len) = (x, y.len());
        let first: Vec<Option<Vec<S::Part>>> =
            x_all.iter().map(|x| Some(x.iter().map(|x| x.order_part(1)).collect())).collect();
        let first = image(map, &views_of_some(&first), len);
        let mut orders = vec![y, first];
        while orders.len() <= n {
            let (known, next) = (orders.len() - 1, n.min(2 * orders.len() - 1));
            let at = |order: usize| -> (Vec<Vec<S::Re>>, Vec<S::Re>) {
                let x = x_all.iter().map(|x| x.iter().map(|x| x.cut_to(order).re()).collect()).collect();
                let zero = S::Part::lit(0.0);
                let part = |i: usize| S::of_orders(order, |k| orders.get(k).map_or(zero, |y| y[i]));
                (x, (0..len).map(|i| part(i).re()).collect())
            };
            let (x, y) = at(next);
            let g = self.0.residual(&views(&x), &y);
            AdError::check_len(self.0.name(), "residual", len, g.len())?;
            // The residual begins at the first unknown order.
            let reach = next - known - 1;
            let g = DVector::from_fn(len, |i, _| {
                let g = S::from_re(g[i]);
                S::of_orders(reach, |k| g.order_part(k + known + 1)).re()
            });
            let (x, y) = at(reach);
            let by_y = self.by_unknowns(&x, &y)?;
            let factors = Lu::new(&by_y).map_err(|_| self.unsolvable(&by_y, x.iter().flatten().chain(&y)))?;
            let step: Vec<S> = factors.solve(&-g).iter().map(|&d| S::from_re(d)).collect();
            orders.extend((0..=reach).map(|k| step.iter().map(|d| d.order_part(k)).collect::<Vec<_>>()));
        }
        Ok((0..len).map(|i| S::of_orders(n, |k| orders[k][i])).collect())
    }
}

/// The first unknown that is NaN although the arguments are finite.
fn lost<T: Real>(x: &[Vec<T>], y: &[T]) -> Option<usize> {
    let lost = y.iter().position(|y| Float::is_nan(y.primal().to_double()));
    lost.filter(|_| x.iter().flatten().all(|x| x.all_finite()))
}

/// The tangents of numbers, a column for each lane.
fn lanes_of<S: TangentLanes>(g: &[S::Re]) -> DMatrix<<S::Part as Number>::Re> {
    DMatrix::from_fn(g.len(), S::LANES, |row, lane| S::from_re(g[row]).lane(lane).re())
}

/// Numbers with these tangents.
fn with_lanes<S: TangentLanes>(y: Vec<S::Part>, dy: &DMatrix<<S::Part as Number>::Re>) -> Vec<S> {
    let result = |(row, &y): (usize, &S::Part)| S::assemble(y, |lane| S::Part::from_re(dy[(row, lane)]));
    y.iter().enumerate().map(result).collect()
}

/// `−g_y⁻¹ dg`.
fn solved<T: Real>(factors: &Lu<T, Dyn>, dg: DMatrix<T>) -> DMatrix<T> {
    factors.solve(&-dg)
}

pub(super) fn constants_in_lanes<T: Number>(x: &[T]) -> Vec<DualN<T, LANES>> {
    x.iter().map(|&x| DualN::constant(x)).collect()
}

impl<E> Root<E> {
    /// Why `g_y` has no factors.
    fn unsolvable<'a, F: BaseFloat, T: Real<Base = F>>(
        &self,
        by_y: &DMatrix<T>,
        mut point: impl Iterator<Item = &'a T>,
    ) -> AdError
    where
        E: Equations<F>,
    {
        if by_y.iter().any(|g| g.value_sum().to_double().is_nan()) && point.all(|x| x.all_finite()) {
            return self.not_a_number("derivative with respect to the unknowns", None);
        }
        AdError::Singular { op: self.0.name() }
    }
    fn not_a_number<F: BaseFloat>(&self, rule: &'static str, result: Option<usize>) -> AdError
    where
        E: Equations<F>,
    {
        AdError::NotANumber { op: self.0.name(), rule, argument: None, x: None, result }
    }
    /// `g_y`, a few columns at a time.
    fn by_unknowns<F: BaseFloat, T: Real<Base = F>>(
        &self,
        x: &[Vec<T>],
        y: &[T],
    ) -> Result<DMatrix<T>, AdError>
    where
        E: Equations<F>,
    {
        let mut x_all = Vec::with_capacity(x.len());
        for group in x {
            x_all.push(constants_in_lanes(group));
        }
        let mut seeded = constants_in_lanes(y);
        let mut by_y = DMatrix::from_element(y.len(), y.len(), T::lit(0.0));
        for first in (0..y.len()).step_by(LANES) {
            let chunk = first..y.len().min(first + LANES);
            for i in chunk.clone() {
                seeded[i] = DualN::variable(y[i], i - first);
            }
            let rows = self.0.residual(&views(&x_all), &seeded);
            AdError::check_len(self.0.name(), "residual", y.len(), rows.len())?;
            for j in chunk {
                for (i, row) in rows.iter().enumerate() {
                    by_y[(i, j)] = row.tangents()[j - first];
                }
                seeded[j] = DualN::constant(y[j]);
            }
        }
        Ok(by_y)
    }
}

/// The derivative of a root: factors of `g_y`, and the equations where they hold.
pub struct Implicit<E, T: Number> {
    equations: E,
    factors: Lu<T::Re, Dyn>,
    x: Vec<Vec<T::Re>>,
    y: Vec<T::Re>,
}

/// The arguments with these tangents.
fn moved<T: Number>(x: &[Vec<T::Re>], tangents: &[Option<&[T]>]) -> Vec<Vec<Dual<T::Re>>> {
    let moved = |(x, dx): (&Vec<T::Re>, &Option<&[T]>)| match dx {
        Some(dx) => x.iter().zip(*dx).map(|(&x, dx)| Dual::new(x, dx.re())).collect(),
        None => constants(x.clone()),
    };
    x.iter().zip(tangents).map(moved).collect()
}

/// Subtracts `g_xᵀ g_y⁻ᵀ w`.
fn subtract_pulled<T: Number>(
    tape: &Tape<T::Re>,
    g: &[Var<T::Re>],
    factors: &Lu<T::Re, Dyn>,
    w: &[T::Re],
    x: &[Vec<Var<T::Re>>],
    out: &mut [Option<&mut [T]>],
) {
    let w = factors.solve_transpose(&DVector::from_column_slice(w));
    let sums = tape.cotangents_of(&g.iter().copied().zip(w.iter().copied()).collect::<Vec<_>>());
    for (out, x) in out.iter_mut().zip(x) {
        let pairs = out.iter_mut().flat_map(|out| out.iter_mut()).zip(x);
        pairs.for_each(|(out, &x)| *out -= T::from_re(sums.of(x)));
    }
}

impl<F: BaseFloat, E: Equations<F>, T: Number<Base = F>> LinearMap<T> for Implicit<E, T> {
    fn apply(&self, tangents: &[Option<&[T]>], out: &mut [T]) {
        let dg = self.equations.residual(&views(&moved(&self.x, tangents)), &constants(self.y.clone()));
        let dy = solved(&self.factors, lanes_of::<Dual<T::Re>>(&dg));
        for (out, &dy) in out.iter_mut().zip(dy.as_slice()) {
            *out = T::from_re(dy);
        }
    }
    fn apply_transpose_add(&self, cotangent: &[T], out: &mut [Option<&mut [T]>]) {
        let tape = Tape::new();
        let x = tape.variables_of_some(&self.x, out.iter().map(Option::is_some));
        let g = self.equations.residual(&views(&x), &constants(self.y.clone()));
        subtract_pulled(&tape, &g, &self.factors, &real(cotangent), &x, out);
    }
    fn argument(&self, group: usize, index: usize) -> Option<T> {
        Some(T::from_re(self.x[group][index]))
    }
    fn name(&self) -> &'static str {
        self.equations.name()
    }
    fn bytes(&self) -> usize {
        let known = self.x.iter().map(|x| size_of_val(&x[..])).sum::<usize>() + size_of_val(&self.y[..]);
        known + size_of::<T::Re>() * self.y.len() * self.y.len()
    }
}
