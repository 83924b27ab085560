//! Every way from a function to its derivatives, under one interface.
//!
//! A [`Program`] is a function written once over `Real`. A [`Route`] is a number type that can differentiate it:
//! [`Route::run`] evaluates the program at `x` with one direction for each order that the type carries and gives the
//! derivatives along every subset of the directions. A type constructor (`Dual`, `HyperDual`, …) wraps the program
//! into one over its component type and passes it down. So nestings need no code of their own, and a new number type
//! is one line here and one line in the tests' lists.

use std::marker::PhantomData;
use wengert::{BaseFloat, Dual, Dual2, DualN, HyperDual, Real, Tape, Taylor, TaylorDyn, Var};

/// A function from Rⁿ to Rᵐ on numbers over the base float `F`.
pub trait Program<F: BaseFloat = f64> {
    fn call<T: Real<Base = F>>(&self, x: &[T]) -> Vec<T>;
}

/// A number type as a route to derivatives.
pub trait Route {
    /// The base float at the bottom.
    type Base: BaseFloat + Route<Base = Self::Base>;
    /// The highest derivative that the type carries.
    const ORDER: usize;
    /// Whether all directions must be equal because the type carries only one (`Dual2<T, 1, 1>`).
    const ONE_DIRECTION: bool;
    /// The outputs' derivatives: entry `s·m + o` is output `o`, differentiated along `along[k]` for each bit `k`
    /// that is set in `s`. `along` has `ORDER` directions.
    fn run<P>(program: &P, x: &[Self::Base], along: &[&[Self::Base]]) -> Vec<Self::Base>
    where
        P: Program<Self::Base>;
}

macro_rules! machine {
    ($($F:ty)*) => {$(
        impl Route for $F {
            type Base = $F;
            const ORDER: usize = 0;
            const ONE_DIRECTION: bool = false;
            fn run<P: Program<$F>>(program: &P, x: &[$F], _: &[&[$F]]) -> Vec<$F> {
                program.call(x)
            }
        }
    )*};
}
machine!(f32 f64);

/// The program over numbers `N`, with its derivatives along the directions as further outputs.
struct Tangents<'a, P, F, N> {
    program: &'a P,
    directions: &'a [&'a [F]],
    number: PhantomData<N>,
}

/// A type constructor, named by its type over `()`. Its functions do not know the program: each is compiled once for a
/// number type, not once more for each of hundreds of programs.
trait Constructor {
    type Of<T: Real>: Real<Base = T::Base>;
    /// The arguments, made from their values and components in the first and the last direction.
    fn seeded<T: Real>(x: &[T], first: &[T::Base], last: &[T::Base]) -> Vec<Self::Of<T>>;
    /// The parts of the results, each of all results in order.
    fn parts<T: Real>(y: &[Self::Of<T>]) -> Vec<T>;
}

impl<F: BaseFloat, P: Program<F>, N: Constructor> Program<F> for Tangents<'_, P, F, N> {
    fn call<T: Real<Base = F>>(&self, x: &[T]) -> Vec<T> {
        let (first, last) = (self.directions[0], self.directions[self.directions.len() - 1]);
        N::parts(&self.program.call(&N::seeded(x, first, last)))
    }
}

/// Implements [`Route`] for a type constructor with `$order` new directions: how an argument is made from its
/// value and its components in the first and the last new direction, and the parts of a result in order.
macro_rules! route {
    ($N:ty, $tag:ty, $order:literal, one_direction: $one:literal; $seed:expr => $($part:expr),+) => {
        impl<T: Route> Route for $N {
            type Base = T::Base;
            const ORDER: usize = T::ORDER + $order;
            const ONE_DIRECTION: bool = T::ONE_DIRECTION || $one;
            fn run<P>(program: &P, x: &[T::Base], along: &[&[T::Base]]) -> Vec<T::Base>
            where
                P: Program<T::Base>,
            {
                let (directions, inner) = along.split_at($order);
                T::run(&Tangents::<P, T::Base, $tag> { program, directions, number: PhantomData }, x, inner)
            }
        }
        impl Constructor for $tag {
            type Of<T: Real> = $N;
            fn seeded<T: Real>(x: &[T], first: &[T::Base], last: &[T::Base]) -> Vec<$N> {
                let seed: fn(T, T, T) -> $N = $seed;
                let seeds = x.iter().zip(first).zip(last);
                seeds.map(|((&x, &s), &t)| seed(x, T::base(s), T::base(t))).collect()
            }
            fn parts<T: Real>(y: &[$N]) -> Vec<T> {
                let parts: &[fn(&$N) -> T] = &[$($part),+];
                parts.iter().flat_map(|part| y.iter().map(part)).collect()
            }
        }
    };
}

route!(Dual<T>, Dual<()>, 1, one_direction: false; |x, s, _| Dual::new(x, s) => |y| y.value(), |y| y.tangent());
route!(DualN<T, 4>, DualN<(), 4>, 1, one_direction: false;
    |x, s, _| DualN::new(x, LANES.map(|c| s * T::lit(c)))
    => |y| y.value(), |y| first_lane(y.tangents()));
route!(HyperDual<T>, HyperDual<()>, 2, one_direction: false;
    |x, s, t| HyperDual::new(x, s, t, T::lit(0.0))
    => |y| y.value(), |y| y.e1(), |y| y.e2(), |y| y.e12());
route!(Dual2<T, 1, 1>, Dual2<(), 1, 1>, 2, one_direction: true;
    |x, s, _| Dual2::from_fn(x, |_| s, |_, _| T::lit(0.0))
    => |y| y.value(), |y| y.gradient()[0], |y| y.gradient()[0], |y| y.second(0, 0));
route!(Dual2<T, 2, 3>, Dual2<(), 2, 3>, 2, one_direction: false;
    |x, s, t| Dual2::from_fn(x, |i| [s, t][i], |_, _| T::lit(0.0))
    => |y| y.value(), |y| y.gradient()[0], |y| y.gradient()[1], |y| y.second(0, 1));

// The derivatives along one direction, by the number of bits that are set.
route!(Taylor<T, 2>, Taylor<(), 2>, 2, one_direction: true;
    |x, s, _| Taylor::new(x, [s, T::lit(0.0)])
    => |y| y.value(), |y| y.derivatives()[0], |y| y.derivatives()[0], |y| y.derivatives()[1]);
route!(Taylor<T, 3>, Taylor<(), 3>, 3, one_direction: true;
    |x, s, _| Taylor::new(x, [s, T::lit(0.0), T::lit(0.0)])
    => |y| y.value(), |y| y.derivatives()[0], |y| y.derivatives()[0], |y| y.derivatives()[1],
       |y| y.derivatives()[0], |y| y.derivatives()[1], |y| y.derivatives()[1], |y| y.derivatives()[2]);
route!(Taylor<T, 4>, Taylor<(), 4>, 4, one_direction: true;
    |x, s, _| Taylor::new(x, [s, T::lit(0.0), T::lit(0.0), T::lit(0.0)])
    => |y| y.value(), |y| y.derivatives()[0], |y| y.derivatives()[0], |y| y.derivatives()[1],
       |y| y.derivatives()[0], |y| y.derivatives()[1], |y| y.derivatives()[1], |y| y.derivatives()[2],
       |y| y.derivatives()[0], |y| y.derivatives()[1], |y| y.derivatives()[1], |y| y.derivatives()[2],
       |y| y.derivatives()[1], |y| y.derivatives()[2], |y| y.derivatives()[2], |y| y.derivatives()[3]);
// Half of the orders that the number has room for.
route!(TaylorDyn<T, 4>, TaylorDyn<(), 4>, 2, one_direction: true;
    |x, s, _| TaylorDyn::new(&[x, s, T::lit(0.0)]).unwrap()
    => |y| y.value(), |y| y.coefficients()[0], |y| y.coefficients()[0], |y| y.coefficients()[1] * T::lit(2.0));

/// The derivative along a direction from the gradient: one sweep for each output. An axis on which the direction is
/// zero takes no part.
impl<T: Route> Route for Var<T> {
    type Base = T::Base;
    const ORDER: usize = T::ORDER + 1;
    const ONE_DIRECTION: bool = T::ONE_DIRECTION;
    fn run<P>(program: &P, x: &[T::Base], along: &[&[T::Base]]) -> Vec<T::Base>
    where
        P: Program<T::Base>,
    {
        let (directions, inner) = along.split_at(1);
        T::run(&Tangents::<P, T::Base, Var<()>> { program, directions, number: PhantomData }, x, inner)
    }
}

impl<F: BaseFloat, P: Program<F>> Program<F> for Tangents<'_, P, F, Var<()>> {
    fn call<T: Real<Base = F>>(&self, x: &[T]) -> Vec<T> {
        let tape = Tape::new();
        let inputs = tape.variables(x);
        values_and_tangents(&tape, &inputs, self.directions[0], &self.program.call(&inputs))
    }
}

fn values_and_tangents<T: Real>(
    tape: &Tape<T>,
    inputs: &[Var<T>],
    direction: &[T::Base],
    y: &[Var<T>],
) -> Vec<T> {
    let zero = T::Base::from_double(0.0);
    let tangent = |y: &Var<T>| {
        let gradient = tape.cotangents(*y).of_all(inputs);
        let terms = gradient.iter().zip(direction).filter(|(_, s)| **s != zero);
        terms.map(|(&g, &s)| g * s).fold(T::base(zero), |a, b| a + b)
    };
    y.iter().map(|y| y.value()).chain(y.iter().map(tangent)).collect()
}

/// The seeds of the lanes of `DualN`, as multiples of the direction: powers of two, so that every lane is an exact
/// multiple of the first one, and a lane that must stay zero.
const LANES: [f64; 4] = [1.0, -2.0, 0.0, 0.5];

/// The first lane, after a comparison with the others: multiples of it where nothing overflows or underflows.
fn first_lane<T: Real>(lanes: [T; 4]) -> T {
    let first = lanes[0].primal().to_double();
    for (lane, scale) in lanes.iter().zip(LANES) {
        let (got, want) = (lane.primal().to_double(), first * scale);
        let inexact = scale != 0.0 && got.abs() < 1e-37 && want.abs() < 1e-37 || want.abs() > 1e38;
        let same = got == want || got.is_nan() && want.is_nan() || scale == 0.0 && got == 0.0;
        assert!(same || inexact, "lane {got:e}, want {want:e}");
    }
    lanes[0]
}

/// Every choice of one of `n` axes for each of `order` directions; equal ones if there is only one direction.
pub fn axes(n: usize, order: usize, one_direction: bool) -> Vec<Vec<usize>> {
    let digits = |code: usize| (0..order).map(|k| code / n.pow(k as u32) % n).collect::<Vec<_>>();
    let all = (0..n.pow(order as u32)).map(digits);
    all.filter(|axes| !one_direction || axes.iter().all(|a| *a == axes[0])).collect()
}

/// The unit vectors of the axes in `n` dimensions.
pub fn units<F: BaseFloat>(n: usize, axes: &[usize]) -> Vec<Vec<F>> {
    let component = |i, axis| F::from_double(if i == axis { 1.0 } else { 0.0 });
    axes.iter().map(|&axis| (0..n).map(|i| component(i, axis)).collect()).collect()
}

/// The axes whose bits are set in `set`.
pub fn chosen(axes: &[usize], set: usize) -> Vec<usize> {
    (0..axes.len()).filter(|k| set >> k & 1 == 1).map(|k| axes[k]).collect()
}

/// The vectors as slices.
pub fn slices<F>(vectors: &[Vec<F>]) -> Vec<&[F]> {
    vectors.iter().map(|v| &v[..]).collect()
}
