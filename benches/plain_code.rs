//! Plain `f64` code under `#[generic]` compared with the same text without the attribute, and its gradients with those
//! of generic code written by hand. `cargo bench --bench plain_code` prints ratios. With
//! the arguments `NAME CASE N` it only runs a case `N` times, for `valgrind --tool=callgrind`; `CASE` is `plain`,
//! `ported`, `gradient` or `by_hand`.
#![recursion_limit = "4096"]

#[path = "workloads/generic_by_hand.rs"]
mod by_hand;
mod workloads;

use std::hint::black_box;

use workloads::timing::{Case, compare};

#[macro_use]
#[path = "../tests/generic/both.rs"]
mod both;

/// The cases of a program at a point.
macro_rules! check {
    ($name:ident, $f:ident, $x:expr) => {
        pub fn $name() -> (&'static str, Vec<super::Case<'static>>) {
            use std::hint::black_box;
            let x = $x;
            let (ported, by_hand) = (
                wengert::gradient(|x| self::$name::ported::$f(x), &x),
                wengert::gradient(|x| super::by_hand::$name(x), &x),
            );
            super::workloads::check(stringify!($name), &ported, &by_hand);
            let cases: Vec<super::Case<'static>> = vec![
                ("plain", Box::new(move || _ = black_box(self::$name::plain::$f(black_box(&x))))),
                ("ported", Box::new(move || _ = black_box(self::$name::ported::$f(black_box(&x))))),
                (
                    "by_hand",
                    Box::new(move || {
                        _ = black_box(wengert::gradient(|x| super::by_hand::$name(x), black_box(&x)))
                    }),
                ),
                (
                    "gradient",
                    Box::new(move || {
                        _ = black_box(wengert::gradient(|x| self::$name::ported::$f(x), black_box(&x)))
                    }),
                ),
            ];
            (stringify!($name), cases)
        }
    };
}

#[path = "../tests/generic/ported.rs"]
mod ported;

/// A sum over a data set in arguments with the mark `#[data]`, and by hand with slices of floats.
mod decay {
    use super::workloads::check;
    use std::hint::black_box;
    use wengert::{Real, generic, gradient};

    #[generic]
    fn ported(p: &[f64], #[data] t: &[f64], #[data] y: &[f64], #[data] sigma: f64) -> f64 {
        let n = t.len() as f64;
        t.iter().zip(y).map(|(t, y)| ((p[0] * (-p[1] * t).exp() + p[2] - y) / sigma).powi(2)).sum::<f64>() / n
    }
    fn by_hand<T: Real<Base = f64>>(p: &[T], t: &[f64], y: &[f64], sigma: f64) -> T {
        let n = t.len() as f64;
        t.iter().zip(y).map(|(&t, &y)| ((p[0] * (-p[1] * t).exp() + p[2] - y) / sigma).powi(2)).sum::<T>() / n
    }
    fn plain(p: &[f64], t: &[f64], y: &[f64], sigma: f64) -> f64 {
        let n = t.len() as f64;
        t.iter().zip(y).map(|(t, y)| ((p[0] * (-p[1] * t).exp() + p[2] - y) / sigma).powi(2)).sum::<f64>() / n
    }
    pub fn cases() -> (&'static str, Vec<super::Case<'static>>) {
        const P: [f64; 3] = [0.9, 1.3, 0.1];
        const SIGMA: f64 = 0.2;
        let t: &[f64] = Box::leak((0..100).map(|i| 0.03 * f64::from(i)).collect());
        let y: &[f64] = Box::leak(t.iter().map(|t| (-t).exp() + 0.01 * (7.0 * t).sin()).collect());
        let ours = move || gradient(|p| ported(p, black_box(t), black_box(y), SIGMA), black_box(&P));
        let other = move || gradient(|p| by_hand(p, black_box(t), black_box(y), SIGMA), black_box(&P));
        check("decay", &ours(), &other());
        let cases: Vec<super::Case<'static>> = vec![
            (
                "plain",
                Box::new(move || _ = black_box(plain(black_box(&P), black_box(t), black_box(y), SIGMA))),
            ),
            (
                "ported",
                Box::new(move || _ = black_box(ported(black_box(&P), black_box(t), black_box(y), SIGMA))),
            ),
            ("by_hand", Box::new(move || _ = black_box(other()))),
            ("gradient", Box::new(move || _ = black_box(ours()))),
        ];
        ("decay", cases)
    }
}

fn main() {
    let programs = [
        ported::planets(),
        ported::options(),
        ported::orbit(),
        ported::network(),
        ported::filter(),
        ported::spline(),
        ported::fluid(),
        ported::truss(),
        decay::cases(),
    ];
    let arguments: Vec<String> = std::env::args().skip(1).filter(|a| a != "--bench").collect();
    if let [name, case, calls] = &arguments[..] {
        let mut found =
            programs.into_iter().filter(|(program, _)| program == name).flat_map(|(_, cases)| cases);
        let (_, mut run) =
            found.find(|(one, _)| one == case).unwrap_or_else(|| panic!("no case {name} {case}"));
        let calls: usize = calls.parse().expect("a number of calls");
        return (0..calls).for_each(|_| black_box(&mut run)());
    }
    for (name, mut cases) in programs {
        let mut gradients = cases.split_off(2);
        compare(&format!("{name}, values"), &mut cases);
        compare(&format!("{name}, gradients"), &mut gradients);
    }
}
