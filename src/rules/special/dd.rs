//! Unevaluated sums of two doubles: about 106 significant bits where a plain sum or power would lose too
//! many.
//!
//! Error-free transformations of Knuth and Dekker as in Muller et al., *Handbook of Floating-Point Arithmetic* (2nd
//! ed., chapters 4.3, 4.4 and 14.1). The caller must avoid values beyond 2^996 or below 2^-960: the splitting then
//! overflows or loses bits.

use core::ops::{Add, Div, Mul, Neg};

/// `hi + lo` with `|lo| <= ulp(hi) / 2`.
#[derive(Clone, Copy)]
pub(super) struct Dd {
    pub(super) hi: f64,
    pub(super) lo: f64,
}

impl Dd {
    /// A double. It is no `From`: the compiler lists impls of `From` wherever code leaves open what a double becomes.
    pub(super) fn from(hi: f64) -> Self {
        Self { hi, lo: 0.0 }
    }

    /// The exact sum of two doubles, of any size.
    pub(super) fn sum(a: f64, b: f64) -> Self {
        let hi = a + b;
        let bb = hi - a;
        Self { hi, lo: (a - (hi - bb)) + (b - bb) }
    }

    /// The exact sum where `|a| >= |b|` or `a` is zero.
    pub(super) const fn ordered_sum(a: f64, b: f64) -> Self {
        let hi = a + b;
        Self { hi, lo: b - (hi - a) }
    }

    /// The exact product of two doubles.
    pub(super) const fn product(a: f64, b: f64) -> Self {
        let hi = a * b;
        let ((ah, al), (bh, bl)) = (split(a), split(b));
        Self { hi, lo: ((ah * bh - hi) + ah * bl + al * bh) + al * bl }
    }

    /// The quotient by an exact double.
    pub(super) const fn over(self, b: f64) -> Self {
        let q = self.hi / b;
        let p = Self::product(q, b);
        Self::ordered_sum(q, (((self.hi - p.hi) - p.lo) + self.lo) / b)
    }

    /// `self^n` by repeated squaring, n >= 1.
    #[inline]
    pub(super) fn powi(self, n: u32) -> Self {
        let squares = (0..n.ilog2()).rev();
        squares.fold(self, |half, bit| if n >> bit & 1 == 1 { half * half * self } else { half * half })
    }

    /// The nearest double.
    pub(super) fn value(self) -> f64 {
        self.hi + self.lo
    }
}

/// Veltkamp's splitting into two halves of at most 26 bits, whose products are exact.
const fn split(a: f64) -> (f64, f64) {
    let c = 134_217_729.0 * a; // 2^27 + 1
    let high = c - (c - a);
    (high, a - high)
}

impl Neg for Dd {
    type Output = Self;
    fn neg(self) -> Self {
        Self { hi: -self.hi, lo: -self.lo }
    }
}

impl Add for Dd {
    type Output = Self;
    fn add(self, b: Self) -> Self {
        let s = Self::sum(self.hi, b.hi);
        Self::ordered_sum(s.hi, s.lo + (self.lo + b.lo))
    }
}

impl Mul for Dd {
    type Output = Self;
    fn mul(self, b: Self) -> Self {
        let p = Self::product(self.hi, b.hi);
        Self::ordered_sum(p.hi, p.lo + (self.hi * b.lo + self.lo * b.hi))
    }
}

impl Div for Dd {
    type Output = Self;
    fn div(self, b: Self) -> Self {
        let q = self.hi / b.hi;
        let p = Self::product(q, b.hi);
        let rest = ((self.hi - p.hi) - p.lo) + (self.lo - q * b.lo);
        Self::ordered_sum(q, rest / b.hi)
    }
}
