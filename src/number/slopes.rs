//! Derivatives of rules at a number type. A traced number overrides them: it records a formula that chooses by values
//! as one operation.

macro_rules! slopes_of_numbers {
    () => {
        /// `f′` of a holomorphic rule at the argument `x` with the result `f`.
        #[doc(hidden)]
        #[inline(always)]
        #[track_caller]
        fn slope_of<H: Holomorphic>(rule: H, x: Self, f: Self) -> Self {
            rule.derivative(x, f)
        }
        /// The partials of a holomorphic rule.
        #[doc(hidden)]
        #[inline(always)]
        #[track_caller]
        fn slopes_of<H: HolomorphicBinary>(rule: H, x: Self, y: Self, f: Self) -> [Self; 2] {
            rule.partials(x, y, f)
        }
    };
}

macro_rules! slopes_of_reals {
    () => {
        /// `f′` of a rule at the argument `x` with the result `f`.
        #[doc(hidden)]
        #[inline(always)]
        #[track_caller]
        fn slope<U: Unary>(rule: U, x: Self, f: Self) -> Self {
            rule.derivative(x, f)
        }
        /// The partials of a rule.
        #[doc(hidden)]
        #[inline(always)]
        #[track_caller]
        fn slopes<B: Binary>(rule: B, x: Self, y: Self, f: Self) -> [Self; 2] {
            rule.partials(x, y, f)
        }
    };
}
