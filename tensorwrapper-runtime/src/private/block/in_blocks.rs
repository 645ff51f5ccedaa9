//! A run over block tensors: its equations are computed one after the other, each by the plan for its operands' structures.

use std::sync::Arc;

use num_complex::Complex;
use tensorwrapper_notation::Equation;

use super::super::evaluator::Computes;
use super::Block;
use super::made::{Made, MadeResults, Taken};
use crate::exec::{BlockCall, evaluate};
use crate::expr::{Bound, OperandData, ScalarKind, Value, bind};
use crate::link::Link;
use crate::tensor::{AnyBlocks, AnyTensor, Tensor};
use tensorwrapper_core::element::{Element, dispatch};
use tensorwrapper_core::error::{Error, ErrorKind};
use tensorwrapper_core::storage::SliceRef;

impl<'a, E> Block<'_, 'a, E> {
    /// Whether an operand is a block tensor.
    pub(in crate::__private) fn is_in_blocks(&self) -> bool {
        self.tensors.iter().any(|tensor| matches!(tensor.0, OperandData::Blocks(_)))
    }
}

impl<'a, E: Computes> Block<'_, 'a, E> {
    /// Computes all equations.
    pub(super) fn compute_in_blocks(&mut self) -> Result<(), Error> {
        self.refuse_integers("integers do not stand beside block tensors")?;
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
                _ if !equation.gradients().is_empty() => {
                    let found = self.call_derivative(number, &made)?;
                    found.into_iter().map(|blocks| made_of(blocks, in_blocks)).collect::<Result<_, _>>()?
                }
                true => {
                    let (context, call) = (self.context.context(), self.block_call(number, equation, operands, &made)?);
                    let found = match equation.factorise() {
                        Some(factorise) => context.factorise_blocks(&call, factorise)?,
                        None => vec![context.call_blocks(&call)?],
                    };
                    // Tensors of truth values are dense.
                    found.into_iter().map(|blocks| made_of(blocks, !equation.is_truth())).collect::<Result<_, _>>()?
                }
                false => self.call_dense(number, equation, &made)?,
            };
            made.extend(results);
            self.forget(number, &written, &mut made)?;
        }
        let wanted: Vec<(bool, usize)> = written.into_iter().map(|number| (true, number)).collect();
        let wanted = [wanted, self.site.sinks.iter().map(|&number| (false, number)).collect()].concat();
        let mut made: Vec<Option<Made>> = made.into_iter().map(Some).collect();
        let mut taken = Vec::with_capacity(wanted.len());
        for (n, &(is_written, number)) in wanted.iter().enumerate() {
            let is_last = wanted[n + 1..].iter().all(|(_, later)| *later != number);
            let result = if is_last { made[number].take() } else { made[number].clone() };
            taken.push(match (result.expect("results are moved out last"), is_written) {
                (Made::Blocks(blocks), _) => Taken::Blocks(blocks),
                (Made::Dense(tensor, _), false) => Taken::Dense(Arc::unwrap_or_clone(tensor)),
                (Made::Dense(_, write), true) => {
                    let (part, target) = *write.expect("what is written has a place");
                    Taken::Part(part, target)
                }
            });
        }
        self.made = Some(MadeResults::new(taken));
        Ok(())
    }

    /// Drops the results that no equation after this one reads and that do not leave the block. Derivatives may read all of them.
    fn forget(&self, number: usize, written: &[usize], made: &mut [Made]) -> Result<(), Error> {
        let later = number + 1..self.site.equations().len();
        if self.site.equations()[later.clone()].iter().any(|equation| !equation.gradients().is_empty()) {
            return Ok(());
        }
        let leaves = |known: &usize| written.contains(known) || self.site.sinks.contains(known);
        for (_, made) in made.iter_mut().enumerate().filter(|(known, _)| !leaves(known) && !self.is_read_after(number, *known)) {
            *made = Made::Dense(Arc::new(Tensor::<f64>::zeros([0])?.into()), None);
        }
        Ok(())
    }

    /// Whether an equation after this one reads a result.
    pub(super) fn is_read_after(&self, number: usize, result: usize) -> bool {
        let mut later = number + 1..self.site.equations().len();
        later
            .any(|equation| self.site.recipes[equation].1.contains(&result) || self.locals(equation).any(|local| local == result))
    }

    /// The numbers of an equation that are results of earlier ones.
    fn locals(&self, number: usize) -> impl Iterator<Item = usize> + '_ {
        self.calls[number].scalars.iter().filter_map(|scalar| match scalar.0 {
            ScalarKind::Local(known) => Some(known),
            ScalarKind::Number(_) | ScalarKind::Tensor(_) => None,
        })
    }

    /// The operands of an equation: tensors of the program, and results of earlier equations.
    fn operands<'m>(&self, number: usize, made: &'m [Made]) -> Vec<OperandData<'m>>
    where
        'a: 'm,
    {
        let all_results = self.all_results();
        let operand = |&known: &usize| match known.checked_sub(all_results) {
            Some(given) => self.tensors[given].0.clone(),
            None => given(&made[known]),
        };
        self.site.recipes[number].1.iter().map(operand).collect()
    }

    fn block_call<'c>(
        &self,
        number: usize,
        equation: &'c Equation,
        operands: Vec<OperandData<'c>>,
        made: &[Made],
    ) -> Result<BlockCall<'c>, Error> {
        let call = &self.calls[number];
        let scalar = |scalar: &ScalarKind<'_>| match scalar {
            ScalarKind::Number(value) => Ok(*value),
            ScalarKind::Tensor(tensor) => first_of(tensor),
            ScalarKind::Local(known) => first_of(&given(&made[*known])),
        };
        let scalars = call.scalars.iter().map(|value| scalar(&value.0)).collect::<Result<_, _>>()?;
        let (text, numbers) = (self.site.recipes[number].0, call.numbers.clone());
        Ok(BlockCall { equation, text, dtype: call.dtype, operands, scalars, numbers, listed_by: equation })
    }

    /// An equation whose result is dense: block tensors are read as dense ones.
    fn call_dense(&mut self, number: usize, equation: &Equation, made: &[Made]) -> Result<Vec<Made>, Error> {
        let all_results = self.all_results();
        let reads = self.site.recipes[number].1;
        let locals: Vec<usize> = self.locals(number).collect();
        // What the equation does not read stays as it is: all of its elements might be too many.
        let value = |(known, made): (usize, &Made)| match reads.contains(&known) || locals.contains(&known) {
            true => dense_value(made),
            false => Ok(Value::number(Complex::ZERO, self.calls[number].dtype)),
        };
        let values: Vec<Link<Value<'a>>> = made.iter().enumerate().map(value).collect::<Result<_, _>>()?;
        self.read_densely(reads.iter().filter_map(|known| known.checked_sub(all_results)))?;
        let holes = self.holes(number, equation, &values);
        let context = self.context.context();
        match bind(equation, self.calls[number].dtype, &holes)? {
            Bound::Results(results) => {
                Ok(evaluate(context, &results)?.into_iter().map(|tensor| Made::Dense(Arc::new(tensor), None)).collect())
            }
            Bound::Write(write) => {
                let [part, after] = <[AnyTensor; 2]>::try_from(evaluate(context, &[write.part, write.after])?)
                    .unwrap_or_else(|_| unreachable!("two values were computed"));
                Ok(vec![Made::Dense(Arc::new(after), Some(Box::new((part, write.target))))])
            }
        }
    }
}

/// A result, which stays in blocks or becomes dense.
fn made_of(blocks: AnyBlocks, in_blocks: bool) -> Result<Made, Error> {
    Ok(match in_blocks {
        true => Made::Blocks(blocks),
        false => Made::Dense(Arc::new(blocks.erase().to_dense()?), None),
    })
}

/// A result as an operand.
pub(super) fn given(made: &Made) -> OperandData<'_> {
    match made {
        Made::Dense(tensor, _) => {
            let tensor = tensor.erase();
            OperandData::Inline(tensor.data, Arc::new(tensor.layout))
        }
        Made::Blocks(blocks) => OperandData::Blocks(blocks.erase()),
    }
}

/// A result as a recorded value.
fn dense_value<'a>(made: &Made) -> Result<Link<Value<'a>>, Error> {
    Ok(Value::computed(match made {
        Made::Dense(tensor, _) => Arc::clone(tensor),
        Made::Blocks(blocks) => Arc::new(blocks.erase().to_dense()?),
    }))
}

/// The number that a tensor of rank 0 holds. One that no block contributes to is zero.
fn first_of(tensor: &OperandData<'_>) -> Result<Complex<f64>, Error> {
    let element = |data: SliceRef<'_>, at: usize| {
        let found = dispatch!(data.dtype(), T => {
            T::typed(data).and_then(|elements| elements.get(at).map(|element| element.to_complex()))
        });
        found.unwrap_or_default()
    };
    match tensor {
        OperandData::Blocks(blocks) => Ok(element(blocks.slab, 0)),
        OperandData::Elements(data, layout) => Ok(element(*data, layout.start())),
        OperandData::Inline(data, layout) => Ok(element(*data, layout.start())),
        OperandData::Truth(..) | OperandData::Integers(..) => unreachable!("they are no numbers of such equations"),
        OperandData::Recorded(_) => {
            let error = Error::new(ErrorKind::Unsupported("a recorded number in an equation of block tensors".to_string()));
            Err(error.with_help("compute it first"))
        }
    }
}
