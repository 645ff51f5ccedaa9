//! One operation of linear algebra as rules see it: its arguments and results as matrices behind the axes of a batch.

use std::sync::Arc;

use tensorwrapper_notation::syntax::{Factorisation, Outcome, Role};

use super::super::build::{apply, as_column, constant, converted, held, labels, map, negated, number, reshaped, times, written};
use super::parts::no_derivative;
use super::text;
use crate::expr::{Axis, Factorised, Meaning, Source, Value};
use crate::link::Link;
use crate::tensor::{AnyTensor, Tensor};
use tensorwrapper_core::backend::linear::EQUAL_WITHIN;
use tensorwrapper_core::backend::{Decomposition, Unary};
use tensorwrapper_core::dtype::dispatch;
use tensorwrapper_core::element::{Dtype, Element};
use tensorwrapper_core::error::Error;

/// An operation whose roles have one axis each.
#[derive(Debug)]
pub(super) struct Call<'c, 'a> {
    pub(super) call: &'c Decomposition,
    /// The element type of the arguments.
    pub(super) dtype: Dtype,
    pub(super) batch: Vec<usize>,
    pub(super) arguments: Vec<Link<Value<'a>>>,
    pub(super) results: Vec<Link<Value<'a>>>,
    /// The results with the axes that they were recorded with.
    pub(super) recorded_results: Vec<Link<Value<'a>>>,
    recorded: &'c Factorised<'a>,
}

impl<'c, 'a> Call<'c, 'a> {
    /// The operation with flat axes.
    ///
    /// # Errors
    /// Square factors, of which some columns are arbitrary.
    pub(super) fn new(recorded: &'c Arc<Factorised<'a>>) -> Result<Call<'c, 'a>, Error> {
        let call = &recorded.call;
        if call.full {
            return Err(no_derivative(&format!("`{}` with square factors, whose last columns are arbitrary", call.form().name)));
        }
        let batch = recorded.extents[..call.batch].to_vec();
        let dtype = recorded.arguments[0].dtype;
        let result = |(n, result): (usize, &Outcome)| {
            let extents = call.labels(result.roles).iter().map(|&label| recorded.extents[label]).collect();
            let source = Source::Factorised(Arc::clone(recorded), n);
            Link::new(Value { extents, dtype: call.dtype(result.elements, dtype), source })
        };
        let recorded_results = call.form().results.iter().enumerate().map(result).collect();
        let mut flat = Call { call, dtype, batch, arguments: Vec::new(), results: Vec::new(), recorded_results, recorded };
        let arguments = recorded.arguments.iter().zip(call.form().arguments);
        flat.arguments = arguments.map(|(value, roles)| reshaped(value, &flat.extents(roles))).collect();
        let results = flat.recorded_results.iter().zip(call.form().results);
        flat.results = results.map(|(value, result)| reshaped(value, &flat.extents(result.roles))).collect();
        Ok(flat)
    }

    /// The extents of an operand with one axis for each role.
    fn extents(&self, roles: &[Role]) -> Vec<usize> {
        self.batch.iter().copied().chain(roles.iter().map(|&role| self.extent(role))).collect()
    }

    /// The extents of the batch and of all roles, as they were recorded.
    pub(super) fn recorded_extents(&self) -> &[usize] {
        &self.recorded.extents
    }

    /// The extent of a role.
    pub(super) fn extent(&self, role: Role) -> usize {
        let own = self.call.labels(&[role]);
        own[self.call.batch..].iter().map(|&label| self.recorded.extents[label]).product()
    }

    /// The one result of an equation over named values.
    pub(super) fn value(&self, text: &str, values: &[(&str, &Link<Value<'a>>)]) -> Result<Link<Value<'a>>, Error> {
        Ok(self.values(text, values)?.remove(0))
    }

    /// The results of an equation over named values.
    pub(super) fn values(&self, text: &str, values: &[(&str, &Link<Value<'a>>)]) -> Result<Vec<Link<Value<'a>>>, Error> {
        text::record(text, self.batch.len(), values)
    }

    /// The same in elements of the arguments' type.
    pub(super) fn same(&self, value: &Link<Value<'a>>) -> Link<Value<'a>> {
        converted(value, self.dtype)
    }

    /// A matrix for the whole batch, by its elements.
    pub(super) fn mask(
        &self,
        rows: usize,
        columns: usize,
        element: impl Fn(usize, usize) -> f64,
    ) -> Result<Link<Value<'a>>, Error> {
        mask(self.dtype, rows, columns, element)
    }

    /// The identity.
    pub(super) fn identity(&self, n: usize) -> Result<Link<Value<'a>>, Error> {
        identity(self.dtype, n)
    }

    /// A weight, or zeros where there is none.
    pub(super) fn or_zeros(&self, weight: &Option<Link<Value<'a>>>, of: &Link<Value<'a>>) -> Link<Value<'a>> {
        weight.as_ref().map_or_else(|| constant(0.0, &of.extents, of.dtype), Link::clone)
    }

    /// The largest magnitude of values over their last axis, in elements of the same type.
    pub(super) fn largest(&self, values: &Link<Value<'a>>) -> Result<Link<Value<'a>>, Error> {
        let magnitudes = converted(&map(values, |tree| apply(Unary::Abs, tree)), values.dtype.real());
        let largest = match values.extents.last() {
            Some(0) => self.value("[..] = sum(n; x[..n])", &[("x", &magnitudes)])?,
            _ => self.value("[..] = max(n; x[..n])", &[("x", &magnitudes)])?,
        };
        Ok(converted(&largest, values.dtype))
    }

    /// 1 where a difference of two values is zero: within rounding of the largest value.
    pub(super) fn equal(&self, differences: &Link<Value<'a>>, largest: &Link<Value<'a>>) -> Result<Link<Value<'a>>, Error> {
        let count = *differences.extents.last().expect("differences are a matrix") as f64;
        let epsilon = if differences.dtype.real() == Dtype::F32 { f64::from(f32::EPSILON) } else { f64::EPSILON };
        let tolerance = map(largest, |tree| times(number(EQUAL_WITHIN * count * epsilon), tree));
        let missing = self.value("[..i, j] = t[..]*1[i]*1[j] - abs(d[..i, j])", &[("d", differences), ("t", &tolerance)])?;
        // A difference at the bound is equal, too, as where all values are zero.
        let is_apart = map(&missing, |tree| apply(Unary::IsPositive, negated(tree)));
        self.value("[..i, j] = 1[..i, j] - z[..i, j]", &[("z", &is_apart)])
    }

    /// 1/x for each difference x, and 0 for differences of equal values; broadened, x/(x² + b²).
    pub(super) fn inverse_gaps(
        &self,
        differences: &Link<Value<'a>>,
        largest: &Link<Value<'a>>,
    ) -> Result<Link<Value<'a>>, Error> {
        let is_equal = self.equal(differences, largest)?;
        let named = [("d", differences), ("z", &is_equal)];
        let Some(part) = self.call.broaden else {
            return self.value("[..i, j] = (1 - z[..i, j]) / (d[..i, j] + z[..i, j])", &named);
        };
        let width = map(largest, |tree| times(number(part), tree));
        let text = "[..i, j] = (1 - z[..i, j]) * conj(d[..i, j]) \
                    / (d[..i, j] * conj(d[..i, j]) + b[..] * b[..] * 1[i] * 1[j] + z[..i, j])";
        self.value(text, &[named[0], named[1], ("b", &width)])
    }

    /// `1 / (e[j] - e[i])`, and 0 on the diagonal; an error of the run where two values are equal.
    ///
    /// Equal values are no fault where neither is among the first `counted`.
    pub(super) fn distinct_gaps(&self, e: &Link<Value<'a>>, counted: Option<usize>) -> Result<Link<Value<'a>>, Error> {
        // Finite also where values are equal, so that the fault is told and no infinite number.
        let gaps = self.inverse_gaps(&self.differences(e)?, &self.largest(e)?)?;
        if self.call.broaden.is_some() {
            return Ok(gaps);
        }
        Ok(self.over_values((Factorisation::Distinct, false, counted), &gaps, e))
    }

    /// A matrix with one of its columns written anew.
    pub(super) fn column(
        &self,
        base: Option<&Link<Value<'a>>>,
        like: &Link<Value<'a>>,
        n: usize,
        column: &Link<Value<'a>>,
    ) -> Link<Value<'a>> {
        let at = labels(0..=self.batch.len()).into_iter().chain([Axis::Chip(n)]).collect();
        written(base, &like.extents, at, column)
    }

    /// ½(Y − Yᴴ), which derivatives divide by differences of the values; an error of the run where it is not zero for equal values.
    pub(super) fn antihermitian(&self, y: &Link<Value<'a>>, values: &Link<Value<'a>>) -> Result<Link<Value<'a>>, Error> {
        match self.call.broaden {
            Some(_) => self.value("[..i, j] = 0.5 * Y[..i, j] - 0.5 * conj(Y[..j, i])", &[("Y", y)]),
            None => Ok(self.over_values((Factorisation::Gaps, false, None), y, values)),
        }
    }

    /// A vector over states as it is; an error of the run where it differs between equal values.
    pub(super) fn same_for_equal(&self, g: &Link<Value<'a>>, values: &Link<Value<'a>>) -> Result<Link<Value<'a>>, Error> {
        if self.call.broaden.is_some() {
            return Ok(Link::clone(g));
        }
        let (g, values) = (as_column(g), held(&as_column(values)));
        let n = g.extents[self.batch.len()];
        let call = Decomposition::plain(Factorisation::Uniform, self.batch.len(), [1, 1, 1, 0, 0, 0]);
        let extents = self.batch.iter().copied().chain([n, 1, 1]).collect();
        let (own, dtype) = (g.extents.clone(), g.dtype);
        let source = Source::Factorised(Arc::new(Factorised { call, extents, arguments: vec![g, values] }), 0);
        let checked = Link::new(Value { extents: own, dtype, source });
        self.value("[..i] = x[..i, 0]", &[("x", &checked)])
    }

    /// A matrix over states as it is; an error of the run where it is not Hermitian between equal values.
    pub(super) fn hermitian_between_equal(&self, y: &Link<Value<'a>>, values: &Link<Value<'a>>) -> Link<Value<'a>> {
        match self.call.broaden {
            Some(_) => Link::clone(y),
            None => self.over_values((Factorisation::Gaps, true, None), y, values),
        }
    }

    /// A matrix over states as it is; an error of the run where two values are equal.
    pub(super) fn between_distinct(&self, y: &Link<Value<'a>>, values: &Link<Value<'a>>) -> Link<Value<'a>> {
        self.over_values((Factorisation::Distinct, false, None), y, values)
    }

    /// `e[j] - e[i]`
    pub(super) fn differences(&self, e: &Link<Value<'a>>) -> Result<Link<Value<'a>>, Error> {
        self.value("[..i, j] = 1[i] * e[..j] - e[..i] * 1[j]", &[("e", e)])
    }

    /// An operation on a matrix over pairs of states, and on the values of these states.
    fn over_values(
        &self,
        (kind, unit, max): (Factorisation, bool, Option<usize>),
        y: &Link<Value<'a>>,
        values: &Link<Value<'a>>,
    ) -> Link<Value<'a>> {
        let n = *y.extents.last().expect("it is a matrix");
        let call = Decomposition { unit, max, ..Decomposition::plain(kind, self.batch.len(), [1, 1, 1, 0, 0, 0]) };
        let column: Vec<usize> = self.batch.iter().copied().chain([n, 1]).collect();
        let extents = self.batch.iter().copied().chain([n, n, 1]).collect();
        let arguments = vec![Link::clone(y), held(&reshaped(values, &column))];
        let source = Source::Factorised(Arc::new(Factorised { call, extents, arguments }), 0);
        Link::new(Value { extents: y.extents.clone(), dtype: y.dtype, source })
    }
}

/// A matrix by its elements.
pub(in super::super) fn mask<'a>(
    dtype: Dtype,
    rows: usize,
    columns: usize,
    element: impl Fn(usize, usize) -> f64,
) -> Result<Link<Value<'a>>, Error> {
    let of = |index: &[usize]| element(index[0], index[1]);
    let tensor: AnyTensor =
        dispatch!(dtype, T => Tensor::<T>::from_fn([rows, columns], |index| T::from_complex(of(index).into()))?.into());
    Ok(Value::meaning(Arc::new(tensor), Meaning::Mask))
}

/// The identity.
pub(in super::super) fn identity<'a>(dtype: Dtype, n: usize) -> Result<Link<Value<'a>>, Error> {
    mask(dtype, n, n, |i, j| f64::from(u8::from(i == j)))
}
