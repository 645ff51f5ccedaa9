//! The search that combines the others: simplify, make many greedy orders, anneal and reconfigure them, keep the best.
//!
//! The result depends on the network, the seed and the number of rounds only. A time limit ends the search early and returns the best
//! order so far.

use super::anneal::{Cooling, anneal};
use super::bits::Weights;
use super::clock::Clock;
use super::cost::Minimize;
use super::greedy::{Noise, greedy, noisy, simplify};
use super::network::{Network, Path};
use super::random::Random;
use super::reconfigure::Reconfigure;
use super::tree::Tree;
use super::{exact, tree};

/// The effort of a search.
#[derive(Clone, Copy, Debug)]
pub(super) struct Effort {
    /// The most factors for which all orders are compared, instead of this search.
    pub(super) exact: usize,
    /// The number of randomized greedy searches, in addition to the one without randomness.
    pub(super) starts: usize,
    /// Rounds of annealing.
    pub(super) rounds: usize,
}

/// Below this many factors all orders are compared without asking first what a greedy order costs.
const AT_ONCE: usize = 8;

/// Tensors of a part whose order is searched exactly, while searching and at the end.
const WIDTHS: [usize; 2] = [8, 10];

/// How often annealing tries to change each product in the first rounds, and how many words of label sets it may read, because large
/// trees would take too long otherwise.
const SWEEPS: usize = 4000;
const MOST_WORDS: usize = 100_000_000;

/// Of this number of rounds, one anneals the whole network; the others anneal what remains of it after simplification.
const WHOLE: usize = 4;

/// The temperature at which annealing ends. Below it, reconfiguring finds nearly every improvement sooner.
const COLD: f64 = 0.1;

/// A good path, and whether it is known to be the best, as it is for at most `exact` factors.
pub(super) fn search(network: &Network, minimize: Minimize, effort: Effort, seed: u64, clock: &Clock) -> (Path, bool) {
    if network.inputs.len() <= effort.exact {
        return (small(network, minimize), true);
    }
    (AutoSearch::new(network, minimize, seed, clock).run(effort), false)
}

/// The best order of at most [`exact::DENSE`] factors.
pub(super) fn small(network: &Network, minimize: Minimize) -> Path {
    let at_once = (network.inputs.len() <= AT_ONCE).then(|| exact::dense(network, minimize, None)).flatten();
    at_once.unwrap_or_else(|| {
        let path = greedy(network);
        let cap = tree::cost(network, &path, minimize).price;
        exact::dense(network, minimize, Some(cap)).unwrap_or(path)
    })
}

struct AutoSearch<'n> {
    network: &'n Network,
    minimize: Minimize,
    clock: &'n Clock,
    random: Random,
    reconfigure: Reconfigure,
    /// Products that are made first in any case, and the network that is left then.
    prefix: Path,
    core: Core,
}

/// What is left of a network after some products.
struct Core {
    network: Network,
    /// The numbers of its factors in the whole network's path.
    numbers: Vec<usize>,
}

impl<'n> AutoSearch<'n> {
    fn new(network: &'n Network, minimize: Minimize, seed: u64, clock: &'n Clock) -> AutoSearch<'n> {
        let prefix = simplify(network);
        let core = Core::new(network, &prefix);
        let reconfigure = Reconfigure::new(network.extents.len());
        AutoSearch { network, minimize, clock, random: Random::new(seed, 0), reconfigure, prefix, core }
    }

    fn tree(&self, path: &Path) -> Tree {
        Tree::new(&self.core.network, Weights::new(&self.network.extents), path, self.minimize)
    }

    fn run(&mut self, effort: Effort) -> Path {
        // The greedy order of all factors is what every other must be better than.
        let greedy = greedy(self.network);
        let mut best = Tree::new(self.network, Weights::new(&self.network.extents), &greedy, self.minimize);
        let mut core = self.start(effort.starts);
        self.offer(&core, &mut best);
        for round in 0..effort.rounds {
            if self.clock.is_over() {
                break;
            }
            if core.products().len() < 2 || round % WHOLE == WHOLE - 1 {
                best = self.round(round, &best);
                continue;
            }
            let tree = self.round(round, &core);
            if tree.cost().is_below(&core.cost(), self.minimize) {
                core = tree;
                self.offer(&core, &mut best);
            }
        }
        best.path()
    }

    /// The best of many greedy orders, improved.
    fn start(&mut self, starts: usize) -> Tree {
        let mut best = self.tree(&greedy(&self.core.network));
        self.polish(&mut best, WIDTHS[0]);
        for _ in 0..starts {
            if self.clock.is_over() {
                break;
            }
            let mut tree = self.greedy_tree();
            self.polish(&mut tree, WIDTHS[0]);
            if tree.cost().is_below(&best.cost(), self.minimize) {
                best = tree;
            }
        }
        best
    }

    fn greedy_tree(&mut self) -> Tree {
        let noise = Noise { temperature: self.random.scale(0.01, 1.0), weight: self.random.scale(0.2, 2.0) };
        let path = noisy(&self.core.network, noise, &mut self.random);
        self.tree(&path)
    }

    fn polish(&mut self, tree: &mut Tree, width: usize) {
        let rounds = (20_000 / self.network.inputs.len()).clamp(1, 8);
        self.reconfigure.run(tree, width, rounds, &mut self.random, self.clock);
    }

    /// Anneals a tree, in some rounds from a high temperature and in others from a lower one, more slowly in later rounds. The result is
    /// never worse than the given tree.
    fn round(&mut self, round: usize, start: &Tree) -> Tree {
        let looks = MOST_WORDS / (start.products().len() * start.row(0).len()).max(1);
        let sweeps = looks.clamp(20, SWEEPS) << (round / 8).min(5);
        let hot = round.is_multiple_of(2);
        let from = if hot { self.random.scale(1.0, 4.0) } else { self.random.scale(0.15, 1.0) };
        let cooling = Cooling { from, to: COLD, sweeps };
        let mut tree = anneal(start, cooling, &mut self.random, self.clock);
        self.polish(&mut tree, WIDTHS[round / 2 % 2]);
        if tree.cost().is_below(&start.cost(), self.minimize) { tree } else { start.clone() }
    }

    /// Improves a tree of the core as a tree of the whole network, and keeps it if it is the best.
    fn offer(&mut self, core: &Tree, best: &mut Tree) {
        let path = self.core.whole(self.network.inputs.len(), &self.prefix, &core.path());
        let mut tree = Tree::new(self.network, Weights::new(&self.network.extents), &path, self.minimize);
        self.polish(&mut tree, WIDTHS[0]);
        if tree.cost().is_below(&best.cost(), self.minimize) {
            *best = tree;
        }
    }
}

impl Core {
    fn new(network: &Network, prefix: &Path) -> Core {
        let tree = Tree::new(network, Weights::new(&network.extents), prefix, Minimize::Operations);
        let mut live = vec![true; network.inputs.len() + prefix.len()];
        prefix.iter().flat_map(|&(a, b)| [a, b]).for_each(|factor| live[factor] = false);
        let numbers: Vec<usize> = (0..live.len()).filter(|&factor| live[factor]).collect();
        let labels = |&factor: &usize| super::bits::labels(tree.row(factor).iter().copied()).collect();
        let inputs = numbers.iter().map(labels).collect();
        Core { network: Network { inputs, output: network.output.clone(), extents: network.extents.clone() }, numbers }
    }

    /// Joins the prefix and a path of the core to a path of the whole network, which has this number of factors.
    fn whole(&self, factors: usize, prefix: &Path, path: &Path) -> Path {
        let made = factors + prefix.len();
        let number = |n: usize| self.numbers.get(n).copied().unwrap_or_else(|| made + n - self.numbers.len());
        let rest = path.iter().map(|&(a, b)| (number(a).min(number(b)), number(a).max(number(b))));
        prefix.iter().copied().chain(rest).collect()
    }
}
