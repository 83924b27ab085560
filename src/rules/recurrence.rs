//! How power series go through rules.

/// How a truncated power series `x(t)` goes through a rule `f(x)`: by default by the formula of `f′`, otherwise by a
/// recurrence that a row of the table states because it is shorter.
///
/// With `k·fₖ = Σⱼ j·xⱼ·dₖ₋ⱼ`, the coefficients of `f(x(t))′ = d·x′`, the coefficients of `f` follow from the
/// coefficients of `d = f′(x, f)`. Griewank and Walther, *Evaluating Derivatives* (2008), chapter 13.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Recurrence {
    /// By [`derivative`](super::Unary::derivative). If it does not read the result, it is evaluated once. Otherwise
    /// Newton's method evaluates it, and its derivative in the result, for twice as many orders each time: `O(K²)`
    /// operations. Up to order 8, and where something is not finite, it goes order by order. Series of order 2 and 3 of plain
    /// numbers take `f″` and `f‴` at the point instead.
    Derivative,
    /// `x·f = 1`.
    Reciprocal,
    /// `f² = x`.
    Root,
    /// `f′ = c·f`, where `c` is the constant `derivative(x, 1)`.
    Exponential,
    /// `(x + a)·f′ = c` with a constant `c`.
    Logarithm(f64),
    /// `f′ = g(x)·f`, where `g` is `derivative(x, 1)`.
    Linear,
    /// `x·f′ = c·f`.
    Power(f64),
    /// `f″ = a·f + b·f·f′`.
    Second([f64; 2]),
    /// `f = s·xᵖ·(1 − x)^q·e^(rx)` with the parameters `p`, `q`, `r` and a constant `s`.
    Density([f64; 3]),
    /// Of two variables: `f = e^(y ln x)`.
    LogLinear,
    /// Of two variables: `f = g(x + y) − g(x)`, by the derivatives at one point,
    /// [`derivatives`](super::Binary::derivatives). It takes `2K³/3` products.
    Increment,
    /// By the derivatives at one point, [`derivatives`](super::Unary::derivatives): `f(x₀ + u) = Σ f⁽ᵏ⁾(x₀)/k!·uᵏ`,
    /// by Horner's scheme with `K³/6` products, `K` of them on a straight line. The formula of `f′` gives the first
    /// derivatives up to this order, at most 3.
    Derivatives(usize),
}

/// The recurrence of a row, in brackets after its interval: a [`Recurrence`]; `of |x| …`, the one at a point; or `at
/// n |x, f, out| …`, which writes derivatives at a point; or `increment |x, y, out| …`, which does so for two variables.
macro_rules! recurrence {
    ($x:ident;) => {
        Recurrence::Derivative
    };
    ($x:ident; at $nested:literal $($rest:tt)*) => {
        Recurrence::Derivatives($nested)
    };
    ($x:ident; increment $($rest:tt)*) => {
        Recurrence::Increment
    };
    ($x:ident; of |$rx:ident| $e:expr) => {{
        let $rx = $x;
        $e
    }};
    ($x:ident; $($kind:tt)*) => {
        Recurrence::$($kind)*
    };
}

/// The function that writes derivatives at a point, if the row has one.
macro_rules! derivatives {
    ($x:ident $f:ident $out:ident; at $nested:literal |$rx:ident, $rf:ident, $rout:ident| $e:expr) => {{
        let ($rx, $rf, $rout) = ($x, $f, $out);
        $e
    }};
    ($x:ident $y:ident $out:ident; increment |$rx:ident, $ry:ident, $rout:ident| $e:expr) => {{
        let ($rx, $ry, $rout) = ($x, $y, $out);
        $e
    }};
    ($x:ident $f:ident $out:ident; $($rest:tt)*) => {
        ()
    };
}
