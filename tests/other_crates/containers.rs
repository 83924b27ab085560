//! Numbers inside other people's containers and loops: petgraph (`Measure`), ordered-float and pid
//! (`FloatCore`), ndarray (`LinalgScalar`, `Float + FromPrimitive`).
//!
//! Some traits are lists of primitive types, which other crates cannot extend: ndarray's `ScalarOperand` (`array *
//! number`; write `array.mapv(|a| a * number)`), petgraph's `FloatMeasure` (its Bellman–Ford).

use super::derivatives::{Case, dot};
use ndarray::{Array1, Array2, LinalgScalar};
use num_traits::float::FloatCore;
use num_traits::{Float, FromPrimitive};
use ordered_float::OrderedFloat;
use petgraph::algo::{Measure, astar, dijkstra};
use petgraph::graph::{Graph, NodeIndex};
use pid::Pid;
use std::collections::BinaryHeap;

/// Edges of a road map: from, to. The shortest way from 0 to 4 by the lengths in the test is 0 → 2 → 1 → 3 →
/// 4.
const ROADS: [(u32, u32); 8] = [(0, 1), (0, 2), (2, 1), (1, 3), (2, 3), (3, 4), (2, 4), (1, 4)];
const LENGTHS: [f64; 8] = [4.0, 1.0, 2.0, 1.5, 5.0, 0.5, 6.0, 2.5];
const SHORTEST: [usize; 4] = [1, 2, 3, 5];

/// The length of the shortest way for given lengths of the roads, by two algorithms.
fn shortest_way<T: Measure + Copy>(x: &[T]) -> Vec<T> {
    let map = Graph::<(), T>::from_edges(ROADS.iter().zip(x).map(|(&(a, b), &length)| (a, b, length)));
    let (start, goal) = (NodeIndex::new(0), NodeIndex::new(4));
    let all = dijkstra(&map, start, Some(goal), |road| *road.weight());
    let (length, _) = astar(&map, start, |n| n == goal, |road| *road.weight(), |_| T::default()).unwrap();
    vec![all[&goal], length]
}

/// The length of the way has derivative 1 in the roads on it and 0 in all others, exactly.
#[test]
fn shortest_paths() {
    for road in 0..ROADS.len() {
        let mut v = [0.0; 8];
        v[road] = 1.0;
        let want = f64::from(SHORTEST.contains(&road));
        let case = Case::new("petgraph", &LENGTHS, &v).first([want; 2], 0.0).second([0.0; 2], 0.0);
        every_type!(shortest_way, case);
    }
}

/// Median and largest value by sorting, and the sum of the two largest from a heap.
fn order_statistics<T: FloatCore>(x: &[T]) -> Vec<T> {
    let mut sorted: Vec<_> = x.iter().map(|&x| OrderedFloat(x)).collect();
    sorted.sort();
    let mut heap: BinaryHeap<_> = sorted.iter().copied().collect();
    let largest = [heap.pop().unwrap(), heap.pop().unwrap()];
    vec![
        sorted[x.len() / 2].0,
        x.iter().map(|&x| OrderedFloat(x)).max().unwrap().0,
        largest[0].0 + largest[1].0,
    ]
}

/// An order statistic moves with the element that it is.
#[test]
fn sorting() {
    let (at, v) = ([3.0, -1.0, 8.0, 0.5, 5.0], [1.0, 2.0, 4.0, 8.0, 16.0]);
    let case = Case::new("ordered-float", &at, &v).first([1.0, 4.0, 4.0 + 16.0], 0.0).second([0.0; 3], 0.0);
    every_type!(order_statistics, case);
}

/// Ten steps of a tank towards the level 1, under proportional control with the gain `x[0]` and an inflow of
/// at most `x[1]`: the last level.
fn tank_level<T: FloatCore>(x: &[T]) -> Vec<T> {
    let (zero, one, step) = (T::zero(), T::one(), T::from(STEP).unwrap());
    let mut controller = Pid::new(one, x[1]);
    controller.p(x[0], T::max_value()).i(zero, one).d(zero, one);
    let level = (0..10).fold(zero, |level, _| level + step * controller.next_control_output(level).output);
    vec![level]
}
const STEP: f64 = 0.125;

/// With the step h and the gain k the level is `1 − qⁿ`, `q = 1 − hk`; while the limit L holds, it is `nhL`.
#[test]
fn control_loops() {
    let (gain, n) = (2.0, 10.0);
    let q: f64 = 1.0 - STEP * gain;
    let (first, second) = (n * STEP * q.powi(9), -n * (n - 1.0) * STEP * STEP * q.powi(8));
    let free = Case::new("pid", &[gain, 100.0], &[1.0, 1.0]).first([first], 8.0).second([second], 8.0);
    every_type!(tank_level, free);
    let limited =
        Case::new("pid limited", &[gain, 0.5], &[1.0, 1.0]).first([n * STEP], 0.0).second([0.0], 0.0);
    every_type!(tank_level, limited);
}

/// Mean, variance and standard deviation.
fn statistics<T: Float + FromPrimitive>(x: &[T]) -> Vec<T> {
    let x = Array1::from(x.to_vec());
    vec![x.mean().unwrap(), x.var(T::one()), x.std(T::one())]
}

/// With `m` the mean: `V̇ = 2 Σ(xᵢ − m)(vᵢ − v̄)/(n−1)`, `V̈ = 2 Σ(vᵢ − v̄)²/(n−1)`; `s = √V`.
#[test]
fn moments() {
    let (at, v) = ([1.5, -0.25, 3.0, 2.25, 0.5], [1.0, -2.0, 0.5, 3.0, 0.0]);
    let centred = |x: [f64; 5]| x.map(|xi| xi - x.iter().sum::<f64>() / 5.0);
    let (x, dx) = (centred(at), centred(v));
    let (var, dvar, ddvar) = (dot(&x, &x) / 4.0, dot(&x, &dx) / 2.0, dot(&dx, &dx) / 2.0);
    let s = var.sqrt();
    let first = [v.iter().sum::<f64>() / 5.0, dvar, dvar / (2.0 * s)];
    let second = [0.0, ddvar, ddvar / (2.0 * s) - dvar * dvar / (4.0 * s.powi(3))];
    let case = Case::new("ndarray moments", &at, &v).first(first, 4.0).second(second, 4.0);
    every_type!(statistics, case.scales([dot(&v, &v), dot(&v, &v)]));
}

/// `A·A·b` for a 3×3 matrix `A`.
fn squared<T: LinalgScalar>(x: &[T]) -> Vec<T> {
    let a = Array2::from_shape_vec((3, 3), x[..9].to_vec()).unwrap();
    let b = Array1::from(x[9..].to_vec());
    a.dot(&a).dot(&b).to_vec()
}

/// Along `(Ȧ, 0)`: `(ȦA + AȦ)b` and `2ȦȦb`, in integers.
#[test]
fn matrix_products() {
    let at = [1.0, -2.0, 3.0, 0.0, 4.0, -1.0, 2.0, 2.0, -3.0, 1.0, -1.0, 2.0];
    let v = [2.0, 1.0, 0.0, -1.0, 3.0, 2.0, 1.0, -2.0, 1.0, 0.0, 0.0, 0.0];
    let matrix = |x: &[f64]| nalgebra::Matrix3::from_row_slice(x);
    let (a, da, b) = (matrix(&at[..9]), matrix(&v[..9]), nalgebra::Vector3::from_row_slice(&at[9..]));
    let (first, second) = ((da * a + a * da) * b, da * da * b * 2.0);
    let case = Case::new("ndarray dot", &at, &v).first(first.iter().copied(), 0.0);
    every_type!(squared, case.second(second.iter().copied(), 0.0));
}
