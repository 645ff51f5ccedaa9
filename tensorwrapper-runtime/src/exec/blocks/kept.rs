//! Plans of equations over block tensors that are kept, so that a loop plans an equation once.
//!
//! Knows nothing of how plans are made.

use std::sync::Arc;

use tensorwrapper_core::backend::BackendInstance;
use tensorwrapper_core::element::Dtype;
use tensorwrapper_core::structure::Structure;

use super::order::Chosen;
use super::prepared::PreparedBlocks;
use crate::exec::recent_plans::RecentPlans;

/// Plans that are kept at most: those that were used last.
const MOST: usize = 256;
/// How many are kept even if they list many tuples.
const FEWEST: usize = 64;
/// Tuples that more plans than these list together, about 100 bytes each.
const TUPLES: usize = 1 << 20;

/// What a plan was made for.
#[derive(Clone, Debug)]
pub(super) struct Key {
    pub(super) equation: String,
    /// Of each operand the number of the first one that is the same tensor.
    pub(super) numbers: Vec<usize>,
    /// The structure of each operand, and whether it is a dense tensor.
    pub(super) structures: Vec<(Structure, bool)>,
    pub(super) dtype: Dtype,
    pub(super) chosen: Chosen,
    pub(super) backend: Arc<BackendInstance>,
}

impl PartialEq for Key {
    fn eq(&self, other: &Key) -> bool {
        // The cheap comparisons first; structures of one tensor are equal at a glance.
        self.equation == other.equation
            && self.dtype == other.dtype
            && Arc::ptr_eq(&self.backend, &other.backend)
            && self.numbers == other.numbers
            && self.chosen == other.chosen
            && self.structures == other.structures
    }
}

/// A plan and what it was made for.
struct Kept {
    key: Key,
    plan: Arc<PreparedBlocks>,
}

static KEPT: RecentPlans<Kept> = RecentPlans::new();

/// The plan that was made for this, if it is still kept.
pub(super) fn find(key: &Key) -> Option<Arc<PreparedBlocks>> {
    KEPT.find(|kept| (kept.key == *key).then(|| Arc::clone(&kept.plan))).map(|(_, plan)| plan)
}

/// Keeps a plan; those that were not used for longest are dropped for it.
pub(super) fn keep(key: Key, plan: Arc<PreparedBlocks>) {
    let listed = |plans: &[Arc<Kept>]| plans.iter().map(|kept| kept.plan.listed()).sum::<usize>();
    KEPT.add(Arc::new(Kept { key, plan }), |plans| plans.len() <= FEWEST || (plans.len() <= MOST && listed(plans) <= TUPLES));
}
