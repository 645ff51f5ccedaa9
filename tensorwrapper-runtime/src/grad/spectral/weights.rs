//! Records a function of the values of a matrix and its derivatives, of which divided differences are made.

use super::super::build::{Labels, as_column, cast, constant, labels as plain, map, number, times, written};
use super::super::linear::without_slope;
use super::form::{Spectral, Weight, axis, result};
use super::table::{DERIVATIVES, Table};
use crate::expr::{Axis, Tree, Value};
use crate::link::Link;
use tensorwrapper_core::error::Error;

/// One term of a change: the labels that it sums, and its body.
pub(in super::super) type Change<'a> = (Vec<usize>, Tree<'a>);

/// Places for which the function is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Places {
    /// The values of the matrix.
    Values,
    /// These and their negatives, at which the function is the same. The last one, if there is, stands for vectors that no state has: there
    /// the function is 0.
    Even { has_null: bool },
    /// The same for a function that changes its sign.
    Odd { has_null: bool },
}

impl Places {
    fn count(self, states: usize) -> usize {
        match self {
            Places::Values => states,
            Places::Even { has_null } | Places::Odd { has_null } => 2 * states + usize::from(has_null),
        }
    }

    /// What a derivative is multiplied with at negative places.
    fn sign(self, derivative: usize) -> f64 {
        let is_even = matches!(self, Places::Even { .. }) == derivative.is_multiple_of(2);
        if is_even { 1.0 } else { -1.0 }
    }
}

/// How a value changes with another one that stands for the values of the matrix: the slope, if it depends on it.
pub(in super::super) type Slope<'s, 'a> =
    &'s dyn Fn(&Link<Value<'a>>, &Link<Value<'a>>) -> Result<Option<Link<Value<'a>>>, Error>;

impl<'a> Spectral<'a> {
    /// The function and its derivatives at the values of the matrix: the second ones only if they are known.
    pub(super) fn table(&self, labels: &Labels, places: Places, slope: Slope<'_, 'a>) -> Result<Table<'a>, Error> {
        let Weight::Function { value, by, axes, .. } = &self.weight else { unreachable!("differences have a table") };
        let states = self.states();
        let kept: Vec<usize> = axes.iter().map(|&label| labels.extents[label]).collect();
        let all: Vec<Axis> = plain(0..=kept.len());
        let count = places.count(states);
        let extents = [&kept[..], &[states]].concat();
        let mut columns = Vec::with_capacity(1 + DERIVATIVES);
        let mut function = Some(Link::clone(value));
        for n in 0..=DERIVATIVES {
            if n > 0 {
                function = match function.map(|function| slope(&function, by)).transpose() {
                    Ok(found) => found.flatten(),
                    // First derivatives need no more than the first slope, which is all that is known of a function of the program.
                    Err(error) if n > 1 && error == without_slope() => break,
                    Err(error) => return Err(error),
                };
            }
            let column = match &function {
                Some(function) => padded(function, &extents, self.pairs[0].start),
                None => constant(0.0, &extents, self.dtype),
            };
            // Where no state is, the function has no known slope.
            let outside = if n == 0 { 0.0 } else { f64::NAN };
            columns.push(mirrored(&column, places, [places.sign(n), outside]));
        }
        let (mut table, extents) = (None, [&kept[..], &[count, columns.len()]].concat());
        for (n, column) in columns.iter().enumerate() {
            let at = all.iter().cloned().chain([Axis::Chip(n)]).collect();
            table = Some(written(table.as_ref(), &extents, at, column));
        }
        let places_of = mirrored(&self.places(labels, axes, states), places, [-1.0, 0.0]);
        Ok(Table { function: table.expect("it has columns"), places: as_column(&places_of) })
    }

    /// The values of the matrix, for each index of the function's other axes.
    fn places(&self, labels: &Labels, axes: &[usize], states: usize) -> Link<Value<'a>> {
        let values = result(&self.whole, self.values());
        let mut own = labels.clone();
        let state = own.add(states, "n");
        let read = self.batch.iter().cloned().chain([axis(state)]).collect();
        let tree = cast(Tree::Operand(Link::clone(&values), read), values.dtype, self.dtype);
        own.value(tree, axes.iter().copied().chain([state]).collect(), self.dtype)
    }
}

/// A column at all places: with the sign for the negative ones, and with a number where no state is.
fn mirrored<'a>(column: &Link<Value<'a>>, places: Places, [sign, outside]: [f64; 2]) -> Link<Value<'a>> {
    let [kept @ .., states] = &column.extents[..] else { unreachable!("a column has states") };
    if places == Places::Values {
        return Link::clone(column);
    }
    let extents = [kept, &[places.count(*states)]].concat();
    let base = constant(outside, &extents, column.dtype);
    let negative = map(column, |tree| times(number(sign), tree));
    let at = |start: usize| {
        let last = Axis::Label { label: kept.len(), start };
        plain(0..kept.len()).into_iter().chain([last]).collect::<Vec<Axis>>()
    };
    written(Some(&written(Some(&base), &extents, at(0), column)), &extents, at(*states), &negative)
}

/// A function of some states as one of all, 0 for the others.
fn padded<'a>(function: &Link<Value<'a>>, extents: &[usize], start: usize) -> Link<Value<'a>> {
    if function.extents == extents {
        return Link::clone(function);
    }
    let last = extents.len() - 1;
    let at = plain(0..last).into_iter().chain([Axis::Label { label: last, start }]).collect();
    written(None, extents, at, function)
}
