//! The plans that are kept at one place in a program. A plan is reused, without planning, for operands of the same types,
//! extents and strides.

use std::sync::{Arc, Mutex, PoisonError};

use super::plan_key::KeptPlan;

/// The plans of one place in a program.
#[derive(Debug)]
pub(crate) struct CallSiteCache {
    plans: Mutex<Vec<Arc<KeptPlan>>>,
}

/// The most plans that one place keeps; a further plan replaces the oldest one. Methods that extend a basis by one vector in each step
/// (Lanczos, Davidson) meet a few dozen extents again and again.
const MOST: usize = 32;

impl CallSiteCache {
    /// No plan.
    pub(crate) const fn new() -> CallSiteCache {
        CallSiteCache { plans: Mutex::new(Vec::new()) }
    }

    /// The newest plan for which `fits` returns a value, and that value.
    pub(crate) fn find<R>(&self, fits: impl Fn(&KeptPlan) -> Option<R>) -> Option<(Arc<KeptPlan>, R)> {
        let plans = self.plans.lock().unwrap_or_else(PoisonError::into_inner);
        plans.iter().rev().find_map(|plan| fits(plan).map(|answer| (Arc::clone(plan), answer)))
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
