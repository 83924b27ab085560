//! Rules of all kinds as functions of one or two complex numbers.

use num_complex::Complex;

use super::ladder::C;
use crate::duals::{Dual, HyperDual};
use crate::number::{BaseFloat, Number, Real};
use crate::rules::{Binary, Holomorphic, HolomorphicBinary, Unary};

/// The complex step relative to the argument: its square is negligible, its product with derivatives is not.
pub(super) const COMPLEX_STEP: f64 = 1e-100;

/// A rule of one argument, which is the first number, or of two. A real one takes the real parts. Checks are compiled once,
/// for all rules.
pub(super) trait RuleSubject {
    fn name(&self) -> &'static str;
    fn arguments(&self) -> usize;
    fn is_real(&self) -> bool;
    /// The value of the function itself.
    fn value(&self, x: [C; 2]) -> C;
    /// The value, the derivative along `dx`, and the derivative of that along `dy`.
    fn jet(&self, x: [C; 2], dx: [C; 2], dy: [C; 2]) -> [C; 3];
    /// As [`jet`](Self::jet), at `f32`.
    fn single_jet(&self, x: [C; 2], dx: [C; 2], dy: [C; 2]) -> [C; 3];
    /// The partials by complex steps, and whether they decide where differences cannot.
    fn complex_steps(&self, _: [C; 2]) -> ([Option<f64>; 2], bool) {
        ([None; 2], false)
    }
    /// A second derivative in two ways, and the size of their terms.
    fn routes(&self, _: [C; 2]) -> Option<[f64; 3]> {
        None
    }
}

/// The unit vector of an argument, times a number.
pub(super) fn unit(place: usize, by: C) -> [C; 2] {
    [0, 1].map(|i| if i == place { by } else { C::default() })
}

/// The derivative along the real line of a function that may take complex numbers.
fn complex_step(f: impl Fn(C) -> Option<C>, x: f64) -> Option<f64> {
    let h = COMPLEX_STEP * if x == 0.0 { 1.0 } else { x.abs() };
    let step = f(C::new(x, h))?.im / h;
    Some(step).filter(|s| s.is_finite())
}

fn narrow<F: BaseFloat>(x: C) -> Complex<F> {
    Complex::new(F::from_double(x.re), F::from_double(x.im))
}

/// A real number with two directions.
fn hyper<F: BaseFloat>(numbers: [C; 3]) -> HyperDual<F> {
    let [x, dx, dy] = numbers.map(|x| F::from_double(x.re));
    HyperDual::new(x, dx, dy, F::from_double(0.0))
}
fn of_hyper<F: BaseFloat>(y: HyperDual<F>) -> [C; 3] {
    [y.value(), y.e1(), y.e12()].map(|y| C::from(y.to_double()))
}

/// A complex number with two directions.
fn nested<F: BaseFloat>(numbers: [C; 3]) -> Dual<Dual<Complex<F>>>
where
    Complex<F>: Number<Primal = Complex<F>>,
{
    let [z, dz, dw] = numbers.map(narrow);
    Dual::new(Dual::new(z, dz), Dual::constant(dw))
}
fn of_nested<F: BaseFloat>(y: Dual<Dual<Complex<F>>>) -> [C; 3]
where
    Complex<F>: Number<Primal = Complex<F>>,
{
    let parts = [y.value().value(), y.value().tangent(), y.tangent().tangent()];
    parts.map(|x| C::new(x.re.to_double(), x.im.to_double()))
}

/// A kind of rule: its value, and its result at numbers with two directions.
macro_rules! subject {
    ($(#[$doc:meta])* $Subject:ident($R:ident $(, $decides:ty)?) of $arguments:literal, real $real:literal:
        |$rule:ident, $x:ident| $value:expr, $number:ident to $parts:ident |$y:ident| $lifted:expr $(, $extra:item)*) => {
        $(#[$doc])*
        pub(super) struct $Subject<R>(pub R $(, pub $decides)?);

        impl<R: $R> $Subject<R> {
            fn jet_at<F: BaseFloat>(&self, x: [C; 2], dx: [C; 2], dy: [C; 2]) -> [C; 3]
            where
                Complex<F>: Number<Primal = Complex<F>>,
            {
                let ($rule, $y) = (self.0, [0, 1].map(|i| $number::<F>([x[i], dx[i], dy[i]])));
                $parts($lifted)
            }
        }

        impl<R: $R> RuleSubject for $Subject<R> {
            fn name(&self) -> &'static str {
                R::NAME
            }
            fn arguments(&self) -> usize {
                $arguments
            }
            fn is_real(&self) -> bool {
                $real
            }
            fn value(&self, $x: [C; 2]) -> C {
                let $rule = self.0;
                $value
            }
            fn jet(&self, x: [C; 2], dx: [C; 2], dy: [C; 2]) -> [C; 3] {
                self.jet_at::<f64>(x, dx, dy)
            }
            fn single_jet(&self, x: [C; 2], dx: [C; 2], dy: [C; 2]) -> [C; 3] {
                self.jet_at::<f32>(x, dx, dy)
            }
            $($extra)*
        }
    };
}

subject! {
    /// A rule of a real number; whether complex steps decide.
    OneReal(Unary, bool) of 1, real true:
        |rule, x| rule.value(x[0].re).into(), hyper to of_hyper |y| y[0].lift1(rule),
    fn complex_steps(&self, x: [C; 2]) -> ([Option<f64>; 2], bool) {
        ([complex_step(|z| self.0.at_complex(z), x[0].re), None], self.1)
    },
    fn routes(&self, x: [C; 2]) -> Option<[f64; 3]> {
        let x = x[0].re;
        let (y, nested) = (HyperDual::variable(x), Dual::variable(Dual::variable(x)));
        let (y, nested) = (y.lift1(self.0), nested.lift1(self.0));
        Some([nested.tangent().tangent(), y.e12(), y.e1()])
    }
}

subject! {
    /// A rule of two real numbers.
    TwoReal(Binary) of 2, real true:
        |rule, x| rule.value(x[0].re, x[1].re).into(), hyper to of_hyper |y| y[0].lift2(y[1], rule),
    fn complex_steps(&self, x: [C; 2]) -> ([Option<f64>; 2], bool) {
        let of_x = complex_step(|z| self.0.at_complex(z, x[1].re.into()), x[0].re);
        let of_y = complex_step(|z| self.0.at_complex(x[0].re.into(), z), x[1].re);
        ([of_x, of_y], false)
    },
    /// The mixed one, in both orders. One that is not finite is judged by differences.
    fn routes(&self, x: [C; 2]) -> Option<[f64; 3]> {
        let [ex, ey] = [0, 1].map(|place| unit(place, C::new(1.0, 0.0)));
        let second = |dx, dy| self.jet(x, dx, dy)[2].re;
        let (a, b) = (second(ex, ey), second(ey, ex));
        let size = a.abs().max(second(ex, ex).abs()).max(second(ey, ey).abs());
        (a.is_finite() && b.is_finite()).then_some([a, b, size])
    }
}

subject! {
    /// A holomorphic rule of a number.
    OneComplex(Holomorphic) of 1, real false:
        |rule, z| rule.value_complex(z[0]), nested to of_nested |y| y[0].lift_holomorphic(rule)
}

subject! {
    /// A holomorphic rule of two numbers.
    TwoComplex(HolomorphicBinary) of 2, real false:
        |rule, z| rule.value_complex(z[0], z[1]), nested to of_nested |y| y[0].lift_holomorphic2(y[1], rule)
}
