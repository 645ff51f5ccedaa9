//! The examples of the designs that this library follows, each under its own heading.

mod layout;
mod shape;
