//! Planted errors by the thousand: how many of them a check accepts.
//!
//! `cargo test --test check planted -- --nocapture` prints the numbers; see [`scan`](super::scan) for more of them.

use std::any::TypeId;

use num_complex::Complex64;
use wengert::check;
use wengert::rules::{Binary, Holomorphic, RuleVisitor, Unary, visit_rules};
use wengert::{BaseFloat, Dual, HyperDual, Number, Real};

use super::scan::{Count, HARD};
use crate::random;

#[derive(Clone, Copy, Debug, PartialEq)]
enum Fault {
    /// The derivative times a factor.
    Factor(f64),
    /// The derivative and a multiple of the value.
    Added(f64),
    /// The derivative at another point.
    Moved(f64),
    /// The right derivative, as a constant.
    Detached,
    /// The second derivative times a factor, where there is a formula for it.
    Second(f64),
    /// The derivative times a factor, only at `f32`.
    Single(f64),
    /// The conjugate of the derivative.
    Conjugated,
}

const FAULTS: [Fault; 14] = [
    Fault::Factor(1.001),
    Fault::Factor(-1.0),
    Fault::Factor(7.0),
    Fault::Factor(0.0),
    Fault::Factor(0.5),
    Fault::Added(1e-3),
    Fault::Added(-1.0),
    Fault::Moved(1.01),
    Fault::Moved(-1.0),
    Fault::Detached,
    Fault::Second(2.0),
    Fault::Second(-1.0),
    Fault::Single(1.01),
    Fault::Conjugated,
];

impl Fault {
    fn at<T: Number>(self, d: impl Fn(T) -> T, x: T, f: T) -> T {
        match self {
            Fault::Factor(c) => d(x) * T::lit(c),
            Fault::Added(c) => d(x) + f * T::lit(c),
            Fault::Moved(c) => d(x * T::lit(c)),
            Fault::Detached => d(x).detach(),
            Fault::Single(c) if TypeId::of::<T::Base>() == TypeId::of::<f32>() => d(x) * T::lit(c),
            Fault::Conjugated => d(x).conj(),
            Fault::Second(_) | Fault::Single(_) => d(x),
        }
    }
}

/// A rule with a fault; of two variables, in one of the partials or in both.
#[derive(Clone, Copy, Debug)]
struct Faulty<R>(R, Fault, [bool; 2]);

impl<U: Unary> Unary for Faulty<U> {
    const NAME: &'static str = U::NAME;
    fn value<F: BaseFloat>(self, x: F) -> F {
        self.0.value(x)
    }
    fn derivative<T: Real>(self, x: T, f: T) -> T {
        let value = |x: T| if let Fault::Moved(_) = self.1 { x.lift1(self.0) } else { f };
        self.1.at(|x| self.0.derivative(x, value(x)), x, f)
    }
    fn second<T: Real>(self, x: T, f: T, d: T) -> Option<T> {
        let Fault::Second(c) = self.1 else { return None };
        self.0.second(x, f, d).map(|second| second * T::lit(c))
    }
}

/// A faulty rule of complex numbers.
#[derive(Clone, Copy, Debug)]
struct FaultyComplex<R>(R, Fault);

impl<H: Holomorphic> Holomorphic for FaultyComplex<H> {
    const NAME: &'static str = H::NAME;
    fn value<F: BaseFloat>(self, x: F) -> F {
        Holomorphic::value(self.0, x)
    }
    fn value_complex<Z: Number<Primal = Z>>(self, z: Z) -> Z {
        self.0.value_complex(z)
    }
    fn derivative<T: Number>(self, x: T, f: T) -> T {
        let value = |x: T| if let Fault::Moved(_) = self.1 { x.lift_holomorphic(self.0) } else { f };
        self.1.at(|x| Holomorphic::derivative(self.0, x, value(x)), x, f)
    }
}

impl<B: Binary> Binary for Faulty<B> {
    const NAME: &'static str = B::NAME;
    fn value<F: BaseFloat>(self, x: F, y: F) -> F {
        self.0.value(x, y)
    }
    fn partials<T: Real>(self, x: T, y: T, f: T) -> [T; 2] {
        let right = self.0.partials(x, y, f);
        let with = |place: usize| {
            let at = |x: T, y: T| self.0.partials(x, y, x.lift2(y, self.0))[place];
            match (self.1, place) {
                (Fault::Moved(_), 0) => self.1.at(|x| at(x, y), x, f),
                (Fault::Moved(_), _) => self.1.at(|y| at(x, y), y, f),
                _ => self.1.at(|_| right[place], x, f),
            }
        };
        [0, 1].map(|place| if self.2[place] { with(place) } else { right[place] })
    }
}

/// First and second derivatives in units of the argument, at the point and next to it.
type Jets = Vec<(Vec<Complex64>, Vec<Complex64>)>;

/// Whether one of two rules with equal values is visibly wrong at the point or next to it.
fn differ(right: Jets, wrong: Jets) -> bool {
    let size = |d: &[Complex64]| d.iter().fold(0.0, |m: f64, d| m.max(d.norm()));
    let apart = |a: &[Complex64], b: &[Complex64], by: f64| {
        let known = |i: usize| a[i].is_finite() && (a[i] - b[i]).norm() > 1e-4 * a[i].norm() + by;
        (0..a.len()).any(known)
    };
    // Next to the rounding of the first derivative a second one is invisible.
    let pair = |((d, s), (e, t)): (&(Vec<_>, Vec<_>), &(Vec<_>, Vec<_>))| {
        apart(d, e, 1e-150) || apart(s, t, 1e-6 * size(d) + 1e-150)
    };
    right.iter().zip(&wrong).any(pair)
}

/// A point and the two points next to it where a check evaluates. Far out there is only the point itself, because a
/// function that is zero there may be a stair.
fn beside<const N: usize>(x: [f64; N], direction: [f64; N]) -> [[f64; N]; 3] {
    let size = x.iter().fold(0.0, |m: f64, x| m.max(x.abs()));
    let far = |size: f64| if size < 1e12 { size } else { 0.0 };
    let step = 7.51e-3 * if size == 0.0 { 1.0 } else { far(size) };
    [0.0, step, -step].map(|h| std::array::from_fn(|i| x[i] + h * direction[i]))
}

/// The part of the jets of a rule that does not depend on the rule.
fn jets_of_one<F: BaseFloat>(at: &dyn Fn(HyperDual<F>) -> HyperDual<F>, x: f64) -> Jets {
    let jet = |x: f64| {
        let y = at(HyperDual::variable(F::from_double(x)));
        let [d, s] = [y.e1(), y.e12()].map(|y| Complex64::from(y.to_double()));
        (vec![d], vec![s * if x == 0.0 { 1.0 } else { x.abs() }])
    };
    beside([x], [1.0]).map(|[x]| jet(x)).to_vec()
}

fn unary_jets<F: BaseFloat, U: Unary>(rule: U, x: f64) -> Jets {
    jets_of_one::<F>(&|x| x.lift1(rule), x)
}

/// A function of two numbers.
type OfTwo<'a, F> = &'a dyn Fn(HyperDual<F>, HyperDual<F>) -> HyperDual<F>;

fn jets_of_two<F: BaseFloat>(at: OfTwo<F>, x: f64, y: f64) -> Jets {
    let jet = |x: f64, y: f64| {
        let size = |x: f64| if x == 0.0 { 1.0 } else { x.abs() };
        let number = |x: f64, a: f64, b: f64| {
            HyperDual::new(F::from_double(x), F::from_double(a), F::from_double(b), F::from_double(0.0))
        };
        let second = |a: [f64; 2], b: [f64; 2]| at(number(x, a[0], b[0]), number(y, a[1], b[1]));
        let (xx, xy, yy) =
            (second([1., 0.], [1., 0.]), second([1., 0.], [0., 1.]), second([0., 1.], [0., 1.]));
        let c = |y: F, by: f64| Complex64::from(y.to_double() * by);
        let (sx, sy) = (size(x), size(y));
        (
            vec![c(xx.e1(), sx), c(yy.e1(), sy)],
            vec![c(xx.e12(), sx * sx), c(xy.e12(), sx * sy), c(yy.e12(), sy * sy)],
        )
    };
    beside([x, y], [1.0, 0.8]).map(|[x, y]| jet(x, y)).to_vec()
}

fn binary_jets<F: BaseFloat, B: Binary>(rule: B, x: f64, y: f64) -> Jets {
    jets_of_two::<F>(&|x, y| x.lift2(y, rule), x, y)
}

type Nested = Dual<Dual<Complex64>>;

fn jets_of_complex(at: &dyn Fn(Nested) -> Nested, z: Complex64) -> Jets {
    let jet = |z: Complex64| {
        let y = at(Dual::variable(Dual::variable(z)));
        (vec![y.tangent().value()], vec![y.tangent().tangent() * z.norm()])
    };
    let off = Complex64::new(5.6e-3, 4.2e-3) * z.norm();
    [z, z + off, z - off].map(jet).to_vec()
}

fn complex_jets<H: Holomorphic>(rule: H, z: Complex64) -> Jets {
    jets_of_complex(&|z| z.lift_holomorphic(rule), z)
}

struct Passes {
    count: Count,
    /// The number of faults for each rule, by numbers without pattern.
    each: usize,
    random: fastrand::Rng,
}

impl Passes {
    fn fault(&mut self) -> Fault {
        FAULTS[self.random.usize(..FAULTS.len())]
    }
    /// A point inside the domain, a hard one, or one of any size.
    fn point(&mut self, [lo, hi]: [f64; 2]) -> f64 {
        let hard = HARD[self.random.usize(..HARD.len())];
        let size = 10f64.powf(self.random.f64() * 24.0 - 12.0);
        let sign = if self.random.bool() { 1.0 } else { -1.0 };
        match self.random.usize(..4) {
            0 | 1 => lo + (hi - lo) * self.random.f64(),
            2 => sign * hard,
            _ => sign * size,
        }
    }
}

impl RuleVisitor for Passes {
    fn holomorphic<H: Holomorphic>(&mut self, rule: H, on: [f64; 2]) {
        self.unary(rule, on);
        for _ in 0..self.each {
            let angle = self.random.f64() * std::f64::consts::TAU;
            let (fault, z) = (self.fault(), Complex64::from_polar(self.point(on).abs(), angle));
            let faulty = FaultyComplex(rule, fault);
            if differ(complex_jets(rule, z), complex_jets(faulty, z)) {
                self.count.of_wrong(&format!("{fault:?}"), &check::holomorphic(faulty, z));
            } else {
                self.count.add("no fault there", None);
            }
        }
    }
    fn unary<U: Unary>(&mut self, rule: U, on: [f64; 2]) {
        for _ in 0..self.each {
            let fault = self.fault();
            let single = matches!(fault, Fault::Single(_));
            let x = if single { on[0] + (on[1] - on[0]) * self.random.f64() } else { self.point(on) };
            let faulty = Faulty(rule, fault, [true; 2]);
            let jets = if single { unary_jets::<f32, _> } else { unary_jets::<f64, _> };
            let wrong = if single { unary_jets::<f32, _> } else { unary_jets::<f64, _> };
            if differ(jets(rule, x), wrong(faulty, x)) {
                let what = format!("{fault:?}");
                self.count.of_wrong(&what, &check::rule(faulty, x));
            } else {
                self.count.add("no fault there", None);
            }
        }
    }
    fn binary<B: Binary>(&mut self, rule: B, on: [[f64; 2]; 2]) {
        for _ in 0..2 * self.each {
            let (fault, (x, y)) = (self.fault(), (self.point(on[0]), self.point(on[1])));
            let places = [[true, false], [false, true], [true, true]][self.random.usize(..3)];
            let faulty = Faulty(rule, fault, places);
            if !matches!(fault, Fault::Single(_))
                && differ(binary_jets::<f64, _>(rule, x, y), binary_jets::<f64, _>(faulty, x, y))
            {
                self.count.of_wrong(&format!("{fault:?} {places:?}"), &check::binary(faulty, x, y));
            } else {
                self.count.add("no fault there", None);
            }
        }
    }
}

#[test]
fn planted_errors() {
    // Rows of one variable, of one complex variable and, twice, of two.
    let mut passes = Passes {
        count: Count::default(),
        each: random::cases(5_000) as usize / 130,
        random: random::numbers(1),
    };
    visit_rules(&mut passes);
    passes.count.finish("planted errors");
}
