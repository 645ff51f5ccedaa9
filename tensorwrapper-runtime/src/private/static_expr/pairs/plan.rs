//! Finds the best order of the pairwise contractions of a product by comparing all orders, and the loops of each pair.
//!
//! Everything is a constant that the compiler evaluates. It must not know what is multiplied.

use super::super::form::{Contraction, FACTORS, INLINE, LABELS, SUMMED, Steps, Summed};
use tensorwrapper_core::element::Dtype;
use tensorwrapper_cpu::fixed::{Axis, Problem};

/// The most elements of all intermediates together.
pub(super) const MOST_INTERMEDIATE: usize = 16384;

/// The most loops of a pair around its rows, and the most within them.
pub(super) const DEEP: usize = 4;

/// The pairs of a product in the order in which they are computed.
#[derive(Clone, Copy, Debug)]
pub(in super::super) struct PairPlan {
    pub(super) pairs: [Pair; FACTORS - 1],
    pub(super) count: usize,
    /// Elements of all intermediates together.
    pub(super) workspace: usize,
}

/// A product of two, which are factors by their numbers or, from [`FACTORS`] on, results of earlier pairs.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pair {
    pub(super) of: [usize; 2],
    contraction: Contraction,
    labels: [usize; LABELS],
    extents: [usize; LABELS],
    /// Number of labels that the result has.
    rank: usize,
    /// Elements of the result.
    pub(super) len: usize,
    pub(super) nest: Nest,
}

/// The loops of a pair: those around a row of the result, those of the sum, and along the row.
#[derive(Clone, Copy, Debug)]
pub(super) struct Nest {
    pub(super) outer: [Axis; DEEP],
    pub(super) inner: [Axis; DEEP],
    pub(super) row: Axis,
}

impl Nest {
    const NONE: Nest = Nest { outer: [Axis::NONE; DEEP], inner: [Axis::NONE; DEEP], row: Axis::NONE };
}

impl Pair {
    const NONE: Pair = Pair {
        of: [0; 2],
        contraction: Contraction { steps: [Steps::NONE; FACTORS], count: 2, summed: [None; SUMMED] },
        labels: [0; LABELS],
        extents: [1; LABELS],
        rank: 0,
        len: 1,
        nest: Nest::NONE,
    };

    /// The problem of a kernel for it, and whether the second of both comes first.
    pub(super) const fn kernel(&self, dtype: Dtype) -> Option<(Problem, bool)> {
        self.contraction.kernel(self.labels.split_at(self.rank).0, self.extents.split_at(self.rank).0, dtype)
    }
}

/// All orders of a product, by the subsets of its factors.
struct Search {
    factors: usize,
    /// The labels of each factor, as bits.
    labels: [u32; FACTORS],
    output: u32,
    extents: [usize; LABELS],
}

const SUBSETS: usize = 1 << FACTORS;

impl Search {
    /// The labels that the product of a subset keeps; a factor keeps all.
    const fn kept(&self, set: usize) -> u32 {
        let (mut inside, mut outside, mut n) = (0, self.output, 0);
        while n < self.factors {
            if set >> n & 1 == 1 {
                inside |= self.labels[n];
            } else {
                outside |= self.labels[n];
            }
            n += 1;
        }
        if set.is_power_of_two() { inside } else { inside & outside }
    }

    /// Number of indices of some labels.
    const fn points(&self, labels: u32) -> usize {
        let (mut points, mut n) = (1usize, 0);
        while n < LABELS {
            if labels >> n & 1 == 1 {
                points = points.saturating_mul(self.extents[n]);
            }
            n += 1;
        }
        points
    }

    /// The best half of each subset, and what the product of all costs then.
    const fn best(&self) -> ([usize; SUBSETS], usize) {
        let (mut halves, mut costs) = ([0; SUBSETS], [0usize; SUBSETS]);
        let mut set = 3usize;
        while set < 1 << self.factors {
            if !set.is_power_of_two() {
                costs[set] = usize::MAX;
                let mut half = (set - 1) & set;
                while half > 0 {
                    let rest = set ^ half;
                    // Each pair once: the half with the first factor.
                    if half & (set & set.wrapping_neg()) != 0 {
                        let own = self.points(self.kept(half) | self.kept(rest));
                        let cost = own.saturating_add(costs[half]).saturating_add(costs[rest]);
                        if cost < costs[set] {
                            (costs[set], halves[set]) = (cost, half);
                        }
                    }
                    half = (half - 1) & set;
                }
            }
            set += 1;
        }
        (halves, costs[(1 << self.factors) - 1])
    }
}

impl PairPlan {
    pub(super) const NONE: PairPlan = PairPlan { pairs: [Pair::NONE; FACTORS - 1], count: 1, workspace: 0 };

    /// The best order of a product as the value of a tensor with these labels. Nothing for fewer than three factors, where no order
    /// is better than the loops as they are written, or where the intermediates are too large for the stack.
    pub(in super::super) const fn new(contraction: &Contraction, labels: &[usize], extents: &[usize]) -> Option<PairPlan> {
        if contraction.count < 3 {
            return None;
        }
        let Some(search) = search(contraction, labels, extents) else { return None };
        let (halves, cost) = search.best();
        let all = search.points(search.kept((1 << search.factors) - 1) | summed(contraction));
        // Loops are one piece of code, pairs are several.
        let loops = all.saturating_mul(contraction.count - 1);
        if loops <= INLINE || cost > loops / 4 * 3 {
            return None;
        }
        let mut plan = PairPlan { count: 0, ..PairPlan::NONE };
        // A half is a smaller number than the whole, so all that is needed is known before it is met downwards, and numbered upwards.
        let (mut is_needed, mut numbers, mut set) = ([false; SUBSETS], [0; SUBSETS], (1usize << search.factors) - 1);
        is_needed[set] = true;
        while set > 0 {
            if is_needed[set] && !set.is_power_of_two() {
                is_needed[halves[set]] = true;
                is_needed[set ^ halves[set]] = true;
            }
            set -= 1;
        }
        let mut steps = [Steps::NONE; 2 * FACTORS];
        let mut n = 0;
        while n < search.factors {
            steps[n] = contraction.steps[n];
            numbers[1 << n] = n;
            n += 1;
        }
        while set < 1 << search.factors {
            if is_needed[set] && !set.is_power_of_two() {
                let (a, b) = (halves[set], set ^ halves[set]);
                let of = [numbers[a], numbers[b]];
                let is_last = set == (1 << search.factors) - 1;
                let Some(pair) = pair(&search, (a, b), of, [steps[of[0]], steps[of[1]]], is_last, labels) else { return None };
                numbers[set] = FACTORS + plan.count;
                steps[numbers[set]] = row_major(&pair);
                plan.workspace += if is_last { 0 } else { pair.len };
                plan.pairs[plan.count] = pair;
                plan.count += 1;
            }
            set += 1;
        }
        if plan.workspace <= MOST_INTERMEDIATE { Some(plan) } else { None }
    }
}

/// The labels that a product is summed over, as bits.
const fn summed(contraction: &Contraction) -> u32 {
    let (mut found, mut n) = (0, 0);
    while n < contraction.summed.len() {
        if let Some(Summed { label, .. }) = contraction.summed[n] {
            found |= 1 << label;
        }
        n += 1;
    }
    found
}

/// What is to be ordered; nothing where it has no element, or no term.
const fn search(contraction: &Contraction, labels: &[usize], extents: &[usize]) -> Option<Search> {
    let mut search = Search { factors: contraction.count, labels: [0; FACTORS], output: 0, extents: [1; LABELS] };
    let mut n = 0;
    while n < labels.len() {
        if labels[n] >= LABELS || extents[n] == 0 {
            return None;
        }
        search.output |= 1 << labels[n];
        search.extents[labels[n]] = extents[n];
        n += 1;
    }
    let mut n = 0;
    while n < contraction.summed.len() {
        if let Some(Summed { label, extent }) = contraction.summed[n] {
            if extent == 0 || search.output >> label & 1 == 1 {
                return None;
            }
            search.extents[label] = extent;
        }
        n += 1;
    }
    let mut n = 0;
    while n < contraction.count {
        let (Steps(steps), mut label) = (contraction.steps[n], 0);
        while label < LABELS {
            search.labels[n] |= if steps[label] > 0 { 1 << label } else { 0 };
            label += 1;
        }
        n += 1;
    }
    // A label that is summed and on no factor repeats the sum: rare, and left to the loops.
    let (mut met, mut n) = (0, 0);
    while n < contraction.count {
        met |= search.labels[n];
        n += 1;
    }
    if summed(contraction) & !met == 0 { Some(search) } else { None }
}

/// A pair, its result with the labels of the whole where it is the last, else in an order that suits those who read it.
const fn pair(
    search: &Search,
    (a, b): (usize, usize),
    of: [usize; 2],
    [Steps(left), Steps(right)]: [Steps; 2],
    is_last: bool,
    output: &[usize],
) -> Option<Pair> {
    let mut pair = Pair { of, ..Pair::NONE };
    (pair.contraction.steps[0], pair.contraction.steps[1]) = (Steps(left), Steps(right));
    let (union, kept) = (search.kept(a) | search.kept(b), search.kept(a | b));
    if is_last {
        while pair.rank < output.len() {
            pair.labels[pair.rank] = output[pair.rank];
            pair.rank += 1;
        }
    } else {
        // Vectors run along the last label: that of the whole where it is there, else one that follows itself in a factor.
        let last = last(kept, left, right, output);
        let mut label = 0;
        while label < LABELS {
            if kept >> label & 1 == 1 && label != last {
                pair.labels[pair.rank] = label;
                pair.rank += 1;
            }
            label += 1;
        }
        if kept != 0 {
            pair.labels[pair.rank] = last;
            pair.rank += 1;
        }
    }
    let (mut outer, mut inner, mut n) = (0, 0, pair.rank);
    while n > 0 {
        n -= 1;
        let label = pair.labels[n];
        let extent = search.extents[label];
        pair.extents[n] = extent;
        let axis = Axis { extent, a: left[label], b: right[label], c: pair.len };
        pair.len = pair.len.saturating_mul(extent);
        if n + 1 == pair.rank {
            pair.nest.row = axis;
        } else if extent > 1 {
            if outer == DEEP {
                return None;
            }
            pair.nest.outer[outer] = axis;
            outer += 1;
        }
    }
    let mut label = 0;
    while label < LABELS {
        if (union & !kept & !search.output) >> label & 1 == 1 {
            let extent = search.extents[label];
            if !pair.contraction.sums(Summed { label, extent }) || inner == DEEP {
                return None;
            }
            pair.nest.inner[inner] = Axis { extent, a: left[label], b: right[label], c: 0 };
            inner += 1;
        }
        label += 1;
    }
    Some(pair)
}

/// The label that comes last of those that are kept.
const fn last(kept: u32, left: [usize; LABELS], right: [usize; LABELS], output: &[usize]) -> usize {
    if let Some(n) = output.len().checked_sub(1)
        && kept >> output[n] & 1 == 1
    {
        return output[n];
    }
    let (mut found, mut label) = (0, 0);
    while label < LABELS {
        if kept >> label & 1 == 1 {
            found = label;
            if left[label] + right[label] == 1 {
                return label;
            }
        }
        label += 1;
    }
    found
}

/// The strides of a pair's result.
const fn row_major(pair: &Pair) -> Steps {
    let (mut steps, mut step, mut n) = ([0; LABELS], 1, pair.rank);
    while n > 0 {
        n -= 1;
        steps[pair.labels[n]] = step;
        step *= pair.extents[n];
    }
    Steps(steps)
}
