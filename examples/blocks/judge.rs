//! Evaluates a case over block tensors and compares the result, its structure and the work with what was expected.

use std::collections::BTreeSet;

use num_complex::Complex;
use serde_json::Value;
use tensorwrapper::{Blocks, Context, DynOperand, Element, Error, PreparedBlocks, RecordOperand, SignedPermutation};

use super::cases::{Case, Stream, lists, numbers, permutation};

/// Deviations allowed, in parts of the same equation over absolute values.
const TOLERANCE: f64 = 1e-13;

/// A summary of the result, or what is wrong with it.
pub(crate) fn judge(case: &Case) -> Result<String, String> {
    if case.is_complex { judge_over::<Complex<f64>>(case) } else { judge_over::<f64>(case) }
}

fn judge_over<T: Element>(case: &Case) -> Result<String, String> {
    let said = |error: Error| error.to_string();
    let names = names(&case.equation);
    if names.len() != case.operands.len() {
        return Err(format!("the equation reads {} tensors, but there are {}", names.len(), case.operands.len()));
    }
    // A name that is read twice is one tensor.
    let first = |n: usize| names.iter().position(|name| *name == names[n]) == Some(n);
    let mut tensors: Vec<(&str, Blocks<T>)> = Vec::new();
    for (n, operand) in case.operands.iter().enumerate() {
        if !first(n) {
            continue;
        }
        let mut stream = Stream::new(operand.seed);
        let blocks = Blocks::from_fn(&operand.structure, |_| {
            let re = stream.number();
            T::from_complex(Complex::new(re, if case.is_complex { stream.number() } else { 0.0 }))
        });
        tensors.push((&names[n], blocks.map_err(said)?));
    }
    let named: Vec<(&str, &dyn RecordOperand<T>)> =
        tensors.iter().map(|(name, tensor)| (*name, tensor as &dyn RecordOperand<T>)).collect();
    let prepared = Context::cpu().prepare_blocks(&case.equation, &named).map_err(said)?;
    let operands: Vec<&dyn DynOperand<T>> = tensors.iter().map(|(_, tensor)| tensor as &dyn DynOperand<T>).collect();
    let result = prepared.run(&operands).map_err(said)?;
    elements(&result, &case.expect)?;
    structure(&result, &case.expect)?;
    work(&prepared, case)?;
    Ok(format!("{} blocks, {} products of blocks", result.blocks().len(), prepared.tuples()))
}

/// The tensors that an equation reads, in the order of writing.
fn names(equation: &str) -> Vec<String> {
    let right = equation.split_once('=').map_or(equation, |(_, right)| right);
    let is_name = |c: char| c.is_alphanumeric() || c == '_';
    let before = right.match_indices('[').map(|(at, _)| &right[..at]);
    let name = |before: &str| before.rsplit(|c| !is_name(c)).next().unwrap_or_default().to_string();
    before.map(name).filter(|name| !name.is_empty()).collect()
}

fn complex(value: &Value) -> Option<Complex<f64>> {
    match value {
        Value::Array(parts) => Some(Complex::new(parts.first()?.as_f64()?, parts.get(1)?.as_f64()?)),
        number => number.as_f64().map(Complex::from),
    }
}

/// The elements and their sums.
fn elements<T: Element>(result: &Blocks<T>, expect: &Value) -> Result<(), String> {
    let dense = result.to_dense().map_err(|error| error.to_string())?;
    if let Ok(shape) = numbers(&expect["out_shape"])
        && dense.extents() != shape
    {
        return Err(format!("the result has extents {:?} instead of {shape:?}", dense.extents()));
    }
    let computed: Vec<Complex<f64>> = dense.as_slice().iter().map(|x| x.to_complex()).collect();
    let scale = |field: &str| expect[field].as_f64().filter(|scale| *scale > 0.0).unwrap_or(1.0);
    let close = |what: &str, found: Complex<f64>, expected: Complex<f64>, scale: f64| match (found - expected).norm() {
        error if error <= TOLERANCE * scale => Ok(()),
        _ => Err(format!("{what} is {found} instead of {expected}")),
    };
    for (k, value) in expect["out"].as_array().into_iter().flatten().enumerate() {
        let expected = complex(value).ok_or_else(|| format!("{value} is no number"))?;
        close(&format!("element {k}"), *computed.get(k).ok_or("there are too few elements")?, expected, scale("abs_max"))?;
    }
    if let Some(expected) = complex(&expect["sum"]) {
        close("the sum", computed.iter().sum(), expected, scale("abs_sum"))?;
    }
    if let Some(expected) = complex(&expect["wsum"]) {
        let weighted = computed.iter().enumerate().map(|(k, x)| x * ((k * 7919 % 1009 + 1) as f64 / 1009.0));
        close("the weighted sum", weighted.sum(), expected, scale("abs_sum"))?;
    }
    Ok(())
}

/// The cuts, the blocks, their norms and the symmetry of the result.
fn structure<T: Element>(result: &Blocks<T>, expect: &Value) -> Result<(), String> {
    let said = |error: Error| error.to_string();
    let structure = result.structure();
    if expect["out_tilings"].is_array() {
        let found: Vec<Vec<usize>> = structure.tilings().iter().map(|tiling| tiling.extents().collect()).collect();
        if found != lists(&expect["out_tilings"])? {
            return Err(format!("the result is cut {found:?} instead of {}", expect["out_tilings"]));
        }
    }
    if expect["out_blocks"].is_array() {
        let stored = result.blocks();
        let image = |block: &Vec<usize>, by: &SignedPermutation| by.axes().map(|axis| block[axis]).collect::<Vec<_>>();
        let images = stored.iter().flat_map(|block| structure.symmetry().elements().iter().map(|by| image(block, by)));
        let (found, expected): (BTreeSet<_>, BTreeSet<_>) =
            (images.collect(), lists(&expect["out_blocks"])?.into_iter().collect());
        if found != expected {
            let (more, less) = (found.difference(&expected).count(), expected.difference(&found).count());
            return Err(format!("the result has {more} blocks too many and lacks {less}"));
        }
    }
    for pair in expect["norms"].as_array().into_iter().flatten() {
        let (block, expected) = (numbers(&pair[0])?, pair[1].as_f64().ok_or("a norm is no number")?);
        let norm = result.norm(&block).map_err(said)?;
        if (norm - expected).abs() > 1e-12 * expected.max(1.0) {
            return Err(format!("block {block:?} has norm {norm} instead of {expected}"));
        }
    }
    match expect["invariances"].as_array() {
        Some(listed) if !listed.is_empty() => {
            let mut expected = listed.iter().map(permutation).collect::<Result<Vec<_>, _>>()?;
            expected.sort();
            match structure.symmetry().elements() == expected {
                true => Ok(()),
                false => Err(format!("the result has the symmetry {:?} instead of {expected:?}", structure.symmetry())),
            }
        }
        _ => Ok(()),
    }
}

/// The number of products of blocks, where there are two operands: products of more are computed in pairs, which need fewer.
fn work(prepared: &PreparedBlocks, case: &Case) -> Result<(), String> {
    let most = |field: &str| case.expect[field].as_u64().filter(|_| case.operands.len() == 2);
    match (most("canonical_tuples"), most("canonical_multiplications")) {
        (Some(most), _) if prepared.tuples() as u64 > most => {
            Err(format!("{} products of blocks instead of {most}", prepared.tuples()))
        }
        (_, Some(most)) if prepared.multiplications() > u128::from(most) => {
            Err(format!("{} multiplications instead of {most}", prepared.multiplications()))
        }
        _ => Ok(()),
    }
}
