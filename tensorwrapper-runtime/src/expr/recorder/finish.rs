//! Ends an equation: returns its value with the requested axes, or all faults that were found.

use tensorwrapper_notation::sentence::counted;
use tensorwrapper_notation::syntax::Operator;

use super::{Index, Node, Recorder, Target, Write};
use crate::expr::value::{Axis, Source, Tree, Value};
use crate::link::Link;
use tensorwrapper_core::error::{Error, ErrorKind};
use tensorwrapper_core::graph::LabelNames;

impl Recorder<'_> {
    pub(super) fn extent(&self, label: usize) -> usize {
        self.known(label).unwrap_or(0)
    }

    pub(super) fn extents(&self, labels: &[usize]) -> Vec<usize> {
        labels.iter().map(|&l| self.extent(l)).collect()
    }

    pub(super) fn names(&self) -> LabelNames {
        LabelNames::new(self.labels.iter().map(|label| &*label.name))
    }

    /// An equation's value with these labels as its axes, each once.
    pub(super) fn plain<'a>(&self, node: Node<'a>, axes: Vec<usize>) -> Link<Value<'a>> {
        let extents = (0..self.labels.len()).map(|l| self.extent(l)).collect();
        Link::new(Value {
            extents: self.extents(&axes),
            dtype: self.dtype,
            source: Source::Equation { tree: node.0, extents, axes, names: self.names() },
        })
    }

    /// An equation's value with these axes; a label written twice fills a diagonal of zeros, fused ones are one axis.
    pub(super) fn value<'a>(&self, node: Node<'a>, axes: &[Index<'_>]) -> Link<Value<'a>> {
        let labels: Vec<usize> = axes.iter().flat_map(Index::labels).copied().collect();
        let mut distinct: Vec<usize> = Vec::new();
        labels.iter().for_each(|label| {
            if !distinct.contains(label) {
                distinct.push(*label)
            }
        });
        let value = self.plain(node, distinct.clone());
        if axes.iter().any(|axis| matches!(axis, Index::Fused(_))) {
            let extents = axes.iter().map(|axis| product(&self.extents(axis.labels()))).collect();
            return Link::new(Value { extents, dtype: self.dtype, source: Source::Reshaped(value) });
        }
        if distinct.len() == labels.len() {
            return value;
        }
        let place = |label| Axis::Label {
            label: distinct.iter().position(|d| d == label).expect("every label is among the distinct"),
            start: 0,
        };
        let source = Source::Written { base: None, axes: labels.iter().map(place).collect(), part: value };
        Link::new(Value { extents: self.extents(&labels), dtype: self.dtype, source })
    }

    /// The extents and names of the labels, once all operands are there; `None` if there are faults.
    pub(crate) fn labels(&mut self) -> Option<(Vec<usize>, LabelNames)> {
        self.settle_fused();
        self.errors.is_empty().then(|| ((0..self.labels.len()).map(|l| self.extent(l)).collect(), self.names()))
    }

    /// Ends the equation, a sum of so many terms: its value with these axes.
    ///
    /// # Errors
    /// Every fault that was found.
    pub(crate) fn finish_value<'a>(mut self, node: Node<'a>, terms: usize, axes: &[Index<'_>]) -> Result<Link<Value<'a>>, Error> {
        self.terms_have_rest(&node.0, terms);
        let axes = self.settled(axes)?;
        Ok(self.value(node, &axes))
    }

    /// Checks that every term has as many axes in `..` as the result, because `..` does not broadcast. Within a product these
    /// axes are matched from the right, and an addend in parentheses is constant along those that it lacks.
    fn terms_have_rest(&mut self, sum: &Tree<'_>, terms: usize) {
        if self.rest.is_empty() {
            return;
        }
        let mut sum = sum;
        for _ in 1..terms {
            let Tree::Binary(Operator::Add | Operator::Subtract, before, last) = sum else {
                unreachable!("several terms are a sum, grouped from the left");
            };
            self.term_has_rest(last);
            sum = before;
        }
        self.term_has_rest(sum);
    }

    fn term_has_rest(&mut self, term: &Tree<'_>) {
        let mut labels = Vec::new();
        term.labels(&mut labels);
        let found = self.rest.iter().filter(|label| labels.contains(label)).count();
        if found < self.rest.len() {
            let message =
                format!("`..` stands for {} in one term, but for {} in the result", counted(found, "axis"), self.rest.len());
            self.errors.push(Error::new(ErrorKind::Shape(message)));
        }
    }

    /// The axes with `..` spelled out, when nothing is wrong with the equation.
    pub(super) fn settled<'i>(&mut self, axes: &[Index<'i>]) -> Result<Vec<Index<'i>>, Error> {
        self.settle_fused();
        match self.errors.is_empty() {
            true => Ok(self.spell_out(axes, self.rest.len())),
            false => Err(Error::all(std::mem::take(&mut self.errors))),
        }
    }

    /// Ends an equation of so many terms that writes a part of a tensor: the part, and the whole tensor after the write.
    ///
    /// # Errors
    /// Every fault that was found.
    pub(crate) fn finish_write<'a>(
        mut self,
        node: Node<'a>,
        terms: usize,
        axes: &[Index<'_>],
        place: Node<'a>,
    ) -> Result<Write<'a>, Error> {
        let Tree::Operand(base, selection) = place.0 else {
            unreachable!("the place that is written is an operand");
        };
        self.terms_have_rest(&node.0, terms);
        let axes: Vec<usize> = self.settled(axes)?.iter().flat_map(Index::labels).copied().collect();
        let (part, selection) = match selection.iter().any(|axis| matches!(axis, Axis::Fused(_))) {
            true => self.part_with_fused_axes(node, &selection),
            false => (self.plain(node, axes.clone()), numbered(selection, &axes)),
        };
        let whole = base.extents.clone();
        let is_whole = part.extents == base.extents
            && selection.iter().enumerate().all(|(n, axis)| *axis == Axis::Label { label: n, start: 0 });
        let after = if is_whole {
            Link::clone(&part)
        } else {
            let (extents, dtype) = (base.extents.clone(), base.dtype);
            let source = Source::Written { base: Some(base), axes: selection.clone(), part: Link::clone(&part) };
            Link::new(Value { extents, dtype, source })
        };
        Ok(Write { after, part, target: Target { selection, whole } })
    }

    /// The part of a tensor that is written through fused axes, and the tensor's axes in terms of those of the part. The part
    /// has one axis for each axis of the tensor that has labels, in order. No label occurs twice beside a fused axis.
    fn part_with_fused_axes<'a>(&self, node: Node<'a>, selection: &[Axis]) -> (Link<Value<'a>>, Vec<Axis>) {
        let (mut labels, mut extents, mut places) = (Vec::new(), Vec::new(), Vec::new());
        for axis in selection {
            if let Axis::Chip(position) = axis {
                places.push(Axis::Chip(*position));
                continue;
            }
            let own = axis.labels();
            let start = if let Axis::Label { start, .. } = axis { *start } else { 0 };
            places.push(Axis::Label { label: extents.len(), start });
            extents.push(product(&self.extents(own)));
            labels.extend(own);
        }
        let source = Source::Reshaped(self.plain(node, labels));
        (Link::new(Value { extents, dtype: self.dtype, source }), places)
    }
}

/// A selection in the labels of an equation, by the axes of its part.
fn numbered(selection: Vec<Axis>, axes: &[usize]) -> Vec<Axis> {
    let position = |label: usize| axes.iter().position(|&a| a == label).expect("every label of the place is an axis of the part");
    let numbered = |axis| match axis {
        Axis::Label { label, start } => Axis::Label { label: position(label), start },
        other => other,
    };
    selection.into_iter().map(numbered).collect()
}

/// A product of extents. It saturates, so a product too large for any memory is refused when memory is requested.
pub(super) fn product(extents: &[usize]) -> usize {
    if extents.contains(&0) { 0 } else { extents.iter().fold(1, |all, &extent| all.saturating_mul(extent)) }
}
