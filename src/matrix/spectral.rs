//! Functions of symmetric and hermitian matrices by their eigenvalues: `f(A) = V f(Λ) Vᴴ`.
//!
//! Eigenvectors have no derivatives where eigenvalues are repeated, but `f(A)` has, and so nothing here
//! differentiates them. The derivatives of every order are of one form, with divided differences of f:
//!
//! ```text
//! Mₖ(A; E₁, …, Eₖ) = V·[Σ f[λᵢ, λⱼ, …, λₗ] (VᴴE₁V)ᵢⱼ …]ᵢₗ·Vᴴ, summed over the indices between the first and the last.
//! ```
//!
//! `f(A) = M₀(A)`; the derivative of Mₖ in A puts Ȧ into every place between the E, one after the other; in an E it is
//! linear; and its transpose is Mₖ again, with the E in another order.

use std::cell::{OnceCell, RefCell};
use std::collections::HashMap;
use std::rc::Rc;

use nalgebra::{DMatrix, DefaultAllocator, Dim, OMatrix, allocator::Allocator};
use num_traits::Float;

use super::divided::{HIGHEST, derivative, divided};
use super::spectrum::Spectrum;
use super::{Entry, Op, add, dense, square, times};
use crate::error::AdError;
use crate::linear_map::LinearMap;
use crate::number::{BaseFloat, Machine, Number};
use crate::primitive::Primitive;
use crate::rules::{Exp, Sqrt, Unary};

/// A function on the eigenvalues of a machine matrix.
struct OnSpectrum<U, P: Machine> {
    rule: U,
    vectors: DMatrix<P>,
    points: Vec<P::Base>,
    /// `f[λᵢ, λⱼ]`.
    first: OnceCell<DMatrix<P::Base>>,
    /// Differences of higher order, by ascending places.
    higher: RefCell<HashMap<Vec<usize>, P::Base>>,
}

impl<U: Unary, P: Machine> OnSpectrum<U, P> {
    /// An eigenvalue that is zero to rounding and where f has no value counts as zero.
    fn new(rule: U, spectrum: &Spectrum<P>) -> Result<Rc<Self>, AdError> {
        let point = |&x: &P::Base| {
            let is_zero = Float::abs(x) <= spectrum.resolution();
            if is_zero && Float::is_nan(rule.value(x)) { P::Base::from_double(0.0) } else { x }
        };
        let points: Vec<_> = spectrum.values.iter().map(point).collect();
        let (first, higher) = (OnceCell::new(), RefCell::default());
        let f = OnSpectrum { rule, vectors: spectrum.vectors.clone(), points, first, higher };
        f.is_finite(0).map(|()| Rc::new(f))
    }
    /// An error where the derivative of this order isn't finite at an eigenvalue.
    fn is_finite(&self, order: usize) -> Result<(), AdError> {
        if order > HIGHEST {
            return Err(AdError::Unsupported { op: U::NAME, rule: "a derivative of so high an order" });
        }
        let infinite = |&x: &P::Base| !Float::is_finite(derivative(self.rule, order, x));
        let place = self.points.iter().position(infinite);
        place.map_or(Ok(()), |place| Err(AdError::Domain { op: U::NAME, place }))
    }
    fn at(&self, places: &[usize]) -> P::Base {
        let points = |places: &[usize]| places.iter().map(|&i| self.points[i]).collect::<Vec<_>>();
        let n = self.points.len();
        match *places {
            [i, j] => {
                let ascending = |i: usize, j: usize| divided(self.rule, &points(&[i.min(j), i.max(j)]));
                self.first.get_or_init(|| {
                    let mut table = DMatrix::from_fn(n, n, |i, j| {
                        if i <= j { ascending(i, j) } else { P::Base::from_double(0.0) }
                    });
                    table.fill_lower_triangle_with_upper_triangle();
                    table
                })[(i, j)]
            }
            _ => {
                let mut places = places.to_vec();
                places.sort_unstable();
                if let Some(&known) = self.higher.borrow().get(&places) {
                    return known;
                }
                let value = divided(self.rule, &points(&places));
                self.higher.borrow_mut().insert(places, value);
                value
            }
        }
    }
    /// Adds to `sum` all products along paths that go on from `path`.
    fn walk(&self, path: &mut Vec<usize>, product: P, directions: &[DMatrix<P>], sum: &mut DMatrix<P>) {
        let (here, taken) = (path[path.len() - 1], path.len() - 1);
        let Some(direction) = directions.get(taken) else {
            sum[(path[0], here)] += product * P::base(self.at(path));
            return;
        };
        for next in 0..self.points.len() {
            path.push(next);
            self.walk(path, product * direction[(here, next)], directions, sum);
            path.pop();
        }
    }
}

/// `Mₖ`, of the groups `A, E₁, …, Eₖ`.
struct Multiple<U, P: Machine> {
    f: Rc<OnSpectrum<U, P>>,
    order: usize,
}

impl<U, P: Machine> Clone for Multiple<U, P> {
    fn clone(&self) -> Self {
        Multiple { f: self.f.clone(), order: self.order }
    }
}

impl<U: Unary, P: Machine> Multiple<U, P> {
    fn of_order(&self, order: usize) -> Self {
        Multiple { f: self.f.clone(), order }
    }
}

impl<U: Unary, P: Machine> Primitive<P> for Multiple<U, P> {
    type Map<T: Number<Primal = P, Base = P::Base>> = Slope<U, P, T>;
    fn name(&self) -> &'static str {
        U::NAME
    }
    fn value(&self, x: &[&[P]]) -> Result<Vec<P>, AdError> {
        let (v, n) = (&self.f.vectors, self.f.points.len());
        let mut sum = DMatrix::zeros(n, n);
        if x[1..].iter().any(|e| e.iter().all(|x| x.is_exactly_zero())) {
            return Ok(sum.data.into());
        }
        let turned = |e: &&[P]| {
            let right = times(Op::Plain, &dense(n, n, e), Op::Plain, v);
            times(Op::Adjoint, v, Op::Plain, &right)
        };
        let directions: Vec<_> = x[1..].iter().map(turned).collect();
        if self.order == 0 {
            (0..n).for_each(|i| sum[(i, i)] = P::base(self.f.rule.value(self.f.points[i])));
        } else {
            (0..n).for_each(|i| self.f.walk(&mut vec![i], P::lit(1.0), &directions, &mut sum));
        }
        let back = times(Op::Plain, &times(Op::Plain, v, Op::Plain, &sum), Op::Adjoint, v);
        Ok(back.data.into())
    }
    /// Where nested numbers ask for derivatives of higher order, these are tried on directions of zero, which costs
    /// nothing, so that an error is one of this function.
    fn linearize<T: Number<Primal = P, Base = P::Base>>(
        &self,
        mut x: Vec<Vec<T>>,
        y: &[T],
    ) -> Result<Slope<U, P, T>, AdError> {
        self.f.is_finite(self.order + 1)?;
        if !T::PLAIN {
            let zeros = vec![T::lit(0.0); y.len()];
            let groups: Vec<&[T]> = x.iter().map(Vec::as_slice).chain([&zeros[..]]).collect();
            T::lift_primitive(&self.of_order(self.order + 1), &groups)?;
        }
        let directions = x.split_off(1);
        Ok(Slope { rule: self.clone(), a: x.remove(0), directions })
    }
    fn leaves_out(&self, group: usize) -> bool {
        group == 0
    }
}

/// The derivative of `Mₖ`.
struct Slope<U, P: Machine, T> {
    rule: Multiple<U, P>,
    a: Vec<T>,
    directions: Vec<Vec<T>>,
}

/// The hermitian part of a square matrix.
fn hermitian_part<T: Number>(a: &[T]) -> Vec<T> {
    let (n, half) = (a.len().isqrt(), T::lit(0.5));
    let entry = |k: usize| (a[k] + a[k / n + k % n * n].conj()) * half;
    (0..n * n).map(entry).collect()
}

/// The conjugate transpose of a square matrix.
fn adjoint<T: Number>(a: &[T]) -> Vec<T> {
    let n = a.len().isqrt();
    (0..n * n).map(|k| a[k / n + k % n * n].conj()).collect()
}

impl<U: Unary, P: Machine, T: Number<Primal = P, Base = P::Base>> Slope<U, P, T> {
    /// `M(A; …)` added to `out`.
    fn accumulate(&self, directions: &[&[T]], out: &mut [T]) {
        let groups: Vec<&[T]> = core::iter::once(&self.a[..]).chain(directions.iter().copied()).collect();
        let term = T::lift_primitive(&self.rule.of_order(directions.len()), &groups);
        add(out, &term.expect("the differences exist"));
    }
    /// The cotangent of the direction between `before` and `after`: `M(A; beforeᴴ reversed, C, afterᴴ reversed)`.
    fn transposed(&self, before: &[Vec<T>], c: &[T], after: &[Vec<T>], out: &mut [T]) {
        let turned = |directions: &[Vec<T>]| directions.iter().rev().map(|e| adjoint(e)).collect::<Vec<_>>();
        let (before, after) = (turned(before), turned(after));
        let all: Vec<&[T]> =
            before.iter().map(Vec::as_slice).chain([c]).chain(after.iter().map(Vec::as_slice)).collect();
        self.accumulate(&all, out);
    }
}

impl<U: Unary, P: Machine, T: Number<Primal = P, Base = P::Base>> LinearMap<T> for Slope<U, P, T> {
    fn apply(&self, tangents: &[Option<&[T]>], out: &mut [T]) {
        out.fill(T::lit(0.0));
        let all: Vec<&[T]> = self.directions.iter().map(Vec::as_slice).collect();
        if let Some(da) = tangents[0].map(hermitian_part) {
            for place in 0..=all.len() {
                self.accumulate(&[&all[..place], &[&da], &all[place..]].concat(), out);
            }
        }
        for (place, de) in tangents[1..].iter().enumerate() {
            if let Some(de) = de {
                self.accumulate(&[&all[..place], &[*de], &all[place + 1..]].concat(), out);
            }
        }
    }
    fn transpose(&self, cotangent: &[T], out: &mut [Option<&mut [T]>]) {
        let all = &self.directions;
        let (to_a, to_directions) = out.split_first_mut().expect("a matrix");
        if let Some(out) = to_a {
            let mut sum = vec![T::lit(0.0); cotangent.len()];
            for place in 0..=all.len() {
                self.transposed(&all[..place], cotangent, &all[place..], &mut sum);
            }
            add(out, &hermitian_part(&sum));
        }
        for (place, out) in to_directions.iter_mut().enumerate() {
            if let Some(out) = out {
                self.transposed(&all[..place], cotangent, &all[place + 1..], out);
            }
        }
    }
    fn name(&self) -> &'static str {
        U::NAME
    }
    fn bytes(&self) -> usize {
        let numbers = self.a.len() + self.directions.iter().map(Vec::len).sum::<usize>();
        size_of::<T>() * numbers + size_of_val(self.rule.f.vectors.as_slice())
    }
}

/// `f(A) = V f(Λ) Vᴴ` of a symmetric or hermitian matrix, for any rule f of one variable, from the
/// [table](crate::rules) or of one's own.
///
/// `Ẏ = V(G∘VᴴȦV)Vᴴ`, `Ā = V(G∘VᴴȲV)Vᴴ` with the divided differences `Gᵢⱼ = f[λᵢ, λⱼ]` (Yu. L. Daleckii & S. G. Krein,
/// 1965; N. J. Higham, Functions of Matrices, 3.2); derivatives of higher order, to the fourth, by differences of
/// higher order. All are exact to rounding where eigenvalues are close or repeated. The hermitian part
/// `(A + Aᴴ)/2` of the whole matrix is read; a cotangent is hermitian.
///
/// # Errors
/// - `Domain` if f, or a derivative that is asked for, is not finite at an eigenvalue. An eigenvalue that is
///   zero to rounding counts as zero where f has no value on its side of it.
/// - `NoConvergence` if an entry is infinite or NaN, or the iteration does not end.
/// - `Unsupported` for derivatives beyond the fourth.
///
/// # Panics
/// If the matrix is not square.
///
/// ```
/// use nalgebra::{matrix, Matrix2};
/// use wengert::{Dual, matrix::symmetric_function, rules::Ln};
/// // At the identity the derivative of any function is f′(1)·Ȧ, though no eigenvector has one.
/// let da = matrix![0.5_f64, 1.0; 1.0, -2.0];
/// let y = symmetric_function(&Matrix2::identity().zip_map(&da, Dual::new), Ln)?;
/// assert!((y.map(|y| y.tangent()) - da).norm() < 1e-15);
/// # Ok::<(), wengert::AdError>(())
/// ```
#[track_caller]
pub fn symmetric_function<S: Entry, D: Dim, U: Unary>(
    a: &OMatrix<S, D, D>,
    rule: U,
) -> Result<OMatrix<S, D, D>, AdError>
where
    DefaultAllocator: Allocator<D, D>,
{
    let n = square("symmetric_function", a);
    let f = OnSpectrum::new(rule, &*Spectrum::new("symmetric_function", n, a.as_slice())?)?;
    let y = S::lift(&Multiple { f, order: 0 }, &[a.as_slice()])?;
    let (rows, columns) = a.shape_generic();
    Ok(OMatrix::from_vec_generic(rows, columns, y))
}

/// The square root of a symmetric or hermitian matrix that is positive semidefinite: `ẎY + YẎ = Ȧ`. As
/// [`symmetric_function`], with its errors: `Domain` for a negative eigenvalue, and for a derivative where one is zero.
///
/// # Panics
/// If the matrix is not square.
///
/// ```
/// use nalgebra::matrix;
/// use wengert::matrix::symmetric_sqrt;
/// let a = matrix![5.0_f64, 4.0; 4.0, 5.0];
/// assert!((symmetric_sqrt(&a)? - matrix![2.0, 1.0; 1.0, 2.0]).norm() < 1e-14);
/// # Ok::<(), wengert::AdError>(())
/// ```
#[track_caller]
pub fn symmetric_sqrt<S: Entry, D: Dim>(a: &OMatrix<S, D, D>) -> Result<OMatrix<S, D, D>, AdError>
where
    DefaultAllocator: Allocator<D, D>,
{
    symmetric_function(a, Sqrt)
}

/// The exponential of a symmetric or hermitian matrix. As [`symmetric_function`], with its errors. For other matrices
/// there is [`expm`](super::expm).
///
/// # Panics
/// If the matrix is not square.
///
/// ```
/// use nalgebra::matrix;
/// let y = wengert::matrix::symmetric_exp(&matrix![0.0_f64, 1.0; 1.0, 0.0])?;
/// let (c, s) = (1_f64.cosh(), 1_f64.sinh());
/// assert!((y - matrix![c, s; s, c]).norm() < 1e-14);
/// # Ok::<(), wengert::AdError>(())
/// ```
#[track_caller]
pub fn symmetric_exp<S: Entry, D: Dim>(a: &OMatrix<S, D, D>) -> Result<OMatrix<S, D, D>, AdError>
where
    DefaultAllocator: Allocator<D, D>,
{
    symmetric_function(a, Exp)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Dual;
    use crate::matrix::adjoint::{check, numbers};
    use crate::primitive::views;
    use crate::rules::{Ln, PowConst};
    use nalgebra::{Matrix2, matrix};
    use num_complex::Complex64;

    #[test]
    fn cotangents_are_those_of_the_tangents() {
        let n = 3;
        let a: Vec<Complex64> = numbers(n * n, 1.0);
        let spectrum = Spectrum::new("exp", n, &a).unwrap();
        let f = OnSpectrum::new(Exp, &spectrum).unwrap();
        for order in 0..3 {
            let directions = (0..order).map(|k| numbers(n * n, 10.0 + k as f64));
            let x: Vec<_> = core::iter::once(a.clone()).chain(directions).collect();
            check(&Multiple { f: f.clone(), order }, &views(&x));
        }
    }

    #[test]
    fn repeated_eigenvalues_keep_their_derivatives_to_the_third_order() {
        let e = matrix![0.5, -0.4; -0.4, 0.1];
        let a = Matrix2::identity().zip_map(&e, |x, t| {
            let first = Dual::new(Dual::new(x, t), Dual::constant(t));
            Dual::new(first, Dual::new(Dual::constant(t), Dual::constant(0.0)))
        });
        let third = symmetric_exp(&a).unwrap().map(|y| y.tangent().tangent().tangent());
        assert!((third - e * e * e * 1f64.exp()).norm() < 1e-15);
    }

    #[test]
    fn edges_of_the_domain_are_errors_where_a_derivative_is_asked_for() {
        let a = matrix![1.0, 1.0; 1.0, 1.0];
        assert!((symmetric_sqrt(&a).unwrap() * 2f64.sqrt() - a).norm() < 1e-15);
        let error = |op| Some(AdError::Domain { op, place: 0 });
        assert_eq!(symmetric_sqrt(&a.map(Dual::variable)).err(), error("sqrt"));
        assert_eq!(symmetric_function(&a, Ln).err(), error("ln"));
        assert_eq!(symmetric_sqrt(&-a).err(), error("sqrt"));
        // x^1.5 has one derivative at zero.
        assert!(symmetric_function(&a.map(Dual::variable), PowConst(1.5)).is_ok());
        let twice = a.map(|x| Dual::variable(Dual::variable(x)));
        assert_eq!(symmetric_function(&twice, PowConst(1.5)).err(), error("powf_const"));
    }
}
