//! Orders of products from the command line: how cheaply the tensor networks of a file can be contracted. Nothing is
//! computed.
//!
//! ```text
//! cargo run --release --example order                                         # the problems of examples/data
//! cargo run --release --example order -- FILE [--mode auto|exact|size] [--seconds N] [--paths OUT.json]
//! ```
//!
//! | mode    | finds                                                                                         |
//! |---------|-----------------------------------------------------------------------------------------------|
//! | `auto`  | the fewest operations that a search of N seconds finds for each problem, 1 if not said        |
//! | `exact` | the fewest there are, whatever time it takes; where that is out of reach, as `auto`, marked `~` |
//! | `size`  | the smallest largest product; the excess is that of its size, as a logarithm of base 2        |
//!
//! The excess is how far the logarithm of base 10 of the operations is above the best that the file knows. `--paths` writes
//! the orders as `numpy.einsum_path` counts them. `problems.rs` reads the file.
//!
//! Exit status 0: all was ordered. 2: what was given is no network, and one sentence says why.

mod problems;

use std::ffi::OsString;
use std::io::{self, Write};
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use serde_json::json;
use tensorwrapper::Order;
use tensorwrapper::order::{Found, Minimize, Search, find};

use problems::{Problem, read};

const USAGE: &str = "usage: order [FILE] [--mode auto|exact|size] [--seconds N] [--paths OUT.json]";

/// Why there is no result: one sentence.
pub(crate) struct Refused(pub(crate) String);

/// An output that nobody reads any more, for example.
impl From<io::Error> for Refused {
    fn from(error: io::Error) -> Self {
        Refused(format!("the output cannot be written: {error}"))
    }
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Mode {
    Auto,
    Exact,
    Size,
}

struct Options {
    file: PathBuf,
    mode: Mode,
    time: Duration,
    paths: Option<PathBuf>,
}

fn main() -> ExitCode {
    match run(std::env::args_os().skip(1).collect(), &mut io::stdout().lock()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(Refused(sentence)) => {
            eprintln!("order: {sentence}");
            ExitCode::from(2)
        }
    }
}

/// What the command line asks for.
pub(crate) fn run(arguments: Vec<OsString>, out: &mut impl Write) -> Result<(), Refused> {
    if arguments.iter().any(|argument| argument == "--help" || argument == "-h") {
        writeln!(out, "{USAGE}")?;
        return Ok(());
    }
    let options = options(arguments).map_err(Refused)?;
    let problems = read(&options.file).map_err(Refused)?;
    let (mut excesses, mut paths) = (Vec::new(), Vec::new());
    writeln!(out, "{:24} {:>16} {:>9} {:>8}  excess", "problem", "log10 operations", "log2 size", "seconds")?;
    for problem in &problems {
        let start = Instant::now();
        let found = solve(problem, &options).map_err(|error| Refused(format!("`{}`: {error}", problem.name)))?;
        let seconds = start.elapsed().as_secs_f64();
        let log10 = found.log2_operations * 2f64.log10();
        let excess = match options.mode {
            Mode::Auto | Mode::Exact => problem.best_operations.map(|best| log10 - best),
            Mode::Size => problem.best_size.map(|best| found.log2_largest - best),
        };
        let mark = if options.mode == Mode::Exact && !found.is_best { " ~" } else { "" };
        let shown = excess.map_or("-".to_string(), |excess| format!("{excess:.6}"));
        writeln!(out, "{:24} {log10:16.6} {:9.4} {seconds:8.3}  {shown}{mark}", problem.name, found.log2_largest)?;
        out.flush()?;
        excesses.extend(excess);
        let path: Vec<[usize; 2]> = found.linear().into_iter().map(|(a, b)| [a, b]).collect();
        paths.push(json!({ "name": problem.name, "path": path }));
    }
    if let Some(file) = &options.paths {
        std::fs::write(file, json!({ "problems": paths }).to_string())
            .map_err(|error| Refused(format!("`{}` cannot be written: {error}", file.display())))?;
    }
    match excesses.len() {
        0 => writeln!(out, "mean excess -")?,
        known => writeln!(out, "mean excess {:.6}", excesses.iter().sum::<f64>() / known as f64)?,
    }
    Ok(())
}

fn solve(problem: &Problem, options: &Options) -> Result<Found, tensorwrapper::Error> {
    let by = |search: Search| find(&problem.inputs, &problem.output, &problem.extents, &search);
    let long = Search::new().order(Order::Budget(options.time));
    match options.mode {
        Mode::Auto => by(long),
        Mode::Size => by(long.minimize(Minimize::Size)),
        Mode::Exact => {
            let exact = by(Search::new().order(Order::Exact))?;
            if exact.is_best {
                return Ok(exact);
            }
            let good = by(long)?;
            Ok(if good.log2_operations < exact.log2_operations { good } else { exact })
        }
    }
}

fn options(arguments: Vec<OsString>) -> Result<Options, String> {
    let default = concat!(env!("CARGO_MANIFEST_DIR"), "/../examples/data/order.json").into();
    let mut options = Options { file: default, mode: Mode::Auto, time: Duration::from_secs(1), paths: None };
    let mut files = 0;
    let mut arguments = arguments.into_iter();
    while let Some(argument) = arguments.next() {
        let name = argument.to_string_lossy().into_owned();
        if !name.starts_with("--") {
            files += 1;
            options.file = argument.into();
            continue;
        }
        let value = arguments.next().ok_or_else(|| format!("`{name}` needs a value behind it; {USAGE}"))?;
        let text = value.to_string_lossy().into_owned();
        match name.as_str() {
            "--mode" => {
                options.mode = match text.as_str() {
                    "auto" => Mode::Auto,
                    "exact" => Mode::Exact,
                    "size" => Mode::Size,
                    _ => return Err(format!("there is no mode `{text}`; {USAGE}")),
                }
            }
            "--seconds" => {
                let seconds = text.parse().ok().and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
                options.time = seconds.ok_or_else(|| format!("`{text}` is no number of seconds"))?;
            }
            "--paths" => options.paths = Some(value.into()),
            _ => return Err(format!("there is no option `{name}`; {USAGE}")),
        }
    }
    if files > 1 { Err(format!("one file at a time; {USAGE}")) } else { Ok(options) }
}
