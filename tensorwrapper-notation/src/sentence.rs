//! The messages that both the macros and the run time give. They are written once, so that they are the same word for word.
//!
//! Extents are any type that is `Display`: the macros pass rustc's placeholders `{L}` and `{R}`, the run time passes numbers.

use std::fmt::Display;

/// `i`, `j`
pub(crate) fn quoted<N: Display>(names: impl IntoIterator<Item = N>) -> String {
    names.into_iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")
}

/// So many of what has this name: 1 element, 3 elements, 2 entries, 2 matrices.
pub fn counted<N: Display + PartialEq + From<u8>>(count: N, noun: &str) -> String {
    if count == N::from(1) {
        return format!("1 {noun}");
    }
    match (noun.strip_suffix("ry"), noun.strip_suffix("rix")) {
        (Some(stem), _) => format!("{count} {stem}ries"),
        (_, Some(stem)) => format!("{count} {stem}rices"),
        _ => format!("{count} {noun}s"),
    }
}

/// The verb for so many.
pub fn are(count: usize) -> &'static str {
    if count == 1 { "is" } else { "are" }
}

/// The message: `A` has rank 2 but 3 indices are given
pub fn rank(operand: &str, rank: impl Display, given: usize) -> String {
    let noun = if given == 1 { "index" } else { "indices" };
    format!("`{operand}` has rank {rank} but {given} {noun} {} given", are(given))
}

/// A note to the message of [`rank`], for subscripts such as `...i->i`.
pub const NO_REST: &str =
    "`...` stands for no axes where the output has none: write it there too, or give the axes labels, which are summed";

/// A note to the message of [`rank`], for `grad(Y; x[k])` where Y is a tensor.
pub const GRADIENT_OF_A_TENSOR: &str = "a gradient is that of a number: weigh the tensor, as in `W[i, j] * grad(Y[i, j]; x[k])`; without a weight this is the Jacobian";

/// The message: index `k` has extent 4 in `A` but 5 in `B`
///
/// A place is an operand, an axis and an extent. The message names the axis only if both operands are the same.
pub fn extent<E: Display>(label: &str, first: (&str, usize, &E), second: (&str, usize, &E)) -> String {
    let ((a, a_axis, l), (b, b_axis, r)) = (first, second);
    if a == b {
        format!("index `{label}` has extent {l} on axis {a_axis} of `{a}` but {r} on axis {b_axis}")
    } else {
        format!("index `{label}` has extent {l} in `{a}` but {r} in `{b}`")
    }
}

/// The message: index 7 is out of range for axis 0 of `A`, which has extent 5
pub fn bounds(index: &str, operand: &str, axis: usize, extent: impl Display) -> String {
    format!("index {index} is out of range for axis {axis} of `{operand}`, which has extent {extent}")
}

/// The message: row index `p` has extent 3 but column index `q` has 4: the matrix is not square
pub fn square<E: Display>(row: &str, row_extent: &E, column: &str, column_extent: &E) -> String {
    format!("row index `{row}` has extent {row_extent} but column index `{column}` has {column_extent}: the matrix is not square")
}

/// The message: index `i` has extent 3 but index `j` has 4: `sym` exchanges indices of equal extents
pub fn claim<E: Display>(kind: &str, (one, one_extent): (&str, &E), (other, other_extent): (&str, &E)) -> String {
    format!(
        "index `{one}` has extent {one_extent} but index `{other}` has {other_extent}: `{kind}` exchanges indices of equal extents"
    )
}

/// The message: fused `(i, j)` has extent 6, which does not make axis 0 of `A`, of extent 7
///
/// If the extent of one label is unknown, the product is written `6·?`.
pub fn fused(labels: &[&str], product: impl Display, operand: &str, axis: usize, extent: impl Display) -> String {
    let labels = labels.join(", ");
    format!("fused `({labels})` has extent {product}, which does not make axis {axis} of `{operand}`, of extent {extent}")
}

/// The message: elements of type `f64` and `f32` do not mix in one equation
pub fn elements(first: impl Display, second: impl Display) -> String {
    format!("elements of type `{first}` and `{second}` do not mix in one equation")
}
