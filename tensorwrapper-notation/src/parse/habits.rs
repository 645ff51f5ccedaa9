//! Tests of typical mistakes that come from other languages: each with the token at fault, the message and the help.

use crate::testing::refused;

/// What helps lead to, written out: `refused` checks the syntax of each help, and this the labels, which helps leave open.
#[test]
fn what_helps_lead_to() {
    for text in [
        "[p, q] = C[p, n] * sqrt(e[n]) * conj(C[q, n])",
        "let (e[n], C[p, n]) = eigh(A[p, q]); let B[p, q] = C[p, n] * ln(e[n]) * conj(C[q, n]); B",
        "[i] = map(|x, y| x % y; a[i], b[i])",
        "[i] = map(|z: Complex<f64>| Complex::from(z.arg()); a[i])",
        "[i, j] = select(iota[i] >= iota[j]; A[i, j], 0.0)",
        "[i] = u[i in 1..] - u[i in ..n]",
        "[] = sum(k; select(a[k] > 0.0; 1.0, 0.0))",
        "[] = max(k; select(a[k] > 0.0; 1.0, 0.0))",
        "[i] = max(j; select(iota[i] < iota[j]; v[i, j], { f64::NEG_INFINITY }))",
        "[i, j] = { Complex::new(0.0, -dt) } * h[i, j]",
        "[i] = sum(k; a[i, k in 0..n])",
        "[i] = b[i] * sum(k; select(iota[k] == 2 * iota[i] + 1; a[k], 0.0))",
        "[i] = cast(f64; a[i])",
        "[i] = select(m[i] && !n[i]; a[i], 0.0)",
        "([i, r], [r], [r, j]) = svd(A[i, j]; tol = 1e-8, max = 64)",
        "[i] = iota[i] * x[i]",
        "[i] = { i } * x[i]",
        // The quotient of two literals is what it is as a factor, and a number in front of a group keeps its terms.
        "[i] = powf(a[i], 1/2) * powf(b[i], -(1.0/3.0)) * powi(c[i], 4/2) * powi(c[i], n / 2)",
        "[i] = powi(a[i], n + 4/2) * powi(b[i], n * 6/4)",
        "[i] = powf(a[i], p[0]) * powi(a[i], { i })",
        "[i, j] = sqrt(2.0) * (a[i, j] + 1[i] * v[j])",
        "[i, j] = alpha[] * (a[i, j] + v[j])",
    ] {
        let found = crate::testing::checked(text).map(|_| ());
        assert_eq!(found, Ok(()), "`{text}`");
    }
}

#[test]
fn long_rows_of_signs_are_left_to_rust() {
    let text = format!("[i] = powf(a[i], {}1)", "-".repeat(100_000));
    assert_eq!(crate::testing::checked(&text).map(|_| ()), Ok(()));
}

#[test]
fn exponents() {
    refused(&[
        ("[i] = powf(a[i], 1/0)", &["1/0: `1 / 0` is not a number"]),
        ("[i] = powi(a[i], 1/2)", &["1/2: `powi` takes a whole number | for any other exponent write `powf(X, 0.5)`"]),
        ("[i] = powi(a[i], (3/2))", &["(3/2): `powi` takes a whole number | for any other exponent write `powf(X, 1.5)`"]),
        (
            "[i] = powi(a[i], n + 1/2)",
            &[
                "n + 1/2: `powi` takes a whole number, and a quotient of whole numbers loses its fraction | for any other exponent write `powf(X, 0.5)`",
            ],
        ),
        (
            "[i] = powi(a[i], 3000000000)",
            &["3000000000: `powi` takes exponents from -2147483648 to 2147483647 | for any other exponent write `powf(X, 3e9)`"],
        ),
        (
            "[i, j] = matpow(A[i, j], 1/2)",
            &[
                "1/2: `matpow` takes a whole number | a root of a symmetric matrix is `C[p, n] * sqrt(e[n]) * conj(C[q, n])`, after `let (e[n], C[p, n]) = eigh(A[p, q]);`",
            ],
        ),
        (
            "[i] = powf(a[i], b[i])",
            &[
                "b[i]: the exponent of `powf` is one number, the same for each element | a power of two elements is `map(f64::powf; a[i], b[i])`; a Rust expression stands in braces, `{ b[i] }`",
            ],
        ),
        (
            "[i] = powi(a[i], i)",
            &[
                "i: the exponent of `powi` is one number, the same for each element | a power of two elements is `map(f64::powf; a[i], iota[i])`; a Rust expression stands in braces, `{ i }`",
            ],
        ),
    ]);
}

#[test]
fn names_of_other_functions() {
    refused(&[
        ("[i] = sqtr(a[i])", &["sqtr: `sqtr` is not a function of tensor equations | a function of a similar name is `sqrt`"]),
        (
            "[i] = sgn(a[i])",
            &["sgn: `sgn` is not a function of tensor equations | it is `select(X > 0.0; 1.0, select(X < 0.0; -1.0, X))`"],
        ),
        (
            "[i] = expm1(a[i])",
            &[
                "expm1: `expm1` is not a function of tensor equations | a Rust function of each element is `map(f64::exp_m1; X)`, and likewise for others",
            ],
        ),
        (
            "[i] = abs2(a[i])",
            &["abs2: `abs2` is not a function of tensor equations | a square of the absolute value is `powi(abs(X), 2)`"],
        ),
        (
            "[i] = median(a[i])",
            &[
                "median: `median` is not a function of tensor equations | a median stands in the middle of `let b = a.sort_along(0)?;`, a method of whole tensors; of an even number of elements it is the mean of the two there",
            ],
        ),
        (
            "[i] = hypot(a[i], b[i])",
            &[
                "hypot: `hypot` is not a function of tensor equations | a Rust function of each element is `map(f64::hypot; X, Y)`, and likewise for others",
            ],
        ),
        (
            "[i] = mod(a[i], 2.0)",
            &[
                "mod: `mod` is not a function of tensor equations | a remainder that is not negative is `map(f64::rem_euclid; X, Y)`, and one with the sign of X `map(|x, y| x % y; X, Y)`",
            ],
        ),
        (
            "[i] = cumsum(a[i])",
            &[
                "cumsum: `cumsum` is not a function of tensor equations | a method of whole tensors does this, before the equation: `let b = a.cumsum_along(0)?;`",
            ],
        ),
        (
            "[i, j] = sqrtm(A[i, j])",
            &[
                "sqrtm: `sqrtm` is not a function of tensor equations | of a symmetric matrix it is `C[p, n] * sqrt(e[n]) * conj(C[q, n])`, after `let (e[n], C[p, n]) = eigh(A[p, q]);`",
            ],
        ),
        (
            "[i] = reshape(A[i, j])",
            &[
                "reshape: `reshape` is not a function of tensor equations | axes are joined by labels in parentheses, `[(i, j)] = A[i, j]`, and split likewise, `[i, j] = A[(i, j)] where i: 3`",
            ],
        ),
        (
            "[i, j] = tril(A[i, j])",
            &["tril: `tril` is not a function of tensor equations | a lower triangle is `select(iota[i] >= iota[j]; X, 0.0)`"],
        ),
        (
            "[] = count(a[i])",
            &[
                "count: `count` is not a function of tensor equations | truth values that hold are counted by `sum(i; select(a[i]; 1.0, 0.0))`, and numbers other than 0 by `sum(i; select(a[i] != 0.0; 1.0, 0.0))`",
            ],
        ),
        ("[i, j] = A[j, i].H", &[".H: `.H` cannot follow an index | the adjoint of `A[i, j]` is `conj(A[j, i])`"]),
    ]);
}

#[test]
fn numbers() {
    refused(&[
        ("[i] = 2a[i]", &["2a: `2a` is not a number that an equation can hold | a product is written with `*`: `2 * a`"]),
        (
            "[i] = 2.5j * a[i]",
            &[
                "2.5j: `2.5j` is not a number that an equation can hold | a complex number is written in braces, `{ Complex::new(0.0, 2.5) }`; where all tensors are real, convert them, `cast(Complex<f64>; A[i, j])`",
            ],
        ),
        (
            "[i, j] = Complex::new(0.0, -dt) * h[i, j]",
            &[
                "(0.0, -dt): parentheses follow an operand | a number that a Rust call makes stands in braces: `{ Complex::new(0.0, -dt) }`; the result of a Rust call is indexed as `(f(x))[i, j]`",
            ],
        ),
        (
            "[i] = f64::sqrt(2.0) * a[i]",
            &[
                "(2.0): parentheses follow an operand | a number that a Rust call makes stands in braces: `{ f64::sqrt(2.0) }`; the result of a Rust call is indexed as `(f(x))[i, j]`",
            ],
        ),
        ("[i] = a[i] as f64", &["as: expected an operator, found `as` | an element of another type is `cast(f64; a[i])`"]),
        (
            "[i] = a[i] as i32",
            &[
                "as: expected an operator, found `as` | whole tensors are converted to other types before the equation: `let b = a.cast::<i32>()?;`",
            ],
        ),
    ]);
}

#[test]
fn labels_of_reductions() {
    refused(&[
        ("[i] = sum(a::b[i, k])", &["sum: `sum` names its labels first | write `sum(k; a::b[i, k])`"]),
        ("[i] = sum(A[i, j])", &["sum: `sum` names its labels first | write `sum(j; A[i, j])`"]),
        ("[] = sum(A[i, j]) + 1.0", &["sum: `sum` names its labels first | write `sum(i, j; A[i, j])`"]),
        ("[i] = 2.0 * mean(A[i, (k, l)])", &["mean: `mean` names its labels first | write `mean(k, l; A[i, (k, l)])`"]),
        ("[i] = sum(A[i, k], axis = 1)", &["sum: `sum` names its labels first | write `sum(k; A[i, k])`"]),
        ("[i] = max(A[i, k], axis = 1)", &["max: `max` names its labels first | write `max(k; A[i, k])`"]),
        ("[i] = sum(k: A[i, k])", &["sum: the labels of `sum` and its body have `;` between them | write `sum(k; A[i, k])`"]),
        (
            "[i] = sum(i < j; v[i, j])",
            &[
                "sum: `sum` names labels, and a condition chooses among elements | write `sum(j; select(iota[i] < iota[j]; v[i, j], 0.0))`",
            ],
        ),
        (
            "[] = sum(i < j; v[i, j])",
            &[
                "sum: `sum` names labels, and a condition chooses among elements | write `sum(i, j; select(iota[i] < iota[j]; v[i, j], 0.0))`",
            ],
        ),
        (
            "[i] = max(j, iota[j] != i; v[i, j])",
            &[
                "max: `max` names labels, and a condition chooses among elements | write `max(j; select(iota[j] != iota[i]; v[i, j], { f64::NEG_INFINITY }))`",
            ],
        ),
        (
            "[i] = prod(j, j != i; v[i, j])",
            &[
                "prod: `prod` names labels, and a condition chooses among elements | write `prod(j; select(iota[j] != iota[i]; v[i, j], 1.0))`",
            ],
        ),
        (
            "[i] = mean(i < j; v[i, j])",
            &[
                "mean: `mean` names labels, and a condition chooses among elements | a part of an axis is a slice, as in `mean(k; A[k in ..3])`",
            ],
        ),
        (
            "[i] = sum(k in 0..n; a[i, k] * b[k])",
            &[
                "sum: `sum` runs over all indices of its labels | a part of an axis is a slice: `sum(k; a[i, k in 0..n] * b[k in 0..n])`",
            ],
        ),
        (
            "[i] = sum(k = 0..n; a[i, k])",
            &["sum: `sum` runs over all indices of its labels | a part of an axis is a slice: `sum(k; a[i, k in 0..n])`"],
        ),
        (
            "[i] = max(k in 0..3, l, m in 1..n; A[i, k, l, m])",
            &[
                "max: `max` runs over all indices of its labels | a part of an axis is a slice: `max(k, l, m; A[i, k in 0..3, l, m in 1..n])`",
            ],
        ),
        (
            "[] = sum(a[j] > 0.0; a[j])",
            &["sum: `sum` names labels, and a condition chooses among elements | write `sum(j; select(a[j] > 0.0; a[j], 0.0))`"],
        ),
    ]);
}

#[test]
fn comparisons() {
    refused(&[
        (
            "[i] = a[i] * (b[i] == 0.0)",
            &["(b[i] == 0.0): a comparison is not a number | write `select(b[i] == 0.0; a[i], 0.0)` in place of the product"],
        ),
        (
            "[] = sum(k; a[k] != 0.0)",
            &[
                "a[k] != 0.0: a comparison is not a number | write `sum(k; select(a[k] != 0.0; 1.0, 0.0))`, in which what holds counts as 1",
            ],
        ),
        (
            "[] = sum(k; a[k] && b[k])",
            &[
                "a[k] && b[k]: a comparison is not a number | write `sum(k; select(a[k] && b[k]; 1.0, 0.0))`, in which what holds counts as 1",
            ],
        ),
        (
            "[i] = select(m[i] == true; a[i], 0.0)",
            &[
                "true: `true` is a truth value, and no number | a condition on truth values is `m[i]`, or `!m[i]` for those that do not hold",
            ],
        ),
        (
            "[i, j] = a[i, j] where i != j",
            &[
                "where: `where` gives extents to labels, after `:` | a condition stands in a choice for each element, as in `select(iota[i] < iota[j]; X, 0.0)`",
            ],
        ),
        (
            "[i, j] = a[i, j] where i <= j",
            &[
                "where: `where` gives extents to labels, after `:` | a condition stands in a choice for each element, as in `select(iota[i] < iota[j]; X, 0.0)`",
            ],
        ),
        (
            "[i] = a[i] where i in 0..3, j: 4",
            &[
                "where: `where` gives extents to labels, after `:` | a part of an axis is a slice in the brackets of an operand: `A[i in 0..3]`",
            ],
        ),
    ]);
}

#[test]
fn indices() {
    refused(&[
        (
            "[i] = u[i - 1]",
            &[
                "i - 1: `i - 1` is not an index | write the shifted operand with the slice `i in ..{ n - 1 }`, and all others with `i in 1..`; `n` is the extent",
            ],
        ),
        (
            "[i] = u[i + n] - u[i]",
            &[
                "i + n: `i + n` is not an index | write the shifted operand with the slice `i in n..`, and all others with `i in ..{ m - n }`; `m` is the extent",
            ],
        ),
        (
            "[i] = u[i + j] * w[j]",
            &[
                "i + j: `i + j` is not an index | elements at computed positions are chosen: `sum(k; select(iota[k] == iota[i] + iota[j]; u[k], 0.0))`; `where i: n` behind the equation gives a label the extent that nothing else gives it",
            ],
        ),
        (
            "[i] = u[n - 1 - i]",
            &[
                "n - 1 - i: `n - 1 - i` is not an index | elements at computed positions are chosen: `sum(k; select(iota[k] == n - 1 - iota[i]; u[k], 0.0))`; `where i: m` behind the equation gives a label the extent that nothing else gives it",
            ],
        ),
        (
            "[i] = u[2 * (i + 1)]",
            &[
                "2 * (i + 1): `2 * (i + 1)` is not an index | elements at computed positions are chosen: `sum(k; select(iota[k] == 2 * (iota[i] + 1); u[k], 0.0))`; `where i: n` behind the equation gives a label the extent that nothing else gives it",
            ],
        ),
        (
            "[i] = u[n - 1]",
            &[
                "n - 1: `n - 1` is not an index | an index is a label `i`, a slice `i in 2..5`, or a position, `3` or any Rust expression in braces: `{ n - 1 }`",
            ],
        ),
        (
            "[i] = u[(i + 1) % n]",
            &[
                "(i + 1) % n: `(i + 1) % n` is not an index | an axis is shifted around its end before the equation, `let b = u.roll(-1, 0)?;`, and the equation reads `b[i]`",
            ],
        ),
        (
            "[j] = a[..., j]",
            &["...: `...` is not an index | the remaining axes are `..`, on the left side too: `[.., j] = A[.., j]`"],
        ),
        ("[i] = a[prime(i), j]", &["prime(i): `prime(i)` is not an index | a label with a prime is written `i1`"]),
        (
            "[i] = a[i in 0:10:2]",
            &[
                "0:10:2: `0:10:2` is not a range | a slice has no step: a view with one is made before the equation, `let b = a.view().slice(0, 0..10)?.step(0, 2)?;`, and the equation reads `b[i]`; `0:10:2` is read as start, end and step",
            ],
        ),
        ("[i] = a[i in 1:]", &["1:: `1:` is not a range | write `1..`"]),
        (
            "[ik] = A[ij] * B[jk]",
            &["ik: index `ik` is on the left, but no term on the right has it | labels have `,` between them: `[i, k]`"],
        ),
        (
            "[i] = A[ij]",
            &["i: index `i` is on the left, but no term on the right has it | labels have `,` between them: `[i, j]`"],
        ),
    ]);
}

#[test]
fn options() {
    refused(&[
        (
            "([i, r], [r], [r, j]) = svd(A[i, j], cutoff = 1e-8, maxdim = 64)",
            &[
                "cutoff: `cutoff` is an option, and options stand behind a `;` | write `; tol = 1e-8, max = 64` in place of the `,`",
            ],
        ),
        (
            "([i, r], [r], [r, j]) = svd(A[i, j]; cutoff = 1e-8)",
            &["cutoff: `cutoff` is not a word of linear algebra | write `tol = 1e-8`"],
        ),
        (
            "([i, r], [r], [r, j]) = svd(A[i, j], full_matrices = true)",
            &["full_matrices: `full_matrices` is an option, and options stand behind a `;` | write `; full` in place of the `,`"],
        ),
    ]);
}

#[test]
fn signs_and_loops() {
    refused(&[
        ("[i] = a[i] .* b[i]", &[".: expected an operator, found `.` | operators act on each element without a dot: `*`"]),
        (
            "[i] = sin.(a[i])",
            &["(a[i]): a field or method is missing after `.` | functions act on each element without a dot: `sin(a[i])`"],
        ),
        ("[i] = 2.0 * |psi[i]|", &["|: expected an operand, found `|` | an absolute value is `abs(psi[i])`"]),
        (
            "for n in 0..3 { x[i] = a[i]; }",
            &[
                "for: `for …` is a loop of Rust, and no part of an equation | the loop stands around the macro: `for … { tensor!(…); }`",
            ],
        ),
        (
            "let y[i] = a[i]; while true { x[i] = a[i]; } y",
            &[
                "while: `while …` is a loop of Rust, and no part of an equation | the loop stands around the macro: `while … { tensor!(…); }`",
            ],
        ),
    ]);
}
