//! Many directions through code that has constants of the number's own type: a Kalman filter, and a Jacobian of few
//! diagonals.

use crate::number::Number;
use crate::table::Table;

/// The tables of the workloads.
pub fn tables() -> impl Iterator<Item = String> {
    [filter, diagonals].into_iter().map(|table| table())
}

const STEPS: usize = 20;
const POINT: [f64; 12] = [0.3, 0.2, 0.25, 0.15, 0.1, 0.2, 0.5, 0.4, 0.6, 0.45, 0.55, 0.35];

/// A matrix by rows.
type Matrix<T> = [[T; 6]; 6];

fn product<T: Number>(a: &Matrix<T>, b: &Matrix<T>) -> Matrix<T> {
    let entry = |i: usize, j: usize| (1..6).fold(a[i][0] * b[0][j], |sum, k| sum + a[i][k] * b[k][j]);
    std::array::from_fn(|i| std::array::from_fn(|j| entry(i, j)))
}

/// Twice the negative logarithm of the likelihood of measurements of six states, whose components are measured one
/// after the other; the parameters are the deviations of the process and of the measurements.
pub fn likelihood<T: Number>(p: &[T; 12]) -> T {
    let constant = |i: usize, j: usize| match (i, j) {
        _ if i == j => 1.0,
        (0..3, _) if j == i + 3 => 0.1,
        (3.., _) if j + 3 == i => -0.05,
        _ => 0.0,
    };
    let f: Matrix<T> = std::array::from_fn(|i| std::array::from_fn(|j| T::lit(constant(i, j))));
    let turned: Matrix<T> = std::array::from_fn(|i| std::array::from_fn(|j| f[j][i]));
    let unit = |i: usize, j: usize| T::lit(f64::from(i == j));
    let mut covariance: Matrix<T> = std::array::from_fn(|i| std::array::from_fn(|j| unit(i, j)));
    let (mut x, mut sum) = ([T::lit(0.5); 6], T::lit(0.0));
    for step in 0..STEPS {
        x = std::array::from_fn(|i| (1..6).fold(f[i][0] * x[0], |sum, k| sum + f[i][k] * x[k]));
        covariance = product(&product(&f, &covariance), &turned);
        for i in 0..6 {
            covariance[i][i] = covariance[i][i] + p[i] * p[i];
        }
        for i in 0..6 {
            let measured = (0.3 * step as f64 + i as f64).sin();
            let spread = covariance[i][i] + p[6 + i] * p[6 + i];
            let (error, column) = (T::lit(measured) - x[i], covariance.map(|row| row[i]));
            let gain = column.map(|c| c / spread);
            for a in 0..6 {
                x[a] = x[a] + gain[a] * error;
                for b in 0..6 {
                    covariance[a][b] = covariance[a][b] - gain[a] * column[b];
                }
            }
            sum = sum + spread.ln() + error * error / spread;
        }
    }
    sum
}

/// The value's tangents with respect to the parameters. The arguments make a variable and read its directions.
fn slopes<T: Number>(
    p: &[f64; 12],
    lift: impl Fn(f64, usize) -> T,
    tangent: impl Fn(&T, usize) -> f64,
    out: &mut [f64; 12],
) {
    let y = likelihood(&std::array::from_fn(|i| lift(p[i], i)));
    *out = std::array::from_fn(|i| tangent(&y, i));
}

fn num_dual<const N: usize>(x: f64, i: usize) -> num_dual::DualSVec64<N> {
    let mut x = num_dual::DualSVec64::<N>::from_re(x);
    x.eps = num_dual::Derivative::derivative_generic(nalgebra::Const, nalgebra::Const, i);
    x
}

fn num_dual_tangent<const N: usize>(y: &num_dual::DualSVec64<N>, i: usize) -> f64 {
    y.eps.0.map_or(0.0, |eps| eps[i])
}

fn filter() -> String {
    let one = |i: usize| {
        let along = |k: usize| echidna::Dual::new(POINT[k], f64::from(k == i));
        likelihood::<echidna::Dual<f64>>(&std::array::from_fn(along)).eps
    };
    let want: [f64; 12] = std::array::from_fn(one);
    Table::new(
        "Gradient of a Kalman filter's likelihood, 6 states, 12 parameters, constants lifted",
        &POINT,
        want,
    )
    .case("12 × echidna `Dual<f64>`", |p, out| {
        *out = std::array::from_fn(|i| {
            let along = |k: usize| echidna::Dual::new(p[k], f64::from(k == i));
            likelihood::<echidna::Dual<f64>>(&std::array::from_fn(along)).eps
        });
    })
    .case("wengert `DualN<f64, 12>`", |p, out| {
        slopes(p, wengert::DualN::<f64, 12>::variable, |y, i| y.tangents()[i], out);
    })
    .case("wengert, reverse", |p, out| {
        wengert::gradient_into(
            |p: &[_]| likelihood::<wengert::Var<f64>>(p.try_into().expect("twelve")),
            &p[..],
            &mut out[..],
        );
    })
    .case("num-dual `DualSVec64<12>`", |p, out| slopes(p, num_dual::<12>, num_dual_tangent::<12>, out))
    .case("echidna `DualVec<f64, 12>`", |p, out| {
        slopes(p, echidna::DualVec::<f64, 12>::with_tangent, |y, i| y.eps[i], out);
    })
    .run()
}

const BAND: usize = 100;

/// `yᵢ = sin xᵢ₋₁ + xᵢ² − 2xᵢxᵢ₊₁`, without the terms beyond the ends.
fn band<T: Number>(x: &[T; BAND]) -> [T; BAND] {
    std::array::from_fn(|i| {
        let own = x[i] * x[i];
        let left = if i > 0 { own + x[i - 1].sin() } else { own };
        if i + 1 < BAND { left - (x[i] * x[i + 1]).times(2.0) } else { left }
    })
}

/// The Jacobian by columns, `N` at a time.
fn chunks<T: Number, const N: usize>(
    x: &[f64; BAND],
    constant: impl Fn(f64) -> T,
    lift: impl Fn(f64, usize) -> T,
    tangent: impl Fn(&T, usize) -> f64,
    out: &mut Vec<f64>,
) {
    for (chunk, columns) in out.chunks_mut(BAND * N).enumerate() {
        let first = chunk * N;
        let along =
            |i: usize| if (first..first + N).contains(&i) { lift(x[i], i - first) } else { constant(x[i]) };
        let y = band::<T>(&std::array::from_fn(along));
        for (lane, column) in columns.chunks_exact_mut(BAND).enumerate() {
            column.iter_mut().zip(&y).for_each(|(slot, y)| *slot = tangent(y, lane));
        }
    }
}

fn diagonals() -> String {
    let x: [f64; BAND] = std::array::from_fn(|i| 0.3 + 0.01 * i as f64);
    let mut want = vec![0.0; BAND * BAND];
    for i in 0..BAND {
        want[i + i * BAND] = 2.0 * x[i] - if i + 1 < BAND { 2.0 * x[i + 1] } else { 0.0 };
        if i > 0 {
            want[i + (i - 1) * BAND] = x[i - 1].cos();
            want[i - 1 + i * BAND] = -2.0 * x[i - 1];
        }
    }
    let object = wengert::function!(|x, y: [_; BAND]| for i in 0..BAND {
        let own = x[i] * x[i];
        let left = if i > 0 { own + wengert::Number::sin(x[i - 1]) } else { own };
        y[i] = if i + 1 < BAND { left - x[i] * x[i + 1] * 2.0 } else { left };
    });
    let mut kept = wengert::sparse::Jacobian::new(&object, &x).expect("few entries");
    let mut jacobian = kept.zeros();
    Table::new("Jacobian of three diagonals, 100 × 100, all entries", &x, want)
        .case("wengert `DualN<f64, 12>`", |x, out| {
            type D = wengert::DualN<f64, 12>;
            chunks::<D, 12>(x, D::constant, D::variable, |y, i| y.tangents()[i], out);
        })
        .case("num-dual `DualSVec64<12>`", |x, out| {
            type D = num_dual::DualSVec64<12>;
            chunks::<D, 12>(x, D::from_re, num_dual, num_dual_tangent::<12>, out);
        })
        .case("echidna `DualVec<f64, 12>`", |x, out| {
            type D = echidna::DualVec<f64, 12>;
            chunks::<D, 12>(x, D::constant, D::with_tangent, |y, i| y.eps[i], out);
        })
        .case("wengert `sparse::Jacobian`, kept, zeros filled in", move |x, out| {
            out.fill(0.0);
            kept.of_object(&object).at(x, &mut (), &mut jacobian).expect("the same size");
            jacobian.triplet_iter().for_each(|(i, j, entry)| out[i + j * BAND] = *entry);
        })
        .run()
}
