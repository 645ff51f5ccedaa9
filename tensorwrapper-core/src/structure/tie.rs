//! Axes that are tied: a tensor is zero wherever their indices differ, as a diagonal matrix is. One axis of them has elements.

use tensorwrapper_notation::sentence::counted;

use super::tied_axes::{firsts, picked, places, tied};
use super::{Flow, Parts, StoredBlocks, Structure};
use crate::error::{Error, ErrorKind};
use crate::symmetry::Symmetry;

impl Structure {
    /// The same for a tensor that is zero wherever these axes have different indices, as a diagonal matrix is. Of the axes one
    /// has elements: a diagonal of n rows stores n of them.
    ///
    /// # Errors
    /// [`ErrorKind::Shape`] when there is no such axis, when axes are cut differently, or carry other charges; when the structure
    /// has a symmetry; and with a charge that is conserved, when tied axes are not one that charges enter and one that they leave.
    ///
    /// ```
    /// # use tensorwrapper_core as tensorwrapper;
    /// use tensorwrapper::{Error, Structure, Tiling};
    /// let cut = Tiling::cuts([2, 3]);
    /// let diagonal = Structure::new([&cut, &cut]).tied([0, 1])?;
    /// let stored = diagonal.stored()?;
    /// assert_eq!(stored.iter().collect::<Vec<_>>(), [[0, 0], [1, 1]]);
    /// assert_eq!((stored.elements(), diagonal.ties()), (5, Some(&[0, 0][..])));
    /// assert!(diagonal.with_blocks([[0, 1]]).is_err());
    /// # Ok::<(), Error>(())
    /// ```
    pub fn tied(&self, axes: impl AsRef<[usize]>) -> Result<Structure, Error> {
        let refused = |message: String| Err(Error::new(ErrorKind::Shape(message)));
        let (axes, rank) = (axes.as_ref(), self.rank());
        if let Some(axis) = axes.iter().find(|&&axis| axis >= rank) {
            return refused(format!(
                "there is no axis {axis} to be tied: the tensor has {}, the first of which is axis 0",
                counted(rank, "axis")
            ));
        }
        for pair in axes.windows(2) {
            let (one, other) = (&self.tilings()[pair[0]], &self.tilings()[pair[1]]);
            if one != other {
                return refused(format!("axes {} and {} cannot be tied: they are cut {one} and {other}", pair[0], pair[1]));
            }
        }
        let mut ties: Vec<usize> = self.ties().map_or_else(|| (0..rank).collect(), <[usize]>::to_vec);
        let classes: Vec<usize> = axes.iter().map(|&axis| ties[axis]).collect();
        if let Some(&first) = classes.iter().min() {
            ties.iter_mut().filter(|class| classes.contains(class)).for_each(|class| *class = first);
        }
        if ties.iter().enumerate().all(|(axis, &first)| axis == first) {
            return Ok(self.clone());
        }
        if !self.symmetry().is_none() {
            return refused("axes of a structure with a symmetry cannot be tied".to_string());
        }
        self.check_different(Some("tied axes"))?;
        self.check_ties(self.charge_flow(), Some(&ties))?;
        let is_tied = |block: &&Vec<usize>| block.iter().zip(&ties).all(|(&tile, &first)| tile == block[first]);
        let given = self.0.given.as_ref().map(|given| given.iter().filter(is_tied).cloned().collect());
        Ok(Structure::of_parts(Parts { given, ties: Some(ties), ..self.parts() }))
    }

    /// Of each axis the first one that it is [tied](Structure::tied) to, or itself; nothing where no axes are tied.
    pub fn ties(&self) -> Option<&[usize]> {
        self.0.ties.as_deref()
    }

    /// The structure of what is stored where axes are tied: one axis of each that are, with the same blocks in the same places. A
    /// diagonal matrix stores a vector. It conserves no charge.
    ///
    /// # Errors
    /// As [`stored`](Structure::stored).
    pub fn core(&self) -> Result<Structure, Error> {
        let Some(ties) = self.ties() else { return Ok(self.clone()) };
        let firsts: Vec<usize> = firsts(ties).collect();
        let plain = Structure::new(firsts.iter().map(|&axis| &self.tilings()[axis]));
        if self.0.given.is_none() && self.charge_flow().is_none() {
            return Ok(plain);
        }
        plain.with_blocks(self.stored()?.iter().map(|block| picked(&block, &firsts)))
    }

    /// The same without ties: the blocks that it has, whole.
    ///
    /// # Errors
    /// As [`stored`](Structure::stored).
    pub fn untied(&self) -> Result<Structure, Error> {
        if self.ties().is_none() {
            return Ok(self.clone());
        }
        let given = Some(self.stored()?.iter().collect());
        Ok(Structure::of_parts(Parts { given, ties: None, ..self.parts() }))
    }

    /// The same with the blocks on the diagonal and below it alone: a triangle of blocks, whose diagonal blocks are whole.
    ///
    /// # Errors
    /// [`ErrorKind::Shape`] when it is not the structure of a matrix, and as [`stored`](Structure::stored).
    ///
    /// ```
    /// # use tensorwrapper_core as tensorwrapper;
    /// use tensorwrapper::{Error, Structure, Tiling};
    /// let cut = Tiling::cuts([2, 3]);
    /// let plain = Structure::new([&cut, &cut]);
    /// assert_eq!(plain.lower()?.stored()?.iter().collect::<Vec<_>>(), [[0, 0], [1, 0], [1, 1]]);
    /// assert_eq!(plain.upper()?.stored()?.iter().collect::<Vec<_>>(), [[0, 0], [0, 1], [1, 1]]);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn lower(&self) -> Result<Structure, Error> {
        self.triangle(|block| block[0] >= block[1])
    }

    /// The same with the blocks on the diagonal and above it alone.
    ///
    /// # Errors
    /// As [`lower`](Structure::lower).
    pub fn upper(&self) -> Result<Structure, Error> {
        self.triangle(|block| block[0] <= block[1])
    }

    fn triangle(&self, is_in: impl Fn(&[usize]) -> bool) -> Result<Structure, Error> {
        if self.rank() != 2 || !self.symmetry().is_none() {
            let message = format!("a triangle is one of a matrix without a symmetry, not of {self:?}");
            return Err(Error::new(ErrorKind::Shape(message)));
        }
        let whole = self.without_equal_blocks()?;
        whole.with_blocks(whole.stored()?.iter().filter(|block| is_in(block)).collect::<Vec<_>>())
    }

    /// All blocks whose tiles are the same on axes that are tied.
    pub(super) fn all_tied(&self) -> Result<StoredBlocks, Error> {
        let ties = self.ties().unwrap_or_default();
        let places = places(ties);
        let core = Structure::new(firsts(ties).map(|axis| &self.tilings()[axis]));
        let allowed = |block: &Vec<usize>| self.charge_flow().is_none_or(|flow| flow.allows(self.tilings(), block));
        let blocks: Vec<Vec<usize>> = core.stored()?.iter().map(|block| picked(&block, &places)).filter(allowed).collect();
        StoredBlocks::new(self.tilings(), self.ties(), blocks.iter().map(Vec::as_slice))
    }

    /// A block of tied axes has the same tile on them.
    pub(super) fn check_tied(&self, block: &[usize]) -> Result<(), Error> {
        let differs = |(axis, first): (usize, &usize)| (block[axis] != block[*first]).then_some((*first, axis));
        match self.ties().and_then(|ties| ties.iter().enumerate().find_map(differs)) {
            Some((one, other)) => Err(Error::new(ErrorKind::Shape(format!(
                "axes {one} and {other} are tied, but block {block:?} is not of one tile"
            )))),
            None => Ok(()),
        }
    }

    /// Tied axes have no other symmetry.
    pub(super) fn check_untied(&self, symmetry: &Symmetry) -> Result<(), Error> {
        match self.ties() {
            Some(_) if !symmetry.is_none() => {
                Err(Error::new(ErrorKind::Shape("a structure whose axes are tied has no symmetry beside that".to_string())))
            }
            _ => Ok(()),
        }
    }

    /// What enters by one of two tied axes leaves by the other.
    pub(super) fn check_ties(&self, flow: Option<&Flow>, ties: Option<&[usize]>) -> Result<(), Error> {
        let (Some(flow), Some(ties)) = (flow, ties) else { return Ok(()) };
        for first in firsts(ties) {
            let tied = tied(ties, first);
            let is_pair = tied.len() == 2 && flow.signs()[tied[0]] == -flow.signs()[tied[1]];
            if tied.len() > 1 && !is_pair {
                let message = format!("axes {tied:?} are tied: charges have to enter by one of two axes and leave by the other");
                return Err(Error::new(ErrorKind::Shape(message)));
            }
        }
        Ok(())
    }
}
