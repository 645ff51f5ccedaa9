//! One equation over block tensors, as the macros and chains of operators call it.

use num_complex::Complex;
use tensorwrapper_core::element::{Dtype, Element, dispatch};
use tensorwrapper_core::error::{Error, ErrorKind};
use tensorwrapper_core::shape::Tiling;
use tensorwrapper_notation::syntax::Hole;
use tensorwrapper_notation::{Equation, Index, Operand, OperandId, Use, write};

use super::super::context::Context;
use super::super::plan_key::{Number, listed, listed_number};
use super::operand::BlockOperand;
use super::tree::TreeHoles;
use crate::expr::{Indexed, OperandData};
use crate::tensor::{AnyBlocks, Blocks};

/// An equation and what it is computed of.
#[derive(Clone, Debug)]
pub(crate) struct BlockCall<'c> {
    pub(crate) equation: &'c Equation,
    /// The text of the equation, by which its plan is found again.
    pub(crate) text: &'c str,
    pub(crate) dtype: Dtype,
    /// The operands, in the order of the equation.
    pub(crate) operands: Vec<OperandData<'c>>,
    /// The numbers, in the order of the equation's holes.
    pub(crate) scalars: Vec<Complex<f64>>,
    /// Positions, ranges and exponents, in the same order.
    pub(crate) numbers: Vec<Number>,
    /// The equation whose holes operands, scalars and numbers are listed by: the whole one, where `equation` is an argument of it.
    pub(crate) listed_by: &'c Equation,
}

impl Context {
    /// Computes an equation over block tensors.
    ///
    /// # Errors
    /// As [`einsum_blocks`](Context::einsum_blocks).
    pub(crate) fn call_blocks(&self, call: &BlockCall<'_>) -> Result<AnyBlocks, Error> {
        dispatch!(call.dtype, T => Ok(self.called::<T>(call)?.into()))
    }

    /// Computes an equation over tensors of these names from its text.
    ///
    /// # Errors
    /// As [`eval_blocks`](Context::eval_blocks).
    pub(crate) fn call_text(&self, text: &str, dtype: Dtype, named: &[(&str, OperandData<'_>)]) -> Result<AnyBlocks, Error> {
        dispatch!(dtype, T => {
            let operands: Vec<BlockOperand<'_, T>> = named.iter().map(|(_, given)| BlockOperand::of(given)).collect::<Result<_, _>>()?;
            let names = named.iter().map(|(name, _)| *name).collect();
            Ok(self.eval_tensors(text, names, operands)?.into())
        })
    }

    /// The same of a known element type.
    ///
    /// # Errors
    /// As [`call_blocks`](Context::call_blocks).
    pub(in crate::exec) fn called<T: Element>(&self, call: &BlockCall<'_>) -> Result<Blocks<T>, Error> {
        check_place(call.equation)?;
        let given = call.operands.iter().zip(call.equation.operands());
        let read =
            given.map(|(given, operand)| if operand.is_mask { BlockOperand::mask(given) } else { BlockOperand::of(given) });
        let operands: Vec<BlockOperand<'_, T>> = read.collect::<Result<_, _>>()?;
        let names = || call.equation.operands().iter().map(|operand| operand.hole.text.clone()).collect();
        let group = |number: &Number| number.cut().and_then(Tiling::charges).map(|charges| charges.group().clone());
        let groups: Vec<_> = call.numbers.iter().map(group).collect();
        let key = format!("call {} {:?} {:?} {groups:?}", call.text, call.scalars, call.numbers);
        let holes = |same| -> Box<dyn TreeHoles + '_> { Box::new(call.holes(same)) };
        let plan = || self.planned_blocks(call.equation, names(), &operands, &holes);
        self.kept_blocks(key, &operands, plan)?.run_on(&operands, &self.observer)
    }
}

impl<T: Element> Indexed<'_, T> {
    /// Computes the equation `[left] = self` over block tensors: its result is one, with the structure that is inferred.
    /// [`eval`](Indexed::eval) makes block tensors dense first.
    ///
    /// # Errors
    /// As [`Context::eval_blocks`]; functions of the program, casts and recorded results are refused.
    ///
    /// ```
    /// # use tensorwrapper_runtime as tensorwrapper;
    /// use tensorwrapper::{Blocks, Error, Structure, Tiling};
    /// let cut = Tiling::cuts([2, 1]);
    /// let a = Blocks::<f64>::from_fn(&Structure::new([&cut, &cut]).with_blocks([[0, 0]])?, |i| (1 + i[0]) as f64)?;
    /// let square = (2.0 * a.at("i,k") * a.at("k,j")).eval_blocks("i,j")?;
    /// assert_eq!((square.blocks(), square.get(&[1, 0])?), (vec![vec![0, 0]], 12.0));
    /// # Ok::<(), Error>(())
    /// ```
    pub fn eval_blocks(&self, left: &str) -> Result<Blocks<T>, Error> {
        self.eval_blocks_in(Context::global(), left)
    }

    /// [`eval_blocks`](Indexed::eval_blocks) in a context.
    ///
    /// # Errors
    /// As [`eval_blocks`](Indexed::eval_blocks).
    pub fn eval_blocks_in(&self, context: &Context, left: &str) -> Result<Blocks<T>, Error> {
        let (statement, equation) = self.equation(left)?;
        if !equation.functions().is_empty() || !equation.casts().is_empty() {
            let error = Error::new(ErrorKind::Unsupported("a function or a cast in a chain over block tensors".to_string()));
            return Err(error.with_help("`map_blocks` takes functions of blocks; `eval` makes block tensors dense"));
        }
        let (operands, scalars) = self.filled(&equation)?;
        let (text, dtype, listed_by) = (&*write(&statement, &equation), T::DTYPE, &equation);
        let call = BlockCall { equation: &equation, text, dtype, operands, scalars, numbers: Vec::new(), listed_by };
        context.called(&call)
    }
}

/// Whether the whole of a tensor is written.
fn check_place(equation: &Equation) -> Result<(), Error> {
    let Some((place, _)) = equation.place() else { return Ok(()) };
    let place = &equation.operands()[place.0];
    let is_label = |index: &Index| matches!(index, Index::Label(..));
    if place.indices.iter().all(is_label) {
        return Ok(());
    }
    let message = format!("a part of the block tensor `{}` cannot be written", place.hole.text);
    Err(Error::new(ErrorKind::Unsupported(message)).with_help("write the whole of it, with a label on each axis"))
}

/// The holes of a call.
pub(super) struct CallHoles<'h, 'c> {
    call: &'h BlockCall<'c>,
    /// Of each operand the number of the first one that is the same tensor.
    same: Vec<usize>,
    listed: Vec<(&'c Hole, Use)>,
}

impl<'c> BlockCall<'c> {
    /// Its holes. They are listed here, as a run with a plan does not need them.
    pub(super) fn holes(&self, same: Vec<usize>) -> CallHoles<'_, 'c> {
        CallHoles { call: self, same, listed: self.listed_by.holes() }
    }
}

impl CallHoles<'_, '_> {
    fn number_of(&self, hole: &Hole) -> &Number {
        listed_number(&self.call.numbers, &self.listed, hole)
    }
}

impl TreeHoles for CallHoles<'_, '_> {
    fn operand(&self, id: OperandId, _: &Operand) -> usize {
        self.same[id.0]
    }

    fn number(&self, hole: &Hole) -> Result<Complex<f64>, Error> {
        Ok(*listed(&self.call.scalars, &self.listed, hole, |role| role == Use::Scalar))
    }

    fn cut(&self, hole: &Hole) -> Option<Tiling> {
        self.number_of(hole).cut().cloned()
    }

    fn extent(&self, hole: &Hole) -> usize {
        self.number_of(hole).count()
    }

    fn range(&self, hole: &Hole) -> (usize, Option<usize>) {
        self.number_of(hole).range()
    }

    fn whole(&self, hole: &Hole) -> i32 {
        self.number_of(hole).whole()
    }

    fn real(&self, hole: &Hole) -> f64 {
        self.number_of(hole).real()
    }
}
