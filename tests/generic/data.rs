//! Programs with data sets: `#[data]` on parameters and fields, constants, tables.

both_with_data! { regression {
    fn residuals(p: &[f64], #[data] t: &[f64], #[data] y: &[f64]) -> Vec<f64> {
        t.iter().zip(y.iter()).map(|(t, y)| p[0] + p[1] * t - y).collect()
    }
    fn loss(p: &[f64], #[data] t: &[f64], #[data] y: &[f64]) -> f64 {
        let n = t.len() as f64;
        let r = residuals(p, t, y);
        let t_mean = t.iter().sum::<f64>() / n;
        let spread: f64 = t.iter().map(|t| (t - t_mean).powi(2)).sum();
        let y_max = y.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        r.iter().map(|r| r * r).sum::<f64>() / n + spread * p[1].powi(2) / y_max
    }
    pub fn at(x: &[f64]) -> f64 {
        let t = [0.0, 0.5, 1.0, 2.0];
        let y = [1.0, 1.4, 2.2, 2.9];
        loss(x, &t, &y)
    }
} }
check!(regression, at, [0.9, 1.1]);

both_with_data! { data_results {
    fn weight(#[data] t: f64, x: f64) -> f64 {
        if x > 1.0 { t } else { x }
    }
    fn pick(#[data] t: &[f64], x: f64) -> f64 {
        for &v in t {
            if x < v {
                return v;
            }
        }
        x * t[0]
    }
    fn last_time(#[data] t: &[f64]) -> f64 {
        let mut s = t[0];
        for &t in &t[1..] {
            s += t;
        }
        s
    }
    pub fn at(x: &[f64]) -> f64 {
        let t = [0.25, 0.5];
        weight(0.5, x[0]) + weight(0.5, x[1]) + pick(&t, x[1]) + x[0] * last_time(&t) + pick(&t, 0.3) * x[0]
    }
} }
check!(data_results, at, [1.5, 0.75]);

both_with_data! { derived_columns {
    struct Data {
        #[data]
        t: Vec<f64>,
        #[data]
        y: Vec<f64>,
        #[data]
        sigma: f64,
    }
    fn log_likelihood(p: &[f64], #[data] d: &Data) -> f64 {
        let weights: Vec<f64> = d.t.iter().map(|t| 1.0 / (1.0 + t)).collect();
        let total: f64 = weights.iter().sum();
        let scale = 1.0 / (2.0 * d.sigma * d.sigma);
        let mut sum = 0.0;
        for ((t, y), w) in d.t.iter().zip(&d.y).zip(&weights) {
            let model = p[0] * (-p[1] * t).exp();
            sum -= w / total * scale * (y - model).powi(2);
        }
        sum - (d.sigma * (2.0 * std::f64::consts::PI).sqrt()).ln()
    }
    pub fn at(x: &[f64]) -> f64 {
        let d = Data { t: vec![0.0, 1.0, 2.0], y: vec![2.0, 1.1, 0.7], sigma: 0.3 };
        log_likelihood(x, &d)
    }
} }
check!(derived_columns, at, [1.9, 0.6]);

both_with_data! { table_lookup {
    const TEMPERATURES: [f64; 5] = [250.0, 300.0, 350.0, 400.0, 450.0];
    static HEAT: [f64; 5] = [20.1, 20.9, 21.5, 22.3, 23.4];
    fn lookup(#[data] xs: &[f64], #[data] ys: &[f64], x: f64) -> f64 {
        if x <= xs[0] {
            return ys[0];
        }
        if x >= xs[xs.len() - 1] {
            return *ys.last().unwrap();
        }
        let i = xs.partition_point(|v| *v < x) - 1;
        let f = (x - xs[i]) / (xs[i + 1] - xs[i]);
        ys[i] * (1.0 - f) + ys[i + 1] * f
    }
    fn uniform(#[data] table: &[f64], #[data] step: f64, x: f64) -> f64 {
        let i = ((x / step).floor() as usize).min(table.len() - 2);
        let f = x / step - i as f64;
        table[i] + f * (table[i + 1] - table[i])
    }
    pub fn at(x: &[f64]) -> f64 {
        let h = lookup(&TEMPERATURES, &HEAT, x[0]);
        h * x[0] + uniform(&HEAT, 0.5, x[1]) + lookup(&TEMPERATURES, &HEAT, 100.0)
    }
} }
check!(table_lookup, at, [330.0, 1.2]);

both_with_data! { both_sides {
    pub fn at(x: &[f64]) -> f64 {
        #[data]
        let rate: f64 = 0.05;
        #[data]
        let grid = vec![0.5, 1.0, 1.5];
        let a = rate * x[0] + x[0] * rate + rate / x[1] - x[1] / rate;
        let b = (1.0 - rate) * x[0] - (rate - x[1]) + -rate + (rate + 1.0).ln() * x[0];
        let c: f64 = grid.iter().map(|g| g * x[0] + x[1] / g - (g - x[0])).sum();
        let d = grid[0] * x[0] + grid[1].powi(2) * x[1] + grid[2].max(x[1]) + x[1].min(grid[0]);
        let e = if x[0] > rate { rate } else { 0.0 };
        let f = if rate < x[1] { grid[1] } else { x[1] };
        let mut acc = rate;
        acc += x[0];
        let cmp = grid.iter().filter(|g| **g < x[0]).count() as f64;
        a + b + c + d + e + f + acc + cmp
    }
} }
check!(both_sides, at, [0.8, 1.3]);

both_with_data! { logistic {
    struct Row {
        #[data]
        features: Vec<f64>,
        label: bool,
    }
    fn rows() -> Vec<Row> {
        vec![
            Row { features: vec![1.0, 0.5], label: true },
            Row { features: vec![-0.3, 2.0], label: false },
            Row { features: vec![0.2, -1.0], label: true },
        ]
    }
    fn sigmoid(z: f64) -> f64 {
        1.0 / (1.0 + (-z).exp())
    }
    pub fn at(x: &[f64]) -> f64 {
        let mut nll = 0.0;
        for row in &rows() {
            let z = x[0] + row.features.iter().zip(&x[1..]).map(|(f, w)| f * w).sum::<f64>();
            let p = sigmoid(z);
            nll -= if row.label { p.ln() } else { (1.0 - p).ln() };
        }
        nll + 0.01 * x[1..].iter().map(|w| w * w).sum::<f64>()
    }
} }
check!(logistic, at, [0.1, -0.4, 0.9]);

both_with_data! { polynomial_features {
    #[data]
    fn design(t: &[f64], degree: usize) -> Vec<Vec<f64>> {
        t.iter().map(|&t| (0..=degree).map(|k| t.powi(k as i32)).collect()).collect()
    }
    fn predict(#[data] t: f64, p: &[f64]) -> f64 {
        p.iter().rev().fold(0.0, |s, c| s * t + c)
    }
    pub fn at(x: &[f64]) -> f64 {
        let t = [0.1, 0.4, 0.9];
        let rows = design(&t, x.len() - 1);
        let by_rows: f64 = rows.iter().map(|r| r.iter().zip(x).map(|(a, b)| a * b).sum::<f64>().powi(2)).sum();
        let direct: f64 = t.iter().map(|&t| predict(t, x).powi(2)).sum();
        by_rows + 0.5 * direct
    }
} }
check!(polynomial_features, at, [0.5, -1.0, 2.0]);

both_with_data! { garch {
    fn log_likelihood(p: &[f64], #[data] returns: &[f64]) -> f64 {
        let (omega, alpha, beta) = (1e-4 * p[0], p[1], p[2]);
        let n = returns.len() as f64;
        let mean = returns.iter().sum::<f64>() / n;
        let mut sigma2 = returns.iter().map(|r| (r - mean) * (r - mean)).sum::<f64>() / n;
        let mut ll = 0.0;
        for (i, r) in returns.iter().enumerate() {
            if i > 0 {
                let prev = returns[i - 1] - mean;
                sigma2 = omega + alpha * prev.powi(2) + beta * sigma2;
            }
            ll -= 0.5 * (sigma2.ln() + (r - mean).powi(2) / sigma2);
        }
        ll
    }
    pub fn at(x: &[f64]) -> f64 {
        log_likelihood(x, &[0.01, -0.02, 0.015, 0.03, -0.025])
    }
} }
check!(garch, at, [1.5, 0.1, 0.8]);

both_with_data! { interpolated_forcing {
    #[data]
    struct Forcing {
        times: Vec<f64>,
        values: Vec<f64>,
    }
    impl Forcing {
        #[data]
        fn at(&self, t: f64) -> f64 {
            let i = self.times.iter().position(|x| *x > t).unwrap_or(self.times.len() - 1).max(1);
            let f = (t - self.times[i - 1]) / (self.times[i] - self.times[i - 1]);
            self.values[i - 1] * (1.0 - f) + self.values[i] * f
        }
    }
    pub fn at(x: &[f64]) -> f64 {
        #[data]
        let forcing = Forcing { times: vec![0.0, 0.5, 1.0], values: vec![1.0, 3.0, 2.0] };
        #[data]
        let dt: f64 = 0.1;
        let mut y = x[0];
        for step in 0..10 {
            let f = forcing.at(step as f64 * dt);
            y += dt * (f - x[1] * y);
        }
        y
    }
} }
check!(interpolated_forcing, at, [0.5, 0.7]);

both_with_data! { gaussian_process_mean {
    struct Kernel {
        variance: f64,
        length: f64,
    }
    impl Kernel {
        fn of(&self, #[data] a: f64, #[data] b: f64) -> f64 {
            let d = a - b;
            self.variance * (-d * d / (2.0 * self.length.powi(2))).exp()
        }
    }
    pub fn at(x: &[f64]) -> f64 {
        let k = Kernel { variance: x[0], length: x[1] };
        #[data]
        let points = [0.0, 0.4, 1.1];
        let values = [0.2, 0.5, -0.1];
        let mut sum = 0.0;
        for (i, a) in points.iter().enumerate() {
            for (j, b) in points.iter().enumerate() {
                sum += values[i] * values[j] * k.of(*a, *b);
            }
        }
        sum
    }
} }
check!(gaussian_process_mean, at, [1.2, 0.8]);

both_with_data! { parsed {
    #[data]
    fn parse(text: &str) -> Option<f64> {
        let parts: Vec<&str> = text.split('=').collect();
        parts.get(1)?.trim().parse::<f64>().ok()
    }
    pub fn at(x: &[f64]) -> f64 {
        let k: f64 = "2.5".parse::<f64>().unwrap();
        let from_file = parse("k = 1.5").unwrap_or(1.0);
        k * x[0] + from_file * x[0].sin()
    }
} }
check!(parsed, at, [0.6]);

both_with_data! { matched_data {
    fn tax(#[data] bracket: f64, income: f64) -> f64 {
        match bracket {
            0.0 => 0.0,
            0.1..=0.3 => bracket * income,
            _ => income * 0.5,
        }
    }
    fn level(#[data] t: &[f64]) -> f64 {
        match t {
            [] => 0.0,
            [only] => *only,
            [first, .., last] => first + last,
        }
    }
    pub fn at(x: &[f64]) -> f64 {
        tax(0.0, x[0]) + tax(0.25, x[0]) + tax(0.9, x[0]) + level(&[1.0, 2.0, 3.0]) * x[0] + level(&[])
    }
} }
check!(matched_data, at, [3.0]);

both_with_data! { ranked {
    fn rank(#[data] t: &[f64], x: f64) -> f64 {
        let mut sorted = t.to_vec();
        sorted.sort_by(|a, b| a.total_cmp(b));
        let mid = sorted[sorted.len() / 2];
        let above = sorted.iter().filter(|v| **v > 1.0).count();
        let worst = t.iter().max_by(|a, b| a.total_cmp(b)).unwrap();
        let bits = t[0].to_bits() % 2;
        x * mid + above as f64 * x.sqrt() + worst * x + bits as f64
    }
    pub fn at(x: &[f64]) -> f64 {
        rank(&[0.5, 3.0, 1.5], x[0])
    }
} }
check!(ranked, at, [2.0]);

both_with_data! { columns {
    #[data]
    fn normalised(rows: &[[f64; 2]]) -> Vec<f64> {
        let mean = rows.iter().map(|r| r[0]).sum::<f64>() / rows.len() as f64;
        rows.iter().map(|r| (r[0] - mean) * r[1]).collect()
    }
    fn cost(p: &[f64], #[data] rows: &[[f64; 2]], #[data] cap: Option<f64>) -> f64 {
        let mut total = 0.0;
        for [a, b] in rows {
            total += (a * p[0] - b).powi(2);
        }
        for row in rows.iter() {
            let [a, b] = *row;
            total += a * b * p[1];
        }
        if let Some(cap) = cap {
            if total > cap {
                total = cap;
            }
        }
        let n = normalised(rows);
        total + n.iter().zip(p).map(|(n, p)| n * p).sum::<f64>()
    }
    pub fn at(x: &[f64]) -> f64 {
        let rows = [[1.0, 0.5], [2.0, 1.5]];
        cost(x, &rows, None) + cost(x, &rows, Some(1e6)) + cost(x, &rows, Some(1e-3))
    }
} }
check!(columns, at, [0.7, 0.2]);

both_with_data! { steps_of_data {
    fn midpoint(x: &[f64], steps: usize) -> f64 {
        let ahead = |y: f64, k: f64, #[data] h: f64| -> f64 { y + k * h };
        #[data]
        let h = 2.0 / steps as f64;
        let mut y = x[0];
        for _ in 0..steps {
            let k = x[1] * ahead(y, x[1] * y, h / 2.0);
            y = ahead(y, k, h);
        }
        y
    }
    pub fn at(x: &[f64]) -> f64 {
        midpoint(x, 5)
    }
} }
check!(steps_of_data, at, [0.7, 1.2]);

both_with_data! { functions_of_both {
    fn mean(x: &[f64]) -> f64 {
        x.iter().sum::<f64>() / x.len() as f64
    }
    fn quantile(x: &[f64], q: f64) -> f64 {
        let mut v = x.to_vec();
        v.sort_by(|a, b| a.partial_cmp(b).unwrap());
        let at = q * (v.len() - 1) as f64;
        let i = (at as usize).min(v.len() - 2);
        v[i] + (at - i as f64) * (v[i + 1] - v[i])
    }
    fn score(p: &[f64], #[data] y: &[f64]) -> f64 {
        let centre = mean(y);
        let spread = quantile(y, 0.75) - quantile(y, 0.25);
        let mut s = mean(y);
        s += p[0];
        let scaled: Vec<f64> = y.iter().map(|y| (y - centre) / spread).collect();
        s * mean(p) + quantile(p, 0.4) * scaled[0] + mean(&scaled) + p[1] * spread
    }
    pub fn at(x: &[f64]) -> f64 {
        score(x, &[1.0, 4.0, 2.5, 3.0])
    }
} }
check!(functions_of_both, at, [0.7, 1.2, 0.1]);

both_with_data! { copies_of_data {
    fn weights(#[data] t: &[f64]) -> Vec<f64> {
        t.iter().map(|t| 1.0 / (1.0 + t)).collect()
    }
    fn evolve(p: &[f64], #[data] start: &[Vec<f64>]) -> f64 {
        let mut state: Vec<Vec<f64>> = start.iter().map(|row| row.iter().map(|s| *s as f64).collect()).collect();
        for (i, row) in state.iter_mut().enumerate() {
            for v in row.iter_mut() {
                *v = *v * p[i] + 0.5;
            }
        }
        state[0][1] += p[0];
        state.iter().flatten().zip(weights(&start[0])).map(|(s, w)| s * w).sum()
    }
    pub fn at(x: &[f64]) -> f64 {
        #[data]
        let start = vec![vec![1.0, 0.5], vec![2.0, -1.0]];
        evolve(x, &start) + weights(&[0.5, 1.5]).iter().map(|w| w * x[0]).sum::<f64>()
    }
} }
check!(copies_of_data, at, [0.7, 1.2]);
