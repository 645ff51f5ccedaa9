//! Equations that are refused: each with the token at fault, the message and the help.

use crate::testing::refused;

#[test]
fn labels_that_break_a_rule() {
    refused(&[
        (
            "[i, j] = sym(i, j; asym(i, j; exp(a[i, k] * b[j])))",
            &[
                "k: index `k` would be summed inside a function's argument, or outside: the equation does not say | if the variable `k` is meant, write `a[i, { k }]`; if the sum, write `sum(k; …)` around what stands inside, or around the whole term",
            ],
        ),
        (
            "[i, j] = A[i, k]",
            &[
                "j: index `j` is on the left, but no term on the right has it | if `k` is meant to be `j`, write `j` in its place; a result that is constant along `j` is written `1[j] * …`",
            ],
        ),
        (
            "[i, j] = A[i, j] + b[j]",
            &[
                "b[j]: this term lacks the left side's index `i` | a term that is constant along `i` is spread over it: `1[i] * b[j]`",
            ],
        ),
        (
            "[i, j] = A[i, j] * B[i, k] - b[j] + c",
            &[
                "b[j]: this term lacks the left side's index `i` | a term that is constant along `i` is spread over it: `1[i] * b[j]`",
                "c: this term lacks the left side's indices `i`, `j` | a term that is constant along `i`, `j` is spread over it: `1[i, j] * c`",
            ],
        ),
        (
            "[i, j] = -0.5 * (A[i, j] + b[j]) - cast(A[j, i] + 1.0)",
            &[
                "b[j]: this term lacks the left side's index `i` | a term that is constant along `i` is spread over it: `1[i] * b[j]`",
                "1.0: this term lacks the left side's indices `i`, `j` | a term that is constant along `i`, `j` is spread over it: `1.0[i, j]`",
            ],
        ),
        (
            "C[i, j] += A[i, j] + (b[j] - A[j, i])",
            &[
                "b[j]: this term lacks the left side's index `i` | a term that is constant along `i` is spread over it: `1[i] * b[j]`",
            ],
        ),
        (
            "[i] = A[i] / (B[k] + C[i])",
            &[
                "k: index `k` would be summed inside a denominator, or outside: the equation does not say | if the variable `k` is meant, write `B[{ k }]`; if the sum, write `sum(k; …)` around what stands inside, or around the whole term",
            ],
        ),
        (
            "[i] = exp(A[i, k])",
            &[
                "k: index `k` would be summed inside a function's argument, or outside: the equation does not say | if the variable `k` is meant, write `A[i, { k }]`; if the sum, write `sum(k; …)` around what stands inside, or around the whole term",
            ],
        ),
        (
            "[] = argmax(i, j; A[i, j])",
            &[
                "j: `argmax` gives the value of one index, and `j` is a second one | `argmax(i; max(j; X))` is its value for all of them",
            ],
        ),
        (
            "[i] = prod(l; A[i, k] * B[l])",
            &[
                "k: index `k` would be summed inside the body of `prod`, or outside: the equation does not say | if the variable `k` is meant, write `A[i, { k }]`; if the sum, write `sum(k; …)` around what stands inside, or around the whole term",
            ],
        ),
        (
            "[i] = max(l; A[i, k] + B[l])",
            &[
                "k: index `k` would be summed inside the body of `max`, or outside: the equation does not say | if the variable `k` is meant, write `A[i, { k }]`; if the sum, write `sum(k; …)` around what stands inside, or around the whole term",
            ],
        ),
        (
            "[i] = powi(A[i, k], 2)",
            &[
                "k: index `k` would be summed inside the base of a power, or outside: the equation does not say | if the variable `k` is meant, write `A[i, { k }]`; if the sum, write `sum(k; …)` around what stands inside, or around the whole term",
            ],
        ),
        ("[i] = sum(k, k; A[i, k])", &["k: `sum` names index `k` twice | leave it out"]),
        ("[i] = sum(l; A[i])", &["l: index `l` does not occur inside this `sum` | leave it out"]),
        ("[i] = 1[i]", &["i: nothing gives index `i` an extent | add `where i: extent` to the equation"]),
        ("[i] = A[i] * 1[k]", &["k: nothing gives index `k` an extent | add `where k: extent` to the equation"]),
        (
            "[i] = x",
            &[
                "i: index `i` is on the left, but no term on the right has it | `x` is read as a number: if it is a tensor, write its indices, `x[…]`",
            ],
        ),
        (
            "[i in 0..2] = A[i]",
            &[
                "i: a slice selects a part of an existing tensor, and here a new one is made | write `[i]` here, or `C[i in …] = …` for a part of an existing `C`",
            ],
        ),
        (
            "[0] = A[i]",
            &[
                "0: a position selects a part of an existing tensor, and here a new one is made | leave it out, or write `C[0, j] = …` for a part of an existing `C`",
            ],
        ),
        (
            "[{ n }] = A[i]",
            &[
                "{ n }: a position selects a part of an existing tensor, and here a new one is made | leave it out, or write `C[0, j] = …` for a part of an existing `C`",
            ],
        ),
        (
            "C += A[i]",
            &[
                "C: `C` has no indices | a tensor is written with its indices, `C[i, j] = …`, and one of rank 0 as `C[]`; a number is bound by `let C = tensor!([] = …)`, or in a block by `let C = …;`",
            ],
        ),
        (
            "{ n } = A[i]",
            &[
                "{ n }: `{ n }` has no indices | a tensor is written with its indices, `{ n }[i, j] = …`, and one of rank 0 as `{ n }[]`; a number is bound by `let { n } = tensor!([] = …)`, or in a block by `let { n } = …;`",
            ],
        ),
        (
            "([i], [j]) = A[i, j]",
            &[
                "[j]: 2 results are named, but the right side has one | write `[i, j] = …`, and several equations with `;` between them",
            ],
        ),
        (
            "C[i, j] += b[j]",
            &[
                "b[j]: this term lacks the left side's index `i` | if the variable `i` is meant, write `C[{ i }, j]`; a term that is constant along `i` is spread over it: `1[i] * b[j]`",
            ],
        ),
        (
            "C[i] /= A[i, k]",
            &[
                "k: index `k` would be summed inside a denominator, or outside: the equation does not say | if the variable `k` is meant, write `A[i, { k }]`; if the sum, write `sum(k; …)` around what stands inside, or around the whole term",
            ],
        ),
        (
            "C[i] -= 2",
            &[
                "2: this term lacks the left side's index `i` | if the variable `i` is meant, write `C[{ i }]`; a term that is constant along `i` is spread over it: `2.0[i]`",
            ],
        ),
        (
            "() = A[i]",
            &[
                "A[i]: 0 results are named, but the right side has one | write `[i, j] = …`, and several equations with `;` between them",
            ],
        ),
        (
            "let () = A[i]; x",
            &[
                "A[i]: 0 results are named, but the right side has one | write `[i, j] = …`, and several equations with `;` between them",
            ],
        ),
        (
            "[i] = A[i] / exp(B[k])",
            &[
                "k: index `k` would be summed inside a function's argument, or outside: the equation does not say | if the variable `k` is meant, write `B[{ k }]`; if the sum, write `sum(k; …)` around what stands inside, or around the whole term",
            ],
        ),
        (
            "[i] = A[i] / conj(B[k] + C[i])",
            &[
                "k: index `k` would be summed inside a denominator, or outside: the equation does not say | if the variable `k` is meant, write `B[{ k }]`; if the sum, write `sum(k; …)` around what stands inside, or around the whole term",
            ],
        ),
    ]);
}

#[test]
fn decompositions_that_do_not_fit() {
    refused(&[
        (
            "[i, k] = cholesky(A[i, j], B[i, j])",
            &["cholesky: `cholesky` takes one matrix, but 2 are given | write `[i, k] = cholesky(A[i, j])`"],
        ),
        ("[i] = eigh(A[i, j])", &["eigh: `eigh` has 2 results, but 1 is named | write `([n], [p, n]) = eigh(F[p, q])`"]),
        (
            "([n], [p, m]) = eigh(A[p, q])",
            &[
                "eigh: the first and second results of `eigh` have one new index, and here there are `n`, `m` | write `([n], [p, n]) = eigh(F[p, q])`",
            ],
        ),
        (
            "([n], [n, n]) = eigh(A[p, q])",
            &[
                "[n, n]: the results of `eigh` have each index once, on an axis of its own | write the result, and fuse its axes or make it a diagonal in the next equation",
            ],
        ),
        (
            "([(i, r)], [r], [r, j]) = svd(A[i, j])",
            &[
                "[(i, r)]: the results of `svd` have each index once, on an axis of its own | write the result, and fuse its axes or make it a diagonal in the next equation",
            ],
        ),
        (
            "[..] = norm(A[.., i])",
            &["..: `norm` tells its axes apart by their names, and `..` has none | name all axes: write `[] = norm(A[i, j])`"],
        ),
        (
            "[] = det(A[i, j, ..])",
            &["..: `det` tells its axes apart by their names, and `..` has none | name all axes: write `[] = det(A[i, j])`"],
        ),
        (
            "([n], [p, n]) = eigh(A[p, q], S[p, r])",
            &[
                "r: index `r` is in one matrix of `eigh` only, and the other one has `q` | write `([n], [p, n]) = eigh(F[p, q], S[p, q])`",
            ],
        ),
        (
            "([n], [p, n]) = eigh(A[p, q], S[p, p])",
            &["S[p, p]: this matrix of `eigh` lacks index `q` | write `([n], [p, n]) = eigh(F[p, q], S[p, q])`"],
        ),
        (
            "[i, j] = cholesky(A[i, j])",
            &["cholesky: the result of `cholesky` has one new index, and here none | write `[i, k] = cholesky(A[i, j])`"],
        ),
        (
            "[i, k] = cholesky(A[b, i, j])",
            &[
                "cholesky: the square matrix of `cholesky` has rows `i` but columns `b`, `j` here | write `[i, k] = cholesky(A[i, j])`",
            ],
        ),
        (
            "[b, i, k] = cholesky(A[b, i, j])",
            &[
                "cholesky: `cholesky` of more than two indices names its row and column first | write `cholesky(i, j; A[b, i, j])`, if `i` is the row and `j` the column",
            ],
        ),
        (
            "[b, i, k] = cholesky(i; A[b, i, j])",
            &[
                "cholesky: `cholesky` names two indices before the `;`: row and column | write `[i, k] = cholesky(A[i, j])`, or groups of indices, `cholesky((a, i), (b, j); …)`",
            ],
        ),
        (
            "[b, i, k] = cholesky(j, i; A[b, i, j])",
            &[
                "j: `cholesky` names its row and column first: its result keeps the row and lacks the column | write `cholesky(i, j; …)`",
            ],
        ),
    ]);
}

#[test]
fn words_and_labels_of_linear_algebra() {
    refused(&[
        (
            "([i], [j], [k]) = svd(A[i, j])",
            &[
                "svd: the first, second and third results of `svd` have one new index, and here one, `k`, stands elsewhere | write `([i, r], [r], [r, j]) = svd(A[i, j])`",
            ],
        ),
        (
            "([i, r], [r]) = svd(A[i, j])",
            &["svd: `svd` has 3 results, but 2 are named | write `([i, r], [r], [r, j]) = svd(A[i, j])`"],
        ),
        (
            "([i, r], [r], [r, j], []) = svd(A[i, j])",
            &["svd: `svd` has 3 results, but 4 are named | write `([i, r], [r], [r, j]) = svd(A[i, j])`"],
        ),
        (
            "([b, i, r], [r], [b, r, j]) = svd(A[b, i, j])",
            &[
                "b: index `b` stands where neither a row nor a column nor a batch of `svd` does | write `([i, r], [r], [r, j]) = svd(A[i, j])`",
            ],
        ),
        (
            "([i, r], [r], [r, j]) = svd(A[i, j, k])",
            &[
                "k: index `k` is in the matrix of `svd`, and no result has it | if the variable `k` is meant, write `A[i, j, { k }]`; the form is `([i, r], [r], [r, j]) = svd(A[i, j])`",
            ],
        ),
        ("([i, r], [r], [r, j]) = svd(A[i, j]; full, max = 3)", &["full: square factors are not truncated | leave out `full`"]),
        (
            "([i, r], [r], [r, j]) = svd(A[i, j]; max = 3) where r: ..=4",
            &["r: index `r` has a bound and a `max` | leave out one of them: they say the same"],
        ),
        (
            "([i, r], [r], [r, j]) = svd(A[i, j]; full) where r: ..=4",
            &["full: square factors are not truncated | leave out `full`"],
        ),
        (
            "([i, r], [r], [r, j]) = svd(A[i, j]) where i: ..=4",
            &[
                "i: index `i` has a bound, and is the new index of no `svd` here | to keep at most 64 values, write `([i, r], [r], [r, j]) = svd(A[i, j]) where r: ..=64`",
            ],
        ),
        (
            "([i, r], [r, j]) = qr(A[i, j]) where r: ..=4",
            &[
                "r: index `r` has a bound, and is the new index of no `svd` here | to keep at most 64 values, write `([i, r], [r], [r, j]) = svd(A[i, j]) where r: ..=64`",
            ],
        ),
        (
            "where r, x: ..=4; let (u[i, r], s[r], v[r, j]) = svd(A[i, j]); s",
            &[
                "x: index `x` has a bound, and is the new index of no `svd` here | to keep at most 64 values, write `([i, r], [r], [r, j]) = svd(A[i, j]) where r: ..=64`",
            ],
        ),
        (
            "([i, r], [r], [r, j]) = svd(A[i, j]) where r: ..4",
            &[".: a bound on an extent is its largest value, after `..=` | write `where r: ..=64` or `where r: ..=chi`"],
        ),
        (
            "([i, r], [r], [r, j]) = svd(A[i, j]) where r: ..=",
            &["=: an extent is missing after `..=` | write `where r: ..=64` or `where r: ..=chi`"],
        ),
        ("([i, r], [r], [r, j]) = svd(A[i, j]; mx = 3)", &["mx: `mx` is not a word of linear algebra | did you mean `max`?"]),
        ("([i, r], [r], [r, j]) = svd(A[i, j]; max)", &["max: `max` needs a value | write `max = 64`"]),
        ("([n], [p, n]) = eigh(A[p, q]; broaden)", &["broaden: `broaden` needs a value | write `broaden = 1e-8`"]),
        ("([i, r], [r, j]) = qr(A[i, j]; tol = 0.1)", &["tol: `qr` has no word `tol` | its words are `full`"]),
        ("[j, i] = inv(A[i, j]; full)", &["full: `inv` has no word `full` | leave it out"]),
        ("[i, j] = inv(A[i, j])", &["[i, j]: `inv` swaps the rows and columns of its matrix | write `[j, i] = inv(…)`"]),
        (
            "[b, j, i] = inv(A[b, i, j])",
            &[
                "inv: `inv` of more than two indices names its row and column first | write `inv(i, j; A[b, i, j])`, if `i` is the row and `j` the column",
            ],
        ),
        (
            "[k] = solve(A[i, k])",
            &["solve: `solve` takes a matrix and its right side, but 1 is given | write `[k, j] = solve(A[i, k], B[i, j])`"],
        ),
        (
            "[i, j] = solve(A[i, k], B[i, j])",
            &["k: index `k` is in the matrix of `solve`, and no result has it | write `[k, j] = solve(A[i, k], B[i, j])`"],
        ),
        (
            "[i, j] = matpow(A[i, j])",
            &["matpow: `matpow` takes a matrix and a whole number, but 1 is given | write `[i, j] = matpow(A[i, j], 3)`"],
        ),
        (
            "[i, j] = matpow(A[i, j], 0.5)",
            &[
                "0.5: `matpow` takes a whole number | a root of a symmetric matrix is `C[p, n] * sqrt(e[n]) * conj(C[q, n])`, after `let (e[n], C[p, n]) = eigh(A[p, q]);`",
            ],
        ),
        ("[k] = det(A[i, j])", &["[k]: index `k` is new, and `det` has no axis for it | write `[] = det(A[i, j])`"]),
        ("[] = det(A[i])", &["det: the matrix of `det` has no column index here | write `[] = det(A[i, j])`"]),
        (
            "([i, q], [q, r], [r, j], [i]) = lu(A[i, j])",
            &["lu: `lu` has 3 results, but 4 are named | write `([i, q], [q, r], [r, j]) = lu(A[i, j])`"],
        ),
        (
            "[i] = 2 * det(A[i, j])",
            &[
                "det: `det` stands alone on the right side | give it an equation of its own, `let d = det(…);`, and use the result in the next",
            ],
        ),
    ]);
}

#[test]
fn remaining_axes_stand_once_and_on_both_sides() {
    refused(&[
        ("[i] = A[i, ..]", &["..: `..` is on the right, but not on the left | the remaining axes are kept: write `[i, ..] = …`"]),
        ("C[..] = A[i]", &["..: `..` is on the left, but no operand on the right has it"]),
        ("[i, ..] = A[.., i, ..]", &["..: `..` stands once in an operand: where it ends must be clear"]),
        (
            "[i, ..] = A[i, ..] + B[i]",
            &[
                "B[i]: this term lacks the left side's remaining axes, `..` | an operand of every term has `..`; a constant along them is written by name, `1[i] * …`",
            ],
        ),
        ("[(i, j), i] = A[i, j]", &["[(i, j), i]: beside a fused axis, each index stands once on the left"]),
    ]);
}

#[test]
fn labels_that_change_places_are_on_the_left() {
    refused(&[
        (
            "[i] = asym(i, j; A[i, j])",
            &["j: index `j` is summed, so it cannot change places | the labels that change places are on the left"],
        ),
        (
            "[i, j] = sym(i, i; A[i, j])",
            &["i: `sym` names label `i` twice | write `sym(i, j; X)`, or `sym((i, a), (j, b); X)` for pairs"],
        ),
        (
            "[i, j] = asym((i, j), j; A[i, j])",
            &["asym: `asym` cannot exchange 2 labels with 1 | write `asym(i, j; X)`, or `asym((i, a), (j, b); X)` for pairs"],
        ),
        (
            "[i, j] = sym(A[i, j])",
            &[
                "sym: `sym` names the labels that change places first | write `sym(i, j; X)`, or `sym((i, a), (j, b); X)` for pairs",
            ],
        ),
    ]);
}

#[test]
fn what_is_not_built_is_refused_by_name() {
    refused(&[(
        "[i] = A[i] where (a, b) in L[i, j]",
        &["in: a sparse map in `where` is part of the language, but not of this version of tensorwrapper"],
    )]);
}
