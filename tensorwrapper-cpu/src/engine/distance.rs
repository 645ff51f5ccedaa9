//! From which cache a problem's operands come and to which one its result goes, and what is therefore asked for, or written past the
//! caches.

use super::kernel::GemmElement;
use super::problem::{Problem, WorkShare};
use crate::multiversion::streamed;
use crate::simd::{Caches, foresees};
use tensorwrapper_core::backend::fuse::points;

/// Columns with so few of which a core computes faster than memory can be read.
const FEW_COLUMNS: usize = 64;

impl<T: GemmElement> Problem<'_, T> {
    /// Whether asking for what the next item reads is worth it: a processor that waits little for a near cache loses by asking for what is
    /// there.
    pub(super) fn comes_from_memory(&self) -> bool {
        let bytes = self.product.factors.iter().map(|factor| size_of_val(&*factor.data)).sum::<usize>();
        !foresees() || bytes.saturating_add(self.result_bytes()) > Caches::here().third / 4
    }

    /// Bytes of the results of all items of the batch, about.
    fn result_bytes(&self) -> usize {
        let elements = (self.cut.rows.groups() * self.kernel.lanes).saturating_mul(self.cut.columns.groups() * self.kernel.nr);
        elements.saturating_mul(points(self.product.batch)).saturating_mul(size_of::<T>())
    }

    /// Whether the result is written once, and larger than the caches.
    pub(super) fn is_streamed(&self, part: &WorkShare) -> bool {
        let once = part.blocks.len() == 1 && !self.product.adds;
        once && self.product.epilogue.is_none() && self.kernel.parts() == 1 && self.result_bytes() > streamed()
    }

    /// Whether stores wait for their lines: the result is larger than the second cache, or than half of the third one where the processor
    /// has a long queue of stores.
    pub(super) fn is_far(&self) -> bool {
        self.result_bytes() > if foresees() { streamed() } else { Caches::here().second }
    }

    /// Whether so little is computed with each element of the rows that the time to read them shows: they are fetched while
    /// the block before them is computed.
    pub(super) fn is_fetched_ahead(&self, part: &WorkShare) -> bool {
        part.columns.len() * self.kernel.nr <= FEW_COLUMNS
    }
}
