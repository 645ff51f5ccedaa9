//! Eigenvalues and eigenvectors of general matrices: those of `faer`, each pair held to a bound, and the vectors of pairs that
//! exceed it computed once more, by `inverse`.
//!
//! What `faer` 0.24 finds in its Schur form overflows where eigenvectors are nearly parallel, and is wrong where a pair of conjugate
//! eigenvalues is small beside the matrix (`docs/upstream.md`); the form itself it gives to nobody. Its eigenvalues are right.
//!
//! Where inverse iteration finds no vector either, it is tried in another basis. Back-substitution as LAPACK's `trevc` does it
//! would need a Schur form of our own. `tests/residuals` has the families and bounds of all decompositions, and the example
//! `residuals` runs as many as are asked for.

use faer::dyn_stack::{MemBuffer, MemStack};
use faer::linalg::evd::{ComputeEigenvectors, evd_cplx, evd_real, evd_scratch};
use faer::linalg::matmul::matmul;
use faer::{Accum, MatRef, Par, Spec};
use num_complex::Complex;

use super::inverse::{EigenPair, Iteration};
use super::leading;
use super::number::{General, Number, view, view_mut};
use tensorwrapper_core::backend::linear::{
    Algorithms, Eigen, Failure, Matrix, are_finite, epsilon, exponent_at, largest_of, part_size, square, times_power,
};
use tensorwrapper_core::element::Element;

type C = Complex<f64>;

/// What a pair may leave of its equation, ‖A·x − λ·x‖∞ by n·ε·‖A‖∞·‖x‖∞. The promise is 10: what follows rounds, too.
const LIMIT: f64 = 5.0;

/// How often a vector is begun anew.
const BEGINNINGS: u64 = 4;

/// In how many other bases a matrix is decomposed for which its own one does not serve.
const BASES: u64 = 4;

macro_rules! general {
    ($($R:ty)*) => { $(
        impl General for $R {
            fn decompose(a: &Matrix<$R>) -> Result<(Vec<Complex<$R>>, Matrix<$R>), Failure> {
                let (mut re, mut im) = (vec![0.0; a.rows], vec![0.0; a.rows]);
                let vectors = with_vectors(a, |vectors, stack, params| {
                    let re = faer::ColMut::from_slice_mut(&mut re).as_diagonal_mut();
                    let im = faer::ColMut::from_slice_mut(&mut im).as_diagonal_mut();
                    evd_real::<$R>(view(a), re, im, None, Some(view_mut(vectors)), Par::Seq, stack, params)
                })?;
                Ok((re.into_iter().zip(im).map(|(re, im)| Complex::new(re, im)).collect(), vectors))
            }
        }
        impl General for Complex<$R> {
            fn decompose(a: &Matrix<Self>) -> Result<(Vec<Self>, Matrix<Self>), Failure> {
                let mut values = vec![Self::ZERO; a.rows];
                let vectors = with_vectors(a, |vectors, stack, params| {
                    let values = faer::ColMut::from_slice_mut(&mut values).as_diagonal_mut();
                    evd_cplx::<$R>(view(a), values, None, Some(view_mut(vectors)), Par::Seq, stack, params)
                })?;
                Ok((values, vectors))
            }
        }
    )* };
}
general!(f32 f64);

/// Gives an algorithm of `faer` a matrix for its vectors, and the memory that it asks for.
fn with_vectors<T: Number>(
    a: &Matrix<T>,
    algorithm: impl FnOnce(
        &mut Matrix<T>,
        &mut MemStack,
        Spec<faer::linalg::evd::EvdParams, T>,
    ) -> Result<(), faer::linalg::evd::EvdError>,
) -> Result<Matrix<T>, Failure> {
    let (params, mut vectors) = (Spec::default(), Matrix::<T>::zeros(a.rows, a.rows));
    let scratch = evd_scratch::<T>(a.rows, ComputeEigenvectors::No, ComputeEigenvectors::Yes, Par::Seq, params);
    let mut memory = MemBuffer::new(scratch);
    algorithm(&mut vectors, MemStack::new(&mut memory), params).map_err(|_| Failure::NoConvergence)?;
    Ok(vectors)
}

/// See [`Algorithms::eig`](tensorwrapper_core::backend::linear::Algorithms::eig).
pub(super) fn eig<T: Number>(on: &impl Algorithms<T>, a: &Matrix<T>) -> Result<Eigen<T>, Failure> {
    if let Some(found) = within_limit(a, T::decompose(a)?) {
        return Ok(found);
    }
    // Eigenvalues that nothing belongs to are none: it does not say where its iteration has not ended. In another basis it does.
    for seed in 0..BASES {
        let (basis, _) = on.qr(leading::random::<T>(a.rows, a.rows, seed), false);
        let in_basis = on.multiply(&basis.adjoint(), &on.multiply(a, &basis));
        let (values, vectors) = T::decompose(&in_basis)?;
        if let Some(found) = within_limit(a, (values, on.multiply(&basis, &vectors))) {
            return Ok(found);
        }
    }
    Err(Failure::NoConvergence)
}

/// A decomposition all of whose pairs are within the limit, with other vectors where those that are given are not.
fn within_limit<T: Number>(a: &Matrix<T>, (values, mut vectors): (Vec<T::Complex>, Matrix<T>)) -> Option<Eigen<T>> {
    let pairs = pairs::<T>(&values);
    let mut wrong = beyond_limit(a, &pairs, &mut vectors);
    if !wrong.is_empty() {
        let iteration = Iteration::new(a);
        for beginning in 0..BEGINNINGS {
            iteration.vectors(&wrong, beginning, &mut vectors);
            wrong = beyond_limit(a, &wrong, &mut vectors);
            if wrong.is_empty() {
                break;
            }
        }
    }
    let vectors = wrong.is_empty().then(|| widened::<T>(&values, &pairs, &vectors))?;
    Some((values, vectors))
}

fn pairs<T: Element>(values: &[T::Complex]) -> Vec<EigenPair> {
    let mut pairs = Vec::with_capacity(values.len());
    let mut first = 0;
    while first < values.len() {
        let value = values[first].to_complex();
        let columns = if T::DTYPE.is_complex() || value.im == 0.0 || first + 1 == values.len() { 1 } else { 2 };
        pairs.push(EigenPair { value, first, columns });
        first += columns;
    }
    pairs
}

/// Scales the vectors of some pairs so that their largest parts are about 1, and finds those pairs that leave too much of their equation.
fn beyond_limit<T: Number>(a: &Matrix<T>, pairs: &[EigenPair], vectors: &mut Matrix<T>) -> Vec<EigenPair> {
    let n = a.rows;
    let is_vector = pairs.iter().map(|pair| scale_columns(pair, vectors)).collect::<Vec<_>>();
    let limit: f64 = LIMIT * n as f64 * epsilon::<T>() * row_norm(a);
    // All images at once where all are asked for.
    let images = (pairs.iter().map(|pair| pair.columns).sum::<usize>() == n).then(|| product(a, &vectors.data));
    let exceeds = |pair: &EigenPair| {
        let x = columns(pair, vectors);
        let own;
        let image = match &images {
            Some(images) => columns(pair, images),
            None => {
                own = product(a, x);
                &own.data[..]
            }
        };
        let (mut size, mut left, mut are_numbers) = (0.0f64, 0.0f64, true);
        for i in 0..n {
            let component = component(x, n, i);
            size = size.max(component.norm_sqr());
            let off = (self::component(image, n, i) - pair.value * component).norm_sqr();
            are_numbers &= !off.is_nan();
            left = left.max(off);
        }
        // The vector is about as long as 1, and the matrix far from the ends of its range: squares are numbers.
        !are_numbers || left > limit * limit * size
    };
    pairs.iter().zip(is_vector).filter(|(pair, is_vector)| !is_vector || exceeds(pair)).map(|(&pair, _)| pair).collect()
}

fn columns<'m, T: Element>(pair: &EigenPair, matrix: &'m Matrix<T>) -> &'m [T] {
    &matrix.data[pair.first * matrix.rows..][..pair.columns * matrix.rows]
}

/// A component of a vector of so many, whose imaginary parts are behind the real ones where it has two columns.
fn component<T: Element>(columns: &[T], rows: usize, i: usize) -> C {
    let x: C = columns[i].to_complex();
    columns.get(rows + i).map_or(x, |second| x + C::I * second.to_complex())
}

/// Divides a vector by the power of two of its largest part; makes it zero, and says no, where it is none.
fn scale_columns<T: Element>(pair: &EigenPair, vectors: &mut Matrix<T>) -> bool {
    let rows = vectors.rows;
    let columns = &mut vectors.data[pair.first * rows..][..pair.columns * rows];
    let largest = largest_of(columns, part_size);
    if largest == 0.0 || !largest.is_finite() || !are_finite(columns) {
        columns.fill(T::ZERO);
        return false;
    }
    let exponent = exponent_at(largest);
    if exponent != 0 {
        columns.iter_mut().for_each(|x| *x = times_power(*x, -exponent));
    }
    true
}

/// The product with some columns.
fn product<T: Number>(a: &Matrix<T>, columns: &[T]) -> Matrix<T> {
    let mut product = Matrix::zeros(a.rows, columns.len() / a.rows);
    let columns = MatRef::from_column_major_slice(columns, a.rows, product.columns);
    matmul(view_mut(&mut product), Accum::Replace, view(a), columns, <T as Element>::ONE, Par::Seq);
    product
}

/// The largest sum of a row's sizes.
fn row_norm<T: Element>(a: &Matrix<T>) -> f64 {
    let mut sums = vec![0.0; a.rows];
    for column in 0..a.columns {
        sums.iter_mut().zip(a.column(column)).for_each(|(sum, &x)| *sum += square(x).sqrt());
    }
    sums.into_iter().fold(0.0, f64::max)
}

/// A vector for each eigenvalue.
fn widened<T: Element>(values: &[T::Complex], pairs: &[EigenPair], vectors: &Matrix<T>) -> Matrix<T::Complex> {
    let n = values.len();
    let mut wide = Matrix::zeros(n, n);
    for pair in pairs {
        for i in 0..n {
            let x = component(columns(pair, vectors), n, i);
            *wide.at_mut(i, pair.first) = T::Complex::from_complex(x);
            if pair.columns == 2 {
                *wide.at_mut(i, pair.first + 1) = T::Complex::from_complex(x.conj());
            }
        }
    }
    wide
}
