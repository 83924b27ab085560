//! Rules of the table, and of users, without their types.

use std::any::TypeId;
use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};
use std::sync::Arc;

use super::op::Op;
use super::rows::{LANES, Line};
use super::std_functions::{self, Direct};
use super::traced::Traced;
use crate::duals::Dual;
use crate::number::Real;
use crate::rules::{Binary, Unary, identity};

/// A rule of one or two variables without its type. A rule of one variable ignores what belongs to a second one.
pub trait RuleObject: Send + Sync {
    /// The number of variables.
    fn arity(&self) -> usize;
    /// The function's name.
    fn name(&self) -> &'static str;
    /// The rule as `Debug` shows it, with its parameters.
    fn text(&self) -> String;
    /// The type of the rule.
    fn kind(&self) -> TypeId;
    /// The bits of the rule: rules of one type with the same bits are the same.
    fn bits(&self) -> Box<[u8]>;
    /// Whether the derivative is NaN wherever the value is.
    fn nan_safe(&self) -> bool {
        false
    }
    /// The value at floats.
    fn value(&self, x: f64, y: f64) -> f64;
    /// Overwrites several first arguments by the values.
    fn values(&self, x: &mut [f64], y: &[f64]) {
        x.iter_mut().zip(y).for_each(|(x, y)| *x = self.value(*x, *y));
    }
    /// The derivative at floats, of the given order in each variable, together at most 4.
    fn derivative(&self, orders: [u8; 2], x: f64, y: f64) -> f64;
    /// The formulas of the partials, recorded. A rule of one variable returns its formula twice.
    fn emit(&self, x: Traced, y: Traced, f: Traced) -> [Traced; 2];
}

/// The types of rules.
macro_rules! kinds {
    ($($Rule:ident),+) => {
        [$(std::any::TypeId::of::<$crate::rules::$Rule>()),+]
    };
}
pub(super) use kinds;

/// The identity of the rule inside.
macro_rules! identity_of {
    ($R:ty) => {
        fn text(&self) -> String {
            format!("{:?}", self.0)
        }
        fn kind(&self) -> std::any::TypeId {
            std::any::TypeId::of::<$R>()
        }
        fn bits(&self) -> Box<[u8]> {
            $crate::rules::identity::bits(&self.0)
        }
    };
}
pub(super) use identity_of;

/// A rule of one variable.
#[derive(Clone, Copy)]
pub(super) struct UnaryRule<U>(pub(super) U);

/// A rule of two variables.
#[derive(Clone, Copy)]
pub(super) struct BinaryRule<B>(pub(super) B);

/// The derivative of order 0 to 4 of a rule, by nested duals.
macro_rules! by_nested_duals {
    ($order:expr, $x:expr, $lift:ident($rule:expr)) => {
        match ($order, Dual::variable($x)) {
            (0, _) => $x.$lift($rule),
            (1, x) => x.$lift($rule).tangent(),
            (2, x) => Dual::variable(x).$lift($rule).tangent().tangent(),
            (3, x) => Dual::variable(Dual::variable(x)).$lift($rule).tangent().tangent().tangent(),
            (_, x) => {
                let x = Dual::variable(Dual::variable(Dual::variable(x)));
                x.$lift($rule).tangent().tangent().tangent().tangent()
            }
        }
    };
}
pub(super) use by_nested_duals;

impl<U: Unary> RuleObject for UnaryRule<U> {
    identity_of!(U);
    fn arity(&self) -> usize {
        1
    }
    fn name(&self) -> &'static str {
        U::NAME
    }
    fn nan_safe(&self) -> bool {
        U::NAN_SAFE
    }
    fn value(&self, x: f64, _: f64) -> f64 {
        self.0.value(x)
    }
    fn derivative(&self, [order, _]: [u8; 2], x: f64, _: f64) -> f64 {
        by_nested_duals!(order, x, lift1(self.0))
    }
    fn emit(&self, x: Traced, _: Traced, f: Traced) -> [Traced; 2] {
        [self.0.derivative(x, f); 2]
    }
}

/// A number in the direction of `x`, or not.
fn along<T: Real>(active: bool, x: T) -> Dual<T> {
    if active { Dual::variable(x) } else { Dual::constant(x) }
}

impl<B: Binary> RuleObject for BinaryRule<B> {
    identity_of!(B);
    fn arity(&self) -> usize {
        2
    }
    fn name(&self) -> &'static str {
        B::NAME
    }
    fn value(&self, x: f64, y: f64) -> f64 {
        self.0.value(x, y)
    }
    fn derivative(&self, [m, n]: [u8; 2], x: f64, y: f64) -> f64 {
        // Direction k is x for k < m.
        let (k, rule) = (m + n, self.0);
        if k == 0 {
            return rule.value(x, y);
        }
        let (x1, y1) = (along(m > 0, x), along(m == 0, y));
        if k == 1 {
            return x1.lift2(y1, rule).tangent();
        }
        let (x2, y2) = (along(1 < m, x1), along(1 >= m, y1));
        if k == 2 {
            return x2.lift2(y2, rule).tangent().tangent();
        }
        let (x3, y3) = (along(2 < m, x2), along(2 >= m, y2));
        if k == 3 {
            return x3.lift2(y3, rule).tangent().tangent().tangent();
        }
        let (x4, y4) = (along(3 < m, x3), along(3 >= m, y3));
        x4.lift2(y4, rule).tangent().tangent().tangent().tangent()
    }
    fn emit(&self, x: Traced, y: Traced, f: Traced) -> [Traced; 2] {
        self.0.partials(x, y, f)
    }
}

/// A function that overwrites sixteen first arguments by its values, or by NaN.
type LineFunction = Arc<dyn Fn(&mut Line, &Line) + Send + Sync>;

/// A rule, or a derivative of it whose formula chooses by values.
#[derive(Clone)]
pub struct RuleEntry {
    /// The rule.
    pub rule: Arc<dyn RuleObject>,
    /// The orders of the derivative in each variable, `[0, 0]` for the value.
    pub orders: [u8; 2],
    /// The function for the rows of sums.
    pub(super) at_lines: Option<LineFunction>,
}

impl RuleEntry {
    /// A rule or its derivative.
    pub fn new(rule: Arc<dyn RuleObject>, orders: [u8; 2]) -> Self {
        RuleEntry { rule, orders, at_lines: None }
    }
    /// The value.
    #[inline]
    pub fn value(&self, x: f64, y: f64) -> f64 {
        if self.orders == [0, 0] { self.rule.value(x, y) } else { self.rule.derivative(self.orders, x, y) }
    }
    /// Whether this is the value of one of these rules.
    pub(super) fn is_one_of(&self, kinds: &[TypeId]) -> bool {
        self.orders == [0, 0] && kinds.contains(&self.rule.kind())
    }
    /// The function of std that has this value.
    pub(super) fn direct(&self) -> Option<Direct> {
        (self.orders == [0, 0]).then(|| std_functions::direct(self.rule.kind())).flatten()
    }
    /// The exponent, if this is a power with an integer exponent.
    pub(super) fn power(&self) -> Option<i32> {
        if self.is_one_of(&kinds![Square]) {
            return Some(2);
        }
        let text = self.is_one_of(&kinds![Powi]).then(|| self.rule.text())?;
        text.strip_prefix("Powi(")?.strip_suffix(')')?.parse().ok()
    }
    /// Overwrites several first arguments by the values.
    #[inline]
    pub(super) fn values(&self, x: &mut [f64], y: &[f64]) {
        if let (Ok(x), Ok(y)) = (<&mut Line>::try_from(&mut *x), <&Line>::try_from(y))
            && let Some(function) = &self.at_lines
        {
            let at = *x;
            function(x, y);
            for lane in 0..LANES {
                if x[lane].is_nan() {
                    x[lane] = self.value(at[lane], y[lane]);
                }
            }
        } else if self.orders == [0, 0] {
            self.rule.values(x, y);
        } else {
            x.iter_mut().zip(y).for_each(|(x, y)| *x = self.value(*x, *y));
        }
    }
}

/// The rules of a program by number; equal rules occur once. Rules are equal if they have one type and the same bits.
#[derive(Clone, Default)]
pub struct Rules {
    /// All rules.
    pub all: Vec<RuleEntry>,
    numbers: HashMap<Key, u32, BuildHasherDefault<Mixing>>,
}

/// The type of a rule, its bits, and its number of variables with how often it is differentiated in each.
type Key = (TypeId, Box<[u8]>, u64);

fn key(rule: &(impl RuleObject + ?Sized), [m, n]: [u8; 2]) -> Key {
    (rule.kind(), rule.bits(), (rule.arity() as u64) << 16 | u64::from(m) << 8 | u64::from(n))
}

/// Appends an entry and returns its index.
fn pushed(all: &mut Vec<RuleEntry>, new: RuleEntry) -> u32 {
    all.push(new);
    all.len() as u32 - 1
}

impl Rules {
    /// The entries of rules with this number of variables.
    pub fn of_arity(&self, arity: usize) -> impl Iterator<Item = &RuleEntry> {
        self.all.iter().filter(move |entry| entry.rule.arity() == arity)
    }
    /// The number of a rule's derivative, of order 0 of its value.
    pub(super) fn of<R: RuleObject + 'static>(&mut self, rule: R, orders: [u8; 2]) -> u32 {
        let entry = |rule| RuleEntry::new(Arc::new(rule), orders);
        if size_of::<R>() > 0 && !identity::READS {
            return self.add(entry(rule));
        }
        let number = self.numbers.entry(key(&rule, orders));
        *number.or_insert_with(|| pushed(&mut self.all, entry(rule)))
    }
    /// The number of an entry, which may be of another program.
    pub fn add(&mut self, entry: RuleEntry) -> u32 {
        let number = self.numbers.entry(key(&*entry.rule, entry.orders));
        *number.or_insert_with(|| pushed(&mut self.all, entry))
    }
}

impl Op {
    /// The operation of a rule, by its number, at one or two operands.
    pub(super) fn of_rule(rule: u32, operands: &[u32]) -> Op {
        let (x, y) = (operands[0], operands[operands.len() - 1]);
        if operands.len() == 1 { Op::Unary { rule, x } } else { Op::Binary { rule, x, y } }
    }
    /// The number of its rule.
    pub(super) fn rule_mut(&mut self) -> Option<&mut u32> {
        if let Op::Unary { rule, .. } | Op::Binary { rule, .. } = self { Some(rule) } else { None }
    }
}

/// A hasher of keys that are numbers.
#[derive(Clone, Copy, Default)]
pub(super) struct Mixing(u64);

impl Hasher for Mixing {
    fn finish(&self) -> u64 {
        self.0
    }
    fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|&byte| self.write_u64(u64::from(byte)));
    }
    #[inline]
    fn write_usize(&mut self, x: usize) {
        self.write_u64(x as u64);
    }
    #[inline]
    fn write_u64(&mut self, x: u64) {
        let product = u128::from(self.0 ^ x ^ 0x9e37_79b9_7f4a_7c15) * 0xd1b5_4a32_d192_ed03_u128;
        self.0 = (product >> 64) as u64 ^ product as u64;
    }
    #[inline]
    fn write_u128(&mut self, x: u128) {
        self.write_u64(x as u64);
        self.write_u64((x >> 64) as u64);
    }
}
