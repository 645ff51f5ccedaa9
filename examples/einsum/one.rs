//! One equation on tensors in `.npy` files, for each element type.
//!
//! Knows nothing of case files.

use std::ffi::OsString;
use std::io::Write;
use std::path::Path;

use tensorwrapper::{AnyTensor, Dtype, DynOperand, Element, Error, TensorRef, einsum};

use super::{Refused, USAGE};

/// `SUBSCRIPTS OPERAND.npy... [-o RESULT.npy]`
pub(crate) fn evaluate(arguments: &[OsString], out: &mut impl Write) -> Result<(), Refused> {
    let subscripts = arguments[0].to_str().ok_or_else(|| Refused("the subscripts are not text".into()))?;
    let (files, result) = match arguments[1..].iter().position(|argument| argument == "-o") {
        None => (&arguments[1..], None),
        Some(n) => match &arguments[1 + n + 1..] {
            [file] => (&arguments[1..1 + n], Some(Path::new(file))),
            _ => return Err(Refused(format!("one file follows `-o`, and nothing follows that; {USAGE}"))),
        },
    };
    if files.is_empty() {
        return Err(Refused(format!("`{subscripts}` has no operands; {USAGE}")));
    }
    let operands = files.iter().map(AnyTensor::read_npy).collect::<Result<Vec<_>, _>>().map_err(|error| sentence(&error))?;
    let dtype = operands[0].dtype();
    if let Some(n) = operands.iter().position(|operand| operand.dtype() != dtype) {
        let (first, other) = (Path::new(&files[0]).display(), Path::new(&files[n]).display());
        return Err(Refused(format!(
            "elements do not mix: {first} holds `{dtype}` and {other} `{}`; nothing is converted in silence",
            operands[n].dtype()
        )));
    }
    let computed = match dtype {
        Dtype::F32 => product::<f32>(subscripts, &operands),
        Dtype::F64 => product::<f64>(subscripts, &operands),
        Dtype::C32 => product::<num_complex::Complex<f32>>(subscripts, &operands),
        Dtype::C64 => product::<num_complex::Complex<f64>>(subscripts, &operands),
        other => return Err(Refused(format!("this program knows no elements of type `{other}`"))),
    };
    let (computed, text) = computed.map_err(|error| sentence(&error))?;
    match result {
        Some(file) => computed.write_npy(file).map_err(|error| sentence(&error)),
        None => Ok(writeln!(out, "{text}")?),
    }
}

/// The result, and the same as text.
fn product<T: Element>(subscripts: &str, operands: &[AnyTensor]) -> Result<(AnyTensor, String), Error> {
    let views = operands.iter().map(AnyTensor::view::<T>).collect::<Result<Vec<TensorRef<'_, T>>, _>>()?;
    let operands: Vec<&dyn DynOperand<T>> = views.iter().map(|view| view as &dyn DynOperand<T>).collect();
    let result = einsum(subscripts, &operands)?;
    let text = result.to_string();
    Ok((result.into(), text))
}

/// All that is wrong, on one line.
fn sentence(error: &Error) -> Refused {
    Refused(error.to_string().replace('\n', "; "))
}
