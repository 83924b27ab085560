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
            #[track_caller]
            fn abs_diff_eq(&self, other: &Self, epsilon: Self::Epsilon) -> bool {
                let e = epsilon.primal();
                self.re().primal().abs_diff_eq(&other.re().primal(), e)
                    && self.im().primal().abs_diff_eq(&other.im().primal(), e)
            }
        }
        impl<$($g)*> approx::RelativeEq for $Ty {
            fn default_max_relative() -> Self::Epsilon {
                <Self::Epsilon as Number>::base(<T as Number>::Base::default_max_relative())
            }
            #[track_caller]
            fn relative_eq(&self, other: &Self, epsilon: Self::Epsilon, max_relative: Self::Epsilon) -> bool {
                let (e, r) = (epsilon.primal(), max_relative.primal());
                self.re().primal().relative_eq(&other.re().primal(), e, r)
                    && self.im().primal().relative_eq(&other.im().primal(), e, r)
            }
        }
        impl<$($g)*> approx::UlpsEq for $Ty {
            fn default_max_ulps() -> u32 {
                <T as Number>::Base::default_max_ulps()
            }
            #[track_caller]
            fn ulps_eq(&self, other: &Self, epsilon: Self::Epsilon, max_ulps: u32) -> bool {
                let e = epsilon.primal();
                self.re().primal().ulps_eq(&other.re().primal(), e, max_ulps)
                    && self.im().primal().ulps_eq(&other.im().primal(), e, max_ulps)
            }
        }
    };
}
