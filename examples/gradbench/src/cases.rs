//! The inputs at which derivatives are timed.

use serde_json::{Value, json};

/// An eval at one size: its name, the size in words, the names of its function and of the derivative, and the input.
pub struct Case {
    pub eval: &'static str,
    pub size: &'static str,
    pub primal: &'static str,
    pub derivative: &'static str,
    pub input: Value,
}

/// Numbers between 0 and 1 that look random.
fn noise(seed: usize, len: usize) -> Vec<f64> {
    (0..len).map(|k| (((seed * 977 + k) as f64 * 12.9898).sin() * 43_758.545_3).fract().abs()).collect()
}

fn rows(seed: usize, count: usize, width: usize) -> Vec<Vec<f64>> {
    (0..count).map(|k| noise(seed + k, width)).collect()
}

fn mixture(d: usize, k: usize, n: usize) -> Value {
    json!({
        "d": d, "k": k, "n": n, "m": 0, "gamma": 1.0, "x": rows(1, n, d), "alpha": noise(2, k), "mu": rows(3, k, d),
        "q": rows(4, k, d), "l": rows(5, k, d * (d - 1) / 2),
    })
}

fn bundle(n: usize, m: usize, p: usize) -> Value {
    json!({
        "n": n, "m": m, "p": p, "w": 0.417022, "feat": [271.760969, 834.209256], "x": [7.203245, 0.001144, 3.023326],
        "cam": [-0.758453, -1.109613, -0.845551, 34.556073, 39.676747, 53.881673, 419.194514, 5.864426, -8.518870,
                0.087812, 0.002739],
    })
}

/// A hand of 544 vertices, each of which follows four bones.
fn hand(points: usize, complicated: bool) -> Value {
    let motion = |k: usize| {
        let (t, (s, c)) = (noise(k, 3), noise(k, 4)[3].sin_cos());
        [[c, -s, 0.0, t[0]], [s, c, 0.0, t[1]], [0.0, 0.0, 1.0, t[2]], [0.0, 0.0, 0.0, 1.0]]
    };
    let motions = |seed: usize| (0..22).map(|b| motion(seed + b)).collect::<Vec<_>>();
    let parents: Vec<i64> =
        (0..22).map(|b| if b < 2 { b - 1 } else { b - 1 - (b - 2) % 4 / 3 * 2 }).collect();
    let positions: Vec<[f64; 4]> = rows(100, 544, 3).iter().map(|x| [x[0], x[1], x[2], 1.0]).collect();
    let weight = |v: usize, b: usize| if (v + b) % 22 < 4 { 0.25 } else { 0.0 };
    let weights: Vec<Vec<f64>> = (0..544).map(|v| (0..22).map(|b| weight(v, b)).collect()).collect();
    let triangles: Vec<[usize; 3]> = (0..1084).map(|t| [t % 544, (t + 1) % 544, (t + 7) % 544]).collect();
    let most = if complicated { 1084 } else { 544 };
    let correspondences: Vec<usize> = (0..points).map(|k| 7 * k % most).collect();
    json!({
        "theta": noise(600, 26), "us": if complicated { rows(700, points, 2) } else { vec![] },
        "data": {
            "model": {
                "parents": parents, "base_relatives": motions(300), "inverse_base_absolutes": motions(400),
                "base_positions": positions, "weights": weights, "triangles": triangles, "is_mirrored": false,
            },
            "correspondences": correspondences, "points": rows(500, points, 3),
        },
    })
}

fn text(layers: usize, steps: usize) -> Value {
    json!({
        "main_params": rows(1, 2 * layers, 56), "extra_params": rows(20, 3, 14), "state": rows(30, 2 * layers, 14),
        "sequence": rows(40, steps, 14),
    })
}

fn polynomial(n: usize, m: usize) -> Value {
    json!({ "x": noise(1, m), "n": n })
}

fn chain(n: usize, s: usize) -> Value {
    json!({ "x": noise(1, n), "s": s })
}

fn list(n: usize) -> Value {
    json!({ "x": noise(1, n) })
}

fn matrix(n: usize) -> Value {
    json!({ "A": noise(1, n * n), "ell": n })
}

/// Points, the last of which are the centroids.
fn clusters(k: usize, n: usize, d: usize) -> Value {
    json!({ "points": rows(1, n, d), "centroids": rows(1 + n - k, k, d) })
}

fn named(cases: [(&'static str, &'static str, &'static str, &'static str, Value); 12]) -> [Case; 12] {
    cases.map(|(eval, size, primal, derivative, input)| Case { eval, size, primal, derivative, input })
}

/// The cases of the tables.
pub fn cases() -> [Case; 12] {
    named([
        ("gmm", "d 10, k 25, n 1000", "objective", "jacobian", mixture(10, 25, 1000)),
        ("gmm", "d 64, k 100, n 1000", "objective", "jacobian", mixture(64, 100, 1000)),
        ("ba", "49 cameras, 31 843 observations", "objective", "jacobian", bundle(49, 7776, 31_843)),
        ("ht", "simple, 100 points", "objective", "jacobian", hand(100, false)),
        ("ht", "complicated, 100 points", "objective", "jacobian", hand(100, true)),
        ("kmeans", "k 10, n 1000, d 8", "cost", "dir", clusters(10, 1000, 8)),
        ("lse", "n 10 000", "primal", "gradient", list(10_000)),
        ("llsq", "n 2048, m 128", "primal", "gradient", polynomial(2048, 128)),
        ("det", "8 × 8", "primal", "gradient", matrix(8)),
        ("lstm", "2 layers, 1024 steps", "objective", "jacobian", text(2, 1024)),
        ("ode", "n 12, 50 steps", "primal", "gradient", chain(12, 50)),
        ("ode", "n 1000, 10 steps", "primal", "gradient", chain(1000, 10)),
    ])
}

/// Cases of the same evals that take no time, for tests.
pub fn small_cases() -> [Case; 12] {
    named([
        ("gmm", "d 3, k 4, n 9", "objective", "jacobian", mixture(3, 4, 9)),
        ("gmm", "d 1, k 2, n 5", "objective", "jacobian", mixture(1, 2, 5)),
        ("ba", "2 cameras, 12 observations", "objective", "jacobian", bundle(2, 3, 12)),
        ("ht", "simple, 5 points", "objective", "jacobian", hand(5, false)),
        ("ht", "complicated, 5 points", "objective", "jacobian", hand(5, true)),
        ("kmeans", "k 3, n 20, d 2", "cost", "dir", clusters(3, 20, 2)),
        ("lse", "n 7", "primal", "gradient", list(7)),
        ("llsq", "n 9, m 4", "primal", "gradient", polynomial(9, 4)),
        ("det", "4 × 4", "primal", "gradient", matrix(4)),
        ("lstm", "2 layers, 5 steps", "objective", "jacobian", text(2, 5)),
        ("ode", "n 4, 3 steps", "primal", "gradient", chain(4, 3)),
        ("ode", "n 1, 2 steps", "primal", "gradient", chain(1, 2)),
    ])
}
