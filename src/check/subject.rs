//! Rules of all kinds as functions of one or two complex numbers.

use num_complex::Complex;

use super::ladder::C;
use crate::duals::{Dual, HyperDual};
use crate::number::{BaseFloat, Number, Real};
use crate::rules::{Binary, Holomorphic, HolomorphicBinary, Unary};

/// The complex step relative to the argument: its square is negligible, its product with derivatives is not.
pub(super) const COMPLEX_STEP: f64 = 1e-100;

/// A rule of one argument, which is the first number, or of two. A real one takes the real parts.
pub(super) trait RuleSubject: Copy {
    const NAME: &'static str;
    const ARGUMENTS: usize;
    const REAL: bool;
    /// The value of the function itself.
    fn value(self, x: [C; 2]) -> C;
    /// The value, the derivative along `dx`, and the derivative of that along `dy`, by numbers over `F`.
    fn jet<F: BaseFloat>(self, x: [C; 2], dx: [C; 2], dy: [C; 2]) -> [C; 3]
    where
        Complex<F>: Number<Primal = Complex<F>>;
    /// The partials by complex steps, and whether they decide where differences cannot.
    fn complex_steps(self, _: [C; 2]) -> ([Option<f64>; 2], bool) {
        ([None; 2], false)
    }
    /// A second derivative in two ways, and the size of their terms.
    fn routes(self, _: [C; 2]) -> Option<[f64; 3]> {
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

/// A rule of a real number; whether complex steps decide.
#[derive(Clone, Copy)]
pub(super) struct OneReal<U>(pub U, pub bool);

impl<U: Unary> RuleSubject for OneReal<U> {
    const NAME: &'static str = U::NAME;
    const ARGUMENTS: usize = 1;
    const REAL: bool = true;
    fn value(self, x: [C; 2]) -> C {
        self.0.value(x[0].re).into()
    }
    fn jet<F: BaseFloat>(self, x: [C; 2], dx: [C; 2], dy: [C; 2]) -> [C; 3] {
        of_hyper(hyper::<F>([x[0], dx[0], dy[0]]).lift1(self.0))
    }
    fn complex_steps(self, x: [C; 2]) -> ([Option<f64>; 2], bool) {
        ([complex_step(|z| self.0.at_complex(z), x[0].re), None], self.1)
    }
    fn routes(self, x: [C; 2]) -> Option<[f64; 3]> {
        let x = x[0].re;
        let (y, nested) = (HyperDual::variable(x), Dual::variable(Dual::variable(x)));
        let (y, nested) = (y.lift1(self.0), nested.lift1(self.0));
        Some([nested.tangent().tangent(), y.e12(), y.e1()])
    }
}

/// A rule of two real numbers.
#[derive(Clone, Copy)]
pub(super) struct TwoReal<B>(pub B);

impl<B: Binary> RuleSubject for TwoReal<B> {
    const NAME: &'static str = B::NAME;
    const ARGUMENTS: usize = 2;
    const REAL: bool = true;
    fn value(self, x: [C; 2]) -> C {
        self.0.value(x[0].re, x[1].re).into()
    }
    fn jet<F: BaseFloat>(self, x: [C; 2], dx: [C; 2], dy: [C; 2]) -> [C; 3] {
        let [x, y] = [0, 1].map(|i| hyper::<F>([x[i], dx[i], dy[i]]));
        of_hyper(x.lift2(y, self.0))
    }
    fn complex_steps(self, x: [C; 2]) -> ([Option<f64>; 2], bool) {
        let of_x = complex_step(|z| self.0.at_complex(z, x[1].re.into()), x[0].re);
        let of_y = complex_step(|z| self.0.at_complex(x[0].re.into(), z), x[1].re);
        ([of_x, of_y], false)
    }
    /// The mixed one, in both orders. One that is not finite is judged by differences.
    fn routes(self, x: [C; 2]) -> Option<[f64; 3]> {
        let [ex, ey] = [0, 1].map(|place| unit(place, C::new(1.0, 0.0)));
        let second = |dx, dy| self.jet::<f64>(x, dx, dy)[2].re;
        let (a, b) = (second(ex, ey), second(ey, ex));
        let size = a.abs().max(second(ex, ex).abs()).max(second(ey, ey).abs());
        (a.is_finite() && b.is_finite()).then_some([a, b, size])
    }
}

/// A holomorphic rule of a number.
#[derive(Clone, Copy)]
pub(super) struct OneComplex<H>(pub H);

impl<H: Holomorphic> RuleSubject for OneComplex<H> {
    const NAME: &'static str = H::NAME;
    const ARGUMENTS: usize = 1;
    const REAL: bool = false;
    fn value(self, z: [C; 2]) -> C {
        self.0.value_complex(z[0])
    }
    fn jet<F: BaseFloat>(self, z: [C; 2], dz: [C; 2], dw: [C; 2]) -> [C; 3]
    where
        Complex<F>: Number<Primal = Complex<F>>,
    {
        of_nested(nested::<F>([z[0], dz[0], dw[0]]).lift_holomorphic(self.0))
    }
}

/// A holomorphic rule of two numbers.
#[derive(Clone, Copy)]
pub(super) struct TwoComplex<H>(pub H);

impl<H: HolomorphicBinary> RuleSubject for TwoComplex<H> {
    const NAME: &'static str = H::NAME;
    const ARGUMENTS: usize = 2;
    const REAL: bool = false;
    fn value(self, z: [C; 2]) -> C {
        self.0.value_complex(z[0], z[1])
    }
    fn jet<F: BaseFloat>(self, z: [C; 2], dz: [C; 2], dw: [C; 2]) -> [C; 3]
    where
        Complex<F>: Number<Primal = Complex<F>>,
    {
        let [z, w] = [0, 1].map(|i| nested::<F>([z[i], dz[i], dw[i]]));
        of_nested(z.lift_holomorphic2(w, self.0))
    }
}
