//! Panics for numbers used with a trace other than their own.

/// Two numbers of different traces in one operation.
#[cold]
#[inline(never)]
#[track_caller]
pub(super) fn two_traces(a: u32, b: u32, open: [bool; 2]) -> ! {
    match open {
        [true, true] => panic!(
            "wengert: numbers of two traces (numbers {a} and {b}) meet in one operation: a number of an outer trace is \
             used in an inner one. Trace both as one function, or hold the outer number constant by \
             Traced::constant(x.value())"
        ),
        [true, false] => not_open(b),
        _ => not_open(a),
    }
}

/// A number whose trace is not open on this thread.
#[cold]
#[inline(never)]
#[track_caller]
pub(super) fn not_open(trace: u32) -> ! {
    panic!(
        "wengert: the trace of this number (number {trace}) has ended, or belongs to another thread. The number left the \
         traced function or its thread: return or send its value() instead"
    )
}

/// A result that belongs to another trace.
#[cold]
#[inline(never)]
#[track_caller]
pub(super) fn foreign_result(trace: u32, own: u32) -> ! {
    panic!(
        "wengert: a result belongs to trace {trace}, but trace {own} is recorded: an inner function returned a number of \
         an outer one. Trace both as one function, or return Traced::constant(y.value())"
    )
}

#[cold]
#[inline(never)]
#[track_caller]
pub(super) fn too_long() -> ! {
    panic!("wengert: a program has at most 2³² operations: trace the computation in parts")
}
