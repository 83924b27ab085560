//! `Sum`: terms that state what they read, against the whole sum.

use fastrand::Rng;
use nalgebra::DMatrix;
use wengert::sums::{InForms, LeastSquares, Sum, Terms};
use wengert::{AdError, Real, gradient, hessian, hvp};

use super::forms::long_models;
use super::{allocations, bytes, close, message};

/// A term: the parameters that it reads, and its number of results.
pub struct Term {
    pub inputs: Vec<usize>,
    pub results: usize,
}

/// Groups with shared inputs.
pub struct Made {
    pub groups: Vec<(Vec<usize>, Vec<Term>)>,
    pub parameters: usize,
}

impl Made {
    /// Groups of so many terms, with so many shared inputs and inputs of each term.
    pub fn new(counts: &[usize], shared: usize, own: usize, parameters: usize, seed: u64) -> Self {
        let mut random = Rng::with_seed(seed);
        let some = |random: &mut Rng, n: usize| -> Vec<usize> {
            (0..n).map(|_| random.usize(0..parameters)).collect()
        };
        let group = |&count: &usize| {
            let of_all = some(&mut random, shared);
            let term = |_| {
                let inputs = some(&mut random, own);
                Term { inputs, results: random.usize(0..4) }
            };
            (of_all, (0..count).map(term).collect())
        };
        Made { groups: counts.iter().map(group).collect(), parameters }
    }
    pub fn point(&self) -> Vec<f64> {
        (0..self.parameters).map(|i| (i as f64 * 1.7).sin() + 0.1).collect()
    }
    /// All results, with the group's parts worked out once.
    pub fn results<T: Real<Base = f64>>(&self, p: &[T]) -> Vec<Vec<T>> {
        let at = |list: &[usize]| list.iter().map(|&i| p[i]).collect::<Vec<T>>();
        let mut all = Vec::new();
        for (g, (shared, terms)) in self.groups.iter().enumerate() {
            let shared = at(shared);
            let f = self.group(g, &shared);
            for (i, term) in terms.iter().enumerate() {
                let mut r = vec![T::lit(f64::NAN); term.results];
                f(i, &at(&term.inputs), &mut r);
                all.push(r);
            }
        }
        all
    }
    pub fn whole<T: Real<Base = f64>>(&self, p: &[T]) -> T {
        self.results(p).into_iter().map(|r| r.into_iter().sum::<T>()).sum()
    }
}

impl Terms for Made {
    fn groups(&self) -> usize {
        self.groups.len()
    }
    fn count(&self, group: usize) -> usize {
        self.groups[group].1.len()
    }
    fn results(&self, group: usize, term: usize) -> usize {
        self.groups[group].1[term].results
    }
    fn shared_inputs(&self, group: usize, out: &mut Vec<usize>) {
        out.extend_from_slice(&self.groups[group].0);
    }
    fn inputs(&self, group: usize, term: usize, out: &mut Vec<usize>) {
        out.extend_from_slice(&self.groups[group].1[term].inputs);
    }
    fn group<T: Real<Base = f64>>(&self, group: usize, q: &[T]) -> impl Fn(usize, &[T], &mut [T]) {
        let part = q.iter().enumerate().map(|(i, q)| (*q * (1.0 + i as f64)).sin()).sum::<T>() + 0.5;
        move |i, p, r| {
            for (k, r) in r.iter_mut().enumerate() {
                let x = (group + 3 * i + k) as f64 * 0.1;
                let inner = p.iter().enumerate().map(|(j, p)| *p * (x + j as f64).cos()).sum::<T>();
                *r = (inner * part + x).sin() + inner * inner * 0.1 + part;
            }
        }
    }
}

/// Sums of few inputs and of many, with and without a shared part, in groups of all sizes.
pub fn sums() -> Vec<Made> {
    let mut all = Vec::new();
    for (shared, own) in [(0, 1), (3, 1), (0, 4), (2, 5), (9, 3), (12, 4), (16, 0), (5, 15), (20, 9), (40, 0)]
    {
        all.push(Made::new(&[1, 0, 30, 270, 1, 1, 2], shared, own, 60, 7 * shared as u64 + own as u64));
    }
    // Inputs twice in a term.
    all.push(Made::new(&[50, 3], 4, 5, 3, 1));
    all.push(Made::new(&[50, 3], 4, 25, 5, 1));
    all
}

#[test]
fn first_derivatives_are_those_of_the_whole_sum() {
    for made in sums() {
        let (n, p) = (made.parameters, made.point());
        let mut sum = Sum::new(&made, n).unwrap();
        let mut g = vec![f64::NAN; n];
        let value = sum.gradient(&p, &mut g).unwrap();
        assert_eq!(value.to_bits(), made.whole(&p).to_bits());
        assert_eq!(value.to_bits(), sum.value(&p).unwrap().to_bits());
        close(&g, &gradient(|p| made.whole(p), &p));
    }
}

#[test]
fn second_derivatives_are_those_of_the_whole_sum() {
    for made in sums() {
        let (n, p) = (made.parameters, made.point());
        let mut sum = Sum::new(&made, n).unwrap();
        let v: Vec<f64> = (0..n).map(|i| (i as f64).cos()).collect();
        let [mut g, mut hv] = [vec![f64::NAN; n], vec![f64::NAN; n]];
        let value = sum.hvp(&p, &v, &mut g, &mut hv).unwrap();
        assert_eq!(value.to_bits(), made.whole(&p).to_bits());
        close(&g, &gradient(|p| made.whole(p), &p));
        close(&hv, &hvp(|p| made.whole(p), &p, &v));
        let expected = hessian(|p| made.whole(p), &p);
        let mut h = DMatrix::from_element(n, n, f64::NAN);
        g.fill(f64::NAN);
        assert_eq!(sum.hessian(&p, &mut g, &mut h).unwrap().to_bits(), value.to_bits());
        close(&g, &gradient(|p| made.whole(p), &p));
        close(h.as_slice(), expected.as_slice());
        #[cfg(feature = "sparse")]
        for _ in 0..2 {
            let (value_too, h) = sum.sparse_hessian(&p, &mut g).unwrap();
            assert_eq!(value_too.to_bits(), value.to_bits());
            close(DMatrix::from(h).as_slice(), expected.as_slice());
        }
    }
}

#[test]
fn vectors_of_any_structure() {
    let (made, p) = (Made::new(&[30], 2, 3, 6, 1), [0.1, 0.2, 0.3, 0.4, 0.5, 0.6]);
    let (mut sum, mut squares) = (Sum::new(&made, 6).unwrap(), LeastSquares::new(&made, 6).unwrap());
    let pair = |x: &[f64]| ([x[0], x[1]], nalgebra::Vector4::from_column_slice(&x[2..]));
    let flat = |x: &([f64; 2], nalgebra::Vector4<f64>)| [&x.0[..], x.1.as_slice()].concat();
    let ([mut g, mut hv], q) = ([[0.0; 6]; 2], pair(&p));
    let [mut of_pair, mut product] = [pair(&[f64::NAN; 6]); 2];
    let value = sum.hvp(&p, &p, &mut g, &mut hv).unwrap();
    assert_eq!(sum.hvp(&q, &p, &mut of_pair, &mut product).unwrap(), value);
    assert_eq!((flat(&of_pair), flat(&product)), (g.to_vec(), hv.to_vec()));
    let mut h = [DMatrix::<f64>::zeros(6, 6), DMatrix::zeros(6, 6)];
    sum.hessian(&p, &mut g, &mut h[0]).unwrap();
    sum.hessian(&q, &mut of_pair, &mut h[1]).unwrap();
    assert_eq!((&h[0], flat(&of_pair)), (&h[1], g.to_vec()));
    assert_eq!(squares.gradient(&p, &mut g).unwrap(), squares.gradient(&q, &mut of_pair).unwrap());
    assert_eq!(flat(&of_pair), g);
    squares.normal_equations(&p, &mut g, &mut h[0]).unwrap();
    squares.normal_equations(&q, &mut of_pair, &mut h[1]).unwrap();
    assert_eq!((&h[0], flat(&of_pair)), (&h[1], g.to_vec()));
}

#[test]
fn a_pair_has_the_terms_of_both() {
    let (a, b) = (Made::new(&[3, 300], 2, 3, 20, 1), Made::new(&[40], 0, 2, 20, 2));
    let p = a.point();
    let mut g = vec![0.0; 20];
    Sum::new(&(&a, &b), 20).unwrap().gradient(&p, &mut g).unwrap();
    close(&g, &gradient(|p| a.whole(p) + b.whole(p), &p));
}

#[test]
fn nothing_is_allocated_after_the_first_call() {
    #[cfg(feature = "rayon")]
    rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap().install(allocate_once);
    #[cfg(not(feature = "rayon"))]
    allocate_once();
}

fn allocate_once() {
    for made in [Made::new(&[3, 600], 2, 3, 50, 1), Made::new(&[3, 600], 20, 3, 50, 1)] {
        allocate_once_for(&made, &made.point());
    }
    for model in long_models() {
        allocate_once_for(&InForms(&model), &model.point());
    }
}

fn allocate_once_for(terms: &impl Terms, p: &[f64]) {
    let (n, v) = (p.len(), vec![1.0; p.len()]);
    let mut sum = Sum::new(terms, n).unwrap();
    let mut squares = LeastSquares::new(terms, n).unwrap();
    let [mut g, mut hv] = [vec![0.0; n], vec![0.0; n]];
    let mut h = DMatrix::<f64>::zeros(n, n);
    // Each after its own first call. They share a pool: after some rounds its buffers fit all of them in turn.
    for round in 0..8 {
        macro_rules! demand {
                ($($call:expr;)+) => {
                    $(
                        if round < 3 {
                            $call.unwrap();
                        }
                        let again = allocations(|| assert!($call.is_ok()));
                        let settled = !(3..6).contains(&round);
                        assert!(again == 0 || !settled, "{}: {again} in round {round}", stringify!($call));
                    )+
                };
            }
        demand! {
            sum.value(p);
            sum.gradient(p, &mut g);
            sum.hvp(p, &v, &mut g, &mut hv);
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

/// The bytes of other threads would not be counted.
fn on_one_thread<R: Send>(f: impl FnOnce() -> R + Send) -> R {
    #[cfg(feature = "rayon")]
    return rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap().install(f);
    #[cfg(not(feature = "rayon"))]
    f()
}

#[test]
fn memory_does_not_grow_with_terms_or_with_parameters() {
    // Beyond the gradient, which is the caller's: the jobs, which are few.
    let of = |terms: usize, parameters: usize| {
        let made = Made::new(&[terms], 0, 2, parameters, 1);
        let (p, mut g) = (made.point(), vec![0.0; parameters]);
        on_one_thread(|| {
            wengert::reverse::release_memory();
            bytes(|| {
                Sum::new(&made, parameters).unwrap().gradient(&p, &mut g).unwrap();
            })
        })
    };
    let small = of(1_000, 100);
    assert!(of(1_000, 100_000) <= small);
    assert!(of(100_000, 100) <= small + 100_000, "{} {small}", of(100_000, 100));
}

#[test]
fn faults_have_names() {
    let made = Made::new(&[3], 2, 3, 20, 1);
    let error = |e: AdError| e.to_string();
    assert!(error(Sum::new(&made, 5).unwrap_err()).starts_with("sum: 5 parameters given, at least "));
    let mut sum = Sum::new(&made, 20).unwrap();
    let e = sum.gradient(&[0.0; 19], &mut [0.0; 20]).unwrap_err();
    assert_eq!(error(e), "sum: the point has length 19, expected 20");
    let e = sum.gradient(&[0.0; 20], &mut [0.0; 21]).unwrap_err();
    assert_eq!(error(e), "sum: the gradient buffer has length 21, expected 20");
    let mut h = DMatrix::<f64>::zeros(20, 19);
    let e = sum.hessian(&[0.0; 20], &mut [0.0; 20], &mut h).unwrap_err();
    assert_eq!(error(e), "sum: the hessian buffer is 20 × 19, expected 20 × 20");
    struct Endless;
    impl Terms for Endless {
        fn groups(&self) -> usize {
            2
        }
        fn count(&self, _: usize) -> usize {
            usize::MAX
        }
        fn group<T: Real<Base = f64>>(&self, _: usize, _: &[T]) -> impl Fn(usize, &[T], &mut [T]) {
            |_, _, _| ()
        }
    }
    // Places in a sparse matrix are numbers of 32 bits.
    #[cfg(feature = "sparse")]
    {
        let nothing = Made::new(&[], 0, 0, 0, 1);
        let mut sum = Sum::new(&nothing, 1 << 33).unwrap();
        let e = error(sum.sparse_hessian(&[0.0; 0], &mut [0.0; 0]).unwrap_err());
        assert_eq!(e, format!("sum: more than {} parameters", u32::MAX));
    }
    let e = error(Sum::new(&Endless, 0).unwrap_err());
    assert_eq!(e, format!("sum: more than {} terms", usize::MAX));
    // No place overflows.
    let last = Term { inputs: vec![usize::MAX], results: 1 };
    let beyond = Made { groups: vec![(vec![], vec![last])], parameters: 3 };
    let e = error(Sum::new(&beyond, 3).unwrap_err());
    assert_eq!(e, format!("sum: 3 parameters given, at least {} needed", usize::MAX));
    let results = Term { inputs: vec![0], results: usize::MAX };
    let more = || Term { inputs: vec![0], results: 1 };
    let e = error(
        Sum::new(&Made { groups: vec![(vec![], vec![more(), results])], parameters: 1 }, 1).unwrap_err(),
    );
    assert_eq!(e, format!("sum: more than {} results", usize::MAX));
}

#[test]
fn no_terms_and_no_parameters() {
    let nothing = Made::new(&[], 0, 0, 3, 1);
    let mut sum = Sum::new(&nothing, 3).unwrap();
    let mut g = [f64::NAN; 3];
    assert_eq!((sum.gradient(&[0.0; 3], &mut g).unwrap(), g), (0.0, [0.0; 3]));
    let mut h = DMatrix::from_element(3, 3, f64::NAN);
    assert_eq!(sum.hessian(&[0.0; 3], &mut g, &mut h).unwrap(), 0.0);
    assert_eq!(h, DMatrix::zeros(3, 3));
    let constants = Made::new(&[10], 0, 0, 0, 1);
    let value = Sum::new(&constants, 0).unwrap().gradient(&[0.0; 0], &mut [0.0; 0]).unwrap();
    assert_eq!(value, constants.whole::<f64>(&[]));
}

/// A function that is flat where its argument has an infinite slope, many times; on request a panic at one of them.
pub struct Flat(pub Option<usize>);

impl Flat {
    fn term<T: Real<Base = f64>>(p: &[T]) -> T {
        (p[0].ln() + p[1].ln()).tanh() + p[2]
    }
    pub fn whole<T: Real<Base = f64>>(p: &[T]) -> T {
        (0..1000).map(|_| Self::term(p)).sum()
    }
}

impl Terms for Flat {
    fn count(&self, _: usize) -> usize {
        1000
    }
    fn inputs(&self, _: usize, _: usize, out: &mut Vec<usize>) {
        out.extend([0, 1, 2]);
    }
    fn group<T: Real<Base = f64>>(&self, _: usize, _: &[T]) -> impl Fn(usize, &[T], &mut [T]) {
        |i, p, r| {
            assert!(self.0 != Some(i), "no term {i}");
            r[0] = Self::term(p);
        }
    }
}

#[test]
fn infinities_are_those_of_the_tape() {
    let p = [0.0_f64, 1.0, 3.0];
    assert!(wengert::forward::gradient(Flat::whole, &p)[0].is_nan());
    let expected = gradient(Flat::whole, &p);
    assert_eq!(expected, [0.0, 0.0, 1000.0]);
    let [mut g, mut hv] = [[f64::NAN; 3]; 2];
    let mut sum = Sum::new(&Flat(None), 3).unwrap();
    sum.gradient(&p, &mut g).unwrap();
    assert_eq!(g, expected);
    let v = [0.0, 1.0, 1.0];
    sum.hvp(&p, &v, &mut g, &mut hv).unwrap();
    assert_eq!((g, hv), (expected, hvp(Flat::whole, &p, &v)));
    // The residuals are 2.
    let mut squares = LeastSquares::new(&Flat(None), 3).unwrap();
    assert_eq!((squares.gradient(&p, &mut g).unwrap(), g), (2000.0, [0.0, 0.0, 2000.0]));
    let mut a = [f64::NAN; 9];
    assert_eq!((squares.normal_equations(&p, &mut g, &mut a).unwrap(), g), (2000.0, [0.0, 0.0, 2000.0]));
    assert_eq!((a[8], a[..8].iter().all(|a| *a == 0.0)), (1000.0, true));
    #[cfg(feature = "sparse")]
    assert!(squares.jacobian(&p).unwrap().1.values().chunks(3).all(|row| row == [0.0, 0.0, 1.0]));
}

#[test]
fn a_panic_in_a_term_arrives_and_leaves_the_sum() {
    let broken = Flat(Some(700));
    let mut sum = Sum::new(&broken, 3).unwrap();
    let text = message(|| drop(sum.gradient(&[1.0, 2.0, 3.0], &mut [0.0; 3])));
    assert!(text.contains("no term 700"), "{text}");
    let made = Made::new(&[400], 2, 3, 20, 1);
    let mut g = vec![0.0; 20];
    Sum::new(&made, 20).unwrap().gradient(&made.point(), &mut g).unwrap();
    close(&g, &gradient(|p| made.whole(p), &made.point()));
}
