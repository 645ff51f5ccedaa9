//! Labels of a `where` that no equation has. They are faults, because they are most likely misspelt.

use std::collections::HashSet;

use super::checker::Checker;
use super::labels::{Labels, written};
use crate::diagnostic::Diagnostic;
use crate::nearest::nearest;
use crate::sentence::quoted;
use crate::syntax::{Block, BlockValue, Count, Declaration, Name, Statement};

/// The declarations of a block's `where`, and its faults. A label that no equation has is read as the similar label, if there is one, so
/// that it causes no further faults.
pub fn header(block: &Block) -> (Vec<Declaration>, Vec<Diagnostic>) {
    let last = if let BlockValue::Equation(last) = &block.value { Some(&**last) } else { None };
    let labels = written(block.statements.iter().chain(last));
    let (mut declarations, mut faults) = (block.declarations.clone(), Vec::new());
    faults.extend(twice(&block.declarations));
    for (stray, meant) in strays(&block.declarations, &labels) {
        faults.push(fault(stray, meant, (&block.declarations, &labels), "block"));
        let names = declarations.iter_mut().flat_map(|declaration| &mut declaration.labels);
        if let (Some(meant), Some(name)) = (meant, names.into_iter().find(|name| name.span == stray.span)) {
            name.text = meant.to_string();
        }
    }
    (declarations, faults)
}

impl Checker<'_> {
    /// Whether the equation's own `where` has labels that the equation does not have.
    pub(super) fn declares_others(&mut self, statement: &Statement) -> bool {
        if statement.declarations.is_empty() {
            return false;
        }
        self.faults.extend(twice(&statement.declarations));
        let labels = written([statement]);
        let strays = strays(&statement.declarations, &labels);
        self.faults
            .extend(strays.iter().map(|(stray, meant)| fault(stray, *meant, (&statement.declarations, &labels), "equation")));
        !strays.is_empty()
    }
}

/// The faults of labels that are declared twice.
fn twice(declarations: &[Declaration]) -> Vec<Diagnostic> {
    let mut met = HashSet::new();
    let labels = declarations.iter().flat_map(|declaration| &declaration.labels);
    let again = labels.filter(|label| !met.insert(label.text.as_str()));
    let fault = |label: &Name| Diagnostic::label(label.span, format!("`{}` stands twice in `where`", label.text));
    again.map(|label| fault(label).help("leave out one of them")).collect()
}

/// Each declared label that no equation has, and the label that it resembles, if there is one.
fn strays<'s>(declarations: &'s [Declaration], labels: &Labels<'s>) -> Vec<(&'s Name, Option<&'s str>)> {
    let declared = || declarations.iter().flat_map(|declaration| &declaration.labels);
    let declared_names: HashSet<&str> = declared().map(|name| name.text.as_str()).collect();
    let written: HashSet<&str> = labels.iter().copied().collect();
    let free = labels.iter().copied().filter(|label| !declared_names.contains(label));
    let free: Vec<&str> = free.take(MOST_COMPARED).collect();
    let is_stray = |name: &&Name| !written.contains(name.text.as_str());
    // Any two names of one letter resemble each other, so they tell nothing.
    let meant = |name: &Name| match &free[..] {
        [one] => nearest(&name.text, [*one]),
        several => nearest(&name.text, several.iter().copied()).filter(|_| name.text.chars().count() > 1),
    };
    declared().filter(is_stray).map(|name| (name, meant(name))).collect()
}

fn fault(stray: &Name, meant: Option<&str>, (declarations, labels): (&[Declaration], &Labels<'_>), of: &str) -> Diagnostic {
    let has = |declaration: &&Declaration| declaration.labels.iter().any(|label| label.span == stray.span);
    let extent = match declarations.iter().find(has).map(|declaration| &declaration.extent) {
        Some(Count::Hole(hole)) => hole.text.as_str(),
        _ => "",
    };
    let message = format!("`where` gives `{}` an extent, and no index of this {of} has that name", stray.text);
    let more = if labels.len() > MOST_LISTED { ", …" } else { "" };
    let list = quoted(labels.iter().take(MOST_LISTED));
    Diagnostic::label(stray.span, message).help(match meant {
        // `where n: i`
        _ if labels.contains(&extent) => format!("the index stands first: `where {extent}: {}`", stray.text),
        Some(meant) => format!("is `{meant}` meant?"),
        None if list.is_empty() => "leave it out".to_string(),
        None => format!("leave it out; the indices are {list}{more}"),
    })
}

/// How many labels a message lists.
const MOST_LISTED: usize = 12;

/// Among how many labels the similar one is searched, so that the search stays short.
const MOST_COMPARED: usize = 64;
