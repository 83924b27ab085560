//! The macro that declares a struct as a point.

/// Declares a struct that can be a point, a tangent and a result of differentiated functions.
///
/// The fields are numbers or structures of numbers ([`space`](crate::space)). Fields after a semicolon are plain data
/// of any type: they are cloned, not differentiated. The gradient of a function of a struct has the type of the
/// struct.
///
/// **With a parameter**, the function takes the struct itself over another number type, and methods in `impl` blocks
/// over `T: Real` work for all number types. Prefer this form.
///
/// ```
/// use wengert::{Real, differentiable, gradient};
/// differentiable! {
///     #[derive(Clone, Debug, PartialEq)]
///     pub struct Spring<T> { pub stiffness: T, rest: T; label: String }
/// }
/// impl<T: Real<Base = f64>> Spring<T> {
///     fn energy(&self, x: f64) -> T { (self.rest - x).powi(2) * self.stiffness * 0.5 }
/// }
/// let s = Spring { stiffness: 3.0, rest: 1.0, label: "front".to_string() };
/// let g = gradient(|s| s.energy(3.0), &s);
/// assert_eq!(g, Spring { stiffness: 2.0, rest: -6.0, label: "front".to_string() });
/// ```
///
/// With the bound `Number` the fields may be complex, and the drivers of [`complex`](crate::complex) take the struct
/// too:
///
/// ```
/// use num_complex::Complex64;
/// use wengert::{Number, complex, differentiable};
/// differentiable! { struct Network<T: Number> { taps: Vec<T>, gain: T } }
/// let x = Network { taps: vec![Complex64::new(1.0, 2.0)], gain: Complex64::new(0.0, 3.0) };
/// // L = |gain·tap²|²: ∂L/∂gain = 2·gain·|tap²|²
/// let g = complex::gradient(|n| complex::norm_sqr(n.gain * n.taps[0].square()), &x);
/// assert_eq!(g.gain, x.gain * 2.0 * 25.0);
/// ```
///
/// **Without a parameter**, the numbers are `f64`, and the function takes a generated type with the same fields over
/// another number type; [`space::With`](crate::space::With) names it. Such a struct may contain itself.
///
/// ```
/// use wengert::{Real, differentiable, gradient, space::With};
/// differentiable! { struct List { v: f64, next: Option<Box<List>> } }
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
/// **For a struct that is declared elsewhere**, write `impl` and repeat its fields:
///
/// ```
/// use wengert::{differentiable, gradient};
/// struct P { a: f64, b: Vec<f64>, n: usize }
/// differentiable! { impl P { a: f64, b: Vec<f64>, n: usize } }
/// let g = gradient(|p| p.b[p.n] * p.a, &P { a: 2.0, b: vec![3.0, 4.0], n: 1 });
/// assert_eq!((g.a, g.b), (4.0, vec![0.0, 2.0]));
/// ```
///
/// **An enum** has a parameter; its variants have named fields, one unnamed field or none. A tangent has the variant
/// of its point.
///
/// ```
/// use wengert::{differentiable, gradient};
/// differentiable! {
///     enum Shape<T> { Circle(T), Rectangle { a: T, b: T }, Nothing }
/// }
/// let shape = Shape::Rectangle { a: 2.0, b: 3.0 };
/// let g = gradient(|s| match s {
///     Shape::Rectangle { a, b } => *a * *b,
///     Shape::Circle(r) => *r * *r,
///     _ => 0.0.into(),
/// }, &shape);
/// assert!(matches!(g, Shape::Rectangle { a: 3.0, b: 2.0 }));
/// ```
///
/// **With rotations as fields**, the tangent type differs from the struct. Name it after an arrow; it has the same
/// field names with the tangents of the fields, and no plain fields. (This form is not available for enums and
/// structs without a parameter.)
///
/// ```
/// # #[cfg(feature = "nalgebra")] {
/// use nalgebra::{Rotation3, Vector3};
/// use wengert::{differentiable, gradient, space::perturb};
/// differentiable! {
///     struct Pose<T> -> #[derive(Debug)] PoseTangent {
///         r: Rotation3<T>, t: Vector3<T>; name: String
///     }
/// }
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
/// wengert::differentiable! { struct Pose<T> { r: nalgebra::Rotation3<T> } }
/// ```
#[macro_export]
macro_rules! differentiable {
    ($($struct_or_enum:tt)*) => {
        $crate::__wengert_differentiable! { $($struct_or_enum)* }
    };
}

/// What [`differentiable!`] makes of each form, out of sight of its page.
#[doc(hidden)]
#[macro_export]
macro_rules! __wengert_differentiable {
    (
        $(#[$m:meta])* $v:vis struct $N:ident<$T:ident $(: $bound:path)?> -> $(#[$tm:meta])* $Tan:ident {
            $($(#[$fm:meta])* $fv:vis $f:ident: $ft:ty),* $(,)?
            $(; $($(#[$cm:meta])* $cv:vis $c:ident: $ct:ty),* $(,)?)?
        }
    ) => {
        $(#[$m])* $v struct $N<$T $(: $bound)?> {
            $($(#[$fm])* $fv $f: $ft,)*
            $($($(#[$cm])* $cv $c: $ct,)*)?
        }
        $crate::space::curved! { @tangent $(#[$tm])* $v $Tan of $N<$T> { $($fv $f: $ft,)* } }
        $crate::space::curved! { @points $N<$T> $Tan { $($f: $ft,)* } { $($($c)*)? } }
    };
    (
        $(#[$m:meta])* $v:vis struct $N:ident<$T:ident: Number> {
            $($(#[$fm:meta])* $fv:vis $f:ident: $ft:ty),* $(,)?
            $(; $($(#[$cm:meta])* $cv:vis $c:ident: $ct:ty),* $(,)?)?
        }
    ) => {
        $(#[$m])* $v struct $N<$T: $crate::Number> {
            $($(#[$fm])* $fv $f: $ft,)*
            $($($(#[$cm])* $cv $c: $ct,)*)?
        }
        $crate::__wengert_differentiable! { impl $N<$T: Number> { $($f: $ft),* $(; $($c: $ct),*)? } }
    };
    (
        $(#[$m:meta])* $v:vis struct $N:ident<$T:ident $(: $bound:path)?> {
            $($(#[$fm:meta])* $fv:vis $f:ident: $ft:ty),* $(,)?
            $(; $($(#[$cm:meta])* $cv:vis $c:ident: $ct:ty),* $(,)?)?
        }
    ) => {
        $(#[$m])* $v struct $N<$T $(: $bound)?> {
            $($(#[$fm])* $fv $f: $ft,)*
            $($($(#[$cm])* $cv $c: $ct,)*)?
        }
        $crate::__wengert_differentiable! { impl $N<$T> { $($f: $ft),* $(; $($c: $ct),*)? } }
    };
    (
        $(#[$m:meta])* $v:vis struct $N:ident {
            $($(#[$fm:meta])* $fv:vis $f:ident: $ft:ty),* $(,)?
            $(; $($(#[$cm:meta])* $cv:vis $c:ident: $ct:ty),* $(,)?)?
        }
    ) => {
        $(#[$m])* $v struct $N {
            $($(#[$fm])* $fv $f: $ft,)*
            $($($(#[$cm])* $cv $c: $ct,)*)?
        }
        $crate::__wengert_differentiable! { impl $N { $($f: $ft),* $(; $($c: $ct),*)? } }
    };
    (impl $N:ident<$T:ident: Number> { $($f:ident: $ft:ty),* $(,)? $(; $($c:ident: $ct:ty),* $(,)?)? }) => {
        $crate::__wengert_differentiable! { impl $N<$T> { $($f: $ft),* $(; $($c: $ct),*)? } }
        $crate::__wengert_differentiable! {
            @fields Whole [$T: $crate::Number] ($N<$T>) (<$T as $crate::Number>::Re)
            ($N<<$T as $crate::Number>::Over<__WengertS>>) $N $N { $($f)* } { $($($c)*)? }
        }
    };
    (impl $N:ident<$T:ident> { $($f:ident: $ft:ty),* $(,)? $(; $($c:ident: $ct:ty),* $(,)?)? }) => {
        $crate::__wengert_differentiable! { @boxed [$T: $crate::Real] ($N<$T>) $T ($N<__WengertS>) }
        $crate::__wengert_differentiable! {
            @fields Split [$T: $crate::Real] ($N<$T>) ($T) ($N<__WengertS>) $N $N { $($f)* } { $($($c)*)? }
        }
    };
    (impl $N:ident { $($f:ident: $ft:ty),* $(,)? $(; $($c:ident: $ct:ty),* $(,)?)? }) => {
        const _: () = {
            #[doc(hidden)]
            #[allow(missing_docs, unnameable_types, private_interfaces, private_bounds)]
            pub struct __WengertOver<__WengertS: $crate::Real> {
                $(pub $f: <$ft as $crate::space::Components<f64, $crate::space::Split>>::With<__WengertS>,)*
                $($(pub $c: $ct,)*)?
            }
            $crate::__wengert_differentiable! { @boxed [] ($N) f64 (__WengertOver<__WengertS>) }
            $crate::__wengert_differentiable! {
                @boxed [__WengertT: $crate::Real] (__WengertOver<__WengertT>) __WengertT (__WengertOver<__WengertS>)
            }
            $crate::__wengert_differentiable! {
                @fields Split [] ($N) (f64) (__WengertOver<__WengertS>) $N __WengertOver { $($f)* } { $($($c)*)? }
            }
            $crate::__wengert_differentiable! {
                @fields Split [__WengertT: $crate::Real] (__WengertOver<__WengertT>) (__WengertT) (__WengertOver<__WengertS>)
                __WengertOver __WengertOver { $($f)* } { $($($c)*)? }
            }
        };
    };
    (
        $(#[$m:meta])* $v:vis enum $N:ident<$T:ident $(: $bound:path)?> {
            $(
                $(#[$vm:meta])* $V:ident
                $(($(#[$um:meta])* $vt:ty $(,)?))?
                $({ $($(#[$fm:meta])* $f:ident: $ft:ty),* $(,)? })?
            ),* $(,)?
        }
    ) => {
        $(#[$m])* $v enum $N<$T $(: $bound)?> {
            $($(#[$vm])* $V $(($(#[$um])* $vt))? $({ $($(#[$fm])* $f: $ft),* })?),*
        }
        $crate::__wengert_differentiable! {
            impl enum $N<$T> { $($V $(($vt))? $({ $($f: $ft),* })?),* }
        }
    };
    (
        impl enum $N:ident<$T:ident> {
            $($V:ident $(($vt:ty))? $({ $($f:ident: $ft:ty),* $(,)? })?),* $(,)?
        }
    ) => {
        $crate::__wengert_differentiable! { @boxed [$T: $crate::Real] ($N<$T>) $T ($N<__WengertS>) }
        $crate::__wengert_differentiable! {
            @components Split [$T: $crate::Real] ($N<$T>) ($T) ($N<__WengertS>) this function
            visit { match this { $(
                $N::$V $(($crate::__wengert_differentiable!(@second ($vt) inner)))? $({ $($f),* })? => {
                    $($crate::space::Components::<$T, $crate::space::Split>::visit($crate::__wengert_differentiable!(@second ($vt) inner), function);)?
                    $($($crate::space::Components::<$T, $crate::space::Split>::visit($f, function);)*)?
                }
            )* } }
            visit_mut { match this { $(
                $N::$V $(($crate::__wengert_differentiable!(@second ($vt) inner)))? $({ $($f),* })? => {
                    $($crate::space::Components::<$T, $crate::space::Split>::visit_mut($crate::__wengert_differentiable!(@second ($vt) inner), function);)?
                    $($($crate::space::Components::<$T, $crate::space::Split>::visit_mut($f, function);)*)?
                }
            )* } }
            map { match this { $(
                $N::$V $(($crate::__wengert_differentiable!(@second ($vt) inner)))? $({ $($f),* })? => $N::$V
                    $(($crate::space::Components::<$T, $crate::space::Split>::map($crate::__wengert_differentiable!(@second ($vt) inner), function)))?
                    $({ $($f: $crate::space::Components::<$T, $crate::space::Split>::map($f, function)),* })?,
            )* } }
            map_same { match this { $(
                $N::$V $(($crate::__wengert_differentiable!(@second ($vt) inner)))? $({ $($f),* })? => $N::$V
                    $(($crate::space::Components::<$T, $crate::space::Split>::map_same($crate::__wengert_differentiable!(@second ($vt) inner), function)))?
                    $({ $($f: $crate::space::Components::<$T, $crate::space::Split>::map_same($f, function)),* })?,
            )* } }
            outline {
                let mut _variant = 0;
                $(
                    if let $N::$V { .. } = this {
                        function($crate::space::variant(_variant));
                    }
                    _variant += 1;
                )*
                match this { $(
                    $N::$V $(($crate::__wengert_differentiable!(@second ($vt) inner)))? $({ $($f),* })? => {
                        $(
                            $crate::space::demand_self_tangent::<$crate::space::Split, $vt>($crate::__wengert_differentiable!(@second ($vt) inner));
                            $crate::space::Components::<$T, $crate::space::Split>::outline($crate::__wengert_differentiable!(@second ($vt) inner), function);
                        )?
                        $($(
                            $crate::space::demand_self_tangent::<$crate::space::Split, _>($f);
                            $crate::space::Components::<$T, $crate::space::Split>::outline($f, function);
                        )*)?
                    }
                )* }
            }
            has_plain_of(other) { match this { $(
                $N::$V $(($crate::__wengert_differentiable!(@second ($vt) inner)))? $({ $($f),* })? => {
                    $(match other {
                        $N::$V { 0: of } if !$crate::space::Components::<$T, $crate::space::Split>::has_plain_of::<__WengertS>(
                            $crate::__wengert_differentiable!(@second ($vt) inner), of
                        ) => return false,
                        _ => {}
                    })?
                    $($(match other {
                        $N::$V { $f: of, .. }
                            if !$crate::space::Components::<$T, $crate::space::Split>::has_plain_of::<__WengertS>($f, of) => return false,
                        _ => {}
                    })*)?
                    ::core::matches!(other, $N::$V { .. })
                }
            )* } }
            seed_over(lift, next, kept) { match this {
                $(
                    $N::$V $(($crate::differentiable!(@second ($vt) inner)))? $({ $($f),* })?
                        if ::core::matches!(kept, $N::$V { .. }) =>
                    {
                        $(if let $N::$V { 0: to } = kept {
                            $crate::space::Components::<$T, $crate::space::Split>::seed_over(
                                $crate::differentiable!(@second ($vt) inner), lift, next, to
                            );
                        })?
                        $($(if let $N::$V { $f: to, .. } = &mut *kept {
                            $crate::space::Components::<$T, $crate::space::Split>::seed_over($f, lift, next, to);
                        })*)?
                    }
                )*
                _ => *kept = $crate::space::Components::<$T, $crate::space::Split>::seeded(this, lift, next),
            } }
        }
    };
    (@second ($first:ty) $second:ident) => { $second };
    (
        @fields $L:ident [$($g:tt)*] ($X:ty) ($T:ty) ($With:ty) $Own:ident $Over:ident
        { $($f:ident)* } { $($c:ident)* }
    ) => {
        $crate::__wengert_differentiable! {
            @components $L [$($g)*] ($X) ($T) ($With) this function
            visit { $($crate::space::Components::<$T, $crate::space::$L>::visit(&this.$f, function);)* }
            visit_mut { $($crate::space::Components::<$T, $crate::space::$L>::visit_mut(&mut this.$f, function);)* }
            map {
                $Over {
                    $($f: $crate::space::Components::<$T, $crate::space::$L>::map(&this.$f, function),)*
                    $($c: ::core::clone::Clone::clone(&this.$c),)*
                }
            }
            map_same {
                $Own {
                    $($f: $crate::space::Components::<$T, $crate::space::$L>::map_same(&this.$f, function),)*
                    $($c: ::core::clone::Clone::clone(&this.$c),)*
                }
            }
            outline {
                $(
                    $crate::space::demand_self_tangent::<$crate::space::$L, _>(&this.$f);
                    $crate::space::Components::<$T, $crate::space::$L>::outline(&this.$f, function);
                )*
            }
            has_plain_of(other) {
                true
                    $(&& $crate::space::Components::<$T, $crate::space::$L>::has_plain_of::<__WengertS>(&this.$f, &other.$f))*
                    $(&& $crate::__wengert_same_plain!(this.$c, other.$c))*
            }
            seed_over(lift, next, kept) {
                $($crate::space::Components::<$T, $crate::space::$L>::seed_over(&this.$f, lift, next, &mut kept.$f);)*
                $(::core::clone::Clone::clone_from(&mut kept.$c, &this.$c);)*
            }
        }
    };
    (
        @components $L:ident [$($g:tt)*] ($X:ty) ($T:ty) ($With:ty) $this:ident $function:ident
        visit $visit:block visit_mut $visit_mut:block map $map:block map_same $map_same:block outline $outline:block has_plain_of($other:ident) $has_plain_of:block
        $(seed_over($lift:ident, $next:ident, $kept:ident) $seed_over:block)?
    ) => {
        impl<$($g)*> $crate::space::SelfTangent<$crate::space::$L> for $X {}
        impl<$($g)*> $crate::space::Differentiable<$crate::space::$L> for $X {
            type Tangent = $X;
            type Owned = $X;
        }
        #[allow(unused_variables, irrefutable_let_patterns, unreachable_patterns)]
        impl<$($g)*> $crate::space::Components<$T, $crate::space::$L> for $X {
            type Arg<__WengertS: $crate::Real> = $With;
            type With<__WengertS: $crate::Real> = $With;
            fn visit(&self, $function: &mut impl FnMut($T)) {
                let $this = self;
                $visit
            }
            fn visit_mut(&mut self, $function: &mut impl FnMut(&mut $T)) {
                let $this = self;
                $visit_mut
            }
            fn map<__WengertS: $crate::Real>(&self, $function: &mut impl FnMut($T) -> __WengertS) -> $With {
                let $this = self;
                $map
            }
            fn map_same(&self, $function: &mut impl FnMut($T) -> $T) -> $X {
                let $this = self;
                $map_same
            }
            fn tangent_from(&self, next: &mut impl FnMut() -> $T) -> $X {
                $crate::space::Components::<$T, $crate::space::$L>::map_same(self, &mut |_| next())
            }
            fn outline(&self, $function: &mut impl FnMut((usize, usize))) {
                let $this = self;
                $outline
            }
            fn has_plain_of<__WengertS: $crate::Real>(&self, $other: &$With) -> bool {
                let $this = self;
                $has_plain_of
            }
            $(
                fn seed_over<__WengertS: $crate::Real>(
                    &self,
                    $lift: &impl Fn($T) -> __WengertS,
                    $next: &mut impl FnMut($T) -> __WengertS,
                    $kept: &mut $With,
                ) {
                    let $this = self;
                    $seed_over
                }
            )?
        }
    };
    (@boxed [$($g:tt)*] ($X:ty) $T:ident ($With:ty)) => {
        $crate::space::boxed!([$($g)*] [$($g)*] [$($g)*] $T, $X, ::std::boxed::Box<$With>);
        $crate::space::shaped! { [$($g)*] $T, $X, $crate::space::Dyn; }
    };
}
