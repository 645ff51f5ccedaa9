//! Every call of every library may fail: what comes of it is an error or the right result, never a wrong one, and never a panic.

use tensorwrapper::ErrorKind;
use tensorwrapper::prelude::*;

use super::programs::{PROGRAMS, Program, close, matrix, measured, permuted};
use super::{StandIn, forget};

/// Calls that give something back: where one of them fails, it is lost, and nobody can do anything about it. Without its context a
/// thread cannot give anything back.
const GIVES_BACK: [&str; 6] = ["Free", "Destroy", "Release", "Unload", "Unregister", "CtxSetCurrent"];

/// Whether a failure is what a call of this name leads to.
fn is_told(error: &Error, failed: &str) -> bool {
    let expected = match error.kind() {
        ErrorKind::Kernel { .. } => failed.starts_with("nvrtc"),
        ErrorKind::Device(_) => !failed.starts_with("nvrtc"),
        _ => false,
    };
    expected && !error.to_string().is_empty()
}

/// Has calls of a program fail, each alone, `step` apart, from the opening of the device on; `before` is done before each run. How many
/// were errors.
fn each_call_fails(cuda: &StandIn, (name, program): (&str, Program), step: usize, before: impl Fn()) -> Result<usize, Error> {
    let expected = program(&Context::cpu())?;
    let run = || {
        before();
        program(&Context::cuda(0)?)
    };
    // The first run compiles what the others find on the disk, unless `before` removes it.
    run()?;
    cuda.fail(0, false);
    run()?;
    let calls = cuda.fail(0, false);
    let mut errors = 0;
    for number in (1..=calls).step_by(step) {
        cuda.fail(number, false);
        let found = run();
        let failed = cuda.failed().unwrap_or("nothing");
        cuda.fail(0, false);
        let place = format!("{name}, call {number} of {calls}, {failed}");
        match &found {
            Ok(found) => assert!(close(found, &expected), "{place}: {found:?} instead of {expected:?}"),
            Err(error) => assert!(is_told(error, failed), "{place}: {error}"),
        }
        errors += usize::from(found.is_err());
        let left = (cuda.things(), cuda.memory(usize::MAX));
        let may_lose = GIVES_BACK.iter().any(|word| failed.contains(word));
        assert!(left == (0, 0) || may_lose, "{place}: {left:?} are left");
        cuda.reset();
    }
    println!("{name}: {errors} errors of {} calls that failed, each alone", calls.div_ceil(step));
    assert!(close(&run()?, &expected), "{name}");
    Ok(errors)
}

/// One call fails, whichever it is; afterwards the device is as it was.
#[test]
fn each_failing_call_is_an_error() -> Result<(), Error> {
    let Some(cuda) = StandIn::of("any call may fail") else { return Ok(()) };
    for program in PROGRAMS {
        assert!(each_call_fails(&cuda, program, 1, || ())? > 0, "{}", program.0);
    }
    Ok(())
}

/// The same of the compiler's calls, and of what is called before and behind them.
#[test]
fn each_failing_call_is_an_error_without_disk_cache() -> Result<(), Error> {
    let Some(cuda) = StandIn::of("any call may fail with an empty disk") else { return Ok(()) };
    let before = || forget(|name| name.ends_with(".cubin"));
    assert!(each_call_fails(&cuda, ("a permutation", permuted), 1, before)? > 0);
    Ok(())
}

/// And of those that measure; every eighth, because each run compiles some ways to compute 128³ points, and runs them.
#[test]
fn failing_calls_of_measurements_are_errors() -> Result<(), Error> {
    let Some(cuda) = StandIn::of("any call may fail in a measurement") else { return Ok(()) };
    cuda.fail(0, false);
    measured(&Context::cuda(0)?)?;
    assert!(cuda.calls("cuEventElapsedTime_v2") > 0, "it is measured");
    assert!(each_call_fails(&cuda, ("a measured product", measured), 8, || ())? > 0);
    Ok(())
}

/// A text that does not compile is told with the compiler's words and the source, before anything is copied or queued.
#[test]
fn compile_error_shows_its_text() -> Result<(), Error> {
    let Some(cuda) = StandIn::of("a text that does not compile") else { return Ok(()) };
    let gpu = Context::cuda(0)?;
    forget(|name| name.ends_with(".cubin"));
    cuda.refuse_texts(true);
    cuda.fail(0, false);
    let error = permuted(&gpu).unwrap_err();
    let ErrorKind::Kernel { message, source } = error.kind() else { panic!("{error}") };
    assert!(message.contains("no text compiles today") && source.contains("__global__"), "{error}");
    assert_eq!((cuda.calls("cuMemcpyHtoDAsync_v2"), cuda.calls("cuLaunchKernel")), (0, 0));
    cuda.refuse_texts(false);
    assert!(close(&permuted(&gpu)?, &permuted(&Context::cpu())?));
    Ok(())
}

/// From some call on everything fails, as where a device is lost: the program goes on with what the host has.
#[test]
fn lost_device_is_an_error() -> Result<(), Error> {
    let Some(cuda) = StandIn::of("a device may be lost") else { return Ok(()) };
    for (name, program) in PROGRAMS {
        let expected = program(&Context::cpu())?;
        let run = || program(&Context::cuda(0)?);
        run()?;
        cuda.fail(0, false);
        run()?;
        let calls = cuda.fail(0, false);
        // Neighbours differ little, and each run is a whole program.
        for number in (1..=calls).step_by(7) {
            cuda.fail(number, true);
            let found = run();
            cuda.fail(0, false);
            cuda.reset();
            match found {
                Ok(found) => assert!(close(&found, &expected), "{name}, from call {number} of {calls} on: {found:?}"),
                Err(error) => assert!(!error.to_string().is_empty(), "{name}, from call {number} of {calls} on"),
            }
        }
        assert!(close(&run()?, &expected), "{name}");
    }
    Ok(())
}

/// What a tensor has on the host is not changed by a run that fails, nor is a target that was to be written.
#[test]
fn failed_runs_leave_host_data_unchanged() -> Result<(), Error> {
    let Some(cuda) = StandIn::of("the host's data") else { return Ok(()) };
    let gpu = Context::cuda(0)?;
    let (a, b, mut target) = (matrix(6, 6, 1), matrix(6, 6, 2).to(&gpu)?, matrix(6, 6, 3));
    let plan = gpu.prepare::<f64>("ij,jk,kl->il", &[&a, &b, &a])?;
    let expected = plan.run(&[&a, &b, &a])?;
    let mut failures = 0;
    for number in 1.. {
        // An error has the plan begin anew: from the third run on it is replayed.
        for _ in 0..3 {
            assert!(close(plan.run(&[&a, &b, &a])?.as_slice(), expected.as_slice()));
        }
        cuda.fail(number, false);
        let done = plan.run_into(&[&a, &b, &a], &mut target);
        let failed = cuda.failed();
        cuda.fail(0, false);
        assert_eq!((&a, b.as_slice()), (&matrix(6, 6, 1), matrix(6, 6, 2).as_slice()));
        match done {
            Err(_) => assert_eq!(target, matrix(6, 6, 3), "call {number}, {failed:?}"),
            Ok(()) => assert!(close(target.as_slice(), expected.as_slice()), "call {number}, {failed:?}"),
        }
        target = matrix(6, 6, 3);
        failures += usize::from(failed.is_some());
        if failed.is_none() {
            break;
        }
    }
    assert!(failures > 5, "{failures} calls have failed");
    Ok(())
}

/// Memory that there is not is told before anything is computed, with how much was asked for; what there is room for runs.
#[test]
fn missing_memory_is_reported_before_anything_is_computed() -> Result<(), Error> {
    let Some(cuda) = StandIn::of("memory may be short") else { return Ok(()) };
    let gpu = Context::cuda(0)?;
    let a = matrix(64, 64, 1);
    let expected = gpu.einsum("ij,jk->ik", &[&a, &a])?;
    let taken = cuda.memory(usize::MAX);
    let bytes = 64 * 64 * 8;
    // Operand and result, and once a byte less.
    cuda.memory(taken + 2 * bytes);
    assert_eq!(gpu.einsum("ij,jk->ik", &[&a, &a])?, expected);
    cuda.memory(taken + 2 * bytes - 1);
    cuda.fail(0, false);
    let error = gpu.einsum("ij,jk->ik", &[&a, &a]).unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::Memory { .. }), "{error}");
    assert_eq!((cuda.calls("cuLaunchKernel"), cuda.calls("cublasGemmStridedBatchedEx")), (0, 0), "nothing is begun");
    assert_eq!(cuda.memory(usize::MAX), taken);
    assert_eq!(gpu.einsum("ij,jk->ik", &[&a, &a])?, expected);
    Ok(())
}
