//! Every driver in every structure: `f = a²b + bc³` and `g = (ab, (bc², [a]))` at (2, 3, 4), the three numbers put into
//! tuples, structs, vectors of vectors, options, boxes and enums. Closures are not annotated.

use std::cell::RefCell;
use std::panic::{catch_unwind, set_hook, take_hook};

use nalgebra::{DMatrix, Matrix2, dmatrix, matrix};
use num_complex::Complex;
use wengert::space::flatten;
use wengert::{
    AdError, Differentiable, Forward, ForwardChunk, Real, Reverse, SecondOrder, forward, prepare, reverse,
};
use wengert::{derivative, second_derivative, value_and_second_derivative};

#[derive(Differentiable, Clone, Debug, PartialEq)]
struct Three<T> {
    a: T,
    rest: Vec<T>,
    #[data]
    label: String,
}

#[derive(Differentiable, Clone, Debug, PartialEq)]
struct Plain {
    a: f64,
    rest: [f64; 2],
}

#[derive(Differentiable, Clone, Debug, PartialEq)]
enum Either<T> {
    One(T),
    All { a: T, b: T, c: T },
}

fn f<T: Real<Base = f64>>((a, b, c): (T, T, T)) -> T {
    a * a * b + b * c * c * c
}

fn system<T: Real<Base = f64>>((a, b, c): (T, T, T)) -> (T, (T, [T; 1])) {
    (a * b, (b * c * c, [a]))
}

const GRADIENT: [f64; 3] = [12.0, 68.0, 144.0];
/// `H·(1, −1, ½)`.
const PRODUCT: [f64; 3] = [2.0, 28.0, -12.0];

fn hessian() -> DMatrix<f64> {
    dmatrix![6.0, 4.0, 0.0; 4.0, 0.0, 48.0; 0.0, 48.0, 72.0]
}
fn jacobian() -> DMatrix<f64> {
    dmatrix![3.0, 2.0, 0.0; 0.0, 16.0, 24.0; 1.0, 0.0, 0.0]
}

/// All drivers at `$x`, whose numbers are `$a`, `$b`, `$c`, in the direction `$v`; `$bad` has another shape, which is
/// the error `$misfit`.
macro_rules! all_drivers {
    ($x:expr, $v:expr, $bad:expr, |$p:ident| $abc:expr) => {
        all_drivers!($x, $v, $bad, |$p| $abc, AdError::Shape { .. })
    };
    ($x:expr, $v:expr, $bad:expr, |$p:ident| $abc:expr, $misfit:pat) => {{
        let (x, v, bad) = ($x, $v, $bad);
        let shape = |e: AdError| assert!(matches!(e, AdError::Shape { .. }), "{e}");
        let misfit = |e: AdError| assert!(matches!(e, $misfit), "{e}");
        let prepared = |e: AdError| {
            assert!(
                matches!(e, AdError::Prepared { .. } | AdError::Structure { .. } | AdError::Shape { .. }),
                "{e}"
            )
        };
        macro_rules! products {
            ($mode:ident, $inner:expr) => {{
                let hv = $mode::hvp(|$p| f($abc), &x, &v);
                assert_eq!(flatten(&hv), PRODUCT);
                let (y, hv) = $mode::value_and_hvp(|$p| f($abc), &x, &v);
                assert_eq!((y, &flatten(&hv)[..]), (204.0, &PRODUCT[..]));
                let (y, g, hv) = $mode::value_gradient_and_hvp(|$p| f($abc), &x, &v);
                assert_eq!((y, flatten(&g), flatten(&hv)), (204.0, GRADIENT.to_vec(), PRODUCT.to_vec()));
                let (mut g, mut hv) = ([0.0; 3], [0.0; 3]);
                $mode::hvp_into(|$p| f($abc), &x, &v, &mut hv);
                assert_eq!(hv, PRODUCT);
                hv = [7.0; 3];
                let y = $mode::hvp_into(|$p| f($abc), &x, &v, &mut hv);
                assert_eq!((y, hv), (204.0, PRODUCT));
                hv = [7.0; 3];
                let y = $mode::value_gradient_and_hvp_into(|$p| f($abc), &x, &v, &mut g, &mut hv);
                assert_eq!((y, g, hv), (204.0, GRADIENT, PRODUCT));
                // Wrong shapes are named, and nothing is written.
                let mut hvp = prepare::hvp(SecondOrder(Forward, $inner), &x);
                let y = hvp.of(|$p| f($abc)).at(&x, &v, &mut g, &mut hv);
                assert_eq!((y, g, hv), (Ok(204.0), GRADIENT, PRODUCT));
                let e = hvp.of(|$p| f($abc)).at(&x, &bad, &mut [7.0; 3], &mut hv).unwrap_err();
                prepared(e);
                let e = hvp.of(|$p| f($abc)).at(&x, &v, &mut [0.0; 2], &mut hv).unwrap_err();
                prepared(e);
                let e = hvp.of(|$p| f($abc)).at(&x, &v, &mut g, &mut [0.0; 4]).unwrap_err();
                prepared(e);
                assert_eq!((g, hv), (GRADIENT, PRODUCT));

                let h = $mode::hessian(|$p| f($abc), &x);
                assert_eq!(h, hessian());
                let (y, g, h) = $mode::value_gradient_and_hessian(|$p| f($abc), &x);
                assert_eq!((y, flatten(&g), h), (204.0, GRADIENT.to_vec(), hessian()));
                let (mut g, mut h) = ([0.0; 3], DMatrix::zeros(3, 3));
                let y = $mode::value_gradient_and_hessian_into(|$p| f($abc), &x, &mut g, &mut h);
                assert_eq!((y, g, &h), (204.0, GRADIENT, &hessian()));
                let mut prepared_hessian = prepare::hessian(SecondOrder(ForwardChunk::<8>, $inner), &x);
                let y = prepared_hessian.of(|$p| f($abc)).at(&x, &mut g, &mut h);
                assert_eq!((y, g, &h), (Ok(204.0), GRADIENT, &hessian()));
                let e = prepared_hessian.of(|$p| f($abc)).at(&x, &mut [0.0; 4], &mut h).unwrap_err();
                prepared(e);
                let mut wide = DMatrix::<f64>::zeros(2, 3);
                let e = prepared_hessian.of(|$p| f($abc)).at(&x, &mut g, &mut wide).unwrap_err();
                prepared(e);

                let j = $mode::jacobian(|$p| system($abc), &x);
                assert_eq!(j, jacobian());
                let (y, j) = $mode::value_and_jacobian(|$p| system($abc), &x);
                assert_eq!((y, j), ((6.0, (48.0, [2.0])), jacobian()));
                let (mut y, mut j) = ([0.0; 3], DMatrix::zeros(3, 3));
                let value = $mode::jacobian_into(|$p| system($abc), &x, &mut j);
                assert_eq!((value, &j), ((6.0, (48.0, [2.0])), &jacobian()));
                let mut prepared_jacobian = prepare::jacobian($inner, &x);
                prepared_jacobian.of(|$p| system($abc)).at(&x, &mut y, &mut j).unwrap();
                assert_eq!((y, &j), ([6.0, 48.0, 2.0], &jacobian()));
                let e = prepared_jacobian.of(|$p| system($abc)).at(&x, &mut [0.0; 2], &mut j);
                shape(e.unwrap_err());
                let e = prepared_jacobian.of(|$p| system($abc)).at(&x, &mut y, &mut wide);
                assert_eq!(
                    e.unwrap_err().to_string(),
                    "jacobian: the Jacobian buffer is 2 × 3, expected 3 × 3"
                );
            }};
        }
        products!(forward, ForwardChunk::<8>);
        products!(reverse, Reverse);

        let at = reverse::linearize(|$p| system($abc), &x);
        assert_eq!((*at.value(), at.jacobian()), ((6.0, (48.0, [2.0])), jacobian()));
        // J·(1, −1, ½) and Jᵀ·(1, 2, 3), each in its structure.
        assert_eq!(at.jvp(&v).unwrap(), (1.0, (-4.0, [1.0])));
        assert_eq!(flatten(&at.vjp(&(1.0, (2.0, [3.0]))).unwrap()), [6.0, 34.0, 48.0]);
        let mut out = [0.0; 3];
        at.vjp_into(&(1.0, (2.0, [3.0])), &mut out).unwrap();
        assert_eq!(out, [6.0, 34.0, 48.0]);
        at.jvp_into(&v, &mut out).unwrap();
        assert_eq!(out, [1.0, -4.0, 1.0]);
        misfit(at.jvp(&bad).unwrap_err());
        shape(at.vjp(&(1.0, (2.0, [3.0, 4.0]))).unwrap_err());
        misfit(at.jvp_into(&bad, &mut out).unwrap_err());
        shape(at.jvp_into(&v, &mut [0.0; 2]).unwrap_err());
        shape(at.vjp_into(&(1.0, (2.0, [3.0, 4.0])), &mut out).unwrap_err());
        shape(at.vjp_into(&(1.0, (2.0, [3.0])), &mut [0.0; 2]).unwrap_err());
        assert_eq!(out, [1.0, -4.0, 1.0]);
        assert_eq!(
            at.jacobian_into(&mut DMatrix::zeros(3, 4)).unwrap_err().to_string(),
            "jacobian: the buffer is 3 × 4, expected 3 × 3"
        );
    }};
}

#[test]
fn tuples() {
    all_drivers!((2.0, [3.0, 4.0]), (1.0, [-1.0, 0.5]), (1.0, [-1.0]), |p| (p.0, p.1[0], p.1[1]));
    all_drivers!((2.0, "text", (3.0, 7_u8, 4.0)), (1.0, (-1.0, 0.5)), [1.0, -1.0], |p| (p.0, p.2.0, p.2.2));
}

#[test]
fn structs() {
    let three = |a, rest: &[f64]| Three { a, rest: rest.to_vec(), label: "three".to_string() };
    let (x, v) = (three(2.0, &[3.0, 4.0]), three(1.0, &[-1.0, 0.5]));
    all_drivers!(x, v, three(1.0, &[-1.0]), |p| (p.a, p.rest[0], p.rest[1]));
    let hv =
        wengert::hvp(|p| f((p.a, p.rest[0], p.rest[1])), &three(2.0, &[3.0, 4.0]), &three(1.0, &[-1.0, 0.5]));
    assert_eq!(hv, three(2.0, &[28.0, -12.0]));

    let plain = |a, rest| Plain { a, rest };
    let (x, v) = (plain(2.0, [3.0, 4.0]), plain(1.0, [-1.0, 0.5]));
    all_drivers!(x, v, (1.0, [-1.0]), |p| (p.a, p.rest[0], p.rest[1]));
    let (x, v) = (plain(2.0, [3.0, 4.0]), plain(1.0, [-1.0, 0.5]));
    let hv: Plain = forward::hvp(|p| f((p.a, p.rest[0], p.rest[1])), &x, &v);
    assert_eq!(hv, plain(2.0, [28.0, -12.0]));
    let at = reverse::linearize(|p| p.a * p.rest[1], &x);
    assert_eq!(at.vjp(&1.0), Ok(plain(4.0, [0.0, 2.0])));
}

#[test]
fn vectors_of_vectors() {
    let (x, v) = (vec![vec![2.0], vec![], vec![3.0, 4.0]], vec![vec![1.0], vec![], vec![-1.0, 0.5]]);
    let bad = vec![vec![1.0], vec![-1.0], vec![0.5]];
    all_drivers!(x, v, bad, |p| (p[0][0], p[2][0], p[2][1]));
    let (x, v) = (
        (matrix![2.0, 3.0], vec![Complex::new(4.0, 0.0)]),
        (matrix![1.0, -1.0], vec![Complex::new(0.5, 0.0)]),
    );
    // A complex number has two components; the second is not used.
    let h = reverse::hessian(|p| f((p.0[0], p.0[1], p.1[0].re)), &x);
    assert_eq!(h, hessian().resize(4, 4, 0.0));
    let hv = forward::hvp(|p| f((p.0[0], p.0[1], p.1[0].re)), &x, &v);
    assert_eq!(hv, (matrix![2.0, 28.0], vec![Complex::new(-12.0, 0.0)]));
}

#[test]
fn options() {
    let (x, v) = ((Some(2.0), Some([3.0, 4.0]), None::<f64>), (Some(1.0), Some([-1.0, 0.5]), None::<f64>));
    let bad = (Some(1.0), None::<[f64; 2]>, None::<f64>);
    all_drivers!(x, v, bad, |p| (p.0.unwrap(), p.1.unwrap()[0], p.1.unwrap()[1]));
    all_drivers!(Some((2.0, 3.0, 4.0)), Some((1.0, -1.0, 0.5)), None::<f64>, |p| p.unwrap());
}

#[test]
fn boxes_and_enums() {
    let boxed = |x: (f64, [f64; 2])| (Box::new(x.0), Box::new((Box::new(Some(x.1)), 7)));
    all_drivers!(boxed((2.0, [3.0, 4.0])), (1.0, Some([-1.0, 0.5].to_vec())), (1.0, None::<f64>), |p| (
        p.0,
        p.1.0.unwrap()[0],
        p.1.0.unwrap()[1]
    ));
    let all = |a, b, c| Either::All { a, b, c };
    fn of<T: Copy>(e: &Either<T>) -> (T, T, T) {
        match *e {
            Either::All { a, b, c } => (a, b, c),
            Either::One(a) => (a, a, a),
        }
    }
    all_drivers!(
        all(2.0, 3.0, 4.0),
        all(1.0, -1.0, 0.5),
        Either::One(1.0),
        |p| of(p),
        AdError::Structure { part: 0, .. }
    );
}

/// A box around everything that may be in one.
#[test]
fn boxes_are_transparent() {
    let n = Box::new(2.0_f32);
    assert_eq!(wengert::gradient(|n| *n * *n, &n), Box::new(4.0));
    let v = Box::new(vec![2.0, 3.0]);
    assert_eq!(wengert::gradient(|v| v[0] * v[1], &v), Box::new(vec![3.0, 2.0]));
    let m = (Box::new(matrix![1.0, 2.0; 3.0, 4.0]), Box::new(matrix![Complex::new(1.0, 2.0)]));
    let g = wengert::gradient(|(m, z)| m.determinant() * z[0].im, &m);
    assert_eq!(g, (Box::new(matrix![8.0, -6.0; -4.0, 2.0]), Box::new(matrix![Complex::new(0.0, -2.0)])));
    // A literal in a box is known to be a float by its suffix.
    let x = (Box::new(2.0_f64), 3.0);
    let hv = wengert::hvp(|(b, x)| *b * *b * *x, &x, &(1.0, 0.0));
    assert_eq!(hv, (Box::new(6.0), 4.0));
    let o = Box::new(Some(Box::new((2.0, None::<f64>))));
    assert_eq!(reverse::hessian(|o| o.as_ref().as_ref().unwrap().0.powi(3), &o), dmatrix![12.0]);
    assert_eq!(
        wengert::gradient(|o| o.as_ref().as_ref().unwrap().0.powi(3), &o),
        Box::new(Some(Box::new((12.0, None))))
    );
}

#[test]
fn sizes_are_types_where_they_are_in_the_point() {
    let h: Matrix2<f64> = reverse::hessian(|x| x[0] * x[1], &[2.0, 3.0]);
    assert_eq!(h, matrix![0.0, 1.0; 1.0, 0.0]);
    let z = Complex::new(2.0, 3.0);
    let j: Matrix2<f64> = forward::jacobian(|z| z * z, &z);
    assert_eq!(j, matrix![4.0, -6.0; 6.0, 4.0]); // multiplication by 2z
    let j: nalgebra::Matrix1x2<f64> = reverse::linearize(|x| x[0] * x[1], &[2.0, 3.0]).jacobian();
    assert_eq!(j, matrix![3.0, 2.0]);
    // Matrices whose size no type has, as the one part of a tuple.
    let z = (matrix![Complex::new(1.0, 2.0), Complex::new(3.0, 4.0)],);
    assert_eq!(forward::jacobian(|(z,)| z[0].im * z[1].re, &z), dmatrix![0.0, 3.0, 2.0, 0.0]);
    let wide = (nalgebra::SMatrix::<f64, 2, 7>::from_fn(|i, j| (i + j) as f64),);
    assert_eq!(reverse::jacobian(|(m,)| m[(1, 6)] * 3.0, &wide)[13], 3.0);
    // Nested arrays: numbers of two dimensions have a size that no type has.
    assert_eq!(
        forward::jacobian(|x| x[1][0] * x[0][1], &[[1.0, 2.0], [3.0, 4.0]]),
        dmatrix![0.0, 3.0, 2.0, 0.0]
    );
}

#[test]
fn curves_in_every_structure() {
    let curve = |t: wengert::Dual<f64>| (t * t, vec![Some(t.exp())], 3_u8);
    assert_eq!(derivative(curve, 0.0), (0.0, vec![Some(1.0)], wengert::space::NoTangent));
    let curve = |t: wengert::Taylor<f64, 2>| (t * t, vec![Some(t.powi(3))]);
    assert_eq!(second_derivative(curve, 2.0), (2.0, vec![Some(12.0)]));
    let (y, dy, ddy) =
        value_and_second_derivative(|t| Three { a: t, rest: vec![t * t], label: String::new() }, 3.0);
    let three = |a, b| Three { a, rest: vec![b], label: String::new() };
    assert_eq!((y, dy, ddy), (three(3.0, 9.0), three(1.0, 6.0), three(0.0, 2.0)));
    let mut prepared = prepare::derivative(Forward, &1.0);
    let e = prepared.of(|t| (*t, [*t])).at(&1.0, &mut [0.0; 2], &mut [0.0; 3]).unwrap_err();
    assert_eq!(e.to_string(), "derivative: the derivative buffer has length 3, expected 2");
}

/// A rule of one direction, on a tape that is run in the other: an error by name, and no panic.
#[test]
fn a_tape_whose_rules_have_no_jvp_says_so() {
    let square = wengert::primitive::from_vjp(
        "square",
        1,
        |x| vec![x[0][0] * x[0][0]],
        |x, dy| vec![vec![2.0 * x[0][0] * dy[0]]],
    );
    let at =
        reverse::linearize(|x| wengert::primitive::call(&square, &[&[x[0]]]).unwrap()[0] * x[1], &[3.0, 2.0]);
    assert_eq!(at.vjp(&1.0), Ok([12.0, 9.0]));
    let refused = AdError::Unsupported { op: "square", rule: "jvp" };
    assert_eq!(at.jvp(&[1.0, 0.0]).unwrap_err(), refused);
    let mut out = [7.0];
    assert_eq!(at.jvp_into(&[1.0, 0.0], &mut out).unwrap_err(), refused);
    assert_eq!(out, [7.0]);
}

/// Both modes agree at points that are not chosen, of a struct with containers, where no derivative is zero.
#[test]
fn modes_agree_at_random_points() {
    fn g<T: Real<Base = f64>>(p: &Three<T>) -> T {
        let inner = p.rest.iter().fold(p.a.exp(), |s, &r| (s * r).sin() + r * p.a + 1.0);
        inner * inner + p.a * p.rest[0].cos()
    }
    fn system<T: Real<Base = f64>>(p: &Three<T>) -> (T, Vec<T>) {
        (g(p), p.rest.iter().map(|&r| (r * p.a).tanh()).collect())
    }
    let close = |a: &[f64], b: &[f64]| {
        assert_eq!(a.len(), b.len());
        a.iter().zip(b).for_each(|(a, b)| assert!((a - b).abs() <= 1e-12 * (1.0 + b.abs()), "{a} {b}"));
    };
    let mut state = 7_u32;
    let mut uniform = || {
        state = state.wrapping_mul(1664525).wrapping_add(1013904223);
        f64::from(state) / 2f64.powi(31) - 1.0
    };
    for n in (1..12).chain(1..12) {
        let mut three =
            || Three { a: uniform(), rest: (0..n).map(|_| uniform()).collect(), label: String::new() };
        let (x, v) = (three(), three());
        let (h, hv) = (forward::hessian(g, &x), forward::hvp(g, &x, &v));
        close(h.as_slice(), reverse::hessian(g, &x).as_slice());
        close(&flatten(&hv), &flatten(&reverse::hvp(g, &x, &v)));
        let along = nalgebra::DVector::from_vec(flatten(&v));
        close(&flatten(&hv), (&h * &along).as_slice());
        let j = forward::jacobian(system, &x);
        close(j.as_slice(), reverse::jacobian(system, &x).as_slice());
        close(&flatten(&wengert::jvp(system, &x, &v)), (&j * &along).as_slice());
        close(&flatten(&wengert::gradient(g, &x)), j.row(0).transpose().as_slice());
    }
}

thread_local!(static FILE: RefCell<String> = const { RefCell::new(String::new()) });

/// A panic about a shape is one at the caller's line.
#[test]
fn panics_are_in_the_file_of_the_call() {
    let before = take_hook();
    set_hook(Box::new(|panic| FILE.set(panic.location().map_or(String::new(), |at| at.file().to_string()))));
    let (x, bad) = ((2.0, [3.0]), (1.0, [1.0, 2.0]));
    macro_rules! all {
        ($($call:expr),* $(,)?) => {$(
            FILE.take();
            assert!(catch_unwind(|| { $call; }).is_err());
            assert_eq!(FILE.take(), file!(), stringify!($call));
        )*};
    }
    all!(
        forward::hvp(|x| x.0 * x.1[0], &x, &bad),
        reverse::hvp(|x| x.0 * x.1[0], &x, &bad),
        forward::hvp_into(|x| x.0 * x.1[0], &x, &x, &mut [0.0]),
        reverse::hvp_into(|x| x.0 * x.1[0], &x, &x, &mut [0.0]),
        forward::hessian_into(|x| x.0 * x.1[0], &x, &mut dmatrix![0.0]),
        reverse::hessian_into(|x| x.0 * x.1[0], &x, &mut dmatrix![0.0]),
        forward::jacobian_into(|x| x.0 * x.1[0], &x, &mut dmatrix![0.0]),
        reverse::jacobian_into(|x| x.0 * x.1[0], &x, &mut dmatrix![0.0]),
        wengert::derivative_into(|t| [t, t], 1.0, &mut [0.0]),
    );
    set_hook(before);
}
