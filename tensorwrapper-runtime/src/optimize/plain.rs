//! Splits products of a few different tensors into pairs directly from their labels. The result is the graph that lowering and
//! the passes would build. Most equations are such products, and this plans them quickly.
//!
//! `exec/plain_tests.rs` checks for random products that the graphs are the same. `few.rs` of the crate `tensorwrapper-order`
//! has the orders of so few factors, in tables of exact prices.

use num_complex::Complex;
use tensorwrapper_notation::{Equation, Product};

use super::accumulate::Accumulate;
use super::choices::Choices;
use super::pairwise::Split;
use tensorwrapper_core::element::Dtype;
use tensorwrapper_core::graph::LabelNames;
use tensorwrapper_core::graph::{Edge, OpGraph, Origin};
use tensorwrapper_core::shape::PerAxis;
use tensorwrapper_order::internal::{Few, Labels, usual_of_few};

/// A product whose factors are sources in their order.
#[derive(Debug)]
pub(crate) struct Plain {
    product: Product,
    /// The labels of the result: the first.
    output: Vec<usize>,
    /// What the equation calls all labels, and which of its labels those of the product are.
    names: LabelNames,
    origins: Vec<Origin>,
}

impl Plain {
    /// The equation as such a product, if it is one.
    pub(crate) fn new(equation: &Equation) -> Option<Plain> {
        let product = equation.product(Few::MOST)?;
        let names = LabelNames::new(equation.labels().iter().map(|label| label.name.as_str()));
        let origins = product.labels.iter().map(|label| Origin::of_first(label.0)).collect();
        Some(Plain { output: (0..product.kept).collect(), product, names, origins })
    }

    /// The graph of pairs over sources of these extents; `None` if a pass might change it or the extents do not fit.
    pub(crate) fn pairs<'e>(
        &self,
        choices: &Choices,
        dtype: Dtype,
        sources: impl ExactSizeIterator<Item = &'e [usize]> + Clone,
    ) -> Option<OpGraph> {
        let is_widened = choices.accumulate == Accumulate::Double;
        if is_widened || choices.memory.is_some() || choices.minimize.is_some() || sources.len() != self.product.factors.len() {
            return None;
        }
        let extents = self.extents(sources.clone())?;
        let factors = self.product.factors.iter();
        let few = Few::new(factors.clone().map(Vec::as_slice), 0..self.product.kept, &extents)?;
        let pairs = usual_of_few(&few, &choices.order)?;
        let mut graph = OpGraph::with_capacity(factors.len(), pairs.len());
        graph.add_names(&self.names);
        let inputs = factors.zip(sources).map(|(labels, extents)| {
            let source = graph.add_source(extents.to_vec(), dtype);
            (Edge::whole(source, labels), Labels::from_slice(labels))
        });
        let inputs: Vec<_> = inputs.collect();
        let alpha = Complex::new(1.0, 0.0);
        let split = Split { origins: &self.origins, output: &self.output, extents: &extents, alpha, dtype };
        let made = split.run(&mut graph, inputs.into_iter(), &pairs, Vec::new());
        graph.add_sink(made);
        Some(graph)
    }

    /// The extent of each label; nothing where ranks or extents do not fit.
    fn extents<'e>(&self, sources: impl Iterator<Item = &'e [usize]>) -> Option<PerAxis<usize>> {
        let mut known: PerAxis<Option<usize>> = PerAxis::from_elem(None, self.product.labels.len());
        for (labels, extents) in self.product.factors.iter().zip(sources) {
            if labels.len() != extents.len() {
                return None;
            }
            for (&label, &extent) in labels.iter().zip(extents) {
                if *known[label].get_or_insert(extent) != extent {
                    return None;
                }
            }
        }
        known.into_iter().collect()
    }
}
