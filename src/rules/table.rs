//! The table of elementary functions, one row each. A row has the form
//!
//! ```text
//! /// formula for the reader
//! Rule(parameter) method [function at floats, complex one] on interval by [recurrence];
//!     (x, f, d) => f′, f″;
//! ```
//!
//! `x` is the argument, `f` the result, `d = f′`. The formula of `f′` must be accurate over the whole domain, and so
//! must *its* derivatives, because nested numbers differentiate the formula. `f″` is a formula in `x, f, d` that only
//! second-order types evaluate; without it they differentiate `f′`.
//! - `on` is an interval inside the domain for tests and examples.
//! - `open` states that `f′` may be a number where `f` is NaN.
//! - `by [recurrence]` states how a power series goes through the row, if that is shorter than by `f′`
//!   ([`Recurrence`](super::Recurrence)).
//!
//! [`boundary`](super::boundary) handles zeros, infinities and NaN for all rows.

/// Holomorphic or piecewise constant rows, for real and complex numbers.
macro_rules! holomorphic_table { ($read:ident $($with:tt)*) => { $read! { [$($with)*]
    /// `1/x`: `f′ = −f²`, `f″ = −2f·f′`.
    Recip            recip   [Float::recip,     complex::recip]  on 0.5, 3.0 by [Reciprocal];   (x, f, d) => -f.square(), (f * d).times(-2.0);
    /// `x²`: `f′ = 2x`, `f″ = 2`.
    Square           square  [|x| x * x,        complex::square]                on -3.0, 3.0, open;  (x, f, d) => x.times(2.0), T::lit(2.0);
    /// `√x`: `f′ = 1/(2f)`, `f″ = −f′²/f`; at −0 as at 0: `+∞`, `−∞`.
    Sqrt             sqrt    [Float::sqrt,      complex::sqrt]            on 0.1, 3.0 by [Root];   (x, f, d) => formula::unsigned_zero(f).recip().times(0.5), formula::over(-(d * d), formula::unsigned_zero(f));
    /// `∛x`: `f′ = ⅓·(1/f)²`, `f″ = −2f′²/f`.
    Cbrt             cbrt    [Float::cbrt,      complex::cbrt] on 0.1, 3.0 by [Power(1.0 / 3.0)];   (x, f, d) => f.recip().square().times(1.0 / 3.0), formula::over(d * d, f).times(-2.0);
    /// `eˣ`: `f′ = f″ = f`.
    Exp              exp     [Float::exp,       complex::exp]             on -3.0, 3.0 by [Exponential];  (x, f, d) => f, f;
    /// `2ˣ`: `f′ = f·ln 2`, `f″ = f′·ln 2`.
    Exp2             exp2    [Float::exp2,      complex::exp2]            on -3.0, 3.0 by [Exponential];  (x, f, d) => f.times(LN_2), d.times(LN_2);
    /// `bˣ` for a positive constant `b`: `f′ = f·ln b`, `f″ = f′·ln b`.
    ExpBase(b: f64 = 2.5) exp_base [|x| Float::powf(F::from_double(b), x), |z| complex::exp_base(z, b)] on -3.0, 3.0 by [of |_x| if Float::is_finite(Float::ln(b)) { Recurrence::Exponential } else { Recurrence::Derivative }];  (x, f, d) => formula::times_ln(f, b), formula::times_ln(d, b);
    /// `eˣ − 1`: `f′ = f″ = eˣ`.
    ExpM1            exp_m1  [Float::exp_m1,    complex::exp_m1]          on -3.0, 3.0;  (x, f, d) => x.exp(), d;
    /// `ln x`: `f′ = 1/x`, `f″ = −f′²`; at −0 as at 0: `+∞`, `−∞`.
    Ln               ln      [Float::ln,        complex::ln]              on 0.1, 5.0, open by [Logarithm(0.0)];   (x, f, d) => formula::unsigned_zero(x).recip(), -d.square();
    /// `log₂ x`: `f′ = 1/(x ln 2)`, `f″ = −f′/x`.
    Log2             log2    [Float::log2,      complex::log2]            on 0.1, 5.0, open by [Logarithm(0.0)];   (x, f, d) => formula::unsigned_zero(x).recip().times(LOG2_E), formula::over(-d, formula::unsigned_zero(x));
    /// `log₁₀ x`: `f′ = 1/(x ln 10)`, `f″ = −f′/x`.
    Log10            log10   [Float::log10,     complex::log10]           on 0.1, 5.0, open by [Logarithm(0.0)];   (x, f, d) => formula::unsigned_zero(x).recip().times(LOG10_E), formula::over(-d, formula::unsigned_zero(x));
    /// `ln(1 + x)`: `f′ = 1/(1 + x)`, `f″ = −f′²`.
    Ln1p             ln_1p   [Float::ln_1p,     complex::ln_1p]           on -0.9, 5.0, open by [Logarithm(1.0)];  (x, f, d) => x.plus(1.0).recip(), -d.square();
    /// `sin x`: `f′ = cos x`, `f″ = −f`.
    Sin              sin     [Float::sin,       complex::sin]             on -4.0, 4.0 by [Second([-1.0, 0.0])];  (x, f, d) => x.cos(), -f;
    /// `cos x`: `f′ = −sin x`, `f″ = −f`.
    Cos              cos     [Float::cos,       complex::cos]             on -4.0, 4.0 by [Second([-1.0, 0.0])];  (x, f, d) => -x.sin(), -f;
    /// `tan x`: `f′ = 1 + f²` (for complex `x`, where that cancels, `sech² ix`), `f″ = 2f·f′`.
    Tan              tan     [Float::tan,       complex::tan]             on -1.5, 1.5 by [Second([0.0, 2.0])];  (x, f, d) => formula::tan_prime(x, f), (f * d).times(2.0);
    /// `arcsin x`: `f′ = 1/√(1 − x²)`, factored near ±1, `f″ = x·f′³`.
    Asin             asin    [Float::asin,      complex::asin]            on -0.9, 0.9;  (x, f, d) => formula::root_one_minus_square(x).recip(), x * d * d * d;
    /// `arccos x`: `f′ = −1/√(1 − x²)`, factored near ±1, `f″ = x·f′³`.
    Acos             acos    [Float::acos,      complex::acos]            on -0.9, 0.9;  (x, f, d) => -formula::root_one_minus_square(x).recip(), x * d * d * d;
    /// `arctan x`: `f′ = 1/(1 + x²)`, `f″ = −2x·f′²`.
    Atan             atan    [Float::atan,      complex::atan]            on -3.0, 3.0;  (x, f, d) => formula::atan_prime(x), formula::atan_second(x, d);
    /// `sinh x`: `f′ = cosh x`, `f″ = f`.
    Sinh             sinh    [Float::sinh,      complex::sinh]            on -3.0, 3.0 by [Second([1.0, 0.0])];  (x, f, d) => x.cosh(), f;
    /// `cosh x`: `f′ = sinh x`, `f″ = f`.
    Cosh             cosh    [Float::cosh,      complex::cosh]            on -3.0, 3.0 by [Second([1.0, 0.0])];  (x, f, d) => x.sinh(), f;
    /// `tanh x`: `f′ = sech² x` (computed as `1 − f²` where that is accurate), `f″ = −2f·f′`.
    Tanh             tanh    [Float::tanh,      complex::tanh]            on -3.0, 3.0 by [of |x| formula::beside_turn(x, Recurrence::Second([0.0, -2.0]))];  (x, f, d) => formula::tanh_prime(x, f), formula::sech2_prime(x, || f * d);
    /// `sech² x = 1/cosh² x`: `f′ = −2f·tanh x`. `tanh′` uses it to stay accurate for large `x`.
    Sech2            sech2   [through(special::sech2), complex::sech2]    on -3.0, 3.0 by [of |x| formula::beside_turn(x, Recurrence::Linear)];  (x, f, d) => formula::sech2_prime(x, || f * x.tanh());
    /// `arsinh x`: `f′ = 1/√(1 + x²)`, `f″ = −x·f′³`.
    Asinh            asinh   [Float::asinh,     complex::asinh]           on -3.0, 3.0;  (x, f, d) => formula::asinh_prime(x), formula::asinh_second(x, d);
    /// `arcosh x`: `f′ = 1/(√(x − 1)·√(x + 1))`, `f″ = −x·f′³`.
    Acosh            acosh   [Float::acosh,     complex::acosh]           on 1.1, 5.0, open;   (x, f, d) => formula::acosh_prime(x), formula::area_second(x, d);
    /// `artanh x`: `f′ = 1/(1 − x²)`, factored near ±1, `f″ = 2x·f′²`.
    Atanh            atanh   [Float::atanh,     complex::atanh]           on -0.9, 0.9, open;  (x, f, d) => formula::atanh_prime(x), (x * d * d).times(2.0);
    /// `sin(x)/x`, 1 at 0: `f′ = (cos x − f)/x`, by its series near 0.
    Sinc             sinc    [through(special::sinc),  complex::sinc]     on -6.0, 6.0 by [at 3 |x, f, out| formula::cardinal([x, f], out, [x.sin(), x.cos()], -1.0, (true, 0))];  (x, f, d) => formula::sinc_prime(x);
    /// The derivative of `sinc`, which is `−j₁(x)`: `f′ = −sinc x − 2f/x`, by its series near 0.
    SincSlope        sinc_slope [through(|x| -special::sph_j(1, x)), complex::sinc_slope] on -6.0, 6.0 by [at 3 |x, _f, out| formula::cardinal([x, x.sinc()], out, [x.sin(), x.cos()], -1.0, (true, 1))]; (x, f, d) => formula::sinc_second(x, f);
    /// `sinh(x)/x`, 1 at 0: `f′ = (cosh x − f)/x`, by its series near 0, for large `|x|` `±f − f/x`.
    Sinhc            sinhc   [through(special::sinhc), complex::sinhc]    on -4.0, 4.0 by [at 3 |x, f, out| formula::cardinal([x, f], out, [x.sinh(), x.cosh()], 1.0, (true, 0))];  (x, f, d) => formula::sinhc_prime(x, f);
    /// `cos(x)/x`: `f′ = −(sin x + f)/x`, and 0 at ±∞.
    Cosc             cosc    [through(special::cosc),  complex::cosc]   on 0.5, 6.0 by [at 3 |x, f, out| formula::cosc_orders(x, f, out)];   (x, f, d) => formula::cosc_prime(x, f);
    /// `cosh(x)/x`: `f′ = (sinh x − f)/x`, for large `|x|` `±f − f/x`.
    Coshc            coshc   [through(special::coshc), complex::coshc]  on 0.5, 4.0 by [at 3 |x, f, out| formula::coshc_orders(x, f, out)];   (x, f, d) => formula::coshc_prime(x, f);
    /// `xⁿ` for an integer `n`: `f′ = n·xⁿ⁻¹`, `f″ = n(n − 1)·xⁿ⁻²`; `n − 1` is computed in floating point.
    Powi(n: i32 = 3) powi    [|x| Float::powi(x, n), |z| complex::powi(z, n)]   on -2.0, 2.0, open by [Power(f64::from(n))];  (x, f, d) => formula::powi_prime(x, n), formula::powi_second(x, n);
    /// `x^c` for a constant `c`: `f′ = c·x^(c−1)`; at `x = 0` the one-sided limit, for `x < 0` and integer `c` as `powi`.
    PowConst(c: f64 = 2.5) powf_const [|x| Float::powf(x, F::from_double(c)), |z| complex::powf(z, c)]  on 0.1, 3.0, open by [Power(c)];  (x, f, d) => formula::power_prime_const(x, c, f);
    /// The largest integer `≤ x`, by parts for complex numbers: `f′ = 0`.
    Floor            floor   [Float::floor,     by_parts(Float::floor)]   on -2.9, 2.9, open;  (x, f, d) => T::lit(0.0), T::lit(0.0);
    /// The smallest integer `≥ x`, by parts for complex numbers: `f′ = 0`.
    Ceil             ceil    [Float::ceil,      by_parts(Float::ceil)]    on -2.9, 2.9, open;  (x, f, d) => T::lit(0.0), T::lit(0.0);
    /// The nearest integer, halves away from zero, by parts for complex numbers: `f′ = 0`.
    Round            round   [Float::round,     by_parts(Float::round)]   on -2.9, 2.9, open;  (x, f, d) => T::lit(0.0), T::lit(0.0);
    /// The integer part, towards zero, by parts for complex numbers: `f′ = 0`.
    Trunc            trunc   [Float::trunc,     by_parts(Float::trunc)]   on -2.9, 2.9, open;  (x, f, d) => T::lit(0.0), T::lit(0.0);
    /// `x − trunc x`, by parts for complex numbers: `f′ = 1`.
    Fract            fract   [Float::fract,     by_parts(Float::fract)]   on -2.9, 2.9, open;  (x, f, d) => T::lit(1.0), T::lit(0.0);
} } }

/// Rows for real numbers only.
macro_rules! real_table { ($read:ident $($with:tt)*) => { $read! { [$($with)*]
    /// `|x|`: `f′ = sign x`, which is 0 at ±0; `f″ = 0`.
    Abs              abs         [Float::abs]                    on -3.0, 3.0, open;  (x, f, d) => x.sign(), T::lit(0.0);
    /// `f64::signum`: ±1, at ±0 too; `f′ = 0`.
    Signum           signum      [Float::signum]                 on -3.0, 3.0, open;  (x, f, d) => T::lit(0.0), T::lit(0.0);
    /// −1, 0 or 1, with `sign(±0) = 0`: `f′ = 0`.
    Sign             sign        [through(special::sign)]        on -3.0, 3.0, open;  (x, f, d) => T::lit(0.0), T::lit(0.0);
    /// `|x|` with the given sign bit: `f′ = ±1`.
    WithSign(negative: bool = true) with_sign [|x| Float::copysign(x, F::from_double(if negative { -1.0 } else { 1.0 }))]  on 0.5, 3.0, open;  (x, f, d) => formula::with_sign_prime(x, negative), T::lit(0.0);
    /// Radians to degrees: `f′ = 180/π`.
    ToDegrees        to_degrees  [Float::to_degrees]             on -3.0, 3.0, open;  (x, f, d) => T::lit(180.0 / PI), T::lit(0.0);
    /// Degrees to radians: `f′ = π/180`.
    ToRadians        to_radians  [Float::to_radians]             on -3.0, 3.0, open;  (x, f, d) => T::lit(PI / 180.0), T::lit(0.0);
    /// `1/(1 + e⁻ˣ)`: `f′ = ¼·sech²(x/2)`, `f″ = −f′·tanh(x/2)`.
    Sigmoid          sigmoid     [through(special::sigmoid)]     on -3.0, 3.0;  (x, f, d) => x.times(0.5).sech2().times(0.25), formula::sech2_prime(x.times(0.5), || d.times(4.0) * x.times(0.5).tanh()).times(0.125);
    /// `ln(1 + eˣ)`: `f′ = sigmoid x`.
    Softplus         softplus    [through(special::softplus)]    on -3.0, 3.0;  (x, f, d) => x.sigmoid();
    /// `ln(1 − eˣ)` for `x ≤ 0`, NaN beyond, accurate at both ends (in other libraries `log1mexp`): `f′ = −eˣ/(1 − eˣ)`,
    /// `f″ = f′ − f′²`. So `ln(Φ(b) − Φ(a))` is `ln Φ(b) + (ln Φ(a) − ln Φ(b)).ln_1m_exp()`.
    Ln1mExp          ln_1m_exp   [through(special::ln_1m_exp)]   on -4.0, -0.1, open;  (x, f, d) => -(x.exp() / formula::unsigned_zero(-x.exp_m1())), d - d.square();
    /// The n-th derivative of `(eˣ − 1)/x`, `∫₀¹ tⁿeˣᵗ dt`: `f′` is the next one. NaN for `n > 128`, so the k-th derivative
    /// needs `n + k ≤ 128`.
    ExprelDerivative(n: u32 = 1) exprel_derivative [through(|x| special::exprel_derivative(n, x))]  on -4.0, 4.0 by [at 1 |x, _f, out| formula::climb(n, out, |n| x.exprel_derivative(n))];  (x, f, d) => x.exprel_derivative(n.saturating_add(1));
    /// `−x ln x`, 0 at 0: `f′ = −ln x − 1`, `f″ = −1/x`.
    Entr             entr        [through(special::entr)]        on 0.1, 3.0;   (x, f, d) => -x.ln().plus(1.0), -formula::unsigned_zero(x).recip();
    /// `e^(−x²)`: `f′ = −2x·f`, `f″ = −2(f + x·f′)`.
    Gaussian         gaussian    [through(special::gaussian)]    on -3.0, 3.0 by [Linear];  (x, f, d) => formula::decay_prime(x, f, -2.0), formula::decay_second(x, f, d, -2.0);
    /// `e^(x²)`: `f′ = 2x·f`, `f″ = 2(f + x·f′)`.
    ExpSquare        exp_square  [through(|x| 1.0 / special::gaussian(x))] on -2.0, 2.0 by [Linear];  (x, f, d) => (x * f).times(2.0), (f + x * d).times(2.0);
    /// `erf x`: `f′ = 2/√π·e^(−x²)`, `f″ = −2x·f′`.
    Erf              erf         [through(special::erf)]         on -3.0, 3.0;  (x, f, d) => x.gaussian().times(FRAC_2_SQRT_PI), formula::decay_prime(x, d, -2.0);
    /// `1 − erf x`: `f′ = −2/√π·e^(−x²)`, `f″ = −2x·f′`.
    Erfc             erfc        [through(special::erfc)]        on -3.0, 3.0;  (x, f, d) => x.gaussian().times(-FRAC_2_SQRT_PI), formula::decay_prime(x, d, -2.0);
    /// The inverse of `erf` on (−1, 1): `f′ = √π/2·e^(f²)`, `f″ = 2f·f′²`.
    Erfinv           erfinv      [through(special::erfinv)]      on -0.9, 0.9;  (x, f, d) => f.exp_square().times(1.0 / FRAC_2_SQRT_PI), (f * d * d).times(2.0);
    /// `e^(x²)·erfc x`, which neither overflows nor underflows for `x > 0`: `f′ = 2x·f − 2/√π`, computed without
    /// cancellation.
    Erfcx            erfcx       [through(special::erfcx)]       on -2.0, 4.0 by [at 1 |x, _f, out| formula::climb(0, out, |n| x.erfcx_derivative(n))];  (x, f, d) => x.erfcx_derivative(1);
    /// The n-th derivative of `erfcx`: `f′` is the next one. NaN for `n > 128`, so the k-th derivative needs
    /// `n + k ≤ 128`.
    ErfcxDerivative(n: u32 = 1) erfcx_derivative [through(|x| special::erfcx_derivative(n, x))]  on -2.0, 4.0 by [at 1 |x, _f, out| formula::climb(n, out, |n| x.erfcx_derivative(n))];  (x, f, d) => x.erfcx_derivative(n.saturating_add(1));
    /// The density of the standard normal distribution, `e^(−x²/2)/√(2π)`: `f′ = −x·f`, `f″ = −(f + x·f′)`.
    NormPdf          norm_pdf    [through(special::norm_pdf)]    on -3.0, 3.0 by [Linear];  (x, f, d) => formula::decay_prime(x, f, -1.0), formula::decay_second(x, f, d, -1.0);
    /// The standard normal distribution function `Φ(x)`, accurate in both tails: `f′ = norm_pdf x`, `f″ = −x·f′`.
    NormCdf          norm_cdf    [through(special::norm_cdf)]    on -3.0, 3.0;  (x, f, d) => x.norm_pdf(), formula::decay_prime(x, d, -1.0);
    /// The inverse of `norm_cdf` on (0, 1), the quantile of the standard normal distribution, accurate in the lower tail:
    /// `f′ = 1/norm_pdf f`, `f″ = f·f′²`.
    NormQuantile     norm_quantile [through(special::norm_quantile)] on 0.1, 0.9;  (x, f, d) => formula::norm_quantile_prime(x, f), f * d * d;
    /// `ln Φ(x)`, accurate in both tails: `f′ = norm_pdf x/Φ(x)`, the inverse of Mills' ratio.
    LnNormCdf        ln_norm_cdf [through(special::ln_norm_cdf)] on -5.0, 3.0 by [at 1 |x, _f, out| formula::climb(0, out, |n| x.ln_norm_cdf_derivative(n))];  (x, f, d) => x.ln_norm_cdf_derivative(1);
    /// The n-th derivative of `ln Φ`: `f′` is the next one, because `−f·(x + f)` cancels in the left tail. NaN for
    /// `n > 64`, so the k-th derivative needs `n + k ≤ 64`.
    LnNormCdfDerivative(n: u32 = 1) ln_norm_cdf_derivative [through(|x| special::ln_norm_cdf_derivative(n, x))]  on -5.0, 3.0 by [at 1 |x, _f, out| formula::climb(n, out, |n| x.ln_norm_cdf_derivative(n))];  (x, f, d) => x.ln_norm_cdf_derivative(n.saturating_add(1));
    /// `Γ(x)`: `f′ = f·ψ(x)`.
    Gamma            gamma       [through(special::gamma)]       on 0.5, 5.0, open by [Linear];   (x, f, d) => f.strong_mul(x.polygamma(0));
    /// `ln |Γ(x)|`: `f′ = ψ(x)`, `f″ = ψ′(x)`.
    LnGamma          ln_gamma    [through(special::ln_gamma)]    on 0.5, 5.0, open;   (x, f, d) => x.polygamma(0), x.polygamma(1);
    /// `ψ⁽ⁿ⁾(x)`, the n-th derivative of the digamma function: `f′ = ψ⁽ⁿ⁺¹⁾(x)`. NaN for `n > 128`, so the k-th
    /// derivative needs `n + k ≤ 128`.
    Polygamma(n: u32 = 1) polygamma [through(|x| special::polygamma(n, x))]  on 0.5, 5.0, open by [at 1 |x, _f, out| formula::climb(n, out, |n| x.polygamma(n))];  (x, f, d) => x.polygamma(n.saturating_add(1));
    /// `P(a, x)` for a constant shape `a ≥ 0`, which [`gamma_p`](Real::gamma_p) takes for constants: `f′ = gamma_pdf x`. NaN for `x < 0`.
    GammaPConst(a: f64 = 2.5) gamma_p_const [through(|x| special::gamma_p(a, x))]  on 0.5, 6.0;  (x, f, d) => x.gamma_pdf_const(a), formula::gamma_pdf_prime(x, a, d);
    /// `Q(a, x)` for a constant shape `a ≥ 0`, which [`gamma_q`](Real::gamma_q) takes for constants: `f′ = −gamma_pdf x`. NaN for `x < 0`.
    GammaQConst(a: f64 = 2.5) gamma_q_const [through(|x| special::gamma_q(a, x))]  on 0.5, 6.0;  (x, f, d) => -x.gamma_pdf_const(a), -formula::gamma_pdf_prime(x, a, -d);
    /// The density of the gamma distribution with a constant shape `a ≥ 0`, which [`gamma_pdf`](Real::gamma_pdf) takes for constants:
    /// `f′ = f·((a − 1)/x − 1)`, computed for small `x` as a difference of two densities. NaN for `x < 0`.
    GammaPdfConst(a: f64 = 2.5) gamma_pdf_const [through(|x| special::gamma_pdf(a, x))] on 0.5, 6.0 by [of |_x| if a <= 1e100 { Recurrence::Density([a - 1.0, 0.0, -1.0]) } else { Recurrence::Derivative }];  (x, f, d) => formula::gamma_pdf_prime(x, a, f);
    /// The regularised incomplete beta function `Iₓ(a, b)` for constants `[a, b] ≥ 0` on `0 ≤ x ≤ 1`:
    /// `f′ = beta_pdf x`, `f″` as of that. NaN elsewhere, and near the mean for `a` and `b` beyond 10¹². There are no derivatives in the
    /// shapes, which are plain numbers. To fit a shape take the density, `(a − 1)·ln x + (b − 1)·ln (1 − x) −
    /// ln_beta(a, b)` in logarithms.
    BetaI(shape: [f64; 2] = [2.5, 1.5]) beta_i [through(|x| special::beta_i(shape, x))]       on 0.1, 0.9;  (x, f, d) => x.beta_pdf(shape), formula::beta_pdf_prime(x, shape, d);
    /// `x^(a−1)·(1 − x)^(b−1)/B(a, b)`, the density of the beta distribution with constants `[a, b] ≥ 0`:
    /// `f′ = f·((a − 1)/x − (b − 1)/(1 − x))`, computed near 0 and 1 from another density. NaN outside `0 ≤ x ≤ 1`.
    BetaPdf(shape: [f64; 2] = [2.5, 1.5]) beta_pdf [through(|x| special::beta_pdf(shape, x))] on 0.1, 0.9 by [Density([shape[0] - 1.0, shape[1] - 1.0, 0.0])];  (x, f, d) => formula::beta_pdf_prime(x, shape, f);
    /// The Bessel function `Jₙ(x)`: `f′ = (Jₙ₋₁ − Jₙ₊₁)/2`, `J₀′ = −J₁`. Accurate to the last digits for `n ≤ 10`.
    /// For `n > 10⁶` it is 0 where the function underflows (`x` well below `n`), otherwise NaN.
    BesselJ(n: u32 = 2) bessel_j [through(|x| special::bessel_j(n, x))]      on 0.5, 6.0 by [at 1 |x, _f, out| formula::ladder(n, out, formula::bessel_steps, |m| x.bessel_j(m))];  (x, f, d) => formula::bessel_j_prime(x, n);
    /// The spherical Bessel function `jₙ(x)`: `f′ = (n·jₙ₋₁ − (n+1)·jₙ₊₁)/(2n+1)`. Accurate to the last digits for
    /// `n ≤ 8`. For `n > 10⁶` it is 0 where the function underflows (`x` well below `n`), otherwise NaN.
    SphericalBesselJ(n: u32 = 2) sph_j [through(|x| special::sph_j(n, x))]   on 0.5, 6.0 by [at 1 |x, _f, out| formula::ladder(n, out, formula::spherical_steps, |m| x.sph_j(m))];  (x, f, d) => formula::sph_j_prime(x, n);
} } }

/// Rows of two real variables, with a parameter or without: `(x, y, f) => [∂f/∂x, ∂f/∂y]`.
macro_rules! binary_table { ($read:ident $($with:tt)*) => { $read! { [$($with)*]
    /// `√(x² + y²)` without overflow: `∂x = x/f`, `∂y = y/f`; at (0, 0) both are 0, the minimal-norm subgradient.
    Hypot      hypot      [Float::hypot]                 on (0.5, 3.0), (-2.0, 2.0);  (x, y, f) => formula::unit_vector(x, y, f);
    /// The angle of the point with abscissa `x` and ordinate `self`: `∂self = x/r²`, `∂x = −self/r²`, with
    /// `r = hypot(x, self)`.
    Atan2      atan2      [Float::atan2]                 on (0.5, 3.0), (-2.0, 2.0);  (x, y, f) => formula::atan2_partials(x, y);
    /// `ln x / ln b`: `∂x = 1/(x ln b)`, `∂b = −f/(b ln b)`; at `b = 0` their limits, 0 and ±∞.
    Log        log        [Float::log]                   on (0.5, 5.0), (2.0, 5.0);   (x, y, f) => formula::log_partials(x, y, f);
    /// The Euclidean remainder, `0 ≤ f < |y|`: `∂x = 1`, `∂y = −(x − f)/y`.
    RemEuclid  rem_euclid [|x, y| Euclid::rem_euclid(&x, &y)] on (5.1, 5.9), (1.1, 1.2);  (x, y, f) => [T::lit(1.0), -formula::quotient(x, y, f)];
    /// The integer quotient of `rem_euclid`: both derivatives are 0.
    DivEuclid  div_euclid [|x, y| Euclid::div_euclid(&x, &y)] on (5.1, 5.9), (1.1, 1.2);  (x, y, f) => [T::lit(0.0), T::lit(0.0)];
    /// `x ln y`, 0 at `x = 0`: `∂x = ln y`, `∂y = x/y`, 0 at `x = 0` for every `y`.
    Xlogy      xlogy      [through2(special::xlogy)]     on (-2.0, 2.0), (0.5, 5.0);  (x, y, f) => [y.ln(), formula::xlogy_slope(x, y)];
    /// `x ln(1 + y)`, 0 at `x = 0`: `∂x = ln(1 + y)`, `∂y = x/(1 + y)`, 0 at `x = 0` for every `y`.
    Xlog1py    xlog1py    [through2(special::xlog1py)]   on (-2.0, 2.0), (-0.5, 5.0); (x, y, f) => [y.ln_1p(), formula::xlogy_slope(x, y.plus(1.0))];
    /// `ln(eˣ + eʸ)`: `∂x = sigmoid(x − y)`, `∂y = sigmoid(y − x)`. An operand of −∞ with a finite tangent
    /// contributes exactly 0, even if both are −∞; with an infinite tangent, as of `ln x` at 0, the derivative is lost:
    /// NaN, or a finite number without this operand. A single operand of +∞ has the partial 1; if both are +∞, the derivative is NaN.
    Logaddexp  logaddexp  [through2(special::logaddexp)] on (-2.0, 2.0), (-2.0, 2.0); (x, y, f) => formula::logaddexp_partials(x, y);
    /// `B(x, y) = Γ(x)Γ(y)/Γ(x + y)` for `x, y ≥ 0`, NaN elsewhere: `∂x = −f·(ψ(x + y) − ψ(x))`, `∂y` likewise. Mixed
    /// derivatives are accurate near poles too, except that their error grows by a factor `1/x` for `0.05 < x < 1`,
    /// where the larger argument exceeds 0.2.
    Beta       beta       [through2(special::beta)]      on (0.5, 3.0), (0.5, 3.0);   (x, y, f) => formula::beta_partials(x, y, f);
    /// `ln B(x, y)` for `x, y ≥ 0`, NaN elsewhere: `∂x = −(ψ(x + y) − ψ(x))`, `∂y` likewise.
    LnBeta     ln_beta    [through2(special::ln_beta)]   on (0.5, 3.0), (0.5, 3.0);   (x, y, f) => [-x.polygamma_increment(y, 0), -y.polygamma_increment(x, 0)];
    /// `ψ⁽ⁿ⁾(x + y) − ψ⁽ⁿ⁾(x)` for `x, y ≥ 0`, NaN elsewhere, without cancellation for small `y`: `∂x` is the next
    /// one, `∂y = ψ⁽ⁿ⁺¹⁾(x + y)`. NaN for `n > 128`, so the k-th derivative needs `n + k ≤ 128`.
    PolygammaIncrement(n: u32 = 1) polygamma_increment [through2(|x, y| special::polygamma_increment(n, x, y))]  on (0.5, 3.0), (0.5, 3.0) by [increment |x, y, out| formula::climb(n, out, |n| [x.polygamma_increment(y, n), (x + y).polygamma(n)])];  (x, y, f) => [x.polygamma_increment(y, n.saturating_add(1)), (x + y).polygamma(n.saturating_add(1))];
    /// The n-th derivative of `P(y, x)` in the shape `y ≥ 0`, from n = 2 on by numerical integration: `∂x` is the n-th derivative of the
    /// density in the shape, `∂y` the next one. It has all digits to `n = 4`, eleven relative to the largest one over `x` at
    /// `n = 16`, fewer beyond. NaN for `n > 32`, so the k-th derivative needs `n + k ≤ 32`.
    GammaPDerivative(n: u32 = 1) gamma_p_derivative [through2(|x, y| special::gamma_p_derivative(n, y, x))]  on (0.5, 6.0), (0.5, 3.0);  (x, y, f) => [formula::gamma_pdf_shape(x, y, x.gamma_pdf(y), n), x.gamma_p_derivative(y, n.saturating_add(1))];
} } }

/// Rows of two variables whose methods `Real` writes: they choose between operands or have a row for constants.
macro_rules! selection_table { ($read:ident $($with:tt)*) => { $read! { [$($with)*]
    /// The larger of two: the partial of the winner is 1; in a tie both are ½.
    Max        max        [Float::max] on (1.0, 2.0), (0.0, 0.5);  (x, y, f) => [formula::share(x, y, f), formula::share(y, x, f)];
    /// The smaller of two: the partial of the winner is 1; in a tie both are ½.
    Min        min        [Float::min] on (1.0, 2.0), (0.0, 0.5);  (x, y, f) => [formula::share(x, y, f), formula::share(y, x, f)];
    /// `P(y, x)`: `∂x` is the density, `∂y` by `gamma_p_derivative`.
    GammaP     gamma_p    [through2(|x, y| special::gamma_p(y, x))] on (0.5, 6.0), (0.5, 3.0);  (x, y, f) => [x.gamma_pdf(y), x.gamma_p_derivative(y, 1)];
    /// `Q(y, x)`: the negative partials of `P`.
    GammaQ     gamma_q    [through2(|x, y| special::gamma_q(y, x))] on (0.5, 6.0), (0.5, 3.0);  (x, y, f) => [-x.gamma_pdf(y), -x.gamma_p_derivative(y, 1)];
    /// The density `f = x^(y−1)·e^(−x)/Γ(y)`: `∂x = f·((y − 1)/x − 1)`, `∂y = f·(ln x − ψ(y))`.
    GammaPdf   gamma_pdf  [through2(|x, y| special::gamma_pdf(y, x))] on (0.5, 6.0), (0.5, 3.0);  (x, y, f) => [formula::gamma_pdf_slope(x, y, f), formula::gamma_pdf_shape(x, y, f, 1)];
} } }

/// Holomorphic rows of two variables: `[function at floats, complex function]`, `(x, y, f) => [∂f/∂x, ∂f/∂y]`.
macro_rules! holomorphic_binary_table { ($read:ident $($with:tt)*) => { $read! { [$($with)*]
    /// `x^y` with an active exponent: `∂x = y·x^(y−1)`, `∂y = f·ln x`.
    Powf  powf  [Float::powf,  complex::powc]   on (0.5, 3.0), (-2.0, 2.0) by [LogLinear];  (x, y, f) => [formula::power_prime(x, y, f), formula::power_prime_exponent(x, y, f)];
    /// `z^w`, principal branch: `∂z = w·z^(w−1)`, `∂w = f·ln z`.
    Powc  powc  [Float::powf,  complex::powc]   on (0.5, 3.0), (-2.0, 2.0) by [LogLinear];  (x, y, f) => [formula::power_prime(x, y, f), formula::power_prime_exponent(x, y, f)];
    /// `x % y`, truncated: `∂x = 1`, `∂y = −trunc(x/y)`.
    Rem   rem   [|x, y| x % y, |z, w| z % w]                                 on (5.1, 5.9), (1.1, 1.2);   (x, y, f) => [T::lit(1.0), -formula::quotient(x, y, f)];
} } }

/// Names for particular rows.
macro_rules! derived_real_table { ($read:ident $($with:tt)*) => { $read! { [$($with)*]
    /// The digamma function `ψ = (ln Γ)′`.
    digamma    = polygamma(0) at 1.5;
    /// The trigamma function `ψ′`.
    trigamma   = polygamma(1) at 1.5;
    /// `(eˣ − 1)/x`, 1 at 0. So the Box–Cox transform `(y^λ − 1)/λ` is `u·(λu).exprel()` with `u = ln y`.
    exprel     = exprel_derivative(0) at 1.5;
    /// The inverse of Mills' ratio, `norm_pdf x/norm_cdf x = (ln Φ)′`.
    inverse_mills_ratio = ln_norm_cdf_derivative(1) at 1.5;
    /// The Bessel function `J₀`.
    bessel_j0  = bessel_j(0)  at 1.5;
    /// The Bessel function `J₁`.
    bessel_j1  = bessel_j(1)  at 1.5;
    /// The Bessel function `J₂`.
    bessel_j2  = bessel_j(2)  at 1.5;
    /// The spherical Bessel function `j₀ = sin(x)/x`.
    sph_j0     = sph_j(0)     at 1.5;
    /// The spherical Bessel function `j₁`.
    sph_j1     = sph_j(1)     at 1.5;
    /// The spherical Bessel function `j₂`.
    sph_j2     = sph_j(2)     at 1.5;
} } }
