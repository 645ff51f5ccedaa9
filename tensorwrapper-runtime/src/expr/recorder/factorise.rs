//! Ends an equation that is an operation of linear algebra: returns its results, or all faults that were found.

use std::sync::Arc;

use tensorwrapper_notation::sentence;

use super::finish::product;
use super::{LabelState, Node, Recorder};
use crate::expr::value::{Axis, Factorised, Meaning, Source, Tree, Value};
use crate::link::Link;
use crate::tensor::AnyTensor;
use tensorwrapper_core::backend::{Decomposition, Role};
use tensorwrapper_core::error::{Error, ErrorKind, Place};

/// Where labels stand in an operation.
#[derive(Debug)]
pub(crate) struct Labels {
    pub(crate) batch: Vec<usize>,
    /// In the order of [`Role::ALL`].
    pub(crate) roles: [Vec<usize>; 6],
    /// The axes of each result that is named.
    pub(crate) wanted: Vec<Vec<usize>>,
}

impl Labels {
    fn of(&self, role: Role) -> &[usize] {
        &self.roles[role as usize]
    }

    /// The axes of an operand.
    fn with(&self, roles: &[Role]) -> Vec<usize> {
        self.batch.iter().chain(roles.iter().flat_map(|&role| self.of(role))).copied().collect()
    }
}

/// Computes values immediately, because the number of singular values to keep depends on their elements.
#[derive(Clone, Copy)]
pub(crate) struct Computing<'c, 'a> {
    #[allow(clippy::type_complexity, reason = "a function")]
    pub(crate) compute: &'c dyn Fn(&[Link<Value<'a>>]) -> Result<Vec<AnyTensor>, Error>,
    /// Whether derivatives of the results may be taken later.
    pub(crate) is_differentiated: bool,
}

impl Recorder<'_> {
    /// Ends an operation of linear algebra. Returns its results in the order of the language, each with the requested axes.
    ///
    /// # Errors
    /// Every fault that was found, a matrix that is not square, and for a truncation by tolerance the error of computing it.
    pub(crate) fn finish_factorise<'a>(
        mut self,
        call: Decomposition,
        arguments: Vec<Node<'a>>,
        labels: &Labels,
        computing: Computing<'_, 'a>,
    ) -> Result<Vec<Link<Value<'a>>>, Error> {
        let form = call.form();
        self.settle_fused();
        if form.is_square {
            self.is_square(labels);
        }
        if let Some(tol) = call.tol.filter(|tol| tol.is_nan() || *tol < 0.0) {
            let message = format!("the tolerance of `{}` is {tol}, and has to be 0 or larger", form.name);
            self.errors.push(Error::new(ErrorKind::Undefined(message)));
        }
        if let Some(broaden) = call.broaden.filter(|broaden| !broaden.is_finite() || *broaden <= 0.0) {
            let message = format!("`broaden` of `{}` is {broaden}, and has to be larger than 0", form.name);
            self.errors.push(Error::new(ErrorKind::Undefined(message)));
        }
        self.settled(&[])?;
        let declared = self.declared(labels);
        self.new_extents(&call, labels);
        let argument = |(node, roles): (_, &&[Role])| self.plain(node, labels.with(roles));
        let arguments: Vec<_> = arguments.into_iter().zip(form.arguments).map(argument).collect();
        let extents = self.extents(&labels.with(&Role::ALL));
        let cuts = call.tol.is_some() && form.named < form.results.len();
        let call = Arc::new(Factorised { call, extents, arguments });
        let mut results = self.recorded(&call, labels);
        if cuts {
            results = self.cut((&call, &results), labels, computing)?;
        }
        declared.into_iter().try_for_each(|(label, place)| self.check_made(label, place))?;
        let results = results.into_iter().zip(form.results).zip(&labels.wanted);
        Ok(results.map(|((value, result), wanted)| self.arranged(value, labels.with(result.roles), wanted)).collect())
    }

    /// Rows and columns have one extent.
    fn is_square(&mut self, labels: &Labels) {
        let [rows, columns] = [Role::Row, Role::Column].map(|role| labels.of(role));
        if rows.iter().chain(columns).any(|&label| self.known(label).is_none()) {
            return;
        }
        let (row, column) = (product(&self.extents(rows)), product(&self.extents(columns)));
        if row != column {
            let name = |group: &[usize]| match group {
                [one] => self.labels[*one].name.to_string(),
                several => {
                    let names: Vec<&str> = several.iter().map(|&label| &*self.labels[label].name).collect();
                    format!("({})", names.join(", "))
                }
            };
            let message = sentence::square(&name(rows), &row, &name(columns), &column);
            self.errors.push(Error::new(ErrorKind::Shape(message)));
        }
    }

    /// The extents that `where` gives to new axes.
    fn declared(&self, labels: &Labels) -> Vec<(usize, Place)> {
        let new = [Role::New, Role::NewRow, Role::NewColumn].into_iter().flat_map(|role| labels.of(role));
        new.filter_map(|&label| Some((label, self.labels[label].first.clone()?))).collect()
    }

    /// Whether a new axis has the extent that `where` gives it.
    fn check_made(&self, label: usize, second: Place) -> Result<(), Error> {
        let LabelState { name, first, .. } = &self.labels[label];
        match first.clone().filter(|first| first.extent != second.extent) {
            Some(first) => Err(Error::new(ErrorKind::Extent { label: name.to_string(), first, second })),
            None => Ok(()),
        }
    }

    /// The extents of new axes.
    fn new_extents(&mut self, call: &Decomposition, labels: &Labels) {
        let [row, column] = [Role::Row, Role::Column].map(|role| product(&self.extents(labels.of(role))));
        let kept = row.min(column).min(call.max.unwrap_or(usize::MAX));
        for (role, extent) in [(Role::New, kept), (Role::NewRow, row), (Role::NewColumn, column)] {
            for &label in labels.of(role) {
                self.labels[label].first = Some(Place { operand: call.form().name.to_string(), axis: 0, extent });
            }
        }
    }

    /// The results of an operation with arguments of these extents.
    fn recorded<'a>(&self, call: &Arc<Factorised<'a>>, labels: &Labels) -> Vec<Link<Value<'a>>> {
        let results = call.call.form().results.iter().enumerate().map(|(n, result)| {
            let dtype = call.call.dtype(result.elements, call.arguments[0].dtype);
            let (extents, source) = (self.extents(&labels.with(result.roles)), Source::Factorised(Arc::clone(call), n));
            Link::new(Value { extents, dtype, source })
        });
        results.collect()
    }

    /// The results of a truncation by tolerance, computed and cut to the number of values that are kept. Where derivatives of them may be
    /// taken, they are recorded as those of a truncation to that number, which depends on the matrix.
    fn cut<'a>(
        &mut self,
        (call, results): (&Arc<Factorised<'a>>, &[Link<Value<'a>>]),
        labels: &Labels,
        computing: Computing<'_, 'a>,
    ) -> Result<Vec<Link<Value<'a>>>, Error> {
        let mut computed = (computing.compute)(results)?;
        let count = computed.pop().expect("the last result is the number of values that are kept");
        let kept = count.largest().map(|kept| kept as usize);
        for &label in labels.of(Role::New) {
            if let (Some(place), Some(kept)) = (&mut self.labels[label].first, kept) {
                place.extent = kept;
            }
        }
        if let (true, Some(kept)) = (computing.is_differentiated, kept.filter(|&kept| kept > 0)) {
            let truncated = Decomposition { max: Some(kept), tol: None, ..call.call.clone() };
            let extents = self.extents(&labels.with(&Role::ALL));
            let call = Factorised { call: truncated, extents, arguments: call.arguments.clone() };
            return Ok(self.recorded(&Arc::new(call), labels));
        }
        let value = |tensor: AnyTensor| {
            let (extents, dtype) = (tensor.erase().layout.extents().to_vec(), tensor.dtype());
            Link::new(Value { extents, dtype, source: Source::Computed(Arc::new(tensor), Meaning::Tensor) })
        };
        Ok(computed.into_iter().map(value).collect())
    }

    /// A result with its axes in the requested order, each with the extent of its label.
    fn arranged<'a>(&self, value: Link<Value<'a>>, computed: Vec<usize>, wanted: &[usize]) -> Link<Value<'a>> {
        if computed == wanted && !matches!(value.source, Source::Computed(..)) {
            return value;
        }
        let dtype = value.dtype;
        let axes = computed.iter().map(|&label| Axis::Label { label, start: 0 }).collect();
        let extents = (0..self.labels.len()).map(|l| self.extent(l)).collect();
        let source = Source::Equation { tree: Tree::Operand(value, axes), extents, axes: wanted.to_vec(), names: self.names() };
        Link::new(Value { extents: self.extents(wanted), dtype, source })
    }
}
