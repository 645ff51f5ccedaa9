//! Five programs, each with its twin in NumPy beside it: attention, the tensor renormalisation group, time evolution of a chain, a
//! projected entangled pair state, and a network with gradients.
//!
//! ```text
//! cargo run --release --example twins
//! python3 tensorwrapper/src/programs/attention.py
//! ```
//!
//! Both print the same number. `tests/integration/twins.rs` reads each program and its twin, counts the tokens of both by one rule, and
//! sees to it that no program is longer. The programs are a page of the documentation, too.

#![allow(non_snake_case, reason = "tensors have the names that they have in papers")]

#[path = "../../tensorwrapper/src/programs/attention.rs"]
mod attention;
#[path = "../../tensorwrapper/src/programs/network.rs"]
mod network;
#[path = "../../tensorwrapper/src/programs/peps.rs"]
mod peps;
#[path = "../../tensorwrapper/src/programs/tebd.rs"]
mod tebd;
#[path = "../../tensorwrapper/src/programs/trg.rs"]
mod trg;

use tensorwrapper::Error;

/// A program that results in one number.
type Program = fn() -> Result<f64, Error>;

/// Each program with the number that its twin prints.
pub const TWINS: [(&str, Program, f64); 5] = [
    ("attention", attention::run, 7.925072746741581),
    ("trg", trg::run, 0.8793168120169497),
    ("tebd", tebd::run, -2.491327881623878),
    ("peps", peps::run, 0.0007360445439957886),
    ("network", network::run, 0.019422439069721145),
];

#[allow(dead_code, reason = "tests include this file")]
fn main() -> Result<(), Error> {
    for (name, program, twin) in TWINS {
        let found = program()?;
        println!("{name:<10} {found:>20} {twin:>24} by NumPy, difference {:.1e}", (found - twin).abs());
    }
    Ok(())
}
