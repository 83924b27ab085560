//! The programs of `tests/generic/ported.rs` without the attribute: generic code over `T: Real<Base = f64>`, with `T` for
//! each `f64` of an argument or a field.

use std::ops::{Add, AddAssign, Mul, Sub};

use nalgebra::{Matrix2, RowVector2, Vector2};
use wengert::Real;

#[derive(Clone, Copy)]
struct Vec3<T> {
    x: T,
    y: T,
    z: T,
}
impl<T: Real> Vec3<T> {
    fn new(x: T, y: T, z: T) -> Self {
        Vec3 { x, y, z }
    }
    fn dot(self, o: Self) -> T {
        self.x * o.x + self.y * o.y + self.z * o.z
    }
}
impl<T: Real> Add for Vec3<T> {
    type Output = Self;
    fn add(self, o: Self) -> Self {
        Vec3::new(self.x + o.x, self.y + o.y, self.z + o.z)
    }
}
impl<T: Real> Sub for Vec3<T> {
    type Output = Self;
    fn sub(self, o: Self) -> Self {
        Vec3::new(self.x - o.x, self.y - o.y, self.z - o.z)
    }
}
impl<T: Real> Mul<T> for Vec3<T> {
    type Output = Self;
    fn mul(self, k: T) -> Self {
        Vec3::new(self.x * k, self.y * k, self.z * k)
    }
}
impl<T: Real> AddAssign for Vec3<T> {
    fn add_assign(&mut self, o: Self) {
        *self = *self + o;
    }
}

struct Body<T> {
    mass: T,
    position: Vec3<T>,
    velocity: Vec3<T>,
}

const G: f64 = 6.674e-2;
const SOFTENING: f64 = 1e-3;

fn accelerations<T: Real<Base = f64>>(bodies: &[Body<T>]) -> Vec<Vec3<T>> {
    let mut a = vec![Vec3::new(T::lit(0.0), T::lit(0.0), T::lit(0.0)); bodies.len()];
    for (i, b) in bodies.iter().enumerate() {
        for (j, c) in bodies.iter().enumerate() {
            if i != j {
                let d = c.position - b.position;
                let r2 = d.dot(d) + SOFTENING * SOFTENING;
                a[i] += d * (c.mass * G / (r2 * r2.sqrt()));
            }
        }
    }
    a
}

fn step<T: Real<Base = f64>>(bodies: &mut [Body<T>], h: T) {
    let before = accelerations(bodies);
    for (b, &a) in bodies.iter_mut().zip(&before) {
        b.position += b.velocity * h + a * (h * 0.5 * h);
    }
    let after = accelerations(bodies);
    for (b, (&a, &c)) in bodies.iter_mut().zip(before.iter().zip(&after)) {
        b.velocity += (a + c) * T::lit(0.5) * h;
    }
}

pub fn planets<T: Real<Base = f64>>(x: &[T]) -> T {
    let body = |i: usize| Body {
        mass: T::lit(1.0 + i as f64),
        position: Vec3::new(x[6 * i], x[6 * i + 1], x[6 * i + 2]),
        velocity: Vec3::new(x[6 * i + 3], x[6 * i + 4], x[6 * i + 5]),
    };
    let mut bodies: Vec<Body<T>> = (0..2).map(body).collect();
    for _ in 0..10 {
        step(&mut bodies, T::lit(0.05));
    }
    let kinetic: T = bodies.iter().map(|b| b.mass * 0.5 * b.velocity.dot(b.velocity)).sum();
    let mut potential = T::lit(0.0);
    for (i, b) in bodies.iter().enumerate() {
        for c in &bodies[..i] {
            let d = b.position - c.position;
            potential -= b.mass * G * c.mass / d.dot(d).sqrt();
        }
    }
    kinetic + potential + bodies[0].position.x
}

fn cdf<T: Real<Base = f64>>(x: T) -> T {
    let (a, p) =
        ([0.254829592, -0.284496736, 1.421413741, -1.453152027, 1.061405429].map(T::lit), T::lit(0.3275911));
    let z = x.abs() / std::f64::consts::SQRT_2;
    let t = T::lit(1.0) / (p * z + 1.0);
    let poly = a.iter().rev().fold(T::lit(0.0), |s, &c| (s + c) * t);
    let erf = -(poly * (-z * z).exp()) + 1.0;
    if x < 0.0 { (-erf + 1.0) * 0.5 } else { (erf + 1.0) * 0.5 }
}

pub fn options<T: Real<Base = f64>>(x: &[T]) -> T {
    let [s, k, r, v, t] = *x else { panic!("five numbers") };
    let d1 = ((s / k).ln() + (r + v * 0.5 * v) * t) / (v * t.sqrt());
    let d2 = d1 - v * t.sqrt();
    s * cdf(d1) - k * (-r * t).exp() * cdf(d2)
}

fn rk4<T: Real<Base = f64>>(f: impl Fn(T, &[T]) -> Vec<T>, mut t: T, y: &[T], h: T, steps: usize) -> Vec<T> {
    let mut y = y.to_vec();
    let along = |y: &[T], k: &[T], h: T| -> Vec<T> { y.iter().zip(k).map(|(&y, &k)| y + h * k).collect() };
    for _ in 0..steps {
        let k1 = f(t, &y);
        let k2 = f(t + h / 2.0, &along(&y, &k1, h / 2.0));
        let k3 = f(t + h / 2.0, &along(&y, &k2, h * 0.5));
        let k4 = f(t + h, &along(&y, &k3, h));
        for i in 0..y.len() {
            y[i] += h / 6.0 * (k1[i] + k2[i] * 2.0 + k3[i] * 2.0 + k4[i]);
        }
        t += h;
    }
    y
}

pub fn orbit<T: Real<Base = f64>>(p: &[T]) -> T {
    let field = |t: T, y: &[T]| {
        let season = (t * (2.0 * std::f64::consts::PI)).sin() * 0.1 + 1.0;
        vec![p[0] * season * y[0] - p[1] * y[0] * y[1], p[2] * y[0] * y[1] - p[3] * y[1]]
    };
    let end = rk4(field, T::lit(0.0), &[T::lit(1.0), T::lit(0.5)], T::lit(0.01), 200);
    end.iter().map(|y| y.powi(2)).sum::<T>().sqrt()
}

struct Layer<T> {
    weights: Vec<Vec<T>>,
    bias: Vec<T>,
}
impl<T: Real<Base = f64>> Layer<T> {
    fn read(p: &[T], inputs: usize, outputs: usize) -> (Self, &[T]) {
        let weights = (0..outputs).map(|i| p[i * inputs..(i + 1) * inputs].to_vec()).collect();
        let (bias, rest) = p[inputs * outputs..].split_at(outputs);
        (Layer { weights, bias: bias.to_vec() }, rest)
    }
    fn apply(&self, x: &[T], activation: fn(T) -> T) -> Vec<T> {
        let mut out = vec![T::lit(0.0); self.bias.len()];
        for (o, (row, &b)) in out.iter_mut().zip(self.weights.iter().zip(&self.bias)) {
            *o = b;
            for (&w, &x) in row.iter().zip(x) {
                *o += w * x;
            }
            *o = activation(*o);
        }
        out
    }
}

pub fn network<T: Real<Base = f64>>(p: &[T]) -> T {
    let samples = [([0.0, 0.0], 0.0), ([0.0, 1.0], 1.0), ([1.0, 0.0], 1.0), ([1.0, 1.0], 0.0)]
        .map(|(x, y)| (x.map(T::lit), T::lit(y)));
    let (first, rest) = Layer::read(p, 2, 3);
    let (second, rest) = Layer::read(rest, 3, 1);
    assert!(rest.is_empty(), "{} numbers too many", rest.len());
    let mut total = T::lit(0.0);
    for (x, y) in &samples {
        let hidden = first.apply(x, |x| x.tanh());
        let out = second.apply(&hidden, |x| T::lit(1.0) / ((-x).exp() + 1.0))[0];
        let below = -out + 1.0;
        total -= *y * out.max(T::lit(1e-12)).ln() + (-*y + 1.0) * below.max(T::lit(1e-12)).ln();
    }
    total / samples.len() as f64
}

pub fn filter<T: Real<Base = f64> + nalgebra::Scalar>(p: &[T]) -> T {
    let lit = T::lit;
    let (mut state, mut covariance) =
        (Vector2::new(p[0], lit(0.0)), Matrix2::new(lit(2.0), lit(0.0), lit(0.0), lit(2.0)));
    let dt = lit(0.25);
    let f = Matrix2::new(lit(1.0), dt, lit(0.0), lit(1.0));
    let g = Vector2::new(dt * 0.5 * dt, dt);
    let h = RowVector2::new(1.0, 0.0).map(lit);
    let identity = Matrix2::new(1.0, 0.0, 0.0, 1.0).map(lit);
    let mut sum = lit(0.0);
    for z in [0.1, 0.35, 0.62, 0.81, 1.2, 1.36] {
        state = f * state;
        covariance = f * covariance * f.transpose() + g * p[2] * g.transpose();
        let residual = -(h * state)[0] + z;
        let s = (h * covariance * h.transpose())[0] + p[1];
        let gain = covariance * h.transpose() * (lit(1.0) / s);
        state += gain * residual;
        covariance = (identity - gain * h) * covariance;
        sum += (residual * residual / s + s.ln()) * 0.5;
    }
    sum
}

struct Spline<T> {
    start: T,
    step: T,
    values: Vec<T>,
    second: Vec<T>,
}
impl<T: Real<Base = f64>> Spline<T> {
    fn through(start: T, step: T, values: &[T]) -> Self {
        let n = values.len();
        let (mut c, mut d) = (vec![T::lit(0.0); n], vec![T::lit(0.0); n]);
        for i in 1..n - 1 {
            let right = (values[i + 1] - values[i] * 2.0 + values[i - 1]) * 6.0 / (step * step);
            let m = -c[i - 1] + 4.0;
            c[i] = T::lit(1.0) / m;
            d[i] = (right - d[i - 1]) / m;
        }
        let mut second = vec![T::lit(0.0); n];
        for i in (1..n - 1).rev() {
            second[i] = d[i] - c[i] * second[i + 1];
        }
        Spline { start, step, values: values.to_vec(), second }
    }
    fn at(&self, x: T) -> T {
        let t = (x - self.start) / self.step;
        let i = (t.primal() as usize).min(self.values.len() - 2);
        let b = t - i as f64;
        let a = -b + 1.0;
        let h2 = self.step * self.step / 6.0;
        a * self.values[i]
            + b * self.values[i + 1]
            + ((a.powi(3) - a) * self.second[i] + (b.powi(3) - b) * self.second[i + 1]) * h2
    }
}

pub fn spline<T: Real<Base = f64>>(p: &[T]) -> T {
    let s = Spline::through(T::lit(0.0), T::lit(0.5), &p[1..]);
    let (mut sum, mut x) = (s.at(p[0]), T::lit(0.05));
    while x < 2.0 {
        sum += s.at(x).abs();
        x += 0.1;
    }
    sum
}

const R: f64 = 8.31446261815324;
struct Fluid<T> {
    critical_temperature: T,
    critical_pressure: T,
    acentric: T,
}
impl<T: Real<Base = f64>> Fluid<T> {
    fn alpha(&self, t: T) -> T {
        let w = self.acentric;
        let k = if w <= 0.491 {
            w * (-(w * 0.26992) + 1.54226) + 0.37464
        } else {
            w * (w * (w * 0.016666 - 0.164423) + 1.48503) + 0.379642
        };
        let root = k * (-(t / self.critical_temperature).sqrt() + 1.0) + 1.0;
        root * root
    }
    fn pressure(&self, t: T, v: T) -> T {
        let a = self.critical_temperature.powi(2) * (0.45724 * R.powi(2)) / self.critical_pressure;
        let b = self.critical_temperature * (0.07780 * R) / self.critical_pressure;
        t * R / (v - b) - a * self.alpha(t) / (v * v + b * 2.0 * v - b * b)
    }
}

pub fn fluid<T: Real<Base = f64>>(x: &[T]) -> T {
    let gas =
        Fluid { critical_temperature: T::lit(304.13), critical_pressure: T::lit(7.3773e6), acentric: x[2] };
    let (t, p) = (x[0] * 350.0, x[1] * 5e6);
    let mut v = t * R / p;
    for _ in 0..60 {
        let h = v * 1e-6;
        let slope = (gas.pressure(t, v + h) - gas.pressure(t, v - h)) / (h * 2.0);
        v -= (gas.pressure(t, v) - p) / slope;
    }
    let v = if v.primal().is_finite() && v > 0.0 { v } else { T::lit(f64::NAN) };
    p * v / (t * R)
}

trait Energy<T: Real<Base = f64>> {
    fn energy(&self, stretch: T) -> T;
    fn twice(&self, stretch: T) -> T {
        self.energy(stretch) * 2.0
    }
}
struct Linear<T>(T);
struct Exponential<T>(T, T);
impl<T: Real<Base = f64>> Energy<T> for Linear<T> {
    fn energy(&self, stretch: T) -> T {
        self.0 * 0.5 * stretch * stretch
    }
}
impl<T: Real<Base = f64>> Energy<T> for Exponential<T> {
    fn energy(&self, stretch: T) -> T {
        self.0 * ((self.1 * stretch).exp() - 1.0 - self.1 * stretch)
    }
    fn twice(&self, stretch: T) -> T {
        self.energy(stretch) + self.energy(stretch)
    }
}

pub fn truss<T: Real<Base = f64> + 'static>(z: &[T]) -> T {
    let bars: Vec<Box<dyn Energy<T>>> =
        vec![Box::new(Linear(T::lit(3.0))), Box::new(Exponential(T::lit(0.5), T::lit(2.0)))];
    let state = [z[0], z[1]];
    let forces: T = [T::lit(0.0), z[3] * z[0], (T::lit(0.25) + z[4]) * z[0]].into_iter().sum();
    let constraint = z[0] * z[0] + z[1] * z[1] - 1.0;
    let bent: T = bars.iter().zip(state).map(|(bar, s)| bar.twice(s)).sum();
    bent + Linear(z[1]).energy(z[0]) + forces + z[2] * constraint
}
