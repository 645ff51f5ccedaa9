//! The largest eigenvalues of a real symmetric tridiagonal matrix, and their vectors: bisection by Sturm's sequences, all values at
//! once, then inverse iteration.
//!
//! Source: G. H. Golub, C. F. Van Loan, "Matrix Computations", 4th ed. (2013), §8.4.1 and §7.6.1; neighbours are made orthogonal to
//! each other as in LAPACK's `dstein`.

/// Halvings of an interval: more than a double has digits.
const HALVINGS: usize = 64;

/// Solutions of a system that lead to a vector.
const SOLUTIONS: usize = 3;

/// The part of the largest value by which neighbours may differ that are made orthogonal.
const NEAR: f64 = 1e-3;

/// Numbers beside each other that the compiler makes vectors of.
const LANES: usize = 8;

/// The vectors of the `count` largest eigenvalues, in columns, descending. `beside` is what stands beside the diagonal.
pub(super) fn largest_vectors(diagonal: &[f64], beside: &[f64], count: usize) -> Vec<Vec<f64>> {
    let (values, size) = largest(diagonal, beside, count);
    let mut vectors: Vec<Vec<f64>> = Vec::with_capacity(count);
    let mut used: Vec<f64> = Vec::with_capacity(count);
    for &value in &values {
        // Equal values are told apart, or all would lead to one vector.
        let apart = 10.0 * f64::EPSILON * size;
        let value = used.last().map_or(value, |&last: &f64| value.min(last - apart));
        let system = Shifted::new(diagonal, beside, value, f64::EPSILON * size);
        let mut vector: Vec<f64> = (0..diagonal.len()).map(|n| start(used.len(), n)).collect();
        for _ in 0..SOLUTIONS {
            system.solve(&mut vector);
            normalise(&mut vector);
            for (other, _) in vectors.iter().zip(&used).filter(|(_, other)| *other - value < NEAR * size) {
                let part = dot(other, &vector);
                vector.iter_mut().zip(other).for_each(|(x, y)| *x -= part * y);
            }
            normalise(&mut vector);
        }
        used.push(value);
        vectors.push(vector);
    }
    vectors
}

/// A component of a vector to begin with, which no vector of interest is likely to be orthogonal to.
fn start(vector: usize, component: usize) -> f64 {
    let mixed = (((vector as u64) << 32) + component as u64 + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    ((mixed ^ (mixed >> 29)).wrapping_mul(0xBF58_476D_1CE4_E5B9) >> 11) as f64 * (-53f64).exp2() + 0.1
}

/// The largest eigenvalues, descending, and a bound of the sizes of all.
fn largest(diagonal: &[f64], beside: &[f64], count: usize) -> (Vec<f64>, f64) {
    let order = diagonal.len();
    let near = |n: usize| if n < order - 1 { beside[n].abs() } else { 0.0 };
    let reach = |n: usize| near(n) + if n > 0 { near(n - 1) } else { 0.0 };
    let low = (0..order).map(|n| diagonal[n] - reach(n)).fold(f64::INFINITY, f64::min);
    let high = (0..order).map(|n| diagonal[n] + reach(n)).fold(f64::NEG_INFINITY, f64::max);
    // So large that the reciprocal of its rounding is a number.
    let size = low.abs().max(high.abs()).max(1e-250);
    let squares: Vec<f64> = beside.iter().map(|x| x * x).collect();
    let least = f64::MIN_POSITIVE.max(squares.iter().copied().fold(0.0, f64::max) * f64::MIN_POSITIVE * 4.0);
    // Below the upper end of an interval there are more eigenvalues than `below`, below the lower end no more.
    let padded = count.next_multiple_of(LANES);
    let (mut lows, mut highs) = (vec![low - f64::EPSILON * size; padded], vec![high + f64::EPSILON * size; padded]);
    for _ in 0..HALVINGS {
        let middles: Vec<f64> = lows.iter().zip(&highs).map(|(low, high)| 0.5 * (low + high)).collect();
        for (chunk, middles) in middles.chunks_exact(LANES).enumerate() {
            let below = count_below(diagonal, &squares, middles, least);
            for (lane, &below) in below.iter().enumerate() {
                let place = chunk * LANES + lane;
                let end = if below + (place as f64) < order as f64 { &mut lows } else { &mut highs };
                end[place] = middles[lane];
            }
        }
    }
    (lows.iter().zip(&highs).map(|(low, high)| 0.5 * (low + high)).take(count).collect(), size)
}

/// How many eigenvalues are smaller than each of some numbers: so many pivots of the shifted matrix are negative.
fn count_below(diagonal: &[f64], squares: &[f64], shifts: &[f64], least: f64) -> [f64; LANES] {
    let (mut pivots, mut counts) = ([1.0; LANES], [0.0; LANES]);
    for (n, &own) in diagonal.iter().enumerate() {
        let square = if n > 0 { squares[n - 1] } else { 0.0 };
        for lane in 0..LANES {
            let pivot = own - shifts[lane] - square / pivots[lane];
            let pivot = if pivot.abs() < least { -least } else { pivot };
            counts[lane] += if pivot < 0.0 { 1.0 } else { 0.0 };
            pivots[lane] = pivot;
        }
    }
    counts
}

/// The factors of a matrix less a multiple of one, by elimination with partial pivoting.
struct Shifted {
    /// Reciprocals of the pivots, and what stands one and two places right of them.
    inverse: Vec<f64>,
    first: Vec<f64>,
    second: Vec<f64>,
    /// What each step multiplies with, and whether it swaps its row and the next.
    steps: Vec<(f64, bool)>,
}

impl Shifted {
    /// Pivots are `least` at least.
    fn new(diagonal: &[f64], beside: &[f64], shift: f64, least: f64) -> Shifted {
        let order = diagonal.len();
        let mut pivots: Vec<f64> = diagonal.iter().map(|x| x - shift).collect();
        let (mut first, mut second, mut steps) = (beside.to_vec(), vec![0.0; order], Vec::with_capacity(order));
        first.resize(order, 0.0);
        for n in 0..order - 1 {
            let below = beside[n];
            let swaps = below.abs() > pivots[n].abs();
            let factor = if swaps {
                let factor = pivots[n] / below;
                let next = pivots[n + 1];
                pivots[n] = below;
                pivots[n + 1] = first[n] - factor * next;
                (first[n], second[n]) = (next, first[n + 1]);
                first[n + 1] *= -factor;
                factor
            } else {
                let factor = if pivots[n] == 0.0 { 0.0 } else { below / pivots[n] };
                pivots[n + 1] -= factor * first[n];
                factor
            };
            steps.push((factor, swaps));
        }
        let inverse = pivots.iter().map(|&x| if x.abs() < least { 1.0 / least.copysign(x) } else { 1.0 / x }).collect();
        Shifted { inverse, first, second, steps }
    }

    /// Replaces a right side by the solution.
    fn solve(&self, x: &mut [f64]) {
        for (n, &(factor, swaps)) in self.steps.iter().enumerate() {
            if swaps {
                x.swap(n, n + 1);
            }
            x[n + 1] -= factor * x[n];
        }
        let (mut next, mut after) = (0.0, 0.0);
        for n in (0..x.len()).rev() {
            let own = (x[n] - self.first[n] * next - self.second[n] * after) * self.inverse[n];
            x[n] = own;
            (next, after) = (own, next);
        }
    }
}

fn normalise(x: &mut [f64]) {
    let largest = x.iter().fold(0.0f64, |largest, x| largest.max(x.abs()));
    if largest > 0.0 {
        x.iter_mut().for_each(|x| *x /= largest);
        let length = dot(x, x).sqrt();
        x.iter_mut().for_each(|x| *x /= length);
    }
}

fn dot(x: &[f64], y: &[f64]) -> f64 {
    let mut sums = [0.0; LANES];
    let (x, y) = (x.as_chunks::<LANES>(), y.as_chunks::<LANES>());
    for (x, y) in x.0.iter().zip(y.0) {
        for lane in 0..LANES {
            sums[lane] += x[lane] * y[lane];
        }
    }
    sums.iter().sum::<f64>() + x.1.iter().zip(y.1).map(|(x, y)| x * y).sum::<f64>()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// T·x = λ·x and orthonormal vectors, of matrices whose values are known, are close together, or are the same.
    #[test]
    fn vectors_of_the_largest_values() {
        let order = 60;
        let second_difference = (vec![2.0; order], vec![-1.0; order - 1]);
        let unit = (vec![1.0; order], vec![0.0; order - 1]);
        let nothing = (vec![0.0; order], vec![0.0; order - 1]);
        // Wilkinson's: its largest values are pairs that agree to many digits.
        let wilkinson = ((0..order).map(|n| (n as f64 - 29.5).abs()).collect::<Vec<_>>(), vec![1.0; order - 1]);
        let graded =
            ((0..order).map(|n| 10f64.powi(-(n as i32))).collect(), (1..order).map(|n| 10f64.powi(-(n as i32))).collect());
        for (name, (diagonal, beside)) in [
            ("second difference", second_difference),
            ("one", unit),
            ("zero", nothing),
            ("Wilkinson", wilkinson),
            ("graded", graded),
        ] {
            let count = 13;
            let (values, size) = largest(&diagonal, &beside, count);
            assert!(values.is_sorted_by(|a, b| a >= b), "{name}: {values:?}");
            if name == "second difference" {
                for (k, value) in values.iter().enumerate() {
                    let exact = 2.0 + 2.0 * (std::f64::consts::PI * (k + 1) as f64 / (order + 1) as f64).cos();
                    assert!((value - exact).abs() < 1e-14 * size, "{value} for {exact}");
                }
            }
            let vectors = largest_vectors(&diagonal, &beside, count);
            for (m, (x, value)) in vectors.iter().zip(&values).enumerate() {
                let at = |n: usize| x.get(n).copied().unwrap_or(0.0);
                for n in 0..order {
                    let before = if n > 0 { beside[n - 1] * at(n - 1) } else { 0.0 };
                    let image = diagonal[n] * at(n) + before + beside.get(n).copied().unwrap_or(0.0) * at(n + 1);
                    assert!((image - value * at(n)).abs() < 1e-12 * size, "{name}: vector {m}");
                }
                for (k, y) in vectors.iter().enumerate() {
                    let expected = if k == m { 1.0 } else { 0.0 };
                    assert!((dot(x, y) - expected).abs() < 1e-10, "{name}: {m}, {k}: {}", dot(x, y));
                }
            }
        }
    }
}
