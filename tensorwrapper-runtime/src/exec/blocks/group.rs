//! Products of gathered matrices: where each piece stands in its slab and in its matrix, and how one product runs.
//!
//! Knows nothing of labels or symmetries.

use num_complex::Complex;
use tensorwrapper_core::backend::{
    Binary, Contraction, Device, Instruction, LoopNest, Operand, Output, PreparedContraction, Program, Reduction,
};
use tensorwrapper_core::element::Element;
use tensorwrapper_core::error::Error;
use tensorwrapper_core::layout::Strided;

/// A product of matrices, each gathered from pieces: `out[b, m, n] = Σ left[b, m, k] · right[b, k, n]`.
#[derive(Debug)]
pub(super) struct Group {
    /// Extents of the batch, of rows, columns and terms.
    pub(super) extents: [usize; 4],
    pub(super) left: Vec<Move>,
    pub(super) right: Vec<Move>,
    pub(super) out: Vec<Move>,
}

/// A piece of a slab and where it stands in a matrix, along the same axes.
#[derive(Debug, PartialEq)]
pub(super) struct Move {
    pub(super) extents: Vec<usize>,
    /// Where it begins, and its strides.
    pub(super) slab: (usize, Vec<isize>),
    pub(super) matrix: (usize, Vec<isize>),
    /// What elements are multiplied by on the way.
    pub(super) weight: f64,
    pub(super) conjugates: bool,
}

/// Memory for the three matrices of a group.
#[derive(Debug, Default)]
pub(super) struct Room<T> {
    left: Vec<T>,
    right: Vec<T>,
    out: Vec<T>,
}

impl Move {
    /// Where the piece begins in the slab, if it lies there as in its matrix, which has no other piece.
    fn in_place(moves: &[Move]) -> Option<usize> {
        let [only] = moves else { return None };
        let strides = only.slab.1.iter().zip(&only.matrix.1).zip(&only.extents);
        let same = strides.into_iter().all(|((slab, matrix), &extent)| extent == 1 || slab == matrix);
        (same && only.weight == 1.0 && !only.conjugates).then_some(only.slab.0)
    }

    /// Copies the piece from the slab to the matrix.
    fn gather<T: Element>(&self, device: &dyn Device, slab: &[T], matrix: &mut [T]) -> Result<(), Error> {
        let from = Strided::within(&self.extents, &self.slab.1, self.slab.0, slab.len())?;
        let to = Strided::within(&self.extents, &self.matrix.1, self.matrix.0, matrix.len())?;
        let mut operand = Operand::new(T::erase(slab), &from);
        operand.conjugate = self.conjugates;
        let nest = LoopNest::new(self.extents.clone(), self.extents.len());
        let program = if self.weight == 1.0 {
            Program::new(vec![Instruction::Input(0)])
        } else {
            let weight = Instruction::Constant(self.weight.into());
            Program::new(vec![Instruction::Input(0), weight, Instruction::Combine(Binary::Multiply, 0, 1)])
        };
        device.map(&nest, &program, Reduction::Sum, &[], &[operand], Output::new(T::erase_mut(matrix), &to))
    }

    /// Copies the piece from the matrix to the slab, or adds it there.
    fn scatter<T: Element>(&self, device: &dyn Device, matrix: &[T], slab: &mut [T], adds: bool) -> Result<(), Error> {
        let from = Strided::within(&self.extents, &self.matrix.1, self.matrix.0, matrix.len())?;
        let to = Strided::within(&self.extents, &self.slab.1, self.slab.0, slab.len())?;
        let (operand, output) = (Operand::new(T::erase(matrix), &from), Output::new(T::erase_mut(slab), &to));
        if adds {
            device.add(&operand, output);
            return Ok(());
        }
        let nest = LoopNest::new(self.extents.clone(), self.extents.len());
        device.map(&nest, &Program::new(vec![Instruction::Input(0)]), Reduction::Sum, &[], &[operand], output)
    }
}

impl Group {
    /// The contraction of its matrices.
    ///
    /// # Errors
    /// As [`Device::prepare`].
    pub(super) fn prepare<T: Element>(&self, device: &dyn Device, scale: Complex<f64>) -> Result<PreparedContraction, Error> {
        let [batch, rows, columns, terms] = self.extents;
        let sizes = [batch * rows * terms, batch * terms * columns];
        let [m, n, k] = [rows, columns, terms].map(|extent| extent as isize);
        let extents = [batch, rows, columns, terms];
        let left = Strided::within(&extents, &[m * k, k, 0, 1], 0, sizes[0])?;
        let right = Strided::within(&extents, &[k * n, 0, 1, n], 0, sizes[1])?;
        let output = Strided::row_major(&[batch, rows, columns])?;
        device.prepare(&Contraction {
            nest: &LoopNest::new(extents.to_vec(), 3),
            alpha: scale,
            dtype: T::DTYPE,
            factors: &[(&left, false), (&right, false)],
            output: &output,
            then: None,
            others: &[],
        })
    }

    /// Computes the product of pieces of two slabs into a third one, or adds it there.
    ///
    /// # Errors
    /// Memory.
    pub(super) fn run<T: Element>(
        &self,
        device: &dyn Device,
        prepared: &PreparedContraction,
        [left, right]: [&[T]; 2],
        (out, adds): (&mut [T], bool),
        room: &mut Room<T>,
    ) -> Result<(), Error> {
        let [batch, rows, columns, terms] = self.extents;
        let left = gathered(device, &self.left, left, &mut room.left, batch * rows * terms)?;
        let right = gathered(device, &self.right, right, &mut room.right, batch * terms * columns)?;
        let size = batch * rows * columns;
        let factors = [T::erase(left), T::erase(right)];
        if let (Some(start), false) = (Move::in_place(&self.out), adds) {
            return prepared.run(device, &factors, T::erase_mut(&mut out[start..start + size]));
        }
        grow(&mut room.out, size);
        prepared.run(device, &factors, T::erase_mut(&mut room.out[..size]))?;
        self.out.iter().try_for_each(|piece| piece.scatter(device, &room.out[..size], out, adds))
    }
}

/// A matrix: where it lies, if it is one piece, or gathered.
fn gathered<'m, T: Element>(
    device: &dyn Device,
    moves: &[Move],
    slab: &'m [T],
    room: &'m mut Vec<T>,
    size: usize,
) -> Result<&'m [T], Error> {
    if let Some(start) = Move::in_place(moves) {
        return Ok(&slab[start..start + size]);
    }
    grow(room, size);
    moves.iter().try_for_each(|piece| piece.gather(device, slab, &mut room[..size]))?;
    Ok(&room[..size])
}

fn grow<T: Element>(room: &mut Vec<T>, size: usize) {
    if room.len() < size {
        room.resize(size, T::ZERO);
    }
}
