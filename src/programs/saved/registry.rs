//! Rules by their texts.

use std::sync::Arc;

use crate::programs::rules::{BinaryRule, UnaryRule};
use crate::rules::{self, Binary, Unary};

/// The rules that a saved program may use: those of the table with any parameter, and rules of users that are added.
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
    unary: Vec<Arc<dyn UnaryRule>>,
    binary: Vec<Arc<dyn BinaryRule>>,
}

impl KnownRules {
    /// The rules of the table.
    pub fn new() -> Self {
        Self::default()
    }
    /// With a user's rule of one variable, which is found by what `Debug` shows.
    pub fn with_unary<U: Unary>(mut self, rule: U) -> Self {
        self.unary.push(Arc::new(rule));
        self
    }
    /// With a user's rule of two variables.
    pub fn with_binary<B: Binary>(mut self, rule: B) -> Self {
        self.binary.push(Arc::new(rule));
        self
    }
    pub(super) fn unary(&self, text: &str) -> Option<Arc<dyn UnaryRule>> {
        self.unary.iter().find(|rule| rule.text() == text).cloned().or_else(|| unary_of_table(text))
    }
    pub(super) fn binary(&self, text: &str) -> Option<Arc<dyn BinaryRule>> {
        self.binary.iter().find(|rule| rule.text() == text).cloned().or_else(|| binary_of_table(text))
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
                text.parse().ok()
            }
        }
    )*};
}
parameters! { i32 u32 f64 bool }

impl Parameter for [f64; 2] {
    fn read(text: &str) -> Option<Self> {
        let (a, b) = text.strip_prefix('[')?.strip_suffix(']')?.split_once(", ")?;
        Some([a.parse().ok()?, b.parse().ok()?])
    }
}

/// Returns the rule of a row if the text is that of it.
macro_rules! if_it_is {
    ($text:ident $Rule:ident) => {
        if $text == stringify!($Rule) {
            return Some(Arc::new(rules::$Rule));
        }
    };
    ($text:ident $Rule:ident $P:ty) => {
        if let Some(rest) = $text.strip_prefix(concat!(stringify!($Rule), "(")) {
            return Some(Arc::new(rules::$Rule(<$P as Parameter>::read(rest.strip_suffix(')')?)?)));
        }
    };
}

macro_rules! rows {
    ([$text:ident] $(
        $(#[$doc:meta])* $Rule:ident $(($p:ident: $P:ty = $sample:expr))? $m:ident [$($real:tt)*]
        on $lo:literal, $hi:literal $(, $open:ident)? $(by [$($how:tt)*])?; ($($x:ident),*) => $d1:expr $(, $d2:expr)?;
    )*) => { $( if_it_is!($text $Rule $($P)?); )* };
}

macro_rules! rows_of_two {
    ([$text:ident] $(
        $(#[$doc:meta])* $Rule:ident $(($p:ident: $P:ty = $sample:expr))? $m:ident [$($real:tt)*] on ($($xs:tt)*), ($($ys:tt)*) $(by [$($how:tt)*])?;
        ($($x:ident),*) => $partials:expr;
    )*) => { $( if_it_is!($text $Rule $($P)?); )* };
}

fn unary_of_table(text: &str) -> Option<Arc<dyn UnaryRule>> {
    holomorphic_table!(rows text);
    real_table!(rows text);
    None
}

fn binary_of_table(text: &str) -> Option<Arc<dyn BinaryRule>> {
    binary_table!(rows_of_two text);
    selection_table!(rows_of_two text);
    holomorphic_binary_table!(rows_of_two text);
    None
}
