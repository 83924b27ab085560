//! The scenarios of first order.

use super::functions::{CALLS, Chain, Expected, chain, direction, pair};
#[cfg(feature = "macros")]
use super::functions::{layer, shapes};
use super::{Outcome, ScenarioRun, Scenarios, if_reset};
use crate::drivers::mode::{Mode, Pass};
use crate::drivers::prepare;
use crate::number::Scalar;
use crate::space::{Components, SelfTangent, dimension, flatten};

type Number<M> = <M as Mode>::Number<f64>;

impl Scenarios {
    /// All scenarios of first order.
    pub fn first_order<M: Pass<Number<f64>: Scalar>>(&self, mode: M) -> Outcome {
        let mut run = ScenarioRun::new(*self);
        run.first_at(&mode, "array", &[0.5, -1.25, 2.0]);
        run.first_at(&mode, "slice", &[0.5, -1.25, 2.0][..]);
        run.first_at(&mode, "Vec", &vec![0.5; 11]);
        run.first_at(&mode, "no numbers", &[0.0; 0]);
        run.first_at(&mode, "tuple", &(0.5, vec![-1.25; 20], [Some(1.5)]));
        run.first_at(&mode, "nested sequences", &vec![vec![0.5, 2.0], vec![], vec![-1.25]]);
        #[cfg(feature = "macros")]
        run.first_at(&mode, "struct", &layer());
        #[cfg(feature = "macros")]
        run.first_at(&mode, "enums", &shapes());
        #[cfg(feature = "nalgebra")]
        run.first_of_matrices(&mode);
        run.first_of_objects(&mode, &[0.5, -1.25, 2.0, 0.75]);
        run.other_structures(&mode);
        run.curves(&mode, 0.42);
        run.outcome
    }
}

impl ScenarioRun {
    pub(super) fn first_at<M: Pass, X>(&mut self, mode: &M, kind: &str, x: &X)
    where
        X: Components<f64, Tangent: Components<f64> + SelfTangent> + ?Sized,
        X::Arg<Number<M>>: Components<Number<M>>,
    {
        let (before, n, e) = (flatten(x), dimension(x), Expected::at(x));
        let (v, w) = (direction(n), [0.5, -2.0]);
        // Tangents in the structure of the point, as inputs and as buffers.
        let tangent = |v: &[f64]| {
            let mut next = v.iter().copied();
            x.tangent_from(&mut || next.next().unwrap_or(f64::NAN))
        };
        let zeros = vec![0.0; n];
        let batch = [tangent(&v), tangent(&zeros), tangent(&v)];
        let pushed = e.pushed(&v);
        let (pulled, first_row) = (e.pulled(w), e.pulled([1.0, 0.0]));
        let rows = [&pulled[..], &first_row].concat();
        let (mut g, mut j, mut dy, mut many) = (zeros.clone(), vec![0.0; 2 * n], [0.0; 2], [0.0; 6]);
        let (mut structured, mut two) = (tangent(&[]), [tangent(&[]), tangent(&[])]);
        let (value, values) = (&e.values[..1], &e.values[..]);
        let none = &mut [0.0; 0];
        let name = |op: &str| format!("{op} at {kind}");

        let mut gradient = prepare::gradient(mode.clone(), x);
        self.twice(&name("gradient"), &mut g[..], none, [value, &e.gradient, &[]], &mut |y, g, _| {
            gradient.of(chain).at(x, g).map(|value| y[0] = value)
        });
        let want = [value, &e.gradient, &[]];
        self.twice(&name("gradient in its structure"), &mut structured, none, want, &mut |y, g, _| {
            gradient.of(chain).at(x, g).map(|value| y[0] = value)
        });
        self.refused(
            &name("a long buffer"),
            gradient.of(chain::<Number<M>, _>).at(x, &mut vec![7.0; n + 1][..]),
        );
        let mut nested = prepare::gradient(mode.clone(), x).with_cache(&(vec![0.0; 2], Some(0.0), 0.0));
        self.twice(
            &name("gradient with a nested cache"),
            &mut g[..],
            none,
            [value, &e.gradient, &[]],
            &mut |y, g, _| {
                let f = |x: &X::Arg<Number<M>>,
                         cache: &mut (Vec<Number<M>>, Option<Number<M>>, Number<M>)| {
                    let memory = std::mem::replace(&mut cache.0[1], chain(x));
                    let inner = cache.1.replace(cache.0[1]).unwrap_or(cache.0[1]);
                    if_reset(inner, if_reset(memory, cache.0[1]))
                };
                nested.of(f).at(x, g).map(|value| y[0] = value)
            },
        );
        let shrinks = |x: &X::Arg<Number<M>>, cache: &mut (Vec<Number<M>>, Option<Number<M>>, Number<M>)| {
            cache.1 = None;
            chain(x)
        };
        self.refused(&name("a cache of another shape"), nested.of(shrinks).at(x, &mut g[..]));

        let want = [values, &[][..], &e.jacobian];
        let mut jacobian = prepare::jacobian(mode.clone(), x);
        self.twice(&name("jacobian"), none, &mut j[..], want, &mut |y, _, j| jacobian.of(pair).at(x, y, j));
        self.twice(
            &name("jacobian of a tuple"),
            &mut (0.0, [0.0]),
            &mut j[..],
            [&[], values, &e.jacobian],
            &mut |_, y, j| {
                let f = |x: &X::Arg<Number<M>>| {
                    let [a, b] = pair(x);
                    (a, [b])
                };
                jacobian.of(f).at(x, y, j)
            },
        );
        let mut filling = prepare::jacobian(mode.clone(), x).filling(2);
        self.twice(&name("jacobian of a filled buffer"), none, &mut j[..], want, &mut |y, _, j| {
            let f = |x: &X::Arg<Number<M>>, y: &mut [Number<M>]| {
                let memory = y[1];
                y.copy_from_slice(&pair(x).map(|y| if_reset(memory, y)));
            };
            filling.of(f).at(x, y, j)
        });
        let mut both = prepare::jacobian(mode.clone(), x).filling(2).with_cache(&(0.0, vec![0.0; 2]));
        self.twice(
            &name("jacobian of a filled buffer with a cache"),
            none,
            &mut j[..],
            want,
            &mut |y, _, j| {
                let f =
                    |x: &X::Arg<Number<M>>, y: &mut [Number<M>], cache: &mut (Number<M>, Vec<Number<M>>)| {
                        let memory = [y[0], cache.0, cache.1[1]];
                        cache.1.copy_from_slice(
                            &pair(x).map(|y| memory.into_iter().fold(y, |y, m| if_reset(m, y))),
                        );
                        (cache.0, y[0], y[1]) = (cache.1[0], cache.1[0], cache.1[1]);
                    };
                both.of(f).at(x, y, j)
            },
        );

        let mut jvp = prepare::jvp(mode.clone(), x);
        let want = [values, &pushed[..], &[]];
        self.twice(&name("jvp"), &mut dy, none, want, &mut |y, dy, _| jvp.of(pair).at(x, &batch[0], y, dy));
        self.twice(&name("jvp to a tuple"), &mut (0.0, [0.0]), none, want, &mut |y, dy, _| {
            jvp.of(pair).at(x, &batch[0], y, dy)
        });
        let products = [pushed[0], pushed[1], 0.0, 0.0, pushed[0], pushed[1]];
        self.twice(&name("jvp of a batch"), &mut many, none, [values, &products, &[]], &mut |y, dy, _| {
            jvp.of(pair).batch(x, &batch, y, dy)
        });
        let mut vjp = prepare::vjp(mode.clone(), x);
        self.twice(&name("vjp"), &mut g[..], none, [values, &pulled, &[]], &mut |y, g, _| {
            vjp.of(pair).at(x, &w, y, g)
        });
        self.twice(
            &name("vjp in its structure"),
            &mut structured,
            none,
            [values, &pulled, &[]],
            &mut |y, g, _| vjp.of(pair).at(x, &w, y, g),
        );
        self.twice(&name("vjp of a batch"), &mut two, none, [values, &rows, &[]], &mut |y, g, _| {
            vjp.of(pair).batch(x, &[w, [1.0, 0.0]], y, g)
        });
        let wrong = vjp.of(pair::<Number<M>, _>).batch(x, &[vec![1.0; 2], vec![1.0]], &mut dy, &mut j[..]);
        self.refused(&name("a short cotangent"), wrong);
        self.hold(flatten(x) == before && flatten(&batch[0]) == v, || {
            format!("{kind}: an input has changed")
        });
    }
    fn first_of_objects<M: Pass<Number<f64>: Scalar>>(&mut self, mode: &M, x: &[f64]) {
        let (e, mut g, mut j, none) =
            (Expected::at(x), vec![0.0; x.len()], vec![0.0; 2 * x.len()], &mut [0.0; 0]);
        let mut gradient = prepare::gradient(mode.clone(), x);
        self.twice(
            "gradient of an object",
            &mut g,
            none,
            [&e.values[..1], &e.gradient, &[]],
            &mut |y, g, _| gradient.of_object(&Chain).at(x, g).map(|value| y[0] = value),
        );
        let mut jacobian = prepare::jacobian(mode.clone(), x).filling(2);
        self.twice("jacobian of an object", none, &mut j, [&e.values, &[], &e.jacobian], &mut |y, _, j| {
            jacobian.of_object(&Chain).at(x, y, j)
        });
        jacobian.refill(3);
        let refused = jacobian.of_object(&Chain).at(x, &mut [0.0; 3], &mut vec![0.0; 3 * x.len()]);
        self.refused("an object with fewer results", refused);
        jacobian.refill(2);
        self.once(
            "jacobian after refill",
            false,
            (none, &mut j),
            [&e.values, &[], &e.jacobian],
            &mut |y, _, j| jacobian.of_object(&Chain).at(x, y, j),
        );
    }
    /// Operators that are prepared for another structure, and back.
    fn other_structures<M: Pass>(&mut self, mode: &M) {
        let there = (vec![vec![0.5, 2.0], vec![-1.25]], 0.75);
        let back = (vec![vec![0.5], vec![2.0, -1.25, 1.0], vec![0.25; 9]], 0.75);
        let mut gradient = prepare::gradient(mode.clone(), &there);
        for (i, x) in [&there, &back, &there, &back].into_iter().enumerate() {
            gradient.reprepare(x);
            let e = Expected::at(x);
            let mut g = e.gradient.clone();
            let want = [&e.values[..1], &e.gradient, &[]];
            // The third and the fourth have been there before.
            let what = format!("gradient after reprepare {i}");
            self.once(&what, i < 2, (&mut g, &mut [0.0; 0]), want, &mut |y, g, _| {
                gradient.of(chain).at(x, g).map(|value| y[0] = value)
            });
        }
        let mut gradient = prepare::gradient(mode.clone(), &there.0);
        let other = vec![vec![0.5], vec![2.0, -1.25]];
        self.refused("another structure of the size", gradient.of(chain).at(&other, &mut [0.0; 3]));
        self.refused("another size", gradient.of(chain).at(&vec![vec![0.5]], &mut [0.0; 1]));
    }
    fn curves<M: Pass>(&mut self, mode: &M, t: f64) {
        let mut derivative = prepare::derivative(mode.clone(), &t);
        let (y, dy) = ([3.0 * t * t, t], [6.0 * t, 1.0]);
        self.twice("derivative", &mut (0.0, [0.0]), &mut [0.0; 0], [&y, &dy, &[]], &mut |y, dy, _| {
            let curve = |t: &Number<M>| {
                CALLS.set(CALLS.get() + 1);
                (*t * *t * 3.0, [*t; 1])
            };
            derivative.of(curve).at(t, y, dy)
        });
    }
}
