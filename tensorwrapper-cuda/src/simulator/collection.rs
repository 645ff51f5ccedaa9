//! The kernels that devices of the first round need.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::settings::{KernelRequests, Settings};
use crate::text::{Kernel, ON_DEVICE};

/// Kernels that devices need, by their names.
#[derive(Clone, Debug, Default)]
pub struct Collection {
    kernels: Arc<Mutex<BTreeMap<String, Kernel>>>,
    settings: Arc<Settings>,
}

/// A kernel of a collection.
#[derive(Clone, Debug)]
pub struct Collected {
    /// Its name in the text.
    pub name: String,
    /// A short description.
    pub kind: &'static str,
    /// The element type of its result.
    pub dtype: tensorwrapper_core::element::Dtype,
    /// The text that it is part of, perhaps with other kernels, without the preamble.
    pub text: String,
}

impl Collection {
    /// The kernels, by their names.
    pub(super) fn lock(&self) -> MutexGuard<'_, BTreeMap<String, Kernel>> {
        self.kernels.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The settings of devices that collect kernels here.
    pub(super) fn settings(&self) -> &Settings {
        &self.settings
    }

    /// All kernels, in the order of their names.
    pub fn kernels(&self) -> Vec<Collected> {
        let kernels = self.lock();
        let collected = |kernel: &Kernel| Collected {
            name: kernel.name.clone(),
            kind: kernel.kind,
            dtype: kernel.dtype,
            text: kernel.source.text.clone(),
        };
        kernels.values().map(collected).collect()
    }

    /// The preamble that NVRTC compiles in front of a text.
    pub fn preamble() -> String {
        ON_DEVICE.concat()
    }

    /// What devices that collect kernels here were asked for.
    pub fn asked(&self) -> KernelRequests {
        self.settings.lock().asked
    }

    /// Makes devices measure from now on, with these times of a library's product, of one on permuted copies, and of generated
    /// kernels.
    pub fn set_clock(&self, times: Option<[f64; 4]>) {
        self.settings.lock().times = times;
    }
}
