//! Random cases of the tests: the same on every run, or many fresh ones.
//!
//! The variable `SCAN` multiplies the usual number of cases, with a seed from the clock, which a failure prints:
//! `SCAN=100 cargo test --release --test programs`. `SCAN=100,7` repeats the run of seed 7.
#![allow(dead_code)] // each test takes a part

use std::time::{SystemTime, UNIX_EPOCH};

use fastrand::Rng;
use quickcheck::{Gen, QuickCheck, Testable};

/// The settings of the variable: the multiple of the usual number of cases, and the seed.
fn scan() -> Option<(u64, u64)> {
    let text = std::env::var("SCAN").ok()?;
    let (times, seed) = text.split_once(',').map_or((&*text, None), |(times, seed)| (times, Some(seed)));
    let number = |text: &str| -> u64 {
        text.parse().unwrap_or_else(|_| panic!("SCAN={text}: a factor, or a factor, a comma and a seed"))
    };
    let of_clock = || SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |t| t.as_nanos() as u64);
    Some((number(times), seed.map_or_else(of_clock, number)))
}

/// Whether this is a long run.
pub fn is_scan() -> bool {
    scan().is_some()
}

/// How many cases there are instead of the usual ones.
pub fn cases(usual: u64) -> u64 {
    scan().map_or(usual, |(times, _)| usual * times)
}

/// The seed of the cases, instead of the usual one.
pub fn seed(usual: u64) -> u64 {
    let Some((times, seed)) = scan() else { return usual };
    println!("again: SCAN={times},{seed}");
    seed
}

/// Chooses cases of a grid: one in a number of them at random, the same on every run, or all of them in long runs.
pub struct Part {
    random: Rng,
    one_in: usize,
}

impl Part {
    pub fn one_in(number: usize) -> Self {
        Part { random: Rng::with_seed(1676), one_in: if is_scan() { 1 } else { number } }
    }
    /// Whether the next case runs.
    pub fn takes(&mut self) -> bool {
        self.random.usize(..self.one_in) == 0
    }
    /// The cases that run.
    pub fn of<T>(&mut self, cases: impl IntoIterator<Item = T>) -> Vec<T> {
        cases.into_iter().filter(|_| self.takes()).collect()
    }
}

pub fn numbers(usual_seed: u64) -> Rng {
    Rng::with_seed(seed(usual_seed))
}

/// Checks a property at this number of random cases.
pub fn check<P: Testable>(usual_cases: u64, property: P) {
    check_from(1964, usual_cases, property);
}

/// The cases of another usual seed.
pub fn check_from<P: Testable>(usual_seed: u64, usual_cases: u64, property: P) {
    let (cases, random) = (cases(usual_cases), Gen::from_size_and_seed(100, seed(usual_seed)));
    QuickCheck::new().rng(random).tests(cases).max_tests(2 * cases).quickcheck(property);
}
