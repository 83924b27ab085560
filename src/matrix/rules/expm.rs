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
use crate::lift::{Extension, Lanes, Primitive, Series};
use crate::linear_map::LinearMap;
use crate::matrix::kernels::factors::Factors;
use crate::matrix::op::Op;
use crate::matrix::rules::product::times;
use crate::matrix::rules::solve::SolveRule;
use crate::matrix::rules::{add, dense};
use crate::number::{BaseFloat, Machine, Number};

/// `A ↦ eᴬ`.
#[derive(Clone, Copy)]
pub(crate) struct ExpmRule {
    pub(crate) n: usize,
}

impl<P: Machine> Primitive<P> for ExpmRule {
    type Map<T: Extension<P>> = ExpmDerivative<T>;
    fn name(&self) -> &'static str {
        NAME
    }
    fn value(&self, x: &[&[P]]) -> Result<Vec<P>, AdError> {
        let finite = |x: &[P]| x.iter().all(|x| x.all_finite());
        let y =
            if finite(x[0]) { exponential(&dense(self.n, self.n, x[0]))?.data.into() } else { Vec::new() };
        if y.len() == x[0].len() && finite(&y) { Ok(y) } else { Err(AdError::NoConvergence { op: NAME }) }
    }
    fn linearize<T: Extension<P>>(&self, x: Vec<Vec<T>>, _: &[T]) -> Result<Self::Map<T>, AdError> {
        let [a] = x.try_into().expect("a matrix");
        Ok(ExpmDerivative { a: DMatrix::from_vec(self.n, self.n, a) })
    }
    /// All lanes together.
    fn tangents<S: Lanes>(
        &self,
        _: &ExpmDerivative<S::Part>,
        x: &[&[S]],
        _: &[bool],
        y: Vec<S::Part>,
    ) -> Vec<S> {
        let whole = exponential(&dense(self.n, self.n, x[0])).expect("the value exists");
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
        let whole = exponential(&dense(self.n, self.n, x[0]))?;
        let value = |(y, e): (S::Part, &S)| S::of_orders(n, |k| if k == 0 { y } else { e.order_part(k) });
        Ok(y.into_iter().zip(&whole).map(value).collect())
    }
}

/// The derivative of the exponential.
pub(crate) struct ExpmDerivative<T> {
    a: DMatrix<T>,
}

impl<T: Number> LinearMap<T> for ExpmDerivative<T> {
    fn apply(&self, tangents: &[Option<&[T]>], out: &mut [T]) {
        out.copy_from_slice(self.along(Op::Plain, tangents[0].expect("a matrix")).as_slice());
    }
    fn transpose(&self, cotangent: &[T], out: &mut [Option<&mut [T]>]) {
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
        op.of(exponential(&pairs).expect("the value exists").map(|y| y.tangent()))
    }
}

const NAME: &str = "expm";

/// The coefficients of the Padé approximant of degree 13, divided by the first.
const PADE: [f64; 14] = {
    let mut c = [1.0; 14];
    let mut i = 1;
    while i < 14 {
        c[i] = c[i - 1] * (14 - i) as f64 / ((27 - i) * i) as f64;
        i += 1;
    }
    c
};

/// The norms up to which the approximant is accurate to rounding.
const THETA: f64 = 4.25;

/// `Σ cᵢMᵢ`.
fn combination<T: Number, const N: usize>(terms: [(f64, &DMatrix<T>); N]) -> DMatrix<T> {
    let (rows, columns) = terms[0].1.shape();
    let weights = terms.map(|(c, _)| T::Base::from_double(c));
    let sum = |i, j| (1..N).fold(terms[0].1[(i, j)] * weights[0], |s, k| s + terms[k].1[(i, j)] * weights[k]);
    DMatrix::from_fn(rows, columns, sum)
}

/// The binary logarithm of the greatest sum of a column of `|A|ᵖ`, by the values, which are finite; the sums may not be.
fn log_norm<T: Number>(a: &DMatrix<T>, power: usize) -> f64 {
    let mut sizes = a.map(|x| BaseFloat::to_double(Float::min(x.magnitude(), T::Base::max_value())));
    let unit = sizes.iter().fold(0.0, |most: f64, &x| most.max(x));
    if unit == 0.0 {
        return f64::NEG_INFINITY;
    }
    sizes /= unit;
    let (mut sums, mut log) = (DMatrix::from_element(1, a.nrows(), 1.0), 0.0);
    for _ in 0..power {
        sums *= &sizes;
        let largest = sums.max();
        if largest == 0.0 {
            return f64::NEG_INFINITY;
        }
        sums /= largest;
        log += largest.log2() + unit.log2();
    }
    log
}

/// `eᴬ` of finite entries by scaling and squaring, in the arithmetic of `T`: A. H. Al-Mohy & N. J. Higham, A new scaling
/// and squaring algorithm for the matrix exponential, SIAM J. Matrix Anal. Appl. 31 (2009).
fn exponential<T: Number>(a: &DMatrix<T>) -> Result<DMatrix<T>, AdError> {
    let n = a.nrows();
    // As many halvings as keep the powers finite, then more or fewer by the norms of the powers.
    let range = BaseFloat::to_double(Float::log2(T::Base::max_value())) * 0.98;
    let first = [2, 4, 6].map(|power| (log_norm(a, power) - range) / power as f64);
    let first = first.into_iter().fold(0.0, f64::max).ceil();
    let a = combination([((-first).exp2(), a)]);
    let squared = times(Op::Plain, &a, Op::Plain, &a);
    let fourth = times(Op::Plain, &squared, Op::Plain, &squared);
    let sixth = times(Op::Plain, &fourth, Op::Plain, &squared);
    let of_powers = (log_norm(&fourth, 1) / 4.0).max(log_norm(&sixth, 1) / 6.0);
    let scale = (first + (of_powers - THETA.log2()).ceil()).max(0.0) - first;
    // The first term of the backward error, 2⁻¹¹⁶·⁴⁵|A|²⁷, must be below rounding relative to |A|.
    let tail = log_norm(&a, 27) - log_norm(&a, 1) - 26.0 * scale - 116.45;
    let scale = scale + ((tail + 53.0) / 26.0).ceil().max(0.0);
    let [a, second, fourth, sixth] = [(1.0, &a), (2.0, &squared), (4.0, &fourth), (6.0, &sixth)]
        .map(|(degree, m)| combination([((-degree * scale).exp2(), m)]));
    let one = DMatrix::from_diagonal_element(n, n, T::lit(1.0));
    let c = PADE;
    let half = |i: usize| {
        let outer = combination([(c[12 + i], &sixth), (c[10 + i], &fourth), (c[8 + i], &second)]);
        let outer = times(Op::Plain, &sixth, Op::Plain, &outer);
        let inner = [(c[6 + i], &sixth), (c[4 + i], &fourth), (c[2 + i], &second), (c[i], &one)];
        combination(inner) + outer
    };
    let (odd, even) = (times(Op::Plain, &a, Op::Plain, &half(1)), half(0));
    let mut y = divide(&combination([(1.0, &even), (-1.0, &odd)]), &(even + odd))?;
    for _ in 0..(first + scale) as usize {
        y = times(Op::Plain, &y, Op::Plain, &y);
    }
    Ok(y)
}

/// `Q⁻¹P`.
fn divide<T: Number>(q: &DMatrix<T>, p: &DMatrix<T>) -> Result<DMatrix<T>, AdError> {
    let n = q.nrows();
    let factors = Factors::lu(NAME, n, q.as_slice())?;
    let rule = SolveRule { factors, op: Op::Plain, n, columns: n };
    Ok(DMatrix::from_vec(n, n, T::lift_primitive(&rule, &[q.as_slice(), p.as_slice()])?))
}
