//! The runs of prepared plans: on devices that record what is queued, all steps of a plan become one.

mod recorded;

use std::fmt;
use std::sync::Arc;

use recorded::Replays;
pub(super) use recorded::with_room;

use super::placed::are_within_reach;
use super::plan::Plan;
use super::resident::{Wanted, computed};
use super::run::{Computed, Goes, run_to};
use super::watch::Watch;
use tensorwrapper_core::backend::Device;
use tensorwrapper_core::callback::Callback;
use tensorwrapper_core::erased::SliceRef;
use tensorwrapper_core::error::Error;

/// Whether the runs of a prepared plan are queued as one, on a device that can record what is queued.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Replay {
    /// They will be: the first two runs go step by step, and the next is recorded once operands lie where they did, or are copied to
    /// where they were.
    NotYet,
    /// They are.
    Whole,
    /// They go step by step, for this reason.
    Never(String),
}

impl fmt::Display for Replay {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Replay::NotYet => f.write_str("from the third run on, once operands lie where they did"),
            Replay::Whole => f.write_str("yes"),
            Replay::Never(reason) => write!(f, "no: {reason}"),
        }
    }
}

/// The runs of one plan.
#[derive(Debug, Default)]
pub(super) struct Runs {
    replays: Replays,
}

impl Runs {
    /// As [`run_to`].
    ///
    /// # Errors
    /// As [`run_to`].
    pub(super) fn run(
        &self,
        plan: &Plan,
        device: &Arc<dyn Device>,
        watch: &Watch,
        (sources, functions): (&[SliceRef<'_>], &[Callback<'_>]),
        goes: Goes,
    ) -> Result<Computed, Error> {
        if let Some(resident) = device.resident() {
            are_within_reach(&**device, sources)?;
            let first = match goes {
                Goes::Here => usize::MAX,
                Goes::There { first } => first,
            };
            let run =
                |wanted: &mut [Wanted<'_>]| self.replays.run(plan, (&**device, resident), watch, (sources, functions), wanted);
            return computed(plan, device, first, run);
        }
        run_to(plan, device, watch, (sources, functions), goes)
    }

    /// What is to be said of the next run, on a device that records.
    pub(super) fn replay(&self, plan: &Plan, device: &dyn Device) -> Option<Replay> {
        if device.resident().is_some() {
            return Some(self.replays.told(plan));
        }
        let _ = (plan, device);
        None
    }
}
