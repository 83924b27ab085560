//! Sums over data compared with the plain sum, in one process: `cargo bench --bench sums`; with part of a workload's
//! name after `--` only that workload.

#[path = "workloads/by_hand.rs"]
mod by_hand;
#[allow(dead_code)]
#[path = "../examples/bundle/camera.rs"]
mod camera;
#[allow(dead_code)]
#[path = "../examples/bundle/scene.rs"]
mod scene;
mod workloads;

use std::hint::black_box;

use scene::Scene;
use wengert::programs::Traced;
use wengert::sums::{Sum, Table, sum_over};
use wengert::{Real, Var, gradient_into, reduce};
use workloads::check;
use workloads::sums::{FullMixture, Logistic, Mixture, Network};
use workloads::timing::{self, Case};

fn gradient_by_hand(of: &Logistic, w: &[f64], g: &mut [f64]) -> f64 {
    by_hand::logistic(&of.rows, &of.labels, w, g, |_, _| ())
}

/// The Hessian by hand: the gradient, and the rows' second derivatives below the diagonal.
fn hessian_by_hand(of: &Logistic, w: &[f64], g: &mut [f64], h: &mut [f64]) -> f64 {
    let n = of.columns;
    h.fill(0.0);
    let sum = by_hand::logistic(&of.rows, &of.labels, w, g, |row, bend| {
        for (i, x) in row.iter().enumerate() {
            let by = bend * x;
            h[n * i..][..=i].iter_mut().zip(row).for_each(|(h, x)| *h += by * x);
        }
    });
    for (i, j) in (0..n).flat_map(|i| (0..i).map(move |j| (i, j))) {
        h[n * j + i] = h[n * i + j];
    }
    sum
}

/// Second derivatives of the logistic regression, compared with hand-written ones.
fn second_derivatives(logistic: &Logistic) {
    let (w, v) = (numbers(50, 0.1), numbers(50, 1.0));
    let [mut first, mut product, mut second] = [(); 3].map(|()| logistic.sum());
    let [mut g, mut by_hand, mut hv, mut of_product] = [(); 4].map(|()| vec![0.0; 50]);
    let [mut h, mut hand] = [(); 2].map(|()| vec![0.0; 2500]);
    let [mut of_hessian, mut of_hand] = [(); 2].map(|()| vec![0.0; 50]);
    second.hessian(&w, &mut g, &mut h).unwrap();
    hessian_by_hand(logistic, &w, &mut by_hand, &mut hand);
    check("Hessian", &h, &hand);
    check("gradient", &g, &by_hand);
    let mut cases: Vec<Case<'_>> = vec![
        ("plain sum", Box::new(|| _ = black_box(logistic.whole(black_box(&w[..]))))),
        (
            "gradient by hand",
            Box::new(|| _ = black_box(gradient_by_hand(logistic, black_box(&w), &mut by_hand))),
        ),
        ("gradient", Box::new(|| _ = black_box(first.gradient(black_box(&w), &mut g)))),
        ("hvp", Box::new(|| _ = black_box(product.hvp(black_box(&w), &v, &mut of_product, &mut hv)))),
        (
            "Hessian by hand",
            Box::new(|| _ = black_box(hessian_by_hand(logistic, black_box(&w), &mut of_hand, &mut hand))),
        ),
        ("hessian", Box::new(|| _ = black_box(second.hessian(black_box(&w), &mut of_hessian, &mut h)))),
    ];
    compare("second derivatives of the logistic regression, 10⁴ × 50", &mut cases);
}

/// Squares of differences of two parameters, chosen at random: the sum touches few of many.
struct Pairs {
    parameters: usize,
    places: Vec<[usize; 2]>,
}

impl Pairs {
    fn new(parameters: usize) -> Self {
        let mut random = fastrand::Rng::with_seed(1);
        let mut place = || random.usize(0..parameters);
        Pairs { parameters, places: (0..100_000).map(|_| [place(), place()]).collect() }
    }
    fn term<T: Real<Base = f64>>(p: &[T]) -> T {
        let d = p[0] - p[1];
        d * d * p[0]
    }
    fn whole<T: Real<Base = f64>>(&self, p: &[T]) -> T {
        self.places.iter().map(|&[i, j]| Self::term(&[p[i], p[j]])).sum()
    }
}

/// Terms in pairs of variables.
struct Joined(Vec<(usize, usize)>);

#[wengert::generic]
impl wengert::Function for Joined {
    fn call(&self, x: &[f64]) -> f64 {
        self.0.iter().map(|&(i, j)| (x[i] - x[j]).powi(4) + x[i] * x[j]).sum()
    }
}

/// Hessians of 10⁴ variables by both colourings, compared with the function.
fn sparse_hessians() {
    const N: usize = 10_000;
    // Neighbours at these distances, where both have the same place in a line of this length.
    let near = |ways: &[(usize, usize)]| -> Vec<(usize, usize)> {
        let pairs = ways.iter().flat_map(|&(step, line)| {
            (0..N - step).filter(move |i| i % line + step < line).map(move |i| (i, i + step))
        });
        pairs.collect()
    };
    let mut random = fastrand::Rng::with_seed(1);
    let random_pairs = (0..N).map(|i| (i, (i + random.usize(1..N)) % N)).collect();
    for (name, pairs) in [
        ("chain", near(&[(1, N)])),
        ("three neighbours", near(&[(1, N), (2, N), (3, N)])),
        ("grid in the plane", near(&[(1, 100), (100, N)])),
        ("grid in space", near(&[(1, 21), (21, 441), (441, N)])),
        ("random pairs", random_pairs),
    ] {
        let energy = Joined(pairs);
        let x = numbers(N, 1.0);
        let mut stars = wengert::sparse::Hessian::new(&energy, &x).unwrap();
        let mut forest = wengert::sparse::Hessian::by_substitution(&energy, &x).unwrap();
        let name = format!("sparse Hessian, {name}, {} and {} lanes", stars.lanes(), forest.lanes());
        let [mut by_stars, mut by_forest] = [(); 2].map(|()| vec![0.0; N]);
        let [mut of_stars, mut of_forest] = [(); 2].map(|()| stars.zeros());
        let mut cases: Vec<Case<'_>> = vec![
            ("energy", Box::new(|| _ = black_box(wengert::Function::call(&energy, black_box(&x[..]))))),
            (
                "Hessian::new",
                Box::new(|| {
                    _ = black_box(
                        stars.of_object(&energy).at(black_box(&x), &mut by_stars, &mut of_stars).is_ok(),
                    );
                }),
            ),
            (
                "by_substitution",
                Box::new(|| {
                    _ = black_box(
                        forest.of_object(&energy).at(black_box(&x), &mut by_forest, &mut of_forest).is_ok(),
                    );
                }),
            ),
        ];
        compare(&name, &mut cases);
    }
}

/// One thread and two, in turns.
#[cfg(feature = "rayon")]
fn threads(logistic: &Logistic, scene: &Scene) {
    let pools = [1, 2].map(|n| rayon::ThreadPoolBuilder::new().num_threads(n).build().unwrap());
    let (w, p) = (numbers(50, 0.1), &scene.start);
    let (mut sum, mut squares) = (logistic.sum(), scene.squares().unwrap());
    let mixture = Mixture { points: numbers(300_000, 1.5).as_chunks().0.to_vec() };
    let (mut of_mixture, q) = (mixture.sum(), numbers(35, 0.3));
    let [mut g, mut of_scene, mut of_q] = [vec![0.0; 50], vec![0.0; p.len()], vec![0.0; 35]];
    for (name, call) in [
        (
            "threads: mixture gradient, 10⁵ points",
            &mut (|| _ = of_mixture.gradient(&q, &mut of_q)) as &mut (dyn FnMut() + Send),
        ),
        ("threads: logistic gradient", &mut || _ = sum.gradient(&w, &mut g)),
        ("threads: bundle gradient", &mut || _ = squares.gradient(p, &mut of_scene)),
    ] {
        let call = std::sync::Mutex::new(call);
        let on = |pool: usize| pools[pool].install(|| (call.lock().unwrap())());
        compare(name, &mut [("one thread", Box::new(|| on(0))), ("two threads", Box::new(|| on(1)))]);
    }
}

fn numbers(n: usize, scale: f64) -> Vec<f64> {
    (0..n).map(|i| scale * (1.7 * i as f64 + 0.3 * (i as f64).sqrt()).sin()).collect()
}

/// The gradient of the whole sum, of `sum_over`, of the rows, and by hand, which are the same.
macro_rules! gradients {
    ($name:literal, $terms:expr, $p:expr, |$w:ident| $over:expr, |$x:ident, $g:ident| $hand:expr) => {{
        let (terms, p) = (&$terms, &$p[..]);
        let [mut whole, mut over, mut of_rows, mut first, mut hand] = [(); 5].map(|()| vec![0.0; p.len()]);
        let mut sum = terms.sum();
        let by_hand = |$x: &[f64], $g: &mut [f64]| -> f64 { $hand };
        gradient_into(|w| terms.whole(w), p, &mut whole);
        gradient_into(|$w: &[wengert::Var<f64>]| $over, p, &mut over);
        sum.gradient(p, &mut of_rows).unwrap();
        by_hand(p, &mut hand);
        check($name, &over, &whole);
        check($name, &of_rows, &whole);
        check($name, &hand, &whole);
        let mut cases: Vec<Case<'_>> = vec![
            ("plain sum", Box::new(|| _ = black_box(terms.whole(black_box(p))))),
            (
                "gradient on one tape",
                Box::new(|| _ = gradient_into(|w| terms.whole(w), black_box(p), &mut whole)),
            ),
            (
                "gradient of sum_over",
                Box::new(|| {
                    gradient_into(|$w: &[wengert::Var<f64>]| $over, black_box(p), &mut over);
                }),
            ),
            ("Sum::gradient", Box::new(|| _ = black_box(sum.gradient(black_box(p), &mut of_rows)))),
            (
                "Sum, made and called once",
                Box::new(|| _ = black_box(terms.sum().gradient(black_box(p), &mut first))),
            ),
            ("by hand", Box::new(|| _ = black_box(by_hand(black_box(p), &mut hand)))),
        ];
        compare($name, &mut cases);
    }};
}

/// Gradients of a function; only its value is compared.
fn gradient_of(name: &str, sum: &mut Sum<'_>, p: &[f64], plain: &dyn Fn(&[f64]) -> f64) {
    let mut g = vec![0.0; p.len()];
    let value = sum.gradient(p, &mut g).unwrap();
    check(name, &[value], &[plain(p)]);
    let mut cases: Vec<Case<'_>> = vec![
        ("plain sum", Box::new(|| _ = black_box(plain(black_box(p))))),
        ("Sum::gradient", Box::new(|| _ = black_box(sum.gradient(black_box(p), &mut g)))),
    ];
    compare(name, &mut cases);
}

fn full_mixture(dimension: usize, count: usize, points: usize) {
    let mixture = FullMixture { dimension, count, points: numbers(dimension * points, 1.0) };
    let p = numbers(mixture.parameters(), 0.3);
    let name = format!("full covariances, d {dimension} k {count}, {points} points");
    gradient_of(&name, &mut mixture.sum(), &p, &|p| mixture.whole(p));
}

/// A polynomial of degree 7, a term with four branches, and squares of a linear model.
fn small_terms() {
    let data: Vec<[f64; 2]> = numbers(20_000, 1.0).as_chunks().0.to_vec();
    fn polynomial<T: Real<Base = f64>>(p: &[T], d: &[T]) -> T {
        let y = p.iter().rev().fold(T::lit(0.0), |y, &c| y * d[0] + c);
        (y - d[1]).powi(2)
    }
    fn branches<T: Real<Base = f64>>(p: &[T], d: &[T]) -> T {
        let model = if d[0] < 0.0 { p[0] * (p[1] * d[0]).exp() } else { (p[2] * d[0]).sin() + p[3] };
        let r = model - d[1];
        if r.abs() < 0.5 { r * r * 0.5 } else { r.abs() * 0.5 - 0.125 }
    }
    let mut sum = Sum::new(8, &data, |p: &[Traced], d: &[Traced]| polynomial(p, d)).unwrap();
    let plain = |p: &[f64]| data.iter().map(|d| polynomial(p, d)).sum();
    gradient_of("polynomial of degree 7, 10⁴ rows", &mut sum, &numbers(8, 0.5), &plain);
    let mut sum = Sum::new(4, &data, |p: &[Traced], d: &[Traced]| branches(p, d)).unwrap();
    let plain = |p: &[f64]| data.iter().map(|d| branches(p, d)).sum();
    gradient_of("four branches, 10⁴ rows", &mut sum, &numbers(4, 0.6), &plain);
    // Many rows: the line through 10⁷ points.
    let many: Vec<[f64; 2]> = (0..10_000_000).map(|i| [i as f64 * 1e-7, (i % 7) as f64]).collect();
    fn line<T: Real<Base = f64>>(p: &[T], d: &[T]) -> T {
        (p[0] + p[1] * d[0] - d[1]).square()
    }
    let mut sum = Sum::new(2, &many, |p: &[Traced], d: &[Traced]| line(p, d)).unwrap();
    gradient_of("a line through 10⁷ points", &mut sum, &[0.3, 0.4], &|p| {
        many.iter().map(|d| line(p, d)).sum()
    });
    drop((sum, many));
    // The workload that GradBench calls llsq: signs of a polynomial.
    let places: Vec<f64> = (0..10_000).map(|i| -1.0 + 2.0 * i as f64 / 9_999.0).collect();
    fn llsq<T: Real<Base = f64>>(p: &[T], t: &[T]) -> T {
        let sign = if t[0] > 0.0 {
            1.0
        } else if t[0] < 0.0 {
            -1.0
        } else {
            0.0
        };
        let mut power = T::lit(1.0);
        let mut sum = T::lit(sign);
        for &x in p {
            sum -= x * power;
            power *= t[0];
        }
        sum * sum * 0.5
    }
    let mut sum = Sum::new(32, &places, |p: &[Traced], t: &[Traced]| llsq(p, t)).unwrap();
    let plain = |p: &[f64]| places.iter().map(|&t| llsq(p, &[t])).sum();
    gradient_of("llsq, 10⁴ × 32", &mut sum, &numbers(32, 0.1), &plain);
}

/// A market of forward rates: 20 rates, 3 factors, 36 steps, and a strip of options, by paths of normal numbers.
fn paths() {
    const RATES: usize = 20;
    const STEPS: usize = 36;
    const PERIOD: f64 = 0.5;
    const STEP: f64 = 0.25;
    fn strip<T: Real<Base = f64>>(p: &[T], z: &[T]) -> T {
        let (mut rates, volatilities) = (p[..RATES].to_vec(), p[RATES..].as_chunks::<3>().0);
        for (step, z) in z.as_chunks::<3>().0.iter().enumerate() {
            let mut drift = [T::lit(0.0); 3];
            for i in step / 2..RATES {
                let (rate, v) = (rates[i], &volatilities[i]);
                let weight = rate * PERIOD / (rate * PERIOD + 1.0);
                let mut growth = T::lit(0.0);
                for k in 0..3 {
                    drift[k] += weight * v[k];
                    growth += v[k] * ((drift[k] - v[k] * 0.5) * STEP + z[k] * STEP.sqrt());
                }
                rates[i] = rate * growth.exp();
            }
        }
        let (mut discount, mut sum) = (T::lit(1.0), T::lit(0.0));
        for rate in rates {
            discount /= rate * PERIOD + 1.0;
            sum += discount * (rate - 0.035).max(0.0) * PERIOD;
        }
        sum
    }
    let normals: Vec<f64> = (0..3 * STEPS * 500)
        .map(|i| ((f64::from(i as u32) + 0.5) * 0.618_033_988_75).fract().norm_quantile())
        .collect();
    let rows: Vec<&[f64]> = normals.chunks(3 * STEPS).collect();
    let p: Vec<f64> = (0..4 * RATES)
        .map(|i| if i < RATES { 0.03 + 0.0005 * i as f64 } else { 0.1 * (i as f64).sin() })
        .collect();
    let mut sum =
        Sum::new(p.len(), Table::new(&normals, 3 * STEPS).unwrap(), |p: &[Traced], z: &[Traced]| strip(p, z))
            .unwrap();
    let constants = |z: &[f64]| -> Vec<Var<f64>> { z.iter().map(|&z| Var::constant(z)).collect() };
    let one_by_one = |p: &[f64], total: &mut [f64], g: &mut [f64]| {
        total.fill(0.0);
        for z in &rows {
            gradient_into(|p| strip(p, &constants(z)), p, g);
            total.iter_mut().zip(&*g).for_each(|(total, g)| *total += g);
        }
    };
    let [mut g, mut total, mut whole, mut one] = [(); 4].map(|()| vec![0.0; p.len()]);
    sum.gradient(&p, &mut g).unwrap();
    one_by_one(&p, &mut total, &mut one);
    check("paths", &g, &total);
    let mut cases: Vec<Case<'_>> = vec![
        (
            "plain sum",
            Box::new(|| _ = black_box(rows.iter().map(|z| strip(black_box(&p[..]), z)).sum::<f64>())),
        ),
        (
            "one tape",
            Box::new(|| {
                _ = gradient_into(|p| rows.iter().map(|z| strip(p, &constants(z))).sum(), &p, &mut whole)
            }),
        ),
        ("a tape for each path", Box::new(|| one_by_one(black_box(&p), &mut total, &mut one))),
        ("Sum::gradient", Box::new(|| _ = black_box(sum.gradient(black_box(&p), &mut g)))),
    ];
    compare("paths of a market, 80 parameters, 500 paths", &mut cases);
}

/// Rows whose values leave the program, by `of_object` and by a closure, and rows of many branches, compared with
/// `sum_over`.
fn rows_by_themselves() {
    fn small<T: Real<Base = f64>>(z: &[T]) -> T {
        let x = z[0] * z[2];
        x * x.primal().floor() + x * z[1] - z[3]
    }
    let data: Vec<[f64; 2]> = numbers(40_000, 3.0).as_chunks().0.to_vec();
    let p = [0.7, 0.4];
    let object = Sum::of_object(2, &data, wengert::function!(|z| small(z))).unwrap();
    let closure = Sum::new(2, &data, |p: &[Traced], d: &[Traced]| small(&[p, d].concat())).unwrap();
    against_sum_over("rows by themselves, 2 parameters", &mut [object, closure], &p, |p| {
        sum_over(p, &data, |p, d| small(&[p[0], p[1], d[0].into(), d[1].into()]))
    });
    fn long<T: Real<Base = f64>>(w: &[T], d: &[T]) -> T {
        let t = reduce::dot(d, w);
        t.softplus() - t * t.primal().floor()
    }
    let data: Vec<[f64; 50]> = numbers(200_000, 1.0).as_chunks().0.to_vec();
    let p = numbers(50, 0.1);
    let sum = Sum::of_object(50, &data, wengert::function!(|z| long(&z[..50], &z[50..]))).unwrap();
    against_sum_over("rows by themselves, 50 parameters", &mut [sum], &p, |p| {
        sum_over(p, &data, |p, d| long(p, &d.map(wengert::Var::constant)))
    });
    // Two hundred branches, of which 64 have programs.
    fn steps<T: Real<Base = f64>>(z: &[T]) -> T {
        let (mut x, mut y) = (z[0] * z[2], z[1]);
        while x > T::lit(1.0) {
            x -= 1.0;
            y *= z[1];
        }
        y * x
    }
    let data: Vec<[f64; 1]> = (0..20_000).map(|i| [f64::from(i) * 0.01]).collect();
    let sum = Sum::of_object(2, &data, wengert::function!(|z| steps(z))).unwrap();
    against_sum_over("two hundred branches", &mut [sum], &[1.0, 0.97], |p| {
        sum_over(p, &data, |p, d| steps(&[p[0], p[1], d[0].into()]))
    });
}

fn against_sum_over(
    name: &str,
    sums: &mut [Sum<'_>],
    p: &[f64],
    over: impl Fn(&[wengert::Var<f64>]) -> wengert::Var<f64>,
) {
    let (mut g, mut of_over) = (vec![0.0; p.len()], vec![0.0; p.len()]);
    gradient_into(&over, p, &mut of_over);
    for sum in &mut *sums {
        sum.gradient(p, &mut g).unwrap();
        check(name, &g, &of_over);
    }
    let mut cases: Vec<Case<'_>> = vec![(
        "gradient of sum_over",
        Box::new(|| {
            gradient_into(&over, black_box(p), &mut of_over);
        }),
    )];
    for (sum, name) in sums.iter_mut().zip(["Sum of an object", "Sum of a closure"]) {
        let mut g = g.clone();
        cases.push((name, Box::new(move || _ = black_box(sum.gradient(black_box(p), &mut g)))));
    }
    compare(name, &mut cases);
}

/// Runs the cases if the workload's name contains the first argument that is no option, or if there is no such
/// argument.
fn compare(name: &str, cases: &mut [Case<'_>]) {
    let asked = std::env::args().skip(1).find(|argument| !argument.starts_with("--"));
    if asked.is_none_or(|part| name.contains(&part)) {
        timing::compare(name, cases);
    }
}

fn main() {
    // Plain sums run on one thread; so does the rest, but for the cases of threads.
    #[cfg(feature = "rayon")]
    rayon::ThreadPoolBuilder::new().num_threads(1).build_global().unwrap();
    let points = numbers(3000, 1.5).as_chunks().0.to_vec();
    let mixture = Mixture { points };
    gradients!(
        "mixture of Gaussians, 35 parameters, 1000 points",
        mixture,
        numbers(35, 0.3),
        |w| { sum_over(&Mixture::parts(w), &mixture.points, Mixture::at) },
        |p, g| by_hand::mixture(&mixture.points, p, g)
    );
    let logistic = Logistic {
        rows: numbers(500_000, 1.0),
        labels: (0..10_000).map(|i| f64::from(i % 3 == 0)).collect(),
        columns: 50,
    };
    gradients!(
        "logistic regression, 10⁴ × 50",
        logistic,
        numbers(50, 0.1),
        |w| { sum_over(w, 0..10_000, |w, i| logistic.term(w, i)) },
        |p, g| gradient_by_hand(&logistic, p, g)
    );
    let network = Network { inputs: numbers(2560, 1.0).as_chunks().0.to_vec() };
    gradients!(
        "network 10-64-64-1, 256 inputs",
        network,
        numbers(Network::PARAMETERS, 0.2),
        |w| { sum_over(w, &network.inputs, Network::at) },
        |p, g| by_hand::network(&network.inputs, p, g)
    );

    let scene = Scene::generate(48, 3200, 1);
    let p = &scene.start[..];
    let [mut whole, mut g, mut h, mut hand] = [(); 4].map(|()| vec![0.0; p.len()]);
    let [mut slopes, mut rows, mut normal] = [(); 3].map(|()| scene.squares().unwrap());
    gradient_into(|p| scene.loss(p), p, &mut whole);
    slopes.gradient(p, &mut g).unwrap();
    check("bundle", &g, &whole);
    by_hand::bundle(&scene, p, &mut hand);
    check("bundle", &hand, &whole);
    let mut cases: Vec<Case<'_>> = vec![
        ("loss", Box::new(|| _ = black_box(scene.loss(black_box(p))))),
        ("gradient on one tape", Box::new(|| _ = gradient_into(|p| scene.loss(p), black_box(p), &mut whole))),
        ("LeastSquares::gradient", Box::new(|| _ = black_box(slopes.gradient(black_box(p), &mut g)))),
        ("by hand", Box::new(|| _ = black_box(by_hand::bundle(&scene, black_box(p), &mut hand)))),
        ("jacobian", Box::new(|| _ = black_box(rows.jacobian(black_box(p)).is_ok()))),
        (
            "sparse_normal_equations",
            Box::new(|| {
                _ = black_box(normal.sparse_normal_equations(black_box(p), &mut h).is_ok());
            }),
        ),
    ];
    compare("bundle adjustment, 10 032 parameters, 25 600 observations", &mut cases);

    second_derivatives(&logistic);
    full_mixture(10, 25, 1000);
    full_mixture(64, 100, 100);
    small_terms();
    paths();
    rows_by_themselves();
    for parameters in [100, 10_000, 1_000_000] {
        let pairs = Pairs::new(parameters);
        let table = Table::without_data(pairs.places.len()).reading(|i| pairs.places[i]);
        let mut sum = Sum::new(parameters, table, |p: &[Traced], _: &[Traced]| Pairs::term(p)).unwrap();
        let name = format!("100 000 pairs of {} parameters", pairs.parameters);
        gradient_of(&name, &mut sum, &numbers(parameters, 1.0), &|p| pairs.whole(p));
    }
    sparse_hessians();
    #[cfg(feature = "rayon")]
    threads(&logistic, &scene);
}
