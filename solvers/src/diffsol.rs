//! Equations of diffsol 0.18.
//!
//! diffsol takes a right side as closures: the function, its products with the Jacobians in states and parameters, and
//! for adjoint sensitivities the products with the transposed Jacobians. [`tangents`] and [`cotangents`] make them of the
//! function alone, for the methods `rhs_implicit`, `rhs_sens_implicit` and `rhs_adjoint_implicit` of diffsol's builder.

use std::sync::Arc;

use wengert::reverse::vjp_into;
use wengert::{Dual, Real, Scalar, Var, filling, jvp_into};

/// The right side of `x′ = f(x, p, t)`, at every number type.
pub trait Equations {
    /// Writes `f(x, p, t)` to `y`: states `x`, parameters `p`, time `t`.
    fn call<T: Scalar>(&self, x: &[T], p: &[T], t: f64, y: &mut [T]);
}

impl<E: Equations + ?Sized> Equations for &E {
    fn call<T: Scalar>(&self, x: &[T], p: &[T], t: f64, y: &mut [T]) {
        (**self).call(x, p, t, y)
    }
}

impl<E: Equations + ?Sized> Equations for Arc<E> {
    fn call<T: Scalar>(&self, x: &[T], p: &[T], t: f64, y: &mut [T]) {
        (**self).call(x, p, t, y)
    }
}

/// Numbers without a derivative.
fn constants<T: Real<Base = f64>>(x: &[f64]) -> Vec<T> {
    x.iter().map(|&x| T::lit(x)).collect()
}

/// The closures of implicit methods and of forward sensitivities: `f`, `∂f/∂x·v` and `∂f/∂p·v`.
///
/// `rhs_implicit` takes the first two.
///
/// ```
/// use diffsol::{NalgebraLU, NalgebraMat, OdeBuilder, OdeSolverMethod};
/// use wengert::generic;
/// use wengert_solvers::diffsol::{Equations, tangents};
///
/// struct Robertson;
/// #[generic]
/// impl Equations for Robertson {
///     fn call(&self, x: &[f64], p: &[f64], #[data] _: f64, y: &mut [f64]) {
///         y[0] = p[1] * x[1] * x[2] - p[0] * x[0];
///         y[2] = p[2] * x[1] * x[1];
///         y[1] = -y[0] - y[2];
///     }
/// }
/// let (f, along_x, along_p) = tangents(Robertson);
/// let problem = OdeBuilder::<NalgebraMat<f64>>::new()
///     .p([0.04, 1e4, 3e7])
///     .rhs_sens_implicit(f, along_x, along_p)
///     .init_sens(|_p, _t, x| x.copy_from_slice(&[1.0, 0.0, 0.0]), |_p, _t, _v, dx| dx.fill(0.0), 3)
///     .build()?;
/// let mut solver = problem.bdf::<NalgebraLU<f64>>()?;
/// solver.solve(40.0)?;
/// # Ok::<(), diffsol::error::DiffsolError>(())
/// ```
#[allow(clippy::type_complexity)]
pub fn tangents<E: Equations>(
    equations: E,
) -> (
    impl Fn(&[f64], &[f64], f64, &mut [f64]),
    impl Fn(&[f64], &[f64], f64, &[f64], &mut [f64]),
    impl Fn(&[f64], &[f64], f64, &[f64], &mut [f64]),
) {
    let e = Arc::new(equations);
    let [e1, e2] = [e.clone(), e.clone()];
    (
        move |x, p, t, y| e.call(x, p, t, y),
        move |x, p, t, v, out| {
            let p = constants(p);
            let f = |x: &[Dual<f64>], y: &mut [Dual<f64>]| e1.call(x, &p, t, y);
            jvp_into(filling(out.len(), f), x, v, out);
        },
        move |x, p, t, v, out| {
            let x = constants(x);
            let f = |p: &[Dual<f64>], y: &mut [Dual<f64>]| e2.call(&x, p, t, y);
            jvp_into(filling(out.len(), f), p, v, out);
        },
    )
}

/// The closures of adjoint sensitivities: `f`, `∂f/∂x·v`, `−(∂f/∂x)ᵀ·w` and `−(∂f/∂p)ᵀ·w`. diffsol's adjoint products are
/// negative.
#[allow(clippy::type_complexity)]
pub fn cotangents<E: Equations>(
    equations: E,
) -> (
    impl Fn(&[f64], &[f64], f64, &mut [f64]),
    impl Fn(&[f64], &[f64], f64, &[f64], &mut [f64]),
    impl Fn(&[f64], &[f64], f64, &[f64], &mut [f64]),
    impl Fn(&[f64], &[f64], f64, &[f64], &mut [f64]),
) {
    let e = Arc::new(equations);
    let [e1, e2] = [e.clone(), e.clone()];
    let (f, along_x, _) = tangents(e);
    (
        f,
        along_x,
        move |x, p, t, w, out| {
            let p = constants(p);
            let f = |x: &[Var<f64>], y: &mut [Var<f64>]| e1.call(x, &p, t, y);
            vjp_into(filling(w.len(), f), x, w, out);
            out.iter_mut().for_each(|out| *out = -*out);
        },
        move |x, p, t, w, out| {
            let x = constants(x);
            let f = |p: &[Var<f64>], y: &mut [Var<f64>]| e2.call(&x, p, t, y);
            vjp_into(filling(w.len(), f), p, w, out);
            out.iter_mut().for_each(|out| *out = -*out);
        },
    )
}
