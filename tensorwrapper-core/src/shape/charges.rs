//! [`Charges`]: what tiles are labelled with, elements of a product of the groups U(1) and Z_n.
//!
//! A charge is one integer for each group of the product. Knows nothing of tiles or of the tensors that conserve charges.

use std::sync::Arc;

use tensorwrapper_notation::sentence::counted;

use crate::error::{Error, ErrorKind};

/// A product of groups: for each the modulus of Z_n, or 0 for U(1), the integers.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct ChargeGroup {
    moduli: Arc<[i64]>,
}

/// A charge: one integer for each group of a product.
pub type Charge = Vec<i64>;

impl ChargeGroup {
    /// The integers: U(1).
    pub fn integers() -> ChargeGroup {
        ChargeGroup { moduli: [0].into() }
    }

    /// A product of groups: Z_n for each modulus n, and U(1) for 0. The point group D2h is `[2, 2, 2]`.
    ///
    /// # Errors
    /// [`ErrorKind::Shape`] for a negative modulus.
    pub fn product(moduli: impl IntoIterator<Item = i64>) -> Result<ChargeGroup, Error> {
        let moduli: Arc<[i64]> = moduli.into_iter().collect();
        match moduli.iter().find(|&&modulus| modulus < 0) {
            Some(modulus) => Err(Error::new(ErrorKind::Shape(format!("there is no group of integers modulo {modulus}")))),
            None => Ok(ChargeGroup { moduli }),
        }
    }

    /// The modulus of each group of the product, 0 for U(1).
    pub(super) fn moduli(&self) -> &[i64] {
        &self.moduli
    }

    /// Number of groups of the product.
    pub fn rank(&self) -> usize {
        self.moduli.len()
    }

    /// Whether charges differ from their opposites: not those of Z_2.
    pub fn has_signs(&self) -> bool {
        self.moduli.iter().any(|&modulus| modulus == 0 || modulus > 2)
    }

    /// The charge that changes no other one.
    pub fn neutral(&self) -> Charge {
        vec![0; self.rank()]
    }

    /// `sum + sign · charge`; sums beyond the integers wrap around, as they do modulo 2^64.
    pub fn add(&self, sum: &mut [i64], sign: i64, charge: &[i64]) {
        for ((sum, &charge), &modulus) in sum.iter_mut().zip(charge).zip(&*self.moduli) {
            *sum = sum.wrapping_add(sign.wrapping_mul(charge));
            if modulus > 0 {
                *sum = sum.rem_euclid(modulus);
            }
        }
    }

    /// The same element, written with integers from 0 up to the moduli.
    fn reduced(&self, charge: &[i64]) -> Charge {
        let mut sum = self.neutral();
        self.add(&mut sum, 1, charge);
        sum
    }
}

/// The charges of an axis's tiles, one for each.
///
/// ```
/// # use tensorwrapper_core as tensorwrapper;
/// use tensorwrapper::{ChargeGroup, Charges, Error};
/// let spins = Charges::from([-1, 1]);
/// assert_eq!((spins.len(), spins.of(1)), (2, &[1][..]));
///
/// let irreps = Charges::new(ChargeGroup::product([2, 2, 2])?, [[0, 0, 0], [1, 0, 1], [1, 3, 0]])?;
/// assert_eq!(irreps.of(2), [1, 1, 0]);
/// # Ok::<(), Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Charges {
    group: ChargeGroup,
    of: Arc<[Charge]>,
}

impl Charges {
    /// Charges of a group, one for each tile.
    ///
    /// # Errors
    /// [`ErrorKind::Shape`] when a charge has another number of integers than the group.
    pub fn new(group: ChargeGroup, charges: impl IntoIterator<Item = impl AsRef<[i64]>>) -> Result<Charges, Error> {
        let mut of = Vec::new();
        for charge in charges {
            let charge = charge.as_ref();
            if charge.len() != group.rank() {
                let integers = counted(charge.len(), "integer");
                let message = format!("charge {charge:?} has {integers}, but its group has {}", group.rank());
                return Err(Error::new(ErrorKind::Shape(message)));
            }
            of.push(group.reduced(charge));
        }
        Ok(Charges { group, of: of.into() })
    }

    /// Charges of Z_n for these moduli n.
    ///
    /// # Errors
    /// As [`Charges::new`] and [`ChargeGroup::product`].
    pub fn modulo(
        moduli: impl IntoIterator<Item = i64>,
        charges: impl IntoIterator<Item = impl AsRef<[i64]>>,
    ) -> Result<Charges, Error> {
        Charges::new(ChargeGroup::product(moduli)?, charges)
    }

    /// The group.
    pub fn group(&self) -> &ChargeGroup {
        &self.group
    }

    /// Number of charges.
    pub fn len(&self) -> usize {
        self.of.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.of.is_empty()
    }

    /// The charge of a tile.
    ///
    /// # Panics
    /// When there is no such tile.
    pub fn of(&self, tile: usize) -> &[i64] {
        &self.of[tile]
    }
}

/// Charges of U(1).
impl<const N: usize> From<[i64; N]> for Charges {
    fn from(charges: [i64; N]) -> Charges {
        Charges::from(charges.to_vec())
    }
}

/// What is one charge: an integer for U(1), and an array, a slice or a vector with an integer for each group of a product.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no charge",
    label = "not a charge",
    note = "a charge is an integer `0`, or an array `[0, 1]` with one for each group of a product"
)]
pub trait IntoCharge {
    /// The charge.
    fn into_charge(self) -> Charge;
}

impl IntoCharge for i64 {
    fn into_charge(self) -> Charge {
        vec![self]
    }
}

impl<const N: usize> IntoCharge for [i64; N] {
    fn into_charge(self) -> Charge {
        self.to_vec()
    }
}

impl<const N: usize> IntoCharge for &[i64; N] {
    fn into_charge(self) -> Charge {
        self.to_vec()
    }
}

impl IntoCharge for &[i64] {
    fn into_charge(self) -> Charge {
        self.to_vec()
    }
}

impl IntoCharge for Charge {
    fn into_charge(self) -> Charge {
        self
    }
}

/// Charges of U(1).
impl From<Vec<i64>> for Charges {
    fn from(charges: Vec<i64>) -> Charges {
        Charges { group: ChargeGroup::integers(), of: charges.into_iter().map(|charge| vec![charge]).collect() }
    }
}
