//! The run-time doors: subscript strings, integer labels, operators, recorded results.

use std::fmt::Debug;
use std::sync::Arc;

use tensorwrapper_notation::syntax::{Hole, Statement};
use tensorwrapper_notation::{check, contraction, einsum as parse_einsum};

use super::context::Context;
use super::run::evaluate;
use crate::element::Element;
use crate::error::Error;
use crate::expr::{Expr, Indexed, TensorLike, Tree, Value, bind, diagnostics_to_error};
use crate::graph::{OpGraph, lower};
use crate::shape::Extents;
use crate::tensor::Tensor;

/// An operand of [`einsum`] or [`contract`]: a tensor, a view or a recorded result of element type `T`, of any shape
/// type. Implemented for everything that `tensor!` can index.
pub trait DynOperand<T> {
    #[doc(hidden)]
    fn dyn_operand(&self) -> DynValue<'_>;
}

/// An operand without its shape type.
#[doc(hidden)]
#[derive(Clone, Debug)]
pub struct DynValue<'a>(Arc<Value<'a>>);

impl<T: Element, X: TensorLike<Elem = T>> DynOperand<T> for X {
    fn dyn_operand(&self) -> DynValue<'_> {
        DynValue(self.operand().value)
    }
}

/// Evaluates an equation given as NumPy's subscripts: `"ikl,klj->ij"`, spaces anywhere, `...` for unnamed axes, and
/// without `->` the labels that occur once, in alphabetical order. Any letter is a label, a repeated one takes (on the
/// right of `->`: fills) a diagonal, and a label may be on any number of operands. Extents are never broadcast.
///
/// # Errors
/// Text that is no subscript, ranks and extents that do not fit, memory.
///
/// ```
/// use tensorwrapper_runtime::{Tensor, einsum};
/// let a = Tensor::<f64>::from_fn([2, 3], |i| (i[0] + i[1]) as f64)?;
/// let b = Tensor::<f64>::from_fn([3, 2], |i| (i[0] * i[1]) as f64)?;
/// let c = einsum("ik,kj->ij", &[&a, &b])?;
/// assert_eq!(c.as_slice(), [0.0, 5.0, 0.0, 8.0]);
/// # Ok::<(), tensorwrapper_runtime::Error>(())
/// ```
pub fn einsum<T: Element>(subscripts: &str, operands: &[&dyn DynOperand<T>]) -> Result<Tensor<T>, Error> {
    Context::global().einsum(subscripts, operands)
}

/// Evaluates a product of tensors whose axes are labelled by numbers; labels that `output` lacks are summed.
///
/// # Errors
/// Ranks and extents that do not fit, labels of `output` that no operand has, memory.
///
/// ```
/// use tensorwrapper_runtime::{Tensor, contract};
/// let a = Tensor::<f64>::filled([2, 3], 1.0)?;
/// let b = Tensor::<f64>::filled([3, 4], 2.0)?;
/// let c = contract(&[(&a, &[0, 1]), (&b, &[1, 2])], &[0, 2])?;
/// assert_eq!(c.extents(), [2, 4]);
/// assert_eq!(c[[1, 3]], 6.0);
/// # Ok::<(), tensorwrapper_runtime::Error>(())
/// ```
pub fn contract<T: Element>(operands: &[(&dyn DynOperand<T>, &[usize])], output: &[usize]) -> Result<Tensor<T>, Error> {
    Context::global().contract(operands, output)
}

impl Context {
    /// [`einsum`] in this context.
    ///
    /// # Errors
    /// As [`einsum`].
    pub fn einsum<T: Element>(&self, subscripts: &str, operands: &[&dyn DynOperand<T>]) -> Result<Tensor<T>, Error> {
        let values: Vec<_> = operands.iter().map(|operand| operand.dyn_operand().0).collect();
        let ranks: Vec<usize> = values.iter().map(|value| value.extents.len()).collect();
        let statement = parse_einsum(subscripts, &ranks).map_err(|fault| diagnostics_to_error(vec![fault]))?;
        self.product(&statement, &values)
    }

    /// [`contract`] in this context.
    ///
    /// # Errors
    /// As [`contract`].
    pub fn contract<T: Element>(
        &self,
        operands: &[(&dyn DynOperand<T>, &[usize])],
        output: &[usize],
    ) -> Result<Tensor<T>, Error> {
        let values: Vec<_> = operands.iter().map(|(operand, _)| operand.dyn_operand().0).collect();
        let labels: Vec<&[usize]> = operands.iter().map(|(_, labels)| *labels).collect();
        let statement = contraction(&labels, output).map_err(|fault| diagnostics_to_error(vec![fault]))?;
        self.product(&statement, &values)
    }

    fn product<T: Element>(&self, statement: &Statement, values: &[Arc<Value<'_>>]) -> Result<Tensor<T>, Error> {
        let equation = check(statement, &[]).map_err(diagnostics_to_error)?;
        let operand = |hole: &Hole| Arc::clone(&values[hole.span.start]);
        let scalar = |_: &Hole| -> Tree<'_> { unreachable!("these doors have no scalars") };
        let value = bind::<T>(&equation, &operand, &scalar)?;
        self.eval(&Expr::<T>::new(value))
    }

    /// Computes a recorded result.
    ///
    /// # Errors
    /// Memory, and what decompositions and reductions report.
    pub fn eval<T: Element, S: Extents>(&self, expr: &Expr<'_, T, S>) -> Result<Tensor<T, S>, Error> {
        let mut results = evaluate(self, std::slice::from_ref(expr.value()))?;
        results.remove(0).into_tensor::<T>()?.into_typed()
    }
}

impl<T: Element> Indexed<'_, T> {
    /// Computes the equation `[left] = self`. Its axes are the labels in `left`: one letter each, or names between
    /// commas; labels that `left` lacks are summed, by the rules of `tensor!`.
    ///
    /// # Errors
    /// Everything that was wrong in the chain, ranks and extents that do not fit, memory.
    ///
    /// ```
    /// use tensorwrapper_runtime::Tensor;
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
    /// use tensorwrapper_runtime::Tensor;
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
