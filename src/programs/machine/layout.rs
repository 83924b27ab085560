//! From a program to a machine: each value gets a slot, and slots are used again.

use super::super::calls::Call;
use super::super::code::Code;
use super::super::op::Op;
use super::Loops;
use super::body::Body;
use super::instrs::Instr;
use super::items::{Item, Items, Style};
use super::pad::padded;
use super::parts::{Address, Loop, Parts, Site, Step};
use super::plan::{Plan, plan, within};
use super::repeats::{Repeat, repeats};

/// A loop of fewer iterations is not one in machine code.
const LEAST_COMPILED: usize = 16;

/// No slot.
const NONE: u32 = u32::MAX;

/// A machine in the making.
pub(super) struct Layout<'a> {
    pub(super) items: Items<'a>,
    pub(super) parts: Parts,
    /// The slot of each value.
    slot_of: Vec<u32>,
    free: Vec<u32>,
    /// The calls, with operands that become slots.
    calls: &'a mut [Call],
}

/// The machine of a program, with slots in place of its calls' operands.
pub(super) fn layout(code: &Code, calls: &mut [Call], loops: Loops, style: Style) -> Parts {
    let (items, lanes) = (Items::new(code, calls, style), loops == Loops::InLanes);
    if loops == Loops::Unrolled {
        return laid_out(items, Vec::new(), calls, lanes);
    }
    let kinds = items.kinds();
    let found = repeats(&kinds);
    let saved: usize = found.iter().map(Repeat::saved).sum();
    if 20 * saved < 19 * kinds.len()
        && let Some((code, list)) = padded(&items, &kinds)
    {
        let items = Items::of(&code, list, calls, style);
        let found = repeats(&items.kinds());
        return laid_out(items, found, calls, lanes);
    }
    laid_out(items, found, calls, lanes)
}

fn laid_out(mut items: Items<'_>, found: Vec<Repeat>, calls: &mut [Call], lanes: bool) -> Parts {
    let code = items.code;
    let least = if items.style == Style::Interpreted { 0 } else { LEAST_COMPILED };
    let plans = found.into_iter().filter_map(|r| plan(&items, r));
    let plans: Vec<Plan> = plans.filter(|plan| plan.repeat.count >= least).collect();
    let mut at = 0;
    for plan in &plans {
        items.group(at, plan.repeat.start);
        at = plan.repeat.end();
    }
    items.group(at, items.list.len());
    items.count(calls);
    let answers = code.guards.iter().map(|g| g.answer).collect();
    let parts =
        Parts { inputs: code.inputs as usize, answers, rules: code.rules.clone(), ..Parts::default() };
    let mut layout = Layout { items, parts, slot_of: vec![NONE; code.ops.len()], free: Vec::new(), calls };
    layout.fixed_slots(code);
    let mut at = 0;
    for plan in &plans {
        (at..plan.repeat.start).for_each(|place| layout.straight(place));
        layout.looped(plan, lanes);
        at = plan.repeat.end();
    }
    (at..layout.items.list.len()).for_each(|place| layout.straight(place));
    layout.parts.outputs = code.outputs.iter().map(|&y| layout.slot_of[y as usize]).collect();
    layout.parts
}

impl Layout<'_> {
    fn fixed_slots(&mut self, code: &Code) {
        for (v, &op) in code.ops.iter().enumerate() {
            match op {
                Op::Input(i) => self.slot_of[v] = i,
                Op::Constant(c) => {
                    self.slot_of[v] = code.inputs + self.parts.constants.len() as u32;
                    self.parts.constants.push(c);
                }
                _ => {}
            }
        }
        self.parts.slots = self.parts.inputs + self.parts.constants.len();
    }
    /// So many new slots; the first.
    pub(super) fn new_slots(&mut self, count: usize) -> u32 {
        self.parts.slots += count;
        u32::try_from(self.parts.slots).expect("fewer slots than values and loads") - count as u32
    }
    pub(super) fn slot(&self, value: u32) -> u32 {
        self.slot_of[value as usize]
    }
    /// A slot for a value in straight code.
    fn take_slot(&mut self, value: u32) -> u32 {
        let slot = self.free.pop().unwrap_or_else(|| self.new_slots(1));
        self.slot_of[value as usize] = slot;
        slot
    }
    /// The slot of a value that is not read again is free. (Those of inputs and constants hold for the next run.)
    fn release(&mut self, value: u32, time: usize) {
        let last = &mut self.items.last[value as usize];
        if *last as usize <= time && self.items.place[value as usize] != u32::MAX {
            *last = u32::MAX;
            self.free.push(self.slot_of[value as usize]);
        }
    }
    pub(super) fn push(&mut self, op: Op, to: u32) {
        if !matches!(self.parts.steps.last(), Some(Step::Straight(..))) {
            self.parts.instrs.cut();
        }
        self.parts.instrs.push(Instr { op, to });
        let end = self.parts.instrs.len() as u32;
        match self.parts.steps.last_mut() {
            Some(Step::Straight(_, to)) if *to == end - 1 => *to = end,
            _ => self.parts.steps.push(Step::Straight(end - 1, end)),
        }
    }
    fn straight(&mut self, place: usize) {
        let (item, time) = (self.items.list[place], place + 1);
        match item {
            Item::Guard(g) => {
                let guard = &self.items.code.guards[g as usize];
                let question = guard.question.map_operands(|x| self.slot(x));
                let site = Site { question, first: g, step: 0 };
                self.parts.sites.push(site);
                let site = self.parts.sites.len() as u32 - 1;
                self.push(Op::Part(site), 0);
                guard.question.operands().for_each(|x| self.release(x, time));
            }
            Item::Op(v) => match self.items.code.ops[v as usize] {
                Op::Call(k) => self.call(v, k, time),
                op => {
                    let moved = op.map_operands(|x| self.slot(x));
                    op.operands().for_each(|x| self.release(x, time));
                    let to = self.take_slot(v);
                    self.push(moved, to);
                    self.release(v, 0);
                }
            },
        }
    }
    fn call(&mut self, v: u32, call: u32, time: usize) {
        let operands = std::mem::take(&mut self.calls[call as usize].groups);
        let slots = operands.iter().map(|group| group.iter().map(|&x| self.slot(x)).collect()).collect();
        self.calls[call as usize].groups = slots;
        let parts = self.items.code.ops[v as usize + 1..].iter().take_while(|op| matches!(op, Op::Part(_)));
        let results: Vec<u32> = (v + 1..).take(parts.count()).collect();
        let to = results.iter().map(|&y| self.take_slot(y)).collect();
        self.parts.steps.push(Step::Call { call, results: to });
        operands.iter().flatten().for_each(|&x| self.release(x, time));
        results.iter().for_each(|&x| self.release(x, 0));
    }
    /// A loop: what its first iteration reads of the one before, its body, and where its values are afterwards.
    fn looped(&mut self, plan: &Plan, lanes: bool) {
        let body = Body::new(&self.items, plan, self.parts.slots as u32, lanes);
        self.new_slots(body.own as usize);
        for (j, initial) in plan.initial.iter().enumerate() {
            if let &Some(value) = initial {
                let from = self.slot(value);
                self.push(Op::Detach(from), body.carried[j]);
            }
        }
        let stores = self.stores(plan, &body);
        let first_address = self.parts.addresses.len() as u32;
        for list in &plan.lists {
            let slots = self.slots_of_list(plan, &body, list);
            let address = self.address(slots);
            self.parts.addresses.push(address);
        }
        self.parts.instrs.cut();
        let from = self.parts.instrs.len() as u32;
        let instrs = body.instrs(&self.items, plan, &self.slot_of, first_address, &mut self.parts.sites);
        instrs.into_iter().for_each(|instr| self.parts.instrs.push(instr));
        let mut lanes = body.in_lanes(&self.items, plan, &self.slot_of, first_address, &mut self.parts.sites);
        if let Some(lanes) = &mut lanes {
            lanes.stores = stores.iter().map(|&(slot, base)| (slot - body.first, base)).collect();
            self.parts.lane_slots = self.parts.lane_slots.max(lanes.own as usize + lanes.copies.len());
        }
        let (to, count) = (self.parts.instrs.len() as u32, plan.repeat.count as u32);
        self.parts.loops.push(Loop { from, to, count, carries: body.carries(), stores, lanes });
        self.parts.steps.push(Step::Loop(self.parts.loops.len() as u32 - 1));
        self.after_loop(plan, &body);
    }
    /// Room for the values of all iterations, where one is read later.
    fn stores(&mut self, plan: &Plan, body: &Body) -> Vec<(u32, u32)> {
        let (start, d, count) = (plan.repeat.start, plan.repeat.period, plan.repeat.count);
        let mut stores = Vec::new();
        for j in (0..d).filter(|&j| plan.stored[j]) {
            let base = self.new_slots(count);
            stores.push((body.slots[j], base));
            for i in 0..count {
                let v = self.items.value(start + i * d + j).expect("questions have no readers");
                self.slot_of[v as usize] = base + i as u32;
                self.items.last[v as usize] = u32::MAX; // (Its slot is not used again.)
            }
        }
        stores
    }
    fn slots_of_list(&self, plan: &Plan, body: &Body, list: &[u32]) -> Vec<u32> {
        let slot = |(i, &v): (usize, &u32)| match within(&self.items, &plan.repeat, v) {
            Some((of, j)) if of == i => body.slots[j as usize],
            _ => self.slot(v),
        };
        list.iter().enumerate().map(slot).collect()
    }
    fn address(&mut self, slots: Vec<u32>) -> Address {
        let step = slots[1].wrapping_sub(slots[0]) as i32;
        if slots.windows(2).all(|w| w[1].wrapping_sub(w[0]) as i32 == step) {
            return Address::Line { base: slots[0], step };
        }
        let start = self.parts.table.len() as u32;
        self.parts.table.extend(slots);
        Address::Table { start }
    }
    /// Slots that the loop does not need any more are free, and values that it leaves are where they are.
    fn after_loop(&mut self, plan: &Plan, body: &Body) {
        let (start, d, end) = (plan.repeat.start, plan.repeat.period, plan.repeat.end());
        let mut kept: Vec<u32> = Vec::new();
        for j in (0..d).filter(|&j| plan.kept[j] && !plan.stored[j]) {
            let v = self.items.value(end - d + j).expect("questions have no readers");
            self.slot_of[v as usize] = body.slots[j];
            kept.push(body.slots[j]);
        }
        kept.sort_unstable();
        let is_free = |slot: &u32| kept.binary_search(slot).is_err();
        self.free.extend((body.first..body.first + body.own).rev().filter(is_free));
        for place in start..end {
            for x in self.items.operands(self.items.list[place]) {
                if within(&self.items, &plan.repeat, x).is_none() {
                    self.release(x, end);
                }
            }
        }
    }
}
