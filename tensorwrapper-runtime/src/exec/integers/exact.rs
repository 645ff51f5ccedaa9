//! Graphs over integers in 64 bits that wrap around, one operation after the other.

use num_complex::Complex;

use super::product::{Labelled, contract};
use crate::exec::plan::Access;
use crate::expr::ExactIntegers;
use crate::tensor::in_c_order;
use tensorwrapper_core::backend::{Binary, Comparison, Instruction, Program, Reduction, Unary};
use tensorwrapper_core::error::{Error, ErrorKind};
use tensorwrapper_core::graph::{Edge, EdgeAxis, Label, OpGraph, Operation, OperationNode, TensorId};
use tensorwrapper_core::layout::{Positions, Strided};
use tensorwrapper_core::storage::Owned;

/// Elements that an instruction is computed for at a time.
const CHUNK: usize = 512;

/// The wanted tensors of a graph over these sources.
///
/// # Errors
/// Memory, reductions over nothing, and operations that integers do not have.
pub(super) fn evaluate(graph: &OpGraph, given: &[Owned<i64>]) -> Result<Vec<ExactIntegers>, Error> {
    let mut made: Vec<Option<Owned<i64>>> = graph.tensors().iter().map(|_| None).collect();
    let layouts = graph.tensors().iter().map(|tensor| Strided::row_major(&tensor.extents));
    let layouts: Vec<Strided> = layouts.collect::<Result<_, _>>()?;
    for node in graph.operations() {
        let tensors = Tensors { graph, given, made: &made, layouts: &layouts };
        let output = node.outputs[0].tensor;
        made[output.0] = Some(tensors.compute(node)?);
    }
    let tensors = Tensors { graph, given, made: &made, layouts: &layouts };
    let wanted = |sink| {
        let mut numbers = Owned::with_room(tensors.numbers(sink).len())?;
        numbers.extend(tensors.numbers(sink).iter().copied());
        Ok(ExactIntegers { extents: graph.tensor(sink).extents.clone(), numbers })
    };
    graph.sinks().iter().map(|&sink| wanted(sink)).collect()
}

/// What has been computed.
struct Tensors<'t> {
    graph: &'t OpGraph,
    given: &'t [Owned<i64>],
    made: &'t [Option<Owned<i64>>],
    /// All tensors are in C order.
    layouts: &'t [Strided],
}

impl Tensors<'_> {
    fn numbers(&self, tensor: TensorId) -> &[i64] {
        match (self.graph.tensor(tensor).slot, &self.made[tensor.0]) {
            (Some(slot), _) => &self.given[slot],
            (None, Some(numbers)) => numbers,
            (None, None) => unreachable!("operations stand in an order in which they can run"),
        }
    }

    /// Where an edge finds the elements of a tensor for indices of these labels.
    fn layout(&self, edge: &Edge, labels: &[Label], extents: &[usize]) -> Result<Strided, Error> {
        Ok(Access::new(edge, labels, extents, self.layouts)?.layout)
    }

    /// The elements that an edge reads, their axes in the order of its labels.
    fn labelled(&self, edge: &Edge, extents: &[usize]) -> Result<Labelled, Error> {
        let labels = edge.labels();
        let layout = self.layout(edge, &labels, extents)?;
        Ok(Labelled { numbers: in_c_order(self.numbers(edge.tensor), &layout)?, labels })
    }

    fn compute(&self, node: &OperationNode) -> Result<Owned<i64>, Error> {
        let kept = node.outputs[0].labels();
        match &node.operation {
            Operation::Contract { alpha, then } => {
                let (factors, others) = node.inputs.split_at(if then.is_some() { 2 } else { node.inputs.len() });
                let factors = factors.iter().map(|edge| self.labelled(edge, &node.extents)).collect::<Result<_, _>>()?;
                let sums = contract(literal(*alpha)?, factors, &kept, &node.extents)?;
                let Some(program) = then else { return Ok(sums) };
                let whole: Vec<usize> = kept.iter().map(|&label| node.extents[label]).collect();
                let mut inputs = vec![(&sums[..], Strided::row_major(&whole)?)];
                for edge in others {
                    inputs.push((self.numbers(edge.tensor), self.layout(edge, &kept, &node.extents)?));
                }
                map(program, Reduction::Sum, &inputs, [sums.len(), 1])
            }
            Operation::Map { program, reduction } => {
                let reduced = (0..node.extents.len()).filter(|label| !kept.contains(label));
                let labels: Vec<Label> = kept.iter().copied().chain(reduced).collect();
                let input = |edge: &Edge| Ok((self.numbers(edge.tensor), self.layout(edge, &labels, &node.extents)?));
                let inputs: Vec<(&[i64], Strided)> = node.inputs.iter().map(input).collect::<Result<_, Error>>()?;
                let extents: Vec<usize> = labels.iter().map(|&label| node.extents[label]).collect();
                let (kept, reduced) = extents.split_at(kept.len());
                map(program, *reduction, &inputs, [kept.iter().product(), reduced.iter().product()])
            }
            Operation::Reshape => Ok(self.labelled(&node.inputs[0], &node.extents)?.numbers),
            Operation::Write { part } => self.written(node, part, &kept),
            Operation::Sliced { .. } => Err(unsupported("products in parts")),
            Operation::Factorise(_) => Err(unsupported("linear algebra")),
        }
    }

    /// A tensor with a part of it overwritten.
    fn written(&self, node: &OperationNode, place: &[EdgeAxis], kept: &[Label]) -> Result<Owned<i64>, Error> {
        let place = Edge { axes: place.to_vec(), ..node.outputs[0].clone() };
        let (part, base) = node.inputs.split_last().unwrap_or_else(|| unreachable!("a part is written"));
        let mut result = match base {
            [base, ..] => self.labelled(base, &node.extents)?.arranged(kept, &node.extents)?,
            [] => Owned::filled(self.layouts[place.tensor.0].len(), 0)?,
        };
        let part = self.labelled(part, &node.extents)?;
        let to = self.layout(&place, &part.labels, &node.extents)?;
        to.positions().zip(part.numbers.iter()).for_each(|(position, &number)| result[position] = number);
        Ok(result)
    }
}

/// A program for each index, `reduced` values folded into each of the `kept` elements.
fn map(
    program: &Program,
    reduction: Reduction,
    inputs: &[(&[i64], Strided)],
    [kept, reduced]: [usize; 2],
) -> Result<Owned<i64>, Error> {
    if reduced == 0 {
        let nothing = if kept == 0 { 0.0 } else { reduction.of_nothing::<f64>()? };
        return Owned::filled(kept, nothing as i64);
    }
    let mut inputs: Vec<Reader<'_>> = inputs.iter().map(|(data, layout)| Reader::new(data, layout)).collect();
    let mut registers: Vec<Vec<i64>> = vec![vec![0; CHUNK]; program.instructions().len()];
    let mut folded = Owned::with_room(kept)?;
    let (mut value, mut left) = (None, reduced);
    let total = kept * reduced;
    for start in (0..total).step_by(CHUNK) {
        let len = CHUNK.min(total - start);
        inputs.iter_mut().for_each(|input| input.read(start, len));
        run(program, &inputs, &mut registers, len)?;
        let results = registers.last().unwrap_or_else(|| unreachable!("a program computes something"));
        for &result in &results[..len] {
            value = Some(value.map_or(result, |value| fold(reduction, value, result)));
            left -= 1;
            if left == 0 {
                folded.extend(value.take());
                left = reduced;
            }
        }
    }
    Ok(folded)
}

/// The elements of an input, a chunk at a time.
struct Reader<'i> {
    data: &'i [i64],
    /// Where each further element is, unless all are neighbours.
    positions: Option<Positions<&'i Strided>>,
    chunk: Vec<i64>,
}

impl<'i> Reader<'i> {
    fn new(data: &'i [i64], layout: &'i Strided) -> Reader<'i> {
        let (data, positions) = match layout.is_row_major() {
            true => (&data[layout.start()..][..layout.len()], None),
            false => (data, Some(layout.positions())),
        };
        Reader { data, positions, chunk: Vec::with_capacity(CHUNK) }
    }

    fn read(&mut self, start: usize, len: usize) {
        self.chunk.clear();
        match &mut self.positions {
            None => self.chunk.extend_from_slice(&self.data[start..][..len]),
            Some(positions) => self.chunk.extend(positions.by_ref().take(len).map(|position| self.data[position])),
        }
    }
}

fn fold(reduction: Reduction, a: i64, b: i64) -> i64 {
    match reduction {
        Reduction::Sum => a.wrapping_add(b),
        Reduction::Product => a.wrapping_mul(b),
        Reduction::Max => a.max(b),
        Reduction::Min => a.min(b),
    }
}

/// The program for some elements.
fn run(program: &Program, inputs: &[Reader<'_>], registers: &mut [Vec<i64>], len: usize) -> Result<(), Error> {
    for (n, instruction) in program.instructions().iter().enumerate() {
        let (before, rest) = registers.split_at_mut(n);
        let result = &mut rest[0][..len];
        let one = |result: &mut [i64], a: usize, f: fn(i64) -> i64| {
            result.iter_mut().zip(&before[a]).for_each(|(result, &a)| *result = f(a));
        };
        let two = |result: &mut [i64], a: usize, b: usize, f: fn(i64, i64) -> i64| {
            result.iter_mut().zip(before[a].iter().zip(&before[b])).for_each(|(result, (&a, &b))| *result = f(a, b));
        };
        match *instruction {
            Instruction::Input(n) | Instruction::Converted(n) => result.copy_from_slice(&inputs[n].chunk),
            Instruction::Constant(c) => result.fill(literal(c)?),
            Instruction::Negate(a) => one(result, a, i64::wrapping_neg),
            Instruction::Apply(Unary::Abs, a) => one(result, a, i64::wrapping_abs),
            Instruction::Apply(Unary::Conj | Unary::Re, a) => one(result, a, |a| a),
            Instruction::Apply(Unary::Im, _) => result.fill(0),
            Instruction::PowerInteger(a, exponent) => {
                let exponent = u32::try_from(exponent).map_err(|_| unsupported("powers with a negative exponent"))?;
                result.iter_mut().zip(&before[a]).for_each(|(result, a)| *result = a.wrapping_pow(exponent));
            }
            Instruction::Combine(Binary::Add, a, b) => two(result, a, b, i64::wrapping_add),
            Instruction::Combine(Binary::Subtract, a, b) => two(result, a, b, i64::wrapping_sub),
            Instruction::Combine(Binary::Multiply, a, b) => two(result, a, b, i64::wrapping_mul),
            Instruction::Compare(comparison, a, b) => two(result, a, b, holds(comparison)),
            Instruction::Select(condition, a, b) => {
                let values = before[a].iter().zip(&before[b]);
                for ((result, &condition), (&a, &b)) in result.iter_mut().zip(&before[condition]).zip(values) {
                    *result = if condition == 0 { b } else { a };
                }
            }
            Instruction::Combine(Binary::Divide, ..) => return Err(unsupported("division")),
            Instruction::Apply(function, _) => return Err(unsupported(&format!("`{}`", function.name()))),
            Instruction::PowerReal(..) => return Err(unsupported("real powers")),
            Instruction::Call(..) => return Err(unsupported("functions")),
        }
    }
    Ok(())
}

/// The product or sum of an equation's literals, or one of them.
///
/// # Errors
/// One that double precision may have rounded.
fn literal(number: Complex<f64>) -> Result<i64, Error> {
    match number.im == 0.0 && number.re.fract() == 0.0 && number.re.abs() < (1u64 << f64::MANTISSA_DIGITS) as f64 {
        true => Ok(number.re as i64),
        false => {
            let error =
                Error::new(ErrorKind::Unsupported("literals that are together beyond 2⁵³ in an equation over integers".into()));
            Err(error.with_help("write them as variables, which are exact"))
        }
    }
}

/// A comparison that gives 1 or 0.
fn holds(comparison: Comparison) -> fn(i64, i64) -> i64 {
    match comparison {
        Comparison::Less => |a, b| i64::from(a < b),
        Comparison::LessOrEqual => |a, b| i64::from(a <= b),
        Comparison::Greater => |a, b| i64::from(a > b),
        Comparison::GreaterOrEqual => |a, b| i64::from(a >= b),
        Comparison::Equal => |a, b| i64::from(a == b),
        Comparison::NotEqual => |a, b| i64::from(a != b),
    }
}

/// An operation that integers do not have, and that no equation over integers is compiled with.
fn unsupported(what: &str) -> Error {
    Error::new(ErrorKind::Unsupported(format!("integers have no {what}"))).with_help("convert them: `cast(f64; A[i])`")
}
