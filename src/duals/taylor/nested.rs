//! Series of order up to 3 over traced numbers as nested duals, whose derivatives are operations of a program: the
//! recurrences of rules choose by values.

use super::Taylor;
use crate::duals::Dual;
use crate::number::{BaseFloat, Number};

/// A number in one, two and three directions from its derivatives along a line, all directions this line.
pub(super) fn one<T: Number>(d: &[T]) -> Dual<T> {
    Dual::new(d[0], d[1])
}
pub(super) fn two<T: Number>(d: &[T]) -> Dual<Dual<T>> {
    Dual::new(one(d), one(&d[1..]))
}
pub(super) fn three<T: Number>(d: &[T]) -> Dual<Dual<Dual<T>>> {
    Dual::new(two(d), two(&d[1..]))
}

/// The derivatives along the line again.
pub(super) fn of_one<T: Number>(y: Dual<T>) -> [T; 2] {
    [y.value(), y.tangent()]
}
pub(super) fn of_two<T: Number>(y: Dual<Dual<T>>) -> [T; 3] {
    let ([value, first], [_, second]) = (of_one(y.value()), of_one(y.tangent()));
    [value, first, second]
}
pub(super) fn of_three<T: Number>(y: Dual<Dual<Dual<T>>>) -> [T; 4] {
    let ([value, first, second], [.., third]) = (of_two(y.value()), of_two(y.tangent()));
    [value, first, second, third]
}

/// `x` and its first three derivatives, zero beyond the order of the series.
pub(super) fn derivatives<T: Number, const K: usize>(x: &Taylor<T, K>) -> [T; 4] {
    let coefficient = |k: usize| x.rest.get(k).copied().unwrap_or(T::lit(0.0));
    [
        x.value,
        coefficient(0),
        coefficient(1) * T::Base::from_double(2.0),
        coefficient(2) * T::Base::from_double(6.0),
    ]
}

/// The series with these derivatives.
pub(super) fn series<T: Number, const K: usize>(d: &[T]) -> Taylor<T, K> {
    let mut y = Taylor::constant(d[0]);
    for ((y, &d), factorial) in y.rest.iter_mut().zip(&d[1..]).zip([1.0, 2.0, 6.0]) {
        *y = d / T::Base::from_double(factorial);
    }
    y
}

/// A function of numbers at series of order `n`, by nested duals if the coefficients are traced and `n` is 1, 2 or 3.
macro_rules! through_nested {
    ($T:ident, $n:ident, $x:expr, |$at:ident| $f:expr) => {
        if $T::TRACES && $T::REAL {
            let at = $x.map(nested::derivatives);
            through_nested!(@match $n, at, |$at| $f, 1 one of_one, 2 two of_two, 3 three of_three)
        } else {
            None
        }
    };
    (@match $n:ident, $d:ident, |$at:ident| $f:expr, $($order:literal $number:ident $of:ident),*) => {
        match $n {
            $($order => {
                let $at = $d.each_ref().map(|d| nested::$number(d));
                Some(nested::series(&nested::$of($f)))
            })*
            _ => None,
        }
    };
}
