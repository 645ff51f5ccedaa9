//! Plans products that are computed in parts: the positions of the parts in their operands and in their result.
//!
//! Parts differ only in the positions at which the body's sources and its result begin.
//!
//! The body is planned once. Each part is written to its place in the result, or the parts are added up.

use crate::exec::plan::{Access, PartStart, Plan, SlicedProduct};
use tensorwrapper_core::error::Error;
use tensorwrapper_core::graph::{Edge, Label, OperationNode};
use tensorwrapper_core::layout::Strided;

/// Plans a product that is computed in parts. `plan` plans the body for the given layouts of its sources and its result.
///
/// # Errors
/// What planning the body reports, and parts larger than memory can address.
pub(super) fn in_parts(
    node: &OperationNode,
    parts: &[(Label, usize)],
    layouts: &[Strided],
    plan: impl FnOnce(&[Strided], &Strided) -> Result<Plan, Error>,
) -> Result<SlicedProduct, Error> {
    let mut extents = node.extents.clone();
    parts.iter().for_each(|&(label, length)| extents[label] = length);
    // How an edge's tensor lies in a part, and where the parts begin.
    let lies = |edge: &Edge| -> Result<(Strided, PartStart), Error> {
        let labels = edge.labels();
        let part = Access::new(edge, &labels, &extents, layouts)?.layout;
        let whole = Access::new(edge, &labels, &node.extents, layouts)?.layout;
        let step = |&(label, length): &(Label, usize)| {
            let stride = labels.iter().position(|&l| l == label).map_or(0, |axis| whole.strides()[axis]);
            stride * length as isize
        };
        let begin = PartStart { first: part.start(), steps: parts.iter().map(step).collect() };
        Ok((part.rebased(), begin))
    };
    let (mut sources, mut inputs) = (Vec::new(), Vec::new());
    for edge in &node.inputs {
        let (layout, begin) = lies(edge)?;
        sources.push(layout);
        inputs.push((edge.tensor, begin));
    }
    let (target, output) = lies(&node.outputs[0])?;
    let kept = node.outputs[0].labels();
    let adds = parts.iter().any(|(label, _)| !kept.contains(label));
    let own = if adds { Strided::row_major(target.extents())? } else { target.clone() };
    let body = plan(&sources, &own)?;
    let counts = parts.iter().map(|&(label, length)| node.extents[label] / length).collect();
    Ok(SlicedProduct { body, counts, inputs, output, added: adds.then_some([own, target]) })
}
