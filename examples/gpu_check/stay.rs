//! Lines whose results stay on the device: times are those of the computation, without a copy to the host.

use tensorwrapper::{DeviceTensor, DynOperand, Element, Error, OnDevice, Tensor};

use super::bench_einsum::{Job, Place, answer};

/// Operands and results are on the device. The equation is one of a program that calls `einsum`: what it was planned as is found by its
/// text. A prepared plan would be recorded, and copy each result out of the memory that it keeps.
impl Place for OnDevice {
    fn job<T: Element>(&self, equation: &str, operands: Vec<Tensor<T>>) -> Result<Job, Error> {
        let operands = operands.iter().map(|operand| self.take(operand)).collect::<Result<Vec<_>, Error>>()?;
        let (device, equation) = (self.clone(), equation.to_string());
        let run = move || {
            let operands: Vec<&dyn DynOperand<T>> = operands.iter().map(|operand| operand as _).collect();
            let result = device.einsum(&equation, &operands)?;
            device.finish()?;
            Ok(result)
        };
        Ok(Box::new(move |first| {
            // A device that other programs have used since the last line switches to this one, which is none of the equation's time.
            run().map_err(|error: Error| error.to_string())?;
            answer(first, &run, |result: DeviceTensor<T>| result.to_host())
        }))
    }
}
