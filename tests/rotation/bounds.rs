//! One bound for code that calls nalgebra and this crate.

use wengert::{Dual, matrix};

/// A rotation of nalgebra, a system and `sin` under one bound.
fn turned<T: matrix::RealEntry>(q: T) -> T {
    let r = nalgebra::Rotation3::from_euler_angles(q, q.sin() * q, T::constant(0.5));
    let [a, b, c] = [3.0, 2.0, 1.0].map(T::constant);
    let scaled = r.matrix() * nalgebra::Matrix3::from_diagonal(&nalgebra::Vector3::new(a, b, c));
    let a = scaled + nalgebra::Matrix3::identity() * q.exp();
    let x = matrix::solve(&a, &nalgebra::Vector3::new(T::one(), q.sin(), T::zero())).unwrap();
    let length = T::from_number(wengert::reduce::norm(x.map(|x| x.as_number()).as_slice()));
    x.dot(&(r * nalgebra::Vector3::x())) + length.sqrt() + matrix::norm(&a) * matrix::det(&a)
}

#[test]
fn one_bound_has_the_functions_of_nalgebra_and_of_matrix() {
    let (q, h) = (0.7_f64, 1e-5);
    let difference = (turned(q + h) - turned(q - h)) / (2.0 * h);
    let slope = turned(Dual::variable(q)).tangent();
    assert!((slope - difference).abs() < 1e-8 * slope.abs(), "{slope}, {difference}");
    let reverse = wengert::gradient(|q| turned(q[0]), &[q])[0];
    let program = wengert::programs::trace(|q: &[wengert::programs::Traced]| turned(q[0]), &[q][..]);
    let [value] = program.run(&[q]).unwrap()[..] else { panic!("one result") };
    let by_program = program.gradient().unwrap().run(&[q]).unwrap()[0];
    assert_eq!(value, turned(q));
    assert_eq!(turned(Dual::variable(q)).value(), turned(q));
    for (route, got) in [("reverse", reverse), ("program", by_program)] {
        assert!((got - slope).abs() <= 1e-13 * slope.abs(), "{route}: {got}, {slope}");
    }
    let single = turned(Dual::variable(q as f32)).tangent();
    assert!((f64::from(single) - slope).abs() < 1e-4 * slope.abs());
}
