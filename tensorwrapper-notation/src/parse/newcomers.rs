//! Tests of what newcomers from NumPy, ITensor, Julia, MATLAB and einops write: nobody is led into a wrong program, and one mistake is
//! one fault.

use crate::testing::{refused, warnings};

#[test]
fn indices() {
    refused(&[
        (
            "[i] = A[i, :]",
            &[
                ":: `:` is not an index | a whole axis has a label of its own: `A[i, k]`, and `k` is summed unless the left side has it, too",
            ],
        ),
        (
            "[i] = A[i, 0:3]",
            &[
                "0:3: `0:3` is not an index | a part of an axis has a label, `k in 0..3`: positions count from 0, the end is left out",
            ],
        ),
        (
            "[i] = A[i, :n]",
            &[
                ":n: `:n` is not an index | a part of an axis has a label, `k in ..n`: positions count from 0, the end is left out",
            ],
        ),
        (
            "[i] = A[i, 1:end]",
            &[
                "1:end: `1:end` is not an index | a whole axis has a label of its own: `A[i, k]`, and `k` is summed unless the left side has it, too",
            ],
        ),
        (
            "[i] = A[i, 2:end]",
            &["2:end: `2:end` is not an index | a part of an axis has a label, `k in 1..`: positions count from 0"],
        ),
        (
            "[i] = A[i, 2:end-1]",
            &[
                "2:end-1: `2:end - 1` is not an index | a part of an axis has a label, `k in 1..{ n - 1 }`: positions count from 0, `n` is the extent",
            ],
        ),
        (
            "[i] = A[i, end-2:end]",
            &[
                "end-2:end: `end - 2:end` is not an index | a part of an axis has a label, `k in { n - 2 - 1 }..`: positions count from 0, `n` is the extent",
            ],
        ),
        (
            "[i] = A[i, 1:3]",
            &[
                "1:3: `1:3` is not an index | a part of an axis has a label, `k in 1..3`: positions count from 0, the end is left out",
            ],
        ),
        (
            "[i] = A[i, :-1]",
            &[
                ":-1: `: - 1` is not an index | a part of an axis has a label, `k in ..{ n - 1 }`: positions count from 0, the end is left out, `n` is the extent",
            ],
        ),
        (
            "[] = A[i => 1]",
            &[
                "i => 1: `i => 1` is not an index | axes have no names: a position stands at the place of its axis, and positions count from 0: the first is `0`",
            ],
        ),
        (
            "[] = a[i == 0]",
            &[
                "i == 0: `i == 0` is not an index | a condition chooses among elements, `select(iota[i] == 0; A[i], 0.0)`; those that fulfil it are `let b = a.compress(&m)?;`, a method of whole tensors, where `m` has the truth values",
            ],
        ),
        (
            "[] = a[i < n && i != j]",
            &[
                "i < n && i != j: `i < n && i != j` is not an index | a condition chooses among elements, `select(iota[i] < n && iota[i] != iota[j]; A[i], 0.0)`; those that fulfil it are `let b = a.compress(&m)?;`, a method of whole tensors, where `m` has the truth values",
            ],
        ),
        (
            "[i] = A[i, *]",
            &[
                "*: `*` is not an index | a whole axis has a label of its own: `A[i, k]`, and `k` is summed unless the left side has it, too",
            ],
        ),
        ("[h w c] = A[c h w]", &["h w c: `h w c` is not an index | labels have `,` between them: `h, w, c`"]),
        (
            "[i, j] = A[[i, j]]",
            &["[i, j]: `[i, j]` is not an index | the indices of an operand stand in one pair of brackets: `A[i, j]`"],
        ),
        (
            "[i] = A[i, j=0]",
            &["j=0: `j = 0` is not an index | axes have no names: a position stands at the place of its axis, `0`"],
        ),
        (
            "[i] = A[i, j=n-1]",
            &["j=n-1: `j = n - 1` is not an index | axes have no names: a position stands at the place of its axis, `{ n - 1 }`"],
        ),
        (
            "[j] = A[i..., j]",
            &["i...: `i...` is not an index | the remaining axes are `..`, on the left side too: `[.., j] = A[.., j]`"],
        ),
        (
            "[i] = a[a[i] > 0]",
            &[
                "a[i] > 0: `a[i] > 0` is not an index | a condition chooses among elements, `select(a[i] > 0; A[i], 0.0)`; those that fulfil it are `let b = a.compress(&m)?;`, a method of whole tensors, where `m` has the truth values",
            ],
        ),
        (
            "[i] = a[i as usize]",
            &[
                "i as usize: `i as usize` is not an index | an index is a label `i`, a slice `i in 2..5`, or a position, `3` or any Rust expression in braces: `{ i as usize }`",
            ],
        ),
    ]);
}

#[test]
fn reductions() {
    refused(&[
        (
            "[i] = sum_{j} A[i, j]",
            &[
                "{j}: expected an operator, found `{ j }` | the labels of a reduction stand in front of its body: `sum(j; A[i, j])`",
            ],
        ),
        ("[i] = Σ(j; A[i, j])", &["Σ: `Σ` is not a function of tensor equations | a sum is written `sum(k; X)`"]),
        ("[i] = sum(A[i, j] for j in 0..n)", &["sum: `sum` names its labels first | write `sum(j; A[i, j])`"]),
        (
            "[i] = sum(j=0, n; a[i, j])",
            &[
                "sum: `sum` runs over all indices of its labels | a part of an axis is a slice in the brackets of an operand: `A[k in 0..3]`",
            ],
        ),
        ("[i] = argmax(A[i, j], 1)", &["argmax: `argmax` names its label first | write `argmax(j; A[i, j])`"]),
        ("[i] = a[i] - mean(a)", &["mean: `mean` names its labels first | write `mean(k; a[k])`"]),
    ]);
}

#[test]
fn conditions() {
    refused(&[
        (
            "[i] = a[i] > 0 and b[i] > 0",
            &["and: expected an operator, found `and` | conditions are joined by `&&` and `||`, and negated by `!`"],
        ),
        ("[i] = not m[i]", &["m: expected an operator, found `m` | conditions are joined by `&&` and `||`, and negated by `!`"]),
        (
            "[i] = ~m[i]",
            &[
                "~: expected an operand such as `A[i, j]`, a number, a function or `(`, found `~` | what does not hold is found by `!`: `!m[i]`",
            ],
        ),
        ("[i] = a[i] <> b[i]", &["<: `<>` does not compare | write `!=`"]),
        ("[i] = a[i] =< b[i]", &["=: `=<` does not compare | write `<=`"]),
        (
            "[i] = select(m; a[i], b[i])",
            &[
                "m: a condition is a comparison, and here is none | truth values have indices, `m[…]`, and a single one of the block is `m[]`; a number is compared, `m != 0.0`",
            ],
        ),
    ]);
}

#[test]
fn functions() {
    refused(&[
        (
            "[i] = a[i] mod 2",
            &[
                "mod: expected an operator, found `mod` | a remainder that is not negative is `map(f64::rem_euclid; X, Y)`, and one with the sign of X `map(|x, y| x % y; X, Y)`",
            ],
        ),
        (
            "[i] = a[i] for i in 0..3",
            &[
                "for: expected an operator, found `for` | an equation runs over all values of its indices by itself: leave the loop out; a part of an axis is a slice, `a[i in 1..3]`",
            ],
        ),
        (
            "[i] = exp a[i]",
            &["a: expected an operator, found `a` | the argument of a function stands in parentheses: `exp(a[i])`"],
        ),
        (
            "[i] = np.exp(a[i])",
            &["np.exp: `np.exp` is no function of tensor equations | functions stand in no module: `exp(a[i])`"],
        ),
        ("[i] = np.log(a[i])", &["np.log: `np.log` is no function of tensor equations | the natural logarithm is `ln(X)`"]),
        (
            "[i] = f64::exp(a[i])",
            &[
                "(a[i]): parentheses follow an operand | a Rust function of each element is `map(f64::exp; a[i])`; a number that a Rust call makes stands in braces: `{ f64::exp(a[i]) }`",
            ],
        ),
        (
            "[i] = cfg::scale(params[0]) * a[i]",
            &[
                "(params[0]): parentheses follow an operand | a number that a Rust call makes stands in braces: `{ cfg::scale(params[0]) }`; the result of a Rust call is indexed as `(f(x))[i, j]`",
            ],
        ),
        (
            "[i] = randn(3)",
            &[
                "randn: `randn` is not a function of tensor equations | random tensors are made before the equation, with the feature `rand`: `let b = Tensor::normal((3, 3), 0.0, 1.0, seed)?;`",
            ],
        ),
        ("[i] = map(a[i], f)", &["map: `map` names its function first | write `map(f; a[i])`"]),
        ("[i] = cast(a[i]; f32)", &["cast: `cast` names its type first | write `cast(f32; a[i])`"]),
        (
            "[i] = cast::<f32>(a[i])",
            &["cast: `cast` names its type in its parentheses | write `cast(f32; A[i, j])`, and likewise for other types"],
        ),
        (
            "let Q = qr(A[i, j])[0]; Q",
            &[
                "[0]: expected an operator, found `[0]` | its results are named on the left side: `([i, r], [r, j]) = qr(A[i, j])`",
            ],
        ),
        (
            "[b, h] = rearrange(A[b, h])",
            &[
                "rearrange: `rearrange` is not a function of tensor equations | axes are ordered, joined and split by their labels: `[b, (h, w)] = A[b, h, w]`, `[b, h, w] = A[b, (h, w)] where h: 3`",
            ],
        ),
        (
            "[i, j] = A[i, k] * prime(B)",
            &[
                "prime: `prime` is not a function of tensor equations | primes are part of labels, `i1` for a primed `i`: `[i, i1] = A[i, k] * B[k, i1]`",
            ],
        ),
        (
            "[i] = zeros(3)",
            &[
                "zeros: `zeros` is not a function of tensor equations | a number is spread over labels, `0.0[i]`, whose extents another operand gives, or `where i: 3`",
            ],
        ),
        (
            "[] = len(A)",
            &[
                "len: `len` is not a function of tensor equations | a number of Rust stands in braces: `{ A.len() as f64 }`, `{ A.extents()[0] as f64 }`",
            ],
        ),
        (
            "[i] = d(L)/d(x[i])",
            &[
                "d: `d` is not a function of tensor equations | the derivative of L by x is `grad(L; x[i])`, of a result `L` of the block",
            ],
        ),
    ]);
}

#[test]
fn assignments() {
    refused(&[
        (
            "@tensor C[i, j] = A[i, k] * B[k, j]",
            &[
                "@: expected an operand such as `A[i, j]`, a number, a function or `(`, found `@` | leave `@tensor` out: the equation stands in the macro alone",
            ],
        ),
        ("C[i, j] .= A[i, k] * B[k, j]", &[".: expected an operator, found `.` | an existing tensor is written by `=`"]),
        ("C[i] <- A[i]", &["<: expected an operator, found `<` | an equation is written with `=`"]),
        (
            "C = A * B",
            &[
                "C: `C` has no indices | a tensor is written with its indices, `C[i, j] = …`, and one of rank 0 as `C[]`; a number is bound by `let C = tensor!([] = …)`, or in a block by `let C = …;`",
            ],
        ),
        (
            "c[i, j] = 1.0",
            &[
                "1.0: this number lacks the left side's indices `i`, `j` | if the variables `i`, `j` are meant, write `c[{ i }, { j }]`; a number is spread over labels: `1.0[i, j]`",
            ],
        ),
        ("[i, j] = 0", &["0: this number lacks the left side's indices `i`, `j` | a number is spread over labels: `0.0[i, j]`"]),
    ]);
}

/// `end` is a label as any other, and a word of MATLAB and Julia.
#[test]
fn the_last_index() {
    let expected = "end: index `end` occurs once and is not on the left, so it is summed | if the variable `end` is meant, write `A[i, { end }]`; the last position of an axis of extent `n` is `{ n - 1 }`; if the sum is meant, say so: `sum(end; …)`";
    assert_eq!(warnings("[i] = A[i, end]"), [expected]);
}

/// Variables may have the names of modules.
#[test]
fn methods_of_variables() {
    let programs = [
        "[i] = tf.rotation(angles[0])[i, j] * x[j]",
        "[i] = math.scale(x[0]) * a[i]",
        "[i] = math.exp(x[0]) * a[i]",
        "[i] = tf.log(a[i])[i, j] * x[j]",
    ];
    for text in programs {
        assert!(crate::testing::checked(text).is_ok(), "`{text}`");
    }
}

#[test]
fn generators() {
    let loops = |text: &str, help: &str| {
        let expected = format!("sum: `sum` names its labels first | write `{help}`");
        refused(&[(text, &[&expected])]);
    };
    loops("[] = sum(a[i] for i in 0..n)", "sum(i; a[i])");
    loops("[] = sum(a[i] for i in 1..n)", "sum(i; a[i in 1..n])");
    loops("[] = sum(a[i] for i in 0..3)", "sum(i; a[i in 0..3])");
    loops("[] = sum(a[i] for i in range(n))", "sum(i; a[i])");
    loops("[] = sum(a[i] for i in range(1, n))", "sum(i; a[i in 1..n])");
    loops("[] = sum(a[i] for i in 1:n)", "sum(i; a[i])");
    loops("[] = sum(a[i] for i in 2:n)", "sum(i; a[i in 1..n])");
    loops("[] = sum(A[i, j] for i in 0..n for j in 0..m)", "sum(i, j; A[i, j])");
    loops("[] = sum(a[i] for i in 0..n if i > 2)", "sum(i; select(iota[i] > 2; a[i], 0.0))");
    loops("[] = sum(a[i] for i in 0..n if m[i])", "sum(i; select(m[i]; a[i], 0.0))");
    refused(&[
        (
            "[] = sum(a[i] for i in 1..n if i > 2)",
            &[
                "sum: `sum` names its labels first | write `sum(i; X)`; a condition chooses among elements, `select(iota[i] < iota[j]; X, 0.0)`, and a part of an axis is a slice, `A[k in 1..3]`",
            ],
        ),
        (
            "[] = sum(a[i + 1] for i in 1..n)",
            &["sum: `sum` names its labels first | write `sum(i; X)`; a part of an axis is a slice, `A[k in 1..3]`"],
        ),
    ]);
}
