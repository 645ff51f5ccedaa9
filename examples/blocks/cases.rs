//! A file of cases over block tensors, read and checked. Knows nothing of how they are evaluated.

use std::path::Path;

use serde_json::Value;
use tensorwrapper::{Charges, Error, Sign, SignedPermutation, Structure, Symmetry, Tiling};

use super::common::{Stream, numbers};

/// Elements of an operand or a result at most: more are no case, but a mistake.
const MOST_ELEMENTS: usize = 1 << 28;

/// One equation on operands made from seeds.
pub(crate) struct Case {
    pub(crate) name: String,
    pub(crate) equation: String,
    /// Or why there are none: a case may expect that sentence.
    pub(crate) operands: Result<Vec<Operand>, String>,
    pub(crate) is_complex: bool,
    pub(crate) expect: Value,
}

/// A tensor: its form and the seed of its elements.
#[derive(Clone, PartialEq)]
pub(crate) struct Operand {
    pub(crate) form: Form,
    pub(crate) seed: u64,
    /// Whether an element takes two numbers of the stream.
    pub(crate) is_complex: bool,
}

/// What kind of tensor an operand is.
#[derive(Clone, PartialEq)]
pub(crate) enum Form {
    Dense(Vec<usize>),
    Blocks(Structure),
    /// The extents of rows, and how many axes each layer has.
    Rows(Vec<Vec<usize>>, Vec<usize>),
}

impl Case {
    /// The sentence with which the equation is to be refused, if it is.
    pub(crate) fn error(&self) -> Option<&str> {
        self.expect["error"].as_str()
    }
}

/// All cases of a file.
pub(crate) fn read(file: &Path) -> Result<Vec<Case>, String> {
    let wrong = |sentence: String| format!("{}: {sentence}", file.display());
    let bytes = std::fs::read(file).map_err(|error| wrong(error.to_string()))?;
    let json: Value = serde_json::from_slice(&bytes).map_err(|error| wrong(format!("this is not JSON: {error}")))?;
    let cases = json.as_array().ok_or_else(|| wrong("a list of cases is needed".into()))?;
    let case = |(n, value): (usize, &Value)| case(value).map_err(|sentence| wrong(format!("case {n}: {sentence}")));
    cases.iter().enumerate().map(case).collect()
}

fn case(value: &Value) -> Result<Case, String> {
    let text = |field: &str| match value[field].as_str() {
        Some(text) => Ok(text.to_string()),
        None => Err(format!("there is no text `{field}`")),
    };
    let given = value["operands"].as_array().ok_or("there is no list `operands`")?;
    let is_complex = given.iter().any(has_complex_elements);
    let operands = given.iter().map(operand).collect();
    let mut expect = value["expect"].clone();
    if value["error"].is_string() {
        expect = serde_json::json!({ "error": value["error"] });
    }
    Ok(Case { name: text("name")?, equation: text("equation")?, operands, is_complex, expect })
}

/// A list of lists of whole numbers.
pub(crate) fn lists(value: &Value) -> Result<Vec<Vec<usize>>, String> {
    value.as_array().ok_or_else(|| format!("a list is needed, not {value}"))?.iter().map(numbers).collect()
}

fn integers(value: &Value) -> Result<Vec<i64>, String> {
    let one = |n: &Value| n.as_i64().ok_or_else(|| format!("{n} is no integer"));
    match value {
        Value::Array(list) => list.iter().map(one).collect(),
        number => Ok(vec![one(number)?]),
    }
}

/// The charges of an axis's tiles: whole numbers, or lists of them for a product of groups.
fn charges(value: &Value) -> Result<Charges, String> {
    let list = value.as_array().ok_or_else(|| format!("a list of charges is needed, not {value}"))?;
    match list.first() {
        Some(Value::Array(first)) => {
            let of = list.iter().map(integers).collect::<Result<Vec<_>, _>>()?;
            Charges::modulo(vec![0; first.len()], of).map_err(|error| error.to_string())
        }
        _ => Ok(Charges::from(integers(value)?)),
    }
}

fn has_complex_elements(operand: &Value) -> bool {
    operand["dtype"].as_str().is_some_and(|dtype| dtype.starts_with('c'))
}

fn operand(value: &Value) -> Result<Operand, String> {
    let seed = value["seed"].as_u64().ok_or("an operand has no `seed`")?;
    let is_complex = has_complex_elements(value);
    let has = |field: &str| value[field].is_array();
    let form = if has("tilings") {
        Form::Blocks(tiled(value)?)
    } else if let Some(draws) = value["draws"].as_u64() {
        return bounded(Operand { form: Form::Blocks(drawn(value, draws, seed)?), seed: seed + 1000, is_complex });
    } else if has("lengths") {
        let tail = if has("tail") { numbers(&value["tail"])? } else { Vec::new() };
        let row = |length: usize| [&[length], &tail[..]].concat();
        let layers = vec![2 + tail.len()];
        Form::Rows(numbers(&value["lengths"])?.into_iter().map(row).collect(), layers)
    } else if has("domains") {
        Form::Rows(numbers(&value["domains"])?.into_iter().map(|domain| vec![domain, domain]).collect(), vec![1, 2])
    } else if value["dense"].as_bool() == Some(true) {
        Form::Dense(numbers(&value["shape"])?)
    } else {
        return Err("an operand of a form that this program does not know: \
            neither `tilings`, `draws`, `lengths`, `domains` nor `dense`"
            .into());
    };
    bounded(Operand { form, seed, is_complex })
}

/// The operand, unless it is too large.
fn bounded(operand: Operand) -> Result<Operand, String> {
    let size = |extents: &[usize]| extents.iter().try_fold(1usize, |size, &extent| size.checked_mul(extent));
    let size = match &operand.form {
        Form::Dense(extents) => size(extents),
        Form::Blocks(structure) => structure.shape().size().ok(),
        Form::Rows(rows, _) => rows.iter().try_fold(0usize, |sum, row| sum.checked_add(size(row)?)),
    };
    match size {
        Some(size) if size <= MOST_ELEMENTS => Ok(operand),
        _ => Err(format!("an operand of more than {MOST_ELEMENTS} elements is no case")),
    }
}

/// An operand whose axes are cut, of which some blocks are stored.
fn tiled(value: &Value) -> Result<Structure, String> {
    let said = |error: Error| error.to_string();
    let mut tilings: Vec<Tiling> = lists(&value["tilings"])?.into_iter().map(Tiling::cuts).collect();
    if let Some(charges) = value["charges"].as_array() {
        for (tiling, charges) in tilings.iter_mut().zip(charges) {
            *tiling = tiling.clone().charged(self::charges(charges)?).map_err(said)?;
        }
    }
    let mut structure = Structure::new(&tilings);
    if let Some(generators) = value["symmetry"].as_array() {
        let symmetry = Symmetry::none(tilings.len());
        let mut generators = generators.iter().map(permutation).collect::<Result<Vec<_>, _>>()?;
        // Real numbers do not notice conjugation, but charges do.
        if let (false, Ok(signs)) =
            (value["dtype"].as_str().is_some_and(|dtype| dtype.starts_with('c')), integers(&value["flow"]))
        {
            let turns = |by: &SignedPermutation| by.axes().zip(&signs).any(|(axis, sign)| signs.get(axis) != Some(sign));
            generators = generators.into_iter().map(|by| if turns(&by) { by.conjugating() } else { by }).collect();
        }
        structure = structure.with(symmetry.generated(generators).map_err(said)?).map_err(said)?;
    }
    if value["flow"].is_array() {
        structure = structure.flow(integers(&value["flow"])?, integers(&value["total"])?).map_err(said)?;
    }
    structure.with_blocks(lists(&value["blocks"])?).map_err(said)
}

/// A generator, or an invariance.
pub(crate) fn permutation(value: &Value) -> Result<SignedPermutation, String> {
    let sign = match value["sign"].as_i64() {
        Some(1) => Sign::Plus,
        Some(-1) => Sign::Minus,
        _ => return Err(format!("the sign of {value} is neither 1 nor -1")),
    };
    let permutation = SignedPermutation::new(&numbers(&value["axes"])?, sign).map_err(|error| error.to_string())?;
    Ok(if value["conjugate"].as_bool() == Some(true) { permutation.conjugating() } else { permutation })
}

/// A sparse operand: each drawn index of the sparse axes is a tile of its own.
fn drawn(value: &Value, draws: u64, seed: u64) -> Result<Structure, String> {
    let shape = numbers(&value["shape"])?;
    let dense = if value["dense_axes"].is_array() { numbers(&value["dense_axes"])? } else { Vec::new() };
    let cut = |(axis, &extent): (usize, &usize)| if dense.contains(&axis) { Tiling::whole(extent) } else { Tiling::each(extent) };
    let tilings: Vec<Tiling> = shape.iter().enumerate().map(cut).collect();
    let mut stream = Stream::new(seed);
    let blocks = (0..draws).map(|_| {
        let index = |axis: usize| if dense.contains(&axis) { 0 } else { (stream.next() % shape[axis] as u64) as usize };
        (0..shape.len()).map(index).collect::<Vec<_>>()
    });
    let blocks: Vec<Vec<usize>> = blocks.collect();
    let structure = Structure::new(&tilings).with_blocks(&blocks).map_err(|error| error.to_string())?;
    let stored = structure.stored().map_err(|error| error.to_string())?;
    match value["count"].as_u64() {
        Some(count) if count != stored.len() as u64 => Err(format!("{} elements were drawn instead of {count}", stored.len())),
        _ => Ok(structure),
    }
}
