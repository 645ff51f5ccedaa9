//! A backend: a device and, optionally, a compiler of whole graphs. This file knows graphs, but not plans.

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
/// Every [`Device`] that implements `Clone` is a backend: the runtime plans graphs, and the device runs their operations one by one. A
/// backend that compiles whole graphs overrides [`compile`](Backend::compile), and provides a device for the graphs that it does not
/// compile.
pub trait Backend: Debug + Send + Sync {
    /// The device that runs the graphs that [`compile`](Backend::compile) does not compile.
    fn device(&self) -> Arc<dyn Device>;

    /// Compiles a graph for sources with these memory layouts, which are in the order of the graph's slots. `None`, the default, means
    /// that the runtime plans the graph and runs it on the [`device`](Backend::device).
    ///
    /// The graph is verified and optimised: each of its contractions has one or two factors. Graphs that call functions of the program
    /// are never passed to this method.
    ///
    /// # Errors
    /// An error ends the computation. A backend that wants the device to compute the graph instead returns `None`.
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
    /// `inputs` holds the elements of the sources in memory of the host, in the order of the slots; each slice begins at position 0 of
    /// the source's layout. `outputs` holds memory for each wanted tensor, in the order of the graph's sinks: room for all its elements
    /// in C order. The previous contents of an output must not be read. No output overlaps another output or an input.
    ///
    /// # Errors
    /// An error means that the contents of `outputs` are not valid.
    fn run(&self, inputs: &[SliceRef<'_>], outputs: &mut [SliceMut<'_>]) -> Result<(), Error>;

    /// Bytes of work space that a run needs besides its results. They count towards the memory limit of a context.
    fn work_space(&self) -> usize {
        0
    }
}

/// A backend with a key that identifies it, as contexts, cached plans and tensors on devices hold it.
///
/// One of the library's own devices is identified by its [identity](Device::identity), so that two contexts of the same processor share
/// their plans. A program's backend is identified by a unique number, because its name says nothing about what it computes.
#[derive(Clone, Debug)]
pub struct BackendInstance {
    device: Arc<dyn Device>,
    compiler: Option<Arc<dyn Backend>>,
    key: InstanceKey,
    /// The number of the instance that this one was made from by changing settings: both share the memory of one device.
    memory: usize,
}

/// Identifies a backend in the keys of plans: two instances with the same key prepare and compute the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct InstanceKey {
    identity: (&'static str, usize),
    /// The number of the instance with its settings; 0 for the library's own devices.
    number: usize,
}

/// The next number of an instance.
static NEXT: AtomicUsize = AtomicUsize::new(1);

impl BackendInstance {
    /// One of the library's own devices. Another device with the same [identity](Device::identity) may take its place.
    pub fn of_device(device: Arc<dyn Device>) -> BackendInstance {
        let key = InstanceKey { identity: device.identity(), number: 0 };
        BackendInstance { device, compiler: None, key, memory: 0 }
    }

    /// A program's backend. No other backend may take its place.
    pub fn of_backend(backend: impl Backend + 'static) -> BackendInstance {
        let (device, number) = (backend.device(), NEXT.fetch_add(1, Ordering::Relaxed));
        let key = InstanceKey { identity: device.identity(), number };
        BackendInstance { device, compiler: Some(Arc::new(backend)), key, memory: number }
    }

    /// The same backend with `device`, which is its own device with other settings.
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

    /// The key that identifies this backend in the keys of plans.
    #[inline]
    pub fn key(&self) -> InstanceKey {
        self.key
    }

    /// The ordinal of the library's own device in whose memory it computes; `None` for a program's backend.
    pub fn ordinal(&self) -> Option<usize> {
        (self.memory == 0).then_some(self.key.identity.1)
    }

    /// Identifies the memory that it computes in: the number of a program's backend (0 for the library's own devices), and the ordinal of
    /// one of the library's own devices (0 for a program's backend).
    pub fn memory(&self) -> (usize, usize) {
        (self.memory, self.ordinal().unwrap_or(0))
    }

    /// [`Backend::compile`] of a program's backend. The library's own devices compile no graphs and return `None`.
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
