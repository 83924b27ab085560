//! Elementary functions as inherent methods: on concrete types they need no `use`, and are not ambiguous.

macro_rules! inherent {
    (@number ($($g:tt)*) $Ty:ty) => {
        /// Elementary functions, from the rule table; for complex components too.
        impl<$($g)*> $Ty {
            holomorphic_table!(inherent_methods Number);

            forward! {
                /// `self^exponent`, with a constant or active exponent; see [`Number::powf`].
                pub fn powf(self, exponent: impl Into<Self>) -> Self = Number::powf;
                /// `self^exponent`, principal branch; see [`Number::powc`].
                pub fn powc(self, exponent: Self) -> Self = Number::powc;
                /// `(sin x, cos x)`.
                pub fn sin_cos(self) -> (Self, Self) = Number::sin_cos;
                /// `self·a + b`, the value rounded once; see [`Number::mul_add`].
                pub fn mul_add(self, a: impl Into<Self>, b: impl Into<Self>) -> Self = Number::mul_add;
                /// The value without tangents; see [`Number::detach`].
                pub fn detach(self) -> Self = Number::detach;
                /// The real part; see [`Number::re`].
                pub fn re(self) -> <Self as Number>::Re = Number::re;
                /// The imaginary part; see [`Number::im`].
                pub fn im(self) -> <Self as Number>::Re = Number::im;
                /// The complex conjugate; see [`Number::conj`].
                pub fn conj(self) -> Self = Number::conj;
                /// `|z|` as a real number; see [`Number::modulus`].
                pub fn modulus(self) -> <Self as Number>::Re = Number::modulus;
            }
            /// Converts value and tangents to another base float; see [`Number::cast`].
            #[cfg_attr(not(debug_assertions), inline(always))]
            pub fn cast<To: crate::number::CastFrom<Self>>(self) -> To {
                To::cast_from(self)
            }
        }
    };
    (@real ($($g:tt)*) $Ty:ty) => {
        /// Functions of real numbers, from the rule table.
        impl<$($g)*> $Ty where T: Real {
            real_table!(inherent_methods Real);
            binary_table!(inherent_binary_methods);
            derived_real_table!(inherent_derived_methods);

            forward! {
                /// The innermost value as a base float.
                pub fn primal(self) -> <T as Number>::Base = Real::primal;
                /// The larger operand; a tie gives half of each tangent. See [`Real::max`].
                pub fn max(self, other: impl Into<Self>) -> Self = Real::max;
                /// The smaller operand; a tie gives half of each tangent. See [`Real::min`].
                pub fn min(self, other: impl Into<Self>) -> Self = Real::min;
                /// The regularised lower incomplete gamma function; see [`Real::gamma_p`].
                pub fn gamma_p(self, shape: impl Into<Self>) -> Self = Real::gamma_p;
                /// The regularised upper incomplete gamma function; see [`Real::gamma_q`].
                pub fn gamma_q(self, shape: impl Into<Self>) -> Self = Real::gamma_q;
                /// The density of the gamma distribution; see [`Real::gamma_pdf`].
                pub fn gamma_pdf(self, shape: impl Into<Self>) -> Self = Real::gamma_pdf;
                /// `self` limited to `lo..=hi`; at equality every tangent is zero. See [`Real::clamp`].
                ///
                /// # Panics
                /// If `lo > hi` or a bound is NaN, as `f64::clamp`.
                pub fn clamp(self, lo: impl Into<Self>, hi: impl Into<Self>) -> Self = Real::clamp;
                /// `self − other` if positive, else zero. See [`Real::abs_sub`].
                pub fn abs_sub(self, other: impl Into<Self>) -> Self = Real::abs_sub;
                /// `self` with the sign bit of `sign`. See [`Real::copysign`].
                pub fn copysign(self, sign: impl Into<Self>) -> Self = Real::copysign;
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
