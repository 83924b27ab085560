//! The scenarios of second order.

use super::functions::{CALLS, Chain, Expected, chain, direction};
#[cfg(feature = "macros")]
use super::functions::{layer, shapes};
use super::{Outcome, ScenarioRun, Scenarios, if_reset};
use crate::drivers::mode::{Mode, SecondPass};
use crate::drivers::prepare;
use crate::number::Scalar;
use crate::space::{Components, SelfTangent, dimension, flatten};

type Number<M> = <M as Mode>::Number<f64>;

impl Scenarios {
    /// All scenarios of second order.
    pub fn second_order<M: SecondPass<Number<f64>: Scalar>>(&self, mode: M) -> Outcome {
        let mut run = ScenarioRun::new(*self);
        run.second_at(&mode, "array", &[0.5, -1.25, 2.0]);
        run.second_at(&mode, "slice", &[0.5, -1.25, 2.0][..]);
        run.second_at(&mode, "Vec", &vec![0.5; 11]);
        run.second_at(&mode, "no numbers", &[0.0; 0]);
        run.second_at(&mode, "tuple", &(0.5, vec![-1.25; 20], [Some(1.5)]));
        #[cfg(feature = "macros")]
        run.second_at(&mode, "struct", &layer());
        #[cfg(feature = "macros")]
        run.second_at(&mode, "enums", &shapes());
        #[cfg(feature = "nalgebra")]
        run.second_of_matrices(&mode);
        run.second_of_objects(&mode, &[0.5, -1.25, 2.0, 0.75]);
        run.bent_curves(&mode, 0.42);
        run.outcome
    }
}

impl ScenarioRun {
    pub(super) fn second_at<M: SecondPass, X>(&mut self, mode: &M, kind: &str, x: &X)
    where
        X: Components<f64, Tangent: Components<f64> + SelfTangent> + ?Sized,
        X::Arg<Number<M>>: Components<Number<M>>,
    {
        let (before, n, e) = (flatten(x), dimension(x), Expected::at(x));
        let (v, zeros) = (direction(n), vec![0.0; n]);
        let tangent = |v: &[f64]| {
            let mut next = v.iter().copied();
            x.tangent_from(&mut || next.next().unwrap_or(f64::NAN))
        };
        let batch = [tangent(&v), tangent(&zeros), tangent(&v)];
        let product = e.product(&v);
        let products = if product.is_empty() { vec![] } else { [&product[..], &zeros, &product].concat() };
        let (mut g, mut h, mut hv) = (zeros.clone(), vec![0.0; n * n], zeros.clone());
        let (mut structured, mut three) = (tangent(&[]), [tangent(&[]), tangent(&[]), tangent(&[])]);
        let value = &e.values[..1];
        let name = |op: &str| format!("{op} at {kind}");

        let mut hessian = prepare::hessian(mode.clone(), x);
        let want = [value, &e.gradient, &e.hessian];
        self.twice(&name("hessian"), &mut g[..], &mut h[..], want, &mut |y, g, h| {
            hessian.of(chain).at(x, g, h).map(|value| y[0] = value)
        });
        self.twice(
            &name("hessian, gradient in its structure"),
            &mut structured,
            &mut h[..],
            want,
            &mut |y, g, h| hessian.of(chain).at(x, g, h).map(|value| y[0] = value),
        );
        let wide = hessian.of(chain::<Number<M>, _>).at(x, &mut g[..], &mut vec![0.0; n * n + 1][..]);
        self.refused(&name("a long Hessian buffer"), wide);
        let mut hvp = prepare::hvp(mode.clone(), x);
        let want = [value, &e.gradient, &product];
        self.twice(&name("hvp"), &mut g[..], &mut hv[..], want, &mut |y, g, hv| {
            hvp.of(chain).at(x, &batch[0], g, hv).map(|value| y[0] = value)
        });
        let want = [value, &e.gradient, &products];
        self.twice(&name("hvp of a batch"), &mut structured, &mut three, want, &mut |y, g, hv| {
            hvp.of(chain).batch(x, &batch, g, hv).map(|value| y[0] = value)
        });
        let mut cached = prepare::hvp(mode.clone(), x).with_cache(&0.0);
        let want = [value, &e.gradient, &product];
        self.twice(&name("hvp with a cache"), &mut g[..], &mut hv[..], want, &mut |y, g, hv| {
            let f = |x: &X::Arg<Number<M>>, cache: &mut Number<M>| {
                let memory = std::mem::replace(cache, chain(x));
                if_reset(memory, *cache)
            };
            cached.of(f).at(x, &batch[0], g, hv).map(|value| y[0] = value)
        });
        self.hold(flatten(x) == before && flatten(&batch[0]) == v, || {
            format!("{kind}: an input has changed")
        });
    }
    fn second_of_objects<M: SecondPass<Number<f64>: Scalar>>(&mut self, mode: &M, x: &[f64]) {
        let (n, e) = (x.len(), Expected::at(x));
        let (mut g, mut h) = (vec![0.0; n], vec![0.0; n * n]);
        let mut hessian = prepare::hessian(mode.clone(), x);
        let want = [&e.values[..1], &e.gradient, &e.hessian];
        self.twice("hessian of an object", &mut g, &mut h, want, &mut |y, g, h| {
            hessian.of_object(&Chain).at(x, g, h).map(|value| y[0] = value)
        });
    }
    fn bent_curves<M: SecondPass>(&mut self, mode: &M, t: f64) {
        let mut second = prepare::second_derivative(mode.clone(), &t);
        let (y, dy, ddy) = ([t * t * t, 5.0 * t * t], [3.0 * t * t, 10.0 * t], [6.0 * t, 10.0]);
        self.twice(
            "second derivative",
            &mut (0.0, [0.0]),
            &mut [0.0; 2],
            [&y, &dy, &ddy],
            &mut |y, dy, ddy| {
                let curve = |t: &Number<M>| {
                    CALLS.set(CALLS.get() + 1);
                    (*t * *t * *t, [*t * *t * 5.0])
                };
                second.of(curve).at(t, y, dy, ddy)
            },
        );
        self.twice(
            "value of a second derivative",
            &mut (0.0, [0.0]),
            &mut [0.0; 2],
            [&[], &y, &ddy],
            &mut |dy, y, ddy| second.of(|t: &Number<M>| (*t * *t * *t, [*t * *t * 5.0])).at(t, y, dy, ddy),
        );
    }
}
