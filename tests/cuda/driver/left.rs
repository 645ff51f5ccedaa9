//! Nothing is left when the last that uses a device is gone: no memory, no handle, no text.

use tensorwrapper::prelude::*;

use super::StandIn;
use super::programs::{PROGRAMS, close, matrix};

#[test]
fn device_is_released_with_its_last_user() -> Result<(), Error> {
    let Some(cuda) = StandIn::of("nothing is left") else { return Ok(()) };
    for (name, program) in PROGRAMS {
        let expected = program(&Context::cpu())?;
        for round in 0..2 {
            let found = program(&Context::cuda(0)?)?;
            assert!(close(&found, &expected), "{name}, round {round}: {found:?} instead of {expected:?}");
            assert_eq!((cuda.things(), cuda.memory(usize::MAX), cuda.dangles()), (0, 0, false), "{name}, round {round}");
        }
    }
    Ok(())
}

/// A tensor that is on the device keeps it open, however many contexts have gone.
#[test]
fn tensors_outlive_contexts() -> Result<(), Error> {
    let Some(cuda) = StandIn::of("tensors outlive contexts") else { return Ok(()) };
    let taken = matrix(5, 5, 1).to(&Context::cuda(0)?)?;
    let there = Context::cuda(0)?.on_device()?.take(&matrix(5, 5, 2))?;
    let pinned = matrix(5, 5, 3).to_pinned(&Context::cuda(0)?)?;
    let plan = Context::cuda(0)?.prepare::<f64>("ij,jk,kl->il", &[&taken, &there, &pinned])?;
    let cpu = Context::cpu();
    let expected = cpu.einsum("ij,jk,kl->il", &[&matrix(5, 5, 1), &matrix(5, 5, 2), &matrix(5, 5, 3)])?;
    for _ in 0..4 {
        assert!(close(plan.run(&[&taken, &there, &pinned])?.as_slice(), expected.as_slice()));
    }
    drop(plan);
    drop((taken, pinned));
    assert!(cuda.things() > 0);
    assert_eq!(there.to_host()?, matrix(5, 5, 2));
    drop(there);
    assert_eq!((cuda.things(), cuda.memory(usize::MAX)), (0, 0));
    Ok(())
}
