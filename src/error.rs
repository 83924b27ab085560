//! Errors.

use core::fmt;

#[cfg(feature = "std")]
pub use crate::source_line::SourceLine;

/// The reason why a derivative could not be computed. Scalar arithmetic returns no errors, it follows IEEE 754;
/// drivers, reductions, matrix functions and primitives do.
///
/// ```
/// let e = wengert::reduce::mean::<f64>(&[]).unwrap_err();
/// assert_eq!(e.to_string(), "mean: the input is empty");
/// assert_eq!(format!("{e:?}"), e.to_string()); // shown by `unwrap`
/// ```
#[derive(Clone, PartialEq)]
#[non_exhaustive]
pub enum AdError {
    /// A wrong length.
    Shape {
        /// The operation.
        op: &'static str,
        /// The object of the wrong length.
        what: &'static str,
        /// The expected length.
        expected: usize,
        /// The actual length.
        got: usize,
    },
    /// Too few elements.
    TooFew {
        /// The operation.
        op: &'static str,
        /// The name of the elements.
        what: &'static str,
        /// The least number needed.
        least: usize,
        /// The actual number.
        got: usize,
    },
    /// Too many elements to count, or to be held in memory.
    TooMany {
        /// The operation.
        op: &'static str,
        /// The name of the elements.
        what: &'static str,
        /// No more are possible.
        most: usize,
        /// The actual number; none if a `usize` overflows before it is known.
        got: Option<usize>,
    },
    /// A wrong shape of a matrix.
    Dimensions {
        /// The operation.
        op: &'static str,
        /// The object of the wrong shape.
        what: &'static str,
        /// The expected rows and columns.
        expected: (usize, usize),
        /// The actual rows and columns.
        got: (usize, usize),
    },
    /// Two values of different structure.
    Structure {
        /// The operation.
        op: &'static str,
        /// The object of the wrong structure.
        what: &'static str,
        /// The index of the first component that differs.
        part: usize,
    },
    /// A list that is not whole rows.
    PartialRow {
        /// The operation.
        op: &'static str,
        /// The list.
        what: &'static str,
        /// The number of elements of a row.
        width: usize,
        /// The actual length.
        got: usize,
    },
    /// An empty input to an operation that has no value there.
    EmptyInput {
        /// The operation.
        op: &'static str,
    },
    /// A singular matrix, or one of deficient rank.
    Singular {
        /// The operation.
        op: &'static str,
    },
    /// A matrix that is not positive definite.
    NotPositiveDefinite {
        /// The operation.
        op: &'static str,
        /// The row of the first pivot that is negative, or zero to rounding.
        pivot: usize,
    },
    /// An iteration that did not converge.
    NoConvergence {
        /// The operation.
        op: &'static str,
    },
    /// A matrix with an entry that is infinite or NaN.
    NotFinite {
        /// The operation.
        op: &'static str,
    },
    /// Eigenvalues or singular values, or their vectors, without a derivative of the needed order, because two values
    /// are equal to rounding, or a singular value is zero.
    Degenerate {
        /// The operation.
        op: &'static str,
        /// The indices of the two values; the same index twice for a singular value that is zero.
        pair: (usize, usize),
        /// The difference between the values, or the value.
        gap: f64,
    },
    /// A wrong number of arguments or results.
    Arity {
        /// The operation.
        op: &'static str,
        /// The name of the counted things.
        what: &'static str,
        /// The expected number.
        expected: usize,
        /// The actual number.
        got: usize,
    },
    /// A rule that returns NaN although all its inputs are finite.
    NotANumber {
        /// The operation.
        op: &'static str,
        /// Which rule: `jvp`, `vjp` or `value`; for implicit results `solution`, or the derivative of the equations.
        rule: &'static str,
        /// The argument with respect to which the derivative is NaN: its group and its index in the group. `None` for a
        /// tangent, which is a sum over all arguments.
        argument: Option<(usize, usize)>,
        /// The value of the argument, if it is known and real.
        x: Option<f64>,
        /// The index of the result whose derivative is NaN. `None` for a cotangent, which is a sum over all results.
        result: Option<usize>,
    },
    /// A vector without a direction: its length is zero or not finite.
    NoDirection {
        /// The operation.
        op: &'static str,
    },
    /// A function of a matrix whose value or derivative at an eigenvalue is not a finite float.
    Domain {
        /// The function.
        op: &'static str,
        /// The index of the eigenvalue, in ascending order.
        place: usize,
        /// The eigenvalue.
        eigenvalue: f64,
        /// The order of the derivative, 0 for the value.
        order: usize,
    },
    /// An operator called with other sizes than it was prepared for.
    #[cfg(feature = "std")]
    Prepared {
        /// The operator.
        op: &'static str,
        /// All arguments with prepared sizes.
        arguments: Vec<PreparedSize>,
    },
    /// A replay of a traced program at a point where the traced code would take another branch.
    #[cfg(feature = "std")]
    BranchChanged {
        /// The guard's condition: `lt`, `is_nan`, …; `value` where a primal number left the program; a primitive that
        /// failed.
        op: &'static str,
        /// The outcome when the program was recorded.
        recorded: String,
        /// The source line of the condition.
        location: SourceLine,
    },
    /// Data that are not a saved program of this version, or that have unknown rules.
    #[cfg(feature = "std")]
    Saved {
        /// The fault.
        reason: String,
    },
    /// A program that fails at some of many points.
    #[cfg(feature = "std")]
    Points {
        /// The indices of these points, from 0, each with its error.
        failed: Vec<(usize, AdError)>,
    },
    /// A row of a sum that has an error.
    #[cfg(feature = "std")]
    Row {
        /// The index of the row, from 0.
        row: usize,
        /// Its error.
        error: Box<AdError>,
    },
    /// An operation without the requested rule.
    Unsupported {
        /// The operation.
        op: &'static str,
        /// The missing rule.
        rule: &'static str,
    },
    /// Perturbation confusion: a derivative within another one of the same number type, or of a type within it, whose
    /// function depends on a number of the outer derivative. Tangents of both would be added up.
    #[cfg(feature = "std")]
    Confusion {
        /// The inner operation.
        op: &'static str,
        /// Its number type.
        number: &'static str,
    },
}

/// The size of an argument, prepared and given: in [`AdError::Prepared`].
#[cfg(feature = "std")]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PreparedSize {
    /// Its name.
    pub name: &'static str,
    /// The prepared number of components.
    pub prepared: usize,
    /// The actual number.
    pub given: usize,
}

impl AdError {
    /// `Ok` if the lengths are equal, else [`AdError::Shape`].
    ///
    /// # Errors
    /// [`AdError::Shape`] with these arguments, if `expected != got`.
    ///
    /// ```
    /// use wengert::AdError;
    /// let e = AdError::check_len("scaled", "matrix", 6, 4).unwrap_err();
    /// assert_eq!(e.to_string(), "scaled: the matrix has length 4, expected 6");
    /// ```
    pub fn check_len(
        op: &'static str,
        what: &'static str,
        expected: usize,
        got: usize,
    ) -> Result<(), AdError> {
        if expected == got { Ok(()) } else { Err(AdError::Shape { op, what, expected, got }) }
    }
    /// This error of a row.
    #[cfg(feature = "programs")]
    pub(crate) fn in_row(self, row: usize) -> AdError {
        AdError::Row { row, error: Box::new(self) }
    }
    /// `Ok` if the numbers are equal, else [`AdError::Arity`].
    #[cfg(feature = "std")]
    pub(crate) fn check_arity(
        op: &'static str,
        what: &'static str,
        expected: usize,
        got: usize,
    ) -> Result<(), AdError> {
        if expected == got { Ok(()) } else { Err(AdError::Arity { op, what, expected, got }) }
    }
    /// `Ok` if the shapes are equal; for two columns the error is [`AdError::Shape`].
    #[cfg(feature = "std")]
    pub(crate) fn check_dimensions(
        op: &'static str,
        what: &'static str,
        expected: (usize, usize),
        got: (usize, usize),
    ) -> Result<(), AdError> {
        if expected == got {
            Ok(())
        } else if (expected.1, got.1) == (1, 1) {
            Err(AdError::Shape { op, what, expected: expected.0, got: got.0 })
        } else {
            Err(AdError::Dimensions { op, what, expected, got })
        }
    }
}

/// Panics unless the numbers are equal: see [`AdError::check_len`].
#[inline]
#[track_caller]
pub(crate) fn demand_len(op: &'static str, what: &'static str, expected: usize, got: usize) {
    if let Err(error) = AdError::check_len(op, what, expected, got) {
        panic!("{error}");
    }
}

/// Prints the text of `Display`, because `unwrap` and `main` show this.
impl fmt::Debug for AdError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl core::error::Error for AdError {}
