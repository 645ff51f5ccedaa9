//! Where the matrices of a batch lie in strided memory: a group of axes is one axis of a matrix. Reads and writes no matrix.

use tensorwrapper_notation::syntax::Role;

use super::decomposition::Decomposition;
use crate::element::Element;
use crate::layout::Strided;

/// The rows or the columns of matrices: the offset of each from the first.
#[derive(Debug)]
pub struct Along {
    len: usize,
    /// The stride from one to the next, if it is the same for all.
    step: Option<isize>,
    /// The offset of each, where they do not.
    offsets: Vec<isize>,
}

impl Along {
    /// One axis of several, the last fastest.
    fn new(extents: &[usize], strides: &[isize]) -> Along {
        let (len, step) = (extents.iter().product(), step_of(extents, strides));
        if step.is_some() {
            return Along { len, step, offsets: Vec::new() };
        }
        let mut offsets = vec![0];
        for (&extent, &stride) in extents.iter().zip(strides) {
            offsets = offsets.iter().flat_map(|&before| (0..extent).map(move |i| before + i as isize * stride)).collect();
        }
        Along { len, step: None, offsets }
    }

    /// The number of rows or columns.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there are no rows or columns.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Whether each one lies one element after the one before.
    pub fn is_dense(&self) -> bool {
        self.step == Some(1)
    }

    /// The offset of row or column `n`.
    #[inline(always)]
    pub fn at(&self, n: usize) -> isize {
        match self.step {
            Some(step) => n as isize * step,
            None => self.offsets[n],
        }
    }
}

/// The one stride with which some axes are crossed, the last axis fastest; `None` where they need several.
fn step_of(extents: &[usize], strides: &[isize]) -> Option<isize> {
    let mut axes = extents.iter().zip(strides).filter(|(extent, _)| **extent != 1).rev();
    let Some((&fastest, &step)) = axes.next() else { return Some(1) };
    let mut end = fastest as isize * step;
    let goes_on = |(&extent, &stride): (&usize, &isize)| {
        let does = stride == end;
        end = extent as isize * stride;
        does
    };
    (extents.contains(&0) || axes.all(goes_on)).then_some(step)
}

/// Where the matrices of a batch lie: the offsets of rows and columns from the first element of each matrix.
#[derive(Debug)]
pub struct Space {
    start: isize,
    /// Strides of the batch's axes.
    batch: Vec<isize>,
    /// The stride from an item of the batch to the next, if it is the same for all.
    item: Option<isize>,
    /// The rows of each matrix.
    pub rows: Along,
    /// The columns of each matrix.
    pub columns: Along,
}

/// The place in memory of a matrix with one stride for its rows and one for its columns.
#[derive(Clone, Copy, Debug)]
pub struct Place {
    /// Position of the first element.
    pub start: isize,
    /// The stride from one row to the next.
    pub row: isize,
    /// The stride from one column to the next.
    pub column: isize,
}

impl Place {
    /// The place of a dense matrix in column-major order with this number of rows.
    pub fn dense(rows: usize) -> Place {
        Place { start: 0, row: 1, column: rows as isize }
    }

    /// The place of the transposed matrix.
    pub fn transposed(self) -> Place {
        Place { start: self.start, row: self.column, column: self.row }
    }

    /// The position of an element.
    pub fn position(self, row: usize, column: usize) -> usize {
        (self.start + row as isize * self.row + column as isize * self.column) as usize
    }
}

/// Number of elements from which on a matrix is copied by the device's own copy.
const LARGE: usize = 1 << 10;

impl Space {
    /// The matrices of an operand or output, whose axes are those of the batch and those of up to two roles.
    pub fn new(layout: &Strided, call: &Decomposition, roles: &[Role]) -> Space {
        let mut axes = call.batch;
        let mut group = |role: Option<&Role>| {
            let count = role.map_or(0, |role| call.roles[*role as usize]);
            let own = axes..axes + count;
            axes += count;
            Along::new(&layout.extents()[own.clone()], &layout.strides()[own])
        };
        let (rows, columns) = (group(roles.first()), group(roles.get(1)));
        let (extents, batch) = (&layout.extents()[..call.batch], layout.strides()[..call.batch].to_vec());
        Space { start: layout.offset() as isize, item: step_of(extents, &batch), batch, rows, columns }
    }

    /// Rows and columns of each matrix.
    pub fn size(&self) -> (usize, usize) {
        (self.rows.len, self.columns.len)
    }

    /// Position of the first element of an item of the batch.
    pub fn base(&self, item: &[usize]) -> isize {
        item.iter().zip(&self.batch).fold(self.start, |position, (&i, &stride)| position + i as isize * stride)
    }

    /// Position of the first element of an item that is given by its number, counted with the last axis of the batch fastest.
    #[inline]
    pub fn base_of(&self, extents: &[usize], item: usize) -> isize {
        // Divisions would be a good part of the time of small matrices.
        if let Some(step) = self.item {
            return self.start + item as isize * step;
        }
        let (mut position, mut left) = (self.start, item);
        for (&extent, &stride) in extents.iter().zip(&self.batch).rev() {
            position += (left % extent) as isize * stride;
            left /= extent;
        }
        position
    }

    /// The stride from an item of the batch to the next, if it is the same for all.
    pub fn item(&self) -> Option<isize> {
        self.item
    }

    /// Where the matrix of an item lies, if it is large and has one stride for rows and one for columns.
    pub fn place(&self, item: &[usize]) -> Option<Place> {
        if self.rows.len * self.columns.len < LARGE { None } else { self.place_at(self.base(item)) }
    }

    /// Where the matrix of an item, given by its number, lies, if it has one stride for rows and one for columns.
    pub fn place_of(&self, extents: &[usize], item: usize) -> Option<Place> {
        self.place_at(self.base_of(extents, item))
    }

    fn place_at(&self, start: isize) -> Option<Place> {
        Some(Place { start, row: self.rows.step?, column: self.columns.step? })
    }

    /// Writes zeros into all of a matrix.
    pub fn clear<T: Element>(&self, data: &mut [T], item: &[usize]) {
        let (rows, columns) = self.size();
        if (self.rows.step, self.columns.step) == (Some(columns as isize), Some(1)) && rows > 0 {
            data[self.base(item) as usize..][..rows * columns].fill(T::ZERO);
        } else {
            (0..rows).for_each(|row| self.fill(data, item, row, 0..columns, T::ZERO));
        }
    }

    /// Writes one number into some columns of a row.
    pub fn fill<T: Element>(&self, data: &mut [T], item: &[usize], row: usize, columns: std::ops::Range<usize>, x: T) {
        let start = self.base(item) + self.rows.at(row);
        if self.columns.step == Some(1) && !columns.is_empty() {
            data[(start + columns.start as isize) as usize..][..columns.len()].fill(x);
        } else {
            columns.for_each(|column| data[(start + self.columns.at(column)) as usize] = x);
        }
    }
}

/// The multi-index of an item, the last axis fastest.
pub fn indices(extents: &[usize], mut item: usize) -> Vec<usize> {
    let mut index = vec![0; extents.len()];
    for (i, &extent) in index.iter_mut().zip(extents).rev() {
        *i = item % extent;
        item /= extent;
    }
    index
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_group_of_axes_goes_on_by_one_stride_or_has_a_table() {
        let cases: [(&[usize], &[isize], Option<isize>); 7] = [
            (&[], &[], Some(1)),
            (&[3, 4], &[4, 1], Some(1)),
            (&[3, 1, 4], &[8, 99, 2], Some(2)),
            (&[3, 4], &[1, 3], None),
            (&[2, 3, 4], &[24, 4, 1], None),
            (&[3, 4], &[-4, -1], Some(-1)),
            (&[3, 0], &[7, 7], Some(7)),
        ];
        for (extents, strides, step) in cases {
            let along = Along::new(extents, strides);
            assert_eq!((along.len(), along.step), (extents.iter().product(), step), "{extents:?} {strides:?}");
            for n in 0..along.len() {
                let index = indices(extents, n);
                let offset: isize = index.iter().zip(strides).map(|(&i, &stride)| i as isize * stride).sum();
                assert_eq!(along.at(n), offset, "{extents:?} {strides:?} {n}");
            }
        }
    }
}
