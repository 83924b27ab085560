//! The operations that are not rows of the table: operators, powers, selections, reductions, functions of small matrices.

use nalgebra::{Matrix2, Matrix3, Matrix3x2, SMatrix, Vector2, Vector3};
use wengert::{AdError, Number, Real, matrix, reduce};

/// A list of operations on four numbers and a constant: the code of each, and its text.
macro_rules! operations {
    ($function:ident, $texts:ident, $T:ident: $Bound:path;
     [$a:ident, $b:ident, $c:ident, $d:ident], $k:ident; $($e:expr;)*) => {
        pub const $texts: &[&str] = &[$(stringify!($e)),*];
        pub fn $function<$T: $Bound>(index: usize, operands: [$T; 4], k: f64) -> $T
        where
            $T: Number<Base = f64>,
        {
            let list: &[fn([$T; 4], f64) -> $T] =
                &[$(|[$a, $b, $c, $d], $k| { let _ = ($a, $b, $c, $d, $k); $e }),*];
            list[index](operands, k)
        }
    };
}

operations! { plain, PLAIN, T: Number; [a, b, c, d], k;
    a + b; a - b; a * b; a / b; -a; a + k; a - k; a * k; a / k; T::lit(k) - a; T::lit(k) / a;
    a * b + c * d; a.powi(k as i32); a.powf(T::lit(k)); a.powf(b); T::lit(k).powf(a); a.exp_base(k.abs());
    reduce::sum(&[a, b, c]); [a, b, c, d].into_iter().sum::<T>(); reduce::product(&[a, b, c, d]);
    reduce::dot(&[a, b], &[c, d]); reduce::linear_combination(&[k, 0.5, -2.0], &[a, b, c]);
}

operations! { ordered, ORDERED, T: Real; [a, b, c, d], k;
    a.max(b); a.min(b); a.max(k); a.clamp(-k.abs(), k.abs()); a.copysign(b); a.abs_sub(b); a.mul_add(b, c);
    if a > b { a } else { b * c }; a % b; a % k; a.xlogy(k); a.atan2(k); a.log(k); a.hypot(k); a.powf(k);
    a.polygamma(k as u32 % 5); a.bessel_j(k as u32 % 12); a.sph_j(k as u32 % 12);
    a.gamma_p_const(k.abs().min(60.0)); a.gamma_q_const(k.abs().min(60.0)); a.gamma_p(b); a.gamma_q(b); a.gamma_pdf(b); a.beta_i([k.abs().min(60.0), 1.5]);
    reduce::norm(&[a, b, c]); reduce::norm_squared(&[a, b]); reduce::logsumexp(&[a, b, c]);
    reduce::softmax(&[a, b, c])[0]; reduce::max(&[a, b, c]).unwrap(); reduce::min(&[a, b, c]).unwrap();
    reduce::mean(&[a, b, c]).unwrap();
}

/// Defines functions and keeps their text, which reports repeat.
macro_rules! with_source {
    ($name:ident; $($code:tt)*) => {
        pub const $name: &str = stringify!($($code)*);
        $($code)*
    };
}

// An operand appears once in a matrix: then the partials show how the function is conditioned.
with_source! { MATRICES;
    fn two<T: Number<Base = f64>>(a: T, b: T, c: T, d: T) -> Matrix2<T> {
        Matrix2::new(a, b, c, d)
    }
    fn three<T: Number<Base = f64>>(a: T, b: T, c: T, d: T, k: f64) -> Matrix3<T> {
        let [e, f, g, h] = [0.5, 1.5, -1.0, k].map(T::lit);
        Matrix3::new(a, b, e, c, h, d, f, g, e)
    }
    /// Beyond the sizes that have formulas.
    fn seven<T: Number<Base = f64>>(a: T, b: T, c: T, d: T, k: f64) -> SMatrix<T, 7, 7> {
        let mut m = SMatrix::from_fn(|i, j| T::lit([2.0, 0.5, -1.0, 0.25, k, -0.75, 1.5][(2 * i + 3 * j) % 7]));
        (m[(0, 1)], m[(3, 2)], m[(4, 4)], m[(2, 5)]) = (a, b, c, d);
        m
    }
    fn tall<T: Number<Base = f64>>(a: T, b: T, c: T, d: T, k: f64) -> Matrix3x2<T> {
        Matrix3x2::new(a, b, c, d, T::lit(1.0), T::lit(k))
    }
    fn definite<T: Real<Base = f64>>(a: T, b: T, c: T, d: T, k: f64) -> Matrix3<T> {
        let m = three(a, b, c, d, k);
        matrix::matmul(&m, &m.transpose()) + Matrix3::identity()
    }
    fn column<T: Number<Base = f64>>(k: f64) -> Vector3<T> {
        Vector3::new(1.0, k, -0.5).map(T::lit)
    }
    fn or_nan<T: Number<Base = f64>, M>(found: Result<M, AdError>, entry: impl Fn(M) -> T) -> T {
        found.map_or(T::lit(f64::NAN), entry)
    }
}

// Holomorphic functions, of complex matrices too.
operations! { of_any_matrices, OF_ANY_MATRICES, T: Number; [a, b, c, d], k;
    matrix::det(&two(a, b, c, d));
    matrix::det(&three(a, b, c, d, k));
    matrix::trace(&matrix::matmul(&two(a, b, c, d), &two(b, c, a, d)));
    or_nan(matrix::inverse(&two(a, b, c, d)), |x| x[(0, 1)] + x[(1, 1)]);
    or_nan(matrix::inverse(&three(a, b, c, d, k)), |x| x[(0, 1)] - x[(2, 0)]);
    or_nan(matrix::solve(&two(a, b, c, d), &Vector2::new(T::lit(1.0), T::lit(k))), |x| x[0]);
    or_nan(matrix::solve(&three(a, b, c, d, k), &column(k)), |x| x[1]);
    or_nan(matrix::expm(&two(a, b, c, d)), |x| x[(0, 1)] + x[(0, 0)]);
    or_nan(matrix::expm(&three(a, b, c, d, k)), |x| x[(2, 1)]);
    or_nan(matrix::matrix_power(&two(a, b, c, d), k as i32 % 6), |x| x[(1, 0)]);
    matrix::det(&seven(a, b, c, d, k));
    or_nan(matrix::inverse(&seven(a, b, c, d, k)), |x| x[(0, 1)] - x[(4, 3)]);
    or_nan(matrix::solve(&seven(a, b, c, d, k), &seven(b, a, d, c, 1.0)), |x| x[(1, 2)]);
    or_nan(matrix::solve(&seven(a, b, c, d, k), &seven(b, a, d, c, 1.0).column(4).into_owned()), |x| x[2]);
    or_nan(matrix::expm(&seven(a, b, c, d, k)), |x| x[(5, 1)]);
    matrix::matmul(&seven(a, b, c, d, k), &seven(d, a, b, c, 1.0))[(0, 4)];
    or_nan(matrix::sylvester(&two(a, b, c, d), &two(T::lit(2.0), a, d, T::lit(k)), &two(c, c, a, b)), |x| x[(0, 1)]);
}

operations! { of_matrices, OF_MATRICES, T: Real; [a, b, c, d], k;
    matrix::norm(&three(a, b, c, d, k));
    or_nan(matrix::ln_abs_det(&three(a, b, c, d, k)), |x| x);
    or_nan(matrix::ln_abs_det(&seven(a, b, c, d, k)), |x| x);
    or_nan(matrix::cholesky(&definite(a, b, c, d, k)), |l| l[(1, 0)] + l[(2, 2)]);
    or_nan(matrix::gaussian_log_density(&column(k), &column(0.5), &definite(a, b, c, d, k)), |x| x);
    or_nan(matrix::inverse_quadratic_form(&three(a, b, c, d, k), &column(k)), |x| x);
    or_nan(matrix::lstsq(&tall(a, b, c, d, k), &column(k)), |x| x[0]);
    or_nan(matrix::qr(&tall(a, b, c, d, k)), |(q, r)| q[(0, 1)] + r[(0, 1)]);
    or_nan(matrix::pinv(&tall(a, b, c, d, k)), |x| x[(0, 1)]);
    or_nan(matrix::spectral_norm(&tall(a, b, c, d, k)), |x| x);
    or_nan(matrix::nuclear_norm(&two(a, b, c, d)), |x| x);
    or_nan(matrix::singular_values(&two(a, b, c, d)), |s| s[1]);
    or_nan(matrix::symmetric_eigenvalues(&two(a, b, b, d)), |x| x[0]);
    or_nan(matrix::symmetric_eigenvalues(&definite(a, b, c, d, k)), |x| x[1]);
    or_nan(matrix::symmetric_exp(&two(a, b, b, d)), |x| x[(0, 1)]);
    or_nan(matrix::symmetric_sqrt(&definite(a, b, c, d, k)), |x| x[(0, 1)]);
    or_nan(matrix::eigenvalues(&two(a, b, c, d)), |x| matrix::Entry::real_part(x[0]));
}
