//! Products of numbers with several tangents: all lanes together equal each lane separately.

use nalgebra::{Complex, DMatrix};
use wengert::matrix::{Entry, Op, matmul_op};
use wengert::{Dual, DualN, Number};

const OPS: [Op; 4] = [Op::Plain, Op::Transpose, Op::Adjoint, Op::Conjugate];
const LANES: usize = 4;

/// The entry of a factor's lane: small integers, whose sums are exact.
fn integer(seed: usize, i: usize) -> i32 {
    (7 * i * i + 5 * seed + 3 * i) as i32 % 11 - 4
}

/// Each lane equals the result of [`Dual`], for all operations. `moves` decides in which lanes a factor has tangents.
fn agree<P: Number>(of: fn(i32, i32) -> P, moves: fn(usize, usize) -> bool)
where
    Dual<P>: Entry,
    DualN<P, LANES>: Entry,
{
    for (op_a, op_b) in OPS.iter().flat_map(|&a| OPS.map(|b| (a, b))) {
        let shape = |op: Op, r: usize, c: usize| if op.transposes() { (c, r) } else { (r, c) };
        let shapes = [shape(op_a, 11, 13), shape(op_b, 13, 12)];
        let entry = |seed: usize, i: usize| of(integer(seed, i), integer(seed + 1, i));
        let tangent = |factor: usize, lane: usize, i: usize| match moves(factor, lane) {
            true => entry(5 * lane + 2 * factor + 2, i),
            false => of(0, 0),
        };
        let number = |factor: usize, i: usize| {
            DualN::new(entry(factor, i), std::array::from_fn(|lane| tangent(factor, lane, i)))
        };
        let [a, b] = [0, 1].map(|f| {
            let (rows, columns) = shapes[f];
            DMatrix::from_fn(rows, columns, |i, j| number(f, i + rows * j))
        });
        let product = matmul_op(op_a, &a, op_b, &b);
        for lane in 0..LANES {
            let [a, b] = [&a, &b].map(|x| x.map(|x| Dual::new(x.value(), x.tangents()[lane])));
            let alone = matmul_op(op_a, &a, op_b, &b);
            for (all, alone) in product.iter().zip(&alone) {
                // Numbers are equal if their values are: as text, all parts count. (0 + −0 = 0.)
                let text = |x: P| format!("{:?}", x + of(0, 0));
                assert_eq!(text(all.value()), text(alone.value()), "{op_a:?}, {op_b:?}");
                let (got, want) = (text(all.tangents()[lane]), text(alone.tangent()));
                assert_eq!(got, want, "{op_a:?}, {op_b:?}, lane {lane}");
            }
        }
    }
}

#[test]
fn lanes_of_products_are_as_if_alone() {
    let which: [fn(usize, usize) -> bool; 4] = [
        |_, _| true,
        |factor, _| factor == 0,
        |factor, _| factor == 1,
        |factor, lane| (factor + lane) % 2 == 0,
    ];
    for moves in which {
        agree(|re, _| f64::from(re), moves);
        agree(|re, im| Complex::new(f64::from(re), f64::from(im)), moves);
        agree(|re, im| Dual::new(f64::from(re), f64::from(im)), moves);
    }
}

/// Infinite entries of the other factor do not reach a lane without tangents.
#[test]
fn lanes_without_tangents_stay_zero() {
    let a = DMatrix::from_fn(12, 12, |i, j| DualN::new(1.0, [1.0, 0.0].map(|t| t * (i + j) as f64)));
    let b = DMatrix::from_fn(12, 12, |i, j| DualN::constant(if i == j { f64::INFINITY } else { 1.0 }));
    let c = wengert::matrix::matmul(&a, &b);
    assert!(c.iter().all(|c| c.tangents()[1] == 0.0));
    assert_eq!(c[(3, 4)].tangents()[0], f64::INFINITY);
}
