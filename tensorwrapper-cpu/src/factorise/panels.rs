//! L and U of a real square matrix in rows, computed where these results lie: panels of a few columns are brought side by side,
//! factored there, and written once, as what they are of L; of what stands beside a panel rows are contiguous.
//!
//! Source: S. Toledo, "Locality of reference in LU decomposition with partial pivoting", SIAM J. Matrix Anal. Appl. 18, 1065
//! (1997), for the recursion. Knows nothing of where matrices come from.

use std::ops::Range;

use faer::linalg::matmul::matmul;
use faer::traits::ComplexField;
use faer::{Accum, MatMut, MatRef, Par};

use super::transpose::{Lines, Transposable, TransposeKernels, Wanted};
use crate::simd::Simd;
use crate::simd::vector::Vector;
use tensorwrapper_core::backend::linear::is_finite;
use tensorwrapper_core::element::Element;

/// Columns of a panel.
const WIDTH: usize = 16;
/// Elements that are looked at together for a pivot; columns of a panel are filled up to so many.
const LANES: usize = 16;

/// Columns side by side, of which the first row is that of the first pivot.
struct Panel<T> {
    columns: Vec<T>,
    /// How much further each column begins.
    stride: usize,
    /// Elements of a column, which fill its chunks: what is more than the matrix has is zeros.
    height: usize,
    width: usize,
    /// The triangle of U, column `c` from `c · WIDTH` on.
    upper: [T; WIDTH * WIDTH],
    /// Which row came to be each pivot's.
    pivots: [usize; WIDTH],
}

/// The kernels for one element type and one set of instructions.
#[derive(Clone, Copy)]
pub(super) struct Panels<T> {
    /// Factors a panel: its columns become those of L, with zeros for the ones and above them. Says whether all pivots are
    /// finite and have finite reciprocals.
    ///
    /// # Safety
    /// The processor has the instructions.
    factor: unsafe fn(&mut Panel<T>) -> bool,
    /// Replaces some rows of so many elements by the solution of a triangle whose diagonal is ones.
    ///
    /// # Safety
    /// The processor has the instructions. From the first element of the triangle and from that of the rows on, so many rows, at
    /// the stride, are in memory; the triangle's is not written by others.
    solve: unsafe fn(lower: *const T, rows: *mut T, stride: usize, count: usize, length: usize),
    transpose: TransposeKernels<T>,
}

/// Element types and their kernels.
pub(super) trait Panelled: Element {
    /// The kernels for these instructions, where there are any.
    fn panels(simd: Simd) -> Option<Panels<Self>>;
}

macro_rules! panelled {
    ($T:ty, $($Way:ident: $V:ty, $features:literal, $arch:literal;)*) => {
        impl Panelled for $T {
            fn panels(simd: Simd) -> Option<Panels<Self>> {
                match simd {
                    $(
                        #[cfg(target_arch = $arch)]
                        Simd::$Way => {
                            #[target_feature(enable = $features)]
                            unsafe fn factor(panel: &mut Panel<$T>) -> bool {
                                // SAFETY: the caller's promise.
                                unsafe { factor_panel::<$V>(panel) }
                            }
                            #[target_feature(enable = $features)]
                            unsafe fn solve(lower: *const $T, rows: *mut $T, stride: usize, count: usize, length: usize) {
                                // SAFETY: the caller's promise.
                                unsafe { solve_rows::<$V>(lower, rows, stride, count, length) }
                            }
                            Some(Panels { factor, solve, transpose: <$T>::transpose_kernels(simd)? })
                        }
                        #[cfg(not(target_arch = $arch))]
                        Simd::$Way => None,
                    )*
                    Simd::Portable => None,
                }
            }
        }
        impl Panelled for num_complex::Complex<$T> {
            fn panels(_: Simd) -> Option<Panels<Self>> {
                None
            }
        }
    };
}
crate::simd::for_vectors!(panelled);

/// A matrix that is being factored.
struct Factors<'f, T> {
    order: usize,
    lower: &'f mut [T],
    upper: &'f mut [T],
    /// Row n of the product is this row of the matrix.
    rows: Vec<usize>,
    panel: Panel<T>,
    kernels: Panels<T>,
    par: Par,
}

impl<T: ComplexField + Element> Panels<T> {
    /// Of a matrix in rows, which lies where U is to be: L, U, and for each row of their product which row of the matrix it is.
    /// None where some pivot is not finite, as it is where the matrix was not, or has no reciprocal.
    pub(super) fn inside(self, par: Par, lower: &mut [T], upper: &mut [T], order: usize) -> Option<Vec<usize>> {
        assert!(order > 0 && lower.len() == order * order && upper.len() == order * order, "square matrices");
        let height = order.next_multiple_of(LANES);
        // Columns that are not a power of two apart.
        let stride = height + LANES;
        let panel = Panel {
            columns: vec![Element::ZERO; stride * WIDTH],
            stride,
            height,
            width: WIDTH,
            upper: [Element::ZERO; WIDTH * WIDTH],
            pivots: [0; WIDTH],
        };
        let mut factors = Factors { order, lower, upper, rows: (0..order).collect(), panel, kernels: self, par };
        factors.factor(0, order)?;
        Some(factors.rows)
    }
}

impl<T: ComplexField + Element> Factors<'_, T> {
    /// Factors some columns, from their first pivot's row on: all that stands to the left of them is done, and they are what it
    /// has left of them.
    fn factor(&mut self, first: usize, count: usize) -> Option<()> {
        if count <= WIDTH {
            return self.factor_panel(first, count);
        }
        let half = (count / 2).next_multiple_of(WIDTH);
        self.factor(first, half)?;
        self.solve(first, half, first + half..first + count);
        self.subtract(first + half..self.order, first..first + half, first + half..first + count);
        self.factor(first + half, count - half)
    }

    /// Replaces rows of U in some columns by the solution of a triangle of L.
    fn solve(&mut self, first: usize, count: usize, columns: Range<usize>) {
        if count <= WIDTH {
            let (n, length) = (self.order, columns.len());
            assert!(first + count <= n && columns.end <= n, "inside of the matrix");
            let (lower, upper) = (&self.lower[first * n + first..], &mut self.upper[first * n + columns.start..]);
            // SAFETY: kernels are those of instructions that are there; rows and columns are those of the matrix.
            return unsafe { (self.kernels.solve)(lower.as_ptr(), upper.as_mut_ptr(), n, count, length) };
        }
        let half = (count / 2).next_multiple_of(WIDTH);
        self.solve(first, half, columns.clone());
        self.subtract(first + half..first + count, first..first + half, columns.clone());
        self.solve(first + half, count - half, columns);
    }

    /// Subtracts from rows of U, in some columns, L times the rows of U that are before.
    fn subtract(&mut self, rows: Range<usize>, before: Range<usize>, columns: Range<usize>) {
        let n = self.order;
        let lower = MatRef::from_row_major_slice(self.lower, n, n).get(rows.clone(), before.clone());
        let (done, left) = MatMut::from_row_major_slice_mut(self.upper, n, n).split_at_row_mut(rows.start);
        let done = done.as_ref().get(before, columns.clone());
        let left = left.get_mut(..rows.len(), columns);
        matmul(left, Accum::Add, lower, done, -<T as Element>::ONE, self.par);
    }

    fn factor_panel(&mut self, first: usize, width: usize) -> Option<()> {
        let Factors { order: n, lower, upper, rows, panel, kernels, .. } = self;
        let (n, height) = (*n, *n - first);
        assert!(width <= WIDTH && first + width <= n, "inside of the matrix");
        (panel.width, panel.height) = (width, height.next_multiple_of(LANES));
        for column in panel.columns.chunks_exact_mut(panel.stride).take(width) {
            column[height..panel.height].fill(Element::ZERO);
        }
        let to_panel = Lines {
            from: upper[first * n + first..].as_ptr(),
            step: n as isize,
            order: None,
            to: panel.columns.as_mut_ptr(),
            stride: panel.stride as isize,
            lines: height,
            length: width,
            wanted: Wanted::All,
        };
        // SAFETY: kernels are those of instructions that are there; a panel has a place for each row that is left.
        let is_factored = unsafe {
            (kernels.transpose.lines)(&to_panel);
            (kernels.factor)(panel)
        };
        if !is_factored {
            return None;
        }
        let to_lower = Lines {
            from: panel.columns.as_ptr(),
            step: panel.stride as isize,
            order: None,
            to: lower[first * n + first..].as_mut_ptr(),
            stride: n as isize,
            lines: width,
            length: height,
            wanted: Wanted::All,
        };
        // SAFETY: as above.
        unsafe { (kernels.transpose.lines)(&to_lower) };
        for (c, &below) in panel.pivots[..width].iter().enumerate().filter(|(c, below)| c != *below) {
            let (row, other) = (first + c, first + below);
            rows.swap(row, other);
            swap_rows(upper, n, [row, other], first + width..n);
            swap_rows(lower, n, [row, other], 0..first);
        }
        for r in 0..width {
            let row = first + r;
            let (lower, upper) = (&mut lower[row * n..][..n], &mut upper[row * n..][..n]);
            upper[..row].fill(Element::ZERO);
            for c in r..width {
                upper[first + c] = panel.upper[c * WIDTH + r];
            }
            lower[row] = Element::ONE;
            lower[row + 1..].fill(Element::ZERO);
        }
        Some(())
    }
}

/// Swaps some columns of two rows, the first above the second.
fn swap_rows<T>(matrix: &mut [T], n: usize, [row, other]: [usize; 2], columns: Range<usize>) {
    let (above, below) = matrix.split_at_mut(other * n);
    above[row * n..][columns.clone()].swap_with_slice(&mut below[columns]);
}

#[inline(always)]
unsafe fn factor_panel<V: Vector<Real: PartialOrd>>(panel: &mut Panel<V::Real>) -> bool {
    let (zero, one) = (V::Real::ZERO, V::Real::ONE);
    let &mut Panel { ref mut columns, stride, height, width, ref mut upper, ref mut pivots } = panel;
    let fits = width <= WIDTH && width <= height && height <= stride && columns.len() >= width * stride;
    assert!(fits && height.is_multiple_of(LANES), "columns in whole chunks");
    let columns = columns.as_mut_ptr();
    // SAFETY: the caller's promise; each place is one of a row below the height, of a column below the width.
    unsafe {
        for c in 0..width {
            let own = columns.add(c * stride);
            for r in 0..c {
                upper[c * WIDTH + r] = *own.add(r);
                *own.add(r) = zero;
            }
            let below = largest(std::slice::from_raw_parts(own, height), c);
            let pivot = *own.add(below);
            let reciprocal = one / pivot;
            if !(is_finite(pivot) && is_finite(reciprocal)) {
                return false;
            }
            pivots[c] = below;
            if below != c {
                for d in 0..width {
                    std::ptr::swap(columns.add(d * stride + c), columns.add(d * stride + below));
                }
            }
            upper[c * WIDTH + c] = pivot;
            *own.add(c) = zero;
            // Zeros above take nothing away.
            let start = (c + 1) / V::LANES * V::LANES;
            let reciprocal = V::splat(reciprocal);
            for at in (start..height).step_by(V::LANES) {
                V::load(own.add(at)).mul(reciprocal).store(own.add(at));
            }
            let mut d = c + 1;
            while d + 4 <= width {
                subtract::<V, 4>(own, columns.add(d * stride), stride, c, start..height);
                d += 4;
            }
            while d < width {
                subtract::<V, 1>(own, columns.add(d * stride), stride, c, start..height);
                d += 1;
            }
        }
    }
    true
}

/// The row of the largest element of a column, from a row on, above which are zeros.
#[inline(always)]
fn largest<R: Element<Real = R> + PartialOrd>(column: &[R], first: usize) -> usize {
    let chunks = &column.as_chunks::<LANES>().0[first / LANES..];
    let mut most = [R::ZERO; LANES];
    for chunk in chunks {
        for lane in 0..LANES {
            let size = chunk[lane].abs();
            most[lane] = if size > most[lane] { size } else { most[lane] };
        }
    }
    let mut best = R::ZERO;
    for lane in 0..LANES {
        best = if most[lane] > best { most[lane] } else { best };
    }
    (first..column.len()).find(|&row| column[row].abs() == best).unwrap_or(first)
}

/// Subtracts a column of L, times what stands in a row of others, from these.
#[inline(always)]
unsafe fn subtract<V: Vector, const S: usize>(
    own: *const V::Real,
    others: *mut V::Real,
    stride: usize,
    row: usize,
    rows: Range<usize>,
) {
    // SAFETY: the caller's promise.
    unsafe {
        let mut factors = [V::splat(V::Real::ZERO); S];
        for s in 0..S {
            factors[s] = V::splat(*others.add(s * stride + row));
        }
        for at in rows.step_by(V::LANES) {
            let x = V::load(own.add(at));
            for s in 0..S {
                let place = others.add(s * stride + at);
                V::load(place).sub_product(x, factors[s]).store(place);
            }
        }
    }
}

#[inline(always)]
unsafe fn solve_rows<V: Vector>(lower: *const V::Real, rows: *mut V::Real, stride: usize, count: usize, length: usize) {
    // SAFETY: the caller's promise.
    unsafe {
        let mut at = 0;
        while at + 4 * V::LANES <= length {
            solve_stripe::<V, 4>(lower, rows.add(at), stride, count);
            at += 4 * V::LANES;
        }
        while at + V::LANES <= length {
            solve_stripe::<V, 1>(lower, rows.add(at), stride, count);
            at += V::LANES;
        }
        for at in at..length {
            for i in 1..count {
                for k in 0..i {
                    let known = *rows.add(k * stride + at);
                    let x = rows.add(i * stride + at);
                    *x = *x - *lower.add(i * stride + k) * known;
                }
            }
        }
    }
}

#[inline(always)]
unsafe fn solve_stripe<V: Vector, const S: usize>(lower: *const V::Real, rows: *mut V::Real, stride: usize, count: usize) {
    // SAFETY: the caller's promise.
    unsafe {
        for i in 1..count {
            let row = rows.add(i * stride);
            let mut sums = [V::splat(V::Real::ZERO); S];
            for s in 0..S {
                sums[s] = V::load(row.add(s * V::LANES));
            }
            for k in 0..i {
                let factor = V::splat(*lower.add(i * stride + k));
                for s in 0..S {
                    sums[s] = sums[s].sub_product(V::load(rows.add(k * stride + s * V::LANES)), factor);
                }
            }
            for s in 0..S {
                sums[s].store(row.add(s * V::LANES));
            }
        }
    }
}
