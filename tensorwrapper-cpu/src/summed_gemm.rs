//! The sum of products of small matrices where they lie: a few rows of the result stay in registers from the first product to the last.
//!
//! The kernels are those of `fixed`.

use super::fixed::{self, kernel as vectors};
use super::product::{LEFT, OUT, RIGHT};
use super::sink::Sink;
use super::unpacked_gemm::{Task, UnpackedGemm};
use crate::simd::Simd;
use crate::simd::vector::Vector;
use tensorwrapper_core::backend::SumTerm;
use tensorwrapper_core::element::Element;
use tensorwrapper_core::error::Error;
use vectors::Size;

/// Bytes of the widths of vectors that rows of the result may have, the widest first.
const WIDTHS: [usize; 3] = [64, 32, 16];

/// A sum of products of small matrices, prepared: what each is, and where they begin before a term says more.
#[derive(Clone, Copy, Debug)]
pub(super) struct SummedGemm<T> {
    task: Task<T>,
    start: [isize; 3],
    /// Whether the right factor is brought into rows first: then a product is added after the other.
    is_transposed: bool,
    kernel: Kernel<T>,
}

/// Adds up products whose factors begin so much further, times a number, into the result.
type Kernel<T> = unsafe fn(&Task<T>, &[SumTerm], f64, [*const T; 2], (*mut T, bool));

impl<T: Element> SummedGemm<T> {
    /// Prepares the sum of such products, if kernels in vectors can do it.
    ///
    /// # Errors
    /// When the environment asks for vector instructions that are not there.
    pub(super) fn new(product: &UnpackedGemm<T>, start: [isize; 3]) -> Result<Option<SummedGemm<T>>, Error> {
        let (task, simd) = (*product.task(), Simd::chosen()?);
        if !product.is_in_vectors()? || !adds_once::<T>(task.sizes.columns, simd) {
            return Ok(None);
        }
        let is_transposed = task.right.column != 1;
        let kernel = if is_transposed { kernel::<T, true>(simd) } else { kernel::<T, false>(simd) };
        Ok(Some(SummedGemm { task, start, is_transposed, kernel }))
    }

    /// Computes the sum of the products of these terms, all of one weight and one result, or adds it to what the result holds.
    ///
    /// # Safety
    /// All elements that the strides reach from where terms begin lie inside the memory, and nobody else reads or writes the results.
    pub(super) unsafe fn run(&self, terms: &[SumTerm], data: [&[T]; 2], (out, adds): (Sink<'_, T>, bool)) {
        let Some(&SumTerm { to, weight, .. }) = terms.first() else { return };
        let sides = if self.task.transposed { [RIGHT, LEFT] } else { [LEFT, RIGHT] };
        // SAFETY: the caller's promise; the kernel was chosen among those whose instructions the processor has.
        unsafe {
            let from = sides.map(|side| data[side].as_ptr().offset(self.start[side]));
            let to = out.address(self.start[OUT] + to as isize);
            if self.is_transposed {
                for (number, term) in terms.iter().enumerate() {
                    let from = [from[0].add(term.starts[sides[0]]), from[1].add(term.starts[sides[1]])];
                    let here = [SumTerm { starts: [0; 2], ..*term }];
                    (self.kernel)(&self.task, &here, weight, from, (to, adds || number > 0));
                }
            } else {
                (self.kernel)(&self.task, terms, weight, from, (to, adds));
            }
        }
    }
}

/// Whether no element of a row of the result is added to twice. The last vector of a row overlaps what lies before it; within a stripe of
/// three vectors all are read before one is written.
fn adds_once<T: Element>(columns: usize, simd: Simd) -> bool {
    let bytes = columns * size_of::<T>();
    let widest = if simd == Simd::Avx512 { 64 } else { 32 };
    let Some(vector) = WIDTHS.into_iter().find(|&width| width <= widest && width <= bytes) else { return false };
    bytes < 3 * vector || bytes.is_multiple_of(3 * vector) || bytes % (3 * vector) >= vector
}

/// What is summed, for the kernels of `fixed`.
#[derive(Clone, Copy)]
struct SummedSize<'t, T, const TRANSPOSED: bool> {
    task: &'t Task<T>,
    terms: &'t [SumTerm],
    weight: f64,
    adds: bool,
}

impl<T: Element, const TRANSPOSED: bool> Size for SummedSize<'_, T, TRANSPOSED> {
    const TRANSPOSED: bool = TRANSPOSED;

    #[inline(always)]
    fn problem(self) -> fixed::Problem {
        self.task.problem::<TRANSPOSED>(1)
    }

    #[inline(always)]
    fn products(self) -> usize {
        self.terms.len()
    }

    #[inline(always)]
    fn begins(self, product: usize) -> [usize; 2] {
        let [left, right] = self.terms[product].starts;
        if self.task.transposed { [right, left] } else { [left, right] }
    }

    #[inline(always)]
    unsafe fn stored<V: Vector>(self, sums: V, to: *const V::Real) -> V {
        // SAFETY: the caller's promise.
        unsafe {
            let number = V::splat(V::Real::from_complex(self.task.alpha.to_complex() * self.weight));
            if self.adds { V::load(to).add_product(sums, number) } else { sums.mul(number) }
        }
    }
}

/// The kernel for these instructions.
fn kernel<T: Element, const TRANSPOSED: bool>(simd: Simd) -> Kernel<T> {
    match simd {
        Simd::Avx512 => in_vectors::<T, TRANSPOSED, { Simd::Avx512 as usize }>,
        Simd::Avx2 => in_vectors::<T, TRANSPOSED, { Simd::Avx2 as usize }>,
        Simd::Neon => in_vectors::<T, TRANSPOSED, { Simd::Neon as usize }>,
        Simd::Portable => unreachable!("the portable form has no kernel in vectors"),
    }
}

/// By the kernel of `fixed` for the instructions of this number in [`Simd::ALL`].
///
/// # Safety
/// As [`SummedGemm::run`], the processor has the instructions, and the task fills vectors for which there is a kernel.
unsafe fn in_vectors<T: Element, const TRANSPOSED: bool, const SIMD: usize>(
    task: &Task<T>,
    terms: &[SumTerm],
    weight: f64,
    [left, right]: [*const T; 2],
    (out, adds): (*mut T, bool),
) {
    let size = SummedSize::<T, TRANSPOSED> { task, terms, weight, adds };
    // SAFETY: the caller's promise; the instructions are among those that the processor has.
    unsafe { vectors::run(const { Simd::ALL[SIMD] }, size, left, right, out) }
}
