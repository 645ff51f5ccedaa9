//! What the structures of operands say of a result: its symmetry and the charge that it conserves, before anything is computed.
//!
//! A permutation of the result's axes is a symmetry if the equation with its labels permuted is the same equation, up to a sign or
//! conjugation, by the symmetries of the factors and the exchange of equal ones. Knows nothing of blocks or elements.

use num_complex::Complex;
use tensorwrapper_core::error::Error;
use tensorwrapper_core::shape::{Charges, Tiling};
use tensorwrapper_core::structure::Structure;
use tensorwrapper_core::symmetry::{Sign, SignedPermutation, Symmetry};

use super::claims::{Claim, with_claims};
use super::cuts::{Aim, Cuts};
use super::equal::ProductComparison;
use super::flow::Flowing;
use super::permuted::Permuted;
use super::terms::{Sum, Term};

/// The same products without those that are zero or cancel, equal ones added up.
pub(super) fn without_equal(terms: Vec<Term>, comparison: &ProductComparison<'_>) -> Vec<Term> {
    let mut kept: Vec<Term> = Vec::new();
    for mut term in terms {
        if comparison.signs(&term, &term) == (true, true) {
            continue;
        }
        let same = kept.iter_mut().find_map(|known| match comparison.signs(&term, known) {
            (true, _) => Some((known, term.scale)),
            (_, true) => Some((known, -term.scale)),
            _ => None,
        });
        match same {
            Some((known, scale)) => known.scale += scale,
            None => kept.push(std::mem::replace(&mut term, Term { scale: Complex::ZERO, factors: vec![], summed: vec![] })),
        }
    }
    kept.retain(|term| term.scale != Complex::ZERO);
    kept
}

/// What is said of a result beside its equation: how it is cut, and which symmetries it is claimed to have.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Said<'s> {
    pub(super) cuts: Aim<'s>,
    pub(super) claims: &'s [Claim],
    /// Whether it is to have no symmetry, as what a tensor with ties stores.
    pub(super) is_tied: bool,
}

impl Said<'_> {
    /// The permutations of axes that are claimed.
    fn claimed(&self) -> impl Iterator<Item = Vec<usize>> + '_ {
        self.claims.iter().flat_map(Claim::exchanges).map(|exchange| exchange.axes().collect())
    }
}

/// The frame of a result: how it is cut, its symmetry, and the charge that it conserves, if any.
///
/// # Errors
/// As [`Structure::with`] and [`Structure::flow`].
pub(super) fn frame(
    left: &[usize],
    cuts: &Cuts,
    (flow, said): (Option<Flowing>, Said<'_>),
    permuted: &Permuted<'_>,
) -> Result<Structure, Error> {
    let tilings: Vec<Tiling> = left.iter().map(|&label| cuts.result(label).clone()).collect();
    // An axis that is cut without charges shows none.
    let flow = flow.filter(|_| tilings.iter().all(|tiling| tiling.charges().is_some()));
    let inferred = match said.is_tied {
        true => Symmetry::none(left.len()),
        false => symmetry(left, cuts, (flow.as_ref(), said), permuted)?,
    };
    let frame = Structure::new(&tilings).with_ragged(cuts.ragged(left))?;
    let frame = frame.with(with_claims(inferred, (said.claims, &tilings), permuted.is_complex)?)?;
    match flow {
        // No signs to be told where a result has no axes: only a total charge of zero lets it be another number.
        Some((signs, total)) if !signs.is_empty() => frame.flow(signs, total),
        _ => Ok(frame),
    }
}

/// Axes that change places are cut alike: those of a result that are not, although a symmetry exchanges them, are cut wherever one of them
/// is. What is said to be cut in a certain way, and what has charges, stays as it is.
pub(super) fn align(left: &[usize], cuts: &mut Cuts, said: Said<'_>, permuted: &Permuted<'_>) {
    let is_free = |n: usize| said.cuts.get(n).is_none_or(Option::is_none) && cuts.result(left[n]).charges().is_none();
    let same = |a: usize, b: usize| cuts.result(left[a]).same_cuts(cuts.result(left[b]));
    let may = |a: usize, b: usize| {
        same(a, b) || (is_free(a) && is_free(b) && cuts.result(left[a]).extent() == cuts.result(left[b]).extent())
    };
    let rank = left.len();
    if !(0..rank).any(|a| (0..a).any(|b| may(a, b) && !same(a, b))) {
        return;
    }
    let tried = permuted.candidates(rank, said.claimed(), &may);
    let moved = tried.into_iter().filter(|axes| (0..rank).any(|n| !same(n, axes[n])));
    let Permuted { is_complex, sign_of, .. } = *permuted;
    let holds = |axes: &Vec<usize>| sign_of(axes, false).is_some() || (is_complex && sign_of(axes, true).is_some());
    let found: Vec<Vec<usize>> = moved.filter(holds).collect();
    for _ in 0..rank {
        // As often as an axis may be away from another one in its orbit.
        found.iter().flat_map(|axes| axes.iter().enumerate()).for_each(|(n, &axis)| cuts.cut_alike(left[n], left[axis]));
    }
}

/// The symmetry of a result that conserves this charge, if any. Of a group that is too large to be listed a part is known.
fn symmetry(
    left: &[usize],
    cuts: &Cuts,
    (flow, said): (Option<&Flowing>, Said<'_>),
    permuted: &Permuted<'_>,
) -> Result<Symmetry, Error> {
    let mut found = Vec::new();
    let Permuted { is_complex, sign_of, .. } = *permuted;
    let alike = |a: usize, b: usize| cuts.result(left[a]) == cuts.result(left[b]);
    for axes in permuted.candidates(left.len(), said.claimed(), &alike) {
        for conjugates in [false, true] {
            if conjugates && !is_complex {
                continue;
            }
            // Axes of one index each may change places whatever is on them.
            let are_alone = || !conjugates && (0..left.len()).all(|n| axes[n] == n || cuts.result(left[n]).extent() == 1);
            if let Some(sign) = sign_of(&axes, conjugates).or_else(|| are_alone().then_some(Sign::Plus)) {
                let permutation = SignedPermutation::new(&axes, sign)?;
                // A structure cannot have both a charge and a symmetry that changes it.
                let Some(turns) = turns(left, cuts, flow, &axes) else { continue };
                // Real numbers do not notice conjugation, but charges do.
                let conjugates = match turns {
                    None => conjugates,
                    Some(turns) if is_complex && turns != conjugates => continue,
                    Some(turns) => turns,
                };
                found.push(if conjugates { permutation.conjugating() } else { permutation });
            }
        }
    }
    let mut known = Symmetry::none(left.len());
    // What is found first is kept, claims before all: a part is enough of a group that cannot be listed, or that
    // would make every element zero.
    let _ = known.extend_by(found);
    Ok(known)
}

/// A label where a result's axes are permuted so.
pub(super) fn renamed(left: &[usize], axes: &[usize], label: usize) -> usize {
    left.iter().position(|&own| own == label).map_or(label, |n| left[axes[n]])
}

/// Whether a permutation of axes turns the sign of each one's charges; `Some(None)` where there are none to be turned, and nothing where it
/// turns some of them, or turns a total that is not its own opposite.
fn turns(left: &[usize], cuts: &Cuts, flow: Option<&Flowing>, axes: &[usize]) -> Option<Option<bool>> {
    let Some((signs, total)) = flow else { return Some(None) };
    let group = left.iter().find_map(|&label| cuts.result(label).charges()).map(Charges::group);
    let Some(group) = group.filter(|group| group.has_signs()) else { return Some(None) };
    if signs.iter().zip(axes).all(|(&sign, &axis)| sign == signs[axis]) {
        return Some(Some(false));
    }
    let mut twice = total.clone();
    group.add(&mut twice, 1, total);
    let turns = signs.iter().zip(axes).all(|(&sign, &axis)| sign == -signs[axis]);
    (turns && twice == group.neutral()).then_some(Some(true))
}

/// The sign with which a sum of products that differ stays the same when its axes are permuted so; none if it does not.
pub(super) fn sign_of_sum(sum: &Sum, axes: &[usize], conjugates: bool, comparison: &ProductComparison<'_>) -> Option<Sign> {
    // A label of which some indices alone are computed is no other's image.
    if sum.within.as_ref().is_some_and(|within| renamed(&sum.left, axes, within.label) != within.label) {
        return None;
    }
    let mut found: Option<Sign> = None;
    for term in &sum.terms {
        let mut image = term.clone();
        for factor in &mut image.factors {
            factor.labels.iter_mut().for_each(|label| *label = renamed(&sum.left, axes, *label));
            factor.conjugates ^= conjugates;
        }
        let scale = if conjugates { term.scale.conj() } else { term.scale };
        // Products differ, so that at most one of them is the image.
        let own = sum.terms.iter().find_map(|other| {
            let sign = match comparison.signs(&image, other) {
                (true, _) => Sign::Plus,
                (_, true) => Sign::Minus,
                _ => return None,
            };
            if scale == other.scale {
                Some(sign)
            } else if scale == -other.scale {
                Some(sign * Sign::Minus)
            } else {
                None
            }
        })?;
        if found.is_some_and(|found| found != own) {
            return None;
        }
        found = Some(own);
    }
    found
}
