//! A file of cases, read and checked: whoever holds a `Case` may evaluate it. `tests/integration/corpus.rs` shares this file, so that a
//! case has one meaning; it knows nothing of who judges the results.
//!
//! The file is described in `tests/data/README.md`. Everything that is only expected may be missing; what nobody knows
//! is refused, because a misspelt expectation would pass unseen.

use std::path::Path;

use num_complex::Complex;
use serde_json::{Map, Value};
use tensorwrapper::{Dtype, ErrorKind};

/// The fields of a file, of which `cases` is needed.
const FILE_FIELDS: [&str; 6] = ["cases", "format", "reference", "rng", "checksum_weights", "groups"];

/// The fields of a case, of which the first three are needed.
const CASE_FIELDS: [&str; 16] = [
    "id",
    "einsum",
    "shapes",
    "seeds",
    "dtype",
    "expect",
    "group",
    "labels",
    "features",
    "out",
    "out_shape",
    "sum",
    "wsum",
    "abs_max",
    "abs_sum",
    "error_kind",
];

/// What a case may say of the error that it expects.
const ERROR_KINDS: [&str; 5] = ["extent_mismatch", "rank_mismatch", "unknown_output", "bad_subscript", "operand_count"];

/// Operands of more elements than this are no case, but a mistake.
const MOST_ELEMENTS: usize = 1 << 28;

/// One equation on operands made from seeds.
pub(crate) struct Case {
    pub(crate) id: String,
    pub(crate) subscripts: String,
    pub(crate) shapes: Vec<Vec<usize>>,
    pub(crate) seeds: Vec<u64>,
    pub(crate) dtype: Dtype,
    /// The labels of each operand and of the output, implicit outputs and ellipses written out.
    pub(crate) labels: Option<(Vec<Vec<String>>, Vec<String>)>,
    /// Whether extent 1 meets another under one label: refused by design, because extents are never broadcast.
    pub(crate) broadcasts: bool,
    pub(crate) expected: Expected,
}

/// What shall come of a case.
pub(crate) enum Expected {
    /// Numbers, as far as they are given.
    Value {
        shape: Option<Vec<usize>>,
        elements: Option<Vec<Complex<f64>>>,
        sum: Option<Complex<f64>>,
        wsum: Option<Complex<f64>>,
        /// The largest element and the sum of the same equation over absolute values.
        abs_max: Option<f64>,
        abs_sum: Option<f64>,
    },
    /// An error, of this kind if one is given.
    Error(Option<String>),
}

/// All cases of a file.
pub(crate) fn read(file: &Path) -> Result<Vec<Case>, String> {
    let wrong = |sentence: String| format!("{}: {sentence}", file.display());
    let bytes = std::fs::read(file).map_err(|error| wrong(error.to_string()))?;
    let json: Value = serde_json::from_slice(&bytes).map_err(|error| wrong(format!("this is not JSON: {error}")))?;
    let object = json.as_object().ok_or_else(|| wrong("an object with a list `cases` is needed".into()))?;
    known(object, &FILE_FIELDS).map_err(wrong)?;
    let cases = object.get("cases").and_then(Value::as_array).ok_or_else(|| wrong("there is no list `cases`".into()))?;
    let case = |(n, value): (usize, &Value)| {
        case(value).map_err(|sentence| match value["id"].as_str() {
            Some(id) => wrong(format!("case `{id}`: {sentence}")),
            None => wrong(format!("case {n}, counted from 0: {sentence}")),
        })
    };
    cases.iter().enumerate().map(case).collect()
}

/// Refuses fields that nobody knows.
fn known(object: &Map<String, Value>, fields: &[&str]) -> Result<(), String> {
    match object.keys().find(|key| !fields.contains(&key.as_str())) {
        None => Ok(()),
        Some(key) => Err(format!("there is no field `{key}`; the fields are {}", fields.join(", "))),
    }
}

fn case(value: &Value) -> Result<Case, String> {
    let object = value.as_object().ok_or("a case is an object")?;
    known(object, &CASE_FIELDS)?;
    let needed = |name: &str| object.get(name).ok_or_else(|| format!("`{name}` is missing"));
    let id = text("id", needed("id")?)?;
    let subscripts = text("einsum", needed("einsum")?)?;
    let shapes = list("shapes", needed("shapes")?, |shape| list("shape", shape, extent).ok())?;
    for shape in &shapes {
        elements(shape).filter(|&elements| elements <= MOST_ELEMENTS).ok_or_else(|| {
            format!("an operand of extents {shape:?} has more than {MOST_ELEMENTS} elements, and no case is that large")
        })?;
    }
    let expected = expected(object)?;
    let seeds = match (object.get("seeds"), &expected) {
        // Cases that fail need no particular numbers.
        (None, Expected::Error(_)) => (0..shapes.len() as u64).collect(),
        (None, Expected::Value { .. }) => return Err("`seeds` is missing".into()),
        (Some(seeds), _) => list("seeds", seeds, |seed| seed.as_u64())?,
    };
    if seeds.len() != shapes.len() {
        return Err(format!("there are {} `seeds` for {} `shapes`", seeds.len(), shapes.len()));
    }
    let dtype = match object.get("dtype").map(|dtype| text("dtype", dtype)).transpose()?.as_deref() {
        None | Some("float64") => Dtype::F64,
        Some("float32") => Dtype::F32,
        Some("complex64") => Dtype::C32,
        Some("complex128") => Dtype::C64,
        Some(other) => return Err(format!("`dtype` is `{other}`; it is float32, float64, complex64 or complex128")),
    };
    let features = match object.get("features") {
        Some(features) => list("features", features, |feature| feature.as_str().map(str::to_owned))?,
        None => Vec::new(),
    };
    let broadcasts = features.iter().any(|feature| feature == "broadcast1");
    let labels = object.get("labels").map(labels).transpose()?;
    Ok(Case { id, subscripts, shapes, seeds, dtype, labels, broadcasts, expected })
}

/// The labels of operands and output, as names.
fn labels(value: &Value) -> Result<(Vec<Vec<String>>, Vec<String>), String> {
    let name = |value: &Value| value.as_str().map(|name| name.replace('#', "axis"));
    let names = |value: &Value| list("labels", value, name).ok();
    Ok((list("labels", &value["inputs"], names)?, list("labels", &value["output"], name)?))
}

fn expected(object: &Map<String, Value>) -> Result<Expected, String> {
    match object.get("expect").map(|expect| text("expect", expect)).transpose()?.as_deref() {
        Some("value") | None => value(object),
        Some("error") => {
            let kind = object.get("error_kind").map(|kind| text("error_kind", kind)).transpose()?;
            match kind.filter(|kind| !ERROR_KINDS.contains(&kind.as_str())) {
                None => Ok(Expected::Error(object.get("error_kind").and_then(Value::as_str).map(str::to_owned))),
                Some(kind) => Err(format!("no error is of kind `{kind}`; kinds are {}", ERROR_KINDS.join(", "))),
            }
        }
        Some(other) => Err(format!("`expect` is `{other}`, where `value` or `error` is needed")),
    }
}

fn value(object: &Map<String, Value>) -> Result<Expected, String> {
    fn given<T>(object: &Map<String, Value>, name: &str, read: fn(&Value) -> Option<T>) -> Result<Option<T>, String> {
        match object.get(name) {
            None => Ok(None),
            Some(value) => read(value).map(Some).ok_or_else(|| format!("`{name}` is not a number")),
        }
    }
    let shape = object.get("out_shape").map(|shape| list("out_shape", shape, extent)).transpose()?;
    let stored = object.get("out").map(|out| list("out", out, number)).transpose()?;
    if let (Some(shape), Some(stored)) = (&shape, &stored)
        && elements(shape).is_none_or(|elements| stored.len() > elements)
    {
        return Err(format!("`out` has {} elements, more than a result of extents {shape:?}", stored.len()));
    }
    Ok(Expected::Value {
        shape,
        elements: stored,
        sum: given(object, "sum", number)?,
        wsum: given(object, "wsum", number)?,
        abs_max: given(object, "abs_max", Value::as_f64)?,
        abs_sum: given(object, "abs_sum", Value::as_f64)?,
    })
}

/// A number, or a complex one as `[re, im]`.
fn number(value: &Value) -> Option<Complex<f64>> {
    match value.as_array().map(Vec::as_slice) {
        Some([re, im]) => Some(Complex::new(re.as_f64()?, im.as_f64()?)),
        Some(_) => None,
        None => Some(Complex::new(value.as_f64()?, 0.0)),
    }
}

fn elements(shape: &[usize]) -> Option<usize> {
    shape.iter().try_fold(1, |all: usize, &extent| all.checked_mul(extent))
}

fn extent(value: &Value) -> Option<usize> {
    value.as_u64().and_then(|extent| usize::try_from(extent).ok())
}

fn text(name: &str, value: &Value) -> Result<String, String> {
    value.as_str().map(str::to_owned).ok_or_else(|| format!("`{name}` is not a text"))
}

/// A list of which every item can be read.
fn list<T>(name: &str, value: &Value, item: impl Fn(&Value) -> Option<T>) -> Result<Vec<T>, String> {
    let items = value.as_array().ok_or_else(|| format!("`{name}` is not a list"))?;
    let read = |(n, value): (usize, &Value)| item(value).ok_or_else(|| format!("item {n} of `{name}` is wrong: {value}"));
    items.iter().enumerate().map(read).collect()
}

/// Whether an error is of a kind, by the names that cases give kinds.
pub(crate) fn is_of_kind(error: &ErrorKind, kind: &str) -> bool {
    match (kind, error) {
        (_, ErrorKind::Several(errors)) => errors.iter().all(|error| is_of_kind(error.kind(), kind)),
        ("extent_mismatch", ErrorKind::Extent { .. })
        | ("rank_mismatch", ErrorKind::Rank { .. })
        | ("unknown_output", ErrorKind::Label(_))
        | ("bad_subscript" | "operand_count", ErrorKind::Syntax { .. }) => true,
        _ => false,
    }
}

/// The numbers of splitmix64, in [-1, 1).
pub(crate) fn stream(seed: u64) -> impl FnMut() -> f64 {
    let mut state = seed;
    move || {
        state = state.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = state;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^= z >> 31;
        2.0 * ((z >> 11) as f64 * (-53f64).exp2()) - 1.0
    }
}
