//! [`Explanation`]: the data of a plan and its steps that are shown to people. Knows nothing of how it is written or drawn.

use std::time::Duration;

use super::equations::WrittenEquations;
use crate::exec::describe::Class;
use crate::exec::run::Replay;
use tensorwrapper_core::element::Dtype;
use tensorwrapper_order::Rates;

/// The explanation of a plan: what each step computes, what it costs, and how much memory is in use while it runs.
///
/// `Display` writes a table; [`dot`](Explanation::dot) and [`html`](Explanation::html) draw it. Times are predicted from
/// [`Rates`]. If the plan was [measured](crate::Prepared::measure), the measured times are shown beside them.
///
/// ```
/// # use tensorwrapper_runtime as tensorwrapper;
/// use tensorwrapper::{Class, Context, Tensor};
/// let a = Tensor::<f64>::filled([8, 9], 1.0)?;
/// let b = Tensor::<f64>::filled([9, 7], 1.0)?;
/// let c = Tensor::<f64>::filled([7], 1.0)?;
/// let explanation = Context::cpu().prepare("ik,kj,j->i", &[&a, &b, &c])?.explain();
/// let [first, second] = explanation.steps() else { panic!("two products") };
/// assert_eq!(first.equation, "t1[k] = x1[k,j] * x2[j]");
/// assert_eq!((first.class, first.operations), (Class::MatVec, 63.0));
/// assert_eq!(second.equation, "r[i] = x0[i,k] * t1[k]");
/// assert!(explanation.peak_bytes() >= 8 * (9 + 8)); // `t1` and the result
/// println!("{explanation}");
/// # Ok::<(), tensorwrapper_runtime::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Explanation {
    /// Sources first, in their order.
    pub(super) tensors: Vec<ShownTensor>,
    pub(super) steps: Vec<ExplainedStep>,
    /// What each step reads and makes: positions in `tensors`.
    pub(super) links: Vec<Links>,
    /// The step that makes each tensor.
    pub(super) makers: Vec<Option<usize>>,
    pub(super) rates: Rates,
    pub(super) device: String,
    pub(super) peak: u128,
    /// The device memory that runs took, if it was measured.
    pub(super) taken: Option<u128>,
    pub(super) runs: usize,
    pub(super) replay: Option<Replay>,
    /// Which loops compute integers, where the tensors hold some.
    pub(super) integers: Option<&'static str>,
    /// What was recorded, as equations.
    pub(super) equations: Option<WrittenEquations>,
}

/// A tensor as it is shown.
#[derive(Clone, Debug)]
pub(super) struct ShownTensor {
    pub(super) name: String,
    pub(super) extents: Vec<usize>,
    pub(super) dtype: Dtype,
    pub(super) role: Role,
}

/// What a tensor is to the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Role {
    Given,
    Intermediate,
    Wanted,
}

/// What a step reads and makes.
#[derive(Clone, Debug)]
pub(super) struct Links {
    pub(super) reads: Vec<usize>,
    pub(super) makes: Vec<usize>,
}

/// One step of a plan.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct ExplainedStep {
    /// The equation that it computes: `x0`, `x1`, … are the given tensors, `t3` is the result of step 3, and `r` is the result
    /// of the plan, or `r0`, `r1`, … if there are several. Labels have the program's names, or letters if it has none.
    pub equation: String,
    /// The kind of work.
    pub class: Class,
    /// Whether the work is done for each index of labels that all operands share.
    pub batched: bool,
    /// The library that computes the product or the decomposition, such as cuBLAS or cuSOLVER on a GPU; `None` if a kernel of
    /// the device computes it.
    pub library: Option<&'static str>,
    /// How the device computes the product, in a few words, such as `packed in blocks` or `matrix times vector`; `None` if the step is no
    /// product, or the device does not say.
    pub method: Option<&'static str>,
    /// Whether a device with its own memory leaves this step to the host: its inputs are copied to the host, and its outputs
    /// back.
    pub on_host: bool,
    /// Whether the device has chosen the way to compute this product by measuring several ways.
    pub is_measured: bool,
    /// Number of multiplications of a product, as [`order`](tensorwrapper_order) counts them; otherwise the number of
    /// operations on elements. For a decomposition only the order of magnitude.
    pub operations: f64,
    /// Bytes that it reads and writes, each element once.
    pub traffic: u128,
    /// Bytes of its results.
    pub made: u128,
    /// Bytes of results, intermediates and work space that are in use while it runs.
    pub live: u128,
    /// The predicted time.
    pub predicted: Duration,
    /// The least measured time, if it was measured.
    pub measured: Option<Duration>,
    /// The steps of one part if this step is [computed in parts](Class::Parts); their figures are those of one part.
    pub inner: Vec<ExplainedStep>,
    /// Elements of both factors and of the result, if it is a product of two tensors.
    pub(super) product: Option<[f64; 3]>,
}

impl ExplainedStep {
    /// The class, whether it is batched, and what computes it, as text.
    pub(super) fn kind(&self) -> String {
        let class = if self.batched { format!("batched {}", self.class) } else { self.class.to_string() };
        let is_measured = self.is_measured;
        match self.library {
            Some(library) if is_measured => format!("{class} by {library}, measured"),
            Some(library) => format!("{class} by {library}"),
            None if self.on_host => format!("{class} on the host"),
            None if is_measured => format!("{class}, measured"),
            None => class,
        }
    }
}

impl Explanation {
    /// The steps in the order in which they run.
    pub fn steps(&self) -> &[ExplainedStep] {
        &self.steps
    }

    /// What was recorded, derivatives and all, as equations of the language, before anything is simplified and ordered. `None` for what was
    /// prepared.
    ///
    /// ```
    /// # use tensorwrapper_runtime as tensorwrapper;
    /// use tensorwrapper::{Context, Tensor};
    /// let a = Tensor::<f64>::filled([2, 3], 1.0)?;
    /// let x = Tensor::<f64>::filled([3], 0.5)?;
    /// let y = (a.at("i,j") * x.at("j")).record("i")?;
    /// let loss = (y.at("i") * y.at("i")).record("")?;
    /// let gradient = loss.grad(&x)?;
    /// let explanation = Context::cpu().explain((&loss, &gradient))?;
    /// let equations = explanation.equations().expect("these results are recorded");
    /// assert_eq!(equations.statements()[..2], ["let t0[i] = x0[i, j] * x1[j];", "let r0 = t0[i] * t0[i];"]);
    /// assert!(equations.missing().is_empty());
    /// println!("{equations}");
    /// # Ok::<(), tensorwrapper_runtime::Error>(())
    /// ```
    pub fn equations(&self) -> Option<&WrittenEquations> {
        self.equations.as_ref()
    }

    /// Number of operations of all steps.
    pub fn operations(&self) -> f64 {
        self.steps.iter().map(|step| step.operations).sum()
    }

    /// Bytes that a run takes: results, intermediates, and the work space of products. The given tensors are not counted.
    pub fn peak_bytes(&self) -> u128 {
        self.peak
    }

    /// The most bytes of device memory that were in use at one time while the plan was [measured](crate::Prepared::measure),
    /// without the memory that was in use before and the memory of its operands. [`peak_bytes`](Explanation::peak_bytes) is the
    /// prediction of this number. It is counted by the device's memory pool, which rounds each allocation up. It includes the
    /// work space of cuSOLVER and memory that other threads take at the same time, but not the work space of cuBLAS (up to 32
    /// MiB, once for each device). `None` if the plan was not measured, or if the device computes in the host's memory.
    pub fn measured_peak_bytes(&self) -> Option<u128> {
        self.taken
    }

    /// The predicted time of all steps together.
    pub fn predicted(&self) -> Duration {
        self.steps.iter().map(|step| step.predicted).fold(Duration::ZERO, Duration::saturating_add)
    }

    /// The sum of the least measured times of all steps, if they were measured.
    pub fn measured(&self) -> Option<Duration> {
        self.steps.iter().map(|step| step.measured).sum()
    }

    /// Whether the steps of a run of a prepared plan are queued on its device by one call. `None` if the plan is not prepared,
    /// or if the device cannot record steps, as the processor cannot.
    pub fn replay(&self) -> Option<&Replay> {
        self.replay.as_ref()
    }

    /// The fraction of the peak that is in use while a step runs.
    pub(super) fn share(&self, step: &ExplainedStep) -> f64 {
        match self.peak_bytes() {
            0 => 0.0,
            peak => step.live as f64 / peak as f64,
        }
    }
}
