//! Sparse Jacobians and Hessians: patterns, colours, and values against dense ones.
#![cfg(all(feature = "sparse", feature = "macros"))]

use nalgebra::{DMatrix, SMatrix};
use nalgebra_sparse::pattern::SparsityPattern;
use wengert::rules::{Binary, Holomorphic, RuleVisitor, Unary, visit_rules};
use wengert::sparse::{Hessian, Jacobian};
use wengert::sums::sum_over;
use wengert::{AdError, Function, Real, VectorFunction, function, matrix, reduce, sparse, stop_gradient};

#[path = "support/allocations.rs"]
mod allocations;
#[path = "support/exact.rs"]
mod exact;
#[path = "support/random.rs"]
mod random;

/// The entries of each line.
fn lines(pattern: &SparsityPattern) -> Vec<Vec<usize>> {
    (0..pattern.major_dim()).map(|i| pattern.lane(i).to_vec()).collect()
}

/// Equal where the pattern has an entry, to a few roundings, and zero elsewhere.
#[track_caller]
fn agree(dense: &DMatrix<f64>, rows: &SparsityPattern, values: &[f64]) {
    let mut rest = dense.clone();
    let size = dense.amax();
    for i in 0..rows.major_dim() {
        for (entry, &j) in (rows.major_offsets()[i]..).zip(rows.lane(i)) {
            let (is, should) = (values[entry], dense[(i, j)]);
            assert!((is - should).abs() <= 1e-14 * size, "({i}, {j}): {is} for {should}");
            rest[(i, j)] = 0.0;
        }
    }
    assert_eq!(rest, DMatrix::zeros(dense.nrows(), dense.ncols()), "entries outside the pattern");
}

/// The kept Jacobian at two points against dense ones; its pattern.
#[track_caller]
fn jacobian_of(f: impl VectorFunction, x: &[f64]) -> (Vec<Vec<usize>>, (usize, usize)) {
    let mut kept = Jacobian::new(&f, x).unwrap();
    let (mut y, mut j) = (vec![0.0; f.outputs(x.len())], kept.zeros());
    let moved: Vec<f64> = x.iter().map(|x| x * 1.25).collect();
    for x in [x, &moved] {
        let (value, dense) = f.value_and_jacobian(x);
        kept.of_object(&f).at(x, &mut y, &mut j).unwrap();
        assert_eq!(y, value);
        agree(&dense, j.pattern(), j.values());
        kept.of_object(&f).check_pattern(x).unwrap();
    }
    (lines(kept.pattern()), kept.lanes())
}

/// The kept Hessian at two points against dense ones; its pattern.
#[track_caller]
fn hessian_of(f: impl Function, x: &[f64]) -> (Vec<Vec<usize>>, usize) {
    let mut kept = Hessian::new(&f, x).unwrap();
    let mut h = kept.zeros();
    let moved: Vec<f64> = x.iter().map(|x| x * 1.25).collect();
    for x in [x, &moved] {
        let mut gradient = vec![0.0; x.len()];
        let (value, dense_gradient, dense) = f.value_gradient_and_hessian(x);
        let y = kept.of_object(&f).at(x, &mut gradient, &mut h).unwrap();
        assert_eq!(y, value);
        // Terms of an entry may cancel. Where all coefficients are positive, the entry at |x| is the sum of their sizes.
        let sizes = f.gradient(&x.iter().map(|x| x.abs()).collect::<Vec<_>>());
        for ((is, should), size) in gradient.iter().zip(&dense_gradient).zip(&sizes) {
            let bound = 1e-14 * should.abs().max(size.abs());
            assert!((is - should).abs() <= bound, "{gradient:?} for {dense_gradient:?}");
        }
        agree(&dense, h.pattern(), h.values());
        // The Hessian from fewer products, where entries are differences.
        let mut less = Hessian::by_substitution(&f, x).unwrap();
        let mut fewer = less.zeros();
        let y = less.of_object(&f).at(x, &mut (), &mut fewer).unwrap();
        assert_eq!((y, fewer.pattern()), (value, h.pattern()));
        let largest = h.values().iter().fold(0.0, |m: f64, h| m.max(h.abs()));
        for (is, should) in fewer.values().iter().zip(h.values()) {
            assert!((is - should).abs() <= 1e-14 * largest, "{is} for {should}, of {largest}");
        }
        kept.of_object(&f).check_pattern(x).unwrap();
    }
    (lines(kept.pattern()), kept.lanes())
}

/// The lanes of an acyclic colouring.
fn lanes_by_substitution(f: impl Function, x: &[f64]) -> usize {
    Hessian::by_substitution(f, x).unwrap().lanes()
}

/// Numbers that are not special.
fn point(n: usize) -> Vec<f64> {
    (0..n).map(|i| ((i * 37 % 101) as f64 / 50.5 - 0.9) + 0.01).collect()
}

/// `yᵢ` reads the inputs of row `i`.
struct Rows(Vec<Vec<usize>>);

impl VectorFunction for Rows {
    fn outputs(&self, _: usize) -> usize {
        self.0.len()
    }
    fn call<T: Real<Base = f64>>(&self, x: &[T], y: &mut [T]) {
        for (i, (y, row)) in y.iter_mut().zip(&self.0).enumerate() {
            let sum: T = row.iter().map(|&j| x[j].sin() * (1.0 + j as f64)).sum();
            let product = row.iter().fold(T::lit(1.0), |all, &j| all * x[j]);
            *y = sum + product * (i as f64 - 3.0);
        }
    }
}

/// `Σ` of products, of squares where an input appears twice, and of all inputs.
struct Products(Vec<Vec<usize>>);

impl Function for Products {
    fn call<T: Real<Base = f64>>(&self, x: &[T]) -> T {
        let mut sum: T = x.iter().map(|&x| x * 3.0).sum();
        for (k, term) in self.0.iter().enumerate() {
            sum += term.iter().fold(T::lit(1.0 + k as f64), |all, &j| all * x[j]);
        }
        sum
    }
}

fn sorted(mut row: Vec<usize>) -> Vec<usize> {
    row.sort_unstable();
    row.dedup();
    row
}

/// The pairs of each term.
fn pairs(n: usize, terms: &[Vec<usize>]) -> Vec<Vec<usize>> {
    let mut rows = vec![vec![]; n];
    for term in terms {
        for (k, &i) in term.iter().enumerate() {
            rows[i].extend(term.iter().enumerate().filter(|(l, _)| *l != k).map(|(_, j)| *j));
        }
    }
    rows.into_iter().map(sorted).collect()
}

fn band(n: usize, width: usize) -> Vec<Vec<usize>> {
    (0..n).map(|i| (i.saturating_sub(width)..n.min(i + width + 1)).collect()).collect()
}

#[test]
fn banded_jacobians_have_as_many_colours_as_the_band() {
    for width in 0..7 {
        let rows = band(60, width);
        assert_eq!(jacobian_of(Rows(rows.clone()), &point(60)), (rows, (2 * width + 1, 0)), "{width}");
    }
}

#[test]
fn few_dense_rows_are_pulled_and_few_dense_columns_pushed() {
    let n = 80;
    let arrow: Vec<Vec<usize>> = (0..n).map(|i| if i == 0 { (0..n).collect() } else { vec![0, i] }).collect();
    assert_eq!(jacobian_of(Rows(arrow.clone()), &point(n)), (arrow, (2, 1)));
    let row: Vec<Vec<usize>> = (0..n).map(|i| if i == 7 { (0..n).collect() } else { vec![i] }).collect();
    // Column 7 has no entry in the rows that are pushed, and its own lane.
    assert_eq!(jacobian_of(Rows(row.clone()), &point(n)), (row, (2, 1)));
    let column: Vec<Vec<usize>> = (0..n).map(|i| sorted(vec![5, i])).collect();
    assert_eq!(jacobian_of(Rows(column.clone()), &point(n)), (column, (2, 0)));
    let single = vec![(0..n).collect()];
    assert_eq!(jacobian_of(Rows(Vec::clone(&single)), &point(n)), (single, (0, 1)));
}

#[test]
fn dense_and_empty_jacobians() {
    let dense: Vec<Vec<usize>> = vec![(0..9).collect(); 7];
    assert_eq!(jacobian_of(Rows(dense.clone()), &point(9)), (dense, (9, 0)));
    let gaps = vec![vec![], vec![3], vec![], vec![1, 3], vec![]];
    assert_eq!(jacobian_of(Rows(gaps.clone()), &point(6)), (gaps, (3, 0)));
    assert_eq!(jacobian_of(Rows(vec![vec![]; 4]), &point(3)), (vec![vec![]; 4], (1, 0)));
    assert_eq!(jacobian_of(Rows(vec![vec![]; 4]), &[]), (vec![vec![]; 4], (0, 0)));
    assert_eq!(jacobian_of(Rows(vec![]), &point(3)), (vec![], (0, 0)));
}

#[test]
fn random_jacobians() {
    let mut rng = random::numbers(7);
    for _ in 0..random::cases(200) {
        let (m, n, most) = (rng.usize(0..30), rng.usize(1..30), rng.usize(1..8));
        let row = |_| sorted((0..rng.usize(0..most)).map(|_| rng.usize(0..n)).collect());
        let rows: Vec<Vec<usize>> = (0..m).map(row).collect();
        assert_eq!(jacobian_of(Rows(rows.clone()), &point(n)).0, rows);
    }
}

#[test]
fn zero_partials_keep_their_entries() {
    let f = function!(|x, y: [_; 8]| {
        y[0] = x[0] * x[1];
        y[1] = x[0] * 0.0;
        y[2] = x[0].max(x[1]);
        y[3] = x[1].floor();
        y[4] = reduce::product(x);
        y[5] = reduce::dot(&[x[0]; 12], &[x[1]; 12]);
        y[6] = x[0] - x[0];
        y[7] = stop_gradient(x[1]) + x[0];
    });
    let j = sparse::jacobian(&f, &[0.0, 1.0]);
    let both = vec![0, 1];
    let expected = [&both, &vec![0], &vec![1], &vec![1], &both, &both, &vec![0], &vec![0]];
    assert_eq!(lines(j.pattern()).iter().collect::<Vec<_>>(), expected);
    assert_eq!(j.values()[..2], [1.0, 0.0]);
    // All derivatives of the terms are zero here, and so are the first and second derivatives of cubes.
    let chain = function!(|x| sum_over(x, 1..x.len(), |x, i| x[i].powi(3) * x[i - 1].powi(3)));
    assert_eq!(hessian_of(&chain, &[0.0; 30]), (band(30, 1), 3));
    let rows = function!(|x, y: [_; 1]| y[0] = sum_over(x, 1..4, |x, i| x[i].powi(3)) + x[5]);
    assert_eq!(jacobian_of(rows, &[0.0; 6]).0, [[1, 2, 3, 5]]);
}

/// At the origin of a norm, at ties and where a density underflows, second derivatives are zero or not defined.
#[test]
fn kinks_keep_their_entries() {
    let f = function!(|u| u[0].hypot(u[1]) + u[2].powi(2));
    let mut kept = Hessian::new(&f, &[0.0; 3]).unwrap();
    assert_eq!(lines(kept.pattern()), [vec![0, 1], vec![0, 1], vec![2]]);
    let (x, mut h) = ([3.0, 4.0, 1.0], kept.zeros());
    assert_eq!(kept.of_object(&f).at(&x, &mut (), &mut h).unwrap(), 6.0);
    agree(&f.hessian(&x[..]), h.pattern(), h.values());
    let norms = function!(|u| reduce::norm(&u[..2]) + reduce::norm(&u[1..3]));
    assert_eq!(hessian_of(norms, &[0.0; 3]).0, [vec![0, 1], vec![0, 1, 2], vec![1, 2]]);
    // Total variation of a grid of 4 × 4: the pattern of the origin is that of any other point.
    let variation = function!(|u| sum_over(u, 0..11, |u, i| (u[i + 1] - u[i]).hypot(u[i + 4] - u[i])));
    assert_eq!(hessian_of(&variation, &[0.0; 16]).0, hessian_of(&variation, &point(16)).0);

    let limits = function!(|x, y: [_; 5]| {
        y[0] = x[0].clamp(0.0, 1.0);
        y[1] = x[1].clamp(0.0, 1.0);
        y[2] = x[0].clamp(x[2], x[3]);
        y[3] = x[3].clamp(x[0], x[2]);
        y[4] = Real::abs_sub(x[0], x[2]);
    });
    let x = [0.0, 1.0, 0.0, -0.0];
    let both = vec![0, 2];
    let (found, _) = jacobian_of(&limits, &x);
    assert_eq!(found, [vec![0], vec![1], vec![0, 2, 3], vec![0, 2, 3], both]);
    let zero = wengert::Tape::new().variable(-0.0_f64).clamp(0.0, 1.0);
    assert!(zero.value().is_sign_negative());
    let squares = function!(|x| x[0].clamp(0.0, 1.0).powi(2) + x[1].clamp(x[0], 1.0).powi(2));
    assert_eq!(hessian_of(squares, &[0.0, 0.0]).0, [[0, 1], [0, 1]]);
    // The bound stops the infinite slope of the root.
    assert_eq!(wengert::gradient(|x| x[0].sqrt().clamp(0.0, 1.0), &[0.0]), [0.0]);
}

/// A function of one row of the table.
struct RowOfTable<R>(R);

impl<U: Unary> Function for RowOfTable<(U,)> {
    fn call<T: Real<Base = f64>>(&self, x: &[T]) -> T {
        x[0].lift1(self.0.0)
    }
}

impl<B: Binary> Function for RowOfTable<[B; 1]> {
    fn call<T: Real<Base = f64>>(&self, x: &[T]) -> T {
        x[0].lift2(x[1], self.0[0])
    }
}

/// Finds the pattern of each rule inside its domain, and compares with special points.
struct Patterns;

/// The pattern in the domain is within the pattern at each special point.
fn special_points(name: &str, f: impl Function, usual: &[f64], special: impl Iterator<Item = Vec<f64>>) {
    let at = |x: &[f64]| lines(Hessian::new(&f, x).unwrap().pattern());
    let usual = at(usual);
    special.for_each(|x| assert!(within(&usual, &at(&x)), "{name} at {x:?}: {:?} for {usual:?}", at(&x)));
}

const SPECIAL: [f64; 11] = [0.0, -0.0, 1.0, -1.0, 0.5, 2.0, 1e-200, 1e200, 40.0, -40.0, 1000.0];

impl RuleVisitor for Patterns {
    fn holomorphic<H: Holomorphic>(&mut self, rule: H, on: [f64; 2]) {
        self.unary(rule, on);
    }
    fn unary<U: Unary>(&mut self, rule: U, on: [f64; 2]) {
        let usual = [0.3 * on[0] + 0.7 * on[1]];
        special_points(U::NAME, RowOfTable((rule,)), &usual, SPECIAL.iter().map(|&x| vec![x]));
    }
    fn binary<B: Binary>(&mut self, rule: B, on: [[f64; 2]; 2]) {
        let usual = on.map(|on| 0.3 * on[0] + 0.7 * on[1]);
        let pairs = SPECIAL.iter().flat_map(|&x| SPECIAL.iter().map(move |&y| vec![x, y]));
        special_points(B::NAME, RowOfTable([rule]), &usual, pairs);
    }
}

#[test]
fn rules_keep_their_entries_at_special_points() {
    visit_rules(&mut Patterns);
}

#[test]
fn entries_in_columns_and_rows_without_entries_are_errors() {
    let outside = |op, part| Err(AdError::Structure { op, what: "pattern", part });
    let f = function!(|x, y: [_; 1]| y[0] = if x[0] > 0.0 { x[0] } else { x[1] });
    let mut kept = Jacobian::new(&f, &[-1.0, 2.0]).unwrap();
    let mut j = kept.zeros();
    assert_eq!(kept.of_object(&f).at(&[3.0, 2.0], &mut (), &mut j), outside("sparse jacobian", 0));
    let g = function!(|x| if x[0] > 0.0 { x[0] * x[0] } else { x[1] * x[1] });
    // Without any entry, and with rows that sum to zero, as those of Huber's function.
    let differences = function!(|x| if x[0] > 0.0 { (x[0] - x[1]).powi(2) } else { x[0] - x[1] });
    let mut kept = Hessian::new(&g, &[-1.0, 2.0]).unwrap();
    let mut h = kept.zeros();
    assert_eq!(
        kept.of_object(&g).at(&[3.0, 2.0], &mut (), &mut h),
        outside("sparse hessian", 0).map(|()| 0.0)
    );
    let mut kept = Hessian::by_substitution(&differences, &[-1.0, 2.0]).unwrap();
    assert_eq!((kept.lanes(), kept.pattern().nnz()), (1, 0));
    let mut h = kept.zeros();
    let found = kept.of_object(&differences).at(&[3.0, 2.0], &mut (), &mut h);
    assert_eq!(found, outside("sparse hessian", 0).map(|()| 0.0));
    // The columns 21 and 22 have their own lane.
    let chain = function!(|x, y: [_; 20]| for i in 0..20 {
        y[i] = x[i] * x[i + 1] + if x[0] > 1.0 { x[22] - x[21] } else { 0.0 };
    });
    let mut kept = Jacobian::new(&chain, &[1.0; 23]).unwrap();
    assert_eq!(kept.lanes(), (3, 0));
    let mut j = kept.zeros();
    assert_eq!(kept.of_object(&chain).at(&[1.0; 23], &mut (), &mut j), Ok(()));
    assert_eq!(kept.of_object(&chain).at(&[2.0; 23], &mut (), &mut j), outside("sparse jacobian", 0));
    // A row beside one that is pulled, and a column of the rows that are pushed.
    let beside = function!(|x, y: [_; 2]| {
        y[0] = x.iter().map(|x| x * x).sum();
        y[1] = if x[0] > 1.0 { x[5] } else { 3.0 };
    });
    let mut kept = Jacobian::new(&beside, &[1.0; 40]).unwrap();
    assert_eq!(kept.lanes(), (0, 2));
    let mut j = kept.zeros();
    assert_eq!(kept.of_object(&beside).at(&[2.0; 40], &mut (), &mut j), outside("sparse jacobian", 5));
    let below = function!(|x, y: [_; 3]| {
        y[0] = x.iter().map(|x| x * x).sum();
        y[1] = x[0] + if x[0] > 1.0 { x[5] } else { 3.0 };
        y[2] = x[1];
    });
    let mut kept = Jacobian::new(&below, &[1.0; 40]).unwrap();
    assert_eq!(kept.lanes(), (2, 1));
    let mut j = kept.zeros();
    assert_eq!(kept.of_object(&below).at(&[2.0; 40], &mut (), &mut j), outside("sparse jacobian", 1));
}

#[test]
fn untaken_branches_are_not_in_the_pattern() {
    let f = function!(|x, y: [_; 2]| {
        y[0] = if x[0] > 0.0 { x[1] * x[1] } else { x[2] * 5.0 };
        y[1] = x[1] * x[2];
    });
    let mut kept = Jacobian::new(&f, &[1.0, 2.0, 3.0]).unwrap();
    assert_eq!(lines(kept.pattern()), [vec![1], vec![1, 2]]);
    let (mut y, mut j) = ([0.0; 2], kept.zeros());
    kept.of_object(&f).at(&[2.0, 3.0, 4.0], &mut y, &mut j).unwrap();
    assert_eq!((y, j.values()), ([9.0, 12.0], &[6.0, 4.0, 3.0][..]));
    let outside = AdError::Structure { op: "sparse jacobian", what: "pattern", part: 0 };
    let other = [-1.0, 2.0, 3.0];
    assert_eq!(kept.of_object(&f).at(&other, &mut y, &mut j).unwrap_err(), outside);
    assert_eq!(kept.of_object(&f).check_pattern(&other).unwrap_err(), outside);
    assert!(kept.of_object(&f).check_pattern(&[1.0; 2]).is_err());
    assert!(kept.of_object(&f).at(&[1.0; 4], &mut y, &mut j).is_err());

    let g = function!(|x| if x[0] > 0.0 { x[1] * x[2] } else { x[1] * x[2] + x[0] * x[2] });
    let mut kept = Hessian::new(&g, &[1.0, 2.0, 3.0]).unwrap();
    assert_eq!(lines(kept.pattern()), [vec![], vec![2], vec![1]]);
    let outside = AdError::Structure { op: "sparse hessian", what: "pattern", part: 0 };
    let mut h = kept.zeros();
    assert_eq!(kept.of_object(&g).check_pattern(&other).unwrap_err(), outside);
    assert_eq!(kept.of_object(&g).at(&other, &mut [0.0; 3], &mut h).unwrap_err(), outside);
    assert!(kept.of_object(&g).at(&[1.0; 3], &mut [0.0; 2], &mut h).is_err());
}

/// Buffers and functions of other sizes are errors, and nothing is written.
#[test]
fn what_does_not_fit_a_kept_operator_is_an_error() {
    let text = |e: AdError| e.to_string();
    let f = function!(|x, y: [_; 2]| {
        y[0] = x[0] * x[1];
        y[1] = x[2].exp();
    });
    let x = [1.0, 2.0, 3.0];
    let mut kept = Jacobian::new(&f, &x).unwrap();
    let (mut y, mut j) = ([7.0; 2], kept.zeros());
    let e = kept.of_object(&f).at(&x, &mut [0.0; 3], &mut j).unwrap_err();
    assert_eq!(text(e), "sparse jacobian: the value buffer has length 3, expected 2");
    let three = function!(|x, y: [_; 3]| {
        y[0] = x[0];
        y[1] = x[1];
        y[2] = x[2];
    });
    let e = kept.of_object(&three).at(&x, &mut y, &mut j).unwrap_err();
    assert_eq!(text(e), "sparse jacobian: the result has length 3, expected 2");
    let mut other = Jacobian::new(&three, &x).unwrap().zeros();
    let e = kept.of_object(&f).at(&x, &mut y, &mut other).unwrap_err();
    assert_eq!(e, AdError::Structure { op: "sparse jacobian", what: "pattern of the buffer", part: 0 });
    assert_eq!((y, j.values()), ([7.0; 2], &[0.0; 3][..]));
    let g = function!(|x| x[0] * x[1] + x[2]);
    let mut kept = Hessian::new(&g, &x).unwrap();
    let mut diagonal = Hessian::new(function!(|x| x[0] * x[0]), &x).unwrap().zeros();
    let e = kept.of_object(&g).at(&x, &mut (), &mut diagonal).unwrap_err();
    assert_eq!(e, AdError::Structure { op: "sparse hessian", what: "pattern of the buffer", part: 0 });
}

/// One structure serves a Lagrangian whose multipliers change, against dense Hessians.
#[test]
fn kept_operators_take_another_function_in_each_call() {
    let x = point(12);
    struct Lagrangian(f64);
    #[wengert::generic]
    impl Function for Lagrangian {
        fn call(&self, x: &[f64]) -> f64 {
            x.windows(2).map(|w| w[0].exp() + w[0] * w[1].sin() * self.0).sum()
        }
    }
    let mut kept = Hessian::new(Lagrangian(0.0), &x).unwrap();
    let (mut g, mut h) = (vec![0.0; 12], kept.zeros());
    for lambda in [1.0, -2.0, 0.0, 1e3] {
        let (value, gradient, dense) = Lagrangian(lambda).value_gradient_and_hessian(&x);
        assert_eq!(kept.of_object(&Lagrangian(lambda)).at(&x, &mut g, &mut h).unwrap(), value);
        assert!(g.iter().zip(&gradient).all(|(g, want)| (g - want).abs() <= 1e-14 * want.abs()));
        agree(&dense, h.pattern(), h.values());
    }
}

#[test]
fn maps_have_all_entries_of_their_operands() {
    let f = function!(|x, y: [_; 5]| {
        let a = SMatrix::<f64, 2, 2>::from_fn(|i, j| x[i + 2 * j] + if i == j { 4.0 } else { 0.0 });
        let inverse = matrix::inverse(&a).unwrap();
        y[..4].copy_from_slice(inverse.as_slice());
        y[4] = x[4] * inverse[(0, 1)];
    });
    let all: Vec<usize> = (0..4).collect();
    let rows = vec![all.clone(), all.clone(), all.clone(), all, (0..5).collect()];
    assert_eq!(jacobian_of(f, &point(6)).0, rows);
    // A product whose sums are recorded has their pattern.
    let f = function!(|x, y: [_; 2]| {
        let [a, b] = [0, 144].map(|first| SMatrix::<f64, 12, 12>::from_fn(|i, j| x[first + i + 12 * j]));
        (y[0], y[1]) = ((a * b)[(0, 1)], matrix::matmul(&a, &b)[(0, 1)]);
    });
    let of_sum = (0..12).map(|j| 12 * j).chain(156..168).collect();
    assert_eq!(jacobian_of(f, &point(288)).0, [of_sum, (0..288).collect::<Vec<_>>()]);
    let g = function!(|x| {
        let a = SMatrix::<f64, 2, 2>::from_fn(|i, j| x[i + 2 * j] + if i == j { 4.0 } else { 0.0 });
        matrix::inverse(&a).unwrap()[(0, 1)] * 2.0 + x[4] * x[5] + x[4].exp()
    });
    let all: Vec<usize> = (0..4).collect();
    let rows = vec![all.clone(), all.clone(), all.clone(), all, vec![4, 5], vec![4], vec![]];
    assert_eq!(hessian_of(g, &point(7)).0, rows);
}

#[test]
fn chains_and_arrows_have_hessians_of_few_colours() {
    let n = 50;
    let squares: Vec<Vec<usize>> = (0..n).map(|i| vec![i, i]).collect();
    let (diagonal, lanes) = hessian_of(Products(squares.clone()), &point(n));
    assert_eq!((diagonal, lanes), (band(n, 0), 1));
    let chain: Vec<Vec<usize>> = (1..n).map(|i| vec![i - 1, i]).chain(squares.clone()).collect();
    assert_eq!(hessian_of(Products(chain.clone()), &point(n)), (band(n, 1), 3));
    assert_eq!(lanes_by_substitution(Products(chain), &point(n)), 2);
    let ring: Vec<Vec<usize>> = (0..n).map(|i| vec![i, (i + 1) % n]).collect();
    assert_eq!(hessian_of(Products(ring.clone()), &point(n)).0, pairs(n, &ring));
    assert_eq!(lanes_by_substitution(Products(ring), &point(n)), 3);
    let arrow: Vec<Vec<usize>> = (1..n).map(|i| vec![0, i]).chain(squares).collect();
    let (pattern, lanes) = hessian_of(Products(arrow.clone()), &point(n));
    assert_eq!((pattern, lanes), (pairs(n, &arrow), 2));
    let linear = function!(|x| x.iter().map(|&x| x * 2.0).sum());
    assert_eq!(hessian_of(linear, &point(5)), (vec![vec![]; 5], 1));
    assert_eq!(hessian_of(function!(|x| 3.0 * x.len() as f64), &point(2)), (vec![vec![]; 2], 1));
    assert_eq!(hessian_of(function!(|x| 3.0 * x.len() as f64), &[]), (vec![], 0));
    // A result that is a function of one node.
    assert_eq!(hessian_of(function!(|x| (x[0] + x[2]).exp()), &point(3)).0, [vec![0, 2], vec![], vec![0, 2]]);
}

#[test]
fn the_laplacian_has_few_colours() {
    const SIDE: usize = 12;
    let side = SIDE;
    let energy = function!(|x| {
        let mut sum = 0.0;
        for i in 0..SIDE {
            for j in 0..SIDE {
                let u = x[i * SIDE + j];
                let right = if j + 1 < SIDE { x[i * SIDE + j + 1] } else { -u };
                let below = if i + 1 < SIDE { x[(i + 1) * SIDE + j] } else { -u };
                sum += (u - right).powi(4) + (u - below).powi(4);
            }
        }
        sum
    });
    let (pattern, lanes) = hessian_of(&energy, &point(side * side));
    let neighbours = |k: usize| {
        let (i, j) = (k / side, k % side);
        let mut row = vec![k];
        row.extend((j > 0).then(|| k - 1));
        row.extend((j + 1 < side).then_some(k + 1));
        row.extend((i > 0).then(|| k - side));
        row.extend((i + 1 < side).then_some(k + side));
        sorted(row)
    };
    assert_eq!(pattern, (0..side * side).map(neighbours).collect::<Vec<_>>());
    let fewer = lanes_by_substitution(&energy, &point(side * side));
    assert!(fewer <= 4 && lanes <= 5, "{fewer}, {lanes} colours");
}

/// Rows of a grid have five entries, and five colours do: by the order of saturation.
#[test]
fn grids_have_as_many_colours_as_their_rows_entries() {
    for [height, width] in [[20, 20], [12, 12], [7, 31], [2, 9], [40, 3]] {
        let row = |k: usize| {
            let (i, j) = (k / width, k % width);
            let next = |there: bool, at: usize| there.then_some(at);
            let around = [
                next(i > 0, k.wrapping_sub(width)),
                next(j > 0, k.wrapping_sub(1)),
                Some(k),
                next(j + 1 < width, k + 1),
                next(i + 1 < height, k + width),
            ];
            around.into_iter().flatten().collect::<Vec<_>>()
        };
        let rows: Vec<Vec<usize>> = (0..height * width).map(row).collect();
        let longest = rows.iter().map(Vec::len).max().unwrap();
        let (pattern, (pushed, pulled)) = jacobian_of(Rows(rows.clone()), &point(height * width));
        assert_eq!((pattern, pushed + pulled), (rows.clone(), longest), "{height} × {width}");
        let edges = rows.iter().enumerate().flat_map(|(i, row)| row.iter().map(move |&j| vec![i, j]));
        let (_, lanes) = hessian_of(Products(edges.collect()), &point(height * width));
        assert!(lanes <= longest, "{height} × {width}: {lanes} colours");
    }
}

#[test]
fn random_hessians() {
    let mut rng = random::numbers(11);
    for _ in 0..random::cases(200) {
        let (n, count) = (rng.usize(1..25), rng.usize(0..40));
        let term = |_| (0..rng.usize(1..4)).map(|_| rng.usize(0..n)).collect();
        let terms: Vec<Vec<usize>> = (0..count).map(term).collect();
        assert_eq!(hessian_of(Products(terms.clone()), &point(n)).0, pairs(n, &terms));
    }
}

/// Random functions of some of the inputs each, computed without rounding.
#[derive(Clone)]
struct Mixed(Vec<(Vec<exact::Step>, [usize; 3])>);

impl Mixed {
    fn random(rng: &mut fastrand::Rng, n: usize) -> Self {
        let step = |rng: &mut fastrand::Rng| (rng.u8(..), rng.u8(..), rng.u8(..), rng.u8(..));
        let count = rng.usize(0..12);
        let function = |_| {
            let steps = (0..rng.usize(1..10)).map(|_| step(rng)).collect();
            (steps, std::array::from_fn(|_| rng.usize(0..n)))
        };
        Mixed((0..count).map(function).collect())
    }
    fn results<T: Real<Base = f64>>(&self, x: &[T]) -> impl Iterator<Item = T> {
        self.0.iter().map(|(steps, inputs)| exact::function(steps, &inputs.map(|i| x[i]))[1])
    }
}

impl VectorFunction for Mixed {
    fn outputs(&self, _: usize) -> usize {
        self.0.len()
    }
    fn call<T: Real<Base = f64>>(&self, x: &[T], y: &mut [T]) {
        y.iter_mut().zip(self.results(x)).for_each(|(to, y)| *to = y);
    }
}

/// The sum of the functions, each times the next one.
struct Joined(Mixed);

impl Function for Joined {
    fn call<T: Real<Base = f64>>(&self, x: &[T]) -> T {
        let y: Vec<T> = self.0.results(x).collect();
        y.windows(2).map(|y| y[0] * y[1]).sum::<T>() + x.iter().copied().sum::<T>()
    }
}

/// Whether each entry of one pattern is in the other.
fn within(inner: &[Vec<usize>], outer: &[Vec<usize>]) -> bool {
    inner.iter().zip(outer).all(|(inner, outer)| inner.iter().all(|j| outer.contains(j)))
}

/// With kinks and branches: where the pattern differs, the error reports it.
#[test]
fn random_functions() {
    let mut rng = random::numbers(13);
    for _ in 0..random::cases(300) {
        let n = rng.usize(1..12);
        let f = Mixed::random(&mut rng, n);
        let g = Joined(f.clone());
        let mut point = || -> Vec<f64> { (0..n).map(|_| f64::from(rng.i8(-3..4))).collect() };
        let (x, mut gradient) = (point(), vec![0.0; n]);
        let mut jacobian = Jacobian::new(&f, &x).unwrap();
        let mut hessian = Hessian::new(&g, &x).unwrap();
        let mut fewer = Hessian::by_substitution(&g, &x).unwrap();
        for x in [x, point(), point()] {
            let found = lines(Jacobian::new(&f, &x).unwrap().pattern());
            let is_within = within(&found, &lines(jacobian.pattern()));
            assert_eq!(jacobian.of_object(&f).check_pattern(&x).is_ok(), is_within);
            if is_within {
                let (value, dense) = f.value_and_jacobian(&x);
                let (mut y, mut j) = (vec![0.0; value.len()], jacobian.zeros());
                jacobian.of_object(&f).at(&x, &mut y, &mut j).unwrap();
                assert_eq!(y, value);
                agree(&dense, j.pattern(), j.values());
            } else if !jacobian.lanes().0.is_multiple_of(4) {
                // Columns without entries have their own lane.
                let (kept, dense, mut j) = (lines(jacobian.pattern()), f.jacobian(&x), jacobian.zeros());
                let is_empty = |&column: &usize| kept.iter().all(|row| !row.contains(&column));
                let is_outside = (0..n).filter(is_empty).any(|column| dense.column(column).amax() != 0.0);
                assert!(!is_outside || jacobian.of_object(&f).at(&x, &mut (), &mut j).is_err());
            }
            let found = lines(Hessian::new(&g, &x).unwrap().pattern());
            let is_within = within(&found, &lines(hessian.pattern()));
            assert_eq!(hessian.of_object(&g).check_pattern(&x).is_ok(), is_within);
            if is_within {
                let (value, slopes, dense) = g.value_gradient_and_hessian(&x);
                for kept in [&mut hessian, &mut fewer] {
                    let mut h = kept.zeros();
                    let y = kept.of_object(&g).at(&x, &mut gradient, &mut h).unwrap();
                    assert_eq!((y, &gradient), (value, &slopes));
                    agree(&dense, h.pattern(), h.values());
                }
            } else {
                let dense = g.hessian(&x);
                for kept in [&mut hessian, &mut fewer] {
                    let (is_empty, mut h) = (|&i: &usize| kept.pattern().lane(i).is_empty(), kept.zeros());
                    let empty: Vec<usize> = (0..n).filter(is_empty).collect();
                    let is_outside = empty.iter().any(|&i| empty.iter().any(|&j| dense[(i, j)] != 0.0));
                    assert!(!is_outside || kept.of_object(&g).at(&x, &mut (), &mut h).is_err());
                }
            }
        }
    }
}

#[test]
fn nothing_is_allocated_after_the_first_call() {
    let n = 40;
    let arrow = (0..n).map(|i| if i == 0 { (0..n).collect() } else { vec![0, i] }).collect();
    let chain = Products((1..n).map(|i| vec![i - 1, i, i]).collect());
    let (x, mut g) = (point(n), vec![0.0; n]);
    let rows = Rows(arrow);
    let mut jacobian = Jacobian::new(&rows, &x).unwrap();
    let mut hessian = Hessian::new(&chain, &x).unwrap();
    let (mut y, mut j, mut h) = (vec![0.0; n], jacobian.zeros(), hessian.zeros());
    let mut both = || {
        jacobian.of_object(&rows).at(&x, &mut y, &mut j).unwrap();
        hessian.of_object(&chain).at(&x, &mut g, &mut h).unwrap();
    };
    both();
    both();
    let before = allocations::so_far();
    both();
    assert_eq!(allocations::so_far() - before, 0);
}
