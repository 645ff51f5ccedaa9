//! Functions that have other names, or other forms, in other languages.

/// Functions by their names in other languages, and what to write here.
const SYNONYMS: [(&[&str], &str); 39] = [
    (&["log", "loge", "log_e"], "the natural logarithm is `ln(X)`"),
    (&["pow", "power"], "a power is `powi(X, 2)` or `powf(X, 0.5)`"),
    (&["square", "sqr"], "a square is `powi(X, 2)`, a square root `sqrt(X)`"),
    (&["fabs", "modulus"], "the absolute value is `abs(X)`"),
    (&["norm1", "asum"], "a sum of absolute values is `sum(i; abs(X))`"),
    (&["conjugate", "conjg", "star"], "the complex conjugate is `conj(X)`"),
    (&["real"], "the real part is `re(X)`"),
    (&["imag", "aimag"], "the imaginary part is `im(X)`"),
    (&["adjoint", "dagger", "hermitian"], "the adjoint of `A[i, j]` is `conj(A[j, i])`"),
    (&["transpose", "permute", "swap", "t"], "a transpose is another order of indices: `[i, j] = A[j, i]`"),
    (&["convert", "astype", "to", "into"], "elements of another type are converted by `cast(X)`"),
    (&["apply", "vectorize", "function"], "a Rust function of each element is `map(f; X)`"),
    (&["tr"], "a trace is a repeated index: `A[i, i]`"),
    (
        &["dot", "matmul", "inner", "einsum", "contract", "tensordot"],
        "a contraction is a product with a common index: `A[i, k] * B[k, j]`",
    ),
    (&["outer", "kron"], "an outer product is a product without a common index: `a[i] * b[j]`"),
    (&["diag", "diagonal"], "a diagonal is a repeated index: `[i] = A[i, i]`"),
    (&["total", "add", "reduce"], "a sum is written `sum(k; X)`"),
    (&["product"], "a product over an index is `prod(k; X)`"),
    (&["average", "avg"], "a mean is `mean(k; X)`"),
    (&["variance"], "a variance is `var(k; X)`"),
    (&["stddev", "sd"], "a standard deviation is `std(k; X)`"),
    (&["cumsum", "sort", "unique", "argsort"], "an equation has no order of elements; a Rust loop over them has"),
    (&["iota", "arange", "index", "indices", "range"], "the value of an index is `iota[i]`: 0, 1, 2, …"),
    (&["relu"], "it is `select(X > 0.0; X, 0.0)`"),
    (&["clamp"], "it is `clip(X, 0.0, 1.0)`"),
    (&["maximum", "fmax"], "the larger of two elements is `select(X > Y; X, Y)`"),
    (&["minimum", "fmin"], "the smaller of two elements is `select(X < Y; X, Y)`"),
    (&["sign", "signum"], "it is `select(X > 0.0; 1.0, select(X < 0.0; -1.0, 0.0))`"),
    (&["heaviside", "step"], "it is `select(X < 0.0; 0.0, 1.0)`"),
    (&["sigmoid", "logistic"], "it is `1.0 / (1.0 + exp(-X))`, with `1[i]` in place of `1.0` for the indices of X"),
    (
        &["softmax"],
        "it takes three equations: `m[i] = max(k; X)`, `s[i] = sum(k; exp(X - m[i] * 1[k]))`, and `exp(X - m[i] * 1[k]) / s[i]`",
    ),
    (
        &[
            "sinh", "cosh", "asin", "acos", "atan", "asinh", "acosh", "atanh", "cbrt", "floor", "ceil", "round", "exp2", "log2",
            "log10", "exp_m1", "ln_1p",
        ],
        "a Rust function of each element is `map(f64::sinh; X)`, and likewise for others",
    ),
    (&["inverse", "matinv"], "the inverse of a matrix is `[j, i] = inv(A[i, j])`"),
    (&["pinverse", "pseudoinverse", "pseudo_inverse"], "the pseudo-inverse of a matrix is `[j, i] = pinv(A[i, j])`"),
    (&["determinant"], "the determinant of a matrix is `[] = det(A[i, j])`"),
    (&["logdet"], "the logarithm of a determinant, with its sign, is `([], []) = slogdet(A[i, j])`"),
    (&["chol"], "it is `[i, r] = cholesky(A[i, j])`"),
    (&["matrix_power", "mpow"], "a power of a matrix is `[i, j] = matpow(A[i, j], 3)`"),
    (&["eye", "identity", "delta"], "a unit matrix is a repeated index on the left: `[i, i] = 1[i] where i: 3`"),
];

/// What to write in place of a function of another language.
pub(super) fn synonym(name: &str) -> Option<&'static str> {
    SYNONYMS.iter().find(|(names, _)| names.contains(&name)).map(|(_, help)| *help)
}
