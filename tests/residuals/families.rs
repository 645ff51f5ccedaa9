//! Families of matrices that algorithms of linear algebra find hard: graded, defective, clustered, badly scaled and others.

use rand::RngExt;
use rand::rngs::StdRng;

use super::matrix::{C, Matrix};

/// What matrices are drawn for.
pub struct Draw<'r> {
    pub rng: &'r mut StdRng,
    pub is_complex: bool,
    /// Powers of ten that elements may differ by.
    pub decades: f64,
    pub epsilon: f64,
}

/// The families, by name.
pub const NAMES: [&str; 10] = [
    "random",
    "graded",
    "graded upwards",
    "defective",
    "clustered",
    "badly scaled",
    "low rank",
    "small integers",
    "structured",
    "tiny or huge",
];

impl Draw<'_> {
    fn uniform(&mut self) -> f64 {
        self.rng.random_range(-1.0..1.0)
    }

    fn number(&mut self) -> C {
        let re = self.uniform();
        C::new(re, if self.is_complex { self.uniform() } else { 0.0 })
    }

    fn any(&mut self, rows: usize, columns: usize) -> Matrix {
        Matrix::from_fn(rows, columns, |_, _| self.number())
    }

    /// A matrix with orthonormal columns: those of a random one, made orthogonal twice.
    pub fn unitary(&mut self, order: usize) -> Matrix {
        let mut rows: Vec<Vec<C>> = Vec::new();
        while rows.len() < order {
            let mut x: Vec<C> = (0..order).map(|_| self.number()).collect();
            for y in rows.iter().chain(&rows) {
                let dot: C = x.iter().zip(y).map(|(x, y)| x * y.conj()).sum();
                x.iter_mut().zip(y).for_each(|(x, y)| *x -= dot * y);
            }
            let length = x.iter().map(|x| x.norm_sqr()).sum::<f64>().sqrt();
            if length > 1e-3 {
                rows.push(x.iter().map(|x| x / length).collect());
            }
        }
        Matrix::from_fn(order, order, |i, j| rows[i][j])
    }

    /// Numbers that fall by up to `decades` in steps, one for each row.
    fn falling(&mut self, count: usize, decades: f64) -> Vec<f64> {
        let step = self.rng.random_range(0.0..1.0) * decades / count.max(1) as f64;
        (0..count).map(|n| 10f64.powf(-step * n as f64)).collect()
    }

    /// Numbers of any size within `decades`.
    fn sizes(&mut self, count: usize, decades: f64) -> Vec<f64> {
        (0..count).map(|_| 10f64.powf(self.uniform() * decades / 2.0)).collect()
    }

    /// A few numbers, each many times, exactly or up to a little.
    fn clusters(&mut self, count: usize) -> Vec<f64> {
        let kinds = self.rng.random_range(1..4);
        let centres: Vec<f64> = (0..kinds).map(|_| self.uniform()).collect();
        let spread = [0.0, self.epsilon, 1e3 * self.epsilon, self.epsilon.sqrt()][self.rng.random_range(0..4)];
        (0..count).map(|n| centres[n % kinds] + spread * self.uniform()).collect()
    }

    /// A matrix of a family.
    pub fn general(&mut self, family: &str, rows: usize, columns: usize) -> Matrix {
        let decades = self.decades;
        match family {
            "graded" => self.graded(rows, columns),
            "graded upwards" => {
                let graded = self.graded(rows, columns);
                graded.map(|i, j, _| graded.at(rows - 1 - i, columns - 1 - j))
            }
            "defective" => self.defective(rows, columns),
            "clustered" => self.clustered(rows, columns),
            "badly scaled" => {
                let (left, right) = (self.sizes(rows, decades / 2.0), self.sizes(columns, decades / 2.0));
                self.any(rows, columns).map(|i, j, x| x * left[i] * right[j])
            }
            "low rank" => {
                let rank = self.rng.random_range(0..=rows.min(columns));
                self.any(rows, rank).times(&self.any(rank, columns))
            }
            "small integers" => Matrix::from_fn(rows, columns, |_, _| {
                let part = |draw: &mut Self| f64::from(draw.rng.random_range(-1..2));
                C::new(part(self), if self.is_complex { part(self) } else { 0.0 })
            }),
            "structured" => self.structured(rows, columns),
            "tiny or huge" => {
                let size = 10f64.powf(self.uniform() * decades / 2.0);
                self.any(rows, columns).map(|_, _, x| x * size)
            }
            _ => self.any(rows, columns),
        }
    }

    fn graded(&mut self, rows: usize, columns: usize) -> Matrix {
        let most = (rows + columns) as f64;
        let steps: [f64; 3] = [1.0, 0.1, self.rng.random_range(0.0..2.0)];
        let step = steps[self.rng.random_range(0..3)].min(self.decades / most);
        let size = |i: usize, j: usize| 10f64.powf(-step * (i + j) as f64);
        match self.rng.random_bool(0.3) {
            // Small integers as mantissas: the first such matrix whose eigenvectors were wrong.
            true => Matrix::from_fn(rows, columns, |i, j| (((i * 7 + j * 2 + i * j) % 11) as f64 - 5.0).into())
                .map(|i, j, x| x * size(i, j)),
            false => self.any(rows, columns).map(|i, j, x| x * size(i, j)),
        }
    }

    /// Jordan blocks, in the basis that they are read off from or in another.
    fn defective(&mut self, rows: usize, columns: usize) -> Matrix {
        let value = [C::ZERO, C::ONE, self.number()][self.rng.random_range(0..3)];
        let cuts = self.rng.random_range(0.0..0.4);
        let superdiagonal: Vec<f64> = (0..columns).map(|_| f64::from(u8::from(!self.rng.random_bool(cuts)))).collect();
        let blocks = Matrix::from_fn(rows, columns, |i, j| match j.wrapping_sub(i) {
            0 => value,
            1 => superdiagonal[j].into(),
            _ => C::ZERO,
        });
        match self.rng.random_range(0..4) {
            0 if rows == columns => {
                let basis = self.unitary(rows);
                basis.times(&blocks).times(&basis.adjoint())
            }
            1 => blocks.map(|i, j, _| blocks.at(rows - 1 - i, columns - 1 - j)),
            _ => blocks,
        }
    }

    /// Singular values and, of a square matrix, eigenvalues close to each other.
    fn clustered(&mut self, rows: usize, columns: usize) -> Matrix {
        let values = self.clusters(rows.min(columns));
        let departure = if self.rng.random_bool(0.5) { 0.0 } else { self.rng.random_range(0.0..1.0) };
        let middle = Matrix::from_fn(rows, columns, |i, j| match i.cmp(&j) {
            std::cmp::Ordering::Less => self.number() * departure,
            std::cmp::Ordering::Equal => values[i].into(),
            std::cmp::Ordering::Greater => C::ZERO,
        });
        let left = self.unitary(rows);
        let right = if rows == columns { left.adjoint() } else { self.unitary(columns) };
        left.times(&middle).times(&right)
    }

    fn structured(&mut self, rows: usize, columns: usize) -> Matrix {
        let size = self.number();
        let kind = self.rng.random_range(0..9);
        Matrix::from_fn(rows, columns, |i, j| {
            let apart = (i as i64) - (j as i64);
            let (i1, j1) = ((i + 1) as f64, (j + 1) as f64);
            let real = |x: f64| C::from(x);
            match kind {
                // The unit matrix, a circular shift, a companion of random coefficients, Grcar's, Kahan's, Hilbert's, Frank's,
                // a rotation of all planes, and Wilkinson's with its pairs of close eigenvalues.
                0 => {
                    if apart == 0 {
                        size
                    } else {
                        C::ZERO
                    }
                }
                1 => {
                    if (i + 1) % rows == j {
                        size
                    } else {
                        C::ZERO
                    }
                }
                2 if i == 0 => self.number(),
                2 => real(f64::from(u8::from(apart == 1))),
                3 => real(if apart == 1 {
                    -1.0
                } else if (-3..=0).contains(&apart) {
                    1.0
                } else {
                    0.0
                }),
                4 if apart > 0 => C::ZERO,
                4 => real(0.9f64.powi(i as i32) * if apart == 0 { 1.0 } else { -0.43 }),
                5 => real(1.0 / (i1 + j1 - 1.0)),
                6 => real(if apart > 1 { 0.0 } else { rows as f64 + 1.0 - i1.max(j1) }),
                7 if i / 2 != j / 2 => C::ZERO,
                7 => real(if apart == 0 { 0.6 } else { 0.8 * apart as f64 }),
                _ if apart == 0 => real((i1 - (rows as f64 + 1.0) / 2.0).abs()),
                _ => real(f64::from(u8::from(apart.abs() == 1))),
            }
        })
    }

    /// A Hermitian matrix of a family.
    pub fn hermitian(&mut self, family: &str, order: usize) -> Matrix {
        if family == "clustered" {
            let (basis, values) = (self.unitary(order), self.clusters(order));
            let values: Vec<C> = values.into_iter().map(C::from).collect();
            return basis.scaled(&values).times(&basis.adjoint()).mirrored();
        }
        let a = self.general(family, order, order);
        a.map(|i, j, x| (x + a.at(j, i).conj()) / 2.0).mirrored()
    }

    /// A Hermitian, positive definite matrix of a family: far enough from the others that rounding does not reach them.
    pub fn definite(&mut self, family: &str, order: usize) -> Matrix {
        let decades = self.decades / 2.0;
        let scale = match family {
            "graded" => self.falling(order, decades),
            "graded upwards" => self.falling(order, decades).into_iter().rev().collect(),
            "badly scaled" => self.sizes(order, decades),
            "tiny or huge" => vec![10f64.powf(self.uniform() * decades / 2.0); order],
            _ => vec![1.0; order],
        };
        let middle = match family {
            "clustered" => {
                let (basis, values) = (self.unitary(order), self.clusters(order));
                let values: Vec<C> = values.into_iter().map(|x| C::from(1.5 + x)).collect();
                basis.scaled(&values).times(&basis.adjoint())
            }
            "graded" | "graded upwards" | "badly scaled" | "random" | "tiny or huge" => {
                let x = self.any(order, order);
                x.times(&x.adjoint()).map(|i, j, x| x / order as f64 + f64::from(u8::from(i == j)))
            }
            _ => {
                let x = self.general(family, order, order);
                // Just inside.
                let least = 100.0 * (order * order) as f64 * self.epsilon * (1.0 + x.norm() * x.norm());
                x.times(&x.adjoint()).map(|i, j, x| x + if i == j { least } else { 0.0 })
            }
        };
        middle.map(|i, j, x| x * scale[i] * scale[j]).mirrored()
    }
}
