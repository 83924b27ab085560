//! approx: comparisons look only at the innermost values, because nalgebra branches on them. So two numbers with
//! different tangents may be close; compare tangents separately. A tolerance is a number of the same type:
//! `assert_abs_diff_eq!(x, y, epsilon = Dual::constant(1e-9))`.

macro_rules! approx_impls {
    (($($g:tt)*) $Ty:ty) => {
        impl<$($g)*> approx::AbsDiffEq for $Ty {
            type Epsilon = <$Ty as Number>::Re;
            fn default_epsilon() -> Self::Epsilon {
                <Self::Epsilon as Number>::base(<T as Number>::Base::default_epsilon())
            }
            fn abs_diff_eq(&self, other: &Self, epsilon: Self::Epsilon) -> bool {
                let close = |a: Self::Epsilon, b: Self::Epsilon| a.primal().abs_diff_eq(&b.primal(), epsilon.primal());
                close(self.re(), other.re()) && close(self.im(), other.im())
            }
        }
        impl<$($g)*> approx::RelativeEq for $Ty {
            fn default_max_relative() -> Self::Epsilon {
                <Self::Epsilon as Number>::base(<T as Number>::Base::default_max_relative())
            }
            fn relative_eq(&self, other: &Self, epsilon: Self::Epsilon, max_relative: Self::Epsilon) -> bool {
                let (e, r) = (epsilon.primal(), max_relative.primal());
                let close = |a: Self::Epsilon, b: Self::Epsilon| a.primal().relative_eq(&b.primal(), e, r);
                close(self.re(), other.re()) && close(self.im(), other.im())
            }
        }
        impl<$($g)*> approx::UlpsEq for $Ty {
            fn default_max_ulps() -> u32 {
                <T as Number>::Base::default_max_ulps()
            }
            fn ulps_eq(&self, other: &Self, epsilon: Self::Epsilon, max_ulps: u32) -> bool {
                let e = epsilon.primal();
                let close = |a: Self::Epsilon, b: Self::Epsilon| a.primal().ulps_eq(&b.primal(), e, max_ulps);
                close(self.re(), other.re()) && close(self.im(), other.im())
            }
        }
    };
}
