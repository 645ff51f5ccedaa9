//! The language at run time: an equation as text, and the values of its names.

use std::cell::RefCell;

use num_complex::Complex;

use crate::expr::{Expr, OperandData, TensorLike, Value, read_text};
use crate::link::Link;
use tensorwrapper_core::element::{Dtype, Element};
use tensorwrapper_core::error::{Error, ErrorKind};

/// A value for a name in the text of an equation over `T`: anything with elements of type `T` that `tensor!` can index, and
/// numbers of that type or of its real type.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be a name in an equation over `{T}`",
    label = "neither a tensor nor a number of `{T}`",
    note = "truth values and integers are given as numbers, `let m = m.cast::<f64>()?;`: a condition in the text is `m[i] != 0.0`"
)]
pub trait RecordOperand<T> {
    #[doc(hidden)]
    fn named(&self) -> Named<'_>;
}

/// The value of a name.
#[doc(hidden)]
#[derive(Debug)]
pub struct Named<'a>(Kind<'a>);

#[derive(Debug)]
enum Kind<'a> {
    Tensor(OperandData<'a>),
    Number(Complex<f64>),
}

#[diagnostic::do_not_recommend]
impl<T: Element, X: TensorLike<Elem = T>> RecordOperand<T> for X {
    fn named(&self) -> Named<'_> {
        Named(Kind::Tensor(self.operand().given))
    }
}

macro_rules! numbers {
    ($($X:ty: $($T:ty),*;)*) => { $($(
        #[diagnostic::do_not_recommend]
        impl RecordOperand<$T> for $X {
            fn named(&self) -> Named<'_> {
                Named(Kind::Number((*self).to_complex()))
            }
        }
    )*)* };
}
numbers! {
    f32: f32, Complex<f32>;
    f64: f64, Complex<f64>;
    Complex<f32>: Complex<f32>;
    Complex<f64>: Complex<f64>;
}

impl<'a> Named<'a> {
    /// The tensor; a number is one of rank 0.
    ///
    /// # Errors
    /// Memory, for a block tensor, which is read as a dense one.
    fn value(&self, dtype: Dtype) -> Result<Link<Value<'a>>, Error> {
        Ok(match self.0 {
            Kind::Tensor(ref given) => given.value()?,
            Kind::Number(value) => Value::number(value, dtype),
        })
    }

    /// The tensor, if it is one.
    pub(super) fn given(&self) -> Option<&OperandData<'a>> {
        match &self.0 {
            Kind::Tensor(given) => Some(given),
            Kind::Number(_) => None,
        }
    }

    /// The number, if it is one.
    pub(super) fn number(&self) -> Option<Complex<f64>> {
        match self.0 {
            Kind::Tensor(_) => None,
            Kind::Number(value) => Some(value),
        }
    }
}

/// Records one equation in value form from its text, such as the text of `tensor!([i, k] = A[i, j] * B[k, j])`, for programs
/// that know the equation only at run time. Each name of the text stands for a tensor, a view, a recorded result or a number;
/// all of them are used. The result is computed by [`eval`](Expr::eval), is an operand of other equations, and has a
/// [graph](Expr::graph).
///
/// Positions, ranges and exponents are written as numbers. Rust values that `tensor!` accepts (expressions in braces,
/// functions, element types of casts) cannot be used in a text. Truth values and integers are given as numbers,
/// `let m = m.cast::<f64>()?;`, so that a condition of the text is `m[i] != 0.0`.
///
/// ```
/// # use tensorwrapper_runtime as tensorwrapper;
/// use tensorwrapper::{Tensor, record};
/// let a = Tensor::<f64>::from_fn([2, 3], |i| (i[0] + i[1]) as f64)?;
/// let b = Tensor::<f64>::from_fn([4, 3], |i| (i[0] * i[1]) as f64)?;
/// let product = record("[i, k] = c * A[i, j] * B[k, j]", &[("A", &a), ("B", &b), ("c", &0.5)])?;
/// assert_eq!(product.eval()?[[1, 3]], 0.5 * (2.0 * 3.0 + 3.0 * 6.0));
/// let sum = record("[] = sum(i, k; P[i, k])", &[("P", &product)])?; // an operand of the next
/// assert_eq!(sum.eval()?.extents(), []);
///
/// let error = record("[i, k] = A[i, j] * C[k, j]", &[("A", &a), ("B", &b)]).unwrap_err();
/// assert_eq!(error.to_string(), "the equation reads `C`, which is not among the names given\nhelp: the names given are `A`, `B`");
/// # Ok::<(), tensorwrapper_runtime::Error>(())
/// ```
///
/// # Errors
/// All errors of `tensor!`: syntax, labels, ranks and extents that do not fit. Also a name that is unknown, given twice or not
/// used, and text with more than one equation, a decomposition or Rust values.
pub fn record<'a, T: Element>(text: &str, names: &[(&str, &'a dyn RecordOperand<T>)]) -> Result<Expr<'a, T>, Error> {
    let given: Vec<&str> = names.iter().map(|(name, _)| *name).collect();
    check_different(&given)?;
    let named: Vec<Named<'a>> = names.iter().map(|(_, operand)| operand.named()).collect();
    let values: Vec<Link<Value<'a>>> = named.iter().map(|named| named.value(T::DTYPE)).collect::<Result<_, _>>()?;
    let (is_used, unknown) = (RefCell::new(vec![false; names.len()]), RefCell::new(None));
    let find = |name: &str| {
        let found = names.iter().position(|(known, _)| *known == name);
        match found {
            Some(n) => is_used.borrow_mut()[n] = true,
            None => *unknown.borrow_mut() = Some(name.to_string()),
        }
        found
    };
    let tensor = |name: &str| find(name).map(|n| Link::clone(&values[n]));
    let number = |name: &str| find(name).and_then(|n| named[n].number());
    let recorded = read_text::<T>(text, &tensor, &number);
    if let Some(name) = unknown.into_inner() {
        return Err(unknown_name(&name, &given));
    }
    let recorded = recorded?;
    match is_used.into_inner().iter().position(|is_used| !is_used) {
        Some(n) => Err(unread_name(given[n])),
        None => Ok(recorded),
    }
}

/// Whether no name is given twice.
pub(super) fn check_different(names: &[&str]) -> Result<(), Error> {
    match (1..names.len()).find(|&n| names[..n].contains(&names[n])) {
        Some(n) => Err(Error::new(ErrorKind::Label(format!("`{}` is given twice", names[n])))),
        None => Ok(()),
    }
}

/// That a text has a name that is not among those given.
pub(super) fn unknown_name(name: &str, given: &[&str]) -> Error {
    let message = format!("the equation reads `{name}`, which is not among the names given");
    let known: Vec<String> = given.iter().map(|name| format!("`{name}`")).collect();
    Error::new(ErrorKind::Label(message)).with_help(if known.is_empty() {
        "no names are given".to_string()
    } else {
        format!("the names given are {}", known.join(", "))
    })
}

/// That a name is given which a text does not have.
pub(super) fn unread_name(name: &str) -> Error {
    Error::new(ErrorKind::Label(format!("`{name}` is given, but the equation does not read it")))
}
