//! The program of one term of a sum, which runs at rows of data. It is cut into parts that are computed once and a
//! part that is computed at each row, with its derivatives, sixteen rows at a time.

mod functions;
mod kernels;
mod lanes;
mod line;
mod one_number;
mod operators;
mod slopes;
mod split;
mod two_numbers;

pub(crate) use super::exec::{NO_SLOT, SharedNumbers, Sharing, Totals, four_sums};
pub(crate) use kernels::{Segment, add_forms, add_lines, add_products, add_squares, gather};
pub(crate) use lanes::{CallMemory, at_rows, at_rows_with};
pub(crate) use line::{LANES, Line, Lines};
pub(crate) use operators::{
    RowDerivatives, SharedFactor, SharedFactors, TermResults, curvature, gradient, hvp, jacobian,
    second_order, value, with_derivatives,
};
pub(crate) use slopes::Slopes;
pub(crate) use split::{RowForm, RowSplit, split};
