//! The Moore–Penrose pseudo-inverse, among matrices of one rank.
//!
//! ```text
//! value      Y = A⁺
//! tangent    Ẏ = −YȦY + YYᴴȦᴴ(I−AY) + (I−YA)ȦᴴYᴴY
//! cotangent  Ā = −YᴴȲYᴴ + (I−AY)ȲᴴYYᴴ + YᴴYȲᴴ(I−YA)
//! ```
//!
//! The second terms are zero where the rows of A are independent, the third where its columns are. Golub and Pereyra,
//! 1973.

use nalgebra::DMatrix;

use crate::error::AdError;
use crate::lift::{Extension, Primitive, Series, by_derivative, by_recurrence};
use crate::linear_map::LinearMap;
use crate::matrix::op::Op;
use crate::matrix::rules::product::{sum_of_products, times};
use crate::matrix::rules::{add, dense};
use crate::number::{Number, PrimalNumber};

/// `A ↦ Y`.
#[derive(Clone)]
pub(crate) struct PinvRule<P: PrimalNumber> {
    pub(crate) rank: usize,
    pub(crate) value: DMatrix<P>,
}

impl<P: PrimalNumber> Primitive<P> for PinvRule<P> {
    type Map<T: Extension<P>> = PinvDerivative<T>;
    fn name(&self) -> &'static str {
        "pinv"
    }
    fn value(&self, _: &[&[P]]) -> Result<Vec<P>, AdError> {
        Ok(self.value.as_slice().to_vec())
    }
    fn linearize<T: Extension<P>>(&self, x: Vec<Vec<T>>, y: &[T]) -> Result<Self::Map<T>, AdError> {
        let (n, m) = self.value.shape();
        Ok(PinvDerivative { rank: self.rank, a: dense(m, n, &x[0]), y: dense(n, m, y) })
    }
    /// For independent columns from `YA = I` with a hermitian `AY`: with `E = Σ aⱼyₖ₋ⱼ`, `j ≥ 1`, it is `yₖ = −(Σ
    /// yₖ₋ⱼaⱼ)y₀ − y₀(E − Eᴴ)(I − a₀y₀)`. For independent rows the factors are in the other order.
    fn series<S: Series<Primal = P, Base = P::Base>>(
        &self,
        map: &PinvDerivative<S::Part>,
        x: &[&[S]],
        y: Vec<S::Part>,
        n: usize,
    ) -> Result<Vec<S>, AdError> {
        let (rows, columns) = (map.y.ncols(), map.y.nrows());
        if self.rank < rows.min(columns) {
            return by_derivative(self, map, x, y, n);
        }
        let (a, of_y) = ((Op::Plain, (rows, columns)), (Op::Plain, (columns, rows)));
        let (y0, is_tall) = (&map.y, rows >= columns);
        let product = |x: &DMatrix<S::Part>, y: &DMatrix<S::Part>| match is_tall {
            true => times(Op::Plain, x, Op::Plain, y),
            false => times(Op::Plain, y, Op::Plain, x),
        };
        Ok(by_recurrence(x, y, n, |orders| {
            let pairs = (1..=orders.next()).map(|j| (orders.x(0, j), Some(orders.y(orders.next() - j))));
            let before = sum_of_products([of_y, a], pairs.clone().map(|(a, y)| (y, a)));
            let behind = sum_of_products([a, of_y], pairs);
            let (inner, outer) = if is_tall { (before, behind) } else { (behind, before) };
            let e = &outer - Op::Adjoint.of(outer.clone());
            let seen = product(&product(&e, &map.a), y0);
            let y = product(&inner, y0) + product(y0, &(e - seen));
            (-y).data.into()
        }))
    }
}

/// The derivative of a pseudo-inverse.
pub(crate) struct PinvDerivative<T> {
    rank: usize,
    a: DMatrix<T>,
    y: DMatrix<T>,
}

impl<T: Number> PinvDerivative<T> {
    /// `op(Y)·op(Y)ᴴ·B`, by the smaller products.
    fn gram(&self, op: Op, b: &DMatrix<T>) -> DMatrix<T> {
        let (y, (rows, columns)) = (&self.y, op.shape(self.y.shape()));
        match rows <= columns {
            true => times(Op::Plain, &times(op, y, op.adjoint(), y), Op::Plain, b),
            false => times(op, y, Op::Plain, &times(op.adjoint(), y, Op::Plain, b)),
        }
    }
}

impl<T: Number> LinearMap<T> for PinvDerivative<T> {
    fn apply(&self, tangents: &[Option<&[T]>], out: &mut [T]) {
        let (a, y) = (&self.a, &self.y);
        let da = dense(a.nrows(), a.ncols(), tangents[0].expect("a matrix"));
        let within = times(Op::Plain, y, Op::Plain, &da);
        let mut dy = -times(Op::Plain, &within, Op::Plain, y);
        if self.rank < a.nrows() {
            // (I−AY)Ȧ from YȦ: no entry of the size of A is multiplied by a Y of another row.
            let beside = &da - times(Op::Plain, a, Op::Plain, &within);
            dy += self.gram(Op::Plain, &Op::Adjoint.of(beside));
        }
        if self.rank < a.ncols() {
            let beside = &da - times(Op::Plain, &times(Op::Plain, &da, Op::Plain, y), Op::Plain, a);
            dy += Op::Adjoint.of(self.gram(Op::Adjoint, &beside));
        }
        out.copy_from_slice(dy.as_slice());
    }
    fn apply_transpose_add(&self, cotangent: &[T], out: &mut [Option<&mut [T]>]) {
        let (a, y) = (&self.a, &self.y);
        let bar = dense(y.nrows(), y.ncols(), cotangent);
        let mut g = -times(Op::Adjoint, y, Op::Plain, &times(Op::Plain, &bar, Op::Adjoint, y));
        if self.rank < a.nrows() {
            let d = Op::Adjoint.of(self.gram(Op::Plain, &bar));
            let seen = times(Op::Plain, a, Op::Plain, &times(Op::Plain, y, Op::Plain, &d));
            g += d - seen;
        }
        if self.rank < a.ncols() {
            let d = self.gram(Op::Adjoint, &Op::Adjoint.of(bar));
            let seen = times(Op::Plain, &times(Op::Plain, &d, Op::Plain, y), Op::Plain, a);
            g += d - seen;
        }
        add(out[0].as_mut().expect("a matrix"), g.as_slice());
    }
    fn bytes(&self) -> usize {
        size_of_val(self.a.as_slice()) + size_of_val(self.y.as_slice())
    }
}
