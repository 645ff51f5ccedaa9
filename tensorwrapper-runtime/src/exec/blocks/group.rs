//! Products of gathered matrices: where each piece stands in its slab and in its matrix, and how one product runs.
//!
//! Knows nothing of labels or symmetries.

use num_complex::Complex;
use tensorwrapper_core::backend::fuse::{self, Axis, Odometer, points};
use tensorwrapper_core::backend::{
    Binary, Contraction, Device, Instruction, LoopNest, Operand, Output, PreparedContraction, Program, Reduction,
};
use tensorwrapper_core::element::Element;
use tensorwrapper_core::error::Error;
use tensorwrapper_core::layout::Strided;
use tensorwrapper_core::storage::Owned;

/// Where strides and positions of the slab stand, and those of the matrix.
const SLAB: usize = 0;
const MATRIX: usize = 1;
/// Elements of a piece from which on a kernel is worth being prepared for it.
const LARGE: usize = 4096;

/// A product of matrices, each gathered from pieces: `out[b, m, n] = Σ left[b, m, k] · right[b, k, n]`.
#[derive(Debug)]
pub(super) struct Group {
    pub(super) shape: GroupShape,
    pub(super) left: Vec<Move>,
    pub(super) right: Vec<Move>,
    pub(super) out: Vec<Move>,
    /// Whether it is added to what the group before it has written.
    pub(super) follows: bool,
}

/// What the kernel of a group depends on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct GroupShape {
    /// Extents of the batch, of rows, columns and terms.
    pub(super) extents: [usize; 4],
    /// Whether the matrix of the left factor, of the right one and of the result lies column by column: as most of its pieces do, so that
    /// their lines are copied as they are.
    pub(super) by_columns: [bool; 3],
    /// Whether it is computed by itself on all threads, and not beside others on one.
    pub(super) is_alone: bool,
}

impl GroupShape {
    /// The strides of a matrix along the batch, its rows and its columns: that of the left factor, of the right one or of the result.
    pub(super) fn strides(&self, matrix: usize) -> [isize; 3] {
        let [_, m, n, k] = self.extents.map(|extent| extent as isize);
        let (rows, columns) = [(m, k), (k, n), (m, n)][matrix];
        if self.by_columns[matrix] { [rows * columns, 1, rows] } else { [rows * columns, columns, 1] }
    }
}

/// A piece of a slab and where it stands in a matrix.
#[derive(Debug, PartialEq)]
pub(super) struct Move {
    /// Extents, and strides in the slab and in the matrix; the last axis is the fastest in the matrix.
    axes: Vec<Axis<[isize; 2]>>,
    /// Where it begins in both.
    start: [isize; 2],
    /// What elements are multiplied by on the way.
    weight: f64,
    conjugates: bool,
    /// Whether it is so large, and its rows so far from being neighbours, that a device copies it faster.
    is_for_device: bool,
}

/// Memory for the three matrices of a group. Groups that are computed one after the other share it.
#[derive(Debug)]
pub(super) struct Room<T: Element> {
    left: Owned<T>,
    right: Owned<T>,
    out: Owned<T>,
}

impl<T: Element> Room<T> {
    /// Room for each of these groups, asked for once: if it grew from group to group, the system would clear it each time.
    ///
    /// # Errors
    /// Memory.
    pub(super) fn new<'g>(groups: impl Iterator<Item = &'g Group>, adds: bool) -> Result<Room<T>, Error> {
        let [left, right, out] = most_room(groups, adds);
        // It may hold anything, because groups write all of it that they read.
        let [left, right, out] = [left, right, out].map(Owned::for_results_of_its_class);
        Ok(Room { left: left?, right: right?, out: out? })
    }
}

/// The most elements of each matrix that any of these groups gathers.
pub(super) fn most_room<'g>(groups: impl Iterator<Item = &'g Group>, adds: bool) -> [usize; 3] {
    groups.map(|group| group.room(adds)).fold([0; 3], |most, own| [0, 1, 2].map(|side| own[side].max(most[side])))
}

impl Move {
    /// A piece of these extents, with its strides and its beginning in the slab and in the matrix.
    pub(super) fn new(
        extents: &[usize],
        [slab, matrix]: [&[isize]; 2],
        start: [usize; 2],
        (weight, conjugates): (f64, bool),
    ) -> Move {
        let strides = slab.iter().zip(matrix).map(|(&slab, &matrix)| [slab, matrix]);
        let mut axes: Vec<Axis<[isize; 2]>> =
            extents.iter().zip(strides).map(|(&extent, strides)| Axis { extent, strides }).collect();
        fuse::normalise(&mut axes, &[MATRIX, SLAB]);
        let is_for_device = axes.last().is_some_and(|last| last.strides != [1, 1]) && points(&axes) >= LARGE;
        Move { axes, start: start.map(|start| start as isize), weight, conjugates, is_for_device }
    }

    /// Where the piece begins in the slab, if it lies there as in its matrix, which has no other piece.
    fn in_place(moves: &[Move]) -> Option<usize> {
        let [only] = moves else { return None };
        let same = only.axes.iter().all(|axis| axis.strides[SLAB] == axis.strides[MATRIX]);
        (same && only.weight == 1.0 && !only.conjugates).then_some(only.start[SLAB] as usize)
    }

    /// Calls back with each row of elements: where it begins in the slab and in the matrix, its length, and its strides there.
    fn rows(&self, mut row: impl FnMut([usize; 2], usize, [usize; 2])) {
        let (last, outer) =
            self.axes.split_last().map_or((Axis { extent: 1, strides: [1, 1] }, &[][..]), |(last, outer)| (*last, outer));
        let strides = last.strides.map(|stride| stride as usize);
        // Rows are often short: along the axis around them, they are found by addition alone.
        let (near, outer) =
            outer.split_last().map_or((Axis { extent: 1, strides: [0, 0] }, outer), |(near, outer)| (*near, outer));
        let mut each = |mut at: [isize; 2]| {
            for _ in 0..near.extent {
                row(at.map(|at| at as usize), last.extent, strides);
                at = [at[SLAB] + near.strides[SLAB], at[MATRIX] + near.strides[MATRIX]];
            }
        };
        if outer.is_empty() {
            return each(self.start);
        }
        let mut walk = Odometer::new(outer, &self.start, 0);
        for _ in 0..points(outer) {
            each(walk.position);
            walk.step();
        }
    }

    /// Copies the piece from the slab to the matrix.
    pub(super) fn gather<T: Element>(&self, device: &dyn Device, slab: &[T], matrix: &mut [T]) -> Result<(), Error> {
        if self.is_for_device {
            return self.gather_on(device, slab, matrix);
        }
        let weight = T::from_complex(self.weight.into());
        let plain = self.weight == 1.0 && !self.conjugates;
        self.rows(|[from, to], len, strides| match strides {
            [1, 1] if plain => matrix[to..to + len].copy_from_slice(&slab[from..from + len]),
            [step, further] => {
                for n in 0..len {
                    let x = slab[from + n * step];
                    matrix[to + n * further] = if plain { x } else { weight * if self.conjugates { x.conj() } else { x } };
                }
            }
        });
        Ok(())
    }

    /// The same by a kernel of a device.
    fn gather_on<T: Element>(&self, device: &dyn Device, slab: &[T], matrix: &mut [T]) -> Result<(), Error> {
        let [from, to] = self.layouts([slab.len(), matrix.len()])?;
        let mut operand = Operand::new(T::erase(slab), &from);
        operand.conjugate = self.conjugates;
        let program = if self.weight == 1.0 {
            Program::new(vec![Instruction::Input(0)])
        } else {
            let weight = Instruction::Constant(self.weight.into());
            Program::new(vec![Instruction::Input(0), weight, Instruction::Combine(Binary::Multiply, 0, 1)])
        };
        device.map(&self.nest(), &program, Reduction::Sum, &[], &[operand], Output::new(T::erase_mut(matrix), &to))
    }

    /// Copies the piece from the matrix to the slab, or adds it there.
    fn scatter<T: Element>(&self, device: &dyn Device, matrix: &[T], slab: &mut [T], adds: bool) -> Result<(), Error> {
        if self.is_for_device {
            let [to, from] = self.layouts([slab.len(), matrix.len()])?;
            let (operand, output) = (Operand::new(T::erase(matrix), &from), Output::new(T::erase_mut(slab), &to));
            if adds {
                device.add(&operand, output);
                return Ok(());
            }
            let program = Program::new(vec![Instruction::Input(0)]);
            return device.map(&self.nest(), &program, Reduction::Sum, &[], &[operand], output);
        }
        self.rows(|[to, from], len, strides| match strides {
            [1, 1] if !adds => slab[to..to + len].copy_from_slice(&matrix[from..from + len]),
            [step, further] => {
                for n in 0..len {
                    let (at, x) = (to + n * step, matrix[from + n * further]);
                    slab[at] = if adds { slab[at] + x } else { x };
                }
            }
        });
        Ok(())
    }

    fn nest(&self) -> LoopNest {
        LoopNest::new(self.axes.iter().map(|axis| axis.extent).collect::<Vec<_>>(), self.axes.len())
    }

    /// Its layouts in memories of so many elements.
    fn layouts(&self, sizes: [usize; 2]) -> Result<[Strided; 2], Error> {
        let extents: Vec<usize> = self.axes.iter().map(|axis| axis.extent).collect();
        let layout = |which: usize| {
            let strides: Vec<isize> = self.axes.iter().map(|axis| axis.strides[which]).collect();
            Strided::within(&extents, &strides, self.start[which] as usize, sizes[which])
        };
        Ok([layout(SLAB)?, layout(MATRIX)?])
    }
}

impl Group {
    /// Counts positions of the result's slab from there on.
    pub(super) fn rebase(&mut self, begins: usize) {
        self.out.iter_mut().for_each(|piece| piece.start[SLAB] -= begins as isize);
    }

    /// The contraction of its matrices.
    ///
    /// # Errors
    /// As [`Device::prepare`].
    pub(super) fn prepare<T: Element>(&self, device: &dyn Device, scale: Complex<f64>) -> Result<PreparedContraction, Error> {
        let extents = self.shape.extents;
        let [batch, rows, columns, terms] = extents;
        let [[of_left, row, left_term], [of_right, right_term, column], out] = [0, 1, 2].map(|matrix| self.shape.strides(matrix));
        let left = Strided::within(&extents, &[of_left, row, 0, left_term], 0, batch * rows * terms)?;
        let right = Strided::within(&extents, &[of_right, 0, column, right_term], 0, batch * terms * columns)?;
        let output = Strided::within(&extents[..3], &out, 0, batch * rows * columns)?;
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

    /// Elements of the matrices that a run gathers: left, right and result, nothing where a slab has the matrix as it is.
    fn room(&self, adds: bool) -> [usize; 3] {
        let [batch, rows, columns, terms] = self.shape.extents;
        let gathered = |moves: &[Move], size: usize| if Move::in_place(moves).is_some() { 0 } else { size };
        let out = batch * rows * columns;
        [
            gathered(&self.left, batch * rows * terms),
            gathered(&self.right, batch * terms * columns),
            if adds || self.follows { out } else { gathered(&self.out, out) },
        ]
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
        let [batch, rows, columns, terms] = self.shape.extents;
        let left = gathered(device, &self.left, left, &mut room.left, batch * rows * terms)?;
        let right = gathered(device, &self.right, right, &mut room.right, batch * terms * columns)?;
        let (size, adds) = (batch * rows * columns, adds || self.follows);
        let factors = [T::erase(left), T::erase(right)];
        if let (Some(start), false) = (Move::in_place(&self.out), adds) {
            return prepared.run(device, &factors, T::erase_mut(&mut out[start..start + size]));
        }
        as_new(&mut room.out[..size]);
        prepared.run(device, &factors, T::erase_mut(&mut room.out[..size]))?;
        self.out.iter().try_for_each(|piece| piece.scatter(device, &room.out[..size], out, adds))
    }
}

/// In debug builds, memory that holds anything is as new memory: whoever reads what it has not written is to be found out.
fn as_new<T: Element>(room: &mut [T]) {
    if cfg!(debug_assertions) {
        room.fill(T::UNWRITTEN);
    }
}

/// A matrix: where it lies, if it is one piece, or gathered.
fn gathered<'m, T: Element>(
    device: &dyn Device,
    moves: &[Move],
    slab: &'m [T],
    room: &'m mut Owned<T>,
    size: usize,
) -> Result<&'m [T], Error> {
    if let Some(start) = Move::in_place(moves) {
        return Ok(&slab[start..start + size]);
    }
    as_new(&mut room[..size]);
    moves.iter().try_for_each(|piece| piece.gather(device, slab, &mut room[..size]))?;
    Ok(&room[..size])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::exec::Context;

    #[test]
    fn matrices_by_rows_and_by_columns_have_the_same_product() {
        let [batch, m, n, k] = [2, 3, 5, 4];
        let number = |at: usize| (at % 7) as f64 - 3.0;
        let left: Vec<f64> = (0..batch * m * k).map(number).collect();
        let right: Vec<f64> = (0..batch * k * n).map(|at| number(at + 2)).collect();
        let dot =
            |b: usize, i: usize, j: usize| (0..k).map(|l| left[(b * m + i) * k + l] * right[(b * k + l) * n + j]).sum::<f64>();
        let expected: Vec<f64> = (0..batch * m * n).map(|at| dot(at / (m * n), at / n % m, at % n)).collect();
        let backend = Context::global().backend.clone();
        for case in 0..8 {
            let by_columns = [0, 1, 2].map(|matrix| case >> matrix & 1 == 1);
            let shape = GroupShape { extents: [batch, m, n, k], by_columns, is_alone: false };
            let whole = |matrix: usize, [rows, columns]: [usize; 2]| {
                let slab = [(rows * columns) as isize, columns as isize, 1];
                vec![Move::new(&[batch, rows, columns], [&slab, &shape.strides(matrix)], [0, 0], (1.0, false))]
            };
            let group = Group { shape, left: whole(0, [m, k]), right: whole(1, [k, n]), out: whole(2, [m, n]), follows: false };
            let prepared = group.prepare::<f64>(backend.device(), 1.0.into()).unwrap();
            for adds in [false, true] {
                let mut room = Room::new([&group].into_iter(), adds).unwrap();
                let mut out = vec![if adds { 1.0 } else { f64::NAN }; expected.len()];
                group.run(backend.device(), &prepared, [&left, &right], (&mut out, adds), &mut room).unwrap();
                let shift = if adds { 1.0 } else { 0.0 };
                assert!(out.iter().zip(&expected).all(|(found, expected)| *found == expected + shift), "{shape:?}, adds: {adds}");
            }
        }
    }
}
