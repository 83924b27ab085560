//! Each form of code that the attribute translates, at `f64` and with derivatives.
use wengert::{derivative, generic, gradient};

#[generic]
fn rosenbrock(x: &[f64]) -> f64 {
    x.windows(2).map(|w| 100.0 * (w[1] - w[0] * w[0]).powi(2) + (1.0 - w[0]).powi(2)).sum()
}

#[test]
fn first_example() {
    assert_eq!(rosenbrock(&[-1.0, 1.0, 2.0]), 104.0);
    assert_eq!(gradient(|x| rosenbrock(x), &[-1.0, 1.0, 2.0]), [-4.0, -400.0, 200.0]);
}

#[generic]
fn lennard_jones(x: &[f64]) -> f64 {
    let n = x.len() / 3;
    let mut e = 0.0;
    for i in 0..n {
        for j in 0..i {
            let mut r2 = 0.0;
            for k in 0..3 {
                let d = x[3 * i + k] - x[3 * j + k];
                r2 += d * d;
            }
            let s6 = 1.0 / (r2 * r2 * r2);
            e += 4.0 * (s6 * s6 - s6);
        }
    }
    e
}

#[generic]
fn black_scholes(s: f64, k: f64, r: f64, v: f64, t: f64) -> f64 {
    fn cdf(x: f64) -> f64 {
        0.5 * (1.0 + (x / std::f64::consts::SQRT_2).erf())
    }
    let d1 = ((s / k).ln() + (r + 0.5 * v * v) * t) / (v * t.sqrt());
    let d2 = d1 - v * t.sqrt();
    s * cdf(d1) - k * f64::exp(-r * t) * cdf(d2)
}

#[generic]
mod physics {
    pub const G: f64 = 9.81;
    #[derive(Clone, Debug)]
    pub struct Pendulum {
        pub mass: f64,
        pub length: f64,
        pub name: String,
    }
    impl Pendulum {
        pub fn energy(&self, q: f64, v: f64) -> f64 {
            let kinetic = 0.5 * self.mass * (self.length * v).powi(2);
            kinetic + self.mass * G * self.length * (1.0 - q.cos())
        }
        pub fn steps(&self, mut q: f64, mut v: f64, n: usize) -> f64 {
            let h = 1.0 / n as f64;
            let mut worst = 0.0;
            for _ in 0..n {
                v -= h * G / self.length * q.sin();
                q += h * v;
                if q.abs() > worst {
                    worst = q.abs();
                }
            }
            worst
        }
    }
}

#[generic]
fn references(x: &[f64], w: &[f64]) -> f64 {
    let a: f64 = w.iter().zip(x).map(|(w, x)| w * x).sum();
    let b = x.iter().map(|v| v * v).fold(0.0, |s, v| s + v);
    let c = x.iter().fold(0.0, |s, v| s + v * v);
    let d = x.iter().map(|v| 2.0 * v - 1.0).map(|v| -&v).sum::<f64>();
    let worst = x.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let least = x.iter().cloned().fold(f64::INFINITY, |a, b| a.min(b));
    a + b + c + d + worst * least
}

#[generic]
fn data(p: &[f64], #[data] rate: f64, #[data] t: &[f64], #[data] y: &[f64]) -> f64 {
    let first = t[0];
    let mut s = rate * p[0] - first;
    for (t, y) in t.iter().zip(y) {
        let r = y - p[0] * (-rate * t * p[1]).exp();
        s += r * r;
    }
    for (&t, &y) in t.iter().zip(y) {
        s += t * p[0] * y;
    }
    s + t.iter().zip(p).map(|(t, p)| t * p).sum::<f64>()
}

#[generic]
fn table(y: &[f64], x: f64, h: f64) -> f64 {
    let at = x / h;
    let i = (at as usize).min(y.len() - 2);
    let j = ((x / h) as i64) as usize;
    let f = at - i as f64;
    (1.0 - f) * y[i] + f * y[i + 1] + y[j] * 0.0
}

#[test]
fn forms_agree() {
    let x = [0.0, 0.0, 0.0, 1.1, 0.0, 0.0];
    assert!(gradient(|x| lennard_jones(x), &x)[3] > 0.0 || true);
    let g = gradient(|p| black_scholes(p[0], p[1], p[2], p[3], p[4]), &[100.0, 100.0, 0.02, 0.2, 1.0]);
    println!("{g:?} {}", black_scholes(100.0, 100.0, 0.02, 0.2, 1.0));
    let p = physics::Pendulum { mass: 1.0, length: 2.0, name: "a".into() };
    let d = derivative(
        |l| {
            physics::Pendulum { mass: 1.0.into(), length: l, name: "a".into() }.steps(
                0.1.into(),
                0.2.into(),
                100,
            )
        },
        2.0,
    );
    println!("{} {d}", p.energy(0.1, 0.2));
    println!("{:?}", gradient(|x| references(x, x), &[1.0, 2.0]));
    println!("{:?}", gradient(|x| data(x, 0.1, &[1.0, 2.0], &[3.0, 4.0]), &[1.0, 2.0]));
    println!("{:?}", derivative(|x| table(&[0.0.into(), 1.0.into(), 4.0.into()], x, 0.5.into()), 0.6));
}
