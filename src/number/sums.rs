//! Sums and products of many numbers, which a tape records as blocks.

macro_rules! sums_of_numbers {
    () => {
        /// The empty sum of the innermost number: −0 for floats, so that sums of −0 are −0.
        #[doc(hidden)]
        #[cfg_attr(not(debug_assertions), inline(always))]
        fn sum_of_nothing() -> Self {
            Self::constant_of(core::iter::empty::<Self::Primal>().sum())
        }
        /// The sum of all items, in order. On a tape, a sum of more than 32 terms is recorded as one block.
        #[doc(hidden)]
        #[inline]
        #[track_caller]
        fn total<I: Iterator<Item = Self>>(items: I) -> Self {
            if !Self::RECORDS {
                return items.fold(Self::sum_of_nothing(), |a, b| a + b);
            }
            let mut sum = Self::sum_of_nothing();
            for x in items {
                sum += x;
            }
            sum
        }
        /// `Σ xᵢyᵢ`, in order.
        #[doc(hidden)]
        #[inline]
        #[track_caller]
        fn inner_product<I: Iterator<Item = (Self, Self)>>(pairs: I) -> Self {
            if !Self::RECORDS {
                return pairs.fold(Self::sum_of_nothing(), |a, (x, y)| a + x * y);
            }
            let mut sum = Self::sum_of_nothing();
            for (x, y) in pairs {
                sum += x * y;
            }
            sum
        }
        /// The sum of a slice; faster than [`total`](Number::total) where contiguous items can be vectorised.
        #[doc(hidden)]
        #[inline]
        #[track_caller]
        fn sum_of(x: &[Self]) -> Self {
            Self::total(x.iter().copied())
        }
        /// `Σ xᵢyᵢ` of slices of equal length.
        #[doc(hidden)]
        #[inline]
        #[track_caller]
        fn dot(x: &[Self], y: &[Self]) -> Self {
            Self::inner_product(x.iter().copied().zip(y.iter().copied()))
        }
        /// `Σ xᵢyᵢ + c` of slices of equal length.
        #[doc(hidden)]
        #[inline]
        #[track_caller]
        fn affine(x: &[Self], y: &[Self], c: Self) -> Self {
            Self::dot(x, y) + c
        }
        /// `Σ wᵢxᵢ` of slices of equal length.
        #[doc(hidden)]
        #[inline]
        #[track_caller]
        fn weighted_sum(weights: &[Self::Base], x: &[Self]) -> Self {
            Self::total(x.iter().zip(weights).map(|(&x, &w)| x * w))
        }
        /// The product of all items, in order; recorded as one block on a tape. Derivatives are right even where a
        /// partial product overflows or underflows.
        #[doc(hidden)]
        #[inline]
        #[track_caller]
        fn multiplied<I: Iterator<Item = Self>>(items: I) -> Self {
            wide::product(items)
        }
    };
}
