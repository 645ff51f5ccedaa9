//! A toy backend that compiles whole graphs: products of real numbers in naive loops, one nest of loops for each contraction.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use tensorwrapper::graph::{Edge, EdgeAxis, OpGraph, Operation};
use tensorwrapper::{Dtype, Element as _, Error, ErrorKind};
use tensorwrapper_core::backend::reference::Reference;
use tensorwrapper_core::backend::{Backend, Device, Executable};
use tensorwrapper_core::layout::Strided;
use tensorwrapper_core::storage::{SliceMut, SliceRef};

/// Compiles graphs of contractions over `f64`, and leaves others to the reference device.
#[derive(Clone, Debug, Default)]
pub struct Compiler {
    pub compiled: Arc<AtomicUsize>,
    pub runs: Arc<AtomicUsize>,
    /// Whether its programs fail when they run.
    pub fails: bool,
    /// Bytes that its programs say they take.
    pub work_space: usize,
}

impl Compiler {
    /// How many graphs were compiled, and how often they ran.
    pub fn counts(&self) -> (usize, usize) {
        (self.compiled.load(Ordering::Relaxed), self.runs.load(Ordering::Relaxed))
    }
}

impl Backend for Compiler {
    fn device(&self) -> Arc<dyn Device> {
        Arc::new(Reference)
    }

    fn compile(&self, graph: &OpGraph, sources: &[Strided]) -> Result<Option<Box<dyn Executable>>, Error> {
        let is_known = |operation: &Operation| matches!(operation, Operation::Contract { then: None, .. });
        let is_real = graph.tensors().iter().all(|node| node.dtype == Dtype::F64);
        if !is_real || !graph.operations().iter().all(|node| is_known(&node.operation)) {
            return Ok(None);
        }
        self.compiled.fetch_add(1, Ordering::Relaxed);
        Ok(Some(Box::new(Program { graph: graph.clone(), sources: sources.to_vec(), compiler: self.clone() })))
    }
}

#[derive(Debug)]
struct Program {
    graph: OpGraph,
    sources: Vec<Strided>,
    compiler: Compiler,
}

impl Executable for Program {
    fn run(&self, inputs: &[SliceRef<'_>], outputs: &mut [SliceMut<'_>]) -> Result<(), Error> {
        self.compiler.runs.fetch_add(1, Ordering::Relaxed);
        if self.compiler.fails {
            return Err(Error::new(ErrorKind::Device("the toy is broken".to_string())));
        }
        // All tensors in C order, sources too.
        let mut tensors: Vec<Vec<f64>> = Vec::new();
        for node in self.graph.tensors() {
            tensors.push(match node.slot {
                Some(slot) => {
                    let data = f64::typed(inputs[slot]).expect("sources are of their type");
                    self.sources[slot].positions().map(|position| data[position]).collect()
                }
                None => vec![0.0; node.extents.iter().product()],
            });
        }
        for node in self.graph.operations() {
            let Operation::Contract { alpha, .. } = node.operation else { unreachable!("others are not compiled") };
            let mut index = vec![0; node.extents.len()];
            loop {
                if node.extents.contains(&0) {
                    break;
                }
                let position = |edge: &Edge| self.position(edge, &index);
                let product: f64 = node.inputs.iter().map(|edge| tensors[edge.tensor.0][position(edge)]).product();
                let output = &node.outputs[0];
                let place = position(output);
                tensors[output.tensor.0][place] += alpha.re * product;
                let Some(label) = (0..index.len()).rev().find(|&label| index[label] + 1 < node.extents[label]) else { break };
                index[label] += 1;
                index[label + 1..].fill(0);
            }
        }
        for (output, sink) in outputs.iter_mut().zip(self.graph.sinks()) {
            f64::typed_mut(output.reborrow()).expect("results are of their type").copy_from_slice(&tensors[sink.0]);
        }
        Ok(())
    }

    fn work_space(&self) -> usize {
        self.compiler.work_space
    }
}

impl Program {
    /// The position of an element of a tensor in C order.
    fn position(&self, edge: &Edge, index: &[usize]) -> usize {
        let extents = &self.graph.tensor(edge.tensor).extents;
        edge.axes.iter().zip(extents).fold(0, |position, (axis, extent)| {
            position * extent
                + match *axis {
                    EdgeAxis::Label { label, start } => start + index[label],
                    EdgeAxis::Chip(at) => at,
                }
        })
    }
}
