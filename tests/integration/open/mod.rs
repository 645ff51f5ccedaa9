//! What a program may add without our crates' privileges: backends, devices, passes and graphs of its own, and equations as text.

mod backends;
mod devices;
mod graphs;
mod instances;
mod passes;
mod record;
mod toy;
