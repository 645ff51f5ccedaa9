//! What a plan does, step by step, for people: a table, a drawing in Graphviz's language and a page.
//!
//! | file | holds |
//! |---|---|
//! | `read.rs` | graph → steps: class, operations, bytes, what is alive |
//! | `equation.rs` | the equation of a step, in the program's names |
//! | `table.rs` | `Display` |
//! | `dot.rs`, `page.rs`, `drawing.rs` | Graphviz, the page and the drawings on it |
//! | `doors.rs` | who can be asked |
//! | `block.rs` | blocks that run again and again: what is kept, and what each run computes |
//!
//! Knows graphs, and of devices no more than their name. Nothing that computes asks it.

mod block;
mod doors;
mod dot;
mod drawing;
mod equation;
mod page;
mod read;
mod table;

use std::fmt;
use std::time::Duration;

use super::replay::Replay;
use tensorwrapper_core::element::Dtype;
use tensorwrapper_order::Rates;

pub use block::ExplainedBlock;

pub(super) use read::{Live, StepNames, explain};

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
    tensors: Vec<ShownTensor>,
    steps: Vec<ExplainedStep>,
    /// What each step reads and makes: positions in `tensors`.
    links: Vec<Links>,
    /// The step that makes each tensor.
    makers: Vec<Option<usize>>,
    rates: Rates,
    device: String,
    peak: u128,
    /// What runs took of a device's memory, where that was measured.
    taken: Option<u128>,
    runs: usize,
    replay: Option<Replay>,
}

/// A tensor as it is shown.
#[derive(Clone, Debug)]
struct ShownTensor {
    name: String,
    extents: Vec<usize>,
    dtype: Dtype,
    role: Role,
}

/// What a tensor is to the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Role {
    Given,
    Intermediate,
    Wanted,
}

/// What a step reads and makes.
#[derive(Clone, Debug)]
struct Links {
    reads: Vec<usize>,
    makes: Vec<usize>,
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

/// What kind of work a step is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Class {
    /// `[] = x[i] * y[i]`
    Dot,
    /// A tensor times a number, or two so added.
    Axpy,
    /// `[i, j] = x[i] * y[j]`
    Outer,
    /// `[i] = A[i, k] * x[k]`
    MatVec,
    /// `[i, j] = A[i, k] * B[k, j]`
    MatMul,
    /// A function of the elements at one index.
    ElementWise,
    /// Elements of one tensor summed, or otherwise folded.
    Reduction,
    /// Elements moved or copied.
    Permutation,
    /// A decomposition of matrices.
    Decomposition,
    /// Products made in parts, so that they need less memory.
    Parts,
    /// The same memory with other extents.
    Reshape,
}

impl Class {
    /// How people call it.
    pub fn name(self) -> &'static str {
        match self {
            Class::Dot => "dot",
            Class::Axpy => "axpy",
            Class::Outer => "outer",
            Class::MatVec => "matvec",
            Class::MatMul => "matmul",
            Class::ElementWise => "element-wise",
            Class::Reduction => "reduction",
            Class::Permutation => "permutation",
            Class::Decomposition => "decomposition",
            Class::Parts => "in-parts",
            Class::Reshape => "reshape",
        }
    }
}

impl fmt::Display for Class {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl ExplainedStep {
    /// The class, whether it is batched, and who computes it, in words.
    fn kind(&self) -> String {
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

    /// The same with times predicted by the rates of another machine.
    #[must_use]
    pub fn rates(mut self, rates: Rates) -> Explanation {
        self.rates = rates;
        for (step, links) in self.steps.iter_mut().zip(&self.links) {
            step.predicted = read::predicted(step, links, &self.tensors, rates);
            let widest = read::widest(links, &self.tensors);
            step.inner.iter_mut().for_each(|inner| inner.predicted = read::seconds(inner, widest, rates));
        }
        self
    }

    /// The part of the peak that is there while a step runs.
    fn share(&self, step: &ExplainedStep) -> f64 {
        match self.peak_bytes() {
            0 => 0.0,
            peak => step.live as f64 / peak as f64,
        }
    }

    /// What is said above everything: how many steps, operations, bytes, how much time.
    fn summary(&self) -> Vec<(&'static str, String)> {
        let mut lines = vec![
            ("steps", self.steps.len().to_string()),
            ("operations", table::count(self.operations())),
            ("peak memory", table::bytes(self.peak_bytes())),
            ("predicted", table::time(self.predicted())),
        ];
        lines.extend(self.taken.map(|taken| ("memory taken", table::bytes(taken))));
        lines.extend(self.measured().filter(|_| self.runs > 0).map(|time| ("measured", table::time(time))));
        lines.push(("device", self.device.clone()));
        lines.extend(self.replay.as_ref().map(|replay| ("replayed as one", replay.to_string())));
        lines
    }
}
