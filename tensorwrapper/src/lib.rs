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
/// A block's `let`s live in the block; rebinding shadows; reading a tensor after writing it reads the new value.
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
/// | `i` | a label: any identifier that is not a constant in scope |
/// | `i in 2..5`, `i in ..n`, `i in occupied` | a part of the axis; the label counts from 0 |
/// | `3`, `{ n - 1 }` | one position: the axis is gone |
/// | the same label twice | the diagonal; on the left it is what is written, and a new result is zero elsewhere |
/// | `(i, j)` | several labels on one axis, the first slowest; at most one of their extents may be unknown, `where i: n` gives others |
/// | `..` | all axes that are not written, matched from the right, on the left too; the result's rank is known at run time |
///
/// `1[i]` is a constant along `i`; numbers are literals, variables, `{ any Rust expression }` and tensors of rank 0.
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
/// 3. Every term has every left label: what is constant along `i` is written `1[i] * …`. `C op= X` means `C = C op (X)`.
/// 4. In parentheses every addend is a term: a label that is neither on the left nor outside the parentheses is summed
///    in each addend; any other belongs to the enclosing term, and an addend without it is constant along it:
///    `v[i, j] / (e[i] + f[j])`. Where that would put a sum inside a denominator, a function or a `max`, it is refused,
///    and `sum(k; …)` says which is meant.
/// 5. A label on three and more factors is summed once over all of them.
/// 6. Extents are never broadcast: 1 against 5 is a mismatch.
/// 7. Zero extents are legal: sums over nothing are 0, products 1; `max` and `min` over nothing are errors.
/// 8. A label that occurs once and is not on the left is summed, with a warning; `sum(k; …)` silences it.
///
/// # Decompositions
///
/// ```
/// # use tensorwrapper::prelude::*;
/// # let (f, s) = (Tensor::<f64>::from_fn([2, 2], |i| (i[0] + i[1]) as f64)?, Tensor::<f64>::from_fn([2, 2], |i| if i[0] == i[1] { 2.0 } else { 0.5 })?);
/// let (e, c) = tensor!(([n], [p, n]) = eigh(f[p, q], s[p, q])); // f·c = s·c·e, e ascending, cᴴ·s·c = 1
/// let l = tensor!([i, k] = cholesky(s[i, j]));                  // s[i, j] = l[i, k] * conj(l[j, k])
/// # let _ = (e, c, l);
/// # Ok::<(), Error>(())
/// ```
///
/// The row is the index that the matrix result keeps, the column the one that is gone, the new index counts vectors, and
/// any other is a batch. `cholesky` of more than two indices names row and column first: `cholesky(i, j; a[b, i, j])`.
/// Lower triangles are read.
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
/// This needs extents that types or literals tell. With `..`, a fused axis, a range or `where` that is not of literals
/// (`i in 2..`, `i in ..n`), more than 8 axes, a decomposition, and in a block, an equation is computed as any other, and
/// its result is a [`Tensor`]; into a static tensor it may be written. A product of many factors is one nest of loops over
/// all labels, in no cheaper order. `try_tensor!` is `Ok` of the static result.
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
/// [`einsum`](fn@einsum) reads them at run time.
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
    Accumulate, AnyTensor, CastInto, ComputeDevice, Const, Context, Dtype, Dyn, DynOperand, Element, Elements, Error, ErrorKind,
    EvalAll, Expr, Extent, Extents, Fill, FixedIndices, Graph, Indexed, Indexer, Indices, IntoExtent, IntoShape, Layout, Layouts,
    Len, Logical, MapArguments, Mask, MemoryKind, Moved, MultiIndex, NestedArray, Order, Physical, Place, Placement, Shape,
    StaticExtents, StaticTensor, Tensor, TensorLike, TensorMut, TensorRef, Tile, Walk, contract, einsum, eval_all, graph,
};

#[doc(hidden)]
pub use tensorwrapper_runtime::__private;

/// What the macros hand their tokens on to.
#[doc(hidden)]
pub use tensorwrapper_macros as __macros;

/// Everything that writing equations needs.
pub mod prelude {
    pub use crate::{
        AnyTensor, Const, Context, Dyn, Element, Error, Expr, Extent, Extents, Graph, Len, Shape, StaticTensor, Tensor,
        TensorMut, TensorRef, contract, einsum, eval_all, tensor, try_einsum, try_tensor,
    };
}
