//! The tables of first and of second derivatives that passes write to.

use std::ops::Range;

use super::mode::{Directional, Pass, Sink, Units};
use super::modes::SecondSink;
use super::sinks::{Buffer, SmallBuffer, ValueSink};
use crate::error::AdError;
use crate::number::Real;
use crate::space::{Components, tangent_of};

/// The products of a pass in a table, each lane a column, or a row of it.
pub(super) struct ProductTable<V, B> {
    pub op: &'static str,
    pub value: V,
    pub out: B,
    pub lanes_are_rows: bool,
    /// `None` before the pass: as many as results.
    pub rows: Option<usize>,
    pub columns: usize,
}

impl<V, B> ProductTable<V, B> {
    /// After the pass.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub fn finish<T, N, Y>(&mut self)
    where
        T: Real,
        N: Real,
        Y: ?Sized,
        V: ValueSink<T, N, Y>,
        B: Buffer<T>,
    {
        self.value.finish();
        self.out.finish();
    }
}

impl<T, N, Y, V, B> Sink<T, N, Y> for ProductTable<V, B>
where
    T: Real,
    N: Real,
    Y: ?Sized,
    V: ValueSink<T, N, Y>,
    B: Buffer<T>,
{
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn start(&mut self, y: &Y, outputs: usize, value: &impl Fn(N) -> T) -> Result<(), AdError> {
        let rows = *self.rows.get_or_insert(outputs);
        self.out.fit(self.op, rows, self.columns)?;
        self.value.keep(self.op, y, outputs, value)
    }
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn take(&mut self, lanes: Range<usize>, components: Range<usize>, at: impl Fn(usize, usize) -> T) {
        // Loops, not `for_each`, which is compiled once more for each closure. In the third case it is faster.
        let (rows, out) = (self.rows.unwrap_or(0), self.out.slots());
        match (self.lanes_are_rows, rows) {
            (true, 1) => {
                for (i, slot) in out[components].iter_mut().enumerate() {
                    *slot = at(i, 0);
                }
            }
            (false, 1) => {
                for (k, slot) in out[lanes].iter_mut().enumerate() {
                    *slot = at(0, k);
                }
            }
            (true, _) => {
                for (i, column) in components.enumerate() {
                    let entries = column * rows + lanes.start..column * rows + lanes.end;
                    out[entries].iter_mut().enumerate().for_each(|(k, slot)| *slot = at(i, k));
                }
            }
            (false, _) => {
                for (k, column) in lanes.enumerate() {
                    let entries = column * rows + components.start..column * rows + components.end;
                    for (i, slot) in out[entries].iter_mut().enumerate() {
                        *slot = at(i, k);
                    }
                }
            }
        }
    }
}

/// The first derivatives in the direction that the mode has.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(super) fn derivatives<M, T, F, S>(
    mode: &M,
    scratch: &mut M::Scratch<T>,
    f: &mut F,
    units: &Units,
    sink: &mut S,
) -> Result<(), AdError>
where
    M: Pass,
    T: Real,
    F: Directional<T, M::Number<T>>,
    S: Sink<T, M::Number<T>, F::Out>,
{
    if M::PULLS { mode.pull(scratch, f, units, sink) } else { mode.push(scratch, f, units, sink) }
}

/// The Jacobian (for one result the gradient) in the direction that the mode has; returns the sink with the value,
/// and the table.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(super) fn jacobian<M, T, F, V, B>(
    op: &'static str,
    mode: &M,
    scratch: &mut M::Scratch<T>,
    f: &mut F,
    units: &Units,
    value: V,
    out: B,
) -> Result<(V, B), AdError>
where
    M: Pass,
    T: Real,
    F: Directional<T, M::Number<T>>,
    V: ValueSink<T, M::Number<T>, F::Out>,
    B: Buffer<T>,
{
    let columns = f.directions();
    let mut table = ProductTable { op, value, out, lanes_are_rows: M::PULLS, rows: None, columns };
    derivatives(mode, scratch, f, units, &mut table)?;
    table.finish::<T, M::Number<T>, F::Out>();
    Ok((table.value, table.out))
}

/// Value and gradient of one result, in the structure of the point.
pub(super) struct PointGradient<'x, T: Real, L, X: Components<T, L> + ?Sized> {
    x: &'x X,
    value: Option<T>,
    /// The gradient, if the pass gives all of it in one call.
    tangent: Option<X::Tangent>,
    /// Otherwise its components so far: there are more inputs than lanes.
    parts: Option<SmallBuffer<T>>,
    inputs: usize,
    pulls: bool,
}

impl<'x, T: Real, L, X: Components<T, L> + ?Sized> PointGradient<'x, T, L, X> {
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub fn new<M: Pass>(x: &'x X, inputs: usize) -> Self {
        PointGradient { x, value: None, tangent: None, parts: None, inputs, pulls: M::PULLS }
    }
    /// Value and gradient after the pass.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub fn finish(&mut self) -> (Option<T>, X::Tangent) {
        let tangent = self.tangent.take();
        let of_parts = || tangent_of(self.x, self.parts.get_or_insert_with(SmallBuffer::new).slots());
        (self.value, tangent.unwrap_or_else(of_parts))
    }
}

impl<T, L, N, X> Sink<T, N, N> for PointGradient<'_, T, L, X>
where
    T: Real,
    N: Real,
    X: Components<T, L> + ?Sized,
{
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn start(&mut self, y: &N, _: usize, value: &impl Fn(N) -> T) -> Result<(), AdError> {
        self.value = Some(value(*y));
        Ok(())
    }
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn take(&mut self, lanes: Range<usize>, components: Range<usize>, at: impl Fn(usize, usize) -> T) {
        let part = if self.pulls { components } else { lanes };
        let mut entries = (0..part.len()).map(|i| if self.pulls { at(i, 0) } else { at(0, i) });
        if part.len() == self.inputs {
            let mut next = || entries.next().expect("one for each input");
            self.tangent = Some(self.x.tangent_from(&mut next));
        } else {
            let parts = self.parts.get_or_insert_with(SmallBuffer::new);
            parts.set_len(self.inputs);
            for (slot, entry) in parts.slots()[part].iter_mut().zip(entries) {
                *slot = entry;
            }
        }
    }
}

/// Value, first and second derivatives in buffers.
pub(super) struct Tables<V, A, B> {
    pub op: &'static str,
    pub value: V,
    pub first: A,
    pub second: B,
    pub inputs: usize,
    pub lanes: usize,
    /// How many first derivatives there are.
    pub numbers: usize,
}

impl<T, N, Y, V, A, B> SecondSink<T, N, Y> for Tables<V, A, B>
where
    T: Real,
    N: Real,
    Y: ?Sized,
    V: ValueSink<T, N, Y>,
    A: Buffer<T>,
    B: Buffer<T>,
{
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn start(&mut self, y: &Y, outputs: usize, value: &impl Fn(N) -> T) -> Result<(), AdError> {
        self.numbers = outputs * self.inputs;
        self.first.fit(self.op, outputs, self.inputs)?;
        self.second.fit(self.op, self.numbers, self.lanes)?;
        self.value.keep(self.op, y, outputs, value)
    }
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn first(&mut self, numbers: Range<usize>, at: impl Fn(usize) -> T) {
        // Empty if they are not wanted.
        let Some(slots) = self.first.slots().get_mut(numbers) else { return };
        for (i, slot) in slots.iter_mut().enumerate() {
            *slot = at(i);
        }
    }
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn second(&mut self, lanes: Range<usize>, numbers: Range<usize>, at: impl Fn(usize, usize) -> T) {
        let slots = self.second.slots();
        for (k, lane) in lanes.enumerate() {
            // No chunks: they cost a division.
            let first = lane * self.numbers;
            let Some(column) = slots.get_mut(first + numbers.start..first + numbers.end) else { return };
            for (i, slot) in column.iter_mut().enumerate() {
                *slot = at(i, k);
            }
        }
    }
}
