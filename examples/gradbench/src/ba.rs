//! Bundle adjustment: the sparse Jacobian of reprojection errors.

use serde::Deserialize;
use serde_json::json;
use wengert::sums::{LeastSquares, Table};

use crate::{Answer, Evaluation, Result};

#[derive(Deserialize)]
struct Input {
    n: usize,
    m: usize,
    p: usize,
    cam: [f64; 11],
    x: [f64; 3],
    w: f64,
    feat: [f64; 2],
}

#[wengert::generic]
pub mod model {
    fn cross(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
        [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
    }
    fn dot(a: [f64; 3], b: [f64; 3]) -> f64 {
        a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
    }
    /// `x` rotated about `r` by its length.
    fn rotated(r: [f64; 3], x: [f64; 3]) -> [f64; 3] {
        let square = dot(r, r);
        if square == 0.0 {
            let by = cross(r, x);
            return [x[0] + by[0], x[1] + by[1], x[2] + by[2]];
        }
        let angle = square.sqrt();
        let (sine, cosine) = angle.sin_cos();
        let axis = r.map(|r| r / angle);
        let (by, along) = (cross(axis, x), dot(axis, x) * (1.0 - cosine));
        std::array::from_fn(|i| x[i] * cosine + by[i] * sine + axis[i] * along)
    }
    /// The weighted error of a point that a camera sees at `feat`: 11 numbers of the camera (rotation,
    /// centre, focal length, principal point, distortion), the point, and the weight.
    pub fn error(z: &[f64], feat: &[f64]) -> [f64; 2] {
        let apart = [z[11] - z[3], z[12] - z[4], z[13] - z[5]];
        let seen = rotated([z[0], z[1], z[2]], apart);
        let (x, y) = (seen[0] / seen[2], seen[1] / seen[2]);
        let square = x * x + y * y;
        let scale = z[6] * (1.0 + z[9] * square + z[10] * square * square);
        [z[14] * (x * scale + z[7] - feat[0]), z[14] * (y * scale + z[8] - feat[1])]
    }
}

impl Input {
    /// All parameters: cameras, then points, then weights.
    fn flat(&self) -> Result<Vec<f64>> {
        if self.n == 0 || self.m == 0 || self.p < 10 {
            return Err("at least one camera, one point and ten observations are needed".into());
        }
        Ok([self.cam.repeat(self.n), self.x.repeat(self.m), vec![self.w; self.p]].concat())
    }
    /// Where the parameters of an observation are.
    fn places(&self, i: usize) -> impl Iterator<Item = usize> {
        let (camera, point) = (11 * (i % self.n), 11 * self.n + 3 * (i % self.m));
        (camera..camera + 11).chain(point..point + 3).chain([11 * self.n + 3 * self.m + i])
    }
}

pub fn objective(mut call: Evaluation) -> Result<Answer> {
    let input: Input = call.read()?;
    let p = input.flat()?;
    call.evaluate(|| {
        let mut z = [0.0; 15];
        let mut errors = vec![[0.0; 2]; input.p];
        for (i, error) in errors.iter_mut().enumerate() {
            z.iter_mut().zip(input.places(i)).for_each(|(z, k)| *z = p[k]);
            *error = model::error(&z, &input.feat);
        }
        Ok(json!({
            "reproj_error": { "elements": errors[0], "repeated": input.p },
            "w_err": { "element": 1.0 - input.w * input.w, "repeated": input.p },
        }))
    })
}

pub fn jacobian(mut call: Evaluation) -> Result<Answer> {
    let input: Input = call.read()?;
    let p = input.flat()?;
    let mut squares = call.prepare(|| {
        let feats = Table::new(input.feat.repeat(input.p), 2)?.reading(|i| input.places(i));
        let errors = LeastSquares::new(p.len(), feats, model::error)?;
        let first = p.len() - input.p;
        let weights = Table::without_data(input.p).reading(|i| [first + i]);
        Ok::<_, wengert::AdError>(errors + LeastSquares::new(p.len(), weights, |w, _| [-w[0] * w[0] + 1.0])?)
    })?;
    call.evaluate(|| {
        let (_, j) = squares.jacobian(&p)?;
        let picked = |list: &[usize]| [&list[..30], &list[list.len() - 1..]].concat();
        let values = j.values();
        Ok(json!({
            "rows": picked(j.row_offsets()),
            "cols": picked(j.col_indices()),
            "vals": values[..30].iter().chain(values.last()).collect::<Vec<_>>(),
        }))
    })
}
