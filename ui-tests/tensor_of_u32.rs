//! Tensors hold `i32`, `i64` and `u8`, and no other integers.

use tensorwrapper::prelude::*;

fn counted(a: &Tensor<u32>) {
    let _ = a;
}

fn main() {}
