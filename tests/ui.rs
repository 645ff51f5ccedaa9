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

use tensorwrapper::prelude::*;

#[test]
fn mistakes_have_their_messages() {
    trybuild::TestCases::new().compile_fail("../ui-tests/*.rs");
}

/// The sentence with which the compiler refuses a file.
fn sentence(name: &str) -> String {
    let path = format!("{}/../ui-tests/{name}.stderr", env!("CARGO_MANIFEST_DIR"));
    let message = std::fs::read_to_string(path).expect("the mistake has its message beside it");
    let line = message.lines().next().expect("a message has a first line");
    line.split_once(": ").expect("the sentence follows the error's number").1.to_string()
}

fn zeros(extents: &[usize]) -> Tensor<f64> {
    Tensor::zeros(extents).expect("there is memory for a few numbers")
}

/// What only the run can know is refused with the same sentence.
#[test]
#[allow(non_snake_case, reason = "operands have the names that they have in the files")]
fn the_run_says_what_the_compiler_says() {
    let (a, b, square) = (&zeros(&[2, 3]), &zeros(&[4, 5]), &zeros(&[3, 4]));
    let said = [
        ("extent_mismatch", try_tensor!([i, j] = a[i, k] * b[k, j]).map(drop)),
        ("extent_mismatch_same_operand", try_tensor!([i, j] = a[i, k] * a[k, j]).map(drop)),
        ("extent_mismatch_trace", try_tensor!([] = a[i, i]).map(drop)),
        ("extent_mismatch_where", try_tensor!([i, j] = a[i, j] where i: 4).map(drop)),
        ("extent_mismatch_cholesky", try_tensor!([i, k] = cholesky(a[i, j])).map(drop)),
        ("fused_product", {
            let (A, B) = (&zeros(&[7]), a);
            try_tensor!([i, j] = A[(i, j)] * B[i, j]).map(drop)
        }),
        ("fused_division", {
            let A = &zeros(&[7]);
            try_tensor!([i, j] = A[(i, j)] where i: 2).map(drop)
        }),
        ("rank_too_many_indices", try_tensor!([i, j] = a[i, j, k] * square[k, k]).map(drop)),
        ("position_out_of_range", {
            let a = square;
            try_tensor!([j] = a[5, j]).map(drop)
        }),
        ("slice_out_of_range", {
            let a = square;
            try_tensor!([i, j] = a[i in 2..9, j]).map(drop)
        }),
    ];
    for (name, result) in said {
        let error = result.expect_err(name).to_string();
        assert_eq!(error.lines().next(), Some(sentence(name).as_str()), "{name}");
    }
}
