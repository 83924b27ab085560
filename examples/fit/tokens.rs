//! The spelling of a formula: tokens, a check that they alternate as they should, parentheses around powers.
//!
//! `exmex` binds a sign tighter than a power and takes powers from left to right. Formulas here have the
//! usual meaning, `-x^2 = -(x^2)` and `a^b^c = a^(b^c)`, so powers get parentheses before `exmex` sees them.

use super::failure::{Failure, Result, failure, quoted};

/// Longer formulas are refused, so that the code after this module never receives an input of unlimited depth.
const MOST_TOKENS: usize = 2000;

#[derive(Clone, Copy, Debug, PartialEq)]
enum Kind {
    Number,
    Name,
    /// One of `+ - * / ^ ( )`; `**` is read as `^`, square brackets as round ones.
    Symbol(u8),
}

#[derive(Clone, Copy, Debug)]
struct Token<'a> {
    kind: Kind,
    text: &'a str,
    /// Position in the formula, in characters from one.
    place: usize,
}

/// The meaning of a name in a formula.
pub enum Meaning {
    /// A number: the text that `exmex` reads instead of the name.
    Value(String),
    /// A function of one argument: its name for `exmex`.
    Function(String),
}

/// The formula in the spelling of `exmex`, or the first thing that is wrong with it.
pub fn canonical(text: &str, meaning: impl FnMut(&str, bool) -> Result<Meaning>) -> Result<String> {
    let tokens = tokenize(text)?;
    let mut pieces = spell(&tokens, meaning)?;
    parenthesize_powers(&mut pieces);
    Ok(pieces.concat())
}

fn tokenize(text: &str) -> Result<Vec<Token<'_>>> {
    let mut tokens = Vec::new();
    let mut rest = text.trim_start();
    while let Some(first) = rest.chars().next() {
        let place = text[..text.len() - rest.len()].chars().count() + 1;
        let (kind, length) = match first {
            '0'..='9' | '.' => (Kind::Number, number_length(rest)),
            'a'..='z' | 'A'..='Z' | '_' => (
                Kind::Name,
                rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(rest.len()),
            ),
            '*' if rest.starts_with("**") => (Kind::Symbol(b'^'), 2),
            '[' => (Kind::Symbol(b'('), 1),
            ']' => (Kind::Symbol(b')'), 1),
            '+' | '-' | '*' | '/' | '^' | '(' | ')' => (Kind::Symbol(first as u8), 1),
            other => {
                return failure(format!(
                    "character {place} of the formula, {}, has no meaning",
                    quoted(&other.to_string())
                ));
            }
        };
        let (token, remainder) = rest.split_at(length);
        if kind == Kind::Number && !token.parse::<f64>().is_ok_and(f64::is_finite) {
            return failure(format!("{} in the formula is not a number in range", quoted(token)));
        }
        tokens.push(Token { kind, text: token, place });
        if tokens.len() > MOST_TOKENS {
            return failure(format!("the formula is longer than {MOST_TOKENS} symbols"));
        }
        rest = remainder.trim_start();
    }
    Ok(tokens)
}

/// Length of the number at the start: digits with a point, and an exponent only if it has digits.
fn number_length(text: &str) -> usize {
    let bytes = text.as_bytes();
    let digits = |from: usize| bytes[from..].iter().take_while(|b| b.is_ascii_digit()).count();
    let mut length = digits(0);
    if bytes.get(length) == Some(&b'.') {
        length += 1;
        length += digits(length);
    }
    if matches!(bytes.get(length), Some(b'e' | b'E')) {
        let sign = usize::from(matches!(bytes.get(length + 1), Some(b'+' | b'-')));
        let exponent = digits((length + 1 + sign).min(bytes.len()));
        if exponent > 0 {
            length += 1 + sign + exponent;
        }
    }
    length
}

/// Spells a formula for `exmex`, one piece of text for each token, as long as values and operators alternate.
#[derive(Default)]
struct Speller<'a> {
    pieces: Vec<String>,
    opened: Vec<Token<'a>>,
    /// Whether the last piece is a value, so that an operator has to follow.
    after_value: bool,
}

fn spell(tokens: &[Token], mut meaning: impl FnMut(&str, bool) -> Result<Meaning>) -> Result<Vec<String>> {
    let mut speller = Speller::default();
    for (i, &token) in tokens.iter().enumerate() {
        match token.kind {
            Kind::Number => speller.name(token, Meaning::Value(token.text.to_string()))?,
            Kind::Name => {
                let called = tokens.get(i + 1).is_some_and(|next| next.kind == Kind::Symbol(b'('));
                speller.name(token, meaning(token.text, called)?)?;
            }
            Kind::Symbol(b'(') => speller.open(token)?,
            Kind::Symbol(b')') => speller.close(token)?,
            Kind::Symbol(operator) => speller.operator(token, operator)?,
        }
    }
    speller.end()
}

impl<'a> Speller<'a> {
    /// A number or a name.
    fn name(&mut self, token: Token, meaning: Meaning) -> Result<()> {
        if self.after_value {
            return token.unexpected("an operator is missing before");
        }
        self.after_value = matches!(meaning, Meaning::Value(_));
        let (Meaning::Value(piece) | Meaning::Function(piece)) = meaning;
        self.pieces.push(piece);
        Ok(())
    }

    fn open(&mut self, token: Token<'a>) -> Result<()> {
        if self.after_value {
            return token.unexpected("an operator is missing before");
        }
        self.opened.push(token);
        self.pieces.push("(".to_string());
        Ok(())
    }

    fn close(&mut self, token: Token) -> Result<()> {
        if !self.after_value {
            return token.unexpected("a value is missing before");
        }
        if self.opened.pop().is_none_or(|open| (open.text == "[") != (token.text == "]")) {
            return token.unexpected("no bracket was opened for");
        }
        self.pieces.push(")".to_string());
        Ok(())
    }

    fn operator(&mut self, token: Token, operator: u8) -> Result<()> {
        match operator {
            _ if self.after_value => self.pieces.push(char::from(operator).to_string()),
            // Signs; `+x` is `x`.
            b'-' => self.pieces.push("-".to_string()),
            b'+' => {}
            _ => return token.unexpected("a value is missing before"),
        }
        self.after_value = false;
        Ok(())
    }

    fn end(self) -> Result<Vec<String>> {
        match self.opened.last() {
            Some(open) => failure(format!("{} is not closed", open.described())),
            None if self.pieces.is_empty() => failure("the formula is empty"),
            None if !self.after_value => failure("a value is missing at the end of the formula"),
            None => Ok(self.pieces),
        }
    }
}

impl Token<'_> {
    fn described(&self) -> String {
        format!("{} at character {} of the formula", quoted(self.text), self.place)
    }

    fn unexpected<T>(&self, what: &str) -> Result<T> {
        failure(format!("{what} {}", self.described()))
    }
}

/// `a^b` becomes `(a^(b))`, from right to left, so that `b` is a group already if it is a power itself.
fn parenthesize_powers(pieces: &mut Vec<String>) {
    let mut i = pieces.len();
    while i > 0 {
        i -= 1;
        if pieces[i] != "^" {
            continue;
        }
        let mut end = i + 1;
        while pieces[end] == "-" {
            end += 1;
        }
        // A function name directly before its parenthesis belongs to the operand, on either side.
        if is_function(pieces, end) {
            end += 1;
        }
        end = closing(pieces, end) + 1;
        let mut start = opening(pieces, i - 1);
        if start > 0 && is_function(pieces, start - 1) {
            start -= 1;
        }
        pieces.splice(end..end, [")".to_string(), ")".to_string()]);
        pieces.insert(i + 1, "(".to_string());
        pieces.insert(start, "(".to_string());
        // The left operand has moved by one, and may hold further powers.
        i += 1;
    }
}

fn is_function(pieces: &[String], i: usize) -> bool {
    pieces[i].starts_with(|c: char| c.is_ascii_alphabetic())
        && pieces.get(i + 1).is_some_and(|next| next == "(")
}

/// The end of the group that starts at `i`, or `i` if no group does.
fn closing(pieces: &[String], i: usize) -> usize {
    let mut depth = 0usize;
    for (j, piece) in pieces.iter().enumerate().skip(i) {
        match piece.as_str() {
            "(" => depth += 1,
            ")" => depth = depth.saturating_sub(1),
            _ => {}
        }
        if depth == 0 {
            return j;
        }
    }
    pieces.len() - 1
}

/// The start of the group that ends at `i`, or `i` if no group does.
fn opening(pieces: &[String], i: usize) -> usize {
    let mut depth = 0usize;
    for j in (0..=i).rev() {
        match pieces[j].as_str() {
            ")" => depth += 1,
            "(" => depth = depth.saturating_sub(1),
            _ => {}
        }
        if depth == 0 {
            return j;
        }
    }
    0
}

/// Splits `lhs = rhs`; a formula without `=` has no left side.
pub fn split_equation(text: &str) -> Result<(Option<&str>, &str)> {
    let mut sides = text.split('=');
    match (sides.next(), sides.next(), sides.next()) {
        (Some(right), None, _) => Ok((None, right.trim())),
        (Some(left), Some(right), None) => Ok((Some(left.trim()), right.trim())),
        _ => Err(Failure::new("the formula has more than one `=`")),
    }
}
