//! What a machine is made of.

use super::super::op::Question;
use super::super::rules::Rules;
use super::instrs::Instrs;

/// The slot that a loop reads in iteration `i`.
#[derive(Clone, Copy)]
pub(in super::super) enum Address {
    /// `base + i·step`.
    Line { base: u32, step: i32 },
    /// Entry `start + i` of the table.
    Table { start: u32 },
}

/// The first address in lanes of values of the iterations before.
pub(in super::super) const PASSED: u32 = 1 << 31;

/// A question about numbers in slots. In iteration `i` its answer, and its guard, has the number `first + i·step`.
#[derive(Clone, Copy)]
pub(in super::super) struct Site {
    pub(in super::super) question: Question,
    pub(in super::super) first: u32,
    pub(in super::super) step: u32,
}

/// A part of a machine that is run as a whole.
#[derive(Clone)]
pub(in super::super) enum Step {
    /// Instructions of a range.
    Straight(u32, u32),
    /// The loop of this number.
    Loop(u32),
    /// The call of this number: the slots of its results.
    Call { call: u32, results: Vec<u32> },
}

/// Iterations of the same instructions.
#[derive(Clone)]
pub(in super::super) struct Loop {
    /// The instructions of an iteration.
    pub(in super::super) from: u32,
    pub(in super::super) to: u32,
    pub(in super::super) count: u32,
    /// Copies at the end of an iteration, for the next one.
    pub(in super::super) carries: Vec<(u32, u32)>,
    /// Values that are kept: from a slot to slot `base + i`.
    pub(in super::super) stores: Vec<(u32, u32)>,
    /// Iterations at once, where only sums pass from one to the next.
    pub(in super::super) lanes: Option<LaneBody>,
}

impl Loop {
    /// The instructions of an iteration.
    #[cfg(feature = "jit")]
    pub(in super::super) fn body(&self) -> std::ops::Range<usize> {
        self.from as usize..self.to as usize
    }
}

/// The body of a loop for several iterations at once. Its numbers are in memory of its own: first the slots of the body
/// itself, from `first` on, then copies of numbers from outside.
#[derive(Clone, Default)]
pub(in super::super) struct LaneBody {
    pub(in super::super) first: u32,
    pub(in super::super) own: u32,
    pub(in super::super) instrs: Instrs,
    /// Numbers from outside: slot, and place in the memory of lanes.
    pub(in super::super) copies: Vec<(u32, u32)>,
    /// As in the loop, from places in the memory of lanes.
    pub(in super::super) stores: Vec<(u32, u32)>,
    /// Values that the next iteration reads, but nothing that it needs them for: place in the memory of lanes, and the slot
    /// outside with the value before the first iteration. Loads from address [`PASSED`]` + k` are of the `k`th.
    pub(in super::super) passed: Vec<(u32, u32)>,
    /// As in the loop, of sums alone.
    pub(in super::super) carries: Vec<(u32, u32)>,
    /// What passes from one iteration to the next, in order.
    pub(in super::super) sums: Vec<Sum>,
}

/// `slot(to) = slot(from) ± lane`.
#[derive(Clone, Copy)]
pub(in super::super) struct Sum {
    pub(in super::super) to: u32,
    pub(in super::super) from: u32,
    pub(in super::super) lane: u32,
    pub(in super::super) negative: bool,
}

/// All but the primitives: plain data, which threads share.
#[derive(Clone, Default)]
pub(in super::super) struct Parts {
    pub(in super::super) inputs: usize,
    /// Constants follow the inputs.
    pub(in super::super) constants: Vec<f64>,
    pub(in super::super) slots: usize,
    pub(in super::super) lane_slots: usize,
    pub(in super::super) instrs: Instrs,
    pub(in super::super) steps: Vec<Step>,
    pub(in super::super) loops: Vec<Loop>,
    pub(in super::super) addresses: Vec<Address>,
    pub(in super::super) table: Vec<u32>,
    pub(in super::super) sites: Vec<Site>,
    pub(in super::super) answers: Vec<i64>,
    pub(in super::super) outputs: Vec<u32>,
    pub(in super::super) rules: Rules,
}

impl Parts {
    /// The slot of an address in an iteration.
    #[inline(always)]
    pub(in super::super) fn slot(&self, address: u32, i: u32) -> u32 {
        match self.addresses[address as usize] {
            Address::Line { base, step } => base.wrapping_add_signed(step.wrapping_mul(i as i32)),
            Address::Table { start } => self.table[(start + i) as usize],
        }
    }
}
