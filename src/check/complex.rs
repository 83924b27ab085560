//! Rules of complex numbers off the real line.

use super::Check;
use super::judge::{Terms, probe};
use super::ladder::{C, Line};
use super::report::{Probe, Report, short};
use super::rule::{moved, sizes};
use super::single;
use crate::duals::Dual;
use crate::number::Number;
use crate::rules::{Holomorphic, HolomorphicBinary};

/// The directions in which a complex number is moved.
const AXES: [(C, &str); 2] = [(C::new(1.0, 0.0), "1"), (C::new(0.0, 1.0), "i")];

/// Directions off the axes, for comparisons near a point.
const ASIDE: [C; 2] = [C::new(0.8, 0.6), C::new(0.6, -0.8)];

/// A claim that is compared with differences along a line of one of the arguments.
struct Claim<'a> {
    what: String,
    /// The function of that argument, and the derivative that is stated.
    f: &'a dyn Fn(C) -> C,
    slope: C,
    /// The point, and the direction.
    at: C,
    axis: C,
    /// The index of the argument and the number of arguments, for the reference; `None` for a second derivative.
    place: Option<[usize; 2]>,
}

fn written(z: C) -> String {
    format!("{}{}{}i", short(z.re), if z.im.is_sign_negative() { "-" } else { "+" }, short(z.im.abs()))
}

impl Check {
    /// Like [`check::holomorphic`](super::holomorphic), with these settings.
    #[track_caller]
    pub fn holomorphic<H: Holomorphic>(&self, rule: H, z: C) -> Report {
        if z.im == 0.0 {
            return self.unary(rule, z.re, true);
        }
        let mut report = self.holomorphic_at(rule, z);
        self.look_beside(&mut report, |check, h, size| check.holomorphic_at(rule, z + ASIDE[0] * (h * size)));
        single::holomorphic((&mut report, self.max_step), rule, z);
        report
    }
    #[track_caller]
    fn holomorphic_at<H: Holomorphic>(&self, rule: H, z: C) -> Report {
        let mut report = Report::new(format!("{} at {}", H::NAME, written(z)));
        if !self.is_finite_at(&mut report, &[z.re, z.im]) {
            return report;
        }
        let value = |z| rule.value_complex(z);
        let slope = Dual::variable(z).lift_holomorphic(rule).tangent();
        self.note_slopes(&mut report, value(z).is_finite(), &[slope.re, slope.im]);
        for (axis, name) in AXES {
            let slope = |z| Dual::new(z, axis).lift_holomorphic(rule).tangent();
            let nested = Dual::new(Dual::new(z, axis), Dual::constant(axis));
            let second = nested.lift_holomorphic(rule).tangent().tangent();
            let what = format!("derivative along {name}");
            let first = Claim { what, f: &value, slope: slope(z), at: z, axis, place: Some([0, 1]) };
            let what = format!("second derivative along {name}");
            let second = Claim { what, f: &slope, slope: second, at: z, axis, place: None };
            report.probes.extend([first, second].map(|claim| self.complex_line(&claim)));
        }
        report
    }
    /// Like [`check::holomorphic_binary`](super::holomorphic_binary), with these settings.
    #[track_caller]
    pub fn holomorphic_binary<H: HolomorphicBinary>(&self, rule: H, z: C, w: C) -> Report {
        let mut report = self.holomorphic_binary_at(rule, z, w);
        self.look_beside(&mut report, |check, h, size| {
            let [dz, dw] = ASIDE.map(|aside| aside * (h * size));
            check.holomorphic_binary_at(rule, z + dz, w + dw)
        });
        single::holomorphic_binary((&mut report, self.max_step), rule, z, w);
        report
    }
    #[track_caller]
    fn holomorphic_binary_at<H: HolomorphicBinary>(&self, rule: H, z: C, w: C) -> Report {
        let mut report = Report::new(format!("{} at ({}, {})", H::NAME, written(z), written(w)));
        if !self.is_finite_at(&mut report, &[z.re, z.im, w.re, w.im]) {
            return report;
        }
        let along = |place: usize, axis: C| [0, 1].map(|i| if i == place { axis } else { C::default() });
        let slope = |[z, w]: [C; 2], [dz, dw]: [C; 2]| {
            Dual::new(z, dz).lift_holomorphic2(Dual::new(w, dw), rule).tangent()
        };
        let partials = [0, 1].map(|place| slope([z, w], along(place, AXES[0].0)));
        let parts = partials.map(|d| [d.re, d.im]).concat();
        self.note_slopes(&mut report, rule.value_complex(z, w).is_finite(), &parts);
        for (place, (axis, name)) in [0, 1].into_iter().flat_map(|place| AXES.map(|axis| (place, axis))) {
            let at = |x: C| if place == 0 { [x, w] } else { [z, x] };
            let value = |x: C| rule.value_complex(at(x)[0], at(x)[1]);
            let (number, moved) = ([z, w][place], along(place, axis));
            let what = format!("derivative in number {place} along {name}");
            let (f, slope_here) = (&value, slope([z, w], moved));
            let first = Claim { what, f, slope: slope_here, at: number, axis, place: Some([place, 2]) };
            report.probes.push(self.complex_line(&first));
            for other in [0, 1] {
                let fixed = along(other, C::new(1.0, 0.0));
                let nested = |i: usize| Dual::new(Dual::new([z, w][i], moved[i]), Dual::constant(fixed[i]));
                let second = nested(0).lift_holomorphic2(nested(1), rule).tangent().tangent();
                let what = format!("second derivative in numbers {place} along {name} and {other}");
                let f = |x: C| slope(at(x), fixed);
                let claim = Claim { what, f: &f, slope: second, at: number, axis, place: None };
                report.probes.push(self.complex_line(&claim));
            }
        }
        report
    }
    fn complex_line(&self, claim: &Claim) -> Probe {
        let axis = claim.axis;
        // f′·axis, from the parts of f′ at their indices in the reference.
        let reference = claim.place.and_then(|[place, of]| {
            let part = |turned: [f64; 2]| {
                let mut dx = vec![0.0; 2 * of];
                dx[2 * place..2 * place + 2].copy_from_slice(&turned);
                self.reference_along(1, false, &dx).map(|row| row[0])
            };
            let (re, im) = (part([axis.re, -axis.im])?, part([axis.im, axis.re])?);
            Some((C::new(re.0.re, im.0.re), re.1.hypot(im.1)))
        });
        self.first_conclusive(&sizes(claim.at.norm()), |size| {
            let along: Line = &|h| Some(vec![(claim.f)(moved(claim.at, axis * (h * size), size)?)]);
            let terms = Terms {
                reference: reference.map(|(d, of)| vec![(d * size, of * size)]),
                second_order: claim.place.is_none(),
                ..self.terms(size)
            };
            probe(&claim.what, along, &[claim.slope * size], &terms)
        })
    }
}
