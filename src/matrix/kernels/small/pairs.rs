//! 2 × 2 matrices: eigenvalues and singular values in closed form.

use num_traits::Float;

use crate::matrix::kernels::small::is_moderate;
use crate::number::{BaseFloat, Real};

/// Eigenvalues of `[a, b; b, c]`, ascending, and the vector of the second; `None` if they are equal to rounding or a
/// number is not finite.
pub(crate) fn symmetric_pair<R: Real>(a: R, b: R, c: R) -> Option<[[R; 2]; 2]> {
    let (mean, half) = ((a + c) * R::lit(0.5), (a - c) * R::lit(0.5));
    let radius = Real::hypot(half, b);
    let values = [mean - radius, mean + radius];
    let largest = Float::max(values[0].magnitude(), values[1].magnitude());
    let noise = <R::Base as Float>::epsilon() * largest;
    let distinct = radius.magnitude() > noise && Float::is_finite(largest);
    // (A − λ₁)·x of the axis that keeps its digits.
    let forward = half.primal() >= R::Base::from_double(0.0);
    distinct.then(|| {
        let long = if forward { radius + half } else { radius - half };
        let length = Real::hypot(long, b);
        [values, if forward { [long / length, b / length] } else { [b / length, long / length] }]
    })
}

/// Two vectors, or columns, of two numbers each.
pub(crate) type Two<R> = [[R; 2]; 2];

/// `U`, the singular values and `V`, vector by vector, of two real columns, the largest entry of each vector of U
/// positive. `None` if the values are close to each other or far apart, or if squares may overflow or underflow.
pub(crate) fn singular_pair<R: Real>([[a, b], [c, d]]: Two<R>) -> Option<(Two<R>, [R; 2], Two<R>)> {
    let float = R::Base::from_double;
    let largest = [a, b, c, d].iter().fold(float(0.0), |most, x| Float::max(most, x.magnitude()));
    if !is_moderate(largest) {
        return None;
    }
    let [[least, most], v] = symmetric_pair(a * a + b * b, a * c + b * d, c * c + d * d)?;
    let det = a * d - c * b;
    let (most, least) = (most.primal(), least.primal());
    if !(most - least > float(0.125) * most && det.magnitude() > float(1e-3) * most) {
        return None;
    }
    // Both bases turn the same way; the sign of the second value goes to its vector.
    let image = [a * v[0] + c * v[1], b * v[0] + d * v[1]];
    let first = Real::hypot(image[0], image[1]);
    let u = image.map(|x| x / first);
    let positive = det.primal() > float(0.0);
    let second = if positive { det / first } else { -det / first };
    let other = if positive { [-v[1], v[0]] } else { [v[1], -v[0]] };
    let (mut u, mut v) = ([u, [-u[1], u[0]]], [v, other]);
    for (u, v) in u.iter_mut().zip(&mut v) {
        let pivot = if u[1].magnitude() > u[0].magnitude() { u[1] } else { u[0] };
        if pivot.primal() < float(0.0) {
            (*u, *v) = (u.map(|x| -x), v.map(|x| -x));
        }
    }
    Some((u, [first, second], v))
}
