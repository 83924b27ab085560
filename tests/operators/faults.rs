//! Faults that the scenarios find: in modes that push, that pull, and of second order.
//!
//! Faults in the layer itself are planted by hand. Each of these makes `modes_of_first_order`, `modes_of_second_order`
//! or the tests of call styles fail; plant them again after a change there.
//!
//! | fault | in |
//! |---|---|
//! | what a cache or a buffer holds is not reset (`reset` does nothing; not called in `lend`, in `InPlaceClosure`) | `drivers/call.rs` |
//! | a cache's shape is not compared after the call | `drivers/call.rs` |
//! | buffers that do not lie in a row are not written (`StructureBuffer::finish` does nothing; `finished` or `second` does not call it) | `drivers/sinks.rs`, `drivers/work.rs` |
//! | a buffer too long is taken (`StructureBuffer::fit` compares nothing, and neither does `BoundOperator::work`) | `drivers/sinks.rs` |
//! | first and second derivatives change places | `drivers/prepare/second.rs` |
//! | the value of a product is not written | `drivers/prepare/first.rs` |
//! | cotangents of a batch are not compared with the result | `drivers/prepare/first.rs` |
//! | a batch is cut to its first vector | `drivers/work.rs` |
//! | `reprepare` drops memory; does not keep the former point | `drivers/prepare/mod.rs` |
//! | buffers of the thread are not given back | `pool.rs` |
//! | an object with another number of results is taken | `drivers/prepare/bound.rs` |
//! | structures are compared by their size alone (`Outline::fits`) | `space/outline.rs` |
//! | enums, or rotations, are made anew in each call | `space/structs.rs`, `space/rotations.rs` |
//! | a difference does not move a point of a group | `space/rotations.rs` |

use std::ops::Range;

use wengert::mode::{Directional, Mode, Pass, SecondPass, SecondSink, SeedVectors, Sink};
use wengert::{AdError, Forward, ForwardChunk, Packed, Real, Reverse, SecondOrder};

use super::scenarios;

/// The fault of a faulty mode.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Fault {
    None,
    /// Derivatives are wrong by a factor.
    Product,
    /// The results of the call before are added.
    Doubled,
    /// One evaluation more each time.
    Calls,
    /// Memory that is not kept.
    Allocates,
    /// The value is wrong.
    Value,
    /// The last lane of a batch is left out.
    LastLane,
}

/// Another mode with a fault.
#[derive(Clone, Copy)]
struct Faulty<M>(M, Fault);

/// The scratch of the mode, the number of calls so far, the results of the call before.
struct Left<S>(S, usize, f64);

impl<S: Default> Default for Left<S> {
    fn default() -> Self {
        Left(S::default(), 0, 0.0)
    }
}

impl<M: Mode> Mode for Faulty<M> {
    type Number<T: Real> = M::Number<T>;
    type Scratch<T: Real> = Left<M::Scratch<T>>;
}

/// Passes everything on to a mode, with a fault.
struct Wrong<'a, S> {
    sink: &'a mut S,
    fault: Fault,
    old: f64,
}

impl<S> Wrong<'_, S> {
    fn wrong<T: Real>(&self) -> impl Fn(T) -> T + 'static {
        let (fault, old) = (self.fault, self.old);
        move |derivative| match fault {
            Fault::Product => derivative * T::lit(1.01),
            Fault::Doubled => derivative + T::lit(old),
            _ => derivative,
        }
    }
    fn off<T: Real>(&self) -> T {
        T::lit(if self.fault == Fault::Value { 1e-2 } else { 0.0 })
    }
    fn lanes(&self, mut lanes: Range<usize>) -> Range<usize> {
        if self.fault == Fault::LastLane && lanes.len() > 1 {
            lanes.end -= 1;
        }
        lanes
    }
}

impl<T: Real, N: Real, Y: ?Sized, S: Sink<T, N, Y>> Sink<T, N, Y> for Wrong<'_, S> {
    fn start(&mut self, y: &Y, outputs: usize, value: &impl Fn(N) -> T) -> Result<(), AdError> {
        let off: T = self.off();
        self.sink.start(y, outputs, &|y| value(y) + off)
    }
    fn take(&mut self, lanes: Range<usize>, all: Range<usize>, at: impl Fn(usize, usize) -> T) {
        let (lanes, wrong) = (self.lanes(lanes), self.wrong());
        self.sink.take(lanes, all, |i, k| wrong(at(i, k)));
    }
}

impl<T: Real, N: Real, Y: ?Sized, S: SecondSink<T, N, Y>> SecondSink<T, N, Y> for Wrong<'_, S> {
    fn start(&mut self, y: &Y, outputs: usize, value: &impl Fn(N) -> T) -> Result<(), AdError> {
        let off: T = self.off();
        self.sink.start(y, outputs, &|y| value(y) + off)
    }
    fn first(&mut self, numbers: Range<usize>, at: impl Fn(usize) -> T) {
        self.sink.first(numbers, at);
    }
    fn second(&mut self, lanes: Range<usize>, numbers: Range<usize>, at: impl Fn(usize, usize) -> T) {
        let (lanes, wrong) = (self.lanes(lanes), self.wrong());
        self.sink.second(lanes, numbers, |i, k| wrong(at(i, k)));
    }
}

/// Shows nothing to anybody.
struct Nowhere;

impl<T: Real, N: Real, Y: ?Sized> Sink<T, N, Y> for Nowhere {
    fn start(&mut self, _: &Y, _: usize, _: &impl Fn(N) -> T) -> Result<(), AdError> {
        Ok(())
    }
    fn take(&mut self, _: Range<usize>, _: Range<usize>, _: impl Fn(usize, usize) -> T) {}
}

impl<T: Real, N: Real, Y: ?Sized> SecondSink<T, N, Y> for Nowhere {
    fn start(&mut self, _: &Y, _: usize, _: &impl Fn(N) -> T) -> Result<(), AdError> {
        Ok(())
    }
    fn first(&mut self, _: Range<usize>, _: impl Fn(usize) -> T) {}
    fn second(&mut self, _: Range<usize>, _: Range<usize>, _: impl Fn(usize, usize) -> T) {}
}

/// A pass of the other mode, with the fault.
macro_rules! faulty {
    ($pass:ident($mode:ident, $left:ident, $f:ident, $along:ident, $sink:ident)) => {{
        let (Faulty(mode, fault), Left(scratch, calls, old)) = ($mode, $left);
        for _ in 0..if *fault == Fault::Calls { *calls } else { 0 } {
            mode.$pass(scratch, $f, $along, &mut Nowhere)?;
        }
        if *fault == Fault::Allocates {
            drop(std::hint::black_box(Box::new(*calls)));
        }
        let result = mode.$pass(scratch, $f, $along, &mut Wrong { sink: $sink, fault: *fault, old: *old });
        (*calls, *old) = (*calls + 1, 1.0);
        result
    }};
}

impl<M: Pass> Pass for Faulty<M> {
    const PULLS: bool = M::PULLS;
    fn push<T, Y, F, S>(
        &self,
        left: &mut Self::Scratch<T>,
        f: &mut F,
        along: &impl SeedVectors<T>,
        sink: &mut S,
    ) -> Result<(), AdError>
    where
        T: Real,
        Y: ?Sized,
        F: Directional<T, Self::Number<T>, Out = Y>,
        S: Sink<T, Self::Number<T>, Y>,
    {
        faulty!(push(self, left, f, along, sink))
    }
    fn pull<T, Y, F, S>(
        &self,
        left: &mut Self::Scratch<T>,
        f: &mut F,
        along: &impl SeedVectors<T>,
        sink: &mut S,
    ) -> Result<(), AdError>
    where
        T: Real,
        Y: ?Sized,
        F: Directional<T, Self::Number<T>, Out = Y>,
        S: Sink<T, Self::Number<T>, Y>,
    {
        faulty!(pull(self, left, f, along, sink))
    }
}

impl<M: SecondPass> SecondPass for Faulty<M> {
    fn second<T, Y, F, L, S>(
        &self,
        left: &mut Self::Scratch<T>,
        f: &mut F,
        along: &L,
        sink: &mut S,
    ) -> Result<(), AdError>
    where
        T: Real,
        Y: ?Sized,
        L: SeedVectors<T>,
        F: Directional<T, Self::Number<T>, Out = Y>,
        S: SecondSink<T, Self::Number<T>, Y>,
    {
        faulty!(second(self, left, f, along, sink))
    }
}

/// Each dimension of the suite finds a fault planted in it, by name.
#[test]
fn planted_faults_are_found() {
    let x = [0.5, -1.25, 2.0, 0.75];
    let pushed = |fault| scenarios().first_order_at(Faulty(ForwardChunk::<2>, fault), "array", &x).failures;
    let pulled = |fault| scenarios().first_order_at(Faulty(Reverse, fault), "array", &x).failures;
    let packed = |fault| scenarios().second_order_at(Faulty(Packed::<2, 3>, fault), "array", &x).failures;
    let twice = SecondOrder(Forward, Reverse);
    let nested = |fault| scenarios().second_order_at(Faulty(twice, fault), "array", &x).failures;
    let faults = [
        (Fault::None, "no failure"),
        (Fault::Product, "buffer"),
        (Fault::Doubled, "second call: "),
        (Fault::Calls, "evaluations, then"),
        (Fault::Allocates, "allocations"),
        (Fault::Value, ": value "),
        (Fault::LastLane, "of a batch"),
    ];
    for (fault, text) in faults {
        for failures in [pushed(fault), pulled(fault), packed(fault), nested(fault)] {
            let found = failures.iter().any(|failure| failure.contains(text));
            // Lanes come one at a time in the last mode.
            let one_by_one = fault == Fault::LastLane && failures.is_empty();
            assert_eq!(found || one_by_one, fault != Fault::None, "{fault:?}: {failures:?}");
        }
    }
    assert!(nested(Fault::LastLane).is_empty() && !pulled(Fault::LastLane).is_empty());
}
