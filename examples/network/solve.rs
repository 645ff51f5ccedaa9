//! Contracts a network and compares the result with what was expected.

use std::io::Write;
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Mutex;
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use num_complex::Complex;
use tensorwrapper::{Context, Dtype, DynOperand, Element, Explanation, Tensor};

use super::folder::{Factor, Folder, Network, Tolerance};
use super::{Options, Refused};

/// Elements of a result that are printed.
const SHOWN: usize = 6;

/// Whether the result is what was expected, where something was.
pub(crate) fn solve(
    folder: &Folder,
    network: &Network,
    options: &Options,
    out: &mut impl Write,
) -> Result<Option<bool>, Refused> {
    let solved = match folder.elements.dtype() {
        Dtype::F32 => contract::<f32>(folder, network, &options.context),
        Dtype::C32 => contract::<Complex<f32>>(folder, network, &options.context),
        Dtype::C64 => contract::<Complex<f64>>(folder, network, &options.context),
        _ => contract::<f64>(folder, network, &options.context),
    };
    let solved = solved.map_err(|error| Refused(format!("{}: {}", network.name, error.to_string().replace('\n', "; "))))?;
    let Solved { values, explanation, planning, running } = solved;
    let judged = network.expected.as_ref().map(|expected| deviation(&values, expected, network.tolerance));
    let verdict = match judged {
        None => String::new(),
        Some((most, true)) => format!("  as expected ({most:.1e})"),
        Some((most, false)) => format!("  DIFFERS by {most:.1e}"),
    };
    writeln!(
        out,
        "{:28} {:7} {:10.3} {:>10} {:9.4} {:9.4}  {}{verdict}",
        network.name,
        network.factors.len(),
        explanation.operations().log10(),
        megabytes(explanation.peak_bytes()),
        planning.as_secs_f64(),
        running.as_secs_f64(),
        shown(&values)
    )?;
    if options.explain {
        writeln!(out, "{explanation}")?;
    }
    if let Some(pages) = &options.pages {
        page(pages, &network.name, &explanation).map_err(Refused)?;
    }
    Ok(judged.map(|(_, good)| good))
}

/// A result and what it took.
struct Solved {
    values: Vec<Complex<f64>>,
    explanation: Explanation,
    planning: Duration,
    running: Duration,
}

fn contract<T: Element>(folder: &Folder, network: &Network, context: &Context) -> Result<Solved, tensorwrapper::Error> {
    let elements = folder.elements.view::<T>()?;
    let elements = elements.as_slice().expect("what a file holds lies in one row");
    let mut tensors: Vec<(Tensor<T>, Vec<usize>)> = Vec::with_capacity(network.factors.len());
    for factor in &network.factors {
        tensors.push(match factor {
            Factor::Stored { inds, shape, offset } => {
                let len: usize = shape.iter().product();
                (Tensor::from_slice(&shape[..], &elements[*offset..][..len])?, inds.clone())
            }
            Factor::Evidence { ind, states, state } => {
                (Tensor::from_fn([*states], |at| if at[0] == *state { T::ONE } else { T::ZERO })?, vec![*ind])
            }
        });
    }
    let operands: Vec<&dyn DynOperand<T>> = tensors.iter().map(|(tensor, _)| tensor as _).collect();
    let labelled: Vec<(&dyn DynOperand<T>, &[usize])> =
        operands.iter().zip(&tensors).map(|(&operand, (_, inds))| (operand, &inds[..])).collect();
    let start = Instant::now();
    let prepared = watched(context).prepare_contraction(&labelled, &network.output)?;
    let planning = start.elapsed();
    let start = Instant::now();
    let result = prepared.run(&operands)?;
    let running = start.elapsed();
    let values = result.as_slice().iter().map(|value| value.to_complex()).collect();
    Ok(Solved { values, explanation: prepared.explain(), planning, running })
}

/// The context with a bar for runs that take their time, where somebody may see it.
fn watched(context: &Context) -> Context {
    let start = Instant::now();
    let bar: Mutex<Option<ProgressBar>> = Mutex::new(None);
    context.clone().progress(move |progress| {
        let mut bar = bar.lock().expect("nothing panics here");
        if start.elapsed() > Duration::from_millis(500) && progress.step < progress.steps {
            let bar = bar.get_or_insert_with(new_bar);
            // Parts of a thousand: counts of operations may be larger than any integer.
            bar.set_position((1000.0 * progress.done / progress.operations.max(1.0)) as u64);
            bar.set_message(format!("step {} of {}", progress.step + 1, progress.steps));
        } else if let Some(bar) = bar.take() {
            bar.finish_and_clear();
        }
        ControlFlow::Continue(())
    })
}

/// A bar on a terminal; nothing where the errors go anywhere else.
fn new_bar() -> ProgressBar {
    let style = ProgressStyle::with_template("{wide_bar} {percent} %, {msg}, {elapsed}").expect("the template is right");
    ProgressBar::with_draw_target(Some(1000), ProgressDrawTarget::stderr()).with_style(style)
}

/// The largest deviation, and whether every element is as near as it must be. What is not a number is near to nothing.
fn deviation(found: &[Complex<f64>], expected: &[Complex<f64>], tolerance: Tolerance) -> (f64, bool) {
    let mut most = 0.0;
    let mut good = found.len() == expected.len();
    for (&found, &expected) in found.iter().zip(expected) {
        let deviation = (found - expected).norm();
        let allowed = match tolerance.relative == f64::INFINITY {
            true => tolerance.absolute,
            false => tolerance.absolute.min(tolerance.relative * expected.norm()),
        };
        good &= deviation <= allowed;
        most = if deviation.is_nan() || deviation > most { deviation } else { most };
    }
    (most, good)
}

fn shown(values: &[Complex<f64>]) -> String {
    let number = |value: &Complex<f64>| match value.im == 0.0 {
        true => value.re.to_string(),
        false => format!("{:.12e}{:+.12e}i", value.re, value.im),
    };
    match values {
        [value] => number(value),
        _ => {
            let mut texts: Vec<String> = values.iter().take(SHOWN).map(number).collect();
            if values.len() > SHOWN {
                texts.push(format!("… {} elements", values.len()));
            }
            format!("[{}]", texts.join(", "))
        }
    }
}

fn megabytes(bytes: u128) -> String {
    if bytes < 100_000 { format!("{bytes} B") } else { format!("{:.3} MB", bytes as f64 / 1e6) }
}

/// Writes the page of a network; its name makes that of the file.
fn page(folder: &Path, name: &str, explanation: &Explanation) -> Result<(), String> {
    let safe: String = name.chars().map(|c| if c.is_alphanumeric() || c == '-' { c } else { '-' }).collect();
    let file = folder.join(format!("{safe}.html"));
    let cannot = |error| format!("`{}` cannot be written: {error}", file.display());
    std::fs::create_dir_all(folder).map_err(cannot)?;
    std::fs::write(&file, explanation.html()).map_err(cannot)
}
