#![cfg_attr(docsrs, feature(doc_cfg))]
#![warn(missing_docs)]
#![doc = include_str!("../README.md")]

#[cfg(feature = "argmin")]
pub mod argmin;
#[cfg(feature = "diffsol")]
pub mod diffsol;
#[cfg(feature = "levenberg-marquardt")]
pub mod levenberg_marquardt;
#[cfg(feature = "nuts-rs")]
pub mod nuts;

/// The values of a function object at `f64`.
#[cfg(any(feature = "argmin", feature = "levenberg-marquardt"))]
fn values<F: wengert::VectorFunction>(f: &F, x: &[f64]) -> Vec<f64> {
    let mut y = vec![f64::NAN; f.outputs(x.len())];
    f.call(x, &mut y);
    y
}

/// The same matrix in another version of nalgebra; the entries are moved.
#[cfg(feature = "nalgebra-0_34")]
#[cfg_attr(not(any(feature = "argmin", feature = "levenberg-marquardt")), allow(dead_code))]
fn to_0_34(m: nalgebra::DMatrix<f64>) -> nalgebra_0_34::DMatrix<f64> {
    let (rows, columns) = m.shape();
    nalgebra_0_34::DMatrix::from_vec(rows, columns, m.data.into())
}
