//! One evaluation of residuals and their sparse Jacobian of a graph, compared with tiny-solver: planar poses, cameras
//! and points.

use std::collections::HashMap;
use std::ops::Range;

use tiny_solver::factors::na::{DVector, RealField};
use tiny_solver::factors::{BetweenFactorSE2, Factor};
use tiny_solver::problem::Problem;
use wengert::Real;
use wengert::programs::Traced;
use wengert::sums::{LeastSquares, Table as Rows};

use crate::camera::PARAMETERS;
use crate::scene::Scene;
use crate::table::Table;

/// Poses `(θ, x, y)` and the measurements between two of them.
struct Graph {
    start: Vec<[f64; 3]>,
    edges: Vec<([usize; 2], [f64; 3])>,
}

impl Graph {
    /// A walk along the streets of a town, similar to the data set M3500: 3500 poses, 5453 edges; 1954 edges close
    /// loops.
    fn town() -> Self {
        let mut state = 7_u64;
        let mut random = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) as f64 / (1_u64 << 31) as f64
        };
        let mut poses = vec![[0.0; 3]];
        while poses.len() < 3500 {
            let [angle, x, y]: [f64; 3] = poses[poses.len() - 1];
            let turn = if random() < 0.3 { if random() < 0.5 { 1.0 } else { -1.0 } } else { 0.0 };
            poses.push([
                angle + turn * std::f64::consts::FRAC_PI_2,
                (x + angle.cos()).round(),
                (y + angle.sin()).round(),
            ]);
        }
        let mut pairs: Vec<[usize; 2]> = (1..poses.len()).map(|i| [i - 1, i]).collect();
        while pairs.len() < 5453 {
            let [i, j] = [(); 2].map(|()| (random() * poses.len() as f64) as usize);
            if i + 10 < j && (poses[i][1] - poses[j][1]).hypot(poses[i][2] - poses[j][2]) < 3.0 {
                pairs.push([i, j]);
            }
        }
        let mut measured = |[i, j]: [usize; 2]| {
            let ([a, x, y], [b, u, v]) = (poses[i], poses[j]);
            let (s, c) = a.sin_cos();
            let d = [b - a, c * (u - x) + s * (v - y), c * (v - y) - s * (u - x)];
            ([i, j], d.map(|d| d + 0.05 * (random() - 0.5)))
        };
        let edges = pairs.iter().map(|&pair| measured(pair)).collect();
        let start = poses.iter().map(|pose| pose.map(|p| p + 0.2 * (random() - 0.5))).collect();
        Graph { start, edges }
    }
}

impl Graph {
    /// `B⁻¹·A·D`, of the pose A that the measurement D began at and the pose B where it ended.
    fn residuals(p: &[Traced], d: &[Traced]) -> [Traced; 3] {
        let ((s, c), (t, e)) = (p[0].sin_cos(), p[3].sin_cos());
        let u = c * d[1] - s * d[2] + p[1] - p[4];
        let v = s * d[1] + c * d[2] + p[2] - p[5];
        let (sine, cosine) = (p[0] + d[0] - p[3]).sin_cos();
        [e * u + t * v, e * v - t * u, sine.atan2(cosine)]
    }
    fn squares(&self) -> LeastSquares<'static> {
        let measured: Vec<[f64; 3]> = self.edges.iter().map(|&(_, d)| d).collect();
        let places = |i: usize| self.edges[i].0.into_iter().flat_map(|pose| 3 * pose..3 * pose + 3);
        let rows = Rows::from(measured).reading(places);
        LeastSquares::new(3 * self.start.len(), rows, Self::residuals).expect("poses that there are")
    }
}

/// The pixel of a point in a camera, minus the measurement: the formulas of `examples/bundle/camera.rs`, in their
/// order.
struct Seen([f64; 2]);

impl<T: RealField> Factor<T> for Seen {
    fn residual_func(&self, p: &[DVector<T>]) -> DVector<T> {
        let (lit, of) = (|x: f64| T::from_f64(x).expect("a float"), |i: usize| p[0][i].clone());
        let r = [of(0), of(1), of(2)];
        let times = |x: &T, y: &T| x.clone() * y.clone();
        let angle = (times(&r[0], &r[0]) + times(&r[1], &r[1]) + times(&r[2], &r[2])).sqrt();
        let sinc = |x: T| x.clone().sin() / x;
        let (sine, half) = (sinc(angle.clone()), sinc(angle * lit(0.5)));
        let versine = times(&half, &half) * lit(0.5);
        let with = |i: usize, j: usize| times(&times(&versine, &r[i]), &r[j]);
        let (aa, bb, cc) = (with(0, 0), with(1, 1), with(2, 2));
        let (ab, ac, bc) = (with(0, 1), with(0, 2), with(1, 2));
        let [sa, sb, sc] = [0, 1, 2].map(|i| times(&sine, &r[i]));
        let one = || lit(1.0);
        let rows = [
            [one() - (bb.clone() + cc.clone()), ab.clone() - sc.clone(), ac.clone() + sb.clone()],
            [ab + sc, one() - (aa.clone() + cc), bc.clone() - sa.clone()],
            [ac - sb, bc + sa, one() - (aa + bb)],
        ];
        let along = |i: usize| {
            let [a, b, c] = &rows[i];
            times(a, &p[1][0]) + times(b, &p[1][1]) + times(c, &p[1][2]) + of(3 + i)
        };
        let (x, y, z) = (along(0), along(1), along(2));
        let (u, v) = (x / z.clone(), y / z);
        let square = times(&u, &u) + times(&v, &v);
        let scale = of(6) * ((of(8) * square.clone() + of(7)) * square + one());
        DVector::from_vec(vec![scale.clone() * u - lit(self.0[0]), scale * v - lit(self.0[1])])
    }
}

impl Scene {
    /// A scene in which each camera is turned a little: other crates' numbers have no rotation by the angle 0.
    pub fn turned(cameras: usize, points: usize, seed: u64) -> Scene {
        let mut scene = Scene::generate(cameras, points, seed);
        for camera in 0..cameras {
            let first = scene.of_camera(camera).start;
            scene.start[first] += 0.01;
        }
        scene
    }
}

/// The tables of all graphs.
pub fn tables() -> impl Iterator<Item = String> {
    [poses, bundle].into_iter().map(|table| table())
}

fn poses() -> String {
    let graph = Graph::town();
    let mut problem = Problem::new();
    for &([i, j], [dtheta, dx, dy]) in &graph.edges {
        let factor = Box::new(BetweenFactorSE2 { dx, dy, dtheta });
        problem.add_residual_block(3, &[&name(i), &name(j)], factor, None);
    }
    let blocks: Vec<_> = (0..graph.start.len()).map(|i| 3 * i..3 * i + 3).collect();
    let title = "Residuals and sparse Jacobian of 3500 planar poses, 5453 edges";
    compare(title, graph.squares(), &graph.start.concat(), &problem, &blocks)
}

fn bundle() -> String {
    let scene = Scene::turned(32, 3200, 1);
    let mut problem = Problem::new();
    for seen in &scene.observations {
        let names = [name(scene.points + seen.camera), name(seen.point)];
        problem.add_residual_block(2, &names.each_ref().map(|n| &n[..]), Box::new(Seen(seen.pixel)), None);
    }
    let mut blocks: Vec<_> = (0..scene.points).map(|i| 3 * i..3 * i + 3).collect();
    blocks.extend((0..scene.cameras).map(|i| scene.of_camera(i)));
    let title = format!(
        "Residuals and sparse Jacobian of a bundle: {} cameras, {} points, {} observations, {PARAMETERS} + 3 inputs",
        scene.cameras,
        scene.points,
        scene.observations.len()
    );
    compare(&title, scene.squares().expect("parameters that there are"), &scene.start, &problem, &blocks)
}

fn name(block: usize) -> String {
    format!("x{block}")
}

/// A build of both, of parameters in blocks.
fn compare(
    title: &str,
    mut squares: LeastSquares<'_>,
    x: &[f64],
    problem: &Problem,
    of_blocks: &[Range<usize>],
) -> String {
    let vector = |block: &Range<usize>| DVector::from_row_slice(&x[block.clone()]);
    let start = of_blocks.iter().enumerate().map(|(i, block)| (name(i), vector(block))).collect();
    let blocks = problem.initialize_parameter_blocks(&start);
    let columns: HashMap<String, usize> = problem.get_variable_name_to_col_idx_dict(&blocks);
    let structure = problem.build_symbolic_structure(&blocks, x.len(), &columns);

    let mut want = Vec::new();
    let (r, j) = squares.jacobian(x).expect("a point of that length");
    want.extend_from_slice(r);
    want.extend_from_slice(j.values());
    // For each of their columns the number of ours, and for each entry its index in our rows.
    let mut ours = vec![0; x.len()];
    for (i, block) in of_blocks.iter().enumerate() {
        block.clone().enumerate().for_each(|(k, column)| ours[columns[&name(i)] + k] = column);
    }
    let (_, theirs) = problem.compute_residual_and_jacobian(&blocks, &columns, &structure);
    let mut places = Vec::new();
    for (column, ours) in ours.iter().enumerate() {
        for &row in theirs.symbolic().row_idx_of_col_raw(column) {
            let place = j.row(row).col_indices().binary_search(ours).expect("the same pattern");
            places.push(r.len() + j.row_offsets()[row] + place);
        }
    }
    let residuals = r.len();
    Table::new(title, x, want)
        .case("wengert `LeastSquares::jacobian`", |x, out: &mut Vec<f64>| {
            let (r, j) = squares.jacobian(x).expect("a point of that length");
            out[..residuals].copy_from_slice(r);
            out[residuals..].copy_from_slice(j.values());
        })
        .case("tiny-solver `compute_residual_and_jacobian`", |_, out| {
            let (r, j) = problem.compute_residual_and_jacobian(&blocks, &columns, &structure);
            (0..residuals).for_each(|i| out[i] = r[(i, 0)]);
            places.iter().zip(j.val()).for_each(|(&place, value)| out[place] = *value);
        })
        .run()
}
