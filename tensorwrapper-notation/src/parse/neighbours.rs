//! Tests of helps for mistakes that resemble each other: operations of linear algebra, conditions between signs, and extents.

use crate::testing::refused;

#[test]
fn operations() {
    refused(&[
        (
            "([i, r], [r], [r, j]) = svd(a[i, j], max: 2)",
            &["max: `max` is an option, and options stand behind a `;` | write `; max = 2` in place of the `,`"],
        ),
        (
            "[k, l] = solve(a[i, k], b[i, l]; lower = true)",
            &[
                "lower: `lower` is not a word of linear algebra | a triangle alone is read by `triangular_solve`, with the same arguments",
            ],
        ),
        (
            "[j, i] = inv(a[i, j]; rcond = 1e-10)",
            &["rcond: `rcond` is not a word of linear algebra | `pinv` leaves out negligible values, with the same argument"],
        ),
        (
            "[i, r] = cholesky(s[i, j]; lower = true)",
            &["lower = true: `cholesky` does that by itself | leave it out, and the `;` before it"],
        ),
        (
            "[i, r] = cholesky(s[i, j], lower = true)",
            &["lower = true: `cholesky` does that by itself | leave it out, and the `,` before it"],
        ),
        (
            "[i, r] = cholesky(s[i, j]; lower = false)",
            &[
                "lower: `lower` is not a word of linear algebra | the factor is the lower one; the upper one of real elements is its transpose, `[r, i] = cholesky(A[i, j])`",
            ],
        ),
        (
            "([i, r], [r], [r, j]) = svd(a[i, j]; full = false)",
            &["false: `full` stands alone, without `= false` | leave `full` out, and the `;` before it"],
        ),
        (
            "([i, r], [r], [r, j]) = svd(a[i, j]; full = false, max = 3)",
            &["false: `full` stands alone, without `= false` | leave `full` out, and the `,` behind it"],
        ),
        (
            "([i, r], [r], [r, j]) = svd(a[i, j]; max = 3, full = false)",
            &["false: `full` stands alone, without `= false` | leave `full` out, and the `,` before it"],
        ),
        ("let x[i] = v[i]; [x]", &["[x]: the value of a block stands without brackets | write `x`"]),
        ("let x[i] = v[i]; [x, y]", &["[x, y]: the values of a block stand in parentheses | write `(x, y)`"]),
        (
            "([i, r], [r], [r, j]) = svd(a[i, j]) where r = 2",
            &["where: `where` gives extents to labels, after `:` | write `where r: ..=2`"],
        ),
        (
            "([i, r], [r], [r, j]) = svd(a[i, j]) where i = 2",
            &["where: `where` gives extents to labels, after `:` | write `where i: 2`"],
        ),
        ("([i, r], [r], [r, j]) = svd(a[i, j]; max = 2) where r = n, i: 2", &["=: expected `,` between labels, found `=`"]),
        (
            "let (U[i, r], s[r], V[r, j]) = svd(a[i, j]) where r = chi; U",
            &["where: `where` gives extents to labels, after `:` | write `where r: ..=chi`"],
        ),
        ("trace(a[i, j])", &["trace: `trace` names its results on the left | write `[] = trace(a[i, j])`"]),
        ("let x[i] = v[i]; trace(x); x", &["trace: `trace` names its results on the left | write `[] = trace(x[i, j])`"]),
        (
            "trace!(x); [i] = v[i]",
            &[
                "trace: `trace!` is a statement, and here stand equations | a statement of Rust stands outside of the macro, before it or behind it",
            ],
        ),
        (
            "([i, r], [r], [r, j]) = svd(max = 3, a[i, j])",
            &["max: `max` is an option, and matrices stand before options | write `svd(a[i, j]; max = 3)`"],
        ),
        (
            "([i, r], [r], [r, j]) = svd(full, a[i, j])",
            &["full: `full` is an option, and matrices stand before options | write `svd(a[i, j]; full)`"],
        ),
        (
            "([i, r], [r], [r, j]) = svd(a[i, j], full_matrices = false, tol = 1.0)",
            &[
                "full_matrices: `full_matrices` is an option, and options stand behind a `;` | write `; tol = 1.0` in place of the `,`",
            ],
        ),
        (
            "([i, r], [r], [r, j]) = svd(full = false, a[i, j])",
            &["full: `full` is an option, and matrices stand before options | write `svd(a[i, j])`"],
        ),
        (
            "([i, r], [r, j]) = qr(a[i, j]; full = flag)",
            &["flag: `full` stands alone, without `= flag` | write `full` if that is meant, and leave it out otherwise"],
        ),
        ("([i, r], [r, j]) = qr(a[i, j]; full = true)", &["true: `full` stands alone, without `= true` | write `full`"]),
        (
            "([i, r], [r, j]) = qr(a[i, j], full = flag)",
            &["full: `full` stands alone, without `= flag` | write `; full` if that is meant, and leave it out otherwise"],
        ),
    ]);
}

#[test]
fn conditions_and_extents() {
    refused(&[
        (
            "([i, r], [r], [r, j]) = svd(bl[i, j]) where r: &occ",
            &["r: `svd` makes index `r`, and gives it its extent | leave it out"],
        ),
        (
            "[i, j] = v[(i, j)] where n: i",
            &[
                "n: `where` gives `n` an extent, and no index of this equation has that name | the index stands first: `where i: n`",
            ],
        ),
        (
            "[i] = v[i] where n: i",
            &[
                "n: `where` gives `n` an extent, and no index of this equation has that name | the index stands first: `where i: n`",
            ],
        ),
        (
            "[i, j] = a[i, j] in &ctx where i: 3",
            &["in: expected an operator, found `in` | the context is the first line of a block: `in &context; [i, j] = …`"],
        ),
        ("[i] = v[i][1..]", &["[1..]: an operand has one pair of brackets | a part of an axis is a slice: `v[i in 1..]`"]),
        (
            "where i: 3, j, k: 2; let x[i, j, k] = 1.0[i, j, k]; x",
            &[",: items of a block's `where` have `;` between them | write `where i: 3; j, k: 2;`"],
        ),
        (
            "[i, j] = 1[i, j]; where i: 3, j: 4",
            &[";: the `where` of an equation stands behind it without a `;` | leave out the `;`"],
        ),
        (
            "in &ctx; where i: 3, j: 4; let x[i, j] = 1[i, j]; x",
            &[",: items of a block's `where` have `;` between them | write `where i: 3; j: 4;`"],
        ),
        (
            "let x[i, j] = v[(i, j)] where i: 3; j: 4; let y[i, j] = v[(i, j)] where i: 3; j: 4; (x, y)",
            &[
                ";: items of `where` have `,` between them | write `where i: 3, j: 4`",
                ";: items of `where` have `,` between them | write `where i: 3, j: 4`",
            ],
        ),
        (
            "[i, j] = v[(i, j)] with i: 3, j:4",
            &["with: expected an operator, found `with` | extents stand behind `where`: `where i: 3, j: 4`"],
        ),
        (
            "let x[i] = a[i], c[i] += b[i]",
            &[",: expected an operator, found `,` | equations have `;` between them: `let x[i] = a[i]; c[i] += b[i];`"],
        ),
        (
            "let x[i] = a[i], c[i] += b[i]; x",
            &[",: expected an operator, found `,` | equations have `;` between them: `let x[i] = a[i]; c[i] += b[i];`"],
        ),
        (
            "c[i] = m[i] & k[i]",
            &[
                "&: expected an operator, found `&` | conditions are joined by `&&`, and stand in a choice: `select(m[i] && k[i]; 1.0, 0.0)`",
            ],
        ),
        (
            "[i] = select(m[i] & k[i]; 1.0, 0.0)",
            &["&: expected `&&` or `||`, found `&` | conditions are joined by `&&` and `||`, and negated by `!`"],
        ),
        (
            "[i] = select((m[i] & k[i]) && x[i] > 0.0; 1.0, 0.0)",
            &["&: expected an operator, found `&` | conditions are joined by `&&`: `m[i] && k[i]`"],
        ),
        (
            "[i] = select(!(m[i] | k[i]); 1.0, 0.0)",
            &["|: expected an operator, found `|` | conditions are joined by `||`: `m[i] || k[i]`"],
        ),
        ("[i] = !(m[i] & k[i])", &["&: expected an operator, found `&` | conditions are joined by `&&`: `m[i] && k[i]`"]),
        (
            "[i] = 2.0 * (m[i] & k[i])",
            &[
                "&: expected an operator, found `&` | conditions are joined by `&&`, and stand in a choice: `select(m[i] && k[i]; 1.0, 0.0)`",
            ],
        ),
        (
            "let x[i] = 1.0[i]; where i: 3",
            &[";: the `where` of an equation stands behind it without a `;` | write the `;` behind the `where`"],
        ),
        ("[i] = 1.0[i]; where i: 3", &[";: the `where` of an equation stands behind it without a `;` | leave out the `;`"]),
        (
            "[i, j] = v[i] * (i == j) * n",
            &[
                "(i == j): a comparison is not a number | write `select(iota[i] == iota[j]; v[i] * n, 0.0)` in place of the product; `where j: m` behind the equation gives `j` its extent",
            ],
        ),
        (
            "[i] = u[2 * i + n]",
            &[
                "2 * i + n: `2 * i + n` is not an index | elements at computed positions are chosen: `sum(k; select(iota[k] == 2 * iota[i] + n; u[k], 0.0))`; `where i: m` behind the equation gives a label the extent that nothing else gives it",
            ],
        ),
        (
            "c[i + n] = v[i]",
            &[
                "i + n: `i + n` is not an index | write the shifted operand with the slice `i in n..`, and all others with `i in ..{ m - n }`; `m` is the extent",
            ],
        ),
        (
            "[i + n] = v[i]",
            &[
                "i + n: `i + n` is not an index | elements are put at computed positions by a choice: `[k] = sum(i; select(iota[k] == iota[i] + n; v[i], 0.0)) where k: m`, which is 0 at all other positions",
            ],
        ),
        (
            "[i] = u[$ - n]",
            &["$ - n: `$ - n` is not an index | positions count from 0: `{ m - n }`, where `m` is the extent of the axis"],
        ),
        (
            "[i] = u[i + n]",
            &[
                "i + n: `i + n` is not an index | write the shifted operand with the slice `i in n..`, and all others with `i in ..{ m - n }`; `m` is the extent",
            ],
        ),
    ]);
}
