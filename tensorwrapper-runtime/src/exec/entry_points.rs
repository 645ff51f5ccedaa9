//! The entry points at run time: subscript strings, integer labels, operators, recorded results.

use std::sync::Arc;

use super::compile::{evaluate, evaluate_to};
use super::context::Context;
use super::integers::IntegerProduct;
use super::operands::{DynOperand, given};
use super::results::{EvalAll, RecordedValue};
use super::run::{Execution, ResultPlacement};
use super::statements::{checked, labels_statement, product, subscripts_statement};
use crate::expr::{Expr, Indexed, Integers, OperandData};
use crate::lower::lower;
use crate::tensor::Tensor;
use smallvec::SmallVec;
use tensorwrapper_core::Numeric;
use tensorwrapper_core::element::Element;
use tensorwrapper_core::error::Error;
use tensorwrapper_core::graph::OpGraph;
use tensorwrapper_core::shape::Extents;
use tensorwrapper_notation::Equation;

/// Evaluates an equation given as NumPy's subscripts: `"ikl,klj->ij"`, `...` for unnamed axes, and without `->` the result has
/// the labels that occur once, in alphabetical order. Any letter is a label. A label that is repeated on one operand takes its
/// diagonal; repeated on the right of `->`, it fills a diagonal. A label may be on any number of operands. Extents are never
/// broadcast.
///
/// Spaces may be anywhere, even inside `->` and `...`, as in NumPy with `optimize=True`. If `...` stands for no axes, it may be
/// on only one side of `->`, as in `"...i->i"` for a vector. If an operand has axes for it, the output must have `...`, too.
///
/// An operand or a result has at most 256 labels, and there are at most 10 000 operands.
///
/// # Errors
/// Text that is not a subscript, more labels or operands than that, ranks and extents that do not fit, and memory.
///
/// ```
/// # use tensorwrapper_runtime as tensorwrapper;
/// use tensorwrapper::{Tensor, einsum};
/// let a = Tensor::<f64>::from_fn([2, 3], |i| (i[0] + i[1]) as f64)?;
/// let b = Tensor::<f64>::from_fn([3, 2], |i| (i[0] * i[1]) as f64)?;
/// let c = einsum("ik,kj->ij", &[&a, &b])?;
/// assert_eq!(c.as_slice(), [0.0, 5.0, 0.0, 8.0]);
/// # Ok::<(), tensorwrapper_runtime::Error>(())
/// ```
#[doc(alias("contract", "tensordot", "opt_einsum"))]
pub fn einsum<T: Numeric>(subscripts: &str, operands: &[&dyn DynOperand<T>]) -> Result<Tensor<T>, Error> {
    Context::global().einsum(subscripts, operands)
}

/// Evaluates a product of tensors whose axes are labelled by numbers. Labels that are not in `output` are summed. The limits
/// are those of [`einsum`].
///
/// # Errors
/// Ranks and extents that do not fit, labels of `output` that no operand has, memory.
///
/// ```
/// # use tensorwrapper_runtime as tensorwrapper;
/// use tensorwrapper::{Tensor, contract};
/// let a = Tensor::<f64>::filled([2, 3], 1.0)?;
/// let b = Tensor::<f64>::filled([3, 4], 2.0)?;
/// let c = contract(&[(&a, &[0, 1]), (&b, &[1, 2])], &[0, 2])?;
/// assert_eq!(c.extents(), [2, 4]);
/// assert_eq!(c[[1, 3]], 6.0);
/// # Ok::<(), tensorwrapper_runtime::Error>(())
/// ```
#[doc(alias("ncon", "tensordot", "tensorcontract", "@tensor"))]
pub fn contract<T: Numeric>(operands: &[(&dyn DynOperand<T>, &[usize])], output: &[usize]) -> Result<Tensor<T>, Error> {
    Context::global().contract(operands, output)
}

impl Context {
    /// [`einsum`] in this context.
    ///
    /// # Errors
    /// As [`einsum`].
    pub fn einsum<T: Numeric>(&self, subscripts: &str, operands: &[&dyn DynOperand<T>]) -> Result<Tensor<T>, Error> {
        self.einsum_to(subscripts, operands, ResultPlacement::Host)
    }

    /// The same with a result that may stay on a device.
    ///
    /// # Errors
    /// As [`einsum`].
    pub(super) fn einsum_to<T: Numeric>(
        &self,
        subscripts: &str,
        operands: &[&dyn DynOperand<T>],
        placement: ResultPlacement,
    ) -> Result<Tensor<T>, Error> {
        let given = given(operands);
        let mut tensors: SmallVec<[_; 6]> = SmallVec::new();
        given.iter().map_while(OperandData::elements).for_each(|tensor| tensors.push(tensor));
        match tensors.len() == given.len() {
            true => {
                let context = &*self.placed(tensors.iter().copied())?;
                let kept = context.kept::<T>(subscripts, &tensors)?;
                let execution = Execution::new(&kept.plan, &context.backend, &context.observer);
                Ok(kept.result(execution.run(&kept.beginnings(&tensors), placement)?))
            }
            false if T::IS_INTEGER => {
                let product = IntegerProduct::of_subscripts::<T>(self, subscripts, &given)?;
                let (elements, layout) = Integers::into_typed(Arc::new(product.run(self, &given)?));
                Ok(Tensor::from_parts(elements, layout))
            }
            // A recorded result has a structure of its own, which no plan that was kept can know.
            false => {
                let equation = checked(&subscripts_statement(subscripts, given.len())?)?;
                self.product_to(&equation, &given, placement)
            }
        }
    }

    /// [`contract`] in this context.
    ///
    /// # Errors
    /// As [`contract`].
    pub fn contract<T: Numeric>(
        &self,
        operands: &[(&dyn DynOperand<T>, &[usize])],
        output: &[usize],
    ) -> Result<Tensor<T>, Error> {
        let given: Vec<OperandData<'_>> = operands.iter().map(|(operand, _)| operand.dyn_operand().0).collect();
        self.product_to(&checked(&labels_statement(operands, output)?)?, &given, ResultPlacement::Host)
    }

    /// The product of an equation that no plan is kept for.
    fn product_to<T: Numeric>(
        &self,
        equation: &Equation,
        given: &[OperandData<'_>],
        placement: ResultPlacement,
    ) -> Result<Tensor<T>, Error> {
        if T::IS_INTEGER {
            let (elements, layout) = IntegerProduct::new::<T>(self, equation, given)?.run(self, given)?.typed();
            return Ok(Tensor::from_parts(elements, layout));
        }
        let values: Vec<_> = given.iter().map(OperandData::value).collect::<Result<_, _>>()?;
        evaluate_to(self, &[product::<T>(equation, &values)?], placement)?.remove(0).into_tensor()
    }

    /// Computes a recorded result.
    ///
    /// # Errors
    /// Memory, and what decompositions and reductions report.
    pub fn eval<T: Element, S: Extents>(&self, expr: &Expr<'_, T, S>) -> Result<Tensor<T, S>, Error> {
        self.eval_to(expr, ResultPlacement::Host)
    }

    /// The same with a result that may stay on a device.
    ///
    /// # Errors
    /// As [`eval`](Context::eval).
    pub(super) fn eval_to<T: Element, S: Extents>(
        &self,
        expr: &Expr<'_, T, S>,
        placement: ResultPlacement,
    ) -> Result<Tensor<T, S>, Error> {
        let mut results = evaluate_to(self, std::slice::from_ref(expr.value()), placement)?;
        results.remove(0).into_tensor::<T>()?.into_typed()
    }
}

impl<T: Element> Indexed<'_, T> {
    /// Computes the equation `[left] = self`. The axes of the result are the labels in `left`: one letter each, or names
    /// between commas. Labels that are not in `left` are summed, by the rules of `tensor!`.
    ///
    /// # Errors
    /// All faults in the chain, ranks and extents that do not fit, and memory.
    ///
    /// ```
    /// # use tensorwrapper_runtime as tensorwrapper;
    /// use tensorwrapper::Tensor;
    /// let a = Tensor::<f64>::filled([2, 3], 1.0)?;
    /// let b = Tensor::<f64>::filled([3, 4], 2.0)?;
    /// let c = (a.at("i,k") * b.at("k,j")).eval("i,j")?;
    /// assert_eq!(c[[0, 0]], 6.0);
    /// # Ok::<(), tensorwrapper_runtime::Error>(())
    /// ```
    pub fn eval(&self, left: &str) -> Result<Tensor<T>, Error> {
        self.eval_in(Context::global(), left)
    }

    /// [`eval`](Indexed::eval) in a context.
    ///
    /// # Errors
    /// As [`eval`](Indexed::eval).
    pub fn eval_in(&self, context: &Context, left: &str) -> Result<Tensor<T>, Error> {
        context.eval(&self.record(left)?)
    }
}

impl<T: Element, S: Extents> Expr<'_, T, S> {
    /// The graph that computes this result, as lowered: before any pass has changed it.
    ///
    /// ```
    /// # use tensorwrapper_runtime as tensorwrapper;
    /// use tensorwrapper::Tensor;
    /// let a = Tensor::<f64>::filled([2, 3], 1.0)?;
    /// let graph = (a.at("ij") * a.at("kj") * a.at("kl")).record("il")?.graph();
    /// assert_eq!(graph.operations().len(), 1); // one product of three factors
    /// assert_eq!(graph.sources().count(), 1); // which are one tensor
    /// # Ok::<(), tensorwrapper_runtime::Error>(())
    /// ```
    pub fn graph(&self) -> OpGraph {
        lower(std::slice::from_ref(self.value())).graph
    }

    /// Computes the recorded result.
    ///
    /// # Errors
    /// Memory, and what decompositions and reductions report.
    pub fn eval(&self) -> Result<Tensor<T, S>, Error> {
        Context::global().eval(self)
    }
}

/// Computes several recorded results together; parts that they share are computed once.
///
/// Takes a tuple of references to recorded results of any types, or a slice of results of one type.
///
/// # Errors
/// Memory, and what decompositions and reductions report.
///
/// ```
/// # use tensorwrapper_runtime as tensorwrapper;
/// use tensorwrapper::{Tensor, eval_all};
/// let a = Tensor::<f64>::filled([2, 2], 1.0)?;
/// let square = (a.at("ik") * a.at("kj")).record("ij")?;
/// let cube = (square.at("ik") * a.at("kj")).record("ij")?;
/// let (square, cube) = eval_all((&square, &cube))?;
/// assert_eq!((square[[0, 0]], cube[[0, 0]]), (2.0, 4.0));
/// # Ok::<(), tensorwrapper_runtime::Error>(())
/// ```
pub fn eval_all<'a, R: EvalAll<'a, Output = X>, X>(results: R) -> Result<X, Error> {
    Context::global().eval_all(results)
}

impl Context {
    /// [`eval_all`] in this context.
    ///
    /// # Errors
    /// As [`eval_all`].
    pub fn eval_all<'a, R: EvalAll<'a, Output = X>, X>(&self, results: R) -> Result<X, Error> {
        R::typed(evaluate(self, &RecordedValue::all(&results))?)
    }
}
