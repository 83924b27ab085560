//! From the sums of a run's rows to derivatives by the parameters that they share.

use super::congruence::{congruence, triangle};
use super::out::Sums;
use super::part::{Part, Shared};
use super::request::{Derivative, Direction, Request};
use super::target::Target;

impl Part<'_> {
    /// Passes what the rows of a run have summed up on to their shared parameters.
    pub(super) fn finish(&mut self, k: usize, request: &Request<'_>, target: &mut impl Target) {
        {
            let Shared { run, branch, slopes, totals, .. } = self.shared[k];
            let programs = self.branches[branch as usize].programs(request.exact);
            let (count, at) = (programs.split.shared.outputs(), Sums::of(programs, request));
            let totals = &self.totals[totals..totals + at.len];
            if request.derivative == Derivative::Value {
                return;
            }
            let places: Vec<u32> = self.layout.shared_places(run as usize).collect();
            let cotangents = &totals[at.values..at.values + count];
            let memory = &mut self.memory;
            let input: Vec<f64> =
                places.iter().map(|&i| request.p[i as usize]).chain(cotangents.iter().copied()).collect();
            let mut products = vec![0.0; places.len()];
            match (&programs.picked, request.derivative) {
                (Some(picked), _) => {
                    picked.iter().zip(cotangents).for_each(|(&i, &x)| target.gradient(places[i as usize], x));
                    if request.derivative == Derivative::Hvp {
                        let tangents = &totals[at.tangents..at.tangents + count];
                        picked.iter().zip(tangents).for_each(|(&i, &x)| products[i as usize] += x);
                    }
                }
                (None, Derivative::Hvp) => {
                    let hvp = programs.shared_hvp.as_ref().expect("it has been demanded");
                    let input: Vec<f64> = input
                        .iter()
                        .copied()
                        .chain(
                            self.layout
                                .shared
                                .iter()
                                .zip(&places)
                                .map(|(&j, &i)| request.direction.tangent(j, i)),
                        )
                        .chain(totals[at.tangents..at.tangents + count].iter().copied())
                        .collect();
                    let n = places.len();
                    self.scratch.resize(2 * (count + n), 0.0);
                    hvp.run_one(&mut memory.one, &mut memory.calls, &input, &mut self.scratch);
                    for (k, &place) in places.iter().enumerate() {
                        target.gradient(place, self.scratch[count + k]);
                        products[k] = self.scratch[2 * count + n + k];
                    }
                }
                (None, _) => {
                    let vjp = programs.shared_vjp.as_ref().expect("it has been demanded");
                    self.scratch.resize(count + places.len(), 0.0);
                    vjp.run_one(&mut memory.one, &mut memory.calls, &input, &mut self.scratch);
                    places
                        .iter()
                        .zip(&self.scratch[count..])
                        .for_each(|(&place, &x)| target.gradient(place, x));
                }
            }
            if request.derivative == Derivative::Hvp {
                match request.direction {
                    Direction::Along(_) => {
                        places.iter().zip(&products).for_each(|(&i, &x)| target.tangent(i, x))
                    }
                    Direction::Place(_) => target.of_run(&self.layout, run as usize, &products),
                }
            }
            let l = places.len();
            if request.derivative == Derivative::Hessian {
                let of_run = programs.slopes.as_ref().expect("they have been demanded");
                let slopes = &self.slopes[slopes..slopes + of_run.1.outputs().len()];
                let mut square = vec![0.0; l * l];
                congruence(programs, &totals[at.second..], slopes, &mut square, l);
                if let Some((curvature, entries)) = &programs.curvature {
                    self.scratch.resize(entries.len(), 0.0);
                    curvature.run_one(&mut memory.one, &mut memory.calls, &input, &mut self.scratch);
                    entries
                        .iter()
                        .zip(&self.scratch)
                        .for_each(|(&(a, b), x)| square[a as usize * l + b as usize] += x);
                }
                target.of_run(&self.layout, run as usize, &triangle(&square, l));
            } else if request.squares {
                target.of_run(&self.layout, run as usize, &triangle(&totals[at.second..], l));
            }
        }
    }
}
