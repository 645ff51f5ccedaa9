//! Integrals over orbitals, second-order perturbation theory and coupled cluster with singles and doubles.
//!
//! Closed shell, adapted to spin: one set of amplitudes serves all spins, `t2[i,j,a,b]` is that of i and a with spin up and
//! j and b with spin down. Intermediates are named as by S. Hirata et al., J. Chem. Phys. 120, 2581 (2004); integrals are
//! in physicists' order, `oovv[i,j,a,b]` = <ij|ab> = (ia|jb). The Fock matrix of canonical orbitals is diagonal, and what
//! it contributes stands in the denominators.

use std::ops::Range;

use tensorwrapper::prelude::*;
use tensorwrapper::{Blocks, PreparedBlock, Sign, Structure, Symmetry, Tiling};

use super::diis::{Diis, DiisVector};
use super::molecule::{Molecule, symmetry_of_pairs};
use super::scf::HartreeFock;
use super::{Failure, Matrix, Tensor4, Vector};

/// The last step changes the amplitudes by less; the error of the energy is then of the same order.
const CONVERGED: f64 = 1e-10;
const MOST_ITERATIONS: usize = 100;
const DIIS_CAPACITY: usize = 8;
/// Perturbation theory divides by the gap between occupied and empty orbitals, in Hartree.
const SMALLEST_GAP: f64 = 1e-6;

/// The molecule as its electrons see it: canonical orbitals, and <pq|rs> between occupied (o) and empty (v) ones.
pub(crate) struct Orbitals {
    pub(crate) nocc: usize,
    pub(crate) nvir: usize,
    /// Energies of the occupied orbitals.
    pub(crate) eo: Vector,
    /// Energies of the empty orbitals.
    pub(crate) ev: Vector,
    pub(crate) oooo: Tensor4,
    pub(crate) ooov: Tensor4,
    pub(crate) oovv: Tensor4,
    pub(crate) ovov: Tensor4,
    pub(crate) ovvv: Tensor4,
    /// Those that follow from others are not kept: they would take most of the memory.
    pub(crate) vvvv: Blocks<f64>,
}

impl Orbitals {
    pub(crate) fn new(molecule: &Molecule, hf: &HartreeFock) -> Result<Orbitals, Failure> {
        let Molecule { nocc, nao, eri, tile, .. } = molecule;
        let (nocc, nvir) = (*nocc, nao - nocc);
        let HartreeFock { eps, C, .. } = hf;
        if let [.., homo] = eps.as_slice()[..nocc]
            && let [lumo, ..] = eps.as_slice()[nocc..]
            && lumo - homo < SMALLEST_GAP
        {
            let gap = "the highest occupied and the lowest empty orbital have the same energy";
            return Err(Failure::Calculation(format!("{gap}, so no perturbation theory starts from this closed shell")));
        }

        // One orbital after the other: a sum over p, q, r, s at once would take n^8 operations.
        let (eo, ev, Co, Cv) = tensor! {
            let eo[i] = eps[i in ..nocc];
            let ev[a] = eps[a in nocc..];
            let Co[p,i] = C[p, i in ..nocc];
            let Cv[p,a] = C[p, a in nocc..];
            (eo, ev, Co, Cv)
        };
        let first = try_tensor!([i,q,r,s] = eri[p,q,r,s] * Co[p,i])?.to_dense()?;
        let (oooo, ooov, oovv, ovov, ovvv) = tensor! {
            let oooo[i,j,k,l] = first[i,q,r,s] * Co[q,k] * Co[r,j] * Co[s,l];
            let ooov[i,j,k,a] = first[i,q,r,s] * Co[q,k] * Co[r,j] * Cv[s,a];
            let oovv[i,j,a,b] = first[i,q,r,s] * Cv[q,a] * Co[r,j] * Cv[s,b];
            let ovov[i,a,j,b] = first[i,q,r,s] * Co[q,j] * Cv[r,a] * Cv[s,b];
            let ovvv[i,a,b,c] = first[i,q,r,s] * Cv[q,b] * Cv[r,a] * Cv[s,c];
            (oooo, ooov, oovv, ovov, ovvv)
        };
        let vvvv = between_empty(eri, &Cv, *tile)?;
        Ok(Orbitals { nocc, nvir, eo, ev, oooo, ooov, oovv, ovov, ovvv, vvvv })
    }
}

/// The integrals <ab|cd> between empty orbitals: for one tile of a at a time, with b, c and d from there on, as all others follow.
/// Nothing that is made on the way then takes more memory than the result.
fn between_empty(eri: &Blocks<f64>, Cv: &Matrix, tile: usize) -> Result<Blocks<f64>, Error> {
    let (functions, orbitals) = (&eri.structure().tilings()[0], &Tiling::even(Cv.extents()[1], tile));
    let Cv = Blocks::from_dense(&Cv.clone().into_dyn(), &Structure::new([functions, orbitals]))?;
    let symmetry = symmetry_of_pairs([0, 2], [1, 3])?;
    let mut vvvv = Blocks::zeros(&Structure::new([orbitals; 4]).with(symmetry)?)?;
    for tile in 0..orbitals.len() {
        let Range { start, end } = orbitals.tile(tile)?;
        let of_tile = try_tensor!([a,b,c,d] = eri[p,q,r,s] * Cv[p, a in start..end] * Cv[q, c in start..]
                                            * Cv[r, b in start..] * Cv[s, d in start..])?;
        for block in vvvv.blocks().into_iter().filter(|block| block[0] == tile) {
            let behind: Vec<usize> = block.iter().map(|n| n - tile).collect();
            let integrals = of_tile.block(&behind)?.and_then(|block| block.as_slice()).expect("blocks in order are there, whole");
            vvvv.set_block(&block, integrals)?;
        }
    }
    Ok(vvvv)
}

/// What coupled cluster solves for.
pub(crate) struct Amplitudes {
    /// `t1[i,a]`: one electron from i to a.
    pub(crate) t1: Matrix,
    /// `t2[i,j,a,b]`: two electrons, from i to a and from j to b.
    pub(crate) t2: Tensor4,
}

/// The correlation energy that the amplitudes give.
fn energy(mo: &Orbitals, t: &Amplitudes) -> f64 {
    let (oovv, Amplitudes { t1, t2 }) = (&mo.oovv, t);
    tensor!([] = (2.0 * oovv[i,j,a,b] - oovv[i,j,b,a]) * (t2[i,j,a,b] + t1[i,a] * t1[j,b]))
}

/// Second-order Moller-Plesset theory: its energy, and its amplitudes, which are where coupled cluster starts.
pub(crate) fn mp2(mo: &Orbitals) -> Result<(f64, Amplitudes), Failure> {
    let Orbitals { eo, ev, oovv, .. } = mo;
    let t1 = Tensor::zeros((mo.nocc, mo.nvir))?;
    let t2 = tensor!([i,j,a,b] = oovv[i,j,a,b] / (eo[i] + eo[j] - ev[a] - ev[b]));
    let amplitudes = Amplitudes { t1, t2 };
    Ok((energy(mo, &amplitudes), amplitudes))
}

/// The next amplitudes by the last ones, as they are recorded: singles and doubles.
pub(crate) type Next<'a> = (Expr<'a, f64, Shape![_, _]>, Expr<'a, f64, Shape![_, _, _, _]>);

/// What a plan is made of.
type Lent<'a> = (&'a Expr<'a, f64, Shape![_, _]>, &'a Expr<'a, f64, Shape![_, _, _, _]>);

/// The particle ladder, <ab|cd> times both electrons in c and d, as it is recorded.
pub(crate) type Ladder<'a> = Expr<'a, f64, Shape![_, _, _, _]>;

/// Coupled-cluster equations: they record what the next amplitudes are, and hand it on.
pub(crate) type Equations =
    fn(&Orbitals, &Amplitudes, &Ladder<'_>, &mut dyn FnMut(&Next<'_>) -> Result<(), Failure>) -> Result<(), Failure>;

/// Equations that are planned: they give the next amplitudes as often as they are asked.
pub(crate) struct Step<'a> {
    context: &'a Context,
    mo: &'a Orbitals,
    /// Of amplitudes of two electrons, which may change places.
    pairs: Structure,
    /// The equations beside the ladder, which change with t1, t2 and the ladder.
    pub(crate) planned: PreparedBlock<'a, Lent<'a>>,
}

impl Step<'_> {
    /// The next amplitudes.
    pub(crate) fn next(&self, t: &Amplitudes) -> Result<Amplitudes, Error> {
        let (t1, t2) = self.planned.run(&[&t.t1, &t.t2, &self.ladder(t)?])?;
        Ok(Amplitudes { t1, t2 })
    }

    /// The ladder is a product of its own, over integrals of which those that follow from others are not kept. The electrons of a pair
    /// may change places, in tau as in the integrals: the library computes one of both.
    pub(crate) fn ladder(&self, t: &Amplitudes) -> Result<Tensor4, Error> {
        let (context, vvvv, Amplitudes { t1, t2 }) = (self.context, &self.mo.vvvv, t);
        let tau = try_tensor! { in context; [i,j,a,b] = t2[i,j,a,b] + t1[i,a] * t1[j,b] }?;
        let tau = Blocks::from_dense(&tau.into_dyn(), &self.pairs)?;
        try_tensor! { in context; [i,j,a,b] = vvvv[a,b,c,d] * tau[i,j,c,d] }?.to_dense()
    }
}

/// Plans coupled-cluster equations once, for amplitudes like these, and hands them on. What the integrals alone decide is computed now.
pub(crate) fn planned(
    context: &Context,
    mo: &Orbitals,
    t: &Amplitudes,
    equations: Equations,
    then: &mut dyn FnMut(&Step<'_>) -> Result<(), Failure>,
) -> Result<(), Failure> {
    let (graph, made) = (Graph::new(), Tensor4::zeros((mo.nocc, mo.nocc, mo.nvir, mo.nvir))?);
    let ladder = tensor! {
        in &graph;
        let ladder[i,j,a,b] = made[i,j,a,b];
        ladder
    };
    let (occupied, empty) = (&Tiling::whole(mo.nocc), &mo.vvvv.structure().tilings()[0]);
    let exchange = Symmetry::none(4).exchange(&[0, 2], &[1, 3], Sign::Plus)?;
    let pairs = Structure::new([occupied, occupied, empty, empty]).with(exchange)?;
    equations(mo, t, &ladder, &mut |(next1, next2)| {
        let planned = context.prepare_all((next1, next2), &[&t.t1, &t.t2, &made])?;
        then(&Step { context, mo, pairs: pairs.clone(), planned })
    })
}

/// Solves coupled-cluster equations, from a first guess of the amplitudes.
pub(crate) fn solve(mo: &Orbitals, guess: &Amplitudes, equations: Equations) -> Result<(f64, Amplitudes), Failure> {
    let mut solution = None;
    planned(&Context::default(), mo, guess, equations, &mut |step| {
        solution = Some(iterate(mo, guess, |t| step.next(t))?);
        Ok(())
    })?;
    Ok(solution.expect("equations hand on what they record"))
}

/// Repeats a step until the amplitudes no longer change.
fn iterate(
    mo: &Orbitals,
    guess: &Amplitudes,
    step: impl Fn(&Amplitudes) -> Result<Amplitudes, Error>,
) -> Result<(f64, Amplitudes), Failure> {
    println!("\nCCSD\n{:>9} {:>20} {:>12} {:>12}", "iteration", "energy", "change", "|step|");
    let mut diis = Diis::new(DIIS_CAPACITY);
    let mut last = energy(mo, guess);
    let mut t = Amplitudes { t1: guess.t1.clone(), t2: guess.t2.clone() };
    for iteration in 1..=MOST_ITERATIONS {
        let next = step(&t)?;
        let change = Amplitudes::plus(Amplitudes::times(-1.0, &t), 1.0, &next);
        let length = Amplitudes::overlap(&change, &change).sqrt();
        t = diis.extrapolate(next, change);

        let energy = energy(mo, &t);
        println!("{iteration:>9} {energy:>20.12} {:>12.1e} {length:>12.1e}", energy - last);
        if length < CONVERGED {
            return Ok((energy, t));
        }
        if !length.is_finite() {
            break;
        }
        last = energy;
    }
    Err(Failure::Calculation(format!("CCSD did not converge in {MOST_ITERATIONS} iterations")))
}

/// The CCSD equations, solved for the amplitudes that the orbital energies multiply.
pub(crate) fn equations(
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

        // both electrons at once, together and each for itself; integrals summed over the spin of electron 2
        let tau[i,j,a,b] = t2[i,j,a,b] + t1[i,a] * t1[j,b];
        let woovv[k,l,c,d] = 2.0 * oovv[k,l,c,d] - oovv[k,l,d,c];
        let wvovv[a,k,c,d] = 2.0 * ovvv[k,a,d,c] - ovvv[k,a,c,d];
        let wooov[k,l,i,c] = 2.0 * ooov[k,l,i,c] - ooov[l,k,i,c];

        // one electron in the field of the others and of what the amplitudes make of them
        let Fki[k,i] = woovv[k,l,c,d] * tau[i,l,c,d];
        let Fac[a,c] = -woovv[k,l,c,d] * tau[k,l,a,d];
        let Fkc[k,c] = woovv[k,l,c,d] * t1[l,d];
        let Lki[k,i] = Fki[k,i] + wooov[k,l,i,c] * t1[l,c];
        let Lac[a,c] = Fac[a,c] + wvovv[a,k,c,d] * t1[k,d];

        // two electrons: hole-hole, and particle-hole in both orders; the other particle-hole pair adds the same again, so each
        // takes one half of what both make of t2. Particle-particle is the ladder, and what a hole takes from it.
        let Wklij[k,l,i,j] = oooo[k,l,i,j] + ooov[l,k,j,c] * t1[i,c] + ooov[k,l,i,c] * t1[j,c] + oovv[k,l,c,d] * tau[i,j,c,d];
        let Wkbij[k,b,i,j] = ovvv[k,b,c,d] * tau[i,j,c,d];
        let theta[i,l,d,a] = 0.5 * t2[i,l,d,a] + t1[i,d] * t1[l,a];
        let Wakic[a,k,i,c] = oovv[i,k,a,c] + ovvv[k,a,c,d] * t1[i,d] - ooov[l,k,i,c] * t1[l,a]
                           - oovv[l,k,d,c] * theta[i,l,d,a] + 0.5 * woovv[l,k,d,c] * t2[i,l,a,d];
        let Wakci[a,k,c,i] = ovov[k,a,i,c] + ovvv[k,a,d,c] * t1[i,d] - ooov[k,l,i,c] * t1[l,a] - oovv[l,k,c,d] * theta[i,l,d,a];
        let Wabic[a,b,i,c] = ovvv[i,b,a,c] - ovov[k,b,i,c] * t1[k,a];
        let Wakij[a,k,i,j] = ooov[j,i,k,a] + oovv[i,k,a,c] * t1[j,c];

        let singles[i,a] = Fac[a,c] * t1[i,c] - Fki[k,i] * t1[k,a]
            + Fkc[k,c] * (2.0 * t2[k,i,c,a] - t2[i,k,c,a] + t1[i,c] * t1[k,a])
            + (2.0 * oovv[k,i,c,a] - ovov[k,a,i,c]) * t1[k,c]
            + wvovv[a,k,c,d] * tau[i,k,c,d] - wooov[k,l,i,c] * tau[k,l,a,c];

        // one half; the other follows when the electrons change places
        let half[i,j,a,b] = Lac[a,c] * t2[i,j,c,b] - Lki[k,i] * t2[k,j,a,b]
            + Wabic[a,b,i,c] * t1[j,c] - Wakij[a,k,i,j] * t1[k,b] - Wkbij[k,b,i,j] * t1[k,a]
            + (2.0 * Wakic[a,k,i,c] - Wakci[a,k,c,i]) * t2[k,j,c,b]
            - Wakic[a,k,i,c] * t2[k,j,b,c] - Wakci[b,k,c,i] * t2[k,j,a,c];
        let doubles[i,j,a,b] = oovv[i,j,a,b] + Wklij[k,l,i,j] * tau[k,l,a,b] + (*ladder)[i,j,a,b]
            + half[i,j,a,b] + half[j,i,b,a];

        let next1[i,a] = singles[i,a] / (eo[i] - ev[a]);
        let next2[i,j,a,b] = doubles[i,j,a,b] / (eo[i] + eo[j] - ev[a] - ev[b]);
        (next1, next2)
    };
    then(&next)
}

impl DiisVector for Amplitudes {
    fn overlap(x: &Amplitudes, y: &Amplitudes) -> f64 {
        tensor!([] = x.t1[i,a] * y.t1[i,a] + x.t2[i,j,a,b] * y.t2[i,j,a,b])
    }

    fn times(c: f64, x: &Amplitudes) -> Amplitudes {
        Amplitudes { t1: tensor!([i,a] = c * x.t1[i,a]), t2: tensor!([i,j,a,b] = c * x.t2[i,j,a,b]) }
    }

    fn plus(sum: Amplitudes, c: f64, x: &Amplitudes) -> Amplitudes {
        let Amplitudes { mut t1, mut t2 } = sum;
        tensor!(t1[i,a] += c * x.t1[i,a]);
        tensor!(t2[i,j,a,b] += c * x.t2[i,j,a,b]);
        Amplitudes { t1, t2 }
    }
}
