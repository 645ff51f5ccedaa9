//! Tests of signs between conditions and equations, of indices behind calls, and of statements of Rust.

use crate::testing::refused;

#[test]
fn conditions_and_equations() {
    refused(&[
        (
            "[i, j] = mask[i, j] & mask[j, i]",
            &["&: expected an operator, found `&` | conditions are joined by `&&`: `mask[i, j] && mask[j, i]`"],
        ),
        (
            "[i, j] = mask[i, j] | !mask[j, i] & m[i, j]",
            &["|: expected an operator, found `|` | conditions are joined by `||`: `mask[i, j] || !mask[j, i] && m[i, j]`"],
        ),
        (
            "[i, j] = mask[i, j] & ~mask[j, i]",
            &["&: expected an operator, found `&` | conditions are joined by `&&`: `mask[i, j] && !mask[j, i]`"],
        ),
        (
            "[i, j] = (a[i, j] > 0.0) & (a[j, i] > 0.0)",
            &["&: expected an operator, found `&` | conditions are joined by `&&`: `(a[i, j] > 0.0) && (a[j, i] > 0.0)`"],
        ),
        (
            "let m[i] = self.a[i] > 0.0 & b[i] where i: 3; m",
            &["&: expected an operator, found `&` | conditions are joined by `&&`: `self.a[i] > 0.0 && b[i]`"],
        ),
        ("[i] = 2.0 * a[i] |b[i]|", &["|: expected an operator, found `|` | the operators are `+`, `-`, `*` and `/`"]),
        ("[i] = a[i] & 3", &["&: expected an operator, found `&` | the operators are `+`, `-`, `*` and `/`"]),
        (
            "[i] = sum(j; m[i, j] & k[i, j])",
            &[
                "&: expected an operator, found `&` | conditions are joined by `&&`, and stand in a choice: `select(m[i, j] && k[i, j]; 1.0, 0.0)`",
            ],
        ),
        (
            "c[i, j] += a[j, i], c[i, j] += b[i, j]",
            &[",: expected an operator, found `,` | equations have `;` between them: `c[i, j] += a[j, i]; c[i, j] += b[i, j]`"],
        ),
        (
            "c[i, j] = a[j, i], d.c[i, j] = b[i, j], e[] = a[i, i]",
            &[
                ",: expected an operator, found `,` | equations have `;` between them: `c[i, j] = a[j, i]; d.c[i, j] = b[i, j]; e[] = a[i, i]`",
            ],
        ),
        (
            "[i] = a[i], [j] = x[j]",
            &[",: expected an operator, found `,` | equations have `;` between them: `let y[i] = a[i]; let z[j] = x[j]; (y, z)`"],
        ),
        (
            "let x[i] = a[i], y[i] = b[i]; (x, y)",
            &[",: expected an operator, found `,` | equations have `;` between them: `let x[i] = a[i]; let y[i] = b[i];`"],
        ),
        (
            "let x[i] = a[i], let y[i] = b[i]; (x, y)",
            &[",: expected an operator, found `,` | equations have `;` between them: `let x[i] = a[i]; let y[i] = b[i];`"],
        ),
        (
            "[i] = a[i], b[i] == c[i]",
            &[",: expected an operator, found `,` | an equation has one right side, and equations have `;` between them"],
        ),
    ]);
}

#[test]
fn indices_behind_calls() {
    refused(&[
        (
            "[i, j] = conj(z)[j, i]",
            &[
                "[j, i]: expected an operator, found `[j, i]` | indices stand on the tensors inside of the parentheses: `conj(z[j, i])`",
            ],
        ),
        (
            "[i, j] = b[i, k] * conj(self.z)[j, k]",
            &[
                "[j, k]: expected an operator, found `[j, k]` | indices stand on the tensors inside of the parentheses: `conj(self.z[j, k])`",
            ],
        ),
        (
            "[i, j] = exp(2.0 * z)[j, i]",
            &[
                "[j, i]: expected an operator, found `[j, i]` | indices stand on the tensors inside of the parentheses, as in `sqrt(A[j, i])`",
            ],
        ),
        (
            "[i, j] = map(f; z)[j, i]",
            &[
                "[j, i]: expected an operator, found `[j, i]` | indices stand on the tensors inside of the parentheses, as in `sqrt(A[j, i])`",
            ],
        ),
    ]);
}

#[test]
fn statements_of_rust() {
    refused(&[
        (
            "let x[i] = v[i]; println!(\"{x}\"); x",
            &[
                "println: `println!` is a statement, and here stand equations | a statement of Rust stands outside of the macro, before it or behind it",
            ],
        ),
        (
            "let x[i] = v[i]; { println!(\"{x}\") }; x",
            &[
                "println: `println!` is a statement, and here stand equations | a statement of Rust stands outside of the macro, before it or behind it",
            ],
        ),
        (
            "let x[i] = v[i]; print(x); x",
            &[
                "print: `print` is a statement, and here stand equations | a statement of Rust stands outside of the macro, before it or behind it",
            ],
        ),
        (
            "let x[i] = v[i]; dbg!(x)",
            &[
                "dbg: `dbg!` is a statement, and here stand equations | a statement of Rust stands outside of the macro, before it or behind it",
            ],
        ),
        (
            "let x[i] = v[i]; { assert!(n > 2); }; x",
            &[
                "assert: `assert!` is a statement, and here stand equations | a statement of Rust stands outside of the macro, before it or behind it",
            ],
        ),
    ]);
}
