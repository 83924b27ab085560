//! Sums over data beside the plain sum, in one process: `cargo bench --bench sums --features sparse`, with a part of a
//! workload's name behind `--` only that.

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
use wengert::sums::{Alike, InForms, InLanes, LeastSquares, Sum, rows, sum_over};
use wengert::{Real, gradient_into};
use workloads::check;
use workloads::sums::{Logistic, Mixture, Network};
use workloads::timing::{self, Case};

fn gradient_by_hand(of: &Logistic, w: &[f64], g: &mut [f64]) -> f64 {
    by_hand::logistic(&of.rows, &of.labels, w, g, |_, _| ())
}

/// The rows of the regression, each with its label behind it.
fn logistic_rows(of: &Logistic) -> Result<rows::Sum<'static>, wengert::AdError> {
    let n = of.columns;
    let data: Vec<f64> = of.rows.chunks(n).zip(&of.labels).flat_map(|(x, &y)| [x, &[y]].concat()).collect();
    rows::Sum::new(n, rows::Table::new(data, n + 1)?, move |w: &[Traced], d: &[Traced]| {
        let t = wengert::reduce::dot(&d[..n], w);
        t.softplus() - t * d[n]
    })
}

/// The observations of a scene: each reads a camera and a point.
fn scene_rows(scene: &Scene) -> Result<rows::LeastSquares<'_>, wengert::AdError> {
    let pixels: Vec<[f64; 2]> = scene.observations.iter().map(|o| o.pixel).collect();
    let reads = |i: usize| {
        let o = &scene.observations[i];
        let start = scene.of_camera(o.camera).start;
        (start..start + 9).chain(3 * o.point..3 * o.point + 3)
    };
    rows::LeastSquares::reading(scene.start.len(), pixels, reads, |p: &[Traced], d: &[Traced]| {
        let eye = camera::Camera::new(&std::array::from_fn(|i| p[i]));
        let [u, v] = eye.project(&[p[9], p[10], p[11]]);
        [u - d[0], v - d[1]]
    })
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

/// Logistic regression by its linear forms, beside hand-written derivatives.
fn linear_forms(logistic: &Logistic) {
    let (w, v, terms) = (numbers(50, 0.1), numbers(50, 1.0), InForms(logistic));
    let [mut sum, mut product, mut second] = [(); 3].map(|()| Sum::new(&terms, 50).unwrap());
    let mut alone = Sum::new(logistic, 50).unwrap();
    let mut rows = logistic_rows(logistic).unwrap();
    let (mut of_rows, mut by_rows) = (vec![0.0; 50], vec![0.0; 2500]);
    let [mut g, mut by_hand, mut hv, mut of_product] = [(); 4].map(|()| vec![0.0; 50]);
    let [mut h, mut hand, mut plain] = [(); 3].map(|()| vec![0.0; 2500]);
    let [mut of_hessian, mut of_hand, mut of_plain] = [(); 3].map(|()| vec![0.0; 50]);
    second.hessian(&w, &mut g, &mut h).unwrap();
    hessian_by_hand(logistic, &w, &mut by_hand, &mut hand);
    check("Hessian of linear forms", &h, &hand);
    check("gradient of linear forms", &g, &by_hand);
    rows.hessian(&w, &mut of_rows, &mut by_rows).unwrap();
    check("Hessian by rows", &by_rows, &hand);
    let mut cases: Vec<Case<'_>> = vec![
        ("plain sum", Box::new(|| _ = black_box(logistic.whole(black_box(&w[..]))))),
        (
            "gradient by hand",
            Box::new(|| _ = black_box(gradient_by_hand(logistic, black_box(&w), &mut by_hand))),
        ),
        ("gradient", Box::new(|| _ = black_box(sum.gradient(black_box(&w), &mut g)))),
        ("hvp", Box::new(|| _ = black_box(product.hvp(black_box(&w), &v, &mut of_product, &mut hv)))),
        (
            "Hessian by hand",
            Box::new(|| _ = black_box(hessian_by_hand(logistic, black_box(&w), &mut of_hand, &mut hand))),
        ),
        ("hessian", Box::new(|| _ = black_box(second.hessian(black_box(&w), &mut of_hessian, &mut h)))),
        (
            "rows::Sum::hessian",
            Box::new(|| _ = black_box(rows.hessian(black_box(&w), &mut of_rows, &mut by_rows))),
        ),
        (
            "hessian of single terms",
            Box::new(|| _ = black_box(alone.hessian(black_box(&w), &mut of_plain, &mut plain))),
        ),
    ];
    compare("linear forms of the logistic regression, 10⁴ × 50", &mut cases);
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

impl Alike for Pairs {
    fn count(&self, _: usize) -> usize {
        self.places.len()
    }
    fn inputs(&self, _: usize, i: usize, out: &mut Vec<usize>) {
        out.extend(self.places[i]);
    }
    fn group<T: Real<Base = f64>>(&self, _: usize, _: &[T]) -> impl Fn(&[T], &[T], &mut [T]) {
        |p, _, out| out[0] = Self::term(p)
    }
}

/// The Hessian of an energy on a grid, by both colourings, beside the energy.
fn sparse_hessians() {
    let side = 100;
    let energy = wengert::function!([side: usize] |x| {
        let pairs = (0..side * side).flat_map(|i| [(i, i + 1, i % side + 1 < side), (i, i + side, true)]);
        let inside = pairs.filter(|&(_, j, joined)| joined && j < side * side);
        inside.map(|(i, j, _)| (x[i] - x[j]).powi(4)).sum()
    });
    let x = numbers(side * side, 1.0);
    let mut stars = wengert::sparse::Hessian::new(&energy, &x).unwrap();
    let mut forest = wengert::sparse::Hessian::by_substitution(&energy, &x).unwrap();
    let name = format!("sparse Hessian, 10⁴ variables, {} and {} lanes", stars.lanes(), forest.lanes());
    let [mut by_stars, mut by_forest] = [(); 2].map(|()| vec![0.0; side * side]);
    let [mut of_stars, mut of_forest] = [(); 2].map(|()| stars.zeros());
    let mut cases: Vec<Case<'_>> = vec![
        ("energy", Box::new(|| _ = black_box(wengert::Function::call(&energy, black_box(&x[..]))))),
        (
            "Hessian::new",
            Box::new(|| {
                _ = black_box(stars.of(&energy).at(black_box(&x), &mut by_stars, &mut of_stars).is_ok());
            }),
        ),
        (
            "by_substitution",
            Box::new(|| {
                _ = black_box(forest.of(&energy).at(black_box(&x), &mut by_forest, &mut of_forest).is_ok());
            }),
        ),
    ];
    compare(&name, &mut cases);
}

/// One thread and two, in turns.
#[cfg(feature = "rayon")]
fn threads(logistic: &Logistic, scene: &Scene) {
    let pools = [1, 2].map(|n| rayon::ThreadPoolBuilder::new().num_threads(n).build().unwrap());
    let (w, p) = (numbers(50, 0.1), &scene.start);
    let terms = (InLanes(logistic), InLanes(scene));
    let mut sum = Sum::new(&terms.0, 50).unwrap();
    let mut squares = LeastSquares::new(&terms.1, p.len()).unwrap();
    let [mut g, mut of_scene] = [vec![0.0; 50], vec![0.0; p.len()]];
    for (name, call) in [
        ("threads: logistic gradient", &mut (|| _ = sum.gradient(&w, &mut g)) as &mut (dyn FnMut() + Send)),
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

/// The gradient of the whole sum, of `sum_over`, of the object, and by hand, which are the same.
macro_rules! gradients {
    ($name:literal, $terms:expr, $p:expr, $rows:expr, |$w:ident| $over:expr, |$x:ident, $g:ident| $hand:expr) => {{
        let (terms, p) = (&$terms, &$p[..]);
        let [mut whole, mut over, mut object, mut hand] = [(); 4].map(|()| vec![0.0; p.len()]);
        let (mut rows, mut of_rows) = ($rows.unwrap(), vec![0.0; p.len()]);
        rows.gradient(p, &mut of_rows).unwrap();
        let by_hand = |$x: &[f64], $g: &mut [f64]| -> f64 { $hand };
        let lanes = InLanes(terms);
        let mut sum = Sum::new(&lanes, p.len()).unwrap();
        gradient_into(|w| terms.whole(w), p, &mut whole);
        gradient_into(|$w: &[wengert::Var<f64>]| $over, p, &mut over);
        sum.gradient(p, &mut object).unwrap();
        check($name, &over, &whole);
        check($name, &object, &whole);
        by_hand(p, &mut hand);
        check($name, &hand, &whole);
        check($name, &of_rows, &whole);
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
            ("Sum::gradient", Box::new(|| _ = black_box(sum.gradient(black_box(p), &mut object)))),
            ("rows::Sum::gradient", Box::new(|| _ = black_box(rows.gradient(black_box(p), &mut of_rows)))),
            ("by hand", Box::new(|| _ = black_box(by_hand(black_box(p), &mut hand)))),
        ];
        compare($name, &mut cases);
    }};
}

/// Those whose names contain the first argument that is no option; all without one.
fn compare(name: &str, cases: &mut [Case<'_>]) {
    let asked = std::env::args().skip(1).find(|argument| !argument.starts_with("--"));
    if asked.is_none_or(|part| name.contains(&part)) {
        timing::compare(name, cases);
    }
}

fn main() {
    let points = numbers(3000, 1.5).as_chunks().0.to_vec();
    let mixture = Mixture { points };
    gradients!(
        "mixture of Gaussians, 35 parameters, 1000 points",
        mixture,
        numbers(35, 0.3),
        rows::Sum::new(35, &mixture.points, |p: &[Traced], x: &[Traced]| Mixture::term(
            &Mixture::parts(p),
            x
        )),
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
        logistic_rows(&logistic),
        |w| { sum_over(w, 0..10_000, |w, i| logistic.term(w, i)) },
        |p, g| gradient_by_hand(&logistic, p, g)
    );
    let network = Network { inputs: numbers(2560, 1.0).as_chunks().0.to_vec() };
    gradients!(
        "network 10-64-64-1, 256 inputs",
        network,
        numbers(Network::PARAMETERS, 0.2),
        rows::Sum::new(Network::PARAMETERS, &network.inputs, |p: &[Traced], x: &[Traced]| Network::term(
            p, x
        )),
        |w| { sum_over(w, &network.inputs, Network::at) },
        |p, g| by_hand::network(&network.inputs, p, g)
    );

    let scene = Scene::generate(48, 3200, 1);
    let (p, terms) = (&scene.start[..], InLanes(&scene));
    let [mut whole, mut g, mut h, mut hand] = [(); 4].map(|()| vec![0.0; p.len()]);
    let [mut slopes, mut rows, mut normal] = [(); 3].map(|()| LeastSquares::new(&terms, p.len()).unwrap());
    let [mut of_rows, mut product] = [(); 2].map(|()| vec![0.0; p.len()]);
    let [mut by_rows, mut row_jacobian, mut row_normal] = [(); 3].map(|()| scene_rows(&scene).unwrap());
    by_rows.gradient(p, &mut of_rows).unwrap();
    gradient_into(|p| scene.loss(p), p, &mut whole);
    check("bundle", &of_rows, &whole);
    slopes.gradient(p, &mut g).unwrap();
    check("bundle", &g, &whole);
    by_hand::bundle(&scene, p, &mut hand);
    check("bundle", &hand, &whole);
    let mut cases: Vec<Case<'_>> = vec![
        ("loss", Box::new(|| _ = black_box(scene.loss(black_box(p))))),
        ("gradient on one tape", Box::new(|| _ = gradient_into(|p| scene.loss(p), black_box(p), &mut whole))),
        ("LeastSquares::gradient", Box::new(|| _ = black_box(slopes.gradient(black_box(p), &mut g)))),
        ("by hand", Box::new(|| _ = black_box(by_hand::bundle(&scene, black_box(p), &mut hand)))),
        (
            "rows::LeastSquares::gradient",
            Box::new(|| _ = black_box(by_rows.gradient(black_box(p), &mut of_rows))),
        ),
        (
            "rows::LeastSquares::jacobian",
            Box::new(|| _ = black_box(row_jacobian.jacobian(black_box(p)).is_ok())),
        ),
        (
            "rows: sparse_normal_equations",
            Box::new(|| {
                _ = black_box(row_normal.sparse_normal_equations(black_box(p), &mut product).is_ok());
            }),
        ),
        ("jacobian", Box::new(|| _ = black_box(rows.jacobian(black_box(p)).is_ok()))),
        (
            "sparse_normal_equations",
            Box::new(|| {
                _ = black_box(normal.sparse_normal_equations(black_box(p), &mut h).is_ok());
            }),
        ),
    ];
    compare("bundle adjustment, 10 032 parameters, 25 600 observations", &mut cases);

    linear_forms(&logistic);
    for parameters in [100, 10_000, 1_000_000] {
        let pairs = Pairs::new(parameters);
        let (p, terms) = (numbers(parameters, 1.0), InLanes(&pairs));
        let mut sum = Sum::new(&terms, parameters).unwrap();
        let [mut g, mut whole, mut of_rows] = [(); 3].map(|()| vec![0.0; parameters]);
        let term = |p: &[Traced], _: &[Traced]| Pairs::term(p);
        let table = rows::Table::without_data(pairs.places.len());
        let mut rows = rows::Sum::reading(parameters, table, |i| pairs.places[i], term).unwrap();
        gradient_into(|p| pairs.whole(p), &p[..], &mut whole);
        sum.gradient(&p, &mut g).unwrap();
        check("pairs", &g, &whole);
        let mut cases: Vec<Case<'_>> = vec![
            ("plain sum", Box::new(|| _ = black_box(pairs.whole(black_box(&p[..]))))),
            ("Sum::gradient", Box::new(|| _ = black_box(sum.gradient(black_box(&p), &mut g)))),
            ("rows::Sum::gradient", Box::new(|| _ = black_box(rows.gradient(black_box(&p), &mut of_rows)))),
        ];
        compare(&format!("100 000 pairs of {} parameters", pairs.parameters), &mut cases);
    }
    sparse_hessians();
    #[cfg(feature = "rayon")]
    threads(&logistic, &scene);
}
