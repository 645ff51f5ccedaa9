//! What the doors of the run time say of wrong equations: in words that the one who wrote them can use.

use tensorwrapper::prelude::*;
use tensorwrapper::{DynOperand, Indexed};

#[track_caller]
fn says<T: std::fmt::Debug>(result: Result<T, Error>, sentence: &str) {
    assert_eq!(result.expect_err("this is wrong").to_string(), sentence);
}

/// Operators have no `1[i]`, no `where` and no `sum(k; …)`.
#[test]
fn help_for_operators_names_operators() -> Result<(), Error> {
    let (a, v) = (Tensor::<f64>::filled([2, 3], 1.0)?, Tensor::<f64>::filled([3], 1.0)?);
    says(
        (a.at("ij") + v.at("j")).eval("ij"),
        "this term lacks the left side's index `i`\nhelp: a term that is constant along `i` is spread over it: `tensorwrapper::Indexed::spread(1.0, \"i,\") * …`",
    );
    (a.at("ij") + Indexed::spread(1.0, "i,") * v.at("j")).eval("ij")?;
    says(
        v.at("j").eval("ij"),
        "index `i` is on the left, but no term on the right has it\nhelp: a result that is constant along `i` is written `tensorwrapper::Indexed::spread(1.0, \"i,\") * …`",
    );
    says(
        (Indexed::spread(1.0, "i,") * v.at("j")).eval("ij"),
        "nothing gives index `i` an extent\nhelp: an operand with index `i` gives it one: a tensor of ones, for example",
    );
    says(
        a.at("ij").exp().eval("j"),
        "index `i` would be summed inside a function's argument, or outside: the equation does not say\nhelp: call `.sum(\"i,\")` on what stands inside, or on the whole term",
    );
    a.at("ij").exp().sum("i,").eval("j")?;
    let product = || a.at("ij") * a.at("kj");
    says(
        product().norm("").eval(),
        "index `j` would be summed inside `norm`, or be an axis of it: the equation does not say\nhelp: call `.sum(\"j,\")` on what is summed; or name the axes: `.matrix(\"i,j,k,\", \"\")`",
    );
    product().sum("j,").norm("").eval()?;
    product().norm("").matrix("i,j,k,", "").eval()?;
    says(
        product().trace("").eval(),
        "index `j` would be summed inside `trace`, or be an axis of it: the equation does not say\nhelp: call `.sum(\"j,\")` on what is summed",
    );
    says(
        (a.at("ij") - v.at("j")).norm("").eval(),
        "this term lacks index `i`, an axis of `norm`\nhelp: a term that is constant along `i` is spread over it: `tensorwrapper::Indexed::spread(1.0, \"i,\") * …`",
    );
    says(
        a.at("i,..").eval("i"),
        "`..` is on the right, but not on the left\nhelp: the remaining axes are kept: write `eval(\"i, ..\")`",
    );
    says(
        a.at("ij").eval("i in 0..1, j"),
        "a slice selects a part of an existing tensor, and here a new one is made\nhelp: write `i` alone, and the slice in an operand",
    );
    says(
        a.at("ij").eval("0, j"),
        "a position selects a part of an existing tensor, and here a new one is made\nhelp: leave it out, and write the position in an operand",
    );
    Ok(())
}

/// Subscripts and integer labels have labels and nothing else.
#[test]
fn help_for_subscripts_names_only_subscripts() -> Result<(), Error> {
    let v = Tensor::<f64>::filled([3], 1.0)?;
    says(einsum("a->p", &[&v]), "index `p` is in the output, but no operand has it");
    says(contract(&[(&v as &dyn DynOperand<f64>, &[0])], &[7]), "index `7` is in the output, but no operand has it");
    let no_rest =
        "help: `...` stands for no axes where the output has none: write it there too, or give the axes labels, which are summed";
    says(einsum("...->", &[&v]), &format!("`operand 0` has rank 1 but 0 indices are given\n{no_rest}"));
    let recorded = v.at("i").record("i")?;
    for operands in [[&v as &dyn DynOperand<f64>, &v], [&v, &recorded]] {
        says(einsum("i,.. .->i", &operands), &format!("`operand 1` has rank 1 but 0 indices are given\n{no_rest}"));
    }
    says(einsum("ij...->i", &[&v]), "`operand 0` has rank 1 but 2 indices are given");
    says(einsum("...i......->i", &[&v]), "`...` stands once in an operand: where it ends must be clear (at byte 4)");
    says(
        einsum("a1->a", &[&v]),
        "`1` is not a label: labels are letters (at byte 1)\nhelp: subscripts look like `ik,kj->ij`; names of several letters are for `at`, numbers for `contract`",
    );
    Ok(())
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

/// An extent that only the run can know is refused with the sentence that the compiler has for it.
#[test]
#[allow(non_snake_case, reason = "operands have the names that they have in the files")]
fn run_time_errors_match_compiler_messages() {
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
