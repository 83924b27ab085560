//! k-means: Newton's direction of the sum of squared distances to the nearest centroids.

use serde::Deserialize;
use wengert::sums::{Sum, Table};

use crate::{Answer, Evaluation, Result, protocol};

#[derive(Deserialize)]
struct Input {
    points: Vec<Vec<f64>>,
    centroids: Vec<Vec<f64>>,
}

impl Input {
    /// The points, the centroids, and their dimension.
    fn flat(&self) -> Result<(Vec<f64>, Vec<f64>, usize)> {
        let d = self.centroids.first().ok_or("no centroids")?.len();
        for point in self.points.iter().chain(&self.centroids) {
            protocol::length("a point", point.len(), d)?;
        }
        Ok((self.points.concat(), self.centroids.concat(), d))
    }
}

/// The squared distance to the nearest centroid; of several the first one counts.
#[wengert::generic]
fn nearest(centroids: &[f64], point: &[f64]) -> f64 {
    let mut least = f64::INFINITY;
    for centroid in centroids.chunks_exact(point.len()) {
        let squares = centroid.iter().zip(point).map(|(c, x)| (c - x) * (c - x));
        let distance = squares.sum::<f64>();
        least = wengert::Real::select_lt(distance, least, distance, least);
    }
    least
}

pub fn cost(mut call: Evaluation) -> Result<Answer> {
    let (points, centroids, d) = call.read::<Input>()?.flat()?;
    call.evaluate(|| Ok(points.chunks_exact(d).map(|x| nearest(&centroids, x)).sum::<f64>()))
}

pub fn dir(mut call: Evaluation) -> Result<Answer> {
    let (points, centroids, d) = call.read::<Input>()?.flat()?;
    let n = centroids.len();
    let mut sum = call.prepare(|| Sum::new(n, Table::new(points, d)?, nearest))?;
    let (ones, mut g, mut diagonal) = (vec![1.0; n], vec![0.0; n], vec![0.0; n]);
    call.evaluate(|| {
        // The Hessian is diagonal.
        sum.hvp(&centroids, &ones, &mut g, &mut diagonal)?;
        let steps: Vec<f64> = g.iter().zip(&diagonal).map(|(g, h)| g / h).collect();
        Ok(steps.chunks(d).map(<[f64]>::to_vec).collect::<Vec<_>>())
    })
}
