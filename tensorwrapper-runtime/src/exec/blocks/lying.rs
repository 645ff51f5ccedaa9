//! A piece of a tensor as it lies in its slab, and how it is moved to a matrix or from it.

use smallvec::SmallVec;
use tensorwrapper_core::shape::Shape;

use super::group::Move;
use super::packed::{self, PackedPair};

/// A piece as it lies in its slab.
pub(super) struct Lying<'l> {
    pub(super) extents: &'l [usize],
    pub(super) strides: &'l [isize],
    pub(super) offset: usize,
}

/// Axes of a piece that run along one axis of a matrix, the pair that is packed of them, and that axis's stride.
pub(super) struct Line<'l> {
    pub(super) axes: &'l [usize],
    pub(super) pair: Option<PackedPair>,
    pub(super) stride: isize,
}

impl Lying<'_> {
    /// The piece, strip by strip, in a matrix in which it begins there. `then` says by which factor it is multiplied on the way, and
    /// whether it is conjugated, for the orders of pairs that strips stand for.
    pub(super) fn moves(&self, lines: &[Line<'_>; 3], start: isize, then: &dyn Fn([usize; 3]) -> (f64, bool)) -> Vec<Move> {
        if lines.iter().all(|line| line.pair.is_none()) {
            return vec![self.whole(lines, start, then([1; 3]))];
        }
        let extents = |line: &Line<'_>| -> Vec<usize> { line.axes.iter().map(|&axis| self.extents[axis]).collect() };
        let strips = lines.each_ref().map(|line| packed::strips(&extents(line), line.pair));
        let counts: Shape = strips.iter().map(Vec::len).collect();
        let mut found = Vec::with_capacity(strips.iter().map(Vec::len).product());
        counts.indices().visit(|choice| {
            let (mut extents, mut slab) = (self.extents.to_vec(), self.strides.to_vec());
            let (mut matrix, mut begins) = (vec![0; extents.len()], [self.offset as isize, start]);
            for ((line, strips), &n) in lines.iter().zip(&strips).zip(choice) {
                let strip = &strips[n];
                begins[1] += strip.start as isize * line.stride;
                for (n, &axis) in line.axes.iter().enumerate() {
                    extents[axis] = strip.extents[n];
                    begins[0] += strip.first[n] as isize * self.strides[axis];
                    matrix[axis] = strip.strides[n] as isize * line.stride;
                }
                if let Some([one, other]) = strip.together {
                    slab[line.axes[one]] += self.strides[line.axes[other]];
                }
            }
            let orders = [0, 1, 2].map(|line| strips[line][choice[line]].orders);
            let begins = begins.map(|begins| begins as usize);
            found.push(Move::new(&extents, [&slab, &matrix], begins, then(orders)));
        });
        found
    }

    /// The same where no pair is packed: one strip has all of it.
    fn whole(&self, lines: &[Line<'_>; 3], start: isize, how: (f64, bool)) -> Move {
        let mut matrix: SmallVec<[isize; 6]> = SmallVec::from_elem(0, self.extents.len());
        for line in lines {
            let mut stride = line.stride;
            for &axis in line.axes.iter().rev() {
                matrix[axis] = stride;
                stride *= self.extents[axis] as isize;
            }
        }
        Move::new(self.extents, [self.strides, &matrix], [self.offset, start as usize], how)
    }
}
