//! Tensors, views and erased tensors: what they hold and what they refuse.

mod construct;
mod display;
mod npy;
#[cfg(unix)]
mod npy_files;
mod shapes;
mod stored;
mod views;
