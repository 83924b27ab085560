//! Points of other numbers and structures than slices of `f64`: against the drivers, and against closed forms.

use nalgebra::{DMatrix, Isometry3, Matrix3, Point3, RealField, Rotation3, UnitQuaternion, Vector3, Vector6};
use wengert::programs::Traced;
use wengert::sums::{LeastSquares, Sum, Table};
use wengert::{AdError, Real, gradient, hessian, hvp, jacobian};

use super::demands::{Residuals, Whole};
use super::made::Made;
use super::{allocations, close, with_threads};

/// A rotation, two numbers, a quaternion, a motion: 22 components, 14 dimensions.
type Mixed<T> = (Rotation3<T>, [T; 2], UnitQuaternion<T>, Isometry3<T>);

fn mixed() -> Mixed<f64> {
    let motion = Isometry3::new(Vector3::new(0.3, -1.2, 0.7), Vector3::new(-0.4, 0.9, 0.2));
    let turn = UnitQuaternion::from_euler_angles(0.5, 0.1, -1.3);
    (Rotation3::from_euler_angles(0.3, -0.2, 0.9), [0.5, 0.25], turn, motion)
}

fn components<T: Real>((r, v, q, m): &Mixed<T>) -> Vec<T> {
    let mut all = r.matrix().as_slice().to_vec();
    all.extend_from_slice(v);
    all.extend_from_slice(q.as_ref().coords.as_slice());
    all.extend_from_slice(m.translation.vector.as_slice());
    all.extend_from_slice(m.rotation.as_ref().coords.as_slice());
    all
}

type Tangent = (Vector3<f64>, [f64; 2], Vector3<f64>, Vector6<f64>);

fn tangent(x: &[f64]) -> Tangent {
    let three = |i: usize| Vector3::from_column_slice(&x[i..i + 3]);
    (three(0), [x[3], x[4]], three(5), Vector6::from_column_slice(&x[8..14]))
}

fn row((r, v, q, m): &Tangent) -> Vec<f64> {
    [r.as_slice(), v, q.as_slice(), m.as_slice()].concat()
}

/// Sums of few inputs and of many.
fn sums() -> [Made; 3] {
    [(3, 1), (2, 9), (20, 3)].map(|(shared, own)| Made::new(&[3, 300, 1], 100, shared, own, 22))
}

#[test]
fn rotations_have_derivatives_by_their_tangents() {
    let (x, v) = (mixed(), tangent(&std::array::from_fn::<f64, 14, _>(|i| (i as f64).cos())));
    for made in sums() {
        let whole_gradient = gradient(|x| Whole::at(&made, &components(x)), &x);
        let mut sum = made.sum();
        close(&[sum.value(&x).unwrap()], &[Whole::at(&made, &components(&x))]);
        let [mut g, mut hv] = [tangent(&[f64::NAN; 14]); 2];
        sum.gradient(&x, &mut g).unwrap();
        close(&row(&g), &row(&whole_gradient));
        g = tangent(&[f64::NAN; 14]);
        sum.hvp(&x, &v, &mut g, &mut hv).unwrap();
        close(&row(&g), &row(&whole_gradient));
        close(&row(&hv), &row(&hvp(|x| Whole::at(&made, &components(x)), &x, &v)));
        let (mut h, mut g) = (DMatrix::from_element(14, 14, f64::NAN), [f64::NAN; 14]);
        let expected = hessian(|x| Whole::at(&made, &components(x)), &x);
        sum.hessian(&x, &mut g, &mut h).unwrap();
        close(&g, &row(&whole_gradient));
        close(h.as_slice(), expected.as_slice());
        #[cfg(feature = "sparse")]
        for _ in 0..2 {
            let (_, h) = sum.sparse_hessian(&x, &mut g).unwrap();
            close(DMatrix::from(h).as_slice(), expected.as_slice());
            close(&g, &row(&whole_gradient));
        }
    }
}

#[test]
fn residuals_of_rotations() {
    let x = mixed();
    for made in sums() {
        let j = jacobian(|x| Residuals::at(&made, &components(x)).concat(), &x);
        let r = Residuals::at(&made, &components(&x)).concat();
        let expected = j.transpose() * nalgebra::DVector::from_column_slice(&r);
        let mut squares = made.squares();
        let (mut g, mut a) = ([f64::NAN; 14], DMatrix::from_element(14, 14, f64::NAN));
        squares.gradient(&x, &mut g).unwrap();
        close(&g, expected.as_slice());
        g.fill(f64::NAN);
        squares.normal_equations(&x, &mut g, &mut a).unwrap();
        close(&g, expected.as_slice());
        close(a.as_slice(), (j.transpose() * &j).as_slice());
        #[cfg(feature = "sparse")]
        {
            let (of_sum, sparse) = squares.jacobian(&x).unwrap();
            close(of_sum, &r);
            close(DMatrix::from(sparse).as_slice(), j.as_slice());
            let (_, sparse) = squares.sparse_normal_equations(&x, &mut g).unwrap();
            close(DMatrix::from(sparse).as_slice(), a.as_slice());
        }
    }
}

#[test]
fn points_on_groups_and_in_f32_allocate_nothing_once_memory_has_settled() {
    with_threads(1, allocate_once);
}

fn allocate_once() {
    let (x, v) = (mixed(), tangent(&[1.0; 14]));
    let (mut g, mut hv) = (v, v);
    let mut h = DMatrix::<f64>::zeros(14, 14);
    let single: Vec<f32> = components(&x).iter().map(|&c| c as f32).collect();
    let mut of_single = [single.clone(), single.clone()];
    let [few, _, many] = sums();
    for made in [few, many] {
        let mut sum = made.sum();
        let mut squares = made.squares();
        // As in the neighbours' test: the pool that all share settles after some rounds.
        for round in 0..8 {
            macro_rules! demand {
                ($($call:expr;)+) => {
                    $(
                        let again = allocations(|| assert!($call.is_ok()));
                        assert!(again == 0 || round < 6, "{}: {again} in round {round}", stringify!($call));
                    )+
                };
            }
            demand! {
                sum.value(&x);
                sum.gradient(&x, &mut g);
                sum.hvp(&x, &v, &mut g, &mut hv);
                sum.hessian(&x, &mut g, &mut h);
                squares.gradient(&x, &mut g);
                squares.normal_equations(&x, &mut g, &mut h);
            }
            {
                let [g, hv] = &mut of_single;
                demand! {
                    sum.gradient(&single, g);
                    sum.hvp(&single, &single, g, hv);
                }
            }
            #[cfg(feature = "sparse")]
            demand! {
                sum.sparse_hessian(&x, &mut g);
                squares.jacobian(&x);
                squares.sparse_normal_equations(&x, &mut g);
            }
        }
    }
}

/// A sum keeps the patterns of matrices by tangents, and is used at another structure of the same size.
#[cfg(feature = "sparse")]
#[test]
fn structures_may_change_between_calls() {
    let mut made = Made::new(&[3, 40], 20, 2, 3, 22);
    let first = mixed();
    let second = (first.3, first.0, first.1, first.2);
    let mut kept = (made.sum(), made.squares());
    macro_rules! demand {
        ($x:expr, $n:literal) => {
            let mut fresh = (made.sum(), made.squares());
            let mut g = [0.0; $n];
            let ours = DMatrix::from(kept.0.sparse_hessian($x, &mut g).unwrap().1);
            assert_eq!(ours, DMatrix::from(fresh.0.sparse_hessian($x, &mut g).unwrap().1));
            let ours = DMatrix::from(kept.1.jacobian($x).unwrap().1);
            assert_eq!(ours, DMatrix::from(fresh.1.jacobian($x).unwrap().1));
        };
    }
    for _ in 0..2 {
        demand!(&first, 14);
        demand!(&second, 14);
    }
    // Equally long rows of the map from tangents to components, but other columns.
    made = Made::new(&[3, 40], 20, 2, 3, 13);
    let first = (mixed().0, mixed().2);
    let second = (first.1, first.0);
    kept = (made.sum(), made.squares());
    for _ in 0..2 {
        demand!(&first, 6);
        demand!(&second, 6);
    }
}

/// `½ Σ ‖R·xᵢ − yᵢ‖²`.
struct Turned {
    pairs: Vec<[Vector3<f64>; 2]>,
}

impl Turned {
    fn new() -> Self {
        let at = |i: usize| Vector3::from_fn(|k, _| ((i * 3 + k) as f64 * 0.7).sin());
        Turned { pairs: (0..100).map(|i| [at(i), at(i + 5)]).collect() }
    }
    fn squares(&self) -> LeastSquares<'static> {
        let rows: Vec<[f64; 6]> =
            self.pairs.iter().map(|[x, y]| [x[0], x[1], x[2], y[0], y[1], y[2]]).collect();
        let turned = |r: &[_], d: &[_]| -> [_; 3] {
            std::array::from_fn(|k| r[k] * d[0] + r[3 + k] * d[1] + r[6 + k] * d[2] - d[3 + k])
        };
        LeastSquares::new(9, rows, turned).unwrap()
    }
}

#[test]
fn a_rotation_has_the_gradient_of_the_formula() {
    // The derivative of ½‖R·exp[ω]·x − y‖² with respect to ω: (Rx − y)·R(ω × x) = ω·(x × Rᵀ(Rx − y)) = −ω·(x × Rᵀy).
    let (turned, r) = (Turned::new(), Rotation3::from_euler_angles(0.4, 1.1, -0.6));
    let expected: Vector3<f64> = turned.pairs.iter().map(|[x, y]| -x.cross(&(r.inverse() * y))).sum();
    let mut squares = turned.squares();
    let mut g = Vector3::from_element(f64::NAN);
    squares.gradient(&r, &mut g).unwrap();
    close(g.as_slice(), expected.as_slice());
    // J = −R[x], so JᵀJ = [x]ᵀ[x].
    let of = |x: &Vector3<f64>| x.cross_matrix().transpose() * x.cross_matrix();
    let expected: Matrix3<f64> = turned.pairs.iter().map(|[x, _]| of(x)).sum();
    let mut a = Matrix3::from_element(f64::NAN);
    squares.normal_equations(&r, &mut g, &mut a).unwrap();
    close(a.as_slice(), expected.as_slice());
    // And a step of Gauss and Newton leads down.
    let value = squares.value(&r).unwrap();
    let step = wengert::space::perturb(&r, -1.0, &a.lu().solve(&g).unwrap()).unwrap();
    assert!(squares.value(&step).unwrap() < value);
}

/// A term of parameters in their structure.
fn moved<T: RealField + Copy>((r, v, q, m): &Mixed<T>, d: &[T]) -> [T; 2] {
    let at = Vector3::new(d[0], d[1], d[2]);
    let turned = r * at + q * at * v[0];
    [
        (turned.x * v[1]).sin() + m.transform_vector(&at).y,
        (m * Point3::from(turned)).coords.norm_squared() * v[1],
    ]
}

#[test]
fn terms_take_parameters_in_their_structure() {
    let data: Vec<[f64; 3]> = (0..40).map(|i| [0, 1, 2].map(|k| f64::from(3 * i + k).sin())).collect();
    fn rows<T: RealField + Copy>(data: &[[f64; 3]], x: &Mixed<T>) -> Vec<T> {
        data.iter().flat_map(|d| moved(x, &d.map(nalgebra::convert))).collect()
    }
    fn whole<T: RealField + Copy>(data: &[[f64; 3]], x: &Mixed<T>) -> T {
        rows(data, x).into_iter().fold(T::zero(), |sum, y| sum + y)
    }
    let x = mixed();
    let term = |x: &Mixed<Traced>, d: &[Traced]| moved(x, d);
    let mut sum = Sum::of_structure(mixed(), &data, term).unwrap();
    let mut g = tangent(&[f64::NAN; 14]);
    let mut h = DMatrix::from_element(14, 14, f64::NAN);
    close(&[sum.hessian(&x, &mut g, &mut h).unwrap()], &[whole(&data, &x)]);
    close(&row(&g), &row(&gradient(|x| whole(&data, x), &x)));
    close(h.as_slice(), hessian(|x| whole(&data, x), &x).as_slice());
    let mut squares = LeastSquares::of_structure(mixed(), &data, term).unwrap();
    squares.normal_equations(&x, &mut g, &mut h).unwrap();
    let j = jacobian(|x| rows(&data, x), &x);
    close(h.as_slice(), (j.transpose() * &j).as_slice());
    close(&row(&g), (j.transpose() * nalgebra::DVector::from_vec(rows(&data, &x))).as_slice());
    // Rows that read some of the parameters have lists.
    let some = Table::from(&data).reading(|i| [i % 3]);
    let e = Sum::of_structure(mixed(), some, term).unwrap_err().to_string();
    assert_eq!(e, "sum: the list of parameters of a row has length 1, expected 22");
}

/// An infinite derivative of a component reaches only the tangents that move it.
#[test]
fn tangents_that_move_nothing_stop_infinite_derivatives() {
    let mut root = Sum::new(9, Table::without_data(1), |r, _| r[1].sqrt()).unwrap();
    let mut g = Vector3::from_element(f64::NAN);
    root.gradient(&Rotation3::<f64>::identity(), &mut g).unwrap();
    assert_eq!(g, Vector3::new(0.0, 0.0, f64::INFINITY));
}

#[test]
fn points_of_f32_have_the_rounded_results() {
    let rounded = |x: &[f64]| x.iter().map(|x| *x as f32).collect::<Vec<f32>>();
    for made in sums() {
        let p = rounded(&made.point());
        let wide: Vec<f64> = p.iter().map(|p| f64::from(*p)).collect();
        let (mut sum, mut squares) = (made.sum(), made.squares());
        let ([mut g, mut hv], mut h) =
            ([vec![f32::NAN; 22], vec![f32::NAN; 22]], DMatrix::<f32>::zeros(22, 22));
        let ([mut g64, mut hv64], mut h64) = ([vec![0.0; 22], vec![0.0; 22]], DMatrix::<f64>::zeros(22, 22));
        assert_eq!(sum.gradient(&p, &mut g).unwrap(), sum.gradient(&wide, &mut g64).unwrap());
        assert_eq!(g, rounded(&g64));
        sum.hvp(&p, &p, &mut g, &mut hv).unwrap();
        sum.hvp(&wide, &wide, &mut g64, &mut hv64).unwrap();
        assert_eq!((&g, &hv), (&rounded(&g64), &rounded(&hv64)));
        sum.hessian(&p, &mut g, &mut h).unwrap();
        sum.hessian(&wide, &mut g64, &mut h64).unwrap();
        assert_eq!((&g, h.as_slice()), (&rounded(&g64), &rounded(h64.as_slice())[..]));
        squares.normal_equations(&p, &mut g, &mut h).unwrap();
        squares.normal_equations(&wide, &mut g64, &mut h64).unwrap();
        assert_eq!((&g, h.as_slice()), (&rounded(&g64), &rounded(h64.as_slice())[..]));
    }
    // And of a rotation.
    let (turned, r) = (Turned::new(), Rotation3::from_euler_angles(0.4_f64, 1.1, -0.6));
    let wide = r.matrix().map(|x| f64::from(x as f32));
    let narrow = Rotation3::from_matrix_unchecked(wide.map(|x| x as f32));
    let wide = Rotation3::from_matrix_unchecked(wide);
    let mut squares = turned.squares();
    let (mut g, mut g64) = (Vector3::<f32>::zeros(), Vector3::<f64>::zeros());
    squares.gradient(&narrow, &mut g).unwrap();
    squares.gradient(&wide, &mut g64).unwrap();
    assert!((g.map(f64::from) - g64).norm() < 1e-6 * g64.norm());
}

#[test]
fn sizes_are_those_of_the_tangent() {
    let made = &sums()[0];
    let mut sum = made.sum();
    let error = |e: AdError| e.to_string();
    let e = error(sum.gradient(&mixed(), &mut [0.0; 22]).unwrap_err());
    assert_eq!(e, "sum: the gradient buffer has length 22, expected 14");
    let e = error(sum.hvp(&mixed(), &[0.0; 22], &mut [0.0; 14], &mut [0.0; 14]).unwrap_err());
    assert_eq!(e, "sum: the tangent has length 22, expected 14");
    let mut h = DMatrix::<f64>::zeros(22, 22);
    let e = error(sum.hessian(&mixed(), &mut [0.0; 14], &mut h).unwrap_err());
    assert_eq!(e, "sum: the hessian buffer is 22 × 22, expected 14 × 14");
}

#[test]
fn vectors_of_any_structure() {
    let (made, p) = (Made::new(&[30], 15, 2, 3, 6), [0.1, 0.2, 0.3, 0.4, 0.5, 0.6]);
    let (mut sum, mut squares) = (made.sum(), made.squares());
    let pair = |x: &[f64]| ([x[0], x[1]], nalgebra::Vector4::from_column_slice(&x[2..]));
    let flat = |x: &([f64; 2], nalgebra::Vector4<f64>)| [&x.0[..], x.1.as_slice()].concat();
    let ([mut g, mut hv], q) = ([[0.0; 6]; 2], pair(&p));
    let [mut of_pair, mut product] = [pair(&[f64::NAN; 6]); 2];
    let value = sum.hvp(&p, &p, &mut g, &mut hv).unwrap();
    assert_eq!(sum.hvp(&q, &p, &mut of_pair, &mut product).unwrap(), value);
    assert_eq!((flat(&of_pair), flat(&product)), (g.to_vec(), hv.to_vec()));
    let mut h = [DMatrix::<f64>::zeros(6, 6), DMatrix::zeros(6, 6)];
    sum.hessian(&p, &mut g, &mut h[0]).unwrap();
    sum.hessian(&q, &mut of_pair, &mut h[1]).unwrap();
    assert_eq!((&h[0], flat(&of_pair)), (&h[1], g.to_vec()));
    assert_eq!(squares.gradient(&p, &mut g).unwrap(), squares.gradient(&q, &mut of_pair).unwrap());
    assert_eq!(flat(&of_pair), g);
    squares.normal_equations(&p, &mut g, &mut h[0]).unwrap();
    squares.normal_equations(&q, &mut of_pair, &mut h[1]).unwrap();
    assert_eq!((&h[0], flat(&of_pair)), (&h[1], g.to_vec()));
}

/// `&mut ()` replaces a result that is not wanted, in all methods and at all points. The other results are the same.
#[test]
fn results_that_are_not_wanted_are_left_out() {
    let rows: Vec<[f64; 2]> = (0..40).map(|i| [0.1 * f64::from(i), 0.05 * f64::from(i).sin()]).collect();
    let mut sum = Sum::new(2, &rows, |p, d| ((p[0] * d[0]).sin() - p[1] * d[1]).powi(2)).unwrap();
    let (p, v) = ([0.4, -0.7], [1.0, 2.0]);
    let (mut g, mut hv, mut h) = ([0.0; 2], [0.0; 2], DMatrix::<f64>::zeros(2, 2));
    let value = sum.hvp(&p, &v, &mut g, &mut hv).unwrap();
    sum.hessian(&p, &mut g, &mut h).unwrap();
    let (mut g1, mut hv1, mut h1) = ([0.0; 2], [0.0; 2], DMatrix::<f64>::zeros(2, 2));
    assert_eq!(sum.hvp(&p, &v, &mut (), &mut hv1).unwrap(), value);
    assert_eq!(sum.hvp(&p, &v, &mut g1, &mut ()).unwrap(), value);
    assert_eq!(sum.hessian(&p, &mut (), &mut h1).unwrap(), value);
    assert_eq!((g1, hv1, &h1), (g, hv, &h));
    g1 = [0.0; 2];
    assert_eq!(sum.hessian(&p, &mut g1, &mut ()).unwrap(), value);
    assert_eq!((sum.gradient(&p, &mut ()).unwrap(), g1), (value, g));
    // In single precision, where buffers are rounded at the end.
    let (p, v, mut hv1) = (p.map(|p| p as f32), v.map(|v| v as f32), [0.0_f32; 2]);
    sum.hvp(&p, &v, &mut (), &mut hv1).unwrap();
    assert!(hv1.iter().zip(hv).all(|(a, b)| (f64::from(*a) - b).abs() < 1e-5 * b.abs()), "{hv1:?} {hv:?}");
    // On a group, whose second derivatives read the gradient.
    let mut turned = Sum::new(9, Table::without_data(1), |r, _| r[1] * r[5] + r[0]).unwrap();
    let (r, w) = (Rotation3::<f64>::from_euler_angles(0.3, -0.2, 0.5), Vector3::new(0.1, 0.7, -0.4));
    let (mut g, mut hw, mut hw1) =
        (Vector3::<f64>::zeros(), Vector3::<f64>::zeros(), Vector3::<f64>::zeros());
    turned.hvp(&r, &w, &mut g, &mut hw).unwrap();
    turned.hvp(&r, &w, &mut (), &mut hw1).unwrap();
    assert_eq!(hw1, hw);
    let mut squares = LeastSquares::new(2, &rows, |p, d| (p[0] * d[0]).sin() - p[1] * d[1]).unwrap();
    let (p, mut g, mut m, mut m1) =
        ([0.4, -0.7], [0.0; 2], DMatrix::<f64>::zeros(2, 2), DMatrix::<f64>::zeros(2, 2));
    let value = squares.normal_equations(&p, &mut g, &mut m).unwrap();
    assert_eq!((squares.normal_equations(&p, &mut (), &mut m1).unwrap(), &m1), (value, &m));
    assert_eq!(squares.gradient(&p, &mut ()).unwrap(), value);
    // The results that are wanted still need the right shapes.
    assert!(squares.gradient(&p, &mut [0.0; 3]).is_err());
}
