//! Plain `f64` code under `#[generic]`.
#![cfg(all(feature = "std", feature = "macros"))]
#![allow(clippy::all)] // plain code is as people write it
#![recursion_limit = "4096"]

#[macro_use]
#[path = "generic/both.rs"]
mod both;

/// As `both!`, for code with marks `#[data]`, which the plain code does without.
macro_rules! both_with_data {
    ($name:ident { $($code:tt)* }) => {
        #[allow(dead_code)]
        mod $name {
            pub mod plain {
                without_marks! { [] [] $($code)* }
            }
            #[wengert::generic]
            pub mod ported {
                $($code)*
            }
        }
    };
}

/// Code without the marks `#[data]`: what is done, and the groups that are open with what follows them.
macro_rules! without_marks {
    ([] [$($done:tt)*]) => { $($done)* };
    ([{parentheses [$($before:tt)*] [$($after:tt)*]} $($open:tt)*] [$($done:tt)*]) => {
        without_marks! { [$($open)*] [$($before)* ($($done)*)] $($after)* }
    };
    ([{brackets [$($before:tt)*] [$($after:tt)*]} $($open:tt)*] [$($done:tt)*]) => {
        without_marks! { [$($open)*] [$($before)* [$($done)*]] $($after)* }
    };
    ([{braces [$($before:tt)*] [$($after:tt)*]} $($open:tt)*] [$($done:tt)*]) => {
        without_marks! { [$($open)*] [$($before)* {$($done)*}] $($after)* }
    };
    ([$($open:tt)*] [$($done:tt)*] #[data] $($rest:tt)*) => {
        without_marks! { [$($open)*] [$($done)*] $($rest)* }
    };
    ([$($open:tt)*] [$($done:tt)*] ($($in:tt)*) $($rest:tt)*) => {
        without_marks! { [{parentheses [$($done)*] [$($rest)*]} $($open)*] [] $($in)* }
    };
    ([$($open:tt)*] [$($done:tt)*] [$($in:tt)*] $($rest:tt)*) => {
        without_marks! { [{brackets [$($done)*] [$($rest)*]} $($open)*] [] $($in)* }
    };
    ([$($open:tt)*] [$($done:tt)*] {$($in:tt)*} $($rest:tt)*) => {
        without_marks! { [{braces [$($done)*] [$($rest)*]} $($open)*] [] $($in)* }
    };
    ([$($open:tt)*] [$($done:tt)*] $next:tt $($rest:tt)*) => {
        without_marks! { [$($open)*] [$($done)* $next] $($rest)* }
    };
}

/// The plain program and the ported one have the same bits, and the derivatives of three modes agree with differences.
macro_rules! check {
    ($name:ident, $f:ident, $x:expr) => {
        #[test]
        fn $name() {
            struct Ported;
            impl wengert::Function for Ported {
                fn call<T: wengert::Scalar>(&self, x: &[T]) -> T {
                    self::$name::ported::$f(x)
                }
            }
            let x = $x;
            let plain = self::$name::plain::$f;
            assert_eq!(plain(&x).to_bits(), self::$name::ported::$f(&x).to_bits());
            let reverse = wengert::gradient(|x| self::$name::ported::$f(x), &x);
            for i in 0..x.len() {
                let of = |d: f64| {
                    plain(&std::array::from_fn::<_, { $x.len() }, _>(
                        |j| if i == j { x[j] + d } else { x[j] },
                    ))
                };
                let h = 1e-4 * (1.0 + x[i].abs());
                let difference = (8.0 * (of(h) - of(-h)) - (of(2.0 * h) - of(-2.0 * h))) / (12.0 * h);
                let scale = reverse.iter().fold(1e-300, |m: f64, g| m.max(g.abs()));
                assert!((reverse[i] - difference).abs() <= 1e-7 * scale, "{i}: {} {difference}", reverse[i]);
                let at = std::array::from_fn::<_, { $x.len() }, _>(|j| {
                    wengert::Dual::new(x[j], f64::from(u8::from(i == j)))
                });
                let forward = self::$name::ported::$f(&at);
                assert_eq!(forward.value().to_bits(), plain(&x).to_bits());
                assert!((forward.tangent() - reverse[i]).abs() <= 1e-12 * scale, "{i}");
            }
            let chosen = wengert::Function::gradient(&Ported, &x);
            assert!(chosen.iter().zip(reverse).all(|(a, b)| (a - b).abs() <= 1e-10 * b.abs().max(1e-9)));
        }
    };
}

#[cfg(feature = "nalgebra")]
#[path = "generic/bounds.rs"]
mod bounds;
#[cfg(feature = "nalgebra")]
#[path = "generic/calls.rs"]
mod calls;
#[path = "generic/curves.rs"]
mod curves;
#[path = "generic/data.rs"]
mod data;
#[path = "generic/enums.rs"]
mod enums;
#[path = "generic/everyday.rs"]
mod everyday;
#[path = "generic/forms.rs"]
mod forms;
#[path = "generic/methods.rs"]
mod methods;
#[path = "generic/models.rs"]
mod models;
#[path = "generic/names.rs"]
mod names;
#[path = "generic/places.rs"]
mod places;
#[cfg(feature = "nalgebra")]
#[path = "generic/ported.rs"]
mod ported;
#[path = "generic/programs.rs"]
mod programs;
#[path = "generic/shapes.rs"]
mod shapes;
#[path = "generic/small.rs"]
mod small;
#[path = "generic/std_types.rs"]
mod std_types;
