//! Tensor networks from the command line: amplitudes of circuits, counts of combinatorial problems, probabilities of Bayesian
//! networks, each as one product of hundreds of tensors.
//!
//! ```text
//! cargo run --release --example network                                       # the networks of examples/data
//! cargo run --release --example network -- FOLDER... [--order auto|exact|greedy|written|SECONDS] [--threads N]
//!                                          [--memory-limit BYTES] [--explain] [--pages FOLDER]
//! ```
//!
//! | file         | does                                                                     |
//! |--------------|--------------------------------------------------------------------------|
//! | `folder.rs`  | reads a folder, which file it has tells what it is, and checks it        |
//! | `fields.rs`  | fields of JSON, each with a sentence for what is wrong with it           |
//! | `solve.rs`   | contracts a network and compares the result with what was expected       |
//!
//! Exit status 0: all is well. 1: a result differs from what was expected. 2: what was given is no network, and one sentence
//! says why.

mod fields;
mod folder;
mod solve;

use std::ffi::OsString;
use std::io::{self, Write};
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use tensorwrapper::{Context, Order};

use solve::solve;

const USAGE: &str = "usage: network [FOLDER...] [--order auto|exact|greedy|written|SECONDS] [--threads N] [--memory-limit BYTES] [--explain] [--pages FOLDER]";

/// Why there is no result: one sentence.
pub(crate) struct Refused(pub(crate) String);

/// An output that nobody reads any more, for example.
impl From<io::Error> for Refused {
    fn from(error: io::Error) -> Self {
        Refused(format!("the output cannot be written: {error}"))
    }
}

/// What the command line asks for.
pub(crate) struct Options {
    folders: Vec<PathBuf>,
    pub(crate) context: Context,
    /// Whether the steps are printed.
    pub(crate) explain: bool,
    /// Where a page for each network goes.
    pub(crate) pages: Option<PathBuf>,
}

fn main() -> ExitCode {
    match run(std::env::args_os().skip(1).collect(), &mut io::stdout().lock()) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::from(1),
        Err(Refused(sentence)) => {
            eprintln!("network: {sentence}");
            ExitCode::from(2)
        }
    }
}

/// What the command line asks for; false if a result differs from what was expected.
pub(crate) fn run(arguments: Vec<OsString>, out: &mut impl Write) -> Result<bool, Refused> {
    if arguments.iter().any(|argument| argument == "--help" || argument == "-h") {
        writeln!(out, "{USAGE}")?;
        return Ok(true);
    }
    let options = options(arguments).map_err(Refused)?;
    // All folders are read before anything is computed: what is wrong with the last is said at once.
    let folders = options.folders.iter().map(|folder| folder::read(folder)).collect::<Result<Vec<_>, _>>().map_err(Refused)?;
    writeln!(out, "{:28} {:>7} {:>10} {:>10} {:>9} {:>9}  result", "network", "tensors", "log10 ops", "peak", "plan s", "run s")?;
    let (mut right, mut wrong) = (0, 0);
    for folder in &folders {
        for network in &folder.networks {
            match solve(folder, network, &options, out)? {
                Some(true) => right += 1,
                Some(false) => wrong += 1,
                None => {}
            }
            out.flush()?;
        }
    }
    writeln!(out, "{right} as expected, {wrong} not")?;
    Ok(wrong == 0)
}

fn options(arguments: Vec<OsString>) -> Result<Options, String> {
    let mut options = Options { folders: Vec::new(), context: Context::cpu(), explain: false, pages: None };
    let mut arguments = arguments.into_iter();
    while let Some(argument) = arguments.next() {
        let name = argument.to_string_lossy().into_owned();
        if !name.starts_with("--") {
            options.folders.push(argument.into());
            continue;
        }
        if name == "--explain" {
            options.explain = true;
            continue;
        }
        let value = arguments.next().ok_or_else(|| format!("`{name}` needs a value behind it; {USAGE}"))?;
        let text = value.to_string_lossy().into_owned();
        options.context = match name.as_str() {
            "--order" => options.context.order(order(&text)?),
            "--threads" => {
                options.context.threads(text.parse().map_err(|_| format!("`{text}` is no number of threads; {USAGE}"))?)
            }
            "--memory-limit" => {
                options.context.memory_limit(text.parse().map_err(|_| format!("`{text}` is no number of bytes; {USAGE}"))?)
            }
            "--pages" => {
                options.pages = Some(value.into());
                options.context
            }
            _ => return Err(format!("there is no option `{name}`; {USAGE}")),
        };
    }
    if options.folders.is_empty() {
        let data = PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../examples/data"));
        options.folders = ["circuit-4x5", "counting"].map(|name| data.join(name)).to_vec();
    }
    Ok(options)
}

fn order(text: &str) -> Result<Order, String> {
    Ok(match text {
        "auto" => Order::Auto,
        "exact" => Order::Exact,
        "greedy" => Order::Greedy,
        "written" => Order::AsWritten,
        seconds => {
            let time = seconds.parse().ok().and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
            Order::Budget(time.ok_or_else(|| format!("`{text}` is neither an order nor a number of seconds; {USAGE}"))?)
        }
    })
}
