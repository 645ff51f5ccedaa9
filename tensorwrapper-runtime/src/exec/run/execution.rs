//! One run of a plan: where every run begins.

use std::sync::Arc;

use smallvec::SmallVec;

use super::arena::{Arenas, Memory, Space};
use super::device_run::{DeviceExecution, computed};
use super::observer::Observer;
use super::reach::are_within_reach;
use super::replays::Replays;
use super::steps::{only_step, steps};
use super::{Computed, whole};
use crate::exec::plan::{Only, Plan};
use tensorwrapper_core::backend::{BackendInstance, Device, Executable, Resident};
use tensorwrapper_core::callback::Callback;
use tensorwrapper_core::error::Error;
use tensorwrapper_core::graph::TensorId;
use tensorwrapper_core::storage::{Buffer, SliceMut, SliceRef};

/// Where the results of a run go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ResultPlacement {
    /// To the host.
    Host,
    /// The results before number `first` are copied to the host. Those from `first` on stay in the memory of a device that has
    /// its own, and the memory at their host addresses does not hold their elements, except for a result of one element.
    Device {
        /// The number of the first result that stays.
        first: usize,
    },
}

/// A plan to run, with its backend, its observer, and the functions of the program that it calls.
#[derive(Debug)]
pub(crate) struct Execution<'e> {
    pub(crate) plan: &'e Plan,
    pub(crate) backend: &'e Arc<BackendInstance>,
    pub(crate) observer: &'e Observer,
    pub(crate) functions: &'e [Callback<'e>],
    /// The state that earlier runs have left, for a prepared plan.
    pub(in crate::exec) replays: Option<&'e Replays>,
}

impl<'e> Execution<'e> {
    /// A run without functions of a plan that is not prepared.
    #[inline]
    pub(crate) fn new(plan: &'e Plan, backend: &'e Arc<BackendInstance>, observer: &'e Observer) -> Execution<'e> {
        Execution { plan, backend, observer, functions: &[], replays: None }
    }

    /// Runs the plan on these sources. Results are made only when every step has succeeded.
    ///
    /// # Errors
    /// What the device reports: memory, decompositions, reductions over nothing. A lack of memory for results is reported
    /// before anything is computed.
    pub(crate) fn run(&self, sources: &[SliceRef<'_>], placement: ResultPlacement) -> Result<Computed, Error> {
        let (plan, device) = (self.plan, self.device());
        are_within_reach(device, sources)?;
        if let Some(only) = self.only()
            && placement == ResultPlacement::Host
            && (self.replays.is_none() || device.resident().is_none())
        {
            let mut result = Buffer::for_results(only.dtype, only.len)?;
            only_step(plan, (only, device), (sources, self.functions), result.as_mut())?;
            return Ok(Computed::from_buf([result]));
        }
        if let Some(executable) = plan.whole.as_deref() {
            return self.run_whole(executable, sources, placement);
        }
        match (device.resident(), placement) {
            (Some(resident), ResultPlacement::Host) => self.run_on_device(resident, sources, usize::MAX),
            (Some(resident), ResultPlacement::Device { first }) => self.run_on_device(resident, sources, first),
            (None, ResultPlacement::Host) => self.run_on_host(sources),
            (None, ResultPlacement::Device { .. }) => {
                unreachable!("results stay on a device that has memory of its own, which was asked for before")
            }
        }
    }

    /// Runs a plan that [makes](Plan::makes_one) one result, without functions, into memory of the program. `target` must have
    /// exactly the number of elements of the result, and all are overwritten. After an error, its elements may have any values.
    /// The device must compute in the host's memory.
    ///
    /// # Errors
    /// As [`run`](Execution::run).
    #[inline]
    pub(crate) fn run_into(&self, sources: &[SliceRef<'_>], target: SliceMut<'_>) -> Result<(), Error> {
        let (plan, device) = (self.plan, self.device());
        debug_assert!(device.resident().is_none(), "the device computes in the host's memory");
        are_within_reach(device, sources)?;
        if let Some(only) = self.only() {
            return only_step(plan, (only, device), (sources, self.functions), target);
        }
        self.run_many_into(sources, target)
    }

    /// The same for plans that are more than that. Not inlined, so that a run of one is short.
    #[inline(never)]
    fn run_many_into(&self, sources: &[SliceRef<'_>], target: SliceMut<'_>) -> Result<(), Error> {
        let (plan, device) = (self.plan, self.device());
        if let Some(executable) = plan.whole.as_deref() {
            return self.observed(|| whole::write(device, executable, sources, &mut [target]));
        }
        let memory = Memory { results: &mut [Space::Lent(target)], arenas: &mut Arenas::new(&plan.buffers)? };
        steps(plan, device, self.observer, (sources, self.functions), memory)
    }

    /// Runs the steps of the plan in memory of the host.
    fn run_on_host(&self, sources: &[SliceRef<'_>]) -> Result<Computed, Error> {
        let (plan, device) = (self.plan, self.device());
        let results = plan.buffers.results.iter().map(|&(dtype, len)| Buffer::for_results(dtype, len).map(Space::Own));
        let mut results = results.collect::<Result<SmallVec<[Space<'_>; 1]>, Error>>()?;
        let memory = Memory { results: &mut results, arenas: &mut Arenas::new(&plan.buffers)? };
        steps(plan, device, self.observer, (sources, self.functions), memory)?;
        Ok(collect(plan, results))
    }

    /// Runs the steps of the plan in the memory of a device; results from number `first` on stay there.
    fn run_on_device(&self, resident: &dyn Resident, sources: &[SliceRef<'_>], first: usize) -> Result<Computed, Error> {
        let Execution { plan, backend, observer, functions, replays } = *self;
        let execution = DeviceExecution { plan, backend, resident, observer, sources, functions };
        computed(plan, backend, first, |requests| match replays {
            Some(replays) => replays.run(&execution, requests),
            None => execution.run(requests),
        })
    }

    /// Runs a graph that the backend has compiled.
    fn run_whole(
        &self,
        executable: &dyn Executable,
        sources: &[SliceRef<'_>],
        placement: ResultPlacement,
    ) -> Result<Computed, Error> {
        let mut results = Computed::new();
        self.observed(|| {
            results = whole::compute(self.plan, self.device(), executable, sources)?;
            Ok(())
        })?;
        if let ResultPlacement::Device { first } = placement {
            whole::keep_on_device(self.backend, &mut results, first)?;
        }
        Ok(results)
    }

    /// Does the one step of a graph that the backend has compiled.
    fn observed(&self, compute: impl FnOnce() -> Result<(), Error>) -> Result<(), Error> {
        let mut run = self.observer.begin(self.plan);
        run.before(0)?;
        compute()?;
        run.after(0);
        Ok(())
    }

    /// Facts about a plan that is a single contraction or element-wise program of sources; `None` for other plans, or if the run is
    /// observed.
    #[inline]
    fn only(&self) -> Option<&'e Only> {
        self.plan.only.as_ref().filter(|_| self.observer.is_silent())
    }

    #[inline]
    fn device(&self) -> &'e dyn Device {
        self.backend.device()
    }
}

/// Takes the requested tensors out of memory. A tensor that is requested twice is copied for the first request.
fn collect(plan: &Plan, results: SmallVec<[Space<'_>; 1]>) -> Computed {
    let sinks = plan.graph.sinks();
    // How often each is still wanted.
    let mut wanted = plan.buffers.counted(sinks);
    let mut results: SmallVec<[Option<Space<'_>>; 1]> = results.into_iter().map(Some).collect();
    let take = |&sink: &TensorId| {
        let result = plan.buffers.result(sink);
        wanted[result] -= 1;
        let space = match wanted[result] {
            0 => results[result].take(),
            _ => results[result].as_ref().map(|space| Space::Own(space.as_ref().to_buffer())),
        };
        match space {
            Some(Space::Own(buffer)) => buffer,
            Some(Space::Lent(_)) | None => unreachable!("what the program lends is not collected, and nothing twice"),
        }
    };
    sinks.iter().map(take).collect()
}
