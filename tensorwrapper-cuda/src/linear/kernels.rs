//! The kernels of one operation of linear algebra of a plan, which are found once.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use crate::text::{BatchShape, Kernel, Launches, Pass, SizedLaunch};
use tensorwrapper_core::backend::Seen;
use tensorwrapper_core::element::Dtype;
use tensorwrapper_core::error::Error;
use tensorwrapper_core::layout::Strided;

/// Kernels of one operation of a plan.
#[derive(Debug)]
pub(crate) struct OperationKernels {
    /// One of each text with kernels for any size.
    texts: Vec<Kernel>,
    /// Copies that are written for their layouts, once.
    copies: Mutex<HashMap<Copy, Arc<Launches>>>,
}

/// A copy of all elements of one layout to the places of another.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Copy {
    pub(super) dtype: Dtype,
    pub(super) from: Strided,
    pub(super) to: Strided,
    pub(super) conjugate: bool,
}

impl OperationKernels {
    /// For these operands. Element types have a text each, and another for what 32 bits do not count.
    pub(crate) fn new<'s>(operands: impl Iterator<Item = &'s Seen<'s>>) -> OperationKernels {
        let mut texts: Vec<Kernel> = Vec::new();
        for &Seen { dtype, layout, .. } in operands {
            for rows in [1, layout.len()] {
                let SizedLaunch { kernel, .. } = Pass::Unit.launch(BatchShape { dtype, items: 1, rows, columns: 1 });
                if texts.iter().all(|known| known.source.name != kernel.source.name) {
                    texts.push(kernel);
                }
            }
        }
        OperationKernels { texts, copies: Mutex::default() }
    }

    /// What is made before it runs.
    pub(crate) fn kernels(&self) -> impl Iterator<Item = &Kernel> {
        self.texts.iter()
    }

    /// What is there, or is made once.
    pub(super) fn find(&self, copy: Copy, make: impl FnOnce(&Copy) -> Result<Launches, Error>) -> Result<Arc<Launches>, Error> {
        let mut known = self.copies.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(launches) = known.get(&copy) {
            return Ok(Arc::clone(launches));
        }
        let made = Arc::new(make(&copy)?);
        known.insert(copy, Arc::clone(&made));
        Ok(made)
    }
}
