//! One function of several results for every mode.

use crate::number::Scalar;
#[cfg(feature = "nalgebra")]
use {
    super::call::{Callable, VectorObject},
    super::forms::request,
    super::function::{Variables, few},
    super::mode::{Pass, Units},
    super::modes::{ForwardChunk, Reverse},
    super::sinks::StructureBuffer,
    crate::duals::DualN,
    crate::number::array::from_fn,
    crate::number::{Number, Real},
    crate::pool::Spare,
    crate::space::{Components, PairLayout},
    nalgebra::{DMatrix, DefaultAllocator, Dim, OMatrix, allocator::Allocator},
    std::ops::Range,
};

/// The columns of a Jacobian in the last group of sixteen at most.
#[cfg(feature = "nalgebra")]
const fn rest(len: Option<usize>) -> Option<usize> {
    match len {
        Some(n @ 1..) => Some((n - 1) % 16 + 1),
        none => none,
    }
}

/// A function ℝⁿ → ℝᵐ at every number type over `f64`, which fills a buffer of its results.
///
/// The buffer holds NaN when the function is called. As for [`Function`](crate::Function), the methods choose mode and
/// lanes; operators of [`prepare`](crate::prepare) take the function by `filling(m)` and `of_object`.
///
/// ```
/// use wengert::VectorFunction;
/// let f = wengert::function!(|x| [x[0] * x[1], x[0].sin()]);
/// # #[cfg(feature = "nalgebra")] {
/// let (y, j) = f.value_and_jacobian(&[2.0, 3.0]);
/// assert_eq!(y, [6.0, 2f64.sin()]);
/// assert_eq!(j, nalgebra::dmatrix![3.0, 2.0; 2f64.cos(), 0.0]);
/// # }
/// use wengert::{Reverse, prepare};
/// let (mut y, mut dx) = ([0.0; 2], [0.0; 2]);
/// let mut vjp = prepare::vjp(Reverse, &[0.0; 2]).filling(2);
/// vjp.of_object(&f).at(&[2.0, 3.0], &[1.0, 10.0], &mut y, &mut dx)?;
/// assert_eq!(dx, [3.0 + 10.0 * 2f64.cos(), 2.0]);
/// # Ok::<(), wengert::AdError>(())
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a function of several results",
    note = "`function!(|x| [a, b])` has two results and `function!(|x| [a])` one; `function!(|x, y: [_; N]| …)` fills a buffer"
)]
pub trait VectorFunction {
    /// The number of results for `n` arguments.
    fn outputs(&self, n: usize) -> usize;
    /// The function: fills `y`.
    fn call<T: Scalar>(&self, x: &[T], y: &mut [T]);

    /// `J(x)`, outputs × inputs; by forward mode, 16 columns in each evaluation, unless there are more than 12 inputs
    /// more than outputs: then by reverse mode, one evaluation.
    #[cfg(feature = "nalgebra")]
    fn jacobian<T: Scalar, X: Variables<T> + ?Sized>(&self, x: &X) -> DMatrix<T> {
        self.value_and_jacobian(x).1
    }
    /// `(f(x), J(x))`.
    #[cfg(feature = "nalgebra")]
    fn value_and_jacobian<T: Scalar, X: Variables<T> + ?Sized>(&self, x: &X) -> (Vec<T>, DMatrix<T>) {
        let n = x.borrow().len();
        let m = self.outputs(n);
        let (mut y, mut out) = (vec![T::lit(0.0); m], DMatrix::from_element(m, n, T::lit(0.0)));
        self.value_and_jacobian_into(x, &mut y, &mut out);
        (y, out)
    }
    /// Writes `f(x)` and `J(x)` to buffers, a matrix of any kind. Nothing is allocated after the first call.
    ///
    /// # Panics
    /// If a buffer does not fit.
    /// ```
    /// use wengert::VectorFunction;
    /// let f = wengert::function!(|x| [x[0] * x[1], x[0]]);
    /// let (mut y, mut j) = ([0.0; 2], nalgebra::DMatrix::zeros(2, 2));
    /// f.value_and_jacobian_into(&[2.0, 3.0], &mut y, &mut j);
    /// assert_eq!((y, j), ([6.0, 2.0], nalgebra::dmatrix![3.0, 2.0; 1.0, 0.0]));
    /// let mut j = nalgebra::Matrix2::zeros();
    /// f.value_and_jacobian_into(&[2.0, 3.0], &mut y, &mut j);
    /// assert_eq!(j, nalgebra::matrix![3.0, 2.0; 1.0, 0.0]);
    /// ```
    #[cfg(feature = "nalgebra")]
    #[track_caller]
    fn value_and_jacobian_into<T, X, R, C>(&self, x: &X, y: &mut [T], out: &mut OMatrix<T, R, C>)
    where
        T: Scalar,
        X: Variables<T> + ?Sized,
        R: Dim,
        C: Dim,
        DefaultAllocator: Allocator<R, C>,
    {
        let x: &[T] = x.borrow();
        let (n, m) = (x.len(), self.outputs(x.len()));
        macro_rules! columns {
            ($mode:expr, $x:expr, $range:expr) => {
                jacobian_onto($mode, VectorObject(self, Spare::new().clear(m), m), $x, $range, y, out)
            };
        }
        if may_be!(X::LEN, 13..) && n > 12 + m {
            return columns!(Reverse, x, 0..m);
        }
        // Sixteen at a time, the rest by the smallest width that holds them.
        let first = n - n % 16;
        if may_be!(X::LEN, 16..) && first > 0 {
            columns!(ForwardChunk::<16>, x, 0..first);
        }
        // An array of known length gains up to six columns; with more the slice is faster.
        macro_rules! last {
            ($mode:expr $(, $n:literal)?) => {{
                $(if const { matches!(X::LEN, Some($n)) && $n <= 6 } && small_jacobian(self, few::<_, $n>(x), m, y, out) {
                    return;
                })?
                columns!($mode, x, first..n)
            }};
        }
        if first == 0 || n > first {
            of_width!(n - first, rest(X::LEN), last, ForwardChunk::<16>);
        }
    }
}

/// Most results whose numbers are on the stack.
#[cfg(feature = "nalgebra")]
const FEW_RESULTS: usize = 8;

/// Writes value and Jacobian with all numbers on the stack, for few variables and results; false for other buffers. Numbers of
/// an outer derivative cannot be in a function of every number type, so levels are not checked.
#[cfg(feature = "nalgebra")]
#[inline]
#[track_caller]
fn small_jacobian<T: Scalar, F: VectorFunction + ?Sized, R: Dim, C: Dim, const N: usize>(
    f: &F,
    x: &[T; N],
    m: usize,
    y: &mut [T],
    out: &mut OMatrix<T, R, C>,
) -> bool
where
    DefaultAllocator: Allocator<R, C>,
{
    if m > FEW_RESULTS || y.len() != m || out.shape() != (m, N) {
        return false;
    }
    let mut results = [DualN::<T, N>::constant(T::lit(f64::NAN)).nan_like(); FEW_RESULTS];
    let results = &mut results[..m];
    let unit = |k: usize| from_fn(|lane| T::lit(if lane == k { 1.0 } else { 0.0 }));
    f.call(&from_fn::<_, N, _>(|k| DualN::new(x[k], unit(k))), results);
    y.iter_mut().zip(&*results).for_each(|(y, result)| *y = result.value());
    for (k, column) in out.as_mut_slice().chunks_exact_mut(m.max(1)).enumerate() {
        column.iter_mut().zip(&*results).for_each(|(d, result)| *d = result.tangents()[k]);
    }
    true
}

/// Writes the value, and columns or rows of the Jacobian by a mode.
#[cfg(feature = "nalgebra")]
#[inline(never)]
#[track_caller]
fn jacobian_onto<T: Real, M: Pass, X: Components<T> + ?Sized, R: Dim, C: Dim>(
    mode: M,
    f: impl Callable<M::Number<T>, X::Arg<M::Number<T>>, Out = [M::Number<T>]>,
    x: &X,
    units: Range<usize>,
    y: &mut [T],
    out: &mut OMatrix<T, R, C>,
) where
    DefaultAllocator: Allocator<R, C>,
{
    request::<_, T, PairLayout, _, _>("jacobian", mode, x, |work| {
        let value = StructureBuffer::<T, _, PairLayout>::new("value buffer", y);
        work.jacobian(f, &Units::of(units), value, out).map(drop)
    });
}

impl<F: VectorFunction + ?Sized> VectorFunction for &F {
    fn outputs(&self, n: usize) -> usize {
        (**self).outputs(n)
    }
    fn call<T: Scalar>(&self, x: &[T], y: &mut [T]) {
        (**self).call(x, y)
    }
}
