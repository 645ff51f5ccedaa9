//! The role of each label of an operation of linear algebra: row, column, new axis, or batch.
//!
//! A label has the role that occurs in the same arguments and results as the label does. A label that occurs in all of them is a label of
//! the batch. If several roles occur in the same arguments and results, either the labels of rows and columns are named first, or there
//! is exactly one label for each role.

use super::position;
use crate::diagnostic::Diagnostic;
use crate::equation::Left;
use crate::sentence::quoted;
use crate::syntax::{Decomposition, Form, Name, Role};
use crate::token::Span;

/// For each argument, and then for each result, whether it has a role or a label.
type Membership = Vec<bool>;

/// The names of the labels of each role.
#[derive(Default)]
pub(super) struct RoleNames {
    /// In the order of [`Role::ALL`].
    pub(super) roles: [Vec<String>; 6],
    pub(super) batch: Vec<String>,
}

/// One operation, with the labels of its arguments and results.
pub(super) struct LabelledCall<'s> {
    pub(super) form: &'static Form,
    pub(super) call: &'s Decomposition,
    /// The labels of each argument.
    pub(super) axes: &'s [Vec<&'s Name>],
    /// The labels of each result.
    pub(super) results: &'s [Vec<String>],
}

impl LabelledCall<'_> {
    /// The role of every label.
    ///
    /// # Errors
    /// A label without a role, a role without a label, and labels that could have several roles.
    pub(super) fn roles(&self, left: &[Left]) -> Result<RoleNames, Diagnostic> {
        let found = self.matrix_labels(self.new_labels(left)?)?;
        self.are_swapped(&found, left)?;
        self.are_all_there(&found)?;
        Ok(found)
    }

    /// The arguments and results that have a role.
    fn of_role(&self, role: Role) -> Membership {
        let arguments = self.form.arguments[..self.axes.len()].iter().map(|roles| roles.contains(&role));
        arguments.chain(self.form.results[..self.results.len()].iter().map(|result| result.roles.contains(&role))).collect()
    }

    /// The arguments and results that have a label.
    fn of_label(&self, name: &str) -> Membership {
        let arguments = self.axes.iter().map(|axes| has(axes, name));
        arguments.chain(self.results.iter().map(|result| result.iter().any(|known| known == name))).collect()
    }

    fn refuse<T>(&self, span: Span, message: String) -> Result<T, Diagnostic> {
        Err(Diagnostic::label(span, message).help(usage(self.form, self.call.arguments.len())))
    }

    /// The results among these places, in words.
    fn results_of(&self, places: &[bool]) -> String {
        const ORDINALS: [&str; 5] = ["first", "second", "third", "fourth", "fifth"];
        let of: Vec<&str> = ORDINALS.into_iter().zip(&places[self.axes.len()..]).filter(|(_, is)| **is).map(|(o, _)| o).collect();
        match (&of[..], self.results.len()) {
            (_, 1) => "the result".to_string(),
            ([one], _) => format!("the {one} result"),
            ([before @ .., last], _) => format!("the {} and {last} results", before.join(", ")),
            ([], _) => "no result".to_string(),
        }
    }

    /// Finds the labels of the new axes: labels of the left side that no argument has.
    fn new_labels(&self, left: &[Left]) -> Result<RoleNames, Diagnostic> {
        let mut names: Vec<(&String, Span)> = Vec::new();
        for (result, left) in self.results.iter().zip(left) {
            for name in result {
                if !self.axes.iter().any(|axes| has(axes, name)) && !names.iter().any(|(known, _)| *known == name) {
                    names.push((name, left.span));
                }
            }
        }
        let mut found = RoleNames::default();
        let name_of = self.form.name;
        let mut roles = [Role::New, Role::NewRow, Role::NewColumn].into_iter().filter(|&role| self.of_role(role).contains(&true));
        for role in roles.by_ref() {
            let wanted = self.of_role(role);
            let fitting: Vec<&String> = names.iter().filter(|(n, _)| self.of_label(n) == wanted).map(|(n, _)| *n).collect();
            match fitting[..] {
                [one] => found.roles[role as usize] = vec![one.clone()],
                _ => {
                    let stray: Vec<String> = names.iter().map(|(name, _)| format!("`{name}`")).collect();
                    let here = match &stray[..] {
                        [] => "none".to_string(),
                        [one] => format!("one, {one}, stands elsewhere"),
                        several => format!("there are {}", several.join(", ")),
                    };
                    let place = self.results_of(&wanted);
                    let have = if place.ends_with('s') { "have" } else { "has" };
                    return self.refuse(self.call.span, format!("{place} of `{name_of}` {have} one new index, and here {here}"));
                }
            }
        }
        match names.iter().find(|(name, _)| !found.roles.iter().flatten().any(|known| known == *name)) {
            Some((name, span)) => self.refuse(*span, format!("index `{name}` is new, and `{name_of}` has no axis for it")),
            None => Ok(found),
        }
    }

    /// Finds the roles of the arguments' labels.
    fn matrix_labels(&self, mut found: RoleNames) -> Result<RoleNames, Diagnostic> {
        let mut labels: Vec<&Name> = Vec::new();
        for name in self.axes.iter().flatten() {
            if !has(&labels, &name.text) {
                labels.push(name);
            }
        }
        let known = [Role::Row, Role::Column, Role::Side];
        let candidates = |name: &str| -> (Vec<Role>, bool) {
            let places = self.of_label(name);
            (known.into_iter().filter(|&role| self.of_role(role) == places).collect(), places.iter().all(|&is| is))
        };
        if let Some(groups) = &self.call.groups {
            self.named_first(groups, &mut found, candidates)?;
        }
        let mut open: Vec<(&Name, Vec<Role>, bool)> = Vec::new();
        for name in labels {
            if found.roles.iter().flatten().any(|known| *known == name.text) {
                continue;
            }
            let (mut roles, batch) = candidates(&name.text);
            if self.call.groups.is_some() {
                roles.retain(|role| *role == Role::Side);
            }
            match (&roles[..], batch) {
                ([], true) => found.batch.push(name.text.clone()),
                ([one], false) => found.roles[*one as usize].push(name.text.clone()),
                ([], false) => return self.stray(name),
                _ => open.push((name, roles, batch)),
            }
        }
        // Several roles are possible. With one label for each of them they are taken in order.
        if let Some((_, roles, _)) = open.first() {
            let roles = roles.clone();
            if let ([(_, _, false)], [Role::Row, Role::Column]) = (&open[..], &roles[..]) {
                return self.refuse(self.call.span, format!("the matrix of `{}` has no column index here", self.form.name));
            }
            if open.len() != roles.len() || open.iter().any(|(_, other, _)| *other != roles) {
                return self.unnamed();
            }
            for ((name, ..), role) in open.iter().zip(roles) {
                found.roles[role as usize].push(name.text.clone());
            }
        }
        Ok(found)
    }

    /// Takes the rows and columns that are named before the `;`.
    fn named_first(
        &self,
        groups: &[Vec<Name>; 2],
        found: &mut RoleNames,
        candidates: impl Fn(&str) -> (Vec<Role>, bool),
    ) -> Result<(), Diagnostic> {
        let form = self.form;
        let fits = |name: &Name, role: Role| candidates(&name.text).0.contains(&role);
        let [rows, columns] = groups;
        let all = |rows: &[Name], columns: &[Name]| {
            rows.iter().all(|name| fits(name, Role::Row)) && columns.iter().all(|name| fits(name, Role::Column))
        };
        if !all(rows, columns) {
            let span = rows.first().or(columns.first()).map_or(self.call.span, |name| name.span);
            if let Some(name) = rows.iter().chain(columns).find(|name| !self.axes.iter().any(|axes| has(axes, &name.text))) {
                return self.refuse(name.span, format!("index `{}` is in no matrix of this `{}`", name.text, form.name));
            }
            let named = if form.has_columns() { "row and column" } else { "axes" };
            let names = format!("`{}` names its {named} first", form.name);
            let fault = Diagnostic::label(
                span,
                match form.results {
                    [only] if only.roles.contains(&Role::Row) && !only.roles.contains(&Role::Column) => {
                        format!("{names}: its result keeps the row and lacks the column")
                    }
                    _ => names,
                },
            );
            let text = |names: &[Name]| match names {
                [one] => one.text.clone(),
                several => format!("({})", several.iter().map(|name| &name.text[..]).collect::<Vec<_>>().join(", ")),
            };
            return Err(match all(columns, rows) {
                true => fault.help(format!("write `{}({}, {}; …)`", form.name, text(columns), text(rows))),
                false => fault.help(usage(form, self.call.arguments.len())),
            });
        }
        let names = |group: &[Name]| group.iter().map(|name| name.text.clone()).collect::<Vec<_>>();
        found.roles[Role::Row as usize] = names(rows);
        found.roles[Role::Column as usize] = names(columns);
        let both: Vec<&Name> = rows.iter().chain(columns).collect();
        match (1..both.len()).find(|&n| both[..n].iter().any(|known| known.text == both[n].text)) {
            Some(n) => {
                self.refuse(both[n].span, format!("index `{}` is named twice: an index is a row or a column", both[n].text))
            }
            None => Ok(()),
        }
    }

    /// Refuses a label that is where no role is.
    fn stray<T>(&self, name: &Name) -> Result<T, Diagnostic> {
        let form = self.form;
        let gone = !self.results.iter().any(|result| result.contains(&name.text));
        let message = match gone {
            true => format!("index `{}` is in the matrix of `{}`, and no result has it", name.text, form.name),
            false => format!("index `{}` stands where neither a row nor a column nor a batch of `{}` does", name.text, form.name),
        };
        let usage = usage(self.form, self.call.arguments.len());
        // If the argument has one label too many, and no other argument has it, a position may be meant.
        let holders = || self.call.arguments.iter().zip(self.axes).enumerate().filter(|(_, (_, axes))| has(axes, &name.text));
        let lone = holders().find(|(n, (_, axes))| gone && holders().count() == 1 && axes.len() > form.arguments[*n].len());
        Err(Diagnostic::label(name.span, message)
            .help(match lone {
                Some((_, (argument, _))) => position::once(argument, &name.text, format!("the form is `{}`", self.form.usage)),
                None => usage.clone(),
            })
            .operators(usage))
    }

    /// Refuses more than two labels that may be row or column.
    fn unnamed<T>(&self) -> Result<T, Diagnostic> {
        let form = self.form;
        let list: Vec<&str> = self.axes[0].iter().map(|name| &name.text[..]).collect();
        let (row, column) = match list[..] {
            [.., row, column] => (row, column),
            _ => ("i", "j"),
        };
        if let [_] | [] = list[..] {
            let count = if list.is_empty() { "none".into() } else { format!("`{}` alone", list[0]) };
            let message = format!("the matrix of `{}` has two indices, and here is {count}", form.name);
            let fault = Diagnostic::label(self.call.span, message);
            return Err(match (form.name, self.call.arguments.first()) {
                ("inv", Some(argument)) if !list.is_empty() => {
                    let written = crate::spelling::expression(argument);
                    fault.help(format!("the reciprocal of each element is `recip({written})`"))
                }
                _ => fault.help(format!("write {}", usage(form, self.call.arguments.len()))),
            });
        }
        let message = format!("`{}` of more than two indices names its row and column first", form.name);
        let tail = if form.has_exponent { ", n" } else { "" };
        let fault = Diagnostic::label(self.call.span, message);
        Err(fault.help(format!(
            "write `{}({row}, {column}; A[{}]{tail})`, if `{row}` is the row and `{column}` the column",
            form.name,
            list.join(", ")
        )))
    }

    /// Checks that the result of an inverse has rows and columns swapped.
    fn are_swapped(&self, found: &RoleNames, left: &[Left]) -> Result<(), Diagnostic> {
        if !self.form.swaps {
            return Ok(());
        }
        let place = |role: Role| {
            let names = &found.roles[role as usize];
            self.results[0].iter().position(|name| names.contains(name)).unwrap_or(0)
        };
        if place(Role::Column) < place(Role::Row) {
            return Ok(());
        }
        let swapped: Vec<&String> =
            found.batch.iter().chain(&found.roles[Role::Column as usize]).chain(&found.roles[Role::Row as usize]).collect();
        let swapped = swapped.iter().map(|name| name.as_str()).collect::<Vec<_>>().join(", ");
        let message = format!("`{}` swaps the rows and columns of its matrix", self.form.name);
        Err(Diagnostic::label(left[0].span, message).help(format!("write `[{swapped}] = {}(…)`", self.form.name)))
    }

    /// Checks that there are rows and columns, and that a square matrix has as many of both unless they are named.
    fn are_all_there(&self, found: &RoleNames) -> Result<(), Diagnostic> {
        let form = self.form;
        let [rows, columns, ..] = &found.roles;
        for (role, word) in [(Role::Row, "row"), (Role::Column, "column")] {
            if form.arguments[0].contains(&role) && found.roles[role as usize].is_empty() {
                let message = match form.least_arguments {
                    1 if form.has_columns() => format!("the matrix of `{}` has no {word} index here", form.name),
                    1 => format!("`{}` has no axis here", form.name),
                    _ => format!("the first argument of `{}` has no {word} index here", form.name),
                };
                return self.refuse(self.call.span, message);
            }
        }
        if form.is_square && self.call.groups.is_none() && form.least_arguments == 1 && rows.len() != columns.len() {
            let message =
                format!("the square matrix of `{}` has rows {} but columns {} here", form.name, quoted(rows), quoted(columns));
            return self.refuse(self.call.span, message);
        }
        Ok(())
    }
}

pub(super) fn has(names: &[&Name], text: &str) -> bool {
    names.iter().any(|name| name.text == text)
}

/// What to write in place of a call with so many arguments.
pub(super) fn usage(form: &Form, arguments: usize) -> String {
    format!("write `{}`", form.usage_of(arguments))
}
