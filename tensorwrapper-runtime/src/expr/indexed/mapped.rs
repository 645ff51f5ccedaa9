//! Chains of operators with functions and element types of the program: `map(f; X, Y)` and `cast(X)`.

use std::marker::PhantomData;

use tensorwrapper_notation::syntax::{Expression, ExpressionKind};

use super::{Indexed, Leaf, bounded, hole};
use tensorwrapper_core::callback::Callback;
use tensorwrapper_core::element::{CastInto, Element};
use tensorwrapper_core::error::Error;
use tensorwrapper_core::internal::map_function::{self, callback1, callback2};

impl<'a, T: Element> Indexed<'a, T> {
    /// Applies a function to each element. It is called from several threads, in any order, and as often as the computation
    /// needs it.
    ///
    /// ```
    /// # use tensorwrapper_runtime as tensorwrapper;
    /// use tensorwrapper::Tensor;
    /// let a = Tensor::<f64>::from_slice([3], &[-1.0, 0.0, 2.0])?;
    /// let steps = a.at("i").map(&|x: f64| if x > 0.0 { x } else { 0.1 * x }).eval("i")?;
    /// assert_eq!(steps.as_slice(), [-0.1, 0.0, 2.0]);
    /// # Ok::<(), tensorwrapper_runtime::Error>(())
    /// ```
    #[doc(alias("apply"))]
    pub fn map<F: Fn(T) -> T + Sync>(self, function: &'a F) -> Self {
        Indexed::call(vec![callback1(function)], vec![self])
    }

    /// Applies a function to each element, with its slope for derivatives, and as many further derivatives of the function as there are
    /// to be: `map(f, slope; X)`.
    ///
    /// ```
    /// # use tensorwrapper_runtime as tensorwrapper;
    /// use tensorwrapper::Tensor;
    /// let x = Tensor::<f64>::from_slice([2], &[0.5, 2.0])?;
    /// let (f, slope) = (|x: f64| x.sinh(), |x: f64| x.cosh());
    /// let loss = x.at("i").map_with_slopes(&f, (&slope,)).sum("i").record("")?;
    /// assert_eq!(loss.grad(&x)?.eval()?.as_slice(), [0.5f64.cosh(), 2.0f64.cosh()]);
    /// # Ok::<(), tensorwrapper_runtime::Error>(())
    /// ```
    pub fn map_with_slopes<F: Fn(T) -> T + Sync>(self, function: &'a F, slopes: impl MapSlopes<'a, T>) -> Self {
        Indexed::call([callback1(function)].into_iter().chain(slopes.callbacks()).collect(), vec![self])
    }

    /// Applies a function of two arguments, an element of this tensor and one of `other`: `map(f; X, Y)`.
    /// [`map_all`](Indexed::map_all) takes more arguments.
    pub fn zip_map<F: Fn(T, T) -> T + Sync>(self, other: Self, function: &'a F) -> Self {
        Indexed::call(vec![callback2(function)], vec![self, other])
    }

    /// Applies a function of several arguments, one element of each tensor in the tuple; at most eight.
    ///
    /// ```
    /// # use tensorwrapper_runtime as tensorwrapper;
    /// use tensorwrapper::{Indexed, Tensor};
    /// let x = Tensor::<f64>::from_slice([2], &[1.0, 5.0])?;
    /// let clamp = |x: f64, low: f64, high: f64| x.clamp(low, high);
    /// let spread = |x| Indexed::spread(x, "i");
    /// let c = Indexed::map_all((x.at("i"), spread(2.0), spread(4.0)), &clamp).eval("i")?;
    /// assert_eq!(c.as_slice(), [2.0, 4.0]);
    /// # Ok::<(), tensorwrapper_runtime::Error>(())
    /// ```
    pub fn map_all<X: MapArguments<'a, T, F>, F: Sync>(arguments: X, function: &'a F) -> Self {
        arguments.call(function)
    }

    fn call(functions: Vec<Callback<'a>>, arguments: Vec<Self>) -> Self {
        let (holes, mut leaves): (Vec<_>, Vec<_>) = functions
            .into_iter()
            .map(|function| {
                let hole = hole("f".to_string());
                let place = hole.span.start;
                (hole, (place, Leaf::Function(function)))
            })
            .unzip();
        let (mut expressions, mut faults) = (Vec::new(), Vec::new());
        for argument in arguments {
            leaves.extend(argument.leaves);
            match argument.expression {
                Ok(expression) => expressions.push(expression),
                Err(fault) => faults.push(fault),
            }
        }
        let span = holes[0].span;
        let expression = match faults.is_empty() {
            true => bounded(Expression::new(ExpressionKind::Map(holes, expressions), span)),
            false => Err(Error::all(faults)),
        };
        Indexed { expression, leaves, element: PhantomData }
    }

    /// Converts the elements to another type, for use in a chain of that type: `cast(X)`.
    ///
    /// ```
    /// # use tensorwrapper_runtime as tensorwrapper;
    /// use tensorwrapper::Tensor;
    /// let (a, b) = (Tensor::<f32>::filled([2], 0.5)?, Tensor::<f64>::filled([2], 3.0)?);
    /// let c = (a.at("i").cast() * b.at("i")).eval("i")?;
    /// assert_eq!(c[[1]], 1.5);
    /// # Ok::<(), tensorwrapper_runtime::Error>(())
    /// ```
    #[doc(alias("astype", "convert"))]
    pub fn cast<U: Element>(self) -> Indexed<'a, U>
    where
        T: CastInto<U>,
    {
        self.converted()
    }

    /// The real parts as real numbers, for use in a chain of that type: `cast(re(X))`.
    ///
    /// ```
    /// # use tensorwrapper_runtime as tensorwrapper;
    /// use tensorwrapper::Complex;
    /// use tensorwrapper::Tensor;
    /// let z = Tensor::filled([2], Complex::new(3.0, 4.0))?;
    /// let length = z.at("i").abs().real().eval("i")?;
    /// assert_eq!(length[[1]], 5.0_f64);
    /// # Ok::<(), tensorwrapper_runtime::Error>(())
    /// ```
    pub fn real(self) -> Indexed<'a, T::Real> {
        self.re().converted()
    }

    pub(crate) fn converted<U>(self) -> Indexed<'a, U> {
        let element = hole(T::DTYPE.to_string());
        let mut leaves = self.leaves;
        leaves.push((element.span.start, Leaf::Element(T::DTYPE)));
        let expression = self.expression.and_then(|inner| {
            let span = inner.span;
            bounded(Expression::new(ExpressionKind::Cast(Some(element), Box::new(inner)), span))
        });
        Indexed { expression, leaves, element: PhantomData }
    }
}

/// A tuple of labelled tensors for a function with as many arguments.
pub trait MapArguments<'a, T: Element, F> {
    #[doc(hidden)]
    fn call(self, function: &'a F) -> Indexed<'a, T>;
}

/// A tuple of the derivatives of a function of one argument: the first, then the second, and the third.
pub trait MapSlopes<'a, T: Element> {
    #[doc(hidden)]
    fn callbacks(self) -> Vec<Callback<'a>>;
}

macro_rules! slopes {
    ($($($f:ident $F:ident),*;)*) => { $(
        impl<'a, T: Element, $($F: Fn(T) -> T + Sync),*> MapSlopes<'a, T> for ($(&'a $F,)*) {
            fn callbacks(self) -> Vec<Callback<'a>> {
                let ($($f,)*) = self;
                vec![$(callback1($f)),*]
            }
        }
    )* };
}
slopes! {
    f F;
    f F, g G;
    f F, g G, h H;
}

macro_rules! arguments {
    ($($callback:ident: $($x:ident $X:ident $A:ty),*;)*) => { $(
        impl<'a, T: Element, F: Fn($($A),*) -> T + Sync> MapArguments<'a, T, F> for ($($X<'a, T>,)*) {
            fn call(self, function: &'a F) -> Indexed<'a, T> {
                let ($($x,)*) = self;
                Indexed::call(vec![map_function::$callback(function)], vec![$($x),*])
            }
        }
    )* };
}
arguments! {
    callback1: a Indexed T;
    callback2: a Indexed T, b Indexed T;
    callback3: a Indexed T, b Indexed T, c Indexed T;
    callback4: a Indexed T, b Indexed T, c Indexed T, d Indexed T;
    callback5: a Indexed T, b Indexed T, c Indexed T, d Indexed T, e Indexed T;
    callback6: a Indexed T, b Indexed T, c Indexed T, d Indexed T, e Indexed T, f Indexed T;
    callback7: a Indexed T, b Indexed T, c Indexed T, d Indexed T, e Indexed T, f Indexed T, g Indexed T;
    callback8: a Indexed T, b Indexed T, c Indexed T, d Indexed T, e Indexed T, f Indexed T, g Indexed T, h Indexed T;
}
