//! A plan's memory on the device, and kernels over it.

use std::any::Any;
use std::sync::Arc;

use num_complex::Complex;

use super::copies::There;
use super::device::{Cuda, Ready, bytes, bytes_mut};
use super::driver::{Address, Driver, Region, queue};
use super::text::{Fold, Input, Route, folded};
use crate::backend::{LoopNest, PreparedContraction, Program, Reduction, Resident, Seen, Session, Site};
use crate::element::dispatch;
use crate::erased::{SliceMut, SliceRef};
use crate::error::Error;

/// Memory, as long as a plan runs.
#[derive(Debug)]
struct Open<D: Driver> {
    driver: Arc<D>,
    route: Route,
    /// Of the sources, then of everything else.
    regions: Vec<There<D>>,
}

impl<D: Driver> Resident for Cuda<D> {
    fn session(&self, sources: &[SliceRef<'_>], sizes: &[usize]) -> Result<Box<dyn Session + '_>, Error> {
        let others = sizes.iter().map(|&bytes| Region::new(&self.driver, bytes).map(There::Own));
        let others = others.collect::<Result<Vec<_>, Error>>()?;
        let regions = sources.iter().map(|&source| There::holding(&self.driver, bytes(source)));
        let mut regions = regions.collect::<Result<Vec<_>, Error>>()?;
        regions.extend(others);
        Ok(Box::new(Open { driver: self.driver.clone(), route: self.route, regions }))
    }

    fn hold(&self, elements: SliceRef<'_>) -> Result<Arc<dyn Any + Send + Sync>, Error> {
        Ok(Arc::new(Region::holding(&self.driver, bytes(elements))?))
    }
}

impl<D: Driver> Open<D> {
    /// The address of so many bytes from a place on.
    ///
    /// # Panics
    /// When the memory ends before.
    fn address(&self, site: Site, bytes: usize) -> Address {
        let region = &self.regions[site.memory];
        assert!(site.start + bytes <= region.bytes(), "a tensor lies in its memory");
        region.address() + site.start as u64
    }
}

impl<D: Driver> Session for Open<D> {
    fn write(&mut self, from: SliceRef<'_>, to: Site) -> Result<(), Error> {
        let from = bytes(from);
        // SAFETY: the address has just been compared with the size of its memory.
        unsafe { self.driver.upload(from, self.address(to, from.len())) }
    }

    fn read(&mut self, from: Site, to: SliceMut<'_>) -> Result<(), Error> {
        let to = bytes_mut(to);
        // SAFETY: as for `write`.
        unsafe { self.driver.download(self.address(from, to.len()), to) }
    }

    fn copy(&mut self, from: Site, to: Site, bytes: usize) -> Result<(), Error> {
        // SAFETY: as for `write`. A plan gives two tensors that are there at once no place in common.
        unsafe { self.driver.copy(self.address(from, bytes), self.address(to, bytes), bytes) }
    }

    fn clear(&mut self, at: Site, bytes: usize) -> Result<(), Error> {
        // SAFETY: as for `write`.
        unsafe { self.driver.clear(self.address(at, bytes), bytes) }
    }

    fn contract(&mut self, contraction: &PreparedContraction, inputs: &[Site], output: Site) -> Result<bool, Error> {
        let Some(ready) = contraction.own().and_then(|own| own.downcast_ref::<Ready<D>>()) else { return Ok(false) };
        if ready.writes_nothing() {
            return Ok(true);
        }
        let (needed, written) = contraction.needs();
        assert_eq!(inputs.len(), needed.len(), "there are as many factors as were prepared for");
        let addresses: Vec<Address> = inputs.iter().zip(needed).map(|(&site, bytes)| self.address(site, bytes)).collect();
        let output = self.address(output, written);
        // SAFETY: all memory is as large as the contraction was prepared for, of the plan's element types.
        unsafe { queue(&self.driver, ready.launches(), &addresses, output) }?;
        Ok(true)
    }

    fn map(
        &mut self,
        nest: &LoopNest,
        program: &Program,
        reduction: Reduction,
        inputs: &[Seen<'_>],
        output: Seen<'_>,
    ) -> Result<bool, Error> {
        dispatch!(output.dtype, T => reduction.check_over::<T>(nest))?;
        let fold = Fold {
            nest,
            dtype: output.dtype,
            inputs: inputs
                .iter()
                .map(|seen| Input { layout: seen.layout, dtype: seen.dtype, conjugate: seen.conjugate })
                .collect(),
            program,
            reduction,
            alpha: Complex::ONE,
            then: None,
            others: Vec::new(),
            output: output.layout,
        };
        let Some(launches) = folded(&fold, self.route) else { return Ok(false) };
        let address = |seen: &Seen<'_>| {
            let reach = seen.layout.reach().expect("layouts of a kernel start inside their memory");
            self.address(seen.site, reach * seen.dtype.size())
        };
        let addresses: Vec<Address> = inputs.iter().map(address).collect();
        // SAFETY: all memory is as large as the layouts reach, which was just compared.
        unsafe { queue(&self.driver, &launches, &addresses, address(&output)) }?;
        Ok(true)
    }

    fn finish(&mut self) -> Result<(), Error> {
        self.driver.finish()
    }
}
