//! A number type from outside the crate, on a tape; and one whose constants close the tape that is being extended.
use std::cell::{Cell, RefCell};
use std::fmt;
use std::ops::*;
use wengert::primitive::Primitive;
use wengert::rules::{Binary, Holomorphic, HolomorphicBinary, Unary};
use wengert::{AdError, Number, Real, Tape, Var};
#[derive(Clone, Copy, Debug, Default, PartialEq, PartialOrd)]
struct E(f64);
thread_local! { static TAPE: RefCell<Option<Tape<E>>> = const { RefCell::new(None) }; static ARMED: Cell<bool> = const { Cell::new(false) }; }
macro_rules! op { ($($t:ident $f:ident $ta:ident $fa:ident),*) => { $(
impl $t for E { type Output = E; fn $f(self, o: E) -> E { E(self.0.$f(o.0)) } }
impl $t<f64> for E { type Output = E; fn $f(self, o: f64) -> E { E(self.0.$f(o)) } }
impl $ta for E { fn $fa(&mut self, o: E) { self.0.$fa(o.0) } }
impl $ta<f64> for E { fn $fa(&mut self, o: f64) { self.0.$fa(o) } } )* } }
op!(Add add AddAssign add_assign, Sub sub SubAssign sub_assign, Mul mul MulAssign mul_assign, Div div DivAssign div_assign, Rem rem RemAssign rem_assign);
impl Neg for E {
    type Output = E;
    fn neg(self) -> E {
        E(-self.0)
    }
}
impl From<f64> for E {
    fn from(x: f64) -> E {
        E(x)
    }
}
impl PartialEq<f64> for E {
    fn eq(&self, o: &f64) -> bool {
        self.0 == *o
    }
}
impl PartialOrd<f64> for E {
    fn partial_cmp(&self, o: &f64) -> Option<std::cmp::Ordering> {
        self.0.partial_cmp(o)
    }
}
impl fmt::Display for E {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        self.0.fmt(f)
    }
}
impl std::iter::Sum for E {
    fn sum<I: Iterator<Item = E>>(i: I) -> E {
        i.fold(E(0.), |a, b| a + b)
    }
}
impl<'a> std::iter::Sum<&'a E> for E {
    fn sum<I: Iterator<Item = &'a E>>(i: I) -> E {
        i.fold(E(0.), |a, b| a + *b)
    }
}
impl std::iter::Product for E {
    fn product<I: Iterator<Item = E>>(i: I) -> E {
        i.fold(E(1.), |a, b| a * b)
    }
}
impl<'a> std::iter::Product<&'a E> for E {
    fn product<I: Iterator<Item = &'a E>>(i: I) -> E {
        i.fold(E(1.), |a, b| a * *b)
    }
}
impl num_traits::Zero for E {
    fn zero() -> E {
        E(0.)
    }
    fn is_zero(&self) -> bool {
        self.0 == 0.
    }
}
impl num_traits::One for E {
    fn one() -> E {
        E(1.)
    }
}
impl num_traits::Num for E {
    type FromStrRadixErr = ();
    fn from_str_radix(_: &str, _: u32) -> Result<E, ()> {
        Err(())
    }
}
wengert::no_derivatives!(E);
impl Number for E {
    type Base = f64;
    type Primal = f64;
    type Re = E;
    type Over<S: Real> = S;
    type Part = f64;
    const REAL: bool = true;
    fn base(x: f64) -> E {
        if ARMED.replace(false) {
            let tape = TAPE.take();
            drop(tape);
        }
        E(x)
    }
    fn of_part(v: f64) -> E {
        E(v)
    }
    fn map_parts(self, f: impl Fn(f64) -> f64 + Copy) -> E {
        E(f(self.0))
    }
    fn zip_parts(self, y: E, value: impl FnOnce(f64, f64) -> f64, _: impl Fn(f64, f64) -> f64 + Copy) -> E {
        E(value(self.0, y.0))
    }
    fn fold_parts<A>(self, value: impl FnOnce(f64) -> A, _: impl Fn(A, f64) -> A) -> A {
        value(self.0)
    }
    fn re(self) -> E {
        self
    }
    fn im(self) -> E {
        E(0.)
    }
    fn from_re(x: E) -> E {
        x
    }
    fn lift_holomorphic<H: Holomorphic>(self, _: H) -> E {
        self
    }
    fn lift_holomorphic2<H: HolomorphicBinary>(self, _: E, _: H) -> E {
        self
    }
    fn lift_primitive<R: Primitive<f64>>(rule: &R, x: &[&[E]]) -> Result<Vec<E>, AdError> {
        let x: Vec<Vec<f64>> = x.iter().map(|group| group.iter().map(|x| x.0).collect()).collect();
        let y = f64::lift_primitive(rule, &x.iter().map(Vec::as_slice).collect::<Vec<_>>())?;
        Ok(y.into_iter().map(E).collect())
    }
}
impl Real for E {
    type Complex = E;
    type Pair = E;
    fn primal(self) -> f64 {
        self.0
    }
    fn lift1<U: Unary>(self, _: U) -> E {
        self
    }
    fn lift2<B: Binary>(self, _: E, _: B) -> E {
        self
    }
}

/// A full tape, its variables, and a result of combining them.
fn full() -> (Tape<E>, Var<E>, Var<E>) {
    let tape = Tape::<E>::new();
    let (x, y) = (tape.variable(E(1.0)), tape.variable(E(2.0)));
    let mut z = x * y;
    while tape.stats().nodes < 256 {
        z *= y;
    }
    (tape, y, z)
}

#[test]
fn a_number_of_ones_own_is_differentiated() {
    let (tape, y, z) = full();
    let (w, dw) = (z * y, 255.0);
    // y²⁵⁵ at 2: its derivative is 255·2²⁵⁴.
    assert_eq!(tape.cotangents(w).of(y).0, dw * 2f64.powi(254));
}

/// A system this large is solved by a primitive, whose rule solves again at these numbers.
#[cfg(feature = "nalgebra")]
#[test]
fn a_number_of_ones_own_has_the_primitives() {
    use nalgebra::{DMatrix, DVector};
    fn slope<T: Real<Base = f64, Primal = f64> + From<f64>>() -> (T, T) {
        let tape = Tape::<T>::new();
        let x = tape.variable(T::from(5.0));
        let off = |i, j| Var::constant(T::from(1.0 / (1 + i + j) as f64));
        let a = DMatrix::from_fn(14, 14, |i, j| if i == j { x } else { off(i, j) });
        let b = DVector::from_fn(14, |i, _| Var::constant(T::from(i as f64)));
        let y = wengert::matrix::solve(&a, &b).unwrap()[3];
        (y.value(), tape.cotangents(y).of(x))
    }
    let (y, dy) = slope::<E>();
    assert_eq!((y.0, dy.0), slope::<f64>());
}

#[test]
fn a_tape_closed_while_a_sum_is_recorded_is_not_written_to() {
    let (tape, y, z) = full();
    TAPE.set(Some(tape));
    ARMED.set(true);
    let sum = || wengert::reduce::sum(&[y, z, y, z, y, z, y, z, y, z, y, z]) * y;
    let panic = std::panic::catch_unwind(std::panic::AssertUnwindSafe(sum)).unwrap_err();
    assert!(panic.downcast_ref::<String>().unwrap().contains("closed or cleared"));
    assert!(!ARMED.get(), "the tape was dropped within");
}
