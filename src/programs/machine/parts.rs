//! What a machine is made of.

use super::super::op::Question;
use super::super::rules::Rules;
use super::instrs::Instrs;

/// The slot that a loop reads in iteration `i`.
#[derive(Clone, Copy)]
pub(super) enum Address {
    /// `base + i·step`.
    Line { base: u32, step: i32 },
    /// Entry `start + i` of the table.
    Table { start: u32 },
}

/// The first address in lanes of values of the iterations before.
pub(super) const PASSED: u32 = 1 << 31;

/// A question about numbers in slots. In iteration `i` its answer, and its guard, has the number `first + i·step`.
#[derive(Clone, Copy)]
pub(super) struct Site {
    pub(super) question: Question,
    pub(super) first: u32,
    pub(super) step: u32,
}

/// A part of a machine that is run as a whole.
#[derive(Clone)]
pub(super) enum Step {
    /// Instructions of a range.
    Straight(u32, u32),
    /// The loop of this number.
    Loop(u32),
    /// The call of this number: the slots of its results.
    Call { call: u32, results: Vec<u32> },
}

/// Iterations of the same instructions.
#[derive(Clone)]
pub(super) struct Loop {
    /// The instructions of an iteration.
    pub(super) from: u32,
    pub(super) to: u32,
    pub(super) count: u32,
    /// Copies at the end of an iteration, for the next one.
    pub(super) carries: Vec<(u32, u32)>,
    /// Values that are kept: from a slot to slot `base + i`.
    pub(super) stores: Vec<(u32, u32)>,
    /// Iterations at once, where only sums pass from one to the next.
    pub(super) lanes: Option<LaneBody>,
}

/// The body of a loop for several iterations at once. Its numbers are in memory of its own: first the slots of the body
/// itself, from `first` on, then copies of numbers from outside.
#[derive(Clone, Default)]
pub(super) struct LaneBody {
    pub(super) first: u32,
    pub(super) own: u32,
    pub(super) instrs: Instrs,
    /// Numbers from outside: slot, and place in the memory of lanes.
    pub(super) copies: Vec<(u32, u32)>,
    /// As in the loop, from places in the memory of lanes.
    pub(super) stores: Vec<(u32, u32)>,
    /// Values that the next iteration reads, but nothing that it needs them for: place in the memory of lanes, and the slot
    /// outside with the value before the first iteration. Loads from address [`PASSED`]` + k` are of the `k`th.
    pub(super) passed: Vec<(u32, u32)>,
    /// As in the loop, of sums alone.
    pub(super) carries: Vec<(u32, u32)>,
    /// What passes from one iteration to the next, in order.
    pub(super) sums: Vec<Sum>,
}

/// `slot(to) = slot(from) ± lane`.
#[derive(Clone, Copy)]
pub(super) struct Sum {
    pub(super) to: u32,
    pub(super) from: u32,
    pub(super) lane: u32,
    pub(super) negative: bool,
}

/// All but the primitives: plain data, which threads share.
#[derive(Clone, Default)]
pub(super) struct Parts {
    pub(super) inputs: usize,
    /// Constants follow the inputs.
    pub(super) constants: Vec<f64>,
    pub(super) slots: usize,
    pub(super) lane_slots: usize,
    pub(super) instrs: Instrs,
    pub(super) steps: Vec<Step>,
    pub(super) loops: Vec<Loop>,
    pub(super) addresses: Vec<Address>,
    pub(super) table: Vec<u32>,
    pub(super) sites: Vec<Site>,
    pub(super) answers: Vec<i64>,
    pub(super) outputs: Vec<u32>,
    pub(super) rules: Rules,
}

impl Parts {
    /// The slot of an address in an iteration.
    #[inline(always)]
    pub(super) fn slot(&self, address: u32, i: u32) -> u32 {
        match self.addresses[address as usize] {
            Address::Line { base, step } => base.wrapping_add_signed(step.wrapping_mul(i as i32)),
            Address::Table { start } => self.table[(start + i) as usize],
        }
    }
}
