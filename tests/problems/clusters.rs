//! Clusters of atoms with the potential of Lennard and Jones: no force at the published minima, and a Hessian that is zero
//! along the six rigid motions, five for two atoms.

use super::super::{error, numbers, read};
use wengert::value_gradient_and_hessian;

/// `4 Σ (r⁻¹² − r⁻⁶)`.
#[wengert::generic]
fn energy(x: &[f64]) -> f64 {
    let atoms = x.len() / 3;
    let mut sum = 0.0;
    for i in 0..atoms {
        for j in 0..i {
            let r2: f64 = (0..3).map(|k| (x[3 * i + k] - x[3 * j + k]).powi(2)).sum();
            let s6 = r2.powi(-3);
            sum += 4.0 * (s6 * s6 - s6);
        }
    }
    sum
}

#[test]
fn minima() {
    for cluster in read("lennard_jones")["clusters"].as_array().unwrap() {
        let atoms = cluster["n"].as_u64().unwrap();
        let (e, g, h) = value_gradient_and_hessian(energy, &numbers(&cluster["coords"]));
        assert!((e - cluster["energy_literature"].as_f64().unwrap()).abs() < 5e-7, "{atoms} atoms: {e}");
        assert!(error(&[e], &numbers(&cluster["energy"])) < 1e-14, "{atoms} atoms: {e}");
        let mut eigenvalues = h.symmetric_eigenvalues().as_slice().to_vec();
        eigenvalues.sort_by(f64::total_cmp);
        let largest = eigenvalues[eigenvalues.len() - 1];
        // Coordinates of about 1 are rounded, which moves the gradient by their eps times the Hessian.
        let force = g.iter().fold(0.0, |m: f64, g| m.max(g.abs()));
        assert!(force < 16.0 * f64::EPSILON * largest, "{atoms} atoms: a force of {force:e}");
        let zeros = cluster["zero_hessian_eigenvalues"].as_u64().unwrap() as usize;
        assert_eq!(zeros, if atoms == 2 { 5 } else { 6 });
        let rigid = eigenvalues[..zeros].iter().fold(0.0, |m: f64, e| m.max(e.abs()));
        assert!(rigid < 64.0 * f64::EPSILON * largest, "{atoms} atoms: {rigid:e}");
        for (got, name) in [(eigenvalues[zeros], "smallest_positive"), (largest, "largest")] {
            assert!(error(&[got], &numbers(&cluster[name])) < 1e-13, "{atoms} atoms: {got}");
        }
    }
}
