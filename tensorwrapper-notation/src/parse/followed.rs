//! Tests of a newcomer's mistakes whose helps were followed to the letter: what a help proposes fits the rest of the equation, and is
//! what was meant.

use crate::testing::{checked, refused, warnings};

#[test]
fn whole_axes() {
    refused(&[
        (
            "[i, j] = a[i, :] * b[:, j]",
            &[
                ":: `:` is not an index | a whole axis has a label of its own, and axes that are summed together share it: `[i, j] = a[i, k] * b[k, j]`",
            ],
        ),
        (
            "[x] = m[x, :]",
            &[
                ":: `:` is not an index | a whole axis has a label of its own: `m[x, k]`, and `k` is summed unless the left side has it, too",
            ],
        ),
        (
            "[i, j] = a[i, :]",
            &[":: `:` is not an index | a whole axis has a label, here `j` of the left side: `[i, j] = a[i, j]`"],
        ),
        (
            "[i] = a[i, *] * v[*]",
            &[
                "*: `*` is not an index | a whole axis has a label of its own, and axes that are summed together share it: `[i] = a[i, k] * v[k]`",
            ],
        ),
        (
            "[i, k] = x[i, :, k] * y[:, l] + k1[i, k]",
            &[
                ":: `:` is not an index | a whole axis has a label of its own, and axes that are summed together share it: `[i, k] = x[i, m, k] * y[m, l] + k1[i, k]`",
            ],
        ),
        (
            "[] = a[:, :] * b[:, :]",
            &[
                ":: `:` is not an index | a whole axis has a label of its own, and axes that are summed together share it: `[] = a[k, l] * b[k, l]`",
            ],
        ),
        (
            "[p] = a[1, :, p]",
            &[
                ":: `:` is not an index | a whole axis has a label of its own: `a[1, k, p]`, and `k` is summed unless the left side has it, too",
            ],
        ),
        ("c[:, 0] = v[i]", &[":: `:` is not an index | a whole axis has a label, here `i` of the right side: `c[i, 0] = v[i]`"]),
        (
            "t.c[1, :, :] = a[p, k] * b[k, q]",
            &[
                ":: `:` is not an index | a whole axis has a label, here `p`, `q` of the right side: `t.c[1, p, q] = a[p, k] * b[k, q]`",
            ],
        ),
        (
            "c[:, 0] = v[1:end]",
            &[":: `:` is not an index | a whole axis has a label of its own, which both sides share: `c[k, 0] = v[k]`"],
        ),
        (
            "let w[i] = a[i, :]; w",
            &[
                ":: `:` is not an index | a whole axis has a label of its own: `a[i, k]`, and `k` is summed unless the left side has it, too",
            ],
        ),
        ("[i] = sum(a[i, :])", &["sum: `sum` names its labels first | write `sum(k; a[i, k])`"]),
        ("([i, r], [r], [r, j]) = svd(a[:, :])", &[":: `:` is not an index | a whole axis has a label of its own, `k`, `l`"]),
        ("c[:] = 0.0", &[":: `:` is not an index | a whole axis has a label of its own, `k`"]),
        ("[i, j] = a[:, :] * b[:, j]", &[":: `:` is not an index | a whole axis has a label of its own, `k`, `l`"]),
    ]);
}

#[test]
fn reductions_over_axes_of_the_left_side() {
    refused(&[
        ("[i, j] = a[i, j] / sum(a[i, j])", &["sum: `sum` names its labels first | write `sum(k, l; a[k, l])`"]),
        ("[i, j] = a[i, j] / sum(max(j; a[i, j]))", &["sum: `sum` names its labels first | write `sum(k; max(j; a[k, j]))`"]),
        (
            "[i, j] = a[i, j] / sum(asym(i, j; a[i, j]))",
            &["sum: `sum` names its labels first | write `sum(k, l; asym(k, l; a[k, l]))`"],
        ),
        (
            "[.., p, q] = a[.., p, q] - mean(a[.., p, q], axis = 1)",
            &["mean: `mean` names its labels first | write `mean(k; …)` with a new label `k` in the place of that axis"],
        ),
        (
            "[] = sum(k in 0..2; a[k] * sum(k; b[k]))",
            &[
                "sum: `sum` runs over all indices of its labels | a part of an axis is a slice: `sum(k; a[k in 0..2] * sum(k; b[k]))`",
            ],
        ),
        ("[i] = k[i] / max(abs(k[i in 1..3]))", &["max: `max` names its labels first | write `max(l; abs(k[l in 1..3]))`"]),
        ("[p, q] = a[p, q] - mean(a[p, q], axis = 1)", &["mean: `mean` names its labels first | write `mean(k; a[p, k])`"]),
        (
            "[i, j] = a[i, j] / mean(i, j; a[i, j])",
            &[
                "i: indices `i`, `j` are bound by `mean` here, but also used outside of it | give the bound indices other names: `mean(k, l; a[k, l])`",
            ],
        ),
        (
            "[i, j] = a[i, j] - sum(j; self.a[i, j]) * 1[k] * k",
            &[
                "j: index `j` is bound by `sum` here, but also used outside of it | give the bound index another name: `sum(l; self.a[i, l])`",
                "k: `k` is an index here, and not a number | the value of an index is `iota[k]`; a variable of that name stands in braces, `{ k }`",
            ],
        ),
    ]);
}

#[test]
fn numbers_and_bounds() {
    refused(&[
        (
            "[i, j] = a[i, j] + 2.0 * 1i * b[i, j]",
            &[
                "1i: `1i` is not a number that an equation can hold | a complex number is written in braces, `{ Complex::new(0.0, 1.0) }`; where all tensors are real, convert them, `cast(Complex<f64>; A[i, j])`",
            ],
        ),
        ("[i] = clip(v[i], 1.0, 0.0)", &["clip: the lower bound of `clip` comes first | write `clip(v[i], 0.0, 1.0)`"]),
        ("[i] = clip(v[i], -1, -(2.5))", &["clip: the lower bound of `clip` comes first | write `clip(v[i], -(2.5), -1)`"]),
        (
            "[[1.0, 2.0], [3.0, -4.0]]",
            &[
                "[[1.0, 2.0], [3.0, -4.0]]: an array is no equation | a tensor of numbers is made outside of equations: `let t = Tensor::from_array([[1.0, 2.0], [3.0, -4.0]])?;`",
            ],
        ),
        (
            "let x[i] = a[i]; [1, 2]",
            &[
                "[1, 2]: an array is no equation | a tensor of numbers is made outside of equations: `let t = Tensor::from_array([1, 2])?;`",
            ],
        ),
        (
            "[i] = exp(v[i]) as f32",
            &["as: expected an operator, found `as` | an element of another type is `cast(f32; exp(v[i]))`"],
        ),
        (
            "[i] = 2.0 * (v[i] + self.w[i]) as f64",
            &["as: expected an operator, found `as` | an element of another type is `cast(f64; v[i] + self.w[i])`"],
        ),
        (
            "[i] = exp(v[i]) as i32",
            &[
                "as: expected an operator, found `as` | whole tensors are converted to other types before the equation: `let b = a.cast::<i32>()?;`",
            ],
        ),
    ]);
}

#[test]
fn left_sides_and_values() {
    refused(&[
        (
            "let w[i, j] = a[i, k] * b[k, j]; return w;",
            &["return: an equation has no `return` | the value of a block is its last line, `w`, without a `;` behind it"],
        ),
        (
            "return [i] = a[i]",
            &[
                "return: an equation has no `return` | the value of a block is its last line, `[i] = a[i]`, without a `;` behind it",
            ],
        ),
        (
            "[i] = v[i] += 1.0",
            &[
                "+: expected an operator, found `+` | an update of a tensor that exists is an equation of its own, `v[i] += 1.0[i]`",
            ],
        ),
        (
            "[i] = a[i] -= 2.0 * b[i]",
            &[
                "-: expected an operator, found `-` | an update of a tensor that exists is an equation of its own, `a[i] -= 2.0 * b[i]`",
            ],
        ),
        (
            "C[i, j] := a[i, k] * b[k, j]",
            &[":: the left side is followed by `=` | assignment is `=`: `C[i, j] = a[i, k] * b[k, j]`"],
        ),
        ("{i, j} = a[i, j]", &["{i, j}: the labels of the left side stand in brackets | write `[i, j] = a[i, j]`"]),
        (
            "(p, q) = a[p, k] * b[k, q]",
            &["(p, q): the labels of the left side stand in brackets | write `[p, q] = a[p, k] * b[k, q]`"],
        ),
        (
            "[i] = a[i].unwrap() * b[i]",
            &[
                ".unwrap: `.unwrap` cannot follow an index | leave it out: elements are numbers; a call that returns a `Result` is unwrapped before the indices, `(A.unwrap())[i, j]`",
            ],
        ),
        (
            "[i] = sum(k; a[i, k].unwrap())",
            &[
                ".unwrap: `.unwrap` cannot follow an index | leave it out: elements are numbers; a call that returns a `Result` is unwrapped before the indices, `(A.unwrap())[i, j]`",
            ],
        ),
        (
            "[i] = a[i].unwrap() where i: 3",
            &[
                ".unwrap: `.unwrap` cannot follow an equation | leave it out: `tensor!` panics by itself, and `try_tensor!` gives a `Result`",
            ],
        ),
        (
            "[i] = v[i].expect(m)",
            &[
                ".expect: `.expect` cannot follow an equation | leave it out: `tensor!` panics by itself, and `try_tensor!` gives a `Result`",
            ],
        ),
    ]);
}

#[test]
fn signs_of_formulas() {
    refused(&[
        ("[i] = v[i].map(|x| x * x)", &[".map: `.map` cannot follow an index | write `map(|x| x * x; v[i])`"]),
        ("[i] = 2.0 * self.v[i].map(f64::sqrt)", &[".map: `.map` cannot follow an index | write `map(f64::sqrt; self.v[i])`"]),
        (
            "[i, j] = a{i, k} * b{k, j}",
            &["{i, k}: expected an operator, found `{ i, k }` | indices stand in brackets: `a[i, k]`"],
        ),
        ("[i, j] = a_{i k} * b_{k j}", &["{i k}: expected an operator, found `{ i k }` | indices stand in brackets: `a[i, k]`"]),
        (
            "[i] = Σ_j a[i, j]",
            &["a: expected an operator, found `a` | the labels of a reduction stand in front of its body: `sum(j; a[i, j])`"],
        ),
        (
            "[i] = 2.0 * Π_j a[i, j] + b[i]",
            &["a: expected an operator, found `a` | the labels of a reduction stand in front of its body: `prod(j; a[i, j])`"],
        ),
        (
            "[i] = Σ_{j k} a[i, j, k] where i: 3",
            &[
                "{j k}: expected an operator, found `{ j k }` | the labels of a reduction stand in front of its body: `sum(j, k; a[i, j, k])`",
            ],
        ),
        (
            "[i] = Σ_j(a[i, j])",
            &[
                "Σ_j: `Σ_j` is not a function of tensor equations | the labels of a reduction stand in front of its body: `sum(j; a[i, j])`",
            ],
        ),
    ]);
}

/// The equations to which the helps lead.
#[test]
fn what_helps_lead_to() {
    for text in [
        "[i, j] = a[i, k] * b[k, j]",
        "t.c[1, p, q] = a[p, k] * b[k, q]",
        "[i] = sum(k; a[i, k])",
        "[k, j] = sum(l; select(iota[l] == cast(idx[k]); a[l, j], 0.0))",
        "[i, j] = a[i, j] / sum(k, l; a[k, l])",
        "[i, j] = a[i, j] / mean(k, l; a[k, l])",
        "[i, j] = a[i, j] / sum(k; max(l; a[k, l]))",
        "[.., k] = sum(l; select(iota[l] == cast(idx[k]); a[.., l], 0.0))",
        "c[l] *= prod(k; select(iota[l] == cast(idx[k]); v[k], 1.0))",
        "([x, k], [k], [k, y]) = svd(a[x, y]; max = r)",
        "[i] = (a.unwrap())[i] * b[i]",
        "[p, q] = a[p, q] - mean(k; a[p, k]) * 1[q]",
        "[i, j] = u[i, j in 1..] - u[i, j in ..{ n - 1 }]",
        "[i] = select(v[i] > 0.0; v[i], 0.0)",
        "[i, j] = select(iota[i] == iota[j]; v[i], 0.0) where j: n",
        "[i, j] = cast(Complex<f64>; a[i, j]) + { Complex::new(0.0, 1.0) } * cast(Complex<f64>; b[i, j])",
        "[i] = solve(a[k, i], v[k])",
        "([k], [p, k]) = eigh(b[p, q])",
        "[i, j] = inv(a[j, i])",
        "([x, r], [r], [r, y]) = svd(t[x, y]; max = 3)",
        "[j] = solve(a[i, j], b[i])",
        "[i] = map(|x| x * x; v[i])",
        "let w[i, j] = a[i, k] * b[k, j]; w",
    ] {
        assert_eq!(checked(text).map(|_| ()), Ok(()), "`{text}`");
        assert_eq!(warnings(text), [""; 0], "`{text}`");
    }
}
