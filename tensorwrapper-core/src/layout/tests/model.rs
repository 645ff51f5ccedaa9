//! Padding, order and tiles as one would do them by hand: arrays that are padded, transposed and cut, cell by cell.

use crate::layout::Physical;

/// Cells in the order of their indices, the last fastest; a cell is an element's number in the order of indices, or padding.
struct Array {
    extents: Vec<usize>,
    cells: Vec<Option<usize>>,
}

/// All indices, the last fastest.
pub(super) fn indices(extents: &[usize]) -> Vec<Vec<usize>> {
    extents.iter().fold(vec![Vec::new()], |all, &extent| {
        all.iter().flat_map(|index| (0..extent).map(move |i| [&index[..], &[i]].concat())).collect()
    })
}

/// A number for an index, row by row; `None` where it is out of range.
fn number(extents: &[usize], index: &[usize]) -> Option<usize> {
    index.iter().zip(extents).try_fold(0, |n, (&i, &extent)| (i < extent).then_some(n * extent + i))
}

impl Array {
    fn at(&self, index: &[usize]) -> Option<usize> {
        self.cells[number(&self.extents, index)?]
    }

    fn build(extents: Vec<usize>, cell: impl Fn(&[usize]) -> Option<usize>) -> Array {
        let cells = indices(&extents).iter().map(|index| cell(index)).collect();
        Array { extents, cells }
    }

    fn padded(&self, widths: &[usize]) -> Array {
        Array::build(widths.to_vec(), |index| self.at(index))
    }

    /// Axis `n` of the result is axis `axes[n]`.
    fn transposed(&self, axes: &[usize]) -> Array {
        Array::build(axes.iter().map(|&axis| self.extents[axis]).collect(), |index| {
            let mut source = vec![0; axes.len()];
            axes.iter().zip(index).for_each(|(&axis, &i)| source[axis] = i);
            self.at(&source)
        })
    }

    fn tiled(mut self, tile: &[Option<usize>]) -> Array {
        while self.extents.len() < tile.len() {
            self.extents.insert(0, 1);
        }
        // Cells of neighbouring axes are in a row already: to combine them is to forget the border.
        let start = self.extents.len() - tile.len();
        let mut extents = self.extents[..start].to_vec();
        let (mut whole, mut cuts) = (1, Vec::new());
        for (&extent, &cut) in self.extents[start..].iter().zip(tile) {
            whole *= extent;
            if let Some(cut) = cut {
                extents.push(std::mem::replace(&mut whole, 1));
                cuts.push(cut);
            }
        }
        let combined = Array { extents, cells: self.cells };
        let mut widths = combined.extents.clone();
        widths[start..].iter_mut().zip(&cuts).for_each(|(width, cut)| *width = width.next_multiple_of(*cut));
        let mut whole = combined.padded(&widths);
        // (n, t, m, u) becomes (n, m, t, u).
        whole.extents.truncate(start);
        whole.extents.extend(widths[start..].iter().zip(&cuts).flat_map(|(width, cut)| [width / cut, *cut]));
        let outer = (0..cuts.len()).map(|n| start + 2 * n);
        whole.transposed(&(0..start).chain(outer.clone()).chain(outer.map(|n| n + 1)).collect::<Vec<_>>())
    }
}

/// What stands at each position.
pub(super) fn memory(stored: &Physical) -> Vec<Option<usize>> {
    let extents = stored.extents();
    let array = Array::build(extents.to_vec(), |index| number(extents, index));
    let widths = stored.layout().padded_extents().unwrap_or(extents);
    let order: Vec<usize> = stored.layout().minor_to_major().iter().rev().copied().collect();
    let start = array.padded(widths).transposed(&order);
    stored.layout().tiles().iter().fold(start, |array, tile| array.tiled(tile.extents())).cells
}
