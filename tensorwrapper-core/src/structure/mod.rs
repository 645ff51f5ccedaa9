//! [`Structure`]: everything about a block tensor but its elements: how its axes are cut, which blocks it has, which follow from others,
//! and which charge it conserves.
//!
//! Knows nothing of elements, memory, equations or devices.

mod boxes;
mod equal;
mod flow;
mod orbit;
mod part;
mod ragged;
mod rows;
mod sparsity;
mod stored;
#[cfg(test)]
mod tests;
mod text;
mod tie;
pub(crate) mod tied_axes;

use std::fmt;
use std::hash::{Hash, Hasher};
use std::sync::{Arc, OnceLock};

use tensorwrapper_notation::sentence::counted;

use self::equal::Equal;
pub use self::flow::Flow;
pub use self::part::AxisPart;
use self::rows::Rows;
pub use self::sparsity::Sparsity;
pub use self::stored::StoredBlocks;

use crate::error::{Error, ErrorKind};
use crate::shape::{IntoCharge, Shape, Tiling};
use crate::symmetry::{SignedPermutation, Symmetry};

/// Blocks of a structure at most: more are a mistake, or a tensor whose elements are to be stored one by one.
const MOST_BLOCKS: usize = 1 << 26;

/// The structure of a block tensor.
///
/// Each axis is cut into tiles, and a block is one tile of each axis. All blocks are there, unless it is said
/// [which ones](Structure::with_blocks) are, or that a [charge](Structure::flow) is conserved; what no block covers is zero. With
/// a [symmetry](Structure::with) one block of each orbit is stored, the one at the smallest coordinates.
///
/// ```
/// # use tensorwrapper_core as tensorwrapper;
/// use tensorwrapper::{Error, Structure, Symmetry, Tiling};
/// let occ = Tiling::cuts([2, 3]);
/// let pairs = Structure::new([&occ, &occ]).with(Symmetry::none(2).antisymmetric([0, 1])?)?;
/// let stored: Vec<_> = pairs.stored()?.iter().collect();
/// assert_eq!(stored, [[0, 0], [0, 1], [1, 1]]);
///
/// // An operator that raises the charge by 2, from spins (in) to spins (out).
/// let spin = Tiling::cuts([1, 1]).charged([-1, 1])?;
/// let raising = Structure::new([&spin, &spin]).flow([1, -1], [2])?;
/// assert_eq!(raising.stored()?.iter().collect::<Vec<_>>(), [[1, 0]]);
/// # Ok::<(), Error>(())
/// ```
#[derive(Clone)]
pub struct Structure(Arc<Parts>);

struct Parts {
    tilings: Vec<Tiling>,
    symmetry: Symmetry,
    flow: Option<Flow>,
    /// The blocks that are there, canonical ones alone, in ascending order; nothing where all are.
    given: Option<Vec<Vec<usize>>>,
    rows: Rows,
    /// Of each axis the number of the first one whose index it has, where axes are tied.
    ties: Option<Vec<usize>>,
    /// Blocks that are equal to others, by no symmetry.
    equal: Equal,
    stored: OnceLock<Result<StoredBlocks, Error>>,
}

/// How a block follows from a stored one: `block[x] = sign · stored[y]` for the permutation of the group, perhaps conjugated.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Image<'a> {
    /// The number of the stored block.
    pub number: usize,
    /// The element of the group.
    pub by: &'a SignedPermutation,
}

impl Structure {
    /// Axes cut like these, with all blocks.
    pub fn new<'t>(tilings: impl IntoIterator<Item = &'t Tiling>) -> Structure {
        let tilings: Vec<Tiling> = tilings.into_iter().cloned().collect();
        let symmetry = Symmetry::none(tilings.len());
        Structure::of_parts(Parts {
            tilings,
            symmetry,
            flow: None,
            given: None,
            rows: Rows::default(),
            ties: None,
            equal: Equal::default(),
            stored: OnceLock::new(),
        })
    }

    fn of_parts(parts: Parts) -> Structure {
        Structure(Arc::new(parts))
    }

    /// The same with other parts. Its blocks are found again.
    fn changed(&self, change: impl FnOnce(&mut Parts)) -> Structure {
        let mut parts = self.parts();
        change(&mut parts);
        Structure::of_parts(parts)
    }

    /// Everything that it is made of, without what was found.
    fn parts(&self) -> Parts {
        let Parts { tilings, symmetry, flow, given, rows, ties, equal, .. } = &*self.0;
        Parts {
            tilings: tilings.clone(),
            symmetry: symmetry.clone(),
            flow: flow.clone(),
            given: given.clone(),
            rows: rows.clone(),
            ties: ties.clone(),
            equal: equal.clone(),
            stored: OnceLock::new(),
        }
    }

    /// The same with this symmetry. Blocks that are there have all their images.
    ///
    /// # Errors
    /// [`ErrorKind::Shape`] when the symmetry is of another rank, or exchanges axes that are cut differently or have other charges.
    ///
    /// ```
    /// # use tensorwrapper_core::{Error, Structure, Symmetry, Tiling};
    /// let (rows, columns) = (Tiling::cuts([5, 15, 10]), Tiling::cuts([10, 20]));
    /// let error = Structure::new([&rows, &columns]).with(Symmetry::none(2).symmetric([0, 1])?).unwrap_err();
    /// assert_eq!(error.to_string(), "axes 0 and 1 cannot be exchanged: they are cut 5, 15, 10 and 10, 20");
    /// # Ok::<(), Error>(())
    /// ```
    pub fn with(&self, symmetry: Symmetry) -> Result<Structure, Error> {
        if symmetry.rank() != self.rank() {
            let message =
                format!("a tensor of rank {} cannot have a symmetry of {}", self.rank(), counted(symmetry.rank(), "axis"));
            return Err(Error::new(ErrorKind::Shape(message)));
        }
        self.check_untied(&symmetry)?;
        self.check_different(if symmetry.is_none() { None } else { Some("a symmetry") })?;
        for element in symmetry.elements() {
            let moved = element.axes().enumerate().find(|&(n, axis)| !self.tilings()[n].same_cuts(&self.tilings()[axis]));
            if let Some((first, second)) = moved.map(|(n, axis)| (n.min(axis), n.max(axis))) {
                let (cut, other) = (self.tilings()[first].clone().uncharged(), self.tilings()[second].clone().uncharged());
                let message = format!("axes {first} and {second} cannot be exchanged: they are cut {cut} and {other}");
                return Err(Error::new(ErrorKind::Shape(message)));
            }
            if let Some(flow) = &self.0.flow {
                flow.check_symmetry(self.tilings(), element)?;
            }
        }
        // With the images by the symmetry that it had.
        let images =
            |block: &Vec<usize>| self.0.symmetry.elements().iter().map(|by| by.image(block)).collect::<Vec<Vec<usize>>>();
        let given = self.0.given.as_ref().map(|given| canonical(&symmetry, given.iter().flat_map(images)));
        Ok(self.changed(|parts| (parts.symmetry, parts.given) = (symmetry, given)))
    }

    /// The same with these blocks alone, and their images.
    ///
    /// # Errors
    /// [`ErrorKind::Rank`] and [`ErrorKind::Bounds`] when there is no such block, [`ErrorKind::Shape`] when a block does not conserve the
    /// charge, or has other tiles on axes that are tied.
    pub fn with_blocks(&self, blocks: impl IntoIterator<Item = impl AsRef<[usize]>>) -> Result<Structure, Error> {
        let counts = Shape::new(self.tilings().iter().map(Tiling::len).collect::<Vec<_>>());
        let mut given: Vec<Vec<usize>> = Vec::new();
        for block in blocks {
            let block = block.as_ref();
            counts.slice_at(block)?;
            if block.len() != self.rank() {
                let (operand, rank, given) = (format!("{self:?}"), self.rank(), block.len());
                return Err(Error::new(ErrorKind::Rank { operand, rank, given }));
            }
            self.check_charge(block)?;
            self.check_tied(block)?;
            given.push(self.first_of(block).to_vec());
        }
        let given = Some(canonical(&self.0.symmetry, given));
        Ok(self.changed(|parts| parts.given = given))
    }

    /// A block that is there conserves the charge.
    fn check_charge(&self, block: &[usize]) -> Result<(), Error> {
        match self.0.flow.as_ref().filter(|flow| !flow.allows(self.tilings(), block)) {
            Some(flow) => {
                let (charge, total) = (flow.of(self.tilings(), block), flow.total());
                let message = format!("block {block:?} has charge {charge:?}, but the total is {total:?}");
                Err(Error::new(ErrorKind::Shape(message)))
            }
            None => Ok(()),
        }
    }

    /// A structure with equal blocks has nothing else from which blocks follow.
    fn check_different(&self, what: Option<&str>) -> Result<(), Error> {
        match what.filter(|_| self.has_equal_blocks()) {
            Some(what) => Err(Error::new(ErrorKind::Shape(format!("a structure with equal blocks cannot have {what}")))),
            None => Ok(()),
        }
    }

    /// The same for a tensor that conserves charges: a block is there where the charges of its tiles, each with the sign of its axis (+1
    /// or −1), add up to the total: `0`, or `[0, 1]` for a product of two groups. Blocks that were given and have another charge are left
    /// out.
    ///
    /// # Errors
    /// [`ErrorKind::Shape`] when a tiling has no charges or those of another group, when signs or the total are not as many as wanted, and
    /// when the symmetry changes the charge.
    pub fn flow(&self, signs: impl AsRef<[i64]>, total: impl IntoCharge) -> Result<Structure, Error> {
        let flow = Flow::new(self.tilings(), signs.as_ref(), total.into_charge())?;
        self.0.symmetry.elements().iter().try_for_each(|element| flow.check_symmetry(self.tilings(), element))?;
        let allowed = |given: &Vec<Vec<usize>>| -> Vec<_> {
            given.iter().filter(|block| flow.allows(self.tilings(), block)).cloned().collect()
        };
        let given = self.0.given.as_ref().map(allowed);
        self.check_ties(Some(&flow), self.ties())?;
        let charged = self.changed(|parts| (parts.flow, parts.given) = (Some(flow), given));
        for (first, others) in self.0.equal.classes() {
            charged.check_charge(first)?;
            others.iter().try_for_each(|block| charged.check_charge(block))?;
        }
        Ok(charged)
    }

    /// Number of axes.
    pub fn rank(&self) -> usize {
        self.0.tilings.len()
    }

    /// The cuts of each axis.
    pub fn tilings(&self) -> &[Tiling] {
        &self.0.tilings
    }

    /// The extents of the axes, as a shape.
    pub fn shape(&self) -> Shape {
        self.tilings().iter().map(Tiling::extent).collect()
    }

    /// The symmetry.
    pub fn symmetry(&self) -> &Symmetry {
        &self.0.symmetry
    }

    /// The charge that is conserved, if any.
    pub fn charge_flow(&self) -> Option<&Flow> {
        self.0.flow.as_ref()
    }

    /// The blocks that are stored: one of each orbit, in ascending order. They are found when they are first asked for.
    ///
    /// # Errors
    /// [`ErrorKind::Shape`] when the tiles make more than 2²⁶ blocks, before symmetry and charges leave some out, and it was not said which
    /// ones are there; and when there are more elements than `isize::MAX / 16`.
    pub fn stored(&self) -> Result<&StoredBlocks, Error> {
        let find = || match &self.0.given {
            Some(given) => StoredBlocks::new(self.tilings(), self.ties(), given.iter().map(Vec::as_slice)),
            None if self.ties().is_some() => self.all_tied(),
            None => {
                let is_first = |block: &[usize]| self.symmetry().canonical(block).0 == block && self.first_of(block) == block;
                stored::all(self.tilings(), &is_first, self.charge_flow(), MOST_BLOCKS)
            }
        };
        self.0.stored.get_or_init(find).as_ref().map_err(Clone::clone)
    }

    /// The stored block that a block follows from, and how; nothing where the block is zero.
    ///
    /// # Errors
    /// As [`stored`](Structure::stored).
    ///
    /// # Panics
    /// When the coordinates are of another rank.
    pub fn image(&self, block: &[usize]) -> Result<Option<Image<'_>>, Error> {
        let (canonical, by) = self.0.symmetry.canonical(block);
        Ok(self.stored()?.find(self.first_of(&canonical)).map(|number| Image { number, by }))
    }

    /// The indices of a block: its extents, beginning at its first index.
    ///
    /// # Errors
    /// [`ErrorKind::Shape`] when there is no such block.
    pub fn block_shape(&self, block: &[usize]) -> Result<Shape, Error> {
        if block.len() != self.rank() {
            return Err(Error::new(ErrorKind::Rank { operand: format!("{self:?}"), rank: self.rank(), given: block.len() }));
        }
        let ranges = self.tilings().iter().zip(block).map(|(tiling, &tile)| tiling.tile(tile)).collect::<Result<Vec<_>, _>>()?;
        let origin: Vec<usize> = ranges.iter().map(|range| range.start).collect();
        ranges.iter().map(|range| range.len()).collect::<Shape>().with_origin(origin)
    }

    /// The share of all elements that lie in blocks which are there, images included.
    ///
    /// # Errors
    /// As [`stored`](Structure::stored).
    pub fn fill(&self) -> Result<f64, Error> {
        let stored = self.stored()?;
        let orbit = |block: &[usize]| self.0.symmetry.order() / self.0.symmetry.stabiliser(block).count();
        let mut elements: f64 = (0..stored.len()).map(|n| (orbit(&stored.block(n)) * stored.size(n)) as f64).sum();
        let equal = self.0.equal.classes().filter_map(|(first, others)| Some(stored.size(stored.find(first)?) * others.len()));
        elements += equal.map(|elements| elements as f64).sum::<f64>();
        Ok(elements / self.tilings().iter().map(|tiling| tiling.extent() as f64).product::<f64>().max(1.0))
    }
}

/// The smallest block of each orbit, in ascending order.
fn canonical(symmetry: &Symmetry, blocks: impl IntoIterator<Item = Vec<usize>>) -> Vec<Vec<usize>> {
    let mut all: Vec<Vec<usize>> = blocks.into_iter().map(|block| symmetry.canonical(&block).0).collect();
    all.sort_unstable();
    all.dedup();
    all
}

impl PartialEq for Structure {
    fn eq(&self, other: &Structure) -> bool {
        if Arc::ptr_eq(&self.0, &other.0) {
            return true;
        }
        let same = self.0.tilings == other.0.tilings && self.0.symmetry == other.0.symmetry && self.0.flow == other.0.flow;
        let same = same && self.0.rows == other.0.rows && self.0.ties == other.0.ties && self.0.equal == other.0.equal;
        same && (self.0.given == other.0.given || matches!((self.stored(), other.stored()), (Ok(a), Ok(b)) if a == b))
    }
}

impl Eq for Structure {}

impl Hash for Structure {
    fn hash<H: Hasher>(&self, state: &mut H) {
        // Not the blocks: those that are given may be all that there are, and then equal those of a structure that was given none.
        let Parts { tilings, symmetry, flow, given: _, rows, ties, equal, stored: _ } = &*self.0;
        (tilings, symmetry, flow).hash(state);
        (rows, ties, equal).hash(state);
    }
}

/// Printed with its tilings, its symmetry and its flow.
impl fmt::Debug for Structure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let cuts: Vec<String> = self.tilings().iter().map(|tiling| format!("[{tiling}]")).collect();
        write!(f, "Structure[{}]", cuts.join(", "))?;
        if !self.0.symmetry.is_none() {
            write!(f, " with {:?}", self.0.symmetry)?;
        }
        if let Some(flow) = &self.0.flow {
            write!(f, " with flow {:?} of total {:?}", flow.signs(), flow.total())?;
        }
        self.0.rows.write(f)?;
        if let Some(ties) = &self.0.ties {
            write!(f, " with axes tied as {ties:?}")?;
        }
        if self.has_equal_blocks() {
            write!(f, " with {} equal to others", counted(self.0.equal.len(), "block"))?;
        }
        if let Some(given) = &self.0.given {
            write!(f, " of {}", counted(given.len(), "block"))?;
        }
        Ok(())
    }
}
