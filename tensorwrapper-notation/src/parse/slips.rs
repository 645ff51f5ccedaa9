//! Typical mistakes: each with the token at fault, the message and the help.

use crate::testing::refused;

#[test]
fn syntax() {
    refused(&[
        ("[i] = sum(A[i, k])", &["sum: `sum` names its labels first | write `sum(k; A[i, k])`"]),
        (
            "[i] = A[i][j]",
            &["[j]: an operand has one pair of brackets | write `A[i, j]`, or `(A[i])[j]` for an element of a collection"],
        ),
        ("[i] = A[2 + n][i]", &["[i]: an operand has one pair of brackets | an element of a collection is `(A[2 + n])[i]`"]),
        ("[i] = A(i, j)", &["A: `A` is not a function of tensor equations | indices stand in brackets: `A[i, j]`"]),
        ("[i] = A[i] +", &["+: a term is missing after this"]),
        (
            "[i] = A[i] * * B[i]",
            &["*: a factor is missing before `*` | a dereferenced scalar stands in braces, `{ *x }`; a power is `powi(X, 2)`"],
        ),
        ("[i] = + A[i]", &["+: a term is missing before `+`"]),
        ("[i] == A[i]", &["=: `==` compares; an equation has a single `=` | write `[i, j] = A[i, k] * B[k, j]`"]),
        ("[i] = A[i] = B[i]", &["=: an equation has one `=` | write several equations in one `tensor!` with `;` between them"]),
        ("A[i] * B[i]", &["A: this equation has no left side | write `[] = A[i] * B[i]`"]),
        ("sum(k; A[i, k] * B[k])", &["sum: this equation has no left side | write `[i] = sum(k; A[i, k] * B[k])`"]),
        ("max(k; A[i, k]) * s[i] * t[j]", &["max: this equation has no left side | write `[j] = max(k; A[i, k]) * s[i] * t[j]`"]),
        (
            "[] = norm1(A[i])",
            &["norm1: `norm1` is not a function of tensor equations | a sum of absolute values is `sum(i; abs(X))`"],
        ),
        ("A[i] * B[i] -> [i]", &["-: the left side is written first, and there is no arrow | write `[i] = A[i] * B[i]`"]),
        ("[i] += A[i]", &["+: the left side is followed by `=` | `+=` and its like need an existing tensor: `C[i, j] += …`"]),
        ("[i] = A[i] B[i]", &["B: expected an operator, found `B` | a product is written with `*`"]),
        ("[i] = 2 A[i]", &["A: expected an operator, found `A` | a product is written with `*`"]),
        ("[i] = A[i] ^ 2", &["^: `^` is not an operator here | a power is `powi(X, 2)` or `powf(X, 0.5)`"]),
        ("[i] = A[i] % B[i]", &["%: expected an operator, found `%` | the operators are `+`, `-`, `*` and `/`"]),
        ("[i, j] = A[i] where i: 2; j: 3", &[";: items of `where` have `,` between them | write `where i: 2, j: 3`"]),
        ("[i] = &A[i]", &["&: operands are borrowed by themselves | leave out the `&`"]),
        (
            "[i] = *A[i]",
            &["*: a factor is missing before `*` | a dereferenced scalar stands in braces, `{ *x }`; a power is `powi(X, 2)`"],
        ),
        (
            "[i] = sqr(A[i])",
            &["sqr: `sqr` is not a function of tensor equations | a square is `powi(X, 2)`, a square root `sqrt(X)`"],
        ),
        ("[i] = foo(i)", &["foo: `foo` is not a function of tensor equations | indices stand in brackets: `foo[i]`"]),
        (
            "[i] = foo(A[i])",
            &[
                "foo: `foo` is not a function of tensor equations | functions of elements are `exp`, `ln`, `sqrt`, `abs`, `sin`, `cos`, `tan`, `tanh`, `recip`, `conj`, `re`, `im`, `powi`, `powf`, `clip` and `select`; a Rust function is called as `map(foo; A[i])`",
            ],
        ),
        ("[i] = A[i](j)", &["(j): an operator is missing before this | a product is written with `*`"]),
        ("[i] = exp(A[i], B[i])", &["exp: `exp` takes one argument, but 2 are given"]),
        ("[i] = exp()", &["exp: `exp` takes one argument, but none is given"]),
        ("[i] = powi(A[i])", &["powi: `powi` takes two arguments, a base and an exponent, but 1 is given | write `powi(X, 2)`"]),
        ("[i] = powi(A[i], 2.5)", &["2.5: `powi` takes a whole number | for any other exponent write `powf(X, 2.5)`"]),
        (
            "[i] = powi(A[i], )",
            &["powi: `powi` takes two arguments, a base and an exponent, but 1 is given | write `powi(X, 2)`"],
        ),
        (
            "[i] = A[i;]",
            &["[i;]: a layer of indices is missing beside this `;` | a layer has at least one index, as in `A[i; a, b]`"],
        ),
        ("[i, j] = A[i,, j]", &[",: an index is missing before this `,`"]),
        (
            "[i, j] = A[i, -1] * B[j]",
            &["-: an index counts from 0 and is never negative | the last index of an axis of extent `n` is `{ n - 1 }`"],
        ),
        (
            "[i, j] = A[i + 1, j]",
            &[
                "i + 1: `i + 1` is not an index | write the shifted operand with the slice `i in 1..`, and all others with `i in ..{ n - 1 }`; `n` is the extent",
            ],
        ),
        (
            "[i] = A[p[i]]",
            &[
                "p[i]: `p[i]` is not an index | the elements at the positions in `p` are taken before the equation, `let b = A.take(0, &p)?;`, and the equation reads `b[i]`; or the equation itself chooses them: `sum(k; select(iota[k] == cast(p[i]); A[k], 0.0))`",
            ],
        ),
        (
            "[i] = A[2 * i]",
            &[
                "2 * i: `2 * i` is not an index | elements at computed positions are chosen: `sum(k; select(iota[k] == 2 * iota[i]; A[k], 0.0))`; `where i: n` behind the equation gives a label the extent that nothing else gives it",
            ],
        ),
        ("[i, j] = A[_, j]", &["_: `_` is not a label | a label that is summed has a name, as in `sum(k; A[i, k])`"]),
        ("[i] = A[i in 5..2]", &["5..2: the range `5..2` ends before it begins"]),
        ("[i] = A[i in]", &["in: a range such as `2..5` is missing after `in`"]),
        ("[i] = A[1.5, i]", &["1.5: `1.5` is not an index: positions are whole numbers from 0"]),
        ("let x[i] = A[i]", &["[i]: `;` is missing after this equation"]),
        ("let x[i] = A[i]; let y[i] = x[i]", &["[i]: `;` is missing after this equation"]),
        ("let mut x[i] = A[i]; x", &["mut: names of a block are bound once | leave out `mut`; binding a name again shadows it"]),
        ("let x[i] = A[i] let y[i] = x[i]; y", &["let: `;` is missing before this `let`"]),
        (
            "[i] = A[i]; where i: 3; C[i] = A[i]",
            &[
                "where: the block's `where` stands before its equations | move it to the top, or write it without the `;` before it for one equation alone",
            ],
        ),
        ("where i; [i] = A[i]", &["where: `where` gives extents to labels, after `:` | write `where i, j: n`"]),
        ("where : 3; [i] = A[i]", &["where: a label is missing before `:`"]),
        ("where i: ; [i] = A[i]", &[":: an extent is missing after `:` | write `where i: 4` or `where i: n`"]),
        ("where i: 2.5; [i] = A[i]", &["2.5: `2.5` is not an extent: those are whole numbers from 0"]),
        ("in ; [i] = A[i]", &["in: a context is missing after `in` | write `in &context;`"]),
        ("in &ctx let x[i] = A[i]; x", &["let: `;` is missing before this | write `in &context;`"]),
        ("in &ctx", &["ctx: `;` is missing after this line of the block's header"]),
        (
            "let x[i] = A[i]; (x, y + 1)",
            &["+: a block's value is a name, a tuple of names, or an equation in value form | name it first: `let W[i, j] = …;`"],
        ),
        ("let x[i] = A[i]; x[i] + 1", &["x: this equation has no left side | write `[i] = x[i] + 1[i]`"]),
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
        ("C[i] = ([i] = A[i])", &["[i]: indices stand after an operand | write `A[i, j]`, or `1[i, j]` for ones"]),
        ("1 = A[i]", &["1: this cannot be assigned to | the left side is `[i, j]` or an existing tensor `C[i, j]`"]),
        (
            "[i] = 2e400x * A[i]",
            &["2e400x: `2e400x` is not a number that an equation can hold | any Rust expression may stand in braces, `{ … }`"],
        ),
        (
            "[i] = 1e999 * A[i]",
            &[
                "1e999: `1e999` is larger than any number of double precision | infinity is written in braces, `{ f64::INFINITY }`",
            ],
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
        ("[i] = A[i] where", &["where: `where` gives extents to labels, after `:` | write `where i, j: n`"]),
        ("[i] = ()", &["(): a factor is missing after this"]),
        ("let x = ; x", &["=: nothing follows the `=`"]),
        (
            "[i] = A[i], B[i]",
            &[",: expected an operator, found `,` | an equation has one right side, and equations have `;` between them"],
        ),
        (
            "[i] = exp(A[i] < B[i])",
            &["<: expected an operator, found `<` | a comparison stands in `select(C; X, Y)`: X where C holds, and Y elsewhere"],
        ),
        ("[i] = sum(; A[i])", &["sum: `sum` names its labels first | write `sum(k; A[k])`"]),
        ("[i] = sum(k; )", &[";: nothing follows the `;` of `sum` | write `sum(k; X)`"]),
        ("[i] = sum(k; A[i, k]; B[k])", &[";: expected an operator, found `;`"]),
        ("[i] = A[i] let y = 2", &["let: `;` is missing before this `let`"]),
        ("[i] = max(A[i, k])", &["max: `max` names its labels first | write `max(k; A[i, k])`"]),
    ]);
}

#[test]
fn choices() {
    let usage = "`select(C; X, Y)` is X where the comparison C holds, and Y elsewhere";
    refused(&[
        (
            "[i] = select(a[i] > 0.0, a[i], b[i])",
            &["select: the condition of `select` stands first, and `;` follows it | write `select(a[i] > 0.0; a[i], b[i])`"],
        ),
        ("[i] = select(a[i])", &[&format!("select: the condition of `select` stands first, and `;` follows it | {usage}")]),
        (
            "[i] = select(a[i] > 0.0; b[i])",
            &[&format!("select: `select` takes two values behind its condition, but 1 is given | {usage}")],
        ),
        ("[i] = select(; a[i], b[i])", &["select: `select` has no condition before its `;` | write `select(X > 0.0; X, 0.0)`"]),
        (
            "[i] = select(a[i] > 0.0 && 2.0 * m[i]; a[i], b[i])",
            &["2.0 * m[i]: a condition is a comparison, and here is none | write `2 * m[i] != 0.0`, or `2 * m[i] >= 0.0`"],
        ),
        (
            "c[i] = a[i] > 0.0",
            &["a[i] > 0.0: a comparison is written into a tensor of numbers | write `select(a[i] > 0; 1.0, 0.0)`"],
        ),
        ("c[i] += !m[i]", &["!m[i]: a comparison is written into a tensor of numbers | write `select(!m[i]; 1.0, 0.0)`"]),
        ("[i] = select(a[i] = 0.0; a[i], b[i])", &["=: `=` does not compare | equal elements are found by `==`"]),
        ("[i] = select(0.0 < a[i] <= 1.0; a[i], b[i])", &["<: comparisons have two sides | write `0 < a[i] && a[i] <= 1`"]),
        (
            "[i] = select(a[i] > 0.0 & b[i] > 0.0; a[i], b[i])",
            &["&: expected `&&` or `||`, found `&` | conditions are joined by `&&` and `||`, and negated by `!`"],
        ),
        ("[i] = select(a[i] > ; a[i], b[i])", &[">: a factor is missing after this"]),
        ("[i] = select(a[i] > 0.0 b[i]; a[i], b[i])", &["b: expected `&&`, `||` or `;`, found `b`"]),
        (
            "[i] = clip(a[i], 0.0)",
            &[
                "clip: `clip` takes three arguments, X and its bounds, but 2 are given | a lower bound alone is `select(a[i] < 0.0; 0.0, a[i])`, and an upper one `select(a[i] > 0.0; 0.0, a[i])`",
            ],
        ),
        (
            "[i] = max(a[i], 0.0)",
            &["max: `max` reduces over a label | write `max(k; X)`, or of two elements `select(a[i] > 0.0; a[i], 0.0)`"],
        ),
    ]);
    let many = vec!["a[i] > 0.0"; 65].join(" && ");
    let fault = crate::testing::faults(&format!("[i] = select({many}; a[i], b[i])"));
    assert!(fault[0].contains("at most 64 comparisons"), "{fault:?}");
    let negated = format!("[i] = select({}a[i] > 0.0; a[i], b[i])", "!".repeat(10_001));
    for text in [&negated, "[] = a[] > 0.0", "[] = x > y", "let c = sum(k; a[k]) > 0.0 && !m[]; c"] {
        assert_eq!(crate::testing::checked(text).map(|_| ()), Ok(()), "`{text}`");
    }
}

/// What belongs in another order, or into the brackets of a tensor.
#[test]
fn places() {
    refused(&[
        (
            "[i] = sqrt(A)[i]",
            &["[i]: expected an operator, found `[i]` | indices stand on the tensors inside of the parentheses: `sqrt(A[i])`"],
        ),
        ("[i] = A[i in 0:2]", &["0:2: `0:2` is not a range | write `0..2`, which ends before the second number"]),
        ("[i] = sum(A[i, k], k)", &["sum: `sum` names its labels first | write `sum(k; A[i, k])`"]),
        ("[i] = max(A[i, k]; k)", &["max: `max` names its labels first | write `max(k; A[i, k])`"]),
        (
            "[i] = sum_k(A[i, k])",
            &[
                "sum_k: `sum_k` is not a function of tensor equations | the labels of a reduction stand in front of its body: `sum(k; A[i, k])`",
            ],
        ),
        (
            "[i] = a[i] > 0 ? a[i] : 0",
            &["?: expected an operator, found `?` | a choice for each element is `select(a[i] > 0; a[i], 0)`"],
        ),
        (
            "[i, j] = a[i, j] if i == j",
            &[
                "if: expected an operator, found `if` | a choice for each element has two values: `select(iota[i] == iota[j]; a[i, j], 0.0)` is 0 elsewhere",
            ],
        ),
        (
            "[i, j] = a[i, j] where i < j",
            &[
                "where: `where` gives extents to labels, after `:` | a condition stands in a choice for each element, as in `select(iota[i] < iota[j]; X, 0.0)`",
            ],
        ),
        (
            "[i] = [1.0, 2.0][i]",
            &[
                "[1.0, 2.0]: an array is no operand | make a tensor of it first, `let t = Tensor::from_array([1.0, 2.0])?;`, and write its indices",
            ],
        ),
        (
            "[i, j] = select(i == j; a[i, j], 0.0)",
            &[
                "i: `i` is an index here, and not a number | the value of an index is `iota[i]`; a variable of that name stands in braces, `{ i }`",
                "j: `j` is an index here, and not a number | the value of an index is `iota[j]`; a variable of that name stands in braces, `{ j }`",
            ],
        ),
        ("[i, j] = grad(L; a)", &["a: `a` has no indices, so it is read as a number | write `grad(…; a[i, j])`"]),
        (
            "[i, j] = x",
            &[
                "i: index `i` is on the left, but no term on the right has it | `x` is read as a number: if it is a tensor, write its indices, `x[…]`",
            ],
        ),
        (
            "[i] = variance(A[i, k])",
            &[
                "variance: `variance` is not a function of tensor equations | a variance is `var(k; X)`, whose divisor is the number of terms",
            ],
        ),
    ]);
    let with_braces = crate::testing::checked("[i] = select({ i } > a[i]; a[i], 0.0)").map(|_| ());
    assert_eq!(with_braces, Ok(()));
}

/// Names and habits of other libraries: what the help says is an equation, or a part of one.
#[test]
fn habits_of_other_libraries() {
    let choice = "a choice for each element is `select(a[i] > 0.0; a[i], 0.0)`";
    refused(&[
        ("[i] = a[i].powi(3)", &[".powi: `.powi` cannot follow an index | write `powi(…, 3)` around it"]),
        (
            "[] = a[i].sum()",
            &[".sum: `.sum` cannot follow an index | write `sum(k; …)` around it, with the indices that it runs over"],
        ),
        (
            "[i, j] = a[j, i].t()",
            &[".t: `.t` cannot follow an index | a transpose is another order of indices: `[i, j] = A[j, i]`"],
        ),
        ("[i] = a[i].clone()", &[".clone: `.clone` cannot follow an index | leave it out: an equation only reads its operands"]),
        (
            "[i] = a[i].twice(b)",
            &[".twice: `.twice` cannot follow an index | `(A.twice(b))[i, j]` indexes the result of a Rust method"],
        ),
        ("[i] = average(j; a[i, j])", &["average: `average` is not a function of tensor equations | a mean is `mean(k; X)`"]),
        (
            "[i] = a[i] * iota(i)",
            &["iota: `iota` is not a function of tensor equations | the value of an index is `iota[i]`: 0, 1, 2, …"],
        ),
        (
            "[i, j] = a[i, j] * iota[i, j]",
            &[
                "[i, j]: `iota` is the value of one index, from 0 on | write `iota[i]`; a tensor that is called `iota` needs another name",
            ],
        ),
        (
            "[i] = sinh(a[i])",
            &[
                "sinh: `sinh` is not a function of tensor equations | a Rust function of each element is `map(f64::sinh; X)`, and likewise for others",
            ],
        ),
        (
            "[j, i] = inverse(A[i, j])",
            &["inverse: `inverse` is not a function of tensor equations | the inverse of a matrix is `[j, i] = inv(A[i, j])`"],
        ),
        (
            "([i, r], [r], [r, j]) = svd(A[i, j], max = 3)",
            &["max: `max` is an option, and options stand behind a `;` | write `; max = 3` in place of the `,`"],
        ),
        (
            "[i] = where(a[i] > 0.0, a[i], 0.0)",
            &[
                "where: `where` is not a function of tensor equations | a choice for each element is `select(a[i] > 0.0; a[i], 0.0)`",
            ],
        ),
        (
            "[i] = if a[i] > 0.0 { a[i] } else { 0.0 }",
            &[&format!("if: `if …` is a Rust expression, and those stand in braces | `{{ if … }}` is one number; {choice}")],
        ),
        (
            "let x[i] = a[i]; let y[i] = b[i]; x, y",
            &[",: expected an operator, found `,` | several values of a block stand in parentheses: `(x, y)`"],
        ),
    ]);
    // What the helps lead to.
    for text in [
        "[i] = 1[i] / (1[i] + exp(-a[i]))",
        "let m[i] = max(k; a[i, k]); let s[i] = sum(k; exp(a[i, k] - m[i] * 1[k])); let p[i, k] = exp(a[i, k] - m[i] * 1[k]) / s[i]; p",
        "[i] = map(f64::sinh; a[i])",
        "[i] = select(A[i] > 0.0; A[i], 0.0)",
        "[i] = sum(j; a[i, j]) / n",
    ] {
        let found = crate::testing::checked(text).map(|_| ());
        assert_eq!(found, Ok(()), "`{text}`");
    }
}
