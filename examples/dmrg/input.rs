//! The operator's file, and what is expected of it. Knows nothing of states.

use std::path::Path;

use serde_json::Value;
use tensorwrapper::AnyTensor;

use super::chain::Operator;

/// What is known of the ground state.
#[derive(Default)]
pub(crate) struct Expected {
    pub(crate) energy: Option<f64>,
    /// At the middle bond, in nats.
    pub(crate) entropy: Option<f64>,
}

/// The tensor `W[l, r, s, t]` of a file.
pub(crate) fn operator(file: &Path) -> Result<Operator, String> {
    let shown = file.display();
    let sentence = |error: tensorwrapper::Error| error.to_string().replace('\n', "; ");
    let any = AnyTensor::read_npy(file).map_err(sentence)?;
    let wrong = match any.extents() {
        [l, r, s, t] => l != r || s != t || *l == 0 || *s == 0,
        _ => true,
    };
    if wrong {
        let extents = any.extents();
        return Err(format!(
            "`{shown}` has extents {extents:?}, and a tensor of an operator has two equal bonds and two equal spins"
        ));
    }
    let dtype = any.dtype();
    let W = any.into_tensor::<f64>().map_err(|_| format!("`{shown}` holds `{dtype}`, and `f64` is needed"))?;
    if !W.as_slice().iter().all(|element| element.is_finite()) {
        return Err(format!("`{shown}` has elements that are no finite numbers"));
    }
    W.into_typed().map_err(sentence)
}

/// What a `reference.json` beside the file says of a chain of so many sites; nothing where there is none.
pub(crate) fn expected(file: &Path, sites: usize) -> Result<Expected, String> {
    let reference = file.with_file_name("reference.json");
    if !reference.exists() {
        return Ok(Expected::default());
    }
    let shown = reference.display();
    let text = std::fs::read_to_string(&reference).map_err(|error| format!("`{shown}` cannot be read: {error}"))?;
    let json: Value = serde_json::from_str(&text).map_err(|error| format!("`{shown}` is no JSON: {error}"))?;
    let name = file.file_name().map(|name| name.to_string_lossy());
    let is_this = |case: &&Value| case["mpo_bulk_file"].as_str() == name.as_deref() && case["N"].as_u64() == Some(sites as u64);
    let Some(case) = json["cases"].as_array().into_iter().flatten().find(is_this) else { return Ok(Expected::default()) };
    Ok(Expected { energy: case["E0"].as_f64(), entropy: case["half_chain_entropy_nats"].as_f64() })
}
