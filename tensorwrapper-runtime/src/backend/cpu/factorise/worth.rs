//! From which work on one matrix is worth several threads: what their meetings take is won back later by some algorithms than by
//! others. Knows no algorithm.
//!
//! The bounds are orders of square matrices, measured on two cores by `cargo bench --bench linalg -- threads`, time on two threads by
//! time on one: `docs/results/linalg.md`. A matrix that is not square, or a system of more or fewer right sides, is judged by the
//! square one of as much work, which is a guess: these were not measured. Of `eig` no order was found where two threads win, so it has
//! one thread.

use faer::Par;

pub(super) const CHOLESKY: usize = 768;
pub(super) const LU: usize = 1024;
/// Systems of a triangle, measured with as many right sides as the matrix has rows.
pub(super) const TRIANGLE: usize = 512;
pub(super) const QR: usize = 1024;
pub(super) const EIGH: usize = 256;
pub(super) const SVD: usize = 768;
/// Products of matrices. Not measured.
pub(super) const PRODUCT: usize = 128;

/// The work of a decomposition of a matrix, up to a factor that depends on the algorithm alone: that of a square one is its order cubed.
pub(super) fn work(rows: usize, columns: usize) -> usize {
    product([rows, columns, rows.min(columns)])
}

/// The work of a system of a triangle, or of a product of matrices, of three extents.
pub(super) fn product(extents: [usize; 3]) -> usize {
    extents.into_iter().fold(1, usize::saturating_mul)
}

/// How so much work is done by an algorithm with one of these bounds.
pub(super) fn par(threads: usize, work: usize, least: usize) -> Par {
    if threads > 1 && work >= product([least; 3]) { Par::rayon(threads) } else { Par::Seq }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Long matrices of few columns are work enough, and a few right sides are not.
    #[test]
    fn work_decides_not_the_shorter_side() {
        let on_two = |work, least| par(2, work, least) != Par::Seq;
        assert!(on_two(work(QR, QR), QR) && !on_two(work(QR - 1, QR - 1), QR));
        assert!(on_two(work(100_000, 512), QR) && on_two(work(512, 100_000), QR) && !on_two(work(2048, 512), QR));
        assert!(on_two(product([TRIANGLE; 3]), TRIANGLE) && !on_two(product([TRIANGLE, TRIANGLE, 1]), TRIANGLE));
        assert!(on_two(work(usize::MAX, 2), SVD), "no overflow");
        assert_eq!(par(1, usize::MAX, LU), Par::Seq);
    }
}
