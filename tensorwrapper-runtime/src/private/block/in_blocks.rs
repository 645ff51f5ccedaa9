//! A run over block tensors: its equations are computed one after the other, each by the plan for its operands' structures.

use std::sync::Arc;

use num_complex::Complex;
use tensorwrapper_notation::Equation;

use super::super::evaluator::Computes;
use super::Block;
use super::holes::BlockHoles;
use crate::exec::{BlockCall, evaluate};
use crate::expr::{Bound, NextResult, OperandData, ScalarKind, Source, Target, Value, bind};
use crate::link::Link;
use crate::tensor::{AnyBlocks, AnyTensor};
use tensorwrapper_core::element::{Element, dispatch};
use tensorwrapper_core::error::Error;
use tensorwrapper_core::layout::Strided;
use tensorwrapper_core::storage::{Buffer, SliceRef};

/// A result of an equation, which later equations may read.
#[derive(Clone, Debug)]
enum Made {
    /// A dense tensor; where it is written into another one, the part and its place.
    Dense(AnyTensor, Option<(AnyTensor, Target)>),
    Blocks(AnyBlocks),
}

/// The results of such a run that are taken, in their order.
#[derive(Debug)]
pub(super) struct MadeResults(std::vec::IntoIter<Taken>);

/// A result that leaves the block, or is written into a tensor.
#[derive(Debug)]
pub(in crate::__private) enum Taken {
    Dense(AnyTensor),
    Part(AnyTensor, Target),
    Blocks(AnyBlocks),
}

impl MadeResults {
    pub(super) fn next(&mut self) -> Taken {
        self.0.next().expect("there is a result for each that is taken")
    }

    /// The next result, which is a number.
    pub(super) fn next_number<T: Element>(&mut self) -> T {
        let elements = match self.next() {
            Taken::Dense(tensor) | Taken::Part(tensor, _) => tensor.into_buffer().0,
            Taken::Blocks(blocks) => blocks.slab,
        };
        // A number that no block contributes to is zero.
        T::typed(elements.as_ref()).and_then(|elements| elements.first().copied()).unwrap_or(T::ZERO)
    }
}

impl NextResult for MadeResults {
    fn next_dense(&mut self) -> (Buffer, Strided) {
        match self.next() {
            Taken::Dense(tensor) | Taken::Part(tensor, _) => tensor.into_buffer(),
            Taken::Blocks(_) => unreachable!("a dense result was recorded"),
        }
    }

    fn next_blocks(&mut self) -> AnyBlocks {
        match self.next() {
            Taken::Blocks(blocks) => blocks,
            Taken::Dense(_) | Taken::Part(..) => unreachable!("a result in blocks was recorded"),
        }
    }
}

impl<'a, E> Block<'_, 'a, E> {
    /// Whether an operand is a block tensor.
    pub(super) fn is_in_blocks(&self) -> bool {
        self.tensors.iter().any(|tensor| matches!(tensor.0, OperandData::Blocks(_)))
    }
}

impl<'a, E: Computes> Block<'_, 'a, E> {
    /// Computes all equations.
    pub(super) fn compute_in_blocks(&mut self) -> Result<(), Error> {
        let mut made: Vec<Made> = Vec::new();
        let mut written: Vec<usize> = Vec::new();
        for (number, equation) in self.site.equations().iter().enumerate() {
            let operands = self.operands(number, &made);
            let is_block = |operand: &OperandData<'_>| matches!(operand, OperandData::Blocks(_));
            let in_blocks = match equation.place() {
                Some((place, _)) => is_block(&operands[place.0]),
                None => operands.iter().any(is_block),
            };
            if equation.place().is_some() {
                written.push(made.len());
            }
            let results = match in_blocks {
                true => vec![Made::Blocks(self.call_blocks(number, equation, operands, &made)?)],
                false => self.call_dense(number, equation, &made)?,
            };
            made.extend(results);
        }
        let sinks = self.site.sinks.iter().map(|&number| match made[number].clone() {
            Made::Dense(tensor, _) => Taken::Dense(tensor),
            Made::Blocks(blocks) => Taken::Blocks(blocks),
        });
        let writes = written.iter().map(|&number| match made[number].clone() {
            Made::Dense(_, Some((part, target))) => Taken::Part(part, target),
            Made::Dense(..) => unreachable!("what is written has a place"),
            Made::Blocks(blocks) => Taken::Blocks(blocks),
        });
        let taken: Vec<Taken> = writes.chain(sinks).collect();
        self.in_blocks = Some(MadeResults(taken.into_iter()));
        Ok(())
    }

    /// The operands of an equation: tensors of the program, and results of earlier equations.
    fn operands<'m>(&self, number: usize, made: &'m [Made]) -> Vec<OperandData<'m>>
    where
        'a: 'm,
    {
        let all_results: usize = self.site.equations().iter().map(|equation| equation.left().len()).sum();
        let operand = |&known: &usize| match known.checked_sub(all_results) {
            Some(given) => self.tensors[given].0.clone(),
            None => given(&made[known]),
        };
        self.site.recipes[number].1.iter().map(operand).collect()
    }

    fn call_blocks(
        &self,
        number: usize,
        equation: &Equation,
        operands: Vec<OperandData<'_>>,
        made: &[Made],
    ) -> Result<AnyBlocks, Error> {
        let call = &self.calls[number];
        let scalar = |scalar: &ScalarKind<'_>| match scalar {
            ScalarKind::Number(value) => *value,
            ScalarKind::Tensor(tensor) => first_of(tensor),
            ScalarKind::Local(known) => first_of(&given(&made[*known])),
        };
        let scalars = call.scalars.iter().map(|value| scalar(&value.0)).collect();
        let (text, numbers) = (self.site.recipes[number].0, call.numbers.clone());
        self.context.context().call_blocks(&BlockCall { equation, text, dtype: call.dtype, operands, scalars, numbers })
    }

    /// An equation whose result is dense: block tensors are read as dense ones.
    fn call_dense(&mut self, number: usize, equation: &Equation, made: &[Made]) -> Result<Vec<Made>, Error> {
        let values: Vec<Link<Value<'a>>> = made.iter().map(dense_value).collect::<Result<_, _>>()?;
        self.read_densely()?;
        let holes = BlockHoles::new(self, number, equation, &values);
        let context = self.context.context();
        match bind(equation, self.calls[number].dtype, &holes)? {
            Bound::Results(results) => {
                Ok(evaluate(context, &results)?.into_iter().map(|tensor| Made::Dense(tensor, None)).collect())
            }
            Bound::Write(write) => {
                let [part, after] = <[AnyTensor; 2]>::try_from(evaluate(context, &[write.part, write.after])?)
                    .unwrap_or_else(|_| unreachable!("two values were computed"));
                Ok(vec![Made::Dense(after, Some((part, write.target)))])
            }
        }
    }
}

/// A result as an operand.
fn given(made: &Made) -> OperandData<'_> {
    match made {
        Made::Dense(tensor, _) => {
            let tensor = tensor.erase();
            OperandData::Inline(tensor.data, Box::new(tensor.layout))
        }
        Made::Blocks(blocks) => OperandData::Blocks(blocks.erase()),
    }
}

/// A result as a recorded value.
fn dense_value<'a>(made: &Made) -> Result<Link<Value<'a>>, Error> {
    let dense = match made {
        Made::Dense(tensor, _) => tensor.clone(),
        Made::Blocks(blocks) => blocks.erase().to_dense()?,
    };
    let (extents, dtype) = (dense.extents().to_vec(), dense.dtype());
    Ok(Link::new(Value { extents, dtype, source: Source::Computed(Arc::new(dense)) }))
}

/// The number that a tensor of rank 0 holds.
fn first_of(tensor: &OperandData<'_>) -> Complex<f64> {
    let element = |data: SliceRef<'_>, at: usize| {
        let found = dispatch!(data.dtype(), T => {
            T::typed(data).and_then(|elements| elements.get(at).map(|element| element.to_complex()))
        });
        found.unwrap_or_default()
    };
    match tensor {
        OperandData::Blocks(blocks) => element(blocks.slab, 0),
        OperandData::Elements(data, layout) => element(*data, layout.start()),
        OperandData::Inline(data, layout) => element(*data, layout.start()),
        OperandData::Recorded(_) => Complex::ZERO,
    }
}
