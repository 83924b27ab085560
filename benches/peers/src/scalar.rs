//! Value and derivative of a function of one variable.

use ad_trait::forward_ad::adfn::adfn;

use crate::functions::scalar as f;
use crate::table::Table;
use crate::workloads::scalar;

/// The table of the workload.
pub fn tables() -> impl Iterator<Item = String> {
    std::iter::once_with(|| {
        Table::new("Derivative of exp(sin x + x²)·ln(1 + x²)/√x", 1.3, scalar::hand(1.3))
            .case("hand", |x, out| *out = scalar::hand(x))
            .case("wengert `Dual<f64>`", |x, out| *out = scalar::dual(x))
            .case("echidna `Dual<f64>`", |x, out| {
                let y = f(echidna::Dual::variable(x));
                *out = [y.re, y.eps];
            })
            .case("num-dual `first_derivative`", |x, out| {
                *out = num_dual::first_derivative(f::<num_dual::Dual64>, x).into();
            })
            .case("ad_trait `adfn<1>`", |x, out| {
                let y = f(adfn::new(x, [1.0]));
                *out = [y.value(), y.tangent()[0]];
            })
            .case("autodiff `F1`", |x, out| {
                let y = f(autodiff::F1::var(x));
                *out = [y.value(), y.deriv()];
            })
            .case("hyperdual `Dual<f64>`", |x, out| {
                let y = f(hyperdual::Dual::new(x, 1.0));
                *out = [y.real(), y.dual()];
            })
            .run()
    })
}
