//! The operators: which derivative a mode computes, once for all call styles.
//!
//! There are four. A gradient is the Jacobian of one result, a derivative is a pushed tangent of one input, and a product
//! with a Hessian is second derivatives along a given lane. Every call style, eager or prepared, calls one of these.

use super::call::{Callable, DriverMemory, FunctionAtPoint, begin};
use super::mode::{Given, Mode, Pass, SeedVectors, Sink, Units};
use super::modes::SecondPass;
use super::sinks::{Buffer, Fitting, ScalarValue, SmallBuffer, StructureBuffer, Structured, ValueSink};
use super::tables::{PointGradient, ProductTable, Tables, derivatives, jacobian};
use crate::error::AdError;
use crate::number::Real;
use crate::pool::Spare;
use crate::space::{Components, Differentiable, tangent_of};

/// The memory of a mode from run to run, for points `X`.
pub(super) type Kept<M, T, L, X> = DriverMemory<
    <M as Mode>::Scratch<T>,
    <X as Components<T, L>>::With<<M as Mode>::Number<T>>,
    <M as Mode>::Number<T>,
>;

/// One call of an operator.
pub(super) struct Work<'a, M: Mode, T: Real, L, X: Components<T, L> + ?Sized> {
    pub op: &'static str,
    pub mode: &'a M,
    pub memory: &'a mut Kept<M, T, L, X>,
    pub x: &'a X,
    pub directions: usize,
}

impl<'a, M: Mode, T: Real, L, X: Components<T, L> + ?Sized> Work<'a, M, T, L, X> {
    /// The function at the point, and the other arguments of a pass.
    #[cfg_attr(not(debug_assertions), inline(always))]
    #[allow(clippy::type_complexity)]
    pub fn at<F>(
        self,
        f: F,
    ) -> (&'static str, &'a M, &'a mut M::Scratch<T>, FunctionAtPoint<'a, T, M::Number<T>, L, X, F>)
    where
        F: Callable<M::Number<T>, X::Arg<M::Number<T>>, L>,
    {
        let (scratch, room) = self.memory.split();
        let Work { op, x, directions, .. } = self;
        (op, self.mode, scratch, FunctionAtPoint { op, x, room, directions, f, first: (None, None) })
    }
    /// `J(x)`: value and table, outputs × inputs.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub fn jacobian<F, V, B>(self, f: F, units: &Units, value: V, out: B) -> Result<(V, B), AdError>
    where
        M: Pass,
        F: Callable<M::Number<T>, X::Arg<M::Number<T>>, L>,
        V: ValueSink<T, M::Number<T>, F::Out>,
        B: Buffer<T>,
    {
        begin!(self, f);
        let (op, mode, scratch, mut f) = self.at(f);
        jacobian(op, mode, scratch, &mut f, units, value, out)
    }
    /// All first derivatives, to a sink.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn derivatives<F, S>(self, f: F, sink: &mut S) -> Result<(), AdError>
    where
        M: Pass,
        F: Callable<M::Number<T>, X::Arg<M::Number<T>>, L>,
        S: Sink<T, M::Number<T>, F::Out>,
    {
        begin!(self, f);
        let (_, mode, scratch, mut f) = self.at(f);
        derivatives(mode, scratch, &mut f, &Units::all(), sink)
    }
    /// `J(x)·v` for the lanes `v`: value and table, outputs × lanes.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub fn push<F, V, B>(self, f: F, along: &impl SeedVectors<T>, value: V, out: B) -> Result<(V, B), AdError>
    where
        M: Pass,
        F: Callable<M::Number<T>, X::Arg<M::Number<T>>, L>,
        V: ValueSink<T, M::Number<T>, F::Out>,
        B: Buffer<T>,
    {
        let columns = along.lanes(self.directions).len();
        begin!(self, f);
        let (op, mode, scratch, mut f) = self.at(f);
        let mut table = ProductTable { op, value, out, lanes_are_rows: false, rows: None, columns };
        mode.push(scratch, &mut f, along, &mut table)?;
        table.finish::<T, M::Number<T>, F::Out>();
        Ok((table.value, table.out))
    }
    /// `J(x)ᵀ·w` for the lanes `w`: value and table, inputs × lanes.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub fn pull<F, W, V, B>(self, f: F, along: &W, value: V, out: B) -> Result<(V, B), AdError>
    where
        M: Pass,
        W: SeedVectors<T>,
        F: Callable<M::Number<T>, X::Arg<M::Number<T>>, L>,
        V: ValueSink<T, M::Number<T>, F::Out>,
        B: Buffer<T>,
    {
        const { assert!(!W::UNITS, "the number of unit lanes is known only after the first evaluation") };
        begin!(self, f);
        let (rows, columns) = (Some(self.directions), along.lanes(usize::MAX).len());
        let (op, mode, scratch, mut f) = self.at(f);
        let mut table = ProductTable { op, value, out, lanes_are_rows: false, rows, columns };
        mode.pull(scratch, &mut f, along, &mut table)?;
        table.finish::<T, M::Number<T>, F::Out>();
        Ok((table.value, table.out))
    }
    /// Value, first derivatives (outputs × inputs), and their derivatives along lanes.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub fn second<F, V, A, B>(
        self,
        f: F,
        along: &impl SeedVectors<T>,
        value: V,
        first: A,
        second: B,
    ) -> Result<(V, A, B), AdError>
    where
        M: SecondPass,
        F: Callable<M::Number<T>, X::Arg<M::Number<T>>, L>,
        V: ValueSink<T, M::Number<T>, F::Out>,
        A: Buffer<T>,
        B: Buffer<T>,
    {
        let (inputs, lanes) = (self.directions, along.lanes(self.directions).len());
        begin!(self, f);
        let (op, mode, scratch, mut f) = self.at(f);
        let mut tables = Tables { op, value, first, second, inputs, lanes, numbers: 0 };
        mode.second(scratch, &mut f, along, &mut tables)?;
        let Tables { mut value, mut first, mut second, .. } = tables;
        ValueSink::<T, M::Number<T>, F::Out>::finish(&mut value);
        first.finish();
        second.finish();
        Ok((value, first, second))
    }
}

/// The value of a result.
pub(super) type Value<O, N, T, L> = <O as Components<N, L>>::With<T>;
/// The tangent of a result.
pub(super) type Velocity<O, N, T, L> = <Value<O, N, T, L> as Differentiable<L>>::Tangent;

/// The result of a value sink after a pass.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(super) fn seen<T>(value: Option<T>) -> T {
    value.expect("every pass evaluates the function")
}

/// Results with their own structures, or written to vectors.
impl<M: Mode, T: Real, L, X: Components<T, L> + ?Sized> Work<'_, M, T, L, X> {
    /// Value and gradient.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub fn gradient<F>(self, f: F) -> Result<(T, X::Tangent), AdError>
    where
        M: Pass,
        F: Callable<M::Number<T>, X::Arg<M::Number<T>>, L, Out = M::Number<T>>,
    {
        let mut sink = PointGradient::new::<M>(self.x, self.directions);
        self.derivatives(f, &mut sink)?;
        let (value, gradient) = sink.finish();
        Ok((seen(value), gradient))
    }
    /// The value; the gradient to a vector.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub fn gradient_onto<F, V>(self, f: F, out: &mut V) -> Result<T, AdError>
    where
        M: Pass,
        F: Callable<M::Number<T>, X::Arg<M::Number<T>>, L, Out = M::Number<T>>,
        V: Components<T, L> + ?Sized,
    {
        let mut out = StructureBuffer::new("gradient buffer", out);
        out.fit(self.op, 1, self.directions)?;
        let (value, _) = self.jacobian(f, &Units::all(), ScalarValue(None), out)?;
        Ok(seen(value.0))
    }
    /// Value, gradient, and products of the Hessian with lanes.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub fn curvature<F, A, B>(
        self,
        f: F,
        along: &impl SeedVectors<T>,
        mut gradient: A,
        mut products: B,
    ) -> Result<(T, A, B), AdError>
    where
        M: SecondPass,
        F: Callable<M::Number<T>, X::Arg<M::Number<T>>, L, Out = M::Number<T>>,
        A: Buffer<T>,
        B: Buffer<T>,
    {
        let n = self.directions;
        gradient.fit(self.op, 1, n)?;
        products.fit(self.op, n, along.lanes(n).len())?;
        let (value, gradient, products) = self.second(f, along, ScalarValue(None), gradient, products)?;
        Ok((seen(value.0), gradient, products))
    }
    /// Value and pushed tangent.
    #[cfg_attr(not(debug_assertions), inline(always))]
    #[allow(clippy::type_complexity)]
    pub fn pushed<O, F>(
        self,
        f: F,
        v: Given<'_, T>,
    ) -> Result<(O::With<T>, Velocity<O, M::Number<T>, T, L>), AdError>
    where
        M: Pass,
        O: Components<M::Number<T>, L>,
        F: Callable<M::Number<T>, X::Arg<M::Number<T>>, L, Out = O>,
    {
        let (value, mut out) = self.push(f, &v, Structured::new(), SmallBuffer::new())?;
        let value = seen(value.0);
        let tangent = tangent_of(&value, out.slots());
        Ok((value, tangent))
    }
    /// Writes the pushed tangents to a vector; returns the sink with the value.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub fn pushed_onto<F, K, V>(
        self,
        f: F,
        v: Given<'_, T>,
        value: K,
        what: &'static str,
        out: &mut V,
    ) -> Result<K, AdError>
    where
        M: Pass,
        F: Callable<M::Number<T>, X::Arg<M::Number<T>>, L>,
        K: ValueSink<T, M::Number<T>, F::Out>,
        V: Components<T, L> + ?Sized,
    {
        Ok(self.push(f, &v, value, StructureBuffer::new(what, out))?.0)
    }
    /// Value and pulled cotangent.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub fn pulled<O, F, W>(self, f: F, w: &W) -> Result<(O::With<T>, X::Tangent), AdError>
    where
        M: Pass,
        O: Components<M::Number<T>, L>,
        F: Callable<M::Number<T>, X::Arg<M::Number<T>>, L, Out = O>,
        W: Components<T, L> + ?Sized,
    {
        let (x, mut spare) = (self.x, Spare::new());
        let value = Fitting::new(w, Structured::new());
        let (value, mut out) = self.pull(f, &row(w, &mut spare), value, SmallBuffer::new())?;
        Ok((seen(value.1.0), tangent_of(x, out.slots())))
    }
    /// Writes the pulled cotangents to a vector; returns the sink with the value.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub fn pulled_onto<F, K, V>(self, f: F, w: Given<'_, T>, value: K, out: &mut V) -> Result<K, AdError>
    where
        M: Pass,
        F: Callable<M::Number<T>, X::Arg<M::Number<T>>, L>,
        K: ValueSink<T, M::Number<T>, F::Out>,
        V: Components<T, L> + ?Sized,
    {
        let mut out = StructureBuffer::new("cotangent buffer", out);
        out.fit(self.op, self.directions, w.len())?;
        Ok(self.pull(f, &w, value, out)?.0)
    }
}

/// The components of a vector: in the caller's memory, or copied to a row.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(super) fn row<'a, T: Real, L, V: Components<T, L> + ?Sized>(
    v: &'a V,
    spare: &'a mut Spare<T>,
) -> Given<'a, T> {
    if let Some(run) = v.contiguous() {
        return Given::new(run, 1);
    }
    let row = spare.clear(v.count());
    v.visit(&mut |c| row.push(c));
    Given::new(row, 1)
}

/// The components of vectors, in order.
pub(super) fn rows<'a, T: Real, L, V: Components<T, L>>(
    vectors: &[V],
    spare: &'a mut Spare<T>,
) -> Given<'a, T> {
    let row = spare.clear(vectors.iter().map(V::count).sum());
    vectors.iter().for_each(|v| v.visit(&mut |c| row.push(c)));
    Given::new(row, vectors.len())
}
