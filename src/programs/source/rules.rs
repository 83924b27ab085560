//! Rules as source code.

use std::any::TypeId;
use std::collections::BTreeMap;

use super::lines::literal;
use super::piecewise;
use crate::error::AdError;
use crate::programs::rules::{RuleEntry, RuleObject, kinds};
use crate::programs::std_functions;
use crate::programs::strong_zeros;
use crate::rules::{Binary, Holomorphic, RuleVisitor, Unary, visit_rules};

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
    /// A rule or its derivative at one or two operands.
    pub(super) fn rule(&mut self, entry: &RuleEntry, operands: &[String]) -> Result<String, AdError> {
        let (kind, name, text) = (entry.rule.kind(), entry.rule.name(), entry.rule.text());
        let (x, all) = (&operands[0], operands.join(", "));
        if let [m, n] = entry.orders
            && m + n > 0
        {
            let orders = if operands.len() == 1 { m.to_string() } else { format!("{m}_{n}") };
            let function = format!("{}_{orders}", identifier(name, &text));
            if !self.items.contains_key(&function) {
                let body = piecewise::derivative(entry, &function, self)?;
                let body = body.map_or_else(|| nested(&function, entry), Ok)?;
                self.items.insert(function.clone(), body);
            }
            return Ok(format!("{function}({all})"));
        }
        if let Some(direct) = std_functions::direct(kind) {
            return Ok(match direct.method {
                "recip" => format!("1.0 / {x}"),
                "powf" => self.power(x, &operands[1]),
                method => format!("{}({all})", self.named(method, direct.libm)),
            });
        }
        let is = |kinds: &[TypeId]| kinds.contains(&kind);
        let short =
            kinds![Sech2, Sigmoid, Sign, Softplus].into_iter().zip(["sech2", "sigmoid", "sign", "softplus"]);
        let parameter = parameter(&text);
        Ok(if is(&kinds![Square]) {
            format!("{x} * {x}")
        } else if is(&kinds![Fract]) {
            format!("{x} - {}({x})", self.named("trunc", Some("trunc")))
        } else if is(&kinds![Powi]) {
            format!("{}({x}, {parameter})", self.beside("powi"))
        } else if is(&kinds![PowConst]) {
            self.power(x, &number(parameter))
        } else if is(&kinds![ExpBase]) {
            self.power(&number(parameter), x)
        } else if is(&kinds![WithSign]) {
            format!("f64::copysign({x}, {})", if parameter == "true" { "-1.0" } else { "1.0" })
        } else if is(&kinds![Rem]) {
            operands.join(" % ")
        } else if is(&kinds![Log]) {
            let ln = self.named("ln", Some("log"));
            format!("{ln}({x}) / {ln}({})", operands[1])
        } else if is(&kinds![RemEuclid, DivEuclid]) {
            if self.libm {
                return Err(AdError::Unsupported { op: name, rule: "source code with libm" });
            }
            format!("f64::{name}({all})")
        } else if let Some((_, name)) = short.into_iter().find(|(other, _)| is(&[*other])) {
            format!("{}({all})", self.beside(name))
        } else {
            format!("{}({all})", self.of_crate(&*entry.rule)?)
        })
    }
    /// Adds a helper function that calls this crate; returns its name.
    fn of_crate(&mut self, rule: &dyn RuleObject) -> Result<String, AdError> {
        let text = of_table(rule)?;
        let name = identifier(rule.name(), &text);
        let [kind, x, x_is] =
            if rule.arity() == 2 { ["Binary", "x, y", "x: f64, y: f64"] } else { ["Unary", "x", "x: f64"] };
        let call = format!("wengert::rules::{kind}::value(wengert::rules::{text}, {x})");
        let item = format!("#[rustfmt::skip]\nfn {name}({x_is}) -> f64 {{\n    {call}\n}}\n");
        self.items.insert(name.clone(), item);
        Ok(name)
    }
}

/// A derivative by nested dual numbers of this crate, in which each level makes one of the arguments a variable.
fn nested(function: &str, entry: &RuleEntry) -> Result<String, AdError> {
    let (rule, [m, n]) = (of_table(&*entry.rule)?, entry.orders);
    let number = |x: &str, active: std::ops::Range<u8>| {
        (0..m + n).fold(x.to_string(), |x, k| {
            format!("wengert::Dual::{}({x})", if active.contains(&k) { "variable" } else { "constant" })
        })
    };
    let (lift, y_is, y) = match entry.rule.arity() {
        1 => ("lift1", "", String::new()),
        _ => ("lift2", ", y: f64", format!(", {}", number("y", m..m + n))),
    };
    let call = format!("wengert::Real::{lift}({}{y}, wengert::rules::{rule})", number("x", 0..m));
    let tangent = ".tangent()".repeat((m + n).into());
    Ok(format!("#[rustfmt::skip]\nfn {function}(x: f64{y_is}) -> f64 {{\n    {call}{tangent}\n}}\n"))
}

/// The text of a rule of the table. It is an error for a rule outside the table, whose name a user may choose freely, and
/// for parameters that Rust cannot write.
fn of_table(rule: &dyn RuleObject) -> Result<String, AdError> {
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
    let (text, mut has) = (rule.text(), Has(rule.kind(), false));
    visit_rules(&mut has);
    let is_rust = !text.contains("NaN") && !text.contains("inf");
    let is_part = text.ends_with("(re)") || text.ends_with("(im)");
    let what = if is_part { "source code of complex numbers" } else { "source code" };
    if has.1 && is_rust { Ok(text) } else { Err(AdError::Unsupported { op: rule.name(), rule: what }) }
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
