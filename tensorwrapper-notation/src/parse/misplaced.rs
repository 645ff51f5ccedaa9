//! Tests of what stands in the wrong place or order: values of blocks, extents, lists of labels, signs of other languages.

use crate::testing::{checked, refused, warnings};

#[test]
fn places() {
    refused(&[
        (
            "[i] = v[i in 1..-1]",
            &["1..-1: `1.. - 1` is not a range | positions count from 0: write `i in 1..{ n - 1 }`, where `n` is the extent"],
        ),
        (
            "[i] = v[i in -3..]",
            &["-3..: `-3..` is not a range | positions count from 0: write `i in { n - 3 }..`, where `n` is the extent"],
        ),
        (
            "[i] = v[i in -n..]",
            &["-n..: `-n..` is not a range | positions count from 0: write `i in { m - n }..`, where `m` is the extent"],
        ),
        (
            "[n] = v[n in -3..]",
            &["-3..: `-3..` is not a range | positions count from 0: write `n in { m - 3 }..`, where `m` is the extent"],
        ),
        (
            "[i, j] = a[i: 0..2, j]",
            &["i: 0..2: `i:0..2` is not an index | a slice has `in` between its label and its range: `i in 0..2`"],
        ),
        (
            "let x[i: 3] = v[i]; x",
            &["i: 3: `i:3` is not an index | an extent stands behind the equation, `where i: 3`, and `i` alone here"],
        ),
        (
            "[i: 3] = v[i]",
            &["i: 3: `i:3` is not an index | an extent stands behind the equation, `where i: 3`, and `i` alone here"],
        ),
        (
            "where i: 3; in &ctx; [i] = v[i]",
            &["in: the context of a block is its first line | write `in &ctx;` before all other lines"],
        ),
        ("let x[i] = v[i]; Ok(x)", &["Ok: the value of a block is written without `Ok` | write `x`"]),
        ("let x[i] = v[i]; Some(x)", &["Some: the value of a block is written without `Some` | write `x`"]),
        ("let x[i] = v[i]; [x, y]", &["[x, y]: the values of a block stand in parentheses | write `(x, y)`"]),
        ("let x[i] = v[i]; (x[i], y)", &["(x[i], y): the values of a block are names, without their indices | write `(x, y)`"]),
        ("[i] = map(v[i], |x| x * 2.0)", &["map: `map` names its function first | write `map(|x| x * 2.0; v[i])`"]),
        ("[i] = map(v[i], w[i], |x, y| x * y)", &["map: `map` names its function first | write `map(|x, y| x * y; v[i], w[i])`"]),
        (
            "[i] = sum(0; a[i, j])",
            &["sum: `sum` names its labels first | write `sum(i; a[i, j])`, whose value has the indices `[j]`"],
        ),
        ("[i] = sum(1; a[i, j])", &["sum: `sum` names its labels first | write `sum(j; a[i, j])`"]),
        ("[] = sum(0, 1; a[i, j])", &["sum: `sum` names its labels first | write `sum(i, j; a[i, j])`"]),
        (
            "[] = sum((i, j); a[i, j])",
            &["sum: the labels of `sum` have `,` between them, and `;` behind them | write `sum(i, j; a[i, j])`"],
        ),
        (
            "[] = sum(i; j; a[i, j])",
            &["sum: the labels of `sum` have `,` between them, and `;` behind them | write `sum(i, j; a[i, j])`"],
        ),
        (
            "([i, r], [r], [r, j]) = svd(a[i, j]) where r <= 2",
            &[
                "where: `where` gives extents to labels, after `:` | the largest extent of an index that `svd` makes is `where r: ..=2`; a condition stands in a choice for each element, as in `select(iota[i] < iota[j]; X, 0.0)`",
            ],
        ),
        (
            "([i, r], [r], [r, j]) = svd(a[i, j]) where r = 2",
            &["where: `where` gives extents to labels, after `:` | write `where r: ..=2`"],
        ),
        (
            "[i, j] = a[i, j] where assume(sym(i, j))",
            &["assume: `assume` is a word before a symmetry, without parentheses | write `where assume sym(i, j)`"],
        ),
        (
            "[i, j] = a[i, j] where sym(i, j) = true",
            &["=: a symmetry stands in a `where` by itself, without a value | write `where sym(i, j)`"],
        ),
        (
            "[i] = a[i, $ - 1]",
            &["$ - 1: `$ - 1` is not an index | positions count from 0: `{ n - 1 }`, where `n` is the extent of the axis"],
        ),
        (
            "let g[i, j], h[k] = grad(l; a[i, j], v[k]); g",
            &[",: several results stand in parentheses | write `let (g[i, j], h[k]) = …;`"],
        ),
        ("[i] = .5 * v[i]", &[".: expected an operand such as `A[i, j]`, a number, a function or `(`, found `.` | write `0.5`"]),
        (
            "[i, j] = net[0].0[i, j]",
            &[".: expected an operator, found `.` | an element of a collection stands in parentheses: `(net[0].0)[i, j]`"],
        ),
        (
            "[i, r] = a[i, r]; where i: &occ",
            &[";: the `where` of an equation stands behind it without a `;` | leave out the `;`"],
        ),
        ("[j] = v[(0, j)]", &["0: `0` is not a label | joined axes are written with labels alone, as in `(i, j)`"]),
    ]);
}

#[test]
fn words_before_extents_and_exponents() {
    refused(&[
        (
            "[i, j] = v[(i, j)], where i: 3",
            &[",: expected an operator, found `,` | leave it out: an equation and its `where` have no `,` between them"],
        ),
        (
            "[i, j] = v[(i, j)] with i: 3",
            &["with: expected an operator, found `with` | extents stand behind `where`: `where i: 3`"],
        ),
        (
            "[i, j] = v[(i, j)] where n: i",
            &[
                "n: `where` gives `n` an extent, and no index of this equation has that name | the index stands first: `where i: n`",
            ],
        ),
        (
            "[i, j] = v[(i, j)] where i: 3 where j: 3",
            &["where: items of `where` have `,` between them | write `where i: 3, j: 3`"],
        ),
        (
            "[i] = powi(2, n[i])",
            &[
                "i: index `i` is on the left, but no term on the right has it | an exponent is one number; powers of `2.0` by elements are `map(|p| f64::powf(2.0, p); cast(f64; n[i]))`",
            ],
        ),
        (
            "[i] = powf(2.0, v[i])",
            &[
                "i: index `i` is on the left, but no term on the right has it | an exponent is one number; powers of `2.0` by elements are `map(|p| f64::powf(2.0, p); cast(f64; v[i]))`",
            ],
        ),
        (
            "[i, j] = 3.0 * powf(0.5, v[i, j])",
            &[
                "i: index `i` is on the left, but no term on the right has it | an exponent is one number; powers of `0.5` by elements are `map(|p| f64::powf(0.5, p); cast(f64; v[i, j]))`",
                "j: index `j` is on the left, but no term on the right has it | an exponent is one number; powers of `0.5` by elements are `map(|p| f64::powf(0.5, p); cast(f64; v[i, j]))`",
            ],
        ),
        ("on &ctx; [i] = v[i]", &["&: expected an operator, found `&` | the context of a block is written `in &ctx;`"]),
    ]);
}

/// The equations to which the helps of these files lead: `options`, `items`, `left`, `types`, `known`, `placed`, `holds`, `choices`.
#[test]
fn what_helps_lead_to() {
    for text in [
        "([i, r], [r], [r, j]) = svd(a[i,j]; max = 2)",
        "([n], [p, n]) = eigh(s[p,q], s[p,q])",
        "([n], [p, n]) = eigh(p, q; s[p, q], m[p, q])",
        "([i, r], [r, j]) = qr(a[i,j]; full)",
        "[k, j] = triangular_solve(a[i,k], b[i,j]; upper)",
        "c[i, j] += a[j, i]; c[i, j] += b[i, j]",
        "let y[i] = a[i]; let z[j] = x[j]; (y, z)",
        "[i, j] = cast(Complex<f64>; a[i, j])",
        "[i] = e[i, j, k] * v[j] * w[k]",
        "[k] = sum(i, j; select(iota[i] + iota[j] == iota[k]; v[i] * w[j], 0.0)) where k: n",
        "[i, j] = mask[i, j] && !mask[j, i]",
        "[i, j] = v[(i, j)] where i: 3, j: 4",
        "let x[i] = v[i] * w[i]; let g[i, j] = grad(x[i]; v[j]); g",
        "[i, j] = a[i, j] where sym(i, j), i: &occ",
        "[i] = sum(j; select(iota[j] < iota[i]; v[j], 0.0)) where i: n",
        "[(i, j)] = a[i, j]",
        "[k] = sum(i; select(iota[k] == 2 * iota[i]; v[i], 0.0)) where k: n",
        "[] = max(i, j; select(mask[i, j]; 1.0, 0.0))",
        "[] = sum(i, j; select(a[i, j] != 0.0; 1.0, 0.0))",
        "let x[i] = v[i]; let y = norm(x[i]); y",
        "[] = sum(k, l; a[k, l])",
        "[i, j] = conj(z[j, i])",
        "[i] = map(|p| f64::powf(2.0, p); v[i])",
        "[i] = select(v[i] < 0.0; 0.0, v[i])",
        "[] = sum(i; abs(v[i]))",
        "[r, i] = cholesky(A[i, j])",
        "[i, j] = a[(i, j)] where j: 3",
        "c[(i, j)] += a[i, j]",
        "[j, i] = pinv(a[i, j]; tol = 1e-8)",
        "let x[i] = v[i] where i: 3; x",
        "[] = sum(k; conj(A[k]) * B[k])",
        "[i, i] = v[i]",
        "([i, r], [r], [r, j]) = svd(a[i, j]) where r: ..=2",
        "[] = sum(i, j; powi(a[i, j] - b[i, j], 2))",
    ] {
        assert_eq!(checked(text).map(|_| ()), Ok(()), "`{text}`");
        assert_eq!(warnings(text), [""; 0], "`{text}`");
    }
}
