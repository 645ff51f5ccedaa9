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
//! [`tensor!`] documents the language. A [`Tensor`] holds elements and lists the methods of whole tensors; a [`Context`] says where
//! equations run. [`einsum()`], [`contract`] and [`Indexed`] do without macros. [`graph`] has the graphs that equations become.

#![forbid(unsafe_code)]

/// Tensor equations.
///
/// # Forms
///
/// ```
/// # use tensorwrapper::prelude::*;
/// # let n = 3;
/// # let (a, b) = (Tensor::<f64>::from_fn([n, n], |i| (i[0] * 3 + i[1]) as f64)?, Tensor::<f64>::ones([n, n])?);
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
/// # Ok::<(), Error>(())
/// ```
///
/// | left side | result |
/// |---|---|
/// | `[i, j] = …` | a `Tensor<T, S>`, or a `Blocks<T, S>` where an operand is one. `S` has an extent for each axis, `Const` where the compiler knows it; [`into_dyn`](Tensor::into_dyn) forgets them, and functions that take `impl Into<TensorRef<'a, f64, Shape![_, _]>>` read any ([`TensorRef`]) |
/// | `[] = …`, in a block `let e = …` | a plain number; of a comparison a `bool` |
/// | `let e[] = …` | a tensor of rank 0, which is a number to later equations |
/// | `([n], [p, n]) = …`, `let (e[n], c[p, n]) = …` | the results of a decomposition |
/// | `c[i, j] = …`, `+=`, `-=`, `*=`, `/=` | written into an existing tensor, or into a part of it: `c[i in 2..5, 0] = …` |
///
/// * Names that a block binds with `let` exist only inside the block. Binding a name again shadows it.
/// * A block that writes no tensor and has no value is an error.
/// * `in &context;` as the first line of a block says where it runs ([`Context`]). With a [`Graph`] instead, the block is recorded and not
///   computed, and its results are [`Expr`]s.
/// * Writes happen when everything has been computed. So a failure leaves every tensor as it was, and a right side always reads old
///   values: `c[i, j] = c[j, i]` transposes. A later equation of the block that reads a written tensor sees the new value.
/// * A place is identified by its spelling, because which tensor `(v[n])[i]` names is known only at run time. So after
///   `(v[m])[i] = …` in the same block, `(v[n])[i]` reads the value from before the block, even where `m` equals `n`.
///
/// # Operands and indices
///
/// Operands are tensors, views, [block tensors](#block-tensors), recorded results: `a[i, j]`, `self.t2[i, j]`, `(p[n])[l, s]`, `(f(x))[i]`.
///
/// | index | means |
/// |---|---|
/// | `i` | a label: any identifier that is not a constant in scope. The value of a variable is written `{ i }` |
/// | `i in 2..5`, `i in ..n`, `i in occupied` | a part of the axis; the label counts from 0 |
/// | `3`, `{ n - 1 }` | one position; the operand loses this axis |
/// | the same label twice | the diagonal. On the left side only the diagonal is written, and a new result is zero elsewhere |
/// | `(i, j)` | several labels on one axis; the first one varies slowest. At most one of their extents may be unknown; `where i: n` declares others |
/// | `..` | all axes that are not written, matched from the right. It must stand on the left side too, and the result's rank is known only at run time |
///
/// A label with a prime is written `i1`, because `i'` is not a word of Rust. Positions, ranges and extents are known to the compiler if
/// they are literals. `where i, j: n, k: 3` after an equation, or as the first line of a block, gives extents of labels that occur.
///
/// Labels and variables are unrelated. In `for i in 0..n { tensor!([] = a[i, k] * b[i, k]) }` both labels are summed. The
/// equation does not read the counter, so rustc warns of an `unused variable` unless other code reads it. A macro cannot see
/// the variables around it, so it cannot give a better warning. The product of two rows is `[] = a[{ i }, k] * b[{ i }, k]`.
///
/// The compiler knows a tensor's rank if its extents were given as a tuple. Of an array or slice of extents, it is known only at run time:
///
/// ```
/// # use tensorwrapper::prelude::*;
/// # let (n, m) = (2, 3);
/// let a: Tensor<f64, Shape![_, _]> = Tensor::from_fn((n, m), |i| (i[0] + i[1]) as f64)?; // rank 2: the compiler knows
/// let b: Tensor<f64> = Tensor::from_fn([n, m], |i| (i[0] + i[1]) as f64)?;               // any rank: `b[i]` fails at run time
/// assert!(try_tensor!([i] = b[i]).is_err());
/// let row = tensor!([j] = a[0, j] + b[1, j in ..m]);
/// assert_eq!(row.as_slice(), [1.0, 3.0, 5.0]);
/// # Ok::<(), Error>(())
/// ```
///
/// | on the right side | means |
/// |---|---|
/// | `+ - * /`, parentheses | sums, products and quotients of elements; labels say what is contracted |
/// | `2.5`, `alpha`, `{ any Rust expression }`, a tensor of rank 0; `1[i]`, `2.5[i, j]`; `iota[i]` | numbers; with labels, tensors that are constant along them; the value of an index, 0, 1, 2, …, in its real type: `select(iota[i] >= iota[j]; a[i, j], 0.0)`. A literal has the element's real type, any other number the element type or its real type |
/// | `sum(k, l; X)`, `prod`, `max`, `min`, `mean`, `var`, `std`; `argmax(k; X)`, `argmin(k; X)` | explicit reductions; a mean is a sum over the number of its terms, a variance the mean of the squared distances from the mean, and a standard deviation its root; the value of `k`, as `iota[k]` counts it, at which X is largest or smallest: the first of equal ones, the first NaN if there is one |
/// | `exp ln sqrt abs sin cos tan tanh recip conj re im`, `powi(X, n)`, `powf(X, p)`, `clip(X, a, b)` | functions of elements; `clip` gives a where X is less than a, and b where it is larger than b |
/// | `select(C; X, Y)` | X where the comparison C holds, and Y elsewhere: `select(a[i, j] > v[j] && !(v[j] == 0.0); a[i, j], 0.0)`. C is made of `< <= > >= == !=`, tensors of `bool` (`select(m[i]; X, Y)`), `&&`, `\|\|` and `!`; nothing holds of a NaN but that it differs. Complex numbers have no order: compare `re(X)`, `im(X)`, `abs(X)` or real tensors. What is not chosen has no derivative there, even if its slope is infinite. As a whole right side C makes a tensor of `bool`, `let m = tensor!([i, j] = a[i, j] > v[j]);`, or one `bool`: `tensor!([] = max(i; v[i]) > 0.0)` |
/// | `map(f; X, Y)` | a Rust function of up to eight elements: a path, a variable, or a closure such as `\|x: f64, y\| …`. It is called from several threads, in any order, and as often as the computation needs. For derivatives its slopes by each argument stand behind it, `map(f, fx, fy; X, Y)`, then those of each slope |
/// | `cast(X)`, `cast(f64; X)` | computes X in its own element type and converts the result to the equation's element type, which is that of the operands outside of `cast` or of the assigned tensor. `cast(f64; X)` names that type. Complex numbers become real by `cast(re(X))`. Real operands join an equation over complex numbers of their precision without a cast: `u[i, r] * s[r]`. Nothing else is converted silently. Equations over `i32`, `i64` and `u8` have sums, products, reductions, comparisons, `select`, `clip`, `abs`, `powi` and `iota`, and no fractions: `0.5 * n[i]`, `n[i] / 2` and `exp(n[i])` are compile errors, `0.5 * cast(f64; n[i])` is none. They are computed in 64 bits, exactly or wrapped around, and a result wraps around where its type does not hold it |
/// | `grad(X; A[k, l])` | the [derivatives](#derivatives) of an operand X by an operand A |
/// | `sym(i, j; X)`, `asym(i, j; X)` | X plus (`sym`) or minus (`asym`) X with `i` and `j` exchanged; no factor is applied. Groups of labels are exchanged by `asym((i, a), (j, b); X)` |
///
/// Rust expressions run once, in the order in which they stand, before anything is computed. Operands spelled alike are borrowed once.
///
/// # Meaning
///
/// 1. A right side is a sum of terms. A term is a product or quotient of factors.
/// 2. A label of a term that is not on the left side is summed over the whole term. Terms share no summed label.
/// 3. Every term has every label of the left side. A term that is constant along `i` is written `1[i] * …`, a number `2.0[i]`. A group that
///    is a whole term is none: the addends of `0.5 * (X + Y)` are terms. `C op= X` means `C = C op (X)`, so `c[i, j] *= s[i]` is right.
/// 4. In other parentheses, every addend is a term. A label that is neither on the left side nor outside of the parentheses is summed
///    in each addend. Any other label belongs to the enclosing term, and an addend without it is constant along it:
///    `v[i, j] / (e[i] + f[j])`. If this would put a sum inside a denominator, a function or a `max`, the equation is refused;
///    write `sum(k; …)` to say which sum is meant. `conj`, `re`, `im`, `cast` and the minus sign are linear, so sums may stand
///    inside of them. All of this holds for `..` as for labels.
/// 5. A label on three or more factors is summed once over all of them.
/// 6. Extents are never broadcast: 1 against 5 is a mismatch.
/// 7. Extents of zero are legal. A sum over nothing is 0, a product 1; `max` and `min` over nothing are errors.
/// 8. A label that occurs once and is not on the left side is summed, with a warning. `sum(k; …)` silences it, and `{ k }` is the
///    variable `k`.
///
/// # Derivatives
///
/// `grad(X; A[k, l])` is a factor with the labels of X and `k, l`: ∂X/∂A. X is a recorded result, and A is what it was made of. It is
/// contracted over the labels of X in reverse, over those of A forward, and over neither it is the tensor of all derivatives.
///
/// ```
/// # use tensorwrapper::prelude::*;
/// # let (a, x) = (Tensor::<f64, Shape![2, 3]>::filled((Const, Const), 0.5)?, Tensor::<f64, Shape![3]>::filled((Const,), 0.25)?);
/// let d: Tensor<f64, Shape![3]> = tensor! {
///     let L                     = sum(i; powi(sum(j; a[i, j] * x[j]), 3));
///     let (by_a[i, j], by_x[j]) = grad(L; a[i, j], x[j]);            // several at once
///     let d[k]                  = grad(by_x[j]; x[k]) * by_x[j];     // second derivatives, contracted
///     d
/// };
/// # Ok::<(), Error>(())
/// ```
///
/// Of complex tensors the factor is ∂X/∂z, refused where `conj`, `re`, `im` or `abs` stand between; the gradient of a real number is
/// ∂L/∂Re z + i·∂L/∂Im z. X that does not depend on A is an error. [`Expr::grad`](crate::Expr::grad) and its like are methods.
///
/// # Linear algebra
///
/// ```
/// # use tensorwrapper::prelude::*;
/// # let f = Tensor::<f64>::from_fn([2, 2], |i| (i[0] + i[1]) as f64)?;
/// # let s = Tensor::<f64>::from_fn([2, 2], |i| if i[0] == i[1] { 2.0 } else { 0.5 })?;
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
/// | `[i, k] = cholesky(A[i, j])` | A = L·Lᴴ; L is zero above its diagonal, which is positive |
/// | `([n], [p, n]) = eigh(A[p, q])`, `eigh(A[p, q], B[p, q])` | A·x = λ·x, or λ·B·x, of Hermitian A: λ real and ascending, xᴴ·x or xᴴ·B·x = 1 |
/// | `([n], [p, n]) = eig(A[p, q])` | the same for any square matrix: results are complex, λ is ordered by real and then by imaginary part, xᴴ·x = 1 |
/// | `([i, r], [r], [r, j]) = svd(A[i, j])` | A = U·diag(s)·V, s descending; V is multiplied as it is, not transposed |
/// | `([i, r], [r, j]) = qr(A[i, j])`, `lq` | A = Q·R and A = L·Q; the diagonal of the triangle is not negative |
/// | `([i, q], [q, r], [r, j]) = lu(A[i, j])` | A = P·L·U by partial pivoting; L has ones on its diagonal |
/// | `[k, j] = solve(A[i, k], B[i, j])` | A·X = B. `[i] = solve(A[i, k], v[k])` has the transpose of A, and warns; `solve(k, i; …)` says that it is meant |
/// | `[k, j] = triangular_solve(A[i, k], B[i, j])` | the same with the lower triangle of A; `; upper` takes the upper one; `; unit` takes ones as its diagonal |
/// | `[k, j] = lstsq(A[i, k], B[i, j])` | the shortest X with the least ‖A·X − B‖ |
/// | `[j, i] = inv(A[i, j])`, `pinv` | A⁻¹, and the Moore-Penrose inverse A⁺ |
/// | `[i, j] = matpow(A[i, j], n)`, `expm(A[i, j])` | Aⁿ (powers of the inverse for negative n), and exp A |
/// | `[] = det(A[i, j])`, `([], []) = slogdet(A[i, j])` | the determinant; its phase and the logarithm of its size |
/// | `[] = norm(A[i, j])`, `trace`, `rank` | √Σ\|A\|² over any number of axes; the sum of the diagonal; the number of singular values above the tolerance |
///
/// * **Roles of axes.** The arguments and results in which a label occurs determine the role of its axis. Labels in all
///   arguments and results are batch labels. In `svd`, `qr`, `lq` and `lu`, rows are the labels of the first result and columns
///   those of the last, one or several each; the label that no argument has is the new axis. In `solve`, `triangular_solve` and
///   `lstsq`, row labels are in both arguments and in no result; column labels are in the first argument and the result. Where
///   labels occur in the same arguments and results, rows and columns are named first, as one label or one group each:
///   `cholesky(i, j; A[b, i, j])`, `inv((a, i), (b, j); A[a, i, b, j])`. `norm` names its axes: `norm(i, j; A[b, i, j])`.
/// * **Sums and axes.** A label that occurs in only one argument and in no result must occur once in each term of that
///   argument. It is unclear what `norm(a[i, k] * b[k, j])` and `det(a[i, j] - x)` mean, so they are refused. A sum is written
///   `norm(sum(k; a[i, k] * b[k, j]))`, and a label that is named first is an axis: `norm(i, k; a[i, k] / b[k])`.
/// * **Triangles.** Of a Hermitian matrix only the lower triangle is read.
/// * **Signs and phases.** The largest component of each eigenvector and of each column of U is real and positive; if several are
///   equally large, the first one is. Equal values leave a choice, which another device may make differently. Derivatives that depend
///   on it are errors; `eigh(A[p, q]; broaden = 1e-8)` and `svd(…)` take d/(d² + b²) for 1/d there, b = 1e-8 times the largest value.
/// * **Extents.** Factors are reduced: the new axis is as long as the shorter side. `svd(A[i, j]; full)`,
///   `qr(…; full)` and `lq(…; full)` give square factors; U and V of `svd` then have new labels of their own: `([i, m], [r], [n, j])`.
/// * **Truncation.** `max = n` keeps the n largest singular values. A bound of the new index, `svd(A[i, j]) where r: ..=n`, says the same;
///   in the first line of a block it holds for all truncations to `r` there. `tol = x` keeps the fewest values whose discarded weight (Σs²
///   of the others divided by Σs² of all) is at most x, and at least one. How many these are is known only at run time, so such an equation
///   is computed as soon as it is reached, and a [`Graph`] cannot record it. A fourth result is the discarded weight. If nothing is
///   discarded, it is about ε², not 0. In a batch, every matrix keeps the same number of values: the largest number that any of them needs.
///   `rank`, `pinv` and `lstsq` use the singular values that are larger than `tol` times the largest one; the default of `tol` is the
///   precision of the element type times the longer side.
/// * **Faults.** These are errors ([`ErrorKind::LinearAlgebra`]): a matrix that is singular or not positive definite, NaN and infinity, a
///   result that its element type cannot represent, and an iteration that does not converge. They name the operation, the item of the batch
///   and the extents of its matrix. `norm` and `trace` are sums and pass NaN on; `det` of a singular matrix is 0. Extents may be 0 and 1.
///
/// An operation stands alone on the right side; its arguments may be any expressions. [`Indexed`] has the operations as
/// methods, [`linalg`] as functions of tensors whose first axes are the matrix and whose others are the batch.
///
/// # Block tensors
///
/// An operand may be a [`Blocks`]: a tensor that stores some blocks of its elements, with a symmetry and with charges. A result is in
/// blocks where an operand is, whatever the others are; a tensor that is written decides for itself. Extents, ranks and element types are
/// checked as those of dense tensors. Cuts, blocks, symmetry and charges are data: they are not in types, and those of results are inferred
/// before anything is computed.
///
/// ```
/// use tensorwrapper::prelude::*;
/// use tensorwrapper::{Blocks, Structure, Symmetry, Tiling};
/// let (occ, vir) = (Tiling::cuts([1, 2]), Tiling::cuts([2, 2]));
/// let pairs = Symmetry::none(4).antisymmetric([0, 1])?.antisymmetric([2, 3])?;
/// let v = Blocks::<f64>::from_fn(&Structure::new([&occ, &occ, &vir, &vir]).with(pairs.clone())?, |i| (i[0] + 2 * i[2]) as f64)?;
/// let (eo, ev) = (Tensor::<f64>::filled([3], -1.0)?, Tensor::<f64>::filled([4], 2.0)?);
/// let t = tensor!([i, j, a, b] = v[i, j, a, b] / (eo[i] + eo[j] - ev[a] - ev[b]) where asym(i, j), asym(a, b));
/// assert_eq!(t.bytes(), v.bytes());
/// let e: f64 = tensor!([] = 0.25 * v[i, j, a, b] * t[i, j, a, b]);
/// let f = tensor!([i, j] = v[i, k, a, b] * t[j, k, a, b] where i: &Tiling::whole(3));
/// assert_eq!((f.structure().symmetry().elements().len(), f.blocks().len()), (1, 2)); // its axes are cut differently
/// # let _ = e;
/// # Ok::<(), Error>(())
/// ```
///
/// | written | means |
/// |---|---|
/// | `where i: &cut` | a [`Tiling`]: the extent of the label, and how the result is cut along it. Else it is cut as what is written, or as the first operand in blocks that has the label; axes that a symmetry exchanges are cut alike |
/// | `B[0, j]`, `B[i in 2..5, j]` | a part of a block tensor, which is copied: its cuts, blocks, symmetry and charge are those that the part has |
/// | `T[p; a, b]` | indices in layers, of a tensor that is [`Blocks::nested`]; on the left, those of the result |
/// | `where sym(i, j)`, `asym(i, j, k)`, `herm(p, q)`, `sym((i, a), (j, b))` | the result has this symmetry: it is among what was inferred, or the equation is refused |
/// | `where assume asym(i, j)` | believed: what follows from it is not computed. Development builds (`debug_assertions`) compare some elements and refuse what does not hold |
///
/// | over block tensors | |
/// |---|---|
/// | sums, products, means, variances, with dense tensors and numbers among them; `&a + &b`, `2.0 * &a` of whole [`Blocks`] | blocks that are not there take no work |
/// | functions, powers and quotients | a function of zero that is not zero fills all blocks; a divisor needs every block of what it divides, where that is chosen |
/// | `select`, `clip`, `prod`, `max`, `min`, `argmax`, `argmin` | zeros of blocks that are not there take part |
/// | linear algebra | that of the methods of [`Blocks`], sector by sector; batches of it are refused by name, as are fused axes, `..`, `map` and casts |
/// | [`Blocks::rows`]; [`Blocks::map_blocks`], [`Blocks::map_slices`] | rows that have extents of their own, where a label stands for the indices that each row has; functions of blocks, and of slices at named labels |
///
/// [`PreparedBlocks::explain`] prints what is known of all tensors, and [`explain_norms`](PreparedBlocks::explain_norms) of norms. A
/// [`Graph`], [`einsum()`], [`record`] and `eval` of [`at`](Tensor::at) read block tensors as dense ones; [`einsum_blocks`],
/// [`Context::eval_blocks`] and [`Indexed::eval_blocks`] keep them.
///
/// # The same without macros
///
/// [`einsum`](fn@einsum) reads NumPy's subscripts, [`contract`] takes integer labels, and operands with
/// [`at`](Tensor::at) have the operators of Rust. `at` takes one letter for each axis, or names between commas.
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
/// A [`StaticTensor`] holds its elements inline, on the stack or in a constant. An equation whose operands are all static
/// compiles to loops over constants. Nothing is allocated, recorded or planned, and its result is static too.
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
/// let b: Tensor<f64, Shape![2, _]> = tensor!([i, k] = TURN[i, j] * a[j, k]); // beside a tensor it is an ordinary operand
/// # let _ = b;
/// # Ok::<(), Error>(())
/// ```
///
/// This needs extents that are known from types or literals. An equation with one of the following is computed like any other, and
/// its result is a [`Tensor`]. It may still be written into a static tensor.
///
/// | what | such as |
/// |---|---|
/// | `..` or a fused axis | `[.., i]`, `a[(i, j)]` |
/// | a range or a `where` that is not made of literals, or has no end | `i in 2..`, `i in ..n`, `where i: n` |
/// | `map`, `cast`, or truth values | `map(f; a[i])`, `cast(a[i])`, `[i] = a[i] > 0.0`, `select(m[i]; a[i], 0.0)` |
/// | linear algebra of a group with a new axis, or truncated | `qr((a, i), j; t[a, i, j])`, `svd(a[i, j]; max = 2)` |
/// | more than 8 axes, or more than 16 different operands and numbers of the program | |
/// | no operand, or an equation in a block | `[i] = 2[i] where i: 3`, `tensor! { let w[i] = …; w }` |
///
/// Linear algebra of matrices of up to 8 rows and columns allocates nothing either: `cholesky`, `eigh` of one matrix, `lu` of
/// square matrices, `qr`, `lq`, `svd`, `solve`, `triangular_solve`, `inv`, `matpow`, `det`, `slogdet`, `norm` and `trace`. The
/// other operations, larger matrices, batches of more than 16 matrices or with an argument or result of more than 1024
/// elements, and matrices that have no result are computed as for tensors. Their result is static all the same.
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
/// A product of three to five factors is computed in pairs where this saves a quarter of the multiplications or more; a longer
/// one is one nest of loops over all labels. `try_tensor!` is `Ok` of the static result.
///
/// # Limits
///
/// An equation has at most 1000 terms or factors in a row, 125 operations inside each other, 10 000 operands and numbers, 64
/// groups of brackets, 8 of `sym`, `asym`, `clip`, `argmax` and `argmin` inside each other, and 8 arguments of a `map`. An operand or a
/// result has at most 256 indices. More is an error that says so, before anything is computed. A result of more than 16 axes has its rank
/// at run time. Recorded blocks may be a chain of any length.
///
/// # Errors
///
/// Ranks, labels and extents that do not fit are compile errors where they are known to the compiler, `const` parameters
/// included. [`messages`] has what rustc says of other mistakes, and what it means.
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
/// If a fault is found only at run time. The panic has the message that a compile error would have, and the line of the
/// equation. [`try_tensor!`] returns such faults as errors.
#[macro_export]
macro_rules! tensor {
    ($($tokens:tt)*) => { $crate::__macros::tensor!(($crate) $($tokens)*) };
}

/// The language of [`tensor!`] with a [`Result`] as its value.
///
/// # Errors
/// Ranks and extents that do not fit and are known only at run time, memory that the system does not have, and decompositions that
/// do not exist.
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

/// Evaluates an equation given as NumPy's subscripts in a string literal, checked at compile time as [`tensor!`] checks
/// equations. The function [`einsum`](fn@einsum) reads the same subscripts at run time; its page has the grammar.
///
/// # Panics
/// If a fault is found only at run time, at the line of the macro. [`try_einsum!`] returns such faults as errors.
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
/// Ranks and extents that do not fit and are known only at run time, and memory that the system does not have.
#[macro_export]
macro_rules! try_einsum {
    ($($tokens:tt)*) => { $crate::__macros::try_einsum!(($crate) $($tokens)*) };
}

pub use tensorwrapper_runtime::{
    Accumulate, AnyOperand, AnyShape, AnyTensor, AtLeast, Axes, AxisPart, Blocks, Cancel, CastInto, Charge, ChargeGroup, Charges,
    Class, Complex, ComputeDevice, Const, Context, DeviceTensor, Difference, Directions, Dtype, Dyn, DynOperand, DynTarget,
    Element, Elements, ElementwiseOperand, Error, ErrorKind, EvalAll, ExplainedBlock, ExplainedStep, Explanation, Expr, Extent,
    Extents, Factors, Fill, FixedIndices, Form, Graph, HasElements, InBlocks, Indexed, IndexedMask, IndexedPhysical,
    IndexedShape, IndexedStructure, Indexer, Indices, IntoCharge, IntoExtent, IntoShape, JaggedBoxes, JaggedIndices, JaggedShape,
    Join, KeptPlans, LabelAxes, Lanes, Layout, Layouts, Len, Logical, MapArguments, MapSlopes, Mask, Measured, MemoryKind, Moved,
    MultiIndex, Nested, NestedArray, NumberShape, Numeric, OnDevice, OrZero, Order, PairProduct, Pass, Physical, Place,
    Placement, Prepared, PreparedBlock, PreparedBlocks, PreparedGrad, PreparedStep, Progress, RealNumber, RecordOperand,
    Recordable, RecordedTensors, Replay, Shape, Sign, SignedPermutation, Sparsity, StaticExtents, StaticTensor, Steps, Stored,
    Structure, Symmetry, Tensor, TensorLike, TensorMut, TensorRef, Tensors, Tile, TiledShape, Tiling, Tolerance, Truncation,
    Variables, Walk, Whole, WholeOperand, WrittenEquations, backend, concatenate, contract, einsum, einsum_blocks, einsum_path,
    eval_all, graph, keep_memory, linalg, or_zero, order, record, select, stack,
};

#[cfg(feature = "derive")]
mod structs;
#[cfg(feature = "derive")]
pub use structs::Tensors;

#[doc(hidden)]
pub use tensorwrapper_runtime::{__private, __private_0_1_0};

/// What the macros pass their tokens to.
#[doc(hidden)]
pub use tensorwrapper_macros as __macros;

pub mod messages;
pub mod prelude;
#[cfg(any(doc, doctest))]
pub mod programs;
