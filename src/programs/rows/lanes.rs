//! Row programs, which run at sixteen rows.

use std::any::TypeId;
use std::ops::Deref;
use std::sync::Arc;

use super::super::calls::Shared;
use super::super::exec::{Executable, Sharing};
use super::super::program::Program;
use super::super::rules::{BinaryEntry, BinaryRule, RuleIdentity, Rules, UnaryEntry, UnaryRule};
use super::super::traced::Traced;
use super::functions::LaneFunction;
use super::kernels::apply;
use super::line::{LANES, Line};

/// The call caches of primitives in rows, for each lane.
pub(crate) type CallMemory = [Shared; LANES];

/// A program that runs at rows.
pub(crate) struct RowProgram(Executable);

impl Deref for RowProgram {
    type Target = Executable;
    fn deref(&self) -> &Executable {
        &self.0
    }
}

impl RowProgram {
    pub(crate) fn exact(program: &Program) -> Self {
        RowProgram::with_sharing(program, &Sharing::default())
    }
    /// As [`exact`](RowProgram::exact), for rows that share inputs and totals.
    pub(crate) fn with_sharing(program: &Program, sharing: &Sharing) -> Self {
        let mut executable = program.with_sharing(sharing);
        with_functions(executable.rules_mut());
        RowProgram(executable)
    }
}

/// A rule or one of its derivatives, whose values at sixteen numbers a function computes.
struct AtLines<E> {
    entry: E,
    function: LaneFunction,
}

/// The identity of a rule is its function.
macro_rules! identity {
    ($($Entry:ident),*) => {$(
        impl RuleIdentity for AtLines<$Entry> {
            fn text(&self) -> String {
                self.entry.rule.text()
            }
            fn kind(&self) -> TypeId {
                TypeId::of::<Self>()
            }
            fn bits(&self) -> Box<[u8]> {
                Box::new([self.function as u8])
            }
        }
    )*};
}
identity!(UnaryEntry, BinaryEntry);

impl<E> AtLines<E> {
    /// Overwrites arguments by values: `value` of the rule where the function is NaN.
    #[inline(always)]
    fn fill(&self, x: &mut Line, y: &Line, value: impl Fn(f64, f64) -> f64) {
        let at = *x;
        apply(self.function, x, y);
        for lane in 0..LANES {
            if x[lane].is_nan() {
                x[lane] = value(at[lane], y[lane]);
            }
        }
    }
}

impl UnaryRule for AtLines<UnaryEntry> {
    fn name(&self) -> &'static str {
        self.entry.rule.name()
    }
    fn value(&self, x: f64) -> f64 {
        self.entry.value(x)
    }
    fn values(&self, x: &mut [f64]) {
        let Ok(x) = <&mut Line>::try_from(&mut *x) else {
            return self.entry.values(x);
        };
        let at = *x;
        self.fill(x, &at, |x, _| self.entry.value(x));
    }
    fn derivative(&self, order: u8, x: f64) -> f64 {
        self.entry.rule.derivative(self.entry.order + order, x)
    }
    fn nan_safe(&self) -> bool {
        self.entry.rule.nan_safe()
    }
    fn emit(&self, x: Traced, f: Traced) -> Traced {
        self.entry.rule.emit(x, f)
    }
}

impl BinaryRule for AtLines<BinaryEntry> {
    fn name(&self) -> &'static str {
        self.entry.rule.name()
    }
    fn value(&self, x: f64, y: f64) -> f64 {
        self.entry.value(x, y)
    }
    fn values(&self, x: &mut [f64], y: &[f64]) {
        let (Ok(x), Ok(y)) = (<&mut Line>::try_from(&mut *x), <&Line>::try_from(y)) else {
            return self.entry.values(x, y);
        };
        self.fill(x, y, |x, y| self.entry.value(x, y));
    }
    fn derivative(&self, [m, n]: [u8; 2], x: f64, y: f64) -> f64 {
        let [k, l] = self.entry.orders;
        self.entry.rule.derivative([k + m, l + n], x, y)
    }
    fn emit(&self, x: Traced, y: Traced, f: Traced) -> [Traced; 2] {
        self.entry.rule.emit(x, y, f)
    }
}

/// Gives rules their functions.
fn with_functions(rules: &mut Rules) {
    for entry in &mut rules.unary {
        if let Some(function) = LaneFunction::of(entry) {
            let rule = Arc::new(AtLines { entry: entry.clone(), function });
            *entry = UnaryEntry { rule, order: 0 };
        }
    }
    for entry in &mut rules.binary {
        if let Some(function) = LaneFunction::of_two(entry) {
            let rule = Arc::new(AtLines { entry: entry.clone(), function });
            *entry = BinaryEntry { rule, orders: [0, 0] };
        }
    }
}

#[cfg(test)]
mod tests {
    use astro_float_num::{BigFloat, Consts, RoundingMode};

    use super::*;
    use crate::programs::exec::SharedNumbers;
    use crate::programs::trace;

    const BITS: usize = 192;
    const NEAR: RoundingMode = RoundingMode::None;

    /// A function, the same function at traced numbers and with many digits, the domain of random arguments, and the
    /// largest error in units of the last place.
    struct Case {
        name: &'static str,
        traced: fn(Traced) -> Traced,
        exact: fn(&BigFloat, &mut Consts) -> BigFloat,
        domain: [f64; 2],
        ulps: f64,
    }

    fn cases() -> Vec<Case> {
        macro_rules! case {
            ($name:ident $ulps:literal in $domain:expr, |$x:ident, $c:ident| $exact:expr) => {
                Case {
                    name: stringify!($name),
                    traced: |x| x.$name(),
                    exact: |$x, $c| $exact,
                    domain: $domain,
                    ulps: $ulps,
                }
            };
        }
        fn one() -> BigFloat {
            BigFloat::from_f64(1.0, BITS)
        }
        fn plus_one(x: &BigFloat) -> BigFloat {
            x.add(&one(), 2 * BITS, NEAR)
        }
        fn exp(x: &BigFloat, c: &mut Consts) -> BigFloat {
            x.exp(BITS, NEAR, c)
        }
        fn over(x: &BigFloat, y: &BigFloat) -> BigFloat {
            x.div(y, BITS, NEAR)
        }
        fn sech2(x: &BigFloat, c: &mut Consts) -> BigFloat {
            let cosh = x.cosh(BITS, NEAR, c);
            over(&one(), &cosh.mul(&cosh, BITS, NEAR))
        }
        vec![
            case!(exp 1.0 in [-700.0, 700.0], |x, c| exp(x, c)),
            case!(exp 1.0 in [-2.0, 2.0], |x, c| exp(x, c)),
            case!(ln 1.0 in [0.0, 3.0], |x, c| x.ln(BITS, NEAR, c)),
            case!(ln 1.0 in [0.9, 1.1], |x, c| x.ln(BITS, NEAR, c)),
            case!(ln_1p 1.0 in [-0.99, 3.0], |x, c| plus_one(x).ln(BITS, NEAR, c)),
            case!(ln_1p 1.0 in [-0.1, 0.1], |x, c| plus_one(x).ln(BITS, NEAR, c)),
            case!(tanh 1.0 in [-3.0, 3.0], |x, c| x.tanh(BITS, NEAR, c)),
            case!(tanh 1.0 in [-0.7, 0.7], |x, c| x.tanh(BITS, NEAR, c)),
            case!(tanh 1.0 in [0.5, 0.6], |x, c| x.tanh(BITS, NEAR, c)),
            case!(tanh 1.0 in [3.0, 20.0], |x, c| x.tanh(BITS, NEAR, c)),
            case!(ln 1.0 in [3.0, 1e300], |x, c| x.ln(BITS, NEAR, c)),
            case!(ln_1p 1.0 in [3.0, 1e300], |x, c| plus_one(x).ln(BITS, NEAR, c)),
            case!(sin 1.0 in [-9.0, 9.0], |x, c| x.sin(BITS, NEAR, c)),
            case!(sin 1.0 in [-9e5, 9e5], |x, c| x.sin(BITS, NEAR, c)),
            case!(cos 1.0 in [-9.0, 9.0], |x, c| x.cos(BITS, NEAR, c)),
            case!(cos 1.0 in [-9e5, 9e5], |x, c| x.cos(BITS, NEAR, c)),
            case!(softplus 2.0 in [-40.0, 40.0], |x, c| plus_one(&exp(x, c)).ln(BITS, NEAR, c)),
            case!(softplus 2.0 in [40.0, 708.0], |x, c| plus_one(&exp(x, c)).ln(BITS, NEAR, c)),
            case!(sigmoid 2.6 in [-40.0, 40.0], |x, c| over(&one(), &plus_one(&exp(&x.neg(), c)))),
            case!(sigmoid 2.6 in [-700.0, -40.0], |x, c| over(&one(), &plus_one(&exp(&x.neg(), c)))),
            case!(sech2 3.2 in [-9.0, 9.0], |x, c| sech2(x, c)),
            case!(sech2 3.2 in [9.0, 300.0], |x, c| sech2(x, c)),
        ]
    }

    /// The program of a function, which runs at lines.
    fn program(f: fn(Traced) -> Traced) -> impl FnMut(Line) -> Line {
        let program = RowProgram::exact(&trace(|x: &[Traced]| f(x[0]), &[0.5]));
        let mut numbers = vec![[0.0; LANES]; program.slots()];
        move |x| {
            program.prepare(&mut numbers);
            numbers[0] = x;
            let failed =
                program.run_slots(&mut numbers, &mut CallMemory::default(), SharedNumbers::default());
            assert_eq!(failed, 0);
            numbers[program.outputs()[0] as usize]
        }
    }

    #[test]
    fn functions_err_by_no_more_than_they_say() {
        let mut constants = Consts::new().unwrap();
        let mut random = fastrand::Rng::with_seed(3);
        for Case { name, traced, exact, domain: [low, high], ulps } in cases() {
            let (mut run, mut worst) = (program(traced), 0.0_f64);
            for _ in 0..40 {
                let x: Line = std::array::from_fn(|_| low + (high - low) * random.f64());
                for (x, y) in x.into_iter().zip(run(x)) {
                    let exact = exact(&BigFloat::from_f64(x, BITS), &mut constants);
                    let error = exact.sub(&BigFloat::from_f64(y, BITS), BITS, NEAR);
                    let error: f64 = error.to_string().parse().unwrap();
                    let ulp = y.abs().next_up() - y.abs();
                    worst = worst.max((error / ulp).abs());
                }
            }
            assert!(worst <= ulps, "{name} in {low}..{high} errs by {worst} ulp");
            println!("{name} {low} {high}: {worst}");
        }
    }

    #[test]
    fn special_numbers_have_the_values_of_the_rules() {
        let tiny = f64::from_bits(1);
        let x = [
            0.0,
            -0.0,
            tiny,
            -tiny,
            1e-310,
            f64::MIN_POSITIVE,
            f64::INFINITY,
            f64::NEG_INFINITY,
            f64::NAN,
            -1.0,
            f64::MAX,
            f64::MIN,
            709.9,
            -745.0,
            1e22,
            // Near a multiple of π/2.
            6_381_956_970_095_103.0 * 2.0_f64.powi(797),
        ];
        for Case { name, traced, .. } in cases() {
            let of_rule = trace(|x: &[Traced]| traced(x[0]), &[0.5]);
            let values = program(traced)(x).map(f64::to_bits);
            let expected = x.map(|x| of_rule.run(&[x]).unwrap()[0].to_bits());
            for ((x, value), expected) in x.into_iter().zip(values).zip(expected) {
                let both_nan = f64::from_bits(value).is_nan() && f64::from_bits(expected).is_nan();
                assert!(value == expected || both_nan, "{name} at {x}: {}", f64::from_bits(value));
            }
        }
    }

    #[test]
    fn a_number_has_one_value_in_each_lane() {
        for Case { name, traced, .. } in cases() {
            let (mut run, x) = (program(traced), [0.3, 1.7, 2e9, 0.0]);
            let at = |lane: usize| x[(lane * 7 + lane / 4) % 4];
            let together = run(std::array::from_fn(at));
            for (lane, value) in together.into_iter().enumerate() {
                assert_eq!(run([at(lane); LANES])[0].to_bits(), value.to_bits(), "{name} at {}", at(lane));
            }
        }
    }

    /// A function of two numbers and its partials, at lines.
    fn with_partials(f: fn(Traced, Traced) -> Traced) -> (Program, impl FnMut([Line; 2]) -> [Line; 3]) {
        let program = trace(|x: &[Traced]| f(x[0], x[1]), &[0.5, 0.7]).value_and_gradient().unwrap();
        let rows = RowProgram::exact(&program);
        let mut numbers = vec![[0.0; LANES]; rows.slots()];
        let run = move |[x, y]: [Line; 2]| {
            rows.prepare(&mut numbers);
            (numbers[0], numbers[1]) = (x, y);
            let failed = rows.run_slots(&mut numbers, &mut CallMemory::default(), SharedNumbers::default());
            assert_eq!(failed, 0);
            std::array::from_fn(|k| numbers[rows.outputs()[k] as usize])
        };
        (program, run)
    }

    #[test]
    fn functions_of_two_numbers_err_by_no_more_than_they_say() {
        let mut random = fastrand::Rng::with_seed(5);
        let (_, mut lengths) = with_partials(|x, y| x.hypot(y));
        let (_, mut angles) = with_partials(|y, x| y.atan2(x));
        let mut worst = [0.0_f64; 5];
        // Pairs with large errors, then random ones.
        let hard = [
            [1.005_660_035_250_803_8, 0.130_417_075_283_867_28],
            [1.013_155_125_262_855, 0.247_744_128_124_094_88],
            [1.000_251_160_081_751_9, 0.165_690_026_081_571_7],
            [1.001_013_908_652_125_7, 1.002_498_674_206_939_5],
        ];
        for block in 0..200 {
            let [x, y] = [0, 1].map(|k| -> Line {
                let mut any = |_| (random.f64() - 0.5) * 2.0_f64.powi(random.i32(-20..20));
                std::array::from_fn(|lane| if block == 0 { hard[lane % 4][k] } else { any(lane) })
            });
            let ([f, fx, fy], [_, ay, ax]) = (lengths([x, y]), angles([y, x]));
            for lane in 0..LANES {
                let [x, y] = [x[lane], y[lane]].map(|x| BigFloat::from_f64(x, BITS));
                let square = |x: &BigFloat| x.mul(x, BITS, NEAR);
                let sum = square(&x).add(&square(&y), BITS, NEAR);
                let r = sum.sqrt(BITS, NEAR);
                let over = |x: &BigFloat, y: &BigFloat| x.div(y, BITS, NEAR);
                let exact = [r.clone(), over(&x, &r), over(&y, &r), over(&x, &sum), over(&y.neg(), &sum)];
                for (k, y) in [f, fx, fy, ay, ax].into_iter().enumerate() {
                    let error = exact[k].sub(&BigFloat::from_f64(y[lane], BITS), BITS, NEAR);
                    let error: f64 = error.to_string().parse().unwrap();
                    let ulp = y[lane].abs().next_up() - y[lane].abs();
                    worst[k] = worst[k].max((error / ulp).abs());
                }
            }
        }
        println!("{worst:?}");
        assert!(
            worst.iter().zip([1.21, 2.5, 2.5, 2.5, 2.5]).all(|(worst, most)| *worst <= most),
            "{worst:?}"
        );
        // These are the functions of lines, in each lane, and not the rules.
        let [x, y] = hard[0];
        let [_, fx, _] = lengths([[x; LANES], [y; LANES]]);
        let rule =
            trace(|x: &[Traced]| x[0].hypot(x[1]), &[x, y]).gradient().unwrap().run(&[x, y]).unwrap()[0];
        assert!(fx == [x / (x * x + y * y).sqrt(); LANES] && fx[0] != rule);
    }

    #[test]
    fn special_pairs_have_the_values_of_the_rules() {
        let x: Line = [
            0.0,
            -0.0,
            5e-324,
            1e-310,
            1e-200,
            1e-146,
            -1e-145,
            1e150,
            1e155,
            -1e300,
            f64::MAX,
            f64::INFINITY,
            f64::NEG_INFINITY,
            f64::NAN,
            -1.0,
            3.0,
        ];
        let both: [fn(Traced, Traced) -> Traced; 2] = [|x, y| x.hypot(y), |y, x| y.atan2(x)];
        for f in both {
            let (program, mut run) = with_partials(f);
            for shift in 0..LANES {
                let y: Line = std::array::from_fn(|lane| x[(lane + shift) % LANES]);
                let values = run([x, y]);
                for lane in 0..LANES {
                    let expected = program.run(&[x[lane], y[lane]]).unwrap();
                    for (value, expected) in values.iter().map(|line| line[lane]).zip(expected) {
                        let equal = value == expected || value.is_nan() && expected.is_nan();
                        let near = (value - expected).abs() <= 4.0 * f64::EPSILON * expected.abs();
                        let signs = value != 0.0 || value.is_sign_negative() == expected.is_sign_negative();
                        let at = [x[lane], y[lane]];
                        assert!((equal || near) && signs, "{value} for {expected} at {at:?}");
                    }
                }
            }
        }
    }
}
