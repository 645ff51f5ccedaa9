//! BatchShape matrices on a device: read out of strided memory and written back, surveyed and scaled by generated kernels, and given to the
//! library's routines. Knows no operation.

use super::kernels::Copy;
use super::operation::{NotFinite, Operation};
use super::support::size;
use crate::driver::Driver;
use crate::launch::{bytes, bytes_mut, queue};
use crate::memory::Address;
use crate::region::Region;
use crate::routine::{Call, MAX_JACOBI_BATCH, MatrixRef, Routine};
use crate::text::{BatchShape, Fold, Input, MatrixPart, Pass, SizedLaunch, copy_launch, fold_launches};
use tensorwrapper_core::backend::linear::{Failure, exponent_of, power_of_two};
use tensorwrapper_core::backend::{Instruction, LoopNest, Program, Reduction, Role, Seen};
use tensorwrapper_core::element::{Dtype, Element, dispatch};
use tensorwrapper_core::error::{Error, ErrorKind};
use tensorwrapper_core::layout::Strided;

/// Matrices in memory of the device.
#[derive(Debug)]
pub(super) struct Batch<D: Driver> {
    pub(super) of: BatchShape,
    pub(super) region: Region<D>,
}

impl<D: Driver> Batch<D> {
    /// Where a matrix begins.
    pub(super) fn at(&self, item: usize) -> Address {
        self.region.address() + (item * self.of.points() * self.of.dtype.size()) as u64
    }

    /// A matrix as routines take it.
    pub(super) fn columns(&self, item: usize) -> MatrixRef {
        MatrixRef { address: self.at(item), ld: int(self.of.rows) }
    }
}

/// A size as routines take it.
pub(super) fn int(size: usize) -> i32 {
    i32::try_from(size).expect("a library is asked for nothing larger than it can count")
}

/// Batches as routines by rotations take them: the first matrix of each, and how many there are.
pub(super) fn together(items: usize) -> impl Iterator<Item = (usize, i32)> {
    (0..items).step_by(MAX_JACOBI_BATCH).map(move |first| (first, int(MAX_JACOBI_BATCH.min(items - first))))
}

/// How a matrix is turned on its orientation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Orientation {
    Plain,
    Adjoint,
}

/// The matrices of an operation.
pub(super) struct Matrices<'m, D: Driver> {
    pub(super) operation: &'m Operation<'m, D>,
    pub(super) dtype: Dtype,
    pub(super) items: usize,
    /// The first item with something that is not finite: what comes before it is computed, because its faults come first.
    not_finite: NotFinite,
    failures: Vec<Option<Failure>>,
}

impl<'m, D: Driver> Matrices<'m, D> {
    pub(super) fn new(operation: &'m Operation<'m, D>) -> Matrices<'m, D> {
        let seen = &operation.inputs[0].0;
        let items = seen.layout.extents()[..operation.call.batch].iter().product();
        Matrices { operation, dtype: seen.dtype, items, not_finite: None, failures: vec![None; items] }
    }

    /// How many matrices there are before the first that has no result: no others are given to routines.
    pub(super) fn good(&self) -> usize {
        let failed = self.failures.iter().position(Option::is_some).unwrap_or(self.items);
        self.not_finite.map_or(failed, |(item, _)| item.min(failed))
    }

    /// Room for a batch of matrices.
    pub(super) fn room(&self, dtype: Dtype, rows: usize, columns: usize) -> Result<Batch<D>, Error> {
        let of = BatchShape { dtype, items: self.items, rows, columns };
        Ok(Batch { of, region: Region::new(self.operation.driver, of.bytes())? })
    }

    /// Room for so many numbers of 32 bits.
    pub(super) fn integers(&self, count: usize) -> Result<Region<D>, Error> {
        Region::new(self.operation.driver, count * size_of::<i32>())
    }

    /// Where the axes of an operand lie in dense matrices; `step` elements are from one to the next, `line` from column to column.
    fn dense(&self, seen: &Seen<'_>, roles: &[Role], step: usize, [row, column]: [usize; 2]) -> Result<Strided, Error> {
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
    /// There is memory for all that the layouts lead to.
    unsafe fn copy(&self, copy: Copy, from: Address, to: Address) -> Result<(), Error> {
        let Operation { driver, route, kept, .. } = *self.operation;
        if let Some(fitted) = copy_launch(copy.dtype, [&copy.from, &copy.to], copy.conjugate) {
            let start = |layout: &Strided| (layout.offset() * copy.dtype.size()) as u64;
            // SAFETY: the caller's promise; the kernel goes where the layouts lead.
            return unsafe { self.launch(&fitted, &[from + start(&copy.from), to + start(&copy.to)]) };
        }
        let launches = kept.find(copy, |copy| {
            let extents = copy.to.extents().to_vec();
            let nest = LoopNest::new(extents, copy.to.rank());
            let program = Program::new(vec![Instruction::Input(0)]);
            let input = Input { layout: &copy.from, dtype: copy.dtype, conjugate: copy.conjugate };
            let fold = Fold::map(&nest, (&program, Reduction::Sum), vec![input], (&copy.to, copy.dtype));
            let launches = fold_launches(&fold, route).expect("a copy calls nothing of the host's");
            driver.prepare(&launches.kernels().collect::<Vec<_>>())?;
            Ok(launches)
        })?;
        // SAFETY: the caller's promise; a copy has nothing between kernels.
        unsafe { queue(&**driver, &launches, &[from], to, 0) }
    }

    /// Reads the matrices of an argument.
    ///
    /// # Safety
    /// There is memory for all of it.
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
        let copy = Copy { dtype: self.dtype, from: seen.layout.clone(), to, conjugate };
        // SAFETY: the caller's promise, and the matrices were just made for as many elements.
        unsafe { self.copy(copy, *address, made.region.address()) }?;
        Ok(made)
    }

    /// Writes a result: as many of the first rows and columns as it has.
    ///
    /// # Safety
    /// There is memory for all of it, and no fewer rows and columns are there.
    pub(super) unsafe fn write(&self, from: &Batch<D>, result: usize, orientation: Orientation) -> Result<(), Error> {
        let (seen, address) = &self.operation.outputs[result];
        let roles = self.operation.call.form().results[result].roles;
        let units = if orientation == Orientation::Plain { [1, from.of.rows] } else { [from.of.rows, 1] };
        let layout = self.dense(seen, roles, from.of.points(), units)?;
        let conjugate = orientation == Orientation::Adjoint && from.of.dtype.is_complex();
        let copy = Copy { dtype: from.of.dtype, from: layout, to: seen.layout.clone(), conjugate };
        // SAFETY: the caller's promise.
        unsafe { self.copy(copy, from.region.address(), *address) }
    }

    /// The elements on each diagonal.
    ///
    /// # Safety
    /// The matrices are there.
    pub(super) unsafe fn diagonals<T: Element>(&self, of: &Batch<D>) -> Result<Vec<T>, Error> {
        let BatchShape { rows, columns, .. } = of.of;
        let length = rows.min(columns);
        let found = self.room(self.dtype, length, 1)?;
        let extents = [self.items, length];
        let strides = [of.of.points() as isize, rows as isize + 1];
        let from = Strided::within(&extents, &strides, 0, self.items * of.of.points())?;
        let copy = Copy { dtype: self.dtype, from, to: Strided::row_major(&extents)?, conjugate: false };
        // SAFETY: diagonals lie in their matrices.
        unsafe { self.copy(copy, of.region.address(), found.region.address()) }?;
        self.fetch::<T>(&found.region, self.items * length)
    }

    /// Brings numbers to the host, once all that is queued is done.
    pub(super) fn fetch<T: Element>(&self, region: &Region<D>, count: usize) -> Result<Vec<T>, Error> {
        let mut found = vec![T::ZERO; count];
        region.read(bytes_mut(T::erase_mut(&mut found)))?;
        Ok(found)
    }

    /// The same of numbers of 32 bits.
    pub(super) fn fetch_integers(&self, region: &Region<D>, count: usize) -> Result<Vec<i32>, Error> {
        let mut found = vec![0u8; count * size_of::<i32>()];
        region.read(&mut found)?;
        Ok(found.as_chunks().0.iter().map(|&bytes| i32::from_ne_bytes(bytes)).collect())
    }

    /// Does something with all matrices of a batch.
    ///
    /// # Safety
    /// The addresses are those of what the pass takes.
    pub(super) unsafe fn pass(&self, pass: Pass, of: BatchShape, addresses: &[Address]) -> Result<(), Error> {
        // SAFETY: the caller's promise; kernels compute positions inside of the matrices that they are told of.
        unsafe { self.launch(&pass.launch(of), addresses) }
    }

    /// Queues a kernel for any size.
    ///
    /// # Safety
    /// The addresses are those of what it takes, and its numbers lead nowhere else.
    unsafe fn launch(&self, fitted: &SizedLaunch, addresses: &[Address]) -> Result<(), Error> {
        // SAFETY: the caller's promise.
        unsafe { self.operation.driver.launch(&fitted.kernel, &[addresses, &fitted.numbers].concat()) }
    }

    /// For each matrix the size of its largest part, and whether one of the elements that count is not finite.
    ///
    /// # Safety
    /// The matrices are there.
    unsafe fn survey(&self, of: &Batch<D>, part: MatrixPart) -> Result<Vec<(f64, bool)>, Error> {
        let parts = of.of.parts();
        let pairs = self.room(Dtype::F64, 2 * parts, 1)?;
        // SAFETY: there is room for a pair for each part.
        unsafe { self.pass(Pass::Survey(part), of.of, &[of.region.address(), pairs.region.address()]) }?;
        let pairs = self.fetch::<f64>(&pairs.region, 2 * parts * self.items)?;
        let joined = |pairs: &[f64]| {
            pairs.chunks(2).fold((0.0, false), |(size, wrong), pair| (f64::max(size, pair[0]), wrong || pair[1] != 0.0))
        };
        Ok(pairs.chunks(2 * parts).map(joined).collect())
    }

    /// Looks for what is not finite in an argument; the sizes of its matrices.
    ///
    /// # Safety
    /// The matrices are there.
    pub(super) unsafe fn check(&mut self, argument: usize, of: &Batch<D>, part: MatrixPart) -> Result<Vec<f64>, Error> {
        // SAFETY: the caller's promise.
        let found = unsafe { self.survey(of, part) }?;
        let first = found.iter().position(|&(_, wrong)| wrong).map(|item| (item, argument));
        // Of one item the first argument is named.
        self.not_finite = match (self.not_finite, first) {
            (Some(known), Some(found)) if found.0 < known.0 => Some(found),
            (None, found) => found,
            (known, _) => known,
        };
        Ok(found.into_iter().map(|(size, _)| size).collect())
    }

    /// Notes the items of a result that is larger than its numbers.
    ///
    /// # Safety
    /// The matrices are there.
    pub(super) unsafe fn check_result(&mut self, of: &Batch<D>) -> Result<(), Error> {
        // SAFETY: the caller's promise.
        let found = unsafe { self.survey(of, MatrixPart::All) }?;
        found.iter().enumerate().filter(|(_, (_, wrong))| *wrong).for_each(|(item, _)| self.note(item, Failure::Overflow));
        Ok(())
    }

    /// Notes why there is no result for an item; the first reason counts.
    pub(super) fn note(&mut self, item: usize, failure: Failure) {
        if item < self.good() {
            self.failures[item].get_or_insert(failure);
        }
    }

    /// Notes what routines have said of each item.
    ///
    /// # Errors
    /// [`ErrorKind::Device`] where they refuse an argument.
    pub(super) fn heed(&mut self, infos: &Region<D>, failure: impl Fn(usize) -> Option<Failure>) -> Result<(), Error> {
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

    /// The first error there is.
    ///
    /// # Errors
    /// As [`run`](super::run).
    pub(super) fn judge(&self) -> Result<(), Error> {
        if let Some((item, failure)) = self.failures.iter().enumerate().find_map(|(n, failure)| Some((n, failure.as_ref()?))) {
            return Err(self.operation.wrong(item, |item| item.failed(failure)));
        }
        match self.not_finite {
            Some((item, argument)) => Err(self.operation.wrong(item, |item| item.not_finite(argument))),
            None => Ok(()),
        }
    }

    /// The exponents by which matrices of these sizes are divided, so that squares stay in range.
    pub(super) fn exponents(&self, sizes: &[f64], step: i32) -> Vec<i32> {
        let exponent = |&size: &f64| dispatch!(self.dtype, T => exponent_of::<T>(size, step));
        sizes.iter().map(exponent).collect()
    }

    /// Multiplies each matrix by 2ᵏ.
    ///
    /// # Safety
    /// The matrices are there.
    pub(super) unsafe fn scale(&self, of: &Batch<D>, exponents: impl Iterator<Item = i32> + Clone) -> Result<(), Error> {
        if exponents.clone().all(|k| k == 0) {
            return Ok(());
        }
        // One factor alone may lie outside of the numbers that f64 holds.
        let factors: Vec<u8> =
            exponents.flat_map(|k| [k / 3, k / 3, k - 2 * (k / 3)]).flat_map(|k| power_of_two(k).to_ne_bytes()).collect();
        let factors = Region::holding(self.operation.driver, &factors)?;
        // SAFETY: there are three factors for each matrix.
        unsafe { self.pass(Pass::Scale, of.of, &[factors.address(), of.region.address()]) }
    }

    /// Has a routine done.
    ///
    /// # Safety
    /// The addresses are those of what the routine takes.
    pub(super) unsafe fn call(&self, routine: Routine) -> Result<(), Error> {
        // SAFETY: the caller's promise.
        unsafe { self.operation.driver.solve(&Call { dtype: self.dtype, routine }) }
    }

    /// The addresses of all matrices, on the device.
    pub(super) fn addresses(&self, of: &Batch<D>) -> Result<(Region<D>, MatrixRef), Error> {
        let addresses: Vec<u8> = (0..self.items).flat_map(|item| of.at(item).to_ne_bytes()).collect();
        let region = Region::holding(self.operation.driver, &addresses)?;
        let address = region.address();
        Ok((region, MatrixRef { address, ld: int(of.of.rows) }))
    }

    /// Takes a number for each item to the device.
    pub(super) fn numbers<T: Element>(&self, numbers: &[T]) -> Result<Batch<D>, Error> {
        let of = BatchShape { dtype: T::DTYPE, items: numbers.len(), rows: 1, columns: 1 };
        Ok(Batch { of, region: Region::holding(self.operation.driver, bytes(T::erase(numbers)))? })
    }
}
