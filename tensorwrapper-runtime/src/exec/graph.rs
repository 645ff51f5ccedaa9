//! [`Graph`]: the context of blocks that are recorded and not computed.

/// Records a block instead of computing it: the block's results are [`Expr`](crate::Expr)s, operands of later blocks, and
/// nothing runs before they are evaluated. What several results share is computed once by
/// [`eval_all`](crate::eval_all).
///
/// A block records with `in &graph;` as its first line. Its results borrow the tensors that it reads.
#[derive(Clone, Debug, Default)]
pub struct Graph {
    // Recordings hold what they need themselves; a graph is the word for not computing them.
    _private: (),
}

impl Graph {
    /// A graph to record in.
    #[must_use]
    pub fn new() -> Graph {
        Graph::default()
    }
}
