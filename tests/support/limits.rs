//! The tolerances of the oracle tables, stated once. They are never loosened to let a row pass: rows that no
//! arithmetic of their form can satisfy are listed by name, each with the reason.

/// Functions of one variable in every class, in eps by order and conditioning (`cond[k] = |x f⁽ᵏ⁺¹⁾/f⁽ᵏ⁾|`).
pub fn unary(order: usize, cond: &[f64]) -> f64 {
    match order {
        0 => 2.0,
        1 => 4.0,
        2 => 8.0,
        3 => 16.0,
        _ => 32.0 * (1.0 + cond[3]),
    }
}

/// Derivatives whose formulas contain their zeros exactly, for arguments below the bound: no allowance for conditioning.
pub const EXACT_ZEROS: [(&str, usize, f64); 6] = [
    ("asinh", 3, 12.0),
    ("tanh", 3, 12.0),
    ("sech2", 2, 12.0),
    ("sigmoid", 3, 12.0),
    ("sinc", 2, 3.0),
    ("sinc_slope", 1, 3.0),
];

/// The limit next to a zero of the derivative itself, where terms cancel. An argument is a rounded number, off by
/// half an eps of itself. This changes the derivative by `cond/2` eps, and no formula gives more digits than the
/// argument has.
pub fn dense(name: &str, order: usize, x: f64, cond: f64) -> f64 {
    let exact = EXACT_ZEROS.iter().any(|row| (row.0, row.1) == (name, order) && x.abs() < row.2);
    let rounding = if exact { 0.0 } else { 0.5 * cond };
    unary(order, &[]).max(rounding)
}

/// Functions of one variable with parameters: the same limits, with two exceptions. std's own `powi` squares
/// repeatedly and loses |n| eps. Incomplete gamma and beta functions are exponentials of large numbers, whose
/// rounding is the rounding of the argument, given by `cond`.
pub fn with_parameters(name: &str, n: f64, order: usize, cond: &[f64]) -> f64 {
    match (name, order) {
        ("powi", 0) => n.abs().max(2.0),
        ("gamma_p" | "gamma_q" | "gamma_pdf" | "beta_i" | "beta_pdf", _) => {
            [4.0, 4.0, 8.0, 16.0, 32.0][order] * (1.0 + cond[order])
        }
        _ => unary(order, cond),
    }
}

/// Functions of two variables, in eps of the entry; where zero is expected, of the largest entry of the same
/// derivative.
pub fn binary(order: usize, want: f64) -> f64 {
    match order {
        0 => 2.0,
        1 => 4.0,
        _ if want == 0.0 => 4.0,
        2 => 16.0,
        _ => 32.0,
    }
}

/// The beta function of large arguments is an exponential, and as accurate as its logarithm is. Rounding the
/// arguments also costs `|ln f|`.
pub fn exponential(name: &str, class: &str, f: f64) -> f64 {
    if (name, class) == ("beta", "large") { 1.0 + f.ln().abs() } else { 1.0 }
}

/// Functions of two variables that are exponentials of large numbers, or integrals of them: the limit times `1 + cond`, as
/// for one variable.
pub const SHAPED: [&str; 3] = ["gamma_p", "gamma_q", "gamma_pdf"];

/// Functions whose mixed derivatives are judged by the largest entry of the same order. The mixed derivatives of
/// `B(x, y)` do not contain its poles `1/x + 1/y`, but the other derivatives do, and so do the terms of the mixed
/// ones.
pub const POLES: [&str; 1] = ["beta"];

/// Complex functions, in eps of the modulus.
pub fn complex(class: &str, id: &str, column: &str) -> f64 {
    let named = COMPLEX_CANCELLING.iter().find(|row| (row.0, row.1) == (id, column));
    let factor = named.map_or(1.0, |row| row.2);
    factor * if matches!(class, "nearcut" | "tiny" | "huge") { 16.0 } else { 8.0 }
}

/// Complex functions on the grid, in eps of the modulus, by order.
pub fn complex_on_grid(order: usize) -> f64 {
    [4.0, 8.0, 16.0][order]
}

/// Rows whose result is a difference of products that are larger by this factor. The cotangent of z/|z| is
/// `iz·Im(conj(z)·ȳ)/|z|³`; here `ȳ` is nearly parallel to `z`, and a tape holds the partials of both parts.
pub const COMPLEX_CANCELLING: [(&str, &str, f64); 1] = [("unit-462", "zbar", 246.0)];

/// Rows where the operator of num-complex gives NaN, since it forms `|w|²`. The number equals the result of the same
/// code at `Complex<f64>` bit for bit.
pub const COMPLEX_OPERATOR: [&str; 2] = ["div-512", "div-513"];

/// Rows whose partial is infinite while a component of its product with the tangent has a sign: NaN there.
pub const COMPLEX_OVERFLOWING: [&str; 1] = ["recip-253"];

/// Composites, in eps of the largest entry, from the error that a float64 reference reached.
pub fn composite(f64_error: f64) -> f64 {
    16.0 * (f64_error / f64::EPSILON).max(4.0)
}

/// Composites where zero is expected, absolute, from the largest entry of the Hessian.
pub fn composite_zero(hessian: f64) -> f64 {
    1e-13 * hessian.max(1.0)
}

/// Whether the value is checked against the table: std's `acosh` near 1 and `atanh` near −1 lose up to 1e13 eps.
/// The primal is std's all the same.
pub fn accurate_in_std(name: &str) -> bool {
    !matches!(name, "acosh" | "atanh")
}

/// Rows of one variable beyond their limit: the order, the limit that replaces it, and the reason.
pub const BEYOND: [(&str, usize, f64); 2] = [
    // A zero of sinc′ to the last bit: the value is 7e-18, cond1 = 1.35e17. Double-double arithmetic with 104 bits
    // gives 18 eps; plain f64 gives no bit.
    ("sinc-1143", 1, 20.0),
    // Φ‴ ∝ x² − 1 next to its zero: cond3 = 1080. Nested numbers form it as −1 + x².
    ("norm_cdf-132", 3, 140.0),
];

/// Entries of two variables that are small differences of large terms, so that the rounding of one elementary
/// function is more than the limit: judged by the largest entry of the same derivative.
pub const CANCELLING: [(&str, &str); 2] = [
    // x^(y−1)·(1 + y ln x) with 1 + y ln x = −5e-9: one rounding of ln x is 2e-8 of it.
    ("powf-102", "fxy"),
    // 2.3e-307, through subnormal terms.
    ("log_base-136", "fxxy"),
];

/// Rows, each with the order from which on the terms of a derivative overflow with opposite signs. NaN for a result
/// beyond the range of a float is accepted there, in all types or in the one named. In duals of `Dual2` the overflow
/// of a third derivative reaches the second ones, which that type adds up from all its parts. A tape that
/// differentiates a rule's own formula adds up cotangents of ∞ and −∞ where forward mode adds tangents before they
/// overflow: the second derivatives of four of these rows over `Var`, and a third one in series of it.
pub const OVERFLOWING: [(&str, usize, &str); 23] = [
    ("powf-103", 3, ""),
    ("atan2-190", 3, ""),
    ("atan2-192", 3, ""),
    ("atan2-199", 2, ""),
    ("hypot-238", 3, ""),
    ("hypot-245", 3, ""),
    ("div-68", 3, "Dual<Dual2>"),
    ("powf-103", 2, "Dual<Dual2>"),
    ("atan2-190", 2, "Dual<Dual2>"),
    ("atan2-192", 2, "Dual<Dual2>"),
    ("powf-103", 2, "Var<Var>"),
    ("powf-103", 2, "Dual<Var>"),
    ("atan2-190", 2, "Var<Var>"),
    ("atan2-190", 2, "Dual<Var>"),
    ("atan2-192", 2, "Var<Var>"),
    ("atan2-192", 2, "Dual<Var>"),
    ("hypot-245", 2, "Var<Var>"),
    ("hypot-245", 2, "Dual<Var>"),
    ("powf-103", 2, "Taylor<Var>"),
    ("atan2-190", 2, "Taylor<Var>"),
    ("atan2-192", 2, "Taylor<Var>"),
    ("hypot-245", 2, "Taylor<Var>"),
    ("xlogy-302", 3, "Taylor<Var>"),
];

/// The numbers that the limit of a function of matrices depends on.
pub struct Conditioning {
    /// `κ(A)`, of the operator where the function solves with one made of several matrices.
    pub kappa: f64,
    /// `|A|`
    pub norm: f64,
    /// The least distance between two eigenvalues or singular values, and between a singular value and zero.
    pub gap: f64,
}

/// Functions of matrices, in eps of the norm of the result or of the direction, whichever is larger; a cotangent is
/// of order 1.
pub fn linalg(op: &str, result: &str, order: usize, of: &Conditioning) -> f64 {
    const C: f64 = 64.0;
    let spread = of.norm / of.gap;
    match (op, result, order) {
        // Values of a decomposition, relative to |A|, not to themselves.
        ("eigh" | "svd" | "eig" | "eigvals", "lambda" | "S", 0) => C,
        // The vectors enter the derivatives of the values. A second derivative grows as the square of a small gap,
        // and is as accurate as the gap is, relative to itself.
        ("eigh" | "svd" | "eig" | "eigvals", _, _) => C * spread.max(1.0),
        ("lstsq" | "pinv" | "gauss_nll" | "quadform_inv", _, 2) => C * of.kappa * of.kappa,
        _ => C * of.kappa,
    }
}
