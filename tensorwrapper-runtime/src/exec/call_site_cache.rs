//! The plans that are kept at one place in a program. A plan is reused, without planning, for operands of the same types,
//! extents and strides.

use std::sync::{Arc, Mutex, PoisonError};

/// The plans of one place in a program, each with what it was made for.
#[derive(Debug)]
pub(crate) struct CallSiteCache<P> {
    plans: Mutex<Vec<Arc<P>>>,
}

/// The most plans that one place keeps; a further plan replaces the oldest one. Methods that extend a basis by one vector in each step
/// (Lanczos, Davidson) meet two dozen extents again and again.
const MOST: usize = 32;

impl<P> CallSiteCache<P> {
    /// No plan.
    pub(crate) const fn new() -> CallSiteCache<P> {
        CallSiteCache { plans: Mutex::new(Vec::new()) }
    }

    /// The newest plan for which `fits` returns a value, and that value.
    pub(crate) fn find<R>(&self, fits: impl Fn(&P) -> Option<R>) -> Option<(Arc<P>, R)> {
        let plans = self.plans.lock().unwrap_or_else(PoisonError::into_inner);
        plans.iter().rev().find_map(|plan| fits(plan).map(|answer| (Arc::clone(plan), answer)))
    }

    /// Keeps one more.
    pub(crate) fn add(&self, plan: Arc<P>) {
        let mut plans = self.plans.lock().unwrap_or_else(PoisonError::into_inner);
        if plans.len() == MOST {
            plans.remove(0);
        }
        plans.push(plan);
    }
}
