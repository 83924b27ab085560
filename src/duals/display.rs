//! Formatting of the numbers of forward mode. `{}` shows the value, as `f64` does: so generic code makes the same text in
//! each mode. `{:#}` shows all parts, `2 + 1ε`: parts that are sums themselves (of nested and
//! complex numbers) are in parentheses, precision and width apply to each part.

use crate::number::array::from_fn;
use core::fmt::{self, Debug, Display, Formatter};

use super::{Dual, Dual2, DualN, HyperDual, Taylor, TaylorDyn};
use crate::number::Number;

/// The value, and with `{:#}` what `rest` writes after it.
fn shown<T: Number>(
    value: T,
    f: &mut Formatter<'_>,
    rest: impl FnOnce(&mut Formatter<'_>) -> fmt::Result,
) -> fmt::Result {
    if !f.alternate() {
        return Display::fmt(&value, f);
    }
    part(value, f)?;
    rest(f)
}

/// ` + `, a part and its name.
fn term<T: Number>(x: T, name: &str, f: &mut Formatter<'_>) -> fmt::Result {
    f.write_str(" + ")?;
    part(x, f)?;
    f.write_str(name)
}

/// A part, in parentheses if it is a sum.
fn part<T: Number>(x: T, f: &mut Formatter<'_>) -> fmt::Result {
    if T::PLAIN && T::REAL {
        return Display::fmt(&x, f);
    }
    f.write_str("(")?;
    Display::fmt(&x, f)?;
    f.write_str(")")
}

/// Parts by index in brackets.
fn list<T: Number>(n: usize, at: impl Fn(usize) -> T, f: &mut Formatter<'_>) -> fmt::Result {
    f.write_str("[")?;
    for i in 0..n {
        f.write_str(if i == 0 { "" } else { ", " })?;
        part(at(i), f)?;
    }
    f.write_str("]")
}

/// The value; with `{:#}` `2 + 1ε`, `(2 + 1ε) + (1 + 0ε)ε`.
///
/// ```
/// let x = wengert::Dual::variable(wengert::Dual::variable(1.5));
/// assert_eq!(format!("{:.2}", x * x), "2.25");
/// assert_eq!(format!("{:#.2}", x * x), "(2.25 + 3.00ε) + (3.00 + 2.00ε)ε");
/// ```
impl<T: Number> Display for Dual<T> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        shown(self.value(), f, |f| term(self.tangent(), "ε", f))
    }
}

/// The value; with `{:#}` `2 + [1, 0]ε`.
impl<T: Number, const N: usize> Display for DualN<T, N> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        shown(self.value(), f, |f| {
            f.write_str(" + ")?;
            list(N, |i| self.tangents()[i], f)?;
            f.write_str("ε")
        })
    }
}

/// The value; with `{:#}` `2 + 1ε₁ + 1ε₂ + 0ε₁ε₂`.
impl<T: Number> Display for HyperDual<T> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        shown(self.value(), f, |f| {
            let terms = [(self.e1(), "ε₁"), (self.e2(), "ε₂"), (self.e12(), "ε₁ε₂")];
            terms.into_iter().try_for_each(|(x, name)| term(x, name, f))
        })
    }
}

/// Value, gradient, and the Hessian by rows.
///
/// ```
/// use wengert::Dual2;
/// let x = Dual2::<f64, 2, 3>::from_fn(2.0, |i| i as f64, |i, j| (10 * i + j) as f64);
/// let text = "Dual2 { value: 2.0, gradient: [0.0, 1.0], \
///             hessian: [[0.0, 10.0], [10.0, 11.0]] }";
/// assert_eq!(format!("{x:?}"), text);
/// ```
impl<T: Number, const N: usize, const M: usize> Debug for Dual2<T, N, M> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let rows: [[T; N]; N] = from_fn(|i| from_fn(|j| self.second(i, j)));
        let mut parts = f.debug_struct("Dual2");
        parts
            .field("value", &self.value())
            .field("gradient", &self.gradient())
            .field("hessian", &rows)
            .finish()
    }
}

/// The value; with `{:#}` `2 + [1, 0]ε + [[0, 0], [0, 0]]ε²`, the second derivatives by rows.
///
/// ```
/// use wengert::Dual2;
/// let x = Dual2::<f64, 2, 3>::from_fn(2.0, |i| i as f64, |i, j| (10 * i + j) as f64);
/// assert_eq!(format!("{x:#}"), "2 + [0, 1]ε + [[0, 10], [10, 11]]ε²");
/// ```
impl<T: Number, const N: usize, const M: usize> Display for Dual2<T, N, M> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        shown(self.value(), f, |f| {
            f.write_str(" + ")?;
            list(N, |i| self.gradient()[i], f)?;
            f.write_str("ε + [")?;
            for i in 0..N {
                f.write_str(if i == 0 { "" } else { ", " })?;
                list(N, |j| self.second(i, j), f)?;
            }
            f.write_str("]ε²")
        })
    }
}

/// The value; with `{:#}` `2 + 1t + 0.5t^2`.
///
/// ```
/// let x = wengert::Taylor::new(2.0, [1.0, 0.5]);
/// assert_eq!(format!("{x} {x:#}"), "2 2 + 1t + 0.5t^2");
/// ```
impl<T: Number, const K: usize> Display for Taylor<T, K> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        series(self.value(), &self.coefficients(), f)
    }
}

/// As [`Taylor`], up to the order that is known.
impl<T: Number, const MAX: usize> Display for TaylorDyn<T, MAX> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        series(self.value(), self.coefficients(), f)
    }
}

fn series<T: Number>(first: T, rest: &[T], f: &mut Formatter<'_>) -> fmt::Result {
    shown(first, f, |f| {
        for (k, &c) in (1..).zip(rest) {
            term(c, "t", f)?;
            if k > 1 {
                write!(f, "^{k}")?;
            }
        }
        Ok(())
    })
}
