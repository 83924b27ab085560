//! Programs in plain `f64`, each compiled twice from the same text: as it is, and under the attribute.
both! { planets {
    use std::ops::{Add, AddAssign, Mul, Sub};

    #[derive(Clone, Copy, Debug, PartialEq)]
    pub struct Vec3 {
        pub x: f64,
        pub y: f64,
        pub z: f64,
    }
    impl Vec3 {
        pub const ZERO: f64 = 0.0;
        pub fn new(x: f64, y: f64, z: f64) -> Self {
            Vec3 { x, y, z }
        }
        pub fn dot(self, o: Vec3) -> f64 {
            self.x * o.x + self.y * o.y + self.z * o.z
        }
    }
    impl Add for Vec3 {
        type Output = Vec3;
        fn add(self, o: Vec3) -> Vec3 {
            Vec3::new(self.x + o.x, self.y + o.y, self.z + o.z)
        }
    }
    impl Sub for Vec3 {
        type Output = Vec3;
        fn sub(self, o: Vec3) -> Vec3 {
            Vec3::new(self.x - o.x, self.y - o.y, self.z - o.z)
        }
    }
    impl Mul<f64> for Vec3 {
        type Output = Vec3;
        fn mul(self, k: f64) -> Vec3 {
            Vec3 { x: self.x * k, y: self.y * k, z: self.z * k }
        }
    }
    impl AddAssign for Vec3 {
        fn add_assign(&mut self, o: Vec3) {
            *self = *self + o;
        }
    }

    #[derive(Clone, Debug)]
    pub struct Body {
        pub mass: f64,
        pub position: Vec3,
        pub velocity: Vec3,
    }

    const G: f64 = 6.674e-2;
    const SOFTENING: f64 = 1e-3;

    fn accelerations(bodies: &[Body]) -> Vec<Vec3> {
        let zero = Vec3::new(0.0, Vec3::ZERO, 0.0);
        let mut a = vec![zero; bodies.len()];
        for (i, b) in bodies.iter().enumerate() {
            for (j, c) in bodies.iter().enumerate() {
                if i != j {
                    let d = c.position - b.position;
                    let r2 = d.dot(d) + SOFTENING * SOFTENING;
                    a[i] += d * (G * c.mass / (r2 * r2.sqrt()));
                }
            }
        }
        a
    }

    /// A step of velocity Verlet.
    pub fn step(bodies: &mut [Body], h: f64) {
        let before = accelerations(bodies);
        for (b, a) in bodies.iter_mut().zip(&before) {
            b.position += b.velocity * h + *a * (0.5 * h * h);
        }
        let after = accelerations(bodies);
        for (b, (a, c)) in bodies.iter_mut().zip(before.iter().zip(&after)) {
            b.velocity += (*a + *c) * 0.5 * h;
        }
    }

    pub fn energy(bodies: &[Body]) -> f64 {
        let kinetic: f64 = bodies.iter().map(|b| 0.5 * b.mass * b.velocity.dot(b.velocity)).sum();
        let mut potential = 0.0;
        for (i, b) in bodies.iter().enumerate() {
            for c in &bodies[..i] {
                let d = b.position - c.position;
                potential -= G * b.mass * c.mass / d.dot(d).sqrt();
            }
        }
        kinetic + potential
    }

    pub fn after(x: &[f64]) -> f64 {
        let body = |i: usize| Body {
            mass: 1.0 + i as f64,
            position: Vec3::new(x[6 * i], x[6 * i + 1], x[6 * i + 2]),
            velocity: Vec3::new(x[6 * i + 3], x[6 * i + 4], x[6 * i + 5]),
        };
        let mut bodies: Vec<Body> = (0..2).map(body).collect();
        for _ in 0..10 {
            step(&mut bodies, 0.05);
        }
        energy(&bodies) + bodies[0].position.x
    }
} }
check!(planets, after, [1.0, 0.0, 0.2, 0.0, 0.5, 0.1, -1.0, 0.3, 0.0, 0.1, -0.4, 0.0]);

both! { options {
    use std::f64::consts::SQRT_2;

    fn cdf(x: f64) -> f64 {
        // Abramowitz and Stegun 7.1.26
        let (a, p) = ([0.254829592, -0.284496736, 1.421413741, -1.453152027, 1.061405429], 0.3275911);
        let z = x.abs() / SQRT_2;
        let t = 1.0 / (1.0 + p * z);
        let poly = a.iter().rev().fold(0.0, |s, c| (s + c) * t);
        let erf = 1.0 - poly * f64::exp(-z * z);
        if x < 0.0 { 0.5 * (1.0 - erf) } else { 0.5 * (1.0 + erf) }
    }

    /// Spot, strike, rate, volatility, years.
    pub fn price(x: &[f64]) -> f64 {
        let [s, k, r, v, t] = *x else { panic!("five numbers") };
        let d1 = ((s / k).ln() + (r + 0.5 * v * v) * t) / (v * t.sqrt());
        let d2 = d1 - v * t.sqrt();
        s * cdf(d1) - k * (-r * t).exp() * cdf(d2)
    }
} }
check!(options, price, [100.0, 95.0, 0.03, 0.2, 0.75]);

both! { orbit {
    /// Runge's and Kutta's method.
    fn rk4(f: impl Fn(f64, &[f64]) -> Vec<f64>, mut t: f64, y: &[f64], h: f64, steps: usize) -> Vec<f64> {
        let mut y = y.to_vec();
        let along = |y: &[f64], k: &[f64], h: f64| -> Vec<f64> { y.iter().zip(k).map(|(y, k)| y + h * k).collect() };
        for _ in 0..steps {
            let k1 = f(t, &y);
            let k2 = f(t + h / 2.0, &along(&y, &k1, h / 2.0));
            let k3 = f(t + h / 2.0, &along(&y, &k2, 0.5 * h));
            let k4 = f(t + h, &along(&y, &k3, h));
            for i in 0..y.len() {
                y[i] += h / 6.0 * (k1[i] + 2.0 * k2[i] + 2.0 * k3[i] + k4[i]);
            }
            t += h;
        }
        y
    }

    pub fn predator(p: &[f64]) -> f64 {
        let (a, b) = (p[0], p[1]);
        let field = |t: f64, y: &[f64]| {
            let season = 1.0 + 0.1 * (2.0 * std::f64::consts::PI * t).sin();
            vec![a * season * y[0] - b * y[0] * y[1], p[2] * y[0] * y[1] - p[3] * y[1]]
        };
        let end = rk4(field, 0.0, &[1.0, 0.5], 0.01, 200);
        end.iter().map(|y| y.powi(2)).sum::<f64>().sqrt()
    }
} }
check!(orbit, predator, [1.1, 0.4, 0.1, 0.4]);

both! { network {
    const HIDDEN: usize = 3;

    pub struct Layer {
        weights: Vec<Vec<f64>>,
        bias: Vec<f64>,
    }

    impl Layer {
        fn read(p: &[f64], inputs: usize, outputs: usize) -> (Layer, &[f64]) {
            let mut weights = Vec::with_capacity(outputs);
            for i in 0..outputs {
                weights.push(p[i * inputs..(i + 1) * inputs].to_vec());
            }
            let bias = p[inputs * outputs..inputs * outputs + outputs].to_vec();
            (Layer { weights, bias }, &p[inputs * outputs + outputs..])
        }
        fn apply(&self, x: &[f64], activation: fn(f64) -> f64) -> Vec<f64> {
            let mut out = vec![0.0; self.bias.len()];
            for (o, (row, b)) in out.iter_mut().zip(self.weights.iter().zip(&self.bias)) {
                *o = *b;
                for (w, x) in row.iter().zip(x) {
                    *o += w * x;
                }
                *o = activation(*o);
            }
            out
        }
    }

    fn sigmoid(x: f64) -> f64 {
        1.0 / (1.0 + (-x).exp())
    }

    pub fn loss(p: &[f64]) -> f64 {
        let samples = [([0.0, 0.0], 0.0), ([0.0, 1.0], 1.0), ([1.0, 0.0], 1.0), ([1.0, 1.0], 0.0)];
        let (first, rest) = Layer::read(p, 2, HIDDEN);
        let (second, rest) = Layer::read(rest, HIDDEN, 1);
        assert!(rest.is_empty(), "{} numbers too many", rest.len());
        let mut total = 0.0;
        for (x, y) in &samples {
            let hidden = first.apply(x, |x| x.tanh());
            let out = second.apply(&hidden, sigmoid)[0];
            total -= y * out.max(1e-12).ln() + (1.0 - y) * (1.0 - out).max(1e-12).ln();
        }
        total / samples.len() as f64
    }
} }
check!(network, loss, [0.3, -0.2, 0.5, 0.7, -0.6, 0.1, 0.2, -0.1, 0.05, 1.1, -0.9, 0.4, 0.3]);

both! { filter {
    use nalgebra::{Matrix2, Vector2, Vector1, Matrix1, RowVector2};

    /// A Kalman filter of position and velocity.
    pub struct Filter {
        state: Vector2<f64>,
        covariance: Matrix2<f64>,
        noise: f64,
    }

    impl Filter {
        pub fn predict(&mut self, dt: f64, q: f64) {
            let f = Matrix2::new(1.0, dt, 0.0, 1.0);
            let g = Vector2::new(0.5 * dt * dt, dt);
            self.state = f * self.state;
            self.covariance = f * self.covariance * f.transpose() + q * g * g.transpose();
        }
        /// The negative logarithm of the likelihood.
        pub fn update(&mut self, z: f64) -> f64 {
            let h = RowVector2::new(1.0, 0.0);
            let residual = Vector1::new(z) - h * self.state;
            let s = h * self.covariance * h.transpose() + Matrix1::new(self.noise);
            let gain = self.covariance * h.transpose() * (1.0 / s[0]);
            self.state += gain * residual;
            self.covariance = (Matrix2::identity() - gain * h) * self.covariance;
            0.5 * (residual[0] * residual[0] / s[0] + s[0].ln())
        }
    }

    pub fn likelihood(p: &[f64]) -> f64 {
        let mut filter = Filter {
            state: Vector2::new(p[0], 0.0),
            covariance: 2.0 * Matrix2::identity(),
            noise: p[1],
        };
        let measured = [0.1, 0.35, 0.62, 0.81, 1.2, 1.36];
        let mut sum = 0.0;
        for z in measured {
            filter.predict(0.25, p[2]);
            sum += filter.update(z);
        }
        sum
    }
} }
check!(filter, likelihood, [0.05, 0.1, 0.3]);

both! { spline {
    /// A cubic spline through equidistant values, by natural conditions.
    pub struct Spline {
        start: f64,
        step: f64,
        values: Vec<f64>,
        second: Vec<f64>,
    }

    impl Spline {
        pub fn through(start: f64, step: f64, values: &[f64]) -> Self {
            let n = values.len();
            let (mut c, mut d) = (vec![0.0; n], vec![0.0; n]);
            for i in 1..n - 1 {
                let right = 6.0 * (values[i + 1] - 2.0 * values[i] + values[i - 1]) / (step * step);
                let m = 4.0 - c[i - 1];
                c[i] = 1.0 / m;
                d[i] = (right - d[i - 1]) / m;
            }
            let mut second = vec![0.0; n];
            for i in (1..n - 1).rev() {
                second[i] = d[i] - c[i] * second[i + 1];
            }
            Spline { start, step, values: values.to_vec(), second }
        }
        pub fn at(&self, x: f64) -> f64 {
            let t = (x - self.start) / self.step;
            let i = (t as usize).min(self.values.len() - 2);
            let b = t - i as f64;
            let a = 1.0 - b;
            let h2 = self.step * self.step / 6.0;
            a * self.values[i]
                + b * self.values[i + 1]
                + ((a.powi(3) - a) * self.second[i] + (b.powi(3) - b) * self.second[i + 1]) * h2
        }
    }

    pub fn roughness(p: &[f64]) -> f64 {
        let s = Spline::through(0.0, 0.5, &p[1..]);
        let (mut sum, mut x) = (s.at(p[0]), 0.05);
        while x < 2.0 {
            sum += s.at(x).abs();
            x += 0.1;
        }
        sum
    }
} }
check!(spline, roughness, [0.8, 1.0, 2.0, 1.5, 0.4, 2.5]);

both! { fluid {
    /// Peng and Robinson's equation of state.
    pub struct Fluid {
        pub critical_temperature: f64,
        pub critical_pressure: f64,
        pub acentric: f64,
    }

    pub const R: f64 = 8.31446261815324;

    impl Fluid {
        pub fn carbon_dioxide() -> Fluid {
            Fluid { critical_temperature: 304.13, critical_pressure: 7.3773e6, acentric: 0.22394 }
        }
        fn alpha(&self, t: f64) -> f64 {
            let k = match self.acentric {
                w if w <= 0.491 => 0.37464 + w * (1.54226 - 0.26992 * w),
                w => 0.379642 + w * (1.48503 + w * (-0.164423 + 0.016666 * w)),
            };
            let root = 1.0 + k * (1.0 - (t / self.critical_temperature).sqrt());
            root * root
        }
        pub fn pressure(&self, t: f64, v: f64) -> f64 {
            let a = 0.45724 * R.powi(2) * self.critical_temperature.powi(2) / self.critical_pressure;
            let b = 0.07780 * R * self.critical_temperature / self.critical_pressure;
            R * t / (v - b) - a * self.alpha(t) / (v * v + 2.0 * b * v - b * b)
        }
        /// The volume at a pressure, by Newton's method.
        pub fn volume(&self, t: f64, p: f64) -> Option<f64> {
            let mut v = R * t / p;
            for _ in 0..60 {
                let h = 1e-6 * v;
                let slope = (self.pressure(t, v + h) - self.pressure(t, v - h)) / (2.0 * h);
                let step = (self.pressure(t, v) - p) / slope;
                v -= step;
            }
            if v.is_finite() && v > 0.0 { Some(v) } else { None }
        }
    }

    pub fn compressibility(x: &[f64]) -> f64 {
        let gas = Fluid { acentric: x[2], ..Fluid::carbon_dioxide() };
        let (t, p) = (350.0 * x[0], 5e6 * x[1]);
        let v = gas.volume(t, p).unwrap_or(f64::NAN);
        p * v / (R * t)
    }
} }
check!(fluid, compressibility, [1.02, 0.9, 0.22]);

both! { truss {
    pub trait Energy {
        fn energy(&self, stretch: f64) -> f64;
        fn twice(&self, stretch: f64) -> f64 {
            2.0 * self.energy(stretch)
        }
    }
    pub struct Linear {
        pub stiffness: f64,
    }
    pub struct Exponential(pub f64, pub f64);
    impl Energy for Linear {
        fn energy(&self, stretch: f64) -> f64 {
            0.5 * self.stiffness * stretch * stretch
        }
    }
    impl Energy for Exponential {
        fn energy(&self, stretch: f64) -> f64 {
            let Exponential(a, b) = *self;
            a * ((b * stretch).exp() - 1.0 - b * stretch)
        }
        fn twice(&self, stretch: f64) -> f64 {
            self.energy(stretch) + self.energy(stretch)
        }
    }
    pub enum Support {
        Fixed,
        Spring(f64),
        Both { first: f64, second: f64 },
    }
    impl Support {
        fn force(&self, at: f64) -> f64 {
            match self {
                Support::Fixed => 0.0,
                Support::Spring(k) => k * at,
                Support::Both { first, second } => (first + second) * at,
            }
        }
    }
    type State = [f64; 2];
    fn all(bars: &[Box<dyn Energy>], s: &State) -> f64 {
        bars.iter().zip(s).map(|(bar, &s)| bar.twice(s)).sum()
    }
    fn generic_over<E: Energy + ?Sized>(bar: &E, s: f64) -> f64 {
        bar.energy(s)
    }

    /// The Lagrangian of a structure: energy and constraints.
    pub fn lagrangian(z: &[f64]) -> f64 {
        let bars: Vec<Box<dyn Energy>> = vec![Box::new(Linear { stiffness: 3.0 }), Box::new(Exponential(0.5, 2.0))];
        let state: State = [z[0], z[1]];
        let supports = [Support::Fixed, Support::Spring(z[3]), Support::Both { first: 0.25, second: z[4] }];
        let forces: f64 = supports.iter().map(|s| s.force(z[0])).sum();
        let constraint = z[0] * z[0] + z[1] * z[1] - 1.0;
        all(&bars, &state) + generic_over(&Linear { stiffness: z[1] }, z[0]) + forces + z[2] * constraint
    }
} }
check!(truss, lagrangian, [0.6, 0.9, 0.7, 1.1, -0.4]);
