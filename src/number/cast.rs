//! Conversions between machine floats that carry derivatives: every component is rounded by itself.

use num_complex::Complex;

use super::BaseFloat;

/// A number converted from one of the same kind over another machine float, tangents and all: `f32` from `f64`,
/// `Dual<f32>` from `Dual<f64>`, `Dual<Complex<f64>>` from `Dual<f64>`. [`Number::cast`](crate::Number::cast) is the
/// method.
///
/// A conversion is linear, so its derivative is the conversion: value and tangents are rounded alike, once at each
/// step. A complex number converts to a real one by its real part, a real one to a complex one with the imaginary part
/// zero. Conversions to integers and to machine floats (`to_f64`, `to_i32`) drop the derivative. Variables of a tape
/// convert by [`reverse::cast_through`](crate::reverse::cast_through).
///
/// ```
/// use wengert::Dual;
/// // x² in single precision, in the middle of a computation in double precision
/// let x = Dual::variable(0.1_f64).cast::<Dual<f32>>();
/// let y = (x * x).cast::<Dual<f64>>();
/// assert_eq!((y.value(), y.tangent()), (f64::from(0.1f32 * 0.1f32), f64::from(0.2f32)));
/// ```
pub trait CastFrom<N> {
    /// The conversion.
    fn cast_from(x: N) -> Self;
}

macro_rules! floats {
    ($($F:ident from $G:ident;)*) => {$(
        impl CastFrom<$G> for $F {
            #[inline(always)]
            fn cast_from(x: $G) -> Self {
                $F::from_double(x.to_double())
            }
        }
        impl CastFrom<Complex<$G>> for $F {
            #[inline(always)]
            fn cast_from(z: Complex<$G>) -> Self {
                $F::cast_from(z.re)
            }
        }
        impl CastFrom<$G> for Complex<$F> {
            #[inline(always)]
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
    #[inline(always)]
    fn cast_from(z: Complex<T>) -> Self {
        Complex::new(U::cast_from(z.re), U::cast_from(z.im))
    }
}
