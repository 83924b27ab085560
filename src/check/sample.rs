//! Reproducible pseudo-random numbers.

use crate::number::Number;

/// A generator of pseudo-random numbers (xorshift, Marsaglia 2003).
pub(super) struct Sample(u64);

impl Sample {
    pub(super) fn new() -> Self {
        Sample(0x9e37_79b9_7f4a_7c15)
    }
    /// A number of size ½ to 1½ and either sign.
    pub(super) fn next(&mut self) -> f64 {
        for (left, by) in [(true, 13), (false, 7), (true, 17)] {
            self.0 ^= if left { self.0 << by } else { self.0 >> by };
        }
        let fraction = (self.0 >> 12) as f64 / (1_u64 << 52) as f64;
        if self.0 & 1 == 0 { fraction + 0.5 } else { -fraction - 0.5 }
    }
    /// A constant with random parts.
    pub(super) fn number<T: Number>(&mut self) -> T {
        T::from_parts(T::Re::lit(self.next()), T::Re::lit(if T::REAL { 0.0 } else { self.next() }))
    }
    pub(super) fn numbers<T: Number>(&mut self, count: usize) -> Vec<T> {
        (0..count).map(|_| self.number()).collect()
    }
}

/// Up to 32 of `n` indices, spread over all.
pub(super) fn some(n: usize) -> impl Iterator<Item = usize> {
    let count = n.min(32);
    (0..count).map(move |i| i * n / count)
}

/// The numbers, each changed by a few units in the last place: the change of a result estimates its rounding.
pub(super) fn shaken<T: Number>(x: &[T]) -> Vec<T> {
    let by = |i: usize| T::lit(1.0 + [3.0, -2.0, 5.0][i % 3] * f64::EPSILON);
    x.iter().enumerate().map(|(i, &x)| x * by(i)).collect()
}
