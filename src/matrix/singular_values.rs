//! Singular values without their vectors: they, their sum and the largest have derivatives where vectors have none.

use core::any::TypeId;
use std::rc::Rc;

use nalgebra::{
    DMatrix, DefaultAllocator, Dim, DimMin, DimMinimum, OMatrix, OVector, U1, allocator::Allocator,
};

use super::decomposition::{Decomposition, machine_values};
use super::svd::{Vectors, over, over_sum, scale_columns};
use super::{Entry, Op, add, dense, times};
use crate::error::AdError;
use crate::linear_map::LinearMap;
use crate::number::{Machine, Number};
use crate::primitive::Primitive;

/// Whether the entries have no tangents by type: vectors are not needed then.
fn is_machine<S: Entry>() -> bool {
    TypeId::of::<S>() == TypeId::of::<S::Primal>()
}

/// `A ↦ σ`.
#[derive(Clone)]
struct Values<P: Machine> {
    of: Rc<Decomposition<P>>,
}

impl<P: Machine> Primitive<P> for Values<P> {
    type Map<T: Number<Primal = P, Base = P::Base>> = Diagonal<T>;
    fn name(&self) -> &'static str {
        "singular_values"
    }
    fn value(&self, _: &[&[P]]) -> Result<Vec<P>, AdError> {
        Ok(self.of.values.iter().map(|&s| P::base(s)).collect())
    }
    fn linearize<T: Number<Primal = P, Base = P::Base>>(
        &self,
        x: Vec<Vec<T>>,
        _: &[T],
    ) -> Result<Diagonal<T>, AdError> {
        let (u, _, v) = self.of.at("singular_values", &x[0])?;
        Ok(Diagonal { u, v })
    }
    fn leaves_out(&self, _: usize) -> bool {
        true
    }
}

/// `σ̇ = Re diag(UᴴȦV)`, `Ā = U·diag(Re σ̄)·Vᴴ`.
struct Diagonal<T> {
    u: DMatrix<T>,
    v: DMatrix<T>,
}

impl<T: Number> LinearMap<T> for Diagonal<T> {
    fn apply(&self, tangents: &[Option<&[T]>], out: &mut [T]) {
        let da = dense(self.u.nrows(), self.v.nrows(), tangents[0].expect("a matrix"));
        let image = times(Op::Plain, &da, Op::Plain, &self.v);
        for ((s, u), image) in out.iter_mut().zip(self.u.column_iter()).zip(image.column_iter()) {
            *s = T::from_re(u.iter().zip(image.iter()).map(|(u, &i)| u.conj() * i).sum::<T>().re());
        }
    }
    fn transpose(&self, cotangent: &[T], out: &mut [Option<&mut [T]>]) {
        let mut left = self.u.clone();
        scale_columns(&mut left, &cotangent.iter().map(|s| T::from_re(s.re())).collect::<Vec<_>>());
        add(out[0].as_mut().expect("a matrix"), times(Op::Plain, &left, Op::Adjoint, &self.v).as_slice());
    }
    fn name(&self) -> &'static str {
        "singular_values"
    }
    fn bytes(&self) -> usize {
        size_of_val(self.u.as_slice()) + size_of_val(self.v.as_slice())
    }
}

/// The singular values, descending: `σ̇ = Re diag(UᴴȦV)`, `Ā = U·diag(σ̄)·Vᴴ`, whatever their distances.
///
/// Equal values are differentiated in the basis of vectors that the algorithm finds, which is right for every
/// symmetric function of them; a zero value with the sign that its vectors have.
///
/// # Errors
/// `NoConvergence` if an entry is not finite. At nested numbers `Degenerate` where [`svd`](super::svd()) has no
/// derivative.
///
/// ```
/// use nalgebra::matrix;
/// use wengert::{Dual, matrix::singular_values};
/// let a = matrix![3.0_f64, 0.0; 0.0, 4.0; 0.0, 0.0].zip_map(&matrix![1.0, 2.0; 3.0, 0.5; 5.0, 6.0], Dual::new);
/// let s = singular_values(&a)?;
/// assert!((s.map(|s| s.value()) - nalgebra::vector![4.0, 3.0]).norm() < 1e-14);
/// assert!((s.map(|s| s.tangent()) - nalgebra::vector![0.5, 1.0]).norm() < 1e-14);
/// # Ok::<(), wengert::AdError>(())
/// ```
#[track_caller]
pub fn singular_values<S: Entry, R: DimMin<C>, C: Dim>(
    a: &OMatrix<S, R, C>,
) -> Result<OVector<S::Re, DimMinimum<R, C>>, AdError>
where
    DefaultAllocator: Allocator<R, C> + Allocator<DimMinimum<R, C>>,
{
    let (rows, columns) = a.shape_generic();
    let values: Vec<S> = if is_machine::<S>() {
        let values = machine_values("singular_values", a.shape(), a.as_slice())?;
        values.into_iter().map(|s| S::from_primal(S::Primal::base(s))).collect()
    } else {
        let of = Decomposition::new("singular_values", a.shape(), a.as_slice())?;
        S::lift(&Values { of }, &[a.as_slice()])?
    };
    Ok(OVector::from_iterator_generic(rows.min(columns), U1, values.into_iter().map(S::real_part)))
}

/// Which singular values a norm is made of.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Part {
    /// All: the nuclear norm.
    Sum,
    /// The spectral norm.
    Largest,
}

impl Part {
    fn name(self) -> &'static str {
        if self == Part::Sum { "nuclear_norm" } else { "spectral_norm" }
    }
}

/// The norm of these singular values.
#[track_caller]
pub(super) fn norm_of<S: Entry, R: Dim, C: Dim>(part: Part, a: &OMatrix<S, R, C>) -> Result<S::Re, AdError>
where
    DefaultAllocator: Allocator<R, C>,
{
    if is_machine::<S>() || a.is_empty() {
        let values = machine_values(part.name(), a.shape(), a.as_slice())?;
        let taken = if part == Part::Sum { values.len() } else { values.len().min(1) };
        let norm = values[..taken].iter().copied().sum();
        return Ok(S::from_primal(S::Primal::base(norm)).real_part());
    }
    let of = Decomposition::new(part.name(), a.shape(), a.as_slice())?;
    Ok(S::lift(&Norm { part, of }, &[a.as_slice()])?[0].real_part())
}

/// `A ↦ Σσᵢ` or `σ₁`.
#[derive(Clone)]
struct Norm<P: Machine> {
    part: Part,
    of: Rc<Decomposition<P>>,
}

impl<P: Machine> Norm<P> {
    /// The derivative at machine numbers, the subgradient of least norm: `UVᴴ` of the values that are not zero, or of
    /// those that tie for the largest, in equal shares.
    fn subgradient<T: Number<Primal = P, Base = P::Base>>(&self) -> DMatrix<T> {
        let (values, noise) = (&self.of.values, self.of.noise());
        let taken = |s: P::Base| s > noise && (self.part == Part::Sum || values[0] - s <= noise);
        let r = values.iter().take_while(|&&s| taken(s)).count();
        let leading = |m: &DMatrix<P>| m.columns(0, r).map(T::constant_of);
        let g = times(Op::Plain, &leading(&self.of.u), Op::Adjoint, &leading(&self.of.v));
        if self.part == Part::Largest && r > 1 { g / T::lit(r as f64) } else { g }
    }
}

impl<P: Machine> Primitive<P> for Norm<P> {
    type Map<T: Number<Primal = P, Base = P::Base>> = Gradient<T>;
    fn name(&self) -> &'static str {
        self.part.name()
    }
    fn value(&self, _: &[&[P]]) -> Result<Vec<P>, AdError> {
        let values = &self.of.values;
        let norm = if self.part == Part::Sum { values.iter().copied().sum() } else { values[0] };
        Ok(vec![P::base(norm)])
    }
    fn linearize<T: Number<Primal = P, Base = P::Base>>(
        &self,
        x: Vec<Vec<T>>,
        _: &[T],
    ) -> Result<Gradient<T>, AdError> {
        let of = self.of.clone();
        let gradient = if T::PLAIN {
            self.subgradient()
        } else if self.part == Part::Sum {
            let shape = (of.u.nrows(), of.v.nrows());
            dense(shape.0, shape.1, &T::lift_primitive(&Polar { op: self.name(), of }, &[&x[0]])?)
        } else {
            let rule = Vectors { op: self.name(), of, leading: 1 };
            let (u, _, v) = rule.split(&T::lift_primitive(&rule, &[&x[0]])?);
            times(Op::Plain, &u, Op::Adjoint, &v)
        };
        Ok(Gradient { op: self.name(), gradient })
    }
    fn leaves_out(&self, _: usize) -> bool {
        true
    }
}

/// `ẏ = Re Σ conj(gᵢⱼ)ȧᵢⱼ`, `Ā = ȳG`.
struct Gradient<T> {
    op: &'static str,
    gradient: DMatrix<T>,
}

impl<T: Number> LinearMap<T> for Gradient<T> {
    fn apply(&self, tangents: &[Option<&[T]>], out: &mut [T]) {
        let pairs = self.gradient.iter().zip(tangents[0].expect("a matrix"));
        out[0] = T::from_re(pairs.map(|(g, &a)| g.conj() * a).sum::<T>().re());
    }
    fn transpose(&self, cotangent: &[T], out: &mut [Option<&mut [T]>]) {
        let weight = T::from_re(cotangent[0].re());
        for (o, &g) in out[0].iter_mut().flat_map(|o| o.iter_mut()).zip(self.gradient.iter()) {
            *o += weight * g;
        }
    }
    fn name(&self) -> &'static str {
        self.op
    }
    fn bytes(&self) -> usize {
        size_of_val(self.gradient.as_slice())
    }
}

/// `A ↦ W = UVᴴ`, the nearest matrix with orthonormal columns (or rows).
#[derive(Clone)]
struct Polar<P: Machine> {
    op: &'static str,
    of: Rc<Decomposition<P>>,
}

impl<P: Machine> Primitive<P> for Polar<P> {
    type Map<T: Number<Primal = P, Base = P::Base>> = Aligned<T>;
    fn name(&self) -> &'static str {
        self.op
    }
    fn value(&self, _: &[&[P]]) -> Result<Vec<P>, AdError> {
        Ok(times(Op::Plain, &self.of.u, Op::Adjoint, &self.of.v).data.into())
    }
    fn linearize<T: Number<Primal = P, Base = P::Base>>(
        &self,
        x: Vec<Vec<T>>,
        _: &[T],
    ) -> Result<Aligned<T>, AdError> {
        let noise = self.of.noise();
        if self.of.values.iter().any(|&s| s <= noise) {
            return Err(AdError::Singular { op: self.op });
        }
        let (u, values, v) = self.of.at(self.op, &x[0])?;
        Ok(Aligned { u, v, values })
    }
    fn leaves_out(&self, _: usize) -> bool {
        true
    }
}

/// `Ẇ = U((M−Mᴴ)∘1/(σᵢ+σⱼ))Vᴴ + (I−UUᴴ)ȦVΣ⁻¹Vᴴ` of a tall matrix, with `M = UᴴȦV`; of a wide one the adjoint of that
/// of the adjoint. It is its own transpose.
struct Aligned<T> {
    u: DMatrix<T>,
    v: DMatrix<T>,
    values: Vec<T>,
}

impl<T: Number> Aligned<T> {
    fn of(&self, da: &[T]) -> DMatrix<T> {
        let da = dense(self.u.nrows(), self.v.nrows(), da);
        let tall = self.u.nrows() >= self.v.nrows();
        let (own, other) = if tall { (&self.u, &self.v) } else { (&self.v, &self.u) };
        let mut image = times(if tall { Op::Plain } else { Op::Adjoint }, &da, Op::Plain, other);
        let mut m = times(Op::Adjoint, own, Op::Plain, &image);
        let k = m.nrows();
        let skew = |i: usize, j: usize| m[(i, j)] - m[(j, i)].conj();
        let mut core = DMatrix::from_fn(k, k, |i, j| skew(i, j) * over_sum(1.0, &self.values, i, j));
        if own.nrows() > k {
            let reciprocals: Vec<T> = self.values.iter().map(|&s| over(1.0, s)).collect();
            scale_columns(&mut image, &reciprocals);
            scale_columns(&mut m, &reciprocals);
            core -= m;
        } else {
            image.fill(T::lit(0.0));
        }
        let left = image + times(Op::Plain, own, Op::Plain, &core);
        let (left, right) = if tall { (&left, other) } else { (other, &left) };
        times(Op::Plain, left, Op::Adjoint, right)
    }
}

impl<T: Number> LinearMap<T> for Aligned<T> {
    fn apply(&self, tangents: &[Option<&[T]>], out: &mut [T]) {
        out.copy_from_slice(self.of(tangents[0].expect("a matrix")).as_slice());
    }
    fn transpose(&self, cotangent: &[T], out: &mut [Option<&mut [T]>]) {
        add(out[0].as_mut().expect("a matrix"), self.of(cotangent).as_slice());
    }
    fn name(&self) -> &'static str {
        "polar factor"
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::matrix::adjoint::{check, numbers};
    use num_complex::Complex;

    fn transposes<P: Machine>() {
        for (m, n) in [(1, 1), (3, 3), (5, 3), (2, 4)] {
            let a: Vec<P> = numbers(m * n, 0.0);
            let of = Decomposition::new("svd", (m, n), &a).unwrap();
            check(&Values { of: of.clone() }, &[&a]);
            check(&Norm { part: Part::Sum, of: of.clone() }, &[&a]);
            check(&Norm { part: Part::Largest, of: of.clone() }, &[&a]);
            check(&Polar { op: "polar", of }, &[&a]);
        }
    }
    #[test]
    fn cotangents_are_transposes() {
        transposes::<f64>();
        transposes::<Complex<f64>>();
    }
}
