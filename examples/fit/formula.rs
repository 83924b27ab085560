//! Model formulas: parsed by the crate `exmex`, evaluated over any number type.
//!
//! [`Operators`] gives `exmex`, a crate without derivatives, the operators of every [`Real`] number of `wengert`. The
//! same formula then gives values (`f64`), Jacobians (`DualN`), or anything else that is `Real`.

use std::fmt::Debug;
use std::str::FromStr;

use exmex::{BinOp, Express, FlatEx, MakeOperators, MatchLiteral, Operator, literal_matcher_from_pattern};
use wengert::Real;

use super::exact::Exact;
use super::failure::{Failure, Result, failure, quoted};
use super::tokens::{self, Meaning};

literal_matcher_from_pattern!(Literal, r"^([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?");

/// The operators of a formula, for every number of `wengert` and for [`Exact`].
#[derive(Clone, Debug)]
pub struct Operators;

impl<T: Real<Base = f64>> MakeOperators<T> for Operators {
    fn make<'a>() -> Vec<Operator<'a, T>> {
        operators!(T, T::lit(std::f64::consts::PI))
    }
}

impl MakeOperators<Exact> for Operators {
    fn make<'a>() -> Vec<Operator<'a, Exact>> {
        operators!(Exact, Exact::pi())
    }
}

/// One list for both types: a type with these operators and methods is a number to `exmex`.
///
/// Operators of one priority are taken from left to right. No operator is declared commutative: `exmex` folds
/// constants around one that is, `x - 1 + 2 → x - (1 + 2)`, unless `-` binds tighter than `+`.
macro_rules! operators {
    ($T:ty, $pi:expr) => {
        vec![
            Operator::make_bin("+", BinOp { apply: |a, b| a + b, prio: 0, is_commutative: false }),
            Operator::make_bin_unary(
                "-",
                BinOp { apply: |a, b| a - b, prio: 0, is_commutative: false },
                |a| -a,
            ),
            Operator::make_bin("*", BinOp { apply: |a, b| a * b, prio: 1, is_commutative: false }),
            Operator::make_bin("/", BinOp { apply: |a, b| a / b, prio: 1, is_commutative: false }),
            Operator::make_bin(
                "^",
                BinOp { apply: |a: $T, b: $T| a.powf(b), prio: 2, is_commutative: false },
            ),
            Operator::make_constant("pi", $pi),
            Operator::make_unary("exp", |x: $T| x.exp()),
            Operator::make_unary("ln", |x: $T| x.ln()),
            Operator::make_unary("log2", |x: $T| x.log2()),
            Operator::make_unary("log10", |x: $T| x.log10()),
            Operator::make_unary("sqrt", |x: $T| x.sqrt()),
            Operator::make_unary("cbrt", |x: $T| x.cbrt()),
            Operator::make_unary("abs", |x: $T| x.abs()),
            Operator::make_unary("sin", |x: $T| x.sin()),
            Operator::make_unary("cos", |x: $T| x.cos()),
            Operator::make_unary("tan", |x: $T| x.tan()),
            Operator::make_unary("asin", |x: $T| x.asin()),
            Operator::make_unary("acos", |x: $T| x.acos()),
            Operator::make_unary("atan", |x: $T| x.atan()),
            Operator::make_unary("sinh", |x: $T| x.sinh()),
            Operator::make_unary("cosh", |x: $T| x.cosh()),
            Operator::make_unary("tanh", |x: $T| x.tanh()),
        ]
    };
}
use operators;

/// Other names of functions, as NIST and others write them.
const ALIASES: [(&str, &str); 4] =
    [("log", "ln"), ("arcsin", "asin"), ("arccos", "acos"), ("arctan", "atan")];

/// The meaning of a name. The index counts from zero.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Slot {
    Parameter(usize),
    Predictor(usize),
}

/// The columns of the data, which a formula may name.
#[derive(Clone, Debug)]
pub struct Columns {
    /// Names of the predictors; `x1…xk` (and `x` if there is one) unless the data name them.
    pub predictors: Vec<String>,
    pub response: String,
}

impl Columns {
    fn slot(&self, name: &str) -> Option<Slot> {
        if let Some(k) = index(name, "b") {
            return Some(Slot::Parameter(k));
        }
        if let Some(k) = self.predictors.iter().position(|p| p == name) {
            return Some(Slot::Predictor(k));
        }
        // By position, unless the data use these names themselves, perhaps in another order.
        if self.predictors.iter().any(|p| p == "x" || index(p, "x").is_some()) {
            return (name == "x1" && self.predictors == ["x"]).then_some(Slot::Predictor(0));
        }
        match index(name, "x") {
            Some(k) => (k < self.predictors.len()).then_some(Slot::Predictor(k)),
            None => (name == "x" && self.predictors.len() == 1).then_some(Slot::Predictor(0)),
        }
    }
}

/// `b3` with prefix `b` is index 2.
pub fn index(name: &str, prefix: &str) -> Option<usize> {
    let digits = name.strip_prefix(prefix)?;
    let number: usize = digits.parse().ok()?;
    (number >= 1 && number.to_string() == digits).then(|| number - 1)
}

/// A checked formula `response = expression` in parameters `b1…bp` and predictors.
#[derive(Clone, Debug)]
pub struct Formula {
    /// The expression as it was written.
    pub text: String,
    /// How many parameters it has.
    pub parameters: usize,
    /// Whether the left side is the logarithm of the response.
    pub log_response: bool,
    /// The expression as `exmex` reads it; predictors are `x1…xk`.
    canonical: String,
}

impl Formula {
    pub fn parse(text: &str, columns: &Columns) -> Result<Formula> {
        let (left, right) = tokens::split_equation(text)?;
        let log_response = left.map_or(Ok(false), |left| is_logarithm(left, &columns.response))?;
        let mut used = Vec::new();
        let canonical = tokens::canonical(right, |name, called| meaning(name, called, columns, &mut used))?;
        used.sort_unstable();
        used.dedup();
        if let Some(k) = (0..used.len()).find(|&k| used[k] != k) {
            let larger = used[k] + 1;
            return failure(format!("the formula has b{larger} but no b{}: parameters are b1, b2, …", k + 1));
        }
        if used.is_empty() {
            return failure("the formula has no parameters b1, b2, …");
        }
        Ok(Formula { text: right.to_string(), parameters: used.len(), log_response, canonical })
    }

    /// The formula over one number type. It has been checked, so this fails only if `exmex` disagrees.
    pub fn compile<T>(&self) -> Result<Compiled<T>>
    where
        T: Clone + Debug + Default + FromStr<Err: Debug>,
        Operators: MakeOperators<T>,
    {
        let expression = FlatEx::parse(&self.canonical).map_err(|error| {
            Failure::new(format!("the formula {} is not understood: {error}", quoted(&self.text)))
        })?;
        let slot =
            |name: &String| index(name, "b").map(Slot::Parameter).or(index(name, "x").map(Slot::Predictor));
        let slots = expression.var_names().iter().filter_map(slot).collect();
        Ok(Compiled { expression, slots })
    }
}

fn is_logarithm(left: &str, response: &str) -> Result<bool> {
    let left: String =
        left.chars().filter(|c| !c.is_whitespace()).collect::<String>().replace('[', "(").replace(']', ")");
    let names_response = |name: &str| name == "y" || name == response;
    let argument =
        left.strip_prefix("log(").or(left.strip_prefix("ln(")).and_then(|rest| rest.strip_suffix(')'));
    match argument {
        _ if names_response(&left) => Ok(false),
        Some(argument) if names_response(argument) => Ok(true),
        _ => failure(format!("the left side of the formula is {}, not y or log[y]", quoted(&left))),
    }
}

fn meaning(name: &str, called: bool, columns: &Columns, used: &mut Vec<usize>) -> Result<Meaning> {
    if called {
        let known = ALIASES.iter().find(|(alias, _)| *alias == name).map_or(name, |(_, name)| name);
        let operators: Vec<Operator<f64>> = Operators::make();
        return match operators.iter().any(|operator| operator.has_unary() && operator.repr() == known) {
            true => Ok(Meaning::Function(known.to_string())),
            false => failure(format!("unknown function {} in the formula", quoted(name))),
        };
    }
    match columns.slot(name) {
        Some(Slot::Parameter(k)) => {
            used.push(k);
            Ok(Meaning::Value(name.to_string()))
        }
        Some(Slot::Predictor(k)) => Ok(Meaning::Value(format!("x{}", k + 1))),
        None if name == "pi" => Ok(Meaning::Value(name.to_string())),
        None => {
            let known = columns.predictors.join(", ");
            failure(format!(
                "unknown name {} in the formula (parameters are b1, b2, …; predictors are {known})",
                quoted(name)
            ))
        }
    }
}

/// A formula compiled for one number type.
#[derive(Clone, Debug)]
pub struct Compiled<T: Clone + Debug>
where
    Operators: MakeOperators<T>,
{
    expression: FlatEx<T, Operators, Literal>,
    /// The meaning of the expression's variables, in the order in which `exmex` expects their values.
    slots: Vec<Slot>,
}

impl<T> Compiled<T>
where
    T: Clone + Debug + Default + FromStr<Err: Debug>,
    Operators: MakeOperators<T>,
{
    /// The value at parameters `b` and predictors `x`; `undefined` should the expression refuse.
    pub fn value(&self, b: &[T], x: &[T], undefined: T) -> T {
        let value = |slot: &Slot| match *slot {
            Slot::Parameter(k) => b[k].clone(),
            Slot::Predictor(k) => x[k].clone(),
        };
        let variables: Vec<T> = self.slots.iter().map(value).collect();
        self.expression.eval(&variables).unwrap_or(undefined)
    }
}
