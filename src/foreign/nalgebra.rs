//! nalgebra (simba): `ComplexField` for every number, `RealField` for real ones, so that matrices of numbers
//! work. Membership tests (`SubsetOf`) look at the innermost value only; a tangent-aware one makes
//! `Matrix::exp` panic.

macro_rules! nalgebra_impls {
    (@simd ($($g:tt)*) $Ty:ty) => {
        impl<$($g)*> simba::simd::PrimitiveSimdValue for $Ty {}
        #[allow(unsafe_code)] // the trait declares two methods unsafe; with one lane there is nothing unsafe in them
        impl<$($g)*> simba::simd::SimdValue for $Ty {
            const LANES: usize = 1;
            type Element = Self;
            type SimdBool = bool;
            #[cfg_attr(not(debug_assertions), inline(always))]
            fn splat(value: Self) -> Self {
                value
            }
            #[cfg_attr(not(debug_assertions), inline(always))]
            fn extract(&self, _: usize) -> Self {
                *self
            }
            #[cfg_attr(not(debug_assertions), inline(always))]
            unsafe fn extract_unchecked(&self, _: usize) -> Self {
                *self
            }
            #[cfg_attr(not(debug_assertions), inline(always))]
            fn replace(&mut self, _: usize, value: Self) {
                *self = value;
            }
            #[cfg_attr(not(debug_assertions), inline(always))]
            unsafe fn replace_unchecked(&mut self, _: usize, value: Self) {
                *self = value;
            }
            #[cfg_attr(not(debug_assertions), inline(always))]
            fn select(self, condition: bool, other: Self) -> Self {
                if condition { self } else { other }
            }
        }
        impl<$($g)*> simba::scalar::Field for $Ty {}
        impl<$($g)*> simba::scalar::SubsetOf<$Ty> for $Ty {
            #[cfg_attr(not(debug_assertions), inline(always))]
            fn to_superset(&self) -> Self {
                *self
            }
            #[cfg_attr(not(debug_assertions), inline(always))]
            fn from_superset_unchecked(element: &Self) -> Self {
                *element
            }
            #[cfg_attr(not(debug_assertions), inline(always))]
            fn is_in_subset(_: &Self) -> bool {
                true
            }
        }
    };
    (@each @$what:ident $g:tt $Ty:ty; $($P:ident)*) => {
        $(nalgebra_impls!(@$what $g $Ty; $P);)*
    };
    (@subset ($($g:tt)*) $Ty:ty; $P:ident) => {
        impl<$($g)*> simba::scalar::SubsetOf<$Ty> for $P {
            #[cfg_attr(not(debug_assertions), inline(always))]
            fn to_superset(&self) -> $Ty {
                <$Ty as Number>::lit(*self as f64)
            }
            #[cfg_attr(not(debug_assertions), inline(always))]
            fn from_superset_unchecked(element: &$Ty) -> $P {
                BaseFloat::to_double(element.re().primal()) as $P
            }
            #[cfg_attr(not(debug_assertions), inline(always))]
            fn is_in_subset(_: &$Ty) -> bool {
                true
            }
        }
    };
    (@complex_field ($($g:tt)*) $Ty:ty) => {
        impl<$($g)*> simba::scalar::ComplexField for $Ty {
            type RealField = <$Ty as Number>::Re;
            forward!(Number: floor ceil round trunc fract recip sqrt cbrt exp exp2 exp_m1 ln log2 log10 ln_1p sin cos
                tan asin acos atan sinh cosh tanh asinh acosh atanh mul_add(a, b) powc(exponent));
            forward! {
                fn real(self) -> Self::RealField = Number::re;
                fn imaginary(self) -> Self::RealField = Number::im;
                fn conjugate(self) -> Self = Number::conj;
                fn modulus(self) -> Self::RealField = Number::modulus;
                fn abs(self) -> Self::RealField = Number::modulus;
                fn sin_cos(self) -> (Self, Self) = Number::sin_cos;
                fn powi(self, n: i32) -> Self = Number::powi;
            }
            #[cfg_attr(not(debug_assertions), inline(always))]
            fn from_real(re: Self::RealField) -> Self {
                <Self as Number>::from_re(re)
            }
            #[cfg_attr(not(debug_assertions), inline(always))]
            #[track_caller]
            fn modulus_squared(self) -> Self::RealField {
                let (a, b) = (self.re(), self.im());
                if Self::REAL { a * a } else { a * a + b * b }
            }
            #[cfg_attr(not(debug_assertions), inline(always))]
            #[track_caller]
            fn norm1(self) -> Self::RealField {
                let a = Real::abs(self.re());
                if Self::REAL { a } else { a + Real::abs(self.im()) }
            }
            /// The angle; for real numbers the constant 0 or π.
            #[inline]
            #[track_caller]
            fn argument(self) -> Self::RealField {
                let (a, b) = (self.re(), self.im());
                if !Self::REAL {
                    Real::atan2(b, a)
                } else if a >= Self::RealField::lit(0.0) {
                    Self::RealField::lit(0.0)
                } else {
                    Self::RealField::base(num_traits::FloatConst::PI())
                }
            }
            #[cfg_attr(not(debug_assertions), inline(always))]
            #[track_caller]
            fn scale(self, factor: Self::RealField) -> Self {
                self * <Self as Number>::from_re(factor)
            }
            #[cfg_attr(not(debug_assertions), inline(always))]
            #[track_caller]
            fn unscale(self, factor: Self::RealField) -> Self {
                self / <Self as Number>::from_re(factor)
            }
            /// `(|z|, z/|z|)`; for a real number the sign is a constant, and 0 has the sign 1.
            #[inline]
            #[track_caller]
            fn to_exp(self) -> (Self::RealField, Self) {
                let m = <Self as Number>::modulus(self);
                if Self::REAL {
                    let sign = if self.re() >= Self::RealField::lit(0.0) { 1.0 } else { -1.0 };
                    (m, <Self as Number>::lit(sign))
                } else if num_traits::Zero::is_zero(&m) {
                    (m, <Self as Number>::lit(1.0))
                } else {
                    (m, self / <Self as Number>::from_re(m))
                }
            }
            #[inline]
            #[track_caller]
            fn signum(self) -> Self {
                if Self::REAL {
                    <Self as Number>::from_re(Real::signum(self.re()))
                } else {
                    simba::scalar::ComplexField::to_exp(self).1
                }
            }
            nalgebra_impls!(@cardinal sinc = sin, sinhc = sinh, cosc = cos, coshc = cosh);
            #[inline]
            #[track_caller]
            fn hypot(self, other: Self) -> Self::RealField {
                if Self::REAL {
                    Real::hypot(self.re(), other.re())
                } else {
                    Real::hypot(<Self as Number>::modulus(self), <Self as Number>::modulus(other))
                }
            }
            #[inline]
            #[track_caller]
            fn log(self, base: Self::RealField) -> Self {
                if Self::REAL {
                    <Self as Number>::from_re(Real::log(self.re(), base))
                } else {
                    <Self as Number>::ln(self) / <Self as Number>::from_re(Number::ln(base))
                }
            }
            #[cfg_attr(not(debug_assertions), inline(always))]
            #[track_caller]
            fn powf(self, n: Self::RealField) -> Self {
                <Self as Number>::powf(self, <Self as Number>::from_re(n))
            }
            #[cfg_attr(not(debug_assertions), inline(always))]
            #[track_caller]
            fn is_finite(&self) -> bool {
                let finite = $crate::number::Property::Finite;
                self.re().has(finite) && self.im().has(finite)
            }
            #[inline]
            fn try_sqrt(self) -> Option<Self> {
                let defined = !Self::REAL || self.re() >= Self::RealField::lit(0.0);
                defined.then(|| <Self as Number>::sqrt(self))
            }
        }
    };
    (@cardinal $($m:ident = $of:ident),*) => {$(
        /// The quotient of the function and its argument. Values are bit for bit those in nalgebra: 1 at exactly 0
        /// (where `cosc` and `coshc` are constant), NaN or infinite where the numerator is. This crate's inherent
        /// method returns the limits there.
        #[inline]
        #[track_caller]
        fn $m(self) -> Self {
            let x = self.innermost();
            if num_traits::Zero::is_zero(&x) && matches!(stringify!($m), "cosc" | "coshc") {
                <Self as Number>::lit(1.0)
            } else if num_traits::Zero::is_zero(&x) {
                <Self as Number>::$m(self)
            } else {
                boundary::with_primal(self, <Self as Number>::$m(self), Number::$of(x) / x)
            }
        }
    )*};
    (@real_field ($($g:tt)*) $Ty:ty) => {
        impl<$($g)*> simba::scalar::RealField for $Ty where T: Real {
            forward!(Real: copysign(sign) max(other) min(other) clamp(lo, hi) atan2(other));
            #[cfg_attr(not(debug_assertions), inline(always))]
            #[track_caller]
            fn is_sign_positive(&self) -> bool {
                self.has($crate::number::Property::Positive)
            }
            #[cfg_attr(not(debug_assertions), inline(always))]
            #[track_caller]
            fn is_sign_negative(&self) -> bool {
                self.has($crate::number::Property::Negative)
            }
            fn min_value() -> Option<Self> {
                Some(<Self as Number>::base(<<T as Number>::Base as num_traits::Float>::min_value()))
            }
            fn max_value() -> Option<Self> {
                Some(<Self as Number>::base(<<T as Number>::Base as num_traits::Float>::max_value()))
            }
            nalgebra_impls!(@constants pi = PI, two_pi = TAU, frac_pi_2 = FRAC_PI_2, frac_pi_3 = FRAC_PI_3,
                frac_pi_4 = FRAC_PI_4, frac_pi_6 = FRAC_PI_6, frac_pi_8 = FRAC_PI_8, frac_1_pi = FRAC_1_PI,
                frac_2_pi = FRAC_2_PI, frac_2_sqrt_pi = FRAC_2_SQRT_PI, e = E, log2_e = LOG2_E, log10_e = LOG10_E,
                ln_2 = LN_2, ln_10 = LN_10);
        }
    };
    (@constants $($m:ident = $C:ident),*) => {$(
        #[cfg_attr(not(debug_assertions), inline(always))]
        fn $m() -> Self {
            <Self as Number>::base(<<T as Number>::Base as num_traits::FloatConst>::$C())
        }
    )*};
    (@complex $g:tt $Ty:ty) => {
        nalgebra_impls!(@simd $g $Ty);
        nalgebra_impls!(@each @subset $g $Ty; i8 i16 i32 i64 i128 isize u8 u16 u32 u64 u128 usize f32 f64);
        nalgebra_impls!(@complex_field $g $Ty);
    };
    ($g:tt $Ty:ty) => {
        nalgebra_impls!(@complex $g $Ty);
        nalgebra_impls!(@real_field $g $Ty);
    };
}
