//! Products.
//!
//! ```text
//! value      C = op(A)·op(B)
//! tangent    Ċ = op(Ȧ)·op(B) + op(A)·op(Ḃ)
//! cotangent  of op(A): C̄·op(B)ᴴ,  of op(B): op(A)ᴴ·C̄
//! ```

use nalgebra::{DMatrix, DMatrixViewMut};

use crate::error::AdError;
use crate::lift::{Extension, Primitive, Series, TangentLanes, by_recurrence, lane_by_lane};
use crate::linear_map::LinearMap;
use crate::matrix::op::Op;
use crate::matrix::rules::add;
use crate::matrix::sizes::{ELEMENTWISE, SMALL};
use crate::number::{Number, PrimalNumber};

use crate::matrix::kernels::gemm::gemm as add_product;

/// `(A, B) ↦ C`.
#[derive(Clone, Copy)]
pub(crate) struct ProductRule {
    pub(crate) ops: [Op; 2],
    pub(crate) shapes: [(usize, usize); 2],
}

impl<P: PrimalNumber> Primitive<P> for ProductRule {
    type Map<T: Extension<P>> = ProductDerivative<T>;
    fn name(&self) -> &'static str {
        "matmul"
    }
    fn value(&self, x: &[&[P]]) -> Result<Vec<P>, AdError> {
        let (m, _, n) = self.extents();
        let mut c = vec![P::lit(0.0); m * n];
        self.assign(x[0], x[1], &mut c);
        Ok(c)
    }
    fn linearize<T: Extension<P>>(&self, x: Vec<Vec<T>>, _: &[T]) -> Result<Self::Map<T>, AdError> {
        let [a, b] = x.try_into().expect("two factors");
        Ok(ProductDerivative { product: *self, a, b })
    }
    /// All lanes by one product for each factor: tangents of `op(A)` below each other, tangents of `op(B)` next to
    /// each other.
    fn tangents<S: TangentLanes<Primal = P, Base = P::Base>>(
        &self,
        map: &ProductDerivative<S::Part>,
        x: &[&[S]],
        active: &[bool],
        y: Vec<S::Part>,
    ) -> Vec<S> {
        // A lane of zeros would be multiplied by infinite entries of the other factor.
        let moves = |l: usize, x: &[S]| x.iter().any(|x| !x.lane(l).is_exactly_zero());
        let lanes_move = |(x, &active): (&&[S], &bool)| !active || (0..S::LANES).all(|l| moves(l, x));
        if S::LANES == 1 || !x.iter().zip(active).all(lanes_move) {
            return lane_by_lane(&|tangents, out| map.apply(tangents, out), x, active, y);
        }
        let ((m, k, n), lanes) = (self.extents(), S::LANES);
        let mut c = vec![S::Part::lit(0.0); lanes * m * n];
        let [(op_a, shape_a), (op_b, shape_b)] = self.factors();
        if active[0] {
            let all = ProductRule { ops: [Op::Plain, op_b], shapes: [(lanes * m, k), shape_b] };
            all.assign(&self.lanes_of(0, x[0]), &map.b, &mut c);
        }
        if active[1] {
            let all = ProductRule { ops: [op_a, Op::Plain], shapes: [shape_a, (k, lanes * n)] };
            all.accumulate(&map.a, &self.lanes_of(1, x[1]), &mut c);
        }
        let mut out = Vec::with_capacity(m * n);
        for (y, c) in y.chunks_exact(m.max(1)).zip(c.chunks_exact((lanes * m).max(1))) {
            out.extend(y.iter().enumerate().map(|(i, &y)| S::assemble(y, |l| c[l * m + i])));
        }
        out
    }
    /// `cₖ = Σ aⱼbₖ₋ⱼ`.
    fn series<S: Series<Primal = P, Base = P::Base>>(
        &self,
        map: &ProductDerivative<S::Part>,
        x: &[&[S]],
        y: Vec<S::Part>,
        n: usize,
    ) -> Result<Vec<S>, AdError> {
        Ok(by_recurrence(x, y, n, |orders| {
            let k = orders.next();
            let pairs = (0..=k).map(|j| {
                let a = if j == 0 { Some(&map.a[..]) } else { orders.x(0, j) };
                (a, if j == k { Some(&map.b[..]) } else { orders.x(1, k - j) })
            });
            sum_of_products(self.factors(), pairs).data.into()
        }))
    }
}

/// The derivative of a product at two factors.
pub(crate) struct ProductDerivative<T> {
    pub(crate) product: ProductRule,
    pub(crate) a: Vec<T>,
    pub(crate) b: Vec<T>,
}

impl<T: Number> LinearMap<T> for ProductDerivative<T> {
    fn apply(&self, tangents: &[Option<&[T]>], out: &mut [T]) {
        match (tangents[0], tangents[1]) {
            (Some(da), db) => {
                self.product.assign(da, &self.b, out);
                if let Some(db) = db {
                    self.product.accumulate(&self.a, db, out);
                }
            }
            (None, Some(db)) => self.product.assign(&self.a, db, out),
            (None, None) => out.fill(T::lit(0.0)),
        }
    }
    /// The cotangent of `op(A)` is `C̄·op(B)ᴴ`; the cotangent of `A` is the same matrix through `op`.
    fn apply_transpose_add(&self, c: &[T], out: &mut [Option<&mut [T]>]) {
        let ProductRule { ops: [op_a, op_b], shapes: [a, b] } = self.product;
        let (m, _, n) = self.product.extents();
        let [to_a, to_b] = out else { unreachable!("two factors") };
        if let Some(out) = to_a {
            let (left, right) = (op_a, op_a.after(op_b.adjoint()));
            match op_a.transposes() {
                false => ProductRule { ops: [left, right], shapes: [(m, n), b] }.accumulate(c, &self.b, out),
                true => ProductRule { ops: [right, left], shapes: [b, (m, n)] }.accumulate(&self.b, c, out),
            }
        }
        if let Some(out) = to_b {
            let (left, right) = (op_b.after(op_a.adjoint()), op_b);
            match op_b.transposes() {
                false => ProductRule { ops: [left, right], shapes: [a, (m, n)] }.accumulate(&self.a, c, out),
                true => ProductRule { ops: [right, left], shapes: [(m, n), a] }.accumulate(c, &self.a, out),
            }
        }
    }
    fn bytes(&self) -> usize {
        size_of_val(&self.a[..]) + size_of_val(&self.b[..])
    }
}

impl ProductRule {
    /// Rows of C, inner dimension, columns of C.
    pub(crate) fn extents(&self) -> (usize, usize, usize) {
        let ((m, k), (_, n)) = (self.ops[0].shape(self.shapes[0]), self.ops[1].shape(self.shapes[1]));
        (m, k, n)
    }
    fn factors(&self) -> [Factor; 2] {
        [0, 1].map(|i| (self.ops[i], self.shapes[i]))
    }
    /// The tangents of `op(X)` of a factor X: column by column, in a column lane by lane.
    fn lanes_of<S: TangentLanes>(&self, factor: usize, x: &[S]) -> Vec<S::Part> {
        let (op, shape) = self.factors()[factor];
        let (columns, mut out) = (op.shape(shape).1, Vec::with_capacity(S::LANES * x.len()));
        for (j, l) in (0..columns).flat_map(|j| (0..S::LANES).map(move |l| (j, l))) {
            match op.transposes() {
                true => out.extend(x[j..].iter().step_by(shape.0).map(|x| x.lane(l))),
                false => out.extend(x[j * shape.0..][..shape.0].iter().map(|x| x.lane(l))),
            }
        }
        if op.conjugates() && !S::REAL {
            out.iter_mut().for_each(|x| *x = x.conj());
        }
        out
    }
    /// `C ← op(A)·op(B) + βC` in the arithmetic of the numbers themselves.
    fn gemm<T: Number>(&self, a: &[T], b: &[T], beta: f64, c: &mut [T]) {
        let (m, k, n) = self.extents();
        if m * k * n == 0 {
            return; // an empty sum: C stays (it is zero where β is)
        }
        if m.max(k).max(n) <= ELEMENTWISE || k == 1 {
            return self.entry_by_entry(a, b, beta, c);
        }
        let conjugated = |i: usize, x: &[T]| {
            let needed = self.ops[i].conjugates() && !T::REAL;
            needed.then(|| x.iter().map(|&x| x.conj()).collect::<Vec<T>>())
        };
        let (conj_a, conj_b) = (conjugated(0, a), conjugated(1, b));
        let operand = |i: usize, x| self.ops[i].view(x, self.shapes[i], self.shapes[i].0.max(1));
        let a = operand(0, conj_a.as_deref().unwrap_or(a));
        let b = operand(1, conj_b.as_deref().unwrap_or(b));
        add_product(T::lit(1.0), &a, &b, T::lit(beta), &mut DMatrixViewMut::from_slice(c, m, n));
    }
    /// The product for small matrices, with β of 0 or 1.
    fn entry_by_entry<T: Number>(&self, a: &[T], b: &[T], beta: f64, c: &mut [T]) {
        let ((m, k, n), [(op_a, (of_a, _)), (op_b, (of_b, _))]) = (self.extents(), self.factors());
        let conjugated = |op: Op, x: T| if !T::REAL && op.conjugates() { x.conj() } else { x };
        if beta == 0.0 {
            c.fill(T::sum_of_nothing());
        }
        for (j, c) in c.chunks_exact_mut(m.max(1)).enumerate().take(n) {
            for l in 0..k {
                let weight =
                    conjugated(op_b, if op_b.transposes() { b[l * of_b + j] } else { b[l + j * of_b] });
                if op_a.transposes() {
                    let row = a[l..].iter().step_by(of_a);
                    c.iter_mut().zip(row).for_each(|(c, &a)| *c += conjugated(op_a, a) * weight);
                } else {
                    let column = &a[l * of_a..][..m];
                    c.iter_mut().zip(column).for_each(|(c, &a)| *c += conjugated(op_a, a) * weight);
                }
            }
        }
    }
    /// `C = op(A)·op(B)`.
    fn assign<T: Number>(&self, a: &[T], b: &[T], c: &mut [T]) {
        if !T::PLAIN {
            c.copy_from_slice(&T::lift_primitive(self, &[a, b]).expect("products always exist"));
        } else if self.shapes[0].0 * self.shapes[0].1 == 0 {
            c.fill(T::lit(0.0));
        } else {
            self.gemm(a, b, 0.0, c);
        }
    }
    /// `C += op(A)·op(B)`.
    fn accumulate<T: Number>(&self, a: &[T], b: &[T], c: &mut [T]) {
        if T::PLAIN {
            return self.gemm(a, b, 1.0, c);
        }
        add(c, &T::lift_primitive(self, &[a, b]).expect("products always exist"));
    }
}

/// A factor of products, its operation and its shape.
type Factor = (Op, (usize, usize));

/// The sum of the products `op(A)·op(B)` of pairs in which nothing is missing.
pub(crate) fn sum_of_products<'a, T: Number>(
    [a, b]: [Factor; 2],
    pairs: impl Iterator<Item = (Option<&'a [T]>, Option<&'a [T]>)>,
) -> DMatrix<T> {
    let rule = ProductRule { ops: [a.0, b.0], shapes: [a.1, b.1] };
    let (m, _, n) = rule.extents();
    let mut sum = DMatrix::from_element(m, n, T::lit(0.0));
    for (a, b) in pairs {
        if let (Some(a), Some(b)) = (a, b) {
            rule.accumulate(a, b, sum.as_mut_slice());
        }
    }
    sum
}

/// `op(A)·op(B)` of matrices with matching shapes, by the cheaper way for the size.
pub(crate) fn times<T: Number>(op_a: Op, a: &DMatrix<T>, op_b: Op, b: &DMatrix<T>) -> DMatrix<T> {
    let rule = ProductRule { ops: [op_a, op_b], shapes: [a.shape(), b.shape()] };
    let (m, k, n) = rule.extents();
    if m.max(n).max(k) <= SMALL {
        if !T::RECORDS {
            let mut c = DMatrix::from_element(m, n, T::lit(0.0));
            rule.entry_by_entry(a.as_slice(), b.as_slice(), 0.0, c.as_mut_slice());
            return c;
        }
        let entry = |i, j| T::inner_product((0..k).map(|l| (op_a.entry(a, i, l), op_b.entry(b, l, j))));
        return DMatrix::from_fn(m, n, entry);
    }
    let c = T::lift_primitive(&rule, &[a.as_slice(), b.as_slice()]).expect("products always exist");
    DMatrix::from_vec(m, n, c)
}
