//! Plans that run again and again, and results that stay on the device, against the processor.

use std::time::Instant;

use tensorwrapper::prelude::*;
use tensorwrapper::{DeviceTensor, DynOperand, Order, Replay};

use super::cases::stream;

/// Factors of the product, and rows and columns of each.
const FACTORS: usize = 51;
const ROWS: usize = 16;
/// Runs that are timed, when the plan is known.
const RUNS: usize = 100;

/// What was found of a plan that runs again and again.
pub(crate) struct Again {
    pub(crate) steps: usize,
    /// Whether its steps were queued as one.
    pub(crate) replay: Option<Replay>,
    /// Of a run that is waited for, the middle one of many.
    pub(crate) microseconds_a_step: f64,
}

/// Runs a long product of small matrices often enough to be recorded, with results that stay: a sentence with what was found, or with
/// what is wrong.
///
/// # Errors
/// What the device reports, and results that differ from the processor's.
pub(crate) fn check(device: &Context, processor: &Context) -> Result<String, String> {
    let Again { steps, replay, microseconds_a_step } = run(device, processor)?;
    let replay = replay.map_or("not recorded here".to_string(), |replay| replay.to_string());
    Ok(format!(
        "{steps} products of matrices agree, replayed as one: {replay}; {microseconds_a_step:.1} µs a step of the replayed plan"
    ))
}

/// The same in numbers.
///
/// # Errors
/// As [`check`].
pub(crate) fn run(device: &Context, processor: &Context) -> Result<Again, String> {
    product(device, processor).map_err(|error| error.to_string())?
}

fn product(device: &Context, processor: &Context) -> Result<Result<Again, String>, Error> {
    let matrices = (0..FACTORS).map(|n| {
        let mut next = stream(n as u64);
        // The identity and a little more, so that a long product is neither large nor small.
        Tensor::<f64>::from_fn([ROWS, ROWS], |index| f64::from(index[0] == index[1]) + next() / ROWS as f64)
    });
    let matrices = matrices.collect::<Result<Vec<_>, Error>>()?;
    let labels: Vec<[usize; 2]> = (0..FACTORS).map(|n| [n, n + 1]).collect();
    let on = |context: &Context, matrices: &[&dyn DynOperand<f64>]| {
        let operands: Vec<_> = matrices.iter().zip(&labels).map(|(matrix, labels)| (*matrix, &labels[..])).collect();
        context.clone().order(Order::AsWritten).prepare_contraction(&operands, &[0, FACTORS])
    };
    let here: Vec<&dyn DynOperand<f64>> = matrices.iter().map(|matrix| matrix as _).collect();
    let expected = on(processor, &here)?.run(&here)?;
    let on_device = device.on_device()?;
    let taken = matrices.iter().map(|matrix| on_device.take(matrix)).collect::<Result<Vec<DeviceTensor<f64>>, Error>>()?;
    let there: Vec<&dyn DynOperand<f64>> = taken.iter().map(|matrix| matrix as _).collect();
    let plan = on(device, &there)?;
    let differs = |found: &Tensor<f64>| {
        let mut pairs = found.as_slice().iter().zip(expected.as_slice());
        // NaN is close to nothing.
        found.extents() != expected.extents() || !pairs.all(|(a, b)| (a - b).abs() <= 1e-10 * (1.0 + b.abs()))
    };
    for run in 1..=5 {
        let found = plan.run_on_device(&there)?.to_host()?;
        if differs(&found) {
            return Ok(Err(format!("run {run} of a product of {FACTORS} matrices: {found:?} instead of {expected:?}")));
        }
    }
    let mut last = None;
    let mut times = Vec::with_capacity(RUNS);
    for _ in 0..RUNS {
        on_device.finish()?;
        let begun = Instant::now();
        last = Some(plan.run_on_device(&there)?);
        on_device.finish()?;
        times.push(begun.elapsed());
    }
    times.sort();
    let last = last.map(|found| found.to_host()).transpose()?;
    if last.as_ref().is_none_or(differs) {
        return Ok(Err(format!("a product of {FACTORS} matrices is another one when it runs again: {last:?}")));
    }
    // One after the other, each from the last.
    let mut next: DeviceTensor<f64> = on_device.einsum("ij,jk->ik", &[&taken[0], &taken[1]])?;
    for matrix in &taken[2..] {
        next = on_device.einsum("ij,jk->ik", &[&next, matrix])?;
    }
    if differs(&next.to_host()?) {
        return Ok(Err(format!("{FACTORS} matrices one after the other: {:?} instead of {expected:?}", next.to_host()?)));
    }
    let explained = plan.explain();
    let steps = explained.steps().len();
    let microseconds_a_step = times[RUNS / 2].as_secs_f64() * 1e6 / steps as f64;
    Ok(Ok(Again { steps, replay: explained.replay().cloned(), microseconds_a_step }))
}
