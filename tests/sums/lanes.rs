//! Terms in lanes beside the same terms one by one: values bit for bit, whatever branches they take.

use std::sync::atomic::{AtomicUsize, Ordering};

use fastrand::Rng;
use wengert::rules::{Binary, Holomorphic, RuleVisitor, Unary, visit_rules};
use wengert::sums::{Alike, Batch, Huber, InLanes, LeastSquares, Sum, Terms};
use wengert::{Dual, DualN, Real, Tape, reduce};

use super::{allocations, message};

type Wide = Batch<f64, 8>;

/// What a term does, at every number.
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
    /// Of the shared parameters `a`, `b`, its own one, `x`, and two data, of which the second decides.
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
                // At a bound exactly in every lane; then between bounds in those of one side.
                let zero = a - 0.2_f64.cos();
                let at_bound = (zero + d[1]).clamp(T::lit(-1.0), T::lit(2.0)) * x;
                let between = (zero + d[1]).clamp(T::lit(-1.0), T::lit(3.0)) * b;
                let either = Real::select_less_or_equal(d[1], zero - 1.0, b * x, x.sin());
                held + apart
                    + at_bound
                    + between * either
                    + power * Real::select_less(x, d[1], a * x, t.atan2(d[0]))
            }
            Extracted => t * d[1].primal() + if d[0].is_zero() { b.primal() } else { 1.0 },
            Blocks => {
                // What a tape records in blocks: a run of nodes, a sum, a primitive.
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

/// Terms `Kind::of` of these data, in two groups; how often they were called in lanes.
struct Model {
    kind: Kind,
    data: Vec<[f64; 2]>,
    /// Shared inputs besides two.
    more: usize,
    calls: AtomicUsize,
}

impl Model {
    fn new(kind: Kind, data: Vec<[f64; 2]>) -> Self {
        Model { kind, data, more: 0, calls: AtomicUsize::new(0) }
    }
    /// Too many inputs for forward mode.
    fn of_many_inputs(self) -> Self {
        Model { more: 20, ..self }
    }
    /// The shared part: `b`, to which all further inputs add a little, and `a`.
    fn shared<T: Real<Base = f64>>(q: &[T]) -> (T, T) {
        (q[0] * 0.5 + reduce::dot(&q[2..], &q[2..]) * 0.01, q[1].cos())
    }
    fn datum(&self, group: usize, term: usize) -> usize {
        if group == 0 { term } else { self.data.len() / 3 + term }
    }
    fn own(&self, group: usize, term: usize, out: &mut Vec<usize>) {
        out.push(2 + (7 * self.datum(group, term)) % 22);
    }
    fn point() -> Vec<f64> {
        (0..24).map(|i| (1.7 * f64::from(i)).sin() + 0.2).collect()
    }
    fn take_calls(&self) -> usize {
        self.calls.swap(0, Ordering::Relaxed)
    }
}

impl Alike for Model {
    fn groups(&self) -> usize {
        2
    }
    fn count(&self, group: usize) -> usize {
        let first = self.data.len() / 3;
        if group == 0 { first } else { self.data.len() - first }
    }
    fn results(&self, _: usize) -> usize {
        2
    }
    fn shared_inputs(&self, _: usize, out: &mut Vec<usize>) {
        out.extend([1, 0]);
        out.extend(3..3 + self.more);
    }
    fn inputs(&self, group: usize, term: usize, out: &mut Vec<usize>) {
        self.own(group, term, out);
    }
    fn data(&self, group: usize, term: usize, out: &mut Vec<f64>) {
        out.extend(self.data[self.datum(group, term)]);
    }
    fn group<T: Real<Base = f64>>(&self, _: usize, q: &[T]) -> impl Fn(&[T], &[T], &mut [T]) {
        let (b, a) = Model::shared(q);
        move |p, d, out| {
            self.calls.fetch_add(usize::from(T::TERMS > 1), Ordering::Relaxed);
            out[0] = self.kind.of(a, b, p[0], d);
            out[1] = p[0] - d[0];
        }
    }
}

/// The same terms, each of which looks its data up.
struct Single<'a>(&'a Model);

impl Terms for Single<'_> {
    fn groups(&self) -> usize {
        2
    }
    fn count(&self, group: usize) -> usize {
        self.0.count(group)
    }
    fn results(&self, _: usize, _: usize) -> usize {
        2
    }
    fn shared_inputs(&self, group: usize, out: &mut Vec<usize>) {
        self.0.shared_inputs(group, out);
    }
    fn inputs(&self, group: usize, term: usize, out: &mut Vec<usize>) {
        self.0.own(group, term, out);
    }
    fn group<T: Real<Base = f64>>(&self, group: usize, q: &[T]) -> impl Fn(usize, &[T], &mut [T]) {
        let (b, a) = Model::shared(q);
        move |term, p, out| {
            let d = self.0.data[self.0.datum(group, term)];
            out[0] = self.0.kind.of(a, b, p[0], &d.map(T::lit));
            out[1] = p[0] - d[0];
        }
    }
}

/// Within 1e-14 of the largest entry, and NaN where it is NaN.
#[track_caller]
fn close(a: &[f64], b: &[f64], kind: Kind, name: &str) {
    let largest = b.iter().filter(|b| b.is_finite()).fold(1e-300, |m: f64, b| m.max(b.abs()));
    for (i, (a, b)) in a.iter().zip(b).enumerate() {
        let same = a.is_nan() && b.is_nan() || a == b || (a - b).abs() <= 1e-14 * largest;
        assert!(same, "{kind:?}, {name}, {i}: {a:e} for {b:e}, of {largest:e}");
    }
}

/// What an operator gives.
#[derive(Default)]
struct Given {
    value: f64,
    derivatives: Vec<f64>,
}

/// An operator of these terms.
type Operator<'a> = (&'static str, Box<dyn FnMut(&mut Given) + Send + 'a>);

/// The operators of a sum and of least squares, plain and robust, kept; each writes what it gives.
fn operators<'a, F: Terms>(f: &'a F, p: &'a [f64]) -> Vec<Operator<'a>> {
    let n = p.len();
    let sum = || Sum::new(f, n).unwrap();
    let squares = || LeastSquares::new(f, n).unwrap();
    let (mut a, mut b, mut c) = (sum(), sum(), sum());
    let (mut d, mut e) = (squares(), squares());
    let (mut huber, mut robust) = (squares().with_loss(Huber(1.0)), squares().with_loss(Huber(1.0)));
    // A buffer of so many vectors.
    fn of(given: &mut Given, vectors: usize, n: usize) -> &mut [f64] {
        given.derivatives.resize(vectors * n, f64::NAN);
        &mut given.derivatives
    }
    let mut all: Vec<Operator<'a>> = vec![
        ("gradient", Box::new(move |to| to.value = a.gradient(p, of(to, 1, n)).unwrap())),
        (
            "hvp",
            Box::new(move |to| {
                let (g, product) = of(to, 2, n).split_at_mut(n);
                to.value = b.hvp(p, p, g, product).unwrap();
            }),
        ),
        (
            "hessian",
            Box::new(move |to| {
                let (g, h) = of(to, 1 + n, n).split_at_mut(n);
                to.value = c.hessian(p, g, h).unwrap();
            }),
        ),
        ("gradient of squares", Box::new(move |to| to.value = d.gradient(p, of(to, 1, n)).unwrap())),
        ("gradient of a loss", Box::new(move |to| to.value = huber.gradient(p, of(to, 1, n)).unwrap())),
    ];
    macro_rules! normal_equations {
        ($name:literal, $squares:ident) => {
            all.push((
                $name,
                Box::new(move |to| {
                    let (g, h) = of(to, 1 + n, n).split_at_mut(n);
                    to.value = $squares.normal_equations(p, g, h).unwrap();
                }),
            ));
        };
    }
    normal_equations!("normal equations", e);
    normal_equations!("robust normal equations", robust);
    #[cfg(feature = "sparse")]
    {
        let (mut a, mut b, mut c) = (sum(), squares(), squares());
        let mut robust = squares().with_loss(Huber(1.0));
        fn keep(given: &mut Given, numbers: &[f64]) {
            given.derivatives.clear();
            given.derivatives.extend_from_slice(numbers);
        }
        let mut g = vec![0.0; n];
        let mut h = g.clone();
        all.push((
            "sparse hessian",
            Box::new(move |to| {
                let (value, matrix) = a.sparse_hessian(p, &mut g[..]).unwrap();
                to.value = value;
                keep(to, matrix.values());
            }),
        ));
        all.push(("jacobian", Box::new(move |to| keep(to, b.jacobian(p).unwrap().1.values()))));
        all.push(("residuals", Box::new(move |to| keep(to, robust.jacobian(p).unwrap().0))));
        all.push((
            "sparse normal equations",
            Box::new(move |to| {
                let (value, matrix) = c.sparse_normal_equations(p, &mut h[..]).unwrap();
                to.value = value;
                keep(to, matrix.values());
            }),
        ));
    }
    all
}

/// Compares all operators in lanes and term by term: values bit for bit, and rows of Jacobians (but where lanes choose among
/// numbers, so that cotangents are added in another order).
fn compare(model: &Model) {
    let (p, kind) = (Model::point(), model.kind);
    let (lanes, single) = (InLanes(model), Single(model));
    for ((name, mut ours), (_, mut theirs)) in operators(&lanes, &p).into_iter().zip(operators(&single, &p)) {
        let [mut got, mut expected] = [(); 2].map(|()| Given::default());
        ours(&mut got);
        theirs(&mut expected);
        assert_eq!(got.value.to_bits(), expected.value.to_bits(), "{kind:?}: value of {name}");
        let exact = ["jacobian", "residuals"].contains(&name) && kind != Chosen;
        assert_eq!(got.derivatives.len(), expected.derivatives.len());
        if exact {
            let same = |(a, b): (&f64, &f64)| a.to_bits() == b.to_bits() || a.is_nan() && b.is_nan();
            assert!(got.derivatives.iter().zip(&expected.derivatives).all(same), "{kind:?}: {name}");
        }
        close(&got.derivatives, &expected.derivatives, kind, name);
    }
    let sum = |value: Result<f64, _>| value.unwrap().to_bits();
    let value = sum(Sum::new(&single, p.len()).unwrap().value(&p));
    assert_eq!(sum(Sum::new(&lanes, p.len()).unwrap().value(&p)), value);
}

const KINDS: [Kind; 8] = [Branch, Max, EarlyExit, Length, Nan, Smooth, Chosen, Extracted];

/// Every mixture of two sides in the lanes of a block, at its start and in its midst.
#[test]
fn every_mixture_of_branches() {
    for kind in KINDS {
        // Other kinds than the first decide as it does: some mixtures will do.
        for mask in (0..256_u32).step_by(if kind == Branch { 1 } else { 17 }) {
            let side = |i: u32| if mask >> (i % 8) & 1 == 1 { 2.0 } else { -1.0 };
            let datum = |i: u32| if kind == Nan { [side(i) * 3.0, 1.0] } else { [f64::from(i % 3), side(i)] };
            compare(&Model::new(kind, (0..24).map(datum).collect()));
            if mask % 37 == 5 {
                compare(&Model::new(kind, (0..24).map(datum).collect()).of_many_inputs());
            }
        }
    }
}

/// All sizes, so short last blocks of every length, and data of many values.
#[test]
fn short_last_blocks() {
    let mut random = Rng::with_seed(5);
    for kind in KINDS {
        for count in (0..26).chain([57, 256, 257, 700]) {
            let mut number = || f64::from(random.i32(-3..4));
            let data: Vec<_> = (0..count).map(|_| [number(), number()]).collect();
            compare(&Model::new(kind, data.clone()));
            if count % 9 == 3 {
                compare(&Model::new(kind, data).of_many_inputs());
            }
        }
    }
}

/// What is recorded in blocks, in terms and in what they share.
#[test]
fn blocks_of_a_tape() {
    for count in [5, 40] {
        let data: Vec<_> = (0..count).map(|i| [f64::from(i % 5) - 1.5, f64::from(i % 7)]).collect();
        compare(&Model::new(Blocks, data.clone()));
        compare(&Model::new(Blocks, data).of_many_inputs());
    }
}

/// Calls at several lanes that a gradient makes of 600 terms, 200 and 400 in their groups. The other operators make as many,
/// but for those that gain nothing by lanes: Hessians, and rows of terms of few inputs.
fn calls(kind: Kind, datum: impl Fn(usize) -> [f64; 2] + Copy) -> usize {
    let of = |more: usize| {
        let model = Model { more, ..Model::new(kind, (0..600).map(datum).collect()) };
        let (p, lanes) = (Model::point(), InLanes(&model));
        let mut all = operators(&lanes, &p);
        let mut calls = |(name, call): &mut Operator<'_>| {
            call(&mut Given::default());
            (*name, model.take_calls())
        };
        let all: Vec<_> = all.iter_mut().map(&mut calls).collect();
        for (name, calls) in &all {
            let by_rows = ["jacobian", "residuals"].contains(name) || name.contains("equations");
            let alone = name.contains("hessian") || by_rows && more == 0;
            assert_eq!(*calls, if alone { 0 } else { all[0].1 }, "{kind:?}, {name}");
        }
        all[0].1
    };
    assert_eq!(of(0), of(20));
    of(0)
}

#[test]
fn lanes_are_used_where_they_agree_and_given_up_where_they_do_not() {
    let uneven = |i: usize| [(i % 5) as f64 - 1.5, (i % 7) as f64 - 2.5];
    // 200, and 56 + 200 + 144 by blocks of 256 terms: each piece in eights.
    assert_eq!([Smooth, Max, Chosen].map(|kind| calls(kind, uneven)), [75; 3]);
    assert_eq!(calls(Branch, |i| [1.0, if i < 200 { 1.0 + (i % 3) as f64 } else { -1.0 }]), 75);
    // Two attempts for each of four pieces.
    assert_eq!([Branch, EarlyExit, Length, Extracted].map(|kind| calls(kind, uneven)), [8; 4]);
    // One block that differs costs itself.
    let one = |i: usize| [1.0, if i == 20 { -1.0 } else { 1.0 }];
    assert_eq!(calls(Branch, one), 75);
    compare(&Model::new(Branch, (0..600).map(one).collect()));
}

#[test]
fn a_panic_in_a_lane_is_that_of_its_term() {
    for place in [0, 3, 7, 8, 30, 254, 399] {
        let model = Model::new(Panics, (0..400).map(|i| [1.0, if i == place { 2.0 } else { 1.0 }]).collect());
        let (p, lanes) = (Model::point(), InLanes(&model));
        for (name, mut call) in operators(&lanes, &p) {
            let text = message(|| call(&mut Given::default()));
            assert_eq!(text, "a datum is 2", "{name}");
        }
        compare(&Model::new(Smooth, model.data));
    }
}

/// Terms that break their word: data of several sizes.
#[test]
fn terms_that_are_not_alike_go_one_by_one() {
    struct Uneven;
    impl Alike for Uneven {
        fn count(&self, _: usize) -> usize {
            50
        }
        fn inputs(&self, _: usize, term: usize, out: &mut Vec<usize>) {
            out.extend(0..=term % 3);
        }
        fn data(&self, _: usize, term: usize, out: &mut Vec<f64>) {
            out.extend((0..term % 4).map(|k| k as f64));
        }
        fn group<T: Real<Base = f64>>(&self, _: usize, _: &[T]) -> impl Fn(&[T], &[T], &mut [T]) {
            |p, d, out| out[0] = reduce::sum(p) * (reduce::sum(d) + d.len() as f64)
        }
    }
    let mut g = [0.0; 3];
    Sum::new(&InLanes(&Uneven), 3).unwrap().gradient(&[1.0; 3], &mut g).unwrap();
    let weight = |term: usize| (0..term % 4).map(|k| k as f64 + 1.0).sum::<f64>();
    let of = |input: usize| (0..50).filter(|term| term % 3 >= input).map(weight).sum::<f64>();
    assert_eq!(g, [of(0), of(1), of(2)]);
}

#[test]
fn a_pair_of_both_kinds() {
    let model = Model::new(Smooth, (0..100).map(|i| [f64::from(i % 9) - 4.0, 1.0]).collect());
    let p = Model::point();
    let [mut g, mut expected] = [vec![0.0; p.len()], vec![0.0; p.len()]];
    let (lanes, single) = (InLanes(&model), Single(&model));
    let value = Sum::new(&(&lanes, &single), p.len()).unwrap().gradient(&p, &mut g).unwrap();
    assert_eq!(model.take_calls(), 9 + 5); // 33 and 67 terms
    assert_eq!(value, Sum::new(&(&single, &lanes), p.len()).unwrap().gradient(&p, &mut expected).unwrap());
    close(&g, &expected, Smooth, "a pair");
}

#[test]
fn nothing_is_allocated_after_the_first_call() {
    let data: Vec<_> = (0..600).map(|i| [1.0, f64::from(i % 50) - 0.5]).collect();
    for model in [Model::new(Branch, data.clone()), Model::new(Branch, data).of_many_inputs()] {
        let again = || {
            let (p, lanes) = (Model::point(), InLanes(&model));
            for (name, mut call) in operators(&lanes, &p) {
                let mut given = Given::default();
                (0..3).for_each(|_| call(&mut given));
                assert_eq!(allocations(|| call(&mut given)), 0, "{name}");
            }
        };
        #[cfg(feature = "rayon")]
        let again = || rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap().install(again);
        again();
    }
}

#[cfg(feature = "rayon")]
#[test]
fn any_number_of_threads_gives_the_same_bits() {
    let mut random = Rng::with_seed(8);
    for kind in [Smooth, Branch] {
        let data = (0..1500).map(|_| [random.f64(), random.f64() - 0.05]).collect();
        let (model, p) = (Model::new(kind, data), Model::point());
        let of = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            let lanes = InLanes(&model);
            let bits = |(_, mut call): Operator<'_>| {
                let mut given = Given::default();
                pool.install(|| call(&mut given));
                given.derivatives.iter().map(|x| x.to_bits()).collect::<Vec<_>>()
            };
            operators(&lanes, &p).into_iter().map(bits).collect::<Vec<_>>()
        };
        let alone = of(1);
        assert!((2..5).all(|threads| of(threads) == alone));
    }
}

/// Rules at several lanes: values and derivatives to second order are those of each lane alone, bit for bit, and no formula
/// diverges.
struct EachLane;

fn twice<T: wengert::Number>(x: T) -> Dual<Dual<T>> {
    Dual::variable(Dual::variable(x))
}

/// From one end of the interval to the other.
fn points([lo, hi]: [f64; 2]) -> [f64; 8] {
    std::array::from_fn(|l| lo + (hi - lo) * (l as f64 + 0.3) / 8.0)
}

fn bits(x: [f64; 8]) -> [u64; 8] {
    x.map(f64::to_bits)
}

impl RuleVisitor for EachLane {
    fn holomorphic<H: Holomorphic>(&mut self, rule: H, on: [f64; 2]) {
        self.unary(rule, on);
    }
    fn unary<U: Unary>(&mut self, rule: U, on: [f64; 2]) {
        let x = points(on);
        let ((dual, lanes, var, second), different) = Wide::watch(|| {
            let second = twice(Wide::new(x)).lift1(rule).tangent().tangent();
            let dual = Dual::variable(Wide::new(x)).lift1(rule);
            let lanes: DualN<Wide, 2> = DualN::variable(Wide::new(x), 1).lift1(rule);
            let tape = Tape::new();
            let input = tape.variable(Wide::new(x));
            (dual, lanes, tape.cotangents(input.lift1(rule)).of(input), second)
        });
        assert!(!different, "{}", U::NAME);
        let alone = x.map(|x| Dual::variable(x).lift1(rule));
        assert_eq!(bits(dual.value().lanes()), bits(alone.map(|y| y.value())), "{}", U::NAME);
        for tangent in [dual.tangent(), lanes.tangents()[1], var] {
            assert_eq!(bits(tangent.lanes()), bits(alone.map(|y| y.tangent())), "{}", U::NAME);
        }
        let alone = x.map(|x| twice(x).lift1(rule).tangent().tangent());
        assert_eq!(bits(second.lanes()), bits(alone), "{}, second", U::NAME);
    }
    fn binary<B: Binary>(&mut self, rule: B, on: [[f64; 2]; 2]) {
        let [x, mut y] = on.map(points);
        y.reverse();
        let operands = || [Dual::variable(Wide::new(x)), Dual::new(Wide::new(y), Wide::from(0.5))];
        let (dual, different) = Wide::watch(|| operands()[0].lift2(operands()[1], rule));
        assert!(!different, "{}", B::NAME);
        let alone: [_; 8] = std::array::from_fn(|l| Dual::variable(x[l]).lift2(Dual::new(y[l], 0.5), rule));
        assert_eq!(bits(dual.value().lanes()), bits(alone.map(|y| y.value())), "{}", B::NAME);
        assert_eq!(bits(dual.tangent().lanes()), bits(alone.map(|y| y.tangent())), "{}", B::NAME);
        let second = || twice(Wide::new(x)).lift2(twice(Wide::new(y)), rule).tangent().tangent();
        let (second, different) = Wide::watch(second);
        let alone: [f64; 8] =
            std::array::from_fn(|l| twice(x[l]).lift2(twice(y[l]), rule).tangent().tangent());
        assert_eq!((bits(second.lanes()), different), (bits(alone), false), "{}, second", B::NAME);
    }
}

#[test]
fn rules_do_not_tell_lanes_from_numbers() {
    visit_rules(&mut EachLane);
}

/// What a lane does not select has no tangent there, not even NaN; ties go by the rule.
#[test]
fn losers_of_a_maximum_leave_nothing_in_their_lane() {
    type Four = Batch<f64, 4>;
    let nan = f64::NAN;
    let (x, dx) = ([2.0, 1.0, nan, 5.0], [3.0, nan, nan, 1.0]);
    let (y, dy) = ([1.0, 2.0, 4.0, 5.0], [nan, 4.0, 7.0, 2.0]);
    let [a, b] = [(x, dx), (y, dy)].map(|(x, dx)| Dual::new(Four::new(x), Four::new(dx)));
    for (lanes, one) in [
        (a.max(b), (|x, y| x.max(y)) as fn(Dual<f64>, Dual<f64>) -> Dual<f64>),
        (-((-a).min(-b)), |x, y| -((-x).min(-y))),
    ] {
        let alone: [_; 4] = std::array::from_fn(|l| one(Dual::new(x[l], dx[l]), Dual::new(y[l], dy[l])));
        assert_eq!(lanes.value().lanes(), alone.map(|z| z.value()));
        assert_eq!(lanes.tangent().lanes(), alone.map(|z| z.tangent()));
        assert_eq!(lanes.tangent().lanes(), [3.0, 4.0, 7.0, 1.5]);
    }
}

/// All that makes something of a number but a number answers for lane 0, and says if another lane has another answer.
#[test]
fn questions_are_noticed() {
    use num_traits::{One, Zero};
    type Two = Batch<f32, 2>;
    macro_rules! noticed {
        ($($x:expr, $y:expr, |$z:ident| $ask:expr;)*) => {$({
            let ask = |$z: Two| $ask;
            let (answer, different) = Two::watch(|| ask(Two::new([$x, $y])));
            assert!(different, "{}", stringify!($ask));
            assert_eq!(answer, ask(Two::from($x)));
            let (_, different) = Two::watch(|| ask(Two::from($y)));
            assert!(!different, "{}", stringify!($ask));
        })*};
    }
    noticed! {
        1.0, 2.0, |x| x.primal();
        1.0, 2.0, |x| Dual::variable(x).primal();
        0.0, -0.0, |x| x.primal().to_bits();
        1.0, 2.0, |x| wengert::Number::innermost(x);
        1.0, 2.0, |x| wengert::Number::magnitude(x);
        1.0, 2.0, |x| x == 2.0;
        1.0, 2.0, |x| x != Two::from(1.0);
        1.0, 2.0, |x| x < 2.0;
        1.0, 2.0, |x| x <= 1.0;
        1.0, 2.0, |x| x > 1.0;
        1.0, 2.0, |x| x >= Two::from(1.5);
        1.0, f32::NAN, |x| x.partial_cmp(&1.0);
        0.0, 2.0, |x| x.is_zero();
        1.0, 2.0, |x| x.is_one();
        0.0, 2.0, |x| wengert::Number::is_exactly_zero(x);
        f32::NAN, 2.0, |x| wengert::Number::component_sum(x).is_nan();
        2.0, f32::NAN, |x| wengert::Number::value_sum(x).is_nan();
        2.0, f32::INFINITY, |x| wengert::Number::all_finite(x);
        1.0, 2.0, |x| x.to_string();
        1.0, 2.0, |x| Dual::variable(Dual::variable(x)) > 1.5;
    }
    let (sum, different) = Two::watch(|| (Two::new([1.0, 2.0]) + 1.0) / 2.0 - Two::new([0.5, 0.25]) % 0.5);
    assert_eq!((sum.lanes(), different), ([1.0, 1.25], false));
}

/// `d·√(q² + a²)`, of which each term has its own `q`.
struct Cones(Vec<f64>);

impl Alike for Cones {
    fn count(&self, _: usize) -> usize {
        self.0.len()
    }
    fn shared_inputs(&self, _: usize, out: &mut Vec<usize>) {
        out.push(0);
    }
    fn inputs(&self, _: usize, term: usize, out: &mut Vec<usize>) {
        out.push(1 + term);
    }
    fn data(&self, _: usize, term: usize, out: &mut Vec<f64>) {
        out.push(self.0[term]);
    }
    fn group<T: Real<Base = f64>>(&self, _: usize, p: &[T]) -> impl Fn(&[T], &[T], &mut [T]) {
        let a = p[0];
        move |q, d, out| out[0] = (q[0] * q[0] + a * a).sqrt() * d[0]
    }
}

/// At the tip of a cone a zero partial meets an infinite slope: 0, as on a tape, in the lane of its own.
#[test]
fn zeros_stop_infinities_in_a_lane() {
    let cones = Cones((0..20).map(|i| 1.0 + f64::from(i)).collect());
    let q: Vec<f64> = (0..20).map(|i| if i % 7 == 3 { 0.0 } else { 2.0 }).collect();
    let (p, mut g) = ([&[0.0], &q[..]].concat(), vec![f64::NAN; 21]);
    Sum::new(&InLanes(&cones), 21).unwrap().gradient(&p, &mut g).unwrap();
    assert_eq!(g[0], 0.0);
    for (i, d) in cones.0.iter().enumerate() {
        assert_eq!(g[1 + i], if q[i] == 0.0 { 0.0 } else { *d });
    }
}
