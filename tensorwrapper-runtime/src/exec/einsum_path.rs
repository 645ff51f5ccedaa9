//! The order in which a product of tensors is multiplied, without computing it.

use super::context::Context;
use super::operands::{DynOperand, given};
use super::statements::{checked, product, subscripts_statement};
use crate::expr::OperandData;
use crate::lower::lower;
use tensorwrapper_core::element::Element;
use tensorwrapper_core::error::Error;
use tensorwrapper_core::graph::Edge;
use tensorwrapper_order::{Found, Search, find};

/// The order of fewest operations that is found for a product of tensors, and what it costs, as NumPy's function of this name tells.
/// Nothing is computed. [`einsum`](crate::einsum) takes this order; where a label is on three tensors and more it may take one of less
/// time. [`Order::path`](crate::Order::path) gives an order to a context.
///
/// [`Prepared::explain`](crate::Prepared::explain) tells more: steps with their times and memory.
///
/// # Errors
/// As [`einsum`](crate::einsum), and an order of the context that does not fit.
///
/// ```
/// # use tensorwrapper_runtime as tensorwrapper;
/// use tensorwrapper::{Tensor, einsum_path};
/// let (a, b, v) = (Tensor::<f64>::ones([10, 1000])?, Tensor::<f64>::ones([1000, 20])?, Tensor::<f64>::ones([20])?);
/// let path = einsum_path("ij,jk,k->i", &[&a, &b, &v])?;
/// assert_eq!(path.linear(), [(1, 2), (0, 1)]); // b·v, then a·(b·v)
/// assert_eq!(path.log2_operations.exp2().round(), 30_000.0);
/// # Ok::<(), tensorwrapper_runtime::Error>(())
/// ```
#[doc(alias("contract_path", "contraction_order"))]
pub fn einsum_path<T: Element>(subscripts: &str, operands: &[&dyn DynOperand<T>]) -> Result<Found, Error> {
    Context::global().einsum_path(subscripts, operands)
}

impl Context {
    /// [`einsum_path`] in this context, with its order and what it minimizes.
    ///
    /// # Errors
    /// As [`einsum_path`].
    ///
    /// ```
    /// # use tensorwrapper_runtime as tensorwrapper;
    /// use tensorwrapper::{Context, Order, Tensor};
    /// let (a, b, v) = (Tensor::<f64>::ones([10, 1000])?, Tensor::<f64>::ones([1000, 20])?, Tensor::<f64>::ones([20])?);
    /// let written = Context::cpu().order(Order::AsWritten).einsum_path("ij,jk,k->i", &[&a, &b, &v])?;
    /// assert_eq!(written.log2_operations.exp2().round(), 200_200.0); // (a·b)·v, where a·(b·v) takes 30,000
    /// # Ok::<(), tensorwrapper_runtime::Error>(())
    /// ```
    pub fn einsum_path<T: Element>(&self, subscripts: &str, operands: &[&dyn DynOperand<T>]) -> Result<Found, Error> {
        let given = given(operands);
        let values: Vec<_> = given.iter().map(OperandData::value).collect::<Result<_, _>>()?;
        let equation = checked(&subscripts_statement(subscripts, values.len())?)?;
        let graph = lower(&[product::<T>(&equation, &values)?]).graph;
        let choices = &self.choices;
        let search = Search::new().order(choices.order.clone()).minimize(choices.minimize.unwrap_or_default()).seed(choices.seed);
        match graph.operations() {
            // What is one tensor as it stands takes no operation.
            [] => find(&[(0..values[0].extents.len()).collect()], &[], &values[0].extents, &search),
            [.., node] => {
                let inputs: Vec<Vec<usize>> = node.inputs.iter().map(Edge::labels).collect();
                find(&inputs, &node.outputs[0].labels(), &node.extents, &search)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Order, Tensor};

    #[test]
    fn one_tensor_given_orders_and_faults() {
        let a = Tensor::<f64>::ones([3, 3]).unwrap();
        for subscripts in ["ij->ij", "ij->ji", "ii->i", "ij->"] {
            assert!(einsum_path(subscripts, &[&a]).unwrap().pairs.is_empty(), "{subscripts}");
        }
        let given = Context::cpu().order(Order::path([(0, 1), (0, 1)]));
        let path = given.einsum_path("ij,jk,kl->il", &[&a, &a, &a]).unwrap();
        assert_eq!(path.pairs, [(0, 1), (2, 3)]);
        assert_eq!(path.linear(), [(0, 1), (0, 1)]);
        let error = einsum_path("ij,jk->ik", &[&a]).unwrap_err().to_string();
        assert!(error.contains("names 2 operands, but 1 is given"), "{error}");
    }

    /// Batches and remaining axes are labels as any others.
    #[test]
    fn remaining_axes() {
        let (a, b) = (Tensor::<f64>::ones([5, 2, 3]).unwrap(), Tensor::<f64>::ones([5, 3, 4]).unwrap());
        let path = einsum_path("...ij,...jk->...ik", &[&a, &b]).unwrap();
        assert_eq!(path.pairs, [(0, 1)]);
        assert_eq!(path.log2_operations.exp2().round(), (5 * 2 * 3 * 4) as f64);
    }
}
