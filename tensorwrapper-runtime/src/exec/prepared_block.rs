//! [`PreparedBlock`]: recorded results that are planned once and computed many times from tensors that change. Work that does
//! not depend on these tensors is computed once, and its results are kept.
//!
//! It consists of two plans: results of the first are further sources of the second. The block borrows all tensors that it was
//! recorded over, so kept results cannot become out of date.

use std::fmt;
use std::marker::PhantomData;
use std::sync::Arc;

use smallvec::SmallVec;

use super::compile::{lowered_for, plan, rewritten, tensors};
use super::context::Context;
use super::kernel_requests::make;
use super::limit::{Bounded, within};
use super::memory::{parts, peak};
use super::operands::{AnyOperand, DynValue};
use super::placed::{has_memory, hold_buffer};
use super::plan::Plan;
use super::plan_key::Sources;
use super::results::{DeviceOf, EvalAll, RecordedValue};
use super::run::{Computed, Execution, Observer, Replays, ResultPlacement};
use super::targets::DynTarget;
use crate::expr::{Expr, Reach};
use crate::lower::{Lowered, SourceTensor};
use crate::optimize::hoist::Hoisted;
use crate::tensor::{AnyRef, AnyTensor};
use tensorwrapper_core::backend::{BackendInstance, Device};
use tensorwrapper_core::callback::Callback;
use tensorwrapper_core::element::Element;
use tensorwrapper_core::error::{Error, ErrorKind};
use tensorwrapper_core::graph::OpGraph;
use tensorwrapper_core::layout::Strided;
use tensorwrapper_core::shape::Extents;
use tensorwrapper_core::storage::{Buffer, SliceRef};
use tensorwrapper_notation::sentence::counted;

/// Recorded results that are planned once and can be computed many times, each time with other tensors in place of some of
/// those that they were recorded over.
///
/// Work that does not depend on these tensors is computed when the block is prepared, and its results are kept. The block
/// borrows all tensors that the results were recorded over, so the kept results cannot become out of date.
///
/// ```
/// # use tensorwrapper_runtime as tensorwrapper;
/// use tensorwrapper::{Context, Tensor};
/// let a = Tensor::<f64>::filled([2, 2], 1.0)?;
/// let x = Tensor::<f64>::filled([2], 1.0)?;
/// let next = (a.at("ij") * a.at("jk") * x.at("k")).record("i")?;
/// let step = Context::cpu().prepare_all((&next,), &[&x])?;
/// let mut y = x.clone();
/// for _ in 0..3 {
///     (y,) = step.run(&[&y])?;
/// }
/// assert_eq!(y.as_slice(), [64.0, 64.0]);
/// # Ok::<(), tensorwrapper_runtime::Error>(())
/// ```
pub struct PreparedBlock<'a, R> {
    pub(super) backend: Arc<BackendInstance>,
    pub(super) observer: Observer,
    /// The plan that ran when the block was prepared; its results are kept.
    pub(super) first: Plan,
    pub(super) plan: Plan,
    /// The tensors that the results were recorded over, by slots of the plan.
    pub(super) sources: Vec<SourceTensor<'a>>,
    functions: Vec<Callback<'a>>,
    pub(super) replays: Replays,
    /// How the tensors that change lie, and the slots that each fills.
    changing: Vec<(Strided, Vec<usize>)>,
    kept: SmallVec<[Buffer; 1]>,
    results: PhantomData<fn() -> R>,
}

impl<R> fmt::Debug for PreparedBlock<'_, R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let extents: Vec<&[usize]> = self.plan.results.iter().map(Strided::extents).collect();
        write!(f, "PreparedBlock of results of extents {extents:?} on {}", self.backend.device().name())
    }
}

/// What a block is to become: what is computed once, and what each run computes.
struct Planned {
    first: Plan,
    each: Plan,
}

impl Bounded for Planned {
    fn bytes(&self) -> u128 {
        let (first, each) = (peak(&self.first), peak(&self.each));
        first.bytes().max(first.results + each.bytes())
    }

    fn plan(&self) -> &Plan {
        if peak(&self.first).bytes() > peak(&self.each).bytes() { &self.first } else { &self.each }
    }

    fn parts(&self) -> f64 {
        parts(&self.first).max(parts(&self.each))
    }

    fn make(&self, device: &dyn Device) -> Result<(), Error> {
        make(device, &[&self.first, &self.each])
    }
}

impl Context {
    /// Plans recorded results so that they can be computed with other tensors in place of those in `changing`, which must be
    /// among the tensors that the results were recorded over. The part that does not depend on `changing` is computed now.
    ///
    /// # Errors
    /// A tensor of `changing` that no result reads, that occurs twice, that is a recorded result, or of which a part is read as
    /// a tensor of its own, or on which a fixed point depends; and errors of computing the part that is kept.
    pub fn prepare_all<'a, R: EvalAll<'a>>(
        &self,
        results: R,
        changing: &[&dyn AnyOperand],
    ) -> Result<PreparedBlock<'a, R>, Error> {
        let values = RecordedValue::all(&results);
        check_solutions(&Reach::new(&values).tensors_of_solutions(), changing)?;
        let (Lowered { graph, mut sources, functions }, context) = lowered_for(self, &values)?;
        let context = &*context;
        let graph = rewritten(context, graph)?;
        let mut known: Vec<(Strided, Vec<usize>)> = Vec::with_capacity(changing.len());
        let mut is_kept = vec![true; sources.len()];
        for (n, operand) in changing.iter().enumerate() {
            let DynValue(given) = operand.any_operand();
            let (data, layout) = given.elements().ok_or_else(|| recorded(n))?;
            let slots = slots(&sources, (data, layout), n)?;
            // Tensors without elements cannot be told apart, and need not be.
            if !layout.is_empty() && slots.iter().any(|&slot| !is_kept[slot]) {
                return Err(Error::new(ErrorKind::Unsupported(format!("tensor {n} of those that change is there twice"))));
            }
            slots.iter().for_each(|&slot| is_kept[slot] = false);
            known.push((layout.rebased(), slots));
        }
        for (_, slots) in &known {
            for &slot in slots {
                if let SourceTensor::Borrowed(AnyRef { data, layout }) = &mut sources[slot] {
                    *data = data.after(layout.start());
                    *layout = layout.rebased();
                }
            }
        }
        let layouts: Vec<Strided> = sources.iter().map(|source| source.layout().clone()).collect();
        let Planned { first, each } =
            within((context.backend.device(), &context.choices), (&graph, &is_kept[..]), |begun, limited| {
                let Hoisted { once, each } = begun.optimize_keeping(limited)?;
                let first = plan(&context.backend, once, &layouts)?;
                let layouts: Vec<Strided> = layouts.iter().chain(&first.results).cloned().collect();
                Ok(Planned { first, each: plan(&context.backend, each, &layouts)? })
            })?;
        let given: Vec<SliceRef<'_>> = sources.iter().map(SourceTensor::data).collect();
        let execution = Execution { functions: &functions, ..Execution::new(&first, &context.backend, &context.observer) };
        let mut kept = execution.run(&given, ResultPlacement::Host)?;
        // No run copies it anew.
        kept.iter_mut().try_for_each(|buffer| hold_buffer(buffer, &context.backend))?;
        Ok(PreparedBlock {
            backend: Arc::clone(&context.backend),
            observer: context.observer.clone(),
            first,
            plan: each,
            sources,
            functions,
            replays: Replays::default(),
            changing: known,
            kept,
            results: PhantomData,
        })
    }
}

/// That no solution of equations, which is computed already, depends on a tensor that changes.
fn check_solutions(tensors: &[AnyRef<'_>], changing: &[&dyn AnyOperand]) -> Result<(), Error> {
    for (n, operand) in changing.iter().enumerate() {
        let DynValue(given) = operand.any_operand();
        if let Some((data, _)) = given.elements()
            && tensors.iter().any(|tensor| tensor.data.overlaps(&data))
        {
            let message = format!("a fixed point that was computed already depends on tensor {n} of those that change");
            return Err(Error::new(ErrorKind::Unsupported(message)).with_help("compute the fixed point for each tensor anew"));
        }
    }
    Ok(())
}

/// The sources that are all elements of a tensor, the axes in any order.
fn slots(sources: &[SourceTensor<'_>], (data, layout): (SliceRef<'_>, &Strided), n: usize) -> Result<Vec<usize>, Error> {
    let axes = |layout: &Strided| {
        let mut axes: Vec<(usize, isize)> = layout.extents().iter().copied().zip(layout.strides().iter().copied()).collect();
        axes.sort_unstable();
        (if layout.is_empty() { 0 } else { layout.start() }, axes)
    };
    let own = axes(layout);
    let is_it = |source: &SourceTensor<'_>| source.data().is_same(&data) && axes(source.layout()) == own;
    let slots: Vec<usize> = (0..sources.len()).filter(|&slot| is_it(&sources[slot])).collect();
    if sources.iter().any(|source| !is_it(source) && !layout.is_empty() && source.data().overlaps(&data)) {
        let message = format!("a part of tensor {n} of those that change is read as a tensor of its own");
        return Err(Error::new(ErrorKind::Unsupported(message)).with_help("index the whole tensor, by ranges or positions"));
    }
    if slots.is_empty() {
        let message = format!("tensor {n} of those that change is none of those that the results were recorded over");
        return Err(Error::new(ErrorKind::Unsupported(message)));
    }
    Ok(slots)
}

#[cold]
fn recorded(n: usize) -> Error {
    let message = format!("tensor {n} of those that change is a recorded result, which has no memory");
    Error::new(ErrorKind::Unsupported(message)).with_help("evaluate it first")
}

impl<'a, R: EvalAll<'a>> PreparedBlock<'a, R> {
    /// Computes the results from these tensors. They must have the extents and strides of those that the block was prepared
    /// for, in the same order.
    ///
    /// # Errors
    /// [`ErrorKind::Shape`] when a tensor has other extents or strides, and what the device reports: memory, decompositions,
    /// reductions over nothing.
    pub fn run(&self, changing: &[&dyn AnyOperand]) -> Result<R::Output, Error> {
        R::typed(self.computed(changing, ResultPlacement::Host)?)
    }

    /// The same with results that stay on the device, for a block that was prepared in a context of a device with its own
    /// memory.
    ///
    /// # Errors
    /// As [`run`](PreparedBlock::run), and [`ErrorKind::Unsupported`] if the block's device computes in the host's memory.
    pub fn run_on_device(&self, changing: &[&dyn AnyOperand]) -> Result<R::OnDevice, Error> {
        has_memory(&self.backend)?;
        R::typed_there(self.computed(changing, ResultPlacement::Device { first: 0 })?, &DeviceOf(Arc::clone(&self.backend)))
    }

    fn computed(&self, changing: &[&dyn AnyOperand], placement: ResultPlacement) -> Result<Vec<AnyTensor>, Error> {
        let computed = self.run_observed(changing, &self.observer, placement)?;
        Ok(tensors(computed, &self.plan))
    }

    /// Runs, and reports to `observer`.
    ///
    /// # Errors
    /// As [`run`](PreparedBlock::run).
    pub(super) fn run_observed(
        &self,
        changing: &[&dyn AnyOperand],
        observer: &Observer,
        placement: ResultPlacement,
    ) -> Result<Computed, Error> {
        let sources = self.sources(changing)?;
        Execution { replays: Some(&self.replays), ..self.execution(observer) }.run(&sources, placement)
    }

    fn execution<'e>(&'e self, observer: &'e Observer) -> Execution<'e> {
        Execution { functions: &self.functions, ..Execution::new(&self.plan, &self.backend, observer) }
    }

    /// What a run reads: the tensors that change, the others, and what is kept.
    fn sources<'s>(&'s self, changing: &[&'s dyn AnyOperand]) -> Result<Sources<'s>, Error> {
        if changing.len() != self.changing.len() {
            let (given, known) = (changing.len(), counted(self.changing.len(), "changing tensor"));
            let message = format!("the block was prepared for {known}, but runs with {given}");
            return Err(Error::new(ErrorKind::Shape(message)));
        }
        let mut sources = Sources::new();
        self.sources.iter().for_each(|source| sources.push(source.data()));
        for (n, (operand, (known, slots))) in changing.iter().zip(&self.changing).enumerate() {
            let DynValue(given) = operand.any_operand();
            let (data, layout) = given.elements().ok_or_else(|| recorded(n))?;
            if !known.steps_like(layout) {
                return Err(unlike(n, known, layout));
            }
            let dtype = self.sources[slots[0]].data().dtype();
            if data.dtype() != dtype {
                let found = data.dtype();
                let message = format!("tensor {n} that changes is of {found}, but the block was prepared for {dtype}");
                return Err(Error::new(ErrorKind::Shape(message)));
            }
            slots.iter().for_each(|&slot| sources[slot] = data.after(layout.start()));
        }
        self.kept.iter().for_each(|kept| sources.push(kept.as_ref()));
        Ok(sources)
    }

    /// The graph that is computed when the block is prepared. Its sinks are kept.
    pub fn once(&self) -> &OpGraph {
        &self.first.graph
    }

    /// The graph that each run computes. Its sources are those that the results were recorded over, followed by the kept
    /// tensors.
    pub fn each(&self) -> &OpGraph {
        &self.plan.graph
    }

    /// Number of operations of a run: multiplications of products, and operations on elements.
    pub fn operations(&self) -> f64 {
        self.plan.graph.cost()
    }

    /// Bytes of the kept tensors.
    pub fn kept_bytes(&self) -> usize {
        self.kept.iter().map(|buffer| buffer.as_ref().len() * buffer.as_ref().dtype().size()).sum()
    }
}

impl<T: Element, S: Extents> PreparedBlock<'_, (&Expr<'_, T, S>,)> {
    /// Computes the only result into an existing [`Tensor`](crate::Tensor), [`TensorMut`](crate::TensorMut) or
    /// [`StaticTensor`](crate::StaticTensor), whose elements are not read and all overwritten. A tensor in C order is written while the
    /// result is computed. It is written after the run if it has another layout, if the context reports progress or times or can be
    /// cancelled, if the device has its own memory, and if the block has linear algebra or calls functions of the program; then a run that
    /// fails leaves the tensor as it was.
    ///
    /// ```
    /// # use tensorwrapper_runtime as tensorwrapper;
    /// use tensorwrapper::{Context, Tensor};
    /// let (a, b) = (Tensor::<f64>::filled([2, 2], 1.0)?, Tensor::<f64>::filled([2, 2], 0.5)?);
    /// let sum = (a.at("ij") + 2.0 * b.at("ji")).record("ij")?;
    /// let prepared = Context::cpu().prepare_all((&sum,), &[&a, &b])?;
    /// let mut c = Tensor::<f64>::zeros([2, 2])?;
    /// prepared.run_into(&[&b, &a], &mut c)?;
    /// assert_eq!(c.as_slice(), [2.5; 4]);
    /// # Ok::<(), tensorwrapper_runtime::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`run`](PreparedBlock::run), and [`ErrorKind::Shape`] when the tensor has other extents than the result; the tensor is unchanged
    /// then. After [`ErrorKind::Memory`], which a plan with intermediates may report on the processor, its elements may have any values.
    pub fn run_into(&self, changing: &[&dyn AnyOperand], target: &mut dyn DynTarget<T>) -> Result<(), Error> {
        let sources = self.sources(changing)?;
        Execution { replays: Some(&self.replays), ..self.execution(&self.observer) }
            .write(&sources, target, &|| "the prepared block".to_string())
    }
}

#[cold]
fn unlike(n: usize, known: &Strided, found: &Strided) -> Error {
    let (made, given) = (known.extents(), found.extents());
    Error::new(ErrorKind::Shape(if made != given {
        format!("tensor {n} that changes has extents {given:?}, but the block was prepared for extents {made:?}")
    } else {
        let (made, given) = (known.strides(), found.strides());
        format!("tensor {n} that changes has strides {given:?}, but the block was prepared for strides {made:?}")
    }))
}
