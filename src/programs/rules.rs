//! Rules of the table, and of users, without their types.

use std::any::TypeId;
use std::collections::HashMap;
use std::fmt::Debug;
use std::hash::{BuildHasherDefault, Hasher};
use std::sync::Arc;

use super::identity;
use super::traced::Traced;
use crate::duals::Dual;
use crate::number::Real;
use crate::rules::{self, Binary, Unary};

/// The identity of a rule.
pub trait RuleIdentity: Send + Sync {
    /// The rule as `Debug` shows it, with its parameters.
    fn text(&self) -> String;
    /// The type of the rule.
    fn kind(&self) -> TypeId;
    /// The bits of the rule: rules of one type with the same bits are the same.
    fn bits(&self) -> Box<[u8]>;
}

impl<R: Copy + Debug + Send + Sync + 'static> RuleIdentity for R {
    fn text(&self) -> String {
        format!("{self:?}")
    }
    fn kind(&self) -> TypeId {
        TypeId::of::<R>()
    }
    fn bits(&self) -> Box<[u8]> {
        identity::bits(self)
    }
}

/// A rule of one variable.
pub trait UnaryRule: RuleIdentity {
    /// The function's name.
    fn name(&self) -> &'static str;
    /// The value at a float.
    fn value(&self, x: f64) -> f64;
    /// Overwrites several floats by their values.
    fn values(&self, x: &mut [f64]) {
        x.iter_mut().for_each(|x| *x = self.value(*x));
    }
    /// A derivative of order 1 to 4 at a float.
    fn derivative(&self, order: u8, x: f64) -> f64;
    /// Whether the derivative is NaN wherever the value is.
    fn nan_safe(&self) -> bool;
    /// The formula of `f′`, recorded.
    fn emit(&self, x: Traced, f: Traced) -> Traced;
}

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

impl<U: Unary> UnaryRule for U {
    fn name(&self) -> &'static str {
        U::NAME
    }
    fn value(&self, x: f64) -> f64 {
        (*self).value(x)
    }
    fn derivative(&self, order: u8, x: f64) -> f64 {
        by_nested_duals!(order, x, lift1(*self))
    }
    fn nan_safe(&self) -> bool {
        U::NAN_SAFE
    }
    fn emit(&self, x: Traced, f: Traced) -> Traced {
        Unary::derivative(*self, x, f)
    }
}

/// A rule of two variables.
pub trait BinaryRule: RuleIdentity {
    /// The function's name.
    fn name(&self) -> &'static str;
    /// The value at floats.
    fn value(&self, x: f64, y: f64) -> f64;
    /// Overwrites several first arguments by the values.
    fn values(&self, x: &mut [f64], y: &[f64]) {
        x.iter_mut().zip(y).for_each(|(x, y)| *x = self.value(*x, *y));
    }
    /// The derivative at floats, of the given order in each variable, together at most 4.
    fn derivative(&self, orders: [u8; 2], x: f64, y: f64) -> f64;
    /// The formulas of the partials, recorded.
    fn emit(&self, x: Traced, y: Traced, f: Traced) -> [Traced; 2];
}

/// A number in the direction of `x`, or not.
fn along<T: Real>(active: bool, x: T) -> Dual<T> {
    if active { Dual::variable(x) } else { Dual::constant(x) }
}

impl<B: Binary> BinaryRule for B {
    fn name(&self) -> &'static str {
        B::NAME
    }
    fn value(&self, x: f64, y: f64) -> f64 {
        (*self).value(x, y)
    }
    fn derivative(&self, [m, n]: [u8; 2], x: f64, y: f64) -> f64 {
        // Direction k is x for k < m.
        let (k, rule) = (m + n, *self);
        if k == 0 {
            return (*self).value(x, y);
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
        rule_partials(*self, x, y, f)
    }
}

fn rule_partials<B: Binary>(rule: B, x: Traced, y: Traced, f: Traced) -> [Traced; 2] {
    rule.partials(x, y, f)
}

/// A rule of one variable, or a derivative of it whose formula chooses by values.
#[derive(Clone)]
pub struct UnaryEntry {
    /// The rule.
    pub rule: Arc<dyn UnaryRule>,
    /// The order of the derivative, 0 for the value.
    pub order: u8,
}

impl UnaryEntry {
    /// The value.
    #[inline]
    pub fn value(&self, x: f64) -> f64 {
        if self.order == 0 { self.rule.value(x) } else { self.rule.derivative(self.order, x) }
    }
    /// The exponent, if this is a power with an integer exponent.
    pub(super) fn power(&self) -> Option<i32> {
        let is = |kind: TypeId| self.order == 0 && self.rule.kind() == kind;
        if is(TypeId::of::<rules::Square>()) {
            return Some(2);
        }
        let text = is(TypeId::of::<rules::Powi>()).then(|| self.rule.text())?;
        text.strip_prefix("Powi(")?.strip_suffix(')')?.parse().ok()
    }
    /// Overwrites several floats by their values.
    #[inline]
    pub(super) fn values(&self, x: &mut [f64]) {
        if self.order == 0 {
            return self.rule.values(x);
        }
        x.iter_mut().for_each(|x| *x = self.value(*x));
    }
}

/// A rule of two variables, or a derivative of it whose formula chooses by values.
#[derive(Clone)]
pub struct BinaryEntry {
    /// The rule.
    pub rule: Arc<dyn BinaryRule>,
    /// The orders of the derivative in each variable, `[0, 0]` for the value.
    pub orders: [u8; 2],
}

impl BinaryEntry {
    /// The value.
    #[inline]
    pub fn value(&self, x: f64, y: f64) -> f64 {
        if self.orders == [0, 0] { self.rule.value(x, y) } else { self.rule.derivative(self.orders, x, y) }
    }
    /// Overwrites several first arguments by the values.
    #[inline]
    pub(super) fn values(&self, x: &mut [f64], y: &[f64]) {
        if self.orders == [0, 0] {
            return self.rule.values(x, y);
        }
        x.iter_mut().zip(y).for_each(|(x, y)| *x = self.value(*x, *y));
    }
}

/// The rules of a program by number; equal rules occur once. Rules are equal if they have one type and the same bits.
#[derive(Clone, Default)]
pub struct Rules {
    /// Rules of one variable.
    pub unary: Vec<UnaryEntry>,
    /// Rules of two variables.
    pub binary: Vec<BinaryEntry>,
    numbers: HashMap<Key, u32, BuildHasherDefault<Mixing>>,
}

/// The type of a rule, its bits, and how often it is differentiated in each variable. A third number marks rules of
/// two variables.
type Key = (TypeId, Box<[u8]>, u64);

fn unary_key(rule: &(impl RuleIdentity + ?Sized), order: u8) -> Key {
    (rule.kind(), rule.bits(), u64::from(order))
}

fn binary_key(rule: &(impl RuleIdentity + ?Sized), [m, n]: [u8; 2]) -> Key {
    (rule.kind(), rule.bits(), 1 << 16 | u64::from(m) << 8 | u64::from(n))
}

/// Appends an element and returns its index.
fn pushed<E>(all: &mut Vec<E>, new: E) -> u32 {
    all.push(new);
    all.len() as u32 - 1
}

impl Rules {
    /// The number of a rule's value.
    pub(super) fn of_unary<U: Unary>(&mut self, rule: U) -> u32 {
        let entry = || UnaryEntry { rule: Arc::new(rule), order: 0 };
        if size_of::<U>() > 0 && !identity::READS {
            return self.add_unary(entry());
        }
        let number = self.numbers.entry(unary_key(&rule, 0));
        *number.or_insert_with(|| pushed(&mut self.unary, entry()))
    }
    /// The number of a rule's value.
    pub(super) fn of_binary<B: BinaryRule + Copy + 'static>(&mut self, rule: B) -> u32 {
        let entry = || BinaryEntry { rule: Arc::new(rule), orders: [0, 0] };
        if size_of::<B>() > 0 && !identity::READS {
            return self.add_binary(entry());
        }
        let number = self.numbers.entry(binary_key(&rule, [0, 0]));
        *number.or_insert_with(|| pushed(&mut self.binary, entry()))
    }
    /// The number of an entry, which may be of another program.
    pub fn add_unary(&mut self, entry: UnaryEntry) -> u32 {
        let number = self.numbers.entry(unary_key(&*entry.rule, entry.order));
        *number.or_insert_with(|| pushed(&mut self.unary, entry))
    }
    /// The number of an entry, which may be of another program.
    pub fn add_binary(&mut self, entry: BinaryEntry) -> u32 {
        let number = self.numbers.entry(binary_key(&*entry.rule, entry.orders));
        *number.or_insert_with(|| pushed(&mut self.binary, entry))
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
