//! [`Prepared`]: subscripts that are planned once and run on any tensors with the same extents and strides.

use std::fmt;
use std::marker::PhantomData;
use std::sync::Arc;

use smallvec::SmallVec;

use super::context::Context;
use super::memory::peak;
use super::operands::{DynOperand, DynValue, given};
use super::placed::{DeviceTensor, has_memory};
use super::plan_cache::Meaning;
use super::plan_key::{KeptPlan, Sources, beginning};
use super::run::{Execution, Observer, Replays, ResultPlacement};
use super::statements::{checked, labels_statement};
use crate::tensor::{StaticTensor, Tensor, TensorMut};
use tensorwrapper_core::backend::BackendInstance;
use tensorwrapper_core::element::Element;
use tensorwrapper_core::error::{Error, ErrorKind};
use tensorwrapper_core::layout::Strided;
use tensorwrapper_core::shape::{Extents, StaticExtents};
use tensorwrapper_core::storage::SliceRef;
use tensorwrapper_cpu::copy;

/// Subscripts that were planned for tensors of these extents and strides, in a context.
///
/// A run checks the extents and strides of its operands and computes: nothing is parsed, planned or looked up. For a single
/// small product of two tensors on the processor, [`run_into`](Prepared::run_into) allocates nothing; intermediates and packed
/// operands need memory in each run. On a GPU, the device memory of the second run is kept until other work needs it. From the
/// third run on, all steps are queued by [one call](crate::Explanation::replay), once the operands are at the same addresses as
/// in the run before.
///
/// ```
/// # use tensorwrapper_runtime as tensorwrapper;
/// use tensorwrapper::{Context, Tensor};
/// let a = Tensor::<f64>::from_fn([2, 3], |i| (i[0] + i[1]) as f64)?;
/// let b = Tensor::<f64>::from_fn([3, 2], |i| (i[0] * i[1]) as f64)?;
/// let product = Context::cpu().prepare("ik,kj->ij", &[&a, &b])?;
/// let mut c = Tensor::<f64>::zeros([2, 2])?;
/// for _ in 0..10 {
///     product.run_into(&[&a, &b], &mut c)?;
/// }
/// assert_eq!(c.as_slice(), [0.0, 5.0, 0.0, 8.0]);
/// assert_eq!(product.run(&[&a, &b])?, c);
///
/// let error = product.run(&[&b, &a]).unwrap_err();
/// assert_eq!(
///     error.to_string(),
///     "operand 0 of `ik,kj->ij` has extents [3, 2], but the plan was made for extents [2, 3]"
/// );
/// # Ok::<(), tensorwrapper_runtime::Error>(())
/// ```
pub struct Prepared<T: Element> {
    pub(super) kept: Arc<KeptPlan>,
    pub(super) backend: Arc<BackendInstance>,
    pub(super) observer: Observer,
    /// The state that runs leave, for a device with memory of its own.
    pub(super) replays: Option<Arc<Replays>>,
    element: PhantomData<fn() -> T>,
}

impl<T: Element> Clone for Prepared<T> {
    fn clone(&self) -> Self {
        Prepared {
            kept: Arc::clone(&self.kept),
            backend: Arc::clone(&self.backend),
            observer: self.observer.clone(),
            replays: self.replays.clone(),
            element: PhantomData,
        }
    }
}

impl<T: Element> fmt::Debug for Prepared<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let operands: Vec<&[usize]> = self.kept.key.layouts().map(Strided::extents).collect();
        let (text, device) = (self.kept.key.text(), self.backend.device().name());
        write!(f, "Prepared<{}>, `{text}` of extents {operands:?} on {device}", T::DTYPE)
    }
}

impl Context {
    /// Plans subscripts, as [`einsum`](Context::einsum) takes them, for operands with the extents and strides of these. The
    /// elements are not read.
    ///
    /// # Errors
    /// Text that is not a subscript, ranks and extents that do not fit, and operands that are recorded results: these have no
    /// memory, so evaluate them first.
    #[doc(alias("contract_expression", "compile", "jit"))]
    pub fn prepare<T: Element>(&self, subscripts: &str, operands: &[&dyn DynOperand<T>]) -> Result<Prepared<T>, Error> {
        let given = given(operands);
        let mut tensors: SmallVec<[_; 6]> = SmallVec::new();
        for (n, given) in given.iter().enumerate() {
            tensors.push(given.elements().ok_or_else(|| recorded(subscripts, n))?);
        }
        Ok(Prepared::new(self, self.kept::<T>(subscripts, &tensors)?))
    }

    /// The same with numbers as labels, as [`contract`](Context::contract) takes them, so that a network may have any number of
    /// labels. Such a plan is not kept for other calls.
    ///
    /// ```
    /// # use tensorwrapper_runtime as tensorwrapper;
    /// use tensorwrapper::{Context, Tensor};
    /// let a = Tensor::<f64>::filled([2, 3], 1.0)?;
    /// let b = Tensor::<f64>::filled([3, 4], 2.0)?;
    /// let product = Context::cpu().prepare_contraction(&[(&a, &[0, 7]), (&b, &[7, 1000])], &[0, 1000])?;
    /// assert_eq!(product.run(&[&a, &b])?.as_slice(), [6.0; 8]);
    /// # Ok::<(), tensorwrapper_runtime::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`contract`](Context::contract), and operands that are recorded results.
    pub fn prepare_contraction<T: Element>(
        &self,
        operands: &[(&dyn DynOperand<T>, &[usize])],
        output: &[usize],
    ) -> Result<Prepared<T>, Error> {
        let text = spelled(operands, output);
        let values: Vec<_> = operands.iter().map(|(operand, _)| operand.dyn_operand().0).collect();
        let mut tensors: SmallVec<[_; 6]> = SmallVec::new();
        for (n, value) in values.iter().enumerate() {
            tensors.push(value.elements().ok_or_else(|| recorded(&text, n))?);
        }
        let meaning = Meaning::new(checked(&labels_statement(operands, output)?)?);
        Ok(Prepared::new(self, Arc::new(meaning.planned::<T>(self, &text, &tensors)?)))
    }
}

impl<T: Element> Prepared<T> {
    fn new(context: &Context, kept: Arc<KeptPlan>) -> Prepared<T> {
        let (backend, observer) = (Arc::clone(&context.backend), context.observer.clone());
        let replays = backend.device().resident().map(|_| Arc::default());
        Prepared { kept, backend, observer, replays, element: PhantomData }
    }

    /// Extents of the result.
    pub fn extents(&self) -> &[usize] {
        self.result().extents()
    }

    /// Bytes that a run takes: the result, intermediates, and the work space of products; see [`Context::memory_limit`]. If the
    /// result is written into an existing tensor while it is computed ([`run_into`](Prepared::run_into)), its bytes are not needed.
    ///
    /// ```
    /// # use tensorwrapper_runtime as tensorwrapper;
    /// use tensorwrapper::{Context, Order, Tensor};
    /// let a = Tensor::<f64>::filled([10, 10], 1.0)?;
    /// let trace = Context::cpu().order(Order::AsWritten).prepare("ij,jk,ki->", &[&a, &a, &a])?;
    /// assert!(trace.peak_bytes() >= 10 * 10 * 8 + 8); // the product of the first two, the result, and what is packed
    /// # Ok::<(), tensorwrapper_runtime::Error>(())
    /// ```
    pub fn peak_bytes(&self) -> usize {
        // A plan of more could not have been made.
        usize::try_from(peak(&self.kept.plan).bytes()).unwrap_or(usize::MAX)
    }

    /// Computes the result from operands with the extents and strides that the plan was made for, at any addresses.
    ///
    /// # Errors
    /// [`ErrorKind::Shape`] when an operand has other extents or strides, and [`ErrorKind::Memory`].
    pub fn run(&self, operands: &[&dyn DynOperand<T>]) -> Result<Tensor<T>, Error> {
        self.computed(&self.sources(operands)?, ResultPlacement::Host)
    }

    /// The same with a result that stays on the device, for a plan that was prepared in a context of a device with its own
    /// memory.
    ///
    /// # Errors
    /// As [`run`](Prepared::run), and [`ErrorKind::Unsupported`] if the plan's device computes in the host's memory.
    pub fn run_on_device(&self, operands: &[&dyn DynOperand<T>]) -> Result<DeviceTensor<T>, Error> {
        has_memory(&self.backend)?;
        let result = self.computed(&self.sources(operands)?, ResultPlacement::Device { first: 0 })?;
        Ok(DeviceTensor::new(result, &self.backend))
    }

    fn computed(&self, sources: &[SliceRef<'_>], placement: ResultPlacement) -> Result<Tensor<T>, Error> {
        let execution = Execution { replays: self.replays.as_deref(), ..self.execution(&self.observer) };
        Ok(self.kept.result(execution.run(sources, placement)?))
    }

    /// Computes the result into an existing [`Tensor`], [`TensorMut`] or [`StaticTensor`]. Its old elements are not read, and
    /// all are overwritten. A tensor in C order is written while the result is computed. It is written after the run, from host
    /// memory that is as large as the result, if it has another layout, if the context reports progress or times or can be
    /// cancelled, or if the device has its own memory; then a run that fails leaves the tensor as it was.
    ///
    /// The tensor shares no memory with an operand, because it is borrowed for writing.
    ///
    /// # Errors
    /// As [`run`](Prepared::run), and [`ErrorKind::Shape`] when the tensor has other extents than the result. The tensor is
    /// unchanged then. After [`ErrorKind::Memory`], which a plan with intermediates may report on the processor, its elements
    /// may have any values.
    pub fn run_into(&self, operands: &[&dyn DynOperand<T>], target: &mut dyn DynTarget<T>) -> Result<(), Error> {
        let sources = self.sources(operands)?;
        let (plan, result) = (&self.kept.plan, self.result());
        target.write(&mut |DynPlace { data, layout }| {
            // A run that may be cancelled, or whose device may be lost, must not leave a half-written tensor.
            let is_safe = self.observer.is_idle() && self.replays.is_none();
            if is_safe && plan.makes_one() && result.steps_like(layout) {
                let (len, start) = (plan.result_len(), layout.offset());
                let start = if len == 0 { 0 } else { start };
                return self.execution(&self.observer).run_into(&sources, T::erase_mut(&mut data[start..][..len]));
            }
            if layout.extents() != result.extents() {
                let (text, found, made) = (self.kept.key.text(), layout.extents(), result.extents());
                let message =
                    format!("the result of `{text}` has extents {made:?}, but is written into a tensor of extents {found:?}");
                return Err(Error::new(ErrorKind::Shape(message)));
            }
            let computed = self.computed(&sources, ResultPlacement::Host)?;
            copy(computed.as_slice(), result, data, layout)
        })
    }

    /// A run of the plan that does not use or keep replay state.
    pub(super) fn execution<'e>(&'e self, observer: &'e Observer) -> Execution<'e> {
        Execution::new(&self.kept.plan, &self.backend, observer)
    }

    fn result(&self) -> &Strided {
        &self.kept.plan.results[0]
    }

    /// The memory of a run's operands, if they have the extents and strides that the plan was made for.
    pub(super) fn sources<'a>(&self, operands: &[&'a dyn DynOperand<T>]) -> Result<Sources<'a>, Error> {
        let (text, known) = (|| self.kept.key.text(), self.kept.key.layouts());
        if operands.len() != known.len() {
            return Err(miscounted(text(), operands.len(), known.len()));
        }
        let mut sources = Sources::new();
        for (n, (operand, known)) in operands.iter().zip(known).enumerate() {
            let DynValue(given) = operand.dyn_operand();
            let (data, layout) = given.elements().ok_or_else(|| recorded(text(), n))?;
            if !known.steps_like(layout) {
                return Err(unlike(text(), n, known, layout));
            }
            sources.push(beginning(data, layout, known));
        }
        Ok(sources)
    }
}

/// The name of a product with numbers as labels in messages, such as `[0, 1], [1, 2] -> [0, 2]`. Of many operands only the
/// first few are named.
fn spelled<T>(operands: &[(&dyn DynOperand<T>, &[usize])], output: &[usize]) -> String {
    let mut texts: Vec<String> = operands.iter().take(4).map(|(_, labels)| format!("{labels:?}")).collect();
    if operands.len() > texts.len() {
        texts.push("…".to_string());
    }
    format!("{} -> {output:?}", texts.join(", "))
}

#[cold]
fn unlike(text: &str, n: usize, known: &Strided, found: &Strided) -> Error {
    let (extents, strides) = ((found.extents(), known.extents()), (found.strides(), known.strides()));
    Error::new(ErrorKind::Shape(match extents {
        (found, known) if found != known => {
            format!("operand {n} of `{text}` has extents {found:?}, but the plan was made for extents {known:?}")
        }
        (_, extents) => {
            let (found, known) = strides;
            format!(
                "operand {n} of `{text}` has strides {found:?}, but the plan was made for strides {known:?} of the same extents {extents:?}"
            )
        }
    }))
}

#[cold]
fn miscounted(text: &str, given: usize, known: usize) -> Error {
    let operands = |n: usize| format!("{n} {}", if n == 1 { "operand" } else { "operands" });
    let (given, known) = (operands(given), operands(known));
    Error::new(ErrorKind::Shape(format!("the plan of `{text}` was made for {known}, but runs with {given}")))
}

#[cold]
fn recorded(text: &str, n: usize) -> Error {
    let message = format!("operand {n} of `{text}` is a recorded result, which has no memory that a plan could be made for");
    Error::new(ErrorKind::Unsupported(message)).with_help("evaluate it first")
}

/// A tensor that [`Prepared::run_into`] can write: of element type `T` and any shape type.
pub trait DynTarget<T> {
    #[doc(hidden)]
    fn write(&mut self, write: &mut dyn FnMut(DynPlace<'_, T>) -> Result<(), Error>) -> Result<(), Error>;
}

/// A tensor to write, without its shape type. No two indices lead to the same element.
#[doc(hidden)]
#[derive(Debug)]
pub struct DynPlace<'a, T> {
    data: &'a mut [T],
    layout: &'a Strided,
}

impl<T: Element, S: Extents> DynTarget<T> for Tensor<T, S> {
    fn write(&mut self, write: &mut dyn FnMut(DynPlace<'_, T>) -> Result<(), Error>) -> Result<(), Error> {
        let (data, layout) = self.parts_mut();
        write(DynPlace { data, layout })
    }
}

impl<T: Element, S: Extents> DynTarget<T> for TensorMut<'_, T, S> {
    fn write(&mut self, write: &mut dyn FnMut(DynPlace<'_, T>) -> Result<(), Error>) -> Result<(), Error> {
        let (data, layout) = self.parts_mut();
        write(DynPlace { data, layout })
    }
}

impl<T: Element, S: StaticExtents> DynTarget<T> for StaticTensor<T, S> {
    fn write(&mut self, write: &mut dyn FnMut(DynPlace<'_, T>) -> Result<(), Error>) -> Result<(), Error> {
        let (data, layout) = self.parts_mut();
        write(DynPlace { data, layout: &layout })
    }
}
