//! An operation of linear algebra with its operands on the device, and errors that name an item of its batch.

use std::sync::Arc;

use super::kernels::OperationKernels;
use super::support::size;
use crate::driver::Driver;
use crate::memory::Address;
use crate::text::Route;
use tensorwrapper_core::backend::linear::{Item, indices};
use tensorwrapper_core::backend::{Decomposition, Device, TensorDescriptor};
use tensorwrapper_core::error::Error;

/// An operation with its operands on the device.
pub(crate) struct Operation<'o, D: Driver> {
    pub(crate) driver: &'o Arc<D>,
    pub(crate) route: Route,
    pub(crate) call: &'o Decomposition,
    /// The arguments, with the addresses where their memory begins.
    pub(crate) inputs: &'o [(TensorDescriptor<'o>, Address)],
    /// The results, likewise.
    pub(crate) outputs: &'o [(TensorDescriptor<'o>, Address)],
    pub(crate) kernels: &'o OperationKernels,
    /// Computes what the library cannot.
    pub(crate) host: &'o dyn Device,
}

/// The first item of a batch with an argument that is not finite, and the position of that argument.
pub(super) type NotFinite = Option<(usize, usize)>;

impl<D: Driver> Operation<'_, D> {
    /// The error that `say` gives for an item of the batch.
    pub(super) fn wrong(&self, item: usize, say: impl FnOnce(&Item<'_>) -> Error) -> Error {
        let extents = &self.inputs[0].0.layout.extents()[..self.call.batch];
        let roles = self.call.form().arguments;
        let sizes: Vec<_> = self.inputs.iter().zip(roles).map(|((seen, _), roles)| size(self.call, seen.layout, roles)).collect();
        say(&Item { call: self.call, index: &indices(extents, item), sizes: &sizes })
    }
}
