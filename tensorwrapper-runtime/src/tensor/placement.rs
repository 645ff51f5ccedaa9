//! Where elements are stored, and on which device their owner prefers to compute.
//!
//! The two are independent: elements in host memory may be meant for an accelerator. This file knows nothing of tensors.

use std::fmt;

/// The kind of memory that elements lie in.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum MemoryKind {
    /// Memory of an accelerator.
    Device,
    /// Memory of the host that the system never moves, so that devices can copy from it directly.
    PinnedHost,
    /// Ordinary memory of the host.
    UnpinnedHost,
    /// Memory of a kind that only its backend knows.
    Other(String),
}

/// A device that computes: its kind, and its number among the devices of that kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum ComputeDevice {
    /// The processor that runs this program.
    Cpu {
        /// Which one, counted from 0.
        ordinal: usize,
    },
    /// A device programmed through CUDA.
    Cuda {
        /// Which one, counted from 0.
        ordinal: usize,
    },
    /// A device that the program provides, by the number of its backend.
    Other {
        /// The number, which no other backend of the program has.
        number: usize,
    },
}

impl ComputeDevice {
    /// The number of the device among those of its kind, counted from 0; for a device that the program provides, the number of
    /// its backend.
    pub fn ordinal(self) -> usize {
        match self {
            ComputeDevice::Cpu { ordinal } | ComputeDevice::Cuda { ordinal } => ordinal,
            ComputeDevice::Other { number } => number,
        }
    }
}

impl fmt::Display for ComputeDevice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ComputeDevice::Cpu { ordinal } => write!(f, "cpu:{ordinal}"),
            ComputeDevice::Cuda { ordinal } => write!(f, "cuda:{ordinal}"),
            ComputeDevice::Other { number } => write!(f, "other:{number}"),
        }
    }
}

/// Where the elements of a tensor are stored. A `Tensor` that was copied to a device keeps its elements on the host as well.
/// The elements of a `DeviceTensor` are on the device only, except that a single number is copied to the host by every run.
///
/// ```
/// # use tensorwrapper_runtime as tensorwrapper;
/// use tensorwrapper::{MemoryKind, Tensor};
/// let t = Tensor::<f64, _>::zeros([2, 3])?;
/// assert_eq!(t.placement().memory_kind, MemoryKind::UnpinnedHost);
/// assert_eq!(t.placement().resident_device, None);
/// # Ok::<(), tensorwrapper_runtime::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct Placement {
    /// The kind of memory.
    pub memory_kind: MemoryKind,
    /// The device that owns the memory; `None` for host memory.
    pub resident_device: Option<ComputeDevice>,
}

impl Placement {
    /// Ordinary memory of the host.
    pub const HOST: Placement = Placement { memory_kind: MemoryKind::UnpinnedHost, resident_device: None };

    /// Memory of the host that the system never moves.
    pub const PINNED: Placement = Placement { memory_kind: MemoryKind::PinnedHost, resident_device: None };

    /// The memory of a device.
    pub(crate) fn of(device: ComputeDevice) -> Placement {
        Placement { memory_kind: MemoryKind::Device, resident_device: Some(device) }
    }
}
