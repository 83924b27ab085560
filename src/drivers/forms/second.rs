//! Free functions of second order: names, signatures and documentation, once for all modes.
//!
//! Bodies of macros are not indented, so that documentation has the same width as elsewhere.

#[rustfmt::skip]
macro_rules! hvp { ($module:literal, $N:ty, $mode:expr, $Fn:ident by $called:ident, $cost:literal) => {
    /// `H(x)·v`, in the structure of the point; on groups ([`space`](crate::space)) `H` is the Hessian of
    /// `v ↦ f(X·exp v)` at zero.
    ///
    #[doc = $cost]
    ///
    /// # Panics
    /// If `v` does not have the shape of `x`.
    ///
    /// ```
    #[doc = concat!("use wengert::", $module, "::hvp;")]
    /// let (x, v) = ([-1.2_f64, 1.0], [1.0, 2.0]);
    /// let hv = hvp(|x| 100.0 * (x[1] - x[0] * x[0]).powi(2) + (1.0 - x[0]).powi(2), &x, &v);
    /// assert!((hv[0] - 2290.0).abs() < 1e-10 && (hv[1] - 880.0).abs() < 1e-10);
    /// ```
    #[inline]
    #[track_caller]
    pub fn hvp<T, X, V>(f: impl $Fn(&X::Arg<$N>) -> $N, x: &X, v: &V) -> X::Tangent
    where
        T: Real,
        X: Components<T> + ?Sized,
        V: Components<T> + SelfTangent + ?Sized,
    {
        value_and_hvp(f, x, v).1
    }
    /// `(f(x), H(x)·v)`; otherwise as [`hvp`].
    ///
    /// # Panics
    /// As [`hvp`].
    ///
    /// ```
    #[doc = concat!("use wengert::", $module, "::value_and_hvp;")]
    /// let (y, hv) = value_and_hvp(|x| x[0] * x[1] * x[1], &[2.0, 3.0], &[1.0, 0.0]);
    /// assert_eq!((y, hv), (18.0, [0.0, 6.0]));
    /// ```
    #[inline]
    #[track_caller]
    pub fn value_and_hvp<T, X, V>(f: impl $Fn(&X::Arg<$N>) -> $N, x: &X, v: &V) -> (T, X::Tangent)
    where
        T: Real,
        X: Components<T> + ?Sized,
        V: Components<T> + SelfTangent + ?Sized,
    {
        request("hvp", $mode, x, |work| {
            check("hvp", "tangent", x, v)?;
            let (value, (), mut out) =
                work.curvature(Closure($called(f)), &row(v, &mut Spare::new()), (), SmallBuffer::new())?;
            Ok((value, tangent_of(x, out.slots())))
        })
    }
    /// [`hvp`] written to `out`, a vector of any structure with as many components as the point; returns the value.
    ///
    /// # Panics
    /// If `out` has another number of components, and as [`hvp`].
    ///
    /// ```
    #[doc = concat!("use wengert::", $module, "::hvp_into;")]
    /// let mut hv = [0.0; 2];
    /// let y = hvp_into(|x| x[0] * x[1] * x[1], &[2.0, 3.0], &[1.0, 0.0], &mut hv);
    /// assert_eq!((y, hv), (18.0, [0.0, 6.0]));
    /// ```
    #[inline]
    #[track_caller]
    pub fn hvp_into<T, X, V, W>(f: impl $Fn(&X::Arg<$N>) -> $N, x: &X, v: &V, out: &mut W) -> T
    where
        T: Real,
        X: Components<T> + ?Sized,
        V: Components<T> + SelfTangent + ?Sized,
        W: Components<T> + SelfTangent + ?Sized,
    {
        request("hvp", $mode, x, |work| {
            check("hvp", "tangent", x, v)?;
            let out = StructureBuffer::new("product buffer", out);
            Ok(work.curvature(Closure($called(f)), &row(v, &mut Spare::new()), (), out)?.0)
        })
    }
    /// `(f(x), ∇f(x), H(x)·v)` from the same evaluations; otherwise as [`hvp`].
    ///
    /// # Panics
    /// As [`hvp`].
    ///
    /// ```
    #[doc = concat!("use wengert::", $module, "::value_gradient_and_hvp;")]
    /// let (y, g, hv) = value_gradient_and_hvp(|x| x[0] * x[1] * x[1], &[2.0, 3.0], &[1.0, 0.0]);
    /// assert_eq!((y, g, hv), (18.0, [9.0, 12.0], [0.0, 6.0]));
    /// ```
    #[inline]
    #[track_caller]
    pub fn value_gradient_and_hvp<T, X, V>(
        f: impl $Fn(&X::Arg<$N>) -> $N,
        x: &X,
        v: &V,
    ) -> (T, X::Tangent, X::Tangent)
    where
        T: Real,
        X: Components<T> + ?Sized,
        V: Components<T> + SelfTangent + ?Sized,
    {
        request("hvp", $mode, x, |work| {
            check("hvp", "tangent", x, v)?;
            let (value, mut gradient, mut out) =
                work.curvature(Closure($called(f)), &row(v, &mut Spare::new()), SmallBuffer::new(), SmallBuffer::new())?;
            Ok((value, tangent_of(x, gradient.slots()), tangent_of(x, out.slots())))
        })
    }
    /// [`value_gradient_and_hvp`] written to `gradient` and `out`; returns the value.
    ///
    /// # Panics
    /// If a buffer has another number of components than the point, and as [`hvp`].
    ///
    /// ```
    #[doc = concat!("use wengert::", $module, "::value_gradient_and_hvp_into;")]
    /// let (mut g, mut hv) = ([0.0; 2], [0.0; 2]);
    /// let (x, v) = ([2.0, 3.0], [1.0, 0.0]);
    /// let y = value_gradient_and_hvp_into(|x| x[0] * x[1] * x[1], &x, &v, &mut g, &mut hv);
    /// assert_eq!((y, g, hv), (18.0, [9.0, 12.0], [0.0, 6.0]));
    /// ```
    #[inline]
    #[track_caller]
    pub fn value_gradient_and_hvp_into<T, X, V, G, W>(
        f: impl $Fn(&X::Arg<$N>) -> $N,
        x: &X,
        v: &V,
        gradient: &mut G,
        out: &mut W,
    ) -> T
    where
        T: Real,
        X: Components<T> + ?Sized,
        V: Components<T> + SelfTangent + ?Sized,
        G: Components<T> + SelfTangent + ?Sized,
        W: Components<T> + SelfTangent + ?Sized,
    {
        request("hvp", $mode, x, |work| {
            check("hvp", "tangent", x, v)?;
            let (gradient, out) = (StructureBuffer::new("gradient buffer", gradient), StructureBuffer::new("product buffer", out));
            Ok(work.curvature(Closure($called(f)), &row(v, &mut Spare::new()), gradient, out)?.0)
        })
    }
} }

#[cfg(feature = "nalgebra")]
#[rustfmt::skip]
macro_rules! hessian { ($module:literal, $N:ty, $mode:expr, $Fn:ident by $called:ident, $cost:literal) => {
    /// The Hessian of `f` at `x`. Rows and columns are the components of the point in order
    /// ([`space`](crate::space)); on groups it is the Hessian of `v ↦ f(X·exp v)` at zero.
    ///
    #[doc = $cost]
    ///
    /// ```
    #[doc = concat!("use wengert::", $module, "::hessian;")]
    /// let x = [-1.2_f64, 1.0];
    /// let h = hessian(|x| 100.0 * (x[1] - x[0] * x[0]).powi(2) + (1.0 - x[0]).powi(2), &x);
    /// assert!((h - nalgebra::matrix![1330.0, 480.0; 480.0, 200.0]).norm() < 1e-10);
    /// ```
    #[inline]
    #[track_caller]
    pub fn hessian<T, X>(f: impl $Fn(&X::Arg<$N>) -> $N, x: &X) -> OMatrix<T, X::Dim, X::Dim>
    where
        T: Real,
        X: Shape<T> + ?Sized,
        DefaultAllocator: Allocator<X::Dim, X::Dim>,
    {
        value_and_hessian(f, x).1
    }
    /// `(f(x), H(x))`; otherwise as [`hessian`].
    ///
    /// ```
    #[doc = concat!("let (y, h) = wengert::", $module, "::value_and_hessian(|x| x[0] * x[1], &[2.0, 3.0]);")]
    /// assert_eq!((y, h), (6.0, nalgebra::matrix![0.0, 1.0; 1.0, 0.0]));
    /// ```
    #[inline]
    #[track_caller]
    #[allow(clippy::type_complexity)]
    pub fn value_and_hessian<T, X>(
        f: impl $Fn(&X::Arg<$N>) -> $N,
        x: &X,
    ) -> (T, OMatrix<T, X::Dim, X::Dim>)
    where
        T: Real,
        X: Shape<T> + ?Sized,
        DefaultAllocator: Allocator<X::Dim, X::Dim>,
    {
        request("hessian", $mode, x, |work| {
            let (value, (), out) = work.curvature(Closure($called(f)), &Units::all(), (), None)?;
            Ok((value, seen(out)))
        })
    }
    /// [`hessian`] written to `out`; returns the value.
    ///
    /// # Panics
    /// If `out` is not a square matrix of the point's dimension.
    ///
    /// ```
    /// let mut h = nalgebra::DMatrix::zeros(2, 2);
    #[doc = concat!("let y = wengert::", $module, "::hessian_into(|x| x[0] * x[1], &[2.0, 3.0], &mut h);")]
    /// assert_eq!((y, h), (6.0, nalgebra::dmatrix![0.0, 1.0; 1.0, 0.0]));
    /// ```
    #[inline]
    #[track_caller]
    pub fn hessian_into<T, X, R: Dim, C: Dim>(
        f: impl $Fn(&X::Arg<$N>) -> $N,
        x: &X,
        out: &mut OMatrix<T, R, C>,
    ) -> T
    where
        T: Real,
        X: Components<T> + ?Sized,
        DefaultAllocator: Allocator<R, C>,
    {
        request("hessian", $mode, x, |work| {
            Ok(work.curvature(Closure($called(f)), &Units::all(), (), out)?.0)
        })
    }
    /// `(f(x), ∇f(x), H(x))` from the same evaluations; otherwise as [`hessian`].
    ///
    /// ```
    #[doc = concat!("let all = wengert::", $module, "::value_gradient_and_hessian(|x| x[0] * x[1], &[2.0, 3.0]);")]
    /// assert_eq!(all, (6.0, [3.0, 2.0], nalgebra::matrix![0.0, 1.0; 1.0, 0.0]));
    /// ```
    #[inline]
    #[track_caller]
    #[allow(clippy::type_complexity)]
    pub fn value_gradient_and_hessian<T, X>(
        f: impl $Fn(&X::Arg<$N>) -> $N,
        x: &X,
    ) -> (T, X::Tangent, OMatrix<T, X::Dim, X::Dim>)
    where
        T: Real,
        X: Shape<T> + ?Sized,
        DefaultAllocator: Allocator<X::Dim, X::Dim>,
    {
        request("hessian", $mode, x, |work| {
            let (value, mut gradient, out) =
                work.curvature(Closure($called(f)), &Units::all(), SmallBuffer::new(), None)?;
            Ok((value, tangent_of(x, gradient.slots()), seen(out)))
        })
    }
    /// [`value_gradient_and_hessian`] written to `gradient` and `out`; returns the value.
    ///
    /// # Panics
    /// If a buffer does not fit.
    ///
    /// ```
    #[doc = concat!("use wengert::", $module, "::value_gradient_and_hessian_into;")]
    /// let (mut g, mut h) = ([0.0; 2], nalgebra::DMatrix::zeros(2, 2));
    /// let y = value_gradient_and_hessian_into(|x| x[0] * x[1], &[2.0, 3.0], &mut g, &mut h);
    /// assert_eq!((y, g, h), (6.0, [3.0, 2.0], nalgebra::dmatrix![0.0, 1.0; 1.0, 0.0]));
    /// ```
    #[inline]
    #[track_caller]
    pub fn value_gradient_and_hessian_into<T, X, G, R: Dim, C: Dim>(
        f: impl $Fn(&X::Arg<$N>) -> $N,
        x: &X,
        gradient: &mut G,
        out: &mut OMatrix<T, R, C>,
    ) -> T
    where
        T: Real,
        X: Components<T> + ?Sized,
        G: Components<T> + SelfTangent + ?Sized,
        DefaultAllocator: Allocator<R, C>,
    {
        request("hessian", $mode, x, |work| {
            let gradient = StructureBuffer::new("gradient buffer", gradient);
            Ok(work.curvature(Closure($called(f)), &Units::all(), gradient, out)?.0)
        })
    }
} }
