//! Eigenvalues and eigenvectors of general matrices. With `P = V⁻¹ȦV` and `Fᵢⱼ = 1/(λⱼ − λᵢ)`, zero on the diagonal:
//!
//! ```text
//! value      A = VΛV⁻¹
//! tangent    λ̇ᵢ = Pᵢᵢ,  V̇ = V(F∘P)
//! cotangent  Ā = V⁻ᴴ(diag λ̄ + conj F∘VᴴV̄)Vᴴ
//! ```
//!
//! The parts of V̇ and V̄ that change norms or the phases of leading entries are removed (M. B. Giles, Collected
//! matrix derivative results, 2008; C. Boeddeker et al., arXiv:1701.00392).
//!
//! For eigenvalues only, the columns of V that belong to values that are equal to rounding are a basis W of their invariant
//! subspace, `AW = WB`, so Λ is diagonal except for B. Then `λ̇ᵢ = Pᵢᵢ` and `v̇ᵢ` of a simple eigenvalue remain, with
//! `(λᵢI − B)⁻¹` in place of F in the rows of W. Equal eigenvalues share the mean of their Pᵢᵢ, in first order.
//!
//! The results are complex even for a real matrix, but the results of a rule have the type of its arguments. So the
//! rule works on real numbers, the real and imaginary parts. A complex matrix M is stored as `[Re M; Im M]`, and
//! multiplies as `[Re M, −Im M; Im M, Re M]`.

use std::sync::Arc;

use nalgebra::DMatrix;
use num_complex::{Complex, Complex64};
use num_traits::Float;

use crate::error::AdError;
use crate::lift::{Extension, Primitive, Series, by_recurrence, map_groups, views};
use crate::linear_map::LinearMap;
use crate::matrix::kernels::balance::{exponent, limit};
use crate::matrix::kernels::eigen::EigenPairs;
use crate::matrix::kernels::factors::Factors;
use crate::matrix::op::Op;
use crate::matrix::rules::product::{sum_of_products, times};
use crate::matrix::rules::solve::solved;
use crate::matrix::rules::{add, dense};
use crate::number::{BaseFloat, Number, PrimalNumber};

/// `A ↦ Λ`, or `A ↦ (Λ, V)`.
#[derive(Clone)]
pub(crate) struct EigenRule {
    pub(crate) found: Arc<EigenPairs>,
    pub(crate) vectors: bool,
}

impl<P: PrimalNumber> Primitive<P> for EigenRule {
    type Map<T: Extension<P>> = EigenDerivative<P, T>;
    const HELD: usize = 2;
    fn name(&self) -> &'static str {
        self.found.op
    }
    fn value(&self, _: &[&[P]]) -> Result<Vec<P>, AdError> {
        let mut y: Vec<P> = self.found.flat_values().collect();
        if self.vectors {
            for v in self.found.vectors.column_iter() {
                y.extend(v.iter().map(|x| P::lit(x.re)));
                y.extend(v.iter().map(|x| P::lit(x.im)));
            }
        }
        Ok(y)
    }
    fn linearize<T: Extension<P>>(&self, x: Vec<Vec<T>>, y: &[T]) -> Result<Self::Map<T>, AdError> {
        let n = self.found.values.len();
        let (found, basis, factors) = self.resolved()?;
        let (basis, vectors) = if T::PLAIN {
            let basis = basis.map(T::constant_of);
            let vectors = basis.columns(0, n).into_owned();
            (basis, vectors)
        } else {
            found.has_derivatives(2)?;
            let whole = EigenRule { found: found.clone(), vectors: true };
            let vectors = if self.vectors { y } else { &T::lift_primitive(&whole, &views(&x))? };
            let vectors = dense(2 * n, n, &vectors[2 * n..]);
            (embedded(&vectors), vectors)
        };
        let mut map =
            EigenDerivative { found, factors, values: y[..2 * n].to_vec(), vectors, basis, rest: None };
        if self.vectors && !map.found.clusters.is_empty() {
            map.rest = Some(map.rest(&x)?);
        }
        Ok(map)
    }
    /// `a₀vₖ − vₖλ₀ + aₖv₀ − v₀λₖ = Σ (vⱼλₖ₋ⱼ − aⱼvₖ₋ⱼ)`, and norms stay 1: `2 Re v₀ᴴvₖ = −Σ vⱼᴴvₖ₋ⱼ`.
    fn series<S: Series<Primal = P, Base = P::Base>>(
        &self,
        map: &EigenDerivative<P, S::Part>,
        x: &[&[S]],
        y: Vec<S::Part>,
        n: usize,
    ) -> Result<Vec<S>, AdError> {
        if !self.vectors {
            // The map of eigenvalues mixes the columns.
            map.found.has_derivatives(n)?;
            let whole = EigenRule { found: map.found.clone(), vectors: true };
            let all = [&y, map.vectors.as_slice()].concat();
            let with_rest = if n == 1 || map.found.clusters.is_empty() {
                None
            } else {
                Some(whole.linearize(map_groups(x, |x: S| x.order_part(0)), &all)?)
            };
            let map = with_rest.as_ref().unwrap_or(map);
            return Ok(whole.series(map, x, all, n)?[..y.len()].to_vec());
        }
        let size = self.found.values.len();
        let mut matrices: Vec<Option<DMatrix<S::Part>>> = Vec::new();
        Ok(by_recurrence(x, y, n, |orders| {
            let (k, zero) = (orders.next(), S::Part::lit(0.0));
            let parts = [0, 1].map(|group| if group < x.len() { orders.x(group, k) } else { None });
            let matrix = |parts: [Option<&[S::Part]>; 2]| {
                let entry = |i: usize, j: usize| parts[i / size].map_or(zero, |a| a[i % size + j * size]);
                embedded(&DMatrix::from_fn(2 * size, size, entry))
            };
            matrices.push(parts.iter().any(Option::is_some).then(|| matrix(parts)));
            let pairs = matrices
                .iter()
                .enumerate()
                .map(|(j, a)| (a.as_ref().map(DMatrix::as_slice), Some(&orders.y(k - 1 - j)[2 * size..])));
            let factors = [(Op::Plain, (2 * size, 2 * size)), (Op::Plain, (2 * size, size))];
            let mut image = sum_of_products(factors, pairs);
            let mut norms = vec![zero; size];
            for i in orders.between() {
                let (values, v) = (&orders.y(k - i)[..2 * size], &orders.y(i)[2 * size..]);
                let other = &orders.y(k - i)[2 * size..];
                for j in 0..size {
                    let (re, im) = (values[j], values[size + j]);
                    for row in 0..size {
                        let at = row + j * 2 * size;
                        image[(row, j)] -= v[at] * re - v[at + size] * im;
                        image[(row + size, j)] -= v[at] * im + v[at + size] * re;
                    }
                    let column = 2 * size * j..2 * size * (j + 1);
                    norms[j] += S::Part::inner_product(
                        v[column.clone()].iter().copied().zip(other[column].iter().copied()),
                    );
                }
            }
            let mut y = vec![zero; orders.y(0).len()];
            map.of_image(&image, &mut y, k);
            for (j, column) in y[2 * size..].chunks_exact_mut(2 * size).enumerate() {
                let by = norms[j] * S::Part::lit(0.5);
                column.iter_mut().zip(map.vectors.column(j).iter()).for_each(|(y, &v)| *y -= by * v);
            }
            y
        }))
    }
}

impl EigenRule {
    /// The pairs with their vectors as a matrix and its factors; for eigenvalues only, where some are equal to rounding, with
    /// bases of invariant subspaces.
    #[allow(clippy::type_complexity)] // pairs, matrix, factors
    fn resolved<P: PrimalNumber>(&self) -> Result<(Arc<EigenPairs>, DMatrix<P>, Arc<Factors<P>>), AdError> {
        let with_basis = |found: Arc<EigenPairs>| {
            let basis = embedded(&parts::<P>(&found.vectors));
            let factors = Factors::lu(found.op, basis.nrows(), basis.as_slice());
            let factors = factors.map_err(|_| found.closest())?;
            if found.clusters.is_empty() {
                found.distinct(&factors)?;
            }
            Ok((found, basis, factors))
        };
        let (found, eps) = (&self.found, BaseFloat::to_double(<P::Base as Float>::epsilon()));
        with_basis(found.clone()).or_else(|equal| {
            if self.vectors {
                return Err(equal);
            }
            let split = found.split(eps)?;
            split.has_derivatives(1).map_err(|_| equal)?;
            with_basis(split)
        })
    }
}

/// `[Re M; Im M]`.
fn parts<T: Number>(m: &DMatrix<Complex64>) -> DMatrix<T> {
    let n = m.nrows();
    DMatrix::from_fn(2 * n, m.ncols(), |i, j| T::lit(if i < n { m[(i, j)].re } else { m[(i - n, j)].im }))
}

/// `[Re M, −Im M; Im M, Re M]` of `[Re M; Im M]`.
fn embedded<T: Number>(m: &DMatrix<T>) -> DMatrix<T> {
    let (n, columns) = (m.nrows() / 2, m.ncols());
    DMatrix::from_fn(2 * n, 2 * columns, |i, j| match (i < n, j < columns) {
        (_, true) => m[(i, j)],
        (true, _) => -m[(n + i, j - columns)],
        (false, _) => m[(i - n, j - columns)],
    })
}

/// The derivative of eigenvalues and eigenvectors.
pub(crate) struct EigenDerivative<P: PrimalNumber, T> {
    found: Arc<EigenPairs>,
    /// Of `basis`.
    factors: Arc<Factors<P>>,
    values: Vec<T>,
    vectors: DMatrix<T>,
    basis: DMatrix<T>,
    /// For the derivatives of vectors where some eigenvalues are equal.
    rest: Option<Rest<P, T>>,
}

/// The eigenvalues that are equal to others, of all clusters, and the matrix `B` of their subspace, `AW = WB`.
struct Rest<P: PrimalNumber, T> {
    members: Vec<usize>,
    /// For each simple eigenvalue.
    shifted: Vec<Shifted<P, T>>,
}

/// `B − λI` for the simple eigenvalue λ with this index, and the factors of its values.
struct Shifted<P: PrimalNumber, T> {
    index: usize,
    matrix: DMatrix<T>,
    factors: Arc<Factors<P>>,
}

impl<P: PrimalNumber, T: Extension<P>> Shifted<P, T> {
    /// `(B − λI)⁻¹b`, or `(B − λI)⁻ᴴb`.
    fn solve(&self, op: Op, b: &[T]) -> Vec<T> {
        solved(&self.factors, op, &self.matrix, &dense(b.len(), 1, b)).data.into()
    }
}

impl<P: PrimalNumber, T: Extension<P>> EigenDerivative<P, T> {
    fn rows(&self) -> usize {
        self.vectors.ncols()
    }
    /// `V⁻¹M`, or `V⁻ᴴM`.
    fn solve(&self, op: Op, m: &DMatrix<T>) -> DMatrix<T> {
        solved(&self.factors, op, &self.basis, m)
    }
    /// The eigenvalues that are equal to others.
    fn rest(&self, x: &[Vec<T>]) -> Result<Rest<P, T>, AdError> {
        let (n, found) = (self.rows(), &self.found);
        let members: Vec<usize> = found.clusters.iter().flat_map(|c| c.members.iter().copied()).collect();
        let k = members.len();
        let part = |i: usize, at: usize| x.get(i).map_or(T::lit(0.0), |x| x[at]);
        let a = match x[0].is_empty() {
            true => parts(&found.matrix),
            false => DMatrix::from_fn(2 * n, n, |i, j| part(i / n, i % n + j * n)),
        };
        let image = times(Op::Plain, &embedded(&a), Op::Plain, &self.vectors.select_columns(&members));
        let b = self.solve(Op::Plain, &image);
        let shifted = (0..n).filter(|i| !members.contains(i)).map(|index| {
            let entry = |i: usize, j: usize| {
                let value = if i % k == j { self.values[index + i / k * n] } else { T::lit(0.0) };
                b[(members[i % k] + i / k * n, j)] - value
            };
            let matrix = embedded(&DMatrix::from_fn(2 * k, k, entry));
            let factors = Factors::lu(found.op, 2 * k, matrix.map(T::innermost).as_slice());
            Ok(Shifted { index, matrix, factors: factors.map_err(|_| found.closest())? })
        });
        Ok(Rest { shifted: shifted.collect::<Result<_, AdError>>()?, members })
    }
    /// The means over equal eigenvalues of their derivatives of this order, or of their cotangents; NaN where they have no
    /// derivative, also in the tangents of first derivatives.
    fn share(&self, values: &mut [T], order: usize, keeps_zeros: bool) {
        let n = self.rows();
        for (cluster, start) in self.found.clusters.iter().flat_map(|c| [(c, 0), (c, n)]) {
            let members = || cluster.members.iter().map(|i| start + i);
            let mean = T::total(members().map(|i| values[i])) * T::lit(1.0 / cluster.members.len() as f64);
            let without = mean * T::lit(f64::NAN);
            let mean = match (cluster.semisimple && order == 1, T::PLAIN) {
                (false, _) => without,
                (true, false) => without.with_innermost(mean.innermost()),
                (true, true) => mean,
            };
            if !keeps_zeros || members().any(|i| !values[i].is_exactly_zero()) {
                members().for_each(|i| values[i] = mean);
            }
        }
    }
    /// The tangents of the results from `ȦV`.
    fn of_image(&self, image: &DMatrix<T>, out: &mut [T], order: usize) {
        let n = self.rows();
        let mut p = self.solve(Op::Plain, image);
        for i in 0..n {
            (out[i], out[n + i]) = (p[(i, i)], p[(n + i, i)]);
        }
        self.share(out, order, false);
        if out.len() > 2 * n {
            self.over_gaps(false, &mut p);
            let mut dv = times(Op::Plain, &self.basis, Op::Plain, &p);
            self.keep_gauge(&mut dv);
            out[2 * n..].copy_from_slice(dv.as_slice());
        }
    }
    /// `F∘P`, or `conj F∘P`, with zeros on the diagonal. For the subspace W of equal eigenvalues, `(λI − B)⁻¹P` in the rows and
    /// `P(B − λI)⁻¹` in the columns, or their transposes, and zeros in its block.
    fn over_gaps(&self, conjugate: bool, p: &mut DMatrix<T>) {
        let n = self.rows();
        let zero = T::lit(0.0);
        let members = self.rest.as_ref().map_or(&[][..], |rest| &rest.members);
        let is_equal: Vec<bool> = (0..n).map(|i| members.contains(&i)).collect();
        for (i, j) in (0..n).flat_map(|j| (0..n).map(move |i| (i, j))) {
            if is_equal[i] != is_equal[j] {
                continue;
            }
            let (re, im) = (self.values[j] - self.values[i], self.values[n + j] - self.values[n + i]);
            let gap = Complex::new(re, if conjugate { -im } else { im });
            let x = Complex::new(p[(i, j)], p[(n + i, j)]);
            let x = if i == j || is_equal[i] { Complex::new(zero, zero) } else { over(x, gap) };
            (p[(i, j)], p[(n + i, j)]) = (x.re, x.im);
        }
        let k = members.len();
        let (of_rows, of_columns) =
            if conjugate { (Op::Adjoint, Op::Plain) } else { (Op::Plain, Op::Adjoint) };
        for shifted in self.rest.iter().flat_map(|rest| &rest.shifted) {
            let at = |i: usize| members[i % k] + i / k * n;
            let b: Vec<T> = (0..2 * k).map(|i| -p[(at(i), shifted.index)]).collect();
            shifted
                .solve(of_rows, &b)
                .into_iter()
                .enumerate()
                .for_each(|(i, x)| p[(at(i), shifted.index)] = x);
            let at = |i: usize| (shifted.index + i / k * n, members[i % k]);
            let conj = |i: usize, x: T| if i < k { x } else { -x };
            let b: Vec<T> = (0..2 * k).map(|i| conj(i, p[at(i)])).collect();
            shifted.solve(of_columns, &b).into_iter().enumerate().for_each(|(i, x)| p[at(i)] = conj(i, x));
        }
    }
    /// `vᴴw` of the column `j`.
    fn projection(&self, j: usize, w: &DMatrix<T>) -> (T, T) {
        let (n, v) = (self.rows(), &self.vectors);
        let re = T::inner_product((0..2 * n).map(|i| (v[(i, j)], w[(i, j)])));
        let re_im = T::inner_product((0..n).map(|i| (v[(i, j)], w[(n + i, j)])));
        (re, re_im - T::inner_product((0..n).map(|i| (v[(n + i, j)], w[(i, j)]))))
    }
    /// `v̇ = w + cv` with `Re c = −Re vᴴw`, `Im c = −Im(wₖ)/vₖ`: norms stay 1 and leading entries real.
    fn keep_gauge(&self, w: &mut DMatrix<T>) {
        let (n, v) = (self.rows(), &self.vectors);
        for (j, &k) in self.found.leading.iter().enumerate() {
            let (re, im) = (-self.projection(j, w).0, -w[(n + k, j)] / v[(k, j)]);
            for i in 0..n {
                let (x, y) = (v[(i, j)], v[(n + i, j)]);
                w[(i, j)] += re * x - im * y;
                w[(n + i, j)] += re * y + im * x;
            }
        }
    }
    /// The transpose of `keep_gauge`: `w̄ = v̄ − Re(z)v − i(Im z/vₖ)eₖ` with `z = vᴴv̄`.
    fn keep_gauge_transposed(&self, w: &mut DMatrix<T>) {
        let (n, v) = (self.rows(), &self.vectors);
        for (j, &k) in self.found.leading.iter().enumerate() {
            let (re, im) = self.projection(j, w);
            (0..2 * n).for_each(|i| w[(i, j)] -= re * v[(i, j)]);
            w[(n + k, j)] -= im / v[(k, j)];
        }
    }
}

impl<P: PrimalNumber, T: Extension<P>> LinearMap<T> for EigenDerivative<P, T> {
    fn apply(&self, tangents: &[Option<&[T]>], out: &mut [T]) {
        let n = self.rows();
        let part = |i: usize, k: usize| tangents.get(i).copied().flatten().map_or(T::lit(0.0), |t| t[k]);
        let da = DMatrix::from_fn(2 * n, n, |i, j| part(i / n, i % n + j * n));
        self.of_image(&times(Op::Plain, &embedded(&da), Op::Plain, &self.vectors), out, 1);
    }
    /// `Ā = V⁻ᴴ(diag λ̄ + conj F∘VᴴW̄)Vᴴ`.
    fn apply_transpose_add(&self, cotangent: &[T], out: &mut [Option<&mut [T]>]) {
        let n = self.rows();
        let (of_values, of_vectors) = cotangent.split_at(2 * n);
        let mut p = DMatrix::from_element(2 * n, n, T::lit(0.0));
        if of_vectors.iter().any(|x| !x.is_exactly_zero()) {
            let mut w = dense(2 * n, n, of_vectors);
            self.keep_gauge_transposed(&mut w);
            p = times(Op::Adjoint, &self.basis, Op::Plain, &w);
            self.over_gaps(true, &mut p);
        }
        let mut of_values = of_values.to_vec();
        self.share(&mut of_values, 1, true);
        for i in 0..n {
            (p[(i, i)], p[(n + i, i)]) = (of_values[i], of_values[n + i]);
        }
        let k = self.solve(Op::Adjoint, &p);
        let wide = |m: &DMatrix<T>| DMatrix::from_fn(n, 2 * n, |i, j| m[(i + j / n * n, j % n)]);
        let (v, parts) = (wide(&self.vectors), wide(&k));
        if let Some(out) = &mut out[0] {
            add(out, times(Op::Plain, &parts, Op::Adjoint, &v).as_slice());
        }
        if let Some(Some(out)) = out.get_mut(1) {
            let turned =
                DMatrix::from_fn(n, 2 * n, |i, j| if j < n { parts[(i, n + j)] } else { -parts[(i, j - n)] });
            add(out, times(Op::Plain, &turned, Op::Adjoint, &v).as_slice());
        }
    }
    fn bytes(&self) -> usize {
        2 * size_of_val(self.basis.as_slice()) + size_of_val(self.vectors.as_slice())
    }
}

/// `x/gap`, the gap in multiples of a power of two near its size: its square, which the operator forms, may leave the range.
fn over<T: Number>(x: Complex<T>, gap: Complex<T>) -> Complex<T> {
    let size = |x: T| BaseFloat::to_double(x.magnitude());
    let most = limit::<T::Base>();
    let power = exponent(size(gap.re).max(size(gap.im))).unwrap_or(0).clamp(-most, most);
    if 4 * power.abs() < most {
        return x / gap;
    }
    let unit = T::lit(2f64.powi(-power));
    x / (gap * unit) * unit
}
