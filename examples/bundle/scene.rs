//! A synthetic scene: cameras on a ring about a cloud of points, their measurements, and the start of a solver.

use std::ops::Range;

use fastrand::Rng;
use wengert::programs::Traced;
use wengert::sums::{LeastSquares, Table};
use wengert::{AdError, Real, reduce};

use super::camera::{self, Camera, PARAMETERS};

/// Standard deviation of a measured coordinate, in pixels.
pub const NOISE: f64 = 0.5;
/// The number of cameras that see each point.
pub const VIEWS: usize = 8;
/// From a camera to the middle of the cloud, and the cloud's radius.
const DISTANCE: f64 = 8.0;
const RADIUS: f64 = 3.0;

/// A measurement: this camera saw this point at this pixel.
pub struct Observation {
    pub camera: usize,
    pub point: usize,
    pub pixel: [f64; 2],
}

/// The measurements, the truth and the first guess. The parameters are all points, then all cameras: a factor that
/// eliminates the points first stays sparse.
pub struct Scene {
    pub cameras: usize,
    pub points: usize,
    /// In the order of their cameras.
    pub observations: Vec<Observation>,
    /// Where the observations of each camera begin, and where the last ones end.
    pub firsts: Vec<usize>,
    /// None of a scene that was measured.
    pub truth: Option<Vec<f64>>,
    pub start: Vec<f64>,
}

impl Scene {
    /// The scene of this seed.
    pub fn generate(cameras: usize, points: usize, seed: u64) -> Scene {
        let mut random = Random(Rng::with_seed(seed));
        let eyes: Vec<[f64; PARAMETERS]> =
            (0..cameras).map(|i| ring_camera(i, cameras, &mut random)).collect();
        let cloud: Vec<[f64; 3]> = (0..points).map(|_| cloud_point(&mut random)).collect();
        let start = guess(&eyes, &cloud, &mut random);
        let views = VIEWS.min(cameras);
        let firsts: Vec<usize> = (0..points).map(|_| random.0.usize(..cameras)).collect();
        let mut observations = Vec::new();
        for (camera, parameters) in eyes.iter().enumerate() {
            let eye = Camera::new(parameters);
            for (point, first) in firsts.iter().enumerate() {
                // A point is seen by neighbours on the ring, from `first` on.
                if (camera + cameras - first) % cameras < views {
                    let pixel = eye.project(&cloud[point]).map(|c| c + NOISE * random.normal());
                    observations.push(Observation { camera, point, pixel });
                }
            }
        }
        let truth = [cloud.as_flattened(), eyes.as_flattened()].concat();
        Scene::new(cameras, points, observations, Some(truth), start)
    }

    /// A scene of these observations.
    pub fn new(
        cameras: usize,
        points: usize,
        mut observations: Vec<Observation>,
        truth: Option<Vec<f64>>,
        start: Vec<f64>,
    ) -> Scene {
        observations.sort_by_key(|seen| seen.camera);
        let firsts = (0..=cameras).map(|i| observations.partition_point(|seen| seen.camera < i)).collect();
        Scene { cameras, points, observations, firsts, truth, start }
    }

    /// The range of a camera's parameters among all parameters.
    pub fn of_camera(&self, camera: usize) -> Range<usize> {
        let first = 3 * self.points + PARAMETERS * camera;
        first..first + PARAMETERS
    }

    /// The parameters of a camera.
    pub fn camera<'p, T>(&self, parameters: &'p [T], camera: usize) -> &'p [T; PARAMETERS] {
        &parameters[3 * self.points..].as_chunks().0[camera]
    }

    /// The coordinates of all points.
    pub fn coordinates<'p, T>(&self, parameters: &'p [T]) -> &'p [[T; 3]] {
        parameters[..3 * self.points].as_chunks().0
    }

    /// The observations of a camera.
    #[inline]
    pub fn of(&self, camera: usize) -> &[Observation] {
        &self.observations[self.firsts[camera]..self.firsts[camera + 1]]
    }

    /// The residuals as a sum that has derivatives: each observation reads its camera and its point.
    pub fn squares(&self) -> Result<LeastSquares<'static>, AdError> {
        let pixels: Vec<[f64; 2]> = self.observations.iter().map(|seen| seen.pixel).collect();
        let rows = Table::from(pixels).reading(|i| {
            let Observation { camera, point, .. } = self.observations[i];
            self.of_camera(camera).chain(3 * point..3 * point + 3)
        });
        LeastSquares::new(self.start.len(), rows, |p: &[Traced], pixel: &[Traced]| {
            let eye = Camera::new(&std::array::from_fn(|i| p[i]));
            camera::residual(&eye, &[p[9], p[10], p[11]], [pixel[0], pixel[1]])
        })
    }

    /// All residuals in pixels, for any number type.
    pub fn residuals<T: Real<Base = f64>>(&self, parameters: &[T]) -> Vec<T> {
        let mut residuals = Vec::with_capacity(2 * self.observations.len());
        let points = self.coordinates(parameters);
        for camera in 0..self.cameras {
            let eye = Camera::new(self.camera(parameters, camera));
            for seen in self.of(camera) {
                residuals.extend(camera::residual(&eye, &points[seen.point], seen.pixel.map(T::lit)));
            }
        }
        residuals
    }

    /// The function to minimise: half the sum of squared residuals, in square pixels.
    pub fn loss<T: Real<Base = f64>>(&self, parameters: &[T]) -> T {
        reduce::norm_squared(&self.residuals(parameters)) / 2.0
    }

    /// Root mean square distance between the projected and the measured pixels.
    pub fn reprojection_error(&self, parameters: &[f64]) -> f64 {
        (2.0 * self.loss(parameters) / self.observations.len() as f64).sqrt()
    }

    /// The expected loss at the minimum, from the noise only, if the noise is known: `σ²/2` for each degree of
    /// freedom. Seven parameters (place, orientation and size of the whole) are not determined by any picture.
    pub fn expected_loss(&self) -> Option<f64> {
        self.truth.as_ref()?;
        let free = 2 * self.observations.len() + 7 - self.start.len();
        Some(NOISE * NOISE / 2.0 * free as f64)
    }
}

/// Camera `i` of a ring. The world has the frame of the first camera before it was jostled, which looks along z at
/// the cloud.
fn ring_camera(i: usize, cameras: usize, random: &mut Random) -> [f64; PARAMETERS] {
    // From −π to π, with the first at 0.
    let turns = i as f64 / cameras as f64;
    let angle = std::f64::consts::TAU * (turns - (turns + 0.5).floor());
    let jostle = if i == 0 { [0.0; 3] } else { random.normals(0.03) };
    let rotation = [jostle[0], angle + jostle[1], jostle[2]];
    // R·(x − m) + m with the middle m of the cloud: the camera turns about it.
    let turned = camera::rotation(rotation).map(|row| row[2] * DISTANCE);
    let [x, y, z] = random.normals(0.1);
    let focal = 1000.0 + 30.0 * random.normal();
    let (k1, k2) = (-0.1 + 0.02 * random.normal(), 0.03 + 0.01 * random.normal());
    let [r0, r1, r2] = rotation;
    [r0, r1, r2, x - turned[0], y - turned[1], z - turned[2] + DISTANCE, focal, k1, k2]
}

/// A point of the cloud, a ball.
fn cloud_point(random: &mut Random) -> [f64; 3] {
    loop {
        let [x, y, z] = std::array::from_fn(|_| 2.0 * random.0.f64() - 1.0);
        if x * x + y * y + z * z <= 1.0 {
            return [RADIUS * x, RADIUS * y, RADIUS * z + DISTANCE];
        }
    }
}

/// The first guess: the truth disturbed, and no distortion. The first camera's rotation starts at zero.
fn guess(eyes: &[[f64; PARAMETERS]], cloud: &[[f64; 3]], random: &mut Random) -> Vec<f64> {
    let mut guessed = Vec::with_capacity(PARAMETERS * eyes.len());
    for (i, &[r0, r1, r2, t0, t1, t2, focal, ..]) in eyes.iter().enumerate() {
        let [d0, d1, d2] = if i == 0 { [0.0; 3] } else { random.normals(0.02) };
        let [e0, e1, e2] = random.normals(0.1);
        let focal = focal * (1.0 + 0.03 * random.normal());
        guessed.extend([r0 + d0, r1 + d1, r2 + d2, t0 + e0, t1 + e1, t2 + e2, focal, 0.0, 0.0]);
    }
    let mut start: Vec<f64> = cloud.as_flattened().iter().map(|x| x + 0.1 * random.normal()).collect();
    start.extend(guessed);
    start
}

/// Seeded random numbers.
struct Random(Rng);

impl Random {
    /// Normally distributed, by the method of Box and Muller.
    fn normal(&mut self) -> f64 {
        let (u, v) = (1.0 - self.0.f64(), self.0.f64());
        (-2.0 * u.ln()).sqrt() * (std::f64::consts::TAU * v).cos()
    }

    fn normals(&mut self, deviation: f64) -> [f64; 3] {
        std::array::from_fn(|_| deviation * self.normal())
    }
}
