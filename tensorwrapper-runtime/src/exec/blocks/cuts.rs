//! How the labels of an equation are cut: wherever one of the axes that run with them is.
//!
//! Knows nothing of which blocks are there.

use smallvec::SmallVec;
use tensorwrapper_core::error::{Error, ErrorKind, Place};
use tensorwrapper_core::shape::Tiling;

use super::tensors::Tensors;
use super::terms::{Factor, Sum, Within};

/// A part of a tile: which tile, where the part begins in it, and how many indices it has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct Part {
    pub(super) tile: usize,
    pub(super) first: usize,
    pub(super) extent: usize,
}

/// A number for each of some labels. There are very many of these lists, most of few labels, so that those have no memory of their own.
pub(super) type PerLabel = SmallVec<[usize; 6]>;
/// The number of the part of each of some labels.
pub(super) type Parts = PerLabel;

/// How the result of an equation is to be cut along each axis, where that is said, and what says so.
pub(super) type Aim<'a> = &'a [Option<(String, Tiling)>];

/// The cut of each label, and of the result.
#[derive(Clone, Debug)]
pub(super) struct Cuts {
    /// The cut of each label that some axis has: wherever one of its axes is cut.
    finest: Vec<Option<Tiling>>,
    /// The cut that a result has along each label: that of the first axis.
    first: Vec<Option<Tiling>>,
    /// The labels on whose index the extent of a label depends, where its axes are ragged.
    ragged: Vec<Option<Vec<usize>>>,
    /// Whether rows along a label are known to have different extents.
    varies: Vec<bool>,
    /// The indices that are read of one label, where it is not all.
    within: Option<Within>,
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
        let mut cuts = Cuts {
            finest: vec![None; labels],
            first: vec![None; labels],
            ragged: vec![None; labels],
            varies: vec![false; labels],
            within: sum.within.clone(),
        };
        let mut seen: Vec<Option<(usize, usize)>> = vec![None; labels];
        let (mut rows, mut smooth) = (seen.clone(), seen.clone());
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
                match structure.ragged_by(axis) {
                    Some(by) => cuts.ragged[label].get_or_insert_default().extend(by.iter().map(|&axis| factor.labels[axis])),
                    None => _ = smooth[label].get_or_insert((factor.operand, axis)),
                }
                if structure.has_unequal_rows(axis)? {
                    cuts.varies[label] = true;
                    rows[label].get_or_insert((factor.operand, axis));
                }
                if let (Some(ragged), Some(smooth)) = (rows[label], smooth[label]) {
                    return Err(ragged_against_smooth((sum, label), tensors, ragged, smooth));
                }
                let Some((operand, first)) = seen[label] else {
                    seen[label] = Some((factor.operand, axis));
                    // Tiles without indices are no parts.
                    let parts = tiling.clone().uncharged();
                    (cuts.finest[label], cuts.first[label]) = (parts.refined(&parts), Some(tiling.clone()));
                    continue;
                };
                let known = cuts.finest[label].as_ref().expect("a label that was seen has a cut");
                // Of rows that have extents of their own, a sum has the common part.
                cuts.varies[label] |= known.extent() != tiling.extent();
                let extent = if smooth[label].is_none() { known.extent().max(tiling.extent()) } else { 0 };
                let refined = extended(known, extent).refined(&extended(tiling, extent));
                let Some(finest) = refined else {
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
        smooth.iter().zip(&mut cuts.ragged).filter(|(smooth, _)| smooth.is_some()).for_each(|(_, ragged)| *ragged = None);
        cuts.cut_rows();
        cuts.cut_within();
        for (axis, (&label, target)) in sum.left.iter().zip(target).enumerate() {
            let (Some((operand, first)), Some((name, tiling))) = (seen[label], target) else { continue };
            let known = cuts.finest[label].as_ref().expect("a label that was seen has a cut");
            let longer;
            let known = match cuts.ragged[label].is_some() && known.extent() < tiling.extent() {
                true => {
                    longer = extended(known, tiling.extent());
                    &longer
                }
                false => known,
            };
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

    /// Rows are cut where they end, and from each other where their extents differ.
    fn cut_rows(&mut self) {
        for label in 0..self.ragged.len() {
            let Some(by) = &mut self.ragged[label] else { continue };
            by.sort_unstable();
            by.dedup();
            for &label in [label].iter().chain(&*by) {
                let (Some(first), Some(finest)) = (&mut self.first[label], &self.finest[label]) else { continue };
                if !first.same_cuts(finest) {
                    *first = finest.clone();
                }
            }
        }
    }

    /// The label of which some indices alone are read is cut where these begin and end.
    fn cut_within(&mut self) {
        let Some(Within { label, indices }) = &self.within else { return };
        let cut = |tiling: &mut Tiling| {
            let ends = [indices.start, indices.len(), tiling.extent() - indices.end];
            if let Some(refined) = tiling.refined(&Tiling::cuts(ends)).filter(|refined| !refined.same_cuts(tiling)) {
                *tiling = refined;
            }
        };
        self.finest[*label].iter_mut().chain(&mut self.first[*label]).for_each(cut);
    }

    /// The labels on whose index the extent of a label depends, if it is ragged.
    pub(super) fn ragged_by(&self, label: usize) -> Option<&[usize]> {
        self.ragged[label].as_deref()
    }

    /// Whether rows along a label are known to have different extents.
    pub(super) fn varies(&self, label: usize) -> bool {
        self.varies[label] && self.ragged[label].is_some()
    }

    /// Which axes of a tensor with these labels are ragged, and by which of its axes.
    pub(super) fn ragged(&self, labels: &[usize]) -> Vec<(usize, Vec<usize>)> {
        let axes = |by: &[usize]| by.iter().filter_map(|by| labels.iter().position(|label| label == by)).collect();
        let of = |(axis, &label): (usize, &usize)| self.ragged_by(label).map(|by| (axis, axes(by)));
        labels.iter().enumerate().filter_map(of).collect()
    }

    /// Cuts a result along two labels of equal extents wherever it is cut along one of them.
    pub(super) fn cut_alike(&mut self, one: usize, other: usize) {
        let Some(both) = self.result(one).refined(self.result(other)) else { return };
        for label in [one, other] {
            if !self.result(label).same_cuts(&both) {
                self.finest[label] = self.finest[label].as_ref().and_then(|finest| finest.refined(&both));
                self.first[label] = Some(both.clone());
            }
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

    /// The parts of the finest cut that a tile of an axis along a label has and that are read: for each the number of the part among all.
    pub(super) fn parts(&self, label: usize, tiling: &Tiling, tile: usize) -> Vec<(usize, Part)> {
        let bounds = self.finest[label].as_ref().expect("a label that was seen has a cut").bounds();
        let (begin, end) = (tiling.bounds()[tile], tiling.bounds()[tile + 1]);
        let first = bounds.partition_point(|&bound| bound < begin);
        let part = |n: usize| (n, Part { tile, first: bounds[n] - begin, extent: bounds[n + 1] - bounds[n] });
        let within = self.within.as_ref().filter(|within| within.label == label);
        let is_read = |n: &usize| within.is_none_or(|within| within.indices.contains(&bounds[*n]));
        (first..bounds.len() - 1).take_while(|&n| bounds[n + 1] <= end).filter(is_read).map(part).collect()
    }

    /// The tile of a result that a part of a label lies in.
    pub(super) fn in_result(&self, label: usize, part: usize) -> Part {
        let bounds = self.finest[label].as_ref().expect("a label that was seen has a cut").bounds();
        let (tile, first) = self.result(label).locate(bounds[part]).expect("parts have indices");
        Part { tile, first, extent: bounds[part + 1] - bounds[part] }
    }
}

/// An axis with a further tile at its end, if it is shorter.
fn extended(tiling: &Tiling, extent: usize) -> Tiling {
    match extent.checked_sub(tiling.extent()) {
        None | Some(0) => tiling.clone(),
        Some(more) => Tiling::cuts(tiling.extents().chain([more])),
    }
}

/// Rows of which messages tell the extents.
const MOST_TOLD: usize = 64;

/// That a label runs with a ragged axis and with one that is not.
fn ragged_against_smooth(
    (sum, label): (&Sum, usize),
    tensors: &Tensors,
    ragged: (usize, usize),
    smooth: (usize, usize),
) -> Error {
    let structure = &tensors.structures[ragged.0];
    let factors = sum.terms.iter().flat_map(|term| &term.factors);
    let mut own = factors.filter(|factor| factor.operand == ragged.0 && factor.labels.get(ragged.1) == Some(&label));
    let by = structure.ragged_by(ragged.1).unwrap_or_default();
    let names =
        own.next().map(|factor| by.iter().map(|&axis| format!("`{}`", sum.names[factor.labels[axis]])).collect::<Vec<_>>());
    let extents = structure.row_extents(ragged.1).unwrap_or_default();
    let mut listed: Vec<String> = extents.iter().take(MOST_TOLD).map(usize::to_string).collect();
    listed.extend((extents.len() > MOST_TOLD).then(|| "…".to_string()));
    let message = format!(
        "index `{}` has extents {} in `{}`, one for each {}, but extent {} in `{}`",
        sum.names[label],
        listed.join(", "),
        tensors.names[ragged.0],
        names.unwrap_or_default().join(", "),
        tensors.structures[smooth.0].tilings()[smooth.1].extent(),
        tensors.names[smooth.0],
    );
    Error::new(ErrorKind::Shape(message))
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
