//! The examples of the designs that this library follows, each under its own heading.

mod jagged;
mod layout;
mod nested;
mod shape;
mod sparsity;
mod structured;
mod symmetry;
mod tiled;
