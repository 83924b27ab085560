//! The whole of automatic differentiation in eighty lines, forward and reverse, and the same through the crate.
//!
//! ```text
//! cargo run --release --example whole_idea
//! ```
//!
//! A program is a chain of elementary operations with known derivatives. Run it on numbers that apply the chain rule
//! at each operation, and it returns its derivative, exact to rounding. Forward mode computes a tangent ẋ with each
//! value, from the inputs on. Reverse mode computes a cotangent x̄ = ∂f/∂x for each value, from the result back.

use std::cell::RefCell;
use std::ops::{Add, Mul};

/// The operations of the program: `+`, `·` and the sine. Any other function is one more line in each section.
trait Scalar: Copy + Add<Output = Self> + Mul<Output = Self> {
    fn sin(self) -> Self;
}

/// The program, written once: `f(x, y) = x·sin(x·y) + y`.
fn f<T: Scalar>(x: T, y: T) -> T {
    x * (x * y).sin() + y
}

// ---- Forward mode: a number and its tangent -------------------------------------------------------------------

/// `x + ẋε` with `ε² = 0`: the tangent ẋ is the derivative of the value along a direction of the inputs.
#[derive(Clone, Copy)]
struct Dual {
    value: f64,
    tangent: f64,
}

/// `(x + y)˙ = ẋ + ẏ`
impl Add for Dual {
    type Output = Dual;
    fn add(self, y: Dual) -> Dual {
        Dual { value: self.value + y.value, tangent: self.tangent + y.tangent }
    }
}

/// `(x·y)˙ = ẋ·y + x·ẏ`
impl Mul for Dual {
    type Output = Dual;
    fn mul(self, y: Dual) -> Dual {
        Dual { value: self.value * y.value, tangent: self.tangent * y.value + self.value * y.tangent }
    }
}

/// `(sin x)˙ = cos x · ẋ`
impl Scalar for Dual {
    fn sin(self) -> Dual {
        Dual { value: self.value.sin(), tangent: self.value.cos() * self.tangent }
    }
}

// ---- Reverse mode: a tape of operations, and a backward sweep --------------------------------------------------

/// A recorded operation `v = φ(a, b)`: its partials `∂φ/∂a`, `∂φ/∂b`, and the nodes of a and b.
struct Node {
    partials: [f64; 2],
    parents: [usize; 2],
}

/// The operations in the order of execution: parents precede their children.
#[derive(Default)]
struct Tape(RefCell<Vec<Node>>);

/// A value and its node.
#[derive(Clone, Copy)]
struct Var<'t> {
    value: f64,
    node: usize,
    tape: &'t Tape,
}

impl Tape {
    fn record(&self, value: f64, partials: [f64; 2], parents: [usize; 2]) -> Var<'_> {
        let mut nodes = self.0.borrow_mut();
        nodes.push(Node { partials, parents });
        Var { value, node: nodes.len() - 1, tape: self }
    }

    /// An independent variable: it depends on nothing.
    fn variable(&self, value: f64) -> Var<'_> {
        self.record(value, [0.0; 2], [0; 2])
    }

    /// The cotangents `v̄ = ∂y/∂v` of all nodes v. The sweep starts with `ȳ = 1` and adds the cotangent of each node
    /// to its parents: `ā += v̄·∂φ/∂a`, `b̄ += v̄·∂φ/∂b`. In backward order the cotangent of a node is complete
    /// before it is used.
    fn cotangents(&self, y: Var) -> Vec<f64> {
        let nodes = self.0.borrow();
        let mut cotangents = vec![0.0; nodes.len()];
        cotangents[y.node] = 1.0;
        for (i, node) in nodes.iter().enumerate().rev() {
            for (partial, parent) in node.partials.iter().zip(node.parents) {
                cotangents[parent] += cotangents[i] * partial;
            }
        }
        cotangents
    }
}

/// `∂(x + y)/∂x = 1`, `∂(x + y)/∂y = 1`
impl<'t> Add for Var<'t> {
    type Output = Var<'t>;
    fn add(self, y: Var<'t>) -> Var<'t> {
        self.tape.record(self.value + y.value, [1.0, 1.0], [self.node, y.node])
    }
}

/// `∂(x·y)/∂x = y`, `∂(x·y)/∂y = x`
impl<'t> Mul for Var<'t> {
    type Output = Var<'t>;
    fn mul(self, y: Var<'t>) -> Var<'t> {
        self.tape.record(self.value * y.value, [y.value, self.value], [self.node, y.node])
    }
}

/// `∂(sin x)/∂x = cos x`; the second partial is 0.
impl Scalar for Var<'_> {
    fn sin(self) -> Self {
        self.tape.record(self.value.sin(), [self.value.cos(), 0.0], [self.node, self.node])
    }
}

// ---- Both, and the crate's ------------------------------------------------------------------------------------

impl Scalar for wengert::Dual<f64> {
    fn sin(self) -> Self {
        self.sin()
    }
}

impl Scalar for wengert::Var<f64> {
    fn sin(self) -> Self {
        self.sin()
    }
}

fn main() {
    let (x, y) = (2.0, 3.0);
    println!("f(x, y) = x·sin(x·y) + y at x = {x}, y = {y}\n");

    // Forward mode gives one direction (ẋ, ẏ): n inputs need n passes.
    let tangent = |dx, dy| f(Dual { value: x, tangent: dx }, Dual { value: y, tangent: dy }).tangent;
    let forward = [tangent(1.0, 0.0), tangent(0.0, 1.0)];

    // Reverse mode gives all inputs, in any number, by one pass and one sweep.
    let tape = Tape::default();
    let (u, v) = (tape.variable(x), tape.variable(y));
    let cotangents = tape.cotangents(f(u, v));
    let reverse = [cotangents[u.node], cotangents[v.node]];

    println!("The tape; the cotangents are computed from its last row upwards:\n");
    println!("  node  operation     ∂φ/∂a     ∂φ/∂b    cotangent");
    let operations = [("x", 0), ("y", 0), ("v0·v1", 2), ("sin v2", 1), ("v0·v3", 2), ("v4 + v1", 2)];
    for (i, (node, (operation, operands))) in tape.0.borrow().iter().zip(operations).enumerate() {
        let partials: String = node.partials[..operands].iter().map(|p| format!("{p:10.5}")).collect();
        println!("  v{i}    {operation:9}{partials:20}{:13.5}", cotangents[i]);
    }

    // With the crate.
    let jvp = |direction| wengert::jvp(|p| f(p[0], p[1]), &[x, y], &direction);
    let crate_forward = [jvp([1.0, 0.0]), jvp([0.0, 1.0])];
    let crate_reverse = wengert::gradient(|p| f(p[0], p[1]), &[x, y]);

    println!("\n                               ∂f/∂x               ∂f/∂y");
    let results = [
        ("forward, here", forward),
        ("forward, wengert::jvp", crate_forward),
        ("reverse, here", reverse),
        ("reverse, wengert::gradient", crate_reverse),
    ];
    for (name, [dx, dy]) in results {
        println!("  {name:27}{dx:19.16} {dy:19.16}");
        let agrees = |d: f64, expected: f64| (d - expected).abs() <= 4.0 * f64::EPSILON * expected.abs();
        assert!(agrees(dx, forward[0]) && agrees(dy, forward[1]), "{name} disagrees");
    }
    println!("\nThey agree.");
}
