//! The collection of Moré, Garbow and Hillstrom: value, gradient and Hessian at the start points.

use super::super::{error, numbers, read};
use super::models::objective;
use wengert::value_gradient_and_hessian;

#[test]
fn derivatives_at_the_start() {
    let collection = read("mgh");
    let problems = collection["problems"].as_array().unwrap();
    assert_eq!(problems.len(), 20);
    for problem in problems {
        let number = problem["no"].as_u64().unwrap();
        let x = numbers(&problem["x0"]);
        let (f, g, h) = value_gradient_and_hessian(|x| objective(number, x), &x);
        let found = [(vec![f], "f_x0"), (g, "grad_x0"), (h.as_slice().to_vec(), "hess_x0")];
        for (got, name) in found {
            let error = error(&got, &numbers(&problem[name]));
            assert!(error < 1e-12, "problem {number}, {name}: {error:e}");
        }
    }
}

/// At the minimisers, where there is one: the gradient is zero within the rounding of the minimiser, and the value is the
/// published one.
#[test]
fn minima() {
    let mut minimisers = 0;
    for problem in read("mgh")["problems"].as_array().unwrap().iter().filter(|p| !p["x_min"].is_null()) {
        minimisers += 1;
        let number = problem["no"].as_u64().unwrap();
        let x = numbers(&problem["x_min"]);
        let (f, g, h) = value_gradient_and_hessian(|x| objective(number, x), &x);
        // A relative error ε of the minimiser moves the gradient by at most ε·Σ|Hᵢⱼ xⱼ|.
        let moved = |i: usize| x.iter().enumerate().map(|(j, x)| (h[(i, j)] * x).abs()).sum::<f64>();
        for (i, g) in g.iter().enumerate() {
            let limit = 16.0 * f64::EPSILON * moved(i);
            assert!(g.abs() <= limit, "problem {number}, entry {i}: {g:e} of {limit:e}");
        }
        // The literature has six digits.
        for (name, limit) in [("f_min", 1e-11), ("published_fmin", 1e-5)] {
            let want = numbers(&problem[name])[0];
            assert!((f - want).abs() <= limit * want + 1e-20, "problem {number}: {f:e} for {name} {want:e}");
        }
    }
    assert_eq!(minimisers, 17);
}
