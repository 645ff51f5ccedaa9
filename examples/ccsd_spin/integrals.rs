//! Spin orbitals, and the integrals over them as block tensors: cut by spin, antisymmetric, conserving spin.
//!
//! An integral between spins that do not match is zero, and so is an amplitude: charges say which blocks are there. Bra indices carry
//! the charge into a tensor and ket indices out of it, so what is summed leaves one factor and enters the other.

use std::collections::BTreeMap;

use tensorwrapper::prelude::*;
use tensorwrapper::{Blocks, Sign, Structure, Symmetry, Tiling};

use super::ccsd::cc::Orbitals;

/// Empty orbitals of one spin in a tile.
const TILE: usize = 5;

/// Block tensors by name: integrals, amplitudes and what is made of both.
pub(crate) type Tensors = BTreeMap<&'static str, Blocks<f64>>;

/// The spin orbitals: first those of spin up, charge 1, then those of spin down, charge -1.
pub(crate) struct SpinOrbitals {
    pub(crate) occ: Tiling,
    pub(crate) vir: Tiling,
    nocc: usize,
    nvir: usize,
}

impl SpinOrbitals {
    /// Spin orbitals of so many occupied and empty orbitals.
    pub(crate) fn new(nocc: usize, nvir: usize) -> Result<SpinOrbitals, Error> {
        // Two tiles of occupied orbitals: elements that follow from others by antisymmetry lie in blocks of their own.
        let occ: Vec<usize> = [nocc / 2, nocc - nocc / 2].into_iter().filter(|&tile| tile > 0).collect();
        let vir: Vec<usize> = Tiling::even(nvir, TILE).extents().collect();
        Ok(SpinOrbitals { occ: of_both_spins(&occ)?, vir: of_both_spins(&vir)?, nocc, nvir })
    }

    /// The structure of T1. Occupied indices are the ket of an amplitude. That of T2 follows from the integrals.
    pub(crate) fn singles(&self) -> Result<Structure, Error> {
        Structure::new([&self.occ, &self.vir]).flow([-1, 1], [0])
    }

    /// The energies of occupied and of empty spin orbitals.
    pub(crate) fn energies(&self, mo: &Orbitals) -> Result<[Tensor<f64>; 2], Error> {
        let of_spins = |one: &[f64]| Tensor::from_vec([2 * one.len()], [one, one].concat());
        Ok([of_spins(mo.eo.as_slice())?, of_spins(mo.ev.as_slice())?])
    }

    /// All integrals <pq||rs> between occupied (o) and empty (v) spin orbitals, by the names of their axes.
    pub(crate) fn integrals(&self, mo: &Orbitals) -> Result<Tensors, Error> {
        let (o, v) = ((&self.occ, self.nocc), (&self.vir, self.nvir));
        let none = Symmetry::none(4);
        let (bra, ket) = (none.antisymmetric([0, 1])?, none.antisymmetric([2, 3])?);
        let both = bra.antisymmetric([2, 3])?;
        // Bra and ket change places with conjugation, which turns the charges; real numbers do not notice.
        let hermitian = |symmetry: &Symmetry| symmetry.generator(&[2, 3, 0, 1], Sign::Plus, true);
        let Orbitals { oooo, ooov, oovv, ovov, ovvv, .. } = mo;
        let vvvv = mo.vvvv.to_dense()?;
        Ok(Tensors::from([
            ("oooo", antisymmetrised([o, o, o, o], &hermitian(&both)?, |i| oooo[i], |i| oooo[exchanged(i)])?),
            ("ooov", antisymmetrised([o, o, o, v], &bra, |i| ooov[i], |[i, j, k, a]| ooov[[j, i, k, a]])?),
            ("oovv", antisymmetrised([o, o, v, v], &both, |i| oovv[i], |i| oovv[exchanged(i)])?),
            ("ovov", antisymmetrised([o, v, o, v], &hermitian(&none)?, |i| ovov[i], |[i, a, j, b]| oovv[[i, j, b, a]])?),
            ("ovvv", antisymmetrised([o, v, v, v], &ket, |i| ovvv[i], |i| ovvv[exchanged(i)])?),
            ("vvvv", antisymmetrised([v, v, v, v], &hermitian(&both)?, |i| vvvv[&i[..]], |i| vvvv[&exchanged(i)[..]])?),
        ]))
    }
}

/// Tiles of these extents for each spin.
fn of_both_spins(extents: &[usize]) -> Result<Tiling, Error> {
    let charges: Vec<i64> = [1, -1].into_iter().flat_map(|spin| vec![spin; extents.len()]).collect();
    Tiling::cuts([extents, extents].concat()).charged(charges)
}

/// The indices of <pq|sr>.
fn exchanged([p, q, r, s]: [usize; 4]) -> [usize; 4] {
    [p, q, s, r]
}

/// <pq||rs> = <pq|rs> - <pq|sr>, each where spins match, from both as functions of orbitals. An axis is given as its spin orbitals and
/// how many of them have one spin.
fn antisymmetrised(
    axes: [(&Tiling, usize); 4],
    symmetry: &Symmetry,
    direct: impl Fn([usize; 4]) -> f64,
    exchange: impl Fn([usize; 4]) -> f64,
) -> Result<Blocks<f64>, Error> {
    let structure = Structure::new(axes.map(|(tiling, _)| tiling)).with(symmetry.clone())?.flow([1, 1, -1, -1], [0])?;
    Blocks::from_fn(&structure, |index| {
        let mut orbitals = [0; 4];
        let mut spins = [0; 4];
        for (axis, (_, count)) in axes.into_iter().enumerate() {
            (spins[axis], orbitals[axis]) = (index[axis] / count, index[axis] % count);
        }
        let [p, q, r, s] = spins;
        let direct = if (p, q) == (r, s) { direct(orbitals) } else { 0.0 };
        let exchange = if (p, q) == (s, r) { exchange(orbitals) } else { 0.0 };
        direct - exchange
    })
}

/// Tensors of the same extents that are one block each, without symmetry and charges: what dense tensors would be.
pub(crate) fn dense(tensors: &Tensors) -> Result<Tensors, Error> {
    let whole = |tensor: &Blocks<f64>| -> Result<Blocks<f64>, Error> {
        let axes: Vec<Tiling> = tensor.structure().tilings().iter().map(|tiling| Tiling::whole(tiling.extent())).collect();
        Blocks::zeros(&Structure::new(&axes))
    };
    tensors.iter().map(|(&name, tensor)| Ok((name, whole(tensor)?))).collect()
}
