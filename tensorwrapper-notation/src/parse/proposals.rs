//! Tests of helps that were read by newcomers: what a help proposes computes what was meant.

use crate::testing::{checked, refused, warnings};

#[test]
fn shifts_around_an_end() {
    refused(&[
        (
            "[i, j] = p.u[j, (i - 2) % n]",
            &[
                "(i - 2) % n: `(i - 2) % n` is not an index | an axis is shifted around its end before the equation, `let b = p.u.roll(2, 1)?;`, and the equation reads `b[j, i]`",
            ],
        ),
        (
            "[i] = u[(i - 1 + n) % n] + b[(i + s) % n]",
            &[
                "(i - 1 + n) % n: `(i - 1 + n) % n` is not an index | an axis is shifted around its end before the equation, `let taken = u.roll(1, 0)?;`, and the equation reads `taken[i]`",
            ],
        ),
        (
            "[i] = v[i] + u[(n + i + s) % n]",
            &[
                "(n + i + s) % n: `(n + i + s) % n` is not an index | an axis is shifted around its end before the equation, `let b = u.roll(-s, 0)?;`, and the equation reads `b[i]`",
            ],
        ),
        (
            "c[(i + 1) % n] = v[i]",
            &[
                "(i + 1) % n: `(i + 1) % n` is not an index | an axis is shifted around its end before the equation: `u.roll(-1, 0)?` has at `i` what `u` has at `i + 1`, and `u.roll(1, 0)?` what it has at `i - 1`",
            ],
        ),
        (
            "[i] = roll(u[i], 1)",
            &[
                "roll: `roll` is not a function of tensor equations | an axis is shifted around its end before the equation: `u.roll(-1, 0)?` has at `i` what `u` has at `i + 1`, and `u.roll(1, 0)?` what it has at `i - 1`",
            ],
        ),
        (
            "[i] = u[i + 1] - n * u[i] + m",
            &[
                "i + 1: `i + 1` is not an index | write the shifted operand with the slice `i in 1..`, and all others with `i in ..{ p - 1 }`; `p` is the extent",
            ],
        ),
    ]);
}

#[test]
fn shifts_of_labels() {
    refused(&[
        (
            "[i] = u[i + 1] - 2.0 * u[i] + u[i - 1]",
            &[
                "i + 1: `i + 1` is not an index | slices of the same length are in the place of shifts: `i - 1` is `i in ..{ n - 2 }`, `i` is `i in 1..{ n - 1 }`, `i + 1` is `i in 2..`; `n` is the extent",
            ],
        ),
        (
            "d[i] = (u[i + 1] - u[i - 1]) / n",
            &[
                "i + 1: `i + 1` is not an index | slices of the same length are in the place of shifts: `i - 1` is `i in ..{ m - 2 }`, `i` is `i in 1..{ m - 1 }`, `i + 1` is `i in 2..`; `m` is the extent",
            ],
        ),
        (
            "let d[i] = u[i + 1] - u[i - 1]; d",
            &[
                "i + 1: `i + 1` is not an index | slices of the same length are in the place of shifts: `i - 1` is `i in ..{ n - 2 }`, `i + 1` is `i in 2..`; `n` is the extent",
            ],
        ),
        (
            "d[i + 1] = u[i]",
            &[
                "i + 1: `i + 1` is not an index | write the shifted operand with the slice `i in 1..`, and all others with `i in ..{ n - 1 }`; `n` is the extent",
            ],
        ),
        (
            "[i] = u[i + m] - u[i - m]",
            &[
                "i + m: `i + m` is not an index | slices of the same length are in the place of shifts, as `i in 1..` and `i in ..{ n - 1 }`; `n` is the extent",
            ],
        ),
    ]);
}

#[test]
fn axes_by_their_numbers() {
    refused(&[
        ("[p, q] = a[p, q] - sum(a[p, q], axis = -1)", &["sum: `sum` names its labels first | write `sum(k; a[p, k])`"]),
        ("[p, q] = a[p, q] - sum(a[p, q], 1)", &["sum: `sum` names its labels first | write `sum(k; a[p, k])`"]),
        ("[p, q] = a[p, q] - sum(a[p, q], -2)", &["sum: `sum` names its labels first | write `sum(k; a[k, q])`"]),
        ("[p, q] = a[p, q] - sum(a[p, q], dim = 1)", &["sum: `sum` names its labels first | write `sum(k; a[p, k])`"]),
        (
            "[p, q] = a[p, q] - mean(exp(a[p, q]), axis = 1)",
            &["mean: `mean` names its labels first | write `mean(k; exp(a[p, k]))`"],
        ),
        (
            "[p, q] = a[p, q] - mean(a[p, q], axis = (0, 1))",
            &["mean: `mean` names its labels first | write `mean(k, l; a[k, l])`"],
        ),
        (
            "[.., p, q] = a[.., p, q] - mean(a[.., p, q], dims = -1)",
            &["mean: `mean` names its labels first | write `mean(k; a[.., p, k])`"],
        ),
        (
            "[p, q] = a[0, p, q] - mean(a[0, p, q], axis = 1)",
            &["mean: `mean` names its labels first | write `mean(k; a[0, p, k])`"],
        ),
        (
            "[p, q] = a[p, q] - mean(a[p, q] * v[p], axis = 1)",
            &["mean: `mean` names its labels first | write `mean(k; …)` with a new label `k` in the place of that axis"],
        ),
        (
            "[p, q] = a[p, q] - sum(sum(a[p, q], axis = 0), axis = 1)",
            &["sum: `sum` names its labels first | write `sum(k; …)` with a new label `k` in the place of that axis"],
        ),
        (
            "[p, q] = a[p, q] - mean(a[p, q], axis = (0, 2))",
            &["mean: `mean` names its labels first | write `mean(k, l; …)` with new labels `k`, `l` in the place of these axes"],
        ),
        (
            "[p, q] = a[p, q] - argmax(a[p, q], axis = d)",
            &["argmax: `argmax` names its label first | write `argmax(k; …)` with a new label `k` in the place of that axis"],
        ),
    ]);
}

#[test]
fn left_sides() {
    refused(&[
        (
            "c[i in [0, 2]] = v[i]",
            &[
                "[0, 2]: `[0, 2]` is not a range | elements are put at a list of positions by a choice, after `let at = Tensor::from_array([0, 2])?;`: `c[k] = sum(i; select(iota[k] == cast(at[i]); v[i], 0.0))`, which is 0 at all other positions",
            ],
        ),
        (
            "c[::2] = v[i]",
            &[
                "::2: `::2` is not an index | a slice has no step: write into a view with one, `let mut b = c.view_mut().step(0, 2)?;`, as `b[i] = …`",
            ],
        ),
        (
            "c[j, i in 0..6..2] += v[i] * w[j]",
            &[
                "0..6..2: `0..6..2` is not a range | a slice has no step: write into a view with one, `let mut b = c.view_mut().slice(1, 0..6)?.step(1, 2)?;`, as `b[j, i] = …`",
            ],
        ),
        (
            "c[::-1] = v[i]",
            &[
                "::-1: `:: - 1` is not an index | an axis is never reversed in an equation: write into a reversed view, `let mut b = c.view_mut().reverse(0)?;`, as `b[i] = …`",
            ],
        ),
        (
            "let c[i in 0..6..2] = v[i]; c",
            &["0..6..2: `0..6..2` is not a range | an axis of a new tensor is whole: its index is a label alone"],
        ),
        ("let C[i] := a[i]; C", &[":: the left side is followed by `=` | assignment is `=`: `let C[i] = a[i];`"]),
        (
            "c[idx[k]] += 1.0",
            &[
                "idx[k]: `idx[k]` is not an index | elements are put at computed positions by a choice: `c[l] += sum(k; select(iota[l] == cast(idx[k]); 1.0, 0.0))`; a position from Rust stands in braces, `{ idx[k] }`",
            ],
        ),
        (
            "let c[idx[k], j] = v[k] * 1[j] where j: 3; c",
            &[
                "idx[k]: `idx[k]` is not an index | elements are put at computed positions by a choice: `let c[l, j] = sum(k; select(iota[l] == cast(idx[k]); v[k] * 1[j], 0.0)) where j: 3, l: n;`, which is 0 at all other positions",
            ],
        ),
        (
            "c[k, idx[k]] += v[k]",
            &[
                "idx[k]: `idx[k]` is not an index | elements are put at computed positions by a choice: `c[k, l] += select(iota[l] == cast(idx[k]); v[k], 0.0)`",
            ],
        ),
        (
            "c[idx[k]] += v[p]",
            &[
                "idx[k]: `idx[k]` is not an index | elements are put at computed positions by a choice: `c[l] += sum(p, k; select(iota[l] == cast(idx[k]); v[p], 0.0))`; a position from Rust stands in braces, `{ idx[k] }`",
            ],
        ),
    ]);
}

#[test]
fn names_and_types() {
    refused(&[
        ("[i] = max_val a[i]", &["a: expected an operator, found `a` | a product is written with `*`"]),
        ("[i] = mean_field a[i]", &["a: expected an operator, found `a` | a product is written with `*`"]),
        ("[i] = min_x a[i]", &["a: expected an operator, found `a` | a product is written with `*`"]),
        (
            "[] = Σ_ij a[i, j]",
            &["a: expected an operator, found `a` | the labels of a reduction stand in front of its body: `sum(i, j; a[i, j])`"],
        ),
        (
            "[i] = sum_over_j a[i, j]",
            &["a: expected an operator, found `a` | the labels of a reduction stand in front of its body: `sum(j; a[i, j])`"],
        ),
        ("[i] = v[i] * a[0] as f64", &["as: expected an operator, found `as` | an element of another type is `cast(f64; a[0])`"]),
        ("[i] = v[i] + s[] as f64", &["as: expected an operator, found `as` | an element of another type is `cast(f64; s[])`"]),
        (
            "[i] = p.b[i] as i64",
            &[
                "as: expected an operator, found `as` | whole tensors are converted to other types before the equation: `let b = p.b.cast::<i64>()?;`",
            ],
        ),
        (
            "[i] = v[i] as usize",
            &[
                "as: expected an operator, found `as` | whole tensors are converted to other types before the equation: `let b = v.cast::<i64>()?;`",
            ],
        ),
        (
            "[i] = exp(v[i]).unwrap() * v[i]",
            &[
                ".unwrap: `.unwrap` cannot follow an operand | leave it out: elements are numbers; a call that returns a `Result` is unwrapped before the indices, `(A.unwrap())[i, j]`",
            ],
        ),
        (
            "[i] = A[i] * sum(i; map(|x| x * w[i]; A[i]) * cast(f64; A[i]))",
            &[
                "i: index `i` is bound by `sum` here, but also used outside of it | give the bound index another name: `sum(k; map(|x| x * w[i]; A[k]) * cast(f64; A[k]))`",
            ],
        ),
        (
            "[i] = sum(map(|x| x * w[n]; A[i, j]))",
            &["sum: `sum` names its labels first | write `sum(j; map(|x| x * w[n]; A[i, j]))`"],
        ),
        (
            "[i] = ||a[i]| - b[i]|",
            &["|: expected an operand, found `|` | an absolute value is `abs(A[i])`, and one in another `abs(abs(A[i]) - B[i])`"],
        ),
        ("[] = ||a[i]||", &["|: expected an operand, found `|` | a norm is `norm(a[i])`, alone on the right side"]),
    ]);
}

#[test]
fn steps() {
    refused(&[
        (
            "[i] = v[1:-1:2]",
            &[
                "1:-1:2: `1: - 1:2` is not an index | a slice has no step: a view with one is made before the equation, `let b = v.view().slice(0, 1..n - 1)?.step(0, 2)?;`, and the equation reads `b[i]`; `n` is the extent; `1:-1:2` is read as start, end and step",
            ],
        ),
        (
            "[i] = v[1:2:end]",
            &[
                "1:2:end: `1:2:end` is not an index | a slice has no step: a view with one is made before the equation, `let b = v.view().step(0, 2)?;`, and the equation reads `b[i]`",
            ],
        ),
        (
            "[i] = v[2:3:end]",
            &[
                "2:3:end: `2:3:end` is not an index | a slice has no step: a view with one is made before the equation, `let b = v.view().slice(0, 1..)?.step(0, 3)?;`, and the equation reads `b[i]`",
            ],
        ),
        (
            "[i] = v[::-2]",
            &[
                "::-2: `:: - 2` is not an index | a slice has no step: a reversed view with one is made before the equation, `let b = v.view().reverse(0)?.step(0, 2)?;`, and the equation reads `b[i]`",
            ],
        ),
        (
            "[i] = v[end:-1:1]",
            &[
                "end:-1:1: `end: - 1:1` is not an index | an axis is reversed before the equation, `let b = v.view().reverse(0)?;`, and the equation reads `b[i]`",
            ],
        ),
    ]);
}

/// The equations to which the helps lead.
#[test]
fn what_helps_lead_to() {
    for text in [
        "[k, j] = sum(l; select(iota[l] == cast(idx[k]); a[l, j], 0.0))",
        "c[k] = sum(i; select(iota[k] == cast(at[i]); v[i], 0.0))",
        "c[l] += sum(k; select(iota[l] == cast(idx[k]); 1.0, 0.0))",
        "c[k, l] += select(iota[l] == cast(idx[k]); v[k], 0.0)",
        "[i] = v[i] * cast(f64; a[0])",
        "[i] = u[i in 2..] - 2.0 * u[i in 1..{ n - 1 }] + u[i in ..{ n - 2 }]",
        "d[i in 1..{ m - 1 }] = (u[i in 2..] - u[i in ..{ m - 2 }]) / n",
        "[p, q] = a[p, q] - mean(k; a[p, k]) * 1[q]",
    ] {
        assert_eq!(checked(text).map(|_| ()), Ok(()), "`{text}`");
        assert_eq!(warnings(text), [""; 0], "`{text}`");
    }
}
