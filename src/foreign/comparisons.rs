//! Comparisons of real numbers, with each other and with floats. They compare the values, of whatever type, so that a
//! comparison of traced numbers becomes a guard with the line of the caller.

macro_rules! comparisons {
    (($($g:tt)*) $Ty:ty) => {
        impl<$($g)*> PartialOrd for $Ty where T: Real {
            #[cfg_attr(not(debug_assertions), inline(always))]
            #[track_caller]
            fn partial_cmp(&self, other: &Self) -> Option<core::cmp::Ordering> {
                self.value().partial_cmp(&other.value())
            }
            comparisons!(@by_value lt le gt ge);
        }
        impl<F: BaseFloat, $($g)*> PartialEq<F> for $Ty where T: Real<Base = F> {
            #[cfg_attr(not(debug_assertions), inline(always))]
            #[track_caller]
            fn eq(&self, other: &F) -> bool {
                self.value() == *other
            }
        }
        impl<F: BaseFloat, $($g)*> PartialOrd<F> for $Ty where T: Real<Base = F> {
            #[cfg_attr(not(debug_assertions), inline(always))]
            #[track_caller]
            fn partial_cmp(&self, other: &F) -> Option<core::cmp::Ordering> {
                self.value().partial_cmp(other)
            }
            comparisons!(@by_float F; lt le gt ge);
        }
    };
    (@by_value $($op:ident)*) => {$(
        #[cfg_attr(not(debug_assertions), inline(always))]
        #[track_caller]
        fn $op(&self, other: &Self) -> bool {
            self.value().$op(&other.value())
        }
    )*};
    (@by_float $F:ty; $($op:ident)*) => {$(
        #[cfg_attr(not(debug_assertions), inline(always))]
        #[track_caller]
        fn $op(&self, other: &$F) -> bool {
            self.value().$op(other)
        }
    )*};
}
