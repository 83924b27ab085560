//! num-traits. Predicates, comparisons and conversions to primitive types look at the innermost value only.

/// Constants of a foreign trait from the same constant of the base float.
macro_rules! forward_constants {
    ($Trait:path: $($m:ident)*) => {$(
        #[cfg_attr(not(debug_assertions), inline(always))]
        fn $m() -> Self {
            <Self as Number>::base(<<T as Number>::Base as $Trait>::$m())
        }
    )*};
}

/// Predicates of a foreign trait, as the base float has them.
macro_rules! forward_predicates {
    ($Trait:path: $($m:ident -> $Out:ty),*) => {$(
        #[cfg_attr(not(debug_assertions), inline(always))]
        #[track_caller]
        fn $m(self) -> $Out {
            <<T as Number>::Base as $Trait>::$m(self.primal())
        }
    )*};
}

macro_rules! forward_casts {
    ($($to:ident: $P:ty),*) => { $(
        #[inline]
        #[track_caller]
        fn $to(&self) -> Option<$P> {
            // The digits after the point must not leave a program with the integer.
            let x = if <Self as Number>::TRACES { <Self as Number>::trunc(*self) } else { *self };
            x.primal().$to()
        }
    )* };
}

/// Conversions from integers, by the base float.
macro_rules! forward_integers {
    ($($from:ident: $P:ty),*) => { $(
        #[inline]
        fn $from(n: $P) -> Option<Self> {
            <T as Number>::Base::$from(n).map(<Self as Number>::base)
        }
    )* };
}

macro_rules! num_traits_impls {
    (@number ($($g:tt)*) $Ty:ty) => {
        impl<$($g)*> num_traits::Zero for $Ty {
            #[cfg_attr(not(debug_assertions), inline(always))]
            fn zero() -> Self {
                <Self as Number>::lit(0.0)
            }
            #[cfg_attr(not(debug_assertions), inline(always))]
            #[track_caller]
            fn is_zero(&self) -> bool {
                let zero = $crate::number::Property::Zero;
                self.re().has(zero) && (Self::REAL || self.im().has(zero))
            }
        }
        impl<$($g)*> num_traits::One for $Ty {
            #[cfg_attr(not(debug_assertions), inline(always))]
            fn one() -> Self {
                <Self as Number>::lit(1.0)
            }
            #[cfg_attr(not(debug_assertions), inline(always))]
            #[track_caller]
            fn is_one(&self) -> bool {
                use $crate::number::Property;
                self.re().has(Property::One) && (Self::REAL || self.im().has(Property::Zero))
            }
        }
        impl<$($g)*> num_traits::Num for $Ty {
            type FromStrRadixErr = <<T as Number>::Base as num_traits::Num>::FromStrRadixErr;
            fn from_str_radix(text: &str, radix: u32) -> Result<Self, Self::FromStrRadixErr> {
                <<T as Number>::Base as num_traits::Num>::from_str_radix(text, radix).map(<Self as Number>::base)
            }
        }
        impl<$($g)*> num_traits::Inv for $Ty {
            type Output = Self;
            #[cfg_attr(not(debug_assertions), inline(always))]
            #[track_caller]
            fn inv(self) -> Self {
                self.recip()
            }
        }
        impl<$($g)*> num_traits::Inv for &$Ty {
            type Output = $Ty;
            #[cfg_attr(not(debug_assertions), inline(always))]
            #[track_caller]
            fn inv(self) -> $Ty {
                self.recip()
            }
        }
        num_traits_impls!(@power_of_reference ($($g)*) $Ty; $Ty);
        impl<E, $($g)*> num_traits::Pow<E> for &$Ty where $Ty: num_traits::Pow<E> {
            type Output = <$Ty as num_traits::Pow<E>>::Output;
            #[cfg_attr(not(debug_assertions), inline(always))]
            #[track_caller]
            fn pow(self, exponent: E) -> Self::Output {
                num_traits::Pow::pow(*self, exponent)
            }
        }
        num_traits_impls!(@each @power ($($g)*) $Ty; i8 u8 i16 u16 i32);
        impl<$($g)*> num_traits::MulAdd for $Ty {
            type Output = Self;
            #[cfg_attr(not(debug_assertions), inline(always))]
            #[track_caller]
            fn mul_add(self, a: Self, b: Self) -> Self {
                <Self as Number>::mul_add(self, a, b)
            }
        }
        impl<$($g)*> num_traits::MulAddAssign for $Ty {
            #[cfg_attr(not(debug_assertions), inline(always))]
            #[track_caller]
            fn mul_add_assign(&mut self, a: Self, b: Self) {
                *self = <Self as Number>::mul_add(*self, a, b);
            }
        }
        impl<$($g)*> num_traits::AsPrimitive<$Ty> for $Ty {
            #[cfg_attr(not(debug_assertions), inline(always))]
            fn as_(self) -> $Ty {
                self
            }
        }
        impl<$($g)*> num_traits::Pow<$Ty> for $Ty {
            type Output = Self;
            #[cfg_attr(not(debug_assertions), inline(always))]
            #[track_caller]
            fn pow(self, exponent: Self) -> Self {
                <Self as Number>::powf(self, exponent)
            }
        }
        impl<$($g)*> num_traits::FromPrimitive for $Ty {
            forward_integers!(from_i64: i64, from_u64: u64, from_i128: i128, from_u128: u128);
            #[inline]
            fn from_f32(x: f32) -> Option<Self> {
                Some(<Self as Number>::lit(f64::from(x)))
            }
            #[inline]
            fn from_f64(x: f64) -> Option<Self> {
                Some(<Self as Number>::lit(x))
            }
        }
    };
    (@power_of_base ($($g:tt)*) $Ty:ty) => {
        impl<F: BaseFloat, $($g)*> num_traits::Pow<F> for $Ty where T: Number<Base = F> {
            type Output = Self;
            #[cfg_attr(not(debug_assertions), inline(always))]
            #[track_caller]
            fn pow(self, exponent: F) -> Self {
                <Self as Number>::powf(self, exponent)
            }
        }
    };
    (@each @$what:ident $g:tt $Ty:ty; $($P:ident)*) => {
        $(num_traits_impls!(@$what $g $Ty; $P);)*
    };
    (@convert ($($g:tt)*) $Ty:ty; $P:ident) => {
        /// A constant.
        impl<$($g)*> num_traits::AsPrimitive<$Ty> for $P
        where
            $P: num_traits::AsPrimitive<<T as Number>::Base>,
        {
            #[cfg_attr(not(debug_assertions), inline(always))]
            fn as_(self) -> $Ty {
                <$Ty as Number>::base(self.as_())
            }
        }
    };
    (@power_of_reference ($($g:tt)*) $Ty:ty; $E:ty) => {
        impl<$($g)*> num_traits::Pow<&$E> for $Ty {
            type Output = $Ty;
            #[cfg_attr(not(debug_assertions), inline(always))]
            #[track_caller]
            fn pow(self, exponent: &$E) -> $Ty {
                num_traits::Pow::pow(self, *exponent)
            }
        }
    };
    (@power ($($g:tt)*) $Ty:ty; $I:ident) => {
        num_traits_impls!(@power_of_reference ($($g)*) $Ty; $I);
        impl<$($g)*> num_traits::Pow<$I> for $Ty {
            type Output = Self;
            #[cfg_attr(not(debug_assertions), inline(always))]
            #[track_caller]
            fn pow(self, exponent: $I) -> Self {
                self.powi(i32::from(exponent))
            }
        }
    };
    (@real ($($g:tt)*) $Ty:ty) => {
        /// The cast of the innermost value to a primitive type, which has bytes; tangents are dropped.
        impl<P: num_traits::ToBytes + Copy + 'static, $($g)*> num_traits::AsPrimitive<P> for $Ty
        where
            T: Real,
            <T as Number>::Base: num_traits::AsPrimitive<P>,
        {
            #[cfg_attr(not(debug_assertions), inline(always))]
            fn as_(self) -> P {
                self.primal().as_()
            }
        }
        impl<$($g)*> num_traits::ToPrimitive for $Ty where T: Real {
            forward_casts!(to_i64: i64, to_u64: u64, to_i128: i128, to_u128: u128);
            #[inline]
            #[track_caller]
            fn to_f32(&self) -> Option<f32> {
                self.primal().to_f32()
            }
            #[inline]
            #[track_caller]
            fn to_f64(&self) -> Option<f64> {
                Some(BaseFloat::to_double(self.primal()))
            }
        }
        /// A constant; a cast from another number drops its tangents (use `From` or `detach` to be explicit).
        impl<$($g)*> num_traits::NumCast for $Ty where T: Real {
            #[inline]
            fn from<P: num_traits::ToPrimitive>(n: P) -> Option<Self> {
                <<T as Number>::Base as num_traits::NumCast>::from(n).map(<Self as Number>::base)
            }
        }
        impl<$($g)*> num_traits::Signed for $Ty where T: Real {
            forward!(&Real: abs abs_sub(other) signum);
            #[inline]
            #[track_caller]
            fn is_positive(&self) -> bool {
                self.has($crate::number::Property::Positive)
            }
            #[inline]
            #[track_caller]
            fn is_negative(&self) -> bool {
                self.has($crate::number::Property::Negative)
            }
        }
        impl<$($g)*> num_traits::float::TotalOrder for $Ty where T: Real {
            /// Compares only the values; ±0 and NaN in the order of `f64::total_cmp`.
            #[inline]
            #[track_caller]
            fn total_cmp(&self, other: &Self) -> core::cmp::Ordering {
                self.primal().to_double().total_cmp(&other.primal().to_double())
            }
        }
        impl<$($g)*> num_traits::Bounded for $Ty where T: Real {
            forward_constants!(num_traits::Float: min_value max_value);
        }
        impl<$($g)*> num_traits::Euclid for $Ty where T: Real {
            forward!(&Real: div_euclid(other) rem_euclid(other));
        }
        impl<$($g)*> num_traits::FloatConst for $Ty where T: Real {
            forward_constants!(num_traits::FloatConst: E FRAC_1_PI FRAC_1_SQRT_2 FRAC_2_PI FRAC_2_SQRT_PI FRAC_PI_2
                FRAC_PI_3 FRAC_PI_4 FRAC_PI_6 FRAC_PI_8 LN_10 LN_2 LOG10_E LOG2_E PI SQRT_2 TAU LOG10_2 LOG2_10);
        }
    };
    (@float ($($g:tt)*) $Ty:ty) => {
        impl<$($g)*> num_traits::Float for $Ty where T: Real {
            num_traits_impls!(@of_all_floats);
            forward!(Number: sqrt cbrt exp exp2 exp_m1 ln log2 log10 ln_1p sin cos tan asin acos atan sinh cosh tanh
                asinh acosh atanh mul_add(a, b) powf(exponent));
            forward!(Real: log(base) abs_sub(other) hypot(other) atan2(other) copysign(sign));
            forward!(fn sin_cos(self) -> (Self, Self) = Number::sin_cos;);
        }
        impl<$($g)*> num_traits::float::FloatCore for $Ty where T: Real {
            num_traits_impls!(@of_all_floats);
        }
    };
    // The methods of `Float` that `FloatCore` has too.
    (@of_all_floats) => {
        forward_constants!(num_traits::Float: nan infinity neg_infinity neg_zero min_value min_positive_value
            max_value epsilon);
        property_table!(property_methods);
        forward_predicates!(num_traits::Float: classify -> core::num::FpCategory, integer_decode -> (u64, i16, i8));
        forward!(Number: floor ceil round trunc fract recip);
        forward!(Real: abs signum to_degrees to_radians max(other) min(other) clamp(lo, hi));
        forward!(fn powi(self, n: i32) -> Self = Number::powi;);
    };
    ($g:tt $Ty:ty) => {
        num_traits_impls!(@number $g $Ty);
        num_traits_impls!(@each @convert $g $Ty; i8 i16 i32 i64 i128 isize u8 u16 u32 u64 u128 usize f32 f64);
        num_traits_impls!(@real $g $Ty);
        num_traits_impls!(@float $g $Ty);
    };
}
