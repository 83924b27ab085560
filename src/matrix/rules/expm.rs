//! The exponential, with `L(A, E)` for the upper right block of `exp [A, E; 0, A]`:
//!
//! ```text
//! value      Y = eᴬ
//! tangent    Ẏ = L(A, Ȧ), the algorithm run on dual numbers
//! cotangent  Ā = L(Aᴴ, Ȳ) = L(A, Ȳᴴ)ᴴ
//! ```

use nalgebra::DMatrix;
use num_traits::Float;

use crate::duals::Dual;
use crate::error::AdError;
use crate::lift::{Extension, Primitive, Series, TangentLanes};
use crate::linear_map::LinearMap;
use crate::matrix::kernels::factors::Factors;
use crate::matrix::kernels::small::lu::SmallLu;
use crate::matrix::op::Op;
use crate::matrix::rules::product::times;
use crate::matrix::rules::solve::solved;
use crate::matrix::rules::{add, dense};
use crate::number::{BaseFloat, Number, PrimalNumber};

/// `A ↦ eᴬ`.
#[derive(Clone, Copy)]
pub(crate) struct ExpmRule {
    pub(crate) n: usize,
}

impl<P: PrimalNumber> Primitive<P> for ExpmRule {
    type Map<T: Extension<P>> = ExpmDerivative<T>;
    fn name(&self) -> &'static str {
        NAME
    }
    fn value(&self, x: &[&[P]]) -> Result<Vec<P>, AdError> {
        let finite = |x: &[P]| x.iter().all(|x| x.all_finite());
        if !finite(x[0]) {
            return Err(AdError::NotFinite { op: NAME });
        }
        let y: Vec<P> = exponential(&dense(self.n, self.n, x[0]), 0)?.data.into();
        if finite(&y) { Ok(y) } else { Err(AdError::NoConvergence { op: NAME }) }
    }
    fn linearize<T: Extension<P>>(&self, x: Vec<Vec<T>>, _: &[T]) -> Result<Self::Map<T>, AdError> {
        let [a] = x.try_into().expect("a matrix");
        Ok(ExpmDerivative { a: DMatrix::from_vec(self.n, self.n, a) })
    }
    /// All lanes together.
    fn tangents<S: TangentLanes>(
        &self,
        _: &ExpmDerivative<S::Part>,
        x: &[&[S]],
        _: &[bool],
        y: Vec<S::Part>,
    ) -> Vec<S> {
        let whole =
            exponential(&dense(self.n, self.n, x[0]), order_over::<S::Part>(1)).expect("the value exists");
        y.into_iter().zip(&whole).map(|(y, e)| S::assemble(y, |l| e.lane(l))).collect()
    }
    /// The algorithm run on series.
    fn series<S: Series<Primal = P, Base = P::Base>>(
        &self,
        _: &ExpmDerivative<S::Part>,
        x: &[&[S]],
        y: Vec<S::Part>,
        n: usize,
    ) -> Result<Vec<S>, AdError> {
        let whole = exponential(&dense(self.n, self.n, x[0]), order_over::<S::Part>(n))?;
        Ok(with_values(n, y, whole.as_slice()))
    }
}

/// Series of order `n` with these values.
pub(crate) fn with_values<S: Series>(n: usize, values: Vec<S::Part>, series: &[S]) -> Vec<S> {
    let one = |(y, e): (S::Part, &S)| S::of_orders(n, |k| if k == 0 { y } else { e.order_part(k) });
    values.into_iter().zip(series).map(one).collect()
}

/// The derivative of the exponential.
pub(crate) struct ExpmDerivative<T> {
    a: DMatrix<T>,
}

impl<T: Number> LinearMap<T> for ExpmDerivative<T> {
    fn apply(&self, tangents: &[Option<&[T]>], out: &mut [T]) {
        out.copy_from_slice(self.along(Op::Plain, tangents[0].expect("a matrix")).as_slice());
    }
    fn apply_transpose_add(&self, cotangent: &[T], out: &mut [Option<&mut [T]>]) {
        add(out[0].as_mut().expect("a matrix"), self.along(Op::Adjoint, cotangent).as_slice());
    }
    fn bytes(&self) -> usize {
        size_of_val(self.a.as_slice())
    }
}

impl<T: Number> ExpmDerivative<T> {
    /// `op(L(A, op(E)))`, which is `L(op(A), E)`: for `A` itself the value is known to exist.
    fn along(&self, op: Op, e: &[T]) -> DMatrix<T> {
        let n = self.a.nrows();
        let pairs = self.a.zip_map(&op.of(dense(n, n, e)), Dual::new);
        op.of(exponential(&pairs, order_over::<T>(1)).expect("the value exists").map(|y| y.tangent()))
    }
}

pub(crate) const NAME: &str = "expm";

/// The coefficients of the Padé approximant of a degree, divided by the first.
const fn pade(degree: usize) -> [f64; 14] {
    let mut c = [0.0; 14];
    c[0] = 1.0;
    let mut i = 1;
    while i <= degree {
        c[i] = c[i - 1] * (degree + 1 - i) as f64 / ((2 * degree + 1 - i) * i) as f64;
        i += 1;
    }
    c
}

/// The coefficients of low degrees, with the norms up to which values and first derivatives are accurate to rounding: table
/// 6.1 of A. H. Al-Mohy & N. J. Higham, Computing the Fréchet derivative of the matrix exponential, SIAM J. Matrix Anal.
/// Appl. 30 (2009).
const LOW: [(f64, usize, [f64; 14]); 4] =
    [(1.08e-2, 3, pade(3)), (2e-1, 5, pade(5)), (7.83e-1, 7, pade(7)), (1.78, 9, pade(9))];

/// The norm of powers up to which the highest degree is accurate to rounding, and its coefficients.
const HIGH: (f64, [f64; 14]) = (4.25, pade(13));

/// The degree of the first term of the error of the highest degree, and the binary logarithm of its coefficient.
const ERROR: (usize, f64) = (27, -116.45);

/// The order of derivatives with these orders in numbers over `T`, which have their own; a traced number counts as one.
fn order_over<T: Number>(order: usize) -> usize {
    if T::TRACES { order.saturating_add(1) } else { order.saturating_add(T::ORDER) }
}

/// `Σ cᵢMᵢ`.
fn combination<T: Number, const N: usize>(terms: [(f64, &DMatrix<T>); N]) -> DMatrix<T> {
    let (rows, columns) = terms[0].1.shape();
    let weights = terms.map(|(c, _)| T::Base::from_double(c));
    let entries = terms.map(|(_, m)| &m.as_slice()[..rows * columns]);
    let sum = |k: usize| (1..N).fold(entries[0][k] * weights[0], |s, i| s + entries[i][k] * weights[i]);
    DMatrix::from_iterator(rows, columns, (0..rows * columns).map(sum))
}

/// `M + cI`.
fn shifted<T: Number>(mut m: DMatrix<T>, c: f64) -> DMatrix<T> {
    (0..m.nrows()).for_each(|i| m[(i, i)] += T::lit(c));
    m
}

fn product<T: Number>(a: &DMatrix<T>, b: &DMatrix<T>) -> DMatrix<T> {
    times(Op::Plain, a, Op::Plain, b)
}

/// The size of a finite number, at most the largest float: the modulus of a complex number may overflow.
fn size<T: Number>(x: &T) -> f64 {
    BaseFloat::to_double(Float::min(x.magnitude(), T::Base::max_value()))
}

/// The greatest sum of the sizes of a column, which may be infinite.
fn norm<T: Number>(a: &DMatrix<T>) -> f64 {
    let sum = |column: &[T]| column.iter().map(size).sum::<f64>();
    a.as_slice().chunks_exact(a.nrows().max(1)).map(sum).fold(0.0, f64::max)
}

/// The sizes of entries as multiples of the largest.
struct Sizes {
    rows: usize,
    entries: Vec<f64>,
    /// The binary logarithm of the largest.
    unit: f64,
}

impl Sizes {
    fn new<T: Number>(a: &DMatrix<T>) -> Self {
        let mut entries: Vec<f64> = a.iter().map(size).collect();
        let unit = entries.iter().fold(0.0, |most: f64, &x| most.max(x));
        if unit > 0.0 {
            entries.iter_mut().for_each(|x| *x /= unit);
        }
        Sizes { rows: a.nrows(), entries, unit: unit.log2() }
    }
    /// The binary logarithms of the greatest sums of a column of `|A|ᵖ`, `p = 1, 2, …`.
    fn log_norms(&self) -> impl Iterator<Item = f64> {
        let (mut sums, mut log) = (vec![1.0; self.rows], 0.0);
        std::iter::repeat_with(move || {
            let weighted = |column: &[f64]| {
                let terms = column.iter().zip(&sums).map(|(x, sum)| x * sum);
                terms.sum::<f64>()
            };
            let next: Vec<f64> = self.entries.chunks_exact(self.rows).map(weighted).collect();
            let largest = next.iter().fold(0.0, |most: f64, &x| most.max(x));
            log += largest.log2() + self.unit;
            sums = if largest > 0.0 { next.into_iter().map(|x| x / largest).collect() } else { next };
            log
        })
    }
}

/// `eᴬ` of finite entries with derivatives of an order, by scaling and squaring in the arithmetic of `T`: a low degree by
/// the norm of `A`, or else the highest with the halvings that norms of powers ask for. A. H. Al-Mohy & N. J. Higham, A new
/// scaling and squaring algorithm for the matrix exponential, SIAM J. Matrix Anal. Appl. 31 (2009).
fn exponential<T: Number>(a: &DMatrix<T>, order: usize) -> Result<DMatrix<T>, AdError> {
    let norm = norm(a);
    let low = LOW.iter().find(|(most, ..)| order <= 1 && norm <= *most);
    if let Some((_, degree, c)) = low {
        return by_low_degree(a, *degree, c);
    }
    // As many halvings as keep the powers finite, then more or fewer by the norms of the powers.
    let range = BaseFloat::to_double(Float::log2(T::Base::max_value())) * 0.98;
    let mut first = 0.0;
    if 6.0 * norm.log2() > range {
        for (power, log) in (1..=6).zip(Sizes::new(a).log_norms()).skip(1).step_by(2) {
            first = f64::max(first, ((log - range) / power as f64).ceil());
        }
    }
    let halved = (first > 0.0).then(|| combination([((-first).exp2(), a)]));
    let a = halved.as_ref().unwrap_or(a);
    let second = product(a, a);
    let fourth = product(&second, &second);
    let sixth = product(&fourth, &second);
    let log_norm = |m: &DMatrix<T>| Sizes::new(m).log_norms().next().expect("a power");
    let of_powers = (log_norm(&fourth) / 4.0).max(log_norm(&sixth) / 6.0);
    let (most, c) = &HIGH;
    let scale = (first + (of_powers - most.log2()).ceil()).max(0.0) - first;
    let scale = scale + halvings_for_error(a, scale, order);
    let by = |degree: f64, m: DMatrix<T>| match scale == 0.0 {
        true => m,
        false => combination([((-degree * scale).exp2(), &m)]),
    };
    let [second, fourth, sixth] = [by(2.0, second), by(4.0, fourth), by(6.0, sixth)];
    let half = |i: usize| {
        let outer = combination([(c[12 + i], &sixth), (c[10 + i], &fourth), (c[8 + i], &second)]);
        let inner = combination([(c[6 + i], &sixth), (c[4 + i], &fourth), (c[2 + i], &second)]);
        shifted(inner + product(&sixth, &outer), c[i])
    };
    let odd = by(1.0, product(a, &half(1)));
    let mut y = quotient(odd, half(0))?;
    for _ in 0..(first + scale) as usize {
        y = product(&y, &y);
    }
    Ok(y)
}

/// The halvings after which the first term of the backward error, `|A|²⁷` times its coefficient, is below rounding relative to
/// `|A|`, in coefficients of this order too: `exp` has the coefficients `1/k!`.
fn halvings_for_error<T: Number>(a: &DMatrix<T>, scale: f64, order: usize) -> f64 {
    let (degree, coefficient) = ERROR;
    let needed = |tail: f64| ((tail + 53.0) / (degree - 1) as f64).ceil().max(0.0);
    let smaller = (degree - 1) as f64 * scale;
    // The quotient loses `2ᵏ` in the coefficient of order `k`, each squaring takes the root of the loss.
    let mut of_order = ((order as f64 / 4.0).log2() - scale).ceil().max(0.0);
    if order >= degree {
        let growth: f64 = (0..degree).map(|i| ((order - i) as f64).log2()).sum();
        of_order = of_order.max(needed(growth + coefficient - smaller) + 1.0); // for the terms that follow
    }
    let (sizes, mut own) = (Sizes::new(a), f64::NAN);
    for (power, log) in (1..=degree).zip(sizes.log_norms()) {
        own = if power == 1 { log } else { own };
        // Powers of powers bound the norm.
        if degree % power == 0 {
            let log = log * (degree / power) as f64;
            let by_norm = needed(log - own + coefficient - smaller);
            if by_norm == 0.0 || power == degree {
                return of_order.max(by_norm);
            }
        }
    }
    of_order
}

/// The approximant of at most degree 9.
fn by_low_degree<T: Number>(a: &DMatrix<T>, degree: usize, c: &[f64; 14]) -> Result<DMatrix<T>, AdError> {
    let mut power = product(a, a);
    let [mut odd, mut even] = [c[3], c[2]].map(|c| combination([(c, &power)]));
    let second = (degree > 3).then(|| power.clone());
    for i in (4..degree).step_by(2) {
        power = product(&power, second.as_ref().expect("of a higher degree"));
        let weights = [c[i + 1], c[i]].map(T::Base::from_double);
        odd.zip_apply(&power, |sum, x| *sum += x * weights[0]);
        even.zip_apply(&power, |sum, x| *sum += x * weights[1]);
    }
    quotient(product(a, &shifted(odd, c[1])), shifted(even, c[0]))
}

/// `(E − O)⁻¹(E + O)`.
fn quotient<T: Number>(odd: DMatrix<T>, even: DMatrix<T>) -> Result<DMatrix<T>, AdError> {
    let (n, q, mut p) = (odd.nrows(), &even - &odd, even + odd);
    if let Some(lu) = SmallLu::new(NAME, &q)? {
        lu.solve(Op::Plain, &mut p);
        return Ok(p);
    }
    let factors = Factors::lu(NAME, n, q.as_slice())?;
    Ok(solved(&factors, Op::Plain, &q, &p))
}
