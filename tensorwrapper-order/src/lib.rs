//! Finds the order in which the factors of a product of many tensors are multiplied.
//!
//! A product such as `A[i, j] * B[j, k] * C[k, l]` is computed in pairs. The order of the pairs decides how many operations and how much
//! memory the product takes: the best and the worst order differ by orders of magnitude. This crate searches for a good order, or the
//! best. It sees labels and extents, never elements, so that any program that multiplies tensors can use it.
//!
//! # The language of labels
//!
//! A tensor is given as the list of its axes' labels. A label is a number, its position in the list of extents. Axes with the same label
//! are multiplied element by element, and labels that the result does not have are summed. A label may be on any number of tensors, and
//! twice on one tensor, where it means a diagonal. This is the language of NumPy's `einsum`, with numbers instead of letters.
//!
//! ```
//! # mod tensorwrapper { pub use tensorwrapper_order as order; pub use tensorwrapper_order::Order; }
//! use tensorwrapper::{Order, order::{Search, find}};
//!
//! // y[i] = A[i, j] * B[j, k] * c[k]: i is 0, j is 1 and k is 2.
//! let (inputs, output, extents) = ([vec![0, 1], vec![1, 2], vec![2]], [0], [10, 1000, 20]);
//!
//! // B times c first, then A times that: products of vectors, not of matrices.
//! let found = find(&inputs, &output, &extents, &Search::new())?;
//! assert_eq!(found.pairs, [(1, 2), (0, 3)]);
//! assert_eq!(found.log2_operations.exp2().round(), 1000.0 * 20.0 + 10.0 * 1000.0);
//! assert!(found.is_best);
//!
//! // From left to right it takes seven times as many.
//! let written = find(&inputs, &output, &extents, &Search::new().order(Order::AsWritten))?;
//! assert_eq!(written.log2_operations.exp2().round(), 10.0 * 1000.0 * 20.0 + 10.0 * 20.0);
//! # Ok::<(), tensorwrapper_order::Error>(())
//! ```
//!
//! [`Found::pairs`] numbers the factors from 0 and gives each product the next number; [`Found::linear`] has the same pairs in the
//! numbers of NumPy's `einsum_path`.
//!
//! # Strategies
//!
//! [`Search::order`] takes an [`Order`]:
//!
//! | order | what it does | for how many factors |
//! |---|---|---|
//! | [`Auto`](Order::Auto) | the best order for up to 12 factors; for more, the best of many improved greedy orders | any |
//! | [`Exact`](Order::Exact) | dynamic programming: over all orders up to 16 factors, beyond that over those without outer products | up to 64, if labels are not shared by too many |
//! | [`Greedy`](Order::Greedy) | at each step the pair whose product is smallest compared with its factors | any; thousands take milliseconds |
//! | [`Budget`](Order::Budget) | searches as `Auto` does, with simulated annealing, until the time is up | any |
//! | [`AsWritten`](Order::AsWritten) | from left to right | any |
//! | [`Path`](Order::Path) | the caller's own pairs, checked | any |
//!
//! # Costs
//!
//! [`Search::minimize`] sets what the order minimizes ([`Minimize`]): multiplications, elements of the largest intermediate result, or
//! seconds. Seconds are estimated from the [`Rates`] of a machine: the multiplications that it does in a second inside and outside of
//! products of matrices, and the elements that it reads and writes in a second.
//!
//! # Slicing
//!
//! [`Search::limit`] bounds the number of elements of every intermediate result. If the best order exceeds it, labels are sliced: the
//! product is computed once for each value of such a label. The results are added up or, if the final result has the label, put together.
//! Labels are chosen one at a time, and the order is improved after each choice.
//!
//! ```
//! # mod tensorwrapper { pub use tensorwrapper_order as order; pub use tensorwrapper_order::Order; }
//! use tensorwrapper::order::{Search, find};
//!
//! // The trace of A * B * C * D. Matrices of 16 × 16 have 256 elements; no product may have more than 64.
//! let inputs = [vec![0, 1], vec![1, 2], vec![2, 3], vec![3, 0]];
//! let found = find(&inputs, &[], &[16; 4], &Search::new().limit(64.0))?;
//! assert!(!found.sliced.is_empty() && found.log2_largest <= 6.0);
//! # Ok::<(), tensorwrapper_order::Error>(())
//! ```
//!
//! # What is deterministic
//!
//! The same labels, extents, order and [seed](Search::seed) give the same pairs, on every machine with the same floating-point
//! arithmetic, no matter how many threads it has: a search runs on one thread. [`Order::Budget`] is the exception, because it returns the
//! best order that it has found when the time is up.
//!
//! # Files, and where to add a strategy
//!
//! A strategy is a function from a network of labels to pairs, in a file of its own. To add one, write the file, add a variant to
//! [`Order`] in `order.rs`, and add the line in `search.rs` that calls it.
//!
//! | file | holds | source |
//! |---|---|---|
//! | `network.rs`, `bits.rs` | labels of factors and result, sets of labels | |
//! | `cost.rs` | the cost of a product, and what is minimized | |
//! | `greedy.rs` | the greedy order, with and without randomness | Smith and Gray, J. Open Source Softw. 3, 753 (2018); Gray and Kourtis, Quantum 5, 410 (2021) |
//! | `few.rs` | the order of fewest operations of at most five factors, in tables on the stack | |
//! | `subsets.rs` | dynamic programming over all subsets of a few tensors | sums over subsets: Yates, "The design and analysis of factorial experiments" (1937) |
//! | `exact.rs` | the best order; beyond 16 factors over connected subsets under a cap | Pfeifer, Haegeman and Verstraete, Phys. Rev. E 90, 033315 (2014) |
//! | `tree.rs` | an order as a binary tree that is changed step by step | |
//! | `anneal.rs` | simulated annealing of a tree by rotations | Kalachev, Panteleev and Yung, arXiv:2108.05665 (2021) |
//! | `reconfigure.rs` | better orders of parts of a tree, by dynamic programming | |
//! | `slice.rs`, `parts.rs` | labels to slice, and how many of their values are taken at a time | |
//! | `sequence.rs` | which of two factors is computed first, so that less memory is held at once | Sethi and Ullman, J. ACM 17, 715 (1970) |
//! | `auto.rs` | the search that uses all of these | |
//! | `given.rs` | the caller's own pairs | |
//! | `search.rs` | runs the strategy that an [`Order`] names | |
//! | `find.rs` | [`find`]: checks the input, returns the order and its costs | |

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

/// The functions that the runtime of tensorwrapper uses besides [`find`]. They may change in any version.
#[doc(hidden)]
pub mod internal {
    pub use crate::few::Few;
    pub use crate::network::{Labels, Network, Path};
    pub use crate::parts::cut;
    pub use crate::search::{path, usual, usual_of_few};
}
