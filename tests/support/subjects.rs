//! The subjects of the edge tests: every row of the table, the divisions and the methods of real numbers, each as a
//! program, also composed with functions of infinite derivative.

use wengert::rules::{Binary, Holomorphic, Unary};
use wengert::{BaseFloat, Number, Real, reduce};

use super::routes::Program;

/// The function of the first argument before the rule. Three functions have an infinite derivative at 0.
#[derive(Clone, Copy)]
pub enum Inner {
    Itself,
    Sqrt,
    Cbrt,
    Ln,
}

pub const INNER: [Inner; 4] = [Inner::Itself, Inner::Sqrt, Inner::Cbrt, Inner::Ln];

impl Inner {
    fn apply<T: Real>(self, x: T) -> T {
        match self {
            Inner::Itself => x,
            Inner::Sqrt => x.sqrt(),
            Inner::Cbrt => x.cbrt(),
            Inner::Ln => x.ln(),
        }
    }
}

/// A rule as a program of its arguments.
#[derive(Clone, Copy)]
pub struct One<U>(pub U, pub Inner);
impl<F: BaseFloat, U: Unary> Program<F> for One<U> {
    fn call<T: Real<Base = F>>(&self, x: &[T]) -> Vec<T> {
        vec![self.1.apply(x[0]).lift1(self.0)]
    }
}

/// A rule by the path that serves complex numbers too.
#[derive(Clone, Copy)]
pub struct Complexified<H>(pub H, pub Inner);
impl<F: BaseFloat, H: Holomorphic> Program<F> for Complexified<H> {
    fn call<T: Real<Base = F>>(&self, x: &[T]) -> Vec<T> {
        vec![self.1.apply(x[0]).lift_holomorphic(self.0)]
    }
}

#[derive(Clone, Copy)]
pub struct Two<B>(pub B, pub Inner);
impl<F: BaseFloat, B: Binary> Program<F> for Two<B> {
    fn call<T: Real<Base = F>>(&self, x: &[T]) -> Vec<T> {
        vec![self.1.apply(x[0]).lift2(x[1], self.0)]
    }
}

/// The divisions, which are operators and not rows; strong zeros hold for them too.
#[derive(Clone, Copy)]
pub struct Division(pub usize, pub Inner);
pub const DIVISIONS: [(&str, usize); 5] = [("x/y", 2), ("y/x", 2), ("x/2", 1), ("x/(2 + 0ε)", 1), ("3/x", 1)];
impl<F: BaseFloat> Program<F> for Division {
    fn call<T: Real<Base = F>>(&self, x: &[T]) -> Vec<T> {
        let (x, y, two) = (self.1.apply(x[0]), x[x.len() - 1], F::from_double(2.0));
        vec![[x / y, y / x, x / two, x / T::base(two), T::lit(3.0) / x][self.0]]
    }
}

/// The methods of real numbers that are not rows of the table, with their number of arguments.
#[derive(Clone, Copy)]
pub struct Method(pub usize, pub Inner);
pub const METHODS: [(&str, usize); 9] = [
    ("abs_sub", 2),
    ("max", 2),
    ("min", 2),
    ("copysign(−2)", 1),
    ("clamp(−1, 2)", 1),
    ("clamp(y, 3)", 2),
    ("max of three", 2),
    ("mul_add", 2),
    ("select", 2),
];
/// Methods that choose an operand, which may be NaN while another one is active.
pub const CHOOSING: [&str; 2] = ["clamp(y, 3)", "select"];
/// Methods that are `+ − ×`: plain IEEE, not under the laws for elementary functions.
pub const PLAIN: [&str; 1] = ["mul_add"];
impl<F: BaseFloat> Program<F> for Method {
    fn call<T: Real<Base = F>>(&self, x: &[T]) -> Vec<T> {
        let (x, y, c) = (self.1.apply(x[0]), x[x.len() - 1], |c: f64| T::lit(c));
        vec![match METHODS[self.0].0 {
            "abs_sub" => x.abs_sub(y),
            "max" => Real::max(x, y),
            "min" => Real::min(x, y),
            "copysign(−2)" => x.copysign(c(-2.0)),
            "clamp(−1, 2)" => Real::clamp(x, c(-1.0), c(2.0)),
            "clamp(y, 3)" if y <= c(3.0) => Real::clamp(x, y, c(3.0)),
            "clamp(y, 3)" => x,
            "max of three" => reduce::max(&[x, y, c(1.0)]).unwrap(),
            "mul_add" => Number::mul_add(x, y, x),
            "select" => Real::select(x > y, x, y),
            name => unreachable!("{name}"),
        }]
    }
}
