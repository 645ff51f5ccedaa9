//! Orders and passes on graphs small enough to know the answer.

use super::order::{Network, Order, path};

/// A matrix chain whose cheap order is from the right.
#[test]
fn greedy_starts_where_tensors_shrink() {
    let network = Network { inputs: vec![vec![0, 1], vec![1, 2], vec![2]], output: vec![0], extents: vec![100, 100, 100] };
    assert_eq!(path(&network, Order::Greedy), [(1, 2), (0, 3)]);
    assert_eq!(path(&network, Order::AsWritten), [(0, 1), (3, 2)]);
}

/// A label on three factors is kept until its last factor is in.
#[test]
fn a_hyper_edge_is_kept() {
    let network = Network { inputs: vec![vec![0, 1], vec![1], vec![1, 2]], output: vec![0, 2], extents: vec![2, 3, 4] };
    let kept = network.kept([&[0, 1], &[1]], [vec![1, 2]].iter());
    assert_eq!(kept, [1, 0]);
}
