//! Evaluates a case over block tensors and compares the result, its structure and the work with what was expected.

use std::collections::{BTreeMap, BTreeSet};

use num_complex::Complex;
use serde_json::Value;
use tensorwrapper::{Blocks, Context, DynOperand, Element, Error, RecordOperand, SignedPermutation, Structure, Tensor};

use super::cases::{Case, Form, Operand, lists, permutation};
use super::common::{Stream, numbers};
use super::work::{pairs, work};

/// Deviations allowed, in parts of the same equation over absolute values.
const TOLERANCE: f64 = 1e-13;
/// Points of an equation up to which the reference device computes it, too, which is slow.
const POINTS: f64 = 2e6;

/// A summary of the result, or what is wrong with it.
pub(crate) fn judge(case: &Case) -> Result<String, String> {
    let summary = if case.is_complex { judge_over::<Complex<f64>>(case) } else { judge_over::<f64>(case) };
    match (case.error(), summary) {
        (None, summary) => summary,
        (Some(expected), Err(sentence)) if sentence == expected => Ok(format!("refused: {sentence}")),
        (Some(expected), Err(sentence)) => Err(format!("{sentence}, instead of the sentence: {expected}")),
        (Some(expected), Ok(_)) => Err(format!("there is a result instead of the sentence: {expected}")),
    }
}

/// An operand with its elements.
pub(crate) enum Tensors<T: Element> {
    Dense(Box<Tensor<T>>),
    Blocks(Blocks<T>),
}

impl<T: Element> Tensors<T> {
    fn new(operand: &Operand) -> Result<Tensors<T>, Error> {
        let mut stream = Stream::new(operand.seed);
        let mut element = |_: &[usize]| {
            let re = stream.number();
            T::from_complex(Complex::new(re, if operand.is_complex { stream.number() } else { 0.0 }))
        };
        Ok(match &operand.form {
            Form::Dense(extents) => Tensors::Dense(Box::new(Tensor::from_fn(&extents[..], element)?)),
            Form::Blocks(structure) => Tensors::Blocks(Blocks::from_fn(structure, element)?),
            Form::Rows(rows, layers) => {
                let rows = rows.iter().map(|extents| Tensor::from_fn(&extents[..], &mut element));
                Tensors::Blocks(Blocks::rows(rows.collect::<Result<Vec<_>, _>>()?)?.nested(&layers[..])?)
            }
        })
    }

    pub(crate) fn record(&self) -> &dyn RecordOperand<T> {
        match self {
            Tensors::Dense(tensor) => &**tensor,
            Tensors::Blocks(blocks) => blocks,
        }
    }

    fn extents(&self) -> Vec<usize> {
        match self {
            Tensors::Dense(tensor) => tensor.extents().to_vec(),
            Tensors::Blocks(blocks) => blocks.structure().shape().extents().to_vec(),
        }
    }

    fn operand(&self) -> &dyn DynOperand<T> {
        match self {
            Tensors::Dense(tensor) => &**tensor,
            Tensors::Blocks(blocks) => blocks,
        }
    }
}

fn judge_over<T: Element>(case: &Case) -> Result<String, String> {
    let said = |error: Error| error.to_string();
    let (names, given) = (names(&case.equation), case.operands.clone()?);
    if names.len() != given.len() {
        return Err(format!("the equation reads {} tensors, but there are {}", names.len(), given.len()));
    }
    let mut tensors: Vec<(&str, Tensors<T>)> = Vec::new();
    for (n, operand) in given.iter().enumerate() {
        // A name that is read twice is one tensor.
        if names[..n].contains(&names[n]) {
            continue;
        }
        tensors.push((&names[n], Tensors::new(operand).map_err(said)?));
    }
    let named: Vec<(&str, &dyn RecordOperand<T>)> = tensors.iter().map(|(name, tensor)| (*name, tensor.record())).collect();
    let prepared = Context::cpu().prepare_blocks(&case.equation, &named).map_err(said)?;
    let operands: Vec<&dyn DynOperand<T>> = tensors.iter().map(|(_, tensor)| tensor.operand()).collect();
    let result = prepared.run(&operands).map_err(said)?;
    elements(&result, &case.expect)?;
    structure(&result, &case.expect)?;
    rows(result.structure(), &case.expect)?;
    work(&prepared, case, given.len())?;
    if given.len() > 2 {
        pairs(&prepared, &tensors)?;
    }
    let devices = match points(&case.equation, &tensors) {
        most if most <= POINTS => {
            let defined = Context::reference().prepare_blocks(&case.equation, &named).map_err(said)?;
            let defined = defined.run(&operands).map_err(said)?;
            elements(&defined, &case.expect).map_err(|error| format!("the reference device: {error}"))?;
            structure(&defined, &case.expect).map_err(|error| format!("the reference device: {error}"))?;
            "cpu and reference"
        }
        _ => "cpu",
    };
    Ok(format!("{} blocks, {} products of blocks, on {devices}", result.blocks().len(), prepared.tuples()))
}

/// The product of the extents of all labels that operands have.
fn points<T: Element>(equation: &str, tensors: &[(&str, Tensors<T>)]) -> f64 {
    let right = equation.split_once('=').map_or(equation, |(_, right)| right);
    let mut extents: BTreeMap<&str, usize> = BTreeMap::new();
    let brackets = right.split('[').skip(1).filter_map(|rest| Some(rest.split_once(']')?.0));
    for (name, inside) in names(equation).iter().zip(brackets) {
        let Some((_, tensor)) = tensors.iter().find(|(own, _)| own == name) else { continue };
        let labels = inside.split([',', ';']).map(str::trim).filter(|label| !label.is_empty());
        for (label, extent) in labels.zip(tensor.extents()) {
            let most = extents.entry(label).or_insert(extent);
            *most = extent.max(*most);
        }
    }
    extents.values().map(|&extent| extent as f64).product()
}

/// The tensors that an equation reads, in the order of writing.
pub(crate) fn names(equation: &str) -> Vec<String> {
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
    let shape = numbers(&expect["out_shape"]).unwrap_or_else(|_| dense.extents().to_vec());
    if dense.extents() != shape {
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
    let scale = expect["abs_sum"].as_f64().unwrap_or_default();
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
        // A block that is zero by symmetry, whatever its factors are, need not be there. Of a result without blocks, which is zero, the
        // sums have told that it is right.
        let zeros = expect["norms"].as_array().into_iter().flatten();
        let is_zero = |pair: &&Value| pair[1].as_f64().is_some_and(|norm| norm <= TOLERANCE * scale);
        let zeros: BTreeSet<Vec<usize>> = zeros.filter(is_zero).map(|pair| numbers(&pair[0])).collect::<Result<_, _>>()?;
        let is_lacking = |block: &&Vec<usize>| !found.is_empty() && !zeros.contains(*block);
        let (more, less) = (found.difference(&expected).count(), expected.difference(&found).filter(is_lacking).count());
        if more + less > 0 {
            return Err(format!("the result has {more} blocks too many and lacks {less}"));
        }
    }
    if let Some(least) = expect["out_count"].as_f64() {
        let size: f64 = structure.shape().extents().iter().map(|&extent| extent as f64).product();
        let found = (structure.fill().map_err(said)? * size).round();
        if found < least {
            return Err(format!("the result has {found} elements instead of {least}"));
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
            // Real numbers do not notice conjugation.
            let real = |by: &SignedPermutation| SignedPermutation::new(&by.axes().collect::<Vec<_>>(), by.sign());
            let mut found = structure.symmetry().elements().to_vec();
            if !T::DTYPE.is_complex() {
                found = found.iter().map(real).collect::<Result<_, _>>().map_err(said)?;
                found.sort();
            }
            match found == expected {
                true => Ok(()),
                false => Err(format!("the result has the symmetry {:?} instead of {expected:?}", structure.symmetry())),
            }
        }
        _ => Ok(()),
    }
}

/// The extents of rows of ragged axes.
fn rows(structure: &Structure, expect: &Value) -> Result<(), String> {
    let extents = |axis: usize| structure.row_extents(axis).map_err(|error| error.to_string());
    let ragged: Vec<usize> = (0..structure.rank()).filter(|&axis| structure.has_unequal_rows(axis) == Ok(true)).collect();
    let fits = |what: &str, found: &[Vec<usize>], expected: &[Vec<usize>]| match found == expected {
        true => Ok(()),
        false => Err(format!("{what} are {found:?} instead of {expected:?}")),
    };
    // Rows that have become equal are not ragged.
    let of = |axis: usize, count: usize| match ragged.contains(&axis) {
        true => extents(axis),
        false => Ok(vec![structure.tilings()[axis].extent(); count]),
    };
    let axes = |count: usize| if ragged.len() == count { ragged.clone() } else { (1..=count).collect() };
    if expect["lengths"].is_array() {
        let expected = numbers(&expect["lengths"])?;
        let axis = axes(1)[0];
        fits("the extents of rows", &[of(axis, expected.len())?], &[expected])?;
    }
    if expect["pairs_of_lengths"].is_array() {
        let expected = lists(&expect["pairs_of_lengths"])?;
        let found = axes(2).into_iter().map(|axis| of(axis, expected.len())).collect::<Result<Vec<_>, _>>()?;
        let pairs: Vec<Vec<usize>> = (0..expected.len()).map(|row| found.iter().map(|of| of[row]).collect()).collect();
        fits("the extents of rows", &pairs, &expected)?;
    }
    if expect["columns"].is_array() {
        let lengths = of(axes(1)[0], structure.tilings().get(1).map_or(0, |rows| rows.extent()))?;
        let column = |j: usize| (0..lengths.len()).filter(|&row| lengths[row] > j).collect::<Vec<_>>();
        let columns: Vec<Vec<usize>> = (0..structure.tilings()[0].extent()).map(column).collect();
        fits("the rows that reach each column", &columns, &lists(&expect["columns"])?)?;
    }
    Ok(())
}
