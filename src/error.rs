//! What can go wrong, by name.

use core::fmt;

/// Why a derivative cannot be had. Scalar arithmetic gives no errors (IEEE in, IEEE out); drivers and reductions
/// name what was expected and what was given.
///
/// ```
/// let e = wengert::reduce::mean::<f64>(&[]).unwrap_err();
/// assert_eq!(e.to_string(), "mean: the input is empty");
/// assert_eq!(format!("{e:?}"), e.to_string()); // what `unwrap` shows
/// ```
#[derive(Clone, PartialEq)]
#[non_exhaustive]
pub enum AdError {
    /// Two lengths that must agree do not.
    Shape {
        /// The operation that was asked for.
        op: &'static str,
        /// What has the wrong length.
        what: &'static str,
        /// The length that it must have.
        expected: usize,
        /// The length that it has.
        got: usize,
    },
    /// Fewer of something than are needed.
    TooFew {
        /// The operation that was asked for.
        op: &'static str,
        /// What there are too few of.
        what: &'static str,
        /// The least number.
        least: usize,
        /// The number given.
        got: usize,
    },
    /// More of something than can be counted.
    TooMany {
        /// The operation that was asked for.
        op: &'static str,
        /// What there are too many of.
        what: &'static str,
        /// The greatest number.
        most: usize,
    },
    /// Two shapes (rows, columns) that must agree do not.
    Dimensions {
        /// The operation that was asked for.
        op: &'static str,
        /// What has the wrong shape.
        what: &'static str,
        /// The rows and columns that it must have.
        expected: (usize, usize),
        /// The rows and columns that it has.
        got: (usize, usize),
    },
    /// Two structures that must agree do not.
    Structure {
        /// The operation that was asked for.
        op: &'static str,
        /// What has the wrong structure.
        what: &'static str,
        /// The first part that differs, counted from 0 in the order of the components.
        part: usize,
    },
    /// An operation that has no value on an empty input.
    EmptyInput {
        /// The operation that was asked for.
        op: &'static str,
    },
    /// A matrix without an inverse, or one of too low a rank.
    Singular {
        /// The operation that was asked for.
        op: &'static str,
    },
    /// A matrix that is not positive definite.
    NotPositiveDefinite {
        /// The operation that was asked for.
        op: &'static str,
        /// The row of the first pivot that is not positive, or zero to rounding.
        pivot: usize,
    },
    /// An iteration that did not reach its result.
    NoConvergence {
        /// The operation that was asked for.
        op: &'static str,
    },
    /// Eigenvectors or singular vectors that have no derivative, as two of their values are equal.
    Degenerate {
        /// The operation that was asked for.
        op: &'static str,
        /// The places of the two values.
        pair: (usize, usize),
        /// The distance between them.
        gap: f64,
    },
    /// Another number of arguments or results than there should be.
    Arity {
        /// The operation that was asked for.
        op: &'static str,
        /// What there should be another number of.
        what: &'static str,
        /// The number that there should be.
        expected: usize,
        /// The number given.
        got: usize,
    },
    /// A rule that gives NaN where everything that it was given is finite.
    NotANumber {
        /// The operation.
        op: &'static str,
        /// The rule of it: `jvp`, `vjp`, `value`; of implicit results their `solution`, or the derivative of their
        /// equations.
        rule: &'static str,
        /// The argument with respect to which the derivative is NaN: its group and its place there. The place of
        /// the cotangent that is NaN; of a tangent that is NaN, unless more than one argument makes it so.
        argument: Option<(usize, usize)>,
        /// The argument itself, where it is known and real.
        x: Option<f64>,
        /// The result whose derivative is NaN: the place of the tangent that is NaN; of a cotangent, unless more
        /// than one result makes it so.
        result: Option<usize>,
    },
    /// A vector without a direction: of length zero, or of one that is not finite.
    NoDirection {
        /// The operation that was asked for.
        op: &'static str,
    },
    /// A function of a matrix that has no finite value, or derivative, at an eigenvalue.
    Domain {
        /// The function.
        op: &'static str,
        /// The place of the eigenvalue, from the least.
        place: usize,
    },
    /// An operator that was prepared for other sizes.
    #[cfg(feature = "std")]
    Prepared {
        /// The operator.
        op: &'static str,
        /// All arguments whose sizes are prepared.
        arguments: Vec<Argument>,
    },
    /// An operation without the rule that is asked for.
    Unsupported {
        /// The operation.
        op: &'static str,
        /// The rule that it does not have.
        rule: &'static str,
    },
}

/// An argument of an operator that was prepared for other sizes.
#[cfg(feature = "std")]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Argument {
    /// What it is.
    pub name: &'static str,
    /// The number of components that was prepared.
    pub prepared: usize,
    /// The number given.
    pub given: usize,
}

impl AdError {
    /// `Ok` if two lengths agree, else [`AdError::Shape`].
    ///
    /// # Errors
    /// `Shape` with what is given here.
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
    /// `Ok` if there are as many as there should be.
    #[cfg(feature = "std")]
    pub(crate) fn check_arity(
        op: &'static str,
        what: &'static str,
        expected: usize,
        got: usize,
    ) -> Result<(), AdError> {
        if expected == got { Ok(()) } else { Err(AdError::Arity { op, what, expected, got }) }
    }
    /// `Ok` if the shapes agree, for drivers; two columns are said to differ in length.
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

impl fmt::Display for AdError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            AdError::Shape { op, what, expected, got } => {
                write!(f, "{op}: the {what} has length {got}, expected {expected}")
            }
            AdError::TooFew { op, what, least, got } => {
                write!(f, "{op}: {got} {what} given, at least {least} needed")
            }
            AdError::TooMany { op, what, most } => write!(f, "{op}: more than {most} {what}"),
            AdError::Dimensions { op, what, expected, got } => {
                write!(
                    f,
                    "{op}: the {what} is {} × {}, expected {} × {}",
                    got.0, got.1, expected.0, expected.1
                )
            }
            AdError::Structure { op, what, part } => {
                write!(f, "{op}: the structure of the {what} differs at part {part}")
            }
            AdError::EmptyInput { op } => write!(f, "{op}: the input is empty"),
            AdError::Singular { op } => write!(f, "{op}: the matrix is singular"),
            AdError::NotPositiveDefinite { op, pivot } => {
                write!(f, "{op}: the matrix is not positive definite (pivot {pivot})")
            }
            AdError::NoConvergence { op } => write!(f, "{op}: the iteration does not converge"),
            AdError::Degenerate { op, pair: (i, j), gap } => {
                write!(f, "{op}: the vectors {i} and {j} have no derivative, their values are {gap:e} apart")
            }
            AdError::Arity { op, what, expected, got } => {
                write!(f, "{op}: {got} {what} given, expected {expected}")
            }
            AdError::NotANumber { op, rule, argument, x, result } => {
                write!(f, "{op}: its {rule} is NaN")?;
                result.map_or(Ok(()), |i| write!(f, " in result {i}"))?;
                argument.map_or(Ok(()), |(group, i)| write!(f, " for argument x[{group}][{i}]"))?;
                x.map_or(Ok(()), |x| write!(f, " = {x}"))?;
                write!(f, ", though all that it was given is finite")
            }
            AdError::NoDirection { op } => write!(f, "{op}: a vector of this length has no direction"),
            AdError::Domain { op, place } => {
                write!(f, "{op} of a matrix: no finite value or derivative at eigenvalue {place}")
            }
            #[cfg(feature = "std")]
            AdError::Prepared { op, arguments } => {
                write!(f, "{op}: prepared for other sizes")?;
                for (i, Argument { name, prepared, given }) in arguments.iter().enumerate() {
                    let (before, verdict) = (if i == 0 { ": " } else { "; " }, prepared == given);
                    let verdict = if verdict { "fits" } else { "does not fit" };
                    write!(f, "{before}{name} prepared {prepared}, given {given} ({verdict})")?;
                }
                Ok(())
            }
            AdError::Unsupported { op, rule } => write!(f, "{op} has no rule for {rule}"),
        }
    }
}

/// The text, which is what `unwrap` and a `main` that returns an error show.
impl fmt::Debug for AdError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl core::error::Error for AdError {}
