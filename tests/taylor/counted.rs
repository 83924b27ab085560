//! A float that counts its operations.

use std::cell::Cell;
use std::fmt;
use std::iter::{Product, Sum};
use std::ops::*;

use wengert::primitive::Primitive;
use wengert::rules::{Binary, Holomorphic, HolomorphicBinary, Unary};
use wengert::{AdError, Number, Real};

/// An `f64` whose operations are counted, functions as one.
#[derive(Clone, Copy, Debug, Default, PartialEq, PartialOrd)]
pub struct Counted(pub f64);

thread_local! { static COUNT: Cell<u64> = const { Cell::new(0) }; }

/// More operations than this are a panic.
const MOST: u64 = 2_000_000;

fn count(x: f64) -> Counted {
    let n = COUNT.get() + 1;
    COUNT.set(n);
    assert!(n <= MOST, "more than {MOST} operations");
    Counted(x)
}

/// The number of operations of `f`; `None` if there are too many.
pub fn operations(f: &dyn Fn()) -> Option<u64> {
    COUNT.set(0);
    std::panic::catch_unwind(std::panic::AssertUnwindSafe(f)).ok().map(|()| COUNT.get())
}

macro_rules! operators {
    ($($Op:ident $op:ident $Assign:ident $assign:ident)*) => {$(
        impl $Op for Counted {
            type Output = Counted;
            fn $op(self, y: Counted) -> Counted {
                count(self.0.$op(y.0))
            }
        }
        impl $Op<f64> for Counted {
            type Output = Counted;
            fn $op(self, y: f64) -> Counted {
                count(self.0.$op(y))
            }
        }
        impl $Assign for Counted {
            fn $assign(&mut self, y: Counted) {
                *self = self.$op(y);
            }
        }
        impl $Assign<f64> for Counted {
            fn $assign(&mut self, y: f64) {
                *self = self.$op(y);
            }
        }
    )*};
}
operators!(Add add AddAssign add_assign Sub sub SubAssign sub_assign Mul mul MulAssign mul_assign
    Div div DivAssign div_assign Rem rem RemAssign rem_assign);

impl Neg for Counted {
    type Output = Counted;
    fn neg(self) -> Counted {
        Counted(-self.0)
    }
}
impl From<f64> for Counted {
    fn from(x: f64) -> Counted {
        Counted(x)
    }
}
impl PartialEq<f64> for Counted {
    fn eq(&self, y: &f64) -> bool {
        self.0 == *y
    }
}
impl PartialOrd<f64> for Counted {
    fn partial_cmp(&self, y: &f64) -> Option<std::cmp::Ordering> {
        self.0.partial_cmp(y)
    }
}
impl fmt::Display for Counted {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        self.0.fmt(f)
    }
}
macro_rules! folds {
    ($($Fold:ident $fold:ident $first:literal $op:ident)*) => {$(
        impl $Fold for Counted {
            fn $fold<I: Iterator<Item = Counted>>(items: I) -> Counted {
                items.fold(Counted($first), |a, b| a.$op(b))
            }
        }
        impl<'a> $Fold<&'a Counted> for Counted {
            fn $fold<I: Iterator<Item = &'a Counted>>(items: I) -> Counted {
                items.fold(Counted($first), |a, b| a.$op(*b))
            }
        }
    )*};
}
folds!(Sum sum 0.0 add Product product 1.0 mul);

impl num_traits::Zero for Counted {
    fn zero() -> Counted {
        Counted(0.0)
    }
    fn is_zero(&self) -> bool {
        self.0 == 0.0
    }
}
impl num_traits::One for Counted {
    fn one() -> Counted {
        Counted(1.0)
    }
}
impl num_traits::Num for Counted {
    type FromStrRadixErr = ();
    fn from_str_radix(_: &str, _: u32) -> Result<Counted, ()> {
        Err(())
    }
}

wengert::no_derivatives!(Counted);
impl Number for Counted {
    type Base = f64;
    type Primal = f64;
    type Re = Counted;
    type Over<S: Real> = S;
    type Part = f64;
    const REAL: bool = true;
    const ORDER: usize = 0;
    const PLAIN: bool = true;
    fn of_part(x: f64) -> Counted {
        Counted(x)
    }
    fn map_parts(self, f: impl Fn(f64) -> f64 + Copy) -> Counted {
        count(f(self.0))
    }
    fn zip_parts(
        self,
        y: Counted,
        f: impl FnOnce(f64, f64) -> f64,
        _: impl Fn(f64, f64) -> f64 + Copy,
    ) -> Counted {
        count(f(self.0, y.0))
    }
    fn fold_parts<A>(self, f: impl FnOnce(f64) -> A, _: impl Fn(A, f64) -> A) -> A {
        f(self.0)
    }
    fn re(self) -> Counted {
        self
    }
    fn im(self) -> Counted {
        Counted(0.0)
    }
    fn from_re(x: Counted) -> Counted {
        x
    }
    fn lift_holomorphic<H: Holomorphic>(self, rule: H) -> Counted {
        count(Holomorphic::value(rule, self.0))
    }
    fn lift_holomorphic2<H: HolomorphicBinary>(self, y: Counted, rule: H) -> Counted {
        count(HolomorphicBinary::value(rule, self.0, y.0))
    }
    fn lift_primitive<R: Primitive<f64>>(rule: &R, x: &[&[Counted]]) -> Result<Vec<Counted>, AdError> {
        let x: Vec<Vec<f64>> = x.iter().map(|group| group.iter().map(|x| x.0).collect()).collect();
        let y = f64::lift_primitive(rule, &x.iter().map(Vec::as_slice).collect::<Vec<_>>())?;
        Ok(y.into_iter().map(Counted).collect())
    }
}
impl Real for Counted {
    type Complex = Counted;
    type Pair = Counted;
    fn primal(self) -> f64 {
        self.0
    }
    fn lift1<U: Unary>(self, rule: U) -> Counted {
        count(Unary::value(rule, self.0))
    }
    fn lift2<B: Binary>(self, y: Counted, rule: B) -> Counted {
        count(Binary::value(rule, self.0, y.0))
    }
}
