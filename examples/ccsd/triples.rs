//! (T): what three electrons at once add to CCSD, by perturbation theory.
//!
//! K. Raghavachari, G. W. Trucks, J. A. Pople, M. Head-Gordon, Chem. Phys. Lett. 157, 479 (1989); for closed shells in the
//! form of A. P. Rendell, T. J. Lee, A. Komornicki, Chem. Phys. Lett. 178, 462 (1991). It takes o^3 v^4 operations, but no
//! more memory than the doubles times one empty orbital, as one occupied orbital is treated at a time.

use tensorwrapper::prelude::*;

use super::cc::{Amplitudes, Orbitals};

/// The (T) correction to the CCSD energy.
pub(crate) fn correction(mo: &Orbitals, t: &Amplitudes) -> f64 {
    (0..mo.nocc).map(|first| with_electron_from(first, mo, t)).sum()
}

/// The part of the correction in which the first of the electrons i, j, k leaves the orbital i = `first`.
fn with_electron_from(first: usize, mo: &Orbitals, t: &Amplitudes) -> f64 {
    let Orbitals { nocc, nvir, eo, ev, oovv, ooov, ovvv, .. } = mo;
    let (nocc, nvir) = (*nocc, *nvir);
    let Amplitudes { t1, t2 } = t;
    tensor! {
        where j, k, l: nocc; a, b, c, d: nvir;

        // connected triples: two electrons have met already, and one of them meets the third. The pairs (i,a), (j,b), (k,c)
        // may come in any order: three of the six orders here, the others follow when (j,b) and (k,c) change places.
        let x[j,k,a,b,c] = ovvv[{ first }, b,a,d] * t2[k,j,c,d] - ooov[j,k,l,c] * t2[{ first }, l,a,b]
            + ovvv[j,a,b,d] * t2[k, { first }, c,d] - ooov[{ first }, k,l,c] * t2[j,l,b,a]
            + ovvv[j,c,b,d] * t2[{ first }, k,a,d] - ooov[k, { first }, l,a] * t2[j,l,b,c];
        let w[j,k,a,b,c] = x[j,k,a,b,c] + x[k,j,a,c,b];

        // disconnected ones: two electrons meet while the third is excited alone
        let v[j,k,a,b,c] = w[j,k,a,b,c] + t1[{ first }, a] * oovv[j,k,b,c]
            + t1[j,b] * oovv[{ first }, k,a,c] + t1[k,c] * oovv[{ first }, j,a,b];

        let numerator[j,k,a,b,c] = (4.0 * w[j,k,a,b,c] + w[j,k,b,c,a] + w[j,k,c,a,b]) * (v[j,k,a,b,c] - v[j,k,c,b,a]);
        let correction = numerator[j,k,a,b,c] / (eo[{ first }] + eo[j] + eo[k] - ev[a] - ev[b] - ev[c]) / 3.0;
        correction
    }
}
