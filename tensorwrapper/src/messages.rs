//! What rustc says of equations, and what it means.
//!
//! Most faults of an equation are errors in the words of [`tensor!`](crate::tensor), each with a help. Where rustc itself finds a fault,
//! its words are about types and macros, and no library can change them:
//!
//! | rustc says | it means |
//! |---|---|
//! | the `?` operator can only be applied to values that implement `Try` | `tensor!` has a plain value, and panics if a fault is found only at run time. `try_tensor!(…)?` returns such faults as errors |
//! | mismatched types … expected `Tensor<f64>`, found `Tensor<f64, (Const<3>, Dyn)>` | a result has the extents that the compiler knows in its type. Return `Tensor<f64, Shape![3, _]>`, which is how `(Const<3>, Dyn)` is written, or forget the extents: `tensor!(…).into_dyn()` |
//! | mismatched types … expected `&Tensor<f64, (Dyn, Dyn)>`, found `&Tensor<f64, (Const<3>, Const<4>)>` | a function whose argument is a `&Tensor<f64, Shape![_, _]>` takes tensors of this type alone. Write `a: impl Into<TensorRef<'a, f64, Shape![_, _]>>`, and it takes any of this rank ([`TensorRef`](crate::TensorRef)) |
//! | help: the trait `SameExtent_6_42<3, 4>` is not implemented for `k_6_35` | this follows the message about an index `k` whose extents are 3 and 4, and shows the other place: line 6, column 35. Each check is a trait, whose name has the place so that no two are equal |
//! | use of deprecated macro `implicit_sum` | nothing is deprecated: a macro has no other way to warn. The label occurs once, and so is summed, as a mistyped one would be; `sum(k; …)` says that it is meant |
//! | use of deprecated macro `transposed_matrix` | nothing is deprecated. The column of the matrix stands before its row, so that its transpose is solved with; `solve(k, i; a[i, k], v[k])` says that this is meant |
//! | prefix `i` is unknown; unterminated character literal | `a[i', j]`: in Rust a `'` begins a character, and this is read before any macro. A label with a prime is written `i1` |
//! | cannot call non-const function `…::equations_are_computed_at_run_time…` in constant functions | an equation runs at run time, and so not in a `const fn`. Where it is assigned to a place, messages about a destructor, `__place` and `write` follow, which say the same. The elements of a [`StaticTensor`](crate::StaticTensor) may be constants |
//! | unused variable: `i` | a label and a variable of one name are unrelated. The variable is read by `{ i }` |
//!
//! ```
//! use tensorwrapper::prelude::*;
//! fn product(a: &Tensor<f64>, b: &Tensor<f64>) -> Result<Tensor<f64>, Error> {
//!     Ok(try_tensor!([i, j] = a[i, k] * b[k, j])?.into_dyn())
//! }
//! let (a, b) = (Tensor::<f64>::ones([2, 3])?, Tensor::<f64>::ones([3, 4])?);
//! assert_eq!(product(&a, &b)?.extents(), [2, 4]);
//! assert!(product(&a, &a).is_err());
//!
//! fn norm<'a>(a: impl Into<TensorRef<'a, f64, Shape![_, _]>>) -> f64 {
//!     let a = a.into();
//!     tensor!([] = a[i, j] * a[i, j])
//! }
//! let c: Tensor<f64, Shape![3, 4]> = Tensor::ones((Const, Const))?;
//! let d: Tensor<f64, Shape![_, _]> = Tensor::ones((3, 4))?;
//! assert_eq!((norm(&c), norm(&d)), (12.0, 12.0));
//! # Ok::<(), Error>(())
//! ```
