//! Derivatives of rules as rules. A trace records each as one operation, without the branches of its formula.

use super::{Binary, Unary};
use crate::number::{BaseFloat, Real};

/// The highest order of a derivative that is one operation of a program.
pub(crate) const HIGHEST: u8 = 4;

/// Receives a rule of one variable, or its derivative of an order.
pub trait UnaryVisitor {
    /// The result.
    type Out;
    /// The rule itself has the order 0.
    fn visit<U: Unary>(self, rule: U, order: u8) -> Self::Out;
}

/// Receives a rule of two variables, or its derivative of an order in each.
pub trait BinaryVisitor {
    /// The result.
    type Out;
    /// The rule itself has the orders `[0, 0]`.
    fn visit<B: Binary>(self, rule: B, orders: [u8; 2]) -> Self::Out;
}

/// The derivative of a rule of one or two variables. Only numbers over traced ones apply it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Differentiated<R, O> {
    rule: R,
    orders: O,
}

impl<U: Unary> Unary for Differentiated<U, u8> {
    const NAME: &'static str = U::NAME;
    fn value<F: BaseFloat>(self, _: F) -> F {
        unreachable!("traces record the rule and its order")
    }
    #[track_caller]
    fn derivative<T: Real>(self, x: T, _: T) -> T {
        x.lift1(Differentiated { orders: self.orders + 1, ..self })
    }
    #[track_caller]
    fn visit<V: UnaryVisitor>(self, visitor: V) -> V::Out {
        visitor.visit(self.rule, self.orders)
    }
}

impl<B: Binary> Binary for Differentiated<B, [u8; 2]> {
    const NAME: &'static str = B::NAME;
    fn value<F: BaseFloat>(self, _: F, _: F) -> F {
        unreachable!("traces record the rule and its orders")
    }
    #[track_caller]
    fn partials<T: Real>(self, x: T, y: T, _: T) -> [T; 2] {
        let [m, n] = self.orders;
        [
            x.lift2(y, Differentiated { orders: [m + 1, n], ..self }),
            x.lift2(y, Differentiated { orders: [m, n + 1], ..self }),
        ]
    }
    #[track_caller]
    fn visit<V: BinaryVisitor>(self, visitor: V) -> V::Out {
        visitor.visit(self.rule, self.orders)
    }
}

/// The derivative of a rule at `x`, or its partials at two numbers, as rules.
pub(crate) struct AsRules<T>(pub(crate) T);

impl<T: Real> UnaryVisitor for AsRules<T> {
    type Out = T;
    #[track_caller]
    fn visit<U: Unary>(self, rule: U, orders: u8) -> T {
        Differentiated { rule, orders }.derivative(self.0, self.0)
    }
}

impl<T: Real> BinaryVisitor for AsRules<[T; 2]> {
    type Out = [T; 2];
    #[track_caller]
    fn visit<B: Binary>(self, rule: B, orders: [u8; 2]) -> [T; 2] {
        let [x, y] = self.0;
        Differentiated { rule, orders }.partials(x, y, x)
    }
}
