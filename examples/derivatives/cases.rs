//! A file of programs and their derivatives, read and checked. Knows nothing of how they are evaluated.

use std::path::Path;

use serde_json::Value;

use super::common::{Stream, numbers};

/// Elements of an input at most: more are no case, but a mistake.
const MOST_ELEMENTS: usize = 1 << 24;

/// A straight-line program, what it is differentiated by, and what is expected.
pub(crate) struct Case {
    pub(crate) name: String,
    pub(crate) is_complex: bool,
    pub(crate) inputs: Vec<Input>,
    pub(crate) lines: Vec<Line>,
    /// The inputs by which the last line is differentiated, and the seeds of their directions.
    pub(crate) by: Vec<(String, u64)>,
    pub(crate) expect: Value,
    pub(crate) tolerances: Tolerances,
}

/// An input: given by its elements, or by a seed and a number that is added to each element.
pub(crate) struct Input {
    pub(crate) name: String,
    pub(crate) extents: Vec<usize>,
    pub(crate) elements: Elements,
}

pub(crate) enum Elements {
    Constant(Vec<f64>),
    Drawn { seed: u64, shift: f64 },
}

/// One operation.
pub(crate) struct Line {
    pub(crate) outputs: Vec<String>,
    pub(crate) operation: String,
    pub(crate) arguments: Vec<String>,
    /// The subscripts of `einsum`.
    pub(crate) subscripts: Option<String>,
    pub(crate) param: Value,
}

/// Deviations that are allowed, in parts of the scale.
#[derive(Clone, Copy)]
pub(crate) struct Tolerances {
    pub(crate) value: f64,
    pub(crate) gradient: f64,
    pub(crate) second: f64,
}

/// All cases of a file.
pub(crate) fn read(file: &Path) -> Result<Vec<Case>, String> {
    let wrong = |sentence: String| format!("{}: {sentence}", file.display());
    let bytes = std::fs::read(file).map_err(|error| wrong(error.to_string()))?;
    let json: Value = serde_json::from_slice(&bytes).map_err(|error| wrong(format!("this is not JSON: {error}")))?;
    let cases = json["cases"].as_array().or(json.as_array()).ok_or_else(|| wrong("there is no list `cases`".into()))?;
    let case = |(n, value): (usize, &Value)| case(value).map_err(|sentence| wrong(format!("case {n}: {sentence}")));
    cases.iter().enumerate().map(case).collect()
}

fn case(value: &Value) -> Result<Case, String> {
    let seeds = &value["direction_seeds"];
    let by = texts(&value["wrt"])?.into_iter().map(|name| {
        let seed = seeds[&name].as_u64().ok_or(format!("there is no `direction_seeds` for `{name}`"))?;
        Ok((name, seed))
    });
    let inputs = value["inputs"].as_object().ok_or("there is no `inputs`")?;
    let lines = value["program"].as_array().ok_or("there is no list `program`")?;
    // Files with changes of tensors have a scale and tolerances of their own.
    let tolerances = match value["jvp"].is_object() {
        true => Tolerances { value: 1e-12, gradient: 1e-11, second: 1e-9 },
        false => Tolerances { value: 1e-13, gradient: 1e-12, second: 1e-11 },
    };
    Ok(Case {
        name: value["name"].as_str().ok_or("there is no text `name`")?.to_string(),
        is_complex: value["complex"].as_bool() == Some(true),
        inputs: inputs.iter().map(|(name, given)| input(name, given)).collect::<Result<_, String>>()?,
        lines: lines.iter().map(line).collect::<Result<_, String>>()?,
        by: by.collect::<Result<_, String>>()?,
        expect: value.clone(),
        tolerances,
    })
}

fn texts(value: &Value) -> Result<Vec<String>, String> {
    let one = |text: &Value| text.as_str().map(str::to_string).ok_or(format!("{text} is no text"));
    match value {
        Value::Array(list) => list.iter().map(one).collect(),
        text => Ok(vec![one(text)?]),
    }
}

fn input(name: &str, given: &Value) -> Result<Input, String> {
    let extents = numbers(&given["shape"])?;
    let count = extents.iter().try_fold(1usize, |all, &extent| all.checked_mul(extent));
    let count = count.filter(|&count| count <= MOST_ELEMENTS).ok_or(format!("`{name}` of extents {extents:?} is no case"))?;
    let elements = match given["constant"].as_array() {
        Some(list) if list.len() != count => return Err(format!("`{name}` has {} elements instead of {count}", list.len())),
        Some(list) => {
            let element = |x: &Value| x.as_f64().ok_or(format!("{x} is no number"));
            Elements::Constant(list.iter().map(element).collect::<Result<_, String>>()?)
        }
        None => {
            let seed = given["seed"].as_u64().ok_or(format!("`{name}` has neither `constant` nor `seed`"))?;
            Elements::Drawn { seed, shift: given["shift"].as_f64().unwrap_or(0.0) }
        }
    };
    Ok(Input { name: name.to_string(), extents, elements })
}

fn line(value: &Value) -> Result<Line, String> {
    Ok(Line {
        outputs: texts(&value["out"])?,
        operation: value["op"].as_str().ok_or("a line has no `op`")?.to_string(),
        arguments: texts(&value["args"])?,
        subscripts: value["eq"].as_str().map(str::to_string),
        param: value["param"].clone(),
    })
}

/// Numbers from −1 up to 1.
pub(crate) fn drawn(seed: u64, count: usize) -> Vec<f64> {
    let mut stream = Stream::new(seed);
    (0..count).map(|_| stream.number()).collect()
}
