//! Complex functions against high precision on a grid of moduli and arguments: values, first and second derivatives,
//! from the smallest numbers to the largest, next to cuts, on both sides of them, and at poles.
//!
//! Errors are normwise, in eps of the modulus. `tests/data/complex/generate.py` made the table.

use num_complex::{Complex, Complex32, Complex64};
use wengert::{AsNumber, ComplexVar, Dual, Dual2, HyperDual, Number, Real, Tape, Taylor, Var, complex};

use crate::support::compare::{EPS, Findings};
use crate::support::limits;
use crate::support::tables::{Row, Table};

type Part<Z> = <<Z as AsNumber>::Number as Number>::Re;

/// The table.
fn table() -> Table {
    Table::parse(include_str!("../data/complex/functions.csv"))
}

/// The function of a row at `z`, which is given once more without derivatives.
fn call<Z: AsNumber>(row: Row, [z, free]: [Z; 2]) -> [Part<Z>; 2] {
    let mut words = row.text("function").split(':');
    let name = words.next().unwrap();
    let c: Vec<f64> = words.map(|p| p.parse().unwrap()).collect();
    let exponent =
        |by: Part<Z>| Z::from_number(Z::Number::from_parts(Part::<Z>::lit(c[0]) + by, Part::<Z>::lit(c[1])));
    let result: Z = match name {
        "abs" => return [complex::abs(z), Part::<Z>::lit(0.0)],
        "arg" => return [complex::arg(z), Part::<Z>::lit(0.0)],
        "unit" => complex::unit(z),
        "powc" => complex::powc(free, exponent(complex::real(z) - complex::real(free))),
        "powz" => complex::powc(z, exponent(Part::<Z>::lit(0.0))),
        "powi" => complex::powi(z, c[0] as i32),
        "powf_const" => complex::powf(z, c[0]),
        "exp_base" => complex::exp_base(z, c[0]),
        "log" => complex::log(z, c[0]),
        _ => unary(name)(z),
    };
    [complex::real(result), complex::imag(result)]
}

macro_rules! by_name {
    ($name:ident: $($f:ident)*) => {
        match $name {
            $(stringify!($f) => complex::$f,)*
            _ => panic!("no function for {}", $name),
        }
    };
}

fn unary<Z: AsNumber>(name: &str) -> fn(Z) -> Z {
    by_name!(name: exp exp2 exp_m1 ln ln_1p log2 log10 sqrt cbrt sin cos tan asin acos atan sinh cosh tanh asinh
        acosh atanh recip square sinc sinc_slope sinhc cosc coshc sech2)
}

fn cell(row: Row, name: &str) -> Complex64 {
    Complex::new(row.number(&format!("{name}_re")), row.number(&format!("{name}_im")))
}

/// The unit of errors, the smallest and the largest number of a float.
struct Range {
    eps: f64,
    least: f64,
    most: f64,
}
const DOUBLE: Range = Range { eps: EPS, least: 5e-324, most: f64::MAX };
const SINGLE: Range = Range { eps: f32::EPSILON as f64, least: 1.4e-45, most: f32::MAX as f64 };

/// The error in eps of the modulus. Where the result overflows, only its size counts. Where it is subnormal, or a
/// multiple of a subnormal value, a few of the smallest numbers are no error.
fn error(got: Complex64, want: Complex64, value: Complex64, range: &Range) -> f64 {
    let beyond = |z: Complex64, most: f64| !z.is_finite() || (z / range.most).norm() > most;
    // Where the value is zero, too, one of the smallest numbers is meant: `max` takes 1 for 0/0.
    let multiple = (want.norm() / value.norm()).max(1.0);
    let (distance, nothing) = ((got - want).norm(), 4.0 * range.least * multiple.min(1e6));
    if got == want || distance <= nothing || beyond(want, 0.125) && beyond(got, 0.1) {
        return 0.0;
    }
    distance / want.norm() / range.eps
}

struct Judge<'a> {
    row: Row<'a>,
    found: &'a mut Findings,
    worst: &'a mut std::collections::BTreeMap<(String, usize), (f64, String)>,
}

impl Judge<'_> {
    fn check(&mut self, route: &str, order: usize, got: Complex64) {
        let want = cell(self.row, ["f", "f1", "f2"][order]);
        let (error, function) = (error(got, want, cell(self.row, "f"), &DOUBLE), self.row.text("function"));
        let z = cell(self.row, "z");
        let entry = self.worst.entry((function.to_owned(), order)).or_default();
        if error > entry.0 || error.is_nan() {
            *entry = (error, format!("{z:e} {route}"));
        }
        self.found.check(error <= limits::complex_on_grid(order), || {
            format!("{function} at {z:e}, order {order}, {route}: {got:e}, not {want:e}, {error:.1} eps")
        });
    }
    /// Value and derivatives in the direction 1, from the parts of the result.
    fn forward<Z: AsNumber>(
        &mut self,
        route: &str,
        seed: impl Fn(Complex64, f64) -> Z,
        parts: impl Fn(Part<Z>) -> [f64; 3],
    ) {
        let z = cell(self.row, "z");
        let [re, im] = call(self.row, [seed(z, 1.0), seed(z, 0.0)]).map(parts);
        for order in 0..3 {
            self.check(route, order, Complex::new(re[order], im[order]));
        }
    }
    /// The gradient of the real part of a holomorphic function is `conj(f′)`, its derivative along 1 `conj(f″)`.
    fn reverse<T: Real<Base = f64>, Z: AsNumber>(
        &mut self,
        route: &str,
        lift: impl Fn(f64, f64) -> T,
        seed: impl Fn(Var<T>, Var<T>) -> Z,
        parts: impl Fn(T) -> [f64; 2],
    ) where
        Z::Number: Number<Re = Var<T>>,
    {
        let (tape, z) = (Tape::new(), cell(self.row, "z"));
        let x = [tape.variable(lift(z.re, 1.0)), tape.variable(lift(z.im, 0.0))];
        let constant = seed(Var::constant(lift(z.re, 0.0)), Var::constant(lift(z.im, 0.0)));
        let y = call(self.row, [seed(x[0], x[1]), constant]);
        let bar = tape.cotangents(y[0]);
        let [re, im] = x.map(|x| parts(bar.of(x)));
        let value = y.map(|y| parts(y.value())[0]);
        self.check(route, 0, Complex::new(value[0], value[1]));
        for order in [1, 2] {
            self.check(route, order, Complex::new(re[order - 1], -im[order - 1]));
        }
    }
}

fn judge(judge: &mut Judge) {
    let c = |x: f64| Complex64::new(x, 0.0);
    let nested = |z, dz: f64| Dual::new(Dual::new(z, c(dz)), Dual::constant(c(dz)));
    judge.forward("Dual<Dual<Complex>>", nested, |x| {
        [x.value().value(), x.value().tangent(), x.tangent().tangent()]
    });
    let hyper = |z, dz: f64| HyperDual::new(z, c(dz), c(dz), c(0.0));
    judge.forward("HyperDual<Complex>", hyper, |x| [x.value(), x.e1(), x.e12()]);
    let packed = |z, dz: f64| Dual2::<_, 1, 1>::from_fn(z, |_| c(dz), |_, _| c(0.0));
    judge.forward("Dual2<Complex>", packed, |x| [x.value(), x.gradient()[0], x.second(0, 0)]);
    let apart = |z: Complex64, dz: f64| {
        let part = |x, dx| Dual::new(Dual::new(x, dx), Dual::constant(dx));
        Complex::new(part(z.re, dz), part(z.im, 0.0))
    };
    judge.forward("Complex<Dual<Dual>>", apart, |x| {
        [x.value().value(), x.value().tangent(), x.tangent().tangent()]
    });
    let holomorphic = !matches!(judge.row.text("function"), "abs" | "arg" | "unit")
        && !judge.row.text("function").starts_with("powc");
    if holomorphic {
        let parts = |x: Dual<f64>| [x.value(), x.tangent()];
        judge.reverse("ComplexVar<Dual>", Dual::new, ComplexVar::new, parts);
        judge.reverse("Complex<Var<Dual>>", Dual::new, |re, im| Complex { re, im }, parts);
    }
}

#[test]
fn functions_on_a_grid() {
    let mut found = Findings::default();
    let mut worst = Default::default();
    for row in table().rows() {
        judge(&mut Judge { row, found: &mut found, worst: &mut worst });
    }
    for ((function, order), (error, at)) in &worst {
        println!("{function} {order}: {error:.2} eps at {at}");
    }
    found.report(40_000);
}

/// Numbers of single precision with moduli from the smallest to the largest.
fn grid32() -> Vec<Complex32> {
    let moduli = [1e-44, 1e-30, 1e-6, 0.01, 0.5, 1.0, 1.7, 4.4934, 15.0, 60.0, 90.0, 1e4, 1e12, 1e30, 2e38];
    let at = |r: f32, angle: f32| Complex::new(r * angle.cos(), r * angle.sin());
    let turned = |r: f32| (0..40).map(move |k| at(r, 0.16 * k as f32 - 3.1));
    let axes = |r: f32| [(r, 0.0), (-r, -0.0), (-0.0, r), (0.0, -r)];
    let beside = [(1.0, 1e-4), (-1.0, 1e-5), (1e-4, 1.0), (0.999, -0.05), (3.0, 1e-30), (1e-30, -3.0)];
    let pairs = moduli.into_iter().flat_map(axes).chain(beside).map(|(re, im)| Complex::new(re, im));
    moduli.into_iter().flat_map(turned).chain(pairs).collect()
}

/// At `f32` the functions must agree with `f64`; the table holds `f64` to high precision.
#[test]
fn functions_of_single_precision() {
    let mut found = Findings::default();
    let table = table();
    let mut rows: Vec<Row> = table.rows().filter(|row| row.text("function") != "exp_base:1e-200").collect();
    rows.dedup_by_key(|row| row.text("function"));
    let wide = |z: Complex32| Complex64::new(f64::from(z.re), f64::from(z.im));
    for (row, z) in rows.iter().flat_map(|&row| grid32().into_iter().map(move |z| (row, z))) {
        if row.text("function").starts_with("exp") && z.im.abs() > 1e10 {
            continue;
        }
        let single = |dz: f32| Dual::new(Dual::new(z, dz.into()), Dual::constant(dz.into()));
        let double = |dz: f64| Dual::new(Dual::new(wide(z), dz.into()), Dual::constant(dz.into()));
        let got = call(row, [single(1.0), single(0.0)]);
        let want = call(row, [double(1.0), double(0.0)]);
        let value = Complex::new(want[0].value().value(), want[1].value().value());
        let slope = Complex::new(want[0].value().tangent(), want[1].value().tangent());
        for order in 0..3 {
            let got = got.map(|x| [x.value().value(), x.value().tangent(), x.tangent().tangent()][order]);
            let want = want.map(|x| [x.value().value(), x.value().tangent(), x.tangent().tangent()][order]);
            let (got, want) = (Complex::new(got[0], got[1]), Complex::new(want[0], want[1]));
            let error = error(wide(got), want, value, &SINGLE);
            let overflown = value.norm() > 1e38 || order == 2 && slope.norm() > 1e38;
            found.check(overflown || error <= limits::complex_on_grid(order), || {
                let function = row.text("function");
                format!("{function} at {z:e}, order {order}: {got:e}, not {want:e}, {error:.1} eps")
            });
        }
    }
    found.report(50_000);
}

/// Where the fifth derivative of `cos x/x` is zero, the fourth is small too: on the axes, where the table of real
/// functions has it, `coshc x = i·cosc ix`.
#[test]
fn fourth_derivatives_beside_a_turn() {
    let table = Table::parse(include_str!("../data/oracles/unary.csv"));
    let mut found = Findings::default();
    for row in table.rows().filter(|row| (row.text("fn"), row.text("class")) == ("cosc", "cancel")) {
        let (x, want) = (row.number("x"), row.columns(&["d0", "d1", "d2", "d3", "d4"]));
        let (real, imaginary) = (Complex64::new(x, 0.0), Complex64::new(0.0, x));
        let mut check = |route: &str, order: usize, got: [Complex64; 2]| {
            // `i^(k+1)·f⁽ᵏ⁾(−x)`, where `f` is odd.
            let odd = if order.is_multiple_of(2) { -want[order] } else { want[order] };
            let turned = (0..=order).fold(Complex64::new(odd, 0.0), |d, _| d * Complex64::i());
            for (name, got, want) in [("cosc", got[0], want[order].into()), ("coshc", got[1], turned)] {
                let error = error(got, want, got, &DOUBLE);
                found.check(error <= 12.0, || {
                    format!("{name} at {x} {route} d{order}: {got:e}, not {want:e}, {error:.1} eps")
                });
            }
        };
        let y = [
            complex::cosc(Taylor::<_, 4>::variable(real)),
            complex::coshc(Taylor::<_, 4>::variable(imaginary)),
        ];
        for (order, factorial) in [(1, 1.0), (2, 2.0), (3, 6.0), (4, 24.0)] {
            check("Taylor<Complex>", order, y.map(|y| y.coefficient(order) * factorial));
        }
        let nested = |z: Complex64| {
            let z = Dual::variable(z);
            Taylor::<_, 3>::new(
                z,
                [
                    Dual::constant(Complex::new(1.0, 0.0)),
                    Dual::constant(Complex::default()),
                    Dual::constant(Complex::default()),
                ],
            )
        };
        let y = [complex::cosc(nested(real)), complex::coshc(nested(imaginary))];
        check("Taylor<Dual<Complex>>", 4, y.map(|y| y.coefficient(3).tangent() * 6.0));
        let one = |z: Complex64| Dual::constant(z);
        let nested = |z: Complex64| {
            let (third, c) = (
                Dual::new(Dual::new(Dual::variable(z), one(1.0.into())), Dual::constant(one(1.0.into()))),
                one(1.0.into()),
            );
            Dual::new(third, Dual::constant(Dual::constant(c)))
        };
        let y = [complex::cosc(nested(real)), complex::coshc(nested(imaginary))];
        check("Dual^4<Complex>", 4, y.map(|y| y.tangent().tangent().tangent().tangent()));
    }
    found.report(130);
}
