//! Small forms, many in each program.

both! { literals_and_functions {
    pub fn at(x: &[f64]) -> f64 {
        let pi = std::f64::consts::PI;
        let a = 0.0_f64.max(x[0]) + 1.0_f64.atan2(x[1]) + 2f64.powf(x[0]) + (-1.0f64).powi(3);
        let b = f64::max(0.5, x[0]) + 10f64.powi(-3) + f64::from(3_i32) + i32::pow(2, 3) as f64 * x[0];
        let c = x[0].max(x[1]).min(5.0) + 2_i32.pow(2) as f64 + pi * x[1] + 1. / 3.;
        let worst = x.iter().cloned().fold(0. / 0., f64::max);
        let n = (x[0] * 10.0).ceil() as i64;
        let root = (n as f64).sqrt() * x[1] + (x[0] / x[1]) as i32 as f64;
        if x[0].is_nan() || x[0].is_infinite() || x[0].abs() < f64::EPSILON {
            return -1.0;
        }
        a + b + c + worst + root
    }
} }
check!(literals_and_functions, at, [1.25, 0.4]);

both! { tables_of_pairs {
    static TABLE: &[(f64, f64)] = &[(0.0, 1.0), (1.0, 2.5), (2.0, 0.5)];
    const NAMES: [(&str, f64); 2] = [("a", 0.5), ("b", 1.5)];
    fn weight(t: f64, x: f64) -> f64 {
        (-(t - x).powi(2)).exp()
    }
    pub fn at(x: &[f64]) -> f64 {
        const LOCAL: [f64; 2] = [0.25, 0.75];
        let mut s = LOCAL[0] * x[0] + LOCAL[1];
        for (t, v) in TABLE {
            s += v * weight(*t, x[0]);
        }
        for &(t, v) in TABLE.iter() {
            s += weight(t, x[1]) / (1.0 + v);
        }
        for (name, value) in NAMES {
            if name == "b" {
                s *= value;
            }
        }
        let best = TABLE.iter().map(|p| p.1).fold(f64::MIN, f64::max);
        let mut top = best;
        top -= x[1];
        s + top + TABLE[1].0 * x[0] + TABLE.len() as f64
    }
} }
check!(tables_of_pairs, at, [0.3, 1.1]);

both! { iterators_of_std {
    pub fn at(x: &[f64]) -> f64 {
        let zeros: Vec<f64> = std::iter::repeat(0.0).take(2).collect();
        let halves: f64 = std::iter::successors(Some(1.0), |v| Some(v * 0.5)).take(4).sum();
        let joined: Vec<f64> = std::iter::once(1.0).chain(x.iter().copied()).collect();
        let (s, s2) = x.iter().fold((0.0, 0.0), |(s, s2), v| (s + v, s2 + v * v));
        let signs: f64 = x.iter().map(|v| if *v > 0.0 { 1.0 } else { -1.0 }).sum::<f64>();
        let least = (0..x.len()).min_by(|&i, &j| x[i].partial_cmp(&x[j]).unwrap()).unwrap();
        let pairs = x.chunks(2).map(|p| { let (a, b) = (p[0], p[1]); a * b }).sum::<f64>();
        let mut kept = joined.clone();
        kept.retain(|v| *v > 0.0);
        kept.dedup_by(|a, b| (*a - *b).abs() < 1e-9);
        kept.insert(0, 2.0);
        kept.resize(5, 0.5);
        let grid: Vec<f64> = (0..4).map(|i| i as f64 * 0.25).collect();
        let worst = grid.iter().map(|g| (g - x[0]).abs()).fold(0.0, f64::max);
        let first: [f64; 2] = x[..2].try_into().unwrap();
        let last = joined.iter().rev().skip_while(|v| **v > 1.0).next().unwrap_or(&x[0]);
        let total = zeros[0] + halves + s * s2 + signs + x[least] + pairs + kept.iter().product::<f64>();
        total + worst + first[1] + *last + joined.iter().max_by(|a, b| a.total_cmp_or(b)).unwrap()
    }
    trait TotalCmpOr {
        fn total_cmp_or(&self, other: &Self) -> std::cmp::Ordering;
    }
    impl<P: PartialOrd> TotalCmpOr for P {
        fn total_cmp_or(&self, other: &P) -> std::cmp::Ordering {
            self.partial_cmp(other).unwrap_or(std::cmp::Ordering::Equal)
        }
    }
} }
check!(iterators_of_std, at, [0.6, -0.3, 1.4, 0.2]);

both! { closures_of_places {
    pub fn at(x: &[f64]) -> f64 {
        let scale = |v: &mut Vec<f64>, k: f64| {
            for x in v.iter_mut() {
                *x *= k
            }
        };
        let avg = |a: &[f64]| a.iter().sum::<f64>() / a.len() as f64;
        let multiply = |a, b| a * b;
        let outer = |x: f64| {
            let inner = |y: f64| y * x;
            inner(2.0) + inner(x)
        };
        let mut v = x.to_vec();
        scale(&mut v, 1.5);
        let mut grid = vec![vec![0.0; 2]; 2];
        grid[1][0] = x[0];
        grid[0][1] += 2.0 * v[1];
        let mut best = (0, f64::INFINITY);
        for (i, g) in grid.iter().flatten().enumerate() {
            if *g < best.1 {
                best = (i, *g);
            }
        }
        for row in grid.iter_mut() {
            row[0] -= 0.5;
            row.iter_mut().for_each(|g| *g += 1.0);
        }
        let [a, b, c] = [x[0], v[1], 1.0];
        let y: f64 = match v.len() {
            0 => 1.0,
            2 => x[0],
            _ => unreachable!(),
        };
        avg(&v) + multiply(x[0], 2.0) + outer(x[1]) + best.1 + a * b * c + y + grid[0][0] * grid[1][0] + best.0 as f64
    }
} }
check!(closures_of_places, at, [0.8, 1.3]);

both! { configuration {
    #[derive(Clone, Debug)]
    struct Config {
        tol: f64,
        max_iter: usize,
        relax: Option<f64>,
        name: String,
    }
    impl Default for Config {
        fn default() -> Self {
            Self { tol: 1e-10, max_iter: 60, relax: None, name: String::from("default") }
        }
    }
    #[derive(Debug)]
    enum SolveError {
        NoConvergence { residual: f64, steps: usize },
        Bad(String),
    }
    fn fixed_point(f: &dyn Fn(f64) -> f64, x0: f64, cfg: &Config) -> Result<(f64, usize), SolveError> {
        if cfg.name.is_empty() {
            return Err(SolveError::Bad("no name".into()));
        }
        let w = cfg.relax.unwrap_or(1.0);
        let mut x = x0;
        for i in 0..cfg.max_iter {
            let next = (1.0 - w) * x + w * f(x);
            let err = (next - x).abs();
            x = next;
            if err < cfg.tol {
                return Ok((x, i));
            }
        }
        Err(SolveError::NoConvergence { residual: (f(x) - x).abs(), steps: cfg.max_iter })
    }
    pub fn at(x: &[f64]) -> f64 {
        let cfg = Config { relax: Some(0.7), ..Config::default() };
        let a = x[0];
        let root = match fixed_point(&|t| (t + a).cos(), 0.5, &cfg) {
            Ok((root, _)) => root,
            Err(SolveError::NoConvergence { residual, .. }) => residual,
            Err(e) => panic!("{e:?}"),
        };
        let rough = Config { max_iter: 2, ..Default::default() };
        let failed = fixed_point(&|t| 0.5 * t * a + 1.0, x[1], &rough);
        root + failed.map(|r| r.0).unwrap_or_else(|e| match e {
            SolveError::NoConvergence { residual, steps } => residual / steps as f64,
            SolveError::Bad(_) => 0.0,
        })
    }
} }
check!(configuration, at, [0.3, 0.9]);

both! { boxed_functions {
    type Objective = Box<dyn Fn(&[f64]) -> f64>;
    struct Problem {
        objective: Objective,
        penalties: Vec<(f64, Objective)>,
    }
    impl Problem {
        fn value(&self, x: &[f64]) -> f64 {
            let penalty: f64 = self.penalties.iter().map(|(w, p)| w * p(x).powi(2)).sum();
            (self.objective)(x) + penalty
        }
    }
    struct Counter<'a> {
        f: &'a dyn Fn(f64) -> f64,
        calls: std::cell::Cell<u32>,
    }
    impl<'a> Counter<'a> {
        fn call(&self, x: f64) -> f64 {
            self.calls.set(self.calls.get() + 1);
            (self.f)(x)
        }
    }
    pub fn at(x: &[f64]) -> f64 {
        let problem = Problem {
            objective: Box::new(|x| x.iter().map(|v| v.powi(2)).sum()),
            penalties: vec![(10.0, Box::new(|x: &[f64]| x[0] + x[1] - 1.0))],
        };
        let counter = Counter { f: &|t| t.exp(), calls: std::cell::Cell::new(0) };
        problem.value(x) + counter.call(x[0]) * counter.call(0.5) + counter.calls.get() as f64
    }
} }
check!(boxed_functions, at, [0.4, 0.9]);

both! { time_loops {
    fn f(t: f64, y: f64) -> f64 {
        -2.0 * y + t.sin()
    }
    struct Recorder {
        times: Vec<f64>,
        values: Vec<f64>,
    }
    pub fn at(x: &[f64]) -> f64 {
        let dt = 0.05;
        let mut t = 0.0;
        let mut y = x[0];
        let mut out = Recorder { times: vec![], values: Vec::new() };
        while t < 0.5 - dt / 2.0 {
            let k1 = f(t, y);
            let k2 = f(t + dt, y + dt * k1);
            y += 0.5 * dt * (k1 + k2);
            t += dt;
            out.times.push(t);
            out.values.push(y);
        }
        let n = out.values.len();
        let area: f64 = out.times.windows(2).zip(out.values.windows(2)).map(|(t, v)| (t[1] - t[0]) * (v[0] + v[1]) / 2.0).sum();
        area + out.values[n - 1] + out.times.last().unwrap()
    }
} }
check!(time_loops, at, [1.3]);

both! { early_returns {
    fn classify(x: f64, lo: f64, hi: f64) -> Result<f64, &'static str> {
        Ok(match x {
            v if v < lo => return Err("low"),
            v if v >= hi => 2.0 * v,
            v => v + (hi - lo),
        })
    }
    fn all(x: &[f64]) -> Result<Vec<f64>, &'static str> {
        let mut out = vec![];
        for &v in x {
            out.push(classify(v, -1.0, 1.0)?);
        }
        Ok(out)
    }
    fn search(x: &[f64]) -> Option<(usize, f64)> {
        let mut i = 0;
        let found = loop {
            let Some(v) = x.get(i) else { break None };
            if *v > 0.5 {
                break Some((i, *v));
            }
            i += 1;
        };
        found
    }
    pub fn at(x: &[f64]) -> f64 {
        let sum: f64 = all(x).unwrap().iter().sum();
        let product = all(x).map(|v| v.into_iter().product::<f64>()).unwrap_or(0.0);
        let (i, v) = search(x).unwrap_or((9, 0.0));
        let both = match (x[0] > 0.0, x.get(1)) {
            (true, Some(b)) => x[0] * b,
            (false, Some(&b)) => b,
            _ => 1.0,
        };
        sum + product + v * i as f64 + both + all(&[-3.0]).map(|v| v[0]).unwrap_or(0.25)
    }
} }
check!(early_returns, at, [0.2, 1.7]);

/// A constant of a struct that only generic code uses; the code without the attribute has no warning.
#[wengert::generic]
#[deny(dead_code)]
mod constant_in_generic_code {
    #[derive(Clone, Copy)]
    pub struct Length {
        pub x: f64,
    }
    impl Length {
        pub const ZERO: Length = Length { x: 0.0 };
    }
    pub fn square(x: f64) -> f64 {
        let mut length = Length::ZERO;
        length.x += x;
        length.x * x
    }
}

#[test]
fn constants_in_generic_code_are_used() {
    assert_eq!(wengert::derivative(|x| constant_in_generic_code::square(x), 3.0_f64), 6.0);
}
