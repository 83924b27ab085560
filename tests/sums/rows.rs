//! Sums by the program of their term, against the same sums written out.

use wengert::programs::Traced;
use wengert::sums::{LeastSquares, Loss, Sum, Table};
use wengert::{Function, Real, Var, VectorFunction, gradient, reduce};

use super::demands::{Objective, Residuals, Whole, demand_squares, demand_sum};

fn numbers(n: usize, scale: f64) -> Vec<f64> {
    (0..n).map(|i| scale * (1.7 * i as f64 + 0.3 * (i as f64).sqrt()).sin()).collect()
}

/// The rows of a term, written out.
struct Written<'a, F, const K: usize> {
    term: &'a F,
    data: &'a [[f64; K]],
    reads: Option<&'a [Vec<usize>]>,
}

impl<F: Term<K>, const K: usize> Residuals for Written<'_, F, K> {
    fn at<T: wengert::Scalar>(&self, p: &[T]) -> Vec<Vec<T>> {
        let of = |(i, d): (usize, &[f64; K])| {
            let q = self.reads.map_or_else(|| p.to_vec(), |all| all[i].iter().map(|&j| p[j]).collect());
            vec![self.term.at(&q, &d.map(T::lit))]
        };
        self.data.iter().enumerate().map(of).collect()
    }
}

impl<F: Term<K>, const K: usize> Whole for Written<'_, F, K> {
    fn at<T: wengert::Scalar>(&self, p: &[T]) -> T {
        Residuals::at(self, p).into_iter().flatten().fold(T::lit(0.0), |s, x| s + x)
    }
}

/// All derivatives of a sum, against the derivatives of the sum written out.
fn check<const K: usize, F>(data: &[[f64; K]], reads: Option<&[Vec<usize>]>, term: &F, p: &[f64])
where
    F: Term<K> + Sync,
{
    let table = match reads {
        None => Table::from(data),
        Some(all) => Table::from(data).reading(|i| all[i].iter().copied()),
    };
    let mut sum = Sum::new(p.len(), table, |p: &[Traced], d: &[Traced]| term.at(p, d)).unwrap();
    for p in [p.to_vec(), p.iter().map(|p| p * 0.9 + 0.01).collect()] {
        demand_sum(&mut sum, &Written { term, data, reads }, &p);
    }
}

/// A term at every number.
trait Term<const K: usize> {
    fn at<T: wengert::Scalar>(&self, p: &[T], d: &[T]) -> T;
}

macro_rules! term {
    ($name:ident, $width:literal, |$p:ident, $d:ident| $body:expr) => {
        struct $name;
        impl Term<$width> for $name {
            fn at<T: wengert::Scalar>(&self, $p: &[T], $d: &[T]) -> T {
                $body
            }
        }
    };
}

term!(Logistic, 6, |w, d| {
    let t = reduce::dot(&d[..5], w);
    t.softplus() - t * d[5]
});
term!(Mixed, 3, |p, d| {
    let hoisted = (p[0] * p[1]).sin();
    let form = p[0] * d[0] + p[1] * d[1] + p[2] * (d[0] * d[1]) + p[3] * 2.0 - hoisted * d[2];
    (form * hoisted).exp() * p[2] + form * form * p[3] + hoisted * d[2].sin()
});
term!(Branches, 2, |p, d| {
    let model = if d[0] < T::lit(0.0) { p[0] * (p[1] * d[0]).exp() } else { (p[2] * d[0]).sin() + p[3] };
    let r = model - d[1];
    if r.abs() < T::lit(0.5) { r * r * 0.5 } else { r.abs() * 0.5 - 0.125 }
});
term!(Own, 1, |p, d| {
    let d1 = p[0] - p[1];
    d1 * d1 * p[0] * d[0] + p[1].sin()
});
term!(Grouped, 2, |p, d| {
    let turned = (p[0].sin() * p[2] + p[0].cos() * p[3], p[1].exp());
    (turned.0 * turned.1 - d[0]).square() + (p[2] * p[3] * d[1]).tanh()
});
// Coefficients that are computed from the data, an offset, a quotient, a parameter that occurs twice.
term!(Computed, 3, |p, d| {
    let sum = p[0] * d[0] - p[1] * (d[1] + 0.5) + (p[2] - d[2] * p[0]) * d[0] + p[3] * d[2].exp();
    let form = (sum + d[0] * d[1]) / (d[2] * d[2] + 1.5) - (p[1] - d[2].sin());
    (form * 0.3).tanh() + form * d[1].cos()
});
term!(NoParameters, 1, |p, d| {
    let _ = p;
    d[0] * d[0]
});

#[test]
fn all_derivatives_are_those_of_the_written_sum() {
    for count in [0, 1, 2, 15, 16, 17, 40, 1500] {
        let data = numbers(6 * count, 1.3);
        check(data.as_chunks().0, None, &Logistic, &numbers(5, 0.4));
        check(&data.as_chunks().0[..count], None, &Mixed, &numbers(4, 0.5));
        check(&data.as_chunks().0[..count], None, &Branches, &numbers(4, 0.6));
        check(&data.as_chunks().0[..count], None, &Computed, &numbers(4, 0.6));
        check(&data.as_chunks().0[..count], None, &NoParameters, &numbers(3, 0.6));
        let n = 7;
        let reads: Vec<Vec<usize>> = (0..count).map(|i| vec![(i * i) % n, (3 * i + 1) % n]).collect();
        check(&data.as_chunks().0[..count], Some(&reads), &Own, &numbers(n, 0.5));
        let groups: Vec<Vec<usize>> =
            (0..count).map(|i| vec![(i * 7) % 2, 2 + (i * 7) % 2, 4 + i % 3, 4 + (i * i) % 5]).collect();
        check(&data.as_chunks().0[..count], Some(&groups), &Grouped, &numbers(9, 0.5));
    }
}

/// A layer of a network: more numbers than second derivatives are formed in one pass.
#[test]
fn wide_terms_have_their_hessians_by_columns() {
    term!(Layer, 3, |p, d| {
        let unit = |k: usize| (p[k] * d[0] + p[24 + k] * d[1] + p[48 + k]).tanh();
        (0..24).map(|k| unit(k) * p[(k * 5) % 72]).sum::<T>().square() * d[2]
    });
    let data = numbers(60, 1.0);
    check(data.as_chunks().0, None, &Layer, &numbers(72, 0.3));
    let reads: Vec<Vec<usize>> = (0..20)
        .map(|i| (0..72).map(|k| if k < 40 { k } else { 40 + (k * (i + 1)) % 45 }).collect())
        .collect();
    check(data.as_chunks().0, Some(&reads), &Layer, &numbers(85, 0.3));
}

/// Many hoisted values of few parameters, in linear forms: their partials are coefficients of forms too.
#[test]
fn partials_of_hoisted_values_are_coefficients() {
    term!(Waves, 6, |p, d| {
        let wave = |k: usize| (p[0] * (k as f64 + 1.0) + p[1] * p[2]).sin();
        let [a, b] = [0, 1].map(|of| {
            (0..5).map(|k| wave(k + of) * d[k]).sum::<T>() + wave(7) * (d[0] * d[5]) + p[1] * d[1].exp()
        });
        (a * b).tanh() + a * p[2] + b * d[5]
    });
    for count in [1, 17, 300] {
        let data = numbers(6 * count, 1.0);
        let data: &[[f64; 6]] = data.as_chunks().0;
        let (p, own) = (numbers(3, 0.7), numbers(7, 0.7));
        let reads: Vec<Vec<usize>> = (0..count).map(|i| vec![i % 2, 2 + i % 2, 4 + (i * i) % 3]).collect();
        check(data, None, &Waves, &p);
        check(data, Some(&reads), &Waves, &own);
        for (reads, p) in [(None, &p), (Some(&reads[..]), &own)] {
            let table = match reads {
                Some(all) => Table::from(data).reading(|i| all[i].iter().copied()),
                None => Table::from(data),
            };
            let term = |p: &[Traced], d: &[Traced]| Waves.at(p, d);
            let mut squares = LeastSquares::new(p.len(), table, term).unwrap();
            let written = Written { term: &Waves, data, reads };
            demand_squares(&mut squares, &written, &wengert::sums::Squared, p);
            assert!(reads.is_some() || squares.report().parts[0].forms == 2, "{}", squares.report());
        }
    }
}

/// Rows whose values leave the program, so that each point has another program.
struct LookUp<'a>(&'a [[f64; 1]]);

impl LookUp<'_> {
    fn term<T: Real<Base = f64>>(z: &[T]) -> T {
        let x = z[0] * z[2];
        let table = (x.primal() * 100.0).floor();
        x * table + x * x * z[1]
    }
}

impl Whole for LookUp<'_> {
    fn at<T: wengert::Scalar>(&self, p: &[T]) -> T {
        self.0.iter().map(|d| Self::term(&[p[0], p[1], d[0].into()])).sum()
    }
}

impl Residuals for LookUp<'_> {
    fn at<T: wengert::Scalar>(&self, p: &[T]) -> Vec<Vec<T>> {
        self.0.iter().map(|d| vec![Self::term(&[p[0], p[1], d[0].into()]), p[0]]).collect()
    }
}

impl Function for LookUp<'_> {
    fn call<T: Real<Base = f64>>(&self, z: &[T]) -> T {
        Self::term(z)
    }
}

impl VectorFunction for LookUp<'_> {
    fn outputs(&self, _: usize) -> usize {
        2
    }
    fn call<T: Real<Base = f64>>(&self, z: &[T], r: &mut [T]) {
        (r[0], r[1]) = (Self::term(z), z[0]);
    }
}

#[test]
fn rows_whose_values_leave_the_program_run_by_themselves() {
    let data: Vec<[f64; 1]> = numbers(300, 2.0).as_chunks().0.to_vec();
    let rows = LookUp(&data);
    let closure = |p: &[Traced], d: &[Traced]| LookUp::term(&[p, d].concat());
    let residuals = |p: &[Traced], d: &[Traced]| [LookUp::term(&[p, d].concat()), p[0]];
    let mut sums = [Sum::new(2, &data, closure).unwrap(), Sum::of_object(2, &data, LookUp(&data)).unwrap()];
    let squares = || LeastSquares::new(2, &data, residuals).unwrap();
    let objects = || LeastSquares::of_object(2, &data, LookUp(&data)).unwrap();
    let mut plain = [squares(), objects()];
    let huber = wengert::sums::Huber(3.0);
    let mut robust = [squares().with_loss(huber), objects().with_loss(huber)];
    for p in [[1.0, 2.0], [1.5, 0.5], [1.0, 2.0]] {
        for sum in &mut sums {
            demand_sum(sum, &rows, &p);
            assert_eq!(sum.report().parts[0].alone, 300, "{}", sum.report());
        }
        plain.iter_mut().for_each(|squares| {
            demand_squares(squares, &rows, &wengert::sums::Squared, &p);
            assert_eq!(squares.report().parts[0].alone, 300);
        });
        robust.iter_mut().for_each(|squares| demand_squares(squares, &rows, &huber, &p));
    }
    // The values that all rows share may leave it: one program, traced where it changes.
    let loops = |p: &[Traced], d: &[Traced]| (0..p[0].primal() as usize).fold(d[0], |x, _| x * p[1]);
    let mut sum = Sum::new(2, &data, loops).unwrap();
    for k in 0..200 {
        sum.gradient(&[k as f64, 0.9], &mut [0.0; 2]).unwrap();
    }
    assert_eq!(sum.report().parts[0].alone, 0);
    // Each row of data has a branch.
    let powers =
        |p: &[Traced], d: &[Traced]| (0..(d[0].primal().abs() * 100.0) as usize).fold(p[0], |x, _| x * p[1]);
    let mut sum = Sum::new(2, &data, powers).unwrap();
    let mut g = [0.0; 2];
    sum.gradient(&[0.7, 0.9], &mut g).unwrap();
    let of = |p: &[Var<f64>], d: &[f64; 1]| (0..(d[0].abs() * 100.0) as usize).fold(p[0], |x, _| x * p[1]);
    super::close(&g, &gradient(|p: &[_]| data.iter().map(|d| of(p, d)).sum(), &[0.7, 0.9][..]));
    let report = &sum.report().parts[0];
    assert!(report.branches == 64 && report.alone > 50, "{}", sum.report());
}

/// Interpolation in a table, where a point moves with a parameter and is rounded in one of five ways.
struct Interpolation<'a>(&'a [[f64; 1]], usize);

impl Interpolation<'_> {
    fn term<T: Real<Base = f64>>(way: usize, z: &[T]) -> T {
        let at = z[0] * z[2];
        let cell =
            [at.floor(), at.ceil(), at.round(), at.trunc(), at.floor().clamp(T::lit(-2.0), T::lit(3.0))][way];
        let [low, high] = [0.0, 1.0].map(|k| (cell + k).primal().cos());
        (at - cell) * (high - low) + z[1] * low
    }
}

impl Whole for Interpolation<'_> {
    fn at<T: wengert::Scalar>(&self, p: &[T]) -> T {
        self.0.iter().map(|d| Self::term(self.1, &[p[0], p[1], d[0].into()])).sum()
    }
}

#[test]
fn rounded_values_that_leave_are_branches() {
    let data: Vec<[f64; 1]> = numbers(300, 2.0).as_chunks().0.to_vec();
    for way in 0..5 {
        let mut sum =
            Sum::new(2, &data, |p, d: &[Traced]| Interpolation::term(way, &[p, d].concat())).unwrap();
        for p in [[1.0, 2.0], [1.5, 0.5], [3.0, 2.0], [1.0, 2.0]] {
            demand_sum(&mut sum, &Interpolation(&data, way), &p);
            let report = &sum.report().parts[0];
            assert!(report.alone == 0 && (3..=16).contains(&report.branches), "{report:?}");
        }
    }
}

/// Rows that share one parameter and read two of their own. Values leave the program where a number of the row is larger
/// than this one.
struct Apart<'a>(&'a [[f64; 2]], f64);

impl Apart<'_> {
    const PARAMETERS: usize = 18;
    /// The own parameters have more values than rows have blocks: runs do not share them. The list is not sorted.
    fn reads(i: usize) -> [usize; 3] {
        [10 + (5 * i) % 8, i % 2, 2 + (3 * i) % 8]
    }
    fn terms<T: Real<Base = f64>>(&self, z: &[T]) -> [T; 2] {
        let x = z[0] * z[1] * z[3] + z[2];
        let factor = if z[3] > T::lit(self.1) { (x.primal() * 10.0).floor() } else { 3.0 };
        [x.sin() * factor + z[1] * z[2] * z[0], x * z[4]]
    }
    fn rows<T: wengert::Scalar>(&self, p: &[T]) -> impl Iterator<Item = [T; 2]> {
        let row = |(i, d): (usize, &[f64; 2])| {
            let [a, b, c] = Self::reads(i).map(|j| p[j]);
            self.terms(&[a, b, c, d[0].into(), d[1].into()])
        };
        self.0.iter().enumerate().map(row)
    }
}

impl Whole for Apart<'_> {
    fn at<T: wengert::Scalar>(&self, p: &[T]) -> T {
        self.rows(p).map(|[y, _]| y).sum()
    }
}

impl Residuals for Apart<'_> {
    fn at<T: wengert::Scalar>(&self, p: &[T]) -> Vec<Vec<T>> {
        self.rows(p).map(Vec::from).collect()
    }
}

impl Function for Apart<'_> {
    fn call<T: Real<Base = f64>>(&self, z: &[T]) -> T {
        self.terms(z)[0]
    }
}

impl VectorFunction for Apart<'_> {
    fn outputs(&self, _: usize) -> usize {
        2
    }
    fn call<T: Real<Base = f64>>(&self, z: &[T], r: &mut [T]) {
        r.copy_from_slice(&self.terms(z));
    }
}

/// All rows leave the program, or some, the first among them or not.
#[test]
fn rows_by_themselves_have_parameters_of_their_own() {
    let data: Vec<[f64; 2]> = numbers(200, 1.3).as_chunks().0.to_vec();
    for limit in [f64::NEG_INFINITY, data[0][0] - 0.1, data[0][0] + 0.1] {
        let (table, rows) = (|| Table::from(&data).reading(Apart::reads), || Apart(&data, limit));
        let n = Apart::PARAMETERS;
        let closure = |p: &[Traced], d: &[Traced]| Apart(&[], limit).terms(&[p, d].concat());
        let mut sums = [
            Sum::new(n, table(), |p, d| closure(p, d)[0]).unwrap(),
            Sum::of_object(n, table(), rows()).unwrap(),
        ];
        let squares =
            || [LeastSquares::new(n, table(), closure), LeastSquares::of_object(n, table(), rows())];
        let huber = wengert::sums::Huber(1.0);
        let alone = data.iter().filter(|d| d[0] > limit).count();
        for scale in [0.7, 1.1] {
            let p = numbers(n, scale);
            for sum in &mut sums {
                demand_sum(sum, &rows(), &p);
                let part = &sum.report().parts[0];
                assert_eq!((part.alone, part.runs), (alone, 2), "{}", sum.report());
            }
            for squares in squares() {
                demand_squares(&mut squares.unwrap(), &rows(), &wengert::sums::Squared, &p);
            }
            for squares in squares() {
                demand_squares(&mut squares.unwrap().with_loss(huber), &rows(), &huber, &p);
            }
        }
    }
}

/// Rows beyond the limit of branches look for one again when branches are free.
#[test]
fn rows_without_a_program_may_have_one_later() {
    let data: Vec<[f64; 1]> = numbers(400, 2.0).as_chunks().0.to_vec();
    let powers = |p: &[Traced], d: &[Traced]| {
        let mut y = p[0] * d[0];
        while y > 1.0 {
            y -= p[1];
        }
        y * y
    };
    let mut sum = Sum::new(2, &data, powers).unwrap();
    let mut alone = |step: f64| {
        sum.value(&[10.0, step]).unwrap();
        sum.report().parts[0].alone
    };
    assert!(alone(0.1) > 50);
    // The next call still knows the branches of this one.
    alone(1.0);
    assert_eq!(alone(1.5), 0);
}

/// Many rows without a program are not all traced to find that out.
#[test]
fn few_rows_are_traced_to_find_that_they_have_no_program() {
    use std::sync::atomic::{AtomicUsize, Ordering};
    let data: Vec<[f64; 1]> = (0..3000).map(|i| [f64::from(i % 2)]).collect();
    let traces = AtomicUsize::new(0);
    struct Floors<'a>(&'a AtomicUsize);
    impl Function for Floors<'_> {
        fn call<T: Real<Base = f64>>(&self, z: &[T]) -> T {
            if T::TRACES {
                self.0.fetch_add(1, Ordering::Relaxed);
            }
            if z[1] > T::lit(0.5) { z[0] * (z[0].primal() * 10.0).floor() } else { z[0] * 2.0 }
        }
    }
    let mut sum = Sum::of_object(3000, Table::from(&data).reading(|i| [i]), Floors(&traces)).unwrap();
    let p: Vec<f64> = (0..3000).map(f64::from).collect();
    sum.value(&p).unwrap();
    assert_eq!(sum.report().parts[0].alone, 1500, "{}", sum.report());
    assert!(traces.load(Ordering::Relaxed) < 100, "{traces:?}");
}

/// Rows without a program, the first ones, hide no branch that rows take later.
#[test]
fn a_branch_that_appears_late_has_a_program() {
    let data: Vec<[f64; 2]> = (0..2000).map(|i| [f64::from(u8::from(i < 1000)), f64::from(i % 7)]).collect();
    let term = |p: &[Traced], d: &[Traced]| {
        let x = p[0] * (d[1] + 1.0);
        if d[0] > 0.5 {
            return x * (x.primal() * 10.0).floor();
        }
        if x > 3.0 { x.sin() } else { x * x }
    };
    let mut sum = Sum::new(1, &data, term).unwrap();
    let mut g = [0.0];
    for p in [0.1, 1.0, 0.1] {
        sum.gradient(&[p], &mut g).unwrap();
        let of = |p: &Var<f64>, d: &[f64; 2]| {
            let x = *p * (d[1] + 1.0);
            match d[0] > 0.5 {
                true => x * (x.value() * 10.0).floor(),
                false if x > 3.0 => x.sin(),
                false => x * x,
            }
        };
        super::close(&g, &gradient(|p: &[_]| data.iter().map(|d| of(&p[0], d)).sum(), &[p][..]));
        let report = &sum.report().parts[0];
        assert!((1000..1200).contains(&report.alone), "{report:?}");
    }
    assert_eq!(sum.report().parts[0].branches, 3);
}

#[test]
fn functions_at_every_number_are_terms() {
    let data: Vec<[f64; 1]> = numbers(100, 2.0).as_chunks().0.to_vec();
    struct Sine;
    impl Function for Sine {
        fn call<T: wengert::Scalar>(&self, z: &[T]) -> T {
            (z[0] * z[2]).sin() * z[1]
        }
    }
    let mut sum = Sum::of_object(2, &data, Sine).unwrap();
    struct Sines<'a>(&'a [[f64; 1]]);
    impl Whole for Sines<'_> {
        fn at<T: wengert::Scalar>(&self, p: &[T]) -> T {
            self.0.iter().map(|d| (p[0] * d[0]).sin() * p[1]).sum()
        }
    }
    demand_sum(&mut sum, &Sines(&data), &[0.3, 0.4]);
    assert_eq!(sum.report().parts[0].alone, 0);
}

#[test]
fn singular_rows_follow_the_conventions() {
    let data = [[1.0], [0.0], [4.0]];
    let mut sum = Sum::new(2, &data, |p, d| (p[0] * d[0]).sqrt() * p[1]).unwrap();
    let mut g = [0.0; 2];
    assert_eq!(sum.gradient(&[1.0, 2.0], &mut g).unwrap(), 6.0);
    assert_eq!(g, [3.0, 3.0]);
    // A residual of zero with an infinite derivative.
    let mut squares = LeastSquares::new(1, &[[1.0]], |p, d| (p[0] - d[0]).sqrt()).unwrap();
    let (mut a, mut b) = ([0.0], [0.0]);
    squares.gradient(&[1.0], &mut a).unwrap();
    let mut matrix = [0.0];
    squares.normal_equations(&[1.0], &mut b, &mut matrix[..]).unwrap();
    assert_eq!((a, b), ([0.0], [0.0]));
    assert_eq!(matrix, [f64::INFINITY]);
}

/// Residuals of zero with infinite slopes, and losses without slope, which stop infinite derivatives: the gradient, also the
/// one beside the normal equations, is the same in programs and in rows that run by themselves.
#[test]
fn residuals_with_infinite_slopes_have_one_gradient() {
    #[derive(Clone, Copy)]
    struct Cut; // s up to 1, then 1
    impl Loss for Cut {
        fn rho<T: wengert::Scalar>(&self, s: T) -> T {
            if s < 1.0 { s } else { T::lit(1.0) }
        }
    }
    fn term<T: Real<Base = f64>>(p: &[T], d: &[T], alone: bool) -> [T; 3] {
        // A value that leaves the program.
        let one = if alone && (p[0] * d[0]).primal() as usize > 1000 { T::lit(2.0) } else { T::lit(1.0) };
        [(p[0] - d[0]).sqrt() * one + d[1], p[1] * d[1] - p[2], p[2].sqrt() * d[2]]
    }
    fn demand(loss: impl Loss + Clone + Send + 'static, data: &[[f64; 3]], p: [f64; 3]) {
        let of_row = |p: &[Var<f64>], d: &[f64; 3]| {
            let s = term(p, &d.map(Var::constant), false).iter().map(|&r| r * r).sum::<Var<f64>>();
            loss.rho(s) * 0.5
        };
        let want = gradient(|p: &[_]| data.iter().map(|d| of_row(p, d)).sum(), &p[..]);
        let mut all = Vec::new();
        for alone in [false, true] {
            let table = LeastSquares::new(3, data, move |p, d| term(p, d, alone)).unwrap();
            let mut squares = table.with_loss(loss.clone());
            let (mut g, mut h, mut matrix) = ([0.0; 3], [0.0; 3], [0.0; 9]);
            squares.gradient(&p, &mut g).unwrap();
            squares.normal_equations(&p, &mut h, &mut matrix[..]).unwrap();
            assert_eq!(squares.report().parts[0].alone, if alone { data.len() } else { 0 });
            all.extend([g, h]);
        }
        // A variable with an infinite slope times a number that is zero is NaN in the written sum.
        let known: [f64; 3] = std::array::from_fn(|i| if want[i].is_nan() { all[0][i] } else { want[i] });
        let same = |a: f64, b: f64| a.is_nan() && b.is_nan() || a == b || (a - b).abs() < 1e-14;
        let one = |g: &[f64; 3]| g.iter().zip(&known).all(|(&a, &b): (&f64, &f64)| same(a, b));
        assert!(all.iter().all(one), "{all:?}, by a tape {want:?}: {p:?} {data:?}");
    }
    let rows = [[1.0, 2.0, -1.0], [0.5, -1.0, 1.0], [1.0, 0.0, 2.0]];
    for data in [&rows[..], &rows[..1], &rows[1..]] {
        for p in [[1.0, 1.0, 0.0], [1.0, 3.0, 0.0], [1.0, 3.0, 4.0], [2.0, 0.1, 0.0]] {
            demand(wengert::sums::Squared, data, p);
            demand(wengert::sums::Huber(0.5), data, p);
            demand(wengert::sums::Cauchy(0.7), data, p);
            demand(Cut, data, p);
        }
    }
}

/// Residuals whose squares leave the range, and losses that do: no gradient of 0 beside a value that is not finite.
#[test]
fn robust_losses_beyond_the_range_have_no_gradient() {
    fn demand(loss: impl Loss + Clone + Send + 'static, p: f64, scale: f64, is_finite: bool) {
        for alone in [false, true] {
            let residual = move |p: &[Traced], d: &[Traced]| {
                let r = p[0] * d[0];
                if alone && r.primal() < -1e301 { r * 2.0 } else { r } // a value that leaves the program
            };
            let squares = LeastSquares::new(1, &[[scale]], residual).unwrap();
            let mut squares = squares.with_loss(loss.clone());
            let (mut g, mut beside, mut matrix) = ([0.0], [0.0], [0.0]);
            let value = squares.gradient(&[p], &mut g).unwrap();
            squares.normal_equations(&[p], &mut beside, &mut matrix[..]).unwrap();
            let all = [value, g[0], beside[0], matrix[0]];
            assert_eq!(all.map(f64::is_finite), [is_finite; 4], "{p} {scale}: {all:?}");
            assert_eq!(squares.report().parts[0].alone, usize::from(alone));
        }
    }
    for scale in [1e150, 1e200, 1e300] {
        demand(wengert::sums::Huber(1.0), 1.0, scale, scale < 1e154);
        demand(wengert::sums::Cauchy(1.0), 1.0, scale, scale < 1e154);
        demand(wengert::sums::Cauchy(1e100), -1.0, scale, scale < 1e154);
    }
    demand(wengert::sums::Cauchy(1e-201), 1.0, 1.0, false); // its square is 0
    demand(wengert::sums::Huber(1.0), f64::NAN, 1.0, false);
    demand(wengert::sums::Cauchy(1.0), f64::NAN, 1.0, false);
}

#[test]
fn flat_losses_and_residuals_of_zero_stop_infinite_derivatives() {
    #[derive(Clone)]
    struct Flat;
    impl Loss for Flat {
        fn rho<T: wengert::Scalar>(&self, s: T) -> T {
            if s > T::lit(1.0) { T::lit(1.0) } else { s }
        }
    }
    for alone in [false, true] {
        let residuals = move |p: &[Traced], d: &[Traced]| {
            let first = p[0].sqrt() + d[0];
            [if alone && first.primal() < -1e301 { first * 2.0 } else { first }, p[1] * d[0]]
        };
        let new = || LeastSquares::new(2, &[[5.0]], residuals).unwrap();
        let mut squares = new().with_loss(Flat);
        let (_, flat) = squares.jacobian(&[0.0, 2.0]).unwrap();
        assert!(flat.values().iter().all(|x| *x == 0.0), "{alone}: {flat:?}");
        // The second residual is zero, and its row takes nothing of the first one's.
        let mut squares = new().with_loss(wengert::sums::Cauchy(5.0));
        let (_, robust) = squares.jacobian(&[0.0, 0.0]).unwrap();
        let second = robust.row(1);
        let entry = |column| second.get_entry(column).map_or(0.0, |entry| entry.into_value());
        assert_eq!([entry(0), entry(1)], [0.0, 5.0 * 0.5f64.sqrt()], "{alone}: {robust:?}");
        assert_eq!(squares.report().parts[0].alone, usize::from(alone));
    }
}

/// Values of only parameters with infinite slopes, by factors from the data that are zero in some rows.
#[test]
fn hoisted_values_with_infinite_slopes_follow_the_conventions() {
    fn demand(data: &[[f64; 2]], reads: Option<&[Vec<usize>]>, term: &(impl Term<2> + Sync), p: &[f64]) {
        let table = || match reads {
            Some(all) => Table::from(data).reading(|i| all[i].iter().copied()),
            None => Table::from(data),
        };
        let f = |p: &[Traced], d: &[Traced]| term.at(p, d);
        let (n, written) = (p.len(), Written { term, data, reads });
        // A variable with an infinite slope times a number that is zero is NaN in the written sum.
        let known = |got: &[f64], wanted: &[f64]| {
            let both = got.iter().zip(wanted).filter(|(_, wanted)| !wanted.is_nan());
            let (got, wanted): (Vec<f64>, Vec<f64>) = both.unzip();
            super::close(&[&got[..], &[1.0]].concat(), &[&wanted[..], &[1.0]].concat());
        };
        let mut sum = Sum::new(n, table(), f).unwrap();
        let ([mut g, mut hv], v) = ([vec![f64::NAN; n], vec![f64::NAN; n]], numbers(n, 1.0));
        let of_whole = gradient(|p: &[Var<f64>]| Whole::at(&written, p), p);
        sum.gradient(p, &mut g).unwrap();
        known(&g, &of_whole);
        sum.hvp(p, &v, &mut g, &mut hv).unwrap();
        known(&g, &of_whole);
        known(&hv, &wengert::hvp(|p| Whole::at(&written, p), p, &v));
        let mut h = nalgebra::DMatrix::<f64>::zeros(n, n);
        sum.hessian(p, &mut g, &mut h).unwrap();
        known(&g, &of_whole);
        known(h.as_slice(), wengert::hessian(|p| Whole::at(&written, p), p).as_slice());
        let (mut squares, objective) =
            (LeastSquares::new(n, table(), f).unwrap(), Objective(&written, &wengert::sums::Squared));
        let of_squares = gradient(|p: &[Var<f64>]| objective.at(p), p);
        squares.gradient(p, &mut g).unwrap();
        known(&g, &of_squares);
        squares.normal_equations(p, &mut g, &mut h).unwrap();
        known(&g, &of_squares);
        #[cfg(feature = "sparse")]
        {
            let all = wengert::forward::jacobian(|p: &[_]| Residuals::at(&written, p).concat(), p);
            let (_, j) = squares.jacobian(p).unwrap();
            let j = nalgebra::DMatrix::from(j);
            known(j.as_slice(), all.as_slice());
            // What does not depend on a parameter has no derivative.
            assert!(p[0] > 0.0 || (0..data.len()).all(|i| data[i][0] != 0.0 || !j[(i, 0)].is_nan()), "{j}");
        }
    }
    term!(Root, 2, |p, d| p[0].sqrt() * d[0] + p[1] * p[1] * d[1]);
    term!(Inside, 2, |p, d| (p[0].sqrt() * d[0] + p[1] * d[1] + 0.5).sin());
    term!(Powers, 2, |p, d| p[0].powf(T::lit(0.5)) * d[0] * p[1] + p[1].powf(T::lit(1.5)) * d[1]);
    term!(Roots, 2, |p, d| {
        (p[0].sqrt() * d[0] + p[1].sqrt() * d[1] + p[2] * d[0] + p[3] * d[1] + d[0]).tanh() * p[2]
    });
    term!(Lengths, 2, |p, d| (p[0] * p[0] + p[2] * p[2]).sqrt() * d[0] + p[1].hypot(p[0]) * d[1]);
    // An infinite partial and one that is zero.
    term!(Flat, 2, |p, d| (p[0].sqrt() * d[0] + p[1] * p[1] * d[1] + 0.5).sin());
    term!(FlatFirst, 2, |p, d| (p[0] * p[0] * d[0] + p[2].sqrt() * d[1] + 0.5).sin());
    term!(Owned, 2, |p, d| p[0].sqrt() * d[0] * p[1] + p[1] * p[2] * d[1]);
    let reads: Vec<Vec<usize>> = (0..4).map(|i| vec![0, 1 + i % 3, 3 - i % 2]).collect();
    for data in [
        [[0.0, 1.0], [0.0, 2.0], [0.0, 0.0], [0.0, -1.0]],
        [[0.0, 1.0], [2.0, 2.0], [0.0, 0.0], [1.0, 0.0]],
        [[1.0, 1.0], [2.0, 2.0], [0.5, 0.0], [1.0, 0.0]],
    ] {
        for p in [[0.0, 0.5, 0.0, 0.25], [0.0, 0.0, 1.5, 0.0], [0.0; 4]] {
            demand(&data, None, &Root, &p);
            demand(&data, None, &Inside, &p);
            demand(&data, None, &Powers, &p);
            demand(&data, None, &Roots, &p);
            demand(&data, None, &Lengths, &p);
            demand(&data, None, &Flat, &p);
            demand(&data, None, &FlatFirst, &p);
            demand(&data, Some(&reads), &Owned, &p);
        }
    }
}

/// A value of only parameters with an infinite derivative, on which no row depends.
#[test]
fn unused_values_with_infinite_slopes_follow_the_conventions() {
    let data = [[0.0, 1.0], [0.0, 2.0]];
    fn term<T: Real<Base = f64>>(p: &[T], d: &[T]) -> T {
        p[0].sqrt() * d[0] + p[1] * p[1] * d[1]
    }
    let (p, v) = ([0.0, 3.0], [1.0, 1.0]);
    let mut sum = Sum::new(2, &data, term).unwrap();
    let (mut g, mut h, mut m) = ([7.0; 2], [7.0; 2], [7.0; 4]);
    sum.gradient(&p, &mut g).unwrap();
    assert_eq!(g, [0.0, 18.0]);
    sum.hvp(&p, &v, &mut g, &mut h).unwrap();
    assert_eq!((g, h), ([0.0, 18.0], [0.0, 6.0]));
    sum.hessian(&p, &mut g, &mut m[..]).unwrap();
    assert_eq!((g, m), ([0.0, 18.0], [0.0, 0.0, 0.0, 6.0]));
}

/// Comparisons, and calls that fail, decide a branch though no row reads their values.
#[test]
fn unread_values_decide_branches() {
    fn demand(term: &(impl Term<1> + Sync), points: [[f64; 2]; 2]) {
        let data = [[1.0], [2.0], [0.5]];
        let mut sum = Sum::new(2, &data, |p: &[Traced], d: &[Traced]| term.at(p, d)).unwrap();
        for p in points {
            demand_sum(&mut sum, &Written { term, data: &data, reads: None }, &p);
        }
    }
    fn is_regular<T: wengert::Scalar>(a: T, b: T) -> bool {
        let one = T::lit(1.0);
        wengert::matrix::inverse(&nalgebra::Matrix2::new(a, b, one, one)).is_ok()
    }
    fn either<T: wengert::Scalar>(first: bool, p: &[T], d: &[T]) -> T {
        if first { (p[0] * d[0]).sin() * p[1] } else { (p[0] * d[0]).exp() + p[1] }
    }
    term!(Sign, 1, |p, d| either(p[0] > T::lit(0.0), p, d));
    term!(OfAll, 1, |p, d| either(is_regular(p[0], p[1]), p, d));
    term!(OfRow, 1, |p, d| either(is_regular(p[0] * d[0], p[1]), p, d));
    demand(&Sign, [[0.5, 0.25], [-0.5, 0.25]]);
    term!(OfData, 1, |p, d| either(is_regular(d[0] * d[0], d[0]), p, d));
    for points in [[[0.5, 0.5], [0.5, 0.2]], [[0.5, 0.2], [0.5, 0.5]]] {
        demand(&OfAll, points);
        demand(&OfRow, points);
        demand(&OfData, points);
    }
}

#[test]
fn bits_do_not_depend_on_former_points() {
    let data: Vec<[f64; 2]> = numbers(6000, 1.3).as_chunks().0.to_vec();
    let new = || Sum::new(4, &data, |p: &[Traced], d: &[Traced]| Branches.at(p, d)).unwrap();
    let at = |sum: &mut Sum<'_>, scale: f64| {
        let mut g = [0.0; 4];
        let value = sum.gradient(&numbers(4, scale), &mut g).unwrap();
        (value.to_bits(), g.map(f64::to_bits))
    };
    let mut used = new();
    for scale in [0.3, 0.9, 0.31, 2.0, 0.3, 0.9] {
        assert_eq!(at(&mut used, scale), at(&mut new(), scale), "{scale}");
    }
    assert!(used.report().parts[0].branches >= 4, "{}", used.report());
}

/// Whole numbers, whose sums are exact in any order.
#[test]
fn ten_million_rows() {
    let data: Vec<f64> = (0..10_000_000).map(|i| f64::from(i % 8)).collect();
    let mut sum = Sum::new(1, Table::new(&data, 1).unwrap(), |p, d| (p[0] - d[0]) * (p[0] - d[0])).unwrap();
    let (mut g, mut h) = ([0.0], [0.0]);
    assert_eq!(sum.hessian(&[3.0], &mut g, &mut h).unwrap(), 5.5e7);
    assert_eq!((g, h), ([-1e7], [2e7]));
}

/// Two derivatives may differ only by a factor that is the same in all rows: then the rows are added once for both. This
/// happens for the squared distance to the nearest of three points, beside a linear form of the same parameters, and
/// for slopes with opposite signs.
#[test]
fn derivatives_that_share_numbers_of_the_rows() {
    term!(Nearest, 3, |p, d| {
        let distance = |k: usize| (p[2 * k] - d[0]).square() + (p[2 * k + 1] - d[1]).square();
        let first = T::select_lt(distance(0), distance(1), distance(0), distance(1));
        T::select_lt(first, distance(2), first, distance(2)) * d[2]
    });
    term!(BesideForm, 6, |p, d| {
        let distance = (p[0] - d[0]).square() + (p[1] - d[1]).square();
        distance * d[2] + (p[0] * d[3] + p[1] * d[4] + p[2] * d[5] + p[3]).square()
    });
    term!(Slopes, 6, |p, d| {
        let bent = (p[4] * (p[0] - d[0]) - p[5] * p[3] * (p[1] - d[1])).tanh();
        let form = p[0] * d[3] + p[1] * d[4] + p[2] * d[5] + p[3];
        if d[2] > T::lit(0.3) { bent + form.square() } else { form.sin() - bent * bent }
    });
    let p = [0.5, -0.4, -0.7, 0.2, 0.1, 0.9];
    for count in [1, 17, 1500] {
        let data = numbers(6 * count, 1.3);
        check(data.as_chunks().0, None, &Nearest, &p);
        check(data.as_chunks().0, None, &BesideForm, &p);
        check(data.as_chunks().0, None, &Slopes, &p);
    }
    // Two groups of rows with parameters of their own.
    let (data, many) = (numbers(6 * 90, 1.3), numbers(9, 0.8));
    let reads: Vec<Vec<usize>> =
        (0..90).map(|i| (0..6).map(|k| if k < 4 { k } else { k + i / 45 * 2 }).collect()).collect();
    check(data.as_chunks().0, Some(&reads), &Slopes, &many);
    check(data.as_chunks().0, Some(&reads), &BesideForm, &many);
    // The sums of the rows' numbers leave the range, and their products with the direction do not, or have no value.
    let data: Vec<[f64; 3]> =
        numbers(120, 1.3).as_chunks().0.iter().map(|&[x, y, _]| [x, y, 8e307]).collect();
    let whole = Written { term: &Nearest, data: &data, reads: None };
    let mut sum = Sum::new(6, &data[..], |p: &[Traced], d: &[Traced]| Nearest.at(p, d)).unwrap();
    for v in [1e-10, 1.0, 0.0, f64::INFINITY] {
        let (v, mut hv) = ([v; 6], [f64::NAN; 6]);
        sum.hvp(&p, &v, &mut (), &mut hv).unwrap();
        super::close(&hv, &wengert::hvp(|p: &[_]| Whole::at(&whole, p), &p[..], &v[..]));
    }
    // Shared numbers whose product is too small for a float.
    term!(Small, 1, |p, d| (p[0] * p[1] * p[2] + p[0] * p[3]) * d[0].exp() * (p[4] * d[0]).cos());
    let data: Vec<[f64; 1]> = (0..20).map(|i| [680.0 + f64::from(i) * 0.25]).collect();
    check(&data, None, &Small, &[1e-200, 1e-150, 1e-160, 1e-180, 1e-3, 0.0]);
}
