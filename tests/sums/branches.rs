//! Rows that take other branches than their neighbours, compared with the same sum written out.

use fastrand::Rng;
use nalgebra::DMatrix;
use wengert::programs::Traced;
use wengert::sums::{Huber, LeastSquares, Sum, Table};
use wengert::{Real, Var, reduce};

use super::demands::{Residuals, Whole, demand_squares, demand_sum};
use super::{message, with_threads};

/// The function of a term, at every number.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Kind {
    Branch,
    Max,
    EarlyExit,
    Length,
    Nan,
    Smooth,
    Chosen,
    Extracted,
    Blocks,
    Panics,
}

use Kind::*;

impl Kind {
    /// A function of the shared parameters `a`, `b`, its own one, `x`, and two data, of which the second decides.
    fn of<T: Real<Base = f64>>(self, a: T, b: T, x: T, d: &[T]) -> T {
        let t = a * d[0] + b * x;
        match self {
            Branch if d[1] > 0.0 => t.sin() * x,
            Branch => (t * d[1]).exp() - x,
            // The data are small integers: some tie.
            Max => (d[0] * a).max(d[1] * a).max(x * 0.0) * b + x.min(d[1]),
            EarlyExit => {
                let mut sum = T::lit(0.0);
                for k in 0..20 {
                    sum += (t * f64::from(k)).cos();
                    if sum < d[1] {
                        break;
                    }
                }
                sum * x
            }
            Length => (0..(d[1].primal().abs() * 3.0) as usize).fold(x, |y, _| (y * a + d[0]).tanh()),
            Nan => (t + 2.5).ln() * b,
            Smooth => {
                let all = [t, x * d[1], a - d[0], b];
                let whole = reduce::logsumexp(&all) + reduce::norm(&all) + t.atan() * x.sinc();
                let mut shares = all;
                reduce::softmax_into(&all, &mut shares);
                whole + (shares[1] * t.detach()).mul_add(x, d[1]) + (t / (x * x + 1.0)).powi(3) + t.abs()
            }
            Chosen => {
                let held = t.clamp(-(d[0] * d[0]), d[1] * d[1]) * (x * 3.0).clamp(a - 9.0, a + d[1].abs());
                let apart = (d[0] * a).abs_sub(d[1] * a) * x.copysign(d[1] * b);
                let power = (t * t + 0.5).powf(d[1]) + (x * x + 1.0).powf(d[1] * b);
                // Exactly at a bound in every lane; then between bounds, in the lanes of one side.
                let zero = a - 0.2_f64.cos();
                let at_bound = (zero + d[1]).clamp(T::lit(-1.0), T::lit(2.0)) * x;
                let between = (zero + d[1]).clamp(T::lit(-1.0), T::lit(3.0)) * b;
                let either = Real::select_le(d[1], zero - 1.0, b * x, x.sin());
                held + apart
                    + at_bound
                    + between * either
                    + power * Real::select_lt(x, d[1], a * x, t.atan2(d[0]))
            }
            Extracted => t * d[1].primal() + if d[0].is_zero() { b.primal() } else { 1.0 },
            Blocks => {
                // The operations that a tape records in blocks: a run of nodes, a sum, a primitive.
                let all: [T; 10] = std::array::from_fn(|k| (t * k as f64 + x * d[0]).sin());
                let others = all.map(|y| y * y + a);
                let m = nalgebra::Matrix2::new(t * 0.1, x, a, b * d[1] * 0.1);
                let e = wengert::matrix::expm(&m).map_or(t, |e| e[(0, 1)]);
                reduce::dot(&all, &others) + reduce::sum(&[a, b, x, t, all[1], others[2]]) + e
            }
            Panics => {
                assert!(d[1] != 2.0, "a datum is 2");
                t * x
            }
        }
    }
}

/// Rows `Kind::of` of these data.
struct Model {
    kind: Kind,
    data: Vec<[f64; 2]>,
    /// Shared parameters besides two.
    more: usize,
}

impl Model {
    fn new(kind: Kind, data: Vec<[f64; 2]>) -> Self {
        Model { kind, data, more: 0 }
    }
    fn of_many_inputs(self) -> Self {
        Model { more: 20, ..self }
    }
    /// The two residuals of a row. They depend on its own parameter and on the shared ones; the shared parameters from
    /// the third on add a little.
    fn row<T: Real<Base = f64>>(kind: Kind, p: &[T], d: &[T]) -> [T; 2] {
        let (own, q) = p.split_last().unwrap();
        let (b, a) = (q[1] * 0.5 + reduce::dot(&q[2..], &q[2..]) * 0.01, q[0].cos());
        [kind.of(a, b, *own, d), *own - d[0]]
    }
    fn reads(&self, row: usize) -> Vec<usize> {
        let shared = [1, 0].into_iter().chain(3..3 + self.more);
        shared.chain([2 + (7 * row) % 22]).collect()
    }
    fn point() -> Vec<f64> {
        (0..24).map(|i| (1.7 * f64::from(i)).sin() + 0.2).collect()
    }
    fn table(&self) -> Table<'_> {
        Table::from(&self.data).reading(|row| self.reads(row))
    }
    fn sum(&self) -> Sum<'static> {
        let kind = self.kind;
        Sum::new(24, self.table(), move |p: &[Traced], d: &[Traced]| Model::row(kind, p, d)).unwrap()
    }
    fn squares(&self) -> LeastSquares<'static> {
        let kind = self.kind;
        LeastSquares::new(24, self.table(), move |p: &[Traced], d: &[Traced]| Model::row(kind, p, d)).unwrap()
    }
}

impl Residuals for Model {
    fn at<T: wengert::Scalar>(&self, p: &[T]) -> Vec<Vec<T>> {
        let row = |(i, d): (usize, &[f64; 2])| {
            let q: Vec<T> = self.reads(i).into_iter().map(|j| p[j]).collect();
            Model::row(self.kind, &q, &d.map(T::lit)).to_vec()
        };
        self.data.iter().enumerate().map(row).collect()
    }
}

impl Whole for Model {
    fn at<T: wengert::Scalar>(&self, p: &[T]) -> T {
        Residuals::at(self, p).into_iter().flatten().sum()
    }
}

fn compare(model: &Model) {
    let p = Model::point();
    demand_sum(&mut model.sum(), model, &p);
    if model.kind != Nan {
        demand_squares(&mut model.squares().with_loss(Huber(1.0)), model, &Huber(1.0), &p);
    }
}

const KINDS: [Kind; 8] = [Branch, Max, EarlyExit, Length, Nan, Smooth, Chosen, Extracted];

/// Mixtures of two sides among neighbours, at the start and in the midst.
#[test]
fn mixtures_of_branches() {
    for kind in KINDS {
        for mask in (0..256_u32).step_by(if kind == Branch { 11 } else { 51 }) {
            let side = |i: u32| if mask >> (i % 8) & 1 == 1 { 2.0 } else { -1.0 };
            let datum = |i: u32| if kind == Nan { [side(i) * 3.0, 1.0] } else { [f64::from(i % 3), side(i)] };
            compare(&Model::new(kind, (0..24).map(datum).collect()));
        }
    }
}

/// All sizes, so short last blocks of every length, and data of many values.
#[test]
fn short_last_blocks() {
    let mut random = Rng::with_seed(5);
    for kind in KINDS {
        for count in [1, 2, 7, 15, 16, 17, 33, 300] {
            let mut number = || f64::from(random.i32(-3..4));
            let data: Vec<_> = (0..count).map(|_| [number(), number()]).collect();
            if count % 16 == 1 {
                compare(&Model::new(kind, data.clone()).of_many_inputs());
            }
            compare(&Model::new(kind, data));
        }
    }
}

/// Sums, inner products and functions of matrices, in rows and in their shared parts.
#[test]
fn primitives_in_rows() {
    for count in [5, 40] {
        let data: Vec<_> = (0..count).map(|i| [f64::from(i % 5) - 1.5, f64::from(i % 7)]).collect();
        compare(&Model::new(Blocks, data.clone()));
        compare(&Model::new(Blocks, data).of_many_inputs());
    }
}

#[test]
fn a_panic_in_a_row_arrives() {
    for place in [0, 3, 16, 254, 399] {
        let data: Vec<_> = (0..400).map(|i| [1.0, if i == place { 2.0 } else { 1.0 }]).collect();
        let model = Model::new(Panics, data);
        let (p, mut g, mut h) = (Model::point(), vec![0.0; 24], DMatrix::<f64>::zeros(24, 24));
        let (mut sum, mut squares) = (model.sum(), model.squares());
        assert_eq!(message(|| drop(sum.gradient(&p, &mut g))), "a datum is 2");
        assert_eq!(message(|| drop(sum.hessian(&p, &mut g, &mut h))), "a datum is 2");
        assert_eq!(message(|| drop(squares.normal_equations(&p, &mut g, &mut h))), "a datum is 2");
    }
}

#[test]
fn any_number_of_threads_gives_the_same_bits() {
    let mut random = Rng::with_seed(8);
    for kind in [Smooth, Branch, EarlyExit] {
        // More jobs than two threads have in flight at once.
        let data = (0..18_000).map(|_| [random.f64(), random.f64() - 0.05]).collect();
        let (model, p) = (Model::new(kind, data), Model::point());
        let of = |threads: usize| {
            with_threads(threads, || {
                let (mut sum, mut g) = (model.sum(), vec![0.0; 24]);
                let value = sum.gradient(&p, &mut g).unwrap();
                let mut all = [&[value], &g[..]].concat();
                #[cfg(feature = "sparse")]
                {
                    all.extend(sum.sparse_hessian(&p, &mut g).unwrap().1.values());
                    let mut squares = model.squares().with_loss(wengert::sums::Huber(0.5));
                    let (r, j) = squares.jacobian(&p).unwrap();
                    all.extend(r.iter().chain(j.values()));
                    all.extend(squares.sparse_normal_equations(&p, &mut g).unwrap().1.values());
                }
                all.iter().map(|x| x.to_bits()).collect::<Vec<_>>()
            })
        };
        let one = of(1);
        assert!([2, 4].iter().all(|&threads| of(threads) == one), "{kind:?}");
    }
}

/// Comparisons that a row makes on other threads are comparisons of this row, or are refused.
#[test]
fn comparisons_on_another_thread() {
    type Count = fn(&[Traced]) -> usize;
    fn is_large(x: &Traced) -> bool {
        *x > 0.5
    }
    fn joined<R>(handle: std::thread::ScopedJoinHandle<'_, R>) -> R {
        handle.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
    }
    let one: Count = |d| {
        std::thread::scope(|s| joined(s.spawn(|| is_large(&d[0])))) as usize
            + d[1..].iter().filter(|x| is_large(x)).count()
    };
    let several: Count = |d| {
        std::thread::scope(|s| {
            let all: Vec<_> = d.iter().map(|x| s.spawn(|| is_large(x))).collect();
            all.into_iter().map(joined).filter(|&large| large).count()
        })
    };
    #[cfg(feature = "rayon")]
    let in_parallel: Count = |d| {
        use rayon::prelude::*;
        d.par_iter().with_max_len(1).filter(|x| is_large(x)).count()
    };
    fn term<T: Real<Base = f64>>(p: &[T], count: usize) -> T {
        (p[0] * p[1]).powi(count as i32 + 1)
    }
    // Many rows for several threads, and few.
    for rows in [40, 6000] {
        let data: Vec<[f64; 3]> =
            (0..rows).map(|i| [2, 3, 5].map(|k| f64::from(u8::from(i % k == 0)))).collect();
        let p = [0.75, 1.5];
        let large: Vec<usize> = data.iter().map(|d| d.iter().filter(|&&x| x > 0.5).count()).collect();
        let (value, g, h) = wengert::value_gradient_and_hessian(
            |p| large.iter().map(|&count| term(p, count)).sum::<Var<_>>(),
            &p,
        );
        let (squares_value, squares_g) = wengert::value_and_gradient(
            |p| large.iter().map(|&count| term(p, count).square() * 0.5).sum::<Var<f64>>(),
            &p,
        );
        let counts = [
            ("one", one),
            ("several", several),
            #[cfg(feature = "rayon")]
            ("rayon", in_parallel),
        ];
        for (name, count) in counts {
            // Refused; right where a parallel iterator stays on the thread of the row.
            let demand = |what: &str, f: &dyn Fn() -> Vec<f64>, want: &[f64]| {
                let done = std::panic::catch_unwind(std::panic::AssertUnwindSafe(f));
                match done {
                    Ok(got) => {
                        assert_eq!(name, "rayon", "{what}");
                        super::close(&got, want);
                    }
                    Err(panic) => {
                        let text = panic.downcast_ref::<String>().cloned().unwrap_or_default();
                        assert!(text.contains("or belongs to another thread"), "{name}, {what}: {text}");
                    }
                }
            };
            let of = |p: &[Traced], d: &[Traced]| term(p, count(d));
            with_threads(3, || {
                let gradient = || {
                    let mut g = [0.0; 2];
                    let value = Sum::new(2, &data, of).unwrap().gradient(&p, &mut g).unwrap();
                    [&[value], &g[..]].concat()
                };
                demand("gradient", &gradient, &[&[value], &g[..]].concat());
                let hessian = || {
                    let mut h = [0.0; 4];
                    Sum::new(2, &data, of).unwrap().hessian(&p, &mut (), &mut h).unwrap();
                    h.to_vec()
                };
                demand("Hessian", &hessian, h.as_slice());
                let squares = || {
                    let (mut squares, mut g) = (LeastSquares::new(2, &data, of).unwrap(), [0.0; 2]);
                    let value = squares.gradient(&p, &mut g).unwrap();
                    [&[value], &g[..]].concat()
                };
                demand("squares", &squares, &[&[squares_value], &squares_g[..]].concat());
            });
        }
    }
}

/// More branches than are kept, which change from point to point, on several threads.
#[test]
fn branches_come_and_go() {
    let data: Vec<[f64; 1]> = (0..6000).map(|i| [f64::from(i) / 60.0]).collect();
    fn term<T: Real<Base = f64>>(p: &[T], d: &[T]) -> T {
        let (mut x, mut y) = (p[0] * d[0], p[0]);
        while x > 1.0 {
            x -= 1.0;
            y *= p[1];
        }
        y * x
    }
    struct Steps<'a>(&'a [[f64; 1]]);
    impl Whole for Steps<'_> {
        fn at<T: wengert::Scalar>(&self, p: &[T]) -> T {
            self.0.iter().map(|d| term(p, &d.map(T::lit))).sum()
        }
    }
    for threads in [1, 3] {
        with_threads(threads, || {
            let mut sum = Sum::new(2, &data, |p: &[Traced], d: &[Traced]| term(p, d)).unwrap();
            for scale in [0.1, 0.31, 0.55, 0.2, 0.62, 0.05, 0.6, 0.7, 0.02, 0.61] {
                let (p, mut g) = ([scale, 0.97], [0.0; 2]);
                let value = sum.gradient(&p, &mut g).unwrap();
                let whole = Steps(&data);
                super::close(&[value], &[whole.at(&p)]);
                super::close(&g, &wengert::gradient(|p: &[wengert::Var<f64>]| whole.at(p), &p[..]));
            }
            assert!(sum.report().parts[0].branches > 40, "{}", sum.report());
        });
    }
}

/// Several runs with several branches: the first call has the bits of the second.
#[test]
fn calls_have_the_bits_of_one_another() {
    let data: Vec<[f64; 2]> = (0..90).map(|i| [f64::from(i % 3) - 1.0, (f64::from(i)).sin()]).collect();
    let table = Table::from(&data).reading(|i| [0, 1 + i % 2]);
    let term = |p: &[Traced], d: &[Traced]| {
        let x = p[0] * p[1] * d[1];
        if d[0] * p[0] > 0.1 {
            x.exp()
        } else if d[0] * p[0] < -0.1 {
            x.sin() * p[0].exp()
        } else {
            x * x
        }
    };
    let mut sum = Sum::new(3, table, term).unwrap();
    let mut at = |p: [f64; 3]| {
        let mut g = [0.0; 3];
        (sum.gradient(&p, &mut g).unwrap().to_bits(), g.map(f64::to_bits))
    };
    let first = at([0.3, 0.7, 1.1]);
    assert_eq!(at([0.3, 0.7, 1.1]), first);
    at([-0.3, 0.2, 1.1]);
    at([0.01, 0.2, 1.1]);
    assert_eq!(at([0.3, 0.7, 1.1]), first);
}

/// Parameters of all rows, and of a run, choose a branch. They change between calls.
#[test]
fn parameters_alone_choose_the_branch() {
    fn term<T: Real<Base = f64>>(shared: T, own: T, d: &[T]) -> T {
        let scale = if shared > 0.0 { shared.exp() } else { shared.sin() - 1.0 };
        let part = if own < 0.5 { own * own } else { own.ln() };
        (scale * part * d[0] + own * d[1]).sin()
    }
    let data: Vec<[f64; 2]> = (0..70).map(|i| [f64::from(i).sin(), f64::from(i).cos()]).collect();
    let table = || Table::from(&data).reading(|i| [0, 1 + i % 3]);
    let mut sum = Sum::new(4, table(), |p: &[Traced], d: &[Traced]| term(p[0], p[1], d)).unwrap();
    let mut squares =
        LeastSquares::new(4, table(), |p: &[Traced], d: &[Traced]| [term(p[0], p[1], d)]).unwrap();
    let whole = |p: &[Var<f64>], power: i32| -> Var<f64> {
        let rows = data.iter().enumerate();
        rows.map(|(i, d)| term(p[0], p[1 + i % 3], &d.map(Var::constant)).powi(power)).sum()
    };
    for p in [[0.4, 0.3, 0.7, 0.9], [-0.4, 0.3, 0.7, 0.9], [-0.4, 0.8, 0.2, 0.9], [0.4, 0.8, 0.2, 0.1]] {
        let mut g = [0.0; 4];
        let value = sum.gradient(&p, &mut g).unwrap();
        let (want, of_tape) = wengert::value_and_gradient(|p: &[Var<f64>]| whole(p, 1), &p[..]);
        super::close(&[value], &[want]);
        super::close(&g, &of_tape);
        let (r, j) = squares.jacobian(&p).unwrap();
        let of_squares = wengert::gradient(|p: &[Var<f64>]| whole(p, 2) * 0.5, &p[..]);
        super::close((j.transpose() * nalgebra::DVector::from_column_slice(r)).as_slice(), &of_squares);
    }
}

/// The nearest of ten places: a branch for each, in whatever order the others are.
#[test]
fn an_index_is_a_branch() {
    fn term<T: Real<Base = f64>>(places: &[T], d: &[T]) -> T {
        let squares: Vec<T> = places.iter().map(|&p| (p - d[0]).square()).collect();
        squares[reduce::argmin(&squares).unwrap()] * d[1]
    }
    let mut random = Rng::with_seed(17);
    let data: Vec<[f64; 2]> = (0..500).map(|_| [random.f64(), random.f64()]).collect();
    let places: [f64; 10] = std::array::from_fn(|_| random.f64());
    let mut sum = Sum::new(10, &data, term).unwrap();
    let mut g = [0.0; 10];
    let value = sum.gradient(&places, &mut g).unwrap();
    let whole = |p: &[Var<f64>]| data.iter().map(|d| term(p, &d.map(Var::constant))).sum::<Var<f64>>();
    let (want, of_tape) = wengert::value_and_gradient(|p: &[Var<f64>]| whole(p), &places[..]);
    assert!((value - want).abs() < 1e-13);
    assert!(g.iter().zip(&of_tape).all(|(a, b)| (a - b).abs() < 1e-13), "{g:?} {of_tape:?}");
    let part = &sum.report().parts[0];
    assert!((2..=10).contains(&part.branches) && part.alone == 0, "{part:?}");
}
