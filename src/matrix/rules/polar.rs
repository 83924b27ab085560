//! The unitary polar factor: the nearest matrix with orthonormal columns (or rows). For a tall matrix `A = WP`, with `P`
//! hermitian and positive definite:
//!
//! ```text
//! value      W = UVᴴ, by A = UΣVᴴ; P = VΣVᴴ
//! tangent    Ẇ = WΩ + (I−WWᴴ)ȦP⁻¹, PΩ + ΩP = WᴴȦ − ȦᴴW
//! cotangent  the same map of W̄: it is its own transpose
//! ```
//!
//! Singular vectors are not differentiated: where values are equal they have no derivative, and `W` has one. For a wide
//! matrix it is the adjoint of the polar factor of the adjoint.

use std::sync::Arc;

use nalgebra::DMatrix;

use crate::error::AdError;
use crate::lift::{Extension, Primitive, Series, by_recurrence};
use crate::linear_map::LinearMap;
use crate::matrix::kernels::factors::Factors;
use crate::matrix::kernels::svd::PrimalSvd;
use crate::matrix::op::Op;
use crate::matrix::rules::product::{sum_of_products, times};
use crate::matrix::rules::solve::SolveRule;
use crate::matrix::rules::svd::scale_columns;
use crate::matrix::rules::{add, dense, with_rest};
use crate::number::{BaseFloat, Number, PrimalNumber};

/// `A ↦ W`.
#[derive(Clone)]
pub(crate) struct PolarRule<P: PrimalNumber> {
    pub(crate) op: &'static str,
    pub(crate) of: Arc<PrimalSvd<P>>,
}

impl<P: PrimalNumber> PolarRule<P> {
    /// The shape of the matrix.
    fn shape(&self) -> (usize, usize) {
        (self.of.u.nrows(), self.of.v.nrows())
    }
    /// `Plain` for a tall or square matrix, `Adjoint` for a wide one.
    fn op(&self) -> Op {
        let (rows, columns) = self.shape();
        if rows >= columns { Op::Plain } else { Op::Adjoint }
    }
    /// The right singular vectors of the tall matrix.
    fn right(&self) -> &DMatrix<P> {
        if self.op() == Op::Plain { &self.of.v } else { &self.of.u }
    }
    /// The tall matrix of these entries.
    fn tall<T: Number>(&self, entries: &[T]) -> DMatrix<T> {
        let (rows, columns) = self.shape();
        self.op().of(dense(rows, columns, entries))
    }
}

impl<P: PrimalNumber> Primitive<P> for PolarRule<P> {
    type Map<T: Extension<P>> = PolarDerivative<P, T>;
    const HELD: usize = 1;
    fn name(&self) -> &'static str {
        self.op
    }
    fn value(&self, _: &[&[P]]) -> Result<Vec<P>, AdError> {
        Ok(times(Op::Plain, &self.of.u, Op::Adjoint, &self.of.v).data.into())
    }
    fn linearize<T: Extension<P>>(&self, x: Vec<Vec<T>>, y: &[T]) -> Result<Self::Map<T>, AdError> {
        let (noise, k) = (self.of.noise(), self.of.values.len());
        if self.of.values.iter().any(|&s| s <= noise) {
            return Err(AdError::Singular { op: self.op });
        }
        let w = self.tall(y);
        let turn = TurnRule(self.clone());
        let vectors = self.right();
        let mut scaled = vectors.clone();
        let values: Vec<P> = self.of.values.iter().map(|&s| P::base(s)).collect();
        scale_columns(&mut scaled, &values);
        let of_p = times(Op::Plain, &scaled, Op::Adjoint, vectors);
        let p = if T::PLAIN {
            of_p.map(T::constant_of)
        } else {
            times(Op::Adjoint, &w, Op::Plain, &self.tall(&x[0]))
        };
        let rest = if w.nrows() > k {
            let solver = Factors::lu(self.op, k, of_p.as_slice())?;
            Some(SolveRule { solver, op: Op::Plain, n: k, columns: w.nrows() })
        } else {
            None
        };
        Ok(PolarDerivative { turn, rest, w, p: p.data.into() })
    }
    /// Order by order from `A = WP` with `P = WᴴA` and `WᴴW = I`, of the adjoint of a wide matrix: without singular
    /// vectors, whose derivatives grow where values are close.
    fn series<S: Series<Primal = P, Base = P::Base>>(
        &self,
        map: &PolarDerivative<P, S::Part>,
        x: &[&[S]],
        y: Vec<S::Part>,
        n: usize,
    ) -> Result<Vec<S>, AdError> {
        let (op, shape) = (self.op(), self.shape());
        let tall = |entries: &[S::Part]| self.tall(entries);
        let square = |left: &[DMatrix<S::Part>], right: &[DMatrix<S::Part>]| {
            let pairs = left.iter().zip(right.iter().rev());
            let pairs = pairs.map(|(x, y)| (Some(x.as_slice()), Some(y.as_slice())));
            sum_of_products([(Op::Adjoint, op.shape(shape)), (Op::Plain, op.shape(shape))], pairs)
        };
        let (mut a, mut w, mut p) = (Vec::new(), vec![tall(&y)], Vec::new());
        a.push(tall(&x[0].iter().map(|x| x.order_part(0)).collect::<Vec<_>>()));
        Ok(by_recurrence(x, y, n, |orders| {
            let k = orders.next();
            p.push(square(&w, &a));
            let turn = times(Op::Plain, &w[0], Op::Plain, &(square(&w[1..], &w[1..]) * S::Part::lit(-0.5)));
            let known = times(Op::Plain, &turn, Op::Plain, &p[0]);
            let known = (1..k).fold(known, |sum, i| sum + times(Op::Plain, &w[i], Op::Plain, &p[k - i]));
            let mut y = with_rest(map, orders, &[(0, op.of(known))]);
            add(&mut y, op.of(turn).as_slice());
            a.push(orders.x(0, k).map_or_else(|| &a[0] * S::Part::lit(0.0), tall));
            w.push(tall(&y));
            y
        }))
    }
}

/// The derivative of a polar factor.
pub(crate) struct PolarDerivative<P: PrimalNumber, T> {
    turn: TurnRule<P>,
    /// `B ↦ P⁻¹B`, if the matrix is not square.
    rest: Option<SolveRule<Arc<Factors<P>>>>,
    /// The factors of the tall matrix.
    w: DMatrix<T>,
    p: Vec<T>,
}

impl<P: PrimalNumber, T: Extension<P>> PolarDerivative<P, T> {
    fn of(&self, da: &[T]) -> DMatrix<T> {
        let (rule, p) = (&self.turn.0, &self.p[..]);
        let da = rule.tall(da);
        let mut m = times(Op::Adjoint, &self.w, Op::Plain, &da);
        let beside = self.rest.as_ref().map(|rule| {
            let b = Op::Adjoint.of(da - times(Op::Plain, &self.w, Op::Plain, &m));
            let x = T::lift_primitive(rule, &[p, b.as_slice()]).expect("a regular matrix");
            Op::Adjoint.of(dense(rule.n, rule.columns, &x))
        });
        m -= Op::Adjoint.of(m.clone());
        let turn = T::lift_primitive(&self.turn, &[p, m.as_slice()]).expect("sums of singular values");
        let mut dw = times(Op::Plain, &self.w, Op::Plain, &dense(m.nrows(), m.nrows(), &turn));
        if let Some(beside) = beside {
            dw += beside;
        }
        rule.op().of(dw)
    }
}

impl<P: PrimalNumber, T: Extension<P>> LinearMap<T> for PolarDerivative<P, T> {
    fn apply(&self, tangents: &[Option<&[T]>], out: &mut [T]) {
        out.copy_from_slice(self.of(tangents[0].expect("a matrix")).as_slice());
    }
    fn apply_transpose_add(&self, cotangent: &[T], out: &mut [Option<&mut [T]>]) {
        add(out[0].as_mut().expect("a matrix"), self.of(cotangent).as_slice());
    }
    fn bytes(&self) -> usize {
        let held = if self.rest.is_some() { size_of::<P>() * self.p.len() } else { 0 };
        held + size_of_val(self.w.as_slice()) + size_of_val(&self.p[..])
    }
}

/// `(P, K) ↦ Ω` of `PΩ + ΩP = K` for an antihermitian K: `Ω = V((VᴴKV)∘1/(σᵢ+σⱼ))Vᴴ`. The hermitian part of K is rounding,
/// and is left out: it would be divided by a small σ.
///
/// ```text
/// tangent    PΩ̇ + Ω̇P = K̇ − ṖΩ − ΩṖ
/// cotangent  K̄ of PK̄ + K̄P = Ω̄;  P̄ = −K̄Ωᴴ − ΩᴴK̄
/// ```
#[derive(Clone)]
struct TurnRule<P: PrimalNumber>(PolarRule<P>);

impl<P: PrimalNumber> Primitive<P> for TurnRule<P> {
    type Map<T: Extension<P>> = TurnDerivative<P, T>;
    const HELD: usize = 1;
    fn name(&self) -> &'static str {
        self.0.op
    }
    fn value(&self, x: &[&[P]]) -> Result<Vec<P>, AdError> {
        let (v, s) = (self.0.right(), &self.0.of.values);
        let k = s.len();
        let turned = times(Op::Adjoint, v, Op::Plain, &times(Op::Plain, &dense(k, k, x[1]), Op::Plain, v));
        let half = P::Base::from_double(0.5);
        let entry = |i: usize, j: usize| (turned[(i, j)] - turned[(j, i)].conj()) * (half / (s[i] + s[j]));
        let turned = times(Op::Plain, v, Op::Plain, &DMatrix::from_fn(k, k, entry));
        Ok(times(Op::Plain, &turned, Op::Adjoint, v).data.into())
    }
    fn linearize<T: Extension<P>>(&self, x: Vec<Vec<T>>, y: &[T]) -> Result<Self::Map<T>, AdError> {
        let [p, _] = x.try_into().expect("two matrices");
        let k = self.0.of.values.len();
        Ok(TurnDerivative { rule: self.clone(), p, turn: dense(k, k, y) })
    }
}

/// The derivative of a turn.
struct TurnDerivative<P: PrimalNumber, T> {
    rule: TurnRule<P>,
    p: Vec<T>,
    turn: DMatrix<T>,
}

impl<P: PrimalNumber, T: Extension<P>> TurnDerivative<P, T> {
    fn solve(&self, k: &[T]) -> Vec<T> {
        T::lift_primitive(&self.rule, &[&self.p, k]).expect("sums of singular values")
    }
    /// `XΩ + ΩX`, or with `Ωᴴ`.
    fn both(&self, op: Op, x: &[T]) -> DMatrix<T> {
        let x = dense(self.turn.nrows(), self.turn.nrows(), x);
        times(Op::Plain, &x, op, &self.turn) + times(op, &self.turn, Op::Plain, &x)
    }
}

impl<P: PrimalNumber, T: Extension<P>> LinearMap<T> for TurnDerivative<P, T> {
    fn apply(&self, tangents: &[Option<&[T]>], out: &mut [T]) {
        let mut rest = tangents[1].map_or(vec![T::lit(0.0); out.len()], <[T]>::to_vec);
        if let Some(dp) = tangents[0] {
            rest.iter_mut().zip(self.both(Op::Plain, dp).as_slice()).for_each(|(r, &t)| *r -= t);
        }
        out.copy_from_slice(&self.solve(&rest));
    }
    fn apply_transpose_add(&self, cotangent: &[T], out: &mut [Option<&mut [T]>]) {
        let to_k = self.solve(cotangent);
        if let Some(out) = &mut out[0] {
            add(out, (-self.both(Op::Adjoint, &to_k)).as_slice());
        }
        if let Some(out) = &mut out[1] {
            add(out, &to_k);
        }
    }
    fn bytes(&self) -> usize {
        size_of_val(&self.p[..]) + size_of_val(self.turn.as_slice())
    }
}
