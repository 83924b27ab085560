//! Tracking of a hand: an angle moves the bones of its finger.

use gradbench::{Answer, Evaluation, Result};
use serde::Deserialize;

#[derive(Deserialize)]
struct Input {
    theta: Vec<f64>,
    us: Vec<[f64; 2]>,
    data: Data,
}

#[derive(Deserialize)]
struct Data {
    model: Model,
    correspondences: Vec<usize>,
    points: Vec<[f64; 3]>,
}

#[derive(Deserialize)]
struct Model {
    parents: Vec<i64>,
    base_relatives: Vec<[[f64; 4]; 4]>,
    inverse_base_absolutes: Vec<[[f64; 4]; 4]>,
    base_positions: Vec<[f64; 4]>,
    weights: Vec<Vec<f64>>,
    triangles: Vec<[usize; 3]>,
    is_mirrored: bool,
}

/// The upper three rows of a map whose last row is (0, 0, 0, `last`).
type Map = [[f64; 4]; 3];

/// `a·b`; the last number of `b` is 0 for a derivative, 1 otherwise.
fn product(a: &Map, b: &Map, last: f64) -> Map {
    std::array::from_fn(|i| {
        std::array::from_fn(|j| {
            let sum = a[i][0] * b[0][j] + a[i][1] * b[1][j] + a[i][2] * b[2][j];
            if j == 3 { sum + a[i][3] * last } else { sum }
        })
    })
}

fn upper(a: &[[f64; 4]; 4]) -> Map {
    [a[0], a[1], a[2]]
}

/// `Rz·Rx` and its derivatives with respect to `x` and `z`.
fn turned(x: f64, z: f64) -> (Map, [Map; 2]) {
    let ((sx, cx), (sz, cz)) = (x.sin_cos(), z.sin_cos());
    let turn = [[cz, -sz * cx, sz * sx, 0.0], [sz, cz * cx, -cz * sx, 0.0], [0.0, sx, cx, 0.0]];
    let by_x = [[0.0, sz * sx, sz * cx, 0.0], [0.0, -cz * sx, -cz * cx, 0.0], [0.0, cx, -sx, 0.0]];
    let by_z = [[-sz, -cz * cx, cz * sx, 0.0], [cz, -sz * cx, sz * sx, 0.0], [0.0; 4]];
    (turn, [by_x, by_z])
}

/// The rotation about `r`, none if it is short, and its derivatives with respect to `r`.
fn about(r: &[f64]) -> ([[f64; 3]; 3], [[[f64; 3]; 3]; 3]) {
    let unit = |i: usize, j: usize| if i == j { 1.0 } else { 0.0 };
    let square = r[0] * r[0] + r[1] * r[1] + r[2] * r[2];
    if square < 1e-8 {
        return (std::array::from_fn(|i| std::array::from_fn(|j| unit(i, j))), [[[0.0; 3]; 3]; 3]);
    }
    let angle = square.sqrt();
    let (s, c) = angle.sin_cos();
    let a = [r[0] / angle, r[1] / angle, r[2] / angle];
    let skew = |a: [f64; 3]| [[0.0, -a[2], a[1]], [a[2], 0.0, -a[0]], [-a[1], a[0], 0.0]];
    let turn = |i: usize, j: usize| a[i] * a[j] * (1.0 - c) + unit(i, j) * c + skew(a)[i][j] * s;
    let by = |k: usize, i: usize, j: usize| {
        let da: [f64; 3] = std::array::from_fn(|i| (unit(i, k) - a[i] * a[k]) / angle);
        let along = (a[i] * a[j] - unit(i, j)) * s + skew(a)[i][j] * c;
        (da[i] * a[j] + a[i] * da[j]) * (1.0 - c) + skew(da)[i][j] * s + a[k] * along
    };
    let matrix = |f: &dyn Fn(usize, usize) -> f64| std::array::from_fn(|i| std::array::from_fn(|j| f(i, j)));
    (matrix(&turn), std::array::from_fn(|k| matrix(&|i, j| by(k, i, j))))
}

/// The maps of the bones, and for each its derivatives with respect to the angles that move it.
fn transforms(theta: &[f64], model: &Model) -> Vec<(Map, Vec<(usize, Map)>)> {
    let mut absolutes: Vec<(Map, Vec<(usize, Map)>)> = Vec::with_capacity(model.parents.len());
    for (b, parent) in model.parents.iter().enumerate() {
        let (finger, joint) = (b.wrapping_sub(2) / 4, b.wrapping_sub(2) % 4);
        let (x, z) = match joint {
            _ if b < 2 || finger > 4 => (None, None),
            0 => (Some(6 + 4 * finger), Some(7 + 4 * finger)),
            1 | 2 => (Some(7 + 4 * finger + joint), None),
            _ => (None, None),
        };
        let angle = |place: Option<usize>| place.map_or(0.0, |place| theta[place]);
        let (turn, by) = turned(angle(x), angle(z));
        let base = upper(&model.base_relatives[b]);
        let relative = product(&base, &turn, 1.0);
        let above = usize::try_from(*parent).ok().map(|above| &absolutes[above]);
        let absolute = above.map_or(relative, |(above, _)| product(above, &relative, 1.0));
        let mut moved: Vec<(usize, Map)> = match above {
            Some((_, moved)) => moved.iter().map(|(k, d)| (*k, product(d, &relative, 1.0))).collect(),
            None => vec![],
        };
        for (place, by) in [x, z].into_iter().zip(&by) {
            let own = product(&base, by, 0.0);
            let own = above.map_or(own, |(above, _)| product(above, &own, 0.0));
            moved.extend(place.map(|place| (place, own)));
        }
        absolutes.push((absolute, moved));
    }
    let inverses = model.inverse_base_absolutes.iter().map(upper);
    let finished = absolutes.iter().zip(inverses).map(|((absolute, moved), inverse)| {
        let moved = moved.iter().map(|(k, d)| (*k, product(d, &inverse, 1.0))).collect();
        (product(absolute, &inverse, 1.0), moved)
    });
    finished.collect()
}

/// The numbers that all vertices share.
struct Pose<'a> {
    model: &'a Model,
    transforms: Vec<(Map, Vec<(usize, Map)>)>,
    global: ([[f64; 3]; 3], [[[f64; 3]; 3]; 3]),
    translation: [f64; 3],
}

impl Pose<'_> {
    /// A vertex; its derivatives with respect to the 26 angles times `by` are added to three rows of `out`.
    fn vertex(&self, v: usize, by: f64, out: &mut [[f64; 26]; 3]) -> [f64; 3] {
        let base = &self.model.base_positions[v];
        let image = |map: &Map, w: f64| -> [f64; 3] {
            std::array::from_fn(|i| {
                w * (map[i][0] * base[0] + map[i][1] * base[1] + map[i][2] * base[2] + map[i][3] * base[3])
            })
        };
        let mirror = if self.model.is_mirrored { -1.0 } else { 1.0 };
        let (turn, turns) = &self.global;
        let rotated = |r: &[[f64; 3]; 3], x: [f64; 3]| -> [f64; 3] {
            std::array::from_fn(|i| r[i][0] * mirror * x[0] + r[i][1] * x[1] + r[i][2] * x[2])
        };
        let mut at = [0.0; 3];
        // The fingers' angles in the base of the hand.
        let mut moved = [[0.0; 3]; 26];
        for ((map, derivatives), &w) in self.transforms.iter().zip(&self.model.weights[v]) {
            if w != 0.0 {
                at = std::array::from_fn(|i| at[i] + image(map, w)[i]);
                for (k, derivative) in derivatives {
                    let d = image(derivative, w);
                    (0..3).for_each(|i| moved[*k][i] += d[i]);
                }
            }
        }
        for k in 0..26 {
            let d = match k {
                0..3 => rotated(&turns[k], at),
                3..6 => std::array::from_fn(|i| if i == k - 3 { 1.0 } else { 0.0 }),
                _ => rotated(turn, moved[k]),
            };
            (0..3).for_each(|i| out[i][k] += by * d[i]);
        }
        let at = rotated(turn, at);
        std::array::from_fn(|i| at[i] + self.translation[i])
    }
}

pub fn jacobian(mut call: Evaluation) -> Result<Answer> {
    let Input { theta, us, data } = call.read()?;
    call.evaluate(|| {
        let pose = Pose {
            model: &data.model,
            transforms: transforms(&theta, &data.model),
            global: about(&theta[..3]),
            translation: [theta[3], theta[4], theta[5]],
        };
        let mut j = Vec::with_capacity(3 * data.points.len());
        for (k, &place) in data.correspondences.iter().enumerate() {
            let mut rows = [[0.0; 26]; 3];
            if us.is_empty() {
                pose.vertex(place, -1.0, &mut rows);
                j.extend(rows.map(|row| row.to_vec()));
                continue;
            }
            let (u, v) = (us[k][0], us[k][1]);
            let [a, b, c] = data.model.triangles[place];
            let corners =
                [(a, u), (b, v), (c, 1.0 - u - v)].map(|(vertex, w)| pose.vertex(vertex, -w, &mut rows));
            j.extend((0..3).map(|i| {
                let sides = [corners[2][i] - corners[0][i], corners[2][i] - corners[1][i]];
                [&sides[..], &rows[i]].concat()
            }));
        }
        Ok(j)
    })
}
