//! The body of a loop: slots for what one iteration computes, and the same in lanes.

use std::collections::HashMap;

use super::super::op::Op;
use super::instrs::Instr;
use super::items::{Item, Items, Style};
use super::order;
use super::parts::{LaneBody, PASSED, Site, Sum};
use super::plan::{Operand, Plan, within};
use super::recurrent::recurrent;

/// What a body does at one place.
#[derive(Clone, Copy)]
enum Node {
    /// Loads a list of the plan.
    Load(u32),
    /// The item at a place.
    Item(u32),
}

/// The slots of a body. The loop has them for itself.
pub(super) struct Body {
    pub(super) first: u32,
    /// The number of its slots.
    pub(super) own: u32,
    /// The slot of the value at each place.
    pub(super) slots: Vec<u32>,
    /// The slot in which the next iteration reads the value at a place.
    pub(super) carried: Vec<u32>,
    loads: Vec<u32>,
    nodes: Vec<Node>,
    /// What depends on iterations before, if the rest may run in lanes.
    serial: Option<Vec<bool>>,
}

/// Where nothing is carried.
const NONE: u32 = u32::MAX;

impl Body {
    pub(super) fn new(items: &Items<'_>, plan: &Plan, first: u32, lanes: bool) -> Self {
        let d = plan.repeat.period;
        let serial = lanes.then(|| serial(items, plan)).flatten();
        let nodes = nodes(items, plan, serial.as_deref());
        let last = lives(items, plan, &nodes, serial.as_deref());
        let late = late(plan, &nodes);
        let (slots, carried, loads) = (vec![0; d], vec![NONE; d], vec![0; plan.lists.len()]);
        let mut body = Body { first, own: 0, slots, carried, loads, nodes, serial };
        // What passes to the next iteration has its slot from the beginning.
        for j in (0..d).filter(|&j| plan.initial[j].is_some()) {
            body.slots[j] = body.new_slot();
            body.carried[j] = if late[j] { body.new_slot() } else { body.slots[j] };
        }
        body.assign(plan, &last);
        body
    }
    fn new_slot(&mut self) -> u32 {
        self.own += 1;
        self.first + self.own - 1
    }
    fn assign(&mut self, plan: &Plan, last: &[usize]) {
        let d = plan.repeat.period;
        let mut ends: Vec<Vec<u32>> = vec![Vec::new(); self.nodes.len() + 1];
        let mut free: Vec<u32> = Vec::new();
        for at in 0..self.nodes.len() {
            free.append(&mut ends[at]);
            let (id, done) = match self.nodes[at] {
                Node::Load(list) => (d + list as usize, false),
                Node::Item(j) => (j as usize, plan.initial[j as usize].is_some()),
            };
            if done {
                continue;
            }
            let slot = free.pop().unwrap_or_else(|| self.new_slot());
            *if id < d { &mut self.slots[id] } else { &mut self.loads[id - d] } = slot;
            if last[id] != usize::MAX {
                ends[last[id].max(at + 1)].push(slot);
            }
        }
    }
    /// Copies at the end of an iteration for the next one.
    pub(super) fn carries(&self) -> Vec<(u32, u32)> {
        let pairs = self.slots.iter().zip(&self.carried);
        pairs.filter(|(slot, carried)| **carried != NONE && slot != carried).map(|(&s, &c)| (s, c)).collect()
    }
    fn slot(&self, operand: Operand, outer: &mut impl FnMut(u32) -> u32) -> u32 {
        match operand {
            Operand::Same(j) => self.slots[j as usize],
            Operand::Previous(j) => self.carried[j as usize],
            Operand::Outer(v) => outer(v),
            Operand::Varying(list) => self.loads[list as usize],
        }
    }
    /// The instruction of a node.
    fn instr(
        &self,
        items: &Items<'_>,
        plan: &Plan,
        node: Node,
        addresses: u32,
        sites: &mut Vec<Site>,
        outer: &mut impl FnMut(u32) -> u32,
    ) -> Instr {
        let j = match node {
            Node::Load(list) => {
                return Instr { op: Op::Input(addresses + list), to: self.loads[list as usize] };
            }
            Node::Item(j) => j as usize,
        };
        let mut operands = plan.operands[j].iter();
        let mut next = |_| self.slot(*operands.next().expect("as many"), outer);
        match items.list[plan.repeat.start + j] {
            Item::Op(v) => Instr { op: items.code.ops[v as usize].map_operands(next), to: self.slots[j] },
            Item::Guard(first) => {
                let guard = &items.code.guards[first as usize];
                let question = guard.question.map_operands(&mut next);
                let asks = |item: &&Item| matches!(item, Item::Guard(_));
                let body = &items.list[plan.repeat.start..plan.repeat.start + plan.repeat.period];
                let step = body.iter().filter(asks).count() as u32;
                sites.push(Site { question, first, step });
                Instr { op: Op::Part(sites.len() as u32 - 1), to: 0 }
            }
        }
    }
    /// The instructions of an iteration, where values from outside have these slots.
    pub(super) fn instrs(
        &self,
        items: &Items<'_>,
        plan: &Plan,
        slot_of: &[u32],
        addresses: u32,
        sites: &mut Vec<Site>,
    ) -> Vec<Instr> {
        let mut outer = |v: u32| slot_of[v as usize];
        self.nodes.iter().map(|&node| self.instr(items, plan, node, addresses, sites, &mut outer)).collect()
    }
    /// The same for several iterations at once, if nothing but sums passes from one to the next.
    pub(super) fn in_lanes(
        &self,
        items: &Items<'_>,
        plan: &Plan,
        slot_of: &[u32],
        addresses: u32,
        sites: &mut Vec<Site>,
    ) -> Option<LaneBody> {
        let serial = self.serial.as_ref()?;
        let mut lanes = LaneBody { first: self.first, own: self.own, ..LaneBody::default() };
        let (mut copied, mut copies) = (HashMap::new(), Vec::new());
        let mut outer = |v: u32| {
            let slot = slot_of[v as usize];
            // (In the numbering of the loop's slots, from which `first` is subtracted.)
            self.first
                + *copied.entry(slot).or_insert_with(|| {
                    copies.push((slot, self.own + copies.len() as u32));
                    copies[copies.len() - 1].1
                })
        };
        let moved = |slot: u32| slot - self.first;
        for &node in &self.nodes {
            if let Node::Item(j) = node
                && serial[j as usize]
            {
                let (from, other, negative) = sum_of(items, plan, serial, j as usize)?;
                let from = self.slot(from, &mut outer);
                let lane = moved(self.slot(other, &mut outer));
                lanes.sums.push(Sum { to: self.slots[j as usize], from, lane, negative });
                continue;
            }
            let Instr { op, to } = self.instr(items, plan, node, addresses, sites, &mut outer);
            if let Op::Part(site) = op {
                let question = &mut sites[site as usize].question;
                *question = question.map_operands(moved);
                lanes.instrs.push(Instr { op, to });
            } else {
                lanes.instrs.push(Instr { op: op.map_operands(moved), to: moved(to) });
            }
            if let Node::Item(j) = node
                && self.carried[j as usize] != NONE
            {
                lanes.passed.push((moved(to), self.carried[j as usize]));
                let op = Op::Input(PASSED + lanes.passed.len() as u32 - 1);
                lanes.instrs.push(Instr { op, to: moved(self.carried[j as usize]) });
            }
        }
        lanes.carries = self.carries();
        lanes.carries.retain(|carry| lanes.passed.iter().all(|passed| passed.1 != carry.1));
        lanes.copies = copies;
        Some(lanes)
    }
}

/// The body's items and loads of its lists, in an order in which each stands behind what it needs.
fn nodes(items: &Items<'_>, plan: &Plan, serial: Option<&[bool]>) -> Vec<Node> {
    let nodes = in_order(plan);
    let d = plan.repeat.period;
    let id = |node: &Node| match *node {
        Node::Load(list) => d + list as usize,
        Node::Item(j) => j as usize,
    };
    let mut at = vec![0u32; d + plan.lists.len()];
    (0..).zip(&nodes).for_each(|(i, node)| at[id(node)] = i);
    let mut needs = vec![Vec::new(); nodes.len()];
    let mut asked = None;
    for (i, node) in nodes.iter().enumerate() {
        let j = match *node {
            Node::Load(list) => {
                let own = |(i, &v)| within(items, &plan.repeat, v).filter(|of: &(usize, u32)| of.0 == i);
                let mut own: Vec<u32> = plan.lists[list as usize]
                    .iter()
                    .enumerate()
                    .filter_map(own)
                    .map(|of| at[of.1 as usize])
                    .collect();
                own.sort_unstable();
                own.dedup();
                needs[i].append(&mut own);
                continue;
            }
            Node::Item(j) => j as usize,
        };
        if items.value(plan.repeat.start + j).is_none() {
            needs[i].extend(asked.replace(i as u32));
        }
        for operand in &plan.operands[j] {
            match *operand {
                Operand::Same(k) => needs[i].push(at[k as usize]),
                Operand::Varying(list) => needs[i].push(at[d + list as usize]),
                // In lanes the iteration before is the lane before; else it is read before it is overwritten, if it can be.
                Operand::Previous(k) if serial.is_some_and(|serial| !serial[k as usize]) => {
                    needs[i].push(at[k as usize])
                }
                Operand::Previous(k) if j < k as usize => needs[at[k as usize] as usize].push(i as u32),
                Operand::Previous(_) | Operand::Outer(_) => {}
            }
        }
    }
    if items.style != Style::Interpreted {
        return order::kept(&needs).into_iter().map(|i| nodes[i as usize]).collect();
    }
    let kind = |node: &Node| match *node {
        Node::Load(_) => order::LOAD,
        Node::Item(j) => order::kind(items, plan.repeat.start + j as usize),
    };
    let kinds: Vec<_> = nodes.iter().map(kind).collect();
    order::grouped(&kinds, &needs).into_iter().map(|i| nodes[i as usize]).collect()
}

/// Whether the next iteration still reads the value at a place when it has computed its own.
fn late(plan: &Plan, nodes: &[Node]) -> Vec<bool> {
    let mut late = vec![false; plan.repeat.period];
    let mut done = vec![false; plan.repeat.period];
    for node in nodes {
        let Node::Item(j) = *node else { continue };
        for operand in &plan.operands[j as usize] {
            if let Operand::Previous(k) = *operand {
                late[k as usize] |= done[k as usize];
            }
        }
        done[j as usize] = true;
    }
    late
}

/// The body's items, each list loaded before it is read first.
fn in_order(plan: &Plan) -> Vec<Node> {
    let mut loaded = vec![false; plan.lists.len()];
    let mut nodes = Vec::new();
    for (j, operands) in plan.operands.iter().enumerate() {
        for operand in operands {
            if let Operand::Varying(list) = *operand
                && !std::mem::replace(&mut loaded[list as usize], true)
            {
                nodes.push(Node::Load(list));
            }
        }
        nodes.push(Node::Item(j as u32));
    }
    nodes
}

/// The node that reads a value of the same iteration, or a list, last.
fn last_reads(items: &Items<'_>, plan: &Plan, nodes: &[Node]) -> Vec<usize> {
    let d = plan.repeat.period;
    let mut last = vec![0; d + plan.lists.len()];
    for (at, node) in nodes.iter().enumerate() {
        match *node {
            Node::Load(list) => {
                for (i, &v) in plan.lists[list as usize].iter().enumerate() {
                    if let Some((_, j)) = within(items, &plan.repeat, v).filter(|of| of.0 == i) {
                        last[j as usize] = at;
                    }
                }
            }
            Node::Item(j) => {
                for operand in &plan.operands[j as usize] {
                    match *operand {
                        Operand::Same(j) => last[j as usize] = at,
                        Operand::Varying(list) => last[d + list as usize] = at,
                        _ => {}
                    }
                }
            }
        }
    }
    last
}

/// [`last_reads`], and no end for what is read after the iteration: in lanes, what is added to sums too.
fn lives(items: &Items<'_>, plan: &Plan, nodes: &[Node], serial: Option<&[bool]>) -> Vec<usize> {
    let d = plan.repeat.period;
    let mut last = last_reads(items, plan, nodes);
    for j in 0..d {
        if plan.stored[j] || plan.kept[j] || plan.initial[j].is_some() {
            last[j] = usize::MAX;
        }
        for operand in plan.operands[j].iter().filter(|_| serial.is_some_and(|serial| serial[j])) {
            match *operand {
                Operand::Same(k) => last[k as usize] = usize::MAX,
                Operand::Varying(list) => last[d + list as usize] = usize::MAX,
                _ => {}
            }
        }
    }
    last
}

/// What depends on itself in iterations before, if it is sums alone and less than half of the work.
fn serial(items: &Items<'_>, plan: &Plan) -> Option<Vec<bool>> {
    let serial = recurrent(items, plan);
    let sums = |j: usize| !serial[j] || !plan.stored[j] && sum_of(items, plan, &serial, j).is_some();
    let waiting = serial.iter().filter(|&&s| s).count();
    let pays = 2 * waiting <= serial.len() && plan.repeat.count >= 16;
    (pays && (0..serial.len()).all(sums)).then_some(serial)
}

/// The sum at a place: what it adds to, what it adds, and whether that is subtracted.
fn sum_of(items: &Items<'_>, plan: &Plan, serial: &[bool], j: usize) -> Option<(Operand, Operand, bool)> {
    let waits = |operand: Operand| match operand {
        Operand::Same(k) | Operand::Previous(k) => serial[k as usize],
        _ => false,
    };
    let v = items.value(plan.repeat.start + j)?;
    let (x, y, negative) = match (items.code.ops[v as usize], &plan.operands[j][..]) {
        (Op::Add(..), &[x, y]) if waits(x) => (x, y, false),
        (Op::Add(..), &[x, y]) => (y, x, false),
        (Op::Sub(..), &[x, y]) => (x, y, true),
        _ => return None,
    };
    let free = |operand| match operand {
        Operand::Varying(list) => {
            // (What another iteration has computed may be of one that runs at the same time.)
            let is_free = |(i, &v): (usize, &u32)| {
                within(items, &plan.repeat, v).is_none_or(|(of, k)| of == i && !serial[k as usize])
            };
            plan.lists[list as usize].iter().enumerate().all(is_free)
        }
        other => !waits(other),
    };
    (waits(x) && free(y)).then_some((x, y, negative))
}
