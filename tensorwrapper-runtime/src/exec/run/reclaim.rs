//! Memory of a device that prepared plans keep between their runs, and how it is reclaimed when something else needs it.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use tensorwrapper_core::backend::{BackendInstance, Session};
use tensorwrapper_core::error::{Error, ErrorKind};

/// A plan that keeps memory, and the identity of its device's memory.
type Keeper = ((usize, usize), Weak<Mutex<State>>);

/// Plans that keep memory, in the order in which they began to.
static KEEPING: Mutex<VecDeque<Keeper>> = Mutex::new(VecDeque::new());

/// Runs `attempt`, which needs device memory. If there is too little, prepared plans that are not running release the memory
/// that they keep on the device, the longest kept first, until the attempt succeeds. They keep memory again after two more
/// runs.
///
/// # Errors
/// The error of the last attempt.
pub(in crate::exec) fn with_room<R>(
    backend: &BackendInstance,
    mut attempt: impl FnMut() -> Result<R, Error>,
) -> Result<R, Error> {
    loop {
        match attempt() {
            Err(error) if matches!(error.kind(), ErrorKind::Memory { .. }) && give_back(backend.memory()) => (),
            done => return done,
        }
    }
}

/// Makes one plan release its memory on a device. Returns whether there was such a plan.
fn give_back(device: (usize, usize)) -> bool {
    // Plans whose owner drops them meanwhile are dropped after the lock is released: freeing memory waits for the device's own lock, and
    // the thread that holds that one may be waiting for this lock.
    let mut seen = Vec::new();
    let mut keeping = KEEPING.lock().unwrap_or_else(PoisonError::into_inner);
    keeping.retain(|(_, plan)| plan.strong_count() > 0);
    let mut here = keeping.iter().enumerate().filter(|(_, (known, _))| *known == device);
    let taken = here.find_map(|(n, (_, plan))| {
        let plan = plan.upgrade()?;
        let take = |mut state: MutexGuard<'_, State>| matches!(*state, State::Kept { .. }).then(|| std::mem::take(&mut *state));
        let kept = plan.try_lock().ok().and_then(take);
        seen.push(plan);
        Some((n, kept?))
    });
    let Some((n, kept)) = taken else { return false };
    keeping.remove(n);
    drop(keeping);
    drop(kept);
    true
}

/// The state that the runs of one plan leave for the next run.
#[derive(Debug, Default)]
pub(super) enum State {
    /// There was no run.
    #[default]
    New,
    /// There was one run: a plan that runs once keeps no memory.
    Once,
    /// Memory is kept. `is_recorded` says whether the queued steps are recorded, too, which happens in the next run whose
    /// operands are at the same addresses.
    Kept { session: Box<dyn Session>, is_recorded: bool },
    /// Runs go step by step, for this reason.
    Never(String),
}

/// Notes that a plan keeps memory on a device from now on.
pub(super) fn keep(backend: &BackendInstance, state: &Arc<Mutex<State>>) {
    let mut keeping = KEEPING.lock().unwrap_or_else(PoisonError::into_inner);
    keeping.retain(|(_, plan)| plan.strong_count() > 0 && !std::ptr::eq(plan.as_ptr(), Arc::as_ptr(state)));
    keeping.push_back((backend.memory(), Arc::downgrade(state)));
}
