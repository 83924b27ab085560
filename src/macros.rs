//! The attribute, the derive and the function objects of the package wengert-macros.

/// Makes plain `f64` code generic over the number, so that it has derivatives. It still runs at `f64`, with the same
/// bits.
///
/// ```
/// #[wengert::generic]
/// fn rosenbrock(x: &[f64]) -> f64 {
///     x.windows(2)
///         .map(|w| 100.0 * (w[1] - w[0] * w[0]).powi(2) + (1.0 - w[0]).powi(2))
///         .sum()
/// }
/// assert_eq!(rosenbrock(&[-1.0, 1.0, 2.0]), 104.0);
/// let g = wengert::gradient(|x| rosenbrock(x), &[-1.0, 1.0, 2.0]);
/// assert_eq!(g, [-4.0, -400.0, 200.0]);
/// ```
///
/// # The generated code
///
/// The type `f64` becomes a parameter with the bound [`Scalar`](crate::Scalar), everywhere. A constant stays a
/// constant where it is an operand, and becomes a number elsewhere. So
///
/// ```
/// # #[cfg(any())] {
/// #[wengert::generic]
/// fn mean_square(x: &[f64], #[data] weights: &[f64]) -> f64 {
///     let share = 1.0 / x.len() as f64;
///     let mut sum = 0.0;
///     for (x, w) in x.iter().zip(weights) {
///         sum += 2.0 * w * (x - std::f64::consts::PI).powi(2);
///     }
///     if sum > 1e300 { f64::INFINITY } else { share * sum }
/// }
/// # }
/// ```
///
/// is compiled as
///
/// ```
/// # use wengert::{Number, Scalar};
/// fn mean_square<T: Scalar>(x: &[T], weights: &[f64]) -> T {
///     let share = 1.0 / x.len() as f64;
///     let mut sum = T::lit(0.0);
///     for (x, w) in x.iter().zip(weights) {
///         sum += 2.0 * w * (x - std::f64::consts::PI).powi(2);
///     }
///     if sum > 1e300 { T::lit(f64::INFINITY) } else { share * sum }
/// }
/// # assert_eq!(mean_square(&[0.0, 6.0], &[0.0, 0.0]), 0.0);
/// ```
///
/// Literals, constants of std, `expr as f64`, functions of them and immutable names of them are constants; the elements of
/// an array of literals are numbers. The attribute translates literals in `vec![0.0; n]`, `assert_eq!`, `println!` and the like, too.
///
/// # Data
///
/// Arguments and fields marked `#[data]` stay `f64`. Data may be either operand of an operator. Statements (`#[data]
/// let`), arguments of a call and whole functions take the mark too. The attribute follows data through iterators,
/// closures and functions: a result of data alone is data, and becomes a number where one is needed.
///
/// ```
/// #[wengert::generic]
/// fn loss(p: &[f64], #[data] t: &[f64], #[data] y: &[f64]) -> f64 {
///     t.iter().zip(y).map(|(t, y)| (p[0] * (-t * p[1]).exp() - y).powi(2)).sum()
/// }
/// let (t, y) = ([0.0, 1.0, 2.0], [1.0, 0.5, 0.25]);
/// let g = wengert::gradient(|p| loss(p, &t, &y), &[1.0, 2f64.ln()]);
/// assert!(g.iter().all(|g| g.abs() < 1e-15));
/// ```
///
/// # Structs, traits and modules
///
/// A struct with `f64` gets the parameter, `struct Pendulum<T = f64>`, and so do enums, traits and type aliases. In
/// an inline module all items are translated together, so each may use the others; constants of the module stay
/// `f64`.
///
/// ```
/// #[wengert::generic]
/// mod physics {
///     const G: f64 = 9.81;
///     pub struct Pendulum {
///         pub length: f64,
///     }
///     impl Pendulum {
///         pub fn period(&self) -> f64 {
///             2.0 * std::f64::consts::PI * (self.length / G).sqrt()
///         }
///     }
/// }
/// use physics::Pendulum;
/// assert!(Pendulum { length: 1.0 }.period() > 2.0);
/// let slope = wengert::derivative(|length| Pendulum { length }.period(), 1.0);
/// assert!((slope - Pendulum { length: 1.0 }.period() / 2.0).abs() < 1e-15);
/// ```
///
/// Outside of a module the attribute sees one item. Then `f64` in the header of an `impl` states that the struct has
/// the parameter: `#[generic] impl Pendulum<f64> { … }`. Without it the struct holds data, and the methods get the
/// parameter. A method `call(&self, x: &[f64]) -> f64` makes such a struct a `Function`. Methods `call(&self, x:
/// &[f64], y: &mut [f64])` and `outputs(&self, n: usize) -> usize` make it a `VectorFunction`.
///
/// ```
/// use wengert::{Function, generic};
/// struct Lagrangian<'a> { lambda: &'a [f64] }
/// #[generic]
/// impl Lagrangian<'_> {
///     fn call(&self, z: &[f64]) -> f64 {
///         z[0] * z[1] + self.lambda[0] * (z[0] + z[1] - 1.0)
///     }
/// }
/// let mut lambda = [0.0];
/// for _ in 0..3 {
///     let g = Lagrangian { lambda: &lambda }.gradient(&[0.5, 0.5]);
///     lambda[0] -= g[0];
/// }
/// assert_eq!(lambda, [-0.5]);
/// ```
///
/// # Bounds
///
/// | argument | bound | for |
/// |---|---|---|
/// | none | `Scalar` | code in `f64` |
/// | `f32` | `Scalar<f32>` | code in `f32`; may be followed by another argument |
/// | `vectors` | `Scalar` | operators of vectors and matrices: constants become numbers, numbers go to the right of a product. The attribute recognises nalgebra's types, num-complex's, and `impl Mul<f64> for …` without this argument |
/// | `Real` | `Real<Base = f64>` | code that is called from generic code with this bound; no operators of two references |
/// | `RealField` | `matrix::RealEntry<Base = f64>` | nalgebra's norms, geometry and decompositions |
/// | `Float` | `num_traits::Float + NumAssign` | code for other crates |
/// | `Number` | `Number<Base = f64>` | code for complex numbers too, without comparisons |
///
/// # Code that it does not translate
///
/// The attribute sees text, not types. Code that it cannot translate is an error, of the attribute or of the
/// compiler, at your code: patterns with float literals, a `const fn` that computes, `async fn`, unknown macros with
/// float literals, a trait implemented for `f64`, `1.0 - z` of a complex number. A function over `f64` elsewhere takes no
/// numbers; a function elsewhere that takes data needs `#[data]` on the argument. An alias of `f64` from elsewhere stays `f64`.
///
/// A number becomes an integer by its value, and the derivative ends there. A trace compares the integer. `x as usize`
/// compiles if the text shows that `x` is a number. Otherwise write `x.trunc().primal() as usize`.
pub use wengert_macros::generic;

/// Writes a [`Function`](crate::Function) or a [`VectorFunction`](crate::VectorFunction) as a closure in plain `f64`
/// code, which [`#[generic]`](macro@crate::generic) translates.
///
/// ```
/// use wengert::{Function, VectorFunction, function};
/// let f = function!(|x| x[0] * x[1].sin() + 1.0);
/// assert_eq!(f.call(&[2.0, 0.5]), 2.0 * 0.5f64.sin() + 1.0);
/// assert_eq!(f.gradient(&[2.0, 0.5]), [0.5f64.sin(), 2.0 * 0.5f64.cos()]);
/// let valley = function!(|x| {
///     x.windows(2)
///         .map(|w| 100.0 * (w[1] - w[0] * w[0]).powi(2) + (1.0 - w[0]).powi(2))
///         .sum()
/// });
/// assert_eq!(valley.gradient(&[-1.0, 1.0, 2.0]), [-4.0, -400.0, 200.0]);
/// // A closure that ends with an array or `vec![…]` has several results.
/// let g = function!(|x| [3.0 * x[0], x[0] * x[1]]);
/// # #[cfg(feature = "nalgebra")]
/// assert_eq!(g.jacobian(&[2.0, 5.0]), nalgebra::dmatrix![3.0, 0.0; 5.0, 2.0]);
/// // A closure that fills a buffer states its size, which may be any expression of data.
/// let n = 2;
/// let squares = function!(|x, y: [_; n], #[data] n: usize| {
///     for i in 0..n { y[i] = x[i] * x[i] }
/// });
/// # #[cfg(feature = "nalgebra")]
/// assert_eq!(squares.jacobian(&[2.0, 5.0]), nalgebra::dmatrix![4.0, 0.0; 0.0, 10.0]);
/// ```
///
/// It may use constants and functions of its surroundings. It captures the variables that it names with their types, as data:
/// by reference if the type is a reference, otherwise by value. In the closure a captured value is a reference, unless it is a
/// number, `bool` or `char`, or an array or a tuple of these. The types are `Clone`, and name no generic parameter of the surroundings.
///
/// ```
/// use wengert::{Function, function};
/// let (t, y) = (vec![0.0, 1.0, 2.0], vec![1.0, 0.5, 0.25]);
/// let loss = function!(|p, #[data] t: &[f64], #[data] y: &[f64]| {
///     t.iter().zip(y).map(|(t, y)| (p[0] * (-p[1] * t).exp() - y).powi(2)).sum()
/// });
/// let g = loss.gradient(&[1.0, 2f64.ln()]);
/// assert!(g.iter().all(|g| g.abs() < 1e-15));
/// // A family of functions of one type.
/// let scaled = |k: f64| function!(|x, #[data] k: f64| k * x[0] * x[0]);
/// assert_eq!([1.0, 5.0].map(|k| scaled(k).gradient(&[3.0])), [[6.0], [30.0]]);
/// ```
#[cfg(feature = "std")]
pub use wengert_macros::function;

/// Implements [`Differentiable`](trait@crate::Differentiable) for a struct or an enum, which then can be a point, a
/// tangent and a result of differentiated functions.
///
/// The parts are numbers or structures of numbers ([`space`](crate::space)). Parts marked `#[data]` are plain data of any
/// type that is `Clone`: they are cloned, not differentiated. The gradient of a function of a struct has the type of the
/// struct.
///
/// **With a parameter**, the function takes the struct itself over another number type, and methods in `impl` blocks
/// over `T: Real` work for all number types. Prefer this form.
///
/// ```
/// use wengert::{Differentiable, Scalar, gradient};
/// #[derive(Clone, Debug, Differentiable, PartialEq)]
/// pub struct Spring<T> { pub stiffness: T, rest: T, #[data] label: String }
/// impl<T: Scalar> Spring<T> {
///     fn energy(&self, x: f64) -> T { 0.5 * self.stiffness * (self.rest - x).powi(2) }
/// }
/// let s = Spring { stiffness: 3.0, rest: 1.0, label: "front".to_string() };
/// let g = gradient(|s| s.energy(3.0), &s);
/// assert_eq!(g, Spring { stiffness: 2.0, rest: -6.0, label: "front".to_string() });
/// ```
///
/// [`#[generic]`](macro@crate::generic) writes the parameter as the last one:
///
/// ```
/// use wengert::{Differentiable, generic, gradient};
/// #[generic]
/// #[derive(Differentiable)]
/// struct Spring { stiffness: f64, rest: f64, #[data] load: f64 }
/// #[generic]
/// impl Spring<f64> {
///     fn energy(&self) -> f64 { 0.5 * self.stiffness * (self.rest - self.load).powi(2) }
/// }
/// let g = gradient(|s| s.energy(), &Spring { stiffness: 3.0, rest: 1.0, load: 3.0 });
/// assert_eq!((g.stiffness, g.rest), (2.0, -6.0));
/// ```
///
/// If there are several type parameters, the number is the one with the bound `Real` or the default `f64`, or the one
/// that `#[differentiable(number = T)]` names. With `#[differentiable(complex)]` the parts may be complex, and the
/// drivers of [`complex`](crate::complex) take the struct too:
///
/// ```
/// use num_complex::Complex64;
/// use wengert::{Differentiable, Number, complex};
/// #[derive(Differentiable)]
/// #[differentiable(complex)]
/// struct Network<T> { taps: Vec<T>, gain: T }
/// let x = Network { taps: vec![Complex64::new(1.0, 2.0)], gain: Complex64::new(0.0, 3.0) };
/// // L = |gain·tap²|²: ∂L/∂gain = 2·gain·|tap²|²
/// let g = complex::gradient(|n| complex::norm_sqr(n.gain * n.taps[0].square()), &x);
/// assert_eq!(g.gain, x.gain * 2.0 * 25.0);
/// ```
///
/// **Without a parameter**, the numbers of a struct are `f64`, and the function takes a generated type with the same
/// parts over another number type; [`space::With`](crate::space::With) names it. Such a struct may contain itself.
///
/// ```
/// use wengert::{Differentiable, Real, gradient, space::With};
/// #[derive(Differentiable)]
/// struct List { v: f64, next: Option<Box<List>> }
/// fn product<T: Real>(l: &With<List, T>) -> T {
///     l.next.as_ref().map_or(l.v, |next| l.v * product(next))
/// }
/// let list = |v, next| List { v, next };
/// let l = list(1.0, Some(Box::new(list(2.0, Some(Box::new(list(3.0, None)))))));
/// let g = gradient(|l| product(l), &l);
/// let g1 = g.next.unwrap();
/// assert_eq!((g.v, g1.v, g1.next.unwrap().v), (6.0, 3.0, 2.0));
/// ```
///
/// **For a struct of another module** whose parts are visible, repeat the declaration and name the struct:
///
/// ```
/// use wengert::{Differentiable, gradient};
/// struct P { a: f64, b: Vec<f64>, n: usize }
/// #[derive(Differentiable)]
/// #[differentiable(of = P)]
/// struct PartsOfP { a: f64, b: Vec<f64>, n: usize }
/// let g = gradient(|p| p.b[p.n] * p.a, &P { a: 2.0, b: vec![3.0, 4.0], n: 1 });
/// assert_eq!((g.a, g.b), (4.0, vec![0.0, 2.0]));
/// ```
///
/// **An enum** has a parameter. A tangent has the variant of its point.
///
/// ```
/// use wengert::{Differentiable, gradient};
/// #[derive(Differentiable)]
/// enum Shape<T> { Circle(T), Rectangle(T, T), Named { size: T, #[data] id: u32 }, Nothing }
/// let shape = Shape::Rectangle(2.0, 3.0);
/// let g = gradient(|s| match s {
///     Shape::Rectangle(a, b) => *a * *b,
///     Shape::Circle(r) => *r * *r,
///     _ => 0.0.into(),
/// }, &shape);
/// assert!(matches!(g, Shape::Rectangle(3.0, 2.0)));
/// ```
///
/// **With rotations as parts**, the tangent type differs from the struct. Name it; it has the same fields with the
/// tangents of the parts, and no data. `derive(…)` lists the traits that it derives.
///
/// ```
/// # #[cfg(feature = "nalgebra")] {
/// use nalgebra::{Rotation3, Vector3};
/// use wengert::{Differentiable, gradient, space::perturb};
/// #[derive(Differentiable)]
/// #[differentiable(tangent = PoseTangent, derive(Debug))]
/// struct Pose<T> { r: Rotation3<T>, t: Vector3<T>, #[data] name: String }
/// let (r, t) = (Rotation3::identity(), Vector3::new(1.0, 2.0, 3.0));
/// let pose = Pose { r, t, name: "camera".to_string() };
/// // f = (R·e₁)₂ + |t|²
/// let g: PoseTangent<f64> = gradient(|p| p.r[(1, 0)] + p.t.norm_squared(), &pose);
/// assert_eq!((g.r, g.t), (Vector3::z(), Vector3::new(2.0, 4.0, 6.0)));
/// let there: Pose<f64> = perturb(&pose, -0.5, &g).unwrap();
/// assert_eq!((there.t.norm(), there.name), (0.0, pose.name));
/// # }
/// ```
/// ```compile_fail,E0277
/// #[derive(wengert::Differentiable)]
/// struct Pose<T> { r: nalgebra::Rotation3<T> }
/// ```
#[cfg(feature = "std")]
pub use wengert_macros::Differentiable;
