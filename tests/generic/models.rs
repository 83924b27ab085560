//! Models of science and engineering in plain code.

both! { lotka_volterra {
    struct Params {
        alpha: f64,
        beta: f64,
        gamma: f64,
        delta: f64,
    }
    fn rhs(p: &Params, s: [f64; 2]) -> [f64; 2] {
        let [prey, pred] = s;
        [p.alpha * prey - p.beta * prey * pred, p.delta * prey * pred - p.gamma * pred]
    }
    fn rk4(p: &Params, s: [f64; 2], h: f64) -> [f64; 2] {
        let add = |a: [f64; 2], k: [f64; 2], f: f64| [a[0] + f * k[0], a[1] + f * k[1]];
        let k1 = rhs(p, s);
        let k2 = rhs(p, add(s, k1, h / 2.0));
        let k3 = rhs(p, add(s, k2, h / 2.0));
        let k4 = rhs(p, add(s, k3, h));
        let mut out = s;
        for i in 0..2 {
            out[i] += h / 6.0 * (k1[i] + 2.0 * k2[i] + 2.0 * k3[i] + k4[i]);
        }
        out
    }
    pub fn at(x: &[f64]) -> f64 {
        let p = Params { alpha: x[0], beta: 0.4, gamma: x[1], delta: 0.1 };
        let steps = 20;
        let h = 2.0 / steps as f64;
        let mut s = [10.0, 5.0];
        for _ in 0..steps {
            s = rk4(&p, s, h);
        }
        s[0] + s[1]
    }
} }
check!(lotka_volterra, at, [1.1, 0.4]);

both! { black_scholes {
    use std::f64::consts::{FRAC_1_SQRT_2, PI};
    /// Abramowitz and Stegun 7.1.26.
    fn erf(x: f64) -> f64 {
        let t = 1.0 / (1.0 + 0.3275911 * x.abs());
        let poly = t * (0.254829592 + t * (-0.284496736 + t * (1.421413741 + t * (-1.453152027 + t * 1.061405429))));
        let y = 1.0 - poly * (-x * x).exp();
        if x < 0.0 { -y } else { y }
    }
    fn cdf(x: f64) -> f64 {
        0.5 * (1.0 + erf(x * FRAC_1_SQRT_2))
    }
    fn pdf(x: f64) -> f64 {
        (-0.5 * x.powi(2)).exp() / (2.0 * PI).sqrt()
    }
    pub fn at(x: &[f64]) -> f64 {
        let (s, k, sigma) = (x[0], 100.0, x[1]);
        let (r, t) = (0.03, 0.5);
        let d1 = ((s / k).ln() + (r + sigma * sigma / 2.0) * t) / (sigma * f64::sqrt(t));
        let d2 = d1 - sigma * t.sqrt();
        s * cdf(d1) - k * (-r * t).exp() * cdf(d2) + 0.0 * pdf(d1)
    }
} }
check!(black_scholes, at, [105.0, 0.25]);

both! { perceptron {
    struct Layer {
        weights: Vec<Vec<f64>>,
        bias: Vec<f64>,
    }
    impl Layer {
        fn new(p: &[f64], inputs: usize, outputs: usize) -> Self {
            let weights = (0..outputs).map(|o| p[o * inputs..(o + 1) * inputs].to_vec()).collect();
            let bias = p[inputs * outputs..].to_vec();
            Layer { weights, bias }
        }
        fn forward(&self, x: &[f64]) -> Vec<f64> {
            self.weights
                .iter()
                .zip(&self.bias)
                .map(|(w, b)| w.iter().zip(x).map(|(w, x)| w * x).sum::<f64>() + b)
                .map(f64::tanh)
                .collect()
        }
    }
    pub fn at(x: &[f64]) -> f64 {
        let layer = Layer::new(x, 2, 2);
        let data = [([0.0, 1.0], 1.0), ([1.0, 0.5], -1.0)];
        let mut loss = 0.0;
        for (input, target) in data.iter() {
            let out = layer.forward(input);
            loss += (out[0] * out[1] - target).powi(2);
        }
        loss / data.len() as f64
    }
} }
check!(perceptron, at, [0.3, -0.2, 0.8, 0.5, 0.1, -0.4]);

both! { pendulum {
    const G: f64 = 9.81;
    #[derive(Debug, Clone, Copy)]
    struct State {
        theta: f64,
        omega: f64,
    }
    struct Pendulum {
        length: f64,
        damping: f64,
    }
    impl Pendulum {
        fn acceleration(&self, s: &State) -> f64 {
            -G / self.length * s.theta.sin() - self.damping * s.omega
        }
        fn step(&self, s: &mut State, dt: f64) {
            s.omega += self.acceleration(s) * dt;
            s.theta += s.omega * dt;
        }
        fn energy(&self, s: State) -> f64 {
            let State { theta, omega } = s;
            0.5 * (self.length * omega).powi(2) + G * self.length * (1.0 - theta.cos())
        }
    }
    pub fn at(x: &[f64]) -> f64 {
        let p = Pendulum { length: x[0], damping: 0.1 };
        let mut s = State { theta: x[1], omega: 0.0 };
        for _ in 0..25 {
            p.step(&mut s, 0.02);
        }
        p.energy(s)
    }
} }
check!(pendulum, at, [1.5, 0.4]);

both! { heat_equation {
    pub fn at(x: &[f64]) -> f64 {
        const N: usize = 8;
        let alpha = x[0];
        let dx = 1.0 / (N - 1) as f64;
        let dt = 0.2 * dx * dx;
        let mut u = [0.0; N];
        u[N / 2] = x[1];
        for _ in 0..10 {
            let old = u;
            for i in 1..N - 1 {
                u[i] = old[i] + alpha * dt / dx.powi(2) * (old[i + 1] - 2.0 * old[i] + old[i - 1]);
            }
            u[0] = u[1];
            u[N - 1] = 0.0;
        }
        u.iter().enumerate().map(|(i, v)| i as f64 * dx * v).sum()
    }
} }
check!(heat_equation, at, [0.9, 2.0]);

both! { van_der_waals {
    const R: f64 = 8.314462618;
    struct Gas {
        a: f64,
        b: f64,
    }
    impl Gas {
        const CO2: Gas = Gas { a: 0.3658, b: 4.286e-5 };
        fn pressure(&self, t: f64, v: f64) -> f64 {
            R * t / (v - self.b) - self.a / v.powi(2)
        }
    }
    const METHANE: Gas = Gas { a: 0.2303, b: 4.306e-5 };
    pub fn at(x: &[f64]) -> f64 {
        let [t, v] = [x[0], 1e-3 * x[1]];
        let ideal = R * t / v;
        Gas::CO2.pressure(t, v) / ideal + METHANE.a * t - METHANE.pressure(t, v) * 1e-7
    }
} }
check!(van_der_waals, at, [300.0, 1.2]);

both! { kalman {
    #[derive(Clone)]
    struct Filter {
        x: f64,
        p: f64,
        q: f64,
        r: f64,
    }
    impl Filter {
        fn update(&mut self, z: f64) -> f64 {
            self.p += self.q;
            let s = self.p + self.r;
            let k = self.p / s;
            let y = z - self.x;
            self.x += k * y;
            self.p *= 1.0 - k;
            0.5 * (y * y / s + s.ln() + (2.0 * std::f64::consts::PI).ln())
        }
    }
    pub fn at(x: &[f64]) -> f64 {
        let mut f = Filter { x: 0.0, p: 1.0, q: x[0], r: x[1] };
        let z = [0.39, 0.5, 0.48, 0.29, 0.25, 0.32, 0.34];
        z.iter().map(|&z| f.update(z)).sum()
    }
} }
check!(kalman, at, [0.01, 0.1]);

both! { spline {
    struct Spline {
        x: Vec<f64>,
        y: Vec<f64>,
        m: Vec<f64>,
    }
    impl Spline {
        fn new(x: Vec<f64>, y: Vec<f64>) -> Spline {
            let n = x.len();
            let mut m = vec![0.0; n];
            for i in 1..n - 1 {
                m[i] = (y[i + 1] - y[i - 1]) / (x[i + 1] - x[i - 1]);
            }
            Spline { x, y, m }
        }
        fn eval(&self, t: f64) -> f64 {
            let i = match self.x.iter().position(|&x| x > t) {
                Some(0) | None => return f64::NAN,
                Some(i) => i - 1,
            };
            let h = self.x[i + 1] - self.x[i];
            let s = (t - self.x[i]) / h;
            let (h00, h10) = ((1.0 + 2.0 * s) * (1.0 - s).powi(2), s * (1.0 - s).powi(2));
            let (h01, h11) = (s * s * (3.0 - 2.0 * s), s * s * (s - 1.0));
            h00 * self.y[i] + h10 * h * self.m[i] + h01 * self.y[i + 1] + h11 * h * self.m[i + 1]
        }
    }
    pub fn at(x: &[f64]) -> f64 {
        let s = Spline::new(vec![0.0, 1.0, 2.0, 3.0], vec![0.0, x[1], 0.5, x[2]]);
        s.eval(x[0]) + s.eval(2.5)
    }
} }
check!(spline, at, [1.3, 0.7, -0.4]);

both! { lennard_jones {
    #[derive(Clone, Copy, Debug, PartialEq)]
    struct Vec3 {
        x: f64,
        y: f64,
        z: f64,
    }
    impl std::ops::Sub for Vec3 {
        type Output = Vec3;
        fn sub(self, o: Vec3) -> Vec3 {
            Vec3 { x: self.x - o.x, y: self.y - o.y, z: self.z - o.z }
        }
    }
    impl Vec3 {
        fn dot(self, o: Self) -> f64 {
            self.x * o.x + self.y * o.y + self.z * o.z
        }
        fn norm(self) -> f64 {
            self.dot(self).sqrt()
        }
    }
    fn energy(atoms: &[Vec3], epsilon: f64, sigma: f64) -> f64 {
        let mut e = 0.0;
        for i in 0..atoms.len() {
            for j in i + 1..atoms.len() {
                let r = (atoms[i] - atoms[j]).norm();
                let s6 = (sigma / r).powi(6);
                e += 4.0 * epsilon * (s6 * s6 - s6);
            }
        }
        e
    }
    pub fn at(x: &[f64]) -> f64 {
        let atoms: Vec<Vec3> = x.chunks(3).map(|c| Vec3 { x: c[0], y: c[1], z: c[2] }).collect();
        energy(&atoms, 0.8, 1.1)
    }
} }
check!(lennard_jones, at, [0.0, 0.1, 0.2, 1.3, 0.0, -0.1, 0.4, 1.5, 0.3]);

both! { arrhenius {
    struct Reaction {
        a: f64,
        ea: f64,
        order: i32,
    }
    fn rate(r: &Reaction, t: f64, c: f64) -> f64 {
        const R: f64 = 8.314;
        r.a * (-r.ea / (R * t)).exp() * c.powi(r.order)
    }
    pub fn at(x: &[f64]) -> f64 {
        let reactions = [Reaction { a: 1e3, ea: x[1], order: 1 }, Reaction { a: 50.0, ea: 1.5e4, order: 2 }];
        let mut c = 1.0;
        let dt = 0.01;
        for step in 0..15 {
            let t = x[0] + 2.0 * step as f64;
            let total: f64 = reactions.iter().map(|r| rate(r, t, c)).sum();
            c = (c - dt * total).max(0.0);
        }
        c
    }
} }
check!(arrhenius, at, [320.0, 2.0e4]);

both! { annuity {
    fn payment(principal: f64, rate: f64, years: u32) -> f64 {
        let n = years * 12;
        let r = rate / 12.0;
        principal * r / (1.0 - (1.0 + r).powi(-(n as i32)))
    }
    fn npv(rate: f64, flows: &[f64]) -> f64 {
        flows.iter().enumerate().map(|(t, c)| c / (1.0 + rate).powf(t as f64)).sum()
    }
    fn irr(flows: &[f64]) -> f64 {
        let (mut lo, mut hi) = (-0.9, 1.0);
        for _ in 0..3 {
            let mid = (lo + hi) / 2.0;
            if npv(mid, flows) > 0.0 {
                lo = mid;
            } else {
                hi = mid;
            }
        }
        (lo + hi) / 2.0
    }
    pub fn at(x: &[f64]) -> f64 {
        payment(1000.0 * x[0], x[1], 10) + npv(x[1], &[-100.0, 30.0, 40.0, x[0]]) + irr(&[-10.0, x[0], 9.0])
    }
} }
check!(annuity, at, [5.0, 0.04]);

both! { traits {
    trait Potential {
        fn value(&self, r: f64) -> f64;
        fn force(&self, r: f64) -> f64 {
            let h = 1e-3;
            -(self.value(r + h) - self.value(r - h)) / (2.0 * h)
        }
    }
    struct Harmonic {
        k: f64,
    }
    struct Morse {
        d: f64,
        a: f64,
        re: f64,
    }
    impl Potential for Harmonic {
        fn value(&self, r: f64) -> f64 {
            0.5 * self.k * r * r
        }
        fn force(&self, r: f64) -> f64 {
            -self.k * r
        }
    }
    impl Potential for Morse {
        fn value(&self, r: f64) -> f64 {
            let e = 1.0 - (-self.a * (r - self.re)).exp();
            self.d * e.powi(2)
        }
    }
    fn total(all: &[Box<dyn Potential>], r: f64) -> f64 {
        all.iter().map(|p| p.value(r) - 0.1 * p.force(r)).sum()
    }
    pub fn at(x: &[f64]) -> f64 {
        let all: Vec<Box<dyn Potential>> =
            vec![Box::new(Harmonic { k: x[0] }), Box::new(Morse { d: 4.5, a: x[1], re: 0.74 })];
        total(&all, 1.1)
    }
} }
check!(traits, at, [2.0, 1.9]);

both! { queue {
    fn erlang_c(servers: usize, load: f64) -> f64 {
        let mut inv_b = 1.0;
        for k in 1..=servers {
            inv_b = 1.0 + inv_b * k as f64 / load;
        }
        let b = 1.0 / inv_b;
        let rho = load / servers as f64;
        b / (1.0 - rho * (1.0 - b))
    }
    pub fn at(x: &[f64]) -> f64 {
        let waits: Vec<f64> = (3..6).map(|c| erlang_c(c, x[0]) / (c as f64 * x[1] - x[0])).collect();
        waits.iter().cloned().fold(0.0, f64::max) + waits[2]
    }
} }
check!(queue, at, [2.2, 1.3]);

both! { fourier {
    use std::f64::consts::TAU;
    pub fn at(x: &[f64]) -> f64 {
        let n = x.len();
        let mut power = Vec::with_capacity(n);
        for k in 0..n {
            let (mut re, mut im) = (0.0, 0.0);
            for (t, v) in x.iter().enumerate() {
                let angle = -TAU * (k * t) as f64 / n as f64;
                re += v * angle.cos();
                im += v * angle.sin();
            }
            power.push(re * re + im * im);
        }
        power.iter().skip(1).map(|p| (p + 1e-9).ln()).sum()
    }
} }
check!(fourier, at, [0.3, 1.2, -0.7, 0.9]);

both! { quaternion {
    #[derive(Clone, Copy)]
    struct Quat(f64, f64, f64, f64);
    impl Quat {
        const IDENTITY: Quat = Quat(1.0, 0.0, 0.0, 0.0);
        fn from_axis(axis: [f64; 3], angle: f64) -> Self {
            let n = axis.iter().map(|v| v * v).sum::<f64>().sqrt();
            let (s, c) = (angle / 2.0).sin_cos();
            Quat(c, s * axis[0] / n, s * axis[1] / n, s * axis[2] / n)
        }
    }
    impl std::ops::Mul for Quat {
        type Output = Self;
        fn mul(self, q: Self) -> Self {
            let Quat(a, b, c, d) = self;
            Quat(
                a * q.0 - b * q.1 - c * q.2 - d * q.3,
                a * q.1 + b * q.0 + c * q.3 - d * q.2,
                a * q.2 - b * q.3 + c * q.0 + d * q.1,
                a * q.3 + b * q.2 - c * q.1 + d * q.0,
            )
        }
    }
    pub fn at(x: &[f64]) -> f64 {
        let mut q = Quat::from_axis([x[0], 1.0, 0.0], x[1]);
        for _ in 0..3 {
            q = q * Quat::from_axis([0.0, x[0], 2.0], 0.3);
        }
        let Quat(w, x, y, z) = q;
        w * x + y - z * 2.0
    }
} }
check!(quaternion, at, [0.6, 1.1]);
