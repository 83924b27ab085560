//! Modes: the scenarios of `check` for each, faults that they must find, and the list of free functions.
#![cfg(all(feature = "std", feature = "nalgebra"))]

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

use nalgebra::{DMatrix, matrix};
use wengert::check::Scenarios;
use wengert::mode::{Changed, Directional, Lanes, Mode, Pass, Seeds, Sink};
use wengert::{
    AdError, FiniteDifference, Forward, ForwardChunk, Function, Packed, Real, Reverse, SecondOrder, function,
    prepare,
};

/// Counts the allocations of this thread.
struct Counting;

thread_local!(static ALLOCATIONS: Cell<usize> = const { Cell::new(0) });

#[allow(unsafe_code)] // an allocator is declared unsafe; this one hands everything on
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ALLOCATIONS.set(ALLOCATIONS.get() + 1);
        unsafe { System.alloc(layout) }
    }
    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

fn scenarios() -> Scenarios {
    Scenarios::new().allocations(|| ALLOCATIONS.get())
}

#[test]
fn modes_of_first_order() {
    scenarios().first_order(Forward).assert();
    scenarios().first_order(ForwardChunk::<1>).assert();
    scenarios().first_order(ForwardChunk::<2>).assert();
    scenarios().first_order(ForwardChunk::<8>).assert();
    scenarios().first_order(Reverse).assert();
    scenarios().tolerance(1e-7).first_order(FiniteDifference::default()).assert();
    let matrix = DMatrix::from_fn(2, 3, |i, j| 0.5 + i as f64 - j as f64);
    scenarios().first_order_at(ForwardChunk::<4>, "matrix", &matrix).assert();
    scenarios().first_order_at(Reverse, "matrix", &matrix).assert();
    scenarios().first_order_at(Reverse, "number", &1.5).assert();
    scenarios().first_order_at(Forward, "complex number", &num_complex::Complex::new(0.5, -1.5)).assert();
}

#[test]
fn modes_of_second_order() {
    scenarios().second_order(Packed::<2, 3>).assert();
    scenarios().second_order(Packed::<8, 36>).assert();
    scenarios().second_order(SecondOrder(Forward, Reverse)).assert();
    scenarios().second_order(SecondOrder(ForwardChunk::<8>, Reverse)).assert();
    scenarios().second_order(SecondOrder(Forward, Forward)).assert();
    scenarios().second_order(SecondOrder(Forward, ForwardChunk::<4>)).assert();
    scenarios().second_order(SecondOrder(Reverse, Forward)).assert();
    scenarios().second_order(SecondOrder(Reverse, ForwardChunk::<2>)).assert();
    scenarios().second_order(SecondOrder(Reverse, Reverse)).assert();
    let differences = FiniteDifference::default();
    scenarios().tolerance(1e-7).second_order(SecondOrder(differences, Reverse)).assert();
    scenarios().tolerance(1e-7).second_order(SecondOrder(Forward, differences)).assert();
    let matrix = DMatrix::from_fn(2, 3, |i, j| 0.5 + i as f64 - j as f64);
    scenarios().second_order_at(SecondOrder(Forward, Reverse), "matrix", &matrix).assert();
}

#[test]
fn functions_of_ones_own() {
    let f = function!(|x| (x[0] * x[1]).sin() + x[2].exp() * x[0]);
    let outcome =
        scenarios().of_function(&f, &[0.3, -1.2, 0.7], Packed::<4, 10>, SecondOrder(Reverse, Reverse));
    assert!(outcome.assertions > 5);
    outcome.assert();
}

/// What a faulty mode does wrong.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Fault {
    None,
    /// Products are wrong by a factor.
    Product,
    /// What the call before has left is added.
    Doubled,
    /// One evaluation more each time.
    Calls,
    /// Memory that is not kept.
    Allocates,
    /// The value is that of a moved point.
    Value,
    /// The last lane of a batch is left out.
    LastLane,
}

/// Central differences with a fault.
#[derive(Clone, Copy)]
struct Faulty(Fault);

struct Moved<'a, L>(&'a L, usize, f64);

impl<T: Real, L: Lanes<T>> Seeds<T, T> for Moved<'_, L> {
    fn constant(&self, x: T) -> T {
        x
    }
    fn direction(&self, i: usize, x: T) -> T {
        if self.2 == 0.0 { x } else { x + self.0.component(self.1, i) * T::lit(self.2) }
    }
    fn value(&self, y: T) -> T {
        y
    }
}

impl Mode for Faulty {
    type Number<T: Real> = T;
    type Scratch<T: Real> = (Vec<T>, usize, Vec<T>);
}

impl Pass for Faulty {
    const PULLS: bool = false;
    fn push<T, Y, F, S>(
        &self,
        (above, calls, left): &mut Self::Scratch<T>,
        f: &mut F,
        along: &impl Lanes<T>,
        sink: &mut S,
    ) -> Result<(), AdError>
    where
        T: Real,
        Y: ?Sized,
        F: Directional<T, T, Out = Y>,
        S: Sink<T, T, Y>,
    {
        let (h, fault) = (1e-5, self.0);
        let off = if fault == Fault::Value { 1e-2 } else { 0.0 };
        let mut lanes = along.lanes(f.directions());
        let some = lanes.start;
        f.along(&Moved(along, some, if lanes.is_empty() { 0.0 } else { off }), Changed::All, |y, row| {
            sink.start(y, row.len(), &|y| y)
        })?;
        if fault == Fault::Calls {
            *calls += 1;
            for _ in 0..*calls {
                f.along(&Moved(along, some, 0.0), Changed::All, |_, _| Ok(()))?;
            }
        }
        if fault == Fault::Allocates {
            *above = Vec::new();
        }
        if fault == Fault::LastLane && lanes.len() > 1 {
            lanes.end -= 1;
        }
        for lane in lanes {
            f.along(&Moved(along, lane, h), Changed::All, |_, row| {
                above.clear();
                above.extend_from_slice(row);
                Ok(())
            })?;
            f.along(&Moved(along, lane, -h), Changed::All, |_, row| {
                let factor = if fault == Fault::Product { 1.01 } else { 1.0 };
                let old = if fault == Fault::Doubled { left.first().copied() } else { None };
                let old = old.unwrap_or(T::lit(0.0));
                let slope = |i: usize| (above[i] - row[i]) / T::lit(2.0 * h) * T::lit(factor) + old;
                sink.take(lane..lane + 1, 0..row.len(), |i, _| slope(i));
                let last = row.first().map(|_| slope(0)).unwrap_or(T::lit(0.0));
                left.clear();
                left.push(last);
                Ok(())
            })?;
        }
        Ok(())
    }
}

/// Each dimension of the suite finds a fault planted in it.
#[test]
fn planted_faults_are_found() {
    let run = |fault| scenarios().tolerance(1e-6).first_order(Faulty(fault));
    run(Fault::None).assert();
    let faults =
        [Fault::Product, Fault::Doubled, Fault::Calls, Fault::Allocates, Fault::Value, Fault::LastLane];
    for fault in faults {
        assert!(!run(fault).failures.is_empty(), "{fault:?} is not found");
    }
    // By name: evaluations, allocations, values.
    let says = |fault, text: &str| run(fault).failures.iter().any(|failure| failure.contains(text));
    assert!(says(Fault::Calls, "evaluations, then"));
    assert!(says(Fault::Allocates, "allocations"));
    assert!(says(Fault::Value, ": value "));
    assert!(says(Fault::LastLane, "jvp of a batch"));
}

/// The free functions, mode by mode and form by form: all names exist and agree.
#[test]
fn the_list_of_free_functions() {
    let (x, v, w) = ([2.0, 3.0], [0.5, -1.0], [1.0, 10.0]);
    let (j, h) = (matrix![3.0, 2.0; 1.0, 0.0], matrix![0.0, 6.0; 6.0, 4.0]);
    macro_rules! all {
        ($mode:ident) => {{
            use wengert::$mode::*;
            assert_eq!(derivative(|t| [t * t, t], 3.0), [6.0, 1.0]);
            assert_eq!(value_and_derivative(|t| [t * t, t], 3.0), ([9.0, 3.0], [6.0, 1.0]));
            let mut out = [f64::NAN; 2];
            assert_eq!((derivative_into(|t| [t * t, t], 3.0, &mut out), out), ([9.0, 3.0], [6.0, 1.0]));
            assert_eq!(second_derivative(|t| [t * t * t, t], 3.0), [18.0, 0.0]);
            let all = value_and_second_derivative(|t| [t * t * t, t], 3.0);
            assert_eq!(all, ([27.0, 3.0], [27.0, 1.0], [18.0, 0.0]));
            let y = second_derivative_into(|t| [t * t * t, t], 3.0, &mut out);
            assert_eq!((y, out), ([27.0, 3.0], [18.0, 0.0]));

            assert_eq!(gradient(|x| x[0] * x[1], &x), [3.0, 2.0]);
            assert_eq!(value_and_gradient(|x| x[0] * x[1], &x), (6.0, [3.0, 2.0]));
            assert_eq!((gradient_into(|x| x[0] * x[1], &x, &mut out), out), (6.0, [3.0, 2.0]));
            assert_eq!(jacobian(|x| [x[0] * x[1], x[0]], &x), j);
            assert_eq!(value_and_jacobian(|x| [x[0] * x[1], x[0]], &x), ([6.0, 2.0], j));
            let mut to = DMatrix::from_element(2, 2, f64::NAN);
            assert_eq!(
                (jacobian_into(|x| [x[0] * x[1], x[0]], &x, &mut to), &to),
                ([6.0, 2.0], &DMatrix::from_column_slice(2, 2, j.as_slice()))
            );
            assert_eq!(jvp(|x| [x[0] * x[1], x[0]], &x, &v), [-0.5, 0.5]);
            assert_eq!(value_and_jvp(|x| [x[0] * x[1], x[0]], &x, &v), ([6.0, 2.0], [-0.5, 0.5]));
            assert_eq!((jvp_into(|x| [x[0] * x[1], x[0]], &x, &v, &mut out), out), ([6.0, 2.0], [-0.5, 0.5]));
            assert_eq!(vjp(|x| [x[0] * x[1], x[0]], &x, &w), [13.0, 2.0]);
            assert_eq!(value_and_vjp(|x| [x[0] * x[1], x[0]], &x, &w), ([6.0, 2.0], [13.0, 2.0]));
            assert_eq!((vjp_into(|x| [x[0] * x[1], x[0]], &x, &w, &mut out), out), ([6.0, 2.0], [13.0, 2.0]));

            let (g, hv) = ([9.0, 12.0], [-6.0, -1.0]);
            assert_eq!(hvp(|x| x[0] * x[1] * x[1], &x, &v), hv);
            assert_eq!(value_and_hvp(|x| x[0] * x[1] * x[1], &x, &v), (18.0, hv));
            assert_eq!((hvp_into(|x| x[0] * x[1] * x[1], &x, &v, &mut out), out), (18.0, hv));
            assert_eq!(value_gradient_and_hvp(|x| x[0] * x[1] * x[1], &x, &v), (18.0, g, hv));
            let mut slope = [f64::NAN; 2];
            let y = value_gradient_and_hvp_into(|x| x[0] * x[1] * x[1], &x, &v, &mut slope, &mut out);
            assert_eq!((y, slope, out), (18.0, g, hv));
            assert_eq!(hessian(|x| x[0] * x[1] * x[1], &x), h);
            assert_eq!(value_and_hessian(|x| x[0] * x[1] * x[1], &x), (18.0, h));
            let y = hessian_into(|x| x[0] * x[1] * x[1], &x, &mut to);
            assert_eq!((y, to.as_slice()), (18.0, h.as_slice()));
            assert_eq!(value_gradient_and_hessian(|x| x[0] * x[1] * x[1], &x), (18.0, g, h));
            let y = value_gradient_and_hessian_into(|x| x[0] * x[1] * x[1], &x, &mut slope, &mut to);
            assert_eq!((y, slope, to.as_slice()), (18.0, g, h.as_slice()));
        }};
    }
    all!(forward);
    all!(reverse);
    // The root has one of each name, of the mode that is better as a rule.
    #[allow(unused_imports)]
    use wengert::{
        derivative, derivative_into, gradient, gradient_into, hessian, hessian_into, hvp, hvp_into, jacobian,
        jacobian_into, jvp, jvp_into, second_derivative, second_derivative_into, value_and_derivative,
        value_and_gradient, value_and_hessian, value_and_hvp, value_and_jacobian, value_and_jvp,
        value_and_second_derivative, value_and_vjp, value_gradient_and_hessian,
        value_gradient_and_hessian_into, value_gradient_and_hvp, value_gradient_and_hvp_into, vjp, vjp_into,
    };
}

/// A point that is prepared knows its structure, not only its size.
#[test]
fn structures_are_prepared() {
    let mut gradient = prepare::gradient(Reverse, &(1.0, vec![2.0, 3.0]));
    let (f, mut g) = (|x: &(wengert::Var<f64>, Vec<wengert::Var<f64>>)| x.0 * x.1[0], [7.0; 3]);
    let error = gradient.of(f).at(&(1.0, vec![2.0, 3.0, 4.0]), &mut [7.0; 4]).unwrap_err();
    let text = "gradient: prepared for other sizes: point prepared 3, given 4 (does not fit); \
                gradient buffer prepared 3, given 4 (does not fit)";
    assert_eq!(error.to_string(), text);
    assert_eq!(gradient.of(f).at(&(5.0, vec![2.0, 3.0]), &mut g), Ok(10.0));
    assert_eq!(g, [2.0, 5.0, 0.0]);
    let mut nested = prepare::gradient(Reverse, &vec![vec![1.0, 2.0], vec![3.0]]);
    let error = nested.of(|x| x[0][0]).at(&vec![vec![1.0], vec![2.0, 3.0]], &mut g).unwrap_err();
    assert_eq!(error.to_string(), "gradient: the point has length 1, expected 2");
}

/// Hessians of vector functions, by nesting: the third component of a cumulative product.
#[test]
fn tensors_by_nesting() {
    let cumulative =
        |x: &[wengert::DualN<wengert::DualN<f64, 8>, 8>]| [x[0], x[0] * x[1], x[0] * x[1] * x[2]];
    let all = wengert::jacobian(|x| wengert::jacobian(cumulative, &[x[0], x[1], x[2]]), &[1.0, 2.0, 3.0]);
    // Entry (i, j) of the inner Jacobian is row i + 3j: row 2 + 3j belongs to the third component.
    let third = DMatrix::from_fn(3, 3, |i, j| all[(2 + 3 * i, j)]);
    assert_eq!(third, nalgebra::dmatrix![0.0, 3.0, 2.0; 3.0, 0.0, 1.0; 2.0, 1.0, 0.0]);
}

/// The methods of a function and an operator of each mode agree, however many variables.
#[test]
fn any_number_of_variables() {
    let f = function!(|x| x.windows(2).map(|w| (w[0] * w[1]).sin()).sum::<Scalar>()
        + x.iter().map(|x| x.powi(3)).sum::<Scalar>());
    for n in 0..=40 {
        let x: Vec<f64> = (0..n).map(|k| 0.5 + 0.1 * k as f64).collect();
        let (mut a, mut b, mut c) = (vec![0.0; n], vec![0.0; n], vec![0.0; n]);
        let y = f.gradient_into(&x, &mut a);
        assert_eq!(prepare::gradient(Reverse, &x).of_object(&f).at(&x, &mut b), Ok(y));
        assert_eq!(prepare::gradient(ForwardChunk::<12>, &x).of_object(&f).at(&x, &mut c), Ok(y));
        let near =
            |a: &[f64], b: &[f64]| a.iter().zip(b).all(|(a, b)| (a - b).abs() <= 1e-13 * (1.0 + b.abs()));
        assert!(near(&a, &b) && near(&a, &c), "{n}: {a:?} {b:?} {c:?}");
    }
}
