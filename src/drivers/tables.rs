//! The tables of first and of second derivatives that passes write to.

use std::ops::Range;

use super::mode::{Directional, Pass, Sink, Units};
use super::modes::SecondSink;
use super::sinks::{Buffer, Keep};
use crate::error::AdError;
use crate::number::Real;

/// The products of a pass in a table, each lane a column, or a row of it.
pub(super) struct ProductTable<V, B, F> {
    pub op: &'static str,
    pub value: V,
    pub out: B,
    /// Rows and columns for a number of outputs.
    pub size: F,
    pub lanes_are_rows: bool,
    pub rows: usize,
}

impl<V, B, F> ProductTable<V, B, F> {
    /// After the pass.
    #[inline(always)]
    pub fn finish<T, N, Y>(&mut self)
    where
        T: Real,
        N: Real,
        Y: ?Sized,
        V: Keep<T, N, Y>,
        B: Buffer<T>,
    {
        self.value.finish();
        self.out.finish();
    }
}

impl<T, N, Y, V, B, F> Sink<T, N, Y> for ProductTable<V, B, F>
where
    T: Real,
    N: Real,
    Y: ?Sized,
    V: Keep<T, N, Y>,
    B: Buffer<T>,
    F: Fn(usize) -> (usize, usize),
{
    #[inline(always)]
    fn start(&mut self, y: &Y, outputs: usize, value: &impl Fn(N) -> T) -> Result<(), AdError> {
        let (rows, columns) = (self.size)(outputs);
        self.rows = rows;
        self.out.fit(self.op, rows, columns)?;
        self.value.keep(self.op, y, outputs, value)
    }
    #[inline(always)]
    fn take(&mut self, lanes: Range<usize>, components: Range<usize>, at: impl Fn(usize, usize) -> T) {
        let (rows, out) = (self.rows, self.out.slots());
        match (self.lanes_are_rows, rows) {
            (true, 1) => {
                out[components].iter_mut().enumerate().for_each(|(i, slot)| *slot = at(i, 0));
            }
            (false, 1) => {
                out[lanes].iter_mut().enumerate().for_each(|(k, slot)| *slot = at(0, k));
            }
            (true, _) => {
                let columns = out.chunks_exact_mut(rows.max(1)).skip(components.start);
                for (i, column) in columns.take(components.len()).enumerate() {
                    let entries = column[lanes.clone()].iter_mut().enumerate();
                    entries.for_each(|(k, slot)| *slot = at(i, k));
                }
            }
            (false, _) => {
                let columns = out.chunks_exact_mut(rows.max(1)).skip(lanes.start);
                for (k, column) in columns.take(lanes.len()).enumerate() {
                    let entries = column[components.clone()].iter_mut().enumerate();
                    entries.for_each(|(i, slot)| *slot = at(i, k));
                }
            }
        }
    }
}

/// The Jacobian (for one result the gradient) in the direction that the mode has; returns the sink with the value,
/// and the table.
#[inline(always)]
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
    V: Keep<T, M::Number<T>, F::Out>,
    B: Buffer<T>,
{
    let inputs = f.directions();
    let size = |outputs| (outputs, inputs);
    let mut table = ProductTable { op, value, out, size, lanes_are_rows: M::PULLS, rows: 0 };
    if M::PULLS {
        mode.pull(scratch, f, units, &mut table)?;
    } else {
        mode.push(scratch, f, units, &mut table)?;
    }
    table.finish::<T, M::Number<T>, F::Out>();
    Ok((table.value, table.out))
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
    V: Keep<T, N, Y>,
    A: Buffer<T>,
    B: Buffer<T>,
{
    #[inline(always)]
    fn start(&mut self, y: &Y, outputs: usize, value: &impl Fn(N) -> T) -> Result<(), AdError> {
        self.numbers = outputs * self.inputs;
        self.first.fit(self.op, outputs, self.inputs)?;
        self.second.fit(self.op, self.numbers, self.lanes)?;
        self.value.keep(self.op, y, outputs, value)
    }
    #[inline(always)]
    fn first(&mut self, numbers: Range<usize>, at: impl Fn(usize) -> T) {
        let slots = self.first.slots().iter_mut().skip(numbers.start).take(numbers.len());
        slots.enumerate().for_each(|(i, slot)| *slot = at(i));
    }
    #[inline(always)]
    fn second(&mut self, lanes: Range<usize>, numbers: Range<usize>, at: impl Fn(usize, usize) -> T) {
        let columns = self.second.slots().chunks_exact_mut(self.numbers.max(1)).skip(lanes.start);
        for (k, column) in columns.take(lanes.len()).enumerate() {
            column[numbers.clone()].iter_mut().enumerate().for_each(|(i, slot)| *slot = at(i, k));
        }
    }
}
