//! A list of plans that are kept, those that were used last. It must not know of what plans are, or what they are made for.

use std::sync::{Arc, Mutex, PoisonError};

/// Plans that were used last, each with what it was made for; the newest use is the last.
#[derive(Debug)]
pub(crate) struct RecentPlans<P> {
    plans: Mutex<Vec<Arc<P>>>,
}

impl<P> RecentPlans<P> {
    /// No plan.
    pub(crate) const fn new() -> RecentPlans<P> {
        RecentPlans { plans: Mutex::new(Vec::new()) }
    }

    /// The plan for which `fits` returns a value, and that value; of several the one that was used last.
    pub(crate) fn find<R>(&self, fits: impl Fn(&P) -> Option<R>) -> Option<(Arc<P>, R)> {
        let mut plans = self.plans.lock().unwrap_or_else(PoisonError::into_inner);
        let (at, answer) = plans.iter().enumerate().rev().find_map(|(at, plan)| Some((at, fits(plan)?)))?;
        plans[at..].rotate_left(1);
        plans.last().map(|plan| (Arc::clone(plan), answer))
    }

    /// Keeps one more. Those that were not used for longest are dropped until what is left `may_stay`.
    pub(crate) fn add(&self, plan: Arc<P>, may_stay: impl Fn(&[Arc<P>]) -> bool) {
        let mut plans = self.plans.lock().unwrap_or_else(PoisonError::into_inner);
        plans.push(plan);
        let dropped = (0..plans.len()).find(|&first| may_stay(&plans[first..])).unwrap_or(plans.len());
        plans.drain(..dropped);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn those_that_were_used_last_stay() {
        let plans = RecentPlans::new();
        let find = |wanted: usize| plans.find(|plan| (*plan == wanted).then_some(())).is_some();
        let add = |plan: usize| plans.add(Arc::new(plan), |plans| plans.len() <= 2);
        add(1);
        add(2);
        assert!(find(1));
        add(3);
        assert!(find(1) && find(3) && !find(2));
    }
}
