//! The memory that an operation of linear algebra on a batch needs while it runs. It must not know the algorithms.

use tensorwrapper_notation::syntax::Role;

use super::batch::ROUND;
use super::decomposition::Decomposition;
use crate::element::Dtype;

/// The memory that one matrix of a batch needs, in bytes.
#[derive(Clone, Copy, Debug)]
pub struct One {
    /// The most memory in use while it is computed, arguments and results included.
    pub most: usize,
    /// The memory of its results, until they are written.
    pub results: usize,
}

impl One {
    /// Bytes for a batch of this number of items: each thread computes one matrix at a time, and the results of a round are kept until
    /// all of them are computed.
    pub fn of_batch(self, items: usize, threads: usize) -> usize {
        let round = items.min(ROUND);
        let at_once = threads.clamp(1, round.max(1));
        let waiting = self.results.saturating_mul(round.saturating_sub(at_once));
        if round == 0 { 0 } else { waiting.saturating_add(self.most.max(self.results).saturating_mul(at_once)) }
    }
}

/// The number of items in the batch, and the sizes of its matrices: rows, columns, and columns of the second argument (0 without one).
/// The extents are those of all labels.
pub fn sizes(call: &Decomposition, extents: &[usize], arguments: usize) -> (usize, [usize; 3]) {
    let beside = call.form().arguments.get(1).filter(|_| arguments > 1).and_then(|roles| roles.last().copied());
    let items = extents[..call.batch].iter().product();
    let of = |role: Role| points(call, extents, &[role]);
    (items, [of(Role::Row), of(Role::Column), beside.map_or(0, of)])
}

/// Bytes for a device that does not say what its algorithms need: copies of the arguments, and the results.
pub fn copies(call: &Decomposition, dtype: Dtype, extents: &[usize], arguments: usize) -> usize {
    let form = call.form();
    let read = form.arguments.iter().take(arguments).map(|roles| points(call, extents, roles) * dtype.size()).sum::<usize>();
    let made = |result: &tensorwrapper_notation::syntax::Outcome| {
        points(call, extents, result.roles) * call.dtype(result.elements, dtype).size()
    };
    let results = form.results.iter().map(made).sum::<usize>();
    let items = extents[..call.batch].iter().product::<usize>();
    (read + results) * items.min(ROUND)
}

/// Elements of one item with these roles.
fn points(call: &Decomposition, extents: &[usize], roles: &[Role]) -> usize {
    call.labels(roles)[call.batch..].iter().map(|&label| extents[label]).product()
}
