//! Panics for variables used with a tape other than their own, in release builds too.

use super::identity::number;
use super::slots::is_open;

/// Two active variables of different tapes in one operation.
#[cold]
#[inline(never)]
#[track_caller]
pub(super) fn two_tapes(a: u32, b: u32) -> ! {
    match (is_open(a), is_open(b)) {
        (true, true) => panic!(
            "wengert: variables of two tapes (numbers {} and {}) meet in one operation. Either they belong to two \
             tapes of yours; or a term of sum_over captures a variable of the function around it: pass it with the \
             parameters of sum_over; or a variable of an outer gradient is used in an inner gradient of the same \
             number type. To hold the outer variable constant, use Var::constant(x.value()). To differentiate \
             through the inner gradient as well, give it a point of outer variables, so that it runs on \
             Var<Var<f64>>",
            number(a),
            number(b)
        ),
        (true, false) => not_open(b),
        _ => not_open(a),
    }
}

/// Panics if no tape of this number is open on this thread.
#[inline]
#[track_caller]
pub(super) fn demand_open(tape: u32) {
    if !is_open(tape) {
        not_open(tape);
    }
}

/// A result that belongs to a tape other than the one that is swept.
#[cold]
#[inline(never)]
#[track_caller]
pub(super) fn foreign_seed(tape: u32, own: u32) -> ! {
    if !is_open(tape) {
        not_open(tape);
    }
    panic!(
        "wengert: the result belongs to tape {}, but the derivative is taken on tape {}. Either both tapes are yours: \
         take the derivative on the tape of the result; or an inner function or a term of sum_over returned a variable \
         of the function around it: return a value of the variables that it was given, or Var::constant(y.value()), \
         which has no derivative",
        number(tape),
        number(own)
    )
}

/// Functions that panic with a text at the line of their caller. They are compiled apart from the code that calls them.
macro_rules! panics {
    ($($(#[$doc:meta])* $name:ident($($p:ident: $P:ty),*) => $text:literal $(, $argument:expr)*;)*) => {$(
        $(#[$doc])*
        #[cold]
        #[inline(never)]
        #[track_caller]
        pub(super) fn $name($($p: $P),*) -> ! {
            panic!($text $(, $argument)*)
        }
    )*};
}

panics! {
    /// A variable whose tape is not open on this thread.
    not_open(tape: u32) =>
        "wengert: the tape of this variable (number {}) is closed or cleared, or belongs to another thread. The \
         variable left the differentiated function or its thread: return or send its value() instead",
        number(tape);
    /// A constant instead of an input of a tape.
    constant_as_input() =>
        "wengert: the derivative is requested with respect to a constant, which is not on a tape";
    /// An input of a tape other than the one that was swept.
    input_of_another_tape(tape: u32, own: u32) =>
        "wengert: the derivative is requested with respect to a variable of tape {}, but was taken on tape {}",
        number(tape),
        number(own);
    /// A variable of the tape that is not one of its inputs.
    not_an_input() =>
        "wengert: the derivative is requested with respect to a computed value; it exists only for the inputs of \
         the tape (Tape::variable, Tape::variables)";
    /// Recording on or reading a tape while its own sweep runs.
    in_use() =>
        "wengert: a tape is used while it is being swept: a rule or a checkpointed segment captures a variable of \
         the outer function. Pass the variable as an input instead";
    /// A checkpointed segment whose results depend on more than its inputs.
    captured() =>
        "wengert: a checkpointed segment uses a variable that is not among its inputs, so it cannot be run again: \
         pass the captured variable as an input";
    /// A checkpointed segment that does not repeat itself.
    not_repeated(what: &str) =>
        "wengert: a checkpointed segment gave {what} when it was run again: it must return the same results at the \
         same point (draw random numbers outside and pass them in)";
    /// One tape more than a thread has room for.
    too_many_tapes(limit: usize) =>
        "wengert: {limit} tapes are open at once on this thread, which is the limit: drop tapes and Linearized \
         values that you no longer need, or nest checkpointed segments less deeply";
    /// More terms of sums than the tape counts.
    too_many_edges(len: usize, more: usize) =>
        "wengert: the sums and inner products on the tape have {len} terms and cannot take {more} more: the \
         count has 32 bits. Checkpoint the computation (reverse::checkpoint) or differentiate it in parts";
    /// More nodes than the tape counts.
    too_many_nodes(len: usize, more: usize) =>
        "wengert: the tape has {len} nodes and cannot take {more} more: node numbers have 32 bits. Checkpoint the \
         computation (reverse::checkpoint) or differentiate it in parts";
}
