//! A pass and a backend of a program's own, each in one file and with nothing but the library's public interface: see
//! `pass.rs` and `backend.rs`.
//!
//! ```text
//! cargo run --release --example extend
//! ```
//!
//! A product with a matrix and its inverse among its factors is computed twice on a device that counts: as it is written, and with a
//! pass that leaves both out. The results are compared.

mod backend;
mod pass;

use tensorwrapper::{Context, Error, Tensor};

use backend::Counting;
use pass::CancelInverses;

fn main() -> Result<(), Error> {
    const N: usize = 64;
    // Far from singular, so that both ways give nearly the same numbers.
    let a = Tensor::<f64>::from_fn([N, N], |i| if i[0] == i[1] { 4.0 } else { 1.0 / (1 + i[0] + 2 * i[1]) as f64 })?;
    let c = Tensor::<f64>::from_fn([N, N], |i| (i[0] as f64 - i[1] as f64).sin())?;
    let graph = tensorwrapper::Graph::new();
    let b = tensorwrapper::tensor! {
        in &graph;
        let x[j, i] = inv(a[i, j]);
        let b[i, l] = a[i, j] * x[j, k] * c[k, l];
        b
    };

    let mut results = Vec::new();
    for (title, passes) in [("as written", false), ("without a matrix beside its inverse", true)] {
        let device = Counting::new();
        let context = Context::on(device.clone());
        let context = if passes { context.with_pass(CancelInverses) } else { context };
        println!("{title}:");
        results.push(context.eval(&b)?);
        println!("    {} multiplications in products", device.multiplications());
    }
    let differ = results[0].as_slice().iter().zip(results[1].as_slice()).map(|(x, y)| (x - y).abs());
    println!("the results differ by at most {:.1e}", differ.fold(0.0, f64::max));
    Ok(())
}
