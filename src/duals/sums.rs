//! Addition, subtraction and negation, part by part.

/// `sums!(#[inline] (const N: usize) DualN[N], lanes value tangents)`. With named parts, an operation on two values
/// reports the caller's line.
macro_rules! sums {
    (#[$inline:meta] ($($g:tt)*) $Ty:ident[$($n:ident)*], $($way:ident)*) => {
        sums!(@operator #[$inline] ($($g)*) $Ty<T, $($n),*>, Add add +, $($way)*);
        sums!(@operator #[$inline] ($($g)*) $Ty<T, $($n),*>, Sub sub -, $($way)*);
        impl<T: Number, $($g)*> core::ops::Neg for $Ty<T, $($n),*> {
            type Output = Self;
            #[$inline]
            fn neg(self) -> Self {
                self.map_parts(|t| -t)
            }
        }
    };
    (@operator #[$inline:meta] ($($g:tt)*) $Ty:ty, $Op:ident $op:ident $sign:tt, $($way:ident)*) => {
        impl<T: Number, $($g)*> core::ops::$Op for $Ty {
            type Output = Self;
            #[$inline]
            #[track_caller]
            fn $op(self, y: Self) -> Self {
                sums!(@of self y $sign $($way)*)
            }
        }
    };
    (@of $x:ident $y:ident $sign:tt fields $($part:ident)*) => {
        Self { $($part: $x.$part $sign $y.$part),* }
    };
    (@of $x:ident $y:ident $sign:tt lanes $value:ident $tangents:ident) => {{
        Self::demand_operands([&$x, &$y]);
        Self { $value: $x.$value $sign $y.$value, $tangents: from_fn(|i| $x.$tangents[i] $sign $y.$tangents[i]) }
    }};
    (@of $x:ident $y:ident $sign:tt zip_parts) => {{
        Self::demand_operands([&$x, &$y]);
        $x.zip_parts($y, |x, y| x $sign y, |x, y| x $sign y)
    }};
}
