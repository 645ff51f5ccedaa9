//! Functions that have other names, or other forms, in other languages.

/// What shifts an axis around its end. The sign is easily mistaken.
pub(super) const ROLLED: &str = "an axis is shifted around its end before the equation: `u.roll(-1, 0)?` has at `i` what `u` has at \
    `i + 1`, and `u.roll(1, 0)?` what it has at `i - 1`";

/// How conditions are joined.
pub(super) const JOINED: &str = "conditions are joined by `&&` and `||`, and negated by `!`";

/// Functions by their names in other languages, and what to write here.
const SYNONYMS: [(&[&str], &str); 92] = [
    (&["roll", "circshift"], ROLLED),
    (&["log", "loge", "log_e"], "the natural logarithm is `ln(X)`"),
    (&["pow", "power"], "a power is `powi(X, 2)` or `powf(X, 0.5)`"),
    (&["square", "sqr"], "a square is `powi(X, 2)`, a square root `sqrt(X)`"),
    (&["fabs", "modulus"], "the absolute value is `abs(X)`"),
    (&["norm1", "asum"], "a sum of absolute values is `sum(i; abs(X))`"),
    (&["conjugate", "conjg", "star"], "the complex conjugate is `conj(X)`"),
    (&["real"], "the real part is `re(X)`"),
    (&["imag", "aimag"], "the imaginary part is `im(X)`"),
    (&["adjoint", "dagger", "dag", "hermitian", "ctranspose", "H"], "the adjoint of `A[i, j]` is `conj(A[j, i])`"),
    (
        &["transpose", "trans", "permute", "swapaxes", "swap", "t", "T"],
        "a transpose is another order of indices: `[i, j] = A[j, i]`",
    ),
    (&["convert", "astype", "to", "into"], "elements of another type are converted by `cast(X)`"),
    (&["apply", "vectorize", "function"], "a Rust function of each element is `map(f; X)`"),
    (&["tr"], "a trace is a repeated index: `A[i, i]`"),
    (
        &[
            "dot",
            "matmul",
            "inner",
            "einsum",
            "contract",
            "tensordot",
            "dot_product",
            "mm",
            "bmm",
            "mv",
            "matvec",
            "gemm",
            "gemv",
            "multi_dot",
        ],
        "a contraction is a product with a common index: `A[i, k] * B[k, j]`",
    ),
    (&["vdot", "vecdot"], "it is `sum(k; conj(A[k]) * B[k])`"),
    (
        &["cross"],
        "a cross product is `[i] = e[i, j, k] * v[j] * w[k]`, where `e` is made before the equation: `let e = Tensor::from_array([\
         [[0.0, 0.0, 0.0], [0.0, 0.0, 1.0], [0.0, -1.0, 0.0]], \
         [[0.0, 0.0, -1.0], [0.0, 0.0, 0.0], [1.0, 0.0, 0.0]], \
         [[0.0, 1.0, 0.0], [-1.0, 0.0, 0.0], [0.0, 0.0, 0.0]]])?;`",
    ),
    (
        &["convolve", "conv"],
        "a convolution is `[k] = sum(i, j; select(iota[i] + iota[j] == iota[k]; v[i] * w[j], 0.0)) where k: n`, and `n` is the sum of \
         both extents, less 1",
    ),
    (
        &["concatenate", "concat", "cat", "append", "vcat", "hcat", "vstack", "hstack"],
        "tensors are joined along an axis, here 0, before the equation: `let c = concatenate(0, [&a, &b])?;`",
    ),
    (&["stack"], "tensors are joined along a new axis, here 0, before the equation: `let c = stack(0, [&a, &b])?;`"),
    (&["flip", "reverse", "reversed"], "an axis, here 0, is reversed before the equation: `let b = a.view().reverse(0)?;`"),
    (
        &["add", "plus", "subtract", "sub", "minus", "multiply", "mul", "times", "divide", "div", "true_divide"],
        "the operators are `+`, `-`, `*` and `/`, between two operands",
    ),
    (&["neg", "negative"], "it is `-X`"),
    (&["hessian"], "second derivatives are derivatives of a result, `let g[i] = grad(L; x[i]);`, as `grad(g[i]; x[j])`"),
    (&["reciprocal"], "it is `recip(X)`"),
    (&["rsqrt"], "it is `recip(sqrt(X))`"),
    (&["isnan", "is_nan"], "elements that are NaN are those for which the condition `X != X` holds"),
    (&["logical_and", "logical_or", "logical_not"], JOINED),
    (
        &["kron", "kroneckerproduct"],
        "a Kronecker product is an outer product with joined axes: `[(i, k), (j, l)] = A[i, j] * B[k, l]`",
    ),
    (&["outer", "outerproduct"], "an outer product is a product without a common index: `a[i] * b[j]`"),
    (&["diag", "diagonal"], "a diagonal is a repeated index, `[i] = A[i, i]`, and a diagonal matrix likewise, `[i, i] = v[i]`"),
    (&["total", "reduce", "Σ"], "a sum is written `sum(k; X)`"),
    (&["product", "Π"], "a product over an index is `prod(k; X)`"),
    (&["hadamard"], "a product of elements is a product with the same indices: `A[i, j] * B[i, j]`"),
    (&["maxval"], "a maximum over an index is `max(k; X)`"),
    (&["minval"], "a minimum over an index is `min(k; X)`"),
    (&["maxloc"], "the place of a maximum, counted from 0, is `argmax(k; X)`"),
    (&["minloc"], "the place of a minimum, counted from 0, is `argmin(k; X)`"),
    (&["merge"], "a choice for each element is `select(m[i]; X, Y)`, with the condition first"),
    (
        &["antisym", "antisymmetrize", "antisymmetrise", "antisymmetrizer"],
        "X minus X with two labels exchanged is `asym(i, j; X)`, without a factor: the antisymmetric part is half of it",
    ),
    (
        &["symmetrize", "symmetrise", "symmetrizer"],
        "X plus X with two labels exchanged is `sym(i, j; X)`, without a factor: the symmetric part is half of it",
    ),
    (&["average", "avg"], "a mean is `mean(k; X)`"),
    (&["variance"], "a variance is `var(k; X)`, whose divisor is the number of terms"),
    (&["stddev", "sd"], "a standard deviation is `std(k; X)`, whose divisor is the number of terms"),
    (&["iota", "arange", "index", "indices", "range"], "the value of an index is `iota[i]`: 0, 1, 2, …"),
    (&["linspace"], "equally spaced points are made before the equation: `let x = Tensor::<f64, _>::linspace(0.0, 1.0, n)?;`"),
    (&["relu"], "it is `select(X < 0.0; 0.0, X)`"),
    (&["clamp"], "it is `clip(X, 0.0, 1.0)`"),
    (&["maximum"], "the larger of two elements is `select(X >= Y || X != X; X, Y)`, or NaN if one of them is"),
    (&["fmax"], "the larger of two elements is `map(f64::max; X, Y)`, the other one if one is NaN"),
    (&["minimum"], "the smaller of two elements is `select(X <= Y || X != X; X, Y)`, or NaN if one of them is"),
    (&["fmin"], "the smaller of two elements is `map(f64::min; X, Y)`, the other one if one is NaN"),
    (&["sign", "signum", "sgn"], "it is `select(X > 0.0; 1.0, select(X < 0.0; -1.0, X))`"),
    (&["heaviside", "step"], "it is `select(X < 0.0; 0.0, 1.0)`, which is 1 at 0"),
    (&["sigmoid", "logistic"], "it is `1.0 / (1.0 + exp(-X))`, with `1[i]` in place of `1.0` for the indices of X"),
    (
        &["softmax"],
        "it takes three equations: `m[i] = max(k; X)`, `s[i] = sum(k; exp(X - m[i] * 1[k]))`, and `exp(X - m[i] * 1[k]) / s[i]`",
    ),
    (&["inverse", "matinv"], "the inverse of a matrix is `[j, i] = inv(A[i, j])`"),
    (&["pinverse", "pseudoinverse", "pseudo_inverse"], "the pseudo-inverse of a matrix is `[j, i] = pinv(A[i, j])`"),
    (&["determinant"], "the determinant of a matrix is `[] = det(A[i, j])`"),
    (&["logdet"], "the logarithm of a determinant, with its sign, is `([], []) = slogdet(A[i, j])`"),
    (
        &["sqrtm"],
        "of a symmetric matrix it is `C[p, n] * sqrt(e[n]) * conj(C[q, n])`, after `let (e[n], C[p, n]) = eigh(A[p, q]);`",
    ),
    (&["logm"], "of a symmetric matrix it is `C[p, n] * ln(e[n]) * conj(C[q, n])`, after `let (e[n], C[p, n]) = eigh(A[p, q]);`"),
    (&["eigvals"], "eigenvalues are the first result of `([n], [p, n]) = eig(A[p, q])`"),
    (&["eigvalsh", "eigenvalues"], "eigenvalues are the first result of `([n], [p, n]) = eigh(A[p, q])`"),
    (
        &["eigen", "eigs", "eigensystem", "diagonalize", "diagonalise"],
        "eigenvalues and eigenvectors are `([n], [p, n]) = eigh(A[p, q])` of a Hermitian matrix, and those of any other are given by `eig`",
    ),
    (&["svdvals"], "singular values are the second result of `([i, r], [r], [r, j]) = svd(A[i, j])`"),
    (
        &["reshape", "ravel", "flatten", "vec"],
        "axes are joined by labels in parentheses, `[(i, j)] = A[i, j]`, and split likewise, `[i, j] = A[(i, j)] where i: 3`",
    ),
    (&["abs2", "absq"], "a square of the absolute value is `powi(abs(X), 2)`"),
    (
        &["median"],
        "a median stands in the middle of `let b = a.sort_along(0)?;`, a method of whole tensors; of an even number of elements it is the mean of the two there",
    ),
    (&["tril"], "a lower triangle is `select(iota[i] >= iota[j]; X, 0.0)`"),
    (&["triu"], "an upper triangle is `select(iota[i] <= iota[j]; X, 0.0)`"),
    (&["shift", "diff"], "neighbours are two slices of one axis, `u[i in 1..] - u[i in ..{ n - 1 }]`, where `n` is its extent"),
    (&["count"], "elements for which a condition holds are counted by `sum(k; select(X > 0.0; 1.0, 0.0))`"),
    (
        &["count_nonzero", "nnz"],
        "elements other than 0 are counted by `sum(k; select(X != 0.0; 1.0, 0.0))`, and truth values by `sum(k; select(m[k]; 1.0, 0.0))`",
    ),
    (
        &["any"],
        "`max(k; select(X != 0.0; 1.0, 0.0))` is 1 where an element is not 0, and `max(k; select(m[k]; 1.0, 0.0))` where a truth value holds",
    ),
    (
        &["all"],
        "`min(k; select(X != 0.0; 1.0, 0.0))` is 1 where no element is 0, and `min(k; select(m[k]; 1.0, 0.0))` where all truth values hold",
    ),
    (&["fmod", "rem"], "a remainder with the sign of X is `map(|x, y| x % y; X, Y)`"),
    (
        &["mod"],
        "a remainder that is not negative is `map(f64::rem_euclid; X, Y)`, and one with the sign of X `map(|x, y| x % y; X, Y)`",
    ),
    (&["angle", "arg", "phase"], "the phase of complex elements is `map(|z: Complex<f64>| Complex::from(z.arg()); X)`"),
    (&["chol"], "it is `[i, r] = cholesky(A[i, j])`"),
    (&["matrix_power", "mpow"], "a power of a matrix is `[i, j] = matpow(A[i, j], 3)`"),
    (
        &["rearrange"],
        "axes are ordered, joined and split by their labels: `[b, (h, w)] = A[b, h, w]`, `[b, h, w] = A[b, (h, w)] where h: 3`",
    ),
    (
        &["repeat", "expand", "broadcast_to"],
        "what is repeated along `j` is multiplied by ones: `[i, j] = a[i] * 1[j] where j: 3`",
    ),
    (&["prime", "noprime", "setprime"], "primes are part of labels, `i1` for a primed `i`: `[i, i1] = A[i, k] * B[k, i1]`"),
    (
        &["zeros", "ones", "full", "fill"],
        "a number is spread over labels, `0.0[i]`, whose extents another operand gives, or `where i: 3`",
    ),
    (
        &["rand", "random"],
        "random tensors are made before the equation, with the feature `rand`: `let b = Tensor::random((3, 3), seed)?;` has real and \
         imaginary parts from 0 to 1, and `let b = Tensor::uniform((3, 3), -1.0..1.0, seed)?;` from a range",
    ),
    (
        &["uniform"],
        "random tensors are made before the equation, with the feature `rand`: `let b = Tensor::uniform((3, 3), 0.0..1.0, seed)?;`",
    ),
    (
        &["randn", "normal"],
        "random tensors are made before the equation, with the feature `rand`: `let b = Tensor::normal((3, 3), 0.0, 1.0, seed)?;`",
    ),
    (
        &["len", "size", "shape", "ndim", "extents"],
        "a number of Rust stands in braces: `{ A.len() as f64 }`, `{ A.extents()[0] as f64 }`",
    ),
    (
        &["d", "gradient", "derivative", "backward", "jacobian"],
        "the derivative of L by x is `grad(L; x[i])`, of a result `L` of the block",
    ),
    (
        &["eye", "identity", "delta", "kronecker_delta", "kroneckerdelta"],
        "a unit matrix is a repeated index on the left: `[i, i] = 1[i] where i: 3`",
    ),
    (
        &["kronecker"],
        "a Kronecker delta is a repeated index on the left, `[i, i] = 1[i] where i: 3`, and a Kronecker product \
         `[(i, k), (j, l)] = A[i, j] * B[k, l]`",
    ),
];

/// Functions of Rust's numbers that are no functions of the language, first by their name there.
const OF_NUMBERS: [(&[&str], &str); 21] = [
    (&["sinh"], "X"),
    (&["cosh"], "X"),
    (&["asin", "arcsin"], "X"),
    (&["acos", "arccos"], "X"),
    (&["atan", "arctan"], "X"),
    (&["asinh", "arcsinh"], "X"),
    (&["acosh", "arccosh"], "X"),
    (&["atanh", "arctanh"], "X"),
    (&["cbrt"], "X"),
    (&["floor"], "X"),
    (&["ceil"], "X"),
    (&["round_ties_even", "round", "rint"], "X"),
    (&["trunc"], "X"),
    (&["exp2"], "X"),
    (&["log2"], "X"),
    (&["log10"], "X"),
    (&["exp_m1", "expm1"], "X"),
    (&["ln_1p", "log1p"], "X"),
    (&["hypot"], "X, Y"),
    (&["atan2", "arctan2"], "X, Y"),
    (&["copysign"], "X, Y"),
];

/// Methods of whole tensors for what depends on the order of elements, by their names in other languages.
const OF_TENSORS: [(&[&str], &str); 6] = [
    (&["cumsum"], "cumsum_along(0)?"),
    (&["cumprod"], "cumprod_along(0)?"),
    (&["sort", "sorted"], "sort_along(0)?"),
    (&["argsort"], "argsort_along(0)?"),
    (&["unique"], "unique()?"),
    (&["tile"], "tile(&[2])?"),
];

/// Whether a name is that of a function which no element has by itself, so that it is no function for `map`.
pub(super) fn is_of_whole_tensors(name: &str) -> bool {
    const NAMES: [&str; 24] = [
        "bincount",
        "corr",
        "correlate",
        "corrcoef",
        "cov",
        "cummax",
        "cummin",
        "detach",
        "digitize",
        "stop_gradient",
        "fft",
        "fftshift",
        "gather",
        "histogram",
        "ifft",
        "interp",
        "irfft",
        "pad",
        "percentile",
        "quantile",
        "rfft",
        "scatter",
        "trapezoid",
        "trapz",
    ];
    NAMES.contains(&name)
}

/// What to write in place of a function of another language.
pub(super) fn synonym(name: &str) -> Option<String> {
    // Elsewhere functions begin with capital letters: `Transpose`, `Tr`. A letter alone is a name of its own.
    named(name).or_else(|| named(&name.to_lowercase()).filter(|_| name.chars().count() > 1))
}

fn named(name: &str) -> Option<String> {
    let find = |table: &'static [(&[&str], &'static str)]| table.iter().find(|(names, _)| names.contains(&name));
    if let Some((_, help)) = find(&SYNONYMS) {
        return Some(help.to_string());
    }
    if let Some((names, arguments)) = find(&OF_NUMBERS) {
        return Some(format!(
            "a Rust function of each element is `map(f64::{}; {arguments})`, and likewise for others",
            names[0]
        ));
    }
    let (_, method) = find(&OF_TENSORS)?;
    Some(format!("a method of whole tensors does this, before the equation: `let b = a.{method};`"))
}

#[test]
fn helps_can_be_written() {
    use crate::testing::{can_be_written, equations_are_right};
    let tables = OF_NUMBERS.iter().chain(&OF_TENSORS).map(|(names, _)| names[0]);
    let helps = SYNONYMS.iter().map(|(_, help)| help.to_string()).chain(tables.filter_map(synonym));
    for help in helps {
        can_be_written(&help);
        equations_are_right(&help);
    }
}

#[test]
fn functions_of_whole_tensors() {
    crate::testing::refused(&[
        (
            "[i] = cross(v[j], w[k])",
            &[
                "cross: `cross` is not a function of tensor equations | a cross product is `[i] = e[i, j, k] * v[j] * w[k]`, where `e` is made before the equation: `let e = Tensor::from_array([[[0.0, 0.0, 0.0], [0.0, 0.0, 1.0], [0.0, -1.0, 0.0]], [[0.0, 0.0, -1.0], [0.0, 0.0, 0.0], [1.0, 0.0, 0.0]], [[0.0, 1.0, 0.0], [-1.0, 0.0, 0.0], [0.0, 0.0, 0.0]]])?;`",
            ],
        ),
        ("[] = vdot(v[j], w[j])", &["vdot: `vdot` is not a function of tensor equations | it is `sum(k; conj(A[k]) * B[k])`"]),
        (
            "[i] = convolve(v[j], w[k])",
            &[
                "convolve: `convolve` is not a function of tensor equations | a convolution is `[k] = sum(i, j; select(iota[i] + iota[j] == iota[k]; v[i] * w[j], 0.0)) where k: n`, and `n` is the sum of both extents, less 1",
            ],
        ),
        (
            "[i, j] = add(a[i, j], b[i, j])",
            &["add: `add` is not a function of tensor equations | the operators are `+`, `-`, `*` and `/`, between two operands"],
        ),
        (
            "[k] = fft(v[k])",
            &[
                "fft: `fft` is not a function of tensor equations | functions of elements are `exp`, `ln`, `sqrt`, `abs`, `sin`, `cos`, `tan`, `tanh`, `recip`, `conj`, `re`, `im`, `powi`, `powf`, `clip` and `select`; what needs whole tensors is called before the equation",
            ],
        ),
        (
            "[i] = concatenate(v[i], w[i])",
            &[
                "concatenate: `concatenate` is not a function of tensor equations | tensors are joined along an axis, here 0, before the equation: `let c = concatenate(0, [&a, &b])?;`",
            ],
        ),
        (
            "[i] = flip(v[i])",
            &[
                "flip: `flip` is not a function of tensor equations | an axis, here 0, is reversed before the equation: `let b = a.view().reverse(0)?;`",
            ],
        ),
        (
            "[i] = np.cross(v[j], w[k])",
            &[
                "np.cross: `np.cross` is no function of tensor equations | a cross product is `[i] = e[i, j, k] * v[j] * w[k]`, where `e` is made before the equation: `let e = Tensor::from_array([[[0.0, 0.0, 0.0], [0.0, 0.0, 1.0], [0.0, -1.0, 0.0]], [[0.0, 0.0, -1.0], [0.0, 0.0, 0.0], [1.0, 0.0, 0.0]], [[0.0, 1.0, 0.0], [-1.0, 0.0, 0.0], [0.0, 0.0, 0.0]]])?;`",
            ],
        ),
        (
            "[i, j] = kronecker(a[i, j], b[i, j])",
            &[
                "kronecker: `kronecker` is not a function of tensor equations | a Kronecker delta is a repeated index on the left, `[i, i] = 1[i] where i: 3`, and a Kronecker product `[(i, k), (j, l)] = A[i, j] * B[k, l]`",
            ],
        ),
        (
            "[i, j] = KroneckerProduct(a[i, j], b[i, j])",
            &[
                "KroneckerProduct: `KroneckerProduct` is not a function of tensor equations | a Kronecker product is an outer product with joined axes: `[(i, k), (j, l)] = A[i, j] * B[k, l]`",
            ],
        ),
        (
            "[i, j] = KroneckerDelta(i, j)",
            &[
                "KroneckerDelta: `KroneckerDelta` is not a function of tensor equations | a unit matrix is a repeated index on the left: `[i, i] = 1[i] where i: 3`",
            ],
        ),
    ]);
}
