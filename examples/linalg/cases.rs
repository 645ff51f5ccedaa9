//! Files of cases. Knows nothing of what an operation means.

use num_complex::Complex;
use serde_json::Value;
use tensorwrapper::{Element, Error, Tensor};

/// What is to come out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Expect {
    /// A value, as far as is said of it.
    Value,
    /// A refusal.
    Error,
    /// A refusal, or NaN.
    ErrorOrNan,
}

/// Elements in C order.
#[derive(Clone, Debug)]
pub struct Array {
    pub extents: Vec<usize>,
    pub elements: Vec<Complex<f64>>,
    pub is_complex: bool,
}

/// One case.
#[derive(Debug)]
pub struct Case {
    pub id: String,
    pub op: String,
    pub inputs: Vec<(String, Array)>,
    /// Whole numbers and tolerances among the inputs.
    pub numbers: Vec<(String, f64)>,
    pub expect: Expect,
    pub reference: Option<Array>,
    pub abs_tol: f64,
}

impl Case {
    /// Whether an input has imaginary parts.
    pub fn is_complex(&self) -> bool {
        self.inputs.iter().any(|(_, array)| array.is_complex)
    }

    /// An input as a tensor.
    pub fn input<T: Element>(&self, name: &str) -> Result<Tensor<T>, String> {
        let found = self.inputs.iter().find(|(known, _)| known.eq_ignore_ascii_case(name));
        let (_, array) = found.ok_or_else(|| format!("there is no input `{name}`"))?;
        let elements = array.elements.iter().map(|&x| T::from_complex(x)).collect();
        Tensor::from_vec(array.extents.clone(), elements).map_err(|error: Error| error.to_string())
    }

    /// A number among the inputs.
    pub fn number(&self, name: &str) -> Option<f64> {
        self.numbers.iter().find(|(known, _)| known.eq_ignore_ascii_case(name)).map(|(_, x)| *x)
    }
}

/// Reads a file.
pub fn read(file: &str) -> Result<Vec<Case>, String> {
    let text = std::fs::read_to_string(file).map_err(|error| error.to_string())?;
    let read: Value = serde_json::from_str(&text).map_err(|error| error.to_string())?;
    let cases = read.get("cases").unwrap_or(&read).as_array().ok_or("there are no `cases`")?;
    let name = |n: usize, case: &Value| {
        let name = ["id", "name"].iter().find_map(|key| case.get(key).and_then(Value::as_str));
        name.map_or_else(|| format!("case {n}"), |name| format!("case `{name}`"))
    };
    cases.iter().enumerate().map(|(n, case)| one(case).map_err(|message| format!("{}: {message}", name(n, case)))).collect()
}

fn one(case: &Value) -> Result<Case, String> {
    let text = |key: &str| case.get(key).and_then(Value::as_str).map(str::to_string);
    let (mut inputs, mut numbers) = (Vec::new(), Vec::new());
    for (name, value) in case.get("inputs").and_then(Value::as_object).ok_or("there are no `inputs`")? {
        match value.as_f64().or(value.as_bool().map(f64::from)) {
            Some(number) => numbers.push((name.clone(), number)),
            None => inputs.push((name.clone(), array(value)?)),
        }
    }
    let op = text("op").ok_or("there is no `op`")?;
    let expect = match text("expect").as_deref() {
        None | Some("value") => Expect::Value,
        Some("error") => Expect::Error,
        Some("error_or_nan") => Expect::ErrorOrNan,
        Some(other) => return Err(format!("`{other}` is nothing to expect")),
    };
    let reference = case.get("reference").filter(|value| !value.is_null()).map(array).transpose()?;
    let abs_tol = case.get("abs_tol").and_then(Value::as_f64).unwrap_or(1e-12);
    Ok(Case { id: text("id").unwrap_or_else(|| op.clone()), op, inputs, numbers, expect, reference, abs_tol })
}

/// `{shape, data}`, `{shape, re, im}`, or numbers nested as deep as there are axes.
fn array(value: &Value) -> Result<Array, String> {
    if value.is_object() {
        let extents: Vec<usize> = list(value, "shape")?
            .iter()
            .map(|x| x.as_u64().map_or(Err("an extent is no number"), |x| Ok(x as usize)))
            .collect::<Result<_, _>>()?;
        let parts = |key: &str| -> Result<Vec<f64>, String> { list(value, key)?.iter().map(number).collect() };
        let is_complex = value.get("im").is_some();
        let re = parts(if is_complex { "re" } else { "data" })?;
        let im = if is_complex { parts("im")? } else { vec![0.0; re.len()] };
        if re.len() != extents.iter().product::<usize>() || re.len() != im.len() {
            return Err(format!("{} elements do not fill extents {extents:?}", re.len()));
        }
        return Ok(Array { extents, elements: re.iter().zip(&im).map(|(&re, &im)| Complex::new(re, im)).collect(), is_complex });
    }
    let (mut extents, mut level) = (Vec::new(), value);
    while let Some(items) = level.as_array() {
        extents.push(items.len());
        let Some(first) = items.first() else { break };
        level = first;
    }
    let mut elements = Vec::new();
    flatten(value, &mut elements)?;
    if elements.len() != extents.iter().product::<usize>() {
        return Err(format!("rows of different lengths: {} elements do not fill extents {extents:?}", elements.len()));
    }
    Ok(Array { extents, elements, is_complex: false })
}

fn list<'v>(value: &'v Value, key: &str) -> Result<&'v Vec<Value>, String> {
    value.get(key).and_then(Value::as_array).ok_or_else(|| format!("there is no list `{key}`"))
}

fn number(value: &Value) -> Result<f64, String> {
    if value.is_null() { Ok(f64::NAN) } else { value.as_f64().ok_or_else(|| format!("{value} is no number")) }
}

fn flatten(value: &Value, elements: &mut Vec<Complex<f64>>) -> Result<(), String> {
    match value.as_array() {
        Some(items) => items.iter().try_for_each(|item| flatten(item, elements)),
        None => {
            elements.push(number(value)?.into());
            Ok(())
        }
    }
}
