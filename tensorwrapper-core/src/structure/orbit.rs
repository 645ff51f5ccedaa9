//! Blocks that follow from others: by the symmetry, and those that are said to be equal, as the blocks along a diagonal of a matrix are
//! that does not change when its indices are moved on.

use std::collections::{BTreeSet, HashSet};

use super::Structure;
use super::equal::Equal;
use crate::error::{Error, ErrorKind};
use crate::symmetry::SignedPermutation;

impl Structure {
    /// The same for a tensor of which these blocks are equal. The one at the smallest coordinates is stored.
    ///
    /// Of a matrix that does not change when all indices are moved on by a tile, as that of a chain of equal cells, blocks [0, 0], [1, 1]
    /// and so on are equal, and so are [0, 1], [1, 2] and so on.
    ///
    /// Products of such a tensor read one block in several places; results are not known to have equal blocks.
    ///
    /// ```
    /// # use tensorwrapper_core as tensorwrapper;
    /// use tensorwrapper::{Error, Structure, Tiling};
    /// let cell = Tiling::cuts([2, 2]);
    /// let chain = Structure::new([&cell, &cell]).equal_blocks([[0, 0], [1, 1]])?;
    /// assert_eq!(chain.stored()?.iter().collect::<Vec<_>>(), [[0, 0], [0, 1], [1, 0]]);
    /// assert_eq!((chain.image(&[1, 1])?.map(|image| image.number), chain.fill()?), (Some(0), 1.0));
    /// # Ok::<(), Error>(())
    /// ```
    ///
    /// # Errors
    /// [`ErrorKind::Rank`] and [`ErrorKind::Shape`] when there is no such block; [`ErrorKind::Shape`] when their extents differ, when one
    /// of them does not conserve the charge, and when the structure has a symmetry, or axes that are tied or ragged.
    pub fn equal_blocks(&self, blocks: impl IntoIterator<Item = impl AsRef<[usize]>>) -> Result<Structure, Error> {
        let refused = |message: String| Err(Error::new(ErrorKind::Shape(message)));
        if !self.symmetry().is_none() || self.ties().is_some() || !self.0.rows.ragged.is_empty() {
            return refused(format!("blocks of {self:?} cannot be equal, as it has a symmetry, or axes that are tied or ragged"));
        }
        let blocks: Vec<Vec<usize>> = blocks.into_iter().map(|block| block.as_ref().to_vec()).collect();
        let shapes = blocks.iter().map(|block| self.block_shape(block)).collect::<Result<Vec<_>, _>>()?;
        if let Some(n) = (1..blocks.len()).find(|&n| shapes[n].extents() != shapes[0].extents()) {
            let ([first, other], [one, two]) = ([&blocks[0], &blocks[n]], [&shapes[0], &shapes[n]].map(|shape| shape.extents()));
            return refused(format!("blocks {first:?} and {other:?} cannot be equal: their extents are {one:?} and {two:?}"));
        }
        blocks.iter().try_for_each(|block| self.check_charge(block))?;
        let mut joined = self.parts();
        joined.equal.join(blocks.into_iter());
        let joined = Structure::of_parts(joined);
        // What is there are the smallest blocks of all classes.
        let given = self.0.given.as_ref().map(|given| {
            let firsts: BTreeSet<&[usize]> = given.iter().map(|block| joined.first_of(block)).collect();
            firsts.into_iter().map(<[usize]>::to_vec).collect()
        });
        Ok(joined.changed(|parts| parts.given = given))
    }

    /// Whether some blocks are [equal](Structure::equal_blocks) that no symmetry says to be.
    pub fn has_equal_blocks(&self) -> bool {
        self.0.equal.len() > 0
    }

    /// The same without knowing of [equal blocks](Structure::equal_blocks): each is stored by itself.
    ///
    /// # Errors
    /// As [`stored`](Structure::stored).
    pub fn without_equal_blocks(&self) -> Result<Structure, Error> {
        if !self.has_equal_blocks() {
            return Ok(self.clone());
        }
        let mut blocks = Vec::new();
        for number in 0..self.stored()?.len() {
            blocks.extend(self.orbit(number)?.into_iter().map(|(block, _)| block));
        }
        self.changed(|parts| (parts.equal, parts.given) = (Equal::default(), None)).with_blocks(blocks)
    }

    /// The smallest of the blocks that are said to be equal to this one.
    pub(super) fn first_of<'b>(&'b self, block: &'b [usize]) -> &'b [usize] {
        self.0.equal.first_of(block)
    }

    /// A stored block and all that follow from it, each once, with how it follows.
    ///
    /// # Errors
    /// As [`stored`](Structure::stored).
    ///
    /// # Panics
    /// When there is no such block.
    pub fn orbit(&self, number: usize) -> Result<Vec<(Vec<usize>, &SignedPermutation)>, Error> {
        let block = self.stored()?.block(number);
        let identity = &self.symmetry().elements()[0];
        if self.symmetry().is_none() {
            let others = self.0.equal.others(&block).iter().cloned();
            return Ok([block.clone()].into_iter().chain(others).map(|block| (block, identity)).collect());
        }
        let mut seen: HashSet<Vec<usize>> = HashSet::new();
        let images = self.symmetry().elements().iter().map(|by| (by.preimage(&block), by));
        Ok(images.filter(|(image, _)| seen.insert(image.clone())).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shape::Tiling;
    use crate::symmetry::Symmetry;

    fn stored(structure: &Structure) -> Vec<Vec<usize>> {
        structure.stored().unwrap().iter().collect()
    }

    #[test]
    fn classes_grow_and_patterns_follow() {
        let cell = Tiling::even(8, 2);
        let plain = Structure::new([&cell, &cell]);
        let chain = plain.equal_blocks([[2, 2], [3, 3]]).unwrap().equal_blocks([[1, 1], [0, 0]]).unwrap();
        let chain = chain.equal_blocks([[3, 3], [1, 1]]).unwrap();
        assert_eq!(chain, plain.equal_blocks((0..4).map(|n| [n, n])).unwrap());
        assert!(!plain.equal_blocks([[0, 0]]).unwrap().has_equal_blocks());
        assert_eq!(chain.stored().unwrap().len(), 13);
        let orbit: Vec<Vec<usize>> = chain.orbit(0).unwrap().into_iter().map(|(block, _)| block).collect();
        assert_eq!(orbit, [[0, 0], [1, 1], [2, 2], [3, 3]]);
        // Blocks that are there, and one of those that are equal.
        let some = chain.with_blocks([[2, 2], [0, 3]]).unwrap();
        assert_eq!((stored(&some), some.fill().unwrap()), (vec![vec![0, 0], vec![0, 3]], 20.0 / 64.0));
        let whole = some.without_equal_blocks().unwrap();
        assert_eq!(stored(&whole), [[0, 0], [0, 3], [1, 1], [2, 2], [3, 3]]);
        assert!(some != whole && whole == whole.without_equal_blocks().unwrap());
        let later = plain.with_blocks([[1, 1]]).unwrap().equal_blocks([[0, 0], [1, 1]]).unwrap();
        assert_eq!(stored(&later), [[0, 0]]);
    }

    #[test]
    fn blocks_that_cannot_be_equal() {
        let (cell, spin) = (Tiling::cuts([2, 3, 2]), Tiling::cuts([2, 2]).charged([0, 1]).unwrap());
        let plain = Structure::new([&cell, &cell]);
        let told = |result: Result<Structure, Error>| result.unwrap_err().to_string();
        assert_eq!(
            told(plain.equal_blocks([[0, 0], [0, 1]])),
            "blocks [0, 0] and [0, 1] cannot be equal: their extents are [2, 2] and [2, 3]"
        );
        assert!(told(plain.equal_blocks([[0, 0], [0, 3]])).contains("no tile 3"));
        assert!(told(plain.equal_blocks([&[0][..], &[0, 0]])).contains("rank 2"));
        let symmetric = plain.with(Symmetry::none(2).symmetric([0, 1]).unwrap()).unwrap();
        assert!(told(symmetric.equal_blocks([[0, 0], [2, 2]])).contains("cannot be equal, as it has a symmetry"));
        let chain = plain.equal_blocks([[0, 0], [2, 2]]).unwrap();
        assert!(told(chain.with(Symmetry::none(2).symmetric([0, 1]).unwrap())).contains("equal blocks"));
        assert!(told(chain.tied([0, 1])).contains("equal blocks"));
        assert!(told(chain.with_ragged([(1, vec![0])])).contains("equal blocks"));
        let charged = Structure::new([&spin, &spin]).flow([1, -1], [0]).unwrap();
        assert!(told(charged.equal_blocks([[0, 0], [0, 1]])).contains("the total is [0]"));
        assert_eq!(stored(&charged.equal_blocks([[0, 0], [1, 1]]).unwrap()), [[0, 0]]);
        let apart = Structure::new([&spin, &spin]).equal_blocks([[0, 0], [0, 1]]).unwrap();
        assert!(told(apart.flow([1, -1], [0])).contains("the total is [0]"));
    }
}
