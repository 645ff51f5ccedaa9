//! Fills the holes of an equation with values that the program passes to the invocation and with results of other equations.

use std::cell::Cell;

use tensorwrapper_notation::syntax::Hole;
use tensorwrapper_notation::{Cast, CastId, FunctionId, OperandId, Use};

use super::super::evaluator::{ComputesExtents, Recorded};
use super::super::site::{Call, CallSite, Tensor};
use crate::exec::{Number, listed, listed_number};
use crate::expr::{Derivatives, Holes, ScalarKind, Tree, Value};
use crate::grad::{Projection, without_derivatives};
use crate::link::Link;
use crate::tensor::AnyTensor;
use tensorwrapper_core::callback::Callback;
use tensorwrapper_core::element::Dtype;
use tensorwrapper_core::error::{Error, ErrorKind};

/// An equation's holes, filled by a run.
pub(super) struct BlockHoles<'f, 'a, E> {
    pub(super) holes: Vec<(&'f Hole, Use)>,
    pub(super) number: usize,
    pub(super) site: &'static CallSite,
    pub(super) context: &'f E,
    pub(super) tensors: &'f [Tensor<'a>],
    /// Those that are block tensors, made dense.
    pub(super) dense: &'f [Option<Link<Value<'a>>>],
    /// The values that the program passes to this equation in addition to tensors.
    pub(super) call: &'f Call<'a>,
    /// How gradients by block tensors are projected on their structures.
    pub(super) projections: &'f [Projection<'a>],
    /// Whether tensors are stand-ins, whose elements mean nothing.
    pub(super) are_stand_ins: bool,
    /// Results of the equations before.
    pub(super) results: &'f [Link<Value<'a>>],
    /// The number of results of all equations of the block. Values of the program are numbered from here on.
    pub(super) all_results: usize,
    /// Whether an extent was found by computing.
    pub(super) computes_extents: Cell<bool>,
}

impl<'f, 'a, E> BlockHoles<'f, 'a, E> {
    /// A tensor that the program gives.
    fn given(&self, number: usize) -> Link<Value<'a>> {
        match self.dense.get(number) {
            Some(Some(dense)) => Link::clone(dense),
            _ => self.tensors[number].0.value().expect("block tensors were made dense, and others need no memory"),
        }
    }

    fn number(&self, hole: &Hole) -> &Number {
        listed_number(&self.call.numbers, &self.holes, hole)
    }
}

impl<'a, E: ComputesExtents> Holes<'a> for BlockHoles<'_, 'a, E> {
    fn tensor(&self, id: OperandId, _: &Hole) -> Link<Value<'a>> {
        let number = self.site.recipes[self.number].1[id.0];
        match number.checked_sub(self.all_results) {
            Some(given) => self.given(given),
            None => Link::clone(&self.results[number]),
        }
    }

    fn scalar(&self, hole: &Hole) -> Tree<'a> {
        match &listed(&self.call.scalars, &self.holes, hole, |role| role == Use::Scalar).0 {
            ScalarKind::Number(value) => Tree::Constant(*value),
            ScalarKind::Tensor(given) => {
                let value = given.value().expect("a block tensor is no scalar, and others need no memory");
                Tree::Operand(value, Vec::new())
            }
            ScalarKind::Local(number) => Tree::Operand(Link::clone(&self.results[*number]), Vec::new()),
        }
    }

    fn function(&self, id: FunctionId, _: &Hole) -> Callback<'a> {
        self.call.functions[id.0]
    }

    fn element(&self, id: CastId, _: &Cast) -> Dtype {
        self.call.casts[id.0]
    }

    fn is_differentiated(&self) -> bool {
        self.site.equations()[self.number + 1..].iter().any(|later| !later.gradients().is_empty())
    }

    fn compute(&self, values: &[Link<Value<'a>>]) -> Result<Vec<AnyTensor>, Error> {
        if self.are_stand_ins {
            let error =
                Error::new(ErrorKind::Unsupported("a derivative over block tensors behind a truncation by a tolerance".into()));
            return Err(error.with_help("truncate by `max`, or take it of dense tensors, which `to_dense` makes"));
        }
        self.computes_extents.set(true);
        self.context.compute(Recorded(values))
    }

    fn derive(&self, tree: Tree<'a>, derivatives: &Derivatives<'a>) -> Result<Tree<'a>, Error> {
        without_derivatives(tree, derivatives, self.projections)
    }

    fn count(&self, hole: &Hole) -> usize {
        self.number(hole).count()
    }

    fn range(&self, hole: &Hole) -> (usize, Option<usize>) {
        match self.number(hole) {
            Number::Range(start, end) => (*start, *end),
            other => unreachable!("a range was passed as {other:?}"),
        }
    }

    fn whole(&self, hole: &Hole) -> i32 {
        self.number(hole).whole()
    }

    fn real(&self, hole: &Hole) -> f64 {
        self.number(hole).real()
    }
}
