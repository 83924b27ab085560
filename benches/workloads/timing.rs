//! Timing in turns: the cases of a workload alternate in short bursts, so that a busy machine slows all of them
//! alike.

use std::time::{Duration, Instant};

/// A way to compute the workload, by name.
pub type Case<'a> = (&'a str, Box<dyn FnMut() + 'a>);

/// How long a workload may take in all.
const BUDGET: Duration = Duration::from_secs(4);

/// Times the cases in turn and prints a row for each: the minimum of the bursts, the ratio of minima to the first
/// case, and the median of the ratios of neighbouring bursts. Returns the minima in seconds.
pub fn compare(workload: &str, cases: &mut [Case<'_>]) -> Vec<f64> {
    let once = |case: &mut Case<'_>| {
        let start = Instant::now();
        case.1();
        start.elapsed().as_secs_f64()
    };
    let warm: Vec<f64> = cases.iter_mut().map(|case| once(case).min(once(case))).collect();
    let calls = ((2e-4 / warm[0]) as usize).clamp(1, 1_000_000);
    let round = warm.iter().sum::<f64>() * calls as f64;
    let bursts = ((BUDGET.as_secs_f64() / round) as usize).clamp(7, 200);
    let mut times = vec![vec![0.0; bursts]; cases.len()];
    for burst in 0..bursts {
        for (case, times) in cases.iter_mut().zip(&mut times) {
            let start = Instant::now();
            (0..calls).for_each(|_| case.1());
            times[burst] = start.elapsed().as_secs_f64() / calls as f64;
        }
    }
    let minima: Vec<f64> = times.iter().map(|t| t.iter().copied().fold(f64::INFINITY, f64::min)).collect();
    println!("{workload}");
    for ((case, time), best) in cases.iter().zip(&times).zip(&minima) {
        let mut ratios: Vec<f64> = time.iter().zip(&times[0]).map(|(t, first)| t / first).collect();
        ratios.sort_by(f64::total_cmp);
        let (ratio, median) = (best / minima[0], ratios[bursts / 2]);
        println!("  {:34} {:12.1} ns  {ratio:6.2}  (median {median:.2})", case.0, best * 1e9);
    }
    minima
}
