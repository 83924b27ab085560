//! The bounds that the attribute's argument names.
use nalgebra::{Matrix2, Rotation3, Vector2, Vector3};
use num_complex::Complex64;
use wengert::{Dual, Real, derivative, generic, gradient};

#[generic(RealField)]
fn turned(angle: f64, x: &[f64]) -> f64 {
    let r = Rotation3::from_axis_angle(&Vector3::z_axis(), 2.0 * angle);
    let v = r * Vector3::new(x[0], x[1], 0.5);
    let m = Matrix2::new(x[0], 1.0, 1.0, 2.0 + x[1] * x[1]);
    let solved = m.lu().solve(&Vector2::new(1.0, angle.sin())).unwrap();
    let sums = 0.1 * x.iter().sum::<f64>() + x.iter().copied().product::<f64>();
    v.norm() + v.x.exp() * 0.5 + solved.norm_squared() - 1.0 / solved[0].max(0.25) + sums
}

#[test]
fn nalgebra_has_its_functions() {
    let f = |p: &[f64]| turned(p[0], &p[1..]);
    let x = [0.4, 1.2, -0.7];
    let g = gradient(|p| turned(p[0], &p[1..]), &x);
    for i in 0..3 {
        let of = |h: f64| f(&std::array::from_fn::<_, 3, _>(|j| if i == j { x[j] + h } else { x[j] }));
        let difference = (8.0 * (of(1e-4) - of(-1e-4)) - (of(2e-4) - of(-2e-4))) / 12e-4;
        assert!((g[i] - difference).abs() < 1e-9, "{i}: {} {difference}", g[i]);
    }
}

both! { sizes_known_later {
    use nalgebra::{DMatrix, DVector};
    pub fn at(x: &[f64]) -> f64 {
        let v = DVector::from_vec(vec![x[0], 1.0, x[1]]);
        let m = DMatrix::from_fn(3, 3, |i, j| (i + 2 * j) as f64 * x[0]);
        let mut w = 2.0 * (&m * &v) - &v * 0.5;
        w[1] += w[0] * 3.0;
        w /= 4.0;
        w.dot(&v) + m.trace() * x[1]
    }
} }
check!(sizes_known_later, at, [1.3, 0.7]);

#[generic(f32, RealField)]
fn turned_in_single_precision(angle: f32, x: f32) -> f32 {
    let r = Rotation3::from_axis_angle(&Vector3::z_axis(), 0.1 * angle);
    let v = r * Vector3::new(x, 0.3, 0.5);
    let mut sum = 0.1;
    sum += v.norm();
    if sum > 1e3 { 1.5 } else { 2.0 * sum + std::f32::consts::PI * x - f32::EPSILON }
}

#[test]
fn nalgebra_in_single_precision_has_the_bits_of_plain_code() {
    fn plain(angle: f32, x: f32) -> f32 {
        let r = Rotation3::from_axis_angle(&Vector3::z_axis(), 0.1 * angle);
        let v = r * Vector3::new(x, 0.3, 0.5);
        let mut sum = 0.1;
        sum += v.norm();
        if sum > 1e3 { 1.5 } else { 2.0 * sum + std::f32::consts::PI * x - f32::EPSILON }
    }
    for (angle, x) in [(0.3_f32, 0.1_f32), (-2.7, 1.9), (11.1, -0.7), (0.0, 1e4)] {
        let ported = turned_in_single_precision(angle, x);
        assert_eq!(ported.to_bits(), plain(angle, x).to_bits());
        let dual = turned_in_single_precision(Dual::variable(angle), Dual::constant(x));
        assert_eq!(dual.value().to_bits(), plain(angle, x).to_bits());
    }
}

#[generic(f32)]
fn logistic(x: f32, rate: f32) -> f32 {
    let third = 1.0 / 3.0;
    let mut sum = 0.1;
    sum += (-rate * x).exp();
    third / sum
}

#[test]
fn single_precision_has_the_bits_of_single_precision() {
    fn plain(x: f32, rate: f32) -> f32 {
        let third = 1.0 / 3.0;
        let mut sum = 0.1;
        sum += (-rate * x).exp();
        third / sum
    }
    for x in [-1.5_f32, 0.1, 3.3] {
        assert_eq!(logistic(x, 0.7).to_bits(), plain(x, 0.7).to_bits());
        let y = logistic(Dual::variable(x), Dual::constant(0.7));
        assert_eq!(y.value().to_bits(), plain(x, 0.7).to_bits());
        let e = (-0.7 * f64::from(x)).exp();
        assert!((f64::from(y.tangent()) - 0.7 * e / 3.0 / (0.1 + e).powi(2)).abs() < 1e-5);
    }
}

#[generic(Float)]
fn horner(c: &[f64], x: f64) -> f64 {
    let mut sum = 0.0;
    for c in c.iter().rev() {
        sum = sum * x + *c;
    }
    if sum > 1e3 { 1e3 } else { sum }
}

#[test]
fn functions_over_num_traits() {
    assert_eq!(horner(&[1.0, 2.0, 3.0], 2.0), 17.0);
    let d = derivative(|x| horner(&[Dual::constant(1.0), 2.0.into(), 3.0.into()], x), 2.0);
    assert_eq!(d, 14.0);
    assert_eq!(horner(&[1.0_f32], 0.0), 1.0);
}

/// Sums in place, of numbers and of complex ones.
#[generic(Float)]
fn transform(x: &[f64]) -> f64 {
    let (mut sum, mut power) = (num_complex::Complex::new(0.0, 0.0), 0.0);
    for (k, x) in x.iter().enumerate() {
        let turn = num_complex::Complex::new(0.0, 0.5 * k as f64);
        sum += turn.exp() * *x;
        power += *x * *x;
    }
    sum.re * sum.re + sum.im * sum.im + power
}

#[test]
fn sums_in_place_over_num_traits() {
    // ∂/∂x₁ of (x₀ + x₁ cos ½)² + (x₁ sin ½)² + x₀² + x₁².
    let g = wengert::gradient(|x| transform(x), &[1.0, 2.0]);
    assert!((g[1] - (2.0 * (0.5_f64.cos() + 2.0) + 4.0)).abs() < 1e-14);
    assert_eq!(transform(&[1.0_f64, 0.0]), 2.0);
}

#[generic(Number)]
fn response(s: f64, #[data] gain: f64) -> f64 {
    gain / (1.0 + 2.0 * 0.1 * s + s * s) - s.exp() * 0.5
}

#[test]
fn functions_of_complex_numbers() {
    let s = Complex64::new(0.1, 0.9);
    let (y, d) = (response(s, 2.0), wengert::complex::derivative(|s| response(s, 2.0), s));
    let inner = 1.0 + 0.2 * s + s * s;
    assert!((y - (2.0 / inner - s.exp() * 0.5)).norm() < 1e-14);
    assert!((d + 2.0 * (0.2 + 2.0 * s) / (inner * inner) + s.exp() * 0.5).norm() < 1e-13);
    assert_eq!(response(0.0, 2.0), 1.5);
}

#[generic(Real)]
fn called_from_hand_written_code(x: f64) -> f64 {
    2.0 * x - 1.0 / x
}

#[test]
fn hand_written_code_calls_it() {
    fn twice<T: Real<Base = f64>>(x: T) -> T {
        called_from_hand_written_code(called_from_hand_written_code(x))
    }
    assert_eq!(twice(2.0), 7.0 - 2.0 / 7.0);
    assert_eq!(derivative(|x| twice(x), 2.0), (2.0 + 1.0 / (3.5 * 3.5)) * (2.0 + 0.25));
}

#[generic]
fn vectors(v: Vector2<f64>, #[data] weight: f64, h: f64) -> f64 {
    let w = 0.5 * v + h * v - v * weight;
    let m = Matrix2::new(1.0, h, -h, 2.0);
    (h * m * w).dot(&w) + 2.0 * w.x
}

#[test]
fn numbers_stand_before_vectors() {
    fn plain(v: Vector2<f64>, weight: f64, h: f64) -> f64 {
        let w = 0.5 * v + h * v - v * weight;
        let m = Matrix2::new(1.0, h, -h, 2.0);
        (h * m * w).dot(&w) + 2.0 * w.x
    }
    let v = Vector2::new(0.3, -1.7);
    assert_eq!(vectors(v, 0.2, 0.7).to_bits(), plain(v, 0.2, 0.7).to_bits());
    let d = derivative(|h| vectors(v.map(Dual::constant), 0.2, h), 0.7);
    let of = |h: f64| plain(v, 0.2, 0.7 + h);
    assert!((d - (8.0 * (of(1e-4) - of(-1e-4)) - (of(2e-4) - of(-2e-4))) / 12e-4).abs() < 1e-9);
}

/// Products of matrices keep their order, whatever the names of numbers and of fields elsewhere.
#[generic]
mod orders {
    use nalgebra::Matrix2;
    pub struct Gain {
        pub h: f64,
    }
    impl Gain {
        fn times(&self, m: Matrix2<f64>) -> Matrix2<f64> {
            self.h * m
        }
    }
    #[derive(Clone, Copy)]
    pub struct Other {
        pub m: Matrix2<f64>,
    }
    pub fn product(g: &Gain, o: &Other, h: f64, a: Matrix2<f64>) -> Matrix2<f64> {
        let b = h * o.m;
        let h = b * a;
        let c = h * a * o.m + (2.0 * h) * o.m;
        g.times(c * super::foreign(&a).h * h)
    }
    /// The left factor is evaluated first.
    pub struct Motion {
        pub h: f64,
        pub v: Matrix2<f64>,
    }
    impl Motion {
        fn halve(&mut self) -> Matrix2<f64> {
            self.h *= 0.5;
            self.v
        }
        pub fn step(&mut self) -> Matrix2<f64> {
            self.h * self.halve()
        }
    }
    /// A name that `if let` binds is another one after `else`.
    pub fn other_name(s: Option<f64>, h: Matrix2<f64>, m: Matrix2<f64>) -> Matrix2<f64> {
        if let Some(h) = s { h * m } else { h * m }
    }
    pub fn other_number(x: &[f64]) -> f64 {
        let h = 0.5;
        if let Some(h) = x.first() { *h * 2.0 } else { h }
    }
}

#[test]
fn factors_are_evaluated_in_their_order() {
    let (a, b) = (Matrix2::new(1.0, 2.0, 3.0, 4.0), Matrix2::new(0.0, 1.0, -1.0, 2.0));
    assert_eq!(orders::Motion { h: 2.0, v: a }.step(), a * 2.0);
    assert_eq!(orders::other_name(None, a, b), a * b);
    assert_eq!(orders::other_name(Some(3.0), a, b), b * 3.0);
    assert_eq!((orders::other_number(&[]), orders::other_number(&[4.0])), (0.5, 8.0));
}

/// A struct of elsewhere with a field of the name of a number there.
struct Foreign<T> {
    h: Matrix2<T>,
}
fn foreign<T: wengert::Scalar>(m: &Matrix2<T>) -> Foreign<T> {
    Foreign { h: m.transpose() }
}

#[test]
fn matrices_are_not_moved() {
    let (a, m) = (Matrix2::new(1.0, 2.0, -3.0, 0.5), Matrix2::new(0.0, 1.0, 2.0, 5.0));
    let b = 0.5 * m;
    let h = b * a;
    let c = h * a * m + (2.0 * h) * m;
    let want = 3.0 * (c * a.transpose() * h);
    assert_eq!(orders::product(&orders::Gain { h: 3.0 }, &orders::Other { m }, 0.5, a), want);
}

/// The conversions to an integer that the messages advise.
#[test]
fn values_become_integers_under_every_bound() {
    #[generic(RealField)]
    fn of_field(x: f64) -> usize {
        x.floor().as_number().primal() as usize
    }
    #[generic(Float)]
    fn of_float(x: f64) -> usize {
        x.floor().to_f64().unwrap() as usize
    }
    #[generic(Number)]
    fn of_number(x: f64) -> usize {
        x.re().primal() as usize
    }
    let x = wengert::Dual::new(3.7, 1.0);
    assert_eq!([of_field(x), of_float(x), of_number(x)], [3; 3]);
}

const OFFSETS: [(f64, f64); 2] = [(0.4, 1.5), (0.1, 0.25)];
const STEPS: usize = 2;

mod elsewhere {
    pub fn squared<T: Copy + std::ops::Mul<Output = T>>(x: T) -> T {
        x * x
    }
}

/// The attribute sees constants outside of its item by their names only.
#[allow(non_snake_case)]
mod outside {
    use super::elsewhere::squared;
    use super::{OFFSETS, STEPS};
    mod earth {
        pub const GRAVITY: f64 = 9.81;
    }
    macro_rules! steps {
        ($name:ident $(, $bound:ident)?) => {
            #[wengert::generic$(($bound))?]
            pub fn $name(q: &[f64]) -> f64 {
                let mut s = q[0] * OFFSETS[0].1 - earth::GRAVITY / q[1];
                s -= -earth::GRAVITY + q[0] * (earth::GRAVITY * 2.0 - OFFSETS[0].0);
                // A number with a name in capitals.
                let H = squared(q[1]);
                s -= q[0] * H;
                for i in 0..STEPS {
                    s += OFFSETS[i].0 * (q[i] - OFFSETS[STEPS - 1].1);
                    s *= OFFSETS[1].0;
                }
                if s > earth::GRAVITY { s } else { s / earth::GRAVITY + q[0] }
            }
        };
    }
    steps!(of_scalars);
    steps!(of_reals, Real);
    steps!(of_fields, RealField);
    steps!(of_floats, Float);
}

#[test]
fn constants_outside_are_operands_under_every_bound() {
    let q = [0.7, 0.2];
    let want = gradient(|q| outside::of_scalars(q), &q);
    assert!(want.iter().all(|d| *d != 0.0), "{want:?}");
    assert_eq!(gradient(|q| outside::of_reals(q), &q), want);
    assert_eq!(gradient(|q| outside::of_fields(q), &q), want);
    assert_eq!(gradient(|q| outside::of_floats(q), &q), want);
}
