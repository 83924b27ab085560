//! Row programs, which run at sixteen rows.

use std::any::TypeId;
use std::ops::Deref;
use std::sync::Arc;

use super::super::calls::Shared;
use super::super::exec::{Executable, Sharing};
use super::super::program::Program;
use super::super::rules::{BinaryEntry, BinaryRule, RuleIdentity, Rules, UnaryEntry, UnaryRule};
use super::super::traced::Traced;
use super::functions::LaneFunction;
use super::kernels::apply;
use super::line::{LANES, Line};

/// The call caches of primitives in rows, for each lane.
pub(crate) type CallMemory = [Shared; LANES];

/// A program that runs at rows.
pub(crate) struct RowProgram(Executable);

impl Deref for RowProgram {
    type Target = Executable;
    fn deref(&self) -> &Executable {
        &self.0
    }
}

impl RowProgram {
    pub(crate) fn exact(program: &Program) -> Self {
        RowProgram::with_sharing(program, &Sharing::default())
    }
    /// As [`exact`](RowProgram::exact), for rows that share inputs and totals.
    pub(crate) fn with_sharing(program: &Program, sharing: &Sharing) -> Self {
        let mut executable = program.with_sharing(sharing);
        with_functions(executable.rules_mut());
        RowProgram(executable)
    }
}

/// A rule or one of its derivatives, whose values at sixteen numbers a function computes.
struct AtLines<E> {
    entry: E,
    function: LaneFunction,
}

/// The identity of a rule is its function.
macro_rules! identity {
    ($($Entry:ident),*) => {$(
        impl RuleIdentity for AtLines<$Entry> {
            fn text(&self) -> String {
                self.entry.rule.text()
            }
            fn kind(&self) -> TypeId {
                TypeId::of::<Self>()
            }
            fn bits(&self) -> Box<[u8]> {
                Box::new([self.function as u8])
            }
        }
    )*};
}
identity!(UnaryEntry, BinaryEntry);

impl<E> AtLines<E> {
    /// Overwrites arguments by values: `value` of the rule where the function is NaN.
    #[inline(always)]
    fn fill(&self, x: &mut Line, y: &Line, value: impl Fn(f64, f64) -> f64) {
        let at = *x;
        apply(self.function, x, y);
        for lane in 0..LANES {
            if x[lane].is_nan() {
                x[lane] = value(at[lane], y[lane]);
            }
        }
    }
}

impl UnaryRule for AtLines<UnaryEntry> {
    fn name(&self) -> &'static str {
        self.entry.rule.name()
    }
    fn value(&self, x: f64) -> f64 {
        self.entry.value(x)
    }
    fn values(&self, x: &mut [f64]) {
        let Ok(x) = <&mut Line>::try_from(&mut *x) else {
            return self.entry.values(x);
        };
        let at = *x;
        self.fill(x, &at, |x, _| self.entry.value(x));
    }
    fn derivative(&self, order: u8, x: f64) -> f64 {
        self.entry.rule.derivative(self.entry.order + order, x)
    }
    fn nan_safe(&self) -> bool {
        self.entry.rule.nan_safe()
    }
    fn emit(&self, x: Traced, f: Traced) -> Traced {
        self.entry.rule.emit(x, f)
    }
}

impl BinaryRule for AtLines<BinaryEntry> {
    fn name(&self) -> &'static str {
        self.entry.rule.name()
    }
    fn value(&self, x: f64, y: f64) -> f64 {
        self.entry.value(x, y)
    }
    fn values(&self, x: &mut [f64], y: &[f64]) {
        let (Ok(x), Ok(y)) = (<&mut Line>::try_from(&mut *x), <&Line>::try_from(y)) else {
            return self.entry.values(x, y);
        };
        self.fill(x, y, |x, y| self.entry.value(x, y));
    }
    fn derivative(&self, [m, n]: [u8; 2], x: f64, y: f64) -> f64 {
        let [k, l] = self.entry.orders;
        self.entry.rule.derivative([k + m, l + n], x, y)
    }
    fn emit(&self, x: Traced, y: Traced, f: Traced) -> [Traced; 2] {
        self.entry.rule.emit(x, y, f)
    }
}

/// Gives rules their functions.
fn with_functions(rules: &mut Rules) {
    for entry in &mut rules.unary {
        if let Some(function) = LaneFunction::of(entry) {
            let rule = Arc::new(AtLines { entry: entry.clone(), function });
            *entry = UnaryEntry { rule, order: 0 };
        }
    }
    for entry in &mut rules.binary {
        if let Some(function) = LaneFunction::of_two(entry) {
            let rule = Arc::new(AtLines { entry: entry.clone(), function });
            *entry = BinaryEntry { rule, orders: [0, 0] };
        }
    }
}
