//! Everything that users may write with `#[derive(Differentiable)]`: any names, attributes and comments anywhere.

use wengert::space::With;
use wengert::{Differentiable, Real, gradient};

/// Names that macros and their readers like, as types, parameters, variants and fields.
mod taken {
    use super::*;

    #[derive(Differentiable, Debug, PartialEq)]
    struct Over {
        v: f64,
        function: f64,
        this: f64,
        #[data]
        next: u8,
    }
    #[derive(Differentiable, Debug, PartialEq)]
    struct S_ {
        f: f64,
        inner: Over,
    }
    #[derive(Differentiable, Debug, PartialEq)]
    struct T_ {
        s: S_,
    }
    #[derive(Differentiable, Debug, PartialEq)]
    struct N_ {
        t: Box<T_>,
    }
    #[derive(Differentiable, Debug, PartialEq)]
    struct X<S_> {
        s: S_,
        over: Vec<S_>,
    }
    #[derive(Differentiable, Debug, PartialEq)]
    struct T<S> {
        s: S,
    }
    #[derive(Differentiable, Debug, PartialEq)]
    struct Real<N_> {
        s: N_,
    }
    #[derive(Differentiable, Debug, PartialEq)]
    #[allow(dead_code)]
    enum Components<T_> {
        Real(T_),
        Box { this: T_, function: T_, inner: T_, next: T_ },
        Dyn,
    }

    #[test]
    fn any_name_will_do() {
        let over = |v| Over { v, function: 2.0, this: 3.0, next: 4 };
        let n = N_ { t: Box::new(T_ { s: S_ { f: 5.0, inner: over(1.0) } }) };
        let g = gradient(|n| n.t.s.f * n.t.s.inner.v * n.t.s.inner.function * n.t.s.inner.this, &n);
        let inner = Over { v: 30.0, function: 15.0, this: 10.0, next: 4 };
        assert_eq!(g, N_ { t: Box::new(T_ { s: S_ { f: 6.0, inner } }) });
        fn triple<R: super::Real>(o: &With<Over, R>) -> R {
            o.v + o.v + o.v
        }
        assert_eq!(gradient(triple, &over(1.0)).v, 3.0);
        assert_eq!(
            gradient(|x| x.s * x.over[0], &X { s: 2.0, over: vec![3.0] }),
            X { s: 3.0, over: vec![2.0] }
        );
        assert_eq!(gradient(|t| t.s * t.s, &T { s: 2.0 }), T { s: 4.0 });
        assert_eq!(gradient(|t| t.s * t.s, &Real { s: 2.0 }), Real { s: 4.0 });
        let b = Components::Box { this: 1.0, function: 2.0, inner: 3.0, next: 4.0 };
        let g = gradient(
            |b| match *b {
                Components::Box { this, function, inner, next } => this * function + inner * next,
                _ => 0.0.into(),
            },
            &b,
        );
        assert_eq!(g, Components::Box { this: 2.0, function: 1.0, inner: 4.0, next: 3.0 });
    }
}

/// A solid.
#[derive(Differentiable, Debug, PartialEq)]
enum Solid<T> {
    /// A ball.
    #[allow(dead_code)]
    Ball(
        /// Its radius.
        #[allow(dead_code)]
        T,
    ),
    /// A box.
    Block {
        /// Its width.
        #[allow(dead_code)]
        a: T,
        /// Its other lengths.
        rest: [T; 2],
    },
}

#[test]
fn fields_of_variants_take_attributes() {
    fn volume<T: Real<Base = f64>>(s: &Solid<T>) -> T {
        match s {
            Solid::Ball(r) => r.powi(3) * 4.0,
            Solid::Block { a, rest } => *a * rest[0] * rest[1],
        }
    }
    assert_eq!(gradient(volume, &Solid::Ball(2.0)), Solid::Ball(48.0));
    let g = gradient(volume, &Solid::Block { a: 2.0, rest: [3.0, 4.0] });
    assert_eq!(g, Solid::Block { a: 12.0, rest: [8.0, 6.0] });
}

/// Tuple structs and variants, unit structs, several parameters, data anywhere.
mod shapes {
    use wengert::{Differentiable, Scalar, generic, gradient, hessian, space::With};

    #[derive(Clone, Debug, Differentiable, PartialEq)]
    struct Pair<T>(T, #[data] &'static str, Vec<T>);
    #[derive(Clone, Debug, Differentiable, PartialEq)]
    struct Plain(f64, #[data] u8, [f64; 2]);
    #[derive(Clone, Copy, Debug, PartialEq)]
    struct Nothing;
    #[derive(Clone, Debug, Differentiable, PartialEq)]
    #[differentiable(number = T)]
    struct Tagged<K, T, const N: usize> {
        values: [T; N],
        #[data]
        key: K,
        #[data]
        nothing: Nothing,
    }
    #[derive(Clone, Debug, Differentiable, PartialEq)]
    enum Curve<K, T: wengert::Real> {
        Line(T, #[data] K, T),
        Point {
            at: Tagged<u8, T, 2>,
            #[data]
            weights: Vec<f64>,
        },
        Empty,
    }

    fn value<T: Scalar>(c: &Curve<String, T>) -> T {
        match c {
            Curve::Line(a, name, b) => a * b * name.len() as f64,
            Curve::Point { at, weights } => weights[0] * at.values[0] * at.values[1] * f64::from(at.key),
            Curve::Empty => T::lit(0.0),
        }
    }

    #[test]
    fn parts_have_any_shape() {
        let g = gradient(|p| p.0 * p.2[1] * p.1.len() as f64, &Pair(2.0, "abc", vec![0.0, 5.0]));
        assert_eq!(g, Pair(15.0, "abc", vec![0.0, 6.0]));
        let product = |p: &With<Plain, wengert::Var<f64>>| p.0 * p.2[0] * f64::from(p.1);
        assert_eq!(gradient(product, &Plain(2.0, 3, [4.0, 5.0])), Plain(12.0, 3, [6.0, 0.0]));
        let line = Curve::Line(2.0, "ab".to_string(), 3.0);
        assert_eq!(gradient(value, &line), Curve::Line(6.0, "ab".to_string(), 4.0));
        let at = |values| Tagged { values, key: 2, nothing: Nothing };
        let point = |values| Curve::Point { at: at(values), weights: vec![0.5] };
        assert_eq!(gradient(value, &point([3.0, 4.0])), point([4.0, 3.0]));
        assert_eq!(gradient(value, &Curve::<String, f64>::Empty), Curve::Empty);
        #[cfg(feature = "nalgebra")]
        assert_eq!(hessian(value, &line), nalgebra::dmatrix![0.0, 2.0; 2.0, 0.0]);
    }

    #[generic]
    #[derive(Clone, Debug, Differentiable, PartialEq)]
    struct Spring {
        stiffness: f64,
        #[data]
        load: f64,
        ends: (f64, f64),
    }
    #[generic]
    impl Spring<f64> {
        fn energy(&self) -> f64 {
            0.5 * self.stiffness * (self.ends.1 - self.ends.0).powi(2) - self.load * self.ends.1
        }
    }

    #[test]
    fn the_attribute_and_the_derive_work_together() {
        let spring = |stiffness, ends| Spring { stiffness, load: 0.25, ends };
        let g = gradient(|s| s.energy(), &spring(3.0, (1.0, 3.0)));
        assert_eq!(g, spring(2.0, (-6.0, 5.75)));
    }
}
