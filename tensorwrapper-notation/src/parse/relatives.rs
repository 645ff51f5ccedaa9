//! Tests of helps for mistakes that resemble each other: choices, functions, reductions and gradients.

use crate::testing::refused;

#[test]
fn choices() {
    refused(&[
        ("[i] = v[i].clamp(-2.0, 3.0)", &[".clamp: `.clamp` cannot follow an index | write `clip(v[i], -2.0, 3.0)`"]),
        ("[i] = 2.0 * v[i].clip(0.0, 1.0)", &[".clip: `.clip` cannot follow an index | write `clip(v[i], 0.0, 1.0)`"]),
        (
            "[i] = clip(v[i]; 0.0, 1.0)",
            &["clip: `clip` takes three arguments, X and its bounds, but 2 are given | write `clip(v[i], 0.0, 1.0)`"],
        ),
        (
            "[i] = clip(v[i], 0.0..1.0)",
            &["clip: `clip` takes three arguments, X and its bounds, but 2 are given | write `clip(v[i], 0.0, 1.0)`"],
        ),
        (
            "[i] = clip(v[i], lower = 0.0, upper = 1.0)",
            &["clip: the bounds of `clip` have no names: the lower one stands first | write `clip(v[i], 0.0, 1.0)`"],
        ),
        (
            "[i] = !m[i] ? a[i] : b[i]",
            &["?: expected an operator, found `?` | a choice for each element is `select(!m[i]; a[i], b[i])`"],
        ),
        (
            "[i] = m[i] && !k[i] ? a[i] : b[i]",
            &["?: expected an operator, found `?` | a choice for each element is `select(m[i] && !k[i]; a[i], b[i])`"],
        ),
        (
            "[i] = 2.0 * (!m[i] ? a[i] : b[i])",
            &[
                "!: expected an operand such as `A[i, j]`, a number, a function or `(`, found `!` | a choice for each element is `select(!m[i]; a[i], b[i])`",
            ],
        ),
        (
            "[i] = if v[i] > 0.0 { v[i] } else if v[i] < -1.0 { w[i] } else { 0.0 }",
            &[
                "if: `if …` is a Rust expression, and those stand in braces | `{ if … }` is one number; a choice for each element is `select(A[i] > 0.0; A[i], 0.0)`",
            ],
        ),
        (
            "[i] = if m[i] { let x = 2.0; x } else { w[i] }",
            &[
                "if: `if …` is a Rust expression, and those stand in braces | `{ if … }` is one number; a choice for each element is `select(A[i] > 0.0; A[i], 0.0)`",
            ],
        ),
        (
            "[i] = if m[i] { v[i] } else { w[i] }",
            &[
                "if: `if …` is a Rust expression, and those stand in braces | `{ if … }` is one number; a choice for each element is `select(m[i]; v[i], w[i])`",
            ],
        ),
        (
            "[i] = if let Some(x) = m[i] { v[i] } else { w[i] }",
            &[
                "if: `if …` is a Rust expression, and those stand in braces | `{ if … }` is one number; a choice for each element is `select(A[i] > 0.0; A[i], 0.0)`",
            ],
        ),
        (
            "[i] = x + mask[i] ? a[i] : b[i]",
            &["?: expected an operator, found `?` | a choice for each element is `select(A[i] > 0.0; A[i], 0.0)`"],
        ),
        (
            "[i] = v[i] > 0.0 ? { x } : b[i]",
            &["?: expected an operator, found `?` | a choice for each element is `select(v[i] > 0.0; { x }, b[i])`"],
        ),
        (
            "[i] = clamp(v[i], min = 0.0)",
            &["clamp: `clamp` is not a function of tensor equations | a lower bound alone is `select(v[i] < 0.0; 0.0, v[i])`"],
        ),
        (
            "[i] = clamp(v[i], max = 2.0)",
            &["clamp: `clamp` is not a function of tensor equations | an upper bound alone is `select(v[i] > 2.0; 2.0, v[i])`"],
        ),
        (
            "[i] = clip(v[i] * 2.0, min = 0.0)",
            &[
                "clip: `clip` takes three arguments, X and its bounds, but 2 are given | a lower bound alone is `select(v[i] * 2.0 < 0.0; 0.0, v[i] * 2.0)`",
            ],
        ),
        (
            "[i] = clip(v[i], a_min = 0.0, a_max = 2.0)",
            &["clip: the bounds of `clip` have no names: the lower one stands first | write `clip(v[i], 0.0, 2.0)`"],
        ),
        (
            "[i] = clamp(v[i], max = 2.0, min = 0.0)",
            &["clamp: `clamp` is not a function of tensor equations | write `clip(v[i], 0.0, 2.0)`"],
        ),
    ]);
}

#[test]
fn functions() {
    refused(&[
        (
            "[i] = map(f, |x| 2.0*x, a[i])",
            &["map: the functions of `map` and its arguments have `;` between them | write `map(f, |x| 2.0 * x; a[i])`"],
        ),
        (
            "[i] = map(|x| x * x, |x| 2.0*x, a[i])",
            &["map: the functions of `map` and its arguments have `;` between them | write `map(|x| x * x, |x| 2.0 * x; a[i])`"],
        ),
        (
            "[i] = map(|x| x * x, a[i])",
            &["map: the functions of `map` and its arguments have `;` between them | write `map(|x| x * x; a[i])`"],
        ),
        (
            "[i] = map(|x, y| x * y, a[i], b[i])",
            &["map: the functions of `map` and its arguments have `;` between them | write `map(|x, y| x * y; a[i], b[i])`"],
        ),
        ("[i] = map(v[i], |x| x * 2.0)", &["map: `map` names its function first | write `map(|x| x * 2.0; v[i])`"]),
        (
            "[i] = map(v[i], |x| x * x, |x| 2.0 * x)",
            &["map: `map` names its function first | write `map(|x| x * x, |x| 2.0 * x; v[i])`"],
        ),
        (
            "[i] = map(f, a[i], b[i])",
            &["map: the function of `map` and its arguments have `;` between them | write `map(f; a[i], b[i])`"],
        ),
        (
            "[i] = map(f, |x| 2.0)",
            &["map: the functions of `map` and its arguments have `;` between them | write `map(f, |x| 2.0; X)`"],
        ),
        ("[i] = map(|x| x)", &["map: the functions of `map` and its arguments have `;` between them | write `map(|x| x; X)`"]),
        ("[i] = map(a[i])", &["map: `map` names its function first | write `map(f; a[i])`"]),
        ("[i] = map(a[i], f)", &["map: `map` names its function first | write `map(f; a[i])`"]),
        (
            "[i] = w[i] * complex(a[i], b[i])",
            &[
                "complex: `complex` is not a function of tensor equations | complex elements of two parts are `(cast(Complex<f64>; a[i]) + { Complex::new(0.0, 1.0) } * cast(Complex<f64>; b[i]))`",
            ],
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
    ]);
}

#[test]
fn reductions() {
    refused(&[
        (
            "[i] = min(v[i], w[i], 1.0)",
            &[
                "min: `min` reduces over a label | write `min(k; X)`, or of two elements `select(v[i] < w[i]; v[i], w[i])`, which is compared with the next one likewise",
            ],
        ),
        (
            "[i] = min(v[i], alpha)",
            &["min: `min` reduces over a label | write `min(k; X)`, or of two elements `select(v[i] < alpha; v[i], alpha)`"],
        ),
        ("[] = min(v[i], i)", &["min: `min` names its labels first | write `min(i; v[i])`"]),
        (
            "[i] = mean(j < 2; a[i, j])",
            &[
                "mean: `mean` names labels, and a condition chooses among elements | a part of an axis is a slice: `mean(j; a[i, j in ..2])`",
            ],
        ),
        (
            "[i] = mean(i < j; a[i, j])",
            &[
                "mean: `mean` names labels, and a condition chooses among elements | a part of an axis is a slice, as in `mean(k; A[k in ..3])`",
            ],
        ),
        (
            "[] = sum(i; any(m[i, j]) * w[i])",
            &[
                "any: `any` is not a function of tensor equations | of truth values this is `max(j; select(m[i, j]; 1.0, 0.0))`, as 1 or 0; if the elements are numbers, `max(j; select(m[i, j] != 0.0; 1.0, 0.0))` is 1 where one is not 0",
            ],
        ),
        (
            "[i] = sum(j; any(m[i, j]) * w[j])",
            &[
                "any: `any` is not a function of tensor equations | of truth values this is `max(k, l; select(m[k, l]; 1.0, 0.0))`, as 1 or 0; if the elements are numbers, `max(k, l; select(m[k, l] != 0.0; 1.0, 0.0))` is 1 where one is not 0",
            ],
        ),
        (
            "[] = sum(i; count_nonzero(a[i, j]) * w[i])",
            &[
                "count_nonzero: `count_nonzero` is not a function of tensor equations | truth values that hold are counted by `sum(j; select(a[i, j]; 1.0, 0.0))`, and numbers other than 0 by `sum(j; select(a[i, j] != 0.0; 1.0, 0.0))`",
            ],
        ),
        (
            "[i] = any(m[i] & k[i])",
            &["any: `any` is not a function of tensor equations | as 1 or 0 this is `max(l; select(m[l] && k[l]; 1.0, 0.0))`"],
        ),
        (
            "[] = any(m[i] & ~k[i])",
            &["any: `any` is not a function of tensor equations | as 1 or 0 this is `max(i; select(m[i] && !k[i]; 1.0, 0.0))`"],
        ),
        (
            "[i] = sum(0; a[i, j])",
            &["sum: `sum` names its labels first | write `sum(i; a[i, j])`, whose value has the indices `[j]`"],
        ),
        ("[i] = sum(1; a[i, j])", &["sum: `sum` names its labels first | write `sum(j; a[i, j])`"]),
        ("[j] = sum(0; a[i, j])", &["sum: `sum` names its labels first | write `sum(i; a[i, j])`"]),
        (
            "[i] = mean(0; a[i, j]) * b[i]",
            &["mean: `mean` names its labels first | write `mean(i; a[i, j])`, whose value has the indices `[j]`"],
        ),
        ("[i] = sum(0; a[i, j] * b[j, i])", &["sum: `sum` names its labels first | write `sum(i; a[i, j] * b[j, i])`"]),
        (
            "[k] = v[k] / max(v[..])",
            &[
                "max: `..` stands for axes that are kept, and `max` names what it runs over | each of these axes has a label, here of two: `max(l, m; v[l, m])`",
            ],
        ),
        (
            "[k] = v[k] / sum(..; v[..])",
            &[
                "sum: `..` stands for axes that are kept, and `sum` names what it runs over | each of these axes has a label, here of two: `sum(l, m; v[l, m])`",
            ],
        ),
    ]);
}

#[test]
fn gradients() {
    refused(&[
        (
            "let g = grad(s, a); g",
            &[
                "grad: `grad` names what is differentiated, a `;`, and the variables | write `let g[k, l] = grad(s; a[k, l]);`, with an index for each axis of `a`",
            ],
        ),
        (
            "let g = 2.0 * grad(s, a); g",
            &[
                "grad: `grad` names what is differentiated, a `;`, and the variables | write `grad(s; a[k, l])`, with an index for each axis of `a`",
            ],
        ),
        (
            "let g = grad(s, self.a); g",
            &[
                "grad: `grad` names what is differentiated, a `;`, and the variables | write `let g[k, l] = grad(s; self.a[k, l]);`, with an index for each axis of `self.a`",
            ],
        ),
        (
            "[i, j] = 2.0 * grad(l, a, b[i, j])",
            &[
                "grad: `grad` names what is differentiated, a `;`, and the variables | derivatives by several tensors are results of an equation of their own, `let (g[i], h[j]) = grad(L; x[i], y[j]);`",
            ],
        ),
        (
            "([i, j], [k]) = grad(l, a, b)",
            &[
                "grad: `grad` names what is differentiated, a `;`, and the variables | write `grad(l; a[i, j], b[k])`, with an index for each axis of `a`, `b`",
            ],
        ),
        (
            "[] = sum(i, j; grad(l, a[i, j]) * b[i, j])",
            &["grad: `grad` names what is differentiated, a `;`, and the variables | write `grad(l; a[i, j])`"],
        ),
        (
            "[i, j] = grad(l, a)",
            &[
                "grad: `grad` names what is differentiated, a `;`, and the variables | write `grad(l; a[i, j])`, with an index for each axis of `a`",
            ],
        ),
    ]);
}
