//! Finds elements in the memory of a device: copies of host memory, and operands that are only on the device.

use std::sync::Arc;

use super::reclaim::with_room;
use tensorwrapper_core::backend::{BackendInstance, Copied, Device};
use tensorwrapper_core::error::{Error, ErrorKind};
use tensorwrapper_core::storage::device_mirror;
use tensorwrapper_core::storage::{Buffer, SliceRef};

/// Calls `read` with the copy that contains the elements of an operand, and the number of bytes before them; `None` if there is
/// no copy.
pub(in crate::exec) fn copied<R>(data: SliceRef<'_>, read: impl FnOnce(&Copied, usize) -> R) -> Option<R> {
    let (copy, before) = device_mirror::find(data.addresses())?;
    copy.downcast_ref::<Copied>().map(|copied| read(copied, before))
}

/// Copies elements to the device of a backend, if it has memory of its own.
///
/// # Errors
/// What the device reports.
pub(in crate::exec) fn copy_to(
    backend: &Arc<BackendInstance>,
    elements: SliceRef<'_>,
) -> Result<Option<device_mirror::Copy>, Error> {
    let Some(resident) = backend.device().resident() else { return Ok(None) };
    let memory = with_room(backend, || resident.hold(elements))?;
    Ok(Some(Arc::new(Copied { backend: Arc::clone(backend), memory, is_only: false })))
}

/// Returns an error if the elements of a source are only in the memory of another device, which this device cannot read.
///
/// # Errors
/// [`ErrorKind::Placement`] for the first such source.
#[inline]
pub(super) fn are_within_reach(device: &dyn Device, sources: &[SliceRef<'_>]) -> Result<(), Error> {
    if device_mirror::is_empty() { Ok(()) } else { sources.iter().try_for_each(|source| is_within_reach(device, *source)) }
}

fn is_within_reach(device: &dyn Device, source: SliceRef<'_>) -> Result<(), Error> {
    let reads = |copied: &Copied| device.resident().is_some_and(|resident| resident.has(&copied.memory));
    let owner = copied(source, |copied, _| (copied.is_only && !reads(copied)).then(|| copied.backend.device().described()));
    let Some(there) = owner.flatten() else { return Ok(()) };
    let here = device.described();
    let message = format!("an operand lies in the memory of {there} alone, where {here} cannot read it");
    Err(Error::new(ErrorKind::Placement(message))
        .with_help("take it to the host with `to_host()`, or compute in its device's context"))
}

/// Copies the elements of a source that is only in the memory of a device to the host; `None` if the host has them.
///
/// # Errors
/// What the device reports, and memory of the host.
pub(super) fn fetched(device: &dyn Device, source: SliceRef<'_>) -> Result<Option<(Buffer, usize)>, Error> {
    let only = |copied: &Copied, before: usize| copied.is_only.then(|| (copied.memory.clone(), before));
    let Some((memory, before)) = copied(source, only).flatten() else { return Ok(None) };
    let Some(resident) = device.resident() else { return Ok(None) };
    // A device copies from the beginning of its memory on.
    let start = before / source.dtype().size();
    let mut elements = Buffer::for_results(source.dtype(), start + source.len())?;
    resident.fetch(&memory, elements.as_mut())?;
    Ok(Some((elements, start)))
}
