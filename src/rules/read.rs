//! The macros that read the table: rule types, provided and inherent methods, the visitor.

macro_rules! optional {
    () => {
        None
    };
    ($e:expr) => {
        Some($e)
    };
}

/// `open` marks a row whose derivative may be a number where the function is NaN.
macro_rules! nan_safe {
    () => {
        true
    };
    (open) => {
        false
    };
}

/// A function of floats at a [`BaseFloat`], as the type that has num-traits' functions.
macro_rules! at_own {
    ($real:expr; $($p:ident: $pt:ty)?; $($x:ident)*) => {{
        #[cfg_attr(not(debug_assertions), inline(always))]
        fn at<F: BaseFloat + Float + Euclid>($($p: $pt,)? $($x: F),*) -> F {
            ($real)($($x),*)
        }
        F::of_own(at($($p,)? $($x.own()),*))
    }};
}

/// A complex function of primal numbers at a number, by its parts.
macro_rules! at_parts {
    ($complex:expr; $($p:ident: $pt:ty)?; $($z:ident)*) => {{
        #[cfg_attr(not(debug_assertions), inline(always))]
        fn at<F: BaseFloat + Float>($($p: $pt,)? $($z: Complex<F>),*) -> Complex<F> {
            ($complex)($($z),*)
        }
        let y = at($($p,)? $(Complex::new($z.re().primal(), $z.im().primal())),*);
        Z::from_parts(Z::Re::base(y.re), Z::Re::base(y.im))
    }};
}

/// The common part of rules of one variable, real and holomorphic.
macro_rules! of_one_variable {
    ($Real:ident, $Rule:ident, ($($p:ident: $pt:ty)?), $m:ident, $real:expr, ($($open:ident)?), ($($by:tt)*);
    ($x:ident, $f:ident, $d:ident) => $d1:expr $(, $d2:expr)?) => {
        const NAME: &'static str = stringify!($m);
        const NAN_SAFE: bool = nan_safe!($($open)?);
        #[cfg_attr(not(debug_assertions), inline(always))]
        fn value<F: BaseFloat>(self, x: F) -> F {
            let $Rule $(($p))? = self;
            at_own!($real; $($p: $pt)?; x)
        }
        #[cfg_attr(not(debug_assertions), inline(always))]
        fn derivative<T: $Real>(self, $x: T, $f: T) -> T {
            let $Rule $(($p))? = self;
            $d1
        }
        #[cfg_attr(not(debug_assertions), inline(always))]
        fn second<T: $Real>(self, $x: T, $f: T, $d: T) -> Option<T> {
            let $Rule $(($p))? = self;
            optional!($($d2)?)
        }
        #[cfg_attr(not(debug_assertions), inline(always))]
        fn recurrence<T: $Real>(self, x: T) -> Recurrence {
            let $Rule $(($p))? = self;
            recurrence!(x; $($by)*)
        }
        #[cfg_attr(not(debug_assertions), inline(always))]
        fn derivatives<T: $Real>(self, x: T, f: T, out: &mut [T]) {
            let $Rule $(($p))? = self;
            derivatives!(x f out; $($by)*)
        }
    };
}

/// The type of a row.
macro_rules! rule_type {
    ($(#[$doc:meta])* $Rule:ident $($pt:ty)?) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq)]
        pub struct $Rule $((
            /// The parameter of the function.
            pub $pt
        ))?;
    };
}

/// The function of complex numbers of a row that has one.
macro_rules! value_complex {
    ($Rule:ident, ($($p:ident: $pt:ty)?), ()) => {};
    ($Rule:ident, ($($p:ident: $pt:ty)?), ($complex:expr)) => {
        #[cfg_attr(not(debug_assertions), inline(always))]
        fn value_complex<Z: Number<Primal = Z>>(self, z: Z) -> Z {
            let $Rule $(($p))? = self;
            at_parts!($complex; $($p: $pt)?; z)
        }
    };
}

macro_rules! rules_of_one_variable { ([$Trait:ident $Number:ident] $(
    $(#[$doc:meta])* $Rule:ident $(($p:ident: $pt:ty = $sample:expr))? $m:ident [$real:expr $(, $complex:expr)?]
    on $lo:literal, $hi:literal $(, $open:ident)? $(by [$($by:tt)*])?; ($x:ident, $f:ident, $d:ident) => $d1:expr $(, $d2:expr)?;
)*) => { $(
    rule_type!($(#[$doc])* $Rule $($pt)?);
    #[allow(unused_variables)]
    impl $Trait for $Rule {
        of_one_variable!(
            $Number, $Rule, ($($p: $pt)?), $m, $real, ($($open)?), ($($($by)*)?); ($x, $f, $d) => $d1 $(, $d2)?
        );
        value_complex!($Rule, ($($p: $pt)?), ($($complex)?));
    }
)* } }

macro_rules! binary_rules { ([] $(
    $(#[$doc:meta])* $Rule:ident $(($p:ident: $pt:ty = $sample:expr))? $m:ident [$real:expr] on $xs:tt, $ys:tt $(by [$($by:tt)*])?;
    ($x:ident, $y:ident, $f:ident) => $partials:expr;
)*) => { $(
    rule_type!($(#[$doc])* $Rule $($pt)?);
    #[allow(unused_variables)]
    impl Binary for $Rule {
        const NAME: &'static str = stringify!($m);
        #[cfg_attr(not(debug_assertions), inline(always))]
        fn value<F: BaseFloat>(self, x: F, y: F) -> F {
            let $Rule $(($p))? = self;
            at_own!($real; $($p: $pt)?; x y)
        }
        #[cfg_attr(not(debug_assertions), inline(always))]
        fn partials<T: Real>(self, $x: T, $y: T, $f: T) -> [T; 2] {
            let $Rule $(($p))? = self;
            $partials
        }
        #[cfg_attr(not(debug_assertions), inline(always))]
        fn recurrence<T: Real>(self, x: T) -> Recurrence {
            recurrence!(x; $($($by)*)?)
        }
        #[cfg_attr(not(debug_assertions), inline(always))]
        fn derivatives<T: Real>(self, x: T, y: T, out: &mut [[T; 2]]) {
            let $Rule $(($p))? = self;
            derivatives!(x y out; $($($by)*)?)
        }
    }
)* } }

macro_rules! holomorphic_binary_rules { ([] $(
    $(#[$doc:meta])* $Rule:ident $m:ident [$real:expr, $complex:expr] on $xs:tt, $ys:tt $(by [$($by:tt)*])?;
    ($x:ident, $y:ident, $f:ident) => $partials:expr;
)*) => { $(
    $(#[$doc])*
    #[derive(Clone, Copy, Debug, PartialEq)]
    pub struct $Rule;
    #[allow(unused_variables)]
    impl HolomorphicBinary for $Rule {
        const NAME: &'static str = stringify!($m);
        #[cfg_attr(not(debug_assertions), inline(always))]
        fn value<F: BaseFloat>(self, x: F, y: F) -> F {
            at_own!($real; ; x y)
        }
        #[cfg_attr(not(debug_assertions), inline(always))]
        fn value_complex<Z: Number<Primal = Z>>(self, z: Z, w: Z) -> Z {
            at_parts!($complex; ; z w)
        }
        #[cfg_attr(not(debug_assertions), inline(always))]
        fn partials<T: Number>(self, $x: T, $y: T, $f: T) -> [T; 2] {
            $partials
        }
        #[cfg_attr(not(debug_assertions), inline(always))]
        fn recurrence<T: Number>(self, x: T) -> Recurrence {
            recurrence!(x; $($($by)*)?)
        }
    }
)* } }

/// An example whose assertion compares the derivative with a central difference. `$args` are the arguments after the
/// first, `$more` the same with a comma before them.
macro_rules! example {
    ($Trait:literal, $m:ident, $args:expr, $more:expr, $lo:literal, $hi:literal) => {
        concat!(
            "\n```\nuse wengert::{derivative, ",
            $Trait,
            "};\n",
            "let x: f64 = 0.3 * ",
            $lo,
            " + 0.7 * ",
            $hi,
            ";\n",
            "let slope = derivative(|x| x.",
            stringify!($m),
            "(",
            $args,
            "), x);\n",
            "let f = |x: f64| ",
            $Trait,
            "::",
            stringify!($m),
            "(x",
            $more,
            ");\n",
            "let difference = (f(x + 1e-5) - f(x - 1e-5)) / 2e-5;\n",
            "assert!((slope - difference).abs() < 1e-8 * (1.0 + slope.abs()));\n```"
        )
    };
}

macro_rules! provided_methods { ([$Trait:literal $lift:ident] $(
    $(#[$doc:meta])* $Rule:ident $(($p:ident: $pt:ty = $sample:expr))? $m:ident [$real:expr $(, $complex:expr)?]
    on $lo:literal, $hi:literal $(, $open:ident)? $(by [$($by:tt)*])?; ($x:ident, $f:ident, $d:ident) => $d1:expr $(, $d2:expr)?;
)*) => { $(
    $(#[$doc])*
    #[doc = example!($Trait, $m, concat!($(stringify!($sample))?), concat!($(", ", stringify!($sample))?), $lo, $hi)]
    #[inline]
    #[track_caller]
    fn $m(self $(, $p: $pt)?) -> Self {
        self.$lift(rules::$Rule $(($p))?)
    }
)* } }

macro_rules! provided_binary_methods { ([] $(
    $(#[$doc:meta])* $Rule:ident $(($p:ident: $pt:ty = $sample:expr))? $m:ident [$real:expr] on ($xlo:literal, $xhi:literal), ($ylo:literal, $yhi:literal) $(by [$($by:tt)*])?;
    ($x:ident, $y:ident, $f:ident) => $partials:expr;
)*) => { $(
    $(#[$doc])*
    #[doc = example!("Real", $m, concat!($yhi $(, ", ", stringify!($sample))?), concat!(", ", $yhi $(, ", ", stringify!($sample))?), $xlo, $xhi)]
    #[inline]
    #[track_caller]
    fn $m(self, other: impl Into<Self> $(, $p: $pt)?) -> Self {
        self.lift2(other.into(), rules::$Rule $(($p))?)
    }
)* } }

macro_rules! provided_derived_methods { ([] $($(#[$doc:meta])* $m:ident = $of:ident($n:literal) at $x:literal;)*) => { $(
    $(#[$doc])*
    #[doc = concat!(
        "\n```\nuse wengert::Real;\nassert_eq!(Real::", stringify!($m), "(", $x, "), Real::", stringify!($of), "(", $x, ", ", $n, "));\n```"
    )]
    #[inline]
    #[track_caller]
    fn $m(self) -> Self {
        self.$of($n)
    }
)* } }

macro_rules! visit_rules { ([$visitor:ident $visit:ident] $(
    $(#[$doc:meta])* $Rule:ident $(($p:ident: $pt:ty = $sample:expr))? $m:ident [$real:expr $(, $complex:expr)?]
    on $lo:literal, $hi:literal $(, $open:ident)? $(by [$($by:tt)*])?; ($x:ident, $f:ident, $d:ident) => $d1:expr $(, $d2:expr)?;
)*) => { $( $visitor.$visit($Rule $(($sample))?, [$lo, $hi]); )* } }

macro_rules! visit_binary { ([$visitor:ident] $(
    $(#[$doc:meta])* $Rule:ident $(($p:ident: $pt:ty = $sample:expr))? $m:ident [$real:expr $(, $complex:expr)?] on ($xlo:literal, $xhi:literal), ($ylo:literal, $yhi:literal) $(by [$($by:tt)*])?;
    ($x:ident, $y:ident, $f:ident) => $partials:expr;
)*) => { $( $visitor.binary($Rule $(($sample))?, [[$xlo, $xhi], [$ylo, $yhi]]); )* } }

/// An example that compares the two layouts.
macro_rules! complex_example {
    ($m:ident, $args:expr, $more:expr) => {
        concat!(
            "\n```\nuse num_complex::Complex;\nuse wengert::{Dual, complex};\n",
            "let z = Complex::new(Dual::new(1.25, 1.0), Dual::new(0.5, -2.0));\n",
            "let w = Dual::new(Complex::new(1.25, 0.5), Complex::new(1.0, -2.0));\n",
            "let (a, b) = (complex::",
            stringify!($m),
            "(z",
            $more,
            "), w.",
            stringify!($m),
            "(",
            $args,
            "));\n",
            "assert_eq!(Complex::new(a.re.value(), a.im.value()), b.value());\n",
            "assert_eq!(Complex::new(a.re.tangent(), a.im.tangent()), b.tangent());\n```"
        )
    };
}

/// Functions of complex numbers in either layout from the rows for all numbers.
macro_rules! complex_functions { ([] $(
    $(#[$doc:meta])* $Rule:ident $(($p:ident: $pt:ty = $sample:expr))? $m:ident [$real:expr, $complex:expr]
    on $lo:literal, $hi:literal $(, $open:ident)? $(by [$($by:tt)*])?; ($x:ident, $f:ident, $d:ident) => $d1:expr $(, $d2:expr)?;
)*) => { $(
    $(#[$doc])*
    #[doc = complex_example!($m, concat!($(stringify!($sample))?), concat!($(", ", stringify!($sample))?))]
    #[inline]
    #[track_caller]
    pub fn $m<Z: AsNumber>(x: Z $(, $p: $pt)?) -> Z {
        Z::from_number(x.as_number().$m($($p)?))
    }
)* } }

/// Inherent methods of a type from the rows of one variable, which a trait provides.
macro_rules! inherent_methods { ([$Trait:ident] $(
    $(#[$doc:meta])* $Rule:ident $(($p:ident: $pt:ty = $sample:expr))? $m:ident [$real:expr $(, $complex:expr)?]
    on $lo:literal, $hi:literal $(, $open:ident)? $(by [$($by:tt)*])?; ($x:ident, $f:ident, $d:ident) => $d1:expr $(, $d2:expr)?;
)*) => { forward! { $(
    $(#[$doc])*
    ///
    #[doc = concat!("See [`", stringify!($Trait), "::", stringify!($m), "`].")]
    pub fn $m(self $(, $p: $pt)?) -> Self = $Trait::$m;
)* } } }

/// Inherent methods of a type from the rows of two variables.
macro_rules! inherent_binary_methods { ([] $(
    $(#[$doc:meta])* $Rule:ident $(($p:ident: $pt:ty = $sample:expr))? $m:ident [$real:expr] on $xs:tt, $ys:tt $(by [$($by:tt)*])?;
    ($x:ident, $y:ident, $f:ident) => $partials:expr;
)*) => { forward! { $(
    $(#[$doc])*
    ///
    #[doc = concat!("See [`Real::", stringify!($m), "`].")]
    pub fn $m(self, other: impl Into<Self> $(, $p: $pt)?) -> Self = Real::$m;
)* } } }

/// Inherent methods of a type from the names for particular rows.
macro_rules! inherent_derived_methods { ([] $($(#[$doc:meta])* $m:ident = $of:ident($n:literal) at $x:literal;)*) => { forward! { $(
    $(#[$doc])*
    pub fn $m(self) -> Self = Real::$m;
)* } } }
