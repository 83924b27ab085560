//! Power series of order 10 of a composite function and of a product.

use num_traits::Float;

use crate::table::Table;

/// `exp(sin x + x²)/(ln x + 3)`.
fn composite<T: Float>(x: T, three: T) -> T {
    (x.sin() + x * x).exp() / (x.ln() + three)
}

type Ours = wengert::Taylor<f64, 10>;
/// The number counts the value.
type Theirs = echidna::Taylor<f64, 11>;

fn keep(out: &mut [f64; 11], y: Ours) {
    out[0] = y.value();
    out[1..].copy_from_slice(&y.coefficients());
}

/// The tables of a composite and of a product.
pub fn tables() -> impl Iterator<Item = String> {
    [whole, product].into_iter().map(|table| table())
}

fn whole() -> String {
    let mut want = [0.0; 11];
    keep(&mut want, composite(Ours::variable(0.7), Ours::constant(3.0)));
    Table::new("Series of exp(sin x + x²)/(ln x + 3) to order 10", 0.7, want)
        .case("wengert `Taylor<f64, 10>`", |x, out| {
            keep(out, composite(Ours::variable(x), Ours::constant(3.0)));
        })
        .case("echidna `Taylor<f64, 11>`", |x, out| {
            *out = composite(Theirs::variable(x), Theirs::constant(3.0)).coeffs;
        })
        .run()
}

fn product() -> String {
    let (x, y) = (Ours::variable(0.7).exp(), Ours::variable(0.7).sin());
    let (u, v) = (Theirs::variable(0.7).exp(), Theirs::variable(0.7).sin());
    let mut want = [0.0; 11];
    keep(&mut want, x * y);
    Table::new("Product of two series of order 10", 0.0, want)
        .case("wengert `Taylor<f64, 10>`", |z, out| keep(out, (x + z) * y))
        .case("echidna `Taylor<f64, 11>`", |z, out| *out = ((u + z) * v).coeffs)
        .run()
}
