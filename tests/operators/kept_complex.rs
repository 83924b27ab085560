//! Prepared operators of complex functions: the results of the free functions, repeatedly, without allocation.

use num_complex::Complex64;
use wengert::complex::{self, prepare};
use wengert::{
    ComplexVar, Dual, Dual2, DualN, FiniteDifference, Forward, ForwardChunk, Number, Packed, Real, Reverse,
    SecondOrder, Var,
};

use super::allocations;

const fn c(re: f64, im: f64) -> Complex64 {
    Complex64 { re, im }
}

const POINT: [Complex64; 3] = [c(0.4, -0.2), c(-0.3, 0.7), c(1.1, 0.5)];
const TANGENT: [Complex64; 3] = [c(1.0, 2.0), c(0.5, -1.0), c(-2.0, 0.25)];
const COTANGENT: [Complex64; 2] = [c(1.0, -2.0), c(0.5, 0.25)];
const UNSET: Complex64 = c(7.0, 7.0);

fn near(got: &[Complex64], want: &[Complex64], tolerance: f64) {
    let near = |(g, w): (&Complex64, &Complex64)| (g - w).norm() <= tolerance * (1.0 + w.norm());
    assert!(got.len() == want.len() && got.iter().zip(want).all(near), "{got:?}, expected {want:?}");
}

/// Runs three times: the last allocates nothing.
fn thrice(mut run: impl FnMut()) {
    let before = [(); 3].map(|()| {
        run();
        allocations::so_far()
    });
    assert_eq!(before[1], before[2], "allocations");
}

fn loss<Z: Number>(z: &[Z]) -> Z::Re {
    let w = z[2] * z[0];
    (z[0] * z[1].exp()).modulus() + w.re() * w.re() + w.im()
}

fn pair<Z: Number>(z: &[Z]) -> [Z; 2] {
    [z[0] * z[1].conj(), z[2].sin() / z[0]]
}

/// Tangents along 1 and i of each number.
fn units() -> impl Iterator<Item = [Complex64; 3]> {
    (0..6).map(|k| {
        let mut v = [c(0.0, 0.0); 3];
        v[k / 2] = if k % 2 == 0 { c(1.0, 0.0) } else { c(0.0, 1.0) };
        v
    })
}

macro_rules! first_order {
    ($mode:expr, $Z:ty, $tolerance:expr) => {{
        let tolerance = $tolerance;
        let (z, v, w) = (POINT, TANGENT, COTANGENT);
        let (mut g, mut out, mut y, mut result) = ([UNSET; 3], [UNSET; 2], [UNSET; 2], f64::NAN);
        let mut gradient = prepare::gradient($mode, &z);
        thrice(|| result = gradient.of(|z: &[$Z]| loss(z)).at(&z, &mut g).unwrap());
        near(&g, &complex::gradient(|z| loss(z), &z), tolerance);
        assert_eq!(result, loss(&z));

        let mut derivative = prepare::derivative($mode, &z[0]);
        let f = |z: &$Z| [z.exp(), z.recip()];
        thrice(|| derivative.of(f).at(&z[0], &mut y, &mut out).unwrap());
        near(&out, &complex::derivative(|z| [z.exp(), z.recip()], z[0]), tolerance);

        let mut jvp = prepare::jvp($mode, &z);
        thrice(|| jvp.of(|z: &[$Z]| pair(z)).at(&z, &v, &mut y, &mut out).unwrap());
        near(&out, &complex::jvp(|z| pair(z), &z, &v), tolerance);
        near(&y, &pair(&z), 1e-15);

        let (mut vjp, mut both) = (prepare::vjp($mode, &z), [UNSET; 6]);
        thrice(|| vjp.of(|z: &[$Z]| pair(z)).at(&z, &w, &mut y, &mut g).unwrap());
        near(&g, &complex::vjp(|z| pair(z), &z, &w), tolerance);
        let turned = w.map(|w| w * c(0.0, 1.0));
        thrice(|| vjp.of(|z: &[$Z]| pair(z)).batch(&z, &[w, turned], &mut y, &mut both).unwrap());
        near(&both[..3], &g, 1e-15);
        near(&both[3..], &complex::vjp(|z| pair(z), &z, &turned), tolerance);

        let (mut jacobian, mut j) = (prepare::jacobian($mode, &z), [UNSET; 12]);
        let mut real = [f64::NAN; 24];
        thrice(|| jacobian.of(|z: &[$Z]| pair(z)).at(&z, &mut y, &mut real).unwrap());
        j.iter_mut().zip(real.chunks_exact(2)).for_each(|(j, parts)| *j = c(parts[0], parts[1]));
        let want: Vec<Complex64> = units().flat_map(|v| complex::jvp(|z| pair(z), &z, &v)).collect();
        near(&j, &want, tolerance);

        // A cache, a buffer of complex results, and both.
        let mut cached = prepare::gradient($mode, &z).with_cache(&vec![c(0.0, 0.0); 3]);
        let with_cache = |z: &[$Z], cache: &mut [$Z]| {
            assert!(cache[1].re().primal().is_nan() && cache[1].im().primal().is_nan());
            cache.copy_from_slice(z);
            loss(cache)
        };
        thrice(|| result = cached.of(with_cache).at(&z, &mut g).unwrap());
        near(&g, &complex::gradient(|z| loss(z), &z), tolerance);
        let mut filling = prepare::vjp($mode, &z).filling(2);
        thrice(|| {
            filling.of(|z, y: &mut [$Z]| y.copy_from_slice(&pair(z))).at(&z, &w, &mut y, &mut g).unwrap()
        });
        near(&g, &both[..3], 1e-15);
        let mut filling = prepare::jvp($mode, &z).filling(2).with_cache(&[c(0.0, 0.0); 2]);
        let both = |z: &[$Z], y: &mut [$Z], cache: &mut [$Z]| {
            cache.copy_from_slice(&pair(z));
            y.copy_from_slice(cache);
        };
        thrice(|| filling.of(both).at(&z, &v, &mut y, &mut out).unwrap());
        near(&out, &complex::jvp(|z| pair(z), &z, &v), tolerance);
    }};
}

#[test]
fn first_derivatives() {
    first_order!(Forward, Dual<Complex64>, 1e-14);
    first_order!(ForwardChunk::<4>, DualN<Complex64, 4>, 1e-14);
    first_order!(Reverse, ComplexVar<f64>, 1e-14);
    first_order!(FiniteDifference::default(), Complex64, 1e-7);
}

/// The real functions of real and imaginary parts are the reference.
macro_rules! second_order {
    ($mode:expr, $Z:ty, $tolerance:expr) => {{
        let tolerance = $tolerance;
        let (z, v) = (POINT, TANGENT);
        let parts = |z: &[Complex64]| z.iter().flat_map(|z| [z.re, z.im]).collect::<Vec<f64>>();
        let real = |x: &[Var<Dual<f64>>]| {
            let z: Vec<_> = x.chunks_exact(2).map(|p| Number::from_parts(p[0], p[1])).collect();
            loss::<ComplexVar<Dual<f64>>>(&z)
        };
        let (value, slope, product) = wengert::value_gradient_and_hvp(real, &parts(&z), &parts(&v));
        let whole = |x: &[f64]| x.chunks_exact(2).map(|p| c(p[0], p[1])).collect::<Vec<_>>();
        let (mut g, mut hv, mut result) = ([UNSET; 3], [UNSET; 3], f64::NAN);
        let mut hvp = prepare::hvp($mode, &z);
        thrice(|| result = hvp.of(|z: &[$Z]| loss(z)).at(&z, &v, &mut g, &mut hv).unwrap());
        assert_eq!(result, value);
        near(&g, &whole(&slope), tolerance);
        near(&hv, &whole(&product), tolerance);
        let (mut hessian, mut h) = (prepare::hessian($mode, &z), nalgebra::DMatrix::<f64>::zeros(6, 6));
        thrice(|| result = hessian.of(|z: &[$Z]| loss(z)).at(&z, &mut g, &mut h).unwrap());
        let want = h * nalgebra::DVector::from_vec(parts(&v));
        near(&whole(want.as_slice()), &whole(&product), 10.0 * tolerance);
    }};
}

#[test]
fn second_derivatives() {
    second_order!(SecondOrder(Forward, Reverse), ComplexVar<Dual<f64>>, 1e-13);
    second_order!(SecondOrder(ForwardChunk::<4>, Forward), Dual<DualN<Complex64, 4>>, 1e-13);
    second_order!(Packed::<6, 21>, Dual2<Complex64, 6, 21>, 1e-13);
}

/// Wrong sizes are errors. They are counted in real components.
#[test]
fn what_does_not_fit() {
    let (z, mut g) = (POINT, [UNSET; 3]);
    let mut gradient = prepare::gradient(Reverse, &z[..]);
    let error = gradient.of(loss).at(&z[..2], &mut g).unwrap_err();
    let text = "gradient: prepared for other sizes: point prepared 6, given 4 (does not fit); \
                gradient buffer prepared 6, given 6 (fits)";
    assert_eq!((error.to_string().as_str(), g), (text, [UNSET; 3]));
    gradient.reprepare(&z[..2]);
    assert_eq!(gradient.of(|z| z[0].modulus()).at(&z[..2], &mut g[..2]), Ok(z[0].norm()));
    let mut vjp = prepare::vjp(Reverse, &z);
    let error = vjp.of(pair).at(&z, &[UNSET; 3], &mut [UNSET; 2], &mut g).unwrap_err();
    assert_eq!(error.to_string(), "vjp: the cotangent has length 3, expected 2");
    let mut vjp = prepare::vjp(Reverse, &z).filling(2);
    let f = |z: &[ComplexVar<f64>], y: &mut [_]| y.fill(z[0]);
    let error = vjp.of(f).at(&z, &[UNSET], &mut [UNSET; 2], &mut g).unwrap_err();
    assert!(error.to_string().contains("cotangent prepared 4, given 2 (does not fit)"), "{error}");
    vjp.refill(1);
    vjp.of(f).at(&z, &[c(1.0, 2.0)], &mut [UNSET], &mut g).unwrap();
    assert_eq!(g, [c(1.0, 2.0), c(0.0, 0.0), c(0.0, 0.0)]);
}
