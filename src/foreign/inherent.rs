//! Elementary functions as inherent methods: on concrete types they need no `use`, and are not ambiguous.

macro_rules! inherent {
    (@number ($($g:tt)*) $Ty:ty) => {
        /// Elementary functions, from the rule table; for complex components too.
        impl<$($g)*> $Ty {
            holomorphic_table!(inherent_methods Number);

            /// `self^exponent`, with a constant or active exponent; see [`Number::powf`].
            #[inline]
            #[track_caller]
            pub fn powf(self, exponent: impl Into<Self>) -> Self {
                <Self as Number>::powf(self, exponent)
            }
            /// `self^exponent`, principal branch; see [`Number::powc`].
            #[inline]
            #[track_caller]
            pub fn powc(self, exponent: Self) -> Self {
                <Self as Number>::powc(self, exponent)
            }
            /// `(sin x, cos x)`.
            #[inline]
            #[track_caller]
            pub fn sin_cos(self) -> (Self, Self) {
                <Self as Number>::sin_cos(self)
            }
            /// `self·a + b`, the value rounded once; see [`Number::mul_add`].
            #[inline]
            #[track_caller]
            pub fn mul_add(self, a: impl Into<Self>, b: impl Into<Self>) -> Self {
                <Self as Number>::mul_add(self, a, b)
            }
            /// The value without tangents; see [`Number::detach`].
            #[inline]
            pub fn detach(self) -> Self {
                <Self as Number>::detach(self)
            }
            /// The real part; see [`Number::re`].
            #[inline(always)]
            pub fn re(self) -> <Self as Number>::Re {
                <Self as Number>::re(self)
            }
            /// The imaginary part; see [`Number::im`].
            #[inline(always)]
            pub fn im(self) -> <Self as Number>::Re {
                <Self as Number>::im(self)
            }
            /// The complex conjugate; see [`Number::conj`].
            #[inline(always)]
            pub fn conj(self) -> Self {
                <Self as Number>::conj(self)
            }
            /// Converts value and tangents to another base float; see [`Number::cast`].
            #[inline(always)]
            pub fn cast<To: crate::number::CastFrom<Self>>(self) -> To {
                To::cast_from(self)
            }
            /// `|z|` as a real number; see [`Number::modulus`].
            #[inline]
            #[track_caller]
            pub fn modulus(self) -> <Self as Number>::Re {
                <Self as Number>::modulus(self)
            }
        }
    };
    (@real ($($g:tt)*) $Ty:ty) => {
        /// Functions of real numbers, from the rule table.
        impl<$($g)*> $Ty where T: Real {
            real_table!(inherent_methods Real);
            binary_table!(inherent_binary_methods);
            derived_real_table!(inherent_derived_methods);

            /// The innermost value as a base float.
            #[inline(always)]
            #[track_caller]
            pub fn primal(self) -> <T as Number>::Base {
                <Self as Real>::primal(self)
            }
            /// The larger operand; a tie gives half of each tangent. See [`Real::max`].
            #[inline]
            #[track_caller]
            pub fn max(self, other: impl Into<Self>) -> Self {
                <Self as Real>::max(self, other)
            }
            /// The smaller operand; a tie gives half of each tangent. See [`Real::min`].
            #[inline]
            #[track_caller]
            pub fn min(self, other: impl Into<Self>) -> Self {
                <Self as Real>::min(self, other)
            }
            /// The regularised lower incomplete gamma function; see [`Real::gamma_p`].
            #[inline]
            #[track_caller]
            pub fn gamma_p(self, shape: impl Into<Self>) -> Self {
                <Self as Real>::gamma_p(self, shape)
            }
            /// The regularised upper incomplete gamma function; see [`Real::gamma_q`].
            #[inline]
            #[track_caller]
            pub fn gamma_q(self, shape: impl Into<Self>) -> Self {
                <Self as Real>::gamma_q(self, shape)
            }
            /// The density of the gamma distribution; see [`Real::gamma_pdf`].
            #[inline]
            #[track_caller]
            pub fn gamma_pdf(self, shape: impl Into<Self>) -> Self {
                <Self as Real>::gamma_pdf(self, shape)
            }
            /// `self` limited to `lo..=hi`; at equality every tangent is zero. See [`Real::clamp`].
            ///
            /// # Panics
            /// If `lo > hi` or a bound is NaN, as `f64::clamp`.
            #[inline]
            #[track_caller]
            pub fn clamp(self, lo: impl Into<Self>, hi: impl Into<Self>) -> Self {
                <Self as Real>::clamp(self, lo, hi)
            }
            /// `self − other` if positive, else zero. See [`Real::abs_sub`].
            #[inline]
            #[track_caller]
            pub fn abs_sub(self, other: impl Into<Self>) -> Self {
                <Self as Real>::abs_sub(self, other)
            }
            /// `self` with the sign bit of `sign`. See [`Real::copysign`].
            #[inline]
            #[track_caller]
            pub fn copysign(self, sign: impl Into<Self>) -> Self {
                <Self as Real>::copysign(self, sign)
            }
            /// `a` if `condition`, else `b`. See [`Real::select`].
            #[inline]
            pub fn select(condition: bool, a: Self, b: Self) -> Self {
                <Self as Real>::select(condition, a, b)
            }
            property_table!(property_methods pub);
        }
    };
    ($g:tt $Ty:ty) => {
        inherent!(@number $g $Ty);
        inherent!(@real $g $Ty);
    };
}
