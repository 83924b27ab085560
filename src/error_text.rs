//! The texts of errors.

use core::fmt;

use crate::error::AdError;
#[cfg(feature = "std")]
use crate::error::PreparedSize;

const DEPENDENT_COLUMNS: &str = "lstsq: the columns are linearly dependent, always if there are more columns than rows; \
                                 `pinv` gives the solution of least norm";

impl fmt::Display for AdError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            AdError::Shape { op, what, expected, got } => {
                write!(f, "{op}: the {what} has length {got}, expected {expected}")
            }
            AdError::TooFew { op, what, least, got } => {
                write!(f, "{op}: {got} {what} given, at least {least} needed")
            }
            AdError::TooMany { op, what, most, got: Some(got) } if got > most => {
                write!(f, "{op}: {got} {what}, at most {most} possible")
            }
            AdError::TooMany { op, what, got: Some(got), .. } => {
                write!(f, "{op}: {got} {what} do not fit in memory")
            }
            AdError::TooMany { op, what, most, got: None } => write!(f, "{op}: more than {most} {what}"),
            AdError::Dimensions { op, what, expected, got } => {
                write!(
                    f,
                    "{op}: the {what} is {} × {}, expected {} × {}",
                    got.0, got.1, expected.0, expected.1
                )
            }
            AdError::Structure { op, what, part } => {
                write!(f, "{op}: the structure of the {what} differs at component {part}")
            }
            AdError::PartialRow { op, what, width: 0, got } => {
                write!(f, "{op}: the {what} has length {got}, expected 0, because rows have no elements")
            }
            AdError::PartialRow { op, what, width, got } => {
                write!(f, "{op}: the {what} has length {got}, expected a multiple of {width}")
            }
            AdError::EmptyInput { op } => write!(f, "{op}: the input is empty"),
            AdError::Singular { op } => match *op {
                "sylvester" => {
                    write!(f, "{op}: λᵢ(A) + λⱼ(B) is zero to rounding for two eigenvalues of A and B")
                }
                "lyapunov" => write!(f, "{op}: λᵢ + conj(λⱼ) is zero to rounding for two eigenvalues of A"),
                "qr" => write!(f, "{op}: the columns are linearly dependent"),
                "lstsq" => f.write_str(DEPENDENT_COLUMNS),
                _ => write!(f, "{op}: the matrix is singular"),
            },
            AdError::NotPositiveDefinite { op, pivot } => {
                write!(f, "{op}: the matrix is not positive definite (pivot {pivot})")
            }
            AdError::NoConvergence { op: op @ "expm" } => {
                write!(f, "{op}: the exponential, or a power on the way to it, overflows")
            }
            AdError::NoConvergence { op } => write!(f, "{op}: the iteration does not converge"),
            AdError::NotFinite { op } => write!(f, "{op}: an entry of the matrix is infinite or NaN"),
            AdError::Degenerate { op, pair: (i, j), gap } => {
                let missing = match *op {
                    "eigenvalues" => "they have no derivative",
                    "symmetric_eigenvalues" => {
                        "beyond first order there is no derivative; for an eigenvalue without an equal take `symmetric_eigenpair`, for a sum over all of them the trace of `symmetric_function`"
                    }
                    "singular_values" => {
                        "beyond first order there is no derivative; for a sum over all of them take the trace of `symmetric_function` of the symmetric factor of `polar`"
                    }
                    "nuclear_norm" | "spectral_norm" => {
                        "derivatives of this order need distinct nonzero values"
                    }
                    _ => "the vectors have no derivative",
                };
                if i == j {
                    return write!(f, "{op}: value {i} is zero to rounding, {gap:e}; {missing}");
                }
                write!(
                    f,
                    "{op}: values {i} and {j} are equal to rounding, with difference {gap:e}; {missing}"
                )
            }
            AdError::Arity { op, what, expected, got } => {
                write!(f, "{op}: {got} {what} given, expected {expected}")
            }
            AdError::NotANumber { op, rule, argument, x, result } => {
                write!(f, "{op}: its {rule} is NaN")?;
                result.map_or(Ok(()), |i| write!(f, " in result {i}"))?;
                argument.map_or(Ok(()), |(group, i)| write!(f, " for argument x[{group}][{i}]"))?;
                x.map_or(Ok(()), |x| write!(f, " = {x}"))?;
                write!(f, ", although all its inputs are finite")
            }
            AdError::NoDirection { op } => {
                write!(f, "{op}: the vector has no direction, its length is zero or not finite")
            }
            AdError::Domain { op, place, eigenvalue, order } => {
                write!(f, "{op} of a matrix: the ")?;
                match order {
                    0 => write!(f, "value")?,
                    _ => write!(f, "derivative of order {order}")?,
                }
                write!(f, " at the eigenvalue {eigenvalue:e} (number {place}) is not a finite float")
            }
            #[cfg(feature = "std")]
            AdError::Prepared { op, arguments } => {
                write!(f, "{op}: prepared for other sizes")?;
                for (i, PreparedSize { name, prepared, given }) in arguments.iter().enumerate() {
                    let (before, verdict) = (if i == 0 { ": " } else { "; " }, prepared == given);
                    let verdict = if verdict { "fits" } else { "does not fit" };
                    write!(f, "{before}{name} prepared {prepared}, given {given} ({verdict})")?;
                }
                Ok(())
            }
            #[cfg(feature = "std")]
            AdError::BranchChanged { op, recorded, location } => write!(
                f,
                "the program was recorded with {op} = {recorded} at {location}, which differs at this point: record it again here"
            ),
            #[cfg(feature = "std")]
            AdError::Saved { reason } => write!(f, "saved program: {reason}"),
            #[cfg(feature = "std")]
            AdError::Points { failed } => match &failed[..] {
                [] => write!(f, "no point failed"),
                [(point, error)] => write!(f, "point {point}: {error}"),
                [(point, error), rest @ ..] => {
                    write!(f, "point {point}: {error} (and {} more points)", rest.len())
                }
            },
            #[cfg(feature = "std")]
            AdError::Row { row, error } => write!(f, "row {row}: {error}"),
            AdError::Unsupported { op, rule: rule @ "second order" } => write!(
                f,
                "{op} has no rule for {rule}: state its formulas as a `primitive::Rule`, at any number; closures \
                 (`from_jvp_and_vjp` and the like) and differences are of first order"
            ),
            AdError::Unsupported { op, rule: rule @ ("jvp" | "vjp") } => write!(
                f,
                "{op} has no rule for {rule}: state both directions, by `from_jvp_and_vjp`, or for second derivatives in a \
                 `primitive::Rule`"
            ),
            AdError::Unsupported { op, rule: rule @ "machine code" } => write!(
                f,
                "{op} is a call here, of a complex function, a matrix function or a primitive, and has no rule for {rule}"
            ),
            AdError::Unsupported { op, rule } => write!(f, "{op} has no rule for {rule}"),
            #[cfg(feature = "std")]
            AdError::Confusion { op, number } => {
                let parts = number
                    .split_inclusive(['<', ' ', ','])
                    .map(|part| part.rsplit(':').next().unwrap_or(part));
                let number: String = parts.collect();
                let outer = number.trim_start_matches("Var<").split('<').next().unwrap_or_default();
                write!(
                    f,
                    "{op}: its function uses a variable of an outer derivative of the type `{number}` or one within it, so its \
                     point must have that type: `{outer}::constant(2.0)` for `2.0`"
                )
            }
        }
    }
}
