//! Long sums with small results: the inner products of a few vectors with a few others, along neighbours in memory.
//!
//! A tile of the result is a few vectors by a few, each sum spread over the lanes of a register. Nothing is packed: a piece of all vectors
//! is in the second cache while all tiles read it, that of a tile's rows in the first one, and running sums wait in memory for the next
//! piece. Meanwhile each tile asks for its share of the next piece, so that memory is read while sums are computed.

#![allow(clippy::needless_range_loop, reason = "iterators over arrays are compiled without a kernel's instructions")]

use std::ops::Range;

use super::lines::LINE;
use super::long_sums::{LEAF, LongSums, Pieces, add_running};
use super::product::{ClassifiedAxes, LEFT, RIGHT, Triple, positions};
use super::product_kernel::ProductKernel;
use super::simd::vector::Vector;
use super::simd::{Caches, Simd, by_vectors};
use super::sink::Sink;
use tensorwrapper_core::backend::fuse::points;
use tensorwrapper_core::element::Element;
use tensorwrapper_core::error::Error;
use tensorwrapper_core::internal::memory::zeros;

/// Vectors of each factor in a tile.
const TILE: usize = 4;
/// Rows or columns from which on packing is worth it.
const MANY: usize = 48;
/// Elements of the result at most: their running sums are vectors, and are to stay near.
const MOST: usize = 1024;
/// Terms below which a result is not worth so many running sums.
const LEAST: usize = 1024;
/// Neighbours along which sums run, at least.
const SHORT: usize = 24;
/// Bytes of a vector that tiles read at a time, at most: memory is fast along long lines.
const PIECE: usize = 64 << 10;
/// Elements that a running sum has: lanes of products with real parts, and of complex numbers as many with imaginary ones.
const fn lanes<T: Element>() -> usize {
    LINE / size_of::<T>() * if T::DTYPE.is_complex() { 2 } else { 1 }
}
/// Vectors that a tile asks for ahead, at most.
const ASKED: usize = 8;

/// Inner products, prepared.
#[derive(Debug)]
pub(super) struct InnerProducts<T> {
    results: LongSums<T>,
    /// Where the vectors of each factor begin.
    vectors: [Vec<isize>; 2],
    /// The axes around the one of neighbours, and that one's extent.
    outer: Vec<Triple>,
    run: usize,
    conjugate: [bool; 2],
    kernel: Kernel<T>,
}

/// Sums on their way, as lanes of vectors, and totals of such, to which they are added now and then.
#[derive(Debug)]
pub(super) struct RunningSums<T> {
    running: Vec<T>,
    totals: Vec<T>,
    /// How many pieces have been added.
    pieces: usize,
}

impl<T: Element> RunningSums<T> {
    /// So many sums of nothing.
    ///
    /// # Errors
    /// Memory.
    pub(super) fn new(results: usize) -> Result<RunningSums<T>, Error> {
        Ok(RunningSums { running: zeros(results * lanes::<T>())?, totals: zeros(results * lanes::<T>())?, pieces: 0 })
    }
}

/// Whether rows and columns are few, and sums long.
pub(super) fn suits<T>(sorted: &ClassifiedAxes<T>) -> bool {
    let (rows, columns) = (points(&sorted.rows), points(&sorted.columns));
    rows.max(columns) <= MANY && rows * columns <= MOST && points(&sorted.inner) >= LEAST
}

/// Adds a piece of so many elements, from these places on, to the running sums; the next piece begins so far ahead.
type Kernel<T> = unsafe fn(&[Vec<isize>; 2], [*const T; 2], [isize; 2], usize, *mut T);

impl<T: Element> InnerProducts<T> {
    /// Prepares a product; nothing where sums are short, or factors have no neighbours along them, or so many rows and columns that packing
    /// them is faster.
    pub(super) fn new(sorted: &ClassifiedAxes<T>, simd: Simd) -> Option<InnerProducts<T>> {
        let at = sorted.inner.iter().position(|axis| axis.strides[LEFT] == 1 && axis.strides[RIGHT] == 1)?;
        (suits(sorted) && sorted.inner[at].extent >= SHORT).then(|| InnerProducts::along(sorted, at, simd))
    }

    /// Sums along the inner axis of that number, whose elements are neighbours in both factors.
    pub(super) fn along(sorted: &ClassifiedAxes<T>, at: usize, simd: Simd) -> InnerProducts<T> {
        debug_assert!([LEFT, RIGHT].iter().all(|&side| sorted.inner[at].strides[side] == 1), "sums run along neighbours");
        let mut outer = sorted.inner.clone();
        let run = outer.remove(at).extent;
        let vectors = [positions(&sorted.rows, LEFT), positions(&sorted.columns, RIGHT)];
        let results = LongSums::new(sorted);
        InnerProducts { results, vectors, outer, run, conjugate: sorted.conjugate, kernel: kernel::<T>(simd) }
    }

    /// The sums of these terms.
    fn sums(&self, terms: Range<usize>, at: [isize; 3], data: [&[T]; 2]) -> Result<Vec<T>, Error> {
        let mut sums = RunningSums::new(self.results.results())?;
        self.add(terms, at, data, &mut sums);
        Ok(self.finish(sums))
    }

    /// Adds these terms to running sums.
    pub(super) fn add(&self, terms: Range<usize>, at: [isize; 3], data: [&[T]; 2], sums: &mut RunningSums<T>) {
        let mut pieces = Pieces::new(terms, (&self.outer, self.run), at, self.piece()).peekable();
        while let Some((at, first, count)) = pieces.next() {
            let place = [LEFT, RIGHT].map(|side| at[side] + first as isize);
            let next = pieces.peek().map_or(place, |(at, first, _)| [LEFT, RIGHT].map(|side| at[side] + *first as isize));
            let ahead = [LEFT, RIGHT].map(|side| next[side] - place[side]);
            // SAFETY: all positions lie inside the memory, and the instructions are there.
            unsafe {
                let from = [LEFT, RIGHT].map(|side| data[side].as_ptr().offset(place[side]));
                (self.kernel)(&self.vectors, from, ahead, count, sums.running.as_mut_ptr());
            }
            sums.pieces += 1;
            if sums.pieces.is_multiple_of(LEAF) {
                add_running(&mut sums.totals, &mut sums.running);
            }
        }
    }

    /// Elements of each vector that all tiles read before they go on.
    fn piece(&self) -> usize {
        let [rows, columns] = self.vectors.each_ref().map(Vec::len);
        let near = Caches::here().second / 2 / (rows + columns);
        // Where there are more columns than a tile has at least, several tiles read the rows of one.
        let nearest = if columns > 2 { Caches::here().first / 2 / TILE } else { PIECE };
        (near.min(nearest).min(PIECE) / size_of::<T>()).max(LINE)
    }

    /// What running sums have become: the sum of each row and column.
    pub(super) fn finish(&self, mut sums: RunningSums<T>) -> Vec<T> {
        add_running(&mut sums.totals, &mut sums.running);
        sums.totals.chunks(lanes::<T>()).map(|lanes| self.sum(lanes)).collect()
    }

    /// The sum of all lanes of a running sum: of complex numbers, lanes of products with real parts of the left factor, and with imaginary
    /// ones.
    fn sum(&self, lanes: &[T]) -> T {
        if !T::DTYPE.is_complex() {
            return lanes.iter().fold(T::ZERO, |sum, &x| sum + x);
        }
        let (re, im) = lanes.split_at(lanes.len() / 2);
        let [re, im] = [re, im].map(|lanes| lanes.iter().fold(T::ZERO, |sum, &x| sum + x));
        let [re, im] = [re, im].map(Element::to_complex);
        // Without a product, which would make infinities no numbers.
        let sum = |sign: f64| T::from_complex(num_complex::Complex::new(re.re - sign * im.im, re.im + sign * im.re));
        match self.conjugate {
            [false, false] => sum(1.0),
            [true, false] => sum(-1.0),
            [false, true] => sum(-1.0).conj(),
            [true, true] => sum(1.0).conj(),
        }
    }
}

impl<T: Element> ProductKernel<T> for InnerProducts<T> {
    fn method(&self) -> &'static str {
        "inner products"
    }

    fn work_space(&self, threads: usize) -> usize {
        self.results.results() * threads * (1 + 2 * lanes::<T>())
    }

    unsafe fn run(&self, threads: usize, data: [&[T]; 2], out: Sink<'_, T>) -> Result<(), Error> {
        // SAFETY: the caller's promise.
        unsafe { self.results.run(threads, out, &|terms, at| self.sums(terms, at, data)) }
    }
}

/// The kernel for these instructions.
fn kernel<T: Element>(simd: Simd) -> Kernel<T> {
    by_vectors!(simd, T, all(vectors: &[Vec<isize>; 2], from: [*const T; 2], ahead: [isize; 2], len: usize, sums: *mut T))
}

/// All tiles, of as many columns as registers hold sums for.
///
/// # Safety
/// As [`tiles`].
#[inline(always)]
unsafe fn all<V: Vector, T: Element, const PARTS: usize>(
    vectors: &[Vec<isize>; 2],
    from: [*const T; 2],
    ahead: [isize; 2],
    len: usize,
    sums: *mut T,
) {
    // SAFETY: the caller's promise.
    unsafe {
        if PARTS == 1 && V::ROWS >= 8 {
            tiles::<V, T, PARTS, 4, 3>(vectors, from, ahead, len, sums);
        } else {
            tiles::<V, T, PARTS, 2, 2>(vectors, from, ahead, len, sums);
        }
    }
}

/// All tiles, of at most so many columns; those that are not full have `FEWER`.
///
/// # Safety
/// So many elements follow all beginnings; there are running sums for all products; the processor has the instructions.
#[inline(always)]
unsafe fn tiles<V: Vector, T: Element, const PARTS: usize, const COLUMNS: usize, const FEWER: usize>(
    [rows, columns]: &[Vec<isize>; 2],
    [left, right]: [*const T; 2],
    ahead: [isize; 2],
    len: usize,
    sums: *mut T,
) {
    let each = lanes::<T>();
    let tiles = rows.len().div_ceil(TILE) * columns.len().div_ceil(COLUMNS);
    let vectors = rows.len() + columns.len();
    let next = |n: usize| match n.checked_sub(rows.len()) {
        None => left.wrapping_offset(rows[n] + ahead[LEFT]),
        Some(n) => right.wrapping_offset(columns[n] + ahead[RIGHT]),
    };
    let (mut number, mut row) = (0, 0);
    while row < rows.len() {
        // Tiles of nearly the same height.
        let high = (rows.len() - row).div_ceil((rows.len() - row).div_ceil(TILE));
        let mut column = 0;
        while column < columns.len() {
            let wide = (columns.len() - column).div_ceil((columns.len() - column).div_ceil(COLUMNS));
            let share = [number, number + 1].map(|n| n * vectors / tiles);
            let count = if ahead == [0; 2] { 0 } else { (share[1] - share[0]).min(ASKED) };
            // SAFETY: the caller's promise.
            unsafe {
                let mut a = [left.cast::<V::Real>(); TILE];
                let mut b = [right.cast::<V::Real>(); COLUMNS];
                let mut asked = [left.cast::<V::Real>(); ASKED];
                for n in 0..count {
                    asked[n] = next(share[0] + n).cast();
                }
                // A tile that is not full computes some of its vectors twice, and stores them once.
                for n in 0..TILE {
                    a[n] = left.offset(rows[row + n.min(high - 1)]).cast();
                }
                for n in 0..COLUMNS {
                    b[n] = right.offset(columns[column + n.min(wide - 1)]).cast();
                }
                let to = sums.add((row * columns.len() + column) * each).cast::<V::Real>();
                let further = [columns.len() * each * PARTS, each * PARTS];
                let (from, len, asked) = ((&a[..], &b[..]), len * PARTS, &asked[..count]);
                let few = wide <= FEWER;
                match (high, wide) {
                    (1, 1) => tile::<V, PARTS, 1, 1>(from, len, asked, to, further, 1),
                    (2, 1) => tile::<V, PARTS, 2, 1>(from, len, asked, to, further, 1),
                    (3, 1) => tile::<V, PARTS, 3, 1>(from, len, asked, to, further, 1),
                    (_, 1) => tile::<V, PARTS, TILE, 1>(from, len, asked, to, further, 1),
                    (1, _) => tile::<V, PARTS, 1, COLUMNS>(from, len, asked, to, further, wide),
                    (2, _) => tile::<V, PARTS, 2, COLUMNS>(from, len, asked, to, further, wide),
                    (3, _) if few => tile::<V, PARTS, 3, FEWER>(from, len, asked, to, further, wide),
                    (3, _) => tile::<V, PARTS, 3, COLUMNS>(from, len, asked, to, further, wide),
                    (_, _) if few => tile::<V, PARTS, TILE, FEWER>(from, len, asked, to, further, wide),
                    (_, _) => tile::<V, PARTS, TILE, COLUMNS>(from, len, asked, to, further, wide),
                }
            }
            column += wide;
            number += 1;
        }
        row += high;
    }
}

/// A tile of so many reals of each vector of rows and of columns. `asked` are the vectors of the next piece that it asks for; `further`:
/// how much further the sums of the next row and of the next column stand; `stored`: columns that there are.
#[inline(always)]
unsafe fn tile<V: Vector, const PARTS: usize, const ROWS: usize, const COLUMNS: usize>(
    (a, b): (&[*const V::Real], &[*const V::Real]),
    len: usize,
    asked: &[*const V::Real],
    to: *mut V::Real,
    further: [usize; 2],
    stored: usize,
) {
    // SAFETY: the caller's promise; the rest of a vector is not read.
    unsafe {
        let zero = V::splat(V::Real::ZERO);
        let mut sums = [[[zero; PARTS]; COLUMNS]; ROWS];
        let mut at = 0;
        while at + V::LANES <= len {
            for vector in asked {
                V::prefetch_far(vector.wrapping_add(at));
            }
            let mut y = [zero; COLUMNS];
            for n in 0..COLUMNS {
                y[n] = V::load(b[n].add(at));
            }
            for m in 0..ROWS {
                let x = V::load(a[m].add(at));
                multiply_add::<V, PARTS, COLUMNS>(&mut sums[m], x, &y);
            }
            at += V::LANES;
        }
        if at < len {
            let mut y = [zero; COLUMNS];
            for n in 0..COLUMNS {
                y[n] = V::load_some(b[n].add(at), len - at);
            }
            for m in 0..ROWS {
                let x = V::load_some(a[m].add(at), len - at);
                multiply_add::<V, PARTS, COLUMNS>(&mut sums[m], x, &y);
            }
        }
        for m in 0..ROWS {
            for n in 0..COLUMNS.min(stored) {
                for part in 0..PARTS {
                    // Products with imaginary parts have the second half of the room.
                    let to = to.add(m * further[0] + n * further[1] + part * LINE / size_of::<V::Real>());
                    V::load(to).add(sums[m][n][part]).store(to);
                }
            }
        }
    }
}

#[inline(always)]
unsafe fn multiply_add<V: Vector, const PARTS: usize, const COLUMNS: usize>(
    sums: &mut [[V; PARTS]; COLUMNS],
    x: V,
    y: &[V; COLUMNS],
) {
    for n in 0..COLUMNS {
        // SAFETY: the caller's promise.
        unsafe {
            if PARTS == 1 {
                sums[n][0] = sums[n][0].add_product(x, y[n]);
            } else {
                sums[n][0] = sums[n][0].add_product(x.real_parts(), y[n]);
                sums[n][PARTS - 1] = sums[n][PARTS - 1].add_product(x.imaginary_parts(), y[n]);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::Cpu;
    use super::super::tests::sized_contract;
    use rand::SeedableRng;
    use rand::rngs::StdRng;
    use tensorwrapper_core::element::{Dtype, dispatch};

    /// Tiles of every height and width, sums in one line and in several, of whole and of broken pieces.
    #[test]
    fn few_vectors_of_every_number() {
        let (mut rng, cpu) = (StdRng::seed_from_u64(9), Cpu::new(Some(1)));
        for (n, rows) in [1, 2, 3, 4, 5, 6, 7, 9, 10, 13, 14, 23, 48].into_iter().enumerate() {
            for columns in [1, 2, 3, 4, 5, 6, 7, 11, 14, 17] {
                let size = |label| match label {
                    'a' => rows,
                    'b' => columns,
                    'l' => 3,
                    _ => [1030, 1024, 2300][n % 3],
                };
                let dtype = [Dtype::F32, Dtype::F64, Dtype::C32, Dtype::C64][(n + columns) % 4];
                for equation in ["ak,bk->ab", "lak,blk->ba"] {
                    dispatch!(dtype, T => sized_contract::<T>(&mut rng, equation, &size, &cpu));
                }
            }
        }
    }
}
