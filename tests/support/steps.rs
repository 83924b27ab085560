//! Random functions: steps, each of which takes its operands from earlier values.
#![allow(dead_code)] // each test takes a part

use std::cell::RefCell;

use wengert::rules::{Binary, Holomorphic, RuleVisitor, Unary, visit_rules};
use wengert::{Dual, Real, reduce};

/// The operation of a step, and the earlier values that it takes, counted from the last one.
pub type Step = (u8, u8, u8, u8);

thread_local! {
    /// The results of the comparisons that functions have made.
    static ANSWERS: RefCell<Vec<u64>> = const { RefCell::new(Vec::new()) };
}

/// The results of a function's comparisons of numbers, with its results.
pub fn answers<Y>(f: impl FnOnce() -> Y) -> (Y, Vec<u64>) {
    ANSWERS.take();
    let y = f();
    (y, ANSWERS.take())
}

fn ask(answer: bool) -> bool {
    ANSWERS.with_borrow_mut(|all| all.push(u64::from(answer)));
    answer
}

/// How two numbers compare: 2 if not at all.
fn order<T: Real<Base = f64>>(x: T, y: T) -> i8 {
    let order = x.partial_cmp(&y).map_or(2, |order| order as i8);
    ANSWERS.with_borrow_mut(|all| all.push(order as u64));
    order
}

/// A number that leaves the function; every NaN is one.
fn leave<T: Real<Base = f64>>(x: T) -> T {
    let x = x.primal();
    let x = if x.is_nan() { f64::NAN } else { x };
    ANSWERS.with_borrow_mut(|all| all.push(x.to_bits()));
    T::lit(x)
}

/// `x` with a sign that may be read: the sign of NaN is arbitrary.
fn signed<T: Real<Base = f64>>(x: T) -> T {
    x.max(f64::NEG_INFINITY)
}

/// The results of the last steps.
pub fn function<T: Real<Base = f64>>(steps: &[Step], x: &[T]) -> Vec<T> {
    results(steps, x, tangent_within)
}

/// The function without intermediate numbers with tangents, which take longer to compile.
pub fn plain_function<T: Real<Base = f64>>(steps: &[Step], x: &[T]) -> Vec<T> {
    results(steps, x, within)
}

fn results<T: Real<Base = f64>>(steps: &[Step], x: &[T], within: fn(u8, T, T) -> T) -> Vec<T> {
    let mut values = x.to_vec();
    values.extend([0.0, -0.0, 1.0, 2.5, f64::NAN, f64::INFINITY].map(T::lit));
    for &(code, a, b, c) in steps {
        let of = |i: u8| values[values.len() - 1 - usize::from(i) % values.len()];
        let operands = [of(a), of(b), of(c)];
        values.push(match code % 48 {
            37..=41 => within(b, operands[0], operands[1]),
            code => step(code, operands, b),
        });
    }
    let len = values.len();
    values.split_off(len.saturating_sub(4))
}

/// Loops of random bodies, of the point, of data, and of the sums of earlier loops. The comparisons of point and data
/// belong to several loops, and slots are used again.
pub fn loops<T: Real<Base = f64>>(bodies: &[(Vec<Step>, u8)], x: &[T]) -> Vec<T> {
    const KINDS: [u8; 20] = [0, 1, 2, 4, 5, 7, 8, 9, 12, 14, 14, 14, 16, 27, 27, 28, 29, 15, 33, 4];
    let mut state = x.to_vec();
    for (body, count) in bodies.iter().take(5) {
        let mut sum = T::lit(0.0);
        for i in 0..u32::from(count % 40) {
            let mut values = state.clone();
            values.push(T::lit(f64::from(i * 7 % 11) * 0.25 - 1.0));
            for &(code, a, b, c) in body.iter().take(8) {
                let of = |i: u8| values[values.len() - 1 - usize::from(i) % values.len()];
                let (x, y, z) = (of(a), of(b), of(c));
                // A guard of few: another branch ends a run.
                let code = KINDS[usize::from(code) % KINDS.len()];
                values.push(step(if code == 33 && c > 16 { 14 } else { code }, [x, y, z], 0));
            }
            let last = values[values.len() - 1];
            sum += last;
            if count % 3 == 0 {
                // One number passes from an iteration to the next.
                state[0] = values[values.len() / 2];
            }
        }
        state.push(sum);
    }
    state
}

/// A tangent of numbers that have some.
fn tangent_within<T: Real<Base = f64>>(k: u8, x: T, y: T) -> T {
    if k < 128 {
        return within(k, Dual::new(x, y), Dual::variable(y)).tangent();
    }
    let twice = within(k, Dual::new(Dual::new(x, y), Dual::constant(y)), Dual::variable(Dual::constant(y)));
    twice.tangent().tangent()
}

fn step<T: Real<Base = f64>>(code: u8, [x, y, z]: [T; 3], k: u8) -> T {
    match code {
        0 | 1 => x + y,
        2 | 3 => x - y,
        4 | 5 => x * y,
        6 => x / y,
        7 => -x,
        8 => x.mul_add(y, z),
        9 => x.sin(),
        10 => x.sqrt(),
        11 => x.powi(i32::from(k % 5) - 2),
        12 => x.max(y),
        13 => x.min(y),
        14 => Real::select_lt(x, y, y, z),
        15 => x.tanh(),
        16 => x.abs(),
        17 => x.hypot(y),
        18 => x.detach() + y,
        19 => x.powf(2.5),
        20 => x.copysign(signed(y)),
        21 => x.exp(),
        22 => x.ln(),
        23 => x.powf(y),
        24 => x % y,
        25 => x.recip(),
        26 => x.atan2(y),
        27 => Real::select_le(x, y, z, x),
        28 => Real::clamp(x, -1.0, 2.0),
        29 => x.abs_sub(y),
        30 => x * (f64::from(k) - 100.0),
        31 => x.strong_mul(y),
        32 => x.strong_both(y),
        33 => branch(k, [x, y, z]),
        34 => leave(x) * y,
        35 => reduced(k, [x, y, z]),
        36 => repeated(k, [x, y, z]),
        _ => row(usize::from(k), x, y),
    }
}

/// The function goes one of two ways.
fn branch<T: Real<Base = f64>>(k: u8, [x, y, z]: [T; 3]) -> T {
    let yes = match k % 8 {
        0 => x < y,
        1 => x <= y,
        2 => x == y,
        3 => order(x, y) != 1,
        4 => x.partial_cmp(&x).is_none(),
        5 => x.abs() < f64::INFINITY,
        6 => signed(x) >= -z.abs(),
        _ => x.is_zero(),
    };
    if ask(yes) { y * z } else { x - z }
}

/// Whether a step has laws at singular points, where programs give zeros the signs of plain products, or may compare
/// recorded numbers more often than `f64`.
pub fn has_laws(step: &Step) -> bool {
    matches!(step.0 % 48, 31 | 32 | 35 | 37..=41)
}

/// Whether a step may call a primitive.
pub fn may_be_primitive(step: &Step) -> bool {
    step.0 % 48 == 35
}

fn reduced<T: Real<Base = f64>>(k: u8, x: [T; 3]) -> T {
    match k % 6 {
        0 => x.into_iter().sum(),
        1 => reduce::logsumexp(&x),
        2 => reduce::norm(&x),
        3 => reduce::product(&x),
        4 => reduce::dot(&x, &[x[1], x[0], x[0]]),
        _ => reduce::softmax(&x)[0],
    }
}

/// A loop of a few operations.
fn repeated<T: Real<Base = f64>>(k: u8, [x, y, z]: [T; 3]) -> T {
    let (mut sum, mut last) = (x, z);
    for i in 0..k / 4 {
        let t = y * (f64::from(i) * 0.25);
        last = match k % 4 {
            0 => t.sin() - z,
            1 => last * 0.5 + t,
            2 if ask(t > z) => t * z,
            2 => t - z,
            _ => (last - t).max(z),
        };
        sum += last * x;
    }
    sum
}

/// Functions at numbers with tangents.
fn within<N: Real<Base = f64>>(k: u8, x: N, y: N) -> N {
    match k % 12 {
        0 => x * y + x / y,
        1 => (x * x + y * y).sqrt(),
        2 => x.powf(y),
        3 => x.powf(2.5) * y.exp(),
        4 => x.max(y) * x.min(y),
        5 => x.hypot(y).ln(),
        6 => Real::select_lt(x, y, y.tanh(), x.sin()),
        7 => x.atan2(y),
        8 if ask(x < y) => x.recip(),
        8 => y.abs(),
        9 => x.mul_add(y, x) % y,
        10 => x.detach() * y.powi(-1),
        _ => x.copysign(signed(y)) + y.cbrt(),
    }
}

/// The rule of a number in the table.
struct Row<T> {
    left: usize,
    x: [T; 2],
    y: T,
}

impl<T: Real<Base = f64>> Row<T> {
    fn is_next(&mut self) -> bool {
        self.left = self.left.wrapping_sub(1);
        self.left == usize::MAX
    }
}

impl<T: Real<Base = f64>> RuleVisitor for Row<T> {
    fn holomorphic<H: Holomorphic>(&mut self, rule: H, _: [f64; 2]) {
        if self.is_next() {
            self.y = self.x[0].lift_holomorphic(rule);
        }
    }
    fn unary<U: Unary>(&mut self, rule: U, _: [f64; 2]) {
        if self.is_next() {
            self.y = self.x[0].lift1(rule);
        }
    }
    fn binary<B: Binary>(&mut self, rule: B, _: [[f64; 2]; 2]) {
        if self.is_next() {
            self.y = self.x[0].lift2(self.x[1], rule);
        }
    }
}

/// A rule of the table; the first argument if there are less.
fn row<T: Real<Base = f64>>(number: usize, x: T, y: T) -> T {
    let mut row = Row { left: number, x: [x, y], y: x };
    visit_rules(&mut row);
    row.y
}
