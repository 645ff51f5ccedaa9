//! Prepares and runs one operation of a device.

use num_complex::Complex;
use tensorwrapper_core::backend::{Contraction, Device, LoopNest, Operand, Output};
use tensorwrapper_core::error::Error;

/// Prepares a contraction for a device and runs it once.
///
/// # Errors
/// As [`Device::prepare`], and [`ErrorKind::Memory`](tensorwrapper_core::ErrorKind::Memory) for work space.
pub fn contract_once(
    device: &dyn Device,
    nest: &LoopNest,
    alpha: Complex<f64>,
    factors: &[Operand<'_>],
    output: Output<'_>,
) -> Result<(), Error> {
    let layouts: Vec<_> = factors.iter().map(|factor| (factor.layout(), factor.conjugate)).collect();
    let contraction =
        Contraction { nest, alpha, dtype: output.dtype(), factors: &layouts, output: output.layout(), then: None, others: &[] };
    let memory: Vec<_> = factors.iter().map(Operand::data).collect();
    device.prepare(&contraction)?.run(device, &memory, output.into_data())
}
