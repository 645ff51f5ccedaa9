//! Functions of parameters, computed with their gradients.

use std::fmt;
use std::marker::PhantomData;

use crate::exec::{AnyOperand, Context, Erased, PreparedBlock, Untyped, evaluate};
use crate::expr::{Expr, Reach, Source, Value};
use crate::grad::{NumberShape, RealNumber, Variables};
use crate::link::Link;
use crate::structs::{RecordedTensors, links, tensors};
use crate::tensor::{AnyRef, AnyTensor};
use tensorwrapper_core::error::{Error, ErrorKind};
use tensorwrapper_notation::sentence::counted;

type Values<'a> = Vec<Link<Value<'a>>>;

/// The gradient of a number by parameters, recorded, and both as values, the number first.
fn recorded<'a, T: RealNumber, S: NumberShape, P: Variables<'a>>(
    parameters: P,
    function: impl FnOnce(P::Gradients) -> Result<Expr<'a, T, S>, Error>,
) -> Result<(P::Gradients, Values<'a>), Error> {
    let number = function(parameters.variables())?;
    let gradient = number.grad(parameters)?;
    let values = [Link::clone(number.value())].into_iter().chain(links(&gradient)).collect();
    Ok((gradient, values))
}

/// The number and the gradient that were computed.
fn typed<'a, T: RealNumber, G: RecordedTensors<'a>>(form: &G, mut computed: Vec<AnyTensor>) -> Result<(T, G::Tensors), Error> {
    let gradient = computed.split_off(1);
    let number = computed.remove(0).into_tensor::<T>()?;
    Ok((number.as_slice()[0], tensors(form, gradient)?))
}

impl<'a, T: RealNumber, S: NumberShape> Expr<'a, T, S> {
    /// Computes this number and its [gradient](Expr::grad) together: what they share is computed once.
    ///
    /// ```
    /// # use tensorwrapper_runtime as tensorwrapper;
    /// use tensorwrapper::Tensor;
    /// let x = [Tensor::<f64>::filled([2], 3.0)?, Tensor::<f64>::filled([2], 1.0)?];
    /// let loss = (x[0].at("i") * x[0].at("i") * x[1].at("i")).record("")?;
    /// let (loss, gradients) = loss.value_and_grad(&x[..])?;
    /// assert_eq!(loss, 18.0);
    /// assert_eq!((gradients[0].as_slice(), gradients[1].as_slice()), (&[6.0, 6.0][..], &[9.0, 9.0][..]));
    /// # Ok::<(), tensorwrapper_runtime::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`grad`](Expr::grad), and what computing reports.
    pub fn value_and_grad<V: Variables<'a>>(&self, variables: V) -> Result<(T, V::Tensors), Error> {
        Context::global().value_and_grad(variables, |_| Ok(self.clone()))
    }
}

impl Context {
    /// Computes a function of parameters, a number, together with its gradient: what they share is computed once. The function
    /// records the number; it receives the parameters as recorded values, in the form in which they are given.
    ///
    /// ```
    /// # use tensorwrapper_runtime as tensorwrapper;
    /// use tensorwrapper::{Context, Tensor};
    /// let a = Tensor::<f64>::filled([2, 2], 1.0)?;
    /// let x = Tensor::<f64>::filled([2], 3.0)?;
    /// let (loss, (by_a, by_x)) =
    ///     Context::cpu().value_and_grad((&a, &x), |(a, x)| (a.at("ij") * x.at("i") * x.at("j")).record(""))?;
    /// assert_eq!((loss, by_a[[0, 1]], by_x[[0]]), (36.0, 9.0, 12.0));
    /// # Ok::<(), tensorwrapper_runtime::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`grad`](Expr::grad), and what the function and computing report.
    pub fn value_and_grad<'a, T: RealNumber, S: NumberShape, P: Variables<'a>>(
        &self,
        parameters: P,
        function: impl FnOnce(P::Gradients) -> Result<Expr<'a, T, S>, Error>,
    ) -> Result<(T, P::Tensors), Error> {
        let (gradient, values) = recorded(parameters, function)?;
        typed(&gradient, evaluate(self, &values)?)
    }

    /// Plans a function of parameters, a number, together with its gradient, so that both can be computed many times, each time with
    /// other parameters. Work that no parameter influences is computed now.
    ///
    /// ```
    /// # use tensorwrapper_runtime as tensorwrapper;
    /// use tensorwrapper::{Context, Tensor};
    /// let a = Tensor::<f64>::from_slice([2, 2], &[2.0, 0.0, 0.0, 1.0])?;
    /// let start = Tensor::<f64>::filled([2], 1.0)?;
    /// let energy = Context::cpu().prepare_grad(&start, |x| (a.at("ij") * x.at("i") * x.at("j") - x.at("i")).record(""))?;
    /// let mut x = start.clone();
    /// for _ in 0..100 {
    ///     let (_, gradient) = energy.run(&x)?;
    ///     x = (x.at("i") - gradient.at("i") * 0.2).eval("i")?.into_typed()?;
    /// }
    /// assert!((x[[0]] - 0.25).abs() < 1e-9 && (x[[1]] - 0.5).abs() < 1e-9);
    /// # Ok::<(), tensorwrapper_runtime::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`grad`](Expr::grad) and [`prepare_all`](Context::prepare_all), and parameters that are recorded results.
    pub fn prepare_grad<'a, T: RealNumber, S: NumberShape, P: Variables<'a>>(
        &self,
        parameters: P,
        function: impl FnOnce(P::Gradients) -> Result<Expr<'a, T, S>, Error>,
    ) -> Result<PreparedGrad<'a, T, P>, Error> {
        let own = links(&parameters.variables());
        let (gradient, values) = recorded(parameters, function)?;
        let given = own.iter().enumerate().map(|(n, value)| tensor(n, value)).collect::<Result<Vec<AnyRef<'_>>, Error>>()?;
        // A gradient may be constant where nothing depends on a parameter.
        let reach = Reach::new(&values);
        let is_read = |tensor: &AnyRef<'_>| reach.tensors().any(|read| read.data.overlaps(&tensor.data));
        let read: Vec<usize> = (0..given.len()).filter(|&n| is_read(&given[n])).collect();
        let operands: Vec<Erased<'_>> = read.iter().map(|&n| Erased(given[n].clone())).collect();
        let operands: Vec<&dyn AnyOperand> = operands.iter().map(|operand| operand as &dyn AnyOperand).collect();
        let block = self.prepare_all(Untyped(values), &operands)?;
        Ok(PreparedGrad { block, gradient, read, number: PhantomData })
    }
}

fn tensor<'a>(n: usize, value: &Link<Value<'a>>) -> Result<AnyRef<'a>, Error> {
    match &value.source {
        Source::Tensor(tensor) => Ok(tensor.clone()),
        _ => {
            let message = format!("parameter {n} is a recorded result, which has no elements to change");
            Err(Error::new(ErrorKind::Unsupported(message)).with_help("evaluate it first"))
        }
    }
}

/// A number and its gradient by parameters, planned once: see [`Context::prepare_grad`].
pub struct PreparedGrad<'a, T, P: Variables<'a>> {
    block: PreparedBlock<'a, Untyped<'a>>,
    gradient: P::Gradients,
    /// The parameters that anything depends on.
    read: Vec<usize>,
    number: PhantomData<fn() -> T>,
}

impl<'a, T, P: Variables<'a>> fmt::Debug for PreparedGrad<'a, T, P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "PreparedGrad by {}, {}",
            counted(links(&self.gradient).len(), "parameter"),
            counted(self.block.operations(), "operation")
        )
    }
}

impl<'a, T: RealNumber, P: Variables<'a>> PreparedGrad<'a, T, P> {
    /// Computes the number and its gradient for these parameters, which have the extents and strides of those that it was planned for.
    ///
    /// # Errors
    /// Other extents or strides, and what computing reports.
    pub fn run<'b, Q: Variables<'b, Tensors = P::Tensors>>(&self, parameters: Q) -> Result<(T, P::Tensors), Error> {
        let (given, count) = (links(&parameters.variables()), links(&self.gradient).len());
        if given.len() != count {
            let known = counted(count, "parameter");
            let message = format!("the gradient was prepared for {known}, but runs with {}", given.len());
            return Err(Error::new(ErrorKind::Shape(message)));
        }
        let operands: Vec<Erased<'_>> =
            self.read.iter().map(|&n| Ok(Erased(tensor(n, &given[n])?))).collect::<Result<_, Error>>()?;
        let operands: Vec<&dyn AnyOperand> = operands.iter().map(|operand| operand as &dyn AnyOperand).collect();
        typed(&self.gradient, self.block.run(&operands)?)
    }

    /// Number of operations of a run: multiplications of products, and operations on elements.
    pub fn operations(&self) -> f64 {
        self.block.operations()
    }
}
