//! Emits the compile-time checks of ranks, extents and positions.
//!
//! For each check a local trait carries the sentence, because only the macro knows the names in it; the numbers are
//! filled in by rustc. See `shape/check.rs` of the runtime for the other half.
//!
//! rustc prints the names of local items with their whole path as soon as two are alike, so they are told apart by
//! line and column. Items are not hygienic: names with the place of a user's token let errors point there.

mod factorise;
mod fused;

use std::collections::{HashMap, HashSet};

use proc_macro2::{Ident, Span, TokenStream};
use quote::quote_spanned;
use tensorwrapper_notation::syntax::{Count, Range};
use tensorwrapper_notation::{Equation, Index, LabelId, Operand, sentence};

use super::equation::shared;
use super::own;
use super::scene::Scene;
pub(super) use fused::product;

/// The variable that holds the mark of a label's extent, the most precise known.
pub(super) fn extent(label: LabelId) -> Ident {
    own("extent", label.0)
}

/// A label that is a constant in scope would be a label all the same, and its sum a surprise: this makes rustc say
/// that the name is a constant.
pub(super) fn labels_are_no_constants(scene: &Scene<'_>, equation: &Equation) -> TokenStream {
    let mut seen = HashSet::new();
    let labels = equation.labels().iter().filter(|label| seen.insert(label.name.as_str()));
    let names: Vec<Ident> = labels
        .filter_map(|label| scene.host.label(&label.name, label.span))
        .map(|mut name| {
            name.set_span(name.span().resolved_at(Span::mixed_site()));
            name
        })
        .collect();
    if names.is_empty() {
        return TokenStream::new();
    }
    // Declared, not given: what they would be given has no place of its own, and rustc would show the whole macro.
    let types = names.iter().map(|name| quote_spanned!(name.span()=> __tw::Label));
    emit!(if false { #(let #names: #types;)* })
}

/// Where a label's extent was seen.
#[derive(Clone)]
struct Place {
    /// The operand as a message names it.
    text: String,
    axis: usize,
    /// Equal keys are one extent.
    key: String,
    mark: Ident,
    span: Span,
}

/// What rustc says of numbers that are not equal.
struct Said<'t> {
    message: &'t str,
    label: &'t str,
    note: Option<&'t str>,
}

/// Where a label was seen so far.
struct Seen {
    first: Place,
    second: Option<Place>,
    places: usize,
}

struct Checks<'s, 'h> {
    scene: &'s Scene<'h>,
    code: TokenStream,
    seen: HashMap<LabelId, Seen>,
    /// Operands whose axes are marked, with their numbers of indices.
    marked: HashSet<(usize, usize)>,
    /// Pairs of extents that were compared, by their keys.
    compared: HashSet<(String, String)>,
    /// Extents of labels that were met.
    met: HashSet<(LabelId, String)>,
    /// Names of items.
    items: HashSet<String>,
    /// The labels' names.
    names: Vec<String>,
    /// Those of which Rust can make names.
    speakable: Vec<bool>,
    /// The types that stand for labels in messages.
    subjects: HashMap<(LabelId, String), Ident>,
    /// Marks of extents that no axis has: slices and declarations.
    lengths: usize,
    /// The variables of the operands.
    operands: &'s [Ident],
}

/// The checks of an equation, and the marks of its labels' extents.
pub(super) fn checks(scene: &Scene<'_>, equation: &Equation, operands: &[Ident]) -> TokenStream {
    let mut checks = Checks {
        scene,
        code: TokenStream::new(),
        seen: HashMap::new(),
        marked: HashSet::new(),
        compared: HashSet::new(),
        met: HashSet::new(),
        items: HashSet::new(),
        names: equation.labels().iter().map(|label| label.name.clone()).collect(),
        speakable: equation.labels().iter().map(|label| scene.host.label(&label.name, label.span).is_some()).collect(),
        subjects: HashMap::new(),
        lengths: 0,
        operands,
    };
    let mut ranked = HashSet::new();
    for (n, operand) in equation.operands().iter().enumerate() {
        let (number, given) = (shared(equation, n), operand.indices.len());
        // With `..` the number of axes is not that of the indices, and those behind it are counted at run time.
        let rest = operand.indices.iter().position(|index| *index == Index::Rest);
        if rest.is_none() && ranked.insert((number, given)) {
            checks.rank(number, operand);
        }
        for (axis, index) in operand.indices.iter().enumerate() {
            if rest.is_none() {
                checks.axis((number, axis, given), index, &operand.hole.text);
            } else {
                checks.unknown((number, axis, given), index, &operand.hole.text);
            }
        }
    }
    // After the operands, as the run does, so that messages name the places in one order.
    for (n, label) in equation.labels().iter().enumerate() {
        if let Some(declared) = &label.declared {
            checks.declared(LabelId(n), declared);
        }
    }
    fused::fused(&mut checks, equation);
    if let Some(factorise) = equation.factorise() {
        factorise::new_axes(&mut checks, factorise);
    }
    checks.code
}

impl Checks<'_, '_> {
    /// A name for an item, unique in the equation and mostly in the crate.
    fn item(&mut self, prefix: &str, span: Span) -> Ident {
        let start = span.start();
        let name = format!("{prefix}_{}_{}", start.line, start.column + 1);
        let unique = (1..).map(|n| if n == 1 { name.clone() } else { format!("{name}_{n}") });
        let name = unique.into_iter().find(|name| self.items.insert(name.clone())).expect("there are names enough");
        Ident::new(&name, span)
    }

    /// Demands that two numbers, `{L}` and `{R}` in the message, are equal for a subject.
    fn demand(&mut self, subject: &TokenStream, name: &str, span: Span, said: Said<'_>, numbers: &TokenStream) {
        let Said { message, label, note } = said;
        let note = note.map(|note| emit!(, note = #note));
        let item = self.item(name, span);
        let ask = quote_spanned!(span=> <#subject as #item<_, _>>::check);
        // The second implementation keeps rustc from inferring one number from the other.
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

    /// As many indices as axes.
    fn rank(&mut self, operand: usize, Operand { hole, indices, has_no_rest, .. }: &Operand) {
        let given = indices.len();
        let message = sentence::rank(&hole.text, "{L}", given);
        let label = format!("`{}` has rank {{L}}", hole.text);
        let note = has_no_rest.then_some(sentence::NO_REST);
        let (span, operand) = (self.scene.host.blame(hole), &self.operands[operand]);
        let unit = quote_spanned!(span=> ());
        let numbers = emit!(__tw::check_rank::<_, #given>(#operand.shape()));
        self.demand(&unit, "SameRank", span, Said { message: &message, label: &label, note }, &numbers);
    }

    /// The mark of an operand's axis.
    fn mark(&mut self, (operand, axis, given): (usize, usize, usize)) -> Ident {
        // Shape types have up to 16 axes.
        if given > 16 {
            return self.constant(None);
        }
        let mark = |axis: usize| quote::format_ident!("__axis{}_{}_{}", operand, axis, given, span = Span::mixed_site());
        if self.marked.insert((operand, given)) {
            let (marks, operand) = ((0..given).map(mark), &self.operands[operand]);
            self.code.extend(emit!(let (#(#marks,)*) = __tw::mark_axes::<_, #given>(#operand.shape()).__axes();));
        }
        mark(axis)
    }

    /// One index of an operand: its position is on the axis, its label has one extent.
    fn axis(&mut self, place: (usize, usize, usize), index: &Index, text: &str) {
        let (operand, axis, given) = place;
        let key = format!("{operand}.{axis}.{given}");
        let (label, span, key, mark) = match index {
            Index::Chip(Count::Literal(position, span)) => {
                return self.located(place, text, &position.to_string(), *position, self.scene.host.span(*span));
            }
            Index::Chip(Count::Hole(_)) | Index::Rest => return,
            Index::Fused(..) => return self.unknown(place, index, text),
            Index::Label(label, span) => (label, span, key, self.mark(place)),
            Index::Slice(label, Range::Literal(start, end, range_span), span) => {
                let written = format!("{start}..{}", end.map_or(String::new(), |end| end.to_string()));
                if let Some(last) = end.unwrap_or(*start).checked_sub(1) {
                    self.located(place, text, &written, last, self.scene.host.span(*range_span));
                }
                let mark = self.constant(end.map(|end| end - start));
                (label, span, format!("{key} in {written}"), mark)
            }
            Index::Slice(label, Range::Hole(hole), span) => (label, span, format!("{key} in {}", hole.text), self.constant(None)),
        };
        let span = self.scene.host.span(*span);
        self.meet(*label, &Place { text: text.to_string(), axis, key, mark, span });
    }

    /// The mark of an extent that a literal tells, or of one that only the run knows.
    fn constant(&mut self, extent: Option<usize>) -> Ident {
        let mark = own("length", self.lengths);
        self.lengths += 1;
        self.code.extend(match extent {
            Some(extent) => emit!(let #mark = __tw::Mark::<__tw::Const<#extent>>::constant();),
            None => emit!(let #mark = __tw::Mark::dynamic();),
        });
        mark
    }

    /// A constant position lies on its axis.
    fn located(&mut self, place: (usize, usize, usize), text: &str, written: &str, position: usize, span: Span) {
        let mark = self.mark(place);
        let message = sentence::bounds(written, text, place.1, "{N}");
        let label = format!("axis {} of `{text}` has extent {{N}}", place.1);
        let item = self.item("WithinExtent", span);
        let unit = quote_spanned!(span=> ());
        let ask = quote_spanned!(span=> <#unit as #item<_, _>>::check);
        self.code.extend(emit! {
            #[diagnostic::on_unimplemented(message = #message, label = #label)]
            trait #item<const N: __tw::usize, const INSIDE: __tw::bool> {
                fn check(_: __tw::Located<{ N }, { INSIDE }>) {}
            }
            #[diagnostic::do_not_recommend]
            impl<const N: __tw::usize> #item<{ N }, true> for () {}
            #[diagnostic::do_not_recommend]
            impl #item<4294967295, false> for () {}
            #ask(__tw::Position::<_, #position>::on(#mark).__locate());
        });
    }

    /// Labels whose extents only the run finds: those of a fused axis, and those of an operand with `..`.
    fn unknown(&mut self, (operand, axis, given): (usize, usize, usize), index: &Index, text: &str) {
        let (Index::Fused(_, span) | Index::Label(_, span) | Index::Slice(_, _, span)) = index else { return };
        let span = self.scene.host.span(*span);
        for (n, label) in index.labels().iter().enumerate() {
            let key = format!("{operand}.{axis}.{given}.{n}");
            let mark = self.constant(None);
            self.meet(*label, &Place { text: text.to_string(), axis, key, mark, span });
        }
    }

    /// An extent from `where`.
    fn declared(&mut self, label: LabelId, extent: &Count) {
        let (mark, span) = match extent {
            Count::Literal(extent, span) => (self.constant(Some(*extent)), self.scene.host.span(*span)),
            Count::Hole(hole) => (self.constant(None), self.scene.host.blame(hole)),
        };
        let key = format!("where {}", label.0);
        self.meet(label, &Place { text: "where".to_string(), axis: 0, key, mark, span });
    }

    /// A place agrees with the label's first one, and the more precise extent is the label's.
    fn meet(&mut self, label: LabelId, place: &Place) {
        if !self.met.insert((label, place.key.clone())) {
            return;
        }
        let extent = extent(label);
        let mark = &place.mark;
        let Some(seen) = self.seen.get_mut(&label) else {
            self.code.extend(emit!(let #extent = #mark;));
            self.seen.insert(label, Seen { first: place.clone(), second: None, places: 1 });
            return;
        };
        seen.places += 1;
        let first = seen.first.clone();
        let second = seen.second.get_or_insert_with(|| place.clone()).clone();
        // Where the first says nothing, the second may; further ones are compared by the run, for the compiler's time.
        let is_third = seen.places == 3;
        let (a, b) = (&first.mark, &second.mark);
        self.agree(label, &first, place, &emit!(__tw::AxisPair(#a, #mark)));
        if is_third {
            self.agree(label, &second, place, &emit!(__tw::LaterPair(#a, #b, #mark)));
        }
        self.code.extend(emit!(let #extent = __tw::meet(#extent, #mark);));
    }

    /// Two places of a label have one extent; equal places of another label of the same equation were compared there.
    fn agree(&mut self, label: LabelId, first: &Place, second: &Place, numbers: &TokenStream) {
        if !self.compared.insert((first.key.clone(), second.key.clone())) {
            return;
        }
        let name = self.names[label.0].clone();
        let message = sentence::extent(&name, (&first.text, first.axis, &"{L}"), (&second.text, second.axis, &"{R}"));
        self.extents((label, first), second.span, &message, &format!("`{name}` has extent {{R}} here"), numbers);
    }

    /// Two extents are equal: that of a label at an earlier place, and one at this place.
    fn extents(&mut self, (label, first): (LabelId, &Place), span: Span, message: &str, caret: &str, numbers: &TokenStream) {
        let subject = self.subject(label, first);
        let subject = Ident::new(&subject.to_string(), span);
        self.demand(&quote_spanned!(span=> #subject), "SameExtent", span, Said { message, label: caret, note: None }, numbers);
    }

    /// The type that stands for a label at a place: rustc shows where it is declared, which is that place.
    fn subject(&mut self, label: LabelId, place: &Place) -> Ident {
        let key = (label, place.key.clone());
        if let Some(subject) = self.subjects.get(&key) {
            return subject.clone();
        }
        let (name, span) = (self.names[label.0].clone(), place.span);
        let prefix = if self.speakable[label.0] { name.trim_start_matches("r#") } else { "label" };
        let subject = self.item(prefix, span);
        let declaration = quote_spanned!(span=> enum #subject {});
        self.code.extend(declaration);
        self.subjects.insert(key, subject.clone());
        subject
    }
}
