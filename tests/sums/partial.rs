//! Sums whose blocks are computed by several processes and arrive in any order.

use wengert::AdError;
use wengert::sums::{PartialSum, Sum, Table};

const BLOCKS: usize = 9;

/// Value, gradient and Hessian of a block of 50 rows.
fn part(block: usize) -> PartialSum {
    let row = |i: usize| [(i as f64).sin() * 3.0, (i as f64 * 0.7).cos()];
    let rows: Vec<f64> = (50 * block..50 * block + 50).flat_map(row).collect();
    let table = Table::new(rows, 2).unwrap();
    let mut sum = Sum::new(3, table, |p, d| ((p[0] * d[0]).tanh() * p[1] + p[2] - d[1]).powi(2)).unwrap();
    let mut numbers = vec![0.0; 1 + 3 + 9];
    let (gradient, hessian) = numbers[1..].split_at_mut(3);
    numbers[0] = sum.hessian(&[0.3, -1.2, 0.8], gradient, hessian).unwrap();
    PartialSum { block, blocks: BLOCKS, numbers }
}

fn bits(numbers: &[f64]) -> Vec<u64> {
    numbers.iter().map(|x| x.to_bits()).collect()
}

#[test]
fn totals_have_the_same_bits_for_all_workers_and_orders() {
    let want = PartialSum::total((0..BLOCKS).map(part)).unwrap();
    let by_hand = (1..BLOCKS)
        .fold(part(0).numbers, |sum, k| sum.iter().zip(part(k).numbers).map(|(a, b)| a + b).collect());
    assert_eq!(bits(&want), bits(&by_hand));
    for workers in [1, 2, 3, 7] {
        // Each worker sends its blocks as text or bytes; the last worker is the first to arrive.
        let mut arrived = Vec::new();
        for worker in (0..workers).rev() {
            for block in (worker..BLOCKS).step_by(workers) {
                let part = part(block);
                let text = serde_json::to_string(&part).unwrap();
                let bytes = postcard::to_stdvec(&part).unwrap();
                arrived.push(match block % 2 {
                    0 => serde_json::from_str(&text).unwrap(),
                    _ => postcard::from_bytes::<PartialSum>(&bytes).unwrap(),
                });
            }
        }
        assert_eq!(bits(&PartialSum::total(arrived).unwrap()), bits(&want), "{workers} workers");
    }
    // Minus zero stays, as in other sums.
    let zero = PartialSum { block: 0, blocks: 1, numbers: vec![-0.0] };
    assert_eq!(bits(&PartialSum::total([zero]).unwrap()), [(-0.0_f64).to_bits()]);
}

#[test]
fn blocks_that_do_not_fit_are_refused() {
    let error = |parts: Vec<PartialSum>| PartialSum::total(parts).unwrap_err().to_string();
    let all = || (0..BLOCKS).map(part).collect::<Vec<_>>();
    assert_eq!(PartialSum::total([]), Err(AdError::EmptyInput { op: "total" }));
    assert_eq!(error(all()[1..].to_vec()), "total: 8 blocks given, expected 9");
    assert_eq!(error([all(), vec![part(3)]].concat()), "total: 10 blocks given, expected 9");
    let refused = |change: &dyn Fn(&mut PartialSum)| {
        let mut parts = all();
        change(&mut parts[4]);
        error(parts)
    };
    let next =
        |got, expected| format!("total: {got} as the next index of a block given, expected {expected}");
    assert_eq!(refused(&|part| part.block = 2), next(2, 3));
    assert_eq!(refused(&|part| part.block = 9), next(5, 4));
    assert_eq!(refused(&|part| part.blocks = 10), "total: 10 as the number of blocks given, expected 9");
    assert_eq!(refused(&|part| _ = part.numbers.pop()), "total: the block has length 12, expected 13");
}
