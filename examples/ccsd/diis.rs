//! DIIS: direct inversion in the iterative subspace (P. Pulay, Chem. Phys. Lett. 73, 393 (1980)).
//!
//! An iteration produces approximations, each with a residual that vanishes at the solution. The combination of the last few
//! with coefficients that sum to one and the shortest residual is a much better approximation than the last one alone.
//! Hartree-Fock and coupled cluster share it: each says, in equations, what the overlap and the sum of its vectors are.

/// A pivot this small, in a system whose diagonal is one, is rounding noise.
const SINGULAR: f64 = 1e-14;

/// What DIIS needs to know of a vector.
pub(crate) trait DiisVector {
    /// The scalar product of `x` and `y`.
    fn overlap(x: &Self, y: &Self) -> f64;
    /// `c` times `x`.
    fn times(c: f64, x: &Self) -> Self;
    /// `sum` plus `c` times `x`.
    fn plus(sum: Self, c: f64, x: &Self) -> Self;
}

/// The last few approximations of an iteration, oldest first.
pub(crate) struct Diis<X> {
    capacity: usize,
    vectors: Vec<X>,
    residuals: Vec<X>,
    /// Overlaps of the residuals, `B[m][n]`.
    B: Vec<Vec<f64>>,
}

impl<X: DiisVector> Diis<X> {
    pub(crate) fn new(capacity: usize) -> Self {
        Diis { capacity, vectors: Vec::new(), residuals: Vec::new(), B: Vec::new() }
    }

    /// Takes an approximation with its residual and gives the best combination of all it remembers.
    pub(crate) fn extrapolate(&mut self, vector: X, residual: X) -> X {
        if self.vectors.len() == self.capacity {
            self.forget_oldest();
        }
        self.remember(vector, residual);
        loop {
            if let Some(c) = coefficients(&self.B) {
                return self.combination(&c);
            }
            // Residuals that are linearly dependent determine no combination: the oldest has the least to say.
            if self.vectors.len() == 1 {
                return self.combination(&[1.0]);
            }
            self.forget_oldest();
        }
    }

    fn remember(&mut self, vector: X, residual: X) {
        self.vectors.push(vector);
        self.residuals.push(residual);
        let newest = &self.residuals[self.residuals.len() - 1];
        let overlaps: Vec<f64> = self.residuals.iter().map(|residual| X::overlap(residual, newest)).collect();
        for (row, &overlap) in self.B.iter_mut().zip(&overlaps) {
            row.push(overlap);
        }
        self.B.push(overlaps);
    }

    fn forget_oldest(&mut self) {
        self.vectors.remove(0);
        self.residuals.remove(0);
        self.B.remove(0);
        for row in &mut self.B {
            row.remove(0);
        }
    }

    fn combination(&self, c: &[f64]) -> X {
        let first = X::times(c[0], &self.vectors[0]);
        let rest = c.iter().zip(&self.vectors).skip(1);
        rest.fold(first, |sum, (&c, vector)| X::plus(sum, c, vector))
    }
}

/// The c that minimise `c[m] * B[m,n] * c[n]` with `sum(m; c[m])` = 1, by a multiplier in the last row and column; none if
/// the system is singular. The residuals differ by orders of magnitude, so B is brought to a diagonal of ones first.
fn coefficients(B: &[Vec<f64>]) -> Option<Vec<f64>> {
    let size = B.len();
    let length: Vec<f64> = (0..size).map(|m| B[m][m].sqrt()).collect();
    let shortest = length.iter().copied().fold(f64::INFINITY, f64::min);
    if shortest == 0.0 {
        return None;
    }
    let scale: Vec<f64> = length.iter().map(|length| shortest / length).collect();
    let mut equations: Vec<Vec<f64>> =
        (0..size).map(|m| (0..size).map(|n| B[m][n] / (length[m] * length[n])).chain([scale[m], 0.0]).collect()).collect();
    equations.push(scale.iter().copied().chain([0.0, 1.0]).collect());
    Some(solve(equations)?.iter().zip(&scale).map(|(c, scale)| c * scale).collect())
}

/// Gaussian elimination with partial pivoting; each equation ends in its right side. None if a pivot vanishes.
fn solve(mut equations: Vec<Vec<f64>>) -> Option<Vec<f64>> {
    let size = equations.len();
    for k in 0..size {
        let pivot = (k..size).max_by(|&m, &n| equations[m][k].abs().total_cmp(&equations[n][k].abs()))?;
        if equations[pivot][k].is_nan() || equations[pivot][k].abs() <= SINGULAR {
            return None;
        }
        equations.swap(k, pivot);
        let (done, rest) = equations.split_at_mut(k + 1);
        for equation in rest {
            let factor = equation[k] / done[k][k];
            equation.iter_mut().zip(&done[k]).for_each(|(x, y)| *x -= factor * y);
        }
    }
    let mut x = vec![0.0; size];
    for k in (0..size).rev() {
        let known: f64 = (k + 1..size).map(|n| equations[k][n] * x[n]).sum();
        x[k] = (equations[k][size] - known) / equations[k][k];
    }
    Some(x)
}
