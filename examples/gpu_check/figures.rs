//! What is asked of a GPU beside the speed of single equations, as lines of a name and a value that `benches/gpu_figures.py` reads.

use std::path::{Path, PathBuf};
use std::process::Command;

use tensorwrapper::{Context, Explanation, Replay};

use super::{again, first, pool};

/// Programs that are started for each first call, of which the middle one counts.
const ROUNDS: usize = 3;

/// An extent of what is tried out.
fn made_smaller(extent: usize, smaller: usize) -> usize {
    (extent / smaller).max(4)
}

/// Prints all of them, with extents divided by a number.
///
/// # Errors
/// What the device reports, results that are wrong, and programs that cannot be started.
pub(crate) fn print(device: &Context, ordinal: usize, smaller: usize) -> Result<(), String> {
    let told = |error: tensorwrapper::Error| error.to_string();
    let again = again::run(device, &Context::cpu())?;
    println!("replayed_steps {}", again.steps);
    println!("replayed_as_one {}", if again.replay == Some(Replay::Whole) { "yes" } else { "no" });
    println!("replayed_step_us {:.3}", again.microseconds_a_step);
    for (name, explained) in pool::plans(device, made_smaller(pool::EXTENT, smaller)).map_err(told)? {
        println!("{}", memory(name, &explained)?);
    }
    first::ALL.iter().try_for_each(|first| first_calls(first.name, ordinal, smaller))
}

/// What a plan was to take and what it took.
fn memory(name: &str, explained: &Explanation) -> Result<String, String> {
    let measured = explained.measured_peak_bytes().ok_or(format!("memory of the plan `{name}` was not counted"))?;
    let predicted = explained.peak_bytes();
    Ok(format!("pool_{name}_predicted_bytes {predicted}\npool_{name}_measured_bytes {measured}"))
}

/// Prints how many milliseconds a first call takes where the folder of kernels is empty, and where it is as that has left it.
fn first_calls(name: &str, ordinal: usize, smaller: usize) -> Result<(), String> {
    let mut times = [Vec::new(), Vec::new()];
    for round in 0..ROUNDS {
        let folder = std::env::temp_dir().join(format!("gpu_check-first-{name}-{round}-{}", std::process::id()));
        // Nothing that an earlier program has left.
        let _ = std::fs::remove_dir_all(&folder);
        let call = || first_call(name, ordinal, smaller, &folder);
        let rounds = times.iter_mut().try_for_each(|times| call().map(|time| times.push(time)));
        let _ = std::fs::remove_dir_all(&folder);
        rounds?;
    }
    for (state, mut times) in ["first", "cached"].into_iter().zip(times) {
        times.sort_by(f64::total_cmp);
        println!("{state}_{name}_ms {:.3}", times[ROUNDS / 2]);
    }
    Ok(())
}

/// The same in a program of its own, which has called nothing before.
fn first_call(name: &str, ordinal: usize, smaller: usize, folder: &Path) -> Result<f64, String> {
    let program: PathBuf = std::env::current_exe().map_err(|error| format!("the program's own file: {error}"))?;
    let mut command = Command::new(&program);
    let [ordinal, smaller] = [ordinal, smaller].map(|number| number.to_string());
    command.args(["--device", &ordinal, "--smaller", &smaller, "--first", name]).env("TENSORWRAPPER_CACHE", folder);
    let output = command.output().map_err(|error| format!("{}: {error}", program.display()))?;
    let said = |bytes: &[u8]| String::from_utf8_lossy(bytes).trim().to_string();
    match said(&output.stdout).parse() {
        Ok(milliseconds) if output.status.success() => Ok(milliseconds),
        _ => Err(format!("a first call of `{name}`: {}", said(&output.stderr))),
    }
}

/// Prints the milliseconds of the first call of that name, in this program.
///
/// # Errors
/// Where there is no such call, and what the device reports.
pub(crate) fn call(device: &Context, name: &str, smaller: usize) -> Result<(), String> {
    let told = |error: tensorwrapper::Error| error.to_string();
    let Some(first) = first::ALL.iter().find(|first| first.name == name) else {
        let names: Vec<&str> = first::ALL.iter().map(|first| first.name).collect();
        return Err(format!("there is no first call `{name}`; there are {}", names.join(", ")));
    };
    let called = (first.call)(&device.on_device().map_err(told)?, made_smaller(first.extent, smaller)).map_err(told)?;
    println!("{:.3}", called.time.as_secs_f64() * 1e3);
    Ok(())
}
