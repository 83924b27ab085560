//! Sums, inner products and products as one step, and the size of a tape.

use wengert::{Dual, DualN, Number, Real, Tape, Var, forward, gradient, reduce};

fn point(n: usize) -> Vec<f64> {
    (0..n).map(|i| 0.4 + (i as f64 * 1.7).sin()).collect()
}

const REDUCTIONS: [&str; 17] = [
    "sum",
    "sum by iterator",
    "sum of a mixture",
    "dot",
    "dot with itself",
    "affine",
    "affine of a constant",
    "scattered affine",
    "dot with constants",
    "linear combination",
    "product",
    "product by iterator",
    "mean",
    "norm",
    "logsumexp",
    "softmax",
    "nested",
];

/// A reduction over `x`, at every number type.
fn reduction<T: Real<Base = f64>>(name: &str, x: &[T]) -> T {
    let (a, b) = x.split_at(x.len() / 2);
    let b = &b[..a.len()];
    match name {
        "sum" => reduce::sum(x),
        "sum by iterator" => x.iter().map(|x| x.sin()).sum(),
        "sum of a mixture" => {
            x.iter().enumerate().map(|(i, &x)| if i % 2 == 0 { x } else { T::lit(3.0) }).sum()
        }
        "dot" => reduce::dot(a, b),
        "dot with itself" => reduce::dot(x, x),
        "affine" => reduce::affine(a, b, x[0].sin()),
        "affine of a constant" => reduce::affine(a, b, T::lit(0.5)),
        "scattered affine" => reduce::affine(x, &x.iter().rev().copied().collect::<Vec<_>>(), x[0]),
        "dot with constants" => reduce::dot(&point(x.len()).into_iter().map(T::lit).collect::<Vec<_>>(), x),
        "linear combination" => reduce::linear_combination(&point(x.len()), x),
        "product" => reduce::product(x),
        "product by iterator" => x.iter().product(),
        "mean" => reduce::mean(x).unwrap_or(T::lit(0.0)),
        "norm" => reduce::norm(x),
        "logsumexp" => reduce::logsumexp(x),
        "softmax" => reduce::softmax(x).first().copied().unwrap_or(T::lit(0.0)),
        "nested" => x.iter().map(|&y| x.iter().map(|&x| x * y).sum::<T>().cos()).sum(),
        other => panic!("{other} is no reduction"),
    }
}

#[test]
fn reductions_agree_with_forward_mode_to_second_order() {
    for n in [1, 2, 3, 4, 5, 9, 20] {
        for zeros in 0..3 {
            let mut x = point(n);
            x.iter_mut().take(zeros).for_each(|x| *x = 0.0);
            // Elements far from the others, so that all second derivatives are small.
            if zeros == 2 && n > 4 {
                x[n - 1] = 31.0;
            }
            for name in REDUCTIONS {
                let want = forward::value_gradient_and_hessian(|x: &[_]| reduction(name, x), &x[..]);
                let value = gradient_at(|x| reduction(name, x), &x);
                assert_eq!(value.0.to_bits(), want.0.to_bits(), "{name} {n}");
                let second = wengert::hessian(|x: &[_]| reduction(name, x), &x[..]);
                let largest = want.1.iter().fold(0.0_f64, |most, w| most.max(w.abs()));
                for (i, (g, w)) in value.1.iter().zip(&want.1).enumerate() {
                    assert!((g - w).abs() <= 1e-14 * largest, "{name} {n} {zeros} [{i}]: {g} {w}");
                }
                let largest = want.2.iter().fold(0.0_f64, |most, w| most.max(w.abs()));
                for (g, w) in second.iter().zip(want.2.iter()) {
                    assert!((g - w).abs() <= 1e-13 * largest, "{name} {n} {zeros}: {g} {w}");
                }
            }
        }
    }
}

fn gradient_at(f: impl FnOnce(&[Var<f64>]) -> Var<f64>, x: &[f64]) -> (f64, Vec<f64>) {
    wengert::value_and_gradient(f, x)
}

#[test]
fn a_reduction_is_one_node() {
    let n = 1000;
    let tape = Tape::new();
    let x = tape.variables(&point(n));
    let before = tape.stats();
    let y = reduce::logsumexp(&x);
    let after = tape.stats();
    assert_eq!((before.nodes, before.blocks), (n, 0));
    assert_eq!((after.nodes, after.blocks, after.edges), (n + 1, 1, n));
    let z = reduce::dot(&x, &x[..]) + y;
    let last = tape.stats();
    assert_eq!((last.nodes, last.blocks, last.edges), (n + 3, 2, 2 * n));
    reduce::linear_combination(&point(n), &x);
    assert_eq!((tape.stats().nodes, tape.stats().edges), (n + 4, 3 * n));
    let short = tape.stats().nodes;
    let _ = x[0].mul_add(x[1], x[2]);
    assert_eq!(tape.stats().nodes, short + 2, "three parents are two plain nodes");
    let dz = tape.cotangents(z);
    let softmax = reduce::softmax(&point(n));
    for (i, &x) in x.iter().enumerate() {
        assert!((dz.of(x) - softmax[i] - 2.0 * x.value()).abs() < 1e-14);
    }
}

#[test]
fn what_is_and_what_is_not_recorded() {
    let tape = Tape::new();
    let (x, y): (Var<f64>, _) = (tape.variable(0.5), tape.variable(1.5));
    let of_one = (x.sin() * x + 2.0 / x).exp() - x.powi(3) * Var::constant(4.0);
    assert_eq!(tape.stats().nodes, 2, "functions of one variable and of constants");
    let constants = Var::constant(2.0) * Var::constant(3.0) + 1.0;
    assert_eq!((tape.stats().nodes, constants.value()), (2, 7.0));
    let both = of_one * y;
    assert_eq!(tape.stats().nodes, 3);
    let again = both.tanh() + both * 2.0;
    assert_eq!(tape.stats().nodes, 3, "both operands lie in one direction");
    let [x0] = gradient(
        |v| {
            let (x, y) = (v[0], Var::constant(1.5));
            let both = ((x.sin() * x + 2.0_f64 / x).exp() - x.powi(3) * 4.0) * y;
            both.tanh() + both * 2.0
        },
        &[0.5],
    );
    assert!((tape.cotangents(again).of(x) - x0).abs() < 1e-13 * x0.abs());
}

/// Up to 32 terms a sum by iterator records what a loop records, whether the iterator knows their number or not.
/// More terms are one block; if their number is unknown, the first 33 of them are one term.
#[test]
fn a_sum_of_few_terms_is_a_loop() {
    for n in 1..60 {
        let (x, weights) = (point(n), point(2 * n));
        let term = |i: usize, x: &[Var<f64>]| if i % 7 == 3 { x[i].sin() } else { x[i] * weights[n + i] };
        let by_loop = |x: &[Var<f64>]| (1..n).fold(term(0, x), |sum, i| sum + term(i, x));
        let by_iterator = |x: &[Var<f64>]| (0..n).map(|i| term(i, x)).sum::<Var<f64>>();
        let unknown = |x: &[Var<f64>]| (0..n).filter(|i| *i < n).map(|i| term(i, x)).sum::<Var<f64>>();
        let recorded = |f: &dyn Fn(&[Var<f64>]) -> Var<f64>| {
            let tape = Tape::new();
            let x = tape.variables(&x);
            let y = f(&x);
            let slopes = tape.cotangents(y * y).of_all(&x).into_iter().map(f64::to_bits);
            (y.value().to_bits(), slopes.collect::<Vec<_>>(), tape.stats())
        };
        let (want, exact, filtered) = (recorded(&by_loop), recorded(&by_iterator), recorded(&unknown));
        for (of, got) in [("exact", &exact), ("filtered", &filtered)] {
            assert_eq!((&got.0, &got.1), (&want.0, &want.1), "{of} {n}");
        }
        assert_eq!((want.2.nodes, want.2.blocks), (n + n.max(1) - 1, 0));
        let nodes = if n > 32 { n + 1 } else { want.2.nodes };
        assert_eq!((exact.2.nodes, exact.2.blocks), (nodes, usize::from(n > 32)), "{n}");
        assert_eq!(filtered.2.blocks, usize::from(n > 36), "{n}");
    }
}

#[test]
fn figures_and_drawings() {
    let tape = Tape::new();
    let x = tape.variables(&[2.0, 3.0, 5.0, 7.0, 11.0, 13.0, 17.0, 19.0, 23.0, 29.0, 31.0]);
    let y = reduce::sum(&x) * x[0];
    let stats = tape.stats();
    assert_eq!((stats.nodes, stats.blocks, stats.edges), (13, 1, 11));
    assert!((13 * 24 + 11 * 8..13 * 24 + 11 * 8 + 64).contains(&stats.bytes), "{stats:?}");
    let dot = tape.to_dot();
    for line in
        ["x0 [shape=box]", "x4 -> n11 [label=\"1\"]", "n11 -> n12 [label=\"2\"]", "x0 -> n12 [label=\"160\"]"]
    {
        assert!(dot.contains(line), "{line} is not in\n{dot}");
    }
    assert_eq!(format!("{y} {:.1e}", y), "320 3.2e2");
    assert!(format!("{y:?}").starts_with("Var(320.0, slope 1.0 to node 12 of tape "));
    assert_eq!(format!("{:?}", Var::constant(2.0)), "Var(2.0)");
}

#[test]
fn zero_cotangents_stay_zero_through_blocks_of_infinite_partials() {
    let f = |x: &[Var<f64>]| {
        let roots: Vec<_> = x.iter().map(|x| x.sqrt()).collect();
        [reduce::sum(&roots), reduce::dot(&roots, &[2.0; 6].map(Var::constant)), x[0] + x[1]]
    };
    let unit = [1.0, 1.0, 0.0, 0.0, 0.0, 0.0];
    assert_eq!(wengert::vjp(f, &[0.0; 6], &[0.0, 0.0, 1.0]), unit);
    assert_eq!(wengert::vjp(f, &[0.0; 6], &[1.0, 1.0, 0.0]), [f64::INFINITY; 6]);
}

/// Blocks of consecutive nodes: which lie so, and that others are right too.
#[test]
fn slices_in_a_row_are_one_block_of_partials() {
    let n = 12;
    let tape = Tape::new();
    let (x, y) = (tape.variables(&point(n)), tape.variables(&point(n)));
    let bytes = |f: &dyn Fn() -> Var<f64>| {
        let before = tape.stats();
        f();
        let after = tape.stats();
        (after.nodes - before.nodes, after.edges - before.edges, after.bytes - before.bytes)
    };
    // A node, a block, its runs, and eight bytes a term.
    let fixed = 24 + 16 + 32;
    assert_eq!(bytes(&|| reduce::dot(&x, &y)), (1, 2 * n, fixed + 16 * n));
    assert_eq!(bytes(&|| reduce::sum(&x)), (1, n, fixed + 8 * n));
    assert_eq!(bytes(&|| reduce::linear_combination(&point(n), &y)), (1, n, fixed + 8 * n));
    let reversed: Vec<_> = x.iter().rev().copied().collect();
    // Nodes out of order: an edge a variable, also if the first two are in order.
    let nearly: Vec<_> = [x[0], x[1]].into_iter().chain(x[3..].iter().copied()).chain([x[2]]).collect();
    for row in [&reversed, &nearly] {
        assert_eq!(bytes(&|| reduce::dot(row, &y)), (1, 2 * n, 24 + 16 + 2 * 16 * n));
        assert_eq!(bytes(&|| reduce::affine(row, &y, x[0])).1, 2 * n + 1);
        assert_eq!(
            reduce::dot(row, &y).value(),
            row.iter().zip(&y).map(|(x, y)| x.value() * y.value()).sum::<f64>()
        );
    }
    // A guess that is wrong at the end, for each sum of slices and each factor.
    let wrong: Vec<_> = x[..n - 1].iter().copied().chain([x[0]]).collect();
    for sum in
        [reduce::dot(&y, &wrong), reduce::dot(&wrong, &y), reduce::linear_combination(&point(n), &wrong)]
    {
        let d = tape.cotangents(sum);
        assert!(d.of(x[0]) == point(n)[0] + point(n)[n - 1] && d.of(x[n - 1]) == 0.0);
    }
    let d = tape.cotangents(reduce::sum(&wrong));
    assert!(d.of(x[0]) == 2.0 && d.of(x[n - 1]) == 0.0);
    // Variables of one node have one partial, here 0, and take no room.
    let turns: Vec<_> = (0..n).map(|i| if i % 2 == 0 { x[0] } else { -x[0] }).collect();
    let ones = vec![Var::constant(1.0); n];
    assert_eq!(bytes(&|| reduce::dot(&turns, &ones)), (0, 0, 0));
    assert_eq!(tape.cotangents(reduce::dot(&turns, &ones).sqrt()).of(x[0]), 0.0);
    // A square has one edge a variable.
    assert_eq!(bytes(&|| reduce::dot(&reversed, &reversed)), (1, n, 24 + 16 + 16 * n));
    let d = tape.cotangents(reduce::dot(&reversed, &reversed));
    assert!((0..n).all(|i| d.of(x[i]) == 2.0 * point(n)[i]));
    // Few terms, as a loop records them.
    assert_eq!(bytes(&|| reduce::dot(&x[..8], &y[..8])), (15, 0, 15 * 24));
    // Constants among the variables have no edges.
    let mut mixed = y.clone();
    mixed[0] = Var::constant(2.0);
    assert_eq!(bytes(&|| reduce::dot(&mixed, &x)).1, 2 * n - 1);
    let dx = tape.cotangents(reduce::dot(&mixed, &x));
    assert!(dx.of(x[0]) == 2.0 && (1..n).all(|i| dx.of(x[i]) == y[i].value()));
    let (other, foreign) = (Tape::new(), point(n));
    let z = other.variables(&foreign);
    assert!(std::panic::catch_unwind(|| reduce::dot(&x, &z)).is_err());
    assert!(std::panic::catch_unwind(|| reduce::dot(&reversed, &z)).is_err());
    let dz = tape.cotangents(reduce::dot(&reversed, &y));
    assert!((0..n).all(|i| dz.of(x[i]) == y[n - 1 - i].value() && dz.of(y[i]) == x[n - 1 - i].value()));
}

#[test]
fn zero_cotangents_stay_zero_through_infinite_partials() {
    // √0 has an infinite partial; a result that does not use it has the cotangent 0 there.
    let f = |x: &[Var<f64>]| [x[0].sqrt() + x[1], x[1] * x[2]];
    assert_eq!(wengert::vjp(f, &[0.0, 2.0, 3.0], &[0.0, 1.0]), [0.0, 3.0, 2.0]);
    assert_eq!(wengert::vjp(f, &[0.0, 2.0, 3.0], &[1.0, 0.0]), [f64::INFINITY, 1.0, 0.0]);
    let mixed = |x: &[Var<f64>]| (x[0].sqrt() + x[1]) * Var::constant(0.0) + x[1] * x[2];
    // The modes differ by nature where a finite zero is multiplied by an infinite tangent later: forward mode has ∞·0
    // = NaN there, in reverse the zero comes first and stays.
    assert_eq!(gradient(mixed, &[0.0, 2.0, 3.0]), [0.0, 3.0, 2.0]);
    let forward = |x: &[DualN<f64, 8>]| (x[0].sqrt() + x[1]) * DualN::constant(0.0) + x[1] * x[2];
    assert!(forward::gradient(forward, &[0.0, 2.0, 3.0])[0].is_nan());
    // Nested: the tangent of the cotangent, too.
    let g = gradient(|x: &[Var<Dual<f64>>]| x[0].sqrt() * x[1], &[Dual::new(0.0, 0.0), Dual::new(2.0, 1.0)]);
    assert_eq!((g[1].value(), g[1].tangent()), (0.0, 0.0));
}

/// The size of a tape includes what a map holds: the products of the other factors.
#[test]
fn residuals_count() {
    let tape = Tape::new();
    let x: Vec<_> = tape.variables(&point(50)).into_iter().map(Dual::constant).collect();
    let before = tape.stats().bytes;
    let y: Dual<Var<f64>> = x.iter().product();
    let more = tape.stats().bytes - before;
    assert!(more >= 50 * 8 && y.value().value().is_finite(), "{more}");
}

#[test]
fn constants_of_an_active_type_take_nothing() {
    let tape = Tape::new();
    let x = tape.variable(3.0);
    let c: Var<f64> = Number::lit(5.0);
    for _ in 0..3 {
        assert_eq!(tape.cotangents(x * c).of(x), 5.0);
    }
    assert_eq!(tape.stats().nodes, 1);
}

#[test]
fn a_cleared_tape_keeps_what_its_last_uses_needed() {
    let mut tape = Tape::new();
    let mut record = |nodes: usize| {
        tape.clear();
        let (x, y) = (tape.variable(1.0), tape.variable(1.0));
        let z = (0..nodes).fold(y, |z, _| z * x);
        assert_eq!(tape.cotangents(z).of(x), nodes as f64);
        tape.stats().reserve + tape.stats().bytes
    };
    let large = record(1 << 20);
    assert!(large > 32 << 20, "{large}");
    // A small use in between forgets nothing, and a large one finds its room.
    record(10);
    assert_eq!(record(1 << 20), large);
    (0..20).for_each(|_| assert!(record(10) > 0));
    assert!(record(10) < large / 4, "{} of {large}", record(10));
}
