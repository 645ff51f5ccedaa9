//! Tensors with a copy on a device, and which device that is of all operands of an equation.

use std::borrow::Cow;
use std::sync::Arc;

use crate::exec::context::Context;
use crate::exec::replay::with_room;
use crate::tensor::{ComputeDevice, Tensor};
use tensorwrapper_core::backend::{Copied, Device};
use tensorwrapper_core::element::Element;
use tensorwrapper_core::erased::{Buffer, SliceRef};
use tensorwrapper_core::error::{Error, ErrorKind};
use tensorwrapper_core::held;
use tensorwrapper_core::layout::Strided;
use tensorwrapper_core::shape::Extents;

/// Copies a tensor's elements to the device, if it has memory of its own.
///
/// # Errors
/// What the device reports.
pub(super) fn hold<T: Element, S: Extents>(tensor: &mut Tensor<T, S>, device: &Arc<dyn Device>) -> Result<(), Error> {
    if let Some(resident) = device.resident() {
        let memory = with_room(&**device, || resident.hold(tensor.parts().0))?;
        let copy = Arc::new(Copied { device: Arc::clone(device), memory, is_only: false });
        tensor.hold(copy, ComputeDevice::Cuda { ordinal: device.identity().1 });
    }
    Ok(())
}

/// The same for what a prepared block keeps.
///
/// # Errors
/// What the device reports.
pub(in crate::exec) fn hold_buffer(buffer: &mut Buffer, device: &Arc<dyn Device>) -> Result<(), Error> {
    if let Some(resident) = device.resident() {
        let memory = with_room(&**device, || resident.hold(buffer.as_ref()))?;
        buffer.hold(Arc::new(Copied { device: Arc::clone(device), memory, is_only: false }));
    }
    Ok(())
}

/// Says so where the elements of a source are on another device alone, where this one cannot read them.
///
/// # Errors
/// [`ErrorKind::Placement`] for the first such source.
#[inline]
pub(in crate::exec) fn are_within_reach(device: &dyn Device, sources: &[SliceRef<'_>]) -> Result<(), Error> {
    if held::is_empty() { Ok(()) } else { sources.iter().try_for_each(|source| is_within_reach(device, *source)) }
}

fn is_within_reach(device: &dyn Device, source: SliceRef<'_>) -> Result<(), Error> {
    let Some((copy, _)) = held::find(source.addresses()) else { return Ok(()) };
    let Some(copied) = copy.downcast_ref::<Copied>().filter(|copied| copied.is_only) else { return Ok(()) };
    if device.resident().is_some_and(|resident| resident.has(&copied.memory)) {
        return Ok(());
    }
    let (there, here) = (copied.device.described(), device.described());
    let message = format!("an operand lies in the memory of {there} alone, where {here} cannot read it");
    Err(Error::new(ErrorKind::Placement(message))
        .with_help("take it to the host with `to_host()`, or compute in its device's context"))
}

/// The device that has a copy of an operand, if it is not on the host alone.
type Home = Option<Arc<dyn Device>>;

/// The device that has a copy of an operand.
fn device(data: SliceRef<'_>) -> Home {
    let (copy, _) = held::find(data.addresses())?;
    copy.downcast_ref::<Copied>().map(|copied| Arc::clone(&copied.device))
}

/// Where an equation runs whose operands are these.
///
/// # Errors
/// [`ErrorKind::Placement`] where they are in two places.
pub(super) fn place<'c, 'a, 'l>(
    context: &'c Context,
    operands: impl Iterator<Item = (SliceRef<'a>, &'l Strided)>,
) -> Result<Cow<'c, Context>, Error> {
    // One memory, however products are rounded there; the first operand's context says how.
    let place = |device: &Home| device.as_ref().map(|device| device.identity().1);
    let mut first: Option<(Home, Vec<usize>)> = None;
    for (data, layout) in operands {
        let own = device(data);
        match &first {
            None => first = Some((own, layout.extents().to_vec())),
            Some((known, _)) if place(known) == place(&own) => (),
            Some((known, extents)) => return Err(apart((known, extents), (&own, layout.extents()))),
        }
    }
    match first {
        Some((Some(device), _)) => Ok(Cow::Owned(Context { device, ..context.clone() })),
        _ => Ok(Cow::Borrowed(context)),
    }
}

/// What is said of operands in two places.
fn apart(first: (&Home, &[usize]), second: (&Home, &[usize])) -> Error {
    let place = |device: &Home| match device {
        Some(device) => format!("in the memory of {}", device.described()),
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
