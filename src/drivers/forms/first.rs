//! Free functions of first order: names, signatures and documentation, once for all modes.
//!
//! Bodies of macros are not indented, so that documentation has the same width as elsewhere.

#[rustfmt::skip]
macro_rules! gradient { ($module:literal, $N:ty, $mode:expr, $Fn:ident by $called:ident, $cost:literal) => {
    gradient! { @forms PairLayout, $N, $mode, $Fn by $called,
    {
    /// `∇f(x)`, in the structure of the point (`Vec` for a slice; see [`space`](crate::space)).
    ///
    #[doc = $cost]
    ///
    /// A function that returns a constant has the gradient 0. So has one that calls a function over `f64` and converts the
    /// result, as rustc suggests: `g(x[0].value()).into()` is a constant. Mark `g` [`#[generic]`](macro@crate::generic).
    ///
    /// A point without numbers is `&[0.0; 0]`: `&[]` does not determine the element type. If the closure calls a method
    /// of a result such as `1.0 - x[0]`, give one literal of the point a type, `1.0_f64`: the compiler does not infer the result's.
    ///
    /// ```
    #[doc = concat!("use wengert::", $module, "::gradient;")]
    /// let x = [-1.2_f64, 1.0];
    /// let g = gradient(|x| 100.0 * (x[1] - x[0] * x[0]).powi(2) + (1.0 - x[0]).powi(2), &x);
    /// assert!((g[0] + 215.6).abs() < 1e-12 && (g[1] + 88.0).abs() < 1e-12);
    /// assert_eq!(gradient(|(a, v)| *a * v[0], &(2.0, vec![3.0, 4.0])), (3.0, vec![2.0, 0.0]));
    /// # #[cfg(feature = "nalgebra")] {
    /// use nalgebra::vector;
    /// assert_eq!(gradient(|v| v.norm_squared(), &vector![3.0, 4.0]), vector![6.0, 8.0]);
    /// # }
    /// // A gradient within a gradient: f(x) = ∂/∂y (x²·y³) at y = x, so f = 3x⁴ and f′ = 12x³.
    /// let g = gradient(|x| gradient(|y| y[0].powi(3) * x[0] * x[0], &[x[0]])[0], &[2.0]);
    /// assert_eq!(g, [96.0]);
    /// ```
    } {
    /// `(f(x), ∇f(x))`; otherwise as [`gradient`].
    ///
    /// ```
    #[doc = concat!("let (y, g) = wengert::", $module, "::value_and_gradient(|x| x[0] * x[1], &[2.0, 3.0]);")]
    /// assert_eq!((y, g), (6.0, [3.0, 2.0]));
    /// ```
    } {
    /// [`gradient`] written to `out`, a vector of any structure with as many components as the point; returns the value.
    ///
    /// # Panics
    /// If `out` has another number of components.
    ///
    /// ```
    /// let mut g = [0.0; 2];
    #[doc = concat!("let y = wengert::", $module, "::gradient_into(|x| x[0] * x[1], &[2.0, 3.0], &mut g);")]
    /// assert_eq!((y, g), (6.0, [3.0, 2.0]));
    /// ```
    }
    }
};
(@forms $L:ident, $N:ty, $mode:expr, $Fn:ident by $called:ident, { $(#[$plain:meta])* } { $(#[$valued:meta])* } { $(#[$into:meta])* }) => {
    $(#[$plain])* #[inline]
    #[track_caller]
    pub fn gradient<T: Real, X: Components<T, $L> + ?Sized>(f: impl $Fn(&X::Arg<$N>) -> $N, x: &X) -> X::Tangent {
        value_and_gradient(f, x).1
    }
    $(#[$valued])* #[inline]
    #[track_caller]
    pub fn value_and_gradient<T: Real, X: Components<T, $L> + ?Sized>(
        f: impl $Fn(&X::Arg<$N>) -> $N,
        x: &X,
    ) -> (T, X::Tangent) {
        request("gradient", $mode, x, |work| work.gradient(Closure($called(f))))
    }
    $(#[$into])* #[inline]
    #[track_caller]
    pub fn gradient_into<T: Real, X: Components<T, $L> + ?Sized, V: Components<T, $L> + SelfTangent<$L> + ?Sized>(
        f: impl $Fn(&X::Arg<$N>) -> $N,
        x: &X,
        out: &mut V,
    ) -> T {
        request("gradient", $mode, x, |work| work.gradient_onto(Closure($called(f)), out))
    }
} }

#[cfg(feature = "nalgebra")]
#[rustfmt::skip]
macro_rules! jacobian { ($module:literal, $N:ty, $mode:expr, $Fn:ident by $called:ident, $cost:literal) => {
    /// The Jacobian of `f` at `x`, outputs × inputs; static sizes of point and result are static in the matrix
    /// ([`Shape`](crate::Shape)).
    ///
    #[doc = $cost]
    ///
    /// The function returns a number, an array, a `Vec`, a vector or any structure of these.
    ///
    /// # Panics
    /// If two evaluations return results of different lengths.
    ///
    /// ```
    #[doc = concat!("use wengert::", $module, "::jacobian;")]
    /// let j = jacobian(|x| [x[0] * x[1], x[0].sin()], &[2.0, 3.0]);
    /// assert_eq!(j, nalgebra::matrix![3.0, 2.0; 2f64.cos(), 0.0]);
    /// let polar = nalgebra::vector![2.0_f64, 0.5];
    /// let j = jacobian(|p| nalgebra::vector![p[0] * p[1].cos(), p[0] * p[1].sin()], &polar);
    /// assert!((j.determinant() - 2.0).abs() < 1e-15);
    /// ```
    #[inline]
    #[track_caller]
    pub fn jacobian<T, X, O>(f: impl $Fn(&X::Arg<$N>) -> O, x: &X) -> OMatrix<T, O::Dim, X::Dim>
    where
        T: Real,
        X: Shape<T> + ?Sized,
        O: Shape<$N>,
        DefaultAllocator: Allocator<O::Dim, X::Dim>,
    {
        value_and_jacobian(f, x).1
    }
    /// `(f(x), J(x))`; otherwise as [`jacobian`].
    ///
    /// # Panics
    /// As [`jacobian`].
    ///
    /// ```
    #[doc = concat!("use wengert::", $module, "::value_and_jacobian;")]
    /// let (y, j) = value_and_jacobian(|x| vec![x[0] * x[1], x[0]], &[2.0, 3.0][..]);
    /// assert_eq!((y, j), (vec![6.0, 2.0], nalgebra::dmatrix![3.0, 2.0; 1.0, 0.0]));
    /// ```
    #[inline]
    #[track_caller]
    #[allow(clippy::type_complexity)]
    pub fn value_and_jacobian<T, X, O>(
        f: impl $Fn(&X::Arg<$N>) -> O,
        x: &X,
    ) -> (O::With<T>, OMatrix<T, O::Dim, X::Dim>)
    where
        T: Real,
        X: Shape<T> + ?Sized,
        O: Shape<$N>,
        DefaultAllocator: Allocator<O::Dim, X::Dim>,
    {
        request("jacobian", $mode, x, |work| {
            let (value, out) = work.jacobian(Closure($called(f)), &Units::all(), Structured::new(), None)?;
            Ok((seen(value.0), seen(out)))
        })
    }
    /// [`jacobian`] written to `out`; returns the value.
    ///
    /// # Panics
    /// If `out` is not outputs × inputs, and as [`jacobian`].
    ///
    /// ```
    /// let mut j = nalgebra::DMatrix::zeros(2, 2);
    #[doc = concat!("let y = wengert::", $module, "::jacobian_into(|x| [x[0] * x[1], x[0]], &[2.0, 3.0], &mut j);")]
    /// assert_eq!((y, j), ([6.0, 2.0], nalgebra::dmatrix![3.0, 2.0; 1.0, 0.0]));
    /// ```
    #[inline]
    #[track_caller]
    pub fn jacobian_into<T, X, O, R: Dim, C: Dim>(
        f: impl $Fn(&X::Arg<$N>) -> O,
        x: &X,
        out: &mut OMatrix<T, R, C>,
    ) -> O::With<T>
    where
        T: Real,
        X: Components<T> + ?Sized,
        O: Components<$N>,
        DefaultAllocator: Allocator<R, C>,
    {
        request("jacobian", $mode, x, |work| {
            Ok(seen(work.jacobian(Closure($called(f)), &Units::all(), Structured::new(), out)?.0.0))
        })
    }
} }

#[rustfmt::skip]
macro_rules! jvp { ($module:literal, $N:ty, $mode:expr, $Fn:ident by $called:ident, $cost:literal) => {
    jvp! { @forms PairLayout, $N, $mode, $Fn by $called,
    {
    /// `J(x)·v`, the derivative of `f` at `x` in the direction `v`, in the structure of the result. Also called
    /// pushforward.
    ///
    #[doc = $cost]
    ///
    /// # Panics
    /// If `v` does not have the shape of `x`.
    ///
    /// ```
    #[doc = concat!("use wengert::", $module, "::jvp;")]
    /// let dy = jvp(|x| vec![x[0] * x[1], x[0].sin()], &[2.0, 3.0], &[1.0, -1.0]);
    /// assert_eq!(dy, [1.0, 2f64.cos()]);
    /// ```
    } {
    /// `(f(x), J(x)·v)`; otherwise as [`jvp`].
    ///
    /// # Panics
    /// If `v` does not have the shape of `x`.
    ///
    /// ```
    #[doc = concat!("let (y, dy) = wengert::", $module, "::value_and_jvp(|x| x[0] * x[1], &[2.0, 3.0], &[0.5, -1.0]);")]
    /// assert_eq!((y, dy), (6.0, -0.5));
    /// ```
    } {
    /// [`jvp`] written to `out`, a vector of any structure with as many components as the result; returns the value.
    ///
    /// # Panics
    /// If `v` does not have the shape of `x`, or `out` another number of components.
    ///
    /// ```
    #[doc = concat!("use wengert::", $module, "::jvp_into;")]
    /// let mut dy = [0.0; 2];
    /// let y = jvp_into(|x| [x[0] * x[1], x[1]], &[2.0, 3.0], &[0.5, -1.0], &mut dy);
    /// assert_eq!((y, dy), ([6.0, 3.0], [-0.5, -1.0]));
    /// ```
    }
    }
};
(@forms $L:ident, $N:ty, $mode:expr, $Fn:ident by $called:ident, { $(#[$plain:meta])* } { $(#[$valued:meta])* } { $(#[$into:meta])* }) => {
    $(#[$plain])* #[inline]
    #[track_caller]
    pub fn jvp<T, X, V, O>(f: impl $Fn(&X::Arg<$N>) -> O, x: &X, v: &V) -> Velocity<O, $N, T, $L>
    where
        T: Real,
        X: Components<T, $L> + ?Sized,
        V: Components<T, $L> + SelfTangent<$L> + ?Sized,
        O: Components<$N, $L>,
    {
        value_and_jvp(f, x, v).1
    }
    $(#[$valued])* #[inline]
    #[track_caller]
    #[allow(clippy::type_complexity)]
    pub fn value_and_jvp<T, X, V, O>(
        f: impl $Fn(&X::Arg<$N>) -> O,
        x: &X,
        v: &V,
    ) -> (O::With<T>, Velocity<O, $N, T, $L>)
    where
        T: Real,
        X: Components<T, $L> + ?Sized,
        V: Components<T, $L> + SelfTangent<$L> + ?Sized,
        O: Components<$N, $L>,
    {
        request("jvp", $mode, x, |work| {
            check("jvp", "tangent", x, v)?;
            work.pushed(Closure($called(f)), row(v, &mut Spare::new()))
        })
    }
    $(#[$into])* #[inline]
    #[track_caller]
    pub fn jvp_into<T, X, V, O, W>(f: impl $Fn(&X::Arg<$N>) -> O, x: &X, v: &V, out: &mut W) -> O::With<T>
    where
        T: Real,
        X: Components<T, $L> + ?Sized,
        V: Components<T, $L> + SelfTangent<$L> + ?Sized,
        O: Components<$N, $L>,
        W: Components<T, $L> + SelfTangent<$L> + ?Sized,
    {
        request("jvp", $mode, x, |work| {
            check("jvp", "tangent", x, v)?;
            let (f, mut spare) = (Closure($called(f)), Spare::new());
            let value = work.pushed_onto(f, row(v, &mut spare), Structured::new(), "tangent buffer", out)?;
            Ok(seen(value.0))
        })
    }
} }

#[rustfmt::skip]
macro_rules! vjp { ($module:literal, $N:ty, $mode:expr, $Fn:ident by $called:ident, $cost:literal) => {
    vjp! { @forms PairLayout, $N, $mode, $Fn by $called,
    {
    /// `J(x)ᵀ·w`, the gradient of `Σ wᵢfᵢ`, in the structure of the point. Also called pullback.
    ///
    #[doc = $cost]
    ///
    /// # Panics
    /// If `w` does not have the shape of the result.
    ///
    /// ```
    #[doc = concat!("use wengert::", $module, "::vjp;")]
    /// let dx = vjp(|x| vec![x[0] * x[1], x[0].sin()], &[2.0, 3.0], &[1.0, 10.0]);
    /// assert_eq!(dx, [3.0 + 10.0 * 2f64.cos(), 2.0]);
    /// ```
    } {
    /// `(f(x), J(x)ᵀ·w)`; otherwise as [`vjp`].
    ///
    /// # Panics
    /// As [`vjp`].
    ///
    /// ```
    #[doc = concat!("use wengert::", $module, "::value_and_vjp;")]
    /// let (y, dx) = value_and_vjp(|x| [x[0] * x[1], x[0]], &[2.0, 3.0], &[1.0, 10.0]);
    /// assert_eq!((y, dx), ([6.0, 2.0], [13.0, 2.0]));
    /// ```
    } {
    /// [`vjp`] written to `out`, a vector of any structure with as many components as the point; returns the value.
    ///
    /// # Panics
    /// If `out` has another number of components, and as [`vjp`].
    ///
    /// ```
    #[doc = concat!("use wengert::", $module, "::vjp_into;")]
    /// let mut dx = [0.0; 2];
    /// let y = vjp_into(|x| [x[0] * x[1], x[0]], &[2.0, 3.0], &[1.0, 10.0], &mut dx);
    /// assert_eq!((y, dx), ([6.0, 2.0], [13.0, 2.0]));
    /// ```
    }
    }
};
(@forms $L:ident, $N:ty, $mode:expr, $Fn:ident by $called:ident, { $(#[$plain:meta])* } { $(#[$valued:meta])* } { $(#[$into:meta])* }) => {
    $(#[$plain])* #[inline]
    #[track_caller]
    pub fn vjp<T, X, W, O>(f: impl $Fn(&X::Arg<$N>) -> O, x: &X, w: &W) -> X::Tangent
    where
        T: Real,
        X: Components<T, $L> + ?Sized,
        W: Components<T, $L> + SelfTangent<$L> + ?Sized,
        O: Components<$N, $L>,
    {
        value_and_vjp(f, x, w).1
    }
    $(#[$valued])* #[inline]
    #[track_caller]
    pub fn value_and_vjp<T, X, W, O>(f: impl $Fn(&X::Arg<$N>) -> O, x: &X, w: &W) -> (O::With<T>, X::Tangent)
    where
        T: Real,
        X: Components<T, $L> + ?Sized,
        W: Components<T, $L> + SelfTangent<$L> + ?Sized,
        O: Components<$N, $L>,
    {
        request("vjp", $mode, x, |work| work.pulled(Closure($called(f)), w))
    }
    $(#[$into])* #[inline]
    #[track_caller]
    pub fn vjp_into<T, X, W, O, V>(f: impl $Fn(&X::Arg<$N>) -> O, x: &X, w: &W, out: &mut V) -> O::With<T>
    where
        T: Real,
        X: Components<T, $L> + ?Sized,
        W: Components<T, $L> + SelfTangent<$L> + ?Sized,
        O: Components<$N, $L>,
        V: Components<T, $L> + SelfTangent<$L> + ?Sized,
    {
        request("vjp", $mode, x, |work| {
            let (mut spare, value) = (Spare::new(), Fitting::new(w, Structured::new()));
            Ok(seen(work.pulled_onto(Closure($called(f)), row(w, &mut spare), value, out)?.1.0))
        })
    }
} }
