//! Newton's method inside a region of trust: the model of a step is minimised by conjugate gradients, which end at the region's border
//! or where the function curves downwards. Sources: T. Steihaug, SIAM J. Numer. Anal. 20, 626 (1983); J. Nocedal, S. J. Wright,
//! "Numerical Optimization", second edition (2006), algorithms 4.1 and 7.2.

use tensorwrapper::prelude::*;

/// A tensor of a site: left bond, spin, right bond.
pub(crate) type Site = Tensor<f64, Shape![_, _, _]>;
/// All variables.
pub(crate) type Point = Vec<Site>;

/// The last step promises to lower the value by less.
const CONVERGED: f64 = 1e-11;
const MOST_STEPS: usize = 200;
/// Products with second derivatives in one step.
const MOST_PRODUCTS: usize = 300;

/// A value and its gradient.
type Gradient<'f> = dyn Fn(&Point) -> Result<(f64, Point), Error> + 'f;

/// A function to minimise.
pub(crate) struct Problem<'f> {
    pub(crate) gradient: &'f Gradient<'f>,
    /// Second derivatives at a point along a direction.
    pub(crate) along: &'f dyn Fn(&Point, &Point) -> Result<Point, Error>,
    /// Another point with the same value, from which to go on.
    pub(crate) settled: &'f dyn Fn(Point) -> Result<Point, Error>,
}

/// The lowest value that is found from a first point.
pub(crate) fn minimum(problem: &Problem<'_>, start: &Point) -> Result<f64, Error> {
    println!("{:>4} {:>18} {:>11} {:>9} {:>9}", "step", "value", "|gradient|", "products", "radius");
    let mut x = (problem.settled)(start.clone())?;
    let mut radius = 1.0;
    let (mut value, mut gradient) = (problem.gradient)(&x)?;
    for step in 1..=MOST_STEPS {
        let length = norm(&gradient)?;
        let Step { change, gain, products } = steihaug(problem, &x, &gradient, radius)?;
        let next = (problem.settled)(plus(&x, 1.0, &change)?)?;
        let (next_value, next_gradient) = (problem.gradient)(&next)?;
        // How much of what the model promised came true.
        let ratio = (value - next_value) / gain;
        println!("{step:4} {value:18.12} {length:11.1e} {products:9} {radius:9.1e}");
        let is_at_border = norm(&change)? > 0.99 * radius;
        if ratio < 0.25 {
            radius *= 0.25;
        } else if ratio > 0.75 && is_at_border {
            radius = f64::min(2.0 * radius, 10.0);
        }
        if ratio > 0.1 {
            (x, value, gradient) = (next, next_value, next_gradient);
        }
        if gain < CONVERGED {
            break;
        }
    }
    Ok(value)
}

/// What the model proposes.
struct Step {
    change: Point,
    /// By how much the model falls.
    gain: f64,
    products: usize,
}

/// The minimum of `gradient·d + ½ d·H·d` along conjugate directions, inside the region.
fn steihaug(problem: &Problem<'_>, x: &Point, gradient: &Point, radius: f64) -> Result<Step, Error> {
    let length = norm(gradient)?;
    let enough = length * f64::min(0.1, length);
    let mut change = times(gradient, 0.0)?;
    let mut curved = change.clone();
    let (mut rest, mut direction) = (gradient.clone(), times(gradient, -1.0)?);
    let mut products = 0;
    while products < MOST_PRODUCTS {
        let image = (problem.along)(x, &direction)?;
        products += 1;
        let (curvature, size) = (dot(&direction, &image)?, dot(&rest, &rest)?);
        let length = size / curvature;
        let next = plus(&change, length, &direction)?;
        if curvature <= 0.0 || norm(&next)? >= radius {
            let length = to_border(&change, &direction, radius)?;
            change = plus(&change, length, &direction)?;
            curved = plus(&curved, length, &image)?;
            break;
        }
        (change, curved) = (next, plus(&curved, length, &image)?);
        rest = plus(&rest, length, &image)?;
        let left = dot(&rest, &rest)?;
        if left.sqrt() <= enough {
            break;
        }
        direction = plus(&times(&rest, -1.0)?, left / size, &direction)?;
    }
    let gain = -dot(gradient, &change)? - 0.5 * dot(&change, &curved)?;
    Ok(Step { change, gain, products })
}

/// How far a direction goes to the border.
fn to_border(from: &Point, direction: &Point, radius: f64) -> Result<f64, Error> {
    let (a, b, c) = (dot(direction, direction)?, dot(from, direction)?, dot(from, from)? - radius * radius);
    Ok(((b * b - a * c).sqrt() - b) / a)
}

fn dot(x: &Point, y: &Point) -> Result<f64, Error> {
    x.iter().zip(y).map(|(x, y)| try_tensor!([] = x[a,s,b] * y[a,s,b])).sum()
}

fn norm(x: &Point) -> Result<f64, Error> {
    Ok(dot(x, x)?.sqrt())
}

fn plus(x: &Point, c: f64, y: &Point) -> Result<Point, Error> {
    x.iter().zip(y).map(|(x, y)| try_tensor!([a,s,b] = x[a,s,b] + c * y[a,s,b])).collect()
}

fn times(x: &Point, c: f64) -> Result<Point, Error> {
    x.iter().map(|x| try_tensor!([a,s,b] = c * x[a,s,b])).collect()
}
