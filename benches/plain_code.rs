//! Plain `f64` code under `#[generic]` compared with the same text without the attribute, and its gradients with those
//! of generic code written by hand. `cargo bench --bench plain_code --profile release`, the profile of users' programs,
//! prints ratios. With the arguments `NAME CASE N` it only runs a case `N` times, for `valgrind --tool=callgrind`;
//! `CASE` is `plain`, `ported`, `gradient` or `by_hand`.
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
