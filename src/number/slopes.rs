//! Derivatives of rules at a number type. A traced number overrides them: it records a formula that chooses by values
//! as one operation. So do numbers over traced ones, for each part of the derivative.

macro_rules! slopes {
    ($Unary:ident $slope:ident, $Binary:ident $slopes:ident, |$rule:ident, $x:ident, $f:ident| $one:expr, |$y:ident| $two:expr) => {
        /// `f′` of a rule at the argument `x` with the result `f`.
        #[doc(hidden)]
        #[cfg_attr(not(debug_assertions), inline(always))]
        #[track_caller]
        fn $slope<R: $Unary>($rule: R, $x: Self, $f: Self) -> Self {
            if Self::TRACES && Self::REAL { $one } else { $rule.derivative($x, $f) }
        }
        /// The partials of a rule.
        #[doc(hidden)]
        #[cfg_attr(not(debug_assertions), inline(always))]
        #[track_caller]
        fn $slopes<R: $Binary>($rule: R, $x: Self, $y: Self, $f: Self) -> [Self; 2] {
            if Self::TRACES && Self::REAL { $two } else { $rule.partials($x, $y, $f) }
        }
    };
}
