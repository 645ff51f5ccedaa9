//! The product of two small matrices where they lie: tiles of the result in registers, without packing.
//!
//! Where rows of the result fill vectors the kernels of `fixed` compute them, told the size as they run; else loops that are
//! written here.
//!
//! Nothing is checked while it runs: where elements lie is known when the product is prepared.

use std::ptr::NonNull;

use super::fixed::kernel::{self as vectors, RowMemory, Size};
use super::fixed::{self, MOST_TRANSPOSED};
use super::product::{LEFT, OUT, Place, RIGHT, Sizes};
use super::product_kernel::ProductKernel;
use super::sink::Sink;
use crate::simd::Simd;
use crate::simd::vector::Vector;
use tensorwrapper_core::element::Element;
use tensorwrapper_core::error::Error;

/// Edge of a tile.
const TILE: usize = 4;

/// A product of small matrices, prepared: extents, strides, and the kernel for them.
#[derive(Clone, Copy, Debug)]
pub(super) struct UnpackedGemm<T> {
    task: Task<T>,
    kernel: Kernel<T>,
}

/// Computes so many products from the first elements of the factors into the result, whose first element is the last argument.
type Kernel<T> = unsafe fn(&Task<T>, usize, [*const T; 2], *mut T);

/// What is multiplied. Rows of the right factor and of the result lie best where their elements are neighbours.
#[derive(Clone, Copy, Debug)]
struct Task<T> {
    sizes: Sizes,
    left: Place,
    right: Place,
    out: Place,
    /// How much further the next product of several is in left, right and result.
    step: [isize; 3],
    conjugate: [bool; 2],
    alpha: T,
    /// Whether left and right are exchanged: all matrices are read and written as their transposes.
    transposed: bool,
}

impl<T: Element> UnpackedGemm<T> {
    /// Prepares products of factors and results with these strides; `step`: how much further the next one is in each of them.
    ///
    /// # Errors
    /// When the environment asks for vector instructions that are not there.
    pub(super) fn new(
        sizes: Sizes,
        [left, right, out]: [Place; 3],
        step: [isize; 3],
        conjugate: [bool; 2],
        alpha: T,
    ) -> Result<UnpackedGemm<T>, Error> {
        let simd = Simd::chosen()?;
        let plain = |right: Place, out: Place| usize::from(right.column == 1) + usize::from(out.column == 1);
        let transposed = plain(left.transposed(), out.transposed()) > plain(right, out);
        let task = if transposed {
            let sizes = Sizes { rows: sizes.columns, columns: sizes.rows, ..sizes };
            let (left, right) = (right.transposed(), left.transposed());
            let conjugate = [conjugate[1], conjugate[0]];
            let step = [step[1], step[0], step[2]];
            Task { sizes, left, right, out: out.transposed(), step, conjugate, alpha, transposed }
        } else {
            Task { sizes, left, right, out, step, conjugate, alpha, transposed }
        };
        Ok(UnpackedGemm { task, kernel: kernel(&task, simd) })
    }

    /// How it is computed, in a few words.
    pub(super) fn method(&self) -> &'static str {
        "small matrices"
    }

    /// Whether there are kernels in vectors for it.
    ///
    /// # Errors
    /// When the environment asks for vector instructions that are not there.
    pub(super) fn is_in_vectors(&self) -> Result<bool, Error> {
        Ok(vectors::exist(Simd::chosen()?) && self.task.fills_vectors())
    }

    /// Computes so many of them.
    ///
    /// # Safety
    /// All elements that the strides reach from there are valid, those of the results at different positions; nobody else reads
    /// or writes the results.
    pub(super) unsafe fn run(&self, products: usize, [left, right]: [*const T; 2], out: *mut T) {
        let factors = if self.task.transposed { [right, left] } else { [left, right] };
        // SAFETY: the caller's promise; the kernel was chosen among those whose instructions the processor has.
        unsafe { (self.kernel)(&self.task, products, factors, out) }
    }
}

/// One product of matrices that start there.
impl<T: Element> ProductKernel<T> for (UnpackedGemm<T>, [isize; 3]) {
    fn method(&self) -> &'static str {
        self.0.method()
    }

    unsafe fn run(&self, _: usize, data: [&[T]; 2], out: Sink<'_, T>) -> Result<(), Error> {
        let (small, start) = self;
        // SAFETY: the caller's promise.
        unsafe {
            let from = [LEFT, RIGHT].map(|side| data[side].as_ptr().offset(start[side]));
            small.run(1, from, out.address(start[OUT]));
        }
        Ok(())
    }
}

impl<T: Element> Task<T> {
    /// So many of them, as the kernels of `fixed` take them.
    #[inline(always)]
    fn problem(&self, products: usize) -> fixed::Problem {
        let Task { sizes, left, right, out, step: [a, b, c], .. } = *self;
        let products = fixed::Axis { extent: products, a: a as usize, b: b as usize, c: c as usize };
        let terms = fixed::Term { extent: sizes.inner, a: left.column as usize, b: right.row as usize };
        fixed::Problem {
            rows: sizes.rows,
            columns: sizes.columns,
            terms: [terms, fixed::Term::NONE],
            a_row: left.row as usize,
            c_row: out.row as usize,
            b_column: right.column as usize,
            outer: [fixed::Axis::NONE, fixed::Axis::NONE, fixed::Axis::NONE, fixed::Axis::NONE, fixed::Axis::NONE, products],
        }
    }

    /// Whether the kernels in vectors can do it: rows of the result are neighbours and fill a vector, those of the right factor
    /// are so or can be brought together, and nothing is conjugated, counted backwards, or multiplied by a complex number.
    fn fills_vectors(&self) -> bool {
        let Task { sizes, left, right, out, step, conjugate, alpha, transposed: _ } = self;
        let strides = [left.row, left.column, right.row, right.column, out.row];
        strides.iter().chain(step).all(|&stride| stride >= 0)
            && out.column == 1
            && (right.column == 1 || sizes.inner * sizes.columns <= MOST_TRANSPOSED)
            && sizes.columns * size_of::<T>() >= fixed::NARROWEST
            && *conjugate == [false, false]
            && alpha.to_complex().im == 0.0
    }
}

/// The kernel for a product.
fn kernel<T: Element>(task: &Task<T>, simd: Simd) -> Kernel<T> {
    let rows = task.right.column == 1 && task.out.column == 1;
    if vectors::exist(simd) && task.fills_vectors() {
        return if rows { vector_kernel::<T, false>(simd) } else { vector_kernel::<T, true>(simd) };
    }
    match (simd, rows, task.conjugate != [false, false]) {
        #[cfg(target_arch = "x86_64")]
        (Simd::Avx512 | Simd::Avx2, true, false) => avx2::<T, true, false>,
        #[cfg(target_arch = "x86_64")]
        (Simd::Avx512 | Simd::Avx2, false, false) => avx2::<T, false, false>,
        (_, true, false) => portable::<T, true, false>,
        (_, false, false) => portable::<T, false, false>,
        (_, _, true) => portable::<T, false, true>,
    }
}

/// A size that is known when the product is prepared, for the kernels of `fixed`.
#[derive(Clone, Copy)]
struct RuntimeSize<'t, T> {
    task: &'t Task<T>,
    products: usize,
    /// Memory for the right factor where it is brought into rows.
    rows: Option<NonNull<T>>,
}

impl<T: Element> Size for RuntimeSize<'_, T> {
    #[inline(always)]
    fn problem(self) -> fixed::Problem {
        self.task.problem(self.products)
    }

    #[inline(always)]
    fn row_memory<U>(self) -> Option<*mut U> {
        self.rows.map(|rows| rows.as_ptr().cast())
    }

    #[inline(always)]
    unsafe fn stored<V: Vector>(self, sums: V, _to: *const V::Real) -> V {
        // SAFETY: the caller's promise.
        unsafe { sums.mul(V::splat(V::Real::from_complex(self.task.alpha.to_complex()))) }
    }
}

/// The kernel for these instructions, so that a call does not ask which they are.
fn vector_kernel<T: Element, const TRANSPOSED: bool>(simd: Simd) -> Kernel<T> {
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
/// As [`UnpackedGemm::run`], the processor has the instructions, and the task fills vectors for which there is a kernel.
unsafe fn in_vectors<T: Element, const TRANSPOSED: bool, const SIMD: usize>(
    task: &Task<T>,
    products: usize,
    [left, right]: [*const T; 2],
    out: *mut T,
) {
    let mut memory;
    let rows = if const { TRANSPOSED } {
        memory = RowMemory::UNINIT;
        NonNull::new(memory.start())
    } else {
        None
    };
    // SAFETY: the caller's promise; the instructions are among those that the processor has, and the memory for rows lives until the
    // kernel returns.
    unsafe { vectors::run(const { Simd::ALL[SIMD] }, RuntimeSize { task, products, rows }, left, right, out) }
}

/// Every element type's loops, compiled for 256-bit vectors.
///
/// # Safety
/// As [`UnpackedGemm::run`], and the processor has AVX2.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma")]
unsafe fn avx2<T: Element, const ROWS: bool, const CONJUGATE: bool>(
    task: &Task<T>,
    products: usize,
    factors: [*const T; 2],
    out: *mut T,
) {
    // SAFETY: the caller's promise.
    unsafe { all::<T, ROWS, CONJUGATE>(task, products, factors, out) }
}

/// The same for whatever the compilation's target has.
///
/// # Safety
/// As [`UnpackedGemm::run`].
unsafe fn portable<T: Element, const ROWS: bool, const CONJUGATE: bool>(
    task: &Task<T>,
    products: usize,
    factors: [*const T; 2],
    out: *mut T,
) {
    // SAFETY: the caller's promise.
    unsafe { all::<T, ROWS, CONJUGATE>(task, products, factors, out) }
}

/// All products.
///
/// # Safety
/// As [`UnpackedGemm::run`].
#[inline(always)]
unsafe fn all<T: Element, const ROWS: bool, const CONJUGATE: bool>(
    task: &Task<T>,
    products: usize,
    [left, right]: [*const T; 2],
    out: *mut T,
) {
    for n in 0..products as isize {
        let [a, b, c] = task.step.map(|step| n * step);
        // SAFETY: the caller's promise.
        unsafe { product::<T, ROWS, CONJUGATE>(task, [left.offset(a), right.offset(b)], out.offset(c)) };
    }
}

/// All tiles of a product; `ROWS`: rows of the right factor and the result are neighbours in memory.
///
/// # Safety
/// As [`UnpackedGemm::run`].
#[inline(always)]
unsafe fn product<T: Element, const ROWS: bool, const CONJUGATE: bool>(
    task: &Task<T>,
    [left, right]: [*const T; 2],
    out: *mut T,
) {
    let Sizes { rows, columns, .. } = task.sizes;
    for row in (0..rows).step_by(TILE) {
        for column in (0..columns).step_by(TILE) {
            let (down, along) = (row as isize, column as isize);
            // SAFETY: row and column are ones of the result; the caller's promise covers its elements and all that is read
            // for them.
            unsafe {
                let left = left.offset(down * task.left.row);
                let right = right.offset(along * task.right.column);
                let out = out.offset(down * task.out.row + along * task.out.column);
                // Constant extents let the compiler keep the sums in registers.
                match (TILE.min(rows - row), TILE.min(columns - column)) {
                    (4, 4) => tile::<T, ROWS, CONJUGATE, 4>(task, left, right, out, 4),
                    (rows, 4) => tile::<T, ROWS, CONJUGATE, 4>(task, left, right, out, rows),
                    (3, 3) => tile::<T, ROWS, CONJUGATE, 3>(task, left, right, out, 3),
                    (rows, 3) => tile::<T, ROWS, CONJUGATE, 3>(task, left, right, out, rows),
                    (2, 2) => tile::<T, ROWS, CONJUGATE, 2>(task, left, right, out, 2),
                    (rows, 2) => tile::<T, ROWS, CONJUGATE, 2>(task, left, right, out, rows),
                    (rows, _) => tile::<T, ROWS, CONJUGATE, 1>(task, left, right, out, rows),
                }
            }
        }
    }
}

/// A tile of so many rows and `COLUMNS` columns.
///
/// # Safety
/// As [`UnpackedGemm::run`], for this part of the matrices.
#[inline(always)]
unsafe fn tile<T: Element, const ROWS: bool, const CONJUGATE: bool, const COLUMNS: usize>(
    task: &Task<T>,
    left: *const T,
    right: *const T,
    out: *mut T,
    rows: usize,
) {
    let read = |at: *const T, conjugate: bool| {
        // SAFETY: the caller's promise; only elements of the tile's rows and columns are read.
        let x = unsafe { at.read() };
        if CONJUGATE && conjugate { x.conj() } else { x }
    };
    let [along, to] = [task.right.column, task.out.column].map(|stride| if ROWS { 1 } else { stride });
    let mut sums = [[T::ZERO; COLUMNS]; TILE];
    for k in 0..task.sizes.inner as isize {
        let (left, right) = (left.wrapping_offset(k * task.left.column), right.wrapping_offset(k * task.right.row));
        let mut terms = [T::ZERO; COLUMNS];
        for (c, term) in terms.iter_mut().enumerate() {
            *term = read(right.wrapping_offset(c as isize * along), task.conjugate[1]);
        }
        for (r, sums) in sums.iter_mut().enumerate().take(rows) {
            let x = read(left.wrapping_offset(r as isize * task.left.row), task.conjugate[0]);
            for (sum, &y) in sums.iter_mut().zip(&terms) {
                *sum += x * y;
            }
        }
    }
    for (r, sums) in sums.iter().enumerate().take(rows) {
        for (c, &sum) in sums.iter().enumerate() {
            // SAFETY: the caller's promise; these are elements of the tile.
            unsafe { out.offset(r as isize * task.out.row + c as isize * to).write(task.alpha * sum) };
        }
    }
}
