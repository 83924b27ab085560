//! Bundle adjustment: the Jacobian of an observation by the chain rule.

use gradbench::{Answer, Evaluation, Result};
use serde::Deserialize;
use serde_json::json;

type Vector = [f64; 3];

#[derive(Deserialize)]
struct Input {
    n: usize,
    m: usize,
    p: usize,
    cam: [f64; 11],
    x: Vector,
    w: f64,
    feat: [f64; 2],
}

fn cross(a: Vector, b: Vector) -> Vector {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

fn dot(a: Vector, b: Vector) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

fn unit(k: usize) -> Vector {
    std::array::from_fn(|i| if i == k { 1.0 } else { 0.0 })
}

/// `x` rotated about `r`, and its derivatives with respect to `r` and `x`, by columns.
fn rotated(r: Vector, x: Vector) -> (Vector, [Vector; 3], [Vector; 3]) {
    let square = dot(r, r);
    if square == 0.0 {
        let by = cross(r, x);
        let at = std::array::from_fn(|i| x[i] + by[i]);
        return (at, [0, 1, 2].map(|k| cross(unit(k), x)), [0, 1, 2].map(unit));
    }
    let angle = square.sqrt();
    let (s, c) = angle.sin_cos();
    let a = r.map(|r| r / angle);
    let (ax, along) = (cross(a, x), dot(a, x));
    let at = std::array::from_fn(|i| x[i] * c + ax[i] * s + a[i] * along * (1.0 - c));
    let by_r = std::array::from_fn(|k| {
        let da: Vector = std::array::from_fn(|i| (unit(k)[i] - a[i] * a[k]) / angle);
        let (dax, d_along) = (cross(da, x), dot(da, x));
        std::array::from_fn(|i| {
            a[k] * (ax[i] * c - x[i] * s + a[i] * along * s)
                + dax[i] * s
                + (da[i] * along + a[i] * d_along) * (1.0 - c)
        })
    });
    let by_x = [
        [c + a[0] * a[0] * (1.0 - c), a[2] * s + a[1] * a[0] * (1.0 - c), a[2] * a[0] * (1.0 - c) - a[1] * s],
        [a[0] * a[1] * (1.0 - c) - a[2] * s, c + a[1] * a[1] * (1.0 - c), a[0] * s + a[2] * a[1] * (1.0 - c)],
        [a[1] * s + a[0] * a[2] * (1.0 - c), a[1] * a[2] * (1.0 - c) - a[0] * s, c + a[2] * a[2] * (1.0 - c)],
    ];
    (at, by_r, by_x)
}

/// The two rows of an observation's Jacobian: eleven numbers of the camera, the point, the weight.
fn rows(camera: &[f64], point: &[f64], w: f64, feat: &[f64; 2], out: &mut [f64]) {
    let apart = [point[0] - camera[3], point[1] - camera[4], point[2] - camera[5]];
    let (at, by_r, by_x) = rotated([camera[0], camera[1], camera[2]], apart);
    let (f, k1, k2) = (camera[6], camera[9], camera[10]);
    let p = [at[0] / at[2], at[1] / at[2]];
    let square = p[0] * p[0] + p[1] * p[1];
    let distortion = 1.0 + k1 * square + k2 * square * square;
    let bend = 2.0 * (k1 + 2.0 * k2 * square);
    for i in 0..2 {
        let row = &mut out[15 * i..][..15];
        // The derivatives of the projection with respect to the two coordinates, and to the three of the seen point.
        let by_p: [f64; 2] =
            std::array::from_fn(|j| w * f * (bend * p[i] * p[j] + if i == j { distortion } else { 0.0 }));
        let by_at = [by_p[0] / at[2], by_p[1] / at[2], -(by_p[0] * p[0] + by_p[1] * p[1]) / at[2]];
        for j in 0..3 {
            row[j] = dot(by_at, by_r[j]);
            row[11 + j] = dot(by_at, by_x[j]);
            row[3 + j] = -row[11 + j];
        }
        row[6] = w * distortion * p[i];
        (row[7], row[8]) = if i == 0 { (w, 0.0) } else { (0.0, w) };
        row[9] = w * f * square * p[i];
        row[10] = row[9] * square;
        row[14] = f * distortion * p[i] + camera[7 + i] - feat[i];
    }
}

pub fn jacobian(mut call: Evaluation) -> Result<Answer> {
    let Input { n, m, p, cam, x, w, feat } = call.read()?;
    let (cameras, points, weights) = (cam.repeat(n), x.repeat(m), vec![w; p]);
    let mut offsets: Vec<usize> = (0..=2 * p).map(|row| 15 * row).collect();
    offsets.extend((0..p).map(|i| 30 * p + i + 1));
    let first = 11 * n + 3 * m;
    let row = |i: usize| {
        let (camera, point) = (11 * (i % n), 11 * n + 3 * (i % m));
        (camera..camera + 11).chain(point..point + 3).chain([first + i])
    };
    let mut columns: Vec<usize> = (0..p).flat_map(|i| row(i).chain(row(i))).collect();
    columns.extend((0..p).map(|i| first + i));
    let mut values = vec![0.0; 31 * p];
    call.evaluate(|| {
        for (i, out) in values[..30 * p].chunks_exact_mut(30).enumerate() {
            rows(&cameras[11 * (i % n)..][..11], &points[3 * (i % m)..][..3], weights[i], &feat, out);
        }
        for (value, w) in values[30 * p..].iter_mut().zip(&weights) {
            *value = -2.0 * w;
        }
        let picked = |list: &[usize]| [&list[..30], &list[list.len() - 1..]].concat();
        let some = [&values[..30], &values[values.len() - 1..]].concat();
        Ok(json!({ "rows": picked(&offsets), "cols": picked(&columns), "vals": some }))
    })
}
