//! Finds in which order the factors of a product of many tensors are multiplied.
mod anneal;
mod auto;
mod bits;
mod clock;
mod cost;
mod exact;
mod few;
mod find;
mod given;
mod greedy;
mod network;
mod order;
mod parts;
mod random;
mod reconfigure;
mod search;
mod sequence;
mod slice;
mod subsets;
#[cfg(test)]
mod tests;
mod tree;

pub use cost::{Minimize, Rates};
pub use find::{Found, Search, find};
pub use order::Order;
pub use tensorwrapper_core::error::{Error, ErrorKind};

/// What the runtime of tensorwrapper uses beside [`find`]. No promise is made about it.
#[doc(hidden)]
pub mod internal {
    pub use crate::few::Few;
    pub use crate::network::{Labels, Network, Path};
    pub use crate::parts::cut;
    pub use crate::search::{path, usual, usual_of_few};
}
