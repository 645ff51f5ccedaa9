//! The charge that a sum of products, or an expression, conserves, and how charges flow along its axes.
//!
//! Knows nothing of blocks or elements.

use tensorwrapper_core::error::{Error, ErrorKind};
use tensorwrapper_core::shape::Charge;
use tensorwrapper_notation::Function;
use tensorwrapper_notation::syntax::Operator;

use super::cuts::Cuts;
use super::tensors::Tensors;
use super::terms::{Factor, Sum, Term};
use super::tree::{Tree, keeps_zero};

/// The signs with which charges flow along the axes of a result, and their total.
pub(super) type Flowing = (Vec<i64>, Charge);

/// The signs of the result's charges and their total, where all factors of all products conserve a charge.
///
/// # Errors
/// [`ErrorKind::Shape`] when a summed label does not leave one factor and enter the other, and when addends conserve other charges.
pub(super) fn flow(sum: &Sum, tensors: &Tensors) -> Result<Option<Flowing>, Error> {
    let mut addends = Addends::new(tensors);
    for term in &sum.terms {
        addends.add(flow_of(term, sum, tensors)?, term.factors.iter())?;
    }
    Ok(addends.conserved())
}

/// What addends conserve.
struct Addends<'t> {
    tensors: &'t Tensors,
    /// Of the first one that conserves a charge, with a tensor's name.
    first: Option<(Flowing, &'t str)>,
    all_do: bool,
}

impl<'t> Addends<'t> {
    fn new(tensors: &'t Tensors) -> Addends<'t> {
        Addends { tensors, first: None, all_do: true }
    }

    /// Compares one with those before it. What conserves none may be added to anything.
    fn add<'f>(&mut self, own: Option<Flowing>, factors: impl IntoIterator<Item = &'f Factor>) -> Result<(), Error> {
        let Some(own) = own else {
            self.all_do = false;
            return Ok(());
        };
        let tensors = self.tensors;
        let charged = factors.into_iter().find(|factor| is_charged(factor, tensors));
        let name = charged.map_or("", |factor| &tensors.names[factor.operand]);
        match &self.first {
            Some((known, first)) => check_same((known, first), (&own, name), tensors)?,
            None => self.first = Some((own, name)),
        }
        Ok(())
    }

    /// The charge of their sum, if all of them conserve it.
    fn conserved(self) -> Option<Flowing> {
        self.first.filter(|_| self.all_do).map(|(flowing, _)| flowing)
    }
}

fn is_charged(factor: &Factor, tensors: &Tensors) -> bool {
    tensors.structures[factor.operand].charge_flow().is_some()
}

/// Whether two addends conserve the same charge: all signs and the total may be turned, because what adds up to a total adds up to its
/// opposite with the other signs.
fn check_same((one, first): (&Flowing, &str), (other, second): (&Flowing, &str), tensors: &Tensors) -> Result<(), Error> {
    let Some(group) = tensors.structures.iter().find_map(|structure| structure.charge_flow()).map(|flow| flow.group()) else {
        return Ok(());
    };
    let turned = {
        let mut total = group.neutral();
        group.add(&mut total, -1, &other.1);
        (other.0.iter().map(|sign| -sign).collect(), total)
    };
    // In a group like that of parities each element is its own opposite.
    if one == other || *one == turned || one.1 == other.1 && !group.has_signs() {
        return Ok(());
    }
    let told = |(signs, total): &Flowing| match one.0 == other.0 {
        true => format!("total charge {total:?}"),
        false => format!("charges of signs {signs:?} and total {total:?}"),
    };
    let message = format!("the addend of `{first}` has {}, but that of `{second}` {}", told(one), told(other));
    let help = "addends conserve one charge; `tiled` with tilings that carry no charges makes a tensor that conserves none";
    Err(Error::new(ErrorKind::Shape(message)).with_help(help))
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
                return Err(
                    Error::new(ErrorKind::Shape(message)).with_help(format!("`conj({second})` turns the signs of its charges"))
                );
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

/// How charges flow through an expression without sums over labels, if one is conserved.
///
/// # Errors
/// As [`flow`], of addends.
pub(super) fn of_expression(tree: &Tree, left: &[usize], cuts: &Cuts, tensors: &Tensors) -> Result<Option<Flowing>, Error> {
    let of = |tree: &Tree| of_expression(tree, left, cuts, tensors);
    Ok(match tree {
        Tree::Factor(factor) => of_factor(factor, left, cuts, tensors),
        Tree::Negate(inner) => of(inner)?,
        Tree::Binary(Operator::Add | Operator::Subtract, ..) => of_addends(&parts(tree), left, cuts, tensors)?,
        // Where one of them is zero, the product is.
        Tree::Binary(Operator::Multiply, one, other) => match of(one)? {
            None => of(other)?,
            own => own,
        },
        Tree::Binary(Operator::Divide, one, _) => of(one)?,
        Tree::Apply(function, inner) if *function != Function::Conj && keeps_zero(*function) == Some(true) => of(inner)?,
        Tree::PowerInteger(inner, exponent) if *exponent > 0 => of(inner)?,
        Tree::PowerReal(inner, exponent) if *exponent > 0.0 => of(inner)?,
        Tree::Select(_, values) => match &**values {
            [chosen, other] if other.is_zero() => of(chosen)?,
            [chosen, other] if chosen.is_zero() => of(other)?,
            both => of_addends(&both.iter().collect::<Vec<_>>(), left, cuts, tensors)?,
        },
        Tree::Number(_) | Tree::Sum(..) | Tree::Fold(..) | Tree::Apply(..) | Tree::PowerInteger(..) | Tree::PowerReal(..) => None,
    })
}

/// The addends of a sum, whatever their signs.
fn parts(tree: &Tree) -> Vec<&Tree> {
    match tree {
        Tree::Binary(Operator::Add | Operator::Subtract, one, other) => [parts(one), parts(other)].concat(),
        Tree::Negate(inner) => parts(inner),
        _ => vec![tree],
    }
}

/// How charges flow through addends, or the values of a choice.
fn of_addends(trees: &[&Tree], left: &[usize], cuts: &Cuts, tensors: &Tensors) -> Result<Option<Flowing>, Error> {
    let mut addends = Addends::new(tensors);
    for tree in trees {
        addends.add(of_expression(tree, left, cuts, tensors)?, tree.factors())?;
    }
    Ok(addends.conserved())
}

/// How charges flow along the axes of a result that a factor has all axes of.
fn of_factor(factor: &Factor, left: &[usize], cuts: &Cuts, tensors: &Tensors) -> Option<Flowing> {
    let flow = tensors.structures[factor.operand].charge_flow()?;
    let is_whole = factor.labels.len() == left.len() && left.iter().all(|label| factor.labels.contains(label));
    // A cut that is not the result's may carry other charges than its.
    let fits = |label: &usize| cuts.result(*label).charges().is_some();
    if !is_whole || !left.iter().all(fits) {
        return None;
    }
    let turned = if factor.conjugates { -1 } else { 1 };
    let sign = |label: &usize| {
        let axis = factor.labels.iter().position(|own| own == label).expect("the factor has every label");
        turned * flow.signs()[axis]
    };
    let mut total = flow.group().neutral();
    flow.group().add(&mut total, turned, flow.total());
    Some((left.iter().map(sign).collect(), total))
}
