//! The strategies that a program can choose from.

use std::sync::Arc;
use std::time::Duration;

/// How the order of products of three and more factors is found.
///
/// The same equation, order and seed give the same order of products, but for [`Budget`](Order::Budget), which takes what it
/// has found when time is up.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Order {
    /// The best order of up to 12 factors, a good one of more, quickly.
    #[default]
    Auto,
    /// The best order: of up to 16 factors among all orders, of more among those without outer products. Where
    /// the factors are so many, or share so many labels, that this cannot be searched, the same as [`Auto`](Order::Auto).
    Exact,
    /// The pair next that shrinks the tensors most.
    Greedy,
    /// The best order that is found in this time; of up to 16 factors the best there is, whatever time it takes.
    Budget(Duration),
    /// From left to right.
    AsWritten,
    /// These pairs, as NumPy's `einsum_path` counts them: positions in the list of the factors that are left, to whose end each
    /// product goes. It is the order of every product of three and more factors that an equation or a block has; one that it
    /// does not fit is an [`ErrorKind::Order`](crate::ErrorKind::Order). See [`Order::path`].
    Path(Arc<[(usize, usize)]>),
}

impl Order {
    /// The order of these pairs; see [`Order::Path`].
    ///
    /// ```
    /// use tensorwrapper_runtime::{Context, Order, Tensor};
    /// let a = Tensor::<f64>::filled([2, 2], 1.0)?;
    /// let from_the_right = Context::cpu().order(Order::path([(1, 2), (0, 1)]));
    /// assert_eq!(from_the_right.einsum("ij,jk,kl->il", &[&a, &a, &a])?.as_slice(), [4.0; 4]);
    ///
    /// let error = from_the_right.einsum("ij,jk,kl,lm->im", &[&a, &a, &a, &a]).unwrap_err();
    /// assert_eq!(error.to_string(), "the path has 2 pairs, but a product of 4 factors is made of 3");
    /// # Ok::<(), tensorwrapper_runtime::Error>(())
    /// ```
    pub fn path(pairs: impl IntoIterator<Item = (usize, usize)>) -> Order {
        Order::Path(pairs.into_iter().collect())
    }

    /// Whether it is the best order wherever factors are few.
    pub(super) fn is_exact_for_few(&self) -> bool {
        match self {
            Order::Auto | Order::Exact | Order::Budget(_) => true,
            Order::Greedy | Order::AsWritten | Order::Path(_) => false,
        }
    }
}
