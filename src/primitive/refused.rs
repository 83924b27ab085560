//! Every way to state a rule, with a captured value. It compiles with a plain number, and does not with a number that
//! has a derivative. The examples are tests; no page shows them.

/// The code three times: the captured value is an `f64`, a `Dual` or a `Var`.
macro_rules! held {
    ($($Form:ident: $code:literal;)*) => {$(
        #[doc = concat!("```\ntype Held = f64;\nfn take(a: Held) -> f64 { a }\n", $code, "\n```")]
        #[doc = concat!("```compile_fail,E0277\ntype Held = wengert::Dual<f64>;\nfn take(a: Held) -> f64 { a.value() }\n", $code, "\n```")]
        #[doc = concat!("```compile_fail,E0277\ntype Held = wengert::Var<f64>;\nfn take(a: Held) -> f64 { a.value() }\n", $code, "\n```")]
        #[allow(dead_code)] // for its examples
        struct $Form;
    )*};
}

held! {
    ValueOfJvp: "pub fn rule(a: Held) {
        wengert::primitive::from_jvp(\"f\", 1, move |_| vec![take(a)], |_, dx| dx[0].to_vec());
    }";
    Jvp: "pub fn rule(a: Held) {
        wengert::primitive::from_jvp(\"f\", 1, |x| x[0].to_vec(), move |_, _| vec![take(a)]);
    }";
    ValueOfVjp: "pub fn rule(a: Held) {
        wengert::primitive::from_vjp(\"f\", 1, move |_| vec![take(a)], |_, w| vec![w.to_vec()]);
    }";
    Vjp: "pub fn rule(a: Held) {
        wengert::primitive::from_vjp(\"f\", 1, |x| x[0].to_vec(), move |_, _| vec![vec![take(a)]]);
    }";
    ValueOfBoth: "pub fn rule(a: Held) {
        let value = move |_: &[&[f64]]| vec![take(a)];
        wengert::primitive::from_jvp_and_vjp(\"f\", 1, value, |_, dx| dx[0].to_vec(), |_, w| vec![w.to_vec()]);
    }";
    JvpOfBoth: "pub fn rule(a: Held) {
        let jvp = move |_: &[&[f64]], _: &[&[f64]]| vec![take(a)];
        wengert::primitive::from_jvp_and_vjp(\"f\", 1, |x| x[0].to_vec(), jvp, |_, w| vec![w.to_vec()]);
    }";
    VjpOfBoth: "pub fn rule(a: Held) {
        let vjp = move |_: &[&[f64]], _: &[f64]| vec![vec![take(a)]];
        wengert::primitive::from_jvp_and_vjp(\"f\", 1, |x| x[0].to_vec(), |_, dx| dx[0].to_vec(), vjp);
    }";
    Differences: "pub fn rule(a: Held) {
        wengert::primitive::from_finite_differences(\"f\", 1, move |_| vec![take(a)]);
    }";
    ComplexStep: "pub fn rule(a: Held) {
        wengert::primitive::from_complex_step(\"f\", 1, move |_| vec![take(a).into()]);
    }";
    Formulas: "use wengert::{AdError, primitive::{Direction, Rule}};
    #[derive(Clone)]
    pub struct Form(Held);
    impl Rule for Form {
        fn name(&self) -> &'static str { \"f\" }
        fn arity(&self) -> usize { 1 }
        fn supports(&self, _: Direction) -> bool { false }
        fn value(&self, _: &[&[f64]]) -> Result<Vec<f64>, AdError> { Ok(vec![take(self.0)]) }
    }";
}

#[cfg(feature = "nalgebra")]
held! {
    Root: "use wengert::{AdError, Real, primitive::Equations};
    #[derive(Clone)]
    pub struct Form(Held);
    impl Equations for Form {
        fn name(&self) -> &'static str { \"f\" }
        fn solution(&self, _: &[&[f64]]) -> Result<Vec<f64>, AdError> { Ok(vec![take(self.0)]) }
        fn residual<T: Real<Base = f64>>(&self, _: &[&[T]], y: &[T]) -> Vec<T> { y.to_vec() }
    }";
    FixedPoint: "use wengert::{AdError, Real, primitive::Iteration};
    #[derive(Clone)]
    pub struct Form(Held);
    impl Iteration for Form {
        fn name(&self) -> &'static str { \"f\" }
        fn limit(&self, _: &[&[f64]]) -> Result<Vec<f64>, AdError> { Ok(vec![take(self.0)]) }
        fn step<T: Real<Base = f64>>(&self, _: &[&[T]], y: &[T]) -> Vec<T> { y.to_vec() }
    }";
    Minimum: "use wengert::{AdError, Real, primitive::Objective};
    #[derive(Clone)]
    pub struct Form(Held);
    impl Objective for Form {
        fn name(&self) -> &'static str { \"f\" }
        fn minimiser(&self, _: &[&[f64]]) -> Result<Vec<f64>, AdError> { Ok(vec![take(self.0)]) }
        fn value<T: Real<Base = f64>>(&self, _: &[&[T]], y: &[T]) -> T { y[0] }
    }";
    OfAUser: "use wengert::{AdError, LinearMap, Number, primitive::{PrimalNumber, Primitive}};
    #[derive(Clone)]
    pub struct Form(Held);
    pub struct Map;
    impl<P: PrimalNumber> Primitive<P> for Form {
        type Map<T: Number<Primal = P, Base = P::Base>> = Map;
        fn name(&self) -> &'static str { \"f\" }
        fn value(&self, _: &[&[P]]) -> Result<Vec<P>, AdError> { Ok(vec![P::lit(take(self.0))]) }
        fn linearize<T: Number<Primal = P, Base = P::Base>>(&self, _: Vec<Vec<T>>, _: &[T]) -> Result<Self::Map<T>, AdError> {
            Ok(Map)
        }
    }
    impl<T> LinearMap<T> for Map {
        fn apply(&self, _: &[Option<&[T]>], _: &mut [T]) {}
        fn apply_transpose_add(&self, _: &[T], _: &mut [Option<&mut [T]>]) {}
    }";
}
