//! Linear map programs: the linear part of a derivative at a point. Only linear operations can be written.

use super::builder::Builder;
use super::linear_calls::LinearCall;
use super::op::Op;

/// A linear operation. Its operand is the number of an earlier linear operation. Factors are operations of the
/// linearized program, its residuals.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum LinearOp {
    /// A component of the tangent (of a cotangent, after a transposition).
    Input(u32),
    /// `−t`.
    Neg(u32),
    /// `t + u`.
    Add(u32, u32),
    /// `t − u`.
    Sub(u32, u32),
    /// `d·t` for a residual `d`.
    Scale {
        /// The residual.
        by: u32,
        /// The operand.
        t: u32,
        /// How the product treats zeros.
        zeros: ZeroProduct,
    },
    /// `t/y` for a residual `y` and its reciprocal, or `(d·t)/y`, if `d·t` is in the range: `d/y` and `t/y` need not be.
    Div {
        /// The operand.
        t: u32,
        /// The residual `d`, and how the product with it treats zeros.
        factor: Option<(u32, ZeroProduct)>,
        /// The divisor, a residual.
        divisor: u32,
        /// Its reciprocal, a residual.
        reciprocal: u32,
    },
    /// `t` where the residual `condition` is not 0, else 0; with `negated`, `t` where it is 0.
    Select {
        /// The condition.
        condition: u32,
        /// Whether to select `t` where the condition is 0.
        negated: bool,
        /// The operand.
        t: u32,
    },
    /// The derivative of a function of many numbers; a [`CallResult`](LinearOp::CallResult) for each of its results follows.
    Call(u32),
    /// A result of the call before.
    CallResult(u32),
}

/// The product of a residual and a tangent at exact zeros.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ZeroProduct {
    /// Plain IEEE.
    Ieee,
    /// 0 where the tangent is 0.
    StrongTangent,
    /// 0 where either factor is.
    StrongEither,
}

/// A linear map between tangents, or cotangents, as a list of linear operations.
/// [`transpose`](Self::transpose) has an example. [`LinearizedProgram`](super::LinearizedProgram) makes a program of the
/// map.
#[derive(Clone, Default)]
pub struct LinearMapProgram {
    pub(super) inputs: u32,
    pub(super) ops: Vec<LinearOp>,
    pub(super) outputs: Vec<Option<u32>>,
    pub(super) calls: Vec<LinearCall>,
}

/// An entry of a column or a row of a matrix that is not zero everywhere: its index, and its operation.
pub(super) type NonzeroEntry = (u32, u32);

/// The rows or the columns of a matrix, each with its entries in order.
pub(super) type SparseRows = Vec<Vec<NonzeroEntry>>;

/// An operand, or nothing for zero.
pub(super) type SymbolicTangent = Option<u32>;

impl LinearMapProgram {
    /// The identity on `inputs` inputs, without outputs.
    pub(super) fn of_inputs(inputs: u32) -> Self {
        LinearMapProgram { inputs, ops: (0..inputs).map(LinearOp::Input).collect(), ..Self::default() }
    }
    /// The number of inputs.
    pub fn inputs(&self) -> usize {
        self.inputs as usize
    }
    /// The operations.
    pub fn ops(&self) -> &[LinearOp] {
        &self.ops
    }
    /// The results; `None` for a result that is identically zero.
    pub fn outputs(&self) -> &[Option<u32>] {
        &self.outputs
    }
    pub(super) fn push(&mut self, op: LinearOp) -> SymbolicTangent {
        self.ops.push(op);
        Some(self.ops.len() as u32 - 1)
    }
    pub(super) fn neg(&mut self, t: SymbolicTangent) -> SymbolicTangent {
        self.push(LinearOp::Neg(t?))
    }
    pub(super) fn add(&mut self, t: SymbolicTangent, u: SymbolicTangent) -> SymbolicTangent {
        match (t, u) {
            (Some(t), Some(u)) => self.push(LinearOp::Add(t, u)),
            _ => t.or(u),
        }
    }
    pub(super) fn sub(&mut self, t: SymbolicTangent, u: SymbolicTangent) -> SymbolicTangent {
        match (t, u) {
            (Some(t), Some(u)) => self.push(LinearOp::Sub(t, u)),
            (None, Some(_)) => self.neg(u),
            _ => t,
        }
    }
    pub(super) fn scale(&mut self, zeros: ZeroProduct, by: u32, t: SymbolicTangent) -> SymbolicTangent {
        self.push(LinearOp::Scale { by, t: t?, zeros })
    }
    pub(super) fn div(
        &mut self,
        factor: Option<(u32, ZeroProduct)>,
        t: SymbolicTangent,
        [divisor, reciprocal]: [u32; 2],
    ) -> SymbolicTangent {
        self.push(LinearOp::Div { t: t?, factor, divisor, reciprocal })
    }
    pub(super) fn choose(&mut self, condition: u32, negated: bool, t: SymbolicTangent) -> SymbolicTangent {
        self.push(LinearOp::Select { condition, negated, t: t? })
    }
    /// The map in the other direction: `⟨w, A v⟩ = ⟨Aᵀw, v⟩`.
    /// ```
    /// use wengert::programs::trace;
    /// // J = [x₁ x₀; 0 1; −sin x₀ 0]: three cotangents, two results.
    /// let at = trace(|x| [x[0] * x[1], x[1], x[0].cos()], &[2.0, 3.0]).linearize()?;
    /// let transposed = at.linear().transpose();
    /// assert_eq!((transposed.inputs(), transposed.outputs().len()), (3, 2));
    /// // With its residuals, a program: the value at (0, 3), and Jᵀw for w = (1, 10, 5).
    /// let vjp = at.transpose().to_program()?;
    /// assert_eq!(vjp.run(&[0.0, 3.0, 1.0, 10.0, 5.0])?, [0.0, 3.0, 1.0, 3.0, 10.0]);
    /// # Ok::<(), wengert::AdError>(())
    /// ```
    pub fn transpose(&self) -> LinearMapProgram {
        let mut back = LinearMapProgram::of_inputs(self.outputs.len() as u32);
        let mut sums: Vec<SymbolicTangent> = vec![None; self.ops.len()];
        for (w, y) in (0..).zip(&self.outputs) {
            if let Some(y) = *y {
                sums[y as usize] = back.add(sums[y as usize], Some(w));
            }
        }
        for (i, &op) in self.ops.iter().enumerate().skip(self.inputs()).rev() {
            if let LinearOp::Call(k) = op {
                back.transpose_call(&self.calls[k as usize], i, &mut sums);
            } else if sums[i].is_some() {
                back.transpose_one(op, sums[i], &mut sums);
            }
        }
        back.outputs = sums[..self.inputs()].to_vec();
        back
    }
    fn transpose_one(&mut self, op: LinearOp, w: SymbolicTangent, sums: &mut [SymbolicTangent]) {
        let mut give = |back: &mut Self, to: u32, w: SymbolicTangent| {
            sums[to as usize] = back.add(sums[to as usize], w);
        };
        let (t, w) = match op {
            LinearOp::Input(_) | LinearOp::Call(_) | LinearOp::CallResult(_) => return,
            LinearOp::Neg(t) => (t, self.neg(w)),
            LinearOp::Add(t, u) => {
                give(self, t, w);
                (u, w)
            }
            LinearOp::Sub(t, u) => {
                give(self, t, w);
                (u, self.neg(w))
            }
            LinearOp::Scale { by, t, .. } => (t, self.scale(ZeroProduct::StrongEither, by, w)),
            LinearOp::Div { t, factor, divisor, reciprocal } => {
                let factor = factor.map(|(d, _)| (d, ZeroProduct::StrongEither));
                (t, self.div(factor, w, [divisor, reciprocal]))
            }
            LinearOp::Select { condition, negated, t } => (t, self.choose(condition, negated, w)),
        };
        give(self, t, w);
    }
    /// Appends the operations to a program in which `place` gives the numbers of the residuals. `tangents` are the numbers
    /// of the input tangents; `None` is a zero tangent.
    pub(super) fn lower(
        &self,
        into: &mut Builder,
        place: impl Fn(u32) -> u32 + Copy,
        tangents: &[SymbolicTangent],
    ) -> Vec<SymbolicTangent> {
        let mut at = tangents.to_vec();
        at.resize(self.ops.len(), None);
        self.lower_some(self.inputs..self.ops.len() as u32, into, place, &mut at);
        self.outputs.iter().map(|y| at[(*y)? as usize]).collect()
    }
    /// Appends some operations, in ascending order. `at` has the numbers of the operations and inputs before them.
    fn lower_some(
        &self,
        chosen: impl IntoIterator<Item = u32>,
        into: &mut Builder,
        place: impl Fn(u32) -> u32 + Copy,
        at: &mut [SymbolicTangent],
    ) {
        let mut parts = None;
        for i in chosen {
            at[i as usize] = match self.ops[i as usize] {
                LinearOp::Call(k) => {
                    parts = self.calls[k as usize].lower(into, place, at);
                    None
                }
                LinearOp::CallResult(i) => parts.map(|first| first + i),
                op => lower_one(op, into, place, at),
            };
        }
    }
    /// The first columns of the matrix, appended to a program. Entries that are identically zero, or are folded to 0, are
    /// left out. A column takes work for the operations that depend on its input, and a word for each 64 others.
    pub(super) fn columns(
        &self,
        count: usize,
        into: &mut Builder,
        place: impl Fn(u32) -> u32 + Copy,
    ) -> SparseRows {
        let (one, end) = (into.constant(1.0), self.ops.len() as u32);
        let ((starts, readers), mut at) = (self.readers(), vec![None; self.ops.len()]);
        // Bits of operations and results that read a reached one and wait for their turn.
        let (mut waiting, mut reached) = (vec![0u64; starts.len().div_ceil(64)], Vec::new());
        let column = |j: u32| {
            reached.clear();
            reached.push(j);
            let mut last = j as usize;
            loop {
                readers[starts[last] as usize..starts[last + 1] as usize]
                    .iter()
                    .for_each(|&i| waiting[i as usize / 64] |= 1 << (i % 64));
                let Some(word) = (last / 64..waiting.len()).find(|&word| waiting[word] != 0) else { break };
                last = 64 * word + waiting[word].trailing_zeros() as usize;
                waiting[word] &= waiting[word] - 1;
                reached.push(last as u32);
            }
            let (ops, results) = reached.split_at(reached.partition_point(|&i| i < end));
            at[j as usize] = Some(one);
            self.lower_some(ops[1..].iter().copied(), into, place, &mut at);
            let entry = |&y: &u32| Some((y - end, at[self.outputs[(y - end) as usize]? as usize]?));
            let column =
                results.iter().filter_map(entry).filter(|&(_, entry)| into.as_constant(entry) != Some(0.0));
            let column = column.collect();
            ops.iter().for_each(|&i| at[i as usize] = None);
            column
        };
        (0..count as u32).map(column).collect()
    }
    /// The operations that read each operation, one list after the other, and where the lists start. The results come after
    /// the operations.
    fn readers(&self) -> (Vec<u32>, Vec<u32>) {
        let mut starts = vec![0; self.ops.len() + self.outputs.len() + 1];
        self.each_read(|x, _| starts[x as usize + 1] += 1);
        (1..starts.len()).for_each(|x| starts[x] += starts[x - 1]);
        let (mut ends, mut readers) = (starts.clone(), vec![0; starts[starts.len() - 1] as usize]);
        self.each_read(|x, reader| {
            readers[ends[x as usize] as usize] = reader;
            ends[x as usize] += 1;
        });
        (starts, readers)
    }
    fn each_read(&self, mut read: impl FnMut(u32, u32)) {
        for (i, op) in (0..).zip(&self.ops) {
            match *op {
                LinearOp::Input(_) => (),
                LinearOp::Neg(t)
                | LinearOp::Scale { t, .. }
                | LinearOp::Div { t, .. }
                | LinearOp::Select { t, .. } => read(t, i),
                LinearOp::Add(t, u) | LinearOp::Sub(t, u) => [t, u].into_iter().for_each(|t| read(t, i)),
                LinearOp::Call(k) => self.calls[k as usize].receivers().flatten().for_each(|t| read(t, i)),
                LinearOp::CallResult(index) => read(i - index - 1, i),
            }
        }
        for (y, result) in (self.ops.len() as u32..).zip(&self.outputs) {
            result.iter().for_each(|&x| read(x, y));
        }
    }
}

fn lower_one(
    op: LinearOp,
    into: &mut Builder,
    place: impl Fn(u32) -> u32,
    at: &[SymbolicTangent],
) -> SymbolicTangent {
    let of = |t: u32| at[t as usize];
    let op = match op {
        LinearOp::Input(_) | LinearOp::Call(_) | LinearOp::CallResult(_) => return None,
        LinearOp::Neg(t) => Op::Neg(of(t)?),
        LinearOp::Add(t, u) => match (of(t), of(u)) {
            (Some(t), Some(u)) if t == u => into.double(t),
            (Some(t), Some(u)) => Op::Add(t, u),
            (t, u) => return t.or(u),
        },
        LinearOp::Sub(t, u) => match (of(t), of(u)) {
            (Some(t), Some(u)) => Op::Sub(t, u),
            (None, Some(u)) => Op::Neg(u),
            (t, None) => return t,
        },
        LinearOp::Scale { by, t, zeros } => product(into, place(by), of(t)?, zeros),
        LinearOp::Div { t, factor, divisor, reciprocal } => {
            let t = of(t)?;
            let t = factor.map_or(t, |(d, zeros)| {
                let op = product(into, place(d), t, zeros);
                into.push(op)
            });
            Op::StrongDiv { t, y: place(divisor), r: place(reciprocal) }
        }
        LinearOp::Select { condition, negated, t } => {
            let (t, zero) = (of(t)?, into.constant(0.0));
            let (x, y) = if negated { (zero, t) } else { (t, zero) };
            Op::Select { condition: place(condition), x, y }
        }
    };
    Some(into.push(op))
}

/// `d·t`. A factor that is finite and not zero needs no strong product.
fn product(into: &Builder, d: u32, t: u32, zeros: ZeroProduct) -> Op {
    let is_number = |x| into.as_constant(x).is_some_and(|c: f64| c.is_finite() && c != 0.0);
    match zeros {
        _ if is_number(d) || is_number(t) => Op::Mul(t, d),
        ZeroProduct::Ieee => Op::Mul(t, d),
        ZeroProduct::StrongTangent => Op::StrongMul { d, t },
        ZeroProduct::StrongEither => Op::StrongMulEither { d, t },
    }
}
