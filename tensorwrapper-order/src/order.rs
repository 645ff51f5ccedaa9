//! The strategies that a program can choose from.

use std::sync::Arc;
use std::time::Duration;

/// How the order of products of three or more factors is found.
///
/// The same equation, order and seed give the same order of products. [`Budget`](Order::Budget) is the exception: it returns the best
/// that it has found when the time is up.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Order {
    /// The best order for up to 12 factors; for more, a good order that is found quickly.
    #[default]
    Auto,
    /// The best order. For up to 16 factors it is the best of all orders, for more the best of those without outer products. If there are
    /// too many factors, or too many labels in common, to search these orders, it is the order of [`Auto`](Order::Auto).
    Exact,
    /// At each step, the pair whose product is smallest compared with its two factors.
    Greedy,
    /// The best order that is found in this time. For up to 16 factors it is the best of all orders, no matter how long the search takes.
    Budget(Duration),
    /// From left to right.
    AsWritten,
    /// These pairs, in the numbers of NumPy's `einsum_path`: positions in the list of remaining factors, to whose end each product is
    /// appended. They are used for every product of three or more factors in an equation or a block. If they do not fit one of these
    /// products, the error is an [`ErrorKind::Order`](crate::ErrorKind::Order). See [`Order::path`].
    Path(Arc<[(usize, usize)]>),
}

impl Order {
    /// An [`Order::Path`] of these pairs.
    ///
    /// ```
    /// # mod tensorwrapper { pub use tensorwrapper_order as order; pub use tensorwrapper_order::Order; }
    /// use tensorwrapper::{Order, order::{Search, find}};
    /// let from_the_right = Search::new().order(Order::path([(1, 2), (0, 1)]));
    /// let found = find(&[vec![0, 1], vec![1, 2], vec![2, 3]], &[0, 3], &[2; 4], &from_the_right)?;
    /// assert_eq!(found.pairs, [(1, 2), (0, 3)]);
    ///
    /// let error = find(&[vec![0, 1], vec![1, 2]], &[0, 2], &[2; 3], &from_the_right).unwrap_err();
    /// assert_eq!(error.to_string(), "the path has 2 pairs, but a product of 2 factors is made of 1");
    /// # Ok::<(), tensorwrapper_order::Error>(())
    /// ```
    pub fn path(pairs: impl IntoIterator<Item = (usize, usize)>) -> Order {
        Order::Path(pairs.into_iter().collect())
    }

    /// Whether it finds the best order for a few factors.
    pub(super) fn is_exact_for_few(&self) -> bool {
        match self {
            Order::Auto | Order::Exact | Order::Budget(_) => true,
            Order::Greedy | Order::AsWritten | Order::Path(_) => false,
        }
    }
}
