//! The scaling laws of the functions of matrices. A law has the exponents of two by which inputs and results grow.

use super::functions::{Function, Sizes};

/// Exponents of the inputs, and the exponents of the results that follow from them.
#[derive(Clone, Debug)]
pub struct Law {
    pub inputs: Vec<i32>,
    pub results: Vec<i32>,
    /// Whether the result is a logarithm: only its derivatives are scaled.
    pub is_logarithm: bool,
    /// Whether the function is a composition: a part may leave the range before the whole does.
    pub is_composition: bool,
}

/// The laws of a function; empty if it has none.
pub fn laws(function: Function, s: Sizes, complex: bool) -> Vec<Law> {
    let law = |(inputs, results): (&[i32], &[i32])| Law {
        inputs: inputs.to_vec(),
        results: results.to_vec(),
        is_logarithm: false,
        is_composition: false,
    };
    let all = |laws: &[(&[i32], &[i32])]| laws.iter().map(|&l| law(l)).collect::<Vec<_>>();
    let logarithm =
        |inputs: &[i32], results: &[i32]| vec![Law { is_logarithm: true, ..law((inputs, results)) }];
    let composed = |laws: Vec<Law>| laws.into_iter().map(|law| Law { is_composition: true, ..law }).collect();
    let (n, entries) = (s.n as i32, (s.m.min(4) * s.n.min(4)) as i32);
    let system: &[(&[i32], &[i32])] = &[
        (&[1, 0], &[-1]),
        (&[0, 1], &[1]),
        (&[1, 1], &[0]),
        (&[1, -1], &[-2]),
        (&[2, 1], &[-1]),
        (&[1, 2], &[1]),
    ];
    match function.0 {
        "matmul" | "matmul_tn" | "matmul_nt" | "matmul_tt" | "matmul_hn" | "matmul_nh" | "matmul_hh"
        | "outer" | "dot" | "dotc" | "kron" | "component_mul" => {
            all(&[(&[1, 0], &[1]), (&[0, 1], &[1]), (&[1, -1], &[0])])
        }
        "matmul_op" => all(&[(&[1, 0], &[1, 1]), (&[0, 1], &[1, 1]), (&[1, -1], &[0, 0])]),
        // Not by only α and β: tangents of both factors have a product before α multiplies it.
        "gemm" => all(&[
            (&[1, -1, 0, 0, 0], &[0]),
            (&[1, 0, -1, 0, 0], &[0]),
            (&[0, 1, -1, 1, -1], &[0]),
            (&[0, 1, 0, 0, 1], &[1]),
        ]),
        "trace"
        | "sum"
        | "column_sum"
        | "row_sum"
        | "mean"
        | "singular_values"
        | "norm"
        | "nuclear_norm"
        | "spectral_norm"
        | "eigenvalues"
        | "symmetric_eigenvalues" => all(&[(&[1], &[1])]),
        "solve"
        | "solve_transpose"
        | "lu_solve"
        | "lu_solve_transpose"
        | "lu_solve_adjoint"
        | "solve_lower"
        | "solve_upper"
        | "solve_lower_transpose"
        | "solve_upper_transpose"
        | "solve_lower_adjoint"
        | "solve_upper_adjoint"
        | "cholesky_solve"
        | "lstsq"
        | "lyapunov" => all(system),
        "lu_det" | "det" => all(&[(&[1], &[n])]),
        "lu_ln_abs_det" | "ln_abs_det" | "cholesky_ln_det" | "symmetric_function" => logarithm(&[1], &[0]),
        "sign_ln_det" => logarithm(&[1], &[0, 0]),
        "inverse" | "pinv" => all(&[(&[1], &[-1])]),
        "lu" => all(&[(&[1], &[0, 1])]),
        "solve_unit_lower"
        | "solve_unit_upper"
        | "solve_unit_lower_transpose"
        | "solve_unit_upper_transpose"
        | "broadcast_row" => all(&[(&[0, 1], &[1])]),
        "broadcast_column" => all(&[(&[1, 0], &[1])]),
        "cholesky" | "cholesky_l" | "symmetric_sqrt" => all(&[(&[2], &[1])]),
        "normalize" | "polar" => all(&[(&[1], &[0])]),
        "polar_factors" => composed(all(&[(&[1], &[0, 1])])),
        "svd" => all(&[(&[1], &[1, 0, 0])]),
        "qr" => all(&[(&[1], &[0, 1])]),
        "qr_factors" => all(&[
            (&[1, 0], &[0, 1, -1]),
            (&[0, 1], &[0, 0, 1]),
            (&[1, 1], &[0, 1, 0]),
            (&[2, 1], &[0, 2, -1]),
            (&[1, 2], &[0, 1, 1]),
        ]),
        "symmetric_eigen" | "symmetric_eigenpair" | "eigen" => all(&[(&[1], &[1, 0])]),
        "matrix_power" => all(&[(&[1], &[3, -2])]),
        "sylvester" => all(&[(&[1, 1, 0], &[-1]), (&[0, 0, 1], &[1]), (&[1, 1, 1], &[0])]),
        "product" => all(&[(&[1], &[entries])]),
        "inverse_quadratic_form" => composed(all(&[(&[1, 0], &[-1]), (&[0, 1], &[2]), (&[2, 1], &[0])])),
        "gaussian_log_density" => composed(logarithm(&[2, 1, 1], &[0])),
        // Complex quotients are the operator of num-complex.
        "component_div" if !complex => all(&[(&[1, 0], &[1]), (&[0, 1], &[-1]), (&[1, 1], &[0])]),
        // Exponentials, and what is no homogeneous function.
        "component_div" | "expm" | "symmetric_exp" | "map" | "broadcast_scalar" => Vec::new(),
        other => panic!("{other}: say how it scales"),
    }
}
