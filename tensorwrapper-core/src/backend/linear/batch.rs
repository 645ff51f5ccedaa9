//! A batch of matrices: read, decomposed on the threads of a device, and written.

use std::ops::Range;

use tensorwrapper_notation::syntax::Factorisation;

use super::algorithms::Algorithms;
use super::cut::Cuts;
use super::decomposition::Decomposition;
use super::derived;
use super::faults::Item;
use super::gather::{Source, read, read_in, read_transposed};
use super::magnitude::is_finite;
use super::matrix::Matrix;
use super::part::Part;
use super::properties::{is_transposed, shows_what_is_not_finite, takes_anything};
use super::space::{Space, indices};
use crate::backend::{Operand, Output};
use crate::element::Element;
use crate::error::Error;
use crate::thread_pool;

/// Matrices that are decomposed before their results are written: enough to occupy all threads, few enough to stay in the caches.
pub(crate) const ROUND: usize = 256;

/// An operation on a batch, and its memory.
pub struct Batch<'a, T> {
    /// The operation.
    pub call: &'a Decomposition,
    /// The arguments.
    pub sources: Vec<Source<'a, T>>,
    /// The results, each with the place of its matrices in memory.
    pub outputs: Vec<(Output<'a>, Space)>,
    /// The extents of the batch's axes.
    pub extents: Vec<usize>,
    threads: usize,
    cuts: Cuts,
}

/// Runs an operation on a batch.
///
/// # Errors
/// [`ErrorKind::LinearAlgebra`](crate::error::ErrorKind::LinearAlgebra), for the first item of the batch that has no result.
pub fn run<T: Element>(
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

/// The arguments of one item.
struct Given<'g, 'a, T: Element> {
    on: &'g dyn Algorithms<T>,
    call: &'g Decomposition,
    sources: &'g [Source<'a, T>],
    sizes: &'g [(usize, usize)],
    index: &'g [usize],
}

impl<T: Element> Given<'_, '_, T> {
    /// Reads an argument.
    fn argument(&self, n: usize) -> Matrix<T> {
        match n == 1 && is_transposed(self.call.kind, self.sizes[0].0) {
            true => read_transposed(self.on, &self.sources[n], self.index),
            false => read(self.on, &self.sources[n], self.index, self.call),
        }
    }

    /// Whether an argument holds NaN or infinity in an element that the operation reads.
    fn is_wrong(&self, matrix: &Matrix<T>, n: usize) -> bool {
        !self.on.are_finite(&matrix.data) && !matrix.counted(self.call, n).all(is_finite)
    }

    /// Computes the results. An argument is checked for NaN and infinity when it is read or, where the results would show them, only if
    /// there are no results.
    fn compute(&self) -> Result<Vec<Part<T>>, Error> {
        let Given { on, call, sources, sizes, index } = *self;
        let item = Item { call, index, sizes };
        let is_empty = sizes.iter().any(|size| size.0 * size.1 == 0);
        let shows = takes_anything(call.kind) || shows_what_is_not_finite::<T>(call.kind) && !is_empty;
        // The right side of a system is read when the order of its rows is known.
        let count = if call.kind == Factorisation::Solve && shows { 1 } else { sources.len() };
        let mut arguments = Vec::with_capacity(count);
        for n in 0..count {
            let matrix = self.argument(n);
            if !shows && self.is_wrong(&matrix, n) {
                return Err(item.not_finite(n));
            }
            arguments.push(matrix);
        }
        let rows_in = |order: &[usize]| match is_transposed(call.kind, sizes[0].0) {
            true => self.argument(1).columns_in(order),
            false => read_in(on, order, &sources[1], index),
        };
        let right = derived::Right { columns: sizes.get(1).map_or(0, |size| size.1), rows_in: &rows_in };
        derived::compute(on, call, arguments, &|| self.argument(0), &right).map_err(|failure| {
            let explains = shows && !takes_anything(call.kind);
            match (0..sources.len()).find(|&n| explains && self.is_wrong(&self.argument(n), n)) {
                Some(n) => item.not_finite(n),
                None => item.failed(&failure),
            }
        })
    }
}

impl<'a, T: Element> Batch<'a, T> {
    /// An operation on this number of threads. Operands and outputs are in the order of the operation's row in the table.
    pub fn new(threads: usize, call: &'a Decomposition, inputs: &[Operand<'a>], outputs: Vec<Output<'a>>) -> Batch<'a, T> {
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

    /// Number of matrices in the batch.
    pub fn items(&self) -> usize {
        self.extents.iter().product()
    }

    /// Computes and writes the results of these items.
    ///
    /// # Errors
    /// As [`run`].
    pub fn run(&mut self, items: Range<usize>, algorithms: &dyn Algorithms<T>) -> Result<(), Error> {
        let Batch { call, sources, outputs, extents, threads, cuts } = self;
        let sizes: Vec<_> = sources.iter().map(|source| source.space.size()).collect();
        let (call, sources) = (*call, &sources[..]);
        let compute = |item: usize| -> Result<Vec<Part<T>>, Error> {
            Given { on: algorithms, call, sources, sizes: &sizes, index: &indices(extents, item) }.compute()
        };
        for start in items.clone().step_by(ROUND) {
            let round = start..(start + ROUND).min(items.end);
            let computed: Vec<Result<Vec<Part<T>>, Error>> = thread_pool::map(*threads, round.clone(), compute);
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

    /// Writes the results that depend on all items.
    pub fn finish(mut self) {
        self.cuts.finish::<T>(&mut self.outputs, &self.extents);
    }
}
