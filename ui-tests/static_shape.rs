//! A static tensor with an extent that the compiler does not know.

use tensorwrapper::prelude::*;

fn equation(_: &StaticTensor<f64, Shape![2, _]>) {}

fn main() {}
