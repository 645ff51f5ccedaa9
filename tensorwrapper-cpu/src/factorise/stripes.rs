//! Cholesky's factor of a real matrix, a panel of eight columns after the other: what the panels before it take away is summed in
//! registers, stripes of rows at a time, and each stripe is stored once.
//!
//! Source: G. H. Golub, C. F. Van Loan, "Matrix Computations", 4th ed. (2013), §4.2.6. Knows nothing of conventions.

use crate::simd::Simd;
use crate::simd::vector::Vector;
use tensorwrapper_core::backend::linear::{Failure, Matrix};
use tensorwrapper_core::element::Element;

/// Columns of a panel.
const WIDTH: usize = 8;
/// Rows that all stripes fill.
pub(super) const WIDEST: usize = 16;
/// The largest order: of larger matrices the panels before lie too far for being read for eight columns.
pub(super) const MOST: usize = 512;

/// See [`Stripes::inside`].
///
/// # Safety
/// The processor has the instructions; the memory is the square matrix, in dense columns.
type Kernel<T> = unsafe fn(*mut T, usize) -> Result<(), usize>;

/// A kernel, and what the rows must be a multiple of.
#[derive(Clone, Copy)]
pub(super) struct Stripes<T> {
    kernel: Kernel<T>,
    rows: usize,
}

/// Element types and their kernels.
pub(super) trait Striped: Element {
    /// The kernel for these instructions, where there is one.
    fn stripes(simd: Simd) -> Option<Stripes<Self>>;
}

macro_rules! striped {
    ($T:ty, $($Way:ident: $V:ty, $features:literal, $arch:literal;)*) => {
        impl Striped for $T {
            fn stripes(simd: Simd) -> Option<Stripes<Self>> {
                match simd {
                    $(
                        #[cfg(target_arch = $arch)]
                        Simd::$Way => {
                            #[target_feature(enable = $features)]
                            unsafe fn kernel(a: *mut $T, order: usize) -> Result<(), usize> {
                                // SAFETY: the caller's promise.
                                unsafe { cholesky::<$V>(order, a) }
                            }
                            Some(Stripes { kernel, rows: if WIDTH > <$V>::LANES { WIDTH } else { <$V>::LANES } })
                        }
                        #[cfg(not(target_arch = $arch))]
                        Simd::$Way => None,
                    )*
                    Simd::Portable => None,
                }
            }
        }
        impl Striped for num_complex::Complex<$T> {
            fn stripes(_: Simd) -> Option<Stripes<Self>> {
                None
            }
        }
    };
}
crate::simd::for_vectors!(striped);

impl<T: Element> Stripes<T> {
    /// Whether stripes fill a matrix.
    pub(super) fn fit(self, order: usize) -> bool {
        order.is_multiple_of(self.rows)
    }

    /// Replaces the lower triangle of a matrix in dense columns, which stripes fill, by its factor; or names a pivot that is not
    /// positive. What stands above the diagonal is overwritten.
    pub(super) fn inside(self, a: &mut [T], order: usize) -> Result<(), usize> {
        assert!(a.len() == order * order && self.fit(order), "stripes fill the matrix");
        // SAFETY: kernels are those of instructions that are there.
        unsafe { (self.kernel)(a.as_mut_ptr(), order) }
    }

    /// See [`Algorithms::cholesky`](tensorwrapper_core::backend::linear::Algorithms::cholesky).
    pub(super) fn cholesky(self, a: &mut Matrix<T>) -> Result<(), Failure> {
        let order = a.rows;
        let wide = order.next_multiple_of(self.rows);
        let done = if wide == order {
            self.inside(&mut a.data, order)
        } else {
            // Ones on the diagonal of what is added: they have themselves as factors, and nothing with the rest.
            let mut padded = Matrix::unit(wide, wide);
            for n in 0..order {
                padded.column_mut(n)[n..order].copy_from_slice(&a.column(n)[n..]);
            }
            let done = self.inside(&mut padded.data, wide);
            (0..order).for_each(|n| a.column_mut(n)[n..].copy_from_slice(&padded.column(n)[n..order]));
            done
        };
        done.map_err(|pivot| Failure::NotPositiveDefinite { pivot })
    }
}

/// The factor of the square on the diagonal, by columns, and the reciprocals of its diagonal.
struct Square<R> {
    columns: [[R; WIDTH]; WIDTH],
    reciprocals: [R; WIDTH],
}

/// # Safety
/// The processor has the instructions; the matrix is square, in dense columns, and its order a multiple of [`WIDTH`] and of the lanes.
#[inline(always)]
unsafe fn cholesky<V: Vector>(n: usize, a: *mut V::Real) -> Result<(), usize> {
    debug_assert!(n.is_multiple_of(WIDTH) && n.is_multiple_of(V::LANES));
    for j in (0..n).step_by(WIDTH) {
        // SAFETY: the caller's promise: all stripes lie inside of the matrix.
        unsafe {
            let first = j / V::LANES * V::LANES;
            let mut i = first;
            // The square itself, and rows that share vectors with it.
            while i < j + WIDTH {
                let sums = left::<V, 1>(n, a, j, i);
                store(&sums, n, a, j, i);
                i += V::LANES;
            }
            let square = factor::<V>(n, a, j)?;
            for i in (first..i).step_by(V::LANES) {
                let mut sums = [[V::splat(V::Real::ZERO); WIDTH]; 1];
                for c in 0..WIDTH {
                    sums[0][c] = V::load(a.add((j + c) * n + i));
                }
                divide(&mut sums, &square);
                store(&sums, n, a, j, i);
            }
            for (c, column) in square.columns.iter().enumerate() {
                for r in c..WIDTH {
                    *a.add((j + c) * n + j + r) = column[r];
                }
            }
            while i + 3 * V::LANES <= n && V::LANES >= WIDTH {
                stripe::<V, 3>(n, a, j, i, &square);
                i += 3 * V::LANES;
            }
            while i < n {
                stripe::<V, 1>(n, a, j, i, &square);
                i += V::LANES;
            }
        }
    }
    Ok(())
}

/// A stripe of the panel that begins with column `j`, from row `i` on.
#[inline(always)]
unsafe fn stripe<V: Vector, const S: usize>(n: usize, a: *mut V::Real, j: usize, i: usize, square: &Square<V::Real>) {
    // SAFETY: the caller's promise.
    unsafe {
        let mut sums = left::<V, S>(n, a, j, i);
        divide(&mut sums, square);
        store(&sums, n, a, j, i);
    }
}

/// What the panels before leave of a stripe.
#[inline(always)]
unsafe fn left<V: Vector, const S: usize>(n: usize, a: *const V::Real, j: usize, i: usize) -> [[V; WIDTH]; S] {
    // SAFETY: the caller's promise.
    unsafe {
        let zero = V::splat(V::Real::ZERO);
        let mut sums = [[zero; WIDTH]; S];
        for s in 0..S {
            for c in 0..WIDTH {
                sums[s][c] = V::load(a.add((j + c) * n + i + s * V::LANES));
            }
        }
        for k in 0..j {
            let column = a.add(k * n);
            let mut rows = [zero; S];
            for s in 0..S {
                rows[s] = V::load(column.add(i + s * V::LANES));
            }
            for c in 0..WIDTH {
                let factor = V::splat(*column.add(j + c));
                for s in 0..S {
                    sums[s][c] = sums[s][c].sub_product(rows[s], factor);
                }
            }
        }
        sums
    }
}

/// Divides a stripe by the square's factor from the right.
#[inline(always)]
unsafe fn divide<V: Vector, const S: usize>(sums: &mut [[V; WIDTH]; S], square: &Square<V::Real>) {
    // SAFETY: the caller's promise.
    unsafe {
        for c in 0..WIDTH {
            let reciprocal = V::splat(square.reciprocals[c]);
            for s in 0..S {
                sums[s][c] = sums[s][c].mul(reciprocal);
            }
            for d in c + 1..WIDTH {
                let factor = V::splat(square.columns[c][d]);
                for s in 0..S {
                    sums[s][d] = sums[s][d].sub_product(sums[s][c], factor);
                }
            }
        }
    }
}

#[inline(always)]
unsafe fn store<V: Vector, const S: usize>(sums: &[[V; WIDTH]; S], n: usize, a: *mut V::Real, j: usize, i: usize) {
    // SAFETY: the caller's promise.
    unsafe {
        for s in 0..S {
            for c in 0..WIDTH {
                sums[s][c].store(a.add((j + c) * n + i + s * V::LANES));
            }
        }
    }
}

/// Factors the square on the diagonal, of which the lower triangle is read.
#[inline(always)]
unsafe fn factor<V: Vector>(n: usize, a: *const V::Real, j: usize) -> Result<Square<V::Real>, usize> {
    let (zero, one) = (V::Real::ZERO, V::Real::ONE);
    let mut square = Square { columns: [[zero; WIDTH]; WIDTH], reciprocals: [one; WIDTH] };
    let Square { columns, reciprocals } = &mut square;
    for c in 0..WIDTH {
        for r in c..WIDTH {
            // SAFETY: the caller's promise.
            columns[c][r] = unsafe { *a.add((j + c) * n + j + r) };
        }
    }
    for c in 0..WIDTH {
        let pivot = columns[c][c].to_complex().re;
        if !(pivot > 0.0 && pivot.is_finite()) {
            return Err(j + c);
        }
        let root = V::Real::from_complex(pivot.sqrt().into());
        reciprocals[c] = one / root;
        columns[c][c] = root;
        for r in c + 1..WIDTH {
            columns[c][r] *= reciprocals[c];
        }
        for d in c + 1..WIDTH {
            let own = columns[c][d];
            for r in d..WIDTH {
                columns[d][r] = columns[d][r] - columns[c][r] * own;
            }
        }
    }
    Ok(square)
}
