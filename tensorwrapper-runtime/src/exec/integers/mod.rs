//! Equations over integers.
//!
//! A device has no integers. Where bounds prove that double precision holds every intermediate, an equation is computed in it, as any
//! other, and is exact in every order of its sums; one that works element by element on many integers reads them as they lie instead. What
//! double precision does not hold is computed here, by plain loops in 64 bits that wrap around.

mod bounds;
mod direct;
mod exact;
mod kept;
mod known;
mod largest;
mod map;
mod plan;
mod product;
mod product_plan;
mod reader;

pub(crate) use kept::{KeptIntegers, KeptStep, SourcePlace};
pub(crate) use known::KnownIntegers;
pub(crate) use plan::{IntegerPlan, IntegerSource};
pub(crate) use product_plan::IntegerProduct;
