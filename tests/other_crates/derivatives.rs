//! How each number type differentiates a generic function of another crate, and the comparisons.
//!
//! A function is written once over the bound of the outside crate. [`every_type`] instantiates it for all
//! number types; [`Case::check`] compares values bit for bit with the base float and derivatives with
//! exact ones, and prints the errors.

use wengert::{BaseFloat, Dual, Dual2, DualN, HyperDual, Real, Tape, Var};

/// Runs a [`Case`] of a generic function at every number type.
macro_rules! every_type {
    ($f:ident, $case:expr) => {{
        let case = $case;
        for_each_number!(kinds check_each (case $f));
        check_each! { (case $f) "Dual<f32>" wengert::Dual<f32>; }
    }};
}

/// Runs a [`Case`] at the given types.
macro_rules! check_each {
    (($case:ident $f:ident) $($name:literal $N:ty;)+) => { $($case.check::<$N>($f, $f);)+ };
}

/// The outputs along `x + t·v`, at `t = 0`. A derivative that a type carries more than once is here as often.
pub struct Jet {
    value: Vec<f64>,
    first: Vec<Vec<f64>>,
    second: Vec<Vec<f64>>,
}

/// A number type that can differentiate a function along a direction.
pub trait Active: Real {
    fn along(f: fn(&[Self]) -> Vec<Self>, x: &[f64], v: &[f64]) -> Jet;
}

/// Reads one component of every output.
fn part<T: Copy, B: BaseFloat>(outputs: &[T], component: impl Fn(T) -> B) -> Vec<f64> {
    outputs.iter().map(|&y| component(y).to_double()).collect()
}

/// [`Active`] for a type: how an argument is made of value and direction, and where the result has the derivatives.
macro_rules! active {
    ($T:ty, $base:ident: $make:expr; $($first:expr),+; $($second:expr),*) => {
        impl Active for $T {
            fn along(f: fn(&[Self]) -> Vec<Self>, x: &[f64], v: &[f64]) -> Jet {
                let make: fn($base, $base) -> $T = $make;
                let x: Vec<$T> = x.iter().zip(v).map(|(&x, &v)| make(x as $base, v as $base)).collect();
                let y = f(&x);
                let (first, second) = (vec![$(part(&y, $first)),+], vec![$(part(&y, $second)),*]);
                Jet { value: part(&y, |y| y.primal()), first, second }
            }
        }
    };
}

// The directions of one number are multiples of each other by powers of two: each gives the derivative itself
// after dividing. The lane of `DualN` that starts at zero must stay there, so adding it changes nothing.
active!(Dual<f64>, f64: Dual::new; |y| y.tangent(););
active!(Dual<f32>, f32: Dual::new; |y| y.tangent(););
active!(DualN<f64, 4>, f64: |x, v| DualN::new(x, [v, -2.0 * v, 0.0, 0.5 * v]);
    |y| y.tangents()[0] + y.tangents()[2], |y| y.tangents()[1] / -2.0, |y| y.tangents()[3] * 2.0;);
active!(HyperDual<f64>, f64: |x, v| HyperDual::new(x, v, -2.0 * v, 0.0);
    |y| y.e1(), |y| y.e2() / -2.0; |y| y.e12() / -2.0);
active!(Dual2<f64, 2, 3>, f64: |x, v| Dual2::from_fn(x, |i| [v, -2.0 * v][i], |_, _| 0.0);
    |y| y.gradient()[0], |y| y.gradient()[1] / -2.0; |y| y.second(0, 0), |y| y.second(0, 1) / -2.0, |y| y.second(1, 1) / 4.0);
active!(Dual<Dual<f64>>, f64: |x, v| Dual::new(Dual::new(x, v), Dual::new(-2.0 * v, 0.0));
    |y| y.value().tangent(), |y| y.tangent().value() / -2.0; |y| y.tangent().tangent() / -2.0);

/// [`Active`] for variables of a tape over `$T`: how an input is made of value and direction, and which derivatives
/// the gradient of an output holds in addition to the first ones.
macro_rules! active_on_tape {
    ($T:ty: $make:expr, $first:expr; $($second:expr),*) => {
        impl Active for Var<$T> {
            fn along(f: fn(&[Self]) -> Vec<Self>, x: &[f64], v: &[f64]) -> Jet {
                let (make, first): (fn(f64, f64) -> $T, fn($T) -> f64) = ($make, $first);
                let tape = Tape::new();
                let inputs: Vec<Var<$T>> = x.iter().zip(v).map(|(&x, &v)| tape.variable(make(x, v))).collect();
                let y = f(&inputs);
                let gradients: Vec<Vec<$T>> = y.iter().map(|&y| tape.cotangents(y).of_all(&inputs)).collect();
                let along = |part: fn($T) -> f64| {
                    let sum = |g: &Vec<$T>| g.iter().zip(v).map(|(&g, v)| part(g) * v).sum();
                    gradients.iter().map(sum).collect::<Vec<f64>>()
                };
                Jet { value: part(&y, |y| y.primal()), first: vec![along(first)], second: vec![$(along($second)),*] }
            }
        }
    };
}
active_on_tape!(f64: |x, _| x, |g| g;);
active_on_tape!(Dual<f64>: Dual::new, |g| g.value(); |g| g.tangent());

/// The exact derivative of one order, and how far from it a computed one may be.
struct Exact {
    want: Vec<f64>,
    /// The limit of the error in eps of the base float, relative to the entry …
    limit: f64,
    /// … or to this, if it is larger: the size of terms that cancel in an entry.
    scale: f64,
}

impl Exact {
    /// The largest error of an entry; infinite for NaN.
    fn error(&self, got: &[f64]) -> f64 {
        assert_eq!(got.len(), self.want.len(), "number of outputs");
        let distance =
            |(g, w): (&f64, &f64)| if g == w { 0.0 } else { (g - w).abs() / self.scale.max(w.abs()) };
        let errors = got.iter().zip(&self.want).map(distance);
        errors.fold(0.0, |worst: f64, e| if e.is_nan() { f64::INFINITY } else { worst.max(e) })
    }
}

/// A point, a direction, and the exact derivatives of a function there.
pub struct Case {
    name: &'static str,
    x: Vec<f64>,
    v: Vec<f64>,
    exact: [Option<Exact>; 2],
}

impl Case {
    /// Coordinates are best short binary fractions: then `f32` has them exactly.
    pub fn new(name: &'static str, x: &[f64], v: &[f64]) -> Self {
        Case { name, x: x.to_vec(), v: v.to_vec(), exact: [None, None] }
    }
    /// `d/dt f(x + t·v)` of each output, within `limit` eps.
    pub fn first(mut self, want: impl IntoIterator<Item = f64>, limit: f64) -> Self {
        self.exact[0] = Some(Exact { want: want.into_iter().collect(), limit, scale: 0.0 });
        self
    }
    /// `d²/dt² f(x + t·v)` of each output, within `limit` eps.
    pub fn second(mut self, want: impl IntoIterator<Item = f64>, limit: f64) -> Self {
        self.exact[1] = Some(Exact { want: want.into_iter().collect(), limit, scale: 0.0 });
        self
    }
    /// Sizes of the terms that cancel in the first and in the second derivative: errors are relative to these
    /// where an entry is smaller.
    pub fn scales(mut self, scales: [f64; 2]) -> Self {
        for (exact, scale) in self.exact.iter_mut().zip(scales) {
            exact.iter_mut().for_each(|e| e.scale = scale);
        }
        self
    }

    /// Compares `f` at `T` with `plain`, the same function at the base float: all bits of the values must agree. Also
    /// compares the derivatives that `T` carries with the exact ones.
    pub fn check<T: Active>(&self, plain: fn(&[T::Base]) -> Vec<T::Base>, f: fn(&[T]) -> Vec<T>) {
        let jet = T::along(f, &self.x, &self.v);
        let x: Vec<T::Base> = self.x.iter().map(|&x| T::Base::from_double(x)).collect();
        let want: Vec<f64> = plain(&x).into_iter().map(BaseFloat::to_double).collect();
        let bits = |values: &[f64]| values.iter().map(|v| v.to_bits()).collect::<Vec<_>>();
        let ty = std::any::type_name::<T>().replace("wengert::duals::", "");
        assert_eq!(bits(&jet.value), bits(&want), "{} at {ty}: {:?} is not {want:?}", self.name, jet.value);
        for (order, (readings, exact)) in [jet.first, jet.second].iter().zip(&self.exact).enumerate() {
            let Some(exact) = exact.as_ref().filter(|_| !readings.is_empty()) else { continue };
            let eps = <T::Base as num_traits::Float>::epsilon().to_double();
            let worst = readings.iter().map(|got| exact.error(got) / eps).fold(0.0, f64::max);
            println!("{:24} d{} {worst:8.2} of {:4} eps  {ty}", self.name, order + 1, exact.limit);
            let (Case { name, x, v, .. }, want) = (self, &exact.want);
            let what = format!("derivative {} of {name} at {x:?} along {v:?} in {ty}", order + 1);
            assert!(worst <= exact.limit, "{what}: {readings:?} is not {want:?}, {worst} eps");
        }
    }
}

/// `Σ aᵢbᵢ` of the exact side.
pub fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// `Σ |aᵢbᵢ|`: the scale of errors in a sum that may cancel.
pub fn dot_abs(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| (a * b).abs()).sum()
}
