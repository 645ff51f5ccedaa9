//! Sums of products of a large block with a small one, such as operators between two sites are: added where the result lies.

use super::kernel::{Kernel, kernel};
use crate::large_first::{LARGE, LargeFirst, Loop, SMALL, is_narrow, scaled};
use crate::lines::LINE;
use crate::product::{ClassifiedAxes, LEFT, OUT, RIGHT, positions};
use crate::simd::Simd;
use crate::sink::Sink;
use tensorwrapper_core::backend::SumTerm;
use tensorwrapper_core::backend::fuse::points;
use tensorwrapper_core::element::Element;

/// Numbers of the small block at most.
const NUMBERS: usize = 16;
/// Runs of neighbours at most, which are named one by one.
const RUNS: usize = 64;

/// A sum of such products, prepared.
#[derive(Debug)]
pub(crate) struct NarrowSum<T> {
    /// The factor that is the large one.
    large: usize,
    /// How many neighbours are computed at once, and where such runs begin in the large block and in the result.
    len: usize,
    runs: Vec<[isize; 2]>,
    /// Where rows of the large block begin that are summed, and the rows of the result.
    terms: Vec<isize>,
    columns: Vec<isize>,
    /// Where the numbers of the small block are: term by term those of all columns.
    numbers: Vec<isize>,
    start: [isize; 3],
    /// Whether the small block is conjugated.
    conjugate: bool,
    alpha: T,
    kernel: Kernel<T>,
}

impl<T: Element> NarrowSum<T> {
    /// Prepares such a sum; nothing where blocks are of other shapes, or neighbours in the large one are none in the result.
    pub(crate) fn new(sorted: &ClassifiedAxes<T>, simd: Simd) -> Option<NarrowSum<T>> {
        if !is_narrow(sorted) || points(&sorted.batch) != 1 {
            return None;
        }
        let LargeFirst { large, mut rows, columns, inner, start, .. } = LargeFirst::new(sorted);
        let small = LEFT + RIGHT - large;
        if points(&inner) * points(&columns) > NUMBERS || sorted.conjugate[large] {
            return None;
        }
        let along = rows.iter().position(|axis| axis.strides[LARGE] == 1 && axis.strides[OUT] == 1)?;
        let len = rows.remove(along).extent;
        if len * size_of::<T>() < LINE || points(&rows) > RUNS {
            return None;
        }
        let places =
            |axes: &[Loop]| positions(axes, LARGE).into_iter().zip(positions(axes, OUT)).map(|(from, to)| [from, to]).collect();
        let (of_columns, of_terms) = (positions(&columns, SMALL), positions(&inner, SMALL));
        Some(NarrowSum {
            large,
            len,
            runs: places(&rows),
            terms: positions(&inner, LARGE),
            columns: positions(&columns, OUT),
            numbers: of_terms.iter().flat_map(|term| of_columns.iter().map(move |column| term + column)).collect(),
            start,
            conjugate: sorted.conjugate[small],
            alpha: sorted.alpha,
            kernel: kernel::<T>(simd),
        })
    }

    /// Computes the products of these terms, each over what its result holds or added to it.
    ///
    /// # Safety
    /// All elements that the strides reach from where terms begin lie inside the memory, and nobody else reads or writes the results.
    pub(crate) unsafe fn run(&self, terms: &[SumTerm], data: [&[T]; 2], (out, adds): (Sink<'_, T>, bool)) {
        let small = LEFT + RIGHT - self.large;
        for term in terms {
            let alpha = if term.weight == 1.0 { self.alpha } else { T::from_complex(term.weight.into()) * self.alpha };
            let begins = self.start[SMALL] + term.starts[small] as isize;
            let mut numbers = [T::ZERO; NUMBERS];
            for (number, place) in numbers.iter_mut().zip(&self.numbers) {
                *number = scaled(data[small][(begins + place) as usize], self.conjugate, alpha);
            }
            // SAFETY: the caller's promise; the kernel was chosen among those whose instructions the processor has.
            unsafe {
                let from = data[self.large].as_ptr().offset(self.start[LARGE]).add(term.starts[self.large]);
                let to = out.address(self.start[OUT] + term.to as isize);
                for &[begins, goes] in &self.runs {
                    let (from, to) = ((&self.terms[..], from.offset(begins)), (&self.columns[..], to.offset(goes)));
                    (self.kernel)(self.len, from, numbers.as_ptr(), to, adds || term.adds);
                }
            }
        }
    }
}
