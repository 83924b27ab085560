//! The gradient descent of GradBench: its results depend on every step.

use wengert::Real;

/// Where `f` is least, from `start` on, at numbers that may carry derivatives.
pub fn minimum<T: Real<Base = f64>>(
    f: impl Fn(&[T]) -> T,
    gradient: impl Fn(&[T]) -> Vec<T>,
    start: &[T],
) -> Vec<T> {
    let length = |v: &[T]| v.iter().map(|&v| v.primal() * v.primal()).sum::<f64>().sqrt();
    let (mut x, mut value, mut g) = (start.to_vec(), f(start), gradient(start));
    let (mut steps, mut rate) = (0, 1e-5);
    while length(&g) > 1e-5 {
        if steps == 10 {
            (steps, rate) = (0, rate * 2.0);
            continue;
        }
        let change: Vec<T> = g.iter().map(|&g| g * rate).collect();
        let next: Vec<T> = x.iter().zip(&change).map(|(&x, &c)| x - c).collect();
        let moved: Vec<T> = x.iter().zip(&next).map(|(&x, &n)| x - n).collect();
        if length(&moved) <= 1e-5 {
            break;
        }
        let there = f(&next);
        if there.primal() < value.primal() {
            (x, value, steps) = (next, there, steps + 1);
            g = gradient(&x);
        } else {
            (steps, rate) = (0, rate / 2.0);
        }
    }
    x
}
