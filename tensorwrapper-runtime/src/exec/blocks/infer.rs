//! What the structures of operands say of a result: its symmetry and the charge that it conserves, before anything is computed.
//!
//! A permutation of the result's axes is a symmetry if the equation with its labels permuted is the same equation, up to a sign or
//! conjugation, by the symmetries of the factors and the exchange of equal ones. Knows nothing of blocks or elements.

use num_complex::Complex;
use tensorwrapper_core::error::{Error, ErrorKind};
use tensorwrapper_core::shape::{Charge, Charges};
use tensorwrapper_core::structure::Structure;
use tensorwrapper_core::symmetry::{Sign, SignedPermutation, Symmetry};

use super::cuts::Cuts;
use super::equal::Comparison;
use super::terms::{Sum, Term};

/// Axes of a result of which all permutations are tried; of more axes, exchanges of two and of two pairs.
const ALL_PERMUTATIONS: usize = 6;

/// The same products without those that are zero or cancel, equal ones added up.
pub(super) fn without_equal(terms: Vec<Term>, comparison: &Comparison<'_>) -> Vec<Term> {
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

/// The symmetry of a result that conserves this charge, if any. Its products differ from each other. A group that is too large to be listed
/// is not known.
pub(super) fn symmetry(
    sum: &Sum,
    cuts: &Cuts,
    flow: Option<&(Vec<i64>, Charge)>,
    comparison: &Comparison<'_>,
) -> Result<Symmetry, Error> {
    let rank = sum.left.len();
    let none = Symmetry::none(rank);
    if sum.terms.is_empty() {
        return Ok(none);
    }
    let mut found = Vec::new();
    for axes in candidates(sum, cuts) {
        for conjugates in [false, true] {
            if conjugates && !comparison.is_complex {
                continue;
            }
            if let Some(sign) = sign_of(sum, &axes, conjugates, comparison) {
                let permutation = SignedPermutation::new(&axes, sign)?;
                // A structure cannot have both a charge and a symmetry that changes it.
                let Some(turns) = turns(sum, cuts, flow, &axes) else { continue };
                // Real numbers do not notice conjugation, but charges do.
                let conjugates = match turns {
                    None => conjugates,
                    Some(turns) if comparison.is_complex && turns != conjugates => continue,
                    Some(turns) => turns,
                };
                found.push(if conjugates { permutation.conjugating() } else { permutation });
            }
        }
    }
    Ok(none.generated(found).unwrap_or(none))
}

/// Whether a permutation of axes turns the sign of each one's charges; `Some(None)` where there are none to be turned, and nothing where it
/// turns some of them, or turns a total that is not its own opposite.
fn turns(sum: &Sum, cuts: &Cuts, flow: Option<&(Vec<i64>, Charge)>, axes: &[usize]) -> Option<Option<bool>> {
    let Some((signs, total)) = flow else { return Some(None) };
    let group = sum.left.iter().find_map(|&label| cuts.result(label).charges()).map(Charges::group);
    let Some(group) = group.filter(|group| group.has_signs()) else { return Some(None) };
    if signs.iter().zip(axes).all(|(&sign, &axis)| sign == signs[axis]) {
        return Some(Some(false));
    }
    let mut twice = total.clone();
    group.add(&mut twice, 1, total);
    let turns = signs.iter().zip(axes).all(|(&sign, &axis)| sign == -signs[axis]);
    (turns && twice == group.neutral()).then_some(Some(true))
}

/// The sign with which the result stays the same when its axes are permuted so; none if it does not.
fn sign_of(sum: &Sum, axes: &[usize], conjugates: bool, comparison: &Comparison<'_>) -> Option<Sign> {
    let renamed = |label: usize| sum.left.iter().position(|&left| left == label).map_or(label, |n| sum.left[axes[n]]);
    let mut found: Option<Sign> = None;
    for term in &sum.terms {
        let mut image = term.clone();
        for factor in &mut image.factors {
            factor.labels.iter_mut().for_each(|label| *label = renamed(*label));
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

/// Permutations of axes that are cut alike, the identity among them.
fn candidates(sum: &Sum, cuts: &Cuts) -> Vec<Vec<usize>> {
    let rank = sum.left.len();
    let alike = |a: usize, b: usize| cuts.result(sum.left[a]) == cuts.result(sum.left[b]);
    let identity: Vec<usize> = (0..rank).collect();
    let mut all = vec![identity.clone()];
    if rank <= ALL_PERMUTATIONS {
        let mut begun: Vec<Vec<usize>> = vec![Vec::new()];
        for n in 0..rank {
            let next = begun.iter().flat_map(|axes| {
                (0..rank).filter(|axis| !axes.contains(axis) && alike(n, *axis)).map(move |axis| [&axes[..], &[axis]].concat())
            });
            begun = next.collect();
        }
        return begun;
    }
    let pairs: Vec<(usize, usize)> =
        (0..rank).flat_map(|a| (a + 1..rank).map(move |b| (a, b))).filter(|&(a, b)| alike(a, b)).collect();
    for (n, &(a, b)) in pairs.iter().enumerate() {
        let mut exchanged = identity.clone();
        exchanged.swap(a, b);
        for &(c, d) in pairs[n + 1..].iter().filter(|(c, d)| ![a, b].contains(c) && ![a, b].contains(d)) {
            let mut both = exchanged.clone();
            both.swap(c, d);
            all.push(both);
        }
        all.push(exchanged);
    }
    all
}

/// The signs of the result's charges and their total, where all factors of all products conserve a charge.
///
/// # Errors
/// [`ErrorKind::Shape`] when a summed label does not leave one factor and enter the other.
pub(super) fn flow(sum: &Sum, structures: &[Structure], names: &[String]) -> Result<Option<(Vec<i64>, Charge)>, Error> {
    let mut found: Option<(Vec<i64>, Charge)> = None;
    for term in &sum.terms {
        match (flow_of(term, sum, structures, names)?, &found) {
            (None, _) => return Ok(None),
            (Some(own), None) => found = Some(own),
            (Some(own), Some(known)) if own == *known => {}
            (Some(_), Some(_)) => return Ok(None),
        }
    }
    Ok(found)
}

fn flow_of(term: &Term, sum: &Sum, structures: &[Structure], names: &[String]) -> Result<Option<(Vec<i64>, Charge)>, Error> {
    let mut seen: Vec<Vec<(i64, usize)>> = vec![Vec::new(); sum.names.len()];
    let mut total: Option<Charge> = None;
    for factor in &term.factors {
        let Some(flow) = structures[factor.operand].charge_flow() else {
            // A vector scales what others have, whatever charge that is.
            if factor.labels.len() == 1 {
                continue;
            }
            return Ok(None);
        };
        let turned = if factor.conjugates { -1 } else { 1 };
        factor.labels.iter().zip(flow.signs()).for_each(|(&label, &sign)| seen[label].push((turned * sign, factor.operand)));
        flow.group().add(total.get_or_insert_with(|| flow.group().neutral()), turned, flow.total());
    }
    let has_signs =
        term.factors.iter().any(|factor| structures[factor.operand].charge_flow().is_some_and(|flow| flow.group().has_signs()));
    for &label in &term.summed {
        match seen[label][..] {
            [(one, first), (other, second)] if one == other && has_signs => {
                let verb = if one > 0 { "enters" } else { "leaves" };
                let (label, first, second) = (&sum.names[label], &names[first], &names[second]);
                let message = match first == second {
                    true => format!("index `{label}` {verb} `{first}` twice"),
                    false => format!("index `{label}` {verb} both `{first}` and `{second}`"),
                };
                return Err(Error::new(ErrorKind::Shape(message)).with_help(format!("`conj({second})` turns its signs")));
            }
            [_, _] | [] => {}
            // A sum over one factor's label alone, or over that of three, conserves nothing.
            _ => return Ok(None),
        }
    }
    let signs = sum.left.iter().map(|&label| match seen[label][..] {
        [(sign, _)] => Some(sign),
        _ => None,
    });
    Ok(signs.collect::<Option<Vec<i64>>>().zip(total))
}
