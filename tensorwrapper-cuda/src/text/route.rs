//! Which of several kernels is generated for an operation.

/// Which kernels are chosen; anything but `Chosen` is for tests, whose shapes are small.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Route {
    /// By size and strides.
    #[default]
    Chosen,
    /// A library's products wherever tensors are matrices where they lie, however small; all else by size and strides.
    Library,
    /// Tiles wherever they can be: products of two tensors as matrices in blocks that are as large as they get, elements turned in shared memory.
    LargeTiles,
    /// The same with small blocks of matrices.
    SmallTiles,
    /// Reductions by blocks of threads, sums cut into parts.
    Parts,
    /// A thread for each element of the result.
    Threads,
}
