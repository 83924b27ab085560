//! Structs whose tangents have another type, as the macro generates for structs with rotations as fields.

/// The struct of tangents of `$N<$T>`, and both as points.
#[doc(hidden)]
#[macro_export]
macro_rules! __wengert_curved {
    (@tangent $(#[$tm:meta])* $v:vis $Tan:ident of $N:ident<$T:ident> { $($fv:vis $f:ident: $ft:ty,)* }) => {
        #[doc = concat!("Tangents of [`", stringify!($N), "`].")]
        $(#[$tm])*
        $v struct $Tan<$T: $crate::Real> {
            $(
                #[doc = concat!("The tangent of `", stringify!($f), "`.")]
                $fv $f: <$ft as $crate::Differentiable>::Tangent,
            )*
        }
        $crate::differentiable! { impl $Tan<$T> { $($f: <$ft as $crate::Differentiable>::Tangent),* } }
    };
    (@points $N:ident<$T:ident> $Tan:ident { $($f:ident: $ft:ty,)* } { $($c:ident)* }) => {
        $crate::space::boxed!(@points [$T: $crate::Real] [$T: $crate::Real] $T, $N<$T>, ::std::boxed::Box<$N<__WengertS>>);
        $crate::space::shaped! { [$T: $crate::Real] $T, $N<$T>, $crate::space::Dyn; }
        impl<$T: $crate::Real> $crate::space::Differentiable for $N<$T> {
            type Tangent = $Tan<$T>;
            type Owned = $N<$T>;
        }
        #[allow(unused_variables)]
        impl<$T: $crate::Real> $crate::space::Components<$T> for $N<$T> {
            type Arg<__WengertS: $crate::Real> = $N<__WengertS>;
            type With<__WengertS: $crate::Real> = $N<__WengertS>;
            const FLAT: bool = false;
            fn visit(&self, f: &mut impl FnMut($T)) {
                $($crate::space::Components::<$T, $crate::space::Split>::visit(&self.$f, f);)*
            }
            fn visit_mut(&mut self, f: &mut impl FnMut(&mut $T)) {
                $($crate::space::Components::<$T, $crate::space::Split>::visit_mut(&mut self.$f, f);)*
            }
            fn map<__WengertS: $crate::Real>(&self, f: &mut impl FnMut($T) -> __WengertS) -> $N<__WengertS> {
                $N {
                    $($f: $crate::space::Components::<$T, $crate::space::Split>::map(&self.$f, f),)*
                    $($c: ::core::clone::Clone::clone(&self.$c),)*
                }
            }
            fn map_same(&self, f: &mut impl FnMut($T) -> $T) -> $N<$T> {
                $N {
                    $($f: $crate::space::Components::<$T, $crate::space::Split>::map_same(&self.$f, f),)*
                    $($c: ::core::clone::Clone::clone(&self.$c),)*
                }
            }
            fn tangent_from(&self, next: &mut impl FnMut() -> $T) -> $Tan<$T> {
                $Tan { $($f: $crate::space::Components::<$T, $crate::space::Split>::tangent_from(&self.$f, next),)* }
            }
            fn outline(&self, f: &mut impl FnMut((usize, usize))) {
                $($crate::space::Components::<$T, $crate::space::Split>::outline(&self.$f, f);)*
            }
            fn has_plain_of<__WengertS: $crate::Real>(&self, other: &$N<__WengertS>) -> bool {
                true
                    $(&& $crate::space::Components::<$T, $crate::space::Split>::has_plain_of::<__WengertS>(&self.$f, &other.$f))*
                    $(&& $crate::__wengert_same_plain!(self.$c, other.$c))*
            }
            fn embed(
                &self,
                how: $crate::space::Embedding,
                next: &mut impl FnMut() -> $T,
                out: &mut impl FnMut($T),
            ) {
                $($crate::space::Components::<$T, $crate::space::Split>::embed(&self.$f, how, next, out);)*
            }
            fn seeded<__WengertS: $crate::Real>(
                &self,
                lift: &impl Fn($T) -> __WengertS,
                next: &mut impl FnMut($T) -> __WengertS,
            ) -> $N<__WengertS> {
                $N {
                    $($f: $crate::space::Components::<$T, $crate::space::Split>::seeded(&self.$f, lift, next),)*
                    $($c: ::core::clone::Clone::clone(&self.$c),)*
                }
            }
            fn seed_over<__WengertS: $crate::Real>(
                &self,
                lift: &impl Fn($T) -> __WengertS,
                next: &mut impl FnMut($T) -> __WengertS,
                kept: &mut $N<__WengertS>,
            ) {
                $($crate::space::Components::<$T, $crate::space::Split>::seed_over(&self.$f, lift, next, &mut kept.$f);)*
                $(::core::clone::Clone::clone_from(&mut kept.$c, &self.$c);)*
            }
            fn retract(&self, next: &mut impl FnMut() -> $T) -> $N<$T> {
                $N {
                    $($f: $crate::space::Components::<$T, $crate::space::Split>::retract(&self.$f, next),)*
                    $($c: ::core::clone::Clone::clone(&self.$c),)*
                }
            }
            fn difference(&self, from: &Self, out: &mut impl FnMut($T)) {
                $($crate::space::Components::<$T, $crate::space::Split>::difference(&self.$f, &from.$f, out);)*
            }
        }
    };
}
