//! Rules of complex numbers off the real line.

use num_complex::Complex;

use super::Check;
use super::ladder::{Line, Terms, probe};
use super::report::{Probe, Report};
use super::rule::sizes;
use crate::forward::Dual;
use crate::number::Number;
use crate::rules::{Holomorphic, HolomorphicBinary};

type C = Complex<f64>;

/// The directions that a complex number is moved in.
const AXES: [(C, &str); 2] = [(C::new(1.0, 0.0), "1"), (C::new(0.0, 1.0), "i")];

/// What is held to differences along a line of one of the arguments.
struct Claim<'a> {
    what: String,
    /// The function of that argument, and the derivative that is stated.
    f: &'a dyn Fn(C) -> C,
    slope: C,
    /// Where, and along what.
    at: C,
    axis: C,
    /// The place of the argument among so many, for the reference; none of a second derivative.
    place: Option<[usize; 2]>,
}

impl Check {
    /// As [`check::holomorphic`](super::holomorphic), with these settings.
    #[track_caller]
    pub fn holomorphic<H: Holomorphic>(&self, rule: H, z: C) -> Report {
        if z.im == 0.0 {
            return self.unary(rule, z.re, true);
        }
        let mut report = Report::new(format!("{} at {z}", H::NAME));
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
    /// As [`check::holomorphic_binary`](super::holomorphic_binary), with these settings.
    #[track_caller]
    pub fn holomorphic_binary<H: HolomorphicBinary>(&self, rule: H, z: C, w: C) -> Report {
        let mut report = Report::new(format!("{} at ({z}, {w})", H::NAME));
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
        // f′·axis, from the parts of f′ at their places in the reference.
        let reference = claim.place.and_then(|[place, of]| {
            let part = |turned: [f64; 2]| {
                let mut dx = vec![0.0; 2 * of];
                dx[2 * place..2 * place + 2].copy_from_slice(&turned);
                self.reference_along(1, &dx)
            };
            Some([part([axis.re, -axis.im])?, part([axis.im, axis.re])?].concat())
        });
        self.first_conclusive(&sizes(claim.at.norm()), |size| {
            let along: Line = &|h| {
                let w = (claim.f)(claim.at + axis * (h * size));
                Some(vec![w.re, w.im])
            };
            let scaled = |r: &Vec<[f64; 2]>| r.iter().map(|r| r.map(|r| r * size)).collect();
            let terms = Terms {
                reference: reference.as_ref().map(scaled),
                second_order: claim.place.is_none(),
                ..self.terms(size)
            };
            probe(&claim.what, along, &[claim.slope.re * size, claim.slope.im * size], &terms)
        })
    }
}
