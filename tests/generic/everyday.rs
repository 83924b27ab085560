//! Everyday programs: loops, iterators, places, options, closures, casts, as people write them.

both! { variance {
    pub fn at(x: &[f64]) -> f64 {
        let n = x.len() as f64;
        let mean = x.iter().sum::<f64>() / n;
        let var = x.iter().map(|v| (v - mean).powi(2)).sum::<f64>() / (n - 1.0);
        var.sqrt() / mean
    }
} }
check!(variance, at, [1.2, 0.7, 2.9, 3.3]);

both! { softmax {
    fn softmax(z: &[f64]) -> Vec<f64> {
        let max = z.iter().cloned().fold(f64::NEG_INFINITY, f64::max);
        let exps: Vec<f64> = z.iter().map(|&v| (v - max).exp()).collect();
        let total: f64 = exps.iter().sum();
        exps.into_iter().map(|e| e / total).collect()
    }
    pub fn at(x: &[f64]) -> f64 {
        let p = softmax(x);
        -p.iter().enumerate().map(|(i, p)| if i == 1 { 0.7 * p.ln() } else { 0.15 * p.ln() }).sum::<f64>()
    }
} }
check!(softmax, at, [0.3, -1.0, 2.2]);

both! { places {
    #[derive(Clone, Copy)]
    struct Body {
        pos: [f64; 2],
        vel: [f64; 2],
        mass: f64,
    }
    fn kick(b: &mut Body, force: [f64; 2], dt: f64) {
        for k in 0..2 {
            b.vel[k] += force[k] / b.mass * dt;
            b.pos[k] += b.vel[k] * dt;
        }
        b.mass *= 0.999;
    }
    fn scale_all(x: &mut [f64], by: f64) {
        for v in x.iter_mut() {
            *v *= by;
        }
    }
    fn bump(r: &mut f64) {
        *r = *r + 0.25;
        *r -= 1e-3 * *r;
    }
    pub fn at(x: &[f64]) -> f64 {
        let mut b = Body { pos: [x[0], 0.0], vel: [0.0, x[1]], mass: 2.0 };
        let dt = 0.1;
        for _ in 0..5 {
            let r2 = b.pos[0] * b.pos[0] + b.pos[1] * b.pos[1];
            let f = -1.0 / (r2 * r2.sqrt());
            let force = [f * b.pos[0], f * b.pos[1]];
            kick(&mut b, force, dt);
        }
        let mut v = vec![b.pos[0], b.vel[1], 1.0];
        scale_all(&mut v, 1.5);
        bump(&mut v[2]);
        v.swap(0, 1);
        v[0] + 2.0 * v[1] - v[2] / b.mass
    }
} }
check!(places, at, [1.0, 0.9]);

both! { horner {
    const COEFFS: [f64; 5] = [0.5, -1.25, 0.0, 2.0, 1.0 / 3.0];
    pub fn at(x: &[f64]) -> f64 {
        let p = COEFFS.iter().rev().fold(0.0, |acc, &c| acc * x[0] + c);
        let largest = COEFFS.iter().fold(0.0, |a: f64, c| a.max(c.abs()));
        let norm: f64 = COEFFS.iter().map(|c| c * c).sum::<f64>().sqrt();
        p / (largest + norm)
    }
} }
check!(horner, at, [0.8]);

both! { trapezoid {
    fn integrate<F: Fn(f64) -> f64>(f: F, a: f64, b: f64, n: usize) -> f64 {
        let h = (b - a) / n as f64;
        let mut sum = 0.5 * (f(a) + f(b));
        for i in 1..n {
            sum += f(a + i as f64 * h);
        }
        sum * h
    }
    pub fn at(x: &[f64]) -> f64 {
        let gauss = |t: f64| (-t * t / (2.0 * x[1] * x[1])).exp();
        integrate(gauss, 0.0, x[0], 12) + integrate(|t| t.sin() * x[1], 0.0, std::f64::consts::PI, 8)
    }
} }
check!(trapezoid, at, [1.3, 0.6]);

both! { newton_root {
    fn newton(f: impl Fn(f64) -> f64, df: impl Fn(f64) -> f64, x0: f64) -> Option<f64> {
        let mut x = x0;
        for _ in 0..30 {
            let step = f(x) / df(x);
            x -= step;
            if step.abs() < 1e-15 {
                return Some(x);
            }
        }
        None
    }
    pub fn at(x: &[f64]) -> f64 {
        let a = x[0];
        match newton(|t| t * t * t - a, |t| 3.0 * t * t, 1.0) {
            Some(root) => root,
            None => f64::NAN,
        }
    }
} }
check!(newton_root, at, [2.0]);

both! { options {
    fn first_above(x: &[f64], level: f64) -> Option<&f64> {
        x.iter().find(|v| **v > level)
    }
    fn safe_div(a: f64, b: f64) -> Result<f64, String> {
        if b == 0.0 {
            return Err(format!("{a} by {b}"));
        }
        Ok(a / b)
    }
    fn chained(x: &[f64]) -> Option<f64> {
        let first = x.first()?;
        let last = x.last().copied()?;
        Some(first * last)
    }
    pub fn at(x: &[f64]) -> f64 {
        let mut y = 0.0;
        if let Some(v) = first_above(x, 1.0) {
            y += v * v;
        }
        y += safe_div(x[0], x[1]).unwrap_or(1.0);
        y += safe_div(x[0], 0.0).unwrap_or(2.0);
        y += chained(x).map(|v| 0.5 * v).unwrap_or(0.0);
        y += chained(&[]).map_or(1.0, |v| v);
        if let (Some(a), Some(b)) = (x.get(0), x.get(7)) {
            y += a * b;
        }
        while let Some(big) = Some(y).filter(|y| *y > 100.0) {
            y = big / 2.0;
        }
        let Some(v) = x.get(1) else { return 0.0 };
        y + v
    }
} }
check!(options, at, [0.4, 1.7, 2.0]);

both! { casts {
    pub fn at(x: &[f64]) -> f64 {
        let n = x.len();
        let b: u8 = 7;
        let mut y = 0.0;
        for (i, v) in x.iter().enumerate() {
            let w = (i + 1) as f64 / n as f64;
            let sign = if i % 2 == 0 { 1 } else { -1 };
            y += sign as f64 * w * v;
        }
        y += b as f64 * 0.1 + (b as u32 + 1) as f64 * x[0];
        let cell = (x[0] / 0.5) as usize;
        let frac = x[0] / 0.5 - cell as f64;
        let table = [0.0, 1.0, 4.0, 9.0, 16.0];
        y += table[cell] * (1.0 - frac) + table[cell + 1] * frac;
        y += (x[1] > 0.0) as u8 as f64 * x[1] + f64::from(3u8) + f64::from(n as u32) * x[1];
        y as f64
    }
} }
check!(casts, at, [1.2, 0.3]);

both! { tuples {
    fn polar(x: f64, y: f64) -> (f64, f64) {
        (x.hypot(y), y.atan2(x))
    }
    fn minmax(x: &[f64]) -> (f64, f64) {
        x.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(lo, hi), &v| (lo.min(v), hi.max(v)))
    }
    pub fn at(x: &[f64]) -> f64 {
        let (r, theta) = polar(x[0], x[1]);
        let (lo, hi) = minmax(x);
        let (s, c) = theta.sin_cos();
        let (mut a, mut b) = (1.0, r);
        for _ in 0..3 {
            (a, b) = ((a + b) / 2.0, (a * b).sqrt());
        }
        let pairs: Vec<(f64, f64)> = x.windows(2).map(|w| (w[0], w[1] - w[0])).collect();
        let area: f64 = pairs.iter().map(|(base, d)| base * d + 0.5 * d * d).sum();
        let (even, odd): (Vec<f64>, Vec<f64>) = x.iter().partition(|v| **v > 1.0);
        a + s * c + hi - lo + area + even.len() as f64 * odd[0]
    }
} }
check!(tuples, at, [0.5, 1.25, 0.75]);

both! { chunks {
    pub fn at(x: &[f64]) -> f64 {
        let dots: Vec<f64> = x.chunks(2).map(|c| c.iter().map(|v| v * v).sum()).collect();
        let m = x.chunks_exact(3).map(|c| c[0] * c[1] - c[2]).fold(1.0, |a, b| a * b);
        let rev: f64 = x.iter().rev().zip(x.iter().skip(1)).map(|(a, b)| a * b).sum();
        let steps: f64 = x.iter().step_by(2).take(2).copied().map(f64::sin).sum();
        let prod: f64 = dots.iter().product();
        let flat: f64 = [[x[0], 1.0], [2.0, x[1]]].iter().flat_map(|row| row.iter()).sum();
        m + rev + steps + prod.ln() + flat
    }
} }
check!(chunks, at, [0.5, 1.5, -0.25, 2.0, 0.75, 1.0]);

both! { sorting {
    fn median(x: &[f64]) -> f64 {
        let mut v = x.to_vec();
        v.sort_by(|a, b| a.partial_cmp(b).unwrap());
        let mid = v.len() / 2;
        if v.len() % 2 == 0 { (v[mid - 1] + v[mid]) / 2.0 } else { v[mid] }
    }
    pub fn at(x: &[f64]) -> f64 {
        let m = median(x);
        let deviations: Vec<f64> = x.iter().map(|v| (v - m).abs()).collect();
        let (i, best) = x.iter().enumerate().max_by(|a, b| a.1.partial_cmp(b.1).unwrap()).unwrap();
        1.4826 * median(&deviations) + m * m + *best * i as f64
    }
} }
check!(sorting, at, [3.0, 1.0, 2.5, 0.5, 4.25]);

both! { recursion {
    fn legendre(n: u32, x: f64) -> f64 {
        match n {
            0 => 1.0,
            1 => x,
            _ => {
                let k = n as f64;
                ((2.0 * k - 1.0) * x * legendre(n - 1, x) - (k - 1.0) * legendre(n - 2, x)) / k
            }
        }
    }
    fn power(x: f64, n: u32) -> f64 {
        if n == 0 {
            1.0
        } else if n % 2 == 0 {
            let half = power(x, n / 2);
            half * half
        } else {
            x * power(x, n - 1)
        }
    }
    pub fn at(x: &[f64]) -> f64 {
        legendre(5, x[0]) + power(x[1], 5) * 0.1
    }
} }
check!(recursion, at, [0.3, 1.1]);

both! { enums {
    #[derive(Clone, Debug, PartialEq)]
    enum Shape {
        Circle(f64),
        Rect { w: f64, h: f64 },
        Unit,
    }
    use Shape::*;
    impl Shape {
        fn area(&self) -> f64 {
            match self {
                Circle(r) => std::f64::consts::PI * r * r,
                Rect { w, h } => w * h,
                Unit => 1.0,
            }
        }
        fn is_round(&self) -> bool {
            matches!(self, Circle(r) if *r > 0.5)
        }
    }
    pub fn at(x: &[f64]) -> f64 {
        let shapes = vec![Circle(x[0]), Rect { w: x[1], h: 2.0 }, Unit];
        let total: f64 = shapes.iter().map(Shape::area).sum();
        let round = shapes.iter().filter(|s| s.is_round()).count() as f64;
        total * (1.0 + round)
    }
} }
check!(enums, at, [0.8, 1.4]);

both! { matrices_by_hand {
    type Mat = Vec<Vec<f64>>;
    fn matmul(a: &Mat, b: &Mat) -> Mat {
        let (n, m, p) = (a.len(), b.len(), b[0].len());
        let mut c = vec![vec![0.0; p]; n];
        for i in 0..n {
            for j in 0..p {
                for k in 0..m {
                    c[i][j] += a[i][k] * b[k][j];
                }
            }
        }
        c
    }
    fn det(mut a: Mat) -> f64 {
        let n = a.len();
        let mut d = 1.0;
        for i in 0..n {
            let mut p = i;
            for r in i + 1..n {
                if a[r][i].abs() > a[p][i].abs() {
                    p = r;
                }
            }
            if p != i {
                a.swap(p, i);
                d = -d;
            }
            d *= a[i][i];
            for r in i + 1..n {
                let f = a[r][i] / a[i][i];
                for c in i..n {
                    let t = a[i][c];
                    a[r][c] -= f * t;
                }
            }
        }
        d
    }
    pub fn at(x: &[f64]) -> f64 {
        let a = vec![vec![x[0], 1.0, 0.5], vec![x[1], 2.0, 0.0], vec![1.0, x[2], 3.0]];
        det(matmul(&a, &a)) + a.iter().map(|r| r.iter().sum::<f64>()).fold(0.0, |m: f64, s| m.max(s))
    }
} }
check!(matrices_by_hand, at, [1.5, -0.5, 0.7]);

both! { closures_with_types {
    pub fn at(x: &[f64]) -> f64 {
        let rate = 0.05;
        let discount = |t: f64| -> f64 { (-rate * t).exp() };
        let combine = |a: f64, b: f64| a * discount(b) + 1.0;
        let square = |v| v * v;
        let fs: Vec<Box<dyn Fn(f64) -> f64>> = vec![Box::new(|v| v + 1.0), Box::new(move |v| v * rate)];
        let all: f64 = fs.iter().map(|f| f(x[0])).sum();
        let mut count = 0;
        let mut log = |v: f64| {
            count += 1;
            v.ln()
        };
        let logged = log(x[0]) + log(x[1]);
        combine(x[0], x[1]) + square(x[1]) + all + logged + count as f64
    }
} }
check!(closures_with_types, at, [1.7, 0.6]);

both! { accumulate {
    pub fn at(x: &[f64]) -> f64 {
        let cumulative: Vec<f64> = x
            .iter()
            .scan(0.0, |s, v| {
                *s += v;
                Some(*s)
            })
            .collect();
        let mut best = f64::MIN;
        let mut worst = f64::MAX;
        for &c in &cumulative {
            if c > best {
                best = c;
            }
            worst = worst.min(c);
        }
        let last = *cumulative.last().unwrap();
        let reduced = x.iter().copied().reduce(|a, b| a * 0.9 + b).unwrap_or_default();
        let mut t = 0.0;
        let mut steps = 0usize;
        while t < 1.0 {
            t += 0.3;
            steps += 1;
        }
        best - worst + last * t + reduced + steps as f64
    }
} }
check!(accumulate, at, [0.5, -1.0, 2.0]);

both! { strings_and_checks {
    use std::collections::HashMap;
    fn named(values: &[(&str, f64)]) -> HashMap<String, f64> {
        values.iter().map(|(k, v)| (k.to_string(), *v)).collect()
    }
    pub fn at(x: &[f64]) -> f64 {
        assert!(x.len() >= 2, "need two, got {}", x.len());
        assert!(x[0] > 0.0 && x[0].is_finite());
        let map = named(&[("a", x[0]), ("b", 2.5), ("c", x[1])]);
        let text = format!("{:.3}", x[0]);
        let a = map["a"] * map["b"];
        let c = map.get("c").copied().unwrap_or(0.0);
        a + c * c + map.len() as f64 + text.is_empty() as u8 as f64
    }
} }
check!(strings_and_checks, at, [1.5, 0.25]);
