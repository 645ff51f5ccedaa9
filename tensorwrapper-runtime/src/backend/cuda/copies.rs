//! What of the host's memory is on the device: a copy that a tensor has there already, or one for a single run.

use std::sync::Arc;

use super::driver::{Address, Driver, Region};
use crate::backend::Copied;
use crate::error::Error;
use crate::held;

/// Memory of the device that holds what a part of the host's does, or that a run needs for itself.
#[derive(Debug)]
pub(super) enum There<D: Driver> {
    Own(Region<D>),
    /// A part of a tensor's copy, and how many bytes lie before it.
    Held(Arc<Region<D>>, usize),
}

impl<D: Driver> There<D> {
    /// The host's bytes on the device; they are copied unless they are there.
    ///
    /// # Errors
    /// As [`Region::holding`].
    pub(super) fn holding(driver: &Arc<D>, bytes: &[u8]) -> Result<There<D>, Error> {
        let start = bytes.as_ptr() as usize;
        let held = held::find(start..start + bytes.len()).and_then(|(copy, before)| {
            let region = Arc::clone(&copy.downcast_ref::<Copied>()?.memory).downcast::<Region<D>>().ok()?;
            // Another driver of the same device queues its work elsewhere, and would read before the copy is there.
            region.is_of(driver).then_some(There::Held(region, before))
        });
        match held {
            Some(held) => Ok(held),
            None => Region::holding(driver, bytes).map(There::Own),
        }
    }

    /// Where it begins.
    pub(super) fn address(&self) -> Address {
        match self {
            There::Own(region) => region.address(),
            There::Held(region, before) => region.address() + *before as u64,
        }
    }

    /// How many bytes there are from there on.
    pub(super) fn bytes(&self) -> usize {
        match self {
            There::Own(region) => region.bytes(),
            There::Held(region, before) => region.bytes() - before,
        }
    }
}
