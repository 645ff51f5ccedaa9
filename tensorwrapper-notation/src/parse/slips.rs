//! Slips of the pen: each with the token at fault, the sentence and the help.

use crate::testing::refused;

#[test]
fn syntax() {
    refused(&[
        ("[i] = sum(A[i, k])", &["sum: `sum` names its labels first | write `sum(k; A[i, k])`"]),
        (
            "[i] = A[i][j]",
            &["[j]: an operand has one pair of brackets | write `A[i, j]`, or `(A[i])[j]` for an element of a collection"],
        ),
        ("[i] = A(i, j)", &["A: `A` is not a function of tensor equations | indices stand in brackets: `A[i, j]`"]),
        ("[i] = A[i] +", &["+: a factor is missing after this"]),
        (
            "[i] = A[i] * * B[i]",
            &["*: a factor is missing before `*` | a dereferenced scalar stands in braces, `{ *x }`; a power is `powi(X, 2)`"],
        ),
        ("[i] = + A[i]", &["+: a term is missing before `+`"]),
        ("[i] == A[i]", &["=: `==` compares; an equation has a single `=` | write `[i, j] = A[i, k] * B[k, j]`"]),
        ("[i] = A[i] = B[i]", &["=: an equation has one `=` | write several equations in one `tensor!` with `;` between them"]),
        ("A[i] * B[i]", &["A: the result has no indices | write the left side first: `[i, j] = A[i] * B[i]`"]),
        ("A[i] * B[i] -> [i]", &["A: the result has no indices | write the left side first: `[i, j] = A[i] * B[i]`"]),
        ("[i] += A[i]", &["+: the left side is followed by `=` | `+=` and its like need an existing tensor: `C[i, j] += …`"]),
        ("[i] = A[i] B[i]", &["B: expected an operator, found `B` | a product is written with `*`"]),
        ("[i] = 2 A[i]", &["A: expected an operator, found `A` | a product is written with `*`"]),
        ("[i] = A[i] ^ 2", &["^: `^` is not an operator here | a power is `powi(X, 2)` or `powf(X, 0.5)`"]),
        ("[i] = A[i] % B[i]", &["%: expected an operator, found `%` | the operators are `+`, `-`, `*` and `/`"]),
        ("[i] = &A[i]", &["&: operands are borrowed by themselves | leave out the `&`"]),
        (
            "[i] = *A[i]",
            &["*: a factor is missing before `*` | a dereferenced scalar stands in braces, `{ *x }`; a power is `powi(X, 2)`"],
        ),
        ("[i] = sqr(A[i])", &["sqr: `sqr` is not a function of tensor equations | a function of a similar name is `sqrt`"]),
        ("[i] = foo(i)", &["foo: `foo` is not a function of tensor equations | indices stand in brackets: `foo[i]`"]),
        (
            "[i] = foo(A[i])",
            &[
                "foo: `foo` is not a function of tensor equations | the result of a Rust function is an operand in parentheses, `(foo(A[i]))[i, j]`, or in braces if it is a number",
            ],
        ),
        (
            "[i] = A[i](j)",
            &[
                "(j): parentheses follow an operand | indices stand in brackets, `A[j]`; the result of a Rust call is indexed as `(f(x))[i, j]`",
            ],
        ),
        ("[i] = exp(A[i], B[i])", &["exp: `exp` takes one argument, but 2 are given"]),
        ("[i] = exp()", &["exp: `exp` takes one argument, but 0 are given"]),
        ("[i] = powi(A[i])", &["powi: `powi` takes a base and an exponent, but 1 arguments are given"]),
        ("[i] = powi(A[i], 2.5)", &["2.5: `powi` takes a whole number | for any other exponent write `powf`"]),
        ("[i] = powi(A[i], )", &["powi: `powi` takes a base and an exponent, but 1 arguments are given"]),
        ("[i, j] = A[i; j]", &[";: indices are separated by `,`"]),
        ("[i, j] = A[i,, j]", &["[i,, j]: an index is missing between two commas"]),
        (
            "[i, j] = A[i, -1] * B[j]",
            &["-: an index counts from 0 and is never negative | the last index of an axis of extent `n` is `{ n - 1 }`"],
        ),
        (
            "[i, j] = A[i + 1, j]",
            &[
                "+: an index is a label `i`, a slice `i in 2..5`, a position `3` or `{ n - 1 }`, fused labels `(i, j)`, or `..` | a Rust expression stands in braces: `{ i + 1 }`; a slice is written `i in 2..5`",
            ],
        ),
        ("[i, j] = A[_, j]", &["_: `_` is not a label | a label that is summed has a name, as in `sum(k; A[i, k])`"]),
        ("[i] = A[i in 5..2]", &["5..2: the range `5..2` ends before it starts"]),
        ("[i] = A[i in]", &["in: a range such as `2..5` is missing after `in`"]),
        ("[i] = A[1.5, i]", &["1.5: `1.5` is not an index: positions are whole numbers from 0"]),
        ("let x[i] = A[i]", &["[i]: `;` is missing after this equation"]),
        ("let x[i] = A[i]; let y[i] = x[i]", &["[i]: `;` is missing after this equation"]),
        ("let mut x[i] = A[i]; x", &["mut: names of a block are bound once | leave out `mut`; binding a name again shadows it"]),
        ("let x[i] = A[i] let y[i] = x[i]; y", &["[i]: `;` is missing after this equation"]),
        ("[i] = A[i]; where i: 3; C[i] = A[i]", &["where: the block's `where` stands before its equations"]),
        ("where i; [i] = A[i]", &["where: `where` gives extents to labels | write `where i, j: n;`"]),
        ("where : 3; [i] = A[i]", &["where: a label is missing before `:`"]),
        ("where i: ; [i] = A[i]", &[":: an extent is missing after `:`"]),
        ("where i: 2.5; [i] = A[i]", &["2.5: `2.5` is not an index: positions are whole numbers from 0"]),
        ("in ; [i] = A[i]", &["in: a context is missing after `in`"]),
        ("in &ctx", &["ctx: `;` is missing after this line of the block's header"]),
        (
            "let x[i] = A[i]; (x, y + 1)",
            &["+: a block's value is a name, a tuple of names, or an equation in value form | name it first: `let W[i, j] = …;`"],
        ),
        ("let x[i] = A[i]; x[i] + 1", &["x: the result has no indices | write the left side first: `[i, j] = x[i] + 1`"]),
        (
            "([i], x[j]) = eigh(A[i, j])",
            &[
                "x: several results are given as their indices alone | write `let (x, y) = tensor!(([i], [i, j]) = …)`, or a block with `let (x[…], …) = …;`",
            ],
        ),
        (
            "(e[n], C[p, n]) = eigh(A[p, q])",
            &[
                "e: several results are given as their indices alone | write `let (x, y) = tensor!(([i], [i, j]) = …)`, or a block with `let (e[…], …) = …;`",
            ],
        ),
        (
            "[i, k] = cholesky(A[i, j]) * B[i]",
            &[
                "cholesky: `cholesky` stands alone on the right side | give it an equation of its own, `let L[i, k] = cholesky(…);`, and use the result in the next",
            ],
        ),
        (
            "[i, k] = 2 * cholesky(A[i, j])",
            &[
                "cholesky: `cholesky` stands alone on the right side | give it an equation of its own, `let L[i, k] = cholesky(…);`, and use the result in the next",
            ],
        ),
        ("C[i] = ([i] = A[i])", &["[i]: expected an operand such as `A[i, j]`, a number, a function or `(`, found `[i]`"]),
        ("1 = A[i]", &["1: this cannot be assigned to | the left side is `[i, j]` or an existing tensor `C[i, j]`"]),
        (
            "[i] = 2e400x * A[i]",
            &["2e400x: `2e400x` is not a number that an equation can hold | any Rust expression may stand in braces, `{ … }`"],
        ),
        ("[i] = 'a' * A[i]", &["': expected an operand such as `A[i, j]`, a number, a function or `(`, found `'`"]),
        ("[i] = A.[i]", &["[i]: a field or method is missing after `.`"]),
        ("[i] = A[i", &[": `]` is missing"]),
        ("[i] = A[i]]", &["]: `]` closes nothing"]),
        (
            "[i] = A[i in ..=18446744073709551615]",
            &["18446744073709551615: `18446744073709551615` is not an index: positions are whole numbers from 0"],
        ),
        (
            "[i] = A[99999999999999999999, i]",
            &["99999999999999999999: `99999999999999999999` is not an index: positions are whole numbers from 0"],
        ),
        ("[i] = A::[i]", &["[i]: expected the rest of a path, found `[i]`"]),
        ("[i] = A[i] where", &["where: `where` gives extents to labels | write `where i, j: n;`"]),
        ("[i] = ()", &["(): a factor is missing after this"]),
        ("let x = ; x", &["=: a factor is missing after this"]),
        ("[i] = A[i], B[i]", &[",: expected an operator, found `,` | several results are written `([i], [i, j]) = …`"]),
        ("[i] = A[i] && B[i]", &["&: expected an operator, found `&` | the operators are `+`, `-`, `*` and `/`"]),
        ("[i] = A[i] < B[i]", &["<: expected an operator, found `<` | the operators are `+`, `-`, `*` and `/`"]),
        ("[i] = sum(; A[i])", &["sum: `sum` names its labels first | write `sum(k; A[i])`"]),
        ("[i] = sum(k; )", &["sum(k; ): a factor is missing after this"]),
        ("[i] = sum(k; A[i, k]; B[k])", &[";: expected an operator, found `;`"]),
        ("[i] = A[i] let y = 2", &["[i]: `;` is missing after this equation"]),
        ("[i] = max(A[i, k])", &["max: `max` names its labels first | write `max(k; A[i, k])`"]),
    ]);
}
