//! When a search that is given a time ends. It must not know what is searched.

use std::time::{Duration, Instant};

/// When a search has to end.
#[derive(Clone, Copy, Debug)]
pub(super) struct Clock {
    end: Option<Instant>,
}

impl Clock {
    /// One that is over after this time; never over without one, or if the time is too long for the clock.
    pub(super) fn new(time: Option<Duration>) -> Clock {
        Clock { end: time.and_then(|time| Instant::now().checked_add(time)) }
    }

    pub(super) fn is_over(&self) -> bool {
        self.end.is_some_and(|end| Instant::now() >= end)
    }
}
