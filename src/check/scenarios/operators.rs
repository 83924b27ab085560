//! The scenarios: each operator of a mode, at a point of any structure.

use super::functions::{CALLS, Expected, chain, direction, pair};
#[cfg(feature = "macros")]
use super::functions::{layer, shapes};
use super::{Number, Outcome, ScenarioRun, Scenarios};
use crate::drivers::mode::{Pass, SecondPass};
use crate::drivers::prepare;
use crate::space::{Components, SelfTangent, dimension, flatten};

/// The scenarios of one order at points of all kinds.
macro_rules! points {
    ($run:ident, $scenarios:ident.$at:ident($mode:ident)) => {
        $run.add($scenarios.$at($mode.clone(), "array", &[0.5, -1.25, 2.0]));
        $run.add($scenarios.$at($mode.clone(), "slice", &[0.5, -1.25, 2.0][..]));
        $run.add($scenarios.$at($mode.clone(), "Vec", &vec![0.5; 11]));
        $run.add($scenarios.$at($mode.clone(), "no numbers", &[0.0; 0]));
        $run.add($scenarios.$at($mode.clone(), "tuple", &(0.5, vec![-1.25; 20], [Some(1.5)])));
        $run.add($scenarios.$at(
            $mode.clone(),
            "nested sequences",
            &vec![vec![0.5, 2.0], vec![], vec![-1.25]],
        ));
        #[cfg(feature = "macros")]
        $run.add($scenarios.$at($mode.clone(), "struct", &layer()));
        #[cfg(feature = "macros")]
        $run.add($scenarios.$at($mode.clone(), "enums", &shapes()));
        #[cfg(feature = "nalgebra")]
        $run.add($scenarios.$at($mode.clone(), "rotations and motions", &super::matrices::motions()));
        #[cfg(feature = "nalgebra")]
        $run.add($scenarios.$at($mode.clone(), "matrix", &super::matrices::matrix()));
    };
}

/// The components of a vector in the structure of tangents of `x`; NaN after them.
fn tangent<X: Components<f64> + ?Sized>(x: &X, v: &[f64]) -> X::Tangent {
    let mut next = v.iter().copied();
    x.tangent_from(&mut || next.next().unwrap_or(f64::NAN))
}

impl Scenarios {
    /// All scenarios of first order.
    pub fn first_order<M: Pass>(&self, mode: M) -> Outcome {
        let mut run = ScenarioRun::new(*self);
        points!(run, self.first_order_at(mode));
        let (mut derivative, t) = (prepare::derivative(mode, &0.42), 0.42);
        let curve = |t: &Number<M>| {
            CALLS.set(CALLS.get() + 1);
            (*t * *t * 3.0, [*t; 1])
        };
        rows! { run str::to_string;
            "derivative": (&mut (0.0, [0.0]), &mut [0.0; 0]) [&[3.0 * t * t, t], &[6.0 * t, 1.0], &[]],
                |y, dy, _| derivative.of(curve).at(&t, y, dy);
        }
        run.outcome
    }
    /// All scenarios of second order.
    pub fn second_order<M: SecondPass>(&self, mode: M) -> Outcome {
        let mut run = ScenarioRun::new(*self);
        points!(run, self.second_order_at(mode));
        let (mut second, t) = (prepare::second_derivative(mode, &0.42), 0.42);
        let (y, dy, ddy) = ([t * t * t, 5.0 * t * t], [3.0 * t * t, 10.0 * t], [6.0 * t, 10.0]);
        let curve = |t: &Number<M>| {
            CALLS.set(CALLS.get() + 1);
            (*t * *t * *t, [*t * *t * 5.0])
        };
        rows! { run str::to_string;
            "second derivative": (&mut (0.0, [0.0]), &mut [0.0; 2]) [&y, &dy, &ddy],
                |y, dy, ddy| second.of(curve).at(&t, y, dy, ddy);
            "value of a second derivative": (&mut (0.0, [0.0]), &mut [0.0; 2]) [&[], &y, &ddy],
                |dy, y, ddy| second.of(curve).at(&t, y, dy, ddy);
        }
        run.outcome
    }
    /// The scenarios of first order at your point, which `kind` names in messages.
    pub fn first_order_at<M: Pass, X>(&self, mode: M, kind: &str, x: &X) -> Outcome
    where
        X: Components<f64, Tangent: Components<f64> + SelfTangent> + ?Sized,
        X::Arg<M::Number<f64>>: Components<M::Number<f64>>,
    {
        let mut run = ScenarioRun::new(*self);
        let (before, n, e) = (flatten(x), dimension(x), Expected::at(x));
        let (v, w, zeros) = (direction(n), [0.5, -2.0], vec![0.0; n]);
        let batch = [&v, &zeros, &v].map(|v| tangent(x, v));
        let ws = [w, [1.0, 0.0]];
        let (pushed, pulled) = (e.pushed(&v), e.pulled(w));
        let rows = [&pulled[..], &e.pulled(ws[1])].concat();
        let products = [pushed[0], pushed[1], 0.0, 0.0, pushed[0], pushed[1]];
        let (mut g, mut j, mut dy, mut many) = (zeros.clone(), vec![0.0; 2 * n], [0.0; 2], [0.0; 6]);
        let (mut structured, mut two) = (tangent(x, &[]), [tangent(x, &[]), tangent(x, &[])]);
        let (value, values, none) = (&e.values[..1], &e.values[..], &mut [0.0; 0]);
        let (mut gradient, mut jacobian) =
            (prepare::gradient(mode.clone(), x), prepare::jacobian(mode.clone(), x));
        let (mut jvp, mut vjp) = (prepare::jvp(mode.clone(), x), prepare::vjp(mode.clone(), x));
        rows! { run |op| format!("{op} at {kind}");
            "gradient": (&mut g[..], none) [value, &e.gradient, &[]],
                |y, g, _| gradient.of(chain).at(x, g).map(|value| y[0] = value);
            "gradient in its structure": (&mut structured, none) [value, &e.gradient, &[]],
                |y, g, _| gradient.of(chain).at(x, g).map(|value| y[0] = value);
            "jacobian": (none, &mut j[..]) [values, &[], &e.jacobian], |y, _, j| jacobian.of(pair).at(x, y, j);
            "jvp": (&mut dy, none) [values, &pushed, &[]], |y, dy, _| jvp.of(pair).at(x, &batch[0], y, dy);
            "jvp of a batch": (&mut many, none) [values, &products, &[]],
                |y, dy, _| jvp.of(pair).batch(x, &batch, y, dy);
            "vjp": (&mut g[..], none) [values, &pulled, &[]], |y, g, _| vjp.of(pair).at(x, &w, y, g);
            "vjp of a batch": (&mut two, none) [values, &rows, &[]], |y, g, _| vjp.of(pair).batch(x, &ws, y, g);
        }
        run.hold(flatten(x) == before && flatten(&batch[0]) == v, || format!("{kind}: an input has changed"));
        run.outcome
    }
    /// The scenarios of second order at your point, which `kind` names in messages. On a group second derivatives are
    /// not compared.
    pub fn second_order_at<M: SecondPass, X>(&self, mode: M, kind: &str, x: &X) -> Outcome
    where
        X: Components<f64, Tangent: Components<f64> + SelfTangent> + ?Sized,
        X::Arg<M::Number<f64>>: Components<M::Number<f64>>,
    {
        let mut run = ScenarioRun::new(*self);
        let (before, n, e) = (flatten(x), dimension(x), Expected::at(x));
        let (v, zeros) = (direction(n), vec![0.0; n]);
        let batch = [&v, &zeros, &v].map(|v| tangent(x, v));
        let product = e.product(&v);
        let products = if product.is_empty() { vec![] } else { [&product[..], &zeros, &product].concat() };
        let (mut g, mut h, mut hv) = (zeros.clone(), vec![0.0; n * n], zeros.clone());
        let (mut structured, mut three) = (tangent(x, &[]), [0; 3].map(|_| tangent(x, &[])));
        let value = &e.values[..1];
        let (mut hessian, mut hvp) = (prepare::hessian(mode.clone(), x), prepare::hvp(mode.clone(), x));
        rows! { run |op| format!("{op} at {kind}");
            "hessian": (&mut g[..], &mut h[..]) [value, &e.gradient, &e.hessian],
                |y, g, h| hessian.of(chain).at(x, g, h).map(|value| y[0] = value);
            "hvp": (&mut g[..], &mut hv[..]) [value, &e.gradient, &product],
                |y, g, hv| hvp.of(chain).at(x, &batch[0], g, hv).map(|value| y[0] = value);
            "hvp of a batch": (&mut structured, &mut three) [value, &e.gradient, &products],
                |y, g, hv| hvp.of(chain).batch(x, &batch, g, hv).map(|value| y[0] = value);
        }
        run.hold(flatten(x) == before && flatten(&batch[0]) == v, || format!("{kind}: an input has changed"));
        run.outcome
    }
}
