//! GMRES: linear equations with a matrix that is only applied. Among all combinations of the vectors b, A·b, A·A·b, … it finds the one
//! with the shortest residual. Source: Y. Saad, M. H. Schultz, SIAM J. Sci. Stat. Comput. 7, 856 (1986).

use super::vectors::{add, difference, dot, norm, scaled};

/// The vectors that are kept before it begins again from what it has.
const RESTART: usize = 80;

/// A function of vectors, such as the product of a matrix.
pub(super) type Apply<'f, E> = dyn FnMut(&[f64]) -> Result<Vec<f64>, E> + 'f;

/// Where it ended.
#[derive(Debug)]
pub(super) struct Found {
    pub(super) x: Vec<f64>,
    /// The length of the residual `b - A·x`.
    pub(super) residual: f64,
}

/// An x for which the residual is at most `tolerance`, or the best one after `most` products with the matrix.
///
/// # Errors
/// Those of `apply`.
pub(super) fn gmres<E>(apply: &mut Apply<'_, E>, b: &[f64], (tolerance, most): (f64, usize)) -> Result<Found, E> {
    let (mut x, mut rest, mut left) = (vec![0.0; b.len()], b.to_vec(), most);
    loop {
        let residual = norm(&rest);
        // What is not a number is not compared.
        if residual <= tolerance || !residual.is_finite() || left == 0 {
            return Ok(Found { x, residual });
        }
        let mut cycle =
            Cycle { basis: vec![scaled(&rest, 1.0 / residual)], columns: Vec::new(), turns: Vec::new(), right: vec![residual] };
        while left > 0 && cycle.columns.len() < RESTART.min(b.len()) && cycle.residual() > tolerance {
            left -= 1;
            if !cycle.extend(apply)? {
                break;
            }
        }
        cycle.add_to(&mut x);
        let next = difference(b, &apply(&x)?);
        // Rounding has the last word where a cycle gains nothing.
        let is_stuck = norm(&next) > 0.9 * residual;
        rest = next;
        if is_stuck {
            left = 0;
        }
    }
}

/// An orthonormal basis of the vectors, and in it the matrix, which rotations have made triangular.
struct Cycle {
    basis: Vec<Vec<f64>>,
    columns: Vec<Vec<f64>>,
    /// Cosines and sines of the rotations.
    turns: Vec<(f64, f64)>,
    right: Vec<f64>,
}

impl Cycle {
    /// The length of the shortest residual so far.
    fn residual(&self) -> f64 {
        self.right[self.columns.len()].abs()
    }

    /// One vector more; false if there is none.
    fn extend<E>(&mut self, apply: &mut Apply<'_, E>) -> Result<bool, E> {
        let n = self.columns.len();
        let mut next = apply(&self.basis[n])?;
        let whole = norm(&next);
        let mut column = vec![0.0; n + 1];
        // Twice is enough for a basis that is orthogonal to rounding.
        for _ in 0..2 {
            for (vector, entry) in self.basis.iter().zip(&mut column) {
                let part = dot(vector, &next);
                add(&mut next, -part, vector);
                *entry += part;
            }
        }
        let length = norm(&next);
        for (k, &(cosine, sine)) in self.turns.iter().enumerate() {
            (column[k], column[k + 1]) = (cosine * column[k] + sine * column[k + 1], cosine * column[k + 1] - sine * column[k]);
        }
        let diagonal = column[n].hypot(length);
        if diagonal == 0.0 {
            return Ok(false);
        }
        let (cosine, sine) = (column[n] / diagonal, length / diagonal);
        column[n] = diagonal;
        self.turns.push((cosine, sine));
        self.columns.push(column);
        let before = self.right[n];
        self.right[n] = cosine * before;
        self.right.push(-sine * before);
        let is_new = length > f64::EPSILON * whole;
        if is_new {
            self.basis.push(scaled(&next, 1.0 / length));
        }
        Ok(is_new)
    }

    /// Adds the best combination of the vectors.
    fn add_to(&self, x: &mut [f64]) {
        let count = self.columns.len();
        let mut weights = self.right[..count].to_vec();
        for n in (0..count).rev() {
            weights[n] /= self.columns[n][n];
            let weight = weights[n];
            (0..n).for_each(|k| weights[k] -= self.columns[n][k] * weight);
        }
        weights.iter().zip(&self.basis).for_each(|(&weight, vector)| add(x, weight, vector));
    }
}

#[cfg(test)]
mod tests {
    use std::convert::Infallible;

    use super::*;

    fn product(matrix: &[Vec<f64>], x: &[f64]) -> Vec<f64> {
        matrix.iter().map(|row| dot(row, x)).collect()
    }

    /// A matrix without symmetry, diagonal beside smaller numbers, and a solution.
    fn system(size: usize) -> (Vec<Vec<f64>>, Vec<f64>) {
        let entry = |i: usize, j: usize| ((3 * i + 7 * j) as f64).sin() * 0.3 + if i == j { 2.0 + i as f64 * 0.1 } else { 0.0 };
        let matrix = (0..size).map(|i| (0..size).map(|j| entry(i, j)).collect()).collect();
        (matrix, (0..size).map(|i| (i as f64).cos()).collect())
    }

    fn solve(matrix: &[Vec<f64>], b: &[f64], tolerance: f64, most: usize) -> Found {
        let mut apply = |x: &[f64]| Ok::<_, Infallible>(product(matrix, x));
        let Ok(found) = gmres(&mut apply, b, (tolerance, most));
        found
    }

    #[test]
    fn a_system_is_solved() {
        for size in [1, 2, 7, 40] {
            let (matrix, exact) = system(size);
            let found = solve(&matrix, &product(&matrix, &exact), 1e-12, 200);
            assert!(norm(&difference(&found.x, &exact)) < 1e-11, "{size}: {}", found.residual);
        }
    }

    #[test]
    fn a_system_that_is_larger_than_a_cycle_begins_again() {
        let (matrix, exact) = system(150);
        let found = solve(&matrix, &product(&matrix, &exact), 1e-11, 1000);
        assert!(norm(&difference(&found.x, &exact)) < 1e-9, "{}", found.residual);
    }

    #[test]
    fn the_residual_tells_where_there_is_no_solution() {
        let matrix = vec![vec![1.0, 1.0], vec![1.0, 1.0]];
        assert!(solve(&matrix, &[1.0, 0.0], 1e-12, 50).residual > 0.5);
        assert!(solve(&[vec![0.0]], &[1.0], 1e-12, 50).residual > 0.5);
        let (matrix, exact) = system(30);
        assert!(solve(&matrix, &product(&matrix, &exact), 1e-12, 3).residual > 1e-12);
    }

    #[test]
    fn zero_is_the_solution_for_zero() {
        let found = solve(&system(3).0, &[0.0; 3], 0.0, 10);
        assert_eq!((found.x, found.residual), (vec![0.0; 3], 0.0));
    }
}
