//! How a machine becomes functions, and what these pass to each other in memory.

use std::ops::Range;
use std::sync::Arc;

use crate::programs::machine::instrs::Instr;
use crate::programs::machine::parts::{Address, Loop, Parts, Step};
use crate::programs::op::Op;

/// The number of instructions in a function: the time to compile grows faster than a longer one.
const CHUNK: usize = 1000;
/// So many results or more that stand in a row in memory are copied from there.
const ROW: usize = 8;

/// What one function runs.
#[derive(Clone)]
pub(super) enum Piece {
    /// Instructions.
    Straight(Range<usize>),
    /// A loop, by its number.
    Loop(usize),
}

/// Where numbers are.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Home {
    Inputs,
    Constants,
    Slots,
}

/// Results in a row of slots.
#[derive(Clone, Copy)]
pub(super) struct Row {
    /// The first result.
    pub(super) k: usize,
    /// Its slot.
    pub(super) slot: usize,
    pub(super) count: usize,
}

/// The division of a machine.
pub(super) struct Plan {
    pub(super) parts: Arc<Parts>,
    pub(super) pieces: Vec<Piece>,
    /// Whether the result of each instruction is in memory too.
    pub(super) stored: Vec<bool>,
    /// For each loop the slots of its last iteration that are read later.
    pub(super) kept: Vec<Vec<u32>>,
    /// Whether iterations of a loop run in pairs.
    pub(super) paired: Vec<bool>,
    /// For each loop the slots of an iteration that addresses lead to.
    pub(super) addressed: Vec<Vec<u32>>,
    /// Where the numbers of each address are.
    pub(super) homes: Vec<Home>,
    /// Whether slots hold inputs and constants too.
    pub(super) copied: bool,
    /// The number of slots in memory.
    pub(super) slot_count: usize,
    /// Whether results that are not finite end the run.
    pub(super) checked: bool,
    /// Instructions with the results that they are, by instruction.
    results: Vec<(usize, usize)>,
    /// The results that the last function writes, and their slots.
    pub(super) late: Vec<(usize, u32)>,
    /// Results that are copied afterwards.
    pub(super) rows: Vec<Row>,
}

impl Plan {
    pub(super) fn new(mut parts: Parts, checked: bool) -> Self {
        second_tables(&mut parts);
        let pieces = pieces(&parts);
        let mut plan = Plan {
            stored: vec![false; parts.instrs.len()],
            kept: vec![Vec::new(); parts.loops.len()],
            copied: false,
            slot_count: 0,
            checked,
            results: Vec::new(),
            late: Vec::new(),
            rows: Vec::new(),
            homes: homes(&parts),
            addressed: vec![Vec::new(); parts.loops.len()],
            paired: vec![false; parts.loops.len()],
            pieces,
            parts: Arc::new(parts),
        };
        plan.place_results();
        plan.store();
        plan.slot_count = plan.memory();
        plan
    }
    /// The instructions that are compiled, those of a loop once.
    pub(super) fn instructions(&self) -> usize {
        self.parts.instrs.len()
    }
    /// Whether all that functions read and write is within the range of an offset in an instruction, 2³¹ bytes from the
    /// beginning, if a number has so many bytes.
    pub(super) fn is_in_range(&self, bytes: usize) -> bool {
        let parts = &self.parts;
        let numbers = parts.inputs + parts.constants.len();
        let sizes = [numbers, parts.outputs.len(), parts.slots, self.slot_count];
        let most = sizes.into_iter().chain([parts.answers.len()]).max().unwrap_or(0);
        most.checked_mul(bytes).is_some_and(|all| i32::try_from(all).is_ok())
    }
    /// The results that an instruction is.
    pub(super) fn results_of(&self, instr: usize) -> impl Iterator<Item = usize> {
        let first = self.results.partition_point(|&(other, _)| other < instr);
        self.results[first..].iter().take_while(move |&&(other, _)| other == instr).map(|&(_, k)| k)
    }
    /// The first slot of memory with numbers for pairs of iterations. Slots before it are those of the machine, and again
    /// for what addresses find of the second iteration.
    pub(super) fn first_copy(&self) -> usize {
        let second = self.addressed.iter().any(|slots| !slots.is_empty());
        self.parts.slots * if second { 2 } else { 1 }
    }
    /// Results are written where they are computed; with guards the last function does, behind the last of them.
    fn place_results(&mut self) {
        let parts = &self.parts;
        let mut writers = vec![None; parts.slots];
        for piece in self.pieces.iter().filter(|_| parts.answers.is_empty()) {
            match piece {
                Piece::Straight(range) => {
                    for p in range.clone() {
                        writers[parts.instrs.at(p).to as usize] = Some(p);
                    }
                }
                Piece::Loop(k) => written(parts, &parts.loops[*k]).for_each(|slot| writers[slot] = None),
            }
        }
        let first = parts.inputs + parts.constants.len();
        let mut k = 0;
        while let Some(&slot) = parts.outputs.get(k) {
            if let Some(p) = writers[slot as usize] {
                self.results.push((p, k));
                k += 1;
                continue;
            }
            let next = |i: &usize| {
                writers[*i].is_none() && parts.outputs.get(k + i - slot as usize) == Some(&(*i as u32))
            };
            let count = (slot as usize..parts.slots).take_while(next).count();
            if count >= ROW && slot as usize >= first {
                self.rows.push(Row { k, slot: slot as usize, count });
            } else {
                self.late.extend((k..k + count).zip(slot..));
            }
            k += count;
        }
        self.results.sort_unstable();
    }
    /// Decides what later functions read.
    fn store(&mut self) {
        let mut live = vec![false; self.parts.slots];
        self.rows.iter().for_each(|row| live[row.slot..][..row.count].fill(true));
        let mut defined = vec![usize::MAX; self.parts.slots];
        for number in (0..self.pieces.len()).rev() {
            match self.pieces[number].clone() {
                Piece::Straight(range) => self.store_straight(number, range, &mut live, &mut defined),
                Piece::Loop(k) => self.store_loop(k, &mut live),
            }
        }
    }
    fn store_straight(
        &mut self,
        number: usize,
        range: Range<usize>,
        live: &mut [bool],
        defined: &mut [usize],
    ) {
        let parts = self.parts.clone();
        for (p, Instr { op, to }) in range.clone().zip(parts.instrs.list(range.clone())).rev() {
            self.stored[p] = !matches!(op, Op::Part(_)) && std::mem::take(&mut live[to as usize]);
        }
        let mut read = |slot: u32, defined: &[usize]| live[slot as usize] |= defined[slot as usize] != number;
        for Instr { op, to } in parts.instrs.list(range) {
            operands(&parts, op).for_each(|x| read(x, defined));
            if !matches!(op, Op::Part(_)) {
                defined[to as usize] = number;
            }
        }
        if number + 1 == self.pieces.len() {
            self.late.iter().for_each(|&(_, slot)| read(slot, defined));
        }
    }
    fn store_loop(&mut self, k: usize, live: &mut [bool]) {
        let (parts, l) = (&self.parts, &self.parts.loops[k]);
        let range = l.body();
        let mut own: Vec<u32> = own(parts, l).collect();
        own.sort_unstable();
        own.dedup();
        self.kept[k] = own.iter().copied().filter(|&slot| std::mem::take(&mut live[slot as usize])).collect();
        let mut addressed = Vec::new();
        for instr in parts.instrs.list(range.clone()) {
            match instr.op {
                Op::Input(a) => addressed.extend(slots(parts, a, l)),
                op => operands(parts, op).for_each(|x| live[x as usize] = true),
            }
            if let Op::Input(a) = instr.op
                && self.homes[a as usize] == Home::Slots
            {
                let values = parts.inputs + parts.constants.len();
                self.copied |= slots(parts, a, l).any(|slot| (slot as usize) < values);
            }
        }
        l.stores.iter().chain(&l.carries).for_each(|&(from, _)| live[from as usize] = true);
        addressed.iter().for_each(|&slot| live[slot as usize] = true);
        // (A pair loads before it stores.)
        let stores = |slot: &u32| l.stores.iter().any(|&(_, base)| (base..base + l.count).contains(slot));
        let is_own = |slot: &u32| own.binary_search(slot).is_ok();
        let line = |p: usize| match parts.instrs.at(p).op {
            Op::Input(a) if matches!(parts.addresses[a as usize], Address::Line { .. }) => Some(a),
            _ => None,
        };
        let in_line =
            range.clone().filter_map(line).flat_map(|a| slots(parts, a, l)).any(|slot| is_own(&slot));
        self.paired[k] = l.lanes.is_some() && !in_line && !addressed.iter().any(stores);
        addressed.retain(is_own);
        addressed.sort_unstable();
        addressed.dedup();
        for p in range {
            let instr = parts.instrs.at(p);
            self.stored[p] = !matches!(instr.op, Op::Part(_)) && addressed.binary_search(&instr.to).is_ok();
        }
        self.addressed[k] = addressed;
    }
    /// The number of slots in memory; none if all is in registers.
    fn memory(&self) -> usize {
        if self.parts.loops.is_empty() && !self.stored.contains(&true) {
            return 0;
        }
        let copies = |l: &Loop| l.lanes.as_ref().map_or(0, |lanes| lanes.copies.len());
        self.first_copy() + 2 * self.parts.loops.iter().map(copies).max().unwrap_or(0)
    }
}

/// Straight pieces, none of them long, and loops. (The last one writes results, so it is straight.)
fn pieces(parts: &Parts) -> Vec<Piece> {
    let mut pieces = Vec::new();
    for step in &parts.steps {
        match *step {
            Step::Straight(from, to) => {
                let (from, to) = (from as usize, to as usize);
                pieces.extend((from..to).step_by(CHUNK).map(|at| Piece::Straight(at..to.min(at + CHUNK))));
            }
            Step::Loop(k) => pieces.push(Piece::Loop(k as usize)),
            Step::Call { .. } => unreachable!("not compiled"),
        }
    }
    if !matches!(pieces.last(), Some(Piece::Straight(_))) {
        pieces.push(Piece::Straight(0..0));
    }
    pieces
}

/// The slots that an operation reads, but for loads.
pub(super) fn operands(parts: &Parts, op: Op) -> impl Iterator<Item = u32> + use<> {
    let question = if let Op::Part(site) = op { Some(parts.sites[site as usize].question) } else { None };
    op.operands().chain(question.into_iter().flat_map(|q| q.operands()))
}

/// The slots of an address.
fn slots<'p>(parts: &'p Parts, address: u32, l: &Loop) -> impl Iterator<Item = u32> + use<'p> {
    (0..l.count).map(move |i| parts.slot(address, i))
}

/// The slots that a loop writes in each iteration.
fn own<'p>(parts: &'p Parts, l: &'p Loop) -> impl Iterator<Item = u32> + use<'p> {
    let instrs = parts.instrs.list(l.body());
    let results = instrs.filter(|instr| !matches!(instr.op, Op::Part(_))).map(|instr| instr.to);
    results.chain(l.carries.iter().map(|&(_, to)| to))
}

/// All slots that a loop writes.
fn written<'p>(parts: &'p Parts, l: &'p Loop) -> impl Iterator<Item = usize> + use<'p> {
    let stores = l.stores.iter().flat_map(|&(_, base)| base..base + l.count);
    own(parts, l).chain(stores).map(|slot| slot as usize)
}

/// Appends tables for pairs of iterations, whose second one has what it computes so many slots behind the first one.
fn second_tables(parts: &mut Parts) {
    let mut second = parts.table.clone();
    for l in &parts.loops {
        let mut own: Vec<u32> = own(parts, l).collect();
        own.sort_unstable();
        for instr in parts.instrs.list(l.body()) {
            let Op::Input(a) = instr.op else { continue };
            let Address::Table { start } = parts.addresses[a as usize] else { continue };
            for entry in second[start as usize..][..l.count as usize].iter_mut().skip(1).step_by(2) {
                *entry += if own.binary_search(entry).is_ok() { parts.slots as u32 } else { 0 };
            }
        }
    }
    parts.table.append(&mut second);
}

/// Where the numbers of each address are.
fn homes(parts: &Parts) -> Vec<Home> {
    let mut homes = vec![Home::Slots; parts.addresses.len()];
    let (first, end) = (parts.inputs as u32, (parts.inputs + parts.constants.len()) as u32);
    for l in &parts.loops {
        for instr in parts.instrs.list(l.body()) {
            let Op::Input(a) = instr.op else { continue };
            let all = |range: Range<u32>| slots(parts, a, l).all(|slot| range.contains(&slot));
            if all(0..first) {
                homes[a as usize] = Home::Inputs;
            } else if all(first..end) {
                homes[a as usize] = Home::Constants;
            }
        }
    }
    homes
}
