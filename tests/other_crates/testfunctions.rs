//! argmin_testfunctions (`Float + FromPrimitive + Sum`): functions for optimisers, with gradients and
//! Hessians that its authors derived by hand. Ours must agree with theirs.

use super::derivatives::{Case, dot, dot_abs};
use argmin_testfunctions::*;
use num_traits::{Float, FromPrimitive};
use std::iter::Sum;

/// Directions in which no partial derivative is multiplied by zero.
const V: [f64; 3] = [1.0, -0.5, 2.0];

/// The derivatives along `v` from a gradient and a Hessian: `gᵀv` and `vᵀHv`, with the sizes of their terms.
fn along(gradient: &[f64], hessian: &[Vec<f64>], v: &[f64]) -> ([f64; 2], [f64; 2]) {
    let hv: Vec<f64> = hessian.iter().map(|row| dot(row, v)).collect();
    let hv_abs: Vec<f64> = hessian.iter().map(|row| dot_abs(row, v)).collect();
    ([dot(gradient, v), dot(&hv, v)], [dot_abs(gradient, v), dot_abs(&hv_abs, v)])
}

/// `function gradient Hessian` at a point, in the call style of the function (`array` or `slice`); errors are
/// relative to the terms `gᵢvᵢ` and `vᵢHᵢⱼvⱼ` of the exact side.
macro_rules! rows {
    (within $limit:literal: $($style:ident $f:ident $gradient:ident $hessian:ident at $x:expr;)*) => {$({
        fn call<T: Float + FromPrimitive + Sum>(x: &[T]) -> Vec<T> {
            vec![$f(rows!(@$style x))]
        }
        let x: &[f64] = &$x;
        let gradient = $gradient(rows!(@$style x)).to_vec();
        let hessian: Vec<Vec<f64>> = $hessian(rows!(@$style x)).iter().map(|row| row.to_vec()).collect();
        let (d, scales) = along(&gradient, &hessian, &V[..x.len()]);
        let case = Case::new(stringify!($f), x, &V).first([d[0]], $limit).second([d[1]], $limit);
        every_type!(call, case.scales(scales));
    })*};
    (@array $x:ident) => { &[$x[0], $x[1]] };
    (@slice $x:ident) => { $x };
}

/// Polynomials: both sides are a few rounded products, most of them equal; inside one partial derivative
/// terms may cancel too.
#[test]
fn polynomials() {
    rows! { within 8.0:
        array beale beale_derivative beale_hessian at [1.5, -0.75];
        array booth booth_derivative booth_hessian at [2.5, -1.25];
        array goldsteinprice goldsteinprice_derivative goldsteinprice_hessian at [0.5, -0.75];
        array himmelblau himmelblau_derivative himmelblau_hessian at [1.5, -2.25];
        array matyas matyas_derivative matyas_hessian at [1.5, -0.75];
        array threehumpcamel threehumpcamel_derivative threehumpcamel_hessian at [1.5, -0.75];
        slice rosenbrock rosenbrock_derivative rosenbrock_hessian at [1.5, -0.75, 0.5];
        slice sphere sphere_derivative sphere_hessian at [1.5, -0.75, 0.5];
        slice styblinski_tang styblinski_tang_derivative styblinski_tang_hessian at [1.5, -0.75, 0.5];
    }
}

/// Sines, exponentials, roots and absolute values: arguments of a few units, known to half an eps of
/// themselves.
#[test]
fn elementary() {
    rows! { within 16.0:
        slice ackley ackley_derivative ackley_hessian at [1.5, -0.625, 0.25];
        array bukin_n6 bukin_n6_derivative bukin_n6_hessian at [-10.5, 1.25];
        array easom easom_derivative easom_hessian at [2.5, 3.75];
        array eggholder eggholder_derivative eggholder_hessian at [40.5, -12.25];
        array holder_table holder_table_derivative holder_table_hessian at [2.5, -1.25];
        slice levy levy_derivative levy_hessian at [1.5, -0.75, 0.5];
        array levy_n13 levy_n13_derivative levy_n13_hessian at [1.25, -0.75];
        array mccormick mccormick_derivative mccormick_hessian at [1.5, -0.75];
        array picheny picheny_derivative picheny_hessian at [0.5, 0.75];
        slice rastrigin rastrigin_derivative rastrigin_hessian at [1.5, -0.625, 0.5];
        array schaffer_n2 schaffer_n2_derivative schaffer_n2_hessian at [1.5, -0.75];
        array schaffer_n4 schaffer_n4_derivative schaffer_n4_hessian at [1.5, -0.75];
    }
}
