//! The run-time doors: subscript strings, integer labels, operators, recorded results.

use std::fmt::Debug;
use std::sync::Arc;

use smallvec::SmallVec;
use tensorwrapper_notation::syntax::{Hole, Statement};
use tensorwrapper_notation::{Equation, OperandId, check, contraction, einsum as parse_einsum, numbered_operands};

use super::context::Context;
use super::made::Tensors;
use super::placed::DeviceTensor;
use super::run::{Goes, evaluate, evaluate_to};
use crate::expr::{Expr, Given, Holes, Indexed, Notation, TensorLike, Tree, Value, bind_value, faults_to_error, read_text};
use crate::link::Link;
use crate::lower::lower;
use crate::tensor::{AnyTensor, Tensor};
use tensorwrapper_core::backend::Device;
use tensorwrapper_core::element::Element;
use tensorwrapper_core::error::Error;
use tensorwrapper_core::graph::OpGraph;
use tensorwrapper_core::shape::Extents;

/// An operand of [`einsum`] or [`contract`]: a tensor, a view or a recorded result of element type `T`, of any shape
/// type. Implemented for everything that `tensor!` can index.
pub trait DynOperand<T> {
    #[doc(hidden)]
    fn dyn_operand(&self) -> DynValue<'_>;
}

/// An operand without its shape type.
#[doc(hidden)]
#[derive(Clone, Debug)]
pub struct DynValue<'a>(pub(super) Given<'a>);

impl<T: Element, X: TensorLike<Elem = T>> DynOperand<T> for X {
    fn dyn_operand(&self) -> DynValue<'_> {
        DynValue(self.operand().given)
    }
}

/// Records one equation in value form from its text, which is read as `tensor!` reads its tokens; its names stand for
/// these tensors and numbers. Not for users: it is how the language is compared with the other doors.
///
/// # Errors
/// What `tensor!` refuses, and Rust expressions, which a text cannot hold.
pub fn record_text<'a, T: Element>(
    text: &str,
    tensors: &[(&str, &'a dyn DynOperand<T>)],
    numbers: &[(&str, T)],
) -> Result<Expr<'a, T>, Error> {
    let tensor = |name: &str| tensors.iter().find(|(known, _)| *known == name).map(|(_, tensor)| tensor.dyn_operand().0.value());
    let number = |name: &str| numbers.iter().find(|(known, _)| *known == name).map(|(_, number)| number.to_complex());
    read_text::<T>(text, &tensor, &number)
}

/// Evaluates an equation given as NumPy's subscripts: `"ikl,klj->ij"`, `...` for unnamed axes, and
/// without `->` the labels that occur once, in alphabetical order. Any letter is a label, a repeated one takes (on the
/// right of `->`: fills) a diagonal, and a label may be on any number of operands. Extents are never broadcast.
///
/// Spaces stand anywhere, inside `->` and `...` too, as NumPy has it with `optimize=True`. Where it stands for no axes, `...`
/// may be on one side of `->` alone, as in `"...i->i"` of a vector; where an operand has axes for it, the output has `...`.
///
/// An operand or a result has at most 256 labels, and there are at most 10 000 operands.
///
/// # Errors
/// Text that is no subscript, more labels or operands, ranks and extents that do not fit, memory.
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

/// Evaluates a product of tensors whose axes are labelled by numbers; labels that `output` lacks are summed. Limits are those of
/// [`einsum`].
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
        self.einsum_to(subscripts, operands, Goes::Here)
    }

    /// The same with a result that may stay on a device.
    ///
    /// # Errors
    /// As [`einsum`].
    pub(super) fn einsum_to<T: Element>(
        &self,
        subscripts: &str,
        operands: &[&dyn DynOperand<T>],
        goes: Goes,
    ) -> Result<Tensor<T>, Error> {
        let given = given(operands);
        let mut tensors = Tensors::new();
        given.iter().map_while(Given::elements).for_each(|tensor| tensors.push(tensor));
        match tensors.len() == given.len() {
            true => {
                let context = &*self.placed(tensors.iter().copied())?;
                let made = context.made::<T>(subscripts, &tensors)?;
                made.run(&context.device, &context.watch, &made.sources(&tensors), goes)
            }
            // A recorded result has a structure of its own, which no plan that was kept can know.
            false => {
                let values: Vec<_> = given.iter().map(Given::value).collect();
                let equation = checked(&subscripts_statement(subscripts, values.len())?)?;
                self.eval_to(&Expr::<T>::new(product::<T>(&equation, &values)?), goes)
            }
        }
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
        let values: Vec<_> = operands.iter().map(|(operand, _)| operand.dyn_operand().0.value()).collect();
        self.eval(&Expr::<T>::new(product::<T>(&checked(&labels_statement(operands, output)?)?, &values)?))
    }

    /// Computes a recorded result.
    ///
    /// # Errors
    /// Memory, and what decompositions and reductions report.
    pub fn eval<T: Element, S: Extents>(&self, expr: &Expr<'_, T, S>) -> Result<Tensor<T, S>, Error> {
        self.eval_to(expr, Goes::Here)
    }

    /// The same with a result that may stay on a device.
    ///
    /// # Errors
    /// As [`eval`](Context::eval).
    pub(super) fn eval_to<T: Element, S: Extents>(&self, expr: &Expr<'_, T, S>, goes: Goes) -> Result<Tensor<T, S>, Error> {
        let mut results = evaluate_to(self, std::slice::from_ref(expr.value()), goes)?;
        results.remove(0).into_tensor::<T>()?.into_typed()
    }
}

/// The operands of a call, few enough to need no memory of their own where the call is to be quick.
pub(super) fn given<'a, T>(operands: &[&'a dyn DynOperand<T>]) -> SmallVec<[Given<'a>; 6]> {
    let mut given = SmallVec::new();
    operands.iter().for_each(|operand| given.push(operand.dyn_operand().0));
    given
}

/// What subscripts say of so many operands.
pub(super) fn subscripts_statement(subscripts: &str, operands: usize) -> Result<Statement, Error> {
    parse_einsum(subscripts, &numbered_operands(operands), None)
        .map_err(|fault| faults_to_error(vec![fault], Notation::Subscripts))
}

/// What labels that are numbers say of operands.
pub(super) fn labels_statement<T>(operands: &[(&dyn DynOperand<T>, &[usize])], output: &[usize]) -> Result<Statement, Error> {
    let labels: Vec<&[usize]> = operands.iter().map(|(_, labels)| *labels).collect();
    contraction(&labels, output).map_err(|fault| faults_to_error(vec![fault], Notation::Subscripts))
}

/// What a statement about operands that are known by their positions means.
pub(super) fn checked(statement: &Statement) -> Result<Equation, Error> {
    check(statement, &[]).map_err(|faults| faults_to_error(faults, Notation::Subscripts))
}

/// The value of an equation over operands that are known by their positions.
pub(super) fn product<'a, T: Element>(equation: &Equation, values: &[Link<Value<'a>>]) -> Result<Link<Value<'a>>, Error> {
    bind_value(equation, T::DTYPE, &Listed(values))
}

/// Operands that are known by their positions.
struct Listed<'l, 'a>(&'l [Link<Value<'a>>]);

impl<'a> Holes<'a> for Listed<'_, 'a> {
    fn tensor(&self, _: OperandId, hole: &Hole) -> Link<Value<'a>> {
        Link::clone(&self.0[hole.span.start])
    }

    fn scalar(&self, _: &Hole) -> Tree<'a> {
        unreachable!("these doors have no scalars")
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

/// Computes several recorded results together, so that what they share is computed once.
///
/// Takes a tuple of references to recorded results of any types, or a slice of results of one type.
///
/// # Errors
/// Memory, and what decompositions and reductions report.
///
/// ```
/// use tensorwrapper_runtime::{Tensor, eval_all};
/// let a = Tensor::<f64>::filled([2, 2], 1.0)?;
/// let square = (a.at("ik") * a.at("kj")).record("ij")?;
/// let cube = (square.at("ik") * a.at("kj")).record("ij")?;
/// let (square, cube) = eval_all((&square, &cube))?;
/// assert_eq!((square[[0, 0]], cube[[0, 0]]), (2.0, 4.0));
/// # Ok::<(), tensorwrapper_runtime::Error>(())
/// ```
pub fn eval_all<'a, R: EvalAll<'a>>(results: R) -> Result<R::Output, Error> {
    Context::global().eval_all(results)
}

impl Context {
    /// [`eval_all`] in this context.
    ///
    /// # Errors
    /// As [`eval_all`].
    pub fn eval_all<'a, R: EvalAll<'a>>(&self, results: R) -> Result<R::Output, Error> {
        R::typed(evaluate(self, &RecordedValue::all(&results))?)
    }
}

/// Several recorded results: a tuple of references, or a slice.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a list of recorded results",
    label = "write `eval_all((&x, &y))`, or give a slice of results of one type"
)]
pub trait EvalAll<'a> {
    /// The computed tensors.
    type Output;
    #[doc(hidden)]
    fn values(&self) -> Vec<RecordedValue<'a>>;
    #[doc(hidden)]
    fn typed(tensors: Vec<AnyTensor>) -> Result<Self::Output, Error>;
    /// The same where they stay on a device.
    type OnDevice;
    #[doc(hidden)]
    fn typed_there(tensors: Vec<AnyTensor>, device: &DeviceOf) -> Result<Self::OnDevice, Error>;
}

/// A device, for those who know what that is.
#[doc(hidden)]
#[derive(Clone, Debug)]
pub struct DeviceOf(pub(super) Arc<dyn Device>);

/// A recorded result without its types.
#[doc(hidden)]
#[derive(Debug)]
pub struct RecordedValue<'a>(Link<Value<'a>>);

impl<'a> RecordedValue<'a> {
    pub(super) fn all(results: &impl EvalAll<'a>) -> Vec<Link<Value<'a>>> {
        results.values().into_iter().map(|value| value.0).collect()
    }
}

impl<'a, T: Element, S: Extents> EvalAll<'a> for &[Expr<'a, T, S>] {
    type Output = Vec<Tensor<T, S>>;
    fn values(&self) -> Vec<RecordedValue<'a>> {
        self.iter().map(|expr| RecordedValue(Link::clone(expr.value()))).collect()
    }
    fn typed(tensors: Vec<AnyTensor>) -> Result<Self::Output, Error> {
        tensors.into_iter().map(|tensor| tensor.into_tensor::<T>()?.into_typed()).collect()
    }
    type OnDevice = Vec<DeviceTensor<T, S>>;
    fn typed_there(tensors: Vec<AnyTensor>, device: &DeviceOf) -> Result<Self::OnDevice, Error> {
        tensors.into_iter().map(|tensor| Ok(DeviceTensor::new(tensor.into_tensor::<T>()?.into_typed()?, &device.0))).collect()
    }
}

macro_rules! tuples {
    ($($(($T:ident $S:ident $axis:tt))*;)*) => { $(
        impl<'a, $($T: Element, $S: Extents),*> EvalAll<'a> for ($(&Expr<'a, $T, $S>,)*) {
            type Output = ($(Tensor<$T, $S>,)*);
            fn values(&self) -> Vec<RecordedValue<'a>> {
                vec![$(RecordedValue(Link::clone(self.$axis.value()))),*]
            }
            fn typed(tensors: Vec<AnyTensor>) -> Result<Self::Output, Error> {
                let mut results = tensors.into_iter();
                let mut next = || results.next().expect("there is a result for each value");
                Ok(($(next().into_tensor::<$T>()?.into_typed::<$S>()?,)*))
            }
            type OnDevice = ($(DeviceTensor<$T, $S>,)*);
            fn typed_there(tensors: Vec<AnyTensor>, device: &DeviceOf) -> Result<Self::OnDevice, Error> {
                let mut results = tensors.into_iter();
                let mut next = || results.next().expect("there is a result for each value");
                Ok(($(DeviceTensor::new(next().into_tensor::<$T>()?.into_typed::<$S>()?, &device.0),)*))
            }
        }
    )* };
}
tuples! {
    (T0 S0 0);
    (T0 S0 0) (T1 S1 1);
    (T0 S0 0) (T1 S1 1) (T2 S2 2);
    (T0 S0 0) (T1 S1 1) (T2 S2 2) (T3 S3 3);
    (T0 S0 0) (T1 S1 1) (T2 S2 2) (T3 S3 3) (T4 S4 4);
    (T0 S0 0) (T1 S1 1) (T2 S2 2) (T3 S3 3) (T4 S4 4) (T5 S5 5);
    (T0 S0 0) (T1 S1 1) (T2 S2 2) (T3 S3 3) (T4 S4 4) (T5 S5 5) (T6 S6 6);
    (T0 S0 0) (T1 S1 1) (T2 S2 2) (T3 S3 3) (T4 S4 4) (T5 S5 5) (T6 S6 6) (T7 S7 7);
}
