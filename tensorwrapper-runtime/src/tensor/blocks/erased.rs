//! Block tensors whose element type is known at run time only, and what is read of one element by element.

use tensorwrapper_core::element::{Element, dispatch};
use tensorwrapper_core::error::Error;
use tensorwrapper_core::internal::ties::firsts;
use tensorwrapper_core::layout::Strided;
use tensorwrapper_core::shape::Shape;
use tensorwrapper_core::storage::{Buffer, SliceRef};
use tensorwrapper_core::structure::{Image, Structure};
use tensorwrapper_core::symmetry::{Sign, SignedPermutation};

use super::super::any::AnyTensor;
use super::super::dense::Tensor;

/// A borrowed block tensor.
#[derive(Clone, Copy, Debug)]
pub struct BlocksRef<'a> {
    pub(crate) structure: &'a Structure,
    pub(crate) slab: SliceRef<'a>,
}

/// A block tensor.
#[derive(Clone, Debug)]
pub struct AnyBlocks {
    pub(crate) structure: Structure,
    pub(crate) slab: Buffer,
}

impl BlocksRef<'_> {
    /// All elements; see [`Blocks::to_dense`](super::Blocks::to_dense).
    ///
    /// # Errors
    /// As [`Blocks::to_dense`](super::Blocks::to_dense).
    pub(crate) fn to_dense(self) -> Result<AnyTensor, Error> {
        dispatch!(self.slab.dtype(), T => {
            let slab = T::typed(self.slab).expect("the slice has that element type");
            to_dense::<T>(self.structure, slab).map(AnyTensor::from)
        })
    }
}

impl AnyBlocks {
    /// The tensor, borrowed.
    pub(crate) fn erase(&self) -> BlocksRef<'_> {
        BlocksRef { structure: &self.structure, slab: self.slab.as_ref() }
    }
}

/// All elements of blocks with this structure.
///
/// # Errors
/// As [`Blocks::to_dense`](super::Blocks::to_dense).
pub(crate) fn to_dense<T: Element>(structure: &Structure, slab: &[T]) -> Result<Tensor<T>, Error> {
    let mut dense = Tensor::zeros(structure.shape())?;
    let strides = Strided::row_major(structure.shape().extents())?;
    let counts: Shape = structure.tilings().iter().map(|tiling| tiling.len()).collect();
    for block in &counts {
        let Some(image) = structure.image(&block)? else { continue };
        let shape = structure.block_shape(&block)?;
        for offset in shape.offsets() {
            let at: Vec<usize> = offset.iter().zip(shape.origin()).map(|(offset, first)| offset + first).collect();
            let at = strides.position(&at).unwrap_or_default();
            dense.as_mut_slice()[at] = element_of(structure, slab, image, shape.extents(), &offset);
        }
    }
    Ok(dense)
}

/// The element at an index, stored or not.
///
/// # Errors
/// [`ErrorKind::Shape`](tensorwrapper_core::error::ErrorKind::Shape) when there is no such index.
pub(crate) fn element_at<T: Element>(structure: &Structure, slab: &[T], index: &[usize]) -> Result<T, Error> {
    let places = structure.tilings().iter().zip(index).map(|(tiling, &index)| tiling.locate(index));
    let (block, offset): (Vec<usize>, Vec<usize>) = places.collect::<Result<Vec<_>, _>>()?.into_iter().unzip();
    let Some(image) = structure.image(&block)? else { return Ok(T::ZERO) };
    Ok(element_of(structure, slab, image, structure.block_shape(&block)?.extents(), &offset))
}

/// The element at an offset in a block of these extents, which follows from a stored one.
pub(super) fn element_of<T: Element>(
    structure: &Structure,
    slab: &[T],
    image: Image<'_>,
    extents: &[usize],
    offset: &[usize],
) -> T {
    let stored = structure.stored().expect("an image was found among the stored blocks");
    if let Some(ties) = structure.ties() {
        if ties.iter().zip(offset).any(|(&first, &own)| own != offset[first]) {
            return T::ZERO;
        }
        return slab[stored.start(image.number) + place_along(firsts(ties), extents, offset)];
    }
    follows(slab[stored.start(image.number) + place_along(image.by.axes(), extents, offset)], image.by)
}

/// The place in C order of an element in a stored block along whose axes these axes of the element's own block run, one after the other;
/// `extents` and `offset` are those of the own block. Where a permutation leads to the stored block, they are the
/// [axes](SignedPermutation::axes) that it names; where axes are tied, the first ones of those that are.
pub(super) fn place_along(axes: impl Iterator<Item = usize>, extents: &[usize], offset: &[usize]) -> usize {
    axes.fold(0, |at, axis| at * extents[axis] + offset[axis])
}

/// The element that follows from a canonical one.
pub(crate) fn follows<T: Element>(element: T, by: &SignedPermutation) -> T {
    let element = if by.conjugates() { element.conj() } else { element };
    if by.sign() == Sign::Minus { T::ZERO - element } else { element }
}
