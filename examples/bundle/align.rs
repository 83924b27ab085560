//! Distance of the recovered points from the true ones, after removing what no picture determines.
//!
//! Pictures do not change when the whole scene is moved, turned or made larger (the *gauge freedom*). The similarity
//! `x ↦ s·R·x + t` that brings the points closest to the truth follows Umeyama (1991): with centred points,
//! `Σ = Σᵢ yᵢxᵢᵀ = U·D·Vᵀ` gives `R = U·S·Vᵀ` and `s = tr(D·S)/Σᵢ‖xᵢ‖²`, where S makes `det R = 1`.

use nalgebra::{Matrix3, Vector3};

/// Root mean square distance between the points x, moved as a whole, and y.
pub fn distance(x: &[[f64; 3]], y: &[[f64; 3]]) -> f64 {
    let (x, y) = (centred(x), centred(y));
    let covariance: Matrix3<f64> = x.iter().zip(&y).map(|(x, y)| y * x.transpose()).sum();
    let (u, d, v) = match covariance.svd(true, true) {
        nalgebra::SVD { u: Some(u), singular_values, v_t: Some(v) } => (u, singular_values, v),
        _ => return f64::NAN,
    };
    let signs = Vector3::new(1.0, 1.0, (u * v).determinant().signum());
    let rotation = u * Matrix3::from_diagonal(&signs) * v;
    let scale = d.dot(&signs) / x.iter().map(Vector3::norm_squared).sum::<f64>();
    let squares = x.iter().zip(&y).map(|(x, y)| (rotation * x * scale - y).norm_squared());
    (squares.sum::<f64>() / x.len() as f64).sqrt()
}

fn centred(points: &[[f64; 3]]) -> Vec<Vector3<f64>> {
    let points = points.iter().copied().map(Vector3::from);
    let middle = points.clone().sum::<Vector3<f64>>() / points.len() as f64;
    points.map(|p| p - middle).collect()
}
