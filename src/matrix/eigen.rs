//! Eigenvalues and eigenvectors of symmetric and hermitian matrices.

use std::rc::Rc;

use nalgebra::allocator::Allocator;
use nalgebra::{DMatrix, DVector, DefaultAllocator, Dim, OMatrix, OVector, SymmetricEigen as Decomposed, U1};
use num_traits::Float;

use super::{Entry, Op, add, dense, square, times};
use crate::error::AdError;
use crate::linear_map::LinearMap;
use crate::number::{BaseFloat, Machine, Number, Real};
use crate::primitive::Primitive;

/// The decomposition of the hermitian part of a machine matrix.
pub(super) struct Spectrum<P: Machine> {
    pub(super) op: &'static str,
    /// Ascending.
    pub(super) values: DVector<P::Base>,
    pub(super) vectors: DMatrix<P>,
    /// The row of each vector whose entry is kept real and positive.
    leading: Vec<usize>,
}

/// The hermitian part of the values of a matrix.
fn hermitian<S: Entry>(op: &'static str, n: usize, a: &[S]) -> Result<DMatrix<S::Primal>, AdError> {
    if !a.iter().all(|x| x.primal_value().all_finite()) {
        return Err(AdError::NoConvergence { op });
    }
    let half = S::Primal::lit(0.5);
    let entry = |i: usize, j: usize| a[i + j * n].primal_value() * half;
    Ok(DMatrix::from_fn(n, n, |i, j| entry(i, j) + Number::conj(entry(j, i))))
}

impl<P: Machine> Spectrum<P> {
    pub(super) fn new<S: Entry<Primal = P>>(
        op: &'static str,
        n: usize,
        a: &[S],
    ) -> Result<Rc<Self>, AdError> {
        let (values, mut vectors) = decompose(op, hermitian(op, n, a)?, true)?;
        let leading = (0..n).map(|j| lead(vectors.column_mut(j).as_mut_slice())).collect();
        Ok(Rc::new(Spectrum { op, values, vectors, leading }))
    }
    /// The distance below which two eigenvalues are the same to rounding: `n·ε·max |λ|`.
    pub(super) fn resolution(&self) -> P::Base {
        let largest =
            self.values.iter().fold(P::Base::from_double(0.0), |m, &x| Float::max(m, Float::abs(x)));
        P::Base::from_double(self.values.len() as f64) * <P::Base as Float>::epsilon() * largest
    }
    /// The first two neighbours that are the same to rounding, as an error.
    fn distinct(&self) -> Result<(), AdError> {
        let same = self.values.as_slice().windows(2).position(|w| w[1] - w[0] <= self.resolution());
        same.map_or(Ok(()), |i| {
            let gap = BaseFloat::to_double(self.values[i + 1] - self.values[i]);
            Err(AdError::Degenerate { op: self.op, pair: (i, i + 1), gap })
        })
    }
    /// The ranges of eigenvalues that are the same to rounding.
    fn clusters(&self) -> Vec<core::ops::Range<usize>> {
        let (n, resolution) = (self.values.len(), self.resolution());
        let ends = (1..=n).filter(|&i| i == n || self.values[i] - self.values[i - 1] > resolution);
        let mut start = 0;
        ends.map(|end| core::mem::replace(&mut start, end)..end).collect()
    }
}

/// Up to this size Jacobi's method is the faster one.
const ROTATED: usize = 3;

/// Eigenvalues, ascending, and eigenvectors where they are wanted.
fn decompose<P: Machine>(
    op: &'static str,
    a: DMatrix<P>,
    vectors: bool,
) -> Result<(DVector<P::Base>, DMatrix<P>), AdError> {
    let n = a.nrows();
    let found = if n <= ROTATED {
        jacobi(a, vectors)
    } else if vectors {
        let found = Decomposed::try_new(a, <P::Base as Float>::epsilon(), 50 * n);
        found.map(|found| (found.eigenvalues, found.eigenvectors))
    } else {
        Some((a.symmetric_eigenvalues(), DMatrix::zeros(0, 0)))
    };
    let (mut values, mut columns) = found.ok_or(AdError::NoConvergence { op })?;
    for i in 0..n {
        let least = (i + 1..n).fold(i, |least, j| if values[j] < values[least] { j } else { least });
        if least != i {
            values.swap_rows(i, least);
            if vectors {
                columns.swap_columns(i, least);
            }
        }
    }
    Ok((values, columns))
}

/// Jacobi's rotations, row by row, until every entry off the diagonal is rounding beside its neighbours on it.
fn jacobi<P: Machine>(mut a: DMatrix<P>, vectors: bool) -> Option<(DVector<P::Base>, DMatrix<P>)> {
    let (n, eps, one) = (a.nrows(), <P::Base as Float>::epsilon(), P::Base::from_double(1.0));
    let mut v = if vectors { DMatrix::identity(n, n) } else { DMatrix::zeros(0, 0) };
    let noise = a.iter().fold(one - one, |m, x| Float::max(m, x.magnitude())) * eps * eps;
    let diagonal = |a: &DMatrix<P>, i: usize| Number::re(a[(i, i)]).primal();
    for _sweep in 0..40 {
        let mut settled = true;
        for q in 1..n {
            for p in 0..q {
                let (x, y) = (diagonal(&a, p), diagonal(&a, q));
                let size = Number::modulus(a[(p, q)]).primal();
                if size <= noise || size * size <= eps * eps * Float::abs(x * y) {
                    continue;
                }
                settled = false;
                // t = tan of the angle that makes a_pq zero: t² + 2θt − 1 = 0, the smaller root.
                let theta = (y - x) / (size + size);
                let t = Float::recip(theta + Float::copysign(Float::sqrt(theta * theta + one), theta));
                let c = Float::recip(Float::sqrt(t * t + one));
                let turn = Number::conj(a[(p, q)]) / P::base(size);
                rotate(&mut v, (p, q), c, t * c, turn);
                rotate(&mut a, (p, q), c, t * c, turn);
                for i in 0..n {
                    (a[(p, i)], a[(q, i)]) = (Number::conj(a[(i, p)]), Number::conj(a[(i, q)]));
                }
                (a[(p, q)], a[(q, p)]) = (P::lit(0.0), P::lit(0.0));
                (a[(p, p)], a[(q, q)]) = (P::base(x - t * size), P::base(y + t * size));
            }
        }
        if settled {
            return Some((DVector::from_fn(n, |i, _| diagonal(&a, i)), v));
        }
    }
    None
}

/// Columns `p < q` become `c·aₚ − s·turn·a_q` and `s·aₚ + c·turn·a_q`.
#[inline]
fn rotate<P: Machine>(a: &mut DMatrix<P>, (p, q): (usize, usize), c: P::Base, s: P::Base, turn: P) {
    let n = a.nrows();
    if n == 0 {
        return;
    }
    let (first, second) = a.as_mut_slice().split_at_mut(q * n);
    for (x, y) in first[p * n..(p + 1) * n].iter_mut().zip(&mut second[..n]) {
        let turned = *y * turn;
        (*x, *y) = (*x * c - turned * s, *x * s + turned * c);
    }
}

/// Turns a vector so that its largest entry, the first of those that are equal to rounding, is real and positive;
/// the row of that entry.
pub(super) fn lead<P: Machine>(v: &mut [P]) -> usize {
    let size = |x: P| Number::modulus(x).primal();
    let largest = v.iter().fold(P::Base::from_double(0.0), |m, &x| Float::max(m, size(x)));
    let rounding = <P::Base as Float>::epsilon() * P::Base::from_double(1024.0);
    let enough = largest - largest * rounding;
    let row = v.iter().position(|&x| size(x) >= enough).unwrap_or(0);
    if largest > P::Base::from_double(0.0) {
        let turn = Number::conj(v[row]) / P::base(size(v[row]));
        v.iter_mut().for_each(|x| *x *= turn);
        v[row] = P::from_re(Number::re(v[row]));
    }
    row
}

/// `A = VΛVᴴ`: results Λ and V. With `P = VᴴȦV` (of the hermitian part of Ȧ) and `Fᵢⱼ = 1/(λⱼ − λᵢ)` off the
/// diagonal: `λ̇ᵢ = Pᵢᵢ`, `V̇ = V(F∘P)`, turned by the phases that keep leading entries real.
#[derive(Clone)]
struct Decomposition<P: Machine> {
    found: Rc<Spectrum<P>>,
}

impl<P: Machine> Primitive<P> for Decomposition<P> {
    type Map<T: Number<Primal = P, Base = P::Base>> = Eigenvectors<T>;
    fn name(&self) -> &'static str {
        self.found.op
    }
    fn value(&self, _: &[&[P]]) -> Result<Vec<P>, AdError> {
        let values = self.found.values.iter().map(|&x| P::base(x));
        Ok(values.chain(self.found.vectors.iter().copied()).collect())
    }
    fn linearize<T: Number<Primal = P, Base = P::Base>>(
        &self,
        _: Vec<Vec<T>>,
        y: &[T],
    ) -> Result<Eigenvectors<T>, AdError> {
        self.found.distinct()?;
        let n = self.found.values.len();
        let leading = if T::REAL { Vec::new() } else { self.found.leading.clone() };
        Ok(Eigenvectors {
            name: self.found.op,
            values: y[..n].to_vec(),
            vectors: dense(n, n, &y[n..]),
            leading,
        })
    }
    fn leaves_out(&self, _: usize) -> bool {
        true
    }
}

/// The derivative of eigenvalues and eigenvectors.
struct Eigenvectors<T> {
    name: &'static str,
    values: Vec<T>,
    vectors: DMatrix<T>,
    /// Empty for real numbers, whose vectors cannot turn.
    leading: Vec<usize>,
}

/// `V diag(weights) Vᴴ`, by the real parts of the weights.
fn weighted<T: Number>(v: &DMatrix<T>, weights: &[T]) -> DMatrix<T> {
    let scaled = DMatrix::from_fn(v.nrows(), v.ncols(), |i, j| v[(i, j)] * T::from_re(weights[j].re()));
    times(Op::Plain, &scaled, Op::Adjoint, v)
}

/// `(x − conj x)/2`, the imaginary part times i.
fn imaginary<T: Number>(x: T) -> T {
    (x - x.conj()) * T::lit(0.5)
}

impl<T: Number> Eigenvectors<T> {
    /// `F∘(hermitian part of P)`, which is skew-hermitian, with zeros on the diagonal.
    fn over_gaps(&self, p: &mut DMatrix<T>) {
        let half = T::lit(0.5);
        for j in 0..p.ncols() {
            for i in 0..j {
                let x = (p[(i, j)] + p[(j, i)].conj()) * half / (self.values[j] - self.values[i]);
                (p[(i, j)], p[(j, i)]) = (x, -x.conj());
            }
            p[(j, j)] = T::lit(0.0);
        }
    }
    /// The hermitian part of `diag λ̄ + F∘G`.
    fn hermitian_over_gaps(&self, of_values: &[T], g: &mut DMatrix<T>) {
        let half = T::lit(0.5);
        for j in 0..g.ncols() {
            for i in 0..j {
                let x = (g[(i, j)] - g[(j, i)].conj()) * half / (self.values[j] - self.values[i]);
                (g[(i, j)], g[(j, i)]) = (x, x.conj());
            }
            g[(j, j)] = T::from_re(of_values[j].re());
        }
    }
}

impl<T: Number> LinearMap<T> for Eigenvectors<T> {
    fn apply(&self, tangents: &[Option<&[T]>], out: &mut [T]) {
        let (v, n) = (&self.vectors, self.values.len());
        let da = dense(n, n, tangents[0].expect("a matrix"));
        let mut p = times(Op::Adjoint, v, Op::Plain, &times(Op::Plain, &da, Op::Plain, v));
        for i in 0..n {
            out[i] = T::from_re(p[(i, i)].re());
        }
        self.over_gaps(&mut p);
        let mut dv = times(Op::Plain, v, Op::Plain, &p);
        // The leading entry stays real: v̇ − v·i Im(v̇ₖ)/vₖ.
        for (j, &k) in self.leading.iter().enumerate() {
            let turn = imaginary(dv[(k, j)]) / v[(k, j)];
            (0..n).for_each(|i| dv[(i, j)] -= v[(i, j)] * turn);
        }
        out[n..].copy_from_slice(dv.as_slice());
    }
    /// `Ā` is the hermitian part of `V(diag λ̄ + F∘VᴴV̄)Vᴴ`, where V̄ has lost what turns vectors as wholes.
    fn transpose(&self, cotangent: &[T], out: &mut [Option<&mut [T]>]) {
        let (v, n) = (&self.vectors, self.values.len());
        let (of_values, of_vectors) = cotangent.split_at(n);
        let out = out[0].as_mut().expect("a matrix");
        if of_vectors.iter().all(|x| x.is_exactly_zero()) {
            return add(out, weighted(v, of_values).as_slice());
        }
        let mut p = times(Op::Adjoint, v, Op::Plain, &dense(n, n, of_vectors));
        for (j, &k) in self.leading.iter().enumerate() {
            let turn = imaginary(p[(j, j)]) / v[(k, j)];
            (0..n).for_each(|i| p[(i, j)] += v[(k, i)].conj() * turn);
        }
        self.hermitian_over_gaps(of_values, &mut p);
        add(out, times(Op::Plain, v, Op::Plain, &times(Op::Plain, &p, Op::Adjoint, v)).as_slice());
    }
    fn name(&self) -> &'static str {
        self.name
    }
    fn bytes(&self) -> usize {
        size_of_val(&self.values[..]) + size_of_val(self.vectors.as_slice())
    }
}

/// The eigenvalues alone: `λ̇ᵢ = (VᴴȦV)ᵢᵢ`, the mean of these over eigenvalues that are the same.
#[derive(Clone)]
struct Eigenvalues<P: Machine> {
    found: Rc<Spectrum<P>>,
}

impl<P: Machine> Primitive<P> for Eigenvalues<P> {
    type Map<T: Number<Primal = P, Base = P::Base>> = Quotients<T>;
    fn name(&self) -> &'static str {
        self.found.op
    }
    fn value(&self, _: &[&[P]]) -> Result<Vec<P>, AdError> {
        Ok(self.found.values.iter().map(|&x| P::base(x)).collect())
    }
    fn linearize<T: Number<Primal = P, Base = P::Base>>(
        &self,
        x: Vec<Vec<T>>,
        y: &[T],
    ) -> Result<Quotients<T>, AdError> {
        let n = y.len();
        let whole = T::lift_primitive(&Decomposition { found: self.found.clone() }, &[&x[0]])?;
        Ok(Quotients { vectors: dense(n, n, &whole[n..]), clusters: self.found.clusters() })
    }
    fn leaves_out(&self, _: usize) -> bool {
        true
    }
}

/// The derivative of eigenvalues.
struct Quotients<T> {
    vectors: DMatrix<T>,
    clusters: Vec<core::ops::Range<usize>>,
}

impl<T: Number> Quotients<T> {
    /// Means over clusters.
    fn share(&self, values: &mut [T]) {
        for cluster in self.clusters.iter().filter(|c| c.len() > 1) {
            let mean = T::total(values[cluster.clone()].iter().copied()) / T::lit(cluster.len() as f64);
            values[cluster.clone()].fill(mean);
        }
    }
}

impl<T: Number> LinearMap<T> for Quotients<T> {
    fn apply(&self, tangents: &[Option<&[T]>], out: &mut [T]) {
        let (v, n) = (&self.vectors, out.len());
        let product = times(Op::Plain, &dense(n, n, tangents[0].expect("a matrix")), Op::Plain, v);
        for (j, out) in out.iter_mut().enumerate() {
            let terms = (0..n).map(|i| (v[(i, j)].conj(), product[(i, j)]));
            *out = T::from_re(T::inner_product(terms).re());
        }
        self.share(out);
    }
    fn transpose(&self, cotangent: &[T], out: &mut [Option<&mut [T]>]) {
        let mut weights = cotangent.to_vec();
        self.share(&mut weights);
        add(out[0].as_mut().expect("a matrix"), weighted(&self.vectors, &weights).as_slice());
    }
    fn name(&self) -> &'static str {
        "symmetric_eigenvalues"
    }
    fn bytes(&self) -> usize {
        size_of_val(self.vectors.as_slice())
    }
}

/// The eigenvalues and eigenvectors of a symmetric or hermitian matrix, `A = VΛVᴴ`.
#[derive(Clone, Debug, PartialEq)]
pub struct SymmetricEigen<S: Entry, D: Dim>
where
    DefaultAllocator: Allocator<D> + Allocator<D, D>,
{
    /// The eigenvalues, ascending.
    pub eigenvalues: OVector<S::Re, D>,
    /// The eigenvectors as columns of a unitary matrix, in the order of their values.
    pub eigenvectors: OMatrix<S, D, D>,
}

/// Eigenvalues, ascending, and eigenvectors of a symmetric or hermitian matrix.
///
/// With `P = VᴴȦV` and `Fᵢⱼ = 1/(λⱼ − λᵢ)`, zero on the diagonal: `λ̇ᵢ = Pᵢᵢ`, `V̇ = V(F∘P)`,
/// `Ā = V(diag λ̄ + F∘VᴴV̄)Vᴴ` (M. B. Giles, Collected matrix derivative results, 2008). They are right at diagonal
/// and block-diagonal matrices, where nalgebra's algorithm on dual numbers is not.
///
/// **What is read.** The hermitian part `(A + Aᴴ)/2` of the whole matrix: a tangent counts by its hermitian part, a
/// cotangent is hermitian.
///
/// **Gauge.** In every vector the largest entry (the first of those that are equal to rounding) is real and
/// positive, and stays real: the derivative of a complex vector is turned by `−i Im(v̇ₖ)/vₖ`, so that it is that of
/// a function, to every order. A result that depends on signs or phases depends on this choice.
///
/// # Errors
/// - `Degenerate` if tangents or a tape ask for the derivative where two eigenvalues are the same to rounding (closer
///   than `n·ε·max |λ|`): the vectors have none. [`symmetric_eigenvalues`] has one there, and so has
///   [`symmetric_function`](super::symmetric_function).
/// - `NoConvergence` if an entry is infinite or NaN, or the iteration does not end.
///
/// # Panics
/// If the matrix is not square.
///
/// ```
/// use nalgebra::{matrix, vector};
/// use wengert::{Dual, matrix::symmetric_eigen};
/// let a = matrix![1.0_f64, 0.0; 0.0, 3.0].zip_map(&matrix![0.5, 1.0; 1.0, 0.0], Dual::new);
/// let eigen = symmetric_eigen(&a)?;
/// assert_eq!(eigen.eigenvalues.map(|x| x.value()), vector![1.0, 3.0]);
/// assert_eq!(eigen.eigenvalues.map(|x| x.tangent()), vector![0.5, 0.0]);
/// assert_eq!(eigen.eigenvectors.map(|x| x.tangent()), matrix![0.0, 0.5; -0.5, 0.0]);
/// # Ok::<(), wengert::AdError>(())
/// ```
pub fn symmetric_eigen<S: Entry, D: Dim>(a: &OMatrix<S, D, D>) -> Result<SymmetricEigen<S, D>, AdError>
where
    DefaultAllocator: Allocator<D> + Allocator<D, D>,
{
    let n = square("symmetric_eigen", a);
    let found = Spectrum::new("symmetric_eigen", n, a.as_slice())?;
    let y = S::lift(&Decomposition { found }, &[a.as_slice()])?;
    let (rows, columns) = a.shape_generic();
    Ok(SymmetricEigen {
        eigenvalues: OVector::from_fn_generic(rows, U1, |i, _| y[i].real_part()),
        eigenvectors: OMatrix::from_column_slice_generic(rows, columns, &y[n..]),
    })
}

/// The eigenvalues of a symmetric or hermitian matrix, ascending: `λ̇ᵢ = vᵢᴴȦvᵢ`, `Ā = V diag(λ̄) Vᴴ`.
///
/// The hermitian part of the whole matrix is read, as by [`symmetric_eigen`]. Where eigenvalues are the same to
/// rounding they share: each has the mean of the tangents of all of them, as `max` shares a tie. So sums, traces and
/// other symmetric functions of them have their derivatives, and the largest one has its subgradient of least norm.
///
/// # Errors
/// - `Degenerate` if a derivative of second order is asked for where two eigenvalues are the same to rounding.
/// - `NoConvergence` if an entry is infinite or NaN, or the iteration does not end.
///
/// # Panics
/// If the matrix is not square.
///
/// ```
/// use nalgebra::{matrix, vector};
/// use wengert::{Dual, matrix::symmetric_eigenvalues};
/// let a = matrix![2.0_f64, 1.0; 1.0, 2.0].zip_map(&matrix![0.1, 0.2; 0.2, -0.3], Dual::new);
/// let eigenvalues = symmetric_eigenvalues(&a)?;
/// assert!((eigenvalues.map(|x| x.value()) - vector![1.0, 3.0]).norm() < 1e-14);
/// assert!((eigenvalues.map(|x| x.tangent()) - vector![-0.3, 0.1]).norm() < 1e-14);
/// # Ok::<(), wengert::AdError>(())
/// ```
pub fn symmetric_eigenvalues<S: Entry, D: Dim>(a: &OMatrix<S, D, D>) -> Result<OVector<S::Re, D>, AdError>
where
    DefaultAllocator: Allocator<D> + Allocator<D, D>,
{
    let op = "symmetric_eigenvalues";
    let n = square(op, a);
    let rows = a.shape_generic().0;
    if S::PLAIN {
        let (values, _) = decompose(op, hermitian(op, n, a.as_slice())?, false)?;
        return Ok(OVector::from_fn_generic(rows, U1, |i, _| S::Re::base(values[i])));
    }
    let found = Spectrum::new(op, n, a.as_slice())?;
    let y = S::lift(&Eigenvalues { found }, &[a.as_slice()])?;
    Ok(OVector::from_fn_generic(rows, U1, |i, _| y[i].real_part()))
}
