//! Checks indices against extents: labels, slices, positions, fused axes and the axes that `..` stands for.

use std::borrow::Cow;

use super::{Index, LabelState, Recorder};
use crate::expr::value::Axis;
use tensorwrapper_core::error::{Error, ErrorKind, Place};

impl Recorder<'_> {
    /// Checks indices against the extents of a tensor.
    pub(super) fn axes(&mut self, extents: &[usize], text: &str, indices: &[Index<'_>]) -> Vec<Axis> {
        let rests = indices.iter().filter(|index| matches!(index, Index::Rest)).count();
        let written = indices.len() - rests;
        if extents.len() < written || rests == 0 && extents.len() != written {
            let kind = ErrorKind::Rank { operand: text.to_string(), rank: extents.len(), given: written };
            self.errors.push(Error::new(kind));
            return Vec::new();
        }
        let indices = self.spell_out(indices, extents.len() - written);
        let mut axes = Vec::with_capacity(indices.len());
        for (axis, (index, &extent)) in indices.into_iter().zip(extents).enumerate() {
            let place = |extent| Place { operand: text.to_string(), axis, extent };
            axes.push(match index {
                Index::Label(label) => {
                    self.meet(label, extent, place);
                    Axis::Label { label, start: 0 }
                }
                Index::Slice(label, start, end) => {
                    let stop = end.unwrap_or(extent);
                    self.errors.extend(Place::range_error(start, end, extent, || place(extent)));
                    self.meet(label, stop.saturating_sub(start), place);
                    Axis::Label { label, start }
                }
                Index::Chip(position) => {
                    self.errors.extend(Place::position_error(position, extent, || place(extent)));
                    Axis::Chip(position)
                }
                Index::Fused(labels) => {
                    self.fused.push((labels.to_vec(), place(extent)));
                    Axis::Fused(labels.to_vec())
                }
                Index::Rest => unreachable!("`..` was spelled out"),
            });
        }
        axes
    }

    /// Indices with labels in the place of `..`, for that many axes: the same labels in every operand, from the right.
    pub(super) fn spell_out<'i>(&mut self, indices: &[Index<'i>], axes: usize) -> Vec<Index<'i>> {
        while self.rest.len() < axes && indices.iter().any(|index| matches!(index, Index::Rest)) {
            let name = match self.rest.len() {
                0 => "the last axis of ..".to_string(),
                behind => format!("the last axis but {behind} of .."),
            };
            self.rest.push(self.labels.len());
            self.labels.push(LabelState { name: Cow::Owned(name), first: None });
        }
        if !indices.iter().any(|index| matches!(index, Index::Rest)) {
            return indices.to_vec();
        }
        let spell = |index: &Index<'i>| match index {
            Index::Rest => self.rest[..axes].iter().rev().map(|&label| Index::Label(label)).collect(),
            other => vec![*other],
        };
        indices.iter().flat_map(spell).collect()
    }

    /// Checks extents of fused axes against those of their labels. If one label of an axis has no extent yet, it gets the
    /// quotient.
    pub(super) fn settle_fused(&mut self) {
        let mut pending = std::mem::take(&mut self.fused);
        loop {
            let before = pending.len();
            pending.retain(|(labels, place)| !self.settle(labels, place));
            if pending.is_empty() || pending.len() == before {
                break;
            }
        }
        for (labels, place) in pending {
            let message = format!("the extents of fused axis {} of `{}` are not known", self.fused_name(&labels), place.operand);
            let help = "give them by `where`: at most one label of a fused axis may be unknown";
            self.errors.push(Error::new(ErrorKind::Shape(message)).with_help(help));
        }
    }

    /// Whether a fused axis has been checked, with or without a fault.
    pub(super) fn settle(&mut self, labels: &[usize], place: &Place) -> bool {
        let known: Option<usize> = labels.iter().filter_map(|&l| self.known(l)).try_fold(1usize, usize::checked_mul);
        let unknown: Vec<usize> = labels.iter().copied().filter(|&l| self.known(l).is_none()).collect();
        let whole = place.extent;
        let fits = match (known, &unknown[..]) {
            (Some(product), []) => product == whole,
            (Some(product), [_]) => product != 0 && whole.is_multiple_of(product),
            (None, _) => false,
            _ => return known == Some(0),
        };
        if !fits {
            let product = match (known, &unknown[..]) {
                (Some(product), []) => product.to_string(),
                (Some(product), _) => format!("{product}·?"),
                (None, _) => "beyond all memory".to_string(),
            };
            let names: Vec<&str> = labels.iter().map(|&l| &*self.labels[l].name).collect();
            let message = tensorwrapper_notation::sentence::fused(&names, product, &place.operand, place.axis, whole);
            self.errors.push(Error::new(ErrorKind::Shape(message)));
        }
        if let (Some(product), [label]) = (known, &unknown[..]) {
            let extent = whole.checked_div(product).unwrap_or(0);
            self.meet(*label, extent, |extent| Place { extent, ..place.clone() });
        }
        true
    }

    /// A label's extent, if it was found.
    pub(crate) fn known(&self, label: usize) -> Option<usize> {
        self.labels[label].first.as_ref().map(|place| place.extent)
    }

    pub(super) fn fused_name(&self, labels: &[usize]) -> String {
        let names: Vec<&str> = labels.iter().map(|&l| &*self.labels[l].name).collect();
        format!("`({})`", names.join(", "))
    }
}
