//! State shared by the checks of one equation: the marks of extents, the occurrences of labels, and the items that carry the
//! messages.
//!
//! Each check emits a local trait that carries the message, because only the macro knows the names in it; rustc fills in the
//! numbers. The other half, which the emitted code calls, is `shape/check.rs` of the core. This file must not know which checks
//! an equation needs.
//!
//! rustc prints the whole path of local items if two have the same name, so their names have line and column. Items are not
//! hygienic; they have the span of a user's token, so that errors point there.

use std::collections::{HashMap, HashSet};

use proc_macro2::{Ident, Span, TokenStream};
use quote::{format_ident, quote_spanned};
use tensorwrapper_notation::{Equation, LabelId, sentence};

use crate::expand::environment::Environment;
use crate::expand::hygiene::own;
use crate::expand::named;

/// The variable that holds the most precise mark of a label's extent so far.
pub(in crate::expand) fn extent(label: LabelId) -> Ident {
    own("extent", label.0)
}

/// The mark of the product of labels' extents.
pub(in crate::expand) fn product(labels: &[LabelId]) -> TokenStream {
    let Some((first, rest)) = labels.split_first() else {
        return emit!(__tw::Mark::<__tw::Const<1>>::constant());
    };
    let first = extent(*first);
    rest.iter().fold(emit!(#first), |product, label| {
        let label = extent(*label);
        emit!(__tw::Product::of(#product, #label).__product())
    })
}

/// How many indices an operand is given, as a value: a name where there is one.
pub(super) fn given(indices: usize) -> TokenStream {
    if indices >= named::INDICES {
        return emit!(__tw::GivenIndices::<#indices>);
    }
    let name = format_ident!("INDICES_{}", indices, span = Span::mixed_site());
    emit!(__tw::#name)
}

/// One axis of an operand.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct Axis {
    pub(super) operand: usize,
    pub(super) number: usize,
    /// How many indices the operand has at this occurrence.
    pub(super) indices: usize,
}

/// One place that determines a label's extent.
#[derive(Clone)]
pub(super) struct Occurrence {
    /// The operand as a message names it.
    pub(super) text: String,
    pub(super) axis: usize,
    /// Occurrences with equal keys have the same extent.
    pub(super) key: String,
    /// The variable that holds the extent as a type.
    pub(super) mark: Ident,
    pub(super) span: Span,
}

/// The texts of a check: what rustc reports if two numbers differ.
pub(super) struct Wording<'t> {
    pub(super) message: &'t str,
    pub(super) label: &'t str,
    pub(super) note: Option<&'t str>,
}

/// The occurrences of a label so far.
pub(super) struct Occurrences {
    pub(super) first: Occurrence,
    second: Option<Occurrence>,
    count: usize,
}

/// The checks of one equation.
pub(super) struct Checks<'s, 'h> {
    pub(super) environment: &'s Environment<'h>,
    /// What has been emitted.
    pub(super) code: TokenStream,
    pub(super) occurrences: HashMap<LabelId, Occurrences>,
    /// The labels' names.
    pub(super) names: Vec<String>,
    /// The variables of the operands.
    pub(super) operands: &'s [Ident],
    /// For each label, whether Rust can have an identifier of that name.
    is_identifier: Vec<bool>,
    /// Operands whose axes are marked, with their numbers of indices.
    marked: HashSet<(usize, usize)>,
    /// Pairs of extents that were compared, by their keys.
    compared: HashSet<(String, String)>,
    /// The keys of each label's occurrences.
    met: HashSet<(LabelId, String)>,
    /// Names of items.
    items: HashSet<String>,
    /// The types that stand for labels in messages.
    subjects: HashMap<(LabelId, String), Ident>,
    /// How many variables were made for extents that no axis has.
    extents: usize,
}

impl<'s, 'h> Checks<'s, 'h> {
    /// The checks of an equation whose operands have these variables: none so far.
    pub(super) fn new(environment: &'s Environment<'h>, equation: &Equation, operands: &'s [Ident]) -> Checks<'s, 'h> {
        let labels = equation.labels();
        Checks {
            environment,
            code: TokenStream::new(),
            occurrences: HashMap::new(),
            names: labels.iter().map(|label| label.name.clone()).collect(),
            operands,
            is_identifier: labels.iter().map(|label| environment.host.label(&label.name, label.span).is_some()).collect(),
            marked: HashSet::new(),
            compared: HashSet::new(),
            met: HashSet::new(),
            items: HashSet::new(),
            subjects: HashMap::new(),
            extents: 0,
        }
    }

    /// A name for an item that is unique in the equation, and mostly in the crate.
    pub(super) fn item(&mut self, prefix: &str, span: Span) -> Ident {
        let start = span.start();
        let name = format!("{prefix}_{}_{}", start.line, start.column + 1);
        let unique = (1..).map(|n| if n == 1 { name.clone() } else { format!("{name}_{n}") });
        let name = unique.into_iter().find(|name| self.items.insert(name.clone())).expect("there are names enough");
        Ident::new(&name, span)
    }

    /// Emits the check that two numbers, `{L}` and `{R}` in the message, are equal. The `subject` is the type that rustc names.
    pub(super) fn demand(&mut self, subject: &TokenStream, name: &str, span: Span, wording: Wording<'_>, numbers: &TokenStream) {
        let Wording { message, label, note } = wording;
        let note = note.map(|note| emit!(, note = #note));
        let item = self.item(name, span);
        let ask = quote_spanned!(span=> <#subject as #item<_, _>>::check);
        // The second implementation keeps rustc from inferring one number from the other. In braces `L` and `R` are values, and so not
        // types of these names, which the program may have.
        self.code.extend(emit! {
            #[diagnostic::on_unimplemented(message = #message, label = #label #note)]
            trait #item<const L: __tw::usize, const R: __tw::usize> {
                fn check(_: __tw::Compared<{ L }, { R }>) {}
            }
            #[diagnostic::do_not_recommend]
            impl<const L: __tw::usize> #item<{ L }, { L }> for #subject {}
            #[diagnostic::do_not_recommend]
            impl #item<4294967295, 0> for #subject {}
            #ask(#numbers.__compare());
        });
    }

    /// The mark of an operand's axis.
    pub(super) fn mark(&mut self, Axis { operand, number, indices }: Axis) -> Ident {
        // Shape types have up to 16 axes.
        if indices > 16 {
            return self.extent_mark(None);
        }
        let mark = |number: usize| format_ident!("__axis{}_{}_{}", operand, number, indices, span = Span::mixed_site());
        if self.marked.insert((operand, indices)) {
            let (marks, operand) = ((0..indices).map(mark), &self.operands[operand]);
            let count = given(indices);
            self.code.extend(emit!(let (#(#marks,)*) = __tw::mark_axes(#operand.shape(), #count).__axes();));
        }
        mark(number)
    }

    /// A new variable for an extent that no axis has.
    pub(super) fn own_extent(&mut self) -> Ident {
        self.extents += 1;
        own("length", self.extents - 1)
    }

    /// The mark of a constant extent, or of one that only the run knows.
    pub(super) fn extent_mark(&mut self, extent: Option<usize>) -> Ident {
        let mark = self.own_extent();
        self.code.extend(match extent {
            Some(extent) => emit!(let #mark = __tw::Mark::<__tw::Const<#extent>>::constant();),
            None => emit!(let #mark = __tw::Mark::dynamic();),
        });
        mark
    }

    /// Checks an occurrence of a label against the first one. The more precise extent of both is the label's from here on.
    pub(super) fn meet(&mut self, label: LabelId, occurrence: &Occurrence) {
        if !self.met.insert((label, occurrence.key.clone())) {
            return;
        }
        let extent = extent(label);
        let mark = &occurrence.mark;
        let Some(known) = self.occurrences.get_mut(&label) else {
            self.code.extend(emit!(let #extent = #mark;));
            self.occurrences.insert(label, Occurrences { first: occurrence.clone(), second: None, count: 1 });
            return;
        };
        known.count += 1;
        let first = known.first.clone();
        let second = known.second.get_or_insert_with(|| occurrence.clone()).clone();
        // The first may have an extent that only the run knows while the second has a constant one. Further occurrences are
        // left to the run, because each comparison costs compile time.
        let is_third = known.count == 3;
        let (a, b) = (&first.mark, &second.mark);
        self.agree(label, &first, occurrence, &emit!(__tw::AxisPair(#a, #mark)));
        if is_third {
            self.agree(label, &second, occurrence, &emit!(__tw::LaterPair(#a, #b, #mark)));
        }
        self.code.extend(emit!(let #extent = __tw::meet(#extent, #mark);));
    }

    /// Emits the check that two occurrences of a label have one extent, unless another label was compared at the same two.
    fn agree(&mut self, label: LabelId, first: &Occurrence, second: &Occurrence, numbers: &TokenStream) {
        if !self.compared.insert((first.key.clone(), second.key.clone())) {
            return;
        }
        let name = self.names[label.0].clone();
        let message = sentence::extent(&name, (&first.text, first.axis, &"{L}"), (&second.text, second.axis, &"{R}"));
        self.extents((label, first), second.span, &message, &format!("`{name}` has extent {{R}} here"), numbers);
    }

    /// Emits the check that two extents are equal: that of an earlier occurrence of a label, and a later one; the message
    /// stands at `span`.
    pub(super) fn extents(
        &mut self,
        (label, first): (LabelId, &Occurrence),
        span: Span,
        message: &str,
        caret: &str,
        numbers: &TokenStream,
    ) {
        let subject = self.subject(label, first);
        let subject = Ident::new(&subject.to_string(), span);
        let wording = Wording { message, label: caret, note: None };
        self.demand(&quote_spanned!(span=> #subject), "SameExtent", span, wording, numbers);
    }

    /// The type that stands for a label at an occurrence: rustc shows where the type is declared, which is that occurrence.
    fn subject(&mut self, label: LabelId, occurrence: &Occurrence) -> Ident {
        let key = (label, occurrence.key.clone());
        if let Some(subject) = self.subjects.get(&key) {
            return subject.clone();
        }
        let (name, span) = (self.names[label.0].clone(), occurrence.span);
        let prefix = if self.is_identifier[label.0] { name.trim_start_matches("r#") } else { "label" };
        let subject = self.item(prefix, span);
        let declaration = quote_spanned!(span=> enum #subject {});
        self.code.extend(declaration);
        self.subjects.insert(key, subject.clone());
        subject
    }
}
