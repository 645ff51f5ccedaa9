//! Tensors, views and erased tensors: what they hold and what they refuse.

mod construct;
mod display;
mod npy;
mod stored;
mod views;
