//! Receivers of results: value sinks and output buffers.

use std::iter::{Once, once};
use std::marker::PhantomData;

#[cfg(feature = "nalgebra")]
use nalgebra::{DefaultAllocator, Dim, OMatrix, allocator::Allocator};

use crate::error::AdError;
use crate::number::Real;
use crate::pool::Spare;
use crate::space::{Components, check, only_part};

/// The receiver of a value.
pub(super) trait ValueSink<T: Real, N: Real, Y: ?Sized> {
    /// Shown once; nothing has been written before.
    fn keep(
        &mut self,
        op: &'static str,
        y: &Y,
        outputs: usize,
        value: &impl Fn(N) -> T,
    ) -> Result<(), AdError>;
    /// After the pass.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn finish(&mut self) {}
}

/// A value with the structure of the result.
pub(super) struct Structured<W, L>(pub Option<W>, pub PhantomData<L>);

impl<W, L> Structured<W, L> {
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub fn new() -> Self {
        Structured(None, PhantomData)
    }
}

impl<T: Real, N: Real, L, O: Components<N, L>> ValueSink<T, N, O> for Structured<O::With<T>, L> {
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn keep(&mut self, _: &'static str, y: &O, _: usize, value: &impl Fn(N) -> T) -> Result<(), AdError> {
        self.0 = Some(y.map(&mut |y| value(y)));
        Ok(())
    }
}

/// A value that is not wanted.
impl<T: Real, N: Real, Y: ?Sized> ValueSink<T, N, Y> for () {
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn keep(&mut self, _: &'static str, _: &Y, _: usize, _: &impl Fn(N) -> T) -> Result<(), AdError> {
        Ok(())
    }
}

/// The value of one real result.
pub(super) struct ScalarValue<T>(pub Option<T>);

impl<T: Real, N: Real> ValueSink<T, N, N> for ScalarValue<T> {
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn keep(&mut self, _: &'static str, y: &N, _: usize, value: &impl Fn(N) -> T) -> Result<(), AdError> {
        self.0 = Some(value(*y));
        Ok(())
    }
}

/// A value that cotangents must fit, given as an iterator.
pub(super) struct Fitting<I, V, L>(pub I, pub V, pub PhantomData<L>);

impl<'w, W: ?Sized, V, L> Fitting<Once<&'w W>, V, L> {
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub fn new(cotangent: &'w W, value: V) -> Self {
        Fitting(once(cotangent), value, PhantomData)
    }
}

impl<'w, T, N, L, O, W, I, V> ValueSink<T, N, O> for Fitting<I, V, L>
where
    T: Real,
    N: Real,
    O: Components<N, L> + ?Sized,
    W: Components<T, L> + ?Sized + 'w,
    I: Iterator<Item = &'w W> + Clone,
    V: ValueSink<T, N, O>,
{
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn keep(
        &mut self,
        op: &'static str,
        y: &O,
        outputs: usize,
        value: &impl Fn(N) -> T,
    ) -> Result<(), AdError> {
        self.0.clone().try_for_each(|w| check::<_, _, L, _, _>(op, "cotangent", y, w))?;
        self.1.keep(op, y, outputs, value)
    }
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn finish(&mut self) {
        ValueSink::<T, N, O>::finish(&mut self.1);
    }
}

/// A table of numbers, column by column, whose size is known after the first evaluation.
pub(super) trait Buffer<T> {
    /// Makes the size, or refuses it.
    fn fit(&mut self, op: &'static str, rows: usize, columns: usize) -> Result<(), AdError>;
    /// All numbers.
    fn slots(&mut self) -> &mut [T];
    /// After the pass.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn finish(&mut self) {}
}

/// The components of a vector of any structure, written directly, or to a row first.
pub(super) struct StructureBuffer<'a, T: 'static, V: ?Sized, L> {
    what: &'static str,
    to: &'a mut V,
    /// Whether a matrix must have rows and columns of the table.
    shaped: bool,
    /// Whether nothing is written.
    absent: bool,
    /// Whether the components are written to the row first.
    in_row: bool,
    row: Spare<T>,
    layout: PhantomData<L>,
}

impl<'a, T: Real, L, V: Components<T, L> + ?Sized> StructureBuffer<'a, T, V, L> {
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub fn new(what: &'static str, to: &'a mut V) -> Self {
        StructureBuffer {
            what,
            to,
            shaped: false,
            absent: false,
            in_row: false,
            row: Spare::new(),
            layout: PhantomData,
        }
    }
    /// For a table: a matrix of its shape, or a buffer that gets the columns in order.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub fn table(what: &'static str, to: &'a mut V) -> Self {
        StructureBuffer { shaped: true, ..StructureBuffer::new(what, to) }
    }
    /// For a result that is not needed if `to` is `()`.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub fn optional(what: &'static str, to: &'a mut V) -> Self {
        StructureBuffer { absent: V::ABSENT, ..StructureBuffer::new(what, to) }
    }
}

impl<T: Real, L, V: Components<T, L> + ?Sized> Buffer<T> for StructureBuffer<'_, T, V, L> {
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn fit(&mut self, op: &'static str, rows: usize, columns: usize) -> Result<(), AdError> {
        if self.absent {
            return Ok(());
        }
        let lies = self.to.contiguous().is_some();
        if self.shaped && lies {
            let given = only_part(self.to);
            if given.1 != 1 {
                return AdError::check_dimensions(op, self.what, (rows, columns), given);
            }
        }
        AdError::check_len(op, self.what, rows * columns, self.to.count())?;
        self.in_row = !lies;
        if self.in_row {
            self.row.clear(rows * columns).resize(rows * columns, T::lit(0.0));
        }
        Ok(())
    }
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn slots(&mut self) -> &mut [T] {
        if self.in_row { self.row.items() } else { self.to.contiguous_mut().unwrap_or_default() }
    }
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn finish(&mut self) {
        if !self.in_row {
            return;
        }
        let mut next = self.row.items().iter();
        self.to.visit_mut(&mut |slot| *slot = *next.next().expect("counted before"));
    }
}

/// A value's components.
impl<T, N, L, O, V> ValueSink<T, N, O> for StructureBuffer<'_, T, V, L>
where
    T: Real,
    N: Real,
    O: Components<N, L> + ?Sized,
    V: Components<T, L> + ?Sized,
{
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn keep(&mut self, op: &'static str, y: &O, _: usize, value: &impl Fn(N) -> T) -> Result<(), AdError> {
        if self.absent {
            return Ok(());
        }
        self.fit(op, y.count(), 1)?;
        let mut slots = self.slots().iter_mut();
        y.visit(&mut |y| *slots.next().expect("counted before") = value(y));
        Ok(())
    }
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn finish(&mut self) {
        Buffer::<T>::finish(self);
    }
}

#[cfg(feature = "nalgebra")]
impl<T: Real, R: Dim, C: Dim> Buffer<T> for &mut OMatrix<T, R, C>
where
    DefaultAllocator: Allocator<R, C>,
{
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn fit(&mut self, op: &'static str, rows: usize, columns: usize) -> Result<(), AdError> {
        AdError::check_dimensions(op, "buffer", (rows, columns), self.shape())
    }
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn slots(&mut self) -> &mut [T] {
        self.as_mut_slice()
    }
}

/// Memory of the caller.
impl<T: Real> Buffer<T> for &mut [T] {
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn fit(&mut self, op: &'static str, rows: usize, columns: usize) -> Result<(), AdError> {
        AdError::check_len(op, "buffer", rows * columns, self.len())
    }
    #[cfg_attr(not(debug_assertions), inline(always))]
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
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn fit(&mut self, _: &'static str, rows: usize, columns: usize) -> Result<(), AdError> {
        if self.as_ref().is_none_or(|m| m.shape() != (rows, columns)) {
            let (rows, columns) = (R::from_usize(rows), C::from_usize(columns));
            *self = Some(OMatrix::from_element_generic(rows, columns, T::lit(0.0)));
        }
        Ok(())
    }
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn slots(&mut self) -> &mut [T] {
        self.as_mut().map_or(&mut [], |m| m.as_mut_slice())
    }
}

/// A vector that grows to the size.
pub(super) struct Grown<'a, T>(pub &'a mut Vec<T>);

impl<T: Real> Buffer<T> for Grown<'_, T> {
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn fit(&mut self, _: &'static str, rows: usize, columns: usize) -> Result<(), AdError> {
        self.0.resize(rows * columns, T::lit(0.0));
        Ok(())
    }
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn slots(&mut self) -> &mut [T] {
        self.0
    }
}

/// Up to sixteen numbers on the stack, more on the heap.
pub(super) struct SmallBuffer<T: 'static> {
    few: [T; 16],
    many: Spare<T>,
    len: usize,
}

impl<T: Real> SmallBuffer<T> {
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub fn new() -> Self {
        SmallBuffer { few: [T::lit(0.0); 16], many: Spare::new(), len: 0 }
    }
    /// Makes it this long; numbers stay if it is.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub fn set_len(&mut self, len: usize) {
        if len > self.few.len() && len != self.len {
            self.many.clear(len).resize(len, T::lit(0.0));
        }
        self.len = len;
    }
}

impl<T: Real> Buffer<T> for SmallBuffer<T> {
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn fit(&mut self, _: &'static str, rows: usize, columns: usize) -> Result<(), AdError> {
        self.set_len(rows * columns);
        Ok(())
    }
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn slots(&mut self) -> &mut [T] {
        if self.len > self.few.len() { self.many.items() } else { &mut self.few[..self.len] }
    }
}

/// Nothing is wanted.
impl<T> Buffer<T> for () {
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn fit(&mut self, _: &'static str, _: usize, _: usize) -> Result<(), AdError> {
        Ok(())
    }
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn slots(&mut self) -> &mut [T] {
        &mut []
    }
}
