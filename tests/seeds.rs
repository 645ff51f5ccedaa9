//! The examples of the designs that this library follows, each under its own heading.

#[path = "seeds/layout.rs"]
mod layout;
#[path = "seeds/shape.rs"]
mod shape;
