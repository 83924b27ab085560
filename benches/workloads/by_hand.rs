//! Gradients of the sums, written by hand, as a careful user would write them without this crate.

use std::array::from_fn;

use super::scene::Scene;

/// `Σ ln Σₖ exp(oₖ − ½‖zₖ‖²)`: 5 weights, 15 means, 15 logarithms of deviations.
pub fn mixture(points: &[[f64; 3]], p: &[f64], g: &mut [f64]) -> f64 {
    let (weights, rest) = p.split_at(5);
    let (means, deviations) = rest.split_at(15);
    let inverse: [f64; 15] = from_fn(|i| (-deviations[i]).exp());
    let most = weights.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let all: f64 = weights.iter().map(|w| (w - most).exp()).sum();
    let norm = most + all.ln();
    let offset: [f64; 5] = from_fn(|k| weights[k] - norm - deviations[3 * k..3 * k + 3].iter().sum::<f64>());
    g.fill(0.0);
    let mut value = 0.0;
    for x in points {
        let z: [f64; 15] = from_fn(|i| (means[i] - x[i % 3]) * inverse[i]);
        let t: [f64; 5] =
            from_fn(|k| offset[k] - 0.5 * z[3 * k..3 * k + 3].iter().map(|z| z * z).sum::<f64>());
        let most = t.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let e = t.map(|t| (t - most).exp());
        let sum: f64 = e.iter().sum();
        value += most + sum.ln();
        for k in 0..5 {
            let share = e[k] / sum;
            g[k] += share;
            for i in 3 * k..3 * k + 3 {
                g[5 + i] -= share * z[i] * inverse[i];
                g[20 + i] += share * (z[i] * z[i] - 1.0);
            }
        }
    }
    for k in 0..5 {
        g[k] -= points.len() as f64 * (weights[k] - norm).exp();
    }
    value
}

/// `Σ softplus(t) − yt`, `t = x·w`; each row and its second derivative by `t` are shown.
#[inline]
pub fn logistic(
    rows: &[f64],
    labels: &[f64],
    w: &[f64],
    g: &mut [f64],
    mut bend: impl FnMut(&[f64], f64),
) -> f64 {
    g.fill(0.0);
    let mut value = 0.0;
    for (row, y) in rows.chunks_exact(w.len()).zip(labels) {
        // In four sums, which a processor adds in parallel.
        let mut four = [0.0; 4];
        let (row4, w4) = (row.as_chunks::<4>(), w.as_chunks::<4>());
        for (row, w) in row4.0.iter().zip(w4.0) {
            four = from_fn(|l| four[l] + row[l] * w[l]);
        }
        let t = four.iter().sum::<f64>() + row4.1.iter().zip(w4.1).map(|(x, w)| x * w).sum::<f64>();
        let e = (-t.abs()).exp();
        value += t.max(0.0) + e.ln_1p() - t * y;
        let s = if t >= 0.0 { 1.0 } else { e } / (1.0 + e);
        g.iter_mut().zip(row).for_each(|(g, x)| *g += (s - y) * x);
        bend(row, s * (1.0 - s));
    }
    value
}

/// `tanh` of the rows of a layer, each with its offset last.
fn layer<const N: usize>(w: &[f64], x: &[f64]) -> [f64; N] {
    from_fn(|i| {
        let row = &w[(x.len() + 1) * i..][..x.len() + 1];
        (row.iter().zip(x).map(|(w, x)| w * x).sum::<f64>() + row[x.len()]).tanh()
    })
}

/// From the cotangents of a layer's sums: the cotangents of its weights and of its inputs.
fn back<const N: usize>(w: &[f64], x: &[f64], sums: &[f64], g: &mut [f64]) -> [f64; N] {
    let (mut of_x, width) = ([0.0; N], x.len() + 1);
    for ((row, of_row), s) in w.chunks_exact(width).zip(g.chunks_exact_mut(width)).zip(sums) {
        of_row.iter_mut().zip(x).for_each(|(g, x)| *g += s * x);
        of_row[width - 1] += s;
        of_x.iter_mut().zip(row).for_each(|(to, w)| *to += s * w);
    }
    of_x
}

/// The network 10-64-64-1.
pub fn network(inputs: &[[f64; 10]], w: &[f64], g: &mut [f64]) -> f64 {
    let (first, rest) = w.split_at(64 * 11);
    let (second, last) = rest.split_at(64 * 65);
    g.fill(0.0);
    let (g_first, rest) = g.split_at_mut(64 * 11);
    let (g_second, g_last) = rest.split_at_mut(64 * 65);
    let mut value = 0.0;
    for x in inputs {
        let a: [f64; 64] = layer(first, x);
        let b: [f64; 64] = layer(second, &a);
        let missed = last.iter().zip(&b).map(|(w, b)| w * b).sum::<f64>() + last[64] - x[0] * x[1];
        value += missed * missed;
        let of_b: [f64; 64] = back(last, &b, &[2.0 * missed], g_last);
        let sums: [f64; 64] = from_fn(|i| of_b[i] * (1.0 - b[i] * b[i]));
        let of_a: [f64; 64] = back(second, &a, &sums, g_second);
        let sums: [f64; 64] = from_fn(|i| of_a[i] * (1.0 - a[i] * a[i]));
        let _: [f64; 10] = back(first, x, &sums, g_first);
    }
    value
}

fn cross(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

/// `Σ R̄·∂R/∂rᵢ`, with `∂R/∂rᵢ = [rᵢr + r × (eᵢ − R·eᵢ)]ₓ·R/θ²` (G. Gallego, A. Yezzi, 2015), and `[eᵢ]ₓ` at r = 0.
fn of_rotation(r: [f64; 3], turned: &[[f64; 3]; 3], of_r: &[[f64; 3]; 3]) -> [f64; 3] {
    let square = r.iter().map(|r| r * r).sum::<f64>();
    from_fn(|i| {
        let unit: [f64; 3] = from_fn(|k| f64::from(k == i));
        let column: [f64; 3] = from_fn(|k| unit[k] - turned[k][i]);
        let turn = cross(r, column);
        let axis: [f64; 3] = if square == 0.0 { unit } else { from_fn(|k| (r[i] * r[k] + turn[k]) / square) };
        (0..3)
            .map(|j| {
                let column = cross(axis, from_fn(|k| turned[k][j]));
                (0..3).map(|k| of_r[k][j] * column[k]).sum::<f64>()
            })
            .sum()
    })
}

/// Half the sum of squared residuals of all cameras.
pub fn bundle(scene: &Scene, p: &[f64], g: &mut [f64]) -> f64 {
    g.fill(0.0);
    let (points, mut value) = (scene.coordinates(p), 0.0);
    for camera in 0..scene.cameras {
        let parameters = scene.camera(p, camera);
        let [r0, r1, r2, t0, t1, t2, focal, k1, k2] = *parameters;
        let turn = super::camera::rotation([r0, r1, r2]);
        let (mut of_turn, mut of_t, mut of_lens) = ([[0.0; 3]; 3], [0.0; 3], [0.0; 3]);
        for seen in scene.of(camera) {
            let [a, b, c] = points[seen.point];
            let along = |i: usize, t: f64| turn[i][0] * a + turn[i][1] * b + turn[i][2] * c + t;
            let (x, y, z) = (along(0, t0), along(1, t1), along(2, t2));
            let inverse = 1.0 / z;
            let (u, v) = (x * inverse, y * inverse);
            let square = u * u + v * v;
            let lens = (k2 * square + k1) * square + 1.0;
            let scale = focal * lens;
            let (r, s) = (scale * u - seen.pixel[0], scale * v - seen.pixel[1]);
            value += 0.5 * (r * r + s * s);
            let of_scale = r * u + s * v;
            let of_poly = of_scale * focal;
            let of_square = 2.0 * of_poly * (2.0 * k2 * square + k1);
            let (of_u, of_v) = (r * scale + of_square * u, s * scale + of_square * v);
            let (of_x, of_y) = (of_u * inverse, of_v * inverse);
            let of_place = [of_x, of_y, -(of_x * u + of_y * v)];
            of_lens[0] += of_scale * lens;
            of_lens[1] += of_poly * square;
            of_lens[2] += of_poly * square * square;
            for (i, of) in of_place.into_iter().enumerate() {
                of_t[i] += of;
                of_turn[i][0] += of * a;
                of_turn[i][1] += of * b;
                of_turn[i][2] += of * c;
            }
            let to = &mut g[3 * seen.point..3 * seen.point + 3];
            for (j, to) in to.iter_mut().enumerate() {
                *to += turn[0][j] * of_place[0] + turn[1][j] * of_place[1] + turn[2][j] * of_place[2];
            }
        }
        let to = &mut g[scene.of_camera(camera)];
        to[..3].copy_from_slice(&of_rotation([r0, r1, r2], &turn, &of_turn));
        to[3..6].copy_from_slice(&of_t);
        to[6..].copy_from_slice(&of_lens);
    }
    value
}
