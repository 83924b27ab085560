//! How to differentiate your code, page by page: modes and their costs, porting, solvers, conventions.
//!
//! [Choosing a mode]: mod@crate::guide::modes
//! [All signatures]: mod@crate::guide::signatures
//! [Sums over data]: mod@crate::guide::sums
//! [Taylor series]: mod@crate::guide::taylor
//! [Porting f64 code]: mod@crate::guide::porting
//! [nalgebra]: mod@crate::guide::nalgebra
//! [Solvers and other crates]: mod@crate::guide::solvers
//! [Implicit functions]: mod@crate::guide::implicit
//! [Custom rules]: mod@crate::guide::custom_rules
//! [Threads]: mod@crate::guide::threads
//! [Traced programs]: mod@crate::guide::programs
//! [Complex numbers inside real functions]: mod@crate::guide::complex_numbers
//! [Conventions]: mod@crate::guide::conventions
//! [Coming from other tools]: mod@crate::guide::coming_from
//! [How fast, and against what]: mod@crate::guide::speed
//! [The compiler's autodiff]: mod@crate::guide::std_autodiff
#![doc = include_str!("../docs/guide/README.md")]

// The pages are Markdown files in `docs/guide`, so that a code host can show them too.

/// The targets of links, placed before the text because the first definition counts. A code host uses the definitions at
/// the end of each page.
macro_rules! links {
    () => {
        "
[All signatures]: mod@crate::guide::signatures
[Choosing a mode]: mod@crate::guide::modes
[Sums over data]: mod@crate::guide::sums
[Taylor series]: mod@crate::guide::taylor
[Coming from other tools]: mod@crate::guide::coming_from
[Complex numbers inside real functions]: mod@crate::guide::complex_numbers
[Conventions]: mod@crate::guide::conventions
[Custom rules]: mod@crate::guide::custom_rules
[How fast, and against what]: mod@crate::guide::speed
[Implicit functions]: mod@crate::guide::implicit
[Porting f64 code]: mod@crate::guide::porting
[Solvers and other crates]: mod@crate::guide::solvers
[The compiler's autodiff]: mod@crate::guide::std_autodiff
[Threads]: mod@crate::guide::threads
[Traced programs]: mod@crate::guide::programs
[nalgebra]: mod@crate::guide::nalgebra
[`AdError`]: crate::AdError
[`Checked`]: crate::check::Checked
[`Dual2<f64, 1, 1>`]: crate::Dual2
[`Dual2<f64, N, M>`]: crate::Dual2
[`Dual2`]: crate::Dual2
[`DualN<f64, N>`]: crate::DualN
[`DualN`]: crate::DualN
[`Dual`]: crate::Dual
[`Dual<f64>`]: crate::Dual
[`Equations`]: crate::primitive::Equations
[`FiniteDifference`]: crate::FiniteDifference
[`ForwardChunk<N>`]: crate::ForwardChunk
[`Forward`]: crate::Forward
[`Function`]: crate::Function
[`HyperDual<f64>`]: crate::HyperDual
[`HyperDual`]: crate::HyperDual
[`Iteration`]: crate::primitive::Iteration
[`Number`]: crate::Number
[`Objective`]: crate::primitive::Objective
[`Packed<N, M>`]: crate::Packed
[`Passive`]: crate::primitive::Passive
[`Primitive`]: crate::primitive::Primitive
[`Real::clamp`]: crate::Real::clamp
[`Real::copysign`]: crate::Real::copysign
[`Real::max`]: crate::Real::max
[`Real::select`]: crate::Real::select
[`series::derivatives`]: crate::series::derivatives
[`series::directional`]: crate::series::directional
[`series::directional_gradient`]: crate::series::directional_gradient
[`series::ode_step`]: crate::series::ode_step
[`series::tensor`]: crate::series::tensor
[`Recurrence`]: crate::rules::Recurrence
[`TaylorDyn`]: crate::TaylorDyn
[`Taylor<T, K>`]: crate::Taylor
[`series`]: crate::series
[`Reverse`]: crate::Reverse
[`Rule`]: crate::primitive::Rule
[`SecondOrder(outer, inner)`]: crate::SecondOrder
[`FromRule`]: crate::primitive::FromRule
[`Scalar`]: crate::Scalar
[`T: Scalar`]: crate::Scalar
[`generic`]: macro@crate::generic
[`T: Number`]: crate::Number
[`T: Real<Base = f64>`]: crate::Real
[`Tape`]: crate::Tape
[`Var`]: crate::Var
[`VectorFunction`]: crate::VectorFunction
[`argmin`]: crate::primitive::argmin
[`assert_dual_eq!`]: crate::assert_dual_eq!
[`cast`]: crate::Number::cast
[`check::Checked`]: crate::check::Checked
[`check::function`]: crate::check::function()
[`check`]: mod@crate::check
[`complex`]: mod@crate::complex
[`derivative`]: crate::derivative
[`fixed_point`]: crate::primitive::fixed_point
[`forward::gradient_into`]: crate::forward::gradient_into
[`forward::gradient`]: crate::forward::gradient
[`forward::hessian`]: crate::forward::hessian
[`forward::jacobian`]: crate::forward::jacobian
[`forward`]: mod@crate::forward
[`from_complex_step`]: crate::primitive::from_complex_step
[`from_finite_differences`]: crate::primitive::from_finite_differences
[`from_jvp_and_vjp`]: crate::primitive::from_jvp_and_vjp
[`from_jvp`]: crate::primitive::from_jvp
[`from_vjp`]: crate::primitive::from_vjp
[`function!`]: crate::function!
[`gradient`]: crate::gradient
[`hessian`]: crate::hessian
[`hvp`]: crate::hvp
[`beta_i`]: crate::Real::beta_i
[`implicit_root`]: crate::primitive::implicit_root
[`jacobian`]: crate::jacobian
[`jvp`]: crate::jvp
[`lift1`]: crate::Real::lift1
[`lift2`]: crate::Real::lift2
[`linearize`]: crate::linearize
[`matrix::angle_between`]: crate::matrix::angle_between
[`matrix::eigen`]: crate::matrix::eigen
[`matrix::eigenvalues`]: crate::matrix::eigenvalues
[`matrix::lstsq`]: crate::matrix::lstsq
[`matrix::norm`]: crate::matrix::norm
[`matrix::normalize_quaternion`]: crate::matrix::normalize_quaternion
[`matrix::normalize`]: crate::matrix::normalize
[`matrix::pinv`]: crate::matrix::pinv
[`matrix::polar`]: crate::matrix::polar()
[`matrix::quaternion_from_scaled_axis`]: crate::matrix::quaternion_from_scaled_axis
[`matrix::quaternion_pow`]: crate::matrix::quaternion_pow
[`matrix::quaternion_to_scaled_axis`]: crate::matrix::quaternion_to_scaled_axis
[`matrix::rotation_angle`]: crate::matrix::rotation_angle
[`matrix::se3_exp`]: crate::matrix::se3_exp
[`matrix::slerp`]: crate::matrix::slerp
[`matrix::so3_exp`]: crate::matrix::so3_exp
[`matrix::so3_log`]: crate::matrix::so3_log
[`matrix::ln_abs_det`]: crate::matrix::ln_abs_det
[`matrix::rotation`]: crate::matrix::rotation
[`matrix::sign_ln_det`]: crate::matrix::sign_ln_det
[`matrix::solve`]: crate::matrix::solve
[`matrix::svd`]: crate::matrix::svd
[`matrix::symmetric_eigen`]: crate::matrix::symmetric_eigen
[`matrix::symmetric_function`]: crate::matrix::symmetric_function
[`matrix::cholesky`]: crate::matrix::cholesky()
[`RealEntry`]: crate::matrix::RealEntry
[`T: matrix::RealEntry`]: crate::matrix::RealEntry
[`matrix`]: mod@crate::matrix
[`mode`]: mod@crate::mode
[`prepare::jacobian`]: crate::prepare::jacobian
[`prepare`]: mod@crate::prepare
[`primitive::Rule`]: crate::primitive::Rule
[`primitive::argmin`]: crate::primitive::argmin
[`primitive::from_jvp`]: crate::primitive::from_jvp
[`primitive::from_vjp`]: crate::primitive::from_vjp
[`primitive::root`]: crate::primitive::root
[`primitive`]: mod@crate::primitive
[`reduce::argmax`]: crate::reduce::argmax
[`reduce::max`]: crate::reduce::max
[`reduce::logsumexp`]: crate::reduce::logsumexp
[`reduce::norm`]: crate::reduce::norm
[`reduce`]: mod@crate::reduce
[`reverse::checkpoint`]: crate::reverse::checkpoint
[`reverse::jacobian`]: crate::reverse::jacobian
[`reverse::limit_memory`]: crate::reverse::limit_memory
[`reverse::loop_gradient`]: crate::reverse::loop_gradient
[`reverse::release_memory`]: crate::reverse::release_memory
[`reverse`]: mod@crate::reverse
[`root`]: crate::primitive::root
[`rules::Binary`]: crate::rules::Binary
[`rules::Unary`]: crate::rules::Unary
[`rules`]: mod@crate::rules
[`second_derivative`]: crate::second_derivative
[`space`]: mod@crate::space
[`stop_gradient`]: crate::stop_gradient
[`LeastSquares`]: crate::sums::LeastSquares
[`PartialSum`]: crate::sums::PartialSum
[`Sum`]: crate::sums::Sum
[`sum_over`]: crate::sums::sum_over
[`sums`]: mod@crate::sums
[`AdError::BranchChanged`]: crate::AdError::BranchChanged
[`AdError::Unsupported`]: crate::AdError::Unsupported
[`LinearMapProgram`]: crate::programs::LinearMapProgram
[`Passes`]: crate::programs::Passes
[`Program::linearize`]: crate::programs::Program::linearize
[`Program::optimized`]: crate::programs::Program::optimized
[`Program`]: crate::programs::Program
[`Real::select_le`]: crate::Real::select_le
[`Real::select_lt`]: crate::Real::select_lt
[`Replay`]: crate::programs::Replay
[`Source`]: crate::programs::Source
[`prepare::recorded`]: crate::prepare::recorded
[`Traced`]: crate::programs::Traced
[`Workspace`]: crate::programs::Workspace
[`primitive::implicit_root`]: crate::primitive::implicit_root
[`trace`]: crate::programs::trace
[`third_derivative`]: crate::third_derivative
[`value_and_derivative`]: crate::value_and_derivative
[`value_and_gradient`]: crate::value_and_gradient
[`value_and_jacobian`]: crate::value_and_jacobian
[`value_and_jvp`]: crate::value_and_jvp
[`value_and_second_derivative`]: crate::value_and_second_derivative
[`value_gradient_and_hessian`]: crate::value_gradient_and_hessian
[`vjp`]: crate::vjp

"
    };
}

macro_rules! pages {
    ($($page:ident)*) => {$(
        #[doc = links!()]
        #[doc = include_str!(concat!("../docs/guide/", stringify!($page), ".md"))]
        pub mod $page {}
    )*};
    // The examples are tests of the package that has the other crates, `tests/other_crates`.
    (tested elsewhere: $page:ident) => {
        #[doc = links!()]
        #[cfg_attr(not(doctest), doc = include_str!(concat!("../docs/guide/", stringify!($page), ".md")))]
        pub mod $page {}
    };
}

pages! { tested elsewhere: solvers }
pages! { modes signatures sums taylor porting nalgebra implicit custom_rules threads conventions complex_numbers coming_from speed std_autodiff programs }
