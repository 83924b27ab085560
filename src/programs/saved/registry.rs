//! Rules by their texts.

use std::collections::HashMap;
use std::sync::Arc;

use crate::error::AdError;
use crate::programs::complex::ComplexPart;
use crate::programs::rules::{BinaryRule, RuleObject, Rules, UnaryRule};
use crate::rules::{self, Binary, Holomorphic, Unary};

/// The rules that a saved program may use: the rules of the table with any parameter, and rules of users that are
/// added.
///
/// ```
/// use wengert::programs::{KnownRules, trace};
/// use wengert::{BaseFloat, Real, rules::Unary};
/// #[derive(Clone, Copy, Debug)]
/// struct Twice;
/// impl Unary for Twice {
///     const NAME: &'static str = "twice";
///     fn value<F: BaseFloat>(self, x: F) -> F { x + x }
///     fn derivative<T: Real>(self, _: T, _: T) -> T { T::lit(2.0) }
/// }
/// let saved = trace(|x| x[0].lift1(Twice), &[1.0]).save()?;
/// let error = saved.program(&KnownRules::new()).err().unwrap().to_string();
/// assert_eq!(error, "saved program: the rule Twice is not known");
/// let program = saved.program(&KnownRules::new().with_unary(Twice))?;
/// assert_eq!(program.run(&[4.0])?, [8.0]);
/// # Ok::<(), wengert::AdError>(())
/// ```
#[derive(Clone, Default)]
pub struct KnownRules {
    /// Rules of users by their numbers of variables and their texts; `None` if different rules have the same text.
    of_users: HashMap<(usize, String), Option<Arc<dyn RuleObject>>>,
}

/// The error for a text that does not determine a rule.
fn unclear(text: &str, why: &str) -> AdError {
    super::wrong(format!("the rule {} {why}: Debug has to show which", text.escape_debug()))
}

/// An error if the text of a rule is ambiguous: between a rule of the table and a user's rule, or between two user's
/// rules.
pub(super) fn demand_distinct(rules: &Rules) -> Result<(), AdError> {
    let mut seen = HashMap::new();
    for rule in rules.of_arity(1).chain(rules.of_arity(2)).map(|entry| &entry.rule) {
        let (text, arity, kind) = (rule.text(), rule.arity(), rule.kind());
        // A text determines a rule of the table, except for the bits of NaN.
        let is_another = match of_table(arity, &text) {
            Some(other) => other.kind() != kind,
            None => {
                let this = (kind, rule.bits());
                *seen.entry((text.clone(), arity)).or_insert_with(|| this.clone()) != this
            }
        };
        if is_another {
            return Err(unclear(&text, "is one of several"));
        }
    }
    Ok(())
}

impl KnownRules {
    /// The rules of the table.
    pub fn new() -> Self {
        Self::default()
    }
    /// Adds a user's rule of one variable, as in the example of [`KnownRules`]. The rule is found by its `Debug` text. A
    /// program is refused if one of its texts belongs to two registered rules.
    pub fn with_unary<U: Unary>(self, rule: U) -> Self {
        self.with_rule(UnaryRule(rule))
    }
    /// Adds a user's rule of two variables; see [`with_unary`](Self::with_unary).
    ///
    /// ```
    /// use wengert::programs::{KnownRules, trace};
    /// use wengert::{BaseFloat, Real, rules::Binary};
    /// #[derive(Clone, Copy, Debug)]
    /// struct Area;
    /// impl Binary for Area {
    ///     const NAME: &'static str = "area";
    ///     fn value<F: BaseFloat>(self, x: F, y: F) -> F { x * y }
    ///     fn partials<T: Real>(self, x: T, y: T, _: T) -> [T; 2] { [y, x] }
    /// }
    /// let saved = trace(|x| x[0].lift2(x[1], Area), &[2.0, 3.0]).save()?;
    /// let program = saved.program(&KnownRules::new().with_binary(Area))?;
    /// assert_eq!(program.run(&[4.0, 5.0])?, [20.0]);
    /// # Ok::<(), wengert::AdError>(())
    /// ```
    pub fn with_binary<B: Binary>(self, rule: B) -> Self {
        self.with_rule(BinaryRule(rule))
    }
    /// Adds a user's holomorphic rule, for real and complex numbers; see [`with_unary`](Self::with_unary).
    ///
    /// ```
    /// use wengert::programs::{KnownRules, trace};
    /// use wengert::{Number, Real, rules::Holomorphic};
    /// #[derive(Clone, Copy, Debug)]
    /// struct Growth;
    /// impl Holomorphic for Growth {
    ///     const NAME: &'static str = "growth";
    ///     fn value_complex<Z: Number<Primal = Z>>(self, z: Z) -> Z { z * z.exp() }
    ///     fn derivative<T: Number>(self, z: T, f: T) -> T { f + z.exp() }
    /// }
    /// fn f<T: Real>(x: &[T]) -> T {
    ///     T::Complex::from_parts(x[0], x[1]).lift_holomorphic(Growth).re()
    /// }
    /// let program = trace(|x| f(x), &[1.0, 2.0]);
    /// let again = program.save()?.program(&KnownRules::new().with_holomorphic(Growth))?;
    /// assert_eq!(again.run(&[0.5, 3.0])?, [f(&[0.5, 3.0])]);
    /// # Ok::<(), wengert::AdError>(())
    /// ```
    pub fn with_holomorphic<H: Holomorphic>(self, rule: H) -> Self {
        self.with_rule(real_part(rule)).with_rule(imaginary_part(rule)).with_unary(rule)
    }
    fn with_rule(mut self, rule: impl RuleObject + 'static) -> Self {
        let rule: Arc<dyn RuleObject> = Arc::new(rule);
        let known = self.of_users.entry((rule.arity(), rule.text())).or_insert_with(|| Some(rule.clone()));
        if known.as_ref().is_some_and(|known| (known.kind(), known.bits()) != (rule.kind(), rule.bits())) {
            *known = None;
        }
        self
    }
    /// The rule of a text: a user's or one of the table. It is an error if both have this text.
    pub(super) fn find(&self, arity: usize, text: &str) -> Result<Arc<dyn RuleObject>, AdError> {
        match (self.of_users.get(&(arity, text.to_string())), of_table(arity, text)) {
            (Some(Some(rule)), None) => Ok(rule.clone()),
            (None, Some(rule)) => Ok(rule),
            (None, None) => Err(super::wrong(format!("the rule {} is not known", text.escape_debug()))),
            _ => Err(unclear(text, "is any of several")),
        }
    }
}

/// A parameter of a rule, as `Debug` writes it.
trait Parameter: Sized {
    fn read(text: &str) -> Option<Self>;
}

macro_rules! parameters {
    ($($T:ty)*) => {$(
        impl Parameter for $T {
            fn read(text: &str) -> Option<Self> {
                let parameter: $T = text.parse().ok()?;
                // Only the text that `Debug` writes: no `+5`, no number beyond the range.
                (format!("{parameter:?}") == text).then_some(parameter)
            }
        }
    )*};
}
parameters! { i32 u32 f64 bool }

impl Parameter for [f64; 2] {
    fn read(text: &str) -> Option<Self> {
        let (a, b) = text.strip_prefix('[')?.strip_suffix(']')?.split_once(", ")?;
        Some([Parameter::read(a)?, Parameter::read(b)?])
    }
}

/// Returns the rule of a row if the text belongs to it.
macro_rules! if_it_is {
    ($text:ident $made:ident $Rule:ident) => {
        if $text == stringify!($Rule) {
            return Some(Arc::new($made(rules::$Rule)));
        }
    };
    ($text:ident $made:ident $Rule:ident $P:ty) => {
        if let Some(rest) = $text.strip_prefix(concat!(stringify!($Rule), "(")) {
            return Some(Arc::new($made(rules::$Rule(<$P as Parameter>::read(rest.strip_suffix(')')?)?))));
        }
    };
}

macro_rules! rows {
    ([$text:ident $made:ident] $(
        $(#[$doc:meta])* $Rule:ident $(($p:ident: $P:ty = $sample:expr))? $m:ident [$($real:tt)*]
        on $lo:literal, $hi:literal $(, $open:ident)? $(by [$($how:tt)*])?; ($($x:ident),*) => $d1:expr $(, $d2:expr)?;
    )*) => { $( if_it_is!($text $made $Rule $($P)?); )* };
}

macro_rules! rows_of_two {
    ([$text:ident $made:ident] $(
        $(#[$doc:meta])* $Rule:ident $(($p:ident: $P:ty = $sample:expr))? $m:ident [$($real:tt)*] on ($($xs:tt)*), ($($ys:tt)*) $(by [$($how:tt)*])?;
        ($($x:ident),*) => $partials:expr;
    )*) => { $( if_it_is!($text $made $Rule $($P)?); )* };
}

/// The rule of the table with this text.
fn of_table(arity: usize, text: &str) -> Option<Arc<dyn RuleObject>> {
    if arity == 1 {
        holomorphic_table!(rows text UnaryRule);
        real_table!(rows text UnaryRule);
        return None;
    }
    if let Some(text) = text.strip_suffix("(re)") {
        holomorphic_table!(rows text real_part);
    }
    if let Some(text) = text.strip_suffix("(im)") {
        holomorphic_table!(rows text imaginary_part);
    }
    binary_table!(rows_of_two text BinaryRule);
    selection_table!(rows_of_two text BinaryRule);
    holomorphic_binary_table!(rows_of_two text BinaryRule);
    None
}

fn real_part<H: Holomorphic>(rule: H) -> impl RuleObject {
    BinaryRule(ComplexPart::<H, false>(rule))
}

fn imaginary_part<H: Holomorphic>(rule: H) -> impl RuleObject {
    BinaryRule(ComplexPart::<H, true>(rule))
}
