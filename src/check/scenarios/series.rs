//! The scenarios of series: operators of any order that are kept.

use super::functions::{CALLS, Expected, chain, direction, pair};
#[cfg(feature = "macros")]
use super::functions::{layer, shapes};
use super::{Outcome, ScenarioRun, Scenarios, if_reset};
use crate::drivers::prepare::{self, ForwardSeries};
use crate::drivers::series::SymmetricTensor;
use crate::duals::Taylor;
use crate::space::{Components, SelfTangent, dimension, flatten};
use crate::tapes::Var;

type Fourth = Taylor<f64, 4>;
type Second = Taylor<f64, 2>;

impl Scenarios {
    /// All scenarios of the operators of [`series`](crate::series), as [`prepare`](crate::prepare) keeps them.
    pub fn series(&self) -> Outcome {
        let mut run = ScenarioRun::new(*self);
        run.series_at("array", &[0.5, -1.25, 2.0]);
        run.series_at("slice", &[0.5, -1.25, 2.0][..]);
        run.series_at("Vec", &vec![0.5; 11]);
        run.series_at("no numbers", &[0.0; 0]);
        run.series_at("tuple", &(0.5, vec![-1.25; 6], [Some(1.5)]));
        run.series_at("nested sequences", &vec![vec![0.5, 2.0], vec![], vec![-1.25]]);
        #[cfg(feature = "macros")]
        run.series_at("struct", &layer());
        #[cfg(feature = "macros")]
        run.series_at("enums", &shapes());
        #[cfg(feature = "nalgebra")]
        run.series_of_matrices();
        run.series_of_other_structures();
        run.series_of_curves(0.42);
        run.outcome
    }
}

impl ScenarioRun {
    pub(super) fn series_at<X>(&mut self, kind: &str, x: &X)
    where
        X: Components<f64, Tangent: Components<f64> + SelfTangent> + ?Sized,
        X::Arg<Fourth>: Components<Fourth>,
        X::Arg<Second>: Components<Second>,
        X::Arg<Var<Second>>: Components<Var<Second>>,
    {
        let (before, n, e) = (flatten(x), dimension(x), Expected::at(x));
        let (v, name) = (direction(n), |op: &str| format!("{op} at {kind}"));
        let mut components = v.iter().copied();
        let tangent = x.tangent_from(&mut || components.next().unwrap_or(f64::NAN));
        let (product, pushed) = (e.product(&v), e.pushed(&v));
        // On a group those of first order are known.
        let bend = v.iter().zip(&product).map(|(v, p)| v * p).sum::<f64>();
        let higher = [bend, v.iter().map(|v| 6.0 * v * v * v).sum(), 0.0];
        let higher = if X::FLAT { &higher[..] } else { &[] };
        let read = |out: [Fourth; 2]| (out.map(Taylor::value), out.map(|y| y.coefficient(1)));
        let mut out = [Fourth::constant(f64::NAN); 2];

        let mut series = prepare::directional(ForwardSeries, x);
        let want = [&e.values[..], &pushed, higher];
        self.twice(&name("directional"), &mut [0.0; 2], &mut [0.0; 3], want, |y, first, rest| {
            series.of(pair).at(x, &tangent, &mut out)?;
            (*y, *first) = read(out);
            rest.copy_from_slice(&out[0].derivatives()[1..]);
            Ok(())
        });
        let long = series.of(pair::<Fourth, _>).at(x, &vec![0.0; n + 1], &mut out);
        self.refused(&name("a long direction"), long);
        let short = series.of(pair::<Fourth, _>).at(x, &tangent, &mut out[0]);
        self.refused(&name("a short series buffer"), short);
        let mut filling = prepare::directional(ForwardSeries, x).filling(2);
        self.twice(
            &name("directional, filling"),
            &mut [0.0; 2],
            &mut [0.0; 0],
            want_two(want),
            |y, first, _| {
                filling.of(|x, y: &mut [Fourth]| y.copy_from_slice(&pair(x))).at(x, &tangent, &mut out)?;
                (*y, *first) = read(out);
                Ok(())
            },
        );
        let mut cached = prepare::directional(ForwardSeries, x).with_cache(&0.0);
        self.twice(
            &name("directional with a cache"),
            &mut [0.0; 2],
            &mut [0.0; 0],
            want_two(want),
            |y, first, _| {
                let f = |x: &X::Arg<Fourth>, cache: &mut Fourth| {
                    let [a, b] = pair(x);
                    [if_reset(std::mem::replace(cache, a), *cache), b]
                };
                cached.of(f).at(x, &tangent, &mut out)?;
                (*y, *first) = read(out);
                Ok(())
            },
        );

        let (mut g, mut first, mut second) =
            (vec![Second::constant(f64::NAN); n], vec![0.0; n], vec![0.0; n]);
        let mut gradient = prepare::directional_gradient(ForwardSeries, x);
        let want = [&e.values[..1], &e.gradient, &product];
        self.twice(
            &name("directional gradient"),
            &mut first[..],
            &mut second[..],
            want,
            |y, first, second| {
                y[0] = gradient.of(chain).at(x, &tangent, &mut g[..])?.value();
                first.iter_mut().zip(&g).for_each(|(to, g)| *to = g.value());
                second.iter_mut().zip(&g).for_each(|(to, g)| *to = g.coefficient(1));
                Ok(())
            },
        );
        let wide = vec![Second::constant(0.0); n + 1];
        let wide = gradient.of(chain::<Var<Second>, _>).at(x, &tangent, &mut { wide }[..]);
        self.refused(&name("a long gradient buffer"), wide);

        let (mut h, mut t) = (vec![0.0; n * n], SymmetricTensor::<f64, 2>::default());
        let mut tensor = prepare::tensor(ForwardSeries, x);
        let want = [&e.values[..1], &e.hessian, &[]];
        self.twice(&name("tensor"), &mut h[..], &mut [0.0; 0], want, |y, h, _| {
            y[0] = tensor.of(chain).at(x, &mut t)?;
            h.iter_mut().enumerate().for_each(|(k, h)| *h = t.at([k % n, k / n]));
            Ok(())
        });
        self.hold(flatten(x) == before && flatten(&tangent) == v, || format!("{kind}: an input has changed"));
    }
    fn series_of_other_structures(&mut self) {
        let (long, short) = (vec![0.5, -1.25, 2.0], vec![0.75]);
        let (mut out, mut series) = (Fourth::constant(0.0), prepare::directional(ForwardSeries, &short));
        let f = |x: &[Fourth]| chain(x);
        self.refused("a long point", series.of(f).at(&long, &[1.0; 3], &mut out));
        for x in [&long, &short, &long] {
            series.reprepare(x);
            let (v, e) = (direction(x.len()), Expected::at(x));
            let want = e.pushed(&v)[0];
            let result = series.of(f).at(x, &v, &mut out);
            self.result("directional after reprepare", result);
            self.near("directional after reprepare", "slope", &[out.coefficient(1)], &[want]);
        }
    }
    fn series_of_curves(&mut self, t: f64) {
        let (mut series, mut derivatives) =
            (prepare::taylor(ForwardSeries, &t), prepare::derivative_n(ForwardSeries::<4>, &t));
        let (values, first, rest) = ([t * t * t, 5.0 * t * t], [3.0 * t * t, 10.0 * t], [3.0 * t, 1.0, 0.0]);
        let mut out = (Fourth::constant(f64::NAN), [Fourth::constant(f64::NAN)]);
        let want = [&values[..], &first, &rest];
        self.twice("series of a curve", &mut [0.0; 2], &mut [0.0; 3], want, |y, first, rest| {
            let curve = |t: &Fourth| {
                CALLS.set(CALLS.get() + 1);
                (*t * *t * *t, [*t * *t * 5.0])
            };
            series.of(curve).at(t, &mut out)?;
            let both = [out.0, out.1[0]];
            (*y, *first) = (both.map(Taylor::value), both.map(|y| y.coefficient(1)));
            rest.copy_from_slice(&out.0.coefficients()[1..]);
            Ok(())
        });
        let want = [&values[..1], &[3.0 * t * t, 6.0 * t, 6.0, 0.0], &[]];
        self.twice("derivatives of a curve", &mut [0.0; 4], &mut [0.0; 0], want, |y, d, _| {
            y[0] = derivatives.of(|t: &Fourth| *t * *t * *t).at(t, d)?;
            Ok(())
        });
        self.refused("a short derivative buffer", derivatives.of(|t: &Fourth| *t).at(t, &mut [0.0; 3]));
    }
}

/// Without the second buffer.
fn want_two([values, first, _]: [&[f64]; 3]) -> [&[f64]; 3] {
    [values, first, &[]]
}
