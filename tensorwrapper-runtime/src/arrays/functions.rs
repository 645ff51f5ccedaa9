//! Functions of each element, by the kernels that equations have for them, and sizes and squares by plain loops.

use tensorwrapper_core::Measured;
use tensorwrapper_core::backend::function::Unary;
use tensorwrapper_core::backend::{Instruction, LoopNest, Operand, Output, Program, Reduction};
use tensorwrapper_core::element::Element;
use tensorwrapper_core::error::{Error, ErrorKind};
use tensorwrapper_core::layout::Strided;
use tensorwrapper_core::shape::Extents;
use tensorwrapper_core::storage::Owned;
use tensorwrapper_core::stored::{Numeric, Stored, power};

use super::iteration::each;
use super::loops::device;
use super::methods;
use crate::tensor::{Tensor, TensorRef};

/// Elements that are computed at a time. A device writes results of many megabytes past the caches, where what reads them next does not
/// find them.
const PIECE: usize = 1 << 17;

const COMPUTED: &str = "devices compute with all numbers but integers";

/// The tensor of what an instruction makes of each element, which is no integer.
fn made<T: Stored, S: Extents>(view: &TensorRef<'_, T, S>, instruction: Instruction) -> Result<Tensor<T, S>, Error> {
    let layout = Strided::row_major(view.extents())?;
    let mut values = Owned::<T>::for_results(layout.len())?;
    let program = Program::new(vec![Instruction::Input(0), instruction]);
    let run = |extents: &[usize], input: Operand<'_>, (values, layout): (&mut [T], &Strided)| {
        let nest = LoopNest::new(extents, extents.len());
        let values = T::numbers_mut(values).expect(COMPUTED);
        device().map(&nest, &program, Reduction::Sum, &[], &[input], Output::new(values, layout))
    };
    match view.as_slice() {
        Some(elements) if elements.len() > PIECE => {
            for (from, to) in elements.chunks(PIECE).zip(values.chunks_mut(PIECE)) {
                let piece = Strided::row_major(&[from.len()])?;
                run(&[from.len()], Operand::new(T::numbers(from).expect(COMPUTED), &piece), (to, &piece))?;
            }
        }
        _ => {
            let (elements, strides) = view.numbers().expect(COMPUTED);
            run(view.extents(), Operand::new(elements, strides), (&mut values, &layout))?;
        }
    }
    Ok(Tensor::from_parts(values, layout))
}

fn abs<T: Measured, S: Extents>(view: &TensorRef<'_, T, S>) -> Result<Tensor<T::Absolute, S>, Error> {
    if T::COMPUTED.is_complex() {
        return made(view, Instruction::Apply(Unary::Abs, 0))?.map(T::absolute);
    }
    each(view, T::absolute)
}

fn powi<T: Numeric, S: Extents>(view: &TensorRef<'_, T, S>, exponent: i32) -> Result<Tensor<T, S>, Error> {
    if exponent == 2 {
        return each(view, |x| x.times(x));
    }
    if !T::IS_INTEGER {
        return made(view, Instruction::PowerInteger(0, exponent));
    }
    match u32::try_from(exponent) {
        Ok(exponent) => each(view, move |x| power(x, exponent)),
        Err(_) => Err(Error::new(ErrorKind::Undefined(format!(
            "`powi` of integers with the exponent {exponent}: `{}` has no fractions; `a.cast::<f64>()?` has",
            T::NAME
        )))),
    }
}

fn powf<T: Element, S: Extents>(view: &TensorRef<'_, T, S>, exponent: f64) -> Result<Tensor<T, S>, Error> {
    made(view, Instruction::PowerReal(0, exponent))
}

/// Methods that are functions of the language.
macro_rules! functions {
    ($($Function:ident, $name:ident, $what:literal, $of:literal = $is:literal, [$($alias:literal),*];)*) => {
        $(fn $name<T: Element, S: Extents>(view: &TensorRef<'_, T, S>) -> Result<Tensor<T, S>, Error> {
            made(view, Instruction::Apply(Unary::$Function, 0))
        })*

        methods!(impl[T: Element] { $(
            #[doc = concat!($what, " of each element, as `", stringify!($name), "(X)` in equations.\n\n```\n",
                "# use tensorwrapper_runtime as tensorwrapper;\nuse tensorwrapper::Tensor;\n",
                "assert_eq!(Tensor::from_array([", $of, "])?.", stringify!($name), "()?.as_slice(), [", $is, "]);\n",
                "# Ok::<(), tensorwrapper_runtime::Error>(())\n```\n\n",
                "# Errors\n[`ErrorKind::Memory`](crate::ErrorKind::Memory) when the system has no memory for the result.")]
            #[doc(alias($($alias),*))]
            fn $name() -> Result<Tensor<T, S>, Error> = $name;
        )* });
    };
}
functions! {
    Exp, exp, "The exponential", "0.0, 1.0" = "1.0, 1f64.exp()", ["exponential"];
    Ln, ln, "The natural logarithm, NaN where a real element is negative,", "1.0, 8.0" = "0.0, 8f64.ln()", ["log", "loge"];
    Sqrt, sqrt, "The square root, NaN where a real element is negative,", "4.0, 2.25" = "2.0, 1.5", ["root"];
    Sin, sin, "The sine", "0.0" = "0.0", ["sine"];
    Cos, cos, "The cosine", "0.0" = "1.0", ["cosine"];
    Tanh, tanh, "The hyperbolic tangent", "0.0, 40.0" = "0.0, 1.0", ["hyperbolic"];
}

methods!(impl[T: Measured] {
    /// The absolute value of each element: real of complex numbers, of other numbers of their type. That of the smallest integer wraps
    /// around.
    ///
    /// ```
    /// # use tensorwrapper_runtime as tensorwrapper;
    /// use tensorwrapper::{Complex, Tensor};
    /// assert_eq!(Tensor::from_array([-1.5, 2.0])?.abs()?.as_slice(), [1.5, 2.0]);
    /// assert_eq!(Tensor::from_array([Complex::new(3.0, 4.0)])?.abs()?.as_slice(), [5.0]);
    /// assert_eq!(Tensor::from_array([-3, 4])?.abs()?.as_slice(), [3, 4]);
    /// # Ok::<(), tensorwrapper_runtime::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`ErrorKind::Memory`](crate::ErrorKind::Memory) when the system has no memory for the result.
    #[doc(alias("absolute", "fabs", "modulus"))]
    fn abs() -> Result<Tensor<T::Absolute, S>, Error> = abs;
});

methods!(impl[T: Element] {
    /// A real power of each element, as `powf(X, p)` in equations: NaN of negative real elements where the exponent is not whole.
    ///
    /// ```
    /// # use tensorwrapper_runtime as tensorwrapper;
    /// use tensorwrapper::Tensor;
    /// assert_eq!(Tensor::from_array([4.0, 9.0])?.powf(0.5)?.as_slice(), [2.0, 3.0]);
    /// # Ok::<(), tensorwrapper_runtime::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`ErrorKind::Memory`](crate::ErrorKind::Memory) when the system has no memory for the result.
    fn powf(exponent: f64) -> Result<Tensor<T, S>, Error> = powf;
});

methods!(impl[T: Numeric] {
    /// A whole power of each element, as `powi(X, n)` in equations. Integers wrap around.
    ///
    /// ```
    /// # use tensorwrapper_runtime as tensorwrapper;
    /// use tensorwrapper::Tensor;
    /// assert_eq!(Tensor::from_array([-2.0, 3.0])?.powi(2)?.as_slice(), [4.0, 9.0]);
    /// assert_eq!(Tensor::from_array([-2, 3])?.powi(3)?.as_slice(), [-8, 27]);
    /// # Ok::<(), tensorwrapper_runtime::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`ErrorKind::Undefined`](crate::ErrorKind::Undefined) when integers have a negative exponent,
    /// [`ErrorKind::Memory`](crate::ErrorKind::Memory) when the system has no memory for the result.
    #[doc(alias("pow", "power", "square"))]
    fn powi(exponent: i32) -> Result<Tensor<T, S>, Error> = powi;
});
