//! Dense matrices on a device: gathered from strided memory and scattered back, surveyed and scaled by generated kernels, and
//! given to the library's routines. This file knows no operation.

use super::kernels::StridedCopy;
use super::operation::{NotFinite, Operation};
use super::support::size;
use crate::driver::Driver;
use crate::launch::{bytes, bytes_mut, queue};
use crate::memory::Address;
use crate::region::Region;
use crate::routine::{Call, MAX_JACOBI_BATCH, MatrixRef, Routine};
use crate::text::{BatchShape, Fold, Input, MatrixPart, Pass, SizedLaunch, copy_launch, fold_launches};
use tensorwrapper_core::backend::linear::{Failure, exponent_of, power_of_two};
use tensorwrapper_core::backend::{Instruction, LoopNest, Program, Reduction, Role, TensorDescriptor};
use tensorwrapper_core::element::{Dtype, Element, dispatch};
use tensorwrapper_core::error::{Error, ErrorKind};
use tensorwrapper_core::layout::Strided;

/// A batch of dense matrices in memory of the device.
#[derive(Debug)]
pub(super) struct Batch<D: Driver> {
    pub(super) shape: BatchShape,
    pub(super) region: Region<D>,
}

impl<D: Driver> Batch<D> {
    /// The address of a matrix.
    pub(super) fn at(&self, item: usize) -> Address {
        self.region.address() + (item * self.shape.points() * self.shape.dtype.size()) as u64
    }

    /// A matrix as routines take it.
    pub(super) fn matrix(&self, item: usize) -> MatrixRef {
        MatrixRef { address: self.at(item), ld: int(self.shape.rows) }
    }
}

/// A size as routines take it.
pub(super) fn int(size: usize) -> i32 {
    i32::try_from(size).expect("`has` excludes sizes that do not fit into 32 bits")
}

/// Cuts a batch into parts that Jacobi routines take: the first matrix of each, and the number of matrices.
pub(super) fn jacobi_batches(items: usize) -> impl Iterator<Item = (usize, i32)> {
    (0..items).step_by(MAX_JACOBI_BATCH).map(move |first| (first, int(MAX_JACOBI_BATCH.min(items - first))))
}

/// Whether a matrix is gathered or scattered as it is, or as its adjoint.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Orientation {
    Plain,
    Adjoint,
}

/// The state of an operation: what is known of each item of the batch so far.
pub(super) struct Matrices<'m, D: Driver> {
    pub(super) operation: &'m Operation<'m, D>,
    pub(super) dtype: Dtype,
    pub(super) items: usize,
    /// The first item that is not finite. Items in front of it are computed all the same, because their failures come first.
    not_finite: NotFinite,
    failures: Vec<Option<Failure>>,
}

impl<'m, D: Driver> Matrices<'m, D> {
    pub(super) fn new(operation: &'m Operation<'m, D>) -> Matrices<'m, D> {
        let seen = &operation.inputs[0].0;
        let items = seen.layout.extents()[..operation.call.batch].iter().product();
        Matrices { operation, dtype: seen.dtype, items, not_finite: None, failures: vec![None; items] }
    }

    /// The number of items in front of the first that has no result. Only these are given to routines.
    pub(super) fn good(&self) -> usize {
        let failed = self.failures.iter().position(Option::is_some).unwrap_or(self.items);
        self.not_finite.map_or(failed, |(item, _)| item.min(failed))
    }

    /// Allocates a batch of matrices.
    pub(super) fn room(&self, dtype: Dtype, rows: usize, columns: usize) -> Result<Batch<D>, Error> {
        let shape = BatchShape { dtype, items: self.items, rows, columns };
        Ok(Batch { shape, region: Region::new(self.operation.driver, shape.bytes())? })
    }

    /// Allocates this many integers of 32 bits.
    pub(super) fn integers(&self, count: usize) -> Result<Region<D>, Error> {
        Region::new(self.operation.driver, count * size_of::<i32>())
    }

    /// The layout of an operand's axes in dense matrices: `step` elements lead from one matrix to the next, `row` and `column`
    /// from one row or column to the next.
    fn dense(
        &self,
        seen: &TensorDescriptor<'_>,
        roles: &[Role],
        step: usize,
        [row, column]: [usize; 2],
    ) -> Result<Strided, Error> {
        let call = self.operation.call;
        let extents = seen.layout.extents();
        let mut strides = vec![0isize; extents.len()];
        let mut fill = |range: std::ops::Range<usize>, unit: usize| {
            range.rev().fold(unit, |stride, axis| {
                strides[axis] = stride as isize;
                stride * extents[axis]
            });
        };
        let mut start = call.batch;
        fill(0..start, step);
        for (role, unit) in roles.iter().zip([row, column]) {
            let end = start + call.roles[*role as usize];
            fill(start..end, unit);
            start = end;
        }
        Strided::within(extents, &strides, 0, self.items * step)
    }

    /// Copies elements from one layout to another.
    ///
    /// # Safety
    /// The memory is as large as the layouts reach.
    unsafe fn copy(&self, copy: StridedCopy, from: Address, to: Address) -> Result<(), Error> {
        let Operation { driver, route, kernels, .. } = *self.operation;
        if let Some(fitted) = copy_launch(copy.dtype, [&copy.from, &copy.to], copy.conjugate) {
            let start = |layout: &Strided| (layout.offset() * copy.dtype.size()) as u64;
            // SAFETY: the caller's promise; the kernel stays inside the layouts.
            return unsafe { self.launch(&fitted, &[from + start(&copy.from), to + start(&copy.to)]) };
        }
        let launches = kernels.find(copy, |copy| {
            let extents = copy.to.extents().to_vec();
            let nest = LoopNest::new(extents, copy.to.rank());
            let program = Program::new(vec![Instruction::Input(0)]);
            let input = Input { layout: &copy.from, dtype: copy.dtype, conjugate: copy.conjugate };
            let fold = Fold::map(&nest, (&program, Reduction::Sum), vec![input], (&copy.to, copy.dtype));
            let launches = fold_launches(&fold, route).expect("a copy calls no function of the host");
            driver.prepare(&launches.kernels().collect::<Vec<_>>())?;
            Ok(launches)
        })?;
        // SAFETY: the caller's promise; a copy needs no scratch memory.
        unsafe { queue(&**driver, &launches, &[from], to, 0) }
    }

    /// Gathers the matrices of an argument.
    ///
    /// # Safety
    /// The argument's memory is as large as its layout reaches.
    pub(super) unsafe fn read(&self, argument: usize, orientation: Orientation) -> Result<Batch<D>, Error> {
        let (seen, address) = &self.operation.inputs[argument];
        let roles = self.operation.call.form().arguments[argument];
        let (rows, columns) = size(self.operation.call, seen.layout, roles);
        let (made, units) = match orientation {
            Orientation::Plain => (self.room(self.dtype, rows, columns)?, [1, rows]),
            Orientation::Adjoint => (self.room(self.dtype, columns, rows)?, [columns, 1]),
        };
        let to = self.dense(seen, roles, rows * columns, units)?;
        let conjugate = seen.conjugate != (orientation == Orientation::Adjoint) && self.dtype.is_complex();
        let copy = StridedCopy { dtype: self.dtype, from: seen.layout.clone(), to, conjugate };
        // SAFETY: the caller's promise, and the batch was just allocated for as many elements.
        unsafe { self.copy(copy, *address, made.region.address()) }?;
        Ok(made)
    }

    /// Scatters a result: the first rows and columns, as many as it has.
    ///
    /// # Safety
    /// The result's memory is as large as its layout reaches, and the matrices have at least as many rows and columns.
    pub(super) unsafe fn write(&self, from: &Batch<D>, result: usize, orientation: Orientation) -> Result<(), Error> {
        let (seen, address) = &self.operation.outputs[result];
        let roles = self.operation.call.form().results[result].roles;
        let units = if orientation == Orientation::Plain { [1, from.shape.rows] } else { [from.shape.rows, 1] };
        let layout = self.dense(seen, roles, from.shape.points(), units)?;
        let conjugate = orientation == Orientation::Adjoint && from.shape.dtype.is_complex();
        let copy = StridedCopy { dtype: from.shape.dtype, from: layout, to: seen.layout.clone(), conjugate };
        // SAFETY: the caller's promise.
        unsafe { self.copy(copy, from.region.address(), *address) }
    }

    /// The diagonals of all matrices.
    ///
    /// # Safety
    /// The batch holds the matrices.
    pub(super) unsafe fn diagonals<T: Element>(&self, batch: &Batch<D>) -> Result<Vec<T>, Error> {
        let BatchShape { rows, columns, .. } = batch.shape;
        let length = rows.min(columns);
        let found = self.room(self.dtype, length, 1)?;
        let extents = [self.items, length];
        let strides = [batch.shape.points() as isize, rows as isize + 1];
        let from = Strided::within(&extents, &strides, 0, self.items * batch.shape.points())?;
        let copy = StridedCopy { dtype: self.dtype, from, to: Strided::row_major(&extents)?, conjugate: false };
        // SAFETY: diagonals lie in their matrices.
        unsafe { self.copy(copy, batch.region.address(), found.region.address()) }?;
        self.fetch::<T>(&found.region, self.items * length)
    }

    /// Copies elements to the host, once the queued work is done.
    pub(super) fn fetch<T: Element>(&self, region: &Region<D>, count: usize) -> Result<Vec<T>, Error> {
        let mut found = vec![T::ZERO; count];
        region.read(bytes_mut(T::erase_mut(&mut found)))?;
        Ok(found)
    }

    /// The same for integers of 32 bits.
    pub(super) fn fetch_integers(&self, region: &Region<D>, count: usize) -> Result<Vec<i32>, Error> {
        let mut found = vec![0u8; count * size_of::<i32>()];
        region.read(&mut found)?;
        Ok(found.as_chunks().0.iter().map(|&bytes| i32::from_ne_bytes(bytes)).collect())
    }

    /// Queues a pass over all matrices of a batch.
    ///
    /// # Safety
    /// The addresses are those that the pass takes.
    pub(super) unsafe fn pass(&self, pass: Pass, shape: BatchShape, addresses: &[Address]) -> Result<(), Error> {
        // SAFETY: the caller's promise; kernels stay inside matrices of this shape.
        unsafe { self.launch(&pass.launch(shape), addresses) }
    }

    /// Queues a kernel for any size.
    ///
    /// # Safety
    /// The addresses are those that it takes, and its numbers describe that memory.
    unsafe fn launch(&self, fitted: &SizedLaunch, addresses: &[Address]) -> Result<(), Error> {
        // SAFETY: the caller's promise.
        unsafe { self.operation.driver.launch(&fitted.kernel, &[addresses, &fitted.numbers].concat()) }
    }

    /// For each matrix the absolute value of its largest real or imaginary part, and whether an element in this part of the
    /// matrix is not finite.
    ///
    /// # Safety
    /// The batch holds the matrices.
    unsafe fn survey(&self, batch: &Batch<D>, part: MatrixPart) -> Result<Vec<(f64, bool)>, Error> {
        let parts = batch.shape.parts();
        let pairs = self.room(Dtype::F64, 2 * parts, 1)?;
        // SAFETY: there is memory for a pair for each part.
        unsafe { self.pass(Pass::Survey(part), batch.shape, &[batch.region.address(), pairs.region.address()]) }?;
        let pairs = self.fetch::<f64>(&pairs.region, 2 * parts * self.items)?;
        let joined = |pairs: &[f64]| {
            pairs.chunks(2).fold((0.0, false), |(size, wrong), pair| (f64::max(size, pair[0]), wrong || pair[1] != 0.0))
        };
        Ok(pairs.chunks(2 * parts).map(joined).collect())
    }

    /// Notes the first item of an argument that is not finite; returns the largest absolute value of each matrix.
    ///
    /// # Safety
    /// The batch holds the matrices.
    pub(super) unsafe fn check(&mut self, argument: usize, batch: &Batch<D>, part: MatrixPart) -> Result<Vec<f64>, Error> {
        // SAFETY: the caller's promise.
        let found = unsafe { self.survey(batch, part) }?;
        let first = found.iter().position(|&(_, wrong)| wrong).map(|item| (item, argument));
        // If several arguments of one item are not finite, the first one is named.
        self.not_finite = match (self.not_finite, first) {
            (Some(known), Some(found)) if found.0 < known.0 => Some(found),
            (None, found) => found,
            (known, _) => known,
        };
        Ok(found.into_iter().map(|(size, _)| size).collect())
    }

    /// Notes the items whose result has overflowed.
    ///
    /// # Safety
    /// The batch holds the matrices.
    pub(super) unsafe fn check_result(&mut self, batch: &Batch<D>) -> Result<(), Error> {
        // SAFETY: the caller's promise.
        let found = unsafe { self.survey(batch, MatrixPart::All) }?;
        found.iter().enumerate().filter(|(_, (_, wrong))| *wrong).for_each(|(item, _)| self.note(item, Failure::Overflow));
        Ok(())
    }

    /// Notes why an item has no result; the first reason counts.
    pub(super) fn note(&mut self, item: usize, failure: Failure) {
        if item < self.good() {
            self.failures[item].get_or_insert(failure);
        }
    }

    /// Reads the `info` of each item, and notes its failure.
    ///
    /// # Errors
    /// [`ErrorKind::Device`] where a routine refuses an argument.
    pub(super) fn check_infos(&mut self, infos: &Region<D>, failure: impl Fn(usize) -> Option<Failure>) -> Result<(), Error> {
        let good = self.good();
        if good == 0 {
            return Ok(());
        }
        let found = self.fetch_integers(infos, good)?;
        for (item, info) in found.into_iter().enumerate() {
            match usize::try_from(info) {
                Ok(0) => (),
                Ok(info) => {
                    if let Some(failure) = failure(info) {
                        self.note(item, failure);
                    }
                }
                Err(_) => {
                    let library = self.operation.driver.linalg_library().unwrap_or("the library of linear algebra");
                    let name = self.operation.call.form().name;
                    return Err(Error::new(ErrorKind::Device(format!("{library} refuses argument {} of `{name}`", -info))));
                }
            }
        }
        Ok(())
    }

    /// The error of the first item that has no result.
    ///
    /// # Errors
    /// As [`run`](super::run).
    pub(super) fn first_error(&self) -> Result<(), Error> {
        if let Some((item, failure)) = self.failures.iter().enumerate().find_map(|(n, failure)| Some((n, failure.as_ref()?))) {
            return Err(self.operation.wrong(item, |item| item.failed(failure)));
        }
        match self.not_finite {
            Some((item, argument)) => Err(self.operation.wrong(item, |item| item.not_finite(argument))),
            None => Ok(()),
        }
    }

    /// The exponents of the powers of two by which matrices are divided so that squares of their elements do not overflow.
    pub(super) fn exponents(&self, sizes: &[f64], step: i32) -> Vec<i32> {
        let exponent = |&size: &f64| dispatch!(self.dtype, T => exponent_of::<T>(size, step));
        sizes.iter().map(exponent).collect()
    }

    /// Multiplies each matrix by 2ᵏ.
    ///
    /// # Safety
    /// The batch holds the matrices.
    pub(super) unsafe fn scale(&self, batch: &Batch<D>, exponents: impl Iterator<Item = i32> + Clone) -> Result<(), Error> {
        if exponents.clone().all(|k| k == 0) {
            return Ok(());
        }
        // A single factor could be out of the range of f64.
        let factors: Vec<u8> =
            exponents.flat_map(|k| [k / 3, k / 3, k - 2 * (k / 3)]).flat_map(|k| power_of_two(k).to_ne_bytes()).collect();
        let factors = Region::holding(self.operation.driver, &factors)?;
        // SAFETY: there are three factors for each matrix.
        unsafe { self.pass(Pass::Scale, batch.shape, &[factors.address(), batch.region.address()]) }
    }

    /// Queues a routine.
    ///
    /// # Safety
    /// The memory at its addresses is as large as its arguments say.
    pub(super) unsafe fn call(&self, routine: Routine) -> Result<(), Error> {
        // SAFETY: the caller's promise.
        unsafe { self.operation.driver.solve(&Call { dtype: self.dtype, routine }) }
    }

    /// A list of the addresses of all matrices on the device, as batched routines take it.
    pub(super) fn addresses(&self, batch: &Batch<D>) -> Result<(Region<D>, MatrixRef), Error> {
        let addresses: Vec<u8> = (0..self.items).flat_map(|item| batch.at(item).to_ne_bytes()).collect();
        let region = Region::holding(self.operation.driver, &addresses)?;
        let address = region.address();
        Ok((region, MatrixRef { address, ld: int(batch.shape.rows) }))
    }

    /// Copies a number for each item to the device.
    pub(super) fn numbers<T: Element>(&self, numbers: &[T]) -> Result<Batch<D>, Error> {
        let shape = BatchShape { dtype: T::DTYPE, items: numbers.len(), rows: 1, columns: 1 };
        Ok(Batch { shape, region: Region::holding(self.operation.driver, bytes(T::erase(numbers)))? })
    }
}
