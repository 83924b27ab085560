//! Types and traits of std: texts, conversions, tables, bounds of structs, `Drop`.

both! { numbers_from_text {
    use std::str::FromStr;
    struct P {
        a: f64,
        b: f64,
    }
    impl FromStr for P {
        type Err = std::num::ParseFloatError;
        fn from_str(s: &str) -> Result<Self, Self::Err> {
            let mut it = s.split(',').map(|t| t.trim().parse::<f64>());
            let a = it.next().unwrap()?;
            let b: f64 = it.next().unwrap()?;
            Ok(P { a, b })
        }
    }
    fn row(s: &str) -> Result<Vec<f64>, String> {
        s.split_whitespace().map(|t| t.parse::<f64>().map_err(|e| e.to_string())).collect()
    }
    fn plain_row(s: &str) -> Vec<f64> {
        s.split(' ').map(|t| t.parse().unwrap()).collect()
    }
    fn nums(s: &str) -> Vec<f64> {
        s.split(' ').filter_map(|t| t.parse::<f64>().ok()).collect()
    }
    pub fn at(x: &[f64]) -> f64 {
        let k: f64 = "2.5".parse().unwrap();
        let m = "0.5".parse::<f64>().unwrap_or(1.0);
        let p: P = "1.5, 2".parse().unwrap();
        let q = f64::from_str("0.25").unwrap();
        let r = row("1 2 3.5").unwrap();
        let v = match "7e-1".parse::<f64>() {
            Ok(v) => v,
            Err(_) => 0.0,
        };
        k * x[0]
            + m * x[1]
            + p.a * p.b * x[0]
            + q
            + r[2] * x[1]
            + v
            + plain_row("1 2")[1]
            + nums("4 a 5")[1] * x[0]
    }
} }
check!(numbers_from_text, at, [1.3, 0.7]);

both! { conversions {
    struct Kelvin(f64);
    impl From<f64> for Kelvin {
        fn from(x: f64) -> Self {
            Kelvin(x + 273.15)
        }
    }
    fn f(x: impl Into<f64>) -> f64 {
        x.into() * 2.0
    }
    pub fn at(x: &[f64]) -> f64 {
        let k: Kelvin = x[0].into();
        let l: Kelvin = 3.0.into();
        let a: f64 = f64::from(2u8);
        let b = [1u8, 2, 3].map(f64::from);
        let c: Vec<f64> = [1i32, 2].iter().copied().map(f64::from).collect();
        let d: f64 = f64::from(1.5f32);
        let e = f64::from(2.5f32) + f64::from(true as u8);
        let g: f64 = [1u32, 4].iter().map(|&n| f64::from(n)).sum();
        k.0 + l.0 * a * x[1] + b[1] * c[1] * x[0] + d + e + f(x[1]) + f(2.0) + g
    }
} }
check!(conversions, at, [1.3, 0.7]);

both_with_data! { options_of_data {
    fn nearest(#[data] t: &[f64], x: f64) -> Option<f64> {
        t.iter().copied().find(|t| *t > x)
    }
    fn weights(n: usize) -> Vec<f64> {
        (0..n).map(|i| 1.0 / (i + 1) as f64).collect()
    }
    fn simpson() -> [f64; 3] {
        [1.0 / 6.0, 4.0 / 6.0, 1.0 / 6.0]
    }
    pub fn at(x: &[f64]) -> f64 {
        let t = [0.5, 1.0, 2.0];
        let w = weights(3);
        let [a, b, c] = simpson();
        nearest(&t, x[0]).unwrap_or(0.0) * x[1]
            + w.iter().zip(&t).map(|(w, t)| w * t).sum::<f64>() * x[0]
            + a * x[0]
            + b * x[1]
            + c
    }
} }
check!(options_of_data, at, [1.3, 0.7]);

both! { lazy_tables {
    use std::sync::{LazyLock, OnceLock};
    static TABLE: LazyLock<Vec<f64>> = LazyLock::new(|| (0..5).map(|i| (i * i) as f64).collect());
    fn table() -> &'static [f64] {
        static T: OnceLock<Vec<f64>> = OnceLock::new();
        T.get_or_init(|| vec![0.0, 1.0, 4.0])
    }
    pub fn at(x: &[f64]) -> f64 {
        let i = x[0] as usize;
        TABLE[i] * x[1] + TABLE.iter().map(|t| t * x[0]).sum::<f64>() + TABLE.len() as f64 + x[1]
    }
} }
check!(lazy_tables, at, [1.3, 0.7]);

both! { tables_of_functions {
    const FS: [fn(f64) -> f64; 2] = [f64::sin, f64::cos];
    static NAMED: &[(&str, fn(f64) -> f64)] = &[("exp", f64::exp), ("sq", square)];
    fn square(x: f64) -> f64 {
        x * x
    }
    pub fn at(x: &[f64]) -> f64 {
        let fs: [fn(f64) -> f64; 3] = [f64::sin, square, |t| 2.0 * t];
        let gs: Vec<(&str, Box<dyn Fn(f64) -> f64>)> =
            vec![("a", Box::new(square)), ("b", Box::new(|t| t.ln()))];
        let a: f64 = fs.iter().map(|f| f(x[0])).sum();
        let b: f64 = gs.iter().map(|(_, g)| g(x[1])).sum();
        a + b + FS[0](x[0]) + NAMED.iter().map(|(_, f)| f(x[1])).sum::<f64>()
    }
} }
check!(tables_of_functions, at, [1.3, 0.7]);

both! { structs_with_bounds {
    trait Potential {
        fn v(&self, r: f64) -> f64;
        fn name(&self) -> &str {
            "p"
        }
    }
    struct Lj {
        eps: f64,
        sigma: f64,
    }
    struct Harm {
        k: f64,
    }
    impl Potential for Lj {
        fn v(&self, r: f64) -> f64 {
            let s6 = (self.sigma / r).powi(6);
            4.0 * self.eps * (s6 * s6 - s6)
        }
    }
    impl Potential for Harm {
        fn v(&self, r: f64) -> f64 {
            0.5 * self.k * r * r
        }
        fn name(&self) -> &str {
            "harm"
        }
    }
    impl<P: Potential + ?Sized> Potential for Box<P> {
        fn v(&self, r: f64) -> f64 {
            (**self).v(r)
        }
    }
    struct System<P: Potential> {
        p: P,
        pos: Vec<f64>,
    }
    impl<P: Potential> System<P> {
        fn energy(&self) -> f64 {
            let mut e = 0.0;
            for i in 0..self.pos.len() {
                for j in 0..i {
                    e += self.p.v((self.pos[i] - self.pos[j]).abs());
                }
            }
            e
        }
    }
    fn best<'a>(all: &'a [Box<dyn Potential>], r: f64) -> &'a dyn Potential {
        &**all.iter().min_by(|a, b| a.v(r).partial_cmp(&b.v(r)).unwrap()).unwrap()
    }
    pub fn at(x: &[f64]) -> f64 {
        let s = System { p: Lj { eps: 0.7, sigma: 1.1 }, pos: vec![0.0, x[0], 2.0 + x[1]] };
        let t = System { p: Harm { k: x[1] }, pos: x.to_vec() };
        let all: Vec<Box<dyn Potential>> =
            vec![Box::new(Harm { k: 2.0 }), Box::new(Lj { eps: x[0], sigma: 1.0 })];
        s.energy() + t.energy() + best(&all, x[0]).v(x[1]) + all[0].name().len() as f64
    }
} }
check!(structs_with_bounds, at, [1.3, 0.7]);

both! { structs_with_drop {
    use std::cell::Cell;
    thread_local!(static DROPS: Cell<u32> = const { Cell::new(0) });
    struct Guard {
        v: f64,
    }
    impl Drop for Guard {
        fn drop(&mut self) {
            DROPS.with(|d| d.set(d.get() + 1));
        }
    }
    struct Holder {
        g: Guard,
        w: f64,
    }
    pub fn at(x: &[f64]) -> f64 {
        let g = Guard { v: x[0] };
        let h = Holder { g: Guard { v: x[1] }, w: 2.0 };
        let y = g.v * 2.0 + h.g.v * h.w;
        drop(g);
        y
    }
} }
check!(structs_with_drop, at, [1.3, 0.7]);

both! { floats_of_a_struct_of_data {
    use std::cell::Cell;
    struct Rng {
        s: u64,
    }
    impl Rng {
        fn next(&mut self) -> usize {
            self.s = self.s * 5 + 3;
            (self.s % 7) as usize
        }
        fn weight(&mut self) -> f64 {
            self.s = self.s * 3 + 1;
            (self.s % 11) as f64
        }
    }
    pub fn at(x: &[f64]) -> f64 {
        let mut r = Rng { s: 1 };
        let mut h = [0.0; 7];
        for _ in 0..9 {
            h[r.next()] += r.weight() * x[0];
        }
        let i = Cell::new(0);
        let bump = |by: f64| {
            i.set(i.get() + 1);
            by
        };
        let mut w = vec![1.0, 2.0, 3.0, 4.0];
        w[i.get()] += bump(x[1]);
        w[i.get()] *= bump(x[0]);
        h.iter().enumerate().map(|(i, h)| h * i as f64 * i as f64).sum::<f64>()
            + w[0]
            + 3.0 * w[1]
            + 10.0 * w[2]
            + 100.0 * w[3]
    }
} }
check!(floats_of_a_struct_of_data, at, [1.3, 0.7]);

both! { closures_in_structs {
    struct Ode<F: Fn(f64, f64) -> f64> {
        f: F,
        h: f64,
    }
    impl<F: Fn(f64, f64) -> f64> Ode<F> {
        fn new(f: F, h: f64) -> Self {
            Ode { f, h }
        }
        fn step(&self, t: f64, y: f64) -> f64 {
            y + self.h * (self.f)(t, y)
        }
    }
    struct Root<F> {
        f: F,
        n: usize,
    }
    impl<F> Root<F> {
        fn solve(&self, mut lo: f64, mut hi: f64) -> f64
        where
            F: Fn(f64) -> f64,
        {
            for _ in 0..self.n {
                let m = 0.5 * (lo + hi);
                if (self.f)(m) > 0.0 { hi = m } else { lo = m }
            }
            (lo * (self.f)(hi) - hi * (self.f)(lo)) / ((self.f)(hi) - (self.f)(lo))
        }
    }
    struct Boxed {
        f: Box<dyn Fn(f64) -> f64>,
        scale: f64,
    }
    impl Boxed {
        fn call(&self, x: f64) -> f64 {
            self.scale * (self.f)(x)
        }
    }
    pub fn at(x: &[f64]) -> f64 {
        let k = x[1];
        let ode = Ode::new(|t, y| -k * y + t, 0.1);
        let mut y = x[0];
        for i in 0..5 {
            y = ode.step(i as f64 * ode.h, y);
        }
        let b = Boxed { f: Box::new(|x| x.sin()), scale: 2.0 };
        let root = Root { f: |s: f64| s * s - k, n: 3 };
        let direct = Ode { f: |t: f64, y: f64| t * y, h: 0.5 };
        y + b.call(x[0]) + root.solve(0.0, 2.0) + direct.step(1.0, x[1])
    }
} }
check!(closures_in_structs, at, [1.3, 0.7]);

both! { shared_samples {
    use std::borrow::Cow;
    use std::sync::Arc;
    #[derive(Debug, Clone)]
    struct Signal<'a> {
        samples: Cow<'a, [f64]>,
        rate: f64,
    }
    impl<'a> Signal<'a> {
        fn borrowed(samples: &'a [f64], rate: f64) -> Self {
            Self { samples: Cow::Borrowed(samples), rate }
        }
        fn map(&self, f: impl Fn(f64) -> f64) -> Signal<'static> {
            Signal { samples: self.samples.iter().map(|&s| f(s)).collect::<Vec<_>>().into(), rate: self.rate }
        }
        fn convolve(&self, kernel: &[f64]) -> Vec<f64> {
            let n = self.samples.len() + kernel.len() - 1;
            let mut out = vec![0.0; n];
            for (i, s) in self.samples.iter().enumerate() {
                for (j, k) in kernel.iter().enumerate() {
                    out[i + j] += s * k;
                }
            }
            out
        }
        fn duration(&self) -> f64 {
            self.samples.len() as f64 / self.rate
        }
        fn clamp_peak(&mut self, limit: f64) {
            for s in self.samples.to_mut() {
                *s = s.clamp(-limit, limit);
            }
        }
    }
    fn biquad(cutoff: f64) -> impl FnMut(f64) -> f64 {
        let (mut z1, mut z2) = (0.0, 0.0);
        let k = (std::f64::consts::PI * cutoff).tan();
        let norm = 1.0 / (1.0 + k / std::f64::consts::FRAC_1_SQRT_2 + k * k);
        move |x| {
            let y = k * k * norm * x + z1;
            z1 = 2.0 * k * k * norm * x - 2.0 * (k * k - 1.0) * norm * y + z2;
            z2 = k * k * norm * x - (1.0 - k / std::f64::consts::FRAC_1_SQRT_2 + k * k) * norm * y;
            y
        }
    }
    pub fn at(x: &[f64]) -> f64 {
        let raw = Arc::new(vec![x[0], 1.0, -0.5, x[1]]);
        let sig = Signal::borrowed(&raw, 100.0);
        let mut loud = sig.map(|s| s * 3.0);
        loud.clamp_peak(2.5);
        let c = sig.convolve(&[0.25, 0.5, 0.25]);
        let mut filter = biquad(0.1);
        let out: Vec<f64> = loud.samples.iter().map(|&s| filter(s)).collect();
        let rms = (out.iter().map(|v| v * v).sum::<f64>() / out.len() as f64).sqrt();
        c[2] + rms + sig.duration() * x[0]
    }
} }
check!(shared_samples, at, [0.4, 1.7]);

both! { settings_from_text {
    use std::collections::HashMap;
    use std::fmt;
    use std::str::FromStr;
    #[derive(Debug)]
    pub enum ConfigError {
        Missing(&'static str),
        Parse(std::num::ParseFloatError),
        Line(usize),
    }
    impl From<std::num::ParseFloatError> for ConfigError {
        fn from(e: std::num::ParseFloatError) -> Self {
            ConfigError::Parse(e)
        }
    }
    impl fmt::Display for ConfigError {
        fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            match self {
                Self::Missing(k) => write!(f, "missing {k}"),
                Self::Parse(e) => write!(f, "{e}"),
                Self::Line(n) => write!(f, "line {n}"),
            }
        }
    }
    #[derive(Debug, Clone, Copy, PartialEq)]
    pub struct Config {
        gain: f64,
        offset: f64,
        iterations: usize,
    }
    impl FromStr for Config {
        type Err = ConfigError;
        fn from_str(s: &str) -> Result<Self, Self::Err> {
            let mut map = HashMap::new();
            for (i, line) in s.lines().enumerate() {
                let line = line.trim();
                if line.is_empty() || line.starts_with('#') {
                    continue;
                }
                let (k, v) = line.split_once('=').ok_or(ConfigError::Line(i))?;
                map.insert(k.trim(), v.trim());
            }
            let get = |k: &'static str| map.get(k).copied().ok_or(ConfigError::Missing(k));
            Ok(Config {
                gain: get("gain")?.parse()?,
                offset: get("offset")?.parse::<f64>()?,
                iterations: get("iterations").ok().and_then(|s| s.parse().ok()).unwrap_or(3),
            })
        }
    }
    fn read_csv(text: &str) -> Result<Vec<Vec<f64>>, std::num::ParseFloatError> {
        text.lines().map(|l| l.split(',').map(|t| t.trim().parse::<f64>()).collect()).collect()
    }
    pub fn at(x: &[f64]) -> f64 {
        let cfg: Config = "gain = 1.5\n# note\noffset=0.25\n".parse().unwrap();
        let bad = "gain = 1".parse::<Config>();
        let penalty = match bad {
            Err(ConfigError::Missing(_)) => 1.0,
            _ => 0.0,
        };
        let rows = read_csv("1, 2.5\n3, -1e-1").unwrap();
        let mut y = x[0];
        for _ in 0..cfg.iterations {
            y = cfg.gain * y.sin() + cfg.offset * x[1];
        }
        y + penalty + rows.iter().map(|r| r[0] * x[0] + r[1]).sum::<f64>()
    }
} }
check!(settings_from_text, at, [0.5, 1.5]);
