//! One program for each element of integers that are read as they lie.

use smallvec::SmallVec;

use super::map::{CHUNK, Registers};
use super::reader::{Input, Reader};
use super::{bounds, largest};
use crate::exec::plan::Access;
use crate::expr::{ExactIntegers, Numbers};
use tensorwrapper_core::backend::Program;
use tensorwrapper_core::error::Error;
use tensorwrapper_core::graph::{Label, OpGraph, Operation, OperationNode};
use tensorwrapper_core::layout::Strided;
use tensorwrapper_core::storage::Owned;
use tensorwrapper_core::stored::IntegersRef;

/// The integers of a source as they lie, if they are in memory so.
pub(super) type AsTheyLie<'f> = Option<(IntegersRef<'f>, &'f Strided)>;

/// The result of a graph that is one element-wise program over integers as they lie; nothing of any other graph.
///
/// # Errors
/// Memory, and what integers do not have.
pub(super) fn evaluate<'f>(graph: &OpGraph, sources: &dyn Fn(usize) -> AsTheyLie<'f>) -> Result<Option<ExactIntegers>, Error> {
    let Some((node, program)) = program(graph) else { return Ok(None) };
    let labels = node.outputs[0].labels();
    let Some(inputs) = inputs(graph, node, &labels, sources)? else { return Ok(None) };
    let extents: Vec<usize> = labels.iter().map(|&label| node.extents[label]).collect();
    let numbers = each(program, &inputs, extents.iter().product())?;
    Ok(Some(ExactIntegers { extents, numbers }))
}

/// The one element-wise program of a graph that is nothing else and reduces nothing.
pub(super) fn program(graph: &OpGraph) -> Option<(&OperationNode, &Program)> {
    let ([node], [_]) = (graph.operations(), graph.sinks()) else { return None };
    let Operation::Map { program, .. } = &node.operation else { return None };
    (node.outputs[0].labels().len() == node.extents.len()).then_some((node, program))
}

/// A program for so many elements. Some at a time are computed in 32 bits if these hold everything that they lead to, and else in 64.
fn each(program: &Program, inputs: &[Input<'_>], total: usize) -> Result<Numbers, Error> {
    let is_wide = inputs.iter().any(|input| matches!(input.numbers, IntegersRef::I64(_)));
    let mut results = if is_wide { Numbers::I64(Owned::with_room(total)?) } else { Numbers::I32(Owned::with_room(total)?) };
    let mut readers: Vec<Reader<'_>> = inputs.iter().map(|input| Reader::new(input, CHUNK.min(total))).collect();
    let (mut narrow, mut wide) = (Registers::<i32>::new(total), Registers::<i64>::new(total));
    for start in (0..total).step_by(CHUNK) {
        let len = CHUNK.min(total - start);
        let inputs: SmallVec<[IntegersRef<'_>; 8]> = readers.iter_mut().map(|reader| reader.next(len)).collect();
        let bounds: SmallVec<[f64; 8]> = inputs.iter().map(|&numbers| largest::of_integers(numbers)).collect();
        let fits = bounds::largest(program, &bounds).is_some_and(|most| most <= f64::from(i32::MAX));
        match fits {
            true => {
                let made = narrow.run(program, &inputs, len)?;
                match &mut results {
                    Numbers::I32(results) => results.extend(made.iter().copied()),
                    Numbers::I64(results) => results.extend(made.iter().map(|&number| number.into())),
                }
            }
            false => {
                let made = wide.run(program, &inputs, len)?;
                widened(&mut results, total)?.extend(made.iter().copied());
            }
        }
    }
    Ok(results)
}

/// Results in 64 bits, those that are there already among them.
fn widened(results: &mut Numbers, total: usize) -> Result<&mut Owned<i64>, Error> {
    if let Numbers::I32(narrow) = results {
        let mut wide = Owned::with_room(total)?;
        wide.extend(narrow.iter().map(|&number| i64::from(number)));
        *results = Numbers::I64(wide);
    }
    match results {
        Numbers::I64(wide) => Ok(wide),
        Numbers::I32(_) => unreachable!("they have 64 bits now"),
    }
}

/// What the program reads, unless some of it is no integers of the program or of a result.
fn inputs<'s>(
    graph: &OpGraph,
    node: &OperationNode,
    labels: &[Label],
    sources: &dyn Fn(usize) -> AsTheyLie<'s>,
) -> Result<Option<Vec<Input<'s>>>, Error> {
    let mut inputs = Vec::with_capacity(node.inputs.len());
    for edge in &node.inputs {
        let slot = graph.tensor(edge.tensor).slot;
        let Some((numbers, layout)) = slot.and_then(sources) else { return Ok(None) };
        inputs.push(Input { numbers, layout: Access::of(edge, labels, &node.extents, layout)?.layout });
    }
    Ok(Some(inputs))
}

#[cfg(test)]
mod tests {
    use super::*;
    use tensorwrapper_core::backend::{Binary, Instruction, Reduction};
    use tensorwrapper_core::element::Dtype;
    use tensorwrapper_core::graph::Edge;

    /// `2 a + a·a` of integers.
    fn computed(numbers: IntegersRef<'_>, len: usize) -> Numbers {
        let program = Program::new(vec![
            Instruction::Input(0),
            Instruction::Combine(Binary::Add, 0, 0),
            Instruction::Combine(Binary::Multiply, 0, 0),
            Instruction::Combine(Binary::Add, 1, 2),
        ]);
        let mut graph = OpGraph::new();
        let source = Edge::whole(graph.add_source(vec![len], Dtype::F64), &[0]);
        let operation = Operation::Map { program, reduction: Reduction::Sum };
        let made = graph.add_operation(operation, vec![source], &[(&[0], Dtype::F64)], vec![len]);
        graph.add_sink(made[0]);
        let layout = Strided::row_major(&[len]).unwrap();
        evaluate(&graph, &|_| Some((numbers, &layout))).unwrap().unwrap().numbers
    }

    #[test]
    fn constants_and_inputs_that_are_results_are_those_of_every_chunk() {
        let constant = |number: f64| Instruction::Constant(number.into());
        let affine = [
            Instruction::Input(0),
            constant(3.0),
            constant(5.0),
            Instruction::Combine(Binary::Multiply, 0, 1),
            Instruction::Combine(Binary::Add, 3, 2),
        ];
        let mut numbers = vec![7; 3 * CHUNK + 5];
        // The second chunk alone needs 64 bits.
        numbers[CHUNK + 1] = i32::MAX;
        let layout = Strided::row_major(&[numbers.len()]).unwrap();
        let input = || [Input { numbers: IntegersRef::I32(&numbers), layout: layout.clone() }];
        let Numbers::I64(found) = each(&Program::new(affine.to_vec()), &input(), numbers.len()).unwrap() else {
            panic!("64 bits")
        };
        assert_eq!(found.to_vec(), numbers.iter().map(|&number| 3 * i64::from(number) + 5).collect::<Vec<i64>>());
        let same = Program::new(vec![constant(1.0), Instruction::Input(0)]);
        let Numbers::I32(found) = each(&same, &input(), numbers.len()).unwrap() else { panic!("32 bits") };
        assert_eq!(found.to_vec(), numbers);
    }

    #[test]
    fn bits_follow_from_what_some_elements_lead_to() {
        // 46 339² + 2 · 46 339 is the largest such number of 32 bits.
        for (large, bits) in [(46_339, 32), (46_340, 64), (i32::MIN, 64)] {
            let mut numbers = vec![7; 3 * CHUNK + 5];
            numbers[2 * CHUNK + 1] = large;
            let expected = |&a: &i32| 2 * i64::from(a) + i64::from(a) * i64::from(a);
            let expected: Vec<i64> = numbers.iter().map(expected).collect();
            match computed(IntegersRef::I32(&numbers), numbers.len()) {
                Numbers::I32(found) => {
                    assert_eq!((bits, found.iter().map(|&x| i64::from(x)).collect::<Vec<_>>()), (32, expected));
                }
                Numbers::I64(found) => assert_eq!((bits, found.to_vec()), (64, expected)),
            }
        }
        let wide = [i64::MAX, 3, -4];
        let Numbers::I64(found) = computed(IntegersRef::I64(&wide), 3) else { panic!("they have 64 bits") };
        assert_eq!(found.to_vec(), wide.map(|a| a.wrapping_mul(2).wrapping_add(a.wrapping_mul(a))));
        let Numbers::I32(found) = computed(IntegersRef::U8(&[255, 0]), 2) else { panic!("they have 32 bits") };
        assert_eq!(found.to_vec(), [510 + 255 * 255, 0]);
    }
}
