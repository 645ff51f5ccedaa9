//! A batch of matrices: read, decomposed on the threads of a device, and written.

use std::ops::Range;

use rayon::prelude::*;

use super::cut::Cuts;
use super::faults::Item;
use super::gather::{Source, Space, indices, read, read_turned};
use super::part::Part;
use super::{Algorithms, Decomposition, Matrix, derived, is_finite};
use crate::backend::{Operand, Output};
use crate::element::Element;
use crate::error::Error;

/// Matrices that are decomposed before anything is written: enough for threads, few enough to stay in the caches.
pub(crate) const ROUND: usize = 256;

/// An operation on a batch, and its memory.
pub(in crate::backend) struct Batch<'a, T> {
    pub(in crate::backend) call: &'a Decomposition,
    pub(in crate::backend) sources: Vec<Source<'a, T>>,
    pub(in crate::backend) outputs: Vec<(Output<'a>, Space)>,
    /// Of the batch's axes.
    pub(in crate::backend) extents: Vec<usize>,
    threads: usize,
    cuts: Cuts,
}

/// Runs an operation on a batch.
///
/// # Errors
/// [`ErrorKind::LinearAlgebra`](crate::error::ErrorKind::LinearAlgebra), for the first item of the batch that has no result.
pub(in crate::backend) fn run<T: Element>(
    threads: usize,
    call: &Decomposition,
    inputs: &[Operand<'_>],
    outputs: Vec<Output<'_>>,
    algorithms: &dyn Algorithms<T>,
) -> Result<(), Error> {
    let mut batch = Batch::new(threads, call, inputs, outputs);
    batch.run(0..batch.items(), algorithms)?;
    batch.finish();
    Ok(())
}

impl<'a, T: Element> Batch<'a, T> {
    pub(in crate::backend) fn new(
        threads: usize,
        call: &'a Decomposition,
        inputs: &[Operand<'a>],
        outputs: Vec<Output<'a>>,
    ) -> Batch<'a, T> {
        let form = call.form();
        let source = |(input, roles): (&Operand<'a>, _)| Source {
            data: input.typed::<T>(),
            conjugate: input.conjugate,
            space: Space::new(input.layout(), call, roles),
        };
        let sources = inputs.iter().zip(form.arguments.iter().copied()).map(source).collect();
        let space = |output: &Output<'_>, roles| Space::new(output.layout(), call, roles);
        let outputs = outputs.into_iter().zip(form.results).map(|(output, result)| {
            let space = space(&output, result.roles);
            (output, space)
        });
        let extents = inputs[0].layout().extents()[..call.batch].to_vec();
        Batch { call, sources, outputs: outputs.collect(), extents, threads, cuts: Cuts::new(call) }
    }

    pub(in crate::backend) fn items(&self) -> usize {
        self.extents.iter().product()
    }

    /// Computes and writes some items.
    ///
    /// # Errors
    /// As [`run`].
    pub(in crate::backend) fn run(&mut self, items: Range<usize>, algorithms: &dyn Algorithms<T>) -> Result<(), Error> {
        let Batch { call, sources, outputs, extents, threads, cuts } = self;
        let sizes: Vec<_> = sources.iter().map(|source| (source.space.rows.len(), source.space.columns.len())).collect();
        let compute = |item: usize| -> Result<Vec<Part<T>>, Error> {
            let index = indices(extents, item);
            let item = Item { call, index: &index, sizes: &sizes };
            let argument = |n: usize| match n == 1 && derived::is_turned(call.kind, sizes[0].0) {
                true => read_turned(algorithms, &sources[n], &index),
                false => read(algorithms, &sources[n], &index, call),
            };
            // Elements that do not count need not be finite.
            let is_fine = |matrix: &Matrix<T>, n| algorithms.are_finite(&matrix.data) || matrix.counted(call, n).all(is_finite);
            let looks_ahead = !derived::takes_anything(call.kind)
                && (!derived::shows_what_is_not_finite::<T>(call.kind) || sizes.iter().any(|size| size.0 * size.1 == 0));
            let mut arguments = Vec::with_capacity(sources.len());
            for n in 0..sources.len() {
                let matrix = argument(n);
                if looks_ahead && !is_fine(&matrix, n) {
                    return Err(item.not_finite(n));
                }
                arguments.push(matrix);
            }
            derived::compute(algorithms, call, arguments, &|| argument(0)).map_err(|failure| {
                let is_wrong = |&n: &usize| !looks_ahead && !is_fine(&argument(n), n);
                match (0..sources.len()).find(is_wrong) {
                    Some(n) => item.not_finite(n),
                    None => item.failed(&failure),
                }
            })
        };
        for start in items.clone().step_by(ROUND) {
            let round = start..(start + ROUND).min(items.end);
            let computed: Vec<Result<Vec<Part<T>>, Error>> = match *threads > 1 && round.len() > 1 {
                true => round.clone().into_par_iter().with_min_len(round.len().div_ceil(*threads)).map(compute).collect(),
                false => round.clone().map(compute).collect(),
            };
            for (item, parts) in round.zip(computed) {
                let mut parts = parts?;
                cuts.note(&mut parts, item);
                let index = indices(extents, item);
                for (part, (output, place)) in parts.iter().zip(outputs.iter_mut()) {
                    part.write(algorithms, output, place, &index);
                }
            }
        }
        Ok(())
    }

    /// Writes what depends on all items.
    pub(in crate::backend) fn finish(mut self) {
        self.cuts.finish::<T>(&mut self.outputs, &self.extents);
    }
}
