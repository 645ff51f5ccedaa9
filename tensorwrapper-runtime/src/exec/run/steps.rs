//! Runs the steps of a plan in host memory. Each step is a few calls of the device.

use smallvec::SmallVec;

use super::arena::{Arenas, Memory, Outputs, Space};
use super::observer::Observer;
use crate::exec::plan::{Kernel, Location, Only, Plan, SlicedProduct, Work};
use tensorwrapper_core::backend::{Device, Operand, Output};
use tensorwrapper_core::callback::Callback;
use tensorwrapper_core::error::Error;
use tensorwrapper_core::graph::TensorId;
use tensorwrapper_core::storage::{Buffer, SliceMut, SliceRef};

/// Runs a plan that is one contraction or element-wise program of sources.
///
/// # Errors
/// What the device reports.
#[inline]
pub(super) fn only_step(
    plan: &Plan,
    (only, device): (&Only, &dyn Device),
    (sources, functions): (&[SliceRef<'_>], &[Callback<'_>]),
    target: SliceMut<'_>,
) -> Result<(), Error> {
    if let Some(map) = &only.map {
        map.run(sources, target);
        return Ok(());
    }
    let [kernel] = &plan.steps[0].kernels[..] else { unreachable!("the plan was found to be one step") };
    let slot = |tensor: TensorId| plan.graph.tensor(tensor).slot.expect("the only step reads sources");
    match &kernel.work {
        Work::Contract(contraction) if only.in_order => contraction.run(device, sources, target),
        _ => launch(device, functions, kernel, &|tensor| sources[slot(tensor)], &mut Outputs::from_buf([target])),
    }
}

/// Runs the steps of a plan in memory of the host.
///
/// # Errors
/// What the device reports: memory, decompositions, reductions over nothing.
pub(super) fn steps(
    plan: &Plan,
    device: &dyn Device,
    observer: &Observer,
    (sources, functions): (&[SliceRef<'_>], &[Callback<'_>]),
    mut memory: Memory<'_, '_>,
) -> Result<(), Error> {
    let location = |tensor: TensorId| plan.buffers.locations[tensor.0];
    let mut run = observer.begin(plan);
    for (number, step) in plan.steps.iter().enumerate() {
        let _span = run.before(number)?;
        if step.reshaped.is_some() && step.takes_over.is_some() {
            run.after(number);
            continue;
        }
        let locations: SmallVec<[Location; 1]> = step.outputs.iter().map(|&(tensor, _)| location(tensor)).collect();
        let (mut outputs, readable) = memory.cut(sources, &locations);
        let read = |tensor: TensorId| readable.read(location(tensor));
        if !step.covers {
            outputs.iter_mut().for_each(SliceMut::clear);
        }
        if let Some(tensor) = step.reshaped {
            outputs[0].copy_from(read(tensor));
        }
        if let Some(sliced) = &step.sliced {
            let factors: SmallVec<[SliceRef<'_>; 4]> = sliced.reads().map(read).collect();
            parts(sliced, device, |part| run.between(number, part), &factors, outputs[0].reborrow())?;
        }
        if let (Some(in_place), [kernel]) = (&step.in_place, &step.kernels[..]) {
            in_place.run(device, functions, kernel, &read, outputs[0].reborrow())?;
            run.after(number);
            continue;
        }
        for kernel in &step.kernels {
            launch(device, functions, kernel, &read, &mut outputs)?;
        }
        run.after(number);
    }
    Ok(())
}

/// Calls the device once.
///
/// # Errors
/// What the device reports.
pub(super) fn launch<'m>(
    device: &dyn Device,
    functions: &[Callback<'_>],
    kernel: &Kernel,
    read: &impl Fn(TensorId) -> SliceRef<'m>,
    outputs: &mut Outputs<'_>,
) -> Result<(), Error> {
    if let Work::Contract(contraction) = &kernel.work {
        let factors: SmallVec<[SliceRef<'_>; 4]> = kernel.inputs.iter().map(|access| read(access.tensor)).collect();
        return contraction.run(device, &factors, outputs[0].reborrow());
    }
    let inputs: SmallVec<[Operand<'_>; 4]> = kernel
        .inputs
        .iter()
        .map(|access| Operand::reaching(read(access.tensor), &access.layout, access.reach, access.conjugate))
        .collect();
    // A kernel writes all new tensors of its step, in their order.
    let mut written = outputs
        .iter_mut()
        .zip(&kernel.outputs)
        .map(|(memory, access)| Output::reaching(memory.reborrow(), &access.layout, access.reach));
    match &kernel.work {
        Work::Contract(_) => unreachable!("a contraction was run above"),
        Work::Factorise(call, _) => device.factorise(call, &inputs, written.collect()),
        Work::Map(program, reduction) => {
            let output = written.next().expect("a kernel has an output");
            device.map(&kernel.nest, program, *reduction, functions, &inputs, output)
        }
        Work::Place(program, extreme, _) => {
            let (output, places) = (written.next().expect("a kernel has an output"), device.places());
            let places = places.expect("places are planned for devices that find them");
            places.find(&kernel.nest, program, *extreme, functions, &inputs, output)
        }
    }
}

/// Computes a product in parts. `between` is called between parts with the fraction that is done, and may end the run.
///
/// # Errors
/// As [`steps`].
pub(super) fn parts(
    sliced: &SlicedProduct,
    device: &dyn Device,
    mut between: impl FnMut(f64) -> Result<(), Error>,
    factors: &[SliceRef<'_>],
    mut output: SliceMut<'_>,
) -> Result<(), Error> {
    let parts = sliced.parts();
    let mut done = 0.0;
    let len = sliced.added.as_ref().map_or(0, |[own, _]| own.len());
    let mut part = Buffer::for_results(sliced.dtype(), len)?;
    let mut arenas = Arenas::new(&sliced.body.buffers)?;
    let mut index: SmallVec<[usize; 4]> = SmallVec::from_elem(0, sliced.counts.len());
    loop {
        let inputs: SmallVec<[SliceRef<'_>; 4]> =
            sliced.inputs.iter().zip(factors).map(|((_, begin), data)| data.after(begin.at(&index))).collect();
        let target = output.after(sliced.output.at(&index));
        match &sliced.added {
            None => part_of(&sliced.body, device, &inputs, target, &mut arenas)?,
            Some([own, there]) => {
                part_of(&sliced.body, device, &inputs, part.as_mut(), &mut arenas)?;
                device.add(&Operand::new(part.as_ref(), own), Output::new(target, there));
            }
        }
        // The next part: the last label runs fastest.
        let Some(axis) = (0..index.len()).rev().find(|&axis| index[axis] + 1 < sliced.counts[axis]) else { return Ok(()) };
        index[axis] += 1;
        index[axis + 1..].fill(0);
        done += 1.0;
        between(done / parts)?;
    }
}

/// Runs the plan of one part of a product. Only spans report its steps.
fn part_of(
    body: &Plan,
    device: &dyn Device,
    sources: &[SliceRef<'_>],
    target: SliceMut<'_>,
    arenas: &mut Arenas,
) -> Result<(), Error> {
    let nothing = Observer::default();
    match body.only.as_ref().filter(|_| nothing.is_silent()) {
        Some(only) => only_step(body, (only, device), (sources, &[]), target),
        None => steps(body, device, &nothing, (sources, &[]), Memory { results: &mut [Space::Lent(target)], arenas }),
    }
}
