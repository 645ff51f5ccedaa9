//! The same elements in other blocks, and functions of blocks.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::ops::Range;

use tensorwrapper_core::element::Element;
use tensorwrapper_core::error::{Error, ErrorKind};
use tensorwrapper_core::layout::Strided;
use tensorwrapper_core::shape::{Extents, Shape, Tiling};
use tensorwrapper_core::structure::Structure;
use tensorwrapper_core::symmetry::{SignedPermutation, Symmetry};

use super::{Blocks, erased};

impl<T: Element, S: Extents> Blocks<T, S> {
    /// A copy that is cut in other places: one tiling for each axis. Blocks are there that have an index of one that is there now. Of the
    /// symmetry stays what exchanges axes that are cut alike; a charge stays conserved if all tilings carry charges, which must be those
    /// that the indices have. Rows that have extents of their own keep them.
    ///
    /// ```
    /// # use tensorwrapper_runtime as tensorwrapper;
    /// use tensorwrapper::{Blocks, Error, Structure, Tiling};
    /// let cut = Tiling::cuts([2, 2, 2]);
    /// let b = Blocks::<f64>::from_fn(&Structure::new([&cut, &cut]).with_blocks([[0, 1], [2, 2]])?, |i| (10 * i[0] + i[1]) as f64)?;
    /// let other = b.tiled(&[Tiling::cuts([3, 3]), Tiling::whole(6)])?;
    /// assert_eq!((other.blocks(), other.get(&[5, 4])?, other.get(&[5, 0])?), (vec![vec![0, 0], vec![1, 0]], 54.0, 0.0));
    /// # Ok::<(), Error>(())
    /// ```
    ///
    /// # Errors
    /// [`ErrorKind::Shape`] when extents differ, when an index gets another charge, and when a cut would change where rows end;
    /// [`ErrorKind::Memory`].
    pub fn tiled(&self, tilings: &[Tiling]) -> Result<Blocks<T, S>, Error> {
        let extents: Vec<usize> = tilings.iter().map(Tiling::extent).collect();
        if extents != self.structure.shape().extents() {
            let message = format!("extents {:?} cannot be cut {tilings:?}", self.structure.shape().extents());
            return Err(Error::new(ErrorKind::Shape(message)));
        }
        let structure = self.cut_as(tilings)?;
        let mut made = Blocks::zeros_like(&structure)?;
        let (stored, old) = (structure.stored()?, &self.structure);
        for number in 0..stored.len() {
            let shape = structure.block_shape(&stored.block(number))?;
            let strides = Strided::row_major(shape.extents())?;
            let ranges: Vec<(usize, usize)> =
                shape.origin().iter().zip(shape.extents()).map(|(&begin, &extent)| (begin, begin + extent)).collect();
            let tiles: Vec<Vec<usize>> =
                ranges.iter().zip(old.tilings()).map(|(range, tiling)| meeting(tiling, *range)).collect();
            for choice in &tiles.iter().map(Vec::len).collect::<Shape>() {
                let block: Vec<usize> = choice.iter().zip(&tiles).map(|(&n, tiles)| tiles[n]).collect();
                let Some(image) = old.image(&block)? else { continue };
                let from = old.block_shape(&block)?;
                let ends = from.origin().iter().zip(from.extents()).map(|(begin, extent)| begin + extent);
                let overlap = ranges.iter().zip(from.origin().iter().zip(ends));
                let overlap: Vec<(usize, usize)> =
                    overlap.map(|(range, (&begin, end))| (range.0.max(begin), range.1.min(end))).collect();
                let first: Vec<usize> = overlap.iter().map(|range| range.0).collect();
                let part = overlap.iter().map(|range| range.1 - range.0).collect::<Shape>().with_origin(first)?;
                for index in part.indices() {
                    let within =
                        |shape: &Shape| -> Vec<usize> { index.iter().zip(shape.origin()).map(|(n, first)| n - first).collect() };
                    let element = erased::element_of(old, &self.slab, image, from.extents(), &within(&from));
                    let at = strides.position(&within(&shape)).unwrap_or_default();
                    made.slab[stored.start(number) + at] = element;
                }
            }
        }
        made.origin.clone_from(&self.origin);
        Ok(made)
    }

    /// A copy that is one block: what is zero, and what pads rows that have extents of their own, is stored. The symmetry stays.
    ///
    /// ```
    /// # use tensorwrapper_runtime as tensorwrapper;
    /// use tensorwrapper::{Blocks, Error, Tensor};
    /// let row = |extent| Tensor::<f64>::from_fn([extent], |i| (1 + i[0]) as f64);
    /// let padded = Blocks::rows([row(2)?, row(1)?])?.smooth()?;
    /// assert_eq!((padded.blocks(), padded.to_dense()?.as_slice()), (vec![vec![0, 0]], &[1.0, 2.0, 1.0, 0.0][..]));
    /// # Ok::<(), Error>(())
    /// ```
    ///
    /// # Errors
    /// [`ErrorKind::Shape`] and [`ErrorKind::Memory`] when there are too many elements.
    pub fn smooth(&self) -> Result<Blocks<T, S>, Error> {
        let whole: Vec<Tiling> = self.structure.tilings().iter().map(|tiling| Tiling::whole(tiling.extent())).collect();
        let structure = Structure::new(&whole).with(self.structure.symmetry().clone())?.nested(self.structure.layers())?;
        let mut made = Blocks::zeros_like(&structure)?;
        let dense = erased::to_dense(&self.structure, &self.slab)?;
        made.slab[..dense.len()].copy_from_slice(dense.as_slice());
        made.origin.clone_from(&self.origin);
        Ok(made)
    }

    /// The structure with other cuts.
    fn cut_as(&self, tilings: &[Tiling]) -> Result<Structure, Error> {
        let old = &self.structure;
        let alike = |by: &&SignedPermutation| by.axes().enumerate().all(|(n, axis)| tilings[n] == tilings[axis]);
        let group: Vec<SignedPermutation> = old.symmetry().elements().iter().filter(alike).cloned().collect();
        let structure = Structure::new(tilings).with(Symmetry::none(tilings.len()).generated(group)?)?;
        let structure = match old.charge_flow().filter(|_| tilings.iter().all(|tiling| tiling.charges().is_some())) {
            Some(flow) => {
                (0..old.rank()).try_for_each(|axis| check_charges(axis, [&old.tilings()[axis], &tilings[axis]]))?;
                structure.flow(flow.signs(), flow.total().to_vec())?
            }
            None => structure,
        };
        let ragged = (0..old.rank()).filter_map(|axis| old.ragged_by(axis).map(|by| (axis, by.to_vec())));
        let mut blocks: BTreeSet<Vec<usize>> = BTreeSet::new();
        for number in 0..old.stored()?.len() {
            for (image, _) in old.orbit(number)? {
                let range = |(tiling, &tile): (&Tiling, &usize)| (tiling.bounds()[tile], tiling.bounds()[tile + 1]);
                let ranges = old.tilings().iter().zip(&image).map(range);
                let tiles: Vec<Vec<usize>> = tilings.iter().zip(ranges).map(|(tiling, range)| meeting(tiling, range)).collect();
                let counts: Shape = tiles.iter().map(Vec::len).collect();
                blocks.extend(counts.indices().map(|choice| choice.iter().zip(&tiles).map(|(&n, tiles)| tiles[n]).collect()));
            }
        }
        let cut = structure.with_blocks(&blocks)?.with_ragged(ragged)?.nested(old.layers())?;
        for axis in (0..old.rank()).filter(|&axis| old.ragged_by(axis).is_some()) {
            let [before, after] = [old.row_extents(axis)?, cut.row_extents(axis)?];
            if before != after {
                let message = format!("axis {axis} has rows of extents {before:?}; cut as {tilings:?} they would have {after:?}");
                return Err(Error::new(ErrorKind::Shape(message)).with_help("`smooth()` pads rows with zeros"));
            }
        }
        Ok(cut)
    }

    /// The same tensor, after a function was called with each block's indices and place in the slab, and the slab.
    fn filled_by_blocks(mut self, mut function: impl FnMut(&Shape, Range<usize>, &mut [T])) -> Result<Blocks<T, S>, Error> {
        let (stored, core) = (self.structure.stored()?, self.structure.core()?);
        for number in 0..stored.len() {
            let range = stored.start(number)..stored.start(number) + stored.size(number);
            function(&core.block_shape(&core.stored()?.block(number))?, range, &mut self.slab);
        }
        self.make_consistent()?;
        Ok(self)
    }
}

impl<T: Element> Blocks<T> {
    /// A tensor that is made block by block: the function gets the indices of a block that is stored, as a shape that begins at the first
    /// one, and its elements in C order, which are zero at first. Elements that follow from others within a block follow then. Of axes that
    /// are [tied](Structure::tied) a block has the first one.
    ///
    /// ```
    /// # use tensorwrapper_runtime as tensorwrapper;
    /// use tensorwrapper::{Blocks, Error, Shape, Structure, Tiling};
    /// let structure = Structure::new([&Tiling::cuts([1, 2]), &Tiling::cuts([2])]).with_blocks([[1, 0]])?;
    /// let first = |block: &Shape, out: &mut [f64]| out.fill(block.origin()[0] as f64);
    /// assert_eq!(Blocks::from_block_fn(&structure, first)?.to_dense()?.as_slice(), [0.0, 0.0, 1.0, 1.0, 1.0, 1.0]);
    /// # Ok::<(), Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`zeros`](Blocks::zeros).
    pub fn from_block_fn(structure: &Structure, mut function: impl FnMut(&Shape, &mut [T])) -> Result<Blocks<T>, Error> {
        Blocks::zeros(structure)?.filled_by_blocks(|block, range, out| function(block, &mut out[range]))
    }

    /// A function of blocks of tensors whose structures differ at most in the blocks that are stored: it gets a block's extents, the
    /// elements of that block in each tensor, and those of the result, which are zero at first, all in C order. It is called for each block
    /// that one of the tensors stores; the others have zeros there. Elements that follow from others within a block follow then. Of axes
    /// that are [tied](Structure::tied) a block has the first one.
    ///
    /// ```
    /// # use tensorwrapper_runtime as tensorwrapper;
    /// use tensorwrapper::{Blocks, Error, Shape, Structure, Tiling};
    /// let structure = Structure::new([&Tiling::cuts([1, 2])]);
    /// let b = Blocks::<f64>::from_fn(&structure, |i| i[0] as f64)?;
    /// let largest = |_: &Shape, of: &[&[f64]], out: &mut [f64]| out.fill(of[0].iter().fold(0.0, |a, b| a.max(*b)));
    /// assert_eq!(Blocks::map_blocks(largest, &[&b])?.get(&[1])?, 2.0);
    /// // Tensors that have other blocks.
    /// let [c, d] = [0, 1].map(|n| structure.with_blocks([[n]]).and_then(|only| Blocks::filled(&only, 1.0 + n as f64)));
    /// let less = |_: &Shape, of: &[&[f64]], out: &mut [f64]| out.iter_mut().enumerate().for_each(|(n, out)| *out = of[0][n] - of[1][n]);
    /// assert_eq!(Blocks::map_blocks(less, &[&c?, &d?])?.to_dense()?.as_slice(), [1.0, -2.0, -2.0]);
    /// # Ok::<(), Error>(())
    /// ```
    ///
    /// # Errors
    /// [`ErrorKind::Shape`] when there is no tensor, or structures differ in more than their blocks; [`ErrorKind::Memory`].
    pub fn map_blocks<S: Extents>(
        mut function: impl FnMut(&Shape, &[&[T]], &mut [T]),
        of: &[&Blocks<T, S>],
    ) -> Result<Blocks<T, S>, Error> {
        let structure = common(of)?;
        let mut tensors: Vec<Cow<'_, Blocks<T, S>>> = Vec::with_capacity(of.len());
        for &tensor in of {
            tensors.push(match tensor.structure == structure {
                true => Cow::Borrowed(tensor),
                false => Cow::Owned(tensor.with_pattern_of(&structure)?),
            });
        }
        Blocks::zeros_like(&structure)?.filled_by_blocks(|block, range, out| {
            let blocks: Vec<&[T]> = tensors.iter().map(|tensor| &tensor.slab[range.clone()]).collect();
            function(block, &blocks, &mut out[range]);
        })
    }
}

/// The structure with all blocks that one of the tensors stores.
///
/// # Errors
/// [`ErrorKind::Shape`] when there is no tensor, or structures differ in more than their blocks.
fn common<T: Element, S: Extents>(of: &[&Blocks<T, S>]) -> Result<Structure, Error> {
    let Some((first, others)) = of.split_first() else {
        return Err(Error::new(ErrorKind::Shape("a function of blocks needs a tensor".to_string())));
    };
    if others.iter().all(|other| first.structure == other.structure) {
        return Ok(first.structure.clone());
    }
    let mut blocks: BTreeSet<Vec<usize>> = BTreeSet::new();
    for tensor in of {
        blocks.extend(tensor.structure.stored()?.iter());
    }
    let all = first.structure.with_blocks(&blocks);
    for other in others {
        // With the same blocks, structures that differ in nothing else are equal. Ends of rows are extents, not blocks.
        match (&all, other.structure.with_blocks(&blocks)) {
            (Ok(all), Ok(own)) if *all == own && has_rows(all, &first.structure)? && has_rows(all, &other.structure)? => {}
            _ => first.check_same(other)?,
        }
    }
    all
}

/// Whether rows that have extents of their own have the same in both.
fn has_rows(all: &Structure, own: &Structure) -> Result<bool, Error> {
    let mut ragged = (0..own.rank()).filter(|&axis| own.ragged_by(axis).is_some());
    ragged.try_fold(true, |same, axis| Ok(same && all.row_extents(axis)? == own.row_extents(axis)?))
}

/// Whether all indices of an axis keep their charges.
fn check_charges(axis: usize, [old, new]: [&Tiling; 2]) -> Result<(), Error> {
    let (Some(own), Some(given)) = (old.charges(), new.charges()) else { return Ok(()) };
    for tile in 0..new.len() {
        for before in meeting(old, (new.bounds()[tile], new.bounds()[tile + 1])) {
            if own.of(before) != given.of(tile) {
                let first = old.bounds()[before].max(new.bounds()[tile]);
                let (own, given) = (own.of(before), given.of(tile));
                let message = format!("index {first} of axis {axis} has charge {own:?}, but its new tile {given:?}");
                return Err(Error::new(ErrorKind::Shape(message)));
            }
        }
    }
    Ok(())
}

/// The tiles of an axis that have an index in a range.
pub(crate) fn meeting(tiling: &Tiling, (begin, end): (usize, usize)) -> Vec<usize> {
    let bounds = tiling.bounds();
    let meets = |tile: &usize| bounds[*tile].max(begin) < bounds[tile + 1].min(end);
    let first = bounds.partition_point(|&bound| bound <= begin).saturating_sub(1);
    (first..tiling.len()).take_while(|&tile| bounds[tile] < end).filter(meets).collect()
}
