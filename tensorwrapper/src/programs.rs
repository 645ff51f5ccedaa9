//! Five whole programs: attention, the tensor renormalisation group, time evolution of a chain, a projected entangled pair state, and a
//! network with gradients.
//!
//! Each has a twin in NumPy beside it in `tensorwrapper/src/programs/`, which prints the same number and is not shorter in tokens. A token
//! is a name, a number, a string or a sign; documentation, comments and what only starts a program do not count. The twins are functions
//! for any size, ours are for one: a twin that is written as tersely can be shorter. `peps` contracts one network with two open spins,
//! its twin two closed ones.
//!
//! # Attention
//!
//! ```
#![doc = include_str!("programs/attention.rs")]
//! # assert!((run().unwrap() - 7.925072746741581).abs() < 1e-11);
//! ```
//!
//! # The tensor renormalisation group
//!
//! ```
#![doc = include_str!("programs/trg.rs")]
//! # assert!((run().unwrap() - 0.8793168120169497).abs() < 1e-11);
//! ```
//!
//! # Time evolution of a chain
//!
//! ```
#![doc = include_str!("programs/tebd.rs")]
//! # assert!((run().unwrap() + 2.491327881623878).abs() < 1e-11);
//! ```
//!
//! # A projected entangled pair state
//!
//! ```
#![doc = include_str!("programs/peps.rs")]
//! # assert!((run().unwrap() - 0.0007360445439957886).abs() < 1e-11);
//! ```
//!
//! # A network with gradients
//!
//! ```
//! # #![allow(non_snake_case)]
#![doc = include_str!("programs/network.rs")]
//! # assert!((run().unwrap() - 0.019422439069721145).abs() < 1e-11);
//! ```

/// The example of the README, which is compiled and run with the other examples.
#[cfg(doctest)]
#[doc = include_str!("../../README.md")]
pub struct Readme;
