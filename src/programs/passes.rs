//! Passes that make programs smaller and reorder them.

use super::builder::BuildOptions;
use super::op::Op;
use super::program::Program;
use super::rewrite::Rewritten;

/// The passes that a program goes through. All except `fast_math` leave every result unchanged, bit for bit (up to the
/// payload of NaN).
///
/// ```
/// use wengert::programs::{Passes, Traced, trace_unoptimized};
/// let f = |x: &[Traced]| (x[0] * 1.0 + x[1]) - (x[0] * 1.0 + x[1]);
/// let program = trace_unoptimized(f, &[2.0, 3.0]);
/// assert_eq!(program.operations(), 5);
/// assert_eq!(program.optimized(Passes::EXACT).operations(), 2); // inf − inf is not 0
/// assert_eq!(program.optimized(Passes::FAST).operations(), 0);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Passes {
    /// Equal operations occur once.
    pub cse: bool,
    /// Operations of constants are folded, and neutral operations: `x·1`, `x/1`, `x + (−0)`, `x − 0`, `−(−x)`, and `x
    /// + 0` where `x` is never −0 (a square, an exponential, sums of them); `x + (−y)` is `x − y`, `x·(−1)` is `−x`,
    /// and `(−x)·y` is `−(x·y)`. A derivative of `ln` of such an `x` needs no extra operation for NaN, because `x` is NaN
    /// where `ln x` is.
    pub constant_folding: bool,
    /// Removes operations that no result and no guard needs.
    pub dead_code: bool,
    /// Moves operations close to their uses.
    pub reorder: bool,
    /// `x·0` and `x − x` are 0, `x + 0` is `x`, and the conventions at singular points are left to IEEE arithmetic: results
    /// may differ where a value is infinite or NaN, and in the sign of zeros. Implies `constant_folding`.
    pub fast_math: bool,
}

impl Passes {
    /// No pass.
    ///
    /// ```
    /// use wengert::programs::{Passes, trace_unoptimized};
    /// let program = trace_unoptimized(|x| x[0] * 1.0, &[2.0]);
    /// assert_eq!(program.optimized(Passes::NONE).operations(), 1);
    /// ```
    pub const NONE: Passes =
        Passes { cse: false, constant_folding: false, dead_code: false, reorder: false, fast_math: false };
    /// All passes that leave results unchanged.
    ///
    /// ```
    /// use wengert::programs::{Passes, trace_unoptimized};
    /// let program = trace_unoptimized(|x| x[0] * 1.0 + (x[1] - x[1]), &[2.0, 3.0]);
    /// assert_eq!(program.optimized(Passes::EXACT).operations(), 2); // x₁ − x₁ may be NaN
    /// ```
    pub const EXACT: Passes =
        Passes { cse: true, constant_folding: true, dead_code: true, reorder: true, fast_math: false };
    /// All passes, also `fast_math`.
    ///
    /// ```
    /// use wengert::programs::{Passes, trace_unoptimized};
    /// let program = trace_unoptimized(|x| x[0] * 1.0 + (x[1] - x[1]), &[2.0, 3.0]);
    /// let fast = program.optimized(Passes::FAST);
    /// assert_eq!(fast.operations(), 0);
    /// assert_eq!(fast.run(&[2.0, f64::INFINITY])?, [2.0]); // NaN without fast_math
    /// # Ok::<(), wengert::AdError>(())
    /// ```
    pub const FAST: Passes = Passes { fast_math: true, ..Passes::EXACT };

    fn options(self) -> BuildOptions {
        BuildOptions {
            cse: self.cse,
            constant_folding: self.constant_folding || self.fast_math,
            fast_math: self.fast_math,
            values_only: false,
        }
    }
}

impl Program {
    /// The program after these passes. [`Passes`] has examples.
    pub fn optimized(&self, passes: Passes) -> Program {
        let program = self.rebuilt(passes.options());
        let program = if passes.dead_code { program.without_dead() } else { program };
        if passes.reorder { program.ordered() } else { program }
    }
    /// The operations appended again with these options.
    pub(super) fn rebuilt(&self, options: BuildOptions) -> Program {
        let rewritten = Rewritten::of(self, 0, options);
        let outputs = rewritten.outputs(self);
        Program::of(rewritten.builder, outputs)
    }
    /// This order or the order of [`ordered`](Self::ordered), whichever needs fewer values at a time.
    pub(super) fn compact(self) -> Program {
        let ordered = self.ordered();
        if ordered.slots().1 < self.slots().1 { ordered } else { self }
    }
    /// For each operation the slot of memory that its value may have, and the number of slots. Operations of one slot
    /// never live at the same time. Results and operands of later guards keep their slots to the end.
    ///
    /// ```
    /// let chain = wengert::programs::trace(|x| x[0].sin().exp().cos().exp(), &[2.0]);
    /// let (slots, count) = chain.slots();
    /// assert_eq!((slots.len(), count), (5, 1));
    /// ```
    pub fn slots(&self) -> (Vec<u32>, usize) {
        let ops = &self.code.ops;
        let mut last: Vec<u32> = (0..ops.len() as u32).collect();
        for i in 0..ops.len() {
            self.each_operand(i, |x| last[x as usize] = last[x as usize].max(i as u32));
        }
        let guards = self.code.guards.iter();
        for (x, at) in guards.flat_map(|guard| guard.condition.operands().map(move |x| (x, guard.position))) {
            last[x as usize] = last[x as usize].max(at);
        }
        self.code.outputs.iter().for_each(|&y| last[y as usize] = u32::MAX);
        let (mut slots, mut free, mut count) = (vec![0; ops.len()], Vec::new(), 0);
        let mut ends: Vec<Vec<u32>> = vec![Vec::new(); ops.len() + 1];
        for i in 0..ops.len() {
            // A value whose last use is here may be overwritten by this operation, which has read it before.
            free.append(&mut ends[i]);
            slots[i] = free.pop().unwrap_or_else(|| {
                count += 1;
                count - 1
            });
            if let Some(end) = ends.get_mut((last[i] as usize).max(i + 1)) {
                end.push(slots[i]);
            }
        }
        (slots, count as usize)
    }
    /// The operations that an operation reads: a result of a call reads the call.
    pub(super) fn each_operand(&self, i: usize, mut each: impl FnMut(u32)) {
        match self.code.ops[i] {
            Op::Call(k) => self.calls[k as usize].groups.iter().flatten().for_each(|&x| each(x)),
            Op::CallResult(index) => each(i as u32 - index - 1),
            op => op.operands().for_each(each),
        }
    }
}
