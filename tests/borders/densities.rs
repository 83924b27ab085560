//! Derivatives of the gamma and beta densities where they are small.

use wengert::{Real, derivative, gradient};

/// Near its mode the derivative of a density is the small difference of large terms.
#[test]
fn densities_have_all_digits_near_their_modes() {
    let gamma = |a: f64, x: f64| x.powf(a - 2.0) * (-x).exp() / Real::gamma(a) * (a - 1.0 - x);
    let near = [(2.0, 0.9999999), (1.5, 0.5000000001), (1.25, 0.25 - 1e-12), (1.0 + 1e-9, 1e-9 + 1e-15)];
    for (a, x) in near {
        let constant = derivative(|x| x.gamma_pdf(a), x);
        let variable = gradient(|p| p[0].gamma_pdf(p[1]), &[x, a])[0];
        for found in [constant, variable] {
            assert!((found / gamma(a, x) - 1.0).abs() < 1e-15, "{a} {x}: {found}, not {}", gamma(a, x));
        }
    }
    // In thirds a product is rounded.
    let beta = |[a, b]: [f64; 2], x: f64| {
        let scale = Real::ln_gamma(a + b) - Real::ln_gamma(a) - Real::ln_gamma(b);
        scale.exp() * x.powf(a - 2.0) * (1.0 - x).powf(b - 2.0) * (2.0 - a - b).mul_add(x, a - 1.0)
    };
    let third = 0.3333333333333;
    for (shape, x) in
        [([2.0, 2.0], 0.4999999999), ([2.0, 3.0], third), ([3.0, 2.0], 1.0 - third), ([30.0, 59.0], third)]
    {
        let found = derivative(|x| x.beta_pdf(shape), x);
        assert!(
            (found / beta(shape, x) - 1.0).abs() < 1e-13,
            "{shape:?} {x}: {found}, not {}",
            beta(shape, x)
        );
    }
}
