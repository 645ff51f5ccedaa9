//! What plans request of a device with memory of its own: each kernel by itself, and all of them together before the first one runs.
//!
//! A plan asks once for everything that its steps need (`Resident::make`). What a step asks for when it runs is cache by the
//! same functions. A kept plan has its kernels made again where its device has been opened anew.

use std::sync::atomic::Ordering;

use super::plan::{Access, Kernel, Plan, Work};
use tensorwrapper_core::backend::{Device, Factorised, KernelRequest, Mapped, TensorDescriptor};
use tensorwrapper_core::error::Error;
use tensorwrapper_core::graph::OpGraph;

/// Has a device make everything that the steps of plans need (compiled kernels, say), all at once, so that no run waits for it.
///
/// # Errors
/// [`ErrorKind::Kernel`](tensorwrapper_core::error::ErrorKind::Kernel) for what does not compile, and when the device is lost.
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

/// The same for a plan that was made while the device was open another time.
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
    /// What a device is asked for; none where the host does it.
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
            Work::Factorise(call, _) => {
                let outputs = self.outputs.iter().map(descriptor).collect();
                self.by.map(|_| KernelRequest::Factorise(Factorised { call, inputs: inputs(), outputs, cache: &self.cache }))
            }
        }
    }
}
