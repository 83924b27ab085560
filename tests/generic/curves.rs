//! Payoffs, discount curves and their schedules: casts, mutable data, dates.

both! { casts {
    pub trait Pay {
        fn pay(&self, s: f64) -> f64;
    }
    pub struct Call {
        pub k: f64,
    }
    impl Pay for Call {
        fn pay(&self, s: f64) -> f64 {
            (s - self.k).max(0.0)
        }
    }
    fn square(s: f64) -> f64 {
        s * s
    }
    fn cube(s: f64) -> f64 {
        s * s * s
    }
    fn of_list(k: &[f64], s: f64) -> f64 {
        let all: Vec<Box<dyn Pay>> = k.iter().map(|&k| Box::new(Call { k }) as Box<dyn Pay>).collect();
        all.iter().map(|p| p.pay(s)).sum()
    }
    pub fn at(x: &[f64]) -> f64 {
        let boxed = Box::new(Call { k: x[0] }) as Box<dyn Pay>;
        let call = Call { k: x[1] };
        let lent = &call as &dyn Pay;
        let powers = [square as fn(f64) -> f64, cube as fn(f64) -> f64];
        let i = 2.9 as usize;
        of_list(&x[..2], x[i]) + boxed.pay(x[2]) * lent.pay(x[2]) + powers.iter().map(|f| f(x[0])).sum::<f64>()
    }
} }
check!(casts, at, [1.0, 2.0, 4.0]);

both_with_data! { accruals {
    pub struct Curve {
        pub z: Vec<f64>,
    }
    impl Curve {
        fn discount(&self, #[data] t: f64) -> f64 {
            (-self.z[0] * t - self.z[1] * t * t).exp()
        }
    }
    fn annuity(c: &Curve, #[data] times: &[f64]) -> f64 {
        let mut last = 0.0;
        let mut pv = 0.0;
        for &t in times {
            let a = t - last;
            last = t;
            pv += a * c.discount(t - 0.5 * a);
        }
        pv + last * c.z[0]
    }
    fn swap(c: &Curve, #[data] dates: &[(f64, f64)]) -> f64 {
        let (mut end, mut value): (f64, f64) = (0.0, 0.0);
        let mut weight: f64 = 1.0;
        for pair in dates.windows(2) {
            let (start, _) = pair[0];
            if start > 1.0 {
                weight *= 0.5;
            } else {
                weight = start.max(0.25);
            }
            value += weight * c.discount(pair[1].0 * weight);
            end = pair[1].1;
        }
        value * end
    }
    pub fn at(x: &[f64]) -> f64 {
        let c = Curve { z: x.to_vec() };
        annuity(&c, &[0.5, 1.0, 2.0]) + swap(&c, &[(0.5, 1.0), (1.5, 2.0), (2.5, 3.0)])
    }
} }
check!(accruals, at, [0.03, 0.01]);

both_with_data! { variables {
    #[allow(unused_imports)] // `T: Scalar` has its methods without
    use std::ops::MulAssign;
    fn exchanged(x: f64, #[data] t: &[f64]) -> f64 {
        let (mut a, mut b) = (t[0], 2.0);
        let mut c = 3.0;
        let mut d = 4.0;
        std::mem::swap(&mut c, &mut d);
        let sum = a + b;
        (a, b) = (b, x);
        sum + a * b + c * d
    }
    // Numbers after all: by a closure, by another number, by a branch.
    fn taken(x: f64, #[data] t: &[f64]) -> f64 {
        let mut by_closure = 1.0;
        let mut add = |v: f64| by_closure += v;
        add(x);
        add(2.0);
        let mut first = 0.5;
        let mut second = 0.25;
        for &t in t {
            second = first;
            first = x * t;
        }
        let mut best = 0.0;
        for &t in t {
            best = if t > 1.0 { t } else { x };
        }
        let mut by_method = 1.0;
        std::ops::AddAssign::add_assign(&mut by_method, x);
        let mut product = 2.0;
        product *= 1.5;
        product.mul_assign(x);
        by_closure + first * second + best + by_method * product
    }
    // Data: constants, other data, a loop by its own value.
    fn series(x: f64, #[data] t: &[f64]) -> f64 {
        let mut factorial = 1.0;
        let mut k = 0.0;
        let mut sum = 0.0;
        let mut power = 1.0;
        while k < 8.0 {
            sum += power / factorial;
            k += 1.0;
            factorial *= k;
            power *= x;
        }
        let mut total = 0.0;
        for w in t {
            total += w;
        }
        let mut previous = 0.0;
        let mut last = previous;
        for w in t.iter().map(|w| w / total) {
            last = previous;
            previous = w;
        }
        let shadow = {
            let mut last = x;
            last *= 2.0;
            last
        };
        sum * previous + last.max(x) + (previous + last).sqrt().min(shadow)
    }
    // Results of a block and of a function.
    fn end(#[data] t: &[f64]) -> f64 {
        let mut end = 0.0;
        for &t in t {
            end = t;
        }
        end
    }
    fn larger(x: f64, #[data] t: &[f64]) -> f64 {
        let mut level = 1.0;
        for t in t {
            if *t > level {
                level = *t;
            }
        }
        let lists = vec![level, x];
        let pair = (level, x);
        let f = |v: f64| v * level;
        lists[0] * lists[1] + pair.0 + f(level) + f(x) + if x > level { x } else { level }
    }
    pub fn at(x: &[f64]) -> f64 {
        let t = &[0.5, 1.5, 1.0];
        exchanged(x[0], t) + taken(x[0], t) * series(x[0], t) + end(t) * x[0] + larger(x[0], t)
    }
} }
check!(variables, at, [0.7]);

both! { days {
    pub struct Date(pub i32);
    impl Date {
        fn years_to(&self, to: &Date) -> f64 {
            (to.0 - self.0) as f64 / 365.25
        }
    }
    fn of_pair(d: (i32, i32)) -> f64 {
        (d.1 - d.0) as f64 / 365.25
    }
    fn of_list(d: &[i32]) -> f64 {
        (d[1] - d[0]) as f64 / 365.25
    }
    pub fn at(x: &[f64]) -> f64 {
        let dates = [Date(0), Date(730)];
        (-x[0] * of_pair((0, 365))).exp() + x[0] * of_list(&[10, 100]) + x[0] * dates[0].years_to(&dates[1])
    }
} }
check!(days, at, [0.03]);

/// Special functions of data have the crate's definition: plain code has none that is stable.
#[wengert::generic]
mod counts {
    type Rate = f64;
    pub fn poisson(l: Rate, #[data] counts: &[f64]) -> f64 {
        let mut sum = 0.0;
        for y in counts {
            sum += y * l.ln() - l - (y + 1.0).ln_gamma() - y.erf() * y.gamma().ln() + l.ln_gamma();
        }
        sum
    }
}

#[test]
fn special_functions_of_data() {
    use wengert::Real;
    let (l, y) = (2.0, [1.0, 3.0]);
    let of = |y: f64| {
        y * f64::ln(l) - l - Real::ln_gamma(y + 1.0) - Real::erf(y) * Real::gamma(y).ln() + Real::ln_gamma(l)
    };
    assert_eq!(counts::poisson(l, &y), 0.0 + of(y[0]) + of(y[1]));
    let slope = wengert::derivative(|l| counts::poisson(l, &y), l);
    assert!((slope - (4.0 / l - 2.0 + 2.0 * Real::digamma(l))).abs() < 1e-14, "{slope}");
}
