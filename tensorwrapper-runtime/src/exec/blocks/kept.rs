//! Plans of equations over block tensors that are kept, so that a loop plans an equation once.
//!
//! Knows nothing of how plans are made.

use std::sync::{Arc, Mutex, PoisonError};

use tensorwrapper_core::backend::BackendInstance;
use tensorwrapper_core::element::Dtype;
use tensorwrapper_core::structure::Structure;

use super::order::Chosen;
use super::prepared::PreparedBlocks;

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

static KEPT: Mutex<Vec<(Key, Arc<PreparedBlocks>)>> = Mutex::new(Vec::new());

/// The plan that was made for this, if it is still kept.
pub(super) fn find(key: &Key) -> Option<Arc<PreparedBlocks>> {
    let mut kept = KEPT.lock().unwrap_or_else(PoisonError::into_inner);
    let at = kept.iter().rposition(|(known, _)| known == key)?;
    let found = kept.remove(at);
    let plan = Arc::clone(&found.1);
    kept.push(found);
    Some(plan)
}

/// Keeps a plan; those that were not used for longest are dropped for it.
pub(super) fn keep(key: Key, plan: Arc<PreparedBlocks>) {
    let mut kept = KEPT.lock().unwrap_or_else(PoisonError::into_inner);
    kept.push((key, plan));
    let mut listed: usize = kept.iter().map(|(_, plan)| plan.listed()).sum();
    while kept.len() > MOST || (kept.len() > FEWEST && listed > TUPLES) {
        listed -= kept.remove(0).1.listed();
    }
}
