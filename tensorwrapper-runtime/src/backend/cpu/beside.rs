//! Small products that lie side by side: neighbours in memory belong to different ones, and vectors run across them, so that
//! nothing is packed. Real numbers only.
//!
//! Nothing is checked while they run: where elements lie is known when they are prepared.

use super::classify::{SMALL, Sorted};
use super::contract::Triple;
use super::contract::{LEFT, OUT, RIGHT};
#[cfg(target_arch = "x86_64")]
use super::fixed::lanes::{F32x16, F64x8, Lanes};
use super::fuse::{Axis, Odometer, points};
use super::gemm::Sizes;
use super::matrix::{groups, place};
use super::sink::Sink;
use super::{engine::Simd, tasks};
use crate::element::{Dtype, Element};

/// Rows and columns that are summed together: where there are fewer, memory is read no less often than by long sums of vectors.
const TILE: usize = 4;

/// Vectors of all three matrices that stay near: each is a cache line, of a page of its own where the batch is long.
const NEAR: usize = 1024;

/// Products side by side, prepared.
#[derive(Debug)]
pub(super) struct Beside<T> {
    task: Task<T>,
    kernel: Kernel<T>,
    /// Products in a vector.
    lanes: usize,
    /// The axis along which they are neighbours.
    extent: usize,
    /// The other axes of the batch, and vectors along that one.
    loops: Vec<Triple>,
    start: [isize; 3],
}

/// Computes as many products as a vector has lanes, from the first elements of the factors into the first of the result.
type Kernel<T> = unsafe fn(&Task<T>, [*const T; 2], *mut T);

/// What is multiplied: extents, and strides of rows and columns.
#[derive(Clone, Copy, Debug)]
struct Task<T> {
    sizes: Sizes,
    left: [isize; 2],
    right: [isize; 2],
    out: [isize; 2],
    alpha: T,
}

impl<T: Element> Beside<T> {
    /// Prepares products; nothing where they do not lie so, where they are so large that packing them is faster, or where there
    /// are no vectors for them.
    pub(super) fn new(sorted: &Sorted<T>, simd: Simd) -> Option<Beside<T>> {
        let (kernel, lanes) = kernel::<T>(simd)?;
        let unit = |axis: &Triple| axis.strides == [1; 3] && axis.extent >= lanes;
        let across = sorted.batch.iter().position(unit)?;
        let strides = |groups: [&[Triple]; 2], operand: usize| place(groups, operand).map(|place| [place.row, place.column]);
        let left = strides(groups(sorted, LEFT), LEFT)?;
        let right = strides(groups(sorted, RIGHT), RIGHT)?;
        let out = strides([&sorted.rows, &sorted.columns], OUT)?;
        let sizes = Sizes { rows: points(&sorted.rows), columns: points(&sorted.columns), inner: points(&sorted.inner) };
        let Sizes { rows, columns, inner } = sizes;
        if sorted.multiplications() < SMALL || rows.min(columns) < TILE {
            return None;
        }
        let vectors =
            rows.saturating_mul(inner).saturating_add(inner.saturating_mul(columns)).saturating_add(rows.saturating_mul(columns));
        if vectors > NEAR {
            return None;
        }
        let mut loops = sorted.batch.clone();
        let extent = loops.remove(across).extent;
        loops.push(Axis { extent: extent / lanes, strides: [lanes as isize; 3] });
        let task = Task { sizes, left, right, out, alpha: sorted.alpha };
        Some(Beside { task, kernel, lanes, extent, loops, start: sorted.start })
    }

    /// Computes them.
    ///
    /// # Safety
    /// All positions that the axes lead to lie inside the memory, and nobody else touches those of the output.
    pub(super) unsafe fn run(&self, threads: usize, data: [&[T]; 2], out: Sink<'_, T>) {
        let vectors = self.extent / self.lanes;
        let rest = self.extent % self.lanes;
        let each = self.task.sizes.multiplications().saturating_mul(self.lanes);
        let items = points(&self.loops);
        tasks::split(threads, items, items.saturating_mul(each), |range| {
            let mut walk = Odometer::new(&self.loops, &self.start, range.start);
            for number in range {
                let ends = rest > 0 && (number + 1).is_multiple_of(vectors);
                // The last vector is followed by one that ends where the axis does: products in both are computed twice, by
                // one thread.
                for further in [Some(0), ends.then_some(rest as isize)].into_iter().flatten() {
                    let at = walk.position.map(|position| position + further);
                    // SAFETY: the caller's promise; no other task has this vector. The kernel was chosen among those whose
                    // instructions the processor has.
                    unsafe {
                        let factors = [LEFT, RIGHT].map(|side| data[side].as_ptr().offset(at[side]));
                        (self.kernel)(&self.task, factors, out.address(at[OUT]));
                    }
                }
                walk.step();
            }
        });
    }
}

/// The kernel, and the lanes of its vectors.
fn kernel<T: Element>(simd: Simd) -> Option<(Kernel<T>, usize)> {
    match (simd, T::DTYPE) {
        #[cfg(target_arch = "x86_64")]
        (Simd::Avx512, Dtype::F64 | Dtype::F32) => Some((wide::<T>, 64 / size_of::<T>())),
        #[cfg(target_arch = "x86_64")]
        (Simd::Avx2, Dtype::F64 | Dtype::F32) => Some((narrow::<T>, 32 / size_of::<T>())),
        #[cfg(not(target_arch = "x86_64"))]
        (Simd::Avx512 | Simd::Avx2, _) => None,
        (Simd::Neon | Simd::Portable, _) | (_, Dtype::C32 | Dtype::C64) => None,
    }
}

/// Compiles the loops for a set of instructions.
#[cfg(target_arch = "x86_64")]
macro_rules! kernel {
    ($(#[$doc:meta])* $name:ident, $features:literal, $rows:ident x $columns:literal, $Double:ty, $Single:ty) => {
        $(#[$doc])*
        ///
        /// # Safety
        /// As [`Beside::run`], for one vector, and the processor has the instructions.
        #[target_feature(enable = $features)]
        unsafe fn $name<T: Element>(task: &Task<T>, [left, right]: [*const T; 2], out: *mut T) {
            // SAFETY: the caller's promise; the pointers are of the type that is named.
            unsafe {
                match T::DTYPE {
                    Dtype::F64 => product::<$Double, T, $rows, $columns>(task, left.cast(), right.cast(), out.cast()),
                    Dtype::F32 => product::<$Single, T, $rows, $columns>(task, left.cast(), right.cast(), out.cast()),
                    Dtype::C32 | Dtype::C64 => unreachable!("there are kernels for real numbers alone"),
                }
            }
        }
    };
}
#[cfg(target_arch = "x86_64")]
kernel!(
    /// In 512-bit vectors.
    wide, "avx512f,avx2,fma", TILE x 4, F64x8, F32x16
);
#[cfg(target_arch = "x86_64")]
kernel!(
    /// In 256-bit vectors.
    narrow, "avx2,fma", TILE x 2, <F64x8 as Lanes>::Half, <F32x16 as Lanes>::Half
);

/// All tiles of a vector of products.
///
/// # Safety
/// As [`Beside::run`].
#[cfg(target_arch = "x86_64")]
#[inline(always)]
unsafe fn product<V: Lanes, T: Element, const ROWS: usize, const COLUMNS: usize>(
    task: &Task<T>,
    left: *const V::Real,
    right: *const V::Real,
    out: *mut V::Real,
) {
    let Sizes { rows, columns, .. } = task.sizes;
    // Loops stand where closures could: one that is not inlined is not compiled for the instructions.
    let mut row = 0;
    while row < rows {
        let high = if rows - row >= ROWS { ROWS } else { 1 };
        let mut column = 0;
        while column < columns {
            let wide = if columns - column >= COLUMNS { COLUMNS } else { 1 };
            let (i, j) = (row as isize, column as isize);
            // SAFETY: row and column are ones of the result; the caller's promise covers all that is read for them.
            unsafe {
                let left = left.offset(i * task.left[0]);
                let right = right.offset(j * task.right[1]);
                let out = out.offset(i * task.out[0] + j * task.out[1]);
                match (high > 1, wide > 1) {
                    (true, true) => tile::<V, T, ROWS, COLUMNS>(task, left, right, out),
                    (true, false) => tile::<V, T, ROWS, 1>(task, left, right, out),
                    (false, true) => tile::<V, T, 1, COLUMNS>(task, left, right, out),
                    (false, false) => tile::<V, T, 1, 1>(task, left, right, out),
                }
            }
            column += wide;
        }
        row += high;
    }
}

/// Some rows and columns, in registers.
///
/// # Safety
/// As [`Beside::run`], for these.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
unsafe fn tile<V: Lanes, T: Element, const ROWS: usize, const COLUMNS: usize>(
    task: &Task<T>,
    mut left: *const V::Real,
    mut right: *const V::Real,
    out: *mut V::Real,
) {
    // SAFETY: the caller's promise.
    unsafe {
        let mut sums = [[V::zero(); COLUMNS]; ROWS];
        for _ in 0..task.sizes.inner {
            let mut b = [V::zero(); COLUMNS];
            for (n, b) in b.iter_mut().enumerate() {
                *b = V::load(right.wrapping_offset(n as isize * task.right[1]));
            }
            for (n, sums) in sums.iter_mut().enumerate() {
                let a = V::load(left.wrapping_offset(n as isize * task.left[0]));
                for (sum, b) in sums.iter_mut().zip(b) {
                    *sum = sum.add_product(a, b);
                }
            }
            left = left.wrapping_offset(task.left[1]);
            right = right.wrapping_offset(task.right[0]);
        }
        let alpha = V::splat(V::Real::from_complex(task.alpha.to_complex()));
        for (i, sums) in sums.iter().enumerate() {
            for (j, sum) in sums.iter().enumerate() {
                sum.mul(alpha).store(out.offset(i as isize * task.out[0] + j as isize * task.out[1]));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use num_complex::Complex;
    use rand::SeedableRng;
    use rand::rngs::StdRng;

    use crate::backend::cpu::Cpu;
    use crate::backend::cpu::tests::sized_contract;

    #[test]
    fn batches_of_small_matrices_agree_with_the_definition() {
        let mut rng = StdRng::seed_from_u64(23);
        // Vectors across the batch and along rows; in both orders of the result; with more axes than matrices have.
        let equations = [
            "ikb,kjb->ijb",
            "kib,jkb->jib",
            "aikb,akjb->aijb",
            "bik,bkj->bij",
            "bki,bkj->bji",
            "bik,bjk->bij",
            "aik,bkj->abij",
            "bikl,bklj->bij",
            "baik,kj->bjai",
        ];
        for (n, equation) in equations.into_iter().enumerate() {
            // Whole vectors and parts of them, rows and columns that tiles do not fill, one product and many.
            for (i, j, k, b) in [(4, 8, 17, 16), (7, 9, 10, 37), (3, 2, 11, 8), (17, 25, 6, 33), (9, 5, 4, 1), (8, 8, 8, 500)] {
                let size = |label| match label {
                    'i' => i,
                    'j' => j,
                    'k' => k,
                    'b' => b,
                    _ => 3,
                };
                let cpu = Cpu::new(Some(1 + n % 3));
                sized_contract::<f64>(&mut rng, equation, &size, &cpu);
                sized_contract::<f32>(&mut rng, equation, &size, &cpu);
                sized_contract::<Complex<f64>>(&mut rng, equation, &size, &cpu);
                sized_contract::<Complex<f32>>(&mut rng, equation, &size, &cpu);
            }
        }
    }

    #[test]
    fn larger_ones_are_packed_in_blocks_of_which_the_last_is_shorter() {
        let mut rng = StdRng::seed_from_u64(24);
        for (threads, b) in [(1, 75), (2, 9), (2, 130)] {
            let size = |label| if label == 'b' { b } else { 33 };
            sized_contract::<f64>(&mut rng, "ikb,kjb->ijb", &size, &Cpu::new(Some(threads)));
            sized_contract::<Complex<f32>>(&mut rng, "kbi,jbk->ijb", &size, &Cpu::new(Some(threads)));
        }
    }
}
