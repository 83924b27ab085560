//! Programs as Rust source code.

mod lines;
mod piecewise;
mod rules;

use std::fmt::Write as _;

use super::exec::Instr;
use super::op::Guard;
use super::program::Program;
use crate::error::AdError;
use lines::SourceLines;
use rules::Helpers;

/// How a program is written as Rust source code: the name of the function, and where elementary functions are from.
///
/// The code compiles without this crate if std (or the crate `libm`) has its functions. Functions of the table that these lack,
/// such as `gamma` and `erf`, are calls of [`rules`](crate::rules), and derivatives that choose their formula by more than an
/// interval of the argument are [`Dual`](crate::Dual) numbers: of `hypot`, `atan2`, `powf` and `log` with two active
/// arguments, second ones of `tanh`, `atan`, `asin` and their like. That code depends on this crate, for which
/// `default-features = false, features = ["libm"]` is enough.
///
/// ```
/// use wengert::programs::{Source, trace};
/// let program = trace(|x| [x[0] * x[1], x[0].sin()], &[2.0, 3.0]);
/// let (entries, places) = program.sparse_jacobian()?;
/// let text = Source::new("slopes").with_libm().with_places(&places).write(&entries)?;
/// assert!(text.contains("SLOPES_PLACES: [(usize, usize); 3] = [(0, 0), (0, 1), (1, 0)];"));
/// assert!(text.contains("pub fn slopes(x: &[f64; 2], y: &mut [f64; 3]) {"));
/// assert!(text.contains("y[2] = libm::cos(x[0]);"));
/// # Ok::<(), wengert::AdError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Source<'a> {
    name: &'a str,
    libm: bool,
    places: &'a [(usize, usize)],
}

/// Names in lower case that no function can have, in any edition of Rust (*The Rust Reference*, "Keywords").
const KEYWORDS: &str = "_ abstract as async await become box break const continue crate do dyn else enum extern false \
    final fn for gen if impl in let loop macro match mod move mut override priv pub ref return self static struct \
    super trait true try type typeof unsized use virtual where while yield unsafe";

impl<'a> Source<'a> {
    /// A function of this name, with the functions of std.
    pub fn new(name: &'a str) -> Self {
        Source { name, libm: false, places: &[] }
    }
    /// With the functions of the crate `libm`, for code without std.
    pub fn with_libm(self) -> Self {
        Source { libm: true, ..self }
    }
    /// With a constant table of the row and the column of each result, as
    /// [`sparse_jacobian`](Program::sparse_jacobian) returns them.
    pub fn with_places(self, places: &'a [(usize, usize)]) -> Self {
        Source { places, ..self }
    }
    /// The source code, formatted like the output of rustfmt.
    ///
    /// # Errors
    /// [`AdError::Unsupported`] for a rule without source code, which is a user's, a primitive that is called, and a function
    /// of a complex number. [`AdError::Shape`] if the number
    /// of sparsity entries is not the number of results.
    ///
    /// # Panics
    /// If the name has other characters than `a` to `z`, digits and `_`, begins with a digit, or is `_` or a keyword.
    pub fn write(&self, program: &Program) -> Result<String, AdError> {
        let is_name = |c: char| c == '_' || c.is_ascii_lowercase() || c.is_ascii_digit();
        let named = self.name.starts_with(|c: char| is_name(c) && !c.is_ascii_digit());
        let named =
            named && self.name.chars().all(is_name) && !KEYWORDS.split(' ').any(|word| word == self.name);
        assert!(named, "wengert: {:?} is no name of a function", self.name);
        if !self.places.is_empty() {
            AdError::check_len("to_rust", "list of places", program.outputs(), self.places.len())?;
        }
        if let Some(call) = program.calls().first() {
            return Err(AdError::Unsupported { op: call.function.name(), rule: "source code" });
        }
        let mut helpers = Helpers::new(self.libm);
        let plain = program.without_strong_zeros().map(Program::compact);
        let body = match &plain {
            None => self.body(program, &mut helpers)?,
            Some(plain) => {
                let careful = self.body(program, &mut helpers)?;
                helpers.again(&format!("{}{careful}}}\n", signature("fn again", program, false)));
                let body = self.body(plain, &mut helpers)?;
                format!("{}{}", body.strip_suffix(OK).unwrap_or(&body), checked(program))
            }
        };
        let head = self.head(program, plain.as_ref());
        Ok(format!("{}{head}{}{body}}}\n", self.table(), helpers.text()))
    }
    /// The table of rows and columns.
    fn table(&self) -> String {
        if self.places.is_empty() {
            return String::new();
        }
        let name = self.name.to_uppercase();
        let mut text = format!(
            "/// The row and the column of each result of [`{}`].\npub const {name}_PLACES: [(usize, usize); {}] = [",
            self.name,
            self.places.len()
        );
        let all: Vec<String> = self.places.iter().map(|(i, j)| format!("({i}, {j})")).collect();
        let line = all.join(", ");
        let first = text.lines().last().map_or(0, str::len);
        if line.len() <= 60 && first + line.len() + 2 <= 100 {
            let _ = write!(text, "{line}];\n\n");
        } else {
            all.iter().for_each(|place| text += &format!("\n    {place},"));
            text += "\n];\n\n";
        }
        text
    }
    /// Documentation and signature.
    fn head(&self, program: &Program, plain: Option<&Program>) -> String {
        let guards = &program.code().guards;
        let (inputs, outputs) = (program.inputs(), program.outputs());
        let count = |n: usize, what: &str| format!("{n} {what}{}", if n == 1 { "" } else { "s" });
        let mut text = format!(
            "/// {} of {}, by {}.\n",
            count(outputs, "result"),
            count(inputs, "input"),
            count(lines::live(plain.unwrap_or(program)), "operation")
        );
        if plain.is_some() {
            text += "///\n/// Where they are not finite, they are computed again with care for zeros beside infinities.\n";
        }
        if !guards.is_empty() {
            text += "///\n/// The error is the number of a comparison that differs from the traced code:\n";
            text += "/// the code takes another branch there, and these results are not of it.\n///\n";
        }
        for (k, guard) in guards.iter().enumerate() {
            let _ = writeln!(text, "/// - {k}: {}", described(guard));
        }
        text += "#[allow(clippy::all, clippy::pedantic)]\n";
        text + &signature(&format!("pub fn {}", self.name), program, plain.is_some())
    }
    fn body(&self, program: &Program, helpers: &mut Helpers) -> Result<String, AdError> {
        let code = program.code();
        let mut lines = SourceLines::new(program, "    ", |k| format!("x[{k}]"));
        for (instr, v) in code.items() {
            match instr {
                Instr::Guard { guard, .. } => lines.guard(guard as usize, &code.guards[guard as usize]),
                _ => lines.operation(v as usize, helpers)?,
            }
        }
        for (k, &y) in code.outputs.iter().enumerate() {
            lines.result(&format!("y[{k}] = "), y, helpers)?;
        }
        if !code.guards.is_empty() {
            lines.text += OK;
        }
        Ok(lines.text)
    }
}

/// The end of a function with guards.
const OK: &str = "    Ok(())\n";

/// The first line of a function, or lines; `passes_on` if it passes its arguments to another function.
fn signature(name: &str, program: &Program, passes_on: bool) -> String {
    let (inputs, outputs) = (program.inputs(), program.outputs());
    let result = if program.code().guards.is_empty() { "" } else { " -> Result<(), usize>" };
    let (x, y) = (format!("x: &[f64; {inputs}]"), format!("y: &mut [f64; {outputs}]"));
    let unused = |unused: bool| if unused && !passes_on { "_".to_string() } else { String::new() };
    let (x, y) = (unused(!lines::reads(program, |_| true)) + &x, unused(outputs == 0) + &y);
    let line = format!("{name}({x}, {y}){result} {{\n");
    if line.len() <= 101 { line } else { format!("{name}(\n    {x},\n    {y},\n){result} {{\n") }
}

/// The end of a plain function: calls the other function if a result is not finite.
fn checked(program: &Program) -> String {
    let test = "    if !y.iter().fold(true, |all, y| all & f64::is_finite(*y))";
    if program.code().guards.is_empty() {
        format!("{test} {{\n        again(x, y);\n    }}\n")
    } else {
        format!("{test} {{\n        return again(x, y);\n    }}\n{OK}")
    }
}

/// A guard for readers.
fn described(guard: &Guard) -> String {
    let (op, recorded) = guard.recorded();
    let condition = format!("{op} = {recorded}");
    // Other characters could end the line, or mean something to rustdoc or to a reader's screen.
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "/\\._-+=:@(), ".contains(c);
    let mut file = String::new();
    for c in guard.location.file().chars() {
        if is_plain(c) { file.push(c) } else { file.extend(c.escape_unicode()) }
    }
    format!("{condition} at {file}:{}", guard.location.line())
}

impl Program {
    /// The program as a Rust function of this name, `fn name(x: &[f64; N], y: &mut [f64; M])`, formatted and documented;
    /// [`Source`] has more choices.
    ///
    /// A program with guards returns `Err` with the number of a guard that fails. Elementary functions are from std.
    /// Functions that std lacks are calls of this crate; other code compiles without it: see [`Source`].
    ///
    /// # Errors
    /// As [`Source::write`].
    ///
    /// ```
    /// use wengert::programs::trace;
    /// let program = trace(|x| x[0] * x[1].exp(), &[2.0, 3.0]);
    /// assert_eq!(
    ///     program.to_rust("product")?,
    ///     "/// 1 result of 2 inputs, by 2 operations.
    /// #[allow(clippy::all, clippy::pedantic)]
    /// pub fn product(x: &[f64; 2], y: &mut [f64; 1]) {
    ///     let v2 = f64::exp(x[1]);
    ///     y[0] = x[0] * v2;
    /// }
    /// "
    /// );
    /// # Ok::<(), wengert::AdError>(())
    /// ```
    pub fn to_rust(&self, name: &str) -> Result<String, AdError> {
        Source::new(name).write(self)
    }
}
