//! The program of one term, cut by how often its values change: once per run of rows, once ever, at each row.

use std::collections::{BTreeMap, HashMap, HashSet};

use super::super::builder::{BuildOptions, Builder};
use super::super::op::{Guard, Op};
use super::super::program::Program;
use super::super::rewrite::{Rewritten, RuleNumbers};

/// The inputs that an operation depends on.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Class {
    Constant,
    /// Parameters that all rows of a run share.
    Shared,
    /// The row of data only.
    Data,
    /// Linear in shared values, with coefficients and an offset from the data.
    Affine,
    Row,
}

/// A linear form `z = Σ hᵢ·cⱼ + offset` of shared values `h` with columns `c` of the data.
#[derive(Clone, Default)]
pub(crate) struct RowForm {
    /// Shared value and column of each summand.
    pub(crate) entries: Vec<(u32, u32)>,
    /// The column of the offset.
    pub(crate) offset: Option<u32>,
}

/// A term in parts.
pub(crate) struct RowSplit {
    /// Shared parameters ↦ shared values.
    pub(crate) shared: Program,
    /// Columns of the table ↦ derived columns, which have the numbers after the columns of the table.
    pub(crate) derived: Program,
    pub(crate) forms: Vec<RowForm>,
    /// Columns of the table ↦ what the term does not compute of the coefficients of forms: products of several data.
    pub(crate) composed: Program,
    /// Shared values, forms, the row's own parameters, columns ↦ results.
    pub(crate) row: Program,
    /// The shared values that rows read directly.
    pub(crate) direct: Vec<u32>,
    /// The columns that rows read.
    pub(crate) columns: Vec<u32>,
}

impl RowSplit {
    /// The number of inputs of a row that depend on parameters.
    pub(crate) fn active(&self) -> usize {
        self.row.inputs() - self.columns.len()
    }
    /// The shared parameters that are the shared values, if all shared values are parameters and no branch depends on
    /// them.
    pub(crate) fn picked(&self) -> Option<Vec<u32>> {
        let code = &self.shared.code;
        let is_input = |&y: &u32| y < code.inputs;
        let picks =
            code.guards.is_empty() && self.shared.calls.is_empty() && code.outputs.iter().all(is_input);
        picks.then(|| code.outputs.clone())
    }
}

/// Sums of fewer shared values are no forms.
pub(super) const LEAST_FORM: usize = 4;

/// All operands of an operation, also of a call.
fn operands(term: &Program, v: u32) -> Vec<u32> {
    let mut all = Vec::new();
    term.each_operand(v as usize, |x| all.push(x));
    all
}

/// The derived columns, while they are written.
struct Columns {
    builder: Builder,
    places: Vec<u32>,
    outputs: Vec<u32>,
    width: u32,
    numbers: HashMap<u32, u32>,
    /// The term's rules as numbers of the builder.
    rules: RuleNumbers,
    /// Coefficients that the term does not compute.
    composed: HashSet<u32>,
}

impl Columns {
    /// The operation of the derived columns that equals operation `v` of the term.
    fn import(&mut self, term: &Program, first: u32, v: u32) -> u32 {
        if self.places[v as usize] == u32::MAX {
            self.places[v as usize] = match term.code.ops[v as usize] {
                Op::Input(i) => i - first,
                _ => {
                    operands(term, v).into_iter().for_each(|x| _ = self.import(term, first, x));
                    self.builder.copy_op(term, v as usize, &self.places, &mut self.rules)
                }
            };
        }
        self.places[v as usize]
    }
    /// A coefficient made of another one. A term computes a product with 1 or −1 directly.
    fn compose(&mut self, of: u32, op: Op) -> u32 {
        let result = self.builder.push(op);
        let is_unit = matches!(self.builder.ops[of as usize], Op::Constant(c) if c.abs() == 1.0);
        let is_known =
            is_unit && matches!(op, Op::Mul(..)) || matches!(op, Op::Neg(_)) && !self.composed.contains(&of);
        self.composed.extend((!is_known).then_some(result));
        result
    }
    /// The number of the column with the values of an operation.
    fn column(&mut self, node: u32) -> u32 {
        if node < self.width {
            return node;
        }
        let next = self.width + self.outputs.len() as u32;
        *self.numbers.entry(node).or_insert_with(|| {
            self.outputs.push(node);
            next
        })
    }
}

/// Which class each operation of a term belongs to. Its inputs are parameters, shared or not, and columns.
fn classes(term: &Program, is_shared: &[bool]) -> Vec<Class> {
    use Class::*;
    let mut class = vec![Row; term.code.ops.len()];
    for (v, op) in term.code.ops.iter().enumerate() {
        let of: Vec<Class> = operands(term, v as u32).into_iter().map(|x| class[x as usize]).collect();
        let all = |set: &[Class]| of.iter().all(|c| set.contains(c));
        let is_affine = all(&[Constant, Data, Shared, Affine]);
        class[v] = match *op {
            Op::Input(i) if (i as usize) < is_shared.len() => {
                if is_shared[i as usize] {
                    Shared
                } else {
                    Row
                }
            }
            Op::Input(_) => Data,
            Op::Constant(_) => Constant,
            Op::CallResult(_) => of[0],
            // A call may fail, which decides a branch of the row.
            Op::Call(_) if !all(&[Constant, Shared]) => Row,
            _ if all(&[Constant, Shared]) => Shared,
            _ if all(&[Constant, Data]) => Data,
            Op::Add(..) | Op::Sub(..) | Op::Neg(_) if is_affine => Affine,
            Op::Mul(..) if is_affine && of.iter().any(|c| matches!(c, Constant | Data)) => Affine,
            Op::Div(..) if matches!(of[0], Shared | Affine) && matches!(of[1], Constant | Data) => Affine,
            _ => Row,
        };
    }
    class
}

/// Cuts the program of a term. Its inputs are the parameters that it reads and a row of `width` columns.
pub(crate) fn split(term: &Program, is_shared: &[bool], width: usize, with_forms: bool) -> RowSplit {
    let (ops, first) = (&term.code.ops, is_shared.len() as u32);
    let class = classes(term, is_shared);
    let is = |v: u32, set: &[Class]| set.contains(&class[v as usize]);
    let is_hoisted = |v: u32| is(v, &[Class::Shared, Class::Constant]);
    let (shared_guards, row_guards): (Vec<&Guard>, Vec<&Guard>) =
        term.code.guards.iter().partition(|guard| guard.condition.operands().all(is_hoisted));
    let needed = term.needed();
    let decides = |v: &u32| matches!(ops[*v as usize], Op::Call(k) if term.calls[k as usize].decides);
    let at_rows = || (0..ops.len() as u32).filter(|&v| is(v, &[Class::Row]));
    let deciding: Vec<u32> = at_rows().filter(decides).collect();
    let mut read: Vec<u32> = term.code.outputs.clone();
    read.extend(row_guards.iter().flat_map(|guard| guard.condition.operands()));
    read.extend(at_rows().filter(|v| needed[*v as usize] || decides(v)).flat_map(|v| operands(term, v)));
    // The root of a form is its deepest operation with more than one affine operand: `−z` and `z·c` are functions of
    // `z`.
    let root = |mut v: u32| loop {
        let mut of = ops[v as usize].operands().filter(|&x| is(x, &[Class::Shared, Class::Affine]));
        match (of.next(), of.next()) {
            (Some(x), None) if is(x, &[Class::Affine]) => v = x,
            _ => return v,
        }
    };
    let mut roots: Vec<u32> = Vec::new();
    if with_forms {
        roots.extend(read.iter().copied().filter(|&v| is(v, &[Class::Affine])).map(root));
        roots.sort_unstable();
        roots.dedup();
    }
    let mut columns = Columns {
        builder: Builder::new(width, BuildOptions::EXACT),
        places: vec![u32::MAX; ops.len()],
        outputs: Vec::new(),
        width: width as u32,
        numbers: HashMap::new(),
        rules: RuleNumbers::default(),
        composed: HashSet::new(),
    };
    let (mut values, mut number_of): (Vec<u32>, HashMap<u32, u32>) = (Vec::new(), HashMap::new());
    let mut hoisted = |v: u32, values: &mut Vec<u32>| {
        *number_of.entry(v).or_insert_with(|| {
            values.push(v);
            values.len() as u32 - 1
        })
    };
    let (mut forms, mut form_of) = (Vec::new(), HashMap::new());
    for root in roots {
        let Some((leaves, offset)) = coefficients(term, root, &class, &mut columns, first) else { continue };
        let entries = leaves.into_iter().map(|(v, c)| (hoisted(v, &mut values), columns.column(c))).collect();
        form_of.insert(root, forms.len() as u32);
        forms.push(RowForm { entries, offset: offset.map(|node| columns.column(node)) });
    }
    // The operations of each row.
    let mut wanted = vec![false; ops.len()];
    let mut open = term.code.outputs.clone();
    open.extend(row_guards.iter().flat_map(|guard| guard.condition.operands()));
    open.extend(deciding);
    while let Some(v) = open.pop() {
        if !std::mem::replace(&mut wanted[v as usize], true)
            && is(v, &[Class::Affine, Class::Row])
            && !form_of.contains_key(&v)
        {
            open.extend(operands(term, v));
        }
    }
    let (mut direct, mut used) = (Vec::new(), Vec::new());
    for v in (0..ops.len() as u32).filter(|&v| wanted[v as usize]) {
        if is(v, &[Class::Shared]) {
            direct.push((v, hoisted(v, &mut values)));
        } else if is(v, &[Class::Data]) {
            let node = columns.import(term, first, v);
            used.push((v, columns.column(node)));
        }
    }
    let own: Vec<u32> = (0..first).filter(|&i| !is_shared[i as usize]).collect();
    let mut row = Builder::new(direct.len() + forms.len() + own.len() + used.len(), BuildOptions::EXACT);
    let mut places = vec![u32::MAX; ops.len()];
    let mut roots: Vec<(u32, u32)> = form_of.iter().map(|(&v, &f)| (f, v)).collect();
    roots.sort_unstable();
    let inputs = direct.iter().map(|&(v, _)| v).chain(roots.iter().map(|&(_, v)| v)).chain(own);
    (0..).zip(inputs.chain(used.iter().map(|&(v, _)| v))).for_each(|(i, v)| places[v as usize] = i);
    row.append_chosen(term, row_guards, &mut places, |v| wanted[v as usize]);
    let outputs = term.code.outputs.iter().map(|&y| places[y as usize]).collect();
    let row = Program::of(row, outputs);
    // The operations that run once per run of rows.
    let inputs: Vec<u32> = (0..first).filter(|&i| is_shared[i as usize]).collect();
    let mut shared = Builder::new(inputs.len(), BuildOptions::EXACT);
    let mut places = vec![u32::MAX; ops.len()];
    (0..).zip(&inputs).for_each(|(i, &v)| places[v as usize] = i);
    shared.append_chosen(term, shared_guards, &mut places, is_hoisted);
    let outputs: Vec<u32> = values.iter().map(|&v| places[v as usize]).collect();
    let shared = Rewritten { builder: shared, places: Vec::new() }.finish(outputs);
    let derived = Program::of(columns.builder, columns.outputs);
    let composed = columns.composed.into_iter().filter(|&c| c as usize >= width).collect();
    let composed = derived.with_outputs(composed);
    let direct = direct.into_iter().map(|(_, h)| h).collect();
    let columns = used.into_iter().map(|(_, c)| c).collect();
    RowSplit { shared, derived, forms, composed, row, direct, columns }
}

/// Splits an affine operation into the coefficients of the shared values, as operations of the derived columns, and
/// its offset; `None` if there are few.
#[allow(clippy::type_complexity)]
fn coefficients(
    term: &Program,
    root: u32,
    class: &[Class],
    columns: &mut Columns,
    first: u32,
) -> Option<(Vec<(u32, u32)>, Option<u32>)> {
    let ops = &term.code.ops;
    let (mut open, mut seen, mut leaves) = (vec![root], HashSet::new(), 0);
    while let Some(v) = open.pop() {
        if seen.insert(v) {
            match class[v as usize] {
                Class::Shared => leaves += 1,
                Class::Affine => open.extend(ops[v as usize].operands()),
                _ => {}
            }
        }
    }
    if leaves < LEAST_FORM {
        return None;
    }
    let one = columns.builder.constant(1.0);
    // The coefficient of each value that is still to be written by its operands, the last one first.
    let mut open: BTreeMap<u32, u32> = BTreeMap::from([(root, one)]);
    let (mut leaves, mut offset): (Vec<(u32, u32)>, Option<u32>) = (Vec::new(), None);
    while let Some((v, c)) = open.pop_last() {
        let is_data = |x: u32| matches!(class[x as usize], Class::Data | Class::Constant);
        let mut give = |columns: &mut Columns, x: u32, c: u32| match open.entry(x) {
            std::collections::btree_map::Entry::Vacant(place) => _ = place.insert(c),
            std::collections::btree_map::Entry::Occupied(mut sum) => {
                *sum.get_mut() = columns.compose(c, Op::Add(*sum.get(), c));
            }
        };
        match (class[v as usize], ops[v as usize]) {
            (Class::Shared, _) => leaves.push((v, c)),
            (Class::Data | Class::Constant, _) => {
                let x = columns.import(term, first, v);
                let term = columns.builder.push(Op::Mul(c, x));
                offset = Some(offset.map_or(term, |sum| columns.builder.push(Op::Add(sum, term))));
            }
            (_, Op::Add(x, y)) => {
                give(columns, x, c);
                give(columns, y, c);
            }
            (_, Op::Sub(x, y)) => {
                give(columns, x, c);
                let minus = columns.compose(c, Op::Neg(c));
                give(columns, y, minus);
            }
            (_, Op::Neg(x)) => {
                let minus = columns.compose(c, Op::Neg(c));
                give(columns, x, minus);
            }
            (_, Op::Mul(x, y)) => {
                let (x, y) = if is_data(y) { (x, y) } else { (y, x) };
                let y = columns.import(term, first, y);
                let product = columns.compose(c, Op::Mul(c, y));
                give(columns, x, product);
            }
            (_, Op::Div(x, y)) => {
                let y = columns.import(term, first, y);
                let quotient = columns.compose(c, Op::Div(c, y));
                give(columns, x, quotient);
            }
            _ => unreachable!("no other operation is affine"),
        }
    }
    leaves.sort_unstable();
    Some((leaves, offset))
}
