//! The operations of the table as programs over any entry, each written once; matrices of dynamic and of static
//! size go through the same lines.

use nalgebra::{
    Complex, Const, DMatrix, DVector, DefaultAllocator, Dim, Dyn, OMatrix, SMatrix, allocator::Allocator,
};
use wengert::matrix::{self, Cholesky, Entry, Op, Triangle, solve_triangular};
use wengert::{AdError, Real};

use super::programs::{Outputs, Program, out, real, reals, scalar};
use super::rows::Row;

/// Functions of one matrix; of a square one.
macro_rules! unary {
    ($op:expr, $row:expr, $a:expr) => {
        match $op {
            "trace" => vec![scalar("Y", matrix::trace($a))],
            "inverse" => vec![out("Y", &matrix::inverse($a)?)],
            "det" => vec![scalar("Y", matrix::det($a))],
            "log_abs_det" => vec![real("Y", matrix::ln_abs_det($a)?)],
            "slogdet_sign" => vec![scalar("Y", matrix::sign_ln_det($a)?.0)],
            "lu" => {
                let (permutation, l, u) = matrix::lu($a)?;
                let want = $row.list("perm").into_iter().map(|i| i as usize);
                assert!(permutation.into_iter().zip(want).all(|(p, w)| p == w), "another permutation");
                vec![out("L", &l), out("U", &u)]
            }
            "cholesky" => vec![out("L", &matrix::cholesky($a)?)],
            "chol_logdet" => vec![real("Y", Cholesky::new($a)?.ln_det())],
            "norm_fro" => vec![real("Y", matrix::norm($a))],
            "norm_nuclear" => vec![real("Y", matrix::nuclear_norm($a)?)],
            "norm_spectral" => vec![real("Y", matrix::spectral_norm($a)?)],
            "svd" => {
                let svd = matrix::svd($a)?;
                let w = matrix::matmul(&weighted($row, &svd.u), &svd.v_t);
                let mut results = vec![reals("S", &svd.singular_values), out("W", &w)];
                if $row.is_real() {
                    results.extend([out("U", &svd.u), out("V", &svd.v_t.transpose())]);
                }
                results
            }
            "eigh" => {
                let eigen = matrix::symmetric_eigen($a)?;
                let w = matrix::matmul_nh(&weighted($row, &eigen.eigenvectors), &eigen.eigenvectors);
                let mut results = vec![reals("lambda", &eigen.eigenvalues), out("W", &w)];
                if $row.is_real() {
                    results.push(out("V", &eigen.eigenvectors));
                }
                results
            }
            "eig" => {
                let eigen = matrix::eigen($a)?;
                let v = &eigen.eigenvectors;
                let w = matrix::solve_transpose(v, &weighted($row, v).transpose())?.transpose();
                vec![out("lambda", &eigen.eigenvalues), out("W", &w)]
            }
            "eigvals" => vec![out("lambda", &matrix::eigenvalues($a)?)],
            "qr" => {
                let (q, r) = matrix::qr($a)?;
                vec![out("Q", &q), out("R", &r)]
            }
            "pinv" => vec![out("Y", &matrix::pinv($a)?)],
            "expm" => vec![out("Y", &matrix::expm($a)?)],
            "spec_exp" => vec![out("Y", &matrix::symmetric_exp($a)?)],
            "spec_sqrt" => vec![out("Y", &matrix::symmetric_sqrt($a)?)],
            "matpow" => {
                let k = $row.number("k").expect("an exponent") as i32;
                vec![out("Y", &matrix::matrix_power($a, k)?)]
            }
            op => unreachable!("{op}"),
        }
    };
}

/// Functions of two matrices with the same number of rows.
macro_rules! systems {
    ($op:expr, $a:expr, $b:expr) => {
        match $op {
            "solve_vec" | "solve_mat" => vec![out("Y", &matrix::solve($a, $b)?)],
            "solve_transpose" => vec![out("Y", &matrix::solve_transpose($a, $b)?)],
            "tri_solve_lower_n" => vec![out("Y", &solve_triangular(Triangle::Lower, Op::Plain, $a, $b)?)],
            "tri_solve_upper_n" => vec![out("Y", &solve_triangular(Triangle::Upper, Op::Plain, $a, $b)?)],
            "tri_solve_lower_t" => vec![out("Y", &solve_triangular(Triangle::Lower, Op::Transpose, $a, $b)?)],
            "tri_solve_upper_t" => vec![out("Y", &solve_triangular(Triangle::Upper, Op::Transpose, $a, $b)?)],
            "tri_solve_unit_lower" => {
                vec![out("Y", &solve_triangular(Triangle::UnitLower, Op::Plain, $a, $b)?)]
            }
            "tri_solve_unit_upper" => {
                vec![out("Y", &solve_triangular(Triangle::UnitUpper, Op::Plain, $a, $b)?)]
            }
            "lstsq" => vec![out("Y", &matrix::lstsq($a, $b)?)],
            "chol_solve" => vec![out("Y", &Cholesky::new($a)?.solve($b))],
            "gauss_nll" => vec![real("Y", negative_ln_density(out("", $a).1, out("", $b).1)?)],
            op => unreachable!("{op}"),
        }
    };
}

/// Products, and the equation of two square matrices.
macro_rules! products {
    ($op:expr, $a:expr, $b:expr) => {
        match $op {
            "matmul_nn" => vec![out("Y", &matrix::matmul($a, $b))],
            "matmul_nt" => vec![out("Y", &matrix::matmul_nt($a, $b))],
            "matmul_tn" => vec![out("Y", &matrix::matmul_tn($a, $b))],
            "matmul_tt" => vec![out("Y", &matrix::matmul_tt($a, $b))],
            "matmul_nh" => vec![out("Y", &matrix::matmul_nh($a, $b))],
            "matmul_hn" => vec![out("Y", &matrix::matmul_hn($a, $b))],
            "matmul_hh" => vec![out("Y", &matrix::matmul_hh($a, $b))],
            "kron" => vec![out("Y", &matrix::kron($a, $b))],
            "dot" => vec![scalar("Y", matrix::dot($a, $b))],
            "lyapunov" => vec![out("X", &matrix::lyapunov($a, $b)?)],
            op => unreachable!("{op}"),
        }
    };
}

/// The columns by their weights.
fn weighted<S: Entry, R: Dim, C: Dim>(row: &Row, v: &OMatrix<S, R, C>) -> OMatrix<S, R, C>
where
    DefaultAllocator: Allocator<R, C>,
{
    let (w, (rows, columns)) = (weights(row, v.ncols()), v.shape_generic());
    OMatrix::from_fn_generic(rows, columns, |i, j| v[(i, j)] * S::constant(w[j]))
}

/// The weights of the columns of `W`. The weights of a border are zero: singular values descend, so a border comes
/// first.
fn weights(row: &Row, columns: usize) -> Vec<f64> {
    let (mut w, border) = (row.list("w"), vec![0.0; columns - row.list("w").len()]);
    let at = if row.op() == "svd" { 0 } else { w.len() };
    w.splice(at..at, border);
    w
}

/// `(bᵀA⁻¹b + ln det A)/2` of real matrices: the density without its constant.
fn negative_ln_density<R: Real>(a: DMatrix<Complex<R>>, b: DMatrix<Complex<R>>) -> Result<R, AdError> {
    let (n, zero) = (a.nrows(), R::lit(0.0));
    let (x, covariance) = (b.column(0).map(|x| x.re), a.map(|a| a.re));
    let density = matrix::gaussian_log_density(&x, &DVector::repeat(n, zero), &covariance)?;
    Ok(-density - R::lit(n as f64 * 0.5 * (2.0 * std::f64::consts::PI).ln()))
}

/// The operation of a row on matrices of dynamic size.
pub struct Dynamic<'a>(pub &'a Row);

impl Program for Dynamic<'_> {
    fn call<S: Entry<Base = f64>>(&self, x: &[DMatrix<S>]) -> Result<Outputs<S::Re>, AdError> {
        let op = self.0.op();
        Ok(match x {
            [a] => unary!(op, self.0, a),
            [a, b] if is_system(op) => systems!(op, a, b),
            [a, b] => products!(op, a, b),
            [a, b, c] => vec![out("X", &matrix::sylvester(a, b, c)?)],
            _ => unreachable!("{op}"),
        })
    }
}

fn is_product(op: &str) -> bool {
    op.starts_with("matmul") || op == "dot" || op == "kron"
}

/// The operation of a row on matrices of static size, where they are square (a right-hand side may have any number
/// of columns).
pub struct Static<'a>(pub &'a Row);

impl Static<'_> {
    /// Whether the row has matrices of this form.
    pub fn fits(row: &Row) -> bool {
        let shapes: Vec<_> = row.matrices("in").iter().map(|a| a.shape()).collect();
        let n = shapes[0].0;
        let square = |&(rows, columns): &(usize, usize)| (rows, columns) == (n, n);
        (1..=4).contains(&n)
            && square(&shapes[0])
            && (shapes.iter().all(square) || is_system(row.op()) && shapes[1].0 == n)
    }
}

macro_rules! of_sizes {
    ($($n:literal)*) => {
        impl Program for Static<'_> {
            fn call<S: Entry<Base = f64>>(&self, x: &[DMatrix<S>]) -> Result<Outputs<S::Re>, AdError> {
                let op = self.0.op();
                Ok(match (x[0].nrows(), x) {
                    $(
                        ($n, [a]) => unary!(op, self.0, &fixed::<S, $n>(a)),
                        ($n, [a, b]) if is_system(op) => systems!(op, &fixed::<S, $n>(a), &with_rows::<S, $n>(b)),
                        ($n, [a, b]) => products!(op, &fixed::<S, $n>(a), &fixed::<S, $n>(b)),
                        ($n, [a, b, c]) => {
                            let [a, b, c] = [a, b, c].map(fixed::<S, $n>);
                            vec![out("X", &matrix::sylvester(&a, &b, &c)?)]
                        }
                    )*
                    _ => unreachable!("{op}"),
                })
            }
        }
    };
}
of_sizes!(1 2 3 4);

fn fixed<S: Entry, const N: usize>(a: &DMatrix<S>) -> SMatrix<S, N, N> {
    SMatrix::from_fn(|i, j| a[(i, j)])
}

fn with_rows<S: Entry, const N: usize>(b: &DMatrix<S>) -> OMatrix<S, Const<N>, Dyn> {
    OMatrix::from_fn_generic(Const, Dyn(b.ncols()), |i, j| b[(i, j)])
}

/// The operation of a row on larger matrices, whose leading block is the row's: the rules of large matrices.
pub struct Bordered<'a>(pub &'a Row);

/// The size from which on no function works entry by entry.
const LARGE: usize = 8;

impl Bordered<'_> {
    /// Whether the operation keeps blocks apart. A determinant of zero is not exactly zero any more if a border makes
    /// the elimination compute products.
    pub fn fits(row: &Row) -> bool {
        !matches!(row.op(), "kron" | "norm_spectral" | "norm_nuclear") && row.class() != "singular"
    }
    /// The diagonal of the added block. Values of a decomposition are distinct, and larger than all others.
    fn diagonal(&self, input: usize, i: usize) -> f64 {
        match self.0.op() {
            "eigh" | "svd" | "eig" | "eigvals" => (i + 2) as f64 * self.0.matrices("in")[0].norm(),
            op if is_product(op) || op.starts_with("norm") => 0.0,
            "trace" | "expm" | "spec_exp" => 0.0,
            // The right-hand sides of matrix equations.
            "lyapunov" if input == 1 => 0.0,
            "sylvester" if input == 2 => 0.0,
            _ => 1.0,
        }
    }
    fn border<S: Entry>(&self, input: usize, a: &DMatrix<S>, by: usize) -> DMatrix<S> {
        let (rows, columns) = a.shape();
        // A right-hand side has more rows only.
        let across = if input == 1 && is_system(self.0.op()) { 0 } else { by };
        DMatrix::from_fn(rows + by, columns + across, |i, j| match (i < rows, j < columns) {
            (true, true) => a[(i, j)],
            (false, false) if i - rows == j - columns => S::constant(self.diagonal(input, i - rows)),
            _ => S::constant(0.0),
        })
    }
}

impl Program for Bordered<'_> {
    fn call<S: Entry<Base = f64>>(&self, x: &[DMatrix<S>]) -> Result<Outputs<S::Re>, AdError> {
        let by = LARGE - x.iter().map(|x| x.nrows().min(x.ncols())).min().expect("an input").min(LARGE - 1);
        let x: Vec<_> = x.iter().enumerate().map(|(input, x)| self.border(input, x, by)).collect();
        let own = |(name, y): (&'static str, DMatrix<Complex<S::Re>>)| {
            let (rows, columns) = self.0.matrix("out", name).map_or(y.shape(), |want| want.shape());
            // Singular values descend: the added ones come first.
            let descend = self.0.op() == "svd";
            let down = if descend && name == "S" { y.nrows() - rows } else { 0 };
            let across = if descend && matches!(name, "U" | "V") { y.ncols() - columns } else { 0 };
            (name, y.view((down, across), (rows, columns)).into_owned())
        };
        Ok(Dynamic(self.0).call(&x)?.into_iter().map(own).collect())
    }
}

/// Whether the second input is a right-hand side.
fn is_system(op: &str) -> bool {
    op.contains("solve") || matches!(op, "lstsq" | "gauss_nll" | "quadform_inv")
}
