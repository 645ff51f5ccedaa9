//! An equation as the value of a constant.

use tensorwrapper::prelude::*;

static ONES: StaticTensor<f64, Shape![2]> = StaticTensor::new([1.0, 1.0]);
static TWOS: StaticTensor<f64, Shape![2]> = tensor!([i] = 2.0 * ONES[i]);

fn main() {
    println!("{TWOS}");
}
