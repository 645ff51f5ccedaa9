//! A run over integers: its equations are recorded over rounded ones, and computed one after the other.

use std::sync::Arc;

use num_complex::Complex;

use super::super::evaluator::Computes;
use super::super::site::Tensor;
use super::Block;
use super::made::{MadeResults, Taken};
use crate::exec::{KnownIntegers, evaluate, evaluate_integers};
use crate::expr::{Bound, Integers, OperandData, ScalarKind, Target, Value, Write, bind};
use crate::link::Link;
use crate::tensor::AnyTensor;
use tensorwrapper_core::element::Dtype;
use tensorwrapper_core::error::{Error, ErrorKind};

/// What an equation computes.
enum Made {
    Integers(Arc<Integers>),
    Dense(Arc<AnyTensor>),
}

impl Made {
    /// As it leaves the block, or is written to a place.
    fn taken(&self, place: Option<&Target>) -> Taken {
        match (self, place.cloned()) {
            (Made::Integers(integers), place) => Taken::Integers(Arc::clone(integers), place),
            (Made::Dense(tensor), Some(place)) => Taken::Part((**tensor).clone(), place),
            (Made::Dense(tensor), None) => Taken::Dense((**tensor).clone()),
        }
    }
}

impl<'a, E> Block<'_, 'a, E> {
    /// Whether an equation computes integers, or reads some.
    pub(in crate::__private) fn is_in_integers(&self) -> bool {
        let is_integer = |tensor: &Tensor<'_>| matches!(tensor.0, OperandData::Integers(..));
        self.calls.iter().any(|call| call.is_integer) || self.tensors.iter().any(is_integer)
    }

    /// Refuses integers where equations are not computed at once and on the host.
    ///
    /// # Errors
    /// That they are refused.
    pub(in crate::__private) fn refuse_integers(&self, reason: &str) -> Result<(), Error> {
        if !self.is_in_integers() {
            return Ok(());
        }
        let error = Error::new(ErrorKind::Unsupported(reason.to_string()));
        Err(error.with_help("compute it `in &context;`, or convert the tensor: `a.cast::<f64>()?`"))
    }
}

impl<'a, E: Computes> Block<'_, 'a, E> {
    /// Computes all equations.
    pub(super) fn compute_in_integers(&mut self) -> Result<(), Error> {
        let mut known = Vec::new();
        // Equations over other numbers read integers rounded.
        let at_once = self.calls.iter().any(|call| !call.is_integer);
        // Numbers are tensors of rank 0: as constants they would be multiplied with each other, and rounded.
        let scalars = self.calls.iter_mut().filter(|call| call.is_integer).flat_map(|call| &mut call.scalars);
        for scalar in scalars {
            if let ScalarKind::Number(value) = scalar.0 {
                let number = KnownIntegers::number(value)?;
                scalar.0 = ScalarKind::Tensor(OperandData::Recorded(number.value()));
                known.push(number);
            }
        }
        self.dense.resize(self.tensors.len(), None);
        for (tensor, dense) in self.tensors.iter().zip(&mut self.dense) {
            if let OperandData::Integers(..) = tensor.0 {
                let integers = KnownIntegers::of(&tensor.0, at_once)?;
                *dense = Some(integers.value());
                known.push(integers);
            }
        }
        let (mut results, mut made, mut written) = (Vec::new(), Vec::new(), Vec::new());
        for (number, equation) in self.site.equations().iter().enumerate() {
            let bound = bind(equation, self.calls[number].dtype, &self.holes(number, equation, &results))?;
            match bound {
                Bound::Results(values) => made.extend(self.call(number, &values, &known)?),
                Bound::Write(Write { part, after, target }) => {
                    // The whole tensor is computed where a later equation reads it.
                    let values = if self.is_read_after(number, made.len()) { vec![part, after] } else { vec![part] };
                    let mut computed = self.call(number, &values, &known)?;
                    written.push(computed[0].taken(Some(&target)));
                    made.extend(computed.pop());
                }
            }
            for (n, made) in made.iter().enumerate().skip(results.len()) {
                results.push(match made {
                    Made::Dense(tensor) => Value::computed(Arc::clone(tensor)),
                    // What no later equation reads is not made ready to be read.
                    Made::Integers(_) if !self.is_read_after(number, n) => Value::number(Complex::ZERO, Dtype::F64),
                    Made::Integers(integers) => {
                        let integers = KnownIntegers::made(integers, at_once)?;
                        let value = integers.value();
                        known.push(integers);
                        value
                    }
                });
            }
        }
        let sinks = self.site.sinks.iter().map(|&number| made[number].taken(None));
        self.made = Some(MadeResults::new(written.into_iter().chain(sinks).collect()));
        Ok(())
    }

    /// Computes the values of one equation.
    fn call(&self, number: usize, values: &[Link<Value<'_>>], known: &[KnownIntegers<'_>]) -> Result<Vec<Made>, Error> {
        let context = self.context.context();
        Ok(match self.calls[number].is_integer {
            true => {
                let computed = evaluate_integers(context, values, known)?;
                computed.into_iter().map(|integers| Made::Integers(Arc::new(integers))).collect()
            }
            false => evaluate(context, values)?.into_iter().map(|tensor| Made::Dense(Arc::new(tensor))).collect(),
        })
    }
}
