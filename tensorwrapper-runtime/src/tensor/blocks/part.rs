//! Parts of block tensors: slices and positions, copied, and where a part begins in the whole.

use std::ops::Range;

use tensorwrapper_core::element::Element;
use tensorwrapper_core::error::Error;
use tensorwrapper_core::shape::{Extents, TiledShape};
use tensorwrapper_core::structure::{AxisPart, Structure};

use super::{Blocks, erased};

/// Fills the blocks of a part with elements of the whole.
///
/// # Errors
/// As [`Structure::stored`].
pub(crate) fn fill_part<T: Element>(
    (whole, slab): (&Structure, &[T]),
    parts: &[AxisPart],
    (part, out): (&Structure, &mut [T]),
) -> Result<(), Error> {
    let stored = part.stored()?;
    for number in 0..stored.len() {
        let shape = part.block_shape(&stored.block(number))?;
        let mut first = shape.origin().iter();
        let places = parts.iter().zip(whole.tilings()).map(|(part, tiling)| match part {
            AxisPart::Position(position) => tiling.locate(*position),
            AxisPart::Range(begin, _) => tiling.locate(begin + first.next().copied().unwrap_or_default()),
        });
        let (block, begins): (Vec<usize>, Vec<usize>) = places.collect::<Result<Vec<_>, _>>()?.into_iter().unzip();
        let out = &mut out[stored.start(number)..][..stored.size(number)];
        let Some(image) = whole.image(&block)? else {
            out.fill(T::ZERO);
            continue;
        };
        let extents = whole.block_shape(&block)?;
        let mut at = begins.clone();
        for (element, offset) in out.iter_mut().zip(shape.offsets()) {
            let mut offset = offset.iter();
            for (axis, part) in parts.iter().enumerate() {
                if let AxisPart::Range(..) = part {
                    at[axis] = begins[axis] + offset.next().copied().unwrap_or_default();
                }
            }
            *element = erased::element_of(whole, slab, image, extents.extents(), &at);
        }
    }
    Ok(())
}

impl<T: Element, S: Extents> Blocks<T, S> {
    /// A copy of a part: of each axis one range. See [`Structure::part`] for what is known of it. The part knows where it
    /// [begins](Blocks::shape) in the whole; [`get`](Blocks::get) and equations count its indices from zero.
    ///
    /// ```
    /// # use tensorwrapper_runtime as tensorwrapper;
    /// use tensorwrapper::{Blocks, Error, Structure, Tiling};
    /// let cut = Tiling::cuts([2, 3]);
    /// let t = Blocks::<f64>::from_fn(&Structure::new([&cut, &cut]).with_blocks([[0, 1]])?, |i| (10 * i[0] + i[1]) as f64)?;
    /// let part = t.slice(&[1..2, 1..4])?;
    /// assert_eq!((part.structure().shape().extents(), part.get(&[0, 2])?, part.blocks()), (&[1, 3][..], 13.0, vec![vec![0, 1]]));
    /// assert_eq!((part.shape().origin(), part.slice(&[0..1, 2..3])?.shape().origin()), (&[1, 1][..], &[1, 3][..]));
    /// assert_eq!(t.chip(1, 4)?.get(&[1])?, 14.0);
    /// # Ok::<(), Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`Structure::part`], and [`ErrorKind::Memory`](crate::ErrorKind::Memory).
    pub fn slice(&self, ranges: &[Range<usize>]) -> Result<Blocks<T>, Error> {
        self.part(&ranges.iter().map(|range| AxisPart::Range(range.start, range.end)).collect::<Vec<_>>())
    }

    /// A copy of what one position of an axis has, without that axis. The other axes begin where they do here.
    ///
    /// # Errors
    /// As [`slice`](Blocks::slice).
    pub fn chip(&self, axis: usize, position: usize) -> Result<Blocks<T>, Error> {
        let whole = self.structure.tilings().iter().map(|tiling| AxisPart::Range(0, tiling.extent()));
        let mut parts: Vec<AxisPart> = whole.collect();
        match parts.get_mut(axis) {
            Some(part) => *part = AxisPart::Position(position),
            // Refused as a part of another rank.
            None => parts.push(AxisPart::Position(position)),
        }
        self.part(&parts)
    }

    /// A copy of a part: of each axis a range, or one position.
    ///
    /// # Errors
    /// As [`slice`](Blocks::slice).
    pub fn part(&self, parts: &[AxisPart]) -> Result<Blocks<T>, Error> {
        let mut part = Blocks::for_results(&self.structure.part(parts)?)?;
        let Blocks { structure, slab, .. } = &mut part;
        fill_part((&self.structure, &self.slab), parts, (structure, slab))?;
        let begin = |(axis, part): (usize, &AxisPart)| match part {
            AxisPart::Position(_) => None,
            AxisPart::Range(begin, _) => Some(self.origin.get(axis).map_or(0, |first| *first) + begin),
        };
        part.origin = parts.iter().enumerate().filter_map(begin).collect();
        Ok(part)
    }

    /// The extents of the axes and their cuts, beginning at the first index that this tensor has in the one that it is a
    /// [slice](Blocks::slice) or a [chip](Blocks::chip) of; otherwise at zero. [`TiledShape::indices`], [`boxes`](TiledShape::boxes) and
    /// [`tile`](TiledShape::tile) tell the indices of the whole.
    ///
    /// Parts keep what is known here as long as they are cut, layered or typed otherwise; results of equations and operators begin at zero.
    ///
    /// ```
    /// # use tensorwrapper_runtime as tensorwrapper;
    /// use tensorwrapper::{Blocks, Error, Shape, Structure, Tiling};
    /// let cut = Tiling::cuts([2, 3]);
    /// let t = Blocks::<f64>::from_fn(&Structure::new([&cut, &cut]), |i| (10 * i[0] + i[1]) as f64)?;
    /// let part = t.slice(&[1..5, 2..4])?;
    /// let tiles: Vec<Shape> = part.shape().boxes().collect();
    /// assert_eq!(tiles, [Shape::new([1, 2]).with_origin([1, 2])?, Shape::new([3, 2]).with_origin([2, 2])?]);
    /// for (index, offset) in part.shape().indices().zip(part.shape().offsets()) {
    ///     assert_eq!(part.get(&offset)?, t.get(&index)?);
    /// }
    /// # Ok::<(), Error>(())
    /// ```
    pub fn shape(&self) -> TiledShape {
        let shape = TiledShape::new(self.structure.tilings());
        match self.origin.is_empty() {
            true => shape,
            false => shape.with_origin(&self.origin).expect("a part ends within the whole"),
        }
    }

    /// The same tensor with another first index.
    ///
    /// # Errors
    /// As [`Shape::with_origin`](tensorwrapper_core::shape::Shape::with_origin).
    pub fn with_origin(self, origin: impl AsRef<[usize]>) -> Result<Blocks<T, S>, Error> {
        let origin = TiledShape::new(self.structure.tilings()).with_origin(origin)?.origin().to_vec();
        Ok(Blocks { origin, ..self })
    }

    /// Writes the first index, if it is not zero.
    pub(super) fn write_origin(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        if self.origin.iter().any(|&first| first != 0) { write!(f, " beginning at {:?}", self.origin) } else { Ok(()) }
    }
}
