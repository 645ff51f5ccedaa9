//! The sum of products of matrices where they lie: a few rows of the result stay in registers from the first product to the last.
//!
//! The kernels are those of `fixed`. A right factor whose columns are no neighbours is brought into rows first, some terms at a time, each
//! time with a pass over the result. Nothing else is packed, so that a product begins at once; what is read twice stays in the near caches,
//! as products are not large.

use std::cmp::Reverse;
use std::ptr::NonNull;

use super::few;
use super::fixed::{Axis, MOST_OUTER, MOST_TRANSPOSED, NARROWEST, Problem, Term, kernel as vectors};
use super::product::{ClassifiedAxes, IN_VECTORS, LEFT, OUT, RIGHT, Triple};
use super::sink::Sink;
use crate::lines::LINE;
use crate::simd::vector::Vector;
use crate::simd::{Caches, Simd};
use tensorwrapper_core::backend::SumTerm;
use tensorwrapper_core::element::Element;
use vectors::{RowMemory, Size};

/// Multiplications of a product at most: the engine, which packs, multiplies larger ones faster.
const MOST: usize = 1 << 21;
/// Multiplications that are so few that no other way to compute them is faster.
const FEW: usize = 16 * 16 * 16;
/// Rows of the result that keep the multipliers busy.
const ENOUGH_ROWS: usize = 4;
/// Terms that are so few that memory limits a product of fewer rows.
const FEW_TERMS: usize = 8;
/// Terms for which there has to be room at least where a right factor is brought into rows part by part: each part takes a pass over the
/// result.
const PART: usize = 8;

/// Loops over matrices of the result at most.
const AROUND: usize = 2;

/// A sum of products of matrices, prepared: what each is, and where they begin before a term says more.
#[derive(Debug)]
pub(super) struct SummedGemm<T> {
    /// A product of matrices along the inner one of the loops of terms.
    problem: Problem,
    /// The loops over such products, each with a result of its own.
    around: [Axis; AROUND],
    /// The outer one of the loops of terms, which is as many products.
    far: Term,
    /// How many terms of the inner loop are added up at once where the right factor is brought into rows: as many as there is room for.
    together: usize,
    /// The factor that has the rows, and the one that has the columns.
    sides: [usize; 2],
    start: [isize; 3],
    alpha: T,
    kernel: Kernel<T>,
}

/// Adds up products of this kind into the result.
type Kernel<T> = unsafe fn(&SummedSize<'_>, [*const T; 2], *mut T);

impl<T: Element> SummedGemm<T> {
    /// Prepares the sum of such products; nothing where kernels in vectors would not compute them well.
    pub(super) fn new(sorted: &ClassifiedAxes<T>, simd: Simd) -> Option<SummedGemm<T>> {
        let is_plain = sorted.conjugate == [false, false] && sorted.alpha.to_complex().im == 0.0;
        if !vectors::exist(simd) || !is_plain || sorted.multiplications() > MOST {
            return None;
        }
        let is_in_columns = sorted.columns.iter().any(|axis| axis.strides[OUT] == 1);
        let sides = if is_in_columns { [LEFT, RIGHT] } else { [RIGHT, LEFT] };
        let (problem, far, around) = problem(sorted, sides)?;
        if !suits::<T>(&problem, far) {
            return None;
        }
        let near = problem.terms[0];
        let parts = near.extent.div_ceil(MOST_TRANSPOSED / problem.columns.min(MOST_TRANSPOSED));
        Some(SummedGemm {
            problem,
            around,
            far,
            together: near.extent.div_ceil(parts),
            sides,
            start: sorted.start,
            alpha: sorted.alpha,
            kernel: kernel::<T>(simd),
        })
    }

    /// Computes the sum of the products of these terms, all of one weight and one result, or adds it to what the result holds.
    ///
    /// # Safety
    /// All elements that the strides reach from where terms begin lie inside the memory, and nobody else reads or writes the results.
    pub(super) unsafe fn run(&self, terms: &[SumTerm], data: [&[T]; 2], (out, adds): (Sink<'_, T>, bool)) {
        let Some(&SumTerm { to, weight, .. }) = terms.first() else { return };
        let number = self.alpha.to_complex().re * weight;
        let by_right = self.sides[0] == RIGHT;
        let size = SummedSize { problem: &self.problem, terms, far: self.far, by_right, number, adds, rows: None };
        // SAFETY: the caller's promise; the kernel was chosen among those whose instructions the processor has.
        unsafe {
            let from = self.sides.map(|side| data[side].as_ptr().offset(self.start[side]));
            let to = out.address(self.start[OUT] + to as isize);
            let [outer, inner] = self.around;
            for n in 0..outer.extent {
                for m in 0..inner.extent {
                    let further = |outer: usize, inner: usize| n * outer + m * inner;
                    let from = [from[0].add(further(outer.a, inner.a)), from[1].add(further(outer.b, inner.b))];
                    self.one(&size, from, to.add(further(outer.c, inner.c)));
                }
            }
        }
    }

    /// Of each of these products one matrix of the result.
    ///
    /// # Safety
    /// As [`run`](SummedGemm::run).
    unsafe fn one(&self, size: &SummedSize<'_>, [a, b]: [*const T; 2], to: *mut T) {
        // SAFETY: the caller's promise.
        unsafe {
            if self.problem.b_column == 1 {
                return (self.kernel)(size, [a, b], to);
            }
            let mut memory = RowMemory::<T>::UNINIT;
            let size = SummedSize { rows: NonNull::new(memory.start().cast()), ..*size };
            for product in 0..size.products() {
                let [further, along] = size.begins(product);
                let size = SummedSize { adds: size.adds || product > 0, terms: &HERE, far: Term::NONE, ..size };
                self.in_parts(size, [a.add(further), b.add(along)], to);
            }
        }
    }

    /// One product whose right factor is brought into rows: as many terms at a time as there is room for.
    ///
    /// # Safety
    /// As [`run`](SummedGemm::run).
    unsafe fn in_parts(&self, size: SummedSize<'_>, [a, b]: [*const T; 2], to: *mut T) {
        let near = self.problem.terms[0];
        for first in (0..near.extent).step_by(self.together) {
            let part = Term { extent: self.together.min(near.extent - first), ..near };
            let problem = Problem { terms: [part, Term::NONE], ..self.problem };
            // SAFETY: the caller's promise: these are terms of the product.
            unsafe {
                let from = [a.add(first * near.a), b.add(first * near.b)];
                (self.kernel)(&SummedSize { problem: &problem, adds: size.adds || first > 0, ..size }, from, to);
            }
        }
    }
}

/// One product of factors that begin where the kernel is told.
const HERE: [SumTerm; 1] = [SumTerm { starts: [0, 0], to: 0, adds: false, weight: 1.0 }];

/// A product of matrices for the kernels of `fixed`, rows from the first side, columns, which are neighbours in the result, from the
/// second; the outer loop of terms, and the loops around. Nothing where there are more axes than these, or something is read or written
/// backwards.
fn problem<T: Element>(sorted: &ClassifiedAxes<T>, [of_rows, of_columns]: [usize; 2]) -> Option<(Problem, Term, [Axis; AROUND])> {
    let own = |side: usize| if side == LEFT { &sorted.rows } else { &sorted.columns };
    let all = [&sorted.batch, &sorted.rows, &sorted.columns, &sorted.inner];
    if all.into_iter().flatten().any(|axis| axis.strides.iter().any(|&stride| stride < 0)) || sorted.inner.len() > 2 {
        return None;
    }
    let column = own(of_columns).iter().position(|axis| axis.strides[OUT] == 1)?;
    let row = (0..own(of_rows).len()).max_by_key(|&n| own(of_rows)[n].extent);
    let others = |axes: &[Triple], taken: Option<usize>| -> Vec<Triple> {
        axes.iter().enumerate().filter(|(n, _)| Some(*n) != taken).map(|(_, axis)| *axis).collect()
    };
    let outer = [sorted.batch.clone(), others(own(of_rows), row), others(own(of_columns), Some(column))].concat();
    if outer.len() > AROUND {
        return None;
    }
    let stride = |axis: &Triple, operand: usize| axis.strides[operand] as usize;
    let mut around = [Axis::NONE; AROUND];
    for (to, axis) in around[AROUND - outer.len()..].iter_mut().zip(&outer) {
        *to = Axis { extent: axis.extent, a: stride(axis, of_rows), b: stride(axis, of_columns), c: stride(axis, OUT) };
    }
    let column = &own(of_columns)[column];
    let b_column = stride(column, of_columns);
    let mut terms = [Term::NONE; 2];
    for (term, axis) in terms.iter_mut().zip(&sorted.inner) {
        *term = Term { extent: axis.extent, a: stride(axis, of_rows), b: stride(axis, of_columns) };
    }
    // The inner loop is the longer one, or one along which a factor is brought into rows line by line.
    few::sort_by_key(&mut terms, |term| (b_column == 1 || term.b != 1 || term.extent < PART, Reverse(term.extent)));
    let (rows, a_row, c_row) = row.map_or((1, 0, 1), |row| {
        let row = &own(of_rows)[row];
        (row.extent, stride(row, of_rows), stride(row, OUT))
    });
    let [near, far] = terms;
    let terms = [near, Term::NONE];
    let one = Problem { rows, columns: column.extent, terms, a_row, c_row, b_column, outer: [Axis::NONE; MOST_OUTER] };
    Some((one, far, around))
}

/// Whether the kernels compute it well: rows of the result fill vectors, there are enough of them, or few terms, and what is read and
/// written stays near.
fn suits<T: Element>(problem: &Problem, far: Term) -> bool {
    let size = size_of::<T>();
    let Problem { rows, columns, .. } = *problem;
    let terms = problem.terms[0].extent * far.extent;
    let work = problem.work() * far.extent;
    let is_little = work <= FEW;
    let width = if work <= IN_VECTORS { NARROWEST } else { LINE };
    let is_busy = rows >= ENOUGH_ROWS || terms <= FEW_TERMS || is_little;
    // A factor that is brought into rows is read for all of them, and there is room for some terms of it.
    let is_read_often = rows >= ENOUGH_ROWS || is_little;
    let brings = problem.b_column == 1 || is_read_often && columns * terms.min(PART) <= MOST_TRANSPOSED;
    let touched = rows * terms + terms * columns + rows * columns;
    columns * size >= width && is_busy && brings && touched * size <= Caches::here().second
}

/// What is summed, for the kernels of `fixed`.
#[derive(Clone, Copy)]
struct SummedSize<'t> {
    problem: &'t Problem,
    terms: &'t [SumTerm],
    /// The loop over products of a term.
    far: Term,
    /// Whether the right factor has the rows.
    by_right: bool,
    /// What sums are multiplied by.
    number: f64,
    adds: bool,
    /// Memory to bring the right factor into rows in, where its columns are no neighbours.
    rows: Option<NonNull<u8>>,
}

impl SummedSize<'_> {
    #[inline(always)]
    fn products(self) -> usize {
        self.terms.len() * self.far.extent
    }

    #[inline(always)]
    fn begins(self, product: usize) -> [usize; 2] {
        // Most terms are one product, and a division takes as long as some of their vectors.
        let (term, n) = if self.far.extent == 1 { (product, 0) } else { (product / self.far.extent, product % self.far.extent) };
        let [left, right] = self.terms[term].starts;
        let [a, b] = if self.by_right { [right, left] } else { [left, right] };
        [a + n * self.far.a, b + n * self.far.b]
    }
}

/// The same, by itself.
#[derive(Clone, Copy)]
struct Summed<'s>(&'s SummedSize<'s>);

impl Size for Summed<'_> {
    #[inline(always)]
    fn problem(self) -> Problem {
        // The same as there, said as constants, so that the compiler makes no code for loops that are not there.
        let terms = [self.0.problem.terms[0], Term::NONE];
        Problem { terms, outer: [Axis::NONE; MOST_OUTER], ..*self.0.problem }
    }

    #[inline(always)]
    fn row_memory<T>(self) -> Option<*mut T> {
        self.0.rows.map(|rows| rows.as_ptr().cast())
    }

    #[inline(always)]
    fn products(self) -> usize {
        self.0.products()
    }

    #[inline(always)]
    fn begins(self, product: usize) -> [usize; 2] {
        self.0.begins(product)
    }

    #[inline(always)]
    unsafe fn stored<V: Vector>(self, sums: V, to: *const V::Real) -> V {
        // SAFETY: the caller's promise.
        unsafe {
            let number = V::splat(V::Real::from_complex(self.0.number.into()));
            if self.0.adds { V::load(to).add_product(sums, number) } else { sums.mul(number) }
        }
    }
}

/// The kernel for these instructions.
fn kernel<T: Element>(simd: Simd) -> Kernel<T> {
    match simd {
        Simd::Avx512 => in_vectors::<T, { Simd::Avx512 as usize }>,
        Simd::Avx2 => in_vectors::<T, { Simd::Avx2 as usize }>,
        Simd::Neon => in_vectors::<T, { Simd::Neon as usize }>,
        Simd::Portable => unreachable!("the portable form has no kernel in vectors"),
    }
}

/// By the kernel of `fixed` for the instructions of this number in [`Simd::ALL`].
///
/// # Safety
/// As [`SummedGemm::run`], the processor has the instructions, and rows of the result fill vectors for which there is a kernel.
unsafe fn in_vectors<T: Element, const SIMD: usize>(size: &SummedSize<'_>, [left, right]: [*const T; 2], out: *mut T) {
    // SAFETY: the caller's promise; the instructions are among those that the processor has.
    unsafe { vectors::run(const { Simd::ALL[SIMD] }, Summed(size), left, right, out) }
}
