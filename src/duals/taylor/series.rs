//! Methods that series of a fixed order and series that carry their order share: results by `of` and `join`.

/// Rules of real or of complex numbers.
macro_rules! series_lifts {
    ($Of:ident $Unary:ident $lift1:ident $($quickly:ident)?, $Binary:ident $lift2:ident) => {
        #[cfg_attr(not(debug_assertions), inline(always))]
        fn $lift1<U: $Unary>(self, rule: U) -> Self {
            Self::demand_operands([&self]);
            // Not in the closure, which is not always in line: `x.powi(2)` is a product.
            $(if let Some(series) = few::$quickly(&$Of(rule), &self) {
                return series;
            })?
            self.of(|x, n| {
                let nested = through_nested!(T, n, [x], |x| x[0].$lift1(rule));
                nested.unwrap_or_else(|| lift::through(&$Of(rule), x, n))
            })
        }
        #[inline]
        fn $lift2<B: $Binary>(self, y: Self, rule: B) -> Self {
            Self::demand_operands([&self, &y]);
            self.join(&y, |x, y, n| {
                let nested = through_nested!(T, n, [x, y], |x| x[0].$lift2(x[1], rule));
                nested.unwrap_or_else(|| lift::through2(&$Of(rule), [x, y], n))
            })
        }
    };
}

/// Products: of strong zeros, and by operators.
macro_rules! series_products {
    () => {
        fn strong_mul(self, t: Self) -> Self {
            self.join(&t, |x, t, n| kernels::strong_product(x, t, T::strong_mul, n))
        }
        fn strong_both(self, t: Self) -> Self {
            self.join(&t, |x, t, n| kernels::strong_product(x, t, T::strong_both, n))
        }
    };
    ($K:ident $Series:ty) => {
        // `(xy)ₖ = Σ xⱼyₖ₋ⱼ`; `qₖ = (xₖ − Σ yⱼqₖ₋ⱼ)/y₀`, `j ≥ 1`.
        series_products!(@operator $K $Series, Mul mul, kernels::product);
        series_products!(@operator $K $Series, Div div, lift::quotient);
    };
    (@operator $K:ident $Series:ty, $Op:ident $op:ident, $result:path) => {
        impl<T: Number, const $K: usize> core::ops::$Op for $Series {
            type Output = Self;
            #[inline]
            #[track_caller]
            fn $op(self, y: Self) -> Self {
                Self::demand_operands([&self, &y]);
                self.join(&y, $result)
            }
        }
    };
}
