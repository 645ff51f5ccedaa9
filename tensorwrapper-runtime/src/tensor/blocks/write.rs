//! Writing into block tensors: a block or an element at a time. A block that is missing is made.

use tensorwrapper_core::element::Element;
use tensorwrapper_core::error::{Error, ErrorKind};
use tensorwrapper_core::internal::ties::{firsts, has_elements};
use tensorwrapper_core::shape::Extents;
use tensorwrapper_core::structure::{Image, Structure};
use tensorwrapper_core::symmetry::{Sign, SignedPermutation};
use tensorwrapper_notation::sentence::counted;

use super::erased::place_along;
use super::sparse::{agree, block_of};
use super::{Blocks, erased};

impl<T: Element, S: Extents> Blocks<T, S> {
    /// Writes a block, whose elements are given in C order, and with it all blocks that follow from it; of axes that are
    /// [tied](Structure::tied) a block has the first one. A block that is not there is made, which copies all others: many of them are
    /// made at once by [`Structure::with_blocks`]. Elements that follow from others within the block are replaced by what follows.
    ///
    /// ```
    /// # use tensorwrapper_runtime as tensorwrapper;
    /// use tensorwrapper::{Blocks, Error, Structure, Symmetry, Tiling};
    /// let cut = Tiling::cuts([1, 2]);
    /// let pairs = Structure::new([&cut, &cut]).with(Symmetry::none(2).antisymmetric([0, 1])?)?.with_blocks([[1, 1]])?;
    /// let mut t = Blocks::<f64>::zeros(&pairs)?;
    /// t.set_block(&[1, 0], &[3.0, 4.0])?;
    /// assert_eq!((t.blocks(), t.get(&[0, 2])?, t.get(&[2, 0])?), (vec![vec![0, 1], vec![1, 1]], -4.0, 4.0));
    /// # Ok::<(), Error>(())
    /// ```
    ///
    /// # Errors
    /// [`ErrorKind::Rank`] and [`ErrorKind::Shape`] when there can be no such block, because of a charge, of axes that are tied, or of rows
    /// that end before it, and when there are not as many elements; [`ErrorKind::Memory`]. The tensor is unchanged then.
    pub fn set_block(&mut self, block: &[usize], elements: &[T]) -> Result<(), Error> {
        let shape = self.structure.block_shape(block)?;
        let axes: Vec<usize> = (0..block.len()).filter(|&axis| has_elements(self.structure.ties(), axis)).collect();
        let extents: Vec<usize> = axes.iter().map(|&axis| shape.extents()[axis]).collect();
        let size: usize = extents.iter().product();
        if elements.len() != size {
            let message = format!("block {block:?} has {}, not {}", counted(size, "element"), elements.len());
            return Err(Error::new(ErrorKind::Shape(message)));
        }
        self.make(block)?;
        let (start, by) = self.place(block)?;
        // Tied axes are not permuted.
        let (by, untied) = (by.clone(), self.structure.ties().is_none());
        for (offset, &element) in extents.iter().copied().collect::<tensorwrapper_core::shape::Shape>().offsets().zip(elements) {
            let at = match untied {
                true => place_along(by.axes(), &extents, &offset),
                false => place_along(0..extents.len(), &extents, &offset),
            };
            self.slab[start + at] = erased::follows(element, &by);
        }
        self.make_block_consistent(self.image(block)?.number)
    }

    /// Writes an element, and with it all that follow from it. The block that it lies in is made if it is not there, as by
    /// [`set_block`](Blocks::set_block).
    ///
    /// ```
    /// # use tensorwrapper_runtime as tensorwrapper;
    /// use tensorwrapper::{Blocks, Error, Structure, Tiling};
    /// let spin = Tiling::cuts([1, 2]).charged([-1, 1])?;
    /// let mut h = Blocks::<f64>::zeros(&Structure::new([&spin, &spin]).flow([1, -1], 0)?.with_blocks([[0, 0]])?)?;
    /// h.set(&[2, 1], 0.5)?;
    /// assert_eq!((h.get(&[2, 1])?, h.blocks()), (0.5, vec![vec![0, 0], vec![1, 1]]));
    /// let error = h.set(&[0, 1], 1.0).unwrap_err();
    /// assert_eq!(error.to_string(), "block [0, 1] has charge [-2], but the total is [0]");
    /// # Ok::<(), Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`set_block`](Blocks::set_block); and [`ErrorKind::Shape`] when a symmetry says that an element with this index is another one.
    pub fn set(&mut self, index: &[usize], element: T) -> Result<(), Error> {
        let refused = |message: String| Err(Error::new(ErrorKind::Shape(message)));
        let block = block_of(&self.structure, index)?;
        if self.structure.ties().is_some_and(|ties| ties.iter().enumerate().any(|(axis, &first)| index[axis] != index[first])) {
            return refused(format!("axes are tied, so that there is no element {index:?}"));
        }
        let group = self.structure.symmetry().elements();
        // What is no number is not the negative of itself either.
        let is_same = |by: &SignedPermutation| by.sign() == Sign::Plus && agree(erased::follows(element, by), element);
        let contradicts =
            |by: &&SignedPermutation| by.image(index) == *index && element != erased::follows(element, by) && !is_same(by);
        if let Some(by) = group.iter().find(contradicts) {
            let other = erased::follows(element, by);
            return refused(format!("element {index:?} cannot be {element}: by symmetry it is {other}, too"));
        }
        self.make(&block)?;
        let origin = self.structure.block_shape(&block)?;
        let extents = origin.extents();
        let offset: Vec<usize> = index.iter().zip(origin.origin()).map(|(index, first)| index - first).collect();
        let (start, _) = self.place(&block)?;
        if let Some(ties) = self.structure.ties() {
            self.slab[start + place_along(firsts(ties), extents, &offset)] = element;
            return Ok(());
        }
        let (canonical, _) = self.structure.symmetry().canonical(&block);
        for by in self.structure.symmetry().elements().iter().filter(|by| by.image(&block) == canonical) {
            self.slab[start + place_along(by.axes(), extents, &offset)] = erased::follows(element, by);
        }
        Ok(())
    }

    /// Where the stored block begins in the slab that a block follows from, and how it follows.
    fn place(&self, block: &[usize]) -> Result<(usize, &SignedPermutation), Error> {
        let Image { number, by } = self.image(block)?;
        Ok((self.structure.stored()?.start(number), by))
    }

    /// What a block follows from that has been made.
    fn image(&self, block: &[usize]) -> Result<Image<'_>, Error> {
        Ok(self.structure.image(block)?.unwrap_or_else(|| unreachable!("the block was made")))
    }

    /// Makes a block, with zeros, unless it is there or follows from one that is.
    fn make(&mut self, block: &[usize]) -> Result<(), Error> {
        if self.structure.image(block)?.is_some() {
            return Ok(());
        }
        let stored = self.structure.stored()?;
        let structure = self.structure.with_blocks(stored.iter().chain([block.to_vec()]))?;
        check_rows(&self.structure, &structure, block)?;
        let mut made = Blocks::<T>::zeros(&structure)?;
        let places = structure.stored()?;
        for (number, block) in stored.iter().enumerate() {
            let place = places.find(&block).unwrap_or_else(|| unreachable!("blocks that were there stay"));
            let size = stored.size(number);
            made.slab[places.start(place)..][..size].copy_from_slice(&self.slab[stored.start(number)..][..size]);
        }
        (self.slab, self.structure) = (made.slab, structure);
        Ok(())
    }
}

/// A block behind the end of a row would make the row longer.
fn check_rows(before: &Structure, after: &Structure, block: &[usize]) -> Result<(), Error> {
    for axis in (0..before.rank()).filter(|&axis| before.ragged_by(axis).is_some_and(|by| !by.is_empty())) {
        if before.row_extents(axis)? != after.row_extents(axis)? {
            let message = format!("block {block:?} lies behind the end of its row along axis {axis}");
            return Err(Error::new(ErrorKind::Shape(message)).with_help("`Blocks::rows` makes a tensor of longer rows"));
        }
    }
    Ok(())
}
