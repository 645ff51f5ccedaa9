//! Ragged axes of a structure: rows that have extents of their own; and axes in layers.
//!
//! A ragged axis is cut wherever a row ends, and what is behind the end of a row is no block: pattern and products follow from blocks
//! alone. What is said here is which axes are ragged, so that they are not taken for zero-padded ones.

use super::Structure;
use crate::error::{Error, ErrorKind};
use crate::shape::{JaggedShape, Shape, Tiling};

/// Rows of which extents are told at most.
const MOST_ROWS: usize = 1 << 24;

impl Structure {
    /// The structure of rows that have extents of their own: leading axes of a jagged shape are cut at each index, ragged ones wherever a
    /// row ends, and others are whole. Blocks behind the end of a row are not there.
    ///
    /// ```
    /// # use tensorwrapper_core as tensorwrapper;
    /// use tensorwrapper::{Error, JaggedShape, Shape, Structure};
    /// let rows = JaggedShape::rows([3, 1, 4].map(|extent| Shape::new([extent])))?;
    /// let structure = Structure::jagged(&rows)?;
    /// assert_eq!(structure.shape(), Shape::new([3, 4])); // the smallest that has all rows
    /// assert_eq!((structure.ragged_by(1), structure.row_extents(1)?), (Some(&[0][..]), vec![3, 1, 4]));
    /// assert_eq!(structure.stored()?.elements(), 8);
    /// # Ok::<(), Error>(())
    /// ```
    ///
    /// # Errors
    /// [`ErrorKind::Shape`] when the rows do not begin at zero.
    pub fn jagged(shape: &JaggedShape) -> Result<Structure, Error> {
        if shape.padded().origin().iter().any(|&origin| origin != 0) || shape.boxes().any(|part| !begins_at_zero(&part, shape)) {
            return Err(Error::new(ErrorKind::Shape(format!(
                "rows of a block tensor begin at 0, which those of {shape:?} do not"
            ))));
        }
        let (rank, rows) = (shape.rank(), shape.rank() - shape.smooth_rank());
        let extents = shape.padded().extents();
        let mut ends: Vec<Vec<usize>> = extents.iter().map(|&extent| vec![0, extent]).collect();
        for part in shape.boxes() {
            part.extents().iter().zip(&mut ends).skip(rows).for_each(|(&extent, ends)| ends.push(extent));
        }
        let mut tilings = Vec::with_capacity(rank);
        for (axis, ends) in ends.iter_mut().enumerate() {
            ends.sort_unstable();
            ends.dedup();
            let between = ends.windows(2).map(|ends| ends[1] - ends[0]);
            tilings.push(if axis < rows { Tiling::each(extents[axis]) } else { Tiling::cuts(between) });
        }
        let mut blocks: Vec<Vec<usize>> = Vec::new();
        for part in shape.boxes() {
            let counts =
                (rows..rank).map(|axis| tilings[axis].bounds().partition_point(|&bound| bound <= part.extents()[axis]) - 1);
            let counts: Shape = (0..rows).map(|_| 1).chain(counts).collect();
            blocks.extend(counts.indices().map(|block| -> Vec<usize> {
                block.iter().enumerate().map(|(axis, &tile)| if axis < rows { part.origin()[axis] } else { tile }).collect()
            }));
        }
        let is_ragged = |axis: &usize| shape.extent(*axis as isize).is_ok_and(|extent| extent.is_none());
        let ragged = (0..rank).filter(is_ragged).map(|axis| (axis, (0..rows.min(axis)).collect()));
        Structure::new(&tilings).with_blocks(&blocks)?.with_ragged(ragged)
    }

    /// The same, of which these axes are ragged, and no others: the extent of each depends on the index of the axes beside it. Where
    /// these are none, only the rows are said to have had different extents before they were summed.
    ///
    /// # Errors
    /// [`ErrorKind::Rank`] when there is no such axis, [`ErrorKind::Shape`] when an axis depends on itself or has charges.
    pub fn with_ragged(&self, ragged: impl IntoIterator<Item = (usize, Vec<usize>)>) -> Result<Structure, Error> {
        let mut ragged: Vec<(usize, Vec<usize>)> = ragged.into_iter().collect();
        ragged.sort_unstable();
        for (axis, by) in &ragged {
            [axis].into_iter().chain(by).try_for_each(|axis| self.check_axis(*axis))?;
            let message = match by.contains(axis) {
                true => format!("the extent of axis {axis} cannot depend on its own index"),
                false if self.tilings()[*axis].charges().is_some() => format!("axis {axis} has charges, and cannot be ragged"),
                false => continue,
            };
            return Err(Error::new(ErrorKind::Shape(message)));
        }
        self.check_different(if ragged.is_empty() { None } else { Some("ragged axes") })?;
        Ok(self.changed(|parts| parts.rows.ragged = ragged))
    }

    fn check_axis(&self, axis: usize) -> Result<(), Error> {
        if axis < self.rank() {
            return Ok(());
        }
        Err(Error::new(ErrorKind::Rank { operand: format!("{self:?}"), rank: self.rank(), given: axis.saturating_add(1) }))
    }

    /// The axes on whose index the extent of an axis depends, if it is ragged.
    pub fn ragged_by(&self, axis: usize) -> Option<&[usize]> {
        self.0.rows.ragged.iter().find(|(own, _)| *own == axis).map(|(_, by)| &by[..])
    }

    /// The extents of the rows along an axis, one for each index of the axes that it is [ragged by](Structure::ragged_by), in C order. An
    /// axis that is not ragged has one.
    ///
    /// # Errors
    /// As [`stored`](Structure::stored); [`ErrorKind::Rank`] when there is no such axis, [`ErrorKind::Shape`] when there are too many rows.
    pub fn row_extents(&self, axis: usize) -> Result<Vec<usize>, Error> {
        self.check_axis(axis)?;
        let by = self.ragged_by(axis).unwrap_or_default();
        if by.is_empty() {
            return Ok(vec![self.tilings()[axis].extent()]);
        }
        let rows: Shape = by.iter().map(|&by| self.tilings()[by].extent()).collect();
        let count = rows.size()?;
        if count > MOST_ROWS {
            return Err(Error::new(ErrorKind::Shape(format!("there are {count} rows, and {MOST_ROWS} at most can be told"))));
        }
        let mut extents = vec![0; count];
        let stored = self.stored()?;
        for block in stored.iter() {
            for element in self.symmetry().elements() {
                let image = element.image(block.as_slice());
                let end = self.tilings()[axis].bounds()[image[axis] + 1];
                let within: Shape = by.iter().map(|&by| self.tilings()[by].extents().nth(image[by]).unwrap_or(0)).collect();
                within.indices().visit(|index| {
                    let places = index.iter().zip(by).zip(rows.extents());
                    let row = places
                        .fold(0, |row, ((index, &by), extent)| row * extent + self.tilings()[by].bounds()[image[by]] + index);
                    extents[row] = extents[row].max(end);
                });
            }
        }
        Ok(extents)
    }

    /// The same with these blocks alone, as [`with_blocks`](Structure::with_blocks) has it, but rows that have extents of their own keep
    /// them: as many of the blocks at their ends stay as that takes.
    ///
    /// # Errors
    /// As [`with_blocks`](Structure::with_blocks) and [`row_extents`](Structure::row_extents).
    ///
    /// ```
    /// # use tensorwrapper_core as tensorwrapper;
    /// use tensorwrapper::{Error, JaggedShape, Shape, Structure};
    /// let rows = Structure::jagged(&JaggedShape::rows([3, 1].map(|extent| Shape::new([extent])))?)?;
    /// assert_eq!(rows.with_blocks([[0, 0]])?.row_extents(1)?, [1, 0]);
    /// assert_eq!(rows.with_blocks_and_ends([[0, 0]])?.row_extents(1)?, [3, 1]);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn with_blocks_and_ends(&self, blocks: impl IntoIterator<Item = impl AsRef<[usize]>>) -> Result<Structure, Error> {
        let ragged: Vec<usize> = (0..self.rank()).filter(|&axis| self.ragged_by(axis).is_some_and(|by| !by.is_empty())).collect();
        if ragged.is_empty() {
            return self.with_blocks(blocks);
        }
        let mut kept: Vec<Vec<usize>> = blocks.into_iter().map(|block| block.as_ref().to_vec()).collect();
        let wanted: Vec<Vec<usize>> = ragged.iter().map(|&axis| self.row_extents(axis)).collect::<Result<_, Error>>()?;
        // Blocks at the end of a row along all ragged axes are enough, unless a row has none.
        for axes in [ragged.len(), 1] {
            for block in self.stored()?.iter() {
                let ends = ragged.iter().zip(&wanted).filter(|(axis, extents)| self.ends_row(&block, **axis, extents));
                if ends.count() >= axes {
                    kept.push(block);
                }
            }
            let found = self.with_blocks(&kept)?;
            let mut axes = ragged.iter().zip(&wanted);
            if axes.try_fold(true, |same, (&axis, extents)| Ok::<_, Error>(same && found.row_extents(axis)? == *extents))? {
                return Ok(found);
            }
        }
        self.with_blocks(kept)
    }

    /// Whether a block, or one that follows from it, has the last element of a row along a ragged axis.
    fn ends_row(&self, block: &[usize], axis: usize, extents: &[usize]) -> bool {
        let by = self.ragged_by(axis).unwrap_or_default();
        self.symmetry().elements().iter().any(|element| {
            let image = element.image(block);
            let end = self.tilings()[axis].bounds()[image[axis] + 1];
            let bound = |axis: usize, side: usize| self.tilings()[axis].bounds()[image[axis] + side];
            let within: Shape = by.iter().map(|&by| bound(by, 1) - bound(by, 0)).collect();
            within.indices().any(|index| {
                let row =
                    index.iter().zip(by).fold(0, |row, (index, &by)| row * self.tilings()[by].extent() + bound(by, 0) + index);
                extents[row] == end
            })
        })
    }

    /// Whether an axis is ragged, and its rows do have different extents.
    ///
    /// # Errors
    /// As [`row_extents`](Structure::row_extents).
    pub fn has_unequal_rows(&self, axis: usize) -> Result<bool, Error> {
        match self.ragged_by(axis) {
            None | Some([]) => Ok(false),
            // Without any element, rows tell nothing.
            Some(_) if self.stored()?.is_empty() => Ok(false),
            Some(_) => Ok(self.row_extents(axis)?.iter().any(|&extent| extent != self.tilings()[axis].extent())),
        }
    }

    /// The same without what is known of rows that were summed, and without tiles at the end of ragged axes that no row reaches. `keeps`
    /// says which axes keep their extent.
    ///
    /// # Errors
    /// As [`stored`](Structure::stored).
    pub fn trimmed(&self, keeps: &dyn Fn(usize) -> bool) -> Result<Structure, Error> {
        if self.0.rows.ragged.is_empty() {
            return Ok(self.clone());
        }
        let mut lens: Vec<usize> = vec![0; self.rank()];
        let blocks: Vec<Vec<usize>> = self.stored()?.iter().collect();
        for (block, element) in blocks.iter().flat_map(|block| self.symmetry().elements().iter().map(move |by| (block, by))) {
            element.axes().zip(&mut lens).for_each(|(axis, len)| *len = (*len).max(block[axis] + 1));
        }
        let tiling = |axis: usize| match self.ragged_by(axis).is_some() && !keeps(axis) {
            true => Tiling::cuts(self.tilings()[axis].extents().take(lens[axis])),
            false => self.tilings()[axis].clone(),
        };
        let tilings = (0..self.rank()).map(tiling).collect();
        Ok(self.changed(|parts| {
            (parts.tilings, parts.given) = (tilings, Some(blocks));
            parts.rows.ragged.retain(|(_, by)| !by.is_empty());
        }))
    }

    /// The same with its axes in layers of so many each, the outer one first: `[1, 2]` is a vector of matrices, which equations read as
    /// `T[p; a, b]`. Nothing else changes.
    ///
    /// ```
    /// # use tensorwrapper_core::{Error, Structure, Tiling};
    /// let matrices = Structure::new(&[Tiling::each(5), Tiling::whole(3), Tiling::whole(3)]).nested([1, 2])?;
    /// assert_eq!((matrices.layers(), matrices.nested([3])?.layers()), (vec![1, 2], vec![3]));
    /// # Ok::<(), Error>(())
    /// ```
    ///
    /// # Errors
    /// [`ErrorKind::Shape`] when layers have other axes than the structure, or none.
    pub fn nested(&self, layers: impl Into<Vec<usize>>) -> Result<Structure, Error> {
        let layers: Vec<usize> = layers.into();
        if layers.iter().sum::<usize>() != self.rank() || (layers.contains(&0) && self.rank() > 0) {
            let message = format!("a structure of rank {} has no layers of {layers:?} axes", self.rank());
            return Err(Error::new(ErrorKind::Shape(message)));
        }
        let layers = if layers.len() > 1 { layers } else { Vec::new() };
        Ok(self.changed(|parts| parts.rows.layers = layers))
    }

    /// The same with all axes in one layer.
    pub fn flat(&self) -> Structure {
        self.changed(|parts| parts.rows.layers = Vec::new())
    }

    /// How many axes each layer has, the outer one first.
    pub fn layers(&self) -> Vec<usize> {
        if self.0.rows.layers.is_empty() { vec![self.rank()] } else { self.0.rows.layers.clone() }
    }
}

/// Whether a box of a jagged shape begins at zero behind the axes of rows.
fn begins_at_zero(part: &Shape, shape: &JaggedShape) -> bool {
    part.origin().iter().skip(shape.rank() - shape.smooth_rank()).all(|&origin| origin == 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn jagged(lengths: &[usize]) -> Structure {
        Structure::jagged(&JaggedShape::rows(lengths.iter().map(|&extent| Shape::new([extent]))).unwrap()).unwrap()
    }

    #[test]
    fn rows_end_where_they_end() {
        let structure = jagged(&[3, 0, 4, 3]);
        assert_eq!(structure.tilings(), [Tiling::each(4), Tiling::cuts([3, 1])]);
        assert_eq!(structure.stored().unwrap().iter().collect::<Vec<_>>(), [[0, 0], [2, 0], [2, 1], [3, 0]]);
        assert_eq!(structure.row_extents(1).unwrap(), [3, 0, 4, 3]);
        assert_eq!(structure.row_extents(0).unwrap(), [4]);
        assert!(matches!(structure.row_extents(2).unwrap_err().kind(), ErrorKind::Rank { rank: 2, given: 3, .. }));
        // Equal rows are smooth.
        assert_eq!(jagged(&[3, 3]).ragged_by(1), None);
        assert!(structure.with_ragged([(1, vec![1])]).is_err() && structure.with_ragged([(2, vec![])]).is_err());
    }

    #[test]
    fn rows_within_rows_and_tails() {
        let row = |extents: &[usize]| JaggedShape::rows(extents.iter().map(|&n| Shape::new([n, 2]))).unwrap();
        let structure = Structure::jagged(&JaggedShape::of([row(&[1, 3]), row(&[2])]).unwrap()).unwrap();
        assert_eq!((structure.shape(), structure.stored().unwrap().elements()), (Shape::new([2, 2, 3, 2]), 12));
        assert_eq!(
            (structure.ragged_by(1), structure.ragged_by(2), structure.ragged_by(3)),
            (Some(&[0][..]), Some(&[0, 1][..]), None)
        );
        assert_eq!(structure.row_extents(1).unwrap(), [2, 1]);
        assert_eq!(structure.row_extents(2).unwrap(), [1, 3, 2, 0]);
    }

    #[test]
    fn tiles_that_no_row_reaches_are_left_out() {
        let long = jagged(&[3, 4]).with_blocks([[0, 0]]).unwrap();
        assert_eq!(long.trimmed(&|_| false).unwrap().tilings(), [Tiling::each(2), Tiling::whole(3)]);
        assert_eq!(long.trimmed(&|_| true).unwrap(), long);
    }
}
