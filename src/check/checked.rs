//! Numbers that report the origin of a NaN.

use core::fmt::{self, Display, Formatter};
use core::ops::{Add, Div, Mul, Neg, Sub};
use std::cell::RefCell;
use std::panic::Location;

use super::notes::{self, FirstNan};
use super::parts::has_nan;
use crate::error::AdError;
use crate::lift::Primitive;
use crate::number::{BaseFloat, Declared, Number, Real};
use crate::rules::{self, Binary, Holomorphic, HolomorphicBinary, Unary, boundary};
use crate::tapes::blame::{self, Blame};

/// A number that reports the first operation whose result has a NaN, in its value or a tangent, although no operand
/// has one. Otherwise `Checked<Dual<f64>>` behaves like `Dual<f64>`, with bit for bit the same values and tangents.
/// There is no cost for programs that do not use it.
///
/// The report is kept for the thread; [`first_nan`] takes it, and [`watch`] takes it around a call. It contains the
/// name of the rule, the operands, the number of the operation (of this type on this thread since the last report was
/// taken) and the line. Operators and the methods of the type, of [`Number`], [`Real`], `num_traits::Float` and of
/// nalgebra's traits report the line of the call, in generic code too. If other code calls them (`iter.sum()`, a
/// function pointer, a product of nalgebra), the line is in that code; then use the number of the operation.
///
/// On a tape (`Checked<Var<f64>>`) it reports NaN in values and in derivatives along single nodes while the function
/// runs, and a cotangent that becomes NaN in a backward sweep: the report then names the operation and its operand
/// ([`FirstNan::operand`]). For this a line of text is stored for each operation on the tape. A sweep in which no
/// input gets NaN reports nothing.
///
/// ```
/// use wengert::{Dual, Real, check::{self, Checked}};
/// fn f<T: Real<Base = f64>>(x: T) -> T {
///     let r = x.sqrt();
///     r * r + 1.0 // ∞·0 at 0
/// }
/// let (y, nan) = check::watch(|| f(Checked::new(Dual::variable(0.0_f64))));
/// assert!(y.get().tangent().is_nan());
/// let nan = nan.unwrap();
/// assert_eq!((nan.rule, nan.operation), ("mul", 2));
/// let text = "rule `mul` produced NaN from x = 0 + infε, y = 0 + infε at operation #2 (";
/// assert!(nan.to_string().starts_with(text));
///
/// // √(xy) − √x at x = 0: the cotangents −∞ and, through the product, ∞ add up at x.
/// let tape = wengert::Tape::new();
/// let [x, y] = [0.0_f64, 2.0].map(|x| tape.variable(x));
/// let z = (Checked::new(x) * Checked::new(y)).sqrt() - Checked::new(x).sqrt();
/// let (gradient, nan) = check::watch(|| tape.cotangents(z.get()));
/// assert!(gradient.of(x).is_nan());
/// let nan = nan.unwrap();
/// assert_eq!((nan.rule, nan.operand), ("mul", Some(0)));
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Checked<T>(T);

#[derive(Default)]
struct Watch {
    operations: u64,
    first: Option<FirstNan>,
}

thread_local! {
    static WATCH: RefCell<Watch> = RefCell::default();
}

/// Takes the report of this thread's first NaN in a [`Checked`] number, and resets the report and the count of
/// operations.
///
/// ```
/// use wengert::{Dual, check::{self, Checked}};
/// let zero = Checked::new(Dual::constant(0.0));
/// let _ = zero / zero;
/// assert_eq!(check::first_nan().unwrap().rule, "div");
/// assert!(check::first_nan().is_none());
/// ```
pub fn first_nan() -> Option<FirstNan> {
    WATCH.with(|watch| watch.take().first)
}

/// Runs `f` and takes the report of the first NaN in it. An earlier report is kept.
/// ```
/// use wengert::{Dual, check::{self, Checked}};
/// let zero = Checked::new(Dual::constant(0.0_f64));
/// let (y, nan) = check::watch(|| zero / zero);
/// assert!(y.get().value().is_nan());
/// assert_eq!(nan.unwrap().rule, "div");
/// let (_, nan) = check::watch(|| zero + zero);
/// assert!(nan.is_none());
/// ```
pub fn watch<Y>(f: impl FnOnce() -> Y) -> (Y, Option<FirstNan>) {
    let before = WATCH.with(RefCell::take);
    let y = f();
    (y, WATCH.with(|watch| watch.replace(before)).first)
}

/// Counts an operation, runs it and checks its result.
#[track_caller]
fn look<T: Number>(rule: &'static str, operands: &[T], operation: impl FnOnce() -> T) -> Checked<T> {
    let one = |y: &T| *y;
    Checked(look_at(rule, operands, operation, one))
}

/// Counts an operation with any results, runs it and checks the result that `one` selects.
#[track_caller]
fn look_at<T: Number, Y>(
    rule: &'static str,
    operands: &[T],
    operation: impl FnOnce() -> Y,
    one: impl FnOnce(&Y) -> T,
) -> Y {
    let location = Location::caller();
    let tapes = || if T::RECORDS { blame::lengths() } else { Vec::new() };
    let before = tapes();
    let y = operation();
    let after = tapes();
    let number = WATCH.with(|watch| {
        let mut watch = watch.borrow_mut();
        watch.operations += 1;
        watch.operations
    });
    let note = || {
        let (operands, result) = (operands.iter().map(|x| format!("{x:#}")).collect(), String::new());
        FirstNan { rule, operands, result, operand: None, operation: number, location }
    };
    notes::keep(&before, &after, note, hear);
    let result = one(&y);
    if has_nan(result) && !operands.iter().any(|&x| has_nan(x)) {
        report(FirstNan { result: format!("{result:#}"), ..note() });
    }
    y
}

/// Keeps a report, if it is the first.
fn report(nan: FirstNan) {
    WATCH.with(|watch| {
        watch.borrow_mut().first.get_or_insert(nan);
    });
}

/// Reports a NaN of a sweep, with the note of the operation.
fn hear(blame: Blame) {
    let none = |rule| {
        let (operands, result, location) = (Vec::new(), String::new(), Location::caller());
        FirstNan { rule, operands, result, operand: None, operation: 0, location }
    };
    let note = match blame.node {
        None => none("the cotangents that a sweep starts with"),
        Some(node) => notes::of(blame.tape, node)
            .map_or(none("an operation that no `Checked` number recorded"), |note| (*note).clone()),
    };
    // Constants have no edges: if there are some, the number of the edge is not the number of the operand.
    let [edge, edges] = blame.edge;
    let operand = (note.operands.len() == edges).then_some(edge);
    let name = operand.map_or("an operand".into(), |i| format!("operand {i}"));
    let result = format!("the cotangent of {name} is NaN, that of the result was {}", blame.cotangent);
    report(FirstNan { result, operand, ..note });
}

impl<T: Number> Checked<T> {
    /// Wraps a number.
    #[inline]
    pub fn new(x: T) -> Self {
        Checked(x)
    }
    /// The wrapped number.
    #[inline]
    pub fn get(self) -> T {
        self.0
    }
    #[inline]
    fn constant(x: T) -> Self {
        Checked(x)
    }
    #[inline]
    fn value(self) -> T {
        self.0
    }
    /// The number after an operation with a constant.
    #[track_caller]
    fn with_value(self, value: T) -> Self {
        look("operation with a constant", &[self.0], || value)
    }
    #[track_caller]
    fn map_parts(self, f: impl Fn(T) -> T + Copy) -> Self {
        look("operation with a constant", &[self.0], || f(self.0))
    }
    /// A result of the number underneath.
    fn plain(self, f: impl Fn(T) -> T) -> Self {
        Checked(f(self.0))
    }
}

impl<T: Number> Display for Checked<T> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        Display::fmt(&self.0, f)
    }
}

/// Carries derivatives if the inner number does.
impl<T> Declared for Checked<T> {
    const BY_MACRO: () = ();
}

impl<T: Number> Number for Checked<T> {
    type Base = T::Base;
    type Primal = T::Primal;
    type Re = Checked<T::Re>;
    type Over<S: Real> = T::Over<S>;
    type Part = T;
    const REAL: bool = T::REAL;
    const PLAIN: bool = T::PLAIN;
    const ORDER: usize = T::ORDER;
    fn of_part(value: T) -> Self {
        Checked(value)
    }
    fn map_parts(self, f: impl Fn(T) -> T + Copy) -> Self {
        Checked(f(self.0))
    }
    fn zip_parts(self, y: Self, value: impl FnOnce(T, T) -> T, _: impl Fn(T, T) -> T + Copy) -> Self {
        Checked(value(self.0, y.0))
    }
    fn fold_parts<A>(self, value: impl FnOnce(T) -> A, _: impl Fn(A, T) -> A) -> A {
        value(self.0)
    }
    fn re(self) -> Self::Re {
        Checked(self.0.re())
    }
    fn im(self) -> Self::Re {
        Checked(self.0.im())
    }
    fn from_re(x: Self::Re) -> Self {
        Checked(T::from_re(x.0))
    }
    fn from_parts(re: Self::Re, im: Self::Re) -> Self {
        Checked(T::from_parts(re.0, im.0))
    }
    #[track_caller]
    fn lift_holomorphic<H: Holomorphic>(self, rule: H) -> Self {
        look(H::NAME, &[self.0], || self.0.lift_holomorphic(rule))
    }
    #[track_caller]
    fn lift_holomorphic2<H: HolomorphicBinary>(self, y: Self, rule: H) -> Self {
        look(H::NAME, &[self.0, y.0], || self.0.lift_holomorphic2(y.0, rule))
    }
    fn all_finite(self) -> bool {
        self.0.all_finite()
    }
    #[track_caller]
    fn strong_mul(self, t: Self) -> Self {
        look("partial × tangent", &[self.0, t.0], || self.0.strong_mul(t.0))
    }
    #[track_caller]
    fn strong_both(self, t: Self) -> Self {
        look("tangent × tangent", &[self.0, t.0], || self.0.strong_both(t.0))
    }
    #[track_caller]
    fn total<I: Iterator<Item = Self>>(items: I) -> Self {
        let items: Vec<T> = items.map(Checked::get).collect();
        look("sum", &items, || T::total(items.iter().copied()))
    }
    #[track_caller]
    fn inner_product<I: Iterator<Item = (Self, Self)>>(pairs: I) -> Self {
        let pairs: Vec<(T, T)> = pairs.map(|(x, y)| (x.0, y.0)).collect();
        let items: Vec<T> = pairs.iter().flat_map(|&(x, y)| [x, y]).collect();
        look("inner product", &items, || T::inner_product(pairs.into_iter()))
    }
    #[track_caller]
    fn multiplied<I: Iterator<Item = Self>>(items: I) -> Self {
        let items: Vec<T> = items.map(Checked::get).collect();
        look("product", &items, || T::multiplied(items.iter().copied()))
    }
    #[track_caller]
    fn lift_primitive<R: Primitive<T::Primal>>(rule: &R, x: &[&[Self]]) -> Result<Vec<Self>, AdError> {
        let x: Vec<Vec<T>> = x.iter().map(|x| x.iter().map(|x| x.0).collect()).collect();
        let operands = x.concat();
        let call = || T::lift_primitive(rule, &crate::lift::views(&x));
        let worst = |y: &Result<Vec<T>, AdError>| {
            let y = y.iter().flatten().copied();
            y.clone().find(|&y| has_nan(y)).or(y.clone().next()).unwrap_or(T::lit(0.0))
        };
        let y = look_at(rule.name(), &operands, call, worst)?;
        Ok(y.into_iter().map(Checked).collect())
    }
}

impl<T: Real> Real for Checked<T> {
    type Complex = Checked<T::Complex>;
    type Pair = num_complex::Complex<Self>;
    fn primal(self) -> T::Base {
        self.0.primal()
    }
    #[track_caller]
    fn lift1<U: Unary>(self, rule: U) -> Self {
        look(U::NAME, &[self.0], || self.0.lift1(rule))
    }
    #[track_caller]
    fn lift2<B: Binary>(self, y: Self, rule: B) -> Self {
        look(B::NAME, &[self.0, y.0], || self.0.lift2(y.0, rule))
    }
}

macro_rules! watched {
    ($($Op:ident $op:ident)*) => {$(
        impl<T: Number> $Op for Checked<T> {
            type Output = Self;
            #[track_caller]
            fn $op(self, y: Self) -> Self {
                look(stringify!($op), &[self.0, y.0], || $Op::$op(self.0, y.0))
            }
        }
    )*};
}
watched!(Add add Sub sub Mul mul Div div);

impl<T: Number> Neg for Checked<T> {
    type Output = Self;
    fn neg(self) -> Self {
        self.plain(|x| -x)
    }
}

scalar!((T: Number) Checked<T>, Checked<Checked<T>>);

complex_layout!((T: Real) Checked<T>);
