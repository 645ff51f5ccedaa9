//! The messages of the macros: one mistake a file under `ui-tests/`, its message beside it; and what must compile without
//! one, under `ui-tests/pass/`.
//!
//! After a change of messages, read the new ones, then write them with `TRYBUILD=overwrite cargo test --test ui`.

#[test]
fn messages() {
    let cases = trybuild::TestCases::new();
    cases.compile_fail("../ui-tests/*.rs");
    cases.pass("../ui-tests/pass/*.rs");
}
