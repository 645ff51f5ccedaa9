//! The messages of the macros: one mistake a file under `ui-tests/`, its message beside it; and, as modules of this test,
//! what must compile without a warning, under `ui-tests/pass/`.
//!
//! After a change of messages, read the new ones, then write them with `TRYBUILD=overwrite cargo test --test ui`.

// Labels may be Greek, as `α` here is.
#![allow(confusable_idents, mixed_script_confusables)]

#[path = "../ui-tests/pass/generic.rs"]
pub mod generic;
#[path = "../ui-tests/pass/holes.rs"]
pub mod holes;
#[path = "../ui-tests/pass/hygiene.rs"]
pub mod hygiene;
#[path = "../ui-tests/pass/lints.rs"]
pub mod lints;

#[test]
fn mistakes_have_their_messages() {
    trybuild::TestCases::new().compile_fail("../ui-tests/*.rs");
}
