//! The list of number types: a new type is one line here, and one in `routes.rs` that states how it gives
//! derivatives.
//!
//! A test names the groups that it runs at, because each type compiles the test once more.
#![allow(unused_macros, unused_macro_rules)] // each test takes a part

/// Calls `$callback! { $with "name" Type; … }` with the types of a group.
macro_rules! for_each_number {
    // One type of each kind, and one that mixes the modes.
    (kinds $callback:ident $with:tt) => {
        $callback! { $with
            "Dual" wengert::Dual<f64>;
            "DualN" wengert::DualN<f64, 4>;
            "HyperDual" wengert::HyperDual<f64>;
            "Dual2" wengert::Dual2<f64, 2, 3>;
            "Dual<Dual>" wengert::Dual<wengert::Dual<f64>>;
            "Var" wengert::Var<f64>;
            "Var<Dual>" wengert::Var<wengert::Dual<f64>>;
        }
    };
    // Tapes on tapes and beneath duals.
    (taped $callback:ident $with:tt) => {
        $callback! { $with
            "Dual<Var>" wengert::Dual<wengert::Var<f64>>;
            "Var<Var>" wengert::Var<wengert::Var<f64>>;
        }
    };
    // Of third order, in one step.
    (third $callback:ident $with:tt) => {
        $callback! { $with "Dual<HyperDual>" wengert::Dual<wengert::HyperDual<f64>>; }
    };
    // Kinds within kinds, in both directions.
    (nested $callback:ident $with:tt) => {
        $callback! { $with
            "Dual2 of one" wengert::Dual2<f64, 1, 1>;
            "DualN<DualN>" wengert::DualN<wengert::DualN<f64, 4>, 4>;
            "Dual<Dual<Dual>>" wengert::Dual<wengert::Dual<wengert::Dual<f64>>>;
            "HyperDual<Dual>" wengert::HyperDual<wengert::Dual<f64>>;
            "Dual<Dual2>" wengert::Dual<wengert::Dual2<f64, 2, 3>>;
            "Dual2<Dual>" wengert::Dual2<wengert::Dual<f64>, 2, 3>;
            "Var<HyperDual>" wengert::Var<wengert::HyperDual<f64>>;
        }
    };
    // Series, beneath and above other kinds.
    (series $callback:ident $with:tt) => {
        $callback! { $with
            "Taylor" wengert::Taylor<f64, 4>;
            "TaylorDyn" wengert::TaylorDyn<f64, 4>;
            "Dual<Taylor>" wengert::Dual<wengert::Taylor<f64, 3>>;
            "Taylor<Dual>" wengert::Taylor<wengert::Dual<f64>, 3>;
            "Taylor<Taylor>" wengert::Taylor<wengert::Taylor<f64, 2>, 2>;
            "Var<Taylor>" wengert::Var<wengert::Taylor<f64, 2>>;
            "Taylor<Var>" wengert::Taylor<wengert::Var<f64>, 2>;
        }
    };
    // A second order of second orders, and a tape between duals.
    (deep $callback:ident $with:tt) => {
        $callback! { $with
            "DualN<Dual>" wengert::DualN<wengert::Dual<f64>, 4>;
            "HyperDual<HyperDual>" wengert::HyperDual<wengert::HyperDual<f64>>;
            "Dual<Var<Dual>>" wengert::Dual<wengert::Var<wengert::Dual<f64>>>;
        }
    };
    // Over `f32`.
    (single $callback:ident $with:tt) => {
        $callback! { $with
            "Dual<f32>" wengert::Dual<f32>;
            "HyperDual<f32>" wengert::HyperDual<f32>;
            "Dual2<f32>" wengert::Dual2<f32, 2, 3>;
            "Var<f32>" wengert::Var<f32>;
        }
    };
    // Entries of matrices, primal numbers and complex ones among them.
    (entries $callback:ident $with:tt) => {
        $callback! { $with
            "f64" f64;
            "Complex" num_complex::Complex<f64>;
            "Dual" wengert::Dual<f64>;
            "Dual<Complex>" wengert::Dual<num_complex::Complex<f64>>;
            "DualN" wengert::DualN<f64, 3>;
            "HyperDual" wengert::HyperDual<f64>;
            "Dual<Dual>" wengert::Dual<wengert::Dual<f64>>;
            "Var" wengert::Var<f64>;
            "Var<Dual>" wengert::Var<wengert::Dual<f64>>;
        }
    };
    // The forward kinds over any component.
    (($over:ty) $callback:ident $with:tt) => {
        $callback! { $with
            "Dual" wengert::Dual<$over>;
            "DualN" wengert::DualN<$over, 4>;
            "HyperDual" wengert::HyperDual<$over>;
            "Dual2 of one" wengert::Dual2<$over, 1, 1>;
            "Dual2" wengert::Dual2<$over, 3, 6>;
        }
    };
}

/// Calls `$run::<N>("name", $args…)` for every number type `N` of the groups.
macro_rules! every_number {
    ([$($group:tt)+] $run:ident $args:tt) => { $(for_each_number!($group call_each ($run $args));)+ };
}

macro_rules! call_each {
    (($run:ident $args:tt) $($name:literal $N:ty;)+) => { $(call_at!($run $args $name, $N);)+ };
}

macro_rules! call_at {
    ($run:ident ($($arg:expr),*) $name:literal, $N:ty) => { $run::<$N>($name, $($arg),*) };
}
