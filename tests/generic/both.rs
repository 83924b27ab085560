//! Plain code, compiled twice from one text.

/// Two modules of the same text: plain, and under the attribute.
macro_rules! both {
    ($name:ident { $($code:tt)* }) => {
        #[allow(dead_code, clippy::all)] // plain code is as people write it
        pub mod $name {
            pub mod plain {
                $($code)*
            }
            #[wengert::generic]
            pub mod ported {
                $($code)*
            }
        }
    };
}
