//! Graphs as recorded values: the results of a graph over recorded operands are operands of later equations.

use std::sync::Arc;

use super::value::{Inlined, Source, Value};
use crate::link::Link;
use tensorwrapper_core::error::{Error, ErrorKind};
use tensorwrapper_core::graph::OpGraph;
use tensorwrapper_notation::sentence::{are, counted};

/// The sinks of a graph, in order, as recorded values. The operands fill the graph's sources by their slots.
///
/// # Errors
/// A graph that `verify` refuses or that calls functions of the program, which the graph does not contain; operands that do not
/// fit its sources in number, extents or element type.
pub(crate) fn inlined<'a>(graph: Arc<OpGraph>, operands: Vec<Link<Value<'a>>>) -> Result<Vec<Link<Value<'a>>>, Error> {
    graph.verify()?;
    if graph.functions() > 0 {
        let message = "the graph calls functions of the program's, which it does not hold".to_string();
        return Err(Error::new(ErrorKind::Unsupported(message)));
    }
    if operands.len() != graph.sources().len() {
        let (known, given) = (counted(graph.sources().len(), "source"), counted(operands.len(), "operand"));
        let message = format!("the graph has {known}, but {given} {} given", are(operands.len()));
        return Err(Error::new(ErrorKind::Shape(message)));
    }
    for (n, (source, operand)) in graph.sources().zip(&operands).enumerate() {
        let source = graph.tensor(source);
        if source.dtype != operand.dtype {
            return Err(Error::new(ErrorKind::Element { expected: source.dtype, found: operand.dtype }));
        }
        if source.extents != operand.extents {
            let (wanted, found) = (&source.extents, &operand.extents);
            let message = format!("source {n} of the graph has extents {wanted:?}, and the operand for it has {found:?}");
            return Err(Error::new(ErrorKind::Shape(message)));
        }
    }
    let wanted: Vec<_> = graph.sinks().iter().map(|&sink| graph.tensor(sink)).collect();
    let wanted: Vec<_> = wanted.into_iter().map(|sink| (sink.extents.clone(), sink.dtype)).collect();
    let inlined = Arc::new(Inlined { graph, operands });
    let value = |(n, (extents, dtype))| {
        let source = Source::Graph(Arc::clone(&inlined), n);
        Link::new(Value { extents, dtype, source })
    };
    Ok(wanted.into_iter().enumerate().map(value).collect())
}
