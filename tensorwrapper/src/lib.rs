//! Tensor equations inside Rust, checked by the compiler.
//!
//! ```
//! use tensorwrapper::prelude::*;
//!
//! let a: Tensor<f64, Shape![2, _]> = Tensor::from_fn((Const, 3), |i| (i[0] + i[1]) as f64)?;
//! let b: Tensor<f64, Shape![_, 2]> = Tensor::from_fn((3, Const), |i| (i[0] * i[1]) as f64)?;
//! let c = tensor!([i, j] = a[i, k] * b[k, j]); // of type Tensor<f64, Shape![2, 2]>
//! assert_eq!(c.as_slice(), [0.0, 5.0, 0.0, 8.0]);
//! # Ok::<(), Error>(())
//! ```
//!
//! [`tensor!`] holds the language, [`Tensor`] the elements, [`Context`] says where equations run. [`einsum()`],
//! [`contract`] and the operators of [`Indexed`] mean the same without macros, and [`graph`] shows what is computed.

#![forbid(unsafe_code)]

/// Tensor equations.
///
/// # Forms
///
/// ```
/// # use tensorwrapper::prelude::*;
/// # let n = 3;
/// # let a = Tensor::<f64>::from_fn([n, n], |i| (i[0] * 3 + i[1]) as f64)?;
/// # let b = a.clone();
/// # let alpha = 0.5;
/// let mut c = tensor!([i, j] = a[i, k] * b[k, j]);   // a value: the macro is an expression
/// let trace = tensor!([] = a[i, i]);                 // a plain number
/// tensor!(c[i, j] += alpha * a[j, i]);               // into an existing tensor: = += -= *= /=
/// let (w, e) = tensor! {                             // a block: one graph, computed together
///     where i, j, k: n;                              // declared extents, if wished
///     let w[i, j] = c[i, k] * a[k, j] - 2.0 * b[i, j];
///     c[i, j] *= w[j, i];
///     let e = 0.25 * w[i, j] * c[i, j];              // without brackets: a plain number
///     (w, e)                                         // what leaves the block
/// };
/// # let _: (Tensor<f64, Shape![_, _]>, f64) = (w, e);
/// # Ok::<(), Error>(())
/// ```
///
/// | left side | result |
/// |---|---|
/// | `[i, j] = …` | a `Tensor<T, S>`: `S` has an extent for each axis, `Const` where the compiler knows it; [`into_dyn`](Tensor::into_dyn) forgets them |
/// | `[] = …`, in a block `let e = …` | a plain number |
/// | `let e[] = …` | a tensor of rank 0, which is a number to later equations |
/// | `([n], [p, n]) = …`, `let (e[n], c[p, n]) = …` | the results of a decomposition |
/// | `c[i, j] = …`, `+=`, `-=`, `*=`, `/=` | into a tensor that exists, or a part of it: `c[i in 2..5, 0] = …` |
///
/// A block's `let`s live in the block; rebinding shadows; reading a tensor after writing it reads the new value. A block that
/// writes nothing and lets nothing out is an error.
/// `in &context;` as its first line says where it runs ([`Context`]); with a [`Graph`] the block is recorded, not computed,
/// and its results are [`Expr`]s. Writes happen when everything has been computed, so
/// a failure leaves every tensor as it was, and the right side always reads old values: `c[i, j] = c[j, i]` transposes.
/// Places are known by their spelling: which tensor `(v[n])[i]` is, only the run knows, so that after `(v[m])[i] = …` in the
/// same block it reads the value from before the block, even where `m` is `n`.
///
/// # Operands and indices
///
/// An operand is any tensor, view or recorded result: `a[i, j]`, `self.t2[i, j]`, `(psi[n])[l, s, r]`, `(f(x))[i, j]`.
///
/// | index | means |
/// |---|---|
/// | `i` | a label: any identifier that is not a constant in scope; the value of a variable is `{ i }` |
/// | `i in 2..5`, `i in ..n`, `i in occupied` | a part of the axis; the label counts from 0 |
/// | `3`, `{ n - 1 }` | one position: the axis is gone |
/// | the same label twice | the diagonal; on the left it is what is written, and a new result is zero elsewhere |
/// | `(i, j)` | several labels on one axis, the first slowest; at most one of their extents may be unknown, `where i: n` gives others |
/// | `..` | all axes that are not written, matched from the right, on the left too; the result's rank is known at run time |
///
/// A label with a prime is `i1`, because `i'` is no word of Rust. Positions, ranges and extents are known to the compiler where
/// they are literals. `where i, j: n, k: 3` after an equation, or as a block's first line, tells extents of labels that are there.
///
/// Labels and variables have nothing to do with each other: in `for i in 0..n { tensor!([] = a[i, k] * b[i, k]) }` both labels
/// are summed, and nobody reads the counter, of which rustc says `unused variable` unless something else does. No macro can see
/// more of the variables around it. The product of two rows is `[] = a[{ i }, k] * b[{ i }, k]`.
///
/// The rank of a tensor is known to the compiler where its shape is a tuple, and to the run where it is an array or slice:
///
/// ```
/// # use tensorwrapper::prelude::*;
/// # let (n, m) = (2, 3);
/// let a: Tensor<f64, Shape![_, _]> = Tensor::from_fn((n, m), |i| (i[0] + i[1]) as f64)?; // of rank 2, rustc knows
/// let b: Tensor<f64> = Tensor::from_fn([n, m], |i| (i[0] + i[1]) as f64)?;               // of any rank: `b[i]` fails in the run
/// assert!(try_tensor!([i] = b[i]).is_err());
/// let row = tensor!([j] = a[0, j] + b[1, j in ..m]);
/// assert_eq!(row.as_slice(), [1.0, 3.0, 5.0]);
/// # Ok::<(), Error>(())
/// ```
///
/// `1[i]` is a constant along `i`; numbers are literals, variables, `{ any Rust expression }` and tensors of rank 0. A literal
/// is of the element's real type, and any other number of the element type or its real type. Rust expressions run once, in the
/// order of writing, before anything is computed; operands of one spelling are one borrow.
/// Functions of elements are `exp ln sqrt abs sin cos tan tanh recip conj re im`, `powi(X, n)` and `powf(X, p)`, and
/// `map(f; X, Y)` calls a Rust function, a path, a variable or a closure such as `|x: f64, y| …`, with one element of each of
/// up to eight arguments; from several threads, in any order, and as often as the computation needs it.
/// `cast(X)` computes X in an element type of its own and converts it to the equation's: that of the operands that are not
/// under `cast`, or of the tensor that is assigned to; `cast(f64; X)` names it. Complex numbers become real as
/// `cast(re(X))`. Nothing is converted in silence.
/// `sum(k, l; X)`, `prod`, `max` and `min` reduce explicitly. `sym(i, j; X)` is X plus the same with `i` and `j` exchanged,
/// `asym` less it, without a factor; groups change places as `asym((i, a), (j, b); X)`.
///
/// # Meaning
///
/// 1. A right side is a sum of terms, a term a product or quotient of factors.
/// 2. A label of a term that is not on the left is summed over the whole term; terms share no summed label.
/// 3. Every term has every left label: what is constant along `i` is written `1[i] * …`. `C op= X` means `C = C op (X)`, so
///    that `c[i, j] *= s[i]` and `t[i, a] /= e[i] - f[a]` are right.
/// 4. In parentheses every addend is a term: a label that is neither on the left nor outside the parentheses is summed
///    in each addend; any other belongs to the enclosing term, and an addend without it is constant along it:
///    `v[i, j] / (e[i] + f[j])`. Where that would put a sum inside a denominator, a function or a `max`, it is refused,
///    and `sum(k; …)` says which is meant.
///    `conj`, `re`, `im`, `cast` and the minus sign are linear and hold sums. For `..` the same is true as for labels.
/// 5. A label on three and more factors is summed once over all of them.
/// 6. Extents are never broadcast: 1 against 5 is a mismatch.
/// 7. Zero extents are legal: sums over nothing are 0, products 1; `max` and `min` over nothing are errors.
/// 8. A label that occurs once and is not on the left is summed, with a warning; `sum(k; …)` silences it, and `{ k }` is the
///    variable `k`.
///
/// # Linear algebra
///
/// ```
/// # use tensorwrapper::prelude::*;
/// # let (f, s) = (Tensor::<f64>::from_fn([2, 2], |i| (i[0] + i[1]) as f64)?, Tensor::<f64>::from_fn([2, 2], |i| if i[0] == i[1] { 2.0 } else { 0.5 })?);
/// # let t = Tensor::<f64>::from_fn([2, 3, 3, 2], |i| (i[0] * i[2] + i[1] * i[3]) as f64)?;
/// let (e, c) = tensor!(([n], [p, n]) = eigh(f[p, q], s[p, q]));   // f·c = s·c·e, e ascending, cᴴ·s·c = 1
/// let l = tensor!([i, k] = cholesky(s[i, j]));                    // s[i, j] = l[i, k] * conj(l[j, k])
/// let (u, w, v) = tensor!(([l, a, r], [r], [r, b, q]) = svd(t[l, a, b, q])); // t = u * w * v, by its axes in groups
/// let (u, w, v, lost) = tensor!(([l, a, r], [r], [r, b, q], []) = svd(t[l, a, b, q]; max = 4, tol = 1e-10));
/// let x = tensor!([k, j] = solve(s[i, k], f[i, j]));              // s[i, k] * x[k, j] = f[i, j]
/// # let _ = (e, c, l, u, w, v, lost, x);
/// # Ok::<(), Error>(())
/// ```
///
/// | operation | means |
/// |---|---|
/// | `[i, k] = cholesky(A[i, j])` | A = L·Lᴴ, L zero above its diagonal, which is positive |
/// | `([n], [p, n]) = eigh(A[p, q])`, `eigh(A[p, q], B[p, q])` | A·x = λ·x, or λ·B·x, of Hermitian A: λ real and ascending, xᴴ·x or xᴴ·B·x = 1 |
/// | `([n], [p, n]) = eig(A[p, q])` | the same of any square matrix: complex, λ by real and then by imaginary part, xᴴ·x = 1 |
/// | `([i, r], [r], [r, j]) = svd(A[i, j])` | A = U·diag(s)·V, s descending, V as it multiplies |
/// | `([i, r], [r, j]) = qr(A[i, j])`, `lq` | A = Q·R and A = L·Q; the triangle's diagonal is not negative |
/// | `([i, q], [q, r], [r, j]) = lu(A[i, j])` | A = P·L·U by partial pivoting, L with ones on its diagonal |
/// | `[k, j] = solve(A[i, k], B[i, j])` | A·X = B |
/// | `[k, j] = triangular_solve(A[i, k], B[i, j])` | the same of the lower triangle; `; upper` of the upper; `; unit` with ones on the diagonal |
/// | `[k, j] = lstsq(A[i, k], B[i, j])` | the shortest X with the least ‖A·X − B‖ |
/// | `[j, i] = inv(A[i, j])`, `pinv` | A⁻¹, and A⁺ of Moore and Penrose |
/// | `[i, j] = matpow(A[i, j], n)`, `expm(A[i, j])` | Aⁿ, of the inverse for negative n, and exp A |
/// | `[] = det(A[i, j])`, `([], []) = slogdet(A[i, j])` | the determinant; its phase and the logarithm of its size |
/// | `[] = norm(A[i, j])`, `trace`, `rank` | √Σ\|A\|² over any number of axes, the sum of the diagonal, the number of singular values that count |
///
/// * **Which axis is which** is told by where its label stands. Labels that stand in all arguments and results are a batch. In
///   `svd`, `qr`, `lq` and `lu` rows are the labels of the first result, columns those of the last, one or several each, and
///   the label that no argument has is the new axis. In `solve` and its like rows are in both arguments and gone, columns in
///   the first and the result. Where labels stand in the same places, rows and columns are named first, one label or a group
///   each: `cholesky(i, j; A[b, i, j])`, `inv((a, i), (b, j); A[a, i, b, j])`; those of `norm` as `norm(i, j; A[b, i, j])`.
/// * **Sums and axes.** A label that one argument alone has, and no result, stands once in each term of it: of
///   `norm(a[i, k] * b[k, j])` and `det(a[i, j] - x)` nobody knows what is meant, and they are refused. What is summed is
///   `norm(sum(k; a[i, k] * b[k, j]))`, and what is named first is an axis: `norm(i, k; a[i, k] / b[k])`.
/// * **Triangles.** Of a Hermitian matrix the lower triangle is read; what stands above is not.
/// * **Signs and phases.** The largest component of each eigenvector and of each column of U is real and positive, the first
///   where several are as large. Equal eigenvalues or singular values leave a choice that another device may make otherwise.
/// * **Extents.** Factors are reduced: the new axis is as long as the shorter side. `svd(A[i, j]; full)` and
///   `qr(…; full)`, `lq(…; full)` give square ones, U and V of `svd` with new labels of their own: `([i, m], [r], [n, j])`.
/// * **Truncation.** `max = n` keeps the n largest singular values; a bound of the new index, `svd(A[i, j]) where r: ..=n`, says
///   the same, and in the header of a block for all of its truncations to `r`. `tol = x` keeps the fewest whose discarded weight,
///   Σs² of the others by Σs² of all, is at most x, and at least one; how many is known in the run, so that the equation is computed when it is met,
///   and not recorded by a [`Graph`]. A fourth result is the weight. Where nothing
///   is lost it is about ε², not 0. A batch keeps as many of each matrix as the one that needs
///   most. In `rank`, `pinv` and `lstsq` singular values count that are larger than `tol` times the largest; by default
///   the precision times the longer side.
/// * **Faults.** A matrix that is not positive definite or is singular, NaN and infinity, a result beyond the numbers of its
///   type, and an iteration that does not converge are errors ([`ErrorKind::LinearAlgebra`]) that name the operation, the item of
///   the batch and the extents of its matrix.
///   `norm` and `trace` are sums and hand NaN on; `det` of a singular matrix is 0. Extents 0 and 1 are matrices like any.
///
/// An operation stands alone on the right side; its arguments may be any expressions. [`Indexed`] has the operations as
/// methods, [`linalg`] as functions of tensors whose first axes are the matrix and whose others are the batch.
///
/// Of the language but not of this version, and refused by name, are `grad` and a sparse map `where (a, b) in l[i, j]`.
///
/// # The same without macros
///
/// [`einsum`](fn@einsum) reads NumPy's subscripts, [`contract`] takes integer labels, and operands with
/// [`at`](Tensor::at) have the operators of Rust: one letter an axis, or names between commas.
///
/// ```
/// # use tensorwrapper::prelude::*;
/// # let a = Tensor::<f64>::from_fn([2, 3], |i| (i[0] * 3 + i[1]) as f64)?;
/// # let b = Tensor::<f64>::from_fn([3, 2], |i| (i[0] * 2 + i[1]) as f64)?;
/// let c = tensor!([i, j] = a[i, k] * b[k, j]);
/// assert_eq!(einsum!("ik,kj->ij", a, b).as_slice(), c.as_slice());
/// assert_eq!(einsum("ik,kj->ij", &[&a, &b])?.as_slice(), c.as_slice());
/// assert_eq!(contract(&[(&a, &[0, 1]), (&b, &[1, 2])], &[0, 2])?.as_slice(), c.as_slice());
/// assert_eq!((a.at("ik") * b.at("kj")).eval("ij")?.as_slice(), c.as_slice());
/// assert_eq!((a.at("row,sum") * b.at("sum,col")).eval("row,col")?.as_slice(), c.as_slice());
/// # Ok::<(), Error>(())
/// ```
///
/// # Static tensors
///
/// A [`StaticTensor`] holds its elements in itself, on the stack or in a constant. An equation all of whose operands are
/// static is loops over constants: nothing is allocated, recorded or planned, and its result is static too.
///
/// ```
/// use tensorwrapper::prelude::*;
/// const TURN: StaticTensor<f64, Shape![2, 2]> = StaticTensor::new([[0.0, -1.0], [1.0, 0.0]]);
/// let x = StaticTensor::new([3.0, 4.0]);
/// let mut y: StaticTensor<f64, Shape![2]> = tensor!([i] = TURN[i, j] * x[j]);
/// tensor!(y[i] += 0.5 * x[i]);
/// assert_eq!(y, StaticTensor::new([-2.5, 5.0]));
/// assert_eq!(tensor!([] = x[i] * x[i]), 25.0);
///
/// let a: Tensor<f64, Shape![2, _]> = Tensor::filled((Const, 3), 1.0)?;
/// let b: Tensor<f64, Shape![2, _]> = tensor!([i, k] = TURN[i, j] * a[j, k]); // beside a tensor it is an operand like any
/// # let _ = b;
/// # Ok::<(), Error>(())
/// ```
///
/// This needs extents that types or literals tell. An equation is computed as any other, and its result is a [`Tensor`], where
/// it has one of these; into a static tensor it may be written all the same:
///
/// | what | such as |
/// |---|---|
/// | `..` or a fused axis | `[.., i]`, `a[(i, j)]` |
/// | a range or a `where` not of literals, or without an end | `i in 2..`, `i in ..n`, `where i: n` |
/// | `map` or `cast` | `map(f; a[i])`, `cast(a[i])` |
/// | linear algebra of a group with a new axis, or cut | `qr((a, i), j; t[a, i, j])`, `svd(a[i, j]; max = 2)` |
/// | more than 8 axes, or more than 16 different operands and numbers of the program | |
/// | no operand, or an equation in a block | `[i] = 2[i] where i: 3`, `tensor! { let w[i] = …; w }` |
///
/// Linear algebra of matrices of up to 8 rows and columns allocates nothing either: `cholesky`, `eigh` of one matrix, `lu`, `qr`,
/// `lq`, `svd`, `solve`, `triangular_solve`, `inv`, `matpow`, `det`, `slogdet`, `norm` and `trace`; `lu` of square matrices alone. The
/// others, larger matrices, batches of more than 16 matrices or with an argument or result of more than 1024 elements, and what has no
/// result are computed as for tensors, and the result is static all the same.
///
/// ```
/// use tensorwrapper::prelude::*;
/// let a = StaticTensor::new([[4.0, 2.0], [2.0, 3.0]]);
/// let x: StaticTensor<f64, Shape![2]> = tensor!([j] = solve(a[i, j], a[i, 0]));
/// assert_eq!(x, StaticTensor::new([1.0, 0.0]));
/// let zero: StaticTensor<f64, Shape![2, 2]> = tensor!([i, j] = a[i, j] - a[j, i]);
/// let error = try_tensor!([j, i] = inv(zero[i, j])).unwrap_err();
/// assert_eq!(error.to_string(), "the 2×2 matrix of `inv` is singular: its pivot 0 is zero");
/// ```
///
/// A product of many factors is one nest of loops over all labels, in no cheaper order. `try_tensor!` is `Ok` of the static
/// result.
///
/// # Limits
///
/// An equation has at most 1000 terms or factors in a row, 125 operations inside each other, 10 000 operands and numbers, 64
/// groups of brackets and 8 `sym` or `asym` inside each other, and a `map` 8 arguments. An operand or a result has at most 256
/// indices. More is an error that says so, before anything is computed. A result of more than 16 axes has its rank at run time.
/// Recorded blocks may be a chain of any length.
///
/// # Errors
///
/// Ranks, labels and extents that do not fit are compile errors where they are known to the compiler, `const` parameters
/// included.
///
/// ```compile_fail
/// use tensorwrapper::prelude::*;
/// fn product<const N: usize>(a: &Tensor<f64, Shape![N, 4]>, b: &Tensor<f64, Shape![5, N]>) {
///     tensor!([i, j] = a[i, k] * b[k, j]); // index `k` has extent 4 in `a` but 5 in `b`
/// }
/// ```
///
/// # Panics
///
/// At the equation's line, with the same sentences, where they are known only at run time; [`try_tensor!`] returns them.
#[macro_export]
macro_rules! tensor {
    ($($tokens:tt)*) => { $crate::__macros::tensor!(($crate) $($tokens)*) };
}

/// The language of [`tensor!`] with a [`Result`] as its value.
///
/// # Errors
/// Ranks and extents that do not fit, known only at run time; memory; decompositions that do not exist.
///
/// ```
/// use tensorwrapper::{ErrorKind, prelude::*};
/// let a = Tensor::<f64>::zeros([2, 3])?;
/// let error = try_tensor!([i, j] = a[i, k] * a[k, j]).unwrap_err();
/// assert_eq!(error.to_string(), "index `k` has extent 3 on axis 1 of `a` but 2 on axis 0");
/// assert!(matches!(error.kind(), ErrorKind::Extent { .. }));
/// # Ok::<(), Error>(())
/// ```
#[macro_export]
macro_rules! try_tensor {
    ($($tokens:tt)*) => { $crate::__macros::try_tensor!(($crate) $($tokens)*) };
}

/// NumPy's subscripts in a string literal, checked at compile time as [`tensor!`] checks equations; the function
/// [`einsum`](fn@einsum) reads the same at run time, and its page tells the grammar.
///
/// # Panics
/// At its line, for what is known only at run time; [`try_einsum!`] returns it.
///
/// ```
/// use tensorwrapper::prelude::*;
/// let a: Tensor<f64, Shape![2, 3]> = Tensor::filled((Const, Const), 1.0)?;
/// let b: Tensor<f64, Shape![3, _]> = Tensor::filled((Const, 4), 2.0)?;
/// let c: Tensor<f64, Shape![2, _]> = einsum!("ik,kj->ij", a, b);
/// assert_eq!(c[[1, 3]], 6.0);
/// let total: f64 = einsum!("ik->", a);
/// assert_eq!(total, 6.0);
/// # Ok::<(), Error>(())
/// ```
#[macro_export]
macro_rules! einsum {
    ($($tokens:tt)*) => { $crate::__macros::einsum!(($crate) $($tokens)*) };
}

/// The subscripts of [`einsum!`] with a [`Result`] as their value.
///
/// # Errors
/// Ranks and extents that do not fit, known only at run time, and memory.
#[macro_export]
macro_rules! try_einsum {
    ($($tokens:tt)*) => { $crate::__macros::try_einsum!(($crate) $($tokens)*) };
}

pub use tensorwrapper_runtime::{
    Accumulate, AnyOperand, AnyTensor, Cancel, CastInto, Class, ComputeDevice, Const, Context, DeviceTensor, Dtype, Dyn,
    DynOperand, DynTarget, Element, Elements, Error, ErrorKind, EvalAll, ExplainedBlock, ExplainedStep, Explanation, Expr,
    Extent, Extents, Factors, Fill, FixedIndices, Graph, Indexed, IndexedPhysical, IndexedShape, Indexer, Indices, IntoExtent,
    IntoShape, KeptPlans, LabelAxes, Layout, Layouts, Len, Logical, MapArguments, Mask, MemoryKind, Moved, MultiIndex,
    NestedArray, OnDevice, Order, Pass, Physical, Place, Placement, Prepared, PreparedBlock, Progress, Replay, Shape,
    StaticExtents, StaticTensor, Tensor, TensorLike, TensorMut, TensorRef, Tile, Walk, backend, contract, einsum, eval_all,
    graph, keep_memory, linalg, order,
};

#[doc(hidden)]
pub use tensorwrapper_runtime::__private;

/// What the macros hand their tokens on to.
#[doc(hidden)]
pub use tensorwrapper_macros as __macros;

/// Everything that writing equations needs.
pub mod prelude {
    pub use crate::{
        AnyTensor, Const, Context, Dyn, Element, Error, Expr, Extent, Extents, Graph, LabelAxes, Len, Shape, StaticTensor,
        Tensor, TensorMut, TensorRef, contract, einsum, eval_all, tensor, try_einsum, try_tensor,
    };
}
