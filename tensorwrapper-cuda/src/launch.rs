//! Runs the launches of an operation: on memory of the device, or on the host's, which is copied to the device and back.

use std::ops::Range;
use std::sync::Arc;

use super::copies::DeviceCopy;
use super::driver::Driver;
use super::memory::Address;
use super::region::Region;
use super::text::{Argument, Launch, Launches, Memory};
use tensorwrapper_core::backend::contraction::reach;
use tensorwrapper_core::element::Element;
use tensorwrapper_core::error::Error;
use tensorwrapper_core::layout::Strided;
use tensorwrapper_core::storage::{SliceMut, SliceRef};

/// Queues all launches of an operation.
///
/// # Errors
/// As [`Driver::launch`].
///
/// # Safety
/// The inputs, the output and the scratch memory are as large as the launches were generated for, and of the same element types.
pub(crate) unsafe fn queue<D: Driver>(
    driver: &D,
    launches: &Launches,
    inputs: &[Address],
    output: Address,
    scratch: Address,
) -> Result<(), Error> {
    let address = |argument: &Argument| {
        let memory = match argument.memory {
            Memory::Input(n) => inputs[n],
            Memory::Output => output,
            Memory::Scratch => scratch,
        };
        memory.wrapping_add(argument.start as u64)
    };
    // SAFETY: generated kernels stay inside the layouts that they were generated for, for which the caller has memory.
    let launch = |launch: &Launch| unsafe {
        driver.launch(&launch.kernel, &launch.arguments.iter().map(address).collect::<Vec<Address>>())
    };
    launches.before.iter().try_for_each(launch)?;
    if let Some(product) = &launches.product {
        let factors = product.factors.each_ref().map(|(_, stored)| address(&stored.argument));
        // SAFETY: the matrices lie inside the layouts that the product was found in, for which the caller has memory.
        unsafe { driver.multiply(product, factors, address(&product.output.argument)) }?;
    }
    launches.launches.iter().try_for_each(launch)
}

/// The elements of an output's memory that a kernel may write.
#[derive(Clone, Debug)]
pub(crate) struct Written {
    pub(crate) elements: Range<usize>,
    /// Whether it writes all of them. Otherwise the others must keep their values.
    all: bool,
}

impl Written {
    pub(crate) fn new(layout: &Strided) -> Written {
        let elements = span(layout);
        Written { all: elements.len() == layout.len(), elements }
    }
}

/// The range from the first to the last element of memory that a layout reaches.
pub(crate) fn span(layout: &Strided) -> Range<usize> {
    let start = layout.start();
    start..reach(layout).max(start)
}

/// Copies operands to the device, runs an operation there, and copies the result back.
///
/// # Errors
/// Those of the device.
///
/// # Safety
/// Inputs and output have these elements, and the types and layouts that the launches were generated for.
pub(crate) unsafe fn run<D: Driver>(
    driver: &Arc<D>,
    launches: &Launches,
    (inputs, spans): (&[SliceRef<'_>], &[Range<usize>]),
    (output, written): (SliceMut<'_>, &Written),
) -> Result<(), Error> {
    if written.elements.is_empty() {
        return Ok(());
    }
    let parts: Vec<&[u8]> = inputs.iter().zip(spans).map(|(data, span)| bytes(data.range(span.clone()))).collect();
    let regions = DeviceCopy::all(driver, &parts)?;
    // The launches count from the beginning of an operand's memory, of which only a part is on the device.
    let before = inputs.iter().zip(spans).map(|(data, span)| (span.start * data.dtype().size()) as u64);
    let addresses: Vec<Address> =
        regions.iter().zip(before).map(|(region, before)| region.address().wrapping_sub(before)).collect();
    let size = output.dtype().size();
    let target = &mut bytes_mut(output)[written.elements.start * size..written.elements.end * size];
    let result = if written.all { Region::new(driver, target.len())? } else { Region::holding(driver, target)? };
    let start = result.address().wrapping_sub((written.elements.start * size) as u64);
    let scratch = (launches.scratch > 0).then(|| Region::new(driver, launches.scratch)).transpose()?;
    let between = scratch.as_ref().map_or(0, Region::address);
    // SAFETY: the caller's promise; all elements that the layouts reach were uploaded or have room.
    unsafe { queue(&**driver, launches, &addresses, start, between) }?;
    result.read(target)
}

/// The bytes of elements.
pub(crate) fn bytes(data: SliceRef<'_>) -> &[u8] {
    fn raw<T: Element>(data: &[T]) -> &[u8] {
        // SAFETY: elements are one or two floating-point numbers without gaps, and any of their bytes is a byte.
        unsafe { std::slice::from_raw_parts(data.as_ptr().cast(), size_of_val(data)) }
    }
    match data {
        SliceRef::F32(data) => raw(data),
        SliceRef::F64(data) => raw(data),
        SliceRef::C32(data) => raw(data),
        SliceRef::C64(data) => raw(data),
    }
}

/// The bytes of elements, to write.
pub(crate) fn bytes_mut(data: SliceMut<'_>) -> &mut [u8] {
    fn raw<T: Element>(data: &mut [T]) -> &mut [u8] {
        // SAFETY: elements are one or two floating-point numbers without gaps, and any bytes are such numbers.
        unsafe { std::slice::from_raw_parts_mut(data.as_mut_ptr().cast(), size_of_val(data)) }
    }
    match data {
        SliceMut::F32(data) => raw(data),
        SliceMut::F64(data) => raw(data),
        SliceMut::C32(data) => raw(data),
        SliceMut::C64(data) => raw(data),
    }
}
