//! The charge that a sum of products conserves, and how charges flow along its axes.
//!
//! Knows nothing of blocks or elements.

use tensorwrapper_core::error::{Error, ErrorKind};
use tensorwrapper_core::shape::Charge;

use super::tensors::Tensors;
use super::terms::{Sum, Term};

/// The signs with which charges flow along the axes of a result, and their total.
pub(super) type Flowing = (Vec<i64>, Charge);

/// The signs of the result's charges and their total, where all factors of all products conserve a charge.
///
/// # Errors
/// [`ErrorKind::Shape`] when a summed label does not leave one factor and enter the other.
pub(super) fn flow(sum: &Sum, tensors: &Tensors) -> Result<Option<Flowing>, Error> {
    let mut found: Option<Flowing> = None;
    for term in &sum.terms {
        match (flow_of(term, sum, tensors)?, &found) {
            (None, _) => return Ok(None),
            (Some(own), None) => found = Some(own),
            (Some(own), Some(known)) if own == *known => {}
            (Some(_), Some(_)) => return Ok(None),
        }
    }
    Ok(found)
}

fn flow_of(term: &Term, sum: &Sum, tensors: &Tensors) -> Result<Option<Flowing>, Error> {
    let Tensors { structures, names, .. } = tensors;
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
