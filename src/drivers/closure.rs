//! The macro that writes a function object like a closure.

/// Writes a [`Function`](crate::Function) or a [`VectorFunction`](crate::VectorFunction) as a closure that works
/// at every number type.
///
/// The body is the body of a function, not of a closure, so it may use variables of its surroundings only as
/// captures. List them in front with their types, as in a lambda's capture list: numbers or references. They are
/// copied, and the lifetime of a reference is written `'a`. `= expression` gives a capture another value than the
/// variable of its name. If the compiler reports that a `fn` item captures nothing (E0434), a capture is missing. For
/// a function with much data, or with data that change from call to call, a struct with a method `call` under
/// `#[generic]` is better.
///
/// ```
/// use wengert::{Function, VectorFunction, function};
/// let f = function!(|x| x[0] * x[1].sin() + 1.0);
/// assert_eq!(f.gradient(&[2.0, 0.5]), [0.5f64.sin(), 2.0 * 0.5f64.cos()]);
///
/// let (t, y) = (vec![0.0, 1.0, 2.0], vec![1.0, 0.6, 0.4]);
/// let loss = function!([t: &'a [f64] = &t, y: &'a [f64] = &y] |p: &[T]| {
///     t.iter().zip(y).map(|(&t, &y)| ((p[1] * -t).exp() * p[0] - y).powi(2)).sum::<T>()
/// });
/// assert_eq!(loss.gradient(&[1.0, 0.5]).len(), 2);
///
/// let k = 3.0;
/// let g = function!([k: f64] |x, y: [_; 2]| { y[0] = x[0] * k; y[1] = x[0] * x[1]; });
/// # #[cfg(feature = "nalgebra")]
/// assert_eq!(g.jacobian(&[2.0, 5.0]), nalgebra::dmatrix![3.0, 0.0; 5.0, 2.0]);
/// ```
///
/// A function that fills a buffer states its size:
///
/// ```compile_fail
/// let g = wengert::function!(|x, y| y[0] = x[0]);
/// ```
#[macro_export]
macro_rules! function {
    ($($captures_and_closure:tt)*) => {
        $crate::__wengert_function!($($captures_and_closure)*)
    };
}

/// The expansion of each form of [`function!`], hidden from its page.
#[doc(hidden)]
#[macro_export]
macro_rules! __wengert_function {
    ($([$($c:ident: $ct:ty $(= $e:expr)?),* $(,)?])? |$x:ident| $body:expr) => {
        $crate::__wengert_function!($([$($c: $ct $(= $e)?),*])? |$x: &[Scalar]| $body)
    };
    ($([$($c:ident: $ct:ty $(= $e:expr)?),* $(,)?])? |$x:ident: &[$T:ident]| $body:expr) => {{
        struct Captured<'a> {
            $($($c: $ct,)*)?
            wengert_captures_live: ::core::marker::PhantomData<&'a ()>,
        }
        impl<'a> $crate::Function for Captured<'a> {
            #[inline]
            fn call<$T: $crate::Scalar>(&self, $x: &[$T]) -> $T {
                $(#[allow(unused_variables)] let &Self { $($c,)* .. } = self;)?
                #[allow(unused_braces)]
                $body
            }
        }
        Captured { $($($c: $crate::__wengert_function!(@capture $c $(= $e)?),)*)? wengert_captures_live: ::core::marker::PhantomData }
    }};
    ($([$($c:ident: $ct:ty $(= $e:expr)?),* $(,)?])? |$x:ident, $y:ident: [_; $m:expr]| $body:expr) => {
        $crate::__wengert_function!($([$($c: $ct $(= $e)?),*])? |$x: &[Scalar], $y: &mut [Scalar; $m]| $body)
    };
    ($([$($c:ident: $ct:ty $(= $e:expr)?),* $(,)?])? |$x:ident: &[$T:ident], $y:ident: &mut [$U:ident; $m:expr]| $body:expr) => {{
        struct Captured<'a> {
            $($($c: $ct,)*)?
            wengert_captures_live: ::core::marker::PhantomData<&'a ()>,
        }
        impl<'a> $crate::VectorFunction for Captured<'a> {
            fn outputs(&self, _: usize) -> usize {
                $(#[allow(unused_variables)] let &Self { $($c,)* .. } = self;)?
                $m
            }
            #[inline]
            fn call<$T: $crate::Scalar>(&self, $x: &[$T], $y: &mut [$T]) {
                $(#[allow(unused_variables)] let &Self { $($c,)* .. } = self;)?
                #[allow(unused_braces)]
                $body
            }
        }
        Captured { $($($c: $crate::__wengert_function!(@capture $c $(= $e)?),)*)? wengert_captures_live: ::core::marker::PhantomData }
    }};
    (@capture $c:ident) => { $c };
    (@capture $c:ident = $e:expr) => { $e };
    ($([$($c:tt)*])? |$x:ident, $y:ident| $($body:tt)*) => {
        ::core::compile_error!("function!: a function that fills a buffer states its size: `|x, y: [_; 2]| …`")
    };
    ($([$($c:tt)*])? |$x:ident: &[$T:ident], $y:ident: &mut [$U:ident]| $($body:tt)*) => {
        ::core::compile_error!("function!: a function that fills a buffer states its size: `|x: &[T], y: &mut [T; 2]| …`")
    };
    (move $($rest:tt)*) => {
        ::core::compile_error!("function!: captures stand in front with their types: `[k: f64] |x| …`")
    };
    ($([$($c:tt)*])? |$($rest:tt)*) => {
        ::core::compile_error!("function!: write `|x| …`, `|x: &[T]| …`, `|x, y: [_; 2]| …` or `|x: &[T], y: &mut [T; 2]| …`, captures with their types in front: `[k: f64, y: &'a [f64]] |x| …`")
    };
}
