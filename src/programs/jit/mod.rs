//! Programs as machine code, by cranelift.

mod address;
mod emit;
mod guards;
mod loops;
mod memory;
mod ops;
mod plan;
mod straight;

use std::cell::RefCell;
use std::sync::OnceLock;

use cranelift_codegen::Context;
use cranelift_codegen::isa::OwnedTargetIsa;
use cranelift_codegen::settings::{self, Configurable};
use cranelift_frontend::{FunctionBuilder, FunctionBuilderContext};
use cranelift_jit::{JITBuilder, JITModule};
use cranelift_module::{Module, default_libcall_names};

use super::code::Code;
use super::evaluate::evaluate;
use super::op::{Guard, Op};
use super::program::Program;
use crate::error::AdError;
use emit::{Emitter, NOT_FINITE};
use memory::{Lanes, Machine};
use plan::{Piece, Plan, Row};

/// The greatest number of operations that become machine code, those of a loop once: a longer straight piece of it than
/// this does not stay in the caches and is slower than the interpreter.
pub const MACHINE_CODE_LIMIT: usize = 50_000;

/// A program as machine code, of [`Program::compile`]. Threads may share it.
///
/// A stretch that repeats sixteen times or more is a loop, as in a [`Machine`](super::Machine), so size and time to compile
/// do not grow with the data; two iterations that pass nothing but sums to the next run at once.
///
/// The results are those of the interpreter, bit for bit; guards are asked too. The code has the operations of
/// [`Program::plain`]: where a result is not finite, the interpreter runs, which is slow. On a platform that cranelift does not
/// know, beyond [`MACHINE_CODE_LIMIT`] operations, and where inputs, results or slots take 2³¹ bytes or more, it is the
/// interpreter that runs. The memory of the code is freed with the value.
///
/// ```
/// use wengert::programs::trace;
/// let program = trace(|x| if x[0] > 0.0 { (x[0] * x[1]).sin() } else { x[1] }, &[2.0, 3.0]);
/// let compiled = program.compile()?;
/// assert_eq!(compiled.run(&[0.5, 1.0])?, program.run(&[0.5, 1.0])?);
/// assert!(compiled.run(&[-0.5, 1.0]).unwrap_err().to_string().contains("lt = true at"));
/// # Ok::<(), wengert::AdError>(())
/// ```
pub struct Compiled {
    /// The program, for the interpreter.
    code: Code,
    /// What is compiled: the plain program, if there is one, with its loops.
    plan: Plan,
    guards: Vec<Guard>,
    single: Option<Machine>,
    /// Compiled when it is first used.
    pairs: OnceLock<Option<Machine>>,
}

impl Program {
    /// The program as machine code.
    ///
    /// # Errors
    /// [`AdError::Unsupported`] if the program calls a primitive.
    ///
    /// ```
    /// use wengert::programs::trace;
    /// let compiled = trace(|x| x[0] * x[0] + 1.0, &[2.0]).compile()?;
    /// let mut y = [0.0];
    /// compiled.run_into(&[3.0], &mut y)?;
    /// assert_eq!(y, [10.0]);
    /// # Ok::<(), wengert::AdError>(())
    /// ```
    pub fn compile(&self) -> Result<Compiled, AdError> {
        if let Some(call) = self.calls().first() {
            return Err(AdError::Unsupported { op: call.function.name(), rule: "machine code" });
        }
        let plain = self.plain().map(|plain| plain.compact());
        let compiled = plain.as_ref().unwrap_or(self);
        let plan = Plan::new(compiled.parts_for_code(), plain.is_some());
        let (code, guards) = (self.code().clone(), compiled.code().guards.clone());
        Ok(Compiled { code, single: machine(&plan, false), plan, guards, pairs: OnceLock::new() })
    }
}

impl Compiled {
    /// The number of components of the point.
    pub fn inputs(&self) -> usize {
        self.code.inputs as usize
    }
    /// The number of components of the result.
    pub fn outputs(&self) -> usize {
        self.code.outputs.len()
    }
    /// Whether it is machine code that runs, and not the interpreter.
    pub fn is_machine_code(&self) -> bool {
        self.single.is_some()
    }
    /// The results at a point.
    ///
    /// # Errors
    /// As [`Program::run`].
    pub fn run(&self, x: &[f64]) -> Result<Vec<f64>, AdError> {
        let mut out = vec![0.0; self.outputs()];
        self.run_into(x, &mut out)?;
        Ok(out)
    }
    /// The results at a point, without allocation after the first time. Nothing is written in case of an error.
    ///
    /// # Errors
    /// As [`Program::run_into`].
    pub fn run_into(&self, x: &[f64], out: &mut [f64]) -> Result<(), AdError> {
        self.check(x.len(), out.len())?;
        match &self.single {
            Some(machine) if self.run_machine(&SLOTS, machine, x, out)? => Ok(()),
            _ => self.interpret(|k| x[k], |k, y| out[k] = y),
        }
    }
    /// The results at two points at once: component by component, the numbers of both points side by side.
    ///
    /// # Errors
    /// As [`run_into`](Compiled::run_into), for both points if one of them takes another branch.
    ///
    /// ```
    /// use wengert::programs::trace;
    /// let compiled = trace(|x| x[0] * x[1] + 1.0, &[2.0, 3.0]).compile()?;
    /// let mut y = [[0.0; 2]];
    /// compiled.run_pairs(&[[1.0, 2.0], [3.0, 4.0]], &mut y)?;
    /// assert_eq!(y, [[4.0, 9.0]]);
    /// # Ok::<(), wengert::AdError>(())
    /// ```
    pub fn run_pairs(&self, x: &[[f64; 2]], out: &mut [[f64; 2]]) -> Result<(), AdError> {
        self.check(x.len(), out.len())?;
        let wide = || self.single.as_ref().and_then(|_| machine(&self.plan, true));
        if let Some(machine) = self.pairs.get_or_init(wide)
            && self.run_machine(&PAIRS, machine, x, out)?
        {
            return Ok(());
        }
        let mut results = vec![[0.0; 2]; out.len()];
        for lane in 0..2 {
            self.interpret(|k| x[k][lane], |k, y| results[k][lane] = y)?;
        }
        out.copy_from_slice(&results);
        Ok(())
    }
    fn check(&self, x: usize, out: usize) -> Result<(), AdError> {
        AdError::check_len("compiled program", "point", self.inputs(), x)?;
        AdError::check_len("compiled program", "result", self.outputs(), out)
    }
    /// False if the interpreter has to run.
    fn run_machine<L: Lanes>(
        &self,
        memory: &'static std::thread::LocalKey<RefCell<Vec<L>>>,
        machine: &Machine,
        x: &[L],
        out: &mut [L],
    ) -> Result<bool, AdError> {
        if self.plan.slot_count == 0 {
            return self.answer(machine.run(x, out, &mut []));
        }
        // (Taken, because a rule that is called may run a program too.)
        let mut slots = memory.take();
        slots.resize(self.plan.slot_count.max(slots.len()), L::default());
        if self.plan.copied {
            let constants = self.plan.parts.constants.iter().map(|&c| L::spread(c));
            slots.iter_mut().zip(x.iter().copied().chain(constants)).for_each(|(slot, x)| *slot = x);
        }
        let done = machine.run(x, out, &mut slots[..self.plan.slot_count]);
        let mut finite = true;
        for &Row { k, slot, count } in self.plan.rows.iter().filter(|_| done == 0) {
            out[k..k + count].copy_from_slice(&slots[slot..slot + count]);
            finite &= !self.plan.checked || L::all_finite(&out[k..k + count]);
        }
        memory.replace(slots);
        self.answer(done).map(|done| done && finite)
    }
    fn answer(&self, done: u32) -> Result<bool, AdError> {
        match done {
            0 => Ok(true),
            NOT_FINITE => Ok(false),
            guard => Err(self.guards[guard as usize - 1].changed()),
        }
    }
    fn interpret(&self, x: impl Fn(usize) -> f64, mut y: impl FnMut(usize, f64)) -> Result<(), AdError> {
        let code = &self.code;
        let (mut values, mut guards) = (vec![0.0; code.ops.len()], code.guards.iter().peekable());
        for i in 0..=code.ops.len() {
            while let Some(guard) = guards.next_if(|guard| guard.before as usize <= i) {
                if guard.question.answer(|x| values[x as usize]) != guard.answer {
                    return Err(guard.changed());
                }
            }
            match code.ops.get(i) {
                Some(&Op::Input(k)) => values[i] = x(k as usize),
                Some(&op) => values[i] = evaluate(op, &code.rules, |x| values[x as usize]),
                None => {}
            }
        }
        code.outputs.iter().enumerate().for_each(|(k, &i)| y(k, values[i as usize]));
        Ok(())
    }
}

thread_local! {
    static SLOTS: RefCell<Vec<f64>> = const { RefCell::new(Vec::new()) };
    static PAIRS: RefCell<Vec<[f64; 2]>> = const { RefCell::new(Vec::new()) };
}

/// The machine code, or none where cranelift refuses.
fn machine(plan: &Plan, wide: bool) -> Option<Machine> {
    if plan.instructions() > MACHINE_CODE_LIMIT || !plan.is_in_range(if wide { 16 } else { 8 }) {
        return None;
    }
    let mut module = JITModule::new(JITBuilder::with_isa(platform()?, default_libcall_names()));
    let pointer = module.target_config().pointer_type();
    let signature = emit::signature(pointer, module.isa().default_call_conv());
    let (mut context, mut frontend) = (Context::new(), FunctionBuilderContext::new());
    let (mut functions, mut calls_rules) = (Vec::with_capacity(plan.pieces.len()), false);
    for (k, piece) in plan.pieces.iter().enumerate() {
        context.func.signature = signature.clone();
        let mut e = Emitter::new(FunctionBuilder::new(&mut context.func, &mut frontend), plan, wide, pointer);
        match piece {
            Piece::Straight(range) => straight::write(&mut e, range.clone(), k + 1 == plan.pieces.len()),
            Piece::Loop(k) => loops::write(&mut e, *k),
        }
        calls_rules |= e.finish();
        let declared = module.declare_anonymous_function(&signature).ok();
        let defined = declared.filter(|&f| module.define_function(f, &mut context).is_ok());
        let Some(function) = defined else {
            memory::free(module);
            return None;
        };
        module.clear_context(&mut context);
        functions.push(function);
    }
    let sizes = [plan.parts.inputs, plan.parts.outputs.len(), plan.slot_count];
    Machine::new(module, &functions, sizes, plan.parts.clone(), calls_rules)
}

/// This machine, compiled for quickly: equal operations stand once in a program, so there is little to optimise.
fn platform() -> Option<OwnedTargetIsa> {
    let mut flags = settings::builder();
    let set = [
        ("opt_level", "none"),
        ("is_pic", "false"),
        ("use_colocated_libcalls", "false"),
        ("enable_verifier", if cfg!(debug_assertions) { "true" } else { "false" }),
    ];
    for (name, value) in set {
        flags.set(name, value).ok()?;
    }
    cranelift_native::builder().ok()?.finish(settings::Flags::new(flags)).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::programs::{Traced, trace};

    /// Offsets are 32 bits with a sign: what lies beyond them is not compiled.
    #[test]
    fn programs_beyond_the_range_of_offsets_are_interpreted() {
        let program = trace(|x: &[Traced]| x[0] * 2.0, &[1.0]);
        let plan = |change: fn(&mut crate::programs::machine::parts::Parts)| {
            let mut parts = program.parts_for_code();
            change(&mut parts);
            Plan::new(parts, false)
        };
        let inputs = plan(|parts| parts.inputs = 1 << 27);
        assert!(inputs.is_in_range(8) && !inputs.is_in_range(16));
        assert!(machine(&inputs, true).is_none());
        let inputs = plan(|parts| parts.inputs = 1 << 28);
        assert!(!inputs.is_in_range(8));
        assert!(machine(&inputs, false).is_none());
        let mut slots = plan(|_| ());
        assert!(machine(&slots, false).is_some() && machine(&slots, true).is_some());
        slots.slot_count = 1 << 28;
        assert!(machine(&slots, false).is_none());
    }
}
