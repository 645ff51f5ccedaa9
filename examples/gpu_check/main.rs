//! Whether a GPU computes what the processor does: one program that carries its cases along, for machines that have a GPU and no Rust.
//!
//! ```text
//! cargo build --release --features cuda --example gpu_check
//! ./gpu_check                  the corpus of einsum cases, linear algebra, derivatives, coupled cluster and plans that run again on
//!                              device 0, against the processor
//! ./gpu_check --device 1       the same on another one
//! ./gpu_check --one-type       each case of the corpus in one element type, by turns, instead of in all four
//! ./gpu_check --serve          the line protocol of bench_einsum, on the device; with `--results device` results stay there
//! ./gpu_check --figures        what else is asked of a GPU, for benches/gpu_figures.py: microseconds a step of a replayed plan, first
//!                              calls, memory of the device against predicted peaks; `--smaller 100` tries it out, with extents divided
//! ```
//!
//! Operands stay on the device between lines that are the same. By `--results host`, the default, a result goes back to the host each time,
//! so that times hold that copy; by `--results device` they are those of the computation. `benches/peers_gpu.py` asks other libraries the
//! same.

mod again;
mod derivatives;
mod figures;
mod first;
mod linalg;
mod pool;
mod stay;
mod water;

use std::io::{self, Write};
use std::path::Path;
use std::process::ExitCode;

use num_complex::Complex;
use tensorwrapper::{Context, DynOperand, Element, Tensor};

use cases::{Case, Expected, stream};

// The readers of other programs, so that a case and a line have one meaning.
#[allow(dead_code)]
#[path = "../bench_einsum/main.rs"]
mod bench_einsum;
#[allow(dead_code)]
#[path = "../einsum/cases.rs"]
mod cases;
#[allow(dead_code)]
#[path = "../ccsd/main.rs"]
mod ccsd;
#[path = "../ccsd_naive/ladder.rs"]
mod ladder;

const CASES: &str = include_str!("../../tests/data/einsum_cases.json");

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let done = parse(&arguments).and_then(|asked| {
        let gpu = Context::cuda(asked.ordinal).map_err(|error| error.to_string())?;
        match asked.work {
            Work::Check { one_type } => check(&gpu, one_type),
            Work::Serve { results_stay } => serve(&gpu, results_stay),
            Work::Figures => figures::print(&gpu, asked.ordinal, asked.smaller),
            Work::First(name) => figures::call(&gpu, &name, asked.smaller),
        }
    });
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(sentence) => {
            eprintln!("gpu_check: {sentence}");
            ExitCode::FAILURE
        }
    }
}

/// What the program is to do.
struct Asked {
    /// The device's number.
    ordinal: usize,
    /// By what extents of figures are divided.
    smaller: usize,
    work: Work,
}

enum Work {
    /// Compares the device with the processor, in all element types or in one for each case.
    Check { one_type: bool },
    /// Answers lines.
    Serve { results_stay: bool },
    /// Takes times and counts memory.
    Figures,
    /// Takes the time of the first call of that name, for the program that asks for figures.
    First(String),
}

fn parse(arguments: &[String]) -> Result<Asked, String> {
    let (mut ordinal, mut smaller, mut work) = (0, 1, Work::Check { one_type: false });
    let mut results = None;
    let mut rest = arguments.iter();
    while let Some(option) = rest.next() {
        let mut value = |what: &str| rest.next().ok_or(format!("{what} is needed behind `{option}`"));
        let number = |text: &String| text.parse::<usize>().map_err(|_| format!("`{text}` is no number"));
        match option.as_str() {
            "--one-type" => work = Work::Check { one_type: true },
            "--serve" => work = Work::Serve { results_stay: false },
            "--figures" => work = Work::Figures,
            "--first" => work = Work::First(value("a name")?.clone()),
            "--results" => {
                results = match value("`host` or `device`")?.as_str() {
                    "host" => Some(false),
                    "device" => Some(true),
                    other => return Err(format!("results are left on the `host` or on the `device`, and `{other}` is neither")),
                }
            }
            // Drivers of benchmarks append it to every program; a GPU has its own.
            "--threads" => drop(value("a number")?),
            "--device" => ordinal = number(value("a number")?)?,
            "--smaller" => smaller = number(value("a number")?)?.max(1),
            other => return Err(format!("`{other}` is no option; {USAGE}")),
        }
    }
    match (&mut work, results) {
        (_, None) => (),
        (Work::Serve { results_stay }, Some(stay)) => *results_stay = stay,
        (_, Some(_)) => return Err(format!("`--results` is for `--serve`; {USAGE}")),
    }
    Ok(Asked { ordinal, smaller, work })
}

const USAGE: &str = "usage: gpu_check [--device N] [--one-type | --figures [--smaller N] | --serve [--results host|device]]";

/// Answers lines, with results on the host or on the device.
fn serve(gpu: &Context, results_stay: bool) -> Result<(), String> {
    let (questions, answers) = (io::stdin().lock(), io::stdout().lock());
    let served = match results_stay {
        true => bench_einsum::serve(&gpu.on_device().map_err(|error| error.to_string())?, questions, answers),
        false => bench_einsum::serve(gpu, questions, answers),
    };
    served.map_err(|error| error.to_string())
}

/// Computes every case on both, in every element type or in one by turns, and says what differs.
fn check(gpu: &Context, one_type: bool) -> Result<(), String> {
    let cases = embedded(CASES, cases::read)?;
    let mut faults = Vec::new();
    let mut passed = 0;
    /// Compares the results of a case in one element type.
    type Compare = fn(&Context, &Case) -> Result<(), String>;
    let types: [Compare; 4] = [compare::<f32>, compare::<f64>, compare::<Complex<f32>>, compare::<Complex<f64>>];
    let computed = cases.iter().filter(|case| !case.broadcasts && !matches!(case.expected, Expected::Error(_)));
    for (n, case) in computed.enumerate() {
        let first = n % types.len();
        for compare in if one_type { &types[first..=first] } else { &types[..] } {
            match compare(gpu, case) {
                Ok(()) => passed += 1,
                Err(sentence) => faults.push(format!("{}: {sentence}", case.id)),
            }
        }
    }
    for (right, wrong) in [linalg::check(gpu, &Context::cpu()), derivatives::check(gpu)?] {
        passed += right;
        faults.extend(wrong);
    }
    for checked in [water::check(gpu, &Context::cpu()), again::check(gpu, &Context::cpu())] {
        match checked {
            Ok(sentence) => {
                passed += 1;
                println!("{sentence}");
            }
            Err(sentence) => faults.push(sentence),
        }
    }
    faults.iter().for_each(|sentence| println!("{sentence}"));
    println!("{passed} passed, {} failed", faults.len());
    if faults.is_empty() { Ok(()) } else { Err(format!("{} results differ from the processor's", faults.len())) }
}

/// The cases of a file that the program has with it.
fn embedded<T>(text: &str, read: impl Fn(&Path) -> Result<T, String>) -> Result<T, String> {
    let file = std::env::temp_dir().join(format!("gpu_check-{}.json", std::process::id()));
    // In a folder where others may have put something under that name.
    let new = std::fs::File::options().write(true).create_new(true).open(&file);
    new.and_then(|mut new| new.write_all(text.as_bytes())).map_err(|error| format!("{}: {error}", file.display()))?;
    let cases = read(&file);
    let _ = std::fs::remove_file(&file);
    cases
}

/// One case in one element type.
fn compare<T: Element>(gpu: &Context, case: &Case) -> Result<(), String> {
    let tensor = |(shape, &seed): (&Vec<usize>, &u64)| {
        let mut next = stream(seed);
        Tensor::<T>::from_fn(shape, |_| T::from_complex(Complex::new(next(), next()))).map_err(|error| error.to_string())
    };
    let operands = case.shapes.iter().zip(&case.seeds).map(tensor).collect::<Result<Vec<_>, String>>()?;
    let operands: Vec<&dyn DynOperand<T>> = operands.iter().map(|operand| operand as _).collect();
    let told = |error: tensorwrapper::Error| error.to_string();
    let expected = Context::cpu().einsum(&case.subscripts, &operands).map_err(told)?;
    close(&gpu.einsum(&case.subscripts, &operands).map_err(told)?, &expected)?;
    // From the third run on a plan is recorded.
    let prepared = gpu.prepare(&case.subscripts, &operands).map_err(told)?;
    (1..=4).try_for_each(|run| {
        let found = prepared.run(&operands).map_err(told)?;
        close(&found, &expected).map_err(|sentence| format!("{sentence} in run {run} of a plan"))
    })
}

/// Whether a result is the processor's, but for rounding.
fn close<T: Element>(found: &Tensor<T>, expected: &Tensor<T>) -> Result<(), String> {
    let tolerance = if T::DTYPE.real().size() == 4 { 1e-4 } else { 1e-11 };
    for (n, (a, b)) in found.as_slice().iter().zip(expected.as_slice()).enumerate() {
        let (a, b) = (a.to_complex(), b.to_complex());
        // NaN is close to nothing.
        let is_close = (a - b).norm() <= tolerance * (1.0 + b.norm());
        if !is_close {
            return Err(format!("{}: element {n} is {a} instead of {b}", T::DTYPE));
        }
    }
    if found.extents() == expected.extents() { Ok(()) } else { Err(format!("extents {:?}", found.extents())) }
}
