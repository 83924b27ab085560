//! Products with strong zeros, quotients and partials: functions for the interpreter and machine code, and their text
//! for source code.

/// Functions, and their texts by name.
macro_rules! laws {
    ($($(#[$doc:meta])* fn $name:ident($($x:ident),+) $body:block)*) => {
        $(
            $(#[$doc])*
            #[cfg_attr(not(debug_assertions), inline(always))]
            pub fn $name($($x: f64),+) -> f64 $body
        )*
        pub(super) const TEXTS: &[(&str, &str)] = &[$((
            stringify!($name),
            concat!(
                "#[rustfmt::skip]\nfn ", stringify!($name), "(", $(stringify!($x), ": f64, ",)+ ") -> f64 ",
                stringify!($body), "\n"
            ),
        )),*];
    };
}

laws! {
    /// `d·t`, and 0 instead of NaN for a tangent of 0. So zeros have the sign of the plain product.
    fn strong_mul(d, t) {
        if f64::is_nan(d * t) && t == 0.0 { 0.0 } else { d * t }
    }
    /// `d·t`, and 0 instead of NaN where either is 0.
    fn strong_mul_either(d, t) {
        if f64::is_nan(d * t) && (d == 0.0 || t == 0.0) { 0.0 } else { d * t }
    }
    /// `t/y` by the reciprocal `r` of `y`; 0 for a tangent of 0, NaN where `r` is.
    fn strong_div(t, y, r) {
        if f64::is_finite(t * r) { t * r } else if t == 0.0 { 0.0 } else if f64::is_nan(r) { r } else { t / y }
    }
    /// The partial `d` of a result `f`: NaN where `f` is.
    fn propagate_nan(f, d) {
        if f64::is_nan(f) { f64::NAN } else { d }
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn texts_are_functions() {
        let (name, text) = super::TEXTS[3];
        let words = text.split_whitespace().collect::<Vec<_>>().join(" ");
        let function = "#[rustfmt::skip] fn propagate_nan(f: f64, d: f64, ) -> f64 { if f64::is_nan(f) { f64::NAN } else { d } }";
        assert_eq!((name, &*words), ("propagate_nan", function));
    }
}
