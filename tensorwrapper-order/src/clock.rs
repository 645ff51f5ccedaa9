//! The end of a search that has a time limit. It must not know what is searched.

use std::time::{Duration, Instant};

/// When a search has to end.
#[derive(Clone, Copy, Debug)]
pub(super) struct Clock {
    end: Option<Instant>,
}

impl Clock {
    /// A clock that runs out after this time. It never runs out without a time, or if the time is too long for the clock.
    pub(super) fn new(time: Option<Duration>) -> Clock {
        Clock { end: time.and_then(|time| Instant::now().checked_add(time)) }
    }

    pub(super) fn is_over(&self) -> bool {
        self.end.is_some_and(|end| Instant::now() >= end)
    }
}
