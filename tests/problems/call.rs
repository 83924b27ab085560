//! A European call with a dividend yield, and its Greeks to third order.

use super::super::{numbers, read};
use wengert::{Dual, gradient};

/// The price at spot, strike, rate, yield, volatility and time to expiry.
#[wengert::generic]
fn price(x: &[f64]) -> f64 {
    let (spot, strike, rate, dividend, volatility, time) = (x[0], x[1], x[2], x[3], x[4], x[5]);
    let spread = volatility * time.sqrt();
    let forward = (spot / strike).ln() + (rate - dividend) * time;
    let (d1, d2) = (forward / spread + 0.5 * spread, forward / spread - 0.5 * spread);
    let normal = |d: f64| 0.5 * (-d / 2f64.sqrt()).erfc();
    spot * (-dividend * time).exp() * normal(d1) - strike * (-rate * time).exp() * normal(d2)
}
const SPOT: usize = 0;
const VOLATILITY: usize = 4;

type Third = Dual<Dual<Dual<f64>>>;

/// `∂ᵢf`, `∂ᵢ∂ⱼf` and `∂ᵢ∂ⱼ∂ₖf` in one evaluation.
fn partials(x: &[f64], [i, j, k]: [usize; 3]) -> [f64; 3] {
    let along = |n: usize, axis: usize| f64::from(u8::from(n == axis));
    let seed = |(n, &x): (usize, &f64)| -> Third {
        let inner = Dual::new(Dual::new(x, along(n, i)), Dual::constant(along(n, j)));
        Dual::new(inner, Dual::constant(Dual::constant(along(n, k))))
    };
    let y = price(&x.iter().enumerate().map(seed).collect::<Vec<_>>());
    [y.value().value().tangent(), y.value().tangent().tangent(), y.tangent().tangent().tangent()]
}

#[test]
fn greeks() {
    for case in read("finance_robot")["black_scholes_call"].as_array().unwrap() {
        let want = |name: &str| numbers(&case[name])[0];
        let x = ["S", "K", "r", "q", "sigma", "T"].map(want);
        let close = |name: &str, got: f64, limit: f64| {
            let error = (got / want(name) - 1.0).abs() / f64::EPSILON;
            assert!(error < limit, "{name}: {got}, {error:.1} eps");
        };
        close("price", price(&x), 16.0);
        let g = gradient(price, &x);
        for (i, name) in [(0, "delta"), (2, "rho"), (4, "vega"), (5, "theta_dT")] {
            close(name, g[i], 32.0);
        }
        let [delta, gamma, speed] = partials(&x, [SPOT; 3]);
        let [vega, volga, ultima] = partials(&x, [VOLATILITY; 3]);
        let [_, vanna, zomma] = partials(&x, [VOLATILITY, SPOT, SPOT]);
        for (name, got) in [("delta", delta), ("vega", vega)] {
            close(name, got, 32.0);
        }
        for (name, got) in [("gamma", gamma), ("vanna_dSds", vanna), ("volga_ds2", volga)] {
            close(name, got, 64.0);
        }
        for (name, got) in [("speed_dS3", speed), ("zomma_dS2ds", zomma), ("ultima_ds3", ultima)] {
            close(name, got, 256.0);
        }
    }
}
