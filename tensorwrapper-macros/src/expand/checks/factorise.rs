//! Emits the check of square matrices, and the extents of the new axes of an operation of linear algebra.

use proc_macro2::TokenStream;
use tensorwrapper_notation::syntax::{Role, Word};
use tensorwrapper_notation::{Factorise, sentence};

use super::emitter::{Checks, extent, product};

/// Emits the check of a square matrix, and the extent of each new axis by its role.
pub(super) fn new_axes(checks: &mut Checks<'_, '_>, call: &Factorise) {
    if call.form().is_square {
        checks.square(call);
    }
    let [rows, columns] = [Role::Row, Role::Column].map(|role| product(call.labels(role)));
    for role in [Role::New, Role::NewRow, Role::NewColumn] {
        for &label in call.labels(role) {
            let new = extent(label);
            let mark = mark(call, role, &rows, &columns);
            checks.code.extend(emit!(let #new = #mark;));
        }
    }
}

fn mark(call: &Factorise, role: Role, rows: &TokenStream, columns: &TokenStream) -> TokenStream {
    let is_cut = call.options().has(Word::Max) || call.options().has(Word::Tol);
    match role {
        // Only the run knows how many singular values are kept.
        Role::New if is_cut => emit!(__tw::Mark::dynamic()),
        Role::New => emit!(__tw::Minimum::of(#rows, #columns).__minimum()),
        // Either side of a square matrix may be the one whose extent is a constant.
        _ if call.form().is_square => emit!(__tw::meet(#rows, #columns)),
        Role::NewColumn => columns.clone(),
        _ => rows.clone(),
    }
}

impl Checks<'_, '_> {
    /// Emits the check that rows and columns of a square matrix agree, if each is one axis. The run compares products of groups.
    fn square(&mut self, call: &Factorise) {
        let ([row], [column]) = (call.labels(Role::Row), call.labels(Role::Column)) else { return };
        let (Some(first), Some(second)) = (self.occurrences.get(row), self.occurrences.get(column)) else { return };
        let (first, second) = (first.first.clone(), second.first.clone());
        let (a, b, span) = (&first.mark, &second.mark, second.span);
        let numbers = emit!(__tw::AxisPair(#a, #b));
        let [row_name, column_name] = [row, column].map(|label| self.names[label.0].clone());
        let message = sentence::square(&row_name, &"{L}", &column_name, &"{R}");
        self.extents((*row, &first), span, &message, &format!("`{column_name}` has extent {{R}} here"), &numbers);
    }
}
