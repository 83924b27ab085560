//! Conversions between base floats that keep derivatives: each component is rounded separately.

use num_complex::Complex;

use super::BaseFloat;

/// Conversion from the same kind of number over another base float, with its tangents: `f32` from `f64`,
/// `Dual<f32>` from `Dual<f64>`, `Dual<Complex<f64>>` from `Dual<f64>`. The method is
/// [`Number::cast`](crate::Number::cast).
///
/// A conversion is linear, so its derivative is the conversion itself: value and tangents are each rounded once. A
/// complex number converts to a real one by its real part; a real one converts to a complex one with imaginary part
/// zero. Conversions to integers and to base floats (`to_f64`, `to_i32`) drop the derivative. Convert variables of
/// a tape with [`reverse::cast_through`](crate::reverse::cast_through).
///
/// ```
/// use wengert::Dual;
/// // x² in single precision, in the middle of a computation in double precision
/// let x = Dual::variable(0.1_f64).cast::<Dual<f32>>();
/// let y = (x * x).cast::<Dual<f64>>();
/// assert_eq!((y.value(), y.tangent()), (f64::from(0.1f32 * 0.1f32), f64::from(0.2f32)));
/// ```
pub trait CastFrom<N> {
    /// Converts `x`.
    fn cast_from(x: N) -> Self;
}

macro_rules! floats {
    ($($F:ident from $G:ident;)*) => {$(
        impl CastFrom<$G> for $F {
            #[cfg_attr(not(debug_assertions), inline(always))]
            fn cast_from(x: $G) -> Self {
                $F::from_double(x.to_double())
            }
        }
        impl CastFrom<Complex<$G>> for $F {
            #[cfg_attr(not(debug_assertions), inline(always))]
            fn cast_from(z: Complex<$G>) -> Self {
                $F::cast_from(z.re)
            }
        }
        impl CastFrom<$G> for Complex<$F> {
            #[cfg_attr(not(debug_assertions), inline(always))]
            fn cast_from(x: $G) -> Self {
                Complex::new($F::cast_from(x), 0.0)
            }
        }
    )*};
}
floats! {
    f32 from f32;
    f32 from f64;
    f64 from f32;
    f64 from f64;
}

impl<T, U: CastFrom<T>> CastFrom<Complex<T>> for Complex<U> {
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn cast_from(z: Complex<T>) -> Self {
        Complex::new(U::cast_from(z.re), U::cast_from(z.im))
    }
}
