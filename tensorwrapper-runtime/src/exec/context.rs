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

/// Where equations run: a device, and how the order of products is found. Cloning it shares the device.
///
/// ```
/// use tensorwrapper_runtime::{Context, Tensor};
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
    /// Whether the program has named it, so that equations run here wherever their operands are.
    pub(crate) is_named: bool,
}

impl Context {
    /// The processor, with all its cores.
    #[must_use]
    pub fn cpu() -> Context {
        Context::of(Arc::new(Cpu::new(None)))
    }

    /// Naive loops: slow, and the definition of what every other device must compute.
    #[must_use]
    pub fn reference() -> Context {
        Context::of(Arc::new(Reference))
    }

    /// The NVIDIA GPU of that number, counted from 0. Driver and compiler are looked for when this is called, in the folders that
    /// `TENSORWRAPPER_CUDA_LIBRARIES` names, in the active Python environment, in the toolkit's folders and wherever the
    /// system's loader looks. Kernels are compiled when an equation is new, and kept in the folder that `TENSORWRAPPER_CACHE` names
    /// (else the user's cache), which must be the user's own and writable by nobody else: else nothing is kept, and `tracing` says so. Products of matrices are cuBLAS's or generated kernels', whichever is quicker, and linear algebra is cuSOLVER's, where these are found.
    /// Operands are copied to the device unless they [are there](crate::Tensor::to), and results back to the host unless they are to
    /// [stay](Context::on_device); functions of the program's (`map`), and of linear algebra what cuSOLVER has not, are computed by the processor. Plans that are
    /// [prepared](Context::prepare) become one CUDA graph (see [`Explanation::replay`](crate::Explanation::replay)).
    ///
    /// ```
    /// use tensorwrapper_runtime::{Context, ErrorKind};
    /// match Context::cuda(0) {
    ///     Ok(context) => println!("equations run on {}", context.device_name()),
    ///     Err(error) => assert!(matches!(error.kind(), ErrorKind::Unavailable { .. } | ErrorKind::Device(_)), "{error}"),
    /// }
    /// ```
    ///
    /// # Errors
    /// [`ErrorKind::Unavailable`](crate::ErrorKind::Unavailable) where driver, compiler or device is missing, with all that was
    /// tried, and [`ErrorKind::Device`](crate::ErrorKind::Device) where the device refuses.
    #[cfg(feature = "cuda")]
    pub fn cuda(ordinal: usize) -> Result<Context, crate::Error> {
        tensorwrapper_cuda::open(ordinal, Arc::new(Cpu::new(None))).map(Context::of)
    }

    /// The same where cuBLAS may round factors in single precision, real and complex, to TF32, which has ten bits of mantissa: several times as
    /// fast, and with three digits instead of seven. Off unless a program asks for it. No effect on other devices, on other
    /// element types and where generated kernels compute, which never round.
    ///
    /// ```
    /// use tensorwrapper_runtime::Context;
    /// let coarse = Context::cpu().tf32(true); // a processor has no TF32
    /// assert_eq!(coarse.device_name(), "cpu");
    /// # Ok::<(), tensorwrapper_runtime::Error>(())
    /// ```
    #[must_use]
    pub fn tf32(self, allowed: bool) -> Context {
        let device = self.backend.device().with_tf32(allowed);
        self.with_device(device)
    }

    /// The same where a GPU takes the quickest of several ways to compute a product, as it was measured when the product was new (cuBLAS, the
    /// same behind copies of the factors, generated kernels), or where its size alone decides. What was measured is remembered in the
    /// folder of the compiled kernels, so that a product of one shape rounds in one way there; without measurements it does so
    /// wherever the program runs on such a device. On unless a program says otherwise. No effect on other devices.
    ///
    /// It is measured when the plan is made, by the first run, by `prepare` or by an explanation, with memory of the device for
    /// operands, result and what lies between a way's kernels, which [`memory_limit`](Context::memory_limit) does not count. Without room for it size decides.
    ///
    /// ```
    /// use tensorwrapper_runtime::Context;
    /// let alike = Context::cpu().measured(false); // a processor has one way
    /// assert_eq!(alike.device_name(), "cpu");
    /// # Ok::<(), tensorwrapper_runtime::Error>(())
    /// ```
    #[must_use]
    pub fn measured(self, allowed: bool) -> Context {
        let device = self.backend.device().with_measuring(allowed);
        self.with_device(device)
    }

    /// A backend of the program's own: a device, or a compiler of whole graphs. Everything else is as by default.
    ///
    /// Plans that were made for it are found again by this context and its clones alone: another backend of the same name is another one.
    ///
    /// ```
    /// use tensorwrapper_core::backend::reference::Reference;
    /// use tensorwrapper_runtime::{Context, Tensor};
    /// let context = Context::on(Reference); // every device that can be cloned is a backend
    /// let a = Tensor::<f64>::filled([2, 2], 1.0)?;
    /// assert_eq!(context.einsum("ij,jk->ik", &[&a, &a])?.as_slice(), [2.0; 4]);
    /// # Ok::<(), tensorwrapper_runtime::Error>(())
    /// ```
    #[must_use]
    pub fn on(backend: impl Backend + 'static) -> Context {
        Context::at(BackendInstance::of_backend(backend))
    }

    /// A device of the library's own.
    pub(crate) fn of(device: Arc<dyn Device>) -> Context {
        Context::at(BackendInstance::of_device(device))
    }

    fn at(backend: BackendInstance) -> Context {
        let (choices, passes, observer) = Default::default();
        Context { backend: Arc::new(backend), choices, passes, observer, is_named: true }
    }

    /// The same with the device in other settings, where it has them.
    fn with_device(self, device: Option<Arc<dyn Device>>) -> Context {
        match device {
            Some(device) => Context { backend: Arc::new(self.backend.with_device(device)), ..self },
            None => self,
        }
    }

    /// The same on that many threads of the processor: 0 means 1, and more than 1024 mean 1024. No effect on other devices.
    ///
    /// The threads are those of rayon's pool. A process that `fork` has made of one that had computed on several threads has none of them: it
    /// computes on one thread, with the same results up to rounding, whatever is said here. A process that was made before may have a pool of its
    /// own. Processes are told apart by their ids: a descendant that by chance has the id of the ended process that used the pool still waits for ever.
    /// This library cannot see that the program itself has started rayon's pool before a fork: then `threads(1)` is what the new process needs.
    /// As for every library with locks, no other thread may be in a call of this one at the moment of the fork, or the new process may wait
    /// for ever for what that thread held. Devices that were opened before a fork are not for the new process: CUDA does not allow it.
    #[must_use]
    pub fn threads(self, threads: usize) -> Context {
        let device = self.backend.device().with_threads(threads);
        self.with_device(device)
    }

    /// The same with another way to order products.
    #[must_use]
    pub fn order(self, order: Order) -> Context {
        Context { choices: Choices { order, ..self.choices }, ..self }
    }

    /// The same with another start of what chance decides in the search for an order. The same seed gives the same order.
    ///
    /// ```
    /// use tensorwrapper_runtime::{Context, Order, Tensor};
    /// let context = Context::cpu().order(Order::Exact).seed(7);
    /// let a = Tensor::<f64>::filled([2, 2], 1.0)?;
    /// assert_eq!(context.einsum("ij,jk,kl->il", &[&a, &a, &a])?.as_slice(), [4.0; 4]);
    /// # Ok::<(), tensorwrapper_runtime::Error>(())
    /// ```
    #[must_use]
    pub fn seed(self, seed: u64) -> Context {
        Context { choices: Choices { seed, ..self.choices }, ..self }
    }

    /// The same with orders of products that have least of this.
    ///
    /// Where nothing is said they have the fewest operations; but [`Order::Auto`] orders a long product (a million operations and more)
    /// with a label on three and more of its tensors, the result included, for the least time by [`Rates::default`] where that is less:
    /// such products are not all matrix products, and those that are not take many times as long for each operation.
    ///
    /// [`Rates::default`]: tensorwrapper_order::Rates::default
    ///
    /// ```
    /// use tensorwrapper_runtime::order::{Minimize, Rates};
    /// use tensorwrapper_runtime::{Context, Tensor};
    /// let quick = Context::cpu().minimize(Minimize::Time(Rates::default()));
    /// let a = Tensor::<f64>::filled([2, 2], 1.0)?;
    /// assert_eq!(quick.einsum("ij,jk,kl->il", &[&a, &a, &a])?.as_slice(), [4.0; 4]);
    /// # Ok::<(), tensorwrapper_runtime::Error>(())
    /// ```
    #[must_use]
    pub fn minimize(self, minimize: Minimize) -> Context {
        Context { choices: Choices { minimize: Some(minimize), ..self.choices }, ..self }
    }

    /// The same with a bound on the bytes of a run: results, all that lies between, and the work space of products. Where a
    /// plan needs more, products of three and more factors are made in parts, which takes more time; where that does not do, the
    /// equation is refused before anything is computed.
    ///
    /// Operands are not counted, and neither is what outlives the run: the blocks that each thread of the processor keeps to
    /// pack factors in (some megabytes), and [kept memory](crate::keep_memory).
    ///
    /// ```
    /// use tensorwrapper_runtime::{Context, ErrorKind, Order, Tensor};
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

    /// The same with sums of another precision.
    ///
    /// ```
    /// use tensorwrapper_runtime::{Accumulate, Context, Tensor};
    /// let x = Tensor::<f32>::from_slice([3], &[1e8, 1.0, -1e8])?;
    /// let careful = Context::cpu().accumulate(Accumulate::Double);
    /// assert_eq!(careful.einsum("i->", &[&x])?.as_slice(), [1.0]); // in f32 it would be 0
    /// # Ok::<(), tensorwrapper_runtime::Error>(())
    /// ```
    #[must_use]
    pub fn accumulate(self, accumulate: Accumulate) -> Context {
        Context { choices: Choices { accumulate, ..self.choices }, ..self }
    }

    /// The same without one of the ways in which equations become cheaper than what was written.
    ///
    /// ```
    /// use tensorwrapper_runtime::{Context, Pass, Tensor};
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

    /// The same with a function that is told how far each run has come: before each of its steps, and after the last. Where it
    /// returns [`Break`](ControlFlow::Break) before the end, the run ends with [`ErrorKind::Cancelled`](crate::ErrorKind::Cancelled), and what it was to write
    /// is as it was.
    ///
    /// ```
    /// use std::ops::ControlFlow;
    /// use tensorwrapper_runtime::{Context, Tensor};
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

    /// The same where a token ends runs between their steps: see [`Cancel`]. What a run was to write is as it was then.
    #[must_use]
    pub fn cancel(self, cancel: &Cancel) -> Context {
        let observer = self.observer.with(|listeners| listeners.cancel = Some(cancel.clone()));
        Context { observer, ..self }
    }

    /// The same with one more pass of the program's own. It runs on each new graph, as recorded ([`graph_of`](Context::graph_of)), after those
    /// that were added before and before the library's own passes, which make the best of what it leaves. What it makes is verified: it has the same
    /// sources, and wants tensors of the same extents and element types. Plans that were made with it are found again by this context
    /// and its clones alone.
    ///
    /// ```
    /// use tensorwrapper_runtime::graph::{OpGraph, Rewrite};
    /// use tensorwrapper_runtime::{Context, Error, Tensor};
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

    /// The context of equations that name none.
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
