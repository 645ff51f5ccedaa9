//! Values over stand-ins for tensors, planned once and computed for many.

use crate::exec::{AnyOperand, Context, Erased, PreparedBlock, Untyped, evaluate};
use crate::expr::{Reach, Value};
use crate::link::Link;
use crate::tensor::AnyTensor;
use tensorwrapper_core::error::{Error, ErrorKind};
use tensorwrapper_notation::sentence::counted;

/// Values that stand for tensors with the extents and elements of these.
///
/// # Errors
/// Memory.
pub(super) fn stand_ins<'a>(like: &[AnyTensor]) -> Result<Vec<Link<Value<'a>>>, Error> {
    like.iter().map(|like| Value::stand_in(like.extents(), like.dtype())).collect()
}

/// That a step gives what it starts from.
///
/// # Errors
/// Other extents, or another number of tensors.
pub(super) fn check(state: &[Link<Value<'_>>], next: &[Link<Value<'_>>]) -> Result<(), Error> {
    if state.len() != next.len() {
        let message = format!("the state has {}, but its step gives {}", counted(state.len(), "tensor"), next.len());
        return Err(Error::new(ErrorKind::Shape(message)));
    }
    for (n, (state, next)) in state.iter().zip(next).enumerate() {
        if state.extents != next.extents {
            let (old, new) = (&state.extents, &next.extents);
            let message = format!("tensor {n} of the state has extents {old:?}, but its step gives extents {new:?}");
            return Err(Error::new(ErrorKind::Shape(message)));
        }
    }
    Ok(())
}

/// A function of tensors: values over stand-ins.
pub(super) enum Planned<'a> {
    /// A plan, and which of the tensors it reads.
    Block(Box<PreparedBlock<'a, Untyped<'a>>>, Vec<usize>),
    /// The values depend on none of the tensors.
    Constant(Vec<AnyTensor>),
}

impl<'a> Planned<'a> {
    /// # Errors
    /// What planning reports, and fixed points that depend on a stand-in.
    pub(super) fn new(context: &Context, values: &[Link<Value<'a>>], inputs: &[Link<Value<'a>>]) -> Result<Planned<'a>, Error> {
        let reach = Reach::new(values);
        if reach.has_solution_of(inputs) {
            let message = "a fixed point inside a step, which would have to be found anew in each step".to_string();
            return Err(Error::new(ErrorKind::Unsupported(message))
                .with_help("make one fixed point of both, or use its equations in the step"));
        }
        let read: Vec<usize> = (0..inputs.len()).filter(|&n| reach.contains(&inputs[n])).collect();
        if read.is_empty() {
            return Ok(Planned::Constant(evaluate(context, values)?));
        }
        let stand_ins: Vec<Erased<'_>> =
            read.iter().map(|&n| Erased(inputs[n].tensor().expect("a stand-in is a tensor").erase())).collect();
        let operands: Vec<&dyn AnyOperand> = stand_ins.iter().map(|operand| operand as &dyn AnyOperand).collect();
        let values = Untyped(values.iter().map(Link::clone).collect());
        Ok(Planned::Block(Box::new(context.prepare_all(values, &operands)?), read))
    }

    /// The values for these tensors, which have the extents of their stand-ins.
    ///
    /// # Errors
    /// Other extents, and what computing the values reports.
    pub(super) fn at(&self, tensors: &[&AnyTensor]) -> Result<Vec<AnyTensor>, Error> {
        match self {
            Planned::Constant(found) => Ok(found.clone()),
            Planned::Block(block, read) => {
                let operands: Vec<Erased<'_>> = read.iter().map(|&n| Erased(tensors[n].erase())).collect();
                let operands: Vec<&dyn AnyOperand> = operands.iter().map(|operand| operand as &dyn AnyOperand).collect();
                block.run(&operands)
            }
        }
    }
}
