//! The functions of `wengert::matrix` as programs, with random inputs at which they have derivatives.

use fastrand::Rng;
use nalgebra::{Complex, DMatrix, DVector};
use wengert::matrix::{self, Cholesky, Entry, Lu, Op, Qr};
use wengert::rules::Ln;
use wengert::{AdError, Number};

use super::programs::{Entries, Outputs, Program, out, real, reals, scalar};

/// Rows and columns of the inputs.
#[derive(Clone, Copy, Debug)]
pub struct Sizes {
    pub m: usize,
    pub k: usize,
    pub n: usize,
}

/// The conditions on an input.
#[derive(Clone, Copy, Debug)]
pub enum Input {
    /// Any matrix with these numbers of rows and columns.
    Any(usize, usize),
    /// An invertible one whose rows must be exchanged.
    Regular(usize),
    /// One with a triangle that is invertible.
    Triangle(usize),
    /// A symmetric positive definite one, perturbed symmetrically.
    Definite(usize),
    /// One with distinct singular values.
    Spread(usize, usize),
    /// One with positive entries.
    Positive(usize, usize),
    /// A square one with distinct eigenvalues, perturbed symmetrically.
    Distinct(usize),
    /// A square one whose eigenvalues have positive real parts.
    Stable(usize),
}
use Input::{Any, Definite, Distinct, Positive, Regular, Spread, Stable, Triangle};

/// Entries of real and imaginary part between −1 and 1; of a real matrix the imaginary part is zero.
fn uniform(random: &mut Rng, rows: usize, columns: usize, complex: bool) -> Entries {
    let re = DMatrix::from_fn(rows, columns, |_, _| 2.0 * random.f64() - 1.0);
    re.map(|re| Complex::new(re, if complex { 2.0 * random.f64() - 1.0 } else { 0.0 }))
}

impl Input {
    pub fn shape(self) -> (usize, usize) {
        match self {
            Any(rows, columns) | Spread(rows, columns) | Positive(rows, columns) => (rows, columns),
            Regular(n) | Triangle(n) | Definite(n) | Distinct(n) | Stable(n) => (n, n),
        }
    }
    /// Whether the input is symmetric or hermitian.
    pub fn is_symmetric(self) -> bool {
        matches!(self, Definite(_) | Distinct(_))
    }
    /// A well-conditioned value.
    pub fn value(self, random: &mut Rng, complex: bool) -> Entries {
        let (rows, columns) = self.shape();
        let (a, large) = (uniform(random, rows, columns, complex), 1.0 + rows as f64);
        let with = |entry: &dyn Fn(usize, usize) -> f64| {
            DMatrix::from_fn(rows, columns, |i, j| a[(i, j)] + Complex::from(entry(i, j)))
        };
        match self {
            Any(..) => a,
            Triangle(_) | Stable(_) => with(&|i, j| if i == j { large } else { 0.0 }),
            Regular(n) => with(&|i, j| if (i + 1) % n == j { large } else { 0.0 }),
            Definite(n) => &a * a.adjoint() + DMatrix::identity(n, n),
            Distinct(n) => DMatrix::from_fn(n, n, |i, j| match i.cmp(&j) {
                std::cmp::Ordering::Less => a[(j, i)].conj(),
                std::cmp::Ordering::Equal => Complex::from(a[(i, i)].re + 4.0 * i as f64),
                std::cmp::Ordering::Greater => a[(i, j)],
            }),
            Spread(..) => with(&|i, j| if i == j { 4.0 * (i + 1) as f64 } else { 0.0 }),
            Positive(..) => with(&|_, _| 2.0),
        }
    }
    /// A direction.
    pub fn direction(self, random: &mut Rng, complex: bool) -> Entries {
        let (rows, columns) = self.shape();
        let d = uniform(random, rows, columns, complex);
        if self.is_symmetric() { (&d + d.adjoint()) * Complex::from(0.5) } else { d }
    }
}

/// The eigenvalue in the middle and its vector; of no rows nothing.
fn middle_pair<S: Entry>(a: &DMatrix<S>) -> Result<(S::Re, DVector<S>), AdError> {
    if a.is_empty() {
        return Ok((S::Re::lit(0.0), DVector::from_vec(Vec::new())));
    }
    matrix::symmetric_eigenpair(a, a.nrows() / 2)
}

/// A function of the list below, by name.
#[derive(Clone, Copy, Debug)]
pub struct Function(pub &'static str);

/// The functions: their inputs for sizes m, k, n, and their results.
macro_rules! functions {
    ($x:ident, $s:ident: $(
        $name:ident [$($input:expr),*] $(let $factor:pat_param = $factors:expr;)* [$($result:expr),*];
    )*) => {
        impl Function {
            pub const ALL: &'static [Function] = &[$(Function(stringify!($name))),*];
            pub fn inputs(self, $s: Sizes) -> Vec<Input> {
                match self.0 {
                    $(stringify!($name) => vec![$($input),*],)*
                    _ => unreachable!(),
                }
            }
        }
        impl Function {
            /// The results at entries over either float.
            pub fn at<S: Entry>(&self, $x: &[DMatrix<S>]) -> Result<Outputs<S::Re>, AdError> {
                Ok(match self.0 {
                    $(stringify!($name) => {
                        $(let $factor = $factors;)*
                        vec![$($result),*]
                    })*
                    _ => unreachable!(),
                })
            }
        }
        impl Program for Function {
            fn call<S: Entry<Base = f64>>(&self, x: &[DMatrix<S>]) -> Result<Outputs<S::Re>, AdError> {
                self.at(x)
            }
        }
    };
}
functions! { x, s:
    matmul [Any(s.m, s.k), Any(s.k, s.n)] [out("C", &matrix::matmul(&x[0], &x[1]))];
    matmul_tn [Any(s.k, s.m), Any(s.k, s.n)] [out("C", &matrix::matmul_tn(&x[0], &x[1]))];
    matmul_nt [Any(s.m, s.k), Any(s.n, s.k)] [out("C", &matrix::matmul_nt(&x[0], &x[1]))];
    matmul_tt [Any(s.k, s.m), Any(s.n, s.k)] [out("C", &matrix::matmul_tt(&x[0], &x[1]))];
    matmul_hn [Any(s.k, s.m), Any(s.k, s.n)] [out("C", &matrix::matmul_hn(&x[0], &x[1]))];
    matmul_nh [Any(s.m, s.k), Any(s.n, s.k)] [out("C", &matrix::matmul_nh(&x[0], &x[1]))];
    matmul_op [Any(s.m, s.k), Any(s.n, s.k)] [
        out("C", &matrix::matmul_op(Op::Conjugate, &x[0], Op::Adjoint, &x[1])),
        out("D", &matrix::matmul_op(Op::Plain, &x[1], Op::Transpose, &x[0]))
    ];
    matmul_hh [Any(s.k, s.m), Any(s.n, s.k)] [out("C", &matrix::matmul_hh(&x[0], &x[1]))];
    gemm [Any(1, 1), Any(s.m, s.k), Any(s.k, s.n), Any(1, 1), Any(s.m, s.n)]
        [out("C", &matrix::gemm(x[0][0], &x[1], &x[2], x[3][0], &x[4]))];
    outer [Any(s.m, 1), Any(s.n, 1)]
        [out("C", &matrix::outer(&x[0].column(0).into_owned(), &x[1].column(0).into_owned()))];
    dot [Any(s.m, s.n), Any(s.m, s.n)] [scalar("y", matrix::dot(&x[0], &x[1]))];
    dotc [Any(s.m, s.n), Any(s.m, s.n)] [scalar("y", matrix::dotc(&x[0], &x[1]))];
    trace [Any(s.n, s.n)] [scalar("y", matrix::trace(&x[0]))];
    kron [Any(s.m.min(4), s.k.min(4)), Any(s.k.min(4), s.n.min(4))] [out("C", &matrix::kron(&x[0], &x[1]))];
    solve [Regular(s.n), Any(s.n, s.m)] [out("X", &matrix::solve(&x[0], &x[1])?)];
    solve_transpose [Regular(s.n), Any(s.n, s.m)] [out("X", &matrix::solve_transpose(&x[0], &x[1])?)];
    lu_solve [Regular(s.n), Any(s.n, s.m)] [out("X", &Lu::new(&x[0])?.solve(&x[1]))];
    lu_solve_transpose [Regular(s.n), Any(s.n, s.m)] [out("X", &Lu::new(&x[0])?.solve_transpose(&x[1]))];
    lu_solve_adjoint [Regular(s.n), Any(s.n, s.m)] [out("X", &Lu::new(&x[0])?.solve_adjoint(&x[1]))];
    lu_det [Regular(s.n)] [scalar("y", Lu::new(&x[0])?.det())];
    lu_ln_abs_det [Regular(s.n)] [real("y", Lu::new(&x[0])?.ln_abs_det())];
    det [Regular(s.n)] [scalar("y", matrix::det(&x[0]))];
    ln_abs_det [Regular(s.n)] [real("y", matrix::ln_abs_det(&x[0])?)];
    sign_ln_det [Regular(s.n)]
        let (sign, ln) = matrix::sign_ln_det(&x[0])?;
        [scalar("s", sign), real("y", ln)];
    inverse [Regular(s.n)] [out("Y", &matrix::inverse(&x[0])?)];
    lu [Regular(s.n)] let (_, l, u) = matrix::lu(&x[0])?; [out("L", &l), out("U", &u)];
    solve_lower [Triangle(s.n), Any(s.n, s.m)]
        [out("X", &matrix::solve_triangular(matrix::Triangle::Lower, Op::Plain, &x[0], &x[1])?)];
    solve_upper [Triangle(s.n), Any(s.n, s.m)]
        [out("X", &matrix::solve_triangular(matrix::Triangle::Upper, Op::Plain, &x[0], &x[1])?)];
    solve_lower_transpose [Triangle(s.n), Any(s.n, s.m)]
        [out("X", &matrix::solve_triangular(matrix::Triangle::Lower, Op::Transpose, &x[0], &x[1])?)];
    solve_upper_transpose [Triangle(s.n), Any(s.n, s.m)]
        [out("X", &matrix::solve_triangular(matrix::Triangle::Upper, Op::Transpose, &x[0], &x[1])?)];
    solve_lower_adjoint [Triangle(s.n), Any(s.n, s.m)]
        [out("X", &matrix::solve_triangular(matrix::Triangle::Lower, Op::Adjoint, &x[0], &x[1])?)];
    solve_upper_adjoint [Triangle(s.n), Any(s.n, s.m)]
        [out("X", &matrix::solve_triangular(matrix::Triangle::Upper, Op::Adjoint, &x[0], &x[1])?)];
    solve_unit_lower_transpose [Any(s.n.min(8), s.n.min(8)), Any(s.n.min(8), s.m)]
        [out("X", &matrix::solve_triangular(matrix::Triangle::UnitLower, Op::Transpose, &x[0], &x[1])?)];
    solve_unit_upper_transpose [Any(s.n.min(8), s.n.min(8)), Any(s.n.min(8), s.m)]
        [out("X", &matrix::solve_triangular(matrix::Triangle::UnitUpper, Op::Transpose, &x[0], &x[1])?)];
    solve_unit_lower [Any(s.n.min(8), s.n.min(8)), Any(s.n.min(8), s.m)]
        [out("X", &matrix::solve_triangular(matrix::Triangle::UnitLower, Op::Plain, &x[0], &x[1])?)];
    solve_unit_upper [Any(s.n.min(8), s.n.min(8)), Any(s.n.min(8), s.m)]
        [out("X", &matrix::solve_triangular(matrix::Triangle::UnitUpper, Op::Plain, &x[0], &x[1])?)];
    cholesky [Definite(s.n)] [out("L", &matrix::cholesky(&x[0])?)];
    cholesky_l [Definite(s.n)] [out("L", &Cholesky::new(&x[0])?.l())];
    cholesky_solve [Definite(s.n), Any(s.n, s.m)] [out("X", &Cholesky::new(&x[0])?.solve(&x[1]))];
    cholesky_ln_det [Definite(s.n)] [real("y", Cholesky::new(&x[0])?.ln_det())];
    inverse_quadratic_form [Regular(s.n), Any(s.n, 1)]
        [scalar("y", matrix::inverse_quadratic_form(&x[0], &x[1].column(0).into_owned())?)];
    svd [Spread(s.m, s.n)]
        let f = matrix::svd(&x[0])?;
        [reals("S", &f.singular_values), out("U", &f.u), out("V", &f.v_t)];
    qr [Spread(s.m.max(s.n), s.n)] let (q, r) = matrix::qr(&x[0])?; [out("Q", &q), out("R", &r)];
    qr_factors [Spread(s.m.max(s.n), s.n), Any(s.m.max(s.n), s.k)]
        let f = Qr::new(&x[0])?;
        [out("Q", &f.q()), out("R", &f.r()), out("X", &f.solve(&x[1]))];
    lstsq [Spread(s.m.max(s.n), s.n), Any(s.m.max(s.n), s.k)] [out("X", &matrix::lstsq(&x[0], &x[1])?)];
    pinv [Spread(s.m, s.n)] [out("Y", &matrix::pinv(&x[0])?)];
    polar [Spread(s.m, s.n)] [out("U", &matrix::polar(&x[0])?.0)];
    polar_factors [Spread(s.m, s.n)] let (u, p) = matrix::polar(&x[0])?; [out("U", &u), out("P", &p)];
    symmetric_eigen [Distinct(s.n)]
        let f = matrix::symmetric_eigen(&x[0])?;
        [reals("λ", &f.eigenvalues), out("V", &f.eigenvectors)];
    symmetric_eigenpair [Distinct(s.n)]
        let (value, vector) = middle_pair(&x[0])?;
        [real("λ", value), out("v", &vector)];
    symmetric_eigenvalues [Distinct(s.n)] [reals("λ", &matrix::symmetric_eigenvalues(&x[0])?)];
    eigenvalues [Spread(s.n, s.n)] [out("λ", &matrix::eigenvalues(&x[0])?)];
    eigen [Spread(s.n, s.n)]
        let f = matrix::eigen(&x[0])?;
        [out("λ", &f.eigenvalues), out("V", &f.eigenvectors)];
    expm [Any(s.n, s.n)] [out("Y", &matrix::expm(&x[0])?)];
    matrix_power [Regular(s.n)] [out("Y", &matrix::matrix_power(&x[0], 3)?), out("Z", &matrix::matrix_power(&x[0], -2)?)];
    symmetric_exp [Distinct(s.n.min(5))] [out("Y", &matrix::symmetric_exp(&x[0])?)];
    symmetric_function [Definite(s.n)] [out("Y", &matrix::symmetric_function(&x[0], Ln)?)];
    symmetric_sqrt [Definite(s.n)] [out("Y", &matrix::symmetric_sqrt(&x[0])?)];
    sylvester [Stable(s.m), Stable(s.n), Any(s.m, s.n)] [out("X", &matrix::sylvester(&x[0], &x[1], &x[2])?)];
    lyapunov [Stable(s.n), Any(s.n, s.n)] [out("X", &matrix::lyapunov(&x[0], &x[1])?)];
    singular_values [Spread(s.m, s.n)] [reals("S", &matrix::singular_values(&x[0])?)];
    norm [Any(s.m, s.n)] [real("y", matrix::norm(&x[0]))];
    nuclear_norm [Spread(s.m, s.n)] [real("y", matrix::nuclear_norm(&x[0])?)];
    spectral_norm [Spread(s.m, s.n)] [real("y", matrix::spectral_norm(&x[0])?)];
    normalize [Any(s.m.max(1), s.n.max(1))] [out("Y", &matrix::normalize(&x[0])?)];
    component_mul [Any(s.m, s.n), Any(s.m, s.n)] [out("Y", &matrix::component_mul(&x[0], &x[1]))];
    component_div [Any(s.m, s.n), Positive(s.m, s.n)] [out("Y", &matrix::component_div(&x[0], &x[1]))];
    map [Any(s.m, s.n)] [out("Y", &matrix::map(&x[0], |x| x * x * x - x))];
    broadcast_row [Any(s.m, s.n), Any(1, s.n)]
        [out("Y", &matrix::broadcast_row(&x[0], &x[1].row(0).into_owned(), |a, b| a * b - b))];
    broadcast_column [Any(s.m, s.n), Any(s.m, 1)]
        [out("Y", &matrix::broadcast_column(&x[0], &x[1].column(0).into_owned(), |a, b| a * b + a))];
    broadcast_scalar [Any(s.m, s.n), Positive(1, 1)] [out("Y", &matrix::broadcast_scalar(&x[0], x[1][0], |a, b| a / b))];
    sum [Any(s.m, s.n)] [scalar("y", matrix::sum(&x[0]))];
    column_sum [Any(s.m, s.n)] [out("y", &matrix::column_sum(&x[0]))];
    row_sum [Any(s.m, s.n)] [out("y", &matrix::row_sum(&x[0]))];
    mean [Any(s.m.max(1), s.n.max(1))] [scalar("y", matrix::mean(&x[0])?)];
    product [Positive(s.m.min(4), s.n.min(4))] [scalar("y", matrix::product(&x[0]))];
    gaussian_log_density [Definite(s.n), Any(s.n, 1), Any(s.n, 1)] [{
        let real = |x: &DMatrix<S>| x.map(|x| x.real_part());
        let vector = |x: &DMatrix<S>| real(x).column(0).into_owned();
        super::programs::real("y", matrix::gaussian_log_density(&vector(&x[1]), &vector(&x[2]), &real(&x[0]))?)
    }];
}
