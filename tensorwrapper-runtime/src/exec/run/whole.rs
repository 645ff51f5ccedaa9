//! Runs graphs that a backend has compiled as a whole. This file must not know what they compute.

use std::sync::Arc;

use smallvec::SmallVec;

use super::Computed;
use super::reach::{copy_to, fetched};
use crate::exec::plan::Plan;
use tensorwrapper_core::backend::{BackendInstance, Device, Executable};
use tensorwrapper_core::error::Error;
use tensorwrapper_core::storage::{Buffer, SliceMut, SliceRef};

/// Computes the results into memory of their own.
///
/// # Errors
/// What the backend reports, and memory.
pub(super) fn compute(
    plan: &Plan,
    device: &dyn Device,
    executable: &dyn Executable,
    sources: &[SliceRef<'_>],
) -> Result<Computed, Error> {
    let results = plan.buffers.results.iter().map(|&(dtype, len)| Buffer::for_results(dtype, len));
    let mut results = results.collect::<Result<Computed, Error>>()?;
    let mut outputs: SmallVec<[SliceMut<'_>; 1]> = results.iter_mut().map(Buffer::as_mut).collect();
    write(device, executable, sources, &mut outputs)?;
    drop(outputs);
    Ok(results)
}

/// Computes the results into this memory.
///
/// # Errors
/// What the backend reports, and memory for sources that are only on a device.
pub(super) fn write(
    device: &dyn Device,
    executable: &dyn Executable,
    sources: &[SliceRef<'_>],
    outputs: &mut [SliceMut<'_>],
) -> Result<(), Error> {
    let fetched = sources.iter().map(|source| fetched(device, *source)).collect::<Result<SmallVec<[_; 4]>, Error>>()?;
    let mut inputs: SmallVec<[SliceRef<'_>; 4]> = SmallVec::from_slice(sources);
    for (input, fetched) in inputs.iter_mut().zip(&fetched) {
        if let Some((elements, start)) = fetched {
            *input = elements.as_ref().after(*start);
        }
    }
    executable.run(&inputs, outputs)
}

/// Copies results to the device, from number `first` on.
///
/// # Errors
/// What the device reports.
pub(super) fn keep_on_device(backend: &Arc<BackendInstance>, results: &mut [Buffer], first: usize) -> Result<(), Error> {
    for result in results.iter_mut().skip(first) {
        if let Some(copy) = copy_to(backend, result.as_ref())? {
            result.set_mirror(copy);
        }
    }
    Ok(())
}
