//! Functions of each part of a number: the real and imaginary parts of complex coefficients, and conversions.

/// `each_part!(#[inline] (const N: usize) DualN[N], |x, f| …)`: the number whose parts are `f` of the parts of `x`.
/// In the implementation of `Number`, `each_part!(#[inline], |rule, x| …)`: the types, constants and methods that are those
/// of each part, and the primitives by this function. `each_part!(map_parts #[inline])` is for types whose parts
/// all count; `each_part!(real #[inline] DualN<T::Complex, N>)` is for the implementation of `Real`.
macro_rules! each_part {
    (#[$inline:meta] ($($g:tt)*) $Ty:ident[$($n:ident)*], |$x:ident, $f:ident| $by:expr) => {
        impl<T: Copy, $($g)*> $Ty<T, $($n),*> {
            /// Applies a function to each part.
            #[$inline]
            fn each<U>(self, $f: impl Fn(T) -> U + Copy) -> $Ty<U, $($n),*> {
                let $x = self;
                $by
            }
        }
        impl<T: Copy, U: $crate::number::CastFrom<T>, $($g)*> $crate::number::CastFrom<$Ty<T, $($n),*>>
            for $Ty<U, $($n),*>
        {
            #[cfg_attr(not(debug_assertions), inline(always))]
            fn cast_from(x: $Ty<T, $($n),*>) -> Self {
                x.each(U::cast_from)
            }
        }
    };
    (map_parts #[$inline:meta]) => {
        #[$inline]
        fn map_parts(self, f: impl Fn(T) -> T + Copy) -> Self {
            self.each(f)
        }
    };
    (real #[$inline:meta] $Complex:ty) => {
        type Complex = $Complex;
        type Pair = num_complex::Complex<Self>;
        #[$inline]
        fn primal(self) -> T::Base {
            self.value().primal()
        }
    };
    (#[$inline:meta], |$rule:ident, $x:ident| $lifted:expr) => {
        type Base = T::Base;
        type Primal = T::Primal;
        type Over<S: Real> = T::Over<S>;
        type Part = T;
        const REAL: bool = T::REAL;
        #[$inline]
        fn of_part(value: T) -> Self {
            Self::constant(value)
        }
        #[$inline]
        fn re(self) -> Self::Re {
            self.each(T::re)
        }
        #[$inline]
        fn im(self) -> Self::Re {
            self.each(T::im)
        }
        #[$inline]
        fn from_re(x: Self::Re) -> Self {
            x.each(T::from_re)
        }
        #[cfg(feature = "std")]
        fn lift_primitive<R: $crate::lift::Primitive<T::Primal>>(
            $rule: &R,
            $x: &[&[Self]],
        ) -> Result<Vec<Self>, $crate::error::AdError> {
            $lifted
        }
    };
}
