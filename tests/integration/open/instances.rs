//! Backends and passes of one name are told apart: no plan of the one is found by the other.

use num_complex::Complex;
use tensorwrapper::graph::{OpGraph, Operation, Rewrite};
use tensorwrapper::prelude::*;
use tensorwrapper_core::backend::reference::Reference;
use tensorwrapper_core::backend::{
    Contraction, Decomposition, Device, LoopNest, Operand, Output, PreparedContraction, Program, Reduction,
};
use tensorwrapper_core::callback::Callback;

/// A device whose products are so many times as large. All of them have one name.
#[derive(Clone, Debug)]
struct Scaled(f64);

impl Device for Scaled {
    fn name(&self) -> &'static str {
        "cpu"
    }

    fn prepare(&self, contraction: &Contraction<'_>) -> Result<PreparedContraction, Error> {
        Reference.prepare(&Contraction { alpha: contraction.alpha * self.0, ..*contraction })
    }

    fn map(
        &self,
        nest: &LoopNest,
        program: &Program,
        reduction: Reduction,
        functions: &[Callback<'_>],
        inputs: &[Operand<'_>],
        output: Output<'_>,
    ) -> Result<(), Error> {
        Reference.map(nest, program, reduction, functions, inputs, output)
    }

    fn factorise(&self, call: &Decomposition, inputs: &[Operand<'_>], outputs: Vec<Output<'_>>) -> Result<(), Error> {
        Reference.factorise(call, inputs, outputs)
    }
}

/// A pass that makes all products so many times as large. All of them have one name.
#[derive(Debug)]
struct Enlarge(f64);

impl Rewrite for Enlarge {
    fn name(&self) -> &str {
        "enlarge"
    }

    fn rewrite(&self, graph: &OpGraph) -> Result<Option<OpGraph>, Error> {
        let mut made = OpGraph::new();
        for source in graph.sources() {
            made.add_source(graph.tensor(source).extents.clone(), graph.tensor(source).dtype);
        }
        let [node] = graph.operations() else { return Ok(None) };
        let Operation::Contract { alpha, .. } = node.operation else { return Ok(None) };
        let operation = Operation::Contract { alpha: alpha * Complex::from(self.0), then: None };
        let output = &node.outputs[0];
        let dtype = graph.tensor(output.tensor).dtype;
        let tensors = made.add_operation(operation, node.inputs.clone(), &[(&output.labels(), dtype)], node.extents.clone());
        made.add_sink(tensors[0]);
        Ok(Some(made))
    }
}

/// The same product through one place in the program, by an equation and by subscripts.
fn products(context: &Context, a: &Tensor<f64>) -> [f64; 2] {
    let by_equation = tensor!(in context; [i, k] = a[i, j] * a[j, k]);
    let by_subscripts = context.einsum("ij,jk->ik", &[a, a]).unwrap();
    [by_equation[[0, 0]], by_subscripts[[0, 0]]]
}

#[test]
fn two_backends_of_one_name_share_no_plan() {
    let a = Tensor::<f64>::filled([2, 2], 1.0).unwrap();
    let [two, three] = [2.0, 3.0].map(|scale| Context::on(Scaled(scale)));
    assert_eq!(two.device_name(), three.device_name());
    for _ in 0..3 {
        assert_eq!(products(&two, &a), [4.0; 2]);
        assert_eq!(products(&three, &a), [6.0; 2]);
        assert_eq!(products(&Context::cpu().threads(1), &a), [2.0; 2]);
        assert_eq!(products(&Context::reference(), &a), [2.0; 2]);
    }
    // A setting that the device does not have leaves it as it is, whatever its name.
    assert_eq!(products(&two.threads(1), &a), [4.0; 2]);
}

#[test]
fn a_context_and_its_clones_share_plans() {
    let a = Tensor::<f64>::filled([2, 2], 1.0).unwrap();
    let context = Context::on(Scaled(5.0));
    assert_eq!(products(&context, &a), [10.0; 2]);
    let copies: Vec<Context> = vec![context.clone(); 3];
    let before = Context::plans().hits;
    copies.iter().for_each(|copy| assert_eq!(products(copy, &a), [10.0; 2]));
    assert!(Context::plans().hits >= before + 3);
}

#[test]
fn two_passes_of_one_name_share_no_plan() {
    let a = Tensor::<f64>::filled([2, 2], 1.0).unwrap();
    let [two, three] = [2.0, 3.0].map(|scale| Context::cpu().with_pass(Enlarge(scale)));
    for _ in 0..3 {
        assert_eq!(products(&two, &a), [4.0; 2]);
        assert_eq!(products(&three, &a), [6.0; 2]);
        assert_eq!(products(&Context::cpu(), &a), [2.0; 2]);
    }
    // Passes run one after another, each on what the one before it has made.
    let six = two.with_pass(Enlarge(3.0));
    assert_eq!(products(&six, &a), [12.0; 2]);
}

#[test]
fn kept_plans_of_dropped_backends_serve_nobody() {
    let a = Tensor::<f64>::filled([2, 2], 1.0).unwrap();
    for scale in 1..50 {
        let scale = f64::from(scale);
        assert_eq!(products(&Context::on(Scaled(scale)), &a), [2.0 * scale; 2]);
    }
}
