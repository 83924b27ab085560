//! A pinhole camera with radial distortion, written once for every number.

use wengert::{Real, reduce};

/// Parameters of a camera: rotation vector, translation, focal length, two distortion coefficients.
pub const PARAMETERS: usize = 9;

/// A camera whose rotation is already computed: `x ↦ R·x + t`, perspective, `f·(1 + k₁ρ + k₂ρ²)`.
pub struct Camera<T> {
    rotation: [[T; 3]; 3],
    translation: [T; 3],
    focal: T,
    radial: [T; 2],
}

impl<T: Real<Base = f64>> Camera<T> {
    /// From [`PARAMETERS`] numbers in their order.
    pub fn new(parameters: &[T; PARAMETERS]) -> Camera<T> {
        let [r0, r1, r2, t0, t1, t2, focal, k1, k2] = *parameters;
        Camera { rotation: rotation([r0, r1, r2]), translation: [t0, t1, t2], focal, radial: [k1, k2] }
    }

    /// Where the camera sees a point, in pixels from the centre of its picture.
    #[inline]
    pub fn project(&self, point: &[T; 3]) -> [T; 2] {
        let [a, b, c] = *point;
        let along = |i: usize| {
            let row = &self.rotation[i];
            row[0] * a + row[1] * b + row[2] * c + self.translation[i]
        };
        let (x, y, z) = (along(0), along(1), along(2));
        let (u, v) = (x / z, y / z);
        let square = u * u + v * v;
        let scale = self.focal * ((self.radial[1] * square + self.radial[0]) * square + 1.0);
        [scale * u, scale * v]
    }
}

/// The rotation about the axis r by the angle θ = ‖r‖, by Rodrigues' formula:
/// `R = 1 + (sin θ/θ)·[r]ₓ + ((1 − cos θ)/θ²)·[r]ₓ²`, with `[r]ₓ² = r·rᵀ − θ²`.
///
/// Both coefficients are values of `sinc`, as `(1 − cos θ)/θ² = ½·sinc²(θ/2)`: there is no division by θ. At r = 0
/// the crate's norm has derivative 0 by convention, and so have both coefficients. This is their true derivative:
/// first and second derivatives of R are right at r = 0, with `Ṙ = [ṙ]ₓ`. Third derivatives would need the
/// coefficients as series in θ².
pub fn rotation<T: Real<Base = f64>>(r: [T; 3]) -> [[T; 3]; 3] {
    let angle = reduce::norm(&r);
    let sine = angle.sinc();
    let half = (angle / 2.0).sinc();
    let versine = half * half / 2.0;
    let [a, b, c] = r;
    let (aa, bb, cc) = (versine * a * a, versine * b * b, versine * c * c);
    let (ab, ac, bc) = (versine * a * b, versine * a * c, versine * b * c);
    let [sa, sb, sc] = [sine * a, sine * b, sine * c];
    [
        [-(bb + cc) + 1.0, ab - sc, ac + sb],
        [ab + sc, -(aa + cc) + 1.0, bc - sa],
        [ac - sb, bc + sa, -(aa + bb) + 1.0],
    ]
}

/// The pixel of a point in the camera, minus the measured pixel.
#[inline]
pub fn residual<T: Real<Base = f64>>(camera: &Camera<T>, point: &[T; 3], pixel: [T; 2]) -> [T; 2] {
    let [u, v] = camera.project(point);
    [u - pixel[0], v - pixel[1]]
}
