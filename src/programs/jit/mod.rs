//! Programs as machine code, by cranelift.

mod emit;
mod guards;
mod memory;
mod ops;
mod plan;

use std::cell::RefCell;
use std::sync::OnceLock;

use cranelift_codegen::Context;
use cranelift_codegen::isa::OwnedTargetIsa;
use cranelift_codegen::settings::{self, Configurable};
use cranelift_frontend::{FunctionBuilder, FunctionBuilderContext};
use cranelift_jit::{JITBuilder, JITModule};
use cranelift_module::{Module, default_libcall_names};

use super::exec::Careful;
use super::program::Program;
use super::workspace::with_memory;
use crate::error::AdError;
use emit::{Emitter, NOT_FINITE};
use memory::{NativeCode, NativeLanes};
use plan::Plan;

/// The largest number of operations that become machine code. Longer code does not stay in the caches: at this size
/// it takes a third of the interpreter's time for sums and products, and about as long for many exponentials.
pub const MACHINE_CODE_LIMIT: usize = 200_000;

/// A program as machine code, of [`Program::compile`]. Threads may share it.
///
/// The results are those of [`Program::run`], bit for bit; guards are checked too. The code has the operations of
/// [`Program::without_strong_zeros`]: if a result is not finite, the interpreter of `run` computes it again. Only that interpreter
/// runs on a platform that cranelift does not support, beyond [`MACHINE_CODE_LIMIT`] operations, and if inputs,
/// results or memory take 2³¹ bytes or more. The memory of the code is freed with the value.
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
    careful: Careful,
    /// The compiled program: the plain program, if there is one.
    plan: Plan,
    single: Option<NativeCode>,
    /// Compiled when it is first used.
    pairs: OnceLock<Option<NativeCode>>,
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
        let plain = self.without_strong_zeros().map(|plain| plain.compact());
        let products = if plain.is_none() { self.with_products() } else { None };
        let lowered = plain.as_ref().or(products.as_ref()).unwrap_or(self);
        let plan = Plan::new(lowered.code().clone(), plain.is_some());
        let single = native_code(&plan, false);
        Ok(Compiled { careful: Careful::of(self), plan, single, pairs: OnceLock::new() })
    }
}

impl Compiled {
    /// The number of components of the point.
    pub fn inputs(&self) -> usize {
        self.careful.program.inputs()
    }
    /// The number of components of the result.
    pub fn outputs(&self) -> usize {
        self.careful.program.outputs()
    }
    /// Whether machine code runs, and not the interpreter.
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
            Some(native) if self.run_native(&SLOTS, native, x, out)? => Ok(()),
            _ => self.interpret(x, out),
        }
    }
    /// The results at two points: component by component, the numbers of both points next to each other.
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
        let wide = || self.single.as_ref().and_then(|_| native_code(&self.plan, true));
        if let Some(native) = self.pairs.get_or_init(wide)
            && self.run_native(&PAIRS, native, x, out)?
        {
            return Ok(());
        }
        let (mut all, mut results) = (vec![[0.0; 2]; out.len()], vec![0.0; out.len()]);
        for lane in 0..2 {
            self.interpret(&x.iter().map(|x| x[lane]).collect::<Vec<_>>(), &mut results)?;
            all.iter_mut().zip(&results).for_each(|(all, &y)| all[lane] = y);
        }
        out.copy_from_slice(&all);
        Ok(())
    }
    fn check(&self, x: usize, out: usize) -> Result<(), AdError> {
        AdError::check_len("compiled program", "point", self.inputs(), x)?;
        AdError::check_len("compiled program", "result", self.outputs(), out)
    }
    /// False if the interpreter has to run.
    fn run_native<L: NativeLanes>(
        &self,
        memory: &'static std::thread::LocalKey<RefCell<Vec<L>>>,
        native: &NativeCode,
        x: &[L],
        out: &mut [L],
    ) -> Result<bool, AdError> {
        // Moved out of the cell: a user's rule may run another compiled program.
        let mut slots = if self.plan.slots == 0 { Vec::new() } else { memory.take() };
        slots.resize(self.plan.slots.max(slots.len()), L::default());
        let done = native.run(x, out, &mut slots[..self.plan.slots]);
        if self.plan.slots > 0 {
            memory.replace(slots);
        }
        match done {
            0 => Ok(true),
            NOT_FINITE => Ok(false),
            guard => Err(self.plan.code.guards[guard as usize - 1].changed()),
        }
    }
    fn interpret(&self, x: &[f64], out: &mut [f64]) -> Result<(), AdError> {
        with_memory(|memory| self.careful.executable().run_into(memory, x, out))
    }
}

thread_local! {
    static SLOTS: RefCell<Vec<f64>> = const { RefCell::new(Vec::new()) };
    static PAIRS: RefCell<Vec<[f64; 2]>> = const { RefCell::new(Vec::new()) };
}

/// The machine code; `None` if cranelift fails.
fn native_code(plan: &Plan, wide: bool) -> Option<NativeCode> {
    if plan.items.len() > MACHINE_CODE_LIMIT || !plan.is_in_range(if wide { 16 } else { 8 }) {
        return None;
    }
    let mut module = JITModule::new(JITBuilder::with_isa(platform()?, default_libcall_names()));
    let pointer = module.target_config().pointer_type();
    let signature = emit::signature(pointer, module.isa().default_call_conv());
    let (mut context, mut frontend) = (Context::new(), FunctionBuilderContext::new());
    let (mut functions, mut calls_rules) = (Vec::with_capacity(plan.functions.len()), false);
    for range in &plan.functions {
        context.func.signature = signature.clone();
        let b = FunctionBuilder::new(&mut context.func, &mut frontend);
        calls_rules |= Emitter::new(b, plan, wide, pointer).write(range.clone());
        let declared = module.declare_anonymous_function(&signature).ok();
        let defined = declared.filter(|&f| module.define_function(f, &mut context).is_ok());
        let Some(function) = defined else {
            memory::free(module);
            return None;
        };
        module.clear_context(&mut context);
        functions.push(function);
    }
    NativeCode::new(module, &functions, plan.sizes(), plan.code.clone(), calls_rules)
}

/// This processor, with fast compilation: equal operations occur once in a program, so there is little to optimise.
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

    /// Offsets are signed 32-bit numbers: a program with larger offsets is not compiled.
    #[test]
    fn programs_beyond_the_range_of_offsets_are_interpreted() {
        let program = trace(|x: &[Traced]| x[0] * 2.0, &[1.0]);
        let plan = |change: fn(&mut Plan)| {
            let mut plan = Plan::new(program.code().clone(), false);
            change(&mut plan);
            plan
        };
        let inputs = |inputs: u32| {
            let mut code = program.code().clone();
            code.inputs = inputs;
            Plan::new(code, false)
        };
        assert!(inputs(1 << 27).is_in_range(8) && !inputs(1 << 27).is_in_range(16));
        assert!(native_code(&inputs(1 << 27), true).is_none());
        assert!(!inputs(1 << 28).is_in_range(8));
        assert!(native_code(&inputs(1 << 28), false).is_none());
        let slots = plan(|_| ());
        assert!(native_code(&slots, false).is_some() && native_code(&slots, true).is_some());
        assert!(native_code(&plan(|plan| plan.slots = 1 << 28), false).is_none());
    }
}
