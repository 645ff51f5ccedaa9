//! How the labels of an equation are cut: wherever one of the axes that run with them is.
//!
//! Knows nothing of which blocks are there.

use tensorwrapper_core::error::{Error, ErrorKind, Place};
use tensorwrapper_core::shape::Tiling;

use super::tensors::Tensors;
use super::terms::{Factor, Sum};

/// A part of a tile: which tile, where the part begins in it, and how many indices it has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct Part {
    pub(super) tile: usize,
    pub(super) first: usize,
    pub(super) extent: usize,
}

/// How the result of an equation is to be cut along each axis, where that is said, and what says so.
pub(super) type Aim<'a> = &'a [Option<(String, Tiling)>];

/// The cut of each label, and of the result.
#[derive(Clone, Debug)]
pub(super) struct Cuts {
    /// The cut of each label that some axis has: wherever one of its axes is cut.
    finest: Vec<Option<Tiling>>,
    /// The cut that a result has along each label: that of the first axis.
    first: Vec<Option<Tiling>>,
}

impl Cuts {
    /// The cuts of an equation's labels. The result is cut as `target` says, or else as the first axes are that are cut: those of dense
    /// tensors are not.
    ///
    /// # Errors
    /// [`ErrorKind::Rank`] and [`ErrorKind::Extent`] when operands do not fit, [`ErrorKind::Shape`] when charges do not.
    pub(super) fn new(sum: &Sum, tensors: &Tensors, target: Aim<'_>) -> Result<Cuts, Error> {
        let Tensors { structures, names, dense } = tensors;
        let labels = sum.names.len();
        let mut cuts = Cuts { finest: vec![None; labels], first: vec![None; labels] };
        let mut seen: Vec<Option<(usize, usize)>> = vec![None; labels];
        let mut charged: Vec<Option<(usize, usize)>> = vec![None; labels];
        let factors = sum.terms.iter().flat_map(|term| &term.factors);
        let (blocks, whole): (Vec<&Factor>, Vec<&Factor>) = factors.partition(|factor| !dense[factor.operand]);
        for factor in blocks.into_iter().chain(whole) {
            let structure = &structures[factor.operand];
            if structure.rank() != factor.labels.len() {
                let (operand, rank, given) = (names[factor.operand].clone(), structure.rank(), factor.labels.len());
                return Err(Error::new(ErrorKind::Rank { operand, rank, given }));
            }
            for (axis, (&label, tiling)) in factor.labels.iter().zip(structure.tilings()).enumerate() {
                let known_charges = charged[label];
                if tiling.charges().is_some() {
                    charged[label].get_or_insert((factor.operand, axis));
                }
                let Some((operand, first)) = seen[label] else {
                    seen[label] = Some((factor.operand, axis));
                    // Tiles without indices are no parts.
                    let parts = tiling.clone().uncharged();
                    (cuts.finest[label], cuts.first[label]) = (parts.refined(&parts), Some(tiling.clone()));
                    continue;
                };
                let known = cuts.finest[label].as_ref().expect("a label that was seen has a cut");
                let Some(finest) = known.refined(tiling) else {
                    let place = |operand: usize, axis: usize, extent| Place { operand: names[operand].clone(), axis, extent };
                    return Err(Error::new(ErrorKind::Extent {
                        label: sum.names[label].clone(),
                        first: place(operand, first, known.extent()),
                        second: place(factor.operand, axis, tiling.extent()),
                    }));
                };
                if let Some((operand, first)) = known_charges {
                    let other = &structures[operand].tilings()[first];
                    check_charges(&sum.names[label], [(&names[operand], other), (&names[factor.operand], tiling)], &finest)?;
                }
                cuts.finest[label] = Some(finest);
            }
        }
        for (axis, (&label, target)) in sum.left.iter().zip(target).enumerate() {
            let (Some((operand, first)), Some((name, tiling))) = (seen[label], target) else { continue };
            let known = cuts.finest[label].as_ref().expect("a label that was seen has a cut");
            let Some(finest) = known.refined(tiling) else {
                let place = |operand: &str, axis, extent| Place { operand: operand.to_string(), axis, extent };
                return Err(Error::new(ErrorKind::Extent {
                    label: sum.names[label].clone(),
                    first: place(name, axis, tiling.extent()),
                    second: place(&names[operand], first, known.extent()),
                }));
            };
            if let Some((operand, axis)) = charged[label] {
                let other = &structures[operand].tilings()[axis];
                check_charges(&sum.names[label], [(name, tiling), (&names[operand], other)], &finest)?;
            }
            cuts.finest[label] = Some(finest);
            cuts.first[label] = Some(tiling.clone());
        }
        match sum.left.iter().find(|&&label| seen[label].is_none()) {
            Some(&label) => Err(Error::new(ErrorKind::Label(format!("no operand has index `{}`", sum.names[label])))),
            None => Ok(cuts),
        }
    }

    /// Whether two labels are cut alike.
    pub(super) fn are_alike(&self, one: usize, other: usize) -> bool {
        self.finest[one] == self.finest[other]
    }

    /// The finest cut of a label that some axis has.
    pub(super) fn finest(&self, label: usize) -> Option<&Tiling> {
        self.finest[label].as_ref()
    }

    /// The cut of a result along a label.
    pub(super) fn result(&self, label: usize) -> &Tiling {
        self.first[label].as_ref().expect("a label of the result was seen")
    }

    /// The parts of the finest cut that a tile of an axis along a label has: for each the number of the part among all.
    pub(super) fn parts(&self, label: usize, tiling: &Tiling, tile: usize) -> Vec<(usize, Part)> {
        let bounds = self.finest[label].as_ref().expect("a label that was seen has a cut").bounds();
        let (begin, end) = (tiling.bounds()[tile], tiling.bounds()[tile + 1]);
        let first = bounds.partition_point(|&bound| bound < begin);
        let part = |n: usize| (n, Part { tile, first: bounds[n] - begin, extent: bounds[n + 1] - bounds[n] });
        (first..bounds.len() - 1).take_while(|&n| bounds[n + 1] <= end).map(part).collect()
    }

    /// The tile of a result that a part of a label lies in.
    pub(super) fn in_result(&self, label: usize, part: usize) -> Part {
        let bounds = self.finest[label].as_ref().expect("a label that was seen has a cut").bounds();
        let (tile, first) = self.result(label).locate(bounds[part]).expect("parts have indices");
        Part { tile, first, extent: bounds[part + 1] - bounds[part] }
    }
}

/// Whether two axes of one label carry the same charges at every index.
fn check_charges(label: &str, axes: [(&String, &Tiling); 2], finest: &Tiling) -> Result<(), Error> {
    let [Some(one), Some(other)] = axes.map(|(_, tiling)| tiling.charges()) else { return Ok(()) };
    let at = |tiling: &Tiling, index: usize| tiling.locate(index).map(|(tile, _)| tile);
    let mut same = one.group() == other.group();
    for &index in &finest.bounds()[..finest.len()] {
        same = same && one.of(at(axes[0].1, index)?) == other.of(at(axes[1].1, index)?);
    }
    if same {
        return Ok(());
    }
    let listed = |tiling: &Tiling| {
        let charges = tiling.charges().expect("both have charges");
        let charge = |tile| charges.of(tile).iter().map(i64::to_string).collect::<Vec<_>>().join("/");
        (0..charges.len()).map(charge).collect::<Vec<_>>().join(", ")
    };
    let [(first, one), (second, other)] = axes;
    let message = format!("index `{label}` carries charges {} in `{first}` but {} in `{second}`", listed(one), listed(other));
    Err(Error::new(ErrorKind::Shape(message)))
}
