//! Which states a computation of many steps keeps so that it can be gone through backwards: the rest is computed again from those.
//!
//! With c states in memory, the first of all included, and each step computed at most r times again, `binomial(c + r, c)` steps can be
//! reversed. Where to keep the next state follows from that. Sources: A. Griewank, Optim. Methods Softw. 1, 35 (1992); A. Griewank,
//! A. Walther, ACM Trans. Math. Softw. 26, 19 (2000), proposition 1.

/// `binomial(kept + repeats, kept)`, or at least more than any number of steps; none without repeats below zero or states.
fn reach(kept: usize, repeats: Option<usize>) -> usize {
    let Some(repeats) = repeats else { return 0 };
    if kept == 0 {
        return 0;
    }
    let (small, sum) = (kept.min(repeats), kept + repeats);
    let mut all: u128 = 1;
    for n in 1..=small {
        all = all * (sum - small + n) as u128 / n as u128;
        if all > usize::MAX as u128 {
            return usize::MAX;
        }
    }
    all as usize
}

/// After how many steps the next state is kept, of at least two steps with at least two states, the first included.
pub(super) fn next(steps: usize, kept: usize) -> usize {
    let mut repeats = 0;
    while reach(kept, Some(repeats)) < steps {
        repeats += 1;
    }
    let before = |by: usize| repeats.checked_sub(by);
    // What comes before must be possible with all states and one repeat less, what comes after with one state less.
    let most = reach(kept, before(1)).min(steps - reach(kept - 1, before(1)));
    let least = reach(kept, before(2)).max(steps.saturating_sub(reach(kept - 1, Some(repeats))));
    most.max(least).clamp(1, steps - 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The steps that are computed to reverse so many, by the schedule.
    fn computed(steps: usize, kept: usize) -> usize {
        match (steps, kept) {
            (0 | 1, _) => 0,
            (_, 1) => steps * (steps - 1) / 2,
            _ => {
                let first = next(steps, kept);
                first + computed(steps - first, kept - 1) + computed(first, kept)
            }
        }
    }

    #[test]
    fn no_schedule_computes_fewer_steps() {
        // The fewest, by trying every place for the next state.
        let (most_steps, most_kept) = (60, 6);
        let mut fewest = vec![vec![0; most_kept + 1]; most_steps + 1];
        for steps in 2..=most_steps {
            fewest[steps][1] = steps * (steps - 1) / 2;
            for kept in 2..=most_kept {
                let with = |first: usize| first + fewest[steps - first][kept - 1] + fewest[first][kept];
                fewest[steps][kept] = (1..steps).map(with).min().unwrap();
                assert_eq!(computed(steps, kept), fewest[steps][kept], "{steps} steps, {kept} states");
            }
        }
    }

    #[test]
    fn long_runs_are_computed_a_few_times() {
        // 4·1000 - binomial(14, 3)
        assert_eq!(computed(1000, 10), 3636);
        assert_eq!(computed(1000, 1000), 999);
        // 8·1000000 - binomial(28, 7)
        assert_eq!(computed(1_000_000, 20), 6_815_960);
    }
}
