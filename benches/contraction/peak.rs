//! The fastest that the processor multiplies and adds: fused multiply-adds of its widest vectors that never leave registers.
//! Knows nothing of what is compared with it.

use std::hint::black_box;
use std::time::Instant;

/// Sums that are independent of each other: as many as hide the latency of an operation, and still stay in registers.
const SUMS: usize = 12;
/// Operations on each of the sums: some milliseconds, in which the start of a thread does not count.
const ROUNDS: usize = 2_000_000;

/// A loop of `ROUNDS` times `SUMS` operations, for a vector type and its instructions.
macro_rules! peak_loop {
    ($name:ident, $features:literal, $splat:ident, |$x:ident, $y:ident, $sum:ident| $step:expr) => {
        #[target_feature(enable = $features)]
        fn $name() {
            let ($x, $y) = ($splat(black_box(0.999)), $splat(black_box(0.001)));
            let mut sums = [$splat(black_box(1.0)); SUMS];
            for _ in 0..ROUNDS {
                for sum in &mut sums {
                    let $sum = *sum;
                    *sum = $step;
                }
            }
            black_box(sums);
        }
    };
}

#[cfg(target_arch = "x86_64")]
mod loops {
    use std::arch::x86_64::*;

    use super::{ROUNDS, SUMS, black_box};

    peak_loop!(wide_doubles, "avx512f", _mm512_set1_pd, |x, y, sum| _mm512_fmadd_pd(sum, x, y));
    peak_loop!(wide_singles, "avx512f", _mm512_set1_ps, |x, y, sum| _mm512_fmadd_ps(sum, x, y));
    peak_loop!(doubles, "avx2,fma", _mm256_set1_pd, |x, y, sum| _mm256_fmadd_pd(sum, x, y));
    peak_loop!(singles, "avx2,fma", _mm256_set1_ps, |x, y, sum| _mm256_fmadd_ps(sum, x, y));

    /// Runs the loop for numbers of so many bytes; the numbers in a vector.
    pub(super) fn run(bytes: usize) -> Option<usize> {
        let is_double = bytes == 8;
        if is_x86_feature_detected!("avx512f") {
            // SAFETY: the processor has the instructions.
            unsafe { if is_double { wide_doubles() } else { wide_singles() } }
            Some(64 / bytes)
        } else if is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma") {
            // SAFETY: as above.
            unsafe { if is_double { doubles() } else { singles() } }
            Some(32 / bytes)
        } else {
            None
        }
    }
}

#[cfg(target_arch = "aarch64")]
mod loops {
    use std::arch::aarch64::*;

    use super::{ROUNDS, SUMS, black_box};

    peak_loop!(doubles, "neon", vdupq_n_f64, |x, y, sum| vfmaq_f64(y, sum, x));
    peak_loop!(singles, "neon", vdupq_n_f32, |x, y, sum| vfmaq_f32(y, sum, x));

    /// Runs the loop for numbers of so many bytes; the numbers in a vector.
    pub(super) fn run(bytes: usize) -> Option<usize> {
        if !std::arch::is_aarch64_feature_detected!("neon") {
            return None;
        }
        // SAFETY: the processor has the instructions.
        unsafe { if bytes == 8 { doubles() } else { singles() } }
        Some(16 / bytes)
    }
}

#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
mod loops {
    /// No loop is known for this processor.
    pub(super) fn run(_bytes: usize) -> Option<usize> {
        None
    }
}

/// Operations a second, of numbers of so many bytes, on so many threads at once; not a number where no loop is known for the
/// processor.
pub fn operations(bytes: usize, threads: usize) -> f64 {
    let start = Instant::now();
    let lanes = std::thread::scope(|scope| {
        let others: Vec<_> = (1..threads).map(|_| scope.spawn(move || loops::run(bytes))).collect();
        let own = loops::run(bytes);
        others.into_iter().for_each(|other| drop(other.join()));
        own
    });
    let operations = lanes.map_or(f64::NAN, |lanes| (2 * lanes * SUMS * ROUNDS * threads) as f64);
    operations / start.elapsed().as_secs_f64()
}
