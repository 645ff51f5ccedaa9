//! Memory for packed blocks, kept by each thread from one product to the next.

use std::alloc::{Layout, alloc_zeroed, dealloc};
use std::cell::Cell;

use super::panels::{AskedLines, Panel};
use super::prefetch::Ahead;
use super::space::Groups;
use super::terms::Block;
use tensorwrapper_core::error::{Error, ErrorKind};
use tensorwrapper_core::storage::Plain;

/// Alignment of packed blocks: whole pages, so that panels begin with cache lines.
const ALIGN: usize = 4096;

/// What a thread needs to compute a part of a product.
#[derive(Debug, Default)]
pub(crate) struct Workspace {
    pub(crate) rows: Packed,
    pub(crate) columns: Packed,
    /// Results that are computed apart.
    pub(crate) result: Packed,
    pub(super) row_groups: Groups,
    pub(super) next_groups: Groups,
    pub(super) column_groups: Groups,
    pub(super) block: Block,
    pub(super) ahead: Ahead,
    pub(super) panels: Vec<Panel>,
    /// The lines of the result that panels and columns are stored in.
    pub(super) lines: [AskedLines; 2],
    /// The lines that an item of a batch reads of rows and of columns.
    pub(super) coming: [Vec<isize>; 2],
}

thread_local! {
    #[allow(clippy::vec_box, reason = "a workspace is lent by moving its box alone")]
    static KEPT: Cell<Vec<Box<Workspace>>> = const { Cell::new(Vec::new()) };
}

impl Workspace {
    /// Lends a workspace of this thread. What is lent already is not shared: a task that borrows within another has one of its own.
    pub(crate) fn lend<R>(task: impl FnOnce(&mut Workspace) -> R) -> R {
        let mut kept = KEPT.take();
        let mut workspace = kept.pop().unwrap_or_default();
        KEPT.set(kept);
        let result = task(&mut workspace);
        let mut kept = KEPT.take();
        kept.push(workspace);
        KEPT.set(kept);
        result
    }
}

/// Memory for packed panels, of any element type.
#[derive(Debug)]
pub(crate) struct Packed {
    start: *mut u8,
    bytes: usize,
}

impl Default for Packed {
    fn default() -> Packed {
        Packed { start: std::ptr::null_mut(), bytes: 0 }
    }
}

impl Packed {
    /// Room for so many numbers: zeros, or what was there before.
    pub(crate) fn room<T>(&mut self, len: usize) -> Result<*mut T, Error> {
        let bytes = len.saturating_mul(size_of::<T>()).max(1);
        if bytes > self.bytes {
            let refused = || Error::new(ErrorKind::Memory { bytes: bytes as u128 });
            let layout = Layout::from_size_align(bytes, ALIGN).map_err(|_| refused())?;
            *self = Packed::default();
            // SAFETY: the size is not zero.
            let start = unsafe { alloc_zeroed(layout) };
            if start.is_null() {
                return Err(refused());
            }
            tensorwrapper_core::internal::memory::advise_huge(start, bytes);
            *self = Packed { start, bytes };
        }
        Ok(self.start.cast())
    }
}

impl Packed {
    /// Room for so many elements, which are numbers: zeros, or what was there before.
    pub(crate) fn numbers<T: Plain>(&mut self, len: usize) -> Result<&mut [T], Error> {
        let start = self.room::<T>(len)?;
        // SAFETY: there is room for so many elements, aligned to pages; all bytes are initialised (see `room`), and any bytes are a number.
        Ok(unsafe { std::slice::from_raw_parts_mut(start, len) })
    }
}

impl Drop for Packed {
    fn drop(&mut self) {
        if self.bytes > 0 {
            let layout = Layout::from_size_align(self.bytes, ALIGN).expect("it was allocated with this layout");
            // SAFETY: `room` allocated it with this very layout.
            unsafe { dealloc(self.start, layout) };
        }
    }
}
