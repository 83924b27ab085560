//! `core::ops`, `core::iter`, comparisons and conversions, from the operators of a type on itself.
//!
//! Mixed arithmetic takes the base float on both sides, and this type one level down (an outer variable inside an
//! inner derivative). A constant scales or shifts; it is not converted to a number with tangents. `2.0 * x` of a
//! generic number needs the bound `Scalar`. Rust's orphan rule forbids `Matrix<Dual> * 2.0` and `Complex<Dual> * 2.0`
//! outside of their crates: write `x * 2.0` and `m * T::lit(2.0)`.

macro_rules! operators {
    // `number op constant`; `$Part` is the component type of `$L`.
    (@constants ($($g:tt)*) [[$($x:tt)*] [$($w:tt)*]] $L:ty, $S:ty, $Part:ty) => {
        operators!(@shifted ($($g)*) [[$($x)*] [$($w)*]] $L, $S; Add add +);
        operators!(@shifted ($($g)*) [[$($x)*] [$($w)*]] $L, $S; Sub sub -);
        impl<$($x)* $($g)*> core::ops::Mul<$S> for $L where $($w)* {
            type Output = $L;
            #[cfg_attr(not(debug_assertions), inline(always))]
            #[track_caller]
            fn mul(self, c: $S) -> $L {
                self.demand_factor::<$S>(c);
                self.map_parts(|t| t * c)
            }
        }
        impl<$($x)* $($g)*> core::ops::Div<$S> for $L where $($w)* {
            type Output = $L;
            #[cfg_attr(not(debug_assertions), inline(always))]
            #[track_caller]
            fn div(self, c: $S) -> $L {
                self.demand_factor::<$S>(c);
                let f = self.value() / c;
                if boundary::finite(f, <$Part>::from(c)) && !num_traits::Zero::is_zero(&c) {
                    self.map_parts(|t| t / c)
                } else if boundary::outside(f) {
                    let f = self.with_value(f);
                    f.nan_like().mask_inactive(f).with_value(f.value())
                } else {
                    let d = <$Part>::lit(1.0) / c;
                    self.map_parts(|t| boundary::strong(f, d, t)).with_value(f)
                }
            }
        }
        impl<$($x)* $($g)*> core::ops::Rem<$S> for $L where $($w)* {
            type Output = $L;
            #[cfg_attr(not(debug_assertions), inline(always))]
            #[track_caller]
            fn rem(self, c: $S) -> $L {
                self % <$L>::constant(<$Part>::from(c))
            }
        }
    };
    (@shifted ($($g:tt)*) [[$($x:tt)*] [$($w:tt)*]] $L:ty, $S:ty; $Op:ident $op:ident $sign:tt) => {
        impl<$($x)* $($g)*> core::ops::$Op<$S> for $L where $($w)* {
            type Output = $L;
            #[cfg_attr(not(debug_assertions), inline(always))]
            #[track_caller]
            fn $op(self, c: $S) -> $L {
                self.with_value(self.value() $sign c)
            }
        }
    };
    // `constant op number`.
    (@values_first ($($g:tt)*) [[$($x:tt)*] [$($w:tt)*]] $S:ty, $R:ty, $lift:ident) => {
        operators!(@constant_left ($($g)*) [[$($x)*] [$($w)*]] $S, $R; Add add |c, x| x + c);
        operators!(@constant_left ($($g)*) [[$($x)*] [$($w)*]] $S, $R; Sub sub |c, x| -x + c);
        operators!(@constant_left ($($g)*) [[$($x)*] [$($w)*]] $S, $R; Mul mul |c, x| x * c);
        operators!(@constant_left ($($g)*) [[$($x)*] [$($w)*]] $S, $R; Div div |c, x| <$R>::$lift(c) / x);
        operators!(@constant_left ($($g)*) [[$($x)*] [$($w)*]] $S, $R; Rem rem |c, x| <$R>::$lift(c) % x);
    };
    (@all_first $g:tt $b:tt $S:ty, $R:ty, $lift:ident) => {
        operators!(@values_first $g $b $S, $R, $lift);
        operators!(@references_first $g $b $S, $R);
    };
    // References to constants of a type of another crate, and to numbers after them.
    (@references_first ($($g:tt)*) $b:tt $S:ty, $R:ty) => {
        operators!(@each @reference_left ($($g)*) $b $S, $R, $R);
        operators!(@each @reference_right ($($g)*) $b $S, $R, $R);
        operators!(@each @reference_both ($($g)*) $b $S, $R, $R);
    };
    (@constant_left ($($g:tt)*) [[$($x:tt)*] [$($w:tt)*]] $S:ty, $R:ty; $Op:ident $op:ident |$c:ident, $n:ident| $result:expr) => {
        impl<$($x)* $($g)*> core::ops::$Op<$R> for $S where $($w)* {
            type Output = $R;
            #[cfg_attr(not(debug_assertions), inline(always))]
            #[track_caller]
            fn $op(self, $n: $R) -> $R {
                let $c = self;
                $result
            }
        }
    };
    // References to a generic base float are impossible (`&F` might be a `BaseFloat` downstream), so references to
    // constants are implemented for f64 and f32 by name.
    (@references_to_constant $g:tt $b:tt $L:ty, $R:ty) => {
        operators!(@each @reference_right $g $b $L, $R, $L);
    };
    (@each @$form:ident $g:tt $b:tt $L:ty, $R:ty, $Out:ty) => {
        operators!(@$form $g $b $L, $R, $Out; Add add);
        operators!(@$form $g $b $L, $R, $Out; Sub sub);
        operators!(@$form $g $b $L, $R, $Out; Mul mul);
        operators!(@$form $g $b $L, $R, $Out; Div div);
        operators!(@$form $g $b $L, $R, $Out; Rem rem);
    };
    (@reference_right ($($g:tt)*) [[$($x:tt)*] [$($w:tt)*]] $L:ty, $R:ty, $Out:ty; $Op:ident $op:ident) => {
        impl<$($x)* $($g)*> core::ops::$Op<&$R> for $L where $($w)* {
            type Output = $Out;
            #[cfg_attr(not(debug_assertions), inline(always))]
            #[track_caller]
            fn $op(self, other: &$R) -> $Out {
                core::ops::$Op::$op(self, *other)
            }
        }
    };
    (@reference_left ($($g:tt)*) [[$($x:tt)*] [$($w:tt)*]] $L:ty, $R:ty, $Out:ty; $Op:ident $op:ident) => {
        impl<$($x)* $($g)*> core::ops::$Op<$R> for &$L where $($w)* {
            type Output = $Out;
            #[cfg_attr(not(debug_assertions), inline(always))]
            #[track_caller]
            fn $op(self, other: $R) -> $Out {
                core::ops::$Op::$op(*self, other)
            }
        }
    };
    (@reference_both ($($g:tt)*) [[$($x:tt)*] [$($w:tt)*]] $L:ty, $R:ty, $Out:ty; $Op:ident $op:ident) => {
        impl<$($x)* $($g)*> core::ops::$Op<&$R> for &$L where $($w)* {
            type Output = $Out;
            #[cfg_attr(not(debug_assertions), inline(always))]
            #[track_caller]
            fn $op(self, other: &$R) -> $Out {
                core::ops::$Op::$op(*self, *other)
            }
        }
    };
    // `&number op x` and `number op= x`, for each `x` of `number op x`: one implementation, whatever `x` is.
    (@of_operand ($($g:tt)*) $b:tt $Ty:ty, $R:ty, $Out:ty; $Op:ident $op:ident) => {
        impl<R, $($g)*> core::ops::$Op<R> for &$Ty where $Ty: core::ops::$Op<R> {
            type Output = <$Ty as core::ops::$Op<R>>::Output;
            #[cfg_attr(not(debug_assertions), inline(always))]
            #[track_caller]
            fn $op(self, other: R) -> Self::Output {
                core::ops::$Op::$op(*self, other)
            }
        }
    };
    (@assign ($($g:tt)*) $Ty:ty; $Assign:ident $assign:ident $Op:ident $op:ident) => {
        impl<R, $($g)*> core::ops::$Assign<R> for $Ty where $Ty: core::ops::$Op<R, Output = $Ty> {
            #[cfg_attr(not(debug_assertions), inline(always))]
            #[track_caller]
            fn $assign(&mut self, other: R) {
                *self = core::ops::$Op::$op(*self, other);
            }
        }
    };
    (@fold ($($g:tt)*) $Ty:ty; $Fold:ident $fold:ident $by:ident) => {
        impl<$($g)*> core::iter::$Fold for $Ty {
            #[inline]
            #[track_caller]
            fn $fold<I: Iterator<Item = Self>>(items: I) -> Self {
                <Self as Number>::$by(items)
            }
        }
        impl<'a, $($g)*> core::iter::$Fold<&'a $Ty> for $Ty {
            #[inline]
            #[track_caller]
            fn $fold<I: Iterator<Item = &'a Self>>(items: I) -> Self {
                <Self as Number>::$by(items.copied())
            }
        }
    };
    // Constants of complex numbers, the innermost type at any nesting.
    (@complex $g:tt [$($x:tt)*] $F:ty; $form:ident $($rest:tt)*) => {
        operators!(@$form $g [[$($x)*] [
            T: Number<Base = $F, Primal = num_complex::Complex<$F>>
                + From<num_complex::Complex<$F>>
                + core::ops::Add<num_complex::Complex<$F>, Output = T>
                + core::ops::Sub<num_complex::Complex<$F>, Output = T>
                + core::ops::Mul<num_complex::Complex<$F>, Output = T>
                + core::ops::Div<num_complex::Complex<$F>, Output = T>
        ]] $($rest)*);
    };
    // Likewise for a complex number of real parts, whose values are of type `$Value`.
    (@complex_of_parts ($($g:tt)*) $Ty:ty, $Value:ty) => {
        impl<F: BaseFloat, $($g)*> From<num_complex::Complex<F>> for $Ty
        where
            $Value: Number<Primal = num_complex::Complex<F>>,
        {
            #[cfg_attr(not(debug_assertions), inline(always))]
            fn from(x: num_complex::Complex<F>) -> Self {
                <Self as Number>::constant_of(x)
            }
        }
        operators!(@each @complex_right ($($g)*) [] $Ty, num_complex::Complex<F>, $Value);
        operators!(@complex_before ($($g)*) $Ty, num_complex::Complex<f64>, $Value);
        operators!(@complex_before ($($g)*) $Ty, num_complex::Complex<f32>, $Value);
    };
    (@complex_before ($($g:tt)*) $Ty:ty, $C:ty, $Value:ty) => {
        operators!(@each @complex_left ($($g)*) [] $Ty, $C, $Value);
        operators!(@references_first ($($g)*) [[] [$Value: Number<Primal = $C>]] $C, $Ty);
        operators!(@references_to_constant ($($g)*) [[] [$Value: Number<Primal = $C>]] $Ty, $C);
    };
    (@complex_right ($($g:tt)*) $b:tt $L:ty, $R:ty, $Value:ty; $Op:ident $op:ident) => {
        impl<F: BaseFloat, $($g)*> core::ops::$Op<$R> for $L where $Value: Number<Primal = $R> {
            type Output = $L;
            #[inline]
            #[track_caller]
            fn $op(self, c: $R) -> $L {
                core::ops::$Op::$op(self, <$L as Number>::constant_of(c))
            }
        }
    };
    (@complex_left ($($g:tt)*) $b:tt $R:ty, $L:ty, $Value:ty; $Op:ident $op:ident) => {
        impl<$($g)*> core::ops::$Op<$R> for $L where $Value: Number<Primal = $L> {
            type Output = $R;
            #[inline]
            #[track_caller]
            fn $op(self, x: $R) -> $R {
                core::ops::$Op::$op(<$R as Number>::constant_of(self), x)
            }
        }
    };
    // `0.0 < x`: the mirror of the comparisons with a base float, which exists for each by name only.
    (@compared_with ($($g:tt)*) $F:ty, $Ty:ty) => {
        impl<$($g)*> PartialEq<$Ty> for $F where T: Real<Base = $F> {
            #[cfg_attr(not(debug_assertions), inline(always))]
            fn eq(&self, other: &$Ty) -> bool {
                other == self
            }
        }
        impl<$($g)*> PartialOrd<$Ty> for $F where T: Real<Base = $F> {
            #[cfg_attr(not(debug_assertions), inline(always))]
            fn partial_cmp(&self, other: &$Ty) -> Option<core::cmp::Ordering> {
                other.partial_cmp(self).map(core::cmp::Ordering::reverse)
            }
        }
    };
    (@rest ($($g:tt)*) $Ty:ty) => {
        operators!(@each @reference_right ($($g)*) [[] []] $Ty, $Ty, $Ty);
        operators!(@each @of_operand ($($g)*) [] $Ty, R, R);
        operators!(@assign ($($g)*) $Ty; AddAssign add_assign Add add);
        operators!(@assign ($($g)*) $Ty; SubAssign sub_assign Sub sub);
        operators!(@assign ($($g)*) $Ty; MulAssign mul_assign Mul mul);
        operators!(@assign ($($g)*) $Ty; DivAssign div_assign Div div);
        operators!(@assign ($($g)*) $Ty; RemAssign rem_assign Rem rem);
        operators!(@fold ($($g)*) $Ty; Sum sum total);
        operators!(@fold ($($g)*) $Ty; Product product multiplied);
        impl<$($g)*> core::ops::Rem for $Ty {
            type Output = Self;
            #[cfg_attr(not(debug_assertions), inline(always))]
            #[track_caller]
            fn rem(self, y: Self) -> Self {
                self.lift_holomorphic2(y, rules::Rem)
            }
        }
        impl<$($g)*> core::ops::Neg for &$Ty {
            type Output = $Ty;
            #[cfg_attr(not(debug_assertions), inline(always))]
            #[track_caller]
            fn neg(self) -> $Ty {
                -*self
            }
        }
        impl<$($g)*> Default for $Ty {
            #[inline]
            fn default() -> Self {
                <Self as Number>::lit(0.0)
            }
        }
        /// A constant from decimal text.
        impl<$($g)*> core::str::FromStr for $Ty {
            type Err = core::num::ParseFloatError;
            fn from_str(text: &str) -> Result<Self, Self::Err> {
                text.parse().map(<Self as Number>::base)
            }
        }
    };
    (@of_values ($($g:tt)*) $Ty:ty) => {
        impl<$($g)*> PartialEq for $Ty {
            #[cfg_attr(not(debug_assertions), inline(always))]
            #[track_caller]
            fn eq(&self, other: &Self) -> bool {
                self.value() == other.value()
            }
        }
        impl<F: BaseFloat, $($g)*> From<F> for $Ty where T: Number<Base = F> {
            #[cfg_attr(not(debug_assertions), inline(always))]
            fn from(x: F) -> Self {
                <Self as Number>::base(x)
            }
        }
    };
    (@scientific $Exp:ident ($($g:tt)*) $Ty:ty) => {
        /// Formats the value only, in scientific notation.
        impl<$($g)*> core::fmt::$Exp for $Ty where T: Real {
            fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
                core::fmt::$Exp::fmt(&self.primal(), f)
            }
        }
    };
    (@scientific ($($g:tt)*) $Ty:ty) => {
        operators!(@scientific LowerExp ($($g)*) $Ty);
        operators!(@scientific UpperExp ($($g)*) $Ty);
    };
    (@lifted ($($g:tt)*) $Ty:ty, $Outer:ty) => {
        impl<F: BaseFloat, $($g)*> From<num_complex::Complex<F>> for $Ty
        where
            T: Number<Base = F, Primal = num_complex::Complex<F>>,
        {
            #[cfg_attr(not(debug_assertions), inline(always))]
            fn from(x: num_complex::Complex<F>) -> Self {
                <Self as Number>::constant_of(x)
            }
        }
        impl<$($g)*> From<$Ty> for $Outer {
            #[cfg_attr(not(debug_assertions), inline(always))]
            fn from(x: $Ty) -> Self {
                <$Outer>::constant(x)
            }
        }
    };
    ($g:tt $Ty:ty, $Outer:ty) => {
        operators!(@constants $g [[F: BaseFloat,] [T: Number<Base = F>]] $Ty, F, T);
        operators!(@constants $g [[] []] $Outer, $Ty, $Ty);
        operators!(@references_to_constant $g [[] [T: Number<Base = f64>]] $Ty, f64);
        operators!(@references_to_constant $g [[] [T: Number<Base = f32>]] $Ty, f32);
        operators!(@references_to_constant $g [[] []] $Outer, $Ty);
        operators!(@all_first $g [[] [T: Number<Base = f64>]] f64, $Ty, base);
        operators!(@all_first $g [[] [T: Number<Base = f32>]] f32, $Ty, base);
        operators!(@values_first $g [[] []] $Ty, $Outer, constant);
        operators!(@each @reference_right $g [[] []] $Ty, $Outer, $Outer);
        operators!(@complex $g [F: BaseFloat,] F; constants $Ty, num_complex::Complex<F>, T);
        operators!(@complex $g [] f64; all_first num_complex::Complex<f64>, $Ty, constant_of);
        operators!(@complex $g [] f32; all_first num_complex::Complex<f32>, $Ty, constant_of);
        operators!(@complex $g [] f64; references_to_constant $Ty, num_complex::Complex<f64>);
        operators!(@complex $g [] f32; references_to_constant $Ty, num_complex::Complex<f32>);
        operators!(@compared_with $g f64, $Ty);
        operators!(@compared_with $g f32, $Ty);
        operators!(@rest $g $Ty);
        operators!(@of_values $g $Ty);
        comparisons!($g $Ty);
        operators!(@scientific $g $Ty);
        operators!(@lifted $g $Ty, $Outer);
    };
}
