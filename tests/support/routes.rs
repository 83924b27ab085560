//! Every way from a function to its derivatives, under one interface.
//!
//! A [`Program`] is a function written once over `Real`. A [`Route`] is a number type that can differentiate
//! it: [`Route::run`] evaluates the program at `x` with one direction for each order that the type carries and
//! gives the derivatives along every subset of the directions. A type constructor (`Dual`, `HyperDual`, …)
//! wraps the program into one over its component type and hands it down, so nestings need nothing of their own
//! and a new number type is one impl here and one line in the tests' lists.

use wengert::{Dual, Dual2, DualN, HyperDual, Real};

/// A function from Rⁿ to Rᵐ.
pub trait Program {
    fn call<T: Real<Base = f64>>(&self, x: &[T]) -> Vec<T>;
}

/// A number type as a way to derivatives.
pub trait Route {
    /// The highest derivative that the type carries.
    const ORDER: usize;
    /// Whether two directions must be equal because the type carries only one (`Dual2<T, 1, 1>`).
    const ONE_DIRECTION: bool = false;
    /// The outputs' derivatives: entry `s·m + o` is output `o`, differentiated along `along[k]` for each bit `k`
    /// that is set in `s`. `along` has `ORDER` directions.
    fn run<P: Program>(program: &P, x: &[f64], along: &[&[f64]]) -> Vec<f64>;
}

impl Route for f64 {
    const ORDER: usize = 0;
    fn run<P: Program>(program: &P, x: &[f64], _: &[&[f64]]) -> Vec<f64> {
        program.call(x)
    }
}

/// A program whose derivatives along `directions` are further outputs: the wrapped one over numbers `N<T>`.
struct Tangents<'a, P, N> {
    program: &'a P,
    directions: &'a [&'a [f64]],
    number: std::marker::PhantomData<N>,
}

impl<'a, P, N> Tangents<'a, P, N> {
    fn new(program: &'a P, directions: &'a [&'a [f64]]) -> Self {
        Tangents { program, directions, number: std::marker::PhantomData }
    }
    /// The arguments with their components in the first and the second direction.
    fn seeded<T: Real<Base = f64>, M>(&self, x: &[T], make: impl Fn(T, T, T) -> M) -> Vec<M> {
        let (first, last) = (self.directions[0], self.directions[self.directions.len() - 1]);
        x.iter().enumerate().map(|(i, &x)| make(x, T::lit(first[i]), T::lit(last[i]))).collect()
    }
}

/// Implements [`Route`] for a type constructor with `$order` new directions: how an argument is made from its
/// value and its components in the first and the last new direction, and the parts of a result in order.
macro_rules! route {
    ($N:ty, $tag:ty, $order:literal $(, one_direction: $one:literal)?; $seed:expr => $($part:expr),+) => {
        impl<T: Route> Route for $N {
            const ORDER: usize = T::ORDER + $order;
            const ONE_DIRECTION: bool = T::ONE_DIRECTION $(|| $one)?;
            fn run<P: Program>(program: &P, x: &[f64], along: &[&[f64]]) -> Vec<f64> {
                let (outer, inner) = along.split_at($order);
                T::run(&Tangents::<P, $tag>::new(program, outer), x, inner)
            }
        }
        impl<P: Program> Program for Tangents<'_, P, $tag> {
            fn call<T: Real<Base = f64>>(&self, x: &[T]) -> Vec<T> {
                let y: Vec<$N> = self.program.call(&self.seeded(x, $seed));
                let mut parts = Vec::new();
                $(parts.extend(y.iter().map($part));)+
                parts
            }
        }
    };
}

/// What each lane of `DualN` is seeded with, times the direction: powers of two, so that lanes are exact
/// multiples of the first one, and a lane that must stay zero.
const LANES: [f64; 4] = [1.0, -2.0, 0.0, 0.5];

/// The first lane, after a look at the others.
fn first_lane<T: Real<Base = f64>>(lanes: [T; 4]) -> T {
    let first = lanes[0].primal();
    for (lane, scale) in lanes.iter().zip(LANES) {
        let (got, want) = (lane.primal(), first * scale);
        let rounded = want.abs() < 1e-300 || want.is_infinite() || first.is_infinite();
        let zero = scale == 0.0 && got == 0.0;
        assert!(zero || got == want || got.is_nan() && want.is_nan() || rounded, "lane {got}, want {want}");
    }
    lanes[0]
}

route!(Dual<T>, Dual<()>, 1; |x, s, _| Dual::new(x, s) => |y| y.value(), |y| y.tangent());
route!(DualN<T, 4>, DualN<(), 4>, 1; |x, s, _| DualN::new(x, LANES.map(|c| s * c))
    => |y| y.value(), |y| first_lane(y.tangents()));
route!(HyperDual<T>, HyperDual<()>, 2; |x, s, t| HyperDual::new(x, s, t, T::lit(0.0))
    => |y| y.value(), |y| y.e1(), |y| y.e2(), |y| y.e12());
route!(Dual2<T, 1, 1>, Dual2<(), 1, 1>, 2, one_direction: true; |x, s, _| Dual2::new(x, [s], [T::lit(0.0)])
    => |y| y.value(), |y| y.gradient()[0], |y| y.gradient()[0], |y| y.second(0, 0));
route!(Dual2<T, 2, 3>, Dual2<(), 2, 3>, 2; |x, s, t| Dual2::new(x, [s, t], [T::lit(0.0); 3])
    => |y| y.value(), |y| y.gradient()[0], |y| y.gradient()[1], |y| y.second(0, 1));
