//! The warning for a `solve` whose labels say that its matrix is transposed: `[i] = solve(a[i, k], v[k])`.

use super::checker::Checker;
use super::roles::RoleNames;
use crate::diagnostic::{Diagnostic, Warning};
use crate::syntax::{Decomposition, ExpressionKind, Factorisation, Index, Role, Word};

impl Checker<'_> {
    /// Warns of a matrix whose column stands before its row, unless both are named first: `[i] = solve(a[i, k], v[k])` looks like the sum
    /// over `k` of a⁻¹[i, k] v[k], and solves with the transpose. Of a lower triangle whose transpose is an upper one, that is meant.
    pub(super) fn warn_of_transposed(&mut self, call: &Decomposition, found: &RoleNames) {
        let solves = matches!(call.kind, Factorisation::Solve | Factorisation::TriangularSolve | Factorisation::Lstsq);
        let is_told = call.groups.is_some() || call.options.has(Word::Upper);
        let (Some(matrix), ([row], [column])) = (
            call.arguments.first().filter(|_| solves && !is_told),
            (&found.roles[Role::Row as usize][..], &found.roles[Role::Column as usize][..]),
        ) else {
            return;
        };
        let ExpressionKind::Operand(hole, indices) = &matrix.kind else { return };
        let labels = indices.iter().map(|index| if let Index::Label(name) = index { Some(name.text.as_str()) } else { None });
        let Some(written) = labels.collect::<Option<Vec<&str>>>() else { return };
        let place = |label: &str| written.iter().position(|name| *name == label);
        let (Some(at_row), Some(at_column)) = (place(row), place(column)) else { return };
        if at_row < at_column {
            return;
        }
        let mut straight = written.clone();
        straight.swap(at_row, at_column);
        let (name, tensor) = (call.kind.name(), &hole.text);
        let message = format!("the right side of this `{name}` has index `{row}`, so the matrix `{tensor}` is transposed");
        self.warnings.push(Diagnostic::label(matrix.span, message).warns(Warning::TransposedMatrix).help(format!(
            "to solve with the matrix as it is, write `{tensor}[{}]`; if its transpose is meant, say so: `{name}({row}, {column}; {tensor}[{}], …)`",
            straight.join(", "),
            written.join(", ")
        )));
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::warnings;

    #[test]
    fn matrices_that_are_transposed() {
        for (text, expected) in [
            (
                "[i] = solve(a[i, k], v[k])",
                "a[i, k]: the right side of this `solve` has index `k`, so the matrix `a` is transposed | to solve with the matrix as it is, write `a[k, i]`; if its transpose is meant, say so: `solve(k, i; a[i, k], …)`",
            ),
            (
                "[b, i] = lstsq(a[b, i, k], v[b, k])",
                "a[b, i, k]: the right side of this `lstsq` has index `k`, so the matrix `a` is transposed | to solve with the matrix as it is, write `a[b, k, i]`; if its transpose is meant, say so: `lstsq(k, i; a[b, i, k], …)`",
            ),
        ] {
            assert_eq!(warnings(text), [expected], "`{text}`");
        }
        for text in [
            "[i] = solve(a[k, i], v[k])",
            "[k] = solve(a[i, k], v[i])",
            "[k] = triangular_solve(l[k, i], y[i]; upper)",
            "[i] = solve(k, i; a[i, k], v[k])",
            "[k, j] = solve(a[i, k], b[i, j])",
            "[r, s] = solve(t[p, q, r, s], b[p, q])",
            "[j] = solve(a[i, j] + a[j, i], v[i])",
        ] {
            assert_eq!(warnings(text), [""; 0], "`{text}`");
        }
    }
}
