//! Backends: a device, and perhaps a compiler of whole graphs. Knows graphs, and nothing of plans.

use std::fmt::Debug;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::Device;
use crate::error::Error;
use crate::graph::OpGraph;
use crate::layout::Strided;
use crate::storage::{SliceMut, SliceRef};

/// What a context computes with.
///
/// Every [`Device`] that can be cloned is a backend: graphs are planned by the runtime, and the device runs their operations one by one. A
/// backend that compiles whole graphs overrides [`compile`](Backend::compile), and gives a device for those that it does not compile.
pub trait Backend: Debug + Send + Sync {
    /// The device that runs graphs which [`compile`](Backend::compile) does not take.
    fn device(&self) -> Arc<dyn Device>;

    /// Compiles a graph for sources that lie in memory like this, by their slots. `None`, the default, means that the runtime plans
    /// the graph and runs it on the [`device`](Backend::device).
    ///
    /// The graph is verified, and optimised: its contractions have one or two factors each. Graphs that call functions of the program's
    /// are not offered.
    ///
    /// # Errors
    /// Whatever makes it pointless to try the device instead.
    fn compile(&self, _graph: &OpGraph, _sources: &[Strided]) -> Result<Option<Box<dyn Executable>>, Error> {
        Ok(None)
    }
}

impl<D: Device + Clone + 'static> Backend for D {
    fn device(&self) -> Arc<dyn Device> {
        Arc::new(self.clone())
    }
}

/// A graph that a [`Backend`] has compiled, to be run any number of times.
pub trait Executable: Debug + Send + Sync {
    /// Computes the wanted tensors of the graph.
    ///
    /// `inputs` are the elements of the sources, by their slots, from position 0 of their layouts on, in memory of the host. `outputs` has
    /// memory for each wanted tensor, in the order of the graph's sinks: all its elements in C order. What it holds is not to be read. No
    /// output overlaps another or an input.
    ///
    /// # Errors
    /// Whatever makes the results worthless.
    fn run(&self, inputs: &[SliceRef<'_>], outputs: &mut [SliceMut<'_>]) -> Result<(), Error>;

    /// Bytes that a run takes beside its results, which count towards the limit of a context's memory.
    fn work_space(&self) -> usize {
        0
    }
}

/// A backend as contexts, kept plans and tensors on devices hold it.
///
/// The library's own devices are told apart by what they are: two contexts of the same processor share their plans. A program's backend
/// is told apart by a number that no other has, because its name says nothing of what it computes.
#[derive(Clone, Debug)]
pub struct BackendInstance {
    device: Arc<dyn Device>,
    compiler: Option<Arc<dyn Backend>>,
    key: InstanceKey,
    /// Of the instance that this one was made of by other settings: they share the memory of one device.
    memory: usize,
}

/// What plans are told apart by: two instances of one key prepare and compute the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct InstanceKey {
    identity: (&'static str, usize),
    /// Of the instance with its settings: 0 for the library's own devices.
    number: usize,
}

/// The next number of an instance.
static NEXT: AtomicUsize = AtomicUsize::new(1);

impl BackendInstance {
    /// One of the library's own devices, which another of the same [identity](Device::identity) may stand for.
    pub fn of_device(device: Arc<dyn Device>) -> BackendInstance {
        let key = InstanceKey { identity: device.identity(), number: 0 };
        BackendInstance { device, compiler: None, key, memory: 0 }
    }

    /// A program's backend, which no other stands for.
    pub fn of_backend(backend: impl Backend + 'static) -> BackendInstance {
        let (device, number) = (backend.device(), NEXT.fetch_add(1, Ordering::Relaxed));
        let key = InstanceKey { identity: device.identity(), number };
        BackendInstance { device, compiler: Some(Arc::new(backend)), key, memory: number }
    }

    /// The same backend with its device in other settings.
    #[must_use]
    pub fn with_device(&self, device: Arc<dyn Device>) -> BackendInstance {
        let number = if self.key.number == 0 { 0 } else { NEXT.fetch_add(1, Ordering::Relaxed) };
        let key = InstanceKey { identity: device.identity(), number };
        BackendInstance { device, key, ..self.clone() }
    }

    /// The device.
    #[inline]
    pub fn device(&self) -> &dyn Device {
        &*self.device
    }

    /// What plans made for it are told apart by.
    #[inline]
    pub fn key(&self) -> InstanceKey {
        self.key
    }

    /// The device of the library's own whose memory it computes in, by its ordinal; none of a program's backend.
    pub fn ordinal(&self) -> Option<usize> {
        (self.memory == 0).then_some(self.key.identity.1)
    }

    /// What tells its memory from that of others: the number of a program's backend, and the ordinal of a device of the library's own.
    pub fn memory(&self) -> (usize, usize) {
        (self.memory, self.ordinal().unwrap_or(0))
    }

    /// [`Backend::compile`] of a program's backend; none of the library's own devices compiles.
    ///
    /// # Errors
    /// As [`Backend::compile`].
    pub fn compile(&self, graph: &OpGraph, sources: &[Strided]) -> Result<Option<Box<dyn Executable>>, Error> {
        self.compiler.as_ref().map_or(Ok(None), |backend| backend.compile(graph, sources))
    }

    /// Whether it may compile whole graphs.
    pub fn compiles(&self) -> bool {
        self.compiler.is_some()
    }
}
