//! Sums whose rows are spread over processes or machines: plain data, added in a fixed order.

use crate::error::AdError;

/// The contribution of a block of rows to a sum: its value and the requested derivatives, as plain data for a network
/// or a file (feature `serde`). Binary formats keep all bits; serde_json keeps them with its feature
/// `float_roundtrip`, for finite numbers.
///
/// The rows of a large table are cut into blocks. Each block is a [`Sum`](super::Sum) of its own, which any process
/// may compute; [`total`](PartialSum::total) adds the blocks in their order. So the total depends only on the cut, to
/// the last bit: not on the process that computed a block, nor on the time when it arrived.
///
/// ```
/// use wengert::sums::{PartialSum, Sum};
/// let data: Vec<[f64; 2]> = (0..6).map(|i| [i as f64, (i % 2) as f64]).collect();
/// let part = |block: usize| {
///     let rows = data[2 * block..2 * block + 2].to_vec();
///     let mut sum = Sum::new(2, rows, |p, d| (p[0] + p[1] * d[0] - d[1]).powi(2))?;
///     let mut numbers = vec![0.0; 3];
///     numbers[0] = sum.gradient(&[0.5, 0.0], &mut numbers[1..])?;
///     Ok::<_, wengert::AdError>(PartialSum { block, blocks: 3, numbers })
/// };
/// let total = PartialSum::total([part(2)?, part(0)?, part(1)?])?;
/// assert_eq!(total, [1.5, 0.0, -3.0]); // the value, and two derivatives
/// let missing = PartialSum::total([part(2)?, part(0)?]).unwrap_err();
/// assert_eq!(missing.to_string(), "total: 2 blocks given, expected 3");
/// # Ok::<(), wengert::AdError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct PartialSum {
    /// The index of the block, from 0.
    pub block: usize,
    /// The number of blocks.
    pub blocks: usize,
    /// The value and derivatives, in the order that the caller chooses.
    pub numbers: Vec<f64>,
}

impl PartialSum {
    /// The sum of all blocks, added in the order of their indices: `((s₀ + s₁) + s₂) + …` in each number.
    ///
    /// # Errors
    /// [`AdError::EmptyInput`] without blocks, [`AdError::Arity`] if a block is missing or given twice or blocks are of
    /// different cuts, [`AdError::Shape`] if they have different numbers of numbers.
    pub fn total(parts: impl IntoIterator<Item = PartialSum>) -> Result<Vec<f64>, AdError> {
        let op = "total";
        let mut parts: Vec<PartialSum> = parts.into_iter().collect();
        parts.sort_by_key(|part| part.block);
        let Some(first) = parts.first() else { return Err(AdError::EmptyInput { op }) };
        let (blocks, len) = (first.blocks, first.numbers.len());
        AdError::check_arity(op, "blocks", blocks, parts.len())?;
        for (k, part) in parts.iter().enumerate() {
            AdError::check_arity(op, "as the number of blocks", blocks, part.blocks)?;
            AdError::check_arity(op, "as the next index of a block", k, part.block)?;
        }
        let mut total = vec![-0.0; len];
        for part in parts {
            AdError::check_len(op, "block", len, part.numbers.len())?;
            total.iter_mut().zip(part.numbers).for_each(|(sum, x)| *sum += x);
        }
        Ok(total)
    }
}
