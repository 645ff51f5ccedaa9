//! Batches of matrices: how devices read and write them, and the conventions and sentences of decompositions.
//!
//! Knows no algorithm: a device hands in what decomposes one dense matrix.
//!
//! Source: G. H. Golub, C. F. Van Loan, "Matrix Computations", 4th ed. (2013): §4.2 for the Cholesky factor, §8.7 for
//! eigenvalues in the metric of a second matrix.

use std::cmp::Ordering;

use super::{LoopNest, Operand, Output};
use crate::element::{Dtype, Element};
use crate::error::{Error, ErrorKind};
use crate::layout::Strided;

/// Why one matrix was not decomposed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Failure {
    /// The matrix that has to be positive definite is not: this pivot, counted from 0, is not positive.
    NotPositiveDefinite { pivot: usize },
    /// An iteration did not converge.
    NoConvergence,
}

/// Replaces each matrix by its Cholesky factor.
///
/// `factor` gets the order and a Hermitian matrix, row-major with both triangles, and leaves the factor in the lower one.
pub(super) fn cholesky<T: Element>(
    nest: &LoopNest,
    inputs: &[Operand<'_>],
    outputs: Vec<Output<'_>>,
    mut factor: impl FnMut(usize, &mut [T]) -> Result<(), Failure>,
) -> Result<(), Error> {
    let [output] = outputs.try_into().unwrap_or_else(|_| panic!("a Cholesky decomposition has one output"));
    let (out, layout) = output.typed::<T>();
    let (batch, n) = split(nest);
    for item in items(batch) {
        let wrong = |what: String| wrong(&format!("the matrix of `cholesky` {what}"), &item);
        let mut matrix = hermitian(&inputs[0], &item, n).ok_or_else(|| wrong("holds NaN or infinity".into()))?;
        factor(n, &mut matrix).map_err(|failure| match failure {
            Failure::NotPositiveDefinite { pivot } => wrong(format!("is not positive definite (pivot {pivot})")),
            Failure::NoConvergence => wrong("was not decomposed: the iteration did not converge".into()),
        })?;
        let base = start(layout, &item);
        write(out, layout, base, n, |row, column| match row.cmp(&column) {
            Ordering::Greater => matrix[row * n + column],
            // Real, whatever rounding has left in it.
            Ordering::Equal => T::from_real(matrix[row * n + column].re()),
            Ordering::Less => T::ZERO,
        });
    }
    Ok(())
}

/// Eigenvalues and eigenvectors of each matrix, in the metric of a second one where that is given.
///
/// `solve` gets the order and Hermitian matrices, row-major with both triangles; it returns the eigenvalues, ascending,
/// and leaves the eigenvectors in the columns of the first matrix. The largest element of each
/// matrix is about 1, so that squares neither overflow nor vanish. The scales are undone and the phases set here.
pub(super) fn eigh<T: Element>(
    nest: &LoopNest,
    inputs: &[Operand<'_>],
    outputs: Vec<Output<'_>>,
    mut solve: impl FnMut(usize, &mut [T], Option<&mut [T]>) -> Result<Vec<T::Real>, Failure>,
) -> Result<(), Error> {
    let [values, vectors] = outputs.try_into().unwrap_or_else(|_| panic!("`eigh` has two outputs"));
    let (value_out, value_layout) = values.typed::<T::Real>();
    let (vector_out, vector_layout) = vectors.typed::<T>();
    let (batch, n) = split(nest);
    for item in items(batch) {
        let names = if inputs.len() == 1 { ["matrix", ""] } else { ["first matrix", "second matrix"] };
        let read = |which: usize| {
            let infinite = || wrong(&format!("the {} of `eigh` holds NaN or infinity", names[which]), &item);
            hermitian::<T>(&inputs[which], &item, n).ok_or_else(infinite)
        };
        let mut matrix = read(0)?;
        let mut metric = if inputs.len() > 1 { Some(read(1)?) } else { None };
        let exponent = normalise(&mut matrix, 1);
        // Even, since the eigenvectors take its square root.
        let metric_exponent = metric.as_mut().map_or(0, |metric| normalise(metric, 2));
        let eigenvalues = solve(n, &mut matrix, metric.as_deref_mut()).map_err(|failure| match failure {
            Failure::NotPositiveDefinite { pivot } => {
                wrong(&format!("the second matrix of `eigh` is not positive definite (pivot {pivot})"), &item)
            }
            Failure::NoConvergence => wrong("the iteration of `eigh` did not converge", &item),
        })?;
        set_phases(n, &mut matrix);
        matrix.iter_mut().for_each(|x| *x = times_power(*x, -metric_exponent / 2));
        let (base, stride) = (start(value_layout, &item), value_layout.strides()[batch.len()]);
        for (k, &value) in eigenvalues.iter().enumerate() {
            value_out[(base + k as isize * stride) as usize] = times_power(value, exponent - metric_exponent);
        }
        let base = start(vector_layout, &item);
        write(vector_out, vector_layout, base, n, |row, column| matrix[row * n + column]);
    }
    Ok(())
}

/// The batch's extents and the order of the matrices.
fn split(nest: &LoopNest) -> (&[usize], usize) {
    let extents = nest.extents();
    let (batch, matrix) = extents.split_at(extents.len() - 2);
    assert_eq!(matrix[0], matrix[1], "a decomposition is of square matrices");
    (batch, matrix[0])
}

/// All multi-indices, last axis fastest.
fn items(extents: &[usize]) -> impl Iterator<Item = Vec<usize>> {
    (0..extents.iter().product()).map(move |mut linear: usize| {
        let mut index = vec![0; extents.len()];
        for (i, &extent) in index.iter_mut().zip(extents).rev() {
            *i = linear % extent;
            linear /= extent;
        }
        index
    })
}

/// Position of a batch item's first element.
fn start(layout: &Strided, item: &[usize]) -> isize {
    item.iter().zip(layout.strides()).fold(layout.offset() as isize, |p, (&i, &stride)| p + i as isize * stride)
}

/// The Hermitian matrix whose lower triangle stands in an operand; `None` where that holds NaN or infinity.
fn hermitian<T: Element>(operand: &Operand<'_>, item: &[usize], n: usize) -> Option<Vec<T>> {
    let (data, layout) = (operand.typed::<T>(), operand.layout());
    let (base, strides) = (start(layout, item), &layout.strides()[item.len()..]);
    let mut matrix = vec![T::ZERO; n * n];
    for row in 0..n {
        for column in 0..=row {
            let x = data[(base + row as isize * strides[0] + column as isize * strides[1]) as usize];
            if !x.to_complex().is_finite() {
                return None;
            }
            let x = if operand.conjugate { x.conj() } else { x };
            let x = if row == column { T::from_real(x.re()) } else { x };
            (matrix[row * n + column], matrix[column * n + row]) = (x, x.conj());
        }
    }
    // A diagonal element was written twice, the second time conjugated; it is real.
    Some(matrix)
}

/// Divides a matrix by a power of two, so that its largest element is about 1; returns the exponent, a multiple of `step`.
///
/// That is exact, but for elements so much smaller than the largest that they do not count.
fn normalise<T: Element>(matrix: &mut [T], step: i32) -> i32 {
    let parts = matrix.iter().map(|x| x.to_complex()).flat_map(|x| [x.re.abs(), x.im.abs()]);
    let largest = parts.fold(0.0, f64::max);
    if largest == 0.0 {
        return 0;
    }
    let exponent = (largest.log2().floor() as i32).div_euclid(step) * step;
    matrix.iter_mut().for_each(|x| *x = times_power(*x, -exponent));
    exponent
}

/// x·2ᵏ for |k| up to 3000.
fn times_power<T: Element>(x: T, k: i32) -> T {
    // One factor alone may lie outside of the numbers that f64 holds. The bits are those of the exponent of 2ᵏ.
    let power = |k: i32| f64::from_bits(((k + 1023) as u64) << 52);
    let third = k / 3;
    T::from_complex(x.to_complex() * power(third) * power(third) * power(k - 2 * third))
}

fn write<T: Element>(out: &mut [T], layout: &Strided, base: isize, n: usize, element: impl Fn(usize, usize) -> T) {
    let strides = &layout.strides()[layout.rank() - 2..];
    for row in 0..n {
        for column in 0..n {
            out[(base + row as isize * strides[0] + column as isize * strides[1]) as usize] = element(row, column);
        }
    }
}

/// Makes the largest component of each eigenvector real and positive: the first one where several are equally large.
///
/// Equal means up to rounding, so that one matrix has the same eigenvectors on every device.
fn set_phases<T: Element>(n: usize, vectors: &mut [T]) {
    let tolerance = if T::DTYPE.real() == Dtype::F32 { 1e-3 } else { 1e-7 };
    for column in 0..n {
        let magnitude = |row: usize| vectors[row * n + column].to_complex().norm();
        let largest = (0..n).map(magnitude).fold(0.0, f64::max);
        let Some(pivot) = (0..n).find(|&row| magnitude(row) >= largest * (1.0 - tolerance)) else { continue };
        let component = vectors[pivot * n + column].to_complex();
        if component.norm() == 0.0 {
            continue;
        }
        let phase = T::from_complex(component.conj() / component.norm());
        for row in 0..n {
            vectors[row * n + column] *= phase;
        }
        vectors[pivot * n + column] = T::from_real(vectors[pivot * n + column].re());
    }
}

fn wrong(what: &str, item: &[usize]) -> Error {
    let message = if item.is_empty() { what.to_string() } else { format!("{what} (batch item {item:?})") };
    Error::new(ErrorKind::LinearAlgebra { message })
}
