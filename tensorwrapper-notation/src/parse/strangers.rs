//! Tests of what people write who know other languages: Mathematica, Fortran, Julia, Python.

use crate::testing::refused;

#[test]
fn functions_by_other_names() {
    refused(&[
        ("[i] = Sin[v[i]]", &["Sin: `sin` is a function, and its argument stands in parentheses | write `sin(v[i])`"]),
        ("[i] = Exp[-v[i]]", &["Exp: `exp` is a function, and its argument stands in parentheses | write `exp(-v[i])`"]),
        ("[i] = Sin(v[i])", &["Sin: `Sin` is not a function of tensor equations | a function of a similar name is `sin`"]),
        ("[] = SUM(v[i])", &["SUM: `SUM` is not a function of tensor equations | a function of a similar name is `sum`"]),
        ("[] = Tr(A[i, j])", &["Tr: `Tr` is not a function of tensor equations | a trace is a repeated index: `A[i, i]`"]),
        ("[i, j] = T(i, j)", &["T: `T` is not a function of tensor equations | indices stand in brackets: `T[i, j]`"]),
        (
            "[i, j, a, b] = P(i, j) * t[i, j, a, b]",
            &[
                "P: `P` is not a function of tensor equations | indices stand in brackets: `P[i, j]`; X minus X with `i` and `j` exchanged is `asym(i, j; X)`",
            ],
        ),
        (
            "[i] = ifelse(v[i] > 0, v[i], 0)",
            &[
                "ifelse: `ifelse` is not a function of tensor equations | a choice for each element is `select(v[i] > 0; v[i], 0)`",
            ],
        ),
        (
            "[i] = merge(v[i], w[i], m[i])",
            &[
                "merge: `merge` is not a function of tensor equations | a choice for each element is `select(m[i]; X, Y)`, with the condition first",
            ],
        ),
        (
            "([n], [p, n]) = Eigensystem(F[p, q])",
            &[
                "Eigensystem: `Eigensystem` is not a function of tensor equations | eigenvalues and eigenvectors are `([n], [p, n]) = eigh(A[p, q])` of a Hermitian matrix, and those of any other are given by `eig`",
            ],
        ),
        (
            "[i, j] = antisymmetrize(i, j; A[i, j])",
            &[
                "antisymmetrize: `antisymmetrize` is not a function of tensor equations | X minus X with two labels exchanged is `asym(i, j; X)`, without a factor: the antisymmetric part is half of it",
            ],
        ),
        (
            "[i, j] = own(i, j; A[i, j])",
            &[
                "own: `own` is not a function of tensor equations | functions of elements are `exp`, `ln`, `sqrt`, `abs`, `sin`, `cos`, `tan`, `tanh`, `recip`, `conj`, `re`, `im`, `powi`, `powf`, `clip` and `select`; what needs whole tensors is called before the equation",
            ],
        ),
        (
            "[i] = linspace(0, 1, n)",
            &[
                "linspace: `linspace` is not a function of tensor equations | equally spaced points are made before the equation: `let x = Tensor::<f64, _>::linspace(0.0, 1.0, n)?;`",
            ],
        ),
        (
            "[] = maxval(v[i])",
            &["maxval: `maxval` is not a function of tensor equations | a maximum over an index is `max(k; X)`"],
        ),
        (
            "[] = dot_product(v[i], w[i])",
            &[
                "dot_product: `dot_product` is not a function of tensor equations | a contraction is a product with a common index: `A[i, k] * B[k, j]`",
            ],
        ),
        (
            "[i, j] = hadamard(A[i, j], B[i, j])",
            &[
                "hadamard: `hadamard` is not a function of tensor equations | a product of elements is a product with the same indices: `A[i, j] * B[i, j]`",
            ],
        ),
    ]);
}

#[test]
fn modules_methods_and_conditions() {
    refused(&[
        (
            "[i] = np.where(v[i] > 0.0, v[i], 0.0)",
            &[
                "np.where: `np.where` is no function of tensor equations | a choice for each element is `select(v[i] > 0.0; v[i], 0.0)`",
            ],
        ),
        (
            "[i] = np.sum(a[i, j], axis=1)",
            &[
                "np.sum: `np.sum` is no function of tensor equations | functions stand in no module, and a reduction names its labels: `sum(k; X)`",
            ],
        ),
        (
            "([i, r], [r], [r, j]) = np.linalg.svd(A[i, j])",
            &["np.linalg.svd: `np.linalg.svd` is no function of tensor equations | functions stand in no module: `svd(A[i, j])`"],
        ),
        (
            "[i, j] = np.einsum(\"ik,kj->ij\", A, B)",
            &[
                "np.einsum: `np.einsum` is no function of tensor equations | a contraction is a product with a common index: `A[i, k] * B[k, j]`",
            ],
        ),
        (
            "[i] = np.clip(v[i], 0.0, 1.0)",
            &["np.clip: `np.clip` is no function of tensor equations | functions stand in no module: `clip(v[i], 0.0, 1.0)`"],
        ),
        ("[i] = n[i].cast()", &[".cast: `.cast` cannot follow an index | write `cast(…)` around it"]),
        (
            "[] = v[i] . w[i]",
            &[
                ". w: `.w` cannot follow an index | the field of an element of a collection is indexed as `(v[i].w)[i]`; a product is written with `*`: `v[i] * w[i]`",
            ],
        ),
        (
            "[i, j] = layers[n].w[i, j]",
            &[
                ".w: `.w` cannot follow an index | the field of an element of a collection is indexed as `(layers[n].w)[i, j]`; a product is written with `*`: `layers[n] * w[i, j]`",
            ],
        ),
        (
            "[i] = select(v[i].is_nan(); 0.0, v[i])",
            &[
                ".is_nan: `.is_nan` cannot follow an index | elements that are NaN are those for which the condition `X != X` holds",
            ],
        ),
        ("[i] = select(v[i].abs() > 0.0; 0.0, v[i])", &[".abs: `.abs` cannot follow an index | write `abs(…)` around it"]),
        (
            "[i] = select(v[i] > 0 and w[i] > 0; v[i], 0.0)",
            &["and: expected `&&`, `||` or `;`, found `and` | conditions are joined by `&&` and `||`, and negated by `!`"],
        ),
        (
            "[i] = select(not m[i]; v[i], 0.0)",
            &["not: a condition is a comparison, and here is none | conditions are joined by `&&` and `||`, and negated by `!`"],
        ),
        ("[i] = select(v[i] === 0; v[i], 0.0)", &["=: `===` does not compare | equal elements are found by `==`"]),
    ]);
}

#[test]
fn contexts_and_words() {
    refused(&[
        (
            "in Graph::new(); let x[i] = v[i]; x",
            &[
                "Graph: a block borrows its context | a graph is made before the macro, by `let graph = …;`, and named here: `in &graph;`",
            ],
        ),
        ("in &mut graph; let x[i] = v[i]; x", &["&: a context is borrowed without `mut` | write `in &graph;`"]),
        ("in Context::cuda(0)?; let x[i] = v[i]; x", &["Context: a block borrows its context | write `in &Context::cuda(0)?;`"]),
        ("in Context::cpu(); let x[i] = v[i]; x", &["Context: a block borrows its context | write `in &Context::cpu();`"]),
        ("let x[i] = v[i]; let", &["let: expected a name such as `W[i, j]`, but nothing follows"]),
    ]);
}

#[test]
fn upper_and_lower_indices() {
    refused(&[
        (
            "[i] = v[i = 1..3]",
            &["i = 1..3: `i = 1..3` is not an index | a slice has `in` between its label and its range: `i in 1..3`"],
        ),
        ("[i] = A[i..]", &["i..: `i..` is not an index | a slice has a label: `k in i..`"]),
        (
            "[i, j] = A[-i, k] * B[-k, j]",
            &[
                "-i: `-i` is not an index | a label stands without a sign, `i`: upper and lower indices are alike; the position `i` from the end of an axis of extent `n` is `{ n - i }`",
            ],
        ),
        (
            "[i, j] = A[^i, k] * B[k, j]",
            &["^i: `^i` is not an index | a label stands without a sign, `i`: upper and lower indices are alike"],
        ),
        ("[i, j] = A^T[i, j]", &["^: `^` is not an operator here | a transpose is another order of indices: `[i, j] = A[j, i]`"]),
        (
            "[i, j] = A[i, j]^-1",
            &[
                "^: `^` is not an operator here | a power of each element is `powi(X, -1)` or `powf(X, -0.5)`, and the inverse of a matrix `[j, i] = inv(A[i, j])`",
            ],
        ),
        (
            "[i, j] = A^{ik} * B^{kj}",
            &[
                "^: `^` is not an operator here | upper and lower indices are alike, and stand in brackets: `A[i, k]`; a power is `powi(X, 2)` or `powf(X, 0.5)`",
            ],
        ),
        ("[mu] = F_{mu}", &["{mu}: expected an operator, found `{ mu }` | indices stand in brackets: `F[mu]`"]),
        ("[i, j] = A_{ik} * B_{kj}", &["{ik}: expected an operator, found `{ ik }` | indices stand in brackets: `A[i, k]`"]),
    ]);
}

#[test]
fn reductions_norms_and_bounds() {
    refused(&[
        (
            "C[i, j] = sum(k) A[i, k] * B[k, j]",
            &["A: the labels and the body of `sum` share one pair of parentheses | write `sum(k; A[i, k] * B[k, j])`"],
        ),
        (
            "C[i, j] = sum([k], A[i, k] * B[k, j])",
            &["sum: the labels of `sum` and its body have `;` between them | write `sum(k; A[i, k] * B[k, j])`"],
        ),
        (
            "[i] = sum(j where j < i; a[i, j])",
            &[
                "sum: `sum` names labels, and a condition chooses among elements | write `sum(j; select(iota[j] < iota[i]; a[i, j], 0.0))`",
            ],
        ),
        (
            "[i] = mean(j if j < 2; a[i, j])",
            &[
                "mean: `mean` names labels, and a condition chooses among elements | a part of an axis is a slice: `mean(j; a[i, j in ..2])`",
            ],
        ),
        (
            "[] = sum(v[i] > 0.0)",
            &[
                "v[i] > 0.0: a comparison is not a number | write `sum(i; select(v[i] > 0.0; 1.0, 0.0))`, in which what holds counts as 1",
            ],
        ),
        (
            "[i] = mean(j; a[i, j] > 0.0 && m[i, j])",
            &[
                "a[i, j] > 0.0 && m[i, j]: a comparison is not a number | write `mean(j; select(a[i, j] > 0.0 && m[i, j]; 1.0, 0.0))`, in which what holds counts as 1",
            ],
        ),
        (
            "[] = max(i, j; i == j & m[i, j])",
            &[
                "i == j & m[i, j]: a comparison is not a number | write `max(i, j; select(iota[i] == iota[j] && m[i, j]; 1.0, 0.0))`, in which what holds counts as 1",
            ],
        ),
        (
            "[i] = norm(a[i, j], 1)",
            &[
                "1: `norm` is the root of the sum of all squares, and has no order | the norm of order 1 is `sum(j; abs(a[i, j]))`",
            ],
        ),
        (
            "[i] = norm(a[i, j], axis = 1)",
            &["axis = 1: `norm` runs over labels, and not over axes by their numbers | write `norm(j; a[i, j])`"],
        ),
        (
            "[i] = clip(v[i], ..1.0)",
            &[
                "clip: `clip` takes three arguments, X and its bounds, but 2 are given | an upper bound alone is `select(v[i] > 1.0; 1.0, v[i])`",
            ],
        ),
        (
            "[i] = clip(v[i], 0.0..)",
            &[
                "clip: `clip` takes three arguments, X and its bounds, but 2 are given | a lower bound alone is `select(v[i] < 0.0; 0.0, v[i])`",
            ],
        ),
    ]);
}

#[test]
fn statements_and_claims() {
    refused(&[
        (
            "let f = |x| x * x; let y[i] = map(f; v[i]); y",
            &[
                "|: expected an operand, found `|` | a Rust function stands outside of the macro, `let f = |x| …;`, and is called as `map(f; A[i, j])`",
            ],
        ),
        (
            "const N: usize = 3; let x[i] = v[i]; x",
            &["const: `const …` is an item of Rust, and here stand equations | write it before the macro"],
        ),
        (
            "mut C[i] = A[i]",
            &[
                "mut: the left side has no `mut` | leave it out: a tensor that an equation writes is declared as `mut` before the macro",
            ],
        ),
        (
            "double C[i, j] += A[i, j]",
            &["double: `double` is no word of equations | a new tensor is `let C[i, j] = …;`, and one that exists `C[i, j] = …`"],
        ),
        (
            "[i] = [v[i] + w[i]]",
            &["[v[i] + w[i]]: indices stand after an operand | terms are grouped by parentheses: `(v[i] + w[i])`"],
        ),
        (
            "[i] = (v[i] + w[i])(v[i] - w[i])",
            &["(v[i] - w[i]): expected an operator, found `(v[i] - w[i])` | a product is written with `*`"],
        ),
        ("[i] = v[i]!", &["!: expected an operator, found `!`"]),
        (
            "[i] = vec![1.0, 2.0]",
            &[
                "!: expected an operator, found `!` | make a tensor of it first, `let t = Tensor::from_array([1.0, 2.0])?;`, and write its indices",
            ],
        ),
        (
            "[i] = v[i] / v.len() as f64",
            &["as: expected an operator, found `as` | a Rust expression stands in braces: `{ v.len() as f64 }`"],
        ),
        (
            "[i] = 1[i] if i < 3",
            &[
                "if: expected an operator, found `if` | a choice for each element has two values: `select(iota[i] < 3; 1[i], 0.0)` is 0 elsewhere",
            ],
        ),
        (
            "([i, r], [r], [r, j]) = svd(A[i, j]) where r: <= chi",
            &["<: a bound on an extent is its largest value, after `..=` | write `where r: ..=chi`"],
        ),
        (
            "C[i, j] = A[i, k] * B[k, j] where sym i, j",
            &["sym: the labels of `sym` stand in parentheses | write `where sym(i, j)`"],
        ),
        (
            "C[i, j] = A[i, k] * B[k, j] where C[i, j] = C[j, i]",
            &["where: `where` gives extents to labels, after `:` | a symmetry of the left side is claimed as `where sym(i, j)`"],
        ),
        ("[i] = 1[i] where i = dims[0]", &["where: `where` gives extents to labels, after `:` | write `where i: dims[0]`"]),
    ]);
}

#[test]
fn rust_and_other_functions() {
    refused(&[
        (
            "[i] = cast<f64>(n[i])",
            &["cast: `cast` names its type in its parentheses | write `cast(f32; A[i, j])`, and likewise for other types"],
        ),
        (
            "[i] = map(x -> x * x, v[i])",
            &["x: this is no function of Rust | a closure has its parameters between two `|`: `map(|x| x * x; A[i, j])`"],
        ),
        (
            "[i] = map(lambda x: x * x, v[i])",
            &["lambda: this is no function of Rust | a closure has its parameters between two `|`: `map(|x| x * x; A[i, j])`"],
        ),
        (
            "[i] = map(lambda x, y: x * y, v[i], w[i])",
            &["lambda: this is no function of Rust | a closure has its parameters between two `|`: `map(|x| x * x; A[i, j])`"],
        ),
        (
            "let g[i, j] = L.grad(A[i, j]); g",
            &[
                "i: index `i` is on the left, but no term on the right has it | `L.grad(A[i, j])` is one number that Rust computes, in which no word is an index; write `grad(L; A[i, j])`",
            ],
        ),
        (
            "[i] = v[{ i }]",
            &[
                "i: index `i` is on the left, but no term on the right has it | `{ i }` is a position that Rust computes; the index is written `i`",
            ],
        ),
        (
            "[i] = 2.0 * { v[i] + w[i] }",
            &[
                "i: index `i` is on the left, but no term on the right has it | `{ v[i] + w[i] }` is one number that Rust computes; terms are grouped by parentheses: `(v[i] + w[i])`",
            ],
        ),
    ]);
}

#[test]
fn dots_and_powers() {
    refused(&[
        (
            "[i] = f.(v[i])",
            &["(v[i]): a field or method is missing after `.` | a Rust function of each element is `map(f; v[i])`"],
        ),
        (
            "[i] = sin.(v[i])",
            &["(v[i]): a field or method is missing after `.` | functions act on each element without a dot: `sin(v[i])`"],
        ),
        (
            "x[..] = 0.0",
            &[
                "..: `..` is on the left, but no operand on the right has it | a number is spread over labels on both sides: `x[i, j] = 0.0[i, j]`",
            ],
        ),
        ("[..] = 2.0 * A", &["..: `..` is on the left, but no operand on the right has it | if `A` is a tensor, write `A[..]`"]),
        ("[] = sqrt(sum(v[i]^2))", &["^: `^` is not an operator here | a power is `powi(X, 2)` or `powf(X, 0.5)`"]),
    ]);
}
