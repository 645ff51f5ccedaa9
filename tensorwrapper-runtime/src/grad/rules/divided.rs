//! Divided differences as values of their own. In functions of a matrix their places are held: there they change with the function alone,
//! of which they are linear.

use std::sync::Arc;

use super::super::build::{added, apply, as_column, map, negated, number, times};
use super::matrix::Call;
use super::parts::{Parts, no_derivative};
use crate::expr::{Factorised, Source, Value};
use crate::link::Link;
use tensorwrapper_core::backend::Unary;
use tensorwrapper_core::element::Dtype;
use tensorwrapper_core::error::Error;

/// The places, and the divided differences over the differences of the places, which have to be distinct.
fn by_places<'a>(call: &Call<'_, 'a>) -> Result<Link<Value<'a>>, Error> {
    check_order(call)?;
    let e = call.value("[..i] = e[..i, 0]", &[("e", &call.arguments[1])])?;
    call.value("[..i, j] = F[..i, j] * D[..i, j]", &[("F", &call.distinct_gaps(&e, None)?), ("D", &call.results[0])])
}

fn check_order(call: &Call<'_, '_>) -> Result<(), Error> {
    if call.call.exponent == 1 {
        Ok(())
    } else {
        Err(no_derivative("a function of a matrix by its eigenvectors, of third order"))
    }
}

/// D[i, j] = (g[j] - g[i]) / (e[j] - e[i]) changes with the function by its own divided differences; with the places by
/// -D[i, j] * (de[j] - de[i]) / (e[j] - e[i]).
pub(super) fn forward<'a>(call: &Call<'_, 'a>, changes: &Parts<'a>) -> Result<Parts<'a>, Error> {
    let of_function = changes[0].as_ref().map(|change| {
        let arguments = vec![Link::clone(change), Link::clone(&call.arguments[1])];
        let factorised = Factorised { call: call.call.clone(), extents: call.recorded_extents().to_vec(), arguments };
        let (extents, dtype) = (call.results[0].extents.clone(), call.dtype);
        Link::new(Value { extents, dtype, source: Source::Factorised(Arc::new(factorised), 0) })
    });
    let Some(places) = &changes[1] else { return Ok(vec![of_function]) };
    let scaled = by_places(call)?;
    let text = "[..i, j] = S[..i, j] * e[..i, 0] * 1[j] - S[..i, j] * 1[i] * e[..j, 0]";
    let of_places = call.value(text, &[("S", &scaled), ("e", places)])?;
    Ok(vec![added(of_function.into_iter().chain([of_places]))])
}

/// The adjoint of that. Between places that are almost equal the differences are slopes.
pub(super) fn reverse<'a>(call: &Call<'_, 'a>, weights: &Parts<'a>, varies: &[bool]) -> Result<Parts<'a>, Error> {
    let Some(weight) = &weights[0] else { return Ok(vec![None, None]) };
    check_order(call)?;
    let e = call.value("[..i] = e[..i, 0]", &[("e", &call.arguments[1])])?;
    let gaps = call.value("[..i, j] = 1[i] * e[..j] - e[..i] * 1[j]", &[("e", &e)])?;
    let largest = call.largest(&e)?;
    let epsilon = if call.dtype.real() == Dtype::F32 { f64::from(f32::EPSILON) } else { f64::EPSILON };
    let within = map(&largest, |tree| times(number(epsilon.sqrt()), tree));
    let missing = call.value("[..i, j] = t[..]*1[i]*1[j] - abs(d[..i, j])", &[("d", &gaps), ("t", &within)])?;
    let is_apart = map(&missing, |tree| apply(Unary::IsPositive, negated(tree)));
    let inverse = call.value("[..i, j] = z[..i, j] / (d[..i, j] + (1 - z[..i, j]))", &[("d", &gaps), ("z", &is_apart)])?;
    let named = [("F", &inverse), ("G", weight), ("z", &is_apart)];
    let values = call.value("[..n] = F[..i, n] * G[..i, n] - F[..n, j] * G[..n, j]", &named)?;
    let text = "[..n] = 0.5 * (1 - z[..n, j]) * G[..n, j] + 0.5 * (1 - z[..i, n]) * G[..i, n]";
    let slopes = call.value(text, &named)?;
    let mut table = None;
    for (n, column) in [values, slopes].iter().enumerate() {
        table = Some(call.column(table.as_ref(), &call.arguments[0], n, column));
    }
    let of_places = match varies.get(1) == Some(&true) {
        true => {
            let text = "[..n] = conj(S[..n, j]) * G[..n, j] - conj(S[..i, n]) * G[..i, n]";
            Some(as_column(&call.value(text, &[("S", &by_places(call)?), ("G", weight)])?))
        }
        false => None,
    };
    Ok(vec![table, of_places])
}
