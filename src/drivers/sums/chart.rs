//! The components of a point on a group as functions of its tangent.

use std::cell::Cell;

#[cfg(feature = "sparse")]
use nalgebra_sparse::ops::{
    Op,
    serial::{spmm_csc_prealloc, spmm_csr_prealloc},
};
#[cfg(feature = "sparse")]
use nalgebra_sparse::{CooMatrix, CscMatrix, CsrMatrix};

use crate::duals::DualN;
use crate::number::BaseFloat;
use crate::pool::Spare;
use crate::space::{Components, Embedding, dimension};

/// A group has up to six components, which these lanes distinguish.
const WINDOW: usize = 6;

/// A row of zeros.
pub(super) fn zeros(buffer: &mut Spare<f64>, n: usize) -> &mut [f64] {
    let row = buffer.clear(n);
    row.resize(n, 0.0);
    row
}

/// A second derivative of a component with respect to two tangents.
type Bend = (usize, [usize; 2], f64);

/// The components of a point as functions of its tangent.
pub(super) struct Chart {
    pub dimension: usize,
    /// The first tangent that each component may depend on.
    firsts: Spare<usize>,
    /// Component, tangent and entry of `P`.
    slopes: Spare<(usize, usize, f64)>,
    bends: Spare<Bend>,
}

impl Chart {
    /// Each pass sets one component of the tangent of each group to 1. `embed` reads the tangent of a group before it
    /// writes the components.
    pub fn of<B: BaseFloat, X: Components<B> + ?Sized>(x: &X) -> Self {
        let (mut of_components, mut entries, mut pass) = (Spare::new(), Spare::new(), 0);
        let (firsts, slopes) = (of_components.clear(x.count()), entries.clear(1));
        let width = Cell::new(1);
        while pass < width.get() {
            let (first, count, gives) = (Cell::new(0), Cell::new(0), Cell::new(false));
            let mut next = || {
                if gives.replace(false) {
                    first.set(first.get() + count.replace(0));
                }
                let place = count.replace(count.get() + 1);
                B::lit(if place == pass { 1.0 } else { 0.0 })
            };
            let mut component = 0;
            let mut take = |entry: B| {
                gives.set(true);
                width.set(width.get().max(count.get()));
                if pass == 0 {
                    firsts.push(first.get());
                }
                if pass < count.get() {
                    slopes.push((component, first.get() + pass, entry.to_double()));
                }
                component += 1;
            };
            x.embed(Embedding::TangentToAmbient, &mut next, &mut take);
            pass += 1;
        }
        Chart { dimension: dimension(x), firsts: of_components, slopes: entries, bends: Spare::new() }
    }
    /// Finds the second derivatives.
    pub fn bend<B: BaseFloat, X: Components<B> + ?Sized>(&mut self, x: &X) {
        let bends = self.bends.clear(1);
        let mut lane = (0..WINDOW).cycle();
        let mut variable = |x: B| {
            let lane = lane.next().expect("a cycle");
            DualN::<_, WINDOW>::variable(DualN::<B, WINDOW>::variable(x, lane), lane)
        };
        let there = x.seeded(&|c| DualN::constant(DualN::constant(c)), &mut variable);
        let mut firsts = self.firsts.shown().iter().enumerate();
        there.visit(&mut |c: DualN<DualN<B, WINDOW>, WINDOW>| {
            let (i, &first) = firsts.next().expect("as many as before");
            let near = first..self.dimension.min(first + WINDOW);
            let tangents = c.tangents();
            for (a, b) in near.clone().flat_map(|a| near.clone().map(move |b| (a, b))) {
                let bend = tangents[a % WINDOW].tangents()[b % WINDOW].to_double();
                if bend != 0.0 {
                    bends.push((i, [a, b], bend));
                }
            }
        });
    }
    /// All of them, once they have been found.
    pub fn bends(&self) -> &[Bend] {
        self.bends.shown()
    }
    /// The nonzero entries of `P`: a zero entry must stop an infinite derivative.
    pub fn entries(&self) -> impl Iterator<Item = (usize, usize, f64)> {
        self.slopes.shown().iter().copied().filter(|(.., p)| *p != 0.0)
    }
    /// Adds `Pᵀg`.
    pub fn covector(&self, g: &[f64], to: &mut [f64]) {
        self.entries().for_each(|(i, a, p)| to[a] += p * g[i]);
    }
    /// Adds `PᵀAP` of a symmetric matrix, column by column.
    pub fn matrix(&self, n: usize, matrix: &[f64], to: &mut [f64]) {
        let (d, mut rows) = (self.dimension, Spare::new());
        let rows = zeros(&mut rows, n * d);
        for i in 0..n {
            self.covector(&matrix[n * i..][..n], &mut rows[d * i..][..d]);
        }
        for (i, a, p) in self.entries() {
            let row = &rows[d * i..][..d];
            to[d * a..][..d].iter_mut().zip(row).for_each(|(to, x)| *to += p * x);
        }
    }
}

#[cfg(feature = "sparse")]
impl Chart {
    /// `P`, with its zeros.
    fn slopes(&self, n: usize) -> CooMatrix<f64> {
        let mut all = CooMatrix::new(n, self.dimension);
        self.slopes.shown().iter().for_each(|&(i, a, p)| all.push(i, a, p));
        all
    }
    /// Overwrites the entries of a matrix by the entries of `P`, row by row; returns false if the matrix has another
    /// pattern.
    fn over(&self, (offsets, columns, values): (&[usize], &[usize], &mut [f64])) -> bool {
        let (firsts, slopes) = (self.firsts.shown(), self.slopes.shown());
        let fits = (offsets.len(), values.len()) == (firsts.len() + 1, slopes.len());
        fits && slopes.iter().all(|&(i, a, p)| {
            let at = offsets[i] + a - firsts[i];
            let fits = at < offsets[i + 1] && columns[at] == a;
            if fits {
                values[at] = p;
            }
            fits
        })
    }
    /// `JP`. `kept` holds `P` and the product; their patterns do not change while the structure of the point does
    /// not.
    pub fn rows<'m>(
        &self,
        j: &CsrMatrix<f64>,
        kept: &'m mut Option<[CsrMatrix<f64>; 2]>,
    ) -> &'m CsrMatrix<f64> {
        let known = kept.take().filter(|[p, _]| p.ncols() == self.dimension);
        let fitting = known.and_then(|mut kept| self.over(kept[0].csr_data_mut()).then_some(kept));
        let [p, product] = kept.insert(fitting.unwrap_or_else(|| {
            let p = CsrMatrix::from(&self.slopes(j.ncols()));
            let product = j * &p;
            [p, product]
        }));
        product.values_mut().fill(0.0);
        spmm_csr_prealloc(1.0, product, 1.0, Op::NoOp(j), Op::NoOp(&*p)).expect("its own pattern");
        product
    }
    /// `PᵀAP` of a symmetric matrix, plus the curvature terms `bends`. `kept` holds `Pᵀ`, `PᵀA` and the result.
    pub fn both<'m>(
        &self,
        matrix: &CscMatrix<f64>,
        bends: &[(usize, f64)],
        kept: &'m mut Option<[CscMatrix<f64>; 3]>,
    ) -> &'m CscMatrix<f64> {
        let known = kept.take().filter(|[p, ..]| p.nrows() == self.dimension);
        let fitting = known.and_then(|mut kept| self.over(kept[0].csc_data_mut()).then_some(kept));
        let [p, half, whole] = kept.insert(fitting.unwrap_or_else(|| {
            let p = CsrMatrix::from(&self.slopes(matrix.ncols())).transpose_as_csc();
            let half = &p * matrix;
            let whole = &half * p.transpose();
            [p, half, whole]
        }));
        half.values_mut().fill(0.0);
        spmm_csc_prealloc(1.0, half, 1.0, Op::NoOp(&*p), Op::NoOp(matrix)).expect("its own pattern");
        let (offsets, rows, values) = whole.csc_data_mut();
        values.fill(0.0);
        let mut add = |a: usize, b: usize, entry: f64| {
            let column = offsets[b]..offsets[b + 1];
            let place = rows[column.clone()].binary_search(&a).expect("the tangents of a pair of components");
            values[column][place] += entry;
        };
        for (half, p) in half.col_iter().zip(p.col_iter()) {
            for (&b, p) in p.row_indices().iter().zip(p.values()) {
                half.row_indices().iter().zip(half.values()).for_each(|(&a, x)| add(a, b, x * p));
            }
        }
        bends.iter().for_each(|&(place, bend)| add(place % self.dimension, place / self.dimension, bend));
        whole
    }
}
