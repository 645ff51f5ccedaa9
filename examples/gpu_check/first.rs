//! First calls of equations that are new to a program: how long one takes that is waited for, with operands that are on the device.

use std::time::{Duration, Instant};

use tensorwrapper::prelude::*;
use tensorwrapper::{DeviceTensor, OnDevice, try_tensor};

use super::cases::stream;

/// What is called first: a name, how large its extents are on a GPU, and the call.
pub(crate) struct First {
    pub(crate) name: &'static str,
    pub(crate) extent: usize,
    pub(crate) call: fn(&OnDevice, usize) -> Result<Called, Error>,
}

/// The time of a call, its operands, and its result.
pub(crate) struct Called {
    pub(crate) time: Duration,
    #[allow(dead_code, reason = "tests look at it, the program looks at the time alone")]
    pub(crate) operands: Vec<Tensor<f64>>,
    #[allow(dead_code, reason = "as above")]
    pub(crate) result: Tensor<f64>,
}

/// All of them.
pub(crate) const ALL: [First; 4] = [
    First { name: "contraction", extent: 32, call: contraction },
    First { name: "element_wise", extent: 1000, call: element_wise },
    First { name: "permutation", extent: 40, call: permutation },
    First { name: "cholesky", extent: 200, call: cholesky },
];

/// Takes the time of a call from when its operands are on the device to when its result is.
fn timed<S: Extents>(
    device: &OnDevice,
    operands: Vec<Tensor<f64>>,
    call: impl FnOnce(&[DeviceTensor<f64>]) -> Result<DeviceTensor<f64, S>, Error>,
) -> Result<Called, Error> {
    let there = operands.iter().map(|operand| device.take(operand)).collect::<Result<Vec<_>, Error>>()?;
    device.finish()?;
    let begun = Instant::now();
    let result = call(&there)?;
    device.finish()?;
    let time = begun.elapsed();
    Ok(Called { time, operands, result: result.to_host()?.into_dyn() })
}

fn random(extents: &[usize], seed: u64) -> Result<Tensor<f64>, Error> {
    let mut next = stream(seed);
    Tensor::from_fn(extents, |_| next())
}

/// No product of matrices where its tensors lie.
fn contraction(device: &OnDevice, n: usize) -> Result<Called, Error> {
    let operands = vec![random(&[n; 4], 1)?, random(&[n; 4], 2)?];
    timed(device, operands, |there| device.einsum("aebf,dfce->abcd", &[&there[0], &there[1]]))
}

fn element_wise(device: &OnDevice, n: usize) -> Result<Called, Error> {
    let operands = vec![random(&[n, n], 1)?, random(&[n, n], 2)?, random(&[n, n], 3)?];
    timed(device, operands, |there| {
        let [a, b, c] = there else { unreachable!("there are as many as were given") };
        try_tensor! { in device; let y[i, j] = exp(a[i, j]) * b[j, i] - 2 * sin(c[i, j]); y }
    })
}

fn permutation(device: &OnDevice, n: usize) -> Result<Called, Error> {
    timed(device, vec![random(&[n; 4], 1)?], |there| device.einsum("abcd->dcba", &[&there[0]]))
}

fn cholesky(device: &OnDevice, n: usize) -> Result<Called, Error> {
    let definite = |index: &[usize]| if index[0] == index[1] { n as f64 } else { 1.0 / (1 + index[0].abs_diff(index[1])) as f64 };
    timed(device, vec![Tensor::from_fn(&[n, n], definite)?], |there| {
        let [s] = there else { unreachable!("there are as many as were given") };
        try_tensor! { in device; let l[i, r] = cholesky(i, j; s[i, j]); l }
    })
}
