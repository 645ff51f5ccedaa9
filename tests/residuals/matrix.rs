//! Dense matrices in double precision, as plain as can be: what results are judged with. It knows nothing of the library's algorithms.

use num_complex::Complex;
use tensorwrapper::Element;

pub type C = Complex<f64>;

/// A dense matrix, row after row.
#[derive(Clone, Debug)]
pub struct Matrix {
    pub rows: usize,
    pub columns: usize,
    pub data: Vec<C>,
}

impl Matrix {
    pub fn from_fn(rows: usize, columns: usize, mut element: impl FnMut(usize, usize) -> C) -> Matrix {
        let data = (0..rows * columns).map(|p| element(p / columns, p % columns)).collect();
        Matrix { rows, columns, data }
    }

    pub fn unit(order: usize) -> Matrix {
        Matrix::from_fn(order, order, |i, j| f64::from(u8::from(i == j)).into())
    }

    pub fn at(&self, row: usize, column: usize) -> C {
        self.data[row * self.columns + column]
    }

    pub fn map(&self, mut element: impl FnMut(usize, usize, C) -> C) -> Matrix {
        Matrix::from_fn(self.rows, self.columns, |i, j| element(i, j, self.at(i, j)))
    }

    /// The elements as numbers of a type.
    pub fn rounded<T: Element>(&self) -> Matrix {
        self.map(|_, _, x| T::from_complex(x).to_complex())
    }

    pub fn adjoint(&self) -> Matrix {
        Matrix::from_fn(self.columns, self.rows, |i, j| self.at(j, i).conj())
    }

    /// The Hermitian matrix of which this holds the lower triangle.
    pub fn mirrored(&self) -> Matrix {
        self.map(|i, j, x| {
            if i > j {
                x
            } else if i == j {
                x.re.into()
            } else {
                self.at(j, i).conj()
            }
        })
    }

    pub fn times(&self, other: &Matrix) -> Matrix {
        let mut product = Matrix::from_fn(self.rows, other.columns, |_, _| C::ZERO);
        for i in 0..self.rows {
            for k in 0..self.columns {
                let factor = self.at(i, k);
                let to = &mut product.data[i * other.columns..][..other.columns];
                to.iter_mut().zip(&other.data[k * other.columns..][..other.columns]).for_each(|(sum, x)| *sum += factor * x);
            }
        }
        product
    }

    pub fn minus(&self, other: &Matrix) -> Matrix {
        self.map(|i, j, x| x - other.at(i, j))
    }

    /// Columns multiplied by numbers.
    pub fn scaled(&self, factors: &[C]) -> Matrix {
        self.map(|_, j, x| x * factors[j])
    }

    pub fn column(&self, j: usize) -> Matrix {
        Matrix::from_fn(self.rows, 1, |i, _| self.at(i, j))
    }

    pub fn trace(&self) -> C {
        (0..self.rows).map(|i| self.at(i, i)).sum()
    }

    /// The elements' sizes.
    pub fn absolute(&self) -> Matrix {
        self.map(|_, _, x| x.norm().into())
    }

    /// The root of the sum of all squares, which do not vanish.
    pub fn norm(&self) -> f64 {
        let largest = self.largest();
        if largest == 0.0 || !largest.is_finite() {
            return largest;
        }
        largest * self.data.iter().map(|x| (x / largest).norm_sqr()).sum::<f64>().sqrt()
    }

    /// The largest sum of a row's sizes.
    pub fn row_norm(&self) -> f64 {
        let sum = |i: usize| self.data[i * self.columns..][..self.columns].iter().map(|x| x.norm()).sum::<f64>();
        (0..self.rows).map(sum).fold(0.0, larger)
    }

    /// The size of the largest element.
    pub fn largest(&self) -> f64 {
        self.data.iter().map(|x| x.norm()).fold(0.0, larger)
    }
}

/// The larger of two numbers; what is no number counts as largest.
pub fn larger(x: f64, y: f64) -> f64 {
    if x.is_nan() || y <= x { x } else { y }
}

/// What was found by what is allowed: at most 1 where it is right.
pub fn ratio(found: f64, allowed: f64) -> f64 {
    match found == 0.0 {
        true => 0.0,
        false if found.is_nan() || allowed.is_nan() || allowed == 0.0 => f64::INFINITY,
        false => found / allowed,
    }
}
