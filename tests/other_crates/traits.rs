//! Every foreign trait that outside crates require of a number, for every number type and for nestings; and the
//! effect of the methods of these traits on derivatives.

use super::derivatives::Case;
use approx::{AbsDiffEq, RelativeEq, UlpsEq};
use nalgebra::{ComplexField, RealField, SimdComplexField, SimdRealField};
use num_complex::{Complex, Complex64};
use num_traits::float::{FloatCore, TotalOrder};
use num_traits::{
    AsPrimitive, Bounded, Euclid, Float, FloatConst, FromPrimitive, Inv, MulAdd, MulAddAssign, Num,
    NumAssign, NumAssignOps, NumAssignRef, NumCast, NumOps, NumRef, Pow, RefNum, Signed, ToPrimitive, real,
};
use simba::scalar::{Field, SupersetOf};
use simba::simd::{PrimitiveSimdValue, SimdValue};
use std::fmt::{Debug, Display, LowerExp};
use std::iter::{Product, Sum};
use std::ops::Neg;
use std::str::FromStr;
use wengert::{BaseFloat, Dual, Dual2, DualN, HyperDual, Number, Real, Scalar, Taylor, TaylorDyn, Var};

/// The methods of all numbers, including complex ones.
fn any_number<T, F>()
where
    F: BaseFloat + NumOps<T, T>,
    T: Number<Base = F> + Copy + Debug + Display + Default + PartialEq + FromStr + Send + Sync + 'static,
    T: Num + NumRef + NumAssign + NumAssignRef + Neg<Output = T> + NumOps<F> + NumAssignOps<F> + From<F>,
    T: for<'a> NumOps<&'a F> + for<'a> NumAssignOps<&'a F>,
    for<'a> &'a T: RefNum<T> + NumOps<F, T>,
    for<'a, 'b> &'a T: NumOps<&'b F, T>,
    T: Sum + for<'a> Sum<&'a T> + Product + for<'a> Product<&'a T> + FromPrimitive,
    T: Inv<Output = T> + MulAdd<Output = T> + MulAddAssign + Pow<T, Output = T> + Pow<F, Output = T>,
    T: Pow<i32, Output = T> + Pow<i8, Output = T> + Pow<u8, Output = T> + Pow<i16, Output = T>,
    T: AbsDiffEq<Epsilon = T::Re> + RelativeEq + UlpsEq,
    T: Field + SimdValue<Element = T, SimdBool = bool> + PrimitiveSimdValue + SimdComplexField,
    T: ComplexField<RealField = T::Re> + SupersetOf<f64> + SupersetOf<f32> + SupersetOf<i32> + SupersetOf<T>,
{
    assert_eq!((T::LANES, T::default().is_zero(), T::one().is_one()), (1, true, true));
}

/// The further methods of real numbers.
fn real_number<T, F>()
where
    F: BaseFloat,
    T: Real<Base = F> + PartialOrd + PartialOrd<F> + PartialEq<F> + LowerExp + Euclid + Signed + Bounded,
    T: Float + FloatCore + FloatConst + real::Real + RealField + SimdRealField,
    T: ToPrimitive + NumCast + AsPrimitive<T> + AsPrimitive<f64> + AsPrimitive<f32> + AsPrimitive<i64>,
    T: AsPrimitive<u8> + AsPrimitive<usize> + AsPrimitive<i128>,
    T: rustfft::FftNum
        + rstar::RTreeNum
        + geo_types::CoordFloat
        + petgraph::algo::Measure
        + ndarray::LinalgScalar,
    f64: AsPrimitive<T>,
    f32: AsPrimitive<T>,
    i32: AsPrimitive<T>,
    usize: AsPrimitive<T>,
    Complex<T>: ComplexField<RealField = T> + NumAssign + Inv + Pow<Complex<T>> + FromPrimitive,
{
}

/// Calls each check, which is of a type and its base float, for the types over a component.
macro_rules! demand {
    ($F:ty, $over:ty: $($check:ident)+) => { $(for_each_number!(($over) demand_each ($check $F));)+ };
}
macro_rules! demand_each {
    (($check:ident $F:ty) $($name:literal $N:ty;)+) => { $($check::<$N, $F>();)+ };
}

#[test]
fn all_traits() {
    demand!(f64, f64: any_number real_number);
    demand!(f32, f32: any_number real_number);
    demand!(f64, Dual<f64>: any_number real_number);
    demand!(f32, DualN<f32, 3>: any_number real_number);
    demand!(f64, HyperDual<f64>: any_number real_number);
    demand!(f64, Dual2<f64, 2, 3>: any_number real_number);
    demand!(f64, Dual<DualN<HyperDual<f64>, 2>>: any_number real_number);
    any_number::<Var<f64>, f64>();
    real_number::<Var<f64>, f64>();
    real_number::<Var<f32>, f32>();
    real_number::<Var<DualN<f64, 8>>, f64>();
    real_number::<Var<Var<f64>>, f64>();
    real_number::<Dual<Var<f64>>, f64>();
    demand!(f64, Complex<f64>: any_number);
    demand!(f32, Complex<f32>: any_number);
    demand!(f64, Dual<Complex<f64>>: any_number);
}

/// A number one level down is a constant to the level above: operators both ways and `From`.
#[test]
fn levels_mix() {
    fn mixes<T: Number + NumOps<O, O>, O: Number + From<T> + NumOps<T> + NumAssignOps<T>>() {}
    mixes::<Dual<f64>, Dual<Dual<f64>>>();
    mixes::<DualN<f64, 3>, DualN<DualN<f64, 3>, 3>>();
    mixes::<HyperDual<f32>, HyperDual<HyperDual<f32>>>();
    mixes::<Var<f64>, Var<Var<f64>>>();
    mixes::<Dual<Complex64>, Dual<Dual<Complex64>>>();
}

/// Both families of traits together: every method by its trait's name, operators and constants directly.
fn float_and_field<T: Float + FloatConst + RealField>(x: &[T]) -> Vec<T> {
    let (x, y) = (x[0], x[1]);
    let turned = Float::sin(x) * ComplexField::cos(y) + ComplexField::cos(x) * Float::sin(y);
    vec![turned, RealField::atan2(x, y) * T::FRAC_2_PI(), Float::hypot(x, y) - ComplexField::hypot(x, y)]
}

/// `sin(x + y)`, `2/π·atan2(x, y)` and 0, along (1, 2): the angle turns at `(ẋy − xẏ)/r²`.
#[test]
fn bounds_together() {
    let (at, v) = ([0.75, 0.5], [1.0, 2.0]);
    let (s, c) = f64::sin_cos(1.25);
    let (area, r2, stretch) = (v[0] * at[1] - at[0] * v[1], 0.8125, 2.0 * (at[0] * v[0] + at[1] * v[1]));
    let turn = area / r2 * std::f64::consts::FRAC_2_PI;
    let case = Case::new("Float + RealField", &at, &v).first([3.0 * c, turn, 0.0], 4.0);
    every_type!(float_and_field, case.second([-9.0 * s, -turn * stretch / r2, 0.0], 8.0).scales([1.0, 1.0]));
}

trait Arithmetic:
    Num + Copy + Signed + Euclid + Inv<Output = Self> + MulAdd<Output = Self> + Pow<Self, Output = Self>
{
}
impl<T: Num + Copy + Signed + Euclid + Inv<Output = T> + MulAdd<Output = T> + Pow<T, Output = T>> Arithmetic
    for T
{
}

fn arithmetic<T: Arithmetic + Pow<i32, Output = T> + Pow<u8, Output = T>>(x: &[T]) -> Vec<T> {
    let (x, y) = (x[0], x[1]);
    let powers = [x.pow(3_i32), x.pow(2_u8), x.pow(y), x.inv(), MulAdd::mul_add(x, y, x)];
    let remainders = [x.rem_euclid(&y), x.div_euclid(&y), x % y, -x % y];
    let signed = [Signed::abs(&-x), Signed::signum(&x), Signed::abs_sub(&x, &y), Signed::abs_sub(&y, &x)];
    [&powers[..], &remainders, &signed].concat()
}

/// At (2.75, 0.75) along (1, 2), where `2.75 = 3·0.75 + 0.5`. `x^y = e^L`: `(L̇)f` and `(L̇² + L̈)f`.
#[test]
fn operators_by_trait() {
    let [x, y]: [f64; 2] = [2.75, 0.75];
    let (f, dl, ddl) = (x.powf(y), 2.0 * x.ln() + y / x, 4.0 / x - y / (x * x));
    let powers = [3.0 * x * x, 2.0 * x, dl * f, -1.0 / (x * x), y + 2.0 * x + 1.0];
    let bent = [6.0 * x, 2.0, (dl * dl + ddl) * f, 2.0 / x.powi(3), 4.0];
    let first = [&powers[..], &[1.0 - 6.0, 0.0, 1.0 - 6.0, -1.0 + 6.0], &[1.0, 0.0, 1.0 - 2.0, 0.0]].concat();
    let second = [&bent[..], &[0.0; 8]].concat();
    every_type!(
        arithmetic,
        Case::new("num-traits", &[x, y], &[1.0, 2.0]).first(first, 4.0).second(second, 8.0)
    );
}

fn folds<T: Sum + Product + for<'a> Sum<&'a T> + for<'a> Product<&'a T> + Copy>(x: &[T]) -> Vec<T> {
    let owned = || x.iter().copied();
    vec![owned().sum(), x.iter().sum(), owned().product(), x.iter().product()]
}

/// A product with a zero factor has the product of the others as its derivative, with two zeros none,
/// exactly.
#[test]
fn sums_and_products() {
    let v = [1.0, 2.0, 4.0];
    let case = Case::new("Sum, Product", &[3.0, 0.0, 5.0], &v).first([7.0, 7.0, 30.0, 30.0], 0.0);
    every_type!(folds, case.second([0.0, 0.0, 2.0 * (10.0 + 24.0), 2.0 * (10.0 + 24.0)], 0.0));
    let case = Case::new("Sum, Product", &[3.0, 0.0, 0.0], &v).first([7.0, 7.0, 0.0, 0.0], 0.0);
    every_type!(folds, case.second([0.0, 0.0, 48.0, 48.0], 0.0));
}

/// Constants from text and from primal numbers. Casts to primal numbers read the innermost value.
#[test]
fn conversions() {
    fn constants<T: Num + NumCast + FromPrimitive + FromStr<Err: Debug> + Copy + 'static>() -> [T; 8]
    where
        i32: AsPrimitive<T>,
    {
        let number = |text: &str| text.parse::<T>().unwrap();
        let binary = T::from_str_radix("10", 2).ok().unwrap();
        let cast = <T as NumCast>::from(2.0).unwrap();
        let primitive = [T::from_u8(2), T::from_f64(2.0), T::from_i128(2)].map(Option::unwrap);
        [number("2"), number("2e0"), binary, cast, 2.as_(), primitive[0], primitive[1], primitive[2]]
    }
    assert!(constants::<Dual<f64>>().iter().all(|c| (c.value(), c.tangent()) == (2.0, 0.0)));
    assert!(constants::<DualN<f32, 2>>().iter().all(|c| (c.value(), c.tangents()) == (2.0, [0.0; 2])));
    assert!(constants::<HyperDual<f64>>().iter().all(|c| (c.value(), c.e1(), c.e12()) == (2.0, 0.0, 0.0)));
    assert!("2+1ε".parse::<Dual<f64>>().is_err());
    let x = Dual::new(Dual::new(-2.75, 1.0), Dual::new(3.0, 4.0));
    assert_eq!((x.to_i32(), x.to_f64(), x.to_u8()), (Some(-2), Some(-2.75), None));
    let (truncated, wrapped): (i64, u8) = (x.as_(), x.as_());
    assert_eq!((truncated, wrapped), (-2, 0)); // as `-2.75 as u8`
    assert_eq!(<Dual<f32> as NumCast>::from(x).map(|y| (y.value(), y.tangent())), Some((-2.75, 0.0)));
    assert_eq!(nalgebra::try_convert::<Dual<f64>, f64>(Dual::new(1.5, 7.0)), Some(1.5));
}

/// Bounds and constants are the base float's. Comparisons, also approximate ones, read only the value.
#[test]
fn constants_and_comparisons() {
    assert_eq!(<Dual<f32> as Bounded>::max_value().value(), f32::MAX);
    assert_eq!(<HyperDual<f64> as Bounded>::min_value().value(), f64::MIN);
    assert_eq!(<Dual<Dual<f64>> as FloatConst>::PI().primal(), std::f64::consts::PI);
    assert_eq!(<Dual<f32> as Float>::epsilon().value(), f32::EPSILON);
    let (x, y) = (Dual::new(1.0, 2.0), Dual::new(1.0 + 1e-12, -5.0));
    approx::assert_relative_eq!(x, y, epsilon = Dual::constant(1e-9));
    approx::assert_abs_diff_eq!(x, y, epsilon = Dual::constant(1e-9));
    approx::assert_ulps_eq!(x, Dual::new(1.0 + f64::EPSILON, 0.0), max_ulps = 1);
    approx::assert_relative_ne!(x, y);
    assert!(x < y && x < 1.5 && x == 1.0 && x == Dual::new(1.0, -3.0));
}

/// `{}` formats the value as `f64` does, `{:#}` all parts.
#[test]
fn text() {
    let x = Dual::new(1.5, -0.25);
    assert_eq!(
        (format!("{x:#}"), format!("{x:#.2}"), format!("{x:e}")),
        ("1.5 + -0.25ε".into(), "1.50 + -0.25ε".into(), "1.5e0".into())
    );
    assert_eq!(format!("{:#}", DualN::new(1.0, [2.0, 3.0])), "1 + [2, 3]ε");
    fn formatted<T: Scalar>(x: T) -> [String; 5] {
        [format!("{x}"), format!("{x:>9}"), format!("{x:+.3}"), format!("{x:08.2}"), format!("{x:.1e}")]
    }
    let text = formatted(1.5);
    assert_eq!(
        [formatted(x), formatted(Var::constant(1.5)), formatted(DualN::new(1.5, [2.0]))],
        [(); 3].map(|_| text.clone())
    );
    let second =
        [formatted(HyperDual::new(1.5, 2.0, 3.0, 4.0)), formatted(Dual2::<f64, 1, 1>::variable(1.5, 0))];
    assert_eq!(second, [(); 2].map(|_| text.clone()));
    let series = [formatted(Taylor::new(1.5, [2.0, 3.0])), formatted(TaylorDyn::<f64, 2>::constant(1.5))];
    assert_eq!(series, [(); 2].map(|_| text.clone()));
    assert_eq!(formatted(Dual::variable(x)), text);
    // References and constants give the results of values.
    assert_eq!(Pow::pow(&x, &x).tangent(), Pow::pow(x, x).tangent());
    assert_eq!(
        (Pow::pow(&x, 2_i32).tangent(), Pow::pow(x, &2_i32).tangent()),
        (x.powi(2).tangent(), (x * x).tangent())
    );
    assert_eq!(Inv::inv(&x).tangent(), x.recip().tangent());
    const ONE: Dual<Dual<f64>> = num_traits::ConstOne::ONE;
    const ZERO: Dual2<f64, 2, 3> = num_traits::ConstZero::ZERO;
    assert_eq!((ONE.value().value(), ONE.tangent().value(), ZERO.gradient()), (1.0, 0.0, [0.0; 2]));
    const BOTH: [Var<Dual<f64>>; 2] = [num_traits::ConstZero::ZERO, num_traits::ConstOne::ONE];
    assert_eq!((BOTH.map(|x| x.value().value()), BOTH.map(|x| x.is_constant())), ([0.0, 1.0], [true; 2]));
    assert_eq!(format!("{:.1?}", Var::constant(1234.5678)), "Var(1234.6)");
    let order = |a: f64, b: f64| TotalOrder::total_cmp(&Dual::new(a, 1.0), &Dual::new(b, 0.0));
    assert!(order(-0.0, 0.0).is_lt() && order(f64::NAN, f64::INFINITY).is_gt() && order(1.0, 1.0).is_eq());
    // Parts that are sums themselves have parentheses.
    assert_eq!(format!("{:#}", Dual::new(Dual::new(1.0, 2.0), Dual::constant(3.0))), "(1 + 2ε) + (3 + 0ε)ε");
    assert_eq!(format!("{:#}", Dual::variable(Complex::new(1.5, -2.0))), "(1.5-2i) + (1+0i)ε");
    let square: Dual2<f64, 2, 3> = Dual2::variable(3.0, 1) * Dual2::variable(3.0, 1);
    assert_eq!(format!("{square:#}"), "9 + [0, 6]ε + [[0, 0], [0, 2]]ε²");
    assert_eq!(format!("{:#}", HyperDual::new(1.0, 2.0, 3.0, 4.0)), "1 + 2ε₁ + 3ε₂ + 4ε₁ε₂");
    assert_eq!(format!("{:.1e}", HyperDual::variable(1250.0_f32)), "1.2e3");
}
