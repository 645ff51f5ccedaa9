//! Converts a graph to a recorded result.

use std::sync::Arc;

use super::AnyOperand;
use crate::expr::{Expr, inlined};
use tensorwrapper_core::element::Element;
use tensorwrapper_core::error::{Error, ErrorKind};
use tensorwrapper_core::graph::OpGraph;
use tensorwrapper_notation::sentence::counted;

impl<'a, T: Element> Expr<'a, T> {
    /// Records sink number `output` of a graph, as an operand of later equations. The operands fill the graph's sources by
    /// their slots. Nothing is computed yet; the graph's operations become part of the graphs that compute this result and
    /// results recorded from it.
    ///
    /// ```
    /// # use tensorwrapper_runtime as tensorwrapper;
    /// use tensorwrapper::{Expr, Tensor};
    /// let a = Tensor::<f64>::filled([2, 2], 1.0)?;
    /// let graph = (a.at("ik") * a.at("kj")).record("ij")?.graph(); // has one source, read twice
    ///
    /// let b = Tensor::<f64>::filled([2, 2], 3.0)?;
    /// let square: Expr<'_, f64> = Expr::from_graph(graph, &[&b], 0)?;
    /// let trace = square.at("ii").eval("")?;
    /// assert_eq!(trace[[]], 36.0);
    /// # Ok::<(), tensorwrapper_runtime::Error>(())
    /// ```
    ///
    /// # Errors
    /// A graph that [`verify`](OpGraph::verify) refuses, that calls functions of the program or has no such sink; operands that
    /// do not fit its sources; a result of another element type.
    pub fn from_graph(
        graph: impl Into<Arc<OpGraph>>,
        operands: &[&'a dyn AnyOperand],
        output: usize,
    ) -> Result<Expr<'a, T>, Error> {
        let operands = operands.iter().map(|operand| operand.any_operand().0.value()).collect::<Result<_, _>>()?;
        let mut results = inlined(graph.into(), operands)?;
        if output >= results.len() {
            let message = format!("the graph has {}, and number {output} was asked for", counted(results.len(), "result"));
            return Err(Error::new(ErrorKind::Shape(message)));
        }
        let value = results.swap_remove(output);
        if value.dtype != T::DTYPE {
            return Err(Error::new(ErrorKind::Element { expected: T::DTYPE, found: value.dtype }));
        }
        Ok(Expr::new(value))
    }
}
