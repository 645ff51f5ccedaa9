//! The strategies that a program can choose from.

use std::sync::Arc;
use std::time::Duration;

/// How the order of products of three and more factors is found.
///
/// The same equation, order and seed give the same order of products. [`Budget`](Order::Budget) is the exception: it takes the best that
/// it has found when the time is up.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Order {
    /// The best order of up to 12 factors, a good one of more, quickly.
    #[default]
    Auto,
    /// The best order. For up to 16 factors it is the best of all orders, for more the best of those without outer products. If there are
    /// too many factors, or factors with too many labels in common, to search these, it is that of [`Auto`](Order::Auto).
    Exact,
    /// At each step the pair whose product is smallest compared with its two factors.
    Greedy,
    /// The best order that is found in this time. For up to 16 factors it is the best there is, however long that takes.
    Budget(Duration),
    /// From left to right.
    AsWritten,
    /// These pairs, as NumPy's `einsum_path` counts them: positions in the list of remaining factors, to whose end each product is
    /// appended. They are used for every product of three or more factors in an equation or a block; a product that they do not fit is an [`ErrorKind::Order`](crate::ErrorKind::Order). See [`Order::path`].
    Path(Arc<[(usize, usize)]>),
}

impl Order {
    /// [`Order::Path`] of these pairs.
    ///
    /// ```
    /// use tensorwrapper_order::{Order, Search, find};
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

    /// Whether it finds the best order of few factors.
    pub(super) fn is_exact_for_few(&self) -> bool {
        match self {
            Order::Auto | Order::Exact | Order::Budget(_) => true,
            Order::Greedy | Order::AsWritten | Order::Path(_) => false,
        }
    }
}
