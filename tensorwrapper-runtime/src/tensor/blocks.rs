//! [`Blocks`]: a tensor that stores some blocks of its elements; the others are zero, or follow from these by symmetry.
//!
//! Knows nothing of equations.

mod erased;

use std::marker::PhantomData;

use tensorwrapper_core::Numeric;
use tensorwrapper_core::element::Element;
use tensorwrapper_core::error::{Error, ErrorKind};
use tensorwrapper_core::internal::ties::{has_elements, picked, places};
use tensorwrapper_core::shape::{Extents, Shape};
use tensorwrapper_core::storage::Owned;
use tensorwrapper_core::structure::{Image, Structure};
use tensorwrapper_core::symmetry::SignedPermutation;

use super::dense::Tensor;
use super::view::TensorRef;
pub use erased::{AnyBlocks, BlocksRef};
pub(crate) use erased::{element_at, follows, to_dense};
pub(crate) use norm::norm;
pub(crate) use part::fill_part;
pub(crate) use structured::untie;
#[cfg(test)]
pub(crate) use tests::{drawn_structure, rounds};
pub(crate) use tiled::meeting;

mod arithmetic;
mod consistent;
mod lines;
mod norm;
mod part;
mod rows;
mod sparse;
mod structured;
#[cfg(test)]
mod tests;
mod tiled;
mod write;

/// A block tensor: the elements of those blocks that its [`Structure`] says are stored, each in C order.
///
/// `S` says what the compiler knows of the extents, as it does for [`Tensor`]: nothing, unless [`into_typed`](Blocks::into_typed) says
/// more. Cuts, symmetry, charges and which blocks are there are data and stay out of the type: they come from molecules and lattices, which
/// are read at run time, and what follows of them for a result is inferred when an equation is planned.
///
/// Equations compute with block tensors as with dense ones: in `tensor!` a result is a `Blocks` where an operand is.
/// [`einsum`](crate::einsum), [`record`](crate::record) and `eval` of operands with `at` read a block tensor as a dense one, which has
/// memory for all of its zeros; [`einsum_blocks`](crate::einsum_blocks), `Context::eval_blocks` and
/// [`Indexed::eval_blocks`](crate::Indexed::eval_blocks) do not.
///
/// What needs no labels is written with Rust's operators: `&a + &b`, `a - b`, `&a * &b` element by element, `-a`, `2.0 * a`, `a / 2.0`,
/// `a += &b` and `a *= 2.0`, of tensors and of references. The result of two tensors has the structure that the equation
/// `[i, j] = a[i, j] + b[i, j]` infers: of a sum the blocks of both, and the symmetry that both have; of a product the blocks that are in
/// both. A sum of tensors of the same structure has that structure. The result has the layers of the left tensor, or those of the right
/// one if the left has one layer. What is not stored stays zero, whatever it is multiplied or divided by: NaN and infinity included.
/// Extents that differ are a compile error where the types have them.
///
/// ```
/// # use tensorwrapper_runtime as tensorwrapper;
/// use tensorwrapper::{Blocks, Error, Structure, Symmetry, Tiling};
/// let occ = Tiling::cuts([1, 2]);
/// let structure = Structure::new([&occ, &occ]).with(Symmetry::none(2).antisymmetric([0, 1])?)?;
/// let t = Blocks::<f64>::from_fn(&structure, |index| (10 * index[0] + index[1]) as f64)?;
/// assert_eq!(t.blocks().len(), 3); // of four: [1, 0] follows from [0, 1]
/// assert_eq!((t.get(&[0, 1])?, t.get(&[1, 0])?, t.get(&[1, 1])?), (1.0, -1.0, 0.0));
///
/// let few = Blocks::<f64>::from_fn(&structure.with_blocks([[0, 1]])?, |_| 1.0)?;
/// let sum = 2.0 * &t - &few / 2.0;
/// assert_eq!((sum.get(&[0, 1])?, sum.get(&[1, 0])?, sum.get(&[2, 1])?), (1.5, -1.5, 2.0 * t.get(&[2, 1])?));
/// assert_eq!(sum.structure(), t.structure());
/// # Ok::<(), Error>(())
/// ```
///
/// # Panics
/// Operators, where the equation is an error: for extents and cuts that differ, and charges that do not meet; where a tensor whose symmetry
/// conjugates is [multiplied](Blocks::scale) by a number that is not real; and where there is no memory. An equation in `try_tensor!`, and
/// [`scale`](Blocks::scale) and [`add_scaled`](Blocks::add_scaled), return such errors.
#[doc(alias("QN", "BlockSparse", "block_sparse", "ITensor"))]
#[derive(Clone)]
pub struct Blocks<T: Numeric, S: Extents = Shape> {
    structure: Structure,
    /// All blocks, each where [`StoredBlocks::start`](tensorwrapper_core::structure::StoredBlocks::start) says.
    slab: Owned<T>,
    /// The first index in the tensor that this is a part of; nothing where it begins at zero.
    origin: Vec<usize>,
    shape: PhantomData<fn() -> S>,
}

impl<T: Element> Blocks<T> {
    /// All elements zero.
    ///
    /// # Errors
    /// [`ErrorKind::Shape`] when the structure has too many blocks, [`ErrorKind::Memory`].
    pub fn zeros(structure: &Structure) -> Result<Blocks<T>, Error> {
        Blocks::zeros_like(structure)
    }

    /// Memory for a result, whose elements are any numbers.
    pub(crate) fn for_results(structure: &Structure) -> Result<Blocks<T>, Error> {
        Ok(Blocks::from_slab(Owned::for_results_of_its_class(structure.stored()?.elements())?, structure.clone()))
    }

    /// The elements at these indices, for all blocks that are stored, in the order of the blocks and in C order within each. Within a
    /// block, elements that follow from a canonical one are replaced by what follows; where the symmetry maps an element to itself, it is
    /// made to fit: zero where signs disagree, real where conjugates do.
    ///
    /// # Errors
    /// As [`zeros`](Blocks::zeros).
    pub fn from_fn(structure: &Structure, mut element: impl FnMut(&[usize]) -> T) -> Result<Blocks<T>, Error> {
        let mut blocks = Blocks::zeros(structure)?;
        blocks.fill(|_, index| element(index))?;
        Ok(blocks)
    }

    /// The blocks of a dense tensor that the structure has. The tensor need not have the structure: other elements are left out, and those
    /// that follow from a canonical one are replaced by what follows.
    ///
    /// # Errors
    /// [`ErrorKind::Shape`] when the extents differ; and as [`zeros`](Blocks::zeros).
    #[doc(alias("block_sparse"))]
    pub fn from_dense(dense: &Tensor<T>, structure: &Structure) -> Result<Blocks<T>, Error> {
        if dense.extents() != structure.shape().extents() {
            let message = format!("a tensor of extents {:?} has no blocks of {structure:?}", dense.extents());
            return Err(Error::new(ErrorKind::Shape(message)));
        }
        Blocks::from_fn(structure, |index| dense.get(index).unwrap_or(T::ZERO))
    }
}

impl<T: Numeric, S: Extents> Blocks<T, S> {
    /// Puts elements and their structure together. The caller must have checked that they fit: this function checks nothing.
    pub(crate) fn from_slab(slab: Owned<T>, structure: Structure) -> Blocks<T, S> {
        debug_assert!(S::check(structure.shape().extents()).is_ok(), "{structure:?} has other extents than the type");
        Blocks { structure, slab, origin: Vec::new(), shape: PhantomData }
    }

    /// Zeros of a structure whose extents the caller knows to be those of the type: methods that keep them begin with it.
    ///
    /// # Errors
    /// As [`zeros`](Blocks::zeros).
    pub(crate) fn zeros_like(structure: &Structure) -> Result<Blocks<T, S>, Error>
    where
        T: Element,
    {
        Ok(Blocks::from_slab(Owned::zeros(structure.stored()?.elements())?, structure.clone()))
    }

    /// The tensor of these elements, whose type and extents the caller knows.
    pub(crate) fn of_any(any: AnyBlocks) -> Blocks<T, S> {
        let slab = T::of_buffer(any.slab).unwrap_or_else(|_| unreachable!("elements of {} were computed", T::NAME));
        Blocks::from_slab(slab, any.structure)
    }
}

impl<T: Element, S: Extents> Blocks<T, S> {
    /// Converts to another shape type `S2`, which says what the compiler knows of the extents. No element moves.
    ///
    /// # Errors
    /// [`ErrorKind::Shape`] when the rank or a constant extent differs, and for a constant extent of a ragged axis, which has many.
    ///
    /// ```
    /// # use tensorwrapper_runtime as tensorwrapper;
    /// use tensorwrapper::{Blocks, Error, Shape, Structure, Tiling};
    /// let t = Blocks::<f64>::zeros(&Structure::new([&Tiling::cuts([1, 2]), &Tiling::whole(4)]))?;
    /// let t: Blocks<f64, Shape![3, _]> = t.into_typed()?;
    /// assert!(t.into_typed::<Shape![4, 3]>().is_err());
    /// # Ok::<(), Error>(())
    /// ```
    pub fn into_typed<S2: Extents>(self) -> Result<Blocks<T, S2>, Error> {
        S2::check(self.structure.shape().extents())?;
        let is_constant = |axis: &usize| S2::known(*axis).is_some() && self.structure.ragged_by(*axis).is_some();
        if let Some(axis) = (0..self.structure.rank()).find(is_constant) {
            let message = format!("axis {axis} of {self:?} is ragged, and has no constant extent");
            return Err(Error::new(ErrorKind::Shape(message)));
        }
        Ok(Blocks { origin: self.origin, ..Blocks::from_slab(self.slab, self.structure) })
    }

    /// The same tensor, of whose extents the compiler knows nothing. No element moves.
    pub fn into_dyn(self) -> Blocks<T> {
        Blocks { origin: self.origin, ..Blocks::from_slab(self.slab, self.structure) }
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
    pub fn map_indexed(&self, mut function: impl FnMut(&[usize], T) -> T) -> Result<Blocks<T, S>, Error> {
        let mut blocks = Blocks { origin: self.origin.clone(), ..Blocks::zeros_like(&self.structure)? };
        blocks.fill(|at, index| function(index, self.slab[at]))?;
        Ok(blocks)
    }

    /// All elements, those that are zero and those that follow by symmetry included.
    ///
    /// # Errors
    /// [`ErrorKind::Shape`] and [`ErrorKind::Memory`] when there are too many.
    #[doc(alias("dense", "todense"))]
    pub fn to_dense(&self) -> Result<Tensor<T, S>, Error> {
        erased::to_dense(&self.structure, &self.slab)?.into_typed()
    }

    /// The tensor without its types.
    pub(crate) fn erase(&self) -> BlocksRef<'_> {
        BlocksRef { structure: &self.structure, slab: T::erase(&self.slab) }
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
        erased::element_at(&self.structure, &self.slab, index)
    }

    /// A stored block; nothing where the block is zero, or follows from another one. Of axes that are
    /// [tied](Structure::tied) it has the first one: a block of a diagonal is a vector.
    ///
    /// # Errors
    /// [`ErrorKind::Rank`] and [`ErrorKind::Shape`] when there is no such block.
    pub fn block(&self, block: &[usize]) -> Result<Option<TensorRef<'_, T>>, Error> {
        let shape = self.structure.block_shape(block)?;
        let stored = self.structure.stored()?;
        let Some(number) = stored.find(block) else { return Ok(None) };
        let axes = (0..block.len()).filter(|&axis| has_elements(self.structure.ties(), axis));
        let extents: Vec<usize> = axes.map(|axis| shape.extents()[axis]).collect();
        TensorRef::from_slice(extents, &self.slab[stored.start(number)..][..stored.size(number)]).map(Some)
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
        Ok(norm::norm(elements))
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

    /// Fills all stored blocks: each element by its place in the slab and its index.
    fn fill(&mut self, mut element: impl FnMut(usize, &[usize]) -> T) -> Result<(), Error> {
        let core = self.structure.core()?;
        let Some(ties) = self.structure.ties() else { return self.fill_untied(element) };
        let places = places(ties);
        let mut elements = Blocks::<T>::from_slab(std::mem::take(&mut self.slab), core);
        let filled = elements.fill_untied(|at, index| element(at, &picked(index, &places)));
        self.slab = elements.slab;
        filled
    }

    fn fill_untied(&mut self, mut element: impl FnMut(usize, &[usize]) -> T) -> Result<(), Error> {
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
    pub(crate) fn make_consistent(&mut self) -> Result<(), Error> {
        if self.structure.symmetry().is_none() {
            return Ok(());
        }
        (0..self.structure.stored()?.len()).try_for_each(|number| self.make_block_consistent(number))
    }

    /// The same in the stored block of this number.
    fn make_block_consistent(&mut self, number: usize) -> Result<(), Error> {
        let stored = self.structure.stored()?;
        let block = stored.block(number);
        let stabiliser: Vec<&SignedPermutation> = self.structure.symmetry().stabiliser(&block).collect();
        if stabiliser.len() == 1 {
            return Ok(());
        }
        let shape = self.structure.block_shape(&block)?;
        let elements = &mut self.slab[stored.start(number)..][..stored.size(number)];
        consistent::make_consistent(elements, shape.extents(), &stabiliser);
        Ok(())
    }
}

impl<T: Element, S: Extents> From<Blocks<T, S>> for AnyBlocks {
    fn from(blocks: Blocks<T, S>) -> AnyBlocks {
        AnyBlocks { structure: blocks.structure, slab: T::erase_vec(blocks.slab) }
    }
}

/// The most blocks that are shown.
const SHOWN: usize = 20;

/// The structure in a line, then the stored blocks, each below its coordinates and formatted as tensors are. Of many blocks the first 20
/// are shown.
///
/// ```
/// # use tensorwrapper_runtime as tensorwrapper;
/// use tensorwrapper::{Blocks, Structure, Tiling};
/// let cut = Tiling::cuts([1, 2]);
/// let structure = Structure::new([&cut, &cut]).with_blocks([[0, 0], [1, 1]])?;
/// let x = Blocks::<f64>::from_fn(&structure, |i| (i[0] + i[1]) as f64)?;
/// let shown = "Structure[[1, 2], [1, 2]] of 2 blocks\nblock [0, 0]\n[[0]]\nblock [1, 1]\n[[2, 3],\n [3, 4]]";
/// assert_eq!(x.to_string(), shown);
/// # Ok::<(), tensorwrapper_runtime::Error>(())
/// ```
impl<T: Element, S: Extents> std::fmt::Display for Blocks<T, S> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{:?}", self.structure)?;
        self.write_origin(f)?;
        let blocks = self.blocks();
        for block in blocks.iter().take(SHOWN) {
            write!(f, "\nblock {block:?}\n")?;
            if let Ok(Some(elements)) = self.block(block) {
                std::fmt::Display::fmt(&elements, f)?;
            }
        }
        match blocks.len().saturating_sub(SHOWN) {
            0 => Ok(()),
            more => write!(f, "\n... {more} further blocks"),
        }
    }
}

/// Printed as its structure and the number of its blocks.
impl<T: Element, S: Extents> std::fmt::Debug for Blocks<T, S> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Blocks<{}> of {:?}", T::DTYPE, self.structure)?;
        self.write_origin(f)
    }
}
