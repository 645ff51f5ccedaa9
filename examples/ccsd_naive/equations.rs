//! The CCSD equations for closed shells, adapted to spin, term by term.
//!
//! What the `ccsd` example names F, W and L is written out here: each line is one product of integrals and amplitudes. Terms
//! that change when the electrons change places, (i,a) with (j,b), are listed once.

use tensorwrapper::prelude::*;

use super::ccsd::Failure;
use super::ccsd::cc::{Amplitudes, Ladder, Next, Orbitals};

/// The next amplitudes.
#[rustfmt::skip]
pub(crate) fn term_by_term(
    mo: &Orbitals,
    t: &Amplitudes,
    ladder: &Ladder<'_>,
    then: &mut dyn FnMut(&Next<'_>) -> Result<(), Failure>,
) -> Result<(), Failure> {
    let Orbitals { nocc, nvir, eo, ev, oooo, ooov, oovv, ovov, ovvv, .. } = mo;
    let (nocc, nvir) = (*nocc, *nvir);
    let Amplitudes { t1, t2 } = t;
    let graph = Graph::new();
    let next = tensor! {
        in &graph;
        where i, j, k, l: nocc; a, b, c, d: nvir;

        // one electron
        let singles[i,a] =
            // linear in t2 or t1
            2.0 * oovv[k,i,c,a] * t1[k,c]
            - ovov[k,a,i,c] * t1[k,c]
            - 2.0 * ooov[k,l,i,c] * t2[k,l,a,c]
            + ooov[k,l,i,c] * t2[l,k,a,c]
            - ovvv[k,a,c,d] * t2[i,k,c,d]
            + 2.0 * ovvv[k,a,c,d] * t2[i,k,d,c]
            // products of two t1
            - 2.0 * ooov[k,l,i,c] * t1[k,a] * t1[l,c]
            + ooov[k,l,i,c] * t1[k,c] * t1[l,a]
            - ovvv[k,a,c,d] * t1[i,c] * t1[k,d]
            + 2.0 * ovvv[k,a,c,d] * t1[i,d] * t1[k,c]
            // products of t2 and t1
            - 2.0 * oovv[k,l,c,d] * t2[k,l,a,d] * t1[i,c]
            + oovv[k,l,c,d] * t2[k,l,a,c] * t1[i,d]
            - 2.0 * oovv[k,l,c,d] * t2[i,l,c,d] * t1[k,a]
            + oovv[k,l,c,d] * t2[i,l,d,c] * t1[k,a]
            + oovv[k,l,c,d] * t2[i,k,d,a] * t1[l,c]
            - 2.0 * oovv[k,l,c,d] * t2[k,i,d,a] * t1[l,c]
            - 2.0 * oovv[k,l,c,d] * t2[i,k,c,a] * t1[l,d]
            + 4.0 * oovv[k,l,c,d] * t2[k,i,c,a] * t1[l,d]
            // products of three t1
            - 2.0 * oovv[k,l,c,d] * t1[i,c] * t1[k,a] * t1[l,d]
            + oovv[k,l,c,d] * t1[i,d] * t1[k,a] * t1[l,c];

        // both electrons, alike under their exchange
        let both[i,j,a,b] =
            // linear
            oovv[i,j,a,b]
            + oooo[k,l,i,j] * t2[k,l,a,b]
            // vvvv[a,b,c,d] * (t2[i,j,c,d] + t1[i,c] * t1[j,d])
            + (*ladder)[i,j,a,b]
            // products of two t1
            + oooo[k,l,i,j] * t1[k,a] * t1[l,b]
            // products of two t2
            + oovv[k,l,c,d] * t2[i,j,c,d] * t2[k,l,a,b]
            // products of t2 and two t1
            + oovv[k,l,c,d] * t2[k,l,a,b] * t1[i,c] * t1[j,d]
            + oovv[k,l,c,d] * t2[i,j,c,d] * t1[k,a] * t1[l,b]
            // products of four t1
            + oovv[k,l,c,d] * t1[i,c] * t1[j,d] * t1[k,a] * t1[l,b];

        // one half of the others, P(ia,jb)
        let half[i,j,a,b] =
            // linear
            -ooov[j,i,k,a] * t1[k,b]
            + ovvv[i,b,a,c] * t1[j,c]
            - oovv[i,k,a,c] * t2[k,j,b,c]
            + 2.0 * oovv[i,k,a,c] * t2[k,j,c,b]
            - ovov[k,a,i,c] * t2[k,j,c,b]
            - ovov[k,b,i,c] * t2[k,j,a,c]
            // products of two t1
            - oovv[i,k,a,c] * t1[j,c] * t1[k,b]
            - ovov[k,b,i,c] * t1[j,c] * t1[k,a]
            // products of t2 and t1
            + ooov[k,l,i,c] * t2[k,l,a,b] * t1[j,c]
            - ovvv[k,b,c,d] * t2[i,j,c,d] * t1[k,a]
            + ooov[k,l,i,c] * t2[l,j,b,c] * t1[k,a]
            - 2.0 * ooov[k,l,i,c] * t2[l,j,c,b] * t1[k,a]
            + ooov[k,l,i,c] * t2[l,j,a,b] * t1[k,c]
            + ooov[k,l,i,c] * t2[k,j,c,b] * t1[l,a]
            + ooov[k,l,i,c] * t2[k,j,a,c] * t1[l,b]
            - 2.0 * ooov[k,l,i,c] * t2[k,j,a,b] * t1[l,c]
            - ovvv[k,a,c,d] * t2[k,j,d,b] * t1[i,c]
            - ovvv[k,a,c,d] * t2[k,j,b,c] * t1[i,d]
            + 2.0 * ovvv[k,a,c,d] * t2[k,j,c,b] * t1[i,d]
            + 2.0 * ovvv[k,a,c,d] * t2[i,j,d,b] * t1[k,c]
            - ovvv[k,a,c,d] * t2[i,j,c,b] * t1[k,d]
            - ovvv[k,b,c,d] * t2[k,j,a,d] * t1[i,c]
            // products of two t2
            - 2.0 * oovv[k,l,c,d] * t2[i,j,c,b] * t2[k,l,a,d]
            + oovv[k,l,c,d] * t2[i,j,d,b] * t2[k,l,a,c]
            - oovv[k,l,c,d] * t2[i,k,a,c] * t2[l,j,b,d]
            + 2.0 * oovv[k,l,c,d] * t2[i,k,a,c] * t2[l,j,d,b]
            + 0.5 * oovv[k,l,c,d] * t2[i,k,a,d] * t2[l,j,b,c]
            - oovv[k,l,c,d] * t2[i,k,a,d] * t2[l,j,c,b]
            + 0.5 * oovv[k,l,c,d] * t2[i,k,c,a] * t2[l,j,b,d]
            - oovv[k,l,c,d] * t2[i,k,c,a] * t2[l,j,d,b]
            + 0.5 * oovv[k,l,c,d] * t2[i,k,d,a] * t2[l,j,c,b]
            + 0.5 * oovv[k,l,c,d] * t2[i,k,d,b] * t2[l,j,a,c]
            - 2.0 * oovv[k,l,c,d] * t2[i,l,c,d] * t2[k,j,a,b]
            + oovv[k,l,c,d] * t2[i,l,d,c] * t2[k,j,a,b]
            // products of three t1
            + ooov[k,l,i,c] * t1[j,c] * t1[k,a] * t1[l,b]
            - ovvv[k,b,c,d] * t1[i,c] * t1[j,d] * t1[k,a]
            // products of t2 and two t1
            + oovv[k,l,c,d] * t2[l,j,b,d] * t1[i,c] * t1[k,a]
            - 2.0 * oovv[k,l,c,d] * t2[l,j,d,b] * t1[i,c] * t1[k,a]
            - 2.0 * oovv[k,l,c,d] * t2[k,j,a,b] * t1[i,c] * t1[l,d]
            + oovv[k,l,c,d] * t2[l,j,c,b] * t1[i,d] * t1[k,a]
            + oovv[k,l,c,d] * t2[l,j,a,c] * t1[i,d] * t1[k,b]
            + oovv[k,l,c,d] * t2[k,j,a,b] * t1[i,d] * t1[l,c]
            + oovv[k,l,c,d] * t2[i,j,d,b] * t1[k,a] * t1[l,c]
            - 2.0 * oovv[k,l,c,d] * t2[i,j,c,b] * t1[k,a] * t1[l,d];

        let doubles[i,j,a,b] = both[i,j,a,b] + half[i,j,a,b] + half[j,i,b,a];

        let next1[i,a] = singles[i,a] / (eo[i] - ev[a]);
        let next2[i,j,a,b] = doubles[i,j,a,b] / (eo[i] + eo[j] - ev[a] - ev[b]);
        (next1, next2)
    };
    then(&next)
}
