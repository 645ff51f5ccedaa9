//! Equations that must compile without a warning: the files under `ui-tests/pass/`, as modules of this program.

#[path = "../../ui-tests/pass/generic.rs"]
pub mod generic;
#[path = "../../ui-tests/pass/holes.rs"]
pub mod holes;
#[path = "../../ui-tests/pass/hygiene.rs"]
pub mod hygiene;
#[path = "../../ui-tests/pass/lints.rs"]
pub mod lints;
