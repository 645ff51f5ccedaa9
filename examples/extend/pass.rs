//! A pass: the product of a matrix and its inverse is the identity, so both leave the product that they are factors of.
//!
//! `B[i, l] = A[i, j] * X[j, k] * C[k, l]` with `X = inv(A)` becomes `B[i, l] = C[i, l]`. Where nothing else reads the inverse,
//! it is not computed at all. A singular matrix is then no error, as in any algebra that cancels before it computes.

use tensorwrapper::Error;
use tensorwrapper::graph::{
    Edge, EdgeAxis, Factorisation, Label, OpGraph, Operation, OperationNode, Rewrite, Rewriter, TensorId,
};

/// Removes `A · A⁻¹` and `A⁻¹ · A` from products.
#[derive(Debug)]
pub(crate) struct CancelInverses;

impl Rewrite for CancelInverses {
    fn name(&self) -> &str {
        "cancel inverses"
    }

    fn rewrite(&self, graph: &OpGraph) -> Result<Option<OpGraph>, Error> {
        if !graph.operations().iter().any(|node| cancelled(graph, node).is_some()) {
            return Ok(None);
        }
        // One pair in each product at a time: what is left may hold another.
        let rebuilt = graph.rebuild(|rewriter, _, node| {
            Ok(match cancelled(graph, node) {
                Some(pair) => vec![without(rewriter, node, &pair)],
                None => rewriter.keep(node),
            })
        })?;
        Ok(Some(self.rewrite(&rebuilt)?.unwrap_or(rebuilt)))
    }
}

/// Two factors that cancel, and what becomes of their labels.
struct Pair {
    factors: [usize; 2],
    /// The label that both have and that is summed.
    between: Label,
    /// The label of the other axes that is left, and the one that becomes it.
    kept: Label,
    merged: Label,
}

/// A pair of factors of a product that cancels, if there is one.
fn cancelled(graph: &OpGraph, node: &OperationNode) -> Option<Pair> {
    node.operation.as_product()?;
    let output = node.outputs[0].labels();
    let matrices: Vec<Option<[Label; 2]>> = node.inputs.iter().map(|edge| matrix(graph, node, edge)).collect();
    let pairs = (0..matrices.len()).flat_map(|a| (0..matrices.len()).map(move |b| [a, b]));
    pairs.filter(|[a, b]| a != b).find_map(|[a, b]| {
        let ([i, between], [same, k]) = (matrices[a]?, matrices[b]?);
        let others = || (0..node.inputs.len()).filter(move |n| ![a, b].contains(n)).flat_map(|n| node.inputs[n].labels());
        let is_inner = same == between && i != k && !output.contains(&between) && others().all(|label| label != between);
        let [x, y] = [a, b].map(|n| node.inputs[n].tensor);
        if !is_inner || !(is_inverse(graph, x, y) || is_inverse(graph, y, x)) {
            return None;
        }
        // The identity says that two labels are one. It goes where at most one of them is wanted and another factor has it.
        let (kept, merged) = if output.contains(&k) { (k, i) } else { (i, k) };
        let is_read = others().any(|label| label == i || label == k);
        (is_read && !output.contains(&merged)).then_some(Pair { factors: [a, b], between, kept, merged })
    })
}

/// The labels of an edge that reads all of a matrix as it is.
fn matrix(graph: &OpGraph, node: &OperationNode, edge: &Edge) -> Option<[Label; 2]> {
    let labels = <[Label; 2]>::try_from(edge.labels()).ok()?;
    edge.is_whole(&graph.tensor(edge.tensor).extents, &node.extents).then_some(labels)
}

/// Whether a tensor is computed as the inverse of another one.
fn is_inverse(graph: &OpGraph, inverse: TensorId, tensor: TensorId) -> bool {
    let Some(producer) = graph.tensor(inverse).producer else { return false };
    let node = graph.operation(producer);
    let Some(call) = node.operation.as_factorise() else { return false };
    // Without a batch, its labels are those of the rows, then those of the columns.
    call.kind == Factorisation::Inv && node.inputs[0] == Edge::whole(tensor, &[0, 1])
}

/// The product without a pair of its factors.
fn without(rewriter: &mut Rewriter<'_>, node: &OperationNode, pair: &Pair) -> TensorId {
    // The labels that are left, in new numbers.
    let left: Vec<Label> = (0..node.extents.len()).filter(|label| ![pair.between, pair.merged].contains(label)).collect();
    let number = |label: Label| {
        let label = if label == pair.merged { pair.kept } else { label };
        left.iter().position(|&known| known == label).expect("only the pair has the labels that go")
    };
    let factors = node.inputs.iter().enumerate().filter(|(n, _)| !pair.factors.contains(n));
    let inputs: Vec<Edge> = factors.map(|(_, edge)| rewriter.read(edge).relabelled(number)).collect();
    let output = &node.outputs[0];
    let axes: Vec<Label> = output.axes.iter().filter_map(EdgeAxis::label).map(number).collect();
    let dtype = rewriter.old().tensor(output.tensor).dtype;
    let extents = left.iter().map(|&label| node.extents[label]).collect();
    let product = Operation::product(node.operation.as_product().expect("a product was found"));
    rewriter.graph_mut().add_operation(product, inputs, &[(&axes, dtype)], extents)[0]
}
