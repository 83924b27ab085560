//! Numbers of sixteen rows.

/// The number of rows that run together.
pub(crate) const LANES: usize = 16;
/// A number of each of these rows.
pub(crate) type Line = [f64; LANES];

/// Lines, of sixteen rows or of another number of points, that are aligned to cache lines: a line in two cache lines is loaded more slowly.
#[derive(Default)]
pub(crate) struct Lines<const N: usize = LANES> {
    memory: Vec<f64>,
    len: usize,
}

/// Numbers in a line of the cache.
const CACHE_LINE: usize = 8;

impl<const N: usize> Lines<N> {
    pub(crate) fn zeros(len: usize) -> Self {
        Lines { memory: vec![0.0; N * len + CACHE_LINE], len }
    }
    fn first(&self) -> usize {
        let offset = self.memory.as_ptr().align_offset(size_of::<[f64; CACHE_LINE]>());
        offset.min(self.memory.len() - N * self.len)
    }
    #[inline]
    pub(crate) fn get(&self) -> &[[f64; N]] {
        &self.memory[self.first()..].as_chunks().0[..self.len]
    }
    #[inline]
    pub(crate) fn get_mut(&mut self) -> &mut [[f64; N]] {
        let first = self.first();
        &mut self.memory[first..].as_chunks_mut().0[..self.len]
    }
    /// The first `len` lines, of any content.
    pub(crate) fn at_least(&mut self, len: usize) -> &mut [[f64; N]] {
        if self.len < len {
            *self = Lines::zeros(len);
        }
        &mut self.get_mut()[..len]
    }
}
