//! The algorithms on eight matrices at once. A lane that has no result, or that is near the ends of what numbers hold, makes all of
//! them be computed one by one: then, and only then, a kernel says that it has failed.
//!
//! Matrices lie in columns. Sources: G. H. Golub, C. F. Van Loan, "Matrix Computations", 4th ed. (2013): §4.2 Cholesky, §3.4
//! elimination with partial pivoting, §8.5 the method of Jacobi, whose rotations go by rounds of pairs that do not touch each other.

use super::lanes::{Many, Reals, rows_one_by_one};

/// The largest order.
pub(super) const MOST: usize = 16;

/// Rounds of rotations of all pairs after which the iteration is given up.
const SWEEPS: usize = 30;

/// Sizes whose squares are neither nothing nor too large.
const SAFE: (f64, f64) = (1e-140, 1e140);

/// The part of a matrix' largest element that is no longer rotated away but set to zero. Lanes wait for each other: without it those that
/// are done would be rotated by what is rounding of rounding, whose squares have no digits.
const NOTHING: f64 = 1e-20;

/// The least size of a matrix whose eigenvalues are computed: squares of that part of it are numbers yet.
const LARGE: f64 = 1e-120;

/// Replaces the lower triangles by the factors, with zeros above.
///
/// Pivots show whatever is wrong. The squares of a row of L add up to an element of the diagonal, so where that is a number, they are:
/// NaN and infinity beside it, and what is too large on the way, are subtracted from a later pivot.
#[inline(always)]
pub(super) fn cholesky<M: Many>(n: usize, a: &mut [M]) -> bool {
    let mut are_positive = Reals::splat(1.0);
    for k in 0..n {
        let pivot = a[k * n + k].re();
        are_positive = are_positive.mul(pivot.between(f64::MIN_POSITIVE, f64::MAX));
        let root = pivot.sqrt();
        let inverse = Reals::splat(1.0).div(root);
        a[k * n + k] = M::real(root);
        for i in k + 1..n {
            rows_one_by_one();
            a[k * n + i] = a[k * n + i].scale(inverse);
        }
        for j in k + 1..n {
            let factor = a[k * n + j].conj();
            for i in j..n {
                rows_one_by_one();
                a[j * n + i] = a[j * n + i].sub(a[k * n + i].mul(factor));
            }
        }
        for i in 0..k {
            rows_one_by_one();
            a[k * n + i] = M::ZERO;
        }
    }
    Reals::splat(1.0).are_at_most(are_positive)
}

/// Whether all parts of numbers are at most so large, and none is NaN.
#[inline(always)]
pub(super) fn are_within<M: Many>(most: f64, numbers: &[M]) -> bool {
    // A number less itself is zero, of NaN and infinity it is NaN, which stays in a sum.
    let (mut largest, mut nothing) = (Reals::ZERO, Reals::ZERO);
    for x in numbers {
        rows_one_by_one();
        largest = largest.max(x.size());
        nothing = nothing.add(x.nothing());
    }
    largest.are_at_most(Reals::splat(most)) && nothing.are_at_most(Reals::ZERO)
}

/// Replaces B, of `width` columns, by the solution of A·X = B. Of A nothing is left.
///
/// What is not finite in A reaches a pivot, in B the solution.
#[inline(always)]
pub(super) fn solve<M: Many>(n: usize, width: usize, a: &mut [M], b: &mut [M]) -> bool {
    let mut are_regular = true;
    for k in 0..n {
        let (mut largest, mut pivot) = (a[k * n + k].norm_sqr(), Reals::splat(k as f64));
        for i in k + 1..n {
            rows_one_by_one();
            let size = a[k * n + i].norm_sqr();
            pivot = size.if_larger(largest, Reals::splat(i as f64), pivot);
            largest = largest.max(size);
        }
        are_regular &= Reals::splat(SAFE.0 * SAFE.0).are_at_most(largest) && largest.are_at_most(Reals::splat(SAFE.1 * SAFE.1));
        // Where all pivots are on the diagonal, nothing is to be moved.
        if pivot.are_at_most(Reals::splat(k as f64)) {
            eliminate::<M, false>(n, k, pivot, a, &mut b[..n * width]);
        } else {
            eliminate::<M, true>(n, k, pivot, a, &mut b[..n * width]);
        }
    }
    for column in b[..n * width].chunks_exact_mut(n) {
        for k in (0..n).rev() {
            let x = column[k].mul(a[k * n + k]);
            column[k] = x;
            for i in 0..k {
                rows_one_by_one();
                column[i] = column[i].sub(a[k * n + i].mul(x));
            }
        }
    }
    are_regular
}

/// One step of the elimination: row k, from then on the pivot's, whose element is replaced by its reciprocal, is subtracted from
/// those below it.
#[inline(always)]
fn eliminate<M: Many, const MOVES: bool>(n: usize, k: usize, pivot: Reals, a: &mut [M], b: &mut [M]) {
    let mut factors = [M::ZERO; MOST];
    let (before, rest) = a.split_at_mut((k + 1) * n);
    let column = &mut before[k * n..];
    let old = exchange::<M, MOVES>(n, k, pivot, column);
    let inverse = column[k].recip();
    column[k] = inverse;
    for i in k + 1..n {
        rows_one_by_one();
        factors[i] = moved::<M, MOVES>(i, pivot, old, column[i]).mul(inverse);
    }
    for column in rest.chunks_exact_mut(n).chain(b.chunks_exact_mut(n)) {
        let old = exchange::<M, MOVES>(n, k, pivot, column);
        let own = column[k];
        for i in k + 1..n {
            rows_one_by_one();
            column[i] = moved::<M, MOVES>(i, pivot, old, column[i]).sub(factors[i].mul(own));
        }
    }
}

/// Puts a column's element in the pivot's row into row k; returns what was there.
#[inline(always)]
fn exchange<M: Many, const MOVES: bool>(n: usize, k: usize, pivot: Reals, column: &mut [M]) -> M {
    let old = column[k];
    if MOVES {
        let mut own = old;
        for i in k + 1..n {
            rows_one_by_one();
            own = M::if_same(pivot, Reals::splat(i as f64), column[i], own);
        }
        column[k] = own;
    }
    old
}

/// The element of a row below row k: where it was the pivot's, the one that row k had.
#[inline(always)]
fn moved<M: Many, const MOVES: bool>(row: usize, pivot: Reals, old: M, own: M) -> M {
    if MOVES { M::if_same(pivot, Reals::splat(row as f64), old, own) } else { own }
}

/// Makes A, of which the lower triangle counts, diagonal, in any order; Q becomes its eigenvectors, the component that `tolerance`
/// takes for the largest real and positive.
#[inline(always)]
pub(super) fn eigh<M: Many>(n: usize, a: &mut [M], q: &mut [M], tolerance: f64) -> bool {
    let mut largest = Reals::ZERO;
    for j in 0..n {
        if !are_within(f64::MAX, &a[j * n + j..(j + 1) * n]) {
            return false;
        }
        for i in 0..n {
            rows_one_by_one();
            q[j * n + i] = if i == j { M::real(Reals::splat(1.0)) } else { M::ZERO };
            if i >= j {
                largest = largest.max(a[j * n + i].size());
            }
        }
    }
    // Zero is as good as any: nothing is rotated there.
    let least = largest.if_larger(Reals::ZERO, largest, Reals::splat(1.0));
    if !largest.are_at_most(Reals::splat(SAFE.1)) || !Reals::splat(LARGE).are_at_most(least) {
        return false;
    }
    let nothing = largest.mul(Reals::splat(NOTHING));
    let even = n + n % 2;
    for _ in 0..SWEEPS {
        if are_diagonal(n, a) {
            fix_phases(n, q, tolerance);
            return true;
        }
        for round in 0..even - 1 {
            for pair in 0..even / 2 {
                // The last one stays where it is, and the others go round.
                let (p, r) = match pair {
                    0 => (round, even - 1),
                    _ => ((round + pair) % (even - 1), (round + even - 1 - pair) % (even - 1)),
                };
                if p.max(r) < n {
                    rotate(n, a, q, (p.min(r), p.max(r)), nothing);
                }
            }
        }
    }
    false
}

/// Whether what is beside the diagonal is rounding.
#[inline(always)]
fn are_diagonal<M: Many>(n: usize, a: &[M]) -> bool {
    let (mut on, mut off) = (Reals::ZERO, Reals::ZERO);
    for j in 0..n {
        on = on.add(a[j * n + j].norm_sqr());
        for i in j + 1..n {
            rows_one_by_one();
            off = off.add(a[j * n + i].norm_sqr());
        }
    }
    off.are_at_most(on.mul(Reals::splat(f64::EPSILON * f64::EPSILON / 64.0)))
}

/// The rotation of p < r that makes their element zero.
#[inline(always)]
fn rotate<M: Many>(n: usize, a: &mut [M], q: &mut [M], (p, r): (usize, usize), nothing: Reals) {
    // Of the element in row p and column r, of which the lower triangle has the conjugate.
    let (size, phase) = a[p * n + r].conj().straighten(nothing);
    let (one, low, high) = (Reals::splat(1.0), a[p * n + p].re(), a[r * n + r].re());
    let apart = high.sub(low);
    let twice = size.add(size);
    let root = apart.mul(apart).add(twice.mul(twice)).sqrt();
    let sum = apart.abs().add(root);
    let tangent = sum.if_larger(Reals::ZERO, twice.mul(one.with_sign(apart)).div(sum), Reals::ZERO);
    let cosine = one.div(one.add(tangent.mul(tangent)).sqrt());
    let sine = tangent.mul(cosine);
    a[p * n + p] = M::real(low.sub(tangent.mul(size)));
    a[r * n + r] = M::real(high.add(tangent.mul(size)));
    a[p * n + r] = M::ZERO;
    // Elements in columns p and r of one row.
    let pair = |x: M, y: M| {
        let y = y.times_phase(phase);
        (x.scale(cosine).sub(y.scale(sine)), x.scale(sine).add(y.scale(cosine)))
    };
    for k in 0..p {
        rows_one_by_one();
        let (x, y) = pair(a[k * n + p].conj(), a[k * n + r].conj());
        (a[k * n + p], a[k * n + r]) = (x.conj(), y.conj());
    }
    for k in p + 1..r {
        rows_one_by_one();
        let (x, y) = pair(a[p * n + k], a[k * n + r].conj());
        (a[p * n + k], a[k * n + r]) = (x, y.conj());
    }
    for k in r + 1..n {
        rows_one_by_one();
        (a[p * n + k], a[r * n + k]) = pair(a[p * n + k], a[r * n + k]);
    }
    for k in 0..n {
        rows_one_by_one();
        (q[p * n + k], q[r * n + k]) = pair(q[p * n + k], q[r * n + k]);
    }
}

/// Makes the largest component of each column real and positive, the first where several are as large.
#[inline(always)]
fn fix_phases<M: Many>(n: usize, q: &mut [M], tolerance: f64) {
    for j in 0..n {
        let column = &mut q[j * n..][..n];
        let mut largest = Reals::ZERO;
        for x in column.iter() {
            rows_one_by_one();
            largest = largest.max(x.norm_sqr());
        }
        let limit = largest.mul(Reals::splat((1.0 - tolerance) * (1.0 - tolerance)));
        let (mut pivot, mut at) = (M::real(Reals::splat(1.0)), Reals::ZERO);
        for i in (0..n).rev() {
            rows_one_by_one();
            let is_smaller = limit.if_larger(column[i].norm_sqr(), Reals::splat(1.0), Reals::ZERO);
            pivot = M::if_same(is_smaller, Reals::ZERO, column[i], pivot);
            at = is_smaller.if_same(Reals::ZERO, Reals::splat(i as f64), at);
        }
        let phase = pivot.to_positive();
        for i in 0..n {
            rows_one_by_one();
            let x = column[i].mul(phase);
            column[i] = M::if_same(at, Reals::splat(i as f64), M::real(x.re()), x);
        }
    }
}
