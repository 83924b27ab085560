//! Sums of many shapes: rows that share parameters, in groups of all sizes, and parameters that occur twice in a row.

use fastrand::Rng;
use nalgebra::DMatrix;
use wengert::programs::Traced;
use wengert::sums::{Cauchy, Huber, LeastSquares, Loss, Squared, Sum, Table};
use wengert::{AdError, Real};

use super::demands::{Residuals, Whole, demand_squares, demand_sum};
use super::{allocations, bytes, message, with_threads};

/// The parameters that the rows of a part read, and their number of residuals.
struct Part {
    reads: Vec<Vec<usize>>,
    shared: usize,
    residuals: usize,
}

/// Several parts.
pub struct Made {
    parts: Vec<Part>,
    pub parameters: usize,
}

/// Residuals of a row from parameters that a group shares, its own parameters, and its number.
fn term<T: Real<Base = f64>>(shared: &[T], own: &[T], number: T, residuals: usize) -> Vec<T> {
    let part = shared.iter().enumerate().map(|(i, q)| (*q * (1.0 + i as f64)).sin()).sum::<T>() + 0.5;
    let residual = |k: usize| {
        let x = (number * 3.0 + k as f64) * 0.1;
        let inner = own.iter().enumerate().map(|(j, p)| *p * (x + j as f64).cos()).sum::<T>();
        (inner * part + x).sin() + inner * inner * 0.1 + part
    };
    (0..residuals).map(residual).collect()
}

impl Made {
    /// Parts with these numbers of rows, in groups of up to `group`, that share parameters, and read further ones of
    /// their own.
    pub fn new(counts: &[usize], group: usize, shared: usize, own: usize, parameters: usize) -> Self {
        let mut random = Rng::with_seed((7 * shared + own) as u64);
        let mut some = |n: usize| (0..n).map(|_| random.usize(0..parameters)).collect::<Vec<_>>();
        let mut part = |(residuals, &count): (usize, &usize)| {
            let groups: Vec<Vec<usize>> = (0..count.div_ceil(group)).map(|_| some(shared)).collect();
            // Neighbours are of different groups.
            let of = |i: usize| [groups[i % groups.len()].clone(), some(own)].concat();
            Part { reads: (0..count).map(of).collect(), shared, residuals: 1 + residuals % 3 }
        };
        let parts = counts.iter().enumerate().map(&mut part).collect();
        Made { parts, parameters }
    }
    pub fn point(&self) -> Vec<f64> {
        (0..self.parameters).map(|i| (i as f64 * 1.7).sin() + 0.1).collect()
    }
    fn table(part: &Part) -> Table<'static> {
        let numbers: Vec<f64> = (0..part.reads.len()).map(|i| i as f64).collect();
        Table::new(numbers, 1).unwrap().reading(|i| part.reads[i].iter().copied())
    }
    pub fn sum(&self) -> Sum<'static> {
        let of = |part: &Part| {
            let (shared, m) = (part.shared, part.residuals);
            let f = move |p: &[_], d: &[_]| term(&p[..shared], &p[shared..], d[0], m);
            Sum::new(self.parameters, Self::table(part), f).unwrap()
        };
        self.parts.iter().map(of).reduce(|a, b| a + b).unwrap()
    }
    pub fn squares(&self) -> LeastSquares<'static> {
        let of = |part: &Part| {
            let (shared, m) = (part.shared, part.residuals);
            let f = move |p: &[_], d: &[_]| term(&p[..shared], &p[shared..], d[0], m);
            LeastSquares::new(self.parameters, Self::table(part), f).unwrap()
        };
        self.parts.iter().map(of).reduce(|a, b| a + b).unwrap()
    }
}

impl Residuals for Made {
    fn at<T: wengert::Scalar>(&self, p: &[T]) -> Vec<Vec<T>> {
        let of_part = |part: &'_ Part| {
            let row = |(i, list): (usize, &Vec<usize>)| {
                let q: Vec<T> = list.iter().map(|&j| p[j]).collect();
                term(&q[..part.shared], &q[part.shared..], T::lit(i as f64), part.residuals)
            };
            part.reads.iter().enumerate().map(row).collect::<Vec<_>>()
        };
        self.parts.iter().flat_map(of_part).collect()
    }
}

impl Whole for Made {
    fn at<T: wengert::Scalar>(&self, p: &[T]) -> T {
        Residuals::at(self, p).into_iter().map(|r| r.into_iter().sum::<T>()).sum()
    }
}

/// Sums of few inputs and of many, with and without a shared part, in groups of all sizes.
pub fn sums() -> Vec<Made> {
    let mut all = Vec::new();
    for (shared, own) in [(0, 1), (3, 1), (0, 4), (2, 5), (9, 3), (12, 4), (16, 0), (5, 15), (20, 9), (40, 0)]
    {
        all.push(Made::new(&[1, 30, 270, 2], 30, shared, own, 60));
    }
    // Inputs twice in a row.
    all.push(Made::new(&[50, 3], 25, 4, 5, 3));
    all.push(Made::new(&[50, 3], 50, 4, 25, 5));
    all
}

#[test]
fn derivatives_are_those_of_the_whole_sum() {
    for made in sums() {
        demand_sum(&mut made.sum(), &made, &made.point());
    }
}

#[test]
fn plain_squares() {
    for made in sums() {
        demand_squares(&mut made.squares(), &made, &Squared, &made.point());
        #[cfg(feature = "sparse")]
        {
            let p = made.point();
            let mut squares = made.squares();
            let (residuals, jacobian) = squares.jacobian(&p).unwrap();
            super::close(residuals, &Residuals::at(&made, &p).concat());
            let j = wengert::forward::jacobian(|p: &[_]| Residuals::at(&made, p).concat(), &p[..]);
            super::close(DMatrix::from(jacobian).as_slice(), j.as_slice());
        }
    }
}

/// Convex in `s`: `ρ″ > 0`.
#[derive(Clone)]
struct Steep;
impl Loss for Steep {
    fn rho<T: Real<Base = f64>>(&self, s: T) -> T {
        s + s * s * 0.25
    }
}

#[test]
fn robust_losses() {
    fn demand(made: &Made, loss: impl Loss + Clone + Send + 'static) {
        let mut squares = made.squares().with_loss(loss.clone());
        demand_squares(&mut squares, made, &loss, &made.point());
        assert!(squares.report().parts.iter().all(|part| part.alone == 0), "{}", squares.report());
    }
    for (i, made) in sums().iter().enumerate() {
        match i % 3 {
            0 => demand(made, Huber(0.8)),
            1 => demand(made, Cauchy(1.5)),
            _ => demand(made, Steep),
        }
    }
    for made in &sums()[10..] {
        demand(made, Huber(0.8));
        demand(made, Steep);
    }
}

fn bits(made: &Made, threads: usize) -> Vec<u64> {
    let p = &made.point()[..];
    let n = p.len();
    with_threads(threads, || {
        let mut all = Vec::new();
        let [mut g, mut hv] = [vec![0.0; n], vec![0.0; n]];
        let mut h = DMatrix::<f64>::zeros(n, n);
        let (mut sum, mut squares) = (made.sum(), made.squares());
        for _ in 0..2 {
            all.push(sum.value(p).unwrap());
            all.push(sum.gradient(p, &mut g).unwrap());
            all.extend(&g);
            all.push(sum.hvp(p, p, &mut g, &mut hv).unwrap());
            all.extend(&hv);
            all.push(sum.hessian(p, &mut g, &mut h).unwrap());
            all.extend(&h);
            all.push(squares.normal_equations(p, &mut g, &mut h).unwrap());
            all.extend(&h);
        }
        all.iter().map(|x: &f64| x.to_bits()).collect()
    })
}

#[test]
fn any_number_of_threads_gives_the_same_bits() {
    let long = [Made::new(&[9000, 1, 3000], 700, 3, 4, 50), Made::new(&[3000], 1, 2, 20, 50)];
    for made in sums().iter().step_by(4).chain(&long) {
        let one = bits(made, 1);
        for threads in [2, 5] {
            assert!(bits(made, threads) == one, "{threads} threads");
        }
    }
}

#[test]
fn nothing_is_allocated_after_the_first_call() {
    with_threads(1, || {
        for made in [Made::new(&[3, 600], 300, 2, 3, 50), Made::new(&[3, 600], 20, 20, 3, 50)] {
            allocate_once(&made);
        }
    });
}

fn allocate_once(made: &Made) {
    let (p, n) = (&made.point()[..], made.parameters);
    let (mut sum, mut squares) = (made.sum(), made.squares().with_loss(Huber(1.0)));
    let [mut g, mut hv] = [vec![0.0; n], vec![0.0; n]];
    let mut h = DMatrix::<f64>::zeros(n, n);
    for round in 0..6 {
        macro_rules! demand {
            ($($call:expr;)+) => {$(
                let again = allocations(|| assert!($call.is_ok()));
                assert!(again == 0 || round < 3, "{}: {again} in round {round}", stringify!($call));
            )+};
        }
        demand! {
            sum.value(p);
            sum.gradient(p, &mut g);
            sum.hvp(p, p, &mut g, &mut hv);
            sum.hessian(p, &mut g, &mut h);
            squares.gradient(p, &mut g);
            squares.normal_equations(p, &mut g, &mut h);
        }
        #[cfg(feature = "sparse")]
        demand! {
            sum.sparse_hessian(p, &mut g);
            squares.jacobian(p);
            squares.sparse_normal_equations(p, &mut g);
        }
    }
}

#[test]
fn memory_is_that_of_the_data() {
    let of = |rows: usize| {
        let numbers: Vec<f64> = (0..4 * rows).map(|i| (i as f64).sin()).collect();
        let mut g = [0.0; 3];
        let all = with_threads(1, || {
            wengert::reverse::release_memory();
            bytes(|| {
                let table = Table::new(&numbers[..], 4).unwrap();
                let f = |p: &[Traced], d: &[Traced]| {
                    ((p[0] * d[0]).sin() + p[1] * d[1] + p[2] * d[2] - d[3]).powi(2)
                };
                Sum::new(3, table, f).unwrap().gradient(&[0.1, 0.2, 0.3], &mut g).unwrap();
            })
        });
        all - 8 * numbers.len() as isize
    };
    // One copy, and 4 bytes for each row while they are sorted.
    let (small, large) = (of(10_000), of(110_000));
    assert!(large <= small + 800_000, "{small} {large}");
}

#[test]
fn faults_have_names() {
    let made = Made::new(&[3], 3, 2, 3, 20);
    let error = |e: AdError| e.to_string();
    let mut sum = made.sum();
    let e = sum.gradient(&[0.0; 19], &mut [0.0; 20]).unwrap_err();
    assert_eq!(error(e), "sum: the point has length 19, expected 20");
    let e = sum.gradient(&[0.0; 20], &mut [0.0; 21]).unwrap_err();
    assert_eq!(error(e), "sum: the gradient buffer has length 21, expected 20");
    let mut h = DMatrix::<f64>::zeros(20, 19);
    let e = sum.hessian(&[0.0; 20], &mut [0.0; 20], &mut h).unwrap_err();
    assert_eq!(error(e), "sum: the hessian buffer is 20 × 19, expected 20 × 20");
    let f = |p: &[Traced], d: &[_]| p[0] * d[0];
    let data = [[1.0, 2.0], [3.0, 4.0]];
    let of = |n: usize, table: Table<'_>| error(Sum::new(n, table, f).unwrap_err());
    let reading = |places: &dyn Fn(usize) -> Vec<usize>| Table::from(&data).reading(places);
    assert_eq!(of(2, reading(&|i| vec![i + 1])), "row 1: sum: 2 parameters given, at least 3 needed");
    let lengths = of(2, reading(&|i| vec![0; i + 1]));
    assert_eq!(lengths, "row 1: sum: the list of parameters has length 2, expected 1");
    assert_eq!(
        of(1 << 33, Table::from(&data)),
        format!("sum: {} parameters, at most {} possible", 1u64 << 33, u32::MAX)
    );
    let e = error(LeastSquares::new(2, reading(&|_| vec![5]), f).unwrap_err());
    assert_eq!(e, "row 0: least squares: 2 parameters given, at least 6 needed");
    let not_whole = |width| error(Table::new(&[1.0, 2.0, 3.0][..], width).unwrap_err());
    assert_eq!(not_whole(2), "table: the list of numbers has length 3, expected a multiple of 2");
    assert!(not_whole(0).ends_with("has length 3, expected 0, because rows have no elements"));
    // Nothing is written.
    let mut g = [7.0; 2];
    let mut one = Sum::new(1, &data, f).unwrap();
    assert!(one.gradient(&[1.0], &mut g[..]).is_err() && one.value(&[1.0, 2.0]).is_err());
    assert_eq!(g, [7.0; 2]);
    let text = message(|| drop(Sum::new(1, &data, f).unwrap() + Sum::new(2, &data, f).unwrap()));
    assert_eq!(text, "a sum of 1 parameters and one of 2 are added");
}

#[test]
fn no_rows_and_no_parameters() {
    let f = |p: &[Traced], _: &[_]| p[0].sin();
    let mut sum = Sum::new(3, Table::without_data(0), f).unwrap();
    let mut g = [f64::NAN; 3];
    assert_eq!((sum.gradient(&[0.0; 3], &mut g).unwrap(), g), (0.0, [0.0; 3]));
    let mut h = DMatrix::from_element(3, 3, f64::NAN);
    assert_eq!(sum.hessian(&[0.0; 3], &mut g, &mut h).unwrap(), 0.0);
    assert_eq!(h, DMatrix::zeros(3, 3));
    let mut squares = LeastSquares::new(2, Table::without_data(0), f).unwrap();
    let (mut g, mut a) = ([f64::NAN; 2], DMatrix::from_element(2, 2, f64::NAN));
    assert_eq!(squares.normal_equations(&[0.0; 2], &mut g, &mut a).unwrap(), 0.0);
    assert_eq!((g, a), ([0.0; 2], DMatrix::zeros(2, 2)));
    #[cfg(feature = "sparse")]
    {
        let (r, j) = squares.jacobian(&[0.0; 2]).unwrap();
        assert_eq!((r.len(), j.nrows(), j.ncols(), j.nnz()), (0, 0, 2, 0));
    }
    let mut constants = Sum::new(0, &[[1.0], [2.0]], |_, d| d[0] * d[0]).unwrap();
    assert_eq!(constants.gradient(&[0.0; 0], &mut [0.0; 0]).unwrap(), 5.0);
}
