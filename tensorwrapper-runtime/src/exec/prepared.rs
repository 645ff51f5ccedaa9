//! [`Prepared`]: subscripts that are planned once and run on any tensors with the same extents and strides.

use std::fmt;
use std::marker::PhantomData;
use std::sync::Arc;

use smallvec::SmallVec;

use super::context::Context;
use super::integers::IntegerProduct;
use super::memory::peak;
use super::operands::{DynOperand, DynValue, given};
use super::placed::{DeviceTensor, has_memory};
use super::plan_cache::Meaning;
use super::plan_key::{KeptPlan, Sources, beginning};
use super::run::{Execution, Observer, Replays, ResultPlacement};
use super::statements::{checked, labels_statement, subscripts_statement};
use super::targets::{DynPlace, DynTarget};
use crate::expr::{Integers, OperandData};
use crate::tensor::Tensor;
use tensorwrapper_core::Numeric;
use tensorwrapper_core::backend::BackendInstance;
use tensorwrapper_core::element::Element;
use tensorwrapper_core::error::{Error, ErrorKind};
use tensorwrapper_core::layout::Strided;
use tensorwrapper_core::storage::SliceRef;
use tensorwrapper_notation::Equation;
use tensorwrapper_notation::sentence::counted;

/// Subscripts that were planned for tensors of these extents and strides, in a context.
///
/// A run checks the extents and strides of its operands and computes: nothing is parsed, planned or looked up. For a single
/// small product of two tensors on the processor, [`run_into`](Prepared::run_into) allocates nothing; intermediates and packed
/// operands need memory in each run. On a GPU, the device memory of the second run is kept until other work needs it. From the
/// third run on, all steps are queued by [one call](crate::Explanation::replay), once the operands are at the same addresses as
/// in the run before.
///
/// Integers are computed as equations compute them: in double precision, copied, where it holds everything, and else by loops in 64
/// bits that wrap around. Their operands may have any strides.
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
pub struct Prepared<T: Numeric> {
    pub(super) kept: Arc<KeptPlan>,
    /// The plan by which integers are computed; that of a device computes them where double precision holds everything.
    integers: Option<Arc<(Context, IntegerProduct)>>,
    pub(super) backend: Arc<BackendInstance>,
    pub(super) observer: Observer,
    /// The state that runs leave, for a device with memory of its own.
    pub(super) replays: Option<Arc<Replays>>,
    element: PhantomData<fn() -> T>,
}

impl<T: Numeric> Clone for Prepared<T> {
    fn clone(&self) -> Self {
        Prepared {
            kept: Arc::clone(&self.kept),
            integers: self.integers.clone(),
            backend: Arc::clone(&self.backend),
            observer: self.observer.clone(),
            replays: self.replays.clone(),
            element: PhantomData,
        }
    }
}

impl<T: Numeric> Prepared<T> {
    /// What computes integers; `None` for other elements.
    pub(super) fn integers_by(&self) -> Option<&'static str> {
        self.integers.as_ref().map(|integers| integers.1.computed_by(&integers.0))
    }
}

impl<T: Numeric> fmt::Debug for Prepared<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let operands: Vec<&[usize]> = self.kept.key.layouts().map(Strided::extents).collect();
        let (text, device) = (self.kept.key.text(), self.backend.device().name());
        write!(f, "Prepared<{}>, `{text}` of extents {operands:?} on {device}", T::NAME)
    }
}

impl Context {
    /// Plans subscripts, as [`einsum`](Context::einsum) takes them, for operands with the extents and strides of these. The
    /// elements are not read. Operands that hold integers may have any strides, because each run copies them.
    ///
    /// # Errors
    /// Text that is not a subscript, ranks and extents that do not fit, and operands that are recorded results: these have no
    /// memory, so evaluate them first.
    #[doc(alias("contract_expression", "compile", "jit"))]
    pub fn prepare<T: Numeric>(&self, subscripts: &str, operands: &[&dyn DynOperand<T>]) -> Result<Prepared<T>, Error> {
        let given = given(operands);
        if T::IS_INTEGER {
            return self.prepare_integers(checked(&subscripts_statement(subscripts, given.len())?)?, subscripts, &given);
        }
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
    pub fn prepare_contraction<T: Numeric>(
        &self,
        operands: &[(&dyn DynOperand<T>, &[usize])],
        output: &[usize],
    ) -> Result<Prepared<T>, Error> {
        let text = spelled(operands, output);
        let values: Vec<_> = operands.iter().map(|(operand, _)| operand.dyn_operand().0).collect();
        if T::IS_INTEGER {
            return self.prepare_integers(checked(&labels_statement(operands, output)?)?, &text, &values);
        }
        let mut tensors: SmallVec<[_; 6]> = SmallVec::new();
        for (n, value) in values.iter().enumerate() {
            tensors.push(value.elements().ok_or_else(|| recorded(&text, n))?);
        }
        let meaning = Meaning::new(checked(&labels_statement(operands, output)?)?);
        Ok(Prepared::new(self, Arc::new(meaning.planned::<T>(self, &text, &tensors)?)))
    }

    /// The same for operands that hold integers. A device computes with copies of them in double precision, in C order.
    fn prepare_integers<T: Numeric>(
        &self,
        equation: Equation,
        text: &str,
        given: &[OperandData<'_>],
    ) -> Result<Prepared<T>, Error> {
        let mut layouts: SmallVec<[Strided; 6]> = SmallVec::new();
        for (n, given) in given.iter().enumerate() {
            let OperandData::Integers(_, layout) = given else { return Err(recorded(text, n)) };
            layouts.push(Strided::row_major(layout.extents())?);
        }
        let product = IntegerProduct::new::<T>(self, &equation, given)?;
        let no_elements = f64::erase(&[]);
        let tensors: SmallVec<[_; 6]> = layouts.iter().map(|layout| (no_elements, layout)).collect();
        let kept = Meaning::new(equation).planned::<T>(self, text, &tensors)?;
        Ok(Prepared { integers: Some(Arc::new((self.clone(), product))), ..Prepared::new(self, Arc::new(kept)) })
    }
}

impl<T: Numeric> Prepared<T> {
    fn new(context: &Context, kept: Arc<KeptPlan>) -> Prepared<T> {
        let (backend, observer) = (Arc::clone(&context.backend), context.observer.clone());
        let replays = backend.device().resident().map(|_| Arc::default());
        Prepared { kept, integers: None, backend, observer, replays, element: PhantomData }
    }

    /// Extents of the result.
    pub fn extents(&self) -> &[usize] {
        self.kept.plan.results[0].extents()
    }

    /// Bytes that a run takes: the result, intermediates, and the work space of products; see [`Context::memory_limit`]. If the
    /// result is written into an existing tensor while it is computed ([`run_into`](Prepared::run_into)), its bytes are not needed.
    /// Of integers the copies of operands that a run computes with, in double precision or in 64 bits, are not counted.
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
        if let Some((context, product)) = self.integers.as_deref() {
            let computed = product.run(context, &self.operands(operands)?)?;
            let (elements, layout) = Integers::into_typed(Arc::new(computed));
            return Ok(Tensor::from_parts(elements, layout));
        }
        self.computed(&self.sources(operands)?, ResultPlacement::Host)
    }

    /// The same with a result that stays on the device, for a plan that was prepared in a context of a device with its own
    /// memory.
    ///
    /// # Errors
    /// As [`run`](Prepared::run), and [`ErrorKind::Unsupported`] if the plan's device computes in the host's memory.
    pub fn run_on_device(&self, operands: &[&dyn DynOperand<T>]) -> Result<DeviceTensor<T>, Error>
    where
        T: Element,
    {
        has_memory(&self.backend)?;
        let result = self.computed(&self.sources(operands)?, ResultPlacement::Device { first: 0 })?;
        Ok(DeviceTensor::new(result, &self.backend))
    }

    fn computed(&self, sources: &[SliceRef<'_>], placement: ResultPlacement) -> Result<Tensor<T>, Error> {
        let execution = Execution { replays: self.replays.as_deref(), ..self.execution(&self.observer) };
        Ok(self.kept.result(execution.run(sources, placement)?))
    }

    /// Computes the result into an existing [`Tensor`], [`TensorMut`](crate::TensorMut) or [`StaticTensor`](crate::StaticTensor). Its old
    /// elements are not read, and all are overwritten. A tensor in C order is written while the result is computed. It is written after
    /// the run, from host memory that is as large as the result, if it has integers or another layout, if the context reports progress or
    /// times or can be cancelled, or if the device has its own memory; then a run that fails leaves the tensor as it was.
    ///
    /// The tensor shares no memory with an operand, because it is borrowed for writing.
    ///
    /// # Errors
    /// As [`run`](Prepared::run), and [`ErrorKind::Shape`] when the tensor has other extents than the result. The tensor is
    /// unchanged then. After [`ErrorKind::Memory`], which a plan with intermediates may report on the processor, its elements
    /// may have any values.
    pub fn run_into(&self, operands: &[&dyn DynOperand<T>], target: &mut dyn DynTarget<T>) -> Result<(), Error> {
        if self.integers.is_some() {
            return target.write(&mut |place| self.write_integers(operands, place));
        }
        let execution = Execution { replays: self.replays.as_deref(), ..self.execution(&self.observer) };
        execution.write(&self.sources(operands)?, target, &|| self.name())
    }

    /// Computes integers, and writes them into a place that must have the extents of the result.
    fn write_integers(&self, operands: &[&dyn DynOperand<T>], place: DynPlace<'_, T>) -> Result<(), Error> {
        place.check(&self.kept.plan.results[0], &|| self.name())?;
        let computed = self.run(operands)?;
        let DynPlace { data, layout } = place;
        layout.positions().zip(computed.as_slice()).for_each(|(place, &element)| data[place] = element);
        Ok(())
    }

    /// What it is called in messages.
    fn name(&self) -> String {
        format!("`{}`", self.kept.key.text())
    }

    /// A run of the plan that does not use or keep replay state.
    pub(super) fn execution<'e>(&'e self, observer: &'e Observer) -> Execution<'e> {
        Execution::new(&self.kept.plan, &self.backend, observer)
    }

    /// Whether there are as many operands as the plan was made for.
    fn count(&self, operands: &[&dyn DynOperand<T>]) -> Result<(), Error> {
        match self.kept.key.layouts().len() {
            known if operands.len() == known => Ok(()),
            known => Err(miscounted(self.kept.key.text(), operands.len(), known)),
        }
    }

    /// A run's operands, which are integers, if they have the extents that the plan was made for.
    fn operands<'a>(&self, operands: &[&'a dyn DynOperand<T>]) -> Result<SmallVec<[OperandData<'a>; 6]>, Error> {
        self.count(operands)?;
        let given = given(operands);
        for (n, (given, known)) in given.iter().zip(self.kept.key.layouts()).enumerate() {
            if let OperandData::Integers(_, layout) = given
                && layout.extents() != known.extents()
            {
                return Err(unlike(self.kept.key.text(), n, known, layout));
            }
        }
        Ok(given)
    }

    /// The memory of a run's operands, if they have the extents and strides that the plan was made for.
    pub(super) fn sources<'a>(&self, operands: &[&'a dyn DynOperand<T>]) -> Result<Sources<'a>, Error> {
        let (text, known) = (|| self.kept.key.text(), self.kept.key.layouts());
        self.count(operands)?;
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
    let (given, known) = (counted(given, "operand"), counted(known, "operand"));
    Error::new(ErrorKind::Shape(format!("the plan of `{text}` was made for {known}, but runs with {given}")))
}

#[cold]
fn recorded(text: &str, n: usize) -> Error {
    let message = format!("operand {n} of `{text}` is a recorded result, which has no memory that a plan could be made for");
    Error::new(ErrorKind::Unsupported(message)).with_help("evaluate it first")
}
