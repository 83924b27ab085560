//! Rules as source code.

use std::any::TypeId;
use std::collections::BTreeMap;

use super::lines::literal;
use super::piecewise;
use crate::error::AdError;
use crate::programs::rules::{BinaryEntry, UnaryEntry};
use crate::programs::std_functions;
use crate::programs::strong_zeros;
use crate::rules::{self, Binary, Holomorphic, RuleVisitor, Unary, visit_rules};

/// The functions inside the written function, by name, and the source of elementary functions.
pub(super) struct Helpers {
    libm: bool,
    items: BTreeMap<String, String>,
}

/// By squares, as [`f64::powi`] is computed when the program runs. A compiler may compute a power with a known
/// exponent in another way.
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

/// Short functions that std lacks, as [`rules`] has them.
const SIGN: &str = "fn sign(x: f64) -> f64 {
    if x == 0.0 { 0.0 } else { f64::signum(x) }
}
";

const SIGMOID: &str = "fn sigmoid(x: f64) -> f64 {
    if x >= 0.0 {
        1.0 / (1.0 + exp(-x))
    } else {
        let t = exp(x);
        t / (1.0 + t)
    }
}
";

const SOFTPLUS: &str = "fn softplus(x: f64) -> f64 {
    let rest = ln_1p(exp(-f64::abs(x)));
    if x > 0.0 { x + rest } else { rest }
}
";

/// The rounding error of the sum is put back.
const SECH2: &str = "fn sech2(x: f64) -> f64 {
    let t = exp(-2.0 * f64::abs(x));
    let sum = 1.0 + t;
    if f64::abs(x) > 300.0 {
        let half = 2.0 * exp(-f64::abs(x));
        half * half
    } else {
        4.0 * t / (sum * sum) * (1.0 - 2.0 * (t - (sum - 1.0)))
    }
}
";

/// The helper functions, in addition to the products with strong zeros.
const BESIDE: [(&str, &str); 5] =
    [("powi", POWI), ("sech2", SECH2), ("sigmoid", SIGMOID), ("sign", SIGN), ("softplus", SOFTPLUS)];

impl Helpers {
    pub(super) fn new(libm: bool) -> Self {
        Helpers { libm, items: BTreeMap::new() }
    }
    /// All of them, indented.
    pub(super) fn text(&self) -> String {
        let indented = |line: &str| if line.is_empty() { "\n".to_string() } else { format!("    {line}\n") };
        let all: Vec<&str> = self.items.values().map(|item| item.trim_end()).collect();
        let all = if all.is_empty() { String::new() } else { all.join("\n\n") + "\n\n" };
        all.lines().map(indented).collect()
    }
    /// The function with strong zeros, for results that are not finite.
    pub(super) fn again(&mut self, text: &str) {
        self.items.insert("again".to_string(), format!("#[cold]\n#[inline(never)]\n{text}"));
    }
    /// Adds a helper function: a product with strong zeros, a power, a short function that std lacks.
    pub(super) fn beside(&mut self, name: &'static str) -> &'static str {
        if let Some((_, text)) = strong_zeros::TEXTS.iter().chain(&BESIDE).find(|(other, _)| *other == name) {
            let [exp, ln_1p] =
                [("exp", "exp"), ("ln_1p", "log1p")].map(|(f, libm)| self.named(f, Some(libm)));
            self.items.insert(
                name.to_string(),
                text.replace("exp(", &(exp + "(")).replace("ln_1p(", &(ln_1p + "(")),
            );
        }
        name
    }
    pub(super) fn mul_add(&self) -> &'static str {
        if self.libm { "libm::fma" } else { "f64::mul_add" }
    }
    /// A power. A literal is hidden from the compiler, which would replace a power of 2 by `x * x`, with other bits.
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
                let body = piecewise::derivative(entry, &function, self)?;
                let active = vec![[true, false]; entry.order.into()];
                let body = body.map_or_else(|| nested(&function, (kind, name, &text), false, &active), Ok)?;
                self.items.insert(function.clone(), body);
            }
            return Ok(format!("{function}({x})"));
        }
        let is = |other: TypeId| kind == other;
        let short = [
            (TypeId::of::<rules::Sech2>(), "sech2"),
            (TypeId::of::<rules::Sigmoid>(), "sigmoid"),
            (TypeId::of::<rules::Sign>(), "sign"),
            (TypeId::of::<rules::Softplus>(), "softplus"),
        ];
        let parameter = parameter(&text);
        if let Some(direct) = std_functions::unary(kind) {
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
            format!("{}({x}, {parameter})", self.beside("powi"))
        } else if is(TypeId::of::<rules::PowConst>()) {
            self.power(x, &number(parameter))
        } else if is(TypeId::of::<rules::ExpBase>()) {
            self.power(&number(parameter), x)
        } else if is(TypeId::of::<rules::WithSign>()) {
            format!("f64::copysign({x}, {})", if parameter == "true" { "-1.0" } else { "1.0" })
        } else if let Some((_, name)) = short.into_iter().find(|(other, _)| is(*other)) {
            format!("{}({x})", self.beside(name))
        } else {
            format!("{}({x})", self.of_crate(kind, name, &text, false)?)
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
                let active: Vec<[bool; 2]> = (0..m + n).map(|k| [k < m, k >= m]).collect();
                let body = nested(&function, (kind, name, &text), true, &active)?;
                self.items.insert(function.clone(), body);
            }
            return Ok(format!("{function}({x}, {y})"));
        }
        if let Some(direct) = std_functions::binary(kind) {
            if direct.method == "powf" {
                return Ok(self.power(x, y));
            }
            return Ok(format!("{}({x}, {y})", self.named(direct.method, direct.libm)));
        }
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
            format!("{}({x}, {y})", self.of_crate(kind, name, &text, true)?)
        })
    }
    /// Adds a helper function that calls this crate; returns its name.
    fn of_crate(
        &mut self,
        kind: TypeId,
        op: &'static str,
        text: &str,
        of_two: bool,
    ) -> Result<String, AdError> {
        of_table(kind, op, text)?;
        let name = identifier(op, text);
        let [kind, x, x_is, y, y_is] = if of_two {
            ["Binary", "x", "x: f64", ", y", ", y: f64"]
        } else {
            ["Unary", "x", "x: f64", "", ""]
        };
        let call = format!("wengert::rules::{kind}::value(wengert::rules::{text}, {x}{y})");
        let item = format!("#[rustfmt::skip]\nfn {name}({x_is}{y_is}) -> f64 {{\n    {call}\n}}\n");
        self.items.insert(name.clone(), item);
        Ok(name)
    }
}

/// A derivative by nested dual numbers of this crate, in which each level makes one of the arguments a variable.
fn nested(
    function: &str,
    (kind, op, rule): (TypeId, &'static str, &str),
    of_two: bool,
    active: &[[bool; 2]],
) -> Result<String, AdError> {
    of_table(kind, op, rule)?;
    let number = |x: &str, i: usize| {
        active.iter().fold(x.to_string(), |x, active| {
            format!("wengert::Dual::{}({x})", if active[i] { "variable" } else { "constant" })
        })
    };
    let (lift, y_is) = if of_two { ("lift2", ", y: f64") } else { ("lift1", "") };
    let others = if of_two { format!(", {}", number("y", 1)) } else { String::new() };
    let call = format!("wengert::Real::{lift}({}{others}, wengert::rules::{rule})", number("x", 0));
    let tangent = ".tangent()".repeat(active.len());
    Ok(format!("#[rustfmt::skip]\nfn {function}(x: f64{y_is}) -> f64 {{\n    {call}{tangent}\n}}\n"))
}

/// An error for a rule outside the table, whose name a user may choose freely, and for parameters that Rust cannot write.
fn of_table(kind: TypeId, op: &'static str, text: &str) -> Result<(), AdError> {
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
    let is_rust = !text.contains("NaN") && !text.contains("inf");
    let is_part = text.ends_with("(re)") || text.ends_with("(im)");
    let rule = if is_part { "source code of complex numbers" } else { "source code" };
    if has.1 && is_rust { Ok(()) } else { Err(AdError::Unsupported { op, rule }) }
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
