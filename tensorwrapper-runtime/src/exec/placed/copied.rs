//! Tensors with a copy on a device, and the choice of the device on which an equation over such operands runs.
//!
//! A tensor that was copied to a device keeps its elements on the host, too. The copy is found by the addresses of the elements
//! (`storage/device_mirror.rs` of the core), so the layers between tensor and device need not know of it. The copy is dropped
//! when the elements are borrowed for writing.

use std::ops::Deref;
use std::sync::Arc;

use crate::exec::context::Context;
use crate::exec::run::{copied, copy_to};
use crate::tensor::{ComputeDevice, Tensor};
use tensorwrapper_core::backend::BackendInstance;
use tensorwrapper_core::element::Element;
use tensorwrapper_core::error::{Error, ErrorKind};
use tensorwrapper_core::layout::Strided;
use tensorwrapper_core::shape::Extents;
use tensorwrapper_core::storage::{Buffer, SliceRef};

/// Copies a tensor's elements to the device, if it has memory of its own.
///
/// # Errors
/// What the device reports.
pub(super) fn hold<T: Element, S: Extents>(tensor: &mut Tensor<T, S>, backend: &Arc<BackendInstance>) -> Result<(), Error> {
    if let Some(copy) = copy_to(backend, tensor.parts().0)? {
        tensor.set_mirror(copy, compute_device(backend));
    }
    Ok(())
}

/// The same for what a prepared block keeps.
///
/// # Errors
/// What the device reports.
pub(in crate::exec) fn hold_buffer(buffer: &mut Buffer, backend: &Arc<BackendInstance>) -> Result<(), Error> {
    if let Some(copy) = copy_to(backend, buffer.as_ref())? {
        buffer.set_mirror(copy);
    }
    Ok(())
}

/// The backend whose device has a copy of an operand; `None` if the operand is only on the host.
type Owner = Option<Arc<BackendInstance>>;

/// The device of a backend, as placements name it.
pub(super) fn compute_device(backend: &BackendInstance) -> ComputeDevice {
    match backend.ordinal() {
        Some(ordinal) => ComputeDevice::Cuda { ordinal },
        None => ComputeDevice::Other { number: backend.memory().0 },
    }
}

/// The context in which an equation runs. Small, unlike a `Cow`, because each call returns one.
pub(crate) enum Placed<'c> {
    /// The one that was asked.
    Same(&'c Context),
    /// One on the device where the operands are.
    Other(Box<Context>),
}

impl Deref for Placed<'_> {
    type Target = Context;

    #[inline]
    fn deref(&self) -> &Context {
        match self {
            Placed::Same(context) => context,
            Placed::Other(context) => context,
        }
    }
}

/// The context in which an equation over these operands runs.
///
/// # Errors
/// [`ErrorKind::Placement`] if they are in two places.
pub(super) fn place<'c, 'a, 'l>(
    context: &'c Context,
    operands: impl Iterator<Item = (SliceRef<'a>, &'l Strided)>,
) -> Result<Placed<'c>, Error> {
    // Contexts of one device with other settings share its memory; the first operand's context decides the settings.
    let place = |owner: &Owner| owner.as_ref().map(|backend| backend.memory());
    let mut first: Option<(Owner, Vec<usize>)> = None;
    for (data, layout) in operands {
        let own = copied(data, |copied, _| Arc::clone(&copied.backend));
        match &first {
            None => first = Some((own, layout.extents().to_vec())),
            Some((known, _)) if place(known) == place(&own) => (),
            Some((known, extents)) => return Err(apart((known, extents), (&own, layout.extents()))),
        }
    }
    match first {
        Some((Some(backend), _)) => Ok(Placed::Other(Box::new(Context { backend, ..context.clone() }))),
        _ => Ok(Placed::Same(context)),
    }
}

/// The error for operands in two places.
fn apart(first: (&Owner, &[usize]), second: (&Owner, &[usize])) -> Error {
    let place = |owner: &Owner| match owner {
        Some(backend) => format!("in the memory of {}", backend.device().described()),
        None => "on the host alone".to_string(),
    };
    let message = format!(
        "operands lie in two places: a tensor of extents {:?} {}, one of extents {:?} {}",
        first.1,
        place(first.0),
        second.1,
        place(second.0)
    );
    Error::new(ErrorKind::Placement(message))
        .with_help("name a context, as with `in &context;`, or take all operands to one place with `to(&context)`")
}
