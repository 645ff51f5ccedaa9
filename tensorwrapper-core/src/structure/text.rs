//! Structures and sparsity as text, written and read: `Display` and `FromStr` are inverse.
//!
//! Knows nothing of elements.

use std::fmt;

use super::tied_axes::tied;
use super::{Sparsity, Structure};
use crate::error::Error;
use crate::reader::{Reader, fault, from_str, placed};
use crate::shape::TiledShape;

from_str! {
    Sparsity: |reader| reader.sparsity();
    Structure: |reader| reader.structure();
}

/// Written as the ranges of the parts that may be other than zero, and the shape: `{[0..2, 0..2], [4..5, 1..2]} in [5, 5]`. Such text can
/// be read again; parts may overlap there.
///
/// ```
/// # use tensorwrapper_core::{Error, Sparsity};
/// let corner: Sparsity = "{[0..2, 0..2], [1..3, 1..2]} in [5, 5]".parse()?;
/// assert_eq!((corner.fraction(), corner.to_string().parse()), (0.2, Ok(corner)));
///
/// let error = "{[0..2], [4..6]} in [5]".parse::<Sparsity>().unwrap_err();
/// assert_eq!(error.to_string(), "[4..6] is no part of a tensor with indices [0..5] (at byte 9)");
/// # Ok::<(), Error>(())
/// ```
impl fmt::Display for Sparsity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("{")?;
        for (n, part) in self.sorted().into_iter().enumerate() {
            write!(f, "{}{part:?}", if n > 0 { ", " } else { "" })?;
        }
        write!(f, "}} in {}", self.shape())
    }
}

/// Written as the cuts of the axes and what else is known, in this order: `[[1, 2], [1, 2]] with symmetry [-(1, 0)] of blocks {[0, 1]}`.
/// Such text can be read again. `Debug` is shorter, and says of blocks only how many there are.
///
/// ```
/// # use tensorwrapper_core::{Error, Structure};
/// let text = "[[1(-1), 2(1)], [1(-1), 2(1)]] with flow [1, -1] of total [2] in layers of [1, 1] axes of blocks {[1, 0]}";
/// let raising: Structure = text.parse()?;
/// assert_eq!((raising.stored()?.len(), raising.layers(), raising.to_string()), (1, vec![1, 1], text.to_string()));
///
/// let error = "[[1, 2], [2]] with symmetry [+(1, 0)]".parse::<Structure>().unwrap_err();
/// assert_eq!(error.to_string(), "axes 0 and 1 cannot be exchanged: they are cut 1, 2 and 2 (at byte 28)");
/// # Ok::<(), Error>(())
/// ```
impl fmt::Display for Structure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", TiledShape::new(self.tilings()))?;
        if !self.symmetry().is_none() {
            write!(f, " with symmetry {}", self.symmetry())?;
        }
        if let Some(flow) = self.charge_flow() {
            write!(f, " with flow {:?} of total {:?}", flow.signs(), flow.total())?;
        }
        self.0.rows.write(f)?;
        if let Some(ties) = self.ties() {
            write!(f, " with axes tied as {ties:?}")?;
        }
        for (n, (first, others)) in self.0.equal.classes().enumerate() {
            f.write_str(if n > 0 { " and " } else { " with equal blocks " })?;
            f.debug_set().entry(&first).entries(others).finish()?;
        }
        match &self.0.given {
            Some(given) => {
                f.write_str(" of blocks ")?;
                f.debug_set().entries(given).finish()
            }
            None => Ok(()),
        }
    }
}

impl Reader<'_> {
    fn sparsity(&mut self) -> Result<Sparsity, Error> {
        self.need("{")?;
        let parts = self.list("}", |reader| Ok((reader.place(), reader.shape()?)))?;
        self.need("in")?;
        let shape = self.shape()?;
        for (place, part) in &parts {
            placed(*place, Sparsity::blocks(&shape, [part]))?;
        }
        if parts.iter().all(|(_, part)| part.size() == Ok(1)) {
            return Sparsity::elements(&shape, parts.iter().map(|(_, part)| part.origin()));
        }
        Sparsity::blocks(&shape, parts.iter().map(|(_, part)| part))
    }

    fn structure(&mut self) -> Result<Structure, Error> {
        let mut structure = Structure::new(self.tiled_at_zero()?.tilings());
        if self.take_words("with symmetry") {
            let start = self.place();
            let symmetry = self.symmetry()?;
            structure = placed(start, structure.with(symmetry))?;
        }
        if self.take_words("with flow") {
            let start = self.place();
            let signs = self.integers("the sign of an axis")?;
            if !self.take_words("of total") {
                return self.expected("`of total`");
            }
            let total = self.integers("a charge")?;
            structure = placed(start, structure.flow(signs, total))?;
        }
        structure = self.rows(structure)?;
        structure = self.tied(structure)?;
        if self.take_words("with equal blocks") {
            loop {
                structure = self.blocks(|blocks| structure.equal_blocks(blocks))?;
                if !self.take("and") {
                    break;
                }
            }
        }
        match self.take_words("of blocks") {
            true => self.blocks(|blocks| structure.with_blocks(blocks)),
            false => Ok(structure),
        }
    }

    fn tiled_at_zero(&mut self) -> Result<TiledShape, Error> {
        let start = self.place();
        let shape = self.tiled()?;
        match shape.origin().iter().all(|&first| first == 0) {
            true => Ok(shape),
            false => fault(start, "the indices of a structure begin at 0"),
        }
    }

    /// Ragged axes and layers.
    fn rows(&mut self, mut structure: Structure) -> Result<Structure, Error> {
        let (start, mut ragged) = (self.place(), Vec::new());
        while self.take(",") {
            self.need("axis")?;
            let axis = self.index("the number of an axis")?;
            if !self.take_words("ragged by") {
                return self.expected("`ragged by`");
            }
            ragged.push((axis, self.indices("the number of an axis")?));
        }
        if !ragged.is_empty() {
            structure = placed(start, structure.with_ragged(ragged))?;
        }
        match self.ahead("in") {
            true => self.layers(|layers| structure.nested(layers)),
            false => Ok(structure),
        }
    }

    /// Of each axis the first one that it is tied to.
    fn tied(&mut self, mut structure: Structure) -> Result<Structure, Error> {
        if !self.take_words("with axes tied as") {
            return Ok(structure);
        }
        let start = self.place();
        let ties = self.indices("the number of an axis")?;
        let is_first = |(axis, &first): (usize, &usize)| first <= axis && ties[first] == first;
        if ties.len() != structure.rank() || !ties.iter().enumerate().all(is_first) {
            let message = format!("{ties:?} does not give the first of the axes that each of {} is tied to", structure.rank());
            return fault(start, message);
        }
        for first in 0..ties.len() {
            structure = placed(start, structure.tied(tied(&ties, first)))?;
        }
        Ok(structure)
    }

    /// Coordinates of blocks in braces, and what is made of them.
    fn blocks(&mut self, structure: impl FnOnce(Vec<Vec<usize>>) -> Result<Structure, Error>) -> Result<Structure, Error> {
        let start = self.place();
        self.need("{")?;
        let blocks = self.list("}", |reader| reader.indices("the number of a tile"))?;
        placed(start, structure(blocks))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shape::{JaggedShape, Shape};

    fn again(structure: &Structure) {
        let text = structure.to_string();
        assert_eq!(text.parse::<Structure>().as_ref(), Ok(structure), "{text}");
        assert_eq!(text.parse::<Structure>().unwrap().to_string(), text);
    }

    #[test]
    fn structures_are_read_as_they_are_written() {
        let plain: Structure = "[[1, 2], [1, 2], [2]]".parse().unwrap();
        let equal = plain.equal_blocks([[0, 0, 0]; 1]).unwrap().with_blocks([[0; 3]; 0]).unwrap();
        let chain: Structure = "[[2, 2], [2, 2]] with equal blocks {[0, 0], [1, 1]} and {[0, 1], [1, 0]}".parse().unwrap();
        let rows = JaggedShape::rows([3, 0, 4].map(|extent| Shape::new([extent]))).unwrap();
        let irreps: Structure = "[[1(0), 2(1) in Z_2], [1(0), 2(1) in Z_2]] with flow [1, 1] of total [1]".parse().unwrap();
        assert_eq!(irreps.stored().unwrap().len(), 2);
        let pair = "[[1, 2], [1, 2]] with symmetry [-(1, 0)] of blocks {[0, 1]}".parse().unwrap();
        for structure in [&equal, &chain, &Structure::jagged(&rows).unwrap(), &irreps, &pair, &Structure::new([])] {
            again(structure);
        }
        again(&plain.tied([0, 1]).unwrap().nested([2, 1]).unwrap());
        again(&Structure::new([]).flow([], [0]).unwrap());
    }

    #[test]
    fn bad_text_is_told_at_its_place() {
        let told = |text: &str| text.parse::<Structure>().unwrap_err().to_string();
        assert_eq!(told("[[1]]+[1]"), "the indices of a structure begin at 0 (at byte 0)");
        assert_eq!(
            told("[[1]] of blocks {[1]}"),
            "index 1 is out of range for axis 0 of `Shape[1]`, which has extent 1 (at byte 16)"
        );
        assert_eq!(
            told("[[1], [1]] with axes tied as [1, 1]"),
            "[1, 1] does not give the first of the axes that each of 2 is tied to (at byte 29)"
        );
        assert_eq!(told("[[1]] with blocks"), "expected the end of the text, found `with` (at byte 6)");
        assert_eq!(told("[[1]], axis 0 ragged [1]"), "expected `ragged by`, found `ragged` (at byte 14)");
        assert_eq!(told("[[1(0)]] with flow [2] of total [0]"), "the sign of an axis's charges is 1 or -1, not 2 (at byte 19)");
        assert!("{[0..2]} in".parse::<Sparsity>().is_err() && "{[1], [2, 3]} in [2, 3]".parse::<Sparsity>().is_err());
    }

    #[test]
    fn sparsity_is_read_as_it_is_written() {
        let shape = Shape::new([6, 6]);
        let elements = Sparsity::elements(&shape, [[1, 2], [0, 0]]).unwrap();
        let moved = Sparsity::zero_blocks(
            &shape.clone().with_origin([2, 0]).unwrap(),
            &[Shape::new([1, 3]).with_origin([3, 1]).unwrap()],
        );
        for sparsity in [elements, moved.unwrap(), Sparsity::blocks(&Shape::new([]), &[Shape::new([])]).unwrap()] {
            assert_eq!(sparsity.to_string().parse().as_ref(), Ok(&sparsity));
        }
    }

    #[test]
    fn parts_that_are_cut_differently_are_compared_quickly() {
        let shape = Shape::new([256, 256]);
        let bands = |is_row: bool| {
            let band = |n: usize| {
                let (extents, origin) = if is_row { ([2, 256], [2 * n, 0]) } else { ([256, 2], [0, 2 * n]) };
                Shape::new(extents).with_origin(origin).unwrap()
            };
            (0..128).map(band).collect::<Vec<_>>()
        };
        let of = |parts: &[Shape]| Sparsity::blocks(&shape, parts).unwrap();
        assert_eq!(of(&bands(true)), of(&bands(false)));
        // As many elements, but others.
        assert_ne!(of(&bands(true)[1..]), of(&bands(true)[..127]));
        assert_ne!(of(&bands(true)[1..]), of(&bands(false)[1..]));
        let huge = Shape::new([usize::MAX, usize::MAX, usize::MAX]);
        let halves = |axis: usize| {
            let mut half = [usize::MAX; 3];
            half[axis] /= 2;
            Sparsity::blocks(&huge, &[Shape::new(half)]).unwrap()
        };
        assert!(halves(0) != halves(1) && halves(2) == halves(2).union(&halves(2)).unwrap());
    }
}
