//! Which states to keep when a loop is reversed with few checkpoints.

/// `(c + r)!/(c!·r!)`: how many steps `c` checkpoints can reverse with at most `r` evaluations of each.
fn reach(c: usize, r: usize) -> usize {
    // Each partial product is a binomial coefficient, so the division is exact.
    (1..=c.min(r)).fold(1, |b: usize, i| match b.checked_mul(c.max(r) + i) {
        Some(b) => b / i,
        None => usize::MAX,
    })
}

/// The number of steps to the next checkpoint in a loop of `length ≥ 2` steps, with `c ≥ 2` checkpoints of which one
/// is at the start. Both parts can then be reversed with the least number of evaluations.
pub(super) fn split(length: usize, c: usize) -> usize {
    let r = (1..).find(|&r| reach(c, r) >= length).expect("the reach grows without bound");
    let front = if r >= 2 { reach(c, r - 2) } else { 1 };
    front.max(length.saturating_sub(reach(c - 1, r))).clamp(1, length - 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Evaluations of steps, recorded ones included, when the schedule is followed.
    fn evaluations(length: usize, c: usize) -> usize {
        match (length, c) {
            (0, _) => 0,
            (1, _) => 1,
            (_, 1) => length * (length + 1) / 2,
            _ => {
                let front = split(length, c);
                front + evaluations(length - front, c - 1) + evaluations(front, c)
            }
        }
    }

    #[test]
    fn the_number_of_evaluations_is_the_least_possible() {
        // r·l − reach(c + 1, r − 1) evaluations without recording and l with (Griewank and Walther, 2000).
        for c in 1..8 {
            for length in 1..300 {
                let r = (0..).find(|&r| reach(c, r) >= length).unwrap();
                let least = if r == 0 { 0 } else { r * length - reach(c + 1, r - 1) };
                assert_eq!(evaluations(length, c), least + length, "{length} steps, {c} checkpoints");
            }
        }
    }

    #[test]
    fn the_reach_does_not_overflow() {
        assert_eq!((reach(3, 2), reach(50, 5)), (10, 3_478_761));
        assert_eq!(reach(200, 200), usize::MAX);
        assert!((1..1_000_000).contains(&split(1_000_000, 50)));
    }
}
