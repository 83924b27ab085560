//! Derivatives of complex functions, by the operators of real ones. A function gets each complex number as one number.

use super::call::Closure;
use super::forms::{often, once, request};
use super::mode::Units;
use super::modes::{Forward, ForwardChunk, Reverse};
use super::sinks::{Buffer, Fitting, SmallBuffer, Structured};
use super::work::{Value, Velocity, row, seen};
use crate::duals::{Dual, DualN};
use crate::number::{Number, Real};
use crate::pool::Spare;
use crate::space::{Components, NumberLayout, SelfTangent, check};
use crate::tapes::Var;

pub mod prepare {
    //! Prepared operators of complex functions: as in [`prepare`](crate::prepare), for functions that get a complex
    //! number as one number.
    //!
    //! Buffers are counted in real components. Nothing is allocated after the first call.
    //!
    //! ```
    //! use num_complex::Complex64;
    //! use wengert::complex::{norm_sqr, prepare};
    //! use wengert::{Forward, Reverse};
    //! let (z, i, mut g) = ([Complex64::new(3.0, 4.0); 2], Complex64::i(), [Complex64::i(); 2]);
    //! let mut gradient = prepare::gradient(Reverse, &z);
    //! assert_eq!(gradient.of(|z| norm_sqr(z[0]) + z[1].re()).at(&z, &mut g)?, 28.0);
    //! assert_eq!(g, [z[0] * 2.0, i / i]);
    //!
    //! let (mut w, mut dw) = (i, i);
    //! let mut derivative = prepare::derivative(Forward, &i);
    //! derivative.of(|z| z.powi(3)).at(&(i * 2.0), &mut w, &mut dw)?;
    //! assert_eq!((w, dw), (i * -8.0, i * i * 12.0));
    //! # Ok::<(), wengert::AdError>(())
    //! ```

    use crate::drivers::mode::Pass;
    use crate::drivers::modes::SecondPass;
    use crate::drivers::prepare::{
        Derivative, Gradient, Hessian, Hvp, Jacobian, Jvp, Prepared, ScalarResult, VectorResult, Vjp,
        prepares,
    };
    use crate::number::Real;
    use crate::space::{Components, NumberLayout, Outline};

    prepares! { NumberLayout:
        /// `f(z)` and `f′(z)` of holomorphic functions of one variable with any number of results; of others the
        /// derivative along the real axis.
        Derivative derivative: Pass of VectorResult;
        /// `f(z)` and `∇f(z) = ∂f/∂x + i·∂f/∂y` of real functions.
        Gradient gradient: Pass of ScalarResult;
        /// `f(z)` and its real Jacobian: rows and columns are the real and imaginary parts of results and point, in turn.
        ///
        /// ```
        /// use num_complex::Complex64;
        /// use wengert::{ForwardChunk, complex};
        /// let (z, mut w, mut j) = (Complex64::new(3.0, 4.0), Complex64::i(), [0.0; 4]);
        /// let mut jacobian = complex::prepare::jacobian(ForwardChunk::<2>, &z);
        /// jacobian.of(|z| z.square()).at(&z, &mut w, &mut j)?;
        /// assert_eq!((w, j), (z * z, [6.0, 8.0, -8.0, 6.0])); // of Cauchy and Riemann
        /// # Ok::<(), wengert::AdError>(())
        /// ```
        Jacobian jacobian: Pass of VectorResult;
        /// `f(z)` and its derivative in a direction: `f′(z)·ż` of holomorphic functions.
        Jvp jvp: Pass of VectorResult;
        /// `f(z)` and the cotangent of the point: `w·conj(f′(z))` of holomorphic functions.
        Vjp vjp: Pass of VectorResult;
        /// `f(z)`, `∇f(z)` and `H(z)·v` of real functions: `H` is the Hessian over real and imaginary parts.
        ///
        /// ```
        /// use num_complex::Complex64;
        /// use wengert::{Forward, Reverse, SecondOrder, complex};
        /// let (z, i) = (Complex64::new(3.0, 4.0), Complex64::i());
        /// let (mut g, mut hv) = (i, i);
        /// let mut hvp = complex::prepare::hvp(SecondOrder(Forward, Reverse), &z);
        /// assert_eq!(hvp.of(|z| z.square().re()).at(&z, &i, &mut g, &mut hv)?, -7.0);
        /// assert_eq!((g, hv), (z.conj() * 2.0, i * -2.0)); // x² − y²
        /// # Ok::<(), wengert::AdError>(())
        /// ```
        Hvp hvp: SecondPass of ScalarResult;
        /// `f(z)`, `∇f(z)` and the Hessian of real functions over real and imaginary parts, in turn.
        Hessian hessian: SecondPass of ScalarResult;
    }
}

/// `f′(z)` of a holomorphic function of one variable, which may return a number or any structure of numbers
/// ([`space`](crate::space)). The closure works at `Dual<Complex<f64>>` for a point of type `Complex<f64>`.
///
/// If the function is not holomorphic, this is the derivative along the real axis; see [`wirtinger`].
///
/// ```
/// use num_complex::Complex64;
/// use wengert::complex::derivative;
/// let z = Complex64::new(0.4, -0.2);
/// assert_eq!(derivative(|z| z.exp(), z), z.exp());
/// let [a, b] = derivative(|z| [z * z, z.recip()], Complex64::i());
/// assert_eq!((a, b), (Complex64::new(0.0, 2.0), Complex64::new(1.0, 0.0)));
/// ```
#[track_caller]
pub fn derivative<C: Number, O: Components<Dual<C::Re>, NumberLayout>>(
    f: impl FnMut(C::Over<Dual<C::Re>>) -> O,
    z: C,
) -> Velocity<O, Dual<C::Re>, C::Re, NumberLayout> {
    value_and_derivative(f, z).1
}

/// `(f(z), f′(z))`; otherwise as [`derivative`].
///
/// ```
/// use num_complex::Complex64;
/// let z = Complex64::new(0.4, -0.2);
/// let (w, dw) = wengert::complex::value_and_derivative(|z| z.exp(), z);
/// assert_eq!(w, dw);
/// ```
#[track_caller]
#[allow(clippy::type_complexity)]
pub fn value_and_derivative<C: Number, O: Components<Dual<C::Re>, NumberLayout>>(
    mut f: impl FnMut(C::Over<Dual<C::Re>>) -> O,
    z: C,
) -> (Value<O, Dual<C::Re>, C::Re, NumberLayout>, Velocity<O, Dual<C::Re>, C::Re, NumberLayout>) {
    let (f, one) = (Closure(|z: &C::Over<Dual<C::Re>>| f(*z)), C::lit(1.0));
    request::<_, C::Re, NumberLayout, C, _>("derivative", Forward, &z, |work| {
        work.pushed(f, row::<C::Re, NumberLayout, C>(&one, &mut Spare::new()))
    })
}

/// Wirtinger's derivatives `(∂f/∂z, ∂f/∂z*)` of any function of one variable that is differentiable in its real and
/// imaginary part: `ẏ = ∂f/∂z·ż + ∂f/∂z*·conj(ż)`. The second is zero where the function is holomorphic.
///
/// ```
/// use num_complex::Complex64;
/// use wengert::complex::wirtinger;
/// let z = Complex64::new(1.0, 2.0);
/// assert_eq!(wirtinger(|z| z * z.conj(), z), (z.conj(), z)); // |z|²
/// assert_eq!(wirtinger(|z| z * z, z), (z * 2.0, Complex64::new(0.0, 0.0)));
/// ```
///
/// A real number has no such derivatives:
///
/// ```compile_fail,E0271
/// wengert::complex::wirtinger(|x| x * x, 2.0);
/// ```
#[track_caller]
pub fn wirtinger<C>(mut f: impl FnMut(C::Over<DualN<C::Re, 2>>) -> C::Over<DualN<C::Re, 2>>, z: C) -> (C, C)
where
    C: Number<Re: Real<Complex = C>>,
{
    let units = Units::all();
    let mut columns = request::<_, C::Re, NumberLayout, C, _>("wirtinger", ForwardChunk::<2>, &z, |work| {
        let f = Closure(|z: &C::Over<DualN<C::Re, 2>>| f(*z));
        Ok(work.push(f, &units, (), SmallBuffer::new())?.1)
    });
    let &mut [a, b, c, d] = columns.slots() else { unreachable!("two parts along two directions") };
    let (along_one, along_i) = (C::from_parts(a, b), C::from_parts(c, d));
    let (half, i) = (C::lit(0.5), C::from_parts(C::Re::lit(0.0), C::Re::lit(1.0)));
    ((along_one - i * along_i) * half, (along_one + i * along_i) * half)
}

jvp! {
    @forms NumberLayout, Dual<T>, Forward, FnMut by often,
    {
    /// The derivative of `f` at `z` in the direction `ż`: `f′(z)·ż` of a holomorphic function, without a conjugate. The
    /// closure works at `Dual<Complex<f64>>` and returns complex or real numbers in any structure.
    ///
    /// # Panics
    /// If `dz` does not have the shape of `z`.
    ///
    /// ```
    /// use num_complex::Complex64;
    /// use wengert::complex::{abs, jvp};
    /// let (z, dz) = (Complex64::new(3.0, 4.0), Complex64::new(1.0, 2.0));
    /// assert!((jvp(|z| abs(*z), &z, &dz) - 2.2f64).abs() < 1e-15);
    /// let i = Complex64::i();
    /// assert_eq!(jvp(|z| z[0] * z[1], &[z, dz], &[i, i]), (z + dz) * i);
    /// // Real and complex arguments in one structure: d(t·|z|) = |z| along ṫ = 1.
    /// assert_eq!(jvp(|(t, z)| *t * abs(*z), &(2.0_f64, z), &(1.0, dz * 0.0)), 5.0);
    /// ```
    }
    {
    /// The value and [`jvp`].
    ///
    /// # Panics
    /// As [`jvp`].
    ///
    /// ```
    /// use num_complex::Complex64;
    /// let (z, i) = (Complex64::new(1.0, 1.0), Complex64::i());
    /// assert_eq!(wengert::complex::value_and_jvp(|z| z.square(), &z, &i), (z * z, i * z * 2.0));
    /// ```
    }
    {
    /// [`jvp`] written to `out`, numbers of the result's kind in any structure; returns the value.
    ///
    /// # Panics
    /// If `out` has another number of components than the result, and as [`jvp`].
    ///
    /// ```
    /// use num_complex::Complex64;
    /// let (i, mut dw) = (Complex64::i(), [Complex64::i(); 2]);
    /// wengert::complex::jvp_into(|z| [z.square(), z.conj()], &(i * 3.0), &i, &mut dw);
    /// assert_eq!(dw, [Complex64::new(-6.0, 0.0), -i]);
    /// ```
    }
}

vjp! {
    @forms NumberLayout, Var<T>, Reverse, FnOnce by once,
    {
    /// The cotangent of the point where the result has the cotangent `w`: `z̄ = w·conj(f′(z))` of a holomorphic function,
    /// the adjoint of [`jvp`] under `⟨a, b⟩ = Re(conj(a)·b)`. The closure works at [`ComplexVar`](crate::ComplexVar) and
    /// returns complex or real numbers in any structure.
    ///
    /// # Panics
    /// If `w` does not have the shape of the result, or a result belongs to another tape.
    ///
    /// ```
    /// use num_complex::Complex64;
    /// use wengert::complex::vjp;
    /// let z = Complex64::new(3.0, 4.0);
    /// assert_eq!(vjp(|z| z.ln(), &z, &Complex64::new(1.0, 0.0)), Complex64::new(0.12, 0.16));
    /// let [a, b] = vjp(|z| [z[0] * z[1]], &[z, Complex64::i()], &[Complex64::new(1.0, 0.0)]);
    /// assert_eq!((a, b), (-Complex64::i(), z.conj()));
    /// ```
    }
    {
    /// The value and [`vjp`].
    ///
    /// # Panics
    /// As [`vjp`].
    ///
    /// ```
    /// use num_complex::Complex64;
    /// let (z, one) = (Complex64::new(1.0, 1.0), Complex64::new(1.0, 0.0));
    /// let (w, dz) = wengert::complex::value_and_vjp(|z| z * z, &z, &one);
    /// assert_eq!((w, dz), (Complex64::new(0.0, 2.0), Complex64::new(2.0, -2.0)));
    /// ```
    }
    {
    /// [`vjp`] written to `out`, numbers of the point's kind in any structure; returns the value.
    ///
    /// # Panics
    /// If `out` has another number of components than the point, and as [`vjp`].
    ///
    /// ```
    /// use num_complex::Complex64;
    /// let (z, one) = (Complex64::new(1.0, 1.0), Complex64::new(1.0, 0.0));
    /// let mut dz = [Complex64::i()];
    /// wengert::complex::vjp_into(|z| z * z, &z, &one, &mut dz);
    /// assert_eq!(dz, [Complex64::new(2.0, -2.0)]);
    /// ```
    }
}

gradient! {
    @forms NumberLayout, Var<T>, Reverse, FnOnce by once,
    {
    /// The gradient `∂L/∂x + i·∂L/∂y = 2·∂L/∂z*` of a real function of complex variables, one evaluation and one sweep for
    /// any number of them: the direction of steepest ascent, PyTorch's `z.grad`, the conjugate of JAX's.
    ///
    /// # Panics
    /// If the result belongs to another tape.
    ///
    /// ```
    /// use num_complex::Complex64;
    /// use wengert::complex::{gradient, norm_sqr};
    /// let z = [Complex64::new(1.0, 2.0), Complex64::new(-3.0, 0.5)];
    /// let g = gradient(|z| norm_sqr(z[0] * z[1]), &z);
    /// assert_eq!(g, [z[0] * z[1].norm_sqr() * 2.0, z[1] * z[0].norm_sqr() * 2.0]);
    /// // Real and complex arguments in one structure: ∂/∂t and 2·∂/∂z* of t·|z|².
    /// assert_eq!(gradient(|(t, z)| *t * norm_sqr(*z), &(2.0_f64, z[0])), (5.0, z[0] * 4.0));
    /// ```
    }
    {
    /// The value and [`gradient`].
    ///
    /// # Panics
    /// As [`gradient`].
    ///
    /// ```
    /// use num_complex::Complex64;
    /// use wengert::complex::{abs, value_and_gradient};
    /// let (r, g) = value_and_gradient(|z| abs(*z), &Complex64::new(3.0, 4.0));
    /// assert_eq!((r, g), (5.0, Complex64::new(0.6, 0.8)));
    /// ```
    }
    {
    /// [`gradient`] written to `out`, numbers of the point's kind in any structure; returns the value.
    ///
    /// # Panics
    /// If `out` has another number of components than the point, and as [`gradient`].
    ///
    /// ```
    /// use num_complex::Complex64;
    /// use wengert::complex::{abs, gradient_into};
    /// let mut g = [Complex64::i()];
    /// assert_eq!(gradient_into(|z| abs(*z), &Complex64::new(3.0, 4.0), &mut g), 5.0);
    /// assert_eq!(g, [Complex64::new(0.6, 0.8)]);
    /// ```
    }
}
