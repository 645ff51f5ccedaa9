//! Every call of every library may fail: what comes of it is an error or the right result, never a wrong one, and never a panic.

use tensorwrapper::ErrorKind;
use tensorwrapper::prelude::*;

use crate::StandIn;
use crate::programs::{Found, PROGRAMS, close, matrix};

/// Calls that give something back: where one of them fails, it is lost, and nobody can do anything about it. Without its context a
/// thread cannot give anything back.
const GIVES_BACK: [&str; 6] = ["Free", "Destroy", "Release", "Unload", "Unregister", "CtxSetCurrent"];

fn is_sound(found: &Result<Found, Error>, expected: &Found) -> bool {
    match found {
        Ok(found) => close(found, expected),
        Err(error) => {
            let known = matches!(
                error.kind(),
                ErrorKind::Device(_) | ErrorKind::Kernel { .. } | ErrorKind::Memory { .. } | ErrorKind::Unavailable { .. }
            );
            known && !error.to_string().is_empty()
        }
    }
}

/// One call fails, whichever it is; afterwards the device is as it was.
#[test]
fn any_call_may_fail() -> Result<(), Error> {
    let Some(cuda) = StandIn::of("any call may fail") else { return Ok(()) };
    for (name, program) in PROGRAMS {
        let expected = program(&Context::cpu())?;
        let run = || program(&Context::cuda(0)?);
        // The first run compiles what the others find on the disk.
        run()?;
        cuda.fail(0, false);
        run()?;
        let calls = cuda.fail(0, false);
        let mut errors = 0;
        for number in 1..=calls {
            cuda.fail(number, false);
            let found = run();
            let failed = cuda.failed().unwrap_or("nothing");
            cuda.fail(0, false);
            assert!(is_sound(&found, &expected), "{name}, call {number} of {calls}, {failed}: {found:?} instead of {expected:?}");
            errors += usize::from(found.is_err());
            let left = (cuda.things(), cuda.memory(usize::MAX));
            let may_lose = GIVES_BACK.iter().any(|word| failed.contains(word));
            assert!(left == (0, 0) || may_lose, "{name}, call {number} of {calls}, {failed}: {left:?} are left");
            cuda.reset();
        }
        println!("{name}: {errors} errors of {calls} calls that failed, each alone");
        assert!(errors > 0 && close(&run()?, &expected), "{name}");
    }
    Ok(())
}

/// From some call on everything fails, as where a device is lost: the program goes on with what the host has.
#[test]
fn a_device_may_be_lost() -> Result<(), Error> {
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
            assert!(is_sound(&found, &expected), "{name}, from call {number} of {calls} on: {found:?} instead of {expected:?}");
        }
        assert!(close(&run()?, &expected), "{name}");
    }
    Ok(())
}

/// What a tensor has on the host is not changed by a run that fails, nor is a target that was to be written.
#[test]
fn the_hosts_data_is_as_it_was() -> Result<(), Error> {
    let Some(cuda) = StandIn::of("the host's data") else { return Ok(()) };
    let gpu = Context::cuda(0)?;
    let (a, b, mut target) = (matrix(6, 6, 1), matrix(6, 6, 2).to(&gpu)?, matrix(6, 6, 3));
    let plan = gpu.prepare::<f64>("ij,jk,kl->il", &[&a, &b, &a])?;
    let expected = plan.run(&[&a, &b, &a])?;
    let mut failures = 0;
    for number in 1.. {
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
fn memory_may_be_short() -> Result<(), Error> {
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
