//! How a number of each type in `support/numbers.rs` gets tangents, or a node of a tape.

use std::array::from_fn;
use std::cell::RefCell;

use nalgebra::Complex;
use wengert::matrix::Entry;
use wengert::{Dual, Dual2, DualN, HyperDual, Tape, Var};

/// A type of entries that makes active numbers.
pub trait Active: Entry<Base = f64> {
    /// The number `z`, or its real part, with tangents `t` and others.
    fn active(z: Complex<f64>, t: f64) -> Self;
}

thread_local! {
    static TAPES: RefCell<(Tape<f64>, Tape<Dual<f64>>)> = RefCell::default();
}

/// Clears the tapes of variables made so far.
pub fn forget() {
    TAPES.with_borrow_mut(|(flat, nested)| {
        flat.clear();
        nested.clear();
    });
}

macro_rules! active {
    ($($T:ty: |$z:pat_param, $t:pat_param| $make:expr;)+) => {
        $(impl Active for $T {
            fn active($z: Complex<f64>, $t: f64) -> Self {
                $make
            }
        })+
    };
}

active! {
    f64: |z, _| z.re;
    Complex<f64>: |z, _| z;
    Dual<f64>: |z, t| Dual::new(z.re, t);
    Dual<Complex<f64>>: |z, t| Dual::new(z, Complex::new(t, 1.0));
    Complex<Dual<f64>>: |z, t| Complex::new(Dual::new(z.re, 1.0), Dual::new(z.im, t));
    HyperDual<f64>: |z, t| HyperDual::new(z.re, t, 1.0, 0.0);
    Dual2<f64, 2, 3>: |z, _| Dual2::variable(z.re, 0);
    Dual<Dual<f64>>: |z, t| Dual::new(Dual::new(z.re, 1.0), Dual::constant(t));
    Var<f64>: |z, _| TAPES.with_borrow(|(tape, _)| tape.variable(z.re));
    Complex<Var<f64>>: |z, _| TAPES.with_borrow(|(tape, _)| Complex::new(tape.variable(z.re), tape.variable(z.im)));
    Var<Dual<f64>>: |z, t| TAPES.with_borrow(|(_, tape)| tape.variable(Dual::new(z.re, t)));
}

impl<const N: usize> Active for DualN<f64, N> {
    fn active(z: Complex<f64>, t: f64) -> Self {
        DualN::new(z.re, from_fn(|i| [t, 0.0, 1.0][i % 3]))
    }
}
