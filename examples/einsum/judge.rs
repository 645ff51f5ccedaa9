//! Evaluates a case and compares the result with what was expected of it.

use num_complex::Complex;
use tensorwrapper::{Dtype, DynOperand, Element, Error, Tensor, einsum};

use super::cases::{Case, Expected, is_of_kind, stream};

/// Imaginary parts are another stream than real ones.
const IMAGINARY: u64 = 500_000;

/// Nothing, or the result as text where no value was expected in particular; or what is wrong with it.
pub(crate) fn judge(case: &Case) -> Result<Option<String>, String> {
    match case.dtype {
        Dtype::F32 => judge_over::<f32>(case, 1e-5),
        Dtype::C32 => judge_over::<Complex<f32>>(case, 1e-5),
        Dtype::C64 => judge_over::<Complex<f64>>(case, 1e-13),
        _ => judge_over::<f64>(case, 1e-13),
    }
}

/// Deviations are measured in `tolerance` of the same equation over absolute values.
fn judge_over<T: Element>(case: &Case, tolerance: f64) -> Result<Option<String>, String> {
    let operands = operands::<T>(case).map_err(|error| error.to_string())?;
    let result = evaluate(case, &operands);
    let refusal = Expected::Error(Some("extent_mismatch".into()));
    match (if case.broadcasts { &refusal } else { &case.expected }, result) {
        (Expected::Error(_), Ok(result)) => Err(format!("a value came out where an error was due: {result}")),
        (Expected::Error(None), Err(_)) => Ok(None),
        (Expected::Error(Some(kind)), Err(error)) if is_of_kind(error.kind(), kind) => Ok(None),
        (Expected::Error(Some(kind)), Err(error)) => Err(format!("an error of kind {kind} was due, but: {error}")),
        (Expected::Value { .. }, Err(error)) => Err(format!("refused: {error}")),
        (Expected::Value { shape, elements: None, sum: None, wsum: None, .. }, Ok(result)) => {
            extents(&result, shape.as_deref())?;
            Ok(Some(result.to_string()))
        }
        (Expected::Value { .. }, Ok(result)) => compare(case, &operands, &result, tolerance).map(|()| None),
    }
}

/// Every number that is given, against the one that was computed.
fn compare<T: Element>(case: &Case, operands: &[Tensor<T>], result: &Tensor<T>, tolerance: f64) -> Result<(), String> {
    let Expected::Value { shape, elements, sum, wsum, abs_max, abs_sum } = &case.expected else { return Ok(()) };
    extents(result, shape.as_deref())?;
    let computed: Vec<Complex<f64>> = result.as_slice().iter().map(|x| x.to_complex()).collect();
    if let Some(stored) = elements.as_ref().filter(|stored| stored.len() > computed.len()) {
        return Err(format!("{} elements instead of {}", computed.len(), stored.len()));
    }
    let (abs_max, abs_sum) = match (abs_max, abs_sum) {
        (Some(abs_max), Some(abs_sum)) => (*abs_max, *abs_sum),
        _ => scales(case, operands)?,
    };
    let close = |what: &str, found: Complex<f64>, expected: Option<Complex<f64>>, scale: f64| match expected {
        None => Ok(()),
        // NaN is close to nothing.
        Some(expected) if (found - expected).norm() <= tolerance * scale => Ok(()),
        Some(expected) => Err(format!("{what} is {} instead of {}", shown(found), shown(expected))),
    };
    for (k, &expected) in elements.iter().flatten().enumerate() {
        close(&format!("element {k}"), computed[k], Some(expected), abs_max.max(1e-300))?;
    }
    let weight = |k: usize| ((k % 1009 * 7919 % 1009) + 1) as f64 / 1009.0;
    close("the sum", computed.iter().sum(), *sum, abs_sum)?;
    close("the weighted sum", computed.iter().enumerate().map(|(k, x)| x * weight(k)).sum(), *wsum, abs_sum)
}

fn shown(number: Complex<f64>) -> String {
    if number.im == 0.0 { number.re.to_string() } else { number.to_string() }
}

fn extents<T: Element>(result: &Tensor<T>, expected: Option<&[usize]>) -> Result<(), String> {
    match expected {
        Some(expected) if result.extents() != expected => Err(format!("extents {:?} instead of {expected:?}", result.extents())),
        _ => Ok(()),
    }
}

/// The largest element and the sum of the same equation over absolute values.
fn scales<T: Element>(case: &Case, operands: &[Tensor<T>]) -> Result<(f64, f64), String> {
    let absolute = |operand: &Tensor<T>| {
        Tensor::<f64>::from_vec(operand.extents(), operand.as_slice().iter().map(|x| x.to_complex().norm()).collect())
    };
    let absolute = operands.iter().map(absolute).collect::<Result<Vec<_>, _>>().map_err(|error| error.to_string())?;
    let sizes = evaluate(case, &absolute).map_err(|error| error.to_string())?;
    Ok((sizes.as_slice().iter().copied().fold(0.0, f64::max), sizes.as_slice().iter().sum()))
}

fn evaluate<T: Element>(case: &Case, operands: &[Tensor<T>]) -> Result<Tensor<T>, Error> {
    let operands: Vec<&dyn DynOperand<T>> = operands.iter().map(|tensor| tensor as &dyn DynOperand<T>).collect();
    einsum(&case.subscripts, &operands)
}

fn operands<T: Element>(case: &Case) -> Result<Vec<Tensor<T>>, Error> {
    let tensor = |(shape, &seed): (&Vec<usize>, &u64)| {
        let (mut re, mut im) = (stream(seed), stream(seed.wrapping_add(IMAGINARY)));
        Tensor::from_fn(shape, |_| T::from_complex(Complex::new(re(), if T::DTYPE.is_complex() { im() } else { 0.0 })))
    };
    case.shapes.iter().zip(&case.seeds).map(tensor).collect()
}
