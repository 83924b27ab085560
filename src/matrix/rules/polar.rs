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
use crate::matrix::rules::solve::solved;
use crate::matrix::rules::svd::scale_columns;
use crate::matrix::rules::system::{LinearSystem, SystemRule};
use crate::matrix::rules::{add, dense, subtract, with_rest};
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
        let is_square = w.nrows() == k;
        let factors = if is_square { None } else { Some(Factors::lu(self.op, k, of_p.as_slice())?) };
        Ok(PolarDerivative { turn: SystemRule(TurnSystem(self.clone())), factors, w, p })
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
            let mut y = with_rest(map, orders, &op.of(known));
            add(&mut y, op.of(turn).as_slice());
            a.push(orders.x(0, k).map_or_else(|| &a[0] * S::Part::lit(0.0), tall));
            w.push(tall(&y));
            y
        }))
    }
}

/// The derivative of a polar factor.
pub(crate) struct PolarDerivative<P: PrimalNumber, T> {
    turn: SystemRule<TurnSystem<P>>,
    /// Of `P`, if the matrix is not square.
    factors: Option<Arc<Factors<P>>>,
    /// The factors of the tall matrix.
    w: DMatrix<T>,
    p: DMatrix<T>,
}

impl<P: PrimalNumber, T: Extension<P>> PolarDerivative<P, T> {
    fn of(&self, da: &[T]) -> DMatrix<T> {
        let rule = &self.turn.0.0;
        let da = rule.tall(da);
        let mut m = times(Op::Adjoint, &self.w, Op::Plain, &da);
        let beside = self.factors.as_ref().map(|factors| {
            let b = Op::Adjoint.of(da - times(Op::Plain, &self.w, Op::Plain, &m));
            Op::Adjoint.of(solved(factors, Op::Plain, &self.p, &b))
        });
        m -= Op::Adjoint.of(m.clone());
        let groups = [self.p.as_slice(), m.as_slice()];
        let turn = T::lift_primitive(&self.turn, &groups).expect("sums of singular values");
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
        let held = if self.factors.is_some() { size_of::<P>() * self.p.len() } else { 0 };
        held + size_of_val(self.w.as_slice()) + size_of_val(self.p.as_slice())
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
struct TurnSystem<P: PrimalNumber>(PolarRule<P>);

impl<P: PrimalNumber> TurnSystem<P> {
    /// `XΩ + ΩX`, or with `Ωᴴ`.
    fn both<T: Number>(op: Op, x: &DMatrix<T>, turn: &DMatrix<T>) -> DMatrix<T> {
        times(Op::Plain, x, op, turn) + times(op, turn, Op::Plain, x)
    }
}

impl<P: PrimalNumber> LinearSystem<P> for TurnSystem<P> {
    const MATRICES: usize = 1;
    const HELD: usize = 1;
    fn name(&self) -> &'static str {
        self.0.op
    }
    fn split<T: Number>(&self, turn: &[T]) -> [DMatrix<T>; 2] {
        [dense(self.0.of.values.len(), self.0.of.values.len(), turn), DMatrix::default()]
    }
    fn solve(&self, _: &[&[P]], k: &[&[P]]) -> Vec<P> {
        let (v, s) = (self.0.right(), &self.0.of.values);
        let k = dense(s.len(), s.len(), k[0]);
        let turned = times(Op::Adjoint, v, Op::Plain, &times(Op::Plain, &k, Op::Plain, v));
        let half = P::Base::from_double(0.5);
        let entry = |i: usize, j: usize| (turned[(i, j)] - turned[(j, i)].conj()) * (half / (s[i] + s[j]));
        let turned = times(Op::Plain, v, Op::Plain, &DMatrix::from_fn(s.len(), s.len(), entry));
        times(Op::Plain, &turned, Op::Adjoint, v).data.into()
    }
    fn adjoint(&self) -> Self {
        self.clone()
    }
    fn push<T: Number>(&self, _: usize, dp: &[T], turn: &[DMatrix<T>; 2], rest: &mut [DMatrix<T>; 2]) {
        let dp = dense(rest[0].nrows(), rest[0].ncols(), dp);
        rest[0] -= Self::both(Op::Plain, &dp, &turn[0]);
    }
    fn pull<T: Number>(&self, _: usize, k: &[DMatrix<T>; 2], turn: &[DMatrix<T>; 2], out: &mut [T]) {
        subtract(out, Self::both(Op::Adjoint, &k[0], &turn[0]).as_slice());
    }
    fn bytes(&self) -> usize {
        0
    }
}
