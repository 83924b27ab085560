//! The equations of Sylvester and Lyapunov.

use std::rc::Rc;

use nalgebra::{DMatrix, DefaultAllocator, Dim, OMatrix, allocator::Allocator};
use num_complex::Complex64;

use super::balance::unit;
use super::schur::{SchurForm, complex, machine};
use super::{Entry, Op, add, demand, dense, square, times};
use crate::error::AdError;
use crate::linear_map::LinearMap;
use crate::number::{Machine, Number};
use crate::primitive::Primitive;

/// `AX + XB` as an operator, by Schur forms `A = QTQᴴ` and `B = USUᴴ`.
struct Operator {
    a: SchurForm,
    b: SchurForm,
}

impl Operator {
    /// Singular if two eigenvalues add to zero, to the rounding `eps` of the entries.
    fn new(op: &'static str, a: SchurForm, b: SchurForm, eps: f64) -> Result<Rc<Self>, AdError> {
        let n = (a.triangular.nrows() + b.triangular.nrows()) as f64;
        let unit = a.unit.max(b.unit);
        let [a, b] = [a, b].map(|form| form.in_units_of(unit));
        let noise = n * eps * (a.triangular.norm() + b.triangular.norm());
        let [t, s] = [&a.triangular, &b.triangular].map(DMatrix::diagonal);
        let vanishes = t.iter().any(|t| s.iter().any(|s| (t + s).norm() <= noise));
        if vanishes { Err(AdError::Singular { op }) } else { Ok(Rc::new(Operator { a, b })) }
    }
    /// `X` of `AX + XB = C`, or of `AᴴX + XBᴴ = C`: with `C = QFUᴴ` and `X = QYUᴴ` it is `TY + YS = F`, a triangular
    /// system for each column (R. H. Bartels & G. W. Stewart, Commun. ACM 15, 1972).
    fn solve(&self, adjoint: bool, c: &DMatrix<Complex64>) -> DMatrix<Complex64> {
        let (q, t) = (&self.a.unitary, &self.a.triangular);
        let (u, s) = (&self.b.unitary, &self.b.triangular);
        let (m, n) = (t.nrows(), s.nrows());
        let unit = unit(c.iter().fold(0.0, |most: f64, x| most.max(x.re.abs()).max(x.im.abs())));
        let c = if unit == 1.0 { c.clone() } else { c.unscale(unit) };
        let mut y = q.adjoint() * c * u;
        let forward = |n: usize, yes: bool| (0..n).map(move |i| if yes { i } else { n - 1 - i });
        for j in forward(n, !adjoint) {
            for k in if adjoint { j + 1..n } else { 0..j } {
                let factor = if adjoint { s[(j, k)].conj() } else { s[(k, j)] };
                let known = y.column(k).clone_owned();
                y.column_mut(j).axpy(-factor, &known, Complex64::new(1.0, 0.0));
            }
            for i in forward(m, adjoint) {
                let diagonal = t[(i, i)] + s[(j, j)];
                y[(i, j)] /= if adjoint { diagonal.conj() } else { diagonal };
                let x = y[(i, j)];
                for k in if adjoint { i + 1..m } else { 0..i } {
                    let factor = if adjoint { t[(i, k)].conj() } else { t[(k, i)] };
                    y[(k, j)] -= factor * x;
                }
            }
        }
        let x = q * y * u.adjoint();
        if self.a.unit == unit { x } else { x * Complex64::from(unit / self.a.unit) }
    }
}

/// The rounding of the machine float under a number.
fn rounding<S: Entry>() -> f64 {
    crate::number::BaseFloat::to_double(<S::Base as num_traits::Float>::epsilon())
}

/// `op(A)X + X op(B) = C`: `op(A)Ẋ + Ẋ op(B) = Ċ − op(Ȧ)X − X op(Ḃ)`; with `op(A)ᴴC̄ + C̄ op(B)ᴴ = X̄`, the cotangents
/// of `op(A)` and `op(B)` are `−C̄Xᴴ` and `−XᴴC̄`.
#[derive(Clone)]
struct Equation {
    name: &'static str,
    operator: Rc<Operator>,
    adjoint: bool,
    shape: (usize, usize),
}

impl Equation {
    fn op(&self) -> Op {
        if self.adjoint { Op::Adjoint } else { Op::Plain }
    }
}

impl<P: Machine> Primitive<P> for Equation {
    type Map<T: Number<Primal = P, Base = P::Base>> = Solution<T>;
    fn name(&self) -> &'static str {
        self.name
    }
    fn value(&self, x: &[&[P]]) -> Result<Vec<P>, AdError> {
        let c = DMatrix::from_iterator(self.shape.0, self.shape.1, x[2].iter().map(|&x| complex(x)));
        Ok(self.operator.solve(self.adjoint, &c).iter().map(|&x| machine(x)).collect())
    }
    fn linearize<T: Number<Primal = P, Base = P::Base>>(
        &self,
        x: Vec<Vec<T>>,
        y: &[T],
    ) -> Result<Solution<T>, AdError> {
        let [a, b, _] = x.try_into().expect("three matrices");
        Ok(Solution { rule: self.clone(), a, b, x: dense(self.shape.0, self.shape.1, y) })
    }
    fn leaves_out(&self, group: usize) -> bool {
        group < 2
    }
}

/// The derivative of a solution.
struct Solution<T> {
    rule: Equation,
    a: Vec<T>,
    b: Vec<T>,
    x: DMatrix<T>,
}

impl<T: Number> Solution<T> {
    fn solve(&self, rule: &Equation, c: &[T]) -> Vec<T> {
        T::lift_primitive(rule, &[&self.a, &self.b, c]).expect("the factors exist")
    }
}

impl<T: Number> LinearMap<T> for Solution<T> {
    fn apply(&self, tangents: &[Option<&[T]>], out: &mut [T]) {
        let ((m, n), op) = (self.rule.shape, self.rule.op());
        let mut rest = tangents[2].map_or(vec![T::lit(0.0); m * n], <[T]>::to_vec);
        let of_a = tangents[0].map(|da| times(op, &dense(m, m, da), Op::Plain, &self.x));
        let of_b = tangents[1].map(|db| times(Op::Plain, &self.x, op, &dense(n, n, db)));
        for term in [of_a, of_b].into_iter().flatten() {
            rest.iter_mut().zip(term.as_slice()).for_each(|(r, &t)| *r -= t);
        }
        out.copy_from_slice(&self.solve(&self.rule, &rest));
    }
    fn transpose(&self, cotangent: &[T], out: &mut [Option<&mut [T]>]) {
        let ((m, n), op) = (self.rule.shape, self.rule.op());
        let rule = Equation { adjoint: !self.rule.adjoint, ..self.rule.clone() };
        let c = DMatrix::from_vec(m, n, self.solve(&rule, cotangent));
        let [to_a, to_b, to_c] = out else { unreachable!("three matrices") };
        if let Some(out) = to_a {
            add(out, op.of(-times(Op::Plain, &c, Op::Adjoint, &self.x)).as_slice());
        }
        if let Some(out) = to_b {
            add(out, op.of(-times(Op::Adjoint, &self.x, Op::Plain, &c)).as_slice());
        }
        if let Some(out) = to_c {
            add(out, c.as_slice());
        }
    }
    fn name(&self) -> &'static str {
        self.rule.name
    }
    fn bytes(&self) -> usize {
        let factors = [&self.rule.operator.a, &self.rule.operator.b]
            .map(|f| size_of_val(f.unitary.as_slice()) + size_of_val(f.triangular.as_slice()));
        factors[0] + factors[1] + size_of::<T>() * (self.a.len() + self.b.len() + self.x.len())
    }
}

/// `X` of Sylvester's equation `AX + XB = C`: `AẊ + ẊB = Ċ − ȦX − XḂ`; `AᴴC̄ + C̄Bᴴ = X̄`, `Ā = −C̄Xᴴ`, `B̄ = −XᴴC̄`.
///
/// By the Schur forms of `A` and `B` (R. H. Bartels & G. W. Stewart, Commun. ACM 15, 1972), which are computed once
/// and serve value, tangents, cotangents and all nested ones.
///
/// # Errors
/// - `Singular` if an eigenvalue of `A` and one of `B` add to zero, to rounding.
/// - `NoConvergence` if an entry of `A` or `B` is infinite or NaN, or the iteration does not end.
///
/// # Panics
/// If `A` (m × m) or `B` (n × n) is not square, or `C` is not m × n.
///
/// ```
/// use nalgebra::{matrix, vector};
/// use wengert::{Dual, matrix::sylvester};
/// // (2 + 3)·x = 10, ẋ = (ċ − ȧx − xḃ)/5
/// let [a, b, c] = [(2.0, 1.0), (3.0, 0.0), (10.0, 0.0)].map(|(x, dx)| matrix![Dual::new(x, dx)]);
/// let x = sylvester(&a, &b, &c)?[0];
/// assert!((x.value() - 2.0_f64).abs() < 1e-15 && (x.tangent() + 0.4).abs() < 1e-15);
/// # Ok::<(), wengert::AdError>(())
/// ```
#[track_caller]
pub fn sylvester<S: Entry, R: Dim, C: Dim>(
    a: &OMatrix<S, R, R>,
    b: &OMatrix<S, C, C>,
    c: &OMatrix<S, R, C>,
) -> Result<OMatrix<S, R, C>, AdError>
where
    DefaultAllocator: Allocator<R, R> + Allocator<C, C> + Allocator<R, C>,
{
    let name = "sylvester";
    let (m, n) = (square(name, a), square(name, b));
    demand(name, "right-hand side", (m, n), c.shape());
    let of_a = SchurForm::new(name, m, a.as_slice())?;
    let operator = Operator::new(name, of_a, SchurForm::new(name, n, b.as_slice())?, rounding::<S>())?;
    let rule = Equation { name, operator, adjoint: false, shape: (m, n) };
    let x = S::lift(&rule, &[a.as_slice(), b.as_slice(), c.as_slice()])?;
    let (rows, columns) = c.shape_generic();
    Ok(OMatrix::from_vec_generic(rows, columns, x))
}

/// `X` of Lyapunov's equation `AX + XAᴴ = Q` (`AX + XAᵀ = Q` for real numbers): `AẊ + ẊAᴴ = Q̇ − ȦX − XȦᴴ`;
/// `AᴴQ̄ + Q̄A = X̄`, `Ā = −Q̄Xᴴ − Q̄ᴴX`. `Q` may be any matrix; where it is hermitian, so is `X`.
///
/// By the Schur form of `A`, as [`sylvester`].
///
/// # Errors
/// - `Singular` if an eigenvalue of `A` and the conjugate of one add to zero, to rounding.
/// - `NoConvergence` if an entry of `A` is infinite or NaN, or the iteration does not end.
///
/// # Panics
/// If `A` is not square or `Q` has another shape.
///
/// ```
/// use nalgebra::matrix;
/// use wengert::matrix::lyapunov;
/// let a = matrix![-1.0, 2.0; 0.0, -3.0];
/// let x = lyapunov(&a, &matrix![-1.0, 0.0; 0.0, -1.0])?;
/// assert!((a * x + x * a.transpose() + matrix![1.0, 0.0; 0.0, 1.0]).norm() < 1e-15);
/// # Ok::<(), wengert::AdError>(())
/// ```
#[track_caller]
pub fn lyapunov<S: Entry, D: Dim>(
    a: &OMatrix<S, D, D>,
    q: &OMatrix<S, D, D>,
) -> Result<OMatrix<S, D, D>, AdError>
where
    DefaultAllocator: Allocator<D, D>,
{
    let name = "lyapunov";
    let n = square(name, a);
    demand(name, "right-hand side", (n, n), q.shape());
    let form = SchurForm::new(name, n, a.as_slice())?;
    let adjoint = form.adjoint();
    let rule = Equation {
        name,
        operator: Operator::new(name, form, adjoint, rounding::<S>())?,
        adjoint: false,
        shape: (n, n),
    };
    let b = a.transpose().map(|x| x.conjugated());
    let x = S::lift(&rule, &[a.as_slice(), b.as_slice(), q.as_slice()])?;
    let (rows, columns) = q.shape_generic();
    Ok(OMatrix::from_vec_generic(rows, columns, x))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::matrix::adjoint::{check, numbers};
    use num_complex::Complex64;

    #[test]
    fn cotangents_are_those_of_the_tangents() {
        let [a, b, c]: [Vec<Complex64>; 3] =
            [(16, 1.0), (9, 2.0), (12, 3.0)].map(|(n, seed)| numbers(n, seed));
        let forms =
            (SchurForm::new("sylvester", 4, &a).unwrap(), SchurForm::new("sylvester", 3, &b).unwrap());
        let operator = Operator::new("sylvester", forms.0, forms.1, f64::EPSILON).unwrap();
        for adjoint in [false, true] {
            let rule = Equation { name: "sylvester", operator: operator.clone(), adjoint, shape: (4, 3) };
            check(&rule, &[&a, &b, &c]);
        }
    }

    #[test]
    fn opposite_eigenvalues_are_an_error() {
        let a = nalgebra::matrix![1.0, 5.0; 0.0, -2.0];
        assert_eq!(sylvester(&a, &-a, &a), Err(AdError::Singular { op: "sylvester" }));
        assert_eq!(lyapunov(&(a * 0.0), &a), Err(AdError::Singular { op: "lyapunov" }));
    }
}
