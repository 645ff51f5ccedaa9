//! A single matrix that is computed where its result lies, so that nothing is copied but the matrix itself.
//!
//! What is out of the ordinary, in where it lies or in what it is, is left to the algorithms on matrices of their own.

use super::number::Number;
use super::stripes;
use super::transpose::{Lines, Wanted};
use super::{small, worth};
use crate::simd::Simd;
use faer::Par;
use tensorwrapper_core::backend::Output;
use tensorwrapper_core::backend::linear::{Batch, Factorisation, Place};
use tensorwrapper_core::element::Element;

/// Computes the result if that is possible inside of it; says whether it is there.
pub(super) fn compute<T: Number>(simd: Simd, threads: usize, batch: &mut Batch<'_, T>) -> bool {
    let done = match batch.call.kind {
        _ if batch.items() != 1 => None,
        Factorisation::Cholesky => cholesky(simd, threads, batch),
        Factorisation::Lu => lu(simd, threads, batch),
        _ => None,
    };
    done.is_some()
}

fn cholesky<T: Number>(simd: Simd, threads: usize, batch: &mut Batch<'_, T>) -> Option<()> {
    let (stripes, transpose) = (T::stripes(simd)?, T::transpose_kernels(simd)?);
    let source = &batch.sources[0];
    let order = source.space.rows.len();
    let is_near = (small::MOST + 1..=stripes::MOST).contains(&order) && worth::par(threads, [order], worth::CHOLESKY) == Par::Seq;
    let (from, [(output, to)]) = (source.space.place_of(&batch.extents, 0)?, &mut batch.outputs[..]) else { return None };
    let to = to.place_of(&batch.extents, 0)?;
    if !is_near || !stripes.fit(order) || from.column != 1 || (to.row, to.column) != (order as isize, 1) {
        return None;
    }
    let memory = output.elements::<T>().get_mut(to.start as usize..)?.get_mut(..order * order)?;
    let lines = Lines {
        from: source.data.as_ptr().wrapping_offset(from.start),
        step: from.row,
        order: None,
        to: memory.as_mut_ptr(),
        stride: order as isize,
        lines: order,
        length: order,
        wanted: Wanted::UpTo,
    };
    // SAFETY: kernels are those of instructions that are there; operands reach no further than their memory, and the result's
    // is the matrix.
    unsafe {
        (transpose.lines)(&lines);
        stripes.inside(memory, order).ok()?;
        (transpose.triangle)(memory.as_mut_ptr(), order);
    }
    Some(())
}

fn lu<T: Number>(simd: Simd, threads: usize, batch: &mut Batch<'_, T>) -> Option<()> {
    let (panels, source) = (T::panels(simd)?, &batch.sources[0]);
    let (order, columns) = (source.space.rows.len(), source.space.columns.len());
    if order != columns || order <= small::MOST {
        return None;
    }
    let from = source.space.place_of(&batch.extents, 0).filter(|from| from.column == 1)?;
    let dense = |to: &Place| (to.row, to.column) == (order as isize, 1);
    let mut starts = [0; 3];
    for (start, (_, space)) in starts.iter_mut().zip(&batch.outputs) {
        *start = space.place_of(&batch.extents, 0).filter(dense)?.start as usize;
    }
    let [(permutation, _), (lower, _), (upper, _)] = &mut batch.outputs[..] else { return None };
    let (lower, upper) = (memory(lower, starts[1], order)?, memory(upper, starts[2], order)?);
    for (n, row) in upper.chunks_exact_mut(order).enumerate() {
        row.copy_from_slice(source.data.get((from.start + n as isize * from.row) as usize..)?.get(..order)?);
    }
    let par = worth::here(worth::par(threads, [order], worth::LU));
    let rows = panels.inside(par, lower, upper, order)?;
    let permutation = memory(permutation, starts[0], order)?;
    permutation.fill(<T as Element>::ZERO);
    for (column, row) in rows.into_iter().enumerate() {
        permutation[row * order + column] = <T as Element>::ONE;
    }
    Some(())
}

/// The elements of a square matrix in rows.
fn memory<'m, T: Element>(output: &'m mut Output<'_>, start: usize, order: usize) -> Option<&'m mut [T]> {
    output.elements::<T>().get_mut(start..)?.get_mut(..order * order)
}
