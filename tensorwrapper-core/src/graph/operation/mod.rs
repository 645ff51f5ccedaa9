//! What operations mean to a graph: how much they cost, what they may read, what is wrong with them.
//!
//! Each variant of [`Operation`](super::Operation) has a file of its own, which implements `Meaning`; `dispatch` finds it, and is the
//! only file of this folder that names all variants. A new variant needs a file here and a line there. How operations are computed is not
//! known here.

mod contract;
mod dispatch;
mod factorise;
mod map;
mod meaning;
mod place;
mod reshape;
mod sliced;
mod write;
