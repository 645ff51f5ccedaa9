//! [`Flow`]: which way charges go on each axis, and what they add up to.

use tensorwrapper_notation::sentence::{are, counted};

use crate::error::{Error, ErrorKind};
use crate::shape::{Charge, ChargeGroup, Charges, Tiling};
use crate::symmetry::SignedPermutation;

/// The charge that a tensor conserves.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Flow {
    group: ChargeGroup,
    signs: Vec<i64>,
    total: Charge,
}

impl Flow {
    pub(super) fn new(tilings: &[Tiling], signs: &[i64], total: Charge) -> Result<Flow, Error> {
        let refused = |message: String| Err(Error::new(ErrorKind::Shape(message)));
        if signs.len() != tilings.len() {
            return refused(format!(
                "{} {} given for the charges of {}",
                counted(signs.len(), "sign"),
                are(signs.len()),
                counted(tilings.len(), "axis")
            ));
        }
        if let Some(sign) = signs.iter().find(|&&sign| sign != 1 && sign != -1) {
            return refused(format!("the sign of an axis's charges is 1 or -1, not {sign}"));
        }
        let mut group: Option<&ChargeGroup> = None;
        for (axis, tiling) in tilings.iter().enumerate() {
            match (tiling.charges().map(Charges::group), group) {
                (None, _) => return refused(format!("axis {axis} has no charges: it is cut {tiling}")),
                (Some(own), Some(other)) if own != other => {
                    return refused(format!("axis {axis} has charges of another group than axis 0"));
                }
                (own, _) => group = own,
            }
        }
        let group = group.cloned().unwrap_or_else(ChargeGroup::integers);
        if total.len() != group.rank() {
            return refused(format!("the total charge needs {}, not {}", counted(group.rank(), "integer"), total.len()));
        }
        let mut reduced = group.neutral();
        group.add(&mut reduced, 1, &total);
        Ok(Flow { group, signs: signs.to_vec(), total: reduced })
    }

    /// The group of the charges.
    pub fn group(&self) -> &ChargeGroup {
        &self.group
    }

    /// The sign of the charges on each axis.
    pub fn signs(&self) -> &[i64] {
        &self.signs
    }

    /// What they add up to.
    pub fn total(&self) -> &[i64] {
        &self.total
    }

    /// The charge of a block.
    pub(super) fn of(&self, tilings: &[Tiling], block: &[usize]) -> Charge {
        let mut sum = self.group.neutral();
        for ((tiling, &tile), &sign) in tilings.iter().zip(block).zip(&self.signs) {
            self.group.add(&mut sum, sign, tiling.charges().expect("every axis of a flow has charges").of(tile));
        }
        sum
    }

    /// Whether a block of axes cut so conserves the charge.
    ///
    /// # Panics
    /// When the axes are cut without charges, or the block is of another rank.
    pub fn allows(&self, tilings: &[Tiling], block: &[usize]) -> bool {
        self.of(tilings, block) == self.total
    }

    /// Whether a permutation of axes leaves the charge as it is: axes that change places have the same charges and signs, or, where
    /// elements are conjugated, all signs are turned and the total is its own opposite.
    pub(super) fn check_symmetry(&self, tilings: &[Tiling], element: &SignedPermutation) -> Result<(), Error> {
        let refused = |first: usize, second: usize, what: &str| {
            let message = format!("axes {first} and {second} cannot be exchanged: {what}");
            Err(Error::new(ErrorKind::Shape(message)))
        };
        let turned = if element.conjugates() { -1 } else { 1 };
        for (n, axis) in element.axes().enumerate() {
            if tilings[n].charges() != tilings[axis].charges() {
                return refused(n.min(axis), n.max(axis), "their charges differ");
            }
            if self.group.has_signs() && self.signs[n] != turned * self.signs[axis] {
                let what = if turned == 1 {
                    "the signs of their charges differ"
                } else {
                    "conjugation turns the signs of their charges"
                };
                return refused(n.min(axis), n.max(axis), what);
            }
        }
        let mut sum = self.total.clone();
        self.group.add(&mut sum, -turned, &self.total);
        if sum != self.group.neutral() {
            let message = format!("a conjugating symmetry needs a total charge that is its own opposite, not {:?}", self.total);
            return Err(Error::new(ErrorKind::Shape(message)));
        }
        Ok(())
    }
}
