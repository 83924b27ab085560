//! Derivatives as programs and by hand: for machine code, and for source code.

use wengert::programs::{Program, Traced, trace};

use super::reverse::*;

/// A derivative: as a program, and by hand.
pub struct Derivative {
    pub name: &'static str,
    pub x: Vec<f64>,
    pub program: Program,
    pub hand: fn(&[f64], &mut [f64]),
}

pub fn derivatives() -> [Derivative; 4] {
    let rosenbrock_gradient = trace(|x: &[Traced]| rosenbrock(x), &valley(100)[..]).gradient();
    let ode = trace(|x: &[Traced]| lotka_volterra(x, 100), &POPULATION[..]).gradient();
    let q: Vec<f64> = (0..7).map(|i| 0.3 + 0.2 * f64::from(i)).collect();
    let pose = |q: &[Traced]| {
        let mut out = [Traced::constant(0.0); 12];
        super::arm::pose(q, &mut out);
        out
    };
    let arm = trace(pose, &q[..]).jacobian();
    let x: Vec<f64> = (0..15).map(|i| 0.4 + 0.3 * f64::from(i).sin()).collect();
    let residual = |x: &[Traced]| super::camera::residual(x.try_into().expect("15 numbers"));
    let camera = trace(residual, &x[..]).jacobian();
    let of =
        |name, x, program: Result<Program, _>, hand| Derivative { name, x, program: program.unwrap(), hand };
    [
        of("rosenbrock", valley(100), rosenbrock_gradient, rosenbrock_rows),
        of("ode", POPULATION.to_vec(), ode, ode_hand),
        of("arm", q, arm, arm_hand),
        of("camera", x, camera, camera_hand),
    ]
}

fn rosenbrock_rows(x: &[f64], out: &mut [f64]) {
    rosenbrock_hand(x, out);
}

/// The arm's Jacobian by rows.
fn arm_hand(q: &[f64], out: &mut [f64]) {
    let mut columns = [0.0; 84];
    super::arm::hand_tangents(q.try_into().expect("7 joints"), &mut columns);
    for (k, out) in out.iter_mut().enumerate() {
        *out = columns[k % 7 * 12 + k / 7];
    }
}

/// The residual's Jacobian by rows.
fn camera_hand(x: &[f64], out: &mut [f64]) {
    let mut columns = [0.0; 32];
    super::camera::hand(x.try_into().expect("15 numbers"), &mut columns);
    for (k, out) in out.iter_mut().enumerate() {
        *out = columns[2 + k % 15 * 2 + k / 15];
    }
}

/// The gradient of `u + 2v` after 100 steps of Lotka and Volterra's equations, by the adjoint equations: a step backwards
/// for each step, from states that were kept.
fn ode_hand(x: &[f64], out: &mut [f64]) {
    let [a, b, c, d] = [x[2], x[3], x[4], x[5]];
    let slope = |u: f64, v: f64| (a * u - b * u * v, c * u * v - d * v);
    let mut states = [[0.0; 8]; 100];
    let (mut u, mut v) = (x[0], x[1]);
    for state in &mut states {
        let (k1, l1) = slope(u, v);
        let (u2, v2) = (u + 0.005 * k1, v + 0.005 * l1);
        let (k2, l2) = slope(u2, v2);
        let (u3, v3) = (u + 0.005 * k2, v + 0.005 * l2);
        let (k3, l3) = slope(u3, v3);
        let (u4, v4) = (u + 0.01 * k3, v + 0.01 * l3);
        let (k4, l4) = slope(u4, v4);
        *state = [u, v, u2, v2, u3, v3, u4, v4];
        u += 0.01 / 6.0 * (k1 + 2.0 * (k2 + k3) + k4);
        v += 0.01 / 6.0 * (l1 + 2.0 * (l2 + l3) + l4);
    }
    let (mut du, mut dv, mut rates) = (1.0, 2.0, [0.0; 4]);
    for [u, v, u2, v2, u3, v3, u4, v4] in states.into_iter().rev() {
        // The cotangents of a slope at a state: to the state, and to the rates.
        let mut back = |u: f64, v: f64, k: f64, l: f64| {
            rates[0] += k * u;
            rates[1] -= k * u * v;
            rates[2] += l * u * v;
            rates[3] -= l * v;
            (k * (a - b * v) + l * c * v, l * (c * u - d) - k * b * u)
        };
        let (k, l) = (0.01 / 6.0 * du, 0.01 / 6.0 * dv);
        let (p4, q4) = back(u4, v4, k, l);
        let (p3, q3) = back(u3, v3, 2.0 * k + 0.01 * p4, 2.0 * l + 0.01 * q4);
        let (p2, q2) = back(u2, v2, 2.0 * k + 0.005 * p3, 2.0 * l + 0.005 * q3);
        let (p1, q1) = back(u, v, k + 0.005 * p2, l + 0.005 * q2);
        du += p1 + p2 + p3 + p4;
        dv += q1 + q2 + q3 + q4;
    }
    out.copy_from_slice(&[du, dv, rates[0], rates[1], rates[2], rates[3]]);
}
