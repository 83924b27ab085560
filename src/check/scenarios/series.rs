//! The scenarios of series: prepared operators of any order. They are compiled where they are used.

use super::functions::{Expected, chain, direction, pair};
use super::{Outcome, ScenarioRun, Scenarios, if_reset};
use crate::drivers::prepare::{self, ForwardSeries};
use crate::drivers::series::SymmetricTensor;
use crate::duals::Taylor;
use crate::space::{Components, SelfTangent, dimension, flatten};
use crate::tapes::Var;

type Fourth = Taylor<f64, 4>;
type Second = Taylor<f64, 2>;

impl Scenarios {
    /// The scenarios of the operators of [`series`](crate::series) at your point, as [`prepare`](crate::prepare) keeps
    /// them; `kind` names it in messages.
    pub fn series_at<X>(&self, kind: &str, x: &X) -> Outcome
    where
        X: Components<f64, Tangent: Components<f64> + SelfTangent> + ?Sized,
        X::Arg<Fourth>: Components<Fourth>,
        X::Arg<Second>: Components<Second>,
        X::Arg<Var<Second>>: Components<Var<Second>>,
    {
        let mut run = ScenarioRun::new(*self);
        run.series_at(kind, x);
        run.outcome
    }
}

impl ScenarioRun {
    fn series_at<X>(&mut self, kind: &str, x: &X)
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
        // On a group only the expected results of first order exist.
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
}

/// Without the second buffer.
fn want_two([values, first, _]: [&[f64]; 3]) -> [&[f64]; 3] {
    [values, first, &[]]
}
