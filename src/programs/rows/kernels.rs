//! Sums and products of lines, with the registers that the processor has.
//!
//! Each kernel is written once, over [`Vector`], and compiled for SSE2 (or what the target has), AVX2 and AVX-512. All
//! multiply and add in the same order, without fusing, so results do not depend on the processor.

#![allow(unsafe_code)]
// Registers are numbered: iterators over them are not always unrolled.
#![allow(clippy::needless_range_loop)]

use super::super::exec::registers;
use super::functions::LaneFunction;
use super::line::{LANES, Line};

/// Consecutive coefficients of a linear form: shared values from `h` on times columns from `column` on.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Segment {
    pub(crate) form: u32,
    pub(crate) h: u32,
    pub(crate) column: u32,
    pub(crate) len: u32,
}

/// A register of numbers.
///
/// # Safety
/// Methods run only on processors that have the register; pointers lead to `LEN` numbers.
unsafe trait Vector: Copy {
    const LEN: usize;
    unsafe fn load(from: *const f64) -> Self;
    unsafe fn store(self, to: *mut f64);
    unsafe fn splat(x: f64) -> Self;
    unsafe fn add(self, other: Self) -> Self;
    unsafe fn mul(self, other: Self) -> Self;
}

// SAFETY: plain arithmetic.
unsafe impl Vector for f64 {
    const LEN: usize = 1;
    #[cfg_attr(not(debug_assertions), inline(always))]
    unsafe fn load(from: *const f64) -> Self {
        // SAFETY: the caller's.
        unsafe { *from }
    }
    #[cfg_attr(not(debug_assertions), inline(always))]
    unsafe fn store(self, to: *mut f64) {
        // SAFETY: the caller's.
        unsafe { *to = self }
    }
    #[cfg_attr(not(debug_assertions), inline(always))]
    unsafe fn splat(x: f64) -> Self {
        x
    }
    #[cfg_attr(not(debug_assertions), inline(always))]
    unsafe fn add(self, other: Self) -> Self {
        self + other
    }
    #[cfg_attr(not(debug_assertions), inline(always))]
    unsafe fn mul(self, other: Self) -> Self {
        self * other
    }
}

#[cfg(target_arch = "x86_64")]
macro_rules! vector {
    ($($register:ident, $len:literal: $load:ident, $store:ident, $splat:ident, $add:ident, $mul:ident;)*) => {$(
        // SAFETY: the functions of this register.
        unsafe impl Vector for core::arch::x86_64::$register {
            const LEN: usize = $len;
            #[cfg_attr(not(debug_assertions), inline(always))]
            unsafe fn load(from: *const f64) -> Self {
                // SAFETY: the caller's.
                unsafe { core::arch::x86_64::$load(from) }
            }
            #[cfg_attr(not(debug_assertions), inline(always))]
            unsafe fn store(self, to: *mut f64) {
                // SAFETY: the caller's.
                unsafe { core::arch::x86_64::$store(to, self) }
            }
            #[cfg_attr(not(debug_assertions), inline(always))]
            unsafe fn splat(x: f64) -> Self {
                // SAFETY: the caller's.
                unsafe { core::arch::x86_64::$splat(x) }
            }
            #[cfg_attr(not(debug_assertions), inline(always))]
            unsafe fn add(self, other: Self) -> Self {
                // SAFETY: the caller's.
                unsafe { core::arch::x86_64::$add(self, other) }
            }
            #[cfg_attr(not(debug_assertions), inline(always))]
            unsafe fn mul(self, other: Self) -> Self {
                // SAFETY: the caller's.
                unsafe { core::arch::x86_64::$mul(self, other) }
            }
        }
    )*};
}

#[cfg(target_arch = "x86_64")]
vector! {
    __m128d, 2: _mm_loadu_pd, _mm_storeu_pd, _mm_set1_pd, _mm_add_pd, _mm_mul_pd;
    __m256d, 4: _mm256_loadu_pd, _mm256_storeu_pd, _mm256_set1_pd, _mm256_add_pd, _mm256_mul_pd;
    __m512d, 8: _mm512_loadu_pd, _mm512_storeu_pd, _mm512_set1_pd, _mm512_add_pd, _mm512_mul_pd;
}

/// The kernels at each register, and the choice of one.
macro_rules! dispatched {
    ($($(#[$doc:meta])* fn $name:ident / $with:ident($($x:ident: $X:ty),*);)*) => {$(
        $(#[$doc])*
        #[inline]
        pub(crate) fn $name($($x: $X),*) {
            #[cfg(target_arch = "x86_64")]
            {
                use core::arch::x86_64::{__m128d, __m256d, __m512d};
                #[target_feature(enable = "avx512f")]
                unsafe fn avx512($($x: $X),*) {
                    // SAFETY: the processor has the register.
                    unsafe { $with::<__m512d>($($x),*) }
                }
                #[target_feature(enable = "avx2")]
                unsafe fn avx2($($x: $X),*) {
                    // SAFETY: the processor has the register.
                    unsafe { $with::<__m256d>($($x),*) }
                }
                // SAFETY: the processor has been tested; each x86-64 processor has SSE2.
                return unsafe {
                    match registers() {
                        8 => avx512($($x),*),
                        4 => avx2($($x),*),
                        #[cfg(test)]
                        1 => $with::<f64>($($x),*),
                        _ => $with::<__m128d>($($x),*),
                    }
                };
            }
            #[cfg(not(target_arch = "x86_64"))]
            // SAFETY: numbers need no register.
            unsafe {
                $with::<f64>($($x),*)
            }
        }
    )*};
}

dispatched! {
    /// `z[form] += Σ h·column` of each segment.
    fn add_forms / add_forms_with(z: &mut [Line], h: &[f64], columns: &[Line], segments: &[Segment]);
    /// `sums[h] += z·column` of a segment.
    fn add_products / add_products_with(sums: &mut [Line], z: &Line, columns: &[Line]);
    /// `sums[to] += numbers[from]` of each pair.
    fn add_lines / add_lines_with(sums: &mut [Line], numbers: &[Line], pairs: &[(u32, u32)]);
    /// Adds the lower triangle of `Σ l·rᵀ` over pairs of vectors of `n` lines, row after row in squares of `n`.
    fn add_squares / add_squares_with(sums: &mut [Line], left: &[Line], right: &[Line], n: usize);
    /// Overwrites arguments by the values of a function, of two numbers also of `y`; NaN outside its range.
    fn apply / apply_with(function: LaneFunction, x: &mut Line, y: &Line);
}

#[cfg_attr(not(debug_assertions), inline(always))]
unsafe fn apply_with<V: Vector>(function: LaneFunction, x: &mut Line, y: &Line) {
    function.values(x, y);
}

#[cfg_attr(not(debug_assertions), inline(always))]
unsafe fn add_forms_with<V: Vector>(z: &mut [Line], h: &[f64], columns: &[Line], segments: &[Segment]) {
    for s in segments {
        let to = z[s.form as usize].as_mut_ptr();
        let h = &h[s.h as usize..(s.h + s.len) as usize];
        let columns = &columns[s.column as usize..(s.column + s.len) as usize];
        // Two sums of each register, which a processor adds in parallel.
        let ((h2, h1), (c2, c1)) = (h.as_chunks::<2>(), columns.as_chunks::<2>());
        // Four registers at a time.
        let width = if V::LEN * 4 <= LANES { 4 } else { 2 };
        for v in (0..LANES).step_by(width * V::LEN) {
            // SAFETY: lines have LANES numbers, and the processor has the register.
            unsafe {
                let mut a = [V::splat(0.0); 4];
                let mut b = a;
                for l in 0..width {
                    a[l] = V::load(to.add(v + l * V::LEN));
                }
                for (h, c) in h2.iter().zip(c2) {
                    let [x, y] = [V::splat(h[0]), V::splat(h[1])];
                    for l in 0..width {
                        let at = v + l * V::LEN;
                        a[l] = a[l].add(x.mul(V::load(c[0].as_ptr().add(at))));
                        b[l] = b[l].add(y.mul(V::load(c[1].as_ptr().add(at))));
                    }
                }
                for (h, c) in h1.iter().zip(c1) {
                    for l in 0..width {
                        a[l] = a[l].add(V::splat(*h).mul(V::load(c.as_ptr().add(v + l * V::LEN))));
                    }
                }
                for l in 0..width {
                    a[l].add(b[l]).store(to.add(v + l * V::LEN));
                }
            }
        }
    }
}

#[cfg_attr(not(debug_assertions), inline(always))]
unsafe fn add_products_with<V: Vector>(sums: &mut [Line], z: &Line, columns: &[Line]) {
    for (sum, column) in sums.iter_mut().zip(columns) {
        for v in (0..LANES).step_by(V::LEN) {
            // SAFETY: lines have LANES numbers, and the processor has the register.
            unsafe {
                let product = V::load(z.as_ptr().add(v)).mul(V::load(column.as_ptr().add(v)));
                let to = sum.as_mut_ptr().add(v);
                V::load(to).add(product).store(to);
            }
        }
    }
}

#[cfg_attr(not(debug_assertions), inline(always))]
unsafe fn add_lines_with<V: Vector>(sums: &mut [Line], numbers: &[Line], pairs: &[(u32, u32)]) {
    for &(to, from) in pairs {
        let (to, from) = (sums[to as usize].as_mut_ptr(), numbers[from as usize].as_ptr());
        for v in (0..LANES).step_by(V::LEN) {
            // SAFETY: lines have LANES numbers, and the processor has the register.
            unsafe { V::load(to.add(v)).add(V::load(from.add(v))).store(to.add(v)) };
        }
    }
}

/// Most rows and columns of the triangle that are summed together, in registers.
const TILE: usize = 4;

#[cfg_attr(not(debug_assertions), inline(always))]
unsafe fn add_squares_with<V: Vector>(sums: &mut [Line], left: &[Line], right: &[Line], n: usize) {
    assert!(sums.len() >= n * n, "lines for {n} numbers");
    // The sums, the columns and a row have to fit into 32 registers under AVX-512, into 16 elsewhere.
    let tile = if V::LEN == 8 { 4 } else { 3 };
    for (i0, j0) in (0..n).step_by(tile).flat_map(|i| (0..=i).step_by(tile).map(move |j| (i, j))) {
        for v in (0..LANES).step_by(V::LEN) {
            // SAFETY: lines have LANES numbers, indices are below n, and the processor has the register.
            unsafe {
                let mut some = [[V::splat(0.0); TILE]; TILE];
                for (l, r) in left.chunks_exact(n).zip(right.chunks_exact(n)) {
                    let at =
                        |x: &[Line], i: usize| V::load(x.as_ptr().add(i.min(n - 1)).cast::<f64>().add(v));
                    let mut right = [V::splat(0.0); TILE];
                    for j in 0..tile {
                        right[j] = at(r, j0 + j);
                    }
                    for i in 0..tile {
                        let left = at(l, i0 + i);
                        for j in 0..tile {
                            some[i][j] = some[i][j].add(left.mul(right[j]));
                        }
                    }
                }
                for i in 0..tile.min(n - i0) {
                    for j in 0..tile.min(i0 + i + 1 - j0) {
                        let to = sums[(i0 + i) * n + j0 + j].as_mut_ptr().add(v);
                        V::load(to).add(some[i][j]).store(to);
                    }
                }
            }
        }
    }
}

/// `to = p[from]`, lane by lane.
#[inline]
pub(crate) fn gather(to: &mut [Line], p: &[f64], from: &[[u32; LANES]]) {
    for (to, from) in to.iter_mut().zip(from) {
        for lane in 0..LANES {
            to[lane] = p[from[lane] as usize];
        }
    }
}

#[cfg(all(test, target_arch = "x86_64"))]
mod tests {
    use super::super::super::exec::forced;
    use super::*;

    fn lines(count: usize, seed: usize) -> Vec<Line> {
        let number = |i: usize| ((i * 7 + seed) as f64 * 0.37).sin();
        (0..count).map(|c| std::array::from_fn(|lane| number(LANES * c + lane))).collect()
    }

    /// All kernels in order.
    fn all() -> Vec<Line> {
        // Seven is a multiple of no tile.
        let (columns, numbers, n) = (lines(14, 1), lines(13, 2), 7);
        let h: Vec<f64> = lines(1, 3)[0].to_vec();
        let segments = [(0, 0, 2, 7), (1, 3, 1, 4), (0, 5, 0, 1)];
        let segments = segments.map(|(form, h, column, len)| Segment { form, h, column, len });
        let (mut forms, mut sums, mut squares) = (lines(2, 4), lines(13, 5), lines(n * n, 6));
        add_forms(&mut forms, &h, &columns, &segments);
        add_products(&mut sums, &numbers[0], &columns);
        add_lines(&mut sums, &numbers, &[(0, 5), (3, 3), (0, 1)]);
        add_squares(&mut squares, &columns[..n], &numbers[..n], n);
        use LaneFunction::*;
        let one = [Exp, Ln, Ln1p, Tanh, Sin, Cos, Softplus, Sigmoid, Sech2];
        let two = [Hypot, UnitX, UnitY, HypotXx, HypotXy, HypotYy, AngleY, AngleX, AngleYy, AngleYx, AngleXx];
        let powers = [PowX, PowY, PowXx, PowXy, PowYy];
        for function in one.into_iter().chain(two).chain(powers) {
            let mut x = numbers[0].map(|x| x.abs() + 0.01);
            apply(function, &mut x, &numbers[1]);
            assert!(x.iter().all(|x| x.is_finite()));
            forms.push(x);
        }
        [forms, sums, squares].concat()
    }

    #[test]
    fn kernels_give_the_same_bits_at_each_register() {
        let of_registers = forced::at_each(all);
        assert!(of_registers.len() >= 2);
        assert!(of_registers.windows(2).all(|two| two[0] == two[1]));
        // Against the sums written out.
        let (left, right, n) = (lines(14, 1), lines(14, 2), 7);
        let mut squares = vec![[0.0; LANES]; n * n];
        add_squares(&mut squares, &left, &right, n);
        for (i, j) in (0..n).flat_map(|i| (0..=i).map(move |j| (i, j))) {
            for lane in 0..LANES {
                let term = |k: usize| left[k * n + i][lane] * right[k * n + j][lane];
                assert!((squares[i * n + j][lane] - term(0) - term(1)).abs() < 1e-15);
            }
        }
    }
}
