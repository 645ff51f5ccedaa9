//! The messages that both the macros and the run time give. They are written once, so that they are the same word for word.
//!
//! Extents are any type that is `Display`: the macros pass rustc's placeholders `{L}` and `{R}`, the run time passes numbers.

use std::fmt::Display;

/// `i`, `j`
pub(crate) fn quoted<N: Display>(names: impl IntoIterator<Item = N>) -> String {
    names.into_iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")
}

/// So many of what has this name: 1 element, 3 elements, 2 entries, 2 matrices, 4 axes, 2 indices.
pub fn counted<N: Display + PartialEq + From<u8>>(count: N, noun: &str) -> String {
    if count == N::from(1) {
        return format!("1 {noun}");
    }
    format!("{count} {}", plural(noun))
}

/// The plural of a noun. It knows the irregular endings that nouns in these messages have; all other nouns get an `s`.
fn plural(noun: &str) -> String {
    const ENDS: [(&str, &str); 5] = [("ry", "ries"), ("rix", "rices"), ("dex", "dices"), ("xis", "xes"), ("ox", "oxes")];
    let irregular = ENDS.iter().find_map(|(one, many)| Some(format!("{}{many}", noun.strip_suffix(one)?)));
    irregular.unwrap_or_else(|| format!("{noun}s"))
}

/// The verb for so many.
pub fn are(count: usize) -> &'static str {
    if count == 1 { "is" } else { "are" }
}

/// The message: `A` has rank 2 but 3 indices are given
pub fn rank(operand: &str, rank: impl Display, given: usize) -> String {
    format!("`{operand}` has rank {rank} but {} {} given", counted(given, "index"), are(given))
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

/// The message: index 7 is out of range for axis 0 of `A`, which has extent 5; of a slice, range 2..9
pub fn bounds(index: &str, operand: &str, axis: usize, extent: impl Display) -> String {
    let what = if index.contains("..") { "range" } else { "index" };
    format!("{what} {index} is out of range for axis {axis} of `{operand}`, which has extent {extent}")
}

/// The message: the range 3..2 on axis 1 of `A` ends before it begins
pub fn reversed(range: &str, operand: &str, axis: usize) -> String {
    format!("the range {range} on axis {axis} of `{operand}` ends before it begins")
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nouns_are_counted() {
        for (noun, many) in [
            ("element", "elements"),
            ("entry", "entries"),
            ("matrix", "matrices"),
            ("axis", "axes"),
            ("index", "indices"),
            ("box", "boxes"),
        ] {
            assert_eq!(counted(1, noun), format!("1 {noun}"));
            assert_eq!(counted(0, noun), format!("0 {many}"));
            assert_eq!(counted(2.0, noun), format!("2 {many}"));
        }
        assert_eq!([are(0), are(1), are(2)], ["are", "is", "are"]);
        assert_eq!(rank("A", 2, 1), "`A` has rank 2 but 1 index is given");
    }

    #[test]
    fn a_range_is_no_index() {
        assert_eq!(bounds("7", "A", 0, 5), "index 7 is out of range for axis 0 of `A`, which has extent 5");
        for range in ["2..9", "..=5", "6.."] {
            assert!(bounds(range, "A", 0, 5).starts_with(&format!("range {range} is out of range")));
        }
        assert_eq!(reversed("3..2", "A", 0), "the range 3..2 on axis 0 of `A` ends before it begins");
    }
}
