//! Problems of Hock and Schittkowski: the conditions of Karush, Kuhn and Tucker at the published solutions, and Newton's
//! iteration on them.

use super::super::{error, numbers, read};
use nalgebra::{DMatrix, DVector};
use wengert::{jacobian, value_gradient_and_hessian};

#[wengert::generic]
mod plain {
    /// The objective of a problem and its active constraints.
    pub fn values(name: &str, x: &[f64]) -> (f64, Vec<f64>) {
        match name {
            "HS6" => ((1.0 - x[0]).powi(2), vec![10.0 * (x[1] - x[0] * x[0])]),
            "HS43" => {
                let (a, b, c, d) = (x[0], x[1], x[2], x[3]);
                let f = a * a + b * b + 2.0 * c * c + d * d - 5.0 * a - 5.0 * b - 21.0 * c + 7.0 * d;
                let first = 8.0 - a * a - b * b - c * c - d * d - a + b - c + d;
                let second = 5.0 - 2.0 * a * a - b * b - c * c - 2.0 * a + b + d;
                (f, vec![first, second])
            }
            _ => panic!("{name} is not among the problems here"),
        }
    }
    /// `f − Σ λₖ cₖ`.
    pub fn lagrangian(name: &str, x: &[f64], #[data] multipliers: &[f64]) -> f64 {
        let (f, c) = values(name, x);
        c.iter().zip(multipliers).fold(f, |l, (c, m)| l - c * m)
    }
}
use plain::{lagrangian, values};

#[test]
fn stationary_points() {
    for problem in read("hock_schittkowski")["problems"].as_array().unwrap() {
        let name = problem["name"].as_str().unwrap();
        let (want, multipliers) = (numbers(&problem["x"]), numbers(&problem["multipliers"]));
        let (f, c) = values(name, &want);
        assert_eq!(vec![f], numbers(&problem["published"]), "{name}");
        assert!(c.iter().all(|c| *c == 0.0), "{name}: {c:?}");
        let (_, g, h) = value_gradient_and_hessian(|x| lagrangian(name, x, &multipliers), &want);
        assert!(g.iter().all(|g| *g == 0.0), "{name}: {g:?}");
        assert_eq!(h.as_slice(), numbers(&problem["lagrangian_hessian"]), "{name}");

        // [H −Aᵀ; −A 0]·[δx; δλ] = −[∇L; −c], from a point nearby.
        let (n, m) = (want.len(), c.len());
        let mut x: Vec<f64> =
            want.iter().enumerate().map(|(i, x)| x + 0.1 * (i as f64 + 1.0).sin()).collect();
        let mut l: Vec<f64> = multipliers.iter().map(|l| l + 0.25).collect();
        for _ in 0..8 {
            let (_, g, h) = value_gradient_and_hessian(|x| lagrangian(name, x, &l), &x);
            let a = -jacobian(|x| values(name, x).1, &x);
            let mut kkt = DMatrix::zeros(n + m, n + m);
            kkt.view_mut((0, 0), (n, n)).copy_from(&h);
            kkt.view_mut((n, 0), (m, n)).copy_from(&a);
            kkt.view_mut((0, n), (n, m)).copy_from(&a.transpose());
            let c = values(name, &x).1;
            let right = DVector::from_iterator(n + m, g.iter().map(|g| -g).chain(c.iter().copied()));
            let step = kkt.lu().solve(&right).expect("a regular point");
            x.iter_mut().chain(&mut l).zip(&step).for_each(|(x, s)| *x += s);
        }
        assert!(error(&x, &want) < 1e-14, "{name}: {x:?}");
        assert!(l.iter().zip(&multipliers).all(|(l, want)| (l - want).abs() < 1e-13), "{name}: {l:?}");
    }
}
