//! Networks drawn from a seed: ten kinds of them, with numbers of tensors and extents that vary.

use tensorwrapper::order::{Search, find};

/// A network: the labels of its tensors and of its result, and their extents.
pub(crate) struct Network {
    pub(crate) name: String,
    pub(crate) inputs: Vec<Vec<usize>>,
    pub(crate) output: Vec<usize>,
    pub(crate) extents: Vec<usize>,
}

/// Networks with so many multiplications in the order of the fewest, as logarithms to base 2, and no larger intermediates.
const OPERATIONS: std::ops::Range<f64> = 20.0..31.0;
const LARGEST: f64 = 25.0;

/// SplitMix64 (G. L. Steele, D. Lea, C. H. Flood, OOPSLA 2014, p. 453).
pub(crate) struct Random(pub(crate) u64);

impl Random {
    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// A number from `low` to `high`.
    fn within(&mut self, low: usize, high: usize) -> usize {
        low + (self.next() % (high - low + 1) as u64) as usize
    }
}

/// A network of each kind.
pub(crate) fn drawn(seed: u64) -> Vec<Network> {
    let mut random = Random(seed);
    let kinds: [fn(&mut Random) -> Network; 10] =
        [lattice, cube, regular, hyper_graph, amplitude, state, random_graph, large_random_graph, expectation, norm];
    kinds.map(|kind| std::iter::repeat_with(|| kind(&mut random)).find(is_worth_while).expect("some are")).into()
}

fn is_worth_while(network: &Network) -> bool {
    let Network { inputs, output, extents, .. } = network;
    let found = find(inputs, output, extents, &Search::new()).expect("a drawn network is one");
    OPERATIONS.contains(&found.log2_operations) && found.log2_largest < LARGEST
}

impl Network {
    fn new(name: String, tensors: usize) -> Network {
        Network { name, inputs: vec![Vec::new(); tensors], output: Vec::new(), extents: Vec::new() }
    }

    /// A new label of these tensors.
    fn edge(&mut self, tensors: &[usize], extent: usize) -> usize {
        let label = self.extents.len();
        self.extents.push(extent);
        tensors.iter().for_each(|&tensor| self.inputs[tensor].push(label));
        label
    }
}

fn lattice(random: &mut Random) -> Network {
    let [rows, columns, extent] = [random.within(5, 8), random.within(5, 8), random.within(3, 6)];
    let mut network = Network::new(format!("lattice of {rows} x {columns}, {extent}"), rows * columns);
    planes(&mut network, 0, [rows, columns], extent);
    network
}

/// The edges of a lattice whose first tensor has that number.
fn planes(network: &mut Network, first: usize, [rows, columns]: [usize; 2], extent: usize) {
    for row in 0..rows {
        for column in 0..columns {
            let own = first + row * columns + column;
            if row + 1 < rows {
                network.edge(&[own, own + columns], extent);
            }
            if column + 1 < columns {
                network.edge(&[own, own + 1], extent);
            }
        }
    }
}

fn cube(random: &mut Random) -> Network {
    let extent = random.within(2, 3);
    let mut network = Network::new(format!("cube of 3 x 3 x 3, {extent}"), 27);
    for plane in 0..3 {
        planes(&mut network, 9 * plane, [3, 3], extent);
    }
    for tensor in 0..18 {
        network.edge(&[tensor, tensor + 9], extent);
    }
    network
}

/// Every tensor has three neighbours.
fn regular(random: &mut Random) -> Network {
    let (tensors, most) = (2 * random.within(12, 21), random.within(4, 7));
    loop {
        let mut ends: Vec<usize> = (0..3 * tensors).map(|end| end / 3).collect();
        (1..ends.len()).rev().for_each(|n| ends.swap(n, random.within(0, n)));
        let pairs: Vec<[usize; 2]> = ends.chunks(2).map(|pair| [pair[0].min(pair[1]), pair[0].max(pair[1])]).collect();
        let is_new = |(n, pair): (usize, &[usize; 2])| pair[0] != pair[1] && !pairs[..n].contains(pair);
        if pairs.iter().enumerate().all(is_new) {
            let mut network = Network::new(format!("3-regular, {tensors} tensors, 2 to {most}"), tensors);
            for pair in pairs {
                network.edge(&pair, random.within(2, most));
            }
            return network;
        }
    }
}

/// Labels on two to four tensors.
fn hyper_graph(random: &mut Random) -> Network {
    let [tensors, labels, most] = [random.within(14, 21), random.within(18, 25), random.within(4, 5)];
    let mut network = Network::new(format!("hyper-graph, {tensors} tensors, 2 to {most}"), tensors);
    for label in 0..labels {
        let (count, mut on) = (random.within(2, 4), vec![label % tensors]);
        while on.len() < count {
            let tensor = random.within(0, tensors - 1);
            if !on.contains(&tensor) {
                on.push(tensor);
            }
        }
        network.edge(&on, random.within(2, most));
    }
    network
}

fn amplitude(random: &mut Random) -> Network {
    let [qubits, depth] = [random.within(14, 18), random.within(12, 19)];
    circuit(random, [qubits, depth, 0])
}

fn state(random: &mut Random) -> Network {
    let [qubits, depth, open] = [random.within(13, 16), random.within(8, 15), random.within(6, 13)];
    circuit(random, [qubits, depth, open])
}

/// Layers of gates on one and on two neighbouring qubits; so many of them are open in the end.
fn circuit(random: &mut Random, [qubits, depth, open]: [usize; 3]) -> Network {
    let mut network = Network::new(format!("{qubits} qubits, {depth} layers, {open} open"), qubits);
    let mut wires: Vec<usize> = (0..qubits).map(|qubit| network.edge(&[qubit], 2)).collect();
    for layer in 0..depth {
        for wire in &mut wires {
            if random.within(0, 1) == 0 {
                gate(&mut network, std::slice::from_mut(wire));
            }
        }
        wires[layer % 2..].chunks_exact_mut(2).for_each(|pair| gate(&mut network, pair));
    }
    for (qubit, wire) in wires.into_iter().enumerate() {
        if qubit < open { network.output.push(wire) } else { network.inputs.push(vec![wire]) }
    }
    network
}

/// A gate on these wires, which then are those behind it.
fn gate(network: &mut Network, wires: &mut [usize]) {
    let tensor = network.inputs.len();
    network.inputs.push(Vec::new());
    let behind: Vec<usize> = wires.iter().map(|_| network.edge(&[tensor], 2)).collect();
    network.inputs[tensor].extend_from_slice(wires);
    wires.copy_from_slice(&behind);
}

fn random_graph(random: &mut Random) -> Network {
    let [tensors, edges, open, most] = [random.within(10, 17), random.within(18, 25), random.within(0, 3), random.within(4, 8)];
    graph(random, [tensors, edges, open, most])
}

fn large_random_graph(random: &mut Random) -> Network {
    let [tensors, edges, open, most] = [random.within(14, 23), random.within(24, 33), random.within(0, 3), random.within(4, 6)];
    graph(random, [tensors, edges, open, most])
}

/// A tree, more edges, and labels of the result.
fn graph(random: &mut Random, [tensors, edges, open, most]: [usize; 4]) -> Network {
    let mut network = Network::new(format!("{tensors} tensors, {edges} edges, {open} open, 2 to {most}"), tensors);
    for tensor in 1..tensors {
        let other = random.within(0, tensor - 1);
        network.edge(&[other, tensor], random.within(2, most));
    }
    for _ in tensors - 1..edges {
        let [a, b] = [random.within(0, tensors - 1), random.within(1, tensors - 1)];
        network.edge(&[a, (a + b) % tensors], random.within(2, most));
    }
    for _ in 0..open {
        let tensor = random.within(0, tensors - 1);
        let label = network.edge(&[tensor], random.within(2, most));
        network.output.push(label);
    }
    network
}

/// ⟨ψ|H|ψ⟩ of a matrix product state and operator.
fn expectation(random: &mut Random) -> Network {
    let [sites, bond, site, operator] = [random.within(8, 19), random.within(24, 63), random.within(2, 4), random.within(3, 6)];
    let mut network = Network::new(format!("expectation, {sites} sites of {site}, bonds of {bond} and {operator}"), 3 * sites);
    for n in 0..sites {
        network.edge(&[n, sites + n], site);
        network.edge(&[sites + n, 2 * sites + n], site);
        if n + 1 < sites {
            for (layer, extent) in [bond, operator, bond].into_iter().enumerate() {
                network.edge(&[layer * sites + n, layer * sites + n + 1], extent);
            }
        }
    }
    network
}

/// ⟨ψ|ψ⟩ of a projected entangled pair state.
fn norm(random: &mut Random) -> Network {
    let [side, bond] = [random.within(3, 4), random.within(2, 4)];
    let tensors = side * side;
    let mut network = Network::new(format!("norm of pairs, {side} x {side}, {bond}"), 2 * tensors);
    for layer in 0..2 {
        planes(&mut network, layer * tensors, [side, side], bond);
    }
    for tensor in 0..tensors {
        network.edge(&[tensor, tensor + tensors], 2);
    }
    network
}
