//! Graphs for programs: gives the graphs of recorded results, which a program can read and change, and computes the results of
//! any graph.

use super::compile::{compile, rewritten, tensors};
use super::context::Context;
use super::operands::{AnyOperand, DynValue};
use super::results::{EvalAll, RecordedValue};
use super::run::{Execution, ResultPlacement};
use crate::lower::{Lowered, lower};
use crate::optimize::PassPipeline;
use crate::tensor::AnyTensor;
use tensorwrapper_core::error::{Error, ErrorKind};
use tensorwrapper_core::graph::OpGraph;
use tensorwrapper_core::layout::Strided;
use tensorwrapper_core::storage::SliceRef;
use tensorwrapper_notation::sentence::counted;

impl Context {
    /// The graph that computes recorded results together, as lowered: before any pass has changed it. It takes a tuple of references or a
    /// slice, as [`eval_all`](Context::eval_all) does; the graph's sinks are the results in their order, and its sources are the
    /// tensors in the order in which the results first read them, each once.
    ///
    /// ```
    /// # use tensorwrapper_runtime as tensorwrapper;
    /// use tensorwrapper::{Context, Tensor};
    /// let a = Tensor::<f64>::filled([2, 2], 1.0)?;
    /// let square = (a.at("ik") * a.at("kj")).record("ij")?;
    /// let cube = (square.at("ik") * a.at("kj")).record("ij")?;
    /// let graph = Context::cpu().graph_of((&square, &cube))?;
    /// assert_eq!((graph.operations().len(), graph.sinks().len(), graph.sources().len()), (2, 2, 1));
    /// # Ok::<(), tensorwrapper_runtime::Error>(())
    /// ```
    ///
    /// # Errors
    /// An invalid graph, which would be a bug of this library.
    pub fn graph_of<'a, R: EvalAll<'a>>(&self, results: R) -> Result<OpGraph, Error> {
        let Lowered { graph, .. } = lower(&RecordedValue::all(&results));
        graph.verify()?;
        Ok(graph)
    }

    /// The same after all passes: those that the program has added, and those of the library. It is the graph that the context
    /// would compute, except that a memory limit is applied only when the graph is planned.
    ///
    /// # Errors
    /// Errors of passes.
    pub fn optimized_graph_of<'a, R: EvalAll<'a>>(&self, results: R) -> Result<OpGraph, Error> {
        let graph = rewritten(self, self.graph_of(results)?)?;
        PassPipeline::new(&graph, &self.choices, &[])?.optimize(None)
    }

    /// Computes a graph that the program has built. The tensors fill its sources by their slots. Returns one tensor for each
    /// sink, in order.
    ///
    /// ```
    /// # use tensorwrapper_runtime as tensorwrapper;
    /// use tensorwrapper::graph::{Edge, OpGraph, Operation};
    /// use tensorwrapper::{Context, Dtype, Tensor};
    /// let mut graph = OpGraph::new();
    /// let [a, b] = [(); 2].map(|()| graph.add_source(vec![2, 2], Dtype::F64));
    /// let product = Operation::Contract { alpha: 1.0.into(), then: None };
    /// let inputs = vec![Edge::whole(a, &[0, 2]), Edge::whole(b, &[2, 1])];
    /// let made = graph.add_operation(product, inputs, &[(&[0, 1], Dtype::F64)], vec![2, 2, 2]);
    /// graph.add_sink(made[0]);
    ///
    /// let x = Tensor::<f64>::filled([2, 2], 1.0)?;
    /// let results = Context::cpu().run_graph(&graph, &[&x, &x])?;
    /// assert_eq!(results[0].view::<f64>()?.as_slice(), Some(&[2.0; 4][..]));
    /// # Ok::<(), tensorwrapper_runtime::Error>(())
    /// ```
    ///
    /// # Errors
    /// A graph that [`verify`](OpGraph::verify) refuses or that calls functions of the program, tensors that do not fit its
    /// sources in number ([`ErrorKind::Shape`]), extents or element type ([`ErrorKind::Element`]), recorded results, and what
    /// running reports.
    pub fn run_graph(&self, graph: &OpGraph, sources: &[&dyn AnyOperand]) -> Result<Vec<AnyTensor>, Error> {
        graph.verify()?;
        if graph.functions() > 0 {
            let message = "the graph calls functions of the program's, which it does not hold".to_string();
            return Err(Error::new(ErrorKind::Unsupported(message)));
        }
        let given: Vec<DynValue<'_>> = sources.iter().map(|operand| operand.any_operand()).collect();
        let given = fitting(graph, &given)?;
        let context = &*self.placed(given.iter().copied())?;
        let layouts: Vec<Strided> = given.iter().map(|(_, layout)| (*layout).clone()).collect();
        let mut graph = graph.clone();
        graph.copy_wanted_sources();
        let plan = compile(context, graph, &layouts)?;
        let data: Vec<SliceRef<'_>> = given.iter().map(|(data, _)| *data).collect();
        let execution = Execution::new(&plan, &context.backend, &context.observer);
        Ok(tensors(execution.run(&data, ResultPlacement::Host)?, &plan))
    }
}

/// The elements of tensors that are the sources of a graph, if they fit.
fn fitting<'a, 'g>(graph: &OpGraph, given: &'g [DynValue<'a>]) -> Result<Vec<(SliceRef<'a>, &'g Strided)>, Error> {
    if given.len() != graph.sources().len() {
        let (given, known) = (counted(given.len(), "tensor"), counted(graph.sources().len(), "source"));
        let message = format!("the graph has {known}, but is run with {given}");
        return Err(Error::new(ErrorKind::Shape(message)));
    }
    let fits = |(n, (source, given)): (usize, (_, &'g DynValue<'a>))| {
        let node = graph.tensor(source);
        let (data, layout) = given.0.elements().ok_or_else(|| {
            let message = format!("tensor {n} is a recorded result, which has no memory");
            Error::new(ErrorKind::Unsupported(message)).with_help("evaluate it first")
        })?;
        if data.dtype() != node.dtype {
            return Err(Error::new(ErrorKind::Element { expected: node.dtype, found: data.dtype() }));
        }
        if layout.extents() != node.extents {
            let (found, known) = (layout.extents(), &node.extents);
            let message = format!("tensor {n} has extents {found:?}, but the graph's source {n} has extents {known:?}");
            return Err(Error::new(ErrorKind::Shape(message)));
        }
        Ok((data, layout))
    };
    graph.sources().zip(given).enumerate().map(fits).collect()
}
