//! Functions of matrices in a trace: one operation each, which a replay calls again.

use crate::error::AdError;
use crate::lift::{Operation, map_groups, views};
use crate::matrix::entry::Entry;
use crate::number::{Number, Real};

/// Records a function of matrices over `S` as one operation, if `S` is traced; otherwise nothing, at no cost. An
/// operation has a name, matrices, data of its own, and an expression for its results, over matrices of any numbers
/// `S` and its data.
macro_rules! operation {
    (
        $name:expr, [$($a:ident),+] $({$($data:ident: $Data:ty),+})? $(<$U:ident: $Bound:path>)? => $results:expr
    ) => {{
        struct RecordedCall$(<$U>)? {
            name: &'static str,
            shapes: [(usize, usize); [$(stringify!($a)),+].len()],
            data: ($($($Data,)+)?),
        }
        impl<P: $crate::number::PrimalNumber $(, $U: $Bound)?> $crate::lift::Operation<P> for RecordedCall$(<$U>)? {
            fn name(&self) -> &'static str {
                self.name
            }
            fn call<S: $crate::lift::OperationNumber<P>>(
                &self,
                x: &[&[S]],
            ) -> Result<Vec<S>, $crate::error::AdError> {
                let ($($($data,)+)?) = self.data;
                let mut groups = self.shapes.iter().zip(x);
                let mut matrix = || {
                    let (&(m, n), x) = groups.next().expect("a group for each matrix");
                    nalgebra::DMatrix::from_column_slice(m, n, x)
                };
                $(let $a = &matrix();)+
                Ok($results)
            }
        }
        let function =
            || RecordedCall { name: $name, shapes: [$($a.shape()),+], data: ($($($data,)+)?) };
        $crate::matrix::operation::recorded(function, &[$($a.as_slice()),+])
    }};
}
pub(crate) use operation;

/// Returns the matrix of this shape from the function around it, if the function is recorded as one operation.
macro_rules! return_recorded {
    ($shape:expr, $($operation:tt)+) => {
        if let Some(y) = $crate::matrix::operation::operation!($($operation)+) {
            let (rows, columns) = $shape;
            return y.map(|y| nalgebra::OMatrix::from_vec_generic(rows, columns, y));
        }
    };
}
pub(crate) use return_recorded;

/// An operation on these groups. Numbers on tapes that cannot be recorded together are reported here, at the line of
/// the user: small matrices are eliminated number by number.
#[cfg_attr(not(debug_assertions), inline(always))]
#[track_caller]
pub(crate) fn recorded<S: Entry, F: Operation<S::Primal>>(
    function: impl FnOnce() -> F,
    x: &[&[S]],
) -> Option<Result<Vec<S>, AdError>> {
    S::demand_one_tape(x);
    if !S::Re::TRACED {
        return None;
    }
    let y = S::Number::lift_operation(function(), &views(&map_groups(x, S::as_number)))?;
    Some(y.map(|y| y.into_iter().map(S::from_number).collect()))
}

/// Real results as numbers of the operation.
pub(crate) fn of_reals<S: Entry>(y: &[S::Re]) -> Vec<S> {
    y.iter().map(|&y| S::of_real(y)).collect()
}

/// The results of a recorded operation that always has some: a function without errors, or one of a matrix that a trace
/// holds because it has factors.
#[track_caller]
pub(crate) fn always<S: Entry>(recorded: Option<Result<Vec<S>, AdError>>) -> Vec<S> {
    recorded.expect("the numbers are traced").expect("there are results")
}
