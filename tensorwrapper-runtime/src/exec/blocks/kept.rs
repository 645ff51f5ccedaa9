//! Plans of equations over block tensors that are kept, so that a loop plans an equation once.
//!
//! Knows nothing of how plans are made.

use std::hash::{DefaultHasher, Hash, Hasher};
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

impl Key {
    /// A number that equal keys share. Hundreds of plans are compared with what is looked for, and most of them are for the same
    /// equation with almost the same cuts, so that comparing structures would take long.
    fn digest(&self) -> u64 {
        let mut hasher = DefaultHasher::new();
        (&self.equation, &self.numbers, &self.structures).hash(&mut hasher);
        hasher.finish()
    }
}

/// A plan and what it was made for.
struct Kept {
    digest: u64,
    key: Key,
    plan: Arc<PreparedBlocks>,
    /// The tuples that the plan lists, which are added up whenever another plan is kept.
    listed: usize,
}

static KEPT: RecentPlans<Kept> = RecentPlans::new();

/// The plan that was made for this, if it is still kept.
pub(super) fn find(key: &Key) -> Option<Arc<PreparedBlocks>> {
    let digest = key.digest();
    let fits = |kept: &Kept| kept.digest == digest && kept.key == *key;
    KEPT.find(|kept| fits(kept).then(|| Arc::clone(&kept.plan))).map(|(_, plan)| plan)
}

/// Keeps a plan; those that were not used for longest are dropped for it.
pub(super) fn keep(key: Key, plan: Arc<PreparedBlocks>) {
    let listed = |plans: &[Arc<Kept>]| plans.iter().map(|kept| kept.listed).sum::<usize>();
    let kept = Kept { digest: key.digest(), listed: plan.listed(), key, plan };
    KEPT.add(Arc::new(kept), |plans| plans.len() <= FEWEST || (plans.len() <= MOST && listed(plans) <= TUPLES));
}
