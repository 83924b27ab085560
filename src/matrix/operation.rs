//! Functions of matrices in a trace: one operation each, which a replay calls again.

use crate::error::AdError;
use crate::lift::{Operation, map_groups, views};
use crate::matrix::entry::Entry;
use crate::number::Real;

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
        impl$(<$U: $Bound>)? $crate::lift::Operation for RecordedCall$(<$U>)? {
            fn name(&self) -> &'static str {
                self.name
            }
            fn call<S: $crate::number::Real<Base = f64, Primal = f64>>(
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

/// An operation on these groups. Numbers on tapes that cannot be recorded together are reported here, at the line of
/// the user: small matrices are eliminated number by number.
#[inline(always)]
#[track_caller]
pub(crate) fn recorded<S: Entry, F: Operation>(
    function: impl FnOnce() -> F,
    x: &[&[S]],
) -> Option<Result<Vec<S>, AdError>> {
    S::demand_one_tape(x);
    if !S::IS_REAL || !S::Re::TRACED {
        return None;
    }
    let y = S::Re::lift_operation(function(), &views(&map_groups(x, S::real_part)))?;
    Some(y.map(of_real_parts))
}

fn of_real_parts<S: Entry>(y: Vec<S::Re>) -> Vec<S> {
    y.into_iter().map(S::of_real).collect()
}

/// The results of an operation on a matrix that a trace holds because it has factors.
#[track_caller]
pub(crate) fn by_factors<S: Entry>(recorded: Option<Result<Vec<S>, AdError>>) -> Vec<S> {
    recorded.expect("the numbers are traced").expect("the factors exist")
}
