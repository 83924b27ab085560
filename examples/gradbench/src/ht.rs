//! Tracking of a hand: distances of the vertices of a posed mesh from points that were seen.

use serde::Deserialize;
use wengert::sums::{LeastSquares, Table};

use crate::{Answer, Evaluation, Result, protocol};

#[derive(Deserialize)]
struct Input {
    theta: Vec<f64>,
    us: Vec<[f64; 2]>,
    data: Data,
}

#[derive(Deserialize)]
pub struct Data {
    model: Hand,
    correspondences: Vec<usize>,
    points: Vec<[f64; 3]>,
}

/// Rows.
type Matrix = [[f64; 4]; 4];

#[derive(Deserialize)]
pub struct Hand {
    parents: Vec<i64>,
    base_relatives: Vec<Matrix>,
    inverse_base_absolutes: Vec<Matrix>,
    base_positions: Vec<[f64; 4]>,
    weights: Vec<Vec<f64>>,
    triangles: Vec<[usize; 3]>,
    is_mirrored: bool,
}

#[wengert::generic]
pub mod model {
    use super::{Data, Hand};

    /// The upper three rows of `a·b`, of matrices whose last rows are (0, 0, 0, 1).
    fn product(a: &[[f64; 4]; 3], b: &[[f64; 4]; 3]) -> [[f64; 4]; 3] {
        std::array::from_fn(|i| {
            std::array::from_fn(|j| {
                let sum = a[i][0] * b[0][j] + a[i][1] * b[1][j] + a[i][2] * b[2][j];
                if j == 3 { sum + a[i][3] } else { sum }
            })
        })
    }
    /// The upper rows of a matrix of data.
    fn number(#[data] a: &[[f64; 4]; 4]) -> [[f64; 4]; 3] {
        std::array::from_fn(|i| std::array::from_fn(|j| a[i][j] as f64))
    }
    /// `Rz·Ry·Rx`.
    fn turned(x: f64, y: f64, z: f64) -> [[f64; 4]; 3] {
        let ((sx, cx), (sy, cy), (sz, cz)) = (x.sin_cos(), y.sin_cos(), z.sin_cos());
        [
            [cz * cy, cz * sy * sx - sz * cx, cz * sy * cx + sz * sx, 0.0],
            [sz * cy, sz * sy * sx + cz * cx, sz * sy * cx - cz * sx, 0.0],
            [-sy, cy * sx, cy * cx, 0.0],
        ]
    }
    /// The rotation about `r` by its length, none if it is short, and a translation.
    fn about(r: &[f64], t: &[f64]) -> [[f64; 4]; 3] {
        let square = r[0] * r[0] + r[1] * r[1] + r[2] * r[2];
        if square < 1e-8 {
            return [[1.0, 0.0, 0.0, t[0]], [0.0, 1.0, 0.0, t[1]], [0.0, 0.0, 1.0, t[2]]];
        }
        let angle = square.sqrt();
        let (s, c) = angle.sin_cos();
        let [x, y, z] = [r[0] / angle, r[1] / angle, r[2] / angle];
        let d = 1.0 - c;
        [
            [x * x * d + c, x * y * d - z * s, x * z * d + y * s, t[0]],
            [x * y * d + z * s, y * y * d + c, y * z * d - x * s, t[1]],
            [x * z * d - y * s, y * z * d + x * s, z * z * d + c, t[2]],
        ]
    }
    /// The maps by which the bones move the points near them from the base pose.
    fn transforms(theta: &[f64], #[data] hand: &Hand) -> Vec<[[f64; 4]; 3]> {
        let mut absolutes: Vec<[[f64; 4]; 3]> = Vec::with_capacity(hand.parents.len());
        for (b, parent) in hand.parents.iter().enumerate() {
            // Bone 2 + 4f + j is joint j of finger f; the first joint also turns sideways.
            let (finger, joint) = (b.wrapping_sub(2) / 4, b.wrapping_sub(2) % 4);
            let angles = match joint {
                _ if b < 2 || finger > 4 => [0.0, 0.0],
                0 => [theta[6 + 4 * finger], theta[7 + 4 * finger]],
                1 | 2 => [theta[7 + 4 * finger + joint], 0.0],
                _ => [0.0, 0.0],
            };
            let turn = turned(angles[0], 0.0, angles[1]);
            let relative = product(&number(&hand.base_relatives[b]), &turn);
            let above = usize::try_from(*parent).ok();
            absolutes.push(above.map_or(relative, |above| product(&absolutes[above], &relative)));
        }
        let inverses = hand.inverse_base_absolutes.iter();
        absolutes.iter().zip(inverses).map(|(a, inverse)| product(a, &number(inverse))).collect()
    }
    /// Adds the movement of a point of the base pose by a bone, times a weight.
    fn add_moved(sum: &mut [f64; 3], w: f64, t: &[[f64; 4]; 3], base: [f64; 4]) {
        for i in 0..3 {
            sum[i] += w * (t[i][0] * base[0] + t[i][1] * base[1] + t[i][2] * base[2] + t[i][3] * base[3]);
        }
    }
    /// The place of a vertex that bones have moved.
    fn placed(moved: [f64; 3], global: &[[f64; 4]; 3], #[data] hand: &Hand) -> [f64; 3] {
        let mirror = if hand.is_mirrored { -1.0 } else { 1.0 };
        let at = [moved[0] * mirror, moved[1], moved[2]];
        std::array::from_fn(|i| {
            global[i][0] * at[0] + global[i][1] * at[1] + global[i][2] * at[2] + global[i][3]
        })
    }
    /// A point minus a place between three corners.
    fn apart(point: [f64; 3], u: f64, v: f64, corners: [[f64; 3]; 3]) -> [f64; 3] {
        let w = 1.0 - u - v;
        std::array::from_fn(|i| point[i] - (u * corners[0][i] + v * corners[1][i] + w * corners[2][i]))
    }
    /// The observed points minus the points of the mesh. If corners are weighted, `x` starts with two more
    /// numbers, which are added to the weights of each point's corners.
    pub fn errors(x: &[f64], #[data] data: &Data, #[data] us: &[[f64; 2]]) -> Vec<f64> {
        let hand = &data.model;
        let (moves, theta) = x.split_at(x.len() - 26);
        let (transforms, global) = (transforms(theta, hand), about(&theta[..3], &theta[3..6]));
        let vertex = |v: usize| -> [f64; 3] {
            let base = hand.base_positions[v].map(|x| x as f64);
            let mut sum = [0.0; 3];
            for (t, w) in transforms.iter().zip(&hand.weights[v]).filter(|(_, w)| **w != 0.0) {
                add_moved(&mut sum, *w as f64, t, base);
            }
            placed(sum, &global, hand)
        };
        let mut errors: Vec<f64> = Vec::with_capacity(3 * data.points.len());
        for (k, (point, &place)) in data.points.iter().zip(&data.correspondences).enumerate() {
            let point = point.map(|x| x as f64);
            errors.extend(if us.is_empty() {
                let at = vertex(place);
                [point[0] - at[0], point[1] - at[1], point[2] - at[2]]
            } else {
                let corners = hand.triangles[place].map(&vertex);
                apart(point, us[k][0] + moves[0], us[k][1] + moves[1], corners)
            });
        }
        errors
    }
    /// The error of one point. Its row: the point, the weights of corners if there are any, and for each vertex its
    /// place in the base pose and the weights of all bones.
    pub fn error(x: &[f64], #[data] hand: &Hand, row: &[f64]) -> [f64; 3] {
        let (moves, theta) = x.split_at(x.len() - 26);
        let (transforms, global) = (transforms(theta, hand), about(&theta[..3], &theta[3..6]));
        let vertex = |row: &[f64]| -> [f64; 3] {
            let mut sum = [0.0; 3];
            for (t, w) in transforms.iter().zip(&row[4..]) {
                add_moved(&mut sum, *w, t, [row[0], row[1], row[2], row[3]]);
            }
            placed(sum, &global, hand)
        };
        let (point, width) = ([row[0], row[1], row[2]], 4 + hand.parents.len());
        if moves.is_empty() {
            let at = vertex(&row[3..]);
            [point[0] - at[0], point[1] - at[1], point[2] - at[2]]
        } else {
            let corners: [[f64; 3]; 3] = std::array::from_fn(|k| vertex(&row[5 + k * width..][..width]));
            apart(point, row[3] + moves[0], row[4] + moves[1], corners)
        }
    }
}

impl Input {
    /// The point: the additions to the weights of corners, if there are any, and the angles.
    fn flat(&self) -> Result<Vec<f64>> {
        let (hand, count) = (&self.data.model, self.data.points.len());
        protocol::length("theta", self.theta.len(), 26)?;
        protocol::length("correspondences", self.data.correspondences.len(), count)?;
        let bones = hand.parents.len();
        protocol::length("base_relatives", hand.base_relatives.len(), bones)?;
        protocol::length("inverse_base_absolutes", hand.inverse_base_absolutes.len(), bones)?;
        protocol::length("weights", hand.weights.len(), hand.base_positions.len())?;
        if self.us.is_empty() {
            return Ok(self.theta.clone());
        }
        protocol::length("us", self.us.len(), count)?;
        Ok([vec![0.0; 2], self.theta.clone()].concat())
    }
    /// The rows of [`model::error`].
    fn table(&self) -> Result<Table<'static>> {
        let hand = &self.data.model;
        let (corners, more) = if self.us.is_empty() { (1, 0) } else { (3, 2) };
        let mut rows = Vec::new();
        for (k, (point, &place)) in self.data.points.iter().zip(&self.data.correspondences).enumerate() {
            rows.extend(point);
            rows.extend(self.us.get(k).into_iter().flatten());
            let vertices = if corners == 1 { &[place][..] } else { &hand.triangles[place] };
            for &v in vertices {
                rows.extend(&hand.base_positions[v]);
                rows.extend(&hand.weights[v]);
            }
        }
        Ok(Table::new(rows, 3 + more + corners * (4 + hand.parents.len()))?)
    }
}

pub fn objective(mut call: Evaluation) -> Result<Answer> {
    let input: Input = call.read()?;
    let x = input.flat()?;
    call.evaluate(|| Ok(model::errors(&x, &input.data, &input.us)))
}

pub fn jacobian(mut call: Evaluation) -> Result<Answer> {
    let input: Input = call.read()?;
    let x = input.flat()?;
    let hand = &input.data.model;
    let mut errors = call.prepare(|| -> Result<_> {
        Ok(LeastSquares::new(x.len(), input.table()?, |x, row| model::error(x, hand, row))?)
    })?;
    call.evaluate(|| {
        // Each point reads all angles, so the rows are full.
        let (_, j) = errors.jacobian(&x)?;
        Ok(j.values().chunks(x.len()).map(<[f64]>::to_vec).collect::<Vec<_>>())
    })
}
