//! Second derivatives of functions of two variables near the ends of domains and of the range: symmetric, the same in all
//! modes, and right.

use super::support::compare::Findings;
use super::support::routes::{Program, Route, slices, units};
use super::support::tables::Table;
use crate::random::Part;
use wengert::{BaseFloat, Dual, Dual2, DualN, HyperDual, Real, Taylor, Var};

#[derive(Clone, Copy)]
struct Of(&'static str);
impl<F: BaseFloat> Program<F> for Of {
    fn call<T: Real<Base = F>>(&self, x: &[T]) -> Vec<T> {
        let (x, y) = (x[0], x[1]);
        vec![match self.0 {
            "hypot" => x.hypot(y),
            "atan2" => x.atan2(y),
            "log" => Real::log(x, y),
            "xlogy" => x.xlogy(y),
            "xlog1py" => x.xlog1py(y),
            "logaddexp" => x.logaddexp(y),
            "div" => x / y,
            "powf" => x.powf(y),
            "powc" => x.powc(y),
            "beta" => x.beta(y),
            "ln_beta" => x.ln_beta(y),
            "polygamma_increment" => x.polygamma_increment(y, 1),
            "gamma_p" => x.gamma_p(y),
            "gamma_q" => x.gamma_q(y),
            "gamma_pdf" => x.gamma_pdf(y),
            "gamma_p_derivative" => x.gamma_p_derivative(y, 1),
            "max" => x.max(y),
            "min" => x.min(y),
            name => panic!("{name}"),
        }]
    }
}
const NAMES: [&str; 18] = [
    "hypot",
    "atan2",
    "div",
    "log",
    "xlogy",
    "xlog1py",
    "logaddexp",
    "powf",
    "powc",
    "beta",
    "ln_beta",
    "polygamma_increment",
    "gamma_p",
    "gamma_q",
    "gamma_pdf",
    "gamma_p_derivative",
    "max",
    "min",
];

/// The second derivatives along both axes in each order; `None` where the number has one direction.
type Hessian = [Option<f64>; 4];

fn hessian<R: Route>(name: &'static str, x: [f64; 2]) -> Hessian {
    [[0, 0], [0, 1], [1, 0], [1, 1]].map(|axes: [usize; 2]| {
        let many = !R::ONE_DIRECTION || axes[0] == axes[1];
        let at = x.map(R::Base::from_double);
        many.then(|| R::run(&Of(name), &at, &slices(&units::<R::Base>(2, &axes)))[3].to_double())
    })
}

type Get = fn(&'static str, [f64; 2]) -> Hessian;
type Mode = (&'static str, Get);
macro_rules! modes {
    ($F:ty) => {
        [
            ("Dual<Dual>", hessian::<Dual<Dual<$F>>> as Get),
            ("HyperDual", hessian::<HyperDual<$F>>),
            ("Dual2", hessian::<Dual2<$F, 2, 3>>),
            ("Dual2 of one", hessian::<Dual2<$F, 1, 1>>),
            ("DualN<DualN>", hessian::<DualN<DualN<$F, 4>, 4>>),
            ("Dual<DualN>", hessian::<Dual<DualN<$F, 4>>>),
            ("Var<Dual>", hessian::<Var<Dual<$F>>>),
            ("Var<DualN>", hessian::<Var<DualN<$F, 4>>>),
            ("Taylor", hessian::<Taylor<$F, 2>>),
            ("Dual<Var>", hessian::<Dual<Var<$F>>>),
            ("Var<Var>", hessian::<Var<Var<$F>>>),
            ("DualN<Var>", hessian::<DualN<Var<$F>, 4>>),
        ]
    };
}

/// The precision of a float type: its eps, and the least and the largest normal number.
#[derive(Clone, Copy)]
struct Precision([f64; 3]);
const DOUBLE: Precision = Precision([f64::EPSILON, f64::MIN_POSITIVE, f64::MAX]);
const SINGLE: Precision = Precision([f32::EPSILON as f64, f32::MIN_POSITIVE as f64, f32::MAX as f64]);

impl Precision {
    /// Within some eps of the wanted number or of the block. Subnormal numbers have fewer digits; numbers that overflow are
    /// infinite with the right sign, or close to it.
    fn near(self, got: f64, want: f64, block: f64) -> bool {
        let Precision([eps, least, most]) = self;
        if want.abs() > most {
            return got.abs() > 0.9 * most && got.signum() == want.signum();
        }
        let subnormal = want.abs() < least && got.abs() < 2.0 * least;
        got == want || subnormal || (got - want).abs() <= 32.0 * eps * want.abs().max(block)
    }
    /// The largest entry, which the terms of a mixed derivative cancel to.
    fn block(self, h: &[f64; 4]) -> f64 {
        h.iter().map(|h| h.abs()).filter(|&h| h <= self.0[2]).fold(0.0, f64::max)
    }
    fn right(self, modes: &[Mode], name: &'static str, x: [f64; 2], want: [f64; 4], found: &mut Findings) {
        let block = if ["atan2", "powf", "powc"].contains(&name) { self.block(&want) } else { 0.0 };
        for (mode, get) in modes {
            for (k, got) in get(name, x).into_iter().enumerate() {
                let Some(got) = got else { continue };
                found.check(self.near(got, want[k], block), || {
                    format!("{name} {mode} at {x:?}, entry {k}: {got:e}, want {:e}", want[k])
                });
            }
        }
    }
    fn agree(self, modes: &[Mode], name: &'static str, x: [f64; 2], found: &mut Findings) {
        let want = modes[0].1(name, x).map(|h| h.expect("both directions"));
        let block = self.block(&want);
        let same = |a: f64, b: f64| {
            !a.is_finite() && !b.is_finite() || a.is_finite() && b.is_finite() && self.near(a, b, block)
        };
        found.check(same(want[1], want[2]), || format!("{name} at {x:?}: {want:?} is not symmetric"));
        // The lanes of `DualN` are compared where intermediate results of `f32` are normal.
        let lanes = self.0[2] == f64::MAX;
        for (mode, get) in modes[1..].iter().filter(|(mode, _)| lanes || !mode.contains("DualN")) {
            for (k, got) in get(name, x).into_iter().enumerate() {
                let Some(got) = got else { continue };
                let almost = [got, want[k]].iter().all(|h| h.is_nan() || h.abs() >= 0.4 * self.0[2]);
                found.check(almost || same(got, want[k]), || {
                    format!("{name} {mode} at {x:?}, entry {k}: {got:e}, by simple duals {:e}", want[k])
                });
            }
        }
    }
}

/// Rows of a table with derivatives to all digits; at `f32` the derivatives at `f64`, where all of that is in range.
#[test]
fn second_derivatives_near_the_ends_of_the_range() {
    let (double, single) = (modes!(f64), modes!(f32));
    let mut found = Findings::default();
    for row in Table::parse(include_str!("../data/borders.csv")).rows() {
        let h = row.columns(&["fxx", "fxy", "fxy", "fyy"]);
        let want = [h[0], h[1], h[2], h[3]];
        DOUBLE.right(&double, row.text("fn"), [row.number("x"), row.number("y")], want, &mut found);
    }
    let sizes = [1e-45, 1e-40, 1e-30, 1e-20, 0.3, 1.0, 3.0, 30.0, 1e20, 1e30];
    let points = sizes.into_iter().flat_map(|x| [x, -x]).map(|x| f64::from(x as f32)).collect::<Vec<_>>();
    for name in &NAMES[..9] {
        for x in points.iter().flat_map(|&x| points.iter().map(move |&y| [x, y])) {
            let want = hessian::<Dual<Dual<f64>>>(name, x).map(|h| h.expect("both directions"));
            if want.iter().all(|h| h.is_finite()) {
                SINGLE.right(&single, name, x, want, &mut found);
            }
        }
    }
    found.report(40_000);
}

#[test]
fn hessians_at_borders_are_the_same_in_all_modes() {
    let (double, single) = (modes!(f64), modes!(f32));
    let (mut found, mut part) = (Findings::default(), Part::one_in(4));
    let ordinary = [0.5, 2.0, 2.5, 0.9999999999999999, 1.0000000000000002, 30.0];
    let signed = |sizes: &[f64]| {
        let both = sizes.iter().flat_map(|&x| [x, -x]);
        both.chain(ordinary).chain([-0.5]).collect::<Vec<_>>()
    };
    let wide = signed(&[0.0, 5e-324, 1e-310, 1e-160, 1e-30, 0.3, 1.0, 3.0, 1e160, 1e300, f64::INFINITY]);
    let narrow = signed(&[0.0, 1e-45, 1e-40, 1e-30, 1e-20, 0.3, 1.0, 3.0, 1e20, 1e30, f64::INFINITY]);
    let narrow: Vec<f64> = narrow.into_iter().map(|x| f64::from(x as f32)).collect();
    for name in NAMES {
        for (precision, modes, points) in [(DOUBLE, &double, &wide), (SINGLE, &single, &narrow)] {
            // A power of the least number has no digit, and 1/x² leaves the range before its product with a tiny shape does.
            let least = precision.0[0] * precision.0[1];
            let is_density = |[x, y]: &[f64; 2]| {
                !name.starts_with("gamma") || x.abs() != least && (*y == 0.0 || x.abs().max(y.abs()) > 1e-20)
            };
            let points = points.iter().flat_map(|&x| points.iter().map(move |&y| [x, y])).filter(is_density);
            for x in part.of(points) {
                precision.agree(modes, name, x, &mut found);
            }
        }
    }
    found.report(245_000);
}
