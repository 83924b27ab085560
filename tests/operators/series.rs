//! The prepared operators of series: any order, at points of all kinds.

use nalgebra::{DMatrix, UnitQuaternion};
use wengert::Taylor;
use wengert::prepare::{self, ForwardSeries};

use super::{allocations, scenarios};

type Fourth = Taylor<f64, 4>;

#[cfg(feature = "macros")]
mod derived {
    /// A struct with a sequence, a plain field and data.
    #[derive(wengert::Differentiable)]
    pub struct Layer<T> {
        pub weights: Vec<T>,
        pub bias: T,
        #[data]
        pub name: &'static str,
    }

    /// An enum with a sequence.
    #[derive(wengert::Differentiable)]
    pub enum Shape<T> {
        Point(T),
        Polygon { corners: Vec<T>, scale: T },
    }
}

#[test]
fn at_points_of_all_kinds() {
    let mut assertions = 0;
    macro_rules! hold {
        ($($kind:literal: $x:expr;)*) => {
            $(
                let outcome = scenarios().series_at($kind, $x);
                assertions += outcome.assertions;
                outcome.assert();
            )*
        };
    }
    hold! {
        "array": &[0.5, -1.25, 2.0];
        "slice": &[0.5, -1.25, 2.0][..];
        "Vec": &vec![0.5; 11];
        "no numbers": &[0.0; 0];
        "tuple": &(0.5, vec![-1.25; 6], [Some(1.5)]);
        "nested sequences": &vec![vec![0.5, 2.0], vec![], vec![-1.25]];
        "rotation": &UnitQuaternion::from_euler_angles(0.5, -0.25, 0.75);
        "matrix": &DMatrix::from_column_slice(2, 2, &[0.5, -1.25, 2.0, 0.75]);
    }
    #[cfg(feature = "macros")]
    {
        use derived::{Layer, Shape};
        let polygon = Shape::Polygon { corners: vec![0.5, -1.25], scale: 2.0 };
        hold! {
            "struct": &Layer { weights: vec![0.5, -1.25], bias: 2.0, name: "first" };
            "enums": &vec![polygon, Shape::Point(0.75)];
        }
    }
    assert!(assertions > 350, "{assertions} assertions");
}

/// `Σ xₖ³`.
fn cubes<'a>(x: impl IntoIterator<Item = &'a Fourth>) -> Fourth {
    x.into_iter().map(|&x| x * x * x).sum()
}

#[test]
fn other_structures_are_prepared_again() {
    let (long, short) = (vec![0.5, -1.25, 2.0], vec![0.75]);
    let (mut out, mut series) = (Fourth::constant(0.0), prepare::directional(ForwardSeries, &short));
    let f = |x: &[Fourth]| cubes(x);
    assert!(series.of(f).at(&long, &[1.0; 3], &mut out).is_err(), "a long point is taken");
    for x in [&long, &short, &long] {
        series.reprepare(x);
        let v: Vec<f64> = (0..x.len()).map(|k| 1.0 - 0.75 * k as f64).collect();
        series.of(f).at(x, &v, &mut out).unwrap();
        let want: f64 = x.iter().zip(&v).map(|(x, v)| 3.0 * x * x * v).sum();
        assert!((out.coefficient(1) - want).abs() <= 1e-12 * (1.0 + want.abs()), "{x:?}");
    }
}

#[test]
fn curves() {
    let t = 0.42_f64;
    let (mut series, mut derivatives) =
        (prepare::taylor(ForwardSeries, &t), prepare::derivative_n(ForwardSeries::<4>, &t));
    let mut out = (Fourth::constant(f64::NAN), [Fourth::constant(f64::NAN)]);
    let near = |got: &[f64], want: [f64; 5]| {
        got.iter().zip(want).all(|(got, want)| (got - want).abs() <= 1e-12 * (1.0 + want.abs()))
    };
    let all = |y: &Fourth| [0, 1, 2, 3, 4].map(|k| y.coefficient(k));
    for call in 0..2 {
        let (before, mut calls) = (allocations::so_far(), 0);
        let curve = |t: &Fourth| {
            calls += 1;
            (*t * *t * *t, [*t * *t * 5.0])
        };
        series.of(curve).at(t, &mut out).unwrap();
        assert_eq!((calls, if call > 0 { allocations::so_far() - before } else { 0 }), (1, 0));
        assert!(near(&all(&out.0), [t * t * t, 3.0 * t * t, 3.0 * t, 1.0, 0.0]), "{out:?}");
        assert!(near(&all(&out.1[0]), [5.0 * t * t, 10.0 * t, 5.0, 0.0, 0.0]), "{out:?}");
        let mut d = [f64::NAN; 4];
        let before = allocations::so_far();
        let y = derivatives.of(|t: &Fourth| *t * *t * *t).at(t, &mut d).unwrap();
        assert!(call == 0 || allocations::so_far() == before);
        assert!(near(&[y, d[0], d[1], d[2], d[3]], [t * t * t, 3.0 * t * t, 6.0 * t, 6.0, 0.0]), "{d:?}");
    }
    assert!(derivatives.of(|t: &Fourth| *t).at(t, &mut [0.0; 3]).is_err(), "a short buffer is taken");
}
