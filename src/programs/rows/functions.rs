//! Elementary functions of sixteen numbers.
//!
//! Each is written for one number, without branches, so that the compiler makes loops over registers of it. All
//! multiply and add in the same order, without fusing: results depend neither on the processor nor on the position
//! among the sixteen. The partials of powers are the exception: they call the platform's power. A function is NaN outside
//! its range (at NaN, infinities, very large or subnormal arguments); for such numbers the rule itself is used. `exp`, `ln`,
//! `ln_1p`, `tanh`, `sin` and `cos` err by less than 1 ulp, `hypot` by 1.21 ulp, first partials of two numbers by 2.5 ulp,
//! second ones by 5 ulp (of its terms, if it is a sum), `tanh″`, `tanh‴` and `tanh⁗` by 4.5, 6.5 and 9.5 ulp, the others by
//! no more than the scalar rules.

use std::any::TypeId;

use super::super::rules::RuleEntry;
use super::line::Line;
use super::one_number::*;
use super::two_numbers::*;
use crate::rules;

/// The functions that have a kernel, of one number and of two: name, kernel, and the rules with the orders of the derivative.
macro_rules! functions {
    (
        one { $($Name:ident $kernel:ident: $($orders:tt $Rule:ident),+;)* }
        two { $($Name2:ident $kernel2:ident: $orders2:tt $Rule2:ident;)* }
    ) => {
        /// A function that has a kernel.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub(super) enum LaneFunction {
            $($Name,)*
            $($Name2,)*
        }

        impl LaneFunction {
            /// The function of a rule or of its derivative.
            pub(super) fn of(entry: &RuleEntry) -> Option<Self> {
                let is = |orders: [u8; 2], rule: TypeId| entry.orders == orders && entry.rule.kind() == rule;
                $($(if is($orders, TypeId::of::<rules::$Rule>()) {
                    return Some(LaneFunction::$Name);
                })+)*
                $(if is($orders2, TypeId::of::<rules::$Rule2>()) {
                    return Some(LaneFunction::$Name2);
                })*
                None
            }
            /// The values, or NaN. Functions of one number do not read `y`.
            #[cfg_attr(not(debug_assertions), inline(always))]
            pub(super) fn values(self, x: &mut Line, y: &Line) {
                match self {
                    $(LaneFunction::$Name => {
                        for x in x {
                            *x = $kernel(*x);
                        }
                    })*
                    $(LaneFunction::$Name2 => {
                        for (x, y) in x.iter_mut().zip(y) {
                            *x = $kernel2(*x, *y);
                        }
                    })*
                }
            }
        }
    };
}
functions! {
    one {
        Exp exp: [0, 0] Exp; Ln ln: [0, 0] Ln; Ln1p ln_1p: [0, 0] Ln1p; Tanh tanh: [0, 0] Tanh; Sin sin: [0, 0] Sin;
        Cos cos: [0, 0] Cos; Softplus softplus: [0, 0] Softplus; Sigmoid sigmoid: [0, 0] Sigmoid;
        Sech2 sech2: [0, 0] Sech2, [1, 0] Tanh; Tanh2 tanh_2: [1, 0] Sech2, [2, 0] Tanh;
        Tanh3 tanh_3: [2, 0] Sech2, [3, 0] Tanh; Tanh4 tanh_4: [3, 0] Sech2, [4, 0] Tanh;
    }
    two {
        Hypot hypot: [0, 0] Hypot; UnitX unit_x: [1, 0] Hypot; UnitY unit_y: [0, 1] Hypot;
        HypotXx hypot_xx: [2, 0] Hypot; HypotXy hypot_xy: [1, 1] Hypot; HypotYy hypot_yy: [0, 2] Hypot;
        AngleY angle_y: [1, 0] Atan2; AngleX angle_x: [0, 1] Atan2;
        AngleYy angle_yy: [2, 0] Atan2; AngleYx angle_yx: [1, 1] Atan2; AngleXx angle_xx: [0, 2] Atan2;
        PowX pow_x: [1, 0] Powf; PowY pow_y: [0, 1] Powf;
        PowXx pow_xx: [2, 0] Powf; PowXy pow_xy: [1, 1] Powf; PowYy pow_yy: [0, 2] Powf;
    }
}
