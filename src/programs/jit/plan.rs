//! Splits a program into functions, and assigns memory to the values that they pass to each other.

use std::ops::Range;
use std::sync::Arc;

use crate::programs::exec::{Instr, Item};
use crate::programs::op::{Code, Op};

/// The number of operations in a function: the time to compile grows faster than a longer one.
const LENGTH: usize = 1000;

/// No slot.
pub(super) const NONE: u32 = u32::MAX;

/// The division of a program.
pub(super) struct Plan {
    pub(super) code: Arc<Code>,
    /// Operations and guards, in order.
    pub(super) items: Vec<Item>,
    /// The items of each function.
    pub(super) functions: Vec<Range<usize>>,
    /// The slot in memory of each value that a later function reads.
    pub(super) slot_of: Vec<u32>,
    pub(super) slots: usize,
    /// Whether results that are not finite end the run.
    pub(super) checked: bool,
    /// The results that are written where they are computed: their operations, in order, and their numbers.
    results: Vec<(u32, usize)>,
    /// The results that the last function writes after all guards.
    pub(super) late: Vec<usize>,
}

impl Plan {
    pub(super) fn new(code: Code, checked: bool) -> Self {
        let items = code.items();
        let mut functions: Vec<Range<usize>> =
            (0..items.len()).step_by(LENGTH).map(|at| at..items.len().min(at + LENGTH)).collect();
        if functions.is_empty() {
            functions.push(0..0);
        }
        let is_early = |&k: &usize| {
            let op = code.ops[code.outputs[k] as usize];
            code.guards.is_empty() && !matches!(op, Op::Input(_) | Op::Constant(_))
        };
        let (early, late): (Vec<usize>, Vec<usize>) = (0..code.outputs.len()).partition(is_early);
        let mut results: Vec<(u32, usize)> = early.into_iter().map(|k| (code.outputs[k], k)).collect();
        results.sort_unstable();
        let (slot_of, slots) = (vec![NONE; code.ops.len()], 0);
        let code = Arc::new(code);
        let mut plan = Plan { code, items, functions, slot_of, slots, checked, results, late };
        plan.place();
        plan
    }
    /// Assigns slots to values that one function passes to another.
    fn place(&mut self) {
        let code = self.code.clone();
        let mut last = vec![0; code.ops.len()];
        for (f, range) in self.functions.iter().enumerate() {
            let operands = self.items[range.clone()].iter().flat_map(|(instr, _)| instr.operands());
            operands.for_each(|x| last[x as usize] = f);
        }
        self.late.iter().for_each(|&k| last[code.outputs[k] as usize] = self.functions.len() - 1);
        let (mut free, mut ends) = (Vec::new(), vec![Vec::new(); self.functions.len()]);
        for (f, range) in self.functions.iter().enumerate() {
            for &(instr, v) in &self.items[range.clone()] {
                if matches!(instr, Instr::Op(_)) && last[v as usize] > f {
                    let slot = free.pop().unwrap_or_else(|| {
                        self.slots += 1;
                        self.slots as u32 - 1
                    });
                    self.slot_of[v as usize] = slot;
                    ends[last[v as usize]].push(slot);
                }
            }
            free.append(&mut ends[f]);
        }
    }
    /// Whether all memory of the functions is within the range of an offset in an instruction, 2³¹ bytes from the
    /// beginning, if a number has `bytes` bytes.
    pub(super) fn is_in_range(&self, bytes: usize) -> bool {
        let most = self.sizes().into_iter().max().unwrap_or(0);
        most.checked_mul(bytes).is_some_and(|all| i32::try_from(all).is_ok())
    }
    /// The numbers of inputs, results and slots.
    pub(super) fn sizes(&self) -> [usize; 3] {
        [self.code.inputs as usize, self.code.outputs.len(), self.slots]
    }
    /// The results that an operation is.
    pub(super) fn results_of(&self, value: u32) -> impl Iterator<Item = usize> {
        let first = self.results.partition_point(|&(other, _)| other < value);
        self.results[first..].iter().take_while(move |&&(other, _)| other == value).map(|&(_, k)| k)
    }
}
