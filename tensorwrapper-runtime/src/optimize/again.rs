//! Rematerialisation: where memory is limited, intermediates that wait long for a late reader are computed again for it, instead of
//! being kept.
//!
//! Memory is fullest at one operation, the turn. A tensor that is made before it and read after it, but not there, may be dropped: its
//! readers after the turn read a copy, which is computed just before the first of them. What the copy is made of is computed again, too,
//! unless it is kept. Intermediates that cost more operations for a byte are kept first; of the others one after each so many bytes, so
//! that each stretch between two of them is computed again as a whole, once. All combinations are tried, and the one that costs the fewest
//! operations within the limit is taken. If none is within it, the smallest one is the beginning of another round, with a turn of its own.
//!
//! Source: T. Chen, B. Xu, C. Zhang, C. Guestrin, "Training Deep Nets with Sublinear Memory Cost", arXiv:1604.06174 (2016), section 4.

use tensorwrapper_core::graph::{OpGraph, OperationNode, Rewriter, TensorId};

/// The most rounds, and about the most operations of all graphs that a round makes.
const MOST_ROUNDS: usize = 8;
const MOST_OPERATIONS: usize = 400_000;

/// Limits of operations for a byte that are tried, and stretches into which what is dropped is cut.
const LIMITS: usize = 6;
const STRETCHES: [usize; 16] = [1, 2, 3, 4, 5, 6, 8, 10, 12, 16, 20, 24, 32, 48, 64, 96];

/// The graph with intermediates that are computed twice, so that it takes no more bytes than are allowed, or as few as can be; `None` if
/// it takes no more as it is, or cannot take less.
pub(super) fn again(graph: &OpGraph, allowed: f64) -> Option<OpGraph> {
    let mut found: Option<OpGraph> = None;
    for _ in 0..MOST_ROUNDS {
        let now = found.as_ref().unwrap_or(graph);
        let profile = Profile::new(now);
        if profile.peak <= allowed {
            break;
        }
        let Some((peak, smaller)) = smaller(now, &profile, allowed) else { break };
        found = Some(smaller);
        if peak <= allowed {
            break;
        }
    }
    found
}

/// When the tensors of a graph are made and read, and where they take the most memory.
struct Profile {
    /// The first and the last operation at which each tensor is there; nothing for sources, and results are always there.
    alive: Vec<Option<(usize, usize)>>,
    /// The operation that runs when memory is fullest, and the bytes at that time.
    turn: usize,
    peak: f64,
}

impl Profile {
    fn new(graph: &OpGraph) -> Profile {
        let mut alive: Vec<Option<(usize, usize)>> = vec![None; graph.tensors().len()];
        for (n, node) in graph.operations().iter().enumerate() {
            node.outputs.iter().for_each(|edge| alive[edge.tensor.0] = Some((n, n)));
            for edge in &node.inputs {
                alive[edge.tensor.0].iter_mut().for_each(|(_, last)| *last = n);
            }
        }
        let mut results: Vec<TensorId> = graph.sinks().to_vec();
        results.iter().for_each(|sink| alive[sink.0] = None);
        results.sort_unstable();
        results.dedup();
        let mut change = vec![0.0; graph.operations().len() + 1];
        for (tensor, &alive) in alive.iter().enumerate() {
            if let Some((first, last)) = alive {
                let bytes = bytes(graph, TensorId(tensor));
                change[first] += bytes;
                change[last + 1] -= bytes;
            }
        }
        let always: f64 = results.into_iter().map(|tensor| bytes(graph, tensor)).sum();
        let (mut now, mut peak, mut turn) = (always, always, 0);
        for (n, change) in change.into_iter().enumerate() {
            now += change;
            if now > peak {
                (peak, turn) = (now, n);
            }
        }
        Profile { alive, turn, peak }
    }
}

fn bytes(graph: &OpGraph, tensor: TensorId) -> f64 {
    graph.tensor(tensor).bytes() as f64
}

/// Whether the outputs of an operation may be computed twice. A function of the program may say another thing the second time.
fn repeats(node: &OperationNode) -> bool {
    node.outputs.len() == 1 && node.operation.functions() == 0
}

/// A tensor that waits over the turn.
struct Waiting {
    tensor: TensorId,
    bytes: f64,
    /// Operations that it takes to compute it again, for each of its bytes.
    cost: f64,
}

/// The graph that takes the fewest operations within the limit, or the fewest bytes if none is within it, with its bytes. `None` if none
/// takes less than the graph.
fn smaller(graph: &OpGraph, profile: &Profile, allowed: f64) -> Option<(f64, OpGraph)> {
    let waiting = waiting(graph, profile);
    let all: f64 = waiting.iter().map(|one| one.bytes).sum();
    let mut costs: Vec<f64> = waiting.iter().map(|one| one.cost).collect();
    costs.sort_by(f64::total_cmp);
    costs.dedup();
    let limits = LIMITS.min(costs.len());
    let limits = (1..=limits).map(|n| costs[costs.len() * n / limits - 1]);
    let stretches = STRETCHES.iter().take((MOST_OPERATIONS / graph.operations().len().max(1) / LIMITS).max(2));
    let ways = limits.flat_map(|limit| stretches.clone().map(move |&stretches| (limit, all / stretches as f64)));
    let mut best: Option<((f64, f64, f64), f64, OpGraph)> = None;
    for (limit, stretch) in ways {
        let mut since = 0.0;
        let mut is_dropped = vec![false; graph.tensors().len()];
        for one in &waiting {
            since += one.bytes;
            let is_kept = one.cost > limit || since > stretch * (1.0 + 1e-9);
            is_dropped[one.tensor.0] = !is_kept;
            since = if is_kept { 0.0 } else { since };
        }
        let made = without(graph, profile, is_dropped);
        let peak = Profile::new(&made).peak;
        let price = ((peak - allowed).max(0.0), made.cost(), peak);
        if peak < profile.peak && best.as_ref().is_none_or(|(known, ..)| price < *known) {
            best = Some((price, peak, made));
        }
    }
    best.map(|(_, peak, made)| (peak, made))
}

/// The tensors that are made before the turn and read after it, but not there, in the order in which they are made.
fn waiting(graph: &OpGraph, profile: &Profile) -> Vec<Waiting> {
    let at_turn = graph.operations().get(profile.turn);
    let mut costs = vec![0.0; graph.tensors().len()];
    let mut found = Vec::new();
    for (n, node) in graph.operations().iter().enumerate().take(profile.turn) {
        // What is gone by then is computed again, too.
        let is_gone = |tensor: TensorId| profile.alive[tensor.0].is_some_and(|(_, last)| last <= profile.turn);
        let before = node.inputs.iter().filter(|edge| is_gone(edge.tensor)).map(|edge| costs[edge.tensor.0]);
        let cost = node.cost() + before.sum::<f64>();
        node.outputs.iter().for_each(|edge| costs[edge.tensor.0] = cost);
        let [output] = &node.outputs[..] else { continue };
        let tensor = output.tensor;
        let is_read = |node: &OperationNode| node.inputs.iter().any(|edge| edge.tensor == tensor);
        let waits = profile.alive[tensor.0].is_some_and(|(first, last)| first == n && last > profile.turn);
        let bytes = bytes(graph, tensor);
        if waits && repeats(node) && bytes > 0.0 && !at_turn.is_some_and(is_read) {
            found.push(Waiting { tensor, bytes, cost: cost / bytes });
        }
    }
    found
}

/// The graph in which tensors are dropped at the turn, and computed again when they are read next.
fn without(graph: &OpGraph, profile: &Profile, mut is_dropped: Vec<bool>) -> OpGraph {
    // What nothing reads after the turn is gone by then, and would live on for those that are computed again.
    for node in &graph.operations()[..profile.turn] {
        let [output] = &node.outputs[..] else { continue };
        let is_gone = profile.alive[output.tensor.0].is_some_and(|(_, last)| last <= profile.turn);
        is_dropped[output.tensor.0] |= is_gone && repeats(node);
    }
    let mut rewriter = Rewriter::new(graph);
    for (n, node) in graph.operations().iter().enumerate() {
        if n > profile.turn {
            node.inputs.iter().for_each(|edge| compute(&mut rewriter, edge.tensor, &mut is_dropped));
        }
        let made = rewriter.keep(node);
        rewriter.set(node, &made);
    }
    rewriter.finish()
}

/// Computes a tensor again if it was dropped, after all dropped ones that it is made of.
fn compute(rewriter: &mut Rewriter<'_>, tensor: TensorId, is_dropped: &mut [bool]) {
    let graph = rewriter.old();
    let mut open = vec![tensor];
    while let Some(&tensor) = open.last() {
        let producer = graph.tensor(tensor).producer.filter(|_| is_dropped[tensor.0]);
        let Some(node) = producer.map(|producer| graph.operation(producer)) else {
            open.pop();
            continue;
        };
        let before = open.len();
        open.extend(node.inputs.iter().map(|edge| edge.tensor).filter(|input| is_dropped[input.0]));
        if open.len() == before {
            let made = rewriter.keep(node);
            rewriter.set(node, &made);
            is_dropped[tensor.0] = false;
            open.pop();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tensorwrapper_core::backend::{Instruction, Program, Unary};
    use tensorwrapper_core::element::Dtype;
    use tensorwrapper_core::graph::{Edge, Operation};

    const BYTES: f64 = 8.0 * 100.0;

    fn function(graph: &mut OpGraph, inputs: &[TensorId]) -> TensorId {
        let mut program = vec![Instruction::Input(0), Instruction::Apply(Unary::Tanh, 0)];
        if inputs.len() == 2 {
            program.extend([Instruction::Input(1), Instruction::Combine(tensorwrapper_core::backend::Binary::Multiply, 1, 2)]);
        }
        let edges = inputs.iter().map(|&input| Edge::whole(input, &[0])).collect();
        graph.add_operation(Operation::element_wise(Program::new(program)), edges, &[(&[0], Dtype::F64)], vec![100])[0]
    }

    /// `x[n+1] = tanh(x[n])` forth, and `g = tanh(g) * x[n]` back.
    fn forth_and_back(steps: usize) -> OpGraph {
        let mut graph = OpGraph::new();
        let mut all = vec![graph.add_source(vec![100], Dtype::F64)];
        for n in 0..steps {
            let next = function(&mut graph, &[all[n]]);
            all.push(next);
        }
        let mut back = all[steps];
        for &x in all[1..steps].iter().rev() {
            back = function(&mut graph, &[back, x]);
        }
        graph.add_sink(back);
        graph
    }

    #[test]
    fn a_quarter_of_the_memory_takes_the_way_forth_once_more() {
        let graph = forth_and_back(64);
        let whole = Profile::new(&graph).peak;
        assert_eq!(whole, 66.0 * BYTES);
        let made = again(&graph, whole / 4.0).unwrap();
        made.verify().unwrap();
        assert!(Profile::new(&made).peak <= whole / 4.0);
        let more = made.operations().len() - graph.operations().len();
        assert!(more <= 64, "{more}");
    }

    #[test]
    fn what_fits_stays_and_what_never_fits_is_as_small_as_can_be() {
        let graph = forth_and_back(64);
        let whole = Profile::new(&graph).peak;
        assert!(again(&graph, whole).is_none());
        let made = again(&graph, 4.0 * BYTES).unwrap();
        made.verify().unwrap();
        assert!(Profile::new(&made).peak < whole / 4.0);
    }

    #[test]
    fn results_and_what_the_turn_reads_are_not_dropped() {
        let mut graph = OpGraph::new();
        let source = graph.add_source(vec![100], Dtype::F64);
        let first = function(&mut graph, &[source]);
        let second = function(&mut graph, &[first]);
        let last = function(&mut graph, &[second, first]);
        [first, last].into_iter().for_each(|tensor| graph.add_sink(tensor));
        assert!(again(&graph, 1.0).is_none());
    }
}
