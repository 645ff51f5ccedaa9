//! A run over block tensors, step by step: its progress is reported, and it can be cancelled between two steps.

use tensorwrapper_core::backend::Device;
use tensorwrapper_core::error::Error;

use super::super::run::{Observer, ReportedRun};

/// A run that is observed.
pub(super) struct WatchedRun<'r> {
    device: &'r dyn Device,
    reported: Option<ReportedRun<'r>>,
    /// What each step does, where spans are collected.
    spans: Option<Vec<String>>,
    /// Steps that are done.
    done: usize,
}

impl<'r> WatchedRun<'r> {
    /// A run on a device; of each step `costs` tells how many operations it takes, and `lines` what it does.
    pub(super) fn new(
        device: &'r dyn Device,
        observer: &'r Observer,
        costs: impl FnOnce() -> Vec<f64>,
        lines: impl FnOnce() -> Vec<String>,
    ) -> WatchedRun<'r> {
        let spans = tracing::enabled!(tracing::Level::DEBUG).then(lines);
        WatchedRun { device, reported: observer.report(costs), spans, done: 0 }
    }

    /// Whether results are computed as they are defined: each stage in one step.
    pub(super) fn is_definition(&self) -> bool {
        self.device.is_definition()
    }

    /// Computes the next step.
    ///
    /// # Errors
    /// [`ErrorKind::Cancelled`](tensorwrapper_core::error::ErrorKind::Cancelled), and those of the step.
    pub(super) fn step(&mut self, compute: impl FnOnce(&dyn Device) -> Result<(), Error>) -> Result<(), Error> {
        if let Some(reported) = &mut self.reported {
            reported.before()?;
        }
        let span = self.spans.as_ref().map(|lines| {
            let (number, steps) = (self.done + 1, lines.len());
            tracing::debug_span!("step", number, steps, equation = lines[self.done], kind = "blocks").entered()
        });
        compute(self.device)?;
        drop(span);
        if let Some(reported) = &mut self.reported {
            reported.after(self.done);
        }
        self.done += 1;
        Ok(())
    }
}
