//! How a contraction is cut into matrices: the order of its axes, and which of them become loops around the product.
//!
//! Axes that keep rows or columns from fusing can be packed, scattered, or looped over; the cheapest is chosen.

use super::product::ClassifiedAxes;
use super::product::{LEFT, OUT, RIGHT, Triple, narrowest};
use tensorwrapper_core::backend::fuse::{self, points, single_stride};
use tensorwrapper_core::element::Element;

/// Bytes a nanosecond that a copy reads or writes.
const BANDWIDTH: f64 = 16.0;
/// Bytes of a copy that is still in a cache when it is read.
const CACHE: f64 = 4e6;
/// How much slower larger copies are: their memory is new each time.
const FAR: f64 = 4.0;
/// Nanoseconds before and after a matrix product.
const CALL: f64 = 150.0;
/// Nanoseconds before and after a copy.
const COPY: f64 = 100.0;

/// Orders the axes of rows, columns and sums, and moves those that are better looped over to the batch.
pub(super) fn choose<T: Element>(product: &mut ClassifiedAxes<T>) {
    if [&product.rows, &product.columns, &product.inner].iter().all(|axes| axes.len() <= 1) {
        return;
    }
    let rows = cuts(&product.rows, LEFT);
    let columns = cuts(&product.columns, RIGHT);
    let inner = [LEFT, RIGHT].map(|side| sorted(&product.inner, side));
    let mut best: Option<(f64, Cut, Cut, &Vec<Triple>)> = None;
    for inner in inner.iter().take(product.inner.len().max(1)) {
        for rows in &rows {
            for columns in &columns {
                let cost = cost::<T>(&product.batch, rows, columns, inner);
                if best.as_ref().is_none_or(|best| cost < best.0) {
                    best = Some((cost, rows.clone(), columns.clone(), inner));
                }
            }
        }
    }
    let (_, rows, columns, inner) = best.expect("there is at least one way to cut");
    product.inner = inner.clone();
    // Where they stand in the result decides their order among the loops.
    product.batch.extend(rows.loops.into_iter().chain(columns.loops));
    fuse::sort(&mut product.batch, &[OUT, LEFT, RIGHT]);
    (product.rows, product.columns) = (rows.matrix, columns.matrix);
}

/// Axes of rows or columns, some of them looped over.
#[derive(Clone)]
struct Cut {
    loops: Vec<Triple>,
    matrix: Vec<Triple>,
}

fn sorted(axes: &[Triple], first: usize) -> Vec<Triple> {
    let mut axes = axes.to_vec();
    fuse::sort(&mut axes, &[first, OUT, LEFT, RIGHT]);
    axes
}

/// Both orders, that of a factor and that of the result, with any number of the widest axes looped over.
fn cuts(axes: &[Triple], side: usize) -> Vec<Cut> {
    let orders = if axes.len() > 1 { vec![sorted(axes, OUT), sorted(axes, side)] } else { vec![axes.to_vec()] };
    let cut = |axes: &Vec<Triple>| {
        let axes = axes.clone();
        (0..axes.len().max(1)).map(move |n| Cut { loops: axes[..n].to_vec(), matrix: axes[n..].to_vec() })
    };
    orders.iter().flat_map(cut).collect()
}

/// Rough nanoseconds.
fn cost<T: Element>(batch: &[Triple], rows: &Cut, columns: &Cut, inner: &[Triple]) -> f64 {
    let [m, n, k] = [&rows.matrix[..], &columns.matrix, inner].map(|axes| points(axes) as f64);
    let items = (points(batch) * points(&rows.loops) * points(&columns.loops)) as f64;
    let size = size_of::<T>() as f64;
    // Multiplications a nanosecond, of a large product.
    let rate = if T::DTYPE.is_complex() { 160.0 / size } else { 320.0 / size };
    let product = m * n * k / rate * (1.0 + 8.0 / m) * (1.0 + 8.0 / n) * (1.0 + 16.0 / k);
    let bytes = |elements: f64, passes: f64| elements * size * passes / BANDWIDTH;
    // Nanoseconds to read or write all matrices of an operand; copies count as more passes over it.
    let access = |groups: [&[Triple]; 2], operand: usize, elements: f64, matrices: f64| {
        let narrow = |axes: &[Triple]| narrowest(axes, operand);
        let inside = narrow(groups[0]).min(narrow(groups[1]));
        let outside = narrow(batch).min(narrow(&rows.loops)).min(narrow(&columns.loops));
        let across = inside != usize::MAX && outside < inside;
        let copied = across || groups.iter().any(|axes| single_stride(axes, operand).is_none());
        let far = if elements * size > CACHE { FAR } else { 1.0 };
        match (operand, copied) {
            // One element of each cache line is written at a time.
            (OUT, true) if across => items * (bytes(elements, 3.0 * far) + elements * 4.0),
            (OUT, true) => items * (bytes(elements, 3.0 * far) + COPY),
            (_, true) => items * bytes(elements, 1.0) + matrices * (bytes(elements, 2.0 * far) + COPY),
            // The kernel copies its blocks, slowly where neighbours lie apart.
            (_, false) if inside == 1 => items * bytes(elements, 1.0),
            (_, false) => items * (bytes(elements, 1.0) + elements),
        }
    };
    let batch_points = points(batch) as f64;
    let left = access([&rows.matrix, inner], LEFT, m * k, batch_points * points(&rows.loops) as f64);
    let right = access([&columns.matrix, inner], RIGHT, n * k, batch_points * points(&columns.loops) as f64);
    let written = access([&rows.matrix, &columns.matrix], OUT, m * n, items);
    items * (CALL + product) + left + right + written
}
