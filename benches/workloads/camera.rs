//! The reprojection residual of bundle adjustment, R¹⁵ → R²: camera (rotation vector, centre, focal length,
//! principal point, two radial distortion coefficients), point, weight; against a measured pixel.

use wengert::{DualN, Real};

/// The measured pixel.
const MEASURED: [f64; 2] = [1.2, -0.7];

/// The residual; written once for every number.
#[inline]
pub fn residual<T: Real<Base = f64>>(x: &[T; 15]) -> [T; 2] {
    let [r0, r1, r2, c0, c1, c2, focal, u0, v0, k1, k2, x0, x1, x2, w] = *x;
    let (d0, d1, d2) = (x0 - c0, x1 - c1, x2 - c2);
    let theta2 = r0 * r0 + r1 * r1 + r2 * r2;
    let theta = theta2.sqrt();
    let (sin, cos) = theta.sin_cos();
    let inv = theta.recip();
    let (a0, a1, a2) = (r0 * inv, r1 * inv, r2 * inv);
    let dot = (a0 * d0 + a1 * d1 + a2 * d2) * (-cos + 1.0);
    let p0 = d0 * cos + (a1 * d2 - a2 * d1) * sin + a0 * dot;
    let p1 = d1 * cos + (a2 * d0 - a0 * d2) * sin + a1 * dot;
    let p2 = d2 * cos + (a0 * d1 - a1 * d0) * sin + a2 * dot;
    let iz = p2.recip();
    let (u, v) = (p0 * iz, p1 * iz);
    let rho = u * u + v * v;
    let l = (k2 * rho + k1) * rho + 1.0;
    let s = focal * l;
    [w * (u * s + u0 - MEASURED[0]), w * (v * s + v0 - MEASURED[1])]
}

/// Column-major 2 × 15 Jacobian by hand, values in front.
#[inline]
pub fn hand(x: &[f64; 15], out: &mut [f64; 32]) {
    let [r0, r1, r2, c0, c1, c2, focal, u0, v0, k1, k2, x0, x1, x2, w] = *x;
    let d = [x0 - c0, x1 - c1, x2 - c2];
    let theta = (r0 * r0 + r1 * r1 + r2 * r2).sqrt();
    let (sin, cos) = theta.sin_cos();
    let inv = 1.0 / theta;
    let a = [r0 * inv, r1 * inv, r2 * inv];
    let ad = a[0] * d[0] + a[1] * d[1] + a[2] * d[2];
    let c = [a[1] * d[2] - a[2] * d[1], a[2] * d[0] - a[0] * d[2], a[0] * d[1] - a[1] * d[0]];
    let versine = 1.0 - cos;
    let p: [f64; 3] = std::array::from_fn(|i| d[i] * cos + c[i] * sin + a[i] * ad * versine);
    // R = cos·1 + sin·[a]ₓ + versine·aaᵀ
    let skew = [[0.0, -a[2], a[1]], [a[2], 0.0, -a[0]], [-a[1], a[0], 0.0]];
    let rotation: [[f64; 3]; 3] = std::array::from_fn(|i| {
        std::array::from_fn(|j| f64::from(i == j) * cos + sin * skew[i][j] + versine * a[i] * a[j])
    });
    // ∂p/∂r = −(d·sin − c·cos − a(a·d)·sin)aᵀ + (1/θ)(−sin·[d]ₓ + versine(a dᵀ + (a·d)·1))(1 − aaᵀ)
    let along: [f64; 3] = std::array::from_fn(|i| -d[i] * sin + c[i] * cos + a[i] * ad * sin);
    let cross_d = [[0.0, d[2], -d[1]], [-d[2], 0.0, d[0]], [d[1], -d[0], 0.0]];
    let turn: [[f64; 3]; 3] = std::array::from_fn(|i| {
        std::array::from_fn(|j| {
            (sin * cross_d[i][j] + versine * (a[i] * d[j] + f64::from(i == j) * ad)) * inv
        })
    });
    let turned: [f64; 3] = std::array::from_fn(|i| turn[i][0] * a[0] + turn[i][1] * a[1] + turn[i][2] * a[2]);
    let iz = 1.0 / p[2];
    let (u, v) = (p[0] * iz, p[1] * iz);
    let rho = u * u + v * v;
    let l = 1.0 + (k1 + k2 * rho) * rho;
    let dl = k1 + 2.0 * k2 * rho;
    let s = focal * l;
    let (e0, e1) = (u * s + u0 - MEASURED[0], v * s + v0 - MEASURED[1]);
    // ∂(u s)/∂u = s + u·focal·l′·2u and so on, then through the projection.
    let g = w * focal * dl * 2.0;
    let (uu, uv, vv) = (w * s + g * u * u, g * u * v, w * s + g * v * v);
    let e_p = [[uu * iz, uv * iz], [uv * iz, vv * iz], [-(uu * u + uv * v) * iz, -(uv * u + vv * v) * iz]];
    (out[0], out[1]) = (w * e0, w * e1);
    for j in 0..3 {
        for r in 0..2 {
            let by_point =
                e_p[0][r] * rotation[0][j] + e_p[1][r] * rotation[1][j] + e_p[2][r] * rotation[2][j];
            let by_turn: f64 =
                (0..3).map(|i| e_p[i][r] * (along[i] * a[j] + turn[i][j] - turned[i] * a[j])).sum();
            out[2 + 2 * j + r] = by_turn;
            out[2 + 2 * (3 + j) + r] = -by_point;
            out[2 + 2 * (11 + j) + r] = by_point;
        }
    }
    let wf = w * focal * rho;
    out[14..16].copy_from_slice(&[w * u * l, w * v * l]);
    out[16..20].copy_from_slice(&[w, 0.0, 0.0, w]);
    out[20..24].copy_from_slice(&[wf * u, wf * v, wf * rho * u, wf * rho * v]);
    out[30..32].copy_from_slice(&[e0, e1]);
}

/// By `DualN` with sixteen lanes, one of them idle.
#[inline]
pub fn lanes(x: &[f64; 15], out: &mut [f64; 32]) {
    let q: [DualN<f64, 16>; 15] = std::array::from_fn(|i| DualN::variable(x[i], i));
    let y = residual(&q);
    (out[0], out[1]) = (y[0].value(), y[1].value());
    let (a, b) = (y[0].tangents(), y[1].tangents());
    for j in 0..15 {
        (out[2 + 2 * j], out[3 + 2 * j]) = (a[j], b[j]);
    }
}
