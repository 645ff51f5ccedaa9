//! The corpus of einsum cases: every case through every run-time door, on every device, for every element type.
//!
//! Inputs are made from seeds, results are judged by numbers recorded in the file (see its `reference`). A device is
//! one line in [`devices`]. Nothing is skipped: what is refused by design is listed by name.

use num_complex::Complex;
use serde_json::Value;
use tensorwrapper::{Context, DynOperand, Element, Error, ErrorKind, Indexed, Tensor, TensorRef};

/// Cases with extent 1 against n under one label, which this library refuses: extents are never broadcast.
const BROADCAST: [&str; 3] = ["numpy-009", "numpy-011", "own-edge-001"];

fn devices() -> [(&'static str, Context); 3] {
    [("cpu", Context::cpu()), ("cpu, 1 thread", Context::cpu().threads(1)), ("reference", Context::reference())]
}

struct Case {
    id: String,
    subscripts: String,
    shapes: Vec<Vec<usize>>,
    seeds: Vec<u64>,
    /// The labels of each operand and of the output, implicit outputs and ellipses written out.
    labels: Option<(Vec<Vec<String>>, Vec<String>)>,
    expected: Expected,
}

enum Expected {
    Value { shape: Vec<usize>, elements: Option<Vec<f64>>, sum: f64, wsum: f64, abs_max: f64, abs_sum: f64 },
    Error(String),
}

fn corpus() -> Vec<Case> {
    let file: Value = serde_json::from_str(include_str!("data/einsum_cases.json")).expect("the corpus is JSON");
    file["cases"].as_array().expect("a list of cases").iter().map(case).collect()
}

fn list<T>(value: &Value, item: impl Fn(&Value) -> T) -> Vec<T> {
    value.as_array().expect("a list").iter().map(item).collect()
}

fn case(value: &Value) -> Case {
    let text = |value: &Value| value.as_str().expect("a text").to_string();
    let number = |value: &Value| value.as_f64().expect("a number");
    let shape = |value: &Value| list(value, |n| n.as_u64().expect("an extent") as usize);
    let expected = match &*text(&value["expect"]) {
        "value" => Expected::Value {
            shape: shape(&value["out_shape"]),
            elements: value.get("out").map(|out| list(out, number)),
            sum: number(&value["sum"]),
            wsum: number(&value["wsum"]),
            abs_max: number(&value["abs_max"]),
            abs_sum: number(&value["abs_sum"]),
        },
        _ => Expected::Error(text(&value["error_kind"])),
    };
    let labels = value.get("labels").map(|labels| {
        let names = |value: &Value| list(value, |name| text(name).replace('#', "axis"));
        (list(&labels["inputs"], names), names(&labels["output"]))
    });
    Case {
        id: text(&value["id"]),
        subscripts: text(&value["einsum"]),
        shapes: list(&value["shapes"], shape),
        seeds: value.get("seeds").map_or_else(Vec::new, |seeds| list(seeds, |s| s.as_u64().expect("a seed"))),
        labels,
        expected,
    }
}

/// The `count` first numbers of splitmix64, in [-1, 1).
fn stream(seed: u64, count: usize) -> impl Iterator<Item = f64> {
    let mut state = seed;
    let next = move || {
        state = state.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = state;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^= z >> 31;
        2.0 * ((z >> 11) as f64 * (-53f64).exp2()) - 1.0
    };
    std::iter::repeat_with(next).take(count)
}

impl Case {
    /// The number of modulus one that multiplies operand `n`: products of complex tensors are then known from real ones.
    fn phase<T: Element>(&self, n: usize) -> Complex<f64> {
        if T::DTYPE.is_complex() { Complex::cis(0.7 + 1.3 * n as f64) } else { Complex::new(1.0, 0.0) }
    }

    fn operands<T: Element>(&self) -> Vec<Tensor<T>> {
        let tensor = |(n, shape): (usize, &Vec<usize>)| {
            // Cases that fail need no particular numbers.
            let seed = self.seeds.get(n).copied().unwrap_or(n as u64);
            let element = |x: f64| T::from_complex(self.phase::<T>(n) * x);
            let elements = stream(seed, shape.iter().product()).map(element).collect();
            Tensor::from_vec(shape, elements).expect("the stream has as many elements as asked for")
        };
        self.shapes.iter().enumerate().map(tensor).collect()
    }

    /// Compares a result with the expectation, or says what is wrong.
    fn judge<T: Element>(&self, result: &Result<Tensor<T>, Error>) -> Result<(), String> {
        let Expected::Value { shape, elements, sum, wsum, abs_max, abs_sum } = &self.expected else {
            return match result {
                Ok(result) => Err(format!("a value came out where an error was due: {result}")),
                Err(error) => self.judge_error(error),
            };
        };
        if BROADCAST.contains(&&*self.id) {
            return match result {
                Err(error) if is_extent(error.kind()) => Ok(()),
                other => Err(format!("1 against n must be refused as a mismatch of extents, but: {other:?}")),
            };
        }
        let result = result.as_ref().map_err(|error| format!("refused: {error}"))?;
        if result.extents() != shape {
            return Err(format!("extents {:?} instead of {shape:?}", result.extents()));
        }
        let tolerance = if T::DTYPE.size() / (1 + usize::from(T::DTYPE.is_complex())) == 4 { 1e-5 } else { 1e-13 };
        let phase: Complex<f64> = (0..self.shapes.len()).map(|n| self.phase::<T>(n)).product();
        let computed: Vec<Complex<f64>> = result.as_slice().iter().map(|x| x.to_complex() * phase.conj()).collect();
        let close = |what: &str, found: Complex<f64>, expected: f64, scale: f64| {
            let deviation = (found - expected).norm();
            // NaN is close to nothing.
            if deviation <= tolerance * scale { Ok(()) } else { Err(format!("{what} is {found} instead of {expected}")) }
        };
        for (k, expected) in elements.iter().flatten().enumerate() {
            close(&format!("element {k}"), computed[k], *expected, abs_max.max(1e-300))?;
        }
        let weight = |k: usize| ((k * 7919 % 1009) + 1) as f64 / 1009.0;
        close("the sum", computed.iter().sum(), *sum, *abs_sum)?;
        close("the weighted sum", computed.iter().enumerate().map(|(k, x)| x * weight(k)).sum(), *wsum, *abs_sum)
    }

    fn judge_error(&self, error: &Error) -> Result<(), String> {
        let Expected::Error(expected) = &self.expected else { return Err(error.to_string()) };
        let fits = match (&**expected, error.kind()) {
            ("extent_mismatch", kind) => is_extent(kind),
            ("rank_mismatch", ErrorKind::Rank { .. })
            | ("unknown_output", ErrorKind::Label(_))
            | ("bad_subscript" | "operand_count", ErrorKind::Syntax { .. }) => true,
            _ => false,
        };
        if fits { Ok(()) } else { Err(format!("an error of kind {expected} was due, but: {:?}", error.kind())) }
    }
}

/// A mismatch of extents, or several.
fn is_extent(kind: &ErrorKind) -> bool {
    match kind {
        ErrorKind::Extent { .. } => true,
        ErrorKind::Several(errors) => errors.iter().all(|error| is_extent(error.kind())),
        _ => false,
    }
}

/// Runs the corpus through a door on all devices; says which cases failed and how.
fn run<T: Element>(door: impl Fn(&Context, &Case, &[Tensor<T>]) -> Option<Result<Tensor<T>, Error>>) {
    let cases = corpus();
    assert_eq!(cases.len(), 68, "the corpus has lost cases");
    let mut failures = Vec::new();
    for case in &cases {
        let operands = case.operands::<T>();
        for (device, context) in devices() {
            let Some(result) = door(&context, case, &operands) else { continue };
            if let Err(message) = case.judge(&result) {
                failures.push(format!("{} `{}` {:?} on {device}: {message}", case.id, case.subscripts, case.shapes));
            }
        }
    }
    assert!(failures.is_empty(), "{} failures for {}:\n{}", failures.len(), T::DTYPE, failures.join("\n"));
}

fn einsum<T: Element>(context: &Context, case: &Case, operands: &[Tensor<T>]) -> Option<Result<Tensor<T>, Error>> {
    let operands: Vec<&dyn DynOperand<T>> = operands.iter().map(|tensor| tensor as &dyn DynOperand<T>).collect();
    Some(context.einsum(&case.subscripts, &operands))
}

#[test]
fn stream_is_splitmix64() {
    let first = 2.0 * ((6_457_827_717_110_365_317u64 >> 11) as f64 * (-53f64).exp2()) - 1.0;
    assert_eq!(stream(1_234_567, 1).next(), Some(first));
}

#[test]
fn strings_f64() {
    run::<f64>(einsum);
}

#[test]
fn strings_f32() {
    run::<f32>(einsum);
}

#[test]
fn strings_c64() {
    run::<Complex<f64>>(einsum);
}

#[test]
fn strings_c32() {
    run::<Complex<f32>>(einsum);
}

/// The same values through integer labels. Error cases are about the text of subscripts.
#[test]
fn integer_labels() {
    run::<f64>(|context, case, operands| {
        let (inputs, output) = case.labels.as_ref()?;
        let mut names: Vec<&String> = inputs.iter().flatten().collect();
        names.sort();
        names.dedup();
        // Any numbers will do, not only those from 0.
        let number = |name: &String| 7 + 3 * names.iter().position(|known| *known == name).expect("an operand has the label");
        let inputs: Vec<Vec<usize>> = inputs.iter().map(|labels| labels.iter().map(number).collect()).collect();
        let output: Vec<usize> = output.iter().map(number).collect();
        let operands: Vec<(&dyn DynOperand<f64>, &[usize])> =
            operands.iter().zip(&inputs).map(|(tensor, labels)| (tensor as &dyn DynOperand<f64>, labels.as_slice())).collect();
        Some(context.contract(&operands, &output))
    });
}

/// The same values through operators, on operands that lie transposed in memory.
#[test]
fn operators_on_strided_operands() {
    run::<Complex<f64>>(|context, case, operands| {
        let (inputs, output) = case.labels.as_ref()?;
        let turned: Vec<Tensor<Complex<f64>>> = operands.iter().map(turned).collect();
        let views: Vec<TensorRef<'_, Complex<f64>>> =
            turned.iter().map(|tensor| tensor.view().permute(&reversed(tensor)).expect("a permutation")).collect();
        // A comma at the end says that one name is one label.
        let text = |labels: &Vec<String>| labels.iter().map(|name| format!("{name},")).collect::<String>();
        let factor = |(view, labels)| -> Indexed<'_, Complex<f64>> { TensorRef::at(view, &text(labels)) };
        let product = views.iter().zip(inputs).map(factor).reduce(|a, b| a * b).expect("a case has an operand");
        Some(product.eval_in(context, &text(output)))
    });
}

fn reversed<T: Element>(tensor: &Tensor<T>) -> Vec<usize> {
    (0..tensor.rank()).rev().collect()
}

/// The same elements with the axes in the opposite order.
fn turned<T: Element>(tensor: &Tensor<T>) -> Tensor<T> {
    tensor.view().permute(&reversed(tensor)).and_then(|view| view.to_tensor()).expect("memory for a copy")
}

/// What is refused by design, and the sentence that says why.
#[test]
fn broadcasting_is_refused() {
    let mut refused = Vec::new();
    for case in corpus().iter().filter(|case| matches!(case.expected, Expected::Value { .. })) {
        let operands = case.operands::<f64>();
        if let Some(Err(error)) = einsum(&Context::cpu(), case, &operands) {
            refused.push((case.id.clone(), error.to_string()));
        }
    }
    let ids: Vec<&str> = refused.iter().map(|(id, _)| id.as_str()).collect();
    assert_eq!(ids, BROADCAST);
    assert_eq!(refused[2].1, "index `..-1` has extent 1 in `operand 0` but 4 in `operand 1`");
}
