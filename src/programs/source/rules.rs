//! Rules as source code.

use std::any::TypeId;
use std::collections::BTreeMap;

use super::lines::literal;
use super::pieces;
use super::special;
use crate::error::AdError;
use crate::programs::direct;
use crate::programs::rules::{BinaryEntry, UnaryEntry};
use crate::rules::{self, Binary, Holomorphic, RuleVisitor, Unary, visit_rules};

/// Functions that a function has inside, by name; where elementary functions are from.
pub(super) struct Helpers {
    libm: bool,
    items: BTreeMap<String, String>,
}

const OVER: &str = "fn over(t: f64, y: f64, r: f64) -> f64 {
    let quotient = t * r;
    if f64::is_finite(quotient) {
        quotient
    } else if t == 0.0 {
        0.0
    } else if f64::is_nan(r) {
        r
    } else {
        t / y
    }
}
";

const STRONG: &str = "fn strong(d: f64, t: f64) -> f64 {
    let product = d * t;
    if f64::is_nan(product) && t == 0.0 {
        0.0
    } else {
        product
    }
}
";

const BOTH: &str = "fn both(d: f64, t: f64) -> f64 {
    let product = d * t;
    if f64::is_nan(product) && (d == 0.0 || t == 0.0) {
        0.0
    } else {
        product
    }
}
";

/// By squares, as [`f64::powi`] is computed when the program runs. (A compiler may compute a known power in another way.)
const POWI: &str = "fn powi(mut x: f64, n: i32) -> f64 {
    let (mut left, mut power) = (n.unsigned_abs(), 1.0);
    loop {
        if left & 1 == 1 {
            power *= x;
        }
        left /= 2;
        if left == 0 {
            break;
        }
        x *= x;
    }
    if n < 0 { 1.0 / power } else { power }
}
";

/// What stands beside the function: the laws at zeros and NaN, as `evaluate` has them, and powers.
const LAWS: [(&str, &str); 5] = [
    ("both", BOTH),
    ("over", OVER),
    ("partial", "fn partial(f: f64, d: f64) -> f64 {\n    if f64::is_nan(f) { f64::NAN } else { d }\n}\n"),
    ("powi", POWI),
    ("strong", STRONG),
];

impl Helpers {
    pub(super) fn new(libm: bool) -> Self {
        Helpers { libm, items: BTreeMap::new() }
    }
    /// All of them, indented.
    pub(super) fn text(&self) -> String {
        let indented = |line: &str| if line.is_empty() { "\n".to_string() } else { format!("    {line}\n") };
        let uses = special::imports(self.items.values().map(String::as_str));
        let uses = if uses.is_empty() { uses } else { uses + "\n" };
        let all: Vec<&str> = self.items.values().map(|item| item.trim_end()).collect();
        let all = if all.is_empty() { String::new() } else { all.join("\n\n") + "\n\n" };
        (uses + &all).lines().map(indented).collect()
    }
    /// The function with laws, for results that are not finite.
    pub(super) fn again(&mut self, text: &str) {
        self.items.insert("again".to_string(), format!("#[cold]\n#[inline(never)]\n{text}"));
    }
    pub(super) fn law(&mut self, name: &'static str) -> &'static str {
        if let Some((_, text)) = LAWS.iter().find(|(law, _)| *law == name) {
            self.items.insert(name.to_string(), text.to_string());
        }
        name
    }
    pub(super) fn mul_add(&self) -> &'static str {
        if self.libm { "libm::fma" } else { "f64::mul_add" }
    }
    /// A power; a number is hidden, because compilers take `x * x` for a power of 2, which has other bits.
    fn power(&self, x: &str, y: &str) -> String {
        let function = if self.libm { "libm::pow" } else { "f64::powf" };
        let is_number = |x: &str| !x.starts_with(['v', 'x', 'y']);
        let hidden =
            |x: &str| if is_number(x) { format!("core::hint::black_box({x})") } else { x.to_string() };
        format!("{function}({}, {})", hidden(x), hidden(y))
    }
    fn named(&self, method: &str, libm: Option<&str>) -> String {
        match libm {
            Some(name) if self.libm => format!("libm::{name}"),
            _ => format!("f64::{method}"),
        }
    }
    /// A rule of one variable.
    pub(super) fn unary(&mut self, entry: &UnaryEntry, x: &str) -> Result<String, AdError> {
        let (kind, name, text) = (entry.rule.kind(), entry.rule.name(), entry.rule.text());
        if entry.order > 0 {
            let function = format!("{}_{}", identifier(name, &text), entry.order);
            if !self.items.contains_key(&function) {
                let body = pieces::derivative(entry, &function, self)?;
                self.items.insert(function.clone(), body);
            }
            return Ok(format!("{function}({x})"));
        }
        let is = |other: TypeId| kind == other;
        let parameter = parameter(&text);
        if let Some(direct) = direct::unary(kind) {
            return Ok(match direct.method {
                "recip" => format!("1.0 / {x}"),
                method => format!("{}({x})", self.named(method, direct.libm)),
            });
        }
        Ok(if is(TypeId::of::<rules::Square>()) {
            format!("{x} * {x}")
        } else if is(TypeId::of::<rules::Fract>()) {
            format!("{x} - {}({x})", self.named("trunc", Some("trunc")))
        } else if is(TypeId::of::<rules::Powi>()) {
            format!("{}({x}, {parameter})", self.law("powi"))
        } else if is(TypeId::of::<rules::PowConst>()) {
            self.power(x, &number(parameter))
        } else if is(TypeId::of::<rules::ExpBase>()) {
            self.power(&number(parameter), x)
        } else if is(TypeId::of::<rules::WithSign>()) {
            format!("f64::copysign({x}, {})", if parameter == "true" { "-1.0" } else { "1.0" })
        } else if is(TypeId::of::<rules::ExpSquare>()) {
            self.special("gaussian", name)?;
            format!("1.0 / gaussian({x})")
        } else {
            of_table(kind, name)?;
            self.special(name, name)?;
            if parameter.is_empty() { format!("{name}({x})") } else { format!("{name}({parameter}, {x})") }
        })
    }
    /// A rule of two variables.
    pub(super) fn binary(&mut self, entry: &BinaryEntry, [x, y]: [&str; 2]) -> Result<String, AdError> {
        let (kind, name, text) = (entry.rule.kind(), entry.rule.name(), entry.rule.text());
        if let [m, n] = entry.orders
            && m + n > 0
        {
            let function = format!("{}_{m}_{n}", identifier(name, &text));
            if !self.items.contains_key(&function) {
                let body = pieces::partial(entry, &function, self)?;
                self.items.insert(function.clone(), body);
            }
            return Ok(format!("{function}({x}, {y})"));
        }
        if let Some(direct) = direct::binary(kind) {
            if direct.method == "powf" {
                return Ok(self.power(x, y));
            }
            return Ok(format!("{}({x}, {y})", self.named(direct.method, direct.libm)));
        }
        let parameter = parameter(&text);
        Ok(if kind == TypeId::of::<rules::Rem>() {
            format!("{x} % {y}")
        } else if kind == TypeId::of::<rules::Log>() {
            let ln = self.named("ln", Some("log"));
            format!("{ln}({x}) / {ln}({y})")
        } else if [TypeId::of::<rules::RemEuclid>(), TypeId::of::<rules::DivEuclid>()].contains(&kind) {
            if self.libm {
                return Err(AdError::Unsupported { op: name, rule: "source code with libm" });
            }
            format!("f64::{name}({x}, {y})")
        } else {
            of_table(kind, name)?;
            self.special(name, name)?;
            let parameter = if parameter.is_empty() { String::new() } else { format!("{parameter}, ") };
            format!("{name}({parameter}{x}, {y})")
        })
    }
    /// A machine function of this crate, with all that it uses.
    fn special(&mut self, function: &str, op: &'static str) -> Result<(), AdError> {
        let items =
            special::closure(function, self.libm).map_err(|rule| AdError::Unsupported { op, rule })?;
        self.items.extend(items);
        Ok(())
    }
}

/// An error for a rule that is not one of the table: a user may have given it any name.
fn of_table(kind: TypeId, op: &'static str) -> Result<(), AdError> {
    struct Has(TypeId, bool);
    impl RuleVisitor for Has {
        fn holomorphic<H: Holomorphic>(&mut self, _: H, _: [f64; 2]) {
            self.1 |= self.0 == TypeId::of::<H>();
        }
        fn unary<U: Unary>(&mut self, _: U, _: [f64; 2]) {
            self.1 |= self.0 == TypeId::of::<U>();
        }
        fn binary<B: Binary>(&mut self, _: B, _: [[f64; 2]; 2]) {
            self.1 |= self.0 == TypeId::of::<B>();
        }
    }
    let mut has = Has(kind, false);
    visit_rules(&mut has);
    if has.1 { Ok(()) } else { Err(AdError::Unsupported { op, rule: "source code" }) }
}

/// The parameter in the text of a rule, `Powi(3)`.
fn parameter(text: &str) -> &str {
    text.split_once('(').map_or("", |(_, rest)| rest.trim_end_matches(')'))
}

/// A float in the text of a rule.
fn number(parameter: &str) -> String {
    parameter.parse().map_or_else(|_| parameter.to_string(), literal)
}

/// A name for a rule with its parameter.
fn identifier(name: &str, text: &str) -> String {
    let parameter = parameter(text).replace('-', "minus_");
    let mut word = String::new();
    for c in format!("{name}_{parameter}").chars() {
        if c.is_alphanumeric() {
            word.push(c.to_ascii_lowercase());
        } else if !word.ends_with('_') {
            word.push('_');
        }
    }
    word.trim_end_matches('_').to_string()
}
