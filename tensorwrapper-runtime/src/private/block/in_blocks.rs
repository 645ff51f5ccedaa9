//! A run over block tensors: its equations are computed one after the other, each by the plan for its operands' structures.

use std::sync::Arc;

use num_complex::Complex;
use tensorwrapper_notation::Equation;

use super::super::evaluator::Computes;
use super::Block;
use super::made::{Made, MadeResults, Taken};
use crate::exec::{BlockCall, evaluate};
use crate::expr::{Bound, OperandData, ScalarKind, Source, Value, bind};
use crate::link::Link;
use crate::tensor::{AnyBlocks, AnyTensor};
use tensorwrapper_core::element::{Element, dispatch};
use tensorwrapper_core::error::Error;
use tensorwrapper_core::storage::SliceRef;

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
            Made::Dense(tensor, _) => Taken::Dense(*tensor),
            Made::Blocks(blocks) => Taken::Blocks(blocks),
        });
        let writes = written.iter().map(|&number| match made[number].clone() {
            Made::Dense(_, Some(write)) => Taken::Part(write.0, write.1),
            Made::Dense(..) => unreachable!("what is written has a place"),
            Made::Blocks(blocks) => Taken::Blocks(blocks),
        });
        let taken: Vec<Taken> = writes.chain(sinks).collect();
        self.in_blocks = Some(MadeResults::new(taken));
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
        let holes = self.holes(number, equation, &values);
        let context = self.context.context();
        match bind(equation, self.calls[number].dtype, &holes)? {
            Bound::Results(results) => {
                Ok(evaluate(context, &results)?.into_iter().map(|tensor| Made::Dense(Box::new(tensor), None)).collect())
            }
            Bound::Write(write) => {
                let [part, after] = <[AnyTensor; 2]>::try_from(evaluate(context, &[write.part, write.after])?)
                    .unwrap_or_else(|_| unreachable!("two values were computed"));
                Ok(vec![Made::Dense(Box::new(after), Some(Box::new((part, write.target))))])
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
        Made::Dense(tensor, _) => (**tensor).clone(),
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
