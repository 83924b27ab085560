//! Points of the tests, and how numbers of three derivatives are compared.

use std::f64::consts::PI;

use nalgebra::{SVector, Vector3};
use wengert::Dual;

pub type Third = Dual<Dual<Dual<f64>>>;

/// The angles that matter: zero, tiny, where formulas change (π/2), near π, at π, beyond.
pub const ANGLES: [f64; 15] = [
    0.0,
    1e-200,
    1e-9,
    1e-4,
    0.3,
    1.0,
    PI / 2.0 - 1e-9,
    PI / 2.0,
    PI / 2.0 + 1e-9,
    2.2,
    3.0,
    PI - 1e-3,
    PI - 1e-6,
    PI - 1e-12,
    PI,
];

/// Axes, some with zeros.
pub fn axes() -> [Vector3<f64>; 5] {
    let unit = |x, y, z| Vector3::new(x, y, z).normalize();
    [
        unit(1.0, 0.0, 0.0),
        unit(0.0, -1.0, 0.0),
        unit(0.0, 0.6, 0.8),
        unit(1.0, 1.0, 1.0),
        unit(-0.3, 0.5, -0.9),
    ]
}

/// A number with the value `x` and the three directions of the entry.
pub fn third(x: f64, [a, b, c]: [f64; 3]) -> Third {
    Dual::new(Dual::new(Dual::new(x, a), Dual::constant(b)), Dual::constant(Dual::constant(c)))
}

/// A vector with three directions, fixed ones of length about one.
pub fn directed<const N: usize>(x: SVector<f64, N>) -> SVector<Third, N> {
    let wave = |i: usize, k: f64| (1.3 + 2.1 * k + (1.0 + k) * i as f64).sin();
    SVector::from_fn(|i, _| third(x[i], [wave(i, 0.0), wave(i, 1.0), wave(i, 2.0)]))
}

/// The eight components: value, three first, three second, one third derivative, by the directions that take part.
pub fn components(x: Third) -> [f64; 8] {
    let of = |i: usize| {
        let x = if i & 4 == 0 { x.value() } else { x.tangent() };
        let x = if i & 2 == 0 { x.value() } else { x.tangent() };
        if i & 1 == 0 { x.value() } else { x.tangent() }
    };
    std::array::from_fn(of)
}

/// The largest difference of two lists by order of the derivative.
pub fn differences(a: impl IntoIterator<Item = Third>, b: impl IntoIterator<Item = Third>) -> [f64; 4] {
    let mut worst = [0.0; 4];
    for (a, b) in a.into_iter().zip(b) {
        for (i, (a, b)) in components(a).into_iter().zip(components(b)).enumerate() {
            let order = i.count_ones() as usize;
            let difference = (a - b).abs();
            worst[order] = if difference <= worst[order] { worst[order] } else { difference };
        }
    }
    worst
}

/// Asserts the largest differences by order.
#[track_caller]
pub fn assert_close(differences: [f64; 4], within: [f64; 4], at: impl std::fmt::Debug) {
    let close = differences.iter().zip(within).all(|(&d, within)| d <= within);
    assert!(close, "{differences:?} exceeds {within:?} at {at:?}");
}
