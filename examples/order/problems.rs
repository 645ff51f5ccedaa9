//! A file of networks, read and checked. It knows nothing of how they are ordered.
//!
//! ```json
//! {"problems": [{"name": "ab", "inputs": ["ij", "jk"], "output": "ik", "extents": {"i": 2, "j": 3, "k": 4},
//!                "best_known": {"log10_flops": 1.38, "log2_size": 3.0}}]}
//! ```
//!
//! A label is a character of a string, or an element of a list of texts or integers. `output` and `best_known` may be missing,
//! other fields are not read.

use std::collections::HashMap;
use std::path::Path;

use serde_json::Value;

/// A network, its labels numbered.
pub(crate) struct Problem {
    pub(crate) name: String,
    pub(crate) inputs: Vec<Vec<usize>>,
    pub(crate) output: Vec<usize>,
    pub(crate) extents: Vec<usize>,
    /// Logarithm of base 10 of the fewest operations that are known.
    pub(crate) best_operations: Option<f64>,
    /// Logarithm of base 2 of the smallest size that is known.
    pub(crate) best_size: Option<f64>,
}

/// The problems of a file, or one sentence.
pub(crate) fn read(file: &Path) -> Result<Vec<Problem>, String> {
    let shown = file.display();
    let text = std::fs::read_to_string(file).map_err(|error| format!("`{shown}` cannot be read: {error}"))?;
    let json: Value = serde_json::from_str(&text).map_err(|error| format!("`{shown}` is no JSON: {error}"))?;
    let problems = json["problems"].as_array().ok_or_else(|| format!("`{shown}` has no list `problems`"))?;
    problems.iter().enumerate().map(|(n, problem)| one(n, problem)).collect()
}

fn one(n: usize, problem: &Value) -> Result<Problem, String> {
    let name = problem["name"].as_str().map_or(format!("problem {n}"), str::to_string);
    let refuse = |what: String| format!("`{name}`: {what}");
    let table = problem["extents"].as_object().ok_or_else(|| refuse("there is no table `extents`".to_string()))?;
    let mut numbers = HashMap::new();
    let mut extents = Vec::new();
    for (label, extent) in table {
        let whole = extent.as_u64().and_then(|extent| usize::try_from(extent).ok());
        extents.push(whole.ok_or_else(|| refuse(format!("the extent of `{label}` is {extent}, which is no extent")))?);
        numbers.insert(label.as_str(), numbers.len());
    }
    let number = |label: &str| match numbers.get(label) {
        Some(&number) => Ok(number),
        None => Err(refuse(format!("label `{label}` has no extent"))),
    };
    let labels = |value: &Value| match value {
        Value::String(text) => text.chars().map(|label| number(label.encode_utf8(&mut [0; 4]))).collect::<Result<Vec<_>, _>>(),
        Value::Array(list) => {
            list.iter().map(|label| label.as_str().map_or_else(|| number(&label.to_string()), &number)).collect()
        }
        other => Err(refuse(format!("`{other}` are no labels"))),
    };
    let inputs = problem["inputs"].as_array().ok_or_else(|| refuse("there is no list `inputs`".to_string()))?;
    let inputs = inputs.iter().map(labels).collect::<Result<_, _>>()?;
    let output = problem.get("output").map_or(Ok(Vec::new()), labels)?;
    let best = &problem["best_known"];
    let (best_operations, best_size) = (best["log10_flops"].as_f64(), best["log2_size"].as_f64());
    Ok(Problem { name, inputs, output, extents, best_operations, best_size })
}
