//! Operations as instructions of cranelift.
//!
//! Operations that choose by values use masks, without branches: a scalar is then the first lane of a vector, which
//! is free on x86-64 and aarch64.

use cranelift_codegen::ir::condcodes::FloatCC;
use cranelift_codegen::ir::{AbiParam, InstBuilder, MemFlags, SigRef, Signature, Value, types};

use super::emit::{Emitter, condition};
use super::memory;
use crate::programs::op::{Op, Relation};

/// Whether the processor has `floor`, `ceil` and `trunc` on registers.
fn rounds() -> bool {
    #[cfg(target_arch = "x86_64")]
    return std::is_x86_feature_detected!("sse4.1");
    #[cfg(not(target_arch = "x86_64"))]
    true
}

/// Whether the processor multiplies and adds with one rounding.
fn fuses() -> bool {
    #[cfg(target_arch = "x86_64")]
    return std::is_x86_feature_detected!("fma");
    #[cfg(not(target_arch = "x86_64"))]
    cfg!(target_arch = "aarch64")
}

extern "C" fn mul_add(x: f64, y: f64, z: f64) -> f64 {
    x.mul_add(y, z)
}

extern "C" fn strong_div(t: f64, y: f64, r: f64) -> f64 {
    crate::programs::strong_zeros::strong_div(t, y, r)
}

impl Emitter<'_> {
    /// As a vector, for masks.
    fn vector(&mut self, value: Value) -> Value {
        if self.wide { value } else { self.b.ins().scalar_to_vector(types::F64X2, value) }
    }
    fn scalar_of(&mut self, value: Value) -> Value {
        if self.wide { value } else { self.b.ins().extractlane(value, 0) }
    }
    /// The lanes of a value.
    pub(super) fn lanes(&mut self, value: Value) -> Vec<Value> {
        if !self.wide {
            return vec![value];
        }
        (0..2).map(|lane| self.b.ins().extractlane(value, lane)).collect()
    }
    fn bits(&mut self, value: Value) -> Value {
        self.b.ins().bitcast(types::I64X2, MemFlags::new(), value)
    }
    fn mask(&mut self, relation: FloatCC, x: Value, y: Value) -> Value {
        let (x, y) = (self.vector(x), self.vector(y));
        self.b.ins().fcmp(relation, x, y)
    }
    /// The value where the mask is set, else 0.
    fn masked(&mut self, mask: Value, value: Value) -> Value {
        let value = self.vector(value);
        let bits = self.bits(value);
        let bits = self.b.ins().band(bits, mask);
        let value = self.b.ins().bitcast(types::F64X2, MemFlags::new(), bits);
        self.scalar_of(value)
    }
    /// The product; 0 if it is NaN and the mask of factors that are not 0 is not set.
    fn unless_nan(&mut self, mask: Value, product: Value) -> Value {
        let number = self.mask(FloatCC::Ordered, product, product);
        let mask = self.b.ins().bor(mask, number);
        self.masked(mask, product)
    }
    fn choose(&mut self, mask: Value, x: Value, y: Value) -> Value {
        let (x, y) = (self.vector(x), self.vector(y));
        let mask = self.b.ins().bitcast(types::F64X2, MemFlags::new(), mask);
        let chosen = self.b.ins().bitselect(mask, x, y);
        self.scalar_of(chosen)
    }
    fn nonzero(&mut self, x: Value) -> Value {
        let zero = self.constant(0.0);
        self.mask(FloatCC::NotEqual, x, zero)
    }
    /// The instructions of an operation.
    pub(super) fn emit(&mut self, op: Op) -> Value {
        let [x, y, z] = {
            let mut operands = op.operands().map(|x| self.value(x)).collect::<Vec<_>>().into_iter();
            [(); 3].map(|()| operands.next())
        };
        let of = |x: Option<Value>| x.expect("as many operands as the operation has");
        match op {
            Op::Neg(_) => {
                let sign = self.constant(-0.0);
                self.b.ins().bxor(of(x), sign)
            }
            // The result is the same, and programs have more additions than products.
            Op::Add(a, b) if a == b => {
                let two = self.constant(2.0);
                self.b.ins().fmul(of(x), two)
            }
            Op::Add(..) => self.b.ins().fadd(of(x), of(y)),
            Op::Sub(..) => self.b.ins().fsub(of(x), of(y)),
            Op::Mul(..) => self.b.ins().fmul(of(x), of(y)),
            Op::Div(..) => self.b.ins().fdiv(of(x), of(y)),
            Op::MulAdd(..) if fuses() => self.b.ins().fma(of(x), of(y), of(z)),
            Op::MulAdd(..) => self.call(mul_add as *const u8, None, &[of(x), of(y), of(z)]),
            Op::Unary { rule, .. } => self.rule(rule, &[of(x)]),
            Op::Binary { rule, .. } => self.rule(rule, &[of(x), of(y)]),
            Op::Compare { relation, .. } => self.compare(relation, of(x), of(y)),
            Op::Select { .. } => {
                let mask = self.masks.get(&of(x)).copied().unwrap_or_else(|| self.nonzero(of(x)));
                self.choose(mask, of(y), of(z))
            }
            Op::Detach(_) => of(x),
            Op::PropagateNan { .. } => {
                let (mask, d) = (self.mask(FloatCC::Unordered, of(x), of(x)), self.vector(of(y)));
                let bits = self.bits(d);
                let bits = self.b.ins().bor(bits, mask); // all bits are a NaN
                let value = self.b.ins().bitcast(types::F64X2, MemFlags::new(), bits);
                self.scalar_of(value)
            }
            Op::StrongMul { .. } => {
                let (product, t) = (self.b.ins().fmul(of(x), of(y)), self.nonzero(of(y)));
                self.unless_nan(t, product)
            }
            Op::StrongMulEither { .. } => {
                let product = self.b.ins().fmul(of(x), of(y));
                let (d, t) = (self.nonzero(of(x)), self.nonzero(of(y)));
                let mask = self.b.ins().band(d, t);
                self.unless_nan(mask, product)
            }
            Op::StrongDiv { .. } => self.strong_div(of(x), of(y), of(z)),
            Op::Input(_) | Op::Constant(_) | Op::Call(_) | Op::CallResult(_) => unreachable!("not compiled"),
        }
    }
    fn compare(&mut self, relation: Relation, x: Value, y: Value) -> Value {
        let (mask, one) = (self.mask(condition(relation), x, y), self.constant(1.0));
        let value = self.masked(mask, one);
        self.masks.insert(value, mask);
        value
    }
    /// `t·r` if that is finite in all lanes; else by the function, out of line.
    fn strong_div(&mut self, t: Value, y: Value, r: Value) -> Value {
        let quotient = self.b.ins().fmul(t, r);
        let (careful, done) = (self.b.create_block(), self.b.create_block());
        self.b.set_cold_block(careful);
        let ty = self.ty();
        self.b.append_block_param(done, ty);
        let infinity = self.b.ins().f64const(f64::INFINITY);
        let mut finite = None;
        for lane in self.lanes(quotient) {
            let size = self.b.ins().fabs(lane);
            let lane = self.b.ins().fcmp(FloatCC::LessThan, size, infinity);
            finite = Some(finite.map_or(lane, |all| self.b.ins().band(all, lane)));
        }
        self.b.ins().brif(finite.expect("a lane"), done, &[quotient.into()], careful, &[]);
        self.b.switch_to_block(careful);
        let value = self.call(strong_div as *const u8, None, &[t, y, r]);
        self.b.ins().jump(done, &[value.into()]);
        self.b.switch_to_block(done);
        self.b.block_params(done)[0]
    }
    fn rule(&mut self, rule: u32, operands: &[Value]) -> Value {
        let entry = &self.plan.code.rules.all[rule as usize];
        let (x, last) = (operands[0], operands[operands.len() - 1]);
        let Some(direct) = entry.direct() else {
            return self.call(memory::value as *const u8, Some(std::ptr::from_ref(entry).cast()), &[x, last]);
        };
        match direct.method {
            "sqrt" => self.b.ins().sqrt(x),
            "abs" => self.b.ins().fabs(x),
            "recip" => {
                let one = self.constant(1.0);
                self.b.ins().fdiv(one, x)
            }
            "floor" if rounds() => self.b.ins().floor(x),
            "ceil" if rounds() => self.b.ins().ceil(x),
            "trunc" if rounds() => self.b.ins().trunc(x),
            _ => self.call(direct.pointer, None, operands),
        }
    }
    /// A function of the platform's C convention, lane by lane, with the address of a rule in front.
    fn call(&mut self, function: *const u8, rule: Option<*const u8>, operands: &[Value]) -> Value {
        self.calls_rules |= rule.is_some();
        let lanes: Vec<Vec<Value>> = operands.iter().map(|&x| self.lanes(x)).collect();
        let of_lane = |lane: usize| lanes.iter().map(|x| x[lane]).collect::<Vec<Value>>();
        let count = lanes[0].len();
        let results: Vec<Value> =
            (0..count).map(|lane| self.call_numbers(function, rule, &of_lane(lane))).collect();
        if !self.wide {
            return results[0];
        }
        let first = self.b.ins().scalar_to_vector(types::F64X2, results[0]);
        self.b.ins().insertlane(first, results[1], 1)
    }
    /// Calls a function of scalars.
    pub(super) fn call_numbers(
        &mut self,
        function: *const u8,
        rule: Option<*const u8>,
        operands: &[Value],
    ) -> Value {
        let signature = self.callee(rule.is_some(), operands.len());
        let address = self.b.ins().iconst(self.pointer, function as i64);
        let rule = rule.map(|rule| self.b.ins().iconst(self.pointer, rule as i64));
        let arguments: Vec<Value> = rule.into_iter().chain(operands.iter().copied()).collect();
        let call = self.b.ins().call_indirect(signature, address, &arguments);
        self.b.inst_results(call)[0]
    }
    fn callee(&mut self, rule: bool, operands: usize) -> SigRef {
        let mut signature = Signature::new(self.b.func.signature.call_conv);
        signature.params.extend(rule.then_some(AbiParam::new(self.pointer)));
        signature.params.extend(std::iter::repeat_n(AbiParam::new(types::F64), operands));
        signature.returns.push(AbiParam::new(types::F64));
        self.b.import_signature(signature)
    }
}
