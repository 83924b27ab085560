//! Every row of the table of complex functions, in both layouts and both modes: values, tangents, cotangents, second
//! derivatives.
//!
//! Errors are taken in the complex modulus. The tolerances are in `support/limits.rs`.

use num_complex::{Complex, Complex64};
use wengert::{AsNumber, ComplexVar, Dual, Dual2, DualN, HyperDual, Number, Real, Tape, Var, complex};

use crate::support::compare::{EPS, Findings};
use crate::support::limits;
use crate::support::tables::{Row, Table};

type Part<Z> = <<Z as AsNumber>::Number as Number>::Re;

/// The function of a row. Real results stay real.
fn call<Z: AsNumber>(op: &str, z: Z, w: Z) -> [Part<Z>; 2] {
    let mut words = op.split(':');
    let (name, parameters) =
        (words.next().unwrap(), words.map(|p| p.parse::<f64>().unwrap()).collect::<Vec<_>>());
    let constant = || {
        let [re, im] = [0, 1].map(|i| Part::<Z>::lit(parameters[i]));
        Z::from_number(Z::Number::from_parts(re, im))
    };
    let binary = |f: fn(Z::Number, Z::Number) -> Z::Number| Z::from_number(f(z.as_number(), w.as_number()));
    let result: Z = match name {
        "abs" => return [complex::abs(z), Part::<Z>::lit(0.0)],
        "abs_sq" => return [complex::norm_sqr(z), Part::<Z>::lit(0.0)],
        "arg" => return [complex::arg(z), Part::<Z>::lit(0.0)],
        "norm1" => return [complex::l1_norm(z), Part::<Z>::lit(0.0)],
        "real" => return [complex::real(z), Part::<Z>::lit(0.0)],
        "imag" => return [complex::imag(z), Part::<Z>::lit(0.0)],
        "from_polar" => complex::from_polar(complex::real(z), complex::real(w)),
        "add" => binary(|z, w| z + w),
        "sub" => binary(|z, w| z - w),
        "mul" => binary(|z, w| z * w),
        "div" => binary(|z, w| z / w),
        "powc2" => complex::powc(z, w),
        "powc" => complex::powc(z, constant()),
        "expc" => complex::powc(constant(), z),
        "expf" => complex::exp_base(z, parameters[0]),
        "powf" => complex::powf(z, parameters[0]),
        "powi" => complex::powi(z, parameters[0] as i32),
        "log" => complex::log(z, parameters[0]),
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
        acosh atanh recip square sinc conj unit sign)
}

/// A complex cell; `None` where a part is empty or NaN.
fn cell(row: Row, name: &str) -> Option<Complex64> {
    let part = |of: &str| row.text(&format!("{name}_{of}")).parse::<f64>().ok().filter(|x| !x.is_nan());
    Some(Complex::new(part("re")?, part("im")?))
}

/// A row, and the criteria for its results.
struct Judge<'a> {
    row: Row<'a>,
    found: &'a mut Findings,
}

impl Judge<'_> {
    fn op(&self) -> &'static str {
        self.row.text("op")
    }
    fn point(&self) -> [Complex64; 2] {
        ["z", "w"].map(|name| cell(self.row, name).unwrap_or_default())
    }
    fn direction(&self) -> [Complex64; 2] {
        ["dz", "dw"].map(|name| cell(self.row, name).unwrap_or_default())
    }
    fn check(&mut self, route: &str, column: &str, got: Complex64) {
        let Some(want) = cell(self.row, column) else { return };
        let infinite =
            |got: f64, want: f64| got == want || want.is_infinite() && got.abs() > 1e307 && got * want > 0.0;
        let error = if got == want || infinite(got.re, want.re) && infinite(got.im, want.im) {
            0.0
        } else {
            (got - want).norm() / want.norm() / EPS
        };
        let (id, class) = (self.row.text("id"), self.row.text("class"));
        let overflows = limits::COMPLEX_OVERFLOWING.contains(&id) && !want.is_finite();
        if (overflows || limits::COMPLEX_OPERATOR.contains(&id)) && got.is_nan() {
            return;
        }
        let limit = limits::complex(class, id, column);
        self.found.check(error <= limit, || {
            let z = self.row.text("z_re").to_owned() + " " + self.row.text("z_im");
            format!("{id} {class} {route} {column} at {z}: got {got:e}, want {want:e}, {error:.3} eps")
        });
    }
}

/// Values and tangents.
fn forward<Z: AsNumber>(
    route: &str,
    judge: &mut Judge,
    seed: impl Fn(Complex64, Complex64) -> Z,
    parts: impl Fn(Part<Z>) -> [f64; 2],
) {
    let ([z, w], [dz, dw]) = (judge.point(), judge.direction());
    let [re, im] = call(judge.op(), seed(z, dz), seed(w, dw)).map(parts);
    judge.check(route, "f", Complex::new(re[0], im[0]));
    judge.check(route, "jvp", Complex::new(re[1], im[1]));
}

/// Second derivatives of holomorphic functions, as the mixed one of two directions along the real axis.
fn second<Z: AsNumber>(
    route: &str,
    judge: &mut Judge,
    seed: impl Fn(Complex64, Complex64) -> Z,
    part: impl Fn(Part<Z>) -> f64,
) {
    let [z, w] = judge.point();
    let [re, im] =
        call(judge.op(), seed(z, Complex64::new(1.0, 0.0)), seed(w, Complex64::new(0.0, 0.0))).map(part);
    judge.check(route, "d2f", Complex::new(re, im));
}

/// Cotangents.
fn reverse<Z: AsNumber>(route: &str, judge: &mut Judge, seed: impl Fn(Var<f64>, Var<f64>) -> Z)
where
    Z::Number: Number<Re = Var<f64>>,
{
    let (tape, point) = (Tape::new(), judge.point());
    let [z, w] = point.map(|z| [tape.variable(z.re), tape.variable(z.im)]);
    let y = call(judge.op(), seed(z[0], z[1]), seed(w[0], w[1]));
    judge.check(route, "f", Complex::new(y[0].value(), y[1].value()));
    let ybar = cell(judge.row, "ybar").expect("a cotangent");
    let bar = tape.cotangents_of(&[(y[0], ybar.re), (y[1], ybar.im)]);
    let real_inputs = judge.op() == "from_polar";
    for (column, x) in [("zbar", z), ("wbar", w)] {
        judge.check(route, column, Complex::new(bar.of(x[0]), if real_inputs { 0.0 } else { bar.of(x[1]) }));
    }
}

/// Second derivatives: the gradient of the real part is `conj(f′)`, its derivative along the real axis `conj(f″)`.
fn over_reverse<T: Real<Base = f64>, Z: AsNumber>(
    route: &str,
    judge: &mut Judge,
    lift: impl Fn(f64, f64) -> T,
    seed: impl Fn(Var<T>, Var<T>) -> Z,
    tangent: impl Fn(T) -> f64,
) where
    Z::Number: Number<Re = Var<T>>,
{
    let (tape, [z, w]) = (Tape::new(), judge.point());
    let x = [tape.variable(lift(z.re, 1.0)), tape.variable(lift(z.im, 0.0))];
    let constant = |x: f64| Var::constant(lift(x, 0.0));
    let y = call(judge.op(), seed(x[0], x[1]), seed(constant(w.re), constant(w.im)));
    let bar = tape.cotangents(y[0]);
    let [re, im] = x.map(|x| tangent(bar.of(x)));
    judge.check(route, "d2f", Complex::new(re, -im));
}

fn row(judge: &mut Judge) {
    let apart = |z: Complex64, dz: Complex64| Complex::new(Dual::new(z.re, dz.re), Dual::new(z.im, dz.im));
    let first = |x: Dual<f64>| [x.value(), x.tangent()];
    forward("Dual<Complex>", judge, Dual::new, first);
    forward("Complex<Dual>", judge, apart, first);
    forward(
        "DualN<Complex>",
        judge,
        |z, dz| DualN::new(z, [Complex::new(0.0, 0.0), dz]),
        |x: DualN<f64, 2>| [x.value() + x.tangents()[0], x.tangents()[1]],
    );
    let nested = |z: Complex64, dz: Complex64| Dual::new(Dual::new(z, dz), Dual::constant(dz));
    second("Dual<Dual<Complex>>", judge, nested, |x| x.tangent().tangent());
    let hyper = |z: Complex64, dz: Complex64| HyperDual::new(z, dz, dz, Complex64::new(0.0, 0.0));
    second("HyperDual<Complex>", judge, hyper, |x| x.e12());
    let packed =
        |z: Complex64, dz: Complex64| Dual2::<_, 1, 1>::from_fn(z, |_| dz, |_, _| Complex64::new(0.0, 0.0));
    second("Dual2<Complex>", judge, packed, |x| x.second(0, 0));
    let parts = |z: Complex64, dz: Complex64| {
        let part = |x, dx| HyperDual::new(x, dx, dx, 0.0);
        Complex::new(part(z.re, dz.re), part(z.im, dz.im))
    };
    second("Complex<HyperDual>", judge, parts, |x| x.e12());

    reverse("ComplexVar", judge, ComplexVar::new);
    reverse("Complex<Var>", judge, |re, im| Complex { re, im });
    over_reverse("ComplexVar<Dual>", judge, Dual::new, ComplexVar::new, Dual::tangent);
    over_reverse("Complex<Var<Dual>>", judge, Dual::new, |re, im| Complex { re, im }, Dual::tangent);
}

#[test]
fn complex_functions() {
    let mut found = Findings::default();
    for line in Table::parse(include_str!("../data/oracles/complex.csv")).rows() {
        row(&mut Judge { row: line, found: &mut found });
    }
    found.report(3500);
}
