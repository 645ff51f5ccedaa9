//! Two devices, and several threads.

use tensorwrapper::ErrorKind;
use tensorwrapper::prelude::*;

use super::StandIn;
use super::programs::{PROGRAMS, close, matrix};

#[test]
fn tensor_of_another_device_is_an_error_with_help() -> Result<(), Error> {
    let Some(_cuda) = StandIn::of("two devices") else { return Ok(()) };
    let [first, second] = [Context::cuda(0)?, Context::cuda(1)?];
    let (a, b) = (matrix(4, 4, 1).to(&first)?, matrix(4, 4, 2).to(&second)?);
    let error = tensorwrapper::einsum("ij,jk->ik", &[&a, &b]).unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::Placement { .. }), "{error}");
    assert!(error.help().is_some_and(|help| help.contains("to(")), "{error}");
    let expected = Context::cpu().einsum("ij,jk->ik", &[&matrix(4, 4, 1), &matrix(4, 4, 2)])?;
    // Where the context is said, or both are in one place, it is computed.
    let found = [first.einsum("ij,jk->ik", &[&a, &b])?, tensorwrapper::einsum("ij,jk->ik", &[&a, &b.clone().to(&first)?])?];
    assert!(found.iter().all(|found| close(found.as_slice(), expected.as_slice())));
    let there = second.on_device()?.take(&matrix(4, 4, 2))?;
    let error = first.einsum::<f64>("ij,jk->ik", &[&a, &there]).unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::Placement { .. }), "{error}");
    Ok(())
}

#[test]
fn missing_device_is_reported() {
    let Some(_cuda) = StandIn::of("no third device") else { return };
    let error = Context::cuda(2).unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::Unavailable { .. }), "{error}");
    assert!(error.to_string().contains("2 devices"), "{error}");
}

/// Threads share a device, and another one has its own; each thread gives the driver the context that its work is for.
#[test]
fn threads_share_devices() -> Result<(), Error> {
    let Some(cuda) = StandIn::of("threads") else { return Ok(()) };
    let expected = PROGRAMS.map(|(_, program)| program(&Context::cpu()));
    std::thread::scope(|scope| -> Result<(), Error> {
        let contexts = [Context::cuda(0)?, Context::cuda(0)?, Context::cuda(1)?];
        let start = |(n, context): (usize, Context)| {
            let expected = &expected;
            scope.spawn(move || -> Result<(), Error> {
                for round in 0..PROGRAMS.len() {
                    let place = (round + 2 * n) % PROGRAMS.len();
                    let (name, program) = PROGRAMS[place];
                    let found = program(&context)?;
                    assert!(expected[place].as_ref().is_ok_and(|expected| close(&found, expected)), "{name} in thread {n}");
                }
                Ok(())
            })
        };
        let threads: Vec<_> = contexts.into_iter().enumerate().map(start).collect();
        threads.into_iter().try_for_each(|thread| thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
    })?;
    assert_eq!((cuda.things(), cuda.memory(usize::MAX)), (0, 0));
    Ok(())
}
