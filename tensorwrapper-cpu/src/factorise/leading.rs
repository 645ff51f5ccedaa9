//! The largest singular values alone: a block of vectors is multiplied by the matrix and its adjoint until what it spans holds
//! them. It begins with random ones, which arrive soon where the values fall fast; where they do not, the eigenvectors of the
//! largest eigenvalues of AᴴA are a better beginning, accurate as long as the values do not fall far. Squares lose digits of small
//! values; the steps behind give them back, and whatever the way, a result counts if its residuals are as small as rounding.
//!
//! Sources: N. Halko, P. G. Martinsson, J. A. Tropp, "Finding Structure with Randomness", SIAM Rev. 53, 217 (2011), algorithms
//! 4.4 and 5.1; G. H. Golub, C. F. Van Loan, "Matrix Computations", 4th ed. (2013), §8.3.1 and §8.6.1.

use faer::Conj;
use faer::dyn_stack::{MemBuffer, MemStack};
use faer::linalg::evd::tridiag::{tridiag_in_place, tridiag_in_place_scratch};
use faer::linalg::householder as reflectors;
use faer::linalg::matmul::triangular::{BlockStructure, matmul_with_conj as product};
use faer::linalg::qr::no_pivoting::factor::recommended_block_size;
use faer::{Accum, Mat, Spec};
use num_complex::Complex;

use super::number::{Number, view, view_mut};
use super::{tridiagonal, worth};
use tensorwrapper_core::backend::linear::{Algorithms, Matrix, Svd, epsilon};
use tensorwrapper_core::element::Element;

/// Vectors beyond those that are wanted.
const MORE: usize = 16;

/// Multiplications by the matrix and its adjoint before it is given up.
const ROUNDS: usize = 6;

/// Rows and columns by wanted values from which on a part is cheaper than the whole.
const WORTH: usize = 6;

/// The part of an error that a round of random vectors may leave; where more is left, others serve better.
const SLOW: f64 = 1e-2;

/// What the random vectors begin with, the same in every run.
const SEED: u64 = 0x2545_F491_4F6C_DD1D;

/// How far values may fall that squares are taken of.
const FALL: f64 = 200.0;

/// Makes the vectors on the right that belong to so many largest singular values of a matrix, as accurate as their squares tell.
type BySquares<'s, T> = &'s dyn Fn(&Matrix<T>, usize) -> Matrix<T>;

/// The factors of the `count` largest singular values, if they are found as accurate as by decomposing the whole matrix.
pub(super) fn leading<T: Element>(
    on: &dyn Algorithms<T>,
    squares: BySquares<'_, T>,
    a: &Matrix<T>,
    count: usize,
) -> Option<Svd<T>> {
    let least = a.rows.min(a.columns);
    let width = count + MORE;
    if least < 64 || least < WORTH * width {
        return None;
    }
    let adjoint = a.adjoint();
    let mut block = random(a.columns, width, SEED);
    let (mut before, mut is_random) = (f64::INFINITY, true);
    for _ in 0..ROUNDS {
        let (q, _) = on.qr(on.multiply(a, &block), false);
        // A·Aᴴ·Q and the small matrix Qᴴ·A at once.
        let image = on.multiply(&adjoint, &q);
        let (u, s, v) = on.svd(image.adjoint(), false).ok()?;
        let value = |n: usize| s[n].to_complex().re;
        let (u, v) = (on.multiply(&q, &u.first_columns(count)), v.first_rows(count));
        let residuals = residuals(on, a, &u, &s, &v);
        let (worst, limit) =
            (residuals.iter().copied().fold(0.0, f64::max), 4.0 * epsilon::<T>() * value(0) * (least as f64).sqrt());
        if worst <= limit {
            return Some((u, s[..count].to_vec(), v));
        }
        // What lies outside of the block becomes smaller by the square of this ratio.
        let is_slow = worst > before * SLOW || value(width - 1) > value(count - 1) * SLOW.sqrt();
        if !is_slow {
            (block, before) = (on.qr(image, false).0, worst);
            continue;
        }
        let found = residuals.iter().take_while(|&&residual| residual <= limit).count();
        if !is_random || value(found) > FALL * value(count - 1) {
            return None;
        }
        (block, before, is_random) = (beginning(on, squares, a, (&u, &s, &v), found, width), f64::INFINITY, false);
    }
    None
}

/// Random vectors, the same in every run.
pub(super) fn random<T: Element>(rows: usize, columns: usize, seed: u64) -> Matrix<T> {
    let mut state = seed;
    let mut draw = || {
        // SplitMix64.
        state = state.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = state;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        ((z ^ (z >> 31)) >> 11) as f64 * (-52f64).exp2() - 1.0
    };
    let data = (0..rows * columns).map(|_| T::from_complex(Complex::new(draw(), draw()))).collect();
    Matrix { rows, columns, data }
}

/// The lengths of the columns of A·Vᴴ − U·s. Those of Aᴴ·U − Vᴴ·s are rounding, by the way that they were made.
fn residuals<T: Element>(on: &dyn Algorithms<T>, a: &Matrix<T>, u: &Matrix<T>, s: &[T::Real], v: &Matrix<T>) -> Vec<f64> {
    let image = on.multiply(a, &v.adjoint());
    let column = |n: usize| {
        let own = T::from_real(s[n]);
        let squares = image.column(n).iter().zip(u.column(n)).map(|(&x, &y)| (x - y * own).to_complex().norm_sqr());
        squares.sum::<f64>().sqrt()
    };
    (0..u.columns).map(column).collect()
}

/// Vectors to begin with: those of the first values, which are found, and the eigenvectors of the squares of what is left.
fn beginning<T: Element>(
    on: &dyn Algorithms<T>,
    squares: BySquares<'_, T>,
    a: &Matrix<T>,
    (u, s, v): (&Matrix<T>, &[T::Real], &Matrix<T>),
    found: usize,
    width: usize,
) -> Matrix<T> {
    let mut known = v.clone().first_rows(found).adjoint();
    let others = if found == 0 {
        squares(a, width)
    } else {
        let mut scaled = u.clone().first_columns(found);
        (0..found).for_each(|n| scaled.scale_column(n, T::from_real(s[n])));
        let part = on.multiply(&scaled, &v.clone().first_rows(found));
        let data = a.data.iter().zip(&part.data).map(|(&x, &y)| x - y).collect();
        squares(&Matrix { data, ..part }, width - found)
    };
    known.data.extend(others.data);
    Matrix { columns: width, ..known }
}

/// See [`BySquares`].
pub(super) fn by_squares<T: Number>(on: &impl Algorithms<T>, threads: usize, a: &Matrix<T>, count: usize) -> Matrix<T> {
    let is_wide = a.columns > a.rows;
    let order = a.rows.min(a.columns);
    let (par, params): (_, Spec<_, T>) = (worth::here(worth::par(threads, [order], worth::EIGH)), Default::default());
    let mut gram = Matrix::<T>::zeros(order, order);
    let (all, lower) = (BlockStructure::Rectangular, BlockStructure::TriangularLower);
    let (one, to, a_view) = (<T as Element>::ONE, view_mut(&mut gram), view(a));
    // Of the two the one that is transposed is the adjoint.
    match is_wide {
        true => product(to, lower, Accum::Replace, a_view, all, Conj::No, a_view.transpose(), all, Conj::Yes, one, par),
        false => product(to, lower, Accum::Replace, a_view.transpose(), all, Conj::Yes, a_view, all, Conj::No, one, par),
    }
    let block = recommended_block_size::<T>(order, order);
    let mut coefficients = Mat::<T>::zeros(block, order - 1);
    let mut memory = MemBuffer::new(tridiag_in_place_scratch::<T>(order, par, params));
    tridiag_in_place(view_mut(&mut gram), coefficients.as_mut(), par, MemStack::new(&mut memory), params);
    let diagonal: Vec<f64> = (0..order).map(|n| gram.at(n, n).to_complex().re).collect();
    // What stands beside the diagonal has a phase, which goes over to the vectors.
    let mut phases = vec![Complex::ONE; order];
    let mut beside = vec![0.0; order - 1];
    for n in 0..order - 1 {
        let x = gram.at(n + 1, n).to_complex();
        beside[n] = x.norm();
        phases[n + 1] = if beside[n] > 0.0 { phases[n] * x / beside[n] } else { phases[n] };
    }
    let found = tridiagonal::largest_vectors(&diagonal, &beside, count);
    let mut vectors = Matrix::from_fn(order, count, |i, j| T::from_complex(phases[i] * found[j][i]));
    let scratch = reflectors::apply_block_householder_sequence_on_the_left_in_place_scratch::<T>(order - 1, block, count);
    let mut memory = MemBuffer::new(scratch);
    reflectors::apply_block_householder_sequence_on_the_left_in_place_with_conj(
        view(&gram).submatrix(1, 0, order - 1, order - 1),
        coefficients.as_ref(),
        Conj::No,
        view_mut(&mut vectors).subrows_mut(1, order - 1),
        par,
        MemStack::new(&mut memory),
    );
    if is_wide { on.multiply(&a.adjoint(), &vectors) } else { vectors }
}
