//! Products of pieces that are multiplied where they lie and added where their result lies, without being gathered into matrices.
//!
//! Knows nothing of labels: what a piece is to a product has been written down as extents and strides.

use std::collections::HashMap;
use std::ops::Range;

use num_complex::Complex;
use smallvec::SmallVec;
use tensorwrapper_core::backend::{Contraction, Device, LoopNest, PreparedSum, SumTerm};
use tensorwrapper_core::element::Element;
use tensorwrapper_core::error::Error;
use tensorwrapper_core::layout::Strided;

/// Multiplications that take about as long as it takes to copy an element to a matrix, or from it.
const COPY: usize = 16;
/// Multiplications that take about as long as it takes to begin a product of pieces, and to add it to its result.
const BEGIN: usize = 4000;

/// A product of pieces: extents of the result's axes, then of those that are summed, strides of both factors and of the result, and which
/// factors are conjugated. Products of one shape share a kernel.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(super) struct ProductShape {
    pub(super) extents: SmallVec<[usize; 6]>,
    pub(super) strides: [SmallVec<[isize; 6]>; 3],
    pub(super) conjugates: [bool; 2],
}

/// The kernels of products of pieces, one for each shape.
#[derive(Debug, Default)]
pub(super) struct SumKernels {
    kernels: Vec<PreparedSum>,
    known: HashMap<ProductShape, usize>,
}

/// Products that are computed without being gathered: all those of one result, then all those of the next.
#[derive(Debug, Default)]
pub(super) struct Direct {
    calls: Vec<Call>,
    terms: Vec<SumTerm>,
}

/// Products of one shape.
#[derive(Debug)]
struct Call {
    kernel: usize,
    terms: Range<usize>,
}

/// About how many multiplications a group takes whose matrices are gathered, so many elements of which are copied.
pub(super) fn gathered(copied: usize, multiplications: usize) -> usize {
    copied.saturating_mul(COPY).saturating_add(multiplications)
}

/// Whether it is faster to multiply so many pairs of pieces where they lie.
pub(super) fn is_faster(pairs: usize, multiplications: usize, gathered: usize) -> bool {
    pairs.saturating_mul(BEGIN).saturating_add(multiplications) < gathered
}

impl SumKernels {
    /// The number of the kernel for a shape. Nothing where gathering is faster.
    ///
    /// # Errors
    /// As [`Device::prepare_sum`].
    pub(super) fn find<T: Element>(
        &mut self,
        device: &dyn Device,
        scale: Complex<f64>,
        shape: &ProductShape,
    ) -> Result<Option<usize>, Error> {
        let number = match self.known.get(shape) {
            Some(&known) => known,
            None => {
                self.kernels.push(shape.prepare::<T>(device, scale)?);
                self.known.insert(shape.clone(), self.kernels.len() - 1);
                self.kernels.len() - 1
            }
        };
        Ok(self.kernels[number].beats_copies().then_some(number))
    }
}

impl ProductShape {
    fn prepare<T: Element>(&self, device: &dyn Device, scale: Complex<f64>) -> Result<PreparedSum, Error> {
        let kept = self.strides[2].len();
        let layout = |n: usize| Strided::within(&self.extents[..self.strides[n].len()], &self.strides[n], 0, usize::MAX);
        let (left, right, output) = (layout(0)?, layout(1)?, layout(2)?);
        device.prepare_sum(&Contraction {
            nest: &LoopNest::new(self.extents.to_vec(), kept),
            alpha: scale,
            dtype: T::DTYPE,
            factors: &[(&left, self.conjugates[0]), (&right, self.conjugates[1])],
            output: &output,
            then: None,
            others: &[],
        })
    }
}

impl Direct {
    /// The products of one result, each by the number of its kernel. Those of one kernel are computed together; the first one is written,
    /// and all others are added to it.
    pub(super) fn new(mut products: Vec<(usize, SumTerm)>) -> Direct {
        products.sort_by_key(|(kernel, _)| *kernel);
        let mut direct = Direct::default();
        for (number, (kernel, term)) in products.into_iter().enumerate() {
            direct.push(kernel, SumTerm { adds: number > 0, ..term });
        }
        direct
    }

    fn push(&mut self, kernel: usize, term: SumTerm) {
        let end = self.terms.len() + 1;
        self.terms.push(term);
        match self.calls.last_mut() {
            Some(last) if last.kernel == kernel => last.terms.end = end,
            _ => self.calls.push(Call { kernel, terms: end - 1..end }),
        }
    }

    /// Adds the products of other results, which are computed after those that are there.
    pub(super) fn append(&mut self, other: Direct) {
        for Call { kernel, terms } in other.calls {
            other.terms[terms].iter().for_each(|&term| self.push(kernel, term));
        }
    }

    /// Counts positions of the result from there on.
    pub(super) fn rebase(&mut self, begins: usize) {
        self.terms.iter_mut().for_each(|term| term.to -= begins);
    }

    /// About how many multiplications it takes beside those of its products.
    pub(super) fn overhead(&self) -> usize {
        self.terms.len().saturating_mul(BEGIN)
    }

    /// Computes it from the slabs of the factors into that of the result, or adds it there.
    ///
    /// # Errors
    /// Memory.
    pub(super) fn run<T: Element>(
        &self,
        device: &dyn Device,
        kernels: &SumKernels,
        slabs: [&[T]; 2],
        (out, adds): (&mut [T], bool),
    ) -> Result<(), Error> {
        self.calls.iter().try_for_each(|call| {
            let terms = &self.terms[call.terms.clone()];
            kernels.kernels[call.kernel].run(device, slabs.map(T::erase), terms, (T::erase_mut(out), adds))
        })
    }
}
