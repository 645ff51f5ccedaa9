//! An [`Explanation`]: what is known of a plan and its steps, for people. Knows nothing of how it is written or drawn.

use std::time::Duration;

use crate::exec::describe::Class;
use crate::exec::run::Replay;
use tensorwrapper_core::element::Dtype;
use tensorwrapper_order::Rates;

/// A plan explained: what each step computes, what it costs, and how much memory is in use meanwhile.
///
/// `Display` is a table; [`dot`](Explanation::dot) and [`html`](Explanation::html) draw it. Times are predicted by [`Rates`]; where
/// the plan was run to be [measured](crate::Prepared::measure), those that were needed stand beside them.
///
/// ```
/// use tensorwrapper_runtime::{Class, Context, Tensor};
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
    /// What runs took of a device's memory, where that was measured.
    pub(super) taken: Option<u128>,
    pub(super) runs: usize,
    pub(super) replay: Option<Replay>,
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
    /// What it computes: `x0`, `x1`, … are the tensors given, `t3` is what step 3 makes, `r` the result, with numbers where there are
    /// several. Labels have the program's names, or letters where it has none.
    pub equation: String,
    /// What kind of work it is.
    pub class: Class,
    /// Whether the work is done for each index of labels that all operands share.
    pub batched: bool,
    /// The library that computes a product or a decomposition, where it is none of the device's own kernels: cuBLAS and cuSOLVER on a GPU
    /// that has them.
    pub library: Option<&'static str>,
    /// Whether a device with memory of its own leaves it to the host: what it reads is copied there, and what it makes back.
    pub on_host: bool,
    /// Whether a device computes a product as it does because that was the quickest of several ways when they were measured.
    pub is_measured: bool,
    /// Multiplications of a product, as [`order`](tensorwrapper_order) counts them; else operations on elements. Of a decomposition the
    /// order of magnitude.
    pub operations: f64,
    /// Bytes that it reads and writes, each element once.
    pub traffic: u128,
    /// Bytes that its results have.
    pub made: u128,
    /// Bytes of results, intermediates and work space that are there while it runs.
    pub live: u128,
    /// The time that it should take.
    pub predicted: Duration,
    /// The least time that it took, where it was measured.
    pub measured: Option<Duration>,
    /// The steps of one part, where it is [made in parts](Class::Parts): their numbers are those of one part.
    pub inner: Vec<ExplainedStep>,
}

impl ExplainedStep {
    /// The class, whether it is batched, and who computes it, in words.
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

    /// Operations of all steps.
    pub fn operations(&self) -> f64 {
        self.steps.iter().map(|step| step.operations).sum()
    }

    /// Bytes that a run takes: results, all that lies between, and the work space of products. The tensors given are not part of
    /// it.
    pub fn peak_bytes(&self) -> u128 {
        self.peak
    }

    /// The most bytes of a device's memory that were taken at one time while the plan was [measured](crate::Prepared::measure) there,
    /// less what was taken before and what its operands take: what [`peak_bytes`](Explanation::peak_bytes) has foretold, by the count of
    /// the device's own pool. The pool rounds each piece up, the work space of cuSOLVER is part of it and that of cuBLAS (up to 32 MiB, once for a device) is not, and so is whatever other threads take meanwhile.
    /// `None` for what was not measured, and where a device computes in the host's memory.
    pub fn measured_peak_bytes(&self) -> Option<u128> {
        self.taken
    }

    /// The time that all steps together should take.
    pub fn predicted(&self) -> Duration {
        self.steps.iter().map(|step| step.predicted).fold(Duration::ZERO, Duration::saturating_add)
    }

    /// The time that all steps together took at least, where they were measured.
    pub fn measured(&self) -> Option<Duration> {
        self.steps.iter().map(|step| step.measured).sum()
    }

    /// Whether runs of a prepared plan are queued as one on its device; `None` for what is not prepared, and where the device records
    /// nothing, as the processor does.
    pub fn replay(&self) -> Option<&Replay> {
        self.replay.as_ref()
    }

    /// The part of the peak that is there while a step runs.
    pub(super) fn share(&self, step: &ExplainedStep) -> f64 {
        match self.peak_bytes() {
            0 => 0.0,
            peak => step.live as f64 / peak as f64,
        }
    }
}
