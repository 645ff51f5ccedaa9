//! The derive of structs of tensors, with an example.

/// Implements the trait [`Tensors`](trait@crate::Tensors) for a struct, and makes a struct of recorded values beside it: for `Amplitudes`
/// it is `AmplitudesRecorded`, whose fields are [`Expr`](crate::Expr)s of the same shapes.
///
/// `#[tensors(skip)]` marks a field that holds no tensors; it is `Clone` and `Default`. `#[tensors(crate = path)]` above the struct says
/// how the library is called where it has another name. In a struct with parameters, shapes are tuples or aliases: Rust's other derives
/// read no macros such as `Shape!` there.
///
/// ```
/// use tensorwrapper::{Tensors, or_zero, prelude::*};
///
/// #[derive(Clone, Tensors)]
/// struct Amplitudes<O: Len, V: Len> {
///     t1: Tensor<f64, (O, V)>,
///     t2: Tensor<f64, (O, O, V, V)>,
/// }
///
/// let mut t = Amplitudes {
///     t1: Tensor::<f64, Shape![2, _]>::filled((Const, 3), 0.1)?,
///     t2: Tensor::filled((Const, Const, 3, 3), 0.2)?,
/// };
/// let graph = Graph::new();
/// for _ in 0..100 {
///     let energy = tensor! {
///         in &graph;
///         let e[] = 0.5 * t.t2[i,j,a,b] * t.t2[i,j,a,b] + 0.5 * t.t1[i,a] * t.t1[i,a] - t.t2[i,j,a,b] * t.t1[i,a] * t.t1[j,b];
///         e
///     };
///     let gradient = energy.grad(&t)?.eval()?; // an `Amplitudes`
///     t.axpy(-0.5, &gradient)?;
/// }
/// assert!(t.norm() < 1e-12);
///
/// // A function of the struct, which receives it recorded; it does not depend on all tensors.
/// let (value, gradient) = Context::cpu().value_and_grad(or_zero(&t), |t| (t.t1.at("ia") * t.t1.at("ia")).record(""))?;
/// assert!(value < 1e-24 && gradient.t2.as_slice().iter().all(|&x| x == 0.0));
/// # Ok::<(), Error>(())
/// ```
pub use tensorwrapper_derive::Tensors;
