//! Tests of what stands in the parentheses of linear algebra: options, as other libraries write them, and matrices.

use crate::testing::refused;

#[test]
fn options_of_other_libraries() {
    refused(&[
        (
            "([i, r], [r], [r, j]) = svd(a[i, j], max = 3,, k = 2)",
            &["max: `max` is an option, and options stand behind a `;` | write `; max = 3` in place of the `,`"],
        ),
        (
            "([i, r], [r], [r, j]) = svd(a[i, j], max = 3,,)",
            &["max: `max` is an option, and options stand behind a `;` | write `; max = 3` in place of the `,`"],
        ),
        (
            "([i, r], [r], [r, j]) = svd(a[i, j]; max = 3,,)",
            &["svd(a[i, j]; max = 3,,): behind the last `;` stand words such as `max = 64`, `tol = 1e-10` and `full`"],
        ),
        ("([i, r], [r], [r, j]) = svd(a[i,j]; max: 2)", &[":: expected `=` or `,` after `max` | write `max = 2`"]),
        ("([i, r], [r], [r, j]) = svd(a[i,j]; max 2)", &["2: expected `=` or `,` after `max` | write `max = 2`"]),
        (
            "([i, r], [r], [r, j]) = svd(a[i,j]; maxdim: 2)",
            &["maxdim: `maxdim` is not a word of linear algebra | write `max = 2`"],
        ),
        (
            "([n], [p, n]) = eigh(s[p,q]; s[p,q])",
            &["s[p,q]: the matrices of `eigh` have `,` between them | write `eigh(s[p, q], s[p, q])`"],
        ),
        (
            "([n], [p, n]) = eigh(s[p,q]; m[p,q]; broaden = 1e-8)",
            &["m[p,q]: the matrices of `eigh` have `,` between them | write `eigh(s[p, q], m[p, q])`"],
        ),
        (
            "([n], [p, n]) = eigh(p, q; s[p,q]; m[p,q])",
            &["m[p,q]: the matrices of `eigh` have `,` between them | write `eigh(p, q; s[p, q], m[p, q])`"],
        ),
        (
            "[k, l] = solve(a[i,k]; b[i,l])",
            &["b[i,l]: the matrices of `solve` have `,` between them | write `solve(a[i, k], b[i, l])`"],
        ),
        (
            "([i, r], [r], [r, j]) = svd(a[i,j]; b[i, j])",
            &["b[i, j]: `svd` has one matrix, and here is a second one | write `([i, r], [r], [r, j]) = svd(A[i, j])`"],
        ),
        (
            "([i, r], [r, j]) = qr(a[i,j], mode = \"full\")",
            &["mode: `mode` is an option, and options stand behind a `;` | write `; full` in place of the `,`"],
        ),
        (
            "([i, r], [r, j]) = qr(a[i,j], mode = 'complete')",
            &["mode: `mode` is an option, and options stand behind a `;` | write `; full` in place of the `,`"],
        ),
        (
            "([i, r], [r, j]) = qr(a[i,j], mode = \"reduced\")",
            &["mode = \"reduced\": `qr` does that by itself | leave it out, and the `,` before it"],
        ),
        (
            "([i, r], [r, j]) = qr(a[i,j], mode = \"r\")",
            &["mode: `mode` is not a word of linear algebra | the option of `qr` is `full`, behind a `;`"],
        ),
        (
            "([i, r], [r], [r, j]) = svd(a[i,j], full_matrices = False)",
            &["full_matrices = False: `svd` does that by itself | leave it out, and the `,` before it"],
        ),
        (
            "([i, r], [r], [r, j]) = svd(a[i,j], full_matrices=False, k = 3)",
            &[
                "full_matrices: `full_matrices` is an option, and options stand behind a `;` | write `; max = 3` in place of the `,`",
            ],
        ),
        (
            "([i, r], [r], [r, j]) = svd(a[i,j]; full_matrices=True)",
            &["full_matrices: `full_matrices` is not a word of linear algebra | write `full`"],
        ),
        (
            "([i, r], [r], [r, j]) = svd(a[i,j], full_matrices=True)",
            &["full_matrices: `full_matrices` is an option, and options stand behind a `;` | write `; full` in place of the `,`"],
        ),
        (
            "([i, r], [r], [r, j]) = svd(a[i,j], full)",
            &["full: `full` is an option, and options stand behind a `;` | write `; full` in place of the `,`"],
        ),
        (
            "([n], [p, n]) = eigh(s[p,q], uplo = \"U\")",
            &["uplo: `uplo` is not a word of linear algebra | the option of `eigh` is `broaden = 1e-8`, behind a `;`"],
        ),
        (
            "([n], [p, n]) = eigh(s[p,q], UPLO = \"L\")",
            &["UPLO = \"L\": `eigh` does that by itself | leave it out, and the `,` before it"],
        ),
        (
            "([n], [p, n]) = eigh(s[p,q], subset = (0, 3))",
            &["subset: `subset` is not a word of linear algebra | the option of `eigh` is `broaden = 1e-8`, behind a `;`"],
        ),
        (
            "[] = norm(a[i, j], ord = 2)",
            &[
                "2: `norm` is the root of the sum of all squares, and has no order | the largest singular value of a matrix is the first one of `([i, r], [r], [r, j]) = svd(A[i, j])`",
            ],
        ),
        (
            "[j, i] = pinv(a[i, j], hermitian = true)",
            &["hermitian: `hermitian` is not a word of linear algebra | the option of `pinv` is `tol = 1e-10`, behind a `;`"],
        ),
        (
            "[j, i] = pinv(a[i, j], rcond = 1e-8)",
            &["rcond: `rcond` is an option, and options stand behind a `;` | write `; tol = 1e-8` in place of the `,`"],
        ),
        ("([i, r], [r, j]) = qr(a[i,j]; mode = \"full\")", &["mode: `mode` is not a word of linear algebra | write `full`"]),
        ("([i, r], [r, j]) = qr(a[i,j]; full = true)", &["true: `full` stands alone, without `= true` | write `full`"]),
        (
            "([i, r], [r, j]) = qr(a[i,j]; full = false)",
            &["false: `full` stands alone, without `= false` | leave `full` out, and the `;` before it"],
        ),
        (
            "[i, r] = cholesky(a[i,j], lower = true)",
            &["lower = true: `cholesky` does that by itself | leave it out, and the `,` before it"],
        ),
        (
            "[k, j] = triangular_solve(a[i,k], b[i,j], lower = True)",
            &["lower = True: `triangular_solve` does that by itself | leave it out, and the `,` before it"],
        ),
        (
            "[k, j] = triangular_solve(a[i,k], b[i,j], lower = False)",
            &["lower: `lower` is an option, and options stand behind a `;` | write `; upper` in place of the `,`"],
        ),
        (
            "[k, j] = triangular_solve(a[i,k], b[i,j]; lower)",
            &[
                "lower: `lower` is not a word of linear algebra | the options of `triangular_solve` are `upper` and `unit`, behind a `;`",
            ],
        ),
        (
            "[k, j] = triangular_solve(a[i,k], b[i,j], unit_diagonal = True)",
            &["unit_diagonal: `unit_diagonal` is an option, and options stand behind a `;` | write `; unit` in place of the `,`"],
        ),
        (
            "let (q[i, r], s[r, j]) = qr(a[i,j], mode = \"full\"); q",
            &["mode: `mode` is an option, and options stand behind a `;` | write `; full` in place of the `,`"],
        ),
        (
            "([n], [p, n]) = eigh(s[p,q], tol = 1e-8)",
            &["tol: `eigh` has no word `tol` | the option of `eigh` is `broaden = 1e-8`, behind a `;`"],
        ),
        (
            "([n], [p, n]) = eigh(s[p,q]; tol: 1e-8)",
            &["tol: `eigh` has no word `tol` | the option of `eigh` is `broaden = 1e-8`, behind a `;`"],
        ),
        (
            "([i, r], [r], [r, j]) = svd(a[i,j], max)",
            &["max: `max` is an option, and options stand behind a `;` | write `; max = 64` in place of the `,`"],
        ),
        (
            "([i, r], [r], [r, j]) = svd(a[i,j]; maximum = 3)",
            &[
                "maximum: `maximum` is not a word of linear algebra | the options of `svd` are `max = 64`, `tol = 1e-10`, `full` and `broaden = 1e-8`, behind a `;`",
            ],
        ),
    ]);
}

#[test]
fn orders_and_segments() {
    refused(&[
        (
            "[] = norm(v[i], 1)",
            &["1: `norm` is the root of the sum of all squares, and has no order | the norm of order 1 is `sum(i; abs(v[i]))`"],
        ),
        (
            "[] = norm(a[i, j], 2)",
            &[
                "2: `norm` is the root of the sum of all squares, and has no order | the largest singular value of a matrix is the first one of `([i, r], [r], [r, j]) = svd(A[i, j])`",
            ],
        ),
        (
            "([i, r], [r], [r, j]) = svd(a[i, j]; tol = 1e-10; max = 3)",
            &["max = 3: options have `,` between them, behind one `;` | write `; tol = 1e-10, max = 3`"],
        ),
        (
            "([i, r], [r], [r, j]) = svd(a[i, j]; tol = 1e-10 max = 3)",
            &["max = 3: options have `,` between them, behind one `;` | write `; tol = 1e-10, max = 3`"],
        ),
        (
            "[] = norm(v[i], \"inf\")",
            &[
                "\"inf\": `norm` is the root of the sum of all squares, and has no order | the norm of infinite order is `max(i; abs(v[i]))`",
            ],
        ),
        (
            "[] = norm(a[i, j], ord = \"fro\")",
            &["\"fro\": `norm` is the root of the sum of all squares, and has no order | write `norm(a[i, j])`"],
        ),
        (
            "[] = norm(v[i], p = 3)",
            &[
                "3: `norm` is the root of the sum of all squares, and has no order | `norm(v[i])` has order 2, and `sum(i; abs(v[i]))` is the norm of order 1",
            ],
        ),
    ]);
}
