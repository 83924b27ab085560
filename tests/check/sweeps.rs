//! NaN in a backward sweep: `Checked` numbers on a tape name the operation and the operand.

use num_complex::Complex;
use wengert::check::{self, Checked, FirstNan, watch};
use wengert::primitive::{call, from_vjp};
use wengert::reverse::checkpoint;
use wengert::{ComplexVar, Dual, DualN, HyperDual, Number, Real, Tape, Var, gradient, linearize};

/// The line of a marker in this file.
fn line_of(marker: &str) -> u32 {
    let text = include_str!("sweeps.rs");
    let at = |l: &&str| l.contains(&format!("// {marker}")) && !l.contains("line_of");
    text.lines().take_while(|l| !at(l)).count() as u32 + 1
}

/// The report of a gradient that has a NaN.
fn swept(x: &[f64], f: impl Fn(&[Checked<Var<f64>>]) -> Checked<Var<f64>>) -> FirstNan {
    let (gradient, nan) = watch(|| {
        let tape = Tape::new();
        let x = tape.variables(x);
        let y = f(&x.iter().map(|&x| Checked::new(x)).collect::<Vec<_>>());
        assert!(check::parts(y).iter().all(|part| !part.is_nan()), "NaN before the sweep");
        tape.cotangents(y.get()).of_all(&x)
    });
    assert!(gradient.iter().any(|g| g.is_nan()), "{gradient:?}");
    nan.expect("a report")
}

fn at(nan: &FirstNan, marker: &str) {
    assert!(nan.location.file().ends_with("sweeps.rs"), "{nan}");
    assert_eq!(nan.location.line(), line_of(marker), "{nan}");
}

#[test]
fn the_step_of_a_sweep_has_a_name_and_a_place() {
    // √(xy) − √x at x = 0: first −∞ reaches x, then ∞ by the product.
    let nan = swept(&[0.0, 2.0], |x| {
        let z = x[0] * x[1]; // product
        (z + 0.0).sqrt() - x[0].sqrt()
    });
    assert_eq!((nan.rule, nan.operation, nan.operand), ("mul", 1, Some(0)));
    assert_eq!(nan.operands, ["0", "2"]);
    at(&nan, "product");
    let text = nan.to_string();
    assert!(text.starts_with("rule `mul` produced NaN from x = 0, y = 2 at operation #1 ("), "{text}");
    assert!(text.ends_with("the cotangent of operand 0 is NaN, that of the result was inf"), "{text}");
    // The other operand.
    let nan = swept(&[2.0, 0.0], |x| (x[0] * x[1]).sqrt() - x[1].sqrt());
    assert_eq!((nan.rule, nan.operand), ("mul", Some(1)));
    // ∞ − ∞ at one node: the second step that comes there is the one.
    let nan = swept(&[0.0, 0.0], |x| {
        let z = x[0] * x[0] + x[1];
        let a = z.sqrt() * (x[1] + 1.0); // second
        let b = z.sqrt() * (x[1] + 2.0);
        a - b
    });
    at(&nan, "second");
    assert_eq!((nan.rule, nan.operand), ("mul", Some(0)));
    // A rule of two variables: −∞·0 in the logarithm of the base.
    let nan = swept(&[0.0, 1.0], |x| x[0].atan2(x[1] - 1.0) + x[1]); // rule
    assert_eq!(nan.rule, "atan2");
    at(&nan, "rule");
}

#[test]
fn steps_of_many_operands_have_names_too() {
    let many = [0.0, 1.0, 2.0, 3.0, 4.0, 5.0];
    let nan = swept(&many, |x| {
        let products = (1..6).map(|i| (x[0], x[i] - 0.5));
        let z = Checked::<Var<f64>>::inner_product(products); // long
        z.sqrt() - x[0].sqrt()
    });
    assert_eq!(nan.rule, "inner product");
    at(&nan, "long");
    let nan = swept(&many, |x| {
        let z: Checked<Var<f64>> = x.iter().copied().product(); // all
        z.sqrt() - x[0].sqrt()
    });
    assert_eq!((nan.rule, nan.operand, nan.operands.len()), ("product", Some(0), 6));
    let nan = swept(&[1.0, 2.0, 3.0, 4.0, 5.0, 0.0], |x| {
        x.iter().copied().product::<Checked<Var<f64>>>().sqrt() - x[5].sqrt()
    });
    assert_eq!((nan.rule, nan.operand), ("product", Some(5)));
    let half = from_vjp("half", 1, |x| vec![x[0][0] * 0.0], |_, w| vec![vec![0.0 * w[0], w[0]]]);
    let nan = swept(&[2.0, 3.0], |x| {
        let z = call(&half, &[x]).unwrap()[0]; // primitive
        z.sqrt()
    });
    assert_eq!((nan.rule, nan.operand), ("half", Some(0)), "{nan}");
    at(&nan, "primitive");
}

#[test]
fn drivers_and_nested_numbers_report() {
    let f = |x: Checked<Var<f64>>, y: Checked<Var<f64>>| ((x * y).sqrt() - x.sqrt()).get(); // driven
    let driven = |nan: Option<FirstNan>| at(&nan.expect("a report"), "driven");
    driven(watch(|| gradient(|x| f(Checked::new(x[0]), Checked::new(x[1])), &[0.0, 2.0])).1);
    let map = |x: &[Var<f64>]| vec![f(Checked::new(x[0]), Checked::new(x[1]))];
    driven(watch(|| linearize(map, &[0.0, 2.0]).vjp(&[1.0])).1);
    let (_, nan) = watch(|| {
        let tape = Tape::new();
        let x = tape.variables(&[0.0, 2.0]);
        let y = checkpoint(move |x: &[Var<f64>]| vec![f(Checked::new(x[0]), Checked::new(x[1]))], &x);
        tape.cotangents(y[0])
    });
    driven(nan);

    // The cotangent is finite, its tangent is not.
    let (_, nan) = watch(|| {
        let tape = Tape::new();
        let x = tape.variables(&[Dual::new(1.0, 1.0), Dual::new(f64::INFINITY, 0.0)]);
        let z = Checked::new(x[0]) * Checked::new(x[1]); // with tangents
        tape.cotangents_of(&[(z.get(), Dual::new(1.0, 1.0)), (x[1], Dual::new(0.0, -1.0))]);
        let w = Checked::new(x[1]) * Checked::new(x[0] - 1.0);
        tape.cotangents_of(&[(w.get(), Dual::new(0.0, 1.0))])
    });
    assert!(nan.is_none_or(|nan| nan.rule == "mul"));
    let (_, nan) = watch(|| {
        let tape = Tape::new();
        let [x, y] = [0.0, 0.0].map(|x| tape.variable(x));
        let z = Checked::new(ComplexVar::new(x, y));
        let w = (z * (z + 2.0)).sqrt() - z.sqrt(); // complex
        tape.cotangents(w.get().re())
    });
    assert!(nan.is_some(), "complex");
}

/// Steps that no `Checked` number has recorded, and cotangents that clash at the start.
#[test]
fn what_has_no_note_says_so() {
    let (_, nan) = watch(|| {
        let tape = Tape::new();
        let x = tape.variables(&[0.0, 2.0]);
        let _ = Checked::new(x[0]) * Checked::new(x[1]);
        tape.cotangents((x[0] * x[1]).sqrt() - x[0].sqrt())
    });
    assert_eq!(nan.unwrap().rule, "an operation that no `Checked` number recorded");
    let (_, nan) = watch(|| {
        let tape = Tape::new();
        let x = tape.variable(0.0);
        let _ = Checked::new(x) * Checked::new(tape.variable(1.0));
        tape.cotangents_of(&[(x.sqrt(), 1.0), (x.sqrt(), -1.0)])
    });
    assert_eq!(nan.unwrap().rule, "the cotangents that a sweep starts with");
}

/// A cotangent of exactly zero times an infinite partial is zero, without a report. NaN that reaches no input is not
/// reported either.
#[test]
fn sweeps_without_nan_report_nothing() {
    let (slopes, nan) = watch(|| {
        let tape = Tape::new();
        let x = tape.variables(&[0.0, 3.0]);
        let [a, b] = [0, 1].map(|i| Checked::new(x[i]));
        let roots = (a + b * 0.0).sqrt() * b; // not used
        let y = roots.select_none(a * b + b);
        tape.cotangents(y.get()).of_all(&x)
    });
    assert_eq!((slopes, nan.is_none()), (vec![3.0, 1.0], true));
    // The plain sweep of a segment makes NaN, the careful one does not.
    let segment = |x: &[Var<f64>]| {
        let [a, b] = [Checked::new(x[0]), Checked::new(x[1])];
        vec![((a * b).sqrt() * (b + 1.0)).get(), (a + b).get()]
    };
    let (slopes, nan) = watch(|| gradient(|x| checkpoint(segment, x)[1], &[0.0, 0.0]));
    assert_eq!((slopes, nan.is_none()), ([1.0, 1.0], true));
}

/// Cotangents of zero before infinite partials come first in the sweep, and are not to blame.
#[test]
fn zero_cotangents_are_not_to_blame() {
    let nan = swept(&[0.0, 3.0], |x| {
        let guilty = (x[0] * x[1]).sqrt() - x[0].sqrt(); // guilty
        let idle = (x[0] * x[1]).sqrt() * x[1];
        guilty * x[0].cos() * (x[1] - 3.0).exp() + idle * (x[1] - 3.0) * x[0]
    });
    assert_eq!(nan.rule, "mul");
    let text = nan.to_string();
    assert!(!text.contains("result was 0"), "{text}");
}

trait SelectNone {
    fn select_none(self, y: Self) -> Self;
}
impl<T: Real<Base = f64>> SelectNone for T {
    /// `y`, plus an operand that is multiplied by a constant of zero.
    fn select_none(self, y: T) -> T {
        T::select(false, self, y)
    }
}

const POINTS: [f64; 9] = [0.0, -0.0, 1.0, -1.0, 2.5, f64::INFINITY, f64::NEG_INFINITY, 1e308, 5e-324];

/// Programs that let no NaN disappear.
fn programs<T: Real<Base = f64>>(x: T, y: T) -> Vec<fn(T, T) -> T> {
    let _ = (x, y);
    vec![
        |x, y| x.sqrt() * y,
        |x, y| (x * y).sqrt(),
        |x, y| x / y,
        |x, y| (x - y).recip() * (x - y),
        |x, y| x.powf(y),
        |x, y| x.ln() + y.ln_1p(),
        |x, y| x.hypot(y).sqrt(),
        |x, y| x.atan2(y) * x,
        |x, y| (x * x + y * y).sqrt().cbrt(),
        |x, y| x.acos() * y.acosh(),
        |x, y| [x, y, x * y, x, y, x].into_iter().sum::<T>().sqrt(),
        |x, y| [x, y, x, y, x].into_iter().product::<T>().ln(),
        |x, y| (x % y) + x.powi(-2) * y.exp(),
    ]
}

fn has_nan<T: Number>(x: T) -> bool {
    check::parts(x).iter().any(|part| part.is_nan())
}

/// Whether numbers and `Checked` ones agree on there being a NaN, at all programs and points.
fn agree<T: Real<Base = f64>>(lift: fn(f64, f64) -> [T; 2]) {
    for x in POINTS {
        for y in POINTS {
            let [a, b] = lift(x, y);
            let checked = programs(Checked::new(a), Checked::new(b));
            for (i, (plain, checked)) in programs(a, b).into_iter().zip(checked).enumerate() {
                let want = has_nan(plain(a, b));
                let (z, nan) = watch(|| checked(Checked::new(a), Checked::new(b)));
                assert_eq!(has_nan(z), want);
                assert_eq!(nan.is_some(), want, "program {i} at ({x}, {y}) of {}: {nan:?}", plain(a, b));
            }
        }
    }
}

#[test]
fn reports_are_there_exactly_with_nan() {
    agree::<f64>(|x, y| [x, y]);
    agree::<Dual<f64>>(|x, y| [Dual::variable(x), Dual::constant(y)]);
    agree::<Dual<f64>>(|x, y| [Dual::constant(x), Dual::variable(y)]);
    agree::<DualN<f64, 2>>(|x, y| [DualN::variable(x, 0), DualN::variable(y, 1)]);
    agree::<HyperDual<f64>>(|x, y| [HyperDual::variable(x), HyperDual::constant(y)]);
    agree::<Dual<Dual<f64>>>(|x, y| [Dual::variable(Dual::variable(x)), Dual::constant(Dual::constant(y))]);
}

/// The modes agree inside of numbers with tangents, where strong products are formed of `Checked` numbers.
fn agree_inside<T: Real<Base = f64>, U: Real<Base = f64>>(
    plain: fn(f64, f64) -> [T; 2],
    inside: fn(f64, f64) -> [U; 2],
) {
    for x in POINTS {
        for y in POINTS {
            let ([a, b], [c, d]) = (plain(x, y), inside(x, y));
            for (i, (plain, checked)) in programs(a, b).into_iter().zip(programs(c, d)).enumerate() {
                let want = has_nan(plain(a, b));
                let (z, nan) = watch(|| checked(c, d));
                assert_eq!(has_nan(z), want);
                // A partial that is not used may be NaN.
                assert!(nan.is_some() || !want, "program {i} at ({x}, {y}): no report");
            }
        }
    }
}

#[test]
fn products_of_partials_and_tangents_are_looked_at() {
    agree_inside(
        |x, y| [Dual::variable(x), Dual::constant(y)],
        |x, y| [Dual::variable(Checked::new(x)), Dual::constant(Checked::new(y))],
    );
    agree_inside(
        |x, y| [HyperDual::variable(x), HyperDual::new(y, 1.0, 0.0, 0.0)],
        |x, y| {
            let [one, zero] = [1.0, 0.0].map(Checked::new);
            [HyperDual::variable(Checked::new(x)), HyperDual::new(Checked::new(y), one, zero, zero)]
        },
    );
    type Inner = Dual<f64>;
    agree_inside::<HyperDual<Inner>, HyperDual<Checked<Inner>>>(
        |x, y| [HyperDual::variable(Dual::variable(x)), HyperDual::constant(Dual::constant(y))],
        |x, y| {
            let [x, y] = [Dual::variable(x), Dual::constant(y)].map(Checked::new);
            [HyperDual::variable(x), HyperDual::constant(y)]
        },
    );
}

#[test]
fn reports_of_sweeps_are_there_exactly_with_nan() {
    for x in POINTS {
        for y in POINTS {
            let count = programs(Var::constant(x), Var::constant(y)).len();
            for i in 0..count {
                let plain = gradient(|v| programs(v[0], v[1])[i](v[0], v[1]), &[x, y]);
                let (checked, nan) = watch(|| {
                    let f = |v: &[Var<f64>]| {
                        let [a, b] = [Checked::new(v[0]), Checked::new(v[1])];
                        programs(a, b)[i](a, b).get()
                    };
                    let value = f(&[Var::constant(x), Var::constant(y)]).value();
                    (gradient(f, &[x, y]), value)
                });
                let bits = |g: &[f64]| g.iter().map(|g| g.is_nan()).collect::<Vec<_>>();
                assert_eq!(bits(&plain), bits(&checked.0));
                let want = plain.iter().any(|g| g.is_nan()) || checked.1.is_nan();
                assert_eq!(nan.is_some(), want, "program {i} at ({x}, {y}): {plain:?} {nan:?}");
            }
        }
    }
}

/// Complex numbers have their notes too, by the parts.
#[test]
fn complex_numbers_that_are_fine_report_nothing() {
    let (_, nan) = watch(|| {
        let tape = Tape::new();
        let z = ComplexVar::new(tape.variable(0.3), tape.variable(0.4));
        let w: ComplexVar<f64> = (Checked::new(z) * Checked::new(z)).sqrt().get();
        assert!((w.value() - Complex::new(0.3, 0.4)).norm() < 1e-15);
        tape.cotangents(w.re())
    });
    assert!(nan.is_none());
}
