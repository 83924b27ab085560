//! Timing in turns: the cases of a workload alternate in bursts of equal duration, so that a busy computer slows all
//! of them equally.

use std::hint::black_box;
use std::time::{Duration, Instant};

/// A way to compute the workload, by name.
pub type Case<'a> = (&'a str, Box<dyn FnMut() + 'a>);

/// How long a burst of each case takes, unless a single call takes longer.
const BURST: Duration = Duration::from_millis(1);
/// How long a workload may take in all.
const BUDGET: Duration = Duration::from_secs(4);
/// Single calls of each case with cold caches.
const COLD: usize = 9;

/// Times the cases in turn and prints a row for each: the minimum of the bursts, the ratio of minima to the first
/// case, the median of the ratios of neighbouring bursts, and the ratio of single calls whose memory has left the
/// caches. Returns the minima in seconds.
pub fn compare(workload: &str, cases: &mut [Case<'_>]) -> Vec<f64> {
    let cold = cold(cases);
    let calls: Vec<usize> = cases.iter_mut().map(calibrate).collect();
    let round: f64 = cases.iter_mut().zip(&calls).map(|(case, &n)| burst(case, n) * n as f64).sum();
    let bursts = ((BUDGET.as_secs_f64() / round) as usize).clamp(7, 200);
    let mut times = vec![vec![0.0; bursts]; cases.len()];
    for turn in 0..bursts {
        for ((case, times), &calls) in cases.iter_mut().zip(&mut times).zip(&calls) {
            times[turn] = burst(case, calls);
        }
    }
    let minima: Vec<f64> = times.iter().map(|t| t.iter().copied().fold(f64::INFINITY, f64::min)).collect();
    println!("{workload}");
    for (i, (case, best)) in cases.iter().zip(&minima).enumerate() {
        let median = median(times[i].iter().zip(&times[0]).map(|(t, first)| t / first));
        let (ratio, cold) = (best / minima[0], cold[i] / cold[0]);
        println!("  {:34} {:12.1} ns  {ratio:6.2}  (median {median:.2}, cold {cold:.2})", case.0, best * 1e9);
    }
    minima
}

/// Seconds per call, in a sequence of `calls` calls.
fn burst(case: &mut Case<'_>, calls: usize) -> f64 {
    let start = Instant::now();
    (0..calls).for_each(|_| case.1());
    start.elapsed().as_secs_f64() / calls as f64
}

/// How many calls of a case fill a burst.
fn calibrate(case: &mut Case<'_>) -> usize {
    let mut calls = 1;
    loop {
        let taken = burst(case, calls) * calls as f64;
        if taken >= 0.5 * BURST.as_secs_f64() || calls >= 1 << 24 {
            return ((calls as f64 * BURST.as_secs_f64() / taken) as usize).max(1);
        }
        calls *= 2;
    }
}

/// Seconds of a single call after the caches have been filled with something else.
fn cold(cases: &mut [Case<'_>]) -> Vec<f64> {
    let mut other = vec![1u64; 8 << 20];
    let mut times = vec![Vec::with_capacity(COLD); cases.len()];
    // The first call of a case takes its memory from the system: it is not counted.
    cases.iter_mut().for_each(|case| case.1());
    for _ in 0..COLD {
        for (case, times) in cases.iter_mut().zip(&mut times) {
            other.iter_mut().for_each(|word| *word += 1);
            black_box(&other);
            times.push(burst(case, 1));
        }
    }
    times.into_iter().map(median).collect()
}

fn median(values: impl IntoIterator<Item = f64>) -> f64 {
    let mut sorted: Vec<f64> = values.into_iter().collect();
    sorted.sort_by(f64::total_cmp);
    sorted[sorted.len() / 2]
}
