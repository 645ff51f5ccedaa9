//! Reductions other than sums: products, maxima and minima over axes of a block tensor, with the zeros of blocks that are not stored.

use std::collections::BTreeMap;

use tensorwrapper_core::backend::Reduction;
use tensorwrapper_core::element::Element;
use tensorwrapper_core::error::Error;
use tensorwrapper_core::layout::Strided;
use tensorwrapper_core::shape::Tiling;
use tensorwrapper_core::structure::Structure;
use tensorwrapper_core::symmetry::Sign;

use super::pieces::{BlockImage, images};
use super::tree::unsupported;

/// A plan of a reduction.
pub(super) struct Fold {
    pub(super) reduction: Reduction,
    /// The number of the tensor that is reduced.
    pub(super) operand: usize,
    blocks: Vec<Folded>,
    pub(super) result: Structure,
}

/// A block of the result.
struct Folded {
    /// Where it begins, and its elements.
    start: usize,
    len: usize,
    /// Whether zeros of blocks that are not there take part.
    with_zeros: bool,
    parts: Vec<FoldedPart>,
}

/// A block that takes part.
struct FoldedPart {
    /// The elements of the result in it, each the first of those that are folded into it.
    kept: Strided,
    /// How far these are apart from the first one.
    folded: Strided,
    negates: bool,
    conjugates: bool,
}

impl Fold {
    /// Plans a reduction of a tensor of this structure and number over these of its axes, whose labels have these names.
    ///
    /// # Errors
    /// Ragged axes, and a maximum or minimum over nothing.
    pub(super) fn new(
        reduction: Reduction,
        (operand, structure): (usize, &Structure),
        (axes, names): (&[usize], &[&str]),
        is_complex: bool,
    ) -> Result<Fold, Error> {
        let rank = structure.tilings().len();
        if (0..rank).any(|axis| structure.ragged_by(axis).is_some()) {
            return Err(unsupported("reductions other than sums of tensors with ragged axes"));
        }
        let kept: Vec<usize> = (0..rank).filter(|axis| !axes.contains(axis)).collect();
        let frame = Structure::new(kept.iter().map(|&axis| &structure.tilings()[axis]));
        let of_axes = |axes: &[usize]| axes.iter().map(|&axis| &structure.tilings()[axis]).collect::<Vec<&Tiling>>();
        // Tiles without indices have no elements that could take part.
        let filled = |tiling: &&Tiling| tiling.extents().filter(|&extent| extent > 0).count();
        let all: usize = of_axes(axes).iter().map(filled).product();
        if let Some(empty) = of_axes(axes).iter().position(|tiling| tiling.extent() == 0) {
            return Fold::of_nothing(reduction, operand, frame, names[empty]);
        }
        let mut found: BTreeMap<Vec<usize>, Vec<BlockImage<'_>>> = BTreeMap::new();
        let has_elements = |image: &BlockImage<'_>| image.extents(structure).iter().all(|&extent| extent > 0);
        for image in images(structure)?.into_iter().filter(has_elements) {
            found.entry(kept.iter().map(|&axis| image.block[axis]).collect()).or_default().push(image);
        }
        // A product with one zero is zero.
        found.retain(|_, images| reduction != Reduction::Product || images.len() == all);
        let result = frame.with_blocks(found.keys())?;
        let (places, elements) = (result.stored()?, structure.stored()?.elements());
        let mut blocks = Vec::new();
        for (block, images) in &found {
            let number = places.find(block).unwrap_or_else(|| unreachable!("these blocks are stored"));
            let part = |image: &BlockImage<'_>| FoldedPart::new(image, structure, [&kept, axes], (elements, is_complex));
            blocks.push(Folded {
                start: places.start(number),
                len: places.size(number),
                with_zeros: images.len() < all,
                parts: images.iter().map(part).collect::<Result<_, _>>()?,
            });
        }
        Ok(Fold { reduction, operand, blocks, result })
    }

    /// A reduction over no elements, because a label has none.
    fn of_nothing(reduction: Reduction, operand: usize, frame: Structure, label: &str) -> Result<Fold, Error> {
        let places = frame.stored()?;
        if reduction != Reduction::Product {
            return Err(Error::over_nothing(Some(label)));
        }
        let all = |number| Folded { start: places.start(number), len: places.size(number), with_zeros: false, parts: Vec::new() };
        let blocks = (0..places.len()).map(all).collect();
        Ok(Fold { reduction, operand, blocks, result: frame })
    }

    /// How many blocks are read.
    pub(super) fn parts(&self) -> usize {
        self.blocks.iter().map(|block| block.parts.len()).sum()
    }

    /// Computes it from the elements of the tensor.
    ///
    /// # Errors
    /// A maximum or minimum over nothing.
    pub(super) fn run<T: Element>(&self, slab: &[T], out: &mut [T]) -> Result<(), Error> {
        for block in &self.blocks {
            let out = &mut out[block.start..][..block.len];
            let begins_with = match (block.with_zeros, &block.parts[..]) {
                (true, _) => Some(T::ZERO),
                (false, []) => Some(self.reduction.of_nothing()?),
                (false, _) => None,
            };
            begins_with.iter().for_each(|&value| out.fill(value));
            for (n, part) in block.parts.iter().enumerate() {
                part.fold(self.reduction, slab, out, begins_with.is_none() && n == 0);
            }
        }
        Ok(())
    }
}

impl FoldedPart {
    fn new(
        image: &BlockImage<'_>,
        structure: &Structure,
        [kept, folded]: [&[usize]; 2],
        (elements, is_complex): (usize, bool),
    ) -> Result<FoldedPart, Error> {
        let (extents, strides) = (image.extents(structure), image.strides(structure));
        let of = |axes: &[usize], start| {
            let extents: Vec<usize> = axes.iter().map(|&axis| extents[axis]).collect();
            let strides: Vec<isize> = axes.iter().map(|&axis| strides[axis]).collect();
            Strided::within(&extents, &strides, start, elements)
        };
        Ok(FoldedPart {
            kept: of(kept, image.start)?,
            folded: of(folded, 0)?,
            negates: image.by.sign() == Sign::Minus,
            conjugates: is_complex && image.by.conjugates(),
        })
    }

    /// Folds its elements into those of the result, which they begin where they are the first.
    fn fold<T: Element>(&self, reduction: Reduction, slab: &[T], out: &mut [T], begins: bool) {
        let steps: Vec<usize> = self.folded.positions().collect();
        for (out, first) in out.iter_mut().zip(self.kept.positions()) {
            let values = steps.iter().map(|step| {
                let value = slab[first + step];
                let value = if self.conjugates { value.conj() } else { value };
                if self.negates { -value } else { value }
            });
            let before = if begins { None } else { Some(*out) };
            if let Some(value) = before.into_iter().chain(values).reduce(|a, b| reduction.combine(a, b)) {
                *out = value;
            }
        }
    }
}
