//! The fast device against the reference.
