//! The kernels that devices of the first round ask for.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::settings::{KernelRequests, Settings};
use crate::text::{Kernel, ON_DEVICE};

/// Kernels by their names.
#[derive(Clone, Debug, Default)]
pub struct Collection {
    kernels: Arc<Mutex<BTreeMap<String, Kernel>>>,
    settings: Arc<Settings>,
}

/// A kernel of a collection, for those who compile it.
#[derive(Clone, Debug)]
pub struct Collected {
    /// Its name in the text.
    pub name: String,
    /// What it is, for people.
    pub kind: &'static str,
    /// The element type of its result.
    pub dtype: tensorwrapper_core::element::Dtype,
    /// The text that it stands in, perhaps with others, without what stands before it.
    pub text: String,
}

impl Collection {
    /// The kernels, by their names.
    pub(super) fn lock(&self) -> MutexGuard<'_, BTreeMap<String, Kernel>> {
        self.kernels.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What devices that collect kernels here go by.
    pub(super) fn settings(&self) -> &Settings {
        &self.settings
    }

    /// All kernels.
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

    /// What NVRTC compiles before the texts of kernels.
    pub fn preamble() -> String {
        ON_DEVICE.concat()
    }

    /// What devices whose kernels are collected here were asked for.
    pub fn asked(&self) -> KernelRequests {
        self.settings.lock().asked
    }

    /// Has devices measure from now on, with these times of each way.
    pub fn set_clock(&self, times: Option<[f64; 3]>) {
        self.settings.lock().times = times;
    }
}
