//! One operation of linear algebra as rules see it: its arguments and results as matrices behind the axes of a batch.

use std::sync::Arc;

use tensorwrapper_notation::syntax::{Factorisation, Role};

use super::super::build::{apply, constant, converted, map, negated, number, reshaped, times};
use super::parts::{Parts, no_derivative};
use super::text;
use crate::expr::{Factorised, Source, Value};
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
        let mut flat = Call { call, dtype, batch, arguments: Vec::new(), results: Vec::new(), recorded };
        let arguments = recorded.arguments.iter().zip(call.form().arguments);
        flat.arguments = arguments.map(|(value, roles)| reshaped(value, &flat.extents(roles))).collect();
        for (n, result) in call.form().results.iter().enumerate() {
            let extents = call.labels(result.roles).iter().map(|&label| recorded.extents[label]).collect();
            let source = Source::Factorised(Arc::clone(recorded), n);
            let value = Link::new(Value { extents, dtype: call.dtype(result.elements, dtype), source });
            flat.results.push(reshaped(&value, &flat.extents(result.roles)));
        }
        Ok(flat)
    }

    /// The extents of an operand with one axis for each role.
    fn extents(&self, roles: &[Role]) -> Vec<usize> {
        self.batch.iter().copied().chain(roles.iter().map(|&role| self.extent(role))).collect()
    }

    /// The extent of a role.
    pub(super) fn extent(&self, role: Role) -> usize {
        let own = self.call.labels(&[role]);
        own[self.call.batch..].iter().map(|&label| self.recorded.extents[label]).product()
    }

    pub(super) fn flat_results(&self, values: &Parts<'a>) -> Parts<'a> {
        let flat = |(value, result): (&Option<Link<Value<'a>>>, &Link<Value<'a>>)| {
            value.as_ref().map(|value| reshaped(value, &result.extents))
        };
        values.iter().zip(&self.results).map(flat).collect()
    }

    pub(super) fn flat_arguments(&self, values: &Parts<'a>) -> Parts<'a> {
        let flat = |(value, argument): (&Option<Link<Value<'a>>>, &Link<Value<'a>>)| {
            value.as_ref().map(|value| reshaped(value, &argument.extents))
        };
        values.iter().zip(&self.arguments).map(flat).collect()
    }

    /// Results with the axes that they were recorded with.
    pub(super) fn whole_results(&self, values: Parts<'a>) -> Parts<'a> {
        let whole = |(value, result): (Option<Link<Value<'a>>>, &tensorwrapper_notation::syntax::Outcome)| {
            let extents: Vec<usize> = self.call.labels(result.roles).iter().map(|&label| self.recorded.extents[label]).collect();
            value.map(|value| reshaped(&value, &extents))
        };
        values.into_iter().zip(self.call.form().results).map(whole).collect()
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

    /// A weight, or zeros where there is none.
    pub(super) fn or_zeros(&self, weight: &Option<Link<Value<'a>>>, of: &Link<Value<'a>>) -> Link<Value<'a>> {
        weight.as_ref().map_or_else(|| constant(0.0, &of.extents, of.dtype), Link::clone)
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

    /// 1/x for each difference x, and 0 for differences of equal values.
    pub(super) fn inverse_gaps(
        &self,
        differences: &Link<Value<'a>>,
        largest: &Link<Value<'a>>,
    ) -> Result<Link<Value<'a>>, Error> {
        let is_equal = self.equal(differences, largest)?;
        self.value("[..i, j] = (1 - z[..i, j]) / (d[..i, j] + z[..i, j])", &[("d", differences), ("z", &is_equal)])
    }

    /// ½(Y − Yᴴ), which derivatives divide by differences of the values; an error of the run where it is not zero for equal values.
    pub(super) fn antihermitian(&self, y: &Link<Value<'a>>, values: &Link<Value<'a>>) -> Link<Value<'a>> {
        let n = *y.extents.last().expect("it is a matrix");
        let call = Decomposition::plain(Factorisation::Gaps, self.batch.len(), [1, 1, 1, 0, 0, 0]);
        let column: Vec<usize> = self.batch.iter().copied().chain([n, 1]).collect();
        let extents = self.batch.iter().copied().chain([n, n, 1]).collect();
        let arguments = vec![Link::clone(y), reshaped(values, &column)];
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
    Ok(Value::computed(Arc::new(tensor)))
}
