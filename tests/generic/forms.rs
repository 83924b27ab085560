//! Each form of code that the attribute translates.
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

both! { references {
    pub fn at(x: &[f64]) -> f64 {
        let a: f64 = x.iter().zip(x).map(|(w, x)| w * x).sum();
        let b = x.iter().map(|v| v * v).fold(0.0, |s, v| s + v);
        let c = x.iter().fold(0.0, |s, v| s + v * v);
        let d = x.iter().map(|v| 2.0 * v - 1.0).map(|v| -&v).sum::<f64>();
        let worst = x.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let least = x.iter().cloned().fold(f64::INFINITY, |a, b| a.min(b));
        let (mut e, first) = (1.0, &x[0]);
        for v in x {
            e *= v;
            e += first / 4.0;
        }
        let by = x.iter().max_by(|a, b| a.partial_cmp(b).unwrap()).unwrap();
        let inside = x.iter().filter(|x| (0.0..=1.5).contains(*x) && 1.0 < **x).count() as f64;
        a + b + c + d + worst * least + e * by + inside * first
    }
} }
check!(references, at, [1.25, 2.0, 0.5]);

both! { constants {
    use std::f64::consts::{self, FRAC_PI_2, PI};
    const TABLE: [f64; 3] = [0.5, 1.5, 2.5];
    const N: usize = 3;
    const SCALE: f64 = 1e-3;
    static OFFSET: f64 = -0.25;
    mod inner {
        pub const DEEP: f64 = 7.0;
        pub fn squared(x: f64) -> f64 {
            super::SCALE * x * x + super::halve(x)
        }
    }
    fn halve(x: f64) -> f64 {
        let half = 0.5;
        half * x
    }
    pub fn at(x: &[f64]) -> f64 {
        const LOCAL: f64 = 3.5;
        let h = 1.0 / x.len() as f64;
        let angle = (PI * h).sin() + FRAC_PI_2 - consts::LN_2;
        let mut sum = OFFSET;
        let mut values = vec![h; N];
        let pair = [h, LOCAL];
        values[1] = SCALE;
        for (i, t) in TABLE.iter().enumerate() {
            sum += t * x[0] * (i as f64) - h * values[i] + std::f64::EPSILON;
        }
        let h = x[1] * h;
        let scaled = h * x[0] + pair[0] * pair[1] + f64::sqrt(2.0) * f64::exp(-x[0]);
        let step = if x[0] > 1.0 { 1.0 } else { -1.0 };
        let flat = match x.len() {
            0 => 0.0,
            1 => x[0],
            _ => f64::from(2u8) * -1.5e0_f64,
        };
        scaled + sum * angle + inner::squared(h) * inner::DEEP + step * h + flat + (2.0_f64).powi(3)
    }
} }
check!(constants, at, [1.2, -0.7]);

both! { closures {
    fn simpson(f: impl Fn(f64) -> f64, a: f64, b: f64, n: usize) -> f64 {
        let h = (b - a) / (2 * n) as f64;
        let inner: f64 = (1..2 * n).map(|i| if i % 2 == 1 { 4.0 } else { 2.0 } * f(a + i as f64 * h)).sum();
        (f(a) + inner + f(b)) * h / 3.0
    }
    fn bisect<F>(f: F, mut range: (f64, f64)) -> Option<f64>
    where
        F: Fn(f64) -> f64,
    {
        for _ in 0..4 {
            let middle = 0.5 * (range.0 + range.1);
            if f(middle).is_nan() {
                return None;
            }
            if f(range.0) * f(middle) <= 0.0 { range.1 = middle } else { range.0 = middle }
        }
        Some((range.0 + range.1) / 2.0)
    }
    fn powers<const K: usize>(x: f64) -> [f64; K] {
        let mut all = [1.0; K];
        for i in 1..K {
            all[i] = all[i - 1] * x;
        }
        all
    }
    fn make(k: f64) -> impl Fn(f64) -> f64 {
        move |x| k * x + 1.0
    }
    fn boxed<'a>(k: &'a f64) -> Box<dyn Fn(f64) -> f64 + 'a> {
        Box::new(move |x: f64| -> f64 { k * x })
    }
    fn apply<T>(f: fn(T) -> T, x: T) -> T {
        f(x)
    }
    pub fn at(x: &[f64]) -> f64 {
        let scale = 2.5;
        let area = simpson(|t| (-scale * t * x[0]).exp() * x[1], 0.0, 1.0, 4);
        let root = bisect(|t: f64| t * t - x[0], (0.0, 2.0)).unwrap_or(0.0);
        let sum: f64 = powers::<4>(x[1]).iter().sum();
        let by_type = Vec::<f64>::from([x[0], 1.0]).len() as f64;
        let mut seen = Vec::new();
        let mut note = |y: f64| {
            seen.push(y);
            seen.len() as f64 * y
        };
        let noted = note(x[0]) + note(1.0);
        debug_assert!(noted > 0.0 && seen.len() == 2, "{noted} {x:?} {:.3}", 0.5);
        assert_eq!(seen[1], 1.0);
        area + root + sum + by_type + noted + make(x[0])(3.0) + boxed(&x[1])(0.5) + apply(f64::sqrt, x[0]) + apply(|i: usize| i, 3) as f64
    }
} }
check!(closures, at, [0.8, 1.7]);

both! { integers {
    struct Grid {
        step: f64,
        values: Vec<f64>,
    }
    fn cell(x: f64, n: usize) -> usize {
        (x as usize).min(n - 2)
    }
    impl Grid {
        fn at(&self, x: f64) -> f64 {
            let t = x / self.step;
            let i = cell(t, self.values.len());
            let j = (x / 0.25) as i32 as usize + self.step as usize;
            let f = t - t.floor();
            (1.0 - f) * self.values[i] + f * self.values[i + 1] + 0.125 * self.values[j % self.values.len()]
        }
    }
    pub fn at(x: &[f64]) -> f64 {
        let grid = Grid { step: 0.5, values: x.iter().map(|x| x.powi(2)).collect() };
        let n = 2 * x.len() + 1;
        grid.at(x[0]) * n as f64 + (n - 1) as f64 * (x[1].round() as i64 as f64)
    }
} }
check!(integers, at, [0.7, 1.8, 0.4]);

both! { declarations {
    use std::fmt;
    use std::ops::{Index, Neg};

    /// Documented.
    #[derive(Clone, Copy, Debug, Default, PartialEq)]
    #[must_use]
    pub struct Pair<'a, L: Copy> {
        pub left: f64,
        right: f64,
        pub label: &'a str,
        other: L,
    }
    type State = (f64, [f64; 2]);
    impl<'a, L: Copy> Pair<'a, L> {
        const HALF: f64 = 0.5;
        #[inline]
        pub fn new(left: f64, right: f64, label: &'a str, other: L) -> Self {
            Self { left, right, label, other }
        }
        fn swapped(self) -> Pair<'a, L> {
            Pair { left: self.right, right: self.left * Self::HALF, ..self }
        }
        fn name(&self) -> (&str, L) {
            (self.label, self.other)
        }
    }
    impl<L: Copy> Neg for Pair<'_, L> {
        type Output = Self;
        fn neg(self) -> Self {
            Pair { left: -self.left, ..self }
        }
    }
    impl<L: Copy> Index<usize> for Pair<'_, L> {
        type Output = f64;
        fn index(&self, i: usize) -> &f64 {
            if i == 0 { &self.left } else { &self.right }
        }
    }
    impl<L: Copy> fmt::Display for Pair<'_, L> {
        fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            write!(f, "{:.2} {:.1}", self.left, self.right * 2.0)
        }
    }
    pub trait Norm {
        type Of;
        fn norm(&self) -> f64;
        fn scaled(&self, by: f64) -> f64 {
            by * self.norm()
        }
        fn kind() -> &'static str
        where
            Self: Sized,
        {
            "norm"
        }
    }
    impl<L: Copy> Norm for Pair<'_, L> {
        type Of = f64;
        fn norm(&self) -> f64 {
            self.left.hypot(self.right)
        }
    }
    impl Norm for State {
        type Of = [f64; 2];
        fn norm(&self) -> f64 {
            let (a, [b, c]) = *self;
            (a * a + b * b + c * c).sqrt()
        }
    }
    fn largest<N: Norm>(all: &[N]) -> f64 {
        all.iter().map(|n| n.scaled(1.5)).fold(0.0, |a: f64, b| a.max(b))
    }
    fn of_any(n: &dyn Norm<Of = f64>) -> f64 {
        n.norm()
    }
    #[cfg(any())]
    fn switched_off(x: f64) -> Missing {
        x
    }
    unsafe fn trusted(x: &[f64]) -> f64 {
        *unsafe { x.get_unchecked(0) }
    }
    pub fn at(x: &[f64]) -> f64 {
        let p = -Pair::new(x[0], 2.0 * x[1], "pair", 7u8).swapped();
        let state: State = (x[0], [x[1], 0.25]);
        let Pair { left, right: ref r, .. } = p;
        let text = p.to_string().len().min(1) as f64;
        let named = p.name().1 as f64;
        let [a, b] = [x[0], 1.0];
        let known = if let (Some(v), true) = (x.first(), a > b) { *v } else { 0.0 };
        let label = 'outer: loop {
            let mut k = 0.0;
            loop {
                k += 1.0;
                if k > 3.0 {
                    break 'outer k;
                }
            }
        };
        largest(&[p]) + state.norm() + p[1] + of_any(&p) + left * r + text + named + known + label
            + unsafe { trusted(x) } + <Pair<u8> as Norm>::kind().len() as f64
    }
} }
check!(declarations, at, [1.4, 0.9]);

#[generic]
fn weighted(p: &[f64], #[data] rate: f64, #[data] t: &[f64], #[data] y: &[f64]) -> f64 {
    let first = t[0];
    let mut s = rate * p[0] - first;
    for (t, y) in t.iter().zip(y) {
        let r = y - p[0] * (-rate * t * p[1]).exp();
        s += r * r;
    }
    for (&t, &y) in t.iter().zip(y) {
        s += t * p[0] * y;
    }
    #[data]
    let total: f64 = t.iter().sum();
    let all = t.len() as f64 * rate.max(0.5);
    s / all + total * p[1] + t.iter().zip(p).map(|(t, p)| t * p).sum::<f64>() + rate
}

/// The function by hand.
fn weighted_by_hand<T: wengert::Real<Base = f64>>(p: &[T], rate: f64, t: &[f64], y: &[f64]) -> T {
    let mut s = p[0] * rate - t[0];
    for (t, y) in t.iter().zip(y) {
        let r = -(p[0] * (p[1] * (-rate * t)).exp()) + *y;
        s += r * r;
    }
    for (&t, &y) in t.iter().zip(y) {
        s += p[0] * t * y;
    }
    let total: f64 = t.iter().sum();
    let all = t.len() as f64 * rate.max(0.5);
    s / all + p[1] * total + t.iter().zip(p).map(|(&t, &p)| p * t).sum::<T>() + rate
}

#[test]
fn data_stand_on_either_side() {
    let (t, y, p) = ([0.5, 1.0, 2.0], [3.0, 4.0, 0.1], [1.1, 0.3]);
    let at = |p: &[f64]| weighted(p, 0.1, &t, &y);
    assert_eq!(at(&p).to_bits(), weighted_by_hand(&p, 0.1, &t, &y).to_bits());
    let g = gradient(|p| weighted(p, 0.1, &t, &y), &p);
    let h = gradient(|p| weighted_by_hand(p, 0.1, &t, &y), &p);
    assert!(g.iter().zip(h).all(|(g, h)| (g - h).abs() < 1e-15), "{g:?} {h:?}");
}

#[generic]
mod mixed {
    /// Settings that no one differentiates.
    #[derive(Clone, Debug)]
    pub struct Settings {
        #[data]
        pub rate: f64,
        #[data]
        pub times: Vec<f64>,
        pub gain: f64,
    }
    impl Settings {
        pub fn read(#[data] rate: f64, gain: f64) -> Self {
            Settings { rate, times: vec![1.0, 2.0], gain }
        }
        fn weight(&self, #[data] t: f64, x: f64) -> f64 {
            (self.rate * t) * x + t / self.rate
        }
    }
    #[data]
    pub fn load() -> Vec<f64> {
        [0.5, 0.25].map(|x| 2.0 * x).to_vec()
    }
    pub fn response(s: &Settings, x: f64) -> f64 {
        let mut sum = self::lookup(&[1.0, 4.0], 1.5) * x;
        for i in 0..s.times.len() {
            sum += s.gain * s.weight(s.times[i], x);
        }
        sum + s.weight(0.5, 2.0) + s.rate
    }
    fn lookup(#[data] table: &[f64], x: f64) -> f64 {
        table[(x as usize).min(table.len() - 1)] * x
    }
}

#[test]
fn data_are_fields_and_arguments() {
    let s = |gain| mixed::Settings::read(0.1, gain);
    let plain = |gain: f64, x: f64| {
        let weight = |t: f64, x: f64| 0.1 * t * x + t / 0.1;
        6.0 * x + gain * weight(1.0, x) + gain * weight(2.0, x) + weight(0.5, 2.0) + 0.1
    };
    assert!((mixed::response(&s(3.0), 0.7) - plain(3.0, 0.7)).abs() < 1e-12);
    let d = derivative(|gain| mixed::response(&mixed::Settings::read(0.1, gain), 0.7.into()), 3.0);
    assert!((d - (plain(4.0, 0.7) - plain(3.0, 0.7))).abs() < 1e-12);
    assert_eq!(mixed::load(), [1.0, 0.5]);
}

/// Names elsewhere with the same spelling do not refer to the module's names.
#[generic]
mod shadows {
    pub mod other {
        #[data]
        pub fn scale(x: f64) -> f64 {
            10.0 * x
        }
    }
    fn scale(#[data] k: f64, x: f64) -> f64 {
        k * x
    }
    const K: f64 = 2.0;
    pub fn at(x: f64) -> f64 {
        let y = scale(K, x);
        let tenfold = other::scale(
            #[data]
            0.5,
        );
        let scale = |x: f64| x + K;
        let k = x * 3.0;
        scale(y) + k + tenfold
    }
}

#[test]
fn names_are_those_in_scope() {
    assert_eq!(shadows::at(1.0), 4.0 + 3.0 + 5.0);
    assert_eq!(derivative(|x| shadows::at(x), 1.0), 5.0);
}

/// Code over `Scalar` runs at every real number of the crate, nested too, and has the bits of `f64` there.
#[test]
fn every_real_number_is_a_scalar() {
    use wengert::check::Checked;
    use wengert::programs::trace;
    use wengert::{Dual, Dual2, DualN, HyperDual, Scalar, Taylor, TaylorDyn, Var};
    fn sides<T: Scalar>(x: T) -> T {
        let (r, c) = (&x, &0.5);
        let mut y = 2.0 * x + 1.0 / x - c * r + r * r - r / c + (c - x) * (2.0 - r) + 7.0 % x - -r;
        y += r;
        y *= c;
        if 1.0 < x && x.is_finite() && !x.is_nan() && 0.25 <= x { y } else { -y }
    }
    fn agrees<T: Scalar>() {
        let (x, want) = (1.75, sides(1.75_f64));
        assert_eq!(sides(T::lit(x)).primal().to_bits(), want.to_bits());
    }
    agrees::<f64>();
    agrees::<Dual<f64>>();
    agrees::<DualN<f64, 3>>();
    agrees::<Dual2<f64, 2, 3>>();
    agrees::<HyperDual<f64>>();
    agrees::<Taylor<f64, 4>>();
    agrees::<TaylorDyn<f64, 6>>();
    agrees::<Var<f64>>();
    agrees::<Var<DualN<f64, 2>>>();
    agrees::<Dual<Dual<f64>>>();
    agrees::<Checked<f64>>();
    let traced = trace(|x| sides(x[0]), &[1.75]);
    assert_eq!(traced.run(&[1.75]).unwrap()[0].to_bits(), sides(1.75_f64).to_bits());
}

#[wengert::generic]
fn look_up(x: f64, #[data] table: &[f64]) -> f64 {
    table[x as usize] * x
}

/// A number that becomes an integer is compared as an integer in a trace, at nested numbers too: the program of a
/// table holds in the whole cell.
#[test]
fn a_traced_look_up_holds_in_its_cell() {
    use wengert::Dual;
    use wengert::programs::trace;
    let table = [1.0, 4.0, 9.0];
    let value = trace(|x| look_up(x[0], &table), &[1.25]);
    let slope = trace(|x| look_up(Dual::variable(x[0]), &table).tangent(), &[1.25]);
    assert_eq!((value.run(&[1.75]).unwrap(), slope.run(&[1.75]).unwrap()), (vec![7.0], vec![4.0]));
    assert!(value.run(&[2.25]).is_err() && slope.run(&[2.25]).is_err());
}
