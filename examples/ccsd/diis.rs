//! DIIS: direct inversion in the iterative subspace (P. Pulay, Chem. Phys. Lett. 73, 393 (1980)).
//!
//! An iteration produces approximations, each with a residual that vanishes at the solution. The combination of the last few
//! with coefficients that sum to one and the shortest residual is a much better approximation than the last one alone.
//! Hartree-Fock and coupled cluster share it: each says, in equations, what the overlap and the sum of its vectors are.

use tensorwrapper::prelude::*;

/// A singular value this small, by the largest, of a system whose diagonal is one, is rounding noise.
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
            // The oldest has the least to say.
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

/// The c that minimise `c[m] * B[m,n] * c[n]` with `sum(m; c[m])` = 1, by a multiplier in the last row and column; of several
/// the shortest. None if a residual is zero or no number. The residuals differ by orders of magnitude, so B is brought to a
/// diagonal of ones first.
fn coefficients(B: &[Vec<f64>]) -> Option<Vec<f64>> {
    let size = B.len();
    let length: Vec<f64> = (0..size).map(|m| B[m][m].sqrt()).collect();
    let shortest = length.iter().copied().fold(f64::INFINITY, f64::min);
    if shortest == 0.0 {
        return None;
    }
    let scale: Vec<f64> = length.iter().map(|length| shortest / length).collect();
    let element = |i: &[usize]| match (i[0].min(i[1]), i[0].max(i[1])) {
        (m, n) if n < size => B[m][n] / (length[m] * length[n]),
        (m, _) if m < size => scale[m],
        _ => 0.0,
    };
    let equations = Tensor::<f64>::from_fn([size + 1, size + 1], element).ok()?;
    let right = Tensor::<f64>::from_fn([size + 1], |i| if i[0] == size { 1.0 } else { 0.0 }).ok()?;
    let c = try_tensor!([n] = lstsq(equations[m, n], right[m]; tol = SINGULAR)).ok()?;
    Some(c.as_slice().iter().zip(&scale).map(|(c, scale)| c * scale).collect())
}
