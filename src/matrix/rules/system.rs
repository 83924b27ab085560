//! Square systems of linear equations, `M(A)·Y = C`, where `M` is linear in one or several matrices `A`. The equations of a
//! derivative are a system with the same matrices, and of a cotangent with the adjoint of `M`:
//!
//! ```text
//! value      M(A)·Y = C
//! tangent    M(A)·Ẏ = Ċ − M(Ȧ)·Y
//! cotangent  M(A)ᴴ·C̄ = Ȳ,  Ā = −Lᴴ·C̄ of the map L = (Ȧ ↦ M(Ȧ)·Y)
//! ```
//!
//! The coefficients of a series follow likewise, `M(A₀)·yₖ = cₖ − Σ M(Aⱼ)·yₖ₋ⱼ`, `j = 1..k`.

use crate::number::array::from_fn;

use nalgebra::DMatrix;

use crate::error::AdError;
use crate::lift::{Extension, Primitive, Series, TangentLanes, by_recurrence, lane_by_lane};
use crate::linear_map::LinearMap;
use crate::matrix::rules::{add, dense};
use crate::number::{Number, Passive, PrimalNumber};

/// The equations of a system, and how they are solved.
pub(crate) trait LinearSystem<P: PrimalNumber>: Clone + Passive + Send + Sync + 'static {
    /// The number of matrices; right-hand sides of the shapes of the results follow them.
    const MATRICES: usize;
    /// The number of matrices whose values it holds.
    const HELD: usize;
    /// The operation's name.
    fn name(&self) -> &'static str;
    /// The number of results, which are matrices.
    const RESULTS: usize = 1;
    /// The results; the second is empty if there is one.
    fn split<T: Number>(&self, y: &[T]) -> [DMatrix<T>; 2];
    /// `Y`.
    fn solve(&self, a: &[&[P]], c: &[&[P]]) -> Vec<P>;
    /// The system with `M(A)ᴴ`.
    fn adjoint(&self) -> Self;
    /// Subtracts `M(Ȧ)·Y` for the tangent of one of the matrices.
    fn push<T: Number>(&self, matrix: usize, da: &[T], y: &[DMatrix<T>; 2], rest: &mut [DMatrix<T>; 2]);
    /// Adds the cotangent of one of the matrices, `−Lᴴ·C̄`.
    fn pull<T: Number>(&self, matrix: usize, c: &[DMatrix<T>; 2], y: &[DMatrix<T>; 2], out: &mut [T]);
    /// The tangents of all lanes.
    fn tangents<S: TangentLanes<Primal = P, Base = P::Base>>(
        &self,
        map: &SystemDerivative<Self, S::Part>,
        x: &[&[S]],
        active: &[bool],
        y: Vec<S::Part>,
    ) -> Vec<S> {
        lane_by_lane(&|tangents, out| map.apply(tangents, out), x, active, y)
    }
    /// The size of the factors, in bytes.
    fn bytes(&self) -> usize;
}

/// `(A, …, C) ↦ Y`.
#[derive(Clone)]
pub(crate) struct SystemRule<L>(pub(crate) L);

impl<P: PrimalNumber, L: LinearSystem<P>> Primitive<P> for SystemRule<L> {
    type Map<T: Extension<P>> = SystemDerivative<L, T>;
    const HELD: usize = L::HELD;
    fn name(&self) -> &'static str {
        self.0.name()
    }
    fn value(&self, x: &[&[P]]) -> Result<Vec<P>, AdError> {
        Ok(self.0.solve(&x[..L::MATRICES], &x[L::MATRICES..]))
    }
    fn linearize<T: Extension<P>>(&self, mut x: Vec<Vec<T>>, y: &[T]) -> Result<Self::Map<T>, AdError> {
        x.truncate(L::MATRICES);
        Ok(SystemDerivative { rule: self.clone(), a: x, y: self.0.split(y) })
    }
    fn tangents<S: TangentLanes<Primal = P, Base = P::Base>>(
        &self,
        map: &SystemDerivative<L, S::Part>,
        x: &[&[S]],
        active: &[bool],
        y: Vec<S::Part>,
    ) -> Vec<S> {
        self.0.tangents(map, x, active, y)
    }
    fn series<S: Series<Primal = P, Base = P::Base>>(
        &self,
        map: &SystemDerivative<L, S::Part>,
        x: &[&[S]],
        y: Vec<S::Part>,
        n: usize,
    ) -> Result<Vec<S>, AdError> {
        let mut results = vec![map.y.clone()];
        Ok(by_recurrence(x, y, n, |orders| {
            let k = orders.next();
            let mut rest = map.sides(&orders.tangents());
            for (i, j) in (1..=k).flat_map(|j| (0..L::MATRICES).map(move |i| (i, j))) {
                if let Some(a) = orders.x(i, j) {
                    self.0.push(i, a, &results[k - j], &mut rest);
                }
            }
            let y = map.solve(self, rest.each_ref().map(DMatrix::as_slice));
            results.push(self.0.split(&y));
            y
        }))
    }
}

/// The derivative of the solution of a system.
pub(crate) struct SystemDerivative<L, T> {
    rule: SystemRule<L>,
    /// The matrices; those without tangents are empty if the system holds them.
    a: Vec<Vec<T>>,
    y: [DMatrix<T>; 2],
}

impl<L: LinearSystem<T::Primal>, T: Number> SystemDerivative<L, T> {
    /// The solution of a system with the same matrices.
    pub(crate) fn solve(&self, rule: &SystemRule<L>, c: [&[T]; 2]) -> Vec<T> {
        let mut groups = [&[][..]; 4];
        groups.iter_mut().zip(&self.a).for_each(|(group, a)| *group = a);
        groups[L::MATRICES..][..2].copy_from_slice(&c);
        T::lift_primitive(rule, &groups[..L::MATRICES + L::RESULTS]).expect("the factors exist")
    }
    /// The tangents of the right-hand sides.
    fn sides(&self, tangents: &[Option<&[T]>]) -> [DMatrix<T>; 2] {
        from_fn(|i| {
            let (rows, columns) = self.y[i].shape();
            match tangents.get(L::MATRICES + i).copied().flatten() {
                Some(c) => dense(rows, columns, c),
                None => DMatrix::from_element(rows, columns, T::lit(0.0)),
            }
        })
    }
}

impl<L: LinearSystem<T::Primal>, T: Number> LinearMap<T> for SystemDerivative<L, T> {
    fn apply(&self, tangents: &[Option<&[T]>], out: &mut [T]) {
        let mut rest = self.sides(tangents);
        for (i, a) in tangents[..L::MATRICES].iter().enumerate() {
            if let Some(a) = a {
                self.rule.0.push(i, a, &self.y, &mut rest);
            }
        }
        out.copy_from_slice(&self.solve(&self.rule, rest.each_ref().map(DMatrix::as_slice)));
    }
    fn apply_transpose_add(&self, cotangent: &[T], out: &mut [Option<&mut [T]>]) {
        let sides = cotangent.split_at(self.y[0].len()).into();
        let c = self.rule.0.split(&self.solve(&SystemRule(self.rule.0.adjoint()), sides));
        for (group, out) in out.iter_mut().enumerate() {
            match out {
                Some(out) if group < L::MATRICES => self.rule.0.pull(group, &c, &self.y, out),
                Some(out) => add(out, c[group - L::MATRICES].as_slice()),
                None => {}
            }
        }
    }
    fn bytes(&self) -> usize {
        let numbers = self.a.iter().map(Vec::len).chain(self.y.iter().map(DMatrix::len));
        self.rule.0.bytes() + size_of::<T>() * numbers.sum::<usize>()
    }
}
