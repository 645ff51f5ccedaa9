//! Eigenvectors by inverse iteration: the solution x of (A − λ)·x = b is as long as λ is near an eigenvalue, so that it leaves as
//! little of the equation A·x = λ·x. Solved on the Hessenberg form of A, in double precision, where nothing overflows: vectors are
//! scaled down before they are divided by what is too small.
//!
//! Sources: G. H. Golub, C. F. Van Loan, "Matrix Computations", 4th ed. (2013), §7.6.1; J. H. Wilkinson, "The Algebraic Eigenvalue
//! Problem" (1965), §9.47 ff.; the scales are those of LAPACK's `latrs`.

use faer::dyn_stack::{MemBuffer, MemStack};
use faer::linalg::evd::hessenberg::{hessenberg_in_place, hessenberg_in_place_scratch};
use faer::linalg::householder as reflectors;
use faer::linalg::qr::no_pivoting::factor::recommended_block_size;
use faer::{Conj, Mat, Par};
use num_complex::Complex;

use super::leading;
use super::number::{Number, view, view_mut};
use tensorwrapper_core::backend::linear::Matrix;
use tensorwrapper_core::element::Element;

type C = Complex<f64>;

/// An eigenvalue, and the columns that its vector has: two where it stands for itself and its conjugate.
#[derive(Clone, Copy, Debug)]
pub(super) struct EigenPair {
    pub(super) value: C,
    pub(super) first: usize,
    pub(super) columns: usize,
}

/// How large a component may become.
const LARGEST: f64 = 1e50;

/// What stands for a pivot that is zero: small enough to move no eigenvalue, and its square is a number yet.
const LEAST: f64 = 1e-150;

/// A = Q·H·Qᴴ: the upper triangle of the first matrix and the diagonal below it are H, the rest of it and the second one Q.
pub(super) struct Iteration<T: Number> {
    form: Matrix<T>,
    coefficients: Mat<T>,
}

impl<T: Number> Iteration<T> {
    /// Of a matrix with at least two rows.
    pub(super) fn new(a: &Matrix<T>) -> Iteration<T> {
        let (n, mut form) = (a.rows, a.clone());
        let block = recommended_block_size::<T>(n - 1, n - 1);
        let mut coefficients = Mat::<T>::zeros(block, n - 1);
        let mut memory = MemBuffer::new(hessenberg_in_place_scratch::<T>(n, block, Par::Seq, Default::default()));
        let stack = MemStack::new(&mut memory);
        hessenberg_in_place(view_mut(&mut form), coefficients.as_mut(), Par::Seq, stack, Default::default());
        Iteration { form, coefficients }
    }

    /// Replaces the vectors of some pairs. Beginnings differ by their number.
    pub(super) fn vectors(&self, pairs: &[EigenPair], beginning: u64, vectors: &mut Matrix<T>) {
        let n = self.form.rows;
        for pair in pairs {
            let x = self.triangle(pair.value).solution(self.right_side(pair, beginning));
            let columns = &mut vectors.data[pair.first * n..][..pair.columns * n];
            for (i, x) in x.into_iter().enumerate() {
                columns[i] = T::from_complex(x);
                if pair.columns == 2 {
                    columns[n + i] = T::from_complex(x.im.into());
                }
            }
            self.reflect_back(columns);
        }
    }

    /// Some vector, real for a real matrix: of a real eigenvalue the solution is real as well. Equal eigenvalues have different ones,
    /// so that their vectors span as much as they can.
    fn right_side(&self, pair: &EigenPair, beginning: u64) -> Vec<C> {
        let seed = beginning << 32 | pair.first as u64;
        leading::random::<T>(self.form.rows, 1, seed).data.into_iter().map(T::to_complex).collect()
    }

    /// Multiplies columns by Q.
    fn reflect_back(&self, columns: &mut [T]) {
        let n = self.form.rows;
        let (block, count) = (self.coefficients.nrows(), columns.len() / n);
        let scratch = reflectors::apply_block_householder_sequence_on_the_left_in_place_scratch::<T>(n - 1, block, count);
        let mut memory = MemBuffer::new(scratch);
        reflectors::apply_block_householder_sequence_on_the_left_in_place_with_conj(
            view(&self.form).submatrix(1, 0, n - 1, n - 1),
            self.coefficients.as_ref(),
            Conj::No,
            faer::MatMut::from_column_major_slice_mut(columns, n, count).submatrix_mut(1, 0, n - 1, count),
            Par::Seq,
            MemStack::new(&mut memory),
        );
    }

    /// The upper triangle of H − λ, by elimination with pivots.
    fn triangle(&self, value: C) -> Upper {
        let n = self.form.rows;
        let shift = |i: usize, j: usize| if i == j { value } else { C::ZERO };
        let at = |i: usize, j: usize| self.form.at(i, j).to_complex() - shift(i, j);
        let mut upper = Upper::new(n);
        // The row that is eliminated with, from the diagonal on.
        let mut row: Vec<C> = (0..n).map(|j| at(0, j)).collect();
        for k in 0..n {
            let mut next: Vec<C> = (k + 1..n).map(|j| at(k + 1, j)).collect();
            if k + 1 < n {
                let below = self.form.at(k + 1, k).to_complex();
                let (pivot, rest) = row.split_first_mut().expect("a row has a diagonal");
                if below.norm() > pivot.norm() {
                    rest.swap_with_slice(&mut next);
                    let factor = pivot.quotient(below);
                    *pivot = below;
                    next.iter_mut().zip(&*rest).for_each(|(x, &y)| *x -= factor * y);
                } else if *pivot != C::ZERO {
                    let factor = below.quotient(*pivot);
                    next.iter_mut().zip(&*rest).for_each(|(x, &y)| *x -= factor * y);
                }
            }
            (k..n).zip(&row).for_each(|(j, &x)| *upper.at_mut(k, j) = x);
            row = next;
        }
        upper
    }
}

/// An upper triangle, column after column.
struct Upper {
    order: usize,
    data: Vec<C>,
}

impl Upper {
    fn new(order: usize) -> Upper {
        Upper { order, data: vec![C::ZERO; order * (order + 1) / 2] }
    }

    fn at_mut(&mut self, row: usize, column: usize) -> &mut C {
        &mut self.data[column * (column + 1) / 2 + row]
    }

    /// A multiple of the x of U·x = b.
    fn solution(&self, mut x: Vec<C>) -> Vec<C> {
        for i in (0..self.order).rev() {
            let (&pivot, above) = self.data[i * (i + 1) / 2..][..i + 1].split_last().expect("a column has a diagonal");
            let pivot = if pivot.norm() < LEAST { C::from(LEAST) } else { pivot };
            let (size, most) = (x[i].norm(), pivot.norm() * LARGEST);
            if size > most {
                x.iter_mut().for_each(|x| *x *= most / size);
            }
            x[i] = x[i].quotient(pivot);
            let factor = x[i];
            x.iter_mut().zip(above).for_each(|(x, &u)| *x -= factor * u);
        }
        // As large as 1, so that it can be a vector of any type.
        let largest = x.iter().map(|x| x.norm()).fold(0.0, f64::max);
        x.iter_mut().for_each(|x| *x /= largest);
        x
    }
}
