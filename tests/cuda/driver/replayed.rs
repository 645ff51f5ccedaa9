//! What a plan that runs again asks of the driver: one graph, however many steps it has.

use tensorwrapper::prelude::*;
use tensorwrapper::{DeviceTensor, DynOperand, Order, Replay};

use super::programs::{close, matrix};
use super::{StandIn, forget};

/// Factors of the product; each step multiplies by one more.
const FACTORS: usize = 51;

#[test]
fn fifty_replayed_steps_are_one_call() -> Result<(), Error> {
    let Some(cuda) = StandIn::of("fifty steps are one call") else { return Ok(()) };
    let gpu = Context::cuda(0)?;
    let there = gpu.on_device()?;
    let host: Vec<Tensor<f64>> = (0..FACTORS).map(|n| matrix(6, 6, n)).collect();
    let taken = host.iter().map(|tensor| there.take(tensor)).collect::<Result<Vec<DeviceTensor<f64>>, Error>>()?;
    let labels: Vec<[usize; 2]> = (0..FACTORS).map(|n| [n, n + 1]).collect();
    let on = |context: &Context, tensors: &[&dyn DynOperand<f64>]| {
        let operands: Vec<_> = tensors.iter().zip(&labels).map(|(tensor, labels)| (*tensor, &labels[..])).collect();
        context.clone().order(Order::AsWritten).prepare_contraction(&operands, &[0, FACTORS])
    };
    let [here, operands]: [Vec<&dyn DynOperand<f64>>; 2] =
        [host.iter().map(|tensor| tensor as _).collect(), taken.iter().map(|tensor| tensor as _).collect()];
    let expected = on(&Context::cpu(), &here)?.run(&here)?;
    let plan = on(&gpu, &operands)?;
    for _ in 0..3 {
        assert!(close(plan.run_on_device(&operands)?.to_host()?.as_slice(), expected.as_slice()));
    }
    assert_eq!(plan.explain().replay(), Some(&Replay::Whole));
    assert_eq!(plan.explain().steps().len(), FACTORS - 1);
    cuda.fail(0, false);
    let found = plan.run_on_device(&operands)?;
    let kernels = cuda.calls("cuLaunchKernel") + cuda.calls("cublasGemmStridedBatchedEx");
    assert_eq!((cuda.calls("cuGraphLaunch"), kernels), (1, 0));
    assert_eq!(cuda.calls("cuMemcpyHtoDAsync_v2") + cuda.calls("cuStreamSynchronize"), 0, "the host waits for nothing");
    let others = cuda.fail(0, false) - 1;
    assert!(others <= 8, "{others} calls of the driver beside the graph's: the context, and memory and a copy for the result");
    assert!(close(found.to_host()?.as_slice(), expected.as_slice()));
    Ok(())
}

/// Products that are large enough are measured once for a device, and known to the next program by the file.
#[test]
fn choices_are_measured_once() -> Result<(), Error> {
    let Some(cuda) = StandIn::of("ways are measured once") else { return Ok(()) };
    // What earlier programs have found is not to be known here.
    forget(|name| name.starts_with("strategies-"));
    let a = matrix(128, 129, 1);
    let expected = Context::cpu().einsum("ij,kj->ik", &[&a, &a])?;
    let mut events = Vec::new();
    for _ in 0..3 {
        // Each time another device, as for another program, with what is on the disk.
        let gpu = Context::cuda(0)?;
        cuda.fail(0, false);
        assert!(close(gpu.einsum("ij,kj->ik", &[&a, &a])?.as_slice(), expected.as_slice()));
        events.push(cuda.calls("cuEventElapsedTime_v2"));
    }
    assert!(events[0] > 0 && events[1..] == [0, 0], "{events:?}");
    Ok(())
}
