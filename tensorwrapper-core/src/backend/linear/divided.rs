//! Divided differences of a function at the eigenvalues of a matrix, of which the derivatives of functions of the matrix are made.
//!
//! g[x, y] is (g(y) − g(x)) / (y − x), and g′ where x and y are equal; one of order k is the difference of two of order k − 1, divided by
//! the difference of the two places that these do not share, and g⁽ᵏ⁾/k! where all places are equal. Where places are close, differences
//! lose digits; there the derivatives of the function are used, as far as the difference cannot tell these from it.
//!
//! Source: N. J. Higham, "Functions of Matrices" (2008), §3.1 and appendix B.16.

use num_complex::Complex;

use super::conventions::epsilon;
use super::failure::Failure;
use super::gaps::EQUAL_WITHIN;
use super::matrix::Matrix;
use crate::element::Element;

/// Roundings of the function's values that are no difference.
const NOISE: f64 = 8.0;

/// Derivatives of the function at equal places agree within this part of the largest, or the function is not the same at both.
const SAME_WITHIN: f64 = 1e-3;

/// A divided difference and a bound of its error.
#[derive(Clone, Copy, Debug)]
struct Found {
    value: Complex<f64>,
    error: f64,
}

/// The function at the places: its values and derivatives.
struct Function<'t, T> {
    table: &'t Matrix<T>,
    places: &'t Matrix<T>,
    rounding: f64,
    /// Places at that distance are equal.
    equal: f64,
    /// Values of the function at equal places differ by no more.
    step: f64,
    /// And slopes by no more: the largest known one, of which rounding is a small part.
    steepest: f64,
    /// The differences of all pairs, row by row.
    pairs: Vec<Found>,
}

/// All divided differences of one order, `[i0, (i1, …, ik)]`. The columns of the table are the values of the function and its derivatives
/// up to that order, and the next one where it is known, at places that are real. A derivative that is not finite is not known.
///
/// # Errors
/// Two equal places at which the function has two values or slopes.
pub(super) fn divided<T: Element>(table: &Matrix<T>, places: &Matrix<T>, order: u32) -> Result<Matrix<T>, Failure> {
    let (n, order) = (table.rows, order as usize);
    debug_assert!(order >= 1 && table.columns > order);
    let rounding = epsilon::<T>();
    let largest = places.column(0).iter().map(|x| x.to_complex().norm()).fold(0.0, f64::max);
    let most = |derivative| {
        let sizes = table.column(derivative).iter().map(|x: &T| x.to_complex().norm());
        sizes.filter(|x| x.is_finite()).fold(0.0, f64::max)
    };
    let equal = EQUAL_WITHIN * rounding * n as f64 * largest;
    let step = NOISE * rounding * n as f64 * most(0) + equal * most(1);
    let steepest = most(1) * rounding.sqrt();
    let mut function = Function { table, places, rounding, equal, step, steepest, pairs: Vec::new() };
    function.pairs = (0..n * n).map(|at| function.pair(at / n, at % n)).collect::<Result<_, _>>()?;
    let mut found = std::mem::take(&mut function.pairs);
    let mut by_place: Vec<usize> = (0..n).collect();
    by_place.sort_by(|&a, &b| function.place(a).total_cmp(&function.place(b)));
    for order in 2..=order {
        found = function.next(&found, &by_place, order)?;
    }
    // The first place is the row of the matrix, which is stored by columns.
    let columns = n.pow(order as u32);
    Ok(Matrix::from_fn(n, columns, |row, column| T::from_complex(found[row * columns + column].value)))
}

/// The strides of axes with n elements each, in every order.
fn strides(n: usize, axes: usize) -> Vec<Vec<usize>> {
    let mut all = vec![Vec::new()];
    for axis in 0..axes {
        let stride = n.pow(axis as u32);
        let with = |before: Vec<usize>| (0..=axis).map(move |at| [&before[..at], &[stride], &before[at..]].concat());
        all = all.into_iter().flat_map(with).collect();
    }
    all
}

impl<T: Element> Function<'_, T> {
    fn place(&self, node: usize) -> f64 {
        self.places.at(node, 0).to_complex().re
    }

    fn derivative(&self, node: usize, order: usize) -> Complex<f64> {
        self.table.at(node, order).to_complex()
    }

    /// The mean of a derivative over nodes, of those where it is known.
    fn mean(&self, nodes: &[usize], order: usize) -> Option<Complex<f64>> {
        let known = |&node: &usize| Some(self.derivative(node, order)).filter(|x| x.is_finite());
        let (sum, count) = nodes.iter().filter_map(known).fold((Complex::ZERO, 0), |(sum, count), x| (sum + x, count + 1));
        (count > 0).then(|| sum / f64::from(count))
    }

    /// g[x, y]: the mean slope with its correction of fourth order, and the quotient where the slopes do not explain the difference.
    fn pair(&self, i: usize, j: usize) -> Result<Found, Failure> {
        let undefined = Failure::EqualValues { states: [i.min(j), i.max(j)] };
        let (gap, difference) = (self.place(j) - self.place(i), self.derivative(j, 0) - self.derivative(i, 0));
        let is_equal = gap.abs() <= self.equal;
        let values = self.derivative(i, 0).norm() + self.derivative(j, 0).norm();
        let Some(slope) = self.mean(&[i, j], 1) else {
            return match is_equal {
                // A place that stands for no state is not compared with itself.
                true if i == j => Ok(self.exact(Complex::ZERO)),
                true => Err(undefined),
                false => Ok(Found { value: difference / gap, error: NOISE * self.rounding * values / gap.abs() }),
            };
        };
        let [first, second] = [i, j].map(|node| self.derivative(node, 1));
        let both = first.is_finite() && second.is_finite();
        let is_known = both && self.table.columns > 2;
        let bend = if is_known { (self.derivative(j, 2) - self.derivative(i, 2)) * (gap / 12.0) } else { Complex::ZERO };
        let bend = if bend.is_finite() { bend } else { Complex::ZERO };
        let slope = slope - bend;
        let noise = NOISE * self.rounding * (values + gap.abs() * slope.norm());
        let is_smooth = (difference - slope * gap).norm() <= noise;
        if is_equal {
            let is_bent = both && (first - second).norm() > SAME_WITHIN * (first.norm() + second.norm()).max(self.steepest);
            return if difference.norm() <= self.step && !is_bent { Ok(self.exact(slope)) } else { Err(undefined) };
        }
        let error = noise / gap.abs();
        Ok(match is_smooth {
            true if bend.norm() <= self.rounding * slope.norm() => self.exact(slope),
            true => Found { value: slope, error },
            false => Found { value: difference / gap, error },
        })
    }

    fn exact(&self, value: Complex<f64>) -> Found {
        Found { value, error: NOISE * self.rounding * value.norm() }
    }

    /// All differences of one order from those of the order before. They do not depend on the order of the places.
    fn next(&self, before: &[Found], by_place: &[usize], order: usize) -> Result<Vec<Found>, Failure> {
        let n = self.table.rows;
        let mut all = vec![self.exact(Complex::ZERO); n.pow(order as u32 + 1)];
        if n == 0 {
            return Ok(all);
        }
        let at =
            |nodes: &[usize], strides: &[usize]| nodes.iter().zip(strides).map(|(node, stride)| node * stride).sum::<usize>();
        let (orders, known) = (strides(n, order + 1), strides(n, order).swap_remove(0));
        // Ranks by place, none before the one to its left.
        let (mut ranks, mut nodes) = (vec![0; order + 1], vec![0; order + 1]);
        loop {
            nodes.iter_mut().zip(&ranks).for_each(|(node, &rank)| *node = by_place[rank]);
            let found = self.of(&nodes, before[at(&nodes[1..], &known)], before[at(&nodes[..order], &known)])?;
            orders.iter().for_each(|strides| all[at(&nodes, strides)] = found);
            let Some(last) = ranks.iter().rposition(|&rank| rank + 1 < n) else { break };
            let next = ranks[last] + 1;
            ranks[last..].fill(next);
        }
        Ok(all)
    }

    /// The difference over nodes in the order of their places, from those without the first and without the last one.
    fn of(&self, nodes: &[usize], upper: Found, lower: Found) -> Result<Found, Failure> {
        let order = nodes.len() - 1;
        let (i, j) = (nodes[0], nodes[order]);
        let gap = self.place(j) - self.place(i);
        let factorial: f64 = (1..=order).map(|n| n as f64).product();
        let mean = self.mean(nodes, order).map(|mean| mean / factorial);
        if gap <= self.equal {
            let scale = nodes.iter().map(|&node| self.derivative(node, order).norm()).fold(0.0, f64::max);
            let is_same =
                |&node: &usize| (self.derivative(node, order) - self.derivative(i, order)).norm() <= SAME_WITHIN * scale;
            let same = mean.filter(|_| nodes.iter().all(is_same)).map(|mean| self.exact(mean));
            return same.ok_or(Failure::EqualValues { states: [i.min(j), i.max(j)] });
        }
        let found = Found { value: (upper.value - lower.value) / gap, error: (upper.error + lower.error) / gap };
        Ok(match mean {
            Some(mean) if (found.value - mean).norm() <= found.error => Found { value: mean, error: found.error },
            _ => found,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The divided differences of exp at these places.
    fn exponential(places: &[f64], order: u32) -> Matrix<f64> {
        let table = Matrix::from_fn(places.len(), 3, |i, _| places[i].exp());
        divided(&table, &Matrix::column_of(places.to_vec()), order).unwrap()
    }

    /// exp[x, y] as exp of the mean times sinh(δ/2)/(δ/2), by its series.
    fn expected(x: f64, y: f64) -> f64 {
        let half = (y - x) / 2.0;
        let sinh = if half.abs() < 1e-2 { 1.0 + half * half / 6.0 + half.powi(4) / 120.0 } else { half.sinh() / half };
        ((x + y) / 2.0).exp() * sinh
    }

    #[test]
    fn differences_keep_their_digits_however_close_places_are() {
        for power in 0..16 {
            let gap = 10f64.powi(-power);
            let found = exponential(&[0.3, 0.3 + gap], 1);
            let expected = expected(0.3, 0.3 + gap);
            assert!((found.at(0, 1) / expected - 1.0).abs() < 1e-11, "gap {gap}: {} and {expected}", found.at(0, 1));
            assert_eq!(found.at(0, 1), found.at(1, 0));
        }
        let found = exponential(&[0.3, 0.3], 1);
        assert_eq!(found.data, [0.3f64.exp(); 4]);
    }

    #[test]
    fn second_differences_are_right_where_places_are_close() {
        // The limit of all three places equal is half of the second derivative, and its slope is a sixth of the third.
        for power in 1..16 {
            let gap = 10f64.powi(-power);
            let places = [0.3, 0.3 + gap, 0.3 + 2.0 * gap];
            let found = exponential(&places, 2);
            let expected = (0.3f64 + gap).exp() * (gap / 2.0).sinh().powi(2) * 2.0 / (gap * gap);
            let expected = if power > 3 { (0.3f64 + gap).exp() / 2.0 * (1.0 + gap * gap / 12.0) } else { expected };
            let found = found.at(0, 3 + 2);
            assert!((found / expected - 1.0).abs() < 2e-8, "gap {gap}: {found} and {expected}");
        }
    }

    #[test]
    fn steps_between_equal_places_are_an_error_and_between_close_ones_large() {
        let step = |gap: f64| {
            let table = Matrix::from_fn(2, 3, |i, j| if i == 0 && j == 0 { 1.0 } else { 0.0 });
            divided(&table, &Matrix::column_of(vec![1.0, 1.0 + gap]), 1)
        };
        assert_eq!(step(0.0).unwrap_err(), Failure::EqualValues { states: [0, 1] });
        assert!((step(1e-6).unwrap().at(0, 1) * 1e-6 + 1.0).abs() < 1e-9);
        // |x| at ±0: two slopes at one place.
        let bent = Matrix::from_fn(2, 3, |i, j| if j == 1 { [1.0, -1.0][i] } else { 0.0 });
        assert_eq!(divided(&bent, &Matrix::zeros(2, 1), 1).unwrap_err(), Failure::EqualValues { states: [0, 1] });
    }
}
