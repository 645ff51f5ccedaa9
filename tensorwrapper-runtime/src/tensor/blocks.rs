//! [`Blocks`]: a tensor that stores some blocks of its elements; the others are zero, or follow from these by symmetry.
//!
//! Knows nothing of equations.

use num_complex::Complex;
use tensorwrapper_core::element::Element;
use tensorwrapper_core::error::{Error, ErrorKind};
use tensorwrapper_core::layout::Strided;
use tensorwrapper_core::shape::Shape;
use tensorwrapper_core::storage::Owned;
use tensorwrapper_core::structure::{Image, Structure};
use tensorwrapper_core::symmetry::{Sign, SignedPermutation};

use super::dense::Tensor;
use super::view::TensorRef;

mod arithmetic;
#[cfg(test)]
mod tests;

/// A block tensor: the elements of those blocks that its [`Structure`] says are stored, each in C order.
///
/// The extents, the cuts, the symmetry and the blocks that are there are data, so the compiler knows the element type alone: they come from
/// molecules and lattices, which are read at run time.
///
/// ```
/// use tensorwrapper_runtime::{Blocks, Error, Structure, Symmetry, Tiling};
/// let occ = Tiling::cuts([1, 2]);
/// let structure = Structure::new([&occ, &occ]).with(Symmetry::none(2).antisymmetric([0, 1])?)?;
/// let t = Blocks::<f64>::from_fn(&structure, |index| (10 * index[0] + index[1]) as f64)?;
/// assert_eq!(t.blocks().len(), 3); // of four: [1, 0] follows from [0, 1]
/// assert_eq!((t.get(&[0, 1])?, t.get(&[1, 0])?, t.get(&[1, 1])?), (1.0, -1.0, 0.0));
/// # Ok::<(), Error>(())
/// ```
#[derive(Clone)]
pub struct Blocks<T: Element> {
    structure: Structure,
    /// All blocks, each where [`StoredBlocks::start`](tensorwrapper_core::structure::StoredBlocks::start) says.
    slab: Owned<T>,
}

impl<T: Element> Blocks<T> {
    /// All elements zero.
    ///
    /// # Errors
    /// [`ErrorKind::Shape`] when the structure has too many blocks, [`ErrorKind::Memory`].
    pub fn zeros(structure: &Structure) -> Result<Blocks<T>, Error> {
        Ok(Blocks { slab: Owned::zeros(structure.stored()?.elements())?, structure: structure.clone() })
    }

    /// Memory for a result, whose elements are any numbers.
    pub(crate) fn for_results(structure: &Structure) -> Result<Blocks<T>, Error> {
        Ok(Blocks { slab: Owned::for_results(structure.stored()?.elements())?, structure: structure.clone() })
    }

    /// The elements at these indices, for all blocks that are stored, in the order of the blocks and in C order within each. Within a block,
    /// elements that follow from a canonical one are replaced by what follows; where the symmetry maps an element to itself, it is made to
    /// fit: zero where signs disagree, real where conjugates do.
    ///
    /// # Errors
    /// As [`zeros`](Blocks::zeros).
    pub fn from_fn(structure: &Structure, mut element: impl FnMut(&[usize]) -> T) -> Result<Blocks<T>, Error> {
        let mut blocks = Blocks::zeros(structure)?;
        blocks.fill(|_, index| element(index))?;
        Ok(blocks)
    }

    /// A function of each element that is stored, and of its index. Elements that follow from others follow from the new ones; what is zero
    /// stays zero.
    ///
    /// # Errors
    /// [`ErrorKind::Memory`].
    ///
    /// ```
    /// # use tensorwrapper_runtime::{Blocks, Error, Structure, Tiling};
    /// let residual = Blocks::<f64>::from_fn(&Structure::new([&Tiling::cuts([1, 2])]), |_| 6.0)?;
    /// let amplitudes = residual.map_indexed(|index, r| r / (1 + index[0]) as f64)?;
    /// assert_eq!(amplitudes.get(&[2])?, 2.0);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn map_indexed(&self, mut function: impl FnMut(&[usize], T) -> T) -> Result<Blocks<T>, Error> {
        let mut blocks = Blocks::zeros(&self.structure)?;
        blocks.fill(|at, index| function(index, self.slab[at]))?;
        Ok(blocks)
    }

    /// The blocks of a dense tensor that the structure has. The tensor need not have the structure: other elements are left out, and those
    /// that follow from a canonical one are replaced by what follows.
    ///
    /// # Errors
    /// [`ErrorKind::Shape`] when the extents differ; and as [`zeros`](Blocks::zeros).
    pub fn from_dense(dense: &Tensor<T>, structure: &Structure) -> Result<Blocks<T>, Error> {
        if dense.extents() != structure.shape().extents() {
            let message = format!("a tensor of extents {:?} has no blocks of {structure:?}", dense.extents());
            return Err(Error::new(ErrorKind::Shape(message)));
        }
        Blocks::from_fn(structure, |index| dense.get(index).unwrap_or(T::ZERO))
    }

    /// All elements, those that are zero and those that follow by symmetry included.
    ///
    /// # Errors
    /// [`ErrorKind::Shape`] and [`ErrorKind::Memory`] when there are too many.
    pub fn to_dense(&self) -> Result<Tensor<T>, Error> {
        let mut dense = Tensor::zeros(self.structure.shape())?;
        let strides = Strided::row_major(self.structure.shape().extents())?;
        let counts: Shape = self.structure.tilings().iter().map(|tiling| tiling.len()).collect();
        for block in &counts {
            let Some(image) = self.structure.image(&block)? else { continue };
            let shape = self.structure.block_shape(&block)?;
            for offset in shape.offsets() {
                let at: Vec<usize> = offset.iter().zip(shape.origin()).map(|(offset, first)| offset + first).collect();
                let at = strides.position(&at).unwrap_or_default();
                dense.as_mut_slice()[at] = self.element_of(image, shape.extents(), &offset);
            }
        }
        Ok(dense)
    }

    /// What is known of the tensor without its elements.
    pub fn structure(&self) -> &Structure {
        &self.structure
    }

    /// The element at an index, stored or not.
    ///
    /// # Errors
    /// [`ErrorKind::Rank`] and [`ErrorKind::Shape`] when there is no such index.
    pub fn get(&self, index: &[usize]) -> Result<T, Error> {
        let rank = self.structure.rank();
        if index.len() != rank {
            return Err(Error::new(ErrorKind::Rank { operand: format!("{self:?}"), rank, given: index.len() }));
        }
        let places = self.structure.tilings().iter().zip(index).map(|(tiling, &index)| tiling.locate(index));
        let (block, offset): (Vec<usize>, Vec<usize>) = places.collect::<Result<Vec<_>, _>>()?.into_iter().unzip();
        let Some(image) = self.structure.image(&block)? else { return Ok(T::ZERO) };
        Ok(self.element_of(image, self.structure.block_shape(&block)?.extents(), &offset))
    }

    /// A stored block; nothing where the block is zero, or follows from another one.
    ///
    /// # Errors
    /// [`ErrorKind::Rank`] and [`ErrorKind::Shape`] when there is no such block.
    pub fn block(&self, block: &[usize]) -> Result<Option<TensorRef<'_, T>>, Error> {
        let shape = self.structure.block_shape(block)?;
        let stored = self.structure.stored()?;
        let Some(number) = stored.find(block) else { return Ok(None) };
        TensorRef::from_slice(shape.extents(), &self.slab[stored.start(number)..][..stored.size(number)]).map(Some)
    }

    /// The coordinates of all stored blocks, in ascending order.
    pub fn blocks(&self) -> Vec<Vec<usize>> {
        self.structure.stored().map(|stored| stored.iter().collect()).unwrap_or_default()
    }

    /// The Frobenius norm of a block, stored or not.
    ///
    /// # Errors
    /// [`ErrorKind::Rank`] and [`ErrorKind::Shape`] when there is no such block.
    pub fn norm(&self, block: &[usize]) -> Result<f64, Error> {
        self.structure.block_shape(block)?;
        let Some(Image { number, .. }) = self.structure.image(block)? else { return Ok(0.0) };
        let stored = self.structure.stored()?;
        let elements = &self.slab[stored.start(number)..][..stored.size(number)];
        Ok(elements.iter().map(|x| x.to_complex().norm_sqr()).sum::<f64>().sqrt())
    }

    /// Bytes of the elements that are stored.
    pub fn bytes(&self) -> usize {
        self.slab.len() * size_of::<T>()
    }

    /// All blocks, side by side.
    pub(crate) fn slab(&self) -> &[T] {
        &self.slab
    }

    /// All blocks, writable. Whoever writes keeps elements that follow from each other consistent.
    pub(crate) fn slab_mut(&mut self) -> &mut [T] {
        &mut self.slab
    }

    /// Whether both are the same tensor, not only equal ones.
    pub(crate) fn is_same(&self, other: &Blocks<T>) -> bool {
        std::ptr::eq(&*self.slab, &*other.slab) && self.structure == other.structure
    }

    /// The element at an offset in a block of these extents, which follows from a stored one.
    fn element_of(&self, image: Image<'_>, extents: &[usize], offset: &[usize]) -> T {
        let stored = self.structure.stored().expect("an image was found among the stored blocks");
        // Along axis n of the stored block runs the axis of this one that the permutation names.
        let at = image.by.axes().fold(0, |at, axis| at * extents[axis] + offset[axis]);
        follows(self.slab[stored.start(image.number) + at], image.by)
    }

    /// Fills all stored blocks: each element by its place in the slab and its index.
    fn fill(&mut self, mut element: impl FnMut(usize, &[usize]) -> T) -> Result<(), Error> {
        let stored = self.structure.stored()?;
        for number in 0..stored.len() {
            let mut at = stored.start(number);
            self.structure.block_shape(&stored.block(number))?.indices().visit(|index| {
                self.slab[at] = element(at, index);
                at += 1;
            });
        }
        self.make_consistent()
    }

    /// In blocks that a symmetry maps to themselves, elements follow from the canonical ones, which fit themselves.
    fn make_consistent(&mut self) -> Result<(), Error> {
        let stored = self.structure.stored()?;
        for number in 0..stored.len() {
            let block = stored.block(number);
            let stabiliser: Vec<&SignedPermutation> = self.structure.symmetry().stabiliser(&block).collect();
            if stabiliser.len() == 1 {
                continue;
            }
            let shape = self.structure.block_shape(&block)?;
            let position = |offset: &[usize]| offset.iter().zip(shape.extents()).fold(0, |at, (n, extent)| at * extent + n);
            let elements = &mut self.slab[stored.start(number)..][..stored.size(number)];
            for offset in shape.offsets() {
                let image = |by: &SignedPermutation| by.axes().map(|axis| offset[axis]).collect::<Vec<usize>>();
                let images = stabiliser.iter().map(|by| (image(by), *by));
                let (canonical, by) = images.min_by(|a, b| a.0.cmp(&b.0)).expect("the identity is one of them");
                if canonical[..] == offset[..] {
                    let fixing: Vec<_> = stabiliser.iter().filter(|by| image(by) == canonical).collect();
                    let says = |conjugates, sign| fixing.iter().any(|by| (by.conjugates(), by.sign()) == (conjugates, sign));
                    let own = elements[position(&offset)].to_complex();
                    // The mean of all that the symmetry says of the element.
                    let mean = match (says(false, Sign::Minus), says(true, Sign::Plus), says(true, Sign::Minus)) {
                        (true, ..) => Complex::ZERO,
                        (false, true, _) => own.re.into(),
                        (false, false, true) => Complex::new(0.0, own.im),
                        (false, false, false) => own,
                    };
                    elements[position(&offset)] = T::from_complex(mean);
                } else {
                    // Indices ascend, so that the canonical element has been made to fit before.
                    elements[position(&offset)] = follows(elements[position(&canonical)], by);
                }
            }
        }
        Ok(())
    }
}

/// The element that follows from a canonical one.
fn follows<T: Element>(element: T, by: &SignedPermutation) -> T {
    let element = if by.conjugates() { element.conj() } else { element };
    if by.sign() == Sign::Minus { T::ZERO - element } else { element }
}

/// Printed as its structure and the number of its blocks.
impl<T: Element> std::fmt::Debug for Blocks<T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Blocks<{}> of {:?}", T::DTYPE, self.structure)
    }
}
