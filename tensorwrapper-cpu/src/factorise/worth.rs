//! From which extents on work on one matrix is worth several threads: what their meetings take is won back later by some algorithms than by
//! others. Knows no algorithm.
//!
//! The bounds are orders of square matrices, measured on two cores by `cargo bench --bench linalg -- threads`, time on two threads by
//! time on one: `docs/results/linalg.md`. Matrices that are not square, and systems of more or fewer right sides, of as much work lost
//! more often than they won (`linalg -- oblong`): the shortest extent decides. Of `eig` no order was found where two threads win, so it
//! has one thread.

use faer::Par;

use tensorwrapper_core::internal::thread_pool;

pub(super) const CHOLESKY: usize = 768;
pub(super) const LU: usize = 1024;
/// Systems of a triangle, measured with as many right sides as the matrix has rows.
pub(super) const TRIANGLE: usize = 512;
pub(super) const QR: usize = 1024;
pub(super) const EIGH: usize = 256;
pub(super) const SVD: usize = 768;
/// Products of matrices, by the work of square ones. Not measured.
const PRODUCT: usize = 128;

/// How a product goes of matrices of these extents, of which many columns or terms make up for few rows.
pub(super) fn product(threads: usize, extents: [usize; 3]) -> Par {
    let work = extents.into_iter().fold(1, usize::saturating_mul);
    if threads > 1 && work >= PRODUCT.pow(3) { Par::rayon(threads) } else { Par::Seq }
}

/// How an algorithm with one of these bounds goes on matrices of these extents.
pub(super) fn par<const N: usize>(threads: usize, extents: [usize; N], least: usize) -> Par {
    if threads > 1 && extents.iter().all(|&extent| extent >= least) { Par::rayon(threads) } else { Par::Seq }
}

/// The same in this process, which may have no threads. Asked when work begins, not when it is planned.
pub(super) fn here(par: Par) -> Par {
    match par {
        Par::Rayon(threads) if thread_pool::threads(threads.get()) == 1 => Par::Seq,
        par => par,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_shortest_extent_decides() {
        let on_two = |rows, columns| par(2, [rows, columns], QR) != Par::Seq;
        assert!(on_two(QR, QR) && on_two(QR, 2 * QR) && !on_two(QR - 1, QR) && !on_two(100_000, 512) && !on_two(512, 100_000));
        assert_eq!(par(2, [TRIANGLE, TRIANGLE, 1], TRIANGLE), Par::Seq);
        assert_eq!(par(1, [usize::MAX; 2], LU), Par::Seq);
        assert!(product(2, [2048, 48, 2048]) != Par::Seq && product(2, [PRODUCT, PRODUCT, PRODUCT - 1]) == Par::Seq);
        assert!(product(2, [usize::MAX, 2, 2]) != Par::Seq, "no overflow");
    }
}
