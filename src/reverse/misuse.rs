//! What is said when a variable meets a tape that is not its own. Always a panic, in release builds too.

use super::slots::is_open;

/// Two active variables of different tapes in one operation.
#[cold]
#[inline(never)]
pub(super) fn two_tapes(a: u32, b: u32) -> ! {
    match (is_open(a), is_open(b)) {
        (true, true) => panic!(
            "wengert: two variables of different tapes meet in one operation: a variable of an outer gradient is \
             used inside an inner gradient of the same number type. To hold it constant there, write \
             Var::constant(x.value()); to differentiate through the inner gradient as well, run the inner one at \
             Var<Var<f64>> (inner point Var::constant or the outer variables themselves)"
        ),
        (true, false) => not_open(b),
        _ => not_open(a),
    }
}

/// A variable whose tape is not open on this thread.
#[cold]
#[inline(never)]
pub(super) fn not_open(tape: u32) -> ! {
    panic!(
        "wengert: a variable is used whose tape (number {tape}) is closed or cleared, or lives on another thread: \
         it left the function that was differentiated, or was sent to another thread. Take its value() out instead"
    )
}

/// A result that belongs to another tape than the one that is swept.
#[cold]
#[inline(never)]
pub(super) fn foreign_seed(tape: u32, own: u32) -> ! {
    if !is_open(tape) {
        not_open(tape);
    }
    panic!(
        "wengert: a result belongs to tape {tape}, but the derivative is taken on tape {own}: an inner function \
         returned a variable of an outer one. Return a value that depends on the inner variables, or \
         Var::constant(y.value())"
    )
}

/// A variable of the tape that is not one of its inputs, where an input is wanted.
#[cold]
#[inline(never)]
pub(super) fn not_an_input() -> ! {
    panic!(
        "wengert: the derivative is asked for with respect to a computed value; it can be had with respect to \
         the inputs of the tape (Tape::variable, Tape::variables)"
    )
}

/// The tape is recorded on or read while its own sweep runs.
#[cold]
#[inline(never)]
pub(super) fn in_use() -> ! {
    panic!(
        "wengert: a tape is used while it is being swept: a rule or a checkpointed segment holds a variable of \
         the outer function. Pass it as an input of the segment instead of capturing it"
    )
}

/// A checkpointed segment whose results depend on more than its inputs.
#[cold]
#[inline(never)]
pub(super) fn captured() -> ! {
    panic!(
        "wengert: a checkpointed segment uses a variable that is not among its inputs, so it cannot be run again: \
         pass the captured variable as an input"
    )
}

#[cold]
#[inline(never)]
pub(super) fn too_many_tapes(limit: usize) -> ! {
    panic!("wengert: more than {limit} tapes are open at once on this thread")
}

#[cold]
#[inline(never)]
pub(super) fn too_many_nodes(len: usize, more: usize) -> ! {
    panic!(
        "wengert: the tape has {len} nodes and cannot take {more} more: node numbers have 32 bits. Checkpoint the \
         computation (reverse::checkpoint) or differentiate it in parts"
    )
}
