//! [`Graph`]: the context of blocks that are recorded and not computed.

/// Records a block instead of computing it. The block's results are [`Expr`](crate::Expr)s, which can be operands of later
/// blocks, and nothing is computed before they are evaluated. [`eval_all`](crate::eval_all) computes the parts that several
/// results share only once.
///
/// A block is recorded if its first line is `in &graph;`. Its results borrow the tensors that it reads.
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
