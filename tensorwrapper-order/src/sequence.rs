//! Decides which of two factors is computed first. The products are the same either way, but not the memory that is held at once.
//!
//! Source: R. Sethi, J. D. Ullman, "The generation of optimal code for arithmetic expressions", J. ACM 17, 715 (1970).

use super::bits::Weights;
use super::cost::Minimize;
use super::network::{Network, Path};
use super::tree::Tree;
use tensorwrapper_core::graph::Label;

/// The same products in another sequence: all products of one factor come before those of the other factor. The factor comes first with
/// which less memory is held at once. For each label of `cut`, only the given number of its values is taken at a time.
pub(super) fn least_held(network: &Network, path: Path, cut: &[(Label, usize)]) -> Path {
    let factors = network.inputs.len();
    // Fewer have no two products that could be computed in either order.
    if factors < 4 {
        return path;
    }
    let mut weights = Weights::new(&network.extents);
    cut.iter().for_each(|&(label, length)| weights.set(label, length));
    let tree = Tree::new(network, weights, &path, Minimize::Operations);
    // What is held at the end of a node, and the most until then: factors are there anyway.
    let mut held = vec![0.0; factors + path.len()];
    let mut most = held.clone();
    let mut ordered: Vec<[usize; 2]> = Vec::with_capacity(path.len());
    for node in tree.products() {
        let [a, b] = tree.children(node).expect("products have factors");
        held[node] = tree.size(node).exp2();
        let (first, second) = (f64::max(most[a], held[a] + most[b]), f64::max(most[b], held[b] + most[a]));
        ordered.push(if second < first { [b, a] } else { [a, b] });
        most[node] = first.min(second).max(held[a] + held[b] + held[node]);
    }
    // Depth first, without recursion: paths may be long.
    let mut number: Vec<usize> = (0..held.len()).collect();
    let mut open = vec![(held.len() - 1, false)];
    let mut found = Path::with_capacity(path.len());
    while let Some((node, is_ready)) = open.pop() {
        let Some(product) = node.checked_sub(factors) else { continue };
        let [first, second] = ordered[product];
        if is_ready {
            let [a, b] = [number[first], number[second]];
            number[node] = factors + found.len();
            found.push((a.min(b), a.max(b)));
        } else {
            open.extend([(node, true), (second, false), (first, false)]);
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_takes_most_comes_first() {
        // Two chains whose products are small and whose middles are not.
        let chain = |n: usize| vec![vec![n, n + 1], vec![n + 1, n + 2], vec![n + 2, n + 3]];
        let inputs = [chain(0), chain(3)].concat();
        let network = Network { inputs, output: vec![0, 6], extents: vec![2, 9, 5, 2, 9, 50, 2] };
        let path = vec![(0, 1), (2, 6), (3, 4), (5, 8), (7, 9)];
        let found = least_held(&network, path, &[]);
        assert_eq!(found, [(3, 4), (5, 6), (0, 1), (2, 8), (7, 9)]);
        // As they come, where nothing is gained.
        assert_eq!(least_held(&network, found.clone(), &[(5, 1)]), [(0, 1), (2, 6), (3, 4), (5, 8), (7, 9)]);
    }
}
