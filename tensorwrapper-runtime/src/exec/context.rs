//! Where and how equations run.

use std::ops::ControlFlow;
use std::sync::{Arc, OnceLock};

use super::passes::Passes;
use super::run::{Cancel, Observer, Progress};
use crate::optimize::{Accumulate, Choices, Pass};
use tensorwrapper_core::backend::reference::Reference;
use tensorwrapper_core::backend::{Backend, BackendInstance, Device};
use tensorwrapper_core::graph::Rewrite;
use tensorwrapper_cpu::Cpu;
use tensorwrapper_order::{Minimize, Order};

/// Where and how equations run: the device, and settings such as how contraction orders are found. Clones share the device.
///
/// ```
/// # use tensorwrapper_runtime as tensorwrapper;
/// use tensorwrapper::{Context, Tensor};
/// let context = Context::cpu().threads(1);
/// let a = Tensor::<f64>::from_slice([2, 2], &[1.0, 2.0, 3.0, 4.0])?;
/// let trace = context.einsum("ii->", &[&a])?;
/// assert_eq!(trace.as_slice(), [5.0]);
/// # Ok::<(), tensorwrapper_runtime::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Context {
    pub(crate) backend: Arc<BackendInstance>,
    pub(crate) choices: Choices,
    pub(crate) passes: Passes,
    pub(crate) observer: Observer,
    /// Whether the program has named this context. If so, equations run in it wherever their operands are.
    pub(crate) is_named: bool,
}

impl Context {
    /// The processor, with all its cores.
    #[must_use]
    pub fn cpu() -> Context {
        Context::of(Arc::new(Cpu::new(None)))
    }

    /// The reference device: slow, naive loops, which define what every other device must compute.
    #[must_use]
    pub fn reference() -> Context {
        Context::of(Arc::new(Reference))
    }

    /// The NVIDIA GPU of that number, counted from 0. Driver and compiler are looked for when this is called, in the folders
    /// that `TENSORWRAPPER_CUDA_LIBRARIES` names, in the active Python environment, in the toolkit's folders and wherever the
    /// system's loader looks. Kernels are compiled when an equation is new. They are kept in the folder that
    /// `TENSORWRAPPER_CACHE` names, or else in the user's cache folder. This folder must belong to the user and must not be
    /// writable by others; otherwise nothing is kept, and `tracing` reports this. If cuBLAS is found, matrix products use
    /// cuBLAS or generated kernels, whichever is faster; if cuSOLVER is found, linear algebra uses it. Operands are copied to
    /// the device unless they [have a copy there](crate::Tensor::to), and results are copied to the host unless they [stay on
    /// the device](Context::on_device). Functions of the program (`map`) and linear algebra that cuSOLVER does not offer are
    /// computed by the processor. [Prepared](Context::prepare) plans become one CUDA graph (see
    /// [`Explanation::replay`](crate::Explanation::replay)).
    ///
    /// ```
    /// # use tensorwrapper_runtime as tensorwrapper;
    /// use tensorwrapper::{Context, ErrorKind};
    /// match Context::cuda(0) {
    ///     Ok(context) => println!("equations run on {}", context.device_name()),
    ///     Err(error) => assert!(matches!(error.kind(), ErrorKind::Unavailable { .. } | ErrorKind::Device(_)), "{error}"),
    /// }
    /// ```
    ///
    /// # Errors
    /// [`ErrorKind::Unavailable`](crate::ErrorKind::Unavailable) if driver, compiler or device is missing, with everything that
    /// was tried, or if the program was built without the feature `cuda`; [`ErrorKind::Device`](crate::ErrorKind::Device) if the device
    /// reports an error.
    #[cfg_attr(not(feature = "cuda"), allow(unused_variables, reason = "nothing is looked for"))]
    pub fn cuda(ordinal: usize) -> Result<Context, crate::Error> {
        #[cfg(feature = "cuda")]
        return tensorwrapper_cuda::open(ordinal, Arc::new(Cpu::new(None))).map(Context::of);
        #[cfg(not(feature = "cuda"))]
        {
            let missing = crate::ErrorKind::Unavailable { library: "CUDA".to_string(), tried: Vec::new() };
            let help = "this program was built without it; in Cargo.toml: `tensorwrapper = { …, features = [\"cuda\"] }`";
            Err(crate::Error::new(missing).with_help(help))
        }
    }

    /// The same context, in which cuBLAS may (or may not) round factors in single precision, real and complex, to TF32, which
    /// has ten bits of mantissa. This is several times as fast, and has three digits instead of seven. It is off by default. It
    /// has no effect on other devices, on other element types, and on generated kernels, which never round.
    ///
    /// ```
    /// # use tensorwrapper_runtime as tensorwrapper;
    /// use tensorwrapper::Context;
    /// let coarse = Context::cpu().tf32(true); // a processor has no TF32
    /// assert_eq!(coarse.device_name(), "cpu");
    /// # Ok::<(), tensorwrapper_runtime::Error>(())
    /// ```
    #[must_use]
    pub fn tf32(self, allowed: bool) -> Context {
        let device = self.backend.device().with_tf32(allowed);
        self.with_device(device)
    }

    /// The same context, in which a GPU measures several ways to compute each new product and takes the fastest (`true`), or
    /// chooses by the size of the product alone (`false`). The ways are cuBLAS, cuBLAS on copies of the factors, and generated
    /// kernels. Measurements are stored in the folder of the compiled kernels, so that products of one shape always round in
    /// the same way with that folder; without measurements they round in the same way wherever the program runs on such a
    /// device. Measuring is on by default. It has no effect on other devices.
    ///
    /// Products are measured when the plan is made: by the first run, by `prepare` or by an explanation. Measuring needs device
    /// memory for the operands, the result and intermediates, which [`memory_limit`](Context::memory_limit) does not count. If
    /// there is not enough memory, the size decides.
    ///
    /// ```
    /// # use tensorwrapper_runtime as tensorwrapper;
    /// use tensorwrapper::Context;
    /// let alike = Context::cpu().measured(false); // a processor has one way
    /// assert_eq!(alike.device_name(), "cpu");
    /// # Ok::<(), tensorwrapper_runtime::Error>(())
    /// ```
    #[must_use]
    pub fn measured(self, allowed: bool) -> Context {
        let device = self.backend.device().with_measuring(allowed);
        self.with_device(device)
    }

    /// A context with a backend that the program provides: a device, or a compiler of whole graphs. All other settings have
    /// their defaults.
    ///
    /// Only this context and its clones reuse plans that were made for the backend: another backend of the same name is a
    /// different backend.
    ///
    /// ```
    /// # use tensorwrapper_runtime as tensorwrapper;
    /// use tensorwrapper::backend::reference::Reference;
    /// use tensorwrapper::{Context, Tensor};
    /// let context = Context::on(Reference); // every device that can be cloned is a backend
    /// let a = Tensor::<f64>::filled([2, 2], 1.0)?;
    /// assert_eq!(context.einsum("ij,jk->ik", &[&a, &a])?.as_slice(), [2.0; 4]);
    /// # Ok::<(), tensorwrapper_runtime::Error>(())
    /// ```
    #[must_use]
    pub fn on(backend: impl Backend + 'static) -> Context {
        Context::at(BackendInstance::of_backend(backend))
    }

    /// A context with a device of this library.
    pub(crate) fn of(device: Arc<dyn Device>) -> Context {
        Context::at(BackendInstance::of_device(device))
    }

    fn at(backend: BackendInstance) -> Context {
        let (choices, passes, observer) = Default::default();
        Context { backend: Arc::new(backend), choices, passes, observer, is_named: true }
    }

    /// The same context with another device, if there is one.
    fn with_device(self, device: Option<Arc<dyn Device>>) -> Context {
        match device {
            Some(device) => Context { backend: Arc::new(self.backend.with_device(device)), ..self },
            None => self,
        }
    }

    /// The same context with this number of threads on the processor: 0 means 1, and more than 1024 mean 1024. It has no effect
    /// on other devices.
    ///
    /// The calling thread is one of them. The others are this library's, one fewer than rayon's pool has; decompositions, and calls from a
    /// thread of that pool, use that pool's. If a process has computed on several threads and then calls `fork`, the child
    /// process has no such threads: it computes on one thread, whatever is set here, with the same results up to rounding. If
    /// the process forks before it computes on several threads, the child can start a pool of its own. Processes are identified
    /// by their ids: if the process that used the pool has ended and a descendant happens to get its id, the descendant waits
    /// forever. This library cannot see whether the program itself has started rayon's pool before a fork; if so, the child
    /// must use `threads(1)`. As with every library that uses locks, no other thread may be inside a call of this library
    /// during the fork; otherwise the child may wait forever for a lock of that thread. A child must not use devices that were
    /// opened before the fork: CUDA does not allow it.
    #[must_use]
    pub fn threads(self, threads: usize) -> Context {
        let device = self.backend.device().with_threads(threads);
        self.with_device(device)
    }

    /// The same context with another strategy for contraction orders.
    #[must_use]
    pub fn order(self, order: Order) -> Context {
        Context { choices: Choices { order, ..self.choices }, ..self }
    }

    /// The same context with another seed for randomised searches for a contraction order. The same seed gives the same order.
    ///
    /// ```
    /// # use tensorwrapper_runtime as tensorwrapper;
    /// use tensorwrapper::{Context, Order, Tensor};
    /// let context = Context::cpu().order(Order::Exact).seed(7);
    /// let a = Tensor::<f64>::filled([2, 2], 1.0)?;
    /// assert_eq!(context.einsum("ij,jk,kl->il", &[&a, &a, &a])?.as_slice(), [4.0; 4]);
    /// # Ok::<(), tensorwrapper_runtime::Error>(())
    /// ```
    #[must_use]
    pub fn seed(self, seed: u64) -> Context {
        Context { choices: Choices { seed, ..self.choices }, ..self }
    }

    /// The same context, in which contraction orders minimise this quantity.
    ///
    /// By default, orders have the fewest operations, with one exception. If a product takes a million operations or more and
    /// has a label on three or more of its tensors, the result included, [`Order::Auto`] takes the order with the least time by
    /// [`Rates::default`] if that time is less. The pairs of such a product are not all matrix products, and pairs that are not
    /// take many times as long for each operation.
    ///
    /// [`Rates::default`]: tensorwrapper_order::Rates::default
    ///
    /// ```
    /// # use tensorwrapper_runtime as tensorwrapper;
    /// use tensorwrapper::order::{Minimize, Rates};
    /// use tensorwrapper::{Context, Tensor};
    /// let quick = Context::cpu().minimize(Minimize::Time(Rates::default()));
    /// let a = Tensor::<f64>::filled([2, 2], 1.0)?;
    /// assert_eq!(quick.einsum("ij,jk,kl->il", &[&a, &a, &a])?.as_slice(), [4.0; 4]);
    /// # Ok::<(), tensorwrapper_runtime::Error>(())
    /// ```
    #[must_use]
    pub fn minimize(self, minimize: Minimize) -> Context {
        Context { choices: Choices { minimize: Some(minimize), ..self.choices }, ..self }
    }

    /// The same context with a limit on the bytes that a run takes: results, intermediates, and the work space of products. If
    /// a plan needs more, products of three and more factors are computed in parts, which takes more time. If that is not
    /// enough, the equation is refused before anything is computed.
    ///
    /// Over block tensors each equation of a block is a run of its own. Where it does not fit, its products of three and more factors are
    /// computed in parts along one label, unless an operand has ragged axes.
    ///
    /// Operands are not counted. Memory that outlives the run is not counted either: the blocks in which each thread of the
    /// processor packs factors (some megabytes), and [kept memory](crate::keep_memory).
    ///
    /// ```
    /// # use tensorwrapper_runtime as tensorwrapper;
    /// use tensorwrapper::{Context, ErrorKind, Order, Tensor};
    /// let a = Tensor::<f64>::filled([64, 64], 1.0)?;
    /// let careful = Context::cpu().memory_limit(10_000).order(Order::AsWritten);
    /// // 32 KiB for the product of the first two, unless it is made in parts.
    /// assert_eq!(careful.einsum("ij,jk,ki->", &[&a, &a, &a])?.as_slice(), [262144.0]);
    ///
    /// let error = careful.einsum("ij,jk->ik", &[&a, &a]).unwrap_err();
    /// assert!(matches!(error.kind(), ErrorKind::Limit { bytes: 32768, allowed: 10_000, .. }));
    /// assert_eq!(error.to_string(), "a result `[i, k]` of extents [64, 64] needs 32768 bytes, but the context allows 10000");
    /// # Ok::<(), tensorwrapper_runtime::Error>(())
    /// ```
    #[must_use]
    pub fn memory_limit(self, bytes: usize) -> Context {
        Context { choices: Choices { memory: Some(bytes), ..self.choices }, ..self }
    }

    /// The same context, in which sums have this precision.
    ///
    /// ```
    /// # use tensorwrapper_runtime as tensorwrapper;
    /// use tensorwrapper::{Accumulate, Context, Tensor};
    /// let x = Tensor::<f32>::from_slice([3], &[1e8, 1.0, -1e8])?;
    /// let careful = Context::cpu().accumulate(Accumulate::Double);
    /// assert_eq!(careful.einsum("i->", &[&x])?.as_slice(), [1.0]); // in f32 it would be 0
    /// # Ok::<(), tensorwrapper_runtime::Error>(())
    /// ```
    #[must_use]
    pub fn accumulate(self, accumulate: Accumulate) -> Context {
        Context { choices: Choices { accumulate, ..self.choices }, ..self }
    }

    /// The same context without one of the passes that make graphs cheaper.
    ///
    /// ```
    /// # use tensorwrapper_runtime as tensorwrapper;
    /// use tensorwrapper::{Context, Pass, Tensor};
    /// let a = Tensor::<f64>::filled([2, 2], 1.0)?;
    /// let plain = Pass::ALL.into_iter().fold(Context::cpu(), Context::without);
    /// let sum = (a.at("ik") * a.at("kj") + a.at("ik") * a.at("kj")).record("ij")?;
    /// assert_eq!(plain.eval(&sum)?, Context::cpu().eval(&sum)?);
    /// # Ok::<(), tensorwrapper_runtime::Error>(())
    /// ```
    #[must_use]
    pub fn without(self, pass: Pass) -> Context {
        Context { choices: Choices { without: self.choices.without.and(pass), ..self.choices }, ..self }
    }

    /// The same context with a function that is called with the progress of each run: before each of its steps, between the
    /// parts of a step that is computed in parts, and after the last step. If it returns [`Break`](ControlFlow::Break) before the end, the
    /// run ends with [`ErrorKind::Cancelled`](crate::ErrorKind::Cancelled), and tensors that it would have written are unchanged.
    ///
    /// ```
    /// use std::ops::ControlFlow;
    /// # use tensorwrapper_runtime as tensorwrapper;
    /// use tensorwrapper::{Context, Tensor};
    /// let a = Tensor::<f64>::filled([2, 2], 1.0)?;
    /// let context = Context::cpu().progress(|p| {
    ///     eprintln!("step {} of {}, {:.0} % of the operations", p.step, p.steps, 100.0 * p.done / p.operations);
    ///     ControlFlow::Continue(())
    /// });
    /// context.einsum("ij,jk,kl->il", &[&a, &a, &a])?;
    /// # Ok::<(), tensorwrapper_runtime::Error>(())
    /// ```
    #[must_use]
    pub fn progress(self, report: impl Fn(Progress) -> ControlFlow<()> + Send + Sync + 'static) -> Context {
        let observer = self.observer.with(|listeners| listeners.report = Some(Arc::new(report)));
        Context { observer, ..self }
    }

    /// The same context with a token that can end runs between their steps; see [`Cancel`]. Tensors that a cancelled run would
    /// have written are unchanged.
    #[must_use]
    pub fn cancel(self, cancel: &Cancel) -> Context {
        let observer = self.observer.with(|listeners| listeners.cancel = Some(cancel.clone()));
        Context { observer, ..self }
    }

    /// The same context with one more pass that the program provides. It runs on each new graph, as recorded
    /// ([`graph_of`](Context::graph_of)), after the passes that were added before it and before the passes of the library. The
    /// graph that it returns is verified: it must have the same sources, and sinks of the same extents and element types. Only
    /// this context and its clones reuse plans that were made with the pass.
    ///
    /// ```
    /// # use tensorwrapper_runtime as tensorwrapper;
    /// use tensorwrapper::graph::{OpGraph, Rewrite};
    /// use tensorwrapper::{Context, Error, Tensor};
    ///
    /// #[derive(Debug)]
    /// struct Count;
    /// impl Rewrite for Count {
    ///     fn name(&self) -> &str {
    ///         "count"
    ///     }
    ///     fn rewrite(&self, graph: &OpGraph) -> Result<Option<OpGraph>, Error> {
    ///         println!("{} operations", graph.operations().len());
    ///         Ok(None) // nothing to do
    ///     }
    /// }
    ///
    /// let context = Context::cpu().with_pass(Count);
    /// let a = Tensor::<f64>::filled([2, 2], 1.0)?;
    /// assert_eq!(context.einsum("ij,jk->ik", &[&a, &a])?.as_slice(), [2.0; 4]);
    /// # Ok::<(), Error>(())
    /// ```
    #[must_use]
    pub fn with_pass(self, pass: impl Rewrite + 'static) -> Context {
        Context { passes: self.passes.with(pass), ..self }
    }

    /// The device's name.
    pub fn device_name(&self) -> &'static str {
        self.backend.device().name()
    }

    /// The context of equations that do not name one.
    pub(crate) fn global() -> &'static Context {
        static GLOBAL: OnceLock<Context> = OnceLock::new();
        GLOBAL.get_or_init(|| Context { is_named: false, ..Context::cpu() })
    }
}

impl Default for Context {
    fn default() -> Context {
        Context { is_named: true, ..Context::global().clone() }
    }
}
