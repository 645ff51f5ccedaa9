//! The corpus of einsum cases: every case through every run-time door, on every device, for every element type.
//!
//! Inputs are made from seeds, results are judged by numbers recorded in the file (see its `reference`). A device is
//! one line in [`devices`]. Nothing is skipped: what is refused by design is listed by name.

use num_complex::Complex;
use tensorwrapper::{Context, DynOperand, Element, Error, Fill, Indexed, Layout, Tensor, TensorRef};

use cases::{Case, Expected, is_of_kind, stream};

// The program's reader, so that a case has one meaning; the program evaluates in the type that a case names.
#[allow(dead_code)]
#[path = "../../examples/einsum/cases.rs"]
mod cases;

/// Cases with extent 1 against n under one label, which this library refuses: extents are never broadcast.
const BROADCAST: [&str; 3] = ["numpy-009", "numpy-011", "own-edge-001"];

fn devices() -> Vec<(&'static str, Context)> {
    let own = [("cpu", Context::cpu()), ("cpu, 1 thread", Context::cpu().threads(1)), ("reference", Context::reference())];
    own.into_iter().chain(gpu()).collect()
}

#[cfg(feature = "cuda")]
fn gpu() -> Option<(&'static str, Context)> {
    Context::cuda(0).inspect_err(|error| println!("SKIPPED cuda: {error}")).ok().map(|gpu| ("cuda", gpu))
}

#[cfg(not(feature = "cuda"))]
fn gpu() -> Option<(&'static str, Context)> {
    None
}

fn corpus() -> Vec<Case> {
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/../tests/data/einsum_cases.json");
    cases::read(file.as_ref()).expect("the corpus is a file of cases")
}

/// The number of modulus one that multiplies operand `n`: products of complex tensors are then known from real ones.
fn phase<T: Element>(n: usize) -> Complex<f64> {
    if T::DTYPE.is_complex() { Complex::cis(0.7 + 1.3 * n as f64) } else { Complex::new(1.0, 0.0) }
}

impl Case {
    fn operands<T: Element>(&self) -> Vec<Tensor<T>> {
        let tensor = |(n, (shape, &seed)): (usize, (&Vec<usize>, &u64))| {
            let mut next = stream(seed);
            let element = |_: &[usize]| T::from_complex(phase::<T>(n) * next());
            Tensor::from_fn(shape, element).expect("memory for a few numbers")
        };
        self.shapes.iter().zip(&self.seeds).enumerate().map(tensor).collect()
    }

    /// Compares a result with the expectation, or says what is wrong.
    fn judge<T: Element>(&self, result: &Result<Tensor<T>, Error>) -> Result<(), String> {
        let (shape, elements, sum, wsum, abs_max, abs_sum) = match &self.expected {
            _ if self.broadcasts => return refused(result, "extent_mismatch"),
            Expected::Error(Some(kind)) => return refused(result, kind),
            Expected::Value {
                shape: Some(shape),
                elements,
                sum: Some(sum),
                wsum: Some(wsum),
                abs_max: Some(abs_max),
                abs_sum: Some(abs_sum),
            } => (shape, elements, *sum, *wsum, *abs_max, *abs_sum),
            Expected::Error(None) | Expected::Value { .. } => return Err("the corpus does not say enough of it".to_string()),
        };
        let result = result.as_ref().map_err(|error| format!("refused: {error}"))?;
        if result.extents() != shape {
            return Err(format!("extents {:?} instead of {shape:?}", result.extents()));
        }
        let tolerance = if T::DTYPE.size() / (1 + usize::from(T::DTYPE.is_complex())) == 4 { 1e-5 } else { 1e-13 };
        let phase: Complex<f64> = (0..self.shapes.len()).map(|n| phase::<T>(n)).product();
        let computed: Vec<Complex<f64>> = result.as_slice().iter().map(|x| x.to_complex() * phase.conj()).collect();
        let close = |what: &str, found: Complex<f64>, expected: Complex<f64>, scale: f64| {
            let deviation = (found - expected).norm();
            // NaN is close to nothing.
            if deviation <= tolerance * scale { Ok(()) } else { Err(format!("{what} is {found} instead of {expected}")) }
        };
        for (k, expected) in elements.iter().flatten().enumerate() {
            close(&format!("element {k}"), computed[k], *expected, abs_max.max(1e-300))?;
        }
        let weight = |k: usize| ((k * 7919 % 1009) + 1) as f64 / 1009.0;
        close("the sum", computed.iter().sum(), sum, abs_sum)?;
        close("the weighted sum", computed.iter().enumerate().map(|(k, x)| x * weight(k)).sum(), wsum, abs_sum)
    }
}

/// An error of this kind is due.
fn refused<T: Element>(result: &Result<Tensor<T>, Error>, kind: &str) -> Result<(), String> {
    match result {
        Ok(result) => Err(format!("a value came out where an error of kind {kind} was due: {result}")),
        Err(error) if is_of_kind(error.kind(), kind) => Ok(()),
        Err(error) => Err(format!("an error of kind {kind} was due, but: {:?}", error.kind())),
    }
}

/// Runs the corpus through a door on all devices; says which cases failed and how.
fn run<T: Element>(door: impl Fn(&Context, &Case, &[Tensor<T>]) -> Option<Result<Tensor<T>, Error>>) {
    let cases = corpus();
    assert_eq!(cases.len(), 76, "the corpus has lost cases");
    let mut failures = Vec::new();
    let devices = devices();
    for case in &cases {
        let operands = case.operands::<T>();
        for (device, context) in &devices {
            let Some(result) = door(context, case, &operands) else { continue };
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
    assert_eq!(stream(1_234_567)(), first);
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

/// The same values on operands stored in any order of their axes, padded or not, and walked backwards or not: ten layouts for
/// each case, one after another so that no number of two is alike.
#[test]
fn ten_layouts() {
    let draw = std::cell::RefCell::new(stream(2024));
    // The stream's numbers lie from -1 to 1.
    let below = |n: usize| (((draw.borrow_mut()() + 1.0) / 2.0 * n as f64) as usize).min(n - 1);
    for _ in 0..10 {
        run::<f64>(|context, case, operands| in_some_layouts(context, case, operands, below));
    }
    run::<Complex<f32>>(|context, case, operands| in_some_layouts(context, case, operands, below));
}

fn in_some_layouts<T: Element>(
    context: &Context,
    case: &Case,
    operands: &[Tensor<T>],
    below: impl Fn(usize) -> usize + Copy,
) -> Option<Result<Tensor<T>, Error>> {
    let backwards: Vec<Vec<usize>> =
        operands.iter().map(|tensor| (0..tensor.rank()).filter(|_| below(3) == 0).collect()).collect();
    let store = |(tensor, axes): (&Tensor<T>, &Vec<usize>)| -> Tensor<T> {
        let mut order: Vec<usize> = (0..tensor.rank()).collect();
        (1..order.len()).for_each(|n| order.swap(n, below(n + 1)));
        let widths: Vec<usize> = tensor.extents().iter().map(|extent| extent + below(3)).collect();
        let layout = Layout::new(order).and_then(|layout| match below(2) {
            0 => Ok(layout),
            _ => layout.with_padding(widths, Fill::One),
        });
        let turned = axes.iter().fold(tensor.clone(), |tensor, &axis| {
            tensor.view().reverse(axis).and_then(|view| view.to_tensor()).expect("memory for a copy")
        });
        layout.and_then(|layout| turned.relayout(&layout)).expect("memory for a copy").0
    };
    let stored: Vec<Tensor<T>> = operands.iter().zip(&backwards).map(store).collect();
    let turn = |(tensor, axes)| -> TensorRef<'_, T> {
        let axes: &Vec<usize> = axes;
        axes.iter().fold(Tensor::view(tensor), |view, &axis| view.reverse(axis).expect("one of its axes"))
    };
    let views: Vec<TensorRef<'_, T>> = stored.iter().zip(&backwards).map(turn).collect();
    let views: Vec<&dyn DynOperand<T>> = views.iter().map(|view| view as &dyn DynOperand<T>).collect();
    Some(context.einsum(&case.subscripts, &views))
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
    assert_eq!(refused[2].1, "index `the last axis of ..` has extent 1 in `operand 0` but 4 in `operand 1`");
}
