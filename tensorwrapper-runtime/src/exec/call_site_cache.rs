//! The plans that one place in a program keeps: what was planned once for operands of these types, extents and strides is run again
//! without planning.

use std::sync::{Arc, Mutex, PoisonError};

use super::plan_key::KeptPlan;

/// The plans of one place in a program.
#[derive(Debug)]
pub(crate) struct CallSiteCache {
    plans: Mutex<Vec<Arc<KeptPlan>>>,
}

/// Plans that one place keeps; another pushes out the oldest.
const MOST: usize = 4;

impl CallSiteCache {
    /// No plan.
    pub(crate) const fn new() -> CallSiteCache {
        CallSiteCache { plans: Mutex::new(Vec::new()) }
    }

    /// The first plan that an answer is found for.
    pub(crate) fn find<R>(&self, fits: impl Fn(&KeptPlan) -> Option<R>) -> Option<(Arc<KeptPlan>, R)> {
        let plans = self.plans.lock().unwrap_or_else(PoisonError::into_inner);
        plans.iter().find_map(|plan| fits(plan).map(|answer| (Arc::clone(plan), answer)))
    }

    /// Keeps one more.
    pub(crate) fn add(&self, plan: Arc<KeptPlan>) {
        let mut plans = self.plans.lock().unwrap_or_else(PoisonError::into_inner);
        if plans.len() == MOST {
            plans.remove(0);
        }
        plans.push(plan);
    }
}
