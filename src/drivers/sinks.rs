//! Where results go: values, and tables of derivatives.

use std::marker::PhantomData;
use std::ops::Range;

#[cfg(feature = "nalgebra")]
use nalgebra::{DefaultAllocator, Dim, OMatrix, allocator::Allocator};

use super::mode::{Directional, Pass, Sink, Units};
use super::modes::SecondSink;
use crate::error::AdError;
use crate::number::Real;
use crate::pool::Spare;
use crate::space::{Components, check};

/// What is done with a value.
pub(super) trait Keep<T: Real, N: Real, Y: ?Sized> {
    /// Shown once; nothing has been written before.
    fn keep(&mut self, y: &Y, outputs: usize, value: &impl Fn(N) -> T) -> Result<(), AdError>;
}

/// A value in its own structure.
pub(super) struct Structured<W, L>(pub Option<W>, pub PhantomData<L>);

impl<W, L> Structured<W, L> {
    #[inline(always)]
    pub fn new() -> Self {
        Structured(None, PhantomData)
    }
}

impl<T: Real, N: Real, L, O: Components<N, L>> Keep<T, N, O> for Structured<O::With<T>, L> {
    #[inline(always)]
    fn keep(&mut self, y: &O, _: usize, value: &impl Fn(N) -> T) -> Result<(), AdError> {
        self.0 = Some(y.map(&mut |y| value(y)));
        Ok(())
    }
}

/// A value that is not wanted.
impl<T: Real, N: Real, Y: ?Sized> Keep<T, N, Y> for () {
    #[inline(always)]
    fn keep(&mut self, _: &Y, _: usize, _: &impl Fn(N) -> T) -> Result<(), AdError> {
        Ok(())
    }
}

/// The value of one real result.
pub(super) struct Scalar<T>(pub Option<T>);

impl<T: Real, N: Real> Keep<T, N, N> for Scalar<T> {
    #[inline(always)]
    fn keep(&mut self, y: &N, _: usize, value: &impl Fn(N) -> T) -> Result<(), AdError> {
        self.0 = Some(value(*y));
        Ok(())
    }
}

/// A value that a cotangent must fit.
pub(super) struct Fitting<'w, W: ?Sized, V, L> {
    pub cotangent: &'w W,
    pub value: V,
    pub layout: PhantomData<L>,
}

impl<'w, W: ?Sized, V, L> Fitting<'w, W, V, L> {
    #[inline(always)]
    pub fn new(cotangent: &'w W, value: V) -> Self {
        Fitting { cotangent, value, layout: PhantomData }
    }
}

impl<T, N, L, O, W, V> Keep<T, N, O> for Fitting<'_, W, V, L>
where
    T: Real,
    N: Real,
    O: Components<N, L> + ?Sized,
    W: Components<T, L> + ?Sized,
    V: Keep<T, N, O>,
{
    #[inline(always)]
    fn keep(&mut self, y: &O, outputs: usize, value: &impl Fn(N) -> T) -> Result<(), AdError> {
        check("vjp", "cotangent", y, self.cotangent)?;
        self.value.keep(y, outputs, value)
    }
}

/// A value's components in a buffer.
pub(super) struct Written<'a, T, L> {
    op: &'static str,
    to: &'a mut [T],
    layout: PhantomData<L>,
}

impl<'a, T, L> Written<'a, T, L> {
    #[inline(always)]
    pub fn new(op: &'static str, to: &'a mut [T]) -> Self {
        Written { op, to, layout: PhantomData }
    }
}

impl<T: Real, N: Real, L, O: Components<N, L> + ?Sized> Keep<T, N, O> for Written<'_, T, L> {
    #[inline(always)]
    fn keep(&mut self, y: &O, _: usize, value: &impl Fn(N) -> T) -> Result<(), AdError> {
        AdError::check_len(self.op, "value buffer", y.count(), self.to.len())?;
        let mut slots = self.to.iter_mut();
        y.visit(&mut |y| *slots.next().expect("counted before") = value(y));
        Ok(())
    }
}

/// A table of numbers, column by column, whose size is known after the first evaluation.
pub trait Buffer<T> {
    /// Makes the size, or refuses it.
    ///
    /// # Errors
    /// If the size is another one and cannot be changed.
    fn fit(&mut self, op: &'static str, rows: usize, columns: usize) -> Result<(), AdError>;
    /// All numbers.
    fn slots(&mut self) -> &mut [T];
}

/// The components of a vector of any structure, which are written where they lie, or in a row first.
pub(super) struct Onto<'a, T: 'static, V: ?Sized, L> {
    what: &'static str,
    to: &'a mut V,
    row: Option<Few<T>>,
    layout: PhantomData<L>,
}

impl<'a, T: Real, L, V: Components<T, L> + ?Sized> Onto<'a, T, V, L> {
    #[inline(always)]
    pub fn new(what: &'static str, to: &'a mut V) -> Self {
        Onto { what, to, row: None, layout: PhantomData }
    }
    /// Writes what stands in a row.
    #[inline(always)]
    pub fn finish(self) {
        let Some(mut row) = self.row else { return };
        let mut next = row.slots().iter();
        self.to.visit_mut(&mut |slot| *slot = *next.next().expect("counted before"));
    }
}

impl<T: Real, L, V: Components<T, L> + ?Sized> Buffer<T> for Onto<'_, T, V, L> {
    #[inline(always)]
    fn fit(&mut self, op: &'static str, rows: usize, columns: usize) -> Result<(), AdError> {
        AdError::check_len(op, self.what, rows * columns, self.to.count())?;
        if self.to.contiguous().is_none() {
            return self.row.get_or_insert_with(Few::new).fit(op, rows, columns);
        }
        Ok(())
    }
    #[inline(always)]
    fn slots(&mut self) -> &mut [T] {
        match &mut self.row {
            Some(row) => row.slots(),
            None => self.to.contiguous_mut().unwrap_or_default(),
        }
    }
}

#[cfg(feature = "nalgebra")]
impl<T: Real, R: Dim, C: Dim> Buffer<T> for &mut OMatrix<T, R, C>
where
    DefaultAllocator: Allocator<R, C>,
{
    #[inline(always)]
    fn fit(&mut self, op: &'static str, rows: usize, columns: usize) -> Result<(), AdError> {
        AdError::check_dimensions(op, "buffer", (rows, columns), self.shape())
    }
    #[inline(always)]
    fn slots(&mut self) -> &mut [T] {
        self.as_mut_slice()
    }
}

/// The columns one after the other.
impl<T> Buffer<T> for &mut [T] {
    #[inline(always)]
    fn fit(&mut self, op: &'static str, rows: usize, columns: usize) -> Result<(), AdError> {
        AdError::check_len(op, "buffer", rows * columns, self.len())
    }
    #[inline(always)]
    fn slots(&mut self) -> &mut [T] {
        self
    }
}

/// A matrix that is made when its size is known.
#[cfg(feature = "nalgebra")]
impl<T: Real, R: Dim, C: Dim> Buffer<T> for Option<OMatrix<T, R, C>>
where
    DefaultAllocator: Allocator<R, C>,
{
    #[inline(always)]
    fn fit(&mut self, _: &'static str, rows: usize, columns: usize) -> Result<(), AdError> {
        if self.as_ref().is_none_or(|m| m.shape() != (rows, columns)) {
            let (rows, columns) = (R::from_usize(rows), C::from_usize(columns));
            *self = Some(OMatrix::from_element_generic(rows, columns, T::lit(0.0)));
        }
        Ok(())
    }
    #[inline(always)]
    fn slots(&mut self) -> &mut [T] {
        self.as_mut().map_or(&mut [], |m| m.as_mut_slice())
    }
}

/// A vector that grows to the size.
pub(super) struct Grown<'a, T>(pub &'a mut Vec<T>);

impl<T: Real> Buffer<T> for Grown<'_, T> {
    #[inline(always)]
    fn fit(&mut self, _: &'static str, rows: usize, columns: usize) -> Result<(), AdError> {
        self.0.resize(rows * columns, T::lit(0.0));
        Ok(())
    }
    #[inline(always)]
    fn slots(&mut self) -> &mut [T] {
        self.0
    }
}

/// Up to sixteen numbers on the stack, more on the heap.
pub(super) struct Few<T: 'static> {
    few: [T; 16],
    many: Spare<T>,
    len: usize,
}

impl<T: Real> Few<T> {
    #[inline(always)]
    pub fn new() -> Self {
        Few { few: [T::lit(0.0); 16], many: Spare::new(), len: 0 }
    }
}

impl<T: Real> Buffer<T> for Few<T> {
    #[inline(always)]
    fn fit(&mut self, _: &'static str, rows: usize, columns: usize) -> Result<(), AdError> {
        self.len = rows * columns;
        if self.len > self.few.len() {
            self.many.clear().resize(self.len, T::lit(0.0));
        }
        Ok(())
    }
    #[inline(always)]
    fn slots(&mut self) -> &mut [T] {
        if self.len > self.few.len() { self.many.items() } else { &mut self.few[..self.len] }
    }
}

/// Nothing is wanted.
impl<T> Buffer<T> for () {
    #[inline(always)]
    fn fit(&mut self, _: &'static str, _: usize, _: usize) -> Result<(), AdError> {
        Ok(())
    }
    #[inline(always)]
    fn slots(&mut self) -> &mut [T] {
        &mut []
    }
}

/// The products of a pass in a table, each lane a column, or a row of it.
pub(super) struct Table<V, B, F> {
    pub op: &'static str,
    pub value: V,
    pub out: B,
    /// Rows and columns for a number of outputs.
    pub size: F,
    pub lanes_are_rows: bool,
    pub rows: usize,
}

impl<T, N, Y, V, B, F> Sink<T, N, Y> for Table<V, B, F>
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
        self.value.keep(y, outputs, value)
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

/// The Jacobian (of one result the gradient) in the direction that the mode is good at; returns what has kept the
/// value, and the table.
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
    let mut table = Table { op, value, out, size, lanes_are_rows: M::PULLS, rows: 0 };
    if M::PULLS {
        mode.pull(scratch, f, units, &mut table)?;
    } else {
        mode.push(scratch, f, units, &mut table)?;
    }
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
        self.value.keep(y, outputs, value)
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
