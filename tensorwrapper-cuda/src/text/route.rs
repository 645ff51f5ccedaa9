//! Which kind of kernel is generated for an operation.

/// How kernels are chosen. All routes but `Chosen` are for tests, whose extents are small.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Route {
    /// By size and strides.
    #[default]
    Chosen,
    /// A library's products for all contractions that are products of matrices, however small; all else by size and strides.
    Library,
    /// Tiles wherever they are possible: large tiles for products of two tensors, and transpositions in shared memory.
    LargeTiles,
    /// The same with small tiles.
    SmallTiles,
    /// Reductions by blocks of threads, with sums cut into parts.
    Parts,
    /// A thread for each element of the result.
    Threads,
}
