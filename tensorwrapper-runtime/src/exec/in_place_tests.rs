//! Element-wise work that is written over an operand gives what it gives in memory of its own.

use std::sync::Arc;

use rand::rngs::StdRng;
use rand::seq::IndexedRandom as _;
use rand::{RngExt as _, SeedableRng as _};

use super::plan::Plan;
use super::planner::plan;
use super::tests::run;
use crate::tensor::Tensor;
use tensorwrapper_core::backend::reference::Reference;
use tensorwrapper_core::backend::{Binary, Device, Instruction, Program, Reduction};
use tensorwrapper_core::element::{Dtype, Element as _};
use tensorwrapper_core::graph::{Edge, EdgeAxis, OpGraph, Operation, TensorId};
use tensorwrapper_core::layout::Strided;
use tensorwrapper_core::storage::{Buffer, SliceRef};
use tensorwrapper_cpu::Cpu;

fn planned(device: &dyn Device, graph: &OpGraph) -> Plan {
    let layouts: Vec<Strided> =
        graph.sources().map(|source| Strided::row_major(&graph.tensor(source).extents).unwrap()).collect();
    plan(device, graph.clone(), &layouts).unwrap()
}

/// Sums of tensors that are read as they lie, or with two axes exchanged, and some of them written over in part; some are wanted.
fn block(rng: &mut StdRng) -> OpGraph {
    let (matrices, rows) = (rng.random_range(1..4), rng.random_range(1..7));
    let extents = vec![matrices, rows, rows];
    let mut graph = OpGraph::new();
    let mut known: Vec<TensorId> = (0..2).map(|_| graph.add_source(extents.clone(), Dtype::F64)).collect();
    for _ in 0..8 {
        let read = |rng: &mut StdRng| {
            let labels = if rng.random_bool(0.8) { [0, 1, 2] } else { [0, 2, 1] };
            Edge { conjugate: rng.random_bool(0.2), ..Edge::whole(*known.choose(rng).unwrap(), &labels) }
        };
        if rng.random_bool(0.2) {
            // The first row of each matrix is written over by that of a source.
            let row = |label: usize| EdgeAxis::Label { label, start: 0 };
            let first = vec![row(0), EdgeAxis::Chip(0), row(1)];
            let part = Edge { tensor: known[0], axes: first.clone(), conjugate: false };
            let whole = Edge::whole(*known.choose(rng).unwrap(), &[2, 3, 4]);
            let all = vec![extents[0], extents[1], extents[0], extents[1], extents[1]];
            let made = graph.add_operation(Operation::Write { part: first }, vec![whole, part], &[(&[2, 3, 4], Dtype::F64)], all);
            known.push(made[0]);
            continue;
        }
        let inputs: Vec<Edge> = (0..rng.random_range(1..4)).map(|_| read(rng)).collect();
        let mut instructions: Vec<Instruction> = (0..inputs.len()).map(Instruction::Input).collect();
        instructions.push(Instruction::Constant(rng.random_range(0.1..0.9).into()));
        for n in 1..=inputs.len() {
            let left = if n == 1 { 0 } else { instructions.len() - 1 };
            let operator = *[Binary::Add, Binary::Subtract, Binary::Multiply].choose(rng).unwrap();
            instructions.push(Instruction::Combine(operator, left, n));
        }
        let operation = Operation::Map { program: Program::new(instructions), reduction: Reduction::Sum };
        known.push(graph.add_operation(operation, inputs, &[(&[0, 1, 2], Dtype::F64)], extents.clone())[0]);
    }
    graph.add_sink(*known.last().unwrap());
    if rng.random_bool(0.5) {
        graph.add_sink(known[rng.random_range(2..known.len())]);
    }
    graph.verify().unwrap();
    graph
}

/// Each operation as a graph of its own, in which nothing can be written over.
fn one_by_one(graph: &OpGraph, sources: &[SliceRef<'_>]) -> Vec<Buffer> {
    let mut values: Vec<Option<Buffer>> = graph.tensors().iter().map(|node| node.slot.map(|n| sources[n].to_buffer())).collect();
    for node in graph.operations() {
        let mut alone = OpGraph::new();
        let input = |edge: &Edge| {
            let known = graph.tensor(edge.tensor);
            Edge { tensor: alone.add_source(known.extents.clone(), known.dtype), ..edge.clone() }
        };
        let inputs: Vec<Edge> = node.inputs.iter().map(input).collect();
        let output = &node.outputs[0];
        let made = alone.add_operation(node.operation.clone(), inputs, &[(&output.labels(), Dtype::F64)], node.extents.clone());
        alone.add_sink(made[0]);
        let plan = planned(&Reference, &alone);
        let given: Vec<SliceRef<'_>> = node.inputs.iter().map(|edge| values[edge.tensor.0].as_ref().unwrap().as_ref()).collect();
        values[output.tensor.0] = run(&plan, Arc::new(Reference), &given).pop();
    }
    graph.sinks().iter().map(|sink| values[sink.0].clone().unwrap()).collect()
}

#[test]
fn work_in_place_gives_the_same_results() {
    let mut rng = StdRng::seed_from_u64(17);
    let (mut over, mut written) = (0, 0);
    for case in 0..400 {
        let graph = block(&mut rng);
        let extents = graph.tensor(TensorId(0)).extents.clone();
        let tensors: Vec<Tensor<f64>> =
            (0..2).map(|_| Tensor::from_fn(&extents[..], |_| rng.random_range(-1.0..1.0)).unwrap()).collect();
        let sources: Vec<SliceRef<'_>> = tensors.iter().map(|tensor| tensor.erase().data).collect();
        let expected = one_by_one(&graph, &sources);
        let devices: [Arc<dyn Device>; 3] = [Arc::new(Reference), Arc::new(Cpu::new(Some(1))), Arc::new(Cpu::new(Some(3)))];
        for device in devices {
            let plan = planned(&*device, &graph);
            over += plan.steps.iter().filter(|step| step.in_place.is_some()).count();
            let writes = plan.steps.iter().zip(graph.operations());
            written += writes
                .filter(|(step, node)| matches!(node.operation, Operation::Write { .. }) && step.takes_over.is_some())
                .count();
            let found = run(&plan, Arc::clone(&device), &sources);
            for (found, expected) in found.iter().zip(&expected) {
                let (found, expected) = (f64::typed(found.as_ref()).unwrap(), f64::typed(expected.as_ref()).unwrap());
                let near = found.iter().zip(expected).all(|(a, b)| (a - b).abs() <= 1e-12 * b.abs().max(1.0));
                assert!(near, "case {case} on {device:?}: {found:?} instead of {expected:?}\n{graph:?}");
            }
        }
    }
    assert!(over > 500 && written > 100, "{over} steps were written over operands, {written} parts over tensors");
}
