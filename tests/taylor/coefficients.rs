//! Coefficients to order 30 of functions whose series are composed or solved, against mpmath: `tests/data/series.py`.

use wengert::{Number, Real, Taylor, TaylorDyn};

use crate::with_room;

#[path = "../support/tables.rs"]
#[allow(dead_code)]
mod tables;

const K: usize = 31;

fn at<T: Real<Base = f64>>(name: &str, x: T, y: T) -> T {
    match name {
        "erfcx" => x.erfcx(),
        "ln_norm_cdf" => x.ln_norm_cdf(),
        "atan" => x.atan(),
        "asinh" => x.asinh(),
        "ln_gamma" => x.ln_gamma(),
        "sinc" => x.sinc(),
        "hypot" => x.hypot(y),
        "ln_beta" => x.ln_beta(y),
        "beta" => x.beta(y),
        other => panic!("no function {other}"),
    }
}

/// `64 eps·(1 + cond)` of each coefficient, where `cond` is what rounding the argument by an eps changes.
#[test]
fn composed_series_to_order_thirty() {
    with_room(|| {
        let table = tables::Table::parse(include_str!("../data/series.csv"));
        let mut failed = Vec::new();
        for row in table.rows() {
            let (name, [x, y, a, b]) = (row.text("function"), ["x", "y", "a", "b"].map(|c| row.number(c)));
            let want: Vec<f64> = (0..=K).map(|k| row.number(&format!("c{k}"))).collect();
            let line = |x: f64, a: f64| Taylor::<f64, K>::variable(0.0) * a + x;
            let got = at(name, line(x, a), line(y, b));
            let dynamic = |x: f64, a: f64| TaylorDyn::<f64, K>::variable(0.0, K).unwrap() * a + x;
            assert_eq!(at(name, dynamic(x, a), dynamic(y, b)).coefficients(), got.coefficients(), "{name}");
            for k in 1..K {
                let next = (k + 1) as f64 * want[k + 1] * x.abs().max(y.abs());
                let limit = 64.0 * f64::EPSILON * (want[k].abs() + next.abs());
                let error = (got.coefficient(k) - want[k]).abs();
                if error > limit || error.is_nan() {
                    let eps = error / limit * 64.0;
                    failed.push(format!("{name} at {x} {y} order {k}: {:e}, {eps} eps", got.coefficient(k)));
                }
            }
        }
        assert!(failed.is_empty(), "{}:\n{}", failed.len(), failed.join("\n"));
    });
}

/// `0·∞` is NaN where only a zero of the other factor counts, and zero where a zero of either factor counts.
#[test]
fn the_law_of_a_product_is_that_of_its_values() {
    let x = Taylor::<f64, 2>::new(0.0, [1.0, 0.0]);
    let y = Taylor::<f64, 2>::new(1.0, [f64::INFINITY, 0.0]);
    assert!(x.strong_mul(y).coefficients()[0].is_nan());
    assert_eq!(x.strong_both(y).coefficients()[0], 1.0);
}
