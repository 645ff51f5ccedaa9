//! Runs of plans.
//!
//! | file | holds |
//! |---|---|
//! | `execution.rs` | one run: where it computes, and where its results go |
//! | `steps.rs`, `arena.rs`, `in_place.rs` | steps in memory of the host |
//! | `device_run.rs` | steps in the memory of a device |
//! | `replays.rs`, `reclaim.rs` | runs of prepared plans on devices, queued by one call, and the memory that they keep |
//! | `whole.rs` | graphs that a backend has compiled |
//! | `reach.rs` | elements in the memory of a device |
//! | `observer.rs` | progress, cancellation, times |

mod arena;
mod device_run;
mod execution;
mod in_place;
mod observer;
mod reach;
mod reclaim;
mod replays;
mod steps;
mod whole;

use smallvec::SmallVec;
use tensorwrapper_core::storage::Buffer;

pub(crate) use execution::Execution;
pub use execution::ResultPlacement;
pub(super) use observer::Measured;
pub(crate) use observer::Observer;
pub(super) use observer::ReportedRun;
pub use observer::{Cancel, Progress};
pub(super) use reach::{copied, copy_to};
pub(super) use reclaim::with_room;
pub use replays::Replay;
pub(super) use replays::Replays;

/// The elements of the requested tensors, in the order of [`Plan::results`](super::plan::Plan::results). Like all lists of a
/// run, it needs no allocation while it is short, so that a call of a small equation costs little more than its arithmetic.
pub(crate) type Computed = SmallVec<[Buffer; 1]>;
