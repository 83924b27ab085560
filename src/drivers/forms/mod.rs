//! Free functions: a macro for each operator, a line for each mode.

mod curves;
pub(super) use curves::series_of;
#[macro_use]
mod first;
#[macro_use]
mod second;

use std::cell::RefCell;
use std::mem::needs_drop;

use super::call::DriverMemory;
use super::mode::Mode;
use super::work::{Kept, Work};
use crate::error::AdError;
use crate::number::Real;
use crate::pool;
use crate::space::{Components, dimension};

/// The value, or the error's text as a panic at the caller's line.
#[track_caller]
#[cfg_attr(not(debug_assertions), inline(always))]
pub(super) fn expect<T>(result: Result<T, AdError>) -> T {
    match result {
        Ok(value) => value,
        Err(error) => panic!("{error}"),
    }
}

/// A closure that a mode calls once.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(super) fn once<A: ?Sized, O>(f: impl FnOnce(&A) -> O) -> impl FnMut(&A) -> O {
    let mut f = Some(f);
    move |x| f.take().expect("this mode calls once")(x)
}

/// A closure that a mode calls for each chunk of directions.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(super) fn often<A: ?Sized, O>(f: impl FnMut(&A) -> O) -> impl FnMut(&A) -> O {
    f
}

/// Runs an operator of a mode once, with memory of its own; an error is a panic.
#[cfg_attr(not(debug_assertions), inline(always))]
#[track_caller]
pub(super) fn request<M: Mode, T: Real, L, X: Components<T, L> + ?Sized, R>(
    op: &'static str,
    mode: M,
    x: &X,
    request: impl FnOnce(Work<'_, M, T, L, X>) -> Result<R, AdError>,
) -> R {
    let (mut request, mut result) = (Some(request), None);
    let mut run = |work: Work<'_, M, T, L, X>| {
        result = Some(request.take().expect("run once")(work)?);
        Ok(())
    };
    // Compiled once for all operators and functions.
    #[cfg(debug_assertions)]
    #[allow(clippy::type_complexity)] // a closure's type in full
    let mut run: &mut dyn FnMut(Work<'_, M, T, L, X>) -> Result<(), AdError> = &mut run;
    expect(with_memory(op, &mode, x, &mut run));
    result.expect("it ran")
}

/// Runs an operator with the memory that an earlier call has left, or with new memory if none of it is on the heap.
#[cfg_attr(not(debug_assertions), inline(always))]
fn with_memory<M: Mode, T: Real, L, X: Components<T, L> + ?Sized>(
    op: &'static str,
    mode: &M,
    x: &X,
    run: &mut impl FnMut(Work<'_, M, T, L, X>) -> Result<(), AdError>,
) -> Result<(), AdError> {
    let directions = dimension(x);
    let is_fresh = M::SCRATCH_IS_POOLED || !needs_drop::<M::Scratch<T>>();
    if is_fresh && !needs_drop::<X::With<M::Number<T>>>() {
        let mut memory = DriverMemory::default();
        let result = run(Work { op, mode, memory: &mut memory, x, directions });
        memory.forget();
        return result;
    }
    let memory = pool::take::<RefCell<Kept<M, T, L, X>>>().unwrap_or_default();
    let result = run(Work { op, mode, memory: &mut memory.borrow_mut(), x, directions });
    pool::give(memory);
    result
}

/// The imports of the macros.
macro_rules! names {
    () => {
        #[cfg(feature = "nalgebra")]
        use nalgebra::{DefaultAllocator, Dim, OMatrix, allocator::Allocator};

        use super::*;
        use crate::drivers::call::Closure;
        #[cfg(feature = "nalgebra")]
        use crate::drivers::mode::Units;
        use crate::drivers::sinks::{Buffer, SmallBuffer, StructureBuffer, Structured};
        use crate::drivers::work::{row, seen};
        use crate::pool::Spare;
        #[cfg(feature = "nalgebra")]
        use crate::space::Shape;
        use crate::space::{PairLayout, SelfTangent, check, tangent_of};
    };
}

pub mod forward {
    //! Forward mode.
    pub use super::curves::{
        derivative, derivative_into, second_derivative, second_derivative_into, third_derivative,
        value_and_derivative, value_and_second_derivative,
    };
    names!();
    #[cfg(feature = "nalgebra")]
    use crate::drivers::modes::Packed;
    use crate::drivers::modes::{Forward, ForwardChunk, SecondOrder};
    use crate::drivers::work::Velocity;
    #[cfg(feature = "nalgebra")]
    use crate::duals::Dual2;
    use crate::duals::{Dual, DualN};

    gradient!("forward", DualN<T, 8>, ForwardChunk::<8>, FnMut by often, "`⌈n/8⌉` evaluations at [`DualN<T, 8>`](DualN), `T` the number type of the point: best for 2 to 8 variables, and for one take [`derivative`]. A closure has one number type, whatever the point: for 9 to 12 variables `prepare::gradient(ForwardChunk::<12>, x)` takes one evaluation and 0.6 to 0.7 times the instructions, and the methods of a [`Function`](crate::Function) choose the width.");
    #[cfg(feature = "nalgebra")]
    jacobian!("forward", DualN<T, 8>, ForwardChunk::<8>, FnMut by often, "`⌈n/8⌉` evaluations at [`DualN<T, 8>`](DualN) for `n` inputs, `T` the number type of the point.");
    jvp!("forward", Dual<T>, Forward, FnMut by often, "One evaluation at [`Dual<T>`], `T` the number type of the point.");
    hvp!("forward", DualN<Dual<T>, 8>, SecondOrder(Forward, ForwardChunk::<8>), FnMut by often, "`⌈n/8⌉` evaluations at `DualN<Dual<T>, 8>`, `T` the number type of the point.");
    #[cfg(feature = "nalgebra")]
    hessian!("forward", Dual2<T, 8, 36>, Packed::<8, 36>, FnMut by often, "**[`hessian`](crate::hessian()) takes fewer instructions as a rule**: of Rosenbrock's function half as many or fewer for 3 to 8 variables, 0.28 times as many for 10, a twenty-fourth for 50. One evaluation at [`Dual2<T, 8, 36>`](Dual2) for up to 8 variables, one for each pair of groups of 4 beyond; `T` is the number type of the point. No tape: packed numbers of the right size, [`Packed<N, M>`](crate::Packed), are best for up to 4 variables.");
}

pub mod reverse {
    //! Reverse mode.
    names!();
    #[cfg(feature = "nalgebra")]
    use crate::drivers::modes::ForwardChunk;
    use crate::drivers::modes::{Forward, Reverse, SecondOrder};
    use crate::drivers::sinks::Fitting;
    use crate::duals::Dual;
    #[cfg(feature = "nalgebra")]
    use crate::duals::DualN;
    use crate::tapes::Var;

    gradient!("reverse", Var<T>, Reverse, FnOnce by once, "One evaluation at [`Var<T>`] and one sweep, for any number of variables; `T` is the number type of the point. A result of another tape is a panic (see [`Var`]).");
    #[cfg(feature = "nalgebra")]
    jacobian!("reverse", Var<T>, Reverse, FnOnce by once, "One evaluation at [`Var<T>`] and `⌈m/8⌉` sweeps for `m` outputs: better than [`forward::jacobian`](crate::forward::jacobian()) for far fewer outputs than inputs.");
    vjp!("reverse", Var<T>, Reverse, FnOnce by once, "One evaluation at [`Var<T>`] and one sweep, `T` the number type of the point.");
    hvp!("reverse", Var<Dual<T>>, SecondOrder(Forward, Reverse), FnMut by often, "Forward over reverse: one evaluation at `Var<Dual<T>>` and one sweep, `T` the number type of the point.");
    #[cfg(feature = "nalgebra")]
    hessian!("reverse", Var<DualN<T, 8>>, SecondOrder(ForwardChunk::<8>, Reverse), FnMut by often, "Forward over reverse: `⌈n/8⌉` evaluations at `Var<DualN<T, 8>>` with a sweep each, `T` the number type of the point. For up to 4 variables packed numbers of the right size are faster, [`Packed<N, M>`](crate::Packed).");
}
