//! Requests kernels of plans from a device with its own memory: all kernels together before the first one runs, or a single
//! one.
//!
//! A plan asks once for everything that its steps need (`Resident::make`). A step that runs makes its requests with the same
//! functions. The kernels of a kept plan are made again if its device has been reopened.

use std::sync::atomic::Ordering;

use super::plan::{Access, Kernel, Plan, Work};
use tensorwrapper_core::backend::{Device, Factorised, KernelRequest, Mapped, TensorDescriptor};
use tensorwrapper_core::error::Error;
use tensorwrapper_core::graph::OpGraph;

/// Lets a device make everything that the steps of plans need, such as compiled kernels, all at once, so that no run waits for
/// it.
///
/// # Errors
/// [`ErrorKind::Kernel`](tensorwrapper_core::error::ErrorKind::Kernel) for a kernel that does not compile; and an error of a
/// lost device.
pub(super) fn make(device: &dyn Device, plans: &[&Plan]) -> Result<(), Error> {
    let Some(resident) = device.resident() else { return Ok(()) };
    let mut all = Vec::new();
    plans.iter().for_each(|plan| collect(plan, false, &mut all));
    if !all.is_empty() {
        resident.make(&all)?;
    }
    plans.iter().for_each(|plan| plan.made.store(resident.opening(), Ordering::Relaxed));
    Ok(())
}

/// The same, but only if the device has been reopened since the plan's kernels were made. `opening` is the number of the
/// current opening.
///
/// # Errors
/// As [`make`].
pub(super) fn make_again(plan: &Plan, device: &dyn Device, opening: usize) -> Result<(), Error> {
    if plan.made.load(Ordering::Relaxed) == opening { Ok(()) } else { make(device, &[plan]) }
}

/// Adds the requests of a plan. The body of a product in parts runs on the host, where work in place calls the device block by block.
fn collect<'p>(plan: &'p Plan, is_body: bool, all: &mut Vec<KernelRequest<'p>>) {
    for step in &plan.steps {
        if !(is_body && step.in_place.is_some()) {
            all.extend(step.kernels.iter().filter_map(|kernel| kernel.request(&plan.graph)));
        }
        step.sliced.iter().for_each(|sliced| collect(&sliced.body, true, all));
    }
}

impl Kernel {
    /// The request to a device; `None` if the host does the work.
    pub(super) fn request<'k>(&'k self, graph: &OpGraph) -> Option<KernelRequest<'k>> {
        let descriptor = |access: &'k Access| {
            let Access { tensor, layout, conjugate, .. } = access;
            TensorDescriptor { dtype: graph.tensor(*tensor).dtype, layout, conjugate: *conjugate }
        };
        let inputs = || self.inputs.iter().map(descriptor).collect();
        match &self.work {
            Work::Contract(contraction) => Some(KernelRequest::Contract(contraction)),
            &Work::Map(ref program, reduction) => {
                let (nest, cache, output) = (&self.nest, &self.cache, descriptor(&self.outputs[0]));
                Some(KernelRequest::Map(Mapped { nest, program, reduction, inputs: inputs(), output, cache }))
            }
            // Devices with their own memory find no places.
            Work::Place(..) => None,
            Work::Factorise(call, _) => {
                let outputs = self.outputs.iter().map(descriptor).collect();
                self.by.map(|_| KernelRequest::Factorise(Factorised { call, inputs: inputs(), outputs, cache: &self.cache }))
            }
        }
    }
}
